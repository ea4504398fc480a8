# SPDX-License-Identifier: MIT
"""tally emulate --by namespace: programs that the preloaded library cannot reach; and the warning for them."""
import os
import shutil
import signal
import subprocess
import sys
import time

from e2e import BUILD, METRICS, TALLY, Skip, build_options, contains, equal, main, need, need_preload, need_program, succeed, with_recorder

CLIENT = os.path.join(BUILD, "tests", "namespace_client")
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}

GO = """\
package main

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

type version struct {
	major, minor, patch                             int32
	pad                                             int32
	nameLen, name, dateLen, date, descLen, desc     uint64
}

func use(done *sync.WaitGroup) {
	defer done.Done()
	for i := 0; i < 20; i++ {
		card, err := os.OpenFile("/dev/dri/card0", os.O_RDWR, 0)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		name := make([]byte, 16)
		v := version{nameLen: 15, name: uint64(uintptr(unsafe.Pointer(&name[0])))}
		_, _, code := syscall.Syscall(syscall.SYS_IOCTL, card.Fd(), 0xc0406400, uintptr(unsafe.Pointer(&v)))
		if code != 0 || string(name[:4]) != "i915" {
			fmt.Println("VERSION:", code, string(name))
			os.Exit(1)
		}
		card.Close()
	}
}

func main() {
	var done sync.WaitGroup
	for i := 0; i < 32; i++ {
		done.Add(1)
		go use(&done)
	}
	done.Wait()
	os.WriteFile(os.Args[1], []byte("written\\n"), 0644)
	entries, _ := os.ReadDir("/sys/class/drm")
	for _, entry := range entries {
		fmt.Println(entry.Name())
	}
}
"""


def command(*program, options=(), device="skl"):
    return [TALLY, "emulate", "--by", "namespace", "-d", "sim:" + device, "-q", *options, "--", *program]


def emulate(*program, options=(), device="skl", **more):
    return subprocess.run(command(*program, options=options, device=device), capture_output=True, text=True, check=False,
                          timeout=more.pop("timeout", 240), **more)


def need_namespace():
    """Needs a mount namespace, of root or in a user namespace, and seccomp's notifications."""
    if "sanitizers: none" not in build_options():
        raise Skip("a sanitizer's threads are not served")
    done = emulate("true")
    if done.returncode == 4 or "x86-64" in done.stderr:
        raise Skip("needs namespaces: " + done.stderr.strip())
    equal((done.returncode, done.stderr), (0, ""), "true")


def as_others(*program, options=()):
    """The command as an ordinary user, who has a user namespace of their own."""
    if os.geteuid() != 0:
        return emulate(*program, options=options)
    done = subprocess.run(command("true"), capture_output=True, text=True, check=False, **NOBODY)
    if done.returncode:
        raise Skip("another user cannot run it: " + done.stderr.strip())
    return emulate(*program, options=options, **NOBODY)


def parts(*names, device="skl", who=emulate, env=None, **more):
    """The lines that the client prints, as a dictionary."""
    need(CLIENT)
    extra = {"env": dict(os.environ, **env)} if env else {}
    done = who(CLIENT, *names, device=device, **extra, **more) if who is emulate else who(CLIENT, *names, **more)
    equal((done.returncode, done.stderr), (0, ""), done.stdout)
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


# ---- terminals -----------------------------------------------------------------------------------

TERMINAL = """
import os, pty
mine, other = pty.openpty()
os.write(mine, b"typed\\n")
print(os.read(other, 64), os.path.exists(os.ttyname(other)))
"""


def test_a_program_makes_terminals():
    need_namespace()
    done = emulate(sys.executable, "-c", TERMINAL)
    equal(done.stdout, "b'typed\\n' True\n", done.stderr)


# ---- static programs -----------------------------------------------------------------------------

