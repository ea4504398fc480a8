#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library that draws the charts of pages: uPlot, from npm, under the MIT licence.

It is not part of the source tree. Run as a program, this gets it into the cache folder; the build
embeds it from there (embed.py). Without it, everything is built except for the format html.
"""
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request

NAME = "uPlot 1.6.32"
PACKAGE = "uplot@1.6.32"
FILE = "uplot-1.6.32.tgz"
URL = "https://registry.npmjs.org/uplot/-/" + FILE
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


def get_with_npm(npm, folder):
    """Gets the package with npm, which knows the user's registry. Returns an error, or None."""
    done = subprocess.run([npm, "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=False)
    lines = (done.stderr or done.stdout).strip().splitlines()
    return f"npm pack {PACKAGE} failed" + (f": {lines[0]}" if lines else "") if done.returncode else None


def get_from_registry(folder):
    """Gets the package from npm's public registry, without npm."""
    with urllib.request.urlopen(URL, timeout=120) as reply, open(os.path.join(folder, FILE), "wb") as out:
        shutil.copyfileobj(reply, out)


def get():
    """Gets the package. Returns an error, or None."""
    npm = shutil.which("npm")
    os.makedirs(os.path.dirname(path()), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path())) as folder:
        made = os.path.join(folder, FILE)
        error = get_with_npm(npm, folder) if npm else None
        if not npm or error:
            get_from_registry(folder)
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
