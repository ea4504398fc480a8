#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of fuzz/corpus/ioctl: clients of the i915 interface."""
import os
import struct

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "ioctl")
END = 0x05000000  # MI_BATCH_BUFFER_END

# The i915 interface: steps of a client, and its memory from USER on.
USER = 0x10000
# Calls by their numbers, those of the driver from 0x40 on.
VERSION, GET_UNIQUE, GET_MAGIC, GET_CLIENT, GET_STATS, SET_VERSION = 0, 1, 2, 5, 6, 7
GEM_CLOSE, FLINK, GEM_OPEN, GET_CAP, SET_CLIENT_CAP, AUTH_MAGIC = 9, 10, 11, 12, 13, 0x11
SET_MASTER, DROP_MASTER, PRIME_TO_FD, PRIME_FROM_FD = 0x1e, 0x1f, 0x2d, 0x2e
GETPARAM, BUSY, THROTTLE, GEM_CREATE, PREAD, PWRITE, GEM_MMAP, SET_DOMAIN, SW_FINISH = \
    0x46, 0x57, 0x58, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60
SET_TILING, GET_TILING, GET_APERTURE, MMAP_OFFSET, MADVISE, EXEC, GEM_WAIT, CONTEXT_CREATE, CONTEXT_DESTROY = \
    0x61, 0x62, 0x63, 0x64, 0x66, 0x69, 0x6c, 0x6d, 0x6e
SET_CACHING, GET_CACHING, REG_READ, RESET_STATS, USERPTR, CONTEXT_GET, CONTEXT_SET, PERF_OPEN, ADD_CONFIG, \
    REMOVE_CONFIG, QUERY, VM_CREATE, VM_DESTROY, CREATE_EXT = range(0x6f, 0x7d)
SYNC_CREATE, SYNC_DESTROY, SYNC_TO_FD, SYNC_FROM_FD, SYNC_WAIT, SYNC_RESET, SYNC_SIGNAL = range(0xbf, 0xc6)
POINT_WAIT, POINT_QUERY, SYNC_TRANSFER, POINT_SIGNAL = range(0xca, 0xce)
ENABLE, DISABLE, CONFIG = 0, 2, 4
# Places among the modelled platforms.
I915_IVB, I915_HSW, I915_BDW, I915_CHV, I915_SKL, I915_ICL, I915_LKF, I915_TGL = 1, 3, 4, 5, 6, 7, 8, 9
UNPRIVILEGED, NOT_PARANOID, RENDER, NO_FDS, FENCES = 8, 16, 32, 64, 128


def call(which, at=0):
    return bytes([0, which]) + struct.pack("<H", at)


def run(units):
    return bytes([2, 0]) + struct.pack("<H", units)


def read(size, blocking=False):
    return bytes([3, 2 if blocking else 0]) + struct.pack("<H", size)


def stream(which, argument=0):
    return bytes([4, which]) + struct.pack("<H", argument)


def client(platform, how, steps, *memory):
    """memory: (offset, bytes)"""
    image = bytearray(max([at + len(data) for at, data in memory], default=0))
    for at, data in memory:
        image[at:at + len(data)] = data
    return bytes([platform, how, len(steps)]) + b"".join(steps) + bytes(image)


