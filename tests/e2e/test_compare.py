# SPDX-License-Identifier: MIT
"""tally compare: changes that are known are found and named first, and none where there is none."""
import csv
import io
import json
import math
import os
import random
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import plain_statistics as plain
from e2e import SAMPLES, TALLY, contains, equal, main, succeed

PERCENT = int(os.environ.get("TALLY_TEST_PERCENT", "100"))
PAIRS = 200 if PERCENT >= 5000 else 10
PIECES, PIECE_US = 200, 1000


def workload(seed, texels=1.0, clock=950, spread=0.05, same=0.5):
    """Pieces of work whose size varies by `spread` and depends on the previous one, as of a real program: no two seeds
    give the same recording, and neighbouring samples are not independent."""
    numbers = random.Random(seed)
    level, text = 0.0, [f"name: varied\ndescription: pieces of work of seed {seed}\nseed: {seed}\nphases:\n"]
    for i in range(PIECES):
        level = same * level + numbers.gauss(0, 1)
        load = min(1.3, max(0.7, 1 + spread * level))
        vary = lambda value, by=0.03: value * load * numbers.uniform(1 - by, 1 + by)
        text.append(f"""  - duration: {PIECE_US} us
    clock: {clock} MHz
    context: 0x{0x1000 * (1 + i // 4 % 2):x}
    does:
      - {{unit: gpu.busy, share: {0.7 * load:.4f}}}
      - {{unit: vs.threads, rate: {int(vary(900))}/ms}}
      - {{unit: ps.active, share: {0.45 * load:.4f}}}
      - {{unit: ps.stalled, share: {vary(0.2, 0.1):.4f}}}
      - {{unit: ps.threads, rate: {int(vary(20000))}/ms}}
      - {{unit: pixels.written, rate: {int(vary(300000))}/ms}}
      - {{unit: sampler.texels, rate: {int(vary(1200000) * texels)}/ms}}
      - {{unit: sampler.misses, rate: {int(vary(30000, 0.1))}/ms}}
      - {{unit: gti.reads, bursts: {{frame: 2000, length: {int(500 * load)}}}}}
""")
    return "".join(text)


LOST = "faults:\n  - {report: 100, every: 1, times: 80, do: drop}\n"


def record(directory, name, seed, fault=None, device="sim:skl", period="1ms", time="200ms", **changes):
    """A recording of a workload of this seed; its path."""
    path = os.path.join(directory, name)
    with open(path + ".yaml", "w", encoding="utf-8") as file:
        file.write(workload(seed, **changes))
    more = []
    if fault:
        with open(path + ".faults.yaml", "w", encoding="utf-8") as file:
            file.write(fault)
        more = ["--fault", path + ".faults.yaml"]
    succeed("record", "-q", "-d", device, "--workload", path + ".yaml", "-p", period, "-t", time, "-o", path, *more)
    return path


def compare(*arguments):
    """The objects of a comparison in JSON Lines."""
    return [json.loads(line) for line in succeed("compare", "-q", "-f", "jsonl", *arguments).splitlines()]


def findings(objects):
    """What is reported as different, in its order."""
    return [found.get("name", found.get("counter")) for found in objects
            if found["type"] == "difference" or (found["type"] == "counter" and found["changed"])]


# The change of side B, and what has to be named first.
CHANGES = [("texels", {"texels": 1.1}, "SamplerTexels"), ("frequency", {"clock": 855}, "frequency"),
           ("losses", {"fault": LOST}, "losses")]


def test_known_changes(directory):
    """Of pairs of recordings, no two alike, at least 95 % of the known changes are named first, and at least 95 % of the
    pairs without one have no finding. `make test-long` has 200 pairs of each kind."""
    first, none, wrong = {name: 0 for name, _, _ in CHANGES}, 0, []
    for pair in range(PAIRS):
        a = record(directory, "a", 10000 + 5 * pair)
        found = findings(compare(a, record(directory, "b", 10001 + 5 * pair)))
        none += not found
        wrong += [(pair, "none", found)] if found else []
        for k, (name, change, expected) in enumerate(CHANGES):
            found = findings(compare(a, record(directory, "c", 10002 + 5 * pair + k, **change)))
            first[name] += found[:1] == [expected]
            wrong += [(pair, name, found)] if found[:1] != [expected] else []
    print(f"of {PAIRS} pairs each: {first} named first, {none} without a change and without a finding")
    for name, count in first.items():
        assert count >= 0.95 * PAIRS, f"{name}: first in {count} of {PAIRS}: {wrong}"
    assert none >= 0.95 * PAIRS, f"no finding in {none} of {PAIRS} pairs without a change: {wrong}"


