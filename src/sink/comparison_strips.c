/* SPDX-License-Identifier: MIT */
/* The timelines in the page of a comparison: for each counter a strip of A above one of B, with the
 * same axes. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"
#include "pipeline/pipeline.h"
#include "sink/axis.h"
#include "sink/comparison.h"
#include "sink/html.h"
#include "sink/number.h"

#define COUNTERS_MAX 8
#define POINTS_MAX   400

/* In units of the pictures. */
#define WIDTH  940
#define LEFT   76
#define PLOT   (WIDTH - LEFT - 8)
#define TITLE  20
#define HEIGHT 60 /* of a strip */
#define GAP    6
#define AXIS   20

/* An interval of a recording. */
struct point {
    double from_ns, to_ns; /* since the beginning of what is compared */
    bool lost;
    double values[COUNTERS_MAX]; /* NaN: none */
};

struct strips {
    const struct shown_comparison *shown;
    const struct compare_change *changes[COUNTERS_MAX];
    size_t count;
    const char *symbols[COUNTERS_MAX];
    struct point *points[TALLY_SIDE_COUNT];
    size_t point_count[TALLY_SIDE_COUNT], capacity[TALLY_SIDE_COUNT];
    double end_ns; /* of the longer recording */
};

/* The counters that have changed; if there are none, those that come first. */
static void choose(struct strips *strips)
{
    const struct comparison *comparison = strips->shown->comparison;
    const struct compare_group *total = &comparison->groups[comparison->group_count - 1];
    for (size_t i = 0; i < total->count && strips->count < COUNTERS_MAX; i++) {
        const struct compare_change *change = &comparison->changes[total->first + i];
        if (total->changed ? !change->changed : change->result.constant || i >= COUNTERS_MAX / 2)
            continue;
        strips->symbols[strips->count] = comparison->counters[change->counter].symbol;
        strips->changes[strips->count++] = change;
    }
}

static double length_ns(const struct strips *strips, int side)
{
    const struct compare_options *options = strips->shown->options;
    const struct compare_run *run = &strips->shown->comparison->runs[side][0];
    uint64_t ticks = run->totals.last_ticks - run->totals.first_ticks;
    uint64_t end = ticks_to_ns(run->info, ticks);
    if (options->to_ns)
        end = min_u64(end, options->to_ns);
    return end > options->from_ns ? (double)(end - options->from_ns) : 0;
}

static int add_point(struct strips *strips, int side, struct tally_pipeline *pipeline,
                     const struct tally_sample *sample)
{
    const struct compare_options *options = strips->shown->options;
    struct point *points = array_grow(strips->points[side], &strips->capacity[side],
                                      strips->point_count[side], sizeof *points);
    if (!points)
        return -ENOMEM;
    strips->points[side] = points;
    struct point *point = &points[strips->point_count[side]++];
    double from = (double)sample->start_ns - (double)options->from_ns;
    double ns = (double)ticks_to_ns(tally_recording_info(tally_pipeline_recording(pipeline)),
                                    sample->gpu_end - sample->gpu_start);
    *point = (struct point){.from_ns = from, .to_ns = from + ns, .lost = sample->lost != 0};
    for (size_t c = 0; c < strips->count; c++) {
        ptrdiff_t index = tally_pipeline_counter(pipeline, strips->symbols[c]);
        const struct tally_counter *counter =
            index < 0 ? NULL : &tally_pipeline_set(pipeline)->counters[index];
        point->values[c] = NAN;
        if (counter && sample->has_values && sample->duration_ns)
            point->values[c] = compared_value(counter, tally_sample_value(sample, (size_t)index),
                                              (double)sample->duration_ns);
    }
    return 0;
}

/* Reads the first recording of a side. */
static int read_points(struct strips *strips, int side, struct tally_error *error)
{
    const struct compare_options *compared = strips->shown->options;
    struct tally_pipeline_options options = compared->pipeline;
    struct tally_pipeline *pipeline;
    const struct tally_sample *sample;
    options.counters = strips->symbols;
    options.counter_count = strips->count;
    options.interval_ns = max_u64((uint64_t)(strips->end_ns / POINTS_MAX), 1);
    options.progress = NULL;
    const char *path = strips->shown->comparison->runs[side][0].info->path;
    int result = tally_pipeline_open(path, &options, &pipeline, error);
    if (result < 0)
        return result;
    while ((result = tally_pipeline_next(pipeline, &sample, error)) > 0) {
        if (compared->to_ns && sample->start_ns >= compared->to_ns)
            break;
        if (sample->start_ns >= compared->from_ns &&
            add_point(strips, side, pipeline, sample) < 0) {
            fail_memory(error, "timelines");
            break;
        }
    }
    tally_pipeline_close(pipeline);
    return error->code;
}

/* ---- drawing --------------------------------------------------------------------------------- */

struct range {
    double low, high;
};

