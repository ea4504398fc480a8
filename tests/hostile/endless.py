# SPDX-License-Identifier: MIT
"""Runs a batch that never ends, and that the model cannot skip: it adds to a register and jumps to
itself. Waits for it as argv[1] says: wait, domain, stream, none."""
import ctypes
import fcntl
import os
import struct
import sys
import time

GEM_CREATE, GEM_PWRITE, GEM_WAIT, EXECBUFFER2 = 0xc010645b, 0x4020645d, 0xc010646c, 0x40406469
SET_DOMAIN, PERF_OPEN, ADD_CONFIG = 0x400c645f, 0x40106476, 0x40486477
ADDRESS, PINNED, NO_RELOC = 0x100000, 1 << 4, 1 << 11

device = os.open("/dev/dri/renderD128", os.O_RDWR)
handle = struct.unpack("<QII", fcntl.ioctl(device, GEM_CREATE, struct.pack("<QII", 4096, 0, 0)))[1]
words = [0x22 << 23 | 1, 0x2608, 1]  # MI_LOAD_REGISTER_IMM: GPR1 = 1
words += [0x1a << 23 | 3, 0x08008000, 0x08008401, 0x10000000, 0x18000031]  # MI_MATH: GPR0 += GPR1
words += [0x31 << 23 | 1 << 8 | 1, ADDRESS + 12, 0]  # MI_BATCH_BUFFER_START
batch = ctypes.create_string_buffer(struct.pack(f"<{len(words)}I", *words))
fcntl.ioctl(device, GEM_PWRITE, struct.pack("<IIQQQ", handle, 0, 0, 4 * len(words),
                                            ctypes.addressof(batch)))
entry = ctypes.create_string_buffer(struct.pack("<IIQQQQQQ", handle, 0, 0, 0, ADDRESS, PINNED, 0, 0))
for _ in range(2):
    fcntl.ioctl(device, EXECBUFFER2, struct.pack("<QIIIIIIQQQQ", ctypes.addressof(entry), 1, 0, 0, 0, 0, 0,
                                                 0, NO_RELOC, 0, 0)[:64])
print("runs", flush=True)
start = time.monotonic()
if sys.argv[1] == "wait":
    fcntl.ioctl(device, GEM_WAIT, struct.pack("<IIq", handle, 0, -1))
elif sys.argv[1] == "domain":
    fcntl.ioctl(device, SET_DOMAIN, struct.pack("<III", handle, 1, 0))
elif sys.argv[1] == "stream":
    registers = (ctypes.c_uint32 * 2)(0x9888, 0)
    name = b"01234567-0123-0123-0123-0123456789ab"
    config = struct.pack("<36sIIIQQQ", name, 1, 0, 0, ctypes.addressof(registers), 0, 0)
    added = fcntl.ioctl(device, ADD_CONFIG, bytearray(config))
    properties = (ctypes.c_uint64 * 8)(2, 1, 3, added, 4, 10, 5, 12)  # of skl: A32u40_A4u32_B8_C8
    opened = struct.pack("<IIQ", 0, 4, ctypes.addressof(properties))
    os.close(fcntl.ioctl(device, PERF_OPEN, bytearray(opened)))
else:
    time.sleep(1000)
print(f"ended after {time.monotonic() - start:.1f} s")
