/* SPDX-License-Identifier: MIT */
/* Turns requests into functions of places, and groups into bundles. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "driver/perfmon/planner.h"
#include "nvidia/pcounter/registers.h"

static const char *const slot_names[SLOTS] = {"PRE", "START", "EVENT", "STOP"};

const char *perfmon_slot_name(unsigned slot)
{
    return slot < SLOTS ? slot_names[slot] : NULL;
}

/* Puts the expression in front of the message. Returns its code. */
static int fail_request(struct planner *planner, size_t request)
{
    char shown[EXPRESSION_SHOWN];
    fail_in(planner->error, "expression \"%s\"",
            expression_shown(planner->requests[request].expression, shown));
    return -EINVAL;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns the number of a function; equal ones have the same. */
static uint32_t intern(struct planner *planner, const struct perfmon_key *key,
                       const struct perfmon_function *function)
{
    struct problem *problem = &planner->problem;
    size_t hash = 0;
    for (size_t i = 0; i < sizeof key->bytes; i++)
        hash = hash * 31 + key->bytes[i];
    uint32_t *head = &planner->slots[hash % planner->slot_count];
    uint32_t *nexts = planner->slots + planner->slot_count;
    for (uint32_t at = *head; at != UINT32_MAX; at = nexts[at]) {
        struct perfmon_key other = perfmon_function_key(&planner->functions[at]);
        if (!memcmp(&other, key, sizeof other))
            return at;
    }
    uint32_t number = (uint32_t)problem->function_count++;
    planner->functions[number] = *function;
    nexts[number] = *head;
    *head = number;
    return number;
}

static int resolve(struct planner *planner, size_t i, struct perfmon_function *function)
{
    const struct perfmon_request *request = &planner->requests[i];
    struct resolved *resolved = &planner->resolved[i];
    struct expression expression;
    resolved->domain = request->domain;
    resolved->instance = request->instance;
    int result = expression_parse(request->expression, &expression, planner->error);
    if (!result)
        result = expression_resolve(&expression, planner->chipset, &resolved->domain,
                                    &resolved->instance, function, planner->error);
    return result;
}

static int resolve_all(struct planner *planner)
{
    for (size_t i = 0; i < planner->count; i++) {
        struct perfmon_function function;
        int result = resolve(planner, i, &function);
        if (result < 0)
            return result;
        planner->resolved[i].key = perfmon_function_key(&function);
        planner->items[i].function = intern(planner, &planner->resolved[i].key, &function);
    }
    return 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Whether a request names an instance of a domain. */
static bool has_single_instance(const struct planner *planner, int domain)
{
    for (size_t i = 0; i < planner->count; i++)
        if (planner->resolved[i].domain == domain && planner->resolved[i].instance != ALL_INSTANCES)
            return true;
    return false;
}

static void add_place(struct planner *planner, unsigned domain, int instance)
{
    struct problem *problem = &planner->problem;
    problem->places[problem->place_count++] = (struct place){
        .limits = {perfmon_slots(planner->chipset), perfmon_counter_modes(planner->chipset),
                   perfmon_zero_signal(planner->chipset, domain)},
        .domain = (uint8_t)domain,
        .instance = instance};
}

/* Makes the places of the domains in use: one for all instances, or one for each. */
static void make_places(struct planner *planner)
{
    bool used[TALLY_DOMAINS] = {false};
    for (size_t i = 0; i < planner->count; i++)
        used[planner->resolved[i].domain] = true;
    for (unsigned domain = 0; domain < TALLY_DOMAINS; domain++) {
        if (!used[domain])
            continue;
        if (!has_single_instance(planner, (int)domain)) {
            add_place(planner, domain, ALL_INSTANCES);
            continue;
        }
        for (unsigned i = 0; i < perfmon_instances(planner->chipset, domain); i++)
            add_place(planner, domain, (int)i);
    }
}

/* Finds the places of a request. */
static void find_places(const struct planner *planner, const struct resolved *resolved,
                        struct item *item)
{
    const struct problem *problem = &planner->problem;
    for (unsigned i = 0; i < problem->place_count; i++) {
        const struct place *place = &problem->places[i];
        if (place->domain != resolved->domain ||
            (resolved->instance != ALL_INSTANCES && place->instance != resolved->instance))
            continue;
        if (!item->place_count++)
            item->first_place = (uint16_t)i;
    }
}

/* ---- selectors ------------------------------------------------------------------------------- */

static int add_setting(struct planner *planner, struct item *item, struct perfmon_setting setting)
{
    struct problem *problem = &planner->problem;
    uint32_t number = 0;
    while (number < problem->setting_count &&
           memcmp(&planner->settings[number], &setting, sizeof setting) != 0)
        number++;
    struct perfmon_setting *settings = array_grow(planner->settings, &planner->setting_capacity,
                                                  problem->setting_count, sizeof *settings);
    planner->settings = settings ? settings : planner->settings;
    uint32_t *numbers = array_grow(planner->setting_numbers, &planner->number_capacity,
                                   planner->number_count, sizeof *numbers);
    planner->setting_numbers = numbers ? numbers : planner->setting_numbers;
    if (!settings || !numbers)
        return fail_memory(planner->error, "selectors");
    if (number == problem->setting_count)
        planner->settings[problem->setting_count++] = setting;
    planner->setting_numbers[planner->number_count++] = number;
    item->setting_count++;
    return 0;
}

/* A selector that each GPC or partition has is set in all instances of the request. */
static int add_settings(struct planner *planner, const struct perfmon_request *request,
                        const struct resolved *resolved, struct item *item)
{
    unsigned instances = perfmon_instances(planner->chipset, (unsigned)resolved->domain);
    int result = 0;
    item->first_setting = (uint32_t)planner->number_count;
    for (size_t i = 0; !result && i < request->selector_count; i++) {
        const struct perfmon_selector *selector = &request->selectors[i];
        for (unsigned k = 0; !result && k < (selector->stride ? instances : 1); k++) {
            if (selector->stride && resolved->instance != ALL_INSTANCES &&
                k != (unsigned)resolved->instance)
                continue;
            struct perfmon_setting setting = {0, selector->address + k * selector->stride,
                                              selector->mask, selector->value & selector->mask};
            result = add_setting(planner, item, setting);
        }
    }
    return result;
}

/* ---- bundles --------------------------------------------------------------------------------- */

/* Why no counter of a domain counts a request alone. */
static int fail_alone(struct planner *planner, size_t i)
{
    const struct item *item = &planner->items[i];
    const struct place *place = &planner->problem.places[item->first_place];
    const struct perfmon_function *function = &planner->functions[item->function];
    const char *chip = planner->chipset->name;
    uint8_t wide =
        (1u << PCOUNTER_CTR_MODE__EVENT_B6) | (1u << PCOUNTER_CTR_MODE__EXTRA_B6_EVENT_B2);
    if (place_modes(&place->limits, function))
        fail(planner->error, -EINVAL, "the requested counter mode of %s does not count it", chip);
    else if (function->bit_count > 4 && !(place->limits.modes & wide))
        fail(planner->error, -EINVAL, "a sum of %u signals, %s adds at most 4", function->bit_count,
             chip);
    else if (place->limits.zero < 0 && function->bit_count)
        fail(planner->error, -EINVAL,
             "no signal of domain %s of %s is known to be 0, which a sum of other than 2, 4 or 6 "
             "signals needs",
             tally_domain_name(place->domain), chip);
    else
        fail(planner->error, -EINVAL,
             "a sum of 5 or 6 signals, whose condition may use 2 others, and the last two signals "
             "of the sum");
    return fail_request(planner, i);
}

static int fail_selectors(struct planner *planner, const struct conflict_report *report)
{
    return fail(planner->error, -EINVAL,
                "selector 0x%06x would have to be 0x%x and 0x%x (mask 0x%x) at the same time",
                report->first->address, report->first->value, report->second->value,
                report->first->mask & report->second->mask);
}

/* Why the requests of a group do not fit one pass. */
static int fail_group(struct planner *planner, const struct bundle *bundle,
                      const struct conflict_report *report)
{
    const struct place *place = &planner->problem.places[report->place];
    char shown[EXPRESSION_SHOWN];
    switch (report->conflict) {
    case CONFLICT_SELECTOR:
        fail_selectors(planner, report);
        break;
    case CONFLICT_MODE:
        fail(planner->error, -E2BIG, "%s has one counter mode for all domains",
             planner->chipset->name);
        break;
    default:
        fail(planner->error, -E2BIG, "the counters of domain %s of %s cannot count %u of them",
             tally_domain_name(place->domain), planner->chipset->name, report->functions);
    }
    fail_in(planner->error, "\"%.40s\" and %u more expressions cannot be counted at the same time",
            expression_shown(planner->requests[bundle->request].expression, shown),
            bundle->count - 1);
    if (planner->error)
        planner->error->code = -E2BIG;
    return -E2BIG;
}

/* Checks that a bundle fits a pass. Returns 1; 0: a group that must be split; or an error. */
static int check_bundle(struct planner *planner, const struct bundle *bundle)
{
    struct conflict_report report = {0};
    int fits = passes_fit(&planner->problem, bundle, &report);
    if (fits < 0)
        return fail_memory(planner->error, "a plan");
    if (fits || (bundle->count > 1 && planner->flags & PERFMON_SPLIT_GROUPS))
        return fits;
    if (bundle->count > 1)
        return fail_group(planner, bundle, &report);
    if (report.conflict != CONFLICT_SELECTOR)
        return fail_alone(planner, bundle->request);
    fail_selectors(planner, &report);
    return fail_request(planner, bundle->request);
}

static struct bundle *add_bundle(struct planner *planner, uint32_t first, uint32_t count)
{
    struct bundle *bundle = &planner->bundles[planner->problem.bundle_count++];
    *bundle = (struct bundle){.first = first, .count = count, .request = planner->order[first]};
    return bundle;
}

/* Adds a group as a bundle, or its requests one by one if it has to be split. */
static int add_group(struct planner *planner, uint32_t first, uint32_t count)
{
    const struct bundle *bundle = add_bundle(planner, first, count);
    int result = check_bundle(planner, bundle);
    if (result)
        return result < 0 ? result : 0;
    planner->problem.bundle_count--;
    for (uint32_t i = 0; i < count; i++) {
        planner->split[planner->order[first + i]] = true;
        result = check_bundle(planner, add_bundle(planner, first + i, 1));
        if (result < 0)
            return result;
    }
    return 0;
}

struct grouped {
    unsigned group;
    uint32_t request;
};

/* By group; those without one as their own. */
static int by_group(const void *a, const void *b)
{
    const struct grouped *first = a, *second = b;
    if (first->group != second->group)
        return first->group < second->group ? -1 : 1;
    return first->request < second->request ? -1 : 1;
}

static int make_bundles(struct planner *planner)
{
    struct grouped *list = calloc(planner->count + 1, sizeof *list);
    int result = 0;
    if (!list)
        return fail_memory(planner->error, "a plan");
    for (uint32_t i = 0; i < planner->count; i++)
        list[i] = (struct grouped){planner->requests[i].group, i};
    qsort(list, planner->count, sizeof *list, by_group);
    for (size_t i = 0; i < planner->count; i++)
        planner->order[i] = list[i].request;
    for (uint32_t i = 0, end; !result && i < planner->count; i = end) {
        for (end = i + 1;
             list[i].group && end < planner->count && list[end].group == list[i].group;)
            end++;
        result = add_group(planner, i, end - i);
    }
    free(list);
    return result;
}

static int make_items(struct planner *planner)
{
    for (size_t i = 0; i < planner->count; i++) {
        const struct perfmon_request *request = &planner->requests[i];
        struct item *item = &planner->items[i];
        find_places(planner, &planner->resolved[i], item);
        item->modes =
            request->mode == PERFMON_ANY_MODE ? UINT8_MAX : (uint8_t)(1u << (request->mode - 1));
        int result = add_settings(planner, request, &planner->resolved[i], item);
        if (result < 0)
            return result;
    }
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int allocate(struct planner *planner)
{
    size_t count = planner->count + 1;
    planner->slot_count = count;
    planner->resolved = calloc(count, sizeof *planner->resolved);
    planner->functions = calloc(count, sizeof *planner->functions);
    planner->items = calloc(count, sizeof *planner->items);
    planner->order = calloc(count, sizeof *planner->order);
    planner->bundles = calloc(count, sizeof *planner->bundles);
    planner->split = calloc(count, sizeof *planner->split);
    planner->slots = malloc(2 * count * sizeof *planner->slots);
    planner->plan = calloc(1, sizeof *planner->plan);
    if (planner->plan)
        planner->plan->placements = calloc(count, sizeof *planner->plan->placements);
    if (!planner->resolved || !planner->functions || !planner->items || !planner->order ||
        !planner->bundles || !planner->split || !planner->slots || !planner->plan ||
        !planner->plan->placements)
        return fail_memory(planner->error, "a plan");
    memset(planner->slots, UINT8_MAX, 2 * count * sizeof *planner->slots);
    planner->plan->chipset = planner->chipset;
    planner->plan->placement_count = planner->count;
    return 0;
}

static void free_planner(struct planner *planner)
{
    free(planner->resolved);
    free(planner->functions);
    free(planner->items);
    free(planner->order);
    free(planner->bundles);
    free(planner->split);
    free(planner->slots);
    free(planner->settings);
    free(planner->setting_numbers);
}

static int plan_all(struct planner *planner)
{
    struct problem *problem = &planner->problem;
    int result = resolve_all(planner);
    if (result)
        return result;
    make_places(planner);
    result = make_items(planner);
    problem->shared_mode = perfmon_features(planner->chipset)->layout == LAYOUT_NV10;
    problem->functions = planner->functions;
    problem->settings = planner->settings;
    problem->setting_numbers = planner->setting_numbers;
    problem->items = planner->items;
    problem->item_count = planner->count;
    problem->order = planner->order;
    problem->bundles = planner->bundles;
    if (!result)
        result = make_bundles(planner);
    if (!result && passes_find(problem))
        result = fail_memory(planner->error, "a plan");
    return result ? result : planner_finish(planner);
}

int perfmon_plan_new(const struct tally_chipset *chipset, const struct perfmon_request *requests,
                     size_t count, unsigned flags, struct perfmon_plan **out,
                     struct tally_error *error)
{
    struct planner planner = {
        .chipset = chipset, .requests = requests, .count = count, .flags = flags, .error = error};
    if (chipset->presence == TALLY_ABSENT)
        return fail(error, -ENODEV, "%s has no PCOUNTER", chipset->title);
    int result = allocate(&planner);
    if (!result)
        result = plan_all(&planner);
    if (result)
        perfmon_plan_free(planner.plan);
    else
        *out = planner.plan;
    free_planner(&planner);
    return result;
}

void perfmon_plan_free(struct perfmon_plan *plan)
{
    if (!plan)
        return;
    free(plan->placements);
    free(plan->taps);
    free(plan->setups);
    free(plan->clocks);
    free(plan->settings);
    free(plan);
}
