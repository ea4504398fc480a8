/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_NAMESPACE_H
#define TALLY_PRELOAD_NAMESPACE_H

/*
 * Runs a program without the preloaded library: in a mount namespace whose /dev, /sys and /proc
 * have the virtual files, and under a seccomp filter that hands system calls over to a supervisor.
 * The supervisor is a process between the server and the program; it makes the calls of the server
 * that the library would make in the program, with the same code.
 *
 * start.c starts both; mounts.c puts the virtual files into place; traps.c is the table of system
 * calls, filter.c makes a filter of it; supervisor.c has the threads that serve calls; target.c is
 * the thread that makes the current one: its memory, descriptors and paths; inject.c maps memory in
 * it; trap_paths.c and trap_descriptors.c perform the calls.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct emulate_notice;

/* ---- start.c --------------------------------------------------------------------------------- */

struct namespace_settings {
    const char *directory; /* the server's, and its notice */
    const struct emulate_notice *notice;
    bool as_root; /* the program sees itself as root */
    bool logs;
    struct rlimit files; /* the program's RLIMIT_NOFILE */
    sigset_t signals;    /* its mask */
    int death;           /* signal that it gets when the supervisor has ended */
};

/* What is written to a pipe when a program cannot be started. */
struct start_failure {
    int code;
    char what[120]; /* "": the program */
};

/*
 * Makes the calling process, a child of the server with one thread, the supervisor of a program
 * that it starts. report: a pipe for struct start_failure, which is closed when the program has
 * started. Ends as the program does, but after all its descendants.
 */
_Noreturn void namespace_run(const struct namespace_settings *settings, char *const arguments[],
                             int report);

/* Whether this machine has what it needs: the processor, for which filter.c and inject.c are. */
bool namespace_is_supported(void);

/* ---- mounts.c -------------------------------------------------------------------------------- */

/* Puts the virtual files into place, in a mount namespace of the caller. directory: the server's.
 * Returns 0, or an errno with the name of a file. */
int mounts_make(const char *directory, char what[static 120]);

/* ---- traps.c --------------------------------------------------------------------------------- */

/* The numbers that descriptors of the device have in programs, so that the filter can distinguish
 * them: from low to high - 1. */
struct window {
    unsigned low, high;
};

/* When a system call is handed over. */
enum trap_if {
    TRAP_ALWAYS,
    TRAP_WINDOW, /* its descriptor is in the window */
    TRAP_WRITE,  /* likewise; or 0 to 2, and it is short: a shell's redirection */
    TRAP_IOCTL,  /* the request is of a type that the device's descriptors have */
    TRAP_MAP,    /* it shares a file */
    TRAP_FCNTL   /* it copies a descriptor in the window */
};

#define TRAP_SHORT 64u /* bytes of a write */

/* The result of a call that the kernel shall perform. */
#define TRAP_CONTINUE INT64_MIN

struct trap {
    int number;
    enum trap_if condition;
    int64_t (*perform)(const uint64_t arguments[6]);
};
extern const struct trap traps[]; /* the last one's number is -1 */

/* Perform a call of the current target. Return its result, a negative errno, or TRAP_CONTINUE. */
int64_t trap_open(const uint64_t a[6]);
int64_t trap_creat(const uint64_t a[6]);
int64_t trap_openat(const uint64_t a[6]);
int64_t trap_openat2(const uint64_t a[6]);
int64_t trap_stat(const uint64_t a[6]);
int64_t trap_lstat(const uint64_t a[6]);
int64_t trap_fstat(const uint64_t a[6]);
int64_t trap_fstatat(const uint64_t a[6]);
int64_t trap_statx(const uint64_t a[6]);
int64_t trap_statfs(const uint64_t a[6]);
int64_t trap_fstatfs(const uint64_t a[6]);
int64_t trap_readlink(const uint64_t a[6]);
int64_t trap_readlinkat(const uint64_t a[6]);
int64_t trap_ioctl(const uint64_t a[6]);
int64_t trap_read(const uint64_t a[6]);
int64_t trap_readv(const uint64_t a[6]);
int64_t trap_write(const uint64_t a[6]);
int64_t trap_writev(const uint64_t a[6]);
int64_t trap_map(const uint64_t a[6]);
int64_t trap_seek(const uint64_t a[6]);
int64_t trap_pread(const uint64_t a[6]);
int64_t trap_pwrite(const uint64_t a[6]);
int64_t trap_splice(const uint64_t a[6]);
int64_t trap_dup(const uint64_t a[6]);
int64_t trap_fcntl(const uint64_t a[6]);
int64_t trap_event(const uint64_t a[6]);

/* ---- filter.c -------------------------------------------------------------------------------- */

/* In the upper half of the descriptor of mmap(), which the kernel ignores: inject.c calls it. */
#define FILTER_INJECTED 0x7a11u

/* Installs the filter for the calling thread and its descendants. Returns the descriptor that
 * receives calls, or an errno. */
int filter_install(const struct window *window);

/* ---- supervisor.c ---------------------------------------------------------------------------- */

/* Serves the calls that a filter hands over, until no process has the filter. */
struct supervisor {
    const char *directory;
    const struct emulate_notice *notice;
    struct window window;
    int listener; /* of filter_install() */
};
int supervisor_start(const struct supervisor *supervisor);

/* ---- target.c -------------------------------------------------------------------------------- */

struct descriptor;
struct path;

/* Sets what all threads have in common. */
void target_settings(const struct supervisor *supervisor);

/* Begins a call of a thread. Returns false if the thread has ended. */
bool target_begin(uint64_t id, pid_t thread);

/* Ends it with a result. */
void target_end(int64_t result);

pid_t target_thread(void);

/* Finds the descriptor of a name such as /proc/self/fd/3, of the target itself. -1: another name.
 */
int target_named_descriptor(const char *name);

/* Identifies a descriptor of the target. *copy: the copy here, for the caller to close. */
bool target_is_ours(int fd, struct descriptor *out, int *copy);

/* Gets a copy of another one. Returns it, or -EBADF. */
int target_copy(int fd);

/* Gives the target a descriptor, which is closed here, at `min` at the least. Returns its number
 * there, or an errno. */
int target_give(int fd, bool cloexec, unsigned min);

/* Finds the file of a call, as path_of() and path_of_link(). Returns false if its name cannot be
 * read. text: the name that the program has given. */
bool target_path(int at, uint64_t name, bool follow, struct path *out, char text[static 4096]);

/* Gets the path of a descriptor's file as the target sees it. */
bool target_descriptor_path(int fd, char out[static 4096]);

/* ---- inject.c -------------------------------------------------------------------------------- */

/* A thread that is stopped at the end of its call. */
struct injection {
    bool stopped;
    pid_t thread;
    uint64_t mask;      /* its blocked signals */
    uint64_t saved[64]; /* struct user_regs_struct */
};

/* waitpid() of any child of the main thread, without waiting. */
pid_t inject_reap(int *status);

/* Ends a thread's call by `answer`, which has the result ERESTARTSYS of the kernel: the thread
 * takes its signals. Returns 0, or an errno: the call has not been answered. */
int inject_interrupt(pid_t thread, void (*answer)(void));

/* Stops a thread; `answer` ends its call. Returns 0, or an errno. */
int inject_stop(struct injection *injection, pid_t thread, void (*answer)(void));

/* Makes a system call in it. Returns the result, or an errno. */
int64_t inject_call(const struct injection *injection, long number, const uint64_t arguments[6]);

/* Lets it continue, with a result of the call that it was stopped at. */
void inject_continue(struct injection *injection, int64_t result);

#endif
