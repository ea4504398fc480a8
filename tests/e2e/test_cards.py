# SPDX-License-Identifier: MIT
"""tally mmio, record and doctor on real cards: files that mimic PCI devices, in place of those of sysfs.

A namespace of mounts shows the files at /sys/bus/pci/devices, so that libpciaccess maps BAR 0 from
one of them. Registers are memory there: a read has no side effects, and what was written can be read
from the file. Cards with behaviour are in tests/vm/test_cards.py.
"""
import mmap
import os
import re
import signal
import struct
import subprocess
import threading
import time

from e2e import TALLY, Skip, contains, equal, json_lines, main, need_program

BAR_BYTES = 0x1000000
BOOT_0 = {"nv40": 0x040200a1, "g92": 0x092880a1, "gf100": 0x0c0000a1, "gk104": 0x0e4000a2}
MODE, ENABLE, EVENT_SRC, COUNT = 0xa7c4, 0x200, 0xa484, 0xa684

# The files are mounted by their owner: root, or in a namespace of users.
MOUNT = """
mount --bind "$1/devices" /sys/bus/pci/devices && mount --bind "$1/run" /run || exit 99
shift; exec "$@"
"""


class Machine:
    """A directory with PCI devices."""

    def __init__(self, directory):
        self.directory = directory
        for name in ("devices", "run"):
            os.mkdir(os.path.join(directory, name))

    def path(self, address, name=""):
        return os.path.join(self.directory, "devices", address, name)

    def add(self, address="0000:01:00.0", vendor=0x10de, device=0x611, class_code=0x30000, command=6,
            driver=None, power="D0", boot0=BOOT_0["g92"]):
        os.mkdir(self.path(address))
        os.mkdir(self.path(address, "power"))
        config = bytearray(256)
        struct.pack_into("<HHHHIIII", config, 0, vendor, device, command, 0, class_code << 8, 0, 0xf0000000, 0)
        files = {"vendor": f"{vendor:#06x}\n", "device": f"{device:#06x}\n", "class": f"{class_code:#08x}\n",
                 "power_state": power + "\n", "power/control": "auto\n", "irq": "0\n",
                 "resource": f"0x{0xf0000000:016x} 0x{0xf0000000 + BAR_BYTES - 1:016x} 0x{0x40200:016x}\n" +
                             ("0x0000000000000000 " * 3)[:-1] + "\n" * 6}
        files["resource"] = files["resource"].splitlines()[0] + "\n" + \
            " ".join(["0x0000000000000000"] * 3 + ["\n"]) * 12
        for name, text in files.items():
            with open(self.path(address, name), "w", encoding="ascii") as file:
                file.write(text)
        with open(self.path(address, "config"), "wb") as file:
            file.write(config)
        with open(self.path(address, "resource0"), "wb") as file:
            file.truncate(BAR_BYTES)
        if driver:
            os.symlink("/sys/bus/pci/drivers/" + driver, self.path(address, "driver"))
        self.set(0, boot0, address)

    def get(self, at, address="0000:01:00.0"):
        with open(self.path(address, "resource0"), "rb") as file:
            file.seek(at)
            return struct.unpack("<I", file.read(4))[0]

    def set(self, at, value, address="0000:01:00.0"):
        with open(self.path(address, "resource0"), "r+b") as file:
            file.seek(at)
            file.write(struct.pack("<I", value))

    def text(self, name, address="0000:01:00.0"):
        with open(self.path(address, name), encoding="ascii") as file:
            return file.read()

    def command(self, address="0000:01:00.0"):
        with open(self.path(address, "config"), "rb") as file:
            return struct.unpack_from("<H", file.read(), 4)[0]

    def states(self):
        return sorted(os.listdir(os.path.join(self.directory, "run")))

    def line(self, *arguments):
        return ["unshare", "-rm", "sh", "-c", MOUNT, "sh", self.directory, TALLY, *arguments]

    def run(self, *arguments):
        environment = dict(os.environ, NO_COLOR="1", XDG_DATA_HOME="/nonexistent")
        return subprocess.run(self.line(*arguments), capture_output=True, text=True, timeout=60,
                              env=environment)

    def start(self, *arguments):
        return subprocess.Popen(self.line(*arguments), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def fails(self, code, part, *arguments):
        """The command fails with one line, and the card is untouched."""
        before = self.image()
        done = self.run(*arguments)
        equal((done.returncode, done.stderr.count("\n")), (code, 1), (arguments, done.stderr))
        contains(done.stderr, part, arguments)
        equal(self.image(), before, arguments)

    def image(self):
        """Everything that could be written."""
        found = {}
        for base, _, names in os.walk(os.path.join(self.directory, "devices")):
            for name in names:
                if os.path.islink(os.path.join(base, name)):
                    continue
                with open(os.path.join(base, name), "rb") as file:
                    found[os.path.join(base, name)] = hash(file.read())
        return found, self.states()


def machine(directory, **card):
    need_program("unshare")
    made = Machine(directory)
    made.add(**card)
    probe = subprocess.run(["unshare", "-rm", "sh", "-c", MOUNT, "sh", directory, "true"],
                           capture_output=True, text=True)
    if probe.returncode:
        raise Skip("needs a namespace of users and mounts: " + probe.stderr.strip())
    return made


def test_reading(directory):
    pc = machine(directory)
    pc.set(MODE, 0x00310002)
    before = pc.image()
    done = pc.run("mmio", "read", "pci:0000:01:00.0", "CTRL[1]", "0x200", "0x123450")
    equal((done.returncode, done.stderr), (0, ""))
    for part in ("0x00a7c4  CTRL[1]                     0x00310002", "RECORD", "SHORT",
                 "0x000200  ENABLE", "0x123450  -"):
        contains(done.stdout, part)
    equal(pc.run("mmio", "read", "pci:01:00.0", "BOOT_0").stdout.splitlines()[0],
          "0x000000  BOOT_0                      0x092880a1")
    rows = json_lines(pc.run("mmio", "dump", "pci:01:00.0", "-f", "jsonl", "pmc").stdout)
    equal([row["register"] for row in rows], ["BOOT_0", "INTR_HOST", "INTR_ENABLE_HOST", "ENABLE"])
    equal(pc.image(), before, "reading changes nothing")


def test_a_write_needs_permission(directory):
    pc = machine(directory)
    pc.fails(2, "expects --allow-mmio", "mmio", "write", "pci:01:00.0", "EVENT_SRC[1]=0x10")
    pc.fails(2, "expects --allow-mmio", "mmio", "watch", "pci:01:00.0", "EVENT_SRC[1]=0x10")
    pc.fails(2, "expects --allow-mmio", "mmio", "histogram", "pci:01:00.0", "1:1", "1", "1", "1")
    pc.fails(2, "--wake of a real card expects --allow-mmio", "mmio", "read", "pci:01:00.0", "--wake", "0")
    done = pc.run("mmio", "write", "pci:01:00.0", "--allow-mmio", "EVENT_SRC[1]=0x10", "CTRL[1].MODE=QUAD")
    equal((done.returncode, done.stderr), (0, ""))
    equal((pc.get(EVENT_SRC), pc.get(MODE)), (0x10, 1))
    equal(pc.states(), [])


def test_a_bound_driver(directory):
    pc = machine(directory, driver="nouveau")
    pc.fails(4, "the kernel driver nouveau uses the card", "mmio", "write", "pci:01:00.0",
             "--allow-mmio", "EVENT_SRC[1]=0x10")
    equal(pc.run("mmio", "read", "pci:01:00.0", "BOOT_0").returncode, 0)
    equal(pc.run("mmio", "write", "pci:01:00.0", "--allow-mmio", "--force", "EVENT_SRC[1]=0x10").returncode, 0)
    equal(pc.get(EVENT_SRC), 0x10)


def watching(pc, *more):
    """Starts a watch that has written two registers and turned on memory accesses."""
    process = pc.start("mmio", "watch", "pci:01:00.0", "--allow-mmio", "--interval", "5ms",
                       "EVENT_SRC[1]=0x11223344", "CTRL[1]=0x00000001", "EVENT_SRC[1]=0x10",
                       "CTR_EVENT[1]", *more)
    process.stdout.readline()
    first = process.stdout.readline()
    contains(first, "CTR_EVENT[1]", process.stderr.read() if process.poll() is not None else "")
    return process


def changed(pc):
    return pc.get(EVENT_SRC), pc.get(MODE), pc.command()


def test_what_a_watch_writes_is_put_back(directory):
    pc = machine(directory, command=4)
    pc.set(EVENT_SRC, 0xa1b2c3d4)
    # Bits that are not stored (QUAD_STATE, SINGLE_STATE) are not put back: they are the hardware's.
    pc.set(MODE, 0x00200002)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        before = pc.image()
        process = watching(pc)
        equal(changed(pc), (0x10, 1, 6))
        equal(len(pc.states()), 1)
        # The lock keeps a second process from writing, but not from reading.
        done = pc.run("mmio", "write", "pci:01:00.0", "--allow-mmio", "0xa480=1")
        equal(done.returncode, 4, done.stderr)
        contains(done.stderr, "another process uses the card")
        equal(pc.run("mmio", "read", "pci:01:00.0", "0xa480").returncode, 0)
        pc.set(COUNT, 77)
        while "0x0000004d" not in process.stdout.readline():
            pass
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        equal((process.returncode, err), (0, ""), out)
        pc.set(COUNT, 0)
        equal(pc.image(), before)
    done = pc.run("mmio", "watch", "pci:01:00.0", "--allow-mmio", "-t", "10ms", "EVENT_SRC[1]=1", "EVENT_SRC[1]")
    contains(done.stdout, "0x00000001")
    equal(pc.image(), before, "the end of the time")


def test_after_a_kill(directory):
    pc = machine(directory, command=4)
    pc.set(EVENT_SRC, 0xa1b2c3d4)
    before = pc.image()
    process = watching(pc)
    process.kill()
    process.communicate()
    equal(changed(pc), (0x10, 1, 6))
    name, = pc.states()
    equal(name, "tally-0000:01:00.0.state")
    path = os.path.join(directory, "run", name)
    equal(os.stat(path).st_mode & 0o777, 0o600)
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    equal([line.split()[:2] for line in lines[1:]], [["c", "000004"], ["w", "00a484"], ["w", "00a7c4"]])
    assert re.fullmatch(r"tally-state 1 0000:01:00\.0 10de:0611 \d+ \S+", lines[0]), lines
    # Nothing is written before this is put back; reading works.
    done = pc.run("mmio", "write", "pci:01:00.0", "--allow-mmio", "0xa480=1")
    equal(done.returncode, 4)
    contains(done.stderr, "tally doctor --restore")
    equal(pc.run("mmio", "read", "pci:01:00.0", "0xa480").returncode, 0)
    contains(pc.run("doctor").stdout, "3 changes of process")
    done = pc.run("doctor", "--restore")
    equal((done.returncode, done.stderr), (0, ""))
    contains(done.stdout, f"/run/{name}: 3 changes put back")
    equal(pc.image(), before)
    contains(pc.run("doctor", "--restore").stdout, "Nothing to put back.")


def test_a_file_that_is_torn(directory):
    """The process was killed while it wrote a line, or is not the one that the file is about."""
    pc = machine(directory)
    pc.set(EVENT_SRC, 5)
    pc.set(MODE, 6)
    path = os.path.join(directory, "run", "tally-0000:01:00.0.state")
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    head = f"tally-state 1 0000:01:00.0 10de:0611 1 {boot}\n"
    rows = [
        (head + "w 00a484 ffffffff 00000001\nw 00a7c4 ffff", 0, "1 changes put back", 1, []),
        (head[:20], 0, "0 changes put back", 5, []),
        (head.replace(boot, "older") + "w 00a484 ffffffff 00000002\n", 0, "0 changes", 5, []),
        (head + "w 00a484 ffffffff 00000003\nw 00a486 ffffffff 00000003\n", 3, ":3: not a line", 5, None),
        (head + "x 00a484 ffffffff 00000003\n", 3, ":2: not a line", 5, None),
        (head + "w -0a484 ffffffff 00000003\n", 3, ":2: not a line", 5, None),
        (head + "w 00a484 ffffffff 00000003 \n", 3, ":2: not a line", 5, None),
        ("hello\n", 3, ":1: not a line", 5, None),
        (head.replace("0611", "0612") + "w 00a484 ffffffff 00000002\n", 4, "of another card", 5, None),
        (head.replace("01:00", "09:00") + "w 00a484 ffffffff 00000002\n", 4, "no such PCI device", 5, None),
        (head + "p on\nm 00a484 00000001 00000001\n", 0, "2 changes", 0x10001, []),
    ]
    for text, code, part, value, states in rows:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o600)
        pc.set(EVENT_SRC, 5)
        done = pc.run("doctor", "--restore")
        equal(done.returncode, code, (text, done.stderr))
        contains(done.stdout + done.stderr, part, text)
        equal(pc.get(EVENT_SRC), value, text)
        equal(pc.states(), [os.path.basename(path)] if states is None else states, text)
    equal(pc.text("power/control"), "on")
    with open(path, "w", encoding="ascii") as file:
        file.write(head)
    os.chmod(path, 0o644)
    done = pc.run("doctor", "--restore")
    equal(done.returncode, 4)
    contains(done.stderr, "not a file of this user with mode 0600")