def test_a_static_program_sees_the_device():
    need_namespace()
    for device, chip in [("skl", "0x1912"), ("hsw", "0x416")]:
        lines = parts("device", "copies", "list", "objects", "event", device=device)
        equal(lines, {"device": "i915 " + chip, "copies": "done", "list": "card0 renderD128 version", "objects": "shared",
                      "event": "done"}, device)


def test_a_static_program_records():
    need_namespace()
    equal(parts("record", device="hsw"), {"record": "enough"})
    equal(parts("record", "interrupt", device="skl"), {"record": "enough", "interrupt": "done"})


def test_files_elsewhere_are_the_machines(directory):
    need_namespace()
    path = os.path.join(directory, "file")
    before = sorted(os.listdir("/dev")), sorted(os.listdir("/sys/class"))
    equal(parts("elsewhere", env={"ELSEWHERE": path}), {"elsewhere": "Written"})
    with open(path, encoding="ascii") as file:
        equal(file.read(), "Written\n", path)
    equal((sorted(os.listdir("/dev")), sorted(os.listdir("/sys/class"))), before)


def test_threads_whose_calls_signals_interrupt():
    """A call that is interrupted is not made twice: the handles of a new file begin with 1."""
    need_namespace()
    equal(parts("threads"), {"threads": "done"})


