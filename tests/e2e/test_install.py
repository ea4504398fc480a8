# SPDX-License-Identifier: MIT
"""An installation works for programs outside this tree, and can be removed."""
import os
import re
import shutil
import subprocess

from e2e import (BUILD, SAMPLES, SOURCE, Skip, contains, equal, json_lines, main, need_program,
                 succeed)


def install(directory):
    need_program("meson")
    # The build's prefix, below a temporary directory.
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir",
                    directory], check=True, capture_output=True)
    for root, _, names in os.walk(directory):
        if "tally.pc" in names:
            prefix = subprocess.run(["pkg-config", "--variable=prefix",
                                     os.path.join(root, "tally.pc")],
                                    capture_output=True, text=True, check=True).stdout.strip()
            return directory + prefix, root
    raise AssertionError("no tally.pc was installed")


def build_example(directory, pkgconfig, name, compiler=("gcc",)):
    """Builds a program of docs/examples/ with pkg-config only."""
    environment = dict(os.environ, PKG_CONFIG_PATH=pkgconfig, PKG_CONFIG_SYSROOT_DIR=directory)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "tally"], env=environment,
                           capture_output=True, text=True, check=True).stdout.split()
    program = os.path.join(directory, name)
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", program,
                    os.path.join(SOURCE, "docs", "examples", name + ".c"), *flags], check=True)
    return program


def run_example(prefix, pkgconfig, *command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(pkgconfig),
                                   TALLY_METRICS_PATH=f"{prefix}/share/tally/metrics",
                                   TALLY_WORKLOADS_PATH=f"{prefix}/share/tally/workloads"))
    equal(done.returncode, 0, done.stderr)
    return done.stdout


def check_busiest(program, *run):
    sample = f"{SAMPLES}/chv.i915-perf"
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", sample))
              if line["type"] == "delta" and line["state"] == "ok"]
    best = max(deltas, key=lambda line: line["counters"]["GpuBusy"])
    equal(run_example(*run, program, sample, "GpuBusy"),
          f"report {best['index']}: GpuBusy = {best['counters']['GpuBusy']:.2f} percent\n")


def check_changes(program, *run):
    before, after = f"{SAMPLES}/chv.i915-perf", program + ".i915-perf"
    succeed("record", "-q", "-d", "sim:hsw", "--clock", "free", "-t", "50ms", "-p", "100us", "-o", after)
    rows = json_lines(succeed("compare", "-f", "jsonl", before, after))
    changed = [f"{row['counter']}: {row['a']:.4g} -> {row['b']:.4g} {row['units']}" for row in rows
               if row["type"] == "counter" and row["changed"]]
    assert changed, rows
    lines = run_example(*run, program, before, after, "GpuBusy < 101%").splitlines()
    equal([line for line in lines if line in changed], changed)
    contains(lines[0], "losses: ")
    contains(lines[-1], "passed: mean(GpuBusy) is ")


def check_samples(program, *run):
    """Each delta has a value, or the reason why it has none."""
    sample = f"{SAMPLES}/chv.i915-perf"
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", sample))
              if line["type"] == "delta"]
    lines = run_example(*run, program, sample, "GpuBusy").splitlines()
    expected = [f"{line['counters']['GpuBusy']:.2f}" if line["state"] == "ok"
                else f"no value ({line['state']})" for line in deltas]
    assert len(expected) > 50, len(expected)
    equal([line.split(": ", 1)[1] for line in lines], expected)


