/* SPDX-License-Identifier: MIT */
/* Results of checks as a table, CSV and JSON Lines. */
#include "sink/checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/pipeline.h"
#include "sink/csv.h"
#include "sink/json.h"
#include "sink/number.h"
#include "sink/sink.h"

/* ---- texts ----------------------------------------------------------------------------------- */

void result_group_name(char text[GROUP_TEXT_BYTES], const struct check_report *report,
                       const struct check_result *result)
{
    if (result->group.by == TALLY_BY_MARK && result->group.key == TALLY_KEY_CHANGE)
        snprintf(text, GROUP_TEXT_BYTES, "%s", result->check->mark); /* there is no such section */
    else
        group_text(text, report->pipeline->info, &result->group);
}

void put_result_name(struct buffer *text, const struct check_report *report,
                     const struct check_result *result)
{
    char key[GROUP_TEXT_BYTES];
    result_group_name(key, report, result);
    if (*result->check->name)
        buffer_text(text, result->check->name);
    else
        check_text(text, result->check);
    if (result->group.by != TALLY_BY_NOTHING)
        buffer_printf(text, " in %s %s", group_by_name(result->group.by), key);
    buffer_char(text, '\0');
}

/* Appends a number with its unit: "45.2 %", "1.2M pixels/s". */
static void put_number(struct buffer *text, double value, const struct check_result *result)
{
    char number[64];
    const char *units = result->units;
    bool named = format_quantity(number, sizeof number, value, units);
    buffer_text(text, number);
    if (!named)
        buffer_printf(text, " %s", units);
    buffer_text(text, result->check->per_second ? "/s" : "");
}

/* Appends what was expected: "> 60.0 %", "47.5 to 52.5 %". */
static void put_expected(struct buffer *text, const struct check_result *result)
{
    static const char *const signs[] = {"> ", ">= ", "< ", "<= ", "", "<= ", ">= "};
    buffer_text(text, signs[result->check->kind]);
    if (isfinite(result->low))
        put_number(text, result->low, result);
    if (isfinite(result->low) && isfinite(result->high))
        buffer_text(text, " to ");
    if (isfinite(result->high))
        put_number(text, result->high, result);
    if (!isnan(result->baseline)) {
        buffer_text(text, ", of ");
        put_number(text, result->baseline, result);
    }
}

void put_result_units(struct buffer *text, const struct check_result *result)
{
    buffer_text(text, result->units);
    buffer_text(text, result->check->per_second ? "/s" : "");
    buffer_char(text, '\0');
}

void put_result_message(struct buffer *text, const struct check_report *report,
                        const struct check_result *result)
{
    const struct check *check = result->check;
    buffer_printf(text, "%s(%s)", check_statistics[check->statistic], check->counter);
    if (!isnan(result->value)) {
        buffer_text(text, " is ");
        put_number(text, result->value, result);
    }
    if (!result->reason || result->outcome == TALLY_CHECK_INCONCLUSIVE) {
        buffer_text(text, ", expected ");
        put_expected(text, result);
    }
    if (result->reason)
        buffer_printf(text, ": %s", result->reason);
    if (result->outcome == TALLY_CHECK_INCONCLUSIVE) {
        bool base = report->baseline && strstr(result->reason, "baseline");
        const struct check_losses *losses = base ? &report->baseline_losses : &report->losses;
        buffer_printf(text, " (%.3g %%, %" PRIu64 " reports), see --allow-lost",
                      100 * losses->share, losses->missing);
    }
    buffer_char(text, '\0');
}

/* ---- table ----------------------------------------------------------------------------------- */

void table_checks(struct output *output, const struct shown_checks *shown)
{
    static const char *const words[] = {"passed", "FAILED", "INCONCLUSIVE"};
    static const char *const styles[] = {"32", "31", "33"};
    const struct check_report *report = shown->report;
    for (size_t i = 0; i < report->count; i++) {
        const struct check_result *result = &report->results[i];
        struct buffer name = {0}, message = {0};
        if (result->outcome == TALLY_CHECK_PASSED && !shown->all)
            continue;
        put_result_name(&name, report, result);
        put_result_message(&message, report, result);
        output_style(output, styles[result->outcome]);
        output_text(output, words[result->outcome]);
        output_style(output, "0");
        if (!name.broken && !message.broken)
            output_printf(output, "  %s: %s\n", name.bytes, message.bytes);
        buffer_fini(&name);
        buffer_fini(&message);
    }
    output_printf(output, "%s: %zu of %zu checks passed", report->pipeline->info->path,
                  report->outcomes[TALLY_CHECK_PASSED], report->count);
    if (report->losses.ledger)
        output_printf(output, "; %.3g %% of the time or %" PRIu64 " reports were lost",
                      100 * report->losses.share, report->losses.missing);
    output_text(output, "\n");
}

