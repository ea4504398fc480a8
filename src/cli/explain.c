/* SPDX-License-Identifier: MIT */
/* tally explain: prints a counter's equation as a tree, with the values of one delta. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/expected.h"
#include "cli/explain_signals.h"
#include "cli/input.h"
#include "cli/plan.h"
#include "cli/registers.h"
#include "cli/unknown.h"
#include "sink/number.h"
#include "sink/sink.h"

/* Splits "FILE@REPORT" at the last @, since the path may contain one. */
static bool split_location(char *location, uint64_t *report)
{
    char *at = strrchr(location, '@'), *end;
    if (!at || at == location || !isdigit((unsigned char)at[1]))
        return false;
    errno = 0;
    *report = strtoull(at + 1, &end, 0);
    if (*end || errno)
        return false;
    *at = '\0';
    return true;
}

struct search {
    uint64_t wanted; /* index of the report that starts the delta */
    const struct tally_recording_info *info;
    uint64_t deltas[TALLY_SLOT_COUNT];
    uint64_t start_ticks, end_ticks;
    uint32_t context;
    uint8_t state, reason;
    bool found;
};

static void search_batch(struct search *search, const struct tally_batch *batch)
{
    uint64_t last = batch->first_index + batch->count - 1;
    if (search->wanted < batch->first_index || search->wanted >= last)
        return;
    size_t i = (size_t)(search->wanted - batch->first_index);
    tally_accumulate(search->info->layout, batch->reports + i, 1, search->deltas);
    search->start_ticks = batch->gpu_ticks[i];
    search->end_ticks = batch->gpu_ticks[i + 1];
    search->context = batch->contexts[i];
    search->reason = batch->reasons[i];
    search->state = batch->states[i];
    search->found = true;
}

static int find_delta(struct tally_recording *recording, struct search *search)
{
    struct tally_error error = {0};
    struct tally_batch *batch = tally_batch_new();
    int result = batch ? 1 : fail_memory(&error, "a batch");
    while (!search->found && result > 0 &&
           (result = tally_recording_read(recording, batch, &error)) > 0)
        search_batch(search, batch);
    tally_batch_free(batch);
    if (search->found)
        return EXIT_DONE;
    if (result < 0)
        return report_error(&error);
    return usage_error("explain: no delta starts at report %" PRIu64 ": %s has %" PRIu64 " reports",
                       search->wanted, search->info->path,
                       tally_recording_totals(recording).reports);
}

static void write_text(void *closure, const char *text)
{
    output_text(closure, text);
}

static void put_description(struct output *output, const struct tally_metric_set *set,
                            const struct tally_counter *counter)
{
    output_style(output, "1");
    output_printf(output, "%s.%s", set->symbol, counter->symbol);
    output_style(output, "0");
    output_printf(output, "  %s, %s, %s\n", counter->name, counter->units,
                  counter->type == TALLY_DOUBLE ? "float" : "uint64");
    if (*counter->description)
        output_printf(output, "%s\n", counter->description);
    output_style(output, "2");
    output_printf(output, "%s:%u", set->file, counter->line);
    output_style(output, "0");
    output_printf(output, "\n  %s\n", *counter->formula ? counter->formula : counter->equation);
    if (*counter->max_equation)
        output_printf(output, "at most\n  %s\n", counter->max_equation);
    if (*counter->availability)
        output_printf(output, "available if\n  %s\n", counter->availability);
}

static void put_delta(struct output *output, const struct search *search)
{
    char from[64], context[16], reasons[GROUP_TEXT_BYTES];
    uint64_t ticks = search->end_ticks - search->start_ticks;
    format_quantity(from, sizeof from, (double)ticks_to_ns(search->info, ticks), "ns");
    context_text(context, search->info, search->context);
    reasons_text(reasons, search->reason);
    output_printf(output, "\nreport %" PRIu64 " to %" PRIu64 ": %s, context %s, %s\n",
                  search->wanted, search->wanted + 1, from, context, reasons);
    if (search->state != TALLY_STATE_OK)
        output_printf(output, "This delta is %s: the values below are not reliable.\n",
                      tally_state_name((enum tally_state)search->state));
}

