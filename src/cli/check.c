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
    struct budget *budget;
    struct check *checks;
    size_t count;
    struct check_report *report;
};

static int read_budget(struct checking *checking)
{
    const char *path = checking->arguments->values[OPTION_BUDGET];
    struct tally_error error = {0};
    if (!path)
        return EXIT_DONE;
    if (budget_read(&(struct yaml_source){.name = path}, &checking->budget, NULL, NULL, &error) < 0)
        return paths_error(&(struct paths){(char *[]){(char *)(uintptr_t)path}, 1, 1}, 1, &error);
    if (checking->budget->allowed_lost >= 0)
        checking->options.allowed_lost = checking->budget->allowed_lost;
    checking->options.baseline = checking->budget->baseline;
    return EXIT_DONE;
}

/* Collects the checks of the budget and of the command line. */
static int parse_checks(struct checking *checking)
{
    const struct arguments *arguments = checking->arguments;
    size_t of_budget = checking->budget ? checking->budget->count : 0;
    checking->checks = calloc(of_budget + arguments->operand_count, sizeof *checking->checks);
    if (!checking->checks)
        return report_memory();
    if (of_budget)
        memcpy(checking->checks, checking->budget->checks, of_budget * sizeof *checking->checks);
    checking->count = of_budget;
    for (size_t i = 1; i < arguments->operand_count; i++) {
        const char *text = arguments->operands[i];
        const char *expected = check_parse(text, &checking->checks[checking->count++]);
        if (expected)
            return usage_error("check: condition \"%s\", expected %s", text, expected);
    }
    if (!checking->count)
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
    int result = check_recording(names[0], checking->checks, checking->count, &checking->options,
                                 &checking->report, &error);
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
        .title = checking->budget ? checking->budget->title : NULL,
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
    free(checking->checks);
    free(checking);
    return code;
}
