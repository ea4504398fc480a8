# SPDX-License-Identifier: MIT
"""The SKUs of platforms: recorded, emulated, listed, completed, and misspelt."""
import os

from e2e import TALLY, contains, equal, json_lines, main, need_preload, succeed, tally

# Name, slices, subslices, EUs, PCI device, revision. The kernel cannot record the first two.
SKUS = [
    ("ivb/gt1", 1, 1, 6, "0156", 9), ("snb/gt1", 1, 1, 6, "0106", 9),
    ("hsw/gt1", 1, 1, 10, "0402", 6), ("hsw/gt3", 2, 4, 40, "0d26", 8),
    ("bdw/gt1", 1, 2, 12, "1606", 9), ("bdw/gt3", 2, 6, 48, "1626", 9),
    ("chv/2x6", 1, 2, 12, "22b1", 0x21), ("skl/gt1", 1, 2, 12, "1902", 6),
    ("skl/gt4", 3, 9, 72, "193b", 9), ("icl/gt0.5", 1, 1, 8, "8a71", 7),
    ("icl/gt1", 1, 4, 32, "8a56", 7), ("lkf/gt1.5", 1, 6, 48, "9841", 7),
    ("tgl/gt1", 1, 2, 32, "9a60", 1), ("adl/gt1", 1, 2, 32, "4680", 12),
]

OLD = ("snb", "ivb", "hsw")

# The context of data/workloads/triangle.yaml: EUs run 12% of 0.3 ms and 56% of 4 ms.
EU_ACTIVE = (0.3 * 0.12 + 4 * 0.56) / (0.3 + 4) * 100


def count(number, word):
    return f"{number} {word}" + ("" if number == 1 else "s")


def test_recordings_have_the_device_and_the_topology(directory):
    for name, slices, subslices, eus, device, revision in SKUS:
        path = os.path.join(directory, "recording")
        succeed("record", "-d", "sim:" + name, "-t", "200ms", "-q", "-o", path)
        info = succeed("info", path)
        contains(info, f"PCI 8086:{device} revision {revision}", name)
        contains(info, f"{count(slices, 'slice')}, {count(subslices, 'subslice')}, {eus} EUs", name)
        values = json_lines(succeed("report", "-c", "EuActive", "-f", "jsonl", path))
        active = [row["counters"]["EuActive"]["overall"] for row in values
                  if row.get("group") == ("total" if name[:3] in OLD else "0x1000")]
        # Reports without a context: the group has whole frames.
        wanted = EU_ACTIVE * (4.3 / 16.666667 if name[:3] in OLD else 1)
        equal([abs(value / wanted - 1) < 0.1 for value in active], [True],
              f"{name}: {active}, expected {wanted}")


def test_info_and_report_name_the_sku(directory):
    """As doctor does."""
    path = os.path.join(directory, "recording")
    for name, title, chipset, pci in [("hsw/gt3", "Haswell GT3", "HSW", "0d26"),
                                      ("skl", "Skylake GT2", "SKLGT2", "1912")]:
        succeed("record", "-d", "sim:" + name, "-t", "5ms", "-q", "-o", path)
        contains(succeed("info", path), f"device        modelled {title} ({chipset}), PCI 8086:{pci} ", name)
        contains(succeed("report", path), f"  modelled {title} ({chipset}, device 0x{pci}), ", name)


def test_emulated_devices():
    need_preload()
    device = "/sys/class/drm/card0/device"
    for name, _, _, _, pci, revision in SKUS[2:]:
        out = succeed("emulate", "--gpu", name, "--", "cat", device + "/device",
                      device + "/revision")
        equal(out, f"0x{pci}\n0x{revision:02x}\n", name)
    out = succeed("emulate", "--gpu", "hsw/gt3", "--", "sh", "-c",
                  "cd /sys/class/drm/card0; cat gt_max_freq_mhz; od -An -tx1 -j8 -N1 device/config")
    equal(out.split(), ["1300", "08"])


