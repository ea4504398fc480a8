# SPDX-License-Identifier: MIT
"""Mistakes of a new user: each gets one line that says what is wrong and where, and names the nearest right word."""
import os
import shutil
import subprocess

from e2e import SAMPLES, TALLY, Skip, contains, equal, main

# Command line, exit status, parts of the message. r.perf is a recording; files are made by prepare().
# fmt: off
ROWS = [
    # Commands and options.
    ("reprot r.perf", 2, 'unknown command "reprot", expected report (see tally help)'),
    ("help reprot", 2, 'unknown command "reprot", expected report'),
    ("--hlep", 2, 'unknown command "--hlep", expected help'),
    ("report", 2, "report: expects FILE; see tally help report"),
    ("report r.perf extra", 2, 'report: unexpected argument "extra"'),
    ("report --formt csv r.perf", 2, "report: unknown option --formt, expected --format (see tally help report)"),
    ("report -p hsw r.perf", 2, "report: unknown option -p, expected --platform"),
    ("report --quiet=yes r.perf", 2, "report: option --quiet=yes takes no value, expected --quiet"),
    ("report r.perf -f", 2, "report: option -f expects an argument"),
    ("completion bahs", 2, 'completion: unknown shell "bahs", expected bash, zsh or fish'),
    ("doctor extra", 2, 'doctor: unexpected argument "extra"'),
    # Files.
    ("report r.prf", 2, "r.prf: cannot open: No such file or directory, expected r.perf"),
    ("info d/r.prf", 2, "d/r.prf: cannot open: No such file or directory, expected d/r.perf"),
    ("decode --layout pcounter/long r.prf", 2, "r.prf: ", "expected r.perf"),
    ("why GpuBusy r.prf", 2, "r.prf: cannot open", "expected r.perf"),
    ("sim quad.ptc", 2, "quad.ptc: No such file or directory, expected quad.pct"),
    ("lint w.yml", 2, "w.yml: ", "expected w.yaml"),
    ("report d", 2, "d: is a directory, expected a recording"),
    ("report empty.perf", 3, "empty.perf: empty, expected a recording"),
    ("report text.txt", 3, "text.txt: not a recording", "offset 0x0, expected VERSION"),
    ("info cut.perf", 3, "cut.perf: DEVICE_INFO record at offset 0x10 is cut short"),
    ("report -o r.perf r.perf", 2, "r.perf is the input; expected another output file"),
    ("report -o nowhere/x.csv r.perf", 2, "nowhere/x.csv: cannot write: No such file or directory"),
    ("report -o d r.perf", 2, "d: cannot write: Is a directory"),
    ("sim r.perf", 3, "r.perf:1: byte 0x00 at column 1, expected ASCII text"),
    # Formats.
    ("report -f json r.perf", 2, '--format "json", expected table, csv or jsonl; did you mean jsonl?'),
    ("export -f cvs r.perf", 2, '--format "cvs"', "did you mean csv?"),
    ("list sets -f xml", 2, '--format "xml", expected table, csv or jsonl'),
    # Counters and sets.
    ("report -c GpuBuzy r.perf", 2, 'no counter of RenderBasic matches "GpuBuzy", expected GpuBusy'),
    ("report -c GpuBusy,EuActiv r.perf", 2, 'matches "EuActiv", expected EuActive'),
    ("report -m RenderBasics r.perf", 2, "unknown metric set RenderBasics for HSW, expected RenderBasic or another one in "),
    ("explain RenderBasics.EuActive --platform hsw", 2, "unknown metric set RenderBasics for HSW, expected RenderBasic"),
    ("explain RenderBasic.EuActiv --platform hsw", 2, 'unknown counter "EuActiv" of RenderBasic, expected EuActive'),
    ("explain EuActive", 2, "explain: expects --platform, --chipset or FILE@REPORT"),
    ("explain EuActive r.perf", 2, 'explain: "r.perf", expected FILE@REPORT'),
    ("explain EuActive r.perf@99999", 2, "no delta starts at report 99999: r.perf has 377 reports"),
    ("why GpuBuzy r.perf", 2, 'why: unknown counter "GpuBuzy", expected GpuBusy'),
    ("find gpubsy", 1, 'matches "gpubsy", expected GpuBusy'),
    ("list counters RenderBasics --platform hsw", 2, 'unknown metric set "RenderBasics" for hsw, expected RenderBasic'),
    # Comparisons.
    ("compare r.perf", 2, "compare: expects A and B, or --baseline A and one B or more; see tally help compare"),
    ("compare r.perf r.perf r.perf", 2, "compare: expects A and B, or --baseline A"),
    ("compare r.perf r.prf", 2, "r.prf: cannot open: No such file or directory, expected r.perf"),
    ("compare --baseline r.prf r.perf", 2, "r.prf: cannot open: No such file or directory, expected r.perf"),
    ("compare --baseline closed r.perf", 2, "closed: no recordings in this directory"),
    ("compare text.txt r.perf", 3, "text.txt: not a recording"),
    ("compare --threshold 5 r.perf r.perf", 2, 'compare: --threshold "5", expected a share such as 5%'),
    ("compare --threshold EuActiv=5% r.perf r.perf", 2, 'no compared counter matches "EuActiv", expected EuActive'),
    ("compare --alpha 5% r.perf r.perf", 2, 'compare: --alpha "5%", expected a probability such as 0.01'),
    ("compare --interval 10 r.perf r.perf", 2, 'compare: --interval "10", expected a time such as 1ms'),
    ("compare --by contxt r.perf r.perf", 2, '--by "contxt", expected context, reason'),
    ("compare -f html5 r.perf r.perf", 2, '--format "html5", expected table, csv, jsonl or html; did you mean html?'),
    ("compare -c GpuBuzy r.perf r.perf", 2, 'matches "GpuBuzy", expected GpuBusy'),
    ("compare r.perf /dev/stdin", 3, "/dev/stdin"),
    # Checks.
    ("check r.perf", 2, "check: expects a condition, such as 'EuActive > 60%', or --budget"),
    ("check r.perf EuActive", 2, 'check: condition "EuActive", expected >, >=, <, <= or within'),
    ("check r.perf EuActive>60%%", 2, 'check: condition "EuActive>60%%", expected in and a place'),
    ("check r.perf EuActive>60percent", 2, "expected a unit: %, ns, us"),
    ("check r.perf p96(EuActive)>60%", 2, "expected overall, min, mean, p50, p95, p99, max or sum"),
    ("check r.perf EuActiv>60%", 2, 'r.perf: unknown counter "EuActiv" of RenderBasic, expected EuActive'),
    ("check r.perf EuActive>60ms", 2, "EuActive: the bound is in ms, expected percent"),
    ("check r.perf sum(EuActive)>60%", 2, "sum(EuActive): a sum of percent has no meaning"),
    ("check r.perf EuActive>60%/s", 2, "EuActive: a bound per second, expected percent"),
    ("check r.perf max(PsThreads)>60M/s", 2, "max(PsThreads): a bound per second is for the mean"),
    ("check r.perf EuActive<within5%", 2, "expected a number"),
    ("check r.perf EuActivewithin5%", 2, "expected"),
    ("check r.perf GpuBusy>1%,EuActive>1%", 2, "expected in and a place, such as in every phase"),
    ("check --allow-lost lots r.perf GpuBusy>1%", 2, 'check: --allow-lost "lots", expected a share such as 0.1% or 0.001'),
    ("check r.prf GpuBusy>1%", 2, "r.prf: cannot open: No such file or directory, expected r.perf"),
    ("check --budget w.yml r.perf", 2, "w.yml: ", "expected w.yaml"),
    ("check --budget w.yaml r.perf", 3, "w.yaml:"),
    ("check --by phase r.perf GpuBusy>1%", 2, "r.perf carries no phases; expected a recording of a modelled GPU"),
    ("check --by mark r.perf GpuBusy>1%", 2, "r.perf carries no marks; expected a recording of a program that makes marks"),
    ("report --by frame r.perf", 2, "r.perf carries no frames; expected a recording of a modelled GPU, or of a program that marks"),
    ("check -f junitt r.perf GpuBusy>1%", 2, '--format "junitt"', "did you mean junit?"),
    # Topics of tally list, registers, signals.
    ("list counter", 2, 'list: unknown list "counter", expected counters'),
    ("list registers", 2, "list: registers needs --chipset or --platform"),
    ("list registers CTLR --chipset g92", 2, 'unknown register "CTLR" of G92, expected CTRL'),
    ("list signals --chipset g93", 2, 'unknown chipset "g93", expected g92'),
    ("list signals --chipset g92 --domain 9", 2, 'domain "9", expected 0 to 7 (G92)'),
    ("list sets --platform haswell", 2, 'unknown platform "haswell", expected hsw (see tally list platforms)'),
    ("explain hsw:OACONTRL", 2, 'unknown register "OACONTRL" of Haswell, expected OACONTROL'),
    ("explain hsv:OACONTROL", 2, 'unknown platform or chipset "hsv", expected hsw'),
    ("explain hsw:OACONTROL=on", 2, 'explain: value "on", expected a 32-bit number'),
    ("explain g92 PGRAPH.IDEL", 2, 'unknown signal "PGRAPH.IDEL", expected PGRAPH.IDLE'),
    ("decode --layout hsw/a45_b8 r.perf", 2, 'unknown layout "hsw/a45_b8", expected hsw/a45_b8_c8'),
    ("mmio raed sim:g92 0", 2, 'mmio: unknown operation "raed", expected read'),
    ("mmio read sim:g92 CTLR", 2, 'unknown register "CTLR" of G92, expected CTRL'),
    # Devices.
    ("record -t 10ms", 4, "record: no GPU in this machine, expected a GPU that can be recorded; -d sim:hsw records"),
    ("record -d hsw -t 10ms", 2, 'record: device "hsw", expected sim:hsw (see tally record -d list)'),
    ("record -d sim:hws -t 10ms", 2, 'unknown device "sim:hws", expected sim:hsw'),
    ("record -d sim:hsw/gt9 -t 10ms", 2, 'unknown SKU "gt9" of hsw, expected gt1'),
    ("record -d /dev/dri/renderD199 -t 10ms", 4, "/dev/dri/renderD199: No such file or directory; see tally record -d list"),
    ("record -d /dev/null -t 10ms", 4, "/dev/null is not a GPU", "see tally record -d list"),
    ("record --workload triangle -t 10ms", 2, "need a modelled GPU, expected -d sim:hsw"),
    ("mmio read g92 0", 2, 'mmio: device "g92", expected sim:g92'),
    ("mmio read sim:g93 0", 2, 'unknown device "sim:g93", expected sim:g92'),
    ("mmio read pci:01:00 0", 2, "mmio: pci:01:00: no PCI address, expected one such as 0000:01:00.0"),
    ("emulate -d skl -- true", 2, 'emulate: device "skl", expected sim:skl'),
    ("emulate -d sim:sandybridge -- true", 2, 'unknown device "sim:sandybridge", expected sim:snb'),
    ("emulate -d sim:snb -- true", 4, "no counter interface for Sandy Bridge", "tally record -d sim:snb"),
    ("vm -d icl -- true", 2, 'vm: device "icl", expected sim:icl'),
    ("pci --socket s -d sim:iclx", 2, 'unknown device "sim:iclx", expected sim:icl'),
    ("top -d sim:hws --once", 2, 'unknown device "sim:hws", expected sim:hsw'),
    # Periods, times, sizes.
    ("record -d sim:hsw -t 10", 2, 'record: --time "10", expected a time such as 80us, 10ms or 2s'),
    ("record -d sim:hsw -p 10 -t 10ms", 2, 'record: --period "10", expected a time such as 80us'),
    ("record -d sim:hsw -p 1h -t 10ms", 2, 'record: --period "1h", expected a time'),
    ("record -d sim:hsw --ring 8MB", 2, 'record: --ring "8MB", expected a size of at least 64K, such as 8M'),
    ("report --by interval=10 r.perf", 2, '--by "interval=10", expected context', "interval=TIME such as 10ms"),
    ("report --by contxt r.perf", 2, '--by "contxt", expected context, reason'),
    ("vm --timeout soon -- true", 2, 'vm: --timeout "soon", expected a time such as 90s or 5m'),
    ("vm --memory lots -- true", 2, 'vm: --memory "lots", expected 256M to 64G'),
    # Other values of options of a modelled GPU.
    ("record -d sim:hsw -m RenderBasics -t 10ms", 2, "unknown metric set RenderBasics for HSW, expected RenderBasic"),
    ("record -d sim:hsw --workload triangel -t 10ms", 2, 'unknown workload "triangel", expected triangle'),
    ("record -d sim:hsw --workload bad.yaml -t 10ms", 3, 'bad.yaml:4: unknown unit "ps.thread", expected ps.threads'),
    ("record -d sim:hsw --fault losy -t 10ms", 2, 'unknown script of faults "losy", expected lossy'),
    ("record -d sim:hsw --fault badfault.yaml -t 10ms", 3, 'badfault.yaml:2: do "dropp": expected one of overflow, drop'),
    ("record -d sim:hsw --clock fast -t 10ms", 2, 'record: --clock "fast", expected wall or free'),
    ("record -d sim:hsw --driver i195 -t 10ms", 2, 'record: --driver "i195", expected i915 or mmio'),
    ("record -d sim:hsw --fuses slices=1 -t 10ms", 3, 'fuse "slices=1": unknown name, expected slice'),
    ("record -d sim:hsw --context abc -t 10ms", 2, 'record: --context "abc", expected a hardware context id'),
    ("record -d sim:hsw --trace mmoi -t 10ms", 2, "record: --trace mmoi, expected mmio or mmio=FILE"),
    ("record -d sim:hsw -e PGRAPH.IDLE -t 10ms", 2, "--expression and --split-ratios are for NVIDIA GPUs, and sim:hsw is not"),
    ("record -d sim:g92 -e PGRAPH.IDEL -t 10ms", 2, 'unknown signal "PGRAPH.IDEL", expected PGRAPH.IDLE'),
    ("record -d sim:g92 --packets -t 10ms", 2, "--packets expects signals to record, such as -e PGRAPH.IDLE"),
    ("record -d sim:hsw -t 10ms -o nowhere/x", 2, "nowhere/x: No such file or directory"),
    ("emulate", 2, "emulate: expects [--] PROGRAM"),
    ("emulate -- nosuchprogram", 127, "nosuchprogram: No such file or directory"),
    ("emulate --clock virtaul -- true", 2, "emulate: --clock virtaul, expected wall or virtual"),
    ("emulate --perf-revision 9 -- true", 2, "emulate: --perf-revision 9, expected 1 to 7"),
    ("emulate --memory 255M -- true", 2, 'emulate: --memory "255M", expected 256M to 64G'),
    ("emulate --memory 65G -- true", 2, 'emulate: --memory "65G", expected 256M to 64G'),
    ("emulate --memory much -- true", 2, 'emulate: --memory "much", expected 256M to 64G'),
    ("pci", 2, "pci: expects --socket PATH"),
    # Stores.
    ("store ad s.db r.perf", 2, 'store: unknown operation "ad", expected add (see tally help store)'),
    ("store add s.db", 2, "store: add expects DB and FILE...; see tally help store"),
    ("store add s.db -", 2, "store: add reads a recording twice; expected a file, not -"),
    ("store add --date yesterday s.db r.perf", 2, 'store: --date "yesterday", expected a date such as 2026-11-27'),
    ("store add r.perf r.perf", 3, "r.perf: not a store, expected one of tally store add"),
    ("store add new.db r.prf", 2, "r.prf: cannot open: No such file or directory, expected r.perf"),
    ("store add new.db text.txt", 3, "text.txt: not a recording"),
    ("store list s.db s.db", 2, 'store: unexpected argument "s.db"'),
    ("store list s.bd", 2, "s.bd: cannot open: No such file or directory, expected s.db"),
    ("store remove s.db", 2, "store: remove expects DB and ID..."),
    ("store remove s.db one", 2, 'store: recording "one", expected a number of tally store list'),
    ("store remove s.db 9", 2, "s.db: the store has no recording 9 (see tally store list s.db)"),
    ("report s.db", 3, "s.db: is a store, expected s.db#ID (see tally store list s.db)"),
    ("report s.db#9", 2, "s.db#9: the store has no recording 9 (see tally store list s.db)"),
    ("report s.db#one", 3, 's.db#one: "one" is no recording of a store, expected a number'),
    ("query s.db", 2, "query: expects DB SQL; see tally help query"),
    ("query r.perf SELECT", 3, "r.perf: not a store"),
    ("query s.db SELEC", 2, 's.db: near "SELEC": syntax error'),
    ("query s.db VACUUM", 2, "query: only SELECT is allowed, which reads this store"),
    # Scripts.
    ("sim bad.pct", 3, "bad.pct:2: 'sgi', expected sig"),
    ("sim bad.oat", 3, "bad.oat:2: peek takes: peek <name>"),
]
# fmt: on

