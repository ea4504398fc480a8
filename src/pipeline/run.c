/* SPDX-License-Identifier: MIT */
/* Reading ahead with a second thread, and processing batches with several threads. */
#include "pipeline/run.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

static void report_progress(const struct pipeline_run *run, uint64_t position)
{
    if (run->progress)
        run->progress(run->progress_closure, position,
                      run->source->calls->size_bytes(run->source->self));
}

static int read_batch(const struct pipeline_run *run, struct pipeline_batch *batch,
                      struct tally_error *error)
{
    return run->source->calls->read(run->source->self, batch, error);
}

static uint64_t position_of(const struct pipeline_run *run)
{
    return run->source->calls->position(run->source->self);
}

static int work_and_commit(const struct pipeline_run *run, void *worker,
                           const struct pipeline_batch *batch)
{
    int result = run->work(worker, batch);
    return !result && run->commit ? run->commit(worker) : result;
}

/* ---- one worker ------------------------------------------------------------------------------ */

static int run_single(const struct pipeline_run *run, struct tally_error *error)
{
    struct pipeline_batch batch;
    int result = run->source->calls->batch_init(&batch), stop = 0;
    if (result < 0)
        return result;
    while (!stop && (result = read_batch(run, &batch, error)) > 0) {
        stop = work_and_commit(run, run->workers[0], &batch);
        report_progress(run, position_of(run));
    }
    run->source->calls->batch_fini(&batch);
    return stop ? stop : result;
}

#define BATCHES 4

/* A ring of batches: the reading thread fills slot `filled`, the worker empties slot `taken`. */
struct ring {
    const struct pipeline_run *run;
    struct pipeline_batch batches[BATCHES];
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
        int result = read_batch(ring->run, &ring->batches[slot % BATCHES], &error);
        pthread_mutex_lock(&ring->lock);
        ring->positions[slot % BATCHES] = position_of(ring->run);
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

static int work_on_ring(struct ring *ring)
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

        int result =
            work_and_commit(ring->run, ring->run->workers[0], &ring->batches[slot % BATCHES]);
        report_progress(ring->run, position);
        pthread_mutex_lock(&ring->lock);
        ring->taken = slot + 1;
        ring->stop = result != 0;
        pthread_cond_signal(&ring->changed);
        pthread_mutex_unlock(&ring->lock);
        if (result)
            return result;
    }
}

/* Runs with a second thread that reads ahead. Sets *started to false if there is not enough memory
 * or the thread cannot be created. */
static int run_ahead(const struct pipeline_run *run, bool *started, struct tally_error *error)
{
    struct ring ring = {.run = run};
    pthread_t thread;
    size_t made = 0;
    int result = 0;
    pthread_mutex_init(&ring.lock, NULL);
    pthread_cond_init(&ring.changed, NULL);
    while (made < BATCHES && !run->source->calls->batch_init(&ring.batches[made]))
        made++;
    *started = made == BATCHES && pthread_create(&thread, NULL, read_ahead, &ring) == 0;
    if (*started) {
        result = work_on_ring(&ring);
        pthread_join(thread, NULL);
        if (!result) {
            result = ring.result;
            *error = ring.error;
        }
    }
    while (made)
        run->source->calls->batch_fini(&ring.batches[--made]);
    pthread_cond_destroy(&ring.changed);
    pthread_mutex_destroy(&ring.lock);
    return result;
}

/* ---- several workers ------------------------------------------------------------------------- */

struct pool {
    const struct pipeline_run *run;
    pthread_mutex_t lock; /* protects the source and the members below */
    pthread_cond_t committed_one;
    uint64_t taken;     /* batches read */
    uint64_t committed; /* batches finished */
    int result;         /* first nonzero result of a read, work or commit */
    bool ended;         /* nothing more is read */
    bool stopped;       /* nothing more is committed */
    struct tally_error error;
};

struct worker {
    struct pool *pool;
    void *own;
    struct pipeline_batch batch;
    pthread_t thread;
    bool has_batch, started;
};

/* Reads the next batch. Returns false at the end. */
static bool take_turn(struct worker *worker, uint64_t *ticket)
{
    struct pool *pool = worker->pool;
    pthread_mutex_lock(&pool->lock);
    bool go = !pool->ended;
    if (go) {
        int result = read_batch(pool->run, &worker->batch, &pool->error);
        *ticket = pool->taken++;
        go = result > 0;
        pool->ended = !go;
        pool->result = go ? pool->result : result;
    }
    report_progress(pool->run, position_of(pool->run));
    pthread_mutex_unlock(&pool->lock);
    return go;
}

/* Waits until all earlier batches have been committed, and commits this one. */
static void commit_turn(struct worker *worker, uint64_t ticket, int result)
{
    struct pool *pool = worker->pool;
    pthread_mutex_lock(&pool->lock);
    while (pool->committed != ticket)
        pthread_cond_wait(&pool->committed_one, &pool->lock);
    bool stopped = pool->stopped;
    pthread_mutex_unlock(&pool->lock);

    /* Only the worker with the current ticket commits, so the lock is not needed. */
    if (!result && pool->run->commit && !stopped)
        result = pool->run->commit(worker->own);

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
        commit_turn(worker, ticket, worker->pool->run->work(worker->own, &worker->batch));
    return NULL;
}

static int run_shared(const struct pipeline_run *run, struct tally_error *error)
{
    struct pool pool = {.run = run};
    struct worker workers[PIPELINE_WORKERS_MAX] = {0};
    bool any = false;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.committed_one, NULL);
    for (size_t i = 0; i < run->worker_count; i++) {
        struct worker *worker = &workers[i];
        *worker = (struct worker){.pool = &pool, .own = run->workers[i]};
        worker->has_batch = run->source->calls->batch_init(&worker->batch) == 0;
        if (!worker->has_batch)
            continue;
        any = true;
        /* The last worker runs on this thread. */
        worker->started = i + 1 < run->worker_count &&
                          !pthread_create(&worker->thread, NULL, work_on_pool, worker);
        if (!worker->started)
            work_on_pool(worker);
    }
    for (size_t i = 0; i < run->worker_count; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        if (workers[i].has_batch)
            run->source->calls->batch_fini(&workers[i].batch);
    }
    pthread_cond_destroy(&pool.committed_one);
    pthread_mutex_destroy(&pool.lock);
    *error = pool.error;
    return any ? pool.result : -ENOMEM;
}

/* ---- number of workers ----------------------------------------------------------------------- */

/* Minimum size of an input for which a second thread pays off. */
#define SHARED_BYTES (UINT64_C(4) << 20)

size_t pipeline_worker_count(uint64_t size_bytes)
{
    cpu_set_t usable;
    if (size_bytes && size_bytes < SHARED_BYTES)
        return 1;
    int processors = 1;
    if (!sched_getaffinity(0, sizeof usable, &usable))
        processors = CPU_COUNT(&usable);
    return processors < PIPELINE_WORKERS_MAX ? (size_t)processors : PIPELINE_WORKERS_MAX;
}

int pipeline_run(const struct pipeline_run *run, struct tally_error *error)
{
    struct tally_error ignored;
    bool started = false;
    int result = 0;
    if (!error)
        error = &ignored;
    if (run->worker_count > 1)
        return run_shared(run, error);
    if (run->ahead && pipeline_worker_count(run->source->calls->size_bytes(run->source->self)) > 1)
        result = run_ahead(run, &started, error);
    return started ? result : run_single(run, error);
}
