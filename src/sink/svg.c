/* SPDX-License-Identifier: MIT */
/* A recording as a picture for documents (SVG): a panel for each unit, with the counters as lines.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "sink/axis.h"
#include "sink/html.h"

#define COUNTERS_MAX 12
#define BUCKETS_MAX  720
#define MEMORY_MAX   (16u << 20)

/* Of the picture, in its own units. */
#define WIDTH     880
#define LEFT      82
#define RIGHT     24
#define PLOT      (WIDTH - LEFT - RIGHT)
#define TOP       56
#define LEGEND    24
#define HEIGHT    112 /* of a panel's plot */
#define BELOW     18  /* between two panels */
#define AXIS      40  /* below the last panel, with the times and the note */
#define FRAME_MIN 6   /* width of a frame, for its phases to be drawn */
#define BAND      18  /* between both, with the phases of a modelled GPU's workload */

static const char *const colors[COUNTERS_MAX] = {"#1f6feb", "#bc4c00", "#1a7f37", "#8250df",
                                                 "#bf3989", "#0a7f8c", "#7d6a00", "#57606a",
                                                 "#cf222e", "#0550ae", "#4d7c0f", "#6e40c9"};

/* A picture, and the panels of its counters. */
struct picture {
    struct timeline *timeline;
    const struct sink_context *context;
    const char *units[COUNTERS_MAX]; /* of each panel */
    size_t panel_of[COUNTERS_MAX];   /* of each counter */
    size_t panel_count;
    uint64_t from_ticks, to_ticks;
    int band; /* height of the phases' band; 0: there is none */
};

static void *svg_open(const struct sink_context *context, struct tally_error *error)
{
    if (context->counter_count > COUNTERS_MAX) {
        fail(error, -E2BIG, "format svg draws at most %d counters, not %zu: choose some with -c",
             COUNTERS_MAX, context->counter_count);
        return NULL;
    }
    struct picture *picture = calloc(1, sizeof *picture);
    if (picture)
        picture->timeline = timeline_new(context->info->layout, context->counter_count, MEMORY_MAX);
    if (picture && picture->timeline)
        return picture;
    free(picture);
    fail_memory(error, "a picture");
    return NULL;
}

static void svg_close(void *state)
{
    struct picture *picture = state;
    if (picture)
        timeline_free(picture->timeline);
    free(picture);
}

static void begin_deltas(struct output *output, const struct sink_context *context)
{
    (void)output; /* the size of the picture is known at the end */
    (void)context;
}

static void deltas(struct output *output, const struct sink_context *context,
                   const struct tally_batch *batch, size_t start, size_t count)
{
    const struct picture *picture = context->state;
    (void)output;
    timeline_add_results(picture->timeline, context, batch, start, count);
}

static const struct tally_counter *counter_at(const struct picture *picture, size_t c)
{
    return &picture->context->set->counters[picture->context->counters[c]];
}

static void make_panels(struct picture *picture)
{
    for (size_t c = 0; c < picture->timeline->counter_count; c++) {
        const char *units = counter_at(picture, c)->units;
        size_t panel = 0;
        while (panel < picture->panel_count && strcmp(picture->units[panel], units) != 0)
            panel++;
        if (panel == picture->panel_count)
            picture->units[picture->panel_count++] = units;
        picture->panel_of[c] = panel;
    }
}

static double x_of(const struct picture *picture, uint64_t ticks)
{
    uint64_t range = picture->to_ticks - picture->from_ticks;
    ticks = min_u64(ticks, picture->to_ticks); /* the last delta of a range ends later */
    return LEFT + (range ? (double)(ticks - picture->from_ticks) / (double)range * PLOT : 0);
}

static int top_of(size_t panel)
{
    return TOP + (int)panel * (LEGEND + HEIGHT + BELOW) + LEGEND;
}

static const struct timeline_value *value_at(const struct picture *picture, size_t c, size_t b)
{
    return &picture->timeline->values[c * picture->timeline->capacity + b];
}

