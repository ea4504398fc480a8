/* SPDX-License-Identifier: MIT */
/*
 * Slots for functions. In the counter modes for integers, START_SRC and parts of EVENT_SRC hold the
 * integer's bits; what else START and EVENT count must use the same signals (PCOUNTER, "Special
 * counter modes").
 */
#include "driver/perfmon/place.h"

#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/registers.h"

#define FREE    (-1)
#define B4_BITS 4u
#define B2_BITS 2u
#define ALWAYS  UINT16_MAX

enum mode {
    SIMPLE = PCOUNTER_CTR_MODE__SIMPLE,
    EVENT_B4 = PCOUNTER_CTR_MODE__EVENT_B4,
    EVENT_B6 = PCOUNTER_CTR_MODE__EVENT_B6,
    EXTRA_B4 = PCOUNTER_CTR_MODE__EXTRA_B4,
    EXTRA_B6_EVENT_B2 = PCOUNTER_CTR_MODE__EXTRA_B6_EVENT_B2,
    MODES
};

/* What CTR_START and CTR_EVENT count in a counter mode: a logic function (`bits` 0), or an integer
 * of up to `bits` signals, at every clock or only at those of the EVENT input. */
struct counter {
    uint8_t bits;
    bool gated;
};
static const struct counter start_counters[MODES] = {
    [EXTRA_B4] = {4, false},
    [EXTRA_B6_EVENT_B2] = {6, false},
};
static const struct counter event_counters[MODES] = {
    [EVENT_B4] = {4, true},
    [EVENT_B6] = {6, true},
    [EXTRA_B6_EVENT_B2] = {2, false},
};

/* The signals of the SRC registers; FREE: not yet used. */
struct sources {
    int16_t signals[SLOTS][EXPRESSION_LEAVES];
    uint32_t operations[SLOTS];
};

static const struct counter *counter_of(unsigned slot, unsigned mode)
{
    static const struct counter simple;
    if (slot == SLOT_START)
        return &start_counters[mode];
    return slot == SLOT_EVENT ? &event_counters[mode] : &simple;
}

/* Whether a slot counts functions of this kind in a counter mode. */
static bool fits_slot(const struct perfmon_function *function, unsigned slot, unsigned mode)
{
    const struct counter *counter = counter_of(slot, mode);
    if (!function->bit_count || !counter->bits)
        return !function->bit_count && !counter->bits;
    return function->bit_count <= counter->bits &&
           (counter->gated || (!function->logic.count && function->logic.table == ALWAYS));
}

/* ---- sources --------------------------------------------------------------------------------- */

/* Sets a source that must be this signal. */
static bool set_source(struct sources *sources, unsigned slot, unsigned i, int signal)
{
    int16_t *source = &sources->signals[slot][i];
    if (signal < 0 || (*source != FREE && *source != signal))
        return false;
    *source = (int16_t)signal;
    return true;
}

/* Selects the bits of an integer. Those beyond the function's must be 0. Where the integer of
 * CTR_EVENT has two bits they are in EVENT_SRC, else the first four are in START_SRC. */
static bool set_bits(const struct place_limits *limits, struct sources *sources,
                     const struct perfmon_function *function, unsigned width)
{
    bool small = width == B2_BITS;
    for (unsigned i = 0; i < width; i++) {
        int signal = i < function->bit_count ? function->bits[i] : limits->zero;
        unsigned slot = small || i >= B4_BITS ? SLOT_EVENT : SLOT_START;
        unsigned source = i < B4_BITS ? i : i - B4_BITS + B2_BITS;
        if (!set_source(sources, slot, source, signal))
            return false;
    }
    return true;
}

/* Finds arguments for a logic function from its `leaf`-th signal on: its own signals if they are
 * selected, else free ones. Only arguments 0 and 1 can be delayed. */
static bool set_arguments(struct sources *sources, unsigned slot, const struct perfmon_logic *logic,
                          unsigned leaf, unsigned used, uint8_t positions[EXPRESSION_LEAVES])
{
    if (leaf == logic->count)
        return true;
    int16_t *signals = sources->signals[slot];
    for (unsigned shared = 2; shared-- > 0;) {
        for (uint8_t i = 0; i < EXPRESSION_LEAVES; i++) {
            int16_t before = signals[i];
            if ((used >> i & 1) || (logic->delayed[leaf] && i >= EXPRESSION_DELAYED) ||
                before != (shared ? logic->signals[leaf] : FREE))
                continue;
            positions[leaf] = i;
            signals[i] = logic->signals[leaf];
            if (set_arguments(sources, slot, logic, leaf + 1, used | 1u << i, positions))
                return true;
            signals[i] = before;
        }
    }
    return false;
}

