/* SPDX-License-Identifier: MIT */
/* A comparison as one self-contained page, without scripts. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "pipeline/pipeline.h"
#include "sink/comparison.h"
#include "sink/html.h"
#include "sink/number.h"

static const char style[] =
    ":root { color-scheme: light dark; --text: light-dark(#1b1f24, #e3e6ea);\n"
    "  --soft: light-dark(#5d6672, #98a2b0); --line: light-dark(#dde1e7, #2d333d);\n"
    "  --a: light-dark(#1f6feb, #6cb0ff); --b: light-dark(#bc4c00, #ff9d5c);\n"
    "  --bad: light-dark(#b3261e, #ff8a80); --lost: light-dark(#b3261e33, #ff8a8044); }\n"
    "body { margin: 0 auto; max-width: 980px; padding: 8px 20px 40px; color: var(--text);\n"
    "  background: light-dark(#fff, #14171c);\n"
    "  font: 14px/1.45 system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }\n"
    "h1 { font-size: 22px; } h2 { font-size: 17px; margin: 28px 0 6px; }\n"
    "h2 small, .soft { color: var(--soft); font-weight: normal; font-size: 13px; }\n"
    "table { border-collapse: collapse; width: 100%; }\n"
    "th, td { padding: 3px 8px; text-align: left; border-bottom: 1px solid var(--line);\n"
    "  vertical-align: top; overflow-wrap: anywhere; }\n"
    "th { color: var(--soft); font-weight: normal; }\n"
    ".n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    ".a { color: var(--a); } .b { color: var(--b); }\n"
    ".changed td { font-weight: 600; } .over td { color: var(--bad); }\n"
    ".bad { color: var(--bad); } details { margin-top: 6px; }\n"
    "summary { cursor: pointer; color: var(--soft); }\n"
    "svg { display: block; width: 100%; height: auto; font-size: 11px; fill: var(--soft); }\n"
    "svg .grid { stroke: var(--line); fill: none; } svg .lost { fill: var(--lost); }\n"
    "svg .line { fill: none; stroke-width: 1.4; } svg .line.a { stroke: var(--a); }\n"
    "svg .line.b { stroke: var(--b); } svg text.a { fill: var(--a); }\n"
    "svg text.b { fill: var(--b); } svg text.name { fill: var(--text); font-size: 13px; }\n";

static void put_cell(struct output *output, const char *class, const char *text)
{
    output_text(output, *class ? "<td class=\"" : "<td");
    output_text(output, class);
    output_text(output, *class ? "\">" : ">");
    html_text(output, text);
    output_text(output, "</td>");
}

static void put_head(struct output *output, const struct comparison *comparison)
{
    output_text(output, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                        "'none'; style-src 'unsafe-inline'\"/>\n"
                        "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>");
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        const char *path = comparison->runs[side][0].info->path, *slash = strrchr(path, '/');
        html_text(output, slash ? slash + 1 : path);
        output_text(output, side == TALLY_SIDE_A ? " and " : ": what has changed");
    }
    output_text(output, "</title>\n<style>\n");
    output_text(output, style);
    output_text(output, "</style></head>\n<body>\n<h1>What has changed</h1>\n");
}

static void put_runs(struct output *output, const struct comparison *comparison)
{
    char text[DEVICE_TEXT_BYTES + 32];
    output_text(output, "<table id=\"recordings\">\n<tr><th></th><th>recording</th><th>device</th>"
                        "<th>metric set</th><th class=\"n\">time</th><th class=\"n\">reports</th>"
                        "</tr>\n");
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        for (size_t i = 0; i < comparison->run_count[side]; i++) {
            const struct compare_run *run = &comparison->runs[side][i];
            uint64_t ticks = run->totals.last_ticks - run->totals.first_ticks;
            output_text(output, "<tr>");
            put_cell(output, side == TALLY_SIDE_A ? "a" : "b", side == TALLY_SIDE_A ? "A" : "B");
            put_cell(output, "", run->info->path);
            put_cell(output, "", sink_device_title(text, run->info));
            put_cell(output, "", run->pipeline->set->symbol);
            format_quantity(text, sizeof text, (double)ticks_to_ns(run->info, ticks), "ns");
            put_cell(output, "n", text);
            snprintf(text, sizeof text, "%" PRIu64, run->totals.reports);
            put_cell(output, "n", text);
            output_text(output, "</tr>\n");
        }
    }
    output_text(output, "</table>\n");
}

static void put_differences(struct output *output, const struct comparison *comparison)
{
    if (!comparison->difference_count)
        return;
    output_text(output, "<h2>The recordings differ</h2>\n<table id=\"differences\">\n"
                        "<tr><th></th><th class=\"a\">A</th><th class=\"b\">B</th></tr>\n");
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const struct compare_difference *difference = &comparison->differences[i];
        output_text(output, "<tr>");
        put_cell(output, !strcmp(difference->name, "losses") ? "bad" : "", difference->name);
        put_cell(output, "", difference->texts[TALLY_SIDE_A]);
        put_cell(output, "", difference->texts[TALLY_SIDE_B]);
        output_text(output, "</tr>\n");
    }
    output_text(output, "</table>\n");
}

static void put_value(struct output *output, double value, const char *units)
{
    char text[64];
    if (isnan(value))
        strcpy(text, "-");
    else
        format_quantity(text, sizeof text, value, units);
    put_cell(output, "n", text);
}

static void put_change(struct output *output, const struct shown_comparison *shown,
                       const struct compare_change *change)
{
    const struct compare_counter *counter = &shown->comparison->counters[change->counter];
    const struct stat_result *result = &change->result;
    char text[64];
    bool over = threshold_passed(shown->comparison, change, shown->thresholds,
                                 shown->threshold_count) != NULL;
    output_text(output, over              ? "<tr class=\"changed over\">"
                        : change->changed ? "<tr class=\"changed\">"
                                          : "<tr>");
    output_text(output, "<td title=\"");
    html_text(output, counter->name);
    output_text(output, over ? "\">! " : "\">");
    html_text(output, counter->symbol);
    output_text(output, "</td>");
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        put_value(output, result->means[side], counter->units);
        put_value(output, result->spreads[side], counter->units);
    }
    put_cell(output, "n", change_text(text, result->change));
    snprintf(text, sizeof text, "%+.2f", result->delta);
    put_cell(output, "n", text);
    snprintf(text, sizeof text, change->p < 0.001 ? "%.0e" : "%.3f", change->p);
    put_cell(output, "n", text);
    bool named = format_quantity(text, sizeof text, 1, counter->units);
    put_cell(output, "", named ? "" : counter->units);
    output_text(output, "</tr>\n");
}

static void put_changes(struct output *output, const struct shown_comparison *shown,
                        const struct compare_group *group, bool changed)
{
    output_text(output, "<table>\n<tr><th>counter</th><th class=\"n a\">A</th><th class=\"n\">±"
                        "</th><th class=\"n b\">B</th><th class=\"n\">±</th><th class=\"n\">change"
                        "</th><th class=\"n\">delta</th><th class=\"n\">p</th><th></th></tr>\n");
    for (size_t i = 0; i < group->count; i++) {
        const struct compare_change *change = &shown->comparison->changes[group->first + i];
        if (change->changed == changed)
            put_change(output, shown, change);
    }
    output_text(output, "</table>\n");
}

static void put_group(struct output *output, const struct shown_comparison *shown,
                      const struct compare_group *group)
{
    char text[COMPARED_GROUP_BYTES], time[32];
    output_text(output, "<h2>");
    html_text(output, compared_group_text(text, shown->comparison, group));
    output_text(output, " <small>");
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        format_quantity(time, sizeof time, group->ns[side], "ns");
        output_printf(output, "%s%c %s", side ? ", " : "", "AB"[side], time);
    }
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        if (group->lost[side])
            output_printf(output, ", %" PRIu64 " lost in %c", group->lost[side], "AB"[side]);
    output_text(output, "</small></h2>\n");
    if (!group->count) {
        output_printf(output, "<p>only in %s</p>\n", group->ns[TALLY_SIDE_A] > 0 ? "A" : "B");
        return;
    }
    if (group->changed)
        put_changes(output, shown, group, true);
    if (group->count == group->changed)
        return;
    size_t rest = group->count - group->changed;
    output_printf(output,
                  "<details%s><summary>%zu counter%s without a significant change</summary>",
                  shown->all ? " open=\"open\"" : "", rest, rest == 1 ? "" : "s");
    put_changes(output, shown, group, false);
    output_text(output, "</details>\n");
}

static void put_method(struct output *output, const struct shown_comparison *shown)
{
    const struct comparison *comparison = shown->comparison;
    size_t over = comparison_passed(shown);
    char time[32];
    format_quantity(time, sizeof time, (double)comparison->interval_ns, "ns");
    if (shown->threshold_count)
        output_printf(output, "<p%s>%zu change%s over a threshold.</p>\n",
                      over ? " class=\"bad\"" : "", over, over == 1 ? " is" : "s are");
    output_printf(
        output,
        "<p class=\"soft\">Means over time, and half of the interquartile range (±) of "
        "samples of %s%s. delta: Cliff's, -1 to 1. p: Mann-Whitney tests of %zu counters, "
        "corrected by Holm; significant: p &lt; %g.</p>\n",
        time, comparison->by_frames ? " (whole frames)" : "", comparison->tests, comparison->alpha);
}

void html_comparison(struct output *output, const struct shown_comparison *shown)
{
    const struct comparison *comparison = shown->comparison;
    put_head(output, comparison);
    put_runs(output, comparison);
    put_differences(output, comparison);
    for (size_t g = comparison->group_count; g--;) { /* the total first */
        put_group(output, shown, &comparison->groups[g]);
        if (g + 1 == comparison->group_count)
            html_strips(output, shown);
    }
    put_method(output, shown);
    output_text(output, "</body></html>\n");
}
