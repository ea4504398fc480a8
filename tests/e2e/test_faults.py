# SPDX-License-Identifier: MIT
"""--fault: injected faults, for our own recorder and for an unmodified program, and what
the loss ledger says of it."""
import os
import re
import subprocess

from e2e import (SOURCE, TALLY, contains, equal, json_lines, main, need_program, succeed, tally,
                 with_recorder)

FAULTS = os.path.join(SOURCE, "data/faults")


def ledger(path):
    """Returns the lines of `tally report`'s ledger, and the totals."""
    lines = json_lines(succeed("export", "-f", "jsonl", path))
    return [line for line in lines if line["type"] == "loss"]


def record(path, gpu, faults, *more, expected=0):
    result = tally("record", "-d", f"sim:{gpu}", "-t", "1s", "-p", "1ms", "--fault", faults,
                   "-o", path, *more)
    equal(result.returncode, expected, result.stderr)
    return result


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def reasons(path):
    return [loss["reason"] for loss in ledger(path)]


def test_every_fault_is_in_the_ledger(directory):
    for gpu in ["hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl"]:
        path = f"{directory}/{gpu}.i915-perf"
        record(path, gpu, f"{FAULTS}/all.yaml", "-q")
        found = set(reasons(path))
        # Haswell's kernel skips reports that have not landed, without a record (PERF-2.10).
        for reason in ["report-lost", "buffer-lost", "missing", "clock-jump"]:
            assert reason in found, f"{gpu}: no {reason} in {found}"
        assert ("not-landed" in found) == (gpu != "hsw"), f"{gpu}: {found}"


def test_the_ledger_adds_up_to_the_recorders_count(directory):
    """A jump of the GPU's clock is no loss for either; each loss is where its reports are missing."""
    for gpu in ["hsw", "bdw", "skl", "icl", "tgl"]:
        for faults in ["all", "lossy", "sleepy"]:
            path = f"{directory}/{gpu}.i915-perf"
            message = record(path, gpu, f"{FAULTS}/{faults}.yaml").stderr
            counted = int(re.search(r"; in .*?, (\d+) lost", message).group(1))
            assert counted, f"{gpu} {faults}: {message}"
            lines = json_lines(succeed("export", "-f", "jsonl", path))
            losses = [line for line in lines if line["type"] == "loss"]
            equal(sum(loss["estimated_reports"] or 0 for loss in losses), counted, f"{gpu} {faults}")
            equal(lines[-1]["missing_reports"], counted, f"{gpu} {faults}")
            contains(succeed("info", path), f" losses of {counted} report")
            period = next(line["gpu_end"] - line["gpu_start"] for line in lines
                          if line["type"] == "delta" and line["reason"] == line["end_reason"] == "timer"
                          and line["state"] == "ok")
            for loss in losses:
                if loss["estimated_reports"]:
                    length = (loss["gpu_end"] - loss["gpu_start"]) / period
                    assert loss["estimated_reports"] - 1 < length < loss["estimated_reports"] + 1.01, \
                        f"{gpu} {faults}: {loss}, period {period}"


def test_exact_counts_are_not_called_estimates(directory):
    """What the recorder has counted itself is shown as it is."""
    path = f"{directory}/full.i915-perf"
    script = write(directory, "d.yaml", "faults:\n  - {bytes: 100 kB, do: disk-full}\n")
    record(path, "skl", script, expected=1)
    loss = ledger(path)[0]
    equal((loss["reason"], loss["exact"]), ("unwritten", True))
    assert f" {loss['estimated_reports']} reports" in succeed("info", path)
    assert "about" not in succeed("info", path)
    record(path, "skl", f"{FAULTS}/sleepy.yaml", "-q")
    equal({loss["exact"] for loss in ledger(path)}, {False})
    contains(succeed("info", path), ", about ")


def test_an_idle_gpu_after_rc6_has_no_context(directory):
    """RC6 loses the register by which the report id has the context's valid bit."""
    path = f"{directory}/rc6.i915-perf"
    for gpu in ["bdw", "skl", "icl", "tgl"]:
        record(path, gpu, f"{FAULTS}/sleepy.yaml", "-q")
        groups = [line["group"] for line in json_lines(succeed("report", "-f", "jsonl", path))
                  if line["type"] == "group"]
        equal(groups, ["0x1000", "idle", "total"], gpu)


