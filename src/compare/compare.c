/* SPDX-License-Identifier: MIT */
/* Reads both sides and tests every counter of every group. */
#include "compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "compare/differences.h"
#include "compare/samples.h"
#include "metrics/amounts.h"
#include "metrics/phases.h"

/* A change below this share of the value is not listed, however significant. */
#define CHANGE_MIN 0.005
/* Percentages are compared as if they were at least this: 0.01 % is not ten times 0.001 %. */
#define PERCENT_MIN 5.0

/* ---- opening --------------------------------------------------------------------------------- */

/* Everything that is needed while recordings are compared. */
struct comparing {
    const struct compare_options *options;
    struct comparison *out;
    struct sampling sampling;
    struct side_samples sides[TALLY_SIDE_COUNT];
    struct run_counter *maps; /* of the current run */
};

static int open_runs(struct comparing *comparing, const struct compare_inputs *inputs, int side,
                     struct tally_error *error)
{
    struct comparison *out = comparing->out;
    out->runs[side] = calloc(inputs->count, sizeof *out->runs[side]);
    if (!out->runs[side])
        return fail_memory(error, "a comparison");
    for (size_t i = 0; i < inputs->count; i++) {
        struct compare_run *run = &out->runs[side][i];
        int result = tally_pipeline_open(inputs->paths[i], &comparing->options->pipeline,
                                         &run->pipeline, error);
        if (result < 0)
            return result;
        out->run_count[side]++;
        run->info = run->pipeline->info;
        if (!run->info->size_bytes)
            return fail(error, -ENOENT, "%s: cannot be read twice, expected a file",
                        run->info->path);
    }
    return 0;
}

/* ---- counters that all runs have ------------------------------------------------------------- */

/* Returns the index in a run's set of a counter, or -ENOENT if it is not evaluated, or its units
 * are others. */
static ptrdiff_t counter_in(const struct compare_run *run, const struct tally_counter *counter)
{
    ptrdiff_t index = tally_pipeline_counter(run->pipeline, counter->symbol);
    if (index < 0 || strcmp(run->pipeline->set->counters[index].units, counter->units) != 0)
        return -ENOENT;
    return index;
}

static bool all_have(const struct comparison *comparison, int side,
                     const struct tally_counter *counter)
{
    for (size_t i = 0; i < comparison->run_count[side]; i++)
        if (counter_in(&comparison->runs[side][i], counter) < 0)
            return false;
    return true;
}

/* Returns the units of a counter's values, which are rates. NULL if out of memory. */
static char *units_of(const struct tally_counter *counter)
{
    char text[128];
    if (counter_time_ns(counter))
        return strdup("percent");
    snprintf(text, sizeof text, "%s%s", counter->units, counter_is_number(counter) ? "/s" : "");
    return strdup(text);
}

static size_t count_only(const struct comparison *comparison, int side)
{
    const struct tally_pipeline *pipeline = comparison->runs[side][0].pipeline;
    size_t only = 0;
    for (size_t i = 0; i < pipeline->counter_count; i++)
        only += !all_have(comparison, !side, &pipeline->set->counters[pipeline->counters[i]]);
    return only;
}

static int find_counters(struct comparison *comparison, struct tally_error *error)
{
    const struct compare_run *first = &comparison->runs[TALLY_SIDE_A][0];
    const struct tally_pipeline *pipeline = first->pipeline;
    comparison->counters = calloc(pipeline->counter_count + 1, sizeof *comparison->counters);
    if (!comparison->counters)
        return fail_memory(error, "counters");
    for (size_t i = 0; i < pipeline->counter_count; i++) {
        const struct tally_counter *counter = &pipeline->set->counters[pipeline->counters[i]];
        struct compare_counter *to = &comparison->counters[comparison->counter_count];
        if (!all_have(comparison, TALLY_SIDE_A, counter) ||
            !all_have(comparison, TALLY_SIDE_B, counter))
            continue;
        *to = (struct compare_counter){counter->symbol, counter->name, units_of(counter)};
        if (!to->units)
            return fail_memory(error, "counters");
        comparison->counter_count++;
    }
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        comparison->only[side] = count_only(comparison, side);
    if (!comparison->counter_count)
        return fail(error, -ENOENT, "%s and %s have no counters in common (%s, %s)",
                    first->info->path, comparison->runs[TALLY_SIDE_B][0].info->path,
                    pipeline->set->symbol, comparison->runs[TALLY_SIDE_B][0].pipeline->set->symbol);
    return 0;
}

