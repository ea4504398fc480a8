/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_STATS_H
#define TALLY_CAPTURE_STATS_H

#include <stdbool.h>

#include "capture/recorder.h"

/*
 * Counts the reports of a stream, and those that are missing. Timer reports are one period apart,
 * so the timestamps of two consecutive ones give the number of reports missing between them,
 * independent of the kernel's loss records. The count is exact for gaps shorter than 2^32 ticks.
 * Readers of the file compute the same number.
 */
struct stream_stats {
    const struct tally_platform *platform;
    const struct tally_layout *layout;
    uint64_t period; /* of the timer, in ticks; 0: software makes the reports */
    bool begun;      /* a timer report was seen */
    uint32_t latest; /* timestamp of the latest timer report */
    struct tally_capture_stats *stats;
};

struct stream_stats stream_stats_start(const struct gpu *gpu, unsigned exponent,
                                       struct tally_capture_stats *stats);

/*
 * Counts the records returned by one read(2). Returns 0, or -EBADMSG with a message: malformed
 * records, or reports of another size.
 */
int stream_stats_count(struct stream_stats *counted, const uint8_t *records, size_t size,
                       struct tally_error *error);

#endif
