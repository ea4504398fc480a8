# SPDX-License-Identifier: MIT
"""The kernel's own i915 on the modelled GPUs that test_gpu.py does not have: a short boot each. The driver
finds the GPU without a warning, a batch on each engine stores a number, the driver records, and is loaded again.
docs/vm.md has a table of the results."""
import os

import test_gpu
from vm import log_of, problems, vm

from e2e import BUILD, equal, main, succeed

STORES = os.path.join(BUILD, "tests", "stores")

ROWS = {
    # platform: PCI id, generation, engines, whether the driver has counters
    "snb": ("0126", 6, ["rcs0", "bcs0", "vcs0"], False),
    "ivb": ("0166", 7, ["rcs0", "bcs0", "vcs0"], False),
    "vlv": ("0f31", 7, ["rcs0", "bcs0", "vcs0"], False),
    "chv": ("22b1", 8, ["rcs0", "bcs0", "vcs0", "vecs0"], True),
    "bdw/gt3": ("1626", 8, ["rcs0", "bcs0", "vcs0", "vcs1", "vecs0"], True),
    "skl/gt3": ("1926", 9, ["rcs0", "bcs0", "vcs0", "vcs1", "vecs0"], True),
    "rkl": ("4c8a", 12, ["rcs0", "bcs0", "vcs0", "vecs0"], True),
    "adl": ("46a6", 12, ["rcs0", "bcs0", "vcs0", "vcs1", "vecs0"], True),
}

# Runs in the guest. Its output is lines of a key and values.
SCRIPT = """
debug=/sys/kernel/debug/dri/0
echo nodes $(ls /dev/dri)
echo id $(cat /sys/bus/pci/devices/0000:00:02.0/device)
echo engines $(grep '^[a-z]*[0-9]$' $debug/i915_engine_info)
stores="$1 $2 $(grep '^[a-z]*[0-9]$' $debug/i915_engine_info)"
echo stored $($stores)
echo wedged $(cat $debug/i915_wedged)
[ $3 = False ] || { record recording; sleep 1; stop; }
echo unload $(rmmod i915 2>&1; echo $?)
echo load $(modprobe i915 2>&1; echo $?)
echo again $(ls /dev/dri) $(cat $debug/i915_wedged)
"""


def check_recording(directory, platform, failures):
    """The recording has the workload's answers: those of the same workload without a guest."""
    path, known = os.path.join(directory, "recording"), os.path.join(directory, "known")
    if not os.path.exists(path):
        with open(os.path.join(directory, "recorder.txt"), encoding="utf-8") as file:
            failures.append(f"recorder: {file.read()}")
        return
    succeed("record", "-q", "-d", f"sim:{platform}", "--workload", test_gpu.WORKLOAD, "-t", "1s", "-o", known)
    for counter in ["GpuBusy", "EuActive"]:
        (got, deltas), (expected, _) = test_gpu.share(path, counter), test_gpu.share(known, counter)
        if deltas < 100:
            failures.append(f"recorder: {deltas} deltas")
        if expected == 0 or abs(got - expected) > 2:
            failures.append(f"{counter}: {got} %, without a guest {expected} %")


def check_platform(platform, directory):
    device, generation, engines, counts = ROWS[platform]
    log, unknown = os.path.join(directory, "log"), os.path.join(directory, "unknown")
    stored = [word for i, engine in enumerate(engines) for word in (engine, str(1002 + i))]
    script, options = test_gpu.with_recorder(platform, SCRIPT)
    done = vm("sh", "-c", script, "sh", STORES, str(generation), str(counts), gpu=platform, cwd=directory, options=[
        "--quiet", "--clock", "guest", "--timeout", "280s", "--workload", test_gpu.WORKLOAD, "--log", log,
        "--unknown", unknown, "--add", STORES, *options])
    failures = [f"kernel: {line}" for line in problems(log_of(log))]
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    if done.returncode:
        failures.append(f"exit status {done.returncode}: {done.stderr}")
    for key, expected in [("nodes", ["card0", "renderD128"]), ("id", ["0x" + device]), ("engines", engines),
                          ("stored", stored), ("wedged", ["0"]), ("unload", ["0"]), ("load", ["0"]),
                          ("again", ["card0", "renderD128", "0"])]:
        if rows.get(key) != expected:
            failures.append(f"{key}: {rows.get(key)}, expected {expected}")
    if counts:
        check_recording(directory, platform, failures)
    test_gpu.check_unknown(platform, unknown, failures)
    equal(failures[:12], [], platform)


def test_rkl(directory):
    check_platform("rkl", directory)


def test_bdw_gt3(directory):
    check_platform("bdw/gt3", directory)


def test_skl_gt3(directory):
    check_platform("skl/gt3", directory)


def test_adl(directory):
    check_platform("adl", directory)


def test_chv(directory):
    check_platform("chv", directory)


def test_ivb(directory):
    check_platform("ivb", directory)


def test_snb(directory):
    check_platform("snb", directory)


def test_vlv(directory):
    check_platform("vlv", directory)


if __name__ == "__main__":
    main()
