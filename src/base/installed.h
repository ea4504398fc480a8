/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_INSTALLED_H
#define TALLY_BASE_INSTALLED_H

/*
 * Installation directories. The build generates a separate source file for them, so that a change
 * of the prefix recompiles only that file.
 */
extern const char installed_data[];   /* prefix/share/tally */
extern const char installed_libdir[]; /* relative to the prefix: "lib/x86_64-linux-gnu" */
extern const char installed_prefix[];

#endif
