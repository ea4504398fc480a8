/* SPDX-License-Identifier: MIT */
/* Comparisons and checks as arrays: <tally/compare.h>. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/options.h"
#include "pipeline/pipeline.h"
#include "sink/checks.h"
#include "sink/comparison.h"

/* Texts that live as long as a result. */
struct texts {
    char **list;
    size_t count, capacity;
    bool broken; /* out of memory */
};

/* Keeps a copy of a text; takes over the bytes of `buffer`. */
static const char *keep_bytes(struct texts *texts, struct buffer *buffer)
{
    char **grown = array_grow(texts->list, &texts->capacity, texts->count, sizeof *grown);
    texts->list = grown ? grown : texts->list;
    if (!grown || buffer->broken) {
        buffer_fini(buffer);
        texts->broken = true;
        return "";
    }
    return texts->list[texts->count++] = buffer->bytes;
}

static const char *keep(struct texts *texts, const char *text)
{
    struct buffer copy = {0};
    buffer_append(&copy, text, strlen(text) + 1);
    return keep_bytes(texts, &copy);
}

static void texts_fini(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->list[i]);
    free(texts->list);
}

/* Takes the options that comparisons and checks have in common. */
static int take_pipeline(const struct tally_pipeline_options *from, enum tally_group_by by,
                         uint64_t interval_ns, const char *interval,
                         struct tally_pipeline_options *to, struct tally_error *error)
{
    int result = options_copy(to, sizeof *to, from, "tally_pipeline_options", error);
    if (!result && (by > TALLY_BY_MARK || (by == TALLY_BY_INTERVAL && !interval_ns)))
        result =
            fail(error, -EINVAL,
                 "invalid grouping, expected enum tally_group_by, and %s for intervals", interval);
    return result;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

struct tally_comparison {
    struct comparison *comparison;
    struct tally_compared_recording *recordings[TALLY_SIDE_COUNT];
    struct tally_difference *differences;
    struct tally_change *changes;
    struct texts texts;
};

static struct tally_compared_recording recording_of(struct texts *texts,
                                                    const struct compare_run *run)
{
    const struct tally_recording_totals *totals = &run->totals;
    char device[DEVICE_TEXT_BYTES];
    return (struct tally_compared_recording){
        .path = run->info->path,
        .device = keep(texts, sink_device_title(device, run->info)),
        .set = run->pipeline->set->symbol,
        .modelled = run->info->modelled,
        .duration_ns = ticks_to_ns(run->info, totals->last_ticks - totals->first_ticks),
        .reports = totals->reports,
        .missing_reports = totals->missing,
        .losses = run->ledger,
        .lost_share = run->lost_share,
    };
}

static struct tally_change change_of(const struct comparison *comparison,
                                     const struct compare_group *group, const char *name,
                                     const struct compare_change *change)
{
    const struct compare_counter *counter = &comparison->counters[change->counter];
    const struct stat_result *result = &change->result;
    struct tally_change out = {
        .by = group->group.by,
        .group = name,
        .counter = counter->symbol,
        .name = counter->name,
        .units = counter->units,
        .change = result->change,
        .delta = result->delta,
        .p = result->p,
        .p_corrected = change->p,
        .tested = !result->constant,
        .exact = result->exact,
        .significant = change->significant,
        .changed = change->changed,
    };
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        out.means[side] = result->means[side];
        out.medians[side] = result->medians[side];
        out.spreads[side] = result->spreads[side];
        out.samples[side] = result->blocks[side];
    }
    return out;
}

