# SPDX-License-Identifier: MIT
"""tally emulate: unmodified i915-perf and IGT programs on an emulated GPU, and what any client may expect.

Whether the device does what clients of the kernel rely on, call by call, is tests/preload/.
"""
import contextlib
import os
import re
import resource
import signal
import subprocess
import sys

from e2e import (BUILD, METRICS, TALLY, Skip, as_peer, contains, equal, json_lines, main, need,
                 need_program, peer_pairs, sanitized, succeed, with_recorder)

ALL = ["hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl"]
PEERS_KNOW = ["hsw", "bdw", "chv", "skl", "icl"]
CLIENT = os.path.join(BUILD, "tests", "i915_conformance")
SECONDS = 2
MHZ = 400

WORKLOAD = f"""\
name: steady
description: Three quarters busy, at a clock that is known
phases:
  - duration: 20 ms
    clock: {MHZ} MHz
    context: 0x1000
    does:
      - {{unit: gpu.busy,   share: 0.75}}
      - {{unit: ps.threads, rate: 1000/ms}}
"""


def emulate(*command, options=(), **more):
    more.setdefault("capture_output", True)
    more.setdefault("timeout", 120)
    return subprocess.run([TALLY, "emulate", *options, "--", *command], text=True, check=False,
                          **more)


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# ---- starting ------------------------------------------------------------------------------------

def test_starting_with_too_few_descriptors():
    """A failure to open anything at the start ends the command, with a line that states what and why."""
    missing = set()
    for files in range(4, 40):
        done = emulate("true", preexec_fn=lambda files=files: resource.setrlimit(
            resource.RLIMIT_NOFILE, (files, files)), timeout=20)
        if done.returncode == 0:
            break
        match = re.fullmatch(r"tally: (.+): (Too many open files|Cannot allocate memory)\n",
                             done.stderr)
        assert match, (files, done.returncode, done.stderr)
        missing.add(re.sub(r"/\S*/", "", match[1]))
    equal(done.returncode, 0, done.stderr)
    # Each was the first to fail. (The loader needs as many descriptors as epoll does.)
    for part in ["the i915 device", "socket", "a pipe"]:
        assert part in missing, missing


# ---- programs ------------------------------------------------------------------------------------

def ways():
    """The ways to emulate that this machine has: a chroot may have no namespaces."""
    done = emulate("true", options=["--root", "--by", "namespace"])
    return ["preload"] if done.returncode == 4 else ["preload", "namespace"]


def test_redirections_of_a_shell_with_its_own_setenv():
    """bash replaces getenv() and setenv() of libc."""
    need_program("bash")
    script = ("read device < /sys/class/drm/card0/dev && echo $device && "
              "echo i915_request_add > /sys/kernel/tracing/set_event && cat /sys/kernel/tracing/set_event")
    for way in ways():
        done = emulate("bash", "-c", script, options=["--root", "--by", way])
        equal(done.stdout, "226:0\ni915:i915_request_add\n", done.stderr)


def test_list_of_mounts():
    """Programs find tracefs, and so do not mount it; each file system is there once."""
    script = "import sys; sys.stdout.write(open(sys.argv[1]).read())"
    for way in ways():
        for name in ["/proc/mounts", "/proc/self/mounts"]:
            done = emulate(sys.executable, "-c", script, name, options=["--root", "--by", way])
            equal(done.returncode, 0, done.stderr)
            rows = [line.split() for line in done.stdout.splitlines()]
            types = {row[1]: row[2] for row in rows}
            for place, system in [("/sys/kernel/tracing", "tracefs"), ("/sys/kernel/debug", "debugfs")]:
                equal([row[2] for row in rows if row[1] == place], [system], done.stdout)
            assert "/proc" in types, done.stdout  # in a chroot, / may be no mount point


# ---- i915-perf tools ---------------------------------------------------------------------------

def record(directory, platform):
    """Returns a recording of the workload, and the configurations after it."""
    path = os.path.join(directory, platform + ".record")
    workload = write(directory, platform + ".yaml", WORKLOAD)
    script = ('i915-perf-recorder -m RenderBasic -p 0.001 -o "$1" >&2 & child=$!; sleep "$2"; '
              "kill -INT $child; wait $child; status=$?; i915-perf-configs -l; exit $status")
    done = with_recorder(lambda: emulate(
        "sh", "-c", script, "sh", path, str(SECONDS),
        options=["--root", "--clock", "virtual", "--gpu", platform, "--workload", workload]))
    equal(done.returncode, 0, f"{path}: {done.stderr}")
    return path, done.stdout


def same_as_the_peer(path):
    """Returns every counter of every report, as i915-perf-reader prints it."""
    pairs = peer_pairs(path)
    lines = json_lines(succeed("report", "-r", "-f", "jsonl", "-M", METRICS, path), exact=True)
    deltas = [line for line in lines if line["type"] == "delta"]
    equal(len(deltas), len(pairs), path)
    for number, (delta, (reason, counters)) in enumerate(zip(deltas, pairs)):
        equal(delta["state"], "ok", f"{path} report {number}")
        equal(delta["reason"], reason, f"{path} report {number}")
        equal(as_peer(delta["counters"], counters), counters, f"{path} report {number}")
    return deltas


