/* SPDX-License-Identifier: MIT */
/* JSON Lines: one object per line; a missing value is null, and its state says why. */
#include "sink/jsonl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sink/checks.h"
#include "sink/comparison.h"
#include "sink/info.h"
#include "sink/json.h"
#include "sink/lists.h"
#include "sink/number.h"
#include "sink/packets.h"
#include "sink/reports.h"
#include "sink/sink.h"

static char *put_bytes(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}

#define PUT(to, literal) put_bytes(to, literal, sizeof(literal) - 1)

static char *put_text(char *to, const char *text)
{
    return put_bytes(to, text, strlen(text));
}

static char *put_value(char *to, union tally_value value, enum tally_data_type type)
{
    if (!tally_value_is_defined(value, type))
        return PUT(to, "null");
    if (type == TALLY_UINT64)
        return put_u64(to, value.u);
    return isfinite(value.f) ? put_double(to, value.f) : PUT(to, "null");
}

static char *put_mean(char *to, const struct tally_statistic *statistic)
{
    if (statistic_mean_is_maximum(statistic))
        return put_u64(to, statistic->maximum.u);
    return put_value(to, (union tally_value){.f = statistic->mean}, TALLY_DOUBLE);
}

void jsonl_header(struct output *output, const struct sink_context *context)
{
    const struct tally_recording_info *info = context->info;
    const struct tally_topology *topology = &info->topology;
    output_text(output, "{\"type\":\"header\",\"tally\":");
    json_text(output, tally_version());
    json_member(output, "file", info->path);
    output_printf(output, ",\"platform\":\"%s\",\"chipset\":\"%s\",\"device\":\"0x%04x\"",
                  tally_device_name(&info->device), info->device.chipset, info->recorded.device_id);
    output_printf(output, ",\"modelled\":%s", sink_modelled(info));
    output_printf(output, ",\"revision\":%u,\"layout\":\"%s/%s\"", info->recorded.revision,
                  info->layout->family, info->layout->name);
    output_printf(output,
                  ",\"timestamp_hz\":%" PRIu64 ",\"gt_min_hz\":%" PRIu32 ",\"gt_max_hz\":%" PRIu32,
                  info->recorded.timestamp_hz, info->recorded.gt_min_hz, info->recorded.gt_max_hz);
    output_printf(output, ",\"slices\":%" PRIu32 ",\"subslices\":%" PRIu32 ",\"eus\":%" PRIu32,
                  topology->slices, topology->subslices, topology->eus);
    json_member(output, "set", context->set->symbol);
    json_member(output, "uuid", context->set->uuid);
    json_member(output, "set_file", context->set->file);
    json_member(output, "recorded_uuid", info->recorded.set_uuid);
    output_text(output, ",\"counters\":{");
    /* Includes counters that this GPU or layout does not have, with their state. */
    for (size_t i = 0; i < context->set->counter_count; i++) {
        const struct tally_counter *counter = &context->set->counters[i];
        output_text(output, i ? "," : "");
        json_text(output, counter->symbol);
        output_text(output, ":{\"name\":");
        json_text(output, counter->name);
        json_member(output, "units", counter->units);
        output_printf(output, ",\"data_type\":\"%s\"",
                      counter->type == TALLY_DOUBLE ? "float" : "uint64");
        output_printf(output, ",\"state\":\"%s\"}",
                      tally_counter_state_name(tally_program_state(context->program, i)));
    }
    output_text(output, "}}\n");
}

/* Writes the symbol of a counter as a key, with the comma before it if needed. */
static void put_key(struct output *output, const struct sink_context *context, size_t c)
{
    output_text(output, c ? "," : "");
    json_text(output, context->set->counters[context->counters[c]].symbol);
    output_text(output, ":");
}

