/* SPDX-License-Identifier: MIT */
#include "capture/stats.h"

#include <errno.h>

#include <tally/packets.h>

#include "base/bits.h"
#include "base/error.h"
#include "recording/device.h"
#include "recording/format.h"
#include "recording/slots.h"

struct stream_stats stream_stats_start(const struct gpu *gpu, struct tally_capture_stats *stats)
{
    return (struct stream_stats){layout_of_device(&gpu->device, gpu->info.oa_format), stats};
}

static void count_report(struct stream_stats *counted, const uint8_t *report)
{
    uint32_t id = load_le32(report), ticks = load_le32(report + counted->layout->header_bits / 8);
    counted->stats->reports++;
    counted->stats->not_landed += !id && !ticks; /* read before it was in memory (PERF-2.6) */
}

/* Counts the packets whose reports the reader takes for losses: those that a counter saturates in,
 * and slots without a packet (walk_packets.c). */
static void count_packets(struct tally_capture_stats *stats, const uint8_t *record)
{
    const uint8_t *payload = record + TALLY_RECORD_HEADER_BYTES;
    bool long_format = load_le32(payload + PACKETS_FORMAT) != TALLY_PACKET_SHORT;
    uint64_t before = load_le64(payload + PACKETS_BEFORE) & low_bits(PACKET_CYCLES_WIDTH);
    uint64_t count = record_reports(record);
    stats->reports += count;
    for (uint64_t i = 0; i < count; i++) {
        struct slot slot;
        slot_examine(payload + PACKETS_BYTES + i * packet_size(long_format), long_format, &before,
                     &slot);
        if (slot.kind == SLOT_UNWRITTEN)
            stats->not_landed++;
        else if (slot.kind != SLOT_PACKET || slot.restart || packet_is_saturated(&slot.packet))
            stats->counts_lost++;
        if (slot.kind == SLOT_PACKET && !slot.restart)
            before = slot.packet.cycles;
    }
}

static int check(const struct stream_stats *counted, const uint8_t *records, size_t left,
                 struct record_header *header, struct tally_error *error)
{
    *header = (struct record_header){0, 0};
    if (left >= TALLY_RECORD_HEADER_BYTES)
        *header = record_header_load(records);
    if (!header->type || header->size < TALLY_RECORD_HEADER_BYTES || header->size > left ||
        header->size % 8)
        return fail(error, -EBADMSG,
                    "the stream has a record of type %u and size %u, with %zu bytes left",
                    header->type, header->size, left);
    if (header->type == TALLY_RECORD_SAMPLE &&
        header->size != TALLY_RECORD_HEADER_BYTES + (uint32_t)counted->layout->size_bytes)
        return fail(error, -EBADMSG, "the stream has a report of %u bytes, expected %u",
                    header->size - TALLY_RECORD_HEADER_BYTES, counted->layout->size_bytes);
    if (header->type == TALLY_RECORD_PACKETS && header->size < RECORD_REPORTS_BYTES)
        return fail(error, -EBADMSG,
                    "the stream has a record of packets of %u bytes, expected %zu or more",
                    header->size, (size_t)RECORD_REPORTS_BYTES);
    return 0;
}

static void count_loss(struct tally_capture_stats *stats, const uint8_t *payload)
{
    uint32_t kind = load_le32(payload + LEDGER_KIND);
    uint64_t records = load_le64(payload + LEDGER_RECORDS);
    if (kind == TALLY_LOSS_RESTART)
        stats->restarts += records;
    else if (kind == TALLY_LOSS_PACKETS)
        stats->overruns += records;
    else
        stats->counts_lost += records;
}

int stream_stats_count(struct stream_stats *counted, const uint8_t *records, size_t size,
                       struct tally_error *error)
{
    struct record_header header;
    for (size_t at = 0; at < size; at += header.size) {
        int result = check(counted, records + at, size - at, &header, error);
        if (result < 0)
            return result;
        switch (header.type) {
        case TALLY_RECORD_SAMPLE:
            count_report(counted, records + at + TALLY_RECORD_HEADER_BYTES);
            break;
        case TALLY_RECORD_PACKETS:
            count_packets(counted->stats, records + at);
            break;
        case TALLY_RECORD_REPORT_LOST:
            counted->stats->report_lost++;
            break;
        case TALLY_RECORD_BUFFER_LOST:
            counted->stats->buffer_lost++;
            break;
        case TALLY_RECORD_LEDGER:
            if (header.size == TALLY_RECORD_HEADER_BYTES + LEDGER_BYTES)
                count_loss(counted->stats, records + at + TALLY_RECORD_HEADER_BYTES);
            break;
        default: /* a type added by a later kernel: recorded; readers skip it */
            break;
        }
    }
    return 0;
}
