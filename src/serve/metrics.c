/* SPDX-License-Identifier: MIT */
/* Time series: OpenMetrics 1.0, and the text format of Prometheus. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "serve/serve.h"
#include "sink/number.h"

struct exposition {
    struct buffer *to;
    bool open_metrics;
};

/* Label values and help texts: backslash, quote and line feed are escaped. */
static void add_text(struct buffer *to, const char *text)
{
    struct buffer clean = {0};
    escape_put(&clean, text, SIZE_MAX);
    for (size_t i = 0; i < clean.size; i++) {
        if (clean.bytes[i] == '\\' || clean.bytes[i] == '"')
            buffer_char(to, '\\');
        buffer_char(to, clean.bytes[i]);
    }
    buffer_fini(&clean);
}

static void add_help(struct buffer *to, const char *text)
{
    for (; *text; text++)
        if (*text == '\\')
            buffer_text(to, "\\\\");
        else
            buffer_char(to, *text == '\n' ? ' ' : *text);
}

/* Begins a family. In OpenMetrics a counter's family lacks the _total of its samples. */
static void add_family(const struct exposition *exposition, const char *name, const char *unit,
                       bool is_total, const char *help, const char *more)
{
    struct buffer *to = exposition->to;
    const char *suffix = is_total && !exposition->open_metrics ? "_total" : "";
    buffer_printf(to, "# TYPE %s%s %s\n", name, suffix, is_total ? "counter" : "gauge");
    if (unit && exposition->open_metrics)
        buffer_printf(to, "# UNIT %s %s\n", name, unit);
    buffer_printf(to, "# HELP %s%s ", name, suffix);
    add_help(to, help);
    if (*more) {
        buffer_text(to, ": ");
        add_help(to, more);
    }
    buffer_char(to, '\n');
}

static void begin_sample(const struct exposition *exposition, const char *name, bool is_total,
                         const struct serve_device *device)
{
    buffer_printf(exposition->to, "%s%s{device=\"", name, is_total ? "_total" : "");
    add_text(exposition->to, device->name);
    buffer_char(exposition->to, '"');
}

static void end_sample(const struct exposition *exposition, double value)
{
    char text[NUMBER_MAX];
    buffer_text(exposition->to, "} ");
    buffer_append(exposition->to, text, (size_t)(put_double(text, value) - text));
    buffer_char(exposition->to, '\n');
}

/* ---- the devices' own series
 * ----------------------------------------------------------------------- */

static double is_counting(const struct serve_now *now)
{
    return now->state == SERVE_COUNTING;
}

static double is_recording(const struct serve_now *now)
{
    return *now->file != 0;
}

static double started_s(const struct serve_now *now)
{
    return now->started_ms ? (double)now->started_ms * 1e-3 : (double)NAN;
}

static double age_s(const struct serve_now *now)
{
    return now->sampled_ns ? (double)(clock_ns(CLOCK_MONOTONIC) - now->sampled_ns) * 1e-9
                           : (double)NAN;
}

static double reports(const struct serve_now *now)
{
    return (double)now->reports;
}

static double missing(const struct serve_now *now)
{
    return (double)now->missing;
}

static double lost_deltas(const struct serve_now *now)
{
    return (double)now->lost_deltas;
}

static const struct {
    const char *name, *unit, *help;
    bool is_total;
    double (*value)(const struct serve_now *now);
} own[] = {
    {"tally_counting", NULL, "whether the device is counted", false, is_counting},
    {"tally_recording", NULL, "whether a recording is written", false, is_recording},
    {"tally_session_start_timestamp_seconds", "seconds",
     "when counting began, and with it the totals, in seconds since 1970", false, started_s},
    {"tally_sample_age_seconds", "seconds", "time since the latest report was read", false, age_s},
    {"tally_reports", NULL, "reports read", true, reports},
    {"tally_missing_reports", NULL, "reports that were lost", true, missing},
    {"tally_lost_deltas", NULL, "pairs of consecutive reports without values", true, lost_deltas},
};

static void add_own(const struct exposition *exposition, struct serve *serve)
{
    for (size_t row = 0; row < sizeof own / sizeof *own; row++) {
        add_family(exposition, own[row].name, own[row].unit, own[row].is_total, own[row].help, "");
        for (size_t i = 0; i < serve->device_count; i++) {
            struct serve_device *device = &serve->devices[i];
            pthread_mutex_lock(&device->lock);
            double value = own[row].value(&device->now);
            pthread_mutex_unlock(&device->lock);
            if (isnan(value))
                continue;
            begin_sample(exposition, own[row].name, own[row].is_total, device);
            end_sample(exposition, value);
        }
    }
}

