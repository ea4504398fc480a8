# SPDX-License-Identifier: MIT
"""Tally as a subproject of Meson, as a static library, and without its optional parts."""
import json
import os
import subprocess

from e2e import SAMPLES, SOURCE, Skip, contains, equal, main, need_program

PARENT = os.path.join(SOURCE, "tests", "subproject")
# Nothing that a parent does not need; compiled fast.
FAST = ["-Doptimization=0", "-Ddebug=false"]
WITHOUT = ["store", "clickhouse", "server", "screen", "python"]
DATA = {f"TALLY_{name.upper()}_PATH": os.path.join(SOURCE, "data", name) for name in ["metrics", "workloads"]}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, **options)
    equal(done.returncode, 0, f"{command}: {done.stdout[-3000:]} {done.stderr[-1000:]}")
    return done.stdout


def need_slow_tests():
    if not os.environ.get("TALLY_SLOW_TESTS"):
        raise Skip("builds everything: make check CHECK=options runs it")


def parent(directory, *options):
    """Configures the parent project, whose subproject is this tree."""
    need_program("meson")
    os.makedirs(os.path.join(directory, "parent", "subprojects"))
    os.symlink(SOURCE, os.path.join(directory, "parent", "subprojects", "tally"))
    for name in ["meson.build", "parent.c"]:
        os.symlink(os.path.join(PARENT, name), os.path.join(directory, "parent", name))
    build = os.path.join(directory, "build")
    printed = run("meson", "setup", build, os.path.join(directory, "parent"), *FAST,
                  *(f"-Dtally:{name}=disabled" for name in WITHOUT), *options)
    return build, printed


def introspect(build, what):
    return json.loads(run("meson", "introspect", build, what))


def test_a_parent_finds_the_library_in_the_tree(directory):
    """Meson configures both projects; `make check` builds them."""
    build, printed = parent(directory)
    version = run(os.path.join(SOURCE, "tools", "version")).strip()
    contains(printed, f"Dependency tally found: YES {version} (overridden)")
    targets = {target["name"]: target for target in introspect(build, "--targets")}
    equal(targets["tally"]["type"] in ("shared library", "executable"), True)
    # What only this tree itself needs is not there: tests, and names that the parent may want.
    equal([test["name"] for test in introspect(build, "--tests")], ["parent"])
    equal([name for name in targets if name in ("product", "guest-clients", "compare_models", "test_base")], [])


def test_a_parent_is_built(directory):
    """Statically and dynamically: only the library is built for it."""
    need_slow_tests()
    for kind in ["static", "shared"]:
        folder = os.path.join(directory, kind)
        build, _ = parent(folder, f"-Ddefault_library={kind}")
        run("ninja", "-C", build, "parent")
        equal(run(os.path.join(build, "parent"), f"{SAMPLES}/hsw.i915-perf", env={**os.environ, **DATA}), "376 samples\n")
        equal(os.path.exists(os.path.join(build, "subprojects", "tally", "tally")), False, "the command is built, too")
        libraries = run("ldd", os.path.join(build, "parent"))
        equal("libtally" in libraries, kind == "shared", libraries)
        run("meson", "test", "-C", build)


def test_without_optional_parts(directory):
    """Each command that needs a part that is not there says so; everything else works."""
    need_slow_tests()
    need_program("meson")
    build = os.path.join(directory, "build")
    run("meson", "setup", build, SOURCE, *FAST, "-Dtests=disabled", *(f"-D{name}=disabled" for name in WITHOUT))
    run("ninja", "-C", build)
    command = os.path.join(build, "tally")
    options = run(command, "version", "--build-options")
    for line in ["screen: none", "server: none", "store: none", "clickhouse: none"]:
        contains(options, line)
    libraries = run("ldd", command)
    for name in ["sqlite", "curl", "microhttpd", "ncurses"]:
        assert name not in libraries, libraries
    equal(os.path.exists(os.path.join(build, "python", "tally")), False)
    contains(run(command, "report", "-c", "GpuBusy", f"{SAMPLES}/hsw.i915-perf", env={**os.environ, **DATA}), "GpuBusy")
    contains(run(command, "top", "--once", "-d", "sim:skl", env={**os.environ, **DATA}), "GpuBusy")
    open(os.path.join(directory, "x.db"), "w", encoding="utf-8").close()
    for arguments, library in [(["store", "list", "x.db"], "SQLite"), (["query", "x.db", "SELECT 1"], "SQLite"),
                               (["report", "x.db#1"], "SQLite"), (["serve", "-d", "sim:skl"], "libmicrohttpd")]:
        done = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=60, cwd=directory)
        assert done.returncode in (1, 2), (arguments, done.returncode, done.stderr)
        contains(done.stderr.lower(), library.lower(), arguments)
        equal(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    main()
