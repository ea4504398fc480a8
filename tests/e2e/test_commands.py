# SPDX-License-Identifier: MIT
"""Each command as a user runs it; the README's examples; samples; manual pages; completion."""
import csv
import io
import json
import os
import re
import struct
import subprocess
from shutil import which

from e2e import (BUILD, METRICS, OWN_METRICS, SAMPLES, SOURCE, TALLY, Skip, check_memory, contains, equal, has_html,
                 json_lines, main, need, need_preload, need_program, succeed, tally)

COMMANDS = ["record", "report", "export", "info", "decode", "explain", "list", "lint", "mmio", "doctor",
            "completion", "version", "help"]


def test_the_tour_of_the_readme(directory):
    """Every command line of the README runs and succeeds, and prints what the README shows."""
    need_preload()
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```(\w*)\n(.*?)```", file.read(), re.S)
    os.symlink(os.path.join(SOURCE, "data"), os.path.join(directory, "data"))
    os.mkdir(os.path.join(directory, "build"))
    environment = dict(os.environ, PATH=os.path.dirname(TALLY) + ":" + os.environ["PATH"])
    commands, excerpts, printed = 0, 0, None
    without_html = not has_html()
    for language, text in blocks:
        if language == "" and printed is not None:
            contains(printed, text.rstrip(), "an excerpt of the README")
            excerpts += 1
        for line in text.splitlines() if language == "sh" else []:
            if not line.startswith("tally ") or (" html " in line and without_html):
                continue
            done = subprocess.run(["sh", "-c", line], cwd=directory, env=environment,
                                  capture_output=True, text=True)
            equal(done.returncode, 0, f"{line}: {done.stderr}")
            printed = done.stdout
            commands += 1
            if " -o " not in line:
                assert printed, line
    assert commands > 10 and excerpts >= 2, (commands, excerpts)


def test_samples_match_the_generator(directory):
    generator = os.path.join(BUILD, "data", "make_samples")
    if not os.path.exists(generator):
        raise Skip("no generator in this build")
    subprocess.run([generator, directory], check=True)
    for name in ["hsw", "chv", "icl"]:
        with open(f"{directory}/{name}.i915-perf", "rb") as made, \
                open(f"{SAMPLES}/{name}.i915-perf", "rb") as kept:
            equal(made.read() == kept.read(), True, name)


def test_samples_are_accepted_by_the_peer():
    need_program("i915-perf-reader")
    for name in ["hsw", "chv", "icl"]:
        done = subprocess.run(["i915-perf-reader", "-c", "all", f"{SAMPLES}/{name}.i915-perf"],
                              capture_output=True, text=True)
        equal(done.returncode, 0, name)
        contains(done.stdout, "EuActive", name)


def test_json_lines():
    for name in ["hsw", "chv", "icl"]:
        path = f"{SAMPLES}/{name}.i915-perf"
        exported = succeed("export", "-f", "jsonl", path)
        equal(exported, succeed("report", "--format", "jsonl", "--per-report", path))
        lines = json_lines(exported)
        kinds = [line["type"] for line in lines]
        deltas = kinds.count("delta")
        equal(kinds, ["header"] + ["delta"] * deltas + ["loss"] * kinds.count("loss") + ["end"])
        for key in ["index", "start_ns", "end_ns", "gpu_start", "gpu_end", "context", "reason",
                    "state", "counters"]:
            assert all(key in line for line in lines if line["type"] == "delta"), key
        equal(lines[-1]["reports"], deltas + 1)
        equal(lines[-1]["lost"], 2)
        equal([line["state"] for line in lines if line["type"] == "delta"].count("lost"), 2)


def test_csv():
    path = f"{SAMPLES}/icl.i915-perf"
    rows = list(csv.DictReader(io.StringIO(succeed("export", "-f", "csv", path), newline="")))
    objects = [line for line in json_lines(succeed("export", "-f", "jsonl", path), exact=True)
               if line["type"] == "delta"]
    equal(len(rows), len(objects))
    for row, line in zip(rows, objects):
        equal(row["index"], line["index"])
        equal(row["state"], line["state"])
        for symbol, value in line["counters"].items():
            equal(row[symbol], value or "", symbol)


def summary_of(path, *arguments):
    lines = json_lines(succeed("report", "-f", "jsonl", *arguments, path))
    return [line for line in lines if line["type"] == "group"]


