# SPDX-License-Identifier: MIT
"""Recording by registers alone: the platforms that the kernel never supported, and the others in
comparison with the kernel's interface (docs/mmio-driver.md)."""
import os
import struct

from e2e import OWN_METRICS, contains, equal, json_lines, main, succeed, tally

WITHOUT_KERNEL = ["snb", "ivb", "vlv"]
BOTH = ["hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl", "rkl", "dg1", "adl"]

# The frame of data/workloads/triangle.yaml: 0.3 ms at 97 %, 4 ms at 99.5 %, idle to 16.667 ms.
FRAME_MS = 0.3 + 4 + 12.366667
BUSY = (0.3 * 0.97 + 4 * 0.995) / FRAME_MS
ANSWERS = {"PsThreads": 4 * 32000, "VsThreads": 0.3 * 6000 + 4 * 150, "SamplesWritten": 4 * 509000,
           "SamplesKilledInPs": 4 * 2000, "PostPsDepthTestFails": 4 * 1000}


def deltas(path):
    return [line for line in json_lines(succeed("export", "-f", "jsonl", "-M", OWN_METRICS, path))
            if line["type"] == "delta"]


def record(path, platform, *options):
    done = tally("record", "-d", "sim:" + platform, "-o", path, "-M", OWN_METRICS, *options)
    equal((done.returncode, done.stdout), (0, ""), done.stderr)
    return done.stderr


def test_the_known_answers(directory):
    path = os.path.join(directory, "out.i915-perf")
    for platform in WITHOUT_KERNEL:
        said = record(path, platform, "--workload", "triangle", "-t", "1s")
        contains(said, "nothing lost", platform)
        rows = deltas(path)
        equal({row["state"] for row in rows}, {"ok"}, platform)
        total = {name: sum(row["counters"][name] for row in rows)
                 for name in ("GpuTime", "GpuCoreClocks", *ANSWERS)}
        frames = total["GpuTime"] / 1e6 / FRAME_MS
        assert frames > 55, frames
        busy = sum(row["counters"]["GpuBusy"] * row["counters"]["GpuTime"] for row in rows)
        answers = [("GpuBusy", busy / 100 / total["GpuTime"], BUSY)]
        answers += [(name, total[name] / frames, expected) for name, expected in ANSWERS.items()]
        for name, got, expected in answers:
            assert abs(got / expected - 1) <= 1 / frames, (platform, name, got, expected)
        hz = {"snb": 1350e6, "ivb": 1350e6, "vlv": 896e6}[platform]
        assert abs(total["GpuCoreClocks"] / total["GpuTime"] * 1e9 / hz - 1) < 1e-3, platform
        text = succeed("report", "-M", OWN_METRICS, path)
        contains(text, " 0 losses, 0 deltas without values", platform)


def test_what_a_recording_says(directory):
    path = os.path.join(directory, "out.i915-perf")
    for platform, layout, period in [("snb", "snb/a29_b4_c12", "1.31072 ms"),
                                     ("ivb", "ivb/a45_b4_c12", "81.92 us"),
                                     ("vlv", "ivb/a45_b4_c12", "81.92 us")]:
        record(path, platform, "-t", "50ms", "-p", "1ms" if platform == "snb" else "80us")
        text = succeed("info", path)
        contains(text, "--driver mmio, a report every " + period, platform)
        contains(text, "from registers, without a kernel driver", platform)
        contains(text, layout, platform)
        with open(path, "rb") as file:
            head = file.read(64)
        equal(struct.unpack_from("<I", head, 16 + 8 + 32)[0], 0x54000003 if platform == "snb"
              else 0x54000005, platform)


def test_pipes_and_exports(directory):
    """The bytes of a pipe are those of a file, and every format can be written."""
    path = os.path.join(directory, "out.i915-perf")
    for platform in WITHOUT_KERNEL:
        record(path, platform, "-t", "60ms", "-p", "100us")
        arguments = ["record", "-q", "-d", "sim:" + platform, "-t", "60ms", "-p", "100us", "-o", "-",
                     "-M", OWN_METRICS]
        piped = tally(*arguments, text=False).stdout
        with open(path, "rb") as file:
            equal(piped == file.read(), True, platform)
        report = tally("report", "-M", OWN_METRICS, "-", stdin=piped, text=False).stdout.decode()
        of_file = succeed("report", "-M", OWN_METRICS, path).replace(f"\n  {path}\n", f", {path}\n")
        equal(report.replace(", -\n", f", {path}\n"), of_file, platform)
        rows = deltas(path)
        csv = succeed("export", "-f", "csv", "-M", OWN_METRICS, path).splitlines()
        assert len(csv) > len(rows) > 400, (len(csv), len(rows))
        contains(succeed("decode", path), "id 0x400  timer", platform)


