/* SPDX-License-Identifier: MIT */
#include "capture/books.h"

#include <errno.h>

#include <tally/report.h>

#include "base/bits.h"
#include "base/error.h"

struct books books_start(const struct gpu *gpu, unsigned exponent, struct recorder_totals *totals)
{
    const struct tally_platform *platform = gpu->device.platform;
    return (struct books){.platform = platform,
                          .layout = tally_layout_for_kernel(platform, gpu->info.oa_format),
                          .exponent = exponent,
                          .totals = totals};
}

/* Strobes up to a time, itself included. */
static uint64_t strobes(uint64_t ticks, unsigned exponent)
{
    uint64_t half = UINT64_C(1) << exponent;
    return (ticks + half) / (2 * half);
}

static void count_report(struct books *books, const uint8_t *report)
{
    uint32_t ticks = load_le32(report + books->layout->header_bits / 8);
    books->totals->reports++;
    if (books->begun) {
        uint64_t end = (uint64_t)books->latest + (uint32_t)(ticks - books->latest);
        uint64_t due = strobes(end, books->exponent) - strobes(books->latest, books->exponent);
        unsigned reason = tally_report_reason(books->platform, load_le32(report));
        uint64_t own = due && reason & TALLY_REASON_TIMER;
        books->totals->missing += due - own;
    }
    books->begun = true;
    books->latest = ticks;
}

int books_count(struct books *books, const uint8_t *records, size_t size, struct tally_error *error)
{
    for (size_t at = 0, record; at < size; at += record) {
        uint32_t type = size - at < TALLY_RECORD_HEADER_BYTES ? 0 : load_le32(records + at);
        record = type ? load_le16(records + at + 6) : 0;
        if (record < TALLY_RECORD_HEADER_BYTES || record > size - at || record % 8)
            return fail(error, -EBADMSG,
                        "the kernel's stream has a record of type %u with a size of %zu bytes, "
                        "of which %zu are there",
                        type, record, size - at);
        switch (type) {
        case TALLY_RECORD_SAMPLE:
            if (record != TALLY_RECORD_HEADER_BYTES + (size_t)books->layout->size_bytes)
                return fail(error, -EBADMSG,
                            "the kernel's stream has a report of %zu bytes, expected %u",
                            record - TALLY_RECORD_HEADER_BYTES, books->layout->size_bytes);
            count_report(books, records + at + TALLY_RECORD_HEADER_BYTES);
            break;
        case TALLY_RECORD_REPORT_LOST:
            books->totals->report_lost++;
            break;
        case TALLY_RECORD_BUFFER_LOST:
            books->totals->buffer_lost++;
            break;
        default: /* of a later kernel: kept, and skipped by readers */
            break;
        }
    }
    return 0;
}
