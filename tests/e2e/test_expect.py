# SPDX-License-Identifier: MIT
"""tally sim: expect, its exit codes, the Test Anything Protocol, save, several scripts."""
import os
import re
import subprocess

from e2e import SOURCE, TALLY, contains, equal, json_lines, main, need_program, succeed, tally

SCRIPTS = os.path.join(SOURCE, "data", "scripts")
DRIVERS = ["driver-hsw.oat", "driver-nv30.pct"]

HSW = "platform hsw\nwr 0x2360 0x15\n"
G92 = "chipset g92\nwr 0xa400 0x1234\n"
GPU = "platform lkf\ngpu\n"


def read(name):
    with open(os.path.join(SCRIPTS, name), encoding="ascii") as file:
        return file.read()


def parse_tap(text):
    """The tests of a TAP 13 stream as (ok, description, YAML entries); checks the whole syntax."""
    lines = text.splitlines()
    equal(lines[0], "TAP version 13")
    tests, plan, block = [], None, None
    for line in lines[1:]:
        if block is not None:
            if line == "  ...":
                block = None
                continue
            key, value = re.fullmatch(r"  (\w+): ('(?:[^']|'')*'|\d+)", line).groups()
            block[key] = value[1:-1].replace("''", "'") if value[0] == "'" else int(value)
            continue
        test = re.fullmatch(r"(not )?ok (\d+) - (.*)", line)
        planned = re.fullmatch(r"1\.\.(\d+)(?: # SKIP .*)?", line)
        if test:
            equal(int(test[2]), len(tests) + 1, line)
            description = re.sub(r"\\([\\#])", r"\1", test[3])
            assert not re.search(r"(?<!\\)#", test[3]), line
            tests.append((not test[1], description, {}))
        elif planned:
            assert plan is None, "two plans"
            plan = int(planned[1])
        elif line == "  ---":
            block = tests[-1][2]
        else:
            assert line.startswith(("# ", "Bail out! ")), line
    assert block is None, "an open YAML block"
    return tests, plan


def test_expectations_that_hold():
    rows = [
        (HSW, ["0x2360 = 0x15", "0x2360 = 21", "rd 0x2360 = 0x15", "0x2360 != 0x16",
               "0x2360 < 0x16", "0x2360 <= 0x15", "0x2360 > 0x14", "0x2360 >= 0x15",
               "0x2360 & 0xf0 = 0x10", "rd 0x2360 & 1 != 0", "peek a0 = 0", "peek a0 <= 0",
               "mem 0x1000 = 0", "mem 0x1000 = 0 0 0 0 0 0", "mem 0x1000 8 = 0 0",
               "mem 0 != 0 1", "mem 0 & 0xff < 1"]),
        (G92, ["0xa400 = 0x1234", "0xa400 & 0xff = 0x34", "peek 0 flag = 0", "peek 0 event < 1",
               "mem 0xfffffffff8 = 0 0 0 0 0"]),
        (GPU, ["outcome 0x2360 read = asleep", "outcome 0x2360 read != reached", "fault = none",
               "rc6 enter = entered", "rc6 enter != busy", "busy rcs0 = 0", "busy rcs0 = 0 ns",
               "busy rcs0 < 1", "pci 2 0 2 = 0x8086", "pci 2 0 2 & 0xff = 0x86",
               "read 0x1082c0 4 = 0", "mem 0 = 0", "mem 0 4 ggtt = 0"]),
    ]
    for setup, expectations in rows:
        for expectation in expectations:
            done = tally("sim", "-", stdin=setup + "expect " + expectation + "\n")
            equal((done.returncode, done.stdout), (0, ""), expectation + done.stderr)


