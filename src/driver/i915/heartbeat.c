/* SPDX-License-Identifier: MIT */
/*
 * The kernel's heartbeat: an engine that is awake runs an empty request of the kernel's own context
 * in intervals, if clients have used it since the last one. A request that keeps the heartbeat from
 * running counts as hung. An open stream keeps the render engine awake. From Gen8 on, the context
 * switches of a heartbeat write reports, so that the last report of the client's context is no
 * longer the newest one, which a stream withholds.
 */
#include <errno.h>

#include "driver/i915/batch.h"
#include "driver/i915/perf.h"

static uint64_t interval_ns(const struct i915_engine *engine)
{
    return UINT64_C(1000000) * engine->heartbeat_ms;
}

/* Lets the next heartbeat be one interval from now. */
static void put_off(struct i915_stream *stream)
{
    stream->beat_ns = now_ns(stream->device) + interval_ns(render_engine(stream->device));
}

int i915_engine_set_heartbeat(struct i915_device *device, const char *name, uint32_t ms)
{
    if (!ms && !device->platform->preempts)
        return -ENODEV;
    struct i915_engine *engine = i915_engine_named(device, name);
    if (engine)
        engine->heartbeat_ms = ms;
    if (engine && !ms)
        i915_engine_end_closed(engine);
    if (device->perf.stream)
        put_off(device->perf.stream);
    return 0;
}

/* ---- hangs ----------------------------------------------------------------------------------- */

void i915_device_detect_hangs(struct i915_device *device, bool detects)
{
    device->detects_no_hangs = !detects;
}

uint64_t i915_engine_limit_ns(const struct i915_engine *engine)
{
    const struct i915_device *device = engine->device;
    if (device->finishes ||
        (engine->heartbeat_ms == I915_HEARTBEAT_MS && !device->detects_no_hangs))
        return device->settings.hang_ns;
    return !engine->heartbeat_ms || device->detects_no_hangs ? UINT64_MAX : interval_ns(engine);
}

uint64_t i915_engine_hangs_at(const struct i915_engine *engine)
{
    uint64_t ns = i915_engine_limit_ns(engine);
    if (ns == UINT64_MAX || (!i915_engine_active(engine) && !engine->pulse_ns))
        return UINT64_MAX;
    return engine->pulse_ns ? engine->pulse_ns + (ns - ns / 2) : engine->since_ns + ns;
}

/* ---- heartbeats during a stream -------------------------------------------------------------- */

/* Whether the engine needs a heartbeat. While it has requests, the heartbeat is put off. */
static bool is_due(const struct i915_stream *stream)
{
    const struct i915_engine *engine = render_engine(stream->device);
    return stream->enabled && has_execlists(stream->device) && engine->heartbeat_ms &&
           !engine->first && engine->client_request > stream->beaten;
}

void i915_heartbeat_start(struct i915_stream *stream)
{
    put_off(stream);
    stream->beaten = render_engine(stream->device)->client_request;
}

void i915_heartbeat_tick(struct i915_stream *stream)
{
    struct batch batch = {.wide = true};
    const struct i915_engine *engine = render_engine(stream->device);
    uint64_t now = now_ns(stream->device), fence;
    if (now < stream->beat_ns || engine->first || !engine->heartbeat_ms)
        return;
    if (is_due(stream) && batch_submit(&batch, stream->device->kernel_context, &fence) == 0)
        stream->beaten = engine->client_request;
    stream->beat_ns = now + interval_ns(engine) - (now - stream->beat_ns) % interval_ns(engine);
}

uint64_t i915_heartbeat_next_ns(const struct i915_stream *stream)
{
    return is_due(stream) ? stream->beat_ns : UINT64_MAX;
}
