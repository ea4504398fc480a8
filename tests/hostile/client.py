# SPDX-License-Identifier: MIT
"""A client of `tally emulate` that speaks the protocol of src/preload/protocol.h itself, as a hostile
program could: without the preloaded library's checks."""
import array
import os
import re
import socket
import struct

PROTOCOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/preload/protocol.h")


def read_enums(path):
    """Returns the constants of a header's enums by their names without EMULATE_."""
    with open(path, encoding="ascii") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    constants = {}
    for body in re.findall(r"enum[^{};]*{([^}]*)}", text):
        value = -1
        for name, given in re.findall(r"EMULATE_(\w+)(?:\s*=\s*(0x[0-9a-f]+|\d+))?", body):
            value = int(given, 0) if given else value + 1
            constants[name] = value
    return constants


def of_protocol(*names):
    constants = read_enums(PROTOCOL)
    return [constants[name] for name in names]


HEADER = struct.Struct("<IHHIIQQQ")  # bytes, kind, flags, target, pad, a, b, c
OPEN, IOCTL, MAP, CANCEL, LINE, OPEN_FILE, NOTICE = of_protocol(
    "OPEN", "IOCTL", "MAP", "CANCEL", "LINE", "OPEN_FILE", "NOTICE")
COPY_IN, COPY_OUT, DESCRIPTOR, MEMORY, RESULT, WAITS, ANSWER = of_protocol(
    "COPY_IN", "COPY_OUT", "DESCRIPTOR", "MEMORY", "RESULT", "WAITS", "ANSWER")
HAS_ARGUMENT, PRIVILEGED = of_protocol("HAS_ARGUMENT", "PRIVILEGED")


def header(kind, size=0, flags=0, target=0, a=0, b=0, c=0):
    return HEADER.pack(size, kind, flags, target, 0, a, b, c)


class Client:
    """A connection. Answers the server's questions as `answer` does."""

    def __init__(self, directory=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.path.join(directory or os.environ["TALLY_EMULATE"], "socket"))
        self.descriptor = -1  # the latest that came

    def send(self, kind, data=b"", **fields):
        self.socket.sendall(header(kind, len(data), **fields) + data)

    def take(self, size):
        got = b""
        while len(got) < size:
            data, control, _, _ = self.socket.recvmsg(size - len(got), socket.CMSG_SPACE(4))
            if not data:
                raise ConnectionResetError("the server has closed the connection")
            for _, _, descriptors in control:
                self.descriptor = array.array("i", descriptors)[0]
            got += data
        return got

    def receive(self):
        """Returns the next message: (kind, a, b, bytes)."""
        size, kind, _, _, _, a, b, _ = HEADER.unpack(self.take(HEADER.size))
        return kind, a, b, self.take(size)

    def answer(self, kind, a, b, data):
        """Answers COPY_IN and COPY_OUT from no memory, and takes descriptors."""
        del a, b, data
        good = kind in (DESCRIPTOR, MEMORY)
        self.socket.sendall(header(ANSWER, a=100 if good else 2**64 - 14))

    def call(self, kind, data=b"", **fields):
        """Makes a call. Returns its result and the bytes that came with it."""
        self.send(kind, data, **fields)
        while True:
            message = self.receive()
            if message[0] == RESULT:
                return struct.unpack("<q", struct.pack("<Q", message[1]))[0], message[3]
            if message[0] != WAITS:
                self.answer(*message)

    def open_device(self):
        """Opens the render node. Returns its number in the server."""
        self.call(OPEN, a=128)
        with socket.socket(fileno=os.dup(self.descriptor)) as end:
            name = end.getpeername()
        return int(name.decode().split("/")[-2])

    def ioctl(self, target, request, argument, flags=0):
        return self.call(IOCTL, argument, flags=HAS_ARGUMENT | flags, target=target, a=request, b=4096)