def test_summaries_agree_with_single_reports():
    """Groups equal the sums of the single deltas."""
    path = f"{SAMPLES}/chv.i915-perf"
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", path))
              if line["type"] == "delta"]
    period = min(line["gpu_end"] - line["gpu_start"] for line in deltas
                 if line["reason"] == line["end_reason"] == "timer")
    for by, key in [("context", "context"), ("reason", "reason")]:
        groups = summary_of(path, "--by", by)
        equal([group["by"] for group in groups], [by] * (len(groups) - 1) + ["total"])
        for group in groups:
            of_group = [line for line in deltas
                        if group["by"] == "total" or line[key] == group["group"]]
            good = [line for line in of_group if line["state"] == "ok"]
            equal(group["deltas"], len(good), group["group"])
            equal(group["lost"], len(of_group) - len(good), group["group"])
            for symbol, statistic in group["counters"].items():
                if statistic is None:
                    continue
                values = [(line["counters"][symbol], line["gpu_end"] - line["gpu_start"]) for line in good]
                values = [(value, length) for value, length in values if value is not None]
                # Deltas shorter than half a period count for neither minimum nor maximum.
                long = [value for value, length in values if 2 * length >= period]
                equal(statistic["minimum"], min(long, default=None), symbol)
                equal(statistic["maximum"], max(long, default=None), symbol)
                # Percentiles, by sorting: of this part of the time, values were at most that.
                for percent in [50, 95, 99]:
                    got, limit, ticks = statistic[f"p{percent}"], None, 0
                    for value, length in sorted(values):
                        ticks += length
                        if ticks * 100 >= percent * sum(length for _, length in values):
                            limit = value
                            break
                    if limit is None or not ticks:
                        equal(got, None, f"p{percent} of {symbol}")
                    else:
                        assert abs(got - limit) <= limit / 64, (symbol, percent, got, limit)
                # The mean is weighted by time.
                ticks = sum(length for _, length in values)
                if not ticks:
                    equal(statistic["mean"], None, symbol)
                    continue
                mean = sum(value * length for value, length in values) / ticks
                assert abs(statistic["mean"] - mean) <= 1e-6 + 1e-12 * abs(mean), symbol


def test_more_contexts_than_groups(directory):
    """Every report has its own context: memory is bounded, and no delta is omitted."""
    path = os.path.join(directory, "contexts.i915-perf")
    with open(f"{SAMPLES}/chv.i915-perf", "rb") as file:
        data = file.read()
    first = data.index(struct.pack("<IHH", 1, 0, 264))
    head, template = data[:first], bytearray(data[first:first + 264])
    count = 60000
    with open(path, "wb") as file:
        file.write(head)
        for i in range(count):
            struct.pack_into("<III", template, 8, 1 << 25 | 1 << 19, 0x1000 + i * 64, 0x100000 - i)
            file.write(template)
    process = subprocess.Popen([TALLY, "report", "-f", "jsonl", path], stdout=subprocess.PIPE,
                               text=True)
    groups = [line for line in json_lines(process.stdout.read()) if line["type"] == "group"]
    _, status, usage = os.wait4(process.pid, 0)
    equal(status, 0)
    check_memory(usage.ru_maxrss, 64 * 1024)
    total = groups.pop()
    equal(len(groups), 1025)
    equal(groups[-1]["group"], "others")
    equal(total["deltas"], count - 1)
    equal(sum(group["deltas"] for group in groups), count - 1)
    # The lowest ids have their own groups, whichever came first and whichever thread counted them.
    lowest = sorted(0x100000 - i for i in range(count - 1))[:1024]
    equal([group["group"] for group in groups[:-1]], [f"{context:#x}" for context in lowest])


def test_overall_values_of_a_long_recording(directory):
    """Sums times 10^9 exceed 2^64 here: the overall frequency is between the single ones."""
    maker = os.path.join(BUILD, "data", "make_recording")
    if not os.path.exists(maker):
        raise Skip("no make_recording in this build")
    path = os.path.join(directory, "long.i915-perf")
    with open(path, "wb") as file:
        subprocess.run([maker, "300000"], stdout=file, check=True)
    for group in summary_of(path, "-c", "AvgGpuCoreFrequency", "-c", "GpuTime"):
        frequency = group["counters"]["AvgGpuCoreFrequency"]
        assert frequency["minimum"] <= frequency["overall"] <= frequency["maximum"], frequency
        equal(group["counters"]["GpuTime"]["overall"], group["duration_ns"])


def test_counters_that_reports_lack_are_named(directory):
    """An HSW buffer of layout 000 has A0 to A12 only: the header lists the missing counters."""
    path = os.path.join(directory, "a13.raw")
    with open(path, "wb") as file:
        for i in range(3):
            file.write(struct.pack("<16I", 1 << 10, 1000 * (i + 1), 0, *range(i, i + 13)))
    arguments = ["report", "--layout", "hsw/a13", path]
    header = json_lines(succeed(*arguments, "-f", "jsonl"))[0]
    states = {symbol: about["state"] for symbol, about in header["counters"].items()}
    equal(states["VsThreads"], "ok")
    equal(states["PsThreads"], "unsupported")
    contains(succeed(*arguments), "are unsupported on this GPU and layout")


def test_intervals_add_up():
    path = f"{SAMPLES}/hsw.i915-perf"
    groups = summary_of(path, "--by", "interval=5ms", "-c", "PsThreads", "-c", "GpuTime")
    assert len(groups) > 4
    total = groups.pop()
    for counter in ["PsThreads"]:
        equal(sum(group["counters"][counter]["overall"] for group in groups),
              total["counters"][counter]["overall"])
    equal(sum(group["deltas"] for group in groups), total["deltas"])
    equal(sum(group["lost"] for group in groups), total["lost"])


