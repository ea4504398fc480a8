/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_TRACE_H
#define TALLY_TESTBENCH_OAT_TRACE_H

#include "testbench/oat.h"

/* Traces an OA unit: its inputs at each clock, and its values after the clock. A clock is a unit of
 * time of the dump. An oat_runner; context is a struct trace. */
int oat_trace_run(void *context, const struct tally_oa *unit, oat_advance *advance, void *target,
                  uint64_t clocks, struct tally_error *error);

#endif
