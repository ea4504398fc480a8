# SPDX-License-Identifier: MIT
"""Programs that look at the machine around the GPU, unmodified: those of intel-gpu-tools and libdrm, perf, vainfo, and
tally top."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import (BUILD, TALLY, Skip, contains, equal,  # noqa: E402  pylint: disable=wrong-import-position
                 json_lines, main, need_preload, need_program)

PLATFORMS = {"hsw": "Haswell", "bdw": "Broadwell", "chv": "Cherryview", "skl": "Skylake",
             "icl": "Icelake", "tgl": "Tigerlake"}
CLIENT = os.path.join(BUILD, "tests", "i915_conformance")
LIMIT_S = 120


def emulate(*command, platform="skl", options=()):
    need_preload()
    done = subprocess.run([TALLY, "emulate", "-q", "--root", "-d", "sim:" + platform, *options, "--", *command],
                          capture_output=True, text=True, check=False, timeout=LIMIT_S)
    return done


def output(*command, **more):
    done = emulate(*command, **more)
    equal(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


# ---- lists -------------------------------------------------------------------------------------

def test_lsgpu():
    need_program("lsgpu")
    for platform, name in PLATFORMS.items():
        text = output("lsgpu", platform=platform)
        assert re.search(rf"^card0 +Intel {name} .*drm:/dev/dri/card0$", text, re.M), text
        contains(text, "renderD128", platform)


def test_lists_of_intel_gpu_top():
    need_program("intel_gpu_top")
    for platform, name in PLATFORMS.items():
        contains(output("intel_gpu_top", "-L", platform=platform), f"Intel {name} ", platform)


def test_perf_list():
    need_program("perf")
    for platform in PLATFORMS:
        text = output("perf", "list", "pmu", platform=platform)
        for event in ["rcs0-busy", "bcs0-sema", "interrupts", "rc6-residency"]:
            contains(text, f"i915/{event}/", platform)
        equal("i915/actual-frequency/" in text, platform != "chv", platform)


# ---- counters ----------------------------------------------------------------------------------

def test_perf_stat():
    need_program("perf")
    for platform in PLATFORMS:
        done = emulate("perf", "stat", "-x,", "-a", "-e", "i915/rcs0-busy/,i915/rc6-residency/", "sleep", "0.5",
                       platform=platform, options=["--workload", "triangle"])
        equal(done.returncode, 0, done.stderr)
        values = {line.split(",")[2]: line.split(",") for line in done.stderr.splitlines() if "i915/" in line}
        equal(sorted(values), ["i915/rc6-residency/", "i915/rcs0-busy/"], done.stderr)
        for value in values.values():
            assert float(value[0]) > 0 and value[1] == "ns", (platform, value)


# ---- tracepoints -------------------------------------------------------------------------------

def test_perf_list_of_tracepoints():
    need_program("perf")
    text = output("perf", "list", "tracepoint")
    for event in ["context_create", "request_add", "request_wait_begin"]:
        contains(text, f"i915:i915_{event} ", "perf list")


def test_perf_stat_of_tracepoints():
    """Counts those of the command only, or of the machine."""
    need_program("perf")
    for options in [[], ["-a"]]:
        done = emulate("perf", "stat", "-x,", *options, "-e", "i915:i915_request_add,i915:i915_context_create", CLIENT, "draw", "20")
        equal(done.returncode, 0, done.stderr)
        equal([line.split(",")[0] for line in done.stderr.splitlines() if "i915:" in line], ["20", "2"], done.stderr)


def test_perf_record_of_tracepoints():
    """Records of a command and of the machine, with filter, as perf script prints them."""
    need_program("perf")
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "perf.data")
        for platform in PLATFORMS:
            output("perf", "record", "-q", "-o", file, "-e", "i915:*", CLIENT, "draw", "3", platform=platform)
            lines = output("perf", "script", "-F", "comm,pid,event,trace", "-i", file, platform=platform).splitlines()
            expected = r" *i915_conformanc +(\d+) +i915:i915_request_add: dev=0, engine=0:0, ctx=\d+, seqno=\d+, tail=\d+"
            added = [re.fullmatch(expected, line) for line in lines if "i915_request_add" in line]
            assert len(added) == 3 and all(added), lines
            equal(len({match.group(1) for match in added}), 1, lines)
        output("perf", "record", "-q", "-a", "-o", file, "-e", "i915:i915_request_queue", "--filter", "seqno > 4", CLIENT, "draw", "5")
        lines = output("perf", "script", "-F", "trace", "-i", file).splitlines()
        equal([re.search(r"seqno=(\d+)", line).group(1) for line in lines], ["6", "8", "10"], lines)
        done = emulate("perf", "record", "-o", file, "-e", "i915:i915_request_queue", "--filter", "sequence > 4", "true")
        assert done.returncode != 0 and "filter" in done.stderr, done.stderr


EVENT = re.compile(r" *(\S+)-(\d+) +\[000\] +(\d+)\.(\d{6}): (i915_\w+): +(.*)")


def reported(file):
    """The events of a file of trace-cmd: (name of the thread, its number, microseconds, event, text)."""
    done = subprocess.run(["trace-cmd", "report", "-i", file], capture_output=True, text=True, check=True, timeout=LIMIT_S)
    events = [EVENT.fullmatch(line) for line in done.stdout.splitlines() if "i915_" in line]
    assert all(events), done.stdout
    return [(e[1], int(e[2]), int(e[3] + e[4]), e[5], e[6]) for e in events]


def test_trace_cmd_record():
    """Has the events that perf records beside it; also from a namespace, by splice, and without loss."""
    need_program("trace-cmd")
    need_program("perf")
    with tempfile.TemporaryDirectory() as directory:
        file, beside = os.path.join(directory, "trace.dat"), os.path.join(directory, "perf.data")
        for platform in PLATFORMS:
            output("perf", "record", "-q", "-a", "-o", beside, "-e", "i915:*", "trace-cmd", "record", "-q", "-e", "i915",
                   "-o", file, CLIENT, "draw", "5", platform=platform)
            lines = output("perf", "script", "-F", "comm,tid,time,event,trace", "--ns", "-i", beside).splitlines()
            rows = [re.fullmatch(r" *(\S+) +(\d+) +(\d+)\.(\d{9}): +i915:(i915_\w+): (.*)", line) for line in lines]
            assert rows and all(rows), lines
            wanted = [("<idle>" if row[2] == "0" else row[1], int(row[2]), (int(row[3] + row[4]) + 500) // 1000, row[5],
                       row[6]) for row in rows]
            equal(reported(file), wanted, platform)
            equal(sum(row[3] == "i915_request_add" for row in wanted), 5, platform)
        for options in [["--by", "namespace"], []]:
            output("trace-cmd", "record", "-q", "--compression", "none", "-b", "64", "-e", "i915", "-o", file, CLIENT, "draw", "300",
                   options=options)
            equal(sum(event[3] == "i915_request_add" for event in reported(file)), 300, options)


def test_filters_of_trace_cmd():
    need_program("trace-cmd")
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "trace.dat")
        output("trace-cmd", "record", "-q", "-e", "i915:i915_request_queue", "-f", "seqno > 4", "-o", file, CLIENT, "draw", "5")
        equal([re.search(r"seqno=(\d+)", event[4])[1] for event in reported(file)], ["6", "8", "10"])
        output("trace-cmd", "record", "-q", "-F", "-e", "i915", "-o", file, CLIENT, "draw", "5")
        equal({event[0] for event in reported(file)}, {"i915_conformance"[:15]})
        done = emulate("trace-cmd", "record", "-e", "i915:i915_request_queue", "-f", "sequence > 4", "-o", file, "true")
        contains(done.stdout + done.stderr, "Failed filter of /sys/kernel/tracing/events/i915/i915_request_queue/filter", "the filter")
        done = emulate("trace-cmd", "record", "-e", "sched:sched_switch", "-o", file, "true")
        assert done.returncode != 0, done.stderr
        done = emulate("trace-cmd", "record", "-p", "function", "-o", file, "true")
        assert done.returncode != 0, done.stderr


def test_other_commands_of_trace_cmd():
    """The lists, the live output, and a buffer that has lost events."""
    need_program("trace-cmd")
    events = output("trace-cmd", "list", "-e").split()
    equal(len(events), 7, events)
    contains(output("trace-cmd", "list", "-F", "-e", "i915:i915_request_add"), "field:u32 seqno;", "a format")
    equal(output("trace-cmd", "list", "-t").split(), ["nop"])
    lines = output("trace-cmd", "stream", "-b", "64", "-e", "i915", CLIENT, "draw", "300").splitlines()
    assert sum("i915_request_add: " in line for line in lines) > 100, lines[-3:]
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "trace.dat")
        text = output("sh", "-c", 'trace-cmd start -b 8 -e i915 && "$@" && trace-cmd stop && '
                      'cat /sys/kernel/tracing/per_cpu/cpu0/stats && trace-cmd extract -o "$0"', file, CLIENT, "draw", "300")
        lost = int(re.search(r"^overrun: (\d+)$", text, re.M)[1])
        assert lost > 300, text
        report = subprocess.run(["trace-cmd", "report", "-i", file], capture_output=True, text=True, check=True,
                                timeout=LIMIT_S).stdout
        contains(report, f"[{lost} EVENTS DROPPED]", "the report")


def gpu_top_samples(text):
    """The complete objects of intel_gpu_top -J."""
    decoder, samples, at = json.JSONDecoder(), [], text.find("{")
    while at >= 0:
        try:
            sample, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            break
        samples.append(sample)
        at = text.find("{", at)
    return samples


def test_json_of_intel_gpu_top():
    """Busy time and RC6 are those of the workload; the engines are the platform's."""
    need_program("intel_gpu_top")
    for platform in PLATFORMS:
        done = emulate("timeout", "-s", "INT", "3", "intel_gpu_top", "-J", "-s", "400", platform=platform,
                       options=["--workload", "triangle"])
        samples = [s for s in gpu_top_samples(done.stdout) if s["period"]["duration"] > 200]
        assert samples, done.stdout + done.stderr
        for sample in samples:
            render = sample["engines"]["Render/3D/0"]["busy"]
            assert 10 < render < 60, (platform, sample)
            assert 40 < sample["rc6"]["value"] < 90, (platform, sample)
            assert "Blitter/0" in sample["engines"], (platform, sample)