def state_file(pc, lines, card="0000:01:00.0", ids="10de:0611", boot=None):
    """Leaves a file as of a process that was killed; returns its path."""
    path = os.path.join(pc.directory, "run", f"tally-{card}.state")
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = boot or file.read().strip()
    with open(path, "w", encoding="ascii") as file:
        file.write(f"tally-state 1 {card} {ids} 1 {boot}\n{lines}")
    os.chmod(path, 0o600)
    return path


def test_what_cannot_be_put_back(directory):
    """The file stays, and says what is left; another card in its place is not touched."""
    pc = machine(directory, command=4)
    path = state_file(pc, "w 00a484 ffffffff 00000002\n", ids="10de:0612")
    before = pc.image()
    done = pc.run("doctor", "--restore")
    equal(done.returncode, 4)
    contains(done.stderr, "of another card")
    equal(pc.image(), before)
    os.unlink(path)

    pc.add("0000:02:00.0")
    os.unlink(pc.path("0000:02:00.0", "power/control"))
    path = state_file(pc, "p auto\nw 00a484 ffffffff 00000007\n", card="0000:02:00.0")
    done = pc.run("doctor", "--restore")
    equal(done.returncode, 1, done.stderr)
    contains(done.stderr, "power/control is not put back: No such file or directory")
    equal(pc.get(EVENT_SRC, "0000:02:00.0"), 7)
    equal(pc.states(), [os.path.basename(path)])


