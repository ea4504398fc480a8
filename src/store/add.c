/* SPDX-License-Identifier: MIT */
/* Adding: threads load recordings, and the caller's thread writes them in order. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "pipeline/run.h"
#include "store/write.h"

/* Packed bytes of a recording that wait to be written, before its thread waits, too. */
#define WAITING_BYTES_MAX (64u << 20)

/* Recordings that a thread loads ahead of the one that is written. */
#define JOBS_PER_THREAD 2
#define JOBS_MAX        (JOBS_PER_THREAD * PIPELINE_WORKERS_MAX)

struct waiting {
    struct waiting *next;
    struct packed_block block;
};

/* A recording on its way. */
struct job {
    struct waiting *first, **last;
    size_t bytes; /* of the blocks that wait */
    bool loaded;  /* the thread is done */
    struct loaded result;
};

struct adding {
    struct store *store;
    const char *const *paths;
    size_t count;
    const struct store_add_options *options;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t next;    /* recording to load */
    size_t written; /* recordings before this one are written */
    size_t window;  /* recordings that may be loaded before one is written */
    bool stopped;   /* because of an error of the store */
    struct job jobs[JOBS_MAX];
};

/* ---- threads that load ----------------------------------------------------------------------- */

struct delivery {
    struct adding *adding;
    struct job *job;
};

static int deliver(void *closure, struct packed_block *block)
{
    struct delivery *delivery = closure;
    struct adding *adding = delivery->adding;
    struct job *job = delivery->job;
    struct waiting *waiting = malloc(sizeof *waiting);
    if (!waiting) {
        buffer_fini(&block->bytes);
        return -ENOMEM;
    }
    *waiting = (struct waiting){NULL, *block};
    pthread_mutex_lock(&adding->mutex);
    while (job->bytes > WAITING_BYTES_MAX && !adding->stopped)
        pthread_cond_wait(&adding->changed, &adding->mutex);
    *job->last = waiting;
    job->last = &waiting->next;
    job->bytes += block->bytes.size;
    bool stopped = adding->stopped;
    pthread_cond_broadcast(&adding->changed);
    pthread_mutex_unlock(&adding->mutex);
    return stopped ? -ECANCELED : 0;
}

/* Takes the next recording. Returns false if there is none. */
static bool take(struct adding *adding, size_t *index)
{
    pthread_mutex_lock(&adding->mutex);
    while (!adding->stopped && adding->next < adding->count &&
           adding->next >= adding->written + adding->window)
        pthread_cond_wait(&adding->changed, &adding->mutex);
    bool taken = !adding->stopped && adding->next < adding->count;
    if (taken)
        *index = adding->next++;
    pthread_mutex_unlock(&adding->mutex);
    return taken;
}

static void *load_all(void *closure)
{
    struct adding *adding = closure;
    struct loader loader;
    size_t index;
    bool usable = loader_init(&loader, adding->options) == 0;
    while (take(adding, &index)) {
        struct job *job = &adding->jobs[index % adding->window];
        struct delivery delivery = {adding, job};
        struct loaded result = {0};
        if (usable)
            load_recording(&loader, adding->paths[index], deliver, &delivery, &result);
        else
            fail_memory(&result.error, "a recording");
        pthread_mutex_lock(&adding->mutex);
        job->result = result;
        job->loaded = true;
        pthread_cond_broadcast(&adding->changed);
        pthread_mutex_unlock(&adding->mutex);
    }
    /* The sets of the catalog are used until the recordings are written. */
    pthread_mutex_lock(&adding->mutex);
    while (!adding->stopped && adding->written < adding->count)
        pthread_cond_wait(&adding->changed, &adding->mutex);
    pthread_mutex_unlock(&adding->mutex);
    if (usable)
        loader_fini(&loader);
    return NULL;
}

/* ---- the thread that writes ------------------------------------------------------------------ */

static void job_init(struct job *job)
{
    *job = (struct job){.last = &job->first};
}

/* Waits for a block, or until the recording is loaded. Returns NULL then. */
static struct waiting *next_block(struct adding *adding, struct job *job)
{
    pthread_mutex_lock(&adding->mutex);
    while (!job->first && !job->loaded)
        pthread_cond_wait(&adding->changed, &adding->mutex);
    struct waiting *waiting = job->first;
    if (waiting) {
        job->first = waiting->next;
        if (!job->first)
            job->last = &job->first;
        job->bytes -= waiting->block.bytes.size;
        pthread_cond_broadcast(&adding->changed);
    }
    pthread_mutex_unlock(&adding->mutex);
    return waiting;
}

