# SPDX-License-Identifier: MIT
"""Opens and closes the device for the given seconds. Prints how many calls it made, and the duration of
the longest."""
import os
import sys
import time

longest, calls, end = 0, 0, time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    start = time.monotonic()
    os.close(os.open("/dev/dri/renderD128", os.O_RDWR))
    longest = max(longest, time.monotonic() - start)
    calls += 1
    time.sleep(0.001)
print(calls, f"{longest:.3f}")
