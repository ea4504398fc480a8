/* SPDX-License-Identifier: MIT */
#include "view/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "sink/number.h"

/* ---- counters -------------------------------------------------------------------------------- */

static double value_of(const struct view_device_info *info, size_t index,
                       const struct view_sample *sample)
{
    if (!sample->has_values || index >= sample->value_count)
        return (double)NAN;
    double value = sample->values[index];
    if (!info->counters[index].is_rate)
        return value;
    return sample->evaluated_ns ? value * (double)NS_PER_SECOND / (double)sample->evaluated_ns
                                : (double)NAN;
}

double counter_value(const void *counter_ref, const struct view_sample *sample)
{
    const struct counter_ref *counter = counter_ref;
    return value_of(counter->info, counter->index, sample);
}

void counter_text(char *text, size_t size, const struct view_counter *counter, double value)
{
    char number[48];
    if (isnan(value)) {
        snprintf(text, size, "-");
        return;
    }
    format_quantity(number, sizeof number, value, counter->units);
    snprintf(text, size, "%s%s", number, counter->is_rate ? "/s" : "");
}

void counter_sample_text(char *text, size_t size, const struct counter_ref *counter,
                         const struct view_sample *sample)
{
    if (sample && !sample->has_values)
        snprintf(text, size, "lost");
    else
        counter_text(text, size, &counter->info->counters[counter->index],
                     sample ? counter_value(counter, sample) : (double)NAN);
}

double counter_scale(const struct counter_ref *counter, const struct history *history)
{
    if (!strcmp(counter->info->counters[counter->index].units, "percent"))
        return 100;
    return history_range(history, counter_value, counter).maximum;
}

/* ---- key figures ----------------------------------------------------------------------------- */

/*
 * The counters of each key figure, in the order of preference: the first row whose counters a set
 * has is shown. The value is the sum of both, unless `second` is another part of the bar.
 */
static const struct row {
    enum figure figure;
    const char *label;
    const char *counter;
    const char *other;  /* added; NULL: none */
    const char *second; /* NULL: none */
} rows[] = {
    {FIGURE_BUSY, "GPU busy", "GpuBusy", NULL, NULL},
    {FIGURE_EUS, "EU active", "EuActive", NULL, "EuStall"},
    {FIGURE_EUS, "Shaders", "ShaderBusy", NULL, NULL},
    {FIGURE_MEMORY, "Memory", "GtiReadThroughput", "GtiWriteThroughput", NULL},
    {FIGURE_MEMORY, "Memory", "GtiL3Throughput", NULL, NULL},
    {FIGURE_MEMORY, "L3 traffic", "L3ShaderThroughput", NULL, NULL},
    {FIGURE_MEMORY, "PCIe", "PcieReads", "PcieWrites", NULL},
    {FIGURE_MEMORY, "Host", "HostReads", "HostWrites", NULL},
    {FIGURE_FREQUENCY, "Frequency", "AvgGpuCoreFrequency", NULL, NULL},
    {FIGURE_FREQUENCY, "Frequency", "CoreClocks", NULL, NULL},
};

/* What is shown where a set has none. */
static const char *const labels[FIGURES] = {
    [FIGURE_BUSY] = "GPU busy",       [FIGURE_EUS] = "EU active", [FIGURE_MEMORY] = "Memory",
    [FIGURE_FREQUENCY] = "Frequency", [FIGURE_RC6] = "RC6",
};

static size_t find_counter(const struct view_device_info *info, const char *symbol)
{
    size_t i = 0;
    while (symbol && i < info->counter_count && strcmp(info->counters[i].symbol, symbol) != 0)
        i++;
    return symbol ? i : info->counter_count;
}

static const struct row *row_of(const struct figure_ref *figure)
{
    const struct view_device_info *info = figure->info;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].figure == figure->figure &&
            find_counter(info, rows[i].counter) < info->counter_count)
            return &rows[i];
    return NULL;
}

const char *figure_label(const struct figure_ref *figure)
{
    const struct row *row = row_of(figure);
    return row ? row->label : labels[figure->figure];
}

static double value_by_symbol(const struct view_device_info *info, const char *symbol,
                              const struct view_sample *sample)
{
    size_t index = find_counter(info, symbol);
    return index < info->counter_count ? value_of(info, index, sample) : (double)NAN;
}

double figure_value(const void *figure_ref, const struct view_sample *sample)
{
    const struct figure_ref *figure = figure_ref;
    if (figure->figure == FIGURE_RC6)
        return sample->rc6 * 100;
    const struct row *row = row_of(figure);
    if (!row)
        return (double)NAN;
    double value = value_by_symbol(figure->info, row->counter, sample);
    if (row->other && find_counter(figure->info, row->other) < figure->info->counter_count)
        value += value_by_symbol(figure->info, row->other, sample);
    return value;
}

double figure_second(const struct figure_ref *figure, const struct view_sample *sample)
{
    const struct row *row = row_of(figure);
    return row ? value_by_symbol(figure->info, row->second, sample) : (double)NAN;
}

double figure_scale(const struct figure_ref *figure, const struct history *history)
{
    double maximum = history_range(history, figure_value, figure).maximum;
    switch (figure->figure) {
    case FIGURE_MEMORY:
        return maximum;
    case FIGURE_FREQUENCY:
        return figure->info->max_hz > 0 ? figure->info->max_hz : maximum;
    default:
        return 100;
    }
}

void figure_text(char *text, size_t size, const struct figure_ref *figure,
                 const struct view_sample *sample)
{
    const struct row *row = row_of(figure);
    bool is_rc6 = figure->figure == FIGURE_RC6;
    double value = sample ? figure_value(figure, sample) : (double)NAN;
    char number[48];
    if (is_rc6 && figure->info->is_recorded) {
        snprintf(text, size, "not recorded");
    } else if (is_rc6 && isnan(value)) {
        snprintf(text, size, sample ? "not known" : "-");
    } else if (!is_rc6 && !row) {
        snprintf(text, size, "not counted");
    } else if (!is_rc6 && sample && !sample->has_values) {
        snprintf(text, size, "lost");
    } else if (isnan(value)) {
        snprintf(text, size, "-");
    } else if (figure->figure == FIGURE_FREQUENCY) {
        format_quantity(text, size, value, "hz");
    } else if (figure->figure == FIGURE_MEMORY) {
        counter_text(text, size, &figure->info->counters[find_counter(figure->info, row->counter)],
                     value);
    } else {
        double second = is_rc6 ? (double)NAN : figure_second(figure, sample);
        format_quantity(number, sizeof number, value, "percent");
        if (isnan(second))
            snprintf(text, size, "%s", number);
        else
            snprintf(text, size, "%.1f+%.1f %%", value, second);
    }
}
