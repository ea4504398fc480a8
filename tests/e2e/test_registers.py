# SPDX-License-Identifier: MIT
"""Registers and commands are named: sources neither retype a documented address, an opcode or an
offset in configuration space, nor shift a field by a number."""
import collections
import os
import re

from e2e import SOURCE, equal, json_lines, main, tally

# Folders and files that are checked, the option and values with which `tally list registers` lists
# the registers that they must not retype, and the folder of their .def files.
BLOCKS = [
    (("src/intel", "src/driver"), "--platform", ("ivb", "hsw", "chv", "skl", "lkf", "tgl"),
     "src/intel"),
    (("src/nvidia", "src/testbench/pct.c", "src/testbench/pct_trace.c", "src/testbench/pct_wave.c",
      "src/driver/perfmon", "src/cli/explain_plan.c", "src/cli/registers.c", "src/cli/list_nvidia.c", "src/cli/packets.c"), "--chipset",
     ("nv10", "nv20", "nv30", "nv40", "g84", "g92", "gf100"), "src/nvidia"),
]

# Offsets in configuration space are small numbers, so only these files are searched for them.
PCI_FILES = [f"src/intel/{name}.c"
             for name in ("gt/pci", "gt/pci_decode", "gt/pci_interrupt", "gpu/pci")]

# Files whose words are waves, one bit per clock, or truth tables: they shift no registers.
WAVES = [f"src/nvidia/pcounter/{name}.c" for name in ("evaluate", "feedback", "imports", "logic")]

# Lines that shift values other than registers: (file, part of the line).
OTHER_SHIFTS = [
    ("src/intel/cs/streamer.h", "(uint64_t)space << 12"),  # page numbers
    ("src/intel/gt/forcewake.c", "(kind) << 8"),             # ids of rows
    ("src/intel/gt/forcewake.c", "(id) >> 8"),
    ("src/intel/gt/interrupts_flat.c", "(kind) << 4"),
    ("src/intel/gt/interrupts_flat.c", "(id) >> 4"),
    ("src/intel/oa/noa.h", "NOA_"),                          # flags of rows
    ("src/intel/oa/triggers.c", "i >> 2 == 3"),              # two inputs of four
    ("src/intel/oa/triggers.c", "invert_c >> 1"),
    ("src/intel/oa/values.c", ".fired << 1"),                # values of a snapshot
    ("src/intel/oa/values.c", "tail_wrap << 1"),
    ("src/intel/workload/load.c", "activity->length << 20"), # fixed point
    ("src/intel/workload/program.c", "(uint64_t)unit << 8"), # seeds
    ("src/nvidia/pcounter/mmio.c", "flag_history >> 1 & 1"),     # clocks
    ("src/nvidia/pcounter/mmio.c", "PRE) >> 2"),                 # two signals of four
    ("src/nvidia/pcounter/mmio.c", "START) >> 2"),
    ("src/nvidia/pcounter/counting.c", "word << 1 | last"),     # waves
    ("src/nvidia/pcounter/counting.c", "word >> 63"),
    ("src/nvidia/pcounter/leap_functions.c", "table >> 1"),     # rows of a truth table
    ("src/nvidia/pcounter/run.c", "flags << 1 | bit_at"),       # clocks
    ("src/nvidia/pcounter/run.c", "flag_history >> 2 & 1"),
    ("src/nvidia/pcounter/signals.c", "flag_history >> 2 & 1"),
    ("src/nvidia/pcounter/signals.c", "first | second << 1"),
    ("src/driver/i915/execbuffer.c", "(address << 16) >> 16"),  # canonical addresses
    ("src/driver/i915/gem.c", "BUSY_READ"),                  # the kernel's interface
    ("src/driver/nouveau/gem.c", "flags >> 8"),
    ("src/driver/nouveau/perfdom.c", "UINT32_C(1) << 31"),
]

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
# A field that is extracted or inserted by a number: x >> 3 & 7, (x & 7) << 3, 1u << 3. Not 32 (halves
# of 64 bits), sizes such as UINT64_C(1) << 20, or shifts by a variable.
SHIFT = re.compile(r"(?:>>|<<) *(\d+)\b(?! *\*)")
SIZE = re.compile(r"UINT64_C\(\d+\) *<< *\d+|\b\d+u? << (?:10|20|30)\b|\(1u? << 0\)")
LITERAL = re.compile(r"\b(?:0[xX][0-9a-fA-F]+)(?=[uUlL]*\b)")
OPCODE = re.compile(r"^CMD\((\w+), .*?, (MI|PIPE)\((0x[0-9a-f]+)\)", re.M)
PCI_ROW = re.compile(r"^[A-Z0-9 ]+,GRAPHICS,([0-9a-f]+),", re.M)
ROW = re.compile(r"\bREG(?:_ARRAY[23]?)?\(\w+, \"[^\"]*\", (0x[0-9a-f]+)")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def files(folders, endings):
    for folder in folders:
        if os.path.isfile(os.path.join(SOURCE, folder)):
            yield folder
        for path, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in sorted(names):
                if name.endswith(endings):
                    yield os.path.relpath(os.path.join(path, name), SOURCE)


def elements(row):
    """Returns the addresses of a register, or of all elements of an array."""
    found = [row["address"]]
    for dimension in row["dimensions"]:
        found = [address + i * dimension["stride"]
                 for address in found for i in range(dimension["count"])]
    return found


# Addresses that are common for other reasons: a truth table.
COMMON = {0xcccc}


