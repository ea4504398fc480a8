/* SPDX-License-Identifier: MIT */
/* From metric sets and expressions to plans, and from plans to the record SIGNALS. */
#include "capture/counting.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "driver/perfmon/record.h"
#include "metrics/signal_plan.h"
#include "nvidia/pcounter/packet.h"
#include "recording/chipset.h"
#include "recording/pcounter_layouts.h"

void counting_fini(struct counting *counting)
{
    perfmon_plan_free(counting->plan);
    free(counting->symbols);
    free(counting->stop);
    *counting = (struct counting){0};
}

const struct tally_layout *counting_layout(const struct counting *counting)
{
    size_t i = 0;
    while (i + 1 < pcounter_layout_count &&
           !pcounter_layout_holds(&pcounter_layouts[i], counting->recorded.count))
        i++;
    return &pcounter_layouts[i];
}

/* Describes the plan; symbols and expressions are there. */
static int describe(struct counting *counting, struct tally_error *error)
{
    const struct perfmon_plan *plan = counting->plan;
    if (plan->passes > SIGNAL_PASSES_MAX || plan->clock_count > TALLY_SET_SIGNALS)
        return fail(error, -E2BIG, "%u passes and the clocks of %zu domains, expected at most %d",
                    plan->passes, plan->clock_count, TALLY_SET_SIGNALS);
    for (size_t i = 0; i < plan->clock_count; i++)
        counting->clocks[i] = (struct tally_recorded_clock){
            .pass = (uint8_t)plan->clocks[i].pass,
            .domain = plan->clocks[i].domain,
            .instance = plan->clocks[i].instance == ALL_INSTANCES &&
                                perfmon_instances(plan->chipset, plan->clocks[i].domain) > 1
                            ? TALLY_ALL_INSTANCES
                            : (uint16_t)(plan->clocks[i].instance == ALL_INSTANCES
                                             ? 0
                                             : plan->clocks[i].instance),
        };
    for (size_t i = 0; i < plan->placement_count; i++) {
        const struct perfmon_placement *placement = &plan->placements[i];
        counting->signals[i].bits = placement->function.bit_count;
        counting->signals[i].slot = plan->taps[placement->first_tap].slot;
        counting->signals[i].clock = (uint8_t)placement->clock;
    }
    counting->recorded =
        (struct tally_recorded_signals){counting->signals, plan->placement_count, counting->clocks,
                                        plan->clock_count, plan->passes};
    return 0;
}

int counting_of_set(struct counting *counting, const struct tally_metric_set *set, bool split,
                    struct tally_error *error)
{
    *counting = (struct counting){0};
    for (size_t i = 0; i < set->signal_count; i++)
        counting->signals[i] = (struct tally_recorded_signal){
            .symbol = set->signals[i].symbol, .expression = set->signals[i].expression};
    int result = signal_set_plan(set, signal_set_all(set), split ? PERFMON_SPLIT_GROUPS : 0,
                                 &counting->plan, error);
    if (result < 0)
        return fail_in(error, "metric set %s", set->symbol);
    return describe(counting, error);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Returns the length of a name in front of an expression, "busy=A"; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length && text[length] == '=' && isalpha((unsigned char)text[0]) ? length : 0;
}

/* Takes the symbol of an expression: its name, or its own text. */
static int take_symbol(struct counting *counting, size_t i, const char *text, char *symbol,
                       struct tally_error *error)
{
    size_t named = name_length(text), length = named ? named : strlen(text);
    counting->expressions[i] = named ? text + named + 1 : text;
    if (!*counting->expressions[i] || strlen(counting->expressions[i]) > SIGNAL_EXPRESSION_MAX ||
        named > SIGNAL_SYMBOL_MAX)
        return fail(error, -EINVAL,
                    "expression \"%.60s\", expected 1 to %d characters, and at most %d of a name",
                    text, SIGNAL_EXPRESSION_MAX, SIGNAL_SYMBOL_MAX);
    memcpy(symbol, text, length < SIGNAL_SYMBOL_MAX ? length : SIGNAL_SYMBOL_MAX);
    for (size_t other = 0; other < i; other++)
        if (!strcmp(counting->signals[other].symbol, symbol))
            return fail(error, -EINVAL,
                        "expression \"%.60s\": there is another one with the name \"%s\", expected "
                        "different names, such as other=...",
                        text, symbol);
    counting->signals[i] =
        (struct tally_recorded_signal){.symbol = symbol, .expression = counting->expressions[i]};
    return 0;
}

