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
    size_t unfolded;              /* values in each counter's lanes */
};

struct tally_summary {
    struct tally_program *program;
    enum tally_group_by by;
    uint64_t interval_ticks;
    bool has_origin;
    uint64_t origin_ticks; /* of the first delta: where intervals are counted from */
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
        for (size_t l = 0; l < LANES; l++) {
            if (counter_type(summary, i) == TALLY_DOUBLE) {
                reduction->f.minimum[l] = (double)INFINITY;
                reduction->f.maximum[l] = (double)-INFINITY;
            } else {
                reduction->u.minimum[l] = UINT64_MAX;
            }
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
        return (batch->gpu_ticks[i] - summary->origin_ticks) / summary->interval_ticks;
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

static void emit(struct tally_summary *summary, struct group *group);

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
    struct group *groups =
        array_grow(summary->groups, &summary->group_capacity, summary->group_count, sizeof *groups);
    if (!groups)
        return NULL;
    summary->groups = groups;
    if (group_init(summary, &groups[summary->group_count], summary->by, key) < 0)
        return NULL;
    summary->buckets[bucket] = (uint32_t)summary->group_count + 1;
    return &groups[summary->group_count++];
}

/* ---- sums of doubles ----------------------------------------------------------------------- */

void reduction_fold(struct reduction *reduction)
{
    for (size_t l = 0; l < LANES; l++) {
        reduction->f.sum += (int128)reduction->f.whole[l] * (1 << FRACTION_BITS);
        reduction->f.sum += reduction->f.fraction[l];
        reduction->f.whole[l] = reduction->f.fraction[l] = 0;
    }
}

void reduction_add_large(struct reduction *reduction, double value)
{
    /* Beyond 2^100 a sum of 2^27 values would not fit; no counter comes near. */
    if (value > -0x1p100 && value < 0x1p100)
        reduction->f.large += (int128)value;
    else
        reduction->f.not_finite = true;
}

static void fold(const struct tally_summary *summary, struct group *group)
{
    for (size_t i = 0; i < counter_count(summary); i++)
        if (counter_type(summary, i) == TALLY_DOUBLE)
            reduction_fold(&group->reductions[i]);
    group->unfolded = 0;
}

/* ---- adding -------------------------------------------------------------------------------- */

static void add_run(struct tally_summary *summary, struct group *group,
                    const struct tally_batch *batch, size_t start, size_t from, size_t to)
{
    const struct kernels *kernels = summary->program->kernels;
    tally_accumulate(summary->program->layout, batch->reports + start + from, to - from,
                     group->sums);
    for (size_t i = 0; i < counter_count(summary); i++) {
        if (!counter_ok(summary, i))
            continue;
        const void *values = tally_program_values(summary->program, i);
        if (counter_type(summary, i) == TALLY_DOUBLE)
            kernels->reduce_double(&group->reductions[i], values, from, to);
        else
            kernels->reduce_u64(&group->reductions[i], values, from, to);
    }
    group->unfolded += to - from;
    if (group->unfolded > LANE_DOUBLES / 2)
        fold(summary, group);
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
    if (!summary->has_origin && count) {
        summary->has_origin = true;
        summary->origin_ticks = batch->gpu_ticks[start];
    }
    for (size_t from = 0, to; from < count; from = to) {
        uint8_t state = batch->states[start + from];
        uint64_t key = delta_key(summary, batch, start + from);
        for (to = from + 1; to < count; to++)
            if (batch->states[start + to] != state || delta_key(summary, batch, start + to) != key)
                break;
        struct group *group = find_group(summary, key);
        if (!group)
            return -ENOMEM;
        touch(group, batch, start + from, start + to);
        if (state == TALLY_STATE_OK)
            add_run(summary, group, batch, start, from, to);
        else
            group->public.lost += to - from;
    }
    return 0;
}

/* ---- results ------------------------------------------------------------------------------- */

static void merge_u64(struct reduction *into, const struct reduction *from)
{
    for (size_t l = 0; l < LANES; l++) {
        uint64_t sum = into->u.sum[l] + from->u.sum[l];
        into->u.carry[l] += from->u.carry[l] + (sum < into->u.sum[l]);
        into->u.sum[l] = sum;
        if (from->u.minimum[l] < into->u.minimum[l])
            into->u.minimum[l] = from->u.minimum[l];
        if (from->u.maximum[l] > into->u.maximum[l])
            into->u.maximum[l] = from->u.maximum[l];
    }
}

static void merge_double(struct reduction *into, const struct reduction *from)
{
    for (size_t l = 0; l < LANES; l++) {
        into->f.minimum[l] = fmin(into->f.minimum[l], from->f.minimum[l]);
        into->f.maximum[l] = fmax(into->f.maximum[l], from->f.maximum[l]);
    }
    into->f.sum += from->f.sum;
    into->f.large += from->f.large;
    into->f.not_finite |= from->f.not_finite;
}

static void merge_group(const struct tally_summary *summary, struct group *into,
                        const struct group *from)
{
    if (!from->used)
        return;
    if (!into->used || from->public.first_ticks < into->public.first_ticks)
        into->public.first_ticks = from->public.first_ticks;
    if (!into->used || from->public.last_ticks > into->public.last_ticks)
        into->public.last_ticks = from->public.last_ticks;
    into->used = true;
    into->public.deltas += from->public.deltas;
    into->public.lost += from->public.lost;
    into->public.ticks += from->public.ticks;
    for (size_t slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        into->sums[slot] += from->sums[slot];
    for (size_t i = 0; i < counter_count(summary); i++) {
        if (counter_type(summary, i) == TALLY_DOUBLE)
            merge_double(&into->reductions[i], &from->reductions[i]);
        else
            merge_u64(&into->reductions[i], &from->reductions[i]);
    }
}

int tally_summary_merge(struct tally_summary *into, struct tally_summary *from)
{
    for (size_t i = 0; i < from->group_count; i++) {
        struct group *group = find_group(into, from->groups[i].public.key);
        if (!group)
            return -ENOMEM;
        fold(from, &from->groups[i]);
        merge_group(into, group, &from->groups[i]);
    }
    return 0;
}

static struct tally_statistic statistic_u64(const struct reduction *reduction, uint64_t count)
{
    struct tally_statistic statistic = {.type = TALLY_UINT64, .minimum.u = UINT64_MAX};
    uint128 sum = 0;
    for (size_t l = 0; l < LANES; l++) {
        sum += reduction->u.sum[l] + ((uint128)reduction->u.carry[l] << 64);
        if (reduction->u.minimum[l] < statistic.minimum.u)
            statistic.minimum.u = reduction->u.minimum[l];
        if (reduction->u.maximum[l] > statistic.maximum.u)
            statistic.maximum.u = reduction->u.maximum[l];
    }
    statistic.mean = count ? (double)sum / (double)count : 0;
    return statistic;
}

static struct tally_statistic statistic_double(const struct reduction *reduction, uint64_t count)
{
    struct tally_statistic statistic = {
        .type = TALLY_DOUBLE, .minimum.f = (double)INFINITY, .maximum.f = (double)-INFINITY};
    for (size_t l = 0; l < LANES; l++) {
        statistic.minimum.f = fmin(statistic.minimum.f, reduction->f.minimum[l]);
        statistic.maximum.f = fmax(statistic.maximum.f, reduction->f.maximum[l]);
    }
    double sum = (double)reduction->f.sum * 0x1p-40 + (double)reduction->f.large;
    if (count)
        statistic.mean = reduction->f.not_finite ? (double)NAN : sum / (double)count;
    return statistic;
}

static void tell(struct tally_summary *summary, const struct group *group)
{
    uint64_t count = group->public.deltas;
    tally_program_evaluate(summary->program, group->sums, summary->overall);
    for (size_t i = 0; i < counter_count(summary); i++) {
        const struct reduction *reduction = &group->reductions[i];
        summary->statistics[i] = counter_type(summary, i) == TALLY_DOUBLE
                                     ? statistic_double(reduction, count)
                                     : statistic_u64(reduction, count);
        summary->statistics[i].overall = summary->overall[i];
    }
    summary->on_group(summary->closure, &group->public, summary->statistics);
}

/* The total is the sum of the groups, each added when it is closed. */
static void emit(struct tally_summary *summary, struct group *group)
{
    fold(summary, group);
    merge_group(summary, &summary->total, group);
    if (summary->by != TALLY_BY_NOTHING)
        tell(summary, group);
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
    tell(summary, &summary->total);
}