def check_embed(program, *run):
    """Reports every 1024 ticks of 80 ns."""
    lines = run_example(*run, program).splitlines()
    expected = [(ms * 12500 + 512) // 1024 for ms in range(1, 6)]
    equal(lines, [f"{i + 1} ms: {count} reports, timestamp {1024 * count - 512}" for i, count in enumerate(expected)])


def check_live(program, *run):
    """A second of sim:skl with data/workloads/triangle.yaml: 25.6 % busy in frames of 16.7 ms."""
    lines = run_example(*run, program, "sim:skl").splitlines()
    found = [re.fullmatch(r"([0-9.]+) s  GpuBusy ([0-9.]+) %", line) for line in lines]
    assert all(found), lines
    # Reports that were pending at the end may begin an eleventh interval.
    equal([match[1] for match in found[:10]], [f"{tenth / 10:.1f}" for tenth in range(10)])
    assert len(found) <= 11, lines
    busy = [float(match[2]) for match in found[:10]]
    # One frame more or less than the mean of six per interval.
    assert all(25.6 * 5 / 6 <= value <= 25.6 * 7 / 6 for value in busy[:-1]), busy


def check_marks(program, prefix, pkgconfig):
    """Recorded by the installed command, and without."""
    equal(run_example(prefix, pkgconfig, program), "not recorded\n")
    path = program + ".i915-perf"
    equal(run_example(prefix, pkgconfig, f"{prefix}/bin/tally", "record", "-q", "-d", "sim:skl", "-o", path, "--", program),
          "recorded\n")
    groups = json_lines(run_example(prefix, pkgconfig, f"{prefix}/bin/tally", "report", "--by", "mark", "-f", "jsonl", path))
    assert {"load", "render", "shadows"} <= {row["group"] for row in groups if row["type"] == "group"}, groups


def test_the_examples_build_and_run_against_the_installation(directory):
    """As C and as C++."""
    prefix, pkgconfig = install(directory)
    compilers = [("gcc",)]
    if shutil.which("g++"):
        compilers.append(("g++", "-x", "c++"))
    names = {name[:-2] for name in os.listdir(os.path.join(SOURCE, "docs", "examples")) if name.endswith(".c")}
    equal(names, {"busiest", "changes", "embed", "live", "marks", "samples"})
    for compiler in compilers:
        for check in check_busiest, check_changes, check_embed, check_live, check_marks, check_samples:
            name = check.__name__.removeprefix("check_")
            check(build_example(directory, pkgconfig, name, compiler), prefix, pkgconfig)


def test_the_iterator_serves_c_and_cpp(directory):
    prefix, pkgconfig = install(directory)
    environment = dict(os.environ, PKG_CONFIG_PATH=pkgconfig, PKG_CONFIG_SYSROOT_DIR=directory)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "tally"], env=environment,
                           capture_output=True, text=True, check=True).stdout.split()
    sample = f"{SAMPLES}/hsw.i915-perf"
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", "-c", "GpuBusy", sample))
              if line["type"] == "delta"]
    assert len(deltas) > 50
    for compiler, language in [("gcc", "c"), ("g++", "c++")]:
        need_program(compiler)
        program = os.path.join(directory, "samples-" + language)
        subprocess.run([compiler, "-x", language, "-Wall", "-Wextra", "-Werror", "-pedantic", "-o",
                        program, os.path.join(SOURCE, "docs", "examples", "samples.c"), "-x", "none",
                        *flags], check=True)
        done = subprocess.run([program, sample, "GpuBusy"], capture_output=True, text=True,
                              env=dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(pkgconfig),
                                       TALLY_METRICS_PATH=f"{prefix}/share/tally/metrics"))
        equal(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        equal(len(lines), len(deltas))
        for line, delta in zip(lines, deltas):
            value = delta["counters"]["GpuBusy"]
            expected = f"no value ({delta['state']})" if value is None else f"{value:.2f}"
            equal(line.split(": ")[1], expected)


def test_the_installed_command_finds_its_own_metric_sets(directory):
    prefix, _ = install(directory)
    done = subprocess.run([f"{prefix}/bin/tally", "list", "sets", "--platform", "vlv"],
                          capture_output=True, text=True, env=dict(os.environ, NO_COLOR="1"))
    equal(done.returncode, 0, done.stderr)
    contains(done.stdout, "RenderBasic")
    done = subprocess.run([f"{prefix}/bin/tally", "list", "workloads"], capture_output=True,
                          text=True, env=dict(os.environ, NO_COLOR="1"))
    equal(done.returncode, 0, done.stderr)
    contains(done.stdout, "triangle")


def test_manual_pages_and_completion_are_installed(directory):
    prefix, _ = install(directory)
    commands = re.findall(r"^  (\w+) ", succeed("help"), re.M)
    assert len(commands) > 10, commands
    for path in [*(f"share/man/man1/tally-{command}.1" for command in commands),
                 *(f"share/man/man5/tally-{name}.5" for name in ["recording", "workload", "faults", "pct", "oat"]),
                 "share/doc/tally/values.md", "share/doc/tally/reference/README.md",
                 "share/man/man1/tally.1", "share/bash-completion/completions/tally", "share/zsh/site-functions/_tally",
                 "share/fish/vendor_completions.d/tally.fish", "include/tally/recording.h"]:
        assert os.path.getsize(os.path.join(prefix, path)) > 100, path


def left_in(directory):
    return sorted(os.path.join(root, name) for root, _, names in os.walk(directory)
                  for name in names)


def test_uninstall_removes_only_installed_files(directory):
    prefix, _ = install(directory)
    assert len(left_in(directory)) > 50
    kept = f"{prefix}/share/tally/metrics/mine.xml"
    with open(kept, "w", encoding="utf-8") as file:
        file.write("<metrics/>\n")
    subprocess.run([os.path.join(SOURCE, "tools", "uninstall"), BUILD], check=True,
                   capture_output=True, env=dict(os.environ, DESTDIR=directory))
    equal(left_in(directory), [kept])
    assert not os.path.exists(f"{prefix}/include/tally")
    assert os.path.isdir(f"{prefix}/bin")


def make(directory, *arguments, **options):
    """Runs make with a separate build directory."""
    done = subprocess.run(["make", "-C", SOURCE, f"BUILD={directory}/build", *arguments],
                          capture_output=True, text=True, **options)
    equal(done.returncode, 0, done.stdout + done.stderr)
    return done


def test_a_prefix_is_obeyed_by_a_tree_that_is_already_built(directory):
    """make build, make install PREFIX, make uninstall; a static library; staged by DESTDIR."""
    if not os.environ.get("TALLY_SLOW_TESTS"):
        raise Skip("builds everything: make check runs it")
    need_program("make")
    make(directory, "build")
    assert not os.path.exists(f"{directory}/build/tests/test_base"), "make build builds tests"
    first, second = f"{directory}/first", f"{directory}/second"
    make(directory, "install", f"PREFIX={first}")
    assert not os.path.exists(f"{first}/lib/libtally.a")
    make(directory, "install", f"PREFIX={second}", "STATIC=1")
    libraries = {}
    for prefix in first, second:
        done = subprocess.run([f"{prefix}/bin/tally", "version", "--build-options"], check=True,
                              capture_output=True, text=True)
        contains(done.stdout, f"metric sets: {prefix}/share/tally/metrics")
        libraries[prefix] = [os.path.dirname(path) for path in left_in(prefix)
                             if path.endswith("/tally.pc")]
        equal(len(libraries[prefix]), 1)
    # Without the shared library -ltally is the static one, which needs its dependencies.
    pkgconfig = libraries[second][0]
    for path in left_in(os.path.dirname(pkgconfig)):
        if re.search(r"libtally\.so", path):
            os.remove(path)
    environment = dict(os.environ, PKG_CONFIG_PATH=pkgconfig)
    flags = subprocess.run(["pkg-config", "--static", "--cflags", "--libs", "tally"], check=True,
                           capture_output=True, text=True, env=environment).stdout.split()
    program = f"{directory}/busiest"
    subprocess.run(["gcc", "-o", program, os.path.join(SOURCE, "docs", "examples", "busiest.c"),
                    *flags], check=True)
    equal(subprocess.run([program, f"{SAMPLES}/chv.i915-perf", "GpuBusy"],
                         capture_output=True).returncode, 0)
    make(directory, "uninstall")
    equal(left_in(second), [])
    assert left_in(first)
    # The prefix is the one configured last; DESTDIR precedes it.
    make(directory, "install", f"DESTDIR={directory}/stage")
    assert os.path.exists(f"{directory}/stage{second}/bin/tally")
    make(directory, "uninstall", f"DESTDIR={directory}/stage")
    equal(left_in(f"{directory}/stage"), [])


if __name__ == "__main__":
    main()
