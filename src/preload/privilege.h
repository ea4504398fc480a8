/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_PRIVILEGE_H
#define TALLY_PRELOAD_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether a thread, 0: the caller, has CAP_PERFMON or CAP_SYS_ADMIN. False: it has ended. */
bool thread_is_privileged(pid_t thread);

#endif
