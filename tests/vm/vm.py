# SPDX-License-Identifier: MIT
"""Shared by the tests that boot virtual machines."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from e2e import TALLY, Skip  # noqa: E402

# What a machine can lack; each message names the package.
MISSING = re.compile(r"tally: vm: (.*(?:not found, expected the package|no kernel with modules).*)")


def need_machine():
    """Skips if this machine cannot boot a guest."""
    if not shutil.which("qemu-system-x86_64"):
        raise Skip("needs qemu-system-x86 (make deps-vm)")
    # Kernel and busybox are looked for before the command, which is looked for before QEMU.
    done = subprocess.run([TALLY, "vm", "--gpu", "none", "--", "/nonexistent"], capture_output=True,
                          text=True)
    missing = MISSING.search(done.stderr)
    if missing:
        raise Skip(missing.group(1))


def vm(*command, gpu="none", options=(), timeout=300, **more):
    """Boots a machine and runs a command in it; returns the finished process."""
    need_machine()
    done = subprocess.run([TALLY, "vm", "--gpu", gpu, *options, "--", *command], capture_output=True,
                          text=True, timeout=timeout, **more)
    return done


def log_of(path):
    """The kernel's messages in a file of --log."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def problems(log):
    """Lines of a kernel's log that report a problem."""
    return [line for line in log.splitlines()
            if re.search(r"WARNING: |BUG: |\*ERROR\*|Oops|Call Trace|Unknown symbol|blocked for more", line)]


def check_unknown(gpu, path, failures):
    """The driver touches no register that the model lacks, but those in the list of the GPU."""
    with open(path, encoding="utf-8") as file:
        found = file.read()
    golden = os.path.join(HERE, "unknown", gpu.split("/")[0] + ".txt")
    if os.environ.get("TALLY_REWRITE"):
        with open(golden, "w", encoding="utf-8") as file:
            file.write(found)
    with open(golden, encoding="utf-8") as file:
        known = dict(line.split() for line in file)
    for line in found.splitlines():
        address, access = line.split()
        if not set(access) - {"-"} <= set(known.get(address, "")):
            failures.append(f"unknown register {line}: the model lacks it and {golden} does, too")
