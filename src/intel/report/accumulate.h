/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REPORT_ACCUMULATE_H
#define TALLY_INTEL_REPORT_ACCUMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "intel/report/layouts.h"

/*
 * The sum of the deltas of a counter over many reports is its last value minus its first, plus
 * 2^width for each wrap-around: each time it decreased from one report to the next. So the inner
 * loop only counts wraps, on the bytes of the reports, many counters at a time.
 */

/* A run of 40-bit counters with adjacent low dwords and adjacent high bytes. */
struct wide_run {
    uint16_t dword;
    uint16_t high; /* byte offset */
    uint16_t count;
};

#define WIDE_RUNS_MAX 4

struct wrap_plan {
    uint16_t dwords; /* dwords of a report */
    uint16_t wide_count;
    struct wide_run wide[WIDE_RUNS_MAX];
};

/*
 * Adds to `narrow`, for each dword, how often it decreased from one report to the next; and to
 * `wide` the same for each 40-bit counter, indexed by its low dword.
 */
typedef void count_wraps_function(const struct wrap_plan *plan, const uint8_t *const *reports,
                                  size_t count, uint32_t narrow[REPORT_DWORDS_MAX],
                                  uint32_t wide[REPORT_DWORDS_MAX]);

count_wraps_function count_wraps_portable, count_wraps_avx2, count_wraps_avx512;

#endif
