/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_PCT_TRACE_H
#define TALLY_TESTBENCH_PCT_TRACE_H

#include <tally/pcounter.h>

/*
 * Traces an engine. For each domain: every value of enum tally_pcounter_value, the sixteen selected
 * sources, the signals that the engine drives, and those that have a waveform when the first clocks
 * run. A tick is a unit of time of the dump.
 */

/* Runs the engine and traces each clock. A pct_runner; context is a struct trace. */
int pct_trace_run(void *context, struct tally_pcounter *engine, uint64_t ticks,
                  struct tally_error *error);

#endif
