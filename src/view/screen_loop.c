/* SPDX-License-Identifier: MIT */
/* The view in the terminal. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/metrics.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/error.h"
#include "capture/capture.h"
#include "view/draw.h"
#include "view/keys.h"
#include "view/loop.h"
#include "view/screen.h"

/* The screen is drawn at most this often, and at least once a second for the age of samples. */
#define FRAME_NS UINT64_C(40000000)

static const uint64_t intervals_ns[] = {50000000,   100000000,  200000000,  500000000,
                                        1000000000, 2000000000, 5000000000, 10000000000};

/* ---- requests of keys ------------------------------------------------------------------------ */

static struct model_device *current(struct loop *loop)
{
    return &loop->model.devices[loop->model.current];
}

static struct view_source *current_source(struct loop *loop)
{
    return loop->sources[loop->model.current];
}

/* Returns whether the current device is live; otherwise says so. */
static bool check_live(struct loop *loop, const char *what)
{
    const struct model_device *device = current(loop);
    if (device->info && !device->info->is_recorded && !device->ended)
        return true;
    model_message(&loop->model, true, "%s: %s", what,
                  !device->info               ? "nothing has arrived yet"
                  : device->info->is_recorded ? "this is a recording"
                                              : "the device has ended");
    return false;
}

static void save(struct loop *loop)
{
    char path[4096];
    const char *name = loop->settings->save;
    if (!check_live(loop, "save"))
        return;
    if (loop->saved)
        snprintf(path, sizeof path, "%s.%u", name, loop->saved);
    else
        snprintf(path, sizeof path, "%s", name);
    if (!view_source_save(current_source(loop), path)) {
        model_message(&loop->model, true, "save: the file before has not been begun");
        return;
    }
    loop->saved++;
    model_message(&loop->model, false, "saving to %s", path);
}

static void change_interval(struct loop *loop, bool longer)
{
    if (!check_live(loop, "interval"))
        return;
    uint64_t now_ns = current(loop)->info->interval_ns, to_ns = now_ns;
    for (size_t i = 0; i < ARRAY_COUNT(intervals_ns); i++) {
        size_t at = longer ? i : ARRAY_COUNT(intervals_ns) - 1 - i;
        if (longer ? intervals_ns[at] > now_ns : intervals_ns[at] < now_ns) {
            to_ns = intervals_ns[at];
            break;
        }
    }
    char text[32];
    model_message(&loop->model, false, "a sample every %s",
                  duration_text(to_ns, text, sizeof text));
    view_source_set_interval(current_source(loop), to_ns);
}

static void change_period(struct loop *loop, bool longer)
{
    char text[32];
    if (!check_live(loop, "period"))
        return;
    uint64_t now_ns = current(loop)->info->period_ns;
    uint64_t to_ns = longer ? now_ns * 2 : now_ns / 2;
    if (!now_ns || to_ns < 1000 || to_ns > intervals_ns[ARRAY_COUNT(intervals_ns) - 1]) {
        model_message(&loop->model, true, "period: no other one is possible");
        return;
    }
    model_message(&loop->model, false, "requested a report every %s",
                  duration_text(to_ns, text, sizeof text));
    view_source_set_period(current_source(loop), to_ns);
}

/* Copies the sets of a catalog for a chipset. Returns their number or an error. */
static ptrdiff_t copy_sets(struct tally_catalog *catalog, const char *chipset,
                           struct model_set **out, struct tally_error *error)
{
    const struct tally_metric_set *const *sets;
    ptrdiff_t count = catalog ? tally_catalog_sets(catalog, chipset, &sets, error) : -ENOMEM;
    struct model_set *copies = count > 0 ? calloc((size_t)count, sizeof *copies) : NULL;
    bool complete = copies != NULL;
    for (ptrdiff_t i = 0; i < count && copies; i++) {
        copies[i] = (struct model_set){strdup(sets[i]->symbol), strdup(sets[i]->name)};
        complete &= copies[i].symbol && copies[i].name;
    }
    if (count > 0 && !complete) {
        if (copies)
            model_free_sets(copies, (size_t)count);
        return fail_memory(error, "metric sets");
    }
    *out = copies;
    return count;
}

