/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_RUN_H
#define TALLY_PIPELINE_RUN_H

#include <tally/pipeline.h>

#include "pipeline/source.h"

/* Processes all batches of a source with one or more workers. */

#define PIPELINE_WORKERS_MAX 8

struct pipeline_run {
    const struct pipeline_source *source;
    /* Processes a batch; `worker` is an element of `workers`. Returns 0, or another value to stop.
     */
    int (*work)(void *worker, const struct pipeline_batch *batch);
    /* Called after `work` for each batch, one at a time and in the order of the source. May be
     * NULL. Returns as `work`. */
    int (*commit)(void *worker);
    void *const *workers;
    size_t worker_count;               /* 1 to PIPELINE_WORKERS_MAX */
    bool ahead;                        /* with one worker: a second thread may read ahead */
    tally_progress_function *progress; /* NULL: none */
    void *progress_closure;
};

/*
 * Runs the workers. Several workers are threads that take turns reading; each processes its batch
 * while the others read, so that a batch stays in the cache of the processor that read it. With one
 * worker, `ahead` and a large input, a second thread reads ahead. `work` must therefore not use
 * anything of the source that reading changes.
 * Returns 0 at the end of the input, a negative errno with *error if reading failed, or the nonzero
 * value that `work` or `commit` returned.
 */
int pipeline_run(const struct pipeline_run *run, struct tally_error *error);

/* Returns the number of workers for an input of this size (0 if unknown) on the processors
 * available to this process: 1 to PIPELINE_WORKERS_MAX. */
size_t pipeline_worker_count(uint64_t size_bytes);

#endif
