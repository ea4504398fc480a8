# SPDX-License-Identifier: MIT
"""The kernel's own i915 on each modelled GPU: one boot a platform, with a list of checks."""
import os

from vm import check_unknown, log_of, problems, vm

from e2e import BUILD, SOURCE, TALLY, equal, main, need_program, succeed

WORKLOAD = "compute"

# IGT's recorder's own metric sets, where they differ from those of data/metrics.
HERE = os.path.dirname(os.path.abspath(__file__))
METRICS = os.path.join(HERE, "metrics")

PERIOD_MS = 1.4  # maximum of the recorder's, for 1 ms

# Submits requests, hangs, and reads reports; see client.c.
CLIENT = os.path.join(BUILD, "tests", "gpu_client")

# What records in the guest, up to the name of the file. IGT's recorder does not know Lakefield.
IGT = ["i915-perf-recorder", "-m", "RenderBasic", "-p", "0.001", "-o"]
SETS = os.path.join(SOURCE, "data", "metrics")
OWN = [TALLY, "record", "-q", "-M", SETS, "-m", "RenderBasic", "-o"]

# Records in the background: waits until the recorder has opened its stream.
RECORD = """
record() {
    RECORDER "$1" >>recorder.txt 2>&1 &
    recorder=$!
    for i in $(seq 100); do
        readlink /proc/$recorder/fd/* | grep -q i915_perf && break
        sleep 0.1
    done
}
stop() { kill -INT $recorder; wait $recorder; }
"""


def with_recorder(gpu, script):
    """A script that may use record() and stop(), and the options of `tally vm` for it."""
    words = OWN if gpu == "lkf" else IGT
    need_program(words[0])
    options = ["--add", words[0], *(["--add", SETS] if words == OWN else [])]
    return RECORD.replace("RECORDER", " ".join(words)) + script, options


# Runs in the guest. Its output is lines of a key and a value.
SCRIPT = """
echo nodes $(ls /dev/dri)
record recording; sleep 3; stop
$1 requests reports hangs
record contexts; $1 recorded; sleep 0.2; stop
echo unload $(rmmod i915 2>&1; echo $?) $(ls /dev/dri 2>/dev/null)
echo load $(modprobe i915 reset=1 2>&1; echo $?; ! command -v i915-new-id >/dev/null || i915-new-id) $(ls /dev/dri)
$1 hang
record again; sleep 1; stop
"""


def share(path, counter):
    """A counter over the whole recording, 0 if it has none, and the number of deltas."""
    text = succeed("report", "-M", METRICS, "-f", "csv", "-c", counter, path)
    names, *lines = [line.split(",") for line in text.splitlines()]
    line = next(line for line in lines if line[names.index("by")] == "total")
    return float(line[names.index("overall")] or 0), int(line[names.index("deltas")])


def check_recording(directory, gpu, failures):
    """The recording has the workload's answers: those of the same workload without a guest."""
    path = os.path.join(directory, "recording")
    with open(os.path.join(directory, "recorder.txt"), encoding="utf-8") as file:
        printed = file.read()
    if "Unable" in printed or not os.path.exists(path):
        failures.append(f"recorder: {printed}")
        return
    known = os.path.join(directory, "known")
    succeed("record", "-q", "-d", f"sim:{gpu}", "--workload", WORKLOAD, "-t", "3s", "-o", known)
    for counter in ["GpuBusy", "EuActive"]:
        (got, deltas), (expected, _) = share(path, counter), share(known, counter)
        if deltas < 100:
            failures.append(f"recorder: {deltas} deltas in three seconds")
        if abs(got - expected) > 2:
            failures.append(f"{counter}: {got} %, without a guest {expected} %")


def check_again(directory, failures):
    """The driver that was loaded again records, too."""
    path = os.path.join(directory, "again")
    if not os.path.exists(path) or share(path, "GpuBusy")[1] < 20:
        failures.append("recorder: few reports after the driver was loaded again")


# Semaphores can be waited for from Gen8 on, and preempted from Gen9 on.
HANGS = {"hsw": ["spin", "unknown"], "bdw": ["spin", "unknown", "semaphore"]}
MODERN_HANGS = ["spin", "unknown"]


def expected_of_client(gpu, engines):
    """The client's lines before the driver is loaded again, without times and counts of reports."""
    hang = [f"hang {engines[0]} spin 1 0"]
    lines = [f"requests {how} {12 * len(engines)}" for how in ["at once", "in a chain"]]
    lines += ["reports global", *hang, "reports after-reset", "reports filtered"]
    for engine in engines:
        lines += [f"hang {engine} {what} 1 0" for what in HANGS.get(gpu, MODERN_HANGS)]
        lines += [] if gpu in HANGS else [f"wait {engine} 0 0"]
    # Loaded again with i915.reset=1, the driver resets the whole GPU.
    return [*lines, f"hang {engines[0]} spin 0 1"]


