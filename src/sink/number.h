/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_NUMBER_H
#define TALLY_SINK_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Fast, locale-independent number formatting. Each function writes at `to`, without a NUL, and
 * returns the end of the text. It may overwrite up to NUMBER_MAX bytes in all.
 */

#define NUMBER_MAX 40

char *put_u64(char *to, uint64_t value);

/*
 * Writes the shortest decimal that reads back as the same double; of several, the nearest. Between
 * 1e-6 and 1e21 without an exponent: 12, 0.1, 0.000001, 1e-7, 1.5e+22. Zero is 0, also the negative
 * one; others are nan, inf and -inf.
 */
char *put_double(char *to, double value);

/*
 * Formats a quantity for tables: four significant digits, a prefix and the usual unit: ns as ns,
 * us, ms or s; hz as MHz; bytes as KiB, MiB; percent as %; anything else with k, M, G. From
 * 10^8 of the largest prefix on, with an exponent: 1.000e+40. At most 13 characters.
 * Returns true if the text includes the unit.
 */
bool format_quantity(char *to, size_t size, double value, const char *units);

/*
 * Formats a quantity for narrow columns: three significant digits and a prefix, as in 1.21k, 81.9µ
 * and 87.9Ki; from 10^6 of the largest prefix on, with an exponent: 1e+40. At most 6 characters.
 * Returns the unit, without a prefix, that follows the values of a row: "s", "Hz", "B", "%", or
 * `units`.
 */
const char *format_compact(char *to, size_t size, double value, const char *units);

#endif
