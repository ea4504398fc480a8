/* SPDX-License-Identifier: MIT */
/*
 * Signals of the server. It blocks those that would end it, so that nothing is left behind, and
 * forwards them to the program, whose end is its own. It serves them also during a call of a
 * client.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "preload/server/server.h"

void server_block_signals(sigset_t *before)
{
    sigset_t set;
    signals_of_server(&set);
    sigprocmask(SIG_BLOCK, &set, before);
}

void server_unblock_signals(const sigset_t *before)
{
    static const struct timespec none;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    while (sigtimedwait(&set, NULL, &none) > 0) /* the errors of the calls were enough */
        continue;
    sigprocmask(SIG_SETMASK, before, NULL);
}

int server_listen_signals(struct server *server, struct tally_error *error)
{
    sigset_t set;
    signals_of_server(&set);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    server->signals = (struct source){SOURCE_SIGNAL, fd, NULL};
    if (fd < 0)
        return fail(error, -errno, "signalfd: %s", strerror(errno));
    int result = server_watch(server, &server->signals);
    return result < 0 ? fail(error, result, "signals: epoll: %s", strerror(-result)) : 0;
}

int server_signals(const struct server *server)
{
    return server->signals.kind == SOURCE_SIGNAL ? server->signals.fd : -1;
}

static void reap(struct server *server)
{
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (ended != server->child)
            continue; /* an orphan of the program: see PR_SET_CHILD_SUBREAPER */
        server->outcome->status = status;
        server->child = 0;
        server->stopping = server->stopping || server->ends;
    }
}

bool server_take_signals(struct server *server)
{
    struct signalfd_siginfo info;
    int fd = server_signals(server);
    bool any = false;
    while (fd >= 0 && read(fd, &info, sizeof info) == sizeof info) {
        any = true;
        if (info.ssi_signo == SIGCHLD) {
            reap(server);
        } else if (server->child) {
            server->ends = server->ends || info.ssi_signo == SIGTERM;
            if (!signal_is_for_server(&info))
                kill(server->child, (int)info.ssi_signo);
        } else if (info.ssi_signo != SIGPIPE && info.ssi_signo != SIGXFSZ) {
            server->stopping = true;
        }
    }
    return any;
}
