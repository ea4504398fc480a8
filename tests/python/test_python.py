# SPDX-License-Identifier: MIT
"""The Python package says what the commands say, and drives the models."""
import math
import os
import re
import shutil
import subprocess
import sys

import numpy as np

import tally
from e2e import BUILD, SOURCE, TALLY, Skip, contains, equal, json_lines, main, succeed
from tally._declarations import ffi

os.environ.setdefault("XDG_DATA_HOME", "/nonexistent")
os.environ.setdefault("TALLY_METRICS_PATH", os.path.join(SOURCE, "data", "metrics"))
os.environ.setdefault("TALLY_WORKLOADS_PATH", os.path.join(SOURCE, "data", "workloads"))
os.environ.setdefault("TALLY_FAULTS_PATH", os.path.join(SOURCE, "data", "faults"))


def record(path, device, *options):
    succeed("record", "-d", "sim:" + device, "--clock", "free", "-t", "30ms", "-q", "-p", "100us", *options, "-o", path)
    return path


def same(value, expected):
    """Whether a double is that of JSON, where null is no value."""
    return math.isnan(value) if expected is None else value == expected


# ---- recordings ----------------------------------------------------------------------------------


def test_samples_are_those_of_export(directory):
    rows = [("skl", []), ("skl", ["--fault", "all"]), ("hsw", ["--fault", "lossy"]), ("tgl", []), ("g92", [])]
    for device, options in rows:
        path = record(os.path.join(directory, device + ".rec"), device, *options)
        expected = [row for row in json_lines(succeed("export", "-f", "jsonl", path)) if row["type"] == "delta"]
        with tally.Recording(path) as recording:
            samples = recording.samples()
            equal(samples.count, len(expected), device)
            assert samples.count > 100, device
            states = ["ok", "lost", "ambiguous"]
            for i, row in enumerate(expected):
                equal(states[samples["state"][i]], row["state"], f"{device} {i}")
                for counter in recording.counters:
                    value = row["counters"].get(counter.symbol) if row.get("counters") else None
                    assert same(samples[counter.symbol][i], value), (device, i, counter.symbol, samples[counter.symbol][i], value)
                    exact = samples.exact(counter.symbol)[i]
                    assert (exact is np.ma.masked) == (value is None), (device, i, counter.symbol)
            equal(int((~samples.ok).sum()), recording.totals["lost_deltas"], device)
            equal(bool(options), bool(recording.losses), device)


def test_blocks_add_up(directory):
    path = record(os.path.join(directory, "a"), "skl", "--fault", "all")
    with tally.Recording(path) as recording:
        whole = recording.samples()
        for size in (1, 7, 100, 100000):
            blocks = list(recording.blocks(size))
            assert all(block.count <= size for block in blocks)
            for name in whole:
                joined = np.concatenate([block[name] for block in blocks])
                assert np.array_equal(joined, whole[name], equal_nan=True), (size, name)


def test_columns(directory):
    path = record(os.path.join(directory, "a"), "skl", "--fault", "all")
    for interval_ns in (0, 2_000_000):
        with tally.Recording(path, counters=["GpuBusy"], interval_ns=interval_ns) as recording:
            every = recording.samples(tally.ALL_COLUMNS)
            equal(list(every)[-1], "GpuBusy")
            equal(set(every) - {"GpuBusy"}, set(tally.ALL_COLUMNS))
            default = recording.samples()
            equal(set(default) - {"GpuBusy"}, set(tally.DEFAULT_COLUMNS))
            for name in default:
                assert np.array_equal(every[name], default[name], equal_nan=True), name
            equal(set(recording.samples([])), {"index", "state", "GpuBusy"})
            assert np.all(every["gpu_end"] >= every["gpu_start"])
            assert np.all(every["cpu_end_ns"][every["gpu_end"] > every["gpu_start"]] > 0)
            for index, sample in enumerate(every["state"]):
                equal(every["lost"][index] > 0, sample != 0, f"{index}")
            try:
                recording.samples(["stat"])
            except ValueError as error:
                contains(str(error), "'stat', expected one of index,")
            else:
                raise AssertionError("an unknown column")


