# SPDX-License-Identifier: MIT
"""tally sim; explain and list of registers, dumps, record buffers."""
import os
import re
import subprocess

from e2e import SOURCE, TALLY, contains, equal, json_lines, main, succeed, tally

SCRIPTS = os.path.join(SOURCE, "data", "scripts")
PCOUNTER = [name + ".pct" for name in
            ["single", "quad", "record", "domains", "flag", "periodic", "gf100-quad",
             "gf100-single"]]
OA = [name + ".oat" for name in ["timer", "events", "context", "eus", "trigger", "overflow",
                                 "interrupts", "ratios", "overrun", "oar", "gpu-wake",
                                 "gpu-execlists", "gpu-engines", "gpu-rc6", "gpu-interrupts", "gpu-workload",
                                 "gpu-draw", "gpu-preempt", "sku-ivb-gt1", "sku-ivb-gt2",
                                 "sku-hsw-gt3", "fuses-skl", "fuses-hsw", "fuses-steering",
                                 "fuses-tgl", "gpu-wells-skl", "gpu-wells-vlv", "gpu-wells-chv",
                                 "gpu-gating-ivb", "gpu-gating-hsw"]]


def script(name):
    return os.path.join(SCRIPTS, name)


def expected(name):
    with open(os.path.join(SCRIPTS, name + ".out"), encoding="ascii") as file:
        return file.read()


def test_examples_from_file_and_pipe():
    for name in PCOUNTER + OA:
        equal(succeed("sim", script(name)), expected(name), name)
        with open(script(name), encoding="ascii") as file:
            equal(succeed("sim", "-", stdin=file.read()), expected(name), name)


def test_a_file_of_costs_replaces_numbers(directory):
    path = os.path.join(directory, "costs.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("name: mine\ndescription: half of the pixels\nnumbers:\n"
                   "  - {number: coverage, value: 50, source: assumed}\n")
    out = succeed("sim", "--cost", path, script("gpu-draw.oat"))
    contains(out, "peek a21 = 0x0000000100")  # 2x2 blocks of half of 64 x 32 pixels
    contains(out, "rd 0x002310 = 0x0000012c")  # the vertices are the same
    done = tally("sim", "--cost", path, script("timer.oat"))
    equal(done.returncode, 0)
    contains(done.stderr, "--cost has no effect: the script has no gpu command")
    for name, code, message in [(path, 3, f'{path}:4: unknown number "cov"'),
                                ("nothing.yaml", 2, "cannot open nothing.yaml")]:
        with open(path, "w", encoding="utf-8") as file:
            file.write("name: mine\ndescription: none\nnumbers:\n"
                       "  - {number: cov, value: 50, source: assumed}\n")
        done = tally("sim", "--cost", name, script("gpu-draw.oat"))
        equal(done.returncode, 3, name)
        contains(done.stderr, message)
        done = tally("emulate", "--cost", name, "--", "true")
        equal(done.returncode, code, name)
        contains(done.stderr, message)


# Examples of docs/reference that cannot run yet, by number.
NOT_BUILT = {"pct": [], "oat": []}


def test_examples_of_the_testbench_texts():
    for name, language, count in [("pcounter-testbench.md", "pct", 8), ("oa-testbench.md", "oat", 9)]:
        with open(os.path.join(SOURCE, "docs", "reference", name), encoding="utf-8") as file:
            parts = re.split(r"^### .*Example \d+:(.*)$", file.read(), flags=re.M)
        examples = list(zip(parts[1::2], parts[2::2]))
        equal(len(examples), count, name)
        for number, (title, body) in enumerate(examples, 1):
            (text, output), = re.findall(r"```" + language + r"\n(.*?)```\s*```out\n(.*?)```", body,
                                         re.S)
            what, waits = f"{name}, example {number}", number in NOT_BUILT[language]
            equal("(not built yet)" in title, waits, what + " says that it is not built yet")
            done = tally("sim", "-", stdin=text)
            if waits:
                assert (done.returncode, done.stdout) != (0, output), \
                    f"{what} passes now: take it out of NOT_BUILT, and its mark out of the text"
            else:
                equal((done.returncode, done.stdout), (0, output), what)


