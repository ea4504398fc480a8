/* SPDX-License-Identifier: MIT */
/*
 * Finds the fewest passes: each bundle into the first pass that it fits, large ones first; if that
 * takes more passes than passes_bound() says are needed, a search over all assignments, which ends
 * after a fixed number of steps.
 */
#include "driver/perfmon/passes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvidia/pcounter/registers.h"

#define ALL_MODES UINT8_MAX
#define STEPS_MAX 20000

/* More bundles than this are not searched: the steps would not suffice. */
#define SEARCHED_MAX 200

/* A pass while it is filled. */
struct pass {
    struct pass_place *places; /* of the problem's place_count */
    uint32_t *settings;        /* indices; a list that grows */
    size_t setting_count, setting_capacity;
};

struct search {
    struct problem *problem;
    struct pass *passes;
    size_t pass_count; /* in use */
    uint32_t *sorted;  /* bundles, large ones first */
    uint32_t *chosen;  /* the pass of each of them */
    uint32_t best, bound;
    unsigned steps;
    bool failed; /* out of memory */
};

/* ---- one pass -------------------------------------------------------------------------------- */

bool passes_place(const struct problem *problem, unsigned place, const struct pass_place *state,
                  uint8_t modes, struct place_result *result)
{
    const struct perfmon_function *functions[SLOTS] = {NULL};
    for (unsigned i = 0; i < state->count; i++)
        functions[i] = &problem->functions[state->functions[i]];
    return place_functions(&problem->places[place].limits, state->modes & modes, functions,
                           state->count, result);
}

/* Whether a place counts a function already. */
static bool has_function(const struct pass_place *place, uint32_t function)
{
    for (unsigned i = 0; i < place->count; i++)
        if (place->functions[i] == function)
            return true;
    return false;
}

/* Returns the counter modes in which all places of the list can count what they have to. */
static uint8_t common_modes(const struct problem *problem, const struct pass_place *places)
{
    uint8_t modes = 0;
    for (unsigned mode = 0; mode < PERFMON_MODES; mode++) {
        bool fits = true;
        for (unsigned place = 0; fits && place < problem->place_count; place++)
            fits = !places[place].count ||
                   passes_place(problem, place, &places[place], (uint8_t)(1u << mode), NULL);
        modes |= (uint8_t)(fits << mode);
    }
    return modes;
}

/* Adds the functions of an item. Returns whether each place still has few enough of them. */
static bool add_functions(struct pass_place *places, const struct item *item,
                          struct conflict_report *report)
{
    for (unsigned i = 0; i < item->place_count; i++) {
        unsigned number = item->first_place + i;
        struct pass_place *place = &places[number];
        if (!place->count)
            place->modes = ALL_MODES;
        place->modes &= item->modes;
        if (has_function(place, item->function))
            continue;
        if (place->count == SLOTS) {
            *report = (struct conflict_report){CONFLICT_COUNTERS, number, SLOTS + 1, NULL, NULL};
            return false;
        }
        place->functions[place->count++] = item->function;
    }
    return true;
}

static bool check_places(const struct problem *problem, const struct pass_place *places,
                         const bool touched[PLACES_MAX], struct conflict_report *report)
{
    for (unsigned place = 0; place < problem->place_count; place++) {
        if (!touched[place] || passes_place(problem, place, &places[place], ALL_MODES, NULL))
            continue;
        *report =
            (struct conflict_report){CONFLICT_COUNTERS, place, places[place].count, NULL, NULL};
        return false;
    }
    if (!problem->shared_mode || common_modes(problem, places))
        return true;
    *report = (struct conflict_report){.conflict = CONFLICT_MODE};
    return false;
}

/* Adds a selector's value unless it contradicts another one. */
static bool add_setting(struct search *search, struct pass *pass, uint32_t number,
                        struct conflict_report *report)
{
    const struct perfmon_setting *settings = search->problem->settings, *new = &settings[number];
    for (size_t i = 0; i < pass->setting_count; i++) {
        const struct perfmon_setting *old = &settings[pass->settings[i]];
        if (old == new)
            return true;
        if (old->address != new->address)
            continue;
        if ((old->value ^ new->value) & old->mask & new->mask) {
            *report = (struct conflict_report){CONFLICT_SELECTOR, 0, 0, old, new};
            return false;
        }
    }
    if (pass->setting_count == pass->setting_capacity) {
        size_t capacity = 2 * pass->setting_capacity + 8;
        uint32_t *grown = realloc(pass->settings, capacity * sizeof *grown);
        if (!grown) {
            search->failed = true;
            return false;
        }
        pass->settings = grown;
        pass->setting_capacity = capacity;
    }
    pass->settings[pass->setting_count++] = number;
    return true;
}

