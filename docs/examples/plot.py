#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a recording to a plot: how busy the GPU and its EUs are, where, and what was lost.

    plot.py [RECORDING [PICTURE]]

Without a recording it records a modelled Skylake. Needs python3-matplotlib.
"""
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tally

path = sys.argv[1] if len(sys.argv) > 1 else "busy.i915-perf"
picture = sys.argv[2] if len(sys.argv) > 2 else "busy.png"
if len(sys.argv) == 1:
    tally.record(path, "sim:skl", workload="bottleneck", duration_ns=100_000_000,
                 period_ns=100_000, clock="free")

with tally.Recording(path, counters=["GpuBusy", "EuActive", "EuStall"]) as recording:
    samples = recording.samples()
    total = recording.report()[-1]
    losses = recording.losses

milliseconds = samples["start_ns"] / 1e6
figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
for counter in samples.counters:
    axes.plot(milliseconds, samples[counter.symbol], linewidth=1,
              label=f"{counter.name}: mean {total[counter.symbol].mean:.1f} {counter.units}")
for start, end in zip(milliseconds[~samples.ok], np.append(milliseconds[1:], milliseconds[-1])[~samples.ok]):
    axes.axvspan(start, end, hatch="//", alpha=0.3, color="red")
axes.set(title=f"{recording.set.name}, {samples.count} samples, {len(losses)} losses",
         xlabel="GPU time, ms", ylabel="percent", ylim=(0, 105))
axes.legend(loc="upper right")
figure.savefig(picture)
print(f"{picture}: EuActive {total['EuActive'].mean:.1f} %")
