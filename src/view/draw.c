/* SPDX-License-Identifier: MIT */
#include "view/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/report.h>

#include "base/duration.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "sink/number.h"
#include "view/keys.h"

/* The smallest window in which all parts are readable. */
#define MIN_ROWS    14
#define MIN_COLUMNS 40

/* No sample for this long, beyond two intervals, is stated. */
#define LATE_NS (2 * NS_PER_SECOND)

/* ---- the title ------------------------------------------------------------------------------- */

/* Returns what is unusual about a device, or "". */
static const char *state_of(const struct model *model, const struct model_device *device)
{
    if (model->paused)
        return "PAUSED  ";
    if (!device->ended)
        return "";
    return device->info->is_recorded && !device->error.code ? "END  " : "ENDED  ";
}

static void title_text(const struct model_device *device, char *text, size_t size)
{
    const struct view_device_info *info = device->info;
    const char *slash = info && info->is_recorded ? strrchr(info->name, '/') : NULL;
    if (info)
        snprintf(text, size, " %s  %s  %s", info->title, slash ? slash + 1 : info->name, info->set);
    else
        snprintf(text, size, " %s: waiting for the first report", device->name);
}

/* The right end of the title: the period of reports, the interval of samples, and the time of the
 * latest one. */
static void title_end(const struct model *model, size_t at, bool is_narrow, uint64_t now_ns,
                      char *text, size_t size)
{
    const struct model_device *device = &model->devices[at];
    const struct view_device_info *info = device->info;
    text[0] = '\0';
    if (!info)
        return;
    const struct view_sample *newest = history_at(model_history(model, device), 0);
    const char *state = state_of(model, device);
    uint64_t late_ns =
        device->arrived_ns && now_ns > device->arrived_ns ? now_ns - device->arrived_ns : 0;
    if (!*state && !info->is_recorded && late_ns > 2 * info->interval_ns + LATE_NS) {
        snprintf(text, size, "NO REPORT FOR %" PRIu64 " s ", late_ns / NS_PER_SECOND);
        return;
    }
    char period[32] = "", interval[32], number[32] = "";
    duration_text(info->interval_ns, interval, sizeof interval);
    if (info->period_ns)
        format_quantity(period, sizeof period, (double)info->period_ns, "ns");
    if (model->device_count > 1 && !model->side_by_side)
        snprintf(number, sizeof number, "%zu/%zu  ", at + 1, model->device_count);
    double seconds = newest ? (double)newest->end_ns / 1e9 : 0;
    if (is_narrow)
        snprintf(text, size, "%s%.1f s ", state, seconds);
    else
        snprintf(text, size, "%s%s%s%s%s  %.1f s ", number, state, period, *period ? " / " : "",
                 interval, seconds);
}

static void draw_title(const struct model *model, size_t at, const struct area *area,
                       uint64_t now_ns)
{
    char text[300], right[64];
    title_text(&model->devices[at], text, sizeof text);
    title_end(model, at, area->columns < 60, now_ns, right, sizeof right);
    size_t width = area->columns, end = strlen(right);
    area_put(area, 0, 0, width > end + 1 ? width - end - 1 : width, STYLE_TITLE, text);
    area_put_right(area, 0, 0, width, STYLE_TITLE, right);
    area_style(area, 0, 0, width, STYLE_TITLE);
}

/* ---- the key figures ------------------------------------------------------------------------- */

/* Columns of a line: label, bar, value, sparkline. */
struct columns {
    size_t label, bar, value, spark; /* widths */
};

static struct columns columns_of(size_t width, size_t label, size_t value)
{
    struct columns columns = {.label = label, .value = value};
    size_t left = width > label + value + 4 ? width - label - value - 4 : 0;
    columns.bar = left * 2 / 5 > 6 ? left * 2 / 5 : 0;
    columns.spark = left - columns.bar;
    columns.spark = columns.spark < 6 ? 0 : columns.spark;
    return columns;
}

static size_t value_column(struct columns columns)
{
    return columns.label + 1 + (columns.bar ? columns.bar + 1 : 0);
}

