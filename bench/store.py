# SPDX-License-Identifier: MIT
"""Stores: adding recordings of 100,000 reports, the size, queries, and reading a recording back.

Usage: store.py BUILD [RECORDINGS]; 60 unless given. 500 are 13 GB."""
import os
import struct
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
TALLY = os.path.join(BUILD, "tally")
RECORDINGS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
RUNS = 5
WORST = ("SELECT recording, name, overall FROM counter_values WHERE counter = 'EuActive' "
         "ORDER BY overall DESC LIMIT 10")


def row(what, got, goal="", met=None):
    print(f"{what:<58} {got:>22}  {goal}" + ("" if met is None else "  ok" if met else "  MISSED"))
    return met is not False


def seconds(command):
    """The median time of a command."""
    times = []
    for _ in range(RUNS):
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - start)
    return sorted(times)[RUNS // 2]


def record(path):
    """A recording of 100,000 reports. Returns its bytes and the offset of its first correlation."""
    subprocess.run([TALLY, "record", "-q", "-d", "sim:skl", "-p", "10us", "-t", "1066ms", "--workload", "contexts",
                    "-o", path], check=True)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = 0
    while struct.unpack_from("<I", data, at)[0] != 65539:
        at += struct.unpack_from("<H", data, at + 6)[0]
    return data, at + 8


def main():
    met = True
    if "store: none" in subprocess.run([TALLY, "version", "--build-options"], check=True, capture_output=True, text=True).stdout:
        print("tally store: this build has no SQLite")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "one")
        data, at = record(path)
        size = len(data)
        lines = subprocess.run([TALLY, "decode", "-f", "csv", path], check=True, capture_output=True).stdout
        reports = lines.count(b"\n") - 1
        os.remove(path)
        names = []
        for i in range(RECORDINGS):  # each has other bytes
            struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + i)
            names.append(os.path.join(directory, f"r{i:03}"))
            with open(names[-1], "wb") as file:
                file.write(data)
        os.sync()  # what is written meanwhile would be measured, too
        store = os.path.join(directory, "store.db")
        start, before = time.monotonic(), os.times()
        subprocess.run([TALLY, "store", "add", store, *names], check=True, stdout=subprocess.DEVNULL)
        took, after = time.monotonic() - start, os.times()
        used = after.children_user - before.children_user + after.children_system - before.children_system
        total = RECORDINGS * reports
        print(f"{RECORDINGS} recordings of {reports} reports, {RECORDINGS * size / 1e6:.0f} MB")
        met &= row("tally store add", f"{total / took / 1e6:.2f} M reports/s", ">= 3 M", total >= 3e6 * took)
        row("  processor time", f"{used / total * 1e9:.0f} ns/report")
        share = os.path.getsize(store) / RECORDINGS / size
        met &= row("size of the store", f"{100 * share:.1f} % of the files", "<= 33 %", share <= 1 / 3)
        worst = seconds([TALLY, "query", store, WORST])
        met &= row("the ten worst by EuActive", f"{worst * 1e3:.0f} ms", "< 100 ms", worst < 0.1)
        for view, condition in [("worst_contexts", "rank <= 3"), ("changes", "percent > 1")]:
            took = seconds([TALLY, "query", store, f"SELECT * FROM {view} WHERE {condition}"])
            row(f"tally query, {view}", f"{took * 1e3:.0f} ms")
        from_store, from_file = seconds([TALLY, "report", store + "#1"]), seconds([TALLY, "report", names[0]])
        row("tally report DB#1 (the file)", f"{from_store * 1e3:.0f} ms ({from_file * 1e3:.0f} ms)")
        again = time.monotonic()
        subprocess.run([TALLY, "store", "add", store, *names[:10]], check=True, stdout=subprocess.DEVNULL)
        again = (time.monotonic() - again) / min(10, RECORDINGS)
        row("tally store add, a recording that is there", f"{again * 1e3:.0f} ms")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
