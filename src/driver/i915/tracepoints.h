/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_TRACEPOINTS_H
#define TALLY_DRIVER_I915_TRACEPOINTS_H

/*
 * The driver's tracepoints: those of contexts and requests that Linux 6.1 has without
 * CONFIG_DRM_I915_LOW_LEVEL_TRACEPOINTS. The fields of a record are listed once: the struct that
 * the driver fills and the table that describes it are both made from that list. The kernel lays
 * a record out as this struct, behind fields that all tracepoints have.
 */

#include <stddef.h>
#include <stdint.h>

/* ---- records --------------------------------------------------------------------------------- */

/* FIELD(type in the kernel, type here, name) */
#define I915_TRACE_CONTEXT_FIELDS(FIELD)                                                           \
    FIELD(u32, uint32_t, dev)                                                                      \
    FIELD(struct i915_gem_context *, uint64_t, ctx)                                                \
    FIELD(struct i915_address_space *, uint64_t, vm)

#define I915_TRACE_OF_REQUEST(FIELD)                                                               \
    FIELD(u32, uint32_t, dev)                                                                      \
    FIELD(u64, uint64_t, ctx)                                                                      \
    FIELD(u16, uint16_t, class)                                                                    \
    FIELD(u16, uint16_t, instance)                                                                 \
    FIELD(u32, uint32_t, seqno)

#define I915_TRACE_REQUEST_FIELDS(FIELD)                                                           \
    I915_TRACE_OF_REQUEST(FIELD)                                                                   \
    FIELD(u32, uint32_t, tail)

#define I915_TRACE_QUEUE_FIELDS(FIELD)                                                             \
    I915_TRACE_OF_REQUEST(FIELD)                                                                   \
    FIELD(u32, uint32_t, flags)

#define I915_TRACE_WAIT_FIELDS(FIELD)                                                              \
    I915_TRACE_OF_REQUEST(FIELD)                                                                   \
    FIELD(unsigned int, uint32_t, flags)

/* `dev` is the card's number; `ctx` of a request is the timeline of its context on its engine,
 * which numbers its requests by `seqno`; `tail` is the end of its commands in the ring. */
#define I915_TRACE_MEMBER(kernel, type, name) type name;
struct i915_trace_context {
    I915_TRACE_CONTEXT_FIELDS(I915_TRACE_MEMBER)
};
struct i915_trace_request {
    I915_TRACE_REQUEST_FIELDS(I915_TRACE_MEMBER)
};
struct i915_trace_queue {
    I915_TRACE_QUEUE_FIELDS(I915_TRACE_MEMBER)
};
struct i915_trace_wait {
    I915_TRACE_WAIT_FIELDS(I915_TRACE_MEMBER)
};
#undef I915_TRACE_MEMBER

/* ---- the tracepoints ------------------------------------------------------------------------- */

enum i915_tracepoint {
    I915_CONTEXT_CREATE, /* struct i915_trace_context */
    I915_CONTEXT_FREE,
    I915_REQUEST_QUEUE, /* struct i915_trace_queue: by EXECBUFFER2 */
    I915_REQUEST_ADD,   /* struct i915_trace_request */
    I915_REQUEST_RETIRE,
    I915_REQUEST_WAIT_BEGIN, /* struct i915_trace_wait */
    I915_REQUEST_WAIT_END,   /* struct i915_trace_request */
    I915_TRACEPOINTS
};

/* A field: an unsigned number. */
struct i915_trace_field {
    const char *type, *name;
    uint8_t offset, bytes;
};

#define I915_TRACE_ARGS 7

struct i915_trace_info {
    const char *name; /* "i915_request_add" */
    const struct i915_trace_field *fields;
    uint8_t field_count, bytes;
    const char *format;                /* for printf() */
    const char *args[I915_TRACE_ARGS]; /* the fields in it, up to NULL */
};
const struct i915_trace_info *i915_tracepoint_info(enum i915_tracepoint tracepoint);

/* ---- listening ------------------------------------------------------------------------------- */

struct i915_device;
struct i915_attempt;

/* Called at each tracepoint with its record. */
typedef void i915_trace_fn(void *closure, enum i915_tracepoint tracepoint, const void *record);

/* Sets the function that is called; NULL: none. */
void i915_device_set_trace(struct i915_device *device, i915_trace_fn *call, void *closure);

/* A call that was interrupted and waits for a request is not made again: its wait ends. */
void i915_attempt_end(struct i915_device *device, struct i915_attempt *attempt);

#endif
