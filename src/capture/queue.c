/* SPDX-License-Identifier: MIT */
#include "capture/queue.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/ratio.h"

int queue_init(struct queue *queue, size_t bytes)
{
    pthread_condattr_t monotonic;
    size_t max_chunks = (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
    *queue = (struct queue){.max_chunks = max_chunks < 2 ? 2 : max_chunks};
    if (pthread_condattr_init(&monotonic) != 0)
        return -ENOMEM;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
    pthread_cond_init(&queue->emptied, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return 0;
}

static void free_list(struct chunk *chunk)
{
    while (chunk) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void queue_fini(struct queue *queue)
{
    free_list(queue->empty);
    free_list(queue->oldest);
    pthread_cond_destroy(&queue->emptied);
    pthread_cond_destroy(&queue->filled);
    pthread_mutex_destroy(&queue->lock);
}

/* Called with the lock held. Allocates chunks on demand: a fast disk needs few. */
static struct chunk *find_empty(struct queue *queue)
{
    struct chunk *chunk = queue->empty;
    if (chunk) {
        queue->empty = chunk->next;
    } else if (queue->chunks < queue->max_chunks && (chunk = malloc(sizeof *chunk))) {
        queue->chunks++;
    }
    if (chunk) {
        chunk->next = NULL;
        chunk->used = 0;
        chunk->queued = false;
    }
    return chunk;
}

struct chunk *queue_get_empty(struct queue *queue, unsigned timeout_ms)
{
    struct chunk *chunk;
    int result = 0;
    struct timespec end =
        timespec_of_ns(clock_ns(CLOCK_MONOTONIC) + timeout_ms * UINT64_C(1000000));
    pthread_mutex_lock(&queue->lock);
    while (!(chunk = find_empty(queue)) && !queue->failed && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&queue->emptied, &queue->lock, &end);
    pthread_mutex_unlock(&queue->lock);
    return chunk;
}

void queue_put(struct queue *queue, struct chunk *chunk)
{
    pthread_mutex_lock(&queue->lock);
    *(queue->oldest ? &queue->newest->next : &queue->oldest) = chunk;
    queue->newest = chunk;
    queue->unwritten++;
    chunk->queued = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

void queue_end(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->ended = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

bool queue_failed(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool failed = queue->failed;
    pthread_mutex_unlock(&queue->lock);
    return failed;
}

bool queue_is_idle(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool idle = !queue->unwritten;
    pthread_mutex_unlock(&queue->lock);
    return idle;
}

struct chunk *queue_take(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (!queue->oldest && !queue->ended)
        pthread_cond_wait(&queue->filled, &queue->lock);
    struct chunk *chunk = queue->oldest;
    if (chunk)
        queue->oldest = chunk->next;
    pthread_mutex_unlock(&queue->lock);
    return chunk;
}

void queue_return(struct queue *queue, struct chunk *chunk)
{
    pthread_mutex_lock(&queue->lock);
    queue->unwritten -= chunk->queued;
    chunk->next = queue->empty;
    queue->empty = chunk;
    pthread_cond_signal(&queue->emptied);
    pthread_mutex_unlock(&queue->lock);
}

void queue_fail(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->failed = true;
    pthread_cond_signal(&queue->emptied);
    pthread_mutex_unlock(&queue->lock);
}