def did_what_the_workload_does(path, deltas):
    """Checks time, clock, busy share and work of one period."""
    groups = json_lines(succeed("report", "-f", "jsonl", "-M", METRICS, path))
    total = next(line for line in groups if line["type"] == "group" and line["group"] == "total")
    counters = {name: value["overall"] for name, value in total["counters"].items()}
    seconds = counters["GpuTime"] / 1e9
    period = seconds / len(deltas)
    equal(total["lost"], 0, path)
    assert SECONDS * 0.99 < seconds < SECONDS * 1.01, f"{path}: {seconds} s"
    for name, expected, rate in [("GpuCoreClocks", seconds * MHZ * 1e6, MHZ * 1e6),
                                 ("PsThreads", seconds * 1e6, 1e6)]:
        assert abs(counters[name] - expected) <= rate * period, \
            f"{path} {name}: {counters[name]}, expected {expected} within {rate * period}"
    off = 100 * period / seconds
    assert abs(counters["GpuBusy"] - 75) <= off, f"{path}: {counters['GpuBusy']} % busy"


def test_peers_record_and_read(directory):
    """Records two seconds on each platform that the tools support, then lists the configurations."""
    for program in ["i915-perf-recorder", "i915-perf-reader", "i915-perf-configs"]:
        need_program(program)
    need(METRICS)
    for platform in PEERS_KNOW:
        path, configurations = record(directory, platform)
        contains(configurations, "RenderBasic", "i915-perf-configs")
        did_what_the_workload_does(path, same_as_the_peer(path))


def test_peers_ring(directory):
    """i915-perf-control dumps the recorder's circular buffer while it continues."""
    for program in ["i915-perf-recorder", "i915-perf-reader", "i915-perf-control"]:
        need_program(program)
    need(METRICS)
    dump, fifo = os.path.join(directory, "dump"), os.path.join(directory, "fifo")
    workload = write(directory, "steady.yaml", WORKLOAD)
    script = ('i915-perf-recorder -m RenderBasic -p 0.001 -s 4096 -f "$1" & child=$!; sleep 2.5; '
              'i915-perf-control -f "$1" -d "$2"; sleep 0.5; kill -INT $child; wait $child')
    done = emulate("sh", "-c", script, "sh", fifo, dump,
                   options=["--root", "--clock", "virtual", "--gpu", "skl", "--workload", workload])
    equal(done.returncode, 0, done.stderr)
    assert os.path.getsize(dump) > 100000, os.path.getsize(dump)
    lines = json_lines(succeed("report", "-f", "jsonl", "-M", METRICS, dump))
    total = next(line for line in lines if line["type"] == "group" and line["group"] == "total")
    assert abs(total["counters"]["GpuBusy"]["overall"] - 75) < 1, total


def test_peers_purge():
    """i915-perf-configs removes what a recorder has added."""
    need_program("i915-perf-configs")
    need_program("i915-perf-recorder")
    script = ("timeout -s INT 0.5 i915-perf-recorder -m RenderBasic -o /dev/null "
              "-f /tmp/tally-test-fifo-$$ >&2; i915-perf-configs -l | grep -c RenderBasic; "
              "i915-perf-configs -p >&2; i915-perf-configs -l | grep -c RenderBasic; "
              "ls /sys/class/drm/card0/metrics | wc -l")
    done = emulate("sh", "-c", script, options=["--root", "--clock", "virtual", "--gpu", "bdw"])
    equal(done.stdout.split(), ["1", "0", "0"], done.stderr)


def test_peers_list_metrics():
    need_program("i915-perf-recorder")
    for platform, name in zip(PEERS_KNOW, ["haswell", "broadwell", "cherryview", "skylake",
                                           "icelake"]):
        done = emulate("i915-perf-recorder", "-m", "list", options=["--root", "--gpu", platform])
        contains(done.stdout + done.stderr, f"name={name}")
        contains(done.stdout + done.stderr, "RenderBasic")


def test_frequencies_follow_limits():
    """The clock follows a limit that is written, except while the phase of a workload has its own."""
    script = ("cd /sys/class/drm/card0; cat gt_act_freq_mhz gt_RP0_freq_mhz; echo 600 >gt_max_freq_mhz; "
              "cat gt_act_freq_mhz gt/gt0/rps_cur_freq_mhz; echo 700 >gt_min_freq_mhz || echo refused; "
              "sed -n 's/Actual freq: //p' /sys/kernel/debug/dri/0/i915_frequency_info")
    for options, expected in [((), ["1150", "1150", "600", "600", "refused", "600", "MHz"]),
                              (("--workload", "compute"),
                               ["1150", "1150", "1150", "600", "refused", "1150", "MHz"])]:
        done = emulate("sh", "-c", script, options=["--root", "--gpu", "skl", "--quiet", *options])
        equal(done.stdout.split(), expected, done.stderr)


LEFT = """
import os, sys, time
device = os.open("/dev/dri/renderD128", os.O_RDWR)
if os.fork() == 0:
    print("ready", flush=True)
time.sleep(1e6)
"""


def test_termination_does_not_wait_for_what_the_program_leaves():
    for by in ways():
        with subprocess.Popen([TALLY, "emulate", "-d", "sim:skl", "-q", "--by", by, "--", sys.executable, "-c", LEFT],
                              stdout=subprocess.PIPE, start_new_session=True, text=True) as owner:
            try:
                equal(owner.stdout.readline(), "ready\n")
                owner.terminate()
                equal(owner.wait(timeout=300), 128 + signal.SIGTERM, by)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(owner.pid, signal.SIGKILL)


