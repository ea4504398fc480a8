# SPDX-License-Identifier: MIT
"""A fleet of two shards: two servers of Debian's clickhouse-server on loopback, started here."""
import csv
import io
import os
import random
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import OWN_METRICS, contains, equal, main, tally  # noqa: E402
from fleet import RECORDINGS, UNSENT, Fleet, add_all, added  # noqa: E402
from servers import free_ports, need_clickhouse  # noqa: E402

SEED = int(os.environ.get("TALLY_TEST_SEED", "1"))
KILLS = int(os.environ.get("TALLY_FLEET_KILLS", "5"))


class Made:
    fleet = None


def fleet():
    need_clickhouse()
    if not Made.fleet:
        Made.fleet = Fleet()
        Made.fleet.start()
    assert Made.fleet.paths, "the fleet could not be made"
    return Made.fleet


def test_recordings_land_on_both_shards():
    made = fleet()
    done = made.add(*made.paths)
    equal((done.returncode, len(done.stdout.splitlines())), (0, RECORDINGS), done.stderr)
    counts = made.count("recordings_rows")
    equal(sum(counts), RECORDINGS)
    assert min(counts) > 1, counts
    # A recording is on one shard, with all its rows.
    for table in ("recording_values", "context_values", "interval_values", "blocks"):
        for shard in made.shards:
            equal(shard.query(f"SELECT count() FROM {table}_rows WHERE recording NOT IN (SELECT id FROM "
                              "recordings_rows)", "tally"), "0\n")
        assert min(made.count(table)) > 0, table
    print(f"recordings on the shards: {counts}")


def test_answers_equal_those_of_sqlite():
    made = fleet()
    made.check_answers()
    made.check_answers(url=made.shards[1].url())
    listed = [list(csv.DictReader(io.StringIO(tally("store", "list", "-f", "csv", store).stdout)))
              for store in (made.db, made.url)]
    for rows in listed:
        for row in rows:
            row.pop("id")
        rows.sort(key=lambda row: row["name"])
    equal(listed[1], listed[0])


def test_columns_are_those_of_sqlite():
    """Of each table and view of the SQLite store: the same columns first, in the same order, here and in fleet.sql."""
    made = fleet()
    connection = sqlite3.connect(made.db)
    names = [name for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND "
                                                  "name NOT LIKE 'sqlite%'")]
    assert len(names) > 18, names
    for name in names:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
        for database in ("tally", "fleet"):
            described = [line.split("\t")[0] for line in
                         made.shards[0].query(f"DESCRIBE TABLE {database}.{name}").splitlines()]
            rest = [column for column in described if column not in columns]
            equal([column for column in described if column in columns], columns, f"{database}.{name}")
            assert all(column.endswith("_exact") or column == "stored" for column in rest), (name, rest)
    connection.close()


def test_adding_again_counts_once():
    made = fleet()
    before = made.count("blocks_rows")
    done = made.add(*made.paths, url=made.shards[1].url())
    equal(done.returncode, 0, done.stderr)
    equal(done.stdout.count("the store has it already"), RECORDINGS)
    equal(made.count("blocks_rows"), before)


def test_clients_that_add_at_once_count_once():
    """Several may send the same recording, and even commit it; one attempt counts."""
    made = fleet()
    path = made.record(20)
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for i in range(4)
                 for command in added(made.shards[i % 2].url(), path, spool=f"spool{i}")]
    for process in processes:
        equal(process.wait(100), 0)
    print(f"commits of one recording by 4 clients: {sum(made.count('recordings_rows')) - RECORDINGS}")
    add_all(made.db, path)
    made.check_answers()
    # Also if all commit: rows of another attempt, as another client would have made them.
    [shard] = [shard for shard in made.shards if shard.query(
        f"SELECT count() FROM recordings WHERE name = '{path}'", "tally") == "1\n"]
    for table in ("recordings", "recording_values", "context_values", "interval_values", "blocks", "losses", "contexts",
                  "intervals", "phases", "phase_values", "marks", "sections", "section_values"):
        columns = [line.split("\t")[0] for line in shard.query(f"DESCRIBE TABLE tally.{table}_rows").splitlines()]
        key = "id" if table == "recordings" else "recording"
        shard.query(f"INSERT INTO {table}_rows ({', '.join(columns)}) SELECT "
                    f"{', '.join('attempt + 1 AS attempt' if c == 'attempt' else c for c in columns)} FROM {table}_rows "
                    f"WHERE {key} IN (SELECT id FROM recordings WHERE name = '{path}')", "tally")
    made.check_answers()


