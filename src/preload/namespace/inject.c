/* SPDX-License-Identifier: MIT */
/*
 * Makes a system call in a thread: mmap(), which the answer of a handed-over call cannot do. The
 * thread is traced for this time: it stops when its call is answered, and makes the other call by
 * the same instruction. Its signals are blocked meanwhile.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "preload/namespace/namespace.h"

#ifndef __WNOTHREAD
#define __WNOTHREAD 0x20000000
#endif

/* Held while a thread is traced: its stops are also seen by a waitpid() of the supervisor for its
 * children. */
static pthread_mutex_t tracing = PTHREAD_MUTEX_INITIALIZER;

pid_t inject_reap(int *status)
{
    pthread_mutex_lock(&tracing);
    pid_t ended = waitpid(-1, status, WNOHANG | __WNOTHREAD);
    pthread_mutex_unlock(&tracing);
    return ended;
}

#ifdef __x86_64__

#define INSTRUCTION_BYTES 2 /* of a system call */
#define SYSCALL_STOP      (SIGTRAP | 0x80)

_Static_assert(sizeof(struct user_regs_struct) <= sizeof((struct injection *)0)->saved, "saved");

/* Waits until the thread stops. Returns the signal and event of waitpid(); 0: it has ended, which
 * is left for its parent to see. */
static int wait_for_stop(pid_t thread)
{
    siginfo_t info = {0};
    int flags = WSTOPPED | __WALL | __WNOTHREAD;
    if (waitid(P_PID, (id_t)thread, &info, flags | WEXITED | WNOWAIT) < 0 ||
        (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED))
        return 0;
    if (waitid(P_PID, (id_t)thread, &info, flags) < 0)
        return 0;
    return info.si_status;
}

static bool set_mask(pid_t thread, uint64_t mask)
{
    return ptrace(PTRACE_SETSIGMASK, thread, (void *)sizeof mask, &mask) == 0;
}

/* Traces a thread, and makes it stop when its call has ended. */
static int trace(pid_t thread)
{
    const uintptr_t options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    pthread_mutex_lock(&tracing);
    if (ptrace(PTRACE_SEIZE, thread, NULL, (void *)options) == 0 &&
        ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0)
        return 0;
    int code = errno; /* a debugger traces it; or it has ended, and so is not traced */
    pthread_mutex_unlock(&tracing);
    return -code;
}

/* After the stop the kernel looks for signals, also if another thread has taken this one. */
int inject_interrupt(pid_t thread, void (*answer)(void))
{
    int result = trace(thread);
    if (result < 0)
        return result;
    answer();
    if (wait_for_stop(thread))
        ptrace(PTRACE_DETACH, thread, NULL, NULL);
    pthread_mutex_unlock(&tracing);
    return 0;
}

int inject_stop(struct injection *injection, pid_t thread, void (*answer)(void))
{
    int result = trace(thread);
    if (result < 0)
        return result;
    *injection = (struct injection){.thread = thread};
    answer();
    injection->stopped = true;
    if (!wait_for_stop(thread))
        return -ESRCH;
    if (ptrace(PTRACE_GETREGS, thread, NULL, injection->saved) < 0 ||
        ptrace(PTRACE_GETSIGMASK, thread, (void *)sizeof injection->mask, &injection->mask) < 0 ||
        !set_mask(thread, UINT64_MAX))
        return -ESRCH;
    return 0;
}

/* Continues the thread to the next entry or exit of a system call. */
static bool run_to_call(pid_t thread)
{
    int stop = 0;
    for (unsigned tries = 0; tries < 16 && stop != SYSCALL_STOP; tries++) {
        if (ptrace(PTRACE_SYSCALL, thread, NULL, NULL) < 0 || !(stop = wait_for_stop(thread)))
            return false;
    }
    return stop == SYSCALL_STOP;
}

int64_t inject_call(const struct injection *injection, long number, const uint64_t arguments[6])
{
    struct user_regs_struct registers;
    memcpy(&registers, injection->saved, sizeof registers);
    registers.rip -= INSTRUCTION_BYTES;
    registers.rax = (uint64_t)number;
    registers.orig_rax = UINT64_MAX; /* no call that would be restarted */
    registers.rdi = arguments[0];
    registers.rsi = arguments[1];
    registers.rdx = arguments[2];
    registers.r10 = arguments[3];
    registers.r8 = arguments[4];
    registers.r9 = arguments[5];
    pid_t thread = injection->thread;
    if (ptrace(PTRACE_SETREGS, thread, NULL, &registers) < 0 || !run_to_call(thread) ||
        !run_to_call(thread) || ptrace(PTRACE_GETREGS, thread, NULL, &registers) < 0)
        return -ESRCH;
    return (int64_t)registers.rax;
}

void inject_continue(struct injection *injection, int64_t result)
{
    struct user_regs_struct registers;
    memcpy(&registers, injection->saved, sizeof registers);
    registers.rax = (uint64_t)result;
    registers.orig_rax = UINT64_MAX;
    ptrace(PTRACE_SETREGS, injection->thread, NULL, &registers);
    set_mask(injection->thread, injection->mask);
    ptrace(PTRACE_DETACH, injection->thread, NULL, NULL);
    injection->stopped = false;
    pthread_mutex_unlock(&tracing);
}

#else

int inject_interrupt(pid_t thread, void (*answer)(void))
{
    (void)thread, (void)answer;
    return -ENOSYS;
}

int inject_stop(struct injection *injection, pid_t thread, void (*answer)(void))
{
    (void)injection, (void)thread, (void)answer;
    return -ENOSYS;
}

int64_t inject_call(const struct injection *injection, long number, const uint64_t arguments[6])
{
    (void)injection, (void)number, (void)arguments;
    return -ENOSYS;
}

void inject_continue(struct injection *injection, int64_t result)
{
    (void)injection, (void)result;
}

#endif
