/* SPDX-License-Identifier: MIT */
/* Turns the passes that were found into registers: setups, counters, clocks and selectors. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "driver/perfmon/planner.h"

/* Returns the number of instances that a place stands for, and the first one. */
static unsigned place_instances(const struct planner *planner, const struct place *place,
                                unsigned *first)
{
    *first = place->instance == ALL_INSTANCES ? 0 : (unsigned)place->instance;
    return place->instance == ALL_INSTANCES ? perfmon_instances(planner->chipset, place->domain)
                                            : 1;
}

/* The slots of the functions of a place in the present pass. */
struct placed {
    struct pass_place state;
    struct place_result result;
    uint32_t first_setup;
    unsigned setups;
};

static int add_setups(struct planner *planner, uint32_t pass, unsigned number,
                      struct placed *placed, size_t *capacity)
{
    struct perfmon_plan *plan = planner->plan;
    const struct place *place = &planner->problem.places[number];
    unsigned first;
    placed->setups = place_instances(planner, place, &first);
    placed->first_setup = (uint32_t)plan->setup_count;
    for (unsigned i = 0; i < placed->setups; i++) {
        struct perfmon_setup *setups =
            array_grow(plan->setups, capacity, plan->setup_count, sizeof *setups);
        if (!setups)
            return fail_memory(planner->error, "a plan");
        plan->setups = setups;
        struct perfmon_setup *setup = &plan->setups[plan->setup_count++];
        *setup = (struct perfmon_setup){.pass = pass,
                                        .domain = place->domain,
                                        .instance = (uint8_t)(first + i),
                                        .counter_mode = placed->result.mode};
        memcpy(setup->sources, placed->result.sources, sizeof setup->sources);
        memcpy(setup->operations, placed->result.operations, sizeof setup->operations);
        for (unsigned k = 0; k < placed->state.count; k++)
            setup->slots |= (uint8_t)(1u << placed->result.slots[k]);
    }
    return 0;
}

static unsigned slot_of(const struct placed *placed, uint32_t function)
{
    for (unsigned i = 0; i < placed->state.count; i++)
        if (placed->state.functions[i] == function)
            return placed->result.slots[i];
    return SLOTS;
}

static int add_taps(struct planner *planner, uint32_t request, const struct placed *placed,
                    size_t *capacity)
{
    struct perfmon_plan *plan = planner->plan;
    const struct item *item = &planner->items[request];
    struct perfmon_placement *placement = &plan->placements[request];
    placement->first_tap = (uint32_t)plan->tap_count;
    for (unsigned k = 0; k < item->place_count; k++) {
        const struct placed *at = &placed[item->first_place + k];
        for (unsigned i = 0; i < at->setups; i++) {
            struct perfmon_tap *taps =
                array_grow(plan->taps, capacity, plan->tap_count, sizeof *taps);
            if (!taps)
                return fail_memory(planner->error, "a plan");
            plan->taps = taps;
            plan->taps[plan->tap_count++] =
                (struct perfmon_tap){at->first_setup + i, (uint8_t)slot_of(at, item->function)};
        }
    }
    placement->tap_count = (uint32_t)plan->tap_count - placement->first_tap;
    return 0;
}

/* Finds or adds the clock of a request. */
static int add_clock(struct planner *planner, uint32_t pass, uint32_t request, size_t *capacity)
{
    struct perfmon_plan *plan = planner->plan;
    const struct resolved *resolved = &planner->resolved[request];
    size_t i = plan->clock_count;
    while (i && plan->clocks[i - 1].pass == pass) {
        const struct perfmon_clock *clock = &plan->clocks[--i];
        if (clock->domain == resolved->domain && clock->instance == resolved->instance) {
            plan->placements[request].clock = (uint32_t)i;
            return 0;
        }
    }
    struct perfmon_clock *clocks =
        array_grow(plan->clocks, capacity, plan->clock_count, sizeof *clocks);
    if (!clocks)
        return fail_memory(planner->error, "a plan");
    plan->clocks = clocks;
    plan->clocks[plan->clock_count] =
        (struct perfmon_clock){pass, (uint8_t)resolved->domain, resolved->instance};
    plan->placements[request].clock = (uint32_t)plan->clock_count++;
    return 0;
}

