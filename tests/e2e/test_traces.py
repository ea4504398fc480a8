# SPDX-License-Identifier: MIT
"""tally export -f perfetto and -f chrome: traces equal what export -f csv and the ledger say, and protoc reads
them with the public field numbers."""
import csv
import io
import json
import math
import os
import re
import shutil
import struct
import subprocess

from e2e import SAMPLES, SOURCE, TALLY, contains, equal, json_lines, main, need_program, succeed, tally

ICL = os.path.join(SAMPLES, "icl.i915-perf")
HSW = os.path.join(SAMPLES, "hsw.i915-perf")
MONOTONIC, GPU_CLOCK = 3, 64


# ---- a reader of the wire format, with the public numbers ------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return value, at


def fields(data):
    """Returns {number: [values]} of a message: numbers, doubles as bytes, and messages as bytes."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            assert tag & 7 == 2, f"wire type {tag & 7} at {at}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, f"{size} bytes at {at} of {len(data)}"
        found.setdefault(tag >> 3, []).append(value)
    return found


def first(message, number, default=None):
    return message.get(number, [default])[0]


def text(message, number):
    value = first(message, number)
    return None if value is None else value.decode()  # UTF-8 or an exception


class Gpu:
    def __init__(self):
        self.names, self.units, self.groups, self.specs, self.stages = {}, {}, {}, {}, {}
        self.samples, self.slices, self.logs, self.clocks = {}, [], [], []
        self.clock, self.gpu_id = None, None


class Trace:
    def __init__(self, data):
        self.gpus, self.info = {}, []
        for packet in fields(data)[1]:
            self.add(fields(packet))
        self.gpus = [self.gpus[key] for key in sorted(self.gpus)]

    def add(self, packet):
        for gpu in fields(first(packet, 128)).get(1, []) if 128 in packet else []:
            message = fields(gpu)
            extra = {text(fields(pair), 1): text(fields(pair), 2) for pair in message.get(6, [])}
            self.info.append([text(message, n) for n in (1, 2, 3, 4)] + [extra])
        if 10 not in packet:
            return
        sequence = first(packet, 10)
        assert sequence in self.gpus or first(packet, 13) == 1, "the first packet clears the state"
        gpu = self.gpus.setdefault(sequence, Gpu())
        if 59 in packet:
            gpu.clock = first(fields(first(packet, 59)), 58)
        for part, add in ((12, self.intern), (52, self.sample), (53, self.slice), (63, self.log), (6, self.snapshot)):
            if part in packet:
                add(gpu, first(packet, 8), fields(first(packet, part)))

    def intern(self, gpu, _, message):
        for stage in map(fields, message.get(24, [])):
            gpu.stages[first(stage, 1)] = text(stage, 2)
        for interned in map(fields, message.get(47, [])):
            gpu.gpu_id = first(interned, 3)
            descriptor = fields(first(interned, 2))
            for spec in map(fields, descriptor[1]):
                counter = first(spec, 1)
                gpu.names[counter] = text(spec, 2)
                gpu.specs[text(spec, 2)] = spec
                gpu.units[text(spec, 2)] = (spec.get(7), spec.get(8))
            for group in map(fields, descriptor.get(6, [])):
                gpu.groups[text(group, 2)] = {gpu.names[counter] for counter in group[4]}

    def sample(self, gpu, time, message):
        equal(first(message, 4), 1, "counter_descriptor_iid")
        for counter in map(fields, message[2]):
            value = first(counter, 2) if 2 in counter else struct.unpack("<d", first(counter, 3))[0]
            gpu.samples.setdefault(gpu.names[first(counter, 1)], []).append((time, value))

    def slice(self, gpu, time, message):
        gpu.slices.append((gpu.stages[first(message, 13)], gpu.stages[first(message, 14)], time, first(message, 2),
                           first(message, 11), first(message, 1)))

    def log(self, gpu, time, message):
        gpu.logs.append((first(message, 1), text(message, 2), text(message, 3), time))

    def snapshot(self, gpu, _, message):
        gpu.clocks.append({first(fields(clock), 1): first(fields(clock), 2) for clock in message[1]})
        equal(first(message, 2), MONOTONIC, "primary_trace_clock")


def perfetto(*arguments, **options):
    return Trace(succeed("export", "-f", "perfetto", *arguments, text=False, **options))


def rows_of(*arguments):
    return list(csv.DictReader(io.StringIO(succeed("export", "-f", "csv", *arguments))))


FIXED = ["index", "start_ns", "end_ns", "gpu_start", "gpu_end", "context", "reason", "state", "modelled"]


def number(cell):
    return math.nan if cell == "" else float(cell)


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def check_values(gpu, rows, cpu=True):
    """Each delta's value is the sample at its end; times without values have a sample that is not a number."""
    start, end = ("start_ns", "end_ns") if cpu else ("gpu_start", "gpu_end")
    symbols = [name for name in rows[0] if name not in FIXED]
    equal(set(gpu.samples), set(symbols), "counters")
    for symbol in symbols:
        samples = gpu.samples[symbol]
        equal(len(samples), len(rows) + 1, f"samples of {symbol}")
        assert math.isnan(samples[0][1]), "nothing is known before the first report"
        times = [int(rows[0][start]), *(int(row[end]) for row in rows)]
        if cpu:
            equal([time for time, _ in samples], times, f"times of {symbol}")
        for (_, value), row in zip(samples[1:], rows):
            assert same(float(value), number(row[symbol])), f"{symbol} of {row['index']}: {value}, {row[symbol]}"


