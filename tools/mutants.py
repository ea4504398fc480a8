# SPDX-License-Identifier: MIT
"""One-line mutants of C files and .def tables: which there are, and their order for a seed.

Comments, strings, #include and conditional compilation are left alone, as are sizes of arrays and
widths of bit-fields: a larger buffer is no other behaviour.
"""
import collections
import hashlib
import os
import re

# file: relative to the source tree; line: index from 0; nth: which of the lines with this text.
Mutant = collections.namedtuple("Mutant", "file line nth operator before after")

# A constant, name, string, operator, or other character.
TOKEN = re.compile(r"0[xX][0-9a-fA-F]+[uUlL]*|\d+\.\d*[fF]?|\d+[uUlL]*|[A-Za-z_]\w*|\"[^\"]*\"|'[^']*'"
                   r"|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
WORD = re.compile(r"[A-Za-z_]\w*$")
NO_VALUES = {"return", "case", "else", "do", "sizeof"}

BINARY = {"+": "-", "-": "+", "&": "|", "|": "&", "&&": "||", "||": "&&", "<<": ">>", ">>": "<<",
          "+=": "-=", "-=": "+=", "&=": "|=", "|=": "&=", "<<=": ">>=", ">>=": "<<=",
          "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
          "++": "--", "--": "++"}
KINDS = {"+": "arithmetic", "-": "arithmetic", "+=": "arithmetic", "-=": "arithmetic",
         "++": "arithmetic", "--": "arithmetic", "&&": "logic", "||": "logic", "&": "bits",
         "|": "bits", "&=": "bits", "|=": "bits", "<<": "shift", ">>": "shift", "<<=": "shift",
         ">>=": "shift"}
DECLARATION = re.compile(r"\s*(static|extern|typedef|struct|enum|union|const|unsigned|signed|char|bool"
                         r"|int|long|short|size_t|float|double|u?int\d+_t|FILE)\b(?!\s*[(=.])")
ARRAY = re.compile(r"\s*(?!return\b|case\b|else\b)[\w ]*\w[ *]+\w+(\[[^]]*\])*$")
ROW = re.compile(r"\s*([A-Z]\w*)\((.*)\)[,;]?\s*$")
ELEMENT = re.compile(r"\s*((?:\[[^]]*\]\s*=\s*)?\{)(.*)(\},?)\s*$")


def mask(text):
    """The text with comments as blanks and the contents of strings as underscores."""
    out, i = [], 0
    pattern = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
    for found in pattern.finditer(text):
        out.append(text[i:found.start()])
        part = found.group()
        if part[0] == "/":
            out.append(re.sub(r"[^\n]", " ", part))
        else:
            out.append(part[0] + "_" * (len(part) - 2) + part[0])
        i = found.end()
    return "".join(out) + text[i:]


def is_number(text):
    return NUMBER.match(text) is not None


def ends_value(token):
    return token is not None and (token in ")]" or is_number(token) or
                                  (WORD.match(token) is not None and token not in NO_VALUES))


def balanced(text):
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return False
    return depth == 0


def cells(text):
    """Start and end of the parts of text between its outer commas, without blanks around them."""
    depth = start = 0
    parts = []
    for i, c in enumerate(text + ","):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            part = text[start:i]
            left = start + len(part) - len(part.lstrip())
            parts.append((left, left + len(part.strip())))
            start = i + 1
    return parts


def numbers(token):
    """The neighbours of a constant, in its own notation."""
    found = NUMBER.match(token)
    digits, suffix = found.groups()
    value = int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits)
    for other in ([value + 1] + ([value - 1] if value > 0 else [])):
        text = (f"0x{other:0{len(digits) - 2}x}" if digits[:2] in ("0x", "0X") else str(other))
        yield text + suffix


def of_tokens(code):
    tokens = list(TOKEN.finditer(code))
    texts = [token.group() for token in tokens]
    for i, token in enumerate(tokens):
        text, start, end = texts[i], token.start(), token.end()
        last = texts[i - 1] if i else None
        following = texts[i + 1] if i + 1 < len(texts) else None
        if text in ("true", "false"):
            yield "boolean", start, end, "false" if text == "true" else "true"
        elif text == "!" and following is not None:
            yield "negation", start, end, ""
        elif is_number(text):
            if last == "[" and ARRAY.match(code[:tokens[i - 1].start()]):
                continue
            if last == ":" and following in (",", ";") and not code.lstrip().startswith("case") \
                    and "?" not in code:
                continue
            for other in numbers(text):
                yield "number", start, end, other
        elif text in ("++", "--"):
            yield "arithmetic", start, end, BINARY[text]
        elif text in BINARY and ends_value(last) and following is not None:
            # Not the star or ampersand of a declaration or a cast.
            if text == "&" and last == ")" and WORD.match(following or ""):
                if re.search(r"\((const )?(struct )?\w+ ?\**\)\s*$", code[:start]):
                    continue
            yield KINDS.get(text, "comparison"), start, end, BINARY[text]


