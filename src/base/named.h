/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_NAMED_H
#define TALLY_BASE_NAMED_H

#include <tally/error.h>

/*
 * YAML files that are called by name: NAME.yaml in one of the directories where data of their kind
 * lies (search.h).
 */
struct named_files {
    const char *what;      /* "workload" */
    const char *directory; /* "workloads": what search_data() and tally list call them */
    const char *variable;  /* "TALLY_WORKLOADS_PATH" */
};

/*
 * *path, the caller's, is where a file is: the name itself if it is a path (it has a slash, or ends
 * with .yaml), else the first of that name. 0; -ENOENT or -ENOMEM and a message.
 */
int named_find(const struct named_files *files, const char *name, char **path,
               struct tally_error *error);

/*
 * Visits the paths of all, each directory's in alphabetical order; of those with the same name only
 * the first. How many there are; -ENOMEM.
 */
int named_list(const struct named_files *files, void (*visit)(void *closure, const char *path),
               void *closure);

#endif
