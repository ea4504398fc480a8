# SPDX-License-Identifier: MIT
"""PCOUNTER record buffers: decode and info, in every format, and errors."""
import csv
import io
import os
import struct
import subprocess
import time

from e2e import TALLY, check_memory, contains, equal, json_lines, main, succeed, tally

NAMES = [f"{source}_SRC[{i}]" for source in ("PRE", "START", "EVENT") for i in range(4)]
SIZES = {"long": 32, "short": 16}


def packet(cycles, stop=1, counts=(), kind="long"):
    words = [cycles & 0xffff, cycles >> 16 & 0xffff, cycles >> 32 & 0xffff, stop, *counts]
    return struct.pack("<16H", *words, *[0] * (16 - len(words)))[:SIZES[kind]]


def steady(count, start=0, step=1000, kind="long"):
    return b"".join(packet(start + (i + 1) * step, 1, [step, i % step], kind)
                    for i in range(count))


def write(directory, data, name="record.bin"):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def decode(path, kind="long", *arguments, **options):
    return succeed("decode", "--layout", f"pcounter/{kind}", *arguments, path, **options)


def test_examples_of_the_documents(directory):
    """Worked example 9, and example 3 of the testbench notes."""
    rows = [
        ("long", packet(8, 1, [8]) + packet(16, 1, [8]), [(8, None, 1, 8), (16, 8, 1, 8)]),
        ("long", packet(61440, 0, [0xf000]), [(61440, None, 0, 0xf000)]),
        ("short", bytes.fromhex("04000000000001000400000000000000"
                                "07000000000002000300000000000000"), [(4, None, 1, 4), (7, 3, 2, 3)]),
    ]
    for kind, data, expected in rows:
        lines = json_lines(decode(write(directory, data), kind, "-f", "jsonl"))
        equal([line["type"] for line in lines], ["header"] + ["packet"] * len(expected) + ["totals"])
        equal([(line["cycles"], line["delta"], line["stop"], line["counts"]["PRE_SRC[0]"])
               for line in lines[1:-1]], expected)
        equal([line["cause"] for line in lines[1:-1]],
              ["stop" if row[2] else "overflow" for row in expected])
        equal(lines[-1]["error"], None)


def test_csv_and_json_lines_agree(directory):
    data = (steady(30) + packet(33000, 2, [1000]) + packet(140000, 0xfff, [0, 0xffff, 5])
            + packet(500, 1, [500]) + bytes(64))
    for kind in SIZES:
        size = SIZES[kind]
        path = write(directory, b"".join(data[i:i + size] for i in range(0, len(data), 32)))
        lines = json_lines(decode(path, kind, "-f", "jsonl"))
        text = tally("decode", "--layout", f"pcounter/{kind}", "-f", "csv", path,
                     text=False).stdout.decode()
        assert text.endswith("\r\n") and text.count("\r\n") == text.count("\n")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        names = NAMES if kind == "long" else NAMES[:4]
        equal(list(rows[0]), ["index", "offset", "run", "cycles", "delta", "cause", "state",
                              "saturated", "STOP"] + names)
        packets = [line for line in lines if line["type"] == "packet"]
        equal(len(rows), len(packets))
        for row, line in zip(rows, packets):
            for key in ["index", "offset", "run", "cycles", "cause", "state"]:
                equal(row[key], str(line[key]), key)
            equal(row["delta"], "" if line["delta"] is None else str(line["delta"]))
            equal(row["STOP"], str(line["stop"]))
            equal(row["saturated"], " ".join(line["saturated"]))
            equal({name: int(row[name]) for name in names}, line["counts"])
        equal(packets[-2]["saturated"], ["PRE_SRC[1]", "STOP"])
        equal([line["state"] for line in packets[-3:]], ["lost", "ok", "restart"])
        equal(lines[0]["layout"], f"pcounter/{kind}")
        equal(lines[0]["counts"], names)
        equal(lines[-1]["unwritten"], 2)


