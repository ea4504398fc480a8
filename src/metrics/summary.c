/* SPDX-License-Identifier: MIT */
#include "metrics/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "metrics/distribution.h"
#include "metrics/phases.h"
#include "metrics/program.h"

/*
 * Maximum number of separate groups. With more keys, those with the highest keys are merged into
 * one group. The result does not depend on the order of the deltas, even if several threads share
 * them: the deltas of the GROUPS_MAX lowest keys are never merged into the others.
 */
#define GROUPS_MAX 1024

struct group {
    struct tally_group public;
    bool used;
    bool has_brief; /* a delta was too short to count for minimum and maximum */
    uint64_t sums[TALLY_SLOT_COUNT];
    struct reduction *reductions;       /* one per counter */
    struct distribution *distributions; /* one per counter, or NULL: no percentiles */
};

struct tally_summary {
    struct tally_program *program;
    enum tally_group_by by;
    uint64_t interval_ticks;
    struct phase_clock clock;
    bool has_percentiles;
    bool failed; /* a distribution lacks values, since memory was exhausted */
    bool has_origin;
    uint64_t origin_ticks; /* start of the first delta, from which intervals are counted */
    tally_group_function *on_group;
    void *closure;

    struct tally_summary *wider; /* to whose intervals those of this summary are added; or NULL */
    bool is_fed;                 /* by a summary with narrower intervals */

    struct group total;
    struct group others; /* of keys beyond GROUPS_MAX */
    struct group *groups;
    size_t group_count, group_capacity;
    uint32_t *buckets; /* hash table by key: index of the group + 1; 0: empty */
    size_t bucket_count;

    /* The group to which deltas are being added; its values are collected in lanes. */
    struct group *active;
    struct lanes *lanes;                           /* one per counter */
    struct distribution_lanes *distribution_lanes; /* likewise, or NULL */
    size_t in_lanes; /* number of values in the lanes of each counter */
    size_t in_distribution_lanes;
    uint64_t lanes_ticks; /* length of their deltas */

    struct tally_statistic *statistics;
    union tally_value *overall;
};

/* Intervals and frames are closed one after the other, as soon as they end. */
static bool is_series(const struct tally_summary *summary)
{
    return summary->by == TALLY_BY_INTERVAL || summary->by == TALLY_BY_FRAME;
}

static size_t counter_count(const struct tally_summary *summary)
{
    return summary->program->set->counter_count;
}

static enum tally_data_type counter_type(const struct tally_summary *summary, size_t counter)
{
    return summary->program->set->counters[counter].type;
}

static void group_clear(const struct tally_summary *summary, struct group *group,
                        enum tally_group_by by, uint64_t key)
{
    group->used = group->has_brief = false;
    group->public = (struct tally_group){.by = by, .key = key};
    memset(group->sums, 0, sizeof group->sums);
    for (size_t i = 0; i < counter_count(summary); i++)
        reduction_clear(&group->reductions[i], counter_type(summary, i));
    for (size_t i = 0; group->distributions && i < counter_count(summary); i++)
        distribution_clear(&group->distributions[i]);
}

static void group_fini(const struct tally_summary *summary, struct group *group)
{
    for (size_t i = 0; group->distributions && i < counter_count(summary); i++)
        distribution_fini(&group->distributions[i]);
    free(group->distributions);
    free(group->reductions);
}

static int group_add_percentiles(const struct tally_summary *summary, struct group *group)
{
    group->distributions = calloc(counter_count(summary) + 1, sizeof *group->distributions);
    return group->distributions ? 0 : -ENOMEM;
}

static int group_init(const struct tally_summary *summary, struct group *group,
                      enum tally_group_by by, uint64_t key)
{
    *group = (struct group){0};
    group->reductions = malloc((counter_count(summary) + 1) * sizeof *group->reductions);
    if (!group->reductions ||
        (summary->has_percentiles && group_add_percentiles(summary, group) < 0)) {
        group_fini(summary, group);
        *group = (struct group){0};
        return -ENOMEM;
    }
    group_clear(summary, group, by, key);
    return 0;
}

