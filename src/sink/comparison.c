/* SPDX-License-Identifier: MIT */
/* Comparisons as CSV and JSON Lines. */
#include "sink/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "pipeline/pipeline.h"
#include "sink/csv.h"
#include "sink/json.h"
#include "sink/sink.h"

static const char *const side_names[TALLY_SIDE_COUNT] = {"a", "b"};

static const struct compare_threshold *passed(const struct shown_comparison *shown,
                                              const struct compare_change *change)
{
    return threshold_passed(shown->comparison, change, shown->thresholds, shown->threshold_count);
}

size_t comparison_passed(const struct shown_comparison *shown)
{
    size_t count = 0;
    for (size_t i = 0; i < shown->comparison->change_count; i++)
        count += passed(shown, &shown->comparison->changes[i]) != NULL;
    return count;
}

char *change_text(char text[CHANGE_BYTES], double change)
{
    double percent = 100 * change, size = fabs(percent);
    if (isnan(change))
        strcpy(text, "-");
    else if (isinf(change))
        strcpy(text, "new");
    else if (!(size > 0))
        strcpy(text, "0%");
    else
        snprintf(text, CHANGE_BYTES, "%+.*f%%",
                 size < 9.995   ? 2
                 : size < 99.95 ? 1
                                : 0,
                 fmin(fmax(percent, -1e9), 1e9));
    return text;
}

void compared_group_name(char text[GROUP_TEXT_BYTES], const struct comparison *comparison,
                         const struct compare_group *group)
{
    int side = group->ns[TALLY_SIDE_A] > 0 ? TALLY_SIDE_A : TALLY_SIDE_B;
    if (group->group.by == TALLY_BY_MARK)
        mark_group_text(text, (const char *const *)comparison->marks.names, comparison->marks.count,
                        group->group.key);
    else
        group_text(text, comparison->runs[side][0].info, &group->group);
}

char *compared_group_text(char text[COMPARED_GROUP_BYTES], const struct comparison *comparison,
                          const struct compare_group *group)
{
    char name[GROUP_TEXT_BYTES];
    compared_group_name(name, comparison, group);
    if (group->group.by == TALLY_BY_NOTHING)
        strcpy(text, name);
    else
        snprintf(text, COMPARED_GROUP_BYTES, "%s %s", group_by_name(group->group.by), name);
    return text;
}

/* Writes a probability with four digits, which do not depend on the machine's mathematics. */
static void put_probability(struct output *output, double p)
{
    char text[32];
    snprintf(text, sizeof text, "%.3e", p);
    output_text(output, p >= 1 ? "1" : text);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_difference(struct output *output, const struct compare_difference *difference)
{
    output_text(output, "difference,,,");
    csv_text(output, difference->name);
    output_text(output, ",,");
    csv_text(output, difference->texts[TALLY_SIDE_A]);
    output_text(output, ",");
    csv_text(output, difference->texts[TALLY_SIDE_B]);
    output_text(output, ",,,,,,,,,,,,,\r\n");
}

static void csv_change(struct output *output, const struct shown_comparison *shown,
                       const struct compare_group *group, const struct compare_change *change)
{
    const struct comparison *comparison = shown->comparison;
    const struct compare_counter *counter = &comparison->counters[change->counter];
    const struct stat_result *result = &change->result;
    const double values[] = {result->means[0],   result->means[1],   result->change,
                             result->medians[0], result->medians[1], result->spreads[0],
                             result->spreads[1], result->delta};
    char key[GROUP_TEXT_BYTES];
    compared_group_name(key, comparison, group);
    output_printf(output, "counter,%s,", group_by_name(group->group.by));
    csv_text(output, key);
    output_text(output, ",");
    csv_text(output, counter->symbol);
    output_text(output, ",");
    csv_text(output, counter->units);
    for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
        output_text(output, ",");
        csv_number(output, values[i]);
    }
    output_text(output, ",");
    put_probability(output, result->p);
    output_text(output, ",");
    put_probability(output, change->p);
    output_printf(output, ",%zu,%zu,%s,%s,%s\r\n", result->blocks[0], result->blocks[1],
                  change->significant ? "true" : "false", change->changed ? "true" : "false",
                  passed(shown, change) ? "true" : "false");
}

void csv_comparison(struct output *output, const struct shown_comparison *shown)
{
    const struct comparison *comparison = shown->comparison;
    output_text(output, "kind,by,group,name,units,a,b,change,median_a,median_b,spread_a,spread_b,"
                        "delta,p,p_corrected,samples_a,samples_b,significant,changed,"
                        "over_threshold\r\n");
    for (size_t i = 0; i < comparison->difference_count; i++)
        csv_difference(output, &comparison->differences[i]);
    for (size_t g = comparison->group_count; g--;) /* the total first */
        for (size_t i = 0; i < comparison->groups[g].count; i++)
            csv_change(output, shown, &comparison->groups[g],
                       &comparison->changes[comparison->groups[g].first + i]);
}

/* ---- JSON Lines ------------------------------------------------------------------------------ */

