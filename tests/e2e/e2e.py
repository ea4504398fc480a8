# SPDX-License-Identifier: MIT
"""Shared by the end-to-end tests: running the command, comparing, counting.

A test is a function whose name starts with test_; main() runs those of a module and prints the
totals the way cmocka does, so that one script adds everything up.
"""
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

SOURCE = os.environ.get("TALLY_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
TALLY = os.environ.get("TALLY_COMMAND", os.path.join(SOURCE, "build", "tally"))
BUILD = os.path.dirname(TALLY)
SHARED = os.environ.get("TALLY_SHARED", os.path.join(SOURCE, "..", "shared"))
RECORDINGS = os.path.join(SHARED, "data", "recordings")
METRICS = os.path.join(SHARED, "data", "oa-metrics")
SAMPLES = os.path.join(SOURCE, "data", "samples")
OWN_METRICS = os.path.join(SOURCE, "data", "metrics")


class Skip(Exception):
    """Raised by a test that cannot run here, with the reason."""


def build_options():
    return subprocess.run([TALLY, "version", "--build-options"], capture_output=True, text=True, check=True).stdout


def sanitized():
    """Sanitizers keep freed memory, and reserve terabytes of addresses."""
    return "sanitizers: none" not in build_options()


def check_memory(kib, limit):
    assert kib < limit or sanitized(), f"{kib} KiB, expected less than {limit}"


def has_html():
    """Whether the build found uPlot, which `tally export -f html` needs."""
    return "format html: no" not in succeed("version", "--build-options")


def need_html():
    if not has_html():
        raise Skip("needs uPlot (make deps)")


def need_preload():
    """The preloaded library and ThreadSanitizer intercept the same calls. With Clang, whose runtime library is a
    part of the program and so comes first, they recurse endlessly; GCC's comes after the preloaded one."""
    options = build_options()
    if "sanitizers: thread" in options and "clang" in options.lower():
        raise Skip("tally emulate does not run a command that has Clang's ThreadSanitizer")


def need(path):
    if not os.path.exists(path):
        raise Skip("needs " + os.path.relpath(path, SOURCE))
    return path


RECORDERS_FIFO = "/tmp/.i915-perf-record"  # i915-perf-recorder always uses this path


def with_recorder(run):
    """The result of run() for a program that starts the recorder, one at a time on a machine."""
    for _ in range(20):
        done = run()
        if RECORDERS_FIFO not in done.stderr:
            return done
        time.sleep(1)
    raise Skip("another recorder has " + RECORDERS_FIFO)


def need_program(name):
    if not shutil.which(name):
        raise Skip("needs " + name)
    return name


def tally(*arguments, stdin=None, env=None, text=True):
    """Runs the command; returns the finished process."""
    environment = dict(os.environ, NO_COLOR="1", **(env or {}))
    environment.setdefault("XDG_DATA_HOME", "/nonexistent")
    return subprocess.run([TALLY, *map(str, arguments)], input=stdin, capture_output=True,
                          text=text, env=environment, timeout=300)


def succeed(*arguments, **options):
    done = tally(*arguments, **options)
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stderr}"
    return done.stdout


def json_lines(text, exact=False):
    """Parses JSON Lines; with exact, numbers are kept as text."""
    options = {"parse_float": str, "parse_int": str} if exact else {}
    return [json.loads(line, **options) for line in text.splitlines()]


def shown(value):
    text = repr(value)
    return text if len(text) < 400 else text[:400] + "..."


def equal(got, expected, what=""):
    assert got == expected, f"{what}: got {shown(got)}, expected {shown(expected)}"


def contains(text, part, what=""):
    assert part in text, f"{what}: {part!r} is not in {shown(text)}"


def peer_pairs(path):
    """Parses i915-perf-reader's output for each pair of consecutive reports: (reason, counters)."""
    done = subprocess.run(["i915-perf-reader", "-c", "all", "-r", path], capture_output=True,
                          text=True, timeout=300)
    pairs, counters = [], None
    for line in done.stdout.splitlines():
        report = re.match(r" report\d+ = (.*)", line)
        if line.startswith("Time:"):
            counters = None
        elif report:
            counters = {}
            pairs.append((report.group(1), counters))
        elif line.startswith("   ") and counters is not None:
            name, value = line.strip().split(": ")
            counters[name] = value
    return pairs


def as_peer(ours, theirs):
    """Our exact values as the peer prints them: doubles with six decimals. The peer takes a quotient by 0 for 0,
    where our value is undefined."""
    def text(name, value):
        if value in ("", None):
            return theirs.get(name)
        return f"{float(value):.6f}" if value and "." in theirs.get(name, "") else value
    return {name: text(name, value) for name, value in ours.items()}


def main():
    """Runs the tests of the calling file, or those that the command line names."""
    caller = inspect.getmodule(inspect.stack()[1][0])
    tests = [(name, function) for name, function in vars(caller).items()
             if name.startswith("test_") and callable(function)]
    unknown = set(sys.argv[1:]) - {name for name, function in tests}
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))}: unknown, expected "
                 f"{' '.join(name for name, function in tests)}")
    tests = [test for test in tests if len(sys.argv) == 1 or test[0] in sys.argv[1:]]
    passed, failed, skipped = [], [], []
    for name, function in tests:
        print(f"[ RUN      ] {name}", flush=True)
        try:
            with tempfile.TemporaryDirectory() as directory:
                if inspect.signature(function).parameters:
                    function(directory)
                else:
                    function()
            passed.append(name)
            print(f"[       OK ] {name}")
        except Skip as reason:
            skipped.append(name)
            print(f"[  SKIPPED ] {name}: {reason}")
        except Exception:  # any exception fails the test
            failed.append(name)
            traceback.print_exc(file=sys.stdout)
            print(f"[  FAILED  ] {name}")
    print(f"[  PASSED  ] {len(passed)} test(s).")
    if skipped:
        print(f"[  SKIPPED ] {len(skipped)} test(s), listed above.")
    if failed:
        print(f"[  FAILED  ] {len(failed)} test(s), listed above.")
    sys.exit(1 if failed else 0)