static void put_delta_head(struct output *output, const struct sink_context *context,
                           const struct tally_batch *batch, size_t i)
{
    uint64_t start_ns, end_ns;
    char context_name[16], reasons[GROUP_TEXT_BYTES];
    char *to = output_reserve(output, 1024);
    to = PUT(to, "{\"type\":\"delta\",\"index\":");
    to = put_u64(to, batch->first_index + i);
    if (delta_cpu_ns(context, batch, i, &start_ns, &end_ns)) {
        to = PUT(to, ",\"start_ns\":");
        to = put_u64(to, start_ns);
        to = PUT(to, ",\"end_ns\":");
        to = put_u64(to, end_ns);
    } else {
        to = PUT(to, ",\"start_ns\":null,\"end_ns\":null");
    }
    to = PUT(to, ",\"gpu_start\":");
    to = put_u64(to, batch->gpu_ticks[i]);
    to = PUT(to, ",\"gpu_end\":");
    to = put_u64(to, batch->gpu_ticks[i + 1]);
    to = PUT(to, ",\"context\":\"");
    context_text(context_name, context->info, batch->contexts[i]);
    to = put_text(to, context_name);
    to = PUT(to, "\",\"reason\":\"");
    reasons_text(reasons, batch->reasons[i]);
    to = put_text(to, reasons);
    to = PUT(to, "\",\"end_reason\":\"");
    reasons_text(reasons, batch->reasons[i + 1]);
    to = put_text(to, reasons);
    to = PUT(to, "\",\"state\":\"");
    to = put_text(to, tally_state_name((enum tally_state)batch->states[i]));
    to = PUT(to, "\",\"counters\":{");
    output_keep(output, to);
}

/* Formats the keys once, since they are the same in every line. */
static void begin_deltas(struct output *output, const struct sink_context *context)
{
    jsonl_header(output, context);
    sink_format_keys(output, context, put_key);
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool ok = batch->states[start + i] == TALLY_STATE_OK;
        put_delta_head(output, context, batch, start + i);
        for (size_t first = 0; first < context->counter_count;) {
            struct columns columns;
            columns_get(context, first, &columns);
            for (size_t c = 0; c < columns.count; c++) {
                const struct buffer *key = &context->keys[first + c];
                output_append(output, key->bytes, key->size);
                char *to = output_reserve(output, NUMBER_MAX);
                if (ok && columns.values[c])
                    to = put_value(to, columns.values[c][i], columns.types[c]);
                else
                    to = PUT(to, "null");
                output_keep(output, to);
            }
            first += columns.count;
        }
        output_keep(output, PUT(output_reserve(output, 16), "}}\n"));
    }
}

static void group(struct output *output, const struct sink_context *context,
                  const struct tally_group *group, const struct tally_statistic *statistics)
{
    char key[GROUP_TEXT_BYTES];
    group_text(key, context->info, group);
    output_printf(output, "{\"type\":\"group\",\"by\":\"%s\"", group_by_name(group->by));
    json_member(output, "group", key);
    output_printf(output, ",\"deltas\":%" PRIu64 ",\"lost\":%" PRIu64, group->deltas, group->lost);
    output_printf(output, ",\"gpu_start\":%" PRIu64 ",\"gpu_end\":%" PRIu64, group->first_ticks,
                  group->last_ticks);
    output_printf(output, ",\"duration_ns\":%" PRIu64 ",\"state\":\"%s\",\"counters\":{",
                  ticks_to_ns(context->info, group->ticks), group->deltas ? "ok" : "not counted");
    for (size_t c = 0; c < context->counter_count; c++) {
        const struct tally_statistic *statistic = &statistics[context->counters[c]];
        put_key(output, context, c);
        char *to = output_reserve(output, 7 * NUMBER_MAX + 100);
        if (!group->deltas || !tally_program_values(context->program, context->counters[c])) {
            output_keep(output, PUT(to, "null"));
            continue;
        }
        to = PUT(to, "{\"overall\":");
        to = put_value(to, statistic->overall, statistic->type);
        to = PUT(to, ",\"minimum\":");
        to = put_value(to, statistic->minimum, statistic->type);
        to = PUT(to, ",\"mean\":");
        to = put_mean(to, statistic);
        to = PUT(to, ",\"maximum\":");
        to = put_value(to, statistic->maximum, statistic->type);
        to = PUT(to, ",\"p50\":");
        to = put_value(to, statistic->p50, statistic->type);
        to = PUT(to, ",\"p95\":");
        to = put_value(to, statistic->p95, statistic->type);
        to = PUT(to, ",\"p99\":");
        to = put_value(to, statistic->p99, statistic->type);
        output_keep(output, PUT(to, "}"));
    }
    output_text(output, "}}\n");
}

