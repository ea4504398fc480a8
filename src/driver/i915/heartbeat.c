/* SPDX-License-Identifier: MIT */
/*
 * The kernel's heartbeat: an engine that is awake runs an empty request of the kernel's own context
 * in intervals, if clients have used it since the last one. An open stream keeps the render engine
 * awake. From Gen8 on, the context switches of a heartbeat write reports, so that the last report
 * of the client's context is no longer the newest one, which a stream withholds.
 */
#include "driver/i915/batch.h"
#include "driver/i915/perf.h"

#define INTERVAL_NS UINT64_C(2500000000) /* heartbeat_interval_ms */

/* Whether the engine needs a heartbeat. While it has requests, the heartbeat is put off. */
static bool is_due(const struct i915_stream *stream)
{
    const struct i915_engine *engine = render_engine(stream->device);
    return stream->enabled && has_execlists(stream->device) && !engine->first &&
           engine->client_request > stream->beaten;
}

void i915_heartbeat_start(struct i915_stream *stream)
{
    stream->beat_ns = now_ns(stream->device) + INTERVAL_NS;
    stream->beaten = render_engine(stream->device)->client_request;
}

void i915_heartbeat_tick(struct i915_stream *stream)
{
    struct batch batch = {.wide = true};
    const struct i915_engine *engine = render_engine(stream->device);
    uint64_t now = now_ns(stream->device), fence;
    if (now < stream->beat_ns || engine->first)
        return;
    if (is_due(stream) && batch_submit(&batch, stream->device->kernel_context, &fence) == 0)
        stream->beaten = engine->client_request;
    stream->beat_ns = now + INTERVAL_NS - (now - stream->beat_ns) % INTERVAL_NS;
}

uint64_t i915_heartbeat_next_ns(const struct i915_stream *stream)
{
    return is_due(stream) ? stream->beat_ns : UINT64_MAX;
}
