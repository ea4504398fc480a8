# SPDX-License-Identifier: MIT
"""tally record of NVIDIA's GPUs: PCOUNTER's counts from registers to metrics."""
import os

from e2e import contains, equal, json_lines, main, succeed, tally

# The frame of data/workloads/triangle.yaml: 0.3 ms at 97 %, 4 ms at 99.5 %, idle to 16.667 ms.
FRAME_MS = 0.3 + 4 + 12.366667
BUSY = (0.3 * 0.97 + 4 * 0.995) / FRAME_MS * 100
VERTICES_A_FRAME = 0.3 * 6000 + 4 * 150
SECOND = 1000 / FRAME_MS  # frames


def metrics(path, *arguments):
    """Returns the totals of tally report by symbol."""
    lines = json_lines(succeed("report", "-f", "jsonl", path, *arguments))
    return [line for line in lines if line["type"] == "group"][-1]["counters"]


def overall(path, symbol, *arguments):
    return metrics(path, *arguments)[symbol]["overall"]


def near(got, expected, relative, what):
    assert abs(got - expected) <= abs(expected) * relative, f"{what}: {got}, expected {expected}"


def record(path, *arguments, **options):
    return succeed("record", "-q", "-o", path, *arguments, **options)


def models():
    return [word.split()[0] for word in succeed("record", "-d", "list").splitlines()
            if word.startswith("sim:")]


def chipsets():
    """The models of NVIDIA's chipsets."""
    known = {line.split()[0].lower() for line in succeed("list", "chipsets").splitlines() if line}
    return [name[4:] for name in models() if name[4:] in known]


# ---- what is counted -----------------------------------------------------------------------------

def test_busy_shares_equal_the_workloads(directory):
    rows = [
        ("nv40", ["-e", "busy=1:0x00"], "busy"),
        ("nv40", [], "GpuBusy"),
        ("mcp61", [], "GpuBusy"),
        ("g80", [], "GpuBusy"),
        ("g84", [], "GpuBusy"),
        ("g92", [], "GpuBusy"),
        ("g200", [], "GpuBusy"),
        ("gt215", [], "GpuBusy"),
        ("gf100", [], "GpuBusy"),
        ("gf119", [], "GpuBusy"),
    ]
    path = os.path.join(directory, "f")
    for chipset, what, symbol in rows:
        record(path, "-d", "sim:" + chipset, "-t", "200ms", "-p", "2ms", "--workload", "triangle",
               *what)
        near(overall(path, symbol), BUSY, 0.001, chipset)


def test_counts_equal_the_workloads(directory):
    """A second of G92: 60 frames, of which every signal counts its part."""
    path = os.path.join(directory, "f")
    record(path, "-d", "sim:g92", "-t", "1s", "-p", "10ms", "--workload", "triangle")
    found = metrics(path)
    near(found["GpuBusy"]["overall"], BUSY, 0.0005, "GpuBusy")
    near(found["VerticesOut"]["overall"], VERTICES_A_FRAME * SECOND, 0.002, "VerticesOut")
    near(found["PrimitivesIn"]["overall"], VERTICES_A_FRAME / 3 * SECOND, 0.002, "PrimitivesIn")
    near(found["CoreClocks"]["overall"], 600e6, 0.0001, "CoreClocks")
    near(found["ShaderClocks"]["overall"], 1500e6, 0.0001, "ShaderClocks")
    equal(found["HostReads"]["overall"], 0, "a signal that is always 0")


def test_logic_and_numbers(directory):
    path = os.path.join(directory, "f")
    record(path, "-d", "sim:g92", "-t", "100ms", "-e", "busy=!PGRAPH.IDLE", "-e", "PGRAPH.IDLE", "-e",
           "never=PGRAPH.IDLE && !PGRAPH.IDLE", "-e", "started=fall(PGRAPH.IDLE)")
    found = metrics(path)
    near(found["busy"]["overall"] + found["PGRAPH.IDLE"]["overall"], 100, 1e-9, "complement")
    equal(found["busy.count"]["overall"] + found["PGRAPH.IDLE.count"]["overall"],
          found["clocks.1"]["overall"])
    equal(found["never.count"]["overall"], 0)
    assert 0 < found["started.count"]["overall"] < found["busy.count"]["overall"], found


