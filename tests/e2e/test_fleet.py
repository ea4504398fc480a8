# SPDX-License-Identifier: MIT
"""Stores in ClickHouse, against a small server that plays one: errors, retries, the spool, and answers that are cut or
garbage. tests/fleet has the tests with real servers."""
import base64
import contextlib
import http.server
import os
import signal
import shutil
import socket
import subprocess
import threading
import time
import urllib.parse

from e2e import SAMPLES, TALLY, OWN_METRICS, Skip, build_options, check_memory, contains, equal, main, tally

ADD = ["--date", "2026-11-27", "-M", OWN_METRICS]
HSW, ICL = f"{SAMPLES}/hsw.i915-perf", f"{SAMPLES}/icl.i915-perf"
UNSENT = 6
PARTS = ["recording_values", "contexts", "context_values", "phases", "phase_values", "intervals", "interval_values",
         "marks", "sections", "section_values", "losses", "blocks"]


def need_fleet():
    if "clickhouse: libcurl" not in build_options():
        raise Skip("this tally is built without libcurl or SQLite")


def answer(names, types, *rows):
    return "".join("\t".join(line) + "\n" for line in [names, types, *rows]).encode()


class Server(http.server.ThreadingHTTPServer):
    """Plays ClickHouse: knows the format of the store, and which recordings were committed. `before` is a function
    that sees each request first, and returns whether it has answered."""
    daemon_threads = True

    def __init__(self, before=None, queries=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.before, self.queries = before, queries or {}
        self.inserts, self.headers, self.parameters, self.committed = [], [], [], {}
        self.url = f"clickhouse://127.0.0.1:{self.server_address[1]}/fleet"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        pass  # a client that has seen enough

    def tables(self):
        return [table for table, _ in self.inserts]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fail(self, code, text):
        self.send(500, f"Code: {code}, e.displayText() = DB::Exception: {text}, e.what() = DB::Exception\n".encode())

    def handle_one(self, body):
        server = self.server
        parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        self.sql = parameters["query"]
        server.headers.append(self.headers)
        server.parameters.append(parameters)
        if server.before and server.before(self, body):
            return
        if self.sql.startswith("INSERT INTO "):
            server.inserts.append((self.sql.split()[2].removesuffix("_rows"), body))
            if server.inserts[-1][0] == "recordings":
                self.commit(body)
            self.send(200, b"")
        elif self.sql == "SELECT version FROM store_format":
            self.send(200, answer(["version"], ["Int64"], ["1"]))
        elif "FROM recordings_rows WHERE id" in self.sql:
            words = self.sql.split()
            low, high = int(words[words.index(">=") + 1]), int(words[words.index("<") + 1])
            self.send(200, answer(["id", "hash"], ["Int64", "String"],
                                  *([str(key), value] for key, value in server.committed.items() if low <= key < high)))
        elif self.sql in server.queries:
            self.send(200, server.queries[self.sql])
        else:
            self.fail(62, "Syntax error")

    def commit(self, body):
        """A row of recordings: the id, two texts, one of which may be NULL, and the hash."""
        at = 8
        name = body[at]
        at += 1 + name
        at += 1 if body[at] else 2 + body[at + 1]
        assert body[at] == 32, body[:200]
        self.server.committed[int.from_bytes(body[:8], "little")] = body[at + 1:at + 33].decode()

    def do_GET(self):
        self.handle_one(b"")

    def do_POST(self):
        self.handle_one(self.rfile.read(int(self.headers["Content-Length"])))


def add(directory, url, *files, env=None, options=()):
    """Adds files by their names in `directory`, which the spool is in, too."""
    for path in files:
        if not os.path.exists(os.path.join(directory, os.path.basename(path))):
            shutil.copy(path, directory)
    names = [os.path.join(directory, os.path.basename(path)) for path in files]
    return tally("store", "add", *ADD, "--spool", os.path.join(directory, "spool"), *options, url, *names, env=env)


def flush(directory, url, *options):
    return tally("store", "flush", "--spool", os.path.join(directory, "spool"), *options, url)


def spooled(directory):
    return sorted(name for _, _, names in os.walk(os.path.join(directory, "spool")) for name in names)


def free_url():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"clickhouse://127.0.0.1:{free.getsockname()[1]}/fleet"


def attempt_of(body):
    """The attempt of the last row: it and the day are at the end of each row."""
    return int.from_bytes(body[-10:-2], "little")


def test_urls():
    need_fleet()
    for url, part in [("clickhouse://", "host"), ("clickhouse://h", "database"), ("clickhouse://h:0/d", "port"),
                      ("clickhouse://h:99999/d", "port"), ("clickhouse://h/d;x", "database"),
                      ("clickhouse://u:se%2cret@h:x/d", "port"), ("clickhouse://u:se%cret@h/d", "user or password"),
                      ("clickhouse://[::1/d", "host"), ("clickhouse://h/" + "d" * 300, "database")]:
        for command in (["store", "list", url], ["query", url, "SELECT 1"], ["store", "add", url, HSW],
                        ["store", "flush", url]):
            done = tally(*command)
            equal((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), f"{command}: {done.stderr}")
            contains(done.stderr, part)
            contains(done.stderr, "expected")
            assert "cret" not in done.stderr, done.stderr
    equal(tally("store", "flush", "fleet.db").returncode, 2)
    equal(tally("store", "remove", "clickhouse://h/d", 1).returncode, 2)
    contains(tally("query", "--timeout", "0s", "clickhouse://h/d", "SELECT 1").stderr, "--timeout")


def test_a_recording_is_sent_and_committed_last(directory):
    need_fleet()
    with Server() as server:
        done = add(directory, server.url, HSW, ICL)
        equal(done.returncode, 0, done.stderr)
        equal([line.split("  ")[1] for line in done.stdout.splitlines()],
              [f"{directory}/hsw.i915-perf: sent", f"{directory}/icl.i915-perf: sent"])
        equal(spooled(directory), [])
        for first in (0, server.tables().index("recordings") + 1):
            tables = server.tables()[first:server.tables().index("recordings", first) + 1]
            equal(tables[:3], ["devices", "sets", "counters"])
            assert set(tables[3:]) <= {*PARTS, "recordings"} and "blocks" in tables, tables
            equal(len({attempt_of(body) for table, body in server.inserts[first + 3:first + len(tables)]}), 1)
        equal(len({attempt_of(body) for table, body in server.inserts if table == "recordings"}), 2)
        equal(len(server.committed), 2)
        equal({parameters["insert_distributed_sync"] for parameters in server.parameters if
               parameters["query"].startswith("INSERT")}, {"1"})
        before = len(server.inserts)
        done = add(directory, server.url, ICL)
        equal((done.returncode, len(server.inserts)), (0, before), done.stderr)
        contains(done.stdout, "icl.i915-perf: the store has it already")


def test_no_server(directory):
    """The recording is kept, once, and sent later: by a flush, or by the next add."""
    need_fleet()
    url = free_url()
    for _ in range(2):
        done = add(directory, url, HSW)
        equal((done.returncode, done.stdout), (UNSENT, ""), done.stderr)
        contains(done.stderr, "cannot reach the server")
        contains(done.stderr, "1 recording is kept in")
        equal(len(spooled(directory)), 1)
    done = flush(directory, url)
    equal((done.returncode, len(spooled(directory))), (UNSENT, 1), done.stderr)
    # It belongs to the store of the URL, so another one does not get it.
    with Server() as server:
        equal((flush(directory, server.url).returncode, server.tables()), (0, []))
        kept, wanted = (os.path.join(directory, "spool", name.split("//")[1].replace(":", "_").replace("/", "_"))
                        for name in (url, server.url))
        os.rmdir(wanted)
        os.rename(kept, wanted)
        done = flush(directory, server.url)
        equal((done.returncode, spooled(directory), len(server.committed)), (0, [], 1), done.stderr)
        equal((flush(directory, server.url).returncode, len(server.committed)), (0, 1))


def test_the_next_add_sends_what_waits(directory):
    need_fleet()
    broken = {"on": True}

    def before(handler, _):
        if broken["on"]:
            handler.fail(210, "Connection refused: 10.0.0.2:9000")
        return broken["on"]
    with Server(before) as server:
        done = add(directory, server.url, HSW)
        equal(done.returncode, UNSENT)
        contains(done.stderr, "Code: 210")
        broken["on"] = False
        done = add(directory, server.url, ICL)
        equal((done.returncode, len(server.committed), spooled(directory)), (0, 2, []), done.stderr)


def test_a_failure_at_each_request(directory):
    """No commit after a failed insert; another attempt has another number; in the end it is there once."""
    need_fleet()
    for kind in ("error", "close", "cut"):
        for number in range(40):
            state = {"left": number, "failed": False}

            def before(handler, _, state=state, kind=kind):
                state["left"] -= 1
                if state["left"] != -1:
                    assert not state["failed"], "a request after one that has failed"
                    return False
                state["failed"] = True
                if kind == "error":
                    handler.fail(241, "Memory limit exceeded")
                elif kind == "cut":
                    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
                handler.close_connection = True
                return True
            with Server(before) as server:
                done = add(directory, server.url, HSW)
                if not state["failed"]:
                    equal((done.returncode, number > 9, len(server.committed)), (0, True, 1), done.stderr)
                    break
                equal((done.returncode, server.committed, len(spooled(directory))), (UNSENT, {}, 1), done.stderr)
                attempts = {attempt_of(body) for table, body in server.inserts if table in PARTS}
                server.before = None
                done = flush(directory, server.url)
                equal((done.returncode, len(server.committed), spooled(directory)), (0, 1, []), done.stderr)
                assert attempt_of(server.inserts[-1][1]) not in attempts
                equal(server.tables().count("recordings"), 1)
        else:
            raise AssertionError("more requests than expected")


def test_the_answer_to_a_commit_is_lost(directory):
    """Then nobody knows: the next attempt finds the recording."""
    need_fleet()

    def before(handler, body):
        if not handler.sql.startswith("INSERT INTO recordings_rows"):
            return False
        handler.commit(body)
        handler.close_connection = True
        return True
    with Server(before) as server:
        done = add(directory, server.url, HSW)
        equal((done.returncode, len(server.committed), len(spooled(directory))), (UNSENT, 1, 1), done.stderr)
        server.before, count = None, len(server.inserts)
        done = flush(directory, server.url)
        equal((done.returncode, len(server.inserts), spooled(directory)), (0, count, []), done.stderr)
        contains(done.stdout, "the store has it already")


def test_another_recording_has_the_id(directory):
    need_fleet()
    with Server() as server:
        add(directory, server.url, HSW)
        [(key, value)] = server.committed.items()
        server.committed[key] = "0" * 32
        equal(add(directory, server.url, HSW).returncode, 0)
        equal(server.committed, {key: "0" * 32, key + 1: value})
        server.committed = {key + i: "0" * 32 for i in range(16)}
        done = add(directory, server.url, HSW)
        equal((done.returncode, len(spooled(directory))), (UNSENT, 1))
        contains(done.stderr, "16 recordings have the id")


def raw(data, close=True):
    """A server's answer to everything: these bytes."""
    def before(handler, _):
        with contextlib.suppress(OSError):
            handler.wfile.write(data)
        handler.close_connection = close
        return True
    return before


def ok(body, headers=b""):
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s" % (len(body), headers, body)


BAD_ANSWERS = [  # bytes of the server, exit code of a query, a part of the message
    (b"", 1, "not complete"),
    (b"\0\xff" * 500, 3, ""),
    (b"SSH-2.0-OpenSSH_9.2\r\n", 3, ""),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\na\nInt64\n1\n", 1, "not complete"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na\nInt\r\n", 1, "not complete"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 1, ""),
    (ok(b""), 3, "ends before the rows"),
    (ok(b"a\n"), 3, "ends before the rows"),
    (ok(b"<html>hello</html>\n"), 3, "ends before the rows"),
    (ok(b"a\nInt64\n1"), 3, "ends in the middle"),
    (ok(b"a\nInt64\n1\t2\n"), 3, "too many columns"),
    (ok(b"a\tb\nInt64\tInt64\n1\n"), 3, "too few columns"),
    (ok(b"a\nInt64\nx\n"), 3, "not of its type"),
    (ok(b"a\nInt64\n0x10\n"), 3, "not of its type"),
    (ok(b"a\nInt64\n\\N1\n"), 3, "more after"),
    (ok(b"\\N\nInt64\n1\n"), 3, "no names"),
    (ok(b"\t".join([b"a"] * 257) + b"\n"), 3, "too many columns"),
    # As a server does that fails when it has begun to answer.
    (ok(b"a\nInt64\n1\nCode: 279, e.displayText() = DB::Exception: All connection tries failed\n"), 3, "not of its type"),
    (ok(b"a\nInt64\n1\n", b"X-ClickHouse-Exception-Code: 279\r\n"), 1, ""),
    (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 3, "redirection"),
    (b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 4, "wrong user or password"),
    (b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope", 3, "status 404: nope"),
    (b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", 1, "status 503"),
    (b"HTTP/1.1 500 Oops\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100000, 1, "status 500"),
    (b"HTTP/1.1 200 OK\r\n" + b"X-A: " + b"y" * 400000 + b"\r\n\r\n", 1, ""),
    (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\na\n1", 3, ""),
]


def test_bad_answers(directory):
    """Each is an error of one line, without rows of a table, and keeps what was to be sent."""
    need_fleet()
    for data, code, part in BAD_ANSWERS:
        with Server(raw(data)) as server:
            done = tally("query", server.url, "SELECT a FROM b")
            equal((done.returncode, len(done.stderr.splitlines())), (code, 1), f"{data[:80]}: {done.stderr}")
            contains(done.stderr, part, data[:80])
            shutil.rmtree(os.path.join(directory, "spool"), ignore_errors=True)
            done = add(directory, server.url, HSW)
            equal((done.returncode, len(spooled(directory)), len(done.stderr.splitlines())), (UNSENT, 1, 2),
                  f"{data[:80]}: {done.stderr}")
    # The format of the store, and the ids of recordings, can be anything.
    for body in (answer(["version"], ["String"], ["x"]), answer(["a", "b"], ["Int64", "Int64"], ["1", "1"]),
                 answer(["version"], ["Int64"], ["1"], ["1"]), answer(["version"], ["Int64"]),
                 answer(["version"], ["Int64"], ["2"])):
        with Server(raw(ok(body))) as server:
            equal(flush(directory, server.url).returncode, 0)  # nothing to send
            done = add(directory, server.url, ICL)
            equal(done.returncode, UNSENT, done.stderr)
    for body in (answer(["id"], ["Int64"], ["1"]), answer(["id", "hash"], ["Int64", "String"], ["1", "x"]),
                 answer(["id", "hash"], ["String", "String"], ["1", "x"])):
        def before(handler, _, body=body):
            if "recordings_rows" in handler.sql:
                handler.send(200, body)
            return "recordings_rows" in handler.sql
        with Server(before) as server:
            done = add(directory, server.url, ICL)
            equal(done.returncode, UNSENT, done.stderr)
            contains(done.stderr, "other columns")


def test_no_store_in_the_database(directory):
    need_fleet()

    def before(handler, _):
        handler.fail(60, "Table fleet.store_format doesn't exist.")
        return True
    with Server(before) as server:
        done = add(directory, server.url, HSW)
        equal(done.returncode, UNSENT)
        contains(done.stderr, "data/clickhouse/store.sql")
        equal(tally("query", server.url, "SELECT 1").returncode, 2)


def test_a_silent_server(directory):
    need_fleet()
    silent = threading.Event()

    def before(*_):
        silent.wait(60)
        return True
    with Server(before) as server:
        start = time.monotonic()
        done = tally("query", "--timeout", "1s", server.url, "SELECT 1")
        equal(done.returncode, 1)
        contains(done.stderr, "no answer in time")
        done = add(directory, server.url, HSW, options=["--timeout", "1s"])
        equal((done.returncode, len(spooled(directory))), (UNSENT, 1), done.stderr)
        assert time.monotonic() - start < 50
        silent.set()


def test_queries_print_what_they_print_of_a_file(directory):
    need_fleet()
    db = os.path.join(directory, "a.db")
    equal(tally("store", "add", *ADD, db, HSW).returncode, 0)
    rows = [("1", "2.5", "'x,\"y\"'", "NULL", "x'00ff'", "1e300 * 1e300", "9007199254740993", "1234567.0"),
            ("-5", "NULL", "'a\nb\t\\'", "'w'", "x'fe'", "-0.1", "NULL", "1e-300")]
    names = [*"abcdefgh"]
    sql = " UNION ALL ".join("SELECT " + ", ".join(f"{value} AS {name}" for value, name in zip(row, names))
                             for row in rows)
    body = (
        b"a\tb\tc\td\te\tf\tg\th\n"
        b"Int8\tNullable(Float64)\tLowCardinality(String)\tNullable(String)\tString\tFloat64\tNullable(Int64)\tFloat64\n"
        b'1\t2.5\tx,"y"\t\\N\t\\0\xff\tinf\t9007199254740993\t1234567\n'
        b"-5\t\\N\ta\\nb\\t\\\\\tw\t\xfe\t-0.1\t\\N\t1e-300\n")
    with Server(queries={sql: body}) as server:
        for style in ("table", "csv", "jsonl"):
            file, remote = (tally("query", "-f", style, store, sql, text=False) for store in (db, server.url))
            equal((remote.returncode, remote.stdout), (0, file.stdout), style + str(remote.stderr))
        parameters = server.parameters[-1]
        equal((parameters["database"], parameters["wait_end_of_query"], parameters["skip_unavailable_shards"]),
              ("fleet", "1", "0"))
        done = tally("query", "-f", "jsonl", server.url, "SELECT wrong")
        equal((done.returncode, done.stdout), (2, ""))
        contains(done.stderr, "Syntax error")
        assert "e.what()" not in done.stderr
        equal(tally("query", server.url, " ; ").returncode, 2)
        equal(tally("query", server.url, "SELECT '" + "x" * 13000 + "'").returncode, 2)
        server.queries["u"] = answer(["a", "b"], ["UInt64", "Float64"], ["18446744073709551615", "nan"])
        equal(tally("query", "-f", "csv", server.url, "u").stdout, "a,b\n18446744073709551615,\n")


def test_rows_are_streamed():
    """A query of 64 MB takes no more memory than one of a few rows."""
    need_fleet()
    line = b"12345678\t" + b"x" * 990 + b"\n"

    def before(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(line) * 64000 + 21))
        handler.end_headers()
        handler.wfile.write(b"a\tb\nInt64\tString\n1\tx\n")
        for _ in range(64):
            handler.wfile.write(line * 1000)
        return True
    with Server(before) as server:
        with subprocess.Popen([TALLY, "query", "-f", "csv", server.url, "s"], stdout=subprocess.PIPE) as process:
            count = sum(1 for _ in process.stdout)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        equal((process.returncode, count), (0, 64002))
        check_memory(usage.ru_maxrss, 50000)


def test_users_and_passwords(directory):
    """From the URL, the environment, or a file as curl's .netrc; never in a message or in the spool."""
    need_fleet()

    def before(handler, _):
        handler.send(401, b"")
        return True

    def user(server):
        header = server.headers[-1].get("Authorization")
        return header and base64.b64decode(header.split()[1]).decode()
    netrc = os.path.join(directory, "netrc")
    with open(netrc, "w", encoding="ascii") as file:
        file.write("machine 127.0.0.1 login filer password s3cret\n")
    with Server(before) as server:
        named = server.url.replace("//", "//someone:s3%40cret@")
        env = {"TALLY_CLICKHOUSE_USER": "envy", "TALLY_CLICKHOUSE_PASSWORD": "s3cret", "HOME": directory}
        for url, environment, expected in [
                (named, {}, "someone:s3@cret"), (named, env, "someone:s3@cret"), (server.url, env, "envy:s3cret"),
                (server.url, {"TALLY_CLICKHOUSE_NETRC": netrc}, "filer:s3cret"),
                (server.url, {"TALLY_CLICKHOUSE_PASSWORD": "s3cret"}, "default:s3cret"),
                (server.url, {"HOME": directory}, None)]:
            done = add(directory, url, HSW, env={"HOME": directory, **environment})
            equal((done.returncode, user(server)), (UNSENT, expected), done.stderr)
            assert "cret" not in done.stderr + done.stdout, done.stderr
            done = tally("query", url, "SELECT 1", env={"HOME": directory, **environment})
            equal((done.returncode, user(server)), (4, expected), done.stderr)
            assert "cret" not in done.stderr, done.stderr
        for root, _, names in os.walk(os.path.join(directory, "spool")):
            for name in names:
                with open(os.path.join(root, name), "rb") as file:
                    assert b"cret" not in file.read()


def test_the_spool_is_bounded(directory):
    need_fleet()
    url = free_url()
    done = add(directory, url, HSW, options=["--spool-max", "100K"])
    equal((done.returncode, spooled(directory)), (1, []), done.stderr)
    contains(done.stderr, "the spool is full")
    equal(add(directory, url, HSW).returncode, UNSENT)
    size = sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(os.path.join(directory, "spool"))
               for name in names)
    done = add(directory, url, ICL, options=["--spool-max", f"{size // 1024 + 50}K"])
    equal((done.returncode, len(spooled(directory))), (1, 1), done.stderr)
    equal(tally("store", "add", "--spool-max", "x", url, HSW).returncode, 2)


def test_the_directory_of_the_spool(directory):
    need_fleet()
    url = free_url()
    name = url.split("//")[1].replace(":", "_").replace("/", "_")
    env = {"XDG_STATE_HOME": os.path.join(directory, "state")}
    equal(tally("store", "add", *ADD, url, HSW, env=env).returncode, UNSENT)
    path = os.path.join(directory, "state", "tally", "spool", name)
    equal(len(os.listdir(path)), 1)
    equal(os.stat(path).st_mode & 0o777, 0o700)
    with open(os.path.join(directory, "file"), "w", encoding="ascii"):
        pass
    done = tally("store", "add", "--spool", os.path.join(directory, "file"), url, HSW)
    equal((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
    contains(done.stderr, "cannot use the spool")


def test_what_is_no_recording(directory):
    need_fleet()
    bad = os.path.join(directory, "bad")
    with open(bad, "w", encoding="ascii") as file:
        file.write("not a recording\n" * 10)
    with Server() as server:
        done = add(directory, server.url, bad, HSW)
        equal((done.returncode, len(server.committed), spooled(directory)), (3, 1, []), done.stderr)
        contains(done.stderr, "bad")


def test_damaged_files_of_the_spool(directory):
    """They are set aside, and the others are sent."""
    need_fleet()
    url = free_url()
    equal(add(directory, url, HSW, ICL).returncode, UNSENT)
    [root] = [root for root, _, names in os.walk(os.path.join(directory, "spool")) if names]
    first = sorted(os.listdir(root), key=lambda name: os.stat(os.path.join(root, name)).st_mtime_ns)[0]
    with open(os.path.join(root, first), "r+b") as file:
        file.write(b"x" * 100)
    with Server() as server:
        moved = os.path.join(directory, "spool", server.url.split("//")[1].replace(":", "_").replace("/", "_"))
        os.rename(root, moved)
        done = flush(directory, server.url)
        equal((done.returncode, len(server.committed)), (3, 1), done.stderr)
        equal(spooled(directory), [first.replace(".db", ".damaged")])
        contains(done.stderr, ".damaged")


def test_a_killed_client_leaves_whole_files(directory):
    """At any moment: what it has not completed is removed by the next one."""
    need_fleet()
    started = threading.Event()
    stop = threading.Event()

    def before(handler, _):
        if "blocks_rows" in handler.sql:
            started.set()
            stop.wait(30)
            return True
        return False
    with Server(before) as server:
        shutil.copy(HSW, directory)
        command = [TALLY, "store", "add", *ADD, "--spool", f"{directory}/spool", server.url, f"{directory}/hsw.i915-perf"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            assert started.wait(60)
            process.send_signal(signal.SIGKILL)
            process.wait()
        equal((len(spooled(directory)), server.committed), (1, {}))
        [root] = [root for root, _, names in os.walk(os.path.join(directory, "spool")) if names]
        with open(os.path.join(root, f"new-{process.pid}-0"), "wb") as file:
            file.write(b"half")
        stop.set()
        server.before = None
        done = flush(directory, server.url)
        equal((done.returncode, spooled(directory), len(server.committed)), (0, [], 1), done.stderr)


def test_two_clients_at_once(directory):
    """They take turns, and one finds what the other has sent."""
    need_fleet()
    equal(add(directory, free_url(), HSW, ICL).returncode, UNSENT)
    [root] = [root for root, _, names in os.walk(os.path.join(directory, "spool")) if names]
    with Server() as server:
        os.rename(root, os.path.join(directory, "spool", server.url.split("//")[1].replace(":", "_").replace("/", "_")))
        processes = [subprocess.Popen([TALLY, "store", "flush", "--spool", f"{directory}/spool", server.url],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
        for process in processes:
            process.communicate(timeout=100)
            equal(process.returncode, 0)
        equal((server.tables().count("recordings"), spooled(directory)), (2, []))


if __name__ == "__main__":
    main()
