/* SPDX-License-Identifier: MIT */
/*
 * Reads the input as a file of NVIDIA's metric sets. Checks that lint and loading agree; that
 * signals, selectors and equations of a loaded file are consistent; and that its first sets can be
 * checked, compiled and evaluated, with the same result compiled and node by node.
 */
#include "fuzz.h"

#include <string.h>

#include <tally/chipset.h>
#include <tally/metrics.h>

#include "lengthen.h"
#include "metrics/equation.h"
#include "metrics/signal_sets.h"
#include "mistakes.h"

#define SETS_CHECKED 4

static void check_signals(const struct tally_metric_set *set)
{
    CHECK(tally_chipset_find(set->chipset) && *set->symbol && set->counter_count);
    CHECK(set->signal_count && set->signal_count <= TALLY_SET_SIGNALS);
    for (size_t i = 0; i < set->signal_count; i++) {
        const struct tally_metric_signal *signal = &set->signals[i];
        CHECK(*signal->symbol && *signal->expression && signal->line);
        CHECK(signal->domain >= -1 && signal->domain < TALLY_DOMAINS);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(set->signals[k].symbol, signal->symbol) != 0);
        for (size_t k = 0; k < signal->selector_count; k++)
            CHECK(!(signal->selectors[k].value & ~signal->selectors[k].mask));
    }
}

/* The type of a counter is that of its equation's result. */
static void check_types(const struct tally_metric_set *set)
{
    for (size_t i = 0; i < set->counter_count; i++) {
        struct equation equation;
        struct tally_error error;
        CHECK(equation_parse(set->counters[i].equation, set, &equation, &error) == 0);
        CHECK(equation.nodes[equation.count - 1].type == (uint8_t)set->counters[i].type);
        equation_fini(&equation);
    }
}

static void found(void *closure, enum tally_lint_severity severity, unsigned line,
                  const char *message)
{
    int *errors = closure;
    CHECK(line > 0 && *message && !strchr(message, '\n'));
    *errors += severity == TALLY_LINT_ERROR;
}

static void check_program(const struct tally_metric_set *set, uint64_t *seed)
{
    static uint64_t words[2][136];
    uint64_t deltas[TALLY_SLOT_COUNT] = {0};
    union tally_value values[SET_COUNTERS_MAX];
    const struct tally_layout *layout = tally_layout_find("pcounter/a64_c64");
    const struct tally_environment environment = {.timestamp_hz = 1000000000};
    const uint8_t *reports[] = {(const uint8_t *)words[0], (const uint8_t *)words[1]};
    struct tally_program *program;
    struct tally_error error = {0};
    int errors = 0, result = tally_program_new(set, &environment, layout, &program, &error);
    CHECK(tally_lint(set, found, &errors) == errors);
    CHECK(result == 0 || (result == -EBADMSG && errors)); /* a cycle */
    if (result < 0)
        return;
    for (size_t i = 0; i < 136; i++) /* often no clocks */
        words[1][i] = words[0][i] + (next_number(seed) % 3 ? next_number(seed) % 1000 : 0);
    tally_accumulate(layout, reports, 1, deltas);
    tally_program_run(program, reports, 1);
    tally_program_evaluate(program, deltas, values);
    for (size_t i = 0; i < set->counter_count; i++) {
        const union tally_value *value = tally_program_values(program, i);
        bool nothing = value && set->counters[i].type == TALLY_DOUBLE && value->f != value->f;
        CHECK(value && (nothing ? values[i].f != values[i].f : value->u == values[i].u));
    }
    tally_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    const struct tally_metric_set *sets;
    struct tally_metric_file *file = NULL;
    uint64_t seed = hash_bytes(data, size);
    struct yaml_source source = yaml_in(data, size, "fuzz.yaml");
    int mistakes = signal_sets_lint(&source, add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    int result = tally_metric_file_load_memory(data, size, "fuzz.yaml", &file, &error);
    check_load(result, mistakes, &error);
    if (result < 0)
        return 0;
    size_t count = tally_metric_file_sets(file, &sets);
    for (size_t i = 0; i < count; i++)
        check_signals(&sets[i]), check_types(&sets[i]);
    for (size_t i = 0; i < count && i < SETS_CHECKED; i++)
        check_program(&sets[i], &seed);
    tally_metric_file_free(file);
    return 0;
}
