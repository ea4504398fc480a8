# SPDX-License-Identifier: MIT
"""CPU time of tally top at ten frames a second, in a terminal of 80x24 and one of 120x40.

A recording is replayed, which is tally top's own work: reading, evaluating, drawing. Of a modelled device, `tally
record` to a pipe is measured, too: that is the work of the modelled GPU and of recording, and the difference is
that of the view.

Usage: top.py BUILD
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

BUILD = os.path.abspath(sys.argv[1])
TALLY = os.path.join(BUILD, "tally")
SECONDS = 20
GOAL = 3.0  # percent of a core


def drain(fd):
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass  # the other end is closed


def in_terminal(arguments, rows, columns):
    """CPU time of tally in a terminal, in percent of a core, without its start."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen([TALLY, "top", "-q", *arguments], stdin=slave, stdout=slave, env=environment)
    os.close(slave)
    threading.Thread(target=drain, args=(master,), daemon=True).start()
    time.sleep(2)
    before, start = cpu_of(process.pid), time.monotonic()
    time.sleep(SECONDS)
    used, passed = cpu_of(process.pid) - before, time.monotonic() - start
    os.write(master, b"q")
    if process.wait(30):
        sys.exit(f"tally top {arguments}: exit status {process.returncode}")
    return 100 * used / passed


def cpu_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def recording(device):
    """CPU time of recording a device to a pipe, in percent of a core."""
    process = subprocess.Popen([TALLY, "record", "-q", "-d", device, "-o", "-"], stdout=subprocess.PIPE)
    threading.Thread(target=lambda: [None for _ in iter(lambda: process.stdout.read(65536), b"")],
                     daemon=True).start()
    time.sleep(2)
    before, start = cpu_of(process.pid), time.monotonic()
    time.sleep(SECONDS)
    used, passed = cpu_of(process.pid) - before, time.monotonic() - start
    process.terminate()
    process.wait(30)
    return 100 * used / passed


def main():
    missed = False
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "minute.i915-perf")
        subprocess.run([TALLY, "record", "-q", "-d", "sim:skl", "-t", "60s", "-o", path], check=True)
        for rows, columns in (24, 80), (40, 120):
            used = in_terminal(["--interval", "100ms", "--speed", "1", path], rows, columns)
            missed |= used >= GOAL
            print(f"{f'tally top, replay of 1 kHz, {columns}x{rows}, 10 frames/s':<58} {f'{used:.1f} %':>20}   "
                  f"goal < {GOAL:.0f} % of a core       {'MISSED' if used >= GOAL else 'met'}")
    for device in "sim:skl", "sim:g92":
        used = in_terminal(["--interval", "100ms", "-d", device], 24, 80)
        print(f"{f'tally top -d {device}, with the modelled GPU':<58} {f'{used:.1f} %':>20}   "
              f"tally record of it: {recording(device):.1f} %")
    return missed


if __name__ == "__main__":
    sys.exit(main())
