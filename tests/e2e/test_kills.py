# SPDX-License-Identifier: MIT
"""kill -9 at random moments: of a recorder, of the owner of an emulated GPU, and of its client. What a
recorder has written is readable, and nothing is left after the next start.

TALLY_TEST_PERCENT is the share of the usual number of moments, as in the unit tests; 5000 are 1,000, a few
at a time, since most of a moment is waiting for it.
"""
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from e2e import OWN_METRICS, TALLY, equal, main, need_preload, tally

MOMENTS = max(3, 20 * int(os.environ.get("TALLY_TEST_PERCENT", "100")) // 100)
SEED = int(os.environ.get("TALLY_TEST_SEED", "18"))
LONGEST = 1.5  # seconds until the kill
AT_A_TIME = 1 if MOMENTS < 100 else 6


def at_moments(directory, run):
    """Calls run(moment, delay, directory) with random delays from 0 to 1, each in a directory of its own."""
    choose = random.Random(SEED)

    def one(moment, delay):
        own = os.path.join(directory, str(moment))
        os.mkdir(own)
        result = run(moment, delay, own)
        os.rmdir(own)  # nothing is left
        return result
    delays = [choose.random() for _ in range(MOMENTS)]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(one, range(MOMENTS), delays))


def killed(command, delay, **more):
    """Runs a command and kills it after a share of the longest delay. Returns its status."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True, **more) as process:
        time.sleep(delay * LONGEST)
        process.send_signal(signal.SIGKILL)
        return process.wait(60)


def test_recorder(directory):
    """The file is missing, or its whole records are read, and the rest is mentioned."""
    def run(moment, delay, own):
        path = os.path.join(own, "file")
        killed([TALLY, "record", "-q", "-d", "sim:skl", "--clock", "wall", "-m", "RenderBasic",
                "-M", OWN_METRICS, "-o", path], delay)
        if not os.path.exists(path):
            return False
        done = tally("report", "-f", "csv", "-M", OWN_METRICS, path)
        assert done.returncode in (0, 1, 3, 5), f"moment {moment}: {done.returncode} {done.stderr}"
        assert done.returncode == 0 or done.stderr, f"moment {moment}: no reason is given"
        os.remove(path)
        return done.returncode == 0
    print(f"{sum(at_moments(directory, run))} of {MOMENTS} files were read")


def left(directory):
    return [name for name in os.listdir(directory) if name.startswith("tally-emulate-")]


def test_owner(directory):
    need_preload()

    def run(moment, delay, own):
        environment = dict(os.environ, TMPDIR=own)
        killed([TALLY, "emulate", "--", "sh", "-c", "while :; do ls /dev/dri; done"], delay, env=environment)
        equal(subprocess.run([TALLY, "emulate", "--", "true"], check=False, env=environment).returncode, 0)
        equal(left(own), [], f"moment {moment}")
    at_moments(directory, run)


def test_client(directory):
    """Its owner ends, with the program's status, and leaves nothing."""
    need_preload()
    script = ("echo $$; exec python3 -c 'import os\n"
              "while True: os.close(os.open(\"/dev/dri/card0\", os.O_RDWR))'")

    def run(moment, delay, own):
        with subprocess.Popen([TALLY, "emulate", "-q", "--", "sh", "-c", script],
                              stdout=subprocess.PIPE, env=dict(os.environ, TMPDIR=own), text=True) as process:
            client = int(process.stdout.readline())
            time.sleep(delay * LONGEST / 2)
            os.kill(client, signal.SIGKILL)
            equal(process.wait(60), 128 + signal.SIGKILL, f"moment {moment}")
        equal(left(own), [], f"moment {moment}")
    at_moments(directory, run)


if __name__ == "__main__":
    main()