# ---- files of the kernel -------------------------------------------------------------------------

CARD = "/sys/class/drm/card0"
READ_AT = ("import os\n"
           "for place, name in {}:\n"
           "    at = os.open(place, os.O_PATH)\n"
           "    print(os.read(os.open(name, os.O_RDONLY, dir_fd=at), 64).decode().split()[0])\n")
PLACES = [("/sys/class", "drm/card0/gt_RP0_freq_mhz"), ("/", "sys/class/drm/version"),
          ("/sys", "class/drm/card0/engine/rcs0/name"), ("/proc/sys", "dev/i915/oa_max_sample_rate")]


def test_writes_of_shells_fail():
    """What the kernel refuses is an error of the command that wrote it, however it writes."""
    good, bad = "0 700 ", "1 1150 "
    writes = [("echo {} >$f", True), ("printf '%s\\n' {} >$f", True), ("/bin/echo {} >$f", True),
              ("{{ echo {}; }} >$f", True), ("exec 3>$f; echo {} >&3", True),
              ("g() {{ echo {}; }}; g >$f", True), ("echo {} | tee $f >/dev/null", False)]
    for command, by_status in writes:
        for value, expected in [("700", good), ("99999", bad), ("junk", bad)]:
            script = f"f={CARD}/gt_max_freq_mhz; {command.format(value)}; echo $? $(cat $f); "
            done = emulate("bash", "-c", script, options=["--root", "--gpu", "skl", "--quiet"])
            if by_status or value == "700":
                equal(done.stdout.split(), expected.split(), script + done.stderr)
            if value == "700":
                equal(done.stderr, "", script)
            else:
                contains(done.stderr, "Invalid argument")
    echoed = emulate("bash", "-c", f"echo 700 >{CARD}/gt_max_freq_mhz; echo one; echo two; cat {CARD}/gt_max_freq_mhz",
                     options=["--root", "--gpu", "skl", "--quiet"])
    equal(echoed.stdout, "one\ntwo\n700\n")


def test_files_of_the_kernel_are_neither_made_nor_removed():
    for command in [f"echo 1 >{CARD}/gt_min_freq", f"rm {CARD}/gt_RP0_freq_mhz", f"mkdir {CARD}/new",
                    f"rmdir {CARD}/engine", f"touch {CARD}/new", f"mv {CARD}/gt_RP0_freq_mhz {CARD}/new",
                    "echo 1 >/sys/kernel/debug/dri/0/new", f"ln -s a {CARD}/new"]:
        script = f"before=$(ls {CARD}); {command}; echo $?; test \"$before\" = \"$(ls {CARD})\"; echo $?"
        done = emulate("bash", "-c", script, options=["--root", "--gpu", "skl", "--quiet"])
        equal(done.stdout, "1\n0\n", command + ": " + done.stderr)
    done = emulate("sh", "-c", f"truncate -s 0 {CARD}/gt_max_freq_mhz && cat {CARD}/gt_max_freq_mhz",
                   options=["--root", "--gpu", "skl", "--quiet"])
    equal(done.stdout, "1150\n", done.stderr)


def test_names_that_go_around():
    """Names relative to a descriptor, or with "..", lead to the files, as by the kernel."""
    if not os.path.isdir("/sys/class"):
        raise Skip("needs sysfs")
    script = (f"cat /dev/../{CARD}/gt_RP0_freq_mhz; cat /sys/class/../class/drm/card0/gt_RP0_freq_mhz; "
              f"cd /tmp; cat ..{CARD}/gt_RP0_freq_mhz; ls ../dev/dri | tail -n 1; "
              f"ls -la /sys/kernel/debug/dri/128/ | head -n 2 | tail -n 1 | cut -c1; "
              f"ls -la {CARD}/ | head -n 2 | tail -n 1 | cut -c1; ls -Ua /proc/sys/dev/i915 | head -n 2")
    for by in ways():
        options = ["--root", "--gpu", "skl", "--quiet", "--by", by]
        done = emulate("sh", "-c", script, options=options)
        equal(done.stdout.split(), ["1150"] * 3 + ["renderD128", "d", "d", ".", ".."], done.stderr)
        done = emulate(sys.executable, "-c", READ_AT.format(PLACES), options=options)
        equal(done.stdout.split(), ["1150", "drm", "rcs0", "100000"], done.stderr)


# ---- the program's end -------------------------------------------------------------------------

def test_register_accesses_are_traced(directory):
    """Every access of the driver and its batches during a recording reaches a register."""
    path, out = os.path.join(directory, "trace.txt"), os.path.join(directory, "recording")
    done = emulate(TALLY, "record", "-q", "-d", "/dev/dri/renderD128", "-t", "20ms", "-o", out,
                   options=["--clock", "virtual", "--gpu", "skl", "--quiet", "--trace", "mmio=" + path])
    equal((done.returncode, done.stderr), (0, ""))
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    agents, registers, marks = set(), set(), set()
    for line in lines:
        access, _, mark = line.partition("  ! ")
        words = access.split()
        agents.add(words[1])
        registers.add(words[4])
        marks.add(mark)
    equal(agents, {"cpu", "cs"})
    for register in ["FORCEWAKE_RENDER", "OACONTROL", "OATAILPTR", "ELSP", "EU_PERF_CNT_CTL0"]:
        assert register in registers, register
    assert "-" not in registers
    # The kernel's wait writes all ones to MI_PREDICATE_RESULT_1.
    assert marks <= {"", "reserved bits 0xfffffffe"}, marks
    done = emulate("true", options=["--trace", "nothing"])
    equal(done.returncode, 2)
    contains(done.stderr, "emulate: --trace nothing, expected mmio or mmio=FILE")


