/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_RING_H
#define TALLY_CAPTURE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A flight recorder: the latest records, as many as fit. The oldest make room, whole. The latest
 * TIMESTAMP_CORRELATION that had to go is kept apart, so that every report that is there lies
 * between two points in time.
 */
struct ring {
    uint8_t *bytes;
    size_t size, start, used;
    uint64_t reports; /* in it */
    uint8_t correlation[24];
    bool has_correlation;
};

/* Returns 0 or -ENOMEM. The size is rounded up to a multiple of 8. */
int ring_init(struct ring *ring, size_t size);
void ring_fini(struct ring *ring);

/* Adds whole records, each of which must fit. */
void ring_put(struct ring *ring, const uint8_t *records, size_t size);

/* The records that it holds, oldest first, in a copy that is the caller's to free(). NULL: no
 * memory. */
uint8_t *ring_copy(const struct ring *ring, size_t *size);

#endif
