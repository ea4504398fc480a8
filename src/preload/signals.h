/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SIGNALS_H
#define TALLY_PRELOAD_SIGNALS_H

/* The signals that the server takes, and the supervisor of namespace/. */

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

/* Gets those that end a process, without SIGKILL and those of a fault; and SIGCHLD. */
void signals_of_server(sigset_t *out);

/* Whether the terminal sent the signal, and so to the program, too; or a system call of the server
 * that failed, such as a write to a closed pipe. */
bool signal_is_for_server(const struct signalfd_siginfo *info);

#endif
