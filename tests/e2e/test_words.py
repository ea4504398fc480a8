# SPDX-License-Identifier: MIT
"""docs/style.md: retired words occur nowhere, and the glossary is sorted."""
import os
import re

from e2e import SOURCE, equal, main

STYLE = os.path.join("docs", "style.md")
TEXTS = (".c", ".h", ".def", ".in", ".map", ".md", ".build", ".yaml", ".csv", ".xml")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def table(heading):
    """Returns the rows of the table below a heading of the style guide, as lists of cells."""
    section = read(STYLE).split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in section.splitlines() if line.startswith("|")]
    assert len(rows) > 2, heading
    return rows[2:]


def texts():
    yield "README.md"
    yield "CONTRIBUTING.md"
    for folder in ("src", "include", "docs", "man"):
        for directory, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(directory, name), SOURCE)
                if path.endswith(TEXTS) and path != STYLE:
                    yield path


def retired(where):
    words = [word.strip() for row in table("Retired words") if row[1] == where
             for word in row[0].split(",")]
    assert words, where
    return words


def whole_word(words):
    alternatives = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)
    return re.compile(rf"(?<![A-Za-z])({alternatives})(?![A-Za-z])", re.I)


def find(pattern, text):
    """Returns (line number, match) of each occurrence."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(1))
            for match in pattern.finditer(text)]


def code(text):
    """Returns C without comments and strings; lines keep their numbers."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def test_retired_words_do_not_occur():
    anywhere, identifiers = whole_word(retired("anywhere")), whole_word(retired("identifiers"))
    found = []
    for path in texts():
        text = read(path)
        found += [f"{path}:{line}: {word}" for line, word in find(anywhere, text)]
        if path.endswith((".c", ".h", ".def")):
            found += [f"{path}:{line}: {word}" for line, word in find(identifiers, code(text))]
    equal(sorted(found), [])


def test_the_search_finds_planted_words():
    anywhere, identifiers = whole_word(["room", "so long"]), whole_word(["most"])
    equal(find(anywhere, "a\nroom for it; so\n * long; roommate"), [(2, "room")])
    equal(find(anywhere, "has_room; so\nlong"), [(1, "room"), (1, "so\nlong")])
    equal(find(identifiers, code('at(most_ns); /* at most */ f("most");')), [(1, "most")])


def test_the_glossary_is_sorted_and_complete():
    terms = [row[0] for row in table("Glossary")]
    equal(terms, sorted(terms, key=str.lower))
    equal([row for row in table("Glossary") if len(row) != 2 or not row[1]], [])


if __name__ == "__main__":
    main()
