/* SPDX-License-Identifier: MIT */
/* Reading a whole recording, with a second thread that reads ahead, and a progress bar. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/progress.h"
#include "base/ratio.h"
#include "cli/input.h"
#include "cli/packets.h"

/* ---- progress ------------------------------------------------------------------------------ */

struct progress {
    bool on;
    bool shown;
    uint64_t total;
    uint64_t started_ns;
    uint64_t next_ns;
    unsigned columns;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static void progress_start(struct progress *progress, uint64_t total, bool quiet)
{
    struct winsize window = {0};
    *progress = (struct progress){.on = !quiet && isatty(STDERR_FILENO), .total = total};
    progress->started_ns = now_ns();
    progress->next_ns = progress->started_ns + NS_PER_SECOND;
    bool known = progress->on && !ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col;
    progress->columns = known ? window.ws_col : 80;
}

static void progress_step(struct progress *progress, uint64_t done)
{
    char line[256];
    uint64_t now;
    if (!progress->on || (now = now_ns()) < progress->next_ns)
        return;
    progress_line(line, sizeof line, done, progress->total, now - progress->started_ns,
                  progress->columns - 1);
    fprintf(stderr, "\r\033[K%s", line);
    progress->shown = true;
    progress->next_ns = now + NS_PER_SECOND / 10;
}

static void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}

/* ---- reading ahead ------------------------------------------------------------------------- */

#define BATCHES 4

/* A ring of batches: the reading thread fills slot `filled`, the worker empties slot `taken`. */
struct ring {
    struct tally_recording *recording;
    struct tally_batch *batches[BATCHES];
    uint64_t positions[BATCHES];
    unsigned filled, taken;
    bool ended, stop;
    int result;
    struct tally_error error;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void *read_ahead(void *closure)
{
    struct ring *ring = closure;
    for (unsigned slot = 0;; slot++) {
        pthread_mutex_lock(&ring->lock);
        while (slot - ring->taken == BATCHES && !ring->stop)
            pthread_cond_wait(&ring->changed, &ring->lock);
        bool stop = ring->stop;
        pthread_mutex_unlock(&ring->lock);
        if (stop)
            return NULL;

        struct tally_error error = {0};
        int result = tally_recording_read(ring->recording, ring->batches[slot % BATCHES], &error);
        pthread_mutex_lock(&ring->lock);
        ring->positions[slot % BATCHES] = tally_recording_position(ring->recording);
        if (result > 0) {
            ring->filled = slot + 1;
        } else {
            ring->ended = true;
            ring->result = result;
            ring->error = error;
        }
        pthread_cond_signal(&ring->changed);
        pthread_mutex_unlock(&ring->lock);
        if (result <= 0)
            return NULL;
    }
}

static int work_on_ring(struct ring *ring, struct progress *progress, batch_work *work,
                        void *closure)
{
    for (unsigned slot = 0;; slot++) {
        pthread_mutex_lock(&ring->lock);
        while (slot == ring->filled && !ring->ended)
            pthread_cond_wait(&ring->changed, &ring->lock);
        bool ended = slot == ring->filled;
        uint64_t position = ring->positions[slot % BATCHES];
        pthread_mutex_unlock(&ring->lock);
        if (ended)
            return 0;

        int result = work(closure, ring->batches[slot % BATCHES]);
        progress_step(progress, position);
        pthread_mutex_lock(&ring->lock);
        ring->taken = slot + 1;
        ring->stop = result != 0;
        pthread_cond_signal(&ring->changed);
        pthread_mutex_unlock(&ring->lock);
        if (result)
            return result;
    }
}

static int read_with_thread(struct tally_recording *recording, struct progress *progress,
                            batch_work *work, void *closure, struct tally_error *error)
{
    struct ring ring = {.recording = recording};
    pthread_t thread;
    int result = 0;
    pthread_mutex_init(&ring.lock, NULL);
    pthread_cond_init(&ring.changed, NULL);
    for (size_t i = 0; i < BATCHES; i++)
        if (!(ring.batches[i] = tally_batch_new()))
            result = -ENOMEM;
    if (!result && pthread_create(&thread, NULL, read_ahead, &ring) == 0) {
        result = work_on_ring(&ring, progress, work, closure);
        pthread_join(thread, NULL);
        if (!result) {
            result = ring.result;
            *error = ring.error;
        }
    } else {
        result = -EAGAIN;
    }
    for (size_t i = 0; i < BATCHES; i++)
        tally_batch_free(ring.batches[i]);
    pthread_cond_destroy(&ring.changed);
    pthread_mutex_destroy(&ring.lock);
    return result;
}

static int read_plainly(struct tally_recording *recording, struct progress *progress,
                        batch_work *work, void *closure, struct tally_error *error)
{
    struct tally_batch *batch = tally_batch_new();
    int result = batch ? 1 : -ENOMEM;
    while (result > 0 && (result = tally_recording_read(recording, batch, error)) > 0) {
        int stop = work(closure, batch);
        progress_step(progress, tally_recording_position(recording));
        if (stop)
            result = stop;
        if (stop)
            break;
    }
    tally_batch_free(batch);
    return result;
}

/* Below this size a thread costs more than it saves. */
#define SHARED_BYTES (UINT64_C(4) << 20)

size_t worker_count(const struct tally_recording *recording)
{
    uint64_t size = tally_recording_info(recording)->size_bytes;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 2 || (size && size < SHARED_BYTES))
        return 1;
    return processors < WORKERS_MAX ? (size_t)processors : WORKERS_MAX;
}

