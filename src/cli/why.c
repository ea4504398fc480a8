/* SPDX-License-Identifier: MIT */
/* tally why: why a counter of a recording is zero or has no value. */
#include "cli/why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/expected.h"
#include "base/ratio.h"
#include "cli/input.h"
#include "metrics/equation.h"
#include "metrics/program.h"
#include "metrics/recorded_set.h"
#include "sink/number.h"
#include "sink/sink.h"

/* ---- the equation ---------------------------------------------------------------------------- */

/* Returns the raw counter that a node reads, whether the layout has it or not; 0: none. */
static unsigned slot_of(const struct evidence *evidence, const struct node *node)
{
    static const unsigned slots[SOURCE_COUNT] = {
        [SOURCE_A] = TALLY_SLOT_A,
        [SOURCE_B] = TALLY_SLOT_B,
        [SOURCE_C] = TALLY_SLOT_C,
        [SOURCE_GPU_TIME] = TALLY_SLOT_TIMESTAMP,
        [SOURCE_GPU_CLOCK] = TALLY_SLOT_TICKS,
        [SOURCE_CLOCKS] = TALLY_SLOT_PEC,
    };
    if (node->op != OP_READ || node->source == SOURCE_PERFCNT)
        return 0;
    int slot = read_slot(evidence->info->layout, node);
    return slot < 0 ? slots[node->source] + node->index : (unsigned)slot;
}

