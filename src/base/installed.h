/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_INSTALLED_H
#define TALLY_BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Installation directories. The build generates a separate source file for them, so that a change
 * of the prefix recompiles only that file.
 */
extern const char installed_data[];   /* prefix/share/tally */
extern const char installed_libdir[]; /* relative to the prefix: "lib/x86_64-linux-gnu" */
extern const char installed_prefix[];

/* Finds a library that is preloaded into other programs, relative to this program (in the build
 * tree or an installation), else in the configured prefix. Returns false if it cannot be read; then
 * `out` is its path there. */
bool installed_library(const char *name, char *out, size_t size);

#endif