def test_both_drivers_count_the_same(directory):
    """Deltas with the same end and the same start have the same values."""
    paths = [os.path.join(directory, name) for name in ("i915", "mmio")]
    for platform in BOTH:
        rows = []
        for path in paths:
            record(path, platform, "--driver", os.path.basename(path), "-t", "100ms", "-p", "100us")
            rows.append({(row["gpu_end"], row["gpu_start"]): row["counters"]
                         for row in deltas(path)})
        times = sorted(rows[0].keys() & rows[1].keys())
        assert len(times) > 900, (platform, len(times))
        different = [at for at in times if rows[0][at] != rows[1][at]]
        equal(different, [], platform)
        first, last = times[0], times[-1]
        for counter in ("GpuTime", "PsThreads", "VsThreads"):
            sums = [sum(row[counter] for at, row in of.items() if first <= at <= last)
                    for of in rows]
            equal(sums[0], sums[1], f"{platform} {counter}")
            assert sums[0] > 0, (platform, counter)


def test_losses(directory):
    path = os.path.join(directory, "out.i915-perf")
    script = os.path.join(directory, "faults.yaml")
    for platform in [*WITHOUT_KERNEL, "skl"]:
        for fault, kind in [("{at: 20 ms, do: overflow}", "buffer-lost"),
                            ("{report: 50, do: drop}", "missing" if platform == "vlv"
                             else "report-lost"),
                            ("{report: 50, do: zero}", "not-landed"),
                            ("{at: 20 ms, for: 10 ms, do: rc6}", "missing" if platform == "skl"
                             else "buffer-lost"),  # before Haswell RC6 loses the registers
                            ("{report: 50, do: zero, for: 8 ms}", None)]:
            with open(script, "w", encoding="ascii") as file:
                file.write(f"faults:\n  - {fault}\n")
            done = tally("record", "-q", "-d", "sim:" + platform, "--driver", "mmio", "-t", "100ms",
                         "-p", "100us", "--fault", script, "-o", path, "--fail-on-loss", "-M",
                         OWN_METRICS)
            equal(done.returncode, 5 if kind else 0, f"{platform}, {fault}: {done.stderr}")
            ledger = succeed("report", "-M", OWN_METRICS, path).partition("Loss ledger")[2]
            contains(ledger, kind if kind else " 0 losses", f"{platform}, {fault}")


def test_errors(directory):
    path = os.path.join(directory, "out")
    for arguments, code, message in [
            (["record", "-q", "-d", "sim:snb", "--driver", "i915", "-t", "1ms", "-o", path], 4,
             "sim:snb: the kernel has no counter interface for Sandy Bridge, expected the driver mmio"),
            (["record", "-q", "-d", "sim:hsw", "--driver", "xe", "-t", "1ms", "-o", path], 2,
             'record: --driver "xe", expected i915 or mmio'),
            (["record", "-q", "-d", "/dev/null", "--driver", "mmio"], 2, "need an emulated GPU"),
            (["record", "-q", "-d", "sim:snb", "--context", "1", "-t", "1ms", "-o", path], 2,
             "reports of Sandy Bridge have no context id"),
            (["record", "-q", "-d", "sim:snb", "--fault", "all", "-t", "1ms", "-o", path], 3,
             "without a kernel driver"),
            (["emulate", "--gpu", "snb", "--", "true"], 4, "tally record -d sim:snb")]:
        done = tally(*arguments)
        contains(done.stderr, message, str(arguments))
        equal(done.returncode, code, f"{arguments}: {done.stderr}")
        equal(done.stderr.count("\n"), 1, f"{arguments}: one line")
        assert not os.path.exists(path), arguments


def test_lists():
    devices = succeed("record", "-d", "list")
    completion = succeed("__complete", "--", "record", "-d", "sim:").split()
    for platform in WITHOUT_KERNEL:
        contains(devices, "sim:" + platform)
        contains(completion, "sim:" + platform)
    contains(succeed("__complete", "--", "record", "--dr"), "--driver")


if __name__ == "__main__":
    main()
