/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_WORKLOAD_FILES_H
#define TALLY_INTEL_WORKLOAD_FILES_H

#include <tally/workload.h>

/*
 * Reads a workload file's bytes; tells its mistakes by line, and returns how many there are. 0: it
 * has none, and *out (unless out is NULL) is the caller's. A negative errno and a message: no YAML,
 * or no memory.
 */
int workload_read(const void *bytes, size_t size, const char *name, struct tally_workload **out,
                  tally_workload_found *found, void *closure, struct tally_error *error);

#endif
