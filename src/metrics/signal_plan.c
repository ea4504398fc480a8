/* SPDX-License-Identifier: MIT */
#include "metrics/signal_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "metrics/equation.h"

uint64_t signal_set_all(const struct tally_metric_set *set)
{
    return set->signal_count < 64 ? (UINT64_C(1) << set->signal_count) - 1 : UINT64_MAX;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void fill_request(const struct tally_metric_signal *signal,
                         struct perfmon_selector *selectors, struct perfmon_request *out)
{
    for (size_t i = 0; i < signal->selector_count; i++) {
        const struct tally_selector_write *write = &signal->selectors[i];
        selectors[i] =
            (struct perfmon_selector){write->address, write->mask, write->value, write->stride};
    }
    *out = (struct perfmon_request){
        .expression = signal->expression,
        .domain = signal->domain,
        .instance = ALL_INSTANCES,
        .mode = PERFMON_ANY_MODE,
        .selectors = selectors,
        .selector_count = signal->selector_count,
        .group = signal->group,
    };
}

int signal_set_plan(const struct tally_metric_set *set, uint64_t signals, unsigned flags,
                    struct perfmon_plan **out, struct tally_error *error)
{
    const struct tally_chipset *chipset = tally_chipset_find(set->chipset);
    struct perfmon_request requests[TALLY_SET_SIGNALS];
    size_t count = 0, selector_count = 0;
    if (!chipset)
        return fail(error, -ENODEV, "%s is not an NVIDIA chipset", set->chipset);
    for (size_t i = 0; i < set->signal_count; i++)
        selector_count += set->signals[i].selector_count;
    struct perfmon_selector *selectors = calloc(selector_count + 1, sizeof *selectors);
    if (!selectors)
        return fail_memory(error, "a plan");
    selector_count = 0;
    for (size_t i = 0; i < set->signal_count && count < TALLY_SET_SIGNALS; i++) {
        if (!(signals >> i & 1))
            continue;
        fill_request(&set->signals[i], selectors + selector_count, &requests[count++]);
        selector_count += set->signals[i].selector_count;
    }
    int result = perfmon_plan_new(chipset, requests, count, flags, out, error);
    free(selectors);
    return result;
}

/* ---- what values are proportional to -----------------------------------------------------------
 */

struct exposing {
    const struct tally_metric_set *set;
    struct tally_metric_signal *signals; /* to be grouped, or NULL */
    struct equation *equations;
    uint64_t *exposed; /* by the counters */
    uint64_t nodes[EQUATION_NODES_MAX];
};

/* Makes signals one group, with those of the groups that they are in. */
static void join_signals(struct exposing *exposing, uint64_t joined)
{
    struct tally_metric_signal *signals = exposing->signals;
    unsigned group = 0;
    if (!signals || !(joined & (joined - 1)))
        return;
    for (size_t i = 0; i < exposing->set->signal_count; i++) {
        unsigned other = signals[i].group;
        if (!(joined >> i & 1))
            continue;
        if (!group)
            group = other ? other : (unsigned)i + 1;
        for (size_t k = 0; other && k < exposing->set->signal_count; k++)
            if (signals[k].group == other)
                signals[k].group = group;
        signals[i].group = group;
    }
}

static uint64_t exposed_by(struct exposing *exposing, const struct equation *equation)
{
    uint64_t *nodes = exposing->nodes;
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        nodes[i] = 0;
        if (node->op == OP_READ && (node->source == SOURCE_A || node->source == SOURCE_CLOCKS))
            nodes[i] = UINT64_C(1) << (node->index & 63);
        else if (node->op == OP_COUNTER)
            nodes[i] = exposing->exposed[node->index];
        else if (node->op >= OP_UADD)
            nodes[i] = nodes[node->left] | nodes[node->right];
        if (node->op != OP_RATIO)
            continue;
        join_signals(exposing, nodes[i]);
        nodes[i] = 0;
    }
    return equation->count ? nodes[equation->count - 1] : 0;
}

int signal_set_exposed(const struct tally_metric_set *set, struct tally_metric_signal *signals,
                       uint64_t *exposed)
{
    size_t count = set->counter_count;
    struct exposing *exposing = calloc(1, sizeof *exposing);
    struct equation *equations = calloc(count + 1, sizeof *equations);
    bool done = exposing && equations, changed = done;
    for (size_t i = 0; done && i < count; i++)
        done = equation_parse(set->counters[i].equation, set, &equations[i], NULL) != -ENOMEM;
    if (done)
        *exposing = (struct exposing){set, signals, equations, exposed, {0}};
    for (size_t i = 0; i < count; i++)
        exposed[i] = 0;
    /* References between counters are followed by repeating this: a counter exposes more only while
     * others do. */
    while (done && changed) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            uint64_t now = exposed_by(exposing, &equations[i]);
            changed |= now != exposed[i];
            exposed[i] = now;
        }
    }
    for (size_t i = 0; equations && i < count; i++)
        equation_fini(&equations[i]);
    free(equations);
    free(exposing);
    return done ? 0 : -ENOMEM;
}