static void add_losses(const struct exposition *exposition, struct serve *serve)
{
    add_family(exposition, "tally_losses", NULL, true, "entries of the loss ledger by reason", "");
    for (size_t i = 0; i < serve->device_count; i++) {
        struct serve_device *device = &serve->devices[i];
        pthread_mutex_lock(&device->lock);
        for (unsigned kind = 0; kind < SERVE_LOSS_KINDS; kind++) {
            if (!device->now.losses[kind])
                continue;
            begin_sample(exposition, "tally_losses", true, device);
            buffer_printf(exposition->to, ",reason=\"%s\"",
                          tally_loss_kind_name((enum tally_loss_kind)kind));
            end_sample(exposition, (double)device->now.losses[kind]);
        }
        pthread_mutex_unlock(&device->lock);
    }
}

static void add_info(const struct exposition *exposition, struct serve *serve)
{
    add_family(exposition, "tally_gpu_info", NULL, false, "the device, and what is counted", "");
    for (size_t i = 0; i < serve->device_count; i++) {
        struct serve_device *device = &serve->devices[i];
        pthread_mutex_lock(&device->lock);
        begin_sample(exposition, "tally_gpu_info", false, device);
        buffer_text(exposition->to, ",title=\"");
        add_text(exposition->to, device->now.title);
        buffer_text(exposition->to, "\",metric_set=\"");
        add_text(exposition->to, device->now.set);
        buffer_printf(exposition->to, "\",modelled=\"%s\"",
                      device->now.modelled ? "true" : "false");
        end_sample(exposition, 1);
        pthread_mutex_unlock(&device->lock);
    }
}

/* ---- counters
 * -------------------------------------------------------------------------------------- */

/* Returns whether an earlier counter, of the same or an earlier device, has this series. */
static bool is_known(struct serve *serve, size_t device, size_t counter)
{
    const char *series = serve->devices[device].counters[counter].series;
    for (size_t d = 0; d <= device; d++)
        for (size_t c = 0; c < (d < device ? serve->devices[d].counter_count : counter); c++)
            if (!strcmp(serve->devices[d].counters[c].series, series))
                return true;
    return false;
}

static void add_counter(const struct exposition *exposition, struct serve *serve, size_t first,
                        const struct serve_counter *family)
{
    const char *unit = strrchr(family->series, '_') + 1;
    bool has_unit = strcmp(family->units, "number") != 0;
    add_family(exposition, family->series, has_unit ? unit : NULL, family->is_total, family->name,
               family->description);
    for (size_t d = first; d < serve->device_count; d++) {
        const struct serve_device *device = &serve->devices[d];
        for (size_t c = 0; c < device->counter_count; c++) {
            const struct serve_counter *counter = &device->counters[c];
            double value = counter->is_total ? counter->overall : counter->value;
            if (strcmp(counter->series, family->series) != 0 || !isfinite(value))
                continue;
            begin_sample(exposition, counter->series, counter->is_total, device);
            end_sample(exposition, value * counter->scale);
            break;
        }
    }
}

void serve_put_series(struct buffer *to, bool open_metrics, const struct serve_series *series,
                      size_t count)
{
    const struct exposition exposition = {to, open_metrics};
    char text[NUMBER_MAX];
    for (size_t i = 0; i < count; i++) {
        const struct serve_series *row = &series[i];
        if (!i || strcmp(row->name, series[i - 1].name) != 0)
            add_family(&exposition, row->name, NULL, row->is_total, row->help, "");
        buffer_printf(to, "%s%s", row->name, row->is_total ? "_total" : "");
        if (row->reason)
            buffer_printf(to, "{reason=\"%s\"}", row->reason);
        buffer_char(to, ' ');
        buffer_append(to, text, (size_t)(put_double(text, row->value) - text));
        buffer_char(to, '\n');
    }
}

void serve_metrics(struct serve *serve, bool open_metrics, struct buffer *to)
{
    const struct exposition exposition = {to, open_metrics};
    add_info(&exposition, serve);
    add_own(&exposition, serve);
    add_losses(&exposition, serve);
    /* All locks, in order: families have the samples of all devices. */
    for (size_t d = 0; d < serve->device_count; d++)
        pthread_mutex_lock(&serve->devices[d].lock);
    for (size_t d = 0; d < serve->device_count; d++)
        for (size_t c = 0; c < serve->devices[d].counter_count; c++)
            if (!is_known(serve, d, c))
                add_counter(&exposition, serve, d, &serve->devices[d].counters[c]);
    for (size_t d = serve->device_count; d; d--)
        pthread_mutex_unlock(&serve->devices[d - 1].lock);
    if (serve->put_series)
        serve->put_series(serve->closure, open_metrics, to);
    buffer_text(to, "# EOF\n");
}