static void json_header(struct output *output, const struct comparison *comparison)
{
    output_text(output, "{\"type\":\"header\",\"tally\":");
    json_text(output, tally_version());
    output_printf(output, ",\"alpha\":");
    json_number(output, comparison->alpha);
    output_printf(output, ",\"interval_ns\":%" PRIu64 ",\"frames\":%s", comparison->interval_ns,
                  comparison->by_frames ? "true" : "false");
    output_printf(output,
                  ",\"test\":\"Mann-Whitney\",\"correction\":\"Holm\",\"tests\":%zu,"
                  "\"counters\":%zu}\n",
                  comparison->tests, comparison->counter_count);
}

static void json_run(struct output *output, int side, const struct compare_run *run)
{
    char device[DEVICE_TEXT_BYTES];
    output_printf(output, "{\"type\":\"recording\",\"side\":\"%s\"", side_names[side]);
    json_member(output, "file", run->info->path);
    json_member(output, "device", sink_device_title(device, run->info));
    output_printf(output, ",\"modelled\":%s", sink_modelled(run->info));
    json_member(output, "set", run->pipeline->set->symbol);
    output_printf(output, ",\"duration_ns\":%" PRIu64 ",\"reports\":%" PRIu64,
                  ticks_to_ns(run->info, run->totals.last_ticks - run->totals.first_ticks),
                  run->totals.reports);
    output_printf(output, ",\"ledger\":%zu,\"missing_reports\":%" PRIu64, run->ledger,
                  run->totals.missing);
    json_number_member(output, "lost_share", run->lost_share);
    output_text(output, "}\n");
}

static void json_sides(struct output *output, const char *key,
                       const double values[TALLY_SIDE_COUNT])
{
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        output_printf(output, ",\"%s%s%s\":", key, *key ? "_" : "", side_names[side]);
        json_number(output, values[side]);
    }
}

static void json_group(struct output *output, const struct comparison *comparison,
                       const struct compare_group *group)
{
    char key[GROUP_TEXT_BYTES];
    compared_group_name(key, comparison, group);
    output_printf(output, "{\"type\":\"group\",\"by\":\"%s\"", group_by_name(group->group.by));
    json_member(output, "group", key);
    json_sides(output, "duration_ns", group->ns);
    output_printf(output,
                  ",\"lost_a\":%" PRIu64 ",\"lost_b\":%" PRIu64 ",\"compared\":%zu,\"changed\":%zu}"
                  "\n",
                  group->lost[TALLY_SIDE_A], group->lost[TALLY_SIDE_B], group->count,
                  group->changed);
}

static void json_change(struct output *output, const struct shown_comparison *shown,
                        const struct compare_group *group, const struct compare_change *change)
{
    const struct comparison *comparison = shown->comparison;
    const struct compare_counter *counter = &comparison->counters[change->counter];
    const struct stat_result *result = &change->result;
    char key[GROUP_TEXT_BYTES];
    compared_group_name(key, comparison, group);
    output_printf(output, "{\"type\":\"counter\",\"by\":\"%s\"", group_by_name(group->group.by));
    json_member(output, "group", key);
    json_member(output, "counter", counter->symbol);
    json_member(output, "units", counter->units);
    json_sides(output, "", result->means);
    json_number_member(output, "change", result->change);
    json_sides(output, "median", result->medians);
    json_sides(output, "spread", result->spreads);
    json_number_member(output, "delta", result->delta);
    output_text(output, ",\"p\":");
    put_probability(output, result->p);
    output_text(output, ",\"p_corrected\":");
    put_probability(output, change->p);
    output_printf(output, ",\"samples_a\":%zu,\"samples_b\":%zu,\"exact\":%s", result->blocks[0],
                  result->blocks[1], result->exact ? "true" : "false");
    output_text(output, result->constant ? ",\"tested\":false" : ",\"tested\":true");
    output_printf(output, ",\"significant\":%s,\"changed\":%s,\"over_threshold\":%s}\n",
                  change->significant ? "true" : "false", change->changed ? "true" : "false",
                  passed(shown, change) ? "true" : "false");
}

void jsonl_comparison(struct output *output, const struct shown_comparison *shown)
{
    const struct comparison *comparison = shown->comparison;
    json_header(output, comparison);
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        for (size_t i = 0; i < comparison->run_count[side]; i++)
            json_run(output, side, &comparison->runs[side][i]);
    for (size_t i = 0; i < comparison->difference_count; i++) {
        const struct compare_difference *difference = &comparison->differences[i];
        output_text(output, "{\"type\":\"difference\"");
        json_member(output, "name", difference->name);
        json_member(output, "a", difference->texts[TALLY_SIDE_A]);
        json_member(output, "b", difference->texts[TALLY_SIDE_B]);
        output_text(output, "}\n");
    }
    for (size_t g = comparison->group_count; g--;) { /* the total first */
        const struct compare_group *group = &comparison->groups[g];
        json_group(output, comparison, group);
        for (size_t i = 0; i < group->count; i++)
            json_change(output, shown, group, &comparison->changes[group->first + i]);
    }
    output_printf(output, "{\"type\":\"end\",\"changed\":%zu,\"over_threshold\":%zu}\n",
                  comparison->changed, comparison_passed(shown));
}
