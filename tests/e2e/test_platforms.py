# SPDX-License-Identifier: MIT
"""A platform is a row: no code compares platforms, and lists of them come from the table."""
import itertools
import os
import re

from e2e import SOURCE, equal, main, need_program, succeed, tally, with_recorder

# The files with the properties of platforms. Register tables have masks, which are not comparisons.
TABLES = ["src/intel/platforms.c", "src/intel/report/layouts.c"]
REVISION = r"INTEL_(?:[A-Z]{3}|DG\d|REVISIONS)\b"
NAME = r'"(?:snb|ivb|vlv|hsw|bdw|chv|skl|bxt|glk|kbl|cfl|cnl|icl|lkf|ehl|tgl|rkl|dg1|adl|dg2|mtl)"'
RULES = [
    ("compares revisions", re.compile(rf"(?:[=!<>]=|(?<![<>-])[<>](?![<>]))\s*{REVISION}")),
    ("compares revisions", re.compile(rf"{REVISION}\s*(?:[=!<>]=|[<>](?![<>]))")),
    ("compares revisions", re.compile(rf"\bcase\s+{REVISION}")),
    ("compares graphics versions", re.compile(r"\bversion(?:\s*/\s*10)?\s*(?:[=!<>]=|[<>])\s*\d")),
    ("compares names of platforms", re.compile(rf"\bstr(?:case)?cmp\([^;]*{NAME}")),
    ("lists platforms", re.compile(rf"{NAME}\s*,\s*{NAME}")),
    ("lists platforms", re.compile(r"\bhsw,? bdw\b|\bicl,? lkf\b|\bbdw,? chv\b")),
]


def comparisons(text):
    """Returns the lines of C that break a rule, without comments."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S)
    return [(number, what) for number, line in enumerate(text.split("\n"), 1)
            for what, rule in RULES if rule.search(line)]


def test_nothing_compares_platforms():
    found = []
    folders = [os.walk(os.path.join(SOURCE, folder)) for folder in ("src", "bench", "fuzz")]
    for path, _, names in itertools.chain(*folders):
        for name in sorted(names):
            file = os.path.relpath(os.path.join(path, name), SOURCE)
            if not name.endswith((".c", ".h")) or file in TABLES or file.startswith("src/nvidia/"):
                continue
            with open(os.path.join(SOURCE, file), encoding="utf-8") as source:
                found += [(file, *bad) for bad in comparisons(source.read())]
    equal(found, [], "compares or lists platforms: ask for a capability of struct intel_platform")


def test_planted_comparisons_are_found():
    for planted in ["    if (unit->platform->revision >= INTEL_BDW)",
                    "    return flat->revision == INTEL_LKF;",
                    "    bool old = gpu->platform->revision < INTEL_ICL;",
                    "    if (INTEL_TGL <= revision)",
                    "    case INTEL_HSW:",
                    "    return device->platform->info.version >= 90 ? -EPERM : -ENODEV;",
                    "    if (device->platform->info.version == 110)",
                    '    if (!strcmp(platform->name, "chv"))',
                    'static const char *const models[] = {"hsw", "bdw", "chv"};',
                    '    "The GPU to emulate: hsw, bdw, chv."']:
        equal(len(comparisons(planted)) > 0, True, planted)
    for allowed in ["#define GT_GEN11_UP (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF))",
                    "    if (platform->interrupts == INTERRUPTS_TREE)",
                    "    {INTEL_BIT(INTEL_TGL), gen12, ARRAY_COUNT(gen12)},",
                    "    for (size_t i = 0; i < INTEL_NAMES_MAX; i++)",
                    "/* before, version >= 90 and case INTEL_HSW */",
                    '    const char *usual = "hsw";']:
        equal(comparisons(allowed), [], allowed)


def emulated():
    return [line.split()[0][len("sim:"):] for line in
            succeed("record", "-d", "list").splitlines() if line.startswith("sim:")]


def test_lists_come_from_the_table():
    names = emulated()
    known, chipsets = ([line.split()[0] for line in succeed("list", what).splitlines()[1:]]
                       for what in ["platforms", "chipsets"])
    equal(names, [name for name in known + chipsets if name in names], "the order of the tables")
    names = [name for name in names if name in known]
    assert len(names) >= 7, names
    with_kernel = [name for name in names if name not in ["snb", "ivb", "vlv"]]
    text = ", ".join(with_kernel)
    assert f"another of {text}; of NVIDIA nv10 to gf117." in succeed("help", "emulate"), text
    for command, models in [("emulate", with_kernel), ("vm", names)]:
        lines = succeed("__complete", "--", command, "-d", "sim:").splitlines()
        words = [line.split("\t")[0] for line in lines]
        assert words[:len(models)] == ["sim:" + name for name in models], words
    done = tally("emulate", "-d", "sim:dg2", "--", "true")
    assert done.returncode == 2 and 'unknown device "sim:dg2", expected sim:dg1' in done.stderr, done
    done = tally("list", "registers", "--platform", "dg2")
    assert done.returncode and f"{', '.join(names[1:-1])} or {names[-1]}" in done.stderr, done


# They have the OA unit of Tiger Lake, and no code of their own.
LIKE_TIGER_LAKE = ["rkl", "dg1", "adl"]


def test_rows_alone_make_models():
    script = "timestamp 4\na 0 const 1\nwr 0x2b28 1\nwr 0xdaf4 0x15\nrun 1000\nrd 0xd980\n"
    registers = succeed("list", "registers", "--platform", "tgl")
    expected = succeed("sim", "-", stdin="platform tgl\n" + script)
    assert "rd 0x00d980 = 0x000003e8" in expected, expected
    for name in LIKE_TIGER_LAKE:
        equal(succeed("list", "registers", "--platform", name), registers, name)
        equal(succeed("sim", "-", stdin=f"platform {name}\n" + script), expected, name)


# Waits until it has written something, at most half a minute.
RECORDING = """i915-perf-recorder -m RenderBasic -p 0.001 -o "$1" >&2 & child=$!
for try in $(seq 300); do
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt 8192 ] && break
    sleep 0.1
done
kill -INT $child; wait $child"""


def test_i915_perf_recorder(directory):
    """The unmodified recorder finds the GPU and the GPU's own set."""
    need_program("i915-perf-recorder")
    for name in LIKE_TIGER_LAKE:
        path = os.path.join(directory, name)
        done = with_recorder(lambda name=name, path=path: tally(
            "emulate", "--root", "--clock", "virtual", "--gpu", name, "--workload", "triangle", "--", "sh", "-c",
            RECORDING, "sh", path))
        equal(done.returncode, 0, f"{name}: {done.stderr}")
        told = succeed("info", path)
        assert "RenderBasic" in told and " 0 losses" in told, told


if __name__ == "__main__":
    main()
