/* SPDX-License-Identifier: MIT */
/* Trigger blocks: a network of 16 inputs, a counter and a threshold (OA-2.3 to OA-2.5; OA-D10 to
 * OA-D15). */
#include "base/bits.h"
#include "intel/oa/unit.h"

/* Fields at the same place in start and report blocks, and in both layouts of OABUFFER (OA-D14). */
#define THRESHOLD_ENABLE REG_MASK(OASTARTTRIG_INVERTS, THRESHOLD_ENABLE)
#define REPORT_ENABLE    REG_MASK(OAREPORTTRIG_INVERTS, TRIGGER_ENABLE)
#define EDGE_MODE        REG_MASK(GEN8_OABUFFER, EDGE_TRIGGER)
#define THRESHOLD(regs)  REG_GET(OASTARTTRIG_THRESHOLD, THRESHOLD, (regs)[0])

/* Returns the four registers of a block. */
static const uint32_t *block_regs(const struct tally_oa *unit, bool report, unsigned number)
{
    return &unit->regs[(report ? OA_REPORT_TRIG : OA_START_TRIG) + 4 * number];
}

/* Computes a group: the AND of four inputs, with optional inversions of the inputs and of the
 * result, as one truth table. */
static const uint64_t *make_group(const struct block *block, const uint32_t regs[4], unsigned group,
                                  uint64_t *buffer)
{
    uint32_t select = group < 2 ? regs[3] : regs[2],
             inverts = REG_GET(OASTARTTRIG_INVERTS, INVERT_A, regs[1]);
    unsigned ones = ~(inverts >> 4 * group) & 15; /* the row in which all four are true */
    uint16_t table = (uint16_t)(1u << ones);
    const uint64_t *arguments[4];
    for (unsigned i = 0; i < 4; i++)
        arguments[i] =
            block->noa[REG_GET_NTH(OATRIG_SELECTS, SELECT0, 4 * (group % 2) + i, select)];
    if (REG_GET(OASTARTTRIG_INVERTS, INVERT_B, regs[1]) >> group & 1)
        table = (uint16_t)~table;
    return block_combine(block, table, 4, arguments, buffer);
}

/* Computes a network's output d, and its taps if `taps` is not NULL. */
static const uint64_t *make_network(struct block *block, const uint32_t regs[4], uint64_t *buffer,
                                    const uint64_t *taps[2], uint64_t tap_buffers[2][BLOCK_WORDS])
{
    uint64_t buffers[4][BLOCK_WORDS];
    const uint64_t *groups[4];
    unsigned invert_c = REG_GET(OASTARTTRIG_INVERTS, INVERT_C, regs[1]);
    bool invert_d = REG_GET(OASTARTTRIG_INVERTS, INVERT_D, regs[1]);
    uint16_t table = 0;
    for (unsigned group = 0; group < 4; group++)
        groups[group] = make_group(block, regs, group, buffers[group]);
    for (unsigned i = 0; i < 16; i++) {
        bool h0 = (i & 3) == 3, h1 = i >> 2 == 3;
        bool c0 = h0 != (invert_c & 1), c1 = h1 != (invert_c >> 1);
        table |= (uint16_t)(((c0 && c1) != invert_d) << i);
    }
    for (unsigned i = 0; taps && i < 2; i++) {
        const uint64_t *const pair[4] = {groups[2 * i], groups[2 * i + 1]};
        taps[i] =
            block_keep(block, block_combine(block, 8, 2, pair, tap_buffers[i]), tap_buffers[i]);
    }
    return block_keep(block, block_combine(block, table, 4, groups, buffer), buffer);
}

void make_triggers(const struct tally_oa *unit, struct block *block)
{
    bool tapped = false;
    for (unsigned i = 0; i < C_COUNTERS; i++)
        tapped |= unit->tapped[i];
    for (unsigned i = 0; i < unit->variant->block_count; i++) {
        block->start_d[i] = make_network(block, block_regs(unit, false, i),
                                         block->network_buffers[2 * i], NULL, NULL);
        block->report_d[i] =
            make_network(block, block_regs(unit, true, i), block->network_buffers[2 * i + 1],
                         tapped ? block->taps[i] : NULL, block->tap_buffers[i]);
    }
}

