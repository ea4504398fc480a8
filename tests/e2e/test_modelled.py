# SPDX-License-Identifier: MIT
"""A modelled GPU never passes for a real one, and a recording does not overwrite another."""
import csv
import glob
import json
import os
import struct
import subprocess

from e2e import SAMPLES, TALLY, Skip, contains, equal, main, need_preload, succeed, tally


def test_without_a_gpu_nothing_is_recorded(directory):
    """Exit 4 and one line that names a modelled device; the command is not run."""
    if glob.glob("/dev/dri/renderD*"):
        raise Skip("this machine has a GPU")
    path, ran = os.path.join(directory, "out.i915-perf"), os.path.join(directory, "ran")
    for more in [[], ["-q"], ["--", "touch", ran]]:
        done = tally("record", "-t", "10ms", "-o", path, *more)
        equal((done.returncode, done.stdout, done.stderr.count("\n")), (4, "", 1), done.stderr)
        contains(done.stderr, "record: no GPU in this machine, expected a GPU that can be recorded; "
                 "-d sim:hsw records a modelled one")
        equal(os.listdir(directory), [])
    # Options of models need a model.
    for options in [["--workload", "triangle"], ["--clock", "free"], ["--driver", "mmio"],
                    ["--fault", "lossy"], ["--fuses", "eu=1"], ["--trace", "mmio"]]:
        done = tally("record", "-t", "10ms", "-o", path, *options)
        equal((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        contains(done.stderr, "need a modelled GPU, expected -d sim:hsw")
        equal(os.listdir(directory), [])


# ---- modelled GPUs are named so ------------------------------------------------------------------

def texts_of(path):
    """The output of each command that shows a recording, in each format."""
    for command in ["report", "report -r", "report --by reason", "info", "decode", "export"]:
        for form in ["table", "csv", "jsonl"]:
            if (command, form) not in [("info", "csv"), ("export", "table")]:
                done = tally(*command.split(), "-f", form, path)
                equal(done.returncode, 0, done.stderr)
                yield command, form, done.stdout.splitlines()


def test_modelled_recordings_say_so(directory):
    path = os.path.join(directory, "out.i915-perf")
    for device in ["sim:hsw", "sim:skl", "sim:snb", "sim:g92"]:
        done = tally("record", "-d", device, "-t", "20ms", "-o", path)
        contains(done.stderr, f"tally: {device}, modelled ")
        for command, form, lines in texts_of(path):
            what = f"{device} {command} {form}"
            if form == "jsonl":
                equal(json.loads(lines[0])["modelled"], True, what)
            elif form == "csv":
                equal([row["modelled"] for row in csv.DictReader(lines)],
                      ["true"] * (len(lines) - 1), what)
            else:
                contains("\n".join(lines[:3]), "modelled", what)
    # What a recording does not state is not claimed.
    stream, other = (struct.pack("<IHH", kind, 0, 24) for kind in (0x54000002, 0x54000fff))
    data = contents(f"{SAMPLES}/hsw.i915-perf")
    with open(path, "wb") as out:
        out.write(data.replace(stream, other))
    for command, form, lines in texts_of(path):
        if form == "jsonl":
            equal(json.loads(lines[0])["modelled"], False)
        elif form == "csv":
            equal({row["modelled"] for row in csv.DictReader(lines)}, {"false"})
        else:
            assert not any("modelled" in line for line in lines[:3]
                           if not line.startswith("written by")), lines[:3]


def test_modelled_nodes_are_named_so(directory):
    """Under tally emulate the device node is that of a model, which our own recorder states."""
    need_preload()
    path = os.path.join(directory, "out.i915-perf")
    done = subprocess.run([TALLY, "emulate", "--gpu", "skl", "--root", "--", TALLY, "record", "-t", "20ms",
                           "-o", path], capture_output=True, text=True, timeout=60)
    contains(done.stderr, "tally: /dev/dri/renderD128, modelled Skylake")
    contains(succeed("info", path), "device        modelled Skylake GT2")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def test_an_existing_file_is_kept(directory):
    path = os.path.join(directory, "out.i915-perf")
    options = ["-q", "-d", "sim:hsw", "-o", path]
    succeed("record", *options, "-t", "10ms")
    first = contents(path)
    succeed("record", *options, "-t", "20ms")
    second = contents(path)
    equal(contents(path + ".old"), first)
    assert first != second
    # A recording that does not begin leaves both as they are.
    equal(tally("record", *options, "-t", "10ms", "-m", "Nothing").returncode, 2)
    equal(tally("record", *options, "-t", "10ms", "--fault", "refused").returncode, 4)
    equal((contents(path), contents(path + ".old")), (second, first))
    # The files of a flight recorder are kept as well.
    succeed("record", *options, "-t", "10ms", "--ring", "1M")
    equal(contents(path + ".old"), second)


if __name__ == "__main__":
    main()
