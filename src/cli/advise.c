/* SPDX-License-Identifier: MIT */
#include "cli/advise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advice/advice.h"
#include "base/error.h"
#include "base/ratio.h"
#include "sink/json.h"
#include "sink/number.h"

#define LIMITS_MAX 64 /* rules of a file */

struct advising {
    struct output *output;
    bool json;
    const struct tally_recording_info *info;
    const struct tally_program *program;
    enum tally_group_by by;
    struct advice_rules *rules;
    struct advice_verdict verdict;
    /* Time of each verdict, by its limit; rules may share one. */
    struct {
        const char *limit; /* NULL: no rule holds */
        uint64_t ticks;
    } limits[LIMITS_MAX + 1];
    size_t limit_count;
    int failed;
};

/* Returns whether a group is that of the deltas in which two phases or sections meet. */
static bool is_mixed(const struct tally_group *group)
{
    return (group->by == TALLY_BY_PHASE || group->by == TALLY_BY_MARK) &&
           group->key == TALLY_KEY_CHANGE;
}

static void add_time(struct advising *advising, const struct tally_group *group)
{
    const char *limit = !is_mixed(group)             ? NULL
                        : group->by == TALLY_BY_MARK ? "not judged, between marks"
                                                     : "not judged, between phases";
    uint64_t ticks = group->ticks;
    if (advising->verdict.rule)
        limit = advising->verdict.rule->limit;
    size_t i = 0;
    while (i < advising->limit_count &&
           (limit && advising->limits[i].limit ? strcmp(limit, advising->limits[i].limit) != 0
                                               : limit != advising->limits[i].limit))
        i++;
    advising->limit_count += i == advising->limit_count;
    advising->limits[i].limit = limit;
    advising->limits[i].ticks += ticks;
}

static void put_heading(const struct advising *advising, const struct tally_group *group)
{
    char key[GROUP_TEXT_BYTES], text[64];
    struct output *output = advising->output;
    group_text(key, advising->info, group);
    format_quantity(text, sizeof text, (double)ticks_to_ns(advising->info, group->ticks), "ns");
    output_style(output, "1;36");
    if (group->by == TALLY_BY_NOTHING)
        output_text(output, "\ntotal");
    else if (is_mixed(group))
        output_printf(output, "\nbetween %ss", group_by_name(group->by));
    else
        output_printf(output, "\n%s %s", group_by_name(group->by), key);
    output_style(output, "0");
    output_printf(output, "  %s", text);
    if (group->lost)
        output_printf(output, ", %" PRIu64 " lost", group->lost);
    output_text(output, "\n");
}

/* Writes a text in lines of at most 80 columns, which begin with blanks. */
static void put_paragraph(struct output *output, const char *title, const char *text, size_t size)
{
    int column = 2 + (int)strlen(title);
    output_printf(output, "  %s", title);
    for (size_t at = 0, word; at < size; at += word) {
        word = 0;
        while (at + word < size && text[at + word] != ' ')
            word++;
        if (column + 1 + (int)word > 80) {
            output_text(output, "\n   ");
            column = 3;
        }
        output_printf(output, " %.*s", (int)word, text + at);
        column += 1 + (int)word;
        word += at + word < size;
    }
    output_text(output, "\n");
}

static void put_line(struct output *output, const char *title, const char *text)
{
    put_paragraph(output, title, text, strlen(text));
}

static void put_verdict(const struct advising *advising, const struct tally_group *group)
{
    const struct advice_verdict *verdict = &advising->verdict;
    struct output *output = advising->output;
    char rule[400];
    if (!group->deltas)
        output_text(output, "  nothing was counted\n");
    else if (is_mixed(group))
        output_printf(output, "  not judged: each of these deltas has parts of two %ss\n",
                      group_by_name(group->by));
    else if (verdict->rule) {
        output_style(output, "1");
        put_line(output, "limited by", verdict->rule->limit);
        output_style(output, "0");
        put_line(output, "", verdict->rule->says);
        put_paragraph(output, "numbers:", verdict->numbers.bytes, verdict->numbers.size);
        snprintf(rule, sizeof rule, "%s: %s", verdict->rule->name, verdict->rule->when);
        put_line(output, "rule", rule);
        put_line(output, "source:", verdict->rule->source);
    } else {
        output_text(output, "  no rule holds: nothing that is counted limits clearly\n");
    }
    if (verdict->unchecked.size)
        put_paragraph(output, "not checked:", verdict->unchecked.bytes, verdict->unchecked.size);
}