# Submits a batch of one dword that is no command, and waits for it.
UNKNOWN_COMMAND = """
import ctypes, fcntl, os, struct
fd = os.open("/dev/dri/renderD128", os.O_RDWR)
made = fcntl.ioctl(fd, 0xc010645b, struct.pack("QII", 4096, 0, 0))
handle = struct.unpack("QII", made)[1]
batch = bytearray(struct.pack("2I", 0, 0x1f800000))
data = (ctypes.c_char * 8).from_buffer(batch)
fcntl.ioctl(fd, 0x4020645d, struct.pack("IIQQQ", handle, 0, 0, 8, ctypes.addressof(data)))
objects = bytearray(struct.pack("IIQQQQQQ", handle, 0, 0, 0, 0, 0, 0, 0))
array = (ctypes.c_char * len(objects)).from_buffer(objects)
fcntl.ioctl(fd, 0x40406469, struct.pack("QIIIIIIQQQQ", ctypes.addressof(array), 1, 0, 8, 0, 0, 0,
                                        0, 1, 0, 0))
fcntl.ioctl(fd, 0xc010646c, struct.pack("IIq", handle, 0, -1))
"""


def test_an_unknown_command_is_reported():
    for gpu, version in [("hsw", "7.5"), ("skl", "9.0"), ("tgl", "12.0")]:
        done = emulate("python3", "-c", UNKNOWN_COMMAND, options=["--clock", "virtual", "--gpu", gpu])
        equal(done.returncode, 0, done.stderr)
        message = re.fullmatch(r"tally: emulate: command streamer rcs0 at 0x[0-9a-f]+4 \(.*GTT.*\), "
                               r"dword 0x1f800000: expected a command of graphics version (.*)\n",
                               done.stderr)
        assert message and message[1] == version, done.stderr


def test_status_passes_through():
    for status in [0, 1, 3, 77, 255]:
        equal(emulate("sh", "-c", f"exit {status}").returncode, status)
    plain = {name: os.environ.get(name, "") + ":handle_segv=0" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}
    for number in [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV]:
        done = emulate("sh", "-c", f"kill -{int(number)} $$", env=dict(os.environ, **plain))
        equal(done.returncode, 128 + number)


def test_programs_that_cannot_be_executed():
    """As under env: 127, 126; options after the program are its own."""
    has_namespaces = emulate("true", options=["--by", "namespace"]).returncode == 0
    for way in ["preload", "namespace"][:1 + has_namespaces]:
        for program, code, why in [("/nonexistent", 127, "No such file or directory"), ("/etc/passwd", 126, "Permission denied")]:
            done = emulate(program, options=["--by", way, "-q"])
            equal((done.returncode, done.stderr), (code, f"tally: {program}: {why}\n"), way)
    done = subprocess.run([TALLY, "emulate", "-q", "-d", "sim:skl", "ls", "-d", "/dev/dri"], capture_output=True, text=True, check=False)
    equal((done.returncode, done.stdout, done.stderr), (0, "/dev/dri\n", ""))


def test_input_and_output(directory):
    equal(emulate("cat", input="one\ntwo\n").stdout, "one\ntwo\n")
    # With the virtual clock, a busy machine is no reason for a message.
    done = emulate("sh", "-c", "echo out; echo err >&2", options=["--clock", "virtual"])
    equal((done.stdout, done.stderr), ("out\n", "err\n"))
    equal(emulate("pwd", cwd=directory).stdout.strip(), os.path.realpath(directory))
    equal(emulate("sh", "-c", "echo $TALLY_TEST", env=dict(os.environ, TALLY_TEST="x")).stdout,
          "x\n")


def test_descendants_outlive_the_program(directory):
    """The GPU exists as long as a client is connected."""
    need(CLIENT)
    out = os.path.join(directory, "out")
    script = f'"{CLIENT}" run blocking > "{out}" 2>&1 & sleep 0.3; exit 4'
    equal(emulate("sh", "-c", script, options=["--root", "--clock", "virtual"]).returncode, 4)
    with open(out, encoding="utf-8") as file:
        contains(file.read(), "passed blocking")


def test_machine_without_sys():
    """".." leads to the machine's directory, or stays in the emulated tree where the machine has none."""
    script = "mount -t tmpfs none /sys || exit 77; exec \"$0\" emulate -- stat -c %d \"$@\""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, TALLY, "/sys/kernel/debug/.",
                           "/sys/kernel/debug/.."], capture_output=True, text=True)
    if "unshare:" in done.stderr or done.returncode == 77:
        raise Skip("needs namespaces of its own")
    equal((done.returncode, len(set(done.stdout.split()))), (0, 2), done.stderr)