def test_ledger(directory):
    """Missing packets: their place and number, and exit 5 only if requested."""
    data = steady(30) + steady(10, 33000) + bytes(96) + steady(10, 46000) + steady(12)
    path = write(directory, data)
    lines = json_lines(decode(path, "long", "-f", "jsonl"))
    losses = [line for line in lines if line["type"] == "loss"]
    equal([(line["reason"], line["after_packet"], line["estimated_packets"], line["lost_cycles"])
           for line in losses],
          [("missing", 29, 3, None), ("cycles-lost", 29, None, 3000), ("not-landed", 39, None, None),
           ("restart", 49, None, None)])
    equal(losses[2]["records"], 3)
    equal(losses[2]["offset"], 40 * 32)
    equal((losses[0]["cycles_start"], losses[0]["cycles_end"]), (30000, 34000))
    totals = lines[-1]
    equal((totals["type"], totals["packets"], totals["missing_packets"], totals["lost_cycles"]),
          ("totals", 62, 3, 3000))
    equal((totals["period_cycles"], totals["always_on"]), (1000, ["PRE_SRC[0]"]))
    table = decode(path)
    for text in ["pcounter/long", "Loss ledger", "between packets 29 and 30", "about 3 packets",
                 "3000 cycles", "from cycle 56000 to 1000", "62 packets read, about 3 missing"]:
        contains(table, text)
    for command in ["decode", "info"]:
        for extra in [[], ["-f", "jsonl"]]:
            done = tally(command, "--layout", "pcounter/long", "--fail-on-loss", *extra, path)
            equal((done.returncode, done.stderr), (5, ""), command)
    done = tally("decode", "--layout", "pcounter/long", "--fail-on-loss", "-f", "csv", path)
    equal(done.returncode, 5)
    contains(done.stderr, "4 entries in the loss ledger")
    done = tally("decode", "--layout", "pcounter/long", "--fail-on-loss",
                 write(directory, steady(50) + bytes(320)))
    equal((done.returncode, done.stderr), (0, ""))


def test_info(directory):
    path = write(directory, steady(100) + packet(102500, 3, [2500]) + bytes(64))
    text = succeed("info", "--layout", "pcounter/long", path)
    for part in ["3296 bytes", "pcounter/long, 32 bytes", "101 (101 by STOP, 0 by overflow)",
                 "2 slots not written", "1000 to 102500", "1000 cycles (99 of 99 distances agree)",
                 "PRE_SRC[0]", "103, 2 of them merged", "100.000 %", "Loss ledger"]:
        contains(text, part)
    lines = json_lines(succeed("info", "--layout", "pcounter/long", "-f", "jsonl", path))
    equal([line["type"] for line in lines], ["header", "totals"])
    equal(lines[1]["sums"]["PRE_SRC[0]"], 101500)
    equal(lines[1]["counted_cycles"], 101500)
    contains(succeed("info", "--layout", "pcounter/short", write(directory, b"")), "0 (0 by STOP")


# name, layout, bytes, part of the message, packets that are read
GOOD = steady(20)
ERRORS = [
    ("stop word", "long", GOOD + packet(21000, 0x3001) + steady(5, 21000),
     "pcounter/long packet at offset 0x280: bits 12-15 of the STOP word are 0x3, expected 0", 25),
    ("count", "long", GOOD + packet(21000, 1, [0, 0, 1001]) + steady(5, 21000),
     "offset 0x280: PRE_SRC[2] is 1001 after 1000 cycles, expected at most one per cycle", 25),
    ("stops", "long", GOOD + packet(20005, 6) + steady(5, 21000),
     "offset 0x280: STOP is 6 after 5 cycles, expected at most one per cycle", 25),
    ("no cause", "long", GOOD + packet(21000, 0, [1000]) + steady(5, 21000),
     "offset 0x280: STOP is 0 and the largest count 0x3e8, expected one of 0xf000 or more", 25),
    ("too soon", "short", steady(20, kind="short") + packet(21000, 0, [], "short"),
     "offset 0x140: STOP is 0 after 1000 cycles, in which no count can reach 0xf000", 20),
    ("torn", "long", GOOD + b"torn",
     "offset 0x280: truncated: 4 bytes, expected 32", 20),
    ("torn by one", "short", steady(3, kind="short") + b"\0",
     "offset 0x30: truncated: 1 byte, expected 16", 3),
    ("two", "long", GOOD + packet(21000, 0x1001) + packet(22000, 0x2001) + steady(5, 22000),
     "STOP word are 0x1, expected 0, and 1 more", 25),
    ("not packets at all", "long", b"\xff" * 3200, "and 99 more; is the layout correct?", 0),
]


