/* SPDX-License-Identifier: MIT */
#include "perfmon/exhaustive.h"

#include <stdlib.h>
#include <string.h>

#include "nvidia/pcounter/registers.h"

/* Few signals, so that requests share some. */
static const uint8_t pool[] = {0x01, 0x02, 0x03, 0x04, 0x05};
#define POOL      (sizeof pool)
#define ARGUMENTS (2 * POOL) /* now, and one clock ago */

static bool has_quad(const struct tally_chipset *chipset)
{
    return chipset->revision >= TALLY_PCOUNTER_NV30;
}

static unsigned instances_of(const struct tally_chipset *chipset)
{
    return chipset->revision == TALLY_PCOUNTER_GF100 ? chipset->gpcs : 1;
}

/* ---- requests -------------------------------------------------------------------------------- */

static int random_domain(const struct tally_chipset *chipset, uint64_t *seed)
{
    unsigned last = chipset->domain_count > 1 ? 2 : 1;
    return chipset->revision == TALLY_PCOUNTER_GF100 ? (int)TALLY_DOMAIN(TALLY_SET_GPC, 0)
                                                     : (int)tree_below(seed, last);
}

void exhaustive_random(const struct tally_chipset *chipset, struct random_requests *out,
                       uint64_t *seed)
{
    unsigned groups = tree_below(seed, 3);
    *out = (struct random_requests){.chipset = chipset,
                                    .count = 1 + tree_below(seed, EXHAUSTIVE_REQUESTS)};
    for (unsigned i = 0; i < out->count; i++) {
        struct perfmon_request *request = &out->requests[i];
        int domain = random_domain(chipset, seed);
        const struct tree_options options = {
            .signals = pool,
            .signal_count = POOL,
            .max_bits = chipset->revision < TALLY_PCOUNTER_NV40 ? 4 : 6,
            .zero = perfmon_zero_signal(chipset, (unsigned)domain) >= 0,
            .delays = !tree_below(seed, 3),
            .max_gate = 2,
            .domain = -1};
        tree_random(&out->trees[i], &options, seed);
        *request = (struct perfmon_request){
            .expression = out->trees[i].text, .domain = domain, .instance = ALL_INSTANCES};
        if (instances_of(chipset) > 1 && !tree_below(seed, 3))
            request->instance = (int)tree_below(seed, 2);
        if (groups)
            request->group = tree_below(seed, groups + 2);
        if (!tree_below(seed, 4)) {
            out->selectors[i] = (struct perfmon_selector){0x400000 + 4 * tree_below(seed, 2), 3,
                                                          tree_below(seed, 3), 0};
            if (!tree_below(seed, 2))
                out->selectors[i].mask = 1;
            request->selectors = &out->selectors[i];
            request->selector_count = 1;
        }
        if (!tree_below(seed, 8))
            request->mode = out->trees[i].bit_count ? PERFMON_EVENT_B4 : PERFMON_SIMPLE;
    }
}

/* ---- one function ---------------------------------------------------------------------------- */

/* Values of all arguments from the bits of a number: first those now, then those before. */
static void set_values(unsigned bits, bool now[256], bool before[256])
{
    memset(now, 0, 256);
    memset(before, 0, 256);
    for (unsigned i = 0; i < POOL; i++) {
        now[pool[i]] = bits >> i & 1;
        before[pool[i]] = bits >> (POOL + i) & 1;
    }
}

/* The condition of a sum, or the function itself. */
static bool condition(const struct tree *tree, unsigned bits)
{
    bool now[256], before[256];
    struct tree logic = *tree;
    logic.bit_count = 0;
    set_values(bits, now, before);
    return tree_value(&logic, now, before);
}

/* Returns the mask of the arguments that a condition depends on. */
static unsigned arguments_of(const struct tree *tree)
{
    unsigned mask = 0;
    for (unsigned bits = 0; bits < 1u << ARGUMENTS; bits++) {
        bool value = condition(tree, bits);
        for (unsigned i = 0; i < ARGUMENTS; i++)
            if (!(mask >> i & 1) && !(bits >> i & 1) && condition(tree, bits | 1u << i) != value)
                mask |= 1u << i;
    }
    return mask;
}

