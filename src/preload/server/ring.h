/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_RING_H
#define TALLY_PRELOAD_RING_H

/*
 * A ring buffer of perf_event_open(2) in a memory file that a program maps: a page of
 * struct perf_event_mmap_page, then a power of two of pages with records. What the program writes
 * there is not trusted: wrong positions only lose records.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_PAGE      4096u
#define RING_MAX_BYTES (64u << 20)
#define RING_THREADS   64 /* whose names are remembered */

struct ring {
    unsigned references;
    int fd;
    uint8_t *memory;
    size_t bytes;    /* of records */
    bool overwrites; /* mapped read-only: old records are overwritten */
    bool paused;
    uint64_t head, wakeup;    /* positions: end of the records, and where programs were woken */
    uint64_t watermark;       /* bytes after which they are woken */
    uint64_t lost;            /* records since the last one that had space */
    uint64_t events;          /* records since the last wakeup, for wakeup_events */
    long named[RING_THREADS]; /* threads whose name is in the ring */
    unsigned named_count;
};

/* Makes a ring with one reference. `bytes`: of the mapping. Returns 0, -EINVAL or -ENOMEM. */
int ring_new(uint64_t bytes, bool overwrites, uint32_t watermark, struct ring **out);
struct ring *ring_hold(struct ring *ring);
void ring_drop(struct ring *ring);

/* Returns the bytes of the mapping. */
size_t ring_mapping(const struct ring *ring);

/* Whether there is space for so many bytes of records. */
bool ring_has_space(const struct ring *ring, size_t bytes);

/* Appends a record, for which there is space. Returns true if programs are to be woken. */
bool ring_append(struct ring *ring, const void *record, size_t bytes);

/* Whether the ring has a thread's name already; notes that it has. */
bool ring_names(struct ring *ring, long thread);
void ring_forget_name(struct ring *ring, long thread);

#endif
