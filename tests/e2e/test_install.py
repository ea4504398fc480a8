# SPDX-License-Identifier: MIT
"""An installation serves a program that knows nothing of this tree."""
import os
import subprocess

from e2e import BUILD, SAMPLES, SOURCE, contains, equal, json_lines, main, need_program, succeed


def install(directory):
    need_program("meson")
    # The build's own prefix, under a directory of ours.
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir",
                    directory], check=True, capture_output=True)
    for root, _, names in os.walk(directory):
        if "tally.pc" in names:
            prefix = subprocess.run(["pkg-config", "--variable=prefix",
                                     os.path.join(root, "tally.pc")],
                                    capture_output=True, text=True, check=True).stdout.strip()
            return directory + prefix, root
    raise AssertionError("no tally.pc was installed")


def test_a_program_builds_and_runs_against_the_installation(directory):
    prefix, pkgconfig = install(directory)
    environment = dict(os.environ, PKG_CONFIG_PATH=pkgconfig, PKG_CONFIG_SYSROOT_DIR=directory)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "tally"], env=environment,
                           capture_output=True, text=True, check=True).stdout.split()
    program = os.path.join(directory, "busiest")
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", program,
                    os.path.join(SOURCE, "docs", "examples", "busiest.c"), *flags], check=True)
    libraries = os.path.dirname(pkgconfig)
    sample = f"{SAMPLES}/chv.i915-perf"
    done = subprocess.run([program, sample, "GpuBusy"], capture_output=True, text=True,
                          env=dict(os.environ, LD_LIBRARY_PATH=libraries,
                                   TALLY_METRICS_PATH=f"{prefix}/share/tally/metrics"))
    equal(done.returncode, 0, done.stderr)
    deltas = [line for line in json_lines(succeed("export", "-f", "jsonl", sample))
              if line["type"] == "delta" and line["state"] == "ok"]
    best = max(deltas, key=lambda line: line["counters"]["GpuBusy"])
    equal(done.stdout, f"report {best['index']}: GpuBusy = {best['counters']['GpuBusy']:.2f} "
                       "percent\n")


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
    for path in ["share/man/man1/tally.1", "share/man/man1/tally-report.1",
                 "share/bash-completion/completions/tally", "share/zsh/site-functions/_tally",
                 "share/fish/vendor_completions.d/tally.fish", "include/tally/recording.h"]:
        assert os.path.getsize(os.path.join(prefix, path)) > 100, path


if __name__ == "__main__":
    main()
