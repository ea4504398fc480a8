# SPDX-License-Identifier: MIT
"""Nothing in src/ is for tests only: each function and object that a file of src/ shares is used by
another file of src/, or belongs to the public interface."""
import collections
import glob
import os
import re
import shutil
import subprocess

from e2e import BUILD, SOURCE, Skip, equal, main

# Symbols that tests alone may use for now: name, reason.
EXPECTED = {}

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def words_of(pattern):
    """How often each identifier occurs in the code of files."""
    words = collections.Counter()
    for path in glob.glob(os.path.join(SOURCE, pattern), recursive=True):
        words.update(re.findall(r"\b[A-Za-z_]\w*\b", COMMENT_OR_STRING.sub("", read(path))))
    return words


def objects():
    """Object files of src/ by the path of their source."""
    found = {}
    for folder in ("src/libtally_core.a.p", "src/libtally_cli.a.p", "src/libkernels_*.a.p", "tally.p"):
        for path in glob.glob(os.path.join(BUILD, folder, "*.c.o")):
            name = re.sub(r"^src_", "", os.path.basename(path)[:-4])
            found[path] = name
    sources = {}
    for path in glob.glob(os.path.join(SOURCE, "src", "**", "*.c"), recursive=True):
        sources[os.path.relpath(path, os.path.join(SOURCE, "src")).replace(os.sep, "_")] = path
    return {path: sources.get(name + ".c" if not name.endswith(".c") else name)
            for path, name in found.items()}


def symbols():
    """Definitions and uses of shared symbols: name to object files."""
    if not shutil.which("nm"):
        raise Skip("needs nm")
    files = objects()
    if len(files) < 100:
        raise Skip("the object files are not in " + BUILD)
    done = subprocess.run(["nm", "-A", "-g", *files], check=True, capture_output=True, text=True)
    defined, used = collections.defaultdict(set), collections.defaultdict(set)
    for line in done.stdout.splitlines():
        path, _, rest = line.partition(":")
        kind, name = rest.split()[-2:]
        (used if kind == "U" else defined)[name].add(path)
    # The preloaded library has files in common with the command, whose functions it uses, too.
    library = glob.glob(os.path.join(BUILD, "src/libtally-preload.so.p", "*.c.o"))
    done = subprocess.run(["nm", "-A", "-u", *library], check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        used[line.split()[-1]].add(line.partition(":")[0])
    return files, defined, used


def unused():
    """Symbols that no other file of src/ uses, and how: "for tests only" if not even its own file
    does, "should be static" if only that does and no test."""
    files, defined, used = symbols()
    public = words_of("include/tally/*.h")
    tests = sum((words_of(folder + "/**/*.[ch]") for folder in ("tests", "fuzz", "bench")),
                collections.Counter())
    found = {}
    for name, places in defined.items():
        if name == "main" or name in public or used[name] - places:
            continue
        source = files[next(iter(places))]
        if not source or re.match(r"_|\.", name):
            continue  # generated tables, and what compilers add
        own = re.findall(rf"\b{name}\b", COMMENT_OR_STRING.sub("", read(source)))
        if len(own) < 2:
            found[name] = "is for tests only"
        elif not tests[name]:
            found[name] = "should be static"
    return found


def test_all_is_used():
    """A test may use a function that its own file uses too, but none that only tests use."""
    wrong = [f"{name} {how}" for name, how in sorted(unused().items()) if name not in EXPECTED]
    equal(wrong, [], "functions that src/ does not need")


def test_no_stale_exception():
    """What has landed leaves the table."""
    equal(sorted(set(EXPECTED) - set(unused())), [], "exceptions")


def test_planted_one_is_found():
    """The search finds symbols at all."""
    _, defined, used = symbols()
    equal(len(defined) > 500 and len(used) > 500, True, "symbols")


if __name__ == "__main__":
    main()
