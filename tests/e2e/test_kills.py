# SPDX-License-Identifier: MIT
"""kill -9 at random moments: of a recorder, of the owner of an emulated GPU, and of its client. What a
recorder has written is readable, and nothing is left after the next start.

TALLY_TEST_PERCENT is the share of the usual number of moments, as in the unit tests; 5000 are 1,000.
"""
import os
import random
import signal
import subprocess
import time

from e2e import OWN_METRICS, TALLY, equal, main, need_preload, tally

MOMENTS = max(3, 20 * int(os.environ.get("TALLY_TEST_PERCENT", "100")) // 100)
SEED = int(os.environ.get("TALLY_TEST_SEED", "18"))
LONGEST = 1.5  # seconds until the kill


def killed(command, choose, **more):
    """Runs a command and kills what choose(process) names at a random moment. Returns its status."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True, **more) as process:
        time.sleep(choose.random() * LONGEST)
        process.send_signal(signal.SIGKILL)
        return process.wait(60)


def test_recorder(directory):
    """The file is missing, or its whole records are read, and the rest is mentioned."""
    choose, read = random.Random(SEED), 0
    for moment in range(MOMENTS):
        path = os.path.join(directory, "file")
        killed([TALLY, "record", "-q", "-d", "sim:skl", "--clock", "wall", "-m", "RenderBasic",
                "-M", OWN_METRICS, "-o", path], choose)
        if not os.path.exists(path):
            continue
        done = tally("report", "-f", "csv", "-M", OWN_METRICS, path)
        assert done.returncode in (0, 1, 3, 5), f"moment {moment}: {done.returncode} {done.stderr}"
        assert done.returncode == 0 or done.stderr, f"moment {moment}: no reason is given"
        read += done.returncode == 0
        os.remove(path)
    print(f"{read} of {MOMENTS} files were read")


def left(directory):
    return [name for name in os.listdir(directory) if name.startswith("tally-emulate-")]


def test_owner(directory):
    need_preload()
    choose, environment = random.Random(SEED), dict(os.environ, TMPDIR=directory)
    for moment in range(MOMENTS):
        killed([TALLY, "emulate", "--", "sh", "-c", "while :; do ls /dev/dri; done"], choose, env=environment)
        equal(subprocess.run([TALLY, "emulate", "--", "true"], check=False, env=environment).returncode, 0)
        equal(left(directory), [], f"moment {moment}")


def test_client(directory):
    """Its owner ends, with the program's status, and leaves nothing."""
    need_preload()
    choose, environment = random.Random(SEED), dict(os.environ, TMPDIR=directory)
    script = ("echo $$; exec python3 -c 'import os\n"
              "while True: os.close(os.open(\"/dev/dri/card0\", os.O_RDWR))'")
    for moment in range(MOMENTS):
        with subprocess.Popen([TALLY, "emulate", "-q", "--", "sh", "-c", script],
                              stdout=subprocess.PIPE, env=environment, text=True) as process:
            client = int(process.stdout.readline())
            time.sleep(choose.random() * LONGEST / 2)
            os.kill(client, signal.SIGKILL)
            equal(process.wait(60), 128 + signal.SIGKILL, f"moment {moment}")
        equal(left(directory), [], f"moment {moment}")


if __name__ == "__main__":
    main()
