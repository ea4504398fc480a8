# SPDX-License-Identifier: MIT
"""What has changed between recordings, and whether a recording meets conditions."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import NamedTuple, Optional, Sequence, Union

from tally._library import chars, create, ffi, lib, options, strings, text
from tally.recording import GROUPINGS

Paths = Union[str, os.PathLike, Sequence[Union[str, os.PathLike]]]


class Sides(NamedTuple):
    """A value of side A and one of side B."""
    a: float
    b: float


@dataclass(frozen=True)
class Compared:
    """A recording of a comparison."""
    path: str
    device: str
    set: str              #: symbol of the metric set
    modelled: bool
    duration_ns: int
    reports: int
    missing_reports: int
    losses: int           #: entries of the loss ledger
    lost_share: float     #: of the time or of the reports, the larger one: 0 to 1


@dataclass(frozen=True)
class Change:
    """A counter in the total or in one group. Events are rates per second, times a share of the time
    in percent, as `units` says; values that there are not are NaN."""
    by: Optional[str]     #: as passed to compare(); None: the total
    group: str            #: as `tally report` prints it
    counter: str          #: symbol
    name: str
    units: str
    means: Sides          #: weighted by length
    medians: Sides
    spreads: Sides        #: half of the interquartile range
    samples: Sides        #: numbers of values that the test compared
    change: float         #: (b - a) / |a| of the means; infinite from 0
    delta: float          #: Cliff's delta: -1, all of B are below A, to 1
    p: float              #: two-sided, of the Mann-Whitney test
    p_corrected: float    #: for all tests of the comparison, by Holm
    tested: bool          #: False: all values of both sides are equal
    exact: bool           #: `p` is of the exact distribution
    significant: bool     #: p_corrected is below alpha
    changed: bool         #: significant, and large enough to matter


@dataclass(frozen=True)
class Comparison:
    """The result of compare()."""
    recordings: tuple[tuple[Compared, ...], tuple[Compared, ...]]  #: of side A and of side B
    differences: dict[str, tuple[str, str]]  #: properties that differ, the most important first
    changes: tuple[Change, ...]  #: those of the total first, each group's most important first
    sample_ns: int        #: length of a sample
    by_frames: bool       #: which is whole frames of a modelled GPU's workload
    alpha: float
    tests: int            #: changes with `tested`

    @property
    def changed(self) -> tuple[Change, ...]:
        """The changes that are significant and large enough to matter."""
        return tuple(change for change in self.changes if change.changed)

    def __getitem__(self, counter: str) -> Change:
        """Returns the change of a counter in the total. Raises KeyError."""
        for change in self.changes:
            if change.by is None and change.counter == counter:
                return change
        raise KeyError(counter)

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.changed)} of {len(self.changes)} changed>"


@dataclass(frozen=True)
class CheckResult:
    """A condition in the recording or in one group."""
    outcome: str          #: "passed", "failed", or "inconclusive": too much was lost
    name: str             #: the condition, or its name in the budget, and where
    message: str          #: "mean(EuActive) is 45.2 %, expected > 60.0 %"
    counter: str
    statistic: str
    by: Optional[str]     #: None: the whole recording
    group: str            #: as `tally report` prints it
    value: float          #: in `units`; NaN: there is none
    low: float            #: the value must be between; infinite: no limit
    high: float
    baseline: float       #: NaN: the condition has none
    units: str
    deltas: int           #: of the group
    lost: int

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"


def _pipeline(counters, set, metrics, threads):
    """Returns options for opening recordings, and what keeps their texts alive."""
    how = options("tally_pipeline_options")
    patterns, alive = strings(counters)
    kept = [chars(metrics), chars(set), patterns, alive, how]
    how.metrics, how.set = kept[:2]
    how.counters, how.counter_count, how.threads = patterns, len(counters), threads
    return how, kept


def _paths(paths):
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _array(function, *arguments):
    """Yields the elements of an array that a result owns."""
    kind = ffi.typeof(function).args[-1].item
    found = ffi.new(ffi.getctype(kind, "*"))
    count = function(*arguments, found)
    for i in range(count):
        yield found[0][i]


def _names():
    """Returns {TALLY_BY_...: name}; None: the total."""
    return {getattr(lib, "TALLY_BY_" + member): name for name, member in GROUPINGS.items()}


def _sides(pair):
    return Sides(pair[lib.TALLY_SIDE_A], pair[lib.TALLY_SIDE_B])


def _by(name):
    if name not in GROUPINGS:
        raise ValueError(f"by={name!r}, expected {', '.join(filter(None, GROUPINGS))}")
    return getattr(lib, "TALLY_BY_" + GROUPINGS[name])


def _compared(raw):
    return Compared(text(raw.path), text(raw.device), text(raw.set), raw.modelled, raw.duration_ns,
                    raw.reports, raw.missing_reports, raw.losses, raw.lost_share)


def _change(raw, names):
    return Change(names[raw.by], text(raw.group), text(raw.counter), text(raw.name),
                  text(raw.units), _sides(raw.means), _sides(raw.medians), _sides(raw.spreads),
                  _sides(raw.samples), raw.change, raw.delta, raw.p, raw.p_corrected, raw.tested,
                  raw.exact, raw.significant, raw.changed)


def compare(a: Paths, b: Paths, *, counters: Sequence[str] = (), by: Optional[str] = None,
            interval_ns: int = 0, sample_ns: int = 0, from_ns: int = 0, to_ns: int = 0,
            alpha: float = 0.01, set: Optional[str] = None, metrics: Optional[str] = None,
            threads: int = 0) -> Comparison:
    """Compares the recordings of side A, one or several, with those of side B, as `tally compare`.

        for change in tally.compare("before.i915-perf", "after.i915-perf").changed:
            print(change.counter, f"{change.change:+.1%}")

    `by` also compares groups: "context", "reason", "interval" (of `interval_ns`), "phase", "frame"
    or "mark". `sample_ns` is the length of a sample, chosen if 0; `from_ns` and `to_ns` the range.
    """
    how = options("tally_compare_options")
    how.pipeline, kept = _pipeline(counters, set, metrics, threads)
    how.by, how.group_ns, how.sample_ns = _by(by), interval_ns, sample_ns
    how.from_ns, how.to_ns, how.alpha = from_ns, to_ns, alpha
    sides = [_paths(a), _paths(b)]
    lists = [strings(side) for side in sides]
    raw = ffi.gc(create("struct tally_comparison", lib.tally_compare, lists[0][0], len(sides[0]),
                        lists[1][0], len(sides[1]), how), lib.tally_comparison_free)
    info, names = lib.tally_comparison_info(raw), _names()
    del kept
    return Comparison(
        tuple(tuple(_compared(recording)
                    for recording in _array(lib.tally_comparison_recordings, raw, side))
              for side in (lib.TALLY_SIDE_A, lib.TALLY_SIDE_B)),
        {text(row.name): (text(row.texts[0]), text(row.texts[1]))
         for row in _array(lib.tally_comparison_differences, raw)},
        tuple(_change(row, names) for row in _array(lib.tally_comparison_changes, raw)),
        info.sample_ns, info.by_frames, info.alpha, info.tests)


def check(path: Union[str, os.PathLike], *conditions: str, budget: Optional[str] = None,
          baseline: Optional[str] = None, by: Optional[str] = None, interval_ns: int = 0,
          allowed_lost: float = 0, set: Optional[str] = None, metrics: Optional[str] = None,
          threads: int = 0) -> list[CheckResult]:
    """Checks a recording, as `tally check`, and returns a result for each condition and group.

        assert all(result.passed for result in tally.check("run.i915-perf", "EuActive > 60%"))

    `budget` is a file of conditions, `baseline` a recording for those with "within", `by` the groups
    of conditions without a place, `allowed_lost` the share of losses up to which one can pass.
    """
    how = options("tally_check_options")
    how.pipeline, kept = _pipeline((), set, metrics, threads)
    kept += [chars(budget), chars(baseline)]
    how.budget, how.baseline = kept[-2:]
    how.by, how.interval_ns, how.allowed_lost = _by(by), interval_ns, allowed_lost
    listed, alive = strings(conditions)
    raw = ffi.gc(create("struct tally_checks", lib.tally_check, chars(path), listed,
                        len(conditions), how), lib.tally_checks_free)
    names = _names()
    del kept, alive
    return [CheckResult(text(lib.tally_check_outcome_name(row.outcome)), text(row.name),
                        text(row.message), text(row.counter), text(row.statistic), names[row.by],
                        text(row.group), row.value, row.low, row.high, row.baseline,
                        text(row.units), row.deltas, row.lost)
            for row in _array(lib.tally_check_results, raw)]
