# SPDX-License-Identifier: MIT
"""Debian packages: debian/ is complete and agrees with what is built. (make test-packages builds and installs them.)"""
import fnmatch
import json
import os
import re
import subprocess

from e2e import BUILD, SOURCE, Skip, contains, equal, main, need_program, succeed

DEBIAN = os.path.join(SOURCE, "debian")
NAMES = ["libtally-dev", "libtally0", "python3-tally", "tally", "tally-data", "tally-doc"]
# Where Debian has what Meson installs below its prefix, for any prefix.
MOVED = [(r"^lib(64)?/(?!python|systemd/)(?!\w+-linux-gnu/)", "lib/any/"), (r"^lib/[\w-]+-linux-gnu\w*/", "lib/any/"),
         (r"^lib/python3[\d.]*/(site|dist)-packages/", "lib/python3/dist-packages/")]
# Files that Meson installs with default_library=both only, and in Debian's build.
ONLY_IN_PACKAGES = ["usr/lib/any/libtally.a"]


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def paragraphs(text):
    """The paragraphs of a control file: lists of {field: value}."""
    found = []
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        fields = {}
        for line in paragraph.splitlines():
            if line[0] in " \t":
                assert fields, f"continues nothing: {line}"
                fields[name] += "\n" + line.strip()
            else:
                name, colon, value = line.partition(":")
                assert colon and re.fullmatch(r"[\w-]+", name), f"not a field: {line}"
                assert name not in fields, f"twice: {line}"
                fields[name] = value.strip()
        found.append(fields)
    return found


def rows(name):
    """The lines of a list of debian/, without remarks."""
    return [line.split() for line in read("debian", name).splitlines() if line.strip() and not line.startswith("#")]


def installed():
    """What Meson installs, as paths in a package."""
    need_program("meson")
    done = subprocess.run(["meson", "introspect", BUILD, "--installed", "--buildoptions"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    prefix = next(row["value"] for row in answer["buildoptions"] if row["name"] == "prefix")
    paths = set()
    for path in answer["installed"].values():
        path = os.path.relpath(path, prefix)
        for pattern, instead in MOVED:
            path = re.sub(pattern, instead, path)
        paths.add("usr/" + path)
    # Links to the shared library are not listed.
    return sorted(paths | {"usr/lib/any/libtally.so", "usr/lib/any/libtally.so.0"})


def takes(pattern, path):
    """Whether a pattern of dh_install takes a path: itself, or a directory above it."""
    pattern = pattern.replace("usr/lib/*/", "usr/lib/any/")
    return fnmatch.fnmatch(path, pattern) or path.startswith(pattern.rstrip("/") + "/")


def test_every_installed_file_is_in_one_package():
    options = succeed("version", "--build-options")
    if "python" not in " ".join(os.listdir(os.path.join(BUILD))) or "none" in re.findall(r"^(?:server|store): (\w+)", options, re.M):
        raise Skip("needs a build with everything")
    lists = {name: [row[0] for row in rows(name + ".install")] for name in NAMES}
    lists["(not installed)"] = [row[0] for row in rows("not-installed")]
    paths, used = installed() + ONLY_IN_PACKAGES, set()
    assert len(paths) > 100, paths
    for path in paths:
        owners = [name for name, patterns in lists.items() if any(takes(pattern, path) for pattern in patterns)]
        equal(len(owners), 1, f"{path} is in {owners or 'no package: add it to debian/*.install'}")
        used |= {(name, pattern) for name in owners for pattern in lists[name] if takes(pattern, path)}
    unused = {(name, pattern) for name, patterns in lists.items() for pattern in patterns} - used
    equal(unused, {("tally-doc", "obj-*/site/*")})  # made by debian/rules


def test_control_has_all_packages():
    source, *packages = paragraphs(read("debian", "control"))
    equal(source["Source"], "tally")
    equal(sorted(package["Package"] for package in packages), NAMES)
    for package in packages:
        for field in ["Architecture", "Description", "Depends"]:
            assert package.get(field), (package["Package"], field)
        contains(package["Depends"], "${misc:Depends}", package["Package"])
        assert len(package["Description"].splitlines()) > 3, package["Package"]
        if package["Package"].startswith("lib"):
            equal(package["Multi-Arch"], "same")
    # What `make deps` installs for the build is what a package is built with.
    deps = re.search(r"build\) echo (.*?);;", read("tools", "deps"), re.S)[1].replace("\\\n", " ").split()
    needed = [re.split(r"[ :(<]", entry.strip())[0] for entry in source["Build-Depends"].split(",") if entry.strip()]
    equal(len(needed), len(set(needed)), f"twice in Build-Depends: {sorted(needed)}")
    missing = {name for name in deps if name.endswith("-dev")} - set(needed) - {"libc6-dev"}
    equal(missing, set(), "Build-Depends")


def test_packages_have_every_optional_part():
    """What is optional is an error in a package build if it is missing."""
    features = re.findall(r"^option\('(\w+)', type: 'feature'", read("meson_options.txt"), re.M)
    assert len(features) >= 5, features
    for name in features:
        assert name == "tests" or f"-D{name}=enabled" in read("debian", "rules"), name


def test_the_development_package_depends_on_what_pkgconfig_requires():
    """Without their descriptions, pkg-config --cflags fails."""
    _, *packages = paragraphs(read("debian", "control"))
    depends = next(package["Depends"] for package in packages if package["Package"] == "libtally-dev")
    found = []
    for root, _, names in os.walk(BUILD):
        found += [os.path.join(root, name) for name in names if name == "tally.pc"]
    with open(found[0], encoding="utf-8") as file:
        requires = re.search(r"^Requires.private: (.*)$", file.read(), re.M)[1].split(", ")
    packaged = {"expat": "libexpat1-dev", "libcyaml": "libcyaml-dev", "yaml-0.1": "libyaml-dev", "libdrm": "libdrm-dev",
                "pciaccess": "libpciaccess-dev"}
    equal(sorted(requires), sorted(packaged))
    for name in requires:
        contains(depends, packaged[name])


def test_versions_agree():
    """One place decides the version; what repeats it agrees."""
    changelog = re.search(r"^## \[([\d.]+)\]", read("CHANGELOG.md"), re.M)[1]
    debian = re.match(r"tally \(([^)]*)\)", read("debian", "changelog"))[1]
    equal(debian.rsplit("-", 1)[0], changelog)
    printed = subprocess.run([os.path.join(SOURCE, "tools", "version")], capture_output=True, text=True, check=True).stdout.strip()
    assert re.fullmatch(r"\d+\.\d+\.\d+(\+\d+\.g[0-9a-f]+)?", printed), printed
    assert succeed("version").split()[1].split("+")[0].count(".") == 2


def tree_of(directory, changelog="0.3.0"):
    """A source tree with the parts that decide the version."""
    tree = os.path.join(directory, "tree")
    os.makedirs(os.path.join(tree, "tools"))
    with open(os.path.join(tree, "tools", "version"), "w", encoding="utf-8") as file:
        file.write(read("tools", "version"))
    os.chmod(os.path.join(tree, "tools", "version"), 0o755)
    for name, text in [("CHANGELOG.md", f"# Changelog\n\n## [{changelog}] - unreleased\n\n## [0.2.0]\n"),
                       (".version", read(".version")), (".gitattributes", read(".gitattributes"))]:
        with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
            file.write(text)
    return tree


def version_of(tree):
    return subprocess.run([os.path.join(tree, "tools", "version")], capture_output=True, text=True, check=True, cwd="/").stdout


def git(tree, *arguments):
    done = subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments],
                          capture_output=True, check=True)
    return done.stdout


