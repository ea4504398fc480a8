# SPDX-License-Identifier: MIT
"""Runs the client of tests/preload/conformance/ on emulated GPUs and keeps docs/i915-conformance.md.

    conformance.py CLIENT [PLATFORM[/SKU][:REVISION][@user]...]

Each platform runs all subtests with the newest revision of the interface; with a revision, those
that depend on it; "@user" runs the tests as an ordinary user whom --root presents as root. The
document must match the results; TALLY_REWRITE=1 writes it. TALLY_FULL_LENGTH=1 uses the times of
IGT's test.

The virtual clock makes the results independent of the machine's load; TALLY_WALL_CLOCK=1 uses the wall
clock, with which timed subtests may need a second try.
"""
import fcntl
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import SOURCE, TALLY  # noqa: E402  pylint: disable=wrong-import-position

PLATFORMS = ["hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl"]
# Platforms that clients treat as another one: they run the tests, but the document omits them.
ALIKE = {"rkl": "tgl", "dg1": "tgl", "adl": "tgl", "hsw/gt3": "hsw", "bdw/gt1": "bdw",
         "skl/gt4": "skl"}
DOCUMENT = os.path.join(SOURCE, "docs", "i915-conformance.md")
PARTS = ["conformance", "device"]  # the tables of the document
# Subtests that depend on the revision of the interface, or query it.
REVISED = ["polling-parameterized", "global-sseu-config-invalid",
           "global-sseu-config", "oa-formats", "version", "parameters", "properties", "engines",
           "change-set", "shared-sets"]
# Skipped on a GPU with one subslice, without IGT's library, with sanitizers, and without libzydis.
MAY_BE_SKIPPED = ["global-sseu-config", "igt-render-copy", "igt-blits", "igt-fast-blits", "no-names", "registers",
                  "registers-by-instruction", "registers-mapped", "registers-threads", "registers-signals", "registers-asleep"]


def table_of(client):
    done = subprocess.run([client, "table"], capture_output=True, text=True, check=True)
    rows = []
    for line in done.stdout.splitlines():
        part, name, platforms, revision, condition, checks, file = line.split("\t")
        rows.append({"part": part, "name": name, "platforms": platforms.split(),
                     "revision": int(revision), "condition": condition, "checks": checks,
                     "file": file})
    return rows


# ---- running -----------------------------------------------------------------------------------

NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def others_may_run(client):
    try:
        done = subprocess.run([TALLY, "emulate", "--", client, "table"], capture_output=True,
                              check=False, **NOBODY)
    except PermissionError:
        return False
    return done.returncode == 0


def run(client, platform, revision, names, who):
    """Returns {name: (word, why)} of the last line that the client printed for each subtest."""
    clock = "wall" if os.environ.get("TALLY_WALL_CLOCK") else "virtual"
    command = [TALLY, "emulate", "--root", "--clock", clock, "--gpu", platform]
    if revision:
        command += ["--perf-revision", str(revision)]
    results = {}
    with subprocess.Popen([*command, "--", client, "run", *names], stdout=subprocess.PIPE,
                          text=True, **who) as process:
        for line in process.stdout:
            word, _, rest = line.strip().partition(" ")
            name, _, why = rest.partition(": ")
            if word in ("passed", "failed", "skipped"):
                results[name] = (word, why)
            if word in ("failed", "again"):
                print(f"{platform}: {line.strip()}")
    return results


def expected_names(rows, platform, revision):
    return [row["name"] for row in rows if ALIKE.get(platform, platform) in row["platforms"]
            and row["revision"] <= (revision or 7) and (not revision or row["name"] in REVISED)]


def run_all(client, rows, platform, revision, who):
    """Prints results as cmocka does. Returns the names of failed subtests."""
    label = f"{platform}:{revision}" if revision else platform
    names = expected_names(rows, platform, revision)
    results = run(client, platform, revision, names, who)
    failed, passed, skipped = [], 0, 0
    for name in names:
        word, why = results.get(name, ("failed", "did not finish"))
        if word == "passed":
            passed += 1
        elif word == "skipped" and name in MAY_BE_SKIPPED:
            skipped += 1
            print(f"[  SKIPPED ] {label} {name}: {why}")
        else:
            failed.append(name)
            print(f"[  FAILED  ] {label} {name}: {why}")
    print(f"[  PASSED  ] {passed} test(s).")
    if skipped:
        print(f"[  SKIPPED ] {skipped} test(s), listed above.")
    if failed:
        print(f"[  FAILED  ] {len(failed)} test(s), listed above.")
    return failed


# ---- the document ------------------------------------------------------------------------------

HEAD = "| subtest | platforms | what is checked | test | result |\n| --- | --- | --- | --- | --- |\n"


def platforms_text(row):
    if row["platforms"] == PLATFORMS:
        text = "all"
    else:
        text = ", ".join(row["platforms"])
    if row["revision"]:
        text += f"; revision {row['revision']}"
    return text + (f"; {row['condition']}" if row["condition"] else "")


def result_text(row, failing):
    bad = [platform for platform in PLATFORMS if platform in failing.get(row["name"], set())]
    return "fails: " + ", ".join(bad) if bad else "passes"


def tables(rows, failing):
    """Returns the tables of the document by their names."""
    texts = {}
    for part in PARTS:
        lines = [f"| {row['name']} | {platforms_text(row)} | {row['checks']} "
                 f"| {row['file']} | {result_text(row, failing)} |\n"
                 for row in rows if row["part"] == part]
        texts[part] = HEAD + "".join(lines)
    return texts


def marks(part):
    return (f"<!-- table {part} is written by the test: TALLY_REWRITE=1 -->\n\n",
            f"\n<!-- end of table {part} -->")


def failing_of(text):
    """Returns the failures that the document lists."""
    failing = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 7 and cells[5].startswith("fails: "):
            failing[cells[1]] = set(cells[5][len("fails: "):].split(", "))
    return failing


def with_tables(text, texts):
    for part, table in texts.items():
        start, end = marks(part)
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = before + start + table + end + after
    return text


def keep_document(rows, platform, failed):
    """Compares or writes the results of a platform. Returns whether the document has them."""
    with open(DOCUMENT, "r+" if os.environ.get("TALLY_REWRITE") else "r",
              encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX if file.writable() else fcntl.LOCK_SH)
        text = file.read()
        failing = failing_of(text)
        for name in {row["name"] for row in rows}:
            where = failing.setdefault(name, set())
            where.discard(platform)
            if name in failed:
                where.add(platform)
        new = with_tables(text, tables(rows, failing))
        if new == text:
            return True
        if not file.writable():
            return False
        file.seek(0)
        file.truncate()
        file.write(new)
        return True


def main():
    client, wanted = sys.argv[1], sys.argv[2:] or PLATFORMS
    rows = table_of(client)
    good = True
    for label in wanted:
        name, _, user = label.partition("@")
        platform, _, revision = name.partition(":")
        who = NOBODY if user and os.geteuid() == 0 else {}
        if who and not others_may_run(client):
            print(f"[  SKIPPED ] {label}: other users cannot run the build")
            print("[  SKIPPED ] 1 test(s), listed above.")
            continue
        failed = run_all(client, rows, platform, int(revision or 0), who)
        good = good and not failed
        if not revision and not user and platform not in ALIKE and not keep_document(rows, platform, failed):
            good = False
            print(f"docs/i915-conformance.md differs for {platform}; "
                  "TALLY_REWRITE=1 writes it")
            print("[  FAILED  ] 1 test(s), listed above.")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
