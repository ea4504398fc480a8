/* SPDX-License-Identifier: MIT */
/* tally compare: what has changed between two recordings, or two lists of them. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/expected.h"
#include "cli/input.h"
#include "cli/paths.h"
#include "compare/compare.h"
#include "sink/comparison.h"

struct comparing {
    const struct arguments *arguments;
    const struct sink *sink;
    struct paths sides[TALLY_SIDE_COUNT];
    struct compare_options options;
    struct tally_recording_options recording;
    struct progress progress;
    char *texts[REPEATS_MAX]; /* of the thresholds */
    struct compare_threshold thresholds[REPEATS_MAX];
    struct comparison *comparison;
};

/* Of two operands, the first one is side A; with --baseline, all are side B. */
static int find_sides(struct comparing *comparing)
{
    const struct arguments *arguments = comparing->arguments;
    size_t first = 0;
    int code = EXIT_DONE;
    if (!arguments->baseline_count) {
        if (arguments->operand_count != 2)
            return usage_error("compare: expects A and B, or --baseline A and one B or more; see "
                               "tally help compare");
        code = paths_add(&comparing->sides[TALLY_SIDE_A], arguments->operands[first++]);
    }
    for (size_t i = 0; code == EXIT_DONE && i < arguments->baseline_count; i++)
        code = paths_add(&comparing->sides[TALLY_SIDE_A], arguments->baselines[i]);
    for (size_t i = first; code == EXIT_DONE && i < arguments->operand_count; i++)
        code = paths_add(&comparing->sides[TALLY_SIDE_B], arguments->operands[i]);
    return code;
}

static int parse_thresholds(struct comparing *comparing)
{
    const struct arguments *arguments = comparing->arguments;
    for (size_t i = 0; i < arguments->threshold_count; i++) {
        comparing->texts[i] = strdup(arguments->thresholds[i]);
        if (!comparing->texts[i])
            return report_memory();
        const char *expected = threshold_parse(comparing->texts[i], &comparing->thresholds[i]);
        if (expected)
            return usage_error("compare: --threshold \"%s\", expected %s", arguments->thresholds[i],
                               expected);
    }
    return EXIT_DONE;
}

static int parse_alpha(const char *text, double *alpha)
{
    char *end;
    *alpha = text ? strtod(text, &end) : COMPARE_ALPHA;
    if (text && (*end || end == text || !(*alpha > 0 && *alpha < 1)))
        return usage_error("compare: --alpha \"%s\", expected a probability such as 0.01", text);
    return EXIT_DONE;
}

static int parse(struct comparing *comparing)
{
    const struct arguments *arguments = comparing->arguments;
    struct compare_options *options = &comparing->options;
    const char *interval = arguments->values[OPTION_SAMPLE];
    struct writing range = {0};
    struct grouping grouping = {.by = TALLY_BY_NOTHING};
    int code = make_pipeline_options(arguments, &comparing->progress, &comparing->recording,
                                     &options->pipeline);
    if (code == EXIT_DONE && arguments->values[OPTION_BY])
        code = parse_grouping(arguments->values[OPTION_BY], &grouping);
    if (code == EXIT_DONE)
        code = parse_range(arguments, &range);
    if (code == EXIT_DONE)
        code = parse_alpha(arguments->values[OPTION_ALPHA], &options->alpha);
    if (code == EXIT_DONE)
        code = parse_thresholds(comparing);
    options->by = grouping.by;
    options->group_ns = grouping.interval_ns;
    options->interval_ns = interval ? parse_time_ns(interval) : 0;
    options->from_ns = range.from_ns;
    options->to_ns = range.to_ns;
    if (code == EXIT_DONE && interval && !options->interval_ns)
        return usage_error("compare: --interval \"%s\", expected a time such as 1ms", interval);
    return code;
}

