# SPDX-License-Identifier: MIT
"""tally record --packets: PCOUNTER's record mode, from packets to metrics."""
import os

from e2e import contains, equal, json_lines, main, succeed, tally
from test_counts import BUSY, chipsets, metrics, near, record, script

G92 = ["-d", "sim:g92", "--packets", "-e", "idle=PGRAPH.IDLE"]


def lines(path, kind):
    return [line for line in json_lines(succeed("export", "-f", "jsonl", path)) if line["type"] == kind]


def test_shares_equal_the_workloads(directory):
    """Fifteen frames, in packets of 4,096 clocks; and the same as by sessions."""
    path = os.path.join(directory, "f")
    for chipset in ("g84", "g92", "g200", "gt215"):
        record(path, "-d", "sim:" + chipset, "--packets", "-e", "idle=PGRAPH.IDLE", "-p", "8us", "-t", "250ms")
        found = metrics(path)
        near(100 - found["idle"]["overall"], BUSY, 0.002, chipset)
        clocks = found["clocks.1"]["overall"]
        near(found["idle.count"]["overall"], clocks * found["idle"]["overall"] / 100, 1e-9, "count")
        equal(lines(path, "loss"), [])
        record(path, "-d", "sim:" + chipset, "-e", "idle=PGRAPH.IDLE", "-t", "250ms")
        near(found["idle"]["overall"], metrics(path)["idle"]["overall"], 0.002, chipset + " by sessions")
        near(clocks, metrics(path)["clocks.1"]["overall"], 0.002, chipset + " by sessions")


def test_formats(directory):
    path = os.path.join(directory, "f")
    for count, size in ((4, 16), (5, 32), (12, 32)):
        what = [word for i in range(count) for word in ("-e", f"s{i}=1:0x{0x40 + i:02x}")]
        done = tally("record", "-d", "sim:g92", "--packets", *what, "-t", "2ms", "-p", "10us", "-o", path)
        contains(done.stderr, f"{count} expressions, period 6.826 us (nearest to 10 us)")
        info = json_lines(succeed("info", "-f", "jsonl", path))[0]
        equal(info["packets"]["bytes"], size)
        equal([signal["symbol"] for signal in info["signals"]], [f"s{i}" for i in range(count)] + ["STOP"])
        deltas = lines(path, "delta")
        equal(len(deltas), info["packets"]["packets"])
        contains(done.stderr, f"{len(deltas)} packets")
        for delta in deltas[1:]:
            equal(delta["counters"]["clocks.1"], 4096)
            equal(delta["counters"]["STOP.count"], 1)
    text = succeed("info", path)
    contains(text, f"packets       {len(deltas)} of 32 bytes, in 1 run of the cycle counter")
    contains(text, "domains       1, 600.0")
    contains(text, "STOP = PCOUNTER.PERIODIC, domain 1")
    contains(succeed("export", path).splitlines()[0], "s11,s11.count,STOP,STOP.count,clocks.1")
    equal(len(succeed("decode", "-f", "csv", path).splitlines()), len(deltas) + 2)


def test_a_packet_at_each_event(directory):
    """A packet ends each idle phase: its clocks and what was counted since the phase before."""
    path = os.path.join(directory, "f")
    done = tally("record", *G92, "--stop", "fall(PGRAPH.IDLE)", "-t", "60ms", "-o", path)
    contains(done.stderr, "a packet at each fall(PGRAPH.IDLE)")
    deltas = [delta for delta in lines(path, "delta") if delta["state"] == "ok"]
    by_stop = [delta for delta in deltas if delta["end_reason"] == "trigger1"]
    full = [delta for delta in deltas if delta["end_reason"] == "trigger2"]
    assert by_stop and full, (len(by_stop), len(full))
    for delta in by_stop:
        equal(delta["counters"]["STOP.count"] >= 1, True)
    for delta in full:  # idle for long: the count was full
        equal((delta["counters"]["STOP.count"], delta["counters"]["idle.count"]), (0, 0xf000))
    info = json_lines(succeed("info", "-f", "jsonl", path))[0]["packets"]
    equal(info["overflows"] > 0, True)


