/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_NUMBER_H
#define TALLY_SINK_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as text, fast and the same everywhere. Each writes at `to` (no NUL) and returns its end;
 * the bytes after it, up to NUMBER_MAX in all, may be written too.
 */

#define NUMBER_MAX 400

char *put_u64(char *to, uint64_t value);
char *put_hex(char *to, uint64_t value); /* "0x1a" */

/* Six decimals, rounded to nearest-even from the exact value: what printf's "%.6f" gives. */
char *put_fixed6(char *to, double value);

/*
 * For people: four significant digits, a prefix and the unit as it is usually written: ns as ns,
 * us, ms or s; hz as MHz; bytes as KiB, MiB; percent as %; anything else with k, M, G.
 * Returns whether the text names the unit.
 */
bool format_quantity(char *to, size_t size, double value, const char *units);

#endif
