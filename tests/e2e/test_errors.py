# SPDX-License-Identifier: MIT
"""Invalid input: one line that states what and where, exit 3, everything before the fault reported."""
import os
import random
import struct

from e2e import SAMPLES, contains, equal, json_lines, main, succeed, tally

SAMPLE = f"{SAMPLES}/chv.i915-perf"
with open(SAMPLE, "rb") as file:
    GOOD = file.read()


def records(data):
    """(offset, type, size) of each record."""
    offset, found = 0, []
    while offset < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, offset)
        found.append((offset, kind, size))
        offset += size
    return found


RECORDS = records(GOOD)
REPORTS = [offset for offset, kind, _ in RECORDS if kind == 1]
MIDDLE = REPORTS[100]


def record(kind, payload=b"", size=None):
    return struct.pack("<IHH", kind, 0, 8 + len(payload) if size is None else size) + payload


def without(kind):
    return b"".join(GOOD[offset:offset + size] for offset, k, size in RECORDS if k != kind)


def insert(offset, data):
    return GOOD[:offset] + data + GOOD[offset:]


def patch(offset, data):
    return GOOD[:offset] + data + GOOD[offset + len(data):]


def device_info():
    return next(offset for offset, kind, _ in RECORDS if kind == 65537)


def swapped_reports():
    first, second = REPORTS[100], REPORTS[101]
    return (GOOD[:first] + GOOD[second:second + 264] + GOOD[first:first + 264]
            + GOOD[second + 264:])


# name, bytes, part of the message, reports before the fault
ROWS = [
    ("empty", b"", "empty", 0),
    ("one byte", b"\1", "1 bytes", 0),
    ("record of size 0", insert(MIDDLE, record(1, size=0)), f"offset {MIDDLE:#x} has size 0", 100),
    ("record of size 7", insert(MIDDLE, record(1, size=7)), f"offset {MIDDLE:#x} has size 7", 100),
    ("size past the end", GOOD[:MIDDLE] + record(1, b"x" * 16, size=264),
     f"at offset {MIDDLE:#x} are not a whole record", 100),
    ("truncated report", GOOD[:MIDDLE + 200], f"200 bytes at offset {MIDDLE:#x}", 100),
    ("truncated header", GOOD[:MIDDLE + 5], f"5 bytes at offset {MIDDLE:#x}", 100),
    ("unknown type", insert(MIDDLE, record(77, b"x" * 8)),
     f"unknown type 77 (16 bytes) at offset {MIDDLE:#x}", len(REPORTS)),
    ("wrong sample size", insert(MIDDLE, record(1, b"x" * 128)),
     f"offset {MIDDLE:#x} has size 136, expected 264", 100),
    ("unsorted timestamps", swapped_reports(), "decreases", 101),
    ("missing device info", without(65537), "no DEVICE_INFO record", 0),
    ("unknown device", patch(device_info() + 16, struct.pack("<I", 0xbeef)),
     "unknown PCI device 0xbeef, expected", 0),
    ("unknown format", patch(device_info() + 40, struct.pack("<I", 99)), "OA format 99", 0),
    ("unknown metric set", patch(device_info() + 44, b"NoSuchSet\0").replace(
        b"a6b44360", b"00000000"), "unknown metric set NoSuchSet", 0),
    ("version 9", patch(8, struct.pack("<I", 9)), "version 9", 0),
    ("lost record with payload", insert(MIDDLE, record(2, b"x" * 8)),
     f"offset {MIDDLE:#x} has size 16, expected 8", 100),
    ("random bytes", random.Random(1).randbytes(1 << 20), "not a recording", 0),
]


def check_row(directory, name, data, message, reports):
    path = os.path.join(directory, "bad.i915-perf")
    with open(path, "wb") as file:
        file.write(data)
    done = tally("report", "-r", "-f", "jsonl", path)
    equal(done.returncode, 3, name)
    equal(len(done.stderr.splitlines()), 1, name)
    contains(done.stderr, message, name)
    contains(done.stderr, path, name)
    lines = json_lines(done.stdout)
    deltas = [line for line in lines if line["type"] == "delta"]
    equal(len(deltas), max(reports - 1, 0), name)
    if reports:
        equal(lines[-1]["type"], "end", name)
        equal(lines[-1]["reports"], reports, name)
        contains(done.stderr, lines[-1]["error"], name)
    for command in (["report", path], ["info", path], ["export", "-f", "csv", path],
                    ["report", "--map", path]):
        if name == "unknown metric set" and command[0] == "info":
            continue
        equal(tally(*command).returncode, 3, f"{name}: {command}")
    piped = tally("report", "-r", "-f", "jsonl", "-", stdin=data, text=False)
    equal(piped.returncode, 3, f"{name}, from a pipe")