def check_client(gpu, lines, failures):
    """Each request ended, and each hang was reset once and reported to its context."""
    failures += [line for line in lines if line.startswith("failed ")]
    engines = next(line.split()[1:] for line in lines if line.startswith("engines "))
    if set(engines) < {"rcs0", "bcs0", "vcs0", "vecs0"}:
        failures.append(f"engines: {engines}")
    got = [line for line in lines if line.split()[0] in ["requests", "reports", "hang", "wait"]]
    got = [line.rpartition(" ")[0] if line.split()[0] in ["reports", "hang"] else line for line in got]
    expected = expected_of_client(gpu, engines)
    if got != expected:
        failures.append(f"client: {got}, expected {expected}")


def check_contexts(directory, words, failures):
    """The recording has the client's context for as long as its batch says, to a period."""
    text = succeed("report", "-M", METRICS, "-f", "csv", "-b", "context", "-c", "GpuTime",
                   os.path.join(directory, "contexts"))
    names, *lines = [line.split(",") for line in text.splitlines()]
    groups = {line[names.index("group")]: int(line[names.index("duration_ns")]) for line in lines}
    context, ticks, hz = (int(word) for word in words)
    got, expected = groups.get(f"0x{context:x}", 0) / 1e6, 1e3 * ticks / hz
    if abs(got - expected) > 2 * PERIOD_MS:
        failures.append(f"context {context:#x} for {got} ms of {groups}, its batch ran for {expected} ms")


def check_platform(gpu, directory):
    log, unknown = os.path.join(directory, "log"), os.path.join(directory, "unknown")
    script, options = with_recorder(gpu, SCRIPT)
    # With the guest's clock, results do not depend on this machine's speed.
    done = vm("sh", "-c", script, "sh", CLIENT, gpu=gpu, cwd=directory, options=[
        "--quiet", "--clock", "guest", "--timeout", "280s", "--workload", WORKLOAD, "--log", log,
        "--unknown", unknown, "--add", CLIENT, *options])
    failures = [f"kernel: {line}" for line in problems(log_of(log))]
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    if done.returncode:
        failures.append(f"exit status {done.returncode}: {done.stderr}")
    for key, expected in [("nodes", ["card0", "renderD128"]), ("unload", ["0"]),
                          ("load", ["0", "card0", "renderD128"])]:
        if rows.get(key) != expected:
            failures.append(f"{key}: {rows.get(key)}, expected {expected}")
    check_recording(directory, gpu, failures)
    check_again(directory, failures)
    check_client(gpu, done.stdout.splitlines(), failures)
    if gpu != "hsw":  # whose reports have no context
        check_contexts(directory, rows["recorded"], failures)
    check_unknown(gpu, unknown, failures)
    equal(failures[:12], [], gpu)


# ---- drop_caches ---------------------------------------------------------------------------------

# An open stream keeps the render engine awake, though idle; the driver waits for the stream's end.
DROP_SCRIPT = """
record stream
{ sleep 1; kill -INT $recorder; } &
echo 0x1ff >/sys/kernel/debug/dri/0/i915_gem_drop_caches
grep 'Reset count' /sys/kernel/debug/dri/0/i915_engine_info | sort -u
wait
"""


def test_drop_caches(directory):
    """The driver sees that engines are idle, and does not reset the GPU under an open stream."""
    for gpu in ["skl", "tgl"]:
        log = os.path.join(directory, f"{gpu}.log")
        script, options = with_recorder(gpu, DROP_SCRIPT)
        done = vm("sh", "-c", script, gpu=gpu, cwd=directory, options=[
            "--quiet", "--clock", "guest", "--timeout", "100s", "--log", log, *options])
        equal(done.stdout.split(), ["Reset", "count:", "0", "(global", "0)"], gpu)
        equal(problems(log_of(log)), [], gpu)


# ---- RC6 -----------------------------------------------------------------------------------------

SPIN = os.path.join(BUILD, "tests", "spin")
ENTRIES = 10

# Without a workload the GPU is idle: the driver parks it, which means RC6.
RC6_SCRIPT = """
residency() { cat /sys/class/drm/card0/gt/gt0/rc6_residency_ms; }
uptime() { cut -d' ' -f1 /proc/uptime; }
asleep() {  # waits for at most 5 s until the residency is above a number, and prints it
    for i in $(seq 100); do
        now=$(residency)
        [ $now -gt $1 ] && break
        sleep 0.05
    done
    echo $now
}
asleep $(asleep $(residency)) >/dev/null
start=$(uptime); before=$(residency); sleep 2; after=$(residency); end=$(uptime)
echo idle $before $after $start $end $(cat /sys/class/drm/card0/power/rc6_residency_ms)
echo busy $(SPIN GENERATION 60)
record stream
echo stream $(residency) $(sleep 1; residency)
stop
for i in $(seq ENTRIES); do
    woken="$woken $(SPIN GENERATION 5)"
    slept="$slept $(asleep ${woken##* })"
done
echo woken $woken
echo slept $slept
cd /sys/class/drm/card0
until_equal() {  # waits for at most 2 s until two files have the same number, or the first has the third argument
    for i in $(seq 40); do
        actual=$(cat $1)
        [ $actual = $(cat $2) ] || [ $actual = "$3" ] && break
        sleep 0.05
    done
    echo $actual $(cat $2)
}
echo idle-frequency $(until_equal gt_act_freq_mhz gt_RPn_freq_mhz 0)  # 0: the driver sleeps
SPIN GENERATION 8000 >/dev/null &
echo busy-frequency $(until_equal gt_act_freq_mhz gt_RP0_freq_mhz)
for mhz in FREQUENCIES; do
    cat gt_RPn_freq_mhz >gt_min_freq_mhz; cat gt_RP0_freq_mhz >gt_max_freq_mhz
    for file in boost max min; do echo $mhz >gt_${file}_freq_mhz; done
    set_to="$set_to $(until_equal gt_act_freq_mhz gt_cur_freq_mhz)"
    set_to="$set_to $(cat gt_max_freq_mhz gt/gt0/rps_act_freq_mhz)"
done
echo frequencies $set_to
kill $!
wait
"""