# Files that this user may not read or write; root may.
DENIED = [
    ("report locked.perf", 4, "locked.perf: cannot open: Permission denied"),
    ("report -o closed/x.csv r.perf", 4, "closed/x.csv: cannot write: Permission denied"),
    ("lint locked.yaml", 4, "locked.yaml", "Permission denied"),
]


def prepare(directory):
    def write(name, data):
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)

    with open(f"{SAMPLES}/hsw.i915-perf", "rb") as file:
        recording = file.read()
    os.mkdir(os.path.join(directory, "d"))
    for name, data in [("r.perf", recording), ("d/r.perf", recording), ("empty.perf", b""), ("cut.perf", recording[:300]),
                       ("text.txt", b"hello there\n"), ("quad.pct", b"chipset g92\n"), ("w.yaml", b"faults: []\n"),
                       ("bad.pct", b"chipset g92\nsgi 1 2 const 1\n"), ("bad.oat", b"platform hsw\npeek a7 x\n"),
                       ("badfault.yaml", b"faults:\n  - {at: 1 ms, do: dropp}\n"),
                       ("bad.yaml", b"name: w\ndescription: d\nphases:\n"
                                    b"  - {duration: 1 ms, context: 1, does: [{unit: ps.thread, rate: 1/ms}]}\n"),
                       ("locked.perf", recording), ("locked.yaml", b"faults: []\n")]:
        write(name, data)
    os.mkdir(os.path.join(directory, "closed"))
    if not has_no_stores():
        run("store add s.db r.perf", directory)