def test_what_is_no_longer_left(directory):
    """Files of before a restart, and without a change, prevent nothing."""
    pc = machine(directory)
    for lines, boot in (("w 00a484 ffffffff 00000002\n", "older"), ("", None)):
        state_file(pc, lines, boot=boot)
        equal("changes left" in pc.run("doctor").stdout, False)
        done = pc.run("mmio", "write", "pci:01:00.0", "--allow-mmio", "EVENT_SRC[1]=9")
        equal((done.returncode, done.stderr), (0, ""))
        equal((pc.get(EVENT_SRC), pc.states()), (9, []))


def test_one_process_of_all_users_writes(directory):
    """The file of the state is a user's own; the device is locked for all."""
    pc = machine(directory)
    process = watching(pc)
    run = os.path.join(directory, "run")
    os.rename(run, run + ".other")
    os.mkdir(run)
    done = pc.run("mmio", "write", "pci:01:00.0", "--allow-mmio", "0xa484=3")
    equal(done.returncode, 4, done.stderr)
    contains(done.stderr, "another process uses the card")
    process.send_signal(signal.SIGQUIT)
    equal(process.wait(30), 0)


def test_error_words_are_not_merged(directory):
    """From GF100 on a read may return an error word: it is no value to merge, to save or to decode."""
    pc = machine(directory, device=0x6c0, boot0=BOOT_0["gf100"])
    listed = pc.run("mmio", "read", "pci:01:00.0", "part3.dom1.CTRL").stdout
    ctrl = int(listed.split()[0], 16)
    pc.set(ctrl, 0xbadf5000)
    pc.fails(1, "part3.dom1.CTRL.MODE was not written: the register reads 0xbadf5000",
             "mmio", "write", "pci:01:00.0", "--allow-mmio", "part3.dom1.CTRL.MODE=1")
    done = pc.run("mmio", "watch", "pci:01:00.0", "--allow-mmio", "-t", "20ms", f"{ctrl:#x}=0")
    contains(done.stderr, "which cannot be put back")
    equal(pc.get(ctrl), 0xbadf5000)