def test_reports_are_those_of_report(directory):
    path = record(os.path.join(directory, "a"), "skl", "--workload", "bottleneck")
    for by, option in [(None, "none"), ("context", "context"), ("reason", "reason"), ("phase", "phase"), ("frame", "frame"),
                       ("interval", "interval=5ms")]:
        expected = [row for row in json_lines(succeed("report", "-f", "jsonl", "--all", "--by", option, path)) if row["type"] == "group"]
        with tally.Recording(path, percentiles=True) as recording:
            groups = recording.report(by, 5_000_000 if by == "interval" else 0)
        equal(len(groups), len(expected), by)
        for group, row in zip(groups, expected):
            equal(group.deltas, row["deltas"], by)
            equal(group.by is None, row["by"] == "total", by)
            for symbol, statistic in group.counters.items():
                values = row["counters"].get(symbol)
                if values is None:
                    continue
                for name, key in [("overall", "overall"), ("minimum", "minimum"), ("mean", "mean"), ("maximum", "maximum"), ("p95", "p95")]:
                    assert same(getattr(statistic, name), values[key]), (by, symbol, name, statistic, values)


def test_reports_by_mark_have_names(directory):
    """Marks at times of the GPU's clock, which begins at 1 s; the recording has 20 ms."""
    lines, path = os.path.join(directory, "lines"), os.path.join(directory, "a")
    with open(lines, "w", encoding="utf-8") as file:
        file.write("@1005000000 mark load\n@1010000000 mark render\n")
    with open(lines, encoding="utf-8") as file:
        os.dup2(file.fileno(), 9)
        done = subprocess.run([TALLY, "record", "-d", "sim:skl", "--clock", "free", "-t", "20ms", "-p", "80us", "-o", path,
                               "--mark-fd", "9"], pass_fds=[9], capture_output=True, text=True, check=False)
        os.close(9)
    equal(done.returncode, 0, done.stderr)
    expected = {row["group"]: row["deltas"] for row in json_lines(succeed("report", "-f", "jsonl", "--by", "mark", path))
                if row["type"] == "group" and row["by"] == "mark"}
    with tally.Recording(path) as recording:
        groups = recording.report("mark")
    names = {"": "(none)", None: "(between)"}
    equal({names.get(group.name, group.name): group.deltas for group in groups if group.by}, expected)
    assert expected["load"] > 10 and expected["render"] > 10, expected


def test_marks(directory):
    lines, path = os.path.join(directory, "lines"), os.path.join(directory, "a")
    with open(lines, "w", encoding="utf-8") as file:
        file.write("@1005000000 mark load\n@1006000000 frame\n@1010000000 begin render\n@1015000000 end render\n")
    with open(lines, encoding="utf-8") as file:
        subprocess.run([TALLY, "record", "-q", "-d", "sim:skl", "--clock", "free", "-t", "20ms", "-p", "80us", "-o", path,
                        "--mark-fd", "0"], stdin=file, check=True)
    with tally.Recording(path) as recording:
        marks, hz = recording.marks, recording.timestamp_hz
    equal([(mark.kind, mark.name) for mark in marks],
          [("mark", "load"), ("frame", None), ("begin", "render"), ("end", "render")])
    for mark, ms in zip(marks, (0, 1, 5, 10)):
        assert abs((mark.gpu_ticks - marks[0].gpu_ticks) / hz * 1e3 - ms) < 0.01, mark
    with tally.Recording(record(os.path.join(directory, "b"), "skl")) as recording:
        equal(recording.marks, [])