def test_malformed_recordings(directory):
    for row in ROWS:
        check_row(directory, *row)


def test_values_before_the_fault_are_the_same(directory):
    path = os.path.join(directory, "cut.i915-perf")
    with open(path, "wb") as file:
        file.write(GOOD[:MIDDLE + 3])
    whole = succeed("export", "-f", "csv", SAMPLE).splitlines()
    cut = tally("export", "-f", "csv", path).stdout.splitlines()
    assert len(cut) == 100, len(cut)  # a header and the deltas of 100 reports
    # CPU times depend on the points, of which there are fewer: compares everything else.
    for ours, theirs in zip(cut, whole):
        equal(ours.split(",")[3:], theirs.split(",")[3:])


def test_files_that_are_not_there(directory):
    for path, code, message in [("/nonexistent", 2, "cannot open"), (directory, 2, "directory")]:
        done = tally("report", path)
        equal(done.returncode, code)
        contains(done.stderr, message)
        equal(len(done.stderr.splitlines()), 1)


def test_usage():
    rows = [
        (["nonsense"], 'unknown command "nonsense"'),
        (["reprot"], "expected report"),
        (["report"], "expects FILE"),
        (["report", SAMPLE, SAMPLE], "unexpected argument"),
        (["report", "--nonsense", SAMPLE], "unknown option --nonsense"),
        (["report", "--by"], "expects an argument"),
        (["report", "--by", "color", SAMPLE], "expected context, reason"),
        (["report", "--by", "interval=0ms", SAMPLE], "interval=TIME"),
        (["report", "-f", "xls", SAMPLE], "expected table, csv or jsonl"),
        (["report", "-c", "Zz*", SAMPLE], "no counter"),
        (["report", "-m", "Nothing", SAMPLE], "unknown metric set Nothing"),
        (["report", "-r", "--by", "reason", SAMPLE], "mutually exclusive"),
        (["decode", "--layout", "ivb/100", SAMPLE], 'unknown layout "ivb/100", expected ivb/a13'),
        (["decode", "--platform", "vax", SAMPLE], 'unknown platform "vax"'),
        (["explain", "RenderBasic.EuActive"], "expects --platform, --chipset or FILE@REPORT"),
        (["explain", "RenderBasic.Nope", "--platform", "hsw"], 'unknown counter "Nope" of RenderBasic, expected '),
        (["explain", "EuActive", f"{SAMPLE}@100000"], "no delta starts at report 100000"),
        (["explain", "EuActive", SAMPLE], "expected FILE@REPORT"),
        (["explain", "EuActive", f"{SAMPLE}@1", "more"], 'unexpected argument "more"'),
        (["explain", "g92"], "expects an expression after g92, such as PGRAPH.IDLE"),
        (["list", "colors"], 'unknown list "colors", expected counters'),
        (["list", "sets", "RenderBasics", "--platform", "hsw"],
         'unknown metric set "RenderBasics" for hsw, expected RenderBasic (see tally list sets)'),
        (["list", "registers", "OACONTRL", "--platform", "hsw"],
         'unknown register "OACONTRL" of Haswell, expected OACONTROL (see tally list registers '
         "--platform hsw)"),
        (["explain", "RenderBasic.EuActiv", "--platform", "hsw"],
         'unknown counter "EuActiv" of RenderBasic, expected EuActive (see tally list counters '
         "RenderBasic)"),
        (["record", "-d", "sim:hws"], 'unknown device "sim:hws", expected sim:hsw (see tally record '
         "-d list)"),
        (["record", "-d", "sim:hsw", "--workload", "triangel", "-o", "/dev/null"],
         'unknown workload "triangel", expected triangle (see tally list workloads)'),
        (["record", "-d", "sim:hsw", "--fault", "losy", "-o", "/dev/null"],
         'unknown script of faults "losy", expected lossy (see tally list faults)'),
        (["report", "--fail-on-los", "--format=table", "--per-repot", SAMPLE],
         "unknown option --per-repot, expected --per-report (see tally help report)"),
        (["lint", "--platform", "hws", "x.yaml"], 'unknown platform "hws", expected hsw'),
        (["lint", "/nonexistent/x.yaml"], "cannot open"),
        (["list", "signals"], "needs --chipset"),
        (["list", "signals", "--chipset", "g93"], "expected g92"),
        (["list", "signals", "--chipset", "0x92"], 'unknown chipset "0x92"'),
        (["list", "signals", "--chipset", "g92", "--domain", "8"], "expected 0 to 7 (G92)"),
        (["list", "signals", "--chipset", "mcp77", "--domain", "7"], "expected 0 to 6 (MCP77)"),
        (["list", "signals", "--chipset", "nv10", "--domain", "x"], "expected 0 (NV10)"),
        (["list", "signals", "--chipset", "gf100", "--domain", "0"], "such as GPC0 (GF100)"),
        (["list", "chipsets", "--chipset", "g92"], "is only for tally list signals"),
        (["list", "platforms", "--domain", "1"], "is only for tally list signals"),
        (["list", "signals", "--chipset", "g92", "-f", "cvs"],
         "expected table, csv or jsonl; did you mean csv?"),
        (["completion", "tcsh"], "expected bash, zsh or fish"),
    ]
    for arguments, message in rows:
        done = tally(*arguments)
        equal(done.returncode, 2, arguments)
        contains(done.stderr, message, arguments)
        equal(len(done.stderr.splitlines()), 1, arguments)


