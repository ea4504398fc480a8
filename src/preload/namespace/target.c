/* SPDX-License-Identifier: MIT */
/*
 * The thread whose call is served: its process, memory, descriptors and paths. Each thread of the
 * supervisor has one. Here are also the functions that the code of client/ expects of its process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/namespace/namespace.h"
#include "preload/privilege.h"

#define RESTART 512 /* the kernel's ERESTARTSYS */
#define SCAN_MS 10  /* between two looks for signals, of a thread that waits */

static struct supervisor common;

static _Thread_local struct target {
    uint64_t id;
    pid_t thread, process;
    int directory, pidfd;       /* of the process: of /proc, and a pidfd; -1: unknown */
    bool suspected;             /* a signal was pending at the latest scan */
    bool answered, interrupted; /* interrupted: by a signal */
    int64_t answer;
    struct injection injection;
} target = {.directory = -1, .pidfd = -1};

void target_settings(const struct supervisor *supervisor)
{
    common = *supervisor;
}

/* ---- the process ----------------------------------------------------------------------------- */

static void forget_process(void)
{
    if (target.directory >= 0)
        close(target.directory);
    if (target.pidfd >= 0)
        close(target.pidfd);
    target.directory = target.pidfd = -1;
}

static int64_t field_of(const char *status, const char *name, int base)
{
    const char *at = strstr(status, name);
    return at ? (int64_t)strtoull(at + strlen(name), NULL, base) : -1;
}

/* Reads the status of the thread. */
static bool read_status(char *out, size_t size)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/status", (int)target.thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Whether the process that is known has the thread. */
static bool has_thread(pid_t thread)
{
    char path[32];
    snprintf(path, sizeof path, "task/%d", (int)thread);
    return target.directory >= 0 && faccessat(target.directory, path, F_OK, 0) == 0;
}

static bool find_process(void)
{
    char status[4096], path[32];
    forget_process();
    if (!read_status(status, sizeof status))
        return false;
    target.process = (pid_t)field_of(status, "\nTgid:\t", 10);
    snprintf(path, sizeof path, "/proc/%d", (int)target.process);
    target.directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    target.pidfd = (int)syscall(SYS_pidfd_open, target.process, 0);
    return target.process > 0 && target.directory >= 0 && target.pidfd >= 0;
}

static bool is_valid(void)
{
    return target.answered || ioctl(common.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &target.id) == 0;
}

/* The process is that of the call if the call is still valid after it was found. */
bool target_begin(uint64_t id, pid_t thread)
{
    target.id = id;
    target.thread = thread;
    target.suspected = target.answered = target.interrupted = false;
    target.answer = 0;
    return (has_thread(thread) || find_process()) && is_valid();
}

static void answer(void)
{
    struct seccomp_notif_resp response = {.id = target.id};
    if (target.answer == TRAP_CONTINUE)
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (target.answer < 0)
        response.error = (int32_t)target.answer;
    else
        response.val = target.answer;
    ioctl(common.listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    target.answered = true;
}

void target_end(int64_t result)
{
    target.answer = result;
    /* The kernel restarts the call, or not, as its handler of the signal has it. */
    if (result == -EINTR && target.interrupted && !target.answered) {
        target.answer = -RESTART;
        if (inject_interrupt(target.thread, answer) == 0)
            return;
        target.answer = result;
    }
    if (target.injection.stopped)
        inject_continue(&target.injection, result);
    else if (!target.answered)
        answer();
}

pid_t target_thread(void)
{
    return target.thread;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

int target_copy(int fd)
{
    int copy = fd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, target.pidfd, fd, 0);
    return copy < 0 ? -EBADF : copy;
}

bool target_is_ours(int fd, struct descriptor *out, int *copy)
{
    *copy = target_copy(fd);
    if (*copy >= 0 && descriptor_identify(*copy, out))
        return true;
    if (*copy >= 0)
        close(*copy);
    *copy = -1;
    return false;
}

static bool is_free(unsigned fd)
{
    char path[24], text[8];
    snprintf(path, sizeof path, "fd/%u", fd);
    return readlinkat(target.directory, path, text, sizeof text) < 0;
}

static int add_descriptor(int fd, bool cloexec, unsigned flags, unsigned number)
{
    struct seccomp_notif_addfd request = {.id = target.id,
                                          .flags = flags,
                                          .srcfd = (uint32_t)fd,
                                          .newfd = number,
                                          .newfd_flags = cloexec ? O_CLOEXEC : 0};
    int result = target.answered ? -1 : ioctl(common.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &request);
    return result < 0 ? -EMFILE : result;
}

/* Whether calls of the descriptor are found by its number. */
static bool needs_window(int fd)
{
    struct descriptor descriptor;
    return descriptor_identify(fd, &descriptor) && descriptor.kind != DESCRIPTOR_FENCE &&
           descriptor.kind != DESCRIPTOR_SYNCOBJ;
}

int target_give(int fd, bool cloexec, unsigned min)
{
    int number = -EMFILE;
    unsigned low = min > common.window.low ? min : common.window.low;
    for (unsigned n = low; needs_window(fd) && number < 0 && n < common.window.high; n++)
        if (is_free(n))
            number = add_descriptor(fd, cloexec, SECCOMP_ADDFD_FLAG_SETFD, n);
    if (number < 0)
        number = add_descriptor(fd, cloexec, 0, 0);
    close(fd);
    return number;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Directories without links to devices, where most files are. */
static const char *const plain[] = {"/usr/", "/lib/", "/lib64/", "/etc/", "/bin/"};

static bool is_plain(const char *name)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strncmp(name, plain[i], strlen(plain[i])) && !strstr(name, ".."))
            return true;
    return false;
}

