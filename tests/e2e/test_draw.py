# SPDX-License-Identifier: MIT
"""A program that draws, and tally record beside it on the same emulated GPU: the recording has what
the cost model says of the draws.

The program draws with the virtual clock, by which the load of the machine changes neither the draws
nor what they count.
"""
import csv
import os
import subprocess

from e2e import BUILD, OWN_METRICS, TALLY, equal, json_lines, main, need_preload, succeed

CLIENT = os.path.join(BUILD, "tests", "i915_conformance")
PLATFORMS = ["hsw", "skl", "tgl"]

# What the client draws: tests/preload/conformance/drawing.c.
BATCHES = 10
DRAWS = 20 * BATCHES
VERTICES = 300
PIXELS = 512 * 256
VS_THREAD, PS_THREAD = 2, 16  # vertices, pixels
BLOCK = 4                     # pixels; texels of 2x2 are counted in these

# Numbers by which the rasterizer is the slowest part, a pixel a clock, of half of the pixels; its
# texels are fetched at two blocks a clock.
COSTS = {"coverage": 50, "draw-clocks": 1000, "pixels-per-clock": 1, "ps-active": 1,
         "ps-stalled": 1, "vs-active": 1, "vs-stalled": 1, "sampler-misses": 10}
CLOCKS = DRAWS * (1000 + PIXELS // 2)
# Of a batch beside its draws: the context switch, its end, the state of the first draw.
OVERHEAD = 1000


def costs(directory):
    path = os.path.join(directory, "costs.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("name: test\nnumbers:\n")
        for name, value in COSTS.items():
            file.write(f"  - {{number: {name}, value: {value}, source: assumed}}\n")
    return path


def emulate(platform, options, *command):
    done = subprocess.run([TALLY, "emulate", "--root", "--clock", "virtual", "--gpu", platform,
                           *options, "--", *command],
                          capture_output=True, text=True, check=False, timeout=120)
    equal(done.returncode, 0, f"{platform}: {done.stderr}")


def record(directory, platform, options=()):
    """Records while the client runs, as its parent."""
    path = os.path.join(directory, platform)
    emulate(platform, options, TALLY, "record", "-q", "-m", "RenderBasic", "-M", OWN_METRICS, "-p",
            "100us", "-o", path, "--", CLIENT, "draw", str(BATCHES))
    return path


def groups_of(path):
    """Returns the counters of each group, by its kind and name."""
    lines = json_lines(succeed("report", "-f", "jsonl", "-M", OWN_METRICS, path))
    groups = [line for line in lines if line["type"] == "group"]
    equal({line["lost"] for line in groups}, {0}, path)
    return {(line["by"], line["group"]): {name: value["overall"]
                                          for name, value in line["counters"].items()}
            for line in groups}


def total_of(path):
    return groups_of(path)["total", "total"]


def expected(platform, draws, pixels):
    """Returns what draws count that shade so many pixels each."""
    counts = {"VsThreads": draws * VERTICES // VS_THREAD, "PsThreads": draws * pixels // PS_THREAD,
              "SamplesWritten": draws * pixels, "HsThreads": 0, "GsThreads": 0, "CsThreads": 0}
    if platform != "hsw":  # which has no such counters
        counts |= {"RasterizedPixels": draws * pixels, "SamplerTexels": draws * pixels,
                   "SamplesBlended": 0, "SamplesKilledInPs": 0}
    return counts


def has_counts(what, counters, counts):
    equal({name: counters[name] for name in counts}, counts, what)


# ---- the tests ---------------------------------------------------------------------------------

def test_a_recording_has_what_was_drawn(directory):
    need_preload()
    for platform in PLATFORMS:
        total = total_of(record(directory, platform))
        has_counts(platform, total, expected(platform, DRAWS, PIXELS))


def test_costs_change_what_draws_count_and_how_long_they_take(directory):
    """The work takes CLOCKS; what else the commands take is within OVERHEAD for each batch."""
    need_preload()
    for platform in PLATFORMS:
        total = total_of(record(directory, platform, ["--cost", costs(directory)]))
        has_counts(platform, total, expected(platform, DRAWS, PIXELS // 2))
        busy = total["GpuBusy"] / 100 * total["GpuCoreClocks"]
        rounding = 1e-8 * total["GpuCoreClocks"] + 1
        assert CLOCKS - rounding <= busy <= CLOCKS + BATCHES * OVERHEAD + rounding, \
            f"{platform}: {busy} busy clocks, expected {CLOCKS}"
        if platform == "hsw":
            continue
        misses = PIXELS // 2 // BLOCK * 10 // 100  # of a draw
        equal(total["SamplerTexelMisses"], DRAWS * misses * BLOCK, platform)


def test_each_batch_has_a_context_of_its_own(directory):
    """Reports of context switches separate the batches; while no context runs, nothing is drawn.
    Haswell has no such reports."""
    need_preload()
    for platform in PLATFORMS[1:]:
        groups = groups_of(record(directory, platform))
        batches = [name for by, name in groups if by == "context" and name != "idle"]
        equal(len(batches), BATCHES, platform)
        for name in batches:
            has_counts(f"{platform} {name}", groups["context", name],
                       expected(platform, DRAWS // BATCHES, PIXELS))
        has_counts(f"{platform} idle", groups["context", "idle"], expected(platform, 0, PIXELS))


def test_two_programs_draw_at_once(directory):
    """The recorder runs beside them. The deltas of the export add up to the sum of both."""
    need_preload()
    # The second client starts while the first one sleeps: both add the same metric set.
    script = ('"$1" record -q -m RenderBasic -M "$2" -p 100us -o "$3" & recorder=$!; sleep 0.01; '
              '"$4" draw "$5" & first=$!; sleep 0.001; "$4" draw "$5" || exit; '
              "wait $first || exit; sleep 0.01; kill -INT $recorder; wait $recorder")
    for platform in PLATFORMS:
        path = os.path.join(directory, platform)
        emulate(platform, [], "sh", "-c", script, "sh", TALLY, OWN_METRICS, path, CLIENT,
                str(BATCHES))
        rows = list(csv.DictReader(succeed("export", "-f", "csv", "-M", OWN_METRICS,
                                           path).splitlines()))
        equal({row["state"] for row in rows}, {"ok"}, path)
        counts = expected(platform, 2 * DRAWS, PIXELS)
        equal({name: sum(int(row[name]) for row in rows) for name in counts}, counts, platform)


if __name__ == "__main__":
    main()