def test_expectations_that_fail():
    rows = [
        (HSW, "0x2360 = 0x16", "expected 0x2360 = 0x16, got 0x00000015"),
        (HSW, "0x2360 & 0xf0 = 0x15", "expected 0x2360 & 0xf0 = 0x15, got 0x10 (of 0x00000015)"),
        (HSW, "0x2360 != 0x15 # no #2", "no #2: expected 0x2360 != 0x15, got 0x00000015"),
        (HSW, "0x2360 < 0x15", "got 0x00000015"),
        (HSW, "0x2360 <= 0x14", "got 0x00000015"),
        (HSW, "0x2360 > 0x15", "got 0x00000015"),
        (HSW, "0x2360 >= 0x16", "got 0x00000015"),
        (HSW, "peek a0 = 5", "expected peek a0 = 5, got 0x0000000000"),
        (HSW, "mem 0 = 0 1 0", "expected mem 0 = 0 1 0, got 0x00000000 0x00000000 0x00000000"),
        (HSW, "mem 0 != 0", "got 0x00000000"),
        (G92, "0xa400 = 5", "got 0x00001234"),
        (GPU, "outcome 0x2360 read = reached", "got asleep"),
        (GPU, "fault = some words", "expected fault = some words, got none"),
        (GPU, "busy rcs0 > 0", "got 0 ns"),
    ]
    for setup, expectation, message in rows:
        done = tally("sim", "-", stdin=setup + "expect " + expectation + "\nexpect " +
                     expectation.split("#")[0] + "\n")
        equal((done.returncode, done.stdout), (1, ""), expectation)
        line = setup.count("\n") + 1
        contains(done.stderr, f"tally: standard input:{line}: ", expectation)
        contains(done.stderr, f"tally: standard input:{line + 1}: ", "the script continues")
        contains(done.stderr, message, expectation)
        contains(done.stderr, "tally: standard input: 2 of 2 expectations failed\n")


def test_memory_is_read_as_little_endian_dwords():
    stored = GPU + "store ggtt 0x1000 0x11223344 0xaabbccdd\nstore 7 0x20 9\n"
    for expectation, code in [("mem 0x1000 = 0x11223344 0xaabbccdd", 0),
                              ("mem 0x1001 = 0xdd112233", 0),
                              ("mem 0x1000 & 0xff00 = 0x3300", 0),
                              ("mem 0x20 4 7 = 9", 0), ("mem 0x20 = 9", 1)]:
        equal(tally("sim", "-", stdin=stored + "expect " + expectation).returncode, code,
              expectation)


OPERATORS = "= != < <= > >="


def test_wrong_expectations_are_errors_of_the_script():
    rows = [
        (HSW, "", "no operator, expected <command> [& <mask>] " + OPERATORS + " <value>"),
        (HSW, " 0x2360", "no operator"),
        (HSW, " = 5", "no command before =, expected an address, rd, peek, mem, ..."),
        (HSW, " 0x2360 =", "no value after ="),
        (HSW, " 0x2360 == 5", "'==', expected an operator: " + OPERATORS),
        (HSW, " 0x2360 => 5", "'=>', expected an operator: " + OPERATORS),
        (HSW, " 0x2360 & = 5", "& is in the wrong place, expected <command> & <mask>"),
        (HSW, " & 5 = 5", "& is in the wrong place, expected <command> & <mask>"),
        (HSW, " 0x2360 & x = 5", "'x', expected a mask"),
        (HSW, " 0x2360 & 0 = 0", "'0', expected a mask"),
        (HSW, " 0x2360 8 = 5", "'8', expected & <mask> or an operator: " + OPERATORS),
        (HSW, " 0x2361 = 5", "rd: '0x2361', expected an address that is a multiple of 4"),
        (HSW, " pek a0 = 5", "'pek', expected peek or another command (platform, noa, "),
        (HSW, " expect 0x2360 = 5", "'expect', expected "),
        (HSW, " peek a99 = 5", "peek: 'a99', expected a value of hsw"),
        (HSW, " wr 0x2360 1 = 5", "'wr', expected a command that prints a value (rd, peek, mem, "),
        (HSW, " mem 0 0 = 5", "'0', expected the length of the expected dwords, 4"),
        (HSW, " mem 0 < 1 2", "< with 2 dwords, expected = or !="),
        (HSW, " mem 0 = 0x100000000", "'0x100000000', expected a dword"),
        (HSW, " peek a0 = x", "'x', expected a number"),
        (HSW, " peek a0 = 5 6", "'6', expected the end of the line, or the unit of 0x0000000000"),
        (G92, " peek 0 flg = 5", "peek: 'flg', expected the name of a value"),
        (G92, " pick 0 flag = 5", "'pick', expected peek or another command (chipset, sig, "),
        (GPU, " fault < none", "'none' is not a number, expected = or != without a mask"),
        (GPU, " fault & 1 = none", "'none' is not a number, expected = or != without a mask"),
        (GPU, " outcome 0x2360 read != aslep", "'aslep', expected asleep"),
        (GPU, " outcome 0x2360 read = fused", "'fused', expected fused off"),
        (GPU, " rc6 enter = enterd", "'enterd', expected entered"),
        (GPU, " busy rcs0 = 5 us", "'us', expected the end of the line, or the unit of 0 ns"),
        ("", " 0x2360 = 1", "rd before chipset"),
    ]
    for setup, rest, message in rows:
        line = setup.count("\n") + 1
        for arguments in [("sim", "-"), ("sim", "--tap", "-")]:
            done = tally(*arguments, stdin=setup + "expect" + rest + "\nexpect 0x2360 = 5\n")
            equal(done.returncode, 3, rest)
            contains(done.stderr, f"standard input:{line}: ", rest)
            contains(done.stderr, message, rest)
        equal(done.stdout.splitlines()[-1],
              "Bail out! " + done.stderr.splitlines()[0].removeprefix("tally: "), rest)