/* ---- CSV and JSON Lines ---------------------------------------------------------------------- */

void csv_checks(struct output *output, const struct shown_checks *shown)
{
    const struct check_report *report = shown->report;
    output_text(output, "check,by,group,counter,statistic,units,value,low,high,baseline,outcome,"
                        "message\r\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct check_result *result = &report->results[i];
        const double values[] = {result->value, result->low, result->high, result->baseline};
        struct buffer name = {0}, units = {0}, message = {0};
        char key[GROUP_TEXT_BYTES];
        result_group_name(key, report, result);
        put_result_name(&name, report, result);
        put_result_units(&units, result);
        put_result_message(&message, report, result);
        csv_text(output, name.broken ? "" : name.bytes);
        output_printf(output, ",%s,", group_by_name(result->group.by));
        csv_text(output, key);
        output_text(output, ",");
        csv_text(output, result->check->counter);
        output_printf(output, ",%s,", check_statistics[result->check->statistic]);
        csv_text(output, units.broken ? "" : units.bytes);
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            output_text(output, ",");
            csv_number(output, values[k]);
        }
        output_printf(output, ",%s,", tally_check_outcome_name(result->outcome));
        csv_text(output, message.broken ? "" : message.bytes);
        output_text(output, "\r\n");
        buffer_fini(&name);
        buffer_fini(&units);
        buffer_fini(&message);
    }
}

static void json_result(struct output *output, const struct check_report *report,
                        const struct check_result *result)
{
    struct buffer name = {0}, units = {0}, message = {0};
    char key[GROUP_TEXT_BYTES];
    result_group_name(key, report, result);
    put_result_name(&name, report, result);
    put_result_units(&units, result);
    put_result_message(&message, report, result);
    output_text(output, "{\"type\":\"check\",\"check\":");
    json_text(output, name.broken ? "" : name.bytes);
    output_printf(output, ",\"by\":\"%s\"", group_by_name(result->group.by));
    json_member(output, "group", key);
    json_member(output, "counter", result->check->counter);
    json_member(output, "statistic", check_statistics[result->check->statistic]);
    json_member(output, "units", units.broken ? "" : units.bytes);
    json_number_member(output, "value", result->value);
    json_number_member(output, "low", result->low);
    json_number_member(output, "high", result->high);
    json_number_member(output, "baseline", result->baseline);
    json_member(output, "outcome", tally_check_outcome_name(result->outcome));
    json_member(output, "message", message.broken ? "" : message.bytes);
    output_text(output, "}\n");
    buffer_fini(&name);
    buffer_fini(&units);
    buffer_fini(&message);
}

void jsonl_checks(struct output *output, const struct shown_checks *shown)
{
    const struct check_report *report = shown->report;
    const struct tally_recording_info *info = report->pipeline->info;
    output_text(output, "{\"type\":\"header\",\"tally\":");
    json_text(output, tally_version());
    json_member(output, "file", info->path);
    if (shown->title)
        json_member(output, "budget", shown->title);
    output_printf(output, ",\"modelled\":%s", sink_modelled(info));
    json_member(output, "set", report->pipeline->set->symbol);
    json_number_member(output, "lost_share", report->losses.share);
    output_printf(output, ",\"ledger\":%zu,\"missing_reports\":%" PRIu64 "}\n",
                  report->losses.ledger, report->losses.missing);
    for (size_t i = 0; i < report->count; i++)
        json_result(output, report, &report->results[i]);
    output_printf(output, "{\"type\":\"end\",\"passed\":%zu,\"failed\":%zu,\"inconclusive\":%zu}\n",
                  report->outcomes[TALLY_CHECK_PASSED], report->outcomes[TALLY_CHECK_FAILED],
                  report->outcomes[TALLY_CHECK_INCONCLUSIVE]);
}
