/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_STATS_H
#define TALLY_CAPTURE_STATS_H

#include "capture/recorder.h"

/* Checks the records of a stream, and counts its reports and loss records. Reports that are missing
 * are counted by struct losses. */
struct stream_stats {
    const struct tally_layout *layout;
    struct tally_capture_stats *stats;
};

struct stream_stats stream_stats_start(const struct gpu *gpu, struct tally_capture_stats *stats);

/*
 * Counts the records returned by one read(2). Returns 0, or -EBADMSG with a message: malformed
 * records, or reports of another size.
 */
int stream_stats_count(struct stream_stats *counted, const uint8_t *records, size_t size,
                       struct tally_error *error);

#endif
