# SPDX-License-Identifier: MIT
"""Fuses of slices, subslices and EUs: recorded, emulated, in metric sets, and mistakes."""
import os
import sys

from e2e import contains, equal, json_lines, main, need_preload, succeed, tally

# SKU, fuses, slices, subslices, EUs, slice mask, subslices of slice 0, topology reply behind its header
FUSED = [
    ("skl/gt4", "slice=0x2,subslice=2:0x3,eu=0:1:0xf0", 2, 4, 28, 5, 7,
     "05" "07 00 04" "ff 0f ff 00" "00 00 00 00" "00 00 ff 00"),
    ("skl", "eu=0x81", 1, 3, 18, 1, 7, "01" "07 00 00" "7e 7e 7e 00" + " 00" * 8),
    ("chv", "subslice=1,eu=0:1:3", 1, 1, 6, 1, 2, "01" "02" "00 fc"),
    ("bdw/gt3", "subslice=1:7", 1, 3, 24, 1, 7, "01" "07 00 00" "ff ff ff" + " 00" * 6),
    ("icl", "subslice=0x0f,eu=0xc0", 1, 4, 24, 1, 0xf0, "01" "f0" "00 00 00 00 3f 3f 3f 3f"),
    ("tgl", "subslice=0x21,eu=0xf", 1, 4, 48, 1, 0x1e,
     "01" "1e" "00 00 f0 ff f0 ff f0 ff f0 ff 00 00"),
    ("hsw/gt3", "eu=0x300", 2, 4, 32, 3, 3, "03" "03 03" "ff 00 ff 00 ff 00 ff 00"),
]

# Prints getparams and the topology query, as a client sees them.
CLIENT = r"""
import ctypes, fcntl, os, struct
fd = os.open("/dev/dri/renderD128", os.O_RDWR)
def getparam(number):
    value = ctypes.c_int(0)
    request = bytearray(struct.pack("iiQ", number, 0, ctypes.addressof(value)))
    try:
        fcntl.ioctl(fd, 0xc0106446, request)
    except OSError as error:
        return error.strerror
    return value.value
print(*(getparam(number) for number in (46, 47, 33, 34)))
def query(size, at):
    item = (ctypes.c_uint8 * 24).from_buffer_copy(struct.pack("QiIQ", 1, size, 0, at))
    fcntl.ioctl(fd, 0xc0106479, bytearray(struct.pack("IIQ", 1, 0, ctypes.addressof(item))))
    return struct.unpack("QiIQ", bytes(item))[1]
size = query(0, 0)
reply = (ctypes.c_uint8 * size)()
query(size, ctypes.addressof(reply))
print(bytes(reply)[16:].hex())
"""


def plural(number, word):
    return f"{number} {word}" + ("" if number == 1 else "s")


def test_recordings(directory):
    path = os.path.join(directory, "recording")
    for name, fuses, slices, subslices, eus, *_ in FUSED + [("lkf", "subslice=0xc0", 1, 6, 48)]:
        for driver in ("i915", "mmio"):
            succeed("record", "-d", "sim:" + name, "--fuses", fuses, "--driver", driver, "-t", "5ms",
                    "-q", "-o", path)
            info = succeed("info", path)
            contains(info, f"{plural(slices, 'slice')}, {plural(subslices, 'subslice')}, {eus} EUs",
                     name + driver)
            contains(info, "--fuses " + fuses)


def test_metrics_follow(directory):
    """EuActive divides by the EUs that are left, over which the workload spreads its share."""
    path, values = os.path.join(directory, "recording"), []
    for fuses in ([], ["--fuses", "slice=0x6,eu=0x0f"]):
        succeed("record", "-d", "sim:skl/gt4", *fuses, "-t", "200ms", "-q", "-o", path)
        rows = json_lines(succeed("report", "-c", "EuActive", "-f", "jsonl", path))
        values += [row["counters"]["EuActive"]["overall"] for row in rows
                   if row.get("group") == "0x1000"]
    equal(len(values), 2)
    equal(abs(values[1] / values[0] - 1) < 0.1, True, values)


def test_clients_see_them():
    need_preload()
    for name, fuses, _, subslices, eus, slice_mask, subslice_mask, reply in FUSED:
        out = succeed("emulate", "-q", "--gpu", name, "--fuses", fuses, "--", sys.executable, "-c",
                      CLIENT).splitlines()
        equal(out[0], f"{slice_mask} {subslice_mask} {subslices} {eus}", name)
        equal(out[1], reply.replace(" ", ""), name)
    out = succeed("emulate", "-q", "--gpu", "skl/gt4", "--fuses", "slice=1", "--", sys.executable,
                  "-c", CLIENT)
    equal(out.splitlines()[0], "6 No such device 6 48")  # as the kernel, which returns that of slice 0


def test_mistakes():
    for fuses, message in [
            ("slcie=1", 'fuse "slcie=1": unknown name, expected slice ('),
            ("slice=8", "slice_disable 0x8 of skl/gt4, expected bits of 0x7"),
            ("slice=7", "fuses disable all EUs of skl/gt4, expected one or more left"),
            ("vdbox=4", "vdbox_disable 0x4 of skl, expected a platform with fuses (Gen11 on)")]:
        for done in (tally("record", "-d", "sim:skl/gt4", "--fuses", fuses, "-t", "1ms"),
                     tally("emulate", "--gpu", "skl/gt4", "--fuses", fuses, "--", "true"),
                     tally("sim", "-", stdin=f"platform skl/gt4\ngpu awake fuses {fuses}\n")):
            equal(done.returncode, 3, fuses)
            contains(done.stderr, message, fuses)
            equal(done.stderr.count("\n"), 1, done.stderr)
    done = tally("record", "-d", "/dev/dri/renderD128", "--fuses", "slice=1", "-t", "1ms")
    equal(done.returncode, 2)
    contains(done.stderr, "--fuses and --trace need an emulated GPU")
    contains(tally("sim", "-", stdin="platform skl\ngpu fuses\n").stderr, "fuses without their masks")


if __name__ == "__main__":
    main()
