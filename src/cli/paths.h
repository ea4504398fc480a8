/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_PATHS_H
#define TALLY_CLI_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

/* Recordings, of which a directory stands for all its files. {0} is an empty list. */
struct paths {
    char **list;
    size_t count, capacity;
};

/* Appends a path, or the files of a directory by their names, without those that begin with a dot
 * or end with .old, which tally record keeps. Prints errors; returns an exit code. */
int paths_add(struct paths *paths, const char *path);
void paths_fini(struct paths *paths);

/* Prints an error of opening or reading one of these, with the nearest name if it is the name that
 * is wrong. Returns an exit code. */
int paths_error(const struct paths *lists, size_t count, const struct tally_error *error);

#endif