def test_every_chipset_counts(directory):
    """All models record: the metrics of their first set, or a signal by its index."""
    path = os.path.join(directory, "f")
    names = chipsets()
    assert len(names) > 40, names
    for chipset in names:
        counters = tally("list", "counters", "--chipset", chipset)
        known = counters.returncode == 0
        what = [] if known else ["-e", "0:0x05"]
        record(path, "-d", "sim:" + chipset, "-t", "3ms", *what)
        found = metrics(path)
        assert found, chipset
        info = json_lines(succeed("info", "-f", "jsonl", path))[0]
        equal(info["chipset"], chipset)
        assert all(domain["hz"] for domain in info["domains"]), info["domains"]
        if known and not chipset.startswith("nv"):
            count = len(counters.stdout.splitlines())
            assert count >= 10, f"{chipset} has {count} metrics"
        done = tally("record", "-d", "sim:" + chipset, "-t", "1ms", "-o", path)
        equal(done.returncode, 0 if known else 2, chipset + ": " + done.stderr)
        if not known:
            contains(done.stderr, "expected expressions over signals", chipset)


def test_passes_are_reported(directory):
    """What does not fit the counters is counted in turn: shares stay right, and the time of each is shown."""
    path = os.path.join(directory, "f")
    names = [f"e{i}=1:0x{i:02x}" for i in range(8)]
    what = [word for name in names for word in ("-e", name)]
    done = tally("record", "-d", "sim:nv40", "-t", "1s", "-p", "1ms", "-o", path, *what)
    contains(done.stderr, "8 expressions in 2 passes")
    near(overall(path, "e0"), BUSY, 0.02, "a share of one of two passes")
    contains(succeed("report", path), "Counted in 2 passes, in turn")
    info = json_lines(succeed("info", "-f", "jsonl", path))[0]
    equal(info["passes"], 2)
    equal([signal["pass"] for signal in info["signals"]].count(0), 4)
    for signal in info["signals"]:
        near(signal["counted"], 0.5, 0.01, "counted part of the time")
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", path))
              if line["type"] == "delta"]
    equal(len(deltas), 1000)
    for delta in deltas:
        near(delta["counters"]["clocks.1.pass1"] + delta["counters"]["clocks.1.pass2"], 325302, 0.02,
             "clocks of a delta")


def test_same_options_give_the_same_bytes(directory):
    paths = [os.path.join(directory, name) for name in ("a", "b")]
    for path in paths:
        record(path, "-d", "sim:gf100", "-t", "20ms")
    with open(paths[0], "rb") as a, open(paths[1], "rb") as b:
        equal(a.read(), b.read())


def test_long_periods_do_not_saturate(directory):
    """A counter of 1.5 GHz is full after 2.9 s; a report every 3.2 s has all clocks."""
    path = os.path.join(directory, "f")
    record(path, "-d", "sim:g92", "-t", "3.2s", "-p", "3.2s", "-e", "clocks=3:1")
    found = [line for line in json_lines(succeed("export", "-f", "jsonl", path))
             if line["type"] == "delta"]
    equal(len(found), 1)
    for delta in found:
        equal(delta["state"], "ok")
        near(delta["counters"]["clocks.count"], 4.8e9, 0.001, "clocks of 3.2 s")


# ---- rings, pipes, commands ----------------------------------------------------------------------

def test_ring_pipe_and_command(directory):
    path = os.path.join(directory, "f")
    record(path, "-d", "sim:g92", "-t", "300ms", "--ring", "64K")
    totals = json_lines(succeed("report", "-f", "jsonl", path))[-1]
    assert 100 <= totals["reports"] <= 120, totals
    pipe = tally("record", "-q", "-d", "sim:g92", "-t", "50ms", "-o", "-", text=False)
    equal(pipe.returncode, 0)
    done = tally("report", "-", stdin=pipe.stdout, text=False)
    contains(done.stdout.decode(), "GpuBusy")
    done = tally("record", "-d", "sim:g92", "-o", path, "--", "sh", "-c", "sleep 0.3; exit 7")
    equal(done.returncode, 7, done.stderr)
    assert json_lines(succeed("report", "-f", "jsonl", path))[-1]["reports"] > 2


