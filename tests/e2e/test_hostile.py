# SPDX-License-Identifier: MIT
"""Input made to deceive or to exhaust: nothing that a file contains reaches the terminal as a control
character or starts a line, and no small file takes much memory or time."""
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import time

from e2e import SAMPLES, SOURCE, TALLY, contains, equal, json_lines, main, sanitized, succeed, tally

# An escape sequence, a forged line, C1 in UTF-8 and as a byte, an override of direction.
EVIL = "x\x1b[2J\ntally: all is well\n\x9b31m\u202edrow\x7f"
EVIL_BYTES = EVIL.encode() + b"\x9b"
SAMPLE = f"{SAMPLES}/hsw.i915-perf"
CONTROLS = [*range(0, 10), *range(11, 32), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f,
            *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xfeff]


def run_clean(*arguments, forged=b"tally: all is well", **options):
    """Runs the command; checks that what it prints is UTF-8 without controls and forged lines."""
    done = tally(*arguments, text=False, **options)
    for text in (done.stdout, done.stderr):
        shown = text.replace(b"\r\n", b"\n").decode()  # raises if it is not UTF-8
        found = [hex(ord(c)) for c in shown if ord(c) in CONTROLS]
        equal(found, [], f"{arguments}: controls in {shown!r}")
        assert b"\n" + forged not in text and not text.startswith(forged), (arguments, text)
    return done


def record(kind, payload):
    payload += bytes(-len(payload) % 8)
    return struct.pack("<IHH", kind, 0, 8 + len(payload)) + payload


def recording(directory, name="hostile.i915-perf"):
    """A sample with other texts in its PROVENANCE record and DEVICE_INFO."""
    with open(SAMPLE, "rb") as file:
        data = file.read()
    changed, offset = b"", 0
    while offset < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, offset)
        piece = data[offset:offset + size]
        if kind == 0x54000000:
            piece = record(kind, EVIL_BYTES)
        if kind == 65537:
            texts = bytearray(piece)
            at = piece.index(b"RenderBasic")
            texts[at:at + len(EVIL_BYTES)] = EVIL_BYTES
            piece = bytes(texts)
        changed += piece
        offset += size
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(changed)
    return path


def xml(text):
    """An attribute's text; XML 1.0 has no U+001B."""
    return "".join(f"&#{ord(c)};" if ord(c) != 0x1b else "&#155;" for c in text)


def sets(directory, equation="A 1 READ"):
    path = os.path.join(directory, "oa-hostile.xml")
    evil = xml(EVIL)
    with open(path, "w") as file:
        file.write(f"""<metrics version="1"><set name="{evil}" chipset="HSW" symbol_name="Evil"
            hw_config_guid="{evil}"><counter name="{evil}" symbol_name="{evil}" description="{evil}"
            units="{evil}" mdapi_group="{evil}" data_type="uint64" equation="A 1 READ"/>
            <counter name="Fine" symbol_name="Fine" units="={evil}" data_type="float"
            equation="{equation}"/></set></metrics>""")
    return path


def test_texts_of_recordings(directory):
    path = recording(directory, "re\ntally: all is well\x1b[31m.i915-perf")
    for command in [["info"], ["info", "-f", "jsonl"], ["report"], ["report", "-f", "csv"],
                    ["export", "-f", "jsonl"], ["decode"], ["report", "-m", EVIL],
                    ["report", "--platform", EVIL], ["report", "-c", EVIL]]:
        run_clean(*command, path)
    contains(succeed("info", path), r"written by    x\x1b[2J\x0atally: all is well\x0a\u009b31m\u202e")
    info = json_lines(succeed("info", "-f", "jsonl", path))[0]
    contains(info["file"], "re\ntally: all is well\x1b[31m")  # JSON has all of the text


