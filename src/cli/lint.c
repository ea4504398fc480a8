/* SPDX-License-Identifier: MIT */
/* tally lint: checks metric sets, workloads, fault scripts, costs, rules of advice, budgets and
 * configurations of agents. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/metrics.h>
#include <tally/platform.h>
#include <tally/workload.h>

#include "advice/advice.h"
#include "agent/config.h"
#include "base/buffer.h"
#include "base/names.h"
#include "cli/cli.h"
#include "cli/lint_sets.h"
#include "cli/unknown.h"
#include "compare/check.h"
#include "emulation/faults/faults.h"
#include "intel/cost/table.h"
#include "metrics/signal_sets.h"

struct lint {
    struct output *output;
    const char *path;
    const char *platform; /* for notes about activities it cannot count, or NULL */
    bool quiet;           /* print errors only */
    size_t counts[3];     /* by enum tally_lint_severity */
};

static void put_finding(void *closure, enum tally_lint_severity severity, unsigned line,
                        const char *message)
{
    static const char *const names[] = {"error", "warning", "note"};
    static const char *const styles[] = {"1;31", "33", "2"};
    struct lint *lint = closure;
    lint->counts[severity]++;
    if (lint->quiet && severity != TALLY_LINT_ERROR)
        return;
    output_printf(lint->output, "%s:%u: ", lint->path, line);
    output_style(lint->output, styles[severity]);
    output_text(lint->output, names[severity]);
    output_style(lint->output, "0");
    output_printf(lint->output, ": %s\n", message);
}

static void put_duplicate(struct lint *lint, const struct tally_metric_set *sets, size_t i,
                          const char *what, size_t first)
{
    char message[256];
    snprintf(message, sizeof message, "set %.80s has the same %s as the set in line %u",
             sets[i].symbol, what, sets[first].line);
    put_finding(lint, TALLY_LINT_ERROR, sets[i].line, message);
}

/* Finds the first set with the UUID, or symbol and chipset, of each other one. Returns an exit
 * code. */
static int find_duplicates(struct lint *lint, const struct tally_metric_set *sets, size_t count)
{
    struct buffer texts = {0}; /* "CHIPSET SYMBOL" of each set */
    struct name *names = calloc(count + 1, sizeof *names);
    uint32_t *same_uuid = calloc(count + 1, sizeof *same_uuid);
    uint32_t *same_symbol = calloc(count + 1, sizeof *same_symbol);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        buffer_printf(&texts, "%s %s", sets[i].chipset, sets[i].symbol);
        buffer_char(&texts, '\0');
    }
    bool done = names && same_uuid && same_symbol && !texts.broken;
    for (size_t i = 0; done && i < count; i++)
        names[i] = (struct name){sets[i].uuid, (uint32_t)i};
    if (done) {
        names_sort(names, count, strcasecmp);
        names_first(names, count, strcasecmp, same_uuid);
    }
    for (size_t i = 0; done && i < count; i++) {
        names[i] = (struct name){texts.bytes + at, (uint32_t)i};
        at += strlen(texts.bytes + at) + 1;
    }
    if (done) {
        names_sort(names, count, strcmp);
        names_first(names, count, strcmp, same_symbol);
    }
    for (size_t i = 0; done && i < count; i++) {
        if (same_uuid[i] != i)
            put_duplicate(lint, sets, i, "UUID", same_uuid[i]);
        if (same_symbol[i] != i && same_symbol[i] != same_uuid[i])
            put_duplicate(lint, sets, i, "symbol", same_symbol[i]);
    }
    free(names);
    free(same_uuid);
    free(same_symbol);
    buffer_fini(&texts);
    return done ? EXIT_DONE : report_memory();
}

static int lint_file(struct lint *lint)
{
    struct tally_error error = {0};
    struct tally_metric_file *file;
    const struct tally_metric_set *sets;
    int result = tally_metric_file_load(lint->path, &file, &error);
    if (result < 0)
        return report_file_error(&error, lint->path);
    size_t count = tally_metric_file_sets(file, &sets), counters = 0;
    size_t before[3];
    memcpy(before, lint->counts, sizeof before);
    for (size_t i = 0; i < count && result >= 0; i++) {
        counters += sets[i].counter_count;
        result = tally_lint(&sets[i], put_finding, lint);
    }
    int code = find_duplicates(lint, sets, count);
    if (!count)
        put_finding(lint, TALLY_LINT_WARNING, 1, "no metric set in this file");
    output_printf(lint->output, "%s: %zu sets, %zu counters, %zu errors, %zu warnings, %zu notes\n",
                  lint->path, count, counters, lint->counts[0] - before[0],
                  lint->counts[1] - before[1], lint->counts[2] - before[2]);
    tally_metric_file_free(file);
    return result < 0 ? report_error(&(struct tally_error){result, "out of memory"}) : code;
}

/* ---- workloads ------------------------------------------------------------------------------- */

static void put_error(void *closure, unsigned line, const char *message)
{
    put_finding(closure, TALLY_LINT_ERROR, line, message);
}

static void put_note(void *closure, unsigned line, const char *message)
{
    put_finding(closure, TALLY_LINT_NOTE, line, message);
}

