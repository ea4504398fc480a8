/* SPDX-License-Identifier: MIT */
#include "intel/report/accumulate.h"

#include <stdbool.h>
#include <string.h>

#include <tally/report.h>

#include "base/bits.h"
#include "base/cpu.h"

static count_wraps_function *choose_count_wraps(void)
{
#if defined(TALLY_X86_KERNELS)
    switch (cpu_simd()) {
    case SIMD_AVX512:
        return count_wraps_avx512;
    case SIMD_AVX2:
        return count_wraps_avx2;
    case SIMD_PORTABLE:
        break;
    }
#endif
    return count_wraps_portable;
}

static struct wrap_plan make_plan(const struct tally_layout *layout)
{
    struct wrap_plan plan = {.dwords = layout->size_bytes / 4};
    for (size_t f = 0; f < layout->field_count; f++) {
        const struct tally_field *field = &layout->fields[f];
        if (field->width == 40 && plan.wide_count < WIDE_RUNS_MAX)
            plan.wide[plan.wide_count++] =
                (struct wide_run){field->offset / 4, field->high, field->count};
    }
    return plan;
}

static bool counts(unsigned slot)
{
    return slot == TALLY_SLOT_TIMESTAMP || slot == TALLY_SLOT_TICKS ||
           (slot >= TALLY_SLOT_A && slot < TALLY_SLOT_RESERVED);
}

void tally_accumulate(const struct tally_layout *layout, const uint8_t *const *reports,
                      size_t count, uint64_t sums[TALLY_SLOT_COUNT])
{
    if (!count)
        return;
    uint64_t first[TALLY_SLOT_COUNT], last[TALLY_SLOT_COUNT];
    tally_report_unpack(layout, reports[0], first);
    tally_report_unpack(layout, reports[count], last);

    uint32_t narrow[REPORT_DWORDS_MAX] = {0}, wide[REPORT_DWORDS_MAX] = {0};
    if (count > 1) {
        struct wrap_plan plan = make_plan(layout);
        choose_count_wraps()(&plan, reports, count, narrow, wide);
    }

    for (size_t f = 0; f < layout->field_count; f++) {
        const struct tally_field *field = &layout->fields[f];
        if (!counts(field->slot))
            continue;
        for (int i = 0; i < field->count; i++) {
            unsigned slot = field->slot + (unsigned)i;
            unsigned dword = (unsigned)(field->offset + i * field->stride) / 4;
            uint64_t sum = last[slot] - first[slot];
            if (field->width < 64) {
                /* The modulo handles the wrap of a single delta; with more, add the counted wraps.
                 */
                uint64_t wraps = field->width == 40 ? wide[dword] : narrow[dword];
                sum = count > 1 ? sum + (wraps << field->width) : sum & low_bits(field->width);
            }
            sums[slot] += sum;
        }
    }
}
