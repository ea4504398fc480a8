# SPDX-License-Identifier: MIT
"""tally emulate --clock virtual: the program's time and the GPU's are one clock, on which the machine's load has no effect."""
import contextlib
import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import time

from e2e import BUILD, TALLY, contains, equal, main, need, need_program, with_recorder

CLIENT = os.path.join(BUILD, "tests", "clock_client")
COMMAND = [TALLY, "emulate", "--clock", "virtual"]


def emulate(*command, options=(), **more):
    return subprocess.run([*COMMAND, *options, "--", *command], text=True, check=False, capture_output=True,
                          timeout=300, **more)


def run(*command, **more):
    done = emulate(*command, **more)
    equal(done.returncode, 0, f"{command}: {done.stderr}")
    return done.stdout


@contextlib.contextmanager
def load(count=6):
    """A machine that is busy until the end of the block."""
    spinners = []
    try:
        for _ in range(count):
            spinners.append(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def same_at_any_load(result):
    """Calls result() on the machine as it is, and on a busy one. Returns the result, which is always the same."""
    first = result()
    equal(result(), first, "again")
    with load():
        equal(result(), first, "on a busy machine")
        equal(result(), first, "on a busy machine, again")
    return first


# ---- waits -------------------------------------------------------------------------------------

# Calls, and their duration by the program's clock, in ns; each takes up to a millisecond more.
WAITS = [
    ("time.sleep(1000)", 1000e9),
    ("select.select([], [], [], 2.5)", 2.5e9),
    ("select.poll().poll(3000)", 3e9),
    ("select.epoll().poll(4)", 4e9),
    ("threading.Event().wait(5)", 5e9),
    ("libc.usleep(500000)", 0.5e9),
    ("libc.sleep(7)", 7e9),
    ("libc.clock_nanosleep(0, 0, (ctypes.c_long * 2)(1, 5), None)", 1.000000005e9),
    ("os.system('sleep 20')", 20e9),
    ("os.system('timeout 30 sleep 100')", 30e9),
    ("time.sleep(0)", 0),
]


def test_waits_have_the_requested_duration():
    lines = ["import ctypes, os, select, threading, time", "libc = ctypes.CDLL(None)"]
    for call, _ in WAITS:
        lines += ["a = time.monotonic_ns(), time.time_ns()", call, "b = time.monotonic_ns(), time.time_ns()",
                  "print(b[0] - a[0], b[1] - a[1])"]
    took = run("python3", "-c", "\n".join(lines)).split("\n")
    for (call, expected), line in zip(WAITS, took):
        for ns in map(int, line.split()):
            assert expected <= ns < expected + 1e6, f"{call}: {line}, expected {expected}"


def test_each_call_of_libc_that_waits():
    need(CLIENT)
    lines = run(CLIENT, "waits").splitlines()
    equal(len(lines), 22)
    for line in lines:
        for ns in re.findall(r" (\d+)", line.rsplit(":", 1)[1]):
            assert 3e9 <= int(ns) < 3e9 + 1e6, line


def test_waits_that_something_else_ends():
    """A post, a broadcast, a wake of a futex, a signal, each 0.1 s after the other, at the time of each."""
    need(CLIENT)
    equal(run(CLIENT, "early"), "400\n")


def test_a_long_sleep_takes_no_time():
    """A day would exceed the time limit of the test."""
    equal(run("sh", "-c", "date +%s; sleep 86400; date +%s").split(), ["1577836800", "1577923200"])


def test_a_long_wait_for_another_thread_takes_no_time():
    """Python waits with semaphores. Looking at one again and again would take hours."""
    waiting = ("import threading, time; start = time.time(); threading.Event().wait(1e6); "
               "print(round((time.time() - start) / 1e3))")
    equal(run(sys.executable, "-c", waiting), "1000\n")
    posted = ("import threading, time; event = threading.Event(); start = time.time(); "
              "threading.Timer(1e5, event.set).start(); event.wait(1e6); print(round((time.time() - start) / 1e3))")
    equal(run(sys.executable, "-c", posted), "100\n")


def test_the_date():
    equal(run("date", "-u", "+%F %T"), "2020-01-01 00:00:00\n")
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(86400 * 365))
    equal(run("date", "-u", "+%F", env=environment), "1971-01-01\n")