def addresses(option, names, folder):
    """What `tally list registers` lists, and what only the .def files name. Round numbers are sizes
    more often than addresses, and small ones are too common."""
    found = set()
    for name in names:
        rows = tally("list", "registers", option, name, "--format", "jsonl").stdout
        for row in json_lines(rows):
            if row["type"] == "register":
                found.update(elements(row))
    for path in files((folder,), (".def",)):
        found.update(int(address, 16) for address in ROW.findall(read(path)))
    return {address for address in found - COMMON if address >= 0x1000 and address % 0x1000}


def commands():
    """The opcodes of MI and pipeline commands, which are bits 31:16 of the first dword (the lower
    seven are 0 in an MI opcode), with a symbol each. MI_NOOP is 0, as many numbers are."""
    found = {}
    for symbol, kind, code in OPCODE.findall(read("src/intel/cs/commands.def") +
                                              read("src/intel/cs/commands_mi.def")):
        found.setdefault(int(code, 16) << (7 if kind == "MI" else 0), symbol)
    del found[0]
    return found


def command(number, opcodes):
    """Returns the symbol of the command with this first dword, or None."""
    return opcodes.get(number >> 16 & 0xff80 if number < 1 << 29 else number >> 16)


def configuration_offsets():
    """The offsets of 0:2:0's registers; not those below 10h, which are too common."""
    rows = PCI_ROW.findall(read("data/pci/registers.csv"))
    return {int(offset, 16) for offset in rows if int(offset, 16) >= 0x10}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def mistakes(path, text, documented, opcodes, offsets=()):
    """(line, what) of each retyped address, opcode or offset, and of each bare shift."""
    code = STRING.sub(blank, COMMENT.sub(blank, text))
    for number, line in enumerate(code.split("\n"), 1):
        for literal in LITERAL.findall(line):
            if int(literal, 16) in documented:
                yield number, f"{literal} is the address of a register: use its name"
            if command(int(literal, 16), opcodes):
                yield number, f"{literal} is the header of {command(int(literal, 16), opcodes)}"
            if int(literal, 16) in offsets:
                yield number, f"{literal} is an offset of a PCI register: find it by its behaviour"
        rest = SIZE.sub("", line)
        if path in WAVES or any(path == file and part in line
                                for file, part in OTHER_SHIFTS):
            continue
        for bits in SHIFT.findall(rest):
            if bits not in ("0", "32"):
                yield number, f"shift by {bits}: use REG_GET(), REG_PUT() or REG_MASK()"


def check(path, documented, opcodes, offsets):
    found = mistakes(path, read(path), documented,
                     opcodes if path.startswith(("src/intel/", "src/driver/")) else {},
                     offsets if path in PCI_FILES else ())
    return [f"{path}:{line}: {what}" for line, what in found]


def test_registers_are_named():
    opcodes, offsets = commands(), configuration_offsets()
    assert len(opcodes) > 40 and len(offsets) > 60, (len(opcodes), len(offsets))
    assert all(os.path.exists(os.path.join(SOURCE, path)) for path in PCI_FILES)
    for sources, *registers in BLOCKS:
        documented = addresses(*registers)
        assert len(documented) > 300, (sources, len(documented))
        equal([found for path in files(sources, (".c", ".h"))
               for found in check(path, documented, opcodes, offsets)], [])


def test_exceptions_are_needed():
    unneeded = [path for path in WAVES
                if not os.path.exists(os.path.join(SOURCE, path)) or
                not SHIFT.search(COMMENT.sub(blank, read(path)))]
    unneeded += [f"{path}: {part}" for path, part in OTHER_SHIFTS if part not in read(path)]
    equal(unneeded, [])


def test_planted_mistakes_are_found():
    documented = addresses("--platform", ("hsw", "tgl"), "src/intel")
    documented |= addresses("--chipset", ("nv40", "gf100"), "src/nvidia")
    opcodes, offsets = commands(), configuration_offsets()
    planted = [
        ("    write32(device, 0x2360, 0);", 1),
        ("#define OACONTROL 0x2B00u", 1),
        ("    {HSW, GROUP_MUX, 0x9e84, 0x9ea4},", 2),  # inside an array, and its last element
        ("    read32(device, 0xd92c);", 1),
        ("    tally_pcounter_write32(engine, 0xa7c4, 2);", 1),
        ("    bool enable = value >> 23 & 1;", 1),
        ("    value |= (uint32_t)period << 6 | 1u << 5;", 2),
        ("    id |= 1u << 31;", 1),
        ("#define LRI 0x11000000u", 1),
        ("    dword = 0x10400000 | 2;", 1),            # MI_STORE_DATA_IMM with a field
        ("    command == 0x05000000u;", 1),
        ("    PIPE = 0x7a000000,", 1),
        ("    if (reg->offset == 0xd4 || reg->offset == 0x33a)", 2),
        ("    value = number & 0xffff0000u & 0x80000000 & 0x7fffffff;", 0),
        ("    uint64_t high = low | (uint64_t)value << 32;", 0),
        ("    uint32_t half = value >> 4 * i;", 0),
        ("    size = UINT64_C(2) << 30;", 0),
        ('    tell("0x2360 >> 4"); /* 0x2360 >> 4 */', 0),
    ]
    counts = collections.OrderedDict((line, count) for line, count in planted)
    equal({line: len(list(mistakes("planted.c", line, documented, opcodes, offsets)))
           for line in counts},
          dict(counts))


if __name__ == "__main__":
    main()
