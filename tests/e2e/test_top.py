# SPDX-License-Identifier: MIT
"""tally top: without a screen, and in a terminal (tmux): keys, sizes, replay, saving, signals, errors.

The tests wait for texts with a generous limit, so that they do not depend on the machine's speed."""
import json
import os
import re
import signal
import subprocess
import time

from e2e import (SAMPLES, SOURCE, TALLY, Skip, contains, equal, json_lines, main, need_preload, need_program,
                 succeed, tally)

LIMIT_S = 120
SAMPLE = f"{SAMPLES}/hsw.i915-perf"


class Terminal:
    """A tmux server of its own with one window, in which a command line of the shell runs."""

    def __init__(self, directory, arguments, columns=80, rows=24, environment=()):
        need_program("tmux")
        if "screen: none" in succeed("version", "--build-options"):
            raise Skip("this build has no ncurses")
        self.socket = os.path.join(directory, "tmux.socket")
        variables = {"LC_ALL": "C.UTF-8", "TERM": "screen-256color", "NO_COLOR": "",
                     "XDG_DATA_HOME": "/nonexistent", **dict(environment)}
        assignments = " ".join(f"{name}='{value}'" for name, value in variables.items())
        # sh -c 'exec cat': the window stays after the command.
        line = f"cd '{directory}'; env {assignments} {TALLY} {arguments}; echo \"EXIT=$?.\"; exec cat"
        self.run("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), line)
        self.run("set-option", "-g", "escape-time", "0")

    def run(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def screen(self, *flags):
        return self.run("capture-pane", "-p", *flags)

    def wait(self, pattern, flags=()):
        """Waits until the screen matches. Returns the screen."""
        end = time.monotonic() + LIMIT_S
        while True:
            screen = self.screen(*flags)
            if re.search(pattern, screen, re.M):
                return screen
            assert time.monotonic() < end, f"no {pattern!r} in\n{screen}"
            time.sleep(0.05)

    def keys(self, *keys):
        self.run("send-keys", *keys)

    def resize(self, columns, rows):
        self.run("resize-window", "-x", str(columns), "-y", str(rows))

    def pid(self):
        """The process of tally."""
        shell = self.run("display-message", "-p", "#{pane_pid}").strip()
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            children = subprocess.run(["ps", "--ppid", shell, "-o", "pid=,comm="], capture_output=True,
                                      text=True, check=False).stdout
            for line in children.splitlines():
                if line.split()[1] == "tally":
                    return int(line.split()[0])
            time.sleep(0.05)
        raise AssertionError("tally does not run")

    def exit_code(self):
        return int(re.search(r"EXIT=(\d+)\.", self.wait(r"EXIT=\d+\.")).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


# ---- without a screen ----------------------------------------------------------------------------

def test_lines_are_the_intervals_of_report(directory):
    """The objects of top have the values of report --by interval, of a device with the free clock and of a
    recording."""
    path = os.path.join(directory, "skl.i915-perf")
    succeed("record", "-q", "-d", "sim:skl", "--workload", "contexts", "-t", "300ms", "-o", path)
    live = json_lines(succeed("top", "-q", "-f", "jsonl", "-d", "sim:skl", "--workload", "contexts", "-t", "300ms",
                              "--clock", "free", "--interval", "100ms"))
    replayed = json_lines(succeed("top", "-f", "jsonl", "--interval", "100ms", path))
    groups = [line for line in json_lines(succeed("report", "-f", "jsonl", "--by", "interval=100ms", path))
              if line["type"] == "group" and line["by"] == "interval"]
    assert len(groups) >= 3, groups
    for samples in live, replayed:
        equal(len(samples), len(groups))
        for sample, group in zip(samples, groups):
            equal(sample["deltas"], group["deltas"])
            equal(sample["modelled"], True)
            contains(sample["title"], "modelled")
            equal(sample["counters"], {symbol: statistic and statistic["overall"]
                                       for symbol, statistic in group["counters"].items()})
            equal({context["context"] for context in sample["contexts"]} <= {"idle", "0x5000", "0x6000", "0x7000"},
                  True, sample["contexts"])
            equal(abs(sum(context["share"] for context in sample["contexts"]) - 1) < 1e-9, True)
    equal(live[0]["device"], "sim:skl")
    equal(replayed[0]["device"], path)
    assert live[1]["rc6"] is not None and replayed[1]["rc6"] is None


def test_sections_are_those_of_report(directory):
    """Of a recording with marks: each sample's sections, the largest first, and over all of it those of report --by mark."""
    path = os.path.join(directory, "r")
    lines = "".join(f"@{1_000_000_000 + ms * 1_000_000} {text}\n" for ms, text in
                    [(5, "mark load"), (40, "begin render"), (60, 'mark "shade"'), (80, "end render")] +
                    [(85 + i, f"mark m{i}") for i in range(10)])
    subprocess.run([TALLY, "record", "-q", "-d", "sim:icl", "--clock", "free", "-t", "100ms", "-p", "100us", "-o", path,
                    "--mark-fd", "0"], input=lines, text=True, check=True)
    groups = {row["group"]: row["duration_ns"] for row in json_lines(succeed("report", "-f", "jsonl", "--by", "mark", path))
              if row["type"] == "group" and row["by"] == "mark"}
    whole = sum(groups.values())
    [sample] = json_lines(succeed("top", "-f", "jsonl", "--interval", "10s", path))
    sections = {section["section"]: section["share"] for section in sample["sections"]}
    equal(len(sections), 8)  # the first seven, and what the others have together
    for name, share in sections.items():
        if name != "(others)":
            assert abs(share - groups[name] / whole) < 1e-6, (name, share, groups)
    equal(round(sum(sections.values()), 9), 1)
    samples = json_lines(succeed("top", "-f", "jsonl", "--interval", "50ms", path))
    shares = [[section["share"] for section in sample["sections"]] for sample in samples]
    assert len(shares) >= 2 and all(list(row) == sorted(row, reverse=True) for row in shares), shares
    contains(succeed("top", "--once", path), "\n  Marks      load ")
    assert "sections" not in json_lines(succeed("top", "-f", "jsonl", f"{SAMPLES}/hsw.i915-perf"))[0]


def test_lost_values_are_null(directory):
    """A value that is lost or not defined is null in JSON and "lost" or "-" in text, never 0."""
    samples = json_lines(succeed("top", "-q", "-f", "jsonl", "-d", "sim:hsw", "--fault", "lossy", "-t", "700ms",
                                 "--clock", "free", "--interval", "50ms"))
    equal(samples[-1]["missing"] > 0 and any(sample["lost"] for sample in samples), True)
    done = tally("top", "-q", "--once", "-d", "sim:hsw", "--fault", "lossy", "--clock", "free", "--interval", "1s",
                 "--fail-on-loss")
    equal(done.returncode, 5, done.stderr)
    assert not re.search(r"Losses +0 of", done.stdout), done.stdout
    path = os.path.join(directory, "lost.i915-perf")
    succeed("record", "-q", "-d", "sim:hsw", "-t", "200ms", "--fault", "all", "-o", path)
    for sample in json_lines(succeed("top", "-f", "jsonl", "--interval", "50ms", path)):
        if not sample["deltas"]:
            equal(set(sample["counters"].values()), {None})


def test_once():
    """One sample as text, of every kind of device, without a terminal."""
    for device in "sim:skl", "sim:tgl", "sim:snb", "sim:g92", "sim:nv40", "sim:gf100":
        text = succeed("top", "-q", "--once", "-d", device, "--clock", "free", "--interval", "100ms")
        equal(text.startswith("modelled "), True, text)
        contains(text, device)
        contains(text, "Losses     0 of ")
        equal("RC6" in text, device in ("sim:skl", "sim:tgl", "sim:snb"), device)
    text = succeed("top", "--once", SAMPLE, "-c", "gpubusy")
    contains(text, "RC6        not recorded")
    equal(len(re.findall(r"^    \w", text, re.M)), 1)
    two = succeed("top", "-q", "--once", "-d", "sim:skl", "-d", "sim:g92", "--clock", "free")
    equal(re.findall(r"^modelled .*", two, re.M)[0].split()[1:3], ["Skylake", "GT2"])
    contains(two, "modelled G92  sim:g92  Overview")


def test_expressions():
    text = succeed("top", "-q", "--once", "-d", "sim:g92", "-e", "busy=!PGRAPH.IDLE", "--clock", "free")
    contains(text, "busy ")


MISTAKES = [
    (["-d", "sim:sky"], 2, "sim:skl"),
    (["-d", "sim:hsw", "--once", "-f", "jsonl"], 2, "expected one of them"),
    (["-d", "sim:hsw", "-f", "csv"], 2, "expected jsonl"),
    (["-d", "sim:hsw", "--interval", "1us"], 2, "from 50ms to 10s"),
    (["-d", "sim:hsw", "-p", "fast"], 2, "such as 80us"),
    (["-d", "sim:hsw", "--speed", "4"], 2, "expected FILE"),
    (["-d", "sim:hsw", "--clock", "free"], 2, "expected wall"),
    (["-d", "sim:hsw", "--ring", "1"], 2, "at least 64K"),
    ([SAMPLE, "--speed", "x"], 2, "such as 0.5 or 4"),
    ([SAMPLE, "-d", "sim:hsw"], 2, "expected one of them"),
    ([SAMPLE], 2, "is not a terminal"),
    (["-"], 2, "standard input is the keyboard"),
    (["-d", "sim:hsw"], 2, "is not a terminal"),
    (["--once", "-d", "sim:hsw", "-m", "RenderBasics"], 2, "RenderBasic"),
    (["--once", "-d", "sim:hsw", "-c", "GpuBussy"], 2, "GpuBusy"),
    (["--once", "/nonexistent"], 2, "No such file"),
    (["--once", os.path.join(SOURCE, "README.md")], 3, "README.md"),
]


def test_mistakes():
    """Each mistake gets one line and the right exit code."""
    for arguments, code, part in MISTAKES:
        done = tally("top", "-q", *arguments, stdin="")
        equal(done.returncode, code, f"{arguments}: {done.stderr}")
        contains(done.stderr, part, arguments)
        equal(done.stderr.count("\n"), 1, done.stderr)
        equal(done.stdout, "", arguments)


def test_no_device():
    if os.path.exists("/dev/dri/renderD128"):
        raise Skip("this machine has a GPU")
    done = tally("top", "--once")
    equal(done.returncode, 4)
    contains(done.stderr, "sim:hsw")


def test_a_closed_pipe_ends_it():
    process = subprocess.Popen([TALLY, "top", "-q", "-f", "jsonl", "-d", "sim:hsw", "--interval", "50ms"],
                               stdout=subprocess.PIPE)
    equal(json.loads(process.stdout.readline())["type"], "sample")
    process.stdout.close()
    equal(process.wait(LIMIT_S), 0)


def test_a_signal_ends_the_lines():
    for number in signal.SIGINT, signal.SIGTERM:
        process = subprocess.Popen([TALLY, "top", "-q", "-f", "jsonl", "-d", "sim:g92", "--interval", "50ms"],
                                   stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.send_signal(number)
        for line in process.stdout:
            json.loads(line)
        equal(process.wait(LIMIT_S), 0)


def test_under_emulate():
    """The device of tally emulate is shown like that of a kernel."""
    need_preload()
    done = tally("emulate", "-q", "--clock", "virtual", "-d", "sim:skl", "--workload", "triangle", "--root", "--", TALLY, "top", "--once",
                 "--interval", "200ms")
    equal(done.returncode, 0, done.stderr)
    contains(done.stdout, "modelled Skylake GT2  /dev/dri/renderD128  RenderBasic")
    contains(done.stdout, "RC6 ")


# ---- in a terminal -------------------------------------------------------------------------------

def test_keys(directory):
    """Help, search, choice, order and pause."""
    with Terminal(directory, "top -q -d sim:skl --interval 50ms") as terminal:
        screen = terminal.wait(r"GPU busy .*[█▏].* %")
        contains(screen.splitlines()[0], "modelled Skylake GT2  sim:skl  RenderBasic")
        contains(screen, "GpuTime: ")
        terminal.keys("h")
        terminal.wait("tally top: keys")
        terminal.keys("h")
        terminal.wait("GPU busy ")
        terminal.keys("/", "texel m")
        terminal.wait(r"no counter has \"texel m\"")
        terminal.keys("BSpace", "BSpace")
        terminal.keys("s m", "Enter")
        terminal.wait("SamplerTexelMisses: ")
        terminal.keys("Home")
        terminal.wait("GpuTime: ")
        terminal.keys("c")
        terminal.wait(r"\[x\] GPU Time Elapsed")
        terminal.keys("Space")
        terminal.wait(r"\[ \] GPU Time Elapsed")
        terminal.keys("Enter")
        terminal.wait(r"^ GPU Core Clocks")
        assert "GPU Time Elapsed" not in terminal.screen()
        terminal.keys("o", "o")
        terminal.wait("Counter by load")
        terminal.keys("r")
        terminal.wait("Counter by load, reversed")
        terminal.keys("Space")
        paused = terminal.wait("PAUSED").splitlines()[0]
        time.sleep(0.3)
        equal(terminal.screen().splitlines()[0], paused)
        terminal.keys("Space")
        terminal.wait(r"/ 50 ms")
        terminal.keys("+")
        terminal.wait(r"/ 100 ms")
        terminal.keys("<")
        terminal.wait(r"341\.3 µs / 100 ms")
        terminal.keys("q")
        equal(terminal.exit_code(), 0)
        assert "GPU busy" not in terminal.screen()


def test_losses_are_those_since_the_start(directory):
    """Another interval or period does not begin to count them anew."""
    losses = r"Losses +(\d+) of (\d+) reports missing"
    with Terminal(directory, "top -q -d sim:skl --fault lossy --interval 50ms") as terminal:
        before = terminal.wait(r"Losses +\d+ of \d{4,} reports")
        for key, title in ("+", r"/ 100 ms "), (">", r"1\.365 ms / 100 ms "):
            terminal.keys(key)
            after = terminal.wait(title)
            counts = [[int(number) for number in re.search(losses, screen).groups()] for screen in (before, after)]
            assert counts[0][0] <= counts[1][0] and counts[0][1] < counts[1][1], counts
            before = after


def test_metric_sets(directory):
    """Another metric set is chosen by its name while counting, of both vendors; its values arrive, all of them."""
    cases = ("sim:skl -c gpubusy", "RenderBasic", "raw", "Raw"), ("sim:g92", "Overview", "FETCH", "VertexFetch")
    for number, (options, before, typed, after) in enumerate(cases):
        device = options.split()[0]
        place = os.path.join(directory, str(number))
        os.makedirs(place)
        with Terminal(place, f"top -q -d {options} --interval 50ms") as terminal:
            terminal.wait(rf"{device}  {before} (.*\n)*.*GPU busy .* %")
            terminal.keys("m")
            terminal.wait(f"metric sets of {device}, which counts {before}")
            terminal.keys("qzq")
            terminal.wait('/qzq_  no metric set has "qzq"')
            terminal.keys("Enter")  # nothing to choose
            terminal.keys("BSpace", "BSpace", "BSpace")
            terminal.wait(" /_$")
            terminal.keys(typed)
            screen = terminal.wait(rf"/{typed}_")
            assert before not in screen.split("\n", 1)[1], screen
            terminal.keys("Enter")
            screen = terminal.wait(rf"{device}  {after} (.*\n)*.* counting {after}: .*")
            terminal.wait(rf"{device}  {after} (.*\n)*.*Losses +none, [1-9]")
            terminal.keys("m")
            terminal.wait(f"which counts {after}")
            terminal.keys("Escape")
            terminal.wait(f"{device}  {after} ")
            terminal.keys("q")
            equal(terminal.exit_code(), 0)
    place = os.path.join(directory, "expressions")
    os.makedirs(place)
    with Terminal(place, "top -q -d sim:g92 -e 'busy=!PGRAPH.IDLE' --interval 50ms") as terminal:
        terminal.wait("busy .* ")
        terminal.wait("Losses +none, [1-9]")
        terminal.keys("m")
        terminal.wait(r"metric set: expressions are counted \(-e\)")


def test_saving(directory):
    """What was seen is saved as a recording, and what was saved is stated after the screen."""
    with Terminal(directory, "top -d sim:g92 -q --interval 50ms -o seen.i915-perf") as terminal:
        terminal.wait("GPU busy .* %")
        terminal.keys("s")
        terminal.wait("saved the latest [0-9]+ reports to seen.i915-perf")
        terminal.keys("s")
        terminal.wait("to seen.i915-perf.1")
        terminal.keys("q")
        equal(terminal.exit_code(), 0)
    for name in "seen.i915-perf", "seen.i915-perf.1":
        report = succeed("report", os.path.join(directory, name))
        contains(report, "modelled G92")
        contains(report, " 0 losses")


def test_full_disk(directory):
    """A file that cannot be written: a line when the screen is gone, and the exit code."""
    with Terminal(directory, "top -d sim:hsw -q --fault refused --interval 50ms") as terminal:
        # Another client has the stream: one line after the screen.
        equal(terminal.exit_code(), 4)
        terminal.wait("^tally: sim:hsw: another program is using its counters")
    with open(os.path.join(directory, "full.yaml"), "w", encoding="utf-8") as file:
        file.write("name: full\ndescription: A disk of 20 kB\nfaults:\n  - {bytes: 20 kB, do: disk-full}\n")
    os.makedirs(os.path.join(directory, "two"))
    with Terminal(os.path.join(directory, "two"),
                  "top -d sim:hsw -q --fault ../full.yaml --interval 50ms -o full.i915-perf") as terminal:
        terminal.wait(r"none, \d{3,} reports")
        terminal.keys("s")
        terminal.wait("full.i915-perf: No space left on device")
        terminal.keys("q")
        equal(terminal.exit_code(), 1)
        terminal.wait("^tally: full.i915-perf: No space left on device")
    contains(succeed("info", os.path.join(directory, "two", "full.i915-perf")), "unwritten")


def test_a_device_that_disappears(directory):
    """With the last device the view ends, with a line for each and the exit code."""
    for name, nth in ("soon", 5), ("later", 12):
        with open(os.path.join(directory, name + ".yaml"), "w", encoding="utf-8") as file:
            file.write(f"name: {name}\ndescription: A GPU that disappears\nfaults:\n"
                       f"  - {{call: I915_REG_READ, nth: {nth}, do: fail, errno: ENODEV}}\n")
    with Terminal(directory, "top -d sim:hsw -q --fault soon.yaml --interval 50ms") as terminal:
        equal(terminal.exit_code(), 4)
        screen = terminal.wait("^tally: sim:hsw: .*No such device")
        assert "GPU busy" not in screen, screen
    os.makedirs(os.path.join(directory, "two"))
    with Terminal(os.path.join(directory, "two"),
                  "top -d sim:hsw -d sim:skl -q --fault ../soon.yaml --interval 50ms") as terminal:
        equal(terminal.exit_code(), 4)
        terminal.wait("^tally: sim:hsw: .*No such device")
        terminal.wait("^tally: sim:skl: .*No such device")
    lines = tally("top", "-q", "-f", "jsonl", "-d", "sim:hsw", "--fault", os.path.join(directory, "later.yaml"),
                  "--clock", "free", "--interval", "50ms")
    equal(lines.returncode, 4, lines.stderr)
    equal(lines.stderr.count("\n"), 1, lines.stderr)
    equal(len(json_lines(lines.stdout)) > 5, True)


def test_sizes(directory):
    """The layout follows the size; a small window says so."""
    with Terminal(directory, "top -q -d sim:skl --interval 50ms") as terminal:
        terminal.wait("GPU busy .* %")
        assert " mean" not in terminal.screen()
        terminal.resize(130, 40)
        screen = terminal.wait(r"min +mean +max")
        equal(max(len(line) for line in screen.splitlines()) > 100, True)
        terminal.resize(30, 8)
        terminal.wait("window too small")
        terminal.resize(60, 20)
        terminal.wait("GPU busy .* %")


def test_devices(directory):
    """Several devices of both vendors: one after the other, and side by side."""
    with Terminal(directory, "top -q -d sim:skl -d sim:g92 -d sim:ivb --interval 50ms", columns=130) as terminal:
        terminal.wait(r"Skylake .*1/3")
        terminal.keys("Tab")
        terminal.wait(r"G92 .*2/3")
        terminal.keys("Tab")
        terminal.wait(r"Ivy Bridge .*3/3")
        terminal.wait("Contexts +not in the reports of this GPU")
        terminal.keys("v")
        terminal.wait(r"Skylake .*G92 .*Ivy")
        terminal.resize(80, 24)
        terminal.wait("side by side needs 120 columns")


def test_replay(directory):
    """A recording replays at the speed that is asked for, pauses, and stays on the screen at its end."""
    with Terminal(directory, f"top --speed 0.001 {SAMPLE} --interval 50ms") as terminal:
        terminal.wait("modelled Haswell GT2  hsw.i915-perf  RenderBasic")
        terminal.keys("Space")
        terminal.wait("PAUSED")
        terminal.keys("s")
        terminal.wait("save: this is a recording")
        terminal.keys("m")
        terminal.wait("metric set: this is a recording")
        terminal.keys("q")
        equal(terminal.exit_code(), 0)
    os.makedirs(os.path.join(directory, "two"))
    with Terminal(os.path.join(directory, "two"), f"top --speed 4 {SAMPLE} --interval 50ms") as terminal:
        screen = terminal.wait("END ")
        contains(screen, "modelled Haswell")
        contains(screen, "RC6")
        contains(screen, "not recorded")
        contains(screen, "reports missing")
        terminal.keys("s")
        terminal.wait("save: this is a recording")
        terminal.keys("q")
        equal(terminal.exit_code(), 0)


def escapes(terminal):
    return terminal.screen("-e")


def test_colors_and_characters(directory):
    """NO_COLOR and terminals without colours: no colours; a locale without UTF-8: ASCII only."""
    cases = [({}, True, True), ({"NO_COLOR": "1"}, False, True), ({"TERM": "vt100"}, False, True),
             ({"LC_ALL": "C"}, True, False)]
    for number, (environment, colors, utf8) in enumerate(cases):
        place = os.path.join(directory, str(number))
        os.makedirs(place)
        with Terminal(place, "top -q -d sim:skl --interval 50ms", environment=environment.items()) as terminal:
            screen = terminal.wait(r"GPU busy .*[█▏#.].* %")
            equal(screen.isascii(), not utf8, environment)
            equal(bool(re.search(r"\x1b\[[0-9;]*3[0-7]m", escapes(terminal))), colors, environment)
            terminal.keys("q")
            equal(terminal.exit_code(), 0)


def test_terminals_that_cannot(directory):
    for number, (name, part) in enumerate([("dumb", "cannot move its cursor"), ("nonsense", "unknown terminal")]):
        place = os.path.join(directory, str(number))
        os.makedirs(place)
        with Terminal(place, "top -q -d sim:skl", environment=[("TERM", name)]) as terminal:
            equal(terminal.exit_code(), 2, name)
            terminal.wait(part)


def test_signals_restore_the_terminal(directory):
    """After SIGINT, SIGTERM, SIGHUP, SIGQUIT and a crash the terminal shows what it showed before."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV:
        place = os.path.join(directory, str(int(number)))
        os.makedirs(place)
        with Terminal(place, "version; stty -a; " + TALLY + " top -q -d sim:skl --interval 50ms") as terminal:
            terminal.wait("GPU busy .* %")
            os.kill(terminal.pid(), number)
            code = terminal.exit_code()
            equal(code, 128 + int(number) if number in (signal.SIGSEGV, signal.SIGQUIT) else 0, number)
            screen = terminal.screen()
            contains(screen, "tally 0", "the screen before")
            assert "GPU busy" not in screen, screen
            # Echo and line mode are on again.
            terminal.keys("abc", "Enter")
            terminal.wait(r"^abc\nabc$")
            equal(terminal.run("display-message", "-p", "#{cursor_flag}#{alternate_on}").strip(), "10")


def test_ctrl_c(directory):
    with Terminal(directory, "top -q -d sim:skl --interval 50ms") as terminal:
        terminal.wait("GPU busy .* %")
        terminal.keys("C-c")
        equal(terminal.exit_code(), 0)


def test_duration(directory):
    with Terminal(directory, "top -q -d sim:skl --interval 50ms -t 300ms") as terminal:
        equal(terminal.exit_code(), 0)


if __name__ == "__main__":
    main()
