# SPDX-License-Identifier: MIT
"""A kernel without a GPU: it boots, and a command's input, output, files, status and signals pass."""
import os
import pty
import re
import select
import signal
import subprocess
import time

from vm import log_of, need_machine, problems, vm

from e2e import TALLY, contains, equal, main


def test_output_status_files_and_log(directory):
    log = os.path.join(directory, "kernel.log")
    done = vm("sh", "-c", "pwd; uname -s; echo error >&2; echo file >from-guest; cat from-host; exit 7",
              options=["--log", log], cwd=write(directory, "from-host", "host\n"))
    equal(done.stdout, f"{directory}\nLinux\nhost\n")
    equal(done.stderr, "error\n")
    equal(done.returncode, 7)
    with open(os.path.join(directory, "from-guest"), encoding="utf-8") as file:
        equal(file.read(), "file\n")
    text = log_of(log)
    contains(text, "Linux version ")
    contains(text, "Run /init as init process")
    equal(problems(text), [])
    equal(sorted(os.listdir(directory)), ["from-guest", "from-host", "kernel.log"])


def write(directory, name, text):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write(text)
    return directory


def test_standard_input_and_much_output(directory):
    data = "".join(f"line {i}\n" for i in range(50000))
    done = vm("sh", "-c", "cat; echo end >/dev/stderr", cwd=directory, input=data)
    equal(done.returncode, 0, done.stderr)
    equal(len(done.stdout), len(data))
    assert done.stdout == data
    equal(done.stderr, "end\n")


def test_programs_of_the_machine_with_their_libraries(directory):
    """A dynamic program, a script, and an added program; modules for modprobe."""
    script = os.path.join(directory, "script")
    write(directory, "script", "#!/usr/bin/env -S ls -d\n")
    os.chmod(script, 0o755)
    done = vm("bash", "-c", "echo $BASH_VERSION; python3 -S -c 'print(6 * 7)' 2>/dev/null; "
              "ls --version | head -n 1; modprobe 9p && grep -c ^9p /proc/modules",
              options=["--add", "ls"], cwd=directory)
    equal(done.returncode, 0, done.stderr)
    assert re.fullmatch(r"5\.\S+\nls \(GNU coreutils\) .*\n2\n|5\.\S+\nls \(GNU coreutils\) .*\n3\n",
                        done.stdout), done.stdout


def test_a_signal_reaches_the_command(directory):
    need_machine()
    script = "trap 'echo interrupted; exit 5' INT; echo started; while :; do sleep 1; done"
    with subprocess.Popen([TALLY, "vm", "--gpu", "none", "--", "sh", "-c", script], stdout=subprocess.PIPE, text=True,
                          cwd=directory) as run:
        equal(run.stdout.readline(), "started\n")
        run.send_signal(signal.SIGINT)
        equal(run.stdout.read(), "interrupted\n")
        equal(run.wait(timeout=60), 5)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_nothing_is_left_however_it_ends(directory):
    """Two signals, a kill that cannot be handled, a timeout, a closed pipe."""
    need_machine()
    temporary = os.path.join(directory, "temporary")
    os.mkdir(temporary)
    environment = dict(os.environ, TMPDIR=temporary)
    for number, status in [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)]:
        with subprocess.Popen([TALLY, "vm", "--gpu", "none", "--", "sleep", "1000"], cwd=directory,
                              env=environment) as run:
            while not children(run.pid):
                time.sleep(0.1)
            machine = children(run.pid)[0]
            run.send_signal(number)
            equal(run.wait(timeout=60), status)
            for _ in range(100):
                if not is_alive(machine):
                    break
                time.sleep(0.1)
            assert not is_alive(machine), f"a machine is left after {number!r}"
    done = vm("sleep", "1000", options=["--timeout", "2s"], cwd=directory, env=environment)
    equal((done.returncode, done.stdout, done.stderr), (124, "", ""))
    done = subprocess.run(f"'{TALLY}' vm --gpu none -- yes | head -n 1", shell=True, capture_output=True,
                          text=True, cwd=directory, env=environment, timeout=300)
    equal(done.stdout, "y\n")
    equal(os.listdir(temporary), [])
    equal(os.listdir(directory), ["temporary"])


def test_a_guest_that_ends_early_is_reported(directory):
    rows = [("poweroff -f", "the guest ended before the command; its last message is .*Power down"),
            ("echo c >/proc/sysrq-trigger",
             "the guest ended before the command; its last message is .*Kernel panic.*sysrq")]
    for script, message in rows:
        done = vm("sh", "-c", script, cwd=directory)
        equal(done.returncode, 1, done.stderr)
        assert re.search(message, done.stderr.splitlines()[-1]), done.stderr


def read_until(fd, text, seconds=120):
    got, end = b"", time.monotonic() + seconds
    while text not in got and time.monotonic() < end:
        if select.select([fd], [], [], 1)[0]:
            try:
                got += os.read(fd, 4096)
            except OSError:
                break
    assert text in got, got
    return got.decode(errors="replace")


def test_console(directory):
    """On a terminal, sh is interactive: its size, Ctrl-C, the exit status; Ctrl-] ends it."""
    need_machine()
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(directory)
        os.execv(TALLY, [TALLY, "vm", "--gpu", "none"])
    read_until(fd, b"# ")
    os.write(fd, b"stty size; tty\n")
    contains(read_until(fd, b"hvc0"), "24 80")
    os.write(fd, b"sleep 1000\n")
    time.sleep(1)
    os.write(fd, b"\x03")
    read_until(fd, b"# ")
    os.write(fd, b"exit 9\n")
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 9)
    os.close(fd)
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(directory)
        os.execv(TALLY, [TALLY, "vm", "--gpu", "none"])
    read_until(fd, b"# ")
    os.write(fd, b"\x1d\x1d\x1d")
    equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 128 + signal.SIGTERM)
    os.close(fd)


if __name__ == "__main__":
    main()
