/* SPDX-License-Identifier: MIT */
/* Groups: each worker summarizes its batches, and the summaries are merged at the end. */
#include <errno.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "metrics/phases.h"
#include "metrics/summary.h"
#include "pipeline/pipeline.h"

size_t pipeline_evaluate_block(struct tally_program *program, const struct tally_batch *batch,
                               size_t start)
{
    if (start + 1 >= batch->count)
        return 0;
    size_t left = batch->count - 1 - start;
    size_t count = min_size(left, TALLY_BLOCK), after = left - count;
    tally_program_prefetch(program, batch->reports + start + count + 1,
                           min_size(after, TALLY_BLOCK));
    tally_program_run(program, batch->reports + start, count);
    return count;
}

/* The state that all workers share, for each grouping. */
struct summation {
    const struct pipeline_groups *groups;
    bool is_fed; /* its intervals are made of those of another grouping */
    bool begun;
    uint64_t origin_ticks; /* of the first report; with a range there is one worker */
};

struct tally_batch pipeline_clip(const struct tally_batch *batch, uint64_t origin_ticks,
                                 uint64_t from, uint64_t to)
{
    struct tally_batch clipped = *batch;
    size_t first = 0, end = batch->count - 1;
    while (first < end && batch->gpu_ticks[first] - origin_ticks < from)
        first++;
    while (to && end > first && batch->gpu_ticks[end - 1] - origin_ticks >= to)
        end--;
    clipped.first_index += first;
    clipped.count = end - first + 1;
    clipped.reports += first;
    clipped.gpu_ticks += first;
    clipped.contexts += first;
    clipped.reasons += first;
    clipped.states += first;
    return clipped;
}

static bool has_range(const struct pipeline_groups *groups)
{
    return groups->from_ticks || groups->to_ticks;
}

static bool is_series(enum tally_group_by by)
{
    return by == TALLY_BY_INTERVAL || by == TALLY_BY_FRAME;
}

/* A worker, with its own program and summaries: one for each grouping. */
struct sum_worker {
    struct summation *summations;
    size_t count;
    struct tally_program *program;
    struct tally_summary *summaries[PIPELINE_GROUPINGS_MAX];
};

static void begin(struct summation *summation, uint64_t origin_ticks)
{
    if (!summation->begun && summation->groups->begin)
        summation->groups->begin(summation->groups->closure, origin_ticks);
    summation->begun = true;
}

/* Evaluates the deltas of a batch once, and adds them to all summaries. */
static int add_deltas(struct sum_worker *sum_worker, const struct tally_batch *batch)
{
    for (size_t start = 0, count;
         (count = pipeline_evaluate_block(sum_worker->program, batch, start)); start += count)
        for (size_t i = 0; i < sum_worker->count; i++)
            if (!sum_worker->summations[i].is_fed &&
                tally_summary_add(sum_worker->summaries[i], batch, start, count) < 0)
                return -ENOMEM;
    return 0;
}

/* Returns the deltas that are in the range of all groupings: those with a range have the same. */
static const struct tally_batch *
in_range(struct summation *summation, const struct tally_batch *batch, struct tally_batch *clipped)
{
    const struct pipeline_groups *groups = summation->groups;
    if (!has_range(groups))
        return batch;
    if (!batch->first_index)
        summation->origin_ticks = batch->gpu_ticks[0];
    *clipped = pipeline_clip(batch, summation->origin_ticks, groups->from_ticks, groups->to_ticks);
    return clipped;
}

static int sum_up(void *worker, const struct pipeline_batch *input)
{
    struct sum_worker *sum_worker = worker;
    struct tally_batch clipped;
    for (size_t i = 0; i < sum_worker->count; i++) /* intervals are delivered from now on */
        if (is_series(sum_worker->summations[i].groups->by) && !input->reports->first_index)
            begin(&sum_worker->summations[i], input->reports->gpu_ticks[0]);
    const struct tally_batch *batch = in_range(sum_worker->summations, input->reports, &clipped);
    int result = add_deltas(sum_worker, batch);
    for (size_t i = 0; !result && i < sum_worker->count; i++) {
        const struct pipeline_groups *groups = sum_worker->summations[i].groups;
        if (!is_series(groups->by))
            continue;
        tally_summary_advance(sum_worker->summaries[i], batch->gpu_ticks[batch->count - 1]);
        result = groups->end_batch ? groups->end_batch(groups->closure) : 0;
    }
    return result;
}

static int open_summary(const struct tally_pipeline *pipeline, struct sum_worker *sum_worker,
                        size_t i, struct tally_error *error)
{
    const struct pipeline_groups *groups = sum_worker->summations[i].groups;
    struct tally_summary *summary = tally_summary_new(
        sum_worker->program, groups->by, groups->interval_ticks, groups->group, groups->closure);
    sum_worker->summaries[i] = summary;
    if (!summary || (groups->percentiles && tally_summary_add_percentiles(summary) < 0))
        return fail_memory(error, "a summary");
    uint64_t hz = pipeline->info->recorded.timestamp_hz;
    if (pipeline->info->phases)
        tally_summary_set_phases(summary, pipeline->info->phases, hz);
    if (pipeline->info->marks)
        tally_summary_set_marks(summary, pipeline->info->marks, hz);
    return 0;
}

/* Makes wider intervals of narrower ones, where both are wanted. */
static void feed_summaries(struct sum_worker *sum_worker)
{
    for (size_t i = 1; i < sum_worker->count; i++)
        for (size_t from = i; from-- && !sum_worker->summations[i].is_fed;)
            sum_worker->summations[i].is_fed =
                summary_feed(sum_worker->summaries[from], sum_worker->summaries[i]);
}

