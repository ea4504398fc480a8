# SPDX-License-Identifier: MIT
"""tally check: conditions, budgets, losses, and what CI reads."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

from e2e import SAMPLES, SOURCE, TALLY, contains, equal, main, succeed

ICL = f"{SAMPLES}/icl.i915-perf"
LOSSY = ["--allow-lost", "5%"]  # the samples have losses


def run(*arguments):
    return subprocess.run([TALLY, "check", "-q", *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env=dict(os.environ, NO_COLOR="1"))


def outcomes(*arguments):
    """The outcome of each check, and the exit status that belongs to them."""
    done = run("-f", "jsonl", *arguments)
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    found = [o["outcome"] for o in objects if o["type"] == "check"]
    equal((done.returncode, done.stderr), (0 if set(found) <= {"passed"} else 1, ""), arguments)
    equal([objects[-1][name] for name in ("passed", "failed", "inconclusive")],
          [found.count(name) for name in ("passed", "failed", "inconclusive")])
    return found


def record(directory, name, *options, workload="contexts"):
    path = os.path.join(directory, name)
    succeed("record", "-q", "-d", "sim:skl", "--workload", workload, "-p", "80us", "-t", "50ms", "-o", path, *options)
    return path


def groups_of(path, by):
    objects = [json.loads(line) for line in succeed("report", "-q", "-f", "jsonl", "--by", by, path).splitlines()]
    return {(o["by"], o["group"]): o for o in objects if o["type"] == "group" and o["group"] != "change"}


def test_values_are_those_of_the_report(directory):
    path = record(directory, "a")
    for by in ("context", "phase", "none", "frame", "interval=10ms"):
        groups = groups_of(path, by)
        for counter in ("EuActive", "SamplesWritten", "AvgGpuCoreFrequency"):
            for statistic, key in [("overall", "overall"), ("min", "minimum"), ("mean", "mean"), ("p50", "p50"), ("p95", "p95"),
                                   ("p99", "p99"), ("max", "maximum"), ("sum", "overall")]:
                if statistic == "sum" and counter != "SamplesWritten":
                    continue
                done = run("-f", "jsonl", "--by", by, path, f"{statistic}({counter}) >= 0")
                for found in map(json.loads, done.stdout.splitlines()[1:-1]):
                    group = groups[(found["by"], found["group"])]
                    expected = group["counters"][counter][key] if group["deltas"] else None
                    equal(found["value"], expected, f"{statistic}({counter}) {found['by']} {found['group']}")
    found = json.loads(run("-f", "jsonl", path, "SamplesWritten > 1 M/s").stdout.splitlines()[1])
    total = groups_of(path, "none")[("total", "total")]
    expected = total["counters"]["SamplesWritten"]["overall"] / (total["duration_ns"] / 1e9)
    assert abs(found["value"] / expected - 1) < 1e-6, (found, expected)


def test_bounds(directory):
    """Each comparison at, above and below the value, with each unit."""
    path = record(directory, "a")
    total = groups_of(path, "none")[("total", "total")]["counters"]
    for counter, units in [("EuActive", {"%": 1, "": 1}), ("GpuTime", {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}),
                           ("AvgGpuCoreFrequency", {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}),
                           ("PsThreads", {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}),
                           ("SlmBytesRead", {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2 ** 10, "MiB": 2 ** 20,
                                             "GiB": 2 ** 30})]:
        value = total[counter]["overall"]
        for unit, factor in units.items():
            for sign, holds in [(">", (False, True)), (">=", (False, True)), ("<", (True, False)), ("<=", (True, False))]:
                got = [outcomes(path, f"overall({counter}) {sign} {value / factor * by!r} {unit}")[0] == "passed"
                       for by in (1.001, 0.999)]
                equal(tuple(got), holds, f"{counter} {sign} in {unit}")
    for sign, holds in [(">", "failed"), (">=", "passed"), ("<", "failed"), ("<=", "passed")]:
        equal(outcomes(path, f"max(GpuBusy) {sign} {total['GpuBusy']['maximum']!r}"), [holds], sign)


def test_places(directory):
    path = record(directory, "a")
    contexts = [key for by, key in groups_of(path, "context") if by == "context"]
    equal(len(outcomes(path, "GpuBusy >= 0 in every context")), len(contexts))
    equal(len(outcomes("--by", "context", path, "GpuBusy >= 0", "GpuBusy >= 0 in total", "GpuBusy >= 0 in phase 1")),
          len(contexts) + 2)
    equal(outcomes(path, "CsThreads > 0 in phase 2", "CsThreads > 0 in phase 1", "CsThreads > 0 in context 0x6000",
                   "CsThreads > 0 in context 0x5000", "GpuBusy >= 0% in context idle"),
          ["passed", "failed", "passed", "failed", "passed"])
    # What is not there does not pass.
    equal(outcomes(path, "GpuBusy >= 0 in phase 99", "GpuBusy >= 0 in context 0x99", "GpuBusy >= 0 in frame 9999"),
          ["failed"] * 3)
    contains(run(path, "GpuBusy >= 0 in phase 99").stdout, "in phase 99: mean(GpuBusy): nothing was counted")


def test_losses(directory):
    """Lost data never pass in silence."""
    faults = os.path.join(directory, "faults.yaml")
    with open(faults, "w", encoding="utf-8") as file:
        file.write("faults:\n  - {report: 100, every: 1, times: 60, do: drop}\n")
    whole, lossy = record(directory, "whole"), record(directory, "lossy", "--fault", faults)
    for conditions, expected in [(["GpuBusy >= 0"], ["inconclusive"]), (["GpuBusy < 0"], ["failed"]),
                                 (["GpuBusy >= 0", "GpuBusy < 0"], ["inconclusive", "failed"])]:
        equal(outcomes(lossy, *conditions), expected)
    for allowed, expected in [("0", "inconclusive"), ("1%", "inconclusive"), ("50%", "passed"), ("1", "passed")]:
        equal(outcomes("--allow-lost", allowed, lossy, "GpuBusy >= 0"), [expected], allowed)
        equal(outcomes("--allow-lost", allowed, whole, "GpuBusy >= 0"), ["passed"], allowed)
        equal(outcomes("--allow-lost", allowed, "--baseline", lossy, whole, "GpuBusy within 100%"), [expected], allowed)
    text = run(lossy, "GpuBusy >= 0").stdout
    contains(text, "INCONCLUSIVE  mean(GpuBusy) >= 0: ")
    contains(text, "data were lost (")
    for form in ("junit", "tap", "csv"):
        equal(run("-f", form, lossy, "GpuBusy >= 0").returncode, 1, form)


def test_baseline(directory):
    a, b = record(directory, "a"), os.path.join(directory, "b.yaml")
    with open(f"{SOURCE}/data/workloads/contexts.yaml", encoding="utf-8") as file:
        text = file.read().replace("480000/ms", "528000/ms")
    with open(b, "w", encoding="utf-8") as file:
        file.write(text)
    b = record(directory, "b", workload=b)
    for within, forward, back in [("5%", "failed", "failed"), ("15%", "passed", "passed"), ("+5%", "failed", "passed"),
                                  ("-5%", "passed", "failed"), ("0%", "failed", "failed")]:
        condition = f"overall(SamplesWritten) within {within} in phase 1"
        equal(outcomes("--baseline", a, b, condition), [forward], within)
        equal(outcomes("--baseline", b, a, condition), [back], within)
        equal(outcomes("--baseline", a, a, condition), ["passed"], within)


BUDGET = """budget: two contexts
baseline: a
checks:
  - {name: busy <&"'> enough, counter: GpuBusy, bound: '> 10%'}
  - {counter: CsThreads, statistic: sum, bound: '> 0', in: phase 2}
  - {counter: EuActive, within: 1%, in: every phase}
  - {name: too much, counter: EuActive, statistic: max, bound: '> 100 %'}
"""


def write_budget(directory, text=BUDGET):
    path = os.path.join(directory, "budget.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


# Elements of JUnit's format: required and other attributes, and children.
JUNIT = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set(), {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"timestamp", "hostname"}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, set(), {"failure", "error", "skipped"}),
    "failure": ({"message"}, {"type"}, set()),
}


def check_junit(text):
    """By the schema above; numbers are numbers, and counts are those of the elements. Returns the cases."""
    root = xml.etree.ElementTree.fromstring(text)
    equal(root.tag, "testsuites")
    for element in root.iter():
        required, others, children = JUNIT[element.tag]
        assert required <= set(element.attrib) <= required | others, element.attrib
        assert {child.tag for child in element} <= children, element.tag
        for name in {"tests", "failures", "errors", "skipped"} & set(element.attrib):
            assert re.fullmatch(r"\d+", element.get(name)), element.attrib
        if element.tag.startswith("testsuite"):
            equal(int(element.get("tests")), len(list(element.iter("testcase"))))
            equal(int(element.get("failures")), len(list(element.iter("failure"))))
    return list(root.iter("testcase"))


def test_forms(directory):
    """The same results in each format; the same input gives the same bytes."""
    path, budget = record(directory, "a"), write_budget(directory)
    arguments = ["--budget", budget, path, "EuActive > 99%"]
    objects = [json.loads(line) for line in run("-f", "jsonl", *arguments).stdout.splitlines()]
    results = [o for o in objects if o["type"] == "check"]
    equal((objects[0]["budget"], len(results)), ("two contexts", 9))
    done = run("-f", "junit", *arguments)
    equal((done.returncode, done.stderr), (1, ""))
    cases = check_junit(done.stdout)
    equal([case.get("name") for case in cases], [o["check"] for o in results])
    equal([[f.get("message") for f in case] for case in cases],
          [[] if o["outcome"] == "passed" else [o["message"]] for o in results])
    if shutil.which("xmllint"):
        subprocess.run(["xmllint", "--noout", "-"], input=done.stdout, text=True, check=True)
    lines = run("-f", "tap", *arguments).stdout.splitlines()
    equal(lines[:2], ["TAP version 13", "1..9"])
    equal([line.split(" - ", 1)[1].replace("\\", "") for line in lines if re.match("(not )?ok ", line)],
          [o["check"] for o in results])
    equal([line.startswith("ok") for line in lines if re.match("(not )?ok ", line)], [o["outcome"] == "passed" for o in results])
    rows = list(csv.DictReader(io.StringIO(run("-f", "csv", *arguments).stdout, newline="")))
    equal([(r["check"], r["outcome"], r["message"]) for r in rows], [(o["check"], o["outcome"], o["message"]) for o in results])
    table = run(*arguments).stdout
    failures = [o for o in results if o["outcome"] != "passed"]
    equal(table.splitlines()[:-1], [f"FAILED  {o['check']}: {o['message']}" for o in failures])
    contains(table.splitlines()[-1], f"{len(results) - len(failures)} of 9 checks passed")
    equal(len(run("--all", *arguments).stdout.splitlines()), 10)
    for form in ("table", "csv", "jsonl", "junit", "tap"):
        equal(run("-f", form, *arguments).stdout, run("-f", form, *arguments).stdout, form)


def test_budgets(directory):
    path = record(directory, "a")
    for text, part in [("checks: []\n", "budget.yaml:1: budget, a title, is missing"),
                       ("budget: b\n", "checks are missing"),
                       ("budget: b\nchecks:\n  - {counter: A, bound: '> 1 parsec'}\n", "budget.yaml:3: bound"),
                       ("budget: b\nchecks:\n  - {counter: A}\n", "budget.yaml:3: expected one of bound and within"),
                       ("budget: b\nchecks:\n  - {counter: A, bound: '> 1', within: 5%}\n", "expected one of bound and within"),
                       ("budget: b\nchecks:\n  - {bound: '> 1'}\n", "counter is missing"),
                       ("budget: b\nchecks:\n  - {counter: A B, bound: '> 1'}\n", "the symbol of a counter"),
                       ("budget: b\nchecks:\n  - {counter: A, bond: '> 1'}\n", "bond"),
                       ("budget: b\nallow-lost: much\nchecks:\n  - {counter: A, bound: '> 1'}\n", "budget.yaml:2: allow-lost")]:
        done = run("--budget", write_budget(directory, text), path)
        equal((done.returncode, done.stdout), (3, ""), text)
        contains(done.stderr, part)
    # An unknown counter is an error; the share that a budget allows is replaced by --allow-lost.
    done = run("--budget", write_budget(directory, "budget: b\nchecks:\n  - {counter: GpuBuzy, bound: '> 1'}\n"), path)
    equal(done.returncode, 2)
    contains(done.stderr, 'unknown counter "GpuBuzy" of RenderBasic, expected GpuBusy')
    budget = write_budget(directory, "budget: b\nallow-lost: 5%\nchecks:\n  - {counter: GpuBusy, bound: '>= 0'}\n")
    equal(outcomes("--budget", budget, ICL), ["passed"])
    equal(outcomes("--budget", budget, "--allow-lost", "1%", ICL), ["inconclusive"])
    equal(outcomes(*LOSSY, "--budget", f"{SOURCE}/data/budgets/example.yaml", ICL)[:2], ["passed", "passed"])
    with open(ICL, "rb") as file:
        done = subprocess.run([TALLY, "check", *LOSSY, "-", "GpuBusy >= 0"], stdin=file, capture_output=True, check=False)
    equal(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
