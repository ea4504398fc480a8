/* SPDX-License-Identifier: MIT */
/* Reading a stream: records, and losses. */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/mmio/device.h"

#define LINE_BYTES 64u

/* The caller's buffer for records. */
struct sink {
    uint8_t *to;
    size_t size, used;
};

/* Adds a record's header and returns the place of its payload; NULL: it does not fit. */
static uint8_t *append(struct sink *sink, enum mmio_record type, uint32_t payload_bytes)
{
    uint32_t bytes = MMIO_HEADER_BYTES + payload_bytes;
    if (sink->size - sink->used < bytes)
        return NULL;
    uint8_t *record = sink->to + sink->used;
    store_le32(record, type);
    store_le16(record + 4, 0);
    store_le16(record + 6, (uint16_t)bytes);
    sink->used += bytes;
    return record + MMIO_HEADER_BYTES;
}

/* Copies a report, which may continue at the start of the buffer. */
static void copy_report(const struct mmio_stream *stream, uint8_t *to)
{
    uint32_t bytes = stream->options.layout->size_bytes, from = mmio_offset(stream, stream->head);
    uint32_t first = min_u32(bytes, stream->size - from);
    memcpy(to, stream->bytes + from, first);
    memcpy(to + first, stream->bytes, bytes - first);
}

/* Clears the first words of each line: the next report at this place may begin at any of them. */
static void forget_report(struct mmio_stream *stream)
{
    for (uint32_t at = 0; at < stream->options.layout->size_bytes; at += LINE_BYTES) {
        uint8_t *line = stream->bytes + mmio_offset(stream, stream->head + at);
        store_le32(line, 0);
        store_le32(line + 4, 0);
    }
}

static int append_reports(struct mmio_stream *stream, struct sink *sink)
{
    uint32_t bytes = stream->options.layout->size_bytes;
    uint64_t before = stream->head;
    int result = 0;
    while (stream->head < stream->ready) {
        uint8_t *to = append(sink, MMIO_SAMPLE, bytes);
        if (!to) {
            result = -ENOSPC;
            break;
        }
        copy_report(stream, to);
        forget_report(stream);
        stream->head += bytes;
    }
    if (stream->head != before)
        mmio_unit_set_head(stream);
    return result;
}

/* The buffer's contents are lost, and the unit starts again (OA-15.3). */
static int append_overflow(struct mmio_stream *stream, struct sink *sink)
{
    if (!append(sink, MMIO_BUFFER_LOST, 0))
        return -ENOSPC;
    mmio_stream_restart(stream);
    return 0;
}

static bool has_overflowed(const struct mmio_stream *stream, uint32_t status)
{
    return stream->overflowed || REG_GET(GEN8_OASTATUS, BUFFER_OVERFLOW, status);
}

/* VLV's Report Lost is not functional, and must not be looked at (document 000). */
static bool has_lost_reports(const struct mmio_stream *stream, uint32_t status)
{
    return stream->device->platform->oa->has_report_lost && !stream->report_lost_seen &&
           REG_GET(GEN8_OASTATUS, REPORT_LOST, status);
}

/* If the buffer overflows while reports are copied, they may be mixed with newer ones, and are
 * dropped. */
static int read_records(struct mmio_stream *stream, struct sink *sink)
{
    uint32_t status = mmio_unit_status(stream);
    if (has_overflowed(stream, status))
        return append_overflow(stream, sink);
    if (has_lost_reports(stream, status)) {
        if (!append(sink, MMIO_REPORT_LOST, 0))
            return -ENOSPC;
        mmio_unit_clear_lost(stream, status);
    }
    int result = append_reports(stream, sink);
    if (!has_overflowed(stream, mmio_unit_status(stream)))
        return result;
    sink->used = 0;
    return append_overflow(stream, sink);
}

int64_t mmio_stream_read(struct mmio_stream *stream, void *to, size_t size)
{
    struct sink sink = {to, size, 0};
    int result = read_records(stream, &sink);
    if (result != -ENOSPC)
        stream->pollin = false;
    if (sink.used)
        return (int64_t)sink.used;
    return result < 0 ? result : -EAGAIN;
}
