/* SPDX-License-Identifier: MIT */
#include "capture/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "recording/format.h"

int ring_init(struct ring *ring, size_t size)
{
    *ring = (struct ring){.size = (size + 7) & ~(size_t)7};
    ring->bytes = malloc(ring->size);
    return ring->bytes ? 0 : -ENOMEM;
}

void ring_fini(struct ring *ring)
{
    free(ring->bytes);
    *ring = (struct ring){0};
}

/* Copies `size` bytes from the ring, starting `at` bytes after its oldest one. */
static void peek(const struct ring *ring, size_t at, void *to, size_t size)
{
    size_t from = (ring->start + at) % ring->size;
    size_t first = min_size(ring->size - from, size);
    memcpy(to, ring->bytes + from, first);
    memcpy((uint8_t *)to + first, ring->bytes, size - first);
}

static void drop_oldest(struct ring *ring)
{
    uint8_t bytes[RECORD_REPORTS_BYTES];
    peek(ring, 0, bytes, min_size(sizeof bytes, ring->used));
    struct record_header header = record_header_load(bytes);
    if (header.type == TALLY_RECORD_TIMESTAMP_CORRELATION &&
        header.size == sizeof ring->correlation) {
        peek(ring, 0, ring->correlation, header.size);
        ring->has_correlation = true;
    }
    ring->reports -= record_reports(bytes);
    ring->start = (ring->start + header.size) % ring->size;
    ring->used -= header.size;
}

void ring_put(struct ring *ring, const uint8_t *records, size_t size)
{
    for (size_t at = 0; at < size;) {
        struct record_header header = record_header_load(records + at);
        while (ring->size - ring->used < header.size)
            drop_oldest(ring);
        size_t to = (ring->start + ring->used) % ring->size;
        size_t first = min_size(ring->size - to, header.size);
        memcpy(ring->bytes + to, records + at, first);
        memcpy(ring->bytes, records + at + first, header.size - first);
        ring->used += header.size;
        ring->reports += record_reports(records + at);
        at += header.size;
    }
}

uint8_t *ring_copy(const struct ring *ring, size_t *size)
{
    size_t before = ring->has_correlation ? sizeof ring->correlation : 0;
    uint8_t *copy = malloc(before + ring->used + 1);
    if (!copy)
        return NULL;
    memcpy(copy, ring->correlation, before);
    peek(ring, 0, copy + before, ring->used);
    *size = before + ring->used;
    return copy;
}
