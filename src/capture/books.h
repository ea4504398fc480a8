/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_BOOKS_H
#define TALLY_CAPTURE_BOOKS_H

#include <stdbool.h>

#include "capture/recorder.h"

/*
 * Counting what a stream delivers, and what it does not: the timer strobes when bit `exponent` of
 * the OA timestamp rises (i915-perf.md 2.3), so the timestamps of two reports in a row tell how
 * many strobes between them left none. That is exact, whatever the kernel's loss records say, for
 * as long as less than 2^32 ticks are missing.
 */
struct books {
    const struct tally_platform *platform;
    const struct tally_layout *layout;
    unsigned exponent;
    bool begun;
    uint32_t latest; /* timestamp of the report before */
    struct recorder_totals *totals;
};

struct books books_start(const struct gpu *gpu, unsigned exponent, struct recorder_totals *totals);

/*
 * Counts records as read(2) gave them. -EBADMSG with a message: they are no records of this
 * stream.
 */
int books_count(struct books *books, const uint8_t *records, size_t size,
                struct tally_error *error);

#endif