/* Fills in where a run has the common counters. */
static void map_counters(const struct comparing *comparing, const struct compare_run *run)
{
    const struct comparison *comparison = comparing->out;
    for (size_t i = 0; i < comparison->counter_count; i++) {
        ptrdiff_t index = tally_pipeline_counter(run->pipeline, comparison->counters[i].symbol);
        const struct tally_counter *counter = &run->pipeline->set->counters[index];
        comparing->maps[i] = (struct run_counter){(size_t)index, counter_is_number(counter),
                                                  counter_time_ns(counter)};
    }
}

/* ---- the length of a sample ------------------------------------------------------------------ */

#define SAMPLES_OF_RUN 128
#define FRAMES_MIN     STAT_BLOCKS_MIN
/* Frames and intervals that are groups are divided. */
#define SAMPLES_OF_GROUP 16

struct lengths {
    uint64_t shortest_ns; /* recording */
    uint64_t period_ns;   /* the longest one */
    uint64_t frame_ns;    /* of all recordings; 0: they differ, or one has none */
};

/* Reads a recording without evaluating it, and returns its length in nanoseconds. */
static int measure_run(const struct comparing *comparing, const struct compare_run *run,
                       uint64_t *ns, struct tally_error *error)
{
    struct tally_recording *recording;
    struct tally_batch *batch = tally_batch_new();
    int result = batch
                     ? tally_recording_open(run->info->path, comparing->options->pipeline.recording,
                                            &recording, error)
                     : fail_memory(error, "a batch");
    if (result == 0) {
        while ((result = tally_recording_read(recording, batch, error)) > 0)
            ;
        struct tally_recording_totals totals = tally_recording_totals(recording);
        *ns = scale_u64(totals.last_ticks - totals.first_ticks, NS_PER_SECOND,
                        run->info->recorded.timestamp_hz);
        tally_recording_close(recording);
    }
    tally_batch_free(batch);
    return result;
}

static int measure(const struct comparing *comparing, struct lengths *out,
                   struct tally_error *error)
{
    const struct comparison *comparison = comparing->out;
    uint64_t ns = 0, from = comparing->options->from_ns, to = comparing->options->to_ns;
    *out = (struct lengths){.shortest_ns = UINT64_MAX};
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        for (size_t i = 0; i < comparison->run_count[side]; i++) {
            const struct compare_run *run = &comparison->runs[side][i];
            uint64_t hz = run->info->recorded.timestamp_hz;
            uint64_t frame = phase_clock_of_recording(run->info).frame_ns;
            int result = measure_run(comparing, run, &ns, error);
            if (result < 0)
                return result;
            if (to && ns > to)
                ns = to;
            ns = ns > from ? ns - from : 0;
            out->shortest_ns = min_u64(out->shortest_ns, ns);
            out->period_ns =
                max_u64(out->period_ns, scale_u64(run->info->period_ticks, NS_PER_SECOND, hz));
            out->frame_ns = side || i ? (out->frame_ns == frame ? frame : 0) : frame;
        }
    return 0;
}

/* Chooses the length of samples: some 128 of the shortest recording, and whole frames if all have
 * the same ones, and enough of them. */
