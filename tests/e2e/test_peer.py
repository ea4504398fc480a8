# SPDX-License-Identifier: MIT
"""Values equal those of i915-perf-reader, digit by digit, and those of the expectation files."""
import json
import os
import re
import subprocess

from e2e import (METRICS, RECORDINGS, SAMPLES, as_peer, equal, json_lines, main, need, need_program,
                 peer_pairs, succeed)

DEVICES = ["hsw", "bdw", "skl", "icl", "tgl"]

# Counters of public sets in the order of the accumulators of IGT-1.5.
EXPECT_SOURCES = {
    "hsw": [("GPU_TIME", 0)] + [("A", n) for n in range(45)] + [("B", n) for n in range(8)]
    + [("C", n) for n in range(8)],
}
GEN8_SOURCES = ([("GPU_TIME", 0), ("GPU_CLOCK", 0)] + [("A", n) for n in range(36)]
                + [("B", n) for n in range(8)] + [("C", n) for n in range(8)])
CHIPSETS = {"hsw": "HSW", "bdw": "BDW", "skl": "SKLGT2", "icl": "ICL", "tgl": "TGLGT2"}


def deltas_of(path, *arguments):
    lines = json_lines(succeed("report", "-r", "-f", "jsonl", *arguments, path), exact=True)
    equal(lines[0]["type"], "header")
    equal(lines[-1]["type"], "end")
    return lines, [line for line in lines if line["type"] == "delta"]


def compare_with_peer(path, lossy, *arguments):
    need_program("i915-perf-reader")
    pairs = peer_pairs(path)
    lines, deltas = deltas_of(path, *arguments)
    equal(len(deltas), len(pairs), path)
    assert pairs, "the peer printed nothing"
    lost = 0
    for number, (delta, (reason, counters)) in enumerate(zip(deltas, pairs)):
        equal(delta["index"], str(number))
        equal(delta["reason"], reason, f"{path} report {number}")
        if delta["state"] == "lost":
            lost += 1
            assert all(value is None for value in delta["counters"].values())
            equal(set(delta["counters"]), set(counters))
        else:
            equal(delta["state"], "ok")
            equal(as_peer(delta["counters"], counters), counters, f"{path} report {number}")
    losses = [line for line in lines if line["type"] == "loss"]
    equal(lost, len(losses))
    equal(lost > 0, lossy)
    equal(int(lines[-1]["lost"]), sum(int(loss["records"]) for loss in losses))


def test_every_counter_of_every_report():
    need(RECORDINGS)
    for device in DEVICES:
        for suffix in ["", "-wrap"]:
            compare_with_peer(f"{RECORDINGS}/{device}{suffix}.i915-perf", False, "-M", METRICS)


def test_losses_are_null_and_other_values_unchanged():
    need(RECORDINGS)
    for device in DEVICES:
        whole = f"{RECORDINGS}/{device}.i915-perf"
        lossy = f"{RECORDINGS}/{device}-lost.i915-perf"
        compare_with_peer(lossy, True, "-M", METRICS)
        _, before = deltas_of(whole, "-M", METRICS)
        _, after = deltas_of(lossy, "-M", METRICS)
        equal(len(before), len(after))
        changed = [old["index"] for old, new in zip(before, after)
                   if old["counters"] != new["counters"]]
        equal(changed, [new["index"] for new in after if new["state"] == "lost"])


def test_public_sets_on_our_samples():
    need(METRICS)
    for device in ["hsw", "chv", "icl"]:
        path = f"{SAMPLES}/{device}.i915-perf"
        need_program("i915-perf-reader")
        pairs = peer_pairs(path)
        _, deltas = deltas_of(path, "-M", METRICS, "-m", "RenderBasic")
        equal(len(deltas), len(pairs), path)
        for delta, (_, counters) in zip(deltas, pairs):
            if delta["state"] == "ok":
                equal(as_peer(delta["counters"], counters), counters,
                      f"{path} report {delta['index']}")


# The public set subtracts the shader's kills from A39, ours does not (OA-D48).
OTHER_READING = {"hsw": {"PostPsDepthTestFails"}}


