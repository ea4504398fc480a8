/* SPDX-License-Identifier: MIT */
/* Flexible events of the EU array: increment event, coarse and fine filter for each of A7 to A20,
 * summed over all EUs (OA-2.12; OA-D37 to OA-D40). */
#include "intel/oa/eus.h"

#include <string.h>

#include "base/minmax.h"

#define PIECE_WORDS  64
#define PIECE_CLOCKS (64u * PIECE_WORDS)

struct eu_slot eu_slot_of(const struct tally_oa *unit, unsigned subslice, unsigned number)
{
    uint32_t control = unit->flex[subslice][number / 2];
    if (number % 2)
        return (struct eu_slot){(uint8_t)REG_GET(EU_PERF_CNT_CTL, INCREMENT_1, control),
                                (uint8_t)REG_GET(EU_PERF_CNT_CTL, COARSE_1, control),
                                (uint8_t)REG_GET(EU_PERF_CNT_CTL, FINE_1, control)};
    return (struct eu_slot){(uint8_t)REG_GET(EU_PERF_CNT_CTL, INCREMENT_0, control),
                            (uint8_t)REG_GET(EU_PERF_CNT_CTL, COARSE_0, control),
                            (uint8_t)REG_GET(EU_PERF_CNT_CTL, FINE_0, control)};
}

bool eu_position_passes(const struct eu_slot *slot, unsigned eu)
{
    unsigned row = eu / 4 % 2, number = eu % 4;
    if (slot->coarse > 8 || slot->fine > 10 || slot->fine == 6) /* reserved: nothing (OA-D38) */
        return false;
    if (slot->coarse >= 7 && slot->coarse - 7u != row)
        return false;
    return slot->fine < 7 || slot->fine - 7u == number;
}

static bool filters_by_clock(const struct eu_slot *slot)
{
    return eu_by_ff(slot) || eu_by_kind(slot);
}

/* ---- the signals of one EU in a piece of time ------------------------------------------------ */

#define EVENTS (INC_OCCUPANCY + 1)

struct eu_piece {
    const struct wave_kernels *kernels;
    uint64_t first;
    size_t words;
    uint64_t clocks;
    const struct driven_number *inputs; /* array of TALLY_OA_EU_SIGNALS */
    unsigned level;                     /* of the occupancy integrator at the start of the piece */
    const uint64_t *planes[TALLY_OA_EU_SIGNALS][4]; /* NULL: not computed yet */
    const uint64_t *events[EVENTS];
    const uint64_t *equal[2][8]; /* signal `ff` (0) or `kind` (1) equals a value */
    uint64_t plane_buffers[TALLY_OA_EU_SIGNALS][4][PIECE_WORDS + 1];
    uint64_t event_buffers[EVENTS][PIECE_WORDS], equal_buffers[2][8][PIECE_WORDS];
    uint64_t work[PIECE_WORDS];
};

static const uint64_t *const *planes_of(struct eu_piece *piece, enum tally_oa_eu_signal signal)
{
    static const uint8_t bits[TALLY_OA_EU_SIGNALS] = {1, 1, 1, 4, 3, 3};
    const struct driven_number *input = &piece->inputs[signal];
    uint64_t *const buffers[4] = {piece->plane_buffers[signal][0], piece->plane_buffers[signal][1],
                                  piece->plane_buffers[signal][2], piece->plane_buffers[signal][3]};
    if (!piece->planes[signal][0])
        tally_number_planes(&input->number, piece->first - input->origin, piece->words,
                            bits[signal], buffers, piece->planes[signal]);
    return piece->planes[signal];
}

/* Returns the clocks at which `ff` (which = 0) or `kind` (1) has a value. */
static const uint64_t *equal_words(struct eu_piece *piece, unsigned which, unsigned value)
{
    const uint64_t **equal = &piece->equal[which][value];
    if (!*equal) {
        uint64_t *buffer = piece->equal_buffers[which][value];
        piece->kernels->combine((uint16_t)(1u << value), 3,
                                planes_of(piece, which ? TALLY_OA_KIND : TALLY_OA_FF), piece->words,
                                buffer);
        *equal = buffer;
    }
    return *equal;
}

