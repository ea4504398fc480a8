# SPDX-License-Identifier: MIT
"""Recordings, and what they say."""
from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Iterator, NamedTuple, Optional, Sequence, Union

from tally._library import (Error, check, chars, create, evaluated_counters, ffi, lib, members,
                            new_error, options, strings, text)
from tally.metrics import Counter, MetricSet, counter_of, metric_set_of
from tally.samples import DEFAULT_COLUMNS, Filler, Samples, join

#: Names of `by` in Recording.report().
GROUPINGS = {None: "NOTHING", "context": "CONTEXT", "reason": "REASON", "interval": "INTERVAL",
             "phase": "PHASE", "frame": "FRAME", "mark": "MARK"}
_PIECE = 65536  # samples in a piece where the number is not known


class Statistic(NamedTuple):
    """A counter over a group of deltas. Values that there are not are NaN."""
    overall: float     #: the equation over the sum of all deltas
    minimum: float     #: of the deltas that last at least half of the period
    mean: float        #: weighted by the length of the deltas
    maximum: float
    p50: float         #: percentiles, weighted by length; NaN unless asked for
    p95: float
    p99: float


@dataclass(frozen=True)
class Group:
    """The deltas of one context, reason, interval, phase, frame or mark, or all of them."""
    by: Optional[str]  #: as passed to Recording.report(); None: the total
    key: int           #: context id, reason bits, or number from 0
    deltas: int        #: evaluated
    lost: int          #: left out because reports are missing
    ticks: int         #: GPU time of the deltas in ticks of the timestamp
    counters: dict[str, Statistic]
    name: Optional[str] = None  #: of the mark; "": no mark, None: between two, or one of too many names

    def __getitem__(self, symbol: str) -> Statistic:
        return self.counters[symbol]


@dataclass(frozen=True)
class Loss:
    """An entry of the loss ledger."""
    kind: str          #: "report-lost", "buffer-lost", ...
    records: int
    before_index: int  #: number of reports before the loss
    gpu_start: int     #: ticks
    gpu_end: int
    estimated: int     #: missing reports; 0: unknown
    exact: bool        #: `estimated` was counted by the writer of the recording


@dataclass(frozen=True)
class Mark:
    """What the recorded program stated."""
    kind: str             #: "mark", "begin", "end" or "frame"
    name: Optional[str]   #: None: of a frame, or one of too many names
    gpu_ticks: int        #: ticks of the timestamp, as `gpu_start` of samples
    uncertainty_ns: int   #: it was made then, or at most this before


