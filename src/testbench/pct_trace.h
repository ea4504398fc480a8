/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_TRACE_H
#define TALLY_TESTBENCH_TRACE_H

#include <stdio.h>

#include <tally/pcounter.h>

/*
 * What goes on inside an engine as a value change dump, for a wave viewer: of each domain every
 * value of enum tally_pcounter_value, the sixteen selected sources, the signals that the engine
 * drives, and those that something drives when the first clocks pass. A tick is a unit of time.
 */
struct trace;

/* The dump goes to `file`, the caller's. */
int trace_new(FILE *file, struct trace **out, struct tally_error *error);
void trace_free(struct trace *trace);

/* Runs the engine and writes down each clock. A pct_runner; context is the trace. */
int trace_run(void *context, struct tally_pcounter *engine, uint64_t ticks,
              struct tally_error *error);

/* Ends the dump. 0, or the error of writing. */
int trace_finish(struct trace *trace, struct tally_error *error);

#endif