/* Adds a selector to a pass, or its bits to those of the same register. */
static int add_pass_setting(struct planner *planner, uint32_t pass,
                            const struct perfmon_setting *setting, size_t *capacity)
{
    struct perfmon_plan *plan = planner->plan;
    for (size_t i = plan->setting_count; i && plan->settings[i - 1].pass == pass; i--) {
        struct perfmon_setting *other = &plan->settings[i - 1];
        if (other->address != setting->address)
            continue;
        other->mask |= setting->mask;
        other->value |= setting->value;
        return 0;
    }
    struct perfmon_setting *settings =
        array_grow(plan->settings, capacity, plan->setting_count, sizeof *settings);
    if (!settings)
        return fail_memory(planner->error, "a plan");
    plan->settings = settings;
    plan->settings[plan->setting_count] = *setting;
    plan->settings[plan->setting_count++].pass = pass;
    return 0;
}

struct capacities {
    size_t setups, taps, clocks, settings;
};

static int add_request(struct planner *planner, uint32_t pass, uint32_t request,
                       const struct placed *placed, struct capacities *capacities)
{
    const struct problem *problem = &planner->problem;
    const struct item *item = &planner->items[request];
    struct perfmon_placement *placement = &planner->plan->placements[request];
    placement->function = planner->functions[item->function];
    placement->pass = pass;
    placement->domain = (uint8_t)planner->resolved[request].domain;
    placement->instance = planner->resolved[request].instance;
    placement->split = planner->split[request];
    int result = add_taps(planner, request, placed, &capacities->taps);
    if (!result)
        result = add_clock(planner, pass, request, &capacities->clocks);
    for (uint32_t i = 0; !result && i < item->setting_count; i++) {
        uint32_t number = problem->setting_numbers[item->first_setting + i];
        result = add_pass_setting(planner, pass, &problem->settings[number], &capacities->settings);
    }
    return result;
}

static int add_pass(struct planner *planner, uint32_t pass, const uint32_t *passes,
                    struct capacities *capacities)
{
    struct problem *problem = &planner->problem;
    struct pass_place states[PLACES_MAX];
    struct placed placed[PLACES_MAX] = {0};
    uint8_t modes = passes_state(problem, pass, states);
    int result = 0;
    if (problem->shared_mode)
        modes &= (uint8_t)-modes; /* the lowest one */
    for (unsigned i = 0; !result && i < problem->place_count; i++) {
        placed[i].state = states[i];
        if (states[i].count && passes_place(problem, i, &states[i], modes, &placed[i].result))
            result = add_setups(planner, pass, i, &placed[i], &capacities->setups);
    }
    for (uint32_t i = 0; !result && i < planner->count; i++)
        if (passes[i] == pass)
            result = add_request(planner, pass, i, placed, capacities);
    return result;
}

int planner_finish(struct planner *planner)
{
    const struct problem *problem = &planner->problem;
    struct perfmon_plan *plan = planner->plan;
    struct capacities capacities = {0};
    uint32_t *passes = calloc(planner->count + 1, sizeof *passes);
    int result = 0;
    if (!passes)
        return fail_memory(planner->error, "a plan");
    for (size_t b = 0; b < problem->bundle_count; b++)
        for (uint32_t i = 0; i < problem->bundles[b].count; i++)
            passes[planner->order[problem->bundles[b].first + i]] = problem->bundles[b].pass;
    plan->passes = problem->passes;
    plan->minimal = problem->minimal;
    for (uint32_t pass = 0; !result && pass < plan->passes; pass++)
        result = add_pass(planner, pass, passes, &capacities);
    free(passes);
    return result;
}