#define COUNTERS_MAX 1024

static int unknown_counter(const struct tally_metric_set *set, const char *symbol)
{
    const char *names[COUNTERS_MAX];
    char place[128], expected[EXPECTED_BYTES];
    size_t count = 0;
    for (; count < set->counter_count && count < COUNTERS_MAX; count++)
        names[count] = set->counters[count].symbol;
    snprintf(place, sizeof place, "tally list counters %s", set->symbol);
    return usage_error("explain: unknown counter \"%s\" of %s%s", symbol, set->symbol,
                       expected_word(expected, symbol, names, count, place));
}

static int explain(const struct arguments *arguments, const struct tally_metric_set *set,
                   const char *symbol, const struct tally_environment *environment,
                   const struct tally_layout *layout, const struct search *search)
{
    struct tally_error error = {0};
    struct tally_program *program;
    int code = EXIT_DONE;
    ptrdiff_t counter = tally_metric_set_counter(set, symbol);
    if (counter < 0)
        return unknown_counter(set, symbol);
    if (tally_program_new(set, environment, layout, &program, &error) < 0)
        return report_error(&error);
    struct output *output = open_output(arguments, &code);
    if (output) {
        enum tally_counter_state state = tally_program_state(program, (size_t)counter);
        put_description(output, set, &set->counters[counter]);
        if (state != TALLY_COUNTER_OK)
            output_printf(output, "On this GPU and report layout the counter is %s.\n",
                          tally_counter_state_name(state));
        if (search->found)
            put_delta(output, search);
        output_text(output, "\n");
        if (tally_program_explain(program, (size_t)counter, search->found ? search->deltas : NULL,
                                  write_text, output, &error) < 0)
            code = report_error(&error);
        union tally_value maximum;
        if (search->found &&
            !tally_program_maximum(program, (size_t)counter, search->deltas, &maximum)) {
            if (set->counters[counter].type == TALLY_DOUBLE)
                output_printf(output, "\nat most %.6f\n", maximum.f);
            else
                output_printf(output, "\nat most %" PRIu64 "\n", maximum.u);
        }
        if (code == EXIT_DONE && set->signal_count)
            code = explain_signals(output, set, (size_t)counter);
        code = close_output(output, code);
    }
    tally_program_free(program);
    return code;
}

/* Sets *name to the first set of a chipset that has a counter. Prints an error if none has it;
 * returns an exit code. */
static int set_of(struct tally_catalog *catalog, const char *chipset, const char *symbol,
                  const char **name)
{
    const struct tally_metric_set *const *sets;
    struct tally_error error = {0};
    const char *names[COUNTERS_MAX];
    char place[64], expected[EXPECTED_BYTES];
    size_t known = 0;
    ptrdiff_t count = tally_catalog_sets(catalog, chipset, &sets, &error);
    if (count < 0)
        return report_error(&error);
    for (ptrdiff_t i = 0; i < count; i++) {
        if (tally_metric_set_counter(sets[i], symbol) >= 0) {
            *name = sets[i]->symbol;
            return EXIT_DONE;
        }
        for (size_t c = 0; c < sets[i]->counter_count && known < COUNTERS_MAX; c++)
            names[known++] = sets[i]->counters[c].symbol;
    }
    snprintf(place, sizeof place, "tally list counters --chipset %s", chipset);
    return usage_error("explain: unknown counter \"%s\" of %s%s", symbol, chipset,
                       expected_word(expected, symbol, names, known, place));
}