def deltas_of(path):
    objects = [json.loads(line) for line in succeed("export", "-q", "-f", "jsonl", path).splitlines()]
    return [found for found in objects if found["type"] == "delta"], objects[0]["timestamp_hz"]


def close(got, expected, what):
    assert math.isclose(got, expected, rel_tol=2e-3, abs_tol=1e-300), f"{what}: {got}, expected {expected}"


def check_by_plain(objects, sides, what):
    """The counters that count events, computed once more from exported deltas."""
    interval = objects[0]["interval_ns"]
    changes = [found for found in objects if found["type"] == "counter" and found["group"] == "total"]
    tested = [c for c in changes if c["tested"]]
    checked = 0
    for change in changes:
        if not change["units"].endswith("/s") or change not in tested or change["counter"] == "GpuCoreClocks":
            continue
        name = change["counter"]
        a, b = [sum((plain.samples_of(deltas, interval, hz, name, run) for run, (deltas, hz) in enumerate(side)), [])
                for side in sides]
        expected = plain.compare(a, b)
        checked += 1
        equal((change["samples_a"], change["samples_b"]), expected["samples"], f"{what}: {name}")
        close(change["p"], expected["p"], f"{what}: p of {name}")
        close(change["delta"], expected["delta"], f"{what}: delta of {name}")
        close(change["a"], plain.mean(a), f"{what}: A of {name}")
        close(change["b"], plain.mean(b), f"{what}: B of {name}")
        close(change["change"], plain.mean(b) / plain.mean(a) - 1, f"{what}: change of {name}")
    for change, expected in zip(tested, plain.holm([c["p"] for c in tested])):
        close(change["p_corrected"], expected, f"{what}: corrected p of {change['counter']}")
    return checked


def test_plain_statistics(directory):
    """The numbers are those of the plain version in plain_statistics.py: with many samples and few, with strong
    correlation, with losses, and of several recordings."""
    paths = [record(directory, "p1", 1), record(directory, "p2", 2, texels=1.02), record(directory, "p3", 3, same=0.9),
             record(directory, "p4", 4, fault=LOST), record(directory, "p5", 5, time="30ms"),
             record(directory, "p6", 6, time="30ms", texels=1.1)]
    data = {path: deltas_of(path) for path in paths}
    checked = 0
    for a, b, options in [([0], [1], []), ([0], [2], []), ([2], [0], []), ([0], [3], []), ([4], [5], []),
                          ([0], [1], ["--interval", "20ms"]), ([0], [1], ["--interval", "40ms"]), ([0, 2], [1, 3], []),
                          ([4, 5, 0], [2], [])]:
        baseline = [word for i in a for word in ("--baseline", paths[i])]
        objects = compare(*options, *baseline, *[paths[i] for i in b])
        checked += check_by_plain(objects, [[data[paths[i]] for i in side] for side in (a, b)], f"{a} and {b} {options}")
    assert checked >= 9 * 4, checked