static int choose_sampling(struct comparing *comparing, struct tally_error *error)
{
    const struct compare_options *options = comparing->options;
    struct sampling *sampling = &comparing->sampling;
    struct lengths lengths;
    int result = measure(comparing, &lengths, error);
    if (result < 0)
        return result;
    *sampling = (struct sampling){.marks = &comparing->out->marks,
                                  .by = options->by,
                                  .group_ns = options->group_ns,
                                  .interval_ns = options->interval_ns,
                                  .from_ns = options->from_ns,
                                  .to_ns = options->to_ns};
    uint64_t length = lengths.shortest_ns / SAMPLES_OF_RUN;
    bool series = options->by == TALLY_BY_FRAME || options->by == TALLY_BY_INTERVAL;
    if (options->by == TALLY_BY_INTERVAL)
        length = options->group_ns / SAMPLES_OF_GROUP;
    else if (options->by == TALLY_BY_FRAME && lengths.frame_ns)
        length = lengths.frame_ns / SAMPLES_OF_GROUP;
    length = max_u64(max_u64(length, 2 * lengths.period_ns), 1);
    uint64_t frames = lengths.frame_ns ? lengths.shortest_ns / lengths.frame_ns : 0;
    if (!series && !options->interval_ns && frames > FRAMES_MIN) {
        sampling->by_frames = true;
        length = lengths.frame_ns * max_u64((length + lengths.frame_ns - 1) / lengths.frame_ns, 1);
        if (lengths.shortest_ns / length <= FRAMES_MIN)
            length = lengths.frame_ns;
    }
    if (!options->interval_ns)
        sampling->interval_ns = length;
    return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns the share that is missing of a recording, whose deltas without values are `lost_ns` long,
 * and the others `ns`. */
static double share_lost(const struct tally_recording_totals *totals, double lost_ns, double ns)
{
    double reports = (double)totals->missing / (double)(totals->missing + totals->reports + 1);
    return fmax(reports, lost_ns > 0 ? lost_ns / (lost_ns + ns) : 0);
}

static int read_runs(struct comparing *comparing, int side, struct tally_error *error)
{
    struct comparison *out = comparing->out;
    struct side_samples *samples = &comparing->sides[side];
    samples->counters = out->counter_count;
    for (size_t i = 0; i < out->run_count[side]; i++) {
        struct compare_run *run = &out->runs[side][i];
        const struct tally_loss *losses;
        const struct group_samples *total = samples_find(samples, TOTAL_KEY);
        double ns = total ? total->ns : 0, lost_ns = total ? total->lost_ns : 0;
        map_counters(comparing, run);
        int result = samples_read(samples, &comparing->sampling, run->pipeline, comparing->maps,
                                  (uint32_t)i, error);
        if (result < 0)
            return result;
        run->totals = tally_recording_totals(run->pipeline->recording);
        run->ledger = tally_recording_losses(run->pipeline->recording, &losses);
        total = samples_find(samples, TOTAL_KEY);
        run->lost_share =
            total ? share_lost(&run->totals, total->lost_ns - lost_ns, total->ns - ns) : 0;
    }
    samples_finish(samples, &comparing->sampling);
    return 0;
}

/* ---- testing --------------------------------------------------------------------------------- */

/* Copies the defined values of a counter. Returns their number. */
static size_t copy_values(const struct side_samples *side, const struct group_samples *group,
                          size_t counter, struct stat_sample *to)
{
    size_t count = 0;
    for (size_t i = 0; group && i < group->count; i++) {
        double value = group->values[i * side->counters + counter];
        if (isfinite(value))
            to[count++] = (struct stat_sample){value, group->samples[i].ns, group->samples[i].run};
    }
    return count;
}

/* Returns how much a change matters: its share of the larger value. */
static double score_of(const struct stat_result *result, const char *units)
{
    double a = fabs(result->means[0]), b = fabs(result->means[1]);
    double scale = fmax(a, b);
    if (!strcmp(units, "percent"))
        scale = fmax(scale, PERCENT_MIN);
    return scale > 0 ? fabs(result->means[1] - result->means[0]) / scale : 0;
}

static int test_group(struct comparing *comparing, struct compare_group *group, uint64_t key,
                      struct tally_error *error)
{
    struct comparison *out = comparing->out;
    const struct group_samples *samples[TALLY_SIDE_COUNT];
    struct stat_sample *values[TALLY_SIDE_COUNT];
    int result = 0;
    group->first = out->change_count;
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        samples[side] = samples_find(&comparing->sides[side], key);
        size_t count = samples[side] ? samples[side]->count : 0;
        values[side] = malloc((count + 1) * sizeof *values[side]);
        group->ns[side] = samples[side] ? samples[side]->ns : 0;
        group->lost[side] = samples[side] ? samples[side]->lost : 0;
    }
    bool both = group->ns[TALLY_SIDE_A] > 0 && group->ns[TALLY_SIDE_B] > 0;
    if (!values[TALLY_SIDE_A] || !values[TALLY_SIDE_B])
        result = -ENOMEM;
    for (size_t c = 0; !result && both && c < out->counter_count; c++) {
        struct compare_change *change = &out->changes[out->change_count];
        size_t counts[TALLY_SIDE_COUNT];
        for (int side = 0; side < TALLY_SIDE_COUNT; side++)
            counts[side] = copy_values(&comparing->sides[side], samples[side], c, values[side]);
        *change = (struct compare_change){.group = (size_t)(group - out->groups), .counter = c};
        result = stat_compare(values[TALLY_SIDE_A], counts[TALLY_SIDE_A], values[TALLY_SIDE_B],
                              counts[TALLY_SIDE_B], &change->result);
        change->score = score_of(&change->result, out->counters[c].units);
        out->change_count++;
        group->count++;
    }
    free(values[TALLY_SIDE_A]);
    free(values[TALLY_SIDE_B]);
    return result < 0 ? fail_memory(error, "samples") : 0;
}

/* Adds the groups of both sides, by their keys; the total is the last one. */
static int find_groups(struct comparing *comparing, struct tally_error *error)
{
    struct comparison *out = comparing->out;
    const struct side_samples *a = &comparing->sides[TALLY_SIDE_A],
                              *b = &comparing->sides[TALLY_SIDE_B];
    size_t max = a->count + b->count + 1, i = 0, k = 0;
    out->groups = calloc(max, sizeof *out->groups);
    out->changes = calloc(max * out->counter_count + 1, sizeof *out->changes);
    if (!out->groups || !out->changes)
        return fail_memory(error, "changes");
    while (i < a->count || k < b->count) {
        uint64_t key = k == b->count || (i < a->count && a->groups[i].key <= b->groups[k].key)
                           ? a->groups[i].key
                           : b->groups[k].key;
        i += i < a->count && a->groups[i].key == key;
        k += k < b->count && b->groups[k].key == key;
        enum tally_group_by by = key == TOTAL_KEY ? TALLY_BY_NOTHING : comparing->options->by;
        out->groups[out->group_count++].group =
            (struct tally_group){.by = by, .key = key == TOTAL_KEY ? 0 : key};
        int result = test_group(comparing, &out->groups[out->group_count - 1], key, error);
        if (result < 0)
            return result;
    }
    return 0;
}

