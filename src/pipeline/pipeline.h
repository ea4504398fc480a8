/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PIPELINE_PIPELINE_H
#define TALLY_PIPELINE_PIPELINE_H

#include <tally/pipeline.h>

#include "base/buffer.h"
#include "pipeline/run.h"

/* Samples of an iterator that have been evaluated and not yet delivered (iterate.c). */
struct sample_queue {
    struct pipeline_sample *samples;
    struct tally_statistic *statistics; /* one a counter of the set and sample */
    size_t first, count, capacity;
};

/* The public sample, with what its values are read by. */
struct pipeline_sample {
    struct tally_sample public;
    const struct tally_pipeline *pipeline;
    size_t at; /* of the block: index of the delta; of an interval: of the queue's statistics */
};

struct iterator {
    bool started;
    struct tally_batch *batch;
    size_t start, count; /* the block that is evaluated: its first delta, and its deltas */
    size_t next;         /* delta of the block to deliver */
    uint64_t origin_ticks;
    struct pipeline_sample sample;
    struct tally_summary *summary; /* of intervals */
    struct sample_queue queue;
    bool ended;
    int result; /* of the read that ended it */
    struct tally_error error;
};

/* Bytes of a stream that have not been read (feed.c). */
struct feed {
    bool on;     /* tally_pipeline_feed() gives them */
    bool opened; /* so is the recording: bytes that were read are gone */
    bool ended;
    struct tally_capture *capture; /* that is stepped for them, or NULL */
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
    const struct tally_metric_set *set;
    struct tally_program *program;
    size_t *counters;
    size_t counter_count;
    bool is_read; /* by a run; it cannot be read again */
    bool called;  /* its bytes come from the caller's function: no thread of ours may read */
    struct feed feed;
    struct iterator iterator;
};

/* A pipeline with nothing but its options; the rest when its recording has been opened with
 * `result`; handing it to the caller, or closing it if `result` is negative. Return 0 or a negative
 * errno. */
int pipeline_new(const struct tally_pipeline_options *options, struct tally_pipeline **out,
                 struct tally_error *error);
int pipeline_open_rest(struct tally_pipeline *pipeline, int result, struct tally_error *error);
int pipeline_finish_open(struct tally_pipeline *pipeline, int result, struct tally_pipeline **out);

void feed_fini(struct feed *feed);

/* Opens the recording of a fed pipeline when enough bytes are there. 0, -EAGAIN or an error. */
int pipeline_open_when_fed(struct tally_pipeline *pipeline, struct tally_error *error);

/* Another program of the pipeline's set and counters, for another thread. */
int pipeline_program_new(const struct tally_pipeline *pipeline, struct tally_program **out,
                         struct tally_error *error);

/* How many workers the pipeline's input is worth within its limit. */
size_t pipeline_workers(const struct tally_pipeline *pipeline);

/* May a thread of ours read the source? */
bool pipeline_may_read_ahead(const struct tally_pipeline *pipeline);

/* The element behind the last whole block of at most TALLY_BLOCK deltas from `start` on, which
 * `program` has then evaluated: how many deltas it has; 0: there are none left. */
size_t pipeline_evaluate_block(struct tally_program *program, const struct tally_batch *batch,
                               size_t start);

/* What receives a summary's groups. Members may be NULL where nothing is to be done. */
struct pipeline_groups {
    enum tally_group_by by;
    uint64_t interval_ticks;
    /* Before the first group, with the unwrapped time of the first report. */
    void (*begin)(void *closure, uint64_t origin_ticks);
    tally_group_function *group;
    /* After each batch whose intervals were told. Returns 0, or another value to stop. */
    int (*end_batch)(void *closure);
    void *closure;
};

/* Reads everything and sums it up. Returns as pipeline_run(); groups are told also after a fault,
 * but not after a stop. */
int pipeline_summarize(struct tally_pipeline *pipeline, const struct pipeline_groups *groups,
                       struct tally_error *error);

/* Frees what iterating has made (iterate.c). */
void iterator_fini(struct tally_pipeline *pipeline);

#endif
