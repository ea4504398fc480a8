# SPDX-License-Identifier: MIT
"""tally export -f parquet: hyparquet and DuckDB read what tally report and tally export -f csv say, to the last digit."""
import csv
import io
import json
import math
import os
import re
import resource
import shutil
import subprocess
import time
from fractions import Fraction

from e2e import OWN_METRICS, SAMPLES, SOURCE, TALLY, Skip, check_memory, contains, equal, json_lines, main, need_program, \
    sanitized, succeed, tally

ICL = os.path.join(SAMPLES, "icl.i915-perf")
HSW = os.path.join(SAMPLES, "hsw.i915-perf")
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
READERS = os.path.join(CACHE, "tally", "parquet")
EXTRA = ["end_reason", "set_guid", "clock_uncertainty_ns"]
GUID = "3bbc2ead-0bd0-474a-abdc-c43aeabab315"


def run_reader(module, script, *arguments):
    need_program("node")
    if not os.path.isdir(os.path.join(READERS, "node_modules", module)):
        raise Skip(f"needs {module} (tools/deps test)")
    done = subprocess.run(["node", os.path.join(SOURCE, "tests", "parquet", script), *arguments], capture_output=True,
                          text=True, check=False, env={**os.environ, "TALLY_PARQUET": READERS})
    equal(done.returncode, 0, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def read(path):
    """The metadata that hyparquet finds, and the rows as {column: value}."""
    metadata, *rows = run_reader("hyparquet", "read.mjs", path)
    names = [column["name"] for column in metadata["schema"][1:]]
    return metadata, [dict(zip(names, row)) for row in rows]


def query(*statements):
    return run_reader("@duckdb/node-api", "query.mjs", *statements)


def write(path, *arguments, expected=0):
    done = tally("export", "-f", "parquet", "-o", path, *arguments)
    equal(done.returncode, expected, done.stderr)
    return path


def record(path, *arguments):
    succeed("record", "-q", "-o", path, "-M", OWN_METRICS, *arguments)
    return path


def rows_of(*arguments):
    return list(csv.DictReader(io.StringIO(tally("export", "-f", "csv", *arguments).stdout)))


def same_cell(value, cell, what):
    if cell == "":
        assert value is None, f"{what}: {value}, expected none"
    elif isinstance(value, bool):
        equal(str(value).lower(), cell, what)
    elif isinstance(value, (int, float)):
        equal(float(value), float(cell), what)
    else:
        equal(value, cell, what)


def compare_rows(path, *arguments):
    """Every cell of a file with that of CSV."""
    metadata, rows = read(path)
    expected = rows_of(*arguments)
    equal(len(rows), len(expected))
    equal(int(metadata["num_rows"]), len(expected))
    equal([name for name in rows[0] if name not in EXTRA], list(expected[0]), "columns")
    for i, (row, line) in enumerate(zip(rows, expected)):
        for name, cell in line.items():
            same_cell(row[name], cell, f"row {i} {name}")
    return metadata, rows


def described(metadata):
    return {pair["key"]: pair["value"] for pair in metadata["key_value_metadata"]}


def recordings(directory):
    """One of each kind, with losses, contexts, RC6, NVIDIA's reports and packets, pauses of nothing, damage."""
    kinds = {
        "lossy": ["-d", "sim:skl", "-p", "100us", "-t", "60ms", "--fault", "lossy"],
        "many": ["-d", "sim:tgl", "-p", "20us", "-t", "100ms", "--workload", "contexts"],
        "g92": ["-d", "sim:g92", "-t", "50ms"],
        "packets": ["-d", "sim:g92", "--packets", "-e", "PGRAPH.IDLE", "-p", "10us", "-t", "50ms"],
    }
    paths = [os.path.join(SAMPLES, name) for name in sorted(os.listdir(SAMPLES)) if name.endswith(".i915-perf")]
    return paths + [record(os.path.join(directory, name), *arguments) for name, arguments in kinds.items()]


# ---- rows ---------------------------------------------------------------------------------------------

def test_hyparquet_reads_every_cell_of_csv(directory):
    lost = undefined = 0
    for i, path in enumerate(recordings(directory)):
        _, rows = compare_rows(write(os.path.join(directory, f"{i}.parquet"), path), path)
        lines = [line for line in json_lines(tally("export", "-f", "jsonl", path).stdout) if line["type"] == "delta"]
        equal([row["end_reason"] for row in rows], [line["end_reason"] for line in lines], path)
        lost += sum(row["state"] == "lost" for row in rows)
        undefined += sum(row["state"] == "ok" and None in row.values() for row in rows)
    assert lost > 5, "no row is lost: the test shows nothing"
    assert undefined > 5, "no value is undefined: the test shows nothing"


def test_duckdb_reads_what_it_reads_of_csv(directory):
    """Over several row groups: DuckDB compares the file with the CSV itself."""
    path = record(os.path.join(directory, "long"), "-d", "sim:skl", "-p", "10us", "-t", "1500ms", "--workload", "contexts",
                  "--fault", "lossy")
    parquet = write(os.path.join(directory, "long.parquet"), path)
    text = os.path.join(directory, "long.csv")
    succeed("export", "-f", "csv", "-o", text, path)
    schema = query(f"DESCRIBE SELECT * FROM '{parquet}'")
    types = {row["column_name"]: row["column_type"] for row in schema}
    assert {"UBIGINT", "DOUBLE", "VARCHAR", "BOOLEAN"} == set(types.values()), types
    names = [name for name in types if name not in EXTRA]
    columns = ", ".join(f"'{name}': '{types[name]}'" for name in names)
    chosen = ", ".join(f'"{name}"' for name in names)
    source = f"read_csv('{text}', columns={{{columns}}}, nullstr='')"
    [groups, count, more, less] = query(
        f"SELECT count(DISTINCT row_group_id) AS n FROM parquet_metadata('{parquet}')",
        f"SELECT count(*) AS n, count(EuActive) AS ok, count(DISTINCT context) AS contexts FROM '{parquet}'",
        f"SELECT count(*) AS n FROM (SELECT {chosen} FROM '{parquet}' EXCEPT ALL SELECT * FROM {source})",
        f"SELECT count(*) AS n FROM (SELECT * FROM {source} EXCEPT ALL SELECT {chosen} FROM '{parquet}')")
    assert int(groups["n"]) > 2, groups
    with open(text, encoding="utf-8") as file:
        equal(int(count["n"]), sum(1 for _ in file) - 1)
    assert 0 < int(count["ok"]) < int(count["n"]) and int(count["contexts"]) > 2, count
    equal([more["n"], less["n"]], ["0", "0"], "rows that only one of both has")


def test_statistics_are_those_of_the_values(directory):
    """Readers skip groups by them, so a wrong one loses rows."""
    path = record(os.path.join(directory, "r"), "-d", "sim:tgl", "-p", "10us", "-t", "900ms", "--workload", "contexts")
    parquet = write(os.path.join(directory, "r.parquet"), path)
    chunks = query(f"SELECT * FROM parquet_metadata('{parquet}') ORDER BY row_group_id, column_id")
    assert len({chunk["row_group_id"] for chunk in chunks}) > 1
    first = 0
    for group in sorted({int(chunk["row_group_id"]) for chunk in chunks}):
        own = [chunk for chunk in chunks if int(chunk["row_group_id"]) == group]
        rows = int(own[0]["row_group_num_rows"])
        want = ", ".join(f'''min("{c["path_in_schema"]}")::VARCHAR, max("{c["path_in_schema"]}")::VARCHAR,
                         (count(*) - count("{c["path_in_schema"]}"))::VARCHAR''' for c in own)
        [found] = query(f'SELECT [{want}] AS v FROM (SELECT * FROM \'{parquet}\' WHERE "index" >= {first} '
                        f'AND "index" < {first + rows})')
        for i, chunk in enumerate(own):
            low, high, nulls = found["v"][3 * i:3 * i + 3]
            name = f'{group} {chunk["path_in_schema"]}'
            equal(chunk["stats_null_count"], nulls, name)
            for got, value in [(chunk["stats_min_value"], low), (chunk["stats_max_value"], high)]:
                if chunk["type"] == "DOUBLE":
                    equal(float(got), float(value), name)
                elif chunk["type"] != "BOOLEAN":
                    equal(got, value, name)
        first += rows


def test_values_agree_with_report(directory):
    """Sums of counters that add up, and means weighted by length, of the total and of each context."""
    path = record(os.path.join(directory, "r"), "-d", "sim:skl", "-p", "50us", "-t", "200ms", "--workload", "contexts",
                  "--fault", "lossy")
    parquet = write(os.path.join(directory, "r.parquet"), path)
    metadata, rows = read(parquet)
    found = described(metadata)
    period = round(int(found["tally.period_ns"]) * int(found["tally.timestamp_hz"]) / 1e9)
    sums = ["VsThreads", "PsThreads", "RasterizedPixels", "SamplesWritten", "SamplerTexels", "ShaderMemoryAccesses",
            "L3ShaderThroughput"]
    summed = ", ".join(f"sum({name})::VARCHAR AS {name}" for name in sums)
    by_context = {row["context"]: row for row in query(f"SELECT context, {summed} FROM '{parquet}' GROUP BY context")}
    groups = [line for line in json_lines(succeed("report", "-f", "jsonl", "--by", "context", path))
              if line["type"] == "group" and line["by"] == "context"]
    assert len(groups) > 2
    for group in groups:
        of_group = [row for row in rows if row["context"] == group["group"]]
        equal(sum(row["state"] == "lost" for row in of_group), group["lost"])
        for name in sums:
            equal(int(by_context[group["group"]][name]), group["counters"][name]["overall"], f"{group['group']} {name}")
        for name, statistic in group["counters"].items():
            same_statistics(statistic, name, [row for row in of_group if row[name] is not None], period)


def same_statistics(statistic, name, rows, period):
    """Minimum, maximum and mean of a counter, as docs/values.md defines them. Means of doubles are sums in steps of 2^-40."""
    ticks = [int(row["gpu_end"]) - int(row["gpu_start"]) for row in rows]
    values = [row[name] if isinstance(row[name], float) else int(row[name]) for row in rows]
    long_enough = [value for value, length in zip(values, ticks) if 2 * length >= period]
    equal([statistic["minimum"], statistic["maximum"]], [min(long_enough), max(long_enough)], name)
    if isinstance(rows[0][name], str):
        mean = float(sum(value * length for value, length in zip(values, ticks))) / sum(ticks)
    else:
        mean = float(sum(round(Fraction(value) * 2**40) * length for value, length in zip(values, ticks)))
        mean = mean / 2**40 / sum(ticks)
    if len(long_enough) == len(values):
        mean = min(max(mean, min(values)), max(values))
    equal(statistic["mean"], mean, name)


def test_ranges_counters_and_units(directory):
    parquet = os.path.join(directory, "a.parquet")
    for arguments in (["-c", "GpuBusy,EuActive"], ["--from", "5ms", "--to", "9ms"], ["--units", "-c", "Gpu*"],
                      ["-c", "GpuBusy", "--from", "60s"]):
        write(parquet, *arguments, ICL)
        metadata, rows = read(parquet)
        equal(described(metadata)["tally.clock_uncertainty_ns"], "167", "also without rows")
        expected = rows_of(*arguments, ICL)
        equal([{name: row[name] for name in row if name not in EXTRA}.keys() for row in rows[:1]],
              [row.keys() for row in expected[:1]], arguments)
        equal([row["index"] for row in rows], [row["index"] for row in expected], arguments)


SET = """<?xml version="1.0"?>
<metrics>
  <set name="Extremes" chipset="ICL" symbol_name="Extremes" underscore_name="extremes" mdapi_supported_apis="VK"
       hw_config_guid="00000000-1111-2222-3333-444444444444">
    <counter name="index" symbol_name="index" underscore_name="index" data_type="uint64" units="number"
             equation="0 2 USUB" semantic_type="event" description=""/>
    <counter name="INDEX" symbol_name="Index" underscore_name="index2" data_type="uint64" units="number"
             equation="GPU_TIME 0 READ 9223372036854775800 UADD" semantic_type="event" description=""/>
    <counter name="Toggling" symbol_name="Toggling" underscore_name="toggling" data_type="uint64" units="number"
             equation="C 0 READ 1 AND 1 UMUL 0 2 USUB UMUL" semantic_type="event" description=""/>
    <counter name="Huge" symbol_name="Huge" underscore_name="huge" data_type="float" units="number"
             equation="GPU_TIME 0 READ 1e300 FMUL 1e300 FMUL" semantic_type="event" description=""/>
  </set>
</metrics>
"""


def test_numbers_beyond_63_bits_and_names_that_are_taken(directory):
    """Integers of 64 bits, infinities; a column is not lost because its name is that of another."""
    with open(os.path.join(directory, "oa-icl.xml"), "w", encoding="utf-8") as file:
        file.write(SET)
    arguments = ["-M", directory, "--set", "Extremes", ICL]
    parquet = write(os.path.join(directory, "a.parquet"), *arguments)
    metadata, rows = read(parquet)
    text = tally("export", "-f", "csv", *arguments).stdout.splitlines()
    head = ["index_" if n == 9 else "Index__" if n == 10 else name for n, name in enumerate(text[0].split(","))]
    equal([column["name"] for column in metadata["schema"][1:]], head[:7] + ["end_reason"] + head[7:9] + EXTRA[1:] + head[9:])
    big = 0
    for row, line in zip(rows, csv.reader(text[1:])):
        for name, cell in zip(head, line):
            same_cell(row[name] if row[name] != "Infinity" else math.inf, cell, name)
        big += row["index_"] == str(2**64 - 2)
    equal(big, sum(row["state"] == "ok" for row in rows))
    [found] = query(f"SELECT max(index_)::VARCHAR AS a, min(\"Index__\") > 9223372036854775800 AS b, max(Huge)::VARCHAR AS c "
                    f"FROM '{parquet}'")
    equal([found["a"], found["b"], found["c"]], [str(2**64 - 2), True, "inf"])
    toggling = [int(row["Toggling"]) for row in rows if row["Toggling"] is not None]
    assert min(toggling) < max(toggling)
    [chunk] = query(f"SELECT * FROM parquet_metadata('{parquet}') WHERE path_in_schema = 'Toggling'")
    equal([int(chunk["stats_min_value"]), int(chunk["stats_max_value"])], [min(toggling), max(toggling)])


# ---- what else is in the file ---------------------------------------------------------------------------

def test_the_metadata_describe_the_recording(directory):
    metadata, rows = compare_rows(write(os.path.join(directory, "a.parquet"), ICL), ICL)
    found, lines = described(metadata), json_lines(succeed("export", "-f", "jsonl", ICL))
    equal(found["tally.device"], "modelled Ice Lake GT2")
    equal([found["tally.set"], found["tally.set_guid"], found["tally.timestamp_hz"]], ["RenderBasic", GUID, "12000000"])
    equal(found["tally.period_ns"], "85333")
    equal(found["tally.lost_deltas"], "2")
    equal(found["tally.missing_reports"], "7")
    equal(json.loads(found["tally.header"]), lines[0])
    equal(json_lines(found["tally.ledger"]), [line for line in lines if line["type"] == "loss"])
    equal(json.loads(found["tally.end"]), lines[-1])
    assert metadata["created_by"].startswith("tally version "), metadata["created_by"]
    equal({row["set_guid"] for row in rows}, {GUID})
    equal({row["clock_uncertainty_ns"] for row in rows}, {found["tally.clock_uncertainty_ns"]})
    contains(tally("export", "-f", "parquet", "-o", os.path.join(directory, "b"), ICL).stderr, "2 entries in the loss ledger")


def test_clocks_that_are_not_known(directory):
    """Without correlation points there is no CPU time; with one, it is uncertain by 100 us."""
    one = record(os.path.join(directory, "one"), "-d", "sim:skl", "-p", "1ms", "-t", "20ms")
    equal({row["clock_uncertainty_ns"] for row in read(write(os.path.join(directory, "1"), one))[1]}, {"100000"})
    data = b""
    with open(one, "rb") as file:
        records = file.read()
    at = 0
    while at < len(records):
        size = int.from_bytes(records[at + 6:at + 8], "little")
        if int.from_bytes(records[at:at + 4], "little") != 65539:
            data += records[at:at + size]
        at += size
    none = os.path.join(directory, "none")
    with open(none, "wb") as file:
        file.write(data)
    metadata, rows = compare_rows(write(os.path.join(directory, "2"), none), none)
    equal({(row["start_ns"], row["clock_uncertainty_ns"]) for row in rows}, {(None, None)})
    assert "tally.clock_uncertainty_ns" not in described(metadata)


def test_a_damaged_recording_is_written_up_to_its_damage(directory):
    cut = os.path.join(directory, "cut")
    with open(ICL, "rb") as file:
        data = file.read()
    with open(cut, "wb") as file:
        file.write(data[:50001])
    done = tally("export", "-f", "parquet", "-o", os.path.join(directory, "cut.parquet"), cut)
    equal(done.returncode, 3)
    metadata, rows = compare_rows(os.path.join(directory, "cut.parquet"), cut)
    assert len(rows) > 100
    contains(done.stderr, described(metadata)["tally.error"])


def test_the_same_input_gives_the_same_bytes(directory):
    """From a pipe and to a pipe, too, but for what a pipe does not know."""
    done = subprocess.run([TALLY, "export", "-f", "parquet", ICL], capture_output=True, check=True)
    path = write(os.path.join(directory, "a.parquet"), ICL)
    with open(path, "rb") as file:
        equal(file.read() == done.stdout, True, "a pipe and a file")
    with open(ICL, "rb") as file:
        subprocess.run([TALLY, "export", "-f", "parquet", "-o", os.path.join(directory, "b.parquet"), "-"], stdin=file,
                       check=True, stderr=subprocess.DEVNULL)
    with open(ICL, "rb") as file:
        text = subprocess.run([TALLY, "export", "-f", "csv", "-"], stdin=file, capture_output=True, check=True, text=True).stdout
    _, rows = read(os.path.join(directory, "b.parquet"))
    expected = list(csv.DictReader(io.StringIO(text)))
    for row, line in zip(rows, expected):
        for name, cell in line.items():
            same_cell(row[name], cell, name)


# ---- files ----------------------------------------------------------------------------------------------

def names_in(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names)


def test_folders_are_divided_as_hive_does(directory):
    lake = os.path.join(directory, "lake")
    run = os.path.join(directory, "a=b 50%.i915-perf")
    shutil.copy(ICL, run)
    os.utime(run, (1764288000, 1764288000))  # 2025-11-28T00:00:00Z
    write(lake + "/", "--date", "2026-11-27", ICL, HSW)
    write(lake, run)
    equal(names_in(lake), [
        "gpu=Haswell GT2/set=RenderBasic/date=2026-11-27/hsw.parquet",
        "gpu=Ice Lake GT2/set=RenderBasic/date=2025-11-28/a%3Db 50%25.parquet",
        "gpu=Ice Lake GT2/set=RenderBasic/date=2026-11-27/icl.parquet"])
    rows = query(f"SELECT gpu, \"set\", date::VARCHAR AS date, count(*) AS n FROM "
                 f"read_parquet('{lake}/**/*.parquet', hive_partitioning=true, union_by_name=true) GROUP BY ALL ORDER BY ALL")
    n = {path: str(len(rows_of(path))) for path in (ICL, HSW)}
    equal(rows, [{"gpu": "Haswell GT2", "set": "RenderBasic", "date": "2026-11-27", "n": n[HSW]},
                 {"gpu": "Ice Lake GT2", "set": "RenderBasic", "date": "2025-11-28", "n": n[ICL]},
                 {"gpu": "Ice Lake GT2", "set": "RenderBasic", "date": "2026-11-27", "n": n[ICL]}])
    with open(ICL, "rb") as file:
        subprocess.run([TALLY, "export", "-q", "-f", "parquet", "-o", lake, "-"], stdin=file, check=True)
    contains("\n".join(names_in(lake)), "gpu=Ice Lake GT2/set=RenderBasic/date=__HIVE_DEFAULT_PARTITION__/stdin.parquet")


def test_the_queries_of_the_documentation(directory):
    """Those of docs/parquet.md, over the files of two recordings."""
    write(os.path.join(directory, "lake") + "/", "--date", "2026-11-27", ICL, HSW)
    with open(os.path.join(SOURCE, "docs", "parquet.md"), encoding="utf-8") as file:
        [block] = re.findall(r"^```sql\n(.*?)^```", file.read(), re.M | re.S)
    statements = [text for text in block.replace("lake/", f"{directory}/lake/").split(";\n") if text.strip()]
    equal(len(statements), 2)
    gpus = query(statements[0])
    equal({(row["gpu"], row["date"], row["lost"]) for row in gpus},
          {("Ice Lake GT2", "2026-11-27", "2"), ("Haswell GT2", "2026-11-27", str(lost_of(HSW)))})
    losses = [json.loads(row["loss"]) for row in query(statements[1])]
    expected = [line for path in (ICL, HSW) for line in json_lines(succeed("export", "-f", "jsonl", path))
                if line["type"] == "loss"]
    equal(sorted(losses, key=str), sorted(expected, key=str))


def lost_of(path):
    return sum(row["state"] == "lost" for row in rows_of(path))


def test_recordings_of_a_store(directory):
    """DB#ID is an input, with the date that the store has."""
    if "store: none" in succeed("version", "--build-options"):
        raise Skip("this build has no SQLite")
    db, lake = os.path.join(directory, "fleet.db"), os.path.join(directory, "lake")
    succeed("store", "add", "--date", "2026-01-02T03:04:05", db, ICL)
    write(lake + "/", f"{db}#1")
    equal(names_in(lake), ["gpu=Ice Lake GT2/set=RenderBasic/date=2026-01-02/fleet.db%231.parquet"])
    compare_rows(os.path.join(lake, names_in(lake)[0]), ICL)
    done = tally("export", "-f", "parquet", "-o", lake, f"{db}#2")
    equal(done.returncode, tally("report", f"{db}#2").returncode, done.stderr)
    contains(done.stderr, "has no recording 2")


def test_files_of_one_name_do_not_replace_each_other(directory):
    other = os.path.join(directory, "other")
    os.mkdir(other)
    shutil.copy(ICL, other)
    done = tally("export", "-f", "parquet", "--date", "2026-11-27", "-o", directory + "/lake/", ICL, f"{other}/icl.i915-perf",
                 os.path.join(directory, "missing"), HSW)
    equal(done.returncode, 2)
    contains(done.stderr, "is that of another FILE")
    contains(done.stderr, "missing: ")
    equal(len(names_in(directory + "/lake")), 2, "the others are written")


def test_wrong_arguments(directory):
    for arguments, message in [
            (["-f", "parquet", ICL, HSW], "-f parquet takes one FILE, or several with -o DIR/"),
            (["-f", "csv", "--date", "2026-11-27", ICL], "--date needs -f parquet -o DIR/"),
            (["-f", "parquet", "--date", "2026-11-27", "-o", f"{directory}/x.parquet", ICL], "--date needs -f parquet -o DIR/"),
            (["-f", "parquet", "--date", "2026-02-30", "-o", f"{directory}/", ICL], "expected a date such as")]:
        done = tally("export", *arguments)
        equal(done.returncode, 2, done.stderr)
        contains(done.stderr, message)
    equal(names_in(directory), [])


def test_a_file_is_complete_or_not_there(directory):
    """After kill -9 and with a full disk; what had the name before stays."""
    path = record(os.path.join(directory, "long"), "-d", "sim:skl", "-p", "10us", "-t", "1500ms", "--workload", "contexts")
    whole = os.path.join(directory, "whole.parquet")
    with open(whole, "w", encoding="utf-8") as file:
        file.write("before")
    with subprocess.Popen([TALLY, "export", "-q", "-f", "parquet", "-o", whole, path]) as process:
        while process.poll() is None and len(names_in(directory)) < 3:
            time.sleep(0.001)
        process.kill()
    if process.returncode:
        with open(whole, encoding="utf-8") as file:
            equal(file.read(), "before", "after a kill")
    for name in names_in(directory):
        if name.startswith("whole.parquet."):
            os.remove(os.path.join(directory, name))  # what the kill has left
    with open(whole, "w", encoding="utf-8") as file:
        file.write("before")
    done = subprocess.run([TALLY, "export", "-q", "-f", "parquet", "-o", whole, path], capture_output=True, text=True,
                          check=False, restore_signals=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000)))
    equal(done.returncode, 1, done.stderr)
    equal(names_in(directory), ["long", "whole.parquet"])
    with open(whole, encoding="utf-8") as file:
        equal(file.read(), "before", "after a full disk")
    os.remove(whole)
    os.symlink("target", whole)
    with open(os.path.join(directory, "target"), "w", encoding="utf-8") as file:
        file.write("old")
    write(whole, ICL)
    assert os.path.islink(whole), "a link is not replaced, but its target"
    compare_rows(os.path.join(directory, "target"), ICL)
    equal(os.stat(whole).st_mode & 0o777, 0o666 & ~current_umask())


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_memory_does_not_grow_with_the_recording(directory):
    path = record(os.path.join(directory, "long"), "-d", "sim:skl", "-p", "10us", "-t", "3s", "--workload", "contexts")
    if sanitized():
        raise Skip("sanitizers keep freed memory")
    command = [TALLY, "export", "-q", "-f", "parquet", "-o", "/dev/null", path]
    process = subprocess.Popen(command)  # pylint: disable=consider-using-with
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    equal(process.returncode, 0)
    assert os.path.getsize(path) > 70e6, "the recording is too small to show anything"
    check_memory(usage.ru_maxrss, 120 * 1024)


if __name__ == "__main__":
    main()
