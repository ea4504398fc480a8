/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_LOG_H
#define TALLY_PRELOAD_TRACE_LOG_H

/*
 * What tracefs records: events of the tracepoints that are enabled there, and what programs write
 * to trace_marker, in the ring buffer of processor 0. Those of the other processors are empty.
 */

#include "preload/server/trace.h"
#include "preload/server/trace_ring.h"

struct trace_filter;

/* The names of the latest threads that have events, in a ring. */
struct trace_name {
    long thread;
    char name[16];
};
struct trace_names {
    struct trace_name *list;
    size_t capacity, first, count;
};

/* Options; the names in trace_files.c have the same order. */
enum trace_option { TRACE_OVERWRITE, TRACE_MARKERS, TRACE_RECORD_NAMES, TRACE_OPTIONS };

struct trace_log {
    bool stopped; /* tracing_on is 0 */
    bool enabled[I915_TRACEPOINTS];
    struct trace_filter *filters[I915_TRACEPOINTS]; /* NULL: all pass */
    char *filter_texts[I915_TRACEPOINTS];
    bool options[TRACE_OPTIONS];
    unsigned clock;   /* index in trace_files.c's table */
    unsigned percent; /* of the ring that is written before a reader of whole pages continues */
    struct trace_ring ring;
    uint64_t *other_kib; /* buffer_size_kb of the other processors */
    unsigned processors;
    uint32_t *pids; /* set_event_pid, in order; none: events of all threads are recorded */
    size_t pid_count, pid_capacity;
    struct trace_names names;
};

#define TRACE_NAMES     128u /* saved_cmdlines_size */
#define TRACE_MAX_NAMES 32768u
#define TRACE_MAX_PID   4194304u

/* The event of trace_marker: its type, and the maximum length of its text. */
#define TRACE_MARKER_ID    5u
#define TRACE_MARKER_BYTES 1024u

/* Sets the kernel's defaults. */
void trace_log_start(struct trace_log *log);
void trace_log_fini(struct trace_log *log);

void trace_log_hear(struct server *server, const struct trace_event *event);

/* Records a text. Returns its length, which may be less; -EINVAL: the option is off; -EBADF:
 * nothing is recorded now. */
int trace_log_mark(struct server *server, const char *text, size_t size);

/* Sets the filter of a tracepoint; "0" removes it, and so does an error. Returns 0, -EINVAL or
 * -ENOMEM. */
int trace_log_filter(struct trace_log *log, enum i915_tracepoint tracepoint, const char *text);

/* Adds a thread to set_event_pid. Returns 0 or -ENOMEM. */
int trace_log_add_pid(struct trace_log *log, uint32_t pid);

/* Sets saved_cmdlines_size, which clears the names. Returns 0; -EINVAL; -ENOMEM. */
int trace_log_resize_names(struct trace_log *log, uint64_t count);

/* Returns the index-th of the names, the oldest first. NULL: there are no more. */
const struct trace_name *trace_log_name(const struct trace_log *log, size_t index);

/* The text of `trace`, of a processor or of all (-1); of one event, a line; of the names; of
 * `stats`. */
void trace_log_text(const struct trace_log *log, int processor, struct buffer *out);
void trace_log_line(const struct trace_log *log, const struct trace_item *item, struct buffer *out);
void trace_log_names(const struct trace_log *log, struct buffer *out);
void trace_log_stats(const struct trace_log *log, int processor, uint64_t now_ns,
                     struct buffer *out);

#endif
