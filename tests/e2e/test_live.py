# SPDX-License-Identifier: MIT
"""Reports from a pipe are live: a group is printed when its interval is over.

What is tested is the order of events, not the time that they take: records are held back until the
lines that the records before them complete have arrived.
"""
import os
import select
import struct
import subprocess

from e2e import SAMPLES, TALLY, equal, json_lines, main, succeed

SAMPLE = f"{SAMPLES}/hsw.i915-perf"
DEADLINE_S = 60  # to wait for an expected line; reached only on failure
ENVIRONMENT = dict(os.environ, NO_COLOR="1", XDG_DATA_HOME="/nonexistent")
SAMPLE_RECORD = 1


def records(path):
    """(type, bytes) of each record."""
    with open(path, "rb") as file:
        data = file.read()
    at, found = 0, []
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        found.append((kind, data[at:at + size]))
        at += size
    return found


class Live:
    """Runs tally report on a pipe that is still open."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([TALLY, "report", *arguments, "-"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=ENVIRONMENT)
        self.text = b""

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def wait_for_lines(self, count):
        while self.text.count(b"\n") < count:
            ready, _, _ = select.select([self.process.stdout], [], [], DEADLINE_S)
            assert ready, f"line {count} did not come; so far: {self.text!r}"
            more = os.read(self.process.stdout.fileno(), 65536)
            assert more, f"the output ended before line {count}: {self.text!r}"
            self.text += more

    def finish(self):
        out, err = self.process.communicate(timeout=DEADLINE_S)
        equal(self.process.returncode, 0, err)
        return (self.text + out).decode().replace("\r\n", "\n")


def expected_lines(*arguments):
    """Returns the report of the same bytes from a complete file."""
    text = succeed("report", *arguments, SAMPLE)
    return text.replace(SAMPLE, "-")


def check_live(interval, ending, *arguments):
    """Each group's line arrives before the record after the one that ends its interval is sent."""
    arguments = (*arguments, "--by", f"interval={interval}")
    expected = expected_lines(*arguments)
    groups = [line for line in json_lines(succeed("report", "-f", "jsonl", "-c", "GpuBusy", "--by",
                                                  f"interval={interval}", SAMPLE))
              if line["type"] == "group" and line["by"] == "interval"]
    assert len(groups) > 3, groups
    # The report that ends a group begins the next one.
    starts = [group["gpu_start"] for group in groups[1:]]
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", SAMPLE))
              if line["type"] == "delta"]
    numbers = {delta["gpu_start"]: delta["index"] for delta in deltas}
    ends = [numbers[start] for start in starts]
    live, report, done = Live(*arguments), 0, 0
    for kind, record in records(SAMPLE):
        live.write(record)
        if kind != SAMPLE_RECORD:
            continue
        if done < len(ends) and report == ends[done]:
            done += 1
            live.wait_for_lines(ending(done))
        report += 1
    equal(done, len(ends))
    equal(live.finish(), expected)


def test_json_groups_are_printed_when_their_interval_ends():
    # A header, then a line per group.
    check_live("1ms", lambda groups: 1 + groups, "-f", "jsonl", "-c", "GpuBusy")


def test_csv_groups_are_printed_when_their_interval_ends():
    # A heading, then a line per counter and group.
    check_live("2ms", lambda groups: 1 + 2 * groups, "-f", "csv", "-c", "GpuBusy", "-c", "GpuTime")


def test_a_recorder_and_a_report_in_a_pipe():
    """tally report does not wait for the end of a recording: it prints groups while the recorder runs."""
    recorder = subprocess.Popen([TALLY, "record", "-q", "-d", "sim:skl", "--clock", "wall", "-t",
                                 "60s", "-p", "1ms", "-o", "-"], stdout=subprocess.PIPE,
                                env=ENVIRONMENT)
    report = subprocess.Popen([TALLY, "report", "-q", "-f", "jsonl", "-c", "GpuBusy", "--by",
                               "interval=50ms", "-"], stdin=recorder.stdout,
                              stdout=subprocess.PIPE, env=ENVIRONMENT)
    recorder.stdout.close()
    header, group = report.stdout.readline(), report.stdout.readline()
    equal(recorder.poll(), None, "the recorder still runs")
    recorder.terminate()  # finishes the recording
    rest = report.stdout.read()
    equal((recorder.wait(), report.wait()), (0, 0))
    lines = json_lines((header + group + rest).decode())
    equal([lines[0]["type"], lines[1]["type"], lines[1]["group"]], ["header", "group", "0"])
    equal(lines[-1]["error"], None)


if __name__ == "__main__":
    main()
