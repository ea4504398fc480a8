# SPDX-License-Identifier: MIT
"""tally emulate with NVIDIA's GPUs: clients of nouveau's interface.

tests/nouveau/ compares the answers, call by call, with those of the kernel's driver.
"""
import csv
import ctypes
import ctypes.util
import os
import re
import signal
import subprocess
import sys
import time

from e2e import BUILD, SOURCE, TALLY, Skip, contains, equal, json_lines, main, need_preload, succeed

COUNTERS = os.path.join(BUILD, "tests", "nvif")
ANSWERS = os.path.join(BUILD, "tests", "nouveau_answers")

# Shares of the workload in thousandths, which signals have exactly in 1,000 clocks.
BUSY, VERTEX = 700, 250
LOADS = "250/us"

WORKLOAD = f"""\
name: shares
description: Known shares
phases:
  - duration: 1 s
    context: 0x1000
    does:
      - {{unit: gpu.busy,  share: 0.{BUSY}}}
      - {{unit: vs.active, share: 0.{VERTEX}}}
      - {{unit: slm.reads, rate: {LOADS}}}
"""

# Chipset; number of its domain with signals; idle, and a stage of vertex fetch with its source
# (docs/perfmon.md).
TESLA = [("g80", 1, 0xc8, 0x3e), ("g84", 1, 0xbd, 0x7e), ("g92", 1, 0xbd, 0x7e), ("g200", 1, 0xc9, 0x5b),
         ("gt215", 1, 0xcb, 0x5b)]

EVERY, NEVER = 0xffff, 0
NOT_A, A_AND_B, A_OR_B = 0x5555, 0x8888, 0xeeee


def emulate(gpu, *command, options=(), **more):
    need_preload()
    more.setdefault("capture_output", True)
    return subprocess.run([TALLY, "emulate", "--gpu", gpu, *options, "--", *command], text=True, check=False,
                          timeout=300, **more)


