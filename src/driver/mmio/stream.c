/* SPDX-License-Identifier: MIT */
/* A stream: opening, closing, and which reports in the buffer are complete (docs/mmio-driver.md).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "driver/mmio/device.h"

/* The NOA network and the counters need time to settle: half a millisecond, as in the public i915
 * driver. */
#define SETTLE_NS 500000u

/* The tail is ahead of memory. The newest report is complete when it is this old (the margin of the
 * public i915 driver); one whose header has not arrived by the second limit never will. */
#define AGE_NS     UINT64_C(100000)
#define OVERDUE_NS UINT64_C(20000000)

#define MIN_POLL_NS UINT64_C(100000)
#define MAX_POLL_NS UINT64_C(5000000)

/* ---- the tail -------------------------------------------------------------------------------- */

static void pass(struct mmio_mark *mark, uint64_t position, uint64_t now, uint64_t age_ns)
{
    if (now - mark->since_ns < age_ns)
        return;
    *mark = (struct mmio_mark){.recent = position, .old = mark->recent, .since_ns = now};
}

/* Whether the first line of the report at a position is in memory. Of reports that were read, the
 * first words of each line are cleared. */
static bool has_landed(const struct mmio_stream *stream, uint64_t position)
{
    const uint8_t *report = stream->bytes + mmio_offset(stream, position);
    return load_le32(report) || load_le32(report + 4);
}

/* Lines are written in order. So a report is complete if the one after it has begun to arrive, or
 * if the tail passed it long enough ago (OA-15.1). With half a buffer of reports behind a late one
 * there is no time to wait for it (OA-15.2). */
static bool is_complete(const struct mmio_stream *stream, uint64_t end)
{
    uint64_t next = stream->ready + stream->options.layout->size_bytes;
    bool crowded = end - stream->ready > stream->size / 2;
    if (!has_landed(stream, stream->ready))
        return next <= stream->overdue.old || crowded;
    return next <= stream->settled.old || (next < end && has_landed(stream, next));
}

/* Returns false if the tail is not in the buffer. */
static bool update_tail(struct mmio_stream *stream)
{
    uint32_t offset = mmio_unit_tail(stream) - BUFFER_ADDRESS;
    if (offset >= stream->size)
        return false;
    stream->tail += (offset + stream->size - mmio_offset(stream, stream->tail)) % stream->size;
    return true;
}

static void find_complete(struct mmio_stream *stream)
{
    uint32_t bytes = stream->options.layout->size_bytes;
    uint64_t now = mmio_now_ns(stream->device);
    uint64_t end = stream->head + (stream->tail - stream->head) / bytes * bytes;
    pass(&stream->settled, end, now, AGE_NS);
    pass(&stream->overdue, end, now, OVERDUE_NS);
    while (stream->ready < end && is_complete(stream, end))
        stream->ready += bytes;
}

static void check(struct mmio_stream *stream)
{
    if (!mmio_is_awake(stream->device))
        return; /* its registers read as 0 (OA-15.7) */
    stream->unpowered |= !mmio_unit_is_enabled(stream);
    if (stream->unpowered || !update_tail(stream))
        stream->overflowed = true;
    else
        find_complete(stream);
    stream->overflowed |= REG_GET(GEN8_OASTATUS, BUFFER_OVERFLOW, mmio_unit_status(stream));
    stream->pollin |= stream->overflowed || stream->ready != stream->head;
}

void mmio_device_tick(struct mmio_device *device)
{
    struct mmio_stream *stream = device->stream;
    uint64_t now = mmio_now_ns(device);
    if (!stream || now < stream->next_check_ns)
        return;
    stream->next_check_ns +=
        (now - stream->next_check_ns) / stream->poll_period_ns * stream->poll_period_ns +
        stream->poll_period_ns;
    check(stream);
}

bool mmio_stream_poll(const struct mmio_stream *stream)
{
    return stream->pollin;
}

/* ---- starting -------------------------------------------------------------------------------- */

static void start(struct mmio_stream *stream)
{
    uint64_t now = mmio_now_ns(stream->device);
    memset(stream->bytes, 0, stream->size);
    mmio_sleep_ns(stream->device, 0);
    stream->head = stream->ready = stream->tail = 0;
    stream->settled = stream->overdue = (struct mmio_mark){.since_ns = now};
    stream->pollin = stream->overflowed = stream->unpowered = stream->report_lost_seen = false;
    mmio_unit_start(stream);
}

