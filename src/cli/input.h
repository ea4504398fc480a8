/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_INPUT_H
#define TALLY_CLI_INPUT_H

#include <tally/pipeline.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "sink/write.h"

/* What commands that read a recording have in common: opening it and its metric set. */

/* Opens by --layout, --platform, --timestamp-hz and --map. Tells what is wrong; returns EXIT_... */
int open_recording(const struct arguments *arguments, const char *path, bool keep_unsorted,
                   struct tally_recording **out);

/*
 * Opens the operand with its metric set and the counters that -c picks; `live`: what a pipe
 * delivers is evaluated as it arrives. `progress`, which may be started later, must outlive the
 * pipeline. Tells what is wrong; returns EXIT_...
 */
int open_pipeline(const struct arguments *arguments, bool live, struct progress *progress,
                  struct tally_pipeline **out);

/* The format that --format names (else the usual one), which must render all of `renders`. NULL:
 * told that it does not. */
const struct sink *choose_format(const struct arguments *arguments, const char *usual,
                                 unsigned renders);

/* The exit code after a write_...() that returned `result`; tells what is wrong with the input. */
int finish_reading(const struct arguments *arguments, const struct writing *writing,
                   const struct pipeline_source *source, int result,
                   const struct tally_error *error);

/* Tells of losses that a format has no place for. */
void remark_losses(const struct pipeline_source *source);

/* Parses "10ms", "500us", "1.5s" or "250ns". Returns nanoseconds, or 0 if it is not a time. */
uint64_t parse_time_ns(const char *text);

/* Parses "65536", "512K", "8M" or "1G". Returns bytes, or 0 if it is not a size. */
uint64_t parse_size(const char *text);

#endif
