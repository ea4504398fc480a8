/* SPDX-License-Identifier: MIT */
/* The EU array's flexible events: increment event, coarse and fine filter for each of A7 to A20,
 * summed over all EUs (2.12; D37 to D40). */
#include <string.h>

#include "base/bits.h"
#include "intel/oa/unit.h"

#define PIECE_WORDS  64
#define PIECE_CLOCKS (64u * PIECE_WORDS)

enum increment { INC_FPU0, INC_FPU1, INC_SEND, INC_BOTH, INC_ANY, INC_LOADED, INC_OCCUPANCY = 8 };

struct slot {
    uint8_t increment, coarse, fine;
};

static struct slot slot_of(const struct tally_oa *unit, unsigned number)
{
    uint32_t half = unit->regs[OA_EU_CTL + number / 2] >> (12 * (number % 2));
    return (struct slot){half & 15, half >> 4 & 15, half >> 8 & 15};
}

/* Filters that depend on the EU's place alone (D37): does it pass? */
static bool place_passes(const struct slot *slot, unsigned eu)
{
    unsigned row = eu / 4 % 2, number = eu % 4;
    if (slot->coarse > 8 || slot->fine > 10 || slot->fine == 6) /* reserved: nothing (D38) */
        return false;
    if (slot->coarse >= 7 && slot->coarse - 7u != row)
        return false;
    return slot->fine < 7 || slot->fine - 7u == number;
}

static bool filters_by_clock(const struct slot *slot)
{
    return (slot->coarse >= 1 && slot->coarse <= 6) || (slot->fine >= 1 && slot->fine <= 5);
}

/* ---- the signals of one EU in a piece of time ------------------------------------------------ */

struct eu_piece {
    const struct wave_kernels *kernels;
    uint64_t first;
    size_t words;
    uint64_t clocks;
    const struct driven_number *inputs; /* TALLY_OA_EU_SIGNALS of them */
    bool made[TALLY_OA_EU_SIGNALS], loaded_made, pulses_made;
    uint16_t equal_made[2]; /* values whose `equal` is made */
    const uint64_t *planes[TALLY_OA_EU_SIGNALS][4];
    uint64_t rooms[TALLY_OA_EU_SIGNALS][4][PIECE_WORDS + 1];
    uint64_t equal[2][8][PIECE_WORDS]; /* `ff`, `kind` equals a value */
    uint64_t loaded[PIECE_WORDS], pulses[PIECE_WORDS], work[PIECE_WORDS];
};

static const uint64_t *const *planes_of(struct eu_piece *piece, enum tally_oa_eu_signal signal)
{
    static const uint8_t bits[TALLY_OA_EU_SIGNALS] = {1, 1, 1, 4, 3, 3};
    if (!piece->made[signal]) {
        uint64_t *const rooms[4] = {piece->rooms[signal][0], piece->rooms[signal][1],
                                    piece->rooms[signal][2], piece->rooms[signal][3]};
        const struct driven_number *input = &piece->inputs[signal];
        tally_number_planes(&input->number, piece->first - input->origin, piece->words,
                            bits[signal], rooms, piece->planes[signal]);
        piece->made[signal] = true;
    }
    return piece->planes[signal];
}

static const uint64_t *loaded_words(struct eu_piece *piece)
{
    if (!piece->loaded_made) {
        const uint64_t *const *threads = planes_of(piece, TALLY_OA_THREADS);
        piece->kernels->combine(0xfffe, 4, threads, piece->words, piece->loaded);
        piece->loaded_made = true;
    }
    return piece->loaded;
}

/* The clocks at which a signal of three bits, `ff` (0) or `kind` (1), has a value. */
static const uint64_t *equal_words(struct eu_piece *piece, unsigned which, unsigned value)
{
    uint64_t *out = piece->equal[which][value];
    if (!(piece->equal_made[which] >> value & 1)) {
        const uint64_t *const *bits = planes_of(piece, which ? TALLY_OA_KIND : TALLY_OA_FF);
        piece->kernels->combine((uint16_t)(1u << value), 3, bits, piece->words, out);
        piece->equal_made[which] |= (uint16_t)(1u << value);
    }
    return out;
}

