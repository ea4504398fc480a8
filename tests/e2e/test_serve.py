# SPDX-License-Identifier: MIT
"""tally serve: the API, time series and Prometheus, recordings, tokens, limits, and that nothing disturbs a recording."""
import base64
import hashlib
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from e2e import (BUILD, SAMPLES, SOURCE, TALLY, Skip, check_memory, contains, equal, json_lines, main, need, need_program,
                 succeed, tally)

ICL = os.path.join(SAMPLES, "icl.i915-perf")
TOKEN = "a-token-of-32-characters-1234567"


class Server:
    """A server on a free port, as a context."""

    def __init__(self, *arguments, listen="127.0.0.1:0", devices=("sim:icl",), limit=None, code=0, env=None):
        self.code = code  # exit status after SIGTERM
        if "server: none" in succeed("version", "--build-options"):
            raise Skip("needs libmicrohttpd")
        options = [word for device in devices for word in ("-d", device)]
        self.process = subprocess.Popen([TALLY, "serve", "--listen", listen, *options, *map(str, arguments)],
                                        stderr=subprocess.PIPE, text=True, preexec_fn=limit,
                                        env={**os.environ, **(env or {})})
        self.lines = []
        for line in self.process.stderr:
            self.lines.append(line)
            ready = re.search(r"serving http://(\S+):(\d+)/", line)
            if ready:
                self.host, self.port = ready.group(1).strip("[]"), int(ready.group(2))
                return
        raise AssertionError(f"exit {self.process.wait()}: {self.lines}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            equal(self.process.wait(30), self.code, "exit status after SIGTERM")
            self.lines += self.process.stderr
        finally:
            self.process.kill()
            self.process.stderr.close()

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=30)

    def get(self, path, method="GET", **headers):
        connection = self.connect()
        connection.request(method, path, headers={key.replace("_", "-"): value for key, value in headers.items()})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def json(self, path, method="GET", **headers):
        answer, body = self.get(path, method, **headers)
        equal(answer.status, 200, f"{path}: {body}")
        return json.loads(body)

    def post(self, path):
        return self.json(path, "POST", X_Tally="1")

    def device(self, index=0):
        return self.json(f"/api/devices/{index}")

    def counted(self, reports, index=0):
        """Waits until so many reports have been read."""
        end = time.monotonic() + 60
        while self.device(index)["reports"] < reports:
            assert time.monotonic() < end, self.device(index)
            time.sleep(0.05)
        return self.device(index)

    def memory_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))


def series(text):
    """Returns {name{labels}: value} of an exposition."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            assert name not in found, f"{name} appears twice"
            found[name] = float(value)
    return found


def totals_of(path):
    """The overall values of a recording."""
    for line in json_lines(succeed("report", "-f", "jsonl", "--by", "none", path)):
        if line["type"] == "group" and line["by"] == "total":
            return {name: value["overall"] for name, value in line["counters"].items() if value}
    raise AssertionError("no total")


# ---- the API -------------------------------------------------------------------------------------------

def test_devices_values_and_the_page():
    with Server(devices=("sim:icl", "sim:g92")) as server:
        devices = server.json("/api/devices")["devices"]
        equal([device["name"] for device in devices], ["sim:icl", "sim:g92"])
        about = server.counted(500)
        equal((about["state"], about["set"], about["modelled"], about["file"], about["error"]),
              ("counting", "RenderBasic", True, "", ""))
        assert {"GpuBusy", "GpuTime"} <= {counter["symbol"] for counter in about["counters"]}
        equal(server.counted(300, 1)["set"], "Overview")
        rows = server.json("/api/devices/0/history")["rows"]
        assert rows and all(len(row["v"]) == len(about["counters"]) for row in rows)
        equal([row["n"] for row in rows], list(range(1, len(rows) + 1)))
        assert any(value for row in rows for value in row["v"])
        answer, page = server.get("/")
        equal((answer.status, answer.getheader("Content-Type")), (200, "text/html; charset=utf-8"))
        contains(answer.getheader("Content-Security-Policy"), "default-src 'self'")
        for name in ("charts.js", "page.js", "live.js"):
            with open(os.path.join(SOURCE, "data", "page", name), "rb") as file:
                assert file.read() in page, f"{name} is in the page"
        assert b"<!--" not in page and b"@" + b"HEADER@" not in page
        policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', page)[1].decode()
        contains(policy, "connect-src 'self'")
        scripts = re.findall(rb"<script>(.*?)</script>", page, re.S)
        hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in scripts]
        equal(re.search(r"script-src ([^;]*)", policy)[1].split(), hashes)


def test_a_page_without_the_library():
    """A build that does not find uPlot has a live page, too, whose scripts are the same but for the library."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(SOURCE, "data", "page")
        shared = [os.path.join(page, name) for name in ("page.html", "page.css", "charts.js", "live.js")]
        texts = []
        for cache in (os.path.join(folder, "none"), None):
            output = os.path.join(folder, "page.c")
            env = {**os.environ, **({"XDG_CACHE_HOME": cache} if cache else {})}
            subprocess.run([sys.executable, os.path.join(page, "embed.py"), "live", output, output + ".d", *shared],
                           check=True, env=env)
            with open(output, encoding="ascii") as file:
                texts.append(file.read())
        numbers = re.search(r"text\[\] = \{(.*?)\};", texts[0], re.S)[1].replace("\n", "").split(",")
        content = bytes(int(number.strip("'\\"), 8 if "'" in number else 10) for number in numbers)
        for name in shared[2:]:
            with open(name, "rb") as file:
                assert file.read() in content, name
        assert "serve_page = text" in texts[0]
        if "format html: yes" in succeed("version", "--build-options"):
            assert len(texts[0]) < len(texts[1]) / 1.5, "the library is in one of both"


