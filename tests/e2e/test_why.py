# SPDX-License-Identifier: MIT
"""tally why: each reason for a zero or a missing value, with numbers that other commands give, too."""
import os
import re
import struct

from e2e import OWN_METRICS, SAMPLES, contains, equal, json_lines, main, succeed, tally

HSW = f"{SAMPLES}/hsw.i915-perf"


def record(directory, *arguments):
    path = os.path.join(directory, "r.i915-perf")
    if os.path.exists(path):
        os.remove(path)
    succeed("record", "-q", "-t", "100ms", "-o", path, *arguments)
    return path


def values_of(path, symbol):
    """All values of a counter, and the number of deltas without one."""
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", "-c", symbol, path)) if line["type"] == "delta"]
    values = [line["counters"][symbol] for line in deltas if line["state"] == "ok"]
    return values, len(deltas) - len(values), len(deltas)


def test_values_and_losses_are_those_of_export():
    values, lost, deltas = values_of(HSW, "PsThreads")
    assert lost and 0 in values
    text = succeed("why", "PsThreads", HSW)
    contains(text, f"it is not 0 in {len([v for v in values if v])} of {len(values)} deltas")
    contains(text, f"{min(values)} to {max(values)} threads")
    contains(text, f"{lost} of {deltas} deltas have no value, since reports between them were lost")
    contains(text, f"A30 counted {sum(values)}")
    contains(text, "report-lost 1\n    buffer-lost 1")
    equal(succeed("why", "RenderBasic.PsThreads", HSW), text)


def test_a_unit_that_the_workload_does_not_drive(directory):
    path = record(directory, "-d", "sim:hsw", "--workload", "triangle")
    text = succeed("why", "HsThreads", path)
    contains(text, "it is 0 in all ")
    contains(text, "A10 counted 0; it counts hs.threads, which the workload triangle does not drive")
    contains(succeed("why", "PsThreads", path), "A30 counted ")
    # Without the workload's name, the unit is still known.
    contains(succeed("why", "HsThreads", HSW), "A10 counted 0; workloads drive it by hs.threads")
    # A path, and a unit that it drives in the second half only.
    workload = os.path.join(directory, "mine.yaml")
    with open(workload, "w", encoding="utf-8") as file:
        file.write("name: mine\ndescription: d\nphases:\n  - duration: 1 s\n    context: 1\n    does:\n"
                   "      - {unit: gpu.busy, share: 1}\n  - duration: 1 s\n    context: 1\n    does:\n"
                   "      - {unit: hs.threads, rate: 1000/ms}\n")
    text = succeed("why", "HsThreads", record(directory, "-d", "sim:hsw", "--workload", workload))
    contains(text, f"it counts hs.threads, which the workload {workload} does not drive")


def test_a_counter_of_another_set_or_gpu(directory):
    path = record(directory, "-d", "sim:hsw", "-m", "Raw")
    text = succeed("why", "GpuBusy", path)
    contains(text, "it was recorded with the set Raw, which does not have it; sets of modelled Haswell GT2 that do: RenderBasic")
    contains(succeed("why", "A7", "-m", "RenderBasic", path),
             "- the set RenderBasic does not have it; sets of modelled Haswell GT2 that do: Raw")
    text = succeed("why", "TextureBusy", path)
    contains(text, "no metric set of modelled Haswell GT2 has it; sets of these GPUs do: ")
    contains(text, "g92")
    done = tally("why", "GpuBuzy", path)
    equal((done.returncode, done.stdout), (2, ""))
    contains(done.stderr, 'unknown counter "GpuBuzy", expected GpuBusy')


def test_a_layout_without_its_raw_counters(directory):
    path = os.path.join(directory, "a13.raw")
    with open(path, "wb") as file:
        for i in range(3):
            file.write(struct.pack("<16I", 1 << 10, 1000 * (i + 1), 0, *range(i, i + 13)))
    text = succeed("why", "PsThreads", "--layout", "hsw/a13", "-m", "RenderBasic", path)
    contains(text, "reports of layout hsw/a13 do not have what its equation reads: A30\n")


