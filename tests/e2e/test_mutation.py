# SPDX-License-Identifier: MIT
"""tools/mutation: the mutants of a seed are those, and each explanation matches one. The runs
themselves take hours: `make mutation`."""
import os
import subprocess
import sys

from e2e import SOURCE, contains, equal, main, need_program

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import mutants  # noqa: E402  pylint: disable=wrong-import-position

LINES = {
    "    if (count < 16 && !flag)": {
        "comparison: if (count <= 16 && !flag)", "number: if (count < 17 && !flag)",
        "number: if (count < 15 && !flag)", "logic: if (count < 16 || !flag)",
        "negation: if (count < 16 && flag)", "condition: if (!(count < 16 && !flag))"},
    "    total += size << 3;": {
        "arithmetic: total -= size << 3;", "shift: total += size >> 3;",
        "number: total += size << 4;", "number: total += size << 2;", "delete: ;"},
    "    return true; /* not 1 */": {"boolean: return false; /* not 1 */"},
    "    char text[256];": set(),
    "    unsigned bit : 1;": set(),
    "    uint32_t *a, b = x & 0x0f;": {
        "bits: uint32_t *a, b = x | 0x0f;", "number: uint32_t *a, b = x & 0x10;",
        "number: uint32_t *a, b = x & 0x0e;"},
    "    free(text);": set(),
    '    {"a, 1", 2, NAME},': {
        'number: {"a, 1", 3, NAME},', 'number: {"a, 1", 1, NAME},', 'swap: {"a, 1", NAME, 2},',
        "drop: "},
    '#include "a1.h"': set(),
    "#define BITS 4": {"number: #define BITS 5", "number: #define BITS 3"},
}


def test_operators():
    for line, expected in LINES.items():
        found = set()
        for operator, start, end, other in mutants.of_line("a.c", mutants.mask(line), ""):
            if operator in ("swap", "condition"):
                other = mutants.restore(operator, line, start, end, other)
            found.add(f"{operator}: {(line[:start] + other + line[end:]).strip()}")
        equal(found, {text if text != "drop: " else "drop: " for text in expected}, line)


def listed(*options):
    return subprocess.run([os.path.join(SOURCE, "tools", "mutation"), "build", "--list", *options],
                          capture_output=True, text=True, check=True).stdout


def test_seeds():
    """The same seed draws the same; a larger count adds mutants; another seed draws others."""
    need_program("git")  # which lists the files
    few, many = listed("--count", "20"), listed("--count", "60")
    equal(listed("--count", "20"), few)
    equal(many.startswith(few), True)
    equal(listed("--count", "20", "--seed", "2") != few, True)
    for line in listed("--count", "20", "--files", "src/nvidia").splitlines()[::3]:
        contains(line, "src/nvidia/")


def test_explanations():
    done = subprocess.run([os.path.join(SOURCE, "tools", "mutation"), "build", "--check"],
                          capture_output=True, text=True, check=False)
    equal(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
