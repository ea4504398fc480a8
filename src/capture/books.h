/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_BOOKS_H
#define TALLY_CAPTURE_BOOKS_H

#include <stdbool.h>

#include "capture/recorder.h"

/*
 * Counting what a stream delivers, and what it does not: reports of the timer come a period apart,
 * so their timestamps tell how many between two are missing, whatever the kernel's loss records
 * say. That is exact for as long as less than 2^32 ticks are missing.
 *
 * Where reports are missing and the kernel has not said so (on Haswell it tells that the unit
 * dropped reports once only, i915-perf.md 2.10), a LEDGER record says it in its place.
 */
struct books {
    const struct tally_platform *platform;
    const struct tally_layout *layout;
    uint64_t period;               /* ticks */
    bool begun;                    /* there was a report of the timer */
    bool told;                     /* the kernel has told of a loss since */
    uint32_t latest;               /* timestamp of the timer's report before */
    uint64_t untold_times, untold; /* losses for which there was no room: they come with the next */
    struct recorder_totals *totals;
};

/* What a caller should leave free behind records for LEDGER records. */
#define BOOKS_ROOM 1024

struct books books_start(const struct gpu *gpu, unsigned exponent, struct recorder_totals *totals);

/*
 * Counts records as read(2) gave them; *size of them, which grows by the LEDGER records, to `room`
 * at most. -EBADMSG with a message: they are no records of this stream.
 */
int books_count(struct books *books, uint8_t *records, size_t *size, size_t room,
                struct tally_error *error);

#endif
