/* SPDX-License-Identifier: MIT */
/* Makes a seccomp filter of the table of traps. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "preload/namespace/namespace.h"

#define MAX_INSTRUCTIONS 512
#define X32              0x40000000u /* bit of the numbers of another ABI */

/* Types of ioctls: DRM; i915-perf's streams; events; sync files; dma-bufs; sync/sw_sync. */
static const char types[] = {'d', 'i', '$', '>', 'b', 'W'};

struct program {
    struct sock_filter code[MAX_INSTRUCTIONS];
    unsigned count;
    const struct window *window;
};

static void add(struct program *program, uint16_t code, uint8_t yes, uint8_t no, uint32_t k)
{
    program->code[program->count++] = (struct sock_filter){code, yes, no, k};
}

/* Jumps over `yes` instructions if the comparison is true, else over `no`. */
#define JUMP(comparison, k, yes, no) add(program, BPF_JMP | (comparison) | BPF_K, yes, no, k)

#define RETURN(what) add(program, BPF_RET | BPF_K, 0, 0, what)
#define ALLOW        SECCOMP_RET_ALLOW
#define HAND_OVER    SECCOMP_RET_USER_NOTIF

static void load(struct program *program, size_t offset)
{
    add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* Loads the lower half of an argument; with `upper`, the other. Numbers are little endian. */
static void load_argument(struct program *program, unsigned index, bool upper)
{
    load(program, offsetof(struct seccomp_data, args) + 8 * index + (upper ? 4 : 0));
}

static void add_window(struct program *program)
{
    JUMP(BPF_JGE, program->window->high, 1, 0);
    JUMP(BPF_JGE, program->window->low, 1, 0);
    RETURN(ALLOW);
    RETURN(HAND_OVER);
}

static void add_condition(struct program *program, enum trap_if condition)
{
    switch (condition) {
    case TRAP_ALWAYS:
        RETURN(HAND_OVER);
        break;
    case TRAP_WINDOW:
        load_argument(program, 0, false);
        add_window(program);
        break;
    case TRAP_WRITE:
        load_argument(program, 0, false);
        JUMP(BPF_JGT, STDERR_FILENO, 3, 0);
        load_argument(program, 2, false);
        JUMP(BPF_JGT, TRAP_SHORT, 0, 4); /* to the last */
        RETURN(ALLOW);
        add_window(program);
        break;
    case TRAP_IOCTL:
        load_argument(program, 1, false);
        add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xff00);
        for (unsigned i = 0; i < ARRAY_COUNT(types); i++)
            JUMP(BPF_JEQ, (uint32_t)types[i] << 8, (uint8_t)(ARRAY_COUNT(types) - i), 0);
        RETURN(ALLOW);
        RETURN(HAND_OVER);
        break;
    case TRAP_MAP:
        load_argument(program, 4, true);
        JUMP(BPF_JEQ, FILTER_INJECTED, 3, 0);
        load_argument(program, 3, false);
        JUMP(BPF_JSET, MAP_ANONYMOUS, 1, 0);
        JUMP(BPF_JSET, MAP_SHARED, 1, 0);
        RETURN(ALLOW);
        RETURN(HAND_OVER);
        break;
    case TRAP_FCNTL:
        load_argument(program, 1, false);
        JUMP(BPF_JEQ, F_DUPFD, 2, 0);
        JUMP(BPF_JEQ, F_DUPFD_CLOEXEC, 1, 0);
        RETURN(ALLOW);
        load_argument(program, 0, false);
        add_window(program);
        break;
    }
}

/* A call of another ABI is allowed: it sees plain files. */
static void compile(struct program *program)
{
    load(program, offsetof(struct seccomp_data, arch));
    JUMP(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
    RETURN(ALLOW);
    load(program, offsetof(struct seccomp_data, nr));
    JUMP(BPF_JGE, X32, 0, 1);
    RETURN(ALLOW);
    for (const struct trap *trap = traps; trap->number >= 0; trap++) {
        unsigned jump = program->count;
        JUMP(BPF_JEQ, (uint32_t)trap->number, 0, 0);
        add_condition(program, trap->condition);
        program->code[jump].jf = (uint8_t)(program->count - jump - 1);
    }
    RETURN(ALLOW);
}

int filter_install(const struct window *window)
{
    struct program program = {.window = window};
    compile(&program);
    struct sock_fprog given = {(unsigned short)program.count, program.code};
    /* A call that the supervisor has received is not interrupted, and so not made twice. */
    unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &given);
    if (listener < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &given);
    return listener < 0 ? -errno : (int)listener;
}

bool namespace_is_supported(void)
{
    return traps[0].number >= 0;
}