def test_every_vector_path_gives_the_same_bytes():
    for name in ["hsw", "chv", "icl"]:
        path = f"{SAMPLES}/{name}.i915-perf"
        for arguments in [["export", "-f", "jsonl"], ["report", "-f", "jsonl"]]:
            outputs = {succeed(*arguments, path, env={"TALLY_SIMD": simd})
                       for simd in ["portable", "avx2", "avx512"]}
            equal(len(outputs), 1, name)


def test_file_map_and_pipe_give_the_same_values():
    path = f"{SAMPLES}/icl.i915-perf"
    with open(path, "rb") as file:
        data = file.read()
    outputs = {tally("report", "-f", "csv", *arguments, stdin=data, text=False).stdout
               for arguments in [[path], ["--map", path], ["-"]]}
    equal(len(outputs), 1)
    assert len(outputs.pop()) > 1000


def test_streams_and_raw_buffers(directory):
    """The same reports without their container give the same counters."""
    path = f"{SAMPLES}/chv.i915-perf"
    stream, raw = b"", b""
    with open(path, "rb") as file:
        data = file.read()
    offset = 0
    while offset < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, offset)
        if kind in (1, 2, 3):
            stream += data[offset:offset + size]
        if kind == 1:
            raw += data[offset + 8:offset + size]
        offset += size
    for name, content in [("chv.stream", stream), ("chv.raw", raw + bytes(1024))]:
        with open(os.path.join(directory, name), "wb") as file:
            file.write(content)
    lines = json_lines(succeed("decode", "-f", "jsonl", path))
    want = [line["counters"] for line in lines if line["type"] == "report"]
    lost = [line for line in lines if line["type"] == "loss"]
    for arguments in [["--platform", "chv", f"{directory}/chv.stream"],
                      ["--layout", "chv/a32u40_a4u32_b8_c8", f"{directory}/chv.raw"],
                      ["--layout", "chv/101", f"{directory}/chv.raw"]]:
        lines = json_lines(succeed("decode", "-f", "jsonl", *arguments))
        equal([line["counters"] for line in lines if line["type"] == "report"], want)
    losses = [line for line in lines if line["type"] == "loss"]
    # A raw buffer has neither the loss records nor the lost reports.
    equal([(loss["reason"], loss["records"]) for loss in losses],
          len(lost) * [("missing", 1)] + [("not-landed", 4)])
    done = tally("decode", f"{directory}/chv.stream")
    equal(done.returncode, 2)
    contains(done.stderr, "expected the name of a platform or layout")
    plain = json_lines(succeed("export", "-f", "jsonl", path))
    bare = json_lines(succeed("export", "-f", "jsonl", "--platform", "chv",
                              f"{directory}/chv.stream"))
    equal([line["counters"]["EuActive"] for line in bare if line["type"] == "delta"],
          [line["counters"]["EuActive"] for line in plain if line["type"] == "delta"])


def test_chipsets():
    chipsets = json_lines(succeed("list", "chipsets", "-f", "jsonl"))
    equal(len(chipsets), 56)
    equal([row["order"] for row in chipsets], list(range(1, 57)))
    by_name = {row["name"]: row for row in chipsets}
    g92 = by_name["g92"]
    equal((g92["title"], g92["id"], g92["revision"], g92["presence"]),
          ("G92", "0x92", "G92:GT215", "yes"))
    equal(g92["domains"][3], {"domain": "3", "clock": "Shader clock", "trailer_base": 0x20})
    equal(by_name["nv40"]["domains"][0]["trailer_base"], None)
    equal([row["domain"] for row in by_name["gf100"]["domains"]], ["GPC0", "PART0", "HUB6"])
    equal((by_name["nv1a"]["presence"], by_name["nv1a"]["domains"]), ("no", []))
    equal(by_name["nv30"]["presence"], "unverified")
    table = succeed("list", "chipsets")
    for line in ["mcp77  aa   G92:GT215   yes        7       80 e0 e0 20 00 a0 a0",
                 "nv2a   2a   NV20:NV30   unverified 2 ?     ? ?", "GPC0 a0, PART0 20, HUB4 40"]:
        contains(table, line)


def test_signals_of_every_chipset():
    for chipset in json_lines(succeed("list", "chipsets", "-f", "jsonl")):
        done = tally("list", "signals", "--chipset", chipset["name"], "-f", "jsonl")
        rows = json_lines(done.stdout)
        if chipset["presence"] == "no":
            equal((done.returncode, done.stderr, rows),
                  (1, f"tally: {chipset['title']} has no PCOUNTER\n", []))
            continue
        equal(done.returncode, 0, chipset["name"])
        equal(len([row for row in rows if row["index"] is not None]), chipset["signals"])
        equal(len([row for row in rows if not row["trailer"]]), chipset["unit_signals"])
        equal("public" in done.stderr, chipset["unit_signals"] == 0, chipset["name"])
        domains = {row["domain"] for row in rows}
        assert {row["domain"] for row in chipset["domains"]} <= domains, chipset["name"]
        for row in rows:
            equal((row["type"], row["chipset"]), ("signal", chipset["name"]))
            if row["element"] is not None:
                equal(row["group"][0] + row["element"], row["index"], row)