static void draw_figure(const struct area *area, size_t row, const struct figure_ref *figure,
                        const struct history *history)
{
    const struct view_sample *newest = history_at(history, 0);
    struct columns columns = columns_of(area->columns - 1, 11, 15);
    double scale = figure_scale(figure, history);
    double value = newest ? figure_value(figure, newest) : (double)NAN;
    double second = newest ? figure_second(figure, newest) : (double)NAN;
    char text[64];
    figure_text(text, sizeof text, figure, newest);
    area_put(area, row, 1, columns.label, STYLE_BOLD, figure_label(figure));
    area_bar(area, row, 1 + columns.label, columns.bar, value / scale, second / scale);
    bool is_value = !isnan(value);
    area_put_right(area, row, value_column(columns), columns.value,
                   newest && !newest->has_values && !is_value ? STYLE_WARNING
                   : is_value                                 ? STYLE_PLAIN
                                                              : STYLE_DIM,
                   text);
    area_sparkline(area, row, value_column(columns) + columns.value + 1, columns.spark, history,
                   figure_value, figure, scale);
}

static void draw_losses(const struct area *area, size_t row, const struct history *history)
{
    const struct view_sample *newest = history_at(history, 0);
    uint64_t lost = 0;
    const struct view_sample *sample;
    char text[160];
    area_put(area, row, 1, 11, STYLE_BOLD, "Losses");
    if (!newest)
        return;
    for (size_t age = 0; (sample = history_at(history, age)); age++)
        lost += sample->lost;
    if (!newest->missing && !lost)
        snprintf(text, sizeof text, "none, %" PRIu64 " reports", newest->reports);
    else
        snprintf(text, sizeof text,
                 "%" PRIu64 " of %" PRIu64 " reports missing; %" PRIu64
                 " deltas without values in this minute",
                 newest->missing, newest->reports + newest->missing, lost);
    area_put(area, row, 12, area->columns > 13 ? area->columns - 13 : 0,
             newest->missing || lost ? STYLE_WARNING : STYLE_PLAIN, text);
}

const char *draw_context_name(char name[16], uint32_t id)
{
    if (id == TALLY_CONTEXT_IDLE)
        snprintf(name, 16, "idle");
    else if (id == VIEW_OTHERS)
        snprintf(name, 16, "others");
    else
        snprintf(name, 16, "0x%" PRIx32, id);
    return name;
}

/* Appends "NAME 12.3 %", as far as it fits. */
static void add_share(char *text, size_t size, const char *name, double share)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s %.1f %%", used ? ", " : "", name, share * 100);
}

void draw_contexts_text(char *text, size_t size, const struct view_sample *sample)
{
    char name[16];
    text[0] = '\0';
    for (size_t i = 0; i < sample->context_count; i++)
        add_share(text, size, draw_context_name(name, sample->contexts[i].id),
                  sample->contexts[i].share);
}

void draw_sections_text(char *text, size_t size, const struct view_sample *sample)
{
    text[0] = '\0';
    for (size_t i = 0; i < sample->section_count; i++)
        add_share(text, size, sample->sections[i].name, sample->sections[i].share);
}

void draw_clients_text(char *text, size_t size, const struct view_sample *sample)
{
    char name[sizeof sample->clients->name + 16];
    text[0] = '\0';
    for (size_t i = 0; i < sample->client_count; i++) {
        const struct view_client *client = &sample->clients[i];
        snprintf(name, sizeof name, "%s [%d]", client->name, client->pid);
        add_share(text, size, name, client->share);
    }
}

static void draw_text(const struct area *area, size_t row, const char *label, enum style style,
                      const char *text)
{
    area_put(area, row, 1, 11, STYLE_BOLD, label);
    area_put(area, row, 12, area->columns > 13 ? area->columns - 13 : 0, style, text);
}

static void draw_sections(const struct area *area, size_t row, const struct view_sample *newest)
{
    char text[400] = "-";
    if (newest && newest->section_count)
        draw_sections_text(text, sizeof text, newest);
    draw_text(area, row, "Marks", STYLE_PLAIN, text);
}

static void draw_clients(const struct area *area, size_t row, const struct view_sample *newest)
{
    char text[400];
    draw_clients_text(text, sizeof text, newest);
    draw_text(area, row, "Processes", STYLE_PLAIN, text);
}

