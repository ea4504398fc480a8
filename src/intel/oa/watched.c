/* SPDX-License-Identifier: MIT */
/*
 * Finds the watched NOA bits, which must be known at every clock. The other bits are only counted:
 * while no watched bit changes, the unit advances any number of clocks in one step, and counts the
 * ones in the waves of the others.
 */
#include "intel/oa/unit.h"

#define ALL_BITS  0xffffu
#define COUNT_MAX 0xffffu /* a trigger block's counter saturates (OA-D12) */

/* Returns the bits that a network selects for its sixteen inputs. */
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
    if (!is_any_counting(unit)) /* the flops are updated by the last clocks of a run */
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
