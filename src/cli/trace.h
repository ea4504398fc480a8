/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_TRACE_H
#define TALLY_CLI_TRACE_H

#include <stdio.h>

#include <tally/gpu.h>

#include "cli/cli.h"

/*
 * --trace mmio[=FILE] of a command: opens where the lines are written, standard error or a file.
 * *out is NULL without the option. Returns EXIT_DONE, or another exit code after its message.
 */
int open_trace(const char *command, const struct arguments *arguments, FILE **out);

/* Closes it. Returns code, or if that is EXIT_DONE and lines could not be written, another one
 * after its message. */
int close_trace(const struct arguments *arguments, FILE *trace, int code);

/* Warns on standard error of register accesses that had no effect, and, with `reserved`, of writes
 * that set reserved bits, which the i915 driver itself does (MI_PREDICATE_RESULT_1). */
void warn_of_accesses(const char *name, const struct tally_gpu_mmio_stats *stats, bool reserved);

#endif
