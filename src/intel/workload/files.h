/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_WORKLOAD_FILES_H
#define TALLY_INTEL_WORKLOAD_FILES_H

#include <tally/workload.h>

#include "base/yaml.h"

/*
 * Reads a workload file, as yaml_read() does. 0: it has no mistakes, and *out (unless out is
 * NULL) is the caller's.
 */
int workload_read(struct yaml_source source, struct tally_workload **out, findings_visit *found,
                  void *closure, struct tally_error *error);

#endif
