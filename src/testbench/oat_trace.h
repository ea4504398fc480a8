/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_TRACE_H
#define TALLY_TESTBENCH_OAT_TRACE_H

#include <stdio.h>

#include "testbench/oat.h"

/*
 * What goes on inside an OA unit as a value change dump, for a wave viewer: what drives it in each
 * clock, and what it then shows.
 */
struct oat_trace;

/* The dump goes to `file`, the caller's. */
int oat_trace_new(FILE *file, struct oat_trace **out, struct tally_error *error);
void oat_trace_free(struct oat_trace *trace);

/* An oat_runner; context is the trace. The first call looks at what there is. */
int oat_trace_run(void *context, const struct tally_oa *unit, oat_mover *move, void *moved,
                  uint64_t clocks, struct tally_error *error);

/* Ends the dump. 0, or the error of writing. */
int oat_trace_finish(struct oat_trace *trace, struct tally_error *error);

#endif