/* Marks the raw counters that an equation reads, also through other counters of the set. */
static void mark_slots(struct evidence *evidence, const char *equation, unsigned depth)
{
    const struct tally_metric_set *set = evidence->set;
    struct tally_error error = {0};
    struct equation parsed;
    if (depth > set->counter_count || equation_parse(equation, set, &parsed, &error) < 0)
        return;
    for (size_t i = 0; i < parsed.count; i++) {
        const struct node *node = &parsed.nodes[i];
        unsigned slot = slot_of(evidence, node);
        if (slot && slot < TALLY_SLOT_COUNT)
            evidence->used[slot] = true;
        if (node->op == OP_COUNTER)
            mark_slots(evidence, set->counters[node->index].equation, depth + 1);
    }
    equation_fini(&parsed);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void take_value(struct evidence *evidence, union tally_value value,
                       enum tally_data_type type)
{
    double number = tally_value_double(value, type);
    if (!tally_value_is_defined(value, type)) {
        evidence->undefined++;
        return;
    }
    bool first = !evidence->zero && !evidence->nonzero;
    evidence->minimum = first || number < evidence->minimum ? number : evidence->minimum;
    evidence->maximum = first || number > evidence->maximum ? number : evidence->maximum;
    if (number != 0)
        evidence->nonzero++;
    else
        evidence->zero++;
}

/* Counts deltas with fewer GPU clocks than the lowest frequency gives: the clock stood still for
 * the rest of the time, or longer. Where its counter may have wrapped, that is not known. */
static void take_clocks(struct evidence *evidence, uint64_t ticks, uint64_t clocks, bool lost)
{
    const struct tally_environment *environment = &evidence->environment;
    unsigned width = tally_layout_width(evidence->info->layout, TALLY_SLOT_TICKS);
    if (!width || !environment->gt_min_hz ||
        (width < 64 &&
         scale_u64(ticks, environment->gt_max_hz, environment->timestamp_hz) >> width))
        return;
    uint64_t running = scale_u64(clocks, environment->timestamp_hz, environment->gt_min_hz);
    if (ticks <= running + 1)
        return;
    evidence->stopped++;
    evidence->stopped_lost += lost;
    evidence->stopped_ticks += ticks - running;
}

static void take_delta(struct evidence *evidence, const struct tally_batch *batch, size_t i,
                       struct tally_program *program)
{
    const struct tally_layout *layout = evidence->info->layout;
    uint64_t sums[TALLY_SLOT_COUNT] = {0}, ticks = batch->gpu_ticks[i + 1] - batch->gpu_ticks[i];
    evidence->lost += batch->states[i] == TALLY_STATE_LOST;
    evidence->ambiguous += batch->states[i] == TALLY_STATE_AMBIGUOUS;
    if (batch->states[i] == TALLY_STATE_AMBIGUOUS || batch->states[i] == TALLY_STATE_PAUSED)
        return;
    tally_accumulate(layout, batch->reports + i, 1, sums);
    take_clocks(evidence, ticks, sums[TALLY_SLOT_TICKS], batch->states[i] == TALLY_STATE_LOST);
    if (batch->states[i] != TALLY_STATE_OK)
        return;
    for (size_t slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        evidence->deltas[slot] += sums[slot];
    evidence->good++;
    if (tally_program_state(program, evidence->counter) != TALLY_COUNTER_OK)
        return;
    tally_program_run(program, batch->reports + i, 1);
    take_value(evidence, tally_program_values(program, evidence->counter)[0],
               evidence->set->counters[evidence->counter].type);
}

/* Reads the whole recording. An error that ends it is printed; what was read before counts. */
static int read_all(struct tally_recording *recording, struct evidence *evidence,
                    struct tally_program *program)
{
    struct tally_error error = {0};
    struct tally_batch *batch = tally_batch_new();
    int result = batch ? 1 : fail_memory(&error, "a batch");
    while (result > 0 && (result = tally_recording_read(recording, batch, &error)) > 0)
        for (size_t i = 0; i + 1 < batch->count; i++)
            take_delta(evidence, batch, i, program);
    tally_batch_free(batch);
    evidence->totals = tally_recording_totals(recording);
    return result < 0 ? report_error(&error) : EXIT_DONE;
}

/* ---- reasons --------------------------------------------------------------------------------- */

static void put_unavailable(struct output *output, const struct evidence *evidence)
{
    const char *text = evidence->set->counters[evidence->counter].availability;
    char device[DEVICE_TEXT_BYTES];
    output_printf(output, "- %s does not have it. It is available where this is not 0:\n    %s\n",
                  sink_device_title(device, evidence->info), text);
    for (const char *at = strchr(text, '$'); at; at = strchr(at + 1, '$')) {
        char name[64];
        uint64_t value;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        if (tally_environment_get(&evidence->environment, name, &value) == 0)
            output_printf(output, "    %s is %" PRIu64 " (0x%" PRIx64 ") on this GPU\n", name,
                          value, value);
    }
}

static void put_unsupported(struct output *output, const struct evidence *evidence)
{
    const struct tally_layout *layout = evidence->info->layout;
    output_printf(output,
                  "- reports of layout %s/%s do not have what its equation reads:", layout->family,
                  layout->name);
    for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
        char name[16];
        if (evidence->used[slot] && !tally_layout_width(layout, slot))
            output_printf(output, " %s", tally_slot_name(slot, name, sizeof name));
    }
    output_text(output, "\n");
}

static void put_losses(struct output *output, const struct evidence *evidence,
                       const struct tally_recording *recording)
{
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(recording, &losses);
    if (!evidence->lost && !evidence->ambiguous)
        return;
    output_printf(output,
                  "- %" PRIu64 " of %" PRIu64
                  " deltas have no value, since reports between them were lost",
                  evidence->lost + evidence->ambiguous,
                  evidence->good + evidence->lost + evidence->ambiguous);
    if (evidence->ambiguous)
        output_printf(output, " or counters may have wrapped (%" PRIu64 ")", evidence->ambiguous);
    if (evidence->totals.missing)
        output_printf(output, "; missing reports: %" PRIu64, evidence->totals.missing);
    output_text(output, ":\n");
    for (int kind = 0; kind <= TALLY_LOSS_PACKETS; kind++) {
        uint64_t records = 0;
        for (size_t i = 0; i < count; i++)
            records += losses[i].kind == (enum tally_loss_kind)kind ? losses[i].records : 0;
        if (records)
            output_printf(output, "    %s %" PRIu64 "\n",
                          tally_loss_kind_name((enum tally_loss_kind)kind), records);
    }
}

static void put_pauses(struct output *output, const struct evidence *evidence)
{
    char time[64];
    if (!evidence->totals.pauses)
        return;
    format_quantity(time, sizeof time,
                    (double)ticks_to_ns(evidence->info, evidence->totals.paused_ticks), "ns");
    output_printf(output,
                  "- the recording was paused %" PRIu64
                  " time%s, for %s: nothing was recorded then, and nothing is lost\n",
                  evidence->totals.pauses, evidence->totals.pauses == 1 ? "" : "s", time);
}

static void put_stopped(struct output *output, const struct evidence *evidence)
{
    char time[64];
    if (!evidence->stopped)
        return;
    format_quantity(time, sizeof time, (double)ticks_to_ns(evidence->info, evidence->stopped_ticks),
                    "ns");
    output_printf(output,
                  "- in %" PRIu64
                  " deltas the GPU's clock stood still for at least %s in all, as in "
                  "RC6, when there are no reports; %" PRIu64 " of these have no value\n",
                  evidence->stopped, time, evidence->stopped_lost);
}

static void put_value(struct output *output, const struct evidence *evidence)
{
    uint64_t values = evidence->zero + evidence->nonzero;
    if (evidence->undefined)
        output_printf(output,
                      "- in %" PRIu64 " of %" PRIu64 " deltas its value is not defined: its "
                      "equation divides by what was 0 there\n",
                      evidence->undefined, evidence->good);
    if (evidence->nonzero)
        output_printf(output,
                      "- it is not 0 in %" PRIu64 " of %" PRIu64
                      " deltas with a value: %g to %g %s\n",
                      evidence->nonzero, values, evidence->minimum, evidence->maximum,
                      evidence->set->counters[evidence->counter].units);
    else if (values)
        output_printf(output, "- it is 0 in all %" PRIu64 " deltas with a value\n", values);
    else if (!evidence->good)
        output_printf(output,
                      "- the recording has %" PRIu64 " reports and no delta with a value: a value "
                      "needs two consecutive reports\n",
                      evidence->totals.reports);
}

/* ---- counters of other sets ------------------------------------------------------------------ */

#define NAMES_MAX 4096

/* Returns whether a list "A, B" has a name. */
static bool has_name(const char *list, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += size)
        if ((at == list || at[-1] == ' ') && (at[size] == ',' || !at[size]))
            return true;
    return false;
}

