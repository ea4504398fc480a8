# SPDX-License-Identifier: MIT
"""Every command of the cookbook, run as it is written, and what it prints."""
import glob
import os
import re
import shutil
import subprocess

from e2e import SOURCE, TALLY, Skip, contains, equal, main, need_preload, need_program, succeed
from test_install import install

COOKBOOK = os.path.join(SOURCE, "docs", "cookbook")
NEEDS = {"embed-the-engine": ["cc", "pkg-config"], "watch-gpus": ["curl"]}
PORTS = ["19477", "19478"]  # of watch-gpus


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages():
    found = sorted(glob.glob(os.path.join(COOKBOOK, "*.md")))
    return [os.path.basename(path)[:-3] for path in found if not path.endswith("README.md")]


def blocks(text):
    """The fenced blocks of a page: language, first line, text."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)


def file_of(body):
    """The name of the file that a block is, or None."""
    named = re.match(r"# ([\w-]+\.\w+)\n", body)
    return named[1] if named else None


def matches(expected, printed):
    """Whether an output is as stated: the same lines, in which ... stands for anything, also for lines."""
    pattern = re.escape(expected.rstrip("\n")).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, printed.rstrip("\n"), re.S) is not None


def environment(directory):
    """Tally first in PATH, and the installation that pkg-config finds."""
    prefix, pkgconfig = install(os.path.join(directory, "stage"))
    os.mkdir(os.path.join(directory, "bin"))
    os.symlink(TALLY, os.path.join(directory, "bin", "tally"))
    return dict(os.environ, PATH=os.path.join(directory, "bin") + ":" + os.environ["PATH"], NO_COLOR="1",
                XDG_DATA_HOME="/nonexistent", TALLY_WORKLOADS_PATH=f"{prefix}/share/tally/workloads",
                PKG_CONFIG_PATH=pkgconfig, PKG_CONFIG_SYSROOT_DIR=os.path.join(directory, "stage"),
                LD_LIBRARY_PATH=os.path.dirname(pkgconfig))


def run_page(name, directory, env):
    """Runs a page's commands in order, in one shell, so that background jobs and variables remain. They end with it."""
    os.mkdir(directory)
    shutil.copy(os.path.join(SOURCE, "docs", "examples", "embed.c"), directory)
    body = blocks(read(os.path.join(COOKBOOK, name + ".md")))
    script, expected = ["set -eo pipefail"], {}
    for i, (language, text) in enumerate(body):
        if language == "sh":
            after = body[i + 1] if i + 1 < len(body) else ("sh", "")
            script += [f"exec >{i}.out 2>&1", text]
            if after[0] == "" and not file_of(after[1]):
                expected[i] = after[1]
        elif file_of(text):
            with open(os.path.join(directory, file_of(text)), "w", encoding="utf-8") as file:
                file.write(text)
    script[0] += "; trap 'for job in $(jobs -p); do kill $job || true; done' EXIT"
    done = subprocess.run(["timeout", "-k", "5", "200", "bash", "-c", "\n".join(script)], cwd=directory, env=env, capture_output=True,
                          text=True)
    printed = {i: read(os.path.join(directory, f"{i}.out")) for i in range(len(body))
               if os.path.exists(os.path.join(directory, f"{i}.out"))}
    return done, expected, printed


def check_page(name, directory, env):
    for program in NEEDS.get(name, []):
        need_program(program)
    done, expected, printed = run_page(name, directory, env)
    if any("in use" in text for text in printed.values()):
        raise Skip(f"another program has port {' or '.join(PORTS)}")
    equal(done.returncode, 0, f"{name}: {done.stderr} {list(printed.values())[-1:]}")
    assert len(expected) >= 1 and len(printed) >= len(expected), name
    for i, text in expected.items():
        assert matches(text, printed[i]), f"{name}: printed\n{printed[i]}expected\n{text}"


def page_test(name):
    def test(directory):
        need_preload()
        options = succeed("version", "--build-options")
        if name == "watch-gpus" and "server: none" in options:
            raise Skip("needs libmicrohttpd")
        if name in ("find-a-regression", "watch-gpus") and "store: none" in options:
            raise Skip("needs libsqlite3")
        check_page(name, os.path.join(directory, "page"), environment(directory))
    return test


# One test a page, so that each is reported.
for page in pages():
    globals()["test_" + page.replace("-", "_")] = page_test(page)


def test_every_page_is_listed():
    text = read(os.path.join(COOKBOOK, "README.md"))
    equal(sorted(re.findall(r"\]\(([\w-]+)\.md\)", text)), pages())
    assert len(pages()) >= 6, pages()


def test_excerpts_of_the_program_are_in_it():
    program = read(os.path.join(SOURCE, "docs", "examples", "embed.c"))
    excerpts = [text for language, text in blocks(read(os.path.join(COOKBOOK, "embed-the-engine.md"))) if language == "c"]
    assert len(excerpts) >= 3, excerpts
    for text in excerpts:
        contains(program, text)


def test_wrong_outputs_are_found():
    printed = "one\ntwo 2.5\nthree\n"
    for expected in ["one\ntwo 2.5\nthree\n", "one\n...\n", "...\nthree\n", "one\ntwo ...\nthree\n"]:
        assert matches(expected, printed), expected
    for expected in ["one\ntwo 2.5\n", "one\n...\nfour\n", "two 2.5\nthree\n", "one\ntwo 2x5\nthree\n", "one ...\nthree"]:
        assert not matches(expected, printed), expected


if __name__ == "__main__":
    main()