def test_texts_of_metric_sets(directory):
    path = sets(directory, xml(f"A 1 READ ${EVIL} FADD"))
    equal(run_clean("lint", path).returncode, 1)
    equal(run_clean("report", "-M", directory, "-m", "Evil", SAMPLE).returncode, 3)
    sets(directory)
    for command in [["list", "sets", "-M", directory], ["list", "sets", "-f", "csv", "-M", directory],
                    ["list", "counters", "-M", directory, "--platform", "hsw"], ["lint", path],
                    ["list", "sets", "-f", "jsonl", "-M", directory],
                    ["explain", "Evil." + EVIL.replace("\x1b", "\x9b"), "--platform", "hsw", "-M", directory],
                    ["explain", "Evil.Fine", f"{SAMPLE}@2", "-M", directory],
                    ["export", "-M", directory, "-m", "Evil", SAMPLE],
                    ["report", "-M", directory, "-m", "Evil", SAMPLE],
                    ["report", "-r", "-M", directory, "-m", "Evil", SAMPLE],
                    ["report", "-f", "csv", "-M", directory, "-m", "Evil", SAMPLE],
                    ["export", "-f", "jsonl", "-M", directory, "-m", "Evil", SAMPLE]]:
        done = run_clean(*command)
        equal(done.returncode, 1 if command[0] == "lint" else 0, done.stderr)


def test_texts_of_yaml_files_and_the_command_line(directory):
    for what in ["workload", "fault"]:
        path = os.path.join(directory, f"{what}\n\x1b[1m.yaml")
        with open(path, "w") as file:
            file.write('name: "x\\e[2J\\ntally: all is well"\n"k\\e\\n\\u009b\\u202e": 1\n'
                       + ("at: 1\nfaults: []\n" if what == "fault" else ""))
        done = run_clean("lint", path)
        equal(done.returncode, 1, done.stderr)
        run_clean("record", "-d", "sim:hsw", "-t", "1ms", f"--{what}", path, "-o", "/dev/null")
    for arguments in [[EVIL], ["report", EVIL], ["report", f"--{EVIL}", "x"], ["help", EVIL],
                      ["report", f"--format={EVIL}", SAMPLE], ["record", "-o", "/dev/null", "-d", EVIL],
                      ["record", "-o", "/dev/null", "-d", "sim:hsw", "-p", EVIL], ["explain", EVIL, "--platform", "hsw"],
                      ["explain", f"g92:{EVIL}"], ["explain", "g92", EVIL], ["sim", EVIL],
                      ["record", "-o", "/dev/null", "--", EVIL], ["report", SAMPLE, "-o", f"/nonexistent/{EVIL}"],
                      ["list", EVIL], ["list", "registers", "--platform", EVIL], ["mmio", "read", EVIL, "0"],
                      ["sim", "--tap", "-"]]:
        done = run_clean(*arguments, stdin=b"expect " + EVIL_BYTES + b" 1\n# " + EVIL_BYTES)
        assert done.returncode, arguments


def test_csv_without_formulas(directory):
    sets(directory)
    command = ["report", "-f", "csv", "-M", directory, "-m", "Evil", "-c", "Fine", SAMPLE]
    contains(succeed(*command), ",Fine,=x")
    contains(succeed(*command, "--csv-safe"), ",Fine,'=x")


def test_files_of_many_names(directory):
    """Names are sorted: 30,000 equal UUIDs, and a chain of 60,000 references, take no minute."""
    path = os.path.join(directory, "many.xml")
    uuid = "5f5f6e67-cb93-4922-9279-153db56d3ba6"
    head = '<counter name="n{}" symbol_name="C{}" units="events" data_type="uint64" equation="{}"/>'
    with open(path, "w") as file:
        file.write('<metrics version="1">')
        for i in range(30000):
            file.write(f'<set name="S" chipset="HSW" symbol_name="S{i}" hw_config_guid="'
                       + (uuid.upper() if i % 2 else uuid) + '">' + head.format(0, 0, "A 1 READ")
                       + "</set>\n")
        file.write("</metrics>")
    start = time.monotonic()
    lines = tally("lint", "-q", path).stdout.splitlines()
    equal(len(lines), 30000)  # one for each set but the first, and the sums
    assert all(line.endswith("has the same UUID as the set in line 1") for line in lines[:-1])
    with open(path, "w") as file:
        file.write('<metrics version="1"><set name="S" chipset="HSW" symbol_name="S" '
                   f'hw_config_guid="{uuid}">' + head.format(0, 0, "A 1 READ"))
        for i in range(1, 60000):
            file.write(head.format(i, i, f"$C{i - 1} 1 UADD"))
        file.write("</set></metrics>")
    equal(tally("lint", "-q", path).returncode, 0)
    used = time.monotonic() - start
    assert used < 60, used


