/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_PCT_TRACE_H
#define TALLY_TESTBENCH_PCT_TRACE_H

#include <tally/pcounter.h>

/*
 * What goes on inside an engine: of each domain every value of enum tally_pcounter_value, the
 * sixteen selected sources, the signals that the engine drives, and those that something drives
 * when the first clocks pass. A tick is a unit of time.
 */

/* Runs the engine and writes down each clock. A pct_runner; context is a struct trace. */
int pct_trace_run(void *context, struct tally_pcounter *engine, uint64_t ticks,
                  struct tally_error *error);

#endif
