# SPDX-License-Identifier: MIT
"""Runs clients that nobody here wrote, from Debian's packages, on emulated GPUs: Mesa's OpenGL and
Vulkan drivers, and OpenCL.

    test_clients.py TALLY GL [PLATFORM...]

GL is the client of gl.c. Prints a line for each check; the last line is the total.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

# Platform: a part of GL_RENDERER, the number of performance queries at least.
PLATFORMS = {"skl": ("(SKL GT2)", 20), "icl": ("(ICL GT2)", 20), "tgl": ("(TGL GT2)", 20),
             "hsw": ("(HSW GT2)", 9), "bdw": ("(BDW GT2)", 20), "chv": ("(BSW)", 15)}
# Up to 6, a stream gives its newest report without another one (docs/emulate.md).
REVISION = "6"
QUERY_MS = 5000  # by the wall clock: about 10 on an idle machine; seconds more if reports are withheld
DRAWS_NS = 5_000_000  # GPU time of a clear and eight draws of 256 x 256 pixels, at most


class Skip(Exception):
    """A client that is not installed."""


def run(tally, platform, *command):
    """Returns what a client prints on an emulated GPU."""
    done = subprocess.run([tally, "emulate", "-d", "sim:" + platform, "--quiet",
                           "--perf-revision", REVISION, "--", *command],
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise AssertionError(f"exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


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


def check_gl(tally, client, platform):
    """The renderer, queries of time, samples and primitives."""
    name, _ = PLATFORMS[platform]
    rows = rows_of(run(tally, platform, client, "renderer", "timers"))
    expect(name in rows[0]["renderer"], f"GL_RENDERER is {rows[0]['renderer']}, expected {name}")
    values = {row["timer"]: row["value"] for row in rows if "timer" in row}
    expect(values["samples_passed"] == 8 * 256 * 256, f"samples: {values}")
    expect(values["primitives_generated"] == 8 and values["vs_invocations"] == 24, f"{values}")
    expect(0 < values["time_elapsed"] < DRAWS_NS, f"time: {values}")
    expect(0 < values["timestamps"] < DRAWS_NS, f"time: {values}")


def check_queries(tally, client, platform):
    """Every query of GL_INTEL_performance_query ends soon and gives data."""
    _, least = PLATFORMS[platform]
    rows = rows_of(run(tally, platform, client, "queries"))
    expect(len(rows) >= least, f"{len(rows)} queries, expected {least} at least")
    for row in rows:
        expect(row["any"] and row["written"] == row["bytes"] and not row["error"], str(row))
        expect(row["ms"] < QUERY_MS, f"{row['query']} took {row['ms']} ms")


def check_vulkan(tally, _, platform):
    """vulkaninfo finds Mesa's driver for the GPU."""
    need("vulkaninfo")
    text = run(tally, platform, "vulkaninfo", "--summary")
    name = PLATFORMS[platform][0]
    expect(f"{name}\n" in text and "Intel open-source Mesa driver" in text, text[-400:])


def check_opencl(tally, _, platform):
    """clinfo finds Intel's device."""
    need("clinfo")
    if platform in ("hsw", "chv"):
        raise Skip("intel-opencl-icd does not know the platform")
    expect("Intel(R)" in run(tally, platform, "clinfo", "-l"), "no device")


CHECKS = {"gl": check_gl, "queries": check_queries, "vulkan": check_vulkan, "opencl": check_opencl}


def main():
    """The command line."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tally, client = sys.argv[1:3]
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = os.environ["XDG_CACHE_HOME"] = folder
        for platform in sys.argv[3:] or PLATFORMS:
            for name, check in CHECKS.items():
                try:
                    check(tally, client, platform)
                    passed += 1
                    print(f"{platform} {name}: passed", flush=True)
                except Skip as reason:
                    skipped += 1
                    print(f"{platform} {name}: skipped: {reason}", flush=True)
                except (AssertionError, KeyError, IndexError, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"{platform} {name}: FAILED: {error}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