static void put_optional(struct output *output, const char *key, uint64_t value)
{
    if (value)
        output_printf(output, ",\"%s\":%" PRIu64, key, value);
    else
        output_printf(output, ",\"%s\":null", key);
}

static void put_loss(struct output *output, const struct tally_loss *loss)
{
    output_printf(output, "{\"type\":\"loss\",\"reason\":\"%s\",\"records\":%" PRIu64,
                  tally_loss_kind_name(loss->kind), loss->records);
    if (loss->before_index)
        output_printf(output, ",\"after_report\":%" PRIu64, loss->before_index - 1);
    else
        output_text(output, ",\"after_report\":null");
    output_printf(output, ",\"offset\":%" PRIu64, loss->offset);
    put_optional(output, "gpu_start", loss->gpu_start);
    put_optional(output, "gpu_end", loss->gpu_end);
    put_optional(output, "estimated_reports", loss->estimated);
    output_printf(output, ",\"exact\":%s", loss->exact ? "true" : "false");
    if (loss->clock) /* of an NVIDIA GPU: index + 1 among those of SIGNALS */
        output_printf(output, ",\"clock\":%" PRIu32, loss->clock);
    output_text(output, "}\n");
}

static void put_pause(struct output *output, const struct tally_pause *pause)
{
    output_printf(output,
                  "{\"type\":\"pause\",\"reason\":\"%s\",\"after_report\":%" PRIu64
                  ",\"gpu_start\":%" PRIu64 ",\"gpu_end\":%" PRIu64 "}\n",
                  pause_name(pause), pause->before_index - 1, pause->gpu_start, pause->gpu_end);
}

void jsonl_ledger(struct output *output, const struct sink_context *context)
{
    const struct tally_pause *pauses;
    size_t pause_count = tally_recording_pauses(context->recording, &pauses);
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(context->recording, &losses);
    for (size_t i = 0; i < count; i++)
        put_loss(output, &losses[i]);
    for (size_t i = 0; i < pause_count; i++)
        put_pause(output, &pauses[i]);
}

void jsonl_totals(struct output *output, const struct sink_context *context)
{
    struct tally_recording_totals totals = tally_recording_totals(context->recording);
    output_printf(output, "{\"type\":\"end\",\"reports\":%" PRIu64 ",\"lost\":%" PRIu64,
                  totals.reports, totals.losses);
    output_printf(output, ",\"missing_reports\":%" PRIu64, totals.missing);
    output_printf(output, ",\"lost_deltas\":%" PRIu64, totals.lost_deltas);
    output_printf(output,
                  ",\"pauses\":%" PRIu64 ",\"paused_ns\":%" PRIu64 ",\"error\":", totals.pauses,
                  ticks_to_ns(context->info, totals.paused_ticks));
    if (context->fault)
        json_text(output, context->fault);
    else
        output_text(output, "null");
    output_text(output, "}\n");
}

static void end(struct output *output, const struct sink_context *context)
{
    jsonl_ledger(output, context);
    jsonl_totals(output, context);
}

const struct sink sink_jsonl = {
    .name = "jsonl",
    .title = "JSON Lines",
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .begin_groups = jsonl_header,
    .group = group,
    .end = end,
    .reports = &jsonl_reports,
    .packets = &jsonl_packets,
    .info = &jsonl_info,
    .lists = &jsonl_lists,
    .comparison = jsonl_comparison,
    .checks = jsonl_checks,
};
