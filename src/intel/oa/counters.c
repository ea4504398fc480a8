/* SPDX-License-Identifier: MIT */
/* A, B, C, the free-running copies and GPU_TICKS (OA-2.7; OA-D18 to OA-D23). */

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/oa/unit.h"

/* Whether counters count, regardless of the start trigger and of a report in flight (OA-D18,
 * OA-D23). */
static bool is_counting(const struct tally_oa *unit)
{
    uint32_t control = unit->regs[OA_CONTROL];
    if (!is_enabled(unit))
        return false;
    if (is_map_d(unit)) /* all contexts (PERF-5.3) */
        return REG_GET(GEN8_OACTXCONTROL, RUN, unit->regs[OA_CTXCONTROL]);
    if (is_map_c(unit)) {
        bool passes = !REG_GET(GEN8_OACONTROL, SPECIFIC_CONTEXT, control) ||
                      (unit->context_valid && unit->context == unit->regs[OA_CTXID]);
        return REG_GET(GEN8_OACTXCONTROL, RUN, unit->regs[OA_CTXCONTROL]) && passes;
    }
    if (unit->variant->stop_resume && REG_GET(GEN7_OABUFFER, STOP_RESUME, unit->regs[OA_BUFFER]) &&
        !REG_GET(GEN7_OABUFFER, RESUME, unit->regs[OA_BUFFER])) /* stopped (OA-U24) */
        return false;
    return !REG_GET(GEN7_OACONTROL, SPECIFIC_CONTEXT, control) || unit->unfiltered ||
           (unit->context_valid && REG_GET(GEN7_OACONTROL, CONTEXT_ID, unit->context) ==
                                       REG_GET(GEN7_OACONTROL, CONTEXT_ID, control));
}

/* ---- B and C --------------------------------------------------------------------------------- */

/* Returns a NOA bit, or its rising edges (OA-D3). */
static struct count_source noa_source(const struct tally_oa *unit, struct block *block,
                                      unsigned bit)
{
    if (block->quiet && !(block->watched >> bit & 1))
        return (struct count_source){NULL, &unit->noa[bit], &unit->noa_work[bit]};
    if (!(unit->regs[OA_REPORT_TRIG] >> (16 + bit) & 1))
        return is_noa_working(unit, bit)
                   ? (struct count_source){NULL, &unit->noa[bit], &unit->noa_work[bit]}
                   : (struct count_source){block->noa[bit], NULL, NULL};
    uint64_t *rising = block->rising[bit];
    block->kernels->delay(block->noa[bit], 1, unit->previous_noa >> bit & 1, block->words, rising);
    for (size_t i = 0; i < block->words; i++)
        rising[i] = block->noa[bit][i] & ~rising[i];
    return (struct count_source){rising, NULL, NULL};
}

uint8_t events_counted(const struct tally_oa *unit)
{
    unsigned events = 0;
    for (unsigned i = 0; i < unit->variant->b_count && is_any_counting(unit); i++)
        events |= (unit->regs[OA_START_TRIG + (i < 4 ? 1 : 5)] >> (28 + i % 4) & 1) << i;
    return (uint8_t)events;
}

