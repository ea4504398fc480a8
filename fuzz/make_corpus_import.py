#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes fuzz/corpus/import_top and fuzz/corpus/import_dcgm: the files of tests/import, parts of them, and mistakes."""
import os

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(SOURCE, "tests", "import")

PERIOD = b'{"period":{"duration":1,"unit":"ms"}'
TOP = {
    "empty": b"",
    "words": b'[{"period":{"duration":1e3,"unit":"us"},"a":true,"b":null,"c":nan,"d":[1,{"e":[]}],"e":-inf}]',
    "escapes": PERIOD + b',"clients":{"\\u0031\\n":{"name":"\\ud83d\\ude00\\ud800x\\udc00","pid":"1","engine-classes":{"R":{"busy":"1.5","unit":"%"}}}}}',
    "no-period": b'{"rc6":{"value":1}}',
    "unit": b'{"period":{"duration":1,"unit":"weeks"}}',
    "negative": b'{"period":{"duration":-1,"unit":"ms"}}',
    "huge": b'{"period":{"duration":1e300,"unit":"s"}}',
    "text": b'"x"',
    "deep": b'{"a":' * 20,
    "arrays": b"[" * 20,
    "comma": PERIOD + b",}",
    "number": PERIOD + b',"a":01}',
    "twice": PERIOD + b',"a":1,"a":2}' + PERIOD + b"}",
    "client-number": PERIOD + b',"clients":{"na":"1"}}',
    "long": PERIOD + b',"' + b"k" * 1100 + b'":1}',
    "symbol": PERIOD + b',"' + b"k" * 200 + b'":{"' + b"l" * 200 + b'":1}}',
}
DCGM = {
    "row-first": b"\x01GPU 0 1\n",
    "too-many": b"\x01#Entity A\nGPU 0 1 2 3 4 5 6\n",
    "too-few": b"\x01#Entity A B\nGPU 0\n",
    "no-columns": b"\x01#Entity\n",
    "word": b"\x01#Entity A\nGPU 0 x\n",
    "two-headings": b"\x01#Entity A B\nID  W\nGPU 0 1 2\n# Entity C\n0 3\n0 4\n1 N/A\n",
    "columns": b"\x01#Entity" + b" c" * 300 + b"\n",
    "labels": b'\x00DCGM_FI_A{gpu="0",x="\\"\\\\\\n"} 1 1000\nDCGM_FI_A{gpu="1"} NaN 1000\nDCGM_FI_A{gpu="0",} 2 2000\n',
    "bad-labels": b"\x00DCGM_FI_A{gpu=0} 1\n",
    "no-value": b"\x00DCGM_FI_A{}\n",
    "bad-time": b"\x00DCGM_FI_A 1 x\n",
    "blank": b"\x00DCGM_FI_A 9223372036854775794\nDCGM_FI_B 140737488355328.000\n",
    "long": b"\x00DCGM_FI_A " + b"1" * 17000 + b"\n",
}


def write(folder, name, data):
    path = os.path.join(SOURCE, "fuzz", "corpus", folder)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "wb") as file:
        file.write(data)


def main():
    for name, data in TOP.items():
        write("import_top", name, b"\x06" + data)
    for name, data in DCGM.items():
        write("import_dcgm", name, data)
    for name in sorted(os.listdir(TESTS)):
        with open(os.path.join(TESTS, name), "rb") as file:
            data = file.read()
        if name.endswith(".json"):
            write("import_top", name, b"\x10" + data)
            write("import_top", name + ".cut", b"\x10" + data[:len(data) * 2 // 3])
        else:
            write("import_dcgm", name, (b"\x21" if "dmon" in name else b"\x20") + data)


if __name__ == "__main__":
    main()