def test_the_history_goes_on_after_a_session():
    """Rows follow each other; those of the next session are after the earlier ones, and can be fetched by number."""
    with Server("--workload", "contexts", devices=("sim:icl",)) as server:
        server.counted(500)
        server.post("/api/devices/0/stop")
        before = server.json("/api/devices/0/history")["rows"]
        server.post("/api/devices/0/start")
        server.counted(500)
        rows = server.json("/api/devices/0/history")["rows"]
        equal(rows[:len(before)], before)
        later = rows[len(before):]
        equal({row["session"] for row in before}, {1})
        equal({row["session"] for row in later}, {2})
        equal([row["n"] for row in rows], list(range(1, len(rows) + 1)))
        for row, after in zip(rows, rows[1:]):
            assert row["from"] < row["t"] <= after["from"], (row, after)
            if row["session"] == after["session"]:
                equal(after["from"], row["t"], "no time between two rows")
        for row in rows:
            shares = [share for _, share in row["contexts"]]
            assert not shares or 0.99 < sum(shares) < 1.01, shares
        assert any(name == "0x5000" for row in rows for name, _ in row["contexts"])
        part = server.json(f"/api/devices/0/history?after={before[-1]['n']}")["rows"]
        equal(part[:len(later)], later)
        equal(server.json("/api/devices/0/history?after=999999999")["rows"], [])
        equal(server.get("/api/devices/0/history?after=x")[0].status, 400)
        # The number of a row of this server, and of another one.
        own = server.device()["server_ms"]
        part = server.json(f"/api/devices/0/history?after={before[-1]['n']}&server={own}")
        equal((part["server_ms"], part["rows"][:len(later)]), (own, later))
        every = server.json(f"/api/devices/0/history?after={before[-1]['n']}&server={own - 1}")
        equal((every["server_ms"], every["rows"][:len(rows)]), (own, rows))
        equal(server.get("/api/devices/0/history?server=x")[0].status, 400)


def test_rows_have_losses():
    """Each entry of the ledger is in one row, with its reason, near it in time."""
    with Server("--fault", "lossy", devices=("sim:skl",)) as server:
        end = time.monotonic() + 60
        rows = []
        while not any("losses" in row for row in rows[:-1]) and time.monotonic() < end:
            time.sleep(0.1)
            rows = server.json("/api/devices/0/history")["rows"]
        server.post("/api/devices/0/stop")
        about = server.device()
        rows = server.json("/api/devices/0/history")["rows"]
        losses = [(row, loss) for row in rows for loss in row.get("losses", [])]
        assert losses
        for row, loss in losses:
            assert loss["from"] <= loss["to"] <= row["t"] and loss["reason"] in ("report-lost", "buffer-lost", "missing"), loss
        equal(sum(row["lost"] for row in rows), about["lost_deltas"])
        metrics = series(server.get("/metrics")[1].decode())
        for reason in {loss["reason"] for _, loss in losses}:
            counted = sum(loss["records"] for _, loss in losses if loss["reason"] == reason)
            assert counted <= metrics[f'tally_losses_total{{device="sim:skl",reason="{reason}"}}']


