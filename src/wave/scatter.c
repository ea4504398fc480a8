/* SPDX-License-Identifier: MIT */
/*
 * Scattered waves: a fixed share of each block of 256 clocks is 1.
 *
 * Every block repeats one pattern, rotated by a pseudo-random number of clocks, so whole blocks
 * are counted without looking at them, and parts of a block by two entries of a table.
 */
#include "wave/scatter.h"

#include <pthread.h>

#define BLOCK 256u
#define STEP  157u /* odd, so that each rank occurs once; close to 256 / golden ratio */

struct pattern {
    uint64_t words[BLOCK / 64];
    uint8_t before[BLOCK]; /* ones below each bit */
};

static struct pattern patterns[BLOCK]; /* by chance */
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_patterns(void)
{
    for (unsigned chance = 1; chance < BLOCK; chance++) {
        struct pattern *pattern = &patterns[chance];
        uint8_t ones = 0;
        for (unsigned bit = 0; bit < BLOCK; bit++) {
            pattern->before[bit] = ones;
            if (STEP * bit % BLOCK >= chance)
                continue;
            pattern->words[bit / 64] |= UINT64_C(1) << bit % 64;
            ones++;
        }
    }
}

struct tally_wave tally_wave_scatter(uint64_t seed, unsigned chance)
{
    if (chance == 0 || chance >= BLOCK)
        return tally_wave_constant(chance != 0);
    pthread_once(&made, make_patterns);
    return (struct tally_wave){.kind = TALLY_WAVE_SCATTER, .chance = chance, .value = seed};
}

/* Returns the bit of the pattern at which a clock's block starts. */
static unsigned rotation(uint64_t seed, uint64_t clock)
{
    return tally_splitmix64(seed, clock / BLOCK) % BLOCK;
}

/* Returns 64 bits of a pattern from `bit` on, continuing at its start after its end. */
static uint64_t bits_from(const struct pattern *pattern, unsigned bit)
{
    unsigned word = bit / 64 % 4, shift = bit % 64;
    uint64_t bits = pattern->words[word] >> shift;
    return shift ? bits | pattern->words[(word + 1) % 4] << (64 - shift) : bits;
}

const uint64_t *scatter_words(const struct tally_wave *wave, uint64_t first, size_t count,
                              uint64_t *buffer)
{
    const struct pattern *pattern = &patterns[wave->chance];
    for (size_t i = 0; i < count; i++) {
        uint64_t clock = first + 64 * i;
        unsigned offset = clock % BLOCK, left = BLOCK - offset;
        uint64_t bits = bits_from(pattern, offset + rotation(wave->value, clock));
        if (left < 64) { /* the next block begins in this word */
            bits &= (UINT64_C(1) << left) - 1;
            bits |= bits_from(pattern, rotation(wave->value, clock + left)) << left;
        }
        buffer[i] = bits;
    }
    return buffer;
}

/* A place in the wave: the bits of the pattern at which the clock's block and the clock are. */
struct place {
    unsigned start, end;
};

static struct place place_of(uint64_t seed, uint64_t clock)
{
    unsigned start = rotation(seed, clock);
    return (struct place){start, start + clock % BLOCK};
}

/* Counts the ones between the start of a clock's block and the clock. */
static uint64_t ones_before(const struct place *place, unsigned chance)
{
    const struct pattern *pattern = &patterns[chance];
    unsigned circles = place->end / BLOCK;
    return circles * chance + pattern->before[place->end % BLOCK] - pattern->before[place->start];
}

void scatter_sums(uint64_t seed, const uint16_t chances[], unsigned waves, uint64_t first,
                  uint64_t count, uint64_t sums[])
{
    uint64_t blocks = count / BLOCK + (first % BLOCK + count % BLOCK) / BLOCK;
    struct place from = place_of(seed, first), to = place_of(seed, first + count);
    for (unsigned i = 0; i < waves; i++)
        sums[i] =
            blocks * chances[i] + ones_before(&to, chances[i]) - ones_before(&from, chances[i]);
}

uint64_t scatter_count(const struct tally_wave *wave, uint64_t first, uint64_t count)
{
    const uint16_t chance = (uint16_t)wave->chance;
    uint64_t sum;
    scatter_sums(wave->value, &chance, 1, first, count, &sum);
    return sum;
}