def test_a_mistake_names_its_line():
    rows = [
        ("rd 0xa400\n", 1, "rd before chipset"),
        ("chipset nv99\n", 1, "'nv99', expected a chipset"),
        ("chipset nv11\n", 1, "NV11 has no PCOUNTER"),
        ("chipset nv10\ndomains 2\n", 2, "domains: '2', expected a number of domains, 1 to 1"),
        ("chipset g92\n\n# words\nrun x\n", 4, "'x', expected a number of ticks"),
        ("chipset g92\nwr 0xa402 1\n", 2, "a multiple of 4"),
        ("chipset g92\nwr 0xa400 0x100000000\n", 2, "a 32-bit value"),
        ("chipset g92\nsig 0 300 const 1\n", 2, "a signal, 0 to 255"),
        ("chipset g92\nsig 0 1 pattern 01x\n", 2, "'x' at bit 2"),
        ("chipset g92\nsig 0 1 every 4 4\n", 2, "a phase below the period"),
        ("chipset g92\nsig 0 NO.SUCH const 1\n", 2, "a name of g92's domain 0"),
        ("chipset nv40\npeek 0 rec0\n", 2, "a value that nv40 has"),
        ("chipset g92\npoke 0 flag 1\n", 2, "can only be peeked at"),
        ("chipset g92\nrun 1\nclock 0 2\n", 3, "a setup command, expected before all others"),
        ("chipset g92\npick 1\n", 2, "'pick', expected peek or another command"),
        ("chipset g92\nrun\n", 2, "run takes: run <n>"),
        ("chipset g92\nsig 0 1 vcd /nonexistent a\n", 2, "/nonexistent"),
    ]
    for text, line, message in rows:
        done = tally("sim", "-", stdin=text)
        equal((done.returncode, done.stdout), (3, ""), text)
        contains(done.stderr, f"standard input:{line}: ", text)
        contains(done.stderr, message, text)


def test_a_mistake_in_an_oat_script_names_its_line():
    rows = [
        ("platform dg2\n", 1, 'platform "dg2" has no OA model'),
        ("platform hsw\neus 4\n", 2, "eus is not available on hsw"),
        ("platform chv\na 7 const 1\n", 2, "no flexible counter"),
        ("platform chv\neu 0 fpu0 const 1\n", 2, "but the platform has none"),
        ("platform chv\neus 1\neu 0 fpu2 const 1\n", 3, "fpu0, fpu1, send, threads, ff or kind"),
        ("platform chv\neus 1\neu 0 threads const 9\n", 3, "a value, 0 to 8"),
        ("platform skl\nfreq 512 0\n", 2, "a ratio, 0 to 511"),
        ("platform hsw\ncsource 0 tap\n", 2, "a counter that has a tap"),
        ("platform snb\nnoa 16 const 1\n", 2, "a NOA bit, 0 to 15"),
        ("platform snb\na 0 seq 1,2,x\n", 2, "'x', expected a value"),
        ("platform snb\nnoa 0 vcd /nonexistent a\n", 2, "/nonexistent"),
        ("platform snb\npeek free4\n", 2, "a value of snb"),
        ("platform lkf\nirq 5 0 1\n", 2, "an engine's class and instance"),
        ("platform lkf\nrun 1\ntimestamp 2\n", 3, "timestamp is a setup command"),
        ("platform lkf\nrun 1\ngpu\n", 3, "gpu is a setup command"),
        ("platform lkf\ngpu\ngpu\n", 3, "gpu given twice"),
        ("platform lkf\ngpu speed 3\n", 2, "'speed', expected awake, nofirmware, eus, clock, timestamp"),
        ("platform lkf\ngpu wake\n", 2, "wake without its value"),
        ("platform lkf\ngpu eus 12\n", 2, "lkf/gt2 with 12 EUs, expected a multiple of 8"),
        ("platform lkf\ngpu\neus 8\n", 3, "parameters of gpu"),
        ("platform lkf\ngpu\nworkload nothing\n", 3, 'unknown workload "nothing", expected '),
        ("platform lkf\ngpu\nwr 0x2b01 1\n", 3, "a multiple of 4"),
        ("platform lkf\ngpu\nread 0x2b00 3\n", 3, "2, 4 or 8 bytes"),
        ("platform lkf\ngpu\noutcome 0x2b00 look\n", 3, "read or write"),
        ("platform lkf\ngpu\nstore 1 0 x\n", 3, "'x', expected a 32-bit value"),
        ("platform lkf\ngpu\nmem 0 4 9\n", 3, "a space in which something is stored"),
        ("platform lkf\ngpu\nsubmit 1 ggtt 0 please\n", 3,
         "'please', expected an engine of the GPU: rcs0, bcs0, vcs0, vcs2, vecs0"),
        ("platform snb\ngpu\nsubmit 1 ggtt 0 privileged vecs0\n", 3,
         "'vecs0', expected an engine of the GPU: rcs0, bcs0, vcs0"),
        ("platform lkf\ngpu\nsubmit 1 ggtt 0 rcs0 bcs0\n", 3, "'rcs0', expected privileged"),
        ("platform lkf\ngpu\nbusy all\n", 3, "'all', expected an engine of the GPU"),
        ("platform lkf\ngpu\nreset gt bcs0\n", 3, "engine [NAME], gt or chip"),
        ("platform lkf\ngpu\nreset engine bcs1\n", 3, "'bcs1', expected an engine of the GPU"),
        ("platform lkf\ngpu\nfunction 8 rd 0x190010\n", 3, "a function, 1 to 7"),
        ("platform lkf\ngpu\nguc go 0x190010\n", 3, "rd <addr>, or wr <addr> <value>"),
        ("platform lkf\ngpu\nirq 5 0 1\n", 3, "an engine's class and instance"),
        ("platform lkf\ngpu\nlevel 4 1\n", 3, "30 (PCU), 29 (GU_MISC) or 16 (display)"),
        ("platform lkf\ngpu\nmchbar 0x148000 4 1\n", 3, "0x140000 to 0x147fff"),
        ("platform lkf\ngpu\nrc6 sleep\n", 3, "enter or exit"),
        ("platform lkf\ngpu\nreset all\n", 3, "engine [NAME], gt or chip"),
        ("platform lkf\ngpu\nbatch medium 0 0\n", 3, "render, media or context"),
        ("platform lkf\ngpu\npeek blind.x\n", 3, "a value of the GPU"),
        ("platform hsw\ngpu\nmchbar 0x145000 4 1\n", 3, "mchbar is not available on hsw"),
        ("platform lkf\ngpu\npci 32 0 4\n", 3, "a device, 0 to 31"),
        ("platform lkf\ngpu\npci 2.8 0 4\n", 3, "a function, 0 to 7"),
        ("platform lkf\ngpu\npci 2. 0 4\n", 3, "a function"),
        ("platform lkf\ngpu\npci 2 0x1000 4\n", 3, "an offset"),
        ("platform lkf\ngpu\npci 2 0 3\n", 3, "'3', expected 1, 2 or 4 bytes"),
        ("platform lkf\ngpu\npci 2 2 4\n", 3, "a multiple of the 4 bytes"),
        ("platform lkf\ngpu\nphys look 0 4\n", 3, "'look', expected read or write"),
        ("platform lkf\ngpu\nphys read 0 4 5\n", 3, "read with an address and bytes"),
        ("platform lkf\ngpu\nphys write 0 4\n", 3, "write with an address, bytes and a value"),
        ("platform lkf\ngpu\nphys read 0 6\n", 3, "1, 2, 4 or 8 bytes"),
        ("platform lkf\ngpu\nphys write 0 2 0x10000\n", 3, "a value of these bytes"),
        ("platform lkf\ngpu\nio read 0x10000 4\n", 3, "a port"),
        ("platform lkf\ngpu\nio read 0x4000 8\n", 3, "1, 2 or 4 bytes"),
        ("platform lkf\ngpu\nio write 0x4001 4 0\n", 3, "a multiple of the 4 bytes"),
    ]
    for text, line, message in rows:
        done = tally("sim", "-", stdin=text)
        equal((done.returncode, done.stdout), (3, ""), text)
        contains(done.stderr, f"standard input:{line}: ", text)
        contains(done.stderr, message, text)