/* Returns the limit for the distributions of a group. That of the others equals that of the groups,
 * since it has the values of groups that were evicted, which kept to theirs. */
static size_t limit_of(const struct tally_summary *summary, const struct group *group)
{
    return distribution_limit(group == &summary->total ? 1 : summary->group_count);
}

/* Adds the values in the lanes to the active group. */
static void fold_values(struct tally_summary *summary)
{
    for (size_t i = 0; summary->in_lanes && i < counter_count(summary); i++) {
        enum tally_data_type type = counter_type(summary, i);
        reduction_fold(&summary->active->reductions[i], &summary->lanes[i], type, summary->in_lanes,
                       summary->lanes_ticks);
        lanes_clear(&summary->lanes[i], type);
    }
    summary->in_lanes = 0;
}

/* Likewise for the lanes of the distributions, which hold more values. */
static void fold_distributions(struct tally_summary *summary)
{
    for (size_t i = 0; summary->in_distribution_lanes && i < counter_count(summary); i++)
        summary->failed |=
            distribution_fold(&summary->active->distributions[i], &summary->distribution_lanes[i],
                              summary->lanes_ticks, limit_of(summary, summary->active)) < 0;
    summary->in_distribution_lanes = 0;
}

/* Ends the activity of the active group. */
static void deactivate(struct tally_summary *summary)
{
    fold_values(summary);
    fold_distributions(summary);
    summary->active = NULL;
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
    summary->lanes = calloc(count, sizeof *summary->lanes);
    if (!summary->statistics || !summary->overall || !summary->lanes ||
        group_init(summary, &summary->total, TALLY_BY_NOTHING, 0) < 0 ||
        group_init(summary, &summary->others, by, TALLY_KEY_OTHERS) < 0) {
        tally_summary_free(summary);
        return NULL;
    }
    for (size_t i = 0; i < counter_count(summary); i++)
        lanes_clear(&summary->lanes[i], counter_type(summary, i));
    return summary;
}

int tally_summary_add_percentiles(struct tally_summary *summary)
{
    if (summary->has_origin)
        return -EINVAL;
    if (summary->has_percentiles)
        return 0;
    size_t size = (counter_count(summary) + 1) * sizeof *summary->distribution_lanes;
    summary->distribution_lanes = calloc(1, size);
    if (!summary->distribution_lanes || group_add_percentiles(summary, &summary->total) < 0 ||
        group_add_percentiles(summary, &summary->others) < 0)
        return -ENOMEM;
    summary->has_percentiles = true;
    return 0;
}

void tally_summary_set_phases(struct tally_summary *summary,
                              const struct tally_recorded_phases *phases, uint64_t timestamp_hz)
{
    summary->clock = phase_clock_of(phases, summary->clock.marks, timestamp_hz);
}

void tally_summary_set_marks(struct tally_summary *summary,
                             const struct tally_recorded_marks *marks, uint64_t timestamp_hz)
{
    summary->clock = phase_clock_of(summary->clock.phases, marks, timestamp_hz);
}

void tally_summary_free(struct tally_summary *summary)
{
    if (!summary)
        return;
    for (size_t i = 0; i < summary->group_count; i++)
        group_fini(summary, &summary->groups[i]);
    free(summary->groups);
    free(summary->buckets);
    group_fini(summary, &summary->total);
    group_fini(summary, &summary->others);
    free(summary->lanes);
    free(summary->distribution_lanes);
    free(summary->statistics);
    free(summary->overall);
    free(summary);
}

/* ---- delivering and merging groups --------------------------------------------------------- */