/* Computes the pulses of the occupancy integrator, clock by clock (OA-D39). */
static void make_pulses(const struct eu_piece *piece, uint64_t *out)
{
    const struct driven_number *input = &piece->inputs[TALLY_OA_THREADS];
    unsigned level = piece->level;
    memset(out, 0, piece->words * sizeof *out);
    for (uint64_t clock = 0; clock < piece->clocks; clock++) {
        level += tally_number_at(&input->number, piece->first + clock - input->origin) & 15;
        if (level >= 8)
            out[clock / 64] |= UINT64_C(1) << (clock % 64);
        level &= 7;
    }
}

static const uint64_t *event_words(struct eu_piece *piece, enum increment increment);

static void make_event(struct eu_piece *piece, enum increment increment, uint64_t *out)
{
    const uint64_t *pipes[4] = {event_words(piece, INC_FPU0), event_words(piece, INC_FPU1),
                                event_words(piece, INC_SEND)};
    if (increment == INC_BOTH) {
        piece->kernels->combine(0x8, 2, pipes, piece->words, out);
    } else if (increment == INC_ANY) {
        piece->kernels->combine(0xfe, 3, pipes, piece->words, out);
    } else if (increment == INC_LOADED) { /* but no pipe is active */
        const uint64_t *both[4] = {piece->work, event_words(piece, INC_ANY)};
        piece->kernels->combine(0xfffe, 4, planes_of(piece, TALLY_OA_THREADS), piece->words,
                                piece->work);
        piece->kernels->combine(0x2, 2, both, piece->words, out);
    } else {
        make_pulses(piece, out);
    }
}