def test_clients_of_intel_gpu_top():
    """It names the programs that use the GPU, by fdinfo; before Gen8 there are none in the kernel either."""
    need_program("intel_gpu_top")
    script = f'"{CLIENT}" draw 100000 & child=$!; timeout -s INT 4 intel_gpu_top -J -s 300; kill $child'
    for platform in ["bdw", "skl", "icl", "tgl"]:
        done = emulate("sh", "-c", script, platform=platform)
        clients = [client for sample in gpu_top_samples(done.stdout)
                   for client in sample.get("clients", {}).values()]
        # A process has 15 characters of its name.
        drawing = [client for client in clients if client["name"] == "i915_conformance"[:15]]
        assert drawing, done.stdout + done.stderr
        assert any(float(client["engine-classes"]["Render/3D"]["busy"]) > 0 for client in drawing), drawing


def test_clients_of_tally_top():
    """tally top beside a client of the same GPU shows its process."""
    script = f'"{CLIENT}" draw 100000 & child=$!; "{TALLY}" top -f jsonl --interval 500ms --time 5s; ' \
        "status=$?; kill $child; exit $status"
    lines = json_lines(output("sh", "-c", script))
    shares = [process["share"] for line in lines for process in line.get("processes", [])
              if process["name"] == "i915_conformance"[:15]]
    assert shares and all(0 < share <= 1 for share in shares), lines


