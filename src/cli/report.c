/* SPDX-License-Identifier: MIT */
/* tally report: the metrics of a recording, by group or by delta. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/expected.h"
#include "base/ratio.h"
#include "cli/advise.h"
#include "cli/input.h"
#include "metrics/phases.h"

/* Maximum number of intervals of a file: with a hundred counters, a gigabyte of CSV. */
#define INTERVALS_MAX    100000
#define REPORT_BYTES_MIN 16 /* of a file: a packet of record mode */

/* Parses --sort and --top. */
static int parse_sorting(const struct arguments *arguments, struct writing *writing)
{
    const char *sort = arguments->values[OPTION_SORT], *top = arguments->values[OPTION_TOP];
    const char *names[STATISTIC_COUNT + 1];
    char expected[EXPECTED_BYTES], *end;
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        names[i] = statistic_columns[i];
    names[STATISTIC_COUNT] = "name";
    for (int i = 0; sort && i <= STATISTIC_COUNT; i++)
        if (!strcmp(sort, names[i]))
            writing->sort = i + 1;
    if (sort && !writing->sort)
        return usage_error(
            "--sort \"%s\"%s", sort,
            expected_word(expected, sort, names, STATISTIC_COUNT + 1, "tally help report"));
    if (!top)
        return EXIT_DONE;
    unsigned long count = strtoul(top, &end, 10);
    if (*end || !count || !isdigit((unsigned char)*top))
        return usage_error("--top \"%s\", expected a number from 1 on", top);
    writing->top = count;
    writing->sort = writing->sort ? writing->sort : 1;
    return EXIT_DONE;
}

/* Reports a file of too many intervals or frames. `ticks` is their GPU time. */
static int refuse_groups(const struct arguments *arguments, const struct writing *writing,
                         const struct tally_recording_info *info, const struct grouping *grouping,
                         uint64_t count, uint64_t ticks)
{
    uint64_t ns =
        scale_up_u64(ticks / writing->groups_max + 1, NS_PER_SECOND, info->recorded.timestamp_hz);
    char expected[64] = "expected a part of it, by --from and --to";
    if (grouping->by == TALLY_BY_INTERVAL)
        snprintf(expected, sizeof expected, "expected --by interval=%" PRIu64 "us or longer",
                 (ns + 999) / 1000);
    return usage_error("--by %s divides %s into %" PRIu64 " groups, at most %" PRIu64 "; %s",
                       arguments->values[OPTION_BY], info->path, count, writing->groups_max,
                       expected);
}

/* Counts the intervals or frames of a file that may have too many, before anything is written.
 * Standard input, which can be read once, is counted while it is written. Returns an exit code. */
static int check_groups(const struct arguments *arguments, const struct writing *writing,
                        const struct tally_recording_info *info, const struct grouping *grouping)
{
    uint64_t hz = info->recorded.timestamp_hz, count, ticks;
    const struct pipeline_groups groups = {
        .by = grouping->by,
        .interval_ticks = scale_u64(grouping->interval_ns, hz, NS_PER_SECOND),
        .from_ticks = scale_up_u64(writing->from_ns, hz, NS_PER_SECOND),
        .to_ticks = scale_up_u64(writing->to_ns, hz, NS_PER_SECOND),
    };
    struct tally_recording *recording;
    struct tally_error error = {0};
    if (info->size_bytes / REPORT_BYTES_MIN <= writing->groups_max ||
        !strcmp(arguments->operands[0], "-"))
        return EXIT_DONE;
    int code = open_recording(arguments, arguments->operands[0], false, &recording);
    if (code != EXIT_DONE)
        return code;
    if (pipeline_count_groups(recording, &groups, &count, &ticks, &error) < 0)
        code = report_error(&error);
    else if (count > writing->groups_max)
        code = refuse_groups(arguments, writing, info, grouping, count, ticks);
    tally_recording_close(recording);
    return code;
}

/* Evaluates and writes the whole recording. Returns an exit code. */
static int run(const struct arguments *arguments, const struct writing *writing,
               struct tally_pipeline *pipeline, const struct grouping *grouping,
               struct progress *progress)
{
    struct tally_error error = {0};
    struct tally_recording *recording = tally_pipeline_recording(pipeline);
    struct pipeline_source source = source_of_recording(recording);
    uint64_t hz = tally_recording_info(recording)->recorded.timestamp_hz;
    int advised = EXIT_DONE, result = 0;
    progress_start(progress, arguments->values[OPTION_QUIET] != NULL);
    if (arguments->values[OPTION_ADVISE])
        advised = advise(writing, pipeline, grouping->by,
                         scale_u64(grouping->interval_ns, hz, NS_PER_SECOND), &result, &error);
    else
        result = grouping
                     ? write_groups(writing, pipeline, grouping->by,
                                    scale_u64(grouping->interval_ns, hz, NS_PER_SECOND), &error)
                     : write_deltas(writing, pipeline, &error);
    progress_end(progress);
    if (advised != EXIT_DONE)
        return advised;
    int code = finish_reading(arguments, writing, &source, result, &error);
    if (!writing->sink->end && !result)
        report_losses(&source);
    return code;
}

