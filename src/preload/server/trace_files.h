/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_FILES_H
#define TALLY_PRELOAD_TRACE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "driver/i915/tracepoints.h"

struct server;

/* Files are named below TRACING. */

/* Makes the files of tracefs in the tree. Returns 0 or an errno. */
int trace_files_make(struct server *server);

/* Rewrites a file, by its present contents, before it is opened. */
void trace_files_update(struct server *server, const char *name);

/* Appends the present contents of a file. Returns 0; -ENOENT: it is unknown; -ENOMEM. */
int trace_files_read(struct server *server, const char *name, struct buffer *out);

/* Writes to a file. Returns the number of bytes that were taken, or the errno of the kernel. */
int64_t trace_files_write(struct server *server, const char *name, const char *bytes, size_t size);

/* A file is opened for writing with O_TRUNC. */
void trace_files_truncated(struct server *server, const char *name);

/* Maximum number of bytes that are written at once, except to trace_marker. */
#define TRACE_FILES_MAX 4095u

/* ---- trace_settings.c ------------------------------------------------------------------------ */

/* A file: the tracepoint or the processor that its name has. */
struct trace_target {
    struct server *server;
    enum i915_tracepoint tracepoint; /* I915_TRACEPOINTS: all */
    int processor;                   /* -1: all */
    unsigned index;                  /* of the row of its table: an option */
};

#define TRACE_CLOCKS 10u
extern const char *const trace_clocks[TRACE_CLOCKS];
extern const char *const trace_options[]; /* of enum trace_option */

/* Write a setting: a text of `size` bytes with an end behind them. Return as trace_files_write().
 */
typedef int64_t trace_write_fn(const struct trace_target *target, const char *text, size_t size);
trace_write_fn trace_set_enable, trace_set_filter, trace_set_on, trace_set_size, trace_set_tracer,
    trace_set_clock, trace_set_percent, trace_set_names, trace_set_option, trace_set_options,
    trace_set_events, trace_set_pids, trace_set_nothing;

#endif
