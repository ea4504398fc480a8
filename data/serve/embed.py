# SPDX-License-Identifier: MIT
"""Writes a file as an array of C: embed.py OUTPUT INPUT."""
import sys

with open(sys.argv[2], "rb") as file:
    data = file.read()
with open(sys.argv[1], "w", encoding="ascii") as file:
    file.write('#include "serve/serve.h"\n\nconst char serve_page[] = {\n')
    for at in range(0, len(data), 16):
        file.write("".join(f"{byte if byte < 128 else byte - 256}," for byte in data[at:at + 16]) + "\n")
    file.write(f"}};\nconst size_t serve_page_bytes = {len(data)};\n")
