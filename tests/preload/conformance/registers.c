/* SPDX-License-Identifier: MIT */
/* The registers of the device, mapped by `resource0` of its PCI device, as libpciaccess does. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define RESOURCE "/sys/bus/pci/devices/0000:00:02.0/resource0"
#define PAGE     4096

/* The general purpose registers of the render engine: 16 of 64 bits, which are only stored. */
#define GPR       0x2600u
#define GPR_BYTES 128u

static volatile uint8_t *map_at(uint64_t offset, size_t bytes, int protection)
{
    int fd = (int)WORKS(open(RESOURCE, (protection & PROT_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC));
    void *memory = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)offset);
    if (memory == MAP_FAILED && errno == ENODEV)
        skip("needs libzydis");
    CHECK(memory != MAP_FAILED, "%s", strerror(errno));
    close(fd);
    return memory;
}

/* Maps the first registers, and keeps the GPU awake, until the process ends. */
static volatile uint8_t *map_registers(void)
{
    int directory = (int)WORKS(open("/sys/kernel/debug/dri/0", O_RDONLY | O_DIRECTORY));
    WORKS(openat(directory, "i915_forcewake_user", O_WRONLY));
    return map_at(0, 2u << 20, PROT_READ | PROT_WRITE);
}

static volatile uint32_t *dword_at(volatile uint8_t *registers, uint32_t address)
{
    return (volatile uint32_t *)(volatile void *)(registers + address);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static void accesses(struct device *device)
{
    volatile uint8_t *registers = map_registers();
    volatile uint32_t *gpr = dword_at(registers, GPR);
    volatile uint64_t *wide = (volatile uint64_t *)(volatile void *)gpr;
    struct stat file;
    WORKS(stat(RESOURCE, &file));
    CHECK(file.st_size >= 2 << 20 && !(file.st_size & (file.st_size - 1)), "%lld bytes",
          (long long)file.st_size);
    CHECK((file.st_mode & 0777) == 0600, "mode %o", file.st_mode);
    gpr[0] = 0x12345678;
    gpr[1] = 0x9abcdef0;
    CHECK(gpr[0] == 0x12345678 && gpr[1] == 0x9abcdef0, "0x%x 0x%x", gpr[0], gpr[1]);
    CHECK(wide[0] == 0x9abcdef012345678, "0x%llx", (unsigned long long)wide[0]);
    wide[1] = 0x0102030405060708;
    CHECK(gpr[2] == 0x05060708 && gpr[3] == 0x01020304, "0x%x 0x%x", gpr[2], gpr[3]);
    CHECK(registers[GPR + 1] == 0x56, "0x%x", registers[GPR + 1]);
    CHECK(*(volatile uint16_t *)(volatile void *)(registers + GPR + 2) == 0x1234, "16 bits");
    gpr[0] |= 0x80000000;
    gpr[0] += 8;
    CHECK(gpr[0] == 0x92345680, "0x%x", gpr[0]);
    uint32_t first = *dword_at(registers, 0x2358);
    sleep_ns(1000000);
    CHECK(*dword_at(registers, 0x2358) != first, "the timestamp stays 0x%x", first);
    (void)device;
}

#ifdef __x86_64__
/* Instructions that compilers make of memcpy() and the like. */
static void instructions(struct device *device)
{
    volatile uint8_t *registers = map_registers();
    volatile uint32_t *gpr = dword_at(registers, GPR);
    uint8_t copy[GPR_BYTES];
    uint64_t flags;
    (void)device;
    for (uint32_t i = 0; i < GPR_BYTES / 4; i++)
        gpr[i] = i * 0x01010101;
    memcpy(copy, (const void *)(uintptr_t)gpr, sizeof copy);
    for (size_t i = 0; i < sizeof copy; i++)
        CHECK(copy[i] == i / 4, "byte %zu is %u", i, copy[i]);
    const void *from = (const void *)(uintptr_t)gpr;
    void *to = memset(copy, 0xff, sizeof copy);
    size_t count = sizeof copy / 4;
    __asm__ volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    CHECK(!count && from == (const void *)(uintptr_t)(gpr + GPR_BYTES / 4) &&
              (uint8_t *)to == copy + sizeof copy,
          "%zu left", count);
    for (size_t i = 0; i < sizeof copy; i++)
        CHECK(copy[i] == i / 4, "byte %zu is %u", i, copy[i]);
    to = (void *)(uintptr_t)gpr;
    count = GPR_BYTES / 4;
    __asm__ volatile("rep stosl" : "+D"(to), "+c"(count) : "a"(0x5a5a5a5a) : "memory");
    CHECK(gpr[0] == 0x5a5a5a5a && gpr[GPR_BYTES / 4 - 1] == 0x5a5a5a5a, "0x%x", gpr[0]);
    uint64_t base = (uint64_t)(uintptr_t)gpr; /* the result replaces the address */
    __asm__ volatile("movl (%0), %k0" : "+r"(base) : : "memory");
    CHECK(base == 0x5a5a5a5a, "0x%llx", (unsigned long long)base);
    __asm__ volatile("cmpl $0x5a5a5a5a, (%1)\n\tpushfq\n\tpopq %0" : "=r"(flags) : "r"(gpr) : "cc");
    CHECK((flags & 0x140) == 0x40, "flags 0x%llx", (unsigned long long)flags);
    uint32_t swapped = 7;
    __asm__ volatile("xchgl %0, 4(%1,%2,4)"
                     : "+r"(swapped)
                     : "r"(gpr), "r"((uint64_t)2)
                     : "memory");
    CHECK(swapped == 0x5a5a5a5a && gpr[3] == 7, "0x%x 0x%x", swapped, gpr[3]);
}
#endif

/* ---- mappings -------------------------------------------------------------------------------- */

static void mappings(struct device *device)
{
    volatile uint8_t *registers = map_registers(), *page = map_at(0x2000, PAGE, PROT_READ);
    int fd = (int)WORKS(open(RESOURCE, O_RDWR));
    struct stat file;
    (void)device;
    *dword_at(registers, GPR) = 0xabcd;
    CHECK(*dword_at(page, GPR - 0x2000) == 0xabcd, "0x%x", *dword_at(page, GPR - 0x2000));
    WORKS(munmap((void *)(uintptr_t)registers, PAGE)); /* the others stay */
    WORKS(munmap((void *)(uintptr_t)(registers + 0x10000), PAGE));
    CHECK(*dword_at(registers, GPR) == 0xabcd, "0x%x", *dword_at(registers, GPR));
    (void)*dword_at(registers, 0x11000);
    WORKS(fstat(fd, &file));
    CHECK(
        mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, file.st_size) == MAP_FAILED && errno == EINVAL,
        "%s", strerror(errno));
    CHECK(mmap(NULL, (size_t)file.st_size + PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
              errno == EINVAL,
          "%s", strerror(errno));
    pid_t child = (pid_t)WORKS(fork());
    if (!child) {
        bool same = *dword_at(page, GPR - 0x2000) == 0xabcd;
        *dword_at(registers, GPR) = 0x1234;
        _exit(same ? 0 : 1);
    }
    int status;
    WORKS(waitpid(child, &status, 0));
    CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "status 0x%x", status);
    CHECK(*dword_at(page, GPR - 0x2000) == 0x1234, "0x%x", *dword_at(page, GPR - 0x2000));
}

