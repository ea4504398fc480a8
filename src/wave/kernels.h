/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_KERNELS_H
#define TALLY_WAVE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The inner loops over words of 64 clocks. kernels.c is compiled once for each instruction set; all
 * give the same results. Inputs may alias each other; an output must not alias an input unless
 * stated.
 */
struct wave_kernels {
    /* Words of the pseudo-random wave; chance: 1 to 256. Word 0 is made of the generator's values
     * `index` to `index` + 7. */
    void (*prng)(uint64_t seed, uint32_t chance, uint64_t index, size_t count, uint64_t *out);

    /* Counts the ones in the clocks [first, first + clocks) of up to four such waves with the same
     * generator and the chances chances[i] of 256. Clock k is a byte of value k / 8. */
    void (*prng_sums)(uint64_t seed, const uint16_t chances[], unsigned count, uint64_t first,
                      uint64_t clocks, uint64_t sums[]);

    /*
     * Words of tally_wave_rate(). At each clock the numerator is added to `rest`; if the sum
     * reaches the denominator, the clock is 1 and the denominator is subtracted. rest, numerator <
     * denominator <= 2^32.
     */
    void (*rate)(uint64_t rest, uint64_t numerator, uint64_t denominator, size_t count,
                 uint64_t *out);

    /* out[i] = words[i] shifted down by `shift` (1 to 63), filled from words[i + 1]. Reads count +
     * 1 words; may work in place. */
    void (*align)(const uint64_t *words, unsigned shift, size_t count, uint64_t *out);

    /* Delays a signal by `by` (1 to 63) clocks: each word is shifted up and filled from the
     * previous word; the lowest bits of the first word become `carry`. */
    void (*delay)(const uint64_t *words, unsigned by, uint64_t carry, size_t count, uint64_t *out);

    /*
     * Combines up to four signals with a truth table: each clock becomes bit (a0 + 2 a1 + 4 a2 + 8
     * a3) of `table`. arity: 0 to 4; the table has 2^arity bits, and arguments from `arity` on are
     * not read.
     */
    void (*combine)(uint16_t table, unsigned arity, const uint64_t *const arguments[4],
                    size_t count, uint64_t *out);

    /* Count the ones in the clocks [from, to), numbered from bit 0 of the first word; count_and
     * counts the clocks at which both signals are 1. */
    uint64_t (*count)(const uint64_t *words, uint64_t from, uint64_t to);
    uint64_t (*count_and)(const uint64_t *a, const uint64_t *b, uint64_t from, uint64_t to);
};

extern const struct wave_kernels wave_kernels_portable, wave_kernels_avx2, wave_kernels_avx512;

/* Returns the kernels for this processor; see cpu_simd(). */
const struct wave_kernels *wave_kernels(void);

#endif
