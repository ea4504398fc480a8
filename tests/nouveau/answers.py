# SPDX-License-Identifier: MIT
"""The emulated nouveau answers as Linux's does.

real-CHIPSET.txt has the answers of the kernel's nouveau in a guest of `tally vm`, as answers.c prints
them; test_nouveau.py of tests/vm compares them with a guest, and stores them with TALLY_REWRITE=1. Here
the same program runs under `tally emulate`. allowed.txt has the differences that may be.
"""
import difflib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from e2e import BUILD, TALLY, equal, main  # noqa: E402

CLIENT = os.path.join(BUILD, "tests", "nouveau_answers")
CHIPSETS = ["g92"]


def read_allowed():
    with open(os.path.join(HERE, "allowed.txt"), encoding="utf-8") as file:
        rows = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return [row.split("|")[0].strip() for row in rows]


def compare(real, ours, allowed):
    """Returns the lines that differ and may not, and the rows of `allowed` that were used."""
    failures, used = [], set()
    for line in difflib.unified_diff(real, ours, "linux", "emulated", n=0, lineterm=""):
        if line.startswith(("---", "+++", "@@")):
            continue
        rows = [row for row in allowed if line[1:].startswith(row)]
        used.update(rows)
        if not rows:
            failures.append(line)
    return failures, used


def test_answers(directory):
    used, allowed = set(), read_allowed()
    for chipset in CHIPSETS:
        done = subprocess.run([TALLY, "emulate", "--gpu", chipset, "--root", "--clock", "virtual", "--", CLIENT],
                              capture_output=True, text=True, timeout=300, cwd=directory)
        equal(done.returncode, 0, done.stderr)
        with open(os.path.join(HERE, f"real-{chipset}.txt"), encoding="utf-8") as file:
            failures, rows = compare(file.read().splitlines(), done.stdout.splitlines(), allowed)
        used |= rows
        equal(failures[:20], [], chipset)
    equal(sorted(set(allowed) - used), [], "rows of allowed.txt that no answer uses")


if __name__ == "__main__":
    main()
