/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_INPUT_H
#define TALLY_CLI_INPUT_H

#include <tally/pipeline.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "sink/write.h"

/* Shared by the commands that read a recording: opening it and its metric set. */

/* Parses --layout, --platform, --timestamp-hz and --map. Prints errors; returns an exit code. */
int parse_recording_options(const struct arguments *arguments,
                            struct tally_recording_options *options);

/* Opens a recording with --layout, --platform, --timestamp-hz and --map. Prints errors; returns an
 * exit code. */
int open_recording(const struct arguments *arguments, const char *path, bool keep_unsorted,
                   struct tally_recording **out);

/* Fills in how to open recordings and their metric sets, by the same options, --metrics, --set and
 * -c. `progress` and *recording must outlive the use of *options. Prints errors; returns an exit
 * code. */
int make_pipeline_options(const struct arguments *arguments, struct progress *progress,
                          struct tally_recording_options *recording,
                          struct tally_pipeline_options *options);

/*
 * Opens operand number `operand`, from 0, with its metric set and the counters selected with -c. If
 * `live`, data from a pipe are evaluated as they arrive. `progress` may be started later and must
 * outlive the pipeline. Prints errors; returns an exit code.
 */
int open_pipeline(const struct arguments *arguments, size_t operand, bool live,
                  struct progress *progress, struct tally_pipeline **out);

/* Returns the format of --format (default: `default_name`), which must support all of `renders`,
 * and not be binary if the output is a terminal. Otherwise prints the error and returns NULL. */
const struct sink *choose_format(const struct arguments *arguments, const char *default_name,
                                 unsigned renders);

/* Returns the exit code after a write_...() that returned `result`; prints input errors. */
int finish_reading(const struct arguments *arguments, const struct writing *writing,
                   const struct pipeline_source *source, int result,
                   const struct tally_error *error);

/* Prints the number of losses to standard error, for formats that do not include them. */
void report_losses(const struct pipeline_source *source);

/* Parses "10ms", "500us", "1.5s" or "250ns". Returns nanoseconds, or 0 if the text is invalid. */
uint64_t parse_time_ns(const char *text);

/* How to group deltas: --by. */
struct grouping {
    enum tally_group_by by;
    uint64_t interval_ns; /* of TALLY_BY_INTERVAL */
};

/* Parses "context", "interval=10ms", ... Prints errors; returns an exit code. */
int parse_grouping(const char *text, struct grouping *grouping);

/* Parses --from and --to. Prints errors; returns an exit code. */
int parse_range(const struct arguments *arguments, struct writing *writing);

/* Parses "65536", "512K", "8M" or "1G". Returns bytes, or 0 if the text is invalid. */
uint64_t parse_size(const char *text);

#endif