static void put_times(const struct advising *advising, const struct tally_group *group)
{
    for (size_t i = 0; i < advising->limit_count; i++)
        output_printf(advising->output, "  %5.1f %% %s\n",
                      100 * (double)advising->limits[i].ticks / (double)group->ticks,
                      advising->limits[i].limit ? advising->limits[i].limit : "no rule holds");
}

static void json_buffer(struct output *output, const char *key, const struct buffer *buffer)
{
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)buffer->size, buffer->size ? buffer->bytes : "");
    json_member(output, key, text);
}

static void json_verdict(const struct advising *advising, const struct tally_group *group)
{
    char key[GROUP_TEXT_BYTES];
    const struct advice_verdict *verdict = &advising->verdict;
    struct output *output = advising->output;
    group_text(key, advising->info, group);
    output_printf(output, "{\"type\":\"advice\",\"by\":\"%s\"", group_by_name(group->by));
    json_member(output, "group", key);
    output_printf(output, ",\"duration_ns\":%" PRIu64, ticks_to_ns(advising->info, group->ticks));
    if (verdict->rule) {
        json_member(output, "rule", verdict->rule->name);
        json_member(output, "limit", verdict->rule->limit);
        json_member(output, "says", verdict->rule->says);
        json_member(output, "when", verdict->rule->when);
        json_member(output, "source", verdict->rule->source);
    } else {
        output_text(output, ",\"rule\":null");
    }
    json_buffer(output, "numbers", &verdict->numbers);
    json_buffer(output, "not_checked", &verdict->unchecked);
    output_text(output, "}\n");
}

static void judge(void *closure, const struct tally_group *group,
                  const struct tally_statistic *statistics)
{
    struct advising *advising = closure;
    bool total = group->by == TALLY_BY_NOTHING && advising->by != TALLY_BY_NOTHING;
    if (group->by == TALLY_BY_CONTEXT &&
        !tally_layout_width(advising->info->layout, TALLY_SLOT_CONTEXT))
        return; /* equals the total */
    advising->verdict.rule = NULL;
    advising->verdict.numbers.size = advising->verdict.unchecked.size = 0;
    if (!is_mixed(group) &&
        advice_judge(advising->rules, advising->program, group, statistics, &advising->verdict) < 0)
        advising->failed = -ENOMEM;
    if (!total)
        add_time(advising, group);
    if (advising->json) {
        json_verdict(advising, group);
        return;
    }
    put_heading(advising, group);
    if (total && advising->limit_count && group->ticks)
        put_times(advising, group);
    else
        put_verdict(advising, group);
}

static int end_batch(void *closure)
{
    const struct advising *advising = closure;
    return advising->output->error.code;
}

int advise(const struct writing *writing, struct tally_pipeline *pipeline, enum tally_group_by by,
           uint64_t interval_ticks, int *result, struct tally_error *error)
{
    char device[DEVICE_TEXT_BYTES];
    uint64_t hz = pipeline->info->recorded.timestamp_hz;
    struct advising advising = {
        .output = writing->output,
        .json = writing->sink != &sink_table,
        .info = pipeline->info,
        .program = pipeline->program,
        .by = by,
    };
    const struct pipeline_groups groups = {
        .by = by,
        .interval_ticks = interval_ticks,
        .from_ticks = scale_up_u64(writing->from_ns, hz, NS_PER_SECOND),
        .to_ticks = scale_up_u64(writing->to_ns, hz, NS_PER_SECOND),
        .group = judge,
        .end_batch = end_batch,
        .closure = &advising,
    };
    if (advice_load(tally_device_name(&pipeline->info->device), &advising.rules, error) < 0)
        return report_error(error);
    if (!advising.json)
        output_printf(writing->output, "What limits %s, by the counters of %s\n",
                      sink_device_title(device, pipeline->info), pipeline->set->symbol);
    *result = pipeline_summarize(pipeline, &groups, error);
    if (*result == 0 && advising.failed)
        *result = fail_memory(error, "advice");
    output_flush(writing->output);
    advice_verdict_fini(&advising.verdict);
    advice_rules_free(advising.rules);
    return EXIT_DONE;
}
