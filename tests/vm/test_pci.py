# SPDX-License-Identifier: MIT
"""The PCI device in a guest, as lspci, setpci, sysfs and intel_reg see it; with and without i915."""
import os
import re

from vm import log_of, problems, vm

from e2e import BUILD, Skip, equal, main, need_program

CLIENT = os.path.join(BUILD, "tests", "bar0")

# Lakefield's registers of conventional space: offset and bytes of document 004, "PCI Device Registers".
# The last row has what the PCI specification demands besides: revision, class code, Device Control.
DOCUMENTED = [
    (0x00, 8), (0x0c, 4), (0x10, 8), (0x18, 8), (0x20, 4), (0x2c, 4), (0x30, 4), (0x34, 1), (0x3c, 4),
    (0x40, 12), (0x50, 2), (0x54, 4), (0x58, 4), (0x60, 4), (0x70, 2), (0x72, 2), (0x74, 4), (0x7a, 2),
    (0xac, 2), (0xae, 2), (0xb0, 4), (0xb4, 2), (0xb8, 4), (0xbc, 4), (0xc0, 8), (0xc8, 8), (0xd0, 2),
    (0xd2, 2), (0xd4, 2), (0xe0, 2), (0xe4, 4), (0xe8, 2), (0xfc, 4),
    (0x08, 4), (0x78, 2)]

# What lspci makes of them: the register, and the text. The driver is not bound.
DECODED = [
    ("VID2, DID2, CC", r"^00:02\.0 0300: 8086:9840 \(rev 07\)$"),
    ("PCISTS2", r"Status: Cap\+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-$"),
    ("SVID2, SID2", r"Subsystem: 8086:9840$"),
    ("INTRPIN", r"Interrupt: pin A routed"),
    ("GTTMMADR", r"Region 0: Memory at [0-9a-f]+ \(32-bit, non-prefetchable\) \[size=16M\]"),
    ("GMADR", r"Region 2: Memory at [0-9a-f]+ \(32-bit, prefetchable\) \[size=256M\]"),
    ("IOBAR", r"Region 4: I/O ports at [0-9a-f]+ \[size=64\]"),
    ("CAPCTRL0", r"\[40\] Vendor Specific Information: Len=0c"),
    ("PCIECAP", r"\[70\] Express \(v2\) Root Complex Integrated Endpoint, MSI 00$"),
    ("DEVICECAP", r"DevCap:\tMaxPayload 128 bytes, PhantFunc 0$"),
    ("DEVICECAP", r"ExtTag- RBE\+ FLReset\+$"),
    ("DEVICECTL", r"RlxdOrd- ExtTag- PhantFunc- AuxPwr- NoSnoop- FLReset-$"),
    ("DEVICESTS", r"DevSta:\tCorrErr- NonFatalErr- FatalErr- UnsupReq- AuxPwr- TransPend-$"),
    ("MC", r"\[ac\] MSI: Enable- Count=1/1 Maskable\+ 64bit-$"),
    ("MSI_MASK, MSI_PEND", r"Masking: 00000000  Pending: 00000000$"),
    ("PMCAP", r"\[d0\] Power Management version 2$"),
    ("PMCAP", r"Flags: PMEClk- DSI\+ D1- D2- AuxCurrent=0mA PME\(D0-,D1-,D2-,D3hot-,D3cold-\)$"),
    ("PMCS", r"Status: D0 NoSoftRst- PME-Enable- DSel=0 DScale=0 PME-$"),
]

EXPRESS = ["40 Vendor", "70 Express", "ac MSI", "d0 Power"]
CONVENTIONAL = ["90 MSI", "d0 Power", "a4 PCI"]

