/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_INSTALLED_H
#define TALLY_BASE_INSTALLED_H

#include <stddef.h>

#include <tally/error.h>

/*
 * Installation directories. The build generates a separate source file for them, so that a change
 * of the prefix recompiles only that file.
 */
extern const char installed_data[];   /* prefix/share/tally */
extern const char installed_libdir[]; /* relative to the prefix: "lib/x86_64-linux-gnu" */
extern const char installed_prefix[];

/* Finds a library that is preloaded into other programs, relative to this program (in the build
 * tree or an installation), else in the configured prefix. Returns 0 and its path; -ENOENT and an
 * error: it cannot be read; -EINVAL and an error: $LD_PRELOAD cannot have the path. */
int installed_library(const char *name, char *out, size_t size, struct tally_error *error);

#endif