/* Makes the arrays of what has been compared. */
static int fill_comparison(struct tally_comparison *out, struct tally_error *error)
{
    const struct comparison *from = out->comparison;
    size_t at = 0;
    out->differences = calloc(from->difference_count + 1, sizeof *out->differences);
    out->changes = calloc(from->change_count + 1, sizeof *out->changes);
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        out->recordings[side] = calloc(from->run_count[side], sizeof **out->recordings);
    if (!out->differences || !out->changes || !out->recordings[0] || !out->recordings[1])
        return fail_memory(error, "a comparison");
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        for (size_t i = 0; i < from->run_count[side]; i++)
            out->recordings[side][i] = recording_of(&out->texts, &from->runs[side][i]);
    for (size_t i = 0; i < from->difference_count; i++) {
        const struct compare_difference *difference = &from->differences[i];
        out->differences[i] = (struct tally_difference){
            difference->name, {difference->texts[TALLY_SIDE_A], difference->texts[TALLY_SIDE_B]}};
    }
    for (size_t g = from->group_count; g--;) { /* the total first */
        const struct compare_group *group = &from->groups[g];
        char text[GROUP_TEXT_BYTES];
        compared_group_name(text, from, group);
        const char *name = keep(&out->texts, text);
        for (size_t i = 0; i < group->count; i++)
            out->changes[at++] = change_of(from, group, name, &from->changes[group->first + i]);
    }
    return out->texts.broken ? fail_memory(error, "a comparison") : 0;
}

/* Converts the options. */
static int take_compare_options(const struct tally_compare_options *from,
                                struct compare_options *to, struct tally_error *error)
{
    struct tally_compare_options options;
    int result = options_copy(&options, sizeof options, from, "tally_compare_options", error);
    if (!result)
        result = take_pipeline(options.pipeline, options.by, options.group_ns, "group_ns",
                               &to->pipeline, error);
    if (result < 0)
        return result;
    to->by = options.by;
    to->group_ns = options.group_ns;
    to->interval_ns = options.sample_ns;
    to->from_ns = options.from_ns;
    to->to_ns = options.to_ns;
    to->alpha = options.alpha <= 0 && options.alpha >= 0 ? COMPARE_ALPHA : options.alpha;
    if (!(to->alpha > 0 && to->alpha < 1))
        return fail(error, -EINVAL, "alpha is %g, expected a probability such as 0.01",
                    options.alpha);
    if (to->to_ns && to->to_ns <= to->from_ns)
        return fail(error, -EINVAL, "the range ends at %llu ns, expected a time after %llu ns",
                    (unsigned long long)to->to_ns, (unsigned long long)to->from_ns);
    return 0;
}

int tally_compare(const char *const *a, size_t a_count, const char *const *b, size_t b_count,
                  const struct tally_compare_options *options, struct tally_comparison **out,
                  struct tally_error *error)
{
    const struct compare_inputs inputs[] = {{a, a_count}, {b, b_count}};
    struct compare_options taken = {0};
    struct tally_error ignored;
    error = error ? error : &ignored;
    int result = take_compare_options(options, &taken, error);
    if (!result && (!a_count || !b_count))
        result = fail(error, -EINVAL, "no recordings, expected one or more on each side");
    if (result < 0)
        return result;
    struct tally_comparison *comparison = calloc(1, sizeof *comparison);
    if (!comparison)
        return fail_memory(error, "a comparison");
    result = compare_recordings(inputs, &taken, &comparison->comparison, error);
    if (!result)
        result = fill_comparison(comparison, error);
    if (result < 0)
        tally_comparison_free(comparison);
    else
        *out = comparison;
    return result;
}

void tally_comparison_free(struct tally_comparison *comparison)
{
    if (!comparison)
        return;
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        free(comparison->recordings[side]);
    free(comparison->differences);
    free(comparison->changes);
    texts_fini(&comparison->texts);
    comparison_free(comparison->comparison);
    free(comparison);
}

struct tally_comparison_info tally_comparison_info(const struct tally_comparison *comparison)
{
    const struct comparison *from = comparison->comparison;
    return (struct tally_comparison_info){from->interval_ns, from->by_frames, from->alpha,
                                          from->tests, from->changed};
}

size_t tally_comparison_recordings(const struct tally_comparison *comparison, enum tally_side side,
                                   const struct tally_compared_recording **out)
{
    *out = comparison->recordings[side];
    return comparison->comparison->run_count[side];
}

size_t tally_comparison_differences(const struct tally_comparison *comparison,
                                    const struct tally_difference **out)
{
    *out = comparison->differences;
    return comparison->comparison->difference_count;
}

size_t tally_comparison_changes(const struct tally_comparison *comparison,
                                const struct tally_change **out)
{
    *out = comparison->changes;
    return comparison->comparison->change_count;
}

/* ---- checks ---------------------------------------------------------------------------------- */

struct tally_checks {
    struct budget *budget; /* also the conditions of the caller */
    struct check_report *report;
    struct tally_check_result *results;
    struct texts texts;
};