static int correct(struct comparison *comparison, struct tally_error *error)
{
    double *p = malloc((comparison->change_count + 1) * sizeof *p);
    if (!p)
        return fail_memory(error, "changes");
    for (size_t i = 0; i < comparison->change_count; i++)
        if (!comparison->changes[i].result.constant)
            p[comparison->tests++] = comparison->changes[i].result.p;
    int result = stat_holm(p, comparison->tests);
    for (size_t i = 0, at = 0; result == 0 && i < comparison->change_count; i++) {
        struct compare_change *change = &comparison->changes[i];
        change->p = change->result.constant ? 1 : p[at++];
        change->significant = change->p < comparison->alpha;
        change->changed = change->significant && change->score >= CHANGE_MIN;
        comparison->changed += change->changed;
        comparison->groups[change->group].changed += change->changed;
    }
    free(p);
    return result < 0 ? fail_memory(error, "changes") : 0;
}

static int compare_changes(const void *x, const void *y)
{
    const struct compare_change *a = x, *b = y;
    if (a->changed != b->changed)
        return b->changed - a->changed;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return (a->counter > b->counter) - (a->counter < b->counter);
}

static void sort_changes(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->group_count; i++)
        if (comparison->groups[i].count)
            qsort(comparison->changes + comparison->groups[i].first, comparison->groups[i].count,
                  sizeof *comparison->changes, compare_changes);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int compare_all(struct comparing *comparing,
                       const struct compare_inputs inputs[TALLY_SIDE_COUNT],
                       struct tally_error *error)
{
    struct comparison *out = comparing->out;
    int result = open_runs(comparing, &inputs[TALLY_SIDE_A], TALLY_SIDE_A, error);
    if (!result)
        result = open_runs(comparing, &inputs[TALLY_SIDE_B], TALLY_SIDE_B, error);
    if (!result)
        result = differences_check(out, comparing->options->by, error);
    if (!result)
        result = find_counters(out, error);
    if (!result && !(comparing->maps = calloc(out->counter_count, sizeof *comparing->maps)))
        result = fail_memory(error, "counters");
    if (!result)
        result = choose_sampling(comparing, error);
    for (int side = 0; !result && side < TALLY_SIDE_COUNT; side++)
        result = read_runs(comparing, side, error);
    if (!result)
        result = find_groups(comparing, error);
    if (!result)
        result = correct(out, error);
    if (result < 0)
        return result;
    sort_changes(out);
    out->interval_ns = comparing->sampling.interval_ns;
    out->by_frames = comparing->sampling.by_frames;
    return differences_find(out, error);
}

int compare_recordings(const struct compare_inputs inputs[TALLY_SIDE_COUNT],
                       const struct compare_options *options, struct comparison **out,
                       struct tally_error *error)
{
    struct comparing comparing = {.options = options, .out = calloc(1, sizeof *comparing.out)};
    if (!comparing.out)
        return fail_memory(error, "a comparison");
    comparing.out->alpha = options->alpha;
    int result = compare_all(&comparing, inputs, error);
    samples_fini(&comparing.sides[TALLY_SIDE_A]);
    samples_fini(&comparing.sides[TALLY_SIDE_B]);
    free(comparing.maps);
    if (result < 0)
        comparison_free(comparing.out);
    else
        *out = comparing.out;
    return result;
}

void comparison_free(struct comparison *comparison)
{
    if (!comparison)
        return;
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        for (size_t i = 0; i < comparison->run_count[side]; i++)
            tally_pipeline_close(comparison->runs[side][i].pipeline);
        free(comparison->runs[side]);
    }
    for (size_t i = 0; i < comparison->counter_count; i++)
        free((char *)comparison->counters[i].units);
    for (size_t i = 0; i < comparison->difference_count; i++)
        for (int side = 0; side < TALLY_SIDE_COUNT; side++)
            free(comparison->differences[i].texts[side]);
    for (size_t i = 0; i < comparison->marks.count; i++)
        free(comparison->marks.names[i]);
    free(comparison->marks.names);
    free(comparison->differences);
    free(comparison->counters);
    free(comparison->groups);
    free(comparison->changes);
    free(comparison);
}
