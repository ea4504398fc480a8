# SPDX-License-Identifier: MIT
"""tally mmio on modelled GPUs: names, fields, ranges, changes, notes, errors. Real cards: test_cards.py."""
import os
import re

from e2e import contains, equal, json_lines, main, succeed, tally

INTEL = "snb ivb vlv hsw bdw chv skl icl lkf tgl rkl dg1 adl".split()
NVIDIA = "nv10 nv15 nv20 nv30 nv40 g80 g84 g92 gt215 gf100 gf119".split()


def mmio(*arguments):
    return succeed("mmio", *arguments)


def lines(operation, device, *operands):
    """The rows of a command, without the fields."""
    return [line.rstrip() for line in mmio(operation, device, *operands).splitlines() if line.startswith("0x")]


def test_reading():
    rows = [
        (["sim:g92", "CTRL[1]"], ["0x00a7c4  CTRL[1]                     0x00000000", "1:0    MODE",
                                  "SINGLE               counting mode"]),
        (["sim:g92", "0xa7c4"], ["0x00a7c4  CTRL[1] "]),
        (["sim:g92", "ctrl[1].mode"], ["MODE                   0        SINGLE"]),
        (["sim:g92", "pmc.ENABLE"], ["0x000200  ENABLE                      0x00010000", "PTIMER                 1"]),
        (["sim:g92", "nv40-pcounter.CTRL[7]"], ["0x00a7dc  CTRL[7]"]),
        (["sim:g92", "ROP[0].CROP.PM_MUX"], ["0x407008"]),
        (["sim:gf100", "part3.dom1.CTRL"], ["0x1a329c  part3.dom1.CTRL ", "HALTED"]),
        (["sim:gf100", "hub.dom6.CTRL", "0x1b0c9c"], ["0x1b0c9c  hub.dom6.CTRL "]),
        (["sim:gf100", "GPC1.DSET_CTRL"], ["0x1b8200  gpc1.DSET_CTRL"]),
        (["sim:gf100", "0x123450"], ["0x123450  -                           0xbad00100    error word: no such register"]),
        (["sim:skl", "OACONTROL"], ["FORCEWAKE_ACK_GT is 0: the power domain may sleep"]),
        (["sim:snb", "FORCEWAKE"], ["0x00a18c  FORCEWAKE                   0x00000000\n"]),
        (["sim:tgl", "vcs2.VCS2_RING_TAIL"], ["FORCEWAKE_ACK_VDBOX[2] is 0"]),
        (["sim:hsw/gt3", "SPECIAL"], None),
    ]
    for operands, parts in rows:
        if parts is None:
            equal(tally("mmio", "read", *operands).returncode, 2)
            continue
        text = mmio("read", *operands)
        for part in parts:
            contains(text, part, operands)
        equal([line for line in text.splitlines() if line.endswith(" ")], [], operands)
    equal(lines("read", "sim:g92", "CTRL[1].MODE"), ["0x00a7c4  CTRL[1]                     0x00000000"])
    equal(len(mmio("read", "sim:g92", "CTRL[1].MODE").splitlines()), 2, "only the field")
    equal([row.split()[1] for row in lines("read", "sim:g92", "0xa7d8..0xa7e4")],
          ["CTRL[6]", "CTRL[7]", "QUAD_ACK_TRIGGER[0]", "QUAD_ACK_TRIGGER[1]"])
    equal([row.split()[1] for row in lines("read", "sim:g84", "CTRL")], [f"CTRL[{i}]" for i in range(8)])