/* The state of a pass before a bundle was added. */
struct before {
    struct pass_place places[PLACES_MAX];
    bool touched[PLACES_MAX];
    size_t setting_count;
};

static void restore(const struct problem *problem, struct pass *pass, const struct before *before)
{
    for (unsigned place = 0; place < problem->place_count; place++)
        if (before->touched[place])
            pass->places[place] = before->places[place];
    pass->setting_count = before->setting_count;
}

/* Whether a place has no counter left for a bundle, the usual reason why it does not fit. */
static bool is_full(const struct problem *problem, const struct pass *pass,
                    const struct bundle *bundle)
{
    for (uint32_t i = 0; i < bundle->count; i++) {
        const struct item *item = &problem->items[problem->order[bundle->first + i]];
        for (unsigned k = 0; k < item->place_count; k++) {
            const struct pass_place *place = &pass->places[item->first_place + k];
            if (place->count == SLOTS && !has_function(place, item->function))
                return true;
        }
    }
    return false;
}

/* Adds a bundle to a pass. On failure the pass is as before. */
static bool add_bundle(struct search *search, struct pass *pass, const struct bundle *bundle,
                       struct before *before, struct conflict_report *report)
{
    const struct problem *problem = search->problem;
    bool fits = true;
    memset(before->touched, 0, sizeof before->touched);
    before->setting_count = pass->setting_count;
    for (uint32_t i = 0; fits && i < bundle->count; i++) {
        const struct item *item = &problem->items[problem->order[bundle->first + i]];
        for (unsigned k = 0; k < item->place_count; k++) {
            unsigned place = item->first_place + k;
            if (!before->touched[place])
                before->places[place] = pass->places[place];
            before->touched[place] = true;
        }
        fits = add_functions(pass->places, item, report);
        for (uint32_t k = 0; fits && k < item->setting_count; k++)
            fits = add_setting(search, pass, problem->setting_numbers[item->first_setting + k],
                               report);
    }
    fits = fits && check_places(problem, pass->places, before->touched, report);
    if (!fits)
        restore(problem, pass, before);
    return fits;
}

static bool new_pass(const struct problem *problem, struct pass *pass)
{
    *pass = (struct pass){.places = calloc(problem->place_count + 1u, sizeof *pass->places)};
    return pass->places != NULL;
}

static void free_pass(struct pass *pass)
{
    free(pass->places);
    free(pass->settings);
}

int passes_fit(const struct problem *problem, const struct bundle *bundle,
               struct conflict_report *report)
{
    struct problem copy = *problem;
    struct search search = {.problem = &copy};
    struct before before;
    struct pass pass;
    if (!new_pass(problem, &pass))
        return -ENOMEM;
    bool fits = add_bundle(&search, &pass, bundle, &before, report);
    free_pass(&pass);
    return search.failed ? -ENOMEM : fits;
}

/* ---- all passes ------------------------------------------------------------------------------ */

/* Returns how much of the counters a bundle uses; integers leave less for others. */
static unsigned weight(const struct problem *problem, const struct bundle *bundle)
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < bundle->count; i++) {
        const struct item *item = &problem->items[problem->order[bundle->first + i]];
        const struct perfmon_function *function = &problem->functions[item->function];
        sum += item->place_count * (function->bit_count ? 3u + function->bit_count : 1u);
    }
    return sum;
}

struct weighted {
    uint32_t bundle, weight;
};

static int heavier_first(const void *a, const void *b)
{
    const struct weighted *first = a, *second = b;
    if (first->weight != second->weight)
        return first->weight > second->weight ? -1 : 1;
    return first->bundle < second->bundle ? -1 : 1;
}

static int sort_bundles(struct search *search)
{
    const struct problem *problem = search->problem;
    struct weighted *list = calloc(problem->bundle_count + 1, sizeof *list);
    if (!list)
        return -ENOMEM;
    for (uint32_t i = 0; i < problem->bundle_count; i++)
        list[i] = (struct weighted){i, weight(problem, &problem->bundles[i])};
    qsort(list, problem->bundle_count, sizeof *list, heavier_first);
    for (size_t i = 0; i < problem->bundle_count; i++)
        search->sorted[i] = list[i].bundle;
    free(list);
    return 0;
}

/* Returns the pass of an index, made if it is the next one. */
static struct pass *pass_at(struct search *search, uint32_t index)
{
    struct pass *pass = &search->passes[index];
    if (!pass->places && !new_pass(search->problem, pass))
        search->failed = true;
    return search->failed ? NULL : pass;
}

