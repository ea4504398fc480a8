/* SPDX-License-Identifier: MIT */
#include "compare/samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ratio.h"
#include "metrics/amounts.h"
#include "metrics/phases.h"
#include "metrics/program.h"

/* Maximum number of groups of a side. */
#define GROUPS_MAX 1024

#define UNKNOWN_KEY UINT64_MAX /* of a name that was not used yet */

/* Deltas of a group in the current interval. */
struct cell {
    uint64_t key, interval;
    uint64_t ticks;
    uint64_t sums[TALLY_SLOT_COUNT];
};

/* A recording that is being read. */
struct sampler {
    struct side_samples *side;
    const struct sampling *sampling;
    struct tally_pipeline *pipeline;
    const struct run_counter *counters;
    uint32_t run;
    struct phase_clock clock;
    bool begun;
    uint64_t origin_ticks;
    struct cell *cells; /* one for each group that has deltas in the current interval */
    size_t cell_count, cell_capacity;
    union tally_value *overall;
    uint64_t *shared; /* of each name of a mark: its key, or UNKNOWN_KEY */
};

/* ---- samples of a side ----------------------------------------------------------------------- */

static struct group_samples *find_group(struct side_samples *side, uint64_t key)
{
    for (size_t i = side->count; i--;) /* the newest one is the most likely */
        if (side->groups[i].key == key)
            return &side->groups[i];
    struct group_samples *groups =
        array_grow(side->groups, &side->capacity, side->count, sizeof *groups);
    if (!groups)
        return NULL;
    side->groups = groups;
    groups[side->count] = (struct group_samples){.key = key};
    return &groups[side->count++];
}

static bool grow_samples(struct group_samples *group, size_t counters)
{
    if (group->count < group->sample_capacity)
        return true;
    size_t capacity = group->sample_capacity ? 2 * group->sample_capacity : 64;
    struct group_sample *samples = realloc(group->samples, capacity * sizeof *samples);
    if (samples)
        group->samples = samples;
    double *values =
        samples ? realloc(group->values, (capacity * counters + 1) * sizeof *values) : NULL;
    if (!values)
        return false;
    group->values = values;
    group->sample_capacity = capacity;
    return true;
}

static double value_of(const struct run_counter *counter, double value, double ns)
{
    if (counter->is_number)
        return value * (double)NS_PER_SECOND / ns;
    return counter->time_ns ? 100 * value * counter->time_ns / ns : value;
}

double compared_value(const struct tally_counter *counter, double value, double ns)
{
    const struct run_counter row = {0, counter_is_number(counter), counter_time_ns(counter)};
    return value_of(&row, value, ns);
}

static double ns_of(const struct sampler *sampler, uint64_t ticks)
{
    return (double)ticks * (double)NS_PER_SECOND /
           (double)sampler->pipeline->info->recorded.timestamp_hz;
}

