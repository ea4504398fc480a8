/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_H
#define TALLY_SINK_H

/*
 * Sinks: writing results in a registered format, byte for byte as the commands print them.
 *
 *     struct tally_sink *sink;
 *     if (tally_sink_open("busy.csv", "csv", NULL, &sink, &error) == 0) {
 *         tally_sink_groups(sink, pipeline, TALLY_BY_CONTEXT, 0, &error);
 *         tally_sink_close(sink, &error);
 *     }
 *
 * Threads: a sink belongs to one thread at a time. The list of formats may be read by any.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/packets.h>
#include <tally/pipeline.h>
#include <tally/summary.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a format supports. */
enum tally_render {
    TALLY_RENDER_GROUPS = 1 << 0,     /* groups of a summary: tally report */
    TALLY_RENDER_DELTAS = 1 << 1,     /* every delta's metrics: tally export */
    TALLY_RENDER_REPORTS = 1 << 2,    /* raw fields of reports: tally decode */
    TALLY_RENDER_PACKETS = 1 << 3,    /* packets of record buffers: tally decode */
    TALLY_RENDER_INFO = 1 << 4,       /* contents of an input: tally info */
    TALLY_RENDER_LISTS = 1 << 5,      /* lists of known names: tally list */
    TALLY_RENDER_COMPARISON = 1 << 6, /* two sides: tally compare */
    TALLY_RENDER_CHECKS = 1 << 7      /* results of conditions: tally check */
};

/* Returns the name of format `index` ("table", "csv", ...), NULL past the last one. The text is
 * static. */
TALLY_API const char *tally_format_name(size_t index);

/* Returns what a format supports: enum tally_render bits, or 0 if the format is unknown. */
TALLY_API unsigned tally_format_renders(const char *name);

/*
 * Options for writing. `size` is as in struct tally_pipeline_options. All other members may be
 * zero.
 */
struct tally_sink_options {
    size_t size;
    bool flush; /* write each group as soon as it is complete, instead of when a buffer is full */
};

/* struct tally_sink_options options = TALLY_SINK_OPTIONS_INIT; */
#define TALLY_SINK_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(struct tally_sink_options), false                                                   \
    }

struct tally_sink;

/*
 * Opens an output for a format. `path` NULL or "-" is standard output, which closing leaves open;
 * any other file is created or truncated. `options` may be NULL. On success the caller closes *out
 * with tally_sink_close(). Errors: -ENOENT: unknown format, the message lists all and the nearest
 * name; those of open(2); -EINVAL, -E2BIG: an invalid option; -ENOMEM.
 */
TALLY_API int tally_sink_open(const char *path, const char *format,
                              const struct tally_sink_options *options, struct tally_sink **out,
                              struct tally_error *error);

/*
 * Reads a pipeline to its end and writes its groups, losses and totals, as `tally report` does.
 * `interval_ns` is used for TALLY_BY_INTERVAL only. Returns 0; a negative errno of reading, after
 * everything readable has been written; an error of write(2) (-EPIPE: the reader closed the pipe);
 * -EINVAL: see tally_pipeline_summarize().
 */
TALLY_API int tally_sink_groups(struct tally_sink *sink, struct tally_pipeline *pipeline,
                                enum tally_group_by by, uint64_t interval_ns,
                                struct tally_error *error);

/* Reads a pipeline to its end and writes its deltas, losses and totals, as `tally export` does.
 * Returns as tally_sink_groups(). */
TALLY_API int tally_sink_deltas(struct tally_sink *sink, struct tally_pipeline *pipeline,
                                struct tally_error *error);

/* Reads a record buffer, from which no packet has been read, to its end and writes its packets,
 * losses and totals, as `tally decode` does. Returns as tally_sink_groups(). */
TALLY_API int tally_sink_packets(struct tally_sink *sink, struct tally_packets *packets,
                                 struct tally_error *error);

/*
 * Flushes, closes and frees a sink; accepts NULL. Returns 0 or the first error of
 * write(2), which may have been returned before.
 */
TALLY_API int tally_sink_close(struct tally_sink *sink, struct tally_error *error);

#ifdef __cplusplus
}
#endif

#endif
