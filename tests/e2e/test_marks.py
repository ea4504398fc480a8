# SPDX-License-Identifier: MIT
"""Marks of the recorded program, --delay, --control, --repeat and --append."""
import inspect
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import time

from e2e import (SAMPLES, SOURCE, TALLY, Skip, contains, equal, json_lines, main, need_html, need_preload,
                 need_program, succeed, tally)
from test_traces import perfetto

HZ = 12_000_000  # of Skylake's timestamp


def line():
    """The line of a table's row."""
    return inspect.currentframe().f_back.f_lineno


def record(*arguments, **options):
    return subprocess.run([TALLY, "record", "-d", "sim:skl", *map(str, arguments)], capture_output=True, text=True,
                          env=dict(os.environ, NO_COLOR="1"), timeout=120, check=False, **options)


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        assert size >= 8 and at + size <= len(data), f"offset {at}: {size} of {len(data) - at}"
        found.append((kind, data[at + 8:at + size]))
        at += size
    return found


def marks(path):
    """(kind, name) of the marks of a recording, in the order of the file."""
    found = []
    for kind, payload in records(path):
        at = 0
        while kind == 0x54000007 and at < len(payload):
            size = payload[at + 13]
            found.append(("mbef"[payload[at + 12]], payload[at + 16:at + 16 + size].decode(errors="replace")))
            at += 16 + (size + 7) // 8 * 8
    return found


def groups(path, by):
    return {entry["group"]: entry for entry in json_lines(succeed("report", "--by", by, "-f", "jsonl", path))
            if entry["type"] == "group" and entry["by"] == by}


def recorded_with(directory, lines, *arguments):
    """A recording of 200 ms by the free clock, with marks at times of the GPU's clock."""
    given, path = f"{directory}/lines", f"{directory}/free.i915-perf"
    with open(given, "w", encoding="utf-8") as file:
        file.write("".join(f"@{10 ** 9 + ms * 1000000} {text}\n" for ms, text in lines))
    with open(given, encoding="utf-8") as file:
        os.dup2(file.fileno(), 9)
        done = record("--clock", "free", "-t", "200ms", "-p", "80us", "-o", path, "--mark-fd", 9, *arguments,
                      pass_fds=[9])
        os.close(9)
    equal(done.returncode, 0, done.stderr)
    return path


def test_sections_have_the_deltas_between_their_marks(directory):
    """Against the deltas of the export: those that lie between two marks, 100 us away from both."""
    path = recorded_with(directory, [(50, "mark load"), (100, "begin \"draw\", 1"), (120, "frame"), (150, "end \"draw\", 1")])
    deltas = [entry for entry in json_lines(succeed("export", "-f", "jsonl", path)) if entry["type"] == "delta"]
    edges = [0, 50, 100, 150, 10 ** 6]
    names = ["(none)", "load", "\"draw\", 1", "load"]
    expected = dict.fromkeys(names + ["(between)"], 0)
    for entry in deltas:
        place = "(between)"
        for i, name in enumerate(names):
            if entry["gpu_start"] >= (edges[i] + .1) * HZ / 1e3 * (i > 0) and entry["gpu_end"] <= (edges[i + 1] - .1) * HZ / 1e3:
                place = name
        expected[place] += 1
    found = groups(path, "mark")
    equal({name: entry["deltas"] for name, entry in found.items()}, expected)
    assert expected["load"] > 1000, expected
    equal([len(groups(path, "frame"))], [2])
    contains(succeed("report", "--by", "mark", "-c", "GpuBusy", path), "mark \"draw\", 1")
    csv = succeed("report", "--by", "mark", "-f", "csv", "-c", "GpuBusy", path)
    contains(csv, 'mark,"""draw"", 1",')
    contains(succeed("report", "--advise", path), "between marks")


