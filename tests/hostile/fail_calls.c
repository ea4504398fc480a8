/* SPDX-License-Identifier: MIT */
/* Runs a command and fails one of its system calls, those of libc included.
 *
 * Usage: fail_calls REPORT WHO CLASS N WAY COMMAND...
 *
 * WHO      own: the calls of COMMAND; others: those of the processes it starts
 * CLASS    a row of the table below: open, read, ...
 * N        the number of the call, from 1; 0: none fails
 * WAY      a name of an error such as EIO, or short: half the bytes are read or written
 *
 * Calls of the dynamic loader do not count, because the command has no influence on them. REPORT
 * gets two lines: the number of calls, and the call that failed. The exit status is that of the
 * command, or 125 if it cannot be supervised here.
 *
 * The calls are intercepted by a filter of seccomp whose decisions this process makes
 * (seccomp_unotify(2)). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define CALLS_MAX    8
#define CANNOT       125
#define SHORT        0 /* in place of an errno */
#define BYTES_MAX    (1u << 20)
#define RELAY_SIGNAL SIGTERM

static const struct {
    const char *name;
    int calls[CALLS_MAX]; /* up to the first 0, which is read() on x86-64: it comes first */
} classes[] = {
    {"open", {SYS_openat}},
    {"read", {SYS_read, SYS_pread64}},
    {"write", {SYS_write, SYS_pwrite64, SYS_writev}},
    {"mmap", {SYS_mmap}},
    {"poll",
     {
         SYS_ppoll,
         SYS_epoll_pwait,
#ifdef SYS_poll
         SYS_poll,
         SYS_epoll_wait,
#endif
     }},
    {"fsync", {SYS_fsync, SYS_fdatasync}},
    {"ftruncate", {SYS_ftruncate}},
    {"close", {SYS_close}},
    {"seek", {SYS_lseek}},
    {"stat", {SYS_fstat, SYS_newfstatat, SYS_statx}},
    {"create",
     {SYS_memfd_create, SYS_pipe2, SYS_socket, SYS_socketpair, SYS_eventfd2, SYS_signalfd4,
      SYS_epoll_create1, SYS_mkdirat}},
    {"process", {SYS_clone, SYS_clone3}},
    {"send", {SYS_sendmsg, SYS_sendto}},
    {"receive", {SYS_recvmsg, SYS_recvfrom, SYS_accept4}},
};

static const struct {
    const char *name;
    int error;
} ways[] = {{"short", SHORT},     {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"ENOMEM", ENOMEM},
            {"EINTR", EINTR},     {"EMFILE", EMFILE}, {"EACCES", EACCES}, {"EAGAIN", EAGAIN},
            {"ENOBUFS", ENOBUFS}, {"EDQUOT", EDQUOT}};

static uint64_t wanted, counted;
static int way;
static bool own;
static pid_t root;
static char failed[512];

static void stop(const char *what)
{
    fprintf(stderr, "fail_calls: %s: %s\n", what, strerror(errno));
    if (root > 0)
        kill(root, SIGKILL);
    exit(CANNOT);
}

/* ---- the filter ------------------------------------------------------------------------------ */

static int filter(const int *calls)
{
    struct sock_filter code[2 + CALLS_MAX + 1] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    unsigned short size = 1, count = 1;
    while (count < CALLS_MAX && calls[count])
        count++;
    for (unsigned i = 0; i < count; i++)
        code[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i],
                                                    (unsigned char)(count - i), 0);
    code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {size, code};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                        &program);
}

/* Starts the command with the filter, and returns the filter's descriptor. */
static int start(const int *calls, char **command, int *process)
{
    int status, number = fcntl(0, F_DUPFD_CLOEXEC, 0); /* the descriptor that the child gets */
    close(number);
    root = fork();
    if (root == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (filter(calls) != number)
            _exit(CANNOT);
        kill(getpid(), SIGSTOP); /* until the parent has the descriptor */
        execvp(command[0], command);
        _exit(127);
    }
    if (root < 0 || waitpid(root, &status, WUNTRACED) < 0)
        stop("fork");
    if (!WIFSTOPPED(status)) {
        root = 0;
        errno = EPERM;
        stop("seccomp");
    }
    *process = (int)syscall(SYS_pidfd_open, root, 0);
    int listener = *process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, *process, number, 0);
    if (listener < 0)
        stop("pidfd_getfd");
    fcntl(listener, F_SETFD, FD_CLOEXEC);
    kill(root, SIGCONT);
    return listener;
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Returns the process of a thread. */
static pid_t process_of(pid_t thread)
{
    char path[64], line[256];
    pid_t process = 0;
    snprintf(path, sizeof path, "/proc/%d/status", thread);
    FILE *file = fopen(path, "re");
    while (file && !process && fgets(line, sizeof line, file))
        if (!strncmp(line, "Tgid:", 5))
            process = (pid_t)strtol(line + 5, NULL, 10);
    if (file)
        fclose(file);
    return process;
}

/* Whether the instruction is one of the dynamic loader. */
static bool of_loader(pid_t process, uint64_t instruction)
{
    char path[64], line[4096];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *end;
        uint64_t first = strtoull(line, &end, 16), last = strtoull(end + 1, NULL, 16);
        const char *name = strrchr(line, '/');
        found = name && !strncmp(name, "/ld", 3) && instruction >= first && instruction < last;
    }
    if (file)
        fclose(file);
    return found;
}

