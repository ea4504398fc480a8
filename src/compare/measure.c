/* SPDX-License-Identifier: MIT */
#include "compare/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/expected.h"
#include "base/ratio.h"
#include "metrics/amounts.h"
#include "metrics/phases.h"
#include "pipeline/pipeline.h"

/* Maximum number of groups: of intervals and frames, as in tally report. */
#define GROUPS_MAX 100000

#define GROUPINGS (TALLY_BY_MARK + 1)

enum tally_group_by check_by(const struct check *check, const struct check_options *options)
{
    return check->has_place ? check->by : options->by;
}

static const struct tally_counter *counter_of(const struct measured *measured, size_t check)
{
    return &measured->pipeline->set->counters[measured->counters[check]];
}

const char *measured_units(const struct measured *measured, size_t check)
{
    return counter_of(measured, check)->units;
}

/* ---- checking the checks --------------------------------------------------------------------- */

static int unknown_counter(const struct measured *measured, const struct check *check,
                           struct tally_error *error)
{
    const struct tally_pipeline *pipeline = measured->pipeline;
    char expected[EXPECTED_BYTES];
    const char **names = malloc((pipeline->counter_count + 1) * sizeof *names);
    if (!names)
        return fail_memory(error, "counters");
    for (size_t i = 0; i < pipeline->counter_count; i++)
        names[i] = pipeline->set->counters[pipeline->counters[i]].symbol;
    ptrdiff_t index = tally_metric_set_counter(pipeline->set, check->counter);
    if (index >= 0)
        fail(error, -ENOENT, "%s: counter \"%s\" of %s is %s on this GPU and layout",
             pipeline->info->path, check->counter, pipeline->set->symbol,
             tally_counter_state_name(tally_program_state(pipeline->program, (size_t)index)));
    else
        fail(error, -ENOENT, "%s: unknown counter \"%s\" of %s%s", pipeline->info->path,
             check->counter, pipeline->set->symbol,
             expected_word(expected, check->counter, names, pipeline->counter_count,
                           "tally list counters"));
    free(names);
    return error ? error->code : -ENOENT;
}

/* Checks that the counter has the statistic and the unit. */
static int check_fits(const struct measured *measured, size_t i, struct tally_error *error)
{
    const struct check *check = &measured->checks[i];
    const struct tally_counter *counter = counter_of(measured, i);
    bool adds_up = counter_is_number(counter) || counter_time_ns(counter);
    const char *units = !strcmp(counter->units, "us") ? "ns" : counter->units;
    if (check->statistic == CHECK_SUM && !adds_up)
        return fail(error, -ENOENT, "sum(%s): a sum of %s has no meaning, expected mean or overall",
                    check->counter, counter->units);
    if (check->unit->units && strcmp(check->unit->units, units) != 0)
        return fail(error, -ENOENT, "%s: the bound is in %s, expected %s", check->counter,
                    check->unit->name, counter->units);
    if (check->per_second && !counter_is_number(counter))
        return fail(error, -ENOENT, "%s: a bound per second, expected %s", check->counter,
                    counter->units);
    if (check->per_second && check->statistic != CHECK_MEAN && check->statistic != CHECK_OVERALL)
        return fail(error, -ENOENT,
                    "%s(%s): a bound per second is for the mean, expected a bound without /s",
                    check_statistics[check->statistic], check->counter);
    return 0;
}

