/* SPDX-License-Identifier: MIT */
#include "capture/filter.h"

#include <string.h>

#include "recording/format.h"

bool filter_supported(const struct tally_platform *platform)
{
    return platform->report_id != TALLY_REPORT_ID_GEN6;
}

struct filter filter_start(const struct tally_platform *platform, const struct tally_layout *layout,
                           uint32_t context)
{
    return (struct filter){platform, layout, context, TALLY_CONTEXT_IDLE, 0};
}

/* The context id is the third value of the header, whose values have 32 or 64 bits. */
static uint8_t *context_of(const struct filter *filter, uint8_t *report)
{
    return report + 2 * (filter->layout->header_bits / 8);
}

static bool passes(struct filter *filter, uint8_t *report)
{
    uint32_t id = load_le32(report);
    uint32_t context =
        tally_report_context(filter->platform, id, load_le32(context_of(filter, report)));
    bool own = context == filter->context;
    if (!own && filter->latest != filter->context &&
        !(tally_report_reason(filter->platform, id) & TALLY_REASON_CONTEXT_SWITCH))
        return false;
    if (!own)
        store_le32(context_of(filter, report), TALLY_CONTEXT_IDLE);
    filter->latest = context;
    return true;
}

size_t filter_records(struct filter *filter, uint8_t *records, size_t size)
{
    size_t kept = 0;
    struct record_header header;
    for (size_t at = 0; at < size; at += header.size) {
        header = record_header_load(records + at);
        bool sample =
            header.type == TALLY_RECORD_SAMPLE &&
            header.size == TALLY_RECORD_HEADER_BYTES + (uint32_t)filter->layout->size_bytes;
        if (sample && !passes(filter, records + at + TALLY_RECORD_HEADER_BYTES)) {
            filter->skipped++;
            continue;
        }
        memmove(records + kept, records + at, header.size);
        kept += header.size;
    }
    return kept;
}
