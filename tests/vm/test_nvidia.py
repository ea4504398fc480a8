# SPDX-License-Identifier: MIT
"""NVIDIA GPUs in a guest without a driver: sysfs, registers, and counters that count known signals."""
import os
import re

from vm import log_of, problems, vm

from e2e import BUILD, contains, equal, main

CLIENT = os.path.join(BUILD, "tests", "bar0")

# Signals of G92's domain 1, and of GF100's first partition.
SIGNALS = """\
clock {0} 4
sig {0} 0x10 every 5 0
sig {0} 0x11 const 1
sig {0} 0x12 every 1024 0
"""

# Busy half of the time; 2,000 vertices a millisecond.
WORKLOAD = """name: halves
description: Two phases of one millisecond
phases:
  - duration: 1 ms
    context: 0x1000
    does:
      - {unit: gpu.busy,   share: 0.25}
      - {unit: vs.threads, rate: 1000/ms}
  - duration: 1 ms
    context: 0x1000
    does:
      - {unit: gpu.busy,   share: 0.75}
      - {unit: vs.threads, rate: 3000/ms}
"""


def run(gpu, option, text, script, directory):
    """Runs a shell script in a guest with the GPU, whose signals a file drives. Returns the lines that it prints."""
    driver, log = os.path.join(directory, "driver" + option), os.path.join(directory, "kernel.log")
    with open(driver, "w", encoding="utf-8") as file:
        file.write(text)
    done = vm("sh", "-e", "-c", script.replace("bar0", CLIENT), gpu=gpu, cwd=directory,
              options=["--no-driver", option, driver, "--add", CLIENT, "--log", log, "--unknown", "unknown"])
    equal(done.returncode, 0, done.stdout + done.stderr)
    equal(problems(log_of(log)), [])
    return done.stdout.splitlines()


def values(lines):
    """The registers that the client has printed, by address; the last value of each."""
    return {int(line.split()[0], 16): int(line.split()[1], 16) for line in lines
            if re.fullmatch(r"[0-9a-f]{6} [0-9a-f]{8}", line)}


def test_g92(directory):
    count = ("bar0 {0} a484={1} a4a4=aaaa a7c4=1 a424=0 sleep=20 a424=0 sleep=1 a684 a604;")
    lines = run("g92", "--signals", SIGNALS.format(1), """
        cd /sys/bus/pci/devices/0000:00:02.0
        echo sysfs $(cat vendor device class revision) $(head -n 1 resource)
        bar0 000000 088000 000200
        bar0 9400 sleep=100 9400
        """ + count.format("", 10) + "echo; " + count.format("", 11) + "echo; " +
                count.format("", 13) + """
        echo; bar0 a7a4=1 a7a0=80000000 a404=11 a4c4=12 a4e4=aaaa a7c4=2 a724=@0 a6a4=@1 a764=@0 sleep=1 a6e4 page
        echo; bar0 a480=12345678 a480
        echo 1 >reset
        bar0 a480
        """, directory)
    parts = "\n".join(lines).split("\n\n")
    contains(parts[0], "sysfs 0x10de 0x0611 0x030000 0xa1 0x00000000")
    first = values(parts[0].splitlines())
    equal(first[0], 0x092880a1)
    equal(first[0x88000], 0x061110de)
    equal(first[0x200], 0x00010000)
    times = [int(line.split()[1], 16) for line in parts[0].splitlines() if line.startswith("009400")]
    assert 100e6 <= times[1] - times[0] < 10e9, times

    def ratio(part):
        got = values(part.splitlines())
        assert got[0xa604] >= 20e6 / 4, got  # cycles, at 250 MHz
        return got[0xa684], got[0xa604]
    event, cycles = ratio(parts[0])
    assert abs(5 * event - cycles) <= 5, (event, cycles)
    event, cycles = ratio(parts[1])
    equal(event, cycles)
    equal(ratio(parts[2])[0], 0)

    # One packet, as LIMIT is START: a STOP every 1024 clocks, and ones between.
    contains(parts[3], "0: stop 1, pre ")
    assert values(parts[3].splitlines())[0xa6e4] % 4096 == 32, parts[3]
    equal([int(line.split()[1], 16) for line in parts[4].splitlines()], [0x12345678, 0])
    with open(os.path.join(directory, "unknown"), encoding="utf-8") as file:
        equal(file.read(), "")


def test_gf100(directory):
    """PCOUNTER at its other place, and its bit of PMC.ENABLE."""
    lines = run("gf100", "--signals", SIGNALS.format(4), """
        bar0 000000 000200 1a0050=10 1a0050 000200=10000 1a0050 000200=10010000 1a0050 400100
        bar0 1a0050=11121110 sleep=1 1a0068
        """, directory)
    equal([line.split()[1] for line in lines],
          ["0c0000a1", "10010000", "00000010", "bad0da00", "00000000", "bad00100", lines[-1][7:]])
    # SRC_STATUS: the signals that EVENT_SRC selects; 11h is always 1.
    assert int(lines[-1][7:], 16) & 0xa00 == 0x200 | 0x800, lines[-1]


def test_workload(directory):
    """PGRAPH.IDLE and the vertices, over many phases, agree with the workload's shares."""
    got = values(run("g92", "--workload", WORKLOAD, """
        bar0 a484=bd a4a4=aaaa a444=5d a464=aaaa a7c4=1 a424=0 sleep=100 a424=0 sleep=1 a684 a6c4 a604
        """, directory))
    idle, vertices, cycles = got[0xa684], got[0xa6c4], got[0xa604]
    assert 600e6 * 0.1 <= cycles < 600e6 * 10, got  # the core clock
    assert abs(idle / cycles - 0.5) < 0.005, got
    assert abs(vertices / cycles * 600e6 / 2e6 - 1) < 0.01, got


if __name__ == "__main__":
    main()
