/* SPDX-License-Identifier: MIT */
/* Signals while recording, and the command that is recorded. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/record.h"
#include "cli/record_marks.h"

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD};

/* ---- the command ----------------------------------------------------------------------------- */

/* Child process: waits until the stream is enabled, so that the recording covers the whole command,
 * and executes the command. */
/* Returns a copy of a descriptor if it has the number that the command gets for its marks. */
static int move_from(int fd, int number)
{
    return fd == number ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : fd;
}

static void run_child(const struct command_run *run, int start, int failure)
{
    char byte;
    ssize_t got;
    start = move_from(start, run->inputs->number);
    failure = move_from(failure, run->inputs->number);
    do
        got = read(start, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(0); /* the recording could not be started */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &run->command_mask, NULL);
    record_inputs_in_child(run->inputs);
    execvp(run->argv[0], run->argv);
    int code = errno;
    got = write(failure, &code, sizeof code);
    _exit(got != sizeof code || code == ENOENT ? 127 : 126);
}

static int fork_command(struct command_run *run)
{
    int start[2], failure[2];
    if (pipe2(start, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(failure, O_CLOEXEC) < 0) {
        int result = -errno;
        close(start[0]);
        close(start[1]);
        return result;
    }
    run->pid = fork();
    if (run->pid == 0) {
        close(start[1]);
        close(failure[0]);
        run_child(run, start[0], failure[1]);
    }
    int result = run->pid < 0 ? -errno : 0;
    if (run->inputs->for_command >= 0)
        close(run->inputs->for_command);
    run->inputs->for_command = -1;
    close(start[0]);
    close(failure[1]);
    run->start = start[1];
    run->failure = failure[0];
    return result;
}

int command_prepare(struct command_run *run, char **argv, struct record_inputs *inputs,
                    const sigset_t *mask)
{
    struct tally_error error = {0};
    sigset_t set;
    *run = (struct command_run){
        .inputs = inputs, .argv = argv, .signals = -1, .start = -1, .failure = -1, .pid = -1};
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_COUNT(handled); i++)
        sigaddset(&set, handled[i]);
    sigprocmask(SIG_BLOCK, &set, &run->original_mask);
    run->command_mask = mask ? *mask : run->original_mask;
    signal(SIGXFSZ, SIG_IGN); /* write(2) returns EFBIG instead */
    run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (run->signals == 0) { /* standard input is closed; the recorder takes 0 as no descriptor */
        run->signals = fcntl(0, F_DUPFD_CLOEXEC, 3);
        close(0);
    }
    int result = run->signals < 0 ? -errno : 0;
    if (result == 0 && argv)
        result = fork_command(run);
    if (result == 0)
        return EXIT_DONE;
    error.code = result;
    snprintf(error.message, sizeof error.message, "record: %s: %s", argv ? argv[0] : "signals",
             strerror(-result));
    return report_error(&error);
}

int command_start(struct command_run *run)
{
    int code = 0;
    if (!run->argv)
        return EXIT_DONE;
    ssize_t put;
    do
        put = write(run->start, "", 1);
    while (put < 0 && errno == EINTR);
    int start_error = errno;
    close(run->start);
    run->start = -1;
    if (put != 1) {
        warn("record: %s: cannot start it: %s", run->argv[0], strerror(start_error));
        return EXIT_FAILED;
    }
    /* exec closes the pipe; if it fails, the child writes errno to it. */
    ssize_t got;
    do
        got = read(run->failure, &code, sizeof code);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof code)
        return EXIT_DONE;
    warn("record: %s: %s", run->argv[0], strerror(code));
    return EXIT_USAGE;
}

static void reap(struct command_run *run, int flags)
{
    int status;
    pid_t pid;
    if (run->pid < 0 || run->exited)
        return;
    do
        pid = waitpid(run->pid, &status, flags);
    while (pid < 0 && errno == EINTR);
    if (pid != run->pid)
        return;
    run->exited = true;
    run->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Unblocks SIGINT, SIGTERM and SIGHUP, so that a second signal kills this process even while a
 * write to the disk hangs. */
static void unblock_termination(const struct command_run *run)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < 3; i++)
        if (!sigismember(&run->command_mask, handled[i]))
            sigaddset(&set, handled[i]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Forwards a signal to the command, unless the terminal has sent it to both. Returns false if the
 * command is not running. */
static bool forward_signal(const struct command_run *run, const struct signalfd_siginfo *info)
{
    if (run->pid < 0 || run->exited)
        return false;
    if (info->ssi_code <= 0)
        kill(run->pid, (int)info->ssi_signo);
    return true;
}

enum record_action command_signals(struct command_run *run)
{
    struct signalfd_siginfo info;
    enum record_action action = RECORD_CONTINUE;
    while (read(run->signals, &info, sizeof info) == sizeof info) {
        switch (info.ssi_signo) {
        case SIGCHLD:
            reap(run, WNOHANG);
            if (run->exited)
                action = RECORD_STOP;
            break;
        case SIGUSR1:
            if (action == RECORD_CONTINUE)
                action = RECORD_DUMP;
            break;
        default:
            if (!forward_signal(run, &info) || run->stop_requested)
                action = RECORD_STOP;
            run->stop_requested = true;
            run->stop_signal = (int)info.ssi_signo;
            unblock_termination(run);
        }
    }
    return action;
}

void command_finish(struct command_run *run)
{
    if (run->start >= 0)
        close(run->start); /* the command has not begun: it exits */
    if (run->failure >= 0)
        close(run->failure);
    while (run->pid >= 0 && !run->exited) {
        struct pollfd wait[] = {{.fd = run->signals, .events = POLLIN},
                                {.fd = run->inputs->marks, .events = POLLIN}};
        reap(run, WNOHANG);
        if (!run->exited && poll(wait, 2, -1) > 0)
            command_signals(run);
        record_inputs_drop(run->inputs);
    }
    if (run->signals >= 0)
        close(run->signals);
    run->signals = -1;
    sigprocmask(SIG_SETMASK, &run->original_mask, NULL);
}
