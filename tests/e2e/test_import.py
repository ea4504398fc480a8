# SPDX-License-Identifier: MIT
"""tally store add of what other programs print: every value is in the store, and a file that is cut is read up to there."""
import json
import math
import os
import random
import re
import subprocess
from fractions import Fraction

from e2e import METRICS, OWN_METRICS, SOURCE, TALLY, Skip, contains, equal, json_lines, main, need_preload, need_program, \
    succeed, tally, with_recorder

FILES = os.path.join(SOURCE, "tests", "import")
ARRAY, OBJECTS, DMON, EXPORTER = (os.path.join(FILES, name) for name in (
    "top_array.json", "top_objects.json", "dmon.txt", "exporter.prom"))
DATE = "--date=2026-11-27"
SEED = int(os.environ.get("TALLY_TEST_SEED", "17"))


def need_store():
    if "store: none" in succeed("version", "--build-options"):
        raise Skip("this build has no SQLite")


def query(db, sql):
    return json_lines(succeed("query", "-f", "jsonl", db, sql))


def import_file(directory, path, name="store.db", expected=0):
    need_store()
    db = os.path.join(directory, name)
    done = tally("store", "add", DATE, db, path)
    equal(done.returncode, expected, done.stderr)
    return db, done


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


# ---- intel_gpu_top, once more -------------------------------------------------------------------------

def objects_of(text):
    """The complete objects of a file, by Python's parser."""
    decoder, found, at = json.JSONDecoder(), [], 0
    text = re.sub(r"-?\bnan\b", "null", text)
    while True:
        match = re.compile(r"[\s,\[\]]*").match(text, at)
        at = match.end()
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            return found
        found.append(value)


def flatten(sample):
    """Returns {(source, counter): (value, unit)} of an object."""
    values = {}

    def add(source, prefix, node):
        for key, value in node.items():
            name = prefix + [key]
            if isinstance(value, dict):
                add(source, name, value)
            elif key not in ("unit", "name", "pid") and value is not None:
                parts = [part for i, part in enumerate(name) if not (i and i == len(name) - 1 and key in ("value", "count"))]
                values[source, ".".join(parts)] = (float(value), node.get("unit", ""))

    for key, node in sample.items():
        if key == "clients":
            for client, about in node.items():
                rest = {k: v for k, v in about.items() if k != "engine-classes"}
                add(f'{about["name"]} ({about["pid"]}) {client}', ["client"], {**rest, **about.get("engine-classes", {})})
        elif key != "period":
            add("", [key], node)
    return values


def check_rows(db, recording, objects):
    """Every value, its unit and the times."""
    rows = query(db, f"SELECT * FROM sample_list WHERE recording = {recording}")
    got = {(row["number"], row["source"], row["counter"]): row for row in rows}
    expected, start = {}, 0
    units = {}
    for number, sample in enumerate(objects):
        duration = math.floor(Fraction(str(sample["period"]["duration"])) * 1000000 + Fraction(1, 2))
        for (source, counter), (value, unit) in flatten(sample).items():
            units.setdefault(counter, unit)
            expected[number, source, counter] = (value, units[counter], start, duration)
        start += duration
    equal(set(got), set(expected))
    for key, (value, unit, start_ns, duration) in expected.items():
        row = got[key]
        equal([row["value"], row["units"], row["start_ns"], row["duration_ns"]], [value, unit, start_ns, duration], key)
    [recorded] = query(db, f"SELECT * FROM recordings WHERE id = {recording}")
    equal([recorded["reports"], recorded["kind"], recorded["duration_ns"]], [len(objects), "intel_gpu_top", start])
    return expected


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_every_value_of_intel_gpu_top(directory):
    """Both forms: an array that is not closed, and objects one after the other."""
    for i, path in enumerate([ARRAY, OBJECTS]):
        db, done = import_file(directory, path)
        objects = objects_of(read(path))
        contains(done.stdout, f"{db}#{i + 1}  {path}: {len(objects)} samples of intel_gpu_top")
        equal(done.stderr, "", "an array that is not closed is the usual end")
        expected = check_rows(db, i + 1, objects)
        assert len(expected) > 20
    sources = query(db, "SELECT DISTINCT source FROM sample_list WHERE recording = 1 ORDER BY 1")
    equal([row["source"] for row in sources], ["", "viewer (4242) 4294966999", "viewer (4242) 4294967000"])
    equal(query(db, "SELECT device, metric_set, date FROM recording_list WHERE recording = 1"),
          [{"device": "unknown", "metric_set": "intel_gpu_top", "date": "2026-11-27T00:00:00Z"}])


