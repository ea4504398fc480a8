/* SPDX-License-Identifier: MIT */
/* Signals while recording, and the command that a recording goes along with. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/bits.h"
#include "cli/record.h"

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD};

/* ---- the command ----------------------------------------------------------------------------- */

/* In the child: nothing happens before the stream runs, so that the recording has all of it. */
static void become(const struct command_run *run, int go, int failure)
{
    char byte;
    ssize_t got;
    do
        got = read(go, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(0); /* there is no recording */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &run->before, NULL);
    execvp(run->argv[0], run->argv);
    int why = errno;
    got = write(failure, &why, sizeof why);
    _exit(got != sizeof why || why == ENOENT ? 127 : 126);
}

static int start(struct command_run *run)
{
    int go[2], failure[2];
    if (pipe2(go, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(failure, O_CLOEXEC) < 0) {
        int result = -errno;
        close(go[0]);
        close(go[1]);
        return result;
    }
    run->pid = fork();
    if (run->pid == 0) {
        close(go[1]);
        close(failure[0]);
        become(run, go[0], failure[1]);
    }
    int result = run->pid < 0 ? -errno : 0;
    close(go[0]);
    close(failure[1]);
    run->go = go[1];
    run->failure = failure[0];
    return result;
}

int command_prepare(struct command_run *run, char **argv)
{
    struct tally_error error = {0};
    sigset_t set;
    *run = (struct command_run){.argv = argv, .signals = -1, .go = -1, .failure = -1, .pid = -1};
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_COUNT(taken); i++)
        sigaddset(&set, taken[i]);
    sigprocmask(SIG_BLOCK, &set, &run->before);
    signal(SIGXFSZ, SIG_IGN); /* as a full disk: told by write(2) */
    run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (run->signals == 0) { /* standard input is closed; to the recorder 0 means none */
        run->signals = fcntl(0, F_DUPFD_CLOEXEC, 3);
        close(0);
    }
    int result = run->signals < 0 ? -errno : 0;
    if (result == 0 && argv)
        result = start(run);
    if (result == 0)
        return EXIT_DONE;
    error.code = result;
    snprintf(error.message, sizeof error.message, "record: %s: %s", argv ? argv[0] : "signals",
             strerror(-result));
    return tell_error(&error);
}

int command_go(struct command_run *run)
{
    int why = 0;
    if (!run->argv)
        return EXIT_DONE;
    bool told = write(run->go, "", 1) == 1;
    close(run->go);
    run->go = -1;
    /* The pipe closes when the command begins; else the reason comes through it. */
    ssize_t got;
    do
        got = read(run->failure, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    if (told && got != (ssize_t)sizeof why)
        return EXIT_DONE;
    fprintf(stderr, "tally: record: %s: %s\n", run->argv[0], strerror(why));
    return EXIT_USAGE;
}

static void reap(struct command_run *run, int flags)
{
    int status;
    pid_t pid;
    if (run->pid < 0 || run->over)
        return;
    do
        pid = waitpid(run->pid, &status, flags);
    while (pid < 0 && errno == EINTR);
    if (pid != run->pid)
        return;
    run->over = true;
    run->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* A second one ends the program at once: the disk may hang. */
static void let_the_next_one_kill(const struct command_run *run)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < 3; i++)
        if (!sigismember(&run->before, taken[i]))
            sigaddset(&set, taken[i]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Whoever sends the command's recorder a signal means the command; a terminal has told both. */
static bool pass_on(const struct command_run *run, const struct signalfd_siginfo *info)
{
    if (run->pid < 0 || run->over)
        return false;
    if (info->ssi_code <= 0)
        kill(run->pid, (int)info->ssi_signo);
    return true;
}

enum record_order command_signals(struct command_run *run)
{
    struct signalfd_siginfo info;
    enum record_order order = RECORD_GO_ON;
    while (read(run->signals, &info, sizeof info) == sizeof info) {
        switch (info.ssi_signo) {
        case SIGCHLD:
            reap(run, WNOHANG);
            if (run->over)
                order = RECORD_STOP;
            break;
        case SIGUSR1:
            if (order == RECORD_GO_ON)
                order = RECORD_DUMP;
            break;
        default:
            if (!pass_on(run, &info) || run->asked_to_stop)
                order = RECORD_STOP;
            run->asked_to_stop = true;
            let_the_next_one_kill(run);
        }
    }
    return order;
}

void command_finish(struct command_run *run)
{
    if (run->go >= 0)
        close(run->go); /* it has not begun, and will not */
    if (run->failure >= 0)
        close(run->failure);
    while (run->pid >= 0 && !run->over) {
        struct pollfd wait = {.fd = run->signals, .events = POLLIN};
        reap(run, WNOHANG);
        if (!run->over && poll(&wait, 1, -1) > 0)
            command_signals(run);
    }
    if (run->signals >= 0)
        close(run->signals);
    run->signals = -1;
    sigprocmask(SIG_SETMASK, &run->before, NULL);
}