def runs_of(rows):
    """Contexts, as slices of consecutive deltas with values."""
    runs, last = [], None
    for row in rows:
        runs_on = row["state"] == "ok" and row["context"] not in ("idle", "none")
        if runs_on and last == row["context"]:
            runs[-1][2] = int(row["end_ns"])
        elif runs_on:
            runs.append([row["context"], int(row["start_ns"]), int(row["end_ns"])])
        last = row["context"] if runs_on else None
    return [(name, start, end - start) for name, start, end in runs]


# ---- Perfetto -----------------------------------------------------------------------------------------

def check_trace(path, *arguments):
    trace = perfetto(path, *arguments)
    rows = rows_of(path, *arguments)
    lines = json_lines(succeed("export", "-f", "jsonl", path, *arguments))
    equal(len(trace.gpus), 1)
    gpu = trace.gpus[0]
    equal(gpu.clock, MONOTONIC, "clock of the timestamps")
    check_values(gpu, rows)
    equal([(name, time, length) for queue, name, time, length, _, _ in gpu.slices if queue == "Contexts"],
          runs_of(rows), "contexts")
    losses = [line for line in lines if line["type"] == "loss"]
    shown = [(name, length) for queue, name, _, length, _, _ in gpu.slices if queue == "Losses"]
    equal([name for name, _ in shown], [loss["reason"] for loss in losses], "losses")
    gaps = [int(row["end_ns"]) - int(row["start_ns"]) for row in rows if row["state"] != "ok"]
    equal([length for name, length in shown if length], gaps, "lengths of gaps")
    equal([(severity, message.split()[0]) for severity, _, message, _ in gpu.logs],
          [(4, loss["reason"]) for loss in losses], "log")
    ids = [slice[5] for slice in gpu.slices]
    equal(len(set(ids)), len(ids), "unique events")
    return trace, lines


def test_values_contexts_and_losses_are_those_of_the_recording():
    trace, lines = check_trace(ICL)
    gpu = trace.gpus[0]
    assert len([slice for slice in gpu.slices if slice[0] == "Losses"]) == 2
    equal(trace.info[0][:4], ["modelled Ice Lake GT2", "Intel", "ICL", "Ice Lake"])
    equal(trace.info[0][4]["modelled"], "true")
    equal(trace.info[0][4]["metric_set"], "RenderBasic")
    check_trace(HSW)
    check_trace(os.path.join(SAMPLES, "chv.i915-perf"))
    trace, _ = check_trace(ICL, "-c", "GpuBusy,EuActive")
    equal(set(trace.gpus[0].samples), {"GpuBusy", "EuActive"})


