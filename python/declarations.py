#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the module of declarations, _declarations.py, from the public headers.

    declarations.py OUTPUT LIBDIR INCLUDE COMPILER...

The compiler's preprocessor expands the headers; cffi stores the result in a form that needs neither
a compiler nor a parser when the package is imported. LIBDIR is where the library will be installed.
"""
import os
import re
import subprocess
import sys
import tempfile

import cffi

# Types that cffi knows without these headers.
SYSTEM_HEADERS = ["math.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h"]
# Constants that are macros: a number, perhaps in a macro of <stdint.h>.
MACRO = re.compile(r"^#define (TALLY_\w+)\s+(?:UINT(?:16|32|64)_C\()?"
                   r"(0x[0-9a-fA-F]+|\d+|UINT64_MAX)u?\)?\s*(?:/\*.*)?$", re.M)


def expand(include, compiler):
    """Returns the text of all public headers after the preprocessor."""
    headers = sorted(os.listdir(os.path.join(include, "tally")))
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:
            open(os.path.join(empty, name), "w").close()
        source = "".join(f"#include <tally/{name}>\n" for name in headers)
        return subprocess.run(
            [*compiler, "-E", "-P", "-nostdinc", "-I", empty, "-I", include, "-DTALLY_API=",
             "-D__attribute__(x)=", "-xc", "-"],
            input=source, capture_output=True, text=True, check=True).stdout


def without_inline_functions(text):
    """Removes static inline functions, which a library does not have."""
    pieces, at = [], 0
    for found in re.finditer(r"static inline [^;{]*\{", text):
        if found.start() < at:
            continue
        pieces.append(text[at:found.start()])
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return "".join(pieces) + text[at:]


def without_unions_by_value(text):
    """Replaces the union in struct tally_wave by its largest member: libffi cannot pass unions."""
    return re.sub(r"(struct tally_wave \{[^}]*)union \{[^}]*\} data;", r"\1uint64_t data;", text)


def constants(include):
    """Returns #define lines of the macros that are plain numbers."""
    lines = []
    for name in sorted(os.listdir(os.path.join(include, "tally"))):
        with open(os.path.join(include, "tally", name), encoding="utf-8") as header:
            lines += [f"#define {macro} {value}\n" for macro, value in MACRO.findall(header.read())]
    return "".join(lines).replace("UINT64_MAX", str(2**64 - 1))


def main():
    output, libdir, include, *compiler = sys.argv[1:]
    builder = cffi.FFI()
    text = without_inline_functions(expand(include, compiler))
    builder.cdef(constants(include) + without_unions_by_value(text))
    builder.set_source("tally._declarations", None)
    builder.emit_python_code(output)
    with open(output, "a", encoding="utf-8") as module:
        module.write(f"libdir = {libdir!r}\n")


if __name__ == "__main__":
    main()
