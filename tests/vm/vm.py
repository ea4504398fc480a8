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
