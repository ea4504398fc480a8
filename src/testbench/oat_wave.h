/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_WAVE_H
#define TALLY_TESTBENCH_OAT_WAVE_H

#include "testbench/pct_wave.h"

/* Parses the waveform of a number from word `first` on (OAT-3). max: maximum value of the input. */
int number_parse(struct wave_store *store, const struct words *words, unsigned first, uint32_t max,
                 struct tally_number *out, struct tally_error *error);

/* Returns the number for input `place` of a range: the seed is increased by `place`. */
struct tally_number number_at_place(const struct tally_number *number, unsigned place);

#endif