def test_a_trace_has_the_accesses(directory):
    path, trace = os.path.join(directory, "f"), os.path.join(directory, "trace")
    record(path, "-d", "sim:g92", "-t", "2ms", "-e", "PGRAPH.IDLE", "--trace", "mmio=" + trace)
    with open(trace, encoding="utf-8") as file:
        text = file.read()
    contains(text, "PRE_SRC[1]")
    contains(text, "QUAD_ACK")


# ---- faults --------------------------------------------------------------------------------------

TWO = ["-d", "sim:g92", "-e", "busy=!PGRAPH.IDLE", "-e", "clocks=3:1", "-p", "1ms"]


def script(directory, *faults):
    path = os.path.join(directory, "faults.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("faults:\n" + "".join(f"  - {{{fault}}}\n" for fault in faults))
    return path


def faulty(directory, duration, *faults):
    """Records with faults; returns the losses as (reason, records, report before, clock), the deltas
    and what record printed."""
    path = os.path.join(directory, "f")
    done = tally("record", *TWO, "-t", duration, "-o", path, "--fault", script(directory, *faults))
    equal(done.returncode, 0, done.stderr)
    lines = json_lines(succeed("export", "-f", "jsonl", path))
    losses = [(line["reason"], line["records"], line["after_report"], line["clock"])
              for line in lines if line["type"] == "loss"]
    return losses, [line for line in lines if line["type"] == "delta"], done.stderr


def test_swaps_by_something_else(directory):
    """One loses nothing, two in a period lose it in each domain, three no more than that."""
    losses, deltas, text = faulty(directory, "30ms", "at: 5.3 ms, do: swap",
                                  "at: 10.3 ms, every: 10 us, times: 2, do: swap",
                                  "at: 20.3 ms, every: 10 us, times: 3, do: swap")
    equal(losses, [("period-lost", 1, report, clock) for report in (10, 20) for clock in (1, 2)])
    contains(text, "4 x counts of a domain lost")
    equal([i for i, delta in enumerate(deltas) if delta["state"] != "ok"], [10, 20])
    for i in (5, 11, 21):
        near(deltas[i]["counters"]["clocks.count"], 1.5e6, 0.002, f"delta {i}")


def test_a_domain_that_hangs(directory):
    losses, deltas, text = faulty(directory, "30ms", "at: 10.3 ms, do: wedge, domain: 1")
    good = [delta for delta in deltas if delta["state"] == "ok"]
    equal(len(good), 10)
    equal([loss[:2] + loss[3:] for loss in losses], [("domain-wedged", 1, 1)] * (len(deltas) - 10))
    equal([loss[2] for loss in losses], list(range(10, len(deltas))))
    contains(text, f"{len(losses)} x counts of a domain lost")
    done = tally("record", *TWO, "-t", "30ms", "-o", os.path.join(directory, "f"), "--fail-on-loss",
                 "--fault", "wedged")
    equal(done.returncode, 5, done.stderr)


def test_a_stalled_recorder(directory):
    """Counts of the time are in the next report, unless a counter is full: 4.5e9 clocks are more than
    32 bits, 1.8e9 are not."""
    losses, deltas, _ = faulty(directory, "30ms", "at: 10.3 ms, for: 9 ms, do: stall")
    equal(losses, [])
    near(deltas[10]["counters"]["clocks.count"], 1.5e6 * 9.3, 0.01, "a long delta")
    near(sum(delta["counters"]["clocks.count"] for delta in deltas), 45e6, 0.001, "all clocks")
    losses, deltas, _ = faulty(directory, "3.1s", "at: 10.3 ms, for: 3 s, do: stall")
    equal(losses, [("counter-overflow", 1, 10, 2)])
    equal([delta["state"] for delta in deltas if delta["state"] != "ok"], ["lost"])


def test_faults_of_other_gpus(directory):
    path = os.path.join(directory, "f")
    for device, fault, message in [
            ("g92", "at: 1 ms, do: overflow", "overflow is a fault of Intel's GPUs, and G92 is not one"),
            ("skl", "at: 1 ms, do: swap", "swap is a fault of NVIDIA's GPUs"),
            ("gf100", "at: 1 ms, do: swap", "GF100 has no trigger that swaps the counters"),
            ("nv10", "at: 1 ms, do: swap", "NV10 has no trigger that swaps the counters"),
            ("nv40", "at: 1 ms, do: wedge, domain: 7", "NV40 has no domain 7"),
            ("g92", "at: 1 ms, do: wedge, domain: X", "expected a domain such as 1"),
            ("g92", "at: 1 ms, do: wedge", "domain is missing"),
            ("g92", "at: 1 ms, do: stall", "for is missing")]:
        done = tally("record", "-d", "sim:" + device, "-t", "1ms", "-o", path, "--fault",
                     script(directory, fault))
        equal(done.returncode, 3, (device, fault, done.stderr))
        contains(done.stderr, message)
    disk = script(directory, "bytes: 20 kB, do: disk-full")
    done = tally("record", *TWO, "-t", "100ms", "-o", path, "--fault", disk)
    contains(done.stderr, "No space left on device")
    lines = json_lines(tally("export", "-f", "jsonl", path).stdout)
    equal([line["reason"] for line in lines if line["type"] == "loss"], ["unwritten"])


# ---- mistakes ------------------------------------------------------------------------------------

def test_mistakes(directory):
    path = os.path.join(directory, "f")
    g92 = ["-d", "sim:g92"]
    rows = [
        (["-d", "sim:g93"], 2, 'unknown device "sim:g93", expected sim:g92'),
        ([*g92, "-m", "Overviw"], 2, "unknown metric set Overviw for g92"),
        ([*g92, "-e", "PGRAPH.IDEL"], 2, "expected PGRAPH.IDLE"),
        ([*g92, "-e", "PGRAPH.IDLE &&"], 3, "at 15"),
        ([*g92, "-e", "busy=PGRAPH.IDLE", "-e", "busy=PGRAPH.INTR"], 3, 'with the name "busy"'),
        ([*g92, "-e", ""], 3, "expected 1 to 255 characters"),
        ([*g92, "-e", "A", "-m", "Shader"], 2, "--set with --expression"),
        ([*g92, "--context", "1"], 2, "reports of G92 have no context id"),
        ([*g92, "--driver", "mmio"], 2, "for emulated GPUs of Intel"),
        ([*g92, "--fuses", "slice=1"], 2, "for emulated GPUs of Intel"),
        ([*g92, "--workload", "nosuch"], 2, "nosuch"),
        (["-d", "sim:skl", "-e", "A"], 2, "are for NVIDIA GPUs, and sim:skl is not one"),
        (["-d", "sim:skl", "--split-ratios"], 2, "are for NVIDIA GPUs, and sim:skl is not one"),
        (["-d", "sim:nv25"], 2, "NV25 has no metric sets"),
    ]
    for arguments, code, message in rows:
        done = tally("record", "-t", "1ms", "-o", path, *arguments)
        contains(done.stderr, message, " ".join(arguments))
        assert done.returncode not in (0, -6, -11), (arguments, done.returncode)
        equal(done.returncode, code, " ".join(arguments))
        assert not os.path.exists(path), arguments


def test_sets_that_do_not_match_the_recording(directory):
    path = os.path.join(directory, "f")
    record(path, "-d", "sim:g92", "-t", "3ms")
    done = tally("report", "-m", "Shader", path)
    equal(done.returncode, 3)
    contains(done.stderr, 'the set "Signals" has what was recorded')
    contains(succeed("report", "-m", "Signals", path), "GPU_IDLE.count")
    record(path, "-d", "sim:g92", "-t", "3ms", "-e", "PGRAPH.IDLE")
    contains(succeed("report", "-c", "PGRAPH.IDLE", path), "PGRAPH.IDLE")


def test_a_shell_completes_the_chipsets():
    contains(succeed("__complete", "--", "record", "-d", "sim:g9").split(), "sim:g92")


if __name__ == "__main__":
    main()
