# SPDX-License-Identifier: MIT
"""tally vm: what is wrong or missing is one line that names it. Boots are in tests/vm."""
import os
import shutil
import subprocess
import sys

from e2e import BUILD, SOURCE, TALLY, Skip, contains, equal, main, tally

# Any ELF file passes as a kernel that has everything built in, until a machine boots it.
KERNEL = ["--gpu", "none", "--kernel", TALLY]


def check(rows, **options):
    for arguments, code, message in rows:
        done = tally("vm", *arguments, **options)
        equal(done.returncode, code, (arguments, done.stderr))
        contains(done.stderr, message, arguments)
        equal(len(done.stderr.splitlines()), 1, arguments)
        equal(done.stdout, "", arguments)


def test_usage():
    check([
        (["--memory", "12"], 2, 'vm: --memory "12", expected 256M to 64G'),
        (["--memory", "lots"], 2, 'vm: --memory "lots", expected 256M to 64G'),
        (["--timeout", "soon"], 2, 'vm: --timeout "soon", expected a time such as 90s'),
        (["--slow", "0"], 2, "vm: --slow 0, expected 1 to 16"),
        (["--slow", "17"], 2, "vm: --slow 17, expected 1 to 16"),
        (["--slow", "2x"], 2, "vm: --slow 2x, expected 1 to 16"),
        (["--slow", ""], 2, "vm: --slow , expected 1 to 16"),
        (["--clock", "free"], 2, "vm: --clock free, expected wall or guest"),
        (["-d", "sim:ivc"], 2, 'unknown device "sim:ivc", expected sim:ivb'),
        (["--gpu", "skl", "--fuses", "slice=1"], 3, "vm: fuses disable all EUs of skl/gt2"),
        (["--gpu", "g92", "--fuses", "slice=1"], 3, "vm: g92: fuses are for Intel's platforms"),
        (["--kernl", "x"], 2, "vm: unknown option --kernl, expected --kernel"),
    ])


def test_kernels_and_modules(directory):
    text = os.path.join(directory, "vmlinuz")
    with open(text, "wb") as file:
        file.write(b"no kernel" * 100)
    broken = os.path.join(directory, "broken")
    os.mkdir(broken)
    for name, content in [("modules.dep", "kernel/a.ko\n"), ("modules.builtin", "")]:
        with open(os.path.join(broken, name), "w", encoding="utf-8") as file:
            file.write(content)
    without = os.path.join(directory, "without")
    shutil.copytree(broken, without)
    with open(os.path.join(without, "modules.dep"), "w", encoding="utf-8") as file:
        file.write("kernel/a.ko:\n")
    rows = [
        (["--kernel", "/nonexistent"], "vm: cannot open /nonexistent"),
        (["--kernel", text], f"vm: {text}: not a Linux kernel for x86 (bzImage)"),
        ([*KERNEL, "--modules", directory], f"vm: {directory}: neither modules.dep nor"),
        ([*KERNEL, "--modules", broken], f"vm: {broken}/modules.dep:1: expected a module, a colon"),
        ([*KERNEL, "--modules", without], "the kernel has no module virtio_pci"),
    ]
    need_busybox()
    check([(arguments, 1, message) for arguments, message in rows])


# Waits 0.05 s by ppoll(). Prints how long that took by the clock that the library slows, and by one that it does not.
WAIT = """
import ctypes, time
class timespec(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
libc = ctypes.CDLL(None)
before = time.clock_gettime(time.CLOCK_MONOTONIC), time.clock_gettime(time.CLOCK_BOOTTIME)
libc.ppoll(None, ctypes.c_ulong(0), ctypes.byref(timespec(0, 50_000_000)), None)
after = time.clock_gettime(time.CLOCK_MONOTONIC), time.clock_gettime(time.CLOCK_BOOTTIME)
print(after[0] - before[0], after[1] - before[1])
"""


def test_the_library_that_slows_qemu():
    for slow in ["1", "4", "16"]:
        done = subprocess.run([sys.executable, "-c", WAIT], capture_output=True, text=True, check=True, env={
            "LD_PRELOAD": os.path.join(BUILD, "src", "libtally-slow.so"), "TALLY_SLOW": slow})
        slowed, real = map(float, done.stdout.split())
        assert real >= 0.05 * int(slow) and slowed >= 0.05, (slow, slowed, real)
        assert real / int(slow) * 0.5 < slowed < real / int(slow) * 1.01, (slow, slowed, real)


# Waits 19 years by ppoll(), until a signal arrives after 0.2 s. Prints why it has ended.
LONG_WAIT = WAIT.partition("before =")[0] + """
import errno, signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.2)
libc = ctypes.CDLL(None, use_errno=True)
libc.ppoll(None, ctypes.c_ulong(0), ctypes.byref(timespec(600_000_000, 999_999_999)), None)
print(errno.errorcode[ctypes.get_errno()])
"""


def test_a_long_wait_that_is_slowed():
    done = subprocess.run([sys.executable, "-c", LONG_WAIT], capture_output=True, text=True, check=True, env={
        "LD_PRELOAD": os.path.join(BUILD, "src", "libtally-slow.so"), "TALLY_SLOW": "16"})
    equal(done.stdout.strip(), "EINTR", done.stderr)


def test_a_path_that_cannot_be_preloaded(directory):
    """$LD_PRELOAD separates libraries by spaces and colons."""
    for part in ["a b", "a:b"]:
        place = os.path.join(directory, part)
        os.makedirs(os.path.join(place, "src"))
        shutil.copy(TALLY, place)
        rows = [("libtally-slow.so", ["vm", "--gpu", "none", "--slow", "2", "--", "true"]),
                ("libtally-preload.so", ["emulate", "--", "true"])]
        for library, arguments in rows:
            path = os.path.join(place, "src", library)
            shutil.copy(os.path.join(BUILD, "src", library), path)
            done = subprocess.run([os.path.join(place, "tally"), *arguments], capture_output=True, text=True)
            contains(done.stderr, f": {path}: cannot be preloaded, expected a path without spaces and colons\n")
            equal(done.returncode, 1)


def need_busybox():
    if not shutil.which("busybox"):
        raise Skip("needs busybox-static")


def test_commands_and_files():
    need_busybox()
    check([
        ([*KERNEL, "--", "./nonexistent"], 1, "vm: ./nonexistent: not a program"),
        ([*KERNEL, "--add", "/nonexistent", "--", "sh"], 1, "vm: cannot open /nonexistent"),
        ([*KERNEL, "--add", "nonexistent", "--", "sh"], 1, "vm: nonexistent: not found in $PATH"),
        ([*KERNEL, "--log", "/nonexistent/log", "--", "sh"], 1, "vm: cannot open /nonexistent/log"),
    ], env={})


def test_what_is_not_installed(directory):
    """Each message names the package, and make deps-vm."""
    rows = [(["--", "sh"], "no kernel with modules in")] if not os.path.isdir("/boot") or \
        not any(name.startswith("vmlinuz") for name in os.listdir("/boot")) else []
    check([(arguments, 1, message) for arguments, message in rows],
          env={"XDG_CACHE_HOME": directory})
    need_busybox()
    check([([*KERNEL, "--", "sh"], 1,
            "vm: qemu-system-x86_64 not found, expected the package qemu-system-x86 (make deps-vm)")],
          env={"PATH": directory})
    equal(os.listdir(directory), [])
    script = os.path.join(SOURCE, "data", "vm", "init")
    assert os.access(script, os.X_OK), script


if __name__ == "__main__":
    main()