def test_gaps(directory):
    """The memory begins anew when it is nearly full; a recorder that stalls finds it full. Both are losses."""
    path = os.path.join(directory, "f")
    small = [*G92, "-p", "1us", "--packet-memory", "16K", "-t", "20ms", "-o", path]
    done = tally("record", *small)
    equal(done.returncode, 0)
    losses, deltas = lines(path, "loss"), lines(path, "delta")
    assert len(losses) > 5
    equal({loss["reason"] for loss in losses}, {"restart"})
    contains(done.stderr, f"{len(losses)} gaps, {len(losses)} x memory began anew")
    equal(len([delta for delta in deltas if delta["state"] == "lost"]), len(losses))
    for delta in deltas:
        equal({value is None for value in delta["counters"].values()}, {delta["state"] != "ok"})
    # What is missing is short, and everything else is there.
    time = sum(delta["gpu_end"] - delta["gpu_start"] for delta in deltas if delta["state"] == "lost")
    assert time < 2000 * len(losses), time
    near(sum(delta["counters"]["clocks.1"] for delta in deltas if delta["state"] == "ok") / 0.6,
         deltas[-1]["gpu_end"] - deltas[0]["gpu_start"] - time, 0.0001, "clocks")
    equal(tally("record", *small, "--fail-on-loss").returncode, 5)
    equal(tally("report", "--fail-on-loss", path).returncode, 5)
    done = tally("record", *small, "--fault", script(directory, "at: 5 ms, for: 4 ms, do: stall"))
    contains(done.stderr, "x memory was full before it was read")
    full = [loss for loss in lines(path, "loss") if loss["reason"] == "packets-dropped"]
    assert full and full[0]["estimated_reports"] > 1000, full
    equal({loss["exact"] for loss in lines(path, "loss")}, {False})
    contains(succeed("report", path), f"about {full[0]['estimated_reports']} reports")


def test_a_domain_that_hangs(directory):
    """Just before the end, between two reads of the memory, and with packets only at events."""
    path = os.path.join(directory, "f")
    rows = [
        (["-p", "1us", "-t", "60ms"], "20 ms"),
        (["-p", "10us", "-t", "69ms"], "20 ms"),
        (["-p", "10us", "-t", "30ms"], "20 ms"),
        (["-p", "10us", "-t", "30ms"], "29990 us"),
        (["--stop", "rise(PGRAPH.IDLE)", "--packet-memory", "16M", "-t", "400ms"], "20 ms"),
        (["--stop", "rise(PGRAPH.IDLE)", "-t", "30ms"], "29900 us"),
        (["--stop", "0", "-t", "30ms"], "20 ms"),
    ]
    for options, at in rows:
        hang = script(directory, f"at: {at}, do: wedge, domain: 1")
        arguments = [*G92, "--fail-on-loss", *options, "-o", path]
        done = tally("record", *arguments, "--fault", hang)
        equal(done.returncode, 5, (options, at, done.stderr))
        contains(done.stderr, "counts of a domain lost")
        equal(lines(path, "loss")[-1]["reason"], "domain-wedged")
    for options in (["-p", "100us", "-t", "30ms"], ["--stop", "0", "-t", "100ms"]):
        done = tally("record", *G92, "--fail-on-loss", *options, "-o", path)
        equal((done.returncode, "nothing lost" in done.stderr), (0, True), (options, done.stderr))


def test_gaps_of_rare_packets_are_short(directory):
    """With --stop, the packet that ends a run is noticed soon."""
    path = os.path.join(directory, "f")
    record(path, *G92, "--stop", "0", "--packet-memory", "4K", "-t", "300ms")  # packets of full counts only
    losses = [loss for loss in lines(path, "loss") if loss["reason"] == "restart"]
    gaps = [loss["gpu_end"] - loss["gpu_start"] for loss in losses if loss["gpu_end"]]
    assert gaps and max(gaps) < 30000, gaps