int read_all(struct tally_recording *recording, bool ahead, bool quiet, batch_work *work,
             void *closure, struct tally_error *error)
{
    struct progress progress;
    int result = -EAGAIN;
    progress_start(&progress, tally_recording_info(recording)->size_bytes, quiet);
    if (ahead && worker_count(recording) > 1)
        result = read_with_thread(recording, &progress, work, closure, error);
    if (result == -EAGAIN)
        result = read_plainly(recording, &progress, work, closure, error);
    progress_end(&progress);
    return result;
}

/* ---- packets ------------------------------------------------------------------------------- */

int read_packets(struct tally_packets *packets, bool quiet, packet_work *work, void *closure,
                 struct tally_error *error)
{
    static struct tally_packet some[1024];
    struct progress progress;
    ptrdiff_t n;
    int stop = 0;
    progress_start(&progress, tally_packets_size_bytes(packets), quiet);
    while (!stop && (n = tally_packets_read(packets, some, ARRAY_COUNT(some), error)) > 0) {
        stop = work(closure, some, (size_t)n);
        progress_step(&progress, tally_packets_position(packets));
    }
    progress_end(&progress);
    return stop ? stop : (int)n;
}

/* ---- sharing ------------------------------------------------------------------------------- */

struct pool {
    struct tally_recording *recording;
    batch_work *work;
    int (*commit)(void *closure);
    struct progress progress;
    pthread_mutex_t lock; /* of the recording, and of all below */
    pthread_cond_t committed_one;
    uint64_t taken;     /* batches read */
    uint64_t committed; /* batches done with */
    int result;         /* of the read, work or commit that ended it */
    bool ended;         /* nothing more is read */
    bool stopped;       /* nothing more is committed */
    struct tally_error error;
};

struct worker {
    struct pool *pool;
    void *closure;
    struct tally_batch *batch;
    pthread_t thread;
    bool started;
};

/* Reads the next batch. Returns false when there is nothing more to do. */
static bool take_turn(struct worker *worker, uint64_t *ticket)
{
    struct pool *pool = worker->pool;
    pthread_mutex_lock(&pool->lock);
    bool go = !pool->ended;
    if (go) {
        int result = tally_recording_read(pool->recording, worker->batch, &pool->error);
        *ticket = pool->taken++;
        go = result > 0;
        pool->ended = !go;
        pool->result = go ? pool->result : result;
    }
    progress_step(&pool->progress, tally_recording_position(pool->recording));
    pthread_mutex_unlock(&pool->lock);
    return go;
}

/* Waits until all batches before have been committed, and commits this one. */
static void commit_turn(struct worker *worker, uint64_t ticket, int result)
{
    struct pool *pool = worker->pool;
    pthread_mutex_lock(&pool->lock);
    while (pool->committed != ticket)
        pthread_cond_wait(&pool->committed_one, &pool->lock);
    bool stopped = pool->stopped;
    pthread_mutex_unlock(&pool->lock);

    /* The ticket is ours: no other thread commits now. */
    if (!result && pool->commit && !stopped)
        result = pool->commit(worker->closure);

    pthread_mutex_lock(&pool->lock);
    if (result && !stopped) {
        pool->ended = pool->stopped = true;
        pool->result = result;
    }
    pool->committed++;
    pthread_cond_broadcast(&pool->committed_one);
    pthread_mutex_unlock(&pool->lock);
}

static void *work_on_pool(void *closure)
{
    struct worker *worker = closure;
    uint64_t ticket;
    while (take_turn(worker, &ticket))
        commit_turn(worker, ticket, worker->pool->work(worker->closure, worker->batch));
    return NULL;
}

int read_shared(struct tally_recording *recording, bool quiet, batch_work *work,
                int (*commit)(void *closure), void *const *closures, size_t count,
                struct tally_error *error)
{
    struct pool pool = {.recording = recording, .work = work, .commit = commit};
    struct worker workers[WORKERS_MAX] = {0};
    bool any = false;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.committed_one, NULL);
    progress_start(&pool.progress, tally_recording_info(recording)->size_bytes, quiet);
    for (size_t i = 0; i < count; i++) {
        struct worker *worker = &workers[i];
        *worker = (struct worker){.pool = &pool, .closure = closures[i]};
        if (!(worker->batch = tally_batch_new()))
            continue;
        any = true;
        /* The last one is this thread. */
        worker->started =
            i + 1 < count && !pthread_create(&worker->thread, NULL, work_on_pool, worker);
        if (!worker->started)
            work_on_pool(worker);
    }
    for (size_t i = 0; i < count; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        tally_batch_free(workers[i].batch);
    }
    progress_end(&pool.progress);
    pthread_cond_destroy(&pool.committed_one);
    pthread_mutex_destroy(&pool.lock);
    *error = pool.error;
    return any ? pool.result : -ENOMEM;
}
