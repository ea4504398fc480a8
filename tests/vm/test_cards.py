# SPDX-License-Identifier: MIT
"""tally mmio and tally record in a guest, on a modelled card by libpciaccess and sysfs: the accesses that arrive at the
card, in its trace (docs/real-cards.md)."""
import os
import re

from vm import log_of, problems, vm

from e2e import BUILD, TALLY, contains, equal, main, need_program

ADDRESS = "pci:0000:00:02.0"

# A watch that is stopped by a signal.
WATCH = """
rm -f out
tally mmio watch {device} --allow-mmio --interval 20ms {arguments} >out 2>err &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ $(wc -l <out) -ge 2 ] && break; sleep 1; done
echo during; tally mmio dump {device} {shown}
kill -{signal} $pid; wait $pid; echo status $?
cat err; echo after; tally mmio dump {device} {shown}
ls /run
"""

ENABLE = "echo 1 >/sys/bus/pci/devices/0000:00:02.0/enable\n"


def guest(gpu, script, directory, options=()):
    """Runs a shell script in a guest; returns what it prints and the lines of the card's trace."""
    log, trace = os.path.join(directory, "kernel.log"), os.path.join(directory, "trace")
    script = "mkdir -p /run\nPATH=$PATH:" + os.path.dirname(TALLY) + "\n" + script
    done = vm("sh", "-c", script, gpu=gpu, cwd=directory,
              options=["--no-driver", "--add", TALLY, "--log", log, "--trace", "mmio=" + trace, *options])
    equal(done.returncode, 0, done.stdout + done.stderr)
    equal(problems(log_of(log)), [])
    with open(trace, encoding="ascii") as file:
        return done.stdout, file.read().splitlines()


def writes(trace):
    """The addresses that were written."""
    return [line.split()[3] for line in trace if line.split()[2] == "wr"]


def reads(trace):
    return [line.split()[3] for line in trace if line.split()[2] == "rd"]


def test_a_card_is_only_read(directory):
    """Without --allow-mmio no register and no configuration space is written."""
    out, trace = guest("g92", f"""
        config() {{ hexdump -C /sys/bus/pci/devices/0000:00:02.0/config; }}
        setpci -s 00:02.0 4.w=0
        config >before
        tally mmio read {ADDRESS} BOOT_0 2>&1; echo disabled $?
        tally mmio write {ADDRESS} 'EVENT_SRC[1]=0x10' 2>&1; echo denied $?
        tally doctor | grep -A 6 '^Cards'
        config >after; cmp before after && echo same
        {ENABLE}
        tally mmio read {ADDRESS} BOOT_0 'CTRL[1]'; echo read $?
        tally mmio dump {ADDRESS} pmc ptimer >/dev/null; echo dump $?
        tally mmio watch {ADDRESS} -t 100ms --interval 20ms TIME_LOW >watched; echo watch $?
        [ $(wc -l <watched) -ge 4 ] && echo changes
        ls /run
        """, directory, ["--add", need_program("setpci")])
    for part in ("does not respond to memory accesses (PCI command 0x0", "disabled 4", "expects --allow-mmio",
                 "denied 2", "same", "0x000000  BOOT_0                      0x092880a1", "read 0", "dump 0",
                 "watch 0", "changes", "pci:0000:00:02.0"):
        contains(out, part)
    assert "state" not in out, out
    equal(writes(trace), [])
    assert "0x000000" in reads(trace) and "0x00a7c4" in reads(trace), trace


