# SPDX-License-Identifier: MIT
"""Recording from a GPU, real or modelled, and live samples."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from tally._library import (check, chars, create, evaluated_counters, ffi, lib, members, new_error,
                            options, strings, text)

CLOCKS = {"wall": "WALL", "free": "FREE"}


@dataclass(frozen=True)
class Device:
    """A device that can be recorded, or why it cannot."""
    name: str                #: "/dev/dri/renderD128", "sim:skl"
    title: Optional[str]     #: "Skylake"
    problem: Optional[str]   #: None: this process can record it
    modelled: bool
    device_id: int           #: PCI device id; 0: modelled, or unknown


def devices() -> list[Device]:
    """Returns the render nodes of this machine, then the models."""
    found = []

    @ffi.callback("void(void *, const struct tally_capture_device *)")
    def visit(_, device):
        found.append(Device(text(device.name), text(device.title), text(device.problem),
                            device.modelled, device.device_id))

    lib.tally_capture_list(visit, ffi.NULL)
    return found


class _Capture:
    """An open device."""

    def __init__(self, device, workload, faults, clock, fuses):
        if clock not in CLOCKS:
            raise ValueError(f"clock={clock!r}, expected {' or '.join(CLOCKS)}")
        how = options("tally_capture_device_options")
        kept = [chars(workload), chars(faults), chars(fuses)]
        how.workload, how.faults, how.fuses = kept
        how.clock = getattr(lib, "TALLY_CAPTURE_" + CLOCKS[clock])
        self.raw = create("struct tally_capture", lib.tally_capture_open, chars(device), how)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.tally_capture_close(self.raw)


def _recording_options(set, metrics, period_ns, duration_ns, expressions, comment, output):
    how = options("tally_capture_options")
    kept = [chars(set), chars(metrics), chars(comment), chars(output)]
    how.metric_set, how.metrics, how.comment, how.output = kept
    how.period_ns, how.duration_ns = period_ns, duration_ns
    how.expressions, alive = strings(expressions)
    how.expression_count = len(expressions)
    return how, kept + [alive, how.expressions]


def record(output: str, device: Optional[str] = None, *, duration_ns: int,
           period_ns: int = 1_000_000, set: Optional[str] = None, metrics: Optional[str] = None,
           workload: Optional[str] = None, faults: Optional[str] = None, clock: str = "wall",
           fuses: Optional[str] = None, expressions: Sequence[str] = (),
           comment: Optional[str] = None) -> dict[str, int]:
    """Records a device to a file, and returns what `tally record` prints: reports, losses, bytes.

    `device` is a node, "sim:skl" for a model, or None for the first GPU that can be recorded.
    `workload`, `faults`, `clock` ("wall", or "free": as fast as the model runs, and reproducible)
    and `fuses` are for models. `expressions` count signals of NVIDIA GPUs instead of a set.
    """
    how, kept = _recording_options(set, metrics, period_ns, duration_ns, expressions, comment,
                                   output)
    with _Capture(device, workload, faults, clock, fuses) as capture:
        error = new_error()
        check(lib.tally_capture_run(capture.raw, how, error), error)
        return members(lib.tally_capture_stats(capture.raw))


class Sample:
    """A live sample: sample["GpuBusy"] is a double, NaN if it has no value."""

    def __init__(self, raw, symbols):
        for name in ("index", "start_ns", "duration_ns", "deltas", "lost", "has_values"):
            setattr(self, name, getattr(raw, name))
        self.state = text(lib.tally_state_name(raw.state))
        self.values = {symbol: lib.tally_sample_value(raw, index)
                       for symbol, index in symbols.items()}

    def __getitem__(self, symbol: str) -> float:
        return self.values[symbol]

    def __repr__(self) -> str:
        values = ", ".join(f"{symbol} {value:.3g}" for symbol, value in self.values.items())
        return f"<Sample {self.index}: {values}>"


def live(device: Optional[str] = None, *, counters: Sequence[str] = (), interval_ns: int = 0,
         duration_ns: int = 0, period_ns: int = 1_000_000, set: Optional[str] = None,
         metrics: Optional[str] = None, workload: Optional[str] = None,
         faults: Optional[str] = None, clock: str = "wall",
         fuses: Optional[str] = None) -> Iterator[Sample]:
    """Yields samples of a device while it is recorded, without a file.

        for sample in tally.live("sim:skl", counters=["GpuBusy"], interval_ns=100_000_000):
            print(sample["GpuBusy"])

    Ends after `duration_ns`, or when the caller leaves the loop. Arguments are those of record() and
    Recording.
    """
    how, kept = _recording_options(set, metrics, period_ns, duration_ns, (), None, None)
    evaluate = options("tally_pipeline_options")
    patterns, alive = strings(counters)
    evaluate.counters, evaluate.counter_count = patterns, len(counters)
    directory = chars(metrics)
    evaluate.metrics, evaluate.interval_ns = directory, interval_ns
    sample, error = ffi.new("const struct tally_sample **"), new_error()
    with _Capture(device, workload, faults, clock, fuses) as capture:
        pipeline = create("struct tally_pipeline", lib.tally_pipeline_open_capture, capture.raw, how,
                          evaluate)
        try:
            listed = lib.tally_pipeline_set(pipeline).counters
            symbols = {text(listed[index].symbol): index for index in evaluated_counters(pipeline)}
            while check(lib.tally_pipeline_next(pipeline, sample, error), error):
                yield Sample(sample[0], symbols)
        finally:
            lib.tally_pipeline_close(pipeline)
            del kept, alive
