# SPDX-License-Identifier: MIT
"""Every example of the help and of the manual pages, run as it is written. (test_commands.py runs the README's.)"""
import os
import re
import shutil
import signal
import struct
import subprocess
import time

from e2e import BUILD, SAMPLES, SOURCE, TALLY, contains, equal, has_html, main, need_preload, succeed, tally

# What an example needs that is not here: how it is run instead, and the exit status. Each row is used.
NEEDS = [
    (r"^tally record -p 1ms -- glxgears$", "a GPU", "tally emulate -q --root -d sim:skl -- {}", 0),
    (r"^tally record --ring 64M .* -- make test$", "a GPU", "tally emulate -q --root -d sim:hsw -- {}", 0),
    (r"^tally mmio \w+ pci:", "a card", "{}", 4),
    (r"^tally vm .*--kernel arch", "a kernel that was built", "{}", 1),
    (r"^tally vm ", "QEMU and a kernel", "{} --kernel /nonexistent", 1),
    (r"^tally pci ", "QEMU", None, 0),
    (r"^tally top (?!--once|-f)", "a terminal and an end", "TERM=xterm script -qec \"timeout --foreground -s TERM 2 {}\" /dev/null",
     124),
    (r"^tally serve (?!-d)", "a GPU and an end", "tally emulate -q --root -d sim:skl -- timeout -s TERM 2 {}", 124),
    (r"^tally serve ", "an end", "timeout -s TERM 2 {}", 124),
    (r"^prove ", "prove", "{}", 0),
]
if tally("emulate", "-q", "--by", "namespace", "--", "true").returncode == 4:
    NEEDS.append((r"^tally emulate --by namespace ", "namespaces", "{}", 4))
HAS_HTML = has_html()
PROGRAMS = ["glxgears", "make", "nv_perfmon", "intel_gpu_top", "i915-perf-recorder", "program"]


def sections():
    """The examples of each command, from the help."""
    commands = re.findall(r"^  (\w+) ", succeed("help"), re.M)
    for command in commands:
        text = succeed("help", command)
        if "\nExamples:\n" in text:
            yield command, [line[2:] for line in text.split("\nExamples:\n")[1].splitlines()]


def prepare(directory):
    """The files that examples name, and programs that do nothing in place of those they run."""
    os.symlink(os.path.join(SOURCE, "data"), os.path.join(directory, "data"))
    os.mkdir(os.path.join(directory, "bin"))
    os.mkdir(os.path.join(directory, "build"))
    os.mkdir(os.path.join(directory, "recordings"))
    for name in ("before.i915-perf", "after.i915-perf", "recordings/one.i915-perf"):
        shutil.copy(f"{SAMPLES}/icl.i915-perf", os.path.join(directory, name))
    with open(os.path.join(directory, "token.txt"), "w", encoding="utf-8") as file:
        file.write("0123456789abcdef0123456789abcdef\n")
    for program in PROGRAMS:
        os.symlink(shutil.which("true"), os.path.join(directory, "bin", program))
    for program in ("program", "static-program"):
        os.symlink(shutil.which("true"), os.path.join(directory, program))
    os.symlink(TALLY, os.path.join(directory, "bin", "tally"))
    shutil.copy(os.path.join(SOURCE, "data", "cost", "gen11.yaml"), os.path.join(directory, "slow-shaders.yaml"))
    with open(os.path.join(directory, "oabuffer.bin"), "wb") as file:
        for i in range(4):
            file.write(struct.pack("<64I", 1 << 10, 1000 * (i + 1), 0, *range(i, i + 61)))
    with open(os.path.join(directory, "record.bin"), "wb") as file:
        file.write(bytes(64))
    with open(os.path.join(directory, "busy.pct"), "w", encoding="utf-8") as file:
        file.write("sig 1 0xc8 const 1\n")