def of_condition(code):
    """if (x), while (x) and else if (x) whose condition is on the line."""
    for found in re.finditer(r"\b(?:if|while) \(", code):
        depth, start = 1, found.end()
        for i in range(start, len(code)):
            depth += (code[i] == "(") - (code[i] == ")")
            if depth == 0:
                yield "condition", start, i, f"!({code[start:i]})"
                break


def of_cells(code):
    for pattern, part in ((ROW, 2), (ELEMENT, 2)):
        found = pattern.match(code)
        if found and balanced(found.group(part)):
            break
    else:
        return
    base, text = found.start(part), found.group(part)
    spans = cells(text)
    for (a, b), (c, d) in zip(spans, spans[1:]):
        first, second = text[a:b], text[c:d]
        if first and second and first != second and first[0] not in ".\"" and \
                second[0] not in ".\"":
            yield "swap", base + a, base + d, second + text[b:c] + first


def is_statement(code, before):
    """Whether a line is a whole statement that can be left out. What only frees memory is not: the
    sanitized build finds leaks."""
    text = code.strip()
    if not code.startswith(" ") or not text.endswith(";") or not balanced(text):
        return False
    if not re.match(r"[A-Za-z_(*+-]", text) or "(*" in text[1:] or DECLARATION.match(text) or \
            re.match(r"(return\b.|case\b|default\b|goto\b|\w*free\()", text):
        return False
    if not re.search(r"[=(]|\+\+|--|^(break|continue|return);$", text):
        return False
    if before.endswith(")"):
        return bool(re.match(r"(\} )?(else )?(if|for|while)\b", before)) and balanced(before)
    if before.endswith(":"):
        return before.startswith(("case ", "default"))
    return not before or before[-1] in ";{}" or before.endswith("else")


def of_line(path, code, before):
    """Yields (operator, start, end, replacement)."""
    text = code.strip()
    if not text or text.startswith("#") and not text.startswith("#define") or \
            "static_assert" in text or "_Static_assert" in text:
        return
    table = path.endswith(".def")
    is_row = bool(ROW.match(code)) and (table or text.endswith(","))
    yield from of_tokens(code if not text.startswith("#define") else
                         re.sub(r"^(\s*#define\s+\w+(\([^)]*\))?)",
                                lambda found: " " * len(found.group()), code))
    yield from of_condition(code)
    if is_row or ELEMENT.match(code):
        yield from of_cells(code)
        yield "drop", len(code) - len(code.lstrip()), len(code), ""
    elif is_statement(code, before):
        yield "delete", len(code) - len(code.lstrip()), len(code.rstrip()), ";"


def of_file(root, path):
    """All mutants of a file, a list for each line that has some."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    lines, masked = text.split("\n"), mask(text).split("\n")
    seen = collections.Counter()
    before, lists = "", []
    for i, (line, code) in enumerate(zip(lines, masked)):
        nth = seen[line.strip()]
        seen[line.strip()] += 1
        guard = re.match(r"#define \w+_H$", code.strip())
        found = []
        if not guard:
            for operator, start, end, other in of_line(path, code, before):
                if operator in ("swap", "condition"):  # their text with its strings
                    other = restore(operator, line, start, end, other)
                after = line[:start] + other + line[end:]
                if after != line:
                    found.append(Mutant(path, i, nth, operator, line.strip(), after.strip()))
        if found:
            lists.append(list(dict.fromkeys(found)))
        if code.strip():
            before = code.strip()
    return lists


def restore(operator, line, start, end, other):
    """The replacement with the original strings and comments, which masking blanked."""
    if operator == "condition":
        return f"!({line[start:end]})"
    (a, b), (c, d) = cells(mask(line)[start:end])[0], cells(mask(line)[start:end])[-1]
    text = line[start:end]
    del other
    return text[c:d] + text[b:c] + text[a:b]


def rank(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


def key(mutant):
    """Identifies a mutant while other lines of its file change."""
    return "\0".join((mutant.file, mutant.before, str(mutant.nth), mutant.after))


def draw(root, paths, seed):
    """A mutant of each line that has some, in an order given by the seed and the line's content, so
    that a change elsewhere does not change it."""
    chosen = []
    for path in paths:
        for found in of_file(root, path):
            chosen.append(min(found, key=lambda mutant: rank(seed, "mutant", key(mutant))))
    return sorted(chosen, key=lambda mutant: rank(seed, mutant.file, mutant.before, mutant.nth))
