# SPDX-License-Identifier: MIT
"""A recording with 10 million marks: making it, and reporting it by mark.

Usage: marks.py BUILD [MARKS]"""
import os
import resource
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
TALLY = os.path.join(BUILD, "tally")
MARKS = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
SECONDS, NAMES = 10, 100
BYTES_PER_MARK = 24 + 24  # an entry, and a section


def measured(*command, **options):
    """Runs a command. Returns its time on the clock and on processors."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    with tempfile.TemporaryDirectory() as directory:
        lines, path = os.path.join(directory, "lines"), os.path.join(directory, "marks.i915-perf")
        step = SECONDS * 10 ** 9 // MARKS
        with open(lines, "w", encoding="utf-8") as file:
            for i in range(MARKS):
                file.write(f"@{10 ** 9 + i * step} mark work{i % NAMES}\n")
        with open(lines, encoding="utf-8") as file:
            os.dup2(file.fileno(), 9)
            clock, _ = measured(TALLY, "record", "-q", "-d", "sim:skl", "--clock", "free", "-t", f"{SECONDS}s", "-p", "80us", "-o", path,
                                "--mark-fd", "9", pass_fds=[9])
        print(f"a recording with {MARKS} marks: {clock:.1f} s, {os.path.getsize(path) / 1e6:.0f} MB")
        clock, processor = measured(TALLY, "report", "--by", "mark", "-c", "GpuBusy", path)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        limit = 64 + 2 * MARKS * BYTES_PER_MARK / 2 ** 20
        met = processor < 10 and peak < limit
        print(f"report --by mark: {clock:.1f} s, {processor:.1f} s of processors, {peak:.0f} MB"
              f"   goal < 10 s of processors, < {limit:.0f} MB  {'ok' if met else 'MISSED'}")
        return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