def test_the_worst_exit_code_wins():
    done = tally("sim", "-", stdin=HSW + "expect 0x2360 = 1\noops\n")
    equal(done.returncode, 3)
    contains(done.stderr, "1 of 1 expectations failed")


def test_expect_prints_nothing_between_values():
    out = succeed("sim", "-", stdin=HSW + "rd 0x2360\nexpect 0x2360 = 0x15\nrd 0x2360\n")
    equal(out, "rd 0x002360 = 0x00000015\n" * 2)


MIXED = HSW + """expect 0x2360 = 0x15  # a driver's mode # 1
rd 0x2360
expect 0x2360 & 0xf = 6\t# it's\x01\\ wrong
expect mem 0 = 0 0
"""


def test_tap():
    done = tally("sim", "--tap", "-", stdin=MIXED)
    equal((done.returncode, done.stderr), (1, ""))
    contains(done.stdout, "\n# rd 0x002360 = 0x00000015\n")
    tests, plan = parse_tap(done.stdout)
    equal(plan, 3)
    equal(tests, [(True, "a driver's mode # 1", {}),
                  (False, "it's \\ wrong",
                   {"command": "0x2360 & 0xf", "expected": "= 6", "got": "0x5 (of 0x00000015)",
                    "file": "standard input", "line": 5}),
                  (True, "mem 0 = 0 0", {})])
    equal(tally("sim", "--tap", "-", stdin="").stdout.splitlines()[-1],
          "1..0 # SKIP no expect command")


def test_tap_is_accepted_by_prove(directory):
    need_program("prove")
    path = os.path.join(directory, "mixed.oat")
    with open(path, "w", encoding="ascii") as file:
        file.write(MIXED)
    def prove(*names):
        return subprocess.run(["prove", "-v", "--exec", TALLY + " sim --tap", *names],
                              capture_output=True, text=True, timeout=100)
    done = prove(path)
    equal(done.returncode, 1, done.stdout)
    contains(done.stdout, "Failed 1/3 subtests")
    contains(done.stdout, "Failed test:  2")
    assert "Parse errors" not in done.stdout, done.stdout
    done = prove(*(os.path.join(SCRIPTS, name) for name in DRIVERS))
    equal(done.returncode, 0, done.stdout + done.stderr)
    with open(path, "a", encoding="ascii") as file:
        file.write("oops\n")
    contains(prove(path).stderr, f"Further testing stopped: {path}:7: 'oops'")


def test_scripts_that_test_drivers():
    for name in DRIVERS:
        done = subprocess.run([TALLY, "sim", "--tap", "data/scripts/" + name], cwd=SOURCE,
                              capture_output=True, text=True, timeout=100)
        equal((done.returncode, done.stderr), (0, ""), name)
        equal(done.stdout, read(name + ".tap"), name)
        tests, plan = parse_tap(done.stdout)
        equal((plan, all(ok for ok, _, _ in tests)), (len(tests), True))
        assert plan > 8, name
        equal(succeed("sim", os.path.join(SCRIPTS, name)), read(name + ".out"), name)