/* The integrator's pulses, clock by clock; `level` before the piece (D39). */
static const uint64_t *pulse_words(struct eu_piece *piece, unsigned level)
{
    const struct driven_number *input = &piece->inputs[TALLY_OA_THREADS];
    if (piece->pulses_made)
        return piece->pulses;
    memset(piece->pulses, 0, sizeof piece->pulses);
    for (uint64_t clock = 0; clock < piece->clocks; clock++) {
        level += tally_number_at(&input->number, piece->first + clock - input->origin) & 15;
        if (level >= 8)
            piece->pulses[clock / 64] |= UINT64_C(1) << (clock % 64);
        level &= 7;
    }
    piece->pulses_made = true;
    return piece->pulses;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The increment events as functions of fpu0, fpu1, send and "a thread is loaded", of the first so
 * many of them. */
static const struct {
    uint8_t first, arity;
    uint16_t table;
} increments[] = {
    [INC_FPU0] = {0, 1, 2}, [INC_FPU1] = {1, 1, 2},   [INC_SEND] = {2, 1, 2},
    [INC_BOTH] = {0, 2, 8}, [INC_ANY] = {0, 3, 0xfe}, [INC_LOADED] = {0, 4, 0x0100},
};

static bool counts_nothing(const struct slot *slot)
{
    return slot->increment > INC_OCCUPANCY || slot->increment == 6 || slot->increment == 7;
}

/* What a slot counts in a piece. The integrator's pulses need no clocks where nothing else filters
 * them: they are the carries of a sum. */
static uint64_t sum_slot(struct eu_piece *piece, const struct slot *slot, unsigned level,
                         uint64_t threads)
{
    bool by_ff = slot->coarse >= 1 && slot->coarse <= 6,
         by_kind = slot->fine >= 1 && slot->fine <= 5;
    if (counts_nothing(slot))
        return 0;
    if (slot->increment == INC_OCCUPANCY && !filters_by_clock(slot))
        return (level + threads) / 8;
    const uint64_t *pipes[4] = {planes_of(piece, TALLY_OA_FPU0)[0],
                                planes_of(piece, TALLY_OA_FPU1)[0],
                                planes_of(piece, TALLY_OA_SEND)[0],
                                slot->increment == INC_LOADED ? loaded_words(piece) : NULL};
    if (!filters_by_clock(slot))
        return piece->kernels->count_combine(
            increments[slot->increment].table, increments[slot->increment].arity,
            pipes + increments[slot->increment].first, piece->clocks);
    const uint64_t *all[4] = {piece->work};
    unsigned count = 1;
    if (slot->increment <= INC_SEND)
        all[0] = pipes[slot->increment];
    else if (slot->increment == INC_OCCUPANCY)
        all[0] = pulse_words(piece, level);
    else
        piece->kernels->combine(increments[slot->increment].table,
                                increments[slot->increment].arity, pipes, piece->words,
                                piece->work);
    if (by_ff)
        all[count++] = equal_words(piece, 0, slot->coarse);
    if (by_kind)
        all[count++] = equal_words(piece, 1, slot->fine);
    return piece->kernels->count_combine(count == 2 ? 0x8 : 0x80, count, all, piece->clocks);
}

/* In a still piece: do the filters let everything through? */
static bool filters_hold(struct eu_piece *piece, const struct slot *slot)
{
    bool by_ff = slot->coarse >= 1 && slot->coarse <= 6,
         by_kind = slot->fine >= 1 && slot->fine <= 5;
    return (!by_ff || (equal_words(piece, 0, slot->coarse)[0] & 1)) &&
           (!by_kind || (equal_words(piece, 1, slot->fine)[0] & 1));
}

/* For how many clocks none of an EU's signals moves. */
static uint64_t steady_clocks(const struct driven_number inputs[TALLY_OA_EU_SIGNALS],
                              uint64_t first)
{
    uint64_t clocks = UINT64_MAX;
    for (unsigned i = 0; i < TALLY_OA_EU_SIGNALS && clocks > PIECE_CLOCKS; i++) {
        uint64_t steady = tally_number_steady(&inputs[i].number, first - inputs[i].origin);
        clocks = steady < clocks ? steady : clocks;
    }
    return clocks;
}

/* One EU over [first, first + clocks), in pieces; where nothing moves one clock stands for many. */
static void sum_eu(struct tally_oa *unit, struct eu_piece *piece, unsigned eu,
                   const struct slot slots[FLEX_COUNT], uint64_t first, uint64_t clocks,
                   uint64_t sums[FLEX_COUNT])
{
    const struct driven_number *inputs = unit->eu_input[eu];
    const struct driven_number *threads = &inputs[TALLY_OA_THREADS];
    piece->inputs = inputs;
    while (clocks) {
        unsigned level = unit->occupancy[eu];
        uint64_t steady = clocks > PIECE_CLOCKS ? steady_clocks(inputs, first) : 0;
        bool still = steady > PIECE_CLOCKS;
        uint64_t now =
            still ? steady : PIECE_CLOCKS - first % 64; /* in step with the waves' words */
        now = now < clocks ? now : clocks;
        uint64_t loaded = tally_number_sum(&threads->number, first - threads->origin, now);
        piece->first = first;
        piece->clocks = still ? 1 : now;
        piece->words = (size_t)((piece->clocks + 63) / 64);
        piece->loaded_made = piece->pulses_made = false;
        piece->equal_made[0] = piece->equal_made[1] = 0;
        memset(piece->made, 0, sizeof piece->made);
        for (unsigned i = 0; i < FLEX_COUNT; i++) {
            if (!place_passes(&slots[i], eu))
                continue;
            bool pulses = slots[i].increment == INC_OCCUPANCY;
            if (!still || (pulses && !filters_by_clock(&slots[i]))) {
                sums[i] += sum_slot(piece, &slots[i], level, loaded);
            } else if (pulses) { /* the filters hold all the time or never */
                sums[i] += filters_hold(piece, &slots[i]) ? (level + loaded) / 8 : 0;
            } else {
                sums[i] += now * sum_slot(piece, &slots[i], level, 0);
            }
        }
        unit->occupancy[eu] = (uint8_t)((level + loaded) & 7);
        first += now;
        clocks -= now;
    }
}

void sum_flexible(struct tally_oa *unit, uint64_t first, uint64_t clocks, uint64_t sums[FLEX_COUNT])
{
    struct slot slots[FLEX_COUNT];
    struct eu_piece piece;
    memset(sums, 0, FLEX_COUNT * sizeof *sums);
    if (!unit->eus)
        return;
    for (unsigned i = 0; i < FLEX_COUNT; i++)
        slots[i] = slot_of(unit, i);
    piece.kernels = wave_kernels();
    for (unsigned eu = 0; eu < unit->eus; eu++)
        sum_eu(unit, &piece, eu, slots, first, clocks, sums);
}
