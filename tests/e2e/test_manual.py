# SPDX-License-Identifier: MIT
"""Manual pages: one for each command and format, without warnings, with everything that their source has."""
import glob
import os
import re
import shutil
import subprocess

from e2e import BUILD, SOURCE, Skip, contains, equal, main, need, need_program, succeed

FORMATS = {"recording": "recording-format", "workload": "workloads", "faults": "faults", "pct": "pct", "oat": "oat"}


def pages():
    found = sorted(glob.glob(os.path.join(BUILD, "man", "*.[15]")))
    if not found:
        raise Skip("no manual pages in this build")
    return found


def page(name):
    return need(os.path.join(BUILD, "man", name))


def rendered(path):
    """The text of a page, in lines of any length, without overstriking."""
    need_program("groff")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", "-rLL=2000n", path], capture_output=True, text=True,
                          check=True)
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    for typographic, plain in [("\u2010", "-"), ("\u2212", "-"), ("\u2018", "`"), ("\u2019", "'"), ("\u00a0", " ")]:
        text = text.replace(typographic, plain)
    return text


def test_a_page_for_each_command_and_format():
    names = [os.path.basename(path) for path in pages()]
    commands = re.findall(r"^  (\w+) ", succeed("help"), re.M)
    assert len(commands) > 15, commands
    equal(sorted(names), sorted(["tally.1"] + [f"tally-{command}.1" for command in commands] +
                                [f"tally-{name}.5" for name in FORMATS]))
    overview = rendered(page("tally.1"))
    for name in names[1:]:
        if name != "tally.1":
            contains(overview, name[:-2] + "(" + name[-1] + ")")


def test_pages_are_well_formed():
    """groff has no warnings, and man's index finds name and summary."""
    need_program("groff")
    for path in pages():
        done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", path], capture_output=True, text=True)
        equal((done.returncode, done.stderr), (0, ""), path)
        if shutil.which("lexgrog"):
            done = subprocess.run(["lexgrog", path], capture_output=True, text=True)
            contains(done.stdout, os.path.basename(path)[:-2] + " - ", path)
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-Tlint", "-W", "error", path], capture_output=True, text=True)
            equal(done.stdout, "", path)


def test_summaries_of_formats_are_those_of_the_overview():
    overview = re.sub(r"\s+", " ", rendered(page("tally.1")))
    for name in FORMATS:
        text = rendered(page(f"tally-{name}.5"))
        summary = re.search(rf"tally-{name} - (.*)", text).group(1)
        contains(overview.lower(), f"tally-{name}(5) {summary.lower()}.")


def test_formats_have_all_of_their_document():
    """Each piece of code and each word of a document is in the page, and no Markdown."""
    for name, document in FORMATS.items():
        with open(os.path.join(SOURCE, "docs", document + ".md"), encoding="utf-8") as file:
            source = file.read().split("\n", 1)[1]
        text = re.sub(r"\s+", " ", rendered(page(f"tally-{name}.5")))
        prose = re.sub(r"```.*?```", "", source, flags=re.S)
        for code in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose):
            contains(text, re.sub(r"\s+", " ", code).strip(), name)
        for block in re.findall(r"```\w*\n(.*?)```", source, re.S):
            for line in block.splitlines():
                contains(text, re.sub(r"\s+", " ", line).strip(), name)
        plain = re.sub(r"\]\([^)]*\)", "", prose)
        words, seen = re.findall(r"[A-Za-z]{4,}", plain), set(re.findall(r"[A-Za-z]{4,}", text.lower()))
        missing = {word for word in words if word.lower() not in seen}
        equal(missing, set(), name)
        assert "](" not in text and "```" not in text and "**" not in text.replace("**)", ""), name


def test_tables_become_rows():
    text = rendered(page("tally-faults.5"))
    row = re.search(r"^ *overflow\n *(at \| .*)$", text, re.M)
    assert row, text[:3000]
    contains(row.group(1), "buffer-lost")


if __name__ == "__main__":
    main()
