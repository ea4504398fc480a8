/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_SEARCH_H
#define TALLY_BASE_SEARCH_H

/*
 * Where data of a kind ("metrics", "workloads") may lie, first things first: the directories of an
 * environment variable, the user's and the system's XDG data directories, beside the program (its
 * source tree, else its installation), where this build installs. A directory may come twice, or
 * not exist.
 */
void search_data(const char *kind, const char *variable,
                 void (*visit)(void *closure, const char *directory), void *closure);

#endif