def test_writing():
    text = mmio("write", "sim:g92", "CTRL[1]=0x300010", "CTRL[1].MODE=record", "EVENT_SRC[1].SIGNAL2=0xbd",
                "0xa7e4=1", "0x123450=7")
    equal([line.split() for line in text.splitlines()[1:]],
          [["0x00a7c4", "CTRL[1]", "0x00000000", "0x00300010", "0x00300010"],
           ["0x00a7c4", "CTRL[1]", "0x00300010", "0x00300012", "0x00300012"],
           ["0x00a484", "EVENT_SRC[1]", "0x00000000", "0x00bd0000", "0x00bd0000"],
           ["0x00a7e4", "QUAD_ACK_TRIGGER[1]", "0x00000001"],
           ["0x123450", "-", "0x00000000", "0x00000007", "0x00000000"]])
    rows = json_lines(mmio("write", "sim:gf100", "-f", "jsonl", "pmc.ENABLE.PCOUNTER=0", "gpc0.dom0.CTRL=1"))
    equal([(row["written"], row["after"]) for row in rows], [(0x10000, 0x10000), (1, 0xbad0da00)])
    # Write enables: only the bits of the field.
    rows = json_lines(mmio("write", "sim:skl", "-f", "jsonl", "FORCEWAKE_RENDER.KERNEL=1", "FORCEWAKE_RENDER.USER=1",
                           "FORCEWAKE_RENDER.KERNEL=0", "RING_START=0x5000"))
    equal([(row["before"], row["written"], row["after"]) for row in rows],
          [(0, 0x10001, 1), (1, 0x20002, 3), (3, 0x10000, 2), (0, 0x5000, 0x5000)])
    # Without --wake the domain sleeps, and the write is lost.
    equal([row["after"] for row in json_lines(mmio("write", "sim:skl", "-f", "jsonl", "RING_START=0x5000"))], [0])
    equal([row["after"] for row in json_lines(mmio("write", "sim:skl", "--wake", "-f", "jsonl", "RING_START=0x5000"))], [0x5000])


