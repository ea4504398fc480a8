/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_QUEUE_H
#define TALLY_CAPTURE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A queue of chunks of whole records, from the thread that reads a stream to the thread that writes
 * a file. The number of chunks is limited. While all of them wait for the disk, the reader leaves
 * reports in the kernel's buffer, and the kernel reports those that it drops.
 */

#define CHUNK_BYTES (256u << 10)

struct chunk {
    struct chunk *next;
    size_t used;
    bool queued; /* from queue_put() until queue_return() */
    uint8_t bytes[CHUNK_BYTES];
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct chunk *empty;           /* a stack */
    struct chunk *oldest, *newest; /* list of chunks to write */
    size_t chunks, max_chunks;     /* allocated, and their maximum */
    size_t unwritten;              /* number of chunks with `queued` set */
    bool ended;                    /* the reader will put no more chunks */
    bool failed;                   /* the writer will take no more chunks */
};

/* Makes a queue of `bytes` in total, rounded up to whole chunks, at least two. Returns 0 or
 * -ENOMEM. */
int queue_init(struct queue *queue, size_t bytes);
void queue_fini(struct queue *queue);

/* Called by the reader. queue_get_empty() waits for an empty chunk; NULL: timeout, the writer has
 * failed, or no memory. */
struct chunk *queue_get_empty(struct queue *queue, unsigned timeout_ms);
void queue_put(struct queue *queue, struct chunk *chunk);
void queue_end(struct queue *queue);
bool queue_failed(struct queue *queue);

/* Returns true if every chunk was written, so that the next one would be written at once. */
bool queue_is_idle(struct queue *queue);

/* Called by the writer. queue_take() waits for a chunk; NULL: queue_end() was called, and the last
 * chunk was taken. The reader also returns unused chunks. */
struct chunk *queue_take(struct queue *queue);
void queue_return(struct queue *queue, struct chunk *chunk);
void queue_fail(struct queue *queue);

#endif
