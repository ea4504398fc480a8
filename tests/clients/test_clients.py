# SPDX-License-Identifier: MIT
"""Runs clients that nobody here wrote, from Debian's packages, on emulated GPUs: Mesa's OpenGL and
Vulkan drivers, and OpenCL.

    test_clients.py TALLY CLIENTS [PLATFORM...]

CLIENTS is the folder of the programs gl, vk and cl, made of gl.c, vk.c and cl.c. Prints a line for each
check; the last line is the total. What is measured in time follows the virtual clock, so that it does
not depend on the machine's load; the times by the wall clock are printed only.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

# Platform: a part of GL_RENDERER, the number of performance queries at least, whether Vulkan has counters
# (Mesa offers them where addresses have 48 bits), whether intel-opencl-icd knows it, the number of EUs.
PLATFORMS = {"skl": ("(SKL GT2)", 20, True, True, 24), "icl": ("(ICL GT2)", 20, True, True, 64),
             "tgl": ("(TGL GT2)", 20, True, True, 96), "hsw": ("(HSW GT2)", 9, False, False, 20),
             "bdw": ("(BDW GT2)", 20, True, True, 24), "chv": ("(BSW)", 15, False, False, 16)}
# Up to 6, a stream gives its newest report without another one (docs/emulate.md).
REVISION = "6"
# The end of a query: the report of the context switch is read by the second check of the stream, 5 ms after the
# first. Haswell has no such report: Mesa waits for the next one of its period, 2 ** 21 clocks of 80 ns.
QUERY_MS = {"hsw": 168 + 20, "others": 50}
DRAWS_NS = 5_000_000  # GPU time of a clear and eight draws of 256 x 256 pixels, at most
DISPATCH_NS = 1_000_000  # GPU time of 64 groups of 64 invocations, at most
INVOCATIONS = 64 * 64
VIRTUAL = ("--clock", "virtual")


class Skip(Exception):
    """A client that is not installed."""


def run(tally, platform, *command, options=()):
    """Returns what a client prints on an emulated GPU."""
    done = subprocess.run([tally, "emulate", "-d", "sim:" + platform, "--quiet",
                           "--perf-revision", REVISION, *options, "--", *command],
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise AssertionError(f"exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def recorded(tally, platform, *command):
    """Returns the counters of a recording of all that a client does, and what the client prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "client.i915-perf")
        # Haswell's reports are periodic only: what is before the first or behind the last is not recorded.
        text = run(tally, platform, tally, "record", "-q", "-m", "RenderBasic", "-o", path, "--", "sh", "-c",
                   'sleep 0.01; "$@"; status=$?; sleep 0.01; exit $status', "sh", *command,
                   options=(*VIRTUAL, "--root"))
        report = subprocess.run([tally, "report", "-q", "-f", "jsonl", path], capture_output=True, text=True,
                                timeout=60, check=True).stdout
    rows = rows_of(report)
    names = {symbol: counter["name"] for symbol, counter in rows[0]["counters"].items()}
    total = next(row for row in rows if row.get("by") == "total")
    return {names[symbol]: value["overall"] for symbol, value in total["counters"].items()}, text


def busy_clocks(counters, eus):
    """Clocks in which EUs were active, of all EUs together."""
    return counters["EU Active"] / 100 * counters["GPU Core Clocks"] * eus


def expect_equal(got, expected, names):
    """Fails unless counters are equal."""
    for name in names:
        expect(got[name] == expected[name], f"{name}: {got[name]}, the recording has {expected[name]}")


def expect_near(got, expected, what):
    """Fails unless a share that was rounded several times is within 1 %."""
    expect(abs(got - expected) <= expected / 100, f"{what}: {got}, expected {expected}")


def expect(condition, what):
    """Fails unless the condition holds."""
    if not condition:
        raise AssertionError(what)


def need(program):
    """Skips if a program is missing."""
    if not shutil.which(program):
        raise Skip(f"{program} is missing (make deps-clients)")