def has_no_stores():
    return "store: none" in subprocess.run([TALLY, "version", "--build-options"], capture_output=True, text=True,
                                           check=True).stdout


def run(line, directory, before=()):
    environment = dict(os.environ, NO_COLOR="1", XDG_DATA_HOME="/nonexistent")
    return subprocess.run([*before, TALLY, *line.split()], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)


def check(i, row, done):
    line, code, *parts = row
    what = f"row {i + 1}: tally {line}"
    equal((done.returncode, done.stdout), (code, ""), f"{what}: {done.stderr}")
    lines = done.stderr.splitlines()
    equal(len(lines), 1, f"{what}: {done.stderr}")
    assert lines[0].startswith("tally: ") and len(lines[0]) < 400, f"{what}: {lines[0]}"
    for part in parts:
        contains(lines[0], part, what)


def test_mistakes(directory):
    assert len(ROWS) >= 60
    prepare(directory)
    for i, row in enumerate(ROWS):
        if "s.db" in os.listdir(directory) or not ("db" in row[0] or row[0].startswith(("store", "query"))):
            check(i, row, run(row[0], directory))
    equal(sorted(name for name in os.listdir(directory) if "i915-perf" in name or name.endswith(".old")), [],
          "recordings that were started")


def test_permissions(directory):
    """As another user, if this one is root."""
    prepare(directory)
    before = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            raise Skip("needs setpriv")
        os.chmod(directory, 0o755)
        for root, _, names in os.walk(directory):
            os.chmod(root, 0o755)
            for name in names:
                os.chmod(os.path.join(root, name), 0o644)
        before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        # Not by starting it: setpriv keeps root's capabilities until then.
        if subprocess.run([*before, "test", "-x", TALLY], cwd=directory, check=False).returncode != 0:
            raise Skip("another user cannot reach the build")
    for name in ["locked.perf", "locked.yaml"]:
        os.chmod(os.path.join(directory, name), 0)
    os.chmod(os.path.join(directory, "closed"), 0o555)
    for i, row in enumerate(DENIED):
        check(i, row, run(row[0], directory, before))


if __name__ == "__main__":
    main()