def run_server(line, directory, environment):
    """tally pci waits for QEMU: it has made its socket, and SIGTERM ends it."""
    socket = os.path.join(directory, "gpu.sock")
    with open(os.path.join(directory, "errors"), "w+", encoding="utf-8") as errors:
        server = subprocess.Popen(["sh", "-c", "exec " + line], cwd=directory, env=environment, stderr=errors,
                                  stdout=subprocess.DEVNULL)
        for _ in range(600):
            if os.path.exists(socket) or server.poll() is not None:
                break
            time.sleep(0.05)
        server.send_signal(signal.SIGTERM)
        server.wait(60)
        errors.seek(0)
        text = errors.read()
    assert server.returncode in (0, 128 + signal.SIGTERM), f"{line}: {server.returncode}: {text}"


def run_example(line, directory, environment, used):
    form, status = "{}", 2 if "export -f html" in line and not HAS_HTML else 0
    for i, (pattern, _, instead, code) in enumerate(NEEDS):
        if re.search(pattern, line):
            form, status = instead, code
            used.add(i)
            break
    if form is None:
        return run_server(line, directory, environment)
    if form.startswith("{} "):  # options of tally, before the command that it runs
        command, rest = line.split(" ", 2)[:2], line.split(" ", 2)[2]
        run = " ".join(command) + form[2:] + " " + rest
    elif form != "{}":
        run = form.format(line)
    else:
        run = line
    if run.split()[0] == "prove" and not shutil.which("prove") or "script -q" in run and not shutil.which("script"):
        return None
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + run], cwd=directory, env=environment, capture_output=True,
                          text=True, timeout=120)
    if "in use" in done.stderr:  # another server has the port of the example
        return None
    equal(done.returncode, status, f"{line}: {done.stdout[-300:]} {done.stderr[-600:]}")
    assert "help" not in done.stderr, (line, done.stderr)
    return None


def test_examples_of_the_help(directory):
    need_preload()
    prepare(directory)
    environment = dict(os.environ, PATH=os.path.join(directory, "bin") + ":" + os.environ["PATH"], XDG_DATA_HOME=directory)
    used, count = set(), 0
    for command, lines in sections():
        page = subprocess.run(["man", "-l", os.path.join(BUILD, "man", f"tally-{command}.1")], capture_output=True,
                              text=True, env=dict(os.environ, MANWIDTH="400")) if shutil.which("man") else None
        for line in lines:
            if page and page.returncode == 0:
                contains(page.stdout.replace("\u2010", "-"), line, command)
            run_example(line, directory, environment, used)
            count += 1
    assert count > 60, count
    equal(used, set(range(len(NEEDS))), "rows that no example needs")


def test_every_command_with_operands_has_examples():
    with_examples = {command for command, _ in sections()}
    for command in re.findall(r"^  (\w+) ", succeed("help"), re.M):
        usage = succeed("help", command).splitlines()[0]
        if usage.rstrip() != f"Usage: tally {command} [OPTION...]" and command != "help":
            assert command in with_examples, command


def test_examples_of_the_formats(directory):
    """The shell's lines of the documents that are manual pages."""
    need_preload()
    prepare(directory)
    environment = dict(os.environ, PATH=os.path.join(directory, "bin") + ":" + os.environ["PATH"], XDG_DATA_HOME=directory)
    count = 0
    for name in ["recording-format", "workloads", "faults", "pct", "oat"]:
        with open(os.path.join(SOURCE, "docs", name + ".md"), encoding="utf-8") as file:
            text = file.read()
        lines = re.findall(r"^    (tally .*)$", text, re.M)
        for block in re.findall(r"```sh\n(.*?)```", text, re.S):
            lines += [line for line in block.splitlines() if line.startswith("tally ")]
        for line in lines:
            done = subprocess.run(["bash", "-c", line], cwd=directory, env=environment, capture_output=True, text=True)
            equal(done.returncode, 0, f"{name}: {line}: {done.stderr}")
            count += 1
    assert count >= 6, count


if __name__ == "__main__":
    main()
