/* SPDX-License-Identifier: MIT */
/*
 * Custom event creation (CEC): each block compares 16 bits with a value (OA-2.2; OA-D6 to OA-D9).
 * The bits are divided into four groups of four; for each group a truth table computes whether it
 * equals, exceeds or shares a bit with the value. Events and outputs of other blocks arrive one
 * clock late as inputs; blocks that form a ring this way are evaluated clock by clock.
 */
#include <string.h>

#include "intel/oa/unit.h"

enum function { ANY_EQUAL, GREATER, EQUAL, GREATER_EQUAL, LESS, NOT_EQUAL, LESS_EQUAL, ALWAYS };
enum source { SOURCE_NOA, SOURCE_PREVIOUS, SOURCE_EVENTS, SOURCE_ZERO };

struct cec {
    enum function function;
    enum source source;
    uint16_t value, mask, delayed, negated;
};

static struct cec decode(const struct tally_oa *unit, unsigned n)
{
    uint32_t first = unit->regs[OA_CEC + 2 * n], second = unit->regs[OA_CEC + 2 * n + 1];
    return (struct cec){
        .function = (enum function)REG_GET(CEC_0, FUNCTION, first),
        .source = (enum source)REG_GET(CEC_0, SOURCE, first),
        .value = (uint16_t)REG_GET(CEC_0, VALUE, first),
        .mask = (uint16_t)REG_GET(CEC_1, MASK, second),
        .delayed = (uint16_t)REG_GET(CEC_1, CONSIDERATIONS, second),
        .negated = (uint16_t)REG_GET(CEC_0, NEGATE, first),
    };
}

/* ---- one clock ------------------------------------------------------------------------------- */

static bool compare(const struct cec *cec, uint16_t bus)
{
    uint16_t x = bus & (uint16_t)~cec->mask, v = cec->value & (uint16_t)~cec->mask;
    switch (cec->function) {
    case ANY_EQUAL:
        return (uint16_t)(~(x ^ v) & ~cec->mask) != 0;
    case GREATER:
        return x > v;
    case EQUAL:
        return x == v;
    case GREATER_EQUAL:
        return x >= v;
    case LESS:
        return x < v;
    case NOT_EQUAL:
        return x != v;
    case LESS_EQUAL:
        return x <= v;
    case ALWAYS:
        return true;
    }
    return true;
}

/* Evaluates all blocks for one clock, and updates their flops. Returns the events, a bit each. */
static uint8_t one_clock(struct tally_oa *unit, const struct cec cecs[CECS], uint16_t noa)
{
    unsigned count = unit->variant->cec_count;
    uint16_t out[CECS];
    uint8_t events = 0;
    for (unsigned n = 0; n < count; n++) {
        const struct cec *cec = &cecs[n];
        uint16_t in = 0;
        if (cec->source == SOURCE_NOA)
            in = noa;
        else if (cec->source == SOURCE_PREVIOUS)
            in = unit->out_q[n ? n - 1 : count - 1];
        else if (cec->source == SOURCE_EVENTS)
            in = (uint16_t)((noa & 0xff00) | unit->ev_q);
        out[n] = (uint16_t)(((in & ~cec->delayed) | (unit->previous_in[n] & cec->delayed)) ^
                            cec->negated);
        unit->previous_in[n] = in;
        events |= (uint8_t)(compare(cec, out[n]) << n);
    }
    memcpy(unit->out_q, out, count * sizeof *out);
    unit->ev_q = events;
    return events;
}

/* Returns the NOA bus at a clock. */
static uint16_t noa_at(const struct block *block, uint64_t clock)
{
    unsigned value = 0;
    for (unsigned bit = 0; bit < NOA_BITS; bit++)
        value |= (unsigned)(block->noa[bit][clock / 64] >> (clock % 64) & 1) << bit;
    return (uint16_t)value;
}