def test_the_same_again(directory):
    """The same script and seed give the same bytes."""
    files = []
    for name in "ab":
        path = f"{directory}/{name}.i915-perf"
        record(path, "skl", f"{FAULTS}/lossy.yaml", "-q")
        with open(path, "rb") as file:
            files.append(file.read())
    assert files[0] == files[1] and len(files[0]) > 100000


def test_another_seed(directory):
    places = []
    for seed in [1, 2]:
        script = write(directory, "s.yaml", f"seed: {seed}\nfaults:\n  - {{report: 100, every: 100,"
                       " jitter: 99, times: 9, do: drop}\n")
        path = f"{directory}/{seed}.i915-perf"
        record(path, "skl", script, "-q")
        places.append([loss["gpu_start"] for loss in ledger(path)])
    assert places[0] != places[1], places


def test_losses_may_fail_a_run(directory):
    path = f"{directory}/x.i915-perf"
    record(path, "hsw", f"{FAULTS}/lossy.yaml", "-q", "--fail-on-loss", expected=5)
    result = record(path, "hsw", f"{FAULTS}/lossy.yaml")
    contains(result.stderr, "lost")
    contains(result.stderr, "OA unit dropped reports")


def test_refusals(directory):
    path = f"{directory}/x.i915-perf"
    result = record(path, "hsw", f"{FAULTS}/refused.yaml", expected=4)
    contains(result.stderr, "another program is using its counters")
    script = write(directory, "d.yaml", "faults:\n  - {bytes: 100 kB, do: disk-full}\n")
    result = record(path, "skl", script, expected=1)
    contains(result.stderr, "No space left on device")
    assert os.path.getsize(path) <= 100000
    equal(reasons(path), ["unwritten"])
    assert ledger(path)[0]["estimated_reports"] > 0
    contains(succeed("report", path), "unwritten")


def test_scripts_with_mistakes(directory):
    script = write(directory, "bad.yaml", "seed: 1\nfaults:\n  - {at: 1 ms, do: explode}\n"
                   "  - {do: drop}\n")
    for command in [["record", "-d", "sim:hsw", "-t", "1ms", "-o", f"{directory}/x"], ["emulate"]]:
        result = tally(*command, "--fault", script, "--", "true")
        equal(result.returncode, 3)
        contains(result.stderr, f'{script}:3: do "explode": expected one of overflow, drop')
    result = tally("lint", script)
    equal(result.returncode, 1)
    contains(result.stdout, f"{script}:3: error: do \"explode\"")
    contains(result.stdout, f"{script}:4: error: drop: no trigger")
    contains(result.stdout, "a fault script, 2 errors")
    result = tally("record", "-d", "sim:hsw", "--fault", f"{directory}/none.yaml")
    equal(result.returncode, 2)
    contains(result.stderr, "none.yaml")
    wrong = write(directory, "counter.yaml", "faults:\n  - {at: 1 ms, do: wrap, counter: c44}\n")
    result = tally("emulate", "--fault", wrong, "--", "true")
    assert result.returncode, result.stderr
    contains(result.stderr, "counter.yaml:2: this GPU has no counter c44")


def test_lint_of_ours(directory):
    for name in sorted(os.listdir(FAULTS)):
        contains(succeed("lint", f"{FAULTS}/{name}"), "a fault script, 0 errors")


def test_an_unmodified_recorder(directory):
    """i915-perf-recorder runs with every fault, and the losses of its file are reported."""
    recorder = need_program("i915-perf-recorder")
    for gpu in ["hsw", "skl"]:
        path = f"{directory}/{gpu}.i915-perf"
        command = [TALLY, "emulate", "--root", "--clock", "virtual", "--gpu", gpu, "--workload",
                   "triangle", "--fault", f"{FAULTS}/all.yaml", "--", "timeout", "-s", "INT", "3", recorder, "-m",
                   "RenderBasic", "-p", "0.001", "-o", path]
        result = with_recorder(lambda: subprocess.run(command, capture_output=True, text=True,
                                                      timeout=60))
        contains(result.stderr, "disk-full has no effect")
        assert "no fault was triggered" not in result.stderr, result.stderr
        found = set(reasons(path))
        for reason in ["report-lost", "buffer-lost", "missing", "clock-jump"]:
            assert reason in found, f"{gpu}: no {reason} in {found}"


def test_faults_that_do_not_happen(directory):
    result = tally("emulate", "--fault", f"{FAULTS}/sleepy.yaml", "--", "true")
    equal(result.returncode, 0)
    contains(result.stderr, "no fault was triggered")


if __name__ == "__main__":
    main()
