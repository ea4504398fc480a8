# SPDX-License-Identifier: MIT
"""Samples: evaluated deltas or intervals as NumPy arrays."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Iterator

import numpy as np

from tally._library import ffi, lib, options
from tally.metrics import Counter

#: Columns beside the counters: name, member of struct tally_columns, type of its elements.
COLUMNS = (
    ("index", "index", np.uint64),
    ("start_ns", "start_ns", np.uint64),
    ("duration_ns", "duration_ns", np.uint64),
    ("gpu_start", "gpu_start", np.uint64),
    ("gpu_end", "gpu_end", np.uint64),
    ("cpu_start_ns", "cpu_start_ns", np.uint64),
    ("cpu_end_ns", "cpu_end_ns", np.uint64),
    ("deltas", "deltas", np.uint64),
    ("lost", "lost", np.uint64),
    ("context", "contexts", np.uint32),
    ("reasons", "reasons", np.uint8),
    ("state", "states", np.uint8),
)
#: Those that are read unless others are asked for.
DEFAULT_COLUMNS = ("index", "start_ns", "duration_ns", "deltas", "lost", "context", "reasons", "state")
#: Those that follow from the state of a single delta.
_COUNTS = {"deltas": lambda states: states == lib.TALLY_STATE_OK,
           "lost": lambda states: (states == lib.TALLY_STATE_LOST) | (states == lib.TALLY_STATE_AMBIGUOUS)}
UNDEFINED = np.uint64(lib.TALLY_UNDEFINED)
_FIELDS = dict(ffi.typeof("struct tally_columns").fields)


class Samples(Mapping):
    """Evaluated samples: a mapping from the name of a column to a NumPy array.

    The columns are `index`, `start_ns` and `duration_ns` (GPU time, from the first report), `deltas`
    and `lost` (how many were evaluated and left out), `context`, `reasons`, `state` (0: ok, 1: lost,
    2: ambiguous, 3: the recording was paused), if asked for `gpu_start` and `gpu_end` (ticks), `cpu_start_ns` and `cpu_end_ns`
    (CLOCK_MONOTONIC), and a column for each counter by its symbol. The values of counters are doubles,
    and NaN where there is none: because reports were lost, or because the equation divided by zero.
    """

    def __init__(self, counters: tuple[Counter, ...], columns: dict, values: dict):
        self.counters = counters
        self._columns = columns
        self._values = values  # as the library wrote them: uint64 or float64
        self._doubles: dict = {}

    def __getitem__(self, name: str) -> np.ndarray:
        """Returns a column. Doubles are the array that the library filled, without a copy."""
        if name in self._columns:
            return self._columns[name]
        values = self._values[name]
        if values.dtype == np.float64:
            return values
        if name not in self._doubles:
            doubles = values.astype(np.float64)
            doubles[values == UNDEFINED] = np.nan
            self._doubles[name] = doubles
        return self._doubles[name]

    def exact(self, symbol: str) -> np.ma.MaskedArray:
        """Returns the values of a counter in its own type, masked where there is none. Integers
        above 2**53 are exact, unlike in the column of doubles."""
        values = self._values[symbol]
        missing = np.isnan(values) if values.dtype == np.float64 else values == UNDEFINED
        return np.ma.MaskedArray(values, missing)

    def __iter__(self) -> Iterator[str]:
        yield from self._columns
        yield from self._values

    def __len__(self) -> int:
        return len(self._columns) + len(self._values)

    @property
    def count(self) -> int:
        """The number of samples."""
        return len(self._columns["index"])

    @property
    def ok(self) -> np.ndarray:
        """True where nothing was lost, and the recording was not paused."""
        return self["state"] == lib.TALLY_STATE_OK

    def pandas(self):
        """Returns a pandas.DataFrame with a row per sample, indexed by the GPU time."""
        import pandas
        index = pandas.to_timedelta(self["start_ns"], unit="ns")
        return pandas.DataFrame(dict(self.items()), index=index.rename("time"), copy=False)

    def arrow(self):
        """Returns a pyarrow.Table. Columns share their memory with the arrays."""
        import pyarrow
        units = {counter.symbol: counter.units for counter in self.counters}
        fields = [pyarrow.field(name, pyarrow.from_numpy_dtype(array.dtype),
                                metadata={"units": units[name]} if name in units else None)
                  for name, array in self.items()]
        return pyarrow.Table.from_arrays([pyarrow.array(array) for array in self.values()],
                                         schema=pyarrow.schema(fields))

    def __repr__(self) -> str:
        return f"<Samples: {self.count} of {len(self.counters)} counters>"


class Filler:
    """Arrays of a capacity, and the struct with which the library fills them."""

    def __init__(self, counters, capacity, wanted, intervals):
        known = [row[0] for row in COLUMNS]
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise ValueError(f"column {unknown[0]!r}, expected one of {', '.join(known)}")
        self.counters = counters
        self.derived = [] if intervals else [name for name in _COUNTS if name in wanted]
        needed = {"index", "state", *wanted} - set(self.derived)
        names = [row for row in COLUMNS if row[0] in needed]
        self.columns = {name: np.empty(capacity, dtype) for name, _, dtype in names}
        self.values = {counter.symbol: np.empty(capacity, np.uint64 if counter.is_integer
                                                else np.float64) for counter in counters}
        self._pointers = [ffi.cast("union tally_value *", ffi.from_buffer(array))
                          for array in self.values.values()]
        self._members = {member: ffi.cast(_FIELDS[member].type, ffi.from_buffer(self.columns[name]))
                         for name, member, _ in names}
        self.capacity = capacity

    def fill(self, pipeline, first, error):
        """Reads samples into the elements from `first` on. Returns the library's result."""
        struct = options("tally_columns")
        struct.capacity = self.capacity - first
        for member, pointer in self._members.items():
            setattr(struct, member, pointer + first)
        values = ffi.new("union tally_value *[]", [pointer + first for pointer in self._pointers])
        struct.values = values
        return lib.tally_pipeline_columns(pipeline, struct, error)

    def samples(self, count):
        """Returns the first `count` elements, which share the memory."""
        columns = {name: array[:count] for name, array in self.columns.items()}
        for name in self.derived:
            columns[name] = _COUNTS[name](columns["state"]).view(np.uint8)
        return Samples(self.counters, columns,
                       {name: array[:count] for name, array in self.values.items()})


def join(parts):
    """Returns the concatenation of samples, of which there is at least one."""
    first = parts[0]
    if len(parts) == 1:
        return first
    return Samples(first.counters,
                   {name: np.concatenate([part[name] for part in parts])
                    for name in first._columns},
                   {name: np.concatenate([part._values[name] for part in parts])
                    for name in first._values})
