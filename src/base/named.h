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
 * Finds a file. *path is set to the name itself if it is a path (has a slash or ends with .yaml),
 * otherwise to the first file of that name; the caller frees it. Returns 0, or -ENOENT or -ENOMEM
 * with a message.
 */
int named_find(const struct named_files *files, const char *name, char **path,
               struct tally_error *error);

/*
 * Visits the paths of all files, in alphabetical order within each directory; of files with the
 * same name only the first. Returns their number or -ENOMEM.
 */
int named_list(const struct named_files *files, void (*visit)(void *closure, const char *path),
               void *closure);

#endif