def count(gpu, directory, *arguments):
    """The counts that the client prints: for each group a list of the clocks and four counts."""
    path = os.path.join(directory, "shares.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(WORKLOAD)
    done = emulate(gpu, COUNTERS, *arguments, options=["--clock", "virtual", "--workload", path, "--quiet"])
    equal(done.returncode, 0, f"{gpu} {arguments}: {done.stderr}")
    return [[int(word) for word in line.split()[2:]] for line in done.stdout.splitlines()
            if line.startswith("count ")]


def near(found, share, clocks, what):
    """A share of the clocks, exact in each 1,000."""
    assert abs(found * 1000 - share * clocks) <= 1000 * 1000, f"{what}: {found} of {clocks}, expected {share}/1000"


def test_counts(directory):
    for gpu, domain, idle, vertex in TESLA:
        [[clocks, first, second, third, fourth], [_, off, *_]] = count(
            gpu, directory, f"{domain}:{idle:x}", f"{domain}:{idle:x}={NOT_A:x}", f"{domain}:{vertex:x}@1=1",
            f"{domain}:0={EVERY:x}", "count=20", f"{domain}:{vertex:x}@1=0", "count=20")
        near(first, 1000 - BUSY, clocks, f"{gpu} idle")
        equal(first + second, clocks, f"{gpu}: a signal and its inverse")
        near(third, VERTEX, clocks, f"{gpu} vertex fetch")
        equal(fourth, clocks, f"{gpu}: each clock")
        equal(off, 0, f"{gpu}: another value of the source")
        assert clocks > 1000 * 1000, f"{gpu}: {clocks} clocks in 20 ms"


def test_logic(directory):
    """Operations over two signals, which inclusion and exclusion relate."""
    a, b = 0xbd, 0x7e
    for gpu in ["g84", "g92"]:
        [[clocks, x, y, both, either]] = count(
            gpu, directory, f"1:{a:x}", f"1:{b:x}@1=1", f"1:{a:x},{b:x}={A_AND_B:x}",
            f"1:{a:x},{b:x}={A_OR_B:x}", "count=10")
        equal(x + y, both + either, gpu)
        assert 0 < x < clocks and 0 < y < clocks and either >= max(x, y), (gpu, clocks, x, y, both, either)


def test_fermi(directory):
    """GF100: an event of the first GPC, by its source; partitions; what is not driven."""
    for gpu, domains, gpcs in [("gf100", 10, 4), ("gf110", 10, 4)]:
        [[clocks, loads, every, never, _], [memory, each, *_]] = count(
            gpu, directory, "0:0@1=0", f"0:0={EVERY:x}", f"0:0={NEVER:x}", "count=20",
            f"{domains - 1:x}:4={EVERY:x}", "count=5")
        equal((every, never, each), (clocks, 0, memory), gpu)
        expected = 250 * 20000 // gpcs
        assert abs(loads - expected) <= expected // 100, f"{gpu}: {loads} loads in 20 ms, expected {expected}"


def test_curie(directory):
    """NV40: the driver lists domains without signals, so that clocks are all that can be counted."""
    [[clocks, every, never, *_]] = count("nv40", directory, f"1:0={EVERY:x}", "1:0=0", "count=20")
    equal((every, never), (clocks, 0))
    assert clocks > 1000 * 1000, clocks
    listed = emulate("nv40", COUNTERS, "list").stdout.splitlines()
    equal(listed, [f"domain {i} 4 0 pc/{i:02x}" for i in range(5)])


def test_periods(directory):
    """What is not sampled is not lost: two domains, whose counters are started one after the other."""
    del directory
    done = emulate("g92", COUNTERS, "1:0=ffff", "count=5", "2:0=ffff", "count=5", options=["--clock", "virtual"])
    counts = [line.split()[2:4] for line in done.stdout.splitlines()]
    assert len(counts) == 2 and all(clocks == every for clocks, every in counts), done


def indices(text):
    first, _, last = text.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


def aliases(chipset):
    """nouveau's names in the published lists, by domain and index."""
    names = {}
    with open(os.path.join(SOURCE, "data", "signals", chipset + ".csv"), encoding="utf-8") as file:
        for row in csv.reader(line for line in file if not line.startswith("#")):
            if not row[3] or row[0] == "domain":
                continue
            for part in row[3].split():
                offset, _, name = part.rpartition("=")
                match = re.fullmatch(r"(.*_)([0-9a-f]{2})-([0-9a-f]{2})", name)
                at = indices(row[1])
                if offset:
                    names[row[0], at[int(offset)]] = name
                elif match:
                    for i, number in enumerate(range(int(match[2], 16), int(match[3], 16) + 1)):
                        names[row[0], at[i]] = f"{match[1]}{number:02x}"
                else:
                    names[row[0], at[0]] = name
    return {key: name for key, name in names.items() if re.match("pc0|gpc00|part00", name)}


def test_names(directory):
    """The names that the driver lists are those of data/signals, which come from another source."""
    del directory
    for gpu, file in [("g80", "g80"), ("g84", "g84"), ("g92", "g92"), ("g200", "g200"), ("gt215", "gt215"),
                      ("gf100", "gf100")]:
        listed = {}
        domains = {}
        for line in emulate(gpu, COUNTERS, "list", options=["--quiet"]).stdout.splitlines():
            words = line.split()
            if words[0] == "domain":
                match = re.fullmatch(r"(pc|gpc|part)(/..)?/(..)", words[4])
                domains[words[1]] = {"pc": "", "gpc": "GPC", "part": "PART"}[match[1]] + str(int(match[3], 16))
            elif words[0] == "signal":
                listed[domains[words[1]], int(words[2], 16)] = words[4]
        published = aliases(file)
        assert published, file
        wrong = {key: (name, listed.get(key)) for key, name in published.items() if listed.get(key) != name}
        equal(wrong, {}, gpu)


# ---- files, and other programs -----------------------------------------------------------------

SCRIPT = """
cd /sys/class/drm/card0/device
cat vendor device; basename $(readlink driver); grep DRIVER uevent; ls /dev/dri | tr '\\n' ' '
grep -o '^nouveau' /proc/modules; ls -d /sys/module/nouveau /sys/module/i915 2>&1 | wc -l
test -e /sys/bus/event_source/devices/i915 || echo no events
"""


def test_files(directory):
    del directory
    done = emulate("g92", "sh", "-c", SCRIPT)
    equal(done.stdout.split("\n"), ["0x10de", "0x0611", "nouveau", "DRIVER=nouveau",
                                    "by-path card0 renderD128 nouveau", "2", "no events", ""])


def test_one_perfmon(directory):
    """While a program counts, another cannot; when it is killed, the next one can."""
    script = f"""
mkfifo pipe
{COUNTERS} ready 1:0=ffff count=600000 >pipe & first=$!
read ready <pipe
{COUNTERS} list 2>&1
kill -9 $first; wait $first 2>/dev/null
{COUNTERS} 1:0=ffff count=1 | cut -d' ' -f1,2
"""
    done = emulate("g92", "sh", "-c", script, options=["--quiet"], cwd=directory)
    equal(done.stdout, "perfmon: Device or resource busy\ncount 1\n", done.stderr)


class DrmDevice(ctypes.Structure):
    """The beginning of libdrm's struct nouveau_device."""
    _fields_ = [("parent", ctypes.c_void_p), ("handle", ctypes.c_uint64), ("oclass", ctypes.c_uint32),
                ("length", ctypes.c_uint32), ("data", ctypes.c_void_p), ("fd", ctypes.c_int),
                ("library", ctypes.c_uint32), ("driver", ctypes.c_uint32), ("chipset", ctypes.c_uint32),
                ("vram_size", ctypes.c_uint64), ("gart_size", ctypes.c_uint64)]


def use_libdrm(node):
    """Opens a device, makes a buffer and maps it, with libdrm's library for nouveau."""
    library = ctypes.CDLL("libdrm_nouveau.so.2", use_errno=True)
    fd = os.open(node, os.O_RDWR)
    drm, device, client, buffer = (ctypes.c_void_p() for _ in range(4))
    arguments = (ctypes.c_uint64 * 2)(0, 2**64 - 1)
    print(library.nouveau_drm_new(fd, ctypes.byref(drm)),
          library.nouveau_device_new(drm, 0x80, arguments, 16, ctypes.byref(device)))
    found = DrmDevice.from_address(device.value)
    print(hex(found.chipset), found.vram_size)
    value = ctypes.c_uint64()
    print(library.nouveau_getparam(device, ctypes.c_uint64(11), ctypes.byref(value)), hex(value.value))
    print(library.nouveau_client_new(device, ctypes.byref(client)),
          library.nouveau_bo_new(device, 4, 0, ctypes.c_uint64(8192), None, ctypes.byref(buffer)),
          library.nouveau_bo_map(buffer, 0x300, client))


def test_libdrm(directory):
    """A real client: libdrm_nouveau, which opens the device through NVIF."""
    del directory
    try:
        ctypes.CDLL("libdrm_nouveau.so.2")
    except OSError as error:
        raise Skip("needs libdrm_nouveau.so.2") from error
    for gpu, chipset in [("g92", "0x92"), ("gf100", "0xc0"), ("nv40", "0x40")]:
        done = emulate(gpu, sys.executable, __file__, "--libdrm", "/dev/dri/renderD128", options=["--quiet"])
        equal(done.stdout.split("\n"), ["0 0", f"{chipset} 268435456", f"0 {chipset}", "0 0 0", ""],
              gpu + done.stderr)


# ---- tally record --------------------------------------------------------------------------------

def record(gpu, directory, *arguments, workload=WORKLOAD, options=()):
    """Records /dev/dri/card0 of the emulated machine; returns the command's result and the metrics."""
    path, shares = (os.path.join(directory, name) for name in ("recording", "shares.yaml"))
    with open(shares, "w", encoding="utf-8") as file:
        file.write(workload)
    done = emulate(gpu, TALLY, "record", "-d", "/dev/dri/card0", "-q", "-t", "30ms", "-o", path, *arguments,
                   options=["--clock", "virtual", "--workload", shares, "--quiet", *options])
    if done.returncode:
        return done, None
    lines = json_lines(succeed("report", "-f", "jsonl", path))
    equal([line for line in lines if line["type"] == "loss"], [], gpu)
    return done, [line for line in lines if line["type"] == "group"][-1]["counters"]


def test_record_has_the_workloads_shares(directory):
    for gpu, domain, idle, _ in TESLA:
        done, found = record(gpu, directory, "-e", f"busy=!{domain}:0x{idle:02x}", "-e", f"idle={domain}:0x{idle:02x}",
                             "-e", f"every={domain}:1")
        equal(done.returncode, 0, done.stderr)
        assert abs(found["busy"]["overall"] - BUSY / 10) < 0.01, (gpu, found["busy"])
        equal(found["busy.count"]["overall"] + found["idle.count"]["overall"], found["every.count"]["overall"], gpu)
        equal(found["every.count"]["overall"], found[f"clocks.{domain}"]["overall"], gpu)
    info = json_lines(succeed("info", "-f", "jsonl", os.path.join(directory, "recording")))[0]
    equal([(domain["domain"], round(domain["hz"] / 1e6)) for domain in info["domains"]], [("1", 551)], "GT215")
    equal(info["reasons"], {"timer": 31})
    contains(succeed("info", os.path.join(directory, "recording")), "a report every 1 ms\n")


def test_record_sets_sources(directory):
    """Metric sets whose units' selectors are sources: the same values as by registers."""
    path = os.path.join(directory, "registers")
    for gpu, name in (("g80", "VertexFetch"), ("g84", "Vertex"), ("g92", "VertexFetch"), ("g92", "Vertex"),
                      ("g200", "Setup"), ("gt215", "VertexFetch")):
        with open(os.path.join(SOURCE, "data", "workloads", "triangle.yaml"), encoding="utf-8") as file:
            done, found = record(gpu, directory, "-m", name, "-t", "50ms", workload=file.read())
        equal(done.returncode, 0, done.stderr)
        succeed("record", "-q", "-d", "sim:" + gpu, "-m", name, "-t", "50ms", "-o", path)
        lines = json_lines(succeed("report", "-f", "jsonl", path))
        right = [line for line in lines if line["type"] == "group"][-1]["counters"]
        equal(sorted(found), sorted(right))
        for symbol in found:
            mine, theirs = found[symbol]["overall"], right[symbol]["overall"]
            assert abs(mine - theirs) <= 0.01 * theirs + 0.01, (gpu, symbol, mine, theirs)


def test_record_of_other_families(directory):
    """NV40 lists no signals, so that clocks can be counted; GF100's GPCs are added up."""
    done, found = record("nv40", directory, "-e", "every=1:1", "-e", "never=1:0")
    equal(done.returncode, 0, done.stderr)
    equal((found["every"]["overall"], found["never.count"]["overall"]), (100, 0))
    done, found = record("gf100", directory, "-e", "all=GPC0:1", "-e", "one=GPC0[2]:1", "-e", "loads=GPC0[0]:0x00")
    equal(done.returncode, 0, done.stderr)
    equal((found["all"]["overall"], found["one"]["overall"]), (100, 100))
    all_clocks, one = found["clocks.GPC0"]["overall"], found["clocks.GPC0[2]"]["overall"]
    equal(all_clocks, 4 * one)


def test_record_in_passes(directory):
    idle = 0xbd
    what = [word for i in range(9) for word in ("-e", f"e{i}=1:0x{idle:02x} & 1:0x{0x66 + i:02x}")]
    done, found = record("g92", directory, *what, "-e", f"busy=!1:0x{idle:02x}")
    equal(done.returncode, 0, done.stderr)
    info = json_lines(succeed("info", "-f", "jsonl", os.path.join(directory, "recording")))[0]
    equal(info["passes"], 3)
    assert abs(found["busy"]["overall"] - BUSY / 10) < 0.1, found["busy"]


def test_record_takes_a_set_that_fits(directory):
    """Overview, the default of the GPUs, has signals that nouveau does not list."""
    for gpu, name in [("g92", "Vertex"), ("gf100", "Memory")]:
        done, _ = record(gpu, directory)
        equal(done.returncode, 0, done.stderr)
        equal(json_lines(succeed("info", "-f", "jsonl", os.path.join(directory, "recording")))[0]["set"], name)
    done, _ = record("g92", directory, "-m", "Overview")
    equal(done.returncode, 3)
    contains(done.stderr, "nouveau does not list signal 0x36 of domain 0")


def test_record_is_refused(directory):
    rows = [
        ("nv34", ["-e", "0:0x01"], 4, "this kernel's nouveau has no performance counters for NV34"),
        ("g92", ["-e", "rise(1:0xbd)"], 3, "nouveau's interface has no rise(), fall() and last()"),
        ("g92", ["-e", "0:0x01"], 3, "nouveau does not list signal 0x01 of domain 0"),
        ("gf100", ["-e", "HUB6:1"], 3, "nouveau does not list domain HUB6"),
        ("g92", ["-e", "1:0xbd", "--packets"], 4, "the driver nouveau has no record mode"),
    ]
    for gpu, arguments, code, message in rows:
        done, _ = record(gpu, directory, *arguments)
        equal((done.returncode, done.stderr.count("\n")), (code, 1), (arguments, done.stderr))
        contains(done.stderr, message)
    # One perfmon for all programs.
    done, _ = record("g92", directory, "-e", "1:0xbd", "--", TALLY, "record", "-q", "-d", "/dev/dri/card0", "-e",
                     "1:0xbd", "-t", "1ms", "-o", os.path.join(directory, "other"))
    equal(done.returncode, 4)
    contains(done.stderr, "/dev/dri/card0: another program has nouveau's performance counters")


def test_record_lists_the_card(directory):
    del directory
    lines = emulate("g92", TALLY, "record", "-d", "list").stdout.splitlines()
    equal(lines[0].split(), ["/dev/dri/renderD128", "G92", "10de:0611"])


def test_arguments(directory):
    del directory
    for option, value in [("fuses", "slices=1"), ("fault", "x"), ("cost", "x"), ("memory", "1G"), ("perf-revision", "5")]:
        done = emulate("g92", "true", options=["--" + option, value])
        equal(done.returncode, 2)
        contains(done.stderr, f"--{option} is for GPUs of Intel, and g92 is not one")
    done = emulate("g93", "true")
    assert done.returncode and "g93" in done.stderr, done
    done = emulate("nv1a", "true")
    assert done.returncode and "NV1A" in done.stderr, done


def test_wall_clock(directory):
    """PTIMER follows the machine's clock."""
    del directory
    start = time.monotonic()
    done = emulate("g92", COUNTERS, "1:0=ffff", "count=300")
    assert time.monotonic() - start >= 0.3
    clocks = int(done.stdout.split()[2])
    assert clocks > 0.3 * 100e6, done.stdout


if __name__ == "__main__":
    if sys.argv[1:2] == ["--libdrm"]:
        signal.alarm(60)
        use_libdrm(sys.argv[2])
    else:
        main()