def test_a_driver_that_forgets_a_step_fails():
    """Without one of its writes, the driver's sequence no longer does what is expected of it."""
    for name in DRIVERS:
        lines = read(name).splitlines(True)
        writes = [i for i, line in enumerate(lines) if line.startswith("wr ")]
        assert len(writes) > 4, name
        for i in writes:
            done = tally("sim", "-", stdin="".join(lines[:i] + lines[i + 1:]))
            equal(done.returncode, 1, f"{name} without {lines[i]}")


def test_several_scripts(directory):
    paths = []
    for number, text in enumerate([HSW + "expect 0x2360 = 1\nrd 0x2360\n", G92 + "rd 0xa400\n",
                                   G92 + "expect 0xa400 = 0x1234\noops\n", G92 + "rd 0xa400\n"]):
        paths.append(os.path.join(directory, f"{number}.script"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write(text)
    done = tally("sim", paths[0], paths[1])
    equal((done.returncode, done.stdout),
          (1, "rd 0x002360 = 0x00000015\nrd 0x00a400 = 0x00001234\n"))
    contains(done.stderr, paths[0] + ":3: expected 0x2360 = 1")
    done = tally("sim", *paths)
    equal((done.returncode, done.stdout.count("\n")), (3, 2), "a wrong script ends the run")
    done = tally("sim", "--tap", *paths)
    tests, plan = parse_tap(done.stdout)
    equal((done.returncode, len(tests), plan), (3, 2, None))
    for path in paths[:3]:
        contains(done.stdout, f"# {path}\n")
    equal(done.stdout.splitlines()[-1].startswith("Bail out! " + paths[2]), True)
    done = tally("sim", "--vcd", os.path.join(directory, "x.vcd"), paths[0], paths[1])
    equal(done.returncode, 2)
    contains(done.stderr, "sim: --vcd with 2 scripts, expected one")
    done = tally("sim", "--tap", paths[1], "/nonexistent.oat")
    equal(done.returncode, 2)
    contains(done.stdout, "Bail out! /nonexistent.oat: No such file or directory")


SNB_REPORT = """timestamp 1
a 0 const 1
a 21 const 1
wr 0x2368 0x80000
wr 0x23b0 0x80000
wr 0x2364 0x80000
linetime 20
"""
OPTIONS = [
    # a report is requested at clock 8; its lines are written at 28 and 48
    ("snb", "incoherent", SNB_REPORT + "wr 0x2360 0x25\nrun 60\n",
     ["mem 0x8001c = 9", "mem 0x8007c = 9"], ["mem 0x8001c = 28", "mem 0x8007c = 48"]),
    ("hsw", "start-holds-a", "a 0 const 1\nnoa 0 once 00000100\nwr 0x2360 1\nrun 10\n",
     ["peek a0 = 10"], ["peek a0 = 5"]),
    ("hsw", "start-halves", "noa 0-7 const 1\nwr 0x2714 0x800000\nwr 0x2720 31\n"
     "wr 0x2724 0x800000\nwr 0x2360 1\nrun 10\n",
     ["peek b3 = 10", "peek b4 = 10"], ["peek b3 = 10", "peek b4 = 0"]),
    ("skl", "no-eu-events", "reset\n", ["0xe458 = 0"], ["0xe458 = 0xffffffff"]),
]


def test_options_of_the_unit():
    """Each option changes what it says, alone and in a whole GPU, and can be switched off again."""
    for platform, name, commands, off, on in OPTIONS:
        for gpu in ["", "gpu awake\n"]:
            text = commands.replace("reset\n", "reset gt\n") if gpu else commands
            if gpu:
                text = text.replace("timestamp 1\n", "")
                gpu = "gpu awake clock 12500000 timestamp 12500000\n"
            before = f"platform {platform}\n{gpu}"
            setup, rest = (text.split("\n", 1) if text.startswith("timestamp") else ("", text))
            for switches, expectations in [([], off), (["on"], on), (["on", "off"], off)]:
                lines = "".join(f"option {name} {switch}\n" for switch in switches)
                done = tally("sim", "-", stdin=before + setup + "\n" + lines + rest +
                             "".join(f"expect {line}\n" for line in expectations))
                equal(done.returncode, 0, f"{platform} {gpu}{name} {switches}: {done.stderr}")


def test_wrong_options():
    rows = [("hsw", "incoherent on", "'incoherent', expected an option of hsw"),
            ("ivb", "start-halves on", "'start-halves', expected an option of ivb"),
            ("hsw", "no-eu-events on", "'no-eu-events', expected an option of hsw"),
            ("snb", "incohrent on", "'incohrent', expected incoherent (see tally list options)"),
            ("snb", "incoherent yes", "'yes', expected on or off"),
            ("snb", "incoherent", "option takes: option <name> on|off")]
    for platform, line, message in rows:
        done = tally("sim", "-", stdin=f"platform {platform}\noption {line}\n")
        equal((done.returncode, done.stdout), (3, ""), line)
        contains(done.stderr, message, line)


def test_options_are_listed_and_explained():
    rows = json_lines(succeed("list", "options", "-f", "jsonl"))
    equal([row["name"] for row in rows],
          ["start-holds-a", "start-halves", "no-eu-events", "incoherent"])
    for row in rows:
        for platform in ["snb", "ivb", "hsw", "skl", "tgl"]:
            done = tally("sim", "-", stdin=f"platform {platform}\noption {row['name']} on\n")
            has = platform in row["platforms"].split()
            equal(done.returncode, 0 if has else 3, f"{platform} {row['name']}")
            done = tally("explain", f"{platform}:{row['name']}")
            equal(done.returncode, 0 if has else 2, f"{platform} {row['name']}")
            if has:
                contains(done.stdout, row["meaning"])
                contains(done.stdout, row["reason"])
    equal(len(json_lines(succeed("list", "options", "--platform", "ivb", "-f", "jsonl"))), 1)


def test_save(directory):
    path = os.path.join(directory, "memory.bin")
    stored = GPU + "store ggtt 0x1000 0x11223344 0xaabbccdd\nstore 7 0x20 9\n"
    for line, expected in [(f"save 0x1000 8 {path}", "44332211ddccbbaa"),
                           (f"save 0xffe 4 ggtt {path}", "00004433"),
                           (f"save 0x20 5 7 {path}", "0900000000"),
                           (f"save 0xfffffffffffffffc 8 {path}", "0000000000000000"),
                           (f"save 0x1000 0 {path}", "")]:
        done = tally("sim", "-", stdin=stored + line + "\n")
        equal((done.returncode, done.stdout), (0, ""), line + done.stderr)
        with open(path, "rb") as file:
            equal(file.read().hex(), expected, line)
    with open(path, "wb") as file:
        file.write(b"old")
    for text in [stored, HSW, G92]:
        done = tally("sim", "-", stdin=text + f"save 0x100000 5000 {path}\n")
        equal(done.stderr, f"tally: standard input:{text.count(chr(10)) + 1}: save: replaces {path}\n")
        with open(path, "rb") as file:
            equal(file.read(), bytes(5000))
    equal(tally("sim", "-", stdin=HSW + "save 0 5 /dev/null\n").stderr, "")


def test_wrong_saves():
    for text, message in [(HSW + "save 0 5 /nonexistent/file\n",
                           "save: /nonexistent/file: No such file or directory"),
                          (HSW + "save 0 0x100000000 /dev/null\n", "'0x100000000', expected a length"),
                          (HSW + "save 0 5\n", "save takes: save <addr> <len> <file>"),
                          (GPU + "save 0 5\n", "save takes: save <addr> <len> [<space>] <file>"),
                          (GPU + "save 0 5 3 /dev/null\n", "a space in which something is stored"),
                          (HSW + "save 0 5 /dev/full\n", "save: /dev/full: No space left")]:
        done = tally("sim", "-", stdin=text)
        equal((done.returncode, done.stdout), (3, ""), text)
        contains(done.stderr, f"standard input:{text.count(chr(10))}: ", text)
        contains(done.stderr, message, text)


def test_a_report_that_was_saved_is_decoded(directory):
    path = os.path.join(directory, "buffer.bin")
    with open(os.path.join(SCRIPTS, "driver-hsw.oat"), encoding="ascii") as file:
        text = file.read().replace("# Read:", f"save 0x1000000 0x200 {path}\n#")
    equal(tally("sim", "-", stdin=text).returncode, 0)
    out = succeed("decode", "--layout", "hsw/a45_b8_c8", "-f", "csv", path)
    rows = out.splitlines()
    equal(len(rows), 3, out)
    contains(rows[1], ",32,")
    contains(rows[2], ",96,")


if __name__ == "__main__":
    main()