/* Computes the events of a block clock by clock. */
static void walk(struct tally_oa *unit, struct block *block, const struct cec cecs[CECS])
{
    memset(block->event_buffers, 0, sizeof block->event_buffers);
    for (unsigned n = 0; n < CECS; n++)
        block->events[n] = block->event_buffers[n];
    for (uint64_t clock = 0; clock < block->clocks; clock++) {
        uint8_t events = one_clock(unit, cecs, noa_at(block, clock));
        for (unsigned n = 0; n < CECS; n++)
            block->event_buffers[n][clock / 64] |= (uint64_t)(events >> n & 1) << (clock % 64);
    }
}

/* ---- many clocks ----------------------------------------------------------------------------- */

/* Bit planes of the conditioned inputs, one word per 64 clocks, computed when they are needed. */
struct planes {
    struct tally_oa *unit;
    struct block *block;
    const struct cec *cecs;
    unsigned count;
    const uint64_t *bus[CECS][16]; /* NULL: not computed yet */
    uint64_t buffers[CECS][16][BLOCK_WORDS];
    uint64_t scratch[2][BLOCK_WORDS];
};

static const uint64_t *bus_plane(struct planes *planes, unsigned n, unsigned bit);

/* Returns an input bit of block n, before the block's own delay. Outputs of other blocks and events
 * are delayed by one clock. */
static const uint64_t *input_plane(struct planes *planes, unsigned n, unsigned bit)
{
    struct block *block = planes->block;
    const struct tally_oa *unit = planes->unit;
    switch (planes->cecs[n].source) {
    case SOURCE_NOA:
        return block->noa[bit];
    case SOURCE_PREVIOUS: {
        unsigned before = n ? n - 1 : planes->count - 1;
        block->kernels->delay(bus_plane(planes, before, bit), 1, unit->out_q[before] >> bit & 1,
                              block->words, planes->scratch[0]);
        return planes->scratch[0];
    }
    case SOURCE_EVENTS:
        if (bit >= 8)
            return block->noa[bit];
        if (bit >= planes->count) /* map A has four events (OA-D7) */
            return block->zeros;
        block->kernels->delay(block->events[bit], 1, unit->ev_q >> bit & 1, block->words,
                              planes->scratch[0]);
        return planes->scratch[0];
    case SOURCE_ZERO:
        break;
    }
    return block->zeros;
}

/* Returns an input bit of block n, delayed and negated as the block is programmed. */
static const uint64_t *bus_plane(struct planes *planes, unsigned n, unsigned bit)
{
    const struct cec *cec = &planes->cecs[n];
    const struct block *block = planes->block;
    const uint64_t **out = &planes->bus[n][bit];
    if (*out)
        return *out;
    const uint64_t *in = input_plane(planes, n, bit);
    if (cec->delayed >> bit & 1) {
        block->kernels->delay(in, 1, planes->unit->previous_in[n] >> bit & 1, block->words,
                              planes->scratch[1]);
        in = planes->scratch[1];
    }
    const uint64_t *const arguments[4] = {in};
    uint16_t table = cec->negated >> bit & 1 ? 1 : 2;
    uint64_t *buffer = planes->buffers[n][bit];
    if (in == planes->scratch[0] || in == planes->scratch[1]) { /* which will be overwritten */
        block->kernels->combine(table, 1, arguments, block->words, buffer);
        *out = buffer;
    } else {
        *out = block_combine(block, table, 1, arguments, buffer);
    }
    return *out;
}

/* Returns the truth table that compares four input bits with those of the value. */
static uint16_t group_table(const struct cec *cec, unsigned group, enum function what)
{
    unsigned live = ~(unsigned)cec->mask >> (4 * group) & 15;
    unsigned v = cec->value >> (4 * group) & live;
    uint16_t table = 0;
    for (unsigned x = 0; x < 16; x++) {
        unsigned seen = x & live;
        bool holds = what == EQUAL     ? seen == v
                     : what == GREATER ? seen > v
                                       : (~(seen ^ v) & live) != 0;
        table |= (uint16_t)(holds << x);
    }
    return table;
}

static void combine_groups(struct planes *planes, unsigned n, enum function what,
                           uint64_t buffers[4][BLOCK_WORDS], const uint64_t *groups[4])
{
    const struct block *block = planes->block;
    const struct cec *cec = &planes->cecs[n];
    for (unsigned group = 0; group < 4; group++) {
        const uint64_t *arguments[4];
        for (unsigned i = 0; i < 4; i++) {
            bool masked = cec->mask >> (4 * group + i) & 1;
            arguments[i] = masked ? block->zeros : bus_plane(planes, n, 4 * group + i);
        }
        groups[group] =
            block_combine(block, group_table(cec, group, what), 4, arguments, buffers[group]);
    }
}

