# SPDX-License-Identifier: MIT
"""A server of `tally emulate` that has a program repeat a call without end, each time at once: the
program must end by SIGTERM all the same. The argument is the preloaded library. Prints how it ended."""
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

from client import ANSWER, DESCRIPTOR, HEADER, IOCTL, OPEN, RESULT, WAITS, header, of_protocol

CANCEL, LINE, WAKE, EXECUTES, REPEAT = of_protocol("CANCEL", "LINE", "WAKE", "EXECUTES", "REPEAT")
CALLS = 1000  # before the signal
PROGRAM = """
import fcntl, os
fd = os.open("/dev/dri/renderD128", os.O_RDWR)
fcntl.ioctl(fd, 0xc0106446, bytearray(16))
"""


class Channel(threading.Thread):
    """A connection of the program."""

    def __init__(self, connection, repeated):
        super().__init__(daemon=True)
        self.socket, self.repeated, self.held = connection, repeated, []

    def receive(self):
        data = self.socket.recv(HEADER.size, socket.MSG_WAITALL)
        if len(data) < HEADER.size:
            sys.exit()
        size, kind, *_ = HEADER.unpack(data)
        self.socket.recv(size, socket.MSG_WAITALL)
        return kind

    def give_device(self):
        server, client = socket.socketpair()
        server.bind(f"\0tally-emulate/{os.urandom(8).hex()}/device/1/128")
        self.held.append(server)
        socket.send_fds(self.socket, [header(DESCRIPTOR)], [client.fileno()])
        if self.receive() != ANSWER:
            sys.exit("no answer")
        self.socket.sendall(header(RESULT))

    def run(self):
        calls = 0
        while True:
            kind = self.receive()
            if kind == OPEN:
                self.give_device()
            elif kind == IOCTL:
                self.socket.sendall(header(WAITS) + header(RESULT, flags=REPEAT))
                calls += 1
                if calls == CALLS:
                    self.repeated.set()
            elif kind not in (CANCEL, LINE, WAKE, EXECUTES):
                self.socket.sendall(header(RESULT, a=struct.unpack("<Q", struct.pack("<q", -38))[0]))


def accept(listener, repeated):
    while True:
        Channel(listener.accept()[0], repeated).start()


def main():
    directory = tempfile.mkdtemp()
    os.mkdir(os.path.join(directory, "root"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(directory, "socket"))
    listener.listen()
    repeated = threading.Event()
    threading.Thread(target=accept, args=(listener, repeated), daemon=True).start()
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "LD_PRELOAD": sys.argv[1], "TALLY_EMULATE": directory})
    ended = "the call is not repeated"
    if repeated.wait(60):
        program.terminate()
        try:
            ended = f"ended by {signal.Signals(-program.wait(60)).name}"
        except subprocess.TimeoutExpired:
            ended = "does not end"
    program.kill()
    shutil.rmtree(directory)
    print(ended)


main()