/* Returns an increment event of the EU. */
static const uint64_t *event_words(struct eu_piece *piece, enum increment increment)
{
    const uint64_t **event = &piece->events[increment];
    if (!*event && increment <= INC_SEND) {
        *event = planes_of(piece, (enum tally_oa_eu_signal)increment)[0];
    } else if (!*event) {
        make_event(piece, increment, piece->event_buffers[increment]);
        *event = piece->event_buffers[increment];
    }
    return *event;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Returns what a slot counts in a piece. Unfiltered pulses of the integrator are the carries of a
 * sum; `threads` is the sum of loaded threads in the piece. */
static uint64_t sum_slot(struct eu_piece *piece, const struct eu_slot *slot, uint64_t threads)
{
    if (slot->increment == INC_OCCUPANCY && !filters_by_clock(slot))
        return (piece->level + threads) / 8;
    const uint64_t *event = event_words(piece, (enum increment)slot->increment);
    if (!filters_by_clock(slot))
        return piece->kernels->count(event, 0, piece->clocks);
    if (eu_by_ff(slot) && eu_by_kind(slot)) {
        const uint64_t *both[4] = {event, equal_words(piece, 1, slot->fine)};
        piece->kernels->combine(0x8, 2, both, piece->words, piece->work);
        event = piece->work;
    }
    return piece->kernels->count_and(
        event,
        eu_by_ff(slot) ? equal_words(piece, 0, slot->coarse) : equal_words(piece, 1, slot->fine), 0,
        piece->clocks);
}

/* Whether the filters pass in a piece with constant signals. */
static bool filters_hold(struct eu_piece *piece, const struct eu_slot *slot)
{
    return (!eu_by_ff(slot) || (equal_words(piece, 0, slot->coarse)[0] & 1)) &&
           (!eu_by_kind(slot) || (equal_words(piece, 1, slot->fine)[0] & 1));
}

/* Returns for how many clocks the signals of an EU are constant; inexact up to PIECE_CLOCKS. */
static uint64_t steady_clocks(const struct driven_number inputs[TALLY_OA_EU_SIGNALS],
                              uint64_t first)
{
    uint64_t clocks = UINT64_MAX;
    for (unsigned i = 0; i < TALLY_OA_EU_SIGNALS && clocks > PIECE_CLOCKS; i++) {
        uint64_t steady = tally_number_steady(&inputs[i].number, first - inputs[i].origin);
        clocks = min_u64(steady, clocks);
    }
    return clocks;
}

/* Looks at the signals of a group, and at which events its slots count if they are levels. */
static void look_at(const struct tally_oa *unit, struct eu_group *group, uint64_t first)
{
    find_levels(unit->eu_input[group->first], first, &group->levels);
    for (unsigned i = 0; i < FLEX_COUNT; i++) {
        const struct eu_slot *slot = &group->slots[i];
        bool passes = (!eu_by_ff(slot) || slot->coarse == group->levels.ff) &&
                      (!eu_by_kind(slot) || slot->fine == group->levels.kind);
        group->events[i] = passes ? slot->increment : INC_NOTHING;
    }
}

/* Adds what a group counts, if its signals are levels in all of the clocks; else returns false. */
static bool add_levels(struct tally_oa *unit, struct eu_group *group, uint64_t first,
                       uint64_t clocks, uint64_t sums[FLEX_COUNT])
{
    struct level_sums drawn;
    if (group->levels.until < first + clocks)
        look_at(unit, group, first);
    if (!group->levels.hold || group->levels.until < first + clocks)
        return false;
    sum_levels(&group->levels, first, clocks, &drawn);
    uint64_t threads = unit->occupancy[group->first] + drawn.threads;
    const uint64_t events[EVENTS] = {
        [INC_FPU0] = drawn.pipes[0],  [INC_FPU1] = drawn.pipes[1], [INC_SEND] = drawn.pipes[2],
        [INC_BOTH] = drawn.both,      [INC_ANY] = drawn.any,       [INC_LOADED] = drawn.loaded,
        [INC_OCCUPANCY] = threads / 8};
    for (unsigned i = 0; i < FLEX_COUNT; i++)
        sums[i] += group->members * events[group->events[i]];
    unit->occupancy[group->first] = (uint8_t)(threads & 7);
    return true;
}

/* Sums an EU over [first, first + clocks), in pieces; constant signals are evaluated for one clock
 * and multiplied. */
static void sum_eu(struct tally_oa *unit, struct eu_piece *piece, unsigned eu,
                   const struct eu_slot slots[FLEX_COUNT], uint64_t first, uint64_t clocks,
                   uint64_t sums[FLEX_COUNT])
{
    const struct driven_number *inputs = unit->eu_input[eu];
    const struct driven_number *threads = &inputs[TALLY_OA_THREADS];
    piece->inputs = inputs;
    while (clocks) {
        uint64_t steady = clocks > PIECE_CLOCKS ? steady_clocks(inputs, first) : 0;
        bool constant = steady > PIECE_CLOCKS;
        uint64_t now =
            constant ? steady : PIECE_CLOCKS - first % 64; /* aligned with the words of waves */
        now = min_u64(now, clocks);
        uint64_t loaded = tally_number_sum(&threads->number, first - threads->origin, now);
        piece->first = first;
        piece->clocks = constant ? 1 : now;
        piece->words = (size_t)((piece->clocks + 63) / 64);
        piece->level = unit->occupancy[eu];
        memset(piece->planes, 0, sizeof piece->planes);
        memset(piece->events, 0, sizeof piece->events);
        memset(piece->equal, 0, sizeof piece->equal);
        for (unsigned i = 0; i < FLEX_COUNT; i++) {
            const struct eu_slot *slot = &slots[i];
            if (slot->increment == INC_NOTHING)
                continue;
            bool pulses = slot->increment == INC_OCCUPANCY;
            if (!constant || (pulses && !filters_by_clock(slot)))
                sums[i] += sum_slot(piece, slot, loaded);
            else if (pulses) /* the filters pass at all clocks or at none */
                sums[i] += filters_hold(piece, slot) ? (piece->level + loaded) / 8 : 0;
            else
                sums[i] += now * sum_slot(piece, slot, 0);
        }
        unit->occupancy[eu] = (uint8_t)((piece->level + loaded) & 7);
        first += now;
        clocks -= now;
    }
}

/* ---- the array ------------------------------------------------------------------------------- */

static bool is_zero(const struct tally_number *number)
{
    return number->kind == TALLY_NUMBER_TIMES && !number->value;
}

static bool belongs_to(const struct tally_oa *unit, unsigned eu, const struct eu_group *group)
{
    const unsigned first = group->first;
    const struct eu_place place = unit->places[eu], other = unit->places[first];
    return place.number % ROWS_EUS == other.number % ROWS_EUS &&
           unit->occupancy[eu] == unit->occupancy[first] &&
           !memcmp(unit->flex[place.subslice], unit->flex[other.subslice], sizeof unit->flex[0]) &&
           !memcmp(unit->eu_input[eu], unit->eu_input[first], sizeof unit->eu_input[0]);
}

static void start_group(const struct tally_oa *unit, unsigned eu, struct eu_group *group)
{
    const struct eu_place place = unit->places[eu];
    *group = (struct eu_group){.first = (uint8_t)eu};
    for (unsigned i = 0; i < FLEX_COUNT; i++) {
        struct eu_slot slot = eu_slot_of(unit, place.subslice, i);
        bool counts = !eu_counts_nothing(&slot) && eu_position_passes(&slot, place.number);
        group->slots[i] = counts ? slot : (struct eu_slot){.increment = INC_NOTHING};
    }
}

/* Groups the EUs that count the same. The groups hold until an input, an event or an occupancy is
 * written: the EUs of a group load the same threads, so that their occupancies stay equal. */
static void find_groups(struct tally_oa *unit)
{
    unit->group_count = 0;
    for (unsigned eu = 0; eu < unit->eus; eu++) {
        unsigned number = 0;
        while (number < unit->group_count && !belongs_to(unit, eu, &unit->groups[number]))
            number++;
        if (number == unit->group_count)
            start_group(unit, eu, &unit->groups[unit->group_count++]);
        unit->groups[number].members++;
        unit->group_of[eu] = (uint8_t)number;
    }
    unit->array_idle = true;
    for (unsigned eu = 0; eu < unit->eus; eu++)
        for (unsigned i = 0; i < TALLY_OA_EU_SIGNALS; i++)
            unit->array_idle = unit->array_idle && is_zero(&unit->eu_input[eu][i].number);
    unit->groups_stale = false;
}

void sum_flexible(struct tally_oa *unit, uint64_t first, uint64_t clocks, uint64_t sums[FLEX_COUNT])
{
    struct eu_piece piece;
    memset(sums, 0, FLEX_COUNT * sizeof *sums);
    if (unit->groups_stale) {
        find_groups(unit);
        select_eu_work(unit, first);
    }
    add_eu_work(unit, first, clocks, sums);
    if (unit->array_idle)
        return;
    piece.kernels = wave_kernels();
    for (unsigned number = 0; number < unit->group_count; number++) {
        struct eu_group *group = &unit->groups[number];
        uint64_t own[FLEX_COUNT] = {0};
        if (add_levels(unit, group, first, clocks, sums))
            continue;
        sum_eu(unit, &piece, group->first, group->slots, first, clocks, own);
        for (unsigned i = 0; i < FLEX_COUNT; i++)
            sums[i] += group->members * own[i];
    }
    for (unsigned eu = 0; eu < unit->eus; eu++)
        unit->occupancy[eu] = unit->occupancy[unit->groups[unit->group_of[eu]].first];
}