# Runs in the guest. {ts}, {wake}: TIMESTAMP and a request for force wake; {kept}, {lost}: a register that
# a function level reset keeps, and one that it resets; {flr}: writes the reset bit.
SCRIPT = """
s=/sys/bus/pci/devices/0000:00:02.0
d=$s/driver
get() {{ echo $1 $(setpci -s 00:02.0 $2); }}
put() {{ setpci -s 00:02.0 "$@"; }}
echo bound $(basename $(readlink $d))
lspci -nvvvxxxx -s 00:02.0 >bound
echo methods $(cat $s/reset_method)

echo control-file $(cat $s/power/control)
echo 100 >$s/power/autosuspend_delay_ms
for i in 1 2 3 4 5 6 7 8; do
    case $(cat $s/power/runtime_status) in suspended) break ;; esac
    sleep 1
done
echo suspended $(cat $s/power/runtime_status $s/power_state) $(setpci -s 00:02.0 d4.w)
cat /sys/kernel/debug/dri/0/i915_gpu_info >/dev/null 2>&1 || cat $s/drm/card0/gt/gt0/act_freq_mhz >/dev/null 2>&1
if [ -e $d ]; then echo 0000:00:02.0 >$d/unbind; fi
echo unbound $(ls $s/driver 2>/dev/null) $(cat $s/power_state)

echo on >$s/power/control
put 04.w=7
lspci -nvvvxxxx -s 00:02.0 >unbound
put 04.w=ffff; get command 04.w
put 04.w=7
get id 00.l; put 00.l=12345678; get id-written 00.l
get subsystem 2c.l; put 2c.l=12345678; get subsystem-written 2c.l
put 06.w=ffff; get status 06.w
put 3c.w=ff55; get line-and-pin 3c.w
put d4.w=1; get d1 d4.w
put {control}; get stored {control_read}
put {control_read}=0
bars=$(setpci -s 00:02.0 10.l 14.l 18.l 1c.l 20.l)
put 04.w=4 10.l=ffffffff 14.l=ffffffff 18.l=ffffffff 1c.l=ffffffff 20.l=ffffffff
echo sizes $(setpci -s 00:02.0 10.l 14.l 18.l 1c.l 20.l)
set -- $bars
put 10.l=$1 14.l=$2 18.l=$3 1c.l=$4 20.l=$5 04.w=7
[ "$bars" = "$(setpci -s 00:02.0 10.l 14.l 18.l 1c.l 20.l)" ] && echo restored

values() {{ echo "$1" $(shift; {client} "$@" | cut -d' ' -f2); }}
values register {wake} {stored}=deadb000 {stored} {stored}=0 {stored}
values time {wake} {ts} {ts}
values memory-off {wake} {stored}=5a5a5000 {stored} pci4=4 {stored} pci4=6 {stored}
values slept {wake} {stored}=5a5a5000 pcid4=3 {stored} pcid4=0
get after-d3 04.w; get bar-after-d3 10.l
put 10.l=$1 18.l=$3 20.l=$5 04.w=7
values woken {wake} {stored}
for method in {methods}; do
    echo $method >$s/reset_method
    values before-$method {wake} {stored}=5a5a5000 {stored}
    put 3c.b=77
    echo 1 >$s/reset; echo reset-$method $?
    get restored-$method 04.w; get bar-$method 10.l; get line-$method 3c.b
    values after-$method {wake} {stored}
done
put {flr}
get flr 04.w; get flr-bar 10.l; get flr-subsystem 2c.l
put 10.l=$1 18.l=$3 20.l=$5 04.w=7
values after-flr {wake} {stored}
echo auto >$s/power/control; sleep 1
echo idle $(cat $s/power/runtime_status $s/power_state)
echo on >$s/power/control
{extra}
if [ -d /sys/bus/pci/drivers/i915 ]; then
    echo 0000:00:02.0 >/sys/bus/pci/drivers/i915/bind
    echo again $(basename $(readlink $s/driver)) $(ls /dev/dri)
fi
"""

# Reads by the names and by the addresses that intel_reg knows, and a dump, which must not fail.
INTEL_REG = """
intel_reg write 0x{wake_address} 0x{wake_value}
echo intel-reg $(intel_reg read 0x{ts} 2>/dev/null) $(intel_reg read 0x{ts} 2>/dev/null)
intel_reg write 0x{stored} 0x00c0f000 2>/dev/null
echo intel-reg-written $(intel_reg read 0x{stored} 2>/dev/null)
intel_reg dump >dump 2>/dev/null; echo intel-reg-dump $?
"""


class Row:
    """What differs: the chain, methods of reset, the sizes of BARs, and registers for the client."""

    def __init__(self, chain, size, wake, sleeps=True, awake=False):
        express = chain is EXPRESS
        self.chain = chain
        self.methods = ["flr" if express else "af_flr", "pm"]
        self.flr = "78.w=8000" if express else "a8.b=1"
        self.control = ("78.w=7fff", "78.w", "7fff") if express else ("92.w=fffe", "92.w", "0070")
        self.size = size
        self.wake = wake
        self.sleeps = sleeps
        self.awake = awake


# TIMESTAMP is in render's domain. HSW's driver is kept awake (docs/vm.md), SNB's does not sleep.
GPUS = {
    "lkf": Row(EXPRESS, 0xff000000, "a278=10001"),
    "tgl": Row(EXPRESS, 0xff000000, "a278=10001"),
    "icl": Row(EXPRESS, 0xff000000, "a278=10001"),
    "skl": Row(EXPRESS, 0xff000000, "a278=10001"),
    "hsw": Row(CONVENTIONAL, 0xffc00000, "a188=10001", sleeps=False, awake=True),
    "snb": Row(CONVENTIONAL, 0xffc00000, "a18c=1", sleeps=False),
}
TIMESTAMP, STORED = "2358", "2038"


def run(gpu, directory):
    need_program("lspci")
    need_program("setpci")
    row = GPUS[gpu]
    has_tool = gpu in ("lkf", "tgl", "hsw") and need_tool()
    extra = INTEL_REG.format(wake_address=row.wake.split("=")[0], wake_value=row.wake.split("=")[1],
                             ts=TIMESTAMP, stored=STORED) if has_tool else ""
    script = SCRIPT.format(client=CLIENT, wake=row.wake, ts=TIMESTAMP, stored=STORED, flr=row.flr,
                           methods=" ".join(row.methods), control=row.control[0],
                           control_read=row.control[1], extra=extra)
    log = os.path.join(directory, "kernel.log")
    options = ["--quiet", "--log", log, "--add", "lspci", "--add", "setpci", "--add", CLIENT]
    done = vm("sh", "-c", script, gpu=gpu, cwd=directory,
              options=options + (["--add", "intel_reg"] if has_tool else []))
    equal(done.returncode, 0, done.stdout + done.stderr)
    return {line.split(" ")[0]: line.split()[1:] for line in done.stdout.splitlines() if line}, \
        problems(log_of(log))