static bool link_of(int directory, const char *name, char out[static 4096])
{
    ssize_t length = readlinkat(directory, name, out, 4095);
    out[length > 0 ? length : 0] = '\0';
    return *out == '/';
}

bool target_descriptor_path(int fd, char out[static 4096])
{
    char name[24];
    snprintf(name, sizeof name, "fd/%d", fd);
    return link_of(target.directory, name, out);
}

/* Reads a string of the program. */
static bool read_name(uint64_t address, char out[static 4096])
{
    size_t used = 0;
    while (used < 4096) {
        size_t part = 256 - (size_t)((address + used) % 256); /* does not cross a page */
        part = part < 4096 - used ? part : 4096 - used;
        if (!user_read(out + used, address + used, part))
            return false;
        if (memchr(out + used, '\0', part))
            return is_valid();
        used += part;
    }
    return false;
}

/* Replaces names of the own process, which would be the supervisor's. */
static void name_process(const char *name, char out[static 4096])
{
    static const struct {
        const char *name, *below;
    } rows[] = {{"/proc/self/", ""}, {"/proc/thread-self/", ""}, {"/dev/fd/", "fd/"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].name);
        if (strncmp(name, rows[i].name, length) != 0)
            continue;
        snprintf(out, 4096, "/proc/%d/%s%s", (int)target.process, rows[i].below, name + length);
        return;
    }
    snprintf(out, 4096, "%s", name);
}

int target_named_descriptor(const char *name)
{
    char own[4096], start[32];
    int length = snprintf(start, sizeof start, "/proc/%d/fd/", (int)target.process);
    name_process(name, own);
    const char *number = own + length;
    if (strncmp(own, start, (size_t)length) != 0 || !*number ||
        number[strspn(number, "0123456789")])
        return -1;
    return (int)strtol(number, NULL, 10);
}

/* Finds the name of a file without links, as the target sees it. Returns false if there is none. */
static bool resolve(const char *name, bool follow, char out[static 4096])
{
    char link[32];
    struct open_how how = {.flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW),
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    int root = openat(target.directory, "root", O_PATH | O_CLOEXEC), fd = -1;
    for (unsigned tries = 0; tries < 8 && root >= 0 && fd < 0; tries++) {
        fd = (int)syscall(SYS_openat2, root, name, &how, sizeof how);
        if (fd < 0 && errno != EAGAIN)
            break;
    }
    if (root >= 0)
        close(root);
    if (fd < 0)
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    bool found = link_of(AT_FDCWD, link, out);
    close(fd);
    return found;
}

/* Finds what an absolute name is. */
static enum path_kind find(const char *name, bool follow, struct path *out)
{
    char own[4096], real[4096];
    name_process(name, own);
    enum path_kind kind = proc_find(own, &out->minor);
    if (kind != PATH_REAL) {
        snprintf(out->real, sizeof out->real, "%s", own);
        if (kind == PATH_DESCRIPTOR && follow)
            path_of_minor(out->minor, out->real);
        return kind == PATH_DESCRIPTOR && !follow ? PATH_REAL : kind;
    }
    if (proc_lists_mounts(own)) {
        snprintf(out->real, sizeof out->real, "/proc/%d/mounts", (int)target.process);
        if (strcmp(own, "/proc/mounts") != 0)
            snprintf(out->real, sizeof out->real, "%s", own);
        return PATH_MOUNTS;
    }
    int fd = follow ? target_named_descriptor(name) : -1;
    if (fd >= 0)
        return target_descriptor_path(fd, real) ? rows_find(real, out) : PATH_REAL;
    /* The kernel may not have /proc/modules. */
    if (!resolve(own, follow, real))
        return rows_find(own, out) == PATH_CONTENT && out->content == EMULATE_MODULES ? PATH_STATUS
                                                                                      : PATH_REAL;
    kind = rows_find(real, out);
    return kind == PATH_LINK && !follow ? PATH_VIRTUAL : kind;
}

