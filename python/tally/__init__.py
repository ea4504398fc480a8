# SPDX-License-Identifier: MIT
"""Tally: hardware performance counters of GPUs.

    import tally
    tally.record("skl.i915-perf", "sim:skl", duration_ns=10**9, clock="free")
    with tally.Recording("skl.i915-perf") as recording:
        print(recording.report()[-1]["GpuBusy"].mean)
        frame = recording.samples().pandas()

Bindings over the public headers of libtally, which document what is behind each function.
"""
from tally._library import Error, lib as _lib, text as _text
from tally.capture import Device, Sample, devices, live, record
from tally.compare import (Change, CheckResult, Compared, Comparison, Sides, check,
                           compare)
from tally.metrics import (Chipset, Counter, Layout, MetricSet, Platform, Signal, chipsets,
                           find_chipset, metric_sets, platforms)
from tally.models import (Gpu, Number, Oa, Pcounter, Wave, constant, every, pattern, random, rate,
                          rate_wave, sequence, uniform)
from tally.recording import Group, Loss, Mark, Recording, Statistic
from tally.samples import COLUMNS as _COLUMNS, DEFAULT_COLUMNS, Samples

#: All columns of Samples beside the counters, for the argument `columns`.
ALL_COLUMNS = tuple(name for name, _, _ in _COLUMNS)

__version__ = _text(_lib.tally_version())

__all__ = [name for name in dir() if not name.startswith("_")]