def test_signals():
    rows = json_lines(succeed("list", "signals", "--chipset", "G80", "--domain", "1", "-f",
                              "jsonl"))
    equal({row["domain"] for row in rows}, {"1"})
    found = [row for row in rows if row["index"] == 0x27]
    equal(found, [{"type": "signal", "chipset": "g80", "domain": "1", "index": 0x27,
                   "name": "VFETCH.MUX", "element": 1, "group": [0x26, 0x3f],
                   "alias": "pc01_vfetch_01", "note": "", "trailer": False}])
    table = succeed("list", "signals", "--chipset", "g80")
    for line in ["1      27      VFETCH.MUX[1]              pc01_vfetch_01\n",
                 "3      2e      ZERO                                          always 0\n",
                 "0      1c      ???                                           three an MMIO read"]:
        contains(table, line)
    contains(succeed("list", "signals", "--chipset", "gf100", "--domain", "hub6"),
             "HUB6   06      DISPATCH.MUX[5]")
    nv40 = succeed("list", "signals", "--chipset", "nv40", "--domain", "4")
    contains(nv40, "4      base+0e ZERO")
    equal(nv40.splitlines()[-1], "No unit's signals of NV40 are public, nor where the trailer of "
                                 "a domain begins.")
    contains(succeed("list", "signals", "--chipset", "gf104"),
             "PART0  21      part00_pmfb_00")


def test_sets_of_chipsets():
    table = succeed("list", "sets", "--chipset", "g92")
    contains(table, "g92      Texture                             6 counters    Texture units\n")
    assert all(line.startswith("g92 ") for line in table.splitlines()), table
    equal(succeed("list", "sets", "--chipset", "G92"), table)
    rows = json_lines(succeed("list", "counters", "Setup", "--chipset", "gt215", "-f", "jsonl"))
    equal(rows[0]["chipset"], "gt215")
    equal([row["symbol"] for row in rows], ["SetupPrimitives", "SetupPoints", "SetupLines",
                                            "SetupTriangles", "SetupPrimitivesPerClock"])
    equal(rows[4]["equation"], "SETUP_PRIMITIVES / clocks(SETUP_PRIMITIVES)")
    done = tally("list", "sets", "--chipset", "nv25")
    equal(done.returncode, 1)
    contains(done.stderr, "no unit's signals of NV25 are public, so it has no metric sets")
    done = tally("list", "sets", "--chipset", "nv40")
    equal((done.returncode, len(done.stdout.splitlines())), (0, 3))
    contains(done.stderr, "no unit's signals of NV40 are public; these sets are for modelled GPUs only")
    for arguments, message in [
            (["sets", "--chipset", "g29"], 'unknown chipset "g29"'),
            (["sets", "--chipset", "g92", "--platform", "skl"], "mutually exclusive"),
            (["sets", "--chipset", "g92", "--domain", "1"], "--domain is only for"),
            (["counters", "Textures", "--chipset", "g92"], "expected Texture"),
            (["layouts", "--chipset", "g92"], "--chipset is only for")]:
        done = tally("list", *arguments)
        equal(done.returncode, 2)
        contains(done.stderr, message)


def test_explain_of_chipsets():
    text = succeed("explain", "Texture.TextureCacheHitRate", "--chipset", "g92")
    for part in ["Texture.TextureCacheHitRate  Texture cache hit rate, percent, float\n",
                 "  100 * TEXTURE_HITS / (TEXTURE_HITS + TEXTURE_MISSES)\n",
                 "└─ UADD\n   ├─ TEXTURE_HITS\n   └─ TEXTURE_MISSES\n",
                 "\nTEXTURE_HITS = pc02_tex_05\n  domain 2 (Core clock B), CTR_",
                 "_SRC[2]   = 0x8c8c8c1b  1b pc02_tex_05, 8c ZERO, 8c ZERO, 8c ZERO\n",
                 "_OP[2]    = 0x0000aaaa  a0\n",
                 "  0x408808 TEX          = 0x00000800  mask 0x000fffff, texture unit of a TPC\n"]:
        contains(text, part)
    equal(text.count("\n  domain "), 2)  # only the signals of the counter
    # Without a set: the first one that has the counter. Selectors of all GPCs; a sum of bits.
    text = succeed("explain", "ThreadsPerWarp", "--chipset", "gf100")
    for part in ["Launches.ThreadsPerWarp", "domain GPC0 (sum of 4, the first is shown)",
                 "START_SRC    = 0x35343332  32 GPC.TPC.MP.MUX[1]", "mode EVENT_B6, pass 1 of 1",
                 "0x504600 MP           = 0x80000026  mask 0x800000ff, and every 0x8000 bytes"]:
        contains(text, part)
    # Signals of the counters that a counter refers to.
    contains(succeed("explain", "Samples.EarlyZKilled", "--chipset", "g80"), "\nROP_SAMPLES = sum(")
    for arguments, message in [
            (["TextureHitRate", "--chipset", "g92"], "expected TextureCacheHitRate"),
            (["Texture.Busy", "--chipset", "g92"], "expected TextureBusy"),
            (["Texture.TextureBusy", "--chipset", "g29"], 'unknown chipset "g29"'),
            (["Rop.RopBusy", "--chipset", "g92", "--platform", "skl"], "mutually exclusive"),
            (["Rop.RopBusy", "--chipset", "g92", "--layout", "skl/101"], "only for --platform"),
            (["Rop.RopBusy"], "expects --platform, --chipset or FILE@REPORT")]:
        done = tally("explain", *arguments)
        equal(done.returncode, 2)
        contains(done.stderr, message)
    done = tally("explain", "Textur.TextureBusy", "--chipset", "g92")
    equal(done.returncode, 2)
    contains(done.stderr, "unknown metric set Textur for g92")


