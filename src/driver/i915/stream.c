/* SPDX-License-Identifier: MIT */
/* An open stream: enabling, checking for reports, ioctls, closing (PERF-2.7 to PERF-2.9). */
#include <stdlib.h>

#include "base/bits.h"
#include "driver/i915/perf.h"

#define RING_MASK (OA_BUFFER_BYTES - 1)

/* ---- the tail -------------------------------------------------------------------------------- */

static uint32_t distance(uint32_t to, uint32_t from)
{
    return (to - from) & RING_MASK;
}

static bool has_landed(const struct i915_stream *stream, uint32_t at)
{
    const uint8_t *report = stream->buffer->bytes + at;
    return load_le32(report) || load_le32(report + 4);
}

/* Kernels with perf revisions up to 6 (Linux 6.4) trust a tail that has stayed for this time
 * (PERF-2.7). */
#define AGED_NS        100000u
#define NEVER_TRUSTING 7

static bool is_aged(struct i915_stream *stream, uint32_t tail)
{
    uint64_t now = now_ns(stream->device);
    if (stream->device->settings.perf_revision >= NEVER_TRUSTING)
        return false;
    if (tail == stream->hardware_tail && now - stream->hardware_tail_ns > AGED_NS)
        return true;
    stream->hardware_tail = tail;
    stream->hardware_tail_ns = now;
    return false;
}

/*
 * The tail register is ahead of memory. Reports that were read have a zeroed id and timestamp, so
 * walking back from the tail stops at the newest report in memory. That report is withheld, since
 * it may still be incomplete (PERF-Q1).
 */
bool i915_stream_check(struct i915_stream *stream)
{
    uint32_t size = stream->layout->size_bytes;
    uint32_t tail = i915_oa_ops(stream->device)->tail(stream) - stream->base;
    tail = (tail - distance(tail, stream->tail) % size) & RING_MASK;
    bool aged = is_aged(stream, tail);
    while (!aged && distance(tail, stream->tail) >= size && !has_landed(stream, tail))
        tail = (tail - size) & RING_MASK;
    stream->tail = tail;
    return distance(tail, stream->head) >= size;
}

/* Adds a period to a time; saturates. */
static uint64_t later(uint64_t ns, uint64_t period_ns)
{
    return period_ns > UINT64_MAX - ns ? UINT64_MAX : ns + period_ns;
}

void i915_stream_tick(struct i915_stream *stream)
{
    uint64_t now = now_ns(stream->device);
    if (!stream->enabled || !stream->sample_oa || now < stream->next_check_ns)
        return;
    uint64_t late = (now - stream->next_check_ns) % stream->poll_period_ns;
    stream->next_check_ns = later(now - late, stream->poll_period_ns);
    if (i915_stream_check(stream))
        stream->pollin = true;
}

bool i915_stream_poll(const struct i915_stream *stream)
{
    return stream->pollin;
}

bool i915_stream_is_empty(const struct i915_stream *stream)
{
    return stream->enabled && stream->sample_oa && stream->periodic && !stream->pollin &&
           stream->head == stream->tail;
}

/* ---- enabling -------------------------------------------------------------------------------- */

void i915_stream_enable(struct i915_stream *stream)
{
    if (stream->enabled)
        return;
    stream->enabled = true;
    stream->pollin = false;
    i915_oa_ops(stream->device)->enable(stream);
    stream->hardware_tail = UINT32_MAX;
    stream->next_check_ns = later(now_ns(stream->device), stream->poll_period_ns);
    i915_heartbeat_start(stream);
    if (stream->hold_preemption)
        stream->context->not_preemptible = true;
}

static void i915_stream_disable(struct i915_stream *stream)
{
    if (!stream->enabled)
        return;
    stream->enabled = false;
    if (stream->hold_preemption)
        stream->context->not_preemptible = false;
    i915_oa_ops(stream->device)->disable(stream);
}

/* ---- ioctls ---------------------------------------------------------------------------------- */

/* Returns the id of the previous configuration. Context images are not updated (PERF-Q27). */
static int change_config(struct i915_stream *stream, uint64_t id)
{
    struct i915_config *config = i915_config_get(stream->device, id);
    struct i915_config *before = stream->config;
    if (!config)
        return -EINVAL;
    int previous = (int)before->id;
    if (config == before)
        return previous;
    int result = i915_oa_apply(stream, config, false);
    if (result < 0)
        return result;
    stream->config = i915_config_hold(config);
    i915_config_drop(before);
    return previous;
}

int i915_stream_ioctl(struct i915_stream *stream, uint32_t request, uint64_t argument)
{
    switch (request) {
    case I915_PERF_IOCTL_ENABLE:
        i915_stream_enable(stream);
        return 0;
    case I915_PERF_IOCTL_DISABLE:
        i915_stream_disable(stream);
        return 0;
    case I915_PERF_IOCTL_CONFIG:
        if (stream->device->settings.perf_revision >= 2)
            return change_config(stream, argument);
        return -EINVAL;
    default:
        return -EINVAL;
    }
}

/* ---- closing --------------------------------------------------------------------------------- */

void i915_stream_fini(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    if (stream->owns_unit)
        device->perf.stream = NULL;
    if (stream->programmed)
        i915_oa_ops(device)->disable_set(stream);
    if (stream->buffer)
        i915_space_remove(&device->ggtt, stream->buffer);
    i915_object_drop(stream->buffer);
    if (stream->awake)
        i915_wake_put(device);
    if (stream->context) {
        if (stream->own_id)
            stream->context->tag = 0;
        i915_context_drop(stream->context);
    }
    i915_config_drop(stream->config);
    free(stream);
}

uint64_t i915_stream_last(const struct i915_stream *stream)
{
    return has_execlists(stream->device) ? i915_engine_all(render_engine(stream->device)) : 0;
}

void i915_stream_close(struct i915_stream *stream)
{
    i915_stream_disable(stream);
    i915_stream_fini(stream);
}