/* Writes a recording. Returns 0, also if it cannot be added, or an error of the store. */
static int write_job(struct adding *adding, struct writer *writer, struct job *job,
                     struct store_added *added, struct tally_error *error)
{
    struct waiting *waiting;
    int result = writer_begin(writer, error);
    while ((waiting = next_block(adding, job))) {
        if (!result)
            result = writer_block(writer, &waiting->block, error);
        added->stored_bytes += waiting->block.bytes.size;
        buffer_fini(&waiting->block.bytes);
        free(waiting);
        if (result < 0) /* let the thread end instead of waiting for space */
            break;
    }
    if (result < 0)
        return result;
    if (job->result.import)
        return writer_import(writer, &job->result, added, error);
    added->error = job->result.error;
    added->incomplete = job->result.incomplete;
    if (added->error.code) {
        writer_cancel(writer);
        return 0;
    }
    added->size_bytes = job->result.size_bytes;
    added->reports = tally_recording_totals(job->result.recording).reports;
    result = writer_end(writer, added->path, &job->result, &added->id, &added->is_new, error);
    if (result < 0)
        writer_cancel(writer);
    return result;
}

static int write_all(struct adding *adding, struct writer *writer, store_added_function *on_added,
                     void *closure, struct tally_error *error)
{
    int result = 0;
    for (size_t i = 0; !result && i < adding->count; i++) {
        struct job *job = &adding->jobs[i % adding->window];
        struct store_added added = {.path = adding->paths[i]};
        result = write_job(adding, writer, job, &added, error);
        if (result < 0)
            break;
        on_added(closure, &added);
        loaded_fini(&job->result);
        pthread_mutex_lock(&adding->mutex);
        job_init(job);
        adding->written++;
        pthread_cond_broadcast(&adding->changed);
        pthread_mutex_unlock(&adding->mutex);
    }
    return result;
}

static void stop(struct adding *adding)
{
    pthread_mutex_lock(&adding->mutex);
    adding->stopped = true;
    pthread_cond_broadcast(&adding->changed);
    pthread_mutex_unlock(&adding->mutex);
}

static void free_jobs(struct adding *adding)
{
    for (size_t i = 0; i < adding->window; i++) {
        struct job *job = &adding->jobs[i];
        for (struct waiting *waiting; (waiting = job->first);) {
            job->first = waiting->next;
            buffer_fini(&waiting->block.bytes);
            free(waiting);
        }
        loaded_fini(&job->result);
    }
}

static size_t start_threads(struct adding *adding, pthread_t threads[PIPELINE_WORKERS_MAX])
{
    size_t wanted = adding->window / JOBS_PER_THREAD, started = 0;
    while (started < wanted && !pthread_create(&threads[started], NULL, load_all, adding))
        started++;
    return started;
}

int store_add(struct store *store, const char *const *paths, size_t count,
              const struct store_add_options *options, store_added_function *on_added,
              void *closure, struct tally_error *error)
{
    struct writer *writer = NULL;
    pthread_t threads[PIPELINE_WORKERS_MAX];
    size_t processors = pipeline_worker_count(0);
    size_t wanted = options->threads ? options->threads : processors;
    struct adding *adding = calloc(1, sizeof *adding);
    if (!adding)
        return fail_memory(error, "recordings");
    *adding = (struct adding){.store = store, .paths = paths, .count = count, .options = options};
    wanted = wanted < count ? wanted : count;
    wanted = wanted > PIPELINE_WORKERS_MAX ? PIPELINE_WORKERS_MAX : wanted ? wanted : 1;
    adding->window = JOBS_PER_THREAD * wanted;
    for (size_t i = 0; i < adding->window; i++)
        job_init(&adding->jobs[i]);
    pthread_mutex_init(&adding->mutex, NULL);
    pthread_cond_init(&adding->changed, NULL);
    int result = writer_new(store, &writer, error);
    size_t started = result ? 0 : start_threads(adding, threads);
    if (!result && !started)
        result = fail(error, -EAGAIN, "cannot start a thread");
    if (!result)
        result = write_all(adding, writer, on_added, closure, error);
    stop(adding);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (writer)
        writer_cancel(writer);
    free_jobs(adding);
    writer_free(writer);
    pthread_cond_destroy(&adding->changed);
    pthread_mutex_destroy(&adding->mutex);
    free(adding);
    return result;
}
