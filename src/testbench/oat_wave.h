/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_OAT_WAVE_H
#define TALLY_TESTBENCH_OAT_WAVE_H

#include "testbench/pct_wave.h"

/*
 * Takes the waveform of a number from word `first` on (OAT-3). most: the
 * input's largest value.
 */
int number_parse(struct wave_store *store, const struct words *words, unsigned first, uint32_t most,
                 struct tally_number *out, struct tally_error *error);

/* The number for the input at a place in a range: seeds go up by one. */
struct tally_number number_at_place(const struct tally_number *number, unsigned place);

#endif