/* Returns an OP register: the table over the positions of the arguments, and the delays. */
static uint32_t operation(const struct perfmon_logic *logic,
                          const uint8_t positions[EXPRESSION_LEAVES])
{
    uint32_t table = 0, delays = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned from = 0;
        for (unsigned leaf = 0; leaf < logic->count; leaf++)
            from |= (i >> positions[leaf] & 1) << leaf;
        table |= (logic->table >> from & 1u) << i;
    }
    for (unsigned leaf = 0; leaf < logic->count; leaf++)
        if (logic->delayed[leaf])
            delays |= positions[leaf] ? REG_MASK(PCOUNTER_OP, ARG1_DELAY)
                                      : REG_MASK(PCOUNTER_OP, ARG0_DELAY);
    return REG_PUT(PCOUNTER_OP, LOGIC, table) | delays;
}

static bool set_logic(struct sources *sources, unsigned slot, const struct perfmon_logic *logic)
{
    /* Delayed signals first: they have fewer places. */
    struct perfmon_logic sorted = {0};
    uint8_t order[EXPRESSION_LEAVES], positions[EXPRESSION_LEAVES];
    for (unsigned delayed = 2; delayed-- > 0;)
        for (uint8_t i = 0; i < logic->count; i++)
            if (logic->delayed[i] == (delayed != 0))
                order[sorted.count++] = i;
    for (unsigned i = 0; i < sorted.count; i++) {
        sorted.signals[i] = logic->signals[order[i]];
        sorted.delayed[i] = logic->delayed[order[i]];
    }
    sorted.table = perfmon_table_reorder(logic->table, order, sorted.count);
    if (!set_arguments(sources, slot, &sorted, 0, 0, positions))
        return false;
    sources->operations[slot] = operation(&sorted, positions);
    return true;
}

/* ---- slots ----------------------------------------------------------------------------------- */

struct assignment {
    const struct place_limits *limits;
    const struct perfmon_function *const *functions;
    unsigned count, mode;
    uint8_t slots[SLOTS]; /* of each function */
};

/* Selects the sources of all functions: first the bits of integers, which have fixed places. */
static bool select_sources(const struct assignment *assignment, struct sources *sources)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        for (unsigned i = 0; i < EXPRESSION_LEAVES; i++)
            sources->signals[slot][i] = FREE;
    memset(sources->operations, 0, sizeof sources->operations);
    for (unsigned i = 0; i < assignment->count; i++) {
        const struct perfmon_function *function = assignment->functions[i];
        unsigned width = counter_of(assignment->slots[i], assignment->mode)->bits;
        if (width && !set_bits(assignment->limits, sources, function, width))
            return false;
    }
    for (unsigned i = 0; i < assignment->count; i++) {
        const struct perfmon_function *function = assignment->functions[i];
        if (!set_logic(sources, assignment->slots[i], &function->logic))
            return false;
    }
    return true;
}

/* Assigns slots from function `next` on. */
static bool assign(struct assignment *assignment, unsigned next, unsigned used,
                   struct sources *sources)
{
    if (next == assignment->count)
        return select_sources(assignment, sources);
    for (uint8_t slot = 0; slot < SLOTS; slot++) {
        if (!(assignment->limits->slots >> slot & 1) || (used >> slot & 1) ||
            !fits_slot(assignment->functions[next], slot, assignment->mode))
            continue;
        assignment->slots[next] = slot;
        if (assign(assignment, next + 1, used | 1u << slot, sources))
            return true;
    }
    return false;
}

static void take_result(const struct assignment *assignment, const struct sources *sources,
                        struct place_result *result)
{
    int zero = assignment->limits->zero;
    result->mode = (uint8_t)assignment->mode;
    memcpy(result->slots, assignment->slots, sizeof result->slots);
    memcpy(result->operations, sources->operations, sizeof result->operations);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        uint8_t bytes[EXPRESSION_LEAVES];
        for (unsigned i = 0; i < EXPRESSION_LEAVES; i++) {
            int signal = sources->signals[slot][i];
            bytes[i] = (uint8_t)(signal != FREE ? signal : zero < 0 ? 0 : zero);
        }
        result->sources[slot] = load_le32(bytes);
    }
}

bool place_functions(const struct place_limits *limits, uint8_t modes,
                     const struct perfmon_function *const *functions, unsigned count,
                     struct place_result *result)
{
    struct assignment assignment = {.limits = limits, .functions = functions, .count = count};
    struct sources sources;
    if (count > SLOTS)
        return false;
    for (unsigned mode = 0; mode < MODES; mode++) {
        if (!(limits->modes & modes & 1u << mode))
            continue;
        assignment.mode = mode;
        if (!assign(&assignment, 0, 0, &sources))
            continue;
        if (result)
            take_result(&assignment, &sources, result);
        return true;
    }
    return false;
}

uint8_t place_modes(const struct place_limits *limits, const struct perfmon_function *function)
{
    uint8_t modes = 0;
    for (unsigned mode = 0; mode < MODES; mode++)
        if (place_functions(limits, (uint8_t)(1u << mode), &function, 1, NULL))
            modes |= (uint8_t)(1u << mode);
    return modes;
}
