# SPDX-License-Identifier: MIT
"""Platforms, metric sets and their counters."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Optional

from tally._library import Error, check, chars, ffi, lib, new_error, no_memory, text


@dataclass(frozen=True)
class Counter:
    """A counter of a metric set."""
    symbol: str        #: the name in equations and in samples: "GpuBusy"
    name: str          #: "GPU Busy"
    description: str
    units: str         #: "percent", "ns", "cycles", ...
    semantic: str      #: "event", "duration", "throughput" or "ratio"
    group: str         #: "EU Array/Vertex Shader"
    equation: str      #: in reverse Polish notation
    is_integer: bool   #: its values are 64-bit integers; otherwise doubles


@dataclass(frozen=True)
class MetricSet:
    """A set of counters that the hardware counts at the same time."""
    symbol: str        #: "RenderBasic"
    name: str          #: "Render Metrics Basic set"
    chipset: str       #: "HSW", "SKLGT2", "g92"
    uuid: str          #: empty for NVIDIA's
    file: str          #: where it was loaded from
    modelled: bool     #: decided by the model: real GPUs have other signals
    counters: tuple[Counter, ...] = field(repr=False)

    def __getitem__(self, symbol: str) -> Counter:
        """Returns the counter with this symbol. Raises KeyError."""
        for counter in self.counters:
            if counter.symbol == symbol:
                return counter
        raise KeyError(symbol)

    def __iter__(self) -> Iterator[Counter]:
        return iter(self.counters)

    def __len__(self) -> int:
        return len(self.counters)


def counter_of(raw) -> Counter:
    return Counter(text(raw.symbol), text(raw.name), text(raw.description), text(raw.units),
                   text(raw.semantic), text(raw.group), text(raw.equation),
                   raw.type == lib.TALLY_UINT64)


def metric_set_of(raw) -> MetricSet:
    return MetricSet(text(raw.symbol), text(raw.name), text(raw.chipset), text(raw.uuid),
                     text(raw.file), raw.modelled,
                     tuple(counter_of(raw.counters[i]) for i in range(raw.counter_count)))


def metric_sets(chipset: Optional[str] = None, directory: Optional[str] = None) -> list[MetricSet]:
    """Returns the metric sets for a chipset or platform ("HSW", "SKLGT2", "g92"), or all.

    `directory` is searched before those of $TALLY_METRICS_PATH and the installed ones.
    """
    catalog = no_memory(lib.tally_catalog_new(chars(directory)), "a catalog")
    try:
        found = ffi.new("const struct tally_metric_set *const **")
        error = new_error()
        name = chars(chipset.upper() if chipset and not find_chipset(chipset) else chipset)
        count = check(lib.tally_catalog_sets(catalog, name, found, error), error)
        return [metric_set_of(found[0][i]) for i in range(count)]
    finally:
        lib.tally_catalog_free(catalog)


@dataclass(frozen=True)
class Platform:
    """An Intel GPU generation."""
    name: str            #: "hsw"
    title: str           #: "Haswell"
    version: float       #: graphics version: 7.5
    timestamp_hz: int    #: frequency of the OA timestamp of common parts
    has_driver: bool     #: i915 has a counter interface for it


def platforms() -> list[Platform]:
    """Returns the Intel platforms that have a model, ordered by generation."""
    found = (lib.tally_platform_at(i) for i in range(lib.tally_platform_count()))
    return [Platform(text(raw.name), text(raw.title), raw.version / 10, raw.timestamp_hz,
                     raw.default_format != 0) for raw in found]


@dataclass(frozen=True)
class Signal:
    """A signal of a domain of PCOUNTER."""
    name: str
    domain: str        #: "3", "GPC0", "HUB6"
    index: int         #: value for a field of a SRC register
    is_trailer: bool


@dataclass(frozen=True)
class Chipset:
    """An NVIDIA GPU."""
    name: str          #: "g92"
    title: str         #: "G92"
    revision: str      #: chipsets with the same PCOUNTER: "G92:GT215"
    has_pcounter: bool

    def signals(self) -> list[Signal]:
        """Returns the signals whose indices are published, by domain."""
        raw = lib.tally_chipset_find(chars(self.name))
        signal = ffi.new("struct tally_signal *")
        signals = []
        while not lib.tally_signal_at(raw, len(signals), signal):
            signals.append(Signal(text(signal.name), text(lib.tally_domain_name(signal.domain)),
                                  signal.index, bool(signal.trailer)))
        return signals


def _chipset_of(raw) -> Chipset:
    return Chipset(text(raw.name), text(raw.title),
                   text(lib.tally_pcounter_revision_name(raw.revision)),
                   raw.presence != lib.TALLY_ABSENT)


def chipsets() -> list[Chipset]:
    """Returns the NVIDIA chipsets, in the order of the documents."""
    return [_chipset_of(lib.tally_chipset_at(i)) for i in range(lib.tally_chipset_count())]


def find_chipset(name: str) -> Optional[Chipset]:
    """Returns the NVIDIA chipset of a name or title, or None."""
    raw = lib.tally_chipset_find(chars(name))
    return None if raw == ffi.NULL else _chipset_of(raw)


class Layout:
    """The layout of a report of Intel's OA unit: Layout("hsw/a45_b8_c8")."""

    def __init__(self, name: str):
        self._raw = lib.tally_layout_find(chars(name))
        if self._raw == ffi.NULL:
            raise Error(2, f"{name}: unknown report layout, expected PLATFORM/FORMAT such as "
                           "hsw/a45_b8_c8")
        self.name = f"{text(self._raw.family)}/{text(self._raw.name)}"
        self.size_bytes: int = self._raw.size_bytes

    def unpack(self, report: bytes) -> dict[str, int]:
        """Returns the fields of a report by name: {"TIME_STAMP": ..., "A0": ...}."""
        if len(report) != self.size_bytes:
            raise ValueError(f"{self.name}: report of {len(report)} bytes, expected "
                             f"{self.size_bytes}")
        slots = ffi.new("uint64_t[]", lib.TALLY_SLOT_COUNT)
        lib.tally_report_unpack(self._raw, ffi.from_buffer(report), slots)
        name = ffi.new("char[]", 32)
        return {text(lib.tally_slot_name(slot, name, 32)): slots[slot]
                for slot in range(lib.TALLY_SLOT_COUNT) if lib.tally_layout_width(self._raw, slot)}

    def __repr__(self) -> str:
        return f"Layout({self.name!r})"
