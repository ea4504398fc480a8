/* SPDX-License-Identifier: MIT */
/* The view without a screen: JSON Lines, and one sample as text. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "sink/json.h"
#include "sink/number.h"
#include "view/draw.h"
#include "view/loop.h"

/* ---- JSON Lines ------------------------------------------------------------------------------ */

static void put_number(struct output *output, double value)
{
    if (isfinite(value))
        output_keep(output, put_double(output_reserve(output, NUMBER_MAX), value));
    else
        output_text(output, "null");
}

static void put_contexts(struct output *output, const struct view_sample *sample)
{
    output_text(output, ",\"contexts\":[");
    for (size_t i = 0; i < sample->context_count; i++) {
        const struct view_context *context = &sample->contexts[i];
        char name[16];
        output_printf(output, "%s{\"context\":\"%s\",\"share\":", i ? "," : "",
                      draw_context_name(name, context->id));
        put_number(output, context->share);
        output_text(output, "}");
    }
    output_text(output, "]");
}

static void put_sections(struct output *output, const struct view_sample *sample)
{
    output_text(output, ",\"sections\":[");
    for (size_t i = 0; i < sample->section_count; i++) {
        output_text(output, i ? ",{\"section\":" : "{\"section\":");
        json_text(output, sample->sections[i].name);
        output_text(output, ",\"share\":");
        put_number(output, sample->sections[i].share);
        output_text(output, "}");
    }
    output_text(output, "]");
}

static void put_clients(struct output *output, const struct view_sample *sample)
{
    output_text(output, ",\"processes\":[");
    for (size_t i = 0; i < sample->client_count; i++) {
        output_printf(output, "%s{\"pid\":%d,\"name\":", i ? "," : "", sample->clients[i].pid);
        json_text(output, sample->clients[i].name);
        output_text(output, ",\"share\":");
        put_number(output, sample->clients[i].share);
        output_text(output, "}");
    }
    output_text(output, "]");
}

/* Writes a sample as an object: its counters as the metric set defines them, over the interval. */
static void put_object(struct output *output, const struct view_device_info *info,
                       const struct view_sample *sample)
{
    output_text(output, "{\"type\":\"sample\",\"device\":");
    json_text(output, info->name);
    json_member(output, "title", info->title);
    json_member(output, "set", info->set);
    output_printf(output,
                  ",\"modelled\":%s,\"start_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64
                  ",\"deltas\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"reports\":%" PRIu64
                  ",\"missing\":%" PRIu64 ",\"rc6\":",
                  info->modelled ? "true" : "false", sample->start_ns, sample->end_ns,
                  sample->deltas, sample->lost, sample->reports, sample->missing);
    put_number(output, sample->rc6);
    if (info->has_contexts)
        put_contexts(output, sample);
    if (info->has_marks)
        put_sections(output, sample);
    if (sample->client_count)
        put_clients(output, sample);
    output_text(output, ",\"counters\":{");
    for (size_t i = 0; i < info->counter_count; i++) {
        output_text(output, i ? "," : "");
        json_text(output, info->counters[i].symbol);
        output_text(output, ":");
        put_number(output, sample->values[i]);
    }
    output_text(output, "}}\n");
    output_flush(output);
}

static bool put_sample(void *closure, size_t device, const struct view_sample *sample)
{
    struct loop *loop = closure;
    const struct view_device_info *info = loop->model.devices[device].info;
    if (info && info->counter_count == sample->value_count)
        put_object(loop->settings->output, info, sample);
    return !loop->settings->output->error.code;
}

int top_run_lines(const struct top_settings *settings, struct top_result *result,
                  struct tally_error *error)
{
    struct loop loop;
    int code = loop_start(&loop, settings, result, error);
    while (code == 0 && loop_wait(&loop, false, -1, put_sample, &loop))
        continue;
    loop_end(&loop);
    return code;
}

/* ---- one sample ------------------------------------------------------------------------------ */

static void put_line(struct output *output, const char *label, const char *text)
{
    output_printf(output, "  %-10s %s\n", label, text);
}

static void put_text(struct output *output, const struct model_device *device)
{
    const struct view_device_info *info = device->info;
    const struct view_sample *sample = history_at(&device->history, device->history.count - 1);
    char text[400];
    output_printf(output, "%s  %s  %s\n", info->title, info->name, info->set);
    for (unsigned i = 0; i < FIGURES; i++) {
        const struct figure_ref figure = {info, (enum figure)i};
        if (i == FIGURE_RC6 && !info->has_rc6)
            continue;
        figure_text(text, sizeof text, &figure, sample);
        put_line(output, figure_label(&figure), text);
    }
    if (info->has_contexts) {
        draw_contexts_text(text, sizeof text, sample);
        put_line(output, "Contexts", *text ? text : "-");
    }
    if (info->has_marks) {
        draw_sections_text(text, sizeof text, sample);
        put_line(output, "Marks", *text ? text : "-");
    }
    if (sample->client_count) {
        draw_clients_text(text, sizeof text, sample);
        put_line(output, "Processes", text);
    }
    snprintf(text, sizeof text,
             "%" PRIu64 " of %" PRIu64 " reports missing, %" PRIu64 " deltas without values",
             sample->missing, sample->reports + sample->missing, sample->lost);
    put_line(output, "Losses", text);
    for (size_t i = 0; i < info->counter_count; i++) {
        const struct counter_ref counter = {info, i};
        counter_sample_text(text, sizeof text, &counter, sample);
        output_printf(output, "    %-32s %16s\n", info->counters[i].symbol, text);
    }
}

/* Ends a device after its first sample. */
static bool stop_device(void *closure, size_t device, const struct view_sample *sample)
{
    struct loop *loop = closure;
    (void)sample;
    view_source_stop(loop->sources[device]);
    return true;
}

/* Notes that a device has no sample, unless another error has ended it. */
static void note_missing(const struct loop *loop, const struct model_device *device)
{
    struct top_result *result = loop->result;
    if (!device->error.code)
        fail(&result->errors[result->error_count++], -ENODATA,
             "%s: no sample: there are fewer than two reports", device->name);
}

/* Writes the first samples. */
static void put_first_samples(const struct loop *loop)
{
    size_t count = 0;
    for (size_t i = 0; i < loop->model.device_count; i++) {
        const struct model_device *device = &loop->model.devices[i];
        if (!device->info || !device->history.count) {
            note_missing(loop, device);
            continue;
        }
        if (count++)
            output_text(loop->settings->output, "\n");
        put_text(loop->settings->output, device);
    }
}

int top_run_once(const struct top_settings *settings, struct top_result *result,
                 struct tally_error *error)
{
    struct loop loop;
    int code = loop_start(&loop, settings, result, error);
    while (code == 0 && loop_wait(&loop, false, -1, stop_device, &loop))
        continue;
    if (code == 0)
        put_first_samples(&loop);
    loop_end(&loop);
    return code;
}
