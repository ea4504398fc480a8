/* SPDX-License-Identifier: MIT */
/* Comma-separated values (RFC 4180): one row per delta, or per group and counter. */
#include "sink/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sink/checks.h"
#include "sink/comparison.h"
#include "sink/lists.h"
#include "sink/number.h"
#include "sink/packets.h"
#include "sink/reports.h"
#include "sink/sink.h"

static char *put_text(char *to, const char *text)
{
    size_t size = strlen(text);
    memcpy(to, text, size);
    return to + size;
}

void csv_text(struct output *output, const char *text)
{
    bool quoted = strpbrk(text, ",\"") != NULL;
    output_text(output, quoted ? "\"" : "");
    if (output->csv_safe && *text && strchr("=+-@", *text))
        output_text(output, "'");
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        output_printf(output, "%.*s\"\"", (int)(quote - text), text);
    }
    output_escaped(output, text);
    output_text(output, quoted ? "\"" : "");
}

void csv_number(struct output *output, double value)
{
    if (isfinite(value))
        output_keep(output, put_double(output_reserve(output, NUMBER_MAX), value));
}

static char *put_value(char *to, union tally_value value, enum tally_data_type type)
{
    if (!tally_value_is_defined(value, type))
        return to; /* empty */
    return type == TALLY_DOUBLE ? put_double(to, value.f) : put_u64(to, value.u);
}

static char *put_mean(char *to, const struct tally_statistic *statistic)
{
    if (statistic_mean_is_maximum(statistic))
        return put_u64(to, statistic->maximum.u);
    return put_value(to, (union tally_value){.f = statistic->mean}, TALLY_DOUBLE);
}

static void begin_deltas(struct output *output, const struct sink_context *context)
{
    output_text(output, "index,start_ns,end_ns,gpu_start,gpu_end,context,reason,state,modelled");
    for (size_t i = 0; i < context->counter_count; i++) {
        const struct tally_counter *counter = &context->set->counters[context->counters[i]];
        char name[512];
        snprintf(name, sizeof name, "%s [%s]", counter->symbol, counter->units);
        output_text(output, ",");
        csv_text(output, context->units && *counter->units ? name : counter->symbol);
    }
    output_text(output, "\r\n");
}

static char *put_delta_head(char *to, const struct sink_context *context,
                            const struct tally_batch *batch, size_t i)
{
    uint64_t start_ns, end_ns;
    char context_name[16], reasons[GROUP_TEXT_BYTES];
    to = put_u64(to, batch->first_index + i);
    *to++ = ',';
    if (delta_cpu_ns(context, batch, i, &start_ns, &end_ns)) {
        to = put_u64(to, start_ns);
        *to++ = ',';
        to = put_u64(to, end_ns);
    } else {
        *to++ = ',';
    }
    *to++ = ',';
    to = put_u64(to, batch->gpu_ticks[i]);
    *to++ = ',';
    to = put_u64(to, batch->gpu_ticks[i + 1]);
    *to++ = ',';
    context_text(context_name, context->info, batch->contexts[i]);
    to = put_text(to, context_name);
    *to++ = ',';
    reasons_text(reasons, batch->reasons[i]);
    to = put_text(to, reasons);
    *to++ = ',';
    to = put_text(to, tally_state_name((enum tally_state)batch->states[i]));
    *to++ = ',';
    return put_text(to, sink_modelled(context->info));
}

/* Writes the values of delta `i` in these columns. */
static void put_columns(struct output *output, const struct columns *columns, size_t i, bool ok)
{
    char *to = output_reserve(output, COLUMNS_AT_ONCE * (NUMBER_MAX + 1));
    for (size_t c = 0; c < columns->count; c++) {
        *to++ = ',';
        if (ok && columns->values[c])
            to = put_value(to, columns->values[c][i], columns->types[c]);
    }
    output_keep(output, to);
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    struct columns columns;
    columns_get(context, 0, &columns);
    for (size_t i = 0; i < count; i++) {
        char *to = output_reserve(output, 512);
        bool ok = batch->states[start + i] == TALLY_STATE_OK;
        output_keep(output, put_delta_head(to, context, batch, start + i));
        put_columns(output, &columns, i, ok);
        for (size_t first = columns.count; first < context->counter_count;) {
            struct columns more; /* sets with more than COLUMNS_AT_ONCE counters */
            columns_get(context, first, &more);
            put_columns(output, &more, i, ok);
            first += more.count;
        }
        to = output_reserve(output, 2);
        *to++ = '\r';
        *to++ = '\n';
        output_keep(output, to);
    }
}

static void begin_groups(struct output *output, const struct sink_context *context)
{
    (void)context;
    output_text(output,
                "by,group,deltas,lost,gpu_start,gpu_end,duration_ns,modelled,counter,units,overall,"
                "minimum,mean,maximum,p50,p95,p99\r\n");
}

static void group(struct output *output, const struct sink_context *context,
                  const struct tally_group *group, const struct tally_statistic *statistics)
{
    char key[GROUP_TEXT_BYTES];
    group_text(key, context->info, group);
    for (size_t i = 0; i < context->counter_count; i++) {
        const struct tally_counter *counter = &context->set->counters[context->counters[i]];
        const struct tally_statistic *statistic = &statistics[context->counters[i]];
        output_printf(output, "%s,", group_by_name(group->by));
        csv_text(output, key);
        output_printf(output, ",%llu,%llu,%llu,%llu,%llu,%s,", (unsigned long long)group->deltas,
                      (unsigned long long)group->lost, (unsigned long long)group->first_ticks,
                      (unsigned long long)group->last_ticks,
                      (unsigned long long)ticks_to_ns(context->info, group->ticks),
                      sink_modelled(context->info));
        csv_text(output, counter->symbol);
        output_text(output, ",");
        csv_text(output, counter->units);
        char *to = output_reserve(output, 7 * NUMBER_MAX + 16);
        *to++ = ',';
        if (group->deltas) {
            to = put_value(to, statistic->overall, statistic->type);
            *to++ = ',';
            to = put_value(to, statistic->minimum, statistic->type);
            *to++ = ',';
            to = put_mean(to, statistic);
            *to++ = ',';
            to = put_value(to, statistic->maximum, statistic->type);
            *to++ = ',';
            to = put_value(to, statistic->p50, statistic->type);
            *to++ = ',';
            to = put_value(to, statistic->p95, statistic->type);
            *to++ = ',';
            to = put_value(to, statistic->p99, statistic->type);
        } else {
            to = put_text(to, ",,,,,,");
        }
        output_keep(output, put_text(to, "\r\n"));
    }
}

const struct sink sink_csv = {
    .name = "csv",
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .begin_groups = begin_groups,
    .group = group,
    .reports = &csv_reports,
    .packets = &csv_packets,
    .lists = &csv_lists,
    .comparison = csv_comparison,
    .checks = csv_checks,
};