static struct range range_of(const struct strips *strips, size_t c)
{
    struct range range = {0, 0};
    for (int side = 0; side < TALLY_SIDE_COUNT; side++) {
        for (size_t i = 0; i < strips->point_count[side]; i++) {
            double value = strips->points[side][i].values[c];
            range.low = fmin(range.low, value); /* NaN is left out */
            range.high = fmax(range.high, value);
        }
    }
    double step = axis_step(range.high > range.low ? (range.high - range.low) / 4 : 0.25);
    range.low = floor(range.low / step) * step;
    range.high = fmax(ceil(range.high / step) * step, range.low + 4 * step);
    return range;
}

static double x_of(const struct strips *strips, double ns)
{
    return LEFT + (strips->end_ns > 0 ? fmin(fmax(ns / strips->end_ns, 0), 1) * PLOT : 0);
}

static void put_mark(struct output *output, double x, double y, const char *anchor, double value,
                     const char *units)
{
    char text[64];
    axis_mark(text, sizeof text, value, units);
    output_printf(output, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    html_text(output, text);
    output_text(output, "</text>\n");
}

static void put_losses(struct output *output, const struct strips *strips, int side, int top)
{
    for (size_t i = 0; i < strips->point_count[side]; i++) {
        const struct point *point = &strips->points[side][i];
        double from = x_of(strips, point->from_ns), to = x_of(strips, point->to_ns);
        if (point->lost)
            output_printf(output,
                          "<rect class=\"lost\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
                          "height=\"%d\"><title>lost reports</title></rect>\n",
                          from, top, fmax(to - from, 1), HEIGHT);
    }
}

static void put_strip(struct output *output, const struct strips *strips, size_t c, int side,
                      int top, const struct range *range, const char *units)
{
    bool drawing = false;
    output_printf(output, "<path class=\"grid\" d=\"M%d %dh%dv%dh-%dz\"/>\n", LEFT, top, PLOT,
                  HEIGHT, PLOT);
    put_mark(output, LEFT - 6, top + 9, "end", range->high, units);
    put_mark(output, LEFT - 6, top + HEIGHT, "end", range->low, units);
    output_printf(output, "<text class=\"%c\" x=\"4\" y=\"%d\">%c</text>\n", "ab"[side],
                  top + HEIGHT / 2 + 4, "AB"[side]);
    put_losses(output, strips, side, top);
    output_printf(output, "<path class=\"line %c\" d=\"", "ab"[side]);
    for (size_t i = 0; i < strips->point_count[side]; i++) {
        const struct point *point = &strips->points[side][i];
        double value = point->values[c];
        if (isnan(value)) {
            drawing = false;
            continue;
        }
        double y = top + HEIGHT * (1 - (value - range->low) / (range->high - range->low));
        output_printf(output, "%c%.1f %.1fH%.1f", drawing ? 'L' : 'M', x_of(strips, point->from_ns),
                      y, x_of(strips, point->to_ns));
        drawing = true;
    }
    output_text(output, "\"/>\n");
}

static void put_times(struct output *output, const struct strips *strips, int y)
{
    if (!(strips->end_ns > 0))
        return;
    double step = axis_step(strips->end_ns / 8);
    for (int i = 0; i * step <= strips->end_ns; i++)
        put_mark(output, x_of(strips, i * step), y,
                 !i                                  ? "start"
                 : (i + 0.5) * step > strips->end_ns ? "end"
                                                     : "middle",
                 i * step, "ns");
}

static void put_counter(struct output *output, const struct strips *strips, size_t c)
{
    const struct compare_counter *counter =
        &strips->shown->comparison->counters[strips->changes[c]->counter];
    const struct range range = range_of(strips, c);
    char text[CHANGE_BYTES];
    int height = TITLE + TALLY_SIDE_COUNT * HEIGHT + GAP + AXIS;
    output_printf(output, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, height);
    output_printf(output, "<text class=\"name\" x=\"%d\" y=\"14\">", LEFT);
    html_text(output, counter->symbol);
    output_printf(output, "<tspan dx=\"10\">%s</tspan></text>\n",
                  change_text(text, strips->changes[c]->result.change));
    output_printf(output, "<text x=\"%d\" y=\"14\" text-anchor=\"end\">", LEFT + PLOT);
    html_text(output, counter->units);
    output_text(output, "</text>\n");
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        put_strip(output, strips, c, side, TITLE + side * (HEIGHT + GAP), &range, counter->units);
    put_times(output, strips, height - 7);
    output_text(output, "</svg>\n");
}

void html_strips(struct output *output, const struct shown_comparison *shown)
{
    struct strips strips = {.shown = shown};
    int result = 0;
    choose(&strips);
    strips.end_ns = fmax(length_ns(&strips, TALLY_SIDE_A), length_ns(&strips, TALLY_SIDE_B));
    for (int side = 0; strips.count && side < TALLY_SIDE_COUNT && result == 0; side++)
        result = read_points(&strips, side, &output->error);
    if (strips.count && result == 0) {
        size_t runs =
            shown->comparison->run_count[TALLY_SIDE_A] + shown->comparison->run_count[TALLY_SIDE_B];
        output_printf(
            output, "<h2>Over time%s</h2>\n",
            runs > TALLY_SIDE_COUNT ? " <small>the first recording of each side</small>" : "");
        for (size_t c = 0; c < strips.count; c++)
            put_counter(output, &strips, c);
    }
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        free(strips.points[side]);
}