def test_checks_and_comparisons_group_by_name(directory):
    """The names have other numbers in the second recording."""
    path = recorded_with(directory, [(50, "mark one"), (120, "mark two")])
    other = f"{directory}/other.i915-perf"
    shutil.copy(path, other)
    path = recorded_with(directory, [(20, "mark two"), (120, "mark one")])
    rows = [  # conditions, exit status, what is printed
        (line(), ["GpuBusy > 1% in mark one"], 0, "1 of 1 checks passed"),
        (line(), ["GpuBusy > 99% in mark one"], 1, "in mark one"),
        (line(), ["GpuBusy > 1% in every mark"], 0, "2 of 2 checks passed"),
        (line(), ["GpuBusy > 1% in mark three"], 1, "nothing was counted"),
        (line(), ["GpuBusy within 90% in mark one", "--baseline", other], 0, "1 of 1 checks passed"),
        (line(), ["GpuBusy > 1% in mark "], 2, "mark NAME"),
    ]
    for row, conditions, code, text in rows:
        done = tally("check", path, *conditions)
        equal(done.returncode, code, f"row {row}: {done.stdout}{done.stderr}")
        contains(done.stdout + done.stderr, text)
    text = succeed("compare", "--by", "mark", "-f", "jsonl", other, path)
    names = [entry["group"] for entry in json_lines(text) if entry["type"] == "group"]
    equal(sorted(names), ["(none)", "one", "total", "two"])
    path = recorded_with(directory, [(0, "mark one"), (120, "mark two")])  # no delta is without a mark
    text = succeed("compare", "--by", "mark", "-f", "jsonl", path, path)
    names = [entry["group"] for entry in json_lines(text) if entry["type"] == "group"]
    equal(sorted(names), ["one", "total", "two"])


def test_a_shell_makes_marks_and_wrong_lines_are_counted(directory):
    path = f"{directory}/shell.i915-perf"
    script = ("echo mark load >&$TALLY_MARK_FD; echo frame >&$TALLY_MARK_FD; echo nonsense >&$TALLY_MARK_FD;"
              "printf 'mark \\033[31mred\\nmark half' >&$TALLY_MARK_FD")
    done = record("-o", path, "--", "sh", "-c", script)
    equal(done.returncode, 0, done.stderr)
    contains(done.stderr, "2 lines of the marks were not understood, the first \"nonsense\", expected mark NAME")
    equal(marks(path), [("m", "load"), ("f", ""), ("m", "\x1b[31mred")])
    assert "\x1b" not in succeed("report", "--by", "mark", path)
    done = record("-o", path, "--mark-fd", 7, "--", "sh", "-c", "echo mark seven >&7; exec 7>&-; true")
    equal((done.returncode, marks(path)), (0, [("m", "seven")]), done.stderr)


def test_programs_make_marks_by_the_library(directory):
    """docs/examples/marks.c, recorded, not recorded, and under tally emulate; a descriptor that is another file's is left alone."""
    need_program("gcc")
    build = os.path.dirname(TALLY)
    program, path = f"{directory}/marks", f"{directory}/marks.i915-perf"
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", program, f"{SOURCE}/docs/examples/marks.c", f"-I{SOURCE}/include",
                    f"-L{build}/src", f"-Wl,-rpath,{build}/src", "-ltally"], check=True)
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    equal(plain.stdout, "not recorded\n")
    wrong = subprocess.run([program], capture_output=True, text=True, check=True,
                           env=dict(os.environ, TALLY_MARK_FD="1", TALLY_MARK_ID="1:1"))
    equal(wrong.stdout, "not recorded\n")
    expected = [("m", "load"), ("m", "render")] + 5 * [("b", "shadows"), ("e", "shadows"), ("f", "")]
    done = record("-o", path, "--", program)
    equal((done.returncode, done.stdout), (0, "recorded\n"), done.stderr)
    equal(marks(path), expected)
    assert {"load", "render", "shadows"} <= set(groups(path, "mark")), groups(path, "mark").keys()
    assert len(groups(path, "frame")) in (5, 6), groups(path, "frame").keys()  # a report may follow the last frame
    need_preload()
    done = subprocess.run([TALLY, "emulate", "-q", "--root", "-d", "sim:skl", "--", TALLY, "record", "-o", path, "--", program],
                          capture_output=True, text=True, check=False)
    equal((done.returncode, marks(path)), (0, expected), done.stderr)


def test_a_flood_of_marks_is_kept(directory):
    """More than a pipe holds, and a megabyte without a newline."""
    path = f"{directory}/flood.i915-perf"
    script = ("import os; fd = int(os.environ['TALLY_MARK_FD']); text = b'@1 frame\\n' * 200000 + b'x' * (1 << 20)\n"
              "while text: text = text[os.write(fd, text):]")
    done = record("-o", path, "--", "python3", "-c", script)
    equal(done.returncode, 0, done.stderr)
    equal(marks(path), 200000 * [("f", "")])
    contains(done.stderr, "1 line of the marks was not understood")