def test_doctor_names_the_sku():
    need_preload()
    out = succeed("emulate", "--root", "--clock", "virtual", "--gpu", "skl/gt4", "--", TALLY,
                  "doctor")
    contains(out, "i915, Skylake GT4 (PCI 8086:193b)")


def test_list():
    rows = {row["name"]: row for row in json_lines(succeed("list", "skus", "-f", "jsonl"))}
    for name, slices, subslices, eus, device, revision in SKUS:
        row = rows[name]
        equal((row["slices"], row["subslices"], row["eus"], row["device"], row["revision"]),
              (slices, subslices, eus, "0x" + device, revision), name)
    common = [row["name"] for row in rows.values() if row["common"]]
    platforms = json_lines(succeed("list", "platforms", "-f", "jsonl"))
    equal([name.split("/")[0] for name in common], [row["name"] for row in platforms])
    equal([rows[name]["eus"] for name in common], [row["eus"] for row in platforms])
    equal([row["name"] for row in json_lines(succeed("list", "skus", "--platform", "hsw", "-f", "jsonl"))],
          ["hsw/gt1", "hsw/gt2", "hsw/gt3"])


def test_mistakes():
    wanted = 'unknown SKU "gt33" of hsw, expected gt3 (of gt1, gt2 or gt3)'
    for arguments, code in [(["record", "-d", "sim:hsw/gt33", "-t", "1ms"], 2),
                            (["lint", "--platform", "hsw/gt33", "x.yaml"], 2),
                            (["explain", "EuActive", "--platform", "hsw/gt33"], 2),
                            (["emulate", "--gpu", "hsw/gt33", "--", "true"], 2)]:
        done = tally(*arguments)
        equal(done.returncode, code, arguments)
        contains(done.stderr, wanted, arguments)
    done = tally("sim", "-", stdin="platform hsw/gt33\n")
    equal(done.returncode, 3)
    contains(done.stderr, ":1: platform: " + wanted)
    contains(tally("record", "-d", "sim:hws/gt3").stderr, 'unknown device "sim:hws/gt3"')


def test_lint_knows_the_reserved_counter(directory):
    path = os.path.join(directory, "hiz.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("name: w\ndescription: d\nphases:\n"
                   "  - {duration: 1 ms, context: 1, does: [{unit: depth.hiz-fail, rate: 1/us}]}\n")
    for name, notes in [("ivb/gt1", 0), ("ivb/gt2", 1), ("ivb", 1), ("vlv", 0)]:
        out = succeed("lint", "--platform", name, path)
        contains(out, f"0 errors, 0 warnings, {notes} notes", name)
    contains(out := succeed("lint", "--platform", "ivb", path),
             "depth.hiz-fail: no counter on Ivy Bridge GT2; ignored", out)


def test_scripts_are_told_about_the_reserved_counter():
    run = "a 30-34 const 1\nwr 0x2360 1\nrun 5\npeek a32\npeek a33\n"
    for name, value, note in [("ivb/gt1", 5, ""), ("ivb/gt2", 0, "A33 is reserved on ivb/gt2")]:
        done = tally("sim", "-", stdin=f"platform {name}\n{run}")
        equal(done.stdout, f"peek a32 = 0x0000000005\npeek a33 = 0x{value:010x}\n", name)
        contains(done.stderr, note)
        equal(bool(done.stderr), bool(note), done.stderr)
    done = tally("sim", "-", stdin="platform ivb\npoke a33 1\n")
    contains(done.stderr, "'a33', expected a counter or state of ivb/gt2 that can be set")


def test_completion():
    for command, words in [("record", ["sim:hsw/gt3", "sim:skl/gt4"]), ("emulate", ["sim:hsw/gt3", "sim:lkf/gt1.5"])]:
        lines = succeed("__complete", "--", command, "-d", "sim:").splitlines()
        for word in words:
            contains([line.split("\t")[0] for line in lines], word, command)


if __name__ == "__main__":
    main()
