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
static unsigned rotation(const struct tally_wave *wave, uint64_t clock)
{
    return tally_splitmix64(wave->value, clock / BLOCK) % BLOCK;
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
        uint64_t bits = bits_from(pattern, offset + rotation(wave, clock));
        if (left < 64) { /* the next block begins in this word */
            bits &= (UINT64_C(1) << left) - 1;
            bits |= bits_from(pattern, rotation(wave, clock + left)) << left;
        }
        buffer[i] = bits;
    }
    return buffer;
}

/* Counts the ones between the start of a clock's block and the clock. */
static uint64_t ones_before(const struct tally_wave *wave, uint64_t clock)
{
    const struct pattern *pattern = &patterns[wave->chance];
    unsigned start = rotation(wave, clock), end = start + clock % BLOCK;
    unsigned circles = end / BLOCK;
    return circles * wave->chance + pattern->before[end % BLOCK] - pattern->before[start];
}

uint64_t scatter_count(const struct tally_wave *wave, uint64_t first, uint64_t count)
{
    uint64_t blocks = count / BLOCK + (first % BLOCK + count % BLOCK) / BLOCK;
    return blocks * wave->chance + ones_before(wave, first + count) - ones_before(wave, first);
}
