# SPDX-License-Identifier: MIT
"""Several threads: of the reader of large inputs, which change nothing in the output, and of a program under
`tally emulate`. tools/check runs this with ThreadSanitizer."""
import json
import os
import re
import struct
import subprocess

from e2e import BUILD, SOURCE, TALLY, Skip, equal, main, need, need_preload, succeed

LARGE = 4 << 20  # bytes from which on an input has several threads (src/pipeline/run.c)
PROCESSORS = os.sched_getaffinity(0)


def run(processors, arguments, path):
    done = subprocess.run([TALLY, *(path if word == "FILE" else word for word in arguments)],
                          capture_output=True, timeout=300,
                          env=dict(os.environ, NO_COLOR="1", XDG_DATA_HOME="/nonexistent"),
                          preexec_fn=lambda: os.sched_setaffinity(0, processors))
    equal(done.returncode, 0, f"{arguments}: {done.stderr!r}")
    return done.stdout


def compare(path, commands):
    assert os.path.getsize(path) > LARGE, os.path.getsize(path)
    if len(PROCESSORS) < 2:
        raise Skip("needs two processors")
    for command in commands:
        words = command.split()
        one, several = run({min(PROCESSORS)}, words, path), run(PROCESSORS, words, path)
        assert len(one) > 500, one
        assert one == several, f"{command}: {len(one)} and {len(several)} bytes, not the same"


def test_the_check_of_threads_names_tests():
    """Meson ignores a name that no test has."""
    with open(os.path.join(SOURCE, "tools", "check"), encoding="utf-8") as file:
        named = re.search(r"^threaded='([^']*)'", file.read(), re.M)[1].split()
    with open(need(os.path.join(BUILD, "meson-info", "intro-tests.json")), encoding="utf-8") as file:
        tests = {test["name"] for test in json.load(file)}
    optional = {"store"}  # without SQLite
    equal(sorted(set(named) - tests - optional), [])


def test_threads_share_a_recording(directory):
    path = os.path.join(directory, "skl.i915-perf")
    succeed("record", "-q", "-d", "sim:skl", "--workload", "contexts", "-t", "120ms", "-p", "5us",
            "-o", path)
    compare(path, ["report FILE", "report --by context -f csv FILE", "report --by reason FILE",
                   "report --by interval=10ms -f jsonl FILE", "export -f csv FILE",
                   "export -f jsonl -c Gpu* FILE", "decode -f jsonl FILE", "info FILE"])


def test_a_thread_reads_record_buffers_ahead(directory):
    path = os.path.join(directory, "packets.bin")
    with open(path, "wb") as file:
        for cycles in range(1000, 300_000_000, 1000):
            file.write(struct.pack("<HIHHHI", cycles & 0xffff, cycles >> 16, 1, 500, 7, 0))
    compare(path, ["decode --layout pcounter/short -f csv FILE",
                   "decode --layout pcounter/short -f jsonl FILE"])


def test_threads_of_a_program_on_an_emulated_gpu():
    """They share a stream, read at the same time, and are interrupted by signals whose handlers use the device."""
    need_preload()
    client = need(os.path.join(BUILD, "tests", "i915_conformance"))
    names = ["several-processes", "threads", "waiting-thread", "interrupted-read", "calls-in-handlers", "signal-storm"]
    done = subprocess.run([TALLY, "emulate", "--root", "--clock", "virtual", "--gpu", "skl", "--", client, "run", *names],
                          check=False, capture_output=True, text=True, timeout=300)
    equal(done.returncode, 0, done.stderr)
    equal([line.split(":")[0] for line in done.stdout.splitlines()], ["passed " + name for name in names], done.stderr)


if __name__ == "__main__":
    main()