def test_events_arrive_in_order():
    with Server() as server:
        server.counted(100)
        connection = server.connect()
        connection.request("GET", "/api/devices/0/events")
        answer = connection.getresponse()
        equal(answer.getheader("Content-Type"), "text/event-stream")
        numbers, started = [], time.monotonic()
        while len(numbers) < 5 and time.monotonic() - started < 30:
            line = answer.readline().decode()
            if line.startswith("id: "):
                name = line[4:].strip()
            if line.startswith("data: "):
                numbers.append(json.loads(line[6:])["n"])
                equal(name, f"{server.device()['server_ms']}-{numbers[-1]}")
        connection.close()
        equal(numbers, sorted(set(numbers)))
        equal(len(numbers), 5)


def test_a_recording_is_started_and_stopped(directory):
    """Its file is complete, and its totals are those that the server has shown."""
    with Server(directory) as server:
        about = server.post("/api/devices/0/start?file=a.i915-perf")
        equal((about["state"], about["file"], about["session"]), ("counting", "a.i915-perf", 2))
        server.counted(500)
        equal(series(server.get("/metrics")[1].decode())['tally_recording{device="sim:icl"}'], 1)
        about = server.post("/api/devices/0/stop")
        equal((about["state"], about["file"], about["error"]), ("stopped", "", ""))
        path = os.path.join(directory, "a.i915-perf")
        equal(about["bytes"], os.path.getsize(path))
        shown = {counter["symbol"]: counter["total"] for counter in about["counters"] if counter["total"] is not None}
        totals = totals_of(path)
        equal(shown, {name: totals[name] for name in shown})
        assert len(shown) > 10 and any(shown.values())
        metrics = series(server.get("/metrics")[1].decode())
        assert 'gpu_busy_ratio{device="sim:icl"}' not in metrics, "nothing is counted"
        equal(metrics['gpu_core_clocks_cycles_total{device="sim:icl"}'], totals["GpuCoreClocks"])
        equal(metrics['gpu_time_seconds_total{device="sim:icl"}'], totals["GpuTime"] * 1e-9)
        info = json_lines(succeed("info", "-f", "jsonl", path))
        equal((info[-1]["reports"], info[-1]["lost"], info[-1]["error"]), (about["reports"], 0, None))
        listed = server.json("/api/recordings")["recordings"]
        equal([(entry["name"], entry["bytes"]) for entry in listed], [("a.i915-perf", about["bytes"])])
        with open(path, "rb") as file:
            equal(server.get("/api/recordings/a.i915-perf")[1], file.read())
        equal(server.post("/api/devices/0/start")["state"], "counting")


def test_a_start_that_fails_leaves_the_recording(directory):
    with open(os.path.join(directory, "there"), "w", encoding="ascii"):
        pass
    with Server(directory) as server:
        server.counted(500)
        about = server.post("/api/devices/0/start?file=a.i915-perf")
        assert about["reports"] < 500, "reports of the session before"
        server.counted(100)
        answer, body = server.get("/api/devices/0/start?file=there", "POST", X_Tally="1")
        equal(answer.status, 409, body)
        equal(os.path.getsize(os.path.join(directory, "there")), 0, "an existing file is as it was")
        about = server.device()
        equal((about["state"], about["file"], about["session"]), ("counting", "a.i915-perf", 2))


