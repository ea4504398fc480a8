# SPDX-License-Identifier: MIT
"""Makes C of the page: embed.py PAGE_C STATE_H DEPFILE PAGE_HTML PAGE_CSS SCRIPT...

PAGE_C has struct page_text of src/sink/html.h: the text of page.html around its title, data and header, with
style, library and scripts in their places, and the hashes of the scripts in its content security policy. STATE_H
has HTML_STATE, a text for tally version. Both say so if the library is missing (library.py).
"""
import base64
import hashlib
import os
import sys
import tarfile

import library

PLACES = ("@TITLE@", "@DATA@", "@HEADER@")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def member(package, name):
    return package.extractfile("package/" + name).read().decode("utf-8")


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(html, css, scripts):
    with tarfile.open(library.path()) as package:
        drawing = member(package, "dist/uPlot.iife.min.js")
        style = member(package, "dist/uPlot.min.css") + "\n" + css
        licence = member(package, "LICENSE")
    # One element each, which must not contain their own ends.
    scripts = [f"/*!\n{library.NAME}\n{licence}*/\n{drawing}", *scripts]
    for text in [style, *scripts]:
        assert "</s" not in text.lower() and "<!--" not in text and "@" + "TITLE@" not in text
    elements = "\n".join(f"<script>{text}</script>" for text in scripts)
    values = {"@SCRIPT_HASHES@": " ".join(hash_of(text) for text in scripts),
              "@STYLE_HASH@": hash_of(style), "@STYLE@": style, "@SCRIPTS@": elements}
    for place, value in values.items():
        assert html.count(place) == 1, place
        html = html.replace(place, value)
    return html


def split(html):
    parts = []
    for place in PLACES:
        before, found, html = html.partition(place)
        assert found, place
        parts.append(before)
    return parts + [html]


def c_array(name, text):
    # Character constants above 127, since char may be signed or not.
    numbers = [str(byte) if byte < 128 else f"'\\{byte:o}'" for byte in text.encode()] + ["0"]
    lines = [",".join(numbers[i:i + 32]) for i in range(0, len(numbers), 32)]
    return f"static const char {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def write(path, text):
    """Writes a file unless it is the same already, so that nothing is compiled again."""
    if not os.path.exists(path) or read(path) != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    page_c, state_h, depfile, html, css, *scripts = sys.argv[1:]
    code = '#include "sink/html.h"\n\n'
    if library.is_intact(library.path()):
        parts = split(page(read(html), read(css), [read(script) for script in scripts]))
        for i, part in enumerate(parts):
            code += c_array(f"part{i}", part)
        names = ", ".join(f"part{i}" for i in range(len(parts)))
        code += f'const struct page_text html_page_text = {{"{library.NAME}", {{{names}}}}};\n'
        state = f"yes, with {library.NAME}"
    else:
        code += "const struct page_text html_page_text = {0};\n"
        state = "no, since uPlot was not there (make deps)"
    write(page_c, code)
    write(state_h, f'#define HTML_STATE "{state}"\n')
    with open(depfile, "w", encoding="utf-8") as file:
        file.write(f"{page_c}: {library.path()} {os.path.abspath(library.__file__)}\n")


if __name__ == "__main__":
    main()