def test_printed_lines_remain():
    done = tally("sim", "-", stdin="chipset g92\nrd 0xa7c0\noops\nrd 0xa7c0\n")
    equal((done.returncode, done.stdout), (3, "rd 0x00a7c0 = 0x00000000\n"))


def test_empty_scripts():
    equal(succeed("sim", "-", stdin=""), "")
    equal(succeed("sim", "-", stdin="chipset g92"), "")
    equal(succeed("sim", os.devnull), "")
    equal(tally("sim", "/nonexistent.pct").returncode, 2)


def test_a_dialogue_is_answered_at_once():
    with subprocess.Popen([TALLY, "sim", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as child:
        child.stdin.write("chipset g92\nrun 5\nrd 0xa7c0\n")
        child.stdin.flush()
        equal(child.stdout.readline(), "rd 0x00a7c0 = 0x00000000\n")
        child.stdin.write("peek 0 cycles\n")
        child.stdin.close()
        equal(child.stdout.readline(), "peek 0 cycles = 0x000000000000\n")


def test_long_runs_without_edges_are_quick():
    text = "chipset g92\ndomains 8\n" + "".join(
        f"clock {domain} 4294967295\n" for domain in range(8)) + "run 1000000000000\nrd 0xa600\n"
    equal(succeed("sim", "-", stdin=text), "rd 0x00a600 = 0x00000000\n")


def test_a_dump_drives_its_own_script(directory):
    """FLAG of one run, through its dump, is a signal of the next: the same clocks are 1."""
    dump = os.path.join(directory, "flag.vcd")
    equal(succeed("sim", "--vcd", dump, script("flag.pct")), expected("flag.pct"))
    text = (f"chipset g92\nsig 0 9 vcd {dump} dom0.flag\nwr 0xa400 9\nwr 0xa420 0xaaaa\n"
            "wr 0xa7c0 1\nrun 8\npeek 0 sh_pre\n")
    # SETFLAG at clock 1, CLRFLAG at clock 5: FLAG is 1 after the clocks 1 to 4.
    equal(succeed("sim", "-", stdin=text), "peek 0 sh_pre = 0x000000000004\n")
    with open(dump, "a", encoding="ascii") as file:
        file.write("#7\nb2 !\n")
    done = tally("sim", "-", stdin=text)
    equal((done.returncode, done.stdout), (3, ""), "a dump that is torn")
    contains(done.stderr, "standard input:2: sig: " + dump)


def test_dumps_do_not_change_what_is_printed(directory):
    for name in PCOUNTER + OA:
        dump = os.path.join(directory, name + ".vcd")
        equal(succeed("sim", "--vcd", dump, script(name)), expected(name), name)
        with open(dump, encoding="ascii") as file:
            contains(file.read(), "$enddefinitions", name)


def test_a_full_disk_is_reported():
    for name in ["quad.pct", "eus.oat"]:
        done = tally("sim", "--vcd", "/dev/full", script(name))
        equal((done.returncode, done.stdout), (1, expected(name)), name)
        contains(done.stderr, "No space left", name)


ACCESSES = """platform skl
gpu awake
wr 0x2b00 0xf5
rd 0x2b00
rd 0x23000
wr 0x2358 1
rd 0x2230
store ggtt 0x1000 0x11000001 0x2600 5 0x05000000
submit 1 ggtt 0x1000
run 1000
wr 0x2780 0x12
"""
ACCESS_LINES = """\
           0  cpu  wr  0x002b00  OACONTROL             0x000000f5  ENABLE=1 COUNTER_SELECT=5\
  ! reserved bits 0x000000e0
           0  cpu  rd  0x002b00  OACONTROL             0x00000015  ENABLE=1 COUNTER_SELECT=5
           0  cpu  rd  0x023000  -                     0x00000000  ! unknown register
           0  cpu  wr  0x002358  TIMESTAMP             0x00000001  ! read-only
           0  cpu  rd  0x002230  ELSP                  0x00000000  ! write-only
"""
ACCESS_WARNING = ("tally: standard input: register accesses: 1 unknown register, 1 read-only, "
                  "1 write-only, 1 reserved bits; see --trace mmio\n")


def test_register_accesses_are_traced(directory):
    printed = "rd 0x002b00 = 0x00000015\nrd 0x023000 = 0x00000000\nrd 0x002230 = 0x00000000\n"
    path = os.path.join(directory, "trace.txt")
    done = tally("sim", "--trace", "mmio", "-", stdin=ACCESSES)
    equal((done.returncode, done.stdout), (0, printed))
    lines = done.stderr.removesuffix(ACCESS_WARNING)
    equal(lines + ACCESS_WARNING, done.stderr)
    equal(lines[:len(ACCESS_LINES)], ACCESS_LINES)
    commands = [line.split() for line in lines[len(ACCESS_LINES):].splitlines()]
    equal(commands[0][1:], ["cs", "wr", "0x002600", "CS_GPR[0][0]", "0x00000005"])
    equal(commands[1], ["1000", "cpu", "wr", "0x002780", "CEC_0[2]", "0x00000012", "FUNCTION=2",
                        "(equal)", "VALUE=0x2"])
    equal(len(commands), 2)
    done = tally("sim", "--trace", "mmio=" + path, "-", stdin=ACCESSES)
    equal((done.returncode, done.stdout, done.stderr), (0, printed, ACCESS_WARNING))
    with open(path, encoding="ascii") as file:
        equal(file.read(), lines)
    equal(tally("sim", "-", stdin=ACCESSES).stderr, ACCESS_WARNING)


def test_an_oa_unit_alone_is_traced():
    done = tally("sim", "--trace", "mmio", "-",
                 stdin="platform lkf\nwr 0x9840 1\nrun 5\nrd 0x190010\nrd 0x2b08\n")
    equal(done.stderr, """\
           0  cpu  wr  0x009840  GDT_CHICKEN_BITS      0x00000001  OTHER=0x1  ! unknown register
           5  cpu  rd  0x190010  GFX_MSTR_INTR         0x00000000
           5  cpu  rd  0x002b08  OASTATUS              0x00000000
tally: standard input: register accesses: 1 unknown register; see --trace mmio
""")


def test_traces_do_not_change_what_is_printed(directory):
    for name in PCOUNTER + OA:
        trace = "mmio=" + os.path.join(directory, name + ".txt")
        equal(succeed("sim", "--trace", trace, script(name)), expected(name), name)


def test_trace_options():
    for what in ["pio", "mmio=", "mmiox"]:
        done = tally("sim", "--trace", what, "-", stdin="")
        equal((done.returncode, done.stdout), (2, ""))
        contains(done.stderr, f"sim: --trace {what}, expected mmio or mmio=FILE")
    done = tally("sim", "--trace", "mmio=/nonexistent/file", "-", stdin="")
    equal((done.returncode, done.stderr),
          (2, "tally: /nonexistent/file: No such file or directory\n"))
    done = tally("sim", "--trace", "mmio=/dev/full", "-", stdin="platform hsw\nrd 0x2360\n")
    equal((done.returncode, done.stdout), (1, "rd 0x002360 = 0x00000000\n"))
    contains(done.stderr, "/dev/full: the trace could not be written")


def dumped(path):
    """Returns the values of a dump's variables at each clock; scopes give their names."""
    scopes, names, now, clocks = [], {}, {}, []
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var":
                names[words[3]] = ".".join(scopes + [words[4]])
            elif words[0][0] == "#":
                clocks += [dict(now) for _ in range(int(words[0][1:]) - len(clocks))]
            elif words[0][0] in "01b":
                value, code = words if words[0][0] == "b" else (line[0], line[1:].strip())
                now[names[code]] = int(value.lstrip("b"), 2)
    return clocks


def test_a_dump_of_an_oa_unit_matches_peek(directory):
    """At each clock the dump has the values that a script reads if it stops there."""
    dump = os.path.join(directory, "unit.vcd")
    setup = ("platform skl\ntimestamp 3\neus 2\nnoa 0-15 prng 1 90\na 0-6 uni 5 9\n"
             "a 21-35 times 3 prng 2 50\neu 0 threads uni 1 8\n"
             "eu 1 fpu0 every 2 1\nlinetime 2\nwr 0x2770 0xa\nwr 0x2774 0xfffe\nwr 0xe458 0x00008000\n"
             "wr 0x2b14 0x1000038\nwr 0x2b10 0x1000000\n"
             "wr 0x2714 0x10800000\nwr 0x2740 3\nwr 0x2744 0x80c00000\nwr 0x2360 1\n"
             "wr 0x2b00 0x15\n")
    names = (["timestamp", "ticks", "started", "evq", "inflight", "used", "wrap", "overrun",
              "start1", "report2", "a0", "a7", "a20", "a35", "b0", "b7", "c0", "c7", "free4"])
    peeks = "".join(f"peek {name}\n" for name in names) + "peek occ0\n"
    told = succeed("sim", "-", stdin=setup + 60 * ("run 1\n" + peeks)).splitlines()
    equal(succeed("sim", "--vcd", dump, "-", stdin=setup + "run 20\nrun 40\n"), "")
    clocks = dumped(dump)
    equal(len(clocks), 60)
    moved = set()
    for clock, values in enumerate(clocks):
        of_clock = told[(len(names) + 1) * clock:][:len(names) + 1]
        for name, line in zip(names + ["eu0.occ"], of_clock):
            equal(values["oa." + name], int(line.split()[-1], 16), f"{name}, clock {clock}")
            if values["oa." + name] != clocks[0]["oa." + name]:
                moved.add(name)
    for name in ["timestamp", "ticks", "evq", "inflight", "used", "a0", "a35", "c0", "eu0.occ"]:
        equal(name in moved, True, name)
    # Inputs: the sum of an A counter's inputs is the counter.
    equal(sum(values["oa.a3_in"] for values in clocks), clocks[-1]["oa.a3"])
    equal(sum(values["oa.noa"] >> 9 & 1 for values in clocks), clocks[-1]["oa.c1"])
    equal([values["oa.eu1.fpu0"] for values in clocks], 30 * [0, 1])


def test_a_dump_drives_an_oa_unit(directory):
    """Bits of one run's dump drive each kind of input of the next."""
    dump = os.path.join(directory, "noa.vcd")
    setup = "wr 0x2714 0x00800000\nwr 0x2360 1\nwr 0x2b00 1\nrun 500\npeek c1\n"
    first = succeed("sim", "--vcd", dump, "-",
                    stdin="platform chv\nnoa 9 prng 3 77\n" + setup)
    ones = int(first.split()[-1], 16)
    second = succeed("sim", "-", stdin=(
        f"platform chv\neus 1\nnoa 9 vcd {dump} oa.noa[9]\na 5 vcd {dump} noa[9] 1\n"
        f"a 6 times 7 vcd {dump} noa[9]\na 30 vcd {dump} noa[9] 2\neu 0 send vcd {dump} noa[9]\n"
        "wr 0xe458 0x00000002\n" + setup + "peek a5\npeek a6\npeek a7\npeek a30\n"))
    equal([int(line.split()[-1], 16) for line in second.splitlines()[:4]],
          [ones, ones, 7 * ones, ones])
    equal(int(second.split()[-1], 16), sum(values["oa.noa"] >> 9 & 1 for values in dumped(dump)[::2]))
    done = tally("sim", "-", stdin=f"platform chv\na 5 vcd {dump} oa.noa\n")
    equal((done.returncode, done.stdout), (3, ""))
    contains(done.stderr, "standard input:2: a: ")


def test_a_dump_of_a_gpu_continues_in_rc6(directory):
    dump = os.path.join(directory, "gpu.vcd")
    text = ("platform lkf\ngpu blind 100 rc6 500\na 0 const 1\nwr 0xa188 0x00010001\n"
            "wr 0xa278 0x00010001\nwr 0x2360 1\nwr 0x2b00 1\nrunns 1000\nwr 0xa188 0x00010000\n"
            "wr 0xa278 0x00010000\nrun 499\npeek rc6\nrun 400\npeek rc6\npeek a0\npeek now\n")
    told = succeed("sim", "-", stdin=text)
    awake, asleep, counted, now = (int(line.split()[-1], 16) for line in told.splitlines())
    equal((awake, asleep, now - counted), (0, 1, 299))
    equal(succeed("sim", "--vcd", dump, "-", stdin=text), told)
    clocks = dumped(dump)
    equal([values["oa.a0_in"] for values in clocks], now * [1])
    equal([values["oa.a0"] for values in clocks],
          list(range(1, counted + 1)) + (now - counted) * [counted])


def test_a_trace_of_pcounter_registers():
    """Each access gives a line on standard error; the script's output does not change."""
    text = ("chipset g84\ndomains 2\nwr 0xa7c4 0xc0000001\nwr 0xa49c 1\nrun 10\n"
            "rd 0xa7c4\nwr 0xa604 5\n")
    done = tally("sim", "--trace", "mmio", "-", stdin=text)
    equal((done.returncode, done.stdout), (0, tally("sim", "-", stdin=text).stdout), "printed")
    *lines, warning = done.stderr.splitlines()
    equal(warning, "tally: standard input: register accesses: 1 unknown register, 1 read-only, "
                   "1 reserved bits; see --trace mmio", "the warning")
    equal([line.split(None, 6) for line in lines], [
        ["0", "cpu", "wr", "0x00a7c4", "CTRL[1]", "0xc0000001",
         "MODE=1 (QUAD)  ! reserved bits 0xc0000000"],
        ["0", "cpu", "wr", "0x00a49c", "-", "0x00000001", "! unknown register"],
        ["10", "cpu", "rd", "0x00a7c4", "CTRL[1]", "0x00000001", "MODE=1 (QUAD)"],
        ["10", "cpu", "wr", "0x00a604", "CTR_CYCLES[1]", "0x00000005", "! read-only"],
    ], "the trace")


def test_accesses_in_reset_are_counted():
    """PMC.ENABLE holds the engine of GF104 in reset: the warning counts what the trace marks."""
    text = "chipset gf104\nwr 0x200 0\nrd 0x180000\nwr 0x180000 1\nwr 0x200 0x10000000\n"
    done = tally("sim", "--trace", "mmio", "-", stdin=text)
    equal(done.returncode, 0, done.stderr)
    *lines, warning = done.stderr.splitlines()
    equal([line.endswith("! disabled") for line in lines], [False, True, True, False], done.stderr)
    contains(warning, "register accesses: 2 disabled; see", done.stderr)


def test_a_stopped_streamer_is_reported():
    text = "platform hsw\ngpu awake\nstore ggtt 0x1000 0 0x1f800000\nsubmit 1 ggtt 0x1000\nrun 1000\n"
    done = tally("sim", "-", stdin=text)
    equal((done.returncode, done.stdout), (0, ""))
    equal(done.stderr, "tally: standard input:5: command streamer rcs0 at 0x00001004 (GGTT), dword "
                       "0x1f800000: expected a command of graphics version 7.5\n")


def test_a_record_buffer_is_decoded(directory):
    with open(script("busy.pct"), encoding="ascii") as file:
        text = file.read().replace("build/busy.bin", os.path.join(directory, "busy.bin"))
    equal(succeed("sim", "-", stdin=text),
          "rd 0x00a6e4 = 0x00001800\npeek 1 valid = 0x000000000000\n")
    rows = json_lines(succeed("decode", "--layout", "pcounter/long", "-f", "jsonl",
                              os.path.join(directory, "busy.bin")))
    packets = [row for row in rows if row["type"] == "packet"]
    equal(len(packets), 64)
    equal([packet["cycles"] for packet in packets], [1024 * n for n in range(1, 65)])


def test_a_dump_has_a_scope_for_each_domain_set(directory):
    text = "chipset gf100\ndomains 2 gpc1\ndomains 1 part3\ndomains 1 hub\nrun 3\n"
    dump = os.path.join(directory, "sets.vcd")
    succeed("sim", "--vcd", dump, "-", stdin=text)
    with open(dump, encoding="ascii") as file:
        lines = file.read().splitlines()
    scopes = [line.split()[2] if line.startswith("$scope") else "-" for line in lines
              if line.startswith("$scope") or line.startswith("$upscope")]
    equal(" ".join(scopes), "pcounter gpc1 dom0 - dom1 - - part3 dom0 - - hub dom0 - - -")


def test_explain_registers():
    rows = [
        ("g92:0xa7c0=0x00310002", ["CTRL[0]", "RECORD", "SHORT", "0x400 clocks"]),
        ("g92:ctrl[3]", ["0x00a7cc", "EXTRA_B6_EVENT_B2", "OVERFLOW"]),
        ("G92:0xa484=0x000000bd", ["EVENT_SRC[1]", "PGRAPH.IDLE"]),
        ("g92:0xa4a0=0xf888", ["a0 & a1 | a2 & a3"]),
        ("g92:0xa4a0=0x6996", ["a0 ^ a1 ^ a2 ^ a3"]),
        ("nv30:0xa73c=0x03010018", ["COUNTING", "OVERFLOW", "QUAD"]),
        ("nv30:0xa738=0x101", ["QUAD_ACK_TRIGGER", "DOM1"]),
        ("nv20:0xa738", ["SIG_STATUS[1][1][2]"]),
        ("nv20:0xa414=0xffffffff", ["0xfffc0000: bits that are not defined on NV20"]),
        ("gf100:0x1b0c50=0x78", ["hub 0 domain 6", "PCOUNTER.DOM[7].FLAG"]),
        ("gf100:0x1a1244", ["PRE_OP of partition 1 domain 1"]),
        ("gf100:0x200=0x10000000", ["PMC.ENABLE"]),
        ("gf100:DSET_CTRL=0x10", ["0x1b8000 DSET_CTRL of GPC 0:", "PERIODIC_RESET         1"]),
        ("gf100:0x1bc200", ["DSET_CTRL of partition 1:"]),
        ("gf100:0x1be000", ["DSET_CTRL of hub 0:"]),
        ("gf100:0x1b0a9c=0x11240191", ["CTRL of hub 0 domain 5", "SINGLE", "EVENT_B6", "PULSE",
                                       "0x400 clocks", "VALID", "WAIT_PRE"]),
        ("gf100:STATE=0x02000082", ["WAIT_START", "EVENT_TOGGLE           1",
                                    "PRE                    1"]),
        ("gf100:CTR_EVENT_NEXT", ["0x1800a4", "rw, PC-D40"]),
        ("gf100:0x1800e0=1", ["SINGLE_BEGIN_TRIGGER of GPC 0 domain 0"]),
        ("hsw:0x2360=0x00000275", ["OACONTROL", "TIMER_PERIOD", "0x9"]),
        ("skl:EU_PERF_CNT_CTL0=0x5004", ["any pipe", "loaded, no pipe"]),
        ("lkf:0x190010=0x80000001", ["GFX_MSTR_INTR", "MASTER_ENABLE"]),
        ("lkf:0xfdc=0x83000000", ["MULTICAST", "SUBSLICE_ID"]),
        ("skl:0x9840=0x80", ["GDT_CHICKEN_BITS", "NOA_ENABLE             1"]),
        ("icl:0xd04=0x200", ["RPM_CONFIG1", "NOA_ENABLE             1"]),
        ("lkf:noa_write_high=1", ["0x009884", "[wo,"]),
        ("hsw:0x2ff90", ["NOA_MUX[11172]"]),
        ("chv:NOA_MUX[41]", ["0x1823a4"]),
        ("bdw:0x91bc=0xe0500000", ["OA_PERFCNT1_HI", "EVENT_SELECT           0x5"]),
        ("ivb:GTIMR=0x200", ["8:5    OTHER                  0\n", "OA_HALF_FULL           1"]),
        ("snb:GTIMR=0x200", ["9      OTHER                  1\n"]),
        ("g84:PRE_OP[0]", ["starts the counting process, swaps in quad event mode  ["]),
        ("nv40:PRE_OP[0]", ["PRE logic operation; starts the counting process  ["]),
        ("nv30:PRE_OP[0]", ["PRE logic operation; starts the counting process  ["]),
        ("gf100:0x1a1244", ["PRE logic operation  ["]),
        ("hsw:RING_CTL=0x3001", ["RING_ENABLE            1", "PAGES                  0x3"]),
        ("lkf:OA_DEBUG", ["power: rc6 lost, render down kept, media down kept, engine reset kept, "
                          "gt reset lost, chip reset lost\n"]),
        ("tgl:0xdaf4=0x15", ["OAG_OACONTROL", "COUNTER_SELECT         5", "rc6 saved"]),
        ("tgl:OAR_OACONTROL=0xb", ["0x002960", "COUNTER_SELECT         5", "rc6 context"]),
        ("tgl:CTX_CONTEXT_CONTROL=0x1000100", ["OAR_CONTEXT_ENABLE     1"]),
        ("tgl:OA_TLB_INV_CR=1", ["0x00ceec", "INVALIDATE             1"]),
        ("tgl:0xdc08=0x60", ["OAG_SCEC_0[1]", "VALUE                  0xc"]),
        ("lkf:cs_gpr[3][1]", ["0x00261c", "MI_MATH"]),
        ("icl:FORCEWAKE_GT=0x10001", ["MASK                   0x1", "KERNEL                 1"]),
    ]
    for what, parts in rows:
        text = succeed("explain", what)
        equal([line for line in text.splitlines() if line.endswith(" ")], [], what)
        for part in parts:
            contains(text, part, what)
    for what, code in [("g92:0xa000", 2), ("g92:NOPE", 2), ("g92:0xa7c0=0x1ffffffff", 2),
                       ("g92:0xa7c0=", 2), ("nv11:0xa400", 1), ("skl:0x9884", 2),
                       ("hsw:NOA_MUX[11173]", 2)]:
        equal(tally("explain", what).returncode, code, what)
    for what, part in [("lkf:cs_gpr", "CS_GPR of Lakefield is an array, expected CS_GPR[i][half]"),
                       ("g92:CTRL", "is an array, expected CTRL[dom]"),
                       ("lkf:NOPE", 'unknown register "NOPE" of Lakefield')]:
        done = tally("explain", what)
        equal(done.returncode, 2, what)
        contains(done.stderr, part)


def test_list_of_registers_is_a_table():
    """Columns are as wide as their contents, and each row has a meaning."""
    chips = [("--platform", name) for name in "snb ivb vlv hsw bdw chv skl icl lkf tgl".split()]
    for option, chip in chips + [("--chipset", name) for name in "nv10 nv40 g92".split()]:
        heading, *rows = succeed("list", "registers", option, chip).splitlines()
        columns = [heading.index(word) for word in ("register", "writable", "meaning")]
        for row in rows:
            for at in columns:
                equal((row[at - 2:at], row[at:at + 1].strip() != ""), ("  ", True), (chip, row))
        equal(max(len(row[:columns[0]].rstrip()) for row in rows) + 2, columns[0], chip)


def test_list_registers():
    for chipset in ["nv10", "nv15", "nv20", "nv30", "nv40", "g84", "g92", "gt215", "gf100"]:
        rows = json_lines(succeed("list", "registers", "--chipset", chipset, "-f", "jsonl"))
        names = [row["name"] for row in rows]
        equal(len(set(names)), len(names), chipset)
        equal("USER_TRIGGER" in names, chipset in ("gt215", "gf100"), chipset)
        equal("GCTRL" in names, chipset in ("g84", "g92", "gt215"), chipset)
        for name in ("DSET_CTRL", "STATE", "CTR_CYCLES_NEXT", "SINGLE_ABORT_TRIGGER"):
            equal(name in names, chipset == "gf100", (chipset, name))
        equal("CTR_CYCLES" in names and "CTRL" in names and "THRESHOLD" in names, True, chipset)
        equal("CTR_CYCLES_HI" in names, chipset in ("nv10", "nv15", "nv20"), chipset)
    text = succeed("list", "registers", "ctrl", "--chipset", "nv30")
    contains(text, "0x00050307")
    contains(text, "DOM1_QUAD_STATE")
    contains(succeed("list", "registers", "--chipset", "gf100"),
             "\nset: 0x1b8000 + gpc*0x200, 0x1bc000 + part*0x200, 0x1be000 (hub)\n")
    row, = json_lines(succeed("list", "registers", "DSET_CTRL", "--chipset", "gf100", "-f", "jsonl"))
    equal((row["address"], row["writable"]), (0x1b8000, 0xa0000031))
    for platform in ["snb", "ivb", "vlv", "hsw", "bdw", "chv", "skl", "icl", "lkf", "tgl"]:
        rows = json_lines(succeed("list", "registers", "--platform", platform, "-f", "jsonl"))
        names = [row["name"] for row in rows]
        equal("OACONTROL" in names, platform != "tgl", platform)
        equal("OAG_OACONTROL" in names and "OAR_OACONTROL" in names, platform == "tgl", platform)
        equal("OASTATUS1" in names, platform in ("snb", "ivb", "vlv", "hsw"), platform)
        equal("OA_DEBUG" in names, platform in ("skl", "icl", "lkf"), platform)
        equal("GFX_MSTR_INTR" in names, platform in ("icl", "lkf", "tgl"), platform)
        equal("NOA_WRITE" in names, platform not in ("snb", "ivb", "vlv"), platform)
        equal("NOA_WRITE_HIGH" in names, platform in ("icl", "lkf", "tgl"), platform)
        equal("NOA_MUX" in names, platform in ("hsw", "chv"), platform)
    equal(tally("list", "registers", "--platform", "dg2").returncode, 2)
    equal(tally("list", "registers").returncode, 2)
    equal(tally("list", "registers", "NOPE", "--chipset", "g92").returncode, 2)
    equal(tally("list", "registers", "--chipset", "nv17").returncode, 1)


if __name__ == "__main__":
    main()