int counting_of_expressions(struct counting *counting, const struct tally_chipset *chipset,
                            const char *const *expressions, size_t count, struct tally_error *error)
{
    struct perfmon_request requests[TALLY_SET_SIGNALS];
    *counting = (struct counting){0};
    if (count > TALLY_SET_SIGNALS)
        return fail(error, -EINVAL, "%zu expressions, expected at most %d", count,
                    TALLY_SET_SIGNALS);
    counting->symbols = calloc(count, SIGNAL_SYMBOL_MAX + 1);
    if (!counting->symbols)
        return fail_memory(error, "expressions");
    for (size_t i = 0; i < count; i++) {
        int result = take_symbol(counting, i, expressions[i],
                                 counting->symbols + i * (SIGNAL_SYMBOL_MAX + 1), error);
        if (result < 0)
            return result;
        requests[i] = (struct perfmon_request){.expression = counting->expressions[i],
                                               .domain = ANY_DOMAIN,
                                               .instance = ALL_INSTANCES};
    }
    int result = perfmon_plan_new(chipset, requests, count, 0, &counting->plan, error);
    return result < 0 ? result : describe(counting, error);
}

/* ---- record mode ----------------------------------------------------------------------------- */

static int check_packets(const struct tally_chipset *chipset, size_t count,
                         const struct packet_options *options, struct tally_error *error)
{
    if (!perfmon_features(chipset)->record)
        return fail(error, -EOPNOTSUPP,
                    "%s has no record mode, expected a chipset from G84 to GT21x", chipset->title);
    if (!count || count > PERFMON_RECORD_SIGNALS)
        return fail(error, -EINVAL,
                    "record mode of %zu expressions, expected 1 to %d of one signal", count,
                    PERFMON_RECORD_SIGNALS);
    if (options->memory_bytes < PACKET_MEMORY_MIN || options->memory_bytes > PACKET_MEMORY_MAX ||
        options->memory_bytes % PACKET_MEMORY_MULTIPLE)
        return fail(error, -EINVAL,
                    "%llu bytes of memory for packets, expected a multiple of %u, from %u to %llu",
                    (unsigned long long)options->memory_bytes, PACKET_MEMORY_MULTIPLE,
                    PACKET_MEMORY_MIN, (unsigned long long)PACKET_MEMORY_MAX);
    return 0;
}

/* Takes the expressions and STOP, which is the last signal. */
static int take_packet_symbols(struct counting *counting, const char *const *expressions,
                               size_t count, struct tally_error *error)
{
    const char *stop = counting->options.stop ? counting->options.stop : "PCOUNTER.PERIODIC";
    counting->symbols = calloc(count + 1, SIGNAL_SYMBOL_MAX + 1);
    if (!counting->symbols || asprintf(&counting->stop, "STOP=%s", stop) < 0) {
        counting->stop = NULL;
        return fail_memory(error, "expressions");
    }
    int result = 0;
    for (size_t i = 0; i <= count && result == 0; i++) {
        result = take_symbol(counting, i, i < count ? expressions[i] : counting->stop,
                             counting->symbols + i * (SIGNAL_SYMBOL_MAX + 1), error);
        counting->signals[i].slot = i < count ? (uint8_t)(i / PACKET_SHORT_COUNTS) : SLOT_STOP;
    }
    return result;
}

int counting_of_packets(struct counting *counting, const struct tally_chipset *chipset,
                        const char *const *expressions, size_t count,
                        const struct packet_options *options, struct tally_error *error)
{
    *counting = (struct counting){
        .packets = true, .options = *options, .short_format = count <= PACKET_SHORT_COUNTS};
    if (!options->memory_bytes)
        counting->options.memory_bytes = PACKET_MEMORY_DEFAULT;
    int result = check_packets(chipset, count, &counting->options, error);
    if (result == 0)
        result = take_packet_symbols(counting, expressions, count, error);
    if (result < 0)
        return result;
    const struct perfmon_request request = {
        .expression = counting->expressions[0], .domain = ANY_DOMAIN, .instance = ALL_INSTANCES};
    result = perfmon_plan_new(chipset, &request, 1, 0, &counting->plan, error);
    if (result < 0)
        return result;
    counting->clocks[0] = (struct tally_recorded_clock){.domain = counting->plan->setups[0].domain};
    counting->recorded =
        (struct tally_recorded_signals){counting->signals, count + 1, counting->clocks, 1, 1};
    return 0;
}