def test_a_signal_and_a_kill(directory):
    """The counters of a card run, and its registers are those of before afterwards."""
    arguments = "'EVENT_SRC[1]=0x10' 'EVENT_OP[1]=0xaaaa' 'CTRL[1].MODE=QUAD' 'CTRL[1].CTR_MODE=EVENT_B4' 'CTRL[1]'"
    shown = "EVENT_SRC EVENT_OP CTRL"
    script = """
        tally mmio write {device} --allow-mmio 'EVENT_SRC[1]=0x77' 'CTRL[1]=0x20' >/dev/null
        echo before; tally mmio dump {device} {shown}
    """ + WATCH + """
        echo restored; tally doctor --restore; echo status $?; tally mmio dump {device} {shown}; ls /run
    """
    for number, status, left in (("INT", "0", ""), ("TERM", "0", ""), ("KILL", "137", "tally-0000:00:02.0.state")):
        out, trace = guest("g92", ENABLE + script.format(device=ADDRESS, arguments=arguments, shown=shown,
                                                         signal=number), directory)
        parts = dict(zip(*[iter(re.split(r"^(before|during|after|restored)$", out, flags=re.M)[1:])] * 2))

        def values(part):
            return {line.split()[1]: line.split()[2] for line in parts[part].splitlines() if line.startswith("0x")}
        before, during, after = values("before"), values("during"), values("after")
        equal((before["EVENT_SRC[1]"], before["CTRL[1]"]), ("0x00000077", "0x00000020"))
        equal((during["EVENT_SRC[1]"], during["EVENT_OP[1]"]), ("0x00000010", "0x0000aaaa"), out)
        equal(int(during["CTRL[1]"], 16) & 0x73, 0x11, out)
        contains(parts["during"], "status " + status)
        if left:
            equal(after, during, number)
            contains(parts["after"], left)
            contains(parts["restored"], "3 changes put back\nstatus 0")
            equal(values("restored"), before)
            assert left not in parts["restored"].split("status 0")[1], out
        else:
            equal(after, before, number)
            contains(parts["restored"], "Nothing to put back.")
            assert "state" not in parts["after"], out
        # Each register is written as often as it was asked for, and once to put it back.
        equal(sorted(writes(trace)), sorted(["0x00a484", "0x00a7c4"] + ["0x00a484", "0x00a4a4"] * 2 + ["0x00a7c4"] * 3))


def test_intel(directory):
    """A domain that sleeps is reported, woken on request, and released."""
    out, trace = guest("skl", ENABLE + f"""
        tally mmio read {ADDRESS} TIMESTAMP; echo read $?
        tally mmio write {ADDRESS} --allow-mmio 0x2038=0x5a5a5000; echo asleep $?
        tally mmio write {ADDRESS} --allow-mmio --wake 0x2038=0x5a5a5000; echo awake $?
        tally mmio dump {ADDRESS} forcewake
        """, directory)
    contains(out, "FORCEWAKE_ACK_RENDER is 0: the power domain may sleep")
    contains(out, "0x002038  RING_START                  0x00000000  0x5a5a5000  0x00000000\nasleep 0")
    contains(out, "0x002038  RING_START                  0x00000000  0x5a5a5000  0x5a5a5000\nawake 0")
    contains(out, "0x00a278  FORCEWAKE_RENDER            0x00000000\n")
    equal(writes(trace), ["0x002038", "0x00a278", "0x002038", "0x00a278"])


def test_a_bound_driver(directory):
    """Linux's own nouveau uses the card."""
    log = os.path.join(directory, "kernel.log")
    trace = os.path.join(directory, "trace")
    done = vm("sh", "-c", f"""mkdir -p /run
        {TALLY} mmio read {ADDRESS} BOOT_0; echo read $?
        {TALLY} mmio write {ADDRESS} --allow-mmio 'THRESHOLD[7]=0x1234567' 2>&1; echo write $?
        {TALLY} mmio write {ADDRESS} --allow-mmio --force 'THRESHOLD[7]=0x1234567' 2>&1; echo force $?
        {TALLY} doctor | grep 'kernel driver'
        """, gpu="g92", cwd=directory, options=["--add", TALLY, "--log", log, "--trace", "mmio=" + trace])
    equal(done.returncode, 0, done.stdout + done.stderr)
    with open(trace, encoding="ascii") as file:
        written = [line for line in file.read().splitlines() if "THRESHOLD[7]" in line]
    for part in ("the kernel driver nouveau uses the card", "write 4", "echo 0000:00:02.0 >/sys/bus/pci/drivers/nouveau/unbind"):
        contains(done.stdout, part)
    # Whether the BAR of a bound driver can be mapped is the choice of the kernel's configuration.
    if "force 0" in done.stdout:
        contains(done.stdout, "read 0")
        equal([line.split()[2] for line in written], ["rd", "wr", "rd"])
    else:
        contains(done.stdout, "the kernel protects the memory of a driver")
        equal(written, [])


