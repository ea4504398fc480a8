/* SPDX-License-Identifier: MIT */
#include "capture/books.h"

#include <errno.h>

#include <tally/report.h>

#include "base/error.h"
#include "recording/format.h"

struct books books_start(const struct gpu *gpu, unsigned exponent,
                         struct tally_capture_stats *stats)
{
    const struct tally_platform *platform = gpu->device.platform;
    return (struct books){.platform = platform,
                          .layout = tally_layout_for_kernel(platform, gpu->info.oa_format),
                          .period = UINT64_C(2) << exponent,
                          .stats = stats};
}

static void count_report(struct books *books, const uint8_t *report)
{
    uint32_t id = load_le32(report), ticks = load_le32(report + books->layout->header_bits / 8);
    books->stats->reports++;
    books->stats->not_landed += !id && !ticks; /* it came too late (PERF-2.6) */
    if (!(tally_report_reason(books->platform, id) & TALLY_REASON_TIMER))
        return;
    if (books->begun) {
        uint64_t periods = ((uint32_t)(ticks - books->latest) + books->period / 2) / books->period;
        books->stats->missing += periods > 1 ? periods - 1 : 0;
    }
    books->begun = true;
    books->latest = ticks;
}

static int check(const struct books *books, const uint8_t *records, size_t left,
                 struct record_header *header, struct tally_error *error)
{
    *header = (struct record_header){0, 0};
    if (left >= TALLY_RECORD_HEADER_BYTES)
        *header = record_header_load(records);
    if (!header->type || header->size < TALLY_RECORD_HEADER_BYTES || header->size > left ||
        header->size % 8)
        return fail(error, -EBADMSG,
                    "the kernel's stream has a record of type %u with a size of %u bytes, of "
                    "which %zu are there",
                    header->type, header->size, left);
    if (header->type == TALLY_RECORD_SAMPLE &&
        header->size != TALLY_RECORD_HEADER_BYTES + (uint32_t)books->layout->size_bytes)
        return fail(error, -EBADMSG, "the kernel's stream has a report of %u bytes, expected %u",
                    header->size - TALLY_RECORD_HEADER_BYTES, books->layout->size_bytes);
    return 0;
}

int books_count(struct books *books, const uint8_t *records, size_t size, struct tally_error *error)
{
    struct record_header header;
    for (size_t at = 0; at < size; at += header.size) {
        int result = check(books, records + at, size - at, &header, error);
        if (result < 0)
            return result;
        switch (header.type) {
        case TALLY_RECORD_SAMPLE:
            count_report(books, records + at + TALLY_RECORD_HEADER_BYTES);
            break;
        case TALLY_RECORD_REPORT_LOST:
            books->stats->report_lost++;
            break;
        case TALLY_RECORD_BUFFER_LOST:
            books->stats->buffer_lost++;
            break;
        default: /* of a later kernel: kept, and skipped by readers */
            break;
        }
    }
    return 0;
}
