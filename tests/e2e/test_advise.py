# SPDX-License-Identifier: MIT
"""What limits a GPU: the phases of the workload bottleneck on each platform, and rules of advice."""
import os

from e2e import SAMPLES, SOURCE, contains, equal, json_lines, main, succeed, tally

ICL = f"{SAMPLES}/icl.i915-perf"
UNKNOWN = "texture sampling, memory or barriers, which the counters cannot distinguish"
# By the project's own RenderBasic, which every installation has.
PLATFORMS = {
    "snb": UNKNOWN, "ivb": UNKNOWN, "vlv": UNKNOWN, "hsw": UNKNOWN, "bdw": None, "chv": None, "skl": None, "icl": None,
    "lkf": None, "tgl": None, "rkl": None, "dg1": None, "adl": None,
}
PUBLIC = os.path.join(SOURCE, "..", "shared", "data", "oa-metrics")


def advice(path, *arguments):
    return [line for line in json_lines(succeed("report", "--advise", "-f", "jsonl", *arguments, path))
            if line["type"] == "advice"]


def record(directory, platform, *arguments):
    path = os.path.join(directory, platform + ".i915-perf")
    succeed("record", "-q", "-d", "sim:" + platform, "--workload", "bottleneck", "-p", "80us", "-t", "12ms", "-o", path,
            *arguments)
    return path


def test_phases_of_the_bottleneck(directory):
    for platform, unknown in PLATFORMS.items():
        found = advice(record(directory, platform))
        equal([line["group"] for line in found], ["1", "2", "3", "change", "total"], platform)
        expected = ["vertex shading", unknown or "texture sampling", unknown or "memory"]
        equal([line["limit"] for line in found[:3]], expected, platform)
        equal(found[3]["rule"], None)
        if unknown:
            contains(found[1]["not_checked"], "sampler (no SamplerBottleneck); memory (no GtiReadThroughput)")


def test_public_metric_sets(directory):
    if not os.path.isdir(PUBLIC):
        print("skipped: the public metric sets are not here")
        return
    for platform in ["hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl", "rkl", "dg1", "adl"]:
        found = advice(record(directory, platform, "-M", PUBLIC), "-M", PUBLIC)
        equal([line["limit"] for line in found[:3]], ["vertex shading", "texture sampling", "memory reads"], platform)


def test_phases_of_nvidia(directory):
    """Of each unit whose signals are published; of NV40, those that the model has decided."""
    rows = {
        "g80": ["vertex shading", "texture sampling", "memory reads"],
        "g92": ["vertex shading", "texture sampling", None],
        "gt218": ["vertex shading", "texture sampling", "memory reads"],
        "mcp79": ["vertex shading", None, "memory reads"],
        "gf100": ["the shaders", "texture sampling", "memory reads"],
        "gf108": [None, None, "memory reads"],
        "nv40": ["vertex shading", "texture sampling", None],
    }
    for chipset, expected in rows.items():
        found = advice(record(directory, chipset))
        equal([line["group"] for line in found], ["1", "2", "3", "change", "total"], chipset)
        equal([line.get("limit") for line in found[:3]], expected, chipset)


def test_text(directory):
    path = record(directory, "skl")
    text = succeed("report", "--advise", path)
    for line in text.splitlines():
        assert len(line) <= 80, line
    for part in ["What limits modelled Skylake GT2, by the counters of RenderBasic\n", "phase 2 ",
                 "limited by texture sampling", "numbers: EuStall 78.0 % >= 50 %, SamplerTexels / GpuCoreClocks 1.65",
                 "source: Document 002", "not judged: each of these deltas has parts of two phases",
                 "% not judged, between phases"]:
        contains(text, part)
    shares = [float(line.split()[0]) for line in text.split("total")[1].splitlines()[1:] if line.strip()]
    assert abs(sum(shares) - 100) < 0.3, shares


def test_other_groups():
    equal([line["by"] for line in advice(ICL)], ["context"] * 3 + ["total"])
    equal(advice(ICL)[2]["limit"], "what submits the work")
    assert all(line["by"] == "interval" for line in advice(ICL, "--by", "interval=5ms")[:-1])
    equal(len(advice(ICL, "--by", "none")), 1)


def test_rules_of_an_own_directory(directory):
    path = os.path.join(directory, "mine.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("platforms: icl\nrules:\n  - {name: all, limit: me, says: yes it does, source: here, when: GpuBusy >= 0}\n")
    environment = {"TALLY_ADVICE_PATH": directory}
    equal(tally("lint", path).returncode, 0)
    contains(tally("report", "--advise", ICL, env=environment).stdout, "limited by me")
    with open(path, "a", encoding="utf-8") as file:
        file.write("  - {name: bad, limit: me, says: no, source: here, when: GpuBusy > 0}\n")
    done = tally("lint", path)
    equal(done.returncode, 1)
    contains(done.stdout, "mine.yaml:4: error: ")
    contains(done.stdout, "expected >= or <")
    equal(tally("report", "--advise", ICL, env=environment).returncode, 3)


def test_errors(directory):
    path = os.path.join(directory, "nv10.i915-perf")
    succeed("record", "-q", "-d", "sim:nv10", "-t", "10ms", "-o", path)
    done = tally("report", "--advise", path)
    equal(done.returncode, 2)
    contains(done.stderr, "no rules of advice for nv10")
    for arguments in [["-f", "csv"], ["--per-report"], ["--top", "3"], ["-c", "GpuBusy"]]:
        equal(tally("report", "--advise", *arguments, ICL).returncode, 2, arguments)
    for name in ["curie", "fermi", "gen6", "gen8", "tesla"]:
        contains(succeed("lint", os.path.join(SOURCE, "data", "advice", name + ".yaml")), "rules of advice, 0 errors")


def test_what_is_not_said(directory):
    """Barriers are not memory, 49.98 is not 50.0, and what has no vertex thread is not limited by vertices."""
    workload = os.path.join(directory, "barriers.yaml")
    with open(workload, "w", encoding="utf-8") as file:
        file.write("name: barriers\ndescription: d\nphases:\n  - duration: 10 ms\n    context: 1\n    does:\n" + "".join(
            f"      - {{unit: {unit}}}\n" for unit in [
                "gpu.busy, share: 1", "cs.active, share: 0.1", "cs.stalled, share: 0.85", "cs.threads, rate: 900/ms",
                "eu.occupancy, constant: 7", "eu.send, share: 1", "eu.barriers, rate: 400000/ms"]))
    for platform in ["skl", "tgl"]:
        path = os.path.join(directory, platform + "-barriers.i915-perf")
        succeed("record", "-q", "-d", "sim:" + platform, "--workload", workload, "-t", "20ms", "-p", "80us", "-o", path)
        equal(advice(path)[0]["limit"], UNKNOWN, platform)
    with open(workload, "w", encoding="utf-8") as file:
        file.write("name: near\ndescription: d\nseed: 1\nphases:\n  - duration: 10 ms\n    context: 1\n    does:\n"
                   "      - {unit: gpu.busy, share: 0.4998}\n")
    path = os.path.join(directory, "near.i915-perf")
    succeed("record", "-q", "-d", "sim:hsw", "--workload", workload, "-t", "50ms", "-p", "80us", "-o", path)
    contains(advice(path)[0]["numbers"], "GpuBusy 49.9")  # not 50.0 % < 50 %
    found = {line["group"]: line for line in advice(f"{SAMPLES}/chv.i915-perf")}
    equal(found["0x3000"]["limit"], "the EUs")  # CsThreads 38 thousand, VsThreads 0


if __name__ == "__main__":
    main()