SESSION = os.path.join(BUILD, "tests", "card_session")


def test_a_session_counts(directory):
    """The driver of docs/perfmon.md counts on the card, and its registers are put back."""
    for gpu, domain, expression in (("g92", 1, "1:0x10 && 1:0x11"), ("gf100", 4, "PART0[0]:(0x10 & 0x11)")):
        signals = os.path.join(directory, "signals.pct")
        with open(signals, "w", encoding="utf-8") as file:
            file.write(f"clock {domain} 4\nsig {domain} 0x10 every 5 0\nsig {domain} 0x11 const 1\n")
        out, _ = guest(gpu, ENABLE + f"""
            tally mmio write {ADDRESS} --allow-mmio 0x1a0050=0x55 0xa484=0x77 0xa7c4=0x20 >/dev/null
            state() {{ tally mmio dump {ADDRESS} pcounter pmc | grep -v 'CTR_\\|STATE\\|STATUS\\|NEXT\\|THRESHOLD'; }}
            state >before
            {SESSION} 0000:00:02.0 '{expression}' 5; echo status $?
            state >after; cmp before after && echo same
            {SESSION} 0000:00:02.0 '{expression}' 2 kill; echo status $?
            state >after; cmp -s before after || echo different
            tally doctor --restore | cut -d: -f4-
            state >after; diff before after && echo same
            """, directory, ["--add", SESSION, "--signals", signals])
        lines = out.splitlines()
        samples = [[int(word) for word in line.split()] for line in lines if re.fullmatch(r"\d+ \d+ \d+", line)]
        equal(len(samples), 7, out)
        for count, clocks, flags in samples:
            assert flags == 0 and clocks > 50000 and abs(5 * count - clocks) <= 5, (gpu, samples)
        rest = [line for line in lines if not re.fullmatch(r"\d+ \d+ \d+", line)]
        equal([line for line in rest if "put back" not in line],
              ["status 0", "same", "status 137", "different", "same"], out)
        contains(out, " changes put back")


def test_a_recording(directory):
    """tally record counts on the card, puts its registers back, also after a signal and a kill."""
    signals = os.path.join(directory, "signals.pct")
    with open(signals, "w", encoding="utf-8") as file:
        file.write("clock 1 4\nsig 1 0x10 every 5 0\n")
    out, _ = guest("g92", ENABLE + f"""
        tally mmio write {ADDRESS} --allow-mmio 0x1a0050=0x55 0xa404=0x77 0xa7c4=0x20 >/dev/null
        state() {{ tally mmio dump {ADDRESS} pcounter pmc | grep -v 'CTR_\\|STATE\\|STATUS\\|NEXT\\|THRESHOLD'; }}
        record="tally record -q -d {ADDRESS} --allow-mmio -e fifth=1:0x10 -p 20ms -o f"
        share() {{
            tally report -q -f csv -c fifth f |
                awk -F, 'NR == 1 {{ while ($(++i) != "overall"); }} END {{ print "share", $i }}'
        }}
        state >before
        tally record -q -d {ADDRESS} -t 1s -e 1:0x10 -o f 2>&1 | grep -c allow-mmio
        state >after; cmp before after && echo same
        $record -t 500ms; echo status $?; share
        state >after; cmp before after && echo same
        $record & pid=$!; sleep 3; kill -TERM $pid; wait $pid; echo status $?; share
        state >after; cmp before after && echo same
        $record & pid=$!; sleep 3; kill -KILL $pid; wait $pid; echo status $?
        state >after; cmp -s before after || echo different
        tally doctor --restore | grep -c 'put back'
        state >after; diff before after && echo same
        """, directory, ["--signals", signals])
    lines = out.splitlines()
    shares = [float(line.split()[1]) for line in lines if line.startswith("share ")]
    equal(len(shares), 2, out)
    for share in shares:
        assert abs(share - 20) < 0.01, out
    equal([line for line in lines if not line.startswith("share ")],
          ["1", "same", "status 0", "same", "status 0", "same", "status 137", "different", "1", "same"], out)


if __name__ == "__main__":
    main()