def test_the_version_is_that_of_the_tag(directory):
    need_program("git")
    tree = tree_of(directory)
    equal(version_of(tree), "0.3.0\n")
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "one")
    equal(version_of(tree), "0.3.0\n", "without a tag")
    git(tree, "tag", "-am", "x", "another-1")
    git(tree, "tag", "-am", "x", "v0.3.1")
    equal(version_of(tree), "0.3.1\n")
    archive = os.path.join(directory, "archive")
    os.mkdir(archive)
    subprocess.run(["tar", "-xf", "-", "-C", archive], input=git(tree, "archive", "HEAD"), check=True)
    git(tree, "commit", "-qm", "two", "--allow-empty")
    hash_of = git(tree, "rev-parse", "--short", "HEAD").decode().strip()
    equal(version_of(tree), f"0.3.1+1.g{hash_of}\n")
    # An archive has no history, and may be unpacked inside another project's tree.
    os.rename(archive, os.path.join(tree, "inner"))
    equal(version_of(os.path.join(tree, "inner")), "0.3.1\n")
    os.remove(os.path.join(tree, "inner", ".version"))
    equal(version_of(os.path.join(tree, "inner")), "0.3.0\n")


def test_copyright_is_machine_readable():
    head, *rest = paragraphs(read("debian", "copyright"))
    equal(head["Format"], "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/")
    files = [paragraph for paragraph in rest if "Files" in paragraph]
    equal(files[0]["Files"], "*")
    licences = {paragraph["License"].splitlines()[0] for paragraph in rest if "Files" not in paragraph}
    for paragraph in files:
        assert paragraph["Copyright"] and paragraph["License"] in licences, paragraph
    words = lambda text: re.sub(r"[\s.]+", " ", text).strip()
    licence = next(paragraph["License"] for paragraph in rest if "Files" not in paragraph).split("\n", 1)[1]
    equal(words(licence), words(read("LICENSE").split("\n", 4)[4]))


def test_symbols_are_those_of_the_library():
    need_program("nm")
    if "sanitizers: none" not in succeed("version", "--build-options"):
        raise Skip("sanitizers add symbols")
    done = subprocess.run(["tools/symbols", BUILD], cwd=SOURCE, capture_output=True, text=True)
    equal((done.returncode, done.stdout + done.stderr), (0, ""))
    assert len(read("debian", "libtally0.symbols").splitlines()) > 300


def test_a_source_package_has_uplot_of_the_version_that_is_built(directory):
    """The copy in uplot/ is used if it is the right one."""
    page = os.path.join(directory, "data", "page")
    os.makedirs(page)
    os.makedirs(os.path.join(directory, "uplot", "dist"))
    with open(os.path.join(page, "library.py"), "w", encoding="utf-8") as file:
        file.write(read("data", "page", "library.py"))
    for version, there in [("1.6.32", True), ("1.6.31", False)]:
        for name, text in [("package.json", json.dumps({"version": version})), ("dist/a.js", "text of " + version)]:
            with open(os.path.join(directory, "uplot", name), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run(["python3", "-c", "import library; print(library.is_there(), *library.read(['dist/a.js']))"], cwd=page,
                              capture_output=True, text=True, check=True, env=dict(os.environ, XDG_CACHE_HOME=directory))
        equal(done.stdout, f"{there} text of {version}\n")


if __name__ == "__main__":
    main()
