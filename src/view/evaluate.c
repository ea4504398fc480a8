/* SPDX-License-Identifier: MIT */
#include "view/evaluate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/ratio.h"
#include "metrics/amounts.h"
#include "metrics/phases.h"
#include "pipeline/pipeline.h"
#include "sink/sink.h"

/* Consecutive deltas of one context and section. */
struct stay {
    uint64_t gpu_start, gpu_end;
    uint32_t context;
    uint64_t section; /* key of a group of TALLY_BY_MARK */
};

struct evaluator {
    struct evaluator_settings settings;
    struct tally_pipeline *pipeline;
    bool described;
    const size_t *counters;
    size_t counter_count;
    uint64_t timestamp_hz;
    bool has_base; /* the start of the first sample, from which on ticks are converted */
    uint64_t base_ticks, base_ns;

    struct stay *stays; /* that are not in a sample yet, by time */
    size_t stay_count, stay_capacity;
    bool out_of_memory;
};

/* ---- the info -------------------------------------------------------------------------------- */

static bool copy_counter(struct view_counter *to, const struct tally_counter *from)
{
    to->is_rate = counter_is_number(from);
    to->symbol = strdup(from->symbol);
    to->name = strdup(*from->name ? from->name : from->symbol);
    to->description = strdup(from->description);
    to->units = strdup(from->units);
    to->group = strdup(from->group);
    return to->symbol && to->name && to->description && to->units && to->group;
}