def test_counters_are_described():
    """Units, groups and directions, by the public numbers of the enumerations."""
    gpu = perfetto(ICL).gpus[0]
    header = json_lines(succeed("export", "-f", "jsonl", ICL))[0]["counters"]
    units = {"percent": 37, "ns": 19, "us": 20, "hz": 13, "bytes": 7, "pixels": 26}
    seen = set()
    for name, (numerators, denominators) in gpu.units.items():
        unit = header[name]["units"]
        equal((numerators, denominators), ([units.get(unit, 0)], None), name)
        seen.add(unit)
        description = gpu.specs[name][3][0].decode()
        assert description.startswith(header[name]["name"]), description
        equal(f"[{unit}]" in description, unit not in units, f"unit in {description}")
        equal(first(gpu.specs[name], 11), 1, "VALUE_DIRECTION_BACKWARDS_LOOKING")
        equal(first(gpu.specs[name], 9), int(unit == "percent"), "select_by_default")
    assert seen >= {"percent", "ns", "hz", "cycles"}, seen
    grouped = set().union(*gpu.groups.values())
    equal(grouped, set(gpu.names.values()), "each counter has a group")
    assert gpu.groups["EU Array"] >= {"EuActive", "EuStall"}, gpu.groups
    equal(gpu.specs["GpuBusy"][10], [1], "SYSTEM")
    equal(gpu.specs["EuActive"][10], [6], "COMPUTE")


def test_clock_snapshots_are_the_correlation_points():
    trace = perfetto(ICL)
    info = json_lines(succeed("info", "-f", "jsonl", ICL))[0]
    clocks = trace.gpus[0].clocks
    equal(len(clocks), info["correlation_points"])
    with open(ICL, "rb") as file:
        data = file.read()
    points, at = [], 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == 65539:
            points.append(struct.unpack_from("<QQ", data, at + 8))
        at += size
    equal([clock[MONOTONIC] for clock in clocks], [cpu for cpu, _ in points])
    for (_, ticks), clock in zip(points, clocks):
        lower = ticks * 10**9 // info["timestamp_hz"]
        period = 2**36 * 10**9 // info["timestamp_hz"]  # the register has 36 bits
        assert abs((clock[GPU_CLOCK] - lower + period // 2) % period - period // 2) <= 1, (clock, lower)


def test_events_are_instants(directory):
    """A report that a trigger, RC6 or another clock has caused is an event at its time."""
    reasons = {10: (1 << 1, "trigger1"), 50: (1 << 4, "go-transition"), 51: (1 << 5, "clock-ratio-change"),
               90: (1 << 0 | 1 << 2, "trigger2")}
    with open(ICL, "rb") as file:
        data = bytearray(file.read())
    at = index = 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == 1:
            report_id, = struct.unpack_from("<I", data, at + 8)
            if index in reasons:
                struct.pack_into("<I", data, at + 8, report_id & ~(0x3f << 19) | reasons[index][0] << 19)
            index += 1
        at += size
    path = os.path.join(directory, "events.i915-perf")
    with open(path, "wb") as file:
        file.write(data)
    rows = rows_of(path)
    expected = [(name, int(rows[index]["start_ns"])) for index, (_, name) in reasons.items()]
    events = [slice for slice in perfetto(path).gpus[0].slices if slice[0] == "Events"]
    equal([(name, time) for _, name, time, _, _, _ in events], expected)
    assert all(length is None for _, _, _, length, _, _ in events), "no duration"
    instants = [(event["name"], int(event["ts"].replace(".", "")))
                for event in json.loads(succeed("export", "-f", "chrome", path), parse_float=str) if event["ph"] == "i"]
    equal(instants, expected)


def test_a_pipe_gives_the_same_trace():
    """But for the times, which are computed from the correlation points that have arrived."""
    with open(ICL, "rb") as file:
        data = file.read()
    piped = Trace(succeed("export", "-f", "perfetto", "-", stdin=data, text=False)).gpus[0]
    whole = perfetto(ICL).gpus[0]
    equal(set(piped.samples), set(whole.samples))
    for name, samples in whole.samples.items():
        equal([str(value) for _, value in piped.samples[name]], [str(value) for _, value in samples], name)
    equal(piped.clocks, whole.clocks)
    equal([slice[:2] for slice in piped.slices], [slice[:2] for slice in whole.slices])


def test_threads_do_not_change_a_byte(directory):
    """Batches are formatted by several threads, and written in order."""
    path = os.path.join(directory, "long.i915-perf")
    succeed("record", "-d", "sim:icl", "-p", "20us", "-t", "2s", "--workload", "contexts", "-o", path)
    assert os.path.getsize(path) > 4 << 20, "enough for several threads"
    one = subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0))), TALLY, "export", "-f", "perfetto", path],
                         capture_output=True, check=True).stdout if shutil.which("taskset") else None
    for format_name in ("perfetto", "chrome"):
        outputs = {succeed("export", "-f", format_name, path, text=False) for _ in range(3)}
        equal(len(outputs), 1, format_name)
        assert format_name != "perfetto" or one is None or one in outputs
    check_trace(path)