def test_compare_is_the_command(directory):
    """Every number of tally compare -f jsonl."""
    a = record(os.path.join(directory, "a"), "skl", "--workload", "triangle")
    b = record(os.path.join(directory, "b"), "skl", "--workload", "bottleneck", "--fault", "lossy")
    for by, option in [(None, []), ("context", ["--by", "context"]), ("interval", ["--by", "interval=10ms"])]:
        rows = json_lines(succeed("compare", "-f", "jsonl", "--all", *option, "--baseline", a, a, b))
        found = tally.compare([a], [a, b], by=by, interval_ns=10_000_000 if by == "interval" else 0)
        header = rows[0]
        equal((found.alpha, found.sample_ns, found.by_frames, found.tests),
              (header["alpha"], header["interval_ns"], header["frames"], header["tests"]), by)
        equal(list(found.differences.items()), [(row["name"], (row["a"], row["b"])) for row in rows if row["type"] == "difference"], by)
        assert found.differences, by
        files = [row for row in rows if row["type"] == "recording"]
        equal([[recording.path, recording.device, recording.modelled, recording.set, recording.duration_ns, recording.reports,
                recording.losses, recording.missing_reports, recording.lost_share]
               for side in found.recordings for recording in side],
              [[row[key] for key in ("file", "device", "modelled", "set", "duration_ns", "reports", "ledger", "missing_reports",
                                     "lost_share")] for row in files], by)
        equal(len(found.recordings[1]), 2)
        counters = [row for row in rows if row["type"] == "counter"]
        equal(len(found.changes), len(counters), by)
        for change, row in zip(found.changes, counters):
            where = (by, row["group"], row["counter"])
            equal((change.by or "total", change.group, change.counter, change.units), tuple(row[key] for key in ("by", "group", "counter", "units")))
            for name, sides in [("", change.means), ("median_", change.medians), ("spread_", change.spreads), ("samples_", change.samples)]:
                for key, value in zip("ab", sides):
                    assert same(value, row[name + key]), (where, name, value, row)
            assert same(change.change, row["change"]) or (math.isinf(change.change) and row["change"] is None), (where, row)
            assert same(change.delta, row["delta"]), (where, row)
            equal((f"{change.p:.3e}", f"{change.p_corrected:.3e}"), (f"{row['p']:.3e}", f"{row['p_corrected']:.3e}"), where)
            equal((change.tested, change.exact, change.significant, change.changed),
                  tuple(row[key] for key in ("tested", "exact", "significant", "changed")), where)
        equal(found["EuActive"].by, None)
        equal(len(found.changed), rows[-1]["changed"], by)
        contains(repr(found), "changed>")


def test_check_is_the_command(directory):
    path = record(os.path.join(directory, "a"), "skl", "--fault", "lossy")
    budget = os.path.join(directory, "budget.yaml")
    with open(budget, "w", encoding="utf-8") as file:
        file.write("budget: a title\nbaseline: a\nallow-lost: 50%\nchecks:\n  - name: steady\n    counter: EuActive\n"
                   "    within: 1%\n  - counter: GpuBusy\n    bound: '> 99.9%'\n    in: every phase\n")
    conditions = ["p95(EuActive) < 0.1%", "SamplesWritten > 1/s", "EuActive >= 0%"]
    for options, arguments in [([], {}), (["--budget", budget], {"budget": budget}), (["--allow-lost", "1"], {"allowed_lost": 1}),
                               (["--by", "context"], {"by": "context"}), (["--by", "interval=5ms"], {"by": "interval", "interval_ns": 5_000_000})]:
        done = subprocess.run([TALLY, "check", "-f", "jsonl", *options, path, *conditions], capture_output=True, text=True, check=False)
        equal(done.returncode, 1, done.stderr)
        rows = [row for row in json_lines(done.stdout) if row["type"] == "check"]
        results = tally.check(path, *conditions, **arguments)
        equal(len(results), len(rows), options)
        for result, row in zip(results, rows):
            equal((result.outcome, result.name, result.message, result.counter, result.statistic, result.by or "total", result.group, result.units),
                  tuple(row[key] for key in ("outcome", "check", "message", "counter", "statistic", "by", "group", "units")))
            for name in ("value", "low", "high", "baseline"):
                value = getattr(result, name)
                assert same(value, row[name]) or (math.isinf(value) and row[name] is None), (name, value, row)
            equal(result.passed, row["outcome"] == "passed")
    assert {"failed", "inconclusive"} <= {result.outcome for result in tally.check(path, *conditions)}


def test_intervals_are_samples(directory):
    path = record(os.path.join(directory, "a"), "tgl")
    with tally.Recording(path, interval_ns=3_000_000) as recording:
        samples = recording.samples()
        groups = recording.report("interval", 3_000_000)[:-1]
    equal(samples.count, len(groups))
    equal(list(samples["index"]), [group.key for group in groups])
    equal(list(samples["deltas"]), [group.deltas for group in groups])
    for counter in samples.counters:
        assert np.array_equal(samples[counter.symbol], [group[counter.symbol].overall for group in groups], equal_nan=True)