/* A threshold of a counter that there is not would never be passed. */
static int check_thresholds(const struct comparing *comparing)
{
    const struct comparison *comparison = comparing->comparison;
    char expected[EXPECTED_BYTES];
    int code = EXIT_DONE;
    const char **symbols = malloc((comparison->counter_count + 1) * sizeof *symbols);
    if (!symbols)
        return report_memory();
    for (size_t i = 0; i < comparison->counter_count; i++)
        symbols[i] = comparison->counters[i].symbol;
    for (size_t i = 0; code == EXIT_DONE && i < comparing->arguments->threshold_count; i++) {
        const char *counter = comparing->thresholds[i].counter;
        bool found = !counter;
        for (size_t k = 0; !found && k < comparison->counter_count; k++)
            found = !fnmatch(counter, symbols[k], FNM_CASEFOLD);
        if (!found)
            code =
                usage_error("compare: --threshold: no compared counter matches \"%s\"%s", counter,
                            expected_word(expected, counter, symbols, comparison->counter_count,
                                          "tally compare --all"));
    }
    free(symbols);
    return code;
}

/* Reads everything. Returns an exit code. */
static int read_sides(struct comparing *comparing)
{
    struct tally_error error = {0};
    struct compare_inputs inputs[TALLY_SIDE_COUNT];
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        inputs[side] = (struct compare_inputs){(const char *const *)comparing->sides[side].list,
                                               comparing->sides[side].count};
    progress_start(&comparing->progress, comparing->arguments->values[OPTION_QUIET] != NULL);
    int result = compare_recordings(inputs, &comparing->options, &comparing->comparison, &error);
    progress_end(&comparing->progress);
    if (result < 0) {
        int code = paths_error(comparing->sides, TALLY_SIDE_COUNT, &error);
        return result == -ENODEV ? EXIT_USAGE : code; /* a bare stream without --platform */
    }
    return check_thresholds(comparing);
}

static int fail_on_loss(const struct comparing *comparing)
{
    const struct comparison *comparison = comparing->comparison;
    size_t ledger = 0;
    for (int side = 0; side < TALLY_SIDE_COUNT; side++)
        for (size_t i = 0; i < comparison->run_count[side]; i++)
            ledger += comparison->runs[side][i].ledger;
    return ledger && comparing->arguments->values[OPTION_FAIL_ON_LOSS] ? EXIT_LOST : EXIT_DONE;
}

static int write_comparison(struct comparing *comparing)
{
    int code = EXIT_DONE;
    const struct shown_comparison shown = {
        .comparison = comparing->comparison,
        .options = &comparing->options,
        .thresholds = comparing->thresholds,
        .threshold_count = comparing->arguments->threshold_count,
        .all = comparing->arguments->values[OPTION_ALL] != NULL,
    };
    struct output *output = open_output(comparing->arguments, &code);
    if (!output)
        return code;
    comparing->sink->comparison(output, &shown);
    code = comparison_passed(&shown) ? EXIT_FAILED : fail_on_loss(comparing);
    return close_output(output, code);
}

int command_compare(const struct arguments *arguments)
{
    struct comparing *comparing = calloc(1, sizeof *comparing);
    if (!comparing)
        return report_memory();
    comparing->arguments = arguments;
    comparing->sink = choose_format(arguments, "table", TALLY_RENDER_COMPARISON);
    int code = comparing->sink ? parse(comparing) : EXIT_USAGE;
    if (code == EXIT_DONE)
        code = find_sides(comparing);
    if (code == EXIT_DONE)
        code = read_sides(comparing);
    if (code == EXIT_DONE)
        code = write_comparison(comparing);
    comparison_free(comparing->comparison);
    paths_fini(&comparing->sides[TALLY_SIDE_A]);
    paths_fini(&comparing->sides[TALLY_SIDE_B]);
    for (size_t i = 0; i < arguments->threshold_count; i++)
        free(comparing->texts[i]);
    free(comparing);
    return code;
}
