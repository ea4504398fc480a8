# SPDX-License-Identifier: MIT
"""A fleet of two shards: two servers of Debian's clickhouse-server on loopback, started here."""
import csv
import io
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import OWN_METRICS, SOURCE, TALLY, Skip, build_options, contains, equal, main, need_program, tally  # noqa: E402

RECORDINGS = 20
SEED = int(os.environ.get("TALLY_TEST_SEED", "1"))
KILLS = int(os.environ.get("TALLY_FLEET_KILLS", "5"))
UNSENT = 6
SCHEMA = os.path.join(SOURCE, "data", "clickhouse")

# Queries without ids, which are others in SQLite. In both dialects.
QUERIES = [
    "SELECT name, date, device, metric_set, workload, platform, reports, lost_deltas, missing_reports, seconds, "
    "size_bytes, stored_bytes, problem FROM recording_list ORDER BY name",
    "SELECT name, hash, size_bytes, kind, layout, provenance, timestamp_hz, period_ns, cpu_start_ns, duration_ns, "
    "paused_ns FROM recordings ORDER BY name",
    "SELECT name, counter, units, overall, minimum, mean, p50, p95, p99, maximum FROM counter_values "
    "ORDER BY name, counter",
    "SELECT counter, rank, name, context, overall, mean, p95, maximum, duration_ns FROM worst_contexts "
    "ORDER BY counter, rank, name, context",
    "SELECT name, phase, counter, overall, minimum, mean, p50, p95, p99, maximum FROM phase_list "
    "ORDER BY name, phase, counter",
    "SELECT name, width_ns, start_ns, counter, units, overall, minimum, mean, maximum FROM interval_list "
    "ORDER BY name, width_ns, start_ns, counter",
    "SELECT name, section, counter, overall, minimum, mean, p50, p95, p99, maximum, duration_ns FROM section_list "
    "ORDER BY name, section, counter, overall",
    "SELECT name, date, device, metric_set, workload, frame, start_ns, duration_ns FROM frame_list ORDER BY name, frame",
    "SELECT number, kind, name, time_ns, earliest_ns, latest_ns FROM marks ORDER BY number, kind, time_ns",
    "SELECT section, name, deltas, lost, duration_ns FROM sections ORDER BY section, name, deltas, duration_ns",
    "SELECT reason, records, after_report, start_ns, end_ns, estimated_reports, exact FROM losses "
    "ORDER BY reason, records, after_report, start_ns",
    "SELECT number, start, size, rows, data FROM blocks ORDER BY number, start, size, data",
    "SELECT name, vendor, platform, pci_device, revision, eus, modelled FROM devices ORDER BY name, eus, pci_device",
    "SELECT symbol, name, uuid, chipset FROM sets ORDER BY symbol, name, uuid",
    "SELECT symbol, name, units, description FROM counters ORDER BY symbol, name, units, description",
    "SELECT context, deltas, lost, duration_ns FROM contexts ORDER BY context, deltas, lost, duration_ns",
    "SELECT counter, units, device, metric_set, workload, date, name, date_before, before, after, change, percent "
    "FROM changes ORDER BY counter, units, device, metric_set, workload, date, name",
    "SELECT count(*) AS n, sum(reports) AS reports, max(cpu_start_ns) AS latest FROM recordings",
    "SELECT 9007199254740993 AS a, -9223372036854775807 AS b, 0.1 + 0.2 AS c, NULL AS d",
]


def added(store, *paths, spool="spool"):
    """Command lines that add recordings, each with a date of its own, by which `changes` orders them."""
    for path in paths:
        day = int(os.path.basename(path)[1:])
        yield [TALLY, "store", "add", "-q", "--date", f"2026-{1 + day // 28:02}-{1 + day % 28:02}", "-M", OWN_METRICS,
               "--spool", os.path.join(os.path.dirname(path), spool), store, path]


def add_all(store, *paths):
    for command in added(store, *paths):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300)


def find_server():
    """Installed, or unpacked by make deps-fleet."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return shutil.which("clickhouse-server", path=f"{os.environ['PATH']}:/usr/sbin:{cache}/tally/fleet/usr/sbin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Shard:
    """A server, with all its files in a directory."""

    def __init__(self, directory, ports, all_ports):
        self.directory, (self.http, self.tcp, self.interserver) = directory, ports
        self.process = None
        os.makedirs(directory)
        shards = "".join(f"<shard><replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard>"
                         for _, tcp, _ in all_ports)
        with open(os.path.join(directory, "config.xml"), "w", encoding="ascii") as file:
            file.write(f"""<yandex>