def test_control_pauses_marks_and_stops(directory):
    """The time in which it was paused has no values and is not lost."""
    ctl, ack, path = f"{directory}/ctl", f"{directory}/ack", f"{directory}/control.i915-perf"
    os.mkfifo(ctl)
    os.mkfifo(ack)
    with subprocess.Popen([TALLY, "record", "-d", "sim:skl", "--delay", "-1", "--control", f"fifo:{ctl},{ack}", "-o", path],
                          stderr=subprocess.PIPE, text=True) as running:
        with open(ctl, "w", encoding="utf-8") as to, open(ack, encoding="utf-8") as answers:
            for command, answer in [("ping", "ack"), ("mark before", "ack"), ("enable", "ack"), ("SLEEP", None), ("disable", "ack"),
                                    ("SLEEP", None), ("enable", "ack"), ("mark after", "ack"), ("SLEEP", None), ("jump", "error: expected"),
                                    ("snapshot", "error: snapshot needs --ring"), ("stop", "ack")]:
                if command == "SLEEP":
                    time.sleep(0.3)
                    continue
                to.write(command + "\n")
                to.flush()
                contains(answers.readline(), answer)
            error = running.stderr.read()
        equal(running.wait(), 0, error)
    kinds = [kind for kind, _ in records(path)]
    equal(kinds.count(0x54000008), 1)
    states = [entry["state"] for entry in json_lines(succeed("export", "-f", "jsonl", path)) if entry["type"] == "delta"]
    equal(states.count("paused"), 1)
    equal(set(states), {"ok", "paused"})
    found = groups(path, "mark")
    assert {"before", "after"} <= set(found), found.keys()
    equal(sum(entry["lost"] for entry in found.values()), 0)
    contains(error, "nothing lost")


def paused_recording(directory):
    """A recording with marks, of which the reports between 60 and 90 ms were not recorded. Returns its path and the deltas before."""
    path = recorded_with(directory, [(30, 'mark "load"'), (75, "mark render\\"), (120, "frame"), (150, "frame")])
    deltas = [entry for entry in json_lines(succeed("export", "-f", "jsonl", path)) if entry["type"] == "delta"]
    index, data, segment = 0, b"", struct.pack("<IHHII", 0x54000008, 0, 16, 0, 0)
    for kind, payload in records(path):
        at = (deltas[index - 1]["gpu_end"] if index else deltas[0]["gpu_start"]) / HZ if kind == 1 else 0
        index += kind == 1
        if .06 <= at < .09:
            data, segment = data + segment, b""
        else:
            data += struct.pack("<IHH", kind, 0, 8 + len(payload)) + payload
    with open(path, "wb") as file:
        file.write(data)
    return path, deltas


