#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the binary seeds of fuzz/corpus: recordings, buffers, batches."""
import os
import struct

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def record(kind, payload=b"", size=None):
    return struct.pack("<IHH", kind, 0, 8 + len(payload) if size is None else size) + payload


def version(number=1):
    return record(65536, struct.pack("<II", number, 0))


def device(pci, oa_format, hz, revision=1):
    return record(65537, struct.pack("<QIIIIIII256s40sI", hz, pci, revision, 200000000, 1000000000,
                                     0, 0, oa_format, b"RenderBasic",
                                     b"01234567-89ab-cdef-0123-456789abcdef", 0))


def topology(slices=1, subslices=2, eus=8):
    header = struct.pack("<8H", 0, slices, subslices, eus, 1, 1, 1 + slices, 1)
    data = bytes([(1 << slices) - 1] + slices * [(1 << subslices) - 1] +
                 slices * subslices * [(1 << eus) - 1])
    return record(65538, (header + data).ljust((len(header + data) + 7) // 8 * 8, b"\0"))


def correlation(cpu, gpu):
    return record(65539, struct.pack("<QQ", cpu, gpu))


def ledger(kind, count, reports):
    return record(0x54000001, struct.pack("<IIQQ", kind, 0, count, reports))


def stream(timer=100, flags=4):
    return record(0x54000002, struct.pack("<QII", timer, flags, 0))


def marks(*entries):
    """A MARKS record of (CPU ns, uncertainty, kind, name)."""
    return record(0x54000007, b"".join(struct.pack("<QIBBH", ns, uncertainty, kind, len(name), 0) +
                                       name.ljust((len(name) + 7) // 8 * 8, b"\0") for ns, uncertainty, kind, name in entries))


def segment(kind=0):
    return record(0x54000008, struct.pack("<II", kind, 0))


def narrow(size, number, stamp, ident=1 << 10, context=0):
    """A report with a 32-bit header. Each counter advances by the index of its dword."""
    words = [ident, stamp & 0xffffffff, context]
    words += [(0xfffffff0 + number * word) & 0xffffffff for word in range(3, size // 4)]
    return struct.pack(f"<{size // 4}I", *words)


def wide(size, number, stamp, context=0x2000):
    """A report with a 64-bit header."""
    body = [(number * word) & 0xffffffff for word in range(5, size // 4 - 1)]
    return struct.pack(f"<QQI{len(body) + 1}I", 1 << 19, stamp, context, *body, 0)


def chipset(name=b"g92", domains=((1, 0, 567000000), (3, 0, 1400000000))):
    rows = b"".join(struct.pack("<HHIQ", number, instance, 0, hz) for number, instance, hz in domains)
    return record(0x54000003, struct.pack("<16sIIII", name, 0x092100a2, 0x0611, len(domains), 0) + rows)


def signals(rows=((b"IDLE", b"PGRAPH.IDLE", 0, 0, 0), (b"SUM", b"sum(A, B)", 2, 2, 1)),
            clocks=((0, 1, 0), (1, 3, 0xffff)), passes=2):
    body = b"".join(struct.pack("<BBHI", *clock, 0) for clock in clocks)
    for symbol, expression, bits, slot, clock in rows:
        texts = symbol + expression
        body += struct.pack("<BBBBHH", bits, slot, clock, 0, len(symbol), len(expression))
        body += texts.ljust((len(texts) + 7) // 8 * 8, b"\0")
    return record(0x54000004, struct.pack("<HHHH", len(rows), len(clocks), passes, 0) + body)


def pcounter(number, stamp, size=576):
    counters = [stamp * (i + 1) & 0xffffffffffffffff for i in range((size - 16 - 48) // 8)]
    return record(1, struct.pack(f"<QQ{len(counters)}Q", 1, stamp, *counters) + bytes(48))


def packets(numbers, start=10**9, read=2 * 10**9, before=0, run=0, short=0, words=(1, 20, 30, 40, 50)):
    """A PACKETS record of a run: a packet every 1000 cycles."""
    body = b""
    for number in numbers:
        cycles = 1000 * (number + 1)
        body += struct.pack("<IHHHHHH", cycles, cycles >> 32, *words) + (b"" if short else bytes(16))
    return record(0x54000005, struct.pack("<QQQII", start, read, before, run, short) + body)


LOST, WIPED = record(2), record(3)
TIMER9 = 1 << 19 | 1 << 16


def hsw(number, stamp):
    return record(1, narrow(256, number, stamp))


def hsw_a13(number, stamp):
    return record(1, narrow(64, number, stamp))


def skl(number, stamp, ident=TIMER9, context=0x2000):
    return record(1, narrow(256, number, stamp, ident, context))


def oam(number, stamp):
    return record(1, wide(192, number, stamp))


HSW = version() + device(0x0412, 5, 12500000)
HSW_A13 = version() + device(0x0412, 1, 12500000)
SKL = version() + device(0x1912, 10, 12000000) + topology()
TGL = version() + device(0x9a49, 10, 19200000) + topology(1, 6, 8)
DG2 = version() + device(0x56a0, 12, 38400000)
OAM = version() + device(0x7d55, 13, 38400000)
G92 = version() + device(0x0611, 0x54000000, 10**9) + chipset() + signals()
G92_PACKETS = version() + device(0x0611, 0x54000000, 10**9) + chipset() + signals(
    rows=((b"IDLE", b"PGRAPH.IDLE", 0, 0, 0), (b"STOP", b"PCOUNTER.PERIODIC", 0, 3, 0)), clocks=((0, 1, 0),), passes=1)

RECORDINGS = {
    "hsw": HSW + topology() + correlation(1000, 90) + hsw(0, 100) + hsw(1, 200) +
           correlation(1000000, 12590),
    "hsw-a13-many": HSW_A13 + b"".join(hsw_a13(i, 100 + 10 * i) for i in range(40)),
    "hsw-a13-wrap": HSW_A13 + b"".join(hsw_a13(i, 0xffffff00 + 100 * i) for i in range(8)),
    "skl-contexts": SKL + correlation(1, 1) + skl(0, 100) + skl(1, 150, 8 << 19 | 1 << 16, 0x3000) +
                    skl(2, 200) + skl(3, 250, 8 << 19, 0),
    "skl-lost": SKL + LOST + skl(0, 100) + skl(1, 200) + LOST + LOST + skl(2, 700) + WIPED +
                skl(3, 900) + LOST,
    "skl-ledger": SKL + skl(0, 100) + ledger(0, 3, 12) + skl(1, 900) + ledger(5, 1, 0) +
                  skl(2, 1000),
    "skl-provenance": SKL + record(0x54000000, b"made by hand\0\0\0\0") + skl(0, 100),
    "skl-unknown-type": SKL + skl(0, 100) + record(4711, b"whatever") + skl(1, 200),
    "skl-size-zero": SKL + skl(0, 100) + record(1, size=0) + skl(1, 200),
    "skl-truncated": (SKL + skl(0, 100) + skl(1, 200))[:-77],
    "skl-unsorted": SKL + skl(0, 100) + skl(1, 200) + skl(2, 150),
    "skl-ambiguous": SKL + skl(0, 100) + skl(1, 0x70000000) + skl(2, 0x70000100),
    "skl-other-sample-size": SKL + skl(0, 100) + hsw_a13(1, 200),
    "skl-two-devices": SKL + skl(0, 100) + device(0x1912, 10, 12000000, 2) + skl(1, 200),
    "skl-cpu-time-back": SKL + correlation(900, 1) + skl(0, 100) + correlation(800, 900),
    "skl-bad-topology": version() + device(0x1912, 10, 12000000) + record(65538, bytes(16)),
    "tgl-flight-recorder": TGL + skl(0, 0xfffff000) + skl(1, 0x800) + correlation(5000, 0x500001000),
    "dg2-register-wrap": DG2 + correlation(1000, (1 << 36) - 1) + skl(0, 0xffffffff) +
                         correlation(1000001000, 19200000) + skl(1, 38400010),
    "oam-wide-time": OAM + correlation(1000, 0x123456789) + oam(0, 0x5002468acf20) +
                     oam(1, 0x5002468acf90) + correlation(2000, 0x123456900),
    "description-last": version() + skl(0, 100) + topology() + device(0x1912, 10, 12000000),
    "version-2": version(2) + device(0x1912, 10, 12000000),
    "stream-hsw": hsw(0, 100) + LOST + hsw(1, 300),
    "stream-skl": WIPED + skl(0, 100) + skl(1, 200) + skl(2, 300),
    "header-only": version() + device(0x1912, 10, 12000000)[:8],
    "g92": G92 + correlation(1000, 10**9) + b"".join(pcounter(i, 10**9 * (i + 1)) for i in range(4)),
    "g92-lost": G92 + pcounter(0, 10**9) + ledger(13, 1, 0) + pcounter(1, 2 * 10**9) +
                ledger(15, 2, 0) + ledger(16, 7, 0) + pcounter(2, 3 * 10**9),
    "gf100-wide": version() + device(0x06c0, 0x54000001, 10**9) +
                  chipset(b"gf100", ((8, 0, 607000000), (8, 3, 607000000), (30, 0, 405000000))) +
                  signals(clocks=((0, 8, 0xffff), (0, 30, 0)), passes=1) + pcounter(0, 5, 1088) +
                  pcounter(1, 1000005, 1088),
    "g92-packets": G92_PACKETS + correlation(1000, 10**9) + packets(range(6)) +
                   packets(range(6, 9), before=6000) + ledger(9, 1, 3) + packets(range(4), 3 * 10**9, 4 * 10**9, run=1) +
                   correlation(2000, 4 * 10**9),
    "g92-packets-short": G92_PACKETS + packets(range(3), short=1) + packets((8, 9), before=7000, short=1),
    "g92-packets-bad": G92_PACKETS + packets((0, 0, 2)) + packets((3, 4), before=3000, words=(0, 1, 2, 3, 4)) +
                       packets((5,), before=3000, words=(0xfff, 0xffff, 0, 0, 0)) + pcounter(0, 5 * 10**9),
    "g92-header-only": version() + device(0x0611, 0x54000000, 10**9) + chipset() +
                       signals(((b"SUM", b"sum(A, BBBBB)", 2, 0, 0),)), # no padding after the texts
    "g92-no-signals": version() + device(0x0611, 0x54000000, 10**9) + chipset() + pcounter(0, 1),
    "g92-bad-clock": version() + device(0x0611, 0x54000000, 10**9) + chipset() +
                     signals(rows=((b"A", b"1", 0, 0, 9),)) + pcounter(0, 1),
    "skl-marks": SKL + stream() + correlation(1000, 100) + skl(0, 100) +
                 marks((2000, 0, 0, b"load"), (9000, 500, 1, b"draw"), (21000, 0, 3, b""), (31000, 0, 2, b"draw")) +
                 b"".join(skl(i, 100 + 100 * i) for i in range(1, 6)) + marks((12000, 0, 0, b"caf\xc3\xa9\x1b\xff")) +
                 correlation(50000, 688),
    "skl-marks-nested": SKL + stream() + correlation(1000, 100) + skl(0, 100) +
                        marks(*[(2000 + i, i, 1 + (i * 7 // 9 & 1), b"r%d" % (i % 5)) for i in range(40)], (0, 0xffffffff, 0, b""),
                              (0xffffffffffffffff, 0, 2, b"none"), (3000, 0, 77, b"later kind")) + skl(1, 200),
    "skl-marks-bad": SKL + stream() + skl(0, 100) + record(0x54000007, marks((2000, 0, 0, b"load"))[8:-8]) + skl(1, 200),
    "skl-marks-unannounced": SKL + stream(flags=0) + correlation(1000, 100) + skl(0, 100) + marks((1500, 0, 0, b"x")) + skl(1, 200),
    "skl-paused": SKL + stream() + correlation(1000, 100) + skl(0, 100) + skl(1, 200) + segment() + correlation(900000, 10888) +
                  skl(2, 20000) + skl(3, 20100) + LOST + segment(1) + skl(4, 30000) + segment() + segment(1),
    "skl-segment-bad": SKL + skl(0, 100) + segment(2) + skl(1, 200),
    "skl-segment-first": SKL + segment(1) + skl(0, 100) + LOST + skl(1, 200) + segment() + LOST + skl(2, 300),
}

# First byte: index in report_layouts[]; its highest bit keeps unsorted reports.
LAYOUTS = {
    "snb-a29-b4-c12": (3, 192), "ivb-a45": (8, 256), "hsw-a13": (10, 64), "hsw-a45": (15, 256),
    "hsw-b4-c8-a16": (16, 128), "gen8-a12": (18, 64), "gen8-a12-b8-c8": (19, 128),
    "gen8-a36": (20, 256), "gen8-c4-b8": (21, 64), "xehp-a38": (23, 256), "oam-u64": (24, 192),
    "oam-u32": (25, 128), "xe-pec64u64": (26, 576), "xe-pec64u64-b8-c8": (27, 640),
    "xe-pec32u32": (31, 192), "xe-oac-a24u64": (35, 320),
    "pcounter-a32": (38, 576), "pcounter-a64": (39, 1088),
}


def raw_buffers():
    for name, (place, size) in LAYOUTS.items():
        make = wide if place >= 24 else narrow
        reports = [make(size, number, 1000 + 100 * number) for number in range(min(6, 3500 // size))]
        yield name, bytes([place]) + b"".join(reports)
        if name == "gen8-a36":
            yield name + "-ring", bytes([place | 0x80]) + b"".join(reversed(reports))
            yield name + "-not-landed", bytes([place]) + reports[0] + bytes(size) + reports[2]
            yield name + "-truncated", bytes([place]) + b"".join(reports)[:-9]
        if name == "hsw-a13":
            yield name + "-wraps", bytes([place]) + b"".join(
                make(size, number, 0xfffffff0 + 0x40000000 * number) for number in range(12))


def packet(cycles, stop=1, counts=(), long=True):
    words = [cycles & 0xffff, cycles >> 16 & 0xffff, cycles >> 32 & 0xffff, stop, *counts]
    return struct.pack("<16H", *words, *[0] * (16 - len(words)))[:32 if long else 16]


def packets(deltas, start=0, **options):
    cycles, data = start, b""
    for delta in deltas:
        cycles = (cycles + delta) % (1 << 48)
        data += packet(cycles, counts=(min(delta, 1000), 7, 0, delta // 2 % 1000), **options)
    return data


# First byte: bit 0 selects the long format; the others are the number of packets per read.
LONG, SHORT = b"\1", b"\6"
PACKETS = {
    "steady": LONG + packets([1000] * 40),
    "steady-short": SHORT + packets([1000] * 40, long=False),
    "missing": LONG + packets([1000] * 20 + [3000] + [1000] * 10 + [2000] + [1000] * 20),
    "other-period": LONG + packets([1000] * 30 + [2500] * 25),
    "wrap": LONG + packets([1000] * 20, (1 << 48) - 9500),
    "restart": SHORT + packets([500] * 12, long=False) + packets([500] * 12, long=False),
    "merged": LONG + packets([100] * 8) + packet(1000, 2) + packet(1100, 1) + packet(1400, 3),
    "hole": LONG + packets([100] * 8) + bytes(64) + packets([100] * 8, 1000) + bytes(96),
    "saturated": LONG + packet(70000, 0, [0xffff]) + packet(140000, 0xfff, [0, 0xffff]) +
                 packet(210000, 1, [9]),
    "overflow": LONG + packet(0xf000, 0, [0xf000]) + packet(0x1e000, 0, [3, 0xf000]) +
                packet(0x1e100, 1, [0x100]),
    "overflow-short": SHORT + packet(0xf000, 0, [0xf000], False) + packet(0x1e000, 0, (), False) +
                      packet(0x1e100, 0, (), False),
    "malformed": LONG + packets([100] * 9) + packet(1000, 0x1001) + packet(1100, 1, [2000]) +
                 packet(1200, 0, [5]) + packet(1300, 200) + packets([100] * 9, 1300),
    "torn": SHORT + packets([100] * 9, long=False) + b"torn",
    "not-written": LONG + bytes(320),
}


# The command streamer: index of the platform, options, dwords at address 0 of both spaces.
SNB, IVB, HSW_GPU, BDW, SKL_GPU, ICL, LKF, TGL, MTL = 0, 1, 3, 4, 6, 12, 13, 15, 20
PRIVILEGED, IN_GGTT, QUIRK, IN_RING, NO_PPGTT, WORK = 1, 2, 4, 8, 16, 32
ON_BCS0, ON_VCS0, ON_VECS0 = 64, 128, 192
INSTANCE_2 = 21  # added to a platform: vcs2 instead of vcs0
END = 0x05000000


def batch(platform, how, *dwords):
    return bytes([platform, how]) + struct.pack(f"<{len(dwords)}I", *dwords)


def alu(opcode, first=0, second=0):
    return opcode << 20 | first << 10 | second


def gpr(number):
    return 0x2600 + 8 * number


def wait(wide):
    """The kernel's batch that waits for the timestamp, at 0 in the GGTT (does not save registers)."""
    start = [0x11000001, gpr(0) + 4, 0, 0x15000001, 0x2358, gpr(0)]
    jump = [0x15000001, gpr(3), 0x241c, 0x18808000 | wide]
    again = [0x11000001, gpr(1) + 4, 0, 0x15000001, 0x2358, gpr(1),
             0x0d000004, alu(0x080, 0x20, 1), alu(0x080, 0x21, 0), alu(0x101),
             alu(0x180, 2, 0x31), alu(0x180, 3, 0x33)]
    return (start + again + jump + [0, 0] +
            [0x11000003, gpr(4), 0xffffffff - 300, gpr(4) + 4, 0xffffffff,
             0x0d000003, alu(0x080, 0x20, 2), alu(0x080, 0x21, 4), alu(0x100),
             alu(0x580, 3, 0x33), 0x02800000] + jump + [4 * len(start), 0, END])


def engine_math(base):
    """GPR 2 = GPR 0 + GPR 1, stored at 1000h; with absolute addresses of the registers."""
    return [0x11000003, base + 0x600, 3, base + 0x608, 4, 0x0d000003, alu(0x080, 0x20, 0),
            alu(0x080, 0x21, 1), alu(0x100), alu(0x180, 2, 0x31), 0x12000002, base + 0x610, 0x1000, 0]


def engine_predicate():
    """Gen11 on: MI_PREDICATE on registers relative to the engine, then MI_SET_PREDICATE."""
    return [0x11080003, 0x400, 5, 0x408, 5, 0x06000082, 0x12280002, 0x418, 0x1000, 0,
            0x00800004, 0x01000000, 0x00800000]


def nested(first):
    """Gen12: MI_MODE, and batches at 40h, 60h and 80h that start the next one; `first` is started at 0.
    The last one ends its own level."""
    start, user = 0x18c00101, 0x01000000
    code = [0x11080001, 0x9c, 0x10001000, start, first, 0, user, END]
    for at, *dwords in ((0x40, start, 0x60, 0, user, END), (0x60, start, 0x80, 0, user, END),
                        (0x80, 0x1b240002, 9, 0x1000, 0)):
        code += [0] * (at // 4 - len(code)) + dwords
    return code


STREAMER = {
    "report-hsw": batch(HSW_GPU, 0, 0x7a000003, 0x0010d000, 0x1000, 0, 0, 0x14000001, 0x2000,
                        0xcafe, END),
    "report-skl": batch(SKL_GPU, 0, 0x7a000004, 0x0010d000, 0x1000, 0, 0, 0, 0x14000002, 0x2000, 0,
                        0xcafe, END),
    "report-illegal-bdw": batch(BDW, QUIRK, 0x14000002, 0x2001, 0, 0xbad, 0x14000002, 0x2000, 0,
                                0xcafe, END),
    "configuration": batch(HSW_GPU, PRIVILEGED | IN_GGTT, 0x11000005, 0x9888, 1, 0x2710, 2, 0xe458,
                           3, END),
    "wait-hsw": batch(HSW_GPU, PRIVILEGED | IN_GGTT, *wait(0)),
    "wait-lkf": batch(LKF, PRIVILEGED | IN_GGTT, *wait(1)),
    "ring-snb": batch(SNB, IN_RING, 0x0c000000, 0x12310d, 0x18800100, 0x20, 0, 0x01000000, 0, 0,
                      0x10400002, 0, 0x1000, 7, END, 0),
    "ring-skl": batch(SKL_GPU, IN_RING, 0x18800101, 0x20, 0, 0x01000000, 0, 0, 0, 0,
                      0x10000002, 0x1000, 0, 7, 0x18c00101, 0x50, 0, END, 0x04000001, 0, 0, 0,
                      0x12000002, 0x2358, 0x1008, 0, END),
    "circle": batch(LKF, 0, 0x18800101, 0, 0),
    "semaphore": batch(BDW, 0, 0x10000002, 0x1000, 0, 5, 0x0e00c002, 5, 0x1000, 0, 0x0e00d002, 5,
                       0x1000, 0, END),
    "work": batch(SKL_GPU, WORK, 0x69040000, 0x78080003, 0, 0, 0, 0, 0x7b000005, 4, 3, 0, 1, 0, 0,
                  0x7a000004, 0x00100000, 0, 0, 0, 0, 0x7105000d, *[1] * 14, 0x54c00006, *[0] * 7,
                  END),
    "predicates": batch(HSW_GPU, PRIVILEGED, 0x11000003, 0x2400, 5, 0x2408, 5, 0x06000082,
                        0x12200001, 0x2364, 0x1000, 0x060000c9, 0x1b200001, 3, 0x1000, END),
    "memory": batch(LKF, PRIVILEGED, 0x17000003, 0x1000, 0, 0, 0, 0x14800002, gpr(1), 0x1000, 0,
                    0x10800001, 0xc0, 9, 0x13004003, 0x1010, 0, 7, 8, 0x10200003, 0x1008, 0, 1, 2,
                    0x150c0001, 0x358, 0x608, END),
    "atomics": batch(LKF, 0, 0x11000003, gpr(0), 3, gpr(2), 9,
                     *[dword for operation in range(1, 16)
                       for dword in (0x17850003 | operation << 8, 0x1000, 0, 5, 7)],
                     *[dword for operation in range(0x21, 0x30)
                       for dword in (0x17890001 | operation << 8, 0x1008, 0)],
                     0x17954e09, 0x1000, 0, 1, 2, 3, 4, 5, 6, 7, 8, END),
    "atomics-after-work-tgl": batch(TGL, WORK, 0x7b000005, 4, 3, 0, 1, 0, 0,
                                    0x17ac2403, 0x1000, 0, 1, 2, 0x0da00000, 0, END),
    "set-predicate-hsw": batch(HSW_GPU, PRIVILEGED, 0x00800001, 0x01000000, 0x00800002, 0x11000001,
                               0x2214, 1, 0x00800002, 0x01000000, 0x00800003, END),
    "set-predicate-skl": batch(SKL_GPU, PRIVILEGED, *[dword for mode in range(8) for dword in
                                                     (0x00800000 | mode, 0x01000000)], 0x0080000f,
                               0x01000000, 0x00800000, END),
    "mailboxes-snb": batch(SNB, PRIVILEGED, 0x11000003, 0x2040, 6, 0x2044, 6, 0x0b540001, 5, 0,
                           0x0b560001, 5, 0, 0x0b600001, 9, 0x1000, 0x0b700001, 7, 0x1000,
                           0x0b640001, 5, 0x2040, 0x0b540001, 5, 0, END),
    "events-snb": batch(SNB, PRIVILEGED, 0x01800006, 0x11000001, 0x2028, 0x00020002, 0x01810000,
                        0x03800000, 0x01820000, END),
    "ends-tgl": batch(TGL, 0, 0x18c00101, 0x20, 0, 0x01000000, END, 0, 0, 0,
                      *[dword for compare in range(6)
                        for dword in (0x1b240002 | compare << 12, compare, 0x1000, 0)], END),
    "semaphore-tgl": batch(TGL, 0, 0x0e01c003, 0, 0x2600, 0, 0x60, 0x0e00d003, 5, 0x1000, 0, 0,
                           0x0e800000, 0x00020002, 0x0d800000, 0, 0x0e01c002, 1, 0x2600, 0, END),
    "cost-only-hsw": batch(HSW_GPU, PRIVILEGED, 0x0a000001, 0, 0, 0x09000000, 0, 0x09800000, 0,
                           0x11800001, 0, 0, 0x13800001, 0, 0, 0x15800002, 0, 0x1000, 7,
                           0x16000001, 0, 0, 0x16800001, 0, 0, 0x04800000, 0x07000000, END),
    "copy-ivb": batch(IVB, PRIVILEGED | WORK | ON_BCS0, 0x50000003, 0x01f00100, 0x00100010, 0, 0,
                      0x13204102, 0x40, 0x77, 0, 0x11000001, 0x22040, 6, 0x0b540001, 5, 0,
                      0x12000001, 0x22040, 0x1000, 0x02000000),
    "copy-skl": batch(SKL_GPU, PRIVILEGED | WORK | ON_BCS0, 0x54c00008, 0x01f00100, 0,
                      0x00100010, 0x1000, 0, 0, 0x100, 0x2000, 0, 0x13004103, 0x1000, 0, 7, 0,
                      *engine_math(0x22000), 0x17000003, 0x1008, 0, 0x1000, 0, 0x06000082),
    "copy-ring-bdw": batch(BDW, IN_RING | ON_BCS0, 0x18c00001, 0x30, 0, 0x01000000, 0x03800000, 0,
                           0x10800001, 0xc0, 9, 0, 0, 0, 0x10400002, 0x1000, 0, 7, END, 0),
    "copy-refused-hsw": batch(HSW_GPU, ON_BCS0, 0x01000000, 0x0d000000, alu(0x100)),
    "video-snb": batch(SNB, PRIVILEGED | WORK | ON_VCS0, 0x60000000, 0, 0x68000000, 0x70000000, 0,
                       0x13000001, 0, 0, 0x11000003, 0x14080, 0x1000, 0x12044, 1, 0x03800000,
                       0x0b560001, 0, 0, 0x7a000002, 0, 0, 0),
    "video-icl": batch(ICL, PRIVILEGED | IN_GGTT | ON_VCS0, *engine_math(0x1c0000),
                       *engine_predicate(), END),
    "video2-tgl": batch(TGL + INSTANCE_2, PRIVILEGED | WORK | ON_VCS0, 0x70000000, 0,
                        *engine_math(0x1d0000), *engine_predicate(), END),
    "enhance-hsw": batch(HSW_GPU, PRIVILEGED | ON_VECS0, 0x11000003, 0x1a040, 3, 0x1a048, 3,
                         0x0b550001, 2, 0, 0x00800001, 0x01000000, 0x00800000, 0x13000001, 0, 0,
                         0x06000082),
    "enhance-tgl": batch(TGL, PRIVILEGED | ON_VECS0, *nested(0x60)),
    "nested-tgl": batch(TGL, PRIVILEGED, *nested(0x60)),
    "nested-ring-tgl": batch(TGL, IN_RING, *nested(0x40)),
    "nested-too-deep-tgl": batch(TGL, PRIVILEGED, *nested(0x40)),
    "no-platform": batch(MTL, 0, 0, END),
    "unknown": batch(SNB, 0, 0, 0x1f800000),
    "wrong-length": batch(SKL_GPU, 0, 0x14000001, 0, 0, 0),
}


def taken(platform, exponent, pieces, *records):
    """Data of the kernel's stream, for the recorder (fuzz_stream.c)."""
    return bytes([platform, exponent, pieces]) + b"".join(records)


# Places among the platforms with a perf interface.
STREAM_HSW, STREAM_SKL, STREAM_ICL = 0, 3, 9
TIMES = [8, 24, 40, 88, 104, 200, 216, 232]
STREAMS = {
    "hsw": taken(STREAM_HSW, 3, 0, *[hsw(i, 8 + 16 * i) for i in range(10)]),
    "hsw-gaps": taken(STREAM_HSW, 3, 0, *[hsw(i, stamp) for i, stamp in enumerate(TIMES)]),
    "hsw-gaps-in-pieces": taken(STREAM_HSW, 3, 33, *[hsw(i, 8 + 32 * i) for i in range(15)]),
    "hsw-told": taken(STREAM_HSW, 3, 0, hsw(0, 8), LOST, hsw(1, 40), WIPED, hsw(2, 400), hsw(3, 432)),
    "hsw-torn": taken(STREAM_HSW, 3, 20, *[hsw(i, 8 + 16 * i) for i in range(8)]),
    "skl-contexts": taken(STREAM_SKL, 4, 0, *[skl(i, 16 + 32 * i, context=0x1000 * (1 + i % 3))
                                     for i in range(12)]),
    "skl-switches": taken(STREAM_SKL, 4, 0, *[skl(i, 16 + 10 * i, ident=(1 << 22 if i % 3 else 1 << 19) | 1 << 16,
                                         context=0x1000 * (1 + i % 2)) for i in range(12)]),
    "skl-other-size": taken(STREAM_SKL, 4, 0, skl(0, 16), record(1, bytes(128))),
    "size-zero": taken(STREAM_SKL, 4, 0, skl(0, 16), record(1, bytes(256), size=0)),
    "later-record": taken(STREAM_ICL, 4, 0, skl(0, 16), record(77, bytes(40)), skl(1, 48)),
    "packets": taken(STREAM_SKL, 4, 0, record(0x54000005, bytes(32 + 2 * 32)), skl(0, 16)),
    "packets-without-head": taken(STREAM_SKL, 4, 0, skl(0, 16), record(0x54000005)),
}


def live(interval, pieces, platform, name):
    """A recording that arrives in pieces (fuzz_pipeline.c): of intervals of 2^interval ns."""
    return bytes([interval, pieces, platform]) + RECORDINGS[name]


PIPELINE = {
    **{name: live(0, place, 0, name) for place, name in enumerate(RECORDINGS)},
    **{name + "-intervals": live(12, place, 0, name) for place, name in enumerate(RECORDINGS)
       if name in ("hsw", "hsw-a13-many", "skl-contexts", "skl-lost", "skl-size-zero",
                   "skl-ambiguous", "skl-unsorted", "tgl-flight-recorder", "skl-paused")},
    "skl-every-tick": live(7, 1, 0, "skl-lost"),
    "skl-no-interval": live(1, 1, 0, "skl-lost"),
    "stream-hsw-named": live(0, 3, 1, "stream-hsw"),
    "stream-skl-named": live(14, 4, 2, "stream-skl"),
    "hsw-steady": bytes([20, 9, 1]) + b"".join(hsw(i, 100 + 1000 * i) for i in range(14)),
    "skl-steady-lost": bytes([0, 5, 2]) + b"".join(skl(i, 100 + 500 * (i + 3 * (i > 7)))
                                                   for i in range(14)),
}


# ---- nvif -------------------------------------------------------------------------------------

NVIF_NEW, NVIF_DEL, NVIF_CALL = 2, 3, 4


def nvif_header(kind, number, device=False):
    return struct.pack("<BB4xBBQQ", 0, kind, 0, 0xff if device else 0, 2**64 - 1 if device else 0, number)


def nvif_new(parent, number, handle_class, data=b""):
    return nvif_header(NVIF_NEW, parent, not parent) + \
        struct.pack("<B6xBQQIi", 0, 0, 0, number, 0, handle_class) + data


def nvif_call(number, method, data=b""):
    return nvif_header(NVIF_CALL, number) + struct.pack("<BB6x", 0, method) + data


def nvif_classes(number, count, device=False):
    return nvif_header(1, number, device) + struct.pack("<BB6x", 0, count) + bytes(8 * count)


def nvif_perfdom(domain, signals, sources=()):
    counters = b""
    for counter in range(4):
        chosen = [signals[counter], 0, 0, 0] if counter < len(signals) else [0] * 4
        first = list(sources if counter == 0 else ()) + [0] * 8
        counters += bytes(chosen) + bytes(4) + struct.pack("<8Q", *first[:8]) + bytes(192) + \
            struct.pack("<H6x", 0xaaaa)
    return struct.pack("<BBB5x", 0, domain, 0) + counters


def nvif_client(chipset, options, *requests):
    """The requests, each in memory of its own, and time between them."""
    steps, memory = b"", b""
    for request in requests:
        if isinstance(request, int):
            steps += struct.pack("<BHB", 2, request, 0)
            continue
        kind, number, data = request if isinstance(request, tuple) else (0, len(request) // 8, request)
        steps += struct.pack("<BHB", kind, len(memory), number)
        memory += data + bytes(-len(data) % 8)
    return bytes([chipset, options, len(steps) // 4]) + steps + memory


def nvif_counting(chipset, domain, signals, sources=()):
    return nvif_client(
        chipset, 1, nvif_new(0, 1, -2), nvif_new(1, 2, -3, nvif_perfdom(domain, signals, sources)),
        nvif_call(2, 0), 3000, nvif_call(2, 1), nvif_call(2, 2, bytes(32)), nvif_header(NVIF_DEL, 1))


NVIF = {
    "count-g92": nvif_counting(0, 1, [0xbd, 0x5c]),
    "source-g92": nvif_counting(0, 1, [0x66], [1 | 2 << 32]),
    "count-gf100": nvif_counting(1, 0, [0x01], [1]),
    "count-nv40": nvif_counting(2, 1, []),
    "lists": nvif_client(3, 0, nvif_new(0, 1, -2), nvif_call(1, 0, bytes(72)),
                         nvif_call(1, 1, struct.pack("<BBH", 0, 1, 0xcc) + bytes(68)),
                         nvif_call(1, 2, struct.pack("<BBBB", 0, 1, 0x46, 1) + bytes(76))),
    "device": nvif_client(0, 1, nvif_header(NVIF_NEW, 0) + struct.pack("<B6xBQQIi", 0, 0, 5, 9, 0, 0x80) +
                          struct.pack("<QQ", 0, 2**64 - 1), nvif_call(9, 0, bytes(104)), nvif_call(9, 1, bytes(16)),
                          nvif_header(1, 9) + struct.pack("<BB6x", 0, 2) + bytes(16), nvif_header(NVIF_DEL, 9)),
    "buffers": nvif_client(0, 2, (1, 0x80, struct.pack("<IIQQQIIII", 0, 2, 70000, 0, 0, 0, 0, 0, 0) + bytes(80)),
                           (1, 0x84, struct.pack("<I", 1) + bytes(124)), (3, 1, struct.pack("<Q", 1 << 32)),
                           (1, 0x09, struct.pack("<I", 1) + bytes(124)), (4, 0, b"")),
    "classes": nvif_client(0, 0, nvif_classes(0, 1), nvif_classes(0, 4), nvif_new(0, 1, -2), nvif_classes(1, 1),
                           nvif_classes(0, 8, device=True), nvif_classes(0, 1, device=True)),
    "parameters": nvif_client(5, 0, *[(1, 0x40, struct.pack("<QQ", i, 0) + bytes(112)) for i in range(3, 17)]),
}


def write(folder, name, data):
    assert len(data) < 4096, (folder, name, len(data))
    os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    with open(os.path.join(HERE, folder, name), "wb") as file:
        file.write(data)


def main():
    for name, data in RECORDINGS.items():
        write("recording", name, data)
    for name, data in raw_buffers():
        write("raw", name, data)
    for name, data in STREAMS.items():
        write("stream", name, data)
    for name, data in PACKETS.items():
        write("packets", name, data)
    for name, data in STREAMER.items():
        write("cs", name, data)
    for name, data in NVIF.items():
        write("nvif", name, data)
    for name, data in PIPELINE.items():
        write("pipeline", name, data)


if __name__ == "__main__":
    main()