static void take_solution(struct search *search, uint32_t passes)
{
    search->best = passes;
    for (size_t i = 0; i < search->problem->bundle_count; i++)
        search->problem->bundles[search->sorted[i]].pass = search->chosen[i];
}

/* Each bundle into the first pass that it fits. */
static void first_fit(struct search *search)
{
    const struct problem *problem = search->problem;
    struct conflict_report report;
    struct before before;
    uint32_t used = 0;
    for (size_t i = 0; i < problem->bundle_count; i++) {
        const struct bundle *bundle = &problem->bundles[search->sorted[i]];
        for (uint32_t index = 0; index <= used; index++) {
            struct pass *pass = pass_at(search, index);
            if (!pass)
                return;
            if (is_full(problem, pass, bundle) ||
                !add_bundle(search, pass, bundle, &before, &report))
                continue;
            search->chosen[i] = index;
            used += index == used;
            break;
        }
    }
    take_solution(search, used);
}

/* Tries all passes for the bundles from `next` on. Ends early with a solution that needs no more
 * passes than the bound, or when the steps are used up. */
static void try_all(struct search *search, size_t next, uint32_t used)
{
    const struct problem *problem = search->problem;
    struct conflict_report report;
    struct before before;
    if (used >= search->best)
        return;
    if (next == problem->bundle_count) {
        take_solution(search, used);
        return;
    }
    const struct bundle *bundle = &problem->bundles[search->sorted[next]];
    for (uint32_t index = 0; index <= used && index + 1 < search->best; index++) {
        struct pass *pass = pass_at(search, index);
        if (!pass || search->best <= search->bound || ++search->steps > STEPS_MAX)
            return;
        if (is_full(problem, pass, bundle) || !add_bundle(search, pass, bundle, &before, &report))
            continue;
        search->chosen[next] = index;
        try_all(search, next + 1, used + (index == used));
        restore(problem, pass, &before);
    }
}

static void empty_passes(struct search *search)
{
    for (size_t i = 0; i < search->problem->bundle_count; i++) {
        struct pass *pass = &search->passes[i];
        pass->setting_count = 0;
        if (pass->places)
            memset(pass->places, 0, search->problem->place_count * sizeof *pass->places);
    }
}

/* Numbers the passes by the first request in each. */
static void renumber(struct search *search)
{
    struct problem *problem = search->problem;
    uint32_t *numbers = search->chosen, next = 0;
    for (uint32_t i = 0; i < search->best; i++)
        numbers[i] = UINT32_MAX;
    for (size_t i = 0; i < problem->bundle_count; i++) {
        uint32_t *number = &numbers[problem->bundles[i].pass];
        if (*number == UINT32_MAX)
            *number = next++;
        problem->bundles[i].pass = *number;
    }
}

int passes_find(struct problem *problem)
{
    struct search search = {.problem = problem, .bound = passes_bound(problem)};
    int result = -ENOMEM;
    search.passes = calloc(problem->bundle_count + 1, sizeof *search.passes);
    search.sorted = calloc(problem->bundle_count + 1, sizeof *search.sorted);
    search.chosen = calloc(problem->bundle_count + 1, sizeof *search.chosen);
    if (search.passes && search.sorted && search.chosen && !sort_bundles(&search)) {
        first_fit(&search);
        search.steps = problem->bundle_count > SEARCHED_MAX ? STEPS_MAX + 1 : 0;
        if (!search.failed && search.best > search.bound && !search.steps) {
            empty_passes(&search);
            try_all(&search, 0, 0);
        }
        result = search.failed ? -ENOMEM : 0;
    }
    if (!result) {
        problem->passes = search.best;
        problem->minimal = search.best <= search.bound || search.steps <= STEPS_MAX;
        renumber(&search);
    }
    for (size_t i = 0; search.passes && i <= problem->bundle_count; i++)
        free_pass(&search.passes[i]);
    free(search.passes);
    free(search.sorted);
    free(search.chosen);
    return result;
}

uint8_t passes_state(const struct problem *problem, uint32_t pass,
                     struct pass_place places[PLACES_MAX])
{
    struct conflict_report report;
    memset(places, 0, PLACES_MAX * sizeof *places);
    for (size_t i = 0; i < problem->bundle_count; i++) {
        const struct bundle *bundle = &problem->bundles[i];
        for (uint32_t k = 0; bundle->pass == pass && k < bundle->count; k++)
            add_functions(places, &problem->items[problem->order[bundle->first + k]], &report);
    }
    return problem->shared_mode ? common_modes(problem, places) : ALL_MODES;
}