def test_ring_pipe_and_the_same_bytes(directory):
    path, other = os.path.join(directory, "f"), os.path.join(directory, "g")
    options = [*G92, "-p", "1us", "-t", "30ms"]
    record(path, *options)
    record(other, *options)
    with open(path, "rb") as a, open(other, "rb") as b:
        equal(a.read(), b.read())
    pipe = tally("record", "-q", *options, "-o", "-", text=False)
    piped = tally("export", "-", stdin=pipe.stdout, text=False).stdout.decode()
    equal([row.split(",")[3:] for row in piped.splitlines()],  # CPU times need the last correlation
          [row.split(",")[3:] for row in succeed("export", path).splitlines()])
    everything = lines(path, "delta")
    record(other, *options, "--ring", "64K")
    ring = lines(other, "delta")
    assert 1000 < len(ring) < 5000, len(ring)
    for mine, theirs in zip(reversed(ring[1:]), reversed(everything)):
        equal(mine["counters"], theirs["counters"])
        equal(mine["gpu_end"], theirs["gpu_end"])


def test_a_full_disk(directory):
    path = os.path.join(directory, "f")
    done = tally("record", *G92, "-p", "1us", "-t", "50ms", "-o", path, "--fault",
                 script(directory, "bytes: 100 kB, do: disk-full"))
    contains(done.stderr, "No space left on device")
    found = json_lines(tally("export", "-f", "jsonl", path).stdout)
    equal([line["reason"] for line in found if line["type"] == "loss"], ["unwritten"])


def test_mistakes(directory):
    path = os.path.join(directory, "f")
    without = {name for name in chipsets() if tally(
        "record", "-d", "sim:" + name, "--packets", "-e", "1:0x01", "-t", "1us", "-o", path).returncode}
    assert {"nv10", "nv40", "g80", "gf100", "gf119"} <= without, without
    equal(without & {"g84", "g92", "g98", "g200", "gt215", "mcp79"}, set())
    rows = [
        (["-d", "sim:nv40", "-e", "1:0x00"], 2, "NV40 has no record mode, expected a chipset from G84 to GT21x"),
        (["-d", "sim:gf100", "-e", "1:0x00"], 2, "GF100 has no record mode"),
        (["-d", "sim:skl", "-q"], 2, "--packets is for NVIDIA GPUs, and sim:skl is not one"),
        (["-d", "sim:g92"], 2, "--packets expects signals to record, such as -e PGRAPH.IDLE"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE && 1:0x01"], 2, "expected one signal: packets count no logic"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE", "--stop", "0:0x01"], 2, "domain 0, expected 1"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE", "--stop", "1", "-p", "1us"], 2, "--stop with --period"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE", "-e", "0:0x01"], 2,
         "packets are of one domain: 0:0x01 is in domain 0, expected 1 as the others"),
        (["-d", "sim:g92", "-e", "0:0x01", "-e", "PGRAPH.IDLE"], 2,
         "packets are of one domain: PGRAPH.IDLE is in domain 1, expected 0 as the others"),
        (["-d", "sim:g92", "-e", "PCOUNTER.PERIODIC"], 2, "is in domains 0 and 1, expected 0: or 1:"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE &&"], 3, "at 15: the end, expected a signal"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE", "--packet-memory", "4097"], 2,
         '--packet-memory "4097", expected a size from 4K to 256M, a multiple of 32'),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE", "--packet-memory", "1K"], 2, "expected a size from 4K to 256M"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE", "--split-ratios"], 2, "packets have no ratios"),
        (["-d", "sim:g92", "-e", "PGRAPH.IDLE", "-m", "Overview"], 2, "--set with --expression"),
    ]
    for arguments, code, message in rows:
        done = tally("record", "--packets", *arguments, "-t", "1ms", "-o", path)
        equal((done.returncode, done.stderr.count("\n")), (code, 1), (arguments, done.stderr))
        contains(done.stderr, message)
    done = tally("record", "-d", "sim:g92", "--stop", "1", "-t", "1ms", "-o", path)
    equal((done.returncode, done.stderr), (2, "tally: record: --stop is an option of --packets\n"))


if __name__ == "__main__":
    main()
