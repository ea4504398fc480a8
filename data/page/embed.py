# SPDX-License-Identifier: MIT
"""Makes C of the pages:

    embed.py export PAGE_C STATE_H DEPFILE PAGE_HTML PAGE_CSS SCRIPT...
    embed.py live PAGE_C DEPFILE PAGE_HTML PAGE_CSS SCRIPT...

The exported page is struct page_text of src/sink/html.h: the text of page.html around its title, data and header,
with style, library and scripts in their places, and the hashes of the scripts in its content security policy. STATE_H
has HTML_STATE, a text for tally version. Both say so if the library is missing (library.py).

The live page is serve_page of src/serve/serve.h, also without the library. Parts of page.html between <!--export--> or
<!--live--> and <!--end--> are in one of both only.
"""
import base64
import hashlib
import os
import re
import sys

import library

PLACES = ("@TITLE@", "@DATA@", "@HEADER@")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def of_kind(html, kind):
    """The parts of a page that are in both kinds or in this one."""
    return re.sub(r"<!--(export|live)-->\n?(.*?)<!--end-->\n?",
                  lambda part: part[2] if part[1] == kind else "", html, flags=re.S)


def page(html, css, scripts, has_library):
    style = css
    scripts = list(scripts)
    if has_library:
        drawing, more_css, licence = library.read(["dist/uPlot.iife.min.js", "dist/uPlot.min.css", "LICENSE"])
        style = more_css + "\n" + css
        scripts = [f"/*!\n{library.NAME}\n{licence}*/\n{drawing}", *scripts]
    # One element each, which must not contain their own ends.
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


def write_depfile(path, output):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{output}: {library.used()} {os.path.abspath(library.__file__)}\n")


def export(page_c, state_h, depfile, html, css, *scripts):
    code = '#include "sink/html.h"\n\n'
    if library.is_there():
        parts = split(page(of_kind(read(html), "export"), read(css), map(read, scripts), True))
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
    write_depfile(depfile, page_c)


def live(page_c, depfile, html, css, *scripts):
    text = page(of_kind(read(html), "live"), read(css), map(read, scripts), library.is_there())
    code = '#include "serve/serve.h"\n\n' + c_array("text", text)
    code += "const char *const serve_page = text;\nconst size_t serve_page_bytes = sizeof text - 1;\n"
    write(page_c, code)
    write_depfile(depfile, page_c)


if __name__ == "__main__":
    {"export": export, "live": live}[sys.argv[1]](*sys.argv[2:])
