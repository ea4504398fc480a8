# SPDX-License-Identifier: MIT
"""tally agent: rules, limits, sending, /metrics, signals. With modelled GPUs, and on an emulated one."""
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request

from e2e import OWN_METRICS, SOURCE, TALLY, Skip, build_options, contains, equal, json_lines, main, need_preload, need_program, succeed, tally
from test_fleet import Server as Store, free_url, spooled


def need_agent(*parts):
    for part in ("store: SQLite", "server: libmicrohttpd", *parts):
        if part not in build_options():
            raise Skip(f"this tally is built without {part}")


class Agent:
    """An agent, as a context, with its files in a directory. It ends by SIGTERM, with 0."""

    def __init__(self, directory, keep, store=None, limits="{cpu: 100%}", ring="{time: 60ms, size: 256K}", more="",
                 devices="sim:skl", command=()):
        self.directory, self.db = directory, os.path.join(directory, "store.db")
        self.config = os.path.join(directory, "agent.yaml")
        self.log = os.path.join(directory, "log")
        with open(self.config, "w", encoding="ascii") as file:
            file.write(f"agent: a test\ndevices: [{devices}]\nmetrics: {OWN_METRICS}\nclock: free\nperiod: 100us\n"
                       f"ring: {ring}\nkeep: {keep}\nstore: {store or self.db}\nrings: {directory}/rings\n"
                       f"spool: {directory}/spool\nlimits: {limits}\nlisten: 127.0.0.1:0\n{more}")
        with open(self.log, "w", encoding="ascii") as log:
            self.process = subprocess.Popen([*command, TALLY, "agent", "--config", self.config], stderr=log)
        self.start = time.monotonic()
        self.port = int(self.wait(lambda: re.search(r"serving http://127.0.0.1:(\d+)/metrics", self.said()))[1])
        self.usage = None

    def said(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def wait(self, condition, seconds=100):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            result = condition()
            if result:
                return result
            assert self.process.poll() is None, self.said()
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {self.said()} {self.metrics()}")

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if line[0] != "#"}

    def rings(self, what, reason=None):
        name = f"tally_agent_{what}_rings_total"
        return self.metrics()[f'{name}{{reason="{reason}"}}' if reason else name]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.send_signal(signal.SIGTERM)
        _, status, self.usage = os.wait4(self.process.pid, 0)
        self.seconds = time.monotonic() - self.start
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if not failure[0]:
            equal(self.process.returncode, 0, self.said())
            equal(os.listdir(os.path.join(self.directory, "rings")), [])

    def stored(self):
        return json_lines(succeed("query", "-f", "jsonl", self.db, "SELECT * FROM recordings ORDER BY id"))


def test_configurations_are_checked(directory):
    need_agent()
    path = os.path.join(directory, "agent.yaml")
    contains(succeed("lint", os.path.join(SOURCE, "data", "agent", "example.yaml")), "the configuration of an agent, 0 errors")
    with open(path, "w", encoding="ascii") as file:
        file.write("agent: x\nstor: y\nring: {time: 3}\nkeep:\n  every: x\n  checks: ['EuActive >', 'EuActive within 5%']\n"
                   "limits: {disk: 1K, cpu: 200%, network: 5}\nlisten: foo\nperiod: 5\nclock: fast\n")
    done = tally("lint", path)
    equal(done.returncode, 1)
    for line, part in [(2, 'unknown key "stor", expected agent'), (1, "store is missing"), (3, "ring.time"),
                       (5, "keep.every"), (5, "expected a number"), (5, "without a baseline"), (7, "limits.cpu"),
                       (7, "limits.network"), (7, "times ring.size"), (8, "127.0.0.1:9478"), (9, "such as 1ms"),
                       (10, "wall or free")]:
        assert any(text.startswith(f"{path}:{line}: error: ") and part in text for text in done.stdout.splitlines()), \
            (line, part, done.stdout)
    done = tally("agent", "--config", path)
    equal((done.returncode, len(done.stderr.splitlines())), (3, 1), done.stderr)
    equal(tally("agent").returncode, 2)
    equal(tally("agent", "--config", "/nonexistent").returncode, 2)
    for text, code in [("listen: 0.0.0.0:1", 2), ("devices: [sim:hsx]", 4)]:
        with open(path, "w", encoding="ascii") as file:
            file.write(f"agent: x\nstore: {directory}/a.db\nrings: {directory}/rings\nkeep: {{loss: yes}}\n{text}\n")
        done = tally("agent", "--config", path)
        equal((done.returncode, len(done.stderr.splitlines())), (code, 1), done.stderr)


