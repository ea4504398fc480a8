/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_KERNELS_H
#define TALLY_WAVE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The inner loops over words of 64 clocks. kernels.c is compiled once for each instruction set; all
 * give the same bits. Inputs may be equal; an output is none of the inputs unless it says so.
 */
struct wave_kernels {
    /* Words of the pseudo-random wave, chance 1 to 256. Word 0 has the values `index` to + 7. */
    void (*prng)(uint64_t seed, uint32_t chance, uint64_t index, size_t count, uint64_t *out);

    /* Ones of up to four such waves of one generator, chances[i] of 256 each, in the clocks [first,
     * first + clocks): clock k is a byte of value k / 8. */
    void (*prng_sums)(uint64_t seed, const uint16_t chances[], unsigned count, uint64_t first,
                      uint64_t clocks, uint64_t sums[]);

    /* Words of an even flow: a clock is 1 when rest + numerator, which is the next clock's rest,
     * reaches the denominator, and then loses it. rest, numerator < denominator <= 2^32. */
    void (*rate)(uint64_t rest, uint64_t numerator, uint64_t denominator, size_t count,
                 uint64_t *out);

    /* out[i] = words[i] shifted down by `shift` (1 to 63), filled from words[i + 1]. In place is
     * allowed; reads count + 1 words. */
    void (*align)(const uint64_t *words, unsigned shift, size_t count, uint64_t *out);

    /* The signal `by` (1 to 63) clocks later: each word shifted up, filled from the word before;
     * the lowest bits of the first are `carry`. */
    void (*delay)(const uint64_t *words, unsigned by, uint64_t carry, size_t count, uint64_t *out);

    /* One function of up to four signals: at each clock, bit (a0 + 2 a1 + 4 a2 + 8 a3) of `table`.
     * arity: 0 to 4; the table has 2^arity bits and arguments from `arity` on are not read. */
    void (*combine)(uint16_t table, unsigned arity, const uint64_t *const arguments[4],
                    size_t count, uint64_t *out);

    /* Ones in the clocks [from, to), counted from bit 0 of the first word; and clocks at which both
     * of two signals are 1. */
    uint64_t (*count)(const uint64_t *words, uint64_t from, uint64_t to);
    uint64_t (*count_and)(const uint64_t *a, const uint64_t *b, uint64_t from, uint64_t to);
};

extern const struct wave_kernels wave_kernels_portable, wave_kernels_avx2, wave_kernels_avx512;

/* The set of this processor; see cpu_simd(). */
const struct wave_kernels *wave_kernels(void);

#endif
