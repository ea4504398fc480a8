# SPDX-License-Identifier: MIT
"""Truncates the memory that the server gives to programs, which it would then fault on. Prints what
could be done."""
import mmap
import os
import struct

from client import NOTICE, MAP, Client

GEM_CREATE, GEM_MMAP_OFFSET = 0xc010645b, 0xc0206464
PAGE = 4096


def attempt(what, function, *arguments):
    try:
        function(*arguments)
        print(what)
    except (OSError, ValueError):
        pass


client = Client()
device = client.open_device()
_, data = client.ioctl(device, GEM_CREATE, struct.pack("<QII", PAGE, 0, 0))
handle = struct.unpack("<QII", data)[1]
_, data = client.ioctl(device, GEM_MMAP_OFFSET, struct.pack("<IIQQQ", handle, 0, 0, 0, 0))
client.call(MAP, target=device, a=struct.unpack("<IIQQQ", data)[2], b=PAGE)
attempt("shrank an object", os.ftruncate, client.descriptor, 0)
attempt("grew an object", os.ftruncate, client.descriptor, 2 * PAGE)
client.call(NOTICE)
attempt("shrank the list of empty streams", os.ftruncate, client.descriptor, 0)
attempt("mapped the list of empty streams for writing", mmap.mmap, client.descriptor, PAGE)
for name in ("empty", "dry"):  # before, the list was a file
    attempt("truncated " + name, os.truncate, os.path.join(os.environ["TALLY_EMULATE"], name), 0)
client.ioctl(device, GEM_CREATE, struct.pack("<QII", PAGE, 0, 0))