def test_a_condition_that_is_not_met(directory):
    need_agent()
    with Agent(directory, "{checks: ['GpuBusy < 101%', 'EuActive > 200%']}") as agent:
        agent.wait(lambda: agent.rings("kept", "check") >= 3)
        metrics = agent.metrics()
    stored = agent.stored()
    assert len(stored) >= 3 and all(row["metric_set"] and row["reports"] for row in stored), stored
    assert metrics["tally_agent_uploaded_rings_total"] >= metrics['tally_agent_kept_rings_total{reason="check"}'] >= 3
    assert metrics['gpu_eu_array_eu_active_ratio{device="sim:skl"}'] > 0, metrics
    assert metrics['tally_reports_total{device="sim:skl"}'] > 500
    contains(stored[0]["name"], socket.gethostname() + "-sim-skl-")


def test_conditions_that_are_met(directory):
    """Nothing is kept, and no ring stays."""
    need_agent()
    with Agent(directory, "{loss: yes, checks: ['GpuBusy < 101%']}") as agent:
        agent.wait(lambda: agent.rings("recorded") >= 4)
        metrics = agent.metrics()
    equal([value for name, value in metrics.items() if "kept" in name], [0, 0, 0])
    assert not os.path.exists(agent.db)


def test_a_share_of_rings(directory):
    need_agent()
    with Agent(directory, "{every: 3}") as agent:
        agent.wait(lambda: agent.rings("kept", "share") >= 3)
        numbers = [int(re.search(r"-(\d+)\.agent-ring$", row["name"])[1]) for row in agent.stored()][:3]
        busy = agent.rings("dropped", "busy")  # with the free clock, a loaded machine may evaluate too slowly
    equal([number % 3 for number in numbers], [0] * 3)
    assert numbers == [0, 3, 6] or (busy and numbers == sorted(set(numbers))), (numbers, busy)


def test_losses(directory):
    need_agent()
    with Agent(directory, "{loss: yes}", more="faults: lossy\n") as agent:
        agent.wait(lambda: agent.rings("kept", "loss") >= 2)
        metrics = agent.metrics()
    assert metrics['tally_missing_reports_total{device="sim:skl"}'] > 0, metrics
    assert all(row["missing_reports"] or row["lost_deltas"] for row in agent.stored())


def test_a_budget(directory):
    need_agent()
    with open(os.path.join(directory, "budget.yaml"), "w", encoding="ascii") as file:
        file.write("budget: a test\nchecks:\n  - {counter: EuActive, bound: '> 200%'}\n")
    with Agent(directory, "{budget: budget.yaml}") as agent:
        agent.wait(lambda: agent.rings("kept", "check") >= 1)
    assert agent.stored()


def test_the_end_keeps_the_last_ring(directory):
    """SIGTERM in the middle of a ring: what was recorded of it is evaluated, and kept."""
    need_agent()
    with Agent(directory, "{every: 1}", ring="{time: 1h, size: 256K}") as agent:
        agent.wait(lambda: agent.metrics()["tally_agent_cpu_seconds_total"] > 1)  # it has begun
    stored = agent.stored()
    equal(len(stored), 1)
    assert stored[0]["size_bytes"] < 300 << 10, stored


