# SPDX-License-Identifier: MIT
"""Claims to be privileged: opens a system-wide stream, and a file that only root may write."""
import errno
import os
import struct

from client import HAS_ARGUMENT, IOCTL, OPEN_FILE, PRIVILEGED, Client, COPY_IN, ANSWER, header

PERF_OPEN, REMOVE_CONFIG = 0x40106476, 0x40086478


class Pretender(Client):
    """Answers with the properties of a stream."""
    properties = struct.pack("<8Q", 2, 1, 3, 1, 4, 5, 5, 12)  # hsw: sample, set 1, A45_B8_C8, exponent

    def answer(self, kind, a, b, data):
        if kind != COPY_IN:
            super().answer(kind, a, b, data)
            return
        part = self.properties[a - 8192:a - 8192 + b]
        self.socket.sendall(header(ANSWER, len(part)) + part)


def shown(result):
    return errno.errorcode[-result] if result < 0 else "done"


client = Pretender()
device = client.open_device()
opened = struct.pack("<IIQ", 0, 4, 8192)
print("system-wide stream:", shown(client.ioctl(device, PERF_OPEN, opened, PRIVILEGED)[0]))
result = client.call(IOCTL, struct.pack("<Q", 999), flags=HAS_ARGUMENT | PRIVILEGED, target=device,
                     a=REMOVE_CONFIG, b=4096)[0]
print("configuration:", shown(result))
path = os.path.join(os.environ["TALLY_EMULATE"], "root/proc/sys/dev/i915/perf_stream_paranoid")
print("sysctl:", shown(client.call(OPEN_FILE, path.encode(), flags=PRIVILEGED)[0]))