bool target_path(int at, uint64_t name, bool follow, struct path *out, char text[static 4096])
{
    char full[8192];
    *out = (struct path){.kind = PATH_REAL};
    if (!read_name(name, text))
        return false;
    if (*text == '/') {
        if (!is_plain(text))
            out->kind = find(text, follow, out);
        return true;
    }
    if (!*text || !(at == AT_FDCWD ? link_of(target.directory, "cwd", full)
                                   : target_descriptor_path(at, full)))
        return true;
    size_t used = strlen(full);
    snprintf(full + used, sizeof full - used, "/%s", text);
    if (strlen(full) < 4096 && !is_plain(full))
        out->kind = find(full, follow, out);
    return true;
}

/* ---- what the code of client/ expects ---------------------------------------------------------
 */

bool user_is_own(void)
{
    return false;
}

pid_t user_process(void)
{
    return target.process;
}

const char *tree_directory(void)
{
    return common.directory;
}

bool path_in_tree(const char *name, char out[TREE_PATH_SIZE])
{
    int length = snprintf(out, TREE_PATH_SIZE, "%s/" EMULATE_ROOT "%s", common.directory, name);
    return length > 0 && length < TREE_PATH_SIZE;
}

void path_of_minor(unsigned minor, char out[TREE_PATH_SIZE])
{
    path_in_tree(minor < 128 ? "/dev/dri/card0" : "/dev/dri/renderD128", out);
}

/* A descriptor that a call's argument contains. */
bool descriptor_is_ours(int fd, struct descriptor *out)
{
    int copy;
    bool ours = target_is_ours(fd, out, &copy);
    if (ours)
        close(copy);
    return ours;
}

const struct emulate_notice *notice_read(void)
{
    return common.notice;
}

bool descriptor_is_open(int fd)
{
    return fd >= 0 && !is_free((unsigned)fd);
}

/* The server checks this by itself. With --root, the capability is that of the user namespace. */
bool ids_privileged(void)
{
    return thread_is_privileged(target.thread);
}

int64_t call_take_descriptor(struct call *call, unsigned flags, int received)
{
    if (received < 0)
        return -EMFILE;
    if (flags & O_NONBLOCK)
        fcntl(received, F_SETFL, O_RDWR | O_NONBLOCK);
    int number = target_give(received, flags & O_CLOEXEC, 0);
    if (number >= 0)
        call->descriptor = number;
    return number;
}

int64_t call_map_memory(struct call *call, const struct emulate_header *request, int received)
{
    if (received < 0)
        return -ENOMEM;
    int number = add_descriptor(received, true, 0, 0);
    close(received);
    if (number < 0)
        return -ENOMEM;
    if (!target.injection.stopped && inject_stop(&target.injection, target.thread, answer) < 0)
        return -ENODEV; /* a debugger traces it */
    const uint64_t map[6] = {request->c ? (uint64_t)(uintptr_t)call->map_hint : 0,
                             request->b,
                             (uint64_t)(request->c ? call->map_protection : PROT_READ | PROT_WRITE),
                             (uint64_t)(request->c ? call->map_flags : MAP_SHARED),
                             (uint64_t)FILTER_INJECTED << 32 | (unsigned)number,
                             request->a};
    const uint64_t end[6] = {(unsigned)number};
    int64_t mapped = inject_call(&target.injection, SYS_mmap, map);
    inject_call(&target.injection, SYS_close, end);
    return mapped;
}

/* Whether a signal would interrupt the thread. One to the process may be another thread's: then it
 * is gone at the next scan. */
static bool is_interrupted(void)
{
    char status[4096];
    if (!is_valid())
        return true;
    if (!read_status(status, sizeof status))
        return true;
    uint64_t own = (uint64_t)field_of(status, "\nSigPnd:\t", 16),
             shared = (uint64_t)field_of(status, "\nShdPnd:\t", 16),
             blocked = (uint64_t)field_of(status, "\nSigBlk:\t", 16);
    if (own & ~blocked)
        return true;
    bool pending = shared & ~blocked;
    bool again = pending && target.suspected;
    target.suspected = pending;
    return again || (pending && field_of(status, "\nThreads:\t", 10) == 1);
}

int call_begin_wait(int fd, const sigset_t *signals, sigset_t *before)
{
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    (void)signals, (void)before;
    while (poll(&entry, 1, SCAN_MS) == 0)
        if ((target.interrupted = is_interrupted()))
            return -EINTR;
    return 0;
}

int call_let_signals(const sigset_t *signals)
{
    (void)signals;
    target.interrupted = is_interrupted();
    return target.interrupted ? -EINTR : 0;
}

void call_end_wait(const sigset_t *before)
{
    (void)before;
}