class Recording:
    """A recording: a file, bytes in memory, or "-" for standard input.

        with tally.Recording("hsw.i915-perf", counters=["GpuBusy", "Eu*"]) as recording:
            busy = recording.samples()["GpuBusy"]

    `counters` are patterns of symbols. `interval_ns` makes samples of intervals of GPU time instead
    of single deltas. `set` names another metric set than the recorded one, and `metrics` a directory
    with sets. `platform` is needed for streams without a header.

    Files and bytes can be read any number of times, standard input once. A recording belongs to one
    thread at a time.
    """

    def __init__(self, source: Union[str, os.PathLike, bytes], *,
                 counters: Sequence[str] = (), set: Optional[str] = None, interval_ns: int = 0,
                 percentiles: bool = False, metrics: Optional[str] = None,
                 platform: Optional[str] = None, threads: int = 0):
        self._source = source
        self._options = options("tally_pipeline_options")
        self._kept = [chars(metrics), chars(set)]
        self._options.metrics, self._options.set = self._kept
        patterns, kept = strings(counters)
        self._kept += [patterns, kept]
        self._options.counters, self._options.counter_count = patterns, len(counters)
        self._options.interval_ns = interval_ns
        self._options.threads = threads
        self._options.percentiles = percentiles
        how = options("tally_recording_options")
        how.map = not isinstance(source, bytes)
        if platform is not None:
            how.platform = lib.tally_platform_find(chars(platform))
            if how.platform == ffi.NULL:
                raise Error(errno.ENODEV, f"{platform}: unknown platform")
        self._kept.append(how)
        self._options.recording = how
        self._is_read = False
        self._pipeline = ffi.NULL
        self._open()

    def _open(self):
        if isinstance(self._source, bytes):
            self._pipeline = create("struct tally_pipeline", lib.tally_pipeline_open_memory,
                                    ffi.from_buffer(self._source), len(self._source),
                                    chars("memory"), self._options)
        else:
            self._pipeline = create("struct tally_pipeline", lib.tally_pipeline_open,
                                    chars(self._source), self._options)
        raw = lib.tally_pipeline_set(self._pipeline)
        self.set: MetricSet = metric_set_of(raw)
        self._indices = evaluated_counters(self._pipeline)
        #: The counters that are evaluated.
        self.counters: tuple[Counter, ...] = tuple(counter_of(raw.counters[index])
                                                   for index in self._indices)

    def close(self) -> None:
        """Closes the recording; what was returned stays valid."""
        lib.tally_pipeline_close(self._pipeline)
        self._pipeline = ffi.NULL

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_pipeline", ffi.NULL) != ffi.NULL:
            self.close()

    @property
    def _recording(self):
        if self._pipeline == ffi.NULL:
            raise ValueError("the recording is closed")
        return lib.tally_pipeline_recording(self._pipeline)

    @property
    def _info(self):
        return lib.tally_recording_info(self._recording)

    def _start(self):
        """Returns a pipeline that has not been read."""
        self._recording
        if self._is_read:
            if self._source == "-":
                raise Error(errno.ESPIPE, "standard input has been read, and cannot be read again")
            lib.tally_pipeline_close(self._pipeline)
            self._pipeline = ffi.NULL
            self._open()
        self._is_read = True
        return self._pipeline

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        return text(self._info.path)

    @property
    def device(self) -> str:
        """The short name of its platform or chipset: "skl", "g92"."""
        return text(lib.tally_device_name(ffi.addressof(self._info.device)))

    @property
    def title(self) -> str:
        """The name of its platform or chipset: "Skylake"."""
        return text(lib.tally_device_title(ffi.addressof(self._info.device)))

    @property
    def modelled(self) -> bool:
        """Whether it states that its GPU is a model."""
        return self._info.modelled

    @property
    def timestamp_hz(self) -> int:
        return self._info.recorded.timestamp_hz

    @property
    def period_ns(self) -> float:
        """The period of the timer's reports; NaN if it is unknown."""
        ticks = self._info.period_ticks
        return ticks * 1e9 / self.timestamp_hz if ticks else float("nan")

    @property
    def provenance(self) -> Optional[str]:
        """What wrote the file, and how."""
        return text(self._info.provenance)

    @property
    def marks(self) -> list[Mark]:
        """The marks in order of time; none of standard input."""
        marks = self._info.marks
        if marks == ffi.NULL:
            return []
        names = [text(marks.names[i]) for i in range(marks.name_count)]
        frame = lib.TALLY_MARK_FRAME
        return [Mark(text(lib.tally_mark_kind_name(mark.kind)),
                     names[mark.name] if mark.kind != frame and mark.name < len(names) else None,
                     mark.gpu_ticks, mark.uncertainty_ns)
                for mark in (marks.marks[i] for i in range(marks.count))]

    # ---- what was lost ---------------------------------------------------------------------------

    @property
    def losses(self) -> list[Loss]:
        """The loss ledger of what has been read."""
        found = ffi.new("const struct tally_loss **")
        count = lib.tally_recording_losses(self._recording, found)
        return [Loss(text(lib.tally_loss_kind_name(loss.kind)), loss.records, loss.before_index,
                     loss.gpu_start, loss.gpu_end, loss.estimated, loss.exact)
                for loss in (found[0][i] for i in range(count))]

    @property
    def totals(self) -> dict[str, int]:
        """Sums over what has been read: reports, losses, lost_deltas, missing, ..."""
        return members(lib.tally_recording_totals(self._recording))

    # ---- what it says ----------------------------------------------------------------------------

    def blocks(self, size: int = _PIECE,
               columns: Sequence[str] = DEFAULT_COLUMNS) -> Iterator[Samples]:
        """Yields all samples in blocks of at most `size`, in constant memory, with these columns.

        A damaged input raises Error after the block with everything readable.
        """
        yield from self._pieces(self._start(), size, columns)

    def samples(self, columns: Sequence[str] = DEFAULT_COLUMNS) -> Samples:
        """Returns all samples, in memory, with these columns (see Samples)."""
        pipeline = self._start()
        expected = self._info.size_bytes // (self._info.layout.size_bytes
                                             + lib.TALLY_RECORD_HEADER_BYTES)
        if self._options.interval_ns or not expected:
            return join([*self._pieces(pipeline, _PIECE, columns), self._filler(0, columns).samples(0)])
        filler, count, error = self._filler(expected + 1, columns), 0, new_error()
        while count < filler.capacity:
            got = check(filler.fill(pipeline, count, error), error)
            if not got:
                return filler.samples(count)
            count += got
        # A file that has become longer, or raw reports.
        return join([filler.samples(count), *self._pieces(pipeline, _PIECE, columns)])

    def _filler(self, capacity, columns):
        return Filler(self.counters, capacity, columns, self._options.interval_ns != 0)

    def _pieces(self, pipeline, size, columns):
        while True:
            filler, error = self._filler(size, columns), new_error()
            count = check(filler.fill(pipeline, 0, error), error)
            if not count:
                return
            yield filler.samples(count)

    def _mark_name(self, group):
        marks = self._info.marks
        named = group.by == lib.TALLY_BY_MARK and group.key < marks.name_count
        return text(marks.names[group.key]) if named else None

    def report(self, by: Optional[str] = None, interval_ns: int = 0) -> list[Group]:
        """Returns the statistics of all counters in groups, the total last, as `tally report` does.

        `by` is "context", "reason", "interval" (of `interval_ns`), "phase", "frame" or
        "mark".
        """
        if by not in GROUPINGS:
            raise ValueError(f"by={by!r}, expected {', '.join(filter(None, GROUPINGS))}")
        pipeline, groups, failed = self._start(), [], []

        @ffi.callback("void(void *, const struct tally_group *, const struct tally_statistic *)",
                      onerror=lambda kind, value, trace: failed.append(value))
        def on_group(_, group, statistics):
            total = group.by == lib.TALLY_BY_NOTHING
            groups.append(Group(None if total else by, group.key, group.deltas, group.lost,
                                group.ticks, {
                counter.symbol: _statistic(statistics[index])
                for counter, index in zip(self.counters, self._indices)}, self._mark_name(group)))

        error = new_error()
        result = lib.tally_pipeline_summarize(pipeline, getattr(lib, "TALLY_BY_" + GROUPINGS[by]),
                                              interval_ns, on_group, ffi.NULL, error)
        if failed:
            raise failed[0]
        check(result, error)
        return groups

    def __repr__(self) -> str:
        if self._pipeline == ffi.NULL:
            return "<Recording: closed>"
        model = ", modelled" if self.modelled else ""
        return f"<Recording {self.path}: {self.title}{model}, {self.set.symbol}>"


def _number(value, kind):
    """Returns a value as a double, NaN if it is not defined."""
    if kind == lib.TALLY_DOUBLE:
        return value.f
    return float("nan") if value.u == lib.TALLY_UNDEFINED else float(value.u)


def _statistic(raw):
    kind = raw.type
    return Statistic(_number(raw.overall, kind), _number(raw.minimum, kind), raw.mean,
                     *(_number(value, kind) for value in (raw.maximum, raw.p50, raw.p95, raw.p99)))