/* ---- checks ------------------------------------------------------------------------------------
 */

struct check {
    const struct tally_metric_set *set;
    void (*found)(void *closure, enum tally_lint_severity severity, unsigned line,
                  const char *symbol, const char *attribute, const char *what);
    void *closure;
    struct tally_error error;
    unsigned errors;
};

/* Plans signals; on an error, reports it about signal `first`. Returns the number of passes, 0
 * after an error, or -ENOMEM. */
static int try_plan(struct check *check, uint64_t signals, size_t first, const char *attribute,
                    const char *before)
{
    const struct tally_metric_signal *signal = &check->set->signals[first];
    struct perfmon_plan *plan = NULL;
    char what[600];
    int result = signal_set_plan(check->set, signals, 0, &plan, &check->error);
    if (result == -ENOMEM)
        return result;
    if (result < 0) {
        check->errors++;
        snprintf(what, sizeof what, "%s%s", before, check->error.message);
        check->found(check->closure, TALLY_LINT_ERROR, signal->line, signal->symbol, attribute,
                     what);
        return 0;
    }
    int passes = (int)plan->passes;
    perfmon_plan_free(plan);
    return passes;
}

static int check_signals(struct check *check)
{
    for (size_t i = 0; i < check->set->signal_count; i++)
        if (try_plan(check, UINT64_C(1) << i, i, "signal", "") < 0)
            return -ENOMEM;
    return 0;
}

static int check_groups(struct check *check)
{
    const struct tally_metric_signal *signals = check->set->signals;
    uint64_t done = 0;
    for (size_t i = 0; i < check->set->signal_count; i++) {
        uint64_t members = 0;
        char before[400] = "";
        size_t used = 0;
        if (!signals[i].group || (done >> i & 1))
            continue;
        for (size_t k = i; k < check->set->signal_count; k++) {
            if (signals[k].group != signals[i].group)
                continue;
            members |= UINT64_C(1) << k;
            if (used < sizeof before)
                used += (size_t)snprintf(before + used, sizeof before - used, "%s%s",
                                         used ? ", " : "", signals[k].symbol);
        }
        if (used < sizeof before)
            snprintf(before + used, sizeof before - used,
                     " are terms of one ratio, expected ones that are counted in one pass: ");
        done |= members;
        if (try_plan(check, members, i, "group", before) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Warns of counters whose values grow with the time in which their signals are counted: if there
 * are several passes, counts are not extrapolated to all of the time (PC-AMB-112). */
static int check_passes(struct check *check)
{
    const struct tally_metric_set *set = check->set;
    char what[160];
    int passes = try_plan(check, signal_set_all(set), 0, "signal", "");
    uint64_t *exposed = calloc(set->counter_count + 1, sizeof *exposed);
    int result = passes < 0 || !exposed ? -ENOMEM : signal_set_exposed(set, NULL, exposed);
    if (result == 0 && passes > 1) {
        snprintf(what, sizeof what, "counted in %d passes, in turn", passes);
        check->found(check->closure, TALLY_LINT_NOTE, set->line, NULL, "signals", what);
    }
    for (size_t i = 0; result == 0 && passes > 1 && i < set->counter_count; i++) {
        const struct tally_counter *counter = &set->counters[i];
        if (!exposed[i])
            continue;
        snprintf(what, sizeof what,
                 "a count of one of the set's %d passes, which is a part of the time; expected a "
                 "ratio, or a set of one pass",
                 passes);
        check->found(check->closure, TALLY_LINT_WARNING, counter->line, counter->symbol, "equation",
                     what);
    }
    free(exposed);
    return result;
}

int signal_set_check(const struct tally_metric_set *set,
                     void (*found)(void *closure, enum tally_lint_severity severity, unsigned line,
                                   const char *symbol, const char *attribute, const char *what),
                     void *closure)
{
    struct check check = {.set = set, .found = found, .closure = closure};
    int result = check_signals(&check);
    if (result == 0 && !check.errors)
        result = check_groups(&check);
    if (result == 0 && !check.errors)
        result = check_passes(&check);
    return result;
}
