/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_PIPELINE_H
#define TALLY_PIPELINE_PIPELINE_H

#include <tally/pipeline.h>

#include "base/buffer.h"
#include "pipeline/run.h"

/* Evaluated samples of an iterator that have not been delivered yet (iterate.c). */
struct sample_queue {
    struct pipeline_sample *samples;
    struct tally_statistic *statistics; /* per sample, one for each counter of the set */
    size_t first, count, capacity;
};

/* A public sample, and where to find its values. */
struct pipeline_sample {
    struct tally_sample public;
    const struct tally_pipeline *pipeline;
    size_t at; /* index of the delta in the block, or of the interval's statistics in the queue */
};

struct iterator {
    bool started;
    struct tally_batch *batch;
    size_t start, count; /* first delta and number of deltas of the evaluated block */
    size_t next;         /* next delta of the block to deliver */
    uint64_t origin_ticks;
    struct pipeline_sample sample;
    struct tally_summary *summary; /* for intervals */
    struct sample_queue queue;
    bool ended;
    int result; /* of the last read */
    struct tally_error error;
};

/* Bytes of a stream that have not been read (feed.c). */
struct feed {
    bool on;     /* tally_pipeline_feed() is used */
    bool opened; /* the recording is open: bytes that were read can be discarded */
    bool ended;
    struct tally_capture *capture; /* device that delivers the bytes, or NULL */
    struct tally_error error;      /* of the capture */
    struct buffer bytes;
    size_t at;
};

struct tally_pipeline {
    struct tally_pipeline_options options;
    char *name; /* of a fed pipeline */
    struct tally_recording *recording;
    const struct tally_recording_info *info;
    struct tally_catalog *catalog;
    bool shares_catalog;               /* it belongs to the caller of pipeline_open_with() */
    struct tally_metric_file *own_set; /* made of a SIGNALS record, or NULL */
    const struct tally_metric_set *set;
    struct tally_program *program;
    size_t *counters;
    size_t counter_count;
    bool is_read; /* the input has been read, which is possible only once */
    bool called;  /* reading calls a function of the caller, so only the caller's thread may read */

    /* Called by tally_pipeline_next() for each batch that it has read, before the batch is
     * evaluated. NULL: not called. */
    void (*on_batch)(void *closure, const struct tally_batch *batch);
    void *batch_closure;

    struct feed feed;
    struct iterator iterator;
};

/*
 * The steps of opening: pipeline_new() allocates a pipeline and copies the options. After the
 * recording has been opened with `result`, pipeline_open_rest() opens the metric set and program.
 * pipeline_finish_open() sets *out, or closes the pipeline if `result` is negative. All return 0 or
 * a negative errno.
 */
int pipeline_new(const struct tally_pipeline_options *options, struct tally_pipeline **out,
                 struct tally_error *error);
int pipeline_open_rest(struct tally_pipeline *pipeline, int result, struct tally_error *error);
int pipeline_finish_open(struct tally_pipeline *pipeline, int result, struct tally_pipeline **out);

/* Opens a recording by its descriptor, which it takes, also on failure. `name` is what messages and
 * formats call it. */
int pipeline_open_file(int fd, const char *name, const struct tally_pipeline_options *options,
                       struct tally_pipeline **out, struct tally_error *error);

void feed_fini(struct feed *feed);

/* Opens the recording of a fed pipeline. Returns 0, -EAGAIN if more bytes are needed, or an error.
 */
int pipeline_open_when_fed(struct tally_pipeline *pipeline, struct tally_error *error);

/* Compiles another program for the pipeline's set and counters, for use by another thread. */
int pipeline_program_new(const struct tally_pipeline *pipeline, struct tally_program **out,
                         struct tally_error *error);

/* Returns the number of workers to use for the pipeline's input, within its limit. */
size_t pipeline_workers(const struct tally_pipeline *pipeline);

/* True if another thread may read the source. */
bool pipeline_may_read_ahead(const struct tally_pipeline *pipeline);

/* Evaluates the next block of at most TALLY_BLOCK deltas from element `start` on. Returns the
 * number of deltas, or 0 if none is left. */
size_t pipeline_evaluate_block(struct tally_program *program, const struct tally_batch *batch,
                               size_t start);

/* Returns a batch of those deltas that start between `from` and `to` (0: no limit), counted from
 * `origin_ticks`. The arrays are those of `batch`. */
struct tally_batch pipeline_clip(const struct tally_batch *batch, uint64_t origin_ticks,
                                 uint64_t from, uint64_t to);

/* Callbacks for the groups of a summary; `begin` and `end_batch` may be NULL. */
struct pipeline_groups {
    enum tally_group_by by;
    uint64_t interval_ticks;
    bool percentiles;
    /* Only deltas that start in this range of GPU time from the first report on; to_ticks 0: up to
     * the end. */
    uint64_t from_ticks, to_ticks;
    /* Called before the first group with the unwrapped time of the first report. */
    void (*begin)(void *closure, uint64_t origin_ticks);
    tally_group_function *group;
    /* Called after the finished intervals of each batch. Returns 0, or another value to stop. */
    int (*end_batch)(void *closure);
    void *closure;
};

/* Reads and summarizes the whole input. Returns as pipeline_run(). Groups are delivered even after
 * a read error, but not if a callback stopped the run. */
int pipeline_summarize(struct tally_pipeline *pipeline, const struct pipeline_groups *groups,
                       struct tally_error *error);

/* Same for several groupings at once, at most PIPELINE_GROUPINGS_MAX: the input is read and
 * evaluated once. All have the same range. */
#define PIPELINE_GROUPINGS_MAX 8
int pipeline_summarize_all(struct tally_pipeline *pipeline, const struct pipeline_groups *groupings,
                           size_t groupings_count, struct tally_error *error);

/*
 * Counts the intervals or frames with deltas that summarizing this recording would deliver, and the
 * time in them. Reads all of it, up to a fault, but evaluates nothing. Returns 0 or -ENOMEM.
 */
int pipeline_count_groups(struct tally_recording *recording, const struct pipeline_groups *groups,
                          uint64_t *count, uint64_t *ticks, struct tally_error *error);

/* Opens an input as tally_pipeline_open() does, with the metric sets of a catalog that outlives the
 * pipeline and is not used by another thread meanwhile: for many recordings, one after the other.
 * `options->metrics` is not used. */
int pipeline_open_with(const char *path, const struct tally_pipeline_options *options,
                       struct tally_catalog *catalog, struct tally_pipeline **out,
                       struct tally_error *error);

/* Reads and evaluates until a sample is available. Returns as tally_pipeline_next(). */
int iterator_advance(struct tally_pipeline *pipeline, struct tally_error *error);

/* Moves on to the available sample, and returns it. */
const struct tally_sample *iterator_deliver(struct tally_pipeline *pipeline);

/* Converts a duration in ticks of the OA timestamp to nanoseconds. */
uint64_t iterator_ns(const struct tally_pipeline *pipeline, uint64_t ticks);

/* Frees the iterator (iterate.c). */
void iterator_fini(struct tally_pipeline *pipeline);

#endif