/* Writes summaries or, if `grouping` is NULL, every delta. */
static int report(const struct arguments *arguments, struct grouping *grouping)
{
    struct progress progress = {0};
    struct tally_pipeline *pipeline = NULL;
    bool advised = arguments->values[OPTION_ADVISE] != NULL;
    bool by_interval = grouping && grouping->by == TALLY_BY_INTERVAL;
    bool live = by_interval || (grouping && grouping->by == TALLY_BY_FRAME);
    unsigned renders = grouping ? TALLY_RENDER_GROUPS : TALLY_RENDER_DELTAS;
    struct writing writing = {.sink = choose_format(arguments, "table", renders)};
    if (!writing.sink)
        return EXIT_USAGE;
    if (advised && writing.sink != &sink_table && strcmp(writing.sink->name, "jsonl") != 0)
        return usage_error("--advise has the formats table and jsonl, not %s", writing.sink->name);
    int code = parse_range(arguments, &writing);
    if (code == EXIT_DONE)
        code = parse_sorting(arguments, &writing);
    if (code == EXIT_DONE)
        code = open_pipeline(arguments, 0, live, &progress, &pipeline);
    if (code != EXIT_DONE)
        return code;
    const struct tally_recording_info *info =
        tally_recording_info(tally_pipeline_recording(pipeline));
    if (advised && !arguments->values[OPTION_BY])
        grouping->by = !grouping_lacks(info, TALLY_BY_MARK) ? TALLY_BY_MARK
                       : info->phases                       ? TALLY_BY_PHASE
                                                            : TALLY_BY_CONTEXT;
    /* Counters that -c names are shown whatever they are. */
    writing.fold_zeros = !arguments->values[OPTION_ALL] && !arguments->counter_count;
    writing.units = arguments->values[OPTION_UNITS] != NULL;
    if (arguments->values[OPTION_BY] && grouping && grouping->by == TALLY_BY_CONTEXT &&
        !tally_layout_width(info->layout, TALLY_SLOT_CONTEXT))
        warn("--by context: reports of %s have no contexts; all of %s is one group",
             tally_device_title(&info->device), info->path);
    writing.flush = live && !info->size_bytes; /* show intervals from a pipe as they end */
    writing.groups_max = live && info->size_bytes ? INTERVALS_MAX : 0;
    const char *lacks = grouping ? grouping_lacks(info, grouping->by) : NULL;
    if (lacks && !info->size_bytes && grouping->by != TALLY_BY_PHASE)
        code = usage_error("--by %s: %s is a pipe, expected a file, whose marks are known from its "
                           "beginning on",
                           arguments->values[OPTION_BY], info->path);
    else if (lacks)
        code = usage_error("--by %s: %s carries no %s; expected a recording %s",
                           arguments->values[OPTION_BY], info->path, lacks,
                           grouping_source(grouping->by));
    else if (by_interval &&
             !scale_u64(grouping->interval_ns, info->recorded.timestamp_hz, NS_PER_SECOND))
        code = usage_error("--by \"%s\" is shorter than a timestamp tick of %s (%.3g ns)",
                           arguments->values[OPTION_BY], info->path,
                           (double)NS_PER_SECOND / (double)info->recorded.timestamp_hz);
    else if (writing.groups_max)
        code = check_groups(arguments, &writing, info, grouping);
    if (code == EXIT_DONE && (writing.output = open_output(arguments, &code)))
        code =
            close_output(writing.output, run(arguments, &writing, pipeline, grouping, &progress));
    tally_pipeline_close(pipeline);
    return code;
}

int command_report(const struct arguments *arguments)
{
    const char *by = arguments->values[OPTION_BY];
    bool per_report = arguments->values[OPTION_PER_REPORT] != NULL;
    bool sorted = arguments->values[OPTION_SORT] || arguments->values[OPTION_TOP];
    struct grouping grouping = {.by = TALLY_BY_CONTEXT};
    if (per_report && by)
        return usage_error("report: --per-report and --by are mutually exclusive");
    if (arguments->values[OPTION_ADVISE] && (per_report || sorted || arguments->counter_count))
        return usage_error("report: --advise excludes --per-report, --sort, --top and -c");
    if (per_report && sorted)
        return usage_error("report: --sort and --top are for summaries, not for --per-report");
    int code = by ? parse_grouping(by, &grouping) : EXIT_DONE;
    return code == EXIT_DONE ? report(arguments, per_report ? NULL : &grouping) : code;
}
