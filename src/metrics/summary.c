/* SPDX-License-Identifier: MIT */
#include <tally/summary.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/ratio.h"
#include "metrics/program.h"

struct group {
    struct tally_group public;
    bool used;
    uint64_t sums[TALLY_SLOT_COUNT];
    struct reduction *reductions; /* one a counter */
};

struct tally_summary {
    struct tally_program *program;
    enum tally_group_by by;
    uint64_t interval_ticks;
    tally_group_function *on_group;
    void *closure;

    struct group total;
    struct group *groups;
    size_t group_count, group_capacity;
    uint32_t *buckets; /* contexts and reasons: group + 1 by key */
    size_t bucket_count;
    struct tally_statistic *statistics;
    union tally_value *overall;
};

static size_t counter_count(const struct tally_summary *summary)
{
    return summary->program->set->counter_count;
}

static bool counter_ok(const struct tally_summary *summary, size_t counter)
{
    return summary->program->states[counter] == TALLY_COUNTER_OK;
}

static enum tally_data_type counter_type(const struct tally_summary *summary, size_t counter)
{
    return summary->program->set->counters[counter].type;
}

static void group_clear(const struct tally_summary *summary, struct group *group,
                        enum tally_group_by by, uint64_t key)
{
    group->used = false;
    group->public = (struct tally_group){.by = by, .key = key};
    memset(group->sums, 0, sizeof group->sums);
    for (size_t i = 0; i < counter_count(summary); i++) {
        struct reduction *reduction = &group->reductions[i];
        *reduction = (struct reduction){0};
        if (counter_type(summary, i) == TALLY_DOUBLE) {
            reduction->minimum.f = (double)INFINITY;
            reduction->maximum.f = (double)-INFINITY;
        } else {
            reduction->minimum.u = UINT64_MAX;
        }
    }
}

static int group_init(const struct tally_summary *summary, struct group *group,
                      enum tally_group_by by, uint64_t key)
{
    group->reductions = malloc((counter_count(summary) + 1) * sizeof *group->reductions);
    if (!group->reductions)
        return -ENOMEM;
    group_clear(summary, group, by, key);
    return 0;
}

struct tally_summary *tally_summary_new(struct tally_program *program, enum tally_group_by by,
                                        uint64_t interval_ticks, tally_group_function *on_group,
                                        void *closure)
{
    struct tally_summary *summary = calloc(1, sizeof *summary);
    if (!summary)
        return NULL;
    summary->program = program;
    summary->by = by;
    summary->interval_ticks = interval_ticks;
    summary->on_group = on_group;
    summary->closure = closure;
    size_t count = counter_count(summary) + 1;
    summary->statistics = calloc(count, sizeof *summary->statistics);
    summary->overall = calloc(count, sizeof *summary->overall);
    if (!summary->statistics || !summary->overall ||
        group_init(summary, &summary->total, TALLY_BY_NOTHING, 0) < 0) {
        tally_summary_free(summary);
        return NULL;
    }
    return summary;
}

void tally_summary_free(struct tally_summary *summary)
{
    if (!summary)
        return;
    for (size_t i = 0; i < summary->group_count; i++)
        free(summary->groups[i].reductions);
    free(summary->groups);
    free(summary->buckets);
    free(summary->total.reductions);
    free(summary->statistics);
    free(summary->overall);
    free(summary);
}

/* ---- finding a delta's group --------------------------------------------------------------- */

static uint64_t delta_key(const struct tally_summary *summary, const struct tally_batch *batch,
                          size_t i)
{
    switch (summary->by) {
    case TALLY_BY_CONTEXT:
        return batch->contexts[i];
    case TALLY_BY_REASON:
        return batch->reasons[i];
    case TALLY_BY_INTERVAL:
        return batch->gpu_ticks[i] / summary->interval_ticks;
    case TALLY_BY_NOTHING:
        break;
    }
    return 0;
}

static size_t bucket_of(const struct tally_summary *summary, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (hash ^ hash >> 32) & (summary->bucket_count - 1);
    while (summary->buckets[at] && summary->groups[summary->buckets[at] - 1].public.key != key)
        at = (at + 1) & (summary->bucket_count - 1);
    return at;
}

static int grow_buckets(struct tally_summary *summary)
{
    size_t count = summary->bucket_count ? summary->bucket_count * 2 : 64;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return -ENOMEM;
    free(summary->buckets);
    summary->buckets = buckets;
    summary->bucket_count = count;
    for (size_t i = 0; i < summary->group_count; i++)
        buckets[bucket_of(summary, summary->groups[i].public.key)] = (uint32_t)i + 1;
    return 0;
}

static void emit(struct tally_summary *summary, const struct group *group);

