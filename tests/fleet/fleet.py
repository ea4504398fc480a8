# SPDX-License-Identifier: MIT
"""A fleet of ClickHouse servers, and queries whose answers are those of an SQLite store of the same recordings."""
import os
import shutil
import subprocess
import tempfile

from e2e import OWN_METRICS, TALLY, equal, tally
from servers import Server, free_ports

RECORDINGS = 20
UNSENT = 6

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


class Fleet:
    """Two shards, 20 recordings, and an SQLite store of the same recordings."""
    store = "store.sql"

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="tally-fleet-")
        self.shards = self.make_servers()
        self.paths, self.url = [], self.shards[0].url()
        self.db = os.path.join(self.directory, "store.db")

    def make_servers(self):
        ports = free_ports(6)
        ports = [ports[:3], ports[3:]]
        cluster = [[tcp] for _, tcp, _ in ports]
        return [Server(os.path.join(self.directory, f"shard{i}"), ports[i], cluster) for i in range(2)]

    def start(self):
        for shard in self.shards:
            shard.start()
            for database in ("tally", "fleet"):
                shard.query(f"CREATE DATABASE {database}")
        for database, name in [("tally", self.store), ("tally", "views.sql"), ("fleet", "fleet.sql"), ("fleet", "views.sql")]:
            for shard in self.shards:
                shard.apply(database, name)
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

    def check_answers(self, db=None, url=None, styles=("csv", "jsonl", "table")):
        for sql in QUERIES:
            for style in styles:
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