static void draw_contexts(const struct area *area, size_t row, const struct view_device_info *info,
                          const struct view_sample *newest)
{
    char text[400] = "-";
    if (info && !info->has_contexts)
        snprintf(text, sizeof text, "not in the reports of this GPU");
    else if (newest && newest->context_count)
        draw_contexts_text(text, sizeof text, newest);
    draw_text(area, row, "Contexts",
              newest && newest->context_count && info->has_contexts ? STYLE_PLAIN : STYLE_DIM,
              text);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void draw_counter(const struct model *model, const struct area *area, size_t row,
                         const struct columns *columns, size_t ranges,
                         const struct model_device *device, size_t index, bool selected)
{
    const struct counter_ref counter = {device->info, index};
    const struct view_counter *about = &device->info->counters[index];
    const struct history *history = model_history(model, device);
    const struct view_sample *newest = history_at(history, 0);
    double value = newest ? counter_value(&counter, newest) : (double)NAN;
    double scale = counter_scale(&counter, history);
    char text[64];
    size_t column = 1;
    if (model->mode == MODE_CHOOSE)
        column =
            area_put(area, row, column, 4, STYLE_PLAIN, device->chosen[index] ? "[x] " : "[ ] ");
    area_put(area, row, column, columns->label + 1 - column, STYLE_PLAIN, about->name);
    area_bar(area, row, 2 + columns->label, columns->bar, value / scale, 0);
    counter_sample_text(text, sizeof text, &counter, newest);
    bool lost = newest && (!newest->has_values || newest->lost);
    size_t at = 1 + value_column(*columns);
    area_put_right(area, row, at, columns->value,
                   lost           ? STYLE_WARNING
                   : isnan(value) ? STYLE_DIM
                                  : STYLE_PLAIN,
                   text);
    at += columns->value + 1;
    area_sparkline(area, row, at, columns->spark, history, counter_value, &counter, scale);
    at += columns->spark + 1;
    struct history_range range = history_range(history, counter_value, &counter);
    const double shown[] = {range.minimum, range.mean, range.maximum};
    for (size_t i = 0; i < 3 && ranges; i++, at += ranges) {
        counter_text(text, sizeof text, about, shown[i]);
        area_put_right(area, row, at, ranges - 1, STYLE_PLAIN, text);
    }
    if (selected)
        area_style(area, row, 0, columns->label + 2, STYLE_SELECTED);
}

/* Returns the first line to show, so that the selected one is visible. */
static size_t scroll_to(size_t scroll, size_t selected, size_t count, size_t lines)
{
    size_t last = count > lines ? count - lines : 0;
    if (selected < scroll)
        scroll = selected;
    if (selected >= scroll + lines)
        scroll = selected + 1 - lines;
    return min_size(scroll, last);
}

/* Draws the counters from `row` on. Returns the number of lines for them. */
static size_t draw_counters(const struct model *model, struct model_device *device, bool is_current,
                            const struct area *area, size_t row)
{
    static const char *const orders[SORTS] = {"", " by name", " by load"};
    size_t *shown, count = model_counters(model, device, &shown), selected = 0;
    size_t lines = area->rows > row + 1 ? area->rows - row - 1 : 0;
    size_t ranges = area->columns >= 118 ? 13 : 0, width = area->columns - 2;
    size_t names = width >= 100 ? 32 : width >= 70 ? 26 : 20;
    struct columns columns = columns_of(width - min_size(width, 3 * ranges), names, 14);
    char head[96];
    for (size_t i = 0; i < count; i++)
        if (!strcmp(device->info->counters[shown[i]].symbol, device->selected))
            selected = i;
    device->scroll = scroll_to(device->scroll, selected, count, lines);
    snprintf(head, sizeof head, "Counter%s%s", orders[model->sort],
             model->reversed ? ", reversed" : "");
    area_style(area, row, 0, area->columns, STYLE_TITLE);
    area_put(area, row, 1, columns.label, STYLE_TITLE, head);
    area_put_right(area, row, 1 + value_column(columns), columns.value, STYLE_TITLE, "now");
    size_t at = 2 + value_column(columns) + columns.value;
    if (columns.spark >= 12)
        area_put(area, row, at, columns.spark, STYLE_TITLE, "last minute");
    at += columns.spark + 1;
    for (size_t i = 0; i < 3 && ranges; i++, at += ranges)
        area_put_right(area, row, at, ranges - 1, STYLE_TITLE,
                       (const char *const[]){"min", "mean", "max"}[i]);
    for (size_t i = 0; i < lines && device->scroll + i < count; i++)
        draw_counter(model, area, row + 1 + i, &columns, ranges, device, shown[device->scroll + i],
                     is_current && device->scroll + i == selected);
    if (!count && device->info)
        area_put(area, row + 1, 1, width, STYLE_DIM, "no counter is chosen (c)");
    free(shown);
    return lines;
}

/* ---- a device -------------------------------------------------------------------------------- */

static size_t draw_device(struct model *model, size_t at, const struct area *area, uint64_t now_ns)
{
    struct model_device *device = &model->devices[at];
    const struct history *history = model_history(model, device);
    const struct view_sample *newest = history_at(history, 0);
    size_t row = 1;
    draw_title(model, at, area, now_ns);
    for (unsigned i = 0; i < FIGURES && device->info; i++) {
        const struct figure_ref figure = {device->info, (enum figure)i};
        if (i == FIGURE_RC6 && !device->info->has_rc6)
            continue;
        draw_figure(area, row++, &figure, history);
    }
    if (device->info) {
        draw_contexts(area, row++, device->info, newest);
        if (device->info->has_marks)
            draw_sections(area, row++, newest);
        if (newest && newest->client_count)
            draw_clients(area, row++, newest);
        draw_losses(area, row++, history);
    }
    if (device->error.code)
        area_put(area, row++, 1, area->columns - 2, STYLE_WARNING, device->error.message);
    return draw_counters(model, device, at == model->current, area, row);
}

/* ---- the bottom ------------------------------------------------------------------------------ */

static const struct view_counter *selected_counter(const struct model_device *device)
{
    const struct view_device_info *info = device->info;
    for (size_t i = 0; info && i < info->counter_count; i++)
        if (!strcmp(info->counters[i].symbol, device->selected))
            return &info->counters[i];
    return NULL;
}

/* The description of the selected counter, and a line of keys, a message, or the search text. */
static void draw_bottom(const struct model *model, const struct area *area)
{
    static const char *const keys[] = {"h",   "Help", "/",    "Search", "c",     "Choose",  "m",
                                       "Set", "o",    "Sort", "Space",  "Pause", "s",       "Save",
                                       "q",   "Quit", "Tab",  "Device", "+-",    "Interval"};
    const struct view_counter *selected = selected_counter(&model->devices[model->current]);
    char text[600] = "";
    size_t column = 0;
    if (selected)
        snprintf(text, sizeof text, "%s: %s", selected->symbol, selected->description);
    area_put(area, 0, 1, area->columns - 2, STYLE_DIM, text);
    if (model->mode == MODE_SEARCH) {
        snprintf(text, sizeof text, "/%s_  %s", model->search, model->message);
        area_put(area, 1, 1, area->columns - 2, STYLE_BOLD, text);
        return;
    }
    if (*model->message) {
        area_put(area, 1, 1, area->columns - 2, model->is_warning ? STYLE_WARNING : STYLE_BOLD,
                 model->message);
        return;
    }
    for (size_t i = 0; i + 1 < sizeof keys / sizeof keys[0]; i += 2) {
        if (!strcmp(keys[i], "Tab") && model->device_count < 2)
            continue;
        if (column + strlen(keys[i]) + strlen(keys[i + 1]) + 3 > area->columns)
            break;
        column = area_put(area, 1, column, 8, STYLE_TITLE, keys[i]);
        column = area_put(area, 1, column + 1, 10, STYLE_PLAIN, keys[i + 1]) + 1;
    }
}

/* The metric sets of the current device that have the text typed. */
static size_t draw_sets(struct model *model, const struct area *area)
{
    const struct model_device *device = &model->devices[model->current];
    size_t lines = area->rows - 3, count = 0, selected = 0, symbols = 0;
    char text[600];
    for (size_t i = 0; i < model->set_count; i++) {
        selected = i == model->set_selected ? count : selected;
        count += model_shows_set(model, i);
        symbols = max_size(symbols, strlen(model->sets[i].symbol));
    }
    symbols = min_size(symbols, area->columns / 2);
    snprintf(text, sizeof text, " metric sets of %s, which counts %s", device->name,
             device->info ? device->info->set : "-");
    area_put(area, 0, 0, area->columns, STYLE_TITLE, text);
    area_style(area, 0, 0, area->columns, STYLE_TITLE);
    model->set_scroll = scroll_to(model->set_scroll, selected, count, lines);
    for (size_t i = 0, at = 0; i < model->set_count; i++) {
        if (!model_shows_set(model, i) || at++ < model->set_scroll)
            continue;
        size_t row = at - model->set_scroll;
        if (row > lines)
            break;
        area_put(area, row, 1, symbols, STYLE_PLAIN, model->sets[i].symbol);
        area_put(area, row, 3 + symbols, area->columns - symbols - 4, STYLE_DIM,
                 model->sets[i].name);
        if (i == model->set_selected)
            area_style(area, row, 0, area->columns, STYLE_SELECTED);
    }
    snprintf(text, sizeof text, "/%s_  %s", model->set_filter, model->message);
    area_put(area, area->rows - 2, 1, area->columns - 2, STYLE_BOLD, text);
    area_put(area, area->rows - 1, 1, area->columns - 2, STYLE_DIM,
             "Type to search; Up Down; Enter counts the set; Esc: back");
    return max_size(lines, 1);
}

static void draw_help(const struct area *area)
{
    const char *keys, *text;
    area_put(area, 0, 0, area->columns, STYLE_TITLE, " tally top: keys");
    area_style(area, 0, 0, area->columns, STYLE_TITLE);
    size_t row = 2;
    for (size_t i = 0; keys_help(i, &keys, &text); i++, row++) {
        area_put(area, row, 2, 12, STYLE_BOLD, keys);
        area_put(area, row, 15, area->columns > 16 ? area->columns - 16 : 0, STYLE_PLAIN, text);
    }
    static const char *const notes[] = {
        "The title ends with the period of reports, the interval of samples, and the time.",
        "Bars and graphs of numbers of events show the rate per second; they are full at",
        "the maximum of the minute. EU active: busy + stalled. x: lost reports; . no value.",
        "RC6: the GPU is kept awake while its counters are recorded, by the driver."};
    row++;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        area_put(area, row++, 2, area->columns > 3 ? area->columns - 3 : 0, STYLE_DIM, notes[i]);
}

/* ---- everything ------------------------------------------------------------------------------ */

size_t draw_model(struct model *model, struct canvas *canvas, uint64_t now_ns)
{
    const struct area all = {canvas, 0, 0, canvas->rows, canvas->columns};
    size_t page = 1, shown = model->side_by_side ? model->device_count : 1;
    if (canvas->rows < MIN_ROWS || canvas->columns < MIN_COLUMNS) {
        char text[80];
        snprintf(text, sizeof text, "window too small: at least %dx%d", MIN_COLUMNS, MIN_ROWS);
        area_put(&all, 0, 0, canvas->columns, STYLE_PLAIN, text);
        return page;
    }
    if (model->mode == MODE_HELP) {
        draw_help(&all);
        return page;
    }
    if (model->mode == MODE_SETS)
        return draw_sets(model, &all);
    if (canvas->columns / shown < MIN_COLUMNS) {
        shown = 1;
        model->side_by_side = false;
        model_message(model, true, "side by side needs %zu columns",
                      MIN_COLUMNS * model->device_count);
    }
    for (size_t i = 0; i < shown; i++) {
        size_t first = canvas->columns * i / shown, end = canvas->columns * (i + 1) / shown;
        const struct area area = {canvas, 0, first, canvas->rows - 2,
                                  end - first - (i + 1 < shown)};
        size_t lines = draw_device(model, shown > 1 ? i : model->current, &area, now_ns);
        page = shown == 1 || i == model->current ? max_size(lines, 1) : page;
    }
    draw_bottom(model, &(struct area){canvas, canvas->rows - 2, 0, 2, canvas->columns});
    return page;
}
