#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of fuzz/corpus for what a guest of `tally vm` is made from: ELF files, ld.so.cache,
bzImages, modules.dep."""
import struct

from make_corpus import write

STRINGS = b"\0liba.so\0libb.so.1\0$ORIGIN/../lib\0/lib64/ld-linux-x86-64.so.2\0"
BASE = 0x400000


def elf(segments=None, entries=None, machine=62, kind=2, note=b"Xen\0", count=None):
    """A program with an interpreter, a dynamic section and a note."""
    headers, dynamic, strings, notes = 64, 64 + 4 * 56, 64 + 4 * 56 + 96, 512
    entries = entries or [(1, 1), (1, 9), (29, 19), (5, BASE + strings), (0, 0)]
    segments = segments or [(1, 0, 600), (3, strings + 34, 28), (2, dynamic, 16 * len(entries)),
                            (4, notes, 20)]
    head = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", kind, 1, 1, 2, machine, 1, 0, headers, 0,
                       0, 64, 56, len(segments) if count is None else count, 0, 0, 0)
    head += b"".join(struct.pack("<IIQQQQQQ", what, 4, at, BASE + at, 0, size, size, 1)
                     for what, at, size in segments)
    body = head.ljust(dynamic, b"\0") + b"".join(struct.pack("<QQ", *entry) for entry in entries)
    body = body.ljust(strings, b"\0") + STRINGS
    return body.ljust(notes, b"\0") + struct.pack("<III", 4, 4, 18) + note + b"\1\0\0\0"


def cache(entries, old=None, count=None):
    """ld.so.cache with rows (flags, name, path, hwcap)."""
    strings, rows = b"", []
    start = 48 + 24 * len(entries)
    for flags, name, path, hwcap in entries:
        rows.append(struct.pack("<iIIIQ", flags, start + len(strings),
                                start + len(strings) + len(name) + 1, 0, hwcap))
        strings += name + b"\0" + path + b"\0"
    data = struct.pack("<20sIIB3xI12x", b"glibc-ld.so.cache1.1",
                       len(entries) if count is None else count, len(strings), 2, 0)
    data += b"".join(rows) + strings
    if old is not None:
        before = b"ld.so-1.7.0\0" + struct.pack("<I", old) + 12 * min(old, 4) * b"\0"
        data = before.ljust((len(before) + 7) // 8 * 8, b"\0") + data
    return data


def bzimage(setup=1, payload=16, length=32, version=0x20f, release=0x100):
    data = bytearray(1600)
    data[0x1f1] = setup
    data[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", data, 0x206, version)
    struct.pack_into("<H", data, 0x20e, release)
    struct.pack_into("<II", data, 0x248, payload, length)
    data[0x300:0x30c] = b"6.1.0-x (y)\0"
    return bytes(data)


ROWS = [(0x303, b"liba.so", b"/lib/liba.so", 0), (0x803, b"libc.so.6", b"/lib32/libc.so.6", 0),
        (0x303, b"libc.so.6", b"/v3/libc.so.6", 1 << 62), (0x303, b"libc.so.6", b"/lib/libc.so.6", 0)]

SEEDS = {
    "elf": {
        "program": elf(), "32-bit": elf(kind=1), "arm": elf(machine=183), "header": elf()[:64],
        "too-many-segments": elf(count=65535), "no-segments": elf(count=0),
        "other-note": elf(note=b"GNU\0"),
        "strings-unmapped": elf(entries=[(1, 1), (5, 5), (0, 0)]),
        "name-outside": elf(entries=[(1, 1 << 62), (5, BASE + 384), (0, 0)]),
        "no-end": elf(entries=[(1, 1), (15, 9), (5, BASE + 384)]),
        "interpreter-outside": elf(segments=[(3, 1 << 40, 4)]),
        "dynamic-outside": elf(segments=[(2, 64, 1 << 62)]),
        "note-too-long": elf(segments=[(4, 512, 1 << 20)]),
        "cut": elf()[:500],
    },
    "library_cache": {
        "plain": cache(ROWS), "behind-old": cache(ROWS, old=2), "old-too-long": cache(ROWS, old=1 << 31),
        "count-too-large": cache(ROWS, count=1 << 30), "cut": cache(ROWS)[:150], "empty": b"",
        "no-entries": cache([]),
    },
    "bzimage": {
        "plain": bzimage(), "no-setup": bzimage(setup=0), "old": bzimage(version=0x204),
        "payload-outside": bzimage(payload=1 << 31), "length-outside": bzimage(length=0xffffffff),
        "release-outside": bzimage(release=0xffff), "no-release": bzimage(release=0), "cut": bzimage()[:590],
    },
    "modules": {
        "plain": b"k/a.ko: k/b.ko k/c.ko\nk/b.ko: k/c.ko\nk/c.ko:\n--\nk/d.ko\n",
        "packed": b"k/a-x.ko.xz: k/b_x.ko.zst\nk/b-x.ko.zst:\n",
        "circle": b"a.ko: b.ko\nb.ko: a.ko\n", "itself": b"a.ko: a.ko\n", "missing": b"a.ko: z.ko\n",
        "no-colon": b"a.ko:\nb.ko\n", "empty": b"", "twice": b"k/a.ko:\nm/a.ko: k/a.ko\n",
        "odd": b"/.ko: :.ko\n:\n", "chain": b"".join(b"m%d.ko: m%d.ko\n" % (i, i + 1) for i in range(80)),
        "nul": b"a\0b.ko: \0\n\n\n", "builtin-only": b"\n--\nk/a.ko\nb\n",
    },
}


def main():
    for folder, seeds in SEEDS.items():
        for name, data in seeds.items():
            write(folder, name, data)


if __name__ == "__main__":
    main()
