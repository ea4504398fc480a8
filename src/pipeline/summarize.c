/* SPDX-License-Identifier: MIT */
/* Groups: each worker summarizes its batches, and the summaries are merged at the end. */
#include <errno.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
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

/* The state that all workers share. */
struct summation {
    const struct pipeline_groups *groups;
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

/* A worker, with its own program and summary. */
struct sum_worker {
    struct summation *summation;
    struct tally_program *program;
    struct tally_summary *summary;
};

static void begin(struct summation *summation, uint64_t origin_ticks)
{
    if (!summation->begun && summation->groups->begin)
        summation->groups->begin(summation->groups->closure, origin_ticks);
    summation->begun = true;
}

static int sum_up(void *worker, const struct pipeline_batch *input)
{
    struct sum_worker *sum_worker = worker;
    struct summation *summation = sum_worker->summation;
    const struct pipeline_groups *groups = summation->groups;
    const struct tally_batch *batch = input->reports;
    struct tally_batch clipped;
    bool live = is_series(groups->by);
    if (live && !batch->first_index) /* intervals are delivered from now on */
        begin(summation, batch->gpu_ticks[0]);
    if (has_range(groups)) {
        if (!batch->first_index)
            summation->origin_ticks = batch->gpu_ticks[0];
        clipped =
            pipeline_clip(batch, summation->origin_ticks, groups->from_ticks, groups->to_ticks);
        batch = &clipped;
    }
    for (size_t start = 0, count;
         (count = pipeline_evaluate_block(sum_worker->program, batch, start)); start += count)
        if (tally_summary_add(sum_worker->summary, batch, start, count) < 0)
            return -ENOMEM;
    if (!live)
        return 0;
    tally_summary_advance(sum_worker->summary, batch->gpu_ticks[batch->count - 1]);
    return groups->end_batch ? groups->end_batch(groups->closure) : 0;
}

static int open_workers(const struct tally_pipeline *pipeline, struct summation *summation,
                        struct sum_worker *sum_workers, size_t count, struct tally_error *error)
{
    const struct pipeline_groups *groups = summation->groups;
    for (size_t i = 0; i < count; i++) {
        struct sum_worker *sum_worker = &sum_workers[i];
        *sum_worker = (struct sum_worker){summation, pipeline->program, NULL};
        int result = i ? pipeline_program_new(pipeline, &sum_worker->program, error) : 0;
        if (result < 0)
            return result;
        sum_worker->summary =
            tally_summary_new(sum_worker->program, groups->by, groups->interval_ticks,
                              groups->group, groups->closure);
        if (!sum_worker->summary ||
            (groups->percentiles && tally_summary_add_percentiles(sum_worker->summary) < 0))
            return fail_memory(error, "a summary");
        if (pipeline->info->phases)
            tally_summary_set_phases(sum_worker->summary, pipeline->info->phases,
                                     pipeline->info->recorded.timestamp_hz);
    }
    return 0;
}

static void close_workers(struct sum_worker *sum_workers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tally_summary_free(sum_workers[i].summary);
        if (i)
            tally_program_free(sum_workers[i].program);
    }
}

/* Reads the whole input and merges all summaries into the first one. */
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
    for (size_t i = 1; i < count; i++)
        if (tally_summary_merge(sum_workers[0].summary, sum_workers[i].summary) < 0)
            result = -ENOMEM;
    if (result == -ENOMEM && !error->code)
        fail(error, -ENOMEM, "out of memory");
    return result;
}

int pipeline_summarize(struct tally_pipeline *pipeline, const struct pipeline_groups *groups,
                       struct tally_error *error)
{
    bool phased = groups->by == TALLY_BY_PHASE || groups->by == TALLY_BY_FRAME;
    if (phased && !pipeline->info->phases)
        return fail(error, -EINVAL, "%s: carries no frames or phases", pipeline->info->path);
    /* Intervals must be closed in the order of time, so they have one worker. */
    size_t count = is_series(groups->by) || has_range(groups) ? 1 : pipeline_workers(pipeline);
    struct sum_worker sum_workers[PIPELINE_WORKERS_MAX] = {0};
    struct summation summation = {.groups = groups};
    bool stopped = false;
    pipeline->is_read = true;
    int result = open_workers(pipeline, &summation, sum_workers, count, error);
    bool opened = result == 0;
    if (opened)
        result = sum_all(pipeline, sum_workers, count, &stopped, error);
    if (opened && !stopped) {
        begin(&summation, tally_recording_totals(pipeline->recording).first_ticks);
        tally_summary_finish(sum_workers[0].summary);
    }
    close_workers(sum_workers, count);
    return result;
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