def test_large_integers_are_exact():
    """Of values that a double does not hold, the _exact columns have all digits."""
    made = fleet()
    path = made.record(21)
    spool = os.path.join(made.directory, "exact")
    away = f"clickhouse://127.0.0.1:{free_ports(1)[0]}/fleet"
    equal(tally("store", "add", "-q", "-M", OWN_METRICS, "--spool", spool, away, path).returncode, UNSENT)
    [root] = [root for root, _, names in os.walk(spool) if names]
    [name] = os.listdir(root)
    large = [9007199254740993, -9007199254740993, 9223372036854775807, 9007199254740991]
    with sqlite3.connect(os.path.join(root, name)) as connection:
        connection.execute("UPDATE recording_values SET overall = ?, minimum = ?, maximum = ?, p50 = ?", large)
        connection.execute("UPDATE recordings SET hash = ?, name = 'large'", ("7" * 32,))
    connection.close()
    os.rename(root, os.path.join(spool, made.url.split("//")[1].replace(":", "_").replace("/", "_")))
    done = tally("store", "flush", "--spool", spool, made.url)
    equal(done.returncode, 0, done.stderr)
    rows = tally("query", "-f", "csv", made.url, "SELECT DISTINCT overall_exact, minimum_exact, maximum_exact, p50_exact, "
                 "p50 FROM counter_values WHERE name = 'large'").stdout.splitlines()
    equal(rows[1:], [f"{large[0]},{large[1]},{large[2]},,{large[3]}"])
    for table in ("recordings", "recording_values", "context_values", "interval_values", "blocks"):
        key = "id" if table == "recordings" else "recording"
        for shard in made.shards:  # so that the others equal SQLite's again
            shard.query(f"ALTER TABLE {table}_rows DELETE WHERE {key} = {0x7777777777777777 & (2**63 - 17)}", "tally")
    for _ in range(600):
        if not int(tally("query", "-f", "csv", made.url, "SELECT count() FROM recordings WHERE name = 'large'"
                         ).stdout.split()[1]):
            break
        time.sleep(0.1)


def test_a_shard_down():
    """A query fails, and prints no rows; adding keeps what it cannot send."""
    made = fleet()
    made.shards[1].kill()
    for sql in ["SELECT count(*) FROM recordings", "SELECT name FROM recordings LIMIT 1",
                "SELECT * FROM counter_values", "SELECT * FROM worst_contexts", "SELECT name FROM devices"]:
        for style in ("csv", "jsonl", "table"):
            done = tally("query", "-f", style, made.url, sql)
            equal((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1), f"{sql}: {done.stderr}")
            contains(done.stderr, "DB::")
    equal(tally("store", "list", made.url).returncode, 1)
    path = made.record(22)
    done = made.add(path)
    equal(done.returncode, UNSENT, done.stderr)
    made.shards[1].start()
    equal(made.flush().returncode, 0)
    add_all(made.db, path)
    made.check_answers()


def test_a_shard_is_killed_in_the_middle_of_an_insert():
    """Restarted, it has lost nothing and doubled nothing."""
    made = fleet()
    choose, unsent = random.Random(SEED), 0
    for kill in range(KILLS):
        path = made.record(30 + kill, 500)
        victim = made.shards[kill % 2]
        entry = made.shards[1 - kill % 2]
        start = sum(made.count("recording_values_rows"))
        [command] = added(entry.url(), path, spool="kills")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            # When its first values are there, or a moment later.
            while process.poll() is None and sum(made.count("recording_values_rows")) == start:
                pass
            time.sleep(0.05 * choose.random())
            victim.kill()
            error = process.communicate(timeout=300)[1]
        assert process.returncode in (0, UNSENT), error
        unsent += process.returncode == UNSENT
        victim.start()
        done = tally("store", "flush", "--spool", f"{made.directory}/kills", entry.url())
        equal(done.returncode, 0, done.stderr)
        add_all(made.db, path)
        made.check_answers()
    print(f"{KILLS} kills: {unsent} left a recording in the spool")


def test_rows_that_were_never_committed_are_removed():
    made = fleet()
    shard = made.shards[0]
    for attempt in (5, (int(time.time()) << 31) + 5):
        shard.query(f"INSERT INTO blocks_rows (recording, number, start, size, rows, data, attempt) "
                    f"VALUES (12345, 0, 0, 1, 0, 'x', {attempt})", "tally")
    before = made.count("blocks_rows")
    shard.apply("tally", "clean.sql")
    for _ in range(600):
        if made.count("blocks_rows")[0] == before[0] - 1:
            break
        time.sleep(0.1)
    equal(shard.query("SELECT attempt > 5 FROM blocks_rows WHERE recording = 12345", "tally"), "1\n")
    made.check_answers()


def test_one_server():
    """A database of store.sql is a store by itself."""
    made = fleet()
    shard = made.shards[0]
    shard.query("CREATE DATABASE alone")
    shard.apply("alone", "store.sql")
    shard.apply("alone", "views.sql")
    done = made.add(*made.paths, url=shard.url("alone"))
    equal(done.returncode, 0, done.stderr)
    db = os.path.join(made.directory, "alone.db")
    add_all(db, *made.paths)
    made.check_answers(db, shard.url("alone"))


if __name__ == "__main__":
    try:
        main()
    finally:
        if Made.fleet:
            Made.fleet.stop()
