/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_PROGRAM_H
#define TALLY_PRELOAD_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Finds a program by its name as execvp() does: in the directories of `list`, the value of PATH or
 * NULL, unless the name has a slash. Returns false if there is none. Allocates only on the stack.
 * Thread-safe. */
bool program_find(const char *list, const char *name, char out[PATH_MAX]);

#endif
