/* SPDX-License-Identifier: MIT */
#include "sink/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"

void sink_format_keys(struct output *output, const struct sink_context *context,
                      void (*put_key)(struct output *output, const struct sink_context *context,
                                      size_t c))
{
    for (size_t c = 0; c < context->counter_count; c++) {
        struct output *key = output_to_memory(&context->keys[c]);
        if (!key) {
            fail_memory(&output->error, "the names of counters");
            return;
        }
        put_key(key, context, c);
        output_close(key, &output->error);
    }
}

void columns_get(const struct sink_context *context, size_t first, struct columns *columns)
{
    columns->count = min_size(context->counter_count - first, COLUMNS_AT_ONCE);
    for (size_t i = 0; i < columns->count; i++) {
        size_t counter = context->counters[first + i];
        columns->values[i] = tally_program_values(context->program, counter);
        columns->types[i] = context->set->counters[counter].type;
    }
}

const char *sink_device_name(const struct tally_recording_info *info)
{
    const struct tally_sku *sku =
        info->device.platform ? tally_sku_of_device(info->recorded.device_id) : NULL;
    return sku ? sku->title : tally_device_title(&info->device);
}

char *sink_device_title(char text[DEVICE_TEXT_BYTES], const struct tally_recording_info *info)
{
    snprintf(text, DEVICE_TEXT_BYTES, "%s%s", info->modelled ? "modelled " : "",
             sink_device_name(info));
    return text;
}

const char *sink_modelled(const struct tally_recording_info *info)
{
    return info->modelled ? "true" : "false";
}

void context_text(char text[16], const struct tally_recording_info *info, uint32_t context)
{
    if (context != TALLY_CONTEXT_IDLE)
        snprintf(text, 16, "0x%" PRIx32, context);
    else
        strcpy(text, tally_layout_width(info->layout, TALLY_SLOT_CONTEXT) ? "idle" : "none");
}

void statistic_values(const struct tally_statistic *statistic, double values[STATISTIC_COUNT])
{
    enum tally_data_type type = statistic->type;
    const double all[STATISTIC_COUNT] = {
        tally_value_double(statistic->overall, type),
        tally_value_double(statistic->minimum, type),
        statistic->mean,
        tally_value_double(statistic->p50, type),
        tally_value_double(statistic->p95, type),
        tally_value_double(statistic->p99, type),
        tally_value_double(statistic->maximum, type),
    };
    memcpy(values, all, sizeof all);
}

bool statistic_mean_is_maximum(const struct tally_statistic *statistic)
{
    double maximum = (double)statistic->maximum.u;
    return statistic->type == TALLY_UINT64 && statistic->mean >= maximum &&
           statistic->mean <= maximum * (1 + 0x1p-51);
}

const char *group_by_name(enum tally_group_by by)
{
    static const char *const names[] = {"total", "context", "reason", "interval",
                                        "phase", "frame",   "mark"};
    return names[by];
}

void reasons_text(char text[GROUP_TEXT_BYTES], unsigned reasons)
{
    char *to = stpcpy(text, tally_reason_name(reasons));
    for (reasons &= reasons - 1; reasons; reasons &= reasons - 1)
        to = stpcpy(stpcpy(to, "+"), tally_reason_name(reasons));
}

void mark_group_text(char text[GROUP_TEXT_BYTES], const char *const *names, size_t count,
                     uint64_t key)
{
    /* Names of groups that are not marks have parentheses. */
    if (key == TALLY_KEY_CHANGE)
        strcpy(text, "(between)");
    else if (key >= count)
        strcpy(text, "(others)");
    else if (!key)
        strcpy(text, "(none)");
    else
        snprintf(text, GROUP_TEXT_BYTES, "%s", names[key]);
}

void group_text(char text[GROUP_TEXT_BYTES], const struct tally_recording_info *info,
                const struct tally_group *group)
{
    if (group->by == TALLY_BY_MARK) {
        mark_group_text(text, info->marks->names, info->marks->name_count, group->key);
        return;
    }
    if (group->key == TALLY_KEY_OTHERS) {
        strcpy(text, "others");
        return;
    }
    switch (group->by) {
    case TALLY_BY_CONTEXT:
        context_text(text, info, (uint32_t)group->key);
        break;
    case TALLY_BY_REASON:
        reasons_text(text, (unsigned)group->key);
        break;
    case TALLY_BY_PHASE:
        if (group->key == TALLY_KEY_CHANGE)
            strcpy(text, "change");
        else
            snprintf(text, GROUP_TEXT_BYTES, "%" PRIu64, group->key + 1);
        break;
    case TALLY_BY_FRAME:
        snprintf(text, GROUP_TEXT_BYTES, "%" PRIu64, group->key + 1);
        break;
    case TALLY_BY_MARK:
        break; /* above */
    case TALLY_BY_INTERVAL:
        snprintf(text, GROUP_TEXT_BYTES, "%" PRIu64, group->key);
        break;
    case TALLY_BY_NOTHING:
        strcpy(text, "total");
        break;
    }
}

const char *const statistic_columns[STATISTIC_COUNT] = {"overall", "min", "mean", "p50",
                                                        "p95",     "p99", "max"};

static bool clip_range(const struct sink_context *context, uint64_t *start, uint64_t *end)
{
    if (*start > context->to_ticks || *end < context->from_ticks)
        return false;
    *start = max_u64(*start, context->from_ticks);
    *end = min_u64(*end, context->to_ticks);
    return true;
}

bool sink_loss_range(const struct sink_context *context, const struct tally_loss *loss,
                     uint64_t *start, uint64_t *end)
{
    struct tally_recording_totals totals = tally_recording_totals(context->recording);
    *start = loss->gpu_start      ? loss->gpu_start
             : loss->before_index ? totals.last_ticks
                                  : totals.first_ticks;
    *end = max_u64(loss->gpu_end, *start);
    return clip_range(context, start, end);
}

bool sink_pause_range(const struct sink_context *context, const struct tally_pause *pause,
                      uint64_t *start, uint64_t *end)
{
    *start = pause->gpu_start;
    *end = pause->gpu_end;
    return clip_range(context, start, end);
}

const char *pause_name(const struct tally_pause *pause)
{
    return pause->appended ? "continued" : "paused";
}

uint64_t ticks_to_ns(const struct tally_recording_info *info, uint64_t ticks)
{
    return scale_u64(ticks, NS_PER_SECOND, info->recorded.timestamp_hz);
}

bool delta_cpu_ns(const struct sink_context *context, const struct tally_batch *batch, size_t i,
                  uint64_t *start_ns, uint64_t *end_ns)
{
    return !tally_recording_cpu_ns(context->recording, batch->gpu_ticks[i], start_ns) &&
           !tally_recording_cpu_ns(context->recording, batch->gpu_ticks[i + 1], end_ns);
}
