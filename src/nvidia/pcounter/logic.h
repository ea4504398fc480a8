/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_LOGIC_H
#define TALLY_NVIDIA_PCOUNTER_LOGIC_H

#include <stddef.h>
#include <stdint.h>

/*
 * A truth table of four arguments (bit a0 + 2 a1 + 4 a2 + 8 a3 is the result) as a formula: "a0 &
 * !a1 | a2", "a0 ^ a1", "0", "1". A short sum of products, found greedily; parities use ^. Returns
 * `text`, which needs at most 160 bytes.
 */
const char *logic_formula(uint16_t table, char *text, size_t size);

#endif