/* The group of a key, made if it is new. Intervals use one group over and over. */
static struct group *find_group(struct tally_summary *summary, uint64_t key)
{
    if (summary->by == TALLY_BY_INTERVAL && summary->group_count) {
        struct group *group = &summary->groups[0];
        if (group->public.key != key) {
            emit(summary, group);
            group_clear(summary, group, summary->by, key);
        }
        return group;
    }
    if (summary->group_count * 2 >= summary->bucket_count && grow_buckets(summary) < 0)
        return NULL;
    size_t bucket = bucket_of(summary, key);
    if (summary->buckets[bucket])
        return &summary->groups[summary->buckets[bucket] - 1];
    struct group *groups = array_grow(summary->groups, &summary->group_capacity,
                                      summary->group_count, sizeof *groups);
    if (!groups)
        return NULL;
    summary->groups = groups;
    if (group_init(summary, &groups[summary->group_count], summary->by, key) < 0)
        return NULL;
    summary->buckets[bucket] = (uint32_t)summary->group_count + 1;
    return &groups[summary->group_count++];
}

/* ---- adding -------------------------------------------------------------------------------- */

static void add_run(struct tally_summary *summary, struct group *group,
                    const struct tally_batch *batch, size_t start, size_t from, size_t to)
{
    const struct kernels *kernels = summary->program->kernels;
    size_t phase = (size_t)((batch->first_index + start) % LANES);
    tally_accumulate(summary->program->layout, batch->reports + start + from, to - from,
                     group->sums);
    for (size_t i = 0; i < counter_count(summary); i++) {
        if (!counter_ok(summary, i))
            continue;
        const void *values = tally_program_values(summary->program, i);
        if (counter_type(summary, i) == TALLY_DOUBLE)
            kernels->reduce_double(&group->reductions[i], values, from, to, phase);
        else
            kernels->reduce_u64(&group->reductions[i], values, from, to, phase);
    }
    group->public.deltas += to - from;
    group->public.ticks += batch->gpu_ticks[start + to] - batch->gpu_ticks[start + from];
}

static void touch(struct group *group, const struct tally_batch *batch, size_t first, size_t last)
{
    if (!group->used)
        group->public.first_ticks = batch->gpu_ticks[first];
    group->public.last_ticks = batch->gpu_ticks[last];
    group->used = true;
}

int tally_summary_add(struct tally_summary *summary, const struct tally_batch *batch, size_t start,
                      size_t count)
{
    for (size_t from = 0, to; from < count; from = to) {
        uint8_t state = batch->states[start + from];
        uint64_t key = delta_key(summary, batch, start + from);
        for (to = from + 1; to < count; to++)
            if (batch->states[start + to] != state || delta_key(summary, batch, start + to) != key)
                break;
        struct group *groups[] = {&summary->total, NULL};
        if (summary->by != TALLY_BY_NOTHING && !(groups[1] = find_group(summary, key)))
            return -ENOMEM;
        for (size_t g = 0; g < 2 && groups[g]; g++) {
            touch(groups[g], batch, start + from, start + to);
            if (state == TALLY_STATE_OK)
                add_run(summary, groups[g], batch, start, from, to);
            else
                groups[g]->public.lost += to - from;
        }
    }
    return 0;
}

/* ---- results ------------------------------------------------------------------------------- */

static double mean_of(const struct reduction *reduction, enum tally_data_type type, uint64_t count)
{
    if (!count)
        return 0;
    if (type == TALLY_UINT64) {
        uint128 sum = 0;
        for (size_t l = 0; l < LANES; l++)
            sum += reduction->low[l] + ((uint128)reduction->high[l] << 32);
        return (double)sum / (double)count;
    }
    double sum = 0;
    for (size_t l = 0; l < LANES; l++)
        sum += reduction->sum[l];
    return sum / (double)count;
}

static void emit(struct tally_summary *summary, const struct group *group)
{
    tally_program_evaluate(summary->program, group->sums, summary->overall);
    for (size_t i = 0; i < counter_count(summary); i++) {
        const struct reduction *reduction = &group->reductions[i];
        enum tally_data_type type = counter_type(summary, i);
        summary->statistics[i] = (struct tally_statistic){
            .type = type,
            .overall = summary->overall[i],
            .minimum = reduction->minimum,
            .maximum = reduction->maximum,
            .mean = mean_of(reduction, type, group->public.deltas),
        };
    }
    summary->on_group(summary->closure, &group->public, summary->statistics);
}

static int compare_groups(const void *x, const void *y)
{
    const struct group *a = x, *b = y;
    return (a->public.key > b->public.key) - (a->public.key < b->public.key);
}

void tally_summary_finish(struct tally_summary *summary)
{
    if (summary->group_count > 1) {
        qsort(summary->groups, summary->group_count, sizeof *summary->groups, compare_groups);
        free(summary->buckets);
        summary->buckets = NULL;
        summary->bucket_count = 0;
    }
    for (size_t i = 0; i < summary->group_count; i++)
        emit(summary, &summary->groups[i]);
    emit(summary, &summary->total);
}