static void list_sets(struct loop *loop)
{
    const struct view_source_settings *settings = &loop->source_settings[loop->model.current];
    struct tally_error error = {0};
    struct model_set *sets = NULL;
    if (!check_live(loop, "metric set"))
        return;
    if (settings->recording->expression_count) {
        model_message(&loop->model, true, "metric set: expressions are counted (-e)");
        return;
    }
    struct tally_catalog *catalog = tally_catalog_new(settings->recording->metrics);
    ptrdiff_t count = copy_sets(catalog, settings->capture->gpu.device.chipset, &sets, &error);
    tally_catalog_free(catalog);
    if (count > 0)
        model_list_sets(&loop->model, sets, (size_t)count, current(loop)->info->set);
    else
        model_message(&loop->model, true, "metric set: %s",
                      count < 0 ? error.message : "this GPU has none");
}

static void change_set(struct loop *loop)
{
    const struct model_set *set = model_selected_set(&loop->model);
    if (!set || !check_live(loop, "metric set"))
        return;
    if (!view_source_set_metrics(current_source(loop), set->symbol))
        model_message(&loop->model, true, "metric set: the one before has not been begun");
    else
        model_message(&loop->model, false, "counting %s: %s", set->symbol, set->name);
}

/* Performs what a key requests. Returns false to quit. */
static bool perform(struct loop *loop, enum keys_request request)
{
    switch (request) {
    case KEYS_QUIT:
        return false;
    case KEYS_SAVE:
        save(loop);
        break;
    case KEYS_PAUSE:
        for (size_t i = 0; i < loop->model.device_count; i++)
            view_source_pause(loop->sources[i], loop->model.paused);
        break;
    case KEYS_SLOWER:
    case KEYS_FASTER:
        change_interval(loop, request == KEYS_SLOWER);
        break;
    case KEYS_LONGER_PERIOD:
    case KEYS_SHORTER_PERIOD:
        change_period(loop, request == KEYS_LONGER_PERIOD);
        break;
    case KEYS_LIST_SETS:
        list_sets(loop);
        break;
    case KEYS_CHANGE_SET:
        change_set(loop);
        break;
    case KEYS_NOTHING:
        break;
    }
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int show(struct loop *loop, struct canvas *canvas, size_t *page, struct tally_error *error)
{
    size_t rows, columns;
    bool ascii;
    screen_size(&rows, &columns, &ascii);
    if (canvas_start(canvas, rows, columns, ascii) < 0)
        return fail_memory(error, "a screen");
    *page = draw_model(&loop->model, canvas, clock_ns(CLOCK_MONOTONIC));
    screen_show(canvas);
    return 0;
}

static int run(struct loop *loop, struct tally_error *error)
{
    struct canvas canvas = {0};
    size_t page = 1;
    uint64_t shown_ns = 0;
    bool going = true;
    int result = 0;
    while (going && result == 0) {
        uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        uint64_t wait_ns = shown_ns + FRAME_NS > now_ns ? shown_ns + FRAME_NS - now_ns : 0;
        bool pressed = false;
        for (uint32_t key; going && (key = screen_key());) {
            going = perform(loop, keys_press(&loop->model, key, page));
            pressed = true;
        }
        if (!going)
            break;
        if (pressed || !wait_ns) {
            result = show(loop, &canvas, &page, error);
            shown_ns = clock_ns(CLOCK_MONOTONIC);
            wait_ns = NS_PER_SECOND;
        }
        going = loop_wait(loop, true, (int)(wait_ns / 1000000) + 1, NULL, NULL);
    }
    canvas_fini(&canvas);
    return result;
}

int top_run_screen(const struct top_settings *settings, struct top_result *result,
                   struct tally_error *error)
{
    struct loop loop;
    int code = screen_open(error);
    if (code < 0)
        return code;
    code = loop_start(&loop, settings, result, error);
    if (code == 0)
        code = run(&loop, error);
    screen_close();
    loop_end(&loop);
    return code;
}