def test_go(directory):
    need_namespace()
    need_program("go")
    source, program, written = (os.path.join(directory, name) for name in ("client.go", "client", "written"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(GO)
    environment = dict(os.environ, GOCACHE=os.path.join(directory, "cache"), GOFLAGS="-mod=mod", CGO_ENABLED="0",
                       HOME=directory, GO111MODULE="off")
    subprocess.run(["go", "build", "-o", program, source], check=True, env=environment, timeout=400)
    done = emulate(program, written)
    equal((done.returncode, done.stderr, done.stdout), (0, "", "card0\nrenderD128\nversion\n"))
    with open(written, encoding="ascii") as file:
        equal(file.read(), "written\n")


def test_busybox():
    need_namespace()
    need_program("busybox")
    done = emulate("busybox", "sh", "-c", "busybox ls /sys/class/drm; busybox stat -c %t:%T /dev/dri/card0")
    equal((done.returncode, done.stdout), (0, "card0\nrenderD128\nversion\ne2:0\n"), done.stderr)


# ---- the whole of a program ----------------------------------------------------------------------

def test_calls_of_libc_itself():
    """system() with an empty environment, and a walk by fts, as `find` does it."""
    need_namespace()
    done = emulate("env", "-i", "/bin/sh", "-c", "find /dev/dri -name 'c*' -o -name 'r*' | sort; ls /sys/class/drm/card0/device/vendor")
    equal((done.returncode, done.stdout),
          (0, "/dev/dri/card0\n/dev/dri/renderD128\n/sys/class/drm/card0/device/vendor\n"), done.stderr)


def test_as_an_ordinary_user():
    need_namespace()
    equal(parts("device", "list", "objects", who=as_others),
          {"device": "i915 0x1912", "list": "card0 renderD128 version", "objects": "shared"})
    done = as_others("sh", "-c", "id -u; cat /sys/kernel/debug/dri/0/name; echo 600 >/sys/class/drm/card0/gt_max_freq_mhz")
    equal(done.stdout.split()[0], "65534" if os.geteuid() == 0 else str(os.geteuid()))
    equal(done.stderr.count("Permission denied"), 2, done.stderr)
    equal(parts("record", who=as_others, options=["--root"]), {"record": "enough"})
    equal(as_others("id", "-u", options=["--root"]).stdout, "0\n")


def test_virtual_files_that_are_written():
    need_namespace()
    limit = "/sys/class/drm/card0/gt_max_freq_mhz"
    done = emulate("sh", "-c", f"echo 600 >{limit}; cat {limit}; echo 600 | tee {limit}; "
                   f"echo 99999 >{limit} || cat {limit}", options=["--root"])
    equal(done.stdout, "600\n600\n600\n")
    contains(done.stderr, "echo")


def test_the_log_has_the_calls_of_the_other_way(directory):
    """The lines of both ways are alike, except for numbers."""
    need_namespace()
    path = os.path.join(directory, "log")
    parts("device", options=["--log", path])
    with open(path, encoding="ascii") as file:
        text = file.read()
    contains(text, '] open("/dev/dri/card0", O_RDWR|O_CLOEXEC) = ')
    contains(text, "I915_GETPARAM, {param=4, value=6418}) = 0")


def test_peers():
    need_namespace()
    need_program("lsgpu")
    contains(emulate("lsgpu").stdout, "Intel Skylake (Gen9)")
    need_program("intel_gpu_top")
    done = emulate("timeout", "3", "intel_gpu_top", "-l")
    contains(done.stdout, "RCS/0", done.stderr)


def test_a_peer_records(directory):
    need_namespace()
    need_program("i915-perf-recorder")
    need(METRICS)
    path = os.path.join(directory, "record")
    done = with_recorder(lambda: emulate("timeout", "-s", "INT", "3", "i915-perf-recorder", "-m", "RenderBasic", "-p", "0.001",
                                         "-o", path, options=["--workload", "triangle"]))
    equal(done.returncode, 124, done.stderr)
    contains(succeed("report", "-M", METRICS, path), "deltas")


# ---- ending --------------------------------------------------------------------------------------

def test_the_status_is_the_programs():
    need_namespace()
    equal(emulate("sh", "-c", "exit 7").returncode, 7)
    equal(emulate("sh", "-c", "kill -TERM $$").returncode, 128 + signal.SIGTERM)
    done = emulate("/nonexistent")
    equal((done.returncode, done.stderr), (127, "tally: /nonexistent: No such file or directory\n"))


def begin_to_wait():
    need(CLIENT)
    process = subprocess.Popen(command(CLIENT, "wait"), stdout=subprocess.PIPE, text=True)
    equal(process.stdout.readline(), "wait: begins\n")
    return process


def test_a_waiting_program_is_ended_by_a_signal():
    need_namespace()
    for number in (signal.SIGTERM, signal.SIGINT):
        with begin_to_wait() as process:
            process.send_signal(number)
            equal(process.wait(60), 128 + number)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def ends(pid):
    for _ in range(600):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.1)
    return False


def test_sigkill_of_each_process():
    """Of the owner: the program ends, too; of the supervisor: likewise; of the program: its status."""
    need_namespace()
    for victim in ("owner", "supervisor", "program"):
        with begin_to_wait() as process:
            supervisor = children(process.pid)[0]
            program = children(supervisor)[0]
            os.kill({"owner": process.pid, "supervisor": supervisor, "program": program}[victim], signal.SIGKILL)
            status = process.wait(60)
            equal(status, -signal.SIGKILL if victim == "owner" else 128 + signal.SIGKILL, victim)
            assert ends(program), victim
    equal(emulate("true").returncode, 0) # removes the directory of the killed owner


def test_the_owner_waits_for_daemons(directory):
    """A process in the background keeps its files."""
    need_namespace()
    path = os.path.join(directory, "late")
    done = emulate("sh", "-c", f"(sleep 1; cat /sys/class/drm/version >{path}) & exit 3", timeout=60)
    equal(done.returncode, 3)
    with open(path, encoding="ascii") as file:
        equal(file.read(), "drm 1.1.0 20060810\n")


# ---- the warning ---------------------------------------------------------------------------------

def test_a_program_that_the_library_cannot_reach(directory):
    """One line, instead of silence; also for a script whose interpreter is static."""
    need_preload()
    need(CLIENT)
    hint = ", and so sees the real machine; --by namespace shows it the emulated GPU\n"
    setuid, script = os.path.join(directory, "setuid"), os.path.join(directory, "script")
    shutil.copy("/bin/true", setuid)
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#! {CLIENT} list\n")
    os.chmod(script, 0o755)
    rows = [(CLIENT, "is a static program"), (script, "is a static program"), ("true", None), ("/bin/sh", None)]
    if os.geteuid() == 0:
        os.chown(setuid, 65534, 65534)
        os.chmod(setuid, 0o4755)
        rows.append((setuid, "is setuid"))
    for program, why in rows:
        done = subprocess.run([TALLY, "emulate", "--clock", "virtual", "--", program], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL, timeout=60)
        equal(done.stderr, f"tally: {program} {why}{hint}" if why else "", program)


def test_programs_that_a_program_executes(directory):
    """The same line for those, however they are executed, and once of each."""
    need_preload()
    need(CLIENT)
    other, script = os.path.join(directory, "other"), os.path.join(directory, "script")
    shutil.copy(CLIENT, other)
    with open(script, "w", encoding="ascii") as file:
        file.write("#! /bin/sh\n./other list >/dev/null\n")
    os.chmod(script, 0o755)
    python = "import os, subprocess, sys; "
    rows = [
        ("sh", "-c", f"cd {directory}; ./other list; ./other list; true"),
        ("sh", "-c", f"PATH={directory}:$PATH; other list; true"),
        ("sh", "-c", f"cd {directory}; true; exec ./script"),
        ("env", "-i", other, "list"),
        (sys.executable, "-c", python + f"os.execv({other!r}, [{other!r}, 'list'])"),
        (sys.executable, "-c", python + f"os.execl({other!r}, {other!r}, 'list')"),
        (sys.executable, "-c", python + f"os.execve(os.open({other!r}, 0), [{other!r}, 'list'], os.environ)"),
        (sys.executable, "-c", python + f"subprocess.call([{other!r}, 'list'])"),
        (sys.executable, "-c", python + f"os.waitpid(os.posix_spawn({other!r}, [{other!r}, 'list'], os.environ), 0)"),
        (sys.executable, "-c", python + f"os.chdir({directory!r}); os.waitpid(os.posix_spawnp('./other', ['other', 'list'], os.environ), 0)"),
    ]
    for row in rows:
        done = subprocess.run([TALLY, "emulate", "--", *row], capture_output=True, text=True, check=False, timeout=60)
        lines = [line for line in done.stderr.splitlines() if "real machine" in line]
        equal(len(lines), 1, f"{row}: {done.stderr}")
        contains(lines[0], " is a static program, and so sees the real machine; --by namespace ")
        contains(lines[0], "other ")
    many = [os.path.join(directory, f"copy{i}") for i in range(18)]
    for copy in many:
        shutil.copy(CLIENT, copy)
    done = subprocess.run([TALLY, "emulate", "--", "sh", "-c", "for i in " + " ".join(many) + "; do $i list; done"],
                          capture_output=True, text=True, check=False, timeout=60)
    equal(done.stderr.count("is a static program"), 16)
    equal(done.stderr.count("further programs that see the real machine are not named"), 1)


# ---- what is refused -----------------------------------------------------------------------------

def test_what_is_refused():
    for options, message in [
            (["--by", "magic"], "tally: emulate: --by magic, expected preload or namespace\n"),
            (["--by", "namespace", "--clock", "virtual"],
             "tally: emulate: --by namespace needs --clock wall: the clocks of the program are the machine's\n")]:
        done = subprocess.run([TALLY, "emulate", *options, "--", "true"], capture_output=True, text=True, check=False)
        equal((done.returncode, done.stderr), (2, message))


def test_one_in_another():
    need_namespace()
    message = "tally: emulate: --by namespace is not possible under another tally emulate\n"
    preload = [TALLY, "emulate", "--clock", "virtual", "--", *command("true")]
    for done in [emulate(*command("true")), subprocess.run(preload, capture_output=True, text=True, check=False)]:
        equal((done.returncode, done.stderr), (2, message))


if __name__ == "__main__":
    main()
