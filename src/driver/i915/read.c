/* SPDX-License-Identifier: MIT */
/* read() of a stream (PERF-2.5, PERF-2.6, PERF-2.10, PERF-2.11). */
#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/perf.h"

#define RING_MASK    (OA_BUFFER_BYTES - 1)
#define MAX_SLEEP_NS 1000000000u /* longest sleep of a blocking read */

/* The client's buffer for records. */
struct sink {
    const struct i915_caller *caller;
    uint64_t to, size, used;
};

/* ---- records --------------------------------------------------------------------------------- */

static int append(struct sink *sink, enum drm_i915_perf_record_type type, const void *payload,
                  size_t bytes)
{
    struct drm_i915_perf_record_header header = {type, 0, (uint16_t)(sizeof header + bytes)};
    if (sink->size - sink->used < header.size)
        return -ENOSPC;
    uint64_t to = sink->to + sink->used;
    int result = copy_out(sink->caller, to, &header, sizeof header);
    if (result == 0 && bytes)
        result = copy_out(sink->caller, to + sizeof header, payload, bytes);
    if (result == 0)
        sink->used += header.size;
    return result;
}

static void forget(uint8_t *report)
{
    store_le32(report, 0);
    store_le32(report + 4, 0);
}

/* Gen7.5: reports have no context id. A report without a report id is skipped. */
static int gen7_forward(struct i915_stream *stream, struct sink *sink, uint8_t *report)
{
    if (!load_le32(report))
        return 0;
    int result = append(sink, DRM_I915_PERF_RECORD_SAMPLE, report, stream->layout->size_bytes);
    if (result == 0)
        forget(report);
    return result;
}

/*
 * Gen8 and later. A filtering stream gets its context's reports, the first report after them, and
 * context-switch reports, with the ids of other contexts removed.
 */
static int gen8_forward(struct i915_stream *stream, struct sink *sink, uint8_t *report)
{
    uint32_t id = load_le32(report), context = load_le32(report + 8);
    uint32_t reason = REG_GET(GEN8_RPT_ID, REASON, id); /* the same field on later generations */
    context &= stream->context ? stream->own_mask : UINT32_MAX;
    if (!(id & stream->device->platform->context_valid)) {
        context = INVALID_CONTEXT;
        store_le32(report + 8, INVALID_CONTEXT);
    }
    bool own = context == stream->own_id;
    if (!stream->context || own || stream->latest_id == stream->own_id ||
        (reason & TALLY_REASON_CONTEXT_SWITCH)) {
        if (stream->context && !own)
            store_le32(report + 8, INVALID_CONTEXT);
        int result = append(sink, DRM_I915_PERF_RECORD_SAMPLE, report, stream->layout->size_bytes);
        if (result < 0)
            return result;
        stream->latest_id = context;
    }
    forget(report);
    return 0;
}

/* The head does not advance while nothing is forwarded (PERF-Q10). */
static int append_reports(struct i915_stream *stream, struct sink *sink)
{
    uint32_t head = stream->head, size = stream->layout->size_bytes;
    uint64_t before = sink->used;
    int result = 0;
    for (; result == 0 && ((stream->tail - head) & RING_MASK); head = (head + size) & RING_MASK) {
        uint8_t *report = stream->buffer->bytes + head;
        i915_object_written(stream->buffer, head + size);
        result = has_execlists(stream->device) ? gen8_forward(stream, sink, report)
                                               : gen7_forward(stream, sink, report);
        if (result < 0)
            break;
    }
    if (sink->used != before) {
        i915_oa_ops(stream->device)->set_head(stream, stream->base + head);
        stream->head = head;
    }
    return result;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Loss records come first. A record that does not fit is left for the next read. */
static int read_records(struct i915_stream *stream, struct sink *sink)
{
    const struct oa_ops *ops = i915_oa_ops(stream->device);
    uint32_t status = ops->status(stream);
    int result;
    if (status & STATUS_BUFFER_LOST) {
        result = append(sink, DRM_I915_PERF_RECORD_OA_BUFFER_LOST, NULL, 0);
        if (result < 0)
            return result;
        ops->disable(stream);
        ops->enable(stream);
        status = ops->status(stream);
    }
    if (status & STATUS_REPORT_LOST) {
        result = append(sink, DRM_I915_PERF_RECORD_OA_REPORT_LOST, NULL, 0);
        if (result < 0)
            return result;
        ops->report_lost(stream, status);
    }
    return append_reports(stream, sink);
}

int64_t i915_stream_read(struct i915_stream *stream, const struct i915_caller *caller, uint64_t to,
                         uint64_t bytes, bool blocking)
{
    struct sink sink = {caller, to, bytes, 0};
    if (!stream->enabled || !stream->sample_oa)
        return -EIO;
    if (blocking && !stream->periodic)
        return -EIO; /* it might wait forever */
    if (blocking && !i915_stream_check(stream))
        return -EAGAIN;
    int result = read_records(stream, &sink);
    if (blocking && result == 0 && !sink.used)
        return -EAGAIN; /* nothing for this client: keep waiting */
    if (result != -ENOSPC)
        stream->pollin = false;
    if (sink.used)
        return (int64_t)sink.used;
    return result < 0 ? result : -EAGAIN;
}

int64_t i915_stream_wait(struct i915_stream *stream, const struct i915_caller *caller, uint64_t to,
                         uint64_t bytes)
{
    struct i915_device *device = stream->device;
    for (;;) {
        int64_t result = i915_stream_read(stream, caller, to, bytes, true);
        if (result != -EAGAIN)
            return result;
        uint64_t now = now_ns(device), next = i915_device_next_ns(device);
        uint64_t ns = next > now ? next - now : 1;
        int slept = sleep_lightly(device, min_u64(ns, MAX_SLEEP_NS));
        if (slept < 0)
            return slept;
        i915_device_tick(device);
    }
}