def test_sources(directory):
    path = record(os.path.join(directory, "a"), "hsw")
    with open(path, "rb") as file:
        content = file.read()
    with tally.Recording(content, counters=["gpubusy"]) as memory, tally.Recording(path, counters=["GpuBusy"]) as recording:
        assert np.array_equal(memory.samples()["GpuBusy"], recording.samples()["GpuBusy"])
        equal([counter.symbol for counter in memory.counters], ["GpuBusy"])
        equal((recording.device, recording.title, recording.modelled), ("hsw", "Haswell", True))
        contains(repr(recording), "Haswell, modelled, RenderBasic")
        contains(recording.provenance, "tally")
    program = ("import tally; r = tally.Recording('-', counters=['GpuBusy']); print(r.samples().count)\n"
               "try: r.samples()\nexcept tally.Error as e: print(e)")
    done = subprocess.run([sys.executable, "-c", program], input=content, capture_output=True, timeout=60)
    equal(done.stdout.decode().splitlines()[1:], ["standard input has been read, and cannot be read again"], done.stderr)


def test_errors(directory):
    path = record(os.path.join(directory, "a"), "hsw")
    cut = os.path.join(directory, "cut")
    with open(path, "rb") as file, open(cut, "wb") as out:
        out.write(file.read()[:-100])
    rows = [
        (lambda: tally.Recording("/nonexistent/file"), 2, "/nonexistent/file: cannot open"),
        (lambda: tally.Recording(path, counters=["GpuBussy"]), 2, "matches \"GpuBussy\", expected GpuBusy"),
        (lambda: tally.Recording(path, set="Nope"), 2, "Nope"),
        (lambda: tally.Recording(b"nonsense"), 74, "memory"),
        (lambda: tally.Recording(path, platform="hws"), 19, "hws: unknown platform"),
        (lambda: tally.Recording(cut).samples(), 74, "cut"),
        (lambda: tally.Oa("xyz"), 22, "platform \"xyz\" has no OA model"),
        (lambda: tally.Pcounter("g93"), 19, "g93: unknown chipset"),
        (lambda: tally.Oa("hsw").peek("a99"), 22, "a99"),
        (lambda: tally.Layout("hsw/x"), 2, "hsw/x: unknown report layout"),
        (lambda: tally.record("/nonexistent/x", "sim:hsw", duration_ns=1000), 2, "/nonexistent/x"),
        (lambda: tally.record(path, "sim:hws", duration_ns=1000), 19, "hws"),
        (lambda: next(tally.live("sim:hsw", counters=["Nope"])), 2, "Nope"),
        (lambda: tally.compare(path, []), 22, "no recordings"),
        (lambda: tally.compare(path, "/nonexistent/file"), 2, "/nonexistent/file: cannot open"),
        (lambda: tally.check(path), 22, "no condition"),
        (lambda: tally.check(path, "EuActiv > 1%"), 2, "EuActive"),
    ]
    for i, (call, code, part) in enumerate(rows):
        try:
            call()
        except tally.Error as error:
            equal(error.errno, code, f"row {i}: {error}")
            contains(str(error), part, f"row {i}")
        else:
            raise AssertionError(f"row {i}: no error")
    with tally.Recording(cut) as recording:  # everything readable is delivered before the error
        blocks = []
        try:
            for block in recording.blocks(50):
                blocks.append(block.count)
        except tally.Error as error:
            equal(error.errno, 74)
        equal(sum(blocks), tally.Recording(path).samples().count - 1)
    closed = tally.Recording(path)
    closed.close()
    for call in (closed.samples, lambda: closed.device, lambda: closed.losses):
        try:
            call()
        except ValueError as error:
            equal(str(error), "the recording is closed")
        else:
            raise AssertionError("a closed recording was read")


def test_an_error_in_python_code_is_raised(directory):
    """Errors in callbacks must not be lost in C."""
    path = record(os.path.join(directory, "a"), "hsw")
    with tally.Recording(path) as recording:
        recording._indices = ["not a number"] * len(recording.counters)
        try:
            recording.report()
        except TypeError:
            return
    raise AssertionError("no error")


# ---- other libraries -----------------------------------------------------------------------------


