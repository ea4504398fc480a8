# SPDX-License-Identifier: MIT
"""tally record: modelled GPUs recorded and reported, signals, commands, rings, and all that can go
wrong."""
import glob
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import time

from e2e import (METRICS, OWN_METRICS, TALLY, Skip, as_peer, contains, equal, json_lines, main, need,
                 need_preload, need_program, peer_pairs, succeed, tally)

PLATFORMS = ["hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl", "rkl", "dg1", "adl"]

# The frame of data/workloads/triangle.yaml: 0.3 ms at 97 %, 4 ms at 99.5 %, idle to 16.667 ms.
FRAME_MS = 0.3 + 4 + 12.366667
BUSY_MS = 0.3 * 0.97 + 4 * 0.995
PS_THREADS = 4 * 32000
VS_THREADS = 0.3 * 6000 + 4 * 150


def start(*arguments, **options):
    options.setdefault("text", True)
    return subprocess.Popen([TALLY, "record", *map(str, arguments)], stderr=subprocess.PIPE,
                            env=dict(os.environ, NO_COLOR="1"), **options)


def records(path):
    """Returns (type, payload) of every record; the last one must be complete."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        assert size >= 8 and at + size <= len(data), f"offset {at}: {size} of {len(data) - at}"
        found.append((kind, data[at + 8:at + size]))
        at += size
    return found


def wait_for(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


# ---- live ----------------------------------------------------------------------------------------

def test_a_pipe_gets_records_while_they_are_recorded():
    """The recording continues until the reader has seen reports and a later correlation point."""
    with start("-q", "-d", "sim:skl", "--clock", "wall", "-o", "-", text=False,
               stdout=subprocess.PIPE) as running:
        data, at, kinds = b"", 0, []
        while kinds.count(1) < 20:
            piece = os.read(running.stdout.fileno(), 1 << 16)
            assert piece, (running.wait(), running.stderr.read())
            data += piece
            while len(data) - at >= 8:
                kind, _, size = struct.unpack_from("<IHH", data, at)
                if len(data) - at < size:
                    break
                kinds.append(kind)
                at += size
        equal(running.poll(), None)
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
        equal(running.wait(), 0)
    equal(kinds[:3], [65536, 65537, 65538])
    kind, _, size = struct.unpack_from("<IHH", rest, len(rest) - 24)
    equal((kind, size), (65539, 24), "the last record")


# ---- contents of a recording ---------------------------------------------------------------------

def deltas(path, *options, exact=False):
    """Returns the counters of each delta of the recording."""
    rows = [line for line in json_lines(succeed("export", "-f", "jsonl", *options, path), exact)
            if line["type"] == "delta"]
    equal({row["state"] for row in rows}, {"ok"}, path)
    return [row["counters"] for row in rows]


def check_triangle(path, platform, *options):
    """The work matches the workload within one frame, as a recording begins and ends inside frames."""
    rows = deltas(path, *options)
    assert len(rows) > 500, len(rows)
    totals = {symbol: sum(row[symbol] for row in rows)
              for symbol in ("GpuTime", "GpuCoreClocks", "PsThreads", "VsThreads")}
    ns = totals["GpuTime"]
    frames = ns / 1e6 / FRAME_MS
    hz = totals["GpuCoreClocks"] / ns * 1e9
    # The highest clock of the platform, a multiple of 50 MHz, within 0.1 %.
    assert abs(hz - round(hz / 50e6) * 50e6) < hz / 1000, f"{platform}: {hz} Hz"
    busy = sum(row["GpuBusy"] / 100 * row["GpuTime"] for row in rows) / ns
    for name, got, expected in [("busy", busy, BUSY_MS / FRAME_MS),
                                ("PS threads", totals["PsThreads"] / frames, PS_THREADS),
                                ("VS threads", totals["VsThreads"] / frames, VS_THREADS)]:
        low, high = (frames - 1) / frames, (frames + 1) / frames
        assert expected * low <= got <= expected * high, (platform, name, got, expected)


def test_every_platform_records_and_reports(directory):
    path = os.path.join(directory, "out.i915-perf")
    for platform in PLATFORMS:
        done = tally("record", "-d", "sim:" + platform, "--workload", "triangle", "-t", "1s", "-o",
                     path, "-M", OWN_METRICS)
        equal((done.returncode, done.stdout), (0, ""), platform)
        contains(done.stderr, "nothing lost", platform)
        check_triangle(path, platform, "-M", OWN_METRICS)
        text = succeed("report", "-M", OWN_METRICS, path)
        contains(text, "Loss ledger", platform)
        contains(text, " 0 losses, 0 deltas without values", platform)


def test_public_sets(directory):
    need(METRICS)
    path = os.path.join(directory, "out.i915-perf")
    for platform in PLATFORMS:
        done = tally("record", "-d", "sim:" + platform, "-t", "1s", "-o", path, "-M", METRICS)
        equal(done.returncode, 0, done.stderr)
        check_triangle(path, platform, "-M", METRICS)
    # TestOa uses the unit's own events (PERF-3.6).
    succeed("record", "-q", "-d", "sim:skl", "-m", "TestOa", "-t", "100ms", "-o", path, "-M", METRICS)
    contains(succeed("info", path), "TestOa")
    assert len(records(path)) > 100


def test_all_public_sets_can_be_recorded(directory):
    need(METRICS)
    path = os.path.join(directory, "out.i915-perf")
    for platform in ["hsw", "icl"]:
        listed = succeed("record", "-d", "sim:" + platform, "-m", "list", "-M", METRICS)
        names = [line.split()[1] for line in listed.splitlines()]
        assert len(names) >= 6, names
        for name in names:
            succeed("record", "-q", "-d", "sim:" + platform, "-m", name, "-t", "5ms", "-p", "100us",
                    "-o", path, "-M", METRICS)
            contains(succeed("info", path), name)


def test_the_peer_reads_the_same(directory):
    need_program("i915-perf-reader")
    need(METRICS)
    path = os.path.join(directory, "out.i915-perf")
    for platform in ["hsw", "bdw", "skl", "icl"]:
        succeed("record", "-q", "-d", "sim:" + platform, "-t", "200ms", "-o", path, "-M", METRICS)
        ours = deltas(path, "-M", METRICS, exact=True)
        theirs = peer_pairs(path)
        compared = 0
        # i915-perf-reader's segments share their boundary reports, so that every pair occurs once.
        equal(len(theirs), len(ours), platform)
        for (_, peer), mine in zip(theirs, ours):
            mine = as_peer(mine, peer)
            for symbol, value in peer.items():
                if symbol in mine:
                    equal(mine[symbol], value, f"{platform} {symbol}")
                    compared += 1
        assert compared > 1000, compared


def test_the_file_is_in_order(directory):
    path = os.path.join(directory, "out.i915-perf")
    succeed("record", "-q", "-d", "sim:skl", "-t", "2500ms", "-p", "10ms", "-o", path)
    found = records(path)
    equal([kind for kind, _ in found[:7]],
          [65536, 65537, 65538, 0x54000000, 0x54000006, 0x54000002, 65539])
    equal(found[-1][0], 65539)
    contains(found[3][1].decode(), "record -d sim:skl -m RenderBasic --workload triangle --clock free")
    points = [struct.unpack("<QQ", payload) for kind, payload in found if kind == 65539]
    equal(len(points), 4)  # at 0, 1, 2 and 2.5 s
    for (cpu, gpu), (later_cpu, later_gpu) in zip(points, points[1:]):
        assert abs((later_cpu - cpu) * 12e6 / 1e9 - (later_gpu - gpu)) < 2, points
    # PERF-2.3: the nearest to 10 ms is 2^17 ticks of 12 MHz.
    ticks = [struct.unpack_from("<II", payload) for kind, payload in found if kind == 1]
    timer = [ts for report, ts in ticks if report >> 19 & 1]
    equal({(b - a) & 0xffffffff for a, b in zip(timer, timer[1:])}, {1 << 17})


def test_the_selected_period_is_printed(directory):
    path = os.path.join(directory, "out.i915-perf")
    for asked, told in [("80us", "81.92 us (nearest to 80 us)"), ("1s", "671.0886 ms (nearest"),
                        ("1ns", "160 ns"), ("655360ns", "655.36 us\n")]:
        done = tally("record", "-d", "sim:hsw", "-p", asked, "-t", "1ms", "-o", path)
        equal(done.returncode, 0, done.stderr)
        contains(done.stderr, "period " + told)


def test_free_clock_same_bytes(directory):
    bytes_of = []
    for name in "ab":
        path = os.path.join(directory, name)
        succeed("record", "-q", "-d", "sim:icl", "--workload", "contexts", "-t", "300ms", "-o", path)
        with open(path, "rb") as file:
            bytes_of.append(file.read())
    assert bytes_of[0] == bytes_of[1] and len(bytes_of[0]) > 50000


def test_one_context(directory):
    path = os.path.join(directory, "out.i915-perf")
    everything = os.path.join(directory, "all.i915-perf")
    options = ["-d", "sim:skl", "--workload", "contexts", "-t", "200ms"]
    succeed("record", "-q", *options, "-o", everything)
    wanted = re.findall(r"^context (0x\w+)", succeed("report", everything), re.M)
    assert len(wanted) >= 2, wanted
    done = tally("record", *options, "--context", wanted[0], "-o", path)
    contains(done.stderr, "of other contexts skipped")
    equal(re.findall(r"^context (\w+)", succeed("report", path), re.M), [wanted[0], "idle"])
    pattern = re.compile(rf"^context {wanted[0]} .*?\n\n", re.M | re.S)
    equal(pattern.search(succeed("report", path)).group().split("\n")[1:],
          pattern.search(succeed("report", everything)).group().split("\n")[1:],
          "what the context did")


# ---- output --------------------------------------------------------------------------------------

def test_a_pipe(directory):
    file = os.path.join(directory, "out.i915-perf")
    options = ["-q", "-d", "sim:bdw", "-t", "100ms"]
    succeed("record", *options, "-o", file)
    piped = tally("record", *options, "-o", "-", text=False)
    equal(piped.returncode, 0)
    with open(file, "rb") as data:
        equal(piped.stdout == data.read(), True, "the same bytes through a pipe")
    line = f"{TALLY} record {' '.join(options)} -o - | {TALLY} report -"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    equal(done.returncode, 0)
    contains(done.stdout, "Loss ledger")


def test_a_reader_that_has_enough():
    need_program("bash")
    line = f"{TALLY} record -q -d sim:hsw -p 80us -t 20s -o - | head -c 100000 >/dev/null; " \
           "echo ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    equal((done.stdout, done.stderr), ("0\n", ""))


def test_a_slow_reader_loses_nothing():
    """With the wall clock and a pipe that is not read for a second, records are kept in memory."""
    child = start("-d", "sim:hsw", "--clock", "wall", "-p", "20us", "-t", "1500ms", "-o", "-",
                  stdout=subprocess.PIPE)
    time.sleep(1)
    data = child.stdout.buffer.read()
    equal(child.wait(), 0)
    contains(child.stderr.read(), "nothing lost")
    at, times = 0, []
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == 1:
            times.append(struct.unpack_from("<I", data, at + 12)[0])
        assert kind not in (2, 3), kind
        at += size
    assert len(times) > 60000, len(times)
    equal({b - a for a, b in zip(times, times[1:])}, {256})


def test_a_full_disk(directory):
    path = os.path.join(directory, "out.i915-perf")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100001, 100001))

    child = start("-d", "sim:hsw", "-p", "80us", "-t", "1s", "-o", path, preexec_fn=limit)
    _, errors = child.communicate()
    equal(child.returncode, 1)
    contains(errors, path + ": cannot write the recording: File too large")
    found = records(path)  # complete records
    assert 99400 < os.path.getsize(path) <= 100001, os.path.getsize(path)
    text = succeed("report", path)
    contains(text, f"  {sum(kind == 1 for kind, _ in found)} reports read")
    contains(text, "unwritten")


# ---- the end -------------------------------------------------------------------------------------

def test_signals_leave_a_valid_file(directory):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        path = os.path.join(directory, f"{number}.i915-perf")
        child = start("-d", "sim:skl", "-o", path)
        wait_for(lambda: size_of(path) > 20000, "nothing is written")
        child.send_signal(number)
        _, errors = child.communicate(timeout=30)
        equal(child.returncode, 0, f"signal {number}")
        contains(errors, "nothing lost")
        found = records(path)
        equal(found[-1][0], 65539, "a point in time ends it")
        contains(succeed("report", path), "0 losses")


def test_kill_keeps_written_records(directory):
    path = os.path.join(directory, "out.i915-perf")
    child = start("-d", "sim:hsw", "-o", path)
    wait_for(lambda: size_of(path) > 100000, "nothing is written")
    child.kill()
    child.communicate()
    assert len(records(path)) > 300


def test_time_by_the_wall_clock(directory):
    path = os.path.join(directory, "out.i915-perf")
    before = time.monotonic()
    succeed("record", "-q", "-d", "sim:hsw", "--clock", "wall", "-t", "700ms", "-o", path)
    assert time.monotonic() - before >= 0.7
    points = [struct.unpack("<QQ", payload) for kind, payload in records(path) if kind == 65539]
    # CLOCK_MONOTONIC of this machine.
    assert 0 <= time.monotonic_ns() - points[-1][0] < 60e9, points


# ---- with a command ------------------------------------------------------------------------------

def test_status_of_the_command(directory):
    path = os.path.join(directory, "out.i915-perf")
    rows = [(["true"], 0), (["false"], 1), (["sh", "-c", "exit 42"], 42),
            (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
            (["sh", "-c", "kill -KILL $$"], 128 + signal.SIGKILL),
            ([os.path.join(directory, "nothing")], 127), ([directory], 126)]
    for command, code in rows:
        done = tally("record", "-d", "sim:hsw", "-o", path, "--", *command)
        equal(done.returncode, code, f"{command}: {done.stderr}")
        records(path)


def test_a_command_has_its_own_output_and_input(directory):
    path = os.path.join(directory, "out.i915-perf")
    done = tally("record", "-q", "-d", "sim:hsw", "-o", path, "sh", "-c", "cat; echo more -t 1s",
                 stdin="words\n")
    equal((done.returncode, done.stdout, done.stderr), (0, "words\nmore -t 1s\n", ""))


def test_the_command_is_recorded_completely(directory):
    path = os.path.join(directory, "out.i915-perf")
    times = os.path.join(directory, "times")
    script = ("import time; a=time.monotonic_ns(); time.sleep(0.3); "
              f"open({times!r}, 'w').write(f'{{a}} {{time.monotonic_ns()}}')")
    succeed("record", "-q", "-d", "sim:hsw", "-o", path, "--", sys.executable, "-c", script)
    with open(times, encoding="ascii") as file:
        begin, end = map(int, file.read().split())
    points = [struct.unpack("<QQ", payload) for kind, payload in records(path) if kind == 65539]
    late = 20_000_000  # ns that the model may be behind on a busy machine
    assert points[0][0] <= begin and end <= points[-1][0] + late, (points, begin, end)
    reports = sum(kind == 1 for kind, _ in records(path))
    assert reports > 0.3 / 0.00131072 - 2, reports


def test_time_ends_before_the_command(directory):
    path = os.path.join(directory, "out.i915-perf")
    done = tally("record", "-d", "sim:hsw", "-t", "100ms", "-o", path, "sh", "-c",
                 "sleep 0.5; exit 9")
    equal(done.returncode, 9)
    assert sum(kind == 1 for kind, _ in records(path)) < 200


def test_signals_are_for_the_command(directory):
    """Signals to the recorder end the command, and with it the recording."""
    path = os.path.join(directory, "out.i915-perf")
    ready = os.path.join(directory, "ready")
    for number in (signal.SIGINT, signal.SIGTERM):
        script = f"trap 'exit 33' INT TERM; touch {ready}; while :; do sleep 0.05; done"
        child = start("-d", "sim:hsw", "-o", path, "--", "bash", "-c", script)
        wait_for(lambda: os.path.exists(ready), "the command does not run")
        child.send_signal(number)
        child.communicate(timeout=30)
        equal(child.returncode, 33)
        records(path)
        os.remove(ready)


def on_a_terminal(*arguments, keys=b"", when=lambda: True):
    """Runs tally record in a terminal; returns (exit status, output)."""
    try:
        pid, terminal = pty.fork()
    except OSError:
        raise Skip("there are no terminals here") from None
    if pid == 0:
        os.execve(TALLY, [TALLY, "record", *map(str, arguments)], dict(os.environ, NO_COLOR="1"))
    shown = b""
    if keys:
        wait_for(when, "it does not get there")
        os.write(terminal, keys)
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the terminal was closed
            piece = b""
        if not piece:
            break
        shown += piece
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode()


def test_progress_on_a_terminal(directory):
    path = os.path.join(directory, "out.i915-perf")
    code, shown = on_a_terminal("-d", "sim:hsw", "--clock", "wall", "-t", "500ms", "-o", path)
    equal(code, 0)
    lines = re.findall(r"\r\x1b\[K(\d\.\d) s  (\d+) reports  (\d+)/s  nothing lost", shown)
    assert len(lines) >= 3, shown
    assert 600 < int(lines[-1][2]) < 900, lines[-1]
    assert [int(line[1]) for line in lines] == sorted(int(line[1]) for line in lines), lines
    contains(shown, "\r\x1b[Ktally: " + path)  # the progress line is cleared at the end
    code, shown = on_a_terminal("-q", "-d", "sim:hsw", "-t", "10ms", "-o", path)
    equal((code, shown), (0, ""))
    code, shown = on_a_terminal("-d", "sim:hsw", "-t", "10ms", "-o", "-")
    equal(code, 2)
    contains(shown, "standard output is a terminal, expected a pipe or -o FILE")


def test_control_c(directory):
    """The terminal signals the command and the recorder: the recording ends with the command."""
    path = os.path.join(directory, "out.i915-perf")
    ready = os.path.join(directory, "ready")
    code, _ = on_a_terminal("-d", "sim:hsw", "-o", path, keys=b"\x03",
                            when=lambda: size_of(path) > 1000)
    equal(code, 0)
    equal(records(path)[-1][0], 65539)
    script = f"trap 'sleep 0.2; exit 7' INT; touch {ready}; while :; do sleep 0.05; done"
    code, _ = on_a_terminal("-d", "sim:hsw", "-o", path, "--", "bash", "-c", script, keys=b"\x03",
                            when=lambda: os.path.exists(ready))
    equal(code, 7)
    equal(records(path)[-1][0], 65539)


# ---- the flight recorder -------------------------------------------------------------------------

def test_a_ring_keeps_the_latest(directory):
    path = os.path.join(directory, "out.i915-perf")
    done = tally("record", "-d", "sim:hsw", "-p", "80us", "-t", "1s", "--ring", "256K", "-o", path)
    equal(done.returncode, 0)
    reports = sum(kind == 1 for kind, _ in records(path))
    contains(done.stderr, f"{reports} reports")
    contains(done.stderr, "latest of 122")
    assert (256 << 10) // 264 - 3 <= reports <= (256 << 10) // 264, reports
    text = succeed("info", path)
    contains(text, "2 points")
    contains(succeed("report", path), "0 losses")


def test_a_ring_is_dumped_on_demand(directory):
    path = os.path.join(directory, "out.i915-perf")
    child = start("-d", "sim:skl", "--ring", "1M", "-o", path)
    time.sleep(0.5)
    for number in (1, 2):
        child.send_signal(signal.SIGUSR1)
        name = f"{path}.{number}"
        line = ""
        while name not in line:
            line = child.stderr.readline()
            assert line, "no dump was told"
        contains(line, "reports")
        equal(records(name)[-1][0], 65539)
        contains(succeed("report", name), "0 losses")
    assert not os.path.exists(path)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=30)
    equal(child.returncode, 0)
    equal(sorted(os.listdir(directory)), ["out.i915-perf", "out.i915-perf.1", "out.i915-perf.2"])
    equal(records(path)[-1][0], 65539)


def test_a_ring_at_the_end_of_a_command(directory):
    path = os.path.join(directory, "out.i915-perf")
    equal(tally("record", "-d", "sim:hsw", "--ring", "64K", "-o", path, "--", "sh", "-c",
                "sleep 0.2; exit 3").returncode, 3)
    assert sum(kind == 1 for kind, _ in records(path)) > 100


# ---- a GPU that the kernel has -------------------------------------------------------------------

def emulated(*command, options=("--gpu", "skl", "--root"), user=None):
    """A program on a machine whose kernel has a GPU: the recorder makes the same calls."""
    need_preload()
    environment = dict(os.environ, NO_COLOR="1", T=TALLY)
    return subprocess.run([TALLY, "emulate", "-q", "--clock", "virtual", *options, "--", *map(str, command)],
                          capture_output=True, text=True, env=environment, preexec_fn=user,
                          timeout=120)


def test_the_kernels_gpu_is_the_usual_one(directory):
    if glob.glob("/dev/dri/renderD*"):
        raise Skip("this machine has a GPU")
    path = os.path.join(directory, "out.i915-perf")
    for platform in PLATFORMS:
        done = emulated(TALLY, "record", "-p", "1ms", "-t", "300ms", "-o", path,
                        options=("--gpu", platform, "--root"))
        equal(done.returncode, 0, done.stderr)
        contains(done.stderr, "tally: /dev/dri/renderD128, ")
        contains(done.stderr, "nothing lost", platform)
        text = succeed("info", path)
        contains(text, "record -d /dev/dri/renderD128 -m RenderBasic, a report every", platform)
        contains(text, " 0 losses, 0 deltas without values", platform)
        points = [struct.unpack("<QQ", payload) for kind, payload in records(path) if kind == 65539]
        reports = sum(kind == 1 for kind, _ in records(path))
        assert reports >= 200 and len(points) == 2, (platform, reports, points)


def test_sets_are_given_to_the_kernel_and_taken_back(directory):
    path = os.path.join(directory, "out.i915-perf")
    done = emulated("sh", "-c", f"""
        ls /sys/class/drm/card0/metrics
        $T record -q -o {path} -- ls /sys/class/drm/card0/metrics
        ls /sys/class/drm/card0/metrics""")
    equal(done.returncode, 0, done.stderr)
    found = [payload for kind, payload in records(path) if kind == 65537]
    equal(done.stdout, found[0][292:328].decode() + "\n", "only while it records")


def test_one_recorder_at_a_time(directory):
    done = emulated("bash", "-c", f"""
        cd {directory}
        $T record -q -o first -- sh -c '$T record -q -o second -t 1s; echo $?'""")
    equal((done.returncode, done.stdout), (0, "4\n"), done.stderr)
    contains(done.stderr, "/dev/dri/renderD128: another program is using its counters")
    assert not os.path.exists(os.path.join(directory, "second"))


def test_an_old_recording_stays_until_there_is_a_new_one(directory):
    path = os.path.join(directory, "old")
    with open(path, "w", encoding="utf-8") as file:
        file.write("old")
    done = emulated("sh", "-c", f"$T record -q -o {directory}/first -- $T record -q -o {path} -t 1s")
    equal(done.returncode, 4, done.stderr)
    with open(path, encoding="utf-8") as file:
        equal(file.read(), "old")


def test_without_permission(directory):
    def nobody():
        os.chmod(directory, 0o777)
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    path = os.path.join(directory, "out.i915-perf")
    try:
        done = emulated(TALLY, "record", "-d", "/dev/dri/renderD128", "-t", "10ms", "-o", path,
                        options=("--gpu", "skl"), user=nobody)
    except PermissionError:
        raise Skip("others may not run the command where it is") from None
    equal(done.returncode, 4, done.stderr)
    contains(done.stderr, "needs CAP_PERFMON (or root), or sysctl dev.i915.perf_stream_paranoid=0, "
             "which is 1")
    # Without -d, no modelled GPU takes its place.
    done = emulated(TALLY, "record", "-t", "10ms", "-o", path, options=("--gpu", "skl"), user=nobody)
    equal((done.returncode, done.stdout, done.stderr.count("\n")), (4, "", 1), done.stderr)
    contains(done.stderr, "perf_stream_paranoid=0, which is 1, expected a GPU that can be recorded; -d sim:hsw")
    assert not os.path.exists(path)
    done = emulated(TALLY, "record", "-d", "list", options=("--gpu", "skl"), user=nobody)
    contains(done.stdout, "/dev/dri/renderD128    Skylake        8086:1912  (no permission for")
    # With --root the recorder has permission.
    done = emulated(TALLY, "record", "-t", "10ms", "-o", path, options=("--gpu", "skl", "--root"),
                    user=nobody)
    contains(done.stderr, "/dev/dri/renderD128, modelled Skylake")


# ---- register accesses ---------------------------------------------------------------------------

def test_register_accesses_are_traced(directory):
    """The trace has what the driver and its batches do; the recording is the same without it."""
    trace = os.path.join(directory, "trace.txt")
    paths = [os.path.join(directory, name) for name in ["plain", "traced", "printed"]]
    options = ["-q", "-d", "sim:skl", "-t", "20ms"]
    equal(tally("record", *options, "-o", paths[0]).stderr, "")
    done = tally("record", *options, "-o", paths[1], "--trace", "mmio=" + trace)
    equal((done.returncode, done.stdout, done.stderr), (0, "", ""))
    done = tally("record", *options, "-o", paths[2], "--trace", "mmio")
    with open(trace, encoding="ascii") as file:
        text = file.read()
    equal((done.returncode, done.stdout, done.stderr), (0, "", text))
    equal(records(paths[0]), records(paths[1]))
    equal(records(paths[0]), records(paths[2]))
    agents, registers = set(), set()
    for line in text.splitlines():
        words = line.partition("  ! ")[0].split()
        agents.add(words[1])
        registers.add(words[4])
    equal(agents, {"cpu", "cs"})
    for register in ["FORCEWAKE_RENDER", "OACONTROL", "OATAILPTR", "ELSP", "EU_PERF_CNT_CTL0"]:
        assert register in registers, register
    equal(succeed("record", "-d", "sim:skl", "-m", "list", "--trace", "mmio=" + trace),
          succeed("record", "-d", "sim:skl", "-m", "list"))


def test_accesses_without_effect_are_counted(directory):
    """A metric set writes an address where Haswell has no register."""
    with open(os.path.join(directory, "oa-hsw.xml"), "w", encoding="utf-8") as file:
        file.write('<metrics><set name="Stray" symbol_name="Stray" chipset="HSW" '
                   'hw_config_guid="403d8832-1a27-4aa6-a64e-f5389ce7b212">\n'
                   '<register_config type="NOA">\n'
                   '<register type="NOA" address="0x00009840" value="0x80"/>\n'
                   '<register type="NOA" address="0x00009884" value="0x1"/>\n'
                   '</register_config></set></metrics>')
    options = ["-d", "sim:hsw", "-m", "Stray", "-M", directory, "-t", "2ms", "-o",
               os.path.join(directory, "out")]
    warning = "tally: record: register accesses: 1 unknown register; see --trace mmio"
    done = tally("record", *options)
    equal((done.returncode, done.stderr.splitlines()[-1]), (0, warning))
    equal(done.stderr.count("tally: record"), 1)
    equal(tally("record", "-q", *options).stderr, "")
    trace = os.path.join(directory, "trace.txt")
    done = tally("record", *options, "--trace", "mmio=" + trace)
    contains(done.stderr.splitlines()[-1], "1 unknown register")
    with open(trace, encoding="ascii") as file:
        stray = [line for line in file if "0x009884" in line]
    equal(len(stray), 1)
    contains(stray[0], "! unknown register")


# ---- errors --------------------------------------------------------------------------------------

def test_errors(directory):
    path = os.path.join(directory, "out")
    bad = os.path.join(directory, "bad.yaml")
    with open(bad, "w", encoding="ascii") as file:
        file.write("name: bad\ndescription: x\nphases:\n  - duration: 1 ms\n")
    sim = ["-d", "sim:hsw", "-t", "1ms", "-o", path]
    rows = [
        (["-p", "fast"], 2, '--period "fast", expected a time such as 80us, 10ms or 2s'),
        (["-t", "0s"], 2, '--time "0s", expected a time'),
        (["--ring", "8X"], 2, '--ring "8X", expected a size of at least 64K'),
        (["--ring", "1K"], 2, '--ring "1K", expected a size of at least 64K'),
        (["--ring", "1M", "-o", "-"], 2, "--ring cannot write to a pipe, expected -o FILE"),
        (["-o", "-", "true"], 2, "-o - cannot be used with a command"),
        (["--context", "idle"], 2, '--context "idle", expected a hardware context id'),
        (["--context", "0xffffffff"], 2, "expected a hardware context id"),
        ([*sim, "--context", "1"], 2, "reports of Haswell have no context id"),
        ([*sim, "--clock", "sun"], 2, '--clock "sun", expected wall or free'),
        (["-d", "sim:ibv"], 2, 'unknown device "sim:ibv", expected sim:ivb (see tally record -d '
                               "list)"),
        (["-d", "sim:adls"], 2, 'unknown device "sim:adls", expected sim:adl (see tally record -d'),
        (["-d", "hsw"], 2, 'device "hsw", expected sim:hsw (see tally record -d list)'),
        (["-d", "/dev/null", "--workload", "triangle"], 2, "need an emulated GPU"),
        (["-d", "/dev/null", "--trace", "mmio"], 2, "--trace need an emulated GPU, not /dev/null"),
        ([*sim, "--trace", "nothing"], 2, "record: --trace nothing, expected mmio or mmio=FILE"),
        ([*sim, "--trace", "mmio=/nonexistent/x"], 2, "/nonexistent/x: No such file"),
        (["-d", "/dev/null"], 4, "/dev/null is not a GPU"),
        (["-d", "/dev/dri/renderD255"], 4, "/dev/dri/renderD255: No such file"),
        ([*sim, "--workload", "nothing"], 2, 'unknown workload "nothing", expected '),
        ([*sim, "--workload", bad], 3, "bad.yaml:4"),
        ([*sim, "-m", "Nothing"], 2, "unknown metric set Nothing for HSW, expected one in"),
        (["-d", "sim:hsw", "-t", "1ms", "-o", "/nonexistent/x"], 2, "/nonexistent/x: No such file"),
        (["-d", "sim:hsw", "-t", "1ms", "-o", directory], 2, "Is a directory"),
        (["-d", "sim:hsw", "-t", "1ms", "-o", "/dev/full"], 1, "No space left on device"),
        (["--ring", "1M", "-d", "sim:hsw", "-t", "1ms", "-o", "/nonexistent/x"], 2, "No such file"),
        (["-d"], 2, "option -d expects an argument"),
        (["--nothing"], 2, "unknown option --nothing"),
    ]
    for arguments, code, message in rows:
        done = tally("record", "-q", *arguments, stdin="")
        equal((done.returncode, done.stdout), (code, ""), f"{arguments}: {done.stderr}")
        contains(done.stderr, message, str(arguments))
        equal(done.stderr.count("\n"), 1, f"{arguments}: one line")


def test_no_metric_sets(directory):
    done = tally("record", "-q", "-d", "sim:hsw", "-m", "RenderBasic", "-M", "/nonexistent", "-t",
                 "1ms", "-o", os.path.join(directory, "x"))
    equal(done.returncode, 0, "our own come last")


def test_lists():
    devices = succeed("record", "-d", "list")
    for platform in PLATFORMS:
        contains(devices, "sim:" + platform)
    if not glob.glob("/dev/dri/renderD*"):
        contains(devices, "no GPU in this machine")
    sets = succeed("record", "-d", "sim:lkf", "-m", "list", "-M", OWN_METRICS)
    contains(sets, "RenderBasic")
    contains(sets, "LKF")


def test_without_standard_descriptors(directory):
    """With closed standard descriptors, messages are not written into files."""
    path = os.path.join(directory, "out.i915-perf")
    done = subprocess.run(["sh", "-c", f"{TALLY} record -d sim:hsw -t 50ms -o {path} <&- >&- 2>&-"],
                          timeout=60)
    equal(done.returncode, 0)
    assert [kind for kind, _ in records(path)].count(1) > 10
    done = subprocess.run(["sh", "-c", f"{TALLY} record -q -d sim:hsw -t 50ms -o - >&-"],
                          capture_output=True, text=True, timeout=60)
    equal((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
    contains(done.stderr, "standard output: cannot write the recording: Bad file descriptor")
    program = ("import os, sys; "
               "sys.exit(7 + sum(os.path.exists(f'/proc/self/fd/{n}') for n in range(3)))")
    done = subprocess.run(["sh", "-c", f'{TALLY} emulate -- python3 -c "{program}" <&- >&- 2>&-'],
                          timeout=60)
    equal(done.returncode, 7, "a program that is started is without them, too")


def test_the_usual_output(directory):
    done = subprocess.run([TALLY, "record", "-q", "-d", "sim:hsw", "-t", "10ms"], cwd=directory,
                          capture_output=True, text=True)
    equal((done.returncode, done.stdout, done.stderr), (0, "", ""))
    equal(os.listdir(directory), ["tally.i915-perf"])


def test_as_an_ordinary_user(directory):
    if os.geteuid() != 0:
        return  # all other tests have covered this
    os.chmod(directory, 0o777)
    path = os.path.join(directory, "out.i915-perf")

    def nobody():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    try:
        done = subprocess.run([TALLY, "record", "-d", "sim:hsw", "-t", "50ms", "-o", path, "--",
                               "id", "-u"], capture_output=True, text=True, preexec_fn=nobody)
    except PermissionError:
        raise Skip("others may not run the command where it is") from None
    equal((done.returncode, done.stdout), (0, "65534\n"), done.stderr)
    contains(succeed("report", path), "0 losses")


if __name__ == "__main__":
    main()
