/* SPDX-License-Identifier: MIT */
#include "preload/signals.h"

#include <unistd.h>

#include "base/bits.h"

void signals_of_server(sigset_t *out)
{
    static const int numbers[] = {SIGCHLD,   SIGHUP,    SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                                  SIGUSR2,   SIGALRM,   SIGPIPE, SIGXFSZ, SIGXCPU, SIGPROF,
                                  SIGVTALRM, SIGSTKFLT, SIGIO,   SIGPWR};
    sigemptyset(out);
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        sigaddset(out, numbers[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        sigaddset(out, number);
}

bool signal_is_for_server(const struct signalfd_siginfo *info)
{
    bool keyboard = info->ssi_signo == SIGINT || info->ssi_signo == SIGQUIT;
    return (keyboard && info->ssi_code == SI_KERNEL) ||
           ((info->ssi_signo == SIGPIPE || info->ssi_signo == SIGXFSZ) &&
            info->ssi_pid == (uint32_t)getpid());
}