def test_screen_of_intel_gpu_top():
    need_program("intel_gpu_top")
    need_program("tmux")
    need_preload()
    with tempfile.TemporaryDirectory() as directory:
        tmux = ["tmux", "-S", os.path.join(directory, "socket"), "-f", "/dev/null"]
        command = f"'{TALLY}' emulate -q --root -d sim:skl --workload triangle -- intel_gpu_top -s 300; exec cat"
        subprocess.run([*tmux, "new-session", "-d", "-x", "100", "-y", "30", command], check=True,
                       env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "screen-256color"})
        end, screen = time.monotonic() + LIMIT_S, ""
        try:
            while not re.search(r"Render/3D +[1-9]\d*\.\d+% \|", screen):
                assert time.monotonic() < end, screen
                time.sleep(0.1)
                screen = subprocess.run([*tmux, "capture-pane", "-p"], capture_output=True, text=True,
                                        check=True).stdout
            for text in ["intel-gpu-top", "% RC6", "Blitter", "VideoEnhance"]:
                contains(screen, text)
        finally:
            subprocess.run([*tmux, "kill-server"], capture_output=True, check=False)


# ---- hangs, displays, video ---------------------------------------------------------------------

def test_intel_error_decode():
    """The state at a hang: the device, and the batch, of which it decodes the commands."""
    need_program("intel_error_decode")
    for platform in PLATFORMS:
        script = f'"{CLIENT}" hang 0x12345; intel_error_decode /sys/class/drm/card0/error'
        text = output("sh", "-c", script, platform=platform)
        contains(text, "GPU HANG: ecode ", platform)
        assert re.search(r"^rcs0 command stream:$.*^ +hung: 1$", text, re.M | re.S), (platform, text)
        assert re.search(r"^batch \(rcs0\) at 0x.*\n0x\w+: +0x00412345: MI_NOOP", text, re.M), (platform, text)


