# SPDX-License-Identifier: MIT
"""The modules: order, includes, headers, symbols, licences and formatting; no unfinished code."""
import os
import re
import shutil
import subprocess

from e2e import BUILD, SOURCE, Skip, equal, main, need_program


def files(*folders, endings=(".c", ".h", ".def")):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in names:
                if name.endswith(endings):
                    yield os.path.join(path, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def module_table():
    """docs/architecture.md: module -> modules that it may use."""
    rows = re.findall(r"^\| (\w+) \| .* \| ([\w, ]*) ?\|$",
                      read(os.path.join(SOURCE, "docs", "architecture.md")), re.M)
    table = {module: {name.strip() for name in uses.split(",") if name.strip()}
             for module, uses in rows if module != "module"}
    assert "base" in table and "cli" in table, table
    return table


# The module of each public header.
PUBLIC = {"error.h": "base", "version.h": "base", "vcd.h": "wave", "wave.h": "wave",
          "platform.h": "intel", "gpu.h": "intel", "oa.h": "intel", "workload.h": "intel", "report.h": "intel", "chipset.h": "nvidia", "pcounter.h": "nvidia",
          "capture.h": "capture", "mark.h": "capture", "recording.h": "recording", "packets.h": "recording",
          "metrics.h": "metrics", "summary.h": "metrics", "pipeline.h": "pipeline", "compare.h": "compare",
          "sink.h": "sink"}


def test_every_include_respects_the_order_of_modules():
    table = module_table()
    bad, seen = [], set()
    for path in files("src"):
        relative = os.path.relpath(path, os.path.join(SOURCE, "src"))
        module = relative.split(os.sep)[0]
        if os.sep not in relative:
            continue
        assert module in table, f"{relative}: module {module} is not in docs/architecture.md"
        seen.add(module)
        for kind, name in re.findall(r'^#include ([<"])([^>"]+)[>"]', read(path), re.M):
            if kind == '"':
                used = name.split("/")[0]
            elif name.startswith("tally/"):
                used = PUBLIC[name[len("tally/"):]]
            else:
                continue
            if used != module and used not in table[module]:
                bad.append(f"{relative} includes {name}")
    equal(bad, [])
    equal(seen, set(table), "modules of the table and folders of src")


def included(path):
    """The files below src/ and include/ that a file includes, relative to the source tree."""
    for kind, name in re.findall(r'^#include ([<"])([^>"]+)[>"]', read(path), re.M):
        relative = "src/" + name if kind == '"' else "include/" + name
        if os.path.exists(os.path.join(SOURCE, relative)):
            yield relative

X_MACRO = re.compile(r"regs/pass/|.*\.def$")


def include_groups(path, text):
    """The groups of #includes, as lists of (group, name), without those of tables and under #if."""
    own = re.sub(r"^(?:src|include)/", "", os.path.splitext(path)[0] + ".h")
    text = re.sub(r"/\*.*?\*/\n?", "", text, flags=re.S)
    groups, depth = [[]], 0
    for line in text.split("\n"):
        found = re.match(r'#include (?:"([^"]+)"|<([^>]+)>)', line)
        if not found:
            guard = re.match(r"#ifndef TALLY_\w+_H$", line)
            depth += line.startswith("#if") and not guard
            depth -= line.startswith("#endif")
            if groups[-1]:
                groups.append([])
            continue
        quoted, angled = found.groups()
        if depth > 0 or (quoted and X_MACRO.match(quoted)):
            continue
        if quoted == own:
            group = "own header"
        elif quoted:
            group = "project headers"
        else:
            group = "public headers" if angled.startswith("tally/") else "system headers"
        groups[-1].append((group, quoted or angled))
    return [group for group in groups if group]


def include_disorder(path, text):
    """What breaks the order of #includes that CONTRIBUTING.md describes."""
    order = ["own header", "system headers", "public headers", "project headers"]
    groups = include_groups(path, text)
    bad, last = [], -1
    for group in groups:
        kinds = {kind for kind, _ in group}
        names = [name for _, name in group]
        if len(kinds) > 1:
            bad.append(f"{path}: no blank line between {' and '.join(sorted(kinds))}")
            continue
        kind = order.index(kinds.pop())
        if kind == last:
            bad.append(f"{path}: {order[kind]} are in two groups: {names[0]}")
        elif kind < last:
            bad.append(f"{path}: {order[kind]} after {order[last]}: {names[0]}")
        if names != sorted(names):
            bad.append(f"{path}: {order[kind]} are not sorted: {', '.join(names)}")
        last = max(last, kind)
    return bad


def test_includes_are_in_order():
    bad, count = [], 0
    for path in files("src", "include", "docs", endings=(".c", ".h")):
        relative = os.path.relpath(path, SOURCE)
        bad += include_disorder(relative, read(path))
        count += len(include_groups(relative, read(path)))
    equal(bad, [], "the order of #includes is in CONTRIBUTING.md")
    assert count > 500, count


def test_planted_disorder_of_includes_is_found():
    own, system, public = '#include "base/a.h"\n', "#include <errno.h>\n", "#include <tally/oa.h>\n"
    project = '#include "base/bits.h"\n#include "base/error.h"\n'
    for planted in [system + "\n" + own, public + "\n" + system, project + "\n" + system,
                    own + project, system + public, "#include <stdio.h>\n" + system,
                    '#include "base/error.h"\n#include "base/bits.h"\n',
                    system + "\n#include <stdio.h>\n",
                    own + "\n#define A\n\n" + project + "\n" + public]:
        equal(len(include_disorder("src/base/a.c", planted)), 1, planted)
    guard = "#ifndef TALLY_BASE_B_H\n#define TALLY_BASE_B_H\n\n"
    equal(len(include_disorder("src/base/b.h", guard + public + "\n" + system + "\n#endif\n")), 1)
    table = '#define FIELD(a) a\n#include "regs/pass/fields.h"\n#include "base/a.def"\n#undef FIELD\n'
    vectors = "#if defined(__AVX2__)\n#include <immintrin.h>\n#endif\n"
    good = "\n".join([own, system, public, project])
    for allowed in [good, good + table, good + "\n" + vectors, good + table + vectors + table,
                    guard + good + "\n#endif\n", "/* Why. */\n" + good,
                    system + "\n/* For its constants. */\n" + project]:
        equal(include_disorder("src/base/a.c", allowed), [], allowed)



def circle(graph):
    """Returns the nodes of a cycle of a directed graph, or []."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return []
        path.append(node)
        for after in sorted(graph.get(node, ())):
            found = visit(after)
            if found:
                return found
        done.add(path.pop())
        return []

    for node in sorted(graph):
        found = visit(node)
        if found:
            return found
    return []


def test_circles_are_found():
    equal(circle({}), [])
    equal(circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])
    equal(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])
    equal(circle({"a": {"a"}}), ["a", "a"])


def test_no_circular_includes():
    graph = {os.path.relpath(path, SOURCE): set(included(path))
             for path in files("src", "include") if path.endswith((".h", ".def"))}
    assert len(graph) > 100, graph
    equal(circle(graph), [])


def test_parts_of_a_module_have_an_order():
    """The folders of a module (intel/report, intel/oa, ...) have no cyclic dependencies."""
    graph = {}
    for path in files("src"):
        folder = os.path.relpath(os.path.dirname(path), SOURCE)
        for name in included(path):
            other = os.path.dirname(name)
            if folder.count("/") == other.count("/") == 2 and other != folder and \
                    other.split("/")[1] == folder.split("/")[1]:
                graph.setdefault(folder, set()).add(other)
    assert graph
    equal(circle(graph), [])


def test_formatting():
    """clang-format changes no file; tables have `// clang-format off` before them."""
    need_program("clang-format")
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *files(
        "src", "include", "tests", "bench", "fuzz", "data", "docs", endings=(".c", ".h"))],
        capture_output=True, text=True, cwd=SOURCE)
    names = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.M)))
    equal(names, [], "run clang-format -i on")
    equal(done.returncode, 0, done.stderr)


def compile_header(compiler, language, header):
    source = f'#include <tally/{header}>\nint main(void) {{ return 0; }}\n'
    return subprocess.run([compiler, "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                           "-pedantic", "-I", os.path.join(SOURCE, "include"), "-"],
                          input=source, capture_output=True, text=True)


def test_public_headers_compile_alone():
    compilers = [(name, language) for name, language in
                 [("gcc", "c"), ("g++", "c++"), ("clang", "c"), ("clang++", "c++")]
                 if shutil.which(name)]
    assert compilers
    for header in os.listdir(os.path.join(SOURCE, "include", "tally")):
        assert header in PUBLIC, header
        for compiler, language in compilers:
            done = compile_header(compiler, language, header)
            equal(done.returncode, 0, f"{compiler} {header}: {done.stderr}")


def test_library_exports_what_the_headers_declare():
    library = os.path.join(BUILD, "src", "libtally.so")
    if not os.path.exists(library):
        raise Skip("no shared library in this build")
    need_program("nm")
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                         text=True, check=True).stdout
    exported = {line.split()[2].split("@")[0] for line in out.splitlines()
                if line.split()[1] != "A"}
    declared = set()
    for path in files("include"):
        declared |= set(re.findall(r"TALLY_API[^;(]*?\*?\b(tally_\w+)\(", read(path)))
    equal(exported, declared)


def test_every_file_has_its_licence():
    missing = [path for path in [*files("src", "include", "tests", "bench", "fuzz", "data", "tools",
                                        endings=(".c", ".h", ".def", ".py", ".map", "meson.build",
                                                 ".in"))]
               if "SPDX-License-Identifier: MIT" not in read(path)[:200]]
    equal(missing, [])


def test_nothing_is_unfinished():
    marks = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    found = [path for path in files("src", "include", "bench", "fuzz") if marks.search(read(path))]
    equal(found, [])


def test_files_have_one_subject():
    long = [(path, read(path).count("\n")) for path in files("src", "include")
            if read(path).count("\n") > 700]
    equal(long, [])


if __name__ == "__main__":
    main()