def run(*arguments):
    return subprocess.run([TALLY, "compare", "-q", *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env=dict(os.environ, NO_COLOR="1"))


def test_thresholds(directory):
    a, b = record(directory, "a", 1), record(directory, "b", 2, texels=1.2)
    for options, status in [([], 0), (["5%"], 1), (["30%"], 0), (["+5%"], 1), (["-5%"], 0), (["SamplerTexels=30%"], 0),
                            (["5%", "SamplerTexels=30%"], 0), (["SamplerTexels=5%"], 1), (["sampler*=5%"], 1),
                            (["EuActive=0%"], 0)]:
        words = [word for option in options for word in ("--threshold", option)]
        for form in ("table", "csv", "jsonl"):
            done = run("-f", form, *words, a, b)
            equal((done.returncode, done.stderr), (status, ""), f"{options} {form}")
    done = run("--threshold", "5%", a, b)
    contains(done.stdout, "1 change is over a threshold.")
    contains(done.stdout, "! SamplerTexels ")
    done = run("--fail-on-loss", a, record(directory, "lost", 3, fault=LOST))
    equal(done.returncode, 5, done.stderr)


def test_forms(directory):
    """Tables have 80 columns; CSV has the same numbers as JSON Lines; the same input gives the same bytes."""
    a, b = record(directory, "a", 1), record(directory, "b", 2, texels=1.2)
    for arguments in [[a, b], ["--all", a, b], ["--by", "context", "--all", a, b],
                      [f"{SAMPLES}/icl.i915-perf", f"{SAMPLES}/chv.i915-perf"]]:
        table = run(*arguments).stdout
        wide = [line for line in table.splitlines() if len(line) > 80 and directory not in line and SAMPLES not in line]
        equal(wide, [], "lines over 80 columns")
        equal(table, run(*arguments).stdout, "the second run")
        rows = list(csv.DictReader(io.StringIO(run("-f", "csv", *arguments).stdout, newline="")))
        objects = [o for o in compare(*arguments) if o["type"] in ("counter", "difference")]
        named = [(o["name"] if o["type"] == "difference" else o["counter"]) for o in objects]
        equal([row["name"] for row in rows if row["kind"] == "difference"] +
              [row["name"] for row in rows if row["kind"] == "counter"],
              [name for name, o in zip(named, objects) if o["type"] == "difference"] +
              [name for name, o in zip(named, objects) if o["type"] == "counter"])
        for row, found in zip([row for row in rows if row["kind"] == "counter"],
                              [o for o in objects if o["type"] == "counter"]):
            for key in ("a", "b", "change", "p", "p_corrected", "delta", "spread_a", "median_b"):
                equal(float(row[key]) if row[key] else None, found[key], f"{row['name']} {key}")


def test_same(directory):
    """A recording does not differ from itself, but for losses, which are always named."""
    for name in ("hsw", "chv", "icl"):
        found = findings(compare(f"{SAMPLES}/{name}.i915-perf", f"{SAMPLES}/{name}.i915-perf"))
        equal(found, ["losses"], name)
    a = record(directory, "a", 1)
    equal(findings(compare("--by", "context", a, a)), [])


def test_differences(directory):
    a = record(directory, "a", 1)
    for options, expected in [({"period": "500us"}, ["period"]), ({"device": "sim:hsw"}, ["device", "topology", "set"]),
                              ({"device": "sim:skl/gt3"}, ["device", "topology"]), ({"time": "100ms"}, ["duration"]),
                              ({"fault": LOST, "time": "100ms"}, ["losses", "duration"])]:
        found = findings(compare(a, record(directory, "b", 2, **options)))
        equal(found[:len(expected)], expected, options)
    found = findings(compare(record(directory, "a", 1, time="6ms"), record(directory, "b", 2, time="6ms", texels=2)))
    equal(found, ["samples"], "recordings that are too short")


def test_groups(directory):
    """Texels change in one context only, and one phase; frames and intervals are compared with their own kind."""
    half = lambda seed, texels: "".join(
        f"  - {{duration: 2 ms, context: {context}, does: [{{unit: gpu.busy, share: 0.9}}, "
        f"{{unit: sampler.texels, rate: {rate}/ms}}, {{unit: gti.reads, random: 0.5}}]}}\n"
        for context, rate in [("0x1000", int(900000 * texels)), ("0x2000", 400000)])
    paths = []
    for name, texels in [("a", 1.0), ("b", 1.1)]:
        paths.append(os.path.join(directory, name))
        with open(paths[-1] + ".yaml", "w", encoding="utf-8") as file:
            file.write(f"name: two\ndescription: two contexts\nseed: 3\nphases:\n{half(3, texels)}")
        succeed("record", "-q", "-d", "sim:skl", "--workload", paths[-1] + ".yaml", "-p", "80us", "-t", "200ms", "-o",
                paths[-1])
    for by, groups in [("context", {"0x1000"}), ("phase", {"1"})]:
        objects = compare("--by", by, *paths)
        changed = {o["group"] for o in objects if o["type"] == "counter" and o["changed"] and o["by"] != "total"}
        equal(changed, groups, by)
        change = [o["change"] for o in objects if o["type"] == "counter" and o["group"] in groups and o["changed"]]
        assert len(change) == 1 and abs(change[0] - 0.1) < 0.001, change
    total = compare(*paths)
    assert total[0]["frames"], "samples are not whole frames"
    equal(findings(total), ["SamplerTexels"])
    intervals = [o["group"] for o in compare("--by", "interval=50ms", *paths) if o["type"] == "group"]
    equal(set(intervals) - {"4"}, {"0", "1", "2", "3", "total"})
    frames = [o for o in compare("--by", "frame", "--to", "20ms", *paths) if o["type"] == "group"]
    assert len(frames) >= 5, frames


def test_directories(directory):
    """A directory stands for its recordings; those of one side are runs of the same thing."""
    for side, texels in [("old", 1.0), ("new", 1.1)]:
        os.mkdir(os.path.join(directory, side))
        for i in range(3):
            path = record(directory, f"{side}{i}", 20 + i + 10 * (side == "new"), time="100ms", texels=texels)
            shutil.move(path, os.path.join(directory, side, f"{i}.perf"))
    with open(os.path.join(directory, "old", ".hidden"), "w", encoding="utf-8") as file:
        file.write("no recording")
    old, new = os.path.join(directory, "old"), os.path.join(directory, "new")
    by_directory = compare(old, new)
    equal([(o["side"], os.path.basename(o["file"])) for o in by_directory if o["type"] == "recording"],
          [(side, f"{i}.perf") for side in "ab" for i in range(3)])
    equal(findings(by_directory)[:1], ["SamplerTexels"])
    equal(compare("--baseline", old, *[f"{new}/{i}.perf" for i in range(3)]), by_directory)


def page(*arguments):
    """The page of a comparison, which is well-formed XML after its first line."""
    text = succeed("compare", "-q", "-f", "html", *arguments)
    equal(text.splitlines()[0], "<!DOCTYPE html>")
    return ElementTree.fromstring(text.split("\n", 1)[1])


def texts(row):
    return ["".join(cell.itertext()) for cell in row]


def points(path):
    """The coordinates of a line of a timeline: [x, y, end of x]."""
    return [[float(n) for n in re.split("[ H]", part)] for part in re.split("[ML]", path.get("d"))[1:]]


def test_page(directory):
    """The counters that have changed are in the order of the table; below are timelines of both sides with the same
    axes, with gaps where reports were lost."""
    a = record(directory, "a", 1)
    b = record(directory, "b", 2, texels=2, fault=LOST, time="180ms")
    html = page("--by", "context", a, b)
    body = html.find("body")
    objects = compare("--by", "context", a, b)
    recordings = [texts(row) for row in html.find(".//table[@id='recordings']")][1:]
    equal([row[:4] + row[5:] for row in recordings],
          [[o["side"].upper(), o["file"], "modelled Skylake GT2", "RenderBasic", str(o["reports"])]
           for o in objects if o["type"] == "recording"])
    differences = [texts(row) for row in html.find(".//table[@id='differences']")][1:]
    equal(differences, [[o["name"], o["a"], o["b"]] for o in objects if o["type"] == "difference"])
    listed = [texts(row)[0] for table in body.findall("table") for row in table if "changed" in row.get("class", "")]
    equal(listed, [o["counter"] for o in objects if o["type"] == "counter" and o["changed"]])
    rest = [texts(row)[0] for table in body.findall("details/table") for row in table[1:]]
    equal(sorted(listed + rest), sorted(o["counter"] for o in objects if o["type"] == "counter"))
    pictures = html.findall(".//svg")
    equal([picture.find("text").text for picture in pictures], listed[:len(pictures)])
    means = {o["counter"]: o for o in objects if o["type"] == "counter"}
    texels = pictures[0]
    equal(texels.find("text").text, "SamplerTexels")
    equal(len(texels.findall("rect[@class='lost']")) > 0, True)
    marks = [text.text for text in texels.findall("text") if text.text and text.text[0].isdigit()]
    equal(marks[:2], marks[2:4])
    heights = []
    for side in "ab":
        line = points(texels.find(f"path[@class='line {side}']"))
        top, height = map(float, re.match(r"M76 (\d+)h\d+v(\d+)", texels.findall("path[@class='grid']")[side == "b"].get("d")).groups())
        assert all(top <= y <= top + height for _, y, _ in line)
        wide = sum(end - x for x, _, end in line)
        heights.append(sum((top + height - y) * (end - x) for x, y, end in line) / wide)
        gaps = sum(after[0] - before[2] > 5 for before, after in zip(line, line[1:]))
        equal(gaps > 0, side == "b")
    ratio = means["SamplerTexels"]["b"] / means["SamplerTexels"]["a"]
    assert abs(heights[1] / heights[0] / ratio - 1) < 0.02, (heights, ratio)
    over = page("--threshold", "SamplerTexels=50%", a, a)
    contains("".join(over.itertext()), "0 changes are over a threshold.")


def test_page_of_nothing_that_changed(directory):
    a = record(directory, "a", 1, time="20ms")
    html = page(a, a)
    equal(html.find(".//table[@id='differences']"), None)
    equal(len([row for row in html.iter("tr") if "changed" in row.get("class", "")]), 0)
    html = page(a, record(directory, "b", 2, time="20ms"))
    assert 0 < len(html.findall(".//svg")) <= 4


def test_page_of_hostile_names(directory):
    """Names of files are texts: nothing of them is a tag or a control character."""
    a = record(directory, "a", 1, time="20ms")
    b = os.path.join(directory, "<script>alert(1)</script>\x1b[2J&\"")
    os.makedirs(os.path.dirname(b))
    shutil.copy(a, b)
    html = page(a, b)
    equal(html.findall(".//script"), [])
    text = "".join(html.itertext())
    contains(text, "<script>alert(1)</script>")
    assert "\x1b" not in text


if __name__ == "__main__":
    main()
