/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_RING_H
#define TALLY_PRELOAD_TRACE_RING_H

/*
 * The ring buffer of tracefs: pages of events, as `events/header_page` and `events/header_event`
 * describe them and trace_pipe_raw delivers them. An event has the time since the one before it. A
 * full ring drops the events of its oldest page, or, if it may not overwrite, the new one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_PAGE_BYTES 4096u
#define TRACE_PAGE_HEAD  16u /* time and commit */
#define TRACE_PAGE_DATA  (TRACE_PAGE_BYTES - TRACE_PAGE_HEAD)

#define TRACE_RING_KIB     1408u /* the kernel's default of buffer_size_kb */
#define TRACE_RING_MAX_KIB 262144u

struct trace_page;

struct trace_ring {
    struct trace_page **pages; /* NULL: there was no event yet; of those, each may be NULL */
    size_t capacity, first, count;
    uint64_t kib;       /* as it was set; 0: default */
    uint64_t latest_ns; /* time of the latest event */
    uint64_t missed;    /* events lost since the latest read */
    /* Since the ring was cleared; the bytes of unread events. */
    uint64_t written, read, overrun, dropped, bytes;
};

/* An event of the ring. */
struct trace_item {
    uint64_t ns;
    const uint8_t *record;
    size_t bytes; /* with the padding to 4 bytes */
};

/* A place in the ring, for reading without consuming: starts as {0}. */
struct trace_place {
    size_t page; /* after the first one */
    size_t at;
    uint64_t ns;
    bool begun;
};

void trace_ring_fini(struct trace_ring *ring);
void trace_ring_clear(struct trace_ring *ring);

/* Sets the size, and clears the ring. Returns 0; -EINVAL: 0; -ENOMEM: too large. */
int trace_ring_resize(struct trace_ring *ring, uint64_t kib);
uint64_t trace_ring_kib(const struct trace_ring *ring);

/* Appends an event; times do not decrease. Returns false if it was dropped. */
bool trace_ring_write(struct trace_ring *ring, uint64_t ns, const void *record, size_t bytes,
                      bool overwrite);

bool trace_ring_is_empty(const struct trace_ring *ring);

/* Number of events in it. */
uint64_t trace_ring_entries(const struct trace_ring *ring);

/* Whether there is a full page, to which no more events will be written. */
bool trace_ring_has_page(const struct trace_ring *ring);

/* Whether more than this part of the pages has been written. */
bool trace_ring_is_filled(const struct trace_ring *ring, unsigned percent);

/* Gets the event at a place, and advances it. Returns false at the end. */
bool trace_ring_next(const struct trace_ring *ring, struct trace_place *place,
                     struct trace_item *out);

/* Gets the oldest event, and removes it: *out is valid until the next write or resize. *missed:
 * events that were lost before it. Returns false if the ring is empty. */
bool trace_ring_take(struct trace_ring *ring, struct trace_item *out, uint64_t *missed);

/* Removes the events of the oldest page, or the rest of them, as the page that trace_pipe_raw
 * gives. `full`: only a page to which no more events will be written.
 * Returns false if there is none. */
bool trace_ring_take_page(struct trace_ring *ring, bool full, uint8_t out[TRACE_PAGE_BYTES]);

#endif