def test_requests_at_the_same_time_are_all_done(directory):
    names = [f"{number}.i915-perf" for number in range(4)]
    with Server(directory) as server:
        threads = [threading.Thread(target=server.post, args=(f"/api/devices/0/start?file={name}",)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(server.device()["session"], 1 + len(names))
    equal(sorted(os.listdir(directory)), names)


def test_the_end_of_the_server_completes_a_recording(directory):
    for number in signal.SIGTERM, signal.SIGHUP:
        name = f"{int(number)}.i915-perf"
        with Server(directory) as server:
            server.post(f"/api/devices/0/start?file={name}")
            server.counted(300)
            server.process.send_signal(number)
            equal(server.process.wait(30), 0, number)
        end = json_lines(succeed("info", "-f", "jsonl", os.path.join(directory, name)))[-1]
        assert end["reports"] >= 300 and end["error"] is None, end


def test_a_recording_in_other_formats(directory):
    shutil.copy(ICL, directory)
    with Server(directory, "--metrics", os.path.join(SOURCE, "data", "metrics")) as server:
        kinds = [("csv", "text/csv; charset=utf-8"), ("perfetto", "application/octet-stream"),
                 ("chrome", "application/json"), ("html", "text/html; charset=utf-8")]
        if "format html: yes" not in succeed("version", "--build-options"):
            kinds.pop()
        for name, kind in kinds:
            answer, body = server.get(f"/api/recordings/icl.i915-perf?format={name}")
            equal((answer.status, answer.getheader("Content-Type")), (200, kind))
            if name == "csv":
                equal(body, succeed("export", "-f", "csv", ICL, text=False))
        answer, body = server.get("/api/recordings/icl.i915-perf?format=xml")
        equal(answer.status, 400)
        contains(json.loads(body)["error"], "expected table, csv")
        with open(os.path.join(directory, "bad.i915-perf"), "wb") as file:
            file.write(b"not a recording")
        answer, body = server.get("/api/recordings/bad.i915-perf?format=csv")
        equal(answer.status, 422)
        assert json.loads(body)["error"].startswith("bad.i915-perf: ") and b"/proc" not in body, body
        if len(kinds) == 4:
            body = server.get("/api/recordings/icl.i915-perf?format=html")[1]
            assert b"/proc/self" not in body and b'"file":"icl.i915-perf"' in body
        answer, body = server.get("/api/recordings/icl.i915-perf?format=svg")
        equal(answer.status, 422, body)
        contains(json.loads(body)["error"], "icl.i915-perf: format svg draws at most 12 counters")
        answer, body = server.get("/api/recordings/icl.i915-perf?format=svg&c=GpuBusy,Eu*")
        equal(answer.status, 200)
        equal(body, succeed("export", "-f", "svg", "-c", "GpuBusy,Eu*", ICL, text=False))
        equal(server.get("/api/recordings/icl.i915-perf?format=svg&c=Nothing")[0].status, 400)
        with open(ICL, "rb") as whole, open(os.path.join(directory, "cut.i915-perf"), "wb") as file:
            file.write(whole.read()[:-100])
        answer, body = server.get("/api/recordings/cut.i915-perf?format=csv")
        equal(answer.status, 200)
        contains(answer.getheader("X-Tally-Error"), "truncated: ")
        equal(server.get("/api/recordings/icl.i915-perf?format=csv")[0].getheader("X-Tally-Error"), None)


def test_a_full_disk_ends_the_file_and_not_the_counting(directory):
    """A file that may not grow, as on a full disk: whole records, an error, and counting continues."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    with Server(directory, limit=limit, code=1) as server:
        server.post("/api/devices/0/start?file=a.i915-perf")
        end = time.monotonic() + 60
        while not server.device()["error"] and time.monotonic() < end:
            time.sleep(0.1)
        about = server.device()
        contains(about["error"], "a.i915-perf: cannot write")
        server.counted(about["reports"] + 500)
        equal(server.device()["state"], "counting")
        equal(server.post("/api/devices/0/stop")["error"], about["error"], "the error after the end")
        lines = json_lines(succeed("info", "-f", "jsonl", os.path.join(directory, "a.i915-perf")))
        equal(lines[-1]["error"], None, "whole records")
        assert 0 < lines[-1]["reports"] < about["reports"] + 500
    equal(len(server.lines), 2, server.lines)
    contains(server.lines[1], "a.i915-perf: cannot write: File too large")


def test_what_an_export_may_take(directory):
    """A temporary file that cannot be made is an error of the server; an output that is too large is refused."""
    make = need(os.path.join(BUILD, "data", "make_recording"))
    with open(os.path.join(directory, "long.i915-perf"), "wb") as file:
        subprocess.run([make, "250000"], stdout=file, check=True)
    with Server(directory) as server:
        answer, body = server.get("/api/recordings/long.i915-perf?format=jsonl")
        equal(answer.status, 413, body[:200])
        equal(json.loads(body)["error"], "long.i915-perf: more than 256 MiB as jsonl: use tally export")
        equal(server.get("/api/recordings/long.i915-perf?format=csv&c=GpuBusy")[0].status, 200)
        check_memory(server.memory_kib(), 200_000)
    with Server(directory, env={"TMPDIR": os.path.join(directory, "none")}) as server:
        answer, body = server.get("/api/recordings/long.i915-perf?format=csv")
        equal(answer.status, 500, body)
        equal(json.loads(body)["error"], "long.i915-perf: cannot make a temporary file: No such file or directory")


# ---- time series ---------------------------------------------------------------------------------------

def test_metrics_are_clean():
    """promtool finds nothing, in Prometheus's format; OpenMetrics, which is asked for, has its rules."""
    with Server(devices=("sim:icl", "sim:g92", "sim:hsw")) as server:
        for index in range(3):
            server.counted(200, index)
        answer, plain = server.get("/metrics")
        contains(answer.getheader("Content-Type"), "text/plain; version=0.0.4")
        answer, text = server.get("/metrics", Accept="application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
        contains(answer.getheader("Content-Type"), "application/openmetrics-text; version=1.0.0")
        check_open_metrics(text.decode())
        values = series(plain.decode())
        equal(set(values), set(series(text.decode())), "the same series")
        assert 0 <= values['gpu_busy_ratio{device="sim:icl"}'] <= 1
        assert values['tally_sample_age_seconds{device="sim:g92"}'] < 5
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=plain, capture_output=True, check=False)
            equal((done.returncode, done.stdout + done.stderr), (0, b""))


def check_open_metrics(text):
    equal(text.splitlines()[-1], "# EOF")
    family, kinds, unit = None, {}, {}
    for line in text.splitlines()[:-1]:
        words = line.split(" ", 3)
        if words[:2] == ["#", "TYPE"]:
            family = words[2]
            assert family not in kinds, f"{family}: two families"
            kinds[family] = words[3]
        elif words[0] == "#":
            equal(words[2], family, line)
            if words[1] == "UNIT":
                assert family.endswith("_" + words[3]), line
                unit[family] = words[3]
        else:
            name = re.match(r"([a-zA-Z_][a-zA-Z0-9_]*)\{[a-z_]+=\"[^\"]*\"(,[a-z_]+=\"[^\"]*\")*\} \S+$", line)
            assert name, line
            equal(name.group(1), family + ("_total" if kinds[family] == "counter" else ""), line)
    assert set(unit.values()) >= {"ratio", "seconds", "hertz", "cycles"}, unit


def test_the_dashboard_shows_series_that_there_are():
    with open(os.path.join(SOURCE, "data", "serve", "grafana.json"), encoding="utf-8") as file:
        dashboard = json.load(file)
    used = set()
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            used |= set(re.findall(r"\b((?:gpu|tally)_\w+)\{", target["expr"]))
    with Server() as server:
        server.counted(200)
        text = server.get("/metrics")[1].decode()
    known = set(re.findall(r"^# TYPE (\S+)", text, re.M))
    assert len(used) > 10 and used <= known, used - known


def test_losses_are_series():
    with Server("--fault", "lossy", devices=("sim:skl",)) as server:
        end = time.monotonic() + 60
        while not server.device()["missing_reports"] and time.monotonic() < end:
            time.sleep(0.1)
        values = series(server.get("/metrics")[1].decode())
        assert values['tally_missing_reports_total{device="sim:skl"}'] > 0
        assert any(name.startswith('tally_losses_total{device="sim:skl",reason="') for name in values), values


def test_prometheus_queries_equal_the_recording(directory):
    need_program("prometheus")
    folder = os.path.join(directory, "recordings")
    os.mkdir(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Server(folder) as server:
        server.post("/api/devices/0/start?file=a.i915-perf")
        config = os.path.join(directory, "prometheus.yml")
        with open(config, "w", encoding="ascii") as file:
            file.write("global: {scrape_interval: 200ms, scrape_timeout: 200ms}\nscrape_configs:\n"
                       f"- {{job_name: tally, static_configs: [{{targets: ['127.0.0.1:{server.port}']}}]}}\n")
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={directory}/tsdb",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            server.counted(500)
            server.post("/api/devices/0/stop")
            totals = totals_of(os.path.join(folder, "a.i915-perf"))
            wanted = {"gpu_core_clocks_cycles_total": totals["GpuCoreClocks"],
                      "gpu_time_seconds_total": totals["GpuTime"] * 1e-9,
                      "gpu_eu_array_fragment_shader_ps_threads_total": totals["PsThreads"]}
            assert all(wanted.values()), wanted
            end, found = time.monotonic() + 60, None
            while found != wanted and time.monotonic() < end:
                found = {name: query(port, f'{name}{{device="sim:icl"}}') for name in wanted}
                time.sleep(0.2)
            equal(found, wanted)
            equal(query(port, 'up{job="tally"}'), 1)
        finally:
            prometheus.kill()
            prometheus.wait()


def query(port, expression):
    address = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            results = json.load(answer)["data"]["result"]
    except OSError:
        return None  # it starts
    return float(results[0]["value"][1]) if results else None


# ---- who may do what -----------------------------------------------------------------------------------

def test_addresses_and_tokens_of_the_command_line(directory):
    long = os.path.join(directory, "token")
    with open(long, "w", encoding="ascii") as file:
        file.write(257 * "t" + "\n")
    for arguments, code, message in (
            (["--listen", "0.0.0.0:0"], 2, "other machines can reach this address, expected --token"),
            (["--listen", "[::]:0"], 2, "expected --token"),
            (["--listen", "0.0.0.0:0", "--token", "short"], 2, "5 characters, expected at least 16"),
            (["--token", "@/nonexistent-token"], 2, "No such file"),
            (["--token", "@" + long], 2, "expected up to 256 characters"),
            (["--token", 257 * "t"], 2, "expected up to 256 characters"),
            (["--listen", "127.0.0.1:99999"], 2, "port \"99999\""),
            (["--listen", "host:0"], 2, "expected --token"),
            (["-p", "x"], 2, "--period \"x\""),
            (["-d", "sim:icl", "-d", "sim:icl"], 2, "given twice"),
            (["/nonexistent-folder"], 2, "expected a folder")):
        devices = [] if "-d" in arguments else ["-d", "sim:icl"]
        done = tally("serve", *devices, *arguments)
        equal(done.returncode, code, f"{arguments}: {done.stderr}")
        contains(done.stderr, message)
        equal(len(done.stderr.splitlines()), 1, done.stderr)


def test_a_wrong_token_10000_times(directory):
    """Each is refused; the right one still works, and nothing is left."""
    path = os.path.join(directory, "token")
    with open(path, "w", encoding="ascii") as file:
        file.write(TOKEN + "\n")
    with Server("--token", "@" + path, listen="0.0.0.0:0") as server:
        equal(server.get("/api/devices")[0].status, 401)
        equal(server.get("/metrics")[0].getheader("WWW-Authenticate"), "Bearer")
        connection = server.connect()
        for i in range(10_000):
            wrong = (TOKEN[:i % 32] + "x" + TOKEN[i % 32 + 1:])[:i % 33] if i % 2 else TOKEN + str(i)
            connection.request("GET", "/api/devices", headers={"Authorization": "Bearer " + wrong})
            answer = connection.getresponse()
            answer.read()
            equal(answer.status, 401, wrong)
            if i == 1000:
                memory = server.memory_kib()
        check_memory(server.memory_kib(), memory + 4096)
        connection.close()
        equal(server.get("/api/devices", Authorization="Bearer " + TOKEN)[0].status, 200)
        equal(server.get("/api/devices", Authorization="bearer " + TOKEN, Host="gpu.example")[0].status, 200)
        equal(server.get("/?token=" + TOKEN)[0].status, 200)
        equal(server.get("/?token=" + TOKEN[:-1])[0].status, 401)


def test_other_sites_cannot_use_it(directory):
    with Server(directory) as server:
        equal(server.get("/api/devices", Host="evil.example")[0].status, 421)
        equal(server.get("/api/devices", Host="localhost.evil.example")[0].status, 421)
        equal(server.get("/api/devices", Host="localhost:1234")[0].status, 200)
        equal(server.get("/api/devices/0/stop", "POST")[0].status, 403)
        answer = server.get("/api/devices/0/stop")[0]
        equal((answer.status, answer.getheader("Allow")), (405, "POST"))
        equal(server.get("/api/devices", "DELETE")[0].status, 405)
        equal(server.device()["state"], "counting")


def test_only_the_folder_is_served(directory):
    folder = os.path.join(directory, "folder")
    os.mkdir(folder)
    os.mkdir(os.path.join(folder, "below"))
    with open(os.path.join(directory, "secret"), "wb") as file:
        file.write(b"secret")
    os.symlink("../secret", os.path.join(folder, "link"))
    os.symlink(directory, os.path.join(folder, "up"))
    os.mkfifo(os.path.join(folder, "fifo"))
    with open(os.path.join(folder, ".hidden"), "wb") as file:
        file.write(b"secret")
    with Server(folder) as server:
        equal(server.json("/api/recordings")["recordings"], [])
        for name in ("../secret", "%2e%2e%2fsecret", "..%2fsecret", "link", "up/secret", "up%2fsecret", "below", "fifo",
                     ".hidden", ".", "..", "/etc/passwd", "%2fetc%2fpasswd", "", "a" * 300, "a%00b", "a%0ab"):
            for more in ("", "?format=csv"):
                answer, body = server.get(f"/api/recordings/{name}{more}")
                assert answer.status in (400, 403, 404), (name, answer.status, body)
                assert b"secret" not in body or name.encode() in body or b"expected" in body, (name, body)
            answer, body = server.get(f"/api/devices/0/start?file={name}", "POST", X_Tally="1")
            assert answer.status != 200 or name == "", (name, answer.status, body)
        equal(sorted(os.listdir(directory)), ["folder", "secret"])
        equal(sorted(os.listdir(folder)), [".hidden", "below", "fifo", "link", "up"])
    with Server() as server:
        equal(server.get("/api/devices/0/start?file=a", "POST", X_Tally="1")[0].status, 404)


# ---- load ----------------------------------------------------------------------------------------------

def exchange(server, data, timeout=20):
    """Sends bytes; returns what comes until the connection closes or nothing more comes."""
    with socket.create_connection((server.host, server.port), timeout=timeout) as connection:
        received = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while True:
                part = connection.recv(65536)
                if not part:
                    break
                received += part
        except OSError:
            pass
        return received


MALFORMED = [
    b"", b"\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 4096, b"\xff\xfe\xfd" * 1000,
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
    b"POST /api/devices/0/stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
    b"POST /api/devices/0/stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/devices/0/stop HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    b"POST /api/devices/0/stop HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"1000\r\n" + b"z" * 4096 + b"\r\n" + b"1000\r\n" + b"z" * 4096 + b"\r\n0\r\n\r\n",
    b"GET /api/devices/" + b"9" * 40 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/devices/-1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/recordings/%ff%fe%00?format=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /api/recordings/x?format=" + b"%25s%25n" * 50 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
]


def test_load_does_not_disturb_a_recording(directory):
    """200 connections, slow readers, malformed and oversized requests: the recording loses nothing, and afterwards
    memory, descriptors and threads are as before."""
    with Server(directory) as server:
        server.post("/api/devices/0/start?file=a.i915-perf")
        server.counted(200)
        before = (server.descriptors(), server.threads())
        for data in MALFORMED:
            received = exchange(server, data)
            assert not received.startswith(b"HTTP/1.1 200"), (data[:60], received[:100])
        idle, slow = [], []
        for i in range(200):  # more than the limit: the rest is closed or waits
            connection = socket.socket()
            connection.settimeout(5)
            try:
                connection.connect((server.host, server.port))
                idle.append(connection)
                if i % 4 == 0:  # a reader that never reads
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                    connection.sendall(b"GET /api/devices/0/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    slow.append(connection)
                elif i % 4 == 1:  # a request that does not end
                    connection.sendall(b"GET /api/dev")
            except OSError:
                connection.close()
        time.sleep(2)
        equal(len(slow) > 20, True)
        for connection in idle:
            connection.close()
        threads = [threading.Thread(target=hammer, args=(server,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        end = time.monotonic() + 30
        while (server.descriptors() > before[0] + 2 or server.threads() > before[1]) and time.monotonic() < end:
            server.device()  # libmicrohttpd closes what has ended with the next connection
            time.sleep(0.2)
        assert server.descriptors() <= before[0] + 2, (before, server.descriptors())
        assert server.threads() <= before[1], (before, server.threads())
        check_memory(server.memory_kib(), 100_000)
        about = server.post("/api/devices/0/stop")
        equal((about["state"], about["error"], about["missing_reports"]), ("stopped", "", 0))
    info = json_lines(succeed("info", "-f", "jsonl", os.path.join(directory, "a.i915-perf")))
    equal((info[-1]["reports"], info[-1]["lost"], info[-1]["missing_reports"]), (about["reports"], 0, 0))


def hammer(server):
    for _ in range(50):
        for path in ("/metrics", "/api/devices/0", "/api/devices/0/history", "/", "/nothing"):
            try:
                server.get(path)
            except OSError:
                pass  # the limit of connections


if __name__ == "__main__":
    main()