def test_pandas_and_arrow(directory):
    path = record(os.path.join(directory, "a"), "skl", "--fault", "all")
    with tally.Recording(path, counters=["GpuBusy", "GpuTime"]) as recording:
        samples = recording.samples()
    try:
        import pandas
    except ImportError:
        raise Skip("needs pandas")
    frame = samples.pandas()
    assert np.array_equal(frame["GpuBusy"].to_numpy(), samples["GpuBusy"], equal_nan=True)
    equal(frame.index[1], pandas.Timedelta(int(samples["start_ns"][1]), "ns"))
    assert np.shares_memory(samples["GpuBusy"], samples._values["GpuBusy"])
    try:
        import pyarrow
    except ImportError:
        return
    table = samples.arrow()
    assert isinstance(table, pyarrow.Table)
    assert np.array_equal(table["GpuBusy"].to_numpy(), samples["GpuBusy"], equal_nan=True)
    equal(table.schema.field("GpuBusy").metadata, {b"units": b"percent"})


# ---- recording -----------------------------------------------------------------------------------


def test_record_is_the_command(directory):
    path = record(os.path.join(directory, "a"), "skl", "--set", "RenderBasic")
    own = os.path.join(directory, "b")
    stats = tally.record(own, "sim:skl", duration_ns=30_000_000, period_ns=100_000, set="RenderBasic", clock="free")
    with tally.Recording(path) as one, tally.Recording(own) as two:
        a, b = one.samples(), two.samples()
        equal(stats["reports"], a.count + 1)
        for name in a:
            if not name.startswith("cpu"):
                assert np.array_equal(a[name], b[name], equal_nan=True), name
    live = list(tally.live("sim:skl", duration_ns=30_000_000, period_ns=100_000, set="RenderBasic", clock="free",
                           counters=["GpuBusy"]))
    equal([sample["GpuBusy"] for sample in live], list(a["GpuBusy"]))


def test_live_can_be_left():
    for sample in tally.live("sim:hsw", counters=["GpuBusy"], interval_ns=1_000_000, clock="free"):
        contains(repr(sample), "GpuBusy")
        break  # the device is closed, though its recording had no end


def test_lists():
    names = [device.name for device in tally.devices()]
    assert "sim:skl" in names and "sim:g92" in names, names
    listed = [row["name"] for row in json_lines(succeed("list", "platforms", "-f", "jsonl")) if "name" in row]
    ours = [platform.name for platform in tally.platforms()]
    assert set(ours) <= set(listed), (ours, listed)
    sets = tally.metric_sets("skl")
    assert any(found.symbol == "RenderBasic" for found in sets)
    equal(sets[0][sets[0].counters[0].symbol], sets[0].counters[0])
    equal(tally.find_chipset("G92").revision, "G92:GT215")
    equal(tally.find_chipset("g93"), None)
    assert any(signal.name == "HOST_MEM_WR" and signal.index == 4 for signal in tally.find_chipset("g92").signals())


# ---- models --------------------------------------------------------------------------------------


def test_oa():
    unit = tally.Oa("hsw")
    unit.drive_a(0, tally.rate(7, 10))
    unit.drive_a(1, tally.sequence([1, 2, 3]))
    unit.drive_noa(0, tally.pattern("110"))
    unit.write(0x2360, 0x15)
    unit.run(999_999)
    equal((unit.now, unit.peek("a1")), (999_999, 1_999_998))
    equal(unit.peek("a0"), tally.rate(7, 10).sum(0, 999_999))
    fields = tally.Layout("hsw/a45_b8_c8").unpack(unit.report())
    equal((fields["A0"], fields["A1"]), (unit.peek("a0"), unit.peek("a1")))
    unit.poke("a1", 5)
    equal(unit.peek("a1"), 5)
    unit.reset()
    equal(unit.peek("a1"), 0)
    equal(tally.pattern("110").count(0, 9), 6)
    equal([tally.every(4, 1)[clock] for clock in range(6)], [False, True, False, False, False, True])
    equal([tally.sequence([4, 5])[clock] for clock in range(3)], [4, 5, 4])


