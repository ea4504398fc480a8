/* SPDX-License-Identifier: MIT */
/* Comparisons for terminals. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/pipeline.h"
#include "sink/comparison.h"
#include "sink/number.h"
#include "sink/sink.h"

#define LINE_WIDTH   80
#define NAME_WIDTH   20
#define VALUE_WIDTH  7
#define CHANGE_WIDTH 7
#define DELTA_WIDTH  6
#define P_WIDTH      6

static void put_heading(struct output *output, const char *text)
{
    output_text(output, "\n");
    output_style(output, "1;36");
    output_printf(output, "%s", text);
    output_style(output, "0");
}

static void put_run(struct output *output, int side, const struct compare_run *run)
{
    char device[DEVICE_TEXT_BYTES], time[32], line[DEVICE_TEXT_BYTES + 160];
    uint64_t ticks = run->totals.last_ticks - run->totals.first_ticks;
    format_quantity(time, sizeof time, (double)ticks_to_ns(run->info, ticks), "ns");
    snprintf(line, sizeof line, "%s, %.60s, %s, %" PRIu64 " reports",
             sink_device_title(device, run->info), run->pipeline->set->symbol, time,
             run->totals.reports);
    bool fits = 3 + shown_width(run->info->path) + 2 + shown_width(line) <= LINE_WIDTH;
    output_printf(output, "%c  %s", "AB"[side], run -> info -> path);
    output_text(output, fits ? "  " : "\n     ");
    output_printf(output, "%s\n", line);
}

static void put_differences(struct output *output, const struct comparison *comparison)
{
    if (!comparison->difference_count)
        return;
    put_heading(output, "The recordings differ");
    output_text(output, "\n");
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const struct compare_difference *difference = &comparison->differences[i];
        output_style(output, !strcmp(difference->name, "losses") ? "31" : "33");
        output_printf(output, "  %-17s", difference->name);
        output_style(output, "0");
        output_printf(output, " A: %s\n", difference->texts[TALLY_SIDE_A]);
        output_printf(output, "  %17s B: %s\n", "", difference->texts[TALLY_SIDE_B]);
    }
}

static const char *put_value(struct output *output, double value, const char *units)
{
    char text[32];
    const char *named = format_compact(text, sizeof text, value, units);
    output_right(output, isnan(value) ? "-" : text, VALUE_WIDTH);
    return named;
}

/* Formats a probability with one digit: 0.3, 2e-05. */
static void put_p(struct output *output, double p)
{
    char text[32];
    snprintf(text, sizeof text, p < 0.001 ? "%.0e" : "%.3f", p);
    output_right(output, p < 1e-99 ? "<1e-99" : text, P_WIDTH + (p < 1e-99));
}

static void put_change(struct output *output, const struct shown_comparison *shown,
                       const struct compare_change *change)
{
    const struct compare_counter *counter = &shown->comparison->counters[change->counter];
    const struct stat_result *result = &change->result;
    char text[CHANGE_BYTES];
    bool over = threshold_passed(shown->comparison, change, shown->thresholds,
                                 shown->threshold_count) != NULL;
    output_style(output, over ? "31" : change->changed ? "1" : "2");
    output_printf(output, "%s %-*s", over ? "!" : " ", NAME_WIDTH, counter->symbol);
    if (shown_width(counter->symbol) > NAME_WIDTH)
        output_printf(output, "\n%*s", 2 + NAME_WIDTH, "");
    output_style(output, "0");
    put_value(output, result->means[TALLY_SIDE_A], counter->units);
    put_value(output, result->spreads[TALLY_SIDE_A], counter->units);
    const char *units = put_value(output, result->means[TALLY_SIDE_B], counter->units);
    put_value(output, result->spreads[TALLY_SIDE_B], counter->units);
    output_right(output, change_text(text, result->change), CHANGE_WIDTH);
    output_printf(output, " %+*.2f", DELTA_WIDTH - 1, result->delta);
    put_p(output, change->p);
    output_printf(output, " %s\n", units);
}

static void put_columns(struct output *output)
{
    output_style(output, "2");
    output_printf(output, "\n%*s%*s%*s %*s%*s %*s%*s%*s\n", 2 + NAME_WIDTH, "", VALUE_WIDTH, "A",
                  VALUE_WIDTH, "±", VALUE_WIDTH, "B", VALUE_WIDTH, "±", CHANGE_WIDTH, "change",
                  DELTA_WIDTH, "delta", P_WIDTH, "p");
    output_style(output, "0");
}

static void put_group(struct output *output, const struct shown_comparison *shown,
                      const struct compare_group *group)
{
    const struct comparison *comparison = shown->comparison;
    char text[COMPARED_GROUP_BYTES], times[TALLY_SIDE_COUNT][32];
    size_t hidden = 0, equal = 0;
    put_heading(output, compared_group_text(text, comparison, group));
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        format_quantity(times[side], sizeof times[side], group->ns[side], "ns");
    output_printf(output, "  A %s, B %s", times[TALLY_SIDE_A], times[TALLY_SIDE_B]);
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        if (group->lost[side])
            output_printf(output, ", %" PRIu64 " lost in %c", group->lost[side], "AB"[side]);
    if (!group->count) {
        output_printf(output, "\n  only in %s\n", group->ns[TALLY_SIDE_A] > 0 ? "A" : "B");
        return;
    }
    bool listed = shown->all || group->changed;
    if (listed)
        put_columns(output);
    else
        output_text(output, "\n");
    for (size_t i = 0; i < group->count; i++) {
        const struct compare_change *change = &comparison->changes[group->first + i];
        if (change->changed || shown->all)
            put_change(output, shown, change);
        else if (change->result.constant)
            equal++;
        else
            hidden++;
    }
    if (hidden || equal)
        output_printf(output, "  %zu counter%s without a significant change%s", hidden,
                      hidden == 1 ? "" : "s", listed ? "" : " (--all shows them)");
    if (equal)
        output_printf(output, ", %zu that stayed equal", equal);
    output_text(output, hidden || equal ? "\n" : "");
}

static void put_method(struct output *output, const struct comparison *comparison)
{
    char time[32];
    format_quantity(time, sizeof time, (double)comparison->interval_ns, "ns");
    output_printf(output,
                  "\nMeans over time, and half of the interquartile range of samples of %s%s.\n"
                  "Mann-Whitney tests of %zu counters, corrected by Holm; significant: p < %g.\n",
                  time, comparison->by_frames ? " (whole frames)" : "", comparison->tests,
                  comparison->alpha);
}

void table_comparison(struct output *output, const struct shown_comparison *shown)
{
    const struct comparison *comparison = shown->comparison;
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        for (size_t i = 0; i < comparison->run_count[side]; i++)
            put_run(output, side, &comparison->runs[side][i]);
    put_differences(output, comparison);
    for (size_t g = comparison->group_count; g--;) /* the total first */
        put_group(output, shown, &comparison->groups[g]);
    put_method(output, comparison);
    size_t over = comparison_passed(shown);
    if (shown->threshold_count)
        output_printf(output, "%zu change%s over a threshold.\n", over,
                      over == 1 ? " is" : "s are");
}
