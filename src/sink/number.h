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

#define NUMBER_MAX 400

char *put_u64(char *to, uint64_t value);

/* Writes six decimals, rounded half to even from the exact value, as printf's "%.6f". */
char *put_fixed6(char *to, double value);

/*
 * Formats a quantity for tables: four significant digits, a prefix and the usual unit: ns as ns,
 * us, ms or s; hz as MHz; bytes as KiB, MiB; percent as %; anything else with k, M, G.
 * Returns true if the text includes the unit.
 */
bool format_quantity(char *to, size_t size, double value, const char *units);

#endif