LINT = """chipsets: g86 g92
signals:
  - {symbol: IDLE, expression: PGRAPH.IDEL}
  - {symbol: ROP, expression: 'PROP.MUX[2]', select: PROP=0}
  - {symbol: ROP_21, expression: 'PROP.MUX[2]', select: PROP=0x15}
  - {symbol: MANY, expression: 'PROP.MUX[0] & PROP.MUX[1] & PROP.MUX[2] & PROP.MUX[3] & PROP.MUX[4]'}
counters:
  - {symbol: Busy, name: b, group: g, units: percent, description: d, equation: 100 * IDLE / clocks(IDLE)}
  - {symbol: Rops, name: r, group: g, units: percent, description: d, equation: 100 * ROP / ROP_21}
  - {symbol: Many, name: m, group: g, units: parsecs, description: d, equation: MANY}
  - {symbol: A, name: a, group: g, units: number, description: d, equation: B + 1}
  - {symbol: B, name: k, group: g, units: number, description: d, equation: A + ROP}
  - {symbol: Two, name: t, group: g, units: number, description: d, equation: ROP + ROP_21}
sets:
  - {symbol: One, name: o, counters: Busy Many}
  - {symbol: Other, name: o, counters: Rops}
  - {symbol: Cycle, name: c, counters: A B}
  - {symbol: Passes, name: p, counters: Two}
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def test_lint_of_signals(directory):
    path = os.path.join(directory, "sets.yaml")
    write(path, LINT)
    done = tally("lint", path)
    equal(done.returncode, 1)
    for part in [
            f'{path}:3: error: One.IDLE signal: expression "PGRAPH.IDEL"', "expected PGRAPH.IDLE",
            f"{path}:4: error: Other.ROP group: ROP, ROP_21 are terms of one ratio, expected ones "
            "that are counted in one pass",
            f"{path}:6: error: One.MANY signal: ",
            f'{path}:10: warning: One.Many units: unknown units "parsecs"',
            f"{path}:11: error: Cycle.A equation: refers to itself",
            f"{path}:13: warning: Passes.Two equation: a count of one of the set's 2 passes",
            f"{path}:18: note: Passes signals: counted in 2 passes, in turn\n",
            f"{path}: 4 sets, 6 counters of 2 chipsets, 4 errors, 2 warnings"]:
        contains(done.stdout, part)
    # A mistake in the file itself, with its line; the sets are not checked then.
    write(path, LINT.replace("B + 1", "C + 1"))
    done = tally("lint", path)
    contains(done.stdout, f'{path}:11: error: A: equation: column 1: unknown signal or counter "C"')
    contains(done.stdout, f"{path}: metric sets, 1 errors, 0 warnings, 0 notes")
    # A finding about one of the chipsets names it.
    write(path, LINT.replace("PGRAPH.IDEL", "PFB_READ").replace(" & PROP.MUX[4]", ""))
    contains(tally("lint", path).stdout, " (g92)\n")


def test_lists():
    platforms = json_lines(succeed("list", "platforms", "-f", "jsonl"))
    for name in ["snb", "ivb", "vlv", "hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl"]:
        assert any(row["name"] == name for row in platforms), name
    formats = {row["layout"] for row in json_lines(succeed("list", "formats", "-f", "jsonl"))}
    for name in ["snb/a13", "ivb/a16", "hsw/a45_b8_c8", "gen8/a32u40_a4u32_b8_c8",
                 "xehp/a24u40_a14u32_b8_c8", "xehp/mpec8u64_b8_c8"]:
        assert name in formats, name
    for platform, a, b, c in [("snb", 29, 4, 12), ("ivb", 45, 4, 12), ("vlv", 45, 4, 12),
                              ("hsw", 45, 8, 8), ("chv", 36, 8, 8), ("lkf", 36, 8, 8),
                              ("tgl", 36, 8, 8)]:
        rows = json_lines(succeed("list", "counters", "Raw", "--platform", platform, "-f", "jsonl"))
        symbols = {row["symbol"] for row in rows}
        wanted = ({f"A{i}" for i in range(a)} | {f"B{i}" for i in range(b)}
                  | {f"C{i}" for i in range(c)})
        equal(wanted - symbols, set(), platform)
        assert all(row["description"] for row in rows), platform
        rows = json_lines(succeed("list", "counters", "RenderBasic", "--platform", platform, "-f",
                                  "jsonl"))
        assert len(rows) > 20, platform


LISTS = [["platforms"], ["layouts"], ["sets"], ["counters", "--platform", "hsw"], ["chipsets"],
         ["signals", "--chipset", "g80"], ["signals", "--chipset", "nv40"],
         ["registers", "--platform", "hsw"], ["registers", "--chipset", "g92"],
         ["registers", "ctrl", "--chipset", "nv30"], ["workloads"], ["faults"]]


def in_csv(value):
    """A field of CSV for a value of JSON."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, dict)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "" if value is None else str(value)