def test_availability(directory):
    with open(os.path.join(OWN_METRICS, "oa-hsw.xml"), encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r'(symbol_name="PsThreads")', r'availability="$SliceMask 4 AND" \1', text)
    assert count
    with open(os.path.join(directory, "oa-hsw.xml"), "w", encoding="utf-8") as file:
        file.write(text)
    text = succeed("why", "PsThreads", "-M", directory, HSW)
    contains(text, "modelled Haswell GT2 does not have it. It is available where this is not 0:\n    $SliceMask 4 AND\n")
    contains(text, "$SliceMask is 1 (0x1) on this GPU")


def test_rc6(directory):
    sleeps = os.path.join(directory, "sleeps.yaml")
    with open(sleeps, "w", encoding="utf-8") as file:
        file.write("name: sleeps\ndescription: d\nseed: 1\nfaults:\n  - {at: 20 ms, every: 30 ms, do: rc6, for: 5 ms}\n")
    text = succeed("why", "GpuBusy", record(directory, "-d", "sim:skl", "--fault", sleeps))
    found = re.search(r"in (\d+) deltas the GPU's clock stood still for at least (\S+) ms in all, as in RC6", text)
    assert found and int(found[1]) >= 2, text
    assert 9 < float(found[2]) <= 15.1, text  # three times 5 ms, less what the lowest frequency explains
    assert "stood still" not in succeed("why", "GpuBusy", record(directory, "-d", "sim:skl"))


def test_a_clock_that_may_have_wrapped(directory):
    """Of a loss of 4 s at more than 1 GHz, the 32 bits of the GPU's clock do not say whether it stood still."""
    path = os.path.join(directory, "long.i915-perf")
    succeed("record", "-q", "-d", "sim:skl", "--workload", "compute", "-p", "80ms", "-t", "6s", "-o", path)
    with open(path, "rb") as file:
        data = file.read()
    kept, at, samples = b"", 0, 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        samples += kind == 1
        if kind != 1 or not 5 < samples <= 48:
            kept += data[at:at + size]
        at += size
    with open(path, "wb") as file:
        file.write(kept)
    text = succeed("why", "GpuBusy", path)
    contains(text, "1 of ")
    assert "stood still" not in text, text


def test_a_recording_of_one_report(directory):
    path = os.path.join(directory, "one.raw")
    with open(path, "wb") as file:
        file.write(struct.pack("<64I", 1 << 19, 1000, 0, *range(61)))
    text = succeed("why", "PsThreads", "--layout", "hsw/a45_b8_c8", "-m", "RenderBasic", path)
    contains(text, "the recording has 1 reports and no delta with a value")


def test_nvidia(directory):
    path = record(directory, "-d", "sim:g92", "-m", "Texture")
    text = succeed("why", "TextureBusy", path)
    contains(text, "A0 (TEXTURE_BUSY: ")
    values, _, _ = values_of(path, "TextureBusy")
    contains(text, f"it is not 0 in {len([v for v in values if v])} of {len(values)} deltas")
    contains(text, "PEC0 counted ")
    for header in ["CTX_ID", "TIME_STAMP", "INST_ADD"]:
        assert header not in text, text


def test_expressions(directory):
    path = record(directory, "-d", "sim:nv40", "-e", "busy=1:0x00")
    symbol = next(iter(next(line for line in json_lines(succeed("export", "-f", "jsonl", path))
                            if line["type"] == "delta")["counters"]))
    text = succeed("why", symbol, path)
    contains(text, "Signals." + symbol)
    contains(text, " deltas with a value")


def test_an_event_of_eus_that_the_set_selects(directory):
    path = record(directory, "-d", "sim:skl", "--workload", "contexts")
    contains(succeed("why", "EuFpuBothActive", path),
             "A9 counted 0; it counts the event of EUs that EU_PERF_CNT_CTL1 selects, which the workload contexts does not drive")


if __name__ == "__main__":
    main()
