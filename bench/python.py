#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package: a million reports to NumPy. Exits with 1 if the goal is missed.

    python.py BUILD METRICS

Needs a build with the package; without it prints why nothing was measured.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

REPORTS, RUNS, GOAL_S = 1_000_000, 5, 0.5
ROWS = [("eight counters of a million reports", ["GpuBusy", "Eu*", "GpuTime", "AvgGpuCoreFrequency", "Sampler?Busy"], GOAL_S),
        ("every counter of a million reports", [], None)]


def measure(build, metrics):
    import tally
    missed = False
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "million.i915-perf")
        with open(path, "wb") as file:
            subprocess.run([os.path.join(build, "data", "make_recording"), str(REPORTS)], stdout=file, check=True)
        for name, counters, goal in ROWS:
            times = []
            for _ in range(RUNS):
                with tally.Recording(path, counters=counters, metrics=metrics) as recording:
                    start = time.perf_counter()
                    samples = recording.samples()
                    times.append(time.perf_counter() - start)
            median = statistics.median(times)
            verdict = "" if goal is None else f"goal < {goal} s  " + ("met" if median < goal else "MISSED")
            missed |= goal is not None and median >= goal
            print(f"{name} to NumPy ({len(samples.counters)} counters, {samples.count} samples)  {median:6.3f} s   {verdict}")
    return missed


def main():
    build, metrics = map(os.path.abspath, sys.argv[1:3])
    sys.path.insert(0, os.path.join(build, "python"))
    os.environ["TALLY_LIBRARY"] = os.path.join(build, "src", "libtally.so.0")
    try:
        import tally  # noqa: F401
    except ImportError as error:
        print(f"the Python package: not measured: {error}")
        return 0
    return measure(build, metrics)


if __name__ == "__main__":
    sys.exit(main())