def test_sets_of_models_are_refused(directory):
    """The sets of NV40 name what the model has decided: a card has other signals there."""
    pc = machine(directory, device=0x41, boot0=BOOT_0["nv40"])
    for more in ([], ["-m", "Vertex"]):
        pc.fails(2, "is for modelled GPUs only, as no unit's signals of it are public, expected expressions",
                 "record", "-d", "pci:01:00.0", "--allow-mmio", "-t", "10ms", "-o", os.path.join(directory, "f"), *more)
    assert not os.path.exists(os.path.join(directory, "f"))


def test_power(directory):
    pc = machine(directory, power="D3hot")
    pc.fails(4, "the card sleeps (D3hot)", "mmio", "read", "pci:01:00.0", "0")
    pc.fails(4, "the card sleeps (D3hot)", "mmio", "write", "pci:01:00.0", "--allow-mmio", "0xa480=1")
    before = pc.image()
    process = watching(pc, "--wake")
    equal(pc.text("power/control"), "on")
    process.send_signal(signal.SIGINT)
    equal(process.wait(30), 0)
    # A real attribute ends with a newline in any case.
    equal(pc.text("power/control").strip(), "auto")
    equal([key for key in before[0] if before[0][key] != pc.image()[0][key]],
          [pc.path("0000:01:00.0", "power/control")])