def test_lists_as_csv():
    """CSV has a column for each key of JSON Lines, and a row for each object."""
    for arguments in LISTS:
        objects = json_lines(succeed("list", *arguments, "-f", "jsonl"))
        text = succeed("list", *arguments, "-f", "csv", text=False).decode()
        names, *rows = csv.reader(io.StringIO(text, newline=""))
        equal(text.count("\r\n"), text.count("\n"), arguments)
        keys = {name for object in objects for name in object}
        equal(keys | {"offset"}, {"type", "offset", *names}, arguments)  # few signals have it
        equal(len(rows), len(objects), arguments)
        for row, object in zip(rows, objects):
            equal([name for name in names if name in object], list(object)[1:], arguments)
            equal(row, [in_csv(object.get(name)) for name in names], arguments)


def test_rows_of_csv(directory):
    """Rows byte for byte: plain, quoted, with nested values, and with empty fields."""
    for arguments, lines in [
            (["platforms"], ["name,title,version,layouts,eus,threads,timestamp_hz,device",
                             "hsw,Haswell,7.5,hsw,20,7,12500000,0x0416"]),
            (["layouts"], ["pcounter/short,,16,,PRE_SRC[0-3]:u16,true,"
                           "\"envytools, PCOUNTER, record mode\""]),
            (["signals", "--chipset", "g80"],
             ["chipset,domain,index,offset,name,element,group,alias,note,trailer",
              'g80,1,39,,VFETCH.MUX,1,"[38,63]",pc01_vfetch_01,,false']),
            (["signals", "--chipset", "nv40"], ["nv40,4,,14,ZERO,,,,always 0,true"])]:
        text = succeed("list", *arguments, "-f", "csv", text=False).decode()
        for line in lines:
            assert line in text.split("\r\n"), (line, text[:400])
    path = os.path.join(directory, "platforms.csv")
    equal(succeed("list", "platforms", "--format", "csv", "-o", path), "")
    with open(path, "rb") as file:
        equal(file.read(), succeed("list", "platforms", "-f", "csv", text=False))
    # The remarks below a table are not part of the data.
    done = tally("list", "signals", "--chipset", "nv40", "-f", "csv")
    contains(done.stderr, "tally: no unit's signals of NV40 are public, nor where")
    assert "public" not in done.stdout


def test_explain_agrees_with_export():
    path = f"{SAMPLES}/icl.i915-perf"
    line = json_lines(succeed("export", "-f", "jsonl", path), exact=True)[1 + 30]
    for symbol in ["EuActive", "GpuBusy", "GpuTime", "AvgGpuCoreFrequency", "RasterizedPixels"]:
        tree = succeed("explain", f"RenderBasic.{symbol}", f"{path}@30")
        value = line["counters"][symbol]  # of a double: shown with six decimals
        assert f"= {value}\n" in tree or f"= {float(value):.6f}\n" in tree, (symbol, value)


def test_explain_shows_how_signals_are_counted():
    """The registers of an expression, and several expressions in as many passes as they need."""
    lines = succeed("explain", "g92", "PGRAPH.IDLE && !PGRAPH.INTR").splitlines()
    equal(lines, ["PGRAPH.IDLE && !PGRAPH.INTR",
                  "  domain 1 (Core clock A), CTR_PRE, counter mode SIMPLE, pass 1 of 1",
                  "  0x00a404 PRE_SRC[1]   = 0xececbfbd  bd PGRAPH.IDLE, bf PGRAPH.INTR, ec ZERO, "
                  "ec ZERO",
                  "  0x00a424 PRE_OP[1]    = 0x00002222  a0 & !a1"])
    text = succeed("explain", "gf100", "GPC.TPC.L1.MUX[3]", "GPC0[2]:rise(0x31)")
    contains(text, "domain GPC0 (sum of 4, the first is shown), CTR_PRE,")
    contains(text, "domain GPC0[2], CTR_START,")
    contains(text, "0x18204c START_OP     = 0x00014444  !a0 & a1, a0 one clock ago")
    text = succeed("explain", "nv20", "0:0x1", "sum(0:0x1, 0x2) if 0x3", "1:0x1")
    equal([line.split("pass")[1] for line in text.splitlines() if "pass" in line],
          [" 1 of 2", " 2 of 2", " 1 of 2"])
    contains(text, "0x00a408 START_SRC[0] = 0xbfbf0201")
    done = tally("explain", "g92", "PGRAPH.IDLE &", "0x1")
    equal((done.returncode, done.stdout), (3, ""))
    equal(done.stderr, 'tally: expression "PGRAPH.IDLE &", at 14: the end, expected a signal\n')