def test_own_sets_agree_with_public_ones():
    """Symbols that our RenderBasic shares with the public one have the same values."""
    need(METRICS)
    for device in ["hsw", "chv", "icl"]:
        path = f"{SAMPLES}/{device}.i915-perf"
        _, own = deltas_of(path)
        _, public = deltas_of(path, "-M", METRICS, "-m", "RenderBasic")
        shared = set(own[0]["counters"]) & set(public[0]["counters"])
        shared -= OTHER_READING.get(device, set())
        assert len(shared) > 20, shared
        for ours, theirs in zip(own, public):
            for symbol in shared:
                equal(ours["counters"][symbol], theirs["counters"][symbol],
                      f"{device} {symbol} report {ours['index']}")


def write_raw_set(directory, chipset, sources):
    counters = "".join(
        f'<counter name="S{i}" symbol_name="S{i}" units="number" data_type="uint64" '
        f'equation="{kind} {number} READ"/>' for i, (kind, number) in enumerate(sources))
    with open(os.path.join(directory, "raw.xml"), "w", encoding="utf-8") as file:
        file.write(f'<metrics><set name="Slots" symbol_name="Slots" chipset="{chipset}" '
                   f'hw_config_guid="00000000-0000-4000-8000-000000000000">{counters}</set>'
                   '</metrics>')


def test_expectation_files(directory):
    need(RECORDINGS)
    for device in DEVICES:
        with open(f"{RECORDINGS}/{device}.expect.json", encoding="utf-8") as file:
            expect = json.load(file)
        sources = EXPECT_SOURCES.get(device, GEN8_SOURCES)
        write_raw_set(directory, CHIPSETS[device], sources)
        arguments = ["-M", directory, "-m", "Slots"]
        path = f"{RECORDINGS}/{device}.i915-perf"
        _, deltas = deltas_of(path, *arguments)
        equal(len(deltas), len(expect["report_deltas"]))
        for delta, expected in zip(deltas, expect["report_deltas"]):
            got = [int(delta["counters"][f"S{i}"]) for i in range(len(sources))]
            equal(got, expected[:len(sources)], f"{device} report {delta['index']}")
        contexts = [None] * len(deltas)
        sums = {}
        for segment in expect["segments"]:
            for i in range(segment["record_start"], segment["record_end"]):
                contexts[i] = segment["hw_id"]
            total = sums.setdefault(segment["hw_id"], [0] * len(sources))
            for i in range(len(sources)):
                total[i] += segment["deltas"][i]
        named = {0xffffffff: "none" if device == "hsw" else "idle"}
        equal([delta["context"] for delta in deltas],
              [named.get(context, f"{context:#x}") for context in contexts], device)
        groups = json_lines(succeed("report", "-f", "jsonl", *arguments, path))
        for group in groups:
            if group["type"] == "group" and group["by"] == "context":
                hw_id = next(i for i in sums if named.get(i, f"{i:#x}") == group["group"])
                got = [group["counters"][f"S{i}"]["overall"] for i in range(len(sources))]
                # Segments sum pairwise deltas; i915-perf-reader truncates a 32-bit slot to its width.
                for index, (ours, theirs) in enumerate(zip(got, sums[hw_id])):
                    equal(ours % 2**32, theirs % 2**32, f"{device} {group['group']} S{index}")


def test_cpu_times_of_the_peer():
    """Returns each segment's CPU range, as i915-perf-reader prints it."""
    need(RECORDINGS)
    need_program("i915-perf-reader")
    for device in DEVICES:
        path = f"{RECORDINGS}/{device}.i915-perf"
        out = subprocess.run(["i915-perf-reader", path], capture_output=True, text=True).stdout
        ranges = re.findall(r"Time: CPU=0x(\w+)-0x(\w+) GPU=0x(\w+)-0x(\w+)", out)
        _, deltas = deltas_of(path, "-M", METRICS)
        at = 0
        for cpu_start, cpu_end, gpu_start, gpu_end in ranges:
            first = deltas[at]
            while int(deltas[at]["gpu_end"]) & 0xffffffff != int(gpu_end, 16):
                at += 1
            last = deltas[at]
            at += 1
            equal(int(first["gpu_start"]) & 0xffffffff, int(gpu_start, 16))
            equal((int(first["start_ns"]), int(last["end_ns"])),
                  (int(cpu_start, 16), int(cpu_end, 16)), device)


if __name__ == "__main__":
    main()
