#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes fuzz/corpus/block and fuzz/corpus/store: stores of a few reports, as tally makes them, and damaged ones.
Usage: make_corpus_store.py TALLY"""
import contextlib
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(SOURCE, "fuzz", "corpus")
TALLY = os.path.abspath(sys.argv[1])


def write(folder, name, data):
    os.makedirs(os.path.join(CORPUS, folder), exist_ok=True)
    with open(os.path.join(CORPUS, folder, name), "wb") as file:
        file.write(data)


def store(directory, name, *changes):
    """A store of two recordings in small pages, after these statements."""
    path = os.path.join(directory, name)
    recordings = []
    for i, (sample, size) in enumerate([("hsw", 4200), ("icl", 5000)]):
        recordings.append(os.path.join(directory, f"{name}.{i}"))
        with open(os.path.join(SOURCE, "data", "samples", sample + ".i915-perf"), "rb") as file, \
                open(recordings[-1], "wb") as part:
            part.write(file.read(size))
    subprocess.run([TALLY, "store", "add", "-q", "--date", "2026-11-27", "-M", os.path.join(SOURCE, "data", "metrics"),
                    path] + [os.path.relpath(name, directory) for name in recordings], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for change in changes:
            connection.execute(change)
        connection.execute("UPDATE counters SET description = ''")
        connection.commit()
        connection.execute("PRAGMA page_size = 1024")
        connection.execute("VACUUM")
        blocks = [data for data, in connection.execute("SELECT data FROM blocks ORDER BY recording, number")]
    with open(path, "rb") as file:
        return file.read(), blocks


def main():
    with tempfile.TemporaryDirectory() as directory:
        data, blocks = store(directory, "two")
        write("store", "two", data)
        write("store", "cut", data[:len(data) // 2])
        write("store", "longer", store(directory, "longer", "UPDATE recordings SET size_bytes = size_bytes + 800",
                                       "UPDATE blocks SET size = size + 800")[0])
        write("store", "gap", store(directory, "gap", "UPDATE blocks SET start = start + 8")[0])
        write("store", "numbers", store(directory, "numbers", "UPDATE blocks SET number = number + 1")[0])
        write("store", "block", store(directory, "block", "UPDATE blocks SET data = substr(data, 1, 100)")[0])
        write("store", "version", store(directory, "version", "PRAGMA user_version = 2")[0])
        write("store", "other", b"SQLite format 3\0" + bytes(200))
    for i, block in enumerate(blocks):
        write("block", f"block{i}", block)
    first = bytearray(blocks[0])
    for name, offset, value in [("version", 0, 2), ("kind", 1, 9), ("rows", 4, 255), ("size", 8, 1), ("runs", 12, 200),
                                ("literals", 16, 1), ("check", 20, 0), ("run", 24, 127)]:
        damaged = bytearray(first)
        damaged[offset] = value
        write("block", name, bytes(damaged))
    # Rows back to back, without columns that vary.
    write("block", "bare", struct.pack("<BBHIIIII", 1, 0, 4, 3, 12, 2, 0, 0) + b"\x03\0" + b"\0\1\0\0\0")
    write("block", "empty", b"")
    with open(os.path.join(SOURCE, "data", "samples", "hsw.i915-perf"), "rb") as file:
        write("block", "recording", file.read(5001))
    write("block", "packets", struct.pack("<IHH", 0x54000005, 0, 8 + 32 + 64 + 8) + bytes(28) + b"\1" + bytes(3 + 72))
    write("block", "short-record", struct.pack("<IHH", 1, 0, 4) + bytes(30))


if __name__ == "__main__":
    main()
