/* SPDX-License-Identifier: MIT */
/* tally report and tally export: a recording's metrics, summed up or one by one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "cli/input.h"
#include "sink/sink.h"

struct report {
    struct session session;
    struct sink_context context;
    struct output *output;
    const struct sink *sink;
    struct tally_summary *summary; /* NULL: every delta goes to the sink */
    bool begun;
};

static void begin(struct report *report, const struct tally_batch *batch)
{
    if (report->begun)
        return;
    report->begun = true;
    report->context.origin_ticks = batch ? batch->gpu_ticks[0] : 0;
    if (!report->summary)
        report->sink->begin_deltas(report->output, &report->context);
    else
        report->sink->begin_groups(report->output, &report->context);
}

static int take_batch(void *closure, const struct tally_batch *batch)
{
    struct report *report = closure;
    begin(report, batch);
    for (size_t start = 0; start + 1 < batch->count; start += TALLY_BLOCK) {
        size_t count = batch->count - 1 - start;
        if (count > TALLY_BLOCK)
            count = TALLY_BLOCK;
        tally_program_run(report->session.program, batch->reports + start, count);
        if (!report->summary)
            report->sink->deltas(report->output, &report->context, batch, start, count);
        else if (tally_summary_add(report->summary, batch, start, count) < 0)
            return -ENOMEM;
        if (report->output->error.code)
            return report->output->error.code;
    }
    return 0;
}

static void take_group(void *closure, const struct tally_group *group,
                       const struct tally_statistic *statistics)
{
    struct report *report = closure;
    report->sink->group(report->output, &report->context, group, statistics);
}

static int parse_by(const char *text, uint64_t timestamp_hz, enum tally_group_by *by,
                    uint64_t *interval_ticks)
{
    static const struct {
        const char *name;
        enum tally_group_by by;
    } names[] = {
        {"context", TALLY_BY_CONTEXT}, {"reason", TALLY_BY_REASON}, {"none", TALLY_BY_NOTHING}};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (!strcmp(text, names[i].name)) {
            *by = names[i].by;
            return EXIT_DONE;
        }
    }
    if (!strncmp(text, "interval=", strlen("interval="))) {
        uint64_t ns = parse_time_ns(text + strlen("interval="));
        *by = TALLY_BY_INTERVAL;
        *interval_ticks = scale_u64(ns, timestamp_hz, NS_PER_SECOND);
        if (*interval_ticks)
            return EXIT_DONE;
    }
    return tell_usage("--by \"%s\", expected context, reason, none or interval=TIME such as 10ms",
                      text);
}

static int open_summary(struct report *report, const char *by_text)
{
    enum tally_group_by by = TALLY_BY_CONTEXT;
    uint64_t interval_ticks = 0;
    if (by_text) {
        int code = parse_by(by_text, report->session.info->recorded.timestamp_hz, &by,
                            &interval_ticks);
        if (code != EXIT_DONE)
            return code;
    }
    report->summary =
        tally_summary_new(report->session.program, by, interval_ticks, take_group, report);
    if (!report->summary)
        return tell_error(&(struct tally_error){-ENOMEM, "out of memory"});
    return EXIT_DONE;
}

/* Reads everything, then writes what comes at the end. Returns an exit code. */
static int run(struct report *report, const struct arguments *arguments)
{
    struct tally_error error = {0};
    struct tally_recording *recording = report->session.recording;
    bool seekable = report->session.info->size_bytes != 0;
    if (!report->summary)
        tally_recording_index(recording);
    /* Single deltas are placed in CPU time; on a pipe the points for that come in while reading. */
    bool overlap = report->summary || seekable;
    int result = read_all(recording, overlap, arguments->values[OPTION_QUIET] != NULL, take_batch,
                          report, &error);
    if (report->output->error.code)
        return EXIT_NO; /* told when it is closed */
    begin(report, NULL);
    if (report->summary)
        tally_summary_finish(report->summary);
    report->context.fault = result < 0 ? error.message : NULL;
    if (report->sink->end)
        report->sink->end(report->output, &report->context);
    output_flush(report->output);

    const struct tally_loss *losses;
    size_t loss_count = tally_recording_losses(recording, &losses);
    if (result < 0)
        return tell_error(&error);
    if (!report->sink->end && loss_count)
        fprintf(stderr, "tally: %s: %zu entries in the loss ledger; see tally info\n",
                report->session.info->path, loss_count);
    return loss_count && arguments->values[OPTION_FAIL_ON_LOSS] ? EXIT_LOST : EXIT_DONE;
}

static int report_or_export(const struct arguments *arguments, const char *format, bool per_report)
{
    struct report report = {0};
    int code = EXIT_DONE;
    if (!(report.sink = sink_find(format)))
        return tell_usage("--format \"%s\", expected table, csv or jsonl", format);
    code = session_open(arguments, &report.session);
    if (code == EXIT_DONE && !per_report)
        code = open_summary(&report, arguments->values[OPTION_BY]);
    if (code == EXIT_DONE && (report.output = open_output(arguments, &code))) {
        report.context = (struct sink_context){
            .recording = report.session.recording,
            .info = report.session.info,
            .program = report.session.program,
            .set = report.session.set,
            .counters = report.session.counters,
            .counter_count = report.session.counter_count,
        };
        code = close_output(report.output, run(&report, arguments));
    }
    tally_summary_free(report.summary);
    session_close(&report.session);
    return code;
}

int command_report(const struct arguments *arguments)
{
    const char *format = arguments->values[OPTION_FORMAT];
    bool per_report = arguments->values[OPTION_PER_REPORT] != NULL;
    if (per_report && arguments->values[OPTION_BY])
        return tell_usage("report: --per-report and --by exclude each other");
    return report_or_export(arguments, format ? format : "table", per_report);
}

int command_export(const struct arguments *arguments)
{
    const char *format = arguments->values[OPTION_FORMAT];
    return report_or_export(arguments, format ? format : "csv", true);
}