def quads(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


UUID = b"01234567-89ab-cdef-0123-456789abcdef"
CLOSE, STORE, AGAIN = bytes([5, 0, 0, 0]), 6, bytes([7, 0, 0, 0])


def store(at):
    return bytes([STORE, 0]) + struct.pack("<H", at)


def set_and_open(exponent, form, *more, flags=0, trigger=0x2710, sample=True):
    """A configuration at 0x100 and PERF_OPEN at 0x200, whose properties get the configuration's id."""
    properties = [(2, 1)] * sample + [(4, form)] + ([] if exponent is None else [(5, exponent)]) + list(more)
    flat = [value for pair in properties for value in pair]
    return [(0x100, UUID + words(1, 1, 0) + quads(USER + 0x180, USER + 0x190, 0)),
            (0x180, words(0x9888, 0x1234)), (0x190, words(trigger, 5)),
            (0x200, words(flags, len(properties) + 1) + quads(USER + 0x220)),
            (0x220, quads(3, 0, *flat))]


OPEN = [call(ADD_CONFIG, 0x100), store(0x228), call(PERF_OPEN, 0x200)]


def execute(handle, address, flags=0x801, context=0):
    """EXECBUFFER2 of one object at 0x400, and the creation of the object at 0x380."""
    return [(0x380, quads(4096, 0)),
            (0x400, quads(USER + 0x480) + words(1, 0, 0, 0, 0, 0) + quads(0, flags, context, 0)),
            (0x480, words(handle, 0) + quads(0, 0, address, 0x10, 0, 0))]


def upload(handle, *dwords):
    """PWRITE, at 0x500, of a batch at 0x540."""
    return [(0x500, words(handle, 0) + quads(0, 4 * len(dwords), USER + 0x540)),
            (0x540, words(*dwords))]


BATCH = [call(GEM_CREATE, 0x380), call(PWRITE, 0x500), call(EXEC, 0x400)]
IOCTL = {
    "read-hsw": client(I915_HSW, 7, OPEN + [run(60000), read(0x3000), run(40000), read(0x800),
                                            read(0x400, True), CLOSE], *set_and_open(8, 5)),
    "read-skl": client(I915_SKL, 7, OPEN + [run(60000), read(0x3000), stream(DISABLE),
                                            read(0x3000), stream(ENABLE), stream(CONFIG, 2),
                                            run(60000), read(0x200)], *set_and_open(6, 10)),
    "overflow-bdw": client(I915_BDW, 7, OPEN + [run(65535)] * 3 + [read(7), read(0x3000)],
                           *set_and_open(0, 10)),
    "filter-icl": client(I915_ICL, 7, OPEN + BATCH + [run(50000), read(0x3f00), CLOSE],
                         *set_and_open(8, 10, (1, 0), (6, 1)), *execute(1, 0x100000),
                         *upload(1, 0, 0, END)),
    "plain-hsw": client(I915_HSW, 7 | UNPRIVILEGED, OPEN + [AGAIN], *set_and_open(8, 5, (1, 0))),
    "free-chv": client(I915_CHV, 6 | UNPRIVILEGED | NOT_PARANOID | RENDER,
                       OPEN + [run(50000), read(0x4000 - 1)], *set_and_open(8, 7, (8, 200000))),
    "no-descriptor": client(I915_SKL, 7 | NO_FDS, OPEN + OPEN, *set_and_open(8, 10)),
    "no-perf": client(I915_IVB, 7, OPEN + BATCH, *set_and_open(8, 5), *execute(1, 0x4000000, 1),
                      *upload(1, END)),
    "old-revision": client(I915_SKL, 1, OPEN + [stream(CONFIG, 2)], *set_and_open(8, 10)),
    "sseu": client(I915_ICL, 7, OPEN, *set_and_open(8, 10, (7, USER + 0x300)),
                   (0x300, words(0, 0) + quads(1, 0x0f) + struct.pack("<HHI", 8, 8, 0))),
    "busy": client(I915_LKF | 0x80, 7, OPEN + OPEN[2:] + [CLOSE] + OPEN[2:],
                   *set_and_open(10, 9)),
    "report-skl": client(I915_SKL, 7, OPEN + BATCH + [call(PREAD, 0x500)], *set_and_open(None, 10),
                         *execute(1, 0x100000), *upload(1, 0x14000002, 0x100400, 0, 77, END)),
    "filter-tgl": client(I915_TGL, 7, OPEN + BATCH + [run(50000), read(0x3f00), CLOSE],
                         *set_and_open(8, 10, (1, 0), (6, 1), trigger=0xd900),
                         *execute(1, 0x100000), *upload(1, 0, 0, END)),
    "report-tgl": client(I915_TGL, 7 | UNPRIVILEGED | NOT_PARANOID,
                         OPEN + BATCH + [call(PREAD, 0x500), CLOSE],
                         *set_and_open(None, 10, (1, 0), trigger=0xd900, sample=False),
                         *execute(1, 0x100000), *upload(1, 0x14000002, 0x100400, 0, 77, END)),
    "hang-hsw": client(I915_HSW, 7, BATCH + [call(GEM_WAIT, 0x600), call(EXEC, 0x400)] * 4 +
                       [call(RESET_STATS, 0x640)], *execute(1, 0x4000000, 1),
                       *upload(1, 0x18800100, 0x4000000),
                       (0x600, words(1, 0) + quads(0xffffffffffffffff))),
    "hang-bdw": client(I915_BDW, 7, BATCH + [call(EXEC, 0x400)] * 5 + [run(60000)] * 3,
                       *execute(1, 0x100000), *upload(1, 0x1f800000)),
    "contexts": client(I915_SKL, 7 | FENCES,
                       [call(CONTEXT_CREATE, 0x600), call(CONTEXT_CREATE, 0x600)] + BATCH +
                       [call(EXEC, 0x680), call(CONTEXT_DESTROY, 0x600), run(100),
                        call(CONTEXT_GET, 0x640), call(VM_CREATE, 0x660), call(CONTEXT_SET, 0x640)],
                       *execute(1, 0x100000), *upload(1, *[0] * 40, END),
                       (0x640, words(1, 0) + quads(9, 1)),
                       (0x680, quads(USER + 0x480) + words(1, 0, 0, 0, 0, 0) +
                        quads(0, 0x20801, 1, 0))),
    "relocation": client(I915_BDW, 7, [call(GEM_CREATE, 0x380)] * 2 +
                         [call(PWRITE, 0x500), call(EXEC, 0x400), call(BUSY, 0x480),
                          call(GEM_CLOSE, 0x480), call(MMAP_OFFSET, 0x500)],
                         (0x380, quads(4096, 0)),
                         (0x400, quads(USER + 0x480) + words(2, 0, 0, 0, 0, 0) + quads(0, 0, 0, 0)),
                         (0x480, words(2, 0) + quads(0, 0, 0, 0, 0, 0)),
                         (0x4b8, words(1, 1) + quads(USER + 0x700, 0, 0, 0, 0, 0)),
                         (0x700, words(2, 64) + quads(4, 0xffffffff) + words(2, 2)),
                         *[(at + 0x300 if at == 0x540 else at, data if at == 0x540 else
                            words(1, 0) + quads(0, 20, USER + 0x840))
                           for at, data in upload(1, 0x10000002, 0, 0, 5, END)]),
    "query": client(I915_SKL, 7, [call(ADD_CONFIG, 0x100), call(QUERY, 0x300)],
                    *set_and_open(8, 10), (0x300, words(4, 0) + quads(USER + 0x310)),
                    (0x310, quads(1) + words(64, 0) + quads(USER + 0x800) +
                     quads(2) + words(0, 0) + quads(0) +
                     quads(3) + words(120, 2) + quads(USER + 0x900) +
                     quads(3) + words(200, 1) + quads(USER + 0xa00)),
                    (0x900, UUID), (0x930, UUID + words(1, 1, 1) +
                                    quads(USER + 0xb00, USER + 0xb10, USER + 0xb20))),
    "syncobjs-skl": client(I915_SKL, 7 | FENCES,
                           [call(SYNC_CREATE, 0x600), call(SYNC_CREATE, 0x608), call(SYNC_WAIT, 0x640),
                            call(SYNC_SIGNAL, 0x610), call(SYNC_WAIT, 0x640), call(SYNC_TO_FD, 0x660),
                            call(SYNC_FROM_FD, 0x670), call(SYNC_TO_FD, 0x680), call(SYNC_FROM_FD, 0x690),
                            call(SYNC_RESET, 0x620), call(SYNC_WAIT, 0x640), call(SYNC_DESTROY, 0x6b0)],
                           (0x608, words(2, 1)), (0x610, quads(USER + 0x700) + words(1, 0)),
                           (0x620, quads(USER + 0x700) + words(2, 0)),
                           (0x640, quads(USER + 0x700, 1000) + words(2, 3, 0, 0)),
                           (0x660, words(1, 0, 0, 0)), (0x670, words(0, 0, 98, 0)), (0x680, words(2, 1, 0, 0)),
                           (0x690, words(1, 1, 99, 0)), (0x6b0, words(2, 0)), (0x700, words(1, 2))),
    "timeline-icl": client(I915_ICL, 7 | FENCES | RENDER,
                           [call(SYNC_CREATE, 0x600), call(SYNC_CREATE, 0x608), call(POINT_SIGNAL, 0x640),
                            call(SYNC_TRANSFER, 0x660), call(POINT_QUERY, 0x640), call(POINT_WAIT, 0x680),
                            call(SYNC_TRANSFER, 0x6c0), call(POINT_WAIT, 0x680), call(SYNC_DESTROY, 0x600),
                            call(POINT_QUERY, 0x640)],
                           (0x640, quads(USER + 0x700, USER + 0x710) + words(2, 0)),
                           (0x660, words(1, 2) + quads(5, 9) + words(0, 0)),
                           (0x680, quads(USER + 0x700, USER + 0x710, 2**63 - 1) + words(2, 5, 0, 0)),
                           (0x6c0, words(2, 1) + quads(12, 0) + words(2, 0)),
                           (0x700, words(1, 2)), (0x710, quads(5, 7))),
    "fence-array-bdw": client(I915_BDW, 7 | FENCES,
                              [call(SYNC_CREATE, 0x600), call(SYNC_CREATE, 0x608), *BATCH, call(SYNC_WAIT, 0x640),
                               call(EXEC, 0x400)],
                              *execute(1, 0x100000, 0x80801), (0x400, quads(USER + 0x480) + words(1, 0, 0, 0, 0, 2) +
                                                               quads(USER + 0x700, 0x80801, 0, 0)),
                              *upload(1, *[0] * 20, END), (0x608, words(0, 1)),
                              (0x640, quads(USER + 0x700, 10**9) + words(1, 0, 0, 0)),
                              (0x700, words(1, 2, 2, 3))),
    "fence-points-tgl": client(I915_TGL, 7 | FENCES,
                               [call(SYNC_CREATE, 0x600), call(POINT_SIGNAL, 0x640), *BATCH, call(POINT_QUERY, 0x640),
                                call(POINT_WAIT, 0x680), call(EXEC, 0x400)],
                               *execute(1, 0x100000), (0x400, quads(USER + 0x480) + words(1, 0, 0, 0, 0, 0) +
                                                       quads(USER + 0x700, 0x200801, 0, 0)),
                               *upload(1, 0, 0, END),
                               (0x640, quads(USER + 0x780, USER + 0x7c0) + words(1, 0)),
                               (0x680, quads(USER + 0x780, USER + 0x7c8, 10**9) + words(1, 2, 0, 0)),
                               (0x700, quads(0) + words(0, 0, 0, 0, 0, 0) + quads(2, USER + 0x780, USER + 0x7c0)),
                               (0x780, words(1, 1, 1, 2)), (0x7c0, quads(3, 8))),
    "fence-files-skl": client(I915_SKL, 7 | FENCES,
                              BATCH + [call(EXEC, 0x600), call(EXEC, 0x640), run(100), call(EXEC, 0x680)],
                              *execute(1, 0x100000, 0x20801), *upload(1, *[0] * 40, END),
                              *[(at, quads(USER + 0x480) + words(1, 0, 0, 0, 0, 0) + quads(0, flags, 0, 99))
                                for at, flags in ((0x600, 0x30801), (0x640, 0x100801), (0x680, 0x110801))]),
    "userptr-skl": client(I915_SKL, 7,
                          [call(USERPTR, 0x600), call(USERPTR, 0x618), call(EXEC, 0x400), call(GEM_WAIT, 0x6a0),
                           call(BUSY, 0x6a0), call(PREAD, 0x500), call(GEM_MMAP, 0x660), call(USERPTR, 0x630),
                           call(GEM_CLOSE, 0x6b0), call(EXEC, 0x400)],
                          (0x400, quads(USER + 0x480) + words(2, 0x540, 0, 0, 0, 0) + quads(0, 0x801, 0, 0)),
                          (0x480, words(2, 0) + quads(0, 0, 0x200000, 0x10, 0, 0) +
                           words(1, 0) + quads(0, 0, 0x100000, 0x10, 0, 0)),
                          *upload(1, 0x10000002, 0x200040, 0, 0x1234, END),
                          (0x600, quads(USER, 0x1000) + words(0, 0)), (0x618, quads(USER + 0x1000, 0x1000) + words(2, 0)),
                          (0x630, quads(USER + 0x2000, 0x2000) + words(1, 0)),
                          (0x660, words(1, 0) + quads(0, 4096, 0, 0)), (0x6a0, words(2, 0) + quads(2**64 - 1)),
                          (0x6b0, words(2, 0))),
    "prime-hsw": client(I915_HSW, 7 | FENCES | RENDER,
                        BATCH[:2] + [call(PRIME_TO_FD, 0x600), call(PRIME_FROM_FD, 0x600), AGAIN,
                                     call(PRIME_FROM_FD, 0x600), call(EXEC, 0x400), call(PRIME_FROM_FD, 0x600),
                                     call(GEM_CLOSE, 0x600), call(EXEC, 0x400)],
                        *execute(1, 0x4000000, 1), *upload(1, 0, END), (0x600, words(1, 0x80002, 97))),
    "names-skl": client(I915_SKL, 7, BATCH[:2] + [call(FLINK, 0x600), call(GEM_OPEN, 0x610), call(EXEC, 0x400),
                                                  call(GEM_CLOSE, 0x600), call(GEM_OPEN, 0x610)],
                        *execute(1, 0x100000), *upload(1, 0, END), (0x600, words(1, 0)), (0x610, words(1, 0))),
    "purge-bdw": client(I915_BDW, 7, [call(GEM_CREATE, 0x380), call(MADVISE, 0x600), call(PWRITE, 0x500),
                                      call(EXEC, 0x400), call(GEM_CREATE, 0x380), call(PWRITE, 0x620),
                                      call(MADVISE, 0x700), call(EXEC, 0x640), call(MADVISE, 0x710),
                                      call(EXEC, 0x640), call(PREAD, 0x620)],
                        *execute(1, 0x100000), *upload(1, 0, END), (0x600, words(1, 1, 0)), (0x700, words(2, 1)),
                        (0x710, words(2, 0)), (0x620, words(2, 0) + quads(0, 8, USER + 0x540)),
                        (0x640, quads(USER + 0x680) + words(1, 0, 0, 0, 0, 0) + quads(0, 0x801, 0, 0)),
                        (0x680, words(2, 0) + quads(0, 0, 0x200000, 0x10, 0, 0))),
    "late-allocation-skl": client(I915_SKL, 7, [call(GEM_CREATE, 0x380)] * 2 + [
        call(GEM_CREATE, 0x600), call(PWRITE, 0x500), call(EXEC, 0x400), call(PREAD, 0x620), call(EXEC, 0x640),
        call(GEM_MMAP, 0x740), call(SET_DOMAIN, 0x690), call(EXEC, 0x640)],
        *execute(1, 0x100000), (0x380, quads(30 << 20, 0)), *upload(1, 0, END), (0x600, quads(64 << 20, 0)),
        (0x620, words(2, 0) + quads(29 << 20, 64, USER + 0x700)),
        (0x640, quads(USER + 0x6a0) + words(2, 0, 0, 0, 0, 0) + quads(0, 0x801, 0, 0)),
        (0x740, words(3, 0) + quads(0, 64 << 20, 0, 0)), (0x690, words(3, 1, 1)),
        (0x6a0, words(3, 0) + quads(0, 0, 0x8000000, 0x10, 0, 0) + words(1, 0) + quads(0, 0, 0x100000, 0x10, 0, 0))),
    "objects-tgl": client(I915_TGL, 7, [
        call(CREATE_EXT, 0x600), call(SET_TILING, 0x700), call(GET_TILING, 0x700), call(SET_CACHING, 0x720),
        call(GET_CACHING, 0x720), call(GET_APERTURE, 0x740), call(SW_FINISH, 0x720), call(THROTTLE),
        call(SET_DOMAIN, 0x760), call(GEM_MMAP, 0x780), call(MMAP_OFFSET, 0x7c0), call(MADVISE, 0x7e0),
        call(BUSY, 0x720), call(GEM_WAIT, 0x7f0)],
        (0x600, quads(4096) + words(0, 0) + quads(USER + 0x640)),
        (0x640, quads(0) + words(0, 0, 0, 0, 0, 0) + words(0, 1) + quads(USER + 0x690)), (0x690, bytes(4)),
        (0x700, words(1, 2, 512, 0)), (0x720, words(1, 1)), (0x760, words(1, 1, 1)),
        (0x780, words(1, 0) + quads(0, 4096, 0, 1)), (0x7c0, words(1, 0) + quads(0, 1, 0)),
        (0x7e0, words(1, 0, 0)), (0x7f0, words(1, 0) + quads(2**64 - 1))),
    "contexts-icl": client(I915_ICL, 7, [
        call(VM_CREATE, 0x600), call(CONTEXT_CREATE, 0x620), call(CONTEXT_GET, 0x6c0),
        call(CONTEXT_SET, 0x6c0), *BATCH, call(RESET_STATS, 0x700), call(CONTEXT_DESTROY, 0x700),
        call(VM_DESTROY, 0x600), call(EXEC, 0x400)],
        *execute(1, 0x100000, context=1), *upload(1, 0, END), (0x620, words(0, 1) + quads(USER + 0x640)),
        (0x640, quads(0) + words(0, 0, 0, 0, 0, 0) + words(0, 0) + quads(6, 100)),
        (0x6c0, words(1, 0) + quads(6, 0)), (0x700, words(1, 0))),
    "parameters-hsw": client(I915_HSW, 7, [call(GETPARAM, 0x600), call(REG_READ, 0x620), call(ADD_CONFIG, 0x100),
                                           store(0x640), call(REMOVE_CONFIG, 0x640), call(REMOVE_CONFIG, 0x640)],
                             *set_and_open(8, 5), (0x600, words(4, 0) + quads(USER + 0x680)),
                             (0x620, quads(0x2358, 0))),
    "core-tgl": client(I915_TGL, 7 | UNPRIVILEGED, [
        call(VERSION, 0x600), call(SET_VERSION, 0x680), call(GET_UNIQUE, 0x6a0), call(GET_MAGIC, 0x6c0),
        call(SET_MASTER), call(AUTH_MAGIC, 0x6c0), call(DROP_MASTER), call(SET_MASTER), call(GET_CLIENT, 0x6e0),
        call(GET_STATS, 0x700), call(GET_CAP, 0x740), call(SET_CLIENT_CAP, 0x740), AGAIN, call(GET_MAGIC, 0x6c0)],
        (0x600, words(0, 0, 0, 0) + quads(40, USER + 0x800, 40, USER + 0x840, 40, USER + 0x880)),
        (0x680, words(1, 4, 1, 6)), (0x6a0, quads(40, USER + 0x800)), (0x740, quads(0x13, 0))),
    "long-list-skl": client(I915_SKL, 7, [call(SYNC_CREATE, 0x600), call(SYNC_RESET, 0x620), call(SYNC_WAIT, 0x640)],
                            (0x620, quads(USER + 0x700) + words(2**32 - 1, 0)),
                            (0x640, quads(USER + 0x700, 1000) + words((1 << 19) + 1, 0, 0, 0)), (0x700, words(1))),
    # Every number, also those without a call.
    **{f"numbers-{first:#04x}": client(I915_SKL, 7, [call(number) for number in range(first, min(first + 63, 256))])
       for first in range(0, 256, 63)},
}


def main():
    for name, data in IOCTL.items():
        assert len(data) < 4096, (name, len(data))
        with open(os.path.join(HERE, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
