# SPDX-License-Identifier: MIT
"""The models of the counter hardware: read and write their registers, and let time pass.

    unit = tally.Oa("hsw")
    unit.drive_a(0, tally.rate(7, 10))      # A0 counts 7 events in 10 clocks
    unit.write(0x2360, 0x15)                # OACONTROL: enable, and count
    unit.run(1_000_000)
    unit.peek("a0")
"""
from __future__ import annotations

import errno
from typing import Optional, Sequence

from tally._library import Error, check, chars, create, enum_names, ffi, lib, members, text


class Wave:
    """A signal: one bit a clock. Made by constant(), every(), random(), rate_wave(), pattern()."""

    def __init__(self, raw, keep=None):
        self.raw = ffi.new("struct tally_wave *", raw)
        self._keep = keep

    def __getitem__(self, clock: int) -> bool:
        return lib.tally_wave_at(self.raw, clock)

    def count(self, first: int, clocks: int) -> int:
        """Returns the number of ones among `clocks` clocks."""
        return lib.tally_wave_count(self.raw, first, clocks)


class Number:
    """A number at each clock, such as the events that a counter counts."""

    def __init__(self, raw, keep=None):
        self.raw = ffi.new("struct tally_number *", raw)
        self._keep = keep

    def __getitem__(self, clock: int) -> int:
        return lib.tally_number_at(self.raw, clock)

    def sum(self, first: int, clocks: int) -> int:
        """Returns the sum over `clocks` clocks."""
        return lib.tally_number_sum(self.raw, first, clocks)


def constant(value: bool) -> Wave:
    """Always 0 or 1."""
    return Wave(lib.tally_wave_constant(value))


def every(period: int, phase: int = 0) -> Wave:
    """1 at one clock of every `period`."""
    return Wave(lib.tally_wave_every(period, phase))


def random(seed: int, chance: int) -> Wave:
    """Pseudo-random bits: 1 with a probability of `chance` / 256."""
    return Wave(lib.tally_wave_prng(seed, chance))


def rate_wave(numerator: int, denominator: int) -> Wave:
    """`numerator` ones in every `denominator` clocks, evenly spread."""
    return Wave(lib.tally_wave_rate(numerator, denominator))