def test_errors(directory):
    pc = machine(directory)
    read = ("mmio", "read", "pci:0000:01:00.0")
    pc.fails(2, "CTLR[1]\" of G92, expected CTRL", *read, "CTLR[1]")
    pc.fails(2, "expected CTRL[0..7]", *read, "CTRL[8]")
    pc.fails(2, "outside of the registers of G92", *read, "0x1000000")
    pc.fails(2, "such as 0x00a400", *read, "0xa402")
    pc.fails(4, "no such PCI device", "mmio", "read", "pci:0000:02:00.0", "0")
    pc.fails(2, "no PCI address", "mmio", "read", "pci:0000:01:00", "0")
    pc.fails(2, "--workload is for modelled GPUs", *read, "--workload", "triangle", "0")
    pc.fails(2, "MODE, expected QUAD", "mmio", "write", "pci:01:00.0", "--allow-mmio", "CTRL[1].MODE=QUUD")
    pc.add("0000:02:00.0", boot0=0xffffffff)
    pc.fails(4, "BOOT_0 reads all ones", "mmio", "read", "pci:02:00.0", "0")
    pc.add("0000:03:00.0", class_code=0x20000)
    pc.fails(4, "of class 020000, expected a GPU", "mmio", "read", "pci:03:00.0", "0")
    pc.add("0000:04:00.0", vendor=0x1002)
    pc.fails(4, "1002:0611 of class 030000, expected a GPU of Intel or NVIDIA", "mmio", "read", "pci:04:00.0", "0")
    pc.add("0000:05:00.0", command=0)
    pc.fails(4, "which --allow-mmio turns on", "mmio", "read", "pci:05:00.0", "0")
    pc.add("0000:06:00.0")
    os.remove(pc.path("0000:06:00.0", "resource0"))
    pc.fails(4, "BAR 0 cannot be mapped", "mmio", "read", "pci:06:00.0", "0")