def test_gpu():
    gpu = tally.Gpu("lkf")
    equal(gpu.outcome(0x2b00), "asleep")
    equal((gpu.read(0x2b00), gpu.accesses["asleep"]), (0, 1))
    gpu.write(0xa188, 0x00010001)
    gpu.run(100_000)
    gpu.write(0x2b00, 0x15)
    equal(gpu.read(0x2b00), 0x15)
    busy = tally.Gpu("skl", "triangle", always_awake=True)
    busy.write(0x2b00, 0x15)  # OACONTROL
    busy.write(0x2360, 1)     # OACTXCONTROL: resume counting
    busy.run_ns(20_000_000)
    assert busy.peek("a0") > 0 and busy.now > 0 and busy.eus == 24


def test_pcounter():
    engine = tally.Pcounter("g92")
    equal(engine.domains, 8)
    wave = tally.random(1, 128)
    engine.attach(1, 0xc8, wave)
    engine.write(0xa484, 0xc8)
    engine.run(10_000)
    equal(engine.now, 10_000)
    equal(engine.read(0xa484), 0xc8)
    try:
        engine.peek(0, "cycle")
    except KeyError as error:
        contains(str(error), "cycles")
    else:
        raise AssertionError("no error")


# ---- the package ---------------------------------------------------------------------------------


def test_structs_are_those_of_the_compiler(directory):
    """The declarations have the sizes and offsets that a compiler gives the headers."""
    if not shutil.which("cc"):
        raise Skip("needs cc")
    structs = {}
    for name in ffi.list_types()[1]:
        kind = ffi.typeof("struct " + name)
        if name.startswith("tally") and kind.kind == "struct" and kind.fields:
            structs[name] = [field for field, _ in kind.fields]
    assert len(structs) > 50, structs
    headers = sorted(os.listdir(os.path.join(SOURCE, "include", "tally")))
    lines = [f"#include <tally/{name}>" for name in headers] + ["#include <stdio.h>", "int main(void) {"]
    expected = []
    for name, fields in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        expected.append(f"{name} {ffi.sizeof('struct ' + name)}")
        for field in fields:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof(struct {name}, {field}));')
            expected.append(f"{name}.{field} {ffi.offsetof('struct ' + name, field)}")
    source, program = os.path.join(directory, "a.c"), os.path.join(directory, "a")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["return 0; }"]))
    subprocess.run(["cc", "-I", os.path.join(SOURCE, "include"), source, "-o", program], check=True)
    got = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    equal(got, expected)


def test_it_is_documented():
    """All public names have a docstring or a comment, and are in docs/python.md if they are functions or classes."""
    with open(os.path.join(SOURCE, "docs", "python.md"), encoding="utf-8") as file:
        page = file.read()
    for name in tally.__all__:
        thing = getattr(tally, name)
        if not callable(thing):
            continue
        assert thing.__doc__, name
        contains(page, name, "docs/python.md")
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if callable(value) and not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"


def test_it_works_where_it_is_installed(directory):
    if not shutil.which("meson"):
        raise Skip("needs meson")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", directory], check=True, capture_output=True)
    found = {os.path.basename(root): os.path.dirname(root) for root, _, names in os.walk(directory) if "_declarations.py" in names}
    libraries = [os.path.join(root, name) for root, _, names in os.walk(directory) for name in names if name == "libtally.so.0"]
    program = "import tally; print(tally.__file__, tally.Oa('hsw').now)"
    done = subprocess.run([sys.executable, "-c", program], cwd=directory, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=found["tally"], TALLY_LIBRARY=libraries[0]))
    equal(done.stdout, os.path.join(found["tally"], "tally", "__init__.py") + " 0\n", done.stderr)


def test_examples(directory):
    with open(os.path.join(SOURCE, "docs", "python.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
    assert len(blocks) >= 4
    done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=directory, capture_output=True, text=True, timeout=300)
    equal(done.returncode, 0, done.stderr)


def test_the_plot(directory):
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise Skip("needs matplotlib")
    script = os.path.join(SOURCE, "docs", "examples", "plot.py")
    done = subprocess.run([sys.executable, script], cwd=directory, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, MPLCONFIGDIR=directory))
    equal(done.returncode, 0, done.stderr)
    contains(done.stdout, "busy.png: EuActive")
    with open(os.path.join(directory, "busy.png"), "rb") as file:
        equal(file.read(8), b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    main()