/* The chipset of --chipset, with the layout of reports that has most signals. */
static int find_chipset_option(const struct arguments *arguments, const char **chipset,
                               struct tally_environment *environment,
                               const struct tally_layout **layout)
{
    const char *name = arguments->values[OPTION_CHIPSET];
    const struct tally_chipset *found = tally_chipset_find(name);
    if (!found)
        return unknown_chipset(name);
    if (arguments->values[OPTION_PLATFORM])
        return usage_error("explain: --chipset and --platform are mutually exclusive");
    if (arguments->values[OPTION_LAYOUT])
        return usage_error("explain: --layout is only for --platform");
    *chipset = found->name;
    *environment = (struct tally_environment){.timestamp_hz = 1000000000};
    *layout = tally_layout_find("pcounter/a64_c64");
    return EXIT_DONE;
}

int command_explain(const struct arguments *arguments)
{
    char *name = arguments->operands[0], *dot = strchr(name, '.');
    const char *symbol = dot ? dot + 1 : name;
    const char *set_name = "RenderBasic", *uuid = NULL;
    struct tally_recording *recording = NULL;
    struct tally_error error = {0};
    struct search search = {0};
    struct tally_environment environment;
    const struct tally_layout *layout = NULL;
    const char *chipset = NULL;
    int code;

    if (tally_chipset_find(name))
        return explain_plan(arguments, tally_chipset_find(name));
    if (arguments->operand_count > 2)
        return usage_error("explain: unexpected argument \"%s\"", arguments->operands[2]);
    if (is_register(name))
        return explain_register(arguments);
    size_t chip = 0; /* characters of a name before a colon */
    while (isalnum((unsigned char)name[chip]))
        chip++;
    if (chip && name[chip] == ':')
        return unknown_chip(name);
    if (dot) {
        *dot = '\0';
        set_name = name;
    }
    if (arguments->operand_count == 2) {
        char *location = arguments->operands[1];
        if (!split_location(location, &search.wanted))
            return usage_error("explain: \"%s\", expected FILE@REPORT", location);
        code = open_recording(arguments, location, false, &recording);
        if (code != EXIT_DONE)
            return code;
        search.info = tally_recording_info(recording);
        tally_environment_of(search.info, &environment);
        layout = search.info->layout;
        chipset = search.info->device.chipset;
        if (!dot && *search.info->recorded.set_name)
            set_name = search.info->recorded.set_name;
        if (!strcmp(set_name, search.info->recorded.set_name))
            uuid = search.info->recorded.set_uuid;
        code = find_delta(recording, &search);
    } else if (arguments->values[OPTION_CHIPSET]) {
        code = find_chipset_option(arguments, &chipset, &environment, &layout);
        if (code != EXIT_DONE)
            return code;
    } else {
        const char *platform_name = arguments->values[OPTION_PLATFORM];
        const char *layout_name = arguments->values[OPTION_LAYOUT];
        const struct tally_sku *sku = platform_name ? tally_sku_find(platform_name) : NULL;
        if (!sku)
            return platform_name ? unknown_sku(platform_name)
                                 : usage_error("explain: expects --platform, --chipset or "
                                               "FILE@REPORT");
        chipset = sku->chipset;
        tally_environment_of_sku(sku, &environment);
        layout = tally_layout_default(environment.platform);
        if (layout_name && !(layout = tally_layout_find(layout_name)))
            return unknown_layout(layout_name);
        code = EXIT_DONE;
    }
    struct tally_catalog *catalog = NULL;
    const struct tally_metric_set *set;
    if (code == EXIT_DONE) {
        catalog = tally_catalog_new(arguments->values[OPTION_METRICS]);
        if (!catalog)
            code = report_memory();
        else if (!dot && arguments->values[OPTION_CHIPSET])
            code = set_of(catalog, chipset, symbol, &set_name);
        if (code == EXIT_DONE &&
            tally_catalog_find(catalog, chipset, uuid, set_name, &set, &error) < 0)
            code = report_error(&error);
        if (code == EXIT_DONE)
            code = explain(arguments, set, symbol, &environment, layout, &search);
    }
    tally_catalog_free(catalog);
    tally_recording_close(recording);
    return code;
}
