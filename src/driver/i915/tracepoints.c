/* SPDX-License-Identifier: MIT */
/* The table of tracepoints, and filling their records. */
#include "driver/i915/tracepoints.h"

#include "base/bits.h"
#include "driver/i915/device.h"

/* ---- the table ------------------------------------------------------------------------------- */

#define ROW(struct_name, kernel, member)                                                           \
    {#kernel, #member, offsetof(struct struct_name, member),                                       \
     sizeof(((struct struct_name *)NULL)->member)},
#define CONTEXT_ROW(kernel, type, member) ROW(i915_trace_context, kernel, member)
#define REQUEST_ROW(kernel, type, member) ROW(i915_trace_request, kernel, member)
#define QUEUE_ROW(kernel, type, member)   ROW(i915_trace_queue, kernel, member)
#define WAIT_ROW(kernel, type, member)    ROW(i915_trace_wait, kernel, member)

static const struct i915_trace_field context_fields[] = {I915_TRACE_CONTEXT_FIELDS(CONTEXT_ROW)};
static const struct i915_trace_field request_fields[] = {I915_TRACE_REQUEST_FIELDS(REQUEST_ROW)};
static const struct i915_trace_field queue_fields[] = {I915_TRACE_QUEUE_FIELDS(QUEUE_ROW)};
static const struct i915_trace_field wait_fields[] = {I915_TRACE_WAIT_FIELDS(WAIT_ROW)};

#define CONTEXT                                                                                    \
    context_fields, ARRAY_COUNT(context_fields), sizeof(struct i915_trace_context),                \
        "dev=%u, ctx=%p, ctx_vm=%p",                                                               \
    {                                                                                              \
        "dev", "ctx", "vm"                                                                         \
    }
#define OF_REQUEST "dev=%u, engine=%u:%u, ctx=%llu, seqno=%u, "
#define REQUEST_OF(fields, type, last, name)                                                       \
    fields, ARRAY_COUNT(fields), sizeof(struct type), OF_REQUEST last,                             \
    {                                                                                              \
        "dev", "class", "instance", "ctx", "seqno", name                                           \
    }
#define REQUEST REQUEST_OF(request_fields, i915_trace_request, "tail=%u", "tail")
#define QUEUE   REQUEST_OF(queue_fields, i915_trace_queue, "flags=0x%x", "flags")
#define WAIT    REQUEST_OF(wait_fields, i915_trace_wait, "flags=0x%x", "flags")

static const struct i915_trace_info infos[I915_TRACEPOINTS] = {
    [I915_CONTEXT_CREATE] = {"i915_context_create", CONTEXT},
    [I915_CONTEXT_FREE] = {"i915_context_free", CONTEXT},
    [I915_REQUEST_QUEUE] = {"i915_request_queue", QUEUE},
    [I915_REQUEST_ADD] = {"i915_request_add", REQUEST},
    [I915_REQUEST_RETIRE] = {"i915_request_retire", REQUEST},
    [I915_REQUEST_WAIT_BEGIN] = {"i915_request_wait_begin", WAIT},
    [I915_REQUEST_WAIT_END] = {"i915_request_wait_end", REQUEST},
};

const struct i915_trace_info *i915_tracepoint_info(enum i915_tracepoint tracepoint)
{
    return &infos[tracepoint];
}

void i915_device_set_trace(struct i915_device *device, i915_trace_fn *call, void *closure)
{
    device->trace = call;
    device->trace_closure = closure;
}

static void emit(const struct i915_device *device, enum i915_tracepoint tracepoint,
                 const void *record)
{
    if (device->trace)
        device->trace(device->trace_closure, tracepoint, record);
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* The addresses that the kernel's structs might have: different ones while both exist, and later.
 */
#define CONTEXTS_AT    UINT64_C(0xffff888100000000)
#define CONTEXT_STRIDE 0x400u
#define SPACES_AT      UINT64_C(0xffff888200000000)
#define SPACE_STRIDE   0x1000u

void i915_trace_context(const struct i915_context *context, enum i915_tracepoint tracepoint)
{
    struct i915_trace_context record = {
        .ctx = CONTEXTS_AT + context->serial * CONTEXT_STRIDE,
        .vm = context->vm ? SPACES_AT + context->vm->serial * SPACE_STRIDE : 0,
    };
    emit(context->device, tracepoint, &record);
}

/* ---- requests -------------------------------------------------------------------------------- */

#define OF(request)                                                                                \
    .ctx = (request)->state->timeline, .class = (request)->state->engine->named.engine_class,      \
    .instance = (request)->state->engine->named.engine_instance, .seqno = (request)->seqno

void i915_trace_request(const struct i915_request *request, enum i915_tracepoint tracepoint)
{
    struct i915_trace_request record = {OF(request), .tail = request->ring_end};
    emit(request->state->engine->device, tracepoint, &record);
}

void i915_trace_queue(const struct i915_request *request, uint32_t flags)
{
    struct i915_trace_queue record = {OF(request), .flags = flags};
    emit(request->state->engine->device, I915_REQUEST_QUEUE, &record);
}

/* ---- waits ----------------------------------------------------------------------------------- */

void i915_trace_wait_begin(struct i915_device *device, uint64_t fence, uint32_t flags,
                           struct i915_traced_wait *wait)
{
    const struct i915_request *request = i915_fence_request(device, fence);
    if (wait->fence == fence || !request)
        return;
    i915_trace_wait_end(device, wait);
    struct i915_trace_wait record = {OF(request), .flags = flags};
    wait->fence = fence;
    wait->end = (struct i915_trace_request){OF(request), .tail = request->ring_end};
    emit(device, I915_REQUEST_WAIT_BEGIN, &record);
}

void i915_trace_wait_end(struct i915_device *device, struct i915_traced_wait *wait)
{
    if (wait->fence)
        emit(device, I915_REQUEST_WAIT_END, &wait->end);
    wait->fence = 0;
}

void i915_attempt_end(struct i915_device *device, struct i915_attempt *attempt)
{
    i915_trace_wait_end(device, &attempt->wait);
}