/* Returns the clock of the n-th one of a signal from a clock on, or NEVER. */
static uint64_t block_find(const struct block *block, const uint64_t *words, uint64_t n,
                           uint64_t from)
{
    uint64_t to = block->clocks;
    if (block->quiet)
        return (words[0] & 1) && from < to && n <= to - from ? from + n - 1 : NEVER;
    while (from < to) {
        uint64_t word = words[from / 64] >> (from % 64);
        if (to - from < 64)
            word &= low_bits((unsigned)(to - from));
        uint64_t ones = count_bits(word);
        if (ones >= n) {
            while (--n)
                word &= word - 1;
            return from + (uint64_t)__builtin_ctzll(word);
        }
        n -= ones;
        from = (from | 63) + 1;
    }
    return NEVER;
}

/* Returns the first clock, at `from` or later, at which the trigger is 1 (OA-D11), or NEVER. */
static uint64_t next_trigger(const struct block *block, const uint32_t regs[4], const uint64_t *d,
                             uint16_t count, uint64_t from)
{
    unsigned threshold = THRESHOLD(regs);
    if (from >= block->clocks)
        return NEVER;
    if (!(regs[1] & THRESHOLD_ENABLE))
        return block_find(block, d, 1, from);
    return count >= threshold ? from : block_find(block, d, threshold - count, from);
}

void find_start(const struct tally_oa *unit, struct block *block)
{
    block->started = NEVER;
    for (unsigned i = 0; i < unit->variant->block_count; i++) {
        const struct trigger_block *start = &unit->start[i];
        uint64_t at =
            next_trigger(block, block_regs(unit, false, i), block->start_d[i], start->count, 0);
        block->start_at[i] = start->fired ? 0 : at;
        if (block->start_at[i] < block->started)
            block->started = block->start_at[i];
    }
}

/* Edge mode: the trigger must have been 0 in the previous clock. */
static uint64_t next_edge(const struct block *block, const uint32_t regs[4], const uint64_t *d,
                          const struct trigger_block *report, uint64_t from)
{
    bool thresholded = regs[1] & THRESHOLD_ENABLE;
    if (!report->previous || from >= block->clocks)
        return next_trigger(block, regs, d, report->count, from);
    if (thresholded) { /* stays 1 once the threshold is reached */
        unsigned now = report->count + block_bit(block, d, from);
        return now >= THRESHOLD(regs) ? NEVER : next_trigger(block, regs, d, report->count, from);
    }
    while (from < block->clocks && block_bit(block, d, from))
        from = block->quiet ? block->clocks : from + 1;
    return block_find(block, d, 1, from);
}

uint64_t next_fire(const struct tally_oa *unit, const struct block *block, unsigned number,
                   uint64_t from)
{
    const uint32_t *regs = block_regs(unit, true, number);
    const struct trigger_block *report = &unit->report[number];
    if (!(regs[1] & REPORT_ENABLE))
        return NEVER;
    if (unit->regs[OA_BUFFER] & EDGE_MODE)
        return next_edge(block, regs, block->report_d[number], report, from);
    if (unit->flight.active &&
        (unit->flight.blocks >> number & 1)) /* requested by this block (OA-D15) */
        return NEVER;
    return next_trigger(block, regs, block->report_d[number], report->count, from);
}

static void advance(const struct block *block, const uint32_t regs[4], const uint64_t *d,
                    struct trigger_block *trigger, uint64_t from, uint64_t to)
{
    uint64_t ones = block_count(block, d, from, to), sum = trigger->count + ones;
    trigger->count = sum > 0xffff ? 0xffff : (uint16_t)sum;
    trigger->previous = regs[1] & THRESHOLD_ENABLE ? trigger->count >= THRESHOLD(regs)
                                                   : block_bit(block, d, to - 1);
}

/* Advances counters and previous triggers of the blocks by the clocks in [from, to). run.c clears
 * the counter of a report block that fires at to - 1. */
void advance_triggers(struct tally_oa *unit, const struct block *block, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    for (unsigned i = 0; i < unit->variant->block_count; i++) {
        advance(block, block_regs(unit, false, i), block->start_d[i], &unit->start[i], from, to);
        advance(block, block_regs(unit, true, i), block->report_d[i], &unit->report[i], from, to);
        if (block->start_at[i] < to)
            unit->start[i].fired = true;
    }
}