static void merge_group(struct tally_summary *summary, struct group *into, const struct group *from)
{
    if (!from->used)
        return;
    if (!into->used || from->public.first_ticks < into->public.first_ticks)
        into->public.first_ticks = from->public.first_ticks;
    if (!into->used || from->public.last_ticks > into->public.last_ticks)
        into->public.last_ticks = from->public.last_ticks;
    into->used = true;
    into->has_brief |= from->has_brief;
    into->public.deltas += from->public.deltas;
    into->public.lost += from->public.lost;
    into->public.ticks += from->public.ticks;
    for (size_t slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        into->sums[slot] += from->sums[slot];
    for (size_t i = 0; i < counter_count(summary); i++)
        reduction_merge(&into->reductions[i], &from->reductions[i], counter_type(summary, i));
    size_t limit = limit_of(summary, into);
    for (size_t i = 0; into->distributions && i < counter_count(summary); i++)
        summary->failed |=
            distribution_merge(&into->distributions[i], &from->distributions[i], limit) < 0;
}

/* Returns the nearest value of a type. */
static union tally_value value_near(double value, enum tally_data_type type)
{
    if (type == TALLY_DOUBLE)
        return (union tally_value){.f = value};
    return (union tally_value){.u = min_u64(double_to_u64(value + 0.5), TALLY_UNDEFINED - 1)};
}

/* Sets the percentiles, which are undefined unless they are computed and there is a value. If
 * minimum and maximum are those of all values, so are the bounds of the percentiles. */
static void set_percentiles(const struct tally_summary *summary, const struct group *group,
                            size_t counter, struct tally_statistic *statistic)
{
    static const unsigned percents[] = {50, 95, 99};
    union tally_value *to[] = {&statistic->p50, &statistic->p95, &statistic->p99};
    double estimates[ARRAY_COUNT(percents)];
    enum tally_data_type type = statistic->type;
    bool known = group->distributions && !summary->failed &&
                 distribution_percentiles(&group->distributions[counter], percents,
                                          ARRAY_COUNT(percents), estimates);
    for (size_t i = 0; i < ARRAY_COUNT(percents); i++) {
        *to[i] = known ? value_near(estimates[i], type) : undefined_value(type);
        if (!known || group->has_brief)
            continue;
        if (type == TALLY_DOUBLE)
            to[i]->f = fmin(fmax(to[i]->f, statistic->minimum.f), statistic->maximum.f);
        else
            to[i]->u = min_u64(max_u64(to[i]->u, statistic->minimum.u), statistic->maximum.u);
    }
}

static void deliver(struct tally_summary *summary, const struct group *group)
{
    program_evaluate_wide(summary->program, group->sums, summary->overall);
    for (size_t i = 0; i < counter_count(summary); i++) {
        const struct reduction *reduction = &group->reductions[i];
        enum tally_data_type type = counter_type(summary, i);
        summary->statistics[i] = (struct tally_statistic){
            .type = type,
            .overall = summary->overall[i],
            .minimum = reduction_minimum(reduction, type),
            .maximum = reduction_maximum(reduction, type),
            .mean = reduction_mean(reduction, type, !group->has_brief),
        };
        set_percentiles(summary, group, i, &summary->statistics[i]);
    }
    summary->on_group(summary->closure, &group->public, summary->statistics);
}

static struct group *find_group(struct tally_summary *summary, uint64_t key);

/* Adds an interval to the one of the wider summary that it is part of. */
static void feed_wider(struct tally_summary *summary, const struct group *group)
{
    struct tally_summary *wider = summary->wider;
    uint64_t parts = wider->interval_ticks / summary->interval_ticks;
    struct group *into = group->used ? find_group(wider, group->public.key / parts) : NULL;
    if (into)
        merge_group(wider, into, group);
    else
        summary->failed |= group->used;
}

/* Adds a group to the total, and delivers it. */
static void close_group(struct tally_summary *summary, const struct group *group)
{
    merge_group(summary, &summary->total, group);
    if (summary->wider)
        feed_wider(summary, group);
    if (summary->by != TALLY_BY_NOTHING && group->used)
        deliver(summary, group);
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
    case TALLY_BY_FRAME:
        return phase_clock_frame(&summary->clock, batch->gpu_ticks[i]);
    case TALLY_BY_PHASE:
        return phase_clock_phase(&summary->clock, batch->gpu_ticks[i], batch->gpu_ticks[i + 1]);
    case TALLY_BY_MARK:
        return phase_clock_section(&summary->clock, batch->gpu_ticks[i], batch->gpu_ticks[i + 1]);
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

static void fill_buckets(struct tally_summary *summary)
{
    memset(summary->buckets, 0, summary->bucket_count * sizeof *summary->buckets);
    for (size_t i = 0; i < summary->group_count; i++)
        summary->buckets[bucket_of(summary, summary->groups[i].public.key)] = (uint32_t)i + 1;
}

static int grow_buckets(struct tally_summary *summary)
{
    size_t count = summary->bucket_count ? summary->bucket_count * 2 : 64;
    uint32_t *buckets = realloc(summary->buckets, count * sizeof *buckets);
    if (!buckets)
        return -ENOMEM;
    summary->buckets = buckets;
    summary->bucket_count = count;
    fill_buckets(summary);
    return 0;
}

/* Keeps the distributions of all groups within their limit, which a new group may lower. */
static void limit_groups(struct tally_summary *summary)
{
    size_t limit = distribution_limit(summary->group_count);
    if (!summary->has_percentiles || limit == distribution_limit(summary->group_count - 1))
        return;
    for (size_t g = 0; g < summary->group_count; g++)
        for (size_t i = 0; i < counter_count(summary); i++)
            summary->failed |=
                distribution_limit_to(&summary->groups[g].distributions[i], limit) < 0;
}

/* Called with GROUPS_MAX groups: evicts the group with the highest key into the others if `key` is
 * lower; otherwise `key` itself belongs to the others. */
static struct group *make_space(struct tally_summary *summary, uint64_t key)
{
    struct group *highest = &summary->groups[0];
    for (size_t i = 1; i < summary->group_count; i++)
        if (summary->groups[i].public.key > highest->public.key)
            highest = &summary->groups[i];
    if (key > highest->public.key)
        return &summary->others;
    deactivate(summary);
    merge_group(summary, &summary->others, highest);
    group_clear(summary, highest, summary->by, key);
    fill_buckets(summary);
    return highest;
}

/* Returns the group of a key, which is added if it is new; NULL if out of memory. All intervals use
 * the same group, one after the other. */
static struct group *find_group(struct tally_summary *summary, uint64_t key)
{
    if (summary->active && summary->active->public.key == key)
        return summary->active;
    if (is_series(summary) && summary->group_count) {
        struct group *group = &summary->groups[0];
        if (group->public.key != key) {
            deactivate(summary);
            close_group(summary, group);
            group_clear(summary, group, summary->by, key);
        }
        return group;
    }
    if (summary->group_count * 2 >= summary->bucket_count && grow_buckets(summary) < 0)
        return NULL;
    size_t bucket = bucket_of(summary, key);
    if (summary->buckets[bucket])
        return &summary->groups[summary->buckets[bucket] - 1];
    if (summary->group_count == GROUPS_MAX)
        return make_space(summary, key);
    deactivate(summary); /* the array may move */
    struct group *groups =
        array_grow(summary->groups, &summary->group_capacity, summary->group_count, sizeof *groups);
    if (!groups)
        return NULL;
    summary->groups = groups;
    if (group_init(summary, &groups[summary->group_count], summary->by, key) < 0)
        return NULL;
    summary->buckets[bucket] = (uint32_t)++summary->group_count;
    limit_groups(summary);
    return &groups[summary->group_count - 1];
}

/* Returns the first delta after `from` whose state differs from that of `from`; at most `to`. */
static size_t end_of_state(const struct tally_batch *batch, size_t start, size_t from, size_t to)
{
    const uint8_t *states = batch->states + start;
    size_t i = from + 1;
    while (i < to && states[i] == states[from])
        i++;
    return i;
}

/* Returns the first delta after `from` whose key is not `key`; at most `to`. */
static size_t end_of_key(const struct tally_summary *summary, const struct tally_batch *batch,
                         size_t start, size_t from, size_t to, uint64_t key)
{
    const uint32_t *contexts = batch->contexts + start;
    const uint8_t *reasons = batch->reasons + start;
    size_t i = from + 1;
    switch (summary->by) {
    case TALLY_BY_CONTEXT:
        while (i < to && contexts[i] == contexts[from])
            i++;
        return i;
    case TALLY_BY_REASON:
        while (i < to && reasons[i] == reasons[from])
            i++;
        return i;
    case TALLY_BY_INTERVAL:
    case TALLY_BY_PHASE:
    case TALLY_BY_FRAME:
    case TALLY_BY_MARK:
        while (i < to && delta_key(summary, batch, start + i) == key)
            i++;
        return i;
    case TALLY_BY_NOTHING:
        break;
    }
    return to;
}

/* ---- adding -------------------------------------------------------------------------------- */

/* With fewer deltas of the same length than this, it is faster to add each value by itself. */
#define MIN_RUN 12

/* A delta that is shorter than this part of the timer's period does not count for minimum and
 * maximum. */
#define BRIEF_DIVISOR 2

static bool is_brief(const struct tally_batch *batch, uint64_t ticks)
{
    return ticks < (batch->period_ticks + BRIEF_DIVISOR - 1) / BRIEF_DIVISOR;
}

static uint64_t length_of(const struct tally_batch *batch, size_t delta)
{
    return batch->gpu_ticks[delta + 1] - batch->gpu_ticks[delta];
}

/* Adds the values `from` to `to` - 1 of a counter to the lanes of its distribution. */
static void add_places(struct tally_summary *summary, struct group *group, size_t counter,
                       size_t from, size_t to)
{
    const struct kernels *kernels = summary->program->kernels;
    const union tally_value *values = tally_program_values(summary->program, counter);
    enum tally_data_type type = counter_type(summary, counter);
    uint32_t places[TALLY_BLOCK];
    if (type == TALLY_DOUBLE)
        kernels->places_double((const void *)values, from, to, places);
    else
        kernels->places_u64((const void *)values, from, to, places);
    summary->failed |=
        distribution_add_places(&group->distributions[counter],
                                &summary->distribution_lanes[counter], places, values + from, type,
                                to - from, summary->lanes_ticks, limit_of(summary, group)) < 0;
}

/* Adds the values `from` to `to` - 1, of deltas that are `ticks` long, by the lanes. */
static void add_by_lanes(struct tally_summary *summary, struct group *group, size_t from, size_t to,
                         uint64_t ticks)
{
    const struct kernels *kernels = summary->program->kernels;
    if (group != summary->active || ticks != summary->lanes_ticks) {
        deactivate(summary);
        summary->active = group;
        summary->lanes_ticks = ticks;
    }
    if (summary->in_lanes + (to - from) > LANE_VALUES)
        fold_values(summary);
    if (summary->in_distribution_lanes + (to - from) > LANES_MAX)
        fold_distributions(summary);
    summary->in_lanes += to - from;
    summary->in_distribution_lanes += summary->has_percentiles ? to - from : 0;
    for (size_t i = 0; i < counter_count(summary); i++) {
        const void *values = tally_program_values(summary->program, i);
        if (!values)
            continue;
        if (counter_type(summary, i) == TALLY_DOUBLE)
            kernels->reduce_double(&summary->lanes[i], values, from, to);
        else
            kernels->reduce_u64(&summary->lanes[i], values, from, to);
        if (summary->has_percentiles)
            add_places(summary, group, i, from, to);
    }
}

static void add_one_by_one(struct tally_summary *summary, struct group *group, size_t from,
                           size_t to, uint64_t ticks, bool brief)
{
    size_t limit = limit_of(summary, group);
    for (size_t i = 0; i < counter_count(summary); i++) {
        const union tally_value *values = tally_program_values(summary->program, i);
        enum tally_data_type type = counter_type(summary, i);
        for (size_t at = from; values && at < to; at++) {
            reduction_add(&group->reductions[i], values[at], type, ticks, brief);
            if (summary->has_percentiles && tally_value_is_defined(values[at], type))
                summary->failed |=
                    distribution_add(&group->distributions[i], tally_value_double(values[at], type),
                                     ticks, limit) < 0;
        }
    }
}

/* Adds deltas with the same group and state OK. */
static void add_run(struct tally_summary *summary, struct group *group,
                    const struct tally_batch *batch, size_t start, size_t from, size_t to)
{
    program_sum_reads(summary->program, from, to, group->sums);
    group->public.deltas += to - from;
    group->public.ticks += batch->gpu_ticks[start + to] - batch->gpu_ticks[start + from];
    while (from < to) {
        uint64_t ticks = length_of(batch, start + from);
        bool brief = is_brief(batch, ticks);
        size_t end = from + 1;
        while (end < to && length_of(batch, start + end) == ticks)
            end++;
        group->has_brief |= brief;
        if (brief || end - from < MIN_RUN)
            add_one_by_one(summary, group, from, end, ticks, brief);
        else
            add_by_lanes(summary, group, from, end, ticks);
        from = end;
    }
}

/* Extends the time range of a group to the reports `first` and `last`. */
static void extend_range(struct group *group, const struct tally_batch *batch, size_t first,
                         size_t last)
{
    if (!group->used || batch->gpu_ticks[first] < group->public.first_ticks)
        group->public.first_ticks = batch->gpu_ticks[first];
    if (!group->used || batch->gpu_ticks[last] > group->public.last_ticks)
        group->public.last_ticks = batch->gpu_ticks[last];
    group->used = true;
}

int tally_summary_add(struct tally_summary *summary, const struct tally_batch *batch, size_t start,
                      size_t count)
{
    if (phase_clock_lacks(&summary->clock, summary->by))
        return -EINVAL;
    if (!summary->has_origin && count) {
        summary->has_origin = true;
        summary->origin_ticks = batch->gpu_ticks[start];
    }
    for (size_t from = 0, to; from < count; from = to) {
        uint8_t state = batch->states[start + from];
        uint64_t key = delta_key(summary, batch, start + from);
        to = end_of_state(batch, start, from, count);
        to = end_of_key(summary, batch, start, from, to, key);
        if (state == TALLY_STATE_PAUSED) /* this time is in no group */
            continue;
        struct group *group = find_group(summary, key);
        if (!group)
            return -ENOMEM;
        extend_range(group, batch, start + from, start + to);
        if (state == TALLY_STATE_OK)
            add_run(summary, group, batch, start, from, to);
        else
            group->public.lost += to - from;
    }
    return summary->failed ? -ENOMEM : 0;
}

void tally_summary_advance(struct tally_summary *summary, uint64_t gpu_ticks)
{
    if (!is_series(summary) || !summary->group_count || gpu_ticks < summary->origin_ticks ||
        summary->is_fed)
        return;
    uint64_t key = summary->by == TALLY_BY_FRAME
                       ? phase_clock_frame(&summary->clock, gpu_ticks)
                       : (gpu_ticks - summary->origin_ticks) / summary->interval_ticks;
    if (key > summary->groups[0].public.key)
        find_group(summary, key); /* closes the previous interval */
}

bool summary_feed(struct tally_summary *summary, struct tally_summary *wider)
{
    if (summary->by != TALLY_BY_INTERVAL || wider->by != TALLY_BY_INTERVAL ||
        summary->has_percentiles || wider->has_percentiles || summary->wider ||
        wider->interval_ticks % summary->interval_ticks)
        return false;
    summary->wider = wider;
    wider->is_fed = true;
    return true;
}

int tally_summary_merge(struct tally_summary *into, struct tally_summary *from)
{
    deactivate(into);
    deactivate(from);
    merge_group(into, &into->others, &from->others);
    for (size_t i = 0; i < from->group_count; i++) {
        struct group *group = find_group(into, from->groups[i].public.key);
        if (!group)
            return -ENOMEM;
        merge_group(into, group, &from->groups[i]);
    }
    into->failed |= from->failed;
    return into->failed ? -ENOMEM : 0;
}

static int compare_groups(const void *x, const void *y)
{
    const struct group *a = x, *b = y;
    return (a->public.key > b->public.key) - (a->public.key < b->public.key);
}

void tally_summary_finish(struct tally_summary *summary)
{
    deactivate(summary);
    if (summary->group_count > 1)
        qsort(summary->groups, summary->group_count, sizeof *summary->groups, compare_groups);
    for (size_t i = 0; i < summary->group_count; i++)
        close_group(summary, &summary->groups[i]);
    close_group(summary, &summary->others);
    deliver(summary, &summary->total);
}
