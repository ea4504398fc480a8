/* SPDX-License-Identifier: MIT */
#include "view/model.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

/* ---- devices --------------------------------------------------------------------------------- */

int model_add_device(struct model *model, const char *name)
{
    if (model->device_count == MODEL_DEVICES_MAX)
        return -E2BIG;
    struct model_device *device = &model->devices[model->device_count];
    *device = (struct model_device){.name = strdup(name)};
    if (!device->name)
        return -ENOMEM;
    model->device_count++;
    return 0;
}

void model_fini(struct model *model)
{
    for (size_t i = 0; i < model->device_count; i++) {
        struct model_device *device = &model->devices[i];
        history_clear(&device->history);
        history_clear(&device->frozen);
        view_device_info_free(device->info);
        free(device->chosen);
        free(device->name);
    }
    model->device_count = 0;
    model_free_sets(model->sets, model->set_count);
    model->sets = NULL;
    model->set_count = 0;
}

/* Whether two infos have the same counters in the same order. */
static bool same_counters(const struct view_device_info *a, const struct view_device_info *b)
{
    bool same = a->counter_count == b->counter_count;
    for (size_t i = 0; same && i < a->counter_count; i++)
        same = !strcmp(a->counters[i].symbol, b->counters[i].symbol);
    return same;
}

void model_info(struct model *model, size_t at, struct view_device_info *info)
{
    struct model_device *device = &model->devices[at];
    if (!device->info || !same_counters(device->info, info)) {
        bool *chosen = malloc(info->counter_count + 1);
        if (!chosen) {
            view_device_info_free(info);
            return;
        }
        memset(chosen, true, info->counter_count + 1);
        free(device->chosen);
        device->chosen = chosen;
        history_clear(&device->history);
        history_clear(&device->frozen);
        snprintf(device->selected, sizeof device->selected, "%s",
                 info->counter_count ? info->counters[0].symbol : "");
    }
    view_device_info_free(device->info);
    device->info = info;
}

void model_sample(struct model *model, size_t at, struct view_sample *sample, uint64_t now_ns)
{
    struct model_device *device = &model->devices[at];
    if (!device->info || sample->value_count != device->info->counter_count) {
        free(sample); /* its info was lost: no memory */
        return;
    }
    device->arrived_ns = now_ns;
    history_add(&device->history, sample);
}

void model_message(struct model *model, bool is_warning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(model->message, sizeof model->message, format, arguments);
    va_end(arguments);
    model->is_warning = is_warning;
}

/* ---- pausing --------------------------------------------------------------------------------- */

const struct history *model_history(const struct model *model, const struct model_device *device)
{
    return model->paused ? &device->frozen : &device->history;
}

int model_pause(struct model *model, bool paused)
{
    int result = 0;
    for (size_t i = 0; i < model->device_count; i++) {
        struct model_device *device = &model->devices[i];
        history_clear(&device->frozen);
        if (paused && result == 0)
            result = history_copy(&device->frozen, &device->history);
    }
    model->paused = paused && result == 0;
    return result;
}

/* ---- counters -------------------------------------------------------------------------------- */

/* A counter and what it is sorted by. */
struct sorted {
    size_t index;
    const char *name;
    double load;
};

static int compare_order(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int compare_names(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    int order = strcasecmp(a->name, b->name);
    return order ? order : compare_order(left, right);
}

static int compare_loads(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    if (a->load != b->load)
        return a->load < b->load ? 1 : -1;
    return compare_order(left, right);
}

/* Returns the filled part of the counter's bar in the latest sample; -1 if it has no value. */
static double load_of(const struct counter_ref *counter, const struct history *history)
{
    const struct view_sample *newest = history_at(history, 0);
    double value = newest ? counter_value(counter, newest) : (double)NAN;
    if (isnan(value))
        return -1;
    double scale = counter_scale(counter, history);
    return scale > 0 ? value / scale : 0;
}

size_t model_counters(const struct model *model, const struct model_device *device, size_t **out)
{
    static int (*const comparisons[SORTS])(const void *, const void *) = {
        compare_order, compare_names, compare_loads};
    const struct view_device_info *info = device->info;
    size_t all = info ? info->counter_count : 0, count = 0;
    struct sorted *sorted = malloc((all + 1) * sizeof *sorted);
    *out = malloc((all + 1) * sizeof **out);
    if (!sorted || !*out) {
        free(sorted);
        return 0;
    }
    for (size_t i = 0; i < all; i++) {
        const struct counter_ref counter = {info, i};
        if (!device->chosen[i] && model->mode != MODE_CHOOSE)
            continue;
        sorted[count++] = (struct sorted){
            i, info->counters[i].name,
            model->sort == SORT_LOAD ? load_of(&counter, model_history(model, device)) : 0};
    }
    qsort(sorted, count, sizeof *sorted, comparisons[model->sort]);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = sorted[model->reversed ? count - 1 - i : i].index;
    free(sorted);
    return count;
}

/* Returns the position of the selected counter among those shown; 0 if it is not. */
static size_t position_of(const struct model_device *device, const size_t *shown, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(device->info->counters[shown[i]].symbol, device->selected))
            return i;
    return 0;
}