def weighted(rows):
    """Minimum, mean weighted by duration, maximum of [(value, duration)]."""
    total = sum(duration for _, duration in rows)
    return (min(value for value, _ in rows), sum(Fraction(value) * duration for value, duration in rows) / total,
            max(value for value, _ in rows))


def same_statistics(row, rows, what):
    low, mean, high = weighted(rows)
    equal([row["minimum"], row["maximum"]], [low, high], what)
    for name in ("overall", "mean"):
        if name in row:
            assert abs(Fraction(row[name]) - mean) <= abs(mean) / 10**14, f"{what}: {row[name]}, not {float(mean)}"


def test_values_are_weighted_by_time(directory):
    """Of recordings, clients and intervals; and in the views beside recordings."""
    # Long enough for intervals: 40 samples of the file's three, with other periods.
    objects = []
    for i in range(40):
        sample = json.loads(json.dumps(objects_of(read(ARRAY))[i % 3]))
        sample["period"]["duration"] = 50 + 7.25 * (i % 5)
        objects.append(sample)
    path = write(directory, "long.json", json.dumps(objects))
    db, _ = import_file(directory, path)
    expected = check_rows(db, 1, objects)
    by_counter, by_client, by_interval = {}, {}, {}
    width = query(db, "SELECT min(width_ns) AS w FROM intervals")[0]["w"]
    assert width, "no intervals"
    for (_, source, counter), (value, _, start, duration) in expected.items():
        by_counter.setdefault(counter, []).append((value, duration))
        by_interval.setdefault((start // width, counter), []).append((value, duration))
        if source:
            by_client.setdefault((source, counter), []).append((value, duration))
    rows = query(db, "SELECT * FROM counter_values")
    equal({row["counter"] for row in rows}, set(by_counter))
    for row in rows:
        same_statistics(row, by_counter[row["counter"]], row["counter"])
    rows = query(db, "SELECT * FROM worst_contexts")
    equal({(row["context"], row["counter"]) for row in rows}, set(by_client))
    for row in rows:
        same_statistics({**row, "minimum": min(v for v, _ in by_client[row["context"], row["counter"]])},
                        by_client[row["context"], row["counter"]], row["context"])
    rows = query(db, f"SELECT * FROM interval_list WHERE width_ns = {width}")
    equal({(row["start_ns"] // width, row["counter"]) for row in rows}, set(by_interval))
    for row in rows:
        same_statistics(row, by_interval[row["start_ns"] // width, row["counter"]], row["start_ns"])
    [total] = query(db, f"SELECT sum(deltas) AS n, sum(duration_ns) AS ns FROM intervals WHERE width_ns = {width}")
    equal([total["n"], total["ns"]], [40, sum(round(o["period"]["duration"] * 1e6) for o in objects)])


def test_a_file_that_is_cut_has_its_complete_samples(directory):
    """At any byte: nothing is made up, and a part of a sample is stated."""
    text = read(ARRAY)
    draw = random.Random(SEED)
    first = text.index("\n}") + 2
    for i, size in enumerate([first, first + 1, len(text) - 1] + [draw.randrange(first, len(text)) for _ in range(25)]):
        path = write(directory, f"cut{i}.json", text[:size])
        db, done = import_file(directory, path, f"{i}.db")
        objects = objects_of(text[:size])
        check_rows(db, 1, objects)
        rest = text[:size].count("{") - sum(json.dumps(o).count("{") for o in objects)
        [row] = query(db, "SELECT problem FROM recordings")
        equal(row["problem"], "the last sample is not complete" if rest else None, size)
        equal("the last sample is not complete" in done.stderr, rest > 0, size)
    for name, part in [("none", text[:first - 1]), ("empty", "[\n")]:
        _, done = import_file(directory, write(directory, name, part), "none.db", expected=3)
        contains(done.stderr, f"{name}: no complete sample of intel_gpu_top")


def test_what_is_wrong_is_named_with_its_line(directory):
    period = '{"period": {"duration": 1, "unit": "ms"}'
    texts = [
        ("{\n\"a\" 1}", 'line 2: "1", expected ":"'),
        ('[\n{}\n]', 'line 2: an object without "period", expected those of intel_gpu_top -J'),
        ("[1]", 'line 1: "1", expected an object of intel_gpu_top -J'),
        (f"{period},\n}}", 'line 2: "}", expected a key in double quotes'),
        (f'{period}, "a": 01}}', 'line 1: "01", expected a value'),
        (f'{period}, "a": "\\x"}}', 'line 1: "x", expected an escape of JSON'),
        ('{"period": {"duration": 1, "unit": "weeks"}}', 'line 1: a period in "weeks", expected ns, us, ms or s'),
        ('{"period": {"duration": -1, "unit": "ms"}}', "line 1: a period of -1 ms, expected a duration"),
        ('{"a":' * 20, "line 1: objects are nested more than 8 deep"),
        (f'{period}, "{"k" * 1100}": 1}}', "line 1: a text of more than 1024 bytes"),
        ("#Entity A B\nGPU 0 1 2\nGPU 0 1\n", "line 3: 3 words, expected an entity and 2 values"),
        ("#Entity A\nGPU 0 x\n", 'line 2: "x", expected a number or N/A'),
        ("#Entity\n", "line 1: a heading of 0 columns, expected 1 to 256"),
        ("#Entity A\n" + "x" * 20000, "line 2: more than 16384 bytes"),
        ("# HELP DCGM_FI_A a\nDCGM_FI_A{gpu=0} 1\n", 'line 2: the labels of DCGM_FI_A, expected {key="value",...}'),
        ("DCGM_FI_A{}\n", "line 1: DCGM_FI_A has no value"),
        ("DCGM_FI_A 1 soon\n", 'line 1: "soon", expected a time in milliseconds'),
    ]
    db, _ = import_file(directory, ARRAY)
    before = query(db, "SELECT count(*) AS n FROM sample_values")
    for i, (text, message) in enumerate(texts):
        path = write(directory, f"wrong{i}", text)
        done = tally("store", "add", DATE, db, path)
        equal(done.returncode, 3, f"{text[:60]}: {done.stdout}{done.stderr}")
        equal(done.stderr, f"tally: {path}: {message}\n")
    equal(query(db, "SELECT count(*) AS n FROM sample_values"), before, "nothing is half added")
    equal(len(query(db, "SELECT id FROM recordings")), 1)


# ---- DCGM ---------------------------------------------------------------------------------------------

def values_of(db):
    rows = query(db, "SELECT number, source, counter, units, value FROM sample_list ORDER BY 1, 3, 2")
    return [tuple(row.values()) for row in rows]


def test_dcgmi_dmon(directory):
    db, _ = import_file(directory, DMON)
    equal(values_of(db), [
        (0, "GPU 0", "FBUSD", "", 28456), (0, "GPU 0", "GPUTL", "", 75), (0, "GPU 1", "GPUTL", "", 0),
        (0, "GPU 0", "POWER", "W", 185.3), (0, "GPU 1", "POWER", "W", 31.25), (0, "GPU 0", "TMPTR", "C", 68),
        (0, "GPU 1", "TMPTR", "C", 35),
        (1, "GPU 0", "FBUSD", "", 28456), (1, "GPU 1", "FBUSD", "", 512), (1, "GPU 0", "GPUTL", "", 25),
        (1, "GPU 1", "GPUTL", "", 50), (1, "GPU 0", "POWER", "W", 85.3), (1, "GPU 1", "POWER", "W", 131.25),
        (1, "GPU 0", "TMPTR", "C", 66), (1, "GPU 1", "TMPTR", "C", 40),
        (2, "GPU 0", "FBUSD", "", 0), (2, "GPU 1", "FBUSD", "", 9000000000), (2, "GPU 0", "GPUTL", "", 0),
        (2, "GPU 1", "GPUTL", "", 100), (2, "GPU 0", "POWER", "W", 45), (2, "GPU 1", "POWER", "W", 250),
        (2, "GPU 0", "TMPTR", "C", 60), (2, "GPU 1", "TMPTR", "C", 70)])
    equal(query(db, "SELECT DISTINCT start_ns, duration_ns FROM samples"), [{"start_ns": None, "duration_ns": None}],
          "dmon prints no times")
    equal(query(db, "SELECT context, overall FROM worst_contexts WHERE counter = 'GPUTL' ORDER BY rank"),
          [{"context": "GPU 1", "overall": 50}, {"context": "GPU 0", "overall": 100 / 3}])
    cut = write(directory, "cut.txt", read(DMON)[:-4])
    db, done = import_file(directory, cut, "cut.db")
    contains(done.stderr, "the last sample is not complete")
    equal(len([row for row in values_of(db) if row[0] == 2]), 4, "a number that is cut is none")


def test_dcgm_exporter(directory):
    db, _ = import_file(directory, EXPORTER)
    clock, power = "DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_POWER_USAGE"
    equal(values_of(db), [
        (0, "node1 GPU 0", power, "W", 9.544), (0, "node1 GPU 1", power, "W", 68.25),
        (0, "node1 GPU 0", clock, "MHz", 300), (0, "node1 GPU 1", clock, "MHz", 1590),
        (1, "node1 GPU 0", power, "W", 27.5), (1, "node1 GPU 1", power, "W", 70),
        (1, "node1 GPU 0", clock, "MHz", 585), (1, "node1 GPU 1", clock, "MHz", 1590)], "a blank value is none")
    equal(query(db, "SELECT kind FROM recordings"), [{"kind": "dcgm-exporter"}])
    equal(query(db, "SELECT name, vendor FROM devices"), [{"name": "Tesla T4", "vendor": "NVIDIA"}])
    equal(query(db, f"SELECT description FROM counters WHERE symbol = '{clock}'")[0]["description"],
          "SM clock frequency (in MHz).")
    # Without comments and with times: the same metric of the same GPU begins the next sample.
    path = write(directory, "times.prom", "".join(
        f'DCGM_FI_DEV_SM_CLOCK{{gpu="{gpu}"}} {1000 + 10 * t + gpu} {1700000000000 + 1500 * t}\n'
        for t in range(4) for gpu in range(2)))
    db, _ = import_file(directory, path, "times.db")
    equal(values_of(db), [(t, f"GPU {gpu}", clock, "", 1000 + 10 * t + gpu) for t in range(4) for gpu in range(2)])
    equal([row["start_ns"] for row in query(db, "SELECT start_ns FROM samples ORDER BY number")],
          [1500000000 * t for t in range(4)])


# ---- beside recordings ----------------------------------------------------------------------------------

def test_imports_are_beside_recordings(directory):
    """Added once, listed, queried with recordings, removed; not an input of report."""
    need_store()
    db, run = os.path.join(directory, "store.db"), os.path.join(directory, "run")
    succeed("record", "-q", "-d", "sim:icl", "-p", "1ms", "-t", "50ms", "-o", run, "-M", OWN_METRICS)
    names = [ARRAY, run, DMON, EXPORTER]
    done = succeed("store", "add", DATE, "-M", OWN_METRICS, db, *names, ARRAY)
    contains(done, f"{db}#1  {ARRAY}: the store has it already")
    equal([row["kind"] for row in query(db, "SELECT kind FROM recordings ORDER BY id")],
          ["intel_gpu_top", "container", "dcgmi dmon", "dcgm-exporter"])
    rows = query(db, "SELECT recording, counter FROM counter_values WHERE counter IN ('rc6', 'GpuBusy', 'GPUTL') ORDER BY 1")
    equal([(row["recording"], row["counter"]) for row in rows], [(1, "rc6"), (2, "GpuBusy"), (3, "GPUTL")])
    listed = json_lines(succeed("store", "list", "-f", "jsonl", db))
    equal([row["reports"] for row in listed if row["id"] != 2], [3, 3, 2])
    for command in ("report", "export", "info"):
        done = tally(command, f"{db}#1")
        assert done.returncode, command
        contains(done.stderr, f"{db}#1: has samples of another program and no reports, expected a recording")
    with open(db, "rb") as file:
        first = file.read()
    again = os.path.join(directory, "again.db")
    succeed("store", "add", DATE, "-M", OWN_METRICS, again, *names)
    with open(again, "rb") as file:
        assert file.read() == first, "the same input gives the same bytes"
    succeed("store", "remove", db, "1", "3", "4")
    for table in ("samples", "sample_values", "contexts", "interval_values"):
        equal(query(db, f"SELECT count(*) AS n FROM {table} WHERE recording <> 2")[0]["n"], 0, table)


# ---- the programs themselves ------------------------------------------------------------------------------

def test_intel_gpu_top_itself(directory):
    """On an emulated GPU, stopped when it has printed some samples."""
    need_store()
    need_preload()
    need_program("intel_gpu_top")
    path = os.path.join(directory, "top.json")
    script = ('intel_gpu_top -J -s 50 >"$1" & child=$!; '
              'until [ "$(grep -c \'"period"\' "$1")" -gt 3 ]; do sleep 0.05; done; kill -KILL $child; wait $child; true')
    done = subprocess.run([TALLY, "emulate", "-d", "sim:icl", "--workload", "triangle", "--", "sh", "-c", script, "sh", path],
                          capture_output=True, text=True, check=False, timeout=300)
    if not os.path.exists(path) or '"period"' not in read(path):
        raise Skip(f"intel_gpu_top does not run here: {done.stderr[:200]}")
    db, _ = import_file(directory, path)
    objects = objects_of(read(path))
    assert len(objects) >= 2
    expected = check_rows(db, 1, objects)
    assert {"rc6", "frequency.actual"} <= {counter for _, _, counter in expected}, expected.keys()


def test_files_of_i915_perf_recorder_are_recordings(directory):
    need_store()
    need_preload()
    need_program("i915-perf-recorder")
    if not os.path.isdir(METRICS):
        raise Skip("needs the public metric sets")
    path, db = os.path.join(directory, "peer.i915-perf"), os.path.join(directory, "store.db")
    script = ('i915-perf-recorder -m RenderBasic -p 0.001 -o "$1" >&2 & child=$!; sleep 1; kill -INT $child; wait $child; true')
    done = with_recorder(lambda: subprocess.run(
        [TALLY, "emulate", "--root", "--clock", "virtual", "--gpu", "skl", "--", "sh", "-c", script, "sh", path],
        capture_output=True, text=True, check=False, timeout=300))
    equal(done.returncode, 0, done.stderr)
    succeed("store", "add", DATE, "-M", METRICS, db, path)
    lines = json_lines(succeed("report", "-f", "jsonl", "-M", METRICS, path))
    [total] = [line for line in lines if line["type"] == "group" and line["by"] == "total"]
    rows = query(db, "SELECT counter, overall, mean FROM counter_values")
    equal({row["counter"]: (row["overall"], row["mean"]) for row in rows},
          {name: (value["overall"], value["mean"]) for name, value in total["counters"].items()})
    assert len(rows) > 20


if __name__ == "__main__":
    main()