def test_dumps():
    """Each readable register is in the dump, once, by the name that reads it."""
    for option, device in [("--platform", name) for name in INTEL] + [("--chipset", name) for name in NVIDIA]:
        listed = json_lines(succeed("list", "registers", option, device, "-f", "jsonl"))
        dumped = json_lines(mmio("dump", "sim:" + device, "-f", "jsonl"))
        addresses = [row["address"] for row in dumped]
        equal(len(set(addresses)), len(addresses), device)
        names = {re.sub(r"^.*dom\d+\.|^(gpc|part)\d+\.|^hub\.", "", row["register"]) for row in dumped}
        for row in listed:
            if "r" in row["access"] and row["dimensions"] == []:
                assert row["name"] in names, (device, row["name"])
        some = dumped[::max(1, len(dumped) // 40)]
        again = json_lines(mmio("dump", "sim:" + device, "-f", "jsonl", *[row["register"] for row in some]))
        equal([(row["register"], row["address"]) for row in again],
              [(row["register"], row["address"]) for row in some], device)
    equal(len(json_lines(mmio("dump", "sim:gf100", "-f", "jsonl", "pcounter-set"))), 4 + 6 + 1)
    equal([line.split()[1] for line in lines("dump", "sim:g92", "pmc")],
          ["BOOT_0", "INTR_HOST", "INTR_ENABLE_HOST", "ENABLE"])
    contains(mmio("dump", "sim:g92", "pmc"), "STEPPING=0xa1 DEVICE_G92=0x11 ID=0x92")
    header, first = mmio("dump", "sim:g92", "-f", "csv", "BOOT_0").splitlines()
    equal(header, "address,register,value,fields,note")
    contains(first, '0,BOOT_0,153649313,"[{""name"":""STEPPING"",""value"":161}')


def test_watching(directory):
    signals = os.path.join(directory, "signals.pct")
    with open(signals, "w", encoding="utf-8") as file:
        file.write("sig 1 0x10 const 0\nrun 3000000\nsig 1 0x10 const 1\nrun 4000000\nsig 1 0x10 const 0\n")
    options = ["--signals", signals, "-t", "10ms", "--interval", "1ms", "-f", "jsonl"]
    rows = json_lines(mmio("watch", "sim:g92", *options, "SIG_STATUS[1][0]", "CTRL[1]=0x20", "CTRL[1]"))
    equal([(row["time_ns"], row["register"], row["before"], row["value"]) for row in rows],
          [(0, "SIG_STATUS[1][0]", None, 0), (0, "CTRL[1]", None, 0x20),
           (4000000, "SIG_STATUS[1][0]", 0, 0x10000), (8000000, "SIG_STATUS[1][0]", 0x10000, 0)])
    rows = json_lines(mmio("watch", "sim:skl", "--wake", "-t", "2ms", "--interval", "500us", "-f", "jsonl",
                           "TIMESTAMP", "FORCEWAKE_ACK_RENDER"))
    equal([(row["time_ns"], row["before"], row["value"]) for row in rows if row["register"] == "TIMESTAMP"][1:],
          [(at * 500000, rows[0]["value"] + (at - 1) * 6000, rows[0]["value"] + at * 6000) for at in range(1, 5)])
    equal([row["value"] for row in rows if row["register"] == "FORCEWAKE_ACK_RENDER"], [2])
    # Changed fields, with the names of their values: the process of single event mode starts.
    rows = json_lines(mmio("watch", "sim:g92", "--workload", "triangle", "-t", "3ms", "--interval", "1ms", "-f",
                           "jsonl", "CTRL[1]", "SIG_STATUS"))
    equal({row["field"] for row in rows}, {None})
    text = mmio("watch", "sim:g92", "-t", "2ms", "--interval", "1ms", "TIME_LOW")
    equal(text.splitlines()[2].split(), ["1", "ms", "0x009400", "TIME_LOW", "COUNTER", "0x0", "0x7a12"])
    # The same with the workload: a clock that runs free gives the same rows.
    again = ["watch", "sim:g84", "-t", "30ms", "--interval", "1ms", "SIG_STATUS"]
    equal(mmio(*again), mmio(*again))
    assert len(mmio(*again).splitlines()) > 80, "the workload changes signals"
    done = tally("mmio", "watch", "sim:g92", "--trace", "mmio", "-t", "1ms", "--interval", "1ms", "CTRL[1]=1", "CTRL[1]")
    equal([line.split()[2:5] for line in done.stderr.splitlines()],
          [["wr", "0x00a7c4", "CTRL[1]"]] + 2 * [["rd", "0x00a7c4", "CTRL[1]"]])


def test_histograms(directory):
    """Phases of 3, 10 and 40 clocks, in turn, on chipsets of all kinds of single event mode."""
    pattern = "0" * 5 + "1" * 3 + "0" * 12 + "1" * 10 + "0" * 10 + "1" * 40 + "0" * 20
    signals = os.path.join(directory, "phases.pct")
    with open(signals, "w", encoding="utf-8") as file:
        file.write(f"sig 0 0x11 pattern {pattern}\n")
    for chipset in ["nv10", "nv20", "nv34", "nv40", "g92", "gf100"]:
        prefix = "GPC0[0]:" if chipset == "gf100" else "0:"
        rows = json_lines(mmio("histogram", f"sim:{chipset}", "--signals", signals, "-t", "10ms", "-f", "jsonl",
                               f"{prefix}rise(0x11)", "fall(0x11)", "1", "3", "0x4", "11", "41"))
        bins = [row for row in rows if row["type"] == "threshold"]
        equal([(row["threshold"], row["periods"]) for row in bins], [(3, 1000), (4, 1000), (11, 1000), (41, 1000)])
        reached = [row["reached"] for row in bins]
        assert reached[0] == 1000 and reached[1] in (666, 667) and reached[2] in (333, 334) and reached[3] == 0, bins
        assert all(row["last_events"] == row["last_clocks"] in (3, 10, 40) for row in bins), bins
    table = mmio("histogram", "sim:g92", "--signals", signals, "-t", "1us", "0:0x11", "0", "1", "1").splitlines()
    contains(table[0], "threshold")
    contains(table[1], "not ended in time")
    table = mmio("histogram", "sim:g92", "-t", "100ms", "fall(PGRAPH.IDLE)", "rise(PGRAPH.IDLE)", "1", "1").splitlines()
    contains(table[1], "1000      1000  100.0 %")


def test_errors():
    for arguments, part in [
            (["reed", "sim:g92", "0"], 'unknown operation "reed", expected read'),
            (["read", "sim:g92"], "read expects a register"),
            (["read", "g92", "0"], 'device "g92", expected sim:g92'),
            (["read", "sim:g9", "0"], 'unknown device "sim:g9", expected sim:g92'),
            (["read", "sim:g92", "CTLR[1]"], 'unknown register "CTLR[1]" of G92, expected CTRL'),
            (["read", "sim:g92", "CTRL[8]"], "no register CTRL[8] of G92, expected CTRL[0..7]"),
            (["read", "sim:lkf", "CS_GPR[16][0]"], "expected CS_GPR[0..15][0..1]"),
            (["write", "sim:g92", "CTRL=1"], "CTRL of G92 is an array, expected CTRL[dom]"),
            (["read", "sim:g92", "CTRL[1].MODDE"], 'unknown field "MODDE" of CTRL, expected MODE'),
            (["write", "sim:g92", "CTRL[1].MODE=QUADD"], 'value "QUADD" of MODE, expected QUAD'),
            (["write", "sim:g92", "CTRL[1].MODE=4"], "expected a number of at most 0x3"),
            (["write", "sim:g92", "CTRL[1]=0x100000000"], "expected a number of at most 0xffffffff"),
            (["write", "sim:g92", "CTRL[1]=x"], "expected a number of at most 0xffffffff"),
            (["write", "sim:g92", "CTRL[1]="], "expected a number"),
            (["write", "sim:g92", "CTRL[1]"], "expected REGISTER=VALUE"),
            (["write", "sim:g92", "0xa400..0xa41c=1"], "expected a name or a number"),
            (["write", "sim:g92", "BOOT_0=1"], "BOOT_0 of G92 is read-only"),
            (["write", "sim:g92", "CTRL[1].QUAD_STATE=1"], "QUAD_STATE of CTRL is read-only"),
            (["read", "sim:g92", "CTRL[1]=1"], "expected a register without a value"),
            (["read", "sim:g92", "0xa401"], "expected a multiple of 4 such as 0x00a400"),
            (["read", "sim:g92", "0x1000000"], "outside of the registers of G92, expected at most 0xfffffc"),
            (["read", "sim:skl", "0x200000"], "outside of the registers of Skylake, expected at most 0x1ffffc"),
            (["read", "sim:g92", "a400"], "such as 0xa400"),
            (["read", "sim:g92", "12x"], "expected a name or a number"),
            (["read", "sim:g92", "0xa41c..0xa400"], "expected an ascending one"),
            (["read", "sim:g92", "0xa400..b"], "expected two addresses"),
            (["read", "sim:gf100", "part9.dom0.CTRL"], "unknown register"),
            (["read", "sim:gf100", "part0.dom7.CTRL"], "unknown register"),
            (["dump", "sim:g92", "pmcc"], 'unknown register "pmcc"'),
            (["watch", "sim:g92", "-t", "soon", "0"], '--time "soon", expected a time'),
            (["watch", "sim:g92", "--interval", "0", "0"], '--interval "0", expected a time'),
            (["watch", "sim:g92", "--clock", "guest", "0"], '--clock "guest", expected wall or free'),
            (["read", "sim:skl", "--signals", "x.pct", "0"], "--signals is for modelled GPUs of NVIDIA"),
            (["histogram", "sim:skl", "-t", "1ms", "1", "1", "1", "1"], "sim:skl has no PCOUNTER"),
            (["histogram", "sim:g92", "1:1", "1", "1"], "expects START STOP EVENT THRESHOLD..."),
            (["histogram", "sim:g92"], "mmio: histogram expects START STOP EVENT THRESHOLD..."),
            (["histogram", "sim:g92", "1:1", "1", "1", "ten"], 'threshold "ten", expected a number'),
            (["read", "sim:g92", "-f", "xml", "0"], "--format"),
    ]:
        done = tally("mmio", *arguments)
        equal((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (arguments, done.stderr))
        contains(done.stderr, part, arguments)
    equal(tally("mmio", "read", "sim:nv11", "0").returncode, 4)
    equal(tally("mmio", "read", "sim:g92", "--workload", "nope", "0").returncode, 2)


if __name__ == "__main__":
    main()
