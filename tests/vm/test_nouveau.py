# SPDX-License-Identifier: MIT
"""The kernel's own nouveau on the modelled G92: one boot, with a list of checks."""
import csv
import os
import shlex

from vm import check_unknown, log_of, problems, vm

from e2e import BUILD, SOURCE, equal, main

ANSWERS = os.path.join(BUILD, "tests", "nouveau_answers")
REAL_ANSWERS = os.path.join(SOURCE, "tests", "nouveau", "real-g92.txt")
COUNTERS = os.path.join(BUILD, "tests", "nvif")
REGISTERS = os.path.join(BUILD, "tests", "bar0")

# More options of `tally vm`, such as --kernel and --modules.
OPTIONS = shlex.split(os.environ.get("TALLY_TEST_VM_OPTIONS", ""))

# Signals of domain 1: how many clocks there are to one of it.
SIGNALS = """\
clock 1 4
sig 1 0xbd every 5 0
sig 1 0x5c const 1
sig 1 0x5d every 16 3
sig 1 0xa4 every 2 0
"""
PERIODS = [5, 1, 16, 2]

# Runs in the guest. The registers are those that nouveau writes when a program counts: CTRL, SRC and OP
# of domain 1, and the trigger at the ends of the period. SPEC_SRC is as the VBIOS's script leaves it.
SCRIPT = """
echo nodes $(ls /dev/dri)
echo interrupts $(grep -c 'PCI-MSI.* nvkm' /proc/interrupts)
nvif list
echo spec $(bar0 a560 a564 a57c | cut -d' ' -f2)
nvif 1:bd 1:5c 1:5d 1:a4 count=20
echo counting $?
bar0 a7c4=1 a404=bd a424=aaaa a444=5c a464=aaaa a484=5d a4a4=aaaa a4c4=a4 a4e4=aaaa \\
    400084=20 sleep=20 400084=20 sleep=1 a604 a704 a6c4 a684 a744
echo unload $(rmmod nouveau 2>&1; echo $?) $(ls /dev/dri 2>/dev/null)
echo load $(modprobe nouveau 2>&1; echo $?) $(ls /dev/dri)
nvif list | grep -c ^signal
"""

# What the client returns if the kernel does not let programs make a domain of counters.
REFUSED = 3


def check_counts(counts, what, failures):
    """The first number is that of clocks, the others those of the signals."""
    clocks, *signals = counts
    if clocks < 20e6 / 4:
        failures.append(f"{what}: {clocks} clocks in 20 ms")
    for period, signal in zip(PERIODS, signals):
        if abs(period * signal - clocks) > period:
            failures.append(f"{what}: {signal} of {clocks} clocks, expected one of {period}")


def check_signals(lines, failures):
    """The driver's names are those of the published lists."""
    with open(os.path.join(SOURCE, "data", "signals", "g92.csv"), encoding="utf-8") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        published = {(int(row[0]), index) for row in rows if row[0].isdigit()
                     for index in indices(row[1])}
    found = [line.split() for line in lines if line.startswith("signal ")]
    domains = [line.split()[1:3] for line in lines if line.startswith("domain ")]
    if domains != [[str(i), "4"] for i in range(8)]:
        failures.append(f"domains {domains}")
    if ["signal", "1", "bd", "0", "pc01_gr_idle"] not in found:
        failures.append("no signal pc01_gr_idle")
    for _, domain, index, _, name in found:
        if (int(domain), int(index, 16)) not in published and not name.endswith("trailer"):
            failures.append(f"{name}: no signal {index} of domain {domain} in g92.csv")


def indices(text):
    """The numbers of a range such as 07-0c."""
    first, _, last = text.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


def test_g92(directory):
    signals, log = os.path.join(directory, "signals.pct"), os.path.join(directory, "log")
    unknown = os.path.join(directory, "unknown")
    with open(signals, "w", encoding="utf-8") as file:
        file.write(SIGNALS)
    script = SCRIPT.replace("nvif ", COUNTERS + " ").replace("bar0 ", REGISTERS + " ")
    done = vm("sh", "-c", script, gpu="g92", cwd=directory, options=[
        *OPTIONS, "--quiet", "--timeout", "280s", "--signals", signals, "--log", log, "--unknown", unknown,
        "--add", COUNTERS, "--add", REGISTERS])
    lines = done.stdout.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    failures = [f"kernel: {line}" for line in problems(log_of(log))]
    if done.returncode:
        failures.append(f"exit status {done.returncode}: {done.stderr}")
    for key, expected in [("nodes", ["card0", "renderD128"]), ("interrupts", ["1"]),
                          ("spec", ["0000004f", "000000ef", "000000ef"]), ("unload", ["0"]),
                          ("load", ["0", "card0", "renderD128"])]:
        if rows.get(key) != expected:
            failures.append(f"{key}: {rows.get(key)}, expected {expected}")
    check_signals(lines, failures)
    if lines[-1:] != [str(sum(line.startswith("signal ") for line in lines))]:
        failures.append("the signals after the driver was loaded again")
    # Linux 6.1 refuses; with a kernel that does not, the driver's own counting is checked, too.
    if "count" in rows:
        check_counts([int(word) for word in rows["count"][1:]], "nouveau", failures)
    elif rows.get("counting") != [str(REFUSED)]:
        failures.append(f"counting: {rows.get('counting')}, {done.stderr}")
    check_counts([int(rows[key][0], 16) for key in ("00a604", "00a704", "00a6c4", "00a684", "00a744")
                  if key in rows] or [0], "registers", failures)
    check_unknown("g92", unknown, failures)
    equal(failures[:12], [])


def test_answers(directory):
    """The driver answers as is stored, which tests/nouveau compares with the emulated one. It makes page
    tables for each buffer word by word, which takes minutes."""
    done = vm(ANSWERS, gpu="g92", cwd=directory, timeout=3000, options=[
        *OPTIONS, "--quiet", "--timeout", "2900s", "--add", ANSWERS])
    equal(done.returncode, 0, done.stderr)
    if os.environ.get("TALLY_REWRITE"):
        with open(REAL_ANSWERS, "w", encoding="utf-8") as file:
            file.write(done.stdout)
    with open(REAL_ANSWERS, encoding="utf-8") as file:
        expected = file.read().splitlines()
    answers = done.stdout.splitlines()
    equal([pair for pair in zip(answers, expected) if pair[0] != pair[1]][:12], [])
    equal(len(answers), len(expected))


if __name__ == "__main__":
    main()
