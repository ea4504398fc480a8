/* SPDX-License-Identifier: MIT */
/* The EU array's flexible events: increment event, coarse and fine filter for each of A7 to A20,
 * summed over all EUs (2.12; D37 to D40). */
#include <string.h>

#include "base/bits.h"
#include "intel/oa/unit.h"

#define PIECE_WORDS  16
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
    uint64_t first;
    size_t words;
    uint64_t clocks;
    const struct driven_number *inputs; /* TALLY_OA_EU_SIGNALS of them */
    bool made[TALLY_OA_EU_SIGNALS];
    uint64_t planes[TALLY_OA_EU_SIGNALS][4][PIECE_WORDS + 1];
    bool pulsed; /* `pulses` is made */
    uint64_t pulses[PIECE_WORDS];
    uint64_t work[PIECE_WORDS];
};

static uint64_t (*planes_of(struct eu_piece *piece,
                            enum tally_oa_eu_signal signal))[PIECE_WORDS + 1]
{
    static const uint8_t bits[TALLY_OA_EU_SIGNALS] = {1, 1, 1, 4, 3, 3};
    if (!piece->made[signal]) {
        uint64_t *const rooms[4] = {piece->planes[signal][0], piece->planes[signal][1],
                                    piece->planes[signal][2], piece->planes[signal][3]};
        const struct driven_number *input = &piece->inputs[signal];
        tally_number_planes(&input->number, piece->first - input->origin, piece->words,
                            bits[signal], rooms);
        piece->made[signal] = true;
    }
    return piece->planes[signal];
}

/* The integrator's pulses, clock by clock; `level` before the piece (D39). */
static void make_pulses(struct eu_piece *piece, unsigned level)
{
    const struct driven_number *input = &piece->inputs[TALLY_OA_THREADS];
    memset(piece->pulses, 0, sizeof piece->pulses);
    for (uint64_t clock = 0; clock < piece->clocks; clock++) {
        level += tally_number_at(&input->number, piece->first + clock - input->origin) & 15;
        if (level >= 8)
            piece->pulses[clock / 64] |= UINT64_C(1) << (clock % 64);
        level &= 7;
    }
    piece->pulsed = true;
}

static void make_increment(struct eu_piece *piece, enum increment increment, unsigned level)
{
    uint64_t *out = piece->work;
    uint64_t(*fpu0)[PIECE_WORDS + 1] = planes_of(piece, TALLY_OA_FPU0);
    uint64_t(*fpu1)[PIECE_WORDS + 1] = planes_of(piece, TALLY_OA_FPU1);
    uint64_t(*send)[PIECE_WORDS + 1] = planes_of(piece, TALLY_OA_SEND);
    uint64_t(*threads)[PIECE_WORDS + 1] =
        increment == INC_LOADED ? planes_of(piece, TALLY_OA_THREADS) : NULL;
    if (increment == INC_OCCUPANCY && !piece->pulsed)
        make_pulses(piece, level);
    for (size_t i = 0; i < piece->words; i++) {
        uint64_t any = fpu0[0][i] | fpu1[0][i] | send[0][i];
        switch (increment) {
        case INC_FPU0:
            out[i] = fpu0[0][i];
            break;
        case INC_FPU1:
            out[i] = fpu1[0][i];
            break;
        case INC_SEND:
            out[i] = send[0][i];
            break;
        case INC_BOTH:
            out[i] = fpu0[0][i] & fpu1[0][i];
            break;
        case INC_ANY:
            out[i] = any;
            break;
        case INC_LOADED:
            out[i] = (threads[0][i] | threads[1][i] | threads[2][i] | threads[3][i]) & ~any;
            break;
        case INC_OCCUPANCY:
            out[i] = piece->pulses[i];
            break;
        }
    }
}

/* Keeps the clocks at which a signal of three bits has a value. */
static void filter(struct eu_piece *piece, enum tally_oa_eu_signal signal, unsigned value)
{
    uint64_t(*planes)[PIECE_WORDS + 1] = planes_of(piece, signal);
    for (size_t i = 0; i < piece->words; i++)
        for (unsigned bit = 0; bit < 3; bit++)
            piece->work[i] &= value >> bit & 1 ? planes[bit][i] : ~planes[bit][i];
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The integrator's pulses need no clocks where nothing else filters them: carries of a sum. */
static uint64_t sum_slot(const struct tally_oa *unit, struct eu_piece *piece,
                         const struct slot *slot, unsigned level, uint64_t threads)
{
    if (slot->increment > INC_OCCUPANCY || slot->increment == 6 || slot->increment == 7)
        return 0;
    if (slot->increment == INC_OCCUPANCY && !filters_by_clock(slot))
        return (level + threads) / 8;
    make_increment(piece, (enum increment)slot->increment, level);
    if (slot->coarse >= 1 && slot->coarse <= 6)
        filter(piece, TALLY_OA_FF, slot->coarse);
    if (slot->fine >= 1 && slot->fine <= 5)
        filter(piece, TALLY_OA_KIND, slot->fine);
    (void)unit;
    return wave_kernels()->count(piece->work, 0, piece->clocks);
}

static void sum_piece(struct tally_oa *unit, const struct slot slots[FLEX_COUNT], uint64_t first,
                      uint64_t clocks, uint64_t sums[FLEX_COUNT])
{
    struct eu_piece piece;
    for (unsigned eu = 0; eu < unit->eus; eu++) {
        const struct driven_number *threads = &unit->eu_input[eu][TALLY_OA_THREADS];
        uint64_t loaded = tally_number_sum(&threads->number, first - threads->origin, clocks);
        unsigned level = unit->occupancy[eu];
        piece.first = first;
        piece.clocks = clocks;
        piece.words = (size_t)((clocks + 63) / 64);
        piece.inputs = unit->eu_input[eu];
        piece.pulsed = false;
        memset(piece.made, 0, sizeof piece.made);
        for (unsigned i = 0; i < FLEX_COUNT; i++)
            if (place_passes(&slots[i], eu))
                sums[i] += sum_slot(unit, &piece, &slots[i], level, loaded);
        unit->occupancy[eu] = (uint8_t)((level + loaded) & 7);
    }
}

void sum_flexible(struct tally_oa *unit, uint64_t first, uint64_t clocks, uint64_t sums[FLEX_COUNT])
{
    struct slot slots[FLEX_COUNT];
    memset(sums, 0, FLEX_COUNT * sizeof *sums);
    for (unsigned i = 0; i < FLEX_COUNT; i++)
        slots[i] = slot_of(unit, i);
    while (clocks && unit->eus) {
        uint64_t now = clocks < PIECE_CLOCKS ? clocks : PIECE_CLOCKS;
        sum_piece(unit, slots, first, now, sums);
        first += now;
        clocks -= now;
    }
}
