# SPDX-License-Identifier: MIT
"""The twin test: the calls of tests/twin on emulated GPUs give the answers that Linux's own driver
gave on the same modelled GPU.

    twin.py CLIENT [PLATFORM...]

compares `tally emulate` with the stored answers, real-PLATFORM.txt: the output of the client in a
guest.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import compare  # noqa: E402  pylint: disable=wrong-import-position
from e2e import TALLY  # noqa: E402  pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
PLATFORMS = ["hsw", "bdw", "skl", "icl", "tgl"]
PERF_REVISION = "5"  # of Linux 6.1


def golden(platform):
    """The path of the stored answers."""
    return os.path.join(HERE, f"real-{platform}.txt")


def emulated(client, platform):
    """Returns the client's output under tally emulate, without error states, as in the guest."""
    script = 'echo N >/sys/kernel/debug/dri/0/i915_params/error_capture && exec "$0"'
    done = subprocess.run([TALLY, "emulate", "--root", "--quiet", "--clock", "virtual", "--gpu", platform,
                           "--perf-revision", PERF_REVISION, "--", "sh", "-c", script, client],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{platform}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def print_end(passed, failed):
    """Prints results as cmocka does."""
    print(f"[  PASSED  ] {passed} test(s).")
    if failed:
        print(f"[  FAILED  ] {failed} test(s), listed above.")


def check_emulated(client, platforms):
    """Compares the emulated driver with the stored answers. Returns the number of failures."""
    rules, passed, failed, skipped = compare.load_rules(), 0, 0, 0
    for platform in platforms:
        if not os.path.exists(golden(platform)):
            print(f"[  SKIPPED ] {platform}: there is no real-{platform}.txt")
            skipped += 1
            continue
        with open(golden(platform), encoding="utf-8") as file:
            real = compare.answers_of(file.read())
        calls, allowed, unexplained = compare.compare(
            real, compare.answers_of(emulated(client, platform)), platform, rules)
        compare.show(unexplained)
        print(f"{platform}: {calls} calls, {len(allowed)} allowed differences, "
              f"{len(unexplained)} unexplained")
        failed += bool(unexplained)
        passed += not unexplained
    if not skipped and platforms == PLATFORMS:
        for rule in rules:
            if not rule.used:
                print(f"allowed.txt:{rule.number}: no call differs any more: {rule.reason}")
                failed += 1
    if skipped:
        print(f"[  SKIPPED ] {skipped} test(s), listed above.")
    print_end(passed, failed)
    return failed


def main():
    """The command line."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(1 if check_emulated(sys.argv[1], sys.argv[2:] or PLATFORMS) else 0)


if __name__ == "__main__":
    main()
