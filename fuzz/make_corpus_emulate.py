#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of fuzz/corpus/emulate."""
import struct

from make_corpus import write

# Messages of a program to the server of an emulated GPU (src/preload/protocol.h).
OPEN, IOCTL, READ, STREAM_IOCTL, MAP, CONTENT, CANCEL, ANSWER = 1, 2, 3, 4, 5, 6, 7, 64
TRACEPOINT, EVENT_READ, EVENT_IOCTL = 10, 12, 13
HAS_ARGUMENT, BLOCKING, ROOT = 1, 2, 4
ARGUMENT = 0x1000


def say(kind, a=0, b=0, target=0, flags=0, payload=b""):
    return struct.pack("<IHHIIQQQ", len(payload), kind, flags, target, 0, a, b, 0) + payload


def answer(value=0, payload=b""):
    return say(ANSWER, value, payload=payload)


def ioctl(request, payload, flags=0):
    return say(IOCTL, request, ARGUMENT, 1, flags | HAS_ARGUMENT, payload)


OPENED = say(OPEN, 128) + answer(5)
ADD_CONFIG = ioctl(0x40486477, struct.pack("<36sIIIIQQQ", b"01234567-89ab-cdef-0123-456789abcdef",
                                           1, 0, 0, 0, 0x5000, 0, 0), ROOT) + \
    answer(0, struct.pack("<I", 0x9888)) + answer(0, struct.pack("<I", 7))
PROPERTIES = struct.pack("<10Q", 2, 1, 3, 2, 4, 10, 5, 13, 8, 1000000)
PERF_OPEN = ioctl(0x40106476, struct.pack("<IIQ", 3, 5, 0x6000), ROOT) + \
    b"".join(answer(0, PROPERTIES[at:at + 8]) for at in range(0, 80, 8)) + answer(6)

# struct perf_event_attr: a sample of each request, with its record.
SAMPLED = struct.pack("<IIQQQQQ", 2, 128, 2118, 1, 0x44f, 0, 0x40000).ljust(128, b"\0")
EVERY_TASK = (1 << 64) - 1

EMULATE = {
    "tracepoint": say(TRACEPOINT, EVERY_TASK, 0, 0, ROOT, SAMPLED) + answer(5) + say(MAP, 0, 12288, 1)[:32] +
    struct.pack("<Q", 3) + answer(0x7000) + say(EVENT_IOCTL, 0x40082406, ARGUMENT, 1, 0, b"seqno > 2") +
    say(EVENT_IOCTL, 0x40082404, ARGUMENT, 1, 0, struct.pack("<Q", 3)) + say(EVENT_IOCTL, 0x2409, 1, 1) +
    OPENED + say(EVENT_READ, 64, 0, 1) + say(EVENT_IOCTL, 0x2402, 2, 1) + say(EVENT_IOCTL, 0x2405, 0, 1),
    "getparam": OPENED + ioctl(0xc0106446, struct.pack("<iiQ", 4, 0, 0x2000)) + answer(),
    "query": OPENED + ioctl(0xc0106479, struct.pack("<IIQ", 1, 0, 0x3000)) +
    answer(0, struct.pack("<QiIQ", 1, 0, 0, 0)) + answer(),
    "stream": OPENED + ADD_CONFIG + PERF_OPEN + say(READ, 8192, 8192, 1) +
    say(STREAM_IOCTL, 0x6901, 0, 1) + say(READ, 8192, 8192, 1) + say(STREAM_IOCTL, 0x6900, 0, 1),
    "waits": OPENED + ADD_CONFIG + PERF_OPEN + say(READ, 8192, 8192, 1, BLOCKING) + say(CANCEL),
    "object": OPENED + ioctl(0xc010645b, struct.pack("<QII", 8192, 0, 0)) +
    ioctl(0xc0206464, struct.pack("<IIQQQ", 1, 0, 0, 1, 0)) + say(MAP, 0x100000000, 8192, 1) +
    answer(0x7000) + ioctl(0xc028645e, struct.pack("<IIQQQQ", 1, 0, 0, 4096, 0, 0)) +
    answer(0x8000) + ioctl(0x40086409, struct.pack("<II", 1, 0)),
    "odd-descriptor": OPENED + ADD_CONFIG + PERF_OPEN[:-len(answer(6))] + answer(0x80000006) +
    say(READ, 8192, 8192, 1),
    "content": say(CONTENT, 0) + say(CONTENT, 1) + say(CONTENT, 99),
    "no-answer": say(OPEN, 0),
    "not-a-call": say(99) + OPENED,
    "too-long": struct.pack("<IHHIIQQQ", 0xffffffff, IOCTL, 1, 1, 0, 0xc0106446, 0, 0),
    "nobody": say(IOCTL, 0xc0106446, 0, 77) + say(READ, 1, 1, 77) + say(MAP, 0, 1, 77),
    "faults": OPENED + ioctl(0xc0106446, struct.pack("<iiQ", 4, 0, 0x2000)) +
    answer((1 << 64) - 14),
}

if __name__ == "__main__":
    for name, data in EMULATE.items():
        write("emulate", name, data)