static void select_counter(struct model_device *device, size_t index)
{
    snprintf(device->selected, sizeof device->selected, "%s", device->info->counters[index].symbol);
}

void model_move(struct model *model, long lines)
{
    struct model_device *device = &model->devices[model->current];
    size_t *shown, count = model_counters(model, device, &shown);
    if (count) {
        long to = (long)position_of(device, shown, count) + lines;
        to = to < 0 ? 0 : to;
        select_counter(device, shown[min_size((size_t)to, count - 1)]);
    }
    free(shown);
}

static bool matches(const struct view_counter *counter, const char *text)
{
    return strcasestr(counter->symbol, text) || strcasestr(counter->name, text) ||
           strcasestr(counter->group, text);
}

bool model_find(struct model *model, int direction, bool stay)
{
    struct model_device *device = &model->devices[model->current];
    size_t *shown, count = model_counters(model, device, &shown);
    size_t at = count ? position_of(device, shown, count) : 0;
    bool found = false;
    for (size_t step = stay ? 0 : 1; *model->search && step <= count && count && !found; step++) {
        size_t i = direction > 0 ? (at + step) % count : (at + count - step % count) % count;
        found = matches(&device->info->counters[shown[i]], model->search);
        if (found)
            select_counter(device, shown[i]);
    }
    free(shown);
    return found;
}

void model_toggle(struct model *model, bool all)
{
    struct model_device *device = &model->devices[model->current];
    const struct view_device_info *info = device->info;
    bool any_hidden = false;
    for (size_t i = 0; info && i < info->counter_count; i++)
        any_hidden |= !device->chosen[i];
    for (size_t i = 0; info && i < info->counter_count; i++) {
        if (all)
            device->chosen[i] = any_hidden;
        else if (!strcmp(info->counters[i].symbol, device->selected))
            device->chosen[i] = !device->chosen[i];
    }
}

/* ---- metric sets ----------------------------------------------------------------------------- */

void model_free_sets(struct model_set *sets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(sets[i].symbol);
        free(sets[i].name);
    }
    free(sets);
}

void model_list_sets(struct model *model, struct model_set *sets, size_t count, const char *current)
{
    model_free_sets(model->sets, model->set_count);
    model->sets = sets;
    model->set_count = count;
    model->set_selected = model->set_scroll = 0;
    model->set_filter[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (!strcmp(sets[i].symbol, current))
            model->set_selected = i;
    model->mode = MODE_SETS;
}

bool model_shows_set(const struct model *model, size_t set)
{
    return strcasestr(model->sets[set].symbol, model->set_filter) ||
           strcasestr(model->sets[set].name, model->set_filter);
}

void model_move_set(struct model *model, long lines)
{
    size_t first = model->set_count, last = model->set_count, at = model->set_selected;
    for (size_t i = 0; i < model->set_count; i++) {
        if (!model_shows_set(model, i))
            continue;
        first = first == model->set_count ? i : first;
        last = i;
    }
    if (first == model->set_count)
        return;
    if (!model_shows_set(model, at)) {
        while (at < last && !model_shows_set(model, at))
            at++;
        at = model_shows_set(model, at) ? at : last;
    }
    for (; lines > 0 && at < last; lines--)
        do
            at++;
        while (!model_shows_set(model, at));
    for (; lines < 0 && at > first; lines++)
        do
            at--;
        while (!model_shows_set(model, at));
    model->set_selected = at;
}

const struct model_set *model_selected_set(const struct model *model)
{
    bool any =
        model->set_selected < model->set_count && model_shows_set(model, model->set_selected);
    return any ? &model->sets[model->set_selected] : NULL;
}
