/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_LOG_H
#define TALLY_PRELOAD_TRACE_LOG_H

/*
 * What tracefs records: events of the tracepoints that are enabled there, for its file `trace`. A
 * full log drops the oldest ones.
 */

#include "preload/server/trace.h"

struct trace_filter;
struct trace_entry;

struct trace_log {
    bool stopped; /* tracing_on is 0 */
    bool enabled[I915_TRACEPOINTS];
    struct trace_filter *filters[I915_TRACEPOINTS]; /* NULL: all pass */
    struct trace_entry *entries;                    /* NULL: there was none yet */
    size_t capacity, first, count; /* of the entries: a ring; capacity 0: default */
    uint64_t written;              /* entries so far */
};

#define TRACE_LOG_KIB     1408u /* the kernel's buffer_size_kb, of a processor */
#define TRACE_LOG_MAX_KIB 262144u

void trace_log_hear(struct server *server, const struct trace_event *event);
void trace_log_clear(struct trace_log *log);
void trace_log_fini(struct trace_log *log);

/* Sets the size, and clears the log. Returns 0; -EINVAL: 0; -ENOMEM: too large. */
int trace_log_resize(struct trace_log *log, uint64_t kib);

/* Sets the filter of a tracepoint; "0" removes it, and so does an error. Returns 0, -EINVAL or
 * -ENOMEM. */
int trace_log_filter(struct trace_log *log, enum i915_tracepoint tracepoint, const char *text);

/* The text of `trace`. */
void trace_log_text(const struct trace_log *log, struct buffer *out);

#endif
