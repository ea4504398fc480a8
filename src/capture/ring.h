/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_RING_H
#define TALLY_CAPTURE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A flight recorder: holds the latest records, as many as fit. New records replace the oldest whole
 * ones. The latest TIMESTAMP_CORRELATION that was replaced is kept separately, so that every report
 * in the ring lies between two correlations.
 */
struct ring {
    uint8_t *bytes;
    size_t size, start, used;
    uint64_t reports; /* in the ring */
    uint8_t correlation[24];
    bool has_correlation;
};

/* Returns 0 or -ENOMEM. The size is rounded up to a multiple of 8. */
int ring_init(struct ring *ring, size_t size);
void ring_fini(struct ring *ring);

/* Adds whole records, each of which must fit. */
void ring_put(struct ring *ring, const uint8_t *records, size_t size);

/* Returns a copy of the records, oldest first, which the caller must free(). NULL: no memory. */
uint8_t *ring_copy(const struct ring *ring, size_t *size);

#endif
