/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_SCATTER_H
#define TALLY_WAVE_SCATTER_H

#include <tally/wave.h>

/* The words of a wave of kind TALLY_WAVE_SCATTER, as tally_wave_words() returns them, and its
 * number of ones in a range of clocks, which takes the same time for any range. */
const uint64_t *scatter_words(const struct tally_wave *wave, uint64_t first, size_t count,
                              uint64_t *buffer);
uint64_t scatter_count(const struct tally_wave *wave, uint64_t first, uint64_t count);

/* Counts several waves with the same seed, from their chances (1 to 255). */
void scatter_sums(uint64_t seed, const uint16_t chances[], unsigned waves, uint64_t first,
                  uint64_t count, uint64_t sums[]);

#endif