/* The range of values of a panel. */
struct scale {
    double low, high, step; /* of the grid */
};

static struct scale scale_of(const struct picture *picture, size_t panel)
{
    double low = 0, high = 0;
    for (size_t c = 0; c < picture->timeline->counter_count; c++) {
        for (size_t b = 0; picture->panel_of[c] == panel && b < picture->timeline->count; b++) {
            const struct timeline_value *value = value_at(picture, c, b);
            low = fmin(low, fmin(value->mean, value->minimum)); /* NaN is left out */
            high = fmax(high, fmax(value->mean, value->maximum));
        }
    }
    if (!strcmp(picture->units[panel], "percent") && low >= 0 && high <= 100)
        return (struct scale){0, 100, 25};
    if (!(high > low))
        high = low + 1;
    double step = axis_step((high - low) / 4);
    return (struct scale){floor(low / step) * step, ceil(high / step) * step, step};
}

static double y_of(const struct scale *scale, size_t panel, double value)
{
    return top_of(panel) + HEIGHT * (1 - (value - scale->low) / (scale->high - scale->low));
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_label(struct output *output, double x, double y, const char *anchor,
                      const char *attributes, const char *text)
{
    output_printf(output, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor,
                  attributes);
    html_text(output, text);
    output_text(output, "</text>\n");
}

static void put_head(struct output *output, const struct picture *picture, int height)
{
    const struct sink_context *context = picture->context;
    char device[DEVICE_TEXT_BYTES];
    sink_device_title(device, context->info);
    output_printf(output,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
                  "sans-serif\" font-size=\"13\" fill=\"#1b1f24\">\n<title>",
                  WIDTH, height, WIDTH, height);
    html_text(output, device);
    output_text(output, ", ");
    html_text(output, context->set->name);
    output_text(output, "</title>\n"
                        "<defs><pattern id=\"lost\" width=\"6\" height=\"6\" "
                        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                        "<rect width=\"6\" height=\"6\" fill=\"#fdeceb\"/>"
                        "<rect width=\"1.6\" height=\"6\" fill=\"#b3261e\" fill-opacity=\"0.6\"/>"
                        "</pattern></defs>\n");
    output_printf(output, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, height);
    put_label(output, LEFT, 22, "start", " font-size=\"16\" font-weight=\"bold\"", device);
    const char *name = strrchr(context->info->path, '/');
    output_printf(output, "<text x=\"%d\" y=\"41\" fill=\"#5d6672\">", LEFT);
    html_text(output, *context->set->name ? context->set->name : context->set->symbol);
    output_text(output, " – ");
    html_text(output, name ? name + 1 : context->info->path);
    output_text(output, "</text>\n");
}

static void put_grid(struct output *output, const struct picture *picture, size_t panel,
                     const struct scale *scale)
{
    char text[64];
    int top = top_of(panel);
    output_printf(output,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#c9cfd7\"/>\n",
                  LEFT, top, PLOT, HEIGHT);
    int lines = (int)lround((scale->high - scale->low) / scale->step);
    for (int i = 0; i <= lines; i++) {
        double value = scale->low + i * scale->step;
        double y = y_of(scale, panel, value);
        if (i && i < lines)
            output_printf(output, "<path d=\"M%d %.1fH%d\" stroke=\"#e6e9ed\" fill=\"none\"/>\n",
                          LEFT, y, LEFT + PLOT);
        axis_mark(text, sizeof text, value, picture->units[panel]);
        put_label(output, LEFT - 7, y + 4, "end", " font-size=\"12\" fill=\"#5d6672\"", text);
    }
}

static void put_legend(struct output *output, const struct picture *picture, size_t panel)
{
    double x = LEFT, y = top_of(panel) - 8;
    const char *units = picture->units[panel];
    for (size_t c = 0; c < picture->timeline->counter_count; c++) {
        if (picture->panel_of[c] != panel)
            continue;
        const char *symbol = counter_at(picture, c)->symbol;
        output_printf(output,
                      "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"4\" fill=\"%s\"/>\n", x,
                      y - 6, colors[c]);
        put_label(output, x + 19, y, "start", "", symbol);
        x += 38 + 7.4 * (double)strlen(symbol);
    }
    if (*units)
        put_label(output, LEFT + PLOT, y, "end", " font-size=\"12\" fill=\"#5d6672\"", units);
}

/* Draws the buckets from `from` to `to` - 1, which all have a value. */
static void put_run(struct output *output, const struct picture *picture, size_t c, size_t from,
                    size_t to, const struct scale *scale)
{
    const struct timeline *timeline = picture->timeline;
    size_t panel = picture->panel_of[c];
    if (timeline->shift) {
        output_text(output, "<path d=\"");
        for (size_t b = from; b < to; b++) {
            const struct timeline_value *value = value_at(picture, c, b);
            double high = isnan(value->maximum) ? value->mean : value->maximum;
            output_printf(output, "%c%.1f %.1fH%.1f", b == from ? 'M' : 'L',
                          x_of(picture, timeline->buckets[b].start_ticks), y_of(scale, panel, high),
                          x_of(picture, timeline->buckets[b].end_ticks));
        }
        for (size_t b = to; b-- > from;) {
            const struct timeline_value *value = value_at(picture, c, b);
            double low = isnan(value->minimum) ? value->mean : value->minimum;
            output_printf(output, "L%.1f %.1fH%.1f", x_of(picture, timeline->buckets[b].end_ticks),
                          y_of(scale, panel, low), x_of(picture, timeline->buckets[b].start_ticks));
        }
        output_printf(output, "Z\" fill=\"%s\" fill-opacity=\"0.18\"/>\n", colors[c]);
    }
    output_text(output, "<path d=\"");
    for (size_t b = from; b < to; b++)
        output_printf(output, b == from ? "M%.1f %.1fH%.1f" : "L%.1f %.1fH%.1f",
                      x_of(picture, timeline->buckets[b].start_ticks),
                      y_of(scale, panel, value_at(picture, c, b)->mean),
                      x_of(picture, timeline->buckets[b].end_ticks));
    output_printf(output, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", colors[c]);
}

/* Draws a counter; where it has no value, there is nothing. */
static void put_line(struct output *output, const struct picture *picture, size_t c,
                     const struct scale *scale)
{
    const struct timeline *timeline = picture->timeline;
    for (size_t b = 0; b < timeline->count;) {
        size_t from = b;
        while (b < timeline->count && !isnan(value_at(picture, c, b)->mean))
            b++;
        if (b > from)
            put_run(output, picture, c, from, b, scale);
        else
            b++;
    }
}

/* Returns whether a loss is visible, and its times. */
static bool is_drawn(const struct picture *picture, const struct tally_loss *loss, uint64_t *start,
                     uint64_t *end)
{
    return (loss->gpu_start || loss->gpu_end) &&
           sink_loss_range(picture->context, loss, start, end);
}

/* Draws a time without values, unless it touches the one before, which ends at *before: many in the
 * width of a line are one. */
static void put_gap(struct output *output, const struct picture *picture, size_t panel,
                    const char *class, const char *fill, const char *title, uint64_t start,
                    uint64_t end, double *before)
{
    double x = x_of(picture, start), wide = fmax(x_of(picture, end) - x, 2);
    if (x + wide <= *before + 1)
        return;
    *before = x + wide;
    output_printf(output,
                  "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
                  "fill=\"%s\"><title>%s</title></rect>\n",
                  class, x, top_of(panel), wide, HEIGHT, fill, title);
}

static void put_losses(struct output *output, const struct picture *picture, size_t panel)
{
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(picture->context->recording, &losses);
    uint64_t start, end;
    double before = -1;
    for (size_t i = 0; i < count; i++)
        if (is_drawn(picture, &losses[i], &start, &end))
            put_gap(output, picture, panel, "lost", "url(#lost)",
                    tally_loss_kind_name(losses[i].kind), start, end, &before);
}

static void put_pauses(struct output *output, const struct picture *picture, size_t panel)
{
    const struct tally_pause *pauses;
    size_t count = tally_recording_pauses(picture->context->recording, &pauses);
    uint64_t start, end;
    double before = -1;
    for (size_t i = 0; i < count; i++)
        if (sink_pause_range(picture->context, &pauses[i], &start, &end))
            put_gap(output, picture, panel, "paused", "#e6e9ed", pause_name(&pauses[i]), start, end,
                    &before);
}

/* The times in nanoseconds since the first report at the edges of the picture, and its scale. */
struct span {
    double from, to, per_ns;
};

static struct span span_of(const struct picture *picture)
{
    const struct sink_context *context = picture->context;
    uint64_t origin = context->origin_ticks;
    double from = (double)ticks_to_ns(context->info, picture->from_ticks - origin);
    double to = (double)ticks_to_ns(context->info, picture->to_ticks - origin);
    return (struct span){from, to, to > from ? PLOT / (to - from) : 0};
}

static void put_phase(struct output *output, const struct span *span, int top, double from,
                      double to, size_t phase)
{
    char text[24];
    double x = LEFT + (fmax(from, span->from) - span->from) * span->per_ns;
    double end = LEFT + (fmin(to, span->to) - span->from) * span->per_ns;
    if (end <= x)
        return;
    output_printf(output,
                  "<rect class=\"phase\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
                  "fill=\"%s\" fill-opacity=\"0.25\"/>\n",
                  x, top, end - x, BAND - 6, colors[phase % COUNTERS_MAX]);
    snprintf(text, sizeof text, "%zu", phase + 1);
    if (end - x > 12 + 7 * (double)strlen(text))
        put_label(output, (x + end) / 2, top + 10, "middle", " font-size=\"11\"", text);
}

/* Draws the phases of the workload as a band below the last panel, and a mark where a frame begins.
 */
static void put_phases(struct output *output, const struct picture *picture)
{
    const struct sink_context *context = picture->context;
    const struct tally_recorded_phases *phases = context->info->phases;
    const struct span span = span_of(picture);
    int top = top_of(picture->panel_count - 1) + HEIGHT + 5;
    double frame_ns = 0;
    for (size_t i = 0; i < phases->count; i++)
        frame_ns += (double)phases->durations_ns[i];
    double start =
        phases->start_ticks >= context->origin_ticks
            ? (double)ticks_to_ns(context->info, phases->start_ticks - context->origin_ticks)
            : -(double)ticks_to_ns(context->info, context->origin_ticks - phases->start_ticks);
    put_label(output, LEFT - 7, top + 10, "end", " font-size=\"12\" fill=\"#5d6672\"", "phase");
    double frame = start + fmax(floor((span.from - start) / frame_ns), 0) * frame_ns;
    for (; frame < span.to; frame += frame_ns) {
        double from = frame;
        for (size_t i = 0; i < phases->count; i++) {
            double to = from + (double)phases->durations_ns[i];
            put_phase(output, &span, top, from, to, i);
            from = to;
        }
        if (frame >= span.from)
            output_printf(output,
                          "<path class=\"frame\" d=\"M%.1f %dv%d\" stroke=\"#57606a\" "
                          "fill=\"none\"/>\n",
                          LEFT + (frame - span.from) * span.per_ns, top - 3, BAND - 1);
    }
}

/* Returns whether frames are wide enough for their phases to be drawn. */
static bool has_band(const struct picture *picture)
{
    const struct tally_recorded_phases *phases = picture->context->info->phases;
    double frame_ns = 0;
    for (size_t i = 0; phases && i < phases->count; i++)
        frame_ns += (double)phases->durations_ns[i];
    return phases && frame_ns * span_of(picture).per_ns >= FRAME_MIN;
}

/* Writes the times since the first report below the last panel. */
static void put_times(struct output *output, const struct picture *picture)
{
    const struct span span = span_of(picture);
    double range = span.to - span.from, from = span.from;
    int bottom = top_of(picture->panel_count - 1) + HEIGHT + picture->band;
    if (range <= 0)
        return;
    double step = axis_step(range / 8);
    /* The sum with 0 is never -0. */
    for (double i = ceil(from / step - 1e-9) + 0.0; i * step <= from + range * (1 + 1e-9); i++) {
        char text[64];
        double x = LEFT + (i * step - from) / range * PLOT;
        output_printf(output, "<path d=\"M%.1f %dv5\" stroke=\"#8a929c\" fill=\"none\"/>\n", x,
                      bottom);
        axis_mark(text, sizeof text, i * step, "ns");
        put_label(output, x, bottom + 18, "middle", " font-size=\"12\" fill=\"#5d6672\"", text);
    }
}

/* Says below the times that grey parts are no losses. */
static void put_pause_note(struct output *output, const struct picture *picture)
{
    const struct tally_pause *pauses;
    size_t count = tally_recording_pauses(picture->context->recording, &pauses);
    int y = top_of(picture->panel_count - 1) + HEIGHT + picture->band + 35;
    uint64_t start, end;
    for (size_t i = 0; i < count; i++) {
        if (!sink_pause_range(picture->context, &pauses[i], &start, &end))
            continue;
        put_label(output, LEFT + PLOT, y, "end", " font-size=\"12\" fill=\"#5d6672\"",
                  "grey: not recorded, nothing lost");
        return;
    }
}

/* Says below the times what hatched parts are. */
static void put_note(struct output *output, const struct picture *picture)
{
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(picture->context->recording, &losses);
    bool seen[TALLY_LOSS_PACKETS + 1] = {false}, any = false;
    int y = top_of(picture->panel_count - 1) + HEIGHT + picture->band + 35;
    for (size_t i = 0; i < count; i++) {
        uint64_t start, end;
        if (losses[i].kind > TALLY_LOSS_PACKETS || seen[losses[i].kind] ||
            !is_drawn(picture, &losses[i], &start, &end))
            continue;
        if (!any)
            output_printf(output,
                          "<text x=\"%d\" y=\"%d\" font-size=\"12\" fill=\"#b3261e\">hatched: "
                          "lost (",
                          LEFT, y);
        output_printf(output, "%s%s", any ? ", " : "", tally_loss_kind_name(losses[i].kind));
        any = seen[losses[i].kind] = true;
    }
    if (any)
        output_text(output, ")</text>\n");
}

static void end(struct output *output, const struct sink_context *context)
{
    struct picture *picture = context->state;
    picture->context = context;
    picture->from_ticks = context->from_ticks;
    picture->to_ticks = context->to_ticks;
    timeline_reduce(picture->timeline, BUCKETS_MAX);
    make_panels(picture);
    picture->band = has_band(picture) ? BAND : 0;
    put_head(output, picture, top_of(picture->panel_count - 1) + HEIGHT + picture->band + AXIS);
    for (size_t panel = 0; panel < picture->panel_count; panel++) {
        struct scale scale = scale_of(picture, panel);
        put_grid(output, picture, panel, &scale);
        put_legend(output, picture, panel);
        put_pauses(output, picture, panel);
        put_losses(output, picture, panel);
        for (size_t c = 0; c < picture->timeline->counter_count; c++)
            if (picture->panel_of[c] == panel)
                put_line(output, picture, c, &scale);
    }
    if (picture->band)
        put_phases(output, picture);
    put_times(output, picture);
    put_note(output, picture);
    put_pause_note(output, picture);
    output_text(output, "</svg>\n");
}

const struct sink sink_svg = {
    .name = "svg",
    .title = "a picture",
    .one_worker = true,
    .open = svg_open,
    .close = svg_close,
    .begin_deltas = begin_deltas,
    .deltas = deltas,
    .end = end,
};