/* Programs everything, from force wake to the unit. */
static void program(struct mmio_stream *stream)
{
    mmio_settings_apply(stream);
    mmio_unit_stop(stream);
    for (size_t i = 0; i < stream->options.register_count; i++)
        mmio_write32(stream->device, stream->registers[i].address, stream->registers[i].value);
    mmio_sleep_ns(stream->device, SETTLE_NS);
    start(stream);
}

void mmio_stream_restart(struct mmio_stream *stream)
{
    if (stream->unpowered) {
        program(stream);
        return;
    }
    mmio_unit_stop(stream);
    start(stream);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int check_options(const struct mmio_device *device,
                         const struct mmio_stream_options *options, struct tally_error *error)
{
    const struct mmio_unit *unit = mmio_unit_of(device->platform);
    const char *name = device->platform->info.name;
    if (device->stream)
        return fail(error, -EBUSY, "%s: another stream is using its counters", name);
    if (strcmp(options->layout->family, device->platform->info.layout_family) != 0)
        return fail(error, -EINVAL, "%s: layout %s/%s, expected one of %s", name,
                    options->layout->family, options->layout->name,
                    device->platform->info.layout_family);
    if (options->exponent != MMIO_NO_TIMER && options->exponent > MMIO_MAX_EXPONENT)
        return fail(error, -EINVAL, "%s: exponent %u, expected 0 to %u", name,
                    (unsigned)options->exponent, MMIO_MAX_EXPONENT);
    if (options->buffer_bytes && mmio_size_code(unit, options->buffer_bytes) < 0)
        return fail(error, -EINVAL, "%s: a report buffer of %u bytes, expected %s", name,
                    (unsigned)options->buffer_bytes,
                    unit->doubles ? "128 KiB to 16 MiB, a power of two"
                                  : "a multiple of 16 KiB up to 128 KiB");
    if (options->one_context && !unit->filters)
        return fail(error, -EOPNOTSUPP, "%s: its OA unit does not count in one context only", name);
    return 0;
}

/* Returns the period of the checks: at least eight before the buffer is full. */
static uint64_t poll_period(const struct mmio_stream *stream)
{
    const struct intel_platform *platform = stream->device->platform;
    uint32_t exponent = min_u32(stream->options.exponent, MMIO_MAX_EXPONENT);
    uint64_t ticks = intel_timer_ticks(platform, exponent);
    uint64_t period_ns = scale_u64(ticks, NS_PER_SECOND, platform->info.timestamp_hz);
    uint64_t full_ns = period_ns * (stream->size / stream->options.layout->size_bytes);
    return max_u64(min_u64(full_ns / 8, MAX_POLL_NS), MIN_POLL_NS);
}

static void free_stream(struct mmio_stream *stream)
{
    free(stream->registers);
    free(stream->bytes);
    free(stream);
}

static struct mmio_stream *new_stream(struct mmio_device *device,
                                      const struct mmio_stream_options *options)
{
    struct mmio_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->device = device;
    stream->unit = mmio_unit_of(device->platform);
    stream->options = *options;
    stream->size =
        options->buffer_bytes ? options->buffer_bytes : mmio_largest_buffer(stream->unit);
    stream->bytes = calloc(1, stream->size);
    stream->registers = calloc(options->register_count + 1, sizeof *stream->registers);
    if (!stream->bytes || !stream->registers) {
        free_stream(stream);
        return NULL;
    }
    for (size_t i = 0; i < options->register_count; i++)
        stream->registers[i] = options->registers[i];
    stream->poll_period_ns = poll_period(stream);
    return stream;
}

int mmio_stream_open(struct mmio_device *device, const struct mmio_stream_options *options,
                     struct mmio_stream **out, struct tally_error *error)
{
    int result = check_options(device, options, error);
    if (result < 0)
        return result;
    struct mmio_stream *stream = new_stream(device, options);
    if (!stream)
        return fail_memory(error, "a stream");
    result = mmio_wake_get(device, error);
    if (result < 0) {
        free_stream(stream);
        return result;
    }
    device->stream = stream;
    mmio_settings_save(stream);
    program(stream);
    stream->next_check_ns = mmio_now_ns(device) + stream->poll_period_ns;
    *out = stream;
    return 0;
}

void mmio_stream_close(struct mmio_stream *stream)
{
    struct mmio_device *device = stream->device;
    mmio_unit_stop(stream);
    mmio_settings_restore(stream);
    device->stream = NULL;
    mmio_wake_put(device);
    free_stream(stream);
}