def test_explain_uses_the_recorded_set(directory):
    path = os.path.join(directory, "raw.i915-perf")
    with open(f"{SAMPLES}/chv.i915-perf", "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data.replace(b"RenderBasic", b"Raw" + bytes(8)).replace(b"a6b44360", bytes(8)))
    contains(succeed("explain", "A7", f"{path}@3"), "Raw.A7")


def test_workloads(directory):
    names = ["bottleneck", "compute", "contexts", "idle-bursts", "triangle"]
    rows = json_lines(succeed("list", "workloads", "-f", "jsonl"))
    equal([row["name"] for row in rows], names)
    by_name = {row["name"]: row for row in rows}
    triangle = by_name["triangle"]
    equal((triangle["type"], triangle["phases"], triangle["duration_ns"], triangle["seed"]),
          ("workload", 3, 16666667, 1))
    table = succeed("list", "workloads")
    equal(len(table.splitlines()), 1 + len(names))
    contains(table, "triangle              3   16.6667 ms  A small 3D scene")
    # The user's sets precede others of the same name.
    path = os.path.join(directory, "triangle.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("name: triangle\ndescription: mine\nphases: [{duration: 5 us, context: idle}]\n")
    rows = json_lines(succeed("list", "workloads", "-f", "jsonl",
                              env={"TALLY_WORKLOADS_PATH": directory}))
    equal([row["description"] for row in rows if row["name"] == "triangle"], ["mine"])
    equal(len(rows), len(names))


def test_list_of_faults(directory):
    folder = os.path.join(SOURCE, "data", "faults")
    names = sorted(name[:-len(".yaml")] for name in os.listdir(folder))
    rows = json_lines(succeed("list", "faults", "-f", "jsonl"))
    equal([row["name"] for row in rows], names)
    equal({row["type"] for row in rows}, {"faults"})
    table = succeed("list", "faults")
    contains(table, "lossy                 2  Lost reports at random, an overflow every second")
    # The user's sets precede others of the same name; an invalid one hides nothing.
    path = os.path.join(directory, "lossy.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("description: mine\nfaults: [{at: 1 ms, do: drop}]\n")
    with open(os.path.join(directory, "wrong.yaml"), "w", encoding="utf-8") as file:
        file.write("faults: [{at: 1 ms, do: nothing}]\n")
    done = tally("list", "faults", "-f", "jsonl", env={"TALLY_FAULTS_PATH": directory})
    equal(done.returncode, 3)
    contains(done.stderr, os.path.join(directory, "wrong.yaml") + ":1")
    rows = json_lines(done.stdout)
    equal([row["description"] for row in rows if row["file"] == path], ["mine"])
    equal(len(rows), len(names))
    out = os.path.join(directory, "lost.i915-perf")
    succeed("record", "-d", "sim:skl", "-t", "20ms", "-p", "1ms", "--fault", "lossy", "-o", out,
            env={"TALLY_FAULTS_PATH": directory})
    contains(succeed("info", out), "report-lost")
    done = tally("record", "-d", "sim:skl", "-t", "1ms", "--fault", "nobody", "-o", out)
    contains(done.stderr, 'unknown script of faults "nobody", expected ')
    contains(done.stderr, "(see tally list faults)")


def test_lint_of_workloads():
    folder = os.path.join(SOURCE, "data", "workloads")
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    for platform in ["snb", "ivb", "vlv", "hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl"]:
        out = succeed("lint", "--platform", platform, *paths)
        equal(out.count(" 0 errors"), len(paths), platform)
    contains(out, "vs.ready: no counter on Tiger Lake GT2; ignored")
    equal(len(succeed("lint", "-q", "--platform", "snb", *paths).splitlines()), len(paths))


def test_lint_of_budgets(directory):
    example = os.path.join(SOURCE, "data", "budgets", "example.yaml")
    equal(succeed("lint", example), f"{example}: a budget, 0 errors, 0 warnings, 0 notes\n")
    path = os.path.join(directory, "bad.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("budget: bad\nchecks:\n"
                   "  - {counter: EuActive, statistic: p96, bound: '> 1%'}\n"
                   "  - {counter: EuActive, bound: '= 1%'}\n"
                   "  - {counter: EuActive, in: every phase}\n"
                   "  - {bound: '> 1%', within: 5%}\n"
                   "  - {counter: EuActive, bound: '> 1%', in: everywhere}\n")
    done = tally("lint", path)
    equal(done.returncode, 1)
    for line, message in [(3, 'statistic "p96": expected'), (4, 'bound "= 1%": expected'),
                          (5, "expected one of bound and within"), (6, "counter is missing"),
                          (7, 'in "everywhere": expected')]:
        contains(done.stdout, f"{path}:{line}: error: {message}")
    contains(done.stdout, f"{path}: a budget, 6 errors")


def test_lint_of_costs(directory):
    folder = os.path.join(SOURCE, "data", "cost")
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
             if name.endswith(".yaml")]
    equal(succeed("lint", *paths).count(": costs, 0 errors"), len(paths))
    path = os.path.join(directory, "bad.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("name: bad\ndescription: bad\nnumbers:\n"
                   "  - {number: coverag, value: 1, source: assumed}\n"
                   "  - {number: ps-killed, value: 101, source: assumed}\n"
                   "  - {number: ready, value: 10}\n")
    done = tally("lint", path)
    equal(done.returncode, 1)
    contains(done.stdout, f'{path}:4: error: unknown number "coverag", expected coverage')
    contains(done.stdout, f'{path}:5: error: ps-killed "101": expected 0 to 100 percent')
    contains(done.stdout, f"{path}:6: error: source of ready is missing")
    contains(done.stdout, f"{path}: costs, 3 errors")


def test_lint_of_our_own_sets():
    paths = [os.path.join(OWN_METRICS, name) for name in sorted(os.listdir(OWN_METRICS))]
    assert len(paths) >= 9
    out = succeed("lint", "--quiet", *paths)
    equal(len(out.splitlines()), len(paths))
    assert all(" 0 errors" in line for line in out.splitlines()), out


def test_lint_of_the_public_sets():
    need(METRICS)
    paths = [os.path.join(METRICS, name) for name in sorted(os.listdir(METRICS))
             if name.endswith(".xml")]
    equal(len(paths), 23)
    out = succeed("lint", *paths)
    equal(sum(" 0 errors" in line for line in out.splitlines()), len(paths))
    assert "register: writes" not in out


def test_lint_of_register_writes(directory):
    """Writes without effect are warnings, one for consecutive writes to an address."""
    path = os.path.join(directory, "writes.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write('<metrics><set name="n" symbol_name="S" chipset="HSW" '
                   'hw_config_guid="403d8832-1a27-4aa6-a64e-f5389ce7b212">\n'
                   '<register_config type="NOA">\n'
                   '<register type="NOA" address="0x00009840" value="0x80"/>\n'
                   '<register type="NOA" address="0x00009884" value="0x1"/>\n'
                   '<register type="NOA" address="0x00009884" value="0x2"/>\n'
                   '<register type="NOA" address="0x00025100" value="0x3"/>\n'
                   '</register_config></set></metrics>')
    lines = succeed("lint", path).splitlines()
    equal(lines[0], f"{path}:4: warning: S register: writes 0x009884, 1 time more, where Haswell "
          "has no register, expected an address of tally list registers --platform hsw")
    equal(len(lines), 2)
    contains(lines[1], "0 errors, 1 warning")


def test_lint_of_errors(directory):
    path = os.path.join(directory, "bad.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write('<metrics><set name="n" symbol_name="S" chipset="HSW" '
                   'hw_config_guid="403d8832-1a27-4aa6-a64e-f5389ce7b212">\n'
                   '<counter name="x" symbol_name="X" units="ns" data_type="uint64" '
                   'equation="A 0 READ UADD"/></set></metrics>')
    done = tally("lint", path)
    equal(done.returncode, 1)
    contains(done.stdout, f"{path}:2: error: ")


def test_help_manual_and_completion():
    for command in COMMANDS:
        contains(succeed("help", command), f"Usage: tally {command}")
        equal(succeed(command, "--help"), succeed("help", command))
        page = succeed("help", "--man", command)
        contains(page, ".SH OPTIONS", command)
    for command in COMMANDS:
        contains(succeed("help"), command)
    for shell, check in [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]),
                         ("fish", ["fish", "--no-execute"])]:
        if which(check[0]):
            subprocess.run([*check], input=succeed("completion", shell), text=True, check=True)