def test_rings_of_a_killed_agent(directory):
    """A ring that waits is evaluated at the next start, by its number, too; other files in the directory stay."""
    need_agent()
    rings = os.path.join(directory, "rings")
    os.mkdir(rings)
    for name, fault in [("host-sim-skl-1-7.agent-ring", ["--fault", "lossy"]), ("host-sim-skl-1-8.agent-ring", []),
                        ("host-sim-skl-1-20.agent-ring", [])]:
        succeed("record", "-q", "-M", OWN_METRICS, "-d", "sim:skl", "--clock", "free", "-p", "100us", "-t", "30ms", *fault,
                "-o", os.path.join(rings, name))
    for name in ("mine.i915-perf", "host-sim-skl-1-9.agent-ring.new"):
        with open(os.path.join(rings, name), "w", encoding="ascii") as file:
            file.write("x")
    with Agent(directory, "{loss: yes, every: 1000}", ring="{time: 60ms, size: 256K}") as agent:
        agent.wait(lambda: agent.rings("recorded") >= 2 and sorted(
            name for name in os.listdir(rings) if "-1-" in name) == [])
        other = tally("agent", "--config", agent.config)
        equal(other.returncode, 4, other.stderr)
        contains(other.stderr, "another agent has its rings here")
        stored = sorted(os.path.basename(row["name"]) for row in agent.stored())
        os.remove(os.path.join(rings, "mine.i915-perf"))
    equal([name for name in stored if "-1-" in name], ["host-sim-skl-1-7.agent-ring"], f"{stored}")


def test_the_limit_of_cpu(directory):
    """With a free clock, a model uses all that it can get."""
    need_agent()
    with Agent(directory, "{loss: yes}", limits="{cpu: 10%}", ring="{time: 20ms, size: 256K}") as agent:
        agent.wait(lambda: agent.rings("dropped", "cpu") >= 3)
        agent.wait(lambda: time.monotonic() - agent.start > 8)
        recorded = agent.rings("recorded")
    used = agent.usage.ru_utime + agent.usage.ru_stime
    assert recorded >= 1
    assert used < 0.1 * agent.seconds + 1, f"{used} s of {agent.seconds}"


def test_the_limit_of_the_disk(directory):
    """The store is away: rings and spool grow up to the limit, and no further."""
    need_agent("clickhouse: libcurl")
    limit, peak = 2 << 20, 0
    with Agent(directory, "{every: 1}", store=free_url(), limits="{cpu: 100%, disk: 2M}") as agent:
        while not agent.rings("dropped", "disk"):
            peak = max(peak, used_bytes(directory))
            agent.wait(lambda: True)
        for _ in range(20):
            peak = max(peak, used_bytes(directory))
            time.sleep(0.02)
        kept = agent.rings("kept", "share")
    peak = max(peak, used_bytes(directory))
    assert limit // 4 < peak <= limit, peak
    assert len(spooled(directory)) >= kept > 2
    contains(agent.said(), "cannot reach the server")


def used_bytes(directory):
    total = 0
    for name in ("rings", "spool"):
        for root, _, names in os.walk(os.path.join(directory, name)):
            for file in names:
                try:
                    total += os.path.getsize(os.path.join(root, file))
                except OSError:
                    pass  # removed meanwhile
    return total


def test_rings_are_sent(directory):
    """Also those from when the store was away."""
    need_agent("clickhouse: libcurl")
    broken = {"on": True}

    def before(handler, _):
        if broken["on"]:
            handler.fail(210, "Connection refused")
        return broken["on"]
    with Store(before) as store:
        with Agent(directory, "{every: 1}", store=store.url, ring="{time: 60ms, size: 256K}", limits="{cpu: 20%}") as agent:
            agent.wait(lambda: len(spooled(directory)) >= 2)
            equal(agent.rings("uploaded"), 0)
            broken["on"] = False
            agent.wait(lambda: agent.rings("uploaded") >= 3)
            equal(len(store.committed) >= agent.rings("uploaded"), True)
            sent = agent.metrics()["tally_agent_sent_bytes_total"]
        assert sent > sum(len(body) for _, body in store.inserts) / 3, sent
        equal(spooled(directory), [])
        kept = len(store.committed)
        equal(store.tables().count("recordings"), kept)