def with_default_signals():
    """Restores signals that the caller may have set to be ignored, as nohup does."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def test_termination_reaches_the_program(directory):
    out, temporary = os.path.join(directory, "out"), f"/tmp/tt{os.getpid()}"
    for number, name in [(signal.SIGTERM, "TERM"), (signal.SIGHUP, "HUP"), (signal.SIGINT, "INT"),
                         (signal.SIGQUIT, "QUIT")]:
        script = f"trap 'echo {name} > {out}; exit 9' {name}; echo ready; while :; do sleep 0.05; done"
        os.makedirs(temporary)
        with subprocess.Popen([TALLY, "emulate", "--", "sh", "-c", script], stdout=subprocess.PIPE,
                              text=True, env=dict(os.environ, TMPDIR=temporary),
                              preexec_fn=with_default_signals) as process:
            process.stdout.readline()
            process.send_signal(number)
            try:
                code = process.wait(timeout=30)
            finally:
                process.kill()
            equal(code, 9, name)
        with open(out, encoding="utf-8") as file:
            equal(file.read(), name + "\n")
        equal(os.listdir(temporary), [], name)
        os.rmdir(temporary)


def test_temporary_files(directory):
    """Files at relative paths, or in directories that cannot be written."""
    for place in [".", os.path.relpath(directory, directory), "/nonexistent", "/proc", directory,
                  os.path.join(directory, "x" * 60)]:
        done = emulate("sh", "-c", "cd /; cat /sys/class/drm/card0/device/vendor", cwd=directory,
                       env=dict(os.environ, TMPDIR=place))
        equal((done.returncode, done.stdout), (0, "0x8086\n"), f"{place}: {done.stderr}")
    equal(os.listdir(directory), [])


def test_more_objects_than_descriptors():
    """A program may have few descriptors; the GPU's memory does not use them."""
    python = ("import fcntl, os, resource, struct\n"
              "assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 64\n"
              "fd = os.open('/dev/dri/card0', os.O_RDWR)\n"
              "for i in range(500): fcntl.ioctl(fd, 0xc010645b, struct.pack('QII', 4096, 0, 0))\n"
              "more = []\n"
              "try:\n"
              "    while True: more.append(os.open('/dev/null', os.O_RDONLY))\n"
              "except OSError as full: assert full.errno == 24, full\n"
              "fcntl.ioctl(fd, 0xc010645b, struct.pack('QII', 4096, 0, 0))\n"
              "try: os.open('/dev/dri/card0', os.O_RDWR)\n"
              "except OSError as full: print(full.errno)\n")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < 1024:
        raise Skip("needs a thousand descriptors")
    done = emulate("python3", "-c", python,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, most)))
    equal((done.returncode, done.stdout), (0, "24\n"), done.stderr)


def test_memory():
    """--memory is the size that a query reports, and the limit of all objects."""
    python = ("import ctypes, errno, fcntl, os, struct, sys\n"
              "fd = os.open('/dev/dri/renderD128', os.O_RDWR)\n"
              "reply = ctypes.create_string_buffer(16 + 88)\n"
              "item = ctypes.create_string_buffer(struct.pack('QiIQ', 4, len(reply), 0, ctypes.addressof(reply)))\n"
              "fcntl.ioctl(fd, 0xc0106479, struct.pack('IIQ', 1, 0, ctypes.addressof(item)))\n"
              "print(struct.unpack_from('Q', reply, 24)[0] >> 20)\n"
              "byte = ctypes.create_string_buffer(1)\n"
              "for mib in 200, 1900, 2100:\n"
              "    made = fcntl.ioctl(fd, 0xc010645b, struct.pack('QII', mib << 20, 0, 0))\n"
              "    handle = struct.unpack('QII', made)[1]\n"
              "    write = struct.pack('IIQQQ', handle, 0, 0, 1, ctypes.addressof(byte))\n"
              "    try: fcntl.ioctl(fd, 0x4020645d, write)\n"
              "    except OSError as error: print(errno.errorcode[error.errno])\n"
              "    else: print('written')\n"
              "    fcntl.ioctl(fd, 0x40086409, struct.pack('II', handle, 0))\n")
    for options, expected in [([], "2048 written written ENOMEM"), (["--memory", "256M"], "256 written ENOMEM ENOMEM"),
                              (["--memory", "5G"], "5120 written written written")]:
        done = emulate(sys.executable, "-c", python, options=["--gpu", "skl", *options])
        equal(done.stdout.split(), expected.split(), options)


def test_other_environments():
    """A program that is started with its own environment, or without one, finds the GPU too."""
    if sanitized():
        raise Skip("sanitizers need options from the environment")
    listing = "by-path\ncard0\nrenderD128\n"
    equal(emulate("env", "-i", "ls", "/dev/dri").stdout, listing)
    python = ("import subprocess, sys; "
              "sys.exit(subprocess.run(['/bin/ls', '/dev/dri'], env={'LD_PRELOAD': ''}).returncode)")
    equal(emulate("python3", "-c", python).stdout, listing)
    equal(emulate("env", "-i", "id", "-u", options=["--root"]).stdout, "0\n")
    done = emulate("env", "-i", "env")
    names = sorted(line.partition("=")[0] for line in done.stdout.splitlines())
    equal(names, ["LD_PRELOAD", "TALLY_EMULATE"])
    none = "import ctypes; c = ctypes.CDLL(None); c.clearenv(); "
    for call in ("execl(b'/bin/ls', b'ls', b'/dev/dri', None)",
                 "execlp(b'ls', b'ls', b'/dev/dri', None)",
                 "execle(b'/bin/ls', b'ls', b'/dev/dri', None, (ctypes.c_char_p * 1)(None))"):
        equal(emulate("python3", "-c", none + "c." + call).stdout, listing, call)
    python = ("import os; both = os.environ['LD_PRELOAD'] + ':libm.so.6'; print(both, flush=True); "
              "os.execve('/usr/bin/env', ['env'], {'LD_PRELOAD': both})")
    lines = emulate("python3", "-c", python).stdout.splitlines()
    equal("LD_PRELOAD=" + lines[0] in lines[1:], True, lines)