def test_words_that_are_no_values(directory):
    pc = machine(directory, boot0=BOOT_0["gf100"], device=0x6c0)
    for at, value, part in [(0x123450, 0xbad00123, "no such register"), (0x1a329c, 0xbad0da00, "disabled in PMC.ENABLE"),
                            (0x1b0c40, 0xbadf1300, "disabled in PRING"), (0x1b0c44, 0xbadf5000, "seen on registers of PCOUNTER"),
                            (0x140, 0xffffffff, "all ones: nothing responds")]:
        pc.set(at, value)
        contains(pc.run("mmio", "read", "pci:01:00.0", hex(at)).stdout.splitlines()[0], part, hex(at))
    # On Tesla such a word is a value, and all bits of a register may be ones.
    pc.add("0000:02:00.0")
    pc.set(EVENT_SRC, 0xbad00123, "0000:02:00.0")
    pc.set(0xa480, 0xffffffff, "0000:02:00.0")
    done = pc.run("mmio", "dump", "pci:02:00.0", "0xa480..0xa484", "-f", "jsonl")
    equal([row["note"] for row in json_lines(done.stdout)], [None, None])


def test_cards_without_tables(directory):
    pc = machine(directory, boot0=BOOT_0["gk104"], device=0x1180)
    done = pc.run("mmio", "read", "pci:01:00.0", "0x0")
    equal(done.returncode, 0)
    contains(done.stdout, "0x000000  -                           0x0e4000a2")
    contains(done.stderr, "whose registers are not known")
    done = pc.run("mmio", "read", "pci:01:00.0", "BOOT_0")
    equal(done.returncode, 2)
    contains(done.stderr, "expected an address")


def test_intel(directory):
    """Domains are reported, and woken on request only, with the bit that the kernel does not use."""
    pc = machine(directory, vendor=0x8086, device=0x1912, boot0=0)
    before = pc.image()
    done = pc.run("mmio", "read", "pci:01:00.0", "OACONTROL")
    equal(done.returncode, 0, done.stderr)
    contains(done.stdout.splitlines()[0], "FORCEWAKE_ACK_GT is 0: the power domain may sleep")
    equal(pc.image(), before)
    pc.set(0x130044, 1)  # the kernel keeps it awake
    assert "may sleep" not in pc.run("mmio", "read", "pci:01:00.0", "OACONTROL").stdout
    process = pc.start("mmio", "watch", "pci:01:00.0", "--allow-mmio", "--wake", "--interval", "5ms",
                       "OACONTROL.ENABLE=1", "FORCEWAKE_GT.FALLBACK=1", "OACONTROL", "FORCEWAKE_GT")
    contains([process.stdout.readline() for _ in range(3)][1], "OACONTROL                                           "
             "          0x00000001")
    equal((pc.get(0x2b00), pc.get(0xa188)), (1, 0x80008000))
    process.send_signal(signal.SIGTERM)
    equal(process.wait(30), 0)
    equal((pc.get(0x2b00), pc.get(0xa188)), (0, 0x20000), "USER and FALLBACK are released")