# Steps of the frequency in 150 MHz.
STEPS = {"hsw": 3, "bdw": 3}

# Limits that are set, in MHz; some are between two steps. Lakefield has 300 to 500 MHz.
FREQUENCIES = {"lkf": (300, 375, 475)}
COMMON_FREQUENCIES = (400, 625, 850)


def check_frequencies(gpu, rows, failures):
    """The frequency is the lowest one when idle, rises under load, and follows the limits."""
    actual, lowest = rows["idle-frequency"]
    if actual not in (lowest, 0):
        failures.append(f"idle: {actual} MHz, expected {lowest}")
    actual, highest = rows["busy-frequency"]
    if actual != highest:
        failures.append(f"busy: {actual} MHz, expected {highest}")
    steps = STEPS.get(gpu, 9)
    expected = [int(int(mhz * steps / 150 + 0.5) * 150 / steps + 0.5) for mhz in FREQUENCIES.get(gpu, COMMON_FREQUENCIES)]
    if rows["frequencies"] != [mhz for mhz in expected for _ in range(4)]:
        failures.append(f"frequencies: {rows['frequencies']}, expected {expected}")


def check_rc6(gpu, generation, directory):
    """The GT is in RC6 while it is idle, and only then; it is left and entered again. Its frequency
    follows load and limits."""
    log = os.path.join(directory, "log")
    script = RC6_SCRIPT
    for name, value in [("SPIN", SPIN), ("GENERATION", generation), ("ENTRIES", ENTRIES),
                        ("FREQUENCIES", " ".join(map(str, FREQUENCIES.get(gpu, COMMON_FREQUENCIES))))]:
        script = script.replace(name, str(value))
    script, options = with_recorder(gpu, script)
    done = vm("sh", "-c", script, gpu=gpu, cwd=directory, options=[
        "--quiet", "--clock", "guest", "--timeout", "280s", "--log", log, "--add", SPIN,
        *options])
    rows = {line.split()[0]: [float(word) for word in line.split()[1:]]
            for line in done.stdout.splitlines() if line}
    failures = [f"kernel: {line}" for line in problems(log_of(log))]
    if sorted(rows) != ["busy", "busy-frequency", "frequencies", "idle", "idle-frequency", "slept",
                        "stream", "woken"]:
        raise AssertionError(f"{gpu}: {done.stdout}{done.stderr}")
    before, after, start, end, legacy = rows["idle"]
    elapsed = 1000 * (end - start)
    # The guest reads its clock in steps of 10 ms, and is stopped a little later than it hears.
    if not 1800 <= after - before <= 1.005 * elapsed + 20 or not after <= legacy <= after + 200:
        failures.append(f"idle: {rows['idle']}")
    for what in ["busy", "stream"]:  # the same residency before and after
        if len(rows[what]) != 2 or rows[what][0] != rows[what][1]:
            failures.append(f"{what}: {rows[what]}")
    woken, slept = rows["woken"], rows["slept"]
    if len(woken) != 2 * ENTRIES or woken[::2] != woken[1::2]:
        failures.append(f"not left: {woken}")
    if len(slept) != ENTRIES or not all(0 < b - a < 2000 for a, b in zip(woken[::2], slept)):
        failures.append(f"not entered: {slept} after {woken}")
    check_frequencies(gpu, rows, failures)
    equal(failures, [], gpu)


def test_rc6_hsw(directory):
    check_rc6("hsw", 7, directory)


def test_rc6_bdw(directory):
    check_rc6("bdw", 8, directory)


def test_rc6_skl(directory):
    check_rc6("skl", 9, directory)


def test_rc6_icl(directory):
    check_rc6("icl", 11, directory)


def test_rc6_lkf(directory):
    check_rc6("lkf", 11, directory)


def test_rc6_tgl(directory):
    check_rc6("tgl", 12, directory)


# ---- each platform -------------------------------------------------------------------------------

def test_hsw(directory):
    check_platform("hsw", directory)


def test_bdw(directory):
    check_platform("bdw", directory)


def test_skl(directory):
    check_platform("skl", directory)


def test_icl(directory):
    check_platform("icl", directory)


def test_lkf(directory):
    check_platform("lkf", directory)


def test_tgl(directory):
    check_platform("tgl", directory)


if __name__ == "__main__":
    main()
