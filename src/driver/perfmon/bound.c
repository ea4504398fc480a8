/* SPDX-License-Identifier: MIT */
/* A number of passes that is needed at least, by counting what one pass can hold at most. */
#include <stdlib.h>
#include <string.h>

#include "driver/perfmon/passes.h"
#include "nvidia/pcounter/registers.h"

#define MODE(name) (1u << PCOUNTER_CTR_MODE__##name)

/* Instead of the number of a setting: all requests. */
#define NO_FILTER UINT32_MAX

/* Whether a request of a bundle needs a setting. */
static bool passes_filter(const struct problem *problem, const struct bundle *bundle,
                          uint32_t filter)
{
    if (filter == NO_FILTER)
        return true;
    for (uint32_t i = 0; i < bundle->count; i++) {
        const struct item *item = &problem->items[problem->order[bundle->first + i]];
        for (uint32_t k = 0; k < item->setting_count; k++)
            if (problem->setting_numbers[item->first_setting + k] == filter)
                return true;
    }
    return false;
}

/* The functions of a place. */
struct contents {
    uint32_t total;
    uint32_t gated;    /* integers that only CTR_EVENT adds */
    uint32_t large;    /* other integers of more than two bits */
    uint32_t small;    /* other integers */
    uint32_t wasteful; /* integers beside which a counter stays unused */
};

/* Whether a logic function could be counted beside an integer by the signals of its bits. */
static bool could_share(const struct problem *problem, const bool *present,
                        const struct perfmon_function *sum)
{
    for (size_t i = 0; i < problem->function_count; i++) {
        const struct perfmon_function *function = &problem->functions[i];
        bool all = present[i] && !function->bit_count;
        for (unsigned leaf = 0; all && leaf < function->logic.count; leaf++)
            all = memchr(sum->bits, function->logic.signals[leaf], sum->bit_count) != NULL;
        if (all)
            return true;
    }
    return false;
}

static struct contents count_contents(const struct problem *problem, unsigned place,
                                      const bool *present)
{
    uint8_t modes = problem->places[place].limits.modes;
    struct contents contents = {0};
    for (size_t i = 0; i < problem->function_count; i++) {
        const struct perfmon_function *function = &problem->functions[i];
        const struct perfmon_logic *logic = &function->logic;
        if (!present[i])
            continue;
        contents.total++;
        if (!function->bit_count)
            continue;
        bool gated =
            logic->count || logic->table != UINT16_MAX || !(modes & MODE(EXTRA_B6_EVENT_B2));
        bool small = !gated && function->bit_count <= 2;
        contents.gated += gated;
        contents.small += small;
        contents.large += !gated && !small;
        contents.wasteful += gated && !(modes & MODE(EXTRA_B4) && !logic->count) &&
                             !could_share(problem, present, function);
    }
    return contents;
}

/* A pass has one integer; or two if none is gated and one has up to two bits. */
static uint32_t contents_bound(const struct contents *contents, unsigned slots)
{
    uint32_t pairs = (contents->large + contents->small + 1) / 2;
    uint32_t integers = contents->gated + (contents->large > pairs ? contents->large : pairs);
    uint32_t counters =
        slots > 1 ? (contents->total + contents->wasteful + slots - 1) / slots : contents->total;
    return integers > counters ? integers : counters;
}

/* Marks the functions of a place that pass a filter and may be counted in the modes. */
static void mark_functions(const struct problem *problem, unsigned place, uint32_t filter,
                           bool *present)
{
    memset(present, 0, problem->function_count * sizeof *present);
    for (size_t b = 0; b < problem->bundle_count; b++) {
        const struct bundle *bundle = &problem->bundles[b];
        if (!passes_filter(problem, bundle, filter))
            continue;
        for (uint32_t i = 0; i < bundle->count; i++) {
            const struct item *item = &problem->items[problem->order[bundle->first + i]];
            if (place >= item->first_place && place - item->first_place < item->place_count)
                present[item->function] = true;
        }
    }
}

static unsigned slot_count(const struct problem *problem, unsigned place)
{
    return (unsigned)__builtin_popcount(problem->places[place].limits.slots);
}

/* Where there is one counter and one mode for all places, integers and other functions take turns.
 */
static uint32_t turns_bound(const struct problem *problem, uint32_t filter, bool *present)
{
    uint32_t integers = 0, others = 0;
    for (unsigned place = 0; place < problem->place_count; place++) {
        if (slot_count(problem, place) > 1)
            continue;
        mark_functions(problem, place, filter, present);
        struct contents contents = count_contents(problem, place, present);
        uint32_t sums = contents.gated + contents.small + contents.large;
        integers = sums > integers ? sums : integers;
        others = contents.total - sums > others ? contents.total - sums : others;
    }
    return integers + others;
}

static uint32_t filtered_bound(const struct problem *problem, uint32_t filter, bool *present)
{
    uint32_t bound = problem->shared_mode ? turns_bound(problem, filter, present) : 0;
    for (unsigned place = 0; place < problem->place_count; place++) {
        mark_functions(problem, place, filter, present);
        struct contents contents = count_contents(problem, place, present);
        uint32_t here = contents_bound(&contents, slot_count(problem, place));
        bound = here > bound ? here : bound;
    }
    return bound;
}

/* Whether two settings are of the same bits of a register. */
static bool same_selector(const struct problem *problem, uint32_t a, uint32_t b)
{
    return problem->settings[a].address == problem->settings[b].address &&
           problem->settings[a].mask == problem->settings[b].mask;
}

/* Requests that need different values of a selector are in different passes. */
static uint32_t selector_bound(const struct problem *problem, uint32_t first, bool *present)
{
    uint32_t bound = 0;
    for (uint32_t i = 0; i < problem->setting_count; i++) {
        if (!same_selector(problem, i, first))
            continue;
        if (i < first)
            return 0; /* has been examined */
        bound += filtered_bound(problem, i, present);
    }
    return bound;
}

uint32_t passes_bound(const struct problem *problem)
{
    bool *present = calloc(problem->function_count + 1, sizeof *present);
    if (!present)
        return 0;
    uint32_t bound = filtered_bound(problem, NO_FILTER, present);
    for (uint32_t i = 0; i < problem->setting_count; i++) {
        uint32_t here = selector_bound(problem, i, present);
        bound = here > bound ? here : bound;
    }
    free(present);
    return bound;
}