def need_tool():
    try:
        return bool(need_program("intel_reg"))
    except Skip:
        return False


def text_of(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read()


def chain_of(text):
    """The capabilities in the order of the list."""
    return [f"{offset} {word}" for offset, word in
            re.findall(r"Capabilities: \[(\w+)\] (\w+)", text)]


def check(gpu, directory):
    row = GPUS[gpu]
    rows, reported = run(gpu, directory)
    failures = [f"kernel: {line}" for line in reported]

    def expect(key, *expected):
        if rows.get(key) != list(expected):
            failures.append(f"{key}: {rows.get(key)}, expected {list(expected)}")
    bound = text_of(directory, "bound")
    expect("bound", "i915")
    expect("methods", *row.methods)
    for name in ("bound", "unbound"):
        if chain_of(text_of(directory, name)) != row.chain:
            failures.append(f"{name}: {chain_of(text_of(directory, name))}, expected {row.chain}")
    for text in (r"BusMaster\+.* DisINTx\+", r"MSI: Enable\+ ", "Kernel driver in use: " + "i915"):
        if not re.search(text, bound):
            failures.append(f"bound: no {text}")
    expect("control-file", "on" if row.awake else "auto")
    if row.sleeps:
        expect("suspended", "suspended", "D3hot", "0003")
    expect("unbound", "D0")
    expect("command", "0407")
    equal(rows["id-written"], rows["id"])
    equal(rows["id"][0][4:], "8086")
    expect("subsystem", *rows["id"])  # this machine's firmware
    expect("subsystem-written", *rows["subsystem"])
    expect("status", "0090" if row.chain is CONVENTIONAL else "0010")
    expect("line-and-pin", "0155")
    expect("d1", "0000")
    expect("stored", row.control[2])
    expect("sizes", f"{row.size:08x}", "00000000", "f0000008", "00000000", "ffffffc1")
    expect("restored")
    check_registers(rows, row, failures, expect)
    equal(failures, [], gpu)
    return text_of(directory, "unbound")


def check_registers(rows, row, failures, expect):
    expect("register", "deadb000", "00000000")
    first, second = (int(word, 16) for word in rows["time"])
    if not 0 < (second - first) % 2**32 < 2**30:
        failures.append(f"TIMESTAMP: {rows['time']}")
    expect("memory-off", "5a5a5000", "00000000", "5a5a5000")  # QEMU's bus, where nothing is mapped
    expect("slept", "ffffffff")
    expect("after-d3", "0000")
    expect("bar-after-d3", "00000000")
    expect("woken", "00000000")
    for method in row.methods:
        expect("before-" + method, "5a5a5000")
        expect("reset-" + method, "0")
        expect("restored-" + method, "0007")
        expect("line-" + method, "77")
        expect("after-" + method, "00000000")
    expect("flr", "0000")
    expect("flr-bar", "00000000")
    expect("flr-subsystem", *rows["subsystem"])
    expect("after-flr", "00000000")
    expect("idle", "suspended", "D0")  # the kernel leaves a device without a driver in D0
    expect("again", "i915", "card0", "renderD128")
    if "intel-reg-dump" in rows:
        check_tool(rows, failures, expect)


def check_tool(rows, failures, expect):
    """What intel_reg prints: (address): value."""
    times = [int(word, 16) for word in rows["intel-reg"][1::2]]
    if len(times) != 2 or not 0 < (times[1] - times[0]) % 2**32 < 2**30:
        failures.append(f"intel_reg read: {rows['intel-reg']}")
    expect("intel-reg-written", f"(0x{int(STORED, 16):08x}):", "0x00c0f000")
    expect("intel-reg-dump", "0")


def test_lkf(directory):
    """Lakefield as document 004 has it: what lspci decodes, and nothing where it has no register."""
    text = check("lkf", directory)
    failures = [f"{register}: no {pattern}" for register, pattern in DECODED
                if not re.search(pattern, text, re.MULTILINE)]
    dump = [int(byte, 16) for line in re.findall(r"^[0-9a-f]{2}: (.*)$", text, re.MULTILINE)
            for byte in line.split()]
    equal(len(dump), 256, "the proxy is a conventional device")
    known = {offset + i for offset, size in DOCUMENTED for i in range(size)}
    failures += [f"{offset:#x}: {byte:#x}, where the document has no register"
                 for offset, byte in enumerate(dump) if byte and offset not in known]
    equal(failures, [])


def test_tgl(directory):
    check("tgl", directory)


def test_icl(directory):
    check("icl", directory)


def test_skl(directory):
    check("skl", directory)


def test_hsw(directory):
    check("hsw", directory)


def test_snb(directory):
    check("snb", directory)


if __name__ == "__main__":
    main()