static bool same_function(const struct tree *a, const struct tree *b)
{
    if (a->bit_count != b->bit_count || memcmp(a->bits, b->bits, a->bit_count) != 0)
        return false;
    for (unsigned bits = 0; bits < 1u << ARGUMENTS; bits++)
        if (condition(a, bits) != condition(b, bits))
            return false;
    return true;
}

struct function {
    const struct tree *tree;
    unsigned arguments; /* mask */
    bool always;        /* the condition is 1 */
};

/* ---- one domain ------------------------------------------------------------------------------ */

struct domain {
    unsigned count;
    const struct function *functions[EXHAUSTIVE_REQUESTS];
    int zero;
};

/* Whether the arguments can be in the four sources of an input; -1: a source that is free. */
static bool fits_arguments(unsigned arguments, const int sources[4], unsigned used)
{
    if (!arguments)
        return true;
    unsigned next = (unsigned)__builtin_ctz(arguments);
    bool delayed = next >= POOL;
    int signal = pool[next % POOL];
    for (unsigned i = 0; i < 4; i++)
        if (!(used >> i & 1) && (i < 2 || !delayed) && (sources[i] == -1 || sources[i] == signal) &&
            fits_arguments(arguments & (arguments - 1), sources, used | 1u << i))
            return true;
    return false;
}

/* The widths of the integers of START and EVENT in each counter mode, and whether they are gated.
 */
static const unsigned widths[5][2] = {{0, 0}, {0, 4}, {0, 6}, {4, 0}, {6, 2}};
static const bool gates[5] = {false, true, true, false, false};

static bool fits_slots(const struct domain *domain, unsigned mode, const unsigned slots[4])
{
    int sources[4][4];
    for (unsigned i = 0; i < 16; i++)
        sources[i / 4][i % 4] = -1;
    for (unsigned f = 0; f < domain->count; f++) {
        const struct function *function = domain->functions[f];
        unsigned slot = slots[f], width = 0;
        if (slot == SLOT_START || slot == SLOT_EVENT)
            width = widths[mode][slot == SLOT_EVENT];
        if ((width > 0) != (function->tree->bit_count > 0) || function->tree->bit_count > width)
            if (width || function->tree->bit_count)
                return false;
        if (width && !function->always && !(slot == SLOT_EVENT && gates[mode]))
            return false;
        for (unsigned i = 0; i < width; i++) {
            int signal = i < function->tree->bit_count ? function->tree->bits[i] : domain->zero;
            int *source = width == 2 ? &sources[SLOT_EVENT][i]
                          : i < 4    ? &sources[SLOT_START][i]
                                     : &sources[SLOT_EVENT][i - 2];
            if (signal < 0)
                return false;
            *source = signal;
        }
    }
    for (unsigned f = 0; f < domain->count; f++)
        if (!fits_arguments(domain->functions[f]->arguments, sources[slots[f]], 0))
            return false;
    return true;
}

