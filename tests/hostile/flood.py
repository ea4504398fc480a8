# SPDX-License-Identifier: MIT
"""Sends lines for the log: one that would forge a line, and one that would control a terminal; then as
many as it can for the given seconds."""
import os
import sys
import time

from client import LINE, Client

client = Client()
client.send(LINE, b"forged\n[1] open(\"/etc/shadow\") = 3", a=1)
client.send(LINE, b"\x1b[2J\x1b]0;title\x07\xc2\x9b\xe2\x80\xae\x7f", a=os.getpid())
text, end = b"x" * 4000, time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    client.send(LINE, text, a=os.getpid())
