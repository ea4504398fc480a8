# SPDX-License-Identifier: MIT
"""tally find and tally list units."""
import csv
import io
import json
import os
import shlex

from e2e import OWN_METRICS, SOURCE, contains, equal, json_lines, main, succeed, tally


def rows_of(*arguments):
    return json_lines(succeed("find", "-f", "jsonl", *arguments))


def test_each_kind_is_found():
    for words, kind, name, gpu, more in [
            (["RenderBasic"], "set", "RenderBasic", "hsw", "tally list counters RenderBasic --platform "),
            (["gpubusy"], "counter", "GpuBusy", "skl", "tally explain RenderBasic.GpuBusy --platform "),
            (["oacontrol"], "register", "OACONTROL", "hsw", "tally explain snb:OACONTROL"),
            (["OACONTROL.ENABLE"], "field", "OACONTROL.ENABLE", "hsw", "tally explain "),
            (["pgraph.idle"], "signal", "PGRAPH.IDLE", "g92", "tally explain "),
            (["CTR_PRE"], "register", "CTR_PRE", "g92", "tally list registers CTR_PRE --chipset "),
            (["ps.threads"], "unit", "ps.threads", None, "tally list units")]:
        rows = [row for row in rows_of(*words) if row["kind"] == kind and row["name"] == name]
        assert rows, words
        if gpu:
            assert any(gpu in row["gpus"] for row in rows), rows
        assert any(row["more"].startswith(more) for row in rows), rows


def test_every_word_must_match():
    both = rows_of("sampler", "busy")
    assert both
    for row in both:
        text = (row["name"] + " " + row["description"]).lower()
        assert row["kind"] == "counter" or ("sampler" in text and "busy" in text), row
    assert len(both) < len(rows_of("busy"))


def test_what_more_says_runs():
    """The command of each kind's first rows succeeds."""
    seen = {}
    for word in ["busy", "idle", "OACONTROL", "threads"]:
        for row in rows_of(word):
            if seen.setdefault(row["kind"], 0) < 8:
                seen[row["kind"]] += 1
                command = shlex.split(row["more"])
                equal(command[0], "tally")
                contains(succeed(*command[1:]), row["name"].split(".")[0] if row["kind"] == "field" else row["name"],
                         row["more"])
    equal(sorted(seen), ["counter", "field", "register", "signal", "unit"] if "set" not in seen else
          ["counter", "field", "register", "set", "signal", "unit"])


def test_one_gpu():
    for option, gpu in [("--platform", "hsw"), ("--chipset", "g92")]:
        for row in rows_of("busy", option, gpu):
            assert row["gpus"] in ([gpu], []), row


def test_formats_agree():
    rows = list(csv.DictReader(io.StringIO(succeed("find", "-f", "csv", "busy"), newline="")))
    equal([(row["kind"], row["name"], json.loads(row["gpus"])) for row in rows],
          [(row["kind"], row["name"], row["gpus"]) for row in rows_of("busy")])
    table = succeed("find", "busy")
    for heading in ["Counters  (tally explain ", "Registers  (tally explain "]:
        contains(table, heading)
    equal(len([line for line in table.splitlines() if line.startswith("  ")]), len(rows))


def test_sets_of_a_directory(directory):
    with open(os.path.join(OWN_METRICS, "oa-hsw.xml"), encoding="utf-8") as file:
        text = file.read().replace("GpuBusy", "MyOwnBusy")
    with open(os.path.join(directory, "oa-mine.xml"), "w", encoding="utf-8") as file:
        file.write(text)
    assert [row for row in rows_of("MyOwnBusy", "-M", directory) if row["kind"] == "counter"]


def test_nothing():
    done = tally("find", "gpubsy")
    equal((done.returncode, done.stdout), (1, ""))
    contains(done.stderr, 'matches "gpubsy", expected GpuBusy')
    equal(tally("find").returncode, 2)
    contains(tally("find", "x", "--platform", "hws").stderr, "expected hsw")


def test_units():
    """The list agrees with the table of docs/workloads.md in some rows, and with what lint notes."""
    rows = {row["name"]: row for row in json_lines(succeed("list", "units", "-f", "jsonl"))}
    equal(rows["gpu.busy"]["counted_by"],
          "snb A26; ivb vlv hsw A41; bdw chv skl icl lkf tgl rkl dg1 adl A0")
    equal(rows["pixels.blended"]["counted_by"], "hsw NOA 13; bdw chv skl icl lkf tgl rkl dg1 adl A27")
    equal(rows["clipper.active"], {"type": "unit", "name": "clipper.active", "kind": "flag", "counted_by": "snb A27"})
    with open(os.path.join(SOURCE, "docs", "workloads.md"), encoding="utf-8") as file:
        text = file.read()
    for name in rows:
        assert f"`{name}`" in text or name.split(".")[0] in ["noa", "vs", "hs", "ds", "gs", "ps", "cs"], name
    for platform in ["snb", "hsw", "icl"]:
        names = {row["name"] for row in json_lines(succeed("list", "units", "--platform", platform, "-f", "jsonl"))}
        for name, row in rows.items():
            equal(name in names, platform in row["counted_by"].split() or any(
                platform in part.split() for part in row["counted_by"].split("; ")), (platform, name))


if __name__ == "__main__":
    main()