/* ---- failing --------------------------------------------------------------------------------- */

/* Copies the name of the call's descriptor. */
static void name_descriptor(const struct seccomp_notif *call, pid_t process, char *text,
                            size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, (int)call->data.args[0]);
    ssize_t n = readlink(path, text, size - 1);
    text[n > 0 ? n : 0] = '\0';
}

/* Whether it is a close() that must not fail here: in a kernel, one that fails has closed the
 * descriptor, so that the other end of a pipe sees it. Of a file nobody does. */
static bool keeps_open(const struct seccomp_notif *call, pid_t process)
{
    char text[256];
    if (call->data.nr != SYS_close)
        return false;
    name_descriptor(call, process, text, sizeof text);
    return *text != '/' || !strncmp(text, "/dev/", 5);
}

/* Describes the call by its path or its descriptor. */
static void describe(const struct seccomp_notif *call, pid_t process)
{
    char text[256] = "";
    int number = call->data.nr;
    if (number == SYS_openat || number == SYS_newfstatat) {
        struct iovec to = {text, sizeof text - 1},
                     from = {(void *)(uintptr_t)call->data.args[1], 1};
        while (from.iov_len < sizeof text && process_vm_readv(process, &to, 1, &from, 1, 0) > 0 &&
               strlen(text) == from.iov_len)
            from.iov_len++;
    } else {
        name_descriptor(call, process, text, sizeof text);
        if (!*text)
            snprintf(text, sizeof text, "%#" PRIx64 ", %#" PRIx64, (uint64_t)call->data.args[0],
                     (uint64_t)call->data.args[1]);
    }
    snprintf(failed, sizeof failed, "call %d: %s", number, text);
}

/* Reads or writes half of the bytes for the process. Returns their number, or -1: let it do the
 * call. */
static int64_t do_half(const struct seccomp_notif *call, pid_t process)
{
    const __u64 *args = call->data.args;
    int number = call->data.nr;
    bool reads = number == SYS_read || number == SYS_pread64,
         at = number == SYS_pread64 || number == SYS_pwrite64;
    if ((!reads && !at && number != SYS_write) || args[2] < 2)
        return -1;
    size_t size = args[2] / 2 < BYTES_MAX ? args[2] / 2 : BYTES_MAX;
    char *bytes = malloc(size);
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)args[1], size};
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    int fd = (int)syscall(SYS_pidfd_getfd, handle, (int)args[0], 0);
    ssize_t done = -1;
    if (fd >= 0 && reads) {
        done = at ? pread(fd, bytes, size, (off_t)args[3]) : read(fd, bytes, size);
        there.iov_len = here.iov_len = done > 0 ? (size_t)done : 0;
        if (done > 0 && process_vm_writev(process, &here, 1, &there, 1, 0) != done)
            stop("process_vm_writev");
    } else if (fd >= 0 && process_vm_readv(process, &here, 1, &there, 1, 0) == (ssize_t)size) {
        done = at ? pwrite(fd, bytes, size, (off_t)args[3]) : write(fd, bytes, size);
    }
    close(fd);
    close(handle);
    free(bytes);
    return done;
}

/* Answers one call. */
static void answer(int listener)
{
    struct seccomp_notif call = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
        return; /* the process was killed */
    struct seccomp_notif_resp response = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    pid_t process = process_of((pid_t)call.pid);
    if ((process == root) == own && !of_loader(process, call.data.instruction_pointer) &&
        !keeps_open(&call, process) && ++counted == wanted) {
        int64_t half = way == SHORT ? do_half(&call, process) : 0;
        describe(&call, process);
        if (way != SHORT || half >= 0)
            response.flags = 0;
        response.error = way == SHORT ? 0 : -way;
        response.val = way == SHORT && half > 0 ? half : 0;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void relay(int number)
{
    if (root > 0)
        kill(root, number);
}

static int supervise(const int *calls, char **command)
{
    int process, status, listener = start(calls, command, &process);
    struct pollfd wait[] = {{listener, POLLIN, 0}, {process, POLLIN, 0}};
    signal(RELAY_SIGNAL, relay);
    for (;;) {
        int ready = poll(wait, 2, -1);
        if (ready < 0 && errno != EINTR)
            stop("poll");
        if (ready > 0 && wait[0].revents & POLLIN)
            answer(listener);
        else if (ready > 0 && wait[1].revents)
            break;
        else if (ready > 0 && wait[0].revents)
            wait[0].fd = -1; /* no process is left with the filter */
    }
    if (waitpid(root, &status, 0) != root)
        stop("waitpid");
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    const int *calls = NULL;
    way = -1;
    for (size_t i = 0; argc > 6 && i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(argv[3], classes[i].name))
            calls = classes[i].calls;
    for (size_t i = 0; argc > 6 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[5], ways[i].name))
            way = ways[i].error;
    if (!calls || way < 0) {
        fputs("usage: fail_calls REPORT own|others CLASS N WAY COMMAND...\n", stderr);
        return 2;
    }
    own = !strcmp(argv[2], "own");
    wanted = strtoull(argv[4], NULL, 10);
    int code = supervise(calls, argv + 6);
    FILE *report = fopen(argv[1], "we");
    if (!report)
        stop(argv[1]);
    fprintf(report, "%" PRIu64 "\n%s\n", counted, failed);
    return fclose(report) ? CANNOT : code;
}