def pattern(bits: str) -> Wave:
    """Repeats bits: pattern("1100")."""
    if not bits or bits.strip("01"):
        raise ValueError(f"pattern {bits!r}, expected digits 0 and 1")
    words = [0] * ((len(bits) + 63) // 64)
    for clock, bit in enumerate(bits):
        words[clock // 64] |= int(bit) << clock % 64
    memory = ffi.new("uint64_t[]", words)
    return Wave(lib.tally_wave_pattern(memory, len(bits)), memory)


def rate(numerator: int, denominator: int) -> Number:
    """`numerator` events per `denominator` clocks, evenly spread."""
    return Number(lib.tally_number_rate(numerator, denominator))


def uniform(seed: int, maximum: int) -> Number:
    """Pseudo-random numbers from 0 to `maximum`."""
    return Number(lib.tally_number_uniform(seed, maximum))


def sequence(items: Sequence[int]) -> Number:
    """Repeats a list of numbers."""
    memory = ffi.new("uint32_t[]", list(items))
    return Number(lib.tally_number_sequence(memory, len(items)), memory)


def _peek(unit, name):
    out = ffi.new("uint64_t *")
    check(lib.tally_oa_peek(unit, chars(name), out), what=name)
    return out[0]


class Oa:
    """Intel's OA unit, clock by clock: "snb" to "tgl", or a product such as "hsw/gt3"."""

    def __init__(self, platform: str, eus: int = 0):
        self._raw = ffi.gc(create("struct tally_oa", lib.tally_oa_new, chars(platform)),
                           lib.tally_oa_free)
        self._inputs: dict = {}
        self._written: dict[int, bytes] = {}
        self._handle = ffi.new_handle(self)
        bus = ffi.new("struct tally_oa_bus *")
        bus.write, bus.context = _oa_write, self._handle
        lib.tally_oa_set_bus(self._raw, bus)
        if eus:
            check(lib.tally_oa_set_eus(self._raw, eus), what=f"{platform}: {eus} EUs")

    def read(self, address: int) -> int:
        """Reads a register. Takes no time."""
        return lib.tally_oa_read32(self._raw, address)

    def write(self, address: int, value: int) -> None:
        """Writes a register. Takes no time."""
        lib.tally_oa_write32(self._raw, address, value)

    def run(self, clocks: int) -> None:
        """Lets time pass."""
        lib.tally_oa_run(self._raw, clocks)

    @property
    def now(self) -> int:
        """Clocks since the unit was created."""
        return lib.tally_oa_now(self._raw)

    def drive_a(self, counter: int, number: Number) -> None:
        """Sets the events that an A counter counts at each clock from now on."""
        check(lib.tally_oa_drive_a(self._raw, counter, number.raw), what=f"A{counter}")
        self._inputs["a", counter] = number

    def drive_noa(self, bit: int, wave: Wave) -> None:
        """Drives a bit of the NOA bus from now on."""
        check(lib.tally_oa_drive_noa(self._raw, bit, wave.raw), what=f"NOA bit {bit}")
        self._inputs["noa", bit] = wave

    def switch_context(self, context: Optional[int]) -> None:
        """Switches the render context; None: the GPU becomes idle."""
        lib.tally_oa_switch_context(self._raw, context is not None, context or 0)

    def report(self, address: int = 0, report_id: int = 0) -> bytes:
        """Writes a report of the current counters, as MI_REPORT_PERF_COUNT does, and returns it."""
        self._written.clear()
        lib.tally_oa_report(self._raw, address, report_id)
        return b"".join(self._written[at] for at in sorted(self._written))

    def peek(self, name: str) -> int:
        """Returns an internal value: "a7", "b0", "c3", "ticks", "timestamp", ..."""
        return _peek(self._raw, name)

    def poke(self, name: str, value: int) -> None:
        """Sets an internal value."""
        check(lib.tally_oa_poke(self._raw, chars(name), value), what=name)

    def reset(self) -> None:
        """Resets registers and counters, as a reset of the GT does."""
        lib.tally_oa_reset(self._raw)


@ffi.callback("void(void *, uint64_t, const uint8_t *, size_t)")
def _oa_write(context, address, data, size):
    ffi.from_handle(context)._written[address] = bytes(ffi.buffer(data, size))


class Gpu:
    """An Intel GPU: the OA unit with force wake, interrupts, PCI, power and a workload."""

    def __init__(self, platform: str, workload: Optional[str] = None, always_awake: bool = False):
        config = ffi.new("struct tally_gpu_config *")
        name = chars(platform)
        config.platform, config.always_awake = name, always_awake
        self._raw = ffi.gc(create("struct tally_gpu", lib.tally_gpu_new, config), lib.tally_gpu_free)
        if workload is not None:
            self._load(name, workload)

    def _load(self, platform, workload):
        loaded = create("struct tally_workload", lib.tally_workload_load, chars(workload))
        self._workload = ffi.gc(loaded, lib.tally_workload_free)
        target = ffi.new("struct tally_workload_target *")
        target.platform, target.eus = platform, lib.tally_gpu_eus(self._raw)
        program = create("struct tally_workload_program", lib.tally_workload_bind, self._workload,
                         target, ffi.NULL, ffi.NULL)
        self._program = ffi.gc(program, lib.tally_workload_unbind)
        check(lib.tally_gpu_set_workload(self._raw, self._program), what=workload)

    def read(self, address: int) -> int:
        """Reads a register in GTTMMADR, as the CPU does."""
        return lib.tally_gpu_read32(self._raw, address)

    def write(self, address: int, value: int) -> None:
        """Writes a register."""
        lib.tally_gpu_write32(self._raw, address, value)

    def outcome(self, address: int, write: bool = False) -> str:
        """Returns what an access would do: "reached", "asleep", "fused off", ..."""
        return text(lib.tally_gpu_outcome(self._raw, address, write))

    def run(self, clocks: int) -> None:
        """Runs for a number of render clocks."""
        lib.tally_gpu_run(self._raw, clocks)

    def run_ns(self, ns: int) -> int:
        """Runs for at least `ns` nanoseconds, and returns the clocks."""
        return lib.tally_gpu_run_ns(self._raw, ns)

    @property
    def now(self) -> int:
        """Render clocks since the GPU was created."""
        return lib.tally_gpu_now(self._raw)

    @property
    def clock_hz(self) -> int:
        return lib.tally_gpu_clock_hz(self._raw)

    @property
    def eus(self) -> int:
        return lib.tally_gpu_eus(self._raw)

    def peek(self, name: str) -> int:
        """Returns an internal value of the OA unit: "a7", "c3", "timestamp", ..."""
        return _peek(lib.tally_gpu_oa(self._raw), name)

    @property
    def accesses(self) -> dict[str, int]:
        """Numbers of register accesses, by outcome."""
        return members(lib.tally_gpu_mmio_stats(self._raw))


class Pcounter:
    """NVIDIA's PCOUNTER of a chipset, clock by clock: "nv10" to "gf100"."""

    VALUES = {name: value for value, name in
              enum_names("tally_pcounter_value", lib.tally_pcounter_value_name).items()}

    def __init__(self, chipset: str):
        raw = lib.tally_chipset_find(chars(chipset))
        if raw == ffi.NULL:
            raise Error(errno.ENODEV, f"{chipset}: unknown chipset")
        self._raw = ffi.gc(create("struct tally_pcounter", lib.tally_pcounter_new, raw),
                           lib.tally_pcounter_free)
        self._inputs: dict = {}

    def attach(self, domain: int, signal: int, wave: Wave) -> None:
        """Drives a signal, by its index, from the domain's next clock on."""
        check(lib.tally_pcounter_attach(self._raw, domain, signal, wave.raw),
              what=f"signal {signal:#x} of domain {domain}")
        self._inputs[domain, signal] = wave

    def read(self, address: int) -> int:
        """Reads a register. Takes no time."""
        return lib.tally_pcounter_read32(self._raw, address)

    def write(self, address: int, value: int) -> None:
        """Writes a register."""
        lib.tally_pcounter_write32(self._raw, address, value)

    def run(self, ticks: int) -> None:
        """Lets time pass."""
        lib.tally_pcounter_run(self._raw, ticks)

    @property
    def now(self) -> int:
        return lib.tally_pcounter_now(self._raw)

    @property
    def domains(self) -> int:
        return lib.tally_pcounter_domains(self._raw)

    def peek(self, domain: int, name: str) -> int:
        """Returns an internal value of a domain: "cycles", "event", "sh_event", ..."""
        if name not in self.VALUES:
            raise KeyError(f"{name!r}, expected one of {', '.join(self.VALUES)}")
        out = ffi.new("uint64_t *")
        check(lib.tally_pcounter_peek(self._raw, domain, self.VALUES[name], out),
              what=f"{name} of domain {domain}")
        return out[0]
