/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_SEARCH_H
#define TALLY_BASE_SEARCH_H

/*
 * Visits the directories that may hold data of a kind ("metrics", "workloads"), in order of
 * priority: those of an environment variable, the user's and the system's XDG data directories,
 * those next to the program (in its source tree or its installation), and the directory where this
 * build installs. A directory may be visited twice, or not exist.
 */
void search_data(const char *kind, const char *variable,
                 void (*visit)(void *closure, const char *directory), void *closure);

#endif
