# SPDX-License-Identifier: MIT
"""Makes the server wait for this program: stall.py header|cancel|silence|slow SECONDS."""
import sys
import time

from client import ANSWER, CANCEL, OPEN, Client, header

way, end = sys.argv[1], time.monotonic() + float(sys.argv[2])


def stall(client):
    """Never returns while the server listens."""
    if way == "header":  # of a call, byte by byte
        for byte in header(OPEN)[:-1]:
            client.socket.sendall(bytes([byte]))
            time.sleep(0.25)
    client.send(OPEN, a=128)
    client.receive()  # the question for the descriptor's number
    while way == "cancel":
        client.send(CANCEL)
    for byte in header(ANSWER):
        time.sleep(0.25 if way == "slow" else 600)
        client.socket.sendall(bytes([byte]))


while time.monotonic() < end:
    try:
        stall(Client())
    except (ConnectionError, BrokenPipeError):
        pass