def test_too_many_intervals(directory):
    """A file is refused before anything is written."""
    path, out = os.path.join(directory, "short.i915-perf"), os.path.join(directory, "out")
    succeed("record", "-q", "-d", "sim:hsw", "-p", "640ns", "-t", "110ms", "-o", path)
    for more in [["interval=1us", "-o", out], ["interval=1us", "--from", "1ms", "-o", out],
                 ["interval=1us", "--advise"]]:
        done = tally("report", path, "--by", *more)
        equal(done.returncode, 2, done.stderr)
        counted = re.fullmatch(r"tally: --by interval=1us divides \S+ into (\d+) groups, at most 100000; "
                               r"expected --by interval=2us or longer\n", done.stderr)
        assert counted and done.stdout == "" and not os.path.exists(out), done.stderr
    report = ["report", "-f", "csv", "-c", "GpuTime", "--by"]
    with open(path, "rb") as file:
        data = file.read()
    done = tally(*report, "interval=1us", "-q", "-", stdin=data, text=False)  # a pipe has no limit
    equal(done.returncode, 0, done.stderr)
    count = done.stdout.count(b"interval,")
    assert count > 100000
    contains(tally(*report, "interval=1us", path).stderr, f" into {count} groups,")
    for less in [["interval=2us"], ["interval=1us", "--from", "1ms", "--to", "90ms"]]:
        assert 50000 < succeed(*report, *less, path).count("interval,") <= 100000, less
    with open(path, "rb") as file:  # as standard input a file can be read only once
        done = subprocess.run([TALLY, *report, "interval=1us", "-"], stdin=file, capture_output=True,
                              text=True, timeout=60)
    equal(done.returncode, 1, done.stderr)
    contains(done.stderr, "more than 100000 groups, which end here; expected longer intervals")
    equal(done.stdout.count("interval,"), 100000)


# A PCOUNTER in quad mode that counts a signal which has no closed form.
COUNTS = """chipset nv30
sig 0 5 prng 7 100
sig 0 6 every 100 3
wr 0xa410 0x605
wr 0xa414 0x8888
wr 0xa404 0xffff
wr 0xa73c 0x10000
"""


def read_terminal(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the end of a terminal
        return b""


def interrupt(command, shown, number=signal.SIGINT, **options):
    """Interrupts a command when its progress on a terminal has `shown`. Returns its status, standard output
    and what it showed."""
    terminal, other = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other, **options) as process:
        os.close(other)
        text = b""
        while shown not in text and (part := read_terminal(terminal)):
            text += part
        process.send_signal(number)
        output = process.communicate(timeout=60)[0]
        while part := read_terminal(terminal):
            text += part
    os.close(terminal)
    assert shown in text, text
    return process.returncode, output.decode(), text.decode()


def test_endless_scripts(directory):
    """They show their progress and can be interrupted; what they have printed stays."""
    path = os.path.join(directory, "endless")
    for begin, print_value in [(COUNTS.strip(), "rd 0xa600"), ("platform hsw", "rd 0x2360")]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{begin}\n{print_value}\nrun 18446744073709551615\n{print_value}\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            code, output, text = interrupt([TALLY, "sim", path], b"% of 18446744073709551615", number)
            equal(code, 128 + number, text)
            equal(output.count("\n"), 1, output)
            contains(text, "interrupted after ")
    with subprocess.Popen(["yes", "# and so on"], stdout=subprocess.PIPE) as endless:
        code, output, text = interrupt([TALLY, "sim", "-"], b"MiB/s", stdin=endless.stdout)
        equal((code, output), (130, ""), text)
        endless.kill()
    start = time.monotonic()
    done = tally("sim", "/dev/zero")
    equal(done.returncode, 3, done.stderr)
    contains(done.stderr, "/dev/zero:1: a line of more than 1048576 bytes")
    assert time.monotonic() - start < 10