/* Tries all assignments of functions to counters. */
static bool fits_mode(const struct domain *domain, bool quad, unsigned mode, unsigned next,
                      unsigned slots[4])
{
    if (next == domain->count)
        return fits_slots(domain, mode, slots);
    for (unsigned slot = 0; slot < 4; slot++) {
        bool used = !quad && slot != SLOT_EVENT;
        for (unsigned i = 0; i < next; i++)
            used |= slots[i] == slot;
        slots[next] = slot;
        if (!used && fits_mode(domain, quad, mode, next + 1, slots))
            return true;
    }
    return false;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static unsigned chip_modes(const struct tally_chipset *chipset)
{
    if (chipset->revision < TALLY_PCOUNTER_NV40)
        return 0x3;
    return chipset->revision == TALLY_PCOUNTER_GF100 ? 0x17 : 0x1f;
}

/* Adds a function to a domain unless it has it. False: too many. */
static bool add_function(struct domain *domain, const struct function *function)
{
    for (unsigned i = 0; i < domain->count; i++)
        if (same_function(domain->functions[i]->tree, function->tree))
            return true;
    if (domain->count == 4)
        return false;
    domain->functions[domain->count++] = function;
    return true;
}

/* Returns the counter modes in which a domain's instance can count the requests of a pass. */
static unsigned domain_modes(const struct random_requests *random, const struct function *functions,
                             unsigned pass, int number, unsigned instance)
{
    struct domain domain = {.zero = perfmon_zero_signal(random->chipset, (unsigned)number)};
    unsigned modes = chip_modes(random->chipset), found = 0, slots[4];
    for (unsigned i = 0; i < random->count; i++) {
        const struct perfmon_request *request = &random->requests[i];
        if (!(pass >> i & 1) || request->domain != number ||
            (request->instance != ALL_INSTANCES && request->instance != (int)instance))
            continue;
        if (request->mode)
            modes &= 1u << (request->mode - 1);
        if (!add_function(&domain, &functions[i]))
            return 0;
    }
    for (unsigned mode = 0; mode < 5; mode++)
        if ((modes >> mode & 1) && fits_mode(&domain, has_quad(random->chipset), mode, 0, slots))
            found |= 1u << mode;
    return found;
}

static bool fits_pass(const struct random_requests *random, const struct function *functions,
                      unsigned pass)
{
    unsigned shared = 0x1f;
    for (unsigned i = 0; i < random->count; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct perfmon_selector *a = &random->selectors[i], *b = &random->selectors[k];
            if ((pass >> i & 1) && (pass >> k & 1) && random->requests[i].selector_count &&
                random->requests[k].selector_count && a->address == b->address &&
                (a->value ^ b->value) & a->mask & b->mask)
                return false;
        }
    for (unsigned i = 0; i < random->count; i++)
        for (unsigned instance = 0; (pass >> i & 1) && instance < instances_of(random->chipset);
             instance++) {
            unsigned modes =
                domain_modes(random, functions, pass, random->requests[i].domain, instance);
            if (!modes)
                return false;
            shared &= modes;
        }
    return random->chipset->revision >= TALLY_PCOUNTER_NV40 || shared;
}

/* Whether a pass has all of a group or nothing of it. */
static bool keeps_groups(const struct random_requests *random, unsigned pass)
{
    for (unsigned i = 0; i < random->count; i++)
        for (unsigned k = 0; k < random->count; k++)
            if (random->requests[i].group &&
                random->requests[i].group == random->requests[k].group &&
                (pass >> i & 1) != (pass >> k & 1))
                return false;
    return true;
}

/* Returns the fewest passes for a set of requests: one pass has the first of them. */
static unsigned fewest(const bool *fits, unsigned left)
{
    unsigned best = 0, first = left & (0u - left);
    if (!left)
        return 0;
    for (unsigned pass = left; pass; pass = (pass - 1) & left) {
        if (!(pass & first) || !fits[pass])
            continue;
        unsigned rest = fewest(fits, left & ~pass);
        if ((left & ~pass) && !rest)
            continue;
        if (!best || rest + 1 < best)
            best = rest + 1;
    }
    return best;
}

unsigned exhaustive_passes(const struct random_requests *random)
{
    struct function functions[EXHAUSTIVE_REQUESTS];
    bool fits[1 << EXHAUSTIVE_REQUESTS];
    for (unsigned i = 0; i < random->count; i++) {
        functions[i].tree = &random->trees[i];
        functions[i].arguments = arguments_of(&random->trees[i]);
        functions[i].always = !functions[i].arguments && condition(&random->trees[i], 0);
    }
    for (unsigned pass = 0; pass < 1u << random->count; pass++)
        fits[pass] = keeps_groups(random, pass) && fits_pass(random, functions, pass);
    return fewest(fits, (1u << random->count) - 1);
}
