/* SPDX-License-Identifier: MIT */
/*
 * Starts a program and its supervisor:
 *
 *     server --- supervisor --- program
 *
 * The supervisor is the program's parent, so that it may access the program's memory. It takes the
 * place of the program for the server: it gets the signals for the program and ends with its
 * status, but not before all processes that have the filter, which could not call without it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/minmax.h"
#include "preload/client/client.h"
#include "preload/namespace/namespace.h"
#include "preload/parent.h"
#include "preload/signals.h"

#define WINDOW_HIGH  1024u /* of FD_SET() */
#define WINDOW_COUNT 256u

/* ---- the program ----------------------------------------------------------------------------- */

static _Noreturn void give_up(int report, int code, const char *what)
{
    struct start_failure failure = {.code = code};
    snprintf(failure.what, sizeof failure.what, "%s", what);
    if (write(report, &failure, sizeof failure) < 0)
        _exit(126);
    _exit(127);
}

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Enters a mount namespace; without the capability for that, in a user namespace, in which the
 * user and group have the same ids, or those of root. */
static bool enter(const struct namespace_settings *settings)
{
    char users[64], groups[64];
    unsigned user = geteuid(), group = getegid();
    if (user == 0 || !settings->as_root)
        if (unshare(CLONE_NEWNS) == 0)
            return true;
    snprintf(users, sizeof users, "%u %u 1\n", settings->as_root ? 0 : user, user);
    snprintf(groups, sizeof groups, "%u %u 1\n", settings->as_root ? 0 : group, group);
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) &&
           write_text("/proc/self/gid_map", groups);
}

/* Sends the descriptor that receives calls to the supervisor. */
static bool send_listener(int to, int listener)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof listener)];
    } control;
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    *c = (struct cmsghdr){CMSG_LEN(sizeof listener), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(c), &listener, sizeof listener);
    return sendmsg(to, &message, MSG_NOSIGNAL) == 1;
}

static _Noreturn void run_program(const struct namespace_settings *settings, pid_t supervisor,
                                  const struct window *window, char *const arguments[], int report,
                                  int to)
{
    char what[120] = "";
    if (prctl(PR_SET_PDEATHSIG, settings->death) < 0 || getppid() != supervisor)
        _exit(127);
    if (!enter(settings))
        give_up(report, errno, "a mount namespace");
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
        if (errno == EINVAL)
            give_up(report, EPERM, "a mount namespace in a chroot, whose root is no mount point");
        give_up(report, errno, "a mount namespace");
    }
    int result = mounts_make(settings->directory, what);
    if (result < 0)
        give_up(report, -result, what);
    setrlimit(RLIMIT_NOFILE, &settings->files);
    /* Changing to a user namespace may have cleared it. */
    prctl(PR_SET_PDEATHSIG, settings->death);
    int listener = filter_install(window);
    if (listener == -EBUSY)
        give_up(report, EBUSY, "a seccomp filter of another supervisor");
    if (listener < 0 || !send_listener(to, listener))
        give_up(report, listener < 0 ? -listener : errno, "a seccomp filter");
    close(listener);
    sigprocmask(SIG_SETMASK, &settings->signals, NULL);
    execvp(arguments[0], arguments);
    give_up(report, errno, "");
}

/* ---- the supervisor -------------------------------------------------------------------------- */

/* Closes what belongs to the server, except `report`, whose number it may change. */
static int close_others(int report)
{
    int kept = STDERR_FILENO + 1;
    if (report != kept && (dup3(report, kept, O_CLOEXEC) < 0))
        return -errno;
    for (int fd = kept + 1; fd < 1 << 16; fd++)
        if (close_range((unsigned)kept + 1, ~0u, 0) == 0)
            break;
        else
            close(fd);
    return kept;
}

/* -1: the program has ended before. */
static int receive_listener(int from)
{
    struct emulate_header byte;
    int listener = -1;
    return conversation_get(from, &byte, 1, &listener) == 1 ? listener : -1;
}

/* Ends as a process with this status. */
static _Noreturn void end_as(int status)
{
    sigset_t set;
    if (WIFSIGNALED(status)) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(WTERMSIG(status), SIG_DFL);
        sigemptyset(&set);
        sigaddset(&set, WTERMSIG(status));
        kill(getpid(), WTERMSIG(status));
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

/* Sends a signal to the children of this process, which are what the program left: those whose
 * parent is gone become children of a subreaper. */
static void signal_children(int signal)
{
    DIR *processes = opendir("/proc");
    if (!processes)
        return;
    for (const struct dirent *entry; (entry = readdir(processes));) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0 && parent_of(pid) == (long)getpid())
            kill((pid_t)pid, signal);
    }
    closedir(processes);
}

/* Passes signals on to the program, and waits for all processes; after SIGTERM, ends those that the
 * program leaves. */
static _Noreturn void watch(pid_t program, int listener, int signals)
{
    /* Without events: the end of the last process that has the filter. */
    struct pollfd entries[2] = {{.fd = signals, .events = POLLIN}, {.fd = listener}};
    int status = 0;
    bool filtered = true, ends = false;
    while (program || filtered) {
        struct signalfd_siginfo info;
        int ended_status;
        if (poll(entries, 2, -1) < 0 && errno != EINTR)
            break;
        if (entries[1].revents) {
            filtered = false;
            entries[1].fd = -1;
            entries[1].revents = 0;
        }
        while (read(signals, &info, sizeof info) == sizeof info) {
            bool again = ends && info.ssi_signo == SIGTERM && !program;
            ends = ends || info.ssi_signo == SIGTERM;
            if (info.ssi_signo != SIGCHLD && program && !signal_is_for_server(&info))
                kill(program, (int)info.ssi_signo);
            else if (again)
                signal_children(SIGKILL);
        }
        for (pid_t ended; (ended = inject_reap(&ended_status)) > 0;) {
            if (ended != program)
                continue;
            status = ended_status;
            program = 0;
        }
        if (ends && !program && filtered)
            signal_children(SIGTERM);
    }
    end_as(status);
}

/* The descriptors of the window are those that programs rarely have, but FD_SET() knows. */
static struct window window_for(const struct rlimit *files)
{
    unsigned high = (unsigned)min_u64(files->rlim_cur, WINDOW_HIGH);
    return (struct window){high - (unsigned)min_u64(high / 2, WINDOW_COUNT), high};
}

_Noreturn void namespace_run(const struct namespace_settings *settings, char *const arguments[],
                             int report)
{
    int pair[2];
    sigset_t set;
    pid_t supervisor = getpid();
    const struct window window = window_for(&settings->files);
    report = close_others(report);
    if (report < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        _exit(127);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signals_of_server(&set);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t program = signals < 0 ? -1 : fork();
    if (program == 0)
        run_program(settings, supervisor, &window, arguments, report, pair[1]);
    if (program < 0)
        give_up(report, errno, "a process");
    close(report);
    close(pair[1]);
    const struct supervisor served = {settings->directory, settings->notice, window,
                                      receive_listener(pair[0])};
    close(pair[0]);
    if (settings->logs)
        setenv(EMULATE_LOG, "1", 1);
    else
        unsetenv(EMULATE_LOG);
    log_again();
    if (served.listener >= 0 && supervisor_start(&served) == 0)
        watch(program, served.listener, signals);
    int status = 0;
    while (waitpid(program, &status, 0) < 0 && errno == EINTR)
        continue;
    end_as(status);
}