# ---- timers and signals --------------------------------------------------------------------------

def test_timers_send_signals_at_their_time():
    need(CLIENT)
    equal(run(CLIENT, "signals").splitlines(),
          ["setitimer: 1000 1250 1500 1750 2000", "left: 249", "alarm: 5000", "left: 1499",
           "timer_create: 1500 2500 3500", "sleep: 3000, rest 7"])


def test_a_timer_interrupts_a_polling_loop():
    """Its turn comes at its time, though the thread always has one, too."""
    need(CLIENT)
    equal(run(CLIENT, "polling"), "5\n")


def test_reading_the_clock_often():
    """Each reading takes the time of a call, and most are no call. What the program starts meanwhile runs before the next one."""
    need(CLIENT)
    equal(run(CLIENT, "readings"), "1000 1000 1\n")
    for _ in range(3):
        equal(run(CLIENT, "starts").split(), ["1"] * 10)
    with load():
        equal(run(CLIENT, "starts").split(), ["1"] * 10)


def test_a_timer_ends_with_its_process():
    """Else the clock jumps to it while the others wait for input."""
    client = "import signal; signal.setitimer(signal.ITIMER_REAL, 1000)"
    script = f"python3 -c '{client}'; date +%s; read line; date +%s"
    with subprocess.Popen([*COMMAND, "--", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        before = process.stdout.readline()
        time.sleep(0.5)
        process.stdin.write("x\n")
        process.stdin.close()
        equal(process.stdout.readline(), before)


def test_processes_that_end_at_once():
    """An alarm is not reached while a process ends, however busy the machine is: the one that waits for it runs next."""
    client = ("import os, signal\nsignal.alarm(100)\nfor _ in range(20):\n    child = os.fork()\n"
              "    if not child: os._exit(0)\n    os.waitpid(child, 0)")
    with load():
        equal(run("python3", "-c", client), "")


def test_threads_that_take_the_place_of_others():
    """A thread that ends while the list of threads is read does not count as running."""
    need(CLIENT)
    equal(run(CLIENT, "churn"), "done\n")


def test_a_signal_ends_a_sleep():
    script = "sleep 1000 & child=$!; sleep 5; kill $child; wait $child; echo $?; date +%s"
    equal(run("sh", "-c", script).split(), [str(128 + signal.SIGTERM), "1577836805"])


def test_termination_is_obeyed():
    """By a program that sleeps, forever or not; that has a timer; that spins; that waits for input."""
    for script in ["exec sleep infinity", "exec sleep 1000000000", "while :; do :; done", "while :; do read -t 1 line; done", "exec cat",
                   "exec python3 -c 'import signal; signal.signal(signal.SIGALRM, lambda *_: 0); print(\"ready\", flush=True); "
                   "signal.setitimer(signal.ITIMER_REAL, 1, 1)\nwhile True: signal.pause()'"]:
        with subprocess.Popen([*COMMAND, "--", "bash", "-c", "echo ready; " + script], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            equal(process.stdout.readline(), "ready\n", script)
            time.sleep(0.3)  # to be in the middle of what follows
            process.send_signal(signal.SIGTERM)
            try:
                equal(process.wait(timeout=120), 128 + signal.SIGTERM, script)
            finally:
                process.kill()


def test_a_daemon_of_a_killed_owner():
    """Its clock is the machine's from then on: a wait lasts as long as it says, in place of ending at once."""
    client = ("import os, sys, threading, time\nif os.fork(): time.sleep(1000)\nos.setsid()\nprint(os.getpid(), flush=True)\n"
              "sys.stdin.readline()\ntime.sleep(0.1)\nfor _ in range(5): threading.Event().wait(0.2)\nprint('end', flush=True)")
    with subprocess.Popen([*COMMAND, "--", "python3", "-c", client], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        daemon = int(process.stdout.readline())
        try:
            process.kill()
            process.wait()
            start = time.monotonic()
            process.stdin.write("\n")
            process.stdin.flush()
            equal(process.stdout.readline(), "end\n")
            assert time.monotonic() - start >= 1, time.monotonic() - start
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(daemon, signal.SIGKILL)


# ---- threads and processes -----------------------------------------------------------------------

def test_threads_take_turns():
    """Threads that sleep, poll the clock and wait for each other do the same in each run."""
    need(CLIENT)
    text = same_at_any_load(lambda: run(CLIENT, "threads"))
    lines = text.splitlines()
    equal(len(lines), 81)
    for what in ["1 woken", "1 slept", "2 woken", "2 slept"]:
        contains(text, what)


def test_the_turn_is_that_of_the_longest_wait():
    """Two threads that read the clock do so by turns."""
    need(CLIENT)
    order = same_at_any_load(lambda: run(CLIENT, "turns")).strip()
    assert order in (50 * "ab", 50 * "ba"), order


def test_processes_wake_in_the_order_of_their_clock():
    script = ("(sleep 20; echo third) & (sleep 19.5; echo second) & (sleep 1; echo first) & "
              "sleep 30; echo last")
    for _ in range(3):
        equal(run("sh", "-c", script).split(), ["first", "second", "third", "last"])


def test_a_spinning_program_does_not_stop_time():
    """A thread that reads the clock; threads and processes without calls while another sleeps, which are reported."""
    need(CLIENT)
    clock = "import time\nend = time.monotonic() + 0.01\nwhile time.monotonic() < end: pass"
    equal(run("python3", "-c", clock), "")
    message = "tally: time passed while a thread computed for long: another run may differ\n"
    script = "sh -c 'while :; do :; done' & child=$!; sleep 0.05; kill $child; wait $child; echo ok"
    for command in [["sh", "-c", script], [CLIENT, "spin"]]:
        done = emulate(*command)
        equal(done.returncode, 0, done.stderr)
        contains(done.stderr, message, command)
    equal(emulate(*command, options=["-q"]).stderr, "")


def test_computing_alone_takes_no_time():
    """A program with one thread may compute for long."""
    script = ("import time; a = time.monotonic_ns(); c = time.process_time()\n"
              "while time.process_time() < c + 2: pass\n"
              "print(time.monotonic_ns() - a)")
    done = emulate("python3", "-c", script)
    equal((done.stdout, done.stderr), ("1000\n", ""))


# ---- descriptors of the machine ------------------------------------------------------------------

def test_a_program_that_reads_its_input_does_not_make_time_pass():
    for wait in ["head -c 1 >/dev/null", "python3 -c 'import select; select.select([0], [], [])'"]:
        script = f"date +%s%N; {wait}; date +%s%N"
        with subprocess.Popen([*COMMAND, "--", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as process:
            before = int(process.stdout.readline())
            time.sleep(0.5)
            process.stdin.write("x")
            process.stdin.close()
            after = int(process.stdout.readline())
        equal(process.returncode, 0)
        assert after - before < 100e6, f"{wait}: {after - before} ns passed"


def test_a_pipe_between_processes():
    """A timeout passes while the other end sleeps for longer, and not if it is shorter."""
    script = '(sleep 5; echo word) | (read -t %s word; echo "$? $word $(date +%%s)")'
    equal(run("bash", "-c", script % 10), "0 word 1577836805\n")
    equal(run("bash", "-c", script % 3), "142  1577836803\n")


def test_a_pool_of_processes():
    """One of its threads polls what another one reads, and holds Python's lock except during the poll."""
    script = ("import multiprocessing\ndef square(x): return x * x\nif __name__ == '__main__':\n"
              "    with multiprocessing.Pool(4) as pool: print(sum(pool.map(square, range(100))))")
    equal(run(sys.executable, "-c", script), "328350\n")


def test_readings_become_longer_while_another_thread_sleeps():
    """Else it would take a call for each microsecond of its sleep. The thread wakes at its time."""
    client = ("import threading, time\n"
              "start = time.monotonic_ns()\n"
              "thread = threading.Thread(target=lambda: (time.sleep(10), print(round((time.monotonic_ns() - start) / 1e8))))\n"
              "thread.start()\ncount = 0\n"
              "while thread.is_alive():\n    time.monotonic_ns(); count += 1\n"
              "print(100 < count < 20000)")
    equal(run(sys.executable, "-c", client), "100\nTrue\n")


def test_sockets_of_other_processes_take_no_time():
    """A program that looks who uses the GPU looks at all descriptors of the machine."""
    client = ("import glob, os, time\n"
              "start = time.monotonic_ns()\n"
              "for name in glob.glob('/proc/%d/fd/*'): os.stat(name)\n"
              "print(time.monotonic_ns() - start)" % os.getpid())

    def took():
        return int(run(sys.executable, "-c", client))
    pairs = [socket.socketpair()] # with the first one, the library fetches the list of those that may be the device's
    took_before = took()
    pairs += [socket.socketpair() for _ in range(20)]
    equal(took(), took_before)
    assert took_before < 5000, took_before
    for pair in pairs:
        for end in pair:
            end.close()


def test_many_clients_that_look_at_each_other(directory):
    """Each names all of them, with the time that each has used, in each sample."""
    need_program("intel_gpu_top")
    names = [os.path.join(directory, f"top-{i}") for i in range(8)]
    script = "".join(f"timeout -s INT 3 intel_gpu_top -J -s 500 -o {name} & " for name in names) + "wait"
    done = emulate("sh", "-c", script, options=["--root", "-d", "sim:skl"])
    equal(done.returncode, 0, done.stderr)
    for name in names:
        with open(name, encoding="utf-8") as file:
            equal(file.read().count('"period"'), 6)


# ---- recordings ----------------------------------------------------------------------------------

def digest(path):
    with open(path, "rb") as file:
        data = file.read()
    assert len(data) > 10000, f"{path}: {len(data)} bytes"
    return hashlib.sha256(data).hexdigest()


def test_recordings_are_the_same(directory):
    path = os.path.join(directory, "recording")

    def record():
        run(TALLY, "record", "-q", "-d", "/dev/dri/renderD128", "-m", "RenderBasic", "-p", "500us", "-t", "500ms", "-o", path,
            options=["--root", "--gpu", "skl", "--workload", "triangle"])
        return digest(path)
    same_at_any_load(record)


def test_recordings_of_peers_are_the_same(directory):
    """Also with another process, which ends the recorder."""
    need_program("i915-perf-recorder")
    path = os.path.join(directory, "recording")

    def record():
        done = with_recorder(lambda: emulate(
            "timeout", "-s", "INT", "1", "i915-perf-recorder", "-m", "RenderBasic", "-p", "0.001", "-o", path,
            options=["--root", "--gpu", "skl", "--workload", "triangle"]))
        equal(done.returncode, 124, done.stderr)
        return digest(path)
    same_at_any_load(record)


def test_a_wrong_date_is_refused():
    for date in ["soon", "12 ", "-1", "99999999999999999999"]:
        done = emulate("true", env=dict(os.environ, SOURCE_DATE_EPOCH=date))
        equal((done.returncode, done.stderr), (2, f'tally: emulate: SOURCE_DATE_EPOCH "{date}", expected seconds since 1970\n'))
    equal(emulate("true", env=dict(os.environ, SOURCE_DATE_EPOCH="")).returncode, 0)


def test_an_unknown_clock_is_refused():
    done = emulate("true", options=["--clock", "slow"])
    equal(done.returncode, 2)
    contains(done.stderr, "--clock slow, expected wall or virtual")


if __name__ == "__main__":
    main()
