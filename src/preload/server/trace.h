/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_H
#define TALLY_PRELOAD_TRACE_H

/*
 * The tracepoints of the driver as programs see them: the text of `format`, and records as the
 * kernel lays them out, common fields first.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "driver/i915/tracepoints.h"

struct server;

#define TRACE_COMMON_BYTES 8u
#define TRACE_MAX_BYTES    64u /* of a record */

/* The ids by which programs know the tracepoints. */
static inline uint32_t trace_id(enum i915_tracepoint tracepoint)
{
    return 2115u + (uint32_t)tracepoint;
}

/* Finds a tracepoint by its id. */
bool trace_find(uint64_t id, enum i915_tracepoint *out);

/* A field of a record, common or of the tracepoint: the index-th; false past the end. */
struct trace_field {
    const char *type, *name;
    uint8_t offset, bytes;
    bool is_signed, is_common;
};
bool trace_field_at(const struct i915_trace_info *info, unsigned index, struct trace_field *out);

/* The text of `format`; that of trace_marker's event, "print". */
void trace_format_text(enum i915_tracepoint tracepoint, struct buffer *out);
void trace_marker_format_text(struct buffer *out);

/* An event: when and by whom, and its record. */
struct trace_event {
    enum i915_tracepoint tracepoint;
    uint64_t ns; /* CLOCK_MONOTONIC of the program */
    long process, thread;
    unsigned bytes;
    uint8_t record[TRACE_MAX_BYTES];
};

/* The text of a record's fields, as `trace` has it. */
void trace_event_text(enum i915_tracepoint tracepoint, const uint8_t *record, struct buffer *out);

/* Returns the time of an event that happens now, which is not before that of an earlier one. */
uint64_t trace_now_ns(struct server *server);

/* Starts listening to the driver. */
void trace_start(struct server *server);

#endif
