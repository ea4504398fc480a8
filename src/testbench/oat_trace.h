/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_TRACE_H
#define TALLY_TESTBENCH_OAT_TRACE_H

#include "testbench/oat.h"

/* What goes on inside an OA unit: what drives it in each clock, and what it then shows. A clock is
 * a unit of time. An oat_runner; context is a struct trace. */
int oat_trace_run(void *context, const struct tally_oa *unit, oat_mover *move, void *moved,
                  uint64_t clocks, struct tally_error *error);

#endif