class Hardware(threading.Thread):
    """Domain 1 of a G92 behind the file: PTIMER runs, and PM_TRIGGER makes counts of 600 MHz readable,
    a quarter of them in CTR_PRE."""

    TRIGGER, ACK, CYCLES, PRE, TIME = 0x400084, 0xa7e4, 0xa604, 0xa704, 0x9400
    VALID = 1 << 24

    def __init__(self, pc):
        super().__init__(daemon=True)
        self.ends = False
        with open(pc.path("0000:01:00.0", "resource0"), "r+b") as file:
            self.bar = mmap.mmap(file.fileno(), 0)

    def get(self, at):
        return struct.unpack_from("<I", self.bar, at)[0]

    def put(self, at, value):
        struct.pack_into("<I", self.bar, at, value & 0xffffffff)

    def run(self):
        swapped = time.monotonic_ns()
        while not self.ends:
            now = time.monotonic_ns()
            self.put(self.TIME + 0x10, now >> 32)
            self.put(self.TIME, now & ~31)
            triggered = self.get(self.TRIGGER) & 0x20  # before the acknowledgement, as the driver writes
            if self.get(self.ACK):
                self.put(self.ACK, 0)
                self.put(MODE, self.get(MODE) & ~(3 * self.VALID))
            if triggered:
                clocks = (now - swapped) * 3 // 5
                swapped = now
                self.put(self.TRIGGER, self.get(self.TRIGGER) & ~0x20)
                self.put(self.CYCLES, clocks)
                self.put(self.PRE, clocks // 4)
                self.put(MODE, self.get(MODE) | self.VALID)
            time.sleep(0.0001)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.join()


RECORD = ("record", "-d", "pci:01:00.0", "--allow-mmio", "-p", "100ms", "-e", "busy=PGRAPH.IDLE", "-o")
PRE_SRC, PRE_OP = 0xa404, 0xa424


def registers(pc):
    return [pc.get(at) for at in (PRE_SRC, PRE_OP, EVENT_SRC)] + [pc.get(MODE) & 0xffff, pc.command()]


def prepared(directory, **card):
    """A card whose registers have values, and these."""
    pc = machine(directory, command=4, **card)
    pc.set(PRE_SRC, 0x11223344)
    pc.set(PRE_OP, 0x5555)
    pc.set(MODE, 0x2)
    return pc, registers(pc)


def busy_share(path):
    rows = json_lines(subprocess.run([TALLY, "report", "-f", "jsonl", path], capture_output=True, text=True,
                                     check=True).stdout)
    return [row for row in rows if row["type"] == "group"][-1]["counters"]["busy"]["overall"], rows[-1]["reports"]


def wait_until(condition, what):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def test_recording_is_refused(directory):
    pc = machine(directory)
    pc.add("0000:02:00.0", vendor=0x8086, device=0x0102, boot0=0)
    pc.add("0000:03:00.0", class_code=0x20000)
    pc.add("0000:05:00.0", driver="nouveau")
    pc.add("0000:06:00.0", boot0=BOOT_0["gk104"])
    for device, part, *options in [
            ("pci:01:00.0", "expected --allow-mmio"), ("pci:02:00.0", "memory that only a kernel driver"),
            ("pci:02:00.0", "memory that only a kernel driver", "--allow-mmio"),
            ("pci:03:00.0", "10de:0611 is no GPU", "--allow-mmio"), ("pci:04:00.0", "no such PCI device"),
            ("pci:4", "no PCI address"), ("pci:05:00.0", "nouveau uses the card", "--allow-mmio"),
            ("pci:05:00.0", "expected --allow-mmio", "--force")]:
        pc.fails(4, part, "record", "-d", device, "-t", "1s", "-o", os.path.join(directory, "out"), *options)
    pc.fails(4, "record mode writes packets to memory, which only a kernel driver can give the card", "record",
             "-d", "pci:01:00.0", "--allow-mmio", "--packets", "-e", "PGRAPH.IDLE", "-t", "1s", "-o",
             os.path.join(directory, "out"))
    pc.fails(2, "need an emulated GPU", "record", "-d", "pci:01:00.0", "--allow-mmio", "--workload", "triangle")


def test_recording_of_a_card_that_does_not_count(directory):
    """Without hardware behind the file nothing swaps: one line, and all registers are put back."""
    pc, before = prepared(directory)
    path = os.path.join(directory, "out")
    done = pc.run(*RECORD, path, "-t", "1s")
    equal((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
    assert "does not run" in done.stderr or "cannot be counted" in done.stderr, done.stderr
    equal((registers(pc), pc.states(), os.path.exists(path)), (before, [], False))


def test_a_card_is_recorded(directory):
    pc, before = prepared(directory)
    path = os.path.join(directory, "out")
    with Hardware(pc):
        done = pc.run(*RECORD, path, "-t", "1s")
        equal(done.returncode, 0, done.stderr)
        share, reports = busy_share(path)
        assert abs(share - 25) < 0.01 and reports >= 4, (share, reports)
        equal((registers(pc), pc.states()), (before, []))
        info = json_lines(subprocess.run([TALLY, "info", "-f", "jsonl", path], capture_output=True, text=True,
                                         check=True).stdout)[0]
        equal((info["chipset"], info["device"]), ("g92", "0x0611"))
        equal([(domain["domain"], domain["hz"] > 0) for domain in info["domains"]], [("1", True)])
        for number in (signal.SIGINT, signal.SIGTERM):
            process = pc.start(*RECORD, path, "-q")
            wait_until(lambda: registers(pc) != before and os.path.exists(path), "the recording begins")
            equal(len(pc.states()), 1)
            time.sleep(0.3)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            equal((process.returncode, out, err), (0, "", ""))
            equal((registers(pc), pc.states()), (before, []), f"after signal {number}")
            assert busy_share(path)[1] >= 2


def test_a_recording_that_is_killed(directory):
    pc, before = prepared(directory)
    path = os.path.join(directory, "out")
    with Hardware(pc):
        process = pc.start(*RECORD, path, "-q")
        wait_until(lambda: registers(pc) != before and os.path.exists(path), "the recording begins")
        time.sleep(0.3)
        process.kill()
        process.communicate()
        assert registers(pc) != before
        done = pc.run(*RECORD, path, "-t", "1s")
        equal(done.returncode, 4)
        contains(done.stderr, "tally doctor --restore")
        contains(pc.run("doctor", "--restore").stdout, " changes put back")
        equal((registers(pc), pc.states()), (before, []))
        equal(pc.run(*RECORD, path, "-t", "200ms").returncode, 0)


def test_doctor(directory):
    pc = machine(directory)
    pc.add("0000:02:00.0", vendor=0x8086, device=0x0102, driver="i915", boot0=0)
    pc.add("0000:03:00.0", class_code=0x20000)
    pc.add("0000:04:00.0", power="D3cold")
    before = pc.image()
    text = pc.run("doctor").stdout
    for part in [r"yes  pci:0000:01:00\.0 +10de:0611 G92 \(BOOT_0 0x092880a1\)\n",
                 r"yes    kernel driver +none\n", r"yes    permission +BAR 0, 16 MiB; writes with --allow-mmio\n",
                 r"yes    power +D0\n", r"yes  pci:0000:02:00\.0 +8086:0102 Sandy Bridge",
                 r"no     kernel driver +i915; writes need --force, or: echo 0000:02:00\.0 >/sys/bus/pci/drivers/i915/unbind",
                 r"no   pci:0000:04:00\.0", r"no     power +D3cold; its registers do not respond"]:
        assert re.search(part, text), (part, text)
    assert "03:00.0" not in text, text
    equal(pc.image(), before, "the doctor changes nothing")


if __name__ == "__main__":
    main()
