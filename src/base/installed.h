/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_INSTALLED_H
#define TALLY_BASE_INSTALLED_H

/*
 * Where this build installs. Written by the build into a file of its own, so that another prefix
 * compiles one file.
 */
extern const char installed_data[];   /* prefix/share/tally */
extern const char installed_libdir[]; /* "lib/x86_64-linux-gnu": below the prefix */
extern const char installed_prefix[];

#endif
