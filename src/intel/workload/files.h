/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_WORKLOAD_FILES_H
#define TALLY_INTEL_WORKLOAD_FILES_H

#include <tally/workload.h>

#include "base/yaml.h"

/*
 * Reads a workload file with yaml_read(), and returns its result. If that is 0, the caller frees
 * *out (out may be NULL).
 */
int workload_read(struct yaml_source source, struct tally_workload **out, findings_visit *found,
                  void *closure, struct tally_error *error);

#endif