/* Adds the conditions to the budget. */
static int parse_conditions(struct budget *budget, const char *const *conditions, size_t count,
                            struct tally_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const char *expected;
        int result = budget_add(budget, conditions[i], &expected);
        if (result == -EINVAL)
            return fail(error, result, "condition \"%s\", expected %s", conditions[i], expected);
        if (result < 0)
            return fail_memory(error, "checks");
    }
    return budget->count
               ? 0
               : fail(error, -EINVAL, "no condition, expected one such as \"EuActive > 60%%\"");
}

static int fill_checks(struct tally_checks *out, struct tally_error *error)
{
    const struct check_report *report = out->report;
    out->results = calloc(report->count + 1, sizeof *out->results);
    if (!out->results)
        return fail_memory(error, "checks");
    for (size_t i = 0; i < report->count; i++) {
        const struct check_result *result = &report->results[i];
        struct buffer name = {0}, message = {0}, units = {0};
        char group[GROUP_TEXT_BYTES];
        put_result_name(&name, report, result);
        put_result_message(&message, report, result);
        result_group_name(group, report, result);
        put_result_units(&units, result);
        out->results[i] = (struct tally_check_result){
            .outcome = result->outcome,
            .name = keep_bytes(&out->texts, &name),
            .message = keep_bytes(&out->texts, &message),
            .counter = result->check->counter,
            .statistic = check_statistics[result->check->statistic],
            .by = result->group.by,
            .group = keep(&out->texts, group),
            .value = result->value,
            .low = result->low,
            .high = result->high,
            .baseline = result->baseline,
            .units = keep_bytes(&out->texts, &units),
            .deltas = result->group.deltas,
            .lost = result->group.lost,
        };
    }
    return out->texts.broken ? fail_memory(error, "checks") : 0;
}

/* Reads the budget, and converts the options. */
static int take_check_options(const struct tally_check_options *from, struct tally_checks *checks,
                              struct check_options *to, struct tally_error *error)
{
    struct tally_check_options options;
    int result = options_copy(&options, sizeof options, from, "tally_check_options", error);
    if (!result)
        result = take_pipeline(options.pipeline, options.by, options.interval_ns, "interval_ns",
                               &to->pipeline, error);
    if (!result && !(options.allowed_lost >= 0 && options.allowed_lost <= 1))
        result = fail(error, -EINVAL, "allowed_lost is %g, expected a share from 0 to 1",
                      options.allowed_lost);
    if (!result && options.budget)
        result = budget_read(&(struct yaml_source){.name = options.budget}, &checks->budget, NULL,
                             NULL, error);
    else if (!result && !(checks->budget = budget_new()))
        result = fail_memory(error, "checks");
    if (result < 0)
        return result;
    to->by = options.by;
    to->interval_ns = options.interval_ns;
    budget_set_options(checks->budget, to);
    if (options.allowed_lost > 0)
        to->allowed_lost = options.allowed_lost;
    if (options.baseline)
        to->baseline = options.baseline;
    return 0;
}

int tally_check(const char *path, const char *const *conditions, size_t count,
                const struct tally_check_options *options, struct tally_checks **out,
                struct tally_error *error)
{
    struct check_options taken = {0};
    struct tally_error ignored;
    error = error ? error : &ignored;
    struct tally_checks *checks = calloc(1, sizeof *checks);
    if (!checks)
        return fail_memory(error, "checks");
    int result = take_check_options(options, checks, &taken, error);
    if (!result)
        result = parse_conditions(checks->budget, conditions, count, error);
    if (!result)
        result = check_recording(path, checks->budget->checks, checks->budget->count, &taken,
                                 &checks->report, error);
    if (!result)
        result = fill_checks(checks, error);
    if (result < 0)
        tally_checks_free(checks);
    else
        *out = checks;
    return result;
}

void tally_checks_free(struct tally_checks *checks)
{
    if (!checks)
        return;
    check_report_free(checks->report);
    budget_free(checks->budget);
    free(checks->results);
    texts_fini(&checks->texts);
    free(checks);
}

size_t tally_check_results(const struct tally_checks *checks, const struct tally_check_result **out)
{
    *out = checks->results;
    return checks->report->count;
}