def test_several_gpus_are_one_trace():
    trace = perfetto(ICL, HSW)
    equal(len(trace.gpus), 2)
    equal([info[0] for info in trace.info], ["modelled Ice Lake GT2 #0", "modelled Haswell GT2 #1"])
    for i, (gpu, path) in enumerate(zip(trace.gpus, (ICL, HSW))):
        equal(gpu.gpu_id or 0, i, "gpu_id of the descriptor")
        assert all((slice[4] or 0) == i for slice in gpu.slices), "gpu_id of slices"
        check_values(gpu, rows_of(path))
    ids = [slice[5] for gpu in trace.gpus for slice in gpu.slices]
    equal(len(set(ids)), len(ids), "unique events")
    done = tally("export", "-f", "csv", ICL, HSW)
    equal((done.returncode, done.stdout), (2, ""))
    contains(done.stderr, "-f csv takes one FILE")


def test_no_input_is_written_over(directory):
    second = shutil.copy(HSW, directory)
    done = tally("export", "-f", "perfetto", "-o", second, ICL, second)
    equal(done.returncode, 2)
    contains(done.stderr, "is the input")
    equal(os.path.getsize(second), os.path.getsize(HSW))


def test_pcounter_recordings(directory):
    path = os.path.join(directory, "g92.i915-perf")
    succeed("record", "-d", "sim:g92", "-t", "50ms", "-o", path)
    trace, _ = check_trace(path)
    equal(trace.info[0][1], "NVIDIA")
    packets = os.path.join(directory, "packets.i915-perf")
    succeed("record", "-d", "sim:g92", "--packets", "-e", "PGRAPH.IDLE", "-p", "10us", "-t", "20ms", "-o", packets)
    check_trace(packets)
    events = json.loads(succeed("export", "-f", "chrome", path))
    assert any(event["ph"] == "C" for event in events)


def test_a_recording_without_cpu_times(directory):
    """Raw reports have no correlation points: the times are the GPU's, and the log says so."""
    with open(ICL, "rb") as file:
        data = file.read()
    kept, at = b"", 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        kept += b"" if kind == 65539 else data[at:at + size]
        at += size
    path = os.path.join(directory, "none.i915-perf")
    with open(path, "wb") as file:
        file.write(kept)
    gpu = perfetto(path).gpus[0]
    equal((gpu.clock, gpu.clocks), (None, []))
    check_values(gpu, rows_of(path), cpu=False)
    contains(gpu.logs[-1][2], "no correlation of GPU and CPU time")
    done = tally("export", "-f", "perfetto", path, HSW, text=False)
    equal(done.returncode, 0)
    contains(done.stderr.decode(), "has no correlation")


def test_a_damaged_recording_ends_with_its_error(directory):
    path = os.path.join(directory, "cut.i915-perf")
    with open(ICL, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data[:50001])
    done = tally("export", "-f", "perfetto", path, text=False)
    equal(done.returncode, 3)
    gpu = Trace(done.stdout).gpus[0]
    assert len(gpu.samples["GpuTime"]) > 100
    equal(gpu.logs[-1][0], 5, "severity of the error")
    contains(done.stderr.decode(), gpu.logs[-1][2])
    done = tally("export", "-f", "chrome", path)
    equal(done.returncode, 3)
    json.loads(done.stdout)


def test_hostile_texts_are_valid(directory):
    """A path that is not UTF-8, quotes and control characters, in both formats."""
    path = os.path.join(directory.encode(), b"a\xff\"\x1b[31m\n\\.i915-perf")
    shutil.copy(ICL, path)
    run = {name: subprocess.run([TALLY, "export", "-f", name, path], capture_output=True, check=True).stdout
           for name in ("perfetto", "chrome")}
    info = Trace(run["perfetto"]).info[0][4]["file"]
    contains(info, "a\\xff\"\\x1b[31m\\x0a")
    labels = [event["args"]["labels"] for event in json.loads(run["chrome"].decode()) if event["name"] == "process_labels"]
    contains(labels[0], "a\ufffd\"\x1b[31m\n\\.i915-perf")


