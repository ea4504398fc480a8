/* SPDX-License-Identifier: MIT */
/* tally explain of counters of NVIDIA's chipsets: from signals to registers. */
#include "cli/explain_signals.h"

#include <inttypes.h>
#include <stdio.h>

#include <tally/chipset.h>

#include "cli/plan.h"
#include "metrics/infix.h"
#include "metrics/signal_plan.h"
#include "nvidia/selectors.h"

/* Adds the signals of a counter's equation to `signals`, as bits. `seen` are the counters that are
 * done, as bits. */
static void find_signals(const struct tally_metric_set *set, size_t counter, uint64_t *seen,
                         uint64_t *signals)
{
    const char *formula = set->counters[counter].formula;
    char name[64];
    if (*seen >> counter & 1)
        return;
    *seen |= UINT64_C(1) << counter;
    while (infix_next_name(&formula, name, sizeof name)) {
        ptrdiff_t signal = metric_set_signal(set, name);
        ptrdiff_t other = tally_metric_set_counter(set, name);
        if (signal >= 0)
            *signals |= UINT64_C(1) << signal;
        else if (other >= 0)
            find_signals(set, (size_t)other, seen, signals);
    }
}

static const struct nvidia_selector *selector_of(const struct tally_chipset *chipset,
                                                 uint32_t address)
{
    const struct nvidia_selector *selector;
    for (size_t i = 0; (selector = nvidia_selector_at(i)); i++)
        if (selector->address == address && nvidia_selector_has(selector, chipset))
            return selector;
    return NULL;
}

static void put_selectors(struct output *output, const struct tally_chipset *chipset,
                          const struct tally_metric_signal *signal)
{
    for (size_t i = 0; i < signal->selector_count; i++) {
        const struct tally_selector_write *write = &signal->selectors[i];
        const struct nvidia_selector *selector = selector_of(chipset, write->address);
        output_printf(output, "  0x%06" PRIx32 " %-12s = 0x%08" PRIx32 "  mask 0x%08" PRIx32,
                      write->address, selector ? selector->name : "selector", write->value,
                      write->mask);
        if (write->stride)
            output_printf(output, ", and every 0x%" PRIx32 " bytes", write->stride);
        output_printf(output, "%s%s\n", selector ? ", " : "", selector ? selector->unit : "");
    }
}

int explain_signals(struct output *output, const struct tally_metric_set *set, size_t counter)
{
    const struct tally_chipset *chipset = tally_chipset_find(set->chipset);
    struct perfmon_plan *plan;
    struct tally_error error = {0};
    uint64_t seen = 0, signals = 0;
    if (!chipset || signal_set_plan(set, signal_set_all(set), 0, &plan, &error) < 0)
        return report_error(&error);
    find_signals(set, counter, &seen, &signals);
    for (size_t i = 0; i < set->signal_count; i++) {
        const struct tally_metric_signal *signal = &set->signals[i];
        char title[640];
        if (!(signals >> i & 1))
            continue;
        snprintf(title, sizeof title, "%s = %s", signal->symbol, signal->expression);
        output_text(output, "\n");
        put_placement(output, plan, i, title);
        put_selectors(output, chipset, signal);
    }
    perfmon_plan_free(plan);
    return EXIT_DONE;
}