def test_a_pause_is_shown_as_no_loss(directory):
    """In all formats and commands, at its time; the states of all other deltas are as without it."""
    path, before = paused_recording(directory)
    lines = json_lines(succeed("export", "-f", "jsonl", path))
    deltas, end = [entry for entry in lines if entry["type"] == "delta"], lines[-1]
    pauses = [entry for entry in lines if entry["type"] == "pause"]
    kept = [entry for entry in before if not .06 <= entry["gpu_start"] / HZ < .09 and not .06 <= entry["gpu_end"] / HZ < .09]
    missing, = [entry for entry in deltas if entry["state"] != "ok"]
    equal([entry["gpu_start"] for entry in deltas if entry["state"] == "ok"], [entry["gpu_start"] for entry in kept])
    equal([(entry["reason"], entry["after_report"], entry["gpu_start"], entry["gpu_end"]) for entry in pauses],
          [("paused", missing["index"], missing["gpu_start"], missing["gpu_end"])])
    equal((missing["state"], set(missing["counters"].values())), ("paused", {None}))
    ticks = missing["gpu_end"] - missing["gpu_start"]
    assert abs(ticks / HZ - .03) < .001, ticks
    equal((end["lost"], end["lost_deltas"], end["pauses"], end["paused_ns"]), (0, 0, 1, int(ticks * 10 ** 9 // HZ)))
    for command in ["info"], ["report"], ["export", "-f", "table", "-c", "GpuBusy"]:
        contains(succeed(*command, path), "0 losses, 0 deltas without values\n  paused 1 time, for 30")
    contains(succeed("why", "GpuBusy", path), "- the recording was paused 1 time, for 30")
    contains(succeed("why", "GpuBusy", path), f"over the {len(kept)} deltas with values")
    assert "were lost" not in succeed("why", "GpuBusy", path)
    samples = json_lines(succeed("top", "-f", "jsonl", "--interval", "50ms", "-c", "GpuBusy", path))
    equal({sample["lost"] for sample in samples}, {0})
    equal(sum(sample["deltas"] for sample in samples), len(kept), "nothing of the pause")
    equal(tally("report", "--fail-on-loss", path).returncode, 0)
    gpu, = perfetto(path).gpus
    cpu = missing["start_ns"], missing["end_ns"] - missing["start_ns"]
    equal([slice[1:4] for slice in gpu.slices if slice[0] == "Pauses"], [("paused", *cpu)])
    equal([slice for slice in gpu.slices if slice[0] == "Losses"], [])
    events = chrome(path)
    equal([(event["name"], *times_of(event)) for event in events if event["tid"] == 4 and event["ph"] == "X"], [("paused", *cpu)])
    picture = succeed("export", "-f", "svg", "-c", "GpuBusy", path)
    equal((picture.count('class="paused"'), picture.count('class="lost"')), (1, 0))
    contains(picture, ">grey: not recorded, nothing lost<")
    assert "grey" not in succeed("export", "-f", "svg", "-c", "GpuBusy", "--to", "50ms", path)
    if "html" not in succeed("help", "export"):
        return
    header = header_of(path, directory)
    origin = deltas[0]["gpu_start"]
    equal([(pause["reason"], round(pause["start_ns"]), round(pause["end_ns"])) for pause in header["pauses"]],
          [("paused", *(round((missing[key] - origin) * 1e9 / HZ) for key in ("gpu_start", "gpu_end")))])
    equal((header["losses"], header["columns"]["lost"], header["lost_deltas"]), ([], 0, 0))
    equal(header_of(path, directory, "--to", "50ms")["pauses"], [])


def test_a_pause_before_the_last_report_is_no_loss(directory):
    """No group has a delta after it."""
    path = recorded_with(directory, [(30, "mark load")])
    kept = records(path)
    last = max(i for i, (kind, _) in enumerate(kept) if kind == 1)
    kept.insert(last, (0x54000008, bytes(8)))
    with open(path, "wb") as file:
        file.write(b"".join(struct.pack("<IHH", kind, 0, 8 + len(payload)) + payload for kind, payload in kept))
    contains(succeed("info", path), "paused 1 time")
    contains(succeed("check", path, "GpuBusy > 1% in mark load"), "1 of 1 checks passed")


def test_a_store_keeps_pauses_and_marks(directory):
    path, _ = paused_recording(directory)
    db = f"{directory}/store.db"
    done = tally("store", "add", db, path)
    if "built without" in done.stderr:
        raise Skip("this tally is built without SQLite")
    row, = json_lines(succeed("query", "-f", "jsonl", db, "SELECT lost_deltas, paused_ns FROM recordings"))
    equal((row["lost_deltas"], round(row["paused_ns"] / 1e6)), (0, 30))
    for by in "mark", "frame":
        equal(succeed("report", "--by", by, "-f", "csv", f"{db}#1"), succeed("report", "--by", by, "-f", "csv", path))


def test_marks_are_in_timelines(directory):
    """Sections as slices that end where the next one begins, and frames as instants."""
    path, _ = paused_recording(directory)
    info, = [entry for entry in json_lines(succeed("info", "-f", "jsonl", path)) if entry["type"] == "info"]
    equal((info["marks"], info["mark_names"], info["sections"], info["frames"], info["unmatched_regions"]), (4, 2, 2, 2, 0))
    assert 0 < info["marks_uncertain_ns"] <= 100000, info
    contains(succeed("info", path), "4 of 2 names: 2 sections, 2 frames; uncertain by ")
    last = json_lines(succeed("export", "-f", "jsonl", path))
    last = [entry for entry in last if entry["type"] == "delta"][-1]["end_ns"]
    expected = [('"load"', 1_030_000_000, 1_075_000_000), ("render\\", 1_075_000_000, last)]
    frames = [("1", 1_120_000_000), ("2", 1_150_000_000)]
    near = 200  # ns: times are rounded to ticks, and back
    gpu, = perfetto(path).gpus
    slices = [(name, start, start + length) for queue, name, start, length, *_ in gpu.slices if queue == "Marks"]
    check_times(slices, expected, near)
    check_times([(name, start) for queue, name, start, *_ in gpu.slices if queue == "Frames"], [("frame", ns) for _, ns in frames], near)
    events = chrome(path)
    slices = [(event["name"], times_of(event)[0], sum(times_of(event))) for event in events if event["tid"] == 5 and event["ph"] == "X"]
    check_times(slices, expected, near)
    instants = [(event["name"], times_of(event)[0]) for event in events if event["tid"] == 6 and event["ph"] == "i"]
    check_times(instants, [("frame " + name, ns) for name, ns in frames], near)
    part = [event["name"] for event in chrome(path, "--from", "80ms", "--to", "130ms") if event["tid"] in (5, 6) and event["ph"] in "Xi"]
    equal(part, ["render\\", "frame 1"])
    if "html" not in succeed("help", "export"):
        return
    marks = header_of(path, directory)["marks"]
    origin = 1_000_000_000 + [entry for entry in json_lines(succeed("export", "-f", "jsonl", path))
                              if entry["type"] == "delta"][0]["gpu_start"] * 10 ** 9 // HZ
    check_times([(marks["names"][number], origin + round(ns)) for ns, number in marks["sections"]], [row[:2] for row in expected], near)
    check_times([(str(marks["first_frame"] + i), origin + round(ns)) for i, ns in enumerate(marks["frames_ns"])], frames, near)
    part = header_of(path, directory, "--from", "80ms", "--to", "130ms")["marks"]
    equal((part["names"], part["first_frame"], len(part["frames_ns"]), part["frames_left_out"]), (["render\\"], 1, 1, 0))


def check_times(got, expected, near):
    equal([row[0] for row in got], [row[0] for row in expected])
    for row, other in zip(got, expected):
        assert all(abs(a - b) <= near for a, b in zip(row[1:], other[1:])), f"{row}, expected {other}"


def chrome(path, *options):
    return [event for event in json.loads(succeed("export", "-f", "chrome", "-c", "GpuBusy", *options, path), parse_float=str)
            if "tid" in event and event["ph"] != "M"]


def times_of(event):
    """Start and length in nanoseconds."""
    return int(event["ts"].replace(".", "")), int(event.get("dur", "0").replace(".", ""))


def header_of(path, directory, *options):
    need_html()
    page = f"{directory}/page.html"
    succeed("export", "-f", "html", "-c", "GpuBusy", "-o", page, *options, path)
    with open(page, encoding="utf-8") as file:
        return json.loads(re.search(r'<script[^>]* id="header"[^>]*>(.*?)</script>', file.read(), re.S)[1])


def test_an_unfinished_line_is_counted(directory):
    """Of a file, and of a pipe that is still open when the recording ends; a run does not change the next one."""
    path = f"{directory}/half.i915-perf"
    for at_end in True, False:
        got, put = os.pipe()
        os.write(put, b"mark a\nmark half")
        if at_end:
            os.close(put)
        done = record("--clock", "free", "-t", "20ms", "-o", path, "--mark-fd", got, pass_fds=[got])
        equal((done.returncode, marks(path)), (0, [("m", "a")]), done.stderr)
        contains(done.stderr, "1 line of the marks was not understood, the first \"mark half\"")
        os.close(got)
        if not at_end:
            os.close(put)
    script = "echo mark a >&$TALLY_MARK_FD; head -c 5000 /dev/zero | tr '\\0' x >&$TALLY_MARK_FD"
    done = record("--repeat", 2, "-o", path, "--", "sh", "-c", script)
    equal(done.returncode, 0, done.stderr)
    equal([marks(f"{directory}/half-{i}.i915-perf") for i in (1, 2)], 2 * [[("m", "a")]])


def test_a_limit_of_descriptors_is_stated(directory):
    """The highest number works; one above the limit is refused."""
    path = f"{directory}/limit.i915-perf"
    for number, code in (63, 0), (64, 2):
        done = subprocess.run(["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh", TALLY, "record", "-d", "sim:skl", "-o", path, "--mark-fd",
                               str(number), "--", "python3", "-c", f"import os; os.write({number}, b'mark top\\n')"],
                              capture_output=True, text=True, check=False)
        equal(done.returncode, code, done.stderr)
    equal(marks(path), [("m", "top")])
    contains(done.stderr, "expected 3 to 63")


def test_answers_that_nobody_reads_hold_nothing_up(directory):
    """The pipe of the answers is full; the commands are executed."""
    path = f"{directory}/full.i915-perf"
    (control, to), (answers, acknowledge) = os.pipe(), os.pipe()
    os.set_blocking(acknowledge, False)
    try:
        while True:
            os.write(acknowledge, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(acknowledge, True)
    os.write(to, b"ping\nmark a\nstop\n")
    done = record("--control", f"fd:{control},{acknowledge}", "-o", path, pass_fds=[control, acknowledge])
    equal((done.returncode, marks(path)), (0, [("m", "a")]), done.stderr)
    contains(done.stderr, "cannot acknowledge")
    payload, = [payload for kind, payload in records(path) if kind == 0x54000007]
    assert struct.unpack_from("<I", payload, 8)[0] > 0, "a command is read some time after it was written"
    for fd in control, to, answers, acknowledge:
        os.close(fd)


def test_a_command_outlives_a_delay(directory):
    """Paused during the delay, the recording is not resumed by its end."""
    path = f"{directory}/delay.i915-perf"
    control, to = os.pipe()
    os.write(to, b"disable\n")
    done = record("--delay", 100, "--control", f"fd:{control}", "-o", path, "--", "sleep", "0.4", pass_fds=[control])
    equal(done.returncode, 0, done.stderr)
    equal([kind for kind, _ in records(path) if kind == 1], [])
    for fd in control, to:
        os.close(fd)


def test_errors_are_one_line(directory):
    os.mkfifo(f"{directory}/fifo")
    rows = [  # arguments, exit status, message
        (line(), ["--control", "ctl"], 2, "expected fifo:CTL[,ACK] or fd:CTL[,ACK]"),
        (line(), ["--control", "fifo:/nonexistent"], 2, "expected a FIFO"),
        (line(), ["--control", "fifo:/dev/null"], 2, "is not a FIFO"),
        (line(), ["--control", f"fifo:{directory}/fifo,"], 2, "expected fifo:CTL[,ACK]"),
        (line(), ["--control", "fd:900"], 2, "descriptor 900 is not open"),
        (line(), ["--control", "fd:x"], 2, "expected numbers"),
        (line(), ["--mark-fd", "900", "-t", "1ms"], 2, "descriptor 900 is not open"),
        (line(), ["--mark-fd", "1", "--", "true"], 2, "expected 3 to 1023"),
        (line(), ["--mark-fd", "1024", "--", "true"], 2, "expected 3 to 1023"),
        (line(), ["--mark-fd", "x", "--", "true"], 2, "expected the number"),
        (line(), ["--mark-fd", "7", "--clock", "free", "--", "true"], 2, "expected --clock wall"),
        (line(), ["--delay", "-1", "--", "true"], 2, "needs --control"),
        (line(), ["--delay", "soon", "--", "true"], 2, "expected milliseconds"),
        (line(), ["--repeat", "0", "-t", "1ms"], 2, "expected a number from 1 to 1000"),
        (line(), ["--repeat", "2"], 2, "expected --time or COMMAND"),
        (line(), ["--append", "--repeat", "2", "-t", "1ms"], 2, "excludes"),
    ]
    for row, arguments, code, message in rows:
        done = record("-o", f"{directory}/none.i915-perf", *arguments)
        equal(done.returncode, code, f"row {row}: {done.stderr}")
        contains(done.stderr, message)
        equal(len(done.stderr.splitlines()), 1, f"row {row}: {done.stderr}")
        assert not os.path.exists(f"{directory}/none.i915-perf"), row


def test_a_delay_is_not_recorded(directory):
    """By the free clock: the first report is after the delay, and the duration begins there."""
    path = f"{directory}/delay.i915-perf"
    done = record("--clock", "free", "-p", "80us", "--delay", 50, "-t", "20ms", "-o", path)
    equal(done.returncode, 0, done.stderr)
    deltas = [entry for entry in json_lines(succeed("export", "-f", "jsonl", path)) if entry["type"] == "delta"]
    assert 0.045 * HZ <= deltas[0]["gpu_start"] <= 0.051 * HZ, deltas[0]["gpu_start"]
    assert 0.065 * HZ <= deltas[-1]["gpu_end"] <= 0.076 * HZ, deltas[-1]["gpu_end"]


def test_repeated_recordings_are_runs(directory):
    done = record("--clock", "free", "-t", "50ms", "--repeat", 10, "-o", f"{directory}/run.i915-perf")
    equal(done.returncode, 0, done.stderr)
    equal(sorted(os.listdir(directory)), [f"run-{i:02}.i915-perf" for i in range(1, 11)])
    os.mkdir(f"{directory}/b")
    equal(record("--clock", "free", "-t", "50ms", "--repeat", 2, "-o", f"{directory}/b").returncode, 0)
    equal(sorted(os.listdir(f"{directory}/b")), ["tally-1.i915-perf", "tally-2.i915-perf"])
    text = succeed("compare", "--baseline", f"{directory}/b", f"{directory}/run-01.i915-perf")
    contains(text, "tally-2.i915-perf")


def test_a_run_that_fails_ends_the_repetition(directory):
    script = f"echo >>{directory}/count; test $(wc -l <{directory}/count) -lt 3 || exit 7"
    done = record("--repeat", 5, "-o", f"{directory}/run.i915-perf", "--", "sh", "-c", script)
    equal(done.returncode, 7, done.stderr)
    contains(done.stderr, "run 3 of 5 failed with exit status 7")
    equal(sorted(os.listdir(directory)), ["count"] + [f"run-{i}.i915-perf" for i in (1, 2, 3)])
    for i in (1, 2, 3):
        succeed("info", f"{directory}/run-{i}.i915-perf")


def test_a_signal_ends_the_repetition(directory):
    with subprocess.Popen([TALLY, "record", "-d", "sim:skl", "--repeat", "5", "--delay", "600s", "-t", "1s", "-o",
                           f"{directory}/run.i915-perf"], stderr=subprocess.PIPE, text=True) as running:
        while not os.path.exists(f"{directory}/run-1.i915-perf") or not os.path.getsize(f"{directory}/run-1.i915-perf"):
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        error = running.stderr.read()
        equal(running.wait(), 130, error)
    contains(error, "after 1 of 5 runs")
    equal(os.listdir(directory), ["run-1.i915-perf"])
    equal([kind for kind, _ in records(f"{directory}/run-1.i915-perf")][-1], 65539)


def test_a_recording_is_continued(directory):
    """Under tally emulate, whose GPU goes on; not by a model that is started again, and not with another set."""
    path = f"{directory}/a.i915-perf"
    equal(record("-t", "20ms", "--clock", "wall", "-o", path).returncode, 0)
    with open(path, "rb") as file:
        before = file.read()
    rows = [
        (line(), ["-m", "Raw"], 1, "its metric set is RenderBasic, and now it is Raw"),
        (line(), ["-p", "80us"], 1, "its period in ticks is"),
        (line(), [], 1, "started again"),
    ]
    for row, arguments, code, message in rows:
        done = record("-t", "20ms", "--clock", "wall", "--append", "-o", path, *arguments)
        equal((done.returncode != 0, row), (code != 0, row), done.stderr)
        contains(done.stderr, message)
        with open(path, "rb") as file:
            equal(file.read() == before, True, row)
    equal(record("-t", "20ms", "--context", "0x1000", "-o", f"{directory}/one").returncode, 0)
    done = record("-t", "20ms", "--context", "0x2000", "--append", "-o", f"{directory}/one")
    contains(done.stderr, "its context is 4096, and now it is 8192")
    need_preload()
    command = f"{TALLY} record -q -t 100ms -o {path}"
    done = subprocess.run([TALLY, "emulate", "-q", "--root", "--clock", "virtual", "-d", "sim:skl", "--workload", "triangle", "--", "sh", "-c",
                           f"{command} && {command} --append -- sleep 0.1"], capture_output=True, text=True, check=False)
    equal(done.returncode, 0, done.stderr)
    states = [entry["state"] for entry in json_lines(succeed("export", "-f", "jsonl", path)) if entry["type"] == "delta"]
    equal((set(states), states.count("paused")), ({"ok", "paused"}, 1))


if __name__ == "__main__":
    main()