def test_no_displays():
    """modetest and proptest find the device, and that it has no display, as a GPU without one."""
    for program in ["modetest", "proptest"]:
        need_program(program)
        for platform in PLATFORMS:
            done = emulate(program, "-M", "i915", platform=platform)
            equal(done.returncode, 1, (program, platform))
            contains(done.stderr, "esources", platform)
            contains(done.stderr, ": Operation not supported", platform)


# Profiles that Intel's drivers offer of what the video engines of the GPU can do, and another at the least.
VIDEO = {"hsw": ("i965", "Haswell", "VAProfileH264High"), "bdw": ("iHD", "Gen Graphics", "VAProfileH264High"),
         "chv": ("i965", "CherryView", "VAProfileHEVCMain"), "skl": ("iHD", "Gen Graphics", "VAProfileHEVCMain"),
         "icl": ("iHD", "Gen Graphics", "VAProfileVP9Profile0"), "tgl": ("iHD", "Gen Graphics", "VAProfileVP9Profile0")}


def test_vainfo():
    """The driver that knows the platform loads, and lists what it can do with the engines that the kernel offers."""
    need_program("vainfo")
    for platform, (driver, device, profile) in VIDEO.items():
        done = emulate("vainfo", "--display", "drm", "--device", "/dev/dri/renderD128", platform=platform)
        if f"{driver}_drv_video.so failed" in done.stderr and "cannot open" in done.stderr:
            raise Skip(f"needs {driver}_drv_video.so")
        equal(done.returncode, 0, done.stdout + done.stderr)
        text = done.stdout + done.stderr
        assert re.search(rf"Driver version: Intel {driver} driver for .*{device}", text), (platform, text)
        assert re.search(rf"{profile} *:\s*VAEntrypointVLD", text), (platform, text)


# ---- frequencies -------------------------------------------------------------------------------

def registers(text):
    """{address: value} of what intel_reg prints."""
    return {int(address, 16): int(value, 16) for address, value in re.findall(r"\((0x[0-9a-f]+)\): (0x[0-9a-f]+)", text)}


def test_intel_reg():
    """Reads, writes and dumps registers: a timestamp advances, a general purpose register keeps what is written."""
    need_program("intel_reg")
    for platform in PLATFORMS:
        script = "exec 5>/sys/kernel/debug/dri/0/i915_forcewake_user; intel_reg write 0x2600 0x12345678 >/dev/null; " \
            "intel_reg read 0x2358 0x2600; sleep 0.1; intel_reg read 0x2358"
        done = emulate("sh", "-c", script, platform=platform, options=["--root"])
        if "Couldn't map" in done.stderr:
            raise Skip("needs libzydis")
        lines = done.stdout.splitlines()
        first, second = registers("\n".join(lines[:2])), registers(lines[-1])
        equal(first[0x2600], 0x12345678, platform)
        assert second[0x2358] > first[0x2358] > 0, (platform, done.stdout)
        dump = registers(output("intel_reg", "dump", platform=platform, options=["--root"]))
        # Of Cherryview, it knows registers of the display alone and three that are read by MMIO.
        assert len(dump) >= (3 if platform == "chv" else 21), (platform, dump)


def frequencies(text):
    return {name: int(mhz) for name, mhz in re.findall(r"^(\w+): (\d+) MHz", text, re.M)}


def test_intel_gpu_frequency():
    """It reads the range, and sets one frequency, which the GPU then has."""
    need_program("intel_gpu_frequency")
    for platform in PLATFORMS:
        before = frequencies(output("intel_gpu_frequency", "-g", platform=platform))
        middle = (before["min"] + before["max"]) // 2
        script = f"intel_gpu_frequency -s {middle} >/dev/null; intel_gpu_frequency -g; " \
            "cat /sys/class/drm/card0/gt_act_freq_mhz; intel_gpu_frequency -d >/dev/null; intel_gpu_frequency -g"
        text = output("sh", "-c", script, platform=platform)
        actual = int(re.search(r"^(\d+)$", text, re.M).group(1))
        was_set, after = (frequencies(part) for part in re.split(r"^\d+$", text, flags=re.M))
        equal(was_set["min"], was_set["max"], (platform, text))
        assert abs(was_set["max"] - middle) <= 25 and abs(actual - middle) <= 25, (platform, middle, text)
        equal((after["min"], after["max"]), (before["min"], before["max"]), (platform, text))


if __name__ == "__main__":
    main()
