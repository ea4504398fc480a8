/* SPDX-License-Identifier: MIT */
/* Judges what was measured by the conditions. */
#include "compare/check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compare/measure.h"
#include "metrics/amounts.h"

const char *tally_check_outcome_name(enum tally_check_outcome outcome)
{
    static const char *const names[CHECK_OUTCOMES] = {"passed", "failed", "inconclusive"};
    return names[outcome];
}

/* Everything that is needed while a recording is checked. */
struct checking {
    const struct check_options *options;
    struct check_report *report;
    struct measured measured, baseline;
};

/* Finds the same group of another recording: sections of marks by their name. */
static const struct measured_group *find_group(const struct measured *measured,
                                               const struct tally_group *group, const char *mark)
{
    for (size_t i = 0; i < measured->count; i++) {
        const struct tally_group *other = &measured->groups[i].group;
        const char *name = measured_mark(measured, other);
        if (other->by == group->by &&
            (mark && name ? !strcmp(mark, name) : other->key == group->key))
            return &measured->groups[i];
    }
    return NULL;
}

/* Returns a bound in the units of the value. */
static double bound_of(const struct checking *checking, const struct check *check, size_t i)
{
    bool in_us = !strcmp(measured_units(&checking->measured, i), "us");
    bool is_time = check->unit->units && !strcmp(check->unit->units, "ns");
    return check->bound * check->unit->factor / (is_time && in_us ? 1000 : 1);
}

/* Sets the limits that a value must keep. */
static void set_limits(const struct checking *checking, size_t i, struct check_result *result)
{
    const struct check *check = result->check;
    double margin = fabs(result->baseline) * check->bound, bound = bound_of(checking, check, i);
    result->low = -(double)INFINITY;
    result->high = (double)INFINITY;
    switch (check->kind) {
    case CHECK_ABOVE:
    case CHECK_NOT_BELOW:
        result->low = bound;
        break;
    case CHECK_BELOW:
    case CHECK_NOT_ABOVE:
        result->high = bound;
        break;
    case CHECK_WITHIN:
        result->low = result->baseline - margin;
        result->high = result->baseline + margin;
        break;
    case CHECK_WITHIN_ABOVE:
        result->high = result->baseline + margin;
        break;
    case CHECK_WITHIN_BELOW:
        result->low = result->baseline - margin;
        break;
    }
}

static bool keeps_limits(const struct check_result *result)
{
    switch (result->check->kind) {
    case CHECK_ABOVE:
        return result->value > result->low;
    case CHECK_BELOW:
        return result->value < result->high;
    default:
        return result->value >= result->low && result->value <= result->high;
    }
}

/* Losses that are not allowed; of unknown extent, they are allowed only with a share above 0. */
static bool is_lossy(const struct check_losses *losses, double allowed)
{
    return losses->ledger && (losses->share > allowed || !(allowed > 0));
}

static void judge(const struct checking *checking, size_t i, struct check_result *result)
{
    const struct check_report *report = checking->report;
    double allowed = checking->options->allowed_lost;
    bool within = result->check->kind >= CHECK_WITHIN;
    result->outcome = TALLY_CHECK_FAILED;
    set_limits(checking, i, result);
    if (isnan(result->value))
        result->reason = result->group.deltas ? "the counter has no value" : "nothing was counted";
    else if (within && isnan(result->baseline))
        result->reason = "the baseline has no value";
    else if (!keeps_limits(result))
        result->reason = NULL;
    else if (is_lossy(&report->losses, allowed)) {
        result->outcome = TALLY_CHECK_INCONCLUSIVE;
        result->reason = "data were lost";
    } else if (within && is_lossy(&report->baseline_losses, allowed)) {
        result->outcome = TALLY_CHECK_INCONCLUSIVE;
        result->reason = "data of the baseline were lost";
    } else
        result->outcome = TALLY_CHECK_PASSED;
}

/* Adds the result of check `i` in a group, which may be missing (`values` NULL). */
static int add_result(struct checking *checking, size_t i, const struct tally_group *group,
                      const double *values)
{
    struct check_report *report = checking->report;
    struct check_result *grown =
        array_grow(report->results, &report->capacity, report->count, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    report->results = grown;
    const struct measured_group *base =
        find_group(&checking->baseline, group, measured_mark(&checking->measured, group));
    const struct check *check = &checking->measured.checks[i];
    grown[report->count] = (struct check_result){
        .check = check,
        .group = *group,
        .value = values ? values[i] : (double)NAN,
        .baseline = base && check->kind >= CHECK_WITHIN ? base->values[i] : (double)NAN,
        .units = measured_units(&checking->measured, i),
    };
    judge(checking, i, &grown[report->count]);
    report->outcomes[grown[report->count].outcome]++;
    report->count++;
    return 0;
}

/* Adds the results of a check: of each group, or of the one that it names. */
static int add_results(struct checking *checking, size_t i)
{
    const struct measured *measured = &checking->measured;
    const struct check *check = &measured->checks[i];
    enum tally_group_by by = check_by(check, checking->options);
    bool every = by != TALLY_BY_NOTHING && (!check->has_place || check->every);
    bool found = false;
    int result = 0;
    for (size_t g = 0; !result && g < measured->count; g++) {
        const struct tally_group *group = &measured->groups[g].group;
        const char *mark = measured_mark(measured, group);
        if (group->by != by ||
            (!every && (mark ? strcmp(mark, check->mark) != 0 : group->key != check->key)))
            continue;
        found = true;
        result = add_result(checking, i, group, measured->groups[g].values);
    }
    if (!found && !result)
        result = add_result(checking, i, &(struct tally_group){.by = by, .key = check->key}, NULL);
    return result;
}

static int check_all(struct checking *checking, const char *path, struct tally_error *error)
{
    const struct check_options *options = checking->options;
    struct check_report *report = checking->report;
    bool needs_baseline = false;
    for (size_t i = 0; i < checking->measured.check_count; i++) {
        const struct check *check = &checking->measured.checks[i];
        needs_baseline |= check->kind >= CHECK_WITHIN;
        if (needs_baseline && !options->baseline)
            return fail(error, -ENOENT, "%s within a share of a baseline, expected --baseline FILE",
                        check->counter);
    }
    int result = measure_recording(&checking->measured, path, options, error);
    report->pipeline = checking->measured.pipeline;
    report->losses = checking->measured.losses;
    if (!result && needs_baseline) {
        result = measure_recording(&checking->baseline, options->baseline, options, error);
        report->baseline = checking->baseline.pipeline;
        report->baseline_losses = checking->baseline.losses;
    }
    for (size_t i = 0; !result && i < checking->measured.check_count; i++)
        if (add_results(checking, i) < 0)
            result = fail_memory(error, "results");
    return result;
}

int check_recording(const char *path, const struct check *checks, size_t count,
                    const struct check_options *options, struct check_report **out,
                    struct tally_error *error)
{
    struct checking checking = {.options = options, .report = calloc(1, sizeof *checking.report)};
    if (!checking.report)
        return fail_memory(error, "results");
    checking.measured.checks = checking.baseline.checks = checks;
    checking.measured.check_count = checking.baseline.check_count = count;
    int result = check_all(&checking, path, error);
    measured_fini(&checking.measured);
    measured_fini(&checking.baseline);
    if (result < 0)
        check_report_free(checking.report);
    else
        *out = checking.report;
    return result;
}

void check_report_free(struct check_report *report)
{
    if (!report)
        return;
    tally_pipeline_close(report->pipeline);
    tally_pipeline_close(report->baseline);
    free(report->results);
    free(report);
}
