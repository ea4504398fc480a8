# SPDX-License-Identifier: MIT
"""The public interface of the library is the stored one; tools/abi finds what breaks programs."""
import os
import platform
import re
import subprocess

from e2e import BUILD, SOURCE, Skip, contains, equal, main, need_program

STORED = os.path.join(SOURCE, "tests", "abi", "libtally.abi")
BREAKS = "may not work with"


def compare(stored):
    need_program("abidw")
    if platform.machine() != "x86_64":
        raise Skip("the stored interface is that of x86-64")
    done = subprocess.run(["tools/abi", BUILD], cwd=SOURCE, capture_output=True, text=True,
                          timeout=120, env=dict(os.environ, TALLY_ABI=stored))
    if "no debug information" in done.stderr:
        raise Skip("needs a build with debug information")
    return done


def find(pattern, text):
    match = re.search(pattern, text, re.S)
    assert match, pattern
    return match.group()


def test_the_interface_is_the_stored_one():
    done = compare(STORED)
    equal((done.returncode, done.stderr), (0, ""), done.stdout)


def test_changes_are_found(directory):
    """The stored interface is changed instead of the library, so that each change is undone in it."""
    with open(STORED, encoding="utf-8") as file:
        text = file.read()
    symbol = find(r" *<elf-symbol name='tally_simd'[^\n]*\n", text)
    function = find(r" *<function-decl name='tally_simd'.*?</function-decl>\n", text)
    error = find(r"<class-decl name='tally_error'.*?</class-decl>", text)
    member = find(r" *<data-member .*?</data-member>\n", error)
    state = find(r"<enumerator name='TALLY_STATE_LOST'[^\n]*", text)
    result = find(r"<return type-id='[^']*'/>", function)
    another = find(r"<typedef-decl name='uint16_t'[^\n]* id='([^']*)'", text).split("'")[-2]
    rows = [
        ("added function", text.replace(symbol, "").replace(function, ""), 0, "[A]"),
        ("removed function", text.replace(symbol, symbol + symbol.replace("tally_simd", "tally_x"))
         .replace(function, function + function.replace("tally_simd", "tally_x")), 1, "[D]"),
        ("removed member", text.replace(error, error.replace(
            member, member + member.replace(find(r"name='[^']*'", member), "name='x'"))), 1,
         "1 data member deletion"),
        ("value of an enumerator", text.replace(state, re.sub("value='.*?'", "value='77'", state)),
         1, "from value '77'"),
        ("type of a result", text.replace(function, function.replace(
            result, f"<return type-id='{another}'/>")), 1, "return type changed"),
    ]
    for name, stored, expected, part in rows:
        assert stored != text, name
        path = os.path.join(directory, "stored.abi")
        with open(path, "w", encoding="utf-8") as file:
            file.write(stored)
        done = compare(path)
        equal((done.returncode, BREAKS in done.stderr), (expected, expected != 0),
              f"{name}: {done.stdout}{done.stderr}")
        contains(done.stdout, part, name)


if __name__ == "__main__":
    main()
