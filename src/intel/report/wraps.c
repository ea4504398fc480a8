/* SPDX-License-Identifier: MIT */
/*
 * The inner loop of accumulation: counts wraps. Compiled once for each instruction set as
 * COUNT_WRAPS. Compilers vectorize the loops over adjacent counters.
 */
#include "base/bits.h"
#include "intel/report/accumulate.h"

static inline void narrow_wraps(const uint8_t *restrict before, const uint8_t *restrict after,
                                uint32_t *restrict wraps)
{
    /* 16 dwords at a time: a line of the OA unit (OA-2.10). */
    for (size_t i = 0; i < 16; i++)
        wraps[i] += load_le32(after + 4 * i) < load_le32(before + 4 * i);
}

static inline void wide_wraps(const uint8_t *restrict low_before,
                              const uint8_t *restrict high_before,
                              const uint8_t *restrict low_after, const uint8_t *restrict high_after,
                              uint32_t *restrict wraps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t hb = high_before[i], ha = high_after[i];
        uint32_t lb = load_le32(low_before + 4 * i), la = load_le32(low_after + 4 * i);
        wraps[i] += (uint32_t)(ha < hb) | ((uint32_t)(ha == hb) & (uint32_t)(la < lb));
    }
}

void COUNT_WRAPS(const struct wrap_plan *plan, const uint8_t *const *reports, size_t count,
                 uint32_t narrow[REPORT_DWORDS_MAX], uint32_t wide[REPORT_DWORDS_MAX])
{
    for (size_t r = 0; r < count; r++) {
        const uint8_t *before = reports[r], *after = reports[r + 1];
        for (size_t dword = 0; dword < plan->dwords; dword += 16)
            narrow_wraps(before + 4 * dword, after + 4 * dword, narrow + dword);
        for (size_t w = 0; w < plan->wide_count; w++) {
            const struct wide_run *run = &plan->wide[w];
            size_t low = 4u * run->dword;
            if (run->count == 32) /* the common case, with a constant count */
                wide_wraps(before + low, before + run->high, after + low, after + run->high,
                           wide + run->dword, 32);
            else
                wide_wraps(before + low, before + run->high, after + low, after + run->high,
                           wide + run->dword, run->count);
        }
    }
}