/* An ordered comparison: a group decides if all groups above it are equal. */
static const uint64_t *make_order(struct planes *planes, unsigned n, const uint64_t *const equal[4],
                                  uint64_t *buffer)
{
    const struct block *block = planes->block;
    enum function function = planes->cecs[n].function;
    uint64_t buffers[4][BLOCK_WORDS], steps[2][BLOCK_WORDS];
    const uint64_t *greater[4];
    combine_groups(planes, n, GREATER, buffers, greater);
    bool or_equal = function == GREATER_EQUAL || function == LESS;
    bool opposite = function == LESS || function == LESS_EQUAL;
    const uint64_t *above = or_equal ? block->ones : block->zeros;
    for (unsigned group = 0; group < 4; group++) {
        const uint64_t *const arguments[4] = {greater[group], equal[group], above};
        above = block_combine(block, 0xea, 3, arguments, above == steps[0] ? steps[1] : steps[0]);
    }
    const uint64_t *const arguments[4] = {above};
    return block_keep(block, block_combine(block, opposite ? 1 : 2, 1, arguments, buffer), buffer);
}

static const uint64_t *make_event(struct planes *planes, unsigned n, uint64_t *buffer)
{
    const struct block *block = planes->block;
    enum function function = planes->cecs[n].function;
    uint64_t buffers[4][BLOCK_WORDS];
    const uint64_t *equal[4];
    uint16_t table = function == ANY_EQUAL ? 0xfffe : function == EQUAL ? 0x8000 : 0x7fff;
    if (function == ALWAYS)
        return block->ones;
    combine_groups(planes, n, function == ANY_EQUAL ? ANY_EQUAL : EQUAL, buffers, equal);
    if (function != ANY_EQUAL && function != EQUAL && function != NOT_EQUAL)
        return make_order(planes, n, equal, buffer);
    return block_keep(block, block_combine(block, table, 4, equal, buffer), buffer);
}

/* Returns the blocks whose results block n needs, a bit each. */
static uint8_t dependencies(const struct cec cecs[CECS], unsigned count, unsigned n,
                            bool bus_needed)
{
    const struct cec *cec = &cecs[n];
    if (cec->source == SOURCE_PREVIOUS)
        return (uint8_t)(1u << (n ? n - 1 : count - 1));
    if (cec->source == SOURCE_EVENTS)
        return (uint8_t)(bus_needed ? (1u << count) - 1 : ~(unsigned)cec->mask & 0xff);
    return 0;
}

/* Finds an order in which each block, except those that are done, comes after those it needs.
 * Returns false if they form a ring. */
static bool find_order(const struct cec cecs[CECS], unsigned count, uint8_t done,
                       unsigned order[CECS])
{
    uint8_t all = (uint8_t)((1u << count) - 1), needed[CECS];
    unsigned found = 0;
    for (unsigned n = 0; n < count; n++) {
        unsigned next = n + 1 == count ? 0 : n + 1;
        needed[n] = dependencies(cecs, count, n, cecs[next].source == SOURCE_PREVIOUS) & all;
    }
    while (done != all) {
        unsigned before = found;
        for (unsigned n = 0; n < count; n++)
            if (!(done >> n & 1) && !(needed[n] & ~done)) {
                order[found++] = n;
                done |= (uint8_t)(1u << n);
            }
        if (found == before)
            return false;
    }
    return true;
}

struct flops {
    uint16_t in[CECS], out[CECS];
    uint8_t events;
};

static bool same_flops(const struct flops *a, const struct flops *b)
{
    return !memcmp(a->in, b->in, sizeof a->in) && !memcmp(a->out, b->out, sizeof a->out) &&
           a->events == b->events;
}

