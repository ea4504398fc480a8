/* SPDX-License-Identifier: MIT */
#include "capture/books.h"

#include <errno.h>
#include <string.h>

#include <tally/report.h>

#include "base/error.h"
#include "recording/format.h"

#define LEDGER_RECORD (TALLY_RECORD_HEADER_BYTES + LEDGER_BYTES)

struct books books_start(const struct gpu *gpu, unsigned exponent, struct recorder_totals *totals)
{
    const struct tally_platform *platform = gpu->device.platform;
    return (struct books){.platform = platform,
                          .layout = tally_layout_for_kernel(platform, gpu->info.oa_format),
                          .period = UINT64_C(2) << exponent,
                          .totals = totals};
}

/* Reports of the timer that are missing between the one before and this one. */
static uint64_t count_report(struct books *books, const uint8_t *report)
{
    uint32_t ticks = load_le32(report + books->layout->header_bits / 8);
    uint64_t missing = 0;
    books->totals->reports++;
    if (!(tally_report_reason(books->platform, load_le32(report)) & TALLY_REASON_TIMER))
        return 0;
    if (books->begun) {
        uint64_t periods = ((uint32_t)(ticks - books->latest) + books->period / 2) / books->period;
        missing = periods > 1 ? periods - 1 : 0;
    }
    books->begun = true;
    books->latest = ticks;
    books->totals->missing += missing;
    return missing;
}

/* Puts a LEDGER record in front of the one at `at`, if there is room. Returns its size. */
static size_t tell(struct books *books, uint8_t *records, size_t at, size_t *size, size_t room)
{
    uint8_t *ledger = records + at;
    if (room - *size < LEDGER_RECORD)
        return 0;
    memmove(ledger + LEDGER_RECORD, ledger, *size - at);
    memset(ledger, 0, LEDGER_RECORD);
    record_header_store(ledger, TALLY_RECORD_LEDGER, LEDGER_RECORD);
    store_le32(ledger + TALLY_RECORD_HEADER_BYTES + LEDGER_KIND, TALLY_LOSS_REPORT);
    store_le64(ledger + TALLY_RECORD_HEADER_BYTES + LEDGER_RECORDS, books->untold_times);
    store_le64(ledger + TALLY_RECORD_HEADER_BYTES + LEDGER_ESTIMATED, books->untold);
    books->untold_times = books->untold = 0;
    *size += LEDGER_RECORD;
    return LEDGER_RECORD;
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

int books_count(struct books *books, uint8_t *records, size_t *size, size_t room,
                struct tally_error *error)
{
    struct record_header header;
    for (size_t at = 0; at < *size; at += header.size) {
        int result = check(books, records + at, *size - at, &header, error);
        if (result < 0)
            return result;
        switch (header.type) {
        case TALLY_RECORD_SAMPLE: {
            bool told = books->told;
            uint32_t before = books->latest;
            uint64_t missing = count_report(books, records + at + TALLY_RECORD_HEADER_BYTES);
            books->told = told && books->latest == before;
            if (missing && !told) {
                books->untold_times++;
                books->untold += missing;
            }
            if (books->untold_times)
                at += tell(books, records, at, size, room);
            break;
        }
        case TALLY_RECORD_REPORT_LOST:
            books->totals->report_lost++;
            books->told = true;
            break;
        case TALLY_RECORD_BUFFER_LOST:
            books->totals->buffer_lost++;
            books->told = true;
            break;
        default: /* of a later kernel: kept, and skipped by readers */
            break;
        }
    }
    return 0;
}
