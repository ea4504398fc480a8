/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_LOGIC_H
#define TALLY_NVIDIA_PCOUNTER_LOGIC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Formats a truth table of four arguments (bit a0 + 2 a1 + 4 a2 + 8 a3 is the result) as a formula:
 * "a0 & !a1 | a2", "a0 ^ a1", "0", "1". The formula is a short sum of products, found greedily;
 * parities use ^. Returns `text`; 160 bytes are enough.
 */
const char *logic_formula(uint16_t table, char *text, size_t size);

#endif