static void save_flops(const struct tally_oa *unit, struct flops *flops)
{
    memset(flops, 0, sizeof *flops);
    memcpy(flops->in, unit->previous_in, sizeof flops->in);
    memcpy(flops->out, unit->out_q, sizeof flops->out);
    flops->events = unit->ev_q;
}

static void restore_flops(struct tally_oa *unit, const struct flops *flops)
{
    memcpy(unit->previous_in, flops->in, sizeof flops->in);
    memcpy(unit->out_q, flops->out, sizeof flops->out);
    unit->ev_q = flops->events;
}

/* Clocks after which the flops do not depend on their former state: more than the longest chain,
 * eight blocks with one clock at the input and one at the output each. */
#define SETTLE_CLOCKS 20

/* Whether a bit of the NOA bus has one value from a clock of a block to its end. */
static bool is_steady(const struct block *block, unsigned bit, uint64_t from)
{
    const uint64_t *plane = block->noa[bit];
    bool value = plane[from / 64] >> (from % 64) & 1;
    for (uint64_t clock = from; clock < block->clocks; clock = (clock / 64 + 1) * 64) {
        uint64_t left = block->clocks - clock, count = 64 - clock % 64;
        uint64_t bits = low_bits((unsigned)(left < count ? left : count)) << (clock % 64);
        if ((plane[clock / 64] & bits) != (value ? bits : 0))
            return false;
    }
    return true;
}

/* Computes the flops at the end of a block from its last clocks. If the bus does not change any
 * more, the clocks after the first one that leaves the flops as they are do nothing either. */
static void update_flops(struct tally_oa *unit, const struct block *block,
                         const struct cec cecs[CECS])
{
    uint64_t start = block->clocks > SETTLE_CLOCKS ? block->clocks - SETTLE_CLOCKS : 0;
    bool steady = block->clocks > 0;
    for (unsigned bit = 0; bit < NOA_BITS && steady; bit++)
        steady = is_steady(block, bit, start);
    uint16_t noa = steady ? noa_at(block, start) : 0;
    struct flops before, after;
    save_flops(unit, &after);
    for (uint64_t clock = start; clock < block->clocks; clock++) {
        before = after;
        one_clock(unit, cecs, steady ? noa : noa_at(block, clock));
        save_flops(unit, &after);
        if (steady && same_flops(&before, &after))
            break;
    }
}

/* Returns `wanted` and all blocks that they need, directly or indirectly. */
static uint8_t closure(const struct cec cecs[CECS], unsigned count, uint8_t wanted)
{
    for (uint8_t before = 0; before != wanted;) {
        before = wanted;
        for (unsigned n = 0; n < count; n++) {
            unsigned next = n + 1 == count ? 0 : n + 1;
            bool bus = (wanted >> next & 1) && cecs[next].source == SOURCE_PREVIOUS;
            if (wanted >> n & 1)
                wanted |= dependencies(cecs, count, n, bus);
        }
    }
    return wanted;
}

static bool decode_all(const struct tally_oa *unit, struct cec cecs[CECS], unsigned order[CECS])
{
    for (unsigned n = 0; n < CECS; n++)
        cecs[n] = decode(unit, n);
    return find_order(cecs, unit->variant->cec_count, 0, order);
}

unsigned events_settle_clocks(const struct tally_oa *unit)
{
    struct cec cecs[CECS];
    unsigned order[CECS];
    return decode_all(unit, cecs, order) ? SETTLE_CLOCKS : 0;
}

/* ---- rings ----------------------------------------------------------------------------------- */

#define MAX_PERIOD 64

unsigned events_period(struct tally_oa *unit)
{
    struct cec cecs[CECS];
    struct flops start, now;
    unsigned order[CECS], period = 0;
    decode_all(unit, cecs, order);
    save_flops(unit, &start);
    do {
        one_clock(unit, cecs, unit->previous_noa);
        save_flops(unit, &now);
        period++;
    } while (period < MAX_PERIOD && !same_flops(&now, &start));
    restore_flops(unit, &start);
    return same_flops(&now, &start) ? period : 0;
}