def rows_of(text):
    """The JSON objects of gl.c."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def check_gl(tally, clients, platform):
    """The renderer; queries of time, samples, primitives, transform feedback and a compute shader."""
    name = PLATFORMS[platform][0]
    rows = rows_of(run(tally, platform, clients + "/gl", "renderer", "timers", "others", options=VIRTUAL))
    expect(name in rows[0]["renderer"], f"GL_RENDERER is {rows[0]['renderer']}, expected {name}")
    values = {row["timer"]: row["value"] for row in rows if "timer" in row}
    expect(values["samples_passed"] == 8 * 256 * 256, f"samples: {values}")
    expect(values["fs_invocations"] == 8 * 256 * 256, f"invocations: {values}")
    expect(values["primitives_generated"] == 8 and values["vs_invocations"] == 24, f"{values}")
    expect(values["feedback_primitives"] == 6 and values["feedback_vertices"] == 3 * 6, f"{values}")
    expect(values["compute_invocations"] == INVOCATIONS, f"{values}")
    expect(values["indirect_vertices"] == 3 * 5, f"{values}")
    expect(values["indirect_invocations"] == 2 * 3 * 4 * 64, f"{values}")
    expect(0 < values["time_elapsed"] < DRAWS_NS, f"time: {values}")
    expect(0 < values["timestamps"] < DRAWS_NS, f"time: {values}")


def check_queries(tally, clients, platform):
    """Every query of GL_INTEL_performance_query gives data."""
    least = PLATFORMS[platform][1]
    rows = rows_of(run(tally, platform, clients + "/gl", "queries"))
    expect(len(rows) >= least, f"{len(rows)} queries, expected {least} at least")
    for row in rows:
        expect(row["any"] and row["written"] == row["bytes"] and not row["error"], str(row))
    times = sorted(row["ms"] for row in rows)
    return f"{len(rows)}; end by the wall clock: median {times[len(times) // 2]:.1f} ms, max {times[-1]:.1f} ms"


def check_monitors(tally, clients, platform):
    """Every group of AMD_performance_monitor gives data: those of the queries, except raw reports."""
    least = PLATFORMS[platform][1]
    rows = rows_of(run(tally, platform, clients + "/gl", "monitors"))
    expect(len(rows) >= least - 1, f"{len(rows)} monitors, expected {least - 1} at least")
    for row in rows:
        expect(row["ready"] and row["written"] == row["bytes"] > 0 and not row["error"], str(row))
    return f"{len(rows)} groups"


def check_render(tally, clients, platform):
    """A query of the basic set ends soon, and its counts are those of an OA recording of the same draws."""
    limit = QUERY_MS.get(platform, QUERY_MS["others"])
    rows = rows_of(run(tally, platform, clients + "/gl", "render", options=VIRTUAL))
    query = rows[0]
    expect(query["written"] == query["bytes"] and not query["error"], str(query))
    expect(query["ms"] < limit, f"the end of the query took {query['ms']} ms by the virtual clock, limit {limit}")
    counters = {row["counter"]: row["value"] for row in rows[1:]}
    recording, text = recorded(tally, platform, clients + "/gl", "draw")
    expect(rows_of(text)[0]["samples"] == 8 * 256 * 256, text)
    names = ["VS Threads Dispatched", "FS Threads Dispatched", "Samples Written"]
    names += [name for name in ["Rasterized Pixels", "Sampler Texels", "Sampler Texels Misses"] if name in counters]
    expect_equal(counters, recording, names)
    expect(counters["Samples Written"] == 8 * 256 * 256 and counters["FS Threads Dispatched"] > 0, str(counters))
    eus = PLATFORMS[platform][4]
    expect_near(busy_clocks(counters, eus), busy_clocks(recording, eus), "active clocks of EUs")
    return f"end {query['ms']:.1f} ms by the virtual clock"


def check_vulkan(tally, clients, platform):
    """vulkaninfo finds Mesa's driver for the GPU; a dispatch counts what a recording of it does."""
    need("vulkaninfo")
    text = run(tally, platform, "vulkaninfo", "--summary")
    name = PLATFORMS[platform][0]
    expect(f"{name}\n" in text and "Intel open-source Mesa driver" in text, text[-400:])
    recording, text = recorded(tally, platform, clients + "/vk", "dispatch")
    device, row = rows_of(text)
    expect(name in device["device"] and device["counters"] == PLATFORMS[platform][2], str(device))
    expect(row["invocations"] == INVOCATIONS and 0 < row["ns"] < DISPATCH_NS, str(row))
    # 8, 16 or 32 invocations are one thread.
    expect(recording["CS Threads Dispatched"] in (INVOCATIONS // 8, INVOCATIONS // 16, INVOCATIONS // 32),
           str(recording))


def check_vulkan_counters(tally, clients, platform):
    """All counters of VK_KHR_performance_query, in as many passes as needed."""
    if not PLATFORMS[platform][2]:
        raise Skip("Mesa has no VK_KHR_performance_query on the platform")
    rows = rows_of(run(tally, platform, clients + "/vk", "counters", options=VIRTUAL))
    _, info, *rows = rows
    expect(len(rows) == info["count"] > 150 and info["passes"] > 1, str(info))
    counters = {row["counter"]: row["value"] for row in rows}
    units = {row["counter"]: row["unit"] for row in rows}
    recording, _ = recorded(tally, platform, clients + "/vk", "dispatch")
    expect_equal(counters, recording, ["CS Threads Dispatched", "VS Threads Dispatched", "FS Threads Dispatched"])
    expect(counters["CS Threads Dispatched"] > 0, "no threads")
    eus = PLATFORMS[platform][4]
    expect_near(busy_clocks(counters, eus), busy_clocks(recording, eus), "active clocks of EUs")
    expect(0 < counters["GPU Time Elapsed"] < DISPATCH_NS and units["GPU Time Elapsed"] == "ns", str(counters))
    for name in ["GPU Busy", "EU Active", "EU Stall"]:  # others depend on signals without a documented meaning
        expect(units[name] == "percentage" and 0 < counters[name] <= 100, f"{name}: {counters[name]} {units[name]}")
    mhz = counters["GPU Core Clocks"] / counters["GPU Time Elapsed"] * 1e3
    expect_near(counters["AVG GPU Core Frequency"] / 1e6, mhz, "MHz")
    expect(units["AVG GPU Core Frequency"] == "Hz", str(units))
    return f"{info['count']} counters in {info['passes']} passes"


def check_opencl(tally, clients, platform):
    """clinfo finds Intel's device. A kernel runs to its end; the model computes nothing, but counts its threads."""
    need("clinfo")
    if not PLATFORMS[platform][3]:
        raise Skip("intel-opencl-icd does not know the platform")
    expect("Intel(R)" in run(tally, platform, "clinfo", "-l"), "no device")
    recording, text = recorded(tally, platform, clients + "/cl", str(INVOCATIONS))
    row = rows_of(text)[0]
    expect(row["items"] == INVOCATIONS and row["computed"] == 0, text)
    expect(row["queued"] <= row["submit"] <= row["start"] < row["end"] <= row["start"] + DISPATCH_NS, text)
    expect(recording["CS Threads Dispatched"] in (INVOCATIONS // 8, INVOCATIONS // 16, INVOCATIONS // 32),
           str(recording))
    return f"a kernel takes {row['end'] - row['start']} ns"


CHECKS = {"gl": check_gl, "queries": check_queries, "monitors": check_monitors, "render": check_render, "vulkan": check_vulkan,
          "vulkan counters": check_vulkan_counters, "opencl": check_opencl}


def main():
    """The command line."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tally, clients = sys.argv[1:3]
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = os.environ["XDG_CACHE_HOME"] = folder
        for platform in sys.argv[3:] or PLATFORMS:
            for name, check in CHECKS.items():
                try:
                    remark = check(tally, clients, platform)
                    passed += 1
                    print(f"{platform} {name}: passed" + (f" ({remark})" if remark else ""), flush=True)
                except Skip as reason:
                    skipped += 1
                    print(f"{platform} {name}: skipped: {reason}", flush=True)
                except (AssertionError, LookupError, ValueError, StopIteration, subprocess.SubprocessError) as error:
                    failed += 1
                    print(f"{platform} {name}: FAILED: {error}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
