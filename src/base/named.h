/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_NAMED_H
#define TALLY_BASE_NAMED_H

#include <tally/error.h>

/*
 * YAML files that are found by name: NAME.yaml in one of the data directories of their kind
 * (search.h).
 */
struct named_files {
    const char *what;      /* "workload" */
    const char *directory; /* "workloads": name for search_data() and tally list */
    const char *variable;  /* "TALLY_WORKLOADS_PATH" */
};

/*
 * Finds a file. Sets *path, which the caller frees, to the name itself if it is a path (has a slash
 * or ends with .yaml), otherwise to the path of the first file with this name. Returns 0, or
 * -ENOENT, -ENOMEM or the error of a file that cannot be opened, with a message.
 */
int named_find(const struct named_files *files, const char *name, char **path,
               struct tally_error *error);

/*
 * Visits the paths of all files by directory, and by name in each directory. Of several files with
 * the same name, visits the first. Returns the number of visited files, -ENOMEM, or
 * the error of a directory that cannot be read.
 */
int named_list(const struct named_files *files, void (*visit)(void *closure, const char *path),
               void *closure);

#endif