bool events_are_settled(struct tally_oa *unit)
{
    struct cec cecs[CECS];
    struct flops before, after;
    for (unsigned n = 0; n < CECS; n++)
        cecs[n] = decode(unit, n);
    save_flops(unit, &before);
    one_clock(unit, cecs, unit->previous_noa);
    save_flops(unit, &after);
    restore_flops(unit, &before);
    return same_flops(&before, &after);
}

/* Computes one period of each event; the flops advance by the remainder after the last whole
 * period. */
static void make_periodic_events(struct tally_oa *unit, struct block *block,
                                 const struct cec cecs[CECS])
{
    for (unsigned n = 0; n < CECS; n++) {
        block->event_buffers[n][0] = 0;
        block->events[n] = block->event_buffers[n];
    }
    for (unsigned clock = 0; clock < block->period; clock++) {
        uint8_t events = one_clock(unit, cecs, unit->previous_noa);
        for (unsigned n = 0; n < CECS; n++)
            block->event_buffers[n][0] |= (uint64_t)(events >> n & 1) << clock;
    }
    for (uint64_t left = block->clocks % block->period; left; left--)
        one_clock(unit, cecs, unit->previous_noa);
}

/* ---- rings that the bus does not reach ------------------------------------------------------- */

#define FREE_CLOCKS 256u /* below this, walking takes no longer */

/* Blocks whose events depend only on each other, such as dividers of the clock, so that they have a
 * period whatever the bus does. relevant: the bits of each block's input that matter. */
struct free_blocks {
    uint8_t blocks;
    uint16_t relevant[CECS];
    unsigned period;
    uint64_t patterns[CECS]; /* of their events, a bit for each clock of the period */
};

static void find_relevant(const struct cec cecs[CECS], unsigned count, uint16_t relevant[CECS])
{
    for (unsigned n = 0; n < count; n++)
        relevant[n] = cecs[n].function == ALWAYS ? 0 : (uint16_t)~cecs[n].mask;
    for (unsigned i = 0; i < count; i++) /* the longest chain */
        for (unsigned n = 0; n < count; n++) {
            unsigned next = n + 1 == count ? 0 : n + 1;
            if (cecs[next].source == SOURCE_PREVIOUS)
                relevant[n] |= relevant[next];
        }
}

static bool is_free(const struct cec cecs[CECS], unsigned count, unsigned n,
                    const struct free_blocks *free)
{
    uint16_t relevant = free->relevant[n];
    unsigned events = relevant & 0xffu & ((1u << count) - 1);
    switch (cecs[n].source) {
    case SOURCE_NOA:
        return !relevant;
    case SOURCE_PREVIOUS:
        return !relevant || free->blocks >> (n ? n - 1 : count - 1) & 1;
    case SOURCE_EVENTS:
        return !(relevant & 0xff00) && !(events & ~(unsigned)free->blocks);
    case SOURCE_ZERO:
        break;
    }
    return true;
}

static void find_free(const struct cec cecs[CECS], unsigned count, struct free_blocks *free)
{
    bool all_previous = true;
    find_relevant(cecs, count, free->relevant);
    free->blocks = (uint8_t)((1u << count) - 1);
    for (uint8_t before = 0; before != free->blocks;) {
        before = free->blocks;
        for (unsigned n = 0; n < count; n++)
            if (!is_free(cecs, count, n, free))
                free->blocks &= (uint8_t) ~(1u << n);
    }
    for (unsigned n = 0; n < count; n++)
        all_previous = all_previous && cecs[n].source == SOURCE_PREVIOUS;
    if (all_previous) /* bits that do not matter never settle, and may matter later */
        free->blocks = 0;
}

static bool are_equal(const struct free_blocks *free, const struct flops *a, const struct flops *b)
{
    for (unsigned n = 0; n < CECS; n++)
        if (free->blocks >> n & 1 &&
            ((a->in[n] ^ b->in[n]) | (a->out[n] ^ b->out[n])) & free->relevant[n])
            return false;
    return !((a->events ^ b->events) & free->blocks);
}

/* Finds the period of the free blocks, and their events in it. Returns false if they have none yet,
 * or a longer one. */