static int find_counters(struct measured *measured, struct tally_error *error)
{
    measured->counters = calloc(measured->check_count + 1, sizeof *measured->counters);
    if (!measured->counters)
        return fail_memory(error, "counters");
    for (size_t i = 0; i < measured->check_count; i++) {
        const struct check *check = &measured->checks[i];
        ptrdiff_t index = tally_pipeline_counter(measured->pipeline, check->counter);
        if (index < 0)
            return unknown_counter(measured, check, error);
        measured->counters[i] = (size_t)index;
        int result = check_fits(measured, i, error);
        if (result < 0)
            return result;
    }
    return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static double value_of(const struct measured *measured, size_t i, const struct tally_group *group,
                       const struct tally_statistic *statistic)
{
    const struct check *check = &measured->checks[i];
    enum tally_data_type type = statistic->type;
    double ns = (double)group->ticks * (double)NS_PER_SECOND /
                (double)measured->pipeline->info->recorded.timestamp_hz;
    if (check->per_second)
        return tally_value_double(statistic->overall, type) * (double)NS_PER_SECOND / ns;
    switch (check->statistic) {
    case CHECK_MIN:
        return tally_value_double(statistic->minimum, type);
    case CHECK_MEAN:
        return statistic->mean;
    case CHECK_P50:
        return tally_value_double(statistic->p50, type);
    case CHECK_P95:
        return tally_value_double(statistic->p95, type);
    case CHECK_P99:
        return tally_value_double(statistic->p99, type);
    case CHECK_MAX:
        return tally_value_double(statistic->maximum, type);
    case CHECK_OVERALL:
    case CHECK_SUM:
    case CHECK_STATISTICS:
        break;
    }
    return tally_value_double(statistic->overall, type);
}

/* Where the groups of one grouping are kept. */
struct collector {
    struct measured *measured;
    const struct check_options *options;
    enum tally_group_by by;
};

static void collect(void *closure, const struct tally_group *group,
                    const struct tally_statistic *statistics)
{
    const struct collector *collector = closure;
    struct measured *measured = collector->measured;
    if (group->by == TALLY_BY_NOTHING)
        measured->good_ticks = group->ticks;
    bool unmarked = group->by == TALLY_BY_MARK && !group->key;
    if (group->by != collector->by || group->key == TALLY_KEY_CHANGE || unmarked ||
        measured->count > GROUPS_MAX)
        return;
    struct measured_group *grown =
        array_grow(measured->groups, &measured->capacity, measured->count, sizeof *grown);
    double *values = malloc((measured->check_count + 1) * sizeof *values);
    if (grown)
        measured->groups = grown;
    if (!grown || !values) {
        measured->out_of_memory = true;
        free(values);
        return;
    }
    for (size_t i = 0; i < measured->check_count; i++)
        values[i] = group->deltas && check_by(&measured->checks[i], collector->options) == group->by
                        ? value_of(measured, i, group, &statistics[measured->counters[i]])
                        : (double)NAN;
    grown[measured->count++] = (struct measured_group){*group, values};
}

const char *measured_mark(const struct measured *measured, const struct tally_group *group)
{
    const struct tally_recorded_marks *marks = measured->pipeline->info->marks;
    return marks && group->by == TALLY_BY_MARK && group->key < marks->name_count
               ? marks->names[group->key]
               : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Called after the intervals of a batch. */
static int stop_at_limit(void *closure)
{
    const struct collector *collector = closure;
    return collector->measured->count > GROUPS_MAX ? -EFBIG : 0;
}

/* Makes a grouping for each one that a check has. Returns their number or an error. */
static int find_groupings(struct measured *measured, const struct check_options *options,
                          struct collector collectors[GROUPINGS],
                          struct pipeline_groups groupings[GROUPINGS], struct tally_error *error)
{
    const struct tally_recording_info *info = measured->pipeline->info;
    uint64_t ticks = scale_u64(options->interval_ns, info->recorded.timestamp_hz, NS_PER_SECOND);
    int count = 0;
    for (unsigned by = 0; by < GROUPINGS; by++) {
        bool wanted = false;
        for (size_t i = 0; i < measured->check_count; i++)
            wanted |= check_by(&measured->checks[i], options) == by;
        if (!wanted)
            continue;
        const char *lacks = grouping_lacks(info, by);
        if (lacks)
            return fail(error, -ENOENT, "%s carries no %s; expected a recording %s", info->path,
                        lacks, grouping_source(by));
        collectors[count] = (struct collector){measured, options, (enum tally_group_by)by};
        groupings[count] = (struct pipeline_groups){
            .by = (enum tally_group_by)by,
            .interval_ticks = ticks ? ticks : 1,
            .percentiles = true,
            .group = collect,
            .end_batch = stop_at_limit,
            .closure = &collectors[count],
        };
        count++;
    }
    return count;
}

static int read_all(struct measured *measured, const struct check_options *options,
                    struct tally_error *error)
{
    struct collector collectors[GROUPINGS];
    struct pipeline_groups groupings[GROUPINGS];
    int count = find_groupings(measured, options, collectors, groupings, error);
    if (count < 0)
        return count;
    int result = pipeline_summarize_all(measured->pipeline, groupings, (size_t)count, error);
    if (measured->count > GROUPS_MAX)
        return fail(error, -EFBIG, "%s: more than %d groups, expected longer intervals",
                    measured->pipeline->info->path, GROUPS_MAX);
    return measured->out_of_memory ? fail_memory(error, "a summary") : result;
}

static struct check_losses losses_of(const struct measured *measured)
{
    const struct tally_loss *losses;
    struct tally_recording *recording = measured->pipeline->recording;
    struct tally_recording_totals totals = tally_recording_totals(recording);
    double reports = (double)totals.missing / (double)(totals.missing + totals.reports + 1);
    uint64_t span = totals.last_ticks - totals.first_ticks;
    uint64_t kept = measured->good_ticks + totals.paused_ticks;
    double time = span > kept ? (double)(span - kept) / (double)span : 0;
    return (struct check_losses){fmax(reports, time), tally_recording_losses(recording, &losses),
                                 totals.missing};
}

int measure_recording(struct measured *measured, const char *path,
                      const struct check_options *options, struct tally_error *error)
{
    int result = tally_pipeline_open(path, &options->pipeline, &measured->pipeline, error);
    if (result == 0)
        result = find_counters(measured, error);
    if (result == 0)
        result = read_all(measured, options, error);
    if (result == 0)
        measured->losses = losses_of(measured);
    return result;
}

void measured_fini(struct measured *measured)
{
    for (size_t i = 0; i < measured->count; i++)
        free(measured->groups[i].values);
    free(measured->groups);
    free(measured->counters);
}