def test_within_another():
    """With nested commands the program gets the inner GPU."""
    done = emulate(TALLY, "emulate", "--gpu", "skl", "--", "cat", "/sys/class/drm/card0/device/device",
                   options=["--gpu", "hsw"])
    equal(done.stdout, "0x1912\n", done.stderr)


# ---- the program's own files -------------------------------------------------------------------

def tree_of(directory):
    found = {}
    for path, _, names in os.walk(directory):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.relpath(os.path.join(path, name), directory)] = file.read()
    return found


def test_other_files_are_untouched(directory):
    """A program uses its own files as without tally emulate, which leaves no files behind."""
    script = ("set -e; mkdir -p dev/dri sys/class/drm; echo a > dev/dri/card0; "
              "echo b > sys/class/drm/version; cat dev/dri/card0 sys/class/drm/version; "
              "cp dev/dri/card0 copy; mv copy moved; ln -s moved link; cat link; readlink link; "
              "ls; stat -c '%F %s' moved; head -c 100000 /dev/zero | md5sum; "
              "cat /etc/passwd | md5sum; tail -n +2 /proc/version; wc -c < /proc/self/comm; "
              "dd if=/dev/zero of=big bs=4096 count=25 2>/dev/null; md5sum big; rm big")
    results = []
    for run in [lambda where, env: emulate("bash", "-c", script, options=["-q"], cwd=where, env=env),
                lambda where, env: subprocess.run(["bash", "-c", script], cwd=where, env=env,
                                                  text=True, capture_output=True, check=False)]:
        where = os.path.join(directory, str(len(results)))
        temporary = os.path.join("/tmp", f"tt{os.getpid()}{len(results)}")
        os.makedirs(where)
        os.makedirs(temporary)
        done = run(where, dict(os.environ, TMPDIR=temporary))
        equal(os.listdir(temporary), [], "left behind")
        os.rmdir(temporary)
        results.append((done.returncode, done.stdout, done.stderr, tree_of(where)))
    equal(results[0], results[1])


def test_the_host_is_not_changed():
    """Writes of a test harness as root reach only the virtual files."""
    real = {}
    for path in ["/dev/dri", "/proc/sys/dev/i915", "/sys/kernel/debug/dri"]:
        real[path] = os.path.exists(path)
    done = emulate("sh", "-c", "echo 0 > /proc/sys/dev/i915/perf_stream_paranoid && "
                   "cat /proc/sys/dev/i915/perf_stream_paranoid && "
                   "echo 0x1ff > /sys/kernel/debug/dri/0/i915_gem_drop_caches",
                   options=["--root"])
    equal((done.returncode, done.stdout), (0, "0\n"), done.stderr)
    for path, there in real.items():
        equal(os.path.exists(path), there, path)


# ---- users -------------------------------------------------------------------------------------

def as_user(*command, options=()):
    """Runs as a user other than root, who can read the files of the build."""
    more = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        return emulate(*command, options=options, cwd="/tmp", **more)
    except PermissionError:
        raise Skip("others may not run the command where it is") from None


def test_ordinary_user():
    """Without --root the ids are the real ones, and the device checks them."""
    done = as_user("id", "-u")
    if done.returncode:
        raise Skip("others cannot run the build: " + done.stderr)
    assert done.stdout.strip() != "0", done.stdout
    done = as_user("sh", "-c", "cat /proc/sys/dev/i915/perf_stream_paranoid; "
                   "echo 0 > /proc/sys/dev/i915/perf_stream_paranoid")
    equal(done.stdout, "1\n")
    contains(done.stderr.lower(), "permission denied")
    need(CLIENT)
    done = as_user(CLIENT, "run", "identity", "frequencies", "mappings", "non-system-wide-paranoid")
    for name in ["identity", "frequencies", "mappings"]:
        contains(done.stdout, f"passed {name}", done.stdout)
    contains(done.stdout, "failed non-system-wide-paranoid", "it needs root")
    equal(as_user("id", "-u", options=["--root"]).stdout, "0\n")


def test_doctor():
    """The description of a GPU matches what a recorder finds; without permission the error names it."""
    titles = ["Haswell", "Broadwell", "Cherryview", "Skylake", "Ice Lake", "Lakefield", "Tiger Lake"]
    for gpu, title in zip(ALL, titles, strict=True):
        done = emulate(TALLY, "doctor", options=["-q", "--root", "--gpu", gpu, "--perf-revision", "5"])
        equal(done.returncode, 0, done.stdout)
        contains(done.stdout, f"i915, {title}")
        contains(done.stdout, " (PCI 8086:")
        contains(done.stdout, "perf revision 5")
        contains(done.stdout, "The counters of this machine's GPU can be read.")
    done = as_user(TALLY, "doctor", options=["-q"])
    if not done.stdout:
        raise Skip("others cannot run the build: " + done.stderr)
    equal(done.returncode, 4)
    for part in ["needs CAP_PERFMON (or root), or sysctl dev.i915.perf_stream_paranoid=0, which is 1",
                 "You are not permitted to read the counters of this machine's GPU."]:
        contains(done.stdout, part)