def test_malformed(directory):
    """An error gives one line with the place and exit 3; everything else is read."""
    for name, kind, data, message, packets in ERRORS:
        path = write(directory, data)
        outputs = []
        for arguments in [["decode"], ["decode", "-f", "csv"], ["decode", "-f", "jsonl"], ["info"],
                          ["info", "-f", "jsonl"], ["decode", "--map"],
                          ["decode", "--fail-on-loss"]]:
            done = tally(*arguments, "--layout", f"pcounter/{kind}", path)
            equal(done.returncode, 3, f"{name}: {arguments}")
            equal(len(done.stderr.splitlines()), 1, name)
            contains(done.stderr, message, name)
            contains(done.stderr, path, name)
            outputs.append(done.stdout)
        lines = json_lines(outputs[2])
        equal(sum(line["type"] == "packet" for line in lines), packets, name)
        equal(lines[-1]["packets"], packets, name)
        contains(lines[-1]["error"], message, name)
        faults = [line for line in lines if line["type"] == "fault"]
        assert faults and faults[0]["message"], name
        equal(len(outputs[1].splitlines()), packets + 1, name)
        contains(outputs[0], "Malformed packets", name)


def test_file_map_and_pipe_give_the_same(directory):
    data = steady(9000) + steady(5000, 9010000)
    path = write(directory, data)
    outputs = {tally("decode", "--layout", "pcounter/long", "-f", "csv", *arguments, stdin=data,
                     text=False).stdout
               for arguments in [[path], ["--map", path], ["-"]]}
    equal(len(outputs), 1)


def test_any_size_in_constant_memory(directory):
    """A pipe of 100 MB: memory does not grow, and every packet is printed."""
    block = steady(100000)
    process = subprocess.Popen([TALLY, "info", "--layout", "pcounter/long", "-f", "jsonl", "-"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(32):
        process.stdin.write(block)
    process.stdin.close()
    lines = json_lines(process.stdout.read().decode())
    _, status, usage = os.wait4(process.pid, 0)
    equal(status, 0)
    check_memory(usage.ru_maxrss, 64 * 1024)
    equal((lines[-1]["packets"], lines[-1]["restarts"]), (3200000, 31))
    path = write(directory, block * 10)
    start = time.monotonic()
    succeed("decode", "--layout", "pcounter/long", "-f", "csv", "-o", "/dev/null", path)
    elapsed = time.monotonic() - start
    print(f"CSV: {1000000 / elapsed / 1e6:.1f} million packets/s")


def test_usage(directory):
    path = write(directory, steady(3))
    long = ["--layout", "pcounter/long"]
    rows = [
        (["report", *long, path], "layout \"pcounter/long\" is a PCOUNTER record buffer"),
        (["export", *long, path], "only decode and info read record buffers"),
        (["explain", "RenderBasic.EuActive", *long, f"{path}@1"], "only decode and info read record buffers"),
        (["decode", *long, "-f", "xml", path], "--format \"xml\", expected table, csv or jsonl"),
        (["info", *long, "-f", "csv", path], "--format \"csv\", expected table or jsonl"),
        (["decode", *long, "--platform", "hsw", path], "--platform is for Intel reports"),
        (["info", *long, "--timestamp-hz", "5", path], "--timestamp-hz is for Intel reports"),
        (["decode", *long, "/nonexistent"], "cannot open"),
        (["decode", *long, directory], "directory"),
        (["decode", *long, "-o", path, path], "is the input"),
        (["decode", "--layout", "pcounter/medium", path], 'unknown layout "pcounter/medium"'),
        (["list", "nothing"], "expected options (see tally help list)"),
    ]
    for arguments, message in rows:
        done = tally(*arguments)
        equal(done.returncode, 2, arguments)
        equal(len(done.stderr.splitlines()), 1, arguments)
        contains(done.stderr, message, arguments)


def test_layouts_are_listed():
    equal(succeed("list", "layouts"), succeed("list", "formats"))
    rows = {row["layout"]: row for row in json_lines(succeed("list", "layouts", "-f", "jsonl"))}
    equal(rows["pcounter/long"]["bytes"], 32)
    equal(rows["pcounter/short"]["bytes"], 16)
    assert "pcounter/long" not in succeed("list", "layouts", "--platform", "hsw")
    contains(succeed("__complete", "--", "decode", "--layout", "pcounter/"), "pcounter/long\npcounter/short\n")
    for command in ["decode", "info"]:
        contains(succeed("help", "--man", command), "record buffer")


def test_a_reader_that_leaves_early(directory):
    path = write(directory, steady(100000))
    line = f"{TALLY} decode --layout pcounter/long {path} | head -1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    equal((done.stdout, done.stderr), ("0\n", ""))


if __name__ == "__main__":
    main()