/* Each with its own register. */
static volatile uint8_t *shared;

static void *count_up(void *closure)
{
    volatile uint32_t *gpr = dword_at(shared, GPR) + (uintptr_t)closure;
    for (uint32_t i = 1; i <= 200; i++) {
        *gpr = i;
        if (*gpr != i)
            return NULL;
    }
    return closure;
}

static void threads(struct device *device)
{
    pthread_t list[4];
    shared = map_registers();
    (void)device;
    for (uintptr_t i = 0; i < COUNT(list); i++)
        CHECK(!pthread_create(&list[i], NULL, count_up, (void *)(2 * i + 2)), "no thread");
    for (uintptr_t i = 0; i < COUNT(list); i++) {
        void *result;
        pthread_join(list[i], &result);
        CHECK(result == (void *)(2 * i + 2), "thread %u", (unsigned)i);
    }
}

/* ---- signals --------------------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t faults;

/* An address that is not mapped. */
static volatile uint32_t *volatile nowhere = (volatile uint32_t *)16;

static void handle(int signal)
{
    faults++;
    siglongjmp(back, signal);
}

/* The program's own handlers are called for its own faults, and its masks stay as they are. */
static void signals(struct device *device)
{
    struct sigaction action = {.sa_handler = handle}, found;
    sigset_t all, before;
    sigaction(SIGSEGV, &action, NULL);
    volatile uint8_t *registers = map_registers();
    volatile uint32_t *gpr = dword_at(registers, GPR);
    (void)device;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    gpr[0] = 5;
    CHECK(gpr[0] == 5, "0x%x", gpr[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    WORKS(sigaction(SIGSEGV, NULL, &found));
    CHECK(found.sa_handler == handle, "another handler");
    if (!sigsetjmp(back, 1))
        *nowhere = 1;
    CHECK(faults == 1, "%d faults", (int)faults);
    volatile uint8_t *page = map_at(0x2000, PAGE, PROT_READ);
    if (!sigsetjmp(back, 1))
        *dword_at(page, GPR - 0x2000) = 1; /* may only be read */
    CHECK(faults == 2 && gpr[0] == 5, "%d faults, 0x%x", (int)faults, gpr[0]);
    action.sa_handler = SIG_DFL;
    WORKS(sigaction(SIGSEGV, &action, NULL));
    gpr[0] = 6;
    CHECK(gpr[0] == 6, "0x%x", gpr[0]);
    pid_t child = (pid_t)WORKS(fork());
    if (!child) {
        *nowhere = 1;
        _exit(0);
    }
    int status;
    WORKS(waitpid(child, &status, 0));
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "status 0x%x", status);
}

/* ---- sleep and rights ------------------------------------------------------------------------ */

/* Without force wake, a GPU in RC6 does not answer. */
static void asleep(struct device *device)
{
    volatile uint8_t *registers = map_at(0, 2u << 20, PROT_READ | PROT_WRITE);
    (void)device;
    close(device->fd);
    static const struct {
        const char *name;
        int flags;
    } rows[] = {
        {"/sys/kernel/debug/dri/0/i915_forcewake_user", O_WRONLY},
        {"/sys/kernel/debug/dri/0/i915_forcewake_user", O_RDONLY},
        {"/sys/kernel/debug/dri/128/gt/forcewake_user", O_RDONLY},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        char byte;
        sleep_ns(200000000);
        CHECK(!*dword_at(registers, 0x2358), "%s: awake", rows[i].name);
        int fd = (int)WORKS(open(rows[i].name, rows[i].flags));
        CHECK(*dword_at(registers, 0x2358), "%s: asleep", rows[i].name);
        if (rows[i].flags == O_RDONLY)
            FAILS(read(fd, &byte, 1), EINVAL);
        close(fd);
    }
}

static void is_refused(struct device *device)
{
    (void)device;
    FAILS(open(RESOURCE, O_RDWR), EACCES);
    FAILS(open(RESOURCE, O_RDONLY), EACCES);
    FAILS(open("/sys/kernel/debug/dri/0/i915_forcewake_user", O_WRONLY), EACCES);
}

static void refused(struct device *device)
{
    in_child(device, true, is_refused);
}

static const struct subtest rows[] = {
    {"registers", ALL, 0, NULL,
     "mapped registers are read and written by 8, 16, 32 and 64 bits, and counters advance",
     accesses, false, false},
#ifdef __x86_64__
    {"registers-by-instruction", ALL, 0, NULL,
     "vector and string instructions, and those that read and write, access registers",
     instructions, false, false},
#endif
    {"registers-mapped", ALL, 0, NULL,
     "pages can be mapped alone and unmapped; children share the registers; beyond the end: EINVAL",
     mappings, false, false},
    {"registers-threads", ALL, 0, NULL, "threads access registers at the same time", threads, false,
     false},
    {"registers-signals", ALL, 0, NULL,
     "handlers of SIGSEGV get the program's own faults; registers work with all signals blocked",
     signals, false, false},
    {"registers-asleep", ALL, 0, NULL,
     "registers of a GPU in RC6 read 0, unless forcewake_user is open", asleep, false, false},
    {"registers-refused", ALL, 0, NULL, "without root the registers cannot be opened", refused,
     false, false},
};
GROUP(registers_group, rows);
