/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_TRACE_H
#define TALLY_CLI_TRACE_H

#include <stdio.h>

#include <tally/gpu.h>

#include "cli/cli.h"
#include "regs/trace.h"

/*
 * Opens the trace file of --trace mmio[=FILE]; *out is NULL without the option. Returns EXIT_DONE,
 * or prints the error and returns its exit code. `command` is the name for messages.
 */
int open_trace(const char *command, const struct arguments *arguments, FILE **out);

/* Closes the trace file. Returns `code`; if that is EXIT_DONE and a write failed, prints the error
 * and returns its exit code. */
int close_trace(const struct arguments *arguments, FILE *trace, int code);

/* Warns on standard error about register accesses with an outcome whose count is not 0. */
void warn_accesses(const char *name, const struct reg_outcome *outcomes, size_t count);

/* The same for the accesses to a GPU; writes that set reserved bits only with `reserved`, since the
 * i915 driver's own do (MI_PREDICATE_RESULT_1). */
void warn_gpu_accesses(const char *name, const struct tally_gpu_mmio_stats *stats, bool reserved);

#endif
