/* SPDX-License-Identifier: MIT */
/*
 * Who looks at the NOA bus? A bit that only counters see, level by level, need not be known clock
 * by clock: the unit passes any time at once in which no other bit moves, and asks the bit's wave
 * how many ones there were.
 */
#include "intel/oa/unit.h"

#define ALL_BITS  0xffffu
#define COUNT_MAX 0xffffu /* of a trigger block's counter: it stays there (OA-D12) */

/* The bits that a network selects for its sixteen inputs. */
static unsigned selected_bits(const uint32_t regs[4])
{
    unsigned bits = 0;
    for (unsigned input = 0; input < 16; input++)
        bits |= 1u << REG_GET_NTH(OATRIG_SELECTS, SELECT0, input % 8, regs[input < 8 ? 3 : 2]);
    return bits;
}

static unsigned trigger_bits(const struct tally_oa *unit)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < unit->variant->block_count; i++) {
        const uint32_t *start = &unit->regs[OA_START_TRIG + 4 * i];
        const uint32_t *report = &unit->regs[OA_REPORT_TRIG + 4 * i];
        bool fires = REG_GET(OAREPORTTRIG_INVERTS, TRIGGER_ENABLE, report[1]);
        if (!unit->start[i].fired || unit->start[i].count < COUNT_MAX)
            bits |= selected_bits(start);
        if (fires || unit->report[i].count < COUNT_MAX)
            bits |= selected_bits(report);
    }
    return bits;
}

uint16_t watched_bits(const struct tally_oa *unit)
{
    unsigned bits = 0;
    if (!is_any_counting(unit)) /* but the flops, which the last clocks of a run leave */
        return 0;
    if (events_counted(unit))
        return ALL_BITS;
    for (unsigned i = 0; i < C_COUNTERS; i++)
        if (unit->tapped[i])
            return ALL_BITS;
    for (unsigned bit = 0; bit < NOA_BITS; bit++) /* rising edges (OA-D3) */
        bits |= (unit->regs[OA_REPORT_TRIG] >> (16 + bit) & 1) << bit;
    return (uint16_t)(is_enabled(unit) ? bits | trigger_bits(unit) : bits);
}
