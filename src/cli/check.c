/* SPDX-License-Identifier: MIT */
/* tally check: conditions that a recording must meet. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/input.h"
#include "cli/paths.h"
#include "sink/checks.h"

struct checking {
    const struct arguments *arguments;
    const struct sink *sink;
    struct check_options options;
    struct tally_recording_options recording;
    struct progress progress;
    struct budget *budget; /* also the conditions of the command line */
    struct check_report *report;
};

static int read_budget(struct checking *checking)
{
    const char *path = checking->arguments->values[OPTION_BUDGET];
    struct tally_error error = {0};
    if (!path)
        return (checking->budget = budget_new()) ? EXIT_DONE : report_memory();
    if (budget_read(&(struct yaml_source){.name = path}, &checking->budget, NULL, NULL, &error) < 0)
        return paths_error(&(struct paths){(char *[]){(char *)(uintptr_t)path}, 1, 1}, 1, &error);
    budget_set_options(checking->budget, &checking->options);
    return EXIT_DONE;
}

/* Adds the conditions of the command line to the budget. */
static int parse_checks(struct checking *checking)
{
    const struct arguments *arguments = checking->arguments;
    for (size_t i = 1; i < arguments->operand_count; i++) {
        const char *text = arguments->operands[i], *expected;
        int result = budget_add(checking->budget, text, &expected);
        if (result == -EINVAL)
            return usage_error("check: condition \"%s\", expected %s", text, expected);
        if (result < 0)
            return report_memory();
    }
    if (!checking->budget->count)
        return usage_error("check: expects a condition, such as 'EuActive > 60%%', or --budget");
    return EXIT_DONE;
}

static int parse(struct checking *checking)
{
    const struct arguments *arguments = checking->arguments;
    const char *allowed = arguments->values[OPTION_ALLOW_LOST];
    struct grouping grouping = {.by = TALLY_BY_NOTHING};
    int code = make_pipeline_options(arguments, &checking->progress, &checking->recording,
                                     &checking->options.pipeline);
    if (code == EXIT_DONE && arguments->values[OPTION_BY])
        code = parse_grouping(arguments->values[OPTION_BY], &grouping);
    checking->options.by = grouping.by;
    checking->options.interval_ns = grouping.interval_ns;
    if (code == EXIT_DONE)
        code = read_budget(checking);
    if (code != EXIT_DONE)
        return code;
    const char *expected = allowed ? share_parse(allowed, &checking->options.allowed_lost) : NULL;
    if (expected)
        return usage_error("check: --allow-lost \"%s\", expected %s", allowed, expected);
    if (arguments->baseline_count > 1)
        return usage_error("check: --baseline was given %zu times, expected once",
                           arguments->baseline_count);
    if (arguments->baseline_count)
        checking->options.baseline = arguments->baselines[0];
    return parse_checks(checking);
}

static int read_recording(struct checking *checking)
{
    struct tally_error error = {0};
    char *names[] = {checking->arguments->operands[0],
                     (char *)(uintptr_t)checking->options.baseline};
    const struct paths paths = {names, names[1] ? 2 : 1, 2};
    progress_start(&checking->progress, checking->arguments->values[OPTION_QUIET] != NULL);
    int result = check_recording(names[0], checking->budget->checks, checking->budget->count,
                                 &checking->options, &checking->report, &error);
    progress_end(&checking->progress);
    if (result == 0)
        return EXIT_DONE;
    int code = strcmp(names[0], "-") != 0 ? paths_error(&paths, 1, &error) : report_error(&error);
    return result == -ENODEV ? EXIT_USAGE : code; /* a bare stream without --platform */
}

static int write_results(struct checking *checking)
{
    int code = EXIT_DONE;
    const struct check_report *report = checking->report;
    const struct shown_checks shown = {
        .report = report,
        .title = checking->budget->title,
        .all = checking->arguments->values[OPTION_ALL] != NULL,
    };
    struct output *output = open_output(checking->arguments, &code);
    if (!output)
        return code;
    checking->sink->checks(output, &shown);
    bool passed = report->outcomes[TALLY_CHECK_PASSED] == report->count;
    return close_output(output, passed ? EXIT_DONE : EXIT_FAILED);
}

int command_check(const struct arguments *arguments)
{
    struct checking *checking = calloc(1, sizeof *checking);
    if (!checking)
        return report_memory();
    checking->arguments = arguments;
    checking->sink = choose_format(arguments, "table", TALLY_RENDER_CHECKS);
    int code = checking->sink ? parse(checking) : EXIT_USAGE;
    if (code == EXIT_DONE)
        code = read_recording(checking);
    if (code == EXIT_DONE)
        code = write_results(checking);
    check_report_free(checking->report);
    budget_free(checking->budget);
    free(checking);
    return code;
}
