/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_REPORT_ACCUMULATE_H
#define TALLY_INTEL_REPORT_ACCUMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "intel/report/layouts.h"

/*
 * The sum of all deltas between the first and the last of many reports is what the counter
 * advanced modulo its width, plus 2^width for every time that it went down on the way. So the hot
 * loop only counts the wraps, in the reports' own bytes, many counters at a time.
 */

/* 40-bit counters whose low dwords and high bytes both lie in a row. */
struct wide_run {
    uint16_t dword;
    uint16_t high; /* byte offset */
    uint16_t count;
};

#define WIDE_RUNS_MAX 4

struct wrap_plan {
    uint16_t dwords; /* of one report */
    uint16_t wide_count;
    struct wide_run wide[WIDE_RUNS_MAX];
};

/*
 * Counts, for each dword, how often it went down from one report to the next (`narrow`), and for
 * each 40-bit counter the same over all its bits (`wide`, indexed by its low dword). Adds to both.
 */
typedef void count_wraps_function(const struct wrap_plan *plan, const uint8_t *const *reports,
                                  size_t count, uint32_t narrow[REPORT_DWORDS_MAX],
                                  uint32_t wide[REPORT_DWORDS_MAX]);

count_wraps_function count_wraps_portable, count_wraps_avx2, count_wraps_avx512;

#endif