def test_the_limit_of_the_network(directory):
    need_agent("clickhouse: libcurl")
    received = []

    def before(handler, body):
        received.append((time.monotonic(), len(body)))
        return False
    with Store(before) as store:
        with Agent(directory, "{every: 1}", store=store.url, limits="{cpu: 20%, network: 40K}") as agent:
            agent.wait(lambda: sum(size for _, size in received) > 200 << 10)
            seen = list(received)
    # From the end of the first request to that of a later one: at most the rate, and what one request is ahead.
    first = seen[0][0]
    total, largest = 0, max(size for _, size in seen)
    for at, size in seen[1:]:
        total += size
        assert total <= (at - first) * (40 << 10) + largest + (16 << 10), (at - first, total)


def test_prometheus_scrapes_the_agent(directory):
    need_agent()
    need_program("prometheus")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Agent(directory, "{every: 2}", limits="{cpu: 30%}") as agent:
        config = os.path.join(directory, "prometheus.yml")
        with open(config, "w", encoding="ascii") as file:
            file.write("global: {scrape_interval: 200ms, scrape_timeout: 200ms}\nscrape_configs:\n"
                       f"- {{job_name: tally, static_configs: [{{targets: ['127.0.0.1:{agent.port}']}}]}}\n")
        with subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={directory}/tsdb",
                               f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as prometheus:
            try:
                for series in ("tally_agent_recorded_rings_total", 'tally_agent_kept_rings_total{reason="share"}',
                               "tally_agent_uploaded_rings_total", "tally_agent_dropped_rings_total",
                               'gpu_core_clocks_cycles_total{device="sim:skl"}', "tally_missing_reports_total", "up"):
                    agent.wait(lambda series=series: query(port, series) is not None)
                assert query(port, "tally_agent_recorded_rings_total") > 0
                equal(query(port, "up"), 1)
            finally:
                prometheus.kill()


def query(port, expression):
    address = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            results = json.load(answer)["data"]["result"]
    except OSError:
        return None  # it starts
    return float(results[0]["value"][1]) if results else None


def test_an_emulated_gpu_on_the_virtual_clock(directory):
    """Ten seconds, which take as long as the model needs: rings of two seconds by the device's own interface."""
    need_agent()
    need_preload()
    config, db = os.path.join(directory, "agent.yaml"), os.path.join(directory, "store.db")
    with open(config, "w", encoding="ascii") as file:
        file.write(f"agent: a test\ndevices: [/dev/dri/renderD128]\nmetrics: {OWN_METRICS}\nperiod: 10ms\n"
                   f"ring: {{time: 2s, size: 256K}}\nkeep: {{every: 1}}\nstore: {db}\nrings: {directory}/rings\n"
                   f"spool: {directory}/spool\nlimits: {{cpu: 100%}}\n")
    done = tally("emulate", "-q", "-d", "sim:icl", "--clock", "virtual", "--", "sh", "-c",
                 f'"{TALLY}" agent --config "{config}" & sleep 10; kill -TERM $!; wait $!')
    equal(done.returncode, 0, done.stderr)
    rows = json_lines(succeed("query", "-f", "jsonl", db, "SELECT reports, duration_ns FROM recordings ORDER BY id"))
    assert 3 <= len(rows) <= 6, rows
    assert all(1.9e9 < row["duration_ns"] < 2.1e9 for row in rows[:-1]), rows
    equal(os.listdir(os.path.join(directory, "rings")), [])


def test_the_unit(directory):
    """systemd finds nothing wrong with it."""
    need_program("systemd-analyze")
    path = os.path.join(directory, "tally-agent.service")
    with open(os.path.join(SOURCE, "data", "systemd", "tally-agent.service.in"), encoding="ascii") as file:
        text = file.read().replace("@BINDIR@", os.path.dirname(TALLY))
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, timeout=100)
    equal((done.returncode, [line for line in done.stderr.splitlines() if "tally" in line]), (0, []))
    done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=25", path], capture_output=True,
                          text=True, timeout=100)
    equal(done.returncode, 0, done.stdout[-300:] + done.stderr)


if __name__ == "__main__":
    main()
