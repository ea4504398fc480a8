/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_ROOT_H
#define TALLY_VM_GUEST_ROOT_H

#include <limits.h>
#include <stdbool.h>

#include <tally/error.h>

#include "vm/guest/cpio.h"

/*
 * The files of a guest's root: a cpio archive in which each path is once, and every directory
 * before its contents. Files of the machine keep their paths; the symbolic links on the way to them
 * are copied too. Guest paths are absolute.
 */
struct root {
    struct cpio cpio;
    void *paths; /* a search tree (tsearch) of strings */
};

void root_fini(struct root *root);

bool root_has(const struct root *root, const char *path);

/* Add an entry and the directories above it, unless the path is there. Running out of memory breaks
 * cpio.bytes. */
void root_directory(struct root *root, const char *path, unsigned mode);
void root_file(struct root *root, const char *path, unsigned mode, const void *bytes, size_t size);
void root_link(struct root *root, const char *path, const char *target);
void root_character_device(struct root *root, const char *path, unsigned mode, unsigned major,
                           unsigned minor);

/*
 * Adds the directories and symbolic links that lead to a file of the machine; not the file. Writes
 * the path at which it is without any link. Returns 0 or a negative errno with a message.
 */
int root_way(struct root *root, const char *path, char resolved[PATH_MAX],
             struct tally_error *error);

/* Ends the archive. Returns 0, or -ENOMEM with a message. */
int root_end(struct root *root, struct tally_error *error);

#endif
