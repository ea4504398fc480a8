# SPDX-License-Identifier: MIT
"""Citations: each cited name of docs/reference is an anchor there, and unambiguous."""
import collections
import os
import re

from e2e import SOURCE, equal, main

REFERENCE = os.path.join(SOURCE, "docs", "reference")

# The names that each text defines.
TEXTS = {
    "intel-oa-hardware.md": r"OA-([1-9]\d?(\.\d+)?|[EU][1-9]\d*)",
    "oa-testbench.md": r"OAT-[1-9](\.\d+)?|OA-D[1-9]\d*",
    "pcounter.md": r"PC-([A-H](\.\d+)?|E[1-9]\d*|AMB-\d\d+)",
    "pcounter-testbench.md": r"PCT-[1-9](\.\d+)?|PC-D[1-9]\d*",
    "i915-perf.md": r"PERF-([1-9]\d?(\.\d+)?|Q[1-9]\d*)",
    "igt-clients.md": r"IGT-[1-9](\.\d+)?",
    "README.md": r"[A-Z]\d\d[A-Z]?",  # other documents
}
FOLDERS = ["src", "include", "tests", "docs", "data", "fuzz", "bench", "man", "tools"]
ENDINGS = (".c", ".h", ".def", ".md", ".py", ".cases", ".yaml", ".oat", ".pct", ".map", ".1", ".in",
           "meson.build", ".txt", ".csv")

# Comments and strings of C.
WORDS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
ANCHOR = re.compile(r'<a id="([^"]*)"></a>')
CITATION = re.compile(r"(?<![\w-])(?:OA|OAT|PC|PCT|PERF|IGT)-[A-Z0-9][\w-]*(?:\.\d+)*")
TAG = re.compile(r"\[([A-Z]\d\d[A-Z]?)\]")
BARE = re.compile(r"(?<![\w.$#-])(?:[DUEQ][1-9]\d?|AMB-?\d+)(?![\w-])")
POWER_STATE = re.compile(r"\bD[0-3]\b")  # of PCI devices, in files about PCI
BY_FILE = re.compile(r"\b(?:intel-oa-hardware|pcounter|i915-perf|igt-clients|oa-testbench|"
                     r"pcounter-testbench)\.md,?(?:\s+\*)?\s+(?:sections?\s+)?(?:\d|[A-G]\b|[DUEQ]\d)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors():
    """name -> the files that define it, once per definition."""
    found = collections.defaultdict(list)
    for name in sorted(os.listdir(REFERENCE)):
        for anchor in ANCHOR.findall(read(os.path.join(REFERENCE, name))):
            found[anchor].append(name)
    return found


def pieces(path):
    """(line, text) of what a reader reads: of C the comments and strings, else everything; of
    Markdown without the blocks that are scripts."""
    text = read(path)
    if path.endswith((".c", ".h", ".def")):
        for match in WORDS.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match.group()
        return
    if path.endswith(".md"):
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), text,
                      flags=re.S | re.M)
    for number, line in enumerate(text.split("\n"), 1):
        yield number, line


def all_files():
    names = [os.path.join(SOURCE, name) for name in ["README.md", "CONTRIBUTING.md", "meson.build"]]
    for folder in FOLDERS:
        for path, _, files in os.walk(os.path.join(SOURCE, folder)):
            names += [os.path.join(path, name) for name in sorted(files) if name.endswith(ENDINGS)]
    return [name for name in names if name != os.path.abspath(__file__)]


def wrong_in(text, known, pci=False):
    """Returns the problems with the citations of a text."""
    wrong = [name for name in CITATION.findall(text) if name not in known]
    wrong += [f"[{tag}]" for tag in TAG.findall(text) if tag not in known]
    without = CITATION.sub("", ANCHOR.sub("", text))
    if pci:
        without = POWER_STATE.sub("", without)
    wrong += [f"{name} without the name of its text" for name in BARE.findall(without)]
    wrong += [f"'{' '.join(name.split())}' instead of a name" for name in BY_FILE.findall(text)]
    return wrong


