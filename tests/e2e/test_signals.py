# SPDX-License-Identifier: MIT
"""data/signals/make_signals.c, which converts the signal tables to C: errors in tables."""
import os
import subprocess

from e2e import BUILD, SOURCE, Skip, contains, equal, main

HEADER = "domain,index,name,alias,note\n"


def make(directory, name, text):
    """Runs the generator on one table; returns the finished process and its output."""
    program = os.path.join(BUILD, "src", "make_signals")
    if not os.path.exists(program):
        raise Skip("no generator in this build")
    path, output = os.path.join(directory, name), os.path.join(directory, "out.c")
    with open(path, "wb") as file:
        file.write(text.encode("latin-1"))
    if os.path.exists(output):
        os.remove(output)
    done = subprocess.run([program, output, path], capture_output=True, text=True)
    if not os.path.exists(output):
        return done, ""
    with open(output, encoding="utf-8") as file:
        return done, file.read()


def test_malformed_tables_are_reported_by_line(directory):
    rows = [
        ("", 0, "no rows"),
        (HEADER, 1, "no rows"),
        ("0,00,A,,\n", 1, "expected the header"),
        ("# words\ndomain,index\n", 2, "expected the header"),
        ("\n" + HEADER, 1, "expected the header"),
        (HEADER + "\n", 2, "1 fields, expected 5"),
        (HEADER + "0,00,A,\n", 2, "4 fields, expected 5"),
        (HEADER + "0,00,A,,,\n", 2, "more than 5 fields"),
        (HEADER + "0,00,A,,\n8,00,A,,\n", 3, 'domain "8", expected 0 to 7'),
        (HEADER + "HUB,00,A,,\n", 2, 'domain "HUB"'),
        (HEADER + "GPC00,00,A,,\n", 2, 'domain "GPC00"'),
        (HEADER + "hub1,00,A,,\n", 2, 'domain "hub1"'),
        (HEADER + "0,0,A,,\n", 2, 'index "0", expected 00 to ff'),
        (HEADER + "0,100,A,,\n", 2, 'index "100"'),
        (HEADER + "0,0G,A,,\n", 2, 'index "0G"'),
        (HEADER + "0,FF,A,,\n", 2, 'index "FF"'),
        (HEADER + "0,05-04,A,,\n", 2, 'index "05-04"'),
        (HEADER + "0,05-05,A,,\n", 2, 'index "05-05"'),
        (HEADER + "0,05_06,A,,\n", 2, 'index "05_06"'),
        (HEADER + "0,00,,,\n", 2, "no name"),
        (HEADER + "0,00,A,a b,\n", 2, 'alias "a b"'),
        (HEADER + "0,00-03,A,a_00-02,\n", 2, "for a group of 4"),
        (HEADER + "0,00-03,A,a,\n", 2, 'alias "a"'),
        (HEADER + "0,00-03,A,4=a,\n", 2, 'alias "4=a"'),
        (HEADER + "0,00-03,A,1=a 1=b,\n", 2, 'alias "1=b"'),
        (HEADER + "0,00-03,A,1=,\n", 2, 'alias "1="'),
        (HEADER + "0,01,A,,\n0,00,B,,\n", 3, "out of order"),
        (HEADER + "1,00,A,,\n0,01,B,,\n", 3, "out of order"),
        (HEADER + '0,00,"A,,\n', 2, "no closing quote"),
        (HEADER + '0,00,"A"B,,\n', 2, "after the quoted field 3"),
        (HEADER + '0,00,A"B,,\n', 2, "a quote within field 3"),
        (HEADER + "0,00,A,,", 2, "expected a newline"),
        (HEADER + "0,00,A,,\r\n", 2, "byte 0d at column 9, expected printable ASCII"),
        (HEADER + "0,00,\xc4,,\n", 2, "byte c4 at column 6"),
        (HEADER + "0,00,A\0,,\n", 2, "zero byte"),
        (HEADER + "0,00," + "A" * 600 + ",,\n", 2, "more than 510 bytes"),
    ]
    for text, line, message in rows:
        done, written = make(directory, "g92.csv", text)
        equal((done.returncode, written), (1, ""), text)
        contains(done.stderr, f"g92.csv:{line}: ", text)
        contains(done.stderr, message, text)
        equal(len(done.stderr.splitlines()), 1, text)


def test_names_of_files(directory):
    for name in ["g92.txt", "G92.csv", "g92-g94.csv", "_g92.csv", "g92_.csv", "averylongname.csv"]:
        done, written = make(directory, name, HEADER + "0,00,A,,\n")
        equal((done.returncode, written), (1, ""), name)
        contains(done.stderr, "expected a file name of chipsets", name)


def test_a_good_table(directory):
    done, written = make(directory, "g92_g94.csv", "# words\n" + HEADER + '0,00,"A,""B""",x,\n'
                         "0,0e-11,C,c_0f-12,note\n# words\nHUB7,ff,C,,note\n")
    equal((done.returncode, done.stderr), (0, ""))
    for part in ['{"g92", 0, 3},', '{"g94", 0, 3},', " 0, 0x00, 0x00},", " 0, 0x0e, 0x11},",
                 " 31, 0xff, 0xff},"]:
        contains(written, part)
    numbers = written.split("signal_texts[] = {")[1].split("}")[0]
    texts = bytes(int(number) for number in numbers.replace("\n", " ").split(",") if
                  number.strip()).decode()
    equal(texts.split("\0")[:-1], ["", 'A,"B"', "x", "C", "c_0f", "c_10", "c_11", "c_12", "note"])


def test_the_tables_of_the_repository_are_compiled_in():
    folder = os.path.join(SOURCE, "data", "signals")
    with open(os.path.join(folder, "meson.build"), encoding="utf-8") as file:
        listed = file.read()
    for name in os.listdir(folder):
        if name.endswith(".csv"):
            contains(listed, f"'{name}'")


if __name__ == "__main__":
    main()
