/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_RUN_H
#define TALLY_PIPELINE_RUN_H

#include <tally/pipeline.h>

#include "pipeline/source.h"

/* Moves the batches of a source, to its end, through one worker or several. */

#define PIPELINE_WORKERS_MAX 8

struct pipeline_run {
    const struct pipeline_source *source;
    /* Processes a batch. `worker` is the worker's own. Returns 0, or another value to stop. */
    int (*work)(void *worker, const struct pipeline_batch *batch);
    /* Called after `work` for each batch, one at a time and in the order of the source; NULL:
     * nothing to do. Returns as `work`. */
    int (*commit)(void *worker);
    void *const *workers;
    size_t worker_count;               /* 1 to PIPELINE_WORKERS_MAX */
    bool ahead;                        /* with one worker: a second thread may read ahead */
    tally_progress_function *progress; /* NULL: none */
    void *progress_closure;
};

/*
 * Runs. With several workers, each is a thread that takes turns in reading and works on its batch
 * while the others read theirs, so that a batch stays in the cache of the processor that read it.
 * With one worker, `ahead` and a large input, a second thread reads ahead. `work` may therefore not
 * use anything of the source that reading changes.
 * Returns the result of the read that ended it (0 at the end, or a negative errno with *error), or
 * what `work` or `commit` returned if that was not 0.
 */
int pipeline_run(const struct pipeline_run *run, struct tally_error *error);

/* How many workers an input of this size (0: not known) is worth on the processors that this
 * process may use: 1 to PIPELINE_WORKERS_MAX. */
size_t pipeline_worker_count(uint64_t size_bytes);

#endif