static int open_workers(const struct tally_pipeline *pipeline, struct summation *summations,
                        size_t groupings, struct sum_worker *sum_workers, size_t count,
                        struct tally_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct sum_worker *sum_worker = &sum_workers[i];
        *sum_worker = (struct sum_worker){summations, groupings, pipeline->program, {NULL}};
        int result = i ? pipeline_program_new(pipeline, &sum_worker->program, error) : 0;
        for (size_t g = 0; !result && g < groupings; g++)
            result = open_summary(pipeline, sum_worker, g, error);
        if (result < 0)
            return result;
    }
    if (count == 1)
        feed_summaries(sum_workers);
    return 0;
}

static void close_workers(struct sum_worker *sum_workers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t g = 0; g < sum_workers[i].count; g++)
            tally_summary_free(sum_workers[i].summaries[g]);
        if (i)
            tally_program_free(sum_workers[i].program);
    }
}

/* Merges all summaries into those of the first worker. */
static int merge_workers(struct sum_worker *sum_workers, size_t count)
{
    int result = 0;
    for (size_t i = 1; i < count; i++)
        for (size_t g = 0; g < sum_workers[0].count; g++)
            if (tally_summary_merge(sum_workers[0].summaries[g], sum_workers[i].summaries[g]) < 0)
                result = -ENOMEM;
    return result;
}

/* Reads the whole input and merges all summaries into the first ones. */
static int sum_all(struct tally_pipeline *pipeline, struct sum_worker *sum_workers, size_t count,
                   bool *stopped, struct tally_error *error)
{
    struct pipeline_source source = source_of_recording(pipeline->recording);
    void *workers[PIPELINE_WORKERS_MAX];
    struct pipeline_run run = {
        .source = &source,
        .work = sum_up,
        .workers = workers,
        .worker_count = count,
        .ahead = pipeline_may_read_ahead(pipeline),
        .progress = pipeline->options.progress,
        .progress_closure = pipeline->options.progress_closure,
    };
    for (size_t i = 0; i < count; i++)
        workers[i] = &sum_workers[i];
    *error = (struct tally_error){0};
    int result = pipeline_run(&run, error);
    *stopped = result && !error->code && result != -ENOMEM;
    if (merge_workers(sum_workers, count) < 0)
        result = -ENOMEM;
    if (result == -ENOMEM && !error->code)
        fail(error, -ENOMEM, "out of memory");
    return result;
}

/* Returns how many workers the groupings allow. Intervals must be closed in the order of time, so
 * they have one. */
static size_t worker_count(const struct tally_pipeline *pipeline,
                           const struct pipeline_groups *groupings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_series(groupings[i].by) || has_range(&groupings[i]))
            return 1;
    return pipeline_workers(pipeline);
}

int pipeline_summarize_all(struct tally_pipeline *pipeline, const struct pipeline_groups *groupings,
                           size_t groupings_count, struct tally_error *error)
{
    size_t count = worker_count(pipeline, groupings, groupings_count);
    struct sum_worker sum_workers[PIPELINE_WORKERS_MAX] = {0};
    struct summation summations[PIPELINE_GROUPINGS_MAX] = {0};
    bool stopped = false;
    for (size_t i = 0; i < groupings_count; i++) {
        enum tally_group_by by = groupings[i].by;
        const char *lacks = grouping_lacks(pipeline->info, by);
        if (lacks)
            return fail(error, -EINVAL, "%s: carries no %s", pipeline->info->path, lacks);
        summations[i].groups = &groupings[i];
    }
    pipeline->is_read = true;
    int result = open_workers(pipeline, summations, groupings_count, sum_workers, count, error);
    bool opened = result == 0;
    if (opened)
        result = sum_all(pipeline, sum_workers, count, &stopped, error);
    for (size_t i = 0; opened && !stopped && i < groupings_count; i++) {
        begin(&summations[i], tally_recording_totals(pipeline->recording).first_ticks);
        tally_summary_finish(sum_workers[0].summaries[i]);
    }
    close_workers(sum_workers, count);
    return result;
}

int pipeline_summarize(struct tally_pipeline *pipeline, const struct pipeline_groups *groups,
                       struct tally_error *error)
{
    return pipeline_summarize_all(pipeline, groups, 1, error);
}

int tally_pipeline_summarize(struct tally_pipeline *pipeline, enum tally_group_by by,
                             uint64_t interval_ns, tally_group_function *on_group, void *closure,
                             struct tally_error *error)
{
    struct tally_error ignored;
    struct pipeline_groups groups = {
        .by = by,
        .percentiles = pipeline->options.percentiles,
        .group = on_group,
        .closure = closure,
    };
    if (!error)
        error = &ignored;
    if (pipeline->feed.on || pipeline->is_read)
        return fail(error, -EINVAL, "a pipeline that %s cannot be summarized",
                    pipeline->feed.on ? "is fed" : "has been read");
    groups.interval_ticks =
        scale_u64(interval_ns, pipeline->info->recorded.timestamp_hz, NS_PER_SECOND);
    if (by == TALLY_BY_INTERVAL && !groups.interval_ticks)
        return fail(error, -EINVAL, "an interval of %llu ns is shorter than a timestamp tick",
                    (unsigned long long)interval_ns);
    return pipeline_summarize(pipeline, &groups, error);
}