<logger><level>information</level><log>{directory}/log</log><errorlog>{directory}/errors</errorlog></logger>
<http_port>{self.http}</http_port><tcp_port>{self.tcp}</tcp_port>
<interserver_http_port>{self.interserver}</interserver_http_port><listen_host>127.0.0.1</listen_host>
<path>{directory}/data/</path><tmp_path>{directory}/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>16777216</mark_cache_size>
<remote_servers><tally>{shards}</tally></remote_servers>
</yandex>""")
        with open(os.path.join(directory, "users.xml"), "w", encoding="ascii") as file:
            file.write("""<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><quotas><default></default></quotas></yandex>""")

    def start(self):
        server = find_server()
        with open(os.path.join(self.directory, "output"), "ab") as output:
            self.process = subprocess.Popen([server, f"--config-file={self.directory}/config.xml"], stdout=output,
                                            stderr=output, cwd=self.directory)
        for _ in range(600):
            assert self.process.poll() is None, "clickhouse-server has ended"
            try:
                if self.query("SELECT 1") == "1\n":
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("clickhouse-server does not answer")

    def query(self, sql, database="default"):
        url = f"http://127.0.0.1:{self.http}/?" + urllib.parse.urlencode({"database": database})
        with urllib.request.urlopen(url, sql.encode(), timeout=60) as answer:
            return answer.read().decode()

    def apply(self, database, name):
        with open(os.path.join(SCHEMA, name), encoding="utf-8") as file:
            subprocess.run(["clickhouse-client", "--host", "127.0.0.1", "--port", str(self.tcp), "--database", database,
                            "--multiquery"], stdin=file, check=True, timeout=120)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def url(self, database="fleet"):
        return f"clickhouse://127.0.0.1:{self.http}/{database}"


class Fleet:
    """Two shards, 20 recordings, and an SQLite store of the same recordings."""
    made = None

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="tally-fleet-")
        ports = free_ports(6)
        ports = [ports[:3], ports[3:]]
        self.shards = [Shard(os.path.join(self.directory, f"shard{i}"), ports[i], ports) for i in range(2)]
        self.paths, self.url = [], self.shards[0].url()
        self.db = os.path.join(self.directory, "store.db")

    def start(self):
        for shard in self.shards:
            shard.start()
            for database in ("tally", "fleet"):
                shard.query(f"CREATE DATABASE {database}")
        for database, name in [("tally", "store"), ("tally", "views"), ("fleet", "fleet"), ("fleet", "views")]:
            for shard in self.shards:
                shard.apply(database, name + ".sql")
        self.paths = [self.record(i) for i in range(RECORDINGS)]
        add_all(self.db, *self.paths)

    def record(self, number, time_ms=None):
        """Of different devices, workloads and lengths, some with losses; each is another one."""
        path = os.path.join(self.directory, f"r{number:02}")
        platform = ["hsw", "skl", "icl", "bdw"][number % 4]
        workload = ["triangle", "contexts", "idle-bursts"][number % 3]
        more = ["--fault", "lossy"] if number % 5 == 4 else []
        marks = os.path.join(self.directory, "marks")
        with open(marks, "w", encoding="ascii") as file:
            file.write("@1005000500 mark early\n@1010000000 frame\n@1012000000 begin x\n@1017000000 frame\n@1020000000 end x\n")
        with open(marks if number % 3 == 0 else os.devnull, "rb") as file:
            subprocess.run([TALLY, "record", "-q", "-d", f"sim:{platform}", "--workload", workload, "-p", "100us", "-t",
                            f"{time_ms or 30 + number}ms", *more, "--mark-fd", "0", "-o", path], stdin=file, check=True,
                           stdout=subprocess.DEVNULL)
        return path

    def add(self, *paths, url=None):
        """The first exit code that is not 0, and everything that is printed."""
        done = [subprocess.run(command, capture_output=True, text=True, timeout=300)
                for command in added(url or self.url, *paths)]
        return subprocess.CompletedProcess([], next((one.returncode for one in done if one.returncode), 0),
                                           "".join(one.stdout for one in done), "".join(one.stderr for one in done))

    def flush(self):
        return tally("store", "flush", "--spool", f"{self.directory}/spool", self.url)

    def count(self, table):
        return [int(shard.query(f"SELECT count() FROM {table}", "tally")) for shard in self.shards]

    def check_answers(self, db=None, url=None):
        for sql in QUERIES:
            for style in ("csv", "jsonl", "table"):
                file, remote = (tally("query", "-f", style, store, sql) for store in (db or self.db, url or self.url))
                equal((file.returncode, remote.returncode), (0, 0), remote.stderr + file.stderr)
                assert file.stdout == remote.stdout, difference(sql, file.stdout, remote.stdout)
            assert len(file.stdout.splitlines()) > 1 or "losses" in sql, sql

    def stop(self):
        for shard in self.shards:
            shard.kill()
        shutil.rmtree(self.directory)


def difference(sql, ours, theirs):
    for line, other in zip(ours.splitlines(), theirs.splitlines()):
        if line != other:
            return f"{sql}: SQLite {line!r}, ClickHouse {other!r}"
    return f"{sql}: SQLite {len(ours.splitlines())} lines, ClickHouse {len(theirs.splitlines())}"


def fleet():
    if "clickhouse: libcurl" not in build_options():
        raise Skip("this tally is built without libcurl or SQLite")
    need_program("clickhouse-client")
    if not find_server():
        raise Skip("needs clickhouse-server (make deps-fleet)")
    if not Fleet.made:
        Fleet.made = Fleet()
        Fleet.made.start()
    assert Fleet.made.paths, "the fleet could not be made"
    return Fleet.made


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
        if Fleet.made:
            Fleet.made.stop()
