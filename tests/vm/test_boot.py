# SPDX-License-Identifier: MIT
"""A kernel without a GPU: it boots, and a command's input, output, files, status and signals pass."""
import os
import pty
import re
import select
import shutil
import signal
import socket
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
    equal([line for line in text.splitlines() if re.match(r"(mount|ln|modprobe|mkdir|tally init): ", line)], [])
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


def switches(pid):
    """How often the first thread of a process has waited."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M).group(1))


def test_the_log_is_read_in_pieces(directory):
    """QEMU sends each byte of the log by itself. The first thread wakes every 2 ms at most."""
    need_machine()
    lines = 400
    script = f"""echo ready; read -r line; for i in $(seq {lines}); do echo {"x" * 100} >/dev/kmsg; done
        echo printed; read -r line; exit 0"""
    with subprocess.Popen([TALLY, "vm", "--gpu", "none", "--log", "log", "--", "sh", "-c", script],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=directory) as run:
        equal(run.stdout.readline(), "ready\n")
        first, start = switches(run.pid), time.monotonic()
        run.stdin.write("\n")
        run.stdin.flush()
        equal(run.stdout.readline(), "printed\n")
        waits, pauses = switches(run.pid) - first, (time.monotonic() - start) / 0.002
        run.stdin.close()
        equal(run.wait(timeout=60), 0)
    equal(log_of(os.path.join(directory, "log")).count("x" * 100), lines)
    assert waits < 1.1 * pauses + 30, f"{waits} waits in {pauses:.0f} pauses"


def ticks(pid):
    """The processor time of the first thread of a process."""
    with open(f"/proc/{pid}/task/{pid}/stat", encoding="utf-8") as file:
        return sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13])


def test_an_idle_machine_waits(directory):
    """Whatever standard input is, the first thread sleeps: it neither polls nor reads in vain."""
    need_machine()
    reader, writer = os.pipe()
    os.close(writer)
    script = "echo ready; sleep 1; echo begin; sleep 3; echo end"
    for name, options in [("/dev/null", {"stdin": subprocess.DEVNULL}), ("an open pipe", {"stdin": subprocess.PIPE}),
                          ("a pipe at its end", {"stdin": reader}),
                          ("a closed descriptor", {"preexec_fn": lambda: os.close(0)})]:
        with subprocess.Popen([TALLY, "vm", "--gpu", "none", "--", "sh", "-c", script], stdout=subprocess.PIPE,
                              text=True, cwd=directory, **options) as run:
            while run.stdout.readline() != "begin\n":
                pass
            first, start = ticks(run.pid), time.monotonic()
            while run.stdout.readline() != "end\n":
                pass
            used = (ticks(run.pid) - first) / os.sysconf("SC_CLK_TCK")
            elapsed = time.monotonic() - start
            equal(run.wait(timeout=60), 0)
        assert used < 0.05 * elapsed, f"{name}: {used} s of processor time in {elapsed:.1f} s"
    os.close(reader)


def test_slow_time(directory):
    """--slow: the guest's clock and its sleeps, and the GPU's TIMESTAMP of 12.5 MHz (awake by FORCEWAKE_MT)."""
    start = time.monotonic()
    read = "cat /proc/uptime; devmem $((bar + 0x2358)) 32; cat /proc/uptime"
    done = vm("sh", "-c", "bar=$(($(sed -n '1s/ .*//p' /sys/bus/pci/devices/0000:00:02.0/resource))); "
              f"devmem $((bar + 0xa188)) 32 0x10001; {read}; sleep 1; {read}", gpu="hsw", options=["--slow", "5"], cwd=directory)
    elapsed = time.monotonic() - start
    equal(done.returncode, 0, done.stderr)
    before, first, after, before_2, second, after_2 = done.stdout.splitlines()
    before, after, before_2, after_2 = (float(line.split()[0]) for line in (before, after, before_2, after_2))
    seconds = (int(second, 16) - int(first, 16)) / 12.5e6
    assert 0.99 < before_2 - after and after_2 - before < elapsed / 5, (before, after, before_2, after_2, elapsed)
    assert before_2 - after - 0.05 < seconds < after_2 - before + 0.05, (before, after, before_2, after_2, seconds)


def test_arguments_for_qemu(directory):
    """--qemu: a debugger stops the guest at its first instruction, and lets it continue."""
    done = vm("nproc", options=["--qemu", " -smp 2  -name kernel "], cwd=directory)
    equal((done.returncode, done.stdout), (0, "2\n"), done.stderr)
    done = vm("nproc", options=["--qemu", "-nonsense"], cwd=directory)
    equal(done.returncode, 1)
    contains(done.stderr, "tally: vm: qemu-system-x86_64: -nonsense: invalid option")
    done = vm("nproc", options=["--qemu", "-S" + " -S" * 300], cwd=directory)
    contains(done.stderr, "more than 256 arguments")
    path = os.path.join(directory, "gdb")
    with subprocess.Popen([TALLY, "vm", "--gpu", "none", "--qemu", f"-S -gdb unix:{path},server=on,wait=off", "--",
                           "echo", "started"], stdout=subprocess.PIPE, text=True, cwd=directory) as run:
        debugger = connect(path)
        time.sleep(0.5)
        equal(select.select([run.stdout], [], [], 0)[0], [])
        debugger.sendall(b"+$?#3f")
        contains(read_until(debugger.fileno(), b"#"), "$T05thread:01;")
        debugger.sendall(b"+$c#63")
        equal(run.stdout.readline(), "started\n")
        debugger.close()
        equal(run.wait(timeout=60), 0)


def connect(path):
    """Connects to a socket that will be there soon."""
    client, end = socket.socket(socket.AF_UNIX), time.monotonic() + 60
    while True:
        try:
            client.connect(path)
            return client
        except OSError:
            assert time.monotonic() < end, path
            time.sleep(0.1)


def test_a_kernel_without_the_options(directory):
    """Its configuration is found beside it, and what is missing is reported before it boots."""
    kernel = os.path.join(directory, "vmlinux")
    shutil.copyfile(TALLY, kernel)  # any ELF file, which does not boot
    write(directory, ".config", "CONFIG_PRINTK=y\n# CONFIG_9P_FS is not set\n")
    done = vm("true", options=["--kernel", kernel, "--timeout", "1s"], cwd=directory)
    first = done.stderr.splitlines()[0]
    contains(first, f"tally: vm: {directory}/.config: the guest needs CONFIG_SERIAL_8250_CONSOLE=y, ")
    contains(first, "CONFIG_9P_FS")
    assert "PRINTK" not in first and "I915" not in first, first


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
