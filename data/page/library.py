#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library that draws the charts of pages: uPlot, from npm, under the MIT licence.

It is not part of the source tree. Run as a program, this gets it into the cache folder (--path prints where it
is); the build embeds it from there (embed.py). A source package has it unpacked in uplot/ instead, and is built
without network. Without both, everything is built except for the format html.
"""
import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

NAME = "uPlot 1.6.32"
PACKAGE = "uplot@1.6.32"
FILE = "uplot-1.6.32.tgz"
URL = "https://registry.npmjs.org/uplot/-/" + FILE
INTEGRITY = ("sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/"
             "ep3tOkyTxpiQIw==")
UNPACKED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "uplot")


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


def used():
    """The file whose change makes the pages anew: the package, or that of the source package."""
    unpacked = os.path.join(UNPACKED, "package.json")
    return unpacked if os.path.exists(unpacked) else path()


def is_there():
    """Whether the library is in the source package, or intact in the cache folder."""
    if used() == path():
        return is_intact(path())
    with open(used(), encoding="utf-8") as file:
        return "uPlot " + json.load(file)["version"] == NAME


def read(names):
    """The texts of files of the package."""
    if used() != path():
        texts = []
        for name in names:
            with open(os.path.join(UNPACKED, name), encoding="utf-8") as file:
                texts.append(file.read())
        return texts
    with tarfile.open(path()) as package:
        return [package.extractfile("package/" + name).read().decode("utf-8") for name in names]


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
    if sys.argv[1:] == ["--path"]:
        print(path() if is_intact(path()) else "")
        return
    if is_there():
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
