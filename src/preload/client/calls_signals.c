/* SPDX-License-Identifier: MIT */
/* Handlers and masks of SIGSEGV and SIGTRAP, which a program that has mapped the registers shares
 * with registers.c. */
#include <errno.h>
#include <pthread.h>

#include "preload/client/client.h"

EXPORT int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    if (registers_take_action(number, new, old))
        return 0;
    return NEXT(sigaction)(number, new, old);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    if (registers_take_action(number, &new, &old))
        return old.sa_handler;
    return NEXT(signal)(number, handler);
}

/* Returns the set without the signals that must not be blocked. */
static const sigset_t *allowed(int how, const sigset_t *set, sigset_t *copy)
{
    if (!set || how == SIG_UNBLOCK || !registers_need_signals())
        return set;
    *copy = *set;
    sigdelset(copy, SIGSEGV);
    sigdelset(copy, SIGTRAP);
    return copy;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    return NEXT(sigprocmask)(how, allowed(how, set, &copy), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    return NEXT(pthread_sigmask)(how, allowed(how, set, &copy), old);
}
