/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_PCOUNTER_LOGIC_H
#define TALLY_NVIDIA_PCOUNTER_LOGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Truth tables of four arguments: bit a0 + 2 a1 + 4 a2 + 8 a3 is the result. A table of `arity`
 * arguments has 2^arity bits.
 */

/* Whether the result depends on an argument. */
bool table_depends(uint16_t table, unsigned argument);

/* Removes one of `arity` arguments, on which the table does not depend. */
uint16_t table_without(uint16_t table, unsigned arity, unsigned argument);

/* Returns a table of four arguments, which depends on the first `arity` only. */
uint16_t table_of_four(uint16_t table, unsigned arity);

/* Return the table in which an argument is inverted, has a value, or in which the argument `other`
 * always equals `argument`. */
uint16_t table_inverted(uint16_t table, unsigned argument);
uint16_t table_with_value(uint16_t table, unsigned argument, bool value);
uint16_t table_with_equal(uint16_t table, unsigned argument, unsigned other);

/*
 * Formats a truth table as a formula: "a0 & !a1 | a2", "a0 ^ a1", "0", "1". The formula is a short
 * sum of products, found greedily; parities use ^. Returns `text`; 160 bytes are enough.
 */
const char *logic_formula(uint16_t table, char *text, size_t size);

#endif