def test_anchors_are_unique_and_in_their_text():
    found = anchors()
    equal([name for name, files in found.items() if len(files) > 1], [], "anchors defined twice")
    equal([f"{name} in {files[0]}" for name, files in found.items()
           if not re.fullmatch(TEXTS[files[0]], name)], [], "anchors of another form")
    for name in TEXTS:
        assert name in {files[0] for files in found.values()}, f"{name} has no anchor"


def test_headings_and_decisions_have_their_anchors():
    missing = []
    for name in TEXTS:
        if name == "README.md":
            continue
        text = re.sub(r"^```.*?^```", "", read(os.path.join(REFERENCE, name)), flags=re.S | re.M)
        for line in text.split("\n"):
            heading = re.match(r"#+ (?:<a id=\"([^\"]*)\"></a>)?(\S+)", line)
            labelled = re.match(r"(?:\d+\. |\* )?(?:<a id=\"([^\"]*)\"></a>)?"
                                r"\*\*((?:OA|PC|PERF|IGT)-[\w.-]*\w)", line)
            for match in heading, labelled:
                if match and re.fullmatch(TEXTS[name], match.group(2)) and \
                        match.group(1) != match.group(2):
                    missing.append(f"{name}: {line[:60]}")
    equal(missing, [])


def test_citations_resolve():
    known = anchors()
    files = all_files()
    wrong, seen = [], 0
    for path in files:
        for line, text in pieces(path):
            seen += len(CITATION.findall(text))
            wrong += [f"{os.path.relpath(path, SOURCE)}:{line}: {what}"
                      for what in wrong_in(text, known, "pci" in os.path.basename(path))]
    assert not wrong, f"{len(wrong)} wrong:\n  " + "\n  ".join(wrong)
    assert len(files) > 500 and seen > 1000, (len(files), seen)


NAMES_ALONE = re.compile(r"/\*\s*(?:(?:OA|OAT|PC|PCT|PERF|IGT)-[\w.-]*\w(?:,|;| to| and)?\s*)+[.:]?\s*\*/")


def names_alone(text):
    """Returns whether a comment has only citations; it should state the decision."""
    return NAMES_ALONE.fullmatch(text) is not None


def test_comments_state_the_decision():
    found = [f"{os.path.relpath(path, SOURCE)}:{line}: {text}" for path in all_files()
             if path.startswith((os.path.join(SOURCE, "src"), os.path.join(SOURCE, "include")))
             for line, text in pieces(path) if names_alone(text)]
    equal(found, [])
    equal([names_alone(text) for text in
           ["/* OA-D20 */", "/* OA-D12 to OA-D14 */", "/* loads the counter (OA-D20) */"]],
          [True, True, False])


def test_planted_mistakes_are_found():
    known = anchors()
    rows = [
        ("wraps around (OA-D31)", []),
        ("OA-D10 to OA-D15; PC-AMB-40, PERF-Q5, PERF-3.6, IGT-3.4, OAT-6, PCT-4, PC-B.2, PC-C.", []),
        ("[P11] and [P15B]", []),
        ("OA-D99", ["OA-D99"]),
        ("OA-D0", ["OA-D0"]),
        ("OA-D310", ["OA-D310"]),
        ("PC-U7", ["PC-U7"]),
        ("OA-2.99", ["OA-2.99"]),
        ("PC-AMB-4", ["PC-AMB-4"]),
        ("[P99]", ["[P99]"]),
        ("wraps around (D31)", ["D31 without the name of its text"]),
        ("U7, E13", ["U7 without the name of its text", "E13 without the name of its text"]),
        ("Q5; AMB-40", ["Q5 without the name of its text", "AMB-40 without the name of its text"]),
        ("see i915-perf.md section 3", ["'i915-perf.md section 3' instead of a name"]),
        ("see oa-testbench.md D31", ["D31 without the name of its text",
                                     "'oa-testbench.md D3' instead of a name"]),
    ]
    for text, expected in rows:
        equal(wrong_in(text, known), expected, text)
    equal(wrong_in("power states D0 and D3, neither D1 nor D2; D4", known, pci=True),
          ["D4 without the name of its text"])


if __name__ == "__main__":
    main()