/* Notes the activities of a valid workload that the platform cannot count. */
static int note_uncounted(struct lint *lint)
{
    struct tally_error error = {0};
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_workload_target target = {.platform = lint->platform};
    int result = tally_workload_load(lint->path, &workload, &error);
    if (result < 0)
        return report_file_error(&error, lint->path);
    result = tally_workload_bind(workload, &target, put_note, lint, &program, &error);
    if (result == 0)
        tally_workload_unbind(program);
    tally_workload_free(workload);
    return result < 0 ? report_error(&error) : EXIT_DONE;
}

static int lint_workload(struct lint *lint)
{
    struct tally_error error = {0};
    size_t notes = lint->counts[TALLY_LINT_NOTE];
    int errors = tally_workload_lint(lint->path, put_error, lint, &error);
    if (errors < 0)
        return report_file_error(&error, lint->path);
    int code = !errors && lint->platform ? note_uncounted(lint) : EXIT_DONE;
    output_printf(lint->output, "%s: a workload, %d errors, 0 warnings, %zu notes\n", lint->path,
                  errors, lint->counts[TALLY_LINT_NOTE] - notes);
    return code;
}

/* Prints the last line about a file without warnings and notes, or why it cannot be checked. */
static int put_errors(struct lint *lint, const char *what, int errors,
                      const struct tally_error *error)
{
    if (errors < 0)
        return report_file_error(error, lint->path);
    output_printf(lint->output, "%s: %s, %d errors, 0 warnings, 0 notes\n", lint->path, what,
                  errors);
    return EXIT_DONE;
}

static int lint_faults(struct lint *lint)
{
    struct tally_error error = {0};
    int errors = faults_lint(lint->path, put_error, lint, &error);
    return put_errors(lint, "a fault script", errors, &error);
}

static int lint_advice(struct lint *lint)
{
    struct tally_error error = {0};
    const struct yaml_source source = {.name = lint->path};
    int errors = advice_read(&source, NULL, put_error, lint, &error);
    return put_errors(lint, "rules of advice", errors, &error);
}

static int lint_budget(struct lint *lint)
{
    struct tally_error error = {0};
    const struct yaml_source source = {.name = lint->path};
    int errors = budget_read(&source, NULL, put_error, lint, &error);
    return put_errors(lint, "a budget", errors, &error);
}

static int lint_agent(struct lint *lint)
{
    struct tally_error error = {0};
    const struct yaml_source source = {.name = lint->path};
    int errors = agent_config_read(&source, NULL, put_error, lint, &error);
    return put_errors(lint, "the configuration of an agent", errors, &error);
}

/* Ranges are the same on all platforms. */
static int lint_costs(struct lint *lint)
{
    static const struct tally_cost none;
    struct tally_cost costs;
    struct tally_error error = {0};
    int errors = cost_table_read((struct yaml_source){.name = lint->path}, &none, &costs, put_error,
                                 lint, &error);
    return put_errors(lint, "costs", errors, &error);
}

/* Sets of NVIDIA's chipsets: mistakes in the file or, if there are none, findings about its sets.
 */
static int lint_signal_sets(struct lint *lint)
{
    struct tally_error error = {0};
    const struct yaml_source source = {.name = lint->path};
    struct lint_totals totals;
    size_t before[3];
    int errors = signal_sets_lint(&source, put_error, lint, &error);
    if (errors)
        return put_errors(lint, "metric sets", errors, &error);
    memcpy(before, lint->counts, sizeof before);
    if (lint_sets(lint->path, put_finding, lint, &totals, &error) < 0)
        return report_file_error(&error, lint->path);
    output_printf(
        lint->output,
        "%s: %zu sets, %zu counters of %zu chipsets, %zu errors, %zu warnings, %zu notes\n",
        lint->path, totals.sets, totals.counters, totals.chipsets, lint->counts[0] - before[0],
        lint->counts[1] - before[1], lint->counts[2] - before[2]);
    return EXIT_DONE;
}

static int lint_yaml(struct lint *lint)
{
    if (signal_sets_is(lint->path))
        return lint_signal_sets(lint);
    if (agent_config_is(lint->path))
        return lint_agent(lint);
    if (advice_is(lint->path))
        return lint_advice(lint);
    if (budget_is(lint->path))
        return lint_budget(lint);
    if (faults_is_script(lint->path))
        return lint_faults(lint);
    return cost_table_is(lint->path) ? lint_costs(lint) : lint_workload(lint);
}

static bool is_yaml(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

int command_lint(const struct arguments *arguments)
{
    int code = EXIT_DONE;
    struct lint lint = {.quiet = arguments->values[OPTION_QUIET] != NULL};
    const char *platform = arguments->values[OPTION_PLATFORM];
    if (platform) {
        if (!tally_sku_find(platform))
            return unknown_sku(platform);
        lint.platform = platform;
    }
    lint.output = open_output(arguments, &code);
    if (!lint.output)
        return code;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        lint.path = arguments->operands[i];
        int result = is_yaml(lint.path) ? lint_yaml(&lint) : lint_file(&lint);
        code = code > result ? code : result;
    }
    if (code == EXIT_DONE && lint.counts[TALLY_LINT_ERROR])
        code = EXIT_FAILED;
    return close_output(lint.output, code);
}
