/* SPDX-License-Identifier: MIT */
/* Iterates over evaluated samples: deltas or intervals. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ratio.h"
#include "pipeline/pipeline.h"
#include "recording/ledger.h"

uint64_t iterator_ns(const struct tally_pipeline *pipeline, uint64_t ticks)
{
    return scale_u64(ticks, NS_PER_SECOND, pipeline->info->recorded.timestamp_hz);
}

static void place_in_time(const struct tally_pipeline *pipeline, struct tally_sample *sample)
{
    sample->start_ns = iterator_ns(pipeline, sample->gpu_start - pipeline->iterator.origin_ticks);
    sample->has_cpu_ns =
        !tally_recording_cpu_ns(pipeline->recording, sample->gpu_start, &sample->cpu_start_ns) &&
        !tally_recording_cpu_ns(pipeline->recording, sample->gpu_end, &sample->cpu_end_ns);
}

/* ---- deltas ---------------------------------------------------------------------------------- */

static void deliver_delta(struct tally_pipeline *pipeline)
{
    struct iterator *iterator = &pipeline->iterator;
    const struct tally_batch *batch = iterator->batch;
    size_t at = iterator->next++, i = iterator->start + at;
    bool ok = batch->states[i] == TALLY_STATE_OK;
    iterator->sample = (struct pipeline_sample){
        .public =
            {
                .index = batch->first_index + i,
                .state = (enum tally_state)batch->states[i],
                .has_values = ok,
                .deltas = ok,
                .lost = state_is_lost((enum tally_state)batch->states[i]),
                .gpu_start = batch->gpu_ticks[i],
                .gpu_end = batch->gpu_ticks[i + 1],
                .duration_ns = iterator_ns(pipeline, batch->gpu_ticks[i + 1] - batch->gpu_ticks[i]),
                .context = batch->contexts[i],
                .reasons = batch->reasons[i],
            },
        .pipeline = pipeline,
        .at = at,
    };
    place_in_time(pipeline, &iterator->sample.public);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static int queue_grow(struct sample_queue *queue, size_t counters)
{
    size_t capacity = queue->capacity ? 2 * queue->capacity : 8;
    struct pipeline_sample *samples = realloc(queue->samples, capacity * sizeof *samples);
    if (samples)
        queue->samples = samples;
    struct tally_statistic *statistics =
        samples ? realloc(queue->statistics, capacity * counters * sizeof *statistics) : NULL;
    if (!statistics)
        return -ENOMEM;
    queue->statistics = statistics;
    queue->capacity = capacity;
    return 0;
}

/* Appends a group of the summary to the queue as a sample. */
static void take_group(void *closure, const struct tally_group *group,
                       const struct tally_statistic *statistics)
{
    struct tally_pipeline *pipeline = closure;
    struct iterator *iterator = &pipeline->iterator;
    struct sample_queue *queue = &iterator->queue;
    size_t counters = pipeline->set->counter_count;
    if (group->by != TALLY_BY_INTERVAL || iterator->result == -ENOMEM)
        return; /* the total is not a sample */
    if (queue->count == queue->capacity && queue_grow(queue, counters) < 0) {
        iterator->ended = true;
        iterator->result = fail_memory(&iterator->error, "a sample");
        return;
    }
    memcpy(queue->statistics + queue->count * counters, statistics, counters * sizeof *statistics);
    queue->samples[queue->count] = (struct pipeline_sample){
        .public =
            {
                .index = group->key,
                .state = group->lost ? TALLY_STATE_LOST : TALLY_STATE_OK,
                .has_values = group->deltas != 0,
                .deltas = group->deltas,
                .lost = group->lost,
                .gpu_start = group->first_ticks,
                .gpu_end = group->last_ticks,
                .duration_ns = iterator_ns(pipeline, group->ticks),
                .context = TALLY_CONTEXT_IDLE,
            },
        .pipeline = pipeline,
        .at = queue->count,
    };
    queue->count++;
}

static void deliver_queued(struct tally_pipeline *pipeline)
{
    struct iterator *iterator = &pipeline->iterator;
    iterator->sample = iterator->queue.samples[iterator->queue.first++];
    place_in_time(pipeline, &iterator->sample.public);
}

/* Summarizes the whole batch and queues the intervals that are complete. */
static void sum_up_batch(struct tally_pipeline *pipeline)
{
    struct iterator *iterator = &pipeline->iterator;
    const struct tally_batch *batch = iterator->batch;
    iterator->queue.first = iterator->queue.count = 0;
    for (size_t start = 0, count;
         (count = pipeline_evaluate_block(pipeline->program, batch, start)); start += count) {
        if (tally_summary_add(iterator->summary, batch, start, count) < 0) {
            iterator->ended = true;
            iterator->result = fail_memory(&iterator->error, "a summary");
            return;
        }
    }
    tally_summary_advance(iterator->summary, batch->gpu_ticks[batch->count - 1]);
}

/* ---- iteration ------------------------------------------------------------------------------- */

static int start(struct tally_pipeline *pipeline, struct tally_error *error)
{
    struct iterator *iterator = &pipeline->iterator;
    int result = pipeline_open_when_fed(pipeline, error);
    if (result == -EAGAIN)
        return result;
    iterator->started = true;
    if (!result && pipeline->is_read)
        result = fail(error, -EINVAL, "the pipeline has been read");
    if (!result && !(iterator->batch = tally_batch_new()))
        result = fail_memory(error, "a batch");
    uint64_t ns = pipeline->options.interval_ns, ticks = 0;
    if (!result && ns) {
        ticks = scale_u64(ns, pipeline->info->recorded.timestamp_hz, NS_PER_SECOND);
        if (!ticks)
            result = fail(error, -EINVAL, "an interval of %llu ns is shorter than a timestamp tick",
                          (unsigned long long)ns);
    }
    if (!result && ticks &&
        (!(iterator->summary = tally_summary_new(pipeline->program, TALLY_BY_INTERVAL, ticks,
                                                 take_group, pipeline)) ||
         (pipeline->options.percentiles && tally_summary_add_percentiles(iterator->summary) < 0)))
        result = fail_memory(error, "a summary");
    if (!result && !pipeline->called) /* makes CPU times exact from the first sample */
        tally_recording_index(pipeline->recording);
    if (result < 0) {
        iterator->ended = true;
        iterator->result = result;
        if (error)
            iterator->error = *error;
    }
    pipeline->is_read = true;
    return 0;
}

static void end(struct tally_pipeline *pipeline, int result)
{
    struct iterator *iterator = &pipeline->iterator;
    iterator->ended = true;
    iterator->result = result;
    if (result < 0 && pipeline->feed.error.code) /* more specific than the read error */
        iterator->error = pipeline->feed.error;
    if (iterator->summary) {
        iterator->queue.first = iterator->queue.count = 0;
        tally_summary_finish(iterator->summary);
    }
}

/* Reads and evaluates the next batch. Returns 0, or -EAGAIN if none is available yet. */
static int read_on(struct tally_pipeline *pipeline)
{
    struct iterator *iterator = &pipeline->iterator;
    iterator->start = iterator->count = iterator->next = 0;
    int result = tally_recording_read(pipeline->recording, iterator->batch, &iterator->error);
    if (result == -EAGAIN)
        return result;
    if (result <= 0) {
        end(pipeline, result);
        return 0;
    }
    if (!iterator->batch->first_index)
        iterator->origin_ticks = iterator->batch->gpu_ticks[0];
    if (pipeline->on_batch)
        pipeline->on_batch(pipeline->batch_closure, iterator->batch);
    if (iterator->summary)
        sum_up_batch(pipeline);
    return 0;
}

/* Evaluates the next block of the batch. Returns false at its end. */
static bool evaluate_next(struct tally_pipeline *pipeline)
{
    struct iterator *iterator = &pipeline->iterator;
    if (iterator->summary || iterator->ended)
        return false;
    iterator->start += iterator->count;
    iterator->next = 0;
    iterator->count = pipeline_evaluate_block(pipeline->program, iterator->batch, iterator->start);
    return iterator->count != 0;
}

int iterator_advance(struct tally_pipeline *pipeline, struct tally_error *error)
{
    struct iterator *iterator = &pipeline->iterator;
    int result = iterator->started ? 0 : start(pipeline, error);
    while (!result) {
        if (iterator->next < iterator->count || iterator->queue.first < iterator->queue.count)
            return 1;
        if (iterator->ended) {
            if (iterator->result < 0 && error)
                *error = iterator->error;
            return iterator->result;
        }
        if (!evaluate_next(pipeline))
            result = read_on(pipeline);
    }
    return result;
}

const struct tally_sample *iterator_deliver(struct tally_pipeline *pipeline)
{
    if (pipeline->iterator.next < pipeline->iterator.count)
        deliver_delta(pipeline);
    else
        deliver_queued(pipeline);
    return &pipeline->iterator.sample.public;
}

int tally_pipeline_next(struct tally_pipeline *pipeline, const struct tally_sample **out,
                        struct tally_error *error)
{
    int result = iterator_advance(pipeline, error);
    if (result > 0)
        *out = iterator_deliver(pipeline);
    return result;
}

void iterator_fini(struct tally_pipeline *pipeline)
{
    struct iterator *iterator = &pipeline->iterator;
    tally_summary_free(iterator->summary);
    tally_batch_free(iterator->batch);
    free(iterator->queue.samples);
    free(iterator->queue.statistics);
}

/* ---- values ---------------------------------------------------------------------------------- */

int tally_sample_statistic(const struct tally_sample *public, size_t index,
                           struct tally_statistic *out)
{
    const struct pipeline_sample *sample = (const struct pipeline_sample *)public;
    const struct tally_pipeline *pipeline = sample->pipeline;
    if (index >= pipeline->set->counter_count || !tally_program_values(pipeline->program, index))
        return -ENOENT;
    if (!public->has_values)
        return -ENODATA;
    if (pipeline->iterator.summary) {
        *out =
            pipeline->iterator.queue.statistics[sample->at * pipeline->set->counter_count + index];
        return 0;
    }
    enum tally_data_type type = pipeline->set->counters[index].type;
    union tally_value value = tally_program_values(pipeline->program, index)[sample->at];
    *out = (struct tally_statistic){
        .type = type,
        .overall = value,
        .minimum = value,
        .maximum = value,
        .mean = tally_value_double(value, type),
        .p50 = value,
        .p95 = value,
        .p99 = value,
    };
    return 0;
}

double tally_sample_value(const struct tally_sample *sample, size_t index)
{
    struct tally_statistic statistic;
    if (tally_sample_statistic(sample, index, &statistic) < 0)
        return (double)NAN;
    return tally_value_double(statistic.overall, statistic.type);
}

int tally_sample_get(const struct tally_sample *public, const char *symbol, double *out)
{
    const struct pipeline_sample *sample = (const struct pipeline_sample *)public;
    ptrdiff_t counter = tally_pipeline_counter(sample->pipeline, symbol);
    if (counter < 0)
        return (int)counter;
    if (!public->has_values)
        return -ENODATA;
    *out = tally_sample_value(public, (size_t)counter);
    return 0;
}
