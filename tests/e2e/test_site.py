# SPDX-License-Identifier: MIT
"""The documentation as a site: every page is there, and no link is dead."""
import glob
import html.parser
import os
import re
import shutil
import subprocess
import urllib.parse

from e2e import BUILD, SOURCE, Skip, contains, equal, main, need_program, succeed


def make(directory, source=SOURCE):
    need_program("mandoc")
    if not glob.glob(os.path.join(BUILD, "man", "*.1")):
        raise Skip("no manual pages in this build")
    site = os.path.join(directory, "site")
    done = subprocess.run([os.path.join(source, "tools", "site"), BUILD, site], capture_output=True, text=True, timeout=300)
    if "python3-markdown-it" in done.stderr:
        raise Skip("needs python3-markdown-it")
    return site, done


class Page(html.parser.HTMLParser):
    """The anchors, links and text of a page, and whether its elements are nested correctly."""
    EMPTY = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.text, self.open, self.scripts = set(), [], "", [], 0
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        assert not self.open, (path, self.open)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and tag != "meta":
                assert value not in self.anchors, f"the anchor {value} is there twice"
                self.anchors.add(value)
            elif name in ("href", "src", "srcset"):
                self.links.append(value)
        self.scripts += tag == "script"
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.EMPTY:
            return
        # Paragraphs and cells may end without a tag of their own.
        while self.open and self.open[-1] != tag and self.open[-1] in ("p", "li", "td", "tr", "dd", "dt"):
            self.open.pop()
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        self.text += data


def parse(site):
    pages = {}
    for root, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(root, name)
                try:
                    pages[os.path.relpath(path, site)] = Page(path)
                except AssertionError as error:
                    raise AssertionError(f"{path}: {error}") from None
    return pages


def dead_links(site, pages):
    dead = []
    for place, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme:
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(place), urllib.parse.unquote(parts.path))) if parts.path else place
            if path.startswith("..") or not os.path.isfile(os.path.join(site, path)):
                dead.append(f"{place}: {link}")
            elif parts.fragment and urllib.parse.unquote(parts.fragment) not in pages[path].anchors:
                dead.append(f"{place}: {link}: no such anchor")
    return dead


def test_no_link_is_dead_and_no_document_is_missing(directory):
    site, done = make(directory)
    equal((done.returncode, done.stdout + done.stderr), (0, ""))
    pages = parse(site)
    equal(dead_links(site, pages), [])
    first = pages["index.html"]
    # Each document, manual page and header, and a link to each from the first page.
    expected = [os.path.relpath(path, os.path.join(SOURCE, "docs"))[:-3] + ".html"
                for path in glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True)]
    expected = [re.sub(r"README\.html$", "index.html", path) for path in expected]
    commands = re.findall(r"^  (\w+) ", succeed("help"), re.M)
    expected += [f"man/tally-{command}.1.html" for command in commands] + ["man/tally.1.html", "man/tally-recording.5.html"]
    expected += ["source/include/tally/" + os.path.basename(path) + ".html"
                 for path in glob.glob(os.path.join(SOURCE, "include", "tally", "*.h"))]
    expected += ["changelog.html", "contributing.html"]
    assert len(expected) > 80, expected
    equal([path for path in expected if path not in pages], [], "missing pages")
    equal([path for path in expected if path not in first.links], [], "not in the navigation")
    for place, page in pages.items():
        equal(page.scripts, 0, place)
        assert "style.css" in page.links[0], place
        # Nothing is loaded from other servers.
        equal([link for link in page.links if re.match(r"(https?:)?//", link) and link.endswith((".js", ".css", ".png", ".svg"))], [])
        if not place.startswith("source/"):  # Markdown that was not understood
            assert "](" not in page.text and "\n```" not in page.text, place


def test_pages_have_the_text_of_their_document(directory):
    site, _ = make(directory)
    pages = parse(site)
    for name in ["values", "store", "reference/intel-oa-hardware", "recording-format"]:
        with open(os.path.join(SOURCE, "docs", name + ".md"), encoding="utf-8") as file:
            words = re.findall(r"[A-Za-z]{5,}", re.sub(r"\]\([^)]*\)|<a id=\"[^\"]*\">", "", file.read()))
        seen = set(re.findall(r"[A-Za-z]{5,}", pages[name + ".html"].text))
        equal(set(words) - seen, set(), name)
    # Anchors as GitHub makes them, and those of decisions.
    assert "who-may-use-it" in pages["serve.html"].anchors
    assert "OA-D31" in pages["reference/oa-testbench.html"].anchors
    contains(pages["man/tally-check.1.html"].text, "--allow-lost")
    assert "tally.1.html" in " ".join(pages["man/tally-recording.5.html"].links)


def test_dead_links_are_errors(directory):
    """In a copy of the documents with mistakes."""
    source = os.path.join(directory, "source")
    for name in ["docs", "include", "tools", "data", "src", "tests"]:
        os.makedirs(source, exist_ok=True)
        os.symlink(os.path.join(SOURCE, name), os.path.join(source, name))
    os.unlink(os.path.join(source, "docs"))
    shutil.copytree(os.path.join(SOURCE, "docs"), os.path.join(source, "docs"))
    os.unlink(os.path.join(source, "tools"))
    shutil.copytree(os.path.join(SOURCE, "tools"), os.path.join(source, "tools"))
    for name in ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile"]:
        shutil.copy(os.path.join(SOURCE, name), source)
    site, done = make(directory, source)
    equal((done.returncode, done.stderr), (0, ""))
    with open(os.path.join(source, "docs", "values.md"), "a", encoding="utf-8") as file:
        file.write("\n[a](nowhere.md) [b](store.md#nothing) [c](#nothing-here) [d](../../etc/passwd) <a href=\"gone.png\">e</a> <f>\n")
    _, done = make(directory, source)
    equal(done.returncode, 1)
    equal(sorted(done.stderr.splitlines()), sorted([
        "site: docs/values.md: nowhere.md does not exist", "site: docs/values.md: docs/store.md has no anchor nothing",
        "site: docs/values.md: docs/values.md has no anchor nothing-here", "site: docs/values.md: ../../etc/passwd does not exist",
        "site: docs/values.md: gone.png does not exist", "site: docs/values.md: <f> would not be shown, expected it in `code`"]))
    # The search of this test finds them, too.
    assert len(dead_links(site, {"values.html": type("", (), {"links": ["no.html", "#no"], "anchors": set()})()})) == 2


if __name__ == "__main__":
    main()
