/* SPDX-License-Identifier: MIT */
#include "metrics/recorded_set.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/chipset.h>

#include "base/error.h"
#include "metrics/set.h"

/* A set while it is made. */
struct making {
    const struct tally_recorded_signals *recorded;
    struct arena *arena;
    struct tally_metric_signal signals[TALLY_SET_SIGNALS];
    struct tally_counter counters[3 * TALLY_SET_SIGNALS];
    size_t count;
    bool broken; /* out of memory */
};

__attribute__((format(printf, 2, 3))) static const char *text(struct making *making,
                                                              const char *format, ...)
{
    char bytes[512];
    va_list list;
    va_start(list, format);
    vsnprintf(bytes, sizeof bytes, format, list);
    va_end(list);
    const char *copy = arena_text(making->arena, bytes);
    making->broken |= !copy;
    return copy ? copy : "";
}

static struct tally_counter *add(struct making *making, const char *symbol, const char *units,
                                 const char *semantic, enum tally_data_type type)
{
    struct tally_counter *counter = &making->counters[making->count++];
    *counter = (struct tally_counter){
        .symbol = symbol,
        .name = symbol,
        .description = "",
        .units = units,
        .semantic = semantic,
        .group = RECORDED_SET,
        .equation = "",
        .formula = "",
        .max_equation = "",
        .availability = "",
        .type = type,
    };
    return counter;
}

/* Where a signal is counted, and when. */
static const char *place_of(struct making *making, const struct tally_recorded_signal *signal)
{
    const struct tally_recorded_clock *clock = &making->recorded->clocks[signal->clock];
    const char *domain = tally_domain_name(clock->domain);
    if (making->recorded->passes > 1)
        return text(making, "domain %s, counted in pass %u of %u", domain, clock->pass + 1u,
                    making->recorded->passes);
    return text(making, "domain %s", domain);
}

/* A signal that is true or not. */
static void add_logic(struct making *making, size_t i)
{
    const struct tally_recorded_signal *signal = &making->recorded->signals[i];
    struct tally_counter *share =
        add(making, text(making, "%s", signal->symbol), "percent", "ratio", TALLY_DOUBLE);
    share->description = text(making, "Share of the clocks in which %s is true; %s.",
                              signal->expression, place_of(making, signal));
    share->equation = text(making, "100 A %zu READ CLOCKS %zu READ FRATIO FMUL", i, i);
    struct tally_counter *count =
        add(making, text(making, "%s.count", signal->symbol), "number", "event", TALLY_UINT64);
    count->description = text(making, "Clocks in which %s is true; %s.", signal->expression,
                              place_of(making, signal));
    count->equation = text(making, "A %zu READ", i);
}

/* A signal that is a number. */
static void add_number(struct making *making, size_t i)
{
    const struct tally_recorded_signal *signal = &making->recorded->signals[i];
    struct tally_counter *sum =
        add(making, text(making, "%s", signal->symbol), "number", "event", TALLY_UINT64);
    sum->description =
        text(making, "%s, added up; %s.", signal->expression, place_of(making, signal));
    sum->equation = text(making, "A %zu READ", i);
    struct tally_counter *mean =
        add(making, text(making, "%s.mean", signal->symbol), "number", "ratio", TALLY_DOUBLE);
    mean->description =
        text(making, "%s, mean of all clocks; %s.", signal->expression, place_of(making, signal));
    mean->equation = text(making, "A %zu READ CLOCKS %zu READ FRATIO", i, i);
}

/* The clocks of a domain in a pass, which are those of its first signal. */
static void add_clock(struct making *making, size_t clock)
{
    const struct tally_recorded_signals *recorded = making->recorded;
    const struct tally_recorded_clock *about = &recorded->clocks[clock];
    const char *domain = tally_domain_name(about->domain);
    char instance[16] = "", pass[16] = "";
    size_t i = 0;
    while (i < recorded->count && recorded->signals[i].clock != clock)
        i++;
    if (i == recorded->count)
        return;
    if (about->domain >= TALLY_PCOUNTER_DOMAINS && about->instance != TALLY_ALL_INSTANCES)
        snprintf(instance, sizeof instance, "[%u]", about->instance);
    if (recorded->passes > 1)
        snprintf(pass, sizeof pass, ".pass%u", about->pass + 1u);
    struct tally_counter *counter =
        add(making, text(making, "clocks.%s%s%s", domain, instance, pass), "cycles", "event",
            TALLY_UINT64);
    counter->description = text(making, "Clocks of domain %s%s that were counted%s.", domain,
                                instance, recorded->passes > 1 ? " in the pass" : "");
    counter->equation = text(making, "CLOCKS %zu READ", i);
}

static bool make(struct making *making, const struct tally_recording_info *info,
                 struct tally_metric_file *file)
{
    const struct tally_recorded_signals *recorded = making->recorded;
    for (size_t i = 0; i < recorded->count; i++) {
        making->signals[i] = (struct tally_metric_signal){
            .symbol = text(making, "%s", recorded->signals[i].symbol),
            .expression = text(making, "%s", recorded->signals[i].expression),
            .domain = recorded->clocks[recorded->signals[i].clock].domain,
        };
        if (recorded->signals[i].bits)
            add_number(making, i);
        else
            add_logic(making, i);
    }
    for (size_t i = 0; i < recorded->clock_count; i++)
        add_clock(making, i);
    file->sets = calloc(1, sizeof *file->sets);
    if (!file->sets)
        return false;
    file->set_count = 1;
    file->sets[0] = (struct tally_metric_set){
        .symbol = RECORDED_SET,
        .name = "What was recorded",
        .chipset = text(making, "%s", info->device.chipset),
        .uuid = "",
        .oa_format = "",
        .file = file->path,
        .counters =
            arena_copy(making->arena, making->counters, making->count * sizeof *making->counters),
        .counter_count = making->count,
        .signals =
            arena_copy(making->arena, making->signals, recorded->count * sizeof *making->signals),
        .signal_count = recorded->count,
    };
    return !making->broken && file->sets[0].counters && file->sets[0].signals;
}

int recorded_set_new(const struct tally_recording_info *info, struct tally_metric_file **out,
                     struct tally_error *error)
{
    struct tally_metric_file *file = calloc(1, sizeof *file);
    struct making *making = calloc(1, sizeof *making);
    bool done = file && making;
    if (done) {
        making->recorded = info->signals;
        making->arena = &file->arena;
        file->path = text(making, "%s", info->path);
        done = make(making, info, file);
    }
    free(making);
    if (!done) {
        tally_metric_file_free(file);
        return fail_memory(error, "a metric set");
    }
    *out = file;
    return 0;
}

int recorded_set_check(const struct tally_recording_info *info, const struct tally_metric_set *set,
                       struct tally_error *error)
{
    const struct tally_recorded_signals *recorded = info->signals;
    size_t i = 0;
    while (i < recorded->count && i < set->signal_count &&
           !strcmp(recorded->signals[i].symbol, set->signals[i].symbol) &&
           !strcmp(recorded->signals[i].expression, set->signals[i].expression))
        i++;
    if (i == recorded->count && i == set->signal_count)
        return 0;
    return fail(error, -EBADMSG,
                "%s: recorded signals are not those of the metric set %s (%s): signal %zu is %s, "
                "expected %s; the set \"" RECORDED_SET "\" has what was recorded",
                info->path, set->symbol, set->file, i,
                i < recorded->count ? recorded->signals[i].symbol : "missing",
                i < set->signal_count ? set->signals[i].symbol : "none");
}
