/* SPDX-License-Identifier: MIT */
/* The work of commands. */
#include "intel/oa/work.h"

#include <string.h>

#include "intel/oa/eus.h"

void oa_work_a(struct tally_oa *unit, unsigned counter, uint64_t count, uint64_t end)
{
    if (counter < unit->variant->a_count)
        spread_add(&unit->a_work[counter], unit->clock, count, end);
}

void tally_oa_work(struct tally_oa *unit, unsigned counter, uint64_t count, uint64_t clocks)
{
    if (counter < unit->variant->a_count && !intel_sku_reserves(unit->sku, counter))
        oa_work_a(unit, counter, count,
                  max_u64(unit->clock, spread_end(&unit->a_work[counter])) + clocks);
}

void oa_work_noa(struct tally_oa *unit, unsigned bit, uint64_t count, uint64_t end)
{
    spread_add(&unit->noa_work[bit], unit->clock, count, end);
}

void oa_end_work(struct tally_oa *unit)
{
    memset(unit->a_work, 0, sizeof unit->a_work);
    memset(unit->noa_work, 0, sizeof unit->noa_work);
    memset(unit->eu_work, 0, sizeof unit->eu_work);
    memset(unit->flexible_work, 0, sizeof unit->flexible_work);
}

/* ---- the EU array ---------------------------------------------------------------------------- */

static uint64_t share(uint64_t value, uint64_t part, uint64_t whole)
{
    return whole ? (uint64_t)((uint128)value * part / whole) : 0;
}

/* What a slot's increment event counts, with its filter by dispatcher. Pipes are active in the
 * clocks of any dispatcher alike; of two pipes, one's clocks include the other's. */
static uint64_t increments(const uint64_t amounts[EU_WORK_QUANTITIES], const struct eu_slot *slot)
{
    bool filters = eu_by_ff(slot);
    uint64_t active = amounts[EU_WORK_ACTIVE], stalled = amounts[EU_WORK_STALLED];
    uint64_t own_active = active, own_stalled = stalled;
    if (filters) {
        own_active = amounts[EU_WORK_STAGE_ACTIVE + slot->coarse - 1];
        own_stalled = amounts[EU_WORK_STAGE_STALLED + slot->coarse - 1];
    }
    switch ((enum increment)slot->increment) {
    case INC_FPU0:
    case INC_FPU1:
    case INC_SEND:
        return share(amounts[EU_WORK_PIPES + slot->increment], own_active, active);
    case INC_BOTH:
        return share(min_u64(amounts[EU_WORK_PIPES + INC_FPU0], amounts[EU_WORK_PIPES + INC_FPU1]),
                     own_active, active);
    case INC_ANY:
        return own_active;
    case INC_LOADED:
        return own_stalled;
    case INC_OCCUPANCY:
        return share(amounts[EU_WORK_THREADS], own_active + own_stalled, active + stalled);
    }
    return 0;
}

/* What a slot counts of the whole array. */
static uint64_t slot_total(const uint64_t amounts[EU_WORK_QUANTITIES], const struct eu_slot *slot)
{
    uint64_t total = increments(amounts, slot);
    if (eu_by_kind(slot))
        total = share(total, amounts[EU_WORK_KIND + slot->fine - 1], amounts[EU_WORK_ACTIVE]);
    return total;
}

/* Returns the events of a flexible counter: those of each subslice, whose EUs do equal shares of
 * the work. A pulse of occupancy is eight threads. An array without EUs does no work. */
static uint64_t counter_total(const struct tally_oa *unit, unsigned counter,
                              const uint64_t amounts[EU_WORK_QUANTITIES])
{
    unsigned divisor = unit->eus;
    uint128 events = 0, pulses = 0;
    if (!divisor)
        return 0;
    for (unsigned eu = 0, next; eu < unit->eus; eu = next) {
        const unsigned subslice = unit->places[eu].subslice;
        struct eu_slot slot = eu_slot_of(unit, subslice, counter);
        unsigned members = 0;
        for (next = eu; next < unit->eus && unit->places[next].subslice == subslice; next++)
            members +=
                !eu_counts_nothing(&slot) && eu_position_passes(&slot, unit->places[next].number);
        if (!members)
            continue;
        uint128 part = (uint128)slot_total(amounts, &slot) * members;
        if (slot.increment == INC_OCCUPANCY)
            pulses += part;
        else
            events += part;
    }
    return (uint64_t)((events + pulses / 8) / divisor);
}

void oa_work_eus(struct tally_oa *unit, const uint64_t amounts[EU_WORK_QUANTITIES], uint64_t end)
{
    if (!unit->variant->subslices)
        return;
    for (unsigned i = 0; i < EU_WORK_QUANTITIES; i++)
        if (amounts[i])
            spread_add(&unit->eu_work[i], unit->clock, amounts[i], end);
    for (unsigned i = 0; i < FLEX_COUNT; i++)
        spread_add(&unit->flexible_work[i], unit->clock, counter_total(unit, i, amounts), end);
}

void select_eu_work(struct tally_oa *unit, uint64_t now)
{
    uint64_t rest[EU_WORK_QUANTITIES], end = now;
    for (unsigned i = 0; i < EU_WORK_QUANTITIES; i++) {
        rest[i] = spread_rest(&unit->eu_work[i], now);
        if (rest[i])
            end = max_u64(end, spread_end(&unit->eu_work[i]));
    }
    for (unsigned i = 0; i < FLEX_COUNT; i++)
        unit->flexible_work[i] = (struct spread){now, end - now, counter_total(unit, i, rest)};
}

void add_eu_work(const struct tally_oa *unit, uint64_t first, uint64_t clocks,
                 uint64_t sums[FLEX_COUNT])
{
    for (unsigned i = 0; i < FLEX_COUNT; i++)
        sums[i] += spread_between(&unit->flexible_work[i], first, clocks);
}
