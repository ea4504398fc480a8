# SPDX-License-Identifier: MIT
"""Stores: a recording comes back as it was, values are those of tally report, and nothing is half added."""
import contextlib
import csv
import io
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time

from e2e import OWN_METRICS, SAMPLES, SOURCE, TALLY, Skip, contains, equal, json_lines, main, succeed, tally

MOMENTS = max(3, 10 * int(os.environ.get("TALLY_TEST_PERCENT", "100")) // 100)
SEED = int(os.environ.get("TALLY_TEST_SEED", "17"))
DATE = "--date=2026-11-27"
FIXED = ["-M", OWN_METRICS]


def need_store():
    if "store: none" in succeed("version", "--build-options"):
        raise Skip("this build has no SQLite")


def record(path, *arguments):
    succeed("record", "-q", "-o", path, *FIXED, *arguments)
    return path


def add(db, *paths, options=()):
    return succeed("store", "add", DATE, *FIXED, *options, db, *paths)


def query(db, sql):
    return json_lines(succeed("query", "-f", "jsonl", db, sql))


def recordings(directory):
    """One of each kind: layouts, context switches, losses, NVIDIA's reports and packets, a bare stream, damage."""
    samples = [os.path.join(SAMPLES, name) for name in sorted(os.listdir(SAMPLES)) if name.endswith(".i915-perf")]
    own = [record(os.path.join(directory, name), *arguments) for name, arguments in {
        "lossy": ["-d", "sim:skl", "-p", "100us", "-t", "60ms", "--fault", "lossy"],
        "many": ["-d", "sim:tgl", "-p", "20us", "-t", "200ms", "--workload", "contexts"],
        "g92": ["-d", "sim:g92", "-t", "50ms"],
        "packets": ["-d", "sim:g92", "--packets", "-e", "PGRAPH.IDLE", "-p", "10us", "-t", "50ms"],
        "snb": ["-d", "sim:snb", "-p", "100us", "-t", "30ms"],
    }.items()]
    with open(own[0], "rb") as file:
        data = file.read()
    for name, part in {"cut": data[:len(data) * 2 // 3], "damaged": data[:9000 * 2] + bytes(64) + data[18064:]}.items():
        own.append(os.path.join(directory, name))
        with open(own[-1], "wb") as file:
            file.write(part)
    return samples + own


def same(command, path, name):
    """Compares what a command prints for a recording of a store and for the file."""
    from_file, from_store = tally(*command, path), tally(*command, name)
    equal(from_store.returncode, from_file.returncode, f"{command} {name}: {from_store.stderr}")
    for got, expected in [(from_store.stdout, from_file.stdout), (from_store.stderr, from_file.stderr)]:
        # Titles that become too long with the path are on a line of their own.
        got, expected = (" ".join(text.replace(own, "FILE").split()) for text, own in [(got, name), (expected, path)])
        equal(got, expected, f"{command} {name}")


def test_recordings_come_back(directory):
    """Every command prints the same for DB#ID as for the file; the bytes are the same."""
    need_store()
    db, paths = os.path.join(directory, "store.db"), recordings(directory)
    tally("store", "add", DATE, *FIXED, db, *paths)
    equal([row["name"] for row in query(db, "SELECT name FROM recordings ORDER BY id")], paths)
    for i, path in enumerate(paths):
        for command in (["report", "-f", "jsonl", *FIXED], ["report", "-r", "-f", "csv", *FIXED], ["info"],
                        ["decode", "-f", "csv"], ["info", "--map", "-f", "jsonl"]):
            same(command, path, f"{db}#{i + 1}")
        other = os.path.join(directory, "other.db")  # a recording of a store is a file for store add, too
        tally("store", "add", DATE, *FIXED, other, f"{db}#{i + 1}")
    columns = "hash, size_bytes, kind, layout, reports, lost_deltas, missing_reports"
    equal(query(other, f"SELECT {columns} FROM recordings ORDER BY id"),
          query(db, f"SELECT {columns} FROM recordings ORDER BY id"), "a store of recordings of a store")
    equal(query(other, "SELECT recording, number, data FROM blocks ORDER BY 1, 2"),
          query(db, "SELECT recording, number, data FROM blocks ORDER BY 1, 2"))
    for command in (["top", "-f", "jsonl"], ["why", "GpuBusy"], ["export", "-f", "chrome"]):
        same([*command, *FIXED], paths[0], f"{db}#1")
    same(["explain", "RenderBasic.EuActive", *FIXED], paths[0] + "@3", f"{db}#1@3")


def test_values_are_those_of_report(directory):
    """Totals, contexts, phases and intervals, to the last digit."""
    need_store()
    db = os.path.join(directory, "store.db")
    path = record(os.path.join(directory, "r"), "-d", "sim:icl", "-p", "20us", "-t", "300ms", "--workload", "contexts")
    add(db, path)
    widths = [row["width_ns"] for row in query(db, "SELECT DISTINCT width_ns FROM intervals ORDER BY 1")]
    equal(widths, [10000000, 100000000])
    groupings = [("none", "SELECT '' AS key, * FROM recording_values v"),
                 ("context", "SELECT context AS key, * FROM context_values v"),
                 ("phase", "SELECT phase AS key, * FROM phase_values v")]
    groupings += [(f"interval={width // 1000000}ms",
                   f"SELECT number AS key, *, NULL AS p50, NULL AS p95, NULL AS p99 FROM interval_values v "
                   f"WHERE width_ns = {width}") for width in widths]
    for by, sql in groupings:
        rows = query(db, f"SELECT v.*, c.symbol FROM ({sql}) v JOIN counters c ON c.id = v.counter")
        stored = {(str(row["key"]), row["symbol"]): row for row in rows}
        count = 0
        for line in json_lines(succeed("report", "-f", "jsonl", *FIXED, "--by", by, path)):
            if line["type"] != "group" or (by != "none" and line["by"] == "total"):
                continue
            key = "" if by == "none" else "0" if line["group"] == "change" else str(line["group"])
            for symbol, expected in line["counters"].items():
                row = stored[key, symbol]
                names = ["overall", "minimum", "mean", "maximum"] + ([] if "=" in by else ["p50", "p95", "p99"])
                for name in names:
                    equal(row[name], expected[name], f"{by} {key} {symbol} {name}")
                count += 1
        equal(count, len(stored), by)
        assert count > 30, by


def test_intervals_of_a_recording_with_losses(directory):
    """Wider intervals are made of the narrower ones: deltas, losses and values are those of tally report nevertheless."""
    need_store()
    db = os.path.join(directory, "store.db")
    path = record(os.path.join(directory, "r"), "-d", "sim:skl", "-p", "20us", "-t", "400ms", "--fault", "lossy")
    add(db, path)
    rows = query(db, "SELECT v.*, i.deltas, i.lost, i.duration_ns, c.symbol FROM interval_values v JOIN intervals i "
                     "USING (recording, width_ns, number) JOIN counters c ON c.id = v.counter")
    widths = sorted({row["width_ns"] for row in rows})
    equal(len(widths), 2, f"{widths}")
    for width in widths:
        stored = {(row["number"], row["symbol"]): row for row in rows if row["width_ns"] == width}
        lost = 0
        for line in json_lines(succeed("report", "-f", "jsonl", *FIXED, "--by", f"interval={width}ns", path)):
            if line["type"] != "group" or line["by"] == "total":
                continue
            lost += line["lost"]
            for symbol, expected in line["counters"].items():
                row = stored.pop((int(line["group"]), symbol))
                for name in ("deltas", "lost", "duration_ns"):
                    equal(row[name], line[name], f"{width} {line['group']} {name}")
                for name in ("overall", "minimum", "mean", "maximum"):
                    equal(row[name], expected[name], f"{width} {line['group']} {symbol} {name}")
        assert not stored and lost, (width, len(stored), lost)


def test_marks(directory):
    """Marks with their times, the values of sections as tally report prints them, and frames."""
    need_store()
    db, path, lines = (os.path.join(directory, name) for name in ("store.db", "r", "lines"))
    with open(lines, "w", encoding="utf-8") as file:
        # The GPU's clock begins at 1 s. A name like that of a group is another group.
        file.write("@1000000500 mark early\n@1020000000 mark load\n@1040000000 begin (between)\n@1060000000 frame\n"
                   "@1090000000 frame\n@1100000000 end (between)\n")
    with open(lines, "rb") as file:
        subprocess.run([TALLY, "record", "-q", "-o", path, *FIXED, "-d", "sim:icl", "--clock", "free", "-p", "100us", "-t",
                        "150ms", "--mark-fd", "0"], stdin=file, check=True)
    add(db, path)
    marks = query(db, "SELECT * FROM marks ORDER BY number")
    equal([(row["kind"], row["name"]) for row in marks],
          [("mark", "early"), ("mark", "load"), ("begin", "(between)"), ("frame", None), ("frame", None), ("end", "(between)")])
    start = 1020000000 - marks[1]["time_ns"]
    for row, ns in zip(marks, [1000000500, 1020000000, 1040000000, 1060000000, 1090000000, 1100000000]):
        assert abs(row["time_ns"] - (ns - start)) <= 200, row
        assert row["earliest_ns"] <= row["time_ns"] <= row["latest_ns"] <= row["time_ns"] + 100000, row
    assert marks[0]["time_ns"] < 0 < marks[1]["time_ns"], marks
    sections = {row["section"]: row["name"] for row in query(db, "SELECT section, name FROM sections")}
    equal(sections, {-1: "(between)", 1: "early", 2: "load", 3: "(between)"})
    stored = {(row["section"], row["duration_ns"], row["counter"]): row for row in query(db, "SELECT * FROM section_list")}
    count = 0
    for line in json_lines(succeed("report", "-f", "jsonl", *FIXED, "--by", "mark", path)):
        if line["type"] != "group" or line["by"] == "total":
            continue
        for symbol, expected in line["counters"].items():
            [row] = [row for (name, ns, counter), row in stored.items()
                     if (name, counter) == (line["group"], symbol) and abs(ns - line["duration_ns"]) <= 1]
            for name in ("overall", "minimum", "mean", "maximum", "p50", "p95", "p99"):
                equal(row[name], expected[name], f"{line['group']} {symbol} {name}")
            count += 1
    equal(count, len(stored))
    assert count > 100, count
    frames = query(db, "SELECT frame, start_ns, duration_ns FROM frame_list ORDER BY frame")
    equal(frames, [{"frame": 1, "start_ns": 0, "duration_ns": marks[3]["time_ns"]},
                   {"frame": 2, "start_ns": marks[3]["time_ns"], "duration_ns": marks[4]["time_ns"] - marks[3]["time_ns"]}])


def test_losses(directory):
    need_store()
    db = os.path.join(directory, "store.db")
    path = record(os.path.join(directory, "r"), "-d", "sim:skl", "-p", "100us", "-t", "60ms", "--fault", "lossy")
    add(db, path)
    ledger = [line for line in json_lines(succeed("report", "-f", "jsonl", *FIXED, path)) if line["type"] == "loss"]
    rows = query(db, "SELECT * FROM losses ORDER BY number")
    assert ledger
    equal([[row[name] for name in ("reason", "records", "after_report", "estimated_reports", "exact")] for row in rows],
          [[line[name] for name in ("reason", "records", "after_report", "estimated_reports", "exact")]
           for line in ledger])


def test_the_same_recording_counts_once(directory):
    """By its bytes: not by its name, and not by its hash alone."""
    need_store()
    db, path, copy, other = (os.path.join(directory, name) for name in ("store.db", "a", "b", "c"))
    shutil.copy(f"{SAMPLES}/hsw.i915-perf", path)
    shutil.copy(path, copy)
    shutil.copy(f"{SAMPLES}/icl.i915-perf", other)
    contains(add(db, path, copy), f"{db}#1  {copy}: the store has it already")
    with open(db, "rb") as file:
        before = file.read()
    add(db, copy)
    with open(db, "rb") as file:
        equal(file.read(), before, "a store after adding what it has")
    # Another recording with the hash of the first one is added nevertheless.
    add(os.path.join(directory, "other.db"), other)
    [row] = query(os.path.join(directory, "other.db"), "SELECT hash FROM recordings")
    with contextlib.closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE recordings SET hash = ?", (row["hash"],))
    contains(add(db, other), f"{db}#2  {other}: ")
    equal(len({row["hash"] for row in query(db, "SELECT hash FROM recordings")}), 2)
    contains(add(db, other), "has it already")
    same(["decode"], other, f"{db}#2")


def test_the_same_input_gives_the_same_bytes(directory):
    """On one processor or several, in one command or several; the date is --date or that of the file."""
    need_store()
    paths = [record(os.path.join(directory, f"r{i}"), "-d", "sim:skl", "-p", "50us", "-t", f"{20 + 10 * i}ms")
             for i in range(6)]
    stores = []
    for i, commands in enumerate([[paths], [paths], [[path] for path in paths]]):
        stores.append(os.path.join(directory, f"{i}.db"))
        for names in commands:
            if i == 1:
                subprocess.run(["taskset", "-c", "0", TALLY, "store", "add", DATE, *FIXED, stores[i], *names],
                               check=True, stdout=subprocess.DEVNULL)
            else:
                add(stores[i], *names)
            time.sleep(0.01)
    contents = []
    for store in stores:
        with open(store, "rb") as file:
            contents.append(file.read())
    assert contents[0] == contents[1], "one processor and several differ"
    assert contents[0] == contents[2], "one command and several differ"
    equal(query(stores[0], "SELECT DISTINCT date FROM recordings"), [{"date": "2026-11-27T00:00:00Z"}])
    os.utime(paths[0], (1000000000, 1000000000))
    succeed("store", "add", *FIXED, os.path.join(directory, "dated.db"), paths[0])
    equal(query(os.path.join(directory, "dated.db"), "SELECT date FROM recordings"), [{"date": "2001-09-09T01:46:40Z"}])


def test_removal(directory):
    """All rows of a recording disappear; its id does not return, and its space is used again."""
    need_store()
    db = os.path.join(directory, "store.db")
    paths = [f"{SAMPLES}/{name}.i915-perf" for name in ("hsw", "chv", "icl")]
    add(db, *paths)
    size = os.path.getsize(db)
    succeed("store", "remove", db, 2, 3)
    with contextlib.closing(sqlite3.connect(db)) as connection:
        tables = [name for name, in connection.execute(
            "SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'recording'")]
        assert len(tables) > 6, tables
        for table in tables:
            left = [row for row, in connection.execute(f"SELECT DISTINCT recording FROM {table}")]
            assert left in ([1], []), (table, left)  # the samples have no phases
    add(db, paths[1])
    equal([row["id"] for row in query(db, "SELECT id FROM recordings ORDER BY id")], [1, 4])
    assert os.path.getsize(db) <= size
    same(["decode"], paths[1], f"{db}#4")
    equal(tally("store", "remove", db, 2).returncode, 2)


def test_kill(directory):
    """kill -9 at random moments: whole recordings are in the store, and it goes on."""
    need_store()
    choose = random.Random(SEED)
    # Large enough that most of the time goes into the file.
    paths = [record(os.path.join(directory, f"r{i}"), "-d", "sim:icl", "-p", "20us", "-t", f"{150 + 10 * i}ms")
             for i in range(6)]
    db, whole, halves = os.path.join(directory, "store.db"), 0, 0
    start = time.monotonic()
    add(db, *paths)
    longest = time.monotonic() - start
    for moment in range(MOMENTS):
        if os.path.exists(db):
            os.remove(db)
        with subprocess.Popen([TALLY, "store", "add", DATE, *FIXED, db, *paths], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(choose.random() * longest)
            process.send_signal(signal.SIGKILL)
            process.wait(60)
        halves += os.path.exists(db + "-journal")
        if not os.path.exists(db) or not os.path.getsize(db):
            continue
        listed = tally("store", "list", "-f", "csv", db)  # which rolls back
        if listed.returncode == 3:  # killed before the schema was there
            contains(listed.stderr, "not a store")
        else:
            rows = list(csv.DictReader(io.StringIO(listed.stdout)))
            equal([row["name"] for row in rows], paths[:len(rows)], f"moment {moment}")
            whole += len(rows)
            with contextlib.closing(sqlite3.connect(db)) as connection:
                equal(connection.execute("PRAGMA integrity_check").fetchone()[0], "ok", f"moment {moment}")
                counts = connection.execute("SELECT count(DISTINCT recording) FROM blocks UNION ALL "
                                            "SELECT count(DISTINCT recording) FROM recording_values").fetchall()
            equal(counts, [(len(rows),), (len(rows),)], f"moment {moment}")
            for i, row in enumerate(rows):
                equal(succeed("info", "-f", "jsonl", f"{db}#{row['id']}").replace(f"{db}#{row['id']}", ""),
                      succeed("info", "-f", "jsonl", paths[i]).replace(paths[i], ""), f"moment {moment}")
        add(db, *paths)
        equal(len(query(db, "SELECT id FROM recordings")), len(paths), f"moment {moment}")
    print(f"{MOMENTS} moments: {whole} whole recordings, {halves} journals were left")


def test_damage(directory):
    """A damaged store is an error, never a crash and never other bytes."""
    need_store()
    db, bad = os.path.join(directory, "store.db"), os.path.join(directory, "bad.db")
    add(db, f"{SAMPLES}/hsw.i915-perf", f"{SAMPLES}/icl.i915-perf")
    expected = {i: succeed("decode", "-f", "csv", f"{db}#{i}") for i in (1, 2)}
    with open(db, "rb") as file:
        data = bytearray(file.read())
    choose, refused = random.Random(SEED), 0
    for _ in range(max(10, 60 * int(os.environ.get("TALLY_TEST_PERCENT", "100")) // 100)):
        damaged = bytearray(data)
        for _ in range(choose.choice([1, 4, 64])):
            damaged[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
        if choose.random() < 0.2:
            del damaged[choose.randrange(len(data)):]
        with open(bad, "wb") as file:
            file.write(damaged)
        for i in (1, 2):
            done = tally("decode", "-f", "csv", f"{bad}#{i}")
            assert done.returncode in (0, 1, 2, 3), f"{done.returncode} {done.stderr}"
            if done.returncode:
                refused += 1
                assert done.stderr.startswith("tally: "), done.stderr
            else:
                equal(done.stdout, expected[i], "the reports of a damaged store")
        for command in (["store", "list", bad], ["query", bad, "SELECT * FROM counter_values"]):
            assert tally(*command).returncode in (0, 1, 2, 3), command
    assert refused > 5, refused
    # A schema that is not ours, although all pages are sound.
    for sql in ("DROP VIEW changes", "ALTER TABLE losses ADD COLUMN more ANY", "PRAGMA user_version = 2",
                "PRAGMA application_id = 1"):
        shutil.copy(db, bad)
        with contextlib.closing(sqlite3.connect(bad)) as connection, connection:
            connection.execute(sql)
        equal(tally("store", "list", bad).returncode, 3, sql)
    # A trigger does not run.
    shutil.copy(db, bad)
    with contextlib.closing(sqlite3.connect(bad)) as connection, connection:
        connection.execute("CREATE TRIGGER t AFTER DELETE ON recordings BEGIN DELETE FROM recordings; END")
    succeed("store", "remove", bad, 1)
    equal(len(query(bad, "SELECT id FROM recordings")), 1)


def test_queries(directory):
    """Formats, values of all types, what is refused, and the views."""
    need_store()
    db = os.path.join(directory, "store.db")
    add(db, f"{SAMPLES}/hsw.i915-perf")
    sql = "SELECT 1 AS a, 2.5 AS b, 'x,\"y\"' AS c, NULL AS d, x'00ff' AS e, 1e300 * 1e300 AS f"
    equal(tally("query", "-f", "csv", db, sql, text=False).stdout, b'a,b,c,d,e,f\r\n1,2.5,"x,""y""",,00ff,inf\r\n')
    equal(succeed("query", "-f", "jsonl", db, sql), '{"a":1,"b":2.5,"c":"x,\\"y\\"","d":null,"e":"00ff","f":null}\n')
    equal(succeed("query", db, sql + " UNION ALL SELECT 100, NULL, 'z', 'w', x'', 0"),
          "  a    b  c      d  e       f\n  1  2.5  x,\"y\"  -  00ff  inf\n100    -  z      w          0\n")
    equal(succeed("query", "-f", "csv", "--csv-safe", db, "SELECT '=1+1' AS a"), "a\n'=1+1\n")
    equal(succeed("query", db, "SELECT 1 AS a WHERE 0"), "a\n")
    many = succeed("query", db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT i FROM n")
    equal([line.strip() for line in many.splitlines()], ["i"] + [str(i + 1) for i in range(2500)])
    with open(db, "rb") as file:
        before = file.read()
    for refused in ("DELETE FROM recordings", "PRAGMA user_version = 3", "ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'",
                    "CREATE TABLE t(x)", "SELECT 1; SELECT 2", "", "SELECT load_extension('x')", "BEGIN",
                    "WITH x AS (SELECT 1) DELETE FROM losses", "SELECT * FROM pragma_table_info('blocks')"):
        done = tally("query", db, refused)
        equal((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), f"{refused}: {done.stderr}")
    with open(db, "rb") as file:
        equal(file.read(), before)
    equal(os.listdir(directory), ["store.db"])


def test_the_views(directory):
    need_store()
    db = os.path.join(directory, "store.db")
    paths = [record(os.path.join(directory, name), "-d", "sim:skl", "-p", "100us", "-t", "60ms", "--workload", workload)
             for name, workload in [("a", "contexts"), ("b", "triangle")]]
    longer = record(os.path.join(directory, "c"), "-d", "sim:skl", "-p", "100us", "-t", "40ms", "--workload", "contexts")
    for path, day in zip([paths[0], paths[1], longer], ("2026-03-01", "2026-02-01", "2026-01-01")):
        succeed("store", "add", "--date", day, *FIXED, db, path)
    equal([row["reports"] > 100 for row in query(db, "SELECT * FROM recording_list")], [True] * 3)
    [worst] = query(db, "SELECT * FROM worst_contexts WHERE counter = 'EuActive' AND rank = 1")
    [highest] = query(db, "SELECT max(overall) AS highest FROM context_values v JOIN counters c ON c.id = v.counter "
                          "WHERE c.symbol = 'EuActive'")
    equal(worst["overall"], highest["highest"])
    # From the older recording to the newer one of the same workload, whatever their ids are.
    changes = query(db, "SELECT * FROM changes WHERE counter = 'EuActive'")
    equal([(row["recording_before"], row["recording"]) for row in changes], [(3, 1)])
    values = {row["recording"]: row["overall"] for row in
              query(db, "SELECT * FROM counter_values WHERE counter = 'EuActive'")}
    equal((changes[0]["before"], changes[0]["after"]), (values[3], values[1]))
    equal(changes[0]["change"], values[1] - values[3])
    assert query(db, "SELECT * FROM phase_list") and query(db, "SELECT * FROM interval_list")


def test_what_cannot_be_added(directory):
    """A bad file does not keep the others out; without a metric set a recording is added without values."""
    need_store()
    db, text = os.path.join(directory, "store.db"), os.path.join(directory, "text")
    with open(text, "w", encoding="ascii") as file:
        file.write("not a recording\n" * 10)
    done = tally("store", "add", DATE, *FIXED, db, f"{SAMPLES}/hsw.i915-perf", text, f"{SAMPLES}/icl.i915-perf")
    equal((done.returncode, len(done.stdout.splitlines())), (3, 2), done.stderr)
    contains(done.stderr, f"{text}: not a recording")
    equal([row["id"] for row in query(db, "SELECT id FROM recordings ORDER BY 1")], [1, 2])
    with open(f"{SAMPLES}/hsw.i915-perf", "rb") as file:
        data = file.read()
    unknown = os.path.join(directory, "unknown")
    uuid = data.index(b"RenderBasic") + 256
    with open(unknown, "wb") as file:
        file.write(data[:uuid - 256] + b"NoSuchSet\0\0" + data[uuid - 245:uuid] + b"00000000" + data[uuid + 8:])
    done = tally("store", "add", DATE, *FIXED, db, unknown)
    equal(done.returncode, 0, done.stderr)
    contains(done.stderr, "values are missing")
    [row] = query(db, "SELECT * FROM recording_list WHERE recording = 3")
    equal((row["metric_set"], row["reports"]), (None, 377))
    contains(row["problem"], "NoSuchSet")
    same(["decode"], unknown, f"{db}#3")


def test_the_document():
    """docs/store.md has the tables and views with all their columns."""
    need_store()
    with open(os.path.join(SOURCE, "docs", "store.md"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(SOURCE, "src", "store", "schema.c"), encoding="utf-8") as file:
        names = [line.split('"')[1] for line in file if line.startswith('    {"')]
    equal(len(names), 27)
    for name in names:
        contains(text, f"| `{name}` |", "docs/store.md")


if __name__ == "__main__":
    main()
