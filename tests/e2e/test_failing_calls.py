# SPDX-License-Identifier: MIT
"""Fails the first, second, third ... system call of each kind, in each command that records, reads or writes
(tests/hostile/fail_calls.c). Every run ends with an exit status and one line that fit, and what it leaves is
readable; if it succeeds, its output is that of a run without a failure, or a line mentions what is missing.

TALLY_TEST_PERCENT is the share of the usual number of calls of a kind, spread evenly; from 5000 on all of them,
a few at a time.
"""
import errno
import os
import queue
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from e2e import BUILD, OWN_METRICS, TALLY, Skip, equal, main, need_preload, succeed

FAIL_CALLS = os.path.join(BUILD, "tests", "fail_calls")
PERCENT = int(os.environ.get("TALLY_TEST_PERCENT", "100"))
CALLS_MAX = None if PERCENT >= 5000 else max(1, 2 * PERCENT // 100)  # of a kind
AT_A_TIME = 1 if CALLS_MAX else 2
TIMEOUT = 120  # seconds; an unimpeded run takes less than one

# What a kind of call fails with. EINTR and short reads and writes must change nothing.
WAYS = {
    "open": ["EIO", "EMFILE", "ENOMEM"],
    "read": ["EIO", "EINTR", "short"],
    "write": ["EIO", "ENOSPC", "EINTR", "short"],
    "mmap": ["ENOMEM"],
    "poll": ["ENOMEM", "EINTR"],
    "fsync": ["EIO", "ENOSPC"],
    "ftruncate": ["EIO", "ENOSPC"],
    "close": ["EIO"],
    "seek": ["EIO"],
    "stat": ["EIO"],
    "create": ["EMFILE"],
    "process": ["EAGAIN"],
    "send": ["ENOBUFS"],
    "receive": ["ENOMEM"],
}
HARMLESS = ("EINTR", "short")
NUMBER = re.compile(r"\d+(\.\d+)?")


class Run:
    """One run of a command that has a call failed: its status, messages, files and standard output."""

    def __init__(self, directory, command, kind="open", number=0, way="EIO", who="own", stdin=None):
        self.directory, self.report = directory, os.path.join(directory, "report")
        for name in os.listdir(directory):
            path = os.path.join(directory, name)
            if os.path.isdir(path) and not name.startswith("in"):
                shutil.rmtree(path)
            elif not name.startswith("in"):
                os.remove(path)
        words = [word.replace("DIRECTORY", directory) for word in command]
        source = open(os.path.join(directory, stdin), "rb") if stdin else subprocess.DEVNULL
        environment = dict(os.environ, NO_COLOR="1", XDG_DATA_HOME="/nonexistent", TMPDIR=directory,
                           ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")  # it makes calls, too
        done = subprocess.run([FAIL_CALLS, self.report, who, kind, str(number), way, *words], check=False,
                              stdin=source, capture_output=True, timeout=TIMEOUT, env=environment)
        if stdin:
            source.close()
        self.code, self.lines = done.returncode, done.stderr.decode().replace(directory, "DIRECTORY").splitlines()
        if self.code == 125:
            raise Skip(f"system calls cannot be intercepted: {self.lines}")
        with open(self.report, encoding="utf-8", errors="replace") as file:
            count, self.failed = file.read().split("\n", 1)
        self.count, self.failed = int(count), self.failed.strip()
        self.output = {"standard output": done.stdout.replace(directory.encode(), b"DIRECTORY")}
        for name in sorted(os.listdir(directory)):
            if name.startswith("out"):
                with open(os.path.join(directory, name), "rb") as file:
                    self.output[name] = file.read()

    def left(self):
        """Directories of an emulated GPU after the next start of one."""
        def find():
            return [name for name in os.listdir(self.directory) if name.startswith("tally-")]
        if find():
            subprocess.run([TALLY, "emulate", "--", "true"], check=False, timeout=TIMEOUT,
                           env=dict(os.environ, TMPDIR=self.directory))
        return find()


def failures(kind, count, share):
    """Which of `count` calls fail in which way: evenly spread ones, among them the first. If there are many, each
    fails in one of the ways."""
    ways = WAYS[kind]
    if CALLS_MAX is None and count > 100:
        return [(1 + i, ways[i % len(ways)]) for i in range(count)]
    calls = count if CALLS_MAX is None else min(count, max(1, int(CALLS_MAX * share)))
    numbers = sorted({1 + i * (count - 1) // max(1, calls - 1) for i in range(calls)})
    return [(number, way) for way in ways for number in numbers]


def complaint(run, plain, way, same, broken=()):
    """Returns what is wrong with a run, or None. broken: other reasons that a message may give."""
    known = [NUMBER.sub("N", line) for line in plain.lines]
    new = [line for line in run.lines if NUMBER.sub("N", line) not in known]
    reason = os.strerror(getattr(errno, way)) if way != "short" else None
    if run.code not in (0, 1, 4):
        return "exit status"
    if run.left():
        return f"left {run.left()}"
    if way in HARMLESS and (run.code or new):
        return "an interrupted or short call is an error"
    if run.code == 0 and not new and not same(run, plain):
        return "output differs, but nothing mentions it"
    if run.code and len(new) != 1:
        return "expected one line"
    if run.code and not new[0].startswith("tally: "):
        return "not a message of tally"
    also = ["out of memory", os.strerror(errno.EAGAIN)] if way == "ENOMEM" else []  # of pthread_create()
    if run.code and not any(text in new[0] for text in [reason, *also, *broken]):
        return "the reason is not given"
    return None


def same_output(run, plain):
    return run.output == plain.output


def copies(directory):
    """A directory for each of the runs at a time, with the same inputs."""
    yield directory
    for i in range(1, AT_A_TIME):
        copy = os.path.join(directory, f"in-copy-{i}")
        shutil.copytree(directory, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("in-copy-*"))
        yield copy


def sweep(directory, command, same=same_output, kinds=tuple(WAYS), readable=None, share=1, broken=(), **options):
    """Fails calls of a command; readable(run) checks what it has left. share: of the usual number."""
    plain = Run(directory, command, **options)
    equal(plain.code, 0, plain.lines)
    assert same(Run(directory, command, **options), plain), f"{command}: not reproducible"
    directories = queue.SimpleQueue()
    for copy in copies(directory):
        directories.put(copy)

    def fail(kind, count, number, way):
        """Returns what is wrong with the run in which this call fails, or None."""
        own = directories.get()
        try:
            run = Run(own, command, kind, number, way, **options)
            text = complaint(run, plain, way, same, broken) or (readable and readable(run))
        finally:
            directories.put(own)
        if text:
            text = f"{kind} {number} of {count}, {way} ({run.failed}): {text}: {run.code} {run.lines}"
            print(text, flush=True)
        return text
    counts = {kind: Run(directory, command, kind, **options).count for kind in kinds}
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        runs = [pool.submit(fail, kind, counts[kind], *failure)
                for kind in kinds for failure in failures(kind, counts[kind], share)]
        wrong = [run.result() for run in runs]
    wrong = [text for text in wrong if text]
    print(f"{len(runs)} runs of {' '.join(command)}")
    assert not wrong, f"{command}: {len(wrong)} of {len(runs)} runs"


# ---- recording ---------------------------------------------------------------------------------

def recorded(run):
    """The file of a recording is missing, empty, or read."""
    if not run.output.get("out"):
        return None
    done = subprocess.run([TALLY, "info", os.path.join(run.directory, "out")], check=False,
                          capture_output=True, text=True, timeout=TIMEOUT)
    return done.stderr or None


RECORD = [TALLY, "record", "-t", "5ms", "-M", OWN_METRICS, "-o", "DIRECTORY/out"]


def test_record(directory):
    sweep(directory, RECORD + ["-d", "sim:hsw"], readable=recorded)


def test_record_with_options(directory):
    sweep(directory, RECORD + ["-d", "sim:skl", "--ring", "1M", "--workload", "contexts", "--fault", "lossy",
                               "--trace", "mmio=DIRECTORY/out.trace"], readable=recorded)


def test_record_to_a_pipe(directory):
    sweep(directory, RECORD[:-1] + ["-", "-d", "sim:bdw", "-p", "20us"])


def test_record_a_gpu_of_nvidia(directory):
    sweep(directory, RECORD + ["-d", "sim:g92"], readable=recorded)


def test_record_a_command(directory):
    def same(run, plain):
        return run.output.keys() == plain.output.keys()
    sweep(directory, RECORD[:2] + RECORD[4:] + ["-d", "sim:hsw", "--", "true"], same=same, readable=recorded)


# ---- reading -----------------------------------------------------------------------------------

def test_report_and_export(directory):
    """With metric sets that differ from the project's, so that a fallback to these is noticed."""
    metrics = os.path.join(directory, "in-metrics")
    os.mkdir(metrics)
    with open(os.path.join(OWN_METRICS, "oa-skl.xml"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(metrics, "oa-skl.xml"), "w", encoding="utf-8") as file:
        file.write(text.replace('name="GPU Busy"', 'name="Changed"'))
    succeed("record", "-q", "-d", "sim:skl", "--workload", "contexts", "-p", "40us", "-t", "10ms", "-M", OWN_METRICS,
            "-o", os.path.join(directory, "in"))
    for command in [["report"], ["report", "--by", "interval=1ms", "-f", "csv", "-o", "DIRECTORY/out"],
                    ["export", "-f", "csv", "-o", "DIRECTORY/out"], ["export", "-f", "jsonl"]]:
        sweep(directory, [TALLY, *command, "-M", metrics, "DIRECTORY/in"])
        sweep(directory, [TALLY, *command, "-M", metrics, "-"], stdin="in", kinds=["read", "write", "mmap"])


# ---- tally emulate -----------------------------------------------------------------------------

PERIOD_MS = 0.682667  # the recorder's default

EMULATE = [TALLY, "emulate", "--gpu", "skl", "--clock", "virtual", "--log", "DIRECTORY/log"]


# What the recorder reports if its connection breaks: the device is gone.
BROKEN = [os.strerror(errno.ENODEV), "no i915 perf"]


def counts(run):
    """Lines of tally info about losses, without the number of reports, which depends on when the recorder wakes up,
    and whether the reports fit the time. None if there is no file."""
    if not run.output.get("out"):
        return None
    done = subprocess.run([TALLY, "info", "-"], input=run.output["out"], check=False, capture_output=True,
                          timeout=TIMEOUT)
    lines = [re.sub(r"\d+ reports", "N reports", line) for line in done.stdout.decode().splitlines()
             if "losses" in line]
    summary = re.search(r"(\d+) reports, .* in ([\d.]+) ms", "\n".join(run.lines))
    if not summary:  # standard error was what could not be written
        return lines, True
    reports, time_ms = map(float, summary.groups())
    return lines, abs(time_ms - reports * PERIOD_MS) < 2 * PERIOD_MS and time_ms > 5


def same_counts(run, plain):
    return run.output.keys() == plain.output.keys() and counts(run) == counts(plain)


def test_emulate(directory):
    """Calls of the owner of the GPU. Objects of its memory are files, of which the driver says only that there is none."""
    need_preload()
    sweep(directory, [*EMULATE, "--", *RECORD], same=same_counts, readable=recorded, share=0.5,
          broken=[*BROKEN, os.strerror(errno.ENOMEM)])


def test_files_of_an_emulated_gpu(directory):
    """Most calls of the owner are those for files of sysfs, before the program starts."""
    need_preload()
    command = [*EMULATE, "--", "true"]
    plain = Run(directory, command)
    count = Run(directory, command, "write").count
    assert count > 100, count
    for kind, ways in [("write", HARMLESS), ("stat", ["EIO"]), ("ftruncate", ["EIO"])]:
        for number in 20, 50, 100:
            for way in ways:
                text = complaint(Run(directory, command, kind, number, way), plain, way, lambda *_: True)
                equal(text, None, f"{kind} {number}, {way}")


def test_record_an_emulated_device(directory):
    """Calls of the recorder, which has the preloaded library: without a connection there is no device."""
    need_preload()
    sweep(directory, [*EMULATE, "--", *RECORD], same=same_counts, readable=recorded, share=0.5, who="others",
          broken=BROKEN)


if __name__ == "__main__":
    main()