/* Turns a cell into a sample of its group. */
static int close_cell(struct sampler *sampler, const struct cell *cell)
{
    const struct tally_pipeline *pipeline = sampler->pipeline;
    size_t counters = sampler->side->counters;
    if (!cell->ticks)
        return 0;
    struct group_samples *group = find_group(sampler->side, cell->key);
    if (!group || !grow_samples(group, counters))
        return -ENOMEM;
    double ns = ns_of(sampler, cell->ticks);
    double *values = group->values + group->count * counters;
    program_evaluate_wide(pipeline->program, cell->sums, sampler->overall);
    for (size_t i = 0; i < counters; i++) {
        const struct run_counter *counter = &sampler->counters[i];
        enum tally_data_type type = pipeline->set->counters[counter->index].type;
        values[i] =
            value_of(counter, tally_value_double(sampler->overall[counter->index], type), ns);
    }
    group->samples[group->count++] = (struct group_sample){sampler->run, cell->ticks, ns};
    group->ns += ns;
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns the time of a delta from which intervals are counted. */
static uint64_t time_of(const struct sampler *sampler, uint64_t ticks)
{
    bool by_frame = sampler->sampling->by == TALLY_BY_FRAME && !sampler->clock.marked;
    if (sampler->sampling->by_frames || by_frame)
        return phase_clock_ns(&sampler->clock, ticks);
    return scale_u64(ticks - sampler->origin_ticks, NS_PER_SECOND,
                     sampler->pipeline->info->recorded.timestamp_hz);
}

/* Returns the key that a name has in all recordings. */
static uint64_t shared_key(struct compare_names *shared, const char *name)
{
    size_t i = 0;
    if (!shared->count && *name && shared_key(shared, "") != 0)
        return TALLY_KEY_OTHERS;
    while (i < shared->count && strcmp(shared->names[i], name) != 0)
        i++;
    if (i < shared->count)
        return i;
    char **names = array_grow(shared->names, &shared->capacity, shared->count, sizeof *names);
    char *copy = names && i < GROUPS_MAX ? strdup(name) : NULL;
    if (names)
        shared->names = names;
    if (!copy)
        return TALLY_KEY_OTHERS;
    names[shared->count++] = copy;
    return i;
}

/* Returns the key of the section of a delta. */
static uint64_t section_of(const struct sampler *sampler, uint64_t from, uint64_t to)
{
    const struct tally_recorded_marks *marks = sampler->clock.marks;
    uint64_t key = phase_clock_section(&sampler->clock, from, to);
    if (key >= marks->name_count)
        return key;
    uint64_t *shared = &sampler->shared[key];
    if (*shared == UNKNOWN_KEY)
        *shared = shared_key(sampler->sampling->marks, marks->names[key]);
    return *shared;
}

/* Returns the group of a delta, and in *start where it begins, for groups of time. */
static uint64_t group_of(const struct sampler *sampler, const struct tally_batch *batch, size_t i,
                         uint64_t time, uint64_t *start)
{
    uint64_t length = 0;
    *start = 0;
    switch (sampler->sampling->by) {
    case TALLY_BY_CONTEXT:
        return batch->contexts[i];
    case TALLY_BY_REASON:
        return batch->reasons[i];
    case TALLY_BY_PHASE:
        return phase_clock_phase(&sampler->clock, batch->gpu_ticks[i], batch->gpu_ticks[i + 1]);
    case TALLY_BY_INTERVAL:
        length = sampler->sampling->group_ns;
        break;
    case TALLY_BY_FRAME:
        if (sampler->clock.marked)
            return phase_clock_frame(&sampler->clock, batch->gpu_ticks[i]);
        length = sampler->clock.frame_ns;
        break;
    case TALLY_BY_MARK:
        return section_of(sampler, batch->gpu_ticks[i], batch->gpu_ticks[i + 1]);
    case TALLY_BY_NOTHING:
        return TOTAL_KEY;
    }
    *start = time / length * length;
    return time / length;
}

/* Returns whether a cell is to be used for a group. Frames and intervals follow each other, and use
 * the same one. */
static bool is_cell_of(const struct sampler *sampler, const struct cell *cell, uint64_t key)
{
    enum tally_group_by by = sampler->sampling->by;
    bool series = by == TALLY_BY_INTERVAL || by == TALLY_BY_FRAME;
    return cell->key == key || (series && cell->key != TOTAL_KEY && key != TOTAL_KEY);
}

/* Returns the cell of a group in an interval; NULL if out of memory. */
static struct cell *find_cell(struct sampler *sampler, uint64_t key, uint64_t interval)
{
    size_t i = 0;
    while (i < sampler->cell_count && !is_cell_of(sampler, &sampler->cells[i], key))
        i++;
    struct cell *cell = i < sampler->cell_count ? &sampler->cells[i] : NULL;
    if (!cell) {
        struct cell *cells =
            array_grow(sampler->cells, &sampler->cell_capacity, sampler->cell_count, sizeof *cells);
        if (!cells)
            return NULL;
        sampler->cells = cells;
        sampler->cell_count++;
        cell = &cells[i];
    } else if (cell->key == key && cell->interval == interval) {
        return cell;
    } else if (close_cell(sampler, cell) < 0) {
        return NULL;
    }
    *cell = (struct cell){.key = key, .interval = interval};
    return cell;
}

/* The deltas `from` to `to` - 1 of the block belong to one cell. */
static int add_run(struct sampler *sampler, const struct tally_batch *batch, size_t start,
                   size_t from, size_t to, uint64_t key, uint64_t interval)
{
    uint64_t ticks = batch->gpu_ticks[start + to] - batch->gpu_ticks[start + from];
    if (batch->states[start + from] == TALLY_STATE_PAUSED)
        return 0;
    if (batch->states[start + from] != TALLY_STATE_OK) {
        struct group_samples *group = find_group(sampler->side, key);
        if (!group)
            return -ENOMEM;
        group->lost += to - from;
        group->lost_ns += ns_of(sampler, ticks);
        return 0;
    }
    struct cell *cell = find_cell(sampler, key, interval);
    if (!cell)
        return -ENOMEM;
    cell->ticks += ticks;
    program_sum_reads(sampler->pipeline->program, from, to, cell->sums);
    return 0;
}

/* Where a delta belongs. */
struct place {
    uint64_t key, interval, total_interval;
    uint8_t state;
};

static struct place place_of(const struct sampler *sampler, const struct tally_batch *batch,
                             size_t i)
{
    uint64_t start, time = time_of(sampler, batch->gpu_ticks[i]);
    uint64_t key = group_of(sampler, batch, i, time, &start);
    uint64_t length = sampler->sampling->interval_ns;
    return (struct place){key, (time - start) / length, time / length, batch->states[i]};
}

static bool is_same_place(struct place a, struct place b)
{
    return a.key == b.key && a.interval == b.interval && a.total_interval == b.total_interval &&
           a.state == b.state;
}

static int add_block(struct sampler *sampler, const struct tally_batch *batch, size_t start,
                     size_t count)
{
    bool grouped = sampler->sampling->by != TALLY_BY_NOTHING;
    struct place place = place_of(sampler, batch, start), next = place;
    for (size_t from = 0, to; from < count; from = to, place = next) {
        for (to = from + 1; to < count; to++) {
            next = place_of(sampler, batch, start + to);
            if (!is_same_place(place, next))
                break;
        }
        if (add_run(sampler, batch, start, from, to, TOTAL_KEY, place.total_interval) < 0 ||
            (grouped && place.key != TALLY_KEY_CHANGE &&
             add_run(sampler, batch, start, from, to, place.key, place.interval) < 0))
            return -ENOMEM;
    }
    return sampler->side->count > GROUPS_MAX ? -EFBIG : 0;
}

static int add_batch(struct sampler *sampler, const struct tally_batch *batch)
{
    const struct sampling *sampling = sampler->sampling;
    uint64_t hz = sampler->pipeline->info->recorded.timestamp_hz;
    int result = 0;
    if (!sampler->begun)
        sampler->origin_ticks = batch->gpu_ticks[0];
    sampler->begun = true;
    struct tally_batch clipped = pipeline_clip(batch, sampler->origin_ticks,
                                               scale_up_u64(sampling->from_ns, hz, NS_PER_SECOND),
                                               scale_up_u64(sampling->to_ns, hz, NS_PER_SECOND));
    for (size_t start = 0, count;
         !result && (count = pipeline_evaluate_block(sampler->pipeline->program, &clipped, start));
         start += count)
        result = add_block(sampler, &clipped, start, count);
    return result;
}

static int read_all(struct sampler *sampler, struct tally_batch *batch, struct tally_error *error)
{
    struct tally_pipeline *pipeline = sampler->pipeline;
    int result;
    while ((result = tally_recording_read(pipeline->recording, batch, error)) > 0) {
        result = batch->count > 1 ? add_batch(sampler, batch) : 0;
        if (result == -EFBIG)
            return fail(error, result, "%s: more than %d groups, expected longer intervals",
                        pipeline->info->path, GROUPS_MAX);
        if (result < 0)
            return fail_memory(error, "samples");
        if (pipeline->options.progress)
            pipeline->options.progress(pipeline->options.progress_closure,
                                       tally_recording_position(pipeline->recording),
                                       pipeline->info->size_bytes);
    }
    for (size_t i = 0; !result && i < sampler->cell_count; i++)
        if (close_cell(sampler, &sampler->cells[i]) < 0)
            result = fail_memory(error, "samples");
    return result;
}

/* Returns the keys of the names of a recording, which are looked up when they are used. */
static uint64_t *shared_new(const struct tally_recording_info *info)
{
    size_t count = info->marks ? info->marks->name_count : 0;
    uint64_t *shared = malloc((count + 1) * sizeof *shared);
    for (size_t i = 0; shared && i < count; i++)
        shared[i] = UNKNOWN_KEY;
    return shared;
}

int samples_read(struct side_samples *side, const struct sampling *sampling,
                 struct tally_pipeline *pipeline, const struct run_counter *counters, uint32_t run,
                 struct tally_error *error)
{
    struct sampler sampler = {
        .side = side,
        .sampling = sampling,
        .pipeline = pipeline,
        .counters = counters,
        .run = run,
        .clock = phase_clock_of_recording(pipeline->info),
        .shared = shared_new(pipeline->info),
        .overall = calloc(pipeline->set->counter_count + 1, sizeof *sampler.overall),
    };
    struct tally_batch *batch = tally_batch_new();
    int result = batch && sampler.overall && sampler.shared ? read_all(&sampler, batch, error)
                                                            : fail_memory(error, "samples");
    tally_batch_free(batch);
    free(sampler.cells);
    free(sampler.overall);
    free(sampler.shared);
    return result;
}

/* ---- afterwards ------------------------------------------------------------------------------ */

static int compare_ns(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* Returns the length that a sample must have: half of the median, or nearly whole frames. */
static double min_length(const struct group_samples *group, const struct sampling *sampling)
{
    double *lengths = malloc((group->count + 1) * sizeof *lengths);
    if (!lengths || !group->count) {
        free(lengths);
        return 0;
    }
    for (size_t i = 0; i < group->count; i++)
        lengths[i] = group->samples[i].ns;
    qsort(lengths, group->count, sizeof *lengths, compare_ns);
    double median = lengths[group->count / 2];
    free(lengths);
    return sampling->by_frames ? 0.95 * median : 0.5 * median;
}

static int compare_groups(const void *x, const void *y)
{
    const struct group_samples *a = x, *b = y;
    return (a->key > b->key) - (a->key < b->key);
}

void samples_finish(struct side_samples *side, const struct sampling *sampling)
{
    if (side->count)
        qsort(side->groups, side->count, sizeof *side->groups, compare_groups);
    for (size_t g = 0; g < side->count; g++) {
        struct group_samples *group = &side->groups[g];
        double length = min_length(group, sampling);
        size_t kept = 0;
        for (size_t i = 0; i < group->count; i++) {
            if (group->samples[i].ns < length)
                continue;
            group->samples[kept] = group->samples[i];
            memmove(group->values + kept * side->counters, group->values + i * side->counters,
                    side->counters * sizeof *group->values);
            kept++;
        }
        group->count = kept;
    }
}

const struct group_samples *samples_find(const struct side_samples *side, uint64_t key)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->groups[i].key == key)
            return &side->groups[i];
    return NULL;
}

void samples_fini(struct side_samples *side)
{
    for (size_t i = 0; i < side->count; i++) {
        free(side->groups[i].samples);
        free(side->groups[i].values);
    }
    free(side->groups);
    *side = (struct side_samples){0};
}