def test_protoc_reads_it_with_the_public_numbers():
    need_program("protoc")
    data = succeed("export", "-f", "perfetto", ICL, HSW, text=False)
    folder = os.path.join(SOURCE, "tests", "traces")
    done = subprocess.run(["protoc", "--decode=Trace", "-I", folder, "trace.proto"], input=data, capture_output=True,
                          check=True)
    decoded = done.stdout.decode()
    unknown = [line for line in decoded.splitlines() if re.match(r"\s*\d+(:| \{)", line)]
    equal(unknown, [], "fields that are not public")
    trace = Trace(data)
    equal(decoded.count("gpu_counter_event {"), sum(len(gpu.samples["GpuTime"]) for gpu in trace.gpus))
    equal(decoded.count("gpu_render_stage_event {"), sum(len(gpu.slices) for gpu in trace.gpus))
    equal(decoded.count("clock_snapshot {"), sum(len(gpu.clocks) for gpu in trace.gpus))
    equal(decoded.count("log_message: "), sum(len(gpu.logs) for gpu in trace.gpus))
    for part in ('name: "GpuBusy"', "numerator_units: PERCENT", "groups: SYSTEM", "severity: LOG_SEVERITY_WARNING",
                 "primary_trace_clock: BUILTIN_CLOCK_MONOTONIC", "value_direction: VALUE_DIRECTION_BACKWARDS_LOOKING",
                 "double_value: nan", 'model: "ICL"', "gpu_id: 1", 'log_message: "report-lost 1 after report 61'):
        contains(decoded, part)


# ---- Chrome -------------------------------------------------------------------------------------------

def test_a_range_has_its_first_value_and_ends(directory):
    """Of many batches: the start of the first delta is a sample, and no value holds beyond the last one."""
    path = os.path.join(directory, "long.i915-perf")
    succeed("record", "-q", "-d", "sim:skl", "--workload", "contexts", "-p", "20us", "-t", "1s", "-o", path)
    for arguments in [["--from", "10ms"], ["--from", "10ms", "--to", "10.2ms"], ["--from", "500ms", "--to", "501ms"]]:
        arguments = ["-c", "GpuBusy", *arguments, path]
        rows = rows_of(*arguments)
        samples = perfetto(*arguments).gpus[0].samples["GpuBusy"]
        equal(len(samples), len(rows) + 1, arguments)
        assert math.isnan(samples[0][1])
        events = json.loads(succeed("export", "-f", "chrome", *arguments))
        counts = [event for event in events if event["ph"] == "C"]
        equal(counts[-1]["args"], {"percent": None})
        assert abs(counts[-1]["ts"] - int(rows[-1]["end_ns"]) / 1000) < 1, arguments
        ends = [event["ts"] + event["dur"] for event in events if event["ph"] == "X"]
        assert max(ends) <= counts[-1]["ts"] + 1, arguments


def test_chrome_events_are_those_of_the_recording():
    """A value holds from the start of its delta; null ends it, in gaps and at the end."""
    rows = rows_of(ICL)
    text_of = succeed("export", "-f", "chrome", ICL)
    events = json.loads(text_of, parse_float=str, parse_int=str)
    symbols = [name for name in rows[0] if name not in FIXED]
    counters = {}
    for event in events:
        if event["ph"] == "C":
            counters.setdefault(event["name"], []).append(
                (int(event["ts"].replace(".", "")), list(event["args"].values())[0]))
    equal(set(counters), set(symbols))
    for symbol in symbols:
        times = [int(row["start_ns"]) for row in rows] + [int(rows[-1]["end_ns"])]
        equal([time for time, _ in counters[symbol]], times, symbol)
        equal([value or "" for _, value in counters[symbol]], [row[symbol] for row in rows] + [""], symbol)
    contexts = [(event["name"], int(event["ts"].replace(".", "")), int(event["dur"].replace(".", "")))
                for event in events if event["ph"] == "X" and event["tid"] == "1"]
    equal(contexts, runs_of(rows))
    losses = [event["name"] for event in events if event["ph"] == "X" and event["tid"] == "3"]
    equal(losses, ["report-lost", "buffer-lost"])
    equal(len(text_of.splitlines()), len(events) + 1, "one event a line")
    processes = [event["args"]["name"] for event in json.loads(succeed("export", "-f", "chrome", ICL, HSW))
                 if event["name"] == "process_name"]
    equal(processes[1:], ["modelled Ice Lake GT2 #0", "modelled Haswell GT2 #1"])


if __name__ == "__main__":
    main()
