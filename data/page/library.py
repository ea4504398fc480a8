#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library that draws the charts of pages: uPlot, from npm, under the MIT licence.

It is not part of the source tree. Run as a program, this gets it into the cache folder, if npm is there; the
build embeds it from there (embed.py). Without it, everything is built except for the format html.
"""
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

NAME = "uPlot 1.6.32"
PACKAGE = "uplot@1.6.32"
FILE = "uplot-1.6.32.tgz"
INTEGRITY = ("sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/"
             "ep3tOkyTxpiQIw==")


def path():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(cache, "tally", "page", FILE)


def is_intact(file):
    """Whether a file is the package that INTEGRITY names."""
    try:
        with open(file, "rb") as package:
            digest = hashlib.sha512(package.read()).digest()
    except OSError:
        return False
    return "sha512-" + base64.b64encode(digest).decode() == INTEGRITY


def get():
    """Gets the package. Returns an error, or None."""
    npm = shutil.which("npm")
    if not npm:
        return "npm not found"
    os.makedirs(os.path.dirname(path()), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path())) as folder:
        done = subprocess.run([npm, "pack", "--silent", PACKAGE], cwd=folder, capture_output=True,
                              text=True, timeout=120, check=False)
        made = os.path.join(folder, FILE)
        if done.returncode or not os.path.exists(made):
            lines = (done.stderr or done.stdout).strip().splitlines()
            return f"npm pack {PACKAGE} failed" + (f": {lines[0]}" if lines else "")
        if not is_intact(made):
            return f"{PACKAGE} is not the package that was expected ({INTEGRITY[:20]}...)"
        os.replace(made, path())
    return None


def main():
    if is_intact(path()):
        return
    print(f"getting: {PACKAGE} into {os.path.dirname(path())}")
    try:
        error = get()
    except (OSError, subprocess.TimeoutExpired) as failure:
        error = str(failure)
    if error:
        print(f"deps: {error}; tally is built without the format html", file=sys.stderr)


if __name__ == "__main__":
    main()