def test_doctor():
    done = tally("doctor")
    assert done.returncode in (0, 4), done
    for word in ["Devices", "Permissions", "Metrics", "vector path"]:
        contains(done.stdout, word)


def test_version():
    equal(re.match(r"tally \d+\.\d+\.\d+\n$", succeed("version")) is not None, True)
    for word in ["compiler:", "kernels:", "vector path:"]:
        contains(succeed("version", "--build-options"), word)
    equal(succeed("--version"), succeed("version"))


def test_output_to_files(directory):
    path = os.path.join(directory, "out.csv")
    equal(succeed("export", "-o", path, f"{SAMPLES}/hsw.i915-perf"), "")
    with open(path, encoding="utf-8", newline="") as file:
        equal(file.read(), tally("export", "-o", "-", f"{SAMPLES}/hsw.i915-perf",
                                 text=False).stdout.decode())


def test_a_reader_that_leaves_early():
    need_program("bash")
    for command in ["export", "decode", "report -r -f jsonl"]:
        line = f"{TALLY} {command} {SAMPLES}/icl.i915-perf | head -1 >/dev/null; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        equal((done.stdout, [text for text in done.stderr.splitlines() if "ledger" not in text]),
              ("0\n", []), command)


def test_other_files_among_the_metric_sets(directory):
    with open(os.path.join(directory, "other.xml"), "w", encoding="utf-8") as file:
        file.write("<html/>")
    os.mkfifo(os.path.join(directory, "pipe.xml"))
    contains(succeed("list", "sets", "-M", directory), "RenderBasic")


if __name__ == "__main__":
    main()