def test_fail_on_loss():
    equal(tally("report", "--fail-on-loss", SAMPLE).returncode, 5)
    equal(tally("info", "--fail-on-loss", SAMPLE).returncode, 5)
    equal(tally("report", SAMPLE).returncode, 0)


def test_full_disk():
    if os.path.exists("/dev/full"):
        done = tally("export", "-o", "/dev/full", SAMPLE)
        equal(done.returncode, 1)
        contains(done.stderr, "cannot write")
    done = tally("export", "-o", "/nonexistent/x", SAMPLE)
    equal(done.returncode, 2)


def test_the_input_is_not_written_over(directory):
    path = os.path.join(directory, "x.i915-perf")
    with open(path, "wb") as file:
        file.write(GOOD)
    os.symlink(path, os.path.join(directory, "link"))
    for command in ["export", "report", "info", "decode"]:
        for output in [path, os.path.join(directory, "link")]:
            done = tally(command, "-o", output, path)
            equal(done.returncode, 2, command)
            contains(done.stderr, "is the input")
    with open(path, "rb") as file:
        equal(file.read() == GOOD, True)


def test_workload_files(directory):
    head = "name: w\ndescription: d\nphases:\n"
    rows = [
        ("", 3, ":1: empty"),
        ("a: [1\n", 3, ":2: "),
        ("[" * 1000, 3, ":1: nested"),
        ("name: w\n", 1, ":1: error: description is missing"),
        (head + "  - {duration: 0 ms, context: 1}\n", 1, ":4: error: duration \"0 ms\""),
        (head + "  - {duration: 1 ms}\n", 1, ":4: error: context is missing"),
        (head + "  - duration: 1 ms\n    context: 1\n    does:\n      - {unit: nix, share: 1}\n", 1,
         ":7: error: unknown unit \"nix\", expected noa.0 (see docs/workloads.md)"),
    ]
    path = os.path.join(directory, "bad.yaml")
    for text, code, message in rows:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = tally("lint", path)
        equal(done.returncode, code, text)
        contains(done.stdout + done.stderr, path + message, text)
        # An invalid file in the search path is reported; the others are listed.
        done = tally("list", "workloads", env={"TALLY_WORKLOADS_PATH": directory})
        equal(done.returncode, 3, text)
        contains(done.stderr, path, text)
        contains(done.stdout, "triangle", text)


def test_metric_files(directory):
    rows = [
        ("", "no element found"),
        ("<metrics>", "no element found"),
        ("<sets/>", "expected <metrics>"),
        ("<metrics><set/></metrics>", "without the attribute symbol_name"),
        ('<!DOCTYPE m [<!ENTITY a "b">]><metrics/>', "entity"),
    ]
    for text, message in rows:
        path = os.path.join(directory, "bad.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = tally("lint", path)
        equal(done.returncode, 3, text)
        contains(done.stderr, message, text)
        contains(done.stderr, f"{path}:1:", text)


if __name__ == "__main__":
    main()
