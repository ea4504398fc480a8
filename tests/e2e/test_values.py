# SPDX-License-Identifier: MIT
"""What a value is where a quotient has no value, or a delta is short: never 0, and not an extreme."""
import csv
import os
import shutil
import struct

from e2e import SAMPLES, contains, equal, json_lines, main, succeed, tally

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


# ---- what a report shows -------------------------------------------------------------------------

def counters_of(*arguments):
    return list(groups_of(ICL, *arguments)[-1]["counters"])


def test_counters_are_chosen_in_any_case_and_by_lists():
    equal(counters_of("-c", "gpubusy"), ["GpuBusy"])
    equal(counters_of("-c", "euACTIVE,GpuBusy"), ["GpuBusy", "EuActive"])
    equal(counters_of("-c", "eu*,gpu*"), counters_of("-c", "Eu*", "-c", "Gpu*"))
    rows = [("EuActiv", 'no counter of RenderBasic matches "EuActiv", expected EuActive (see tally list counters'),
            ("GpuBusy,EuActiv", 'matches "EuActiv", expected EuActive'), ("Zz*", 'matches "Zz*"')]
    for command in ["report", "export"]:
        for pattern, message in rows:
            done = tally(command, "-c", pattern, ICL)
            equal((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            contains(done.stderr, message)


def test_counters_that_stayed_0_are_folded():
    """Not those that -c names, and not in formats for programs."""
    text, whole = succeed("report", "--by", "none", ICL), succeed("report", "--by", "none", "--all", ICL)
    shown = {line.split()[0] for line in text.splitlines() if line.startswith("  ")}
    known = {line.split()[0] for line in whole.splitlines() if line.startswith("  ") and line.strip()}
    statistics = groups_of(ICL, "--by", "none")[-1]["counters"]
    zero = [name for name, of in statistics.items() if of and not any(of.values()) and None not in of.values()]
    assert zero and not set(zero) & shown and set(zero) <= known
    contains(text, f"  {len(zero)} counters stayed 0")
    assert "stayed 0" not in whole
    contains(succeed("report", "--by", "none", "-c", zero[0], ICL), "  " + zero[0])
    contains(succeed("report", "-f", "csv", ICL), zero[0])


def test_each_section_is_printed_once():
    for path in [ICL, f"{SAMPLES}/hsw.i915-perf", f"{SAMPLES}/chv.i915-perf"]:
        lines = succeed("report", "--by", "none", "--all", path).splitlines()
        sections = [line for line in lines if line.startswith(" ") and line[1] != " "]
        assert len(sections) > 3
        equal(len(set(sections)), len(sections), sections)


def test_rows_have_at_most_80_columns(directory):
    path = os.path.join(directory, "faulty.i915-perf")
    for gpu in ["hsw", "skl", "tgl"]:
        succeed("record", "-q", "-d", "sim:" + gpu, "-t", "1s", "--fault", "all", "-o", path)
        for line in succeed("report", "--all", path).splitlines()[1:]:
            assert len(line) <= 80, f"{len(line)}: {line}"


def test_units_in_csv():
    header = succeed("export", "--units", "-c", "GpuBusy,GpuTime", ICL).splitlines()[0]
    assert header.endswith(",modelled,GpuTime [ns],GpuBusy [percent]"), header
    assert succeed("export", "-c", "GpuBusy", ICL).splitlines()[0].endswith(",modelled,GpuBusy")


def test_by_context_without_contexts():
    hsw = f"{SAMPLES}/hsw.i915-perf"
    done = tally("report", "--by", "context", hsw)
    contains(done.stderr, "--by context: reports of Haswell have no contexts")
    equal(tally("report", hsw).stderr, "")
    equal(tally("report", "--by", "context", ICL).stderr, "")


def test_phases_and_frames(directory):
    """Each phase has its own values; the frames and the deltas between phases are the rest."""
    path = os.path.join(directory, "bottleneck.i915-perf")
    for gpu in ["hsw", "skl"]:
        succeed("record", "-q", "-d", "sim:" + gpu, "--workload", "bottleneck", "-p", "80us", "-t", "30ms", "-o", path)
        info = json_lines(succeed("info", "-f", "jsonl", path))[0]
        equal((info["workload"], info["phases_ns"]), ("bottleneck", [1000000] * 3))
        contains(succeed("info", path), "bottleneck, 3 phases, repeated every 3.000 ms")
        groups = groups_of(path, "--by", "phase")
        equal([group["group"] for group in groups], ["1", "2", "3", "change", "total"])
        for group, active in zip(groups, [77, 18, 8]):
            for key in ["minimum", "mean", "maximum", "p50", "p99"]:
                assert abs(group["counters"]["EuActive"][key] - active) < 0.1, (gpu, group["group"], key)
        equal(sum(group["deltas"] for group in groups[:-1]), groups[-1]["deltas"])
        frames = groups_of(path, "--by", "frame")[:-1]
        equal([frame["group"] for frame in frames], [str(1 + i) for i in range(len(frames))])
        assert 10 <= len(frames) <= 13
        for frame in frames[1:-1]:
            assert abs(frame["duration_ns"] - 3e6) < 2e5, frame
    done = tally("report", "--by", "phase", ICL)
    equal(done.returncode, 2)
    contains(done.stderr, "carries no phases; expected a recording of a modelled GPU")
    content = bytearray(open(path, "rb").read())
    at = content.index(struct.pack("<I", 0x54000006))
    content[at + 16] = 4  # a phase more than the record has
    with open(path, "wb") as file:
        file.write(content)
    done = tally("report", path)
    equal(done.returncode, 3)
    contains(done.stderr, f"PHASES record at offset 0x{at:x} is malformed")


def test_ranges():
    """The deltas that start in the range, in summaries and exports."""
    rows = [line for line in json_lines(succeed("export", "-f", "jsonl", ICL)) if line["type"] == "delta"]
    ns = 1e9 / 12000000
    first = rows[0]["gpu_start"]
    for arguments, low, high in [(["--from", "5ms"], 5e6, 1e12), (["--to", "10ms"], 0, 10e6),
                                 (["--from", "4ms", "--to", "20ms"], 4e6, 20e6), (["--from", "100s"], 1e11, 1e12),
                                 (["--from", "0", "--to", "1us"], 0, 1e3), (["--to", "1ns"], 0, 1),
                                 (["--from", "1ns"], 1, 1e12)]:
        expected = [row for row in rows if low <= (row["gpu_start"] - first) * ns < high]
        equal([row for row in json_lines(succeed("export", "-f", "jsonl", *arguments, ICL))
               if row["type"] == "delta"], expected)
        total = groups_of(ICL, "--by", "none", *arguments)[-1]
        equal(total["deltas"], len([row for row in expected if row["state"] == "ok"]))
        equal(total["lost"], len([row for row in expected if row["state"] != "ok"]))
        live = groups_of(ICL, "--by", "interval=1ms", *arguments)
        equal(sum(group["deltas"] for group in live[:-1]), total["deltas"])
    for arguments in [["--from", "5"], ["--to", "ms"], ["--from", "5ms", "--to", "5ms"], ["--to", "0"]]:
        equal(tally("report", *arguments, ICL).returncode, 2, arguments)


def test_sorting():
    columns = {"overall": "overall", "min": "minimum", "mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99",
               "max": "maximum"}
    units = {symbol: counter["units"]
             for symbol, counter in json_lines(succeed("report", "-f", "jsonl", ICL))[0]["counters"].items()}
    for column, key in columns.items():
        group = groups_of(ICL, "--by", "none", "--sort", column)[-1]
        found = [(units[symbol], -(of[key] if of[key] is not None else float("-inf")), symbol)
                 for symbol, of in group["counters"].items()]
        equal(found, sorted(found))
    names = [(units[symbol], symbol) for symbol in groups_of(ICL, "--by", "none", "--sort", "name")[-1]["counters"]]
    equal(names, sorted(names))
    top = groups_of(ICL, "--by", "none", "--top", "2")[-1]["counters"]
    equal(list(top), [symbol for unit in sorted(set(units.values()))
                      for symbol in [s for s in groups_of(ICL, "--by", "none", "--sort", "overall")[-1]["counters"]
                                     if units[s] == unit][:2]])
    contains(succeed("report", "--top", "2", ICL), f"  {len(names) - len(top)} counters are not among the top")
    for arguments in [["--sort", "meen"], ["--top", "0"], ["--top", "x"], ["--top", "3", "--per-report"]]:
        equal(tally("report", *arguments, ICL).returncode, 2, arguments)


def test_titles_have_at_most_80_columns(directory):
    deep = os.path.join(directory, "a-directory-with-a-long-name", "and-one-more-within-that-directory")
    os.makedirs(deep)
    for name in ["a", "another-recording-with-a-name-that-does-not-fit-a-line-by-itself-at-all-really"]:
        path = os.path.join(deep, name)
        shutil.copy(f"{SAMPLES}/hsw.i915-perf", path)
        for line in succeed("report", path).splitlines():
            assert len(line) <= 80, f"{len(line)}: {line}"
        contains(succeed("report", path), path[-30:] + "\n")


def test_means_above_the_maximum(directory):
    """Brief deltas count for the mean alone, so it may be above the maximum, which may be 0."""
    path = os.path.join(directory, "contexts.i915-perf")
    succeed("record", "-q", "-d", "sim:bdw", "--workload", "contexts", "-t", "200ms", "-o", path)
    total = next(line for line in groups_of(path, "--by", "none") if line["by"] == "total")["counters"]["CsThreads"]
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", "-c", "CsThreads,GpuTime", path))
              if line["type"] == "delta" and line["state"] == "ok"]
    values = [line["counters"] for line in deltas]
    mean = sum(v["CsThreads"] * v["GpuTime"] for v in values) / sum(v["GpuTime"] for v in values)
    equal(total["maximum"], 0)
    assert abs(total["mean"] / mean - 1) < 1e-6, (total, mean)
    rows = csv.DictReader(succeed("report", "-f", "csv", "--by", "none", path).splitlines())
    means = [float(row["mean"]) for row in rows if (row["by"], row["counter"]) == ("total", "CsThreads")]
    equal(means, [total["mean"]])


if __name__ == "__main__":
    main()
