# SPDX-License-Identifier: MIT
"""Times whole commands and i915-perf-reader: medians of wall time, and peak memory.

Usage: commands.py BUILD [METRICS]
"""
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

BUILD = sys.argv[1]
METRICS = sys.argv[2] if len(sys.argv) > 2 else None
TALLY = os.path.join(BUILD, "tally")
REPORTS = 1_000_000
RUNS = 7


def on_one_core(command):
    return ["taskset", "-c", str(min(os.sched_getaffinity(0))), *command]


def in_turn(commands, runs=RUNS):
    """Returns medians for several commands, run in turn so that other load affects all equally."""
    times = [[] for _ in commands]
    for i in range(runs + 1):
        for command, list_of_times in zip(commands, times):
            start = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            if i:  # the first round fills caches
                list_of_times.append(time.perf_counter() - start)
    return [statistics.median(list_of_times) for list_of_times in times]


def seconds(command, runs=RUNS):
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peak_mib(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss / 1024


missed = []


def row(what, value, goal, good):
    """Prints a row. good: whether the goal is met; None without a reference value."""
    verdict = "not compared" if good is None else "met" if good else "MISSED"
    print(f"{what:<58} {value:>20}   goal {goal:<22} {verdict}")
    if good is False:
        missed.append(what)


def make(reports, path):
    with open(path, "wb") as file:
        subprocess.run([os.path.join(BUILD, "data", "make_recording"), str(reports)], stdout=file,
                       check=True)


def main():
    sets = ["-M", METRICS] if METRICS else []
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "million.i915-perf")
        make(REPORTS, path)
        print(f"{REPORTS} reports, {os.path.getsize(path) / 1e6:.0f} MB, medians of {RUNS} runs")
        peer = shutil.which("i915-perf-reader")
        report = seconds([TALLY, "report", *sets, path])
        export = seconds([TALLY, "export", "-f", "csv", *sets, path])
        if peer:
            ends = seconds([peer, "-c", "all", path])
            if shutil.which("taskset"):
                ours, theirs = in_turn([on_one_core([TALLY, "report", *sets, path]),
                                        on_one_core([peer, "-c", "all", path])])
                row("tally report on one core", f"{ours * 1e3:.0f} ms",
                    f"< {theirs / 1.5 * 1e3:.0f} ms (peer / 1.5)", ours * 1.5 <= theirs)
            every = seconds([peer, "-c", "all", "-r", path], runs=1)
            row("tally report (every report evaluated)", f"{report * 1e3:.0f} ms",
                f"< {ends * 1e3:.0f} ms (peer)", report < ends)
            row("tally export -f csv (every counter of every report)",
                f"{REPORTS / export / 1e6:.2f} M reports/s",
                f">= {10 * REPORTS / every / 1e6:.2f} M (10 x peer)", export * 10 <= every)
        else:
            row("tally report (every report evaluated)", f"{report * 1e3:.0f} ms", "no peer here",
                None)
            row("tally export -f csv", f"{REPORTS / export / 1e6:.2f} M reports/s", "no peer here",
                None)
        jsonl = seconds([TALLY, "export", "-f", "jsonl", *sets, path])
        print(f"{'tally export -f jsonl':<58} {REPORTS / jsonl / 1e6:>9.2f} M reports/s")

        with subprocess.Popen([TALLY, "export", "-f", "jsonl", *sets, path], stdout=subprocess.PIPE) as process:
            header = json.loads(process.stdout.readline())
        values = REPORTS * sum(counter["state"] == "ok" for counter in header["counters"].values())
        for name, goal in (("perfetto", 2e6), ("chrome", None)):
            took = seconds([TALLY, "export", "-f", name, *sets, path], runs=3)
            row(f"tally export -f {name}", f"{values / took / 1e6:.1f} M values/s",
                f">= {goal / 1e6:.0f} M values/s" if goal else "none", values / took >= goal if goal else None)
        text, columns = (os.path.join(directory, f"million.{name}") for name in ("csv", "parquet"))
        parquet = seconds([TALLY, "export", "-f", "parquet", "-o", columns, *sets, path])
        seconds([TALLY, "export", "-f", "csv", "-o", text, *sets, path], runs=1)
        sizes = [os.path.getsize(name) / REPORTS for name in (columns, text)]
        row("tally export -f parquet", f"{REPORTS / parquet / 1e6:.2f} M rows/s", "none", None)
        row("bytes of a row of Parquet, of CSV", f"{sizes[0]:.0f}, {sizes[1]:.0f}", "less than CSV", sizes[0] < sizes[1])
        os.remove(text)
        page = os.path.join(directory, "million.html")
        if "format html: yes" in subprocess.run([TALLY, "version", "--build-options"], check=True,
                                                capture_output=True, text=True).stdout:
            html = seconds([TALLY, "export", "-f", "html", "-o", page, *sets, path])
            size = os.path.getsize(page) / 1e6
            row("tally export -f html (a page of every counter)", f"{html:.2f} s, {size:.1f} MB",
                "< 5 s, < 30 MB", html < 5 and size < 30)
        else:
            row("tally export -f html", "no uPlot here", "< 5 s, < 30 MB", None)
        svg = seconds([TALLY, "export", "-f", "svg", "-c", "GpuBusy", *sets, path])
        print(f"{'tally export -f svg -c GpuBusy':<58} {REPORTS / svg / 1e6:>9.2f} M reports/s")

        big = os.path.join(directory, "gigabyte.i915-perf")
        make(4_000_000, big)
        for command in (["report"], ["report", "--map"], ["export", "-f", "csv"], ["export", "-f", "perfetto"],
                        ["info"]):
            extra = [] if command == ["info"] else sets
            peak = peak_mib([TALLY, *command, *extra, big])
            row(f"peak memory of {' '.join(command)}, 1 GB recording", f"{peak:.1f} MiB",
                "< 64 MiB", peak < 64)
        peak = peak_mib([TALLY, "export", "-f", "parquet", "-o", columns, *sets, big])
        row("peak memory of export -f parquet, 1 GB recording", f"{peak:.1f} MiB", "< 96 MiB", peak < 96)
        buffer = os.path.join(directory, "record.bin")
        with open(buffer, "wb") as file:
            for i in range(1, 1_000_001):
                file.write(struct.pack("<HIH12H", i * 1000 & 0xffff, i * 1000 >> 16, 1, 1000,
                                       *[i * n % 1000 for n in range(11)]))
        decode = seconds([TALLY, "decode", "--layout", "pcounter/long", "-f", "csv", buffer])
        row("tally decode -f csv of a PCOUNTER record buffer", f"{1 / decode:.2f} M packets/s",
            ">= 5 M packets/s", decode * 5 <= 1)
    start = seconds([TALLY, "version"], runs=21)
    row("tally version", f"{start * 1e3:.1f} ms", "< 10 ms", start < 0.010)


if __name__ == "__main__":
    main()
    sys.exit(1 if missed else 0)
