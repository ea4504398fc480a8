/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_QUEUE_H
#define TALLY_CAPTURE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Chunks of whole records between the thread that reads a stream and the one that writes a file.
 * The number of chunks is bounded; while all of them wait for the disk, the reader leaves reports
 * with the kernel, which counts those that it drops.
 */

#define CHUNK_BYTES (256u << 10)

struct chunk {
    struct chunk *next;
    size_t used;
    bool put; /* by queue_put(), and not given back */
    uint8_t bytes[CHUNK_BYTES];
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct chunk *empty;           /* a stack */
    struct chunk *oldest, *newest; /* those to be written */
    size_t made, most;             /* chunks */
    size_t unwritten;              /* chunks that were put and not given back */
    bool ended;                    /* nothing more comes */
    bool failed;                   /* nobody takes any more */
};

/* `bytes` in all, rounded up to chunks, two at least. Returns 0 or -ENOMEM. */
int queue_init(struct queue *queue, size_t bytes);
void queue_fini(struct queue *queue);

/* The reader's side: an empty chunk, NULL if there is none within so long (or no memory). */
struct chunk *queue_empty(struct queue *queue, unsigned timeout_ms);
void queue_put(struct queue *queue, struct chunk *chunk);
void queue_end(struct queue *queue);
bool queue_failed(struct queue *queue);

/* Has the writer taken every chunk, so that it would write the next one at once? */
bool queue_is_idle(struct queue *queue);

/* The writer's side: waits for a chunk; NULL after the last one. */
struct chunk *queue_take(struct queue *queue);
void queue_give_back(struct queue *queue, struct chunk *chunk);
void queue_fail(struct queue *queue);

#endif
