# SPDX-License-Identifier: MIT
"""The stored answers of the twin test (tests/twin/real-*.txt) are those of the kernel's own i915 in a guest:
the same client, one boot a platform. TALLY_REWRITE=1 stores the answers again."""
import os
import sys

from vm import HERE, log_of, problems, vm

from e2e import BUILD, Skip, equal, main

sys.path.insert(0, os.path.join(HERE, "..", "twin"))

import compare  # noqa: E402
import twin  # noqa: E402

CLIENT = os.path.join(BUILD, "tests", "twin")
KERNEL = "Linux 6.1."  # whose answers are stored

# What the client makes the kernel complain about: PERF_ADD_CONFIG with 2^32 - 1 registers.
PROVOKED = ["mm/page_alloc.c", "Call Trace"]


def kernel_of(text):
    """The kernel's version in the first line of the answers."""
    return text.partition("\n")[0].partition(", ")[2]


def check_platform(gpu, directory):
    log = os.path.join(directory, "log")
    done = vm(CLIENT, gpu=gpu, cwd=directory, options=["--quiet", "--timeout", "280s", "--log", log])
    equal(done.returncode, 0, done.stderr)
    if not kernel_of(done.stdout).startswith(KERNEL):
        raise Skip(f"needs the answers of {KERNEL}x, the guest has {kernel_of(done.stdout)}")
    if os.environ.get("TALLY_REWRITE"):
        with open(twin.golden(gpu), "w", encoding="utf-8") as file:
            file.write(done.stdout)
    with open(twin.golden(gpu), encoding="utf-8") as file:
        stored = compare.answers_of(file.read())
    answers = compare.answers_of(done.stdout)
    differences = [f"{name}: {answers.get(name)}, stored: {stored.get(name)}"
                   for name in {**stored, **answers} if answers.get(name) != stored.get(name)]
    equal(differences[:12], [], gpu)
    equal([line for line in problems(log_of(log)) if not any(word in line for word in PROVOKED)], [],
          "the kernel's log")


def test_hsw(directory):
    check_platform("hsw", directory)


def test_bdw(directory):
    check_platform("bdw", directory)


def test_skl(directory):
    check_platform("skl", directory)


def test_icl(directory):
    check_platform("icl", directory)


def test_tgl(directory):
    check_platform("tgl", directory)


if __name__ == "__main__":
    main()