/* Writes the symbols of the sets for a chipset (NULL: the chipsets of the sets) that have a
 * counter, each once. Returns their number. */
static size_t list_sets_with(struct tally_catalog *catalog, const char *chipset, const char *symbol,
                             char *text, size_t size)
{
    struct tally_error error = {0};
    const struct tally_metric_set *const *sets;
    ptrdiff_t count = tally_catalog_sets(catalog, chipset, &sets, &error);
    size_t used = 0, found = 0;
    text[0] = '\0';
    for (ptrdiff_t i = 0; i < count; i++) {
        const char *name = chipset ? sets[i]->symbol : sets[i]->chipset;
        char word[80];
        snprintf(word, sizeof word, "%s%.64s", found ? ", " : "", name);
        if (tally_metric_set_counter(sets[i], symbol) < 0 || has_name(text, name) ||
            used + strlen(word) >= size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s", word);
        found++;
    }
    return found;
}

static int unknown_here(const char *symbol, struct tally_catalog *catalog,
                        const struct tally_metric_set *set)
{
    struct tally_error error = {0};
    const struct tally_metric_set *const *sets;
    const char *names[NAMES_MAX];
    char place[128], expected[EXPECTED_BYTES];
    size_t known = 0;
    for (size_t i = 0; i < set->counter_count && known < NAMES_MAX; i++)
        names[known++] = set->counters[i].symbol;
    ptrdiff_t count = tally_catalog_sets(catalog, set->chipset, &sets, &error);
    for (ptrdiff_t i = 0; i < count; i++)
        for (size_t k = 0; k < sets[i]->counter_count && known < NAMES_MAX; k++)
            names[known++] = sets[i]->counters[k].symbol;
    snprintf(place, sizeof place, "tally find %s", symbol);
    return usage_error("why: unknown counter \"%s\"%s", symbol,
                       expected_word(expected, symbol, names, known, place));
}

/* The recorded set does not have the counter: names the sets or GPUs that do. */
static int explain_absent(const struct arguments *arguments,
                          const struct tally_recording_info *info, const char *symbol,
                          struct tally_catalog *catalog, const struct tally_metric_set *set)
{
    bool chosen = arguments->values[OPTION_SET] != NULL;
    char here[512], elsewhere[512], device[DEVICE_TEXT_BYTES];
    int code = EXIT_DONE;
    size_t count = list_sets_with(catalog, info->device.chipset, symbol, here, sizeof here);
    if (!count && !list_sets_with(catalog, NULL, symbol, elsewhere, sizeof elsewhere))
        return unknown_here(symbol, catalog, set);
    struct output *output = open_output(arguments, &code);
    if (!output)
        return code;
    sink_device_title(device, info);
    output_printf(output, "%s has no value in %s:\n", symbol, info->path);
    if (count)
        output_printf(output, "- %s set %s%s does not have it; sets of %s that do: %s\n",
                      chosen ? "the" : "it was recorded with the", set->symbol,
                      chosen ? "" : ", which", device, here);
    else
        output_printf(output, "- no metric set of %s has it; sets of these GPUs do: %s\n", device,
                      elsewhere);
    return close_output(output, EXIT_DONE);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void put_verdict(struct output *output, const struct evidence *evidence)
{
    const struct tally_counter *counter = &evidence->set->counters[evidence->counter];
    char device[DEVICE_TEXT_BYTES], time[64];
    uint64_t ticks = evidence->totals.last_ticks - evidence->totals.first_ticks;
    format_quantity(time, sizeof time, (double)ticks_to_ns(evidence->info, ticks), "ns");
    output_style(output, "1");
    output_printf(output, "%s.%s", evidence->set->symbol, counter->symbol);
    output_style(output, "0");
    output_printf(output, "  %s, %s\n%s, %" PRIu64 " reports over %s\n", counter->name,
                  counter->units, sink_device_title(device, evidence->info),
                  evidence->totals.reports, time);
}

static int explain(const struct arguments *arguments, struct tally_recording *recording,
                   struct evidence *evidence)
{
    struct tally_error error = {0};
    struct tally_program *program;
    int code = EXIT_DONE;
    tally_environment_of(evidence->info, &evidence->environment);
    mark_slots(evidence, evidence->set->counters[evidence->counter].equation, 0);
    if (tally_program_new(evidence->set, &evidence->environment, evidence->info->layout, &program,
                          &error) < 0)
        return report_error(&error);
    int read = read_all(recording, evidence, program);
    struct output *output = open_output(arguments, &code);
    if (output) {
        enum tally_counter_state state = tally_program_state(program, evidence->counter);
        put_verdict(output, evidence);
        if (state == TALLY_COUNTER_UNAVAILABLE)
            put_unavailable(output, evidence);
        else if (state == TALLY_COUNTER_UNSUPPORTED)
            put_unsupported(output, evidence);
        else
            put_value(output, evidence);
        put_losses(output, evidence, recording);
        put_pauses(output, evidence);
        put_stopped(output, evidence);
        if (state == TALLY_COUNTER_OK && evidence->good)
            explain_zeros(output, evidence);
        code = close_output(output, read);
    }
    tally_program_free(program);
    return code;
}

/* Finds the set of a recording, or makes it of expressions that were counted (`own`). Returns an
 * exit code. */
static int find_set(const struct arguments *arguments, struct tally_catalog *catalog,
                    struct evidence *evidence, struct tally_metric_file **own)
{
    const struct tally_recording_info *info = evidence->info;
    const char *wanted = arguments->values[OPTION_SET];
    const char *name = wanted ? wanted : info->recorded.set_name;
    struct tally_error error = {0};
    int result = 0;
    if (info->signals && (!*name || !strcmp(name, RECORDED_SET))) {
        result = recorded_set_new(info, own, &error);
        if (result == 0)
            tally_metric_file_sets(*own, &evidence->set); /* has one */
    } else {
        result = tally_catalog_find(catalog, info->device.chipset,
                                    wanted ? NULL : info->recorded.set_uuid, name, &evidence->set,
                                    &error);
    }
    return result < 0 ? report_error(&error) : EXIT_DONE;
}

int command_why(const struct arguments *arguments)
{
    const char *symbol = arguments->operands[0], *dot = strchr(symbol, '.');
    struct tally_recording *recording = NULL;
    struct tally_metric_file *own = NULL;
    struct evidence evidence = {0};
    char prefix[64] = "";
    int code = open_recording(arguments, arguments->operands[1], false, &recording);
    if (code != EXIT_DONE)
        return code;
    evidence.info = tally_recording_info(recording);
    struct tally_catalog *catalog = tally_catalog_new(arguments->values[OPTION_METRICS]);
    if (!catalog)
        code = report_memory();
    if (code == EXIT_DONE)
        code = find_set(arguments, catalog, &evidence, &own);
    if (code == EXIT_DONE) {
        /* "SET.COUNTER" of the recorded set is the same as "COUNTER". */
        snprintf(prefix, sizeof prefix, "%s.", evidence.set->symbol);
        if (dot && !strncmp(symbol, prefix, strlen(prefix)))
            symbol += strlen(prefix);
        ptrdiff_t counter = tally_metric_set_counter(evidence.set, symbol);
        evidence.counter = (size_t)counter;
        code = counter < 0 ? explain_absent(arguments, evidence.info, symbol, catalog, evidence.set)
                           : explain(arguments, recording, &evidence);
    }
    tally_metric_file_free(own);
    tally_catalog_free(catalog);
    tally_recording_close(recording);
    return code;
}
