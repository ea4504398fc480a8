/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a raw report buffer; the first byte selects the layout. Checks that every
 * complete report is returned, that packing restores its bytes, and that accumulation is the sum of
 * the deltas.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/metrics.h>
#include <tally/recording.h>

#include "platforms.h"

static void check_report(const struct tally_layout *layout, const uint8_t *report)
{
    uint64_t slots[TALLY_SLOT_COUNT], again[TALLY_SLOT_COUNT];
    uint8_t packed[1152];
    for (unsigned i = 0; i < TALLY_SLOT_COUNT; i++)
        slots[i] = again[i] = UINT64_C(0x5a5a5a5a5a5a5a5a);
    tally_report_unpack(layout, report, slots);
    memset(packed, 0xa5, sizeof packed);
    tally_report_pack(layout, slots, packed);
    CHECK(!memcmp(packed, report, layout->size_bytes));
    CHECK(packed[layout->size_bytes] == 0xa5);
    tally_report_unpack(layout, packed, again);
    for (unsigned i = 0; i < TALLY_SLOT_COUNT; i++) {
        unsigned width = tally_layout_width(layout, i);
        CHECK(slots[i] == again[i]);
        CHECK(width || slots[i] == UINT64_C(0x5a5a5a5a5a5a5a5a));
        CHECK(!width || width == 64 || slots[i] >> width == 0);
    }
}

static bool is_counter(unsigned slot)
{
    return slot == TALLY_SLOT_TIMESTAMP || slot == TALLY_SLOT_TICKS ||
           (slot >= TALLY_SLOT_A && slot < TALLY_SLOT_RESERVED);
}

static void check_sums(const struct tally_layout *layout, const struct tally_batch *batch)
{
    uint64_t sums[TALLY_SLOT_COUNT] = {0}, expected[TALLY_SLOT_COUNT] = {0};
    uint64_t before[TALLY_SLOT_COUNT] = {0}, after[TALLY_SLOT_COUNT] = {0};
    tally_accumulate(layout, batch->reports, batch->count - 1, sums);
    tally_report_unpack(layout, batch->reports[0], before);
    for (size_t i = 1; i < batch->count; i++) {
        tally_report_unpack(layout, batch->reports[i], after);
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
            if (is_counter(slot) && tally_layout_width(layout, slot))
                expected[slot] += tally_counter_delta(before[slot], after[slot],
                                                      tally_layout_width(layout, slot));
        memcpy(before, after, sizeof before);
    }
    for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        CHECK(sums[slot] == expected[slot]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tally_batch *batch;
    if (!size)
        return 0;
    const struct tally_layout *layout = tally_layout_at(data[0] % tally_layout_count());
    struct tally_recording_options options = {
        .kind = TALLY_KIND_RAW,
        .layout = layout,
        .platform = family_platform(layout->family) ? NULL : newest_platform(),
        .keep_unsorted = data[0] >> 7,
    };
    struct tally_error error = {0};
    struct tally_recording *recording;
    const uint8_t *bytes = data + 1;
    size_t complete = (size - 1) / layout->size_bytes, rest = (size - 1) % layout->size_bytes;
    int result = tally_recording_open_memory(bytes, size - 1, "raw", &options, &recording, &error);
    CHECK(result == 0);
    if (!batch)
        batch = tally_batch_new();
    uint64_t reports = 0;
    while ((result = tally_recording_read(recording, batch, &error)) > 0) {
        for (size_t i = reports ? 1 : 0; i < batch->count; i++, reports++)
            check_report(layout, batch->reports[i]);
        if (batch->count > 1)
            check_sums(layout, batch);
    }
    struct tally_recording_totals totals = tally_recording_totals(recording);
    CHECK(totals.reports == reports);
    if (options.keep_unsorted) {
        CHECK(result == (rest ? -EBADMSG : 0));
        CHECK(reports + totals.losses == complete);
    } else {
        CHECK(result == 0 || result == -EBADMSG);
        CHECK(reports + totals.losses <= complete);
    }
    tally_recording_close(recording);
    return 0;
}