# ---- the log -----------------------------------------------------------------------------------

def test_log(directory):
    need(CLIENT)
    log = os.path.join(directory, "log")
    done = emulate(CLIENT, "run", "disabled-read-error", options=["--root", "--gpu", "hsw", "--log",
                                                                  log])
    equal(done.returncode, 0, done.stdout)
    with open(log, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        assert re.fullmatch(r"\[\d+\] \w+\(.*\) = (-?\d+|0x[0-9a-f]+|-1 E[A-Z0-9]+)",
                            line), line
    text = "\n".join(re.sub(r"^\[\d+\] ", "", line) for line in lines)
    for part in ['open("/dev/dri/card0", O_RDWR|O_CLOEXEC) = ',
                 "I915_GETPARAM, {param=4, value=1046}) = 0",
                 "I915_GETPARAM, {param=54, value=7}) = 0",
                 'I915_PERF_ADD_CONFIG, {uuid="a490e9d2-55b3-4db0-8dab-53011032c5f3", n_mux=1, '
                 "n_boolean=4, n_flex=0}) = 2",
                 "I915_PERF_OPEN, {flags=0x5, num_properties=4, SAMPLE_OA=1, OA_METRICS_SET=2, "
                 "OA_FORMAT=5, OA_EXPONENT=12}) = ",
                 "I915_PERF_IOCTL_DISABLE) = 0", "I915_PERF_IOCTL_ENABLE) = 0",
                 ", 512) = -1 EIO", "close("]:
        contains(text, part)
    equal(len({line.split("]")[0] for line in lines}), 2, "the client and its child")
    silent = emulate("true", options=["--log", os.path.join(directory, "none")])
    equal(silent.returncode, 0)


def test_log_that_cannot_be_written(directory):
    done = emulate("sh", "-c", "echo fine", options=["--log", directory + "/no/such/log"])
    equal((done.returncode, done.stdout), (2, ""), "nothing runs")
    contains(done.stderr, "/no/such/log: No such file or directory")
    full = emulate("ls", "/dev/dri", options=["--log", "/dev/full"])
    equal(full.returncode, 0, full.stderr)
    contains(full.stderr, "lines could not be written")


def lines_of(directory, *command, name="log", options=()):
    """Returns the log of a command without the threads' numbers."""
    done = emulate(*command, cwd=directory, options=["--log", name, *options])
    equal(done.returncode, 0, done.stderr)
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return [re.sub(r"^\[\d+\] ", "", line) for line in file.read().splitlines()]


def test_log_follows_the_program(directory):
    """The log continues in other directories, after close() of descriptors, and as other users."""
    lines = lines_of(directory, "sh", "-c", "cd /; test -c /dev/dri/card0; cd /dev/dri; ls -l >&2")
    for part in ["chdir(", 'opendir(".")', "card0"]:
        assert any(part in line for line in lines), (part, lines)
    python = ("import os; os.closerange(3, 2000); os.access('/dev/dri/renderD128', os.R_OK)\n"
              "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)\n"
              "a = os.open('/dev/dri/card0', os.O_RDWR | os.O_CLOEXEC); b = os.dup(a)\n"
              "os.dup2(a, 77); os.set_blocking(a, False)\n"
              "os.stat(b); os.close(a); os.path.exists('/dev/dri/' + 'x' * 200 + chr(10))")
    lines = lines_of(directory, "python3", "-c", python, name="second")
    for part in ['access("/dev/dri/renderD128", 4) = 0',
                 'open("/dev/dri/card0", O_RDWR|O_CLOEXEC) = ', "F_DUPFD_CLOEXEC", ", 77) = 77",
                 ", FIONBIO) = 0", "close(",
                 "x" * 200 + '?") = -1 ENOENT']:
        assert any(part in line for line in lines), (part, lines)


def test_log_of_ids(directory):
    python = "import os; os.setgroups([]); os.setresgid(7, 7, 7); os.setuid(5); print(os.getuid())"
    lines = lines_of(directory, "python3", "-c", python, options=["--root"])
    for line in ["setgroups(0) = 0", "setresgid(7, 7, 7) = 0", "setuid(5) = 0"]:
        assert line in lines, lines


# ---- each platform -----------------------------------------------------------------------------

def test_each_platform_has_its_device():
    for platform in ALL:
        done = emulate("sh", "-c", "cat /sys/class/drm/card0/device/device; ls /dev/dri; "
                       "stat -c %F,%t:%T /dev/dri/card0", options=["--gpu", platform])
        equal(done.returncode, 0, done.stderr)
        assert re.match(r"0x[0-9a-f]{4}\n", done.stdout), done.stdout
        contains(done.stdout, "card0\nrenderD128\n")
        contains(done.stdout, "character special file,e2:0")


# PCI: bytes of configuration space that root sees, and BAR: bytes, the kernel's flags.
SPACES = {
    "hsw": (256, {0: (4 << 20, 0x140204), 2: (256 << 20, 0x14220c), 4: (64, 0x40101)}),
    "chv": (256, {0: (16 << 20, 0x140204), 2: (256 << 20, 0x14220c), 4: (64, 0x40101)}),
    "skl/gt4": (4096, {0: (16 << 20, 0x140204), 2: (256 << 20, 0x14220c), 4: (64, 0x40101)}),
    "tgl": (4096, {0: (16 << 20, 0x140204), 2: (256 << 20, 0x14220c), 4: (64, 0x40101)}),
    "dg1": (4096, {0: (16 << 20, 0x140204), 2: (4 << 30, 0x14220c)}),
}
PCI_DIRECTORY = "/sys/bus/pci/devices/0000:00:02.0"
SHOW_PCI = (f"cd {PCI_DIRECTORY} && od -v -An -tx1 config | tr -d ' \\n' && echo && "
            "cat vendor device revision class subsystem_vendor subsystem_device irq && "
            "cat uevent && cat resource")


def capabilities(config):
    """Ids of the capabilities, and of the extended ones."""
    found, at = [], config[0x34]
    while at:
        found.append(config[at])
        at = config[at + 1]
    extended, at = [], 0x100
    while at and at < len(config):
        header = int.from_bytes(config[at:at + 4], "little")
        extended += [header & 0xffff] if header else []
        at = header >> 20
    return found, extended


def test_pci_files_show_the_configuration_space():
    for gpu, (size, bars) in SPACES.items():
        done = emulate("sh", "-c", SHOW_PCI, options=["--root", "--gpu", gpu])
        equal(done.returncode, 0, done.stderr)
        config, *lines = done.stdout.split("\n")
        config = bytes.fromhex(config)
        equal(len(config), size, gpu)

        def number(at, count, config=config):
            return int.from_bytes(config[at:at + count], "little")
        equal(lines[:7], [f"0x{number(0, 2):04x}", f"0x{number(2, 2):04x}", f"0x{number(8, 1):02x}",
                          f"0x{number(9, 3):06x}", f"0x{number(0x2c, 2):04x}",
                          f"0x{number(0x2e, 2):04x}", str(number(0x3c, 1))], gpu)
        equal((lines[0], lines[3]), ("0x8086", "0x030000"), gpu)
        equal(lines[7:13], ["DRIVER=i915", "PCI_CLASS=30000", f"PCI_ID=8086:{number(2, 2):04X}",
                            f"PCI_SUBSYS_ID=8086:{number(0x2e, 2):04X}",
                            "PCI_SLOT_NAME=0000:00:02.0",
                            f"MODALIAS=pci:v00008086d0000{number(2, 2):04X}sv00008086sd0000{number(0x2e, 2):04X}bc03sc00i00"],
              gpu)
        equal(number(4, 2) & 7, 7, f"{gpu}: I/O, memory, bus master")
        plain, extended = capabilities(config)
        equal(0x10 in plain, size == 4096, f"{gpu}: {plain}")
        equal(5 in plain and 1 in plain, True, f"{gpu}: MSI, power management: {plain}")
        equal(16 in extended, gpu == "tgl", f"{gpu}: SR-IOV: {extended}")
        equal(len(lines), 13 + 13 + 1, gpu)
        for bar, line in enumerate(lines[13:26]):
            equal(re.fullmatch(r"0x[0-9a-f]{16} 0x[0-9a-f]{16} 0x[0-9a-f]{16}", line) is not None,
                  True, line)
            start, end, flags = (int(word, 16) for word in line.split())
            if bar not in bars:
                equal((start, end, flags), (0, 0, 0), f"{gpu}: {bar}")
                continue
            equal((end - start + 1, flags), bars[bar], f"{gpu}: {bar}")
            wide = flags >> 20 & 1
            equal(number(0x10 + 4 * bar, 8 if wide else 4), start | flags & 0xf, f"{gpu}: {bar}")
            equal(start and start % (end - start + 1), 0, f"{gpu}: {bar}")


def test_users_see_the_header_only():
    script = f"id -u; wc -c <{PCI_DIRECTORY}/config; od -An -tx2 -N4 {PCI_DIRECTORY}/config"
    if as_user("id", "-u").returncode:
        raise Skip("others cannot run the build")
    for options, expected in [([], "64"), (["--root"], "4096")]:
        done = as_user("sh", "-c", script, options=[*options, "--gpu", "skl"])
        equal(done.returncode, 0, done.stderr)
        user, *rest = done.stdout.split()
        equal((user == "0", rest), (bool(options), [expected, "8086", "1912"]), done.stderr)


def test_registers_of_nvidia():
    """PMC_BOOT_0, mapped by resource0: the chipset is in bits 20 to 28."""
    program = ("import mmap, os\nwith open('%s/resource0', 'r+b') as file:\n"
               "    registers = mmap.mmap(file.fileno(), 4096)\n"
               "    print(hex(int.from_bytes(registers[0:4], 'little') >> 20 & 0x1ff))" % PCI_DIRECTORY)
    for gpu, chipset in [("g92", "0x92"), ("nv40", "0x40"), ("gf100", "0xc0")]:
        done = emulate(sys.executable, "-c", program, options=["--root", "--gpu", gpu])
        if "No such device" in done.stderr:
            raise Skip("needs libzydis")
        equal((done.stdout.strip(), done.returncode), (chipset, 0), f"{gpu}: {done.stderr}")


def test_wrong_options():
    for options in [["--gpu", "none"], ["--perf-revision", "0"],
                    ["--perf-revision", "8"], ["--workload", "/nonexistent.yaml"]]:
        done = emulate("true", options=options)
        assert done.returncode in (2, 3, 4), (options, done.returncode)
        equal(done.stderr.count("\n"), 1, f"{options}: {done.stderr}")
    equal(subprocess.run([TALLY, "emulate"], capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    main()
