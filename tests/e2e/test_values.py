# SPDX-License-Identifier: MIT
"""What a value is where a quotient has no value, or a delta is short: never 0, and not an extreme."""
import csv
import os
import struct

from e2e import SAMPLES, contains, equal, json_lines, main, succeed

ICL = f"{SAMPLES}/icl.i915-perf"
SAMPLE = 264  # bytes of a record


def sample_offsets(data):
    at = 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == 1:
            yield at
        at += size


def with_copy(directory, number, ticks=0):
    """A recording in which report `number` is written again, `ticks` later and with equal counters. Returns the
    path."""
    path = os.path.join(directory, "copy.i915-perf")
    with open(ICL, "rb") as file:
        data = file.read()
    at = list(sample_offsets(data))[number]
    copy = bytearray(data[at:at + SAMPLE])
    struct.pack_into("<I", copy, 12, struct.unpack_from("<I", copy, 12)[0] + ticks)
    with open(path, "wb") as file:
        file.write(data[:at + SAMPLE] + copy + data[at + SAMPLE:])
    return path


def groups_of(path, *arguments):
    return [line for line in json_lines(succeed("report", "-f", "jsonl", *arguments, path))
            if line["type"] == "group"]


def test_a_delta_of_no_length_has_no_frequency(directory):
    path = with_copy(directory, 50)
    delta = json_lines(succeed("export", "-f", "jsonl", path))[1 + 50]
    equal((delta["state"], delta["gpu_end"]), ("ok", delta["gpu_start"]))
    for counter in ["AvgGpuCoreFrequency", "GpuBusy", "EuActive"]:
        equal(delta["counters"][counter], None, counter)
    for counter in ["GpuTime", "GpuCoreClocks", "PsThreads"]:
        equal(delta["counters"][counter], 0, counter)
    row = list(csv.DictReader(succeed("export", "-f", "csv", path).splitlines()))[50]
    equal((row["AvgGpuCoreFrequency"], row["GpuBusy"], row["PsThreads"]), ("", "", "0"))
    table = succeed("report", "-r", "-c", "AvgGpuCoreFrequency", "-c", "GpuTime", path).splitlines()
    equal(next(line for line in table if line.split()[:1] == ["50"]).split()[-1], "-")
    tree = succeed("explain", "RenderBasic.AvgGpuCoreFrequency", f"{path}@50")
    contains(tree, "UDIV is not defined  (a division by 0)")


def test_a_delta_of_no_length_changes_no_statistic(directory):
    path = with_copy(directory, 50)
    for by in ["none", "reason"]:
        for before, after in zip(groups_of(ICL, "--by", by), groups_of(path, "--by", by)):
            equal(before["counters"], after["counters"], after["group"])


def test_short_deltas_are_no_extremes(directory):
    """A copy one tick later: the clocks stand still in one delta, which is the least of all."""
    path = with_copy(directory, 50, ticks=1)
    assert 0 in [line["counters"]["AvgGpuCoreFrequency"]
                 for line in json_lines(succeed("export", "-f", "jsonl", path)) if line["type"] == "delta"]
    for before, after in zip(groups_of(ICL, "--by", "none"), groups_of(path, "--by", "none")):
        for counter in ["AvgGpuCoreFrequency", "GpuBusy", "GpuTime"]:
            for key in ["minimum", "maximum"]:
                low, high = sorted([before["counters"][counter][key], after["counters"][counter][key]])
                assert low > 0 or counter == "GpuBusy", counter
                assert high - low <= 1e-3 * high, f"{counter} {key}: {low}, {high}"
        # Its weight in the mean is one tick.
        mean = [group["counters"]["AvgGpuCoreFrequency"]["mean"] for group in (before, after)]
        assert mean[1] <= mean[0] and mean[0] - mean[1] < 1e-3 * mean[0], mean


def test_groups_of_short_deltas_have_no_extremes(directory):
    """The mean is that of all, and the table has - in place of numbers."""
    path = os.path.join(directory, "out.i915-perf")
    script = os.path.join(directory, "switch.yaml")
    with open(script, "w", encoding="ascii") as file:
        file.write("faults:\n  - {at: 20 ms, do: switch, context: 0x55, for: 100 us}\n")
    succeed("record", "-q", "-d", "sim:skl", "-p", "1ms", "-t", "50ms", "--fault", script, "-o", path)
    group = next(group for group in groups_of(path) if group["group"] == "0x55")
    busy = group["counters"]["GpuBusy"]
    equal((busy["minimum"], busy["maximum"]), (None, None))
    assert 0 <= busy["mean"] <= 100 and 0 <= busy["overall"] <= 100, busy
    text = succeed("report", "-c", "GpuBusy", path)
    line = next(line for line in text[text.index("context 0x55"):].splitlines() if "GpuBusy" in line)
    equal(line.split().count("-"), 2, line)


if __name__ == "__main__":
    main()
