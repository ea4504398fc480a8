/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_BOOKS_H
#define TALLY_CAPTURE_BOOKS_H

#include <stdbool.h>

#include "capture/recorder.h"

/*
 * Counting what a stream delivers, and what it does not: reports of the timer come a period apart,
 * so their timestamps tell how many between two are missing, whatever the kernel's loss records
 * say. That is exact for as long as less than 2^32 ticks are missing.
 * A reader of the file finds the same gaps.
 */
struct books {
    const struct tally_platform *platform;
    const struct tally_layout *layout;
    uint64_t period; /* ticks */
    bool begun;      /* there was a report of the timer */
    uint32_t latest; /* its timestamp */
    struct tally_capture_stats *stats;
};

struct books books_start(const struct gpu *gpu, unsigned exponent,
                         struct tally_capture_stats *stats);

/*
 * Counts records as read(2) gave them. -EBADMSG with a message: they are no records of this
 * stream.
 */
int books_count(struct books *books, const uint8_t *records, size_t size,
                struct tally_error *error);

#endif
