/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_FILES_H
#define TALLY_VM_GUEST_FILES_H

#include <limits.h>

#include <tally/error.h>

#include "vm/guest/root.h"

/*
 * Copies files of the machine into a guest's tree, at their own paths, with what they need to run:
 * shared libraries and the dynamic loader of an ELF file, found as the loader does but without
 * executing anything; the interpreter of a script. What a program opens by itself, such as plugins
 * and data, is not found.
 */

/*
 * Finds a program as a shell does: `name` itself if it has a slash, else in the directories of
 * $PATH. Returns 0, or -ENOENT with a message.
 */
int files_find_program(const char *name, char path[PATH_MAX], struct tally_error *error);

/* Adds a file, or a directory with everything in it. Returns 0 or a negative errno with a message.
 */
int files_add(struct root *root, const char *path, struct tally_error *error);

#endif