static bool find_patterns(struct tally_oa *unit, const struct cec cecs[CECS],
                          struct free_blocks *free)
{
    struct flops start, now;
    free->period = 0;
    memset(free->patterns, 0, sizeof free->patterns);
    save_flops(unit, &start);
    do {
        uint8_t events = one_clock(unit, cecs, 0);
        for (unsigned n = 0; n < CECS; n++)
            free->patterns[n] |= (uint64_t)(events >> n & 1) << free->period;
        save_flops(unit, &now);
        free->period++;
    } while (free->period < MAX_PERIOD && !are_equal(free, &now, &start));
    restore_flops(unit, &start);
    return are_equal(free, &now, &start);
}

/* Repeats a pattern. */
static void fill(uint64_t pattern, unsigned period, size_t words, uint64_t *out)
{
    unsigned phase = 0;
    for (; 2 * period <= 64; period *= 2)
        pattern |= pattern << period;
    for (size_t word = 0; word < words; word++) {
        out[word] = 0;
        for (unsigned filled = 0; filled < 64;) {
            unsigned left = period - phase, space = 64 - filled;
            out[word] |= pattern >> phase << filled;
            phase = left > space ? phase + space : 0;
            filled += left > space ? space : left;
        }
    }
}

/* As update_flops(): the state of the free blocks, which depends on all clocks, comes first. */
static void update_free_flops(struct tally_oa *unit, const struct block *block,
                              const struct cec cecs[CECS], const struct free_blocks *free)
{
    for (uint64_t left = (block->clocks - SETTLE_CLOCKS) % free->period; left; left--)
        one_clock(unit, cecs, 0);
    update_flops(unit, block, cecs);
}

/* ---- a block of clocks ----------------------------------------------------------------------- */

/* Makes the events of `count` blocks, in their order, of those that are wanted. */
static void make_in_order(struct tally_oa *unit, struct block *block, const struct cec cecs[CECS],
                          const unsigned order[CECS], unsigned count, uint8_t wanted)
{
    struct planes planes;
    planes.unit = unit;
    planes.block = block;
    planes.cecs = cecs;
    planes.count = unit->variant->cec_count;
    memset(planes.bus, 0, sizeof planes.bus);
    for (unsigned i = 0; i < count; i++)
        if (wanted >> order[i] & 1)
            block->events[order[i]] = make_event(&planes, order[i], block->event_buffers[order[i]]);
}

/* Makes the events if all rings are free. Returns false if they are not, or have no period yet. */
static bool make_free_events(struct tally_oa *unit, struct block *block,
                             const struct cec cecs[CECS], uint8_t wanted)
{
    unsigned count = unit->variant->cec_count, order[CECS], others = 0;
    struct free_blocks free;
    if (block->clocks < FREE_CLOCKS)
        return false;
    find_free(cecs, count, &free);
    if (!free.blocks || !find_order(cecs, count, free.blocks, order) ||
        !find_patterns(unit, cecs, &free))
        return false;
    for (unsigned n = 0; n < count; n++) {
        others += !(free.blocks >> n & 1);
        block->events[n] = block->event_buffers[n];
        if (free.blocks >> n & 1)
            fill(free.patterns[n], free.period, block->words, block->event_buffers[n]);
    }
    make_in_order(unit, block, cecs, order, others, closure(cecs, count, wanted));
    update_free_flops(unit, block, cecs, &free);
    return true;
}

void make_events(struct tally_oa *unit, struct block *block, uint8_t wanted)
{
    struct cec cecs[CECS];
    unsigned count = unit->variant->cec_count, order[CECS];
    bool ordered = decode_all(unit, cecs, order);
    if (block->quiet && block->period) {
        make_periodic_events(unit, block, cecs);
        return;
    }
    if (block->quiet) { /* all events have settled */
        for (unsigned n = 0; n < CECS; n++)
            block->events[n] = unit->ev_q >> n & 1 ? block->ones : block->zeros;
        return;
    }
    if (!ordered && make_free_events(unit, block, cecs, wanted))
        return;
    if (block->clocks < 2 || !ordered) {
        walk(unit, block, cecs);
        return;
    }
    if (wanted)
        make_in_order(unit, block, cecs, order, count, closure(cecs, count, wanted));
    if (wanted || block->last)
        update_flops(unit, block, cecs);
}
