/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_WORKLOAD_VALUES_H
#define TALLY_INTEL_WORKLOAD_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* Conversion of values in workload files. Each function returns NULL, or what was expected instead.
 */

/* A decimal number such as "0.35" or "7", in billionths, at most `max`. */
const char *read_decimal(const char *text, uint64_t max, uint64_t *out);

/* An integer, decimal or hexadecimal with 0x, at most `max`. */
const char *read_whole(const char *text, uint64_t max, uint64_t *out);

/* "2 ms", "350us", "1.5 s": nanoseconds, 1 to an hour. */
const char *read_duration(const char *text, uint64_t *out);

/* "950 MHz", "1.1 GHz": 1 MHz to 4 GHz, in Hz. */
const char *read_clock(const char *text, uint64_t *out);

/* "1200/ms": billionths of events, and enum rate_per. */
const char *read_rate(const char *text, uint64_t *out, uint8_t *per);

#endif