void select_sources(const struct tally_oa *unit, struct block *block)
{
    const struct oa_variant *variant = unit->variant;
    uint8_t events = events_counted(unit);
    for (unsigned i = 0; i < variant->b_count; i++)
        block->b_sources[i] = events >> i & 1 ? (struct count_source){block->events[i], NULL, NULL}
                                              : noa_source(unit, block, i);
    for (unsigned i = 0; i < variant->c_count; i++) {
        unsigned tap = variant->taps[i];
        if (unit->tapped[i] && tap)
            block->c_sources[i] =
                (struct count_source){block->taps[(tap - 1) / 2][(tap - 1) % 2], NULL, NULL};
        else
            block->c_sources[i] = noa_source(unit, block, variant->b_count + i);
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Adds to a counter, and sets Counter Overflow if it wraps around. */
static void add(uint32_t *flags, uint64_t *counter, uint64_t count, unsigned width)
{
    uint64_t max = low_bits(width), before = *counter;
    *counter = (before + count) & max;
    if (count > max - before)
        *flags |= FLAG_COUNTER_OVERFLOW;
}

static void add_boolean(struct tally_oa *unit, uint64_t *counter, uint64_t count)
{
    uint64_t before = *counter;
    add(&unit->flags, counter, count, 32);
    if (unit->variant->half_overflows && before < UINT64_C(0x80000000) &&
        before + count >= UINT64_C(0x80000000))
        unit->flags |= FLAG_COUNTER_OVERFLOW;
}

/* Counts the ones of a source in [from, to). */
static uint64_t count_ones(const struct block *block, const struct count_source *source,
                           uint64_t from, uint64_t to)
{
    const struct driven_wave *input = source->wave;
    uint64_t first = block->first + from, clocks = to - from;
    if (!input)
        return block_count(block, source->words, from, to);
    return tally_wave_count(&input->wave, first - input->origin, clocks) +
           spread_between(source->work, first, clocks);
}

static void count_booleans(struct tally_oa *unit, const struct block *block, uint64_t from,
                           uint64_t to)
{
    uint64_t started = max_u64(from, block->started);
    const unsigned b_count = unit->variant->b_count, c_count = unit->variant->c_count;
    for (unsigned i = 0; i < b_count; i++) {
        /* Each start block starts all B counters, or by option its half of them (OA-U2). */
        bool halves = unit->options[TALLY_OA_START_HALVES];
        uint64_t begin = halves ? max_u64(from, block->start_at[i / 4]) : started;
        if (begin < to)
            add_boolean(unit, &unit->b[i], count_ones(block, &block->b_sources[i], begin, to));
    }
    for (unsigned i = 0; i < c_count && started < to; i++)
        add(&unit->flags, &unit->c[i], count_ones(block, &block->c_sources[i], started, to), 32);
}

/* OAR counts the same events while its context runs. It has no start trigger. */
static void count_context_booleans(struct tally_oa *unit, const struct block *block, uint64_t from,
                                   uint64_t to)
{
    struct oar *oar = &unit->oar;
    for (unsigned i = 0; i < B_COUNTERS; i++) {
        add(&oar->flags, &oar->b[i], count_ones(block, &block->b_sources[i], from, to), 32);
        add(&oar->flags, &oar->c[i], count_ones(block, &block->c_sources[i], from, to), 32);
    }
}

/* Returns what the input of an A counter that is not flexible adds in a range of clocks. */
static uint64_t fixed_sum(const struct tally_oa *unit, unsigned counter, uint64_t first,
                          uint64_t clocks)
{
    const struct driven_number *input = &unit->a_input[counter];
    uint64_t sum = tally_number_sum(&input->number, first - input->origin, clocks) +
                   spread_between(&unit->a_work[counter], first, clocks);
    return unit->busy && counter == unit->variant->busy ? max_u64(sum, clocks) : sum;
}

static unsigned a_width(const struct tally_oa *unit, unsigned counter)
{
    return is_map_c(unit) && counter < 32 ? 40 : 32;
}

/* Advances the A counters of OAG (`oag`), of OAR (`oar`), or of both. */
static void count_aggregates(struct tally_oa *unit, uint64_t first, uint64_t clocks,
                             const uint64_t flexible[FLEX_COUNT], bool oag, bool oar)
{
    const unsigned count = unit->variant->a_count;
    const bool has_flexible = is_map_c(unit);
    for (unsigned i = 0; i < count; i++) {
        bool flexible_counter = has_flexible && i >= FLEX_FIRST && i < FLEX_FIRST + FLEX_COUNT;
        uint64_t sum =
            flexible_counter ? flexible[i - FLEX_FIRST] : fixed_sum(unit, i, first, clocks);
        if (!sum || (i < 32 && unit->gated >> i & 1))
            continue;
        if (oag)
            add(&unit->flags, &unit->a[i], sum, a_width(unit, i));
        if (oar)
            add(&unit->oar.flags, &unit->oar.a[i], sum, a_width(unit, i));
    }
}

/* The counters with a free-running copy, which always counts. */
static const uint8_t copied[FREE_COPIES] = {4, 6, 19, 20};

void count_clocks(struct tally_oa *unit, const struct block *block, uint64_t from, uint64_t to)
{
    uint64_t first = block->first + from, clocks = to - from, flexible[FLEX_COUNT];
    bool counts = is_counting(unit) && !(unit->variant->freezes && unit->flight.active);
    /* A counters ignore the start trigger unless the option is set (OA-U1). */
    bool waits = unit->options[TALLY_OA_START_HOLDS_A] && from < block->started;
    if (!clocks)
        return;
    if (waits && block->started < to) {
        count_clocks(unit, block, from, block->started);
        count_clocks(unit, block, block->started, to);
        return;
    }
    bool oar = is_oar_counting(unit), oag = counts && !waits;
    if (is_map_c(unit))
        sum_flexible(unit, first, clocks, flexible);
    if (oag || oar)
        count_aggregates(unit, first, clocks, flexible, oag, oar);
    if (counts)
        count_booleans(unit, block, from, to);
    if (oar)
        count_context_booleans(unit, block, from, to);
    for (unsigned i = 0; unit->variant->free_copies && i < FREE_COPIES; i++) {
        uint64_t sum = copied[i] >= FLEX_FIRST ? flexible[copied[i] - FLEX_FIRST]
                                               : fixed_sum(unit, copied[i], first, clocks);
        unit->free[i] = (unit->free[i] + sum) & low_bits(40);
    }
    unit->ticks += (uint32_t)clocks;
}

void tally_oa_count(struct tally_oa *unit, unsigned counter, uint64_t count)
{
    if (counter >= unit->variant->a_count || intel_sku_reserves(unit->sku, counter) ||
        (counter < 32 && unit->gated >> counter & 1))
        return;
    if (is_counting(unit))
        add(&unit->flags, &unit->a[counter], count, a_width(unit, counter));
    if (is_oar_counting(unit))
        add(&unit->oar.flags, &unit->oar.a[counter], count, a_width(unit, counter));
}