static struct view_device_info *describe(const struct evaluator *evaluator)
{
    const struct tally_pipeline *pipeline = evaluator->pipeline;
    const struct tally_metric_set *set = tally_pipeline_set(pipeline);
    const struct tally_recording_info *from =
        tally_recording_info(tally_pipeline_recording(pipeline));
    struct view_device_info *info = calloc(1, sizeof *info);
    char title[DEVICE_TEXT_BYTES];
    if (!info)
        return NULL;
    *info = (struct view_device_info){
        .name = strdup(evaluator->settings.name),
        .title = strdup(sink_device_title(title, from)),
        .set = strdup(set->symbol),
        .modelled = from->modelled,
        .is_recorded = evaluator->settings.is_recorded,
        .has_rc6 = from->device.platform != NULL,
        .has_contexts = tally_layout_width(from->layout, TALLY_SLOT_CONTEXT) != 0,
        .has_marks = evaluator->settings.marks != NULL,
        .period_ns = scale_u64(from->period_ticks, NS_PER_SECOND, from->recorded.timestamp_hz),
        .interval_ns = evaluator->settings.options->interval_ns,
        .min_hz = from->recorded.gt_min_hz,
        .max_hz = from->recorded.gt_max_hz,
        .counters = calloc(evaluator->counter_count + 1, sizeof *info->counters),
    };
    bool complete = info->name && info->title && info->set && info->counters;
    for (size_t i = 0; complete && i < evaluator->counter_count; i++) {
        info->counter_count++;
        complete = copy_counter(&info->counters[i], &set->counters[evaluator->counters[i]]);
    }
    if (complete)
        return info;
    view_device_info_free(info);
    return NULL;
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void add_stay(struct evaluator *evaluator, struct stay stay)
{
    struct stay *last = evaluator->stay_count ? &evaluator->stays[evaluator->stay_count - 1] : NULL;
    if (last && last->context == stay.context && last->section == stay.section &&
        last->gpu_end == stay.gpu_start) {
        last->gpu_end = stay.gpu_end;
        return;
    }
    struct stay *stays = array_grow(evaluator->stays, &evaluator->stay_capacity,
                                    evaluator->stay_count, sizeof *stays);
    if (!stays) {
        evaluator->out_of_memory = true;
        return;
    }
    evaluator->stays = stays;
    stays[evaluator->stay_count++] = stay;
}

static void take_batch(void *closure, const struct tally_batch *batch)
{
    struct evaluator *evaluator = closure;
    struct phase_clock clock =
        phase_clock_of(NULL, evaluator->settings.marks, evaluator->timestamp_hz);
    for (size_t i = 0; i + 1 < batch->count; i++) {
        uint64_t from = batch->gpu_ticks[i], to = batch->gpu_ticks[i + 1];
        if (batch->states[i] == TALLY_STATE_OK)
            add_stay(evaluator,
                     (struct stay){from, to, batch->contexts[i],
                                   clock.marks ? phase_clock_section(&clock, from, to) : 0});
    }
}

static void add_section(const struct evaluator *evaluator, struct view_sample *sample, uint64_t key,
                        double ticks)
{
    const struct tally_recorded_marks *marks = evaluator->settings.marks;
    char name[GROUP_TEXT_BYTES];
    size_t i = 0;
    if (!marks)
        return;
    mark_group_text(name, marks->names, marks->name_count, key);
    while (i < sample->section_count && strcmp(sample->sections[i].name, name) != 0)
        i++;
    if (i == VIEW_SECTIONS) {
        i--;
        strcpy(sample->sections[i].name, "(others)");
    } else if (i == sample->section_count) {
        sample->section_count++;
        snprintf(sample->sections[i].name, sizeof sample->sections[i].name, "%s", name);
    }
    sample->sections[i].share += ticks;
}

static int compare_sections(const void *left, const void *right)
{
    const struct view_section *a = left, *b = right;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void add_context(struct view_sample *sample, uint32_t id, double ticks)
{
    for (size_t i = 0; i < sample->context_count; i++) {
        if (sample->contexts[i].id == id ||
            (i == VIEW_CONTEXTS - 1 && sample->contexts[i].id == VIEW_OTHERS)) {
            sample->contexts[i].share += ticks;
            return;
        }
    }
    bool last = sample->context_count == VIEW_CONTEXTS - 1;
    sample->contexts[sample->context_count++] =
        (struct view_context){last ? VIEW_OTHERS : id, ticks};
}

static int compare_shares(const void *left, const void *right)
{
    const struct view_context *a = left, *b = right;
    if (a->share != b->share)
        return a->share < b->share ? 1 : -1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Adds the contexts and sections before `gpu_end` to a sample, and forgets them. */
static void take_contexts(struct evaluator *evaluator, uint64_t gpu_end, struct view_sample *sample)
{
    size_t kept = 0;
    double total = 0;
    for (size_t i = 0; i < evaluator->stay_count; i++) {
        struct stay stay = evaluator->stays[i];
        uint64_t end = stay.gpu_end < gpu_end ? stay.gpu_end : gpu_end;
        if (end > stay.gpu_start) {
            add_context(sample, stay.context, (double)(end - stay.gpu_start));
            add_section(evaluator, sample, stay.section, (double)(end - stay.gpu_start));
            total += (double)(end - stay.gpu_start);
            stay.gpu_start = end;
        }
        if (stay.gpu_end > stay.gpu_start)
            evaluator->stays[kept++] = stay;
    }
    evaluator->stay_count = kept;
    for (size_t i = 0; i < sample->context_count; i++)
        sample->contexts[i].share /= total;
    qsort(sample->contexts, sample->context_count, sizeof sample->contexts[0], compare_shares);
    for (size_t i = 0; i < sample->section_count; i++)
        sample->sections[i].share /= total;
    qsort(sample->sections, sample->section_count, sizeof sample->sections[0], compare_sections);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The end of a sample is the start of the next one, also when it is rounded. */
static uint64_t ns_of(const struct evaluator *evaluator, uint64_t ticks)
{
    return evaluator->base_ns +
           scale_u64(ticks - evaluator->base_ticks, NS_PER_SECOND, evaluator->timestamp_hz);
}

static struct view_sample *make_sample(struct evaluator *evaluator, const struct tally_sample *from)
{
    size_t count = evaluator->counter_count;
    struct view_sample *sample = calloc(1, sizeof *sample + count * sizeof sample->values[0]);
    if (!sample)
        return NULL;
    struct tally_recording_totals totals = evaluator_totals(evaluator);
    if (!evaluator->has_base) {
        evaluator->has_base = true;
        evaluator->base_ticks = from->gpu_start;
        evaluator->base_ns = evaluator->settings.origin_ns + from->start_ns;
    }
    *sample = (struct view_sample){
        .start_ns = ns_of(evaluator, from->gpu_start),
        .end_ns = ns_of(evaluator, from->gpu_end),
        .evaluated_ns = from->has_values ? from->duration_ns : 0,
        .has_values = from->has_values,
        .deltas = from->deltas,
        .lost = from->lost,
        .rc6 = (double)NAN,
        .reports = totals.reports,
        .missing = totals.missing,
        .value_count = count,
    };
    for (size_t i = 0; i < count; i++)
        sample->values[i] =
            from->has_values ? tally_sample_value(from, evaluator->counters[i]) : (double)NAN;
    take_contexts(evaluator, from->gpu_end, sample);
    return sample;
}

/* Called when the pipeline knows its set: reports that to the view. */
static int begin(struct evaluator *evaluator, struct tally_error *error)
{
    const struct tally_recording_info *info =
        tally_recording_info(tally_pipeline_recording(evaluator->pipeline));
    evaluator->described = true;
    evaluator->timestamp_hz = info->recorded.timestamp_hz;
    evaluator->counter_count = tally_pipeline_counters(evaluator->pipeline, &evaluator->counters);
    struct view_device_info *made = describe(evaluator);
    if (!made)
        return fail_memory(error, "a view");
    evaluator->settings.on_info(evaluator->settings.closure, made);
    return 0;
}

static int deliver(struct evaluator *evaluator, struct tally_error *error)
{
    const struct tally_sample *from;
    struct tally_error waiting; /* -EAGAIN has a message, too */
    int result;
    do {
        result = tally_pipeline_next(evaluator->pipeline, &from, &waiting);
        if (!evaluator->described && result != -EAGAIN && tally_pipeline_set(evaluator->pipeline) &&
            begin(evaluator, error) < 0)
            return -ENOMEM;
        struct view_sample *sample = result > 0 ? make_sample(evaluator, from) : NULL;
        if (evaluator->out_of_memory || (result > 0 && !sample)) {
            free(sample);
            return fail_memory(error, "a sample");
        }
        if (sample)
            evaluator->settings.on_sample(evaluator->settings.closure, sample);
    } while (result > 0);
    if (result < 0 && result != -EAGAIN)
        *error = waiting;
    return result == -EAGAIN ? 0 : result;
}

int evaluator_feed(struct evaluator *evaluator, const void *bytes, size_t size,
                   struct tally_error *error)
{
    if (tally_pipeline_feed(evaluator->pipeline, bytes, size) < 0)
        return fail_memory(error, "reports");
    return deliver(evaluator, error);
}

struct tally_recording_totals evaluator_totals(const struct evaluator *evaluator)
{
    return tally_recording_totals(tally_pipeline_recording(evaluator->pipeline));
}

int evaluator_new(const struct evaluator_settings *settings, struct evaluator **out,
                  struct tally_error *error)
{
    struct evaluator *evaluator = calloc(1, sizeof *evaluator);
    if (!evaluator)
        return fail_memory(error, "a view");
    evaluator->settings = *settings;
    int result =
        tally_pipeline_open_fed(settings->name, settings->options, &evaluator->pipeline, error);
    if (result < 0) {
        free(evaluator);
        return result;
    }
    evaluator->pipeline->on_batch = take_batch;
    evaluator->pipeline->batch_closure = evaluator;
    *out = evaluator;
    return 0;
}

void evaluator_free(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    tally_pipeline_close(evaluator->pipeline);
    free(evaluator->stays);
    free(evaluator);
}