def test_pieces_of_a_run_change_nothing():
    """A long run, which is cut, and the same as many short ones."""
    setups = [COUNTS + "{}peek 0 sh_cycles\nrd 0xa600\npeek 0 cycles\n",
              "platform skl\nnoa 3 prng 7 100\n{}peek ticks\npeek a7\npeek c2\n",
              "platform icl\ngpu awake\nwork 5000\n{}peek now\npeek a0\npeek idle\n"]
    for setup in setups:
        one = succeed("sim", "-", stdin=setup.format("run 3000000\n"))
        many = succeed("sim", "-", stdin=setup.format("run 1000\n" * 3000))
        equal(one, many)
        equal(len(one.splitlines()), 3, one)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def test_aliases_of_aliases(directory):
    """They expand to 10^9 nodes; a file of any kind is refused within 1 GiB and a second or so."""
    lines = ["a0: &a0 [" + "x," * 10 + "]"]
    lines += [f"a{n}: &a{n} [" + f"*a{n - 1}," * 10 + "]" for n in range(1, 9)]
    limit = None if sanitized() else limit_memory
    for first in ["name: x", "faults: []", "chipsets: g92", "costs: {}"]:
        path = os.path.join(directory, "aliases.yaml")
        with open(path, "w") as file:
            file.write("\n".join([first] + lines))
        for command in [["lint", path],
                        ["record", "-d", "sim:hsw", "-t", "1ms", "-o", "/dev/null", "--workload", path],
                        ["record", "-d", "sim:hsw", "-t", "1ms", "-o", "/dev/null", "--fault", path]]:
            start = time.process_time()
            done = subprocess.run([TALLY, *command], capture_output=True, text=True, timeout=60,
                                  preexec_fn=limit)
            assert done.returncode == 3, (command, done)
            assert "alias" in done.stderr and done.stderr.count("\n") == 1, (command, done.stderr)
            assert time.process_time() - start < 5


def test_planted_bugs_fit_the_tree():
    """Each fuzz target has a bug that make fuzz-check can plant."""
    targets = sorted(name[5:-2] for name in os.listdir(os.path.join(SOURCE, "fuzz"))
                     if name.startswith("fuzz_") and name.endswith(".c"))
    with open(os.path.join(SOURCE, "fuzz", "planted.txt"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    equal(sorted(row[0] for row in rows), targets)
    for target, name, old, new in rows:
        with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
            equal(file.read().count(old.replace("\\n", "\n")), 1, f"{target}: {old}")
        assert old != new, target


def test_two_recorders_on_one_file(directory):
    path = os.path.join(directory, "x.i915-perf")
    first = subprocess.Popen([TALLY, "record", "-d", "sim:hsw", "--clock", "wall", "-t", "60s", "-q",
                              "-o", path], stderr=subprocess.PIPE, text=True)
    try:
        while not os.path.exists(path) or os.path.getsize(path) < 1000:
            assert first.poll() is None, first.stderr.read()
            time.sleep(0.01)
        os.link(path, path + "2")
        for name in [path, path + "2"]:
            done = tally("record", "-d", "sim:hsw", "-t", "1ms", "-q", "-o", name)
            equal(done.returncode, 1, done.stderr)
            equal(done.stderr, f"tally: {name}: another process is recording to this file\n")
        done = tally("export", "-f", "csv", "-o", path, SAMPLE)  # nor does another command truncate it
        equal((done.returncode, done.stderr.splitlines()[-1]),
              (1, f"tally: {path}: another process is recording to this file"))
        with open(path, "ab") as file:  # as standard output
            done = subprocess.run([TALLY, "record", "-d", "sim:hsw", "-t", "1ms", "-q", "-o", "-"],
                                  stdout=file, stderr=subprocess.PIPE, text=True, timeout=60)
        equal(done.returncode, 1, done.stderr)
        contains(done.stderr, "standard output: another process is recording")
    finally:
        first.terminate()
        first.wait()
    equal(tally("info", path).returncode, 0)  # the first one's file is whole
    contains(succeed("info", path), " 0 losses")
    for _ in range(2):  # the lock ends with the recorder
        succeed("record", "-d", "sim:hsw", "-t", "1ms", "-q", "-o", path)
    for device in ["/dev/null", "/dev/stdout"]:
        succeed("record", "-d", "sim:hsw", "-t", "1ms", "-q", "-o", device, text=False)


if __name__ == "__main__":
    main()
