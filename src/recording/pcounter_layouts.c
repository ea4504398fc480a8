/* SPDX-License-Identifier: MIT */
#include "recording/pcounter_layouts.h"

#include <string.h>

#include "base/bits.h"

// clang-format off

#define U32(slot, count, at)  { TALLY_SLOT_##slot, count, 32, 4, at, 0 }
#define U64(slot, count, at)  { TALLY_SLOT_##slot, count, 64, 8, at, 0 }
#define HEADER                U64(ID, 1, 0), U64(TIMESTAMP, 1, 8)

static const struct tally_field a32_c32[] = { HEADER, U64(A, 32, 16), U64(PEC, 32, 272),
                                              U32(RESERVED, 12, 528) };
static const struct tally_field a64_c64[] = { HEADER, U64(A, 64, 16), U64(PEC, 64, 528),
                                              U32(RESERVED, 12, 1040) };

#define FIELDS(table) table, ARRAY_COUNT(table)

const struct tally_layout pcounter_layouts[] = {
    { PCOUNTER_FAMILY, "a32_c32", NULL, "docs/recording-format.md, PCOUNTER reports", FIELDS(a32_c32),  576, 0, 0, 64, TALLY_LAYOUT_NOT_EXPOSED },
    { PCOUNTER_FAMILY, "a64_c64", NULL, "docs/recording-format.md, PCOUNTER reports", FIELDS(a64_c64), 1088, 1, 0, 64, TALLY_LAYOUT_NOT_EXPOSED },
};

// clang-format on

const size_t pcounter_layout_count = ARRAY_COUNT(pcounter_layouts);

bool pcounter_layout_holds(const struct tally_layout *layout, size_t signals)
{
    return signals && signals <= PCOUNTER_SIGNALS_MAX &&
           tally_layout_width(layout, TALLY_SLOT_PEC + (unsigned)signals - 1);
}

const struct tally_layout *pcounter_layout_of_format(uint32_t format)
{
    for (size_t i = 0; i < pcounter_layout_count; i++)
        if (tally_layout_format(&pcounter_layouts[i]) == format)
            return &pcounter_layouts[i];
    return NULL;
}

void pcounter_report_store(const struct tally_layout *layout, uint8_t *report, uint64_t reasons,
                           uint64_t ticks, const uint64_t *values, const uint64_t *clocks,
                           size_t count)
{
    size_t held = layout == &pcounter_layouts[0] ? 32 : 64; /* A and PEC follow each other */
    uint8_t *values_at = report + 16, *clocks_at = values_at + 8 * held;
    memset(report, 0, layout->size_bytes);
    store_le64(report, reasons);
    store_le64(report + 8, ticks);
    for (size_t i = 0; i < count; i++) {
        store_le64(values_at + 8 * i, values[i]);
        store_le64(clocks_at + 8 * i, clocks[i]);
    }
}
