/* SPDX-License-Identifier: MIT */
/* tally report and tally export: a recording's metrics, summed up or one by one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "cli/input.h"
#include "sink/sink.h"

struct report;

/* Evaluates one block of a batch, from element `start` on. Returns its deltas. */
static size_t run_block(struct tally_program *program, const struct tally_batch *batch,
                        size_t start)
{
    size_t left = batch->count - 1 - start;
    size_t count = left < TALLY_BLOCK ? left : TALLY_BLOCK, after = left - count;
    tally_program_expect(program, batch->reports + start + count + 1,
                         after < TALLY_BLOCK ? after : TALLY_BLOCK);
    tally_program_run(program, batch->reports + start, count);
    return count;
}

/* One thread's share of the work: a summary, or the text of a batch of deltas. */
struct share {
    struct report *report;
    struct tally_program *program;
    struct tally_summary *summary;
    struct sink_context context; /* the report's, with this share's program */
    struct buffer text;
    struct output *output; /* to `text` */
};

struct report {
    struct session session;
    struct sink_context context;
    struct output *output;
    const struct sink *sink;
    bool per_report;
    enum tally_group_by by;
    uint64_t interval_ticks;
    struct share shares[WORKERS_MAX];
    size_t share_count;
    bool begun;
    struct tally_error fault; /* that ended the reading */
};

static void begin(struct report *report)
{
    if (report->begun)
        return;
    report->begun = true;
    if (report->per_report)
        report->sink->begin_deltas(report->output, &report->context);
    else
        report->sink->begin_groups(report->output, &report->context);
}

static int sum_up(void *closure, const struct tally_batch *batch)
{
    struct share *share = closure;
    if (share->report->by == TALLY_BY_INTERVAL) {
        /* Intervals are written as they close: the heading comes first. */
        if (!batch->first_index)
            share->report->context.origin_ticks = batch->gpu_ticks[0];
        begin(share->report);
    }
    for (size_t start = 0; start + 1 < batch->count; start += TALLY_BLOCK) {
        size_t count = run_block(share->program, batch, start);
        if (tally_summary_add(share->summary, batch, start, count) < 0)
            return -ENOMEM;
    }
    return share->report->output->error.code;
}

static int format_deltas(void *closure, const struct tally_batch *batch)
{
    struct share *share = closure;
    if (!batch->first_index)
        share->context.origin_ticks = batch->gpu_ticks[0]; /* for tables, which have one share */
    for (size_t start = 0; start + 1 < batch->count; start += TALLY_BLOCK) {
        size_t count = run_block(share->program, batch, start);
        share->report->sink->deltas(share->output, &share->context, batch, start, count);
    }
    output_flush(share->output);
    return share->output->error.code;
}

static int write_deltas(void *closure)
{
    struct share *share = closure;
    output_bytes(share->report->output, share->text.bytes, share->text.size);
    share->text.size = 0;
    return share->report->output->error.code;
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

static int open_share(struct report *report, struct share *share)
{
    struct tally_environment environment;
    struct tally_error error = {0};
    *share = (struct share){.report = report, .program = report->session.program};
    tally_environment_of(report->session.info, &environment);
    if (share != &report->shares[0] &&
        tally_program_new(report->session.set, &environment, report->session.info->layout,
                          &share->program, &error) < 0)
        return tell_error(&error);
    if (report->per_report)
        share->output = output_to_memory(&share->text);
    else
        share->summary = tally_summary_new(share->program, report->by, report->interval_ticks,
                                           take_group, report);
    if (!share->summary && !share->output)
        return tell_error(&(struct tally_error){-ENOMEM, "out of memory"});
    share->context = report->context;
    share->context.program = share->program;
    if (share->output)
        share->output->color = report->output->color;
    return EXIT_DONE;
}

static int open_shares(struct report *report)
{
    /* What cannot be shared: intervals, which are closed in order; tables, whose times are counted
     * from the first report; and pipes, where points of CPU time come in while reading. */
    bool pipe = !report->session.info->size_bytes;
    bool alone =
        report->per_report ? pipe || report->sink == &sink_table : report->by == TALLY_BY_INTERVAL;
    report->share_count = alone ? 1 : worker_count(report->session.recording);
    for (size_t i = 0; i < report->share_count; i++) {
        int code = open_share(report, &report->shares[i]);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

static void close_shares(struct report *report)
{
    for (size_t i = 0; i < report->share_count; i++) {
        struct share *share = &report->shares[i];
        tally_summary_free(share->summary);
        if (share->output)
            output_close(share->output, NULL);
        buffer_fini(&share->text);
        if (i)
            tally_program_free(share->program);
    }
}

/* Reads everything; afterwards the first share holds all sums. */
static int read_everything(struct report *report, bool quiet, struct tally_error *error)
{
    struct tally_recording *recording = report->session.recording;
    void *closures[WORKERS_MAX];
    for (size_t i = 0; i < report->share_count; i++)
        closures[i] = &report->shares[i];
    if (report->per_report) {
        begin(report);
        return read_shared(recording, quiet, format_deltas, write_deltas, closures,
                           report->share_count, error);
    }
    if (report->by == TALLY_BY_INTERVAL)
        return read_all(recording, true, quiet, sum_up, closures[0], error);
    int result = read_shared(recording, quiet, sum_up, NULL, closures, report->share_count, error);
    for (size_t i = 1; i < report->share_count; i++)
        if (tally_summary_merge(report->shares[0].summary, report->shares[i].summary) < 0)
            result = -ENOMEM;
    return result;
}

/* Reads everything, then writes what comes at the end. Returns an exit code. */
static int run(struct report *report, const struct arguments *arguments)
{
    struct tally_recording *recording = report->session.recording;
    int result = read_everything(report, arguments->values[OPTION_QUIET] != NULL, &report->fault);
    if (report->output->error.code) /* told when it is closed; a reader that left is no fault */
        return report->output->error.code == -EPIPE ? EXIT_DONE : EXIT_NO;
    if (result == -ENOMEM && !report->fault.code)
        report->fault = (struct tally_error){-ENOMEM, "out of memory"};
    report->context.origin_ticks = tally_recording_totals(recording).first_ticks;
    begin(report);
    if (!report->per_report)
        tally_summary_finish(report->shares[0].summary);
    report->context.fault = result < 0 ? report->fault.message : NULL;
    if (report->sink->end)
        report->sink->end(report->output, &report->context);
    output_flush(report->output);

    const struct tally_loss *losses;
    size_t loss_count = tally_recording_losses(recording, &losses);
    if (result < 0)
        return tell_error(&report->fault);
    if (!report->sink->end && loss_count)
        fprintf(stderr, "tally: %s: %zu entr%s in the loss ledger; see tally info\n",
                report->session.info->path, loss_count, loss_count == 1 ? "y" : "ies");
    return loss_count && arguments->values[OPTION_FAIL_ON_LOSS] ? EXIT_LOST : EXIT_DONE;
}

static int report_or_export(const struct arguments *arguments, const char *format, bool per_report)
{
    const char *by = arguments->values[OPTION_BY];
    struct report report = {.per_report = per_report, .by = TALLY_BY_CONTEXT};
    int code = EXIT_DONE;
    if (!(report.sink = sink_find(format)))
        return tell_usage("--format \"%s\", expected table, csv or jsonl", format);
    code = session_open(arguments, &report.session);
    if (code == EXIT_DONE && by)
        code = parse_by(by, report.session.info->recorded.timestamp_hz, &report.by,
                        &report.interval_ticks);
    if (code == EXIT_DONE && (report.output = open_output(arguments, &code))) {
        report.context = (struct sink_context){
            .recording = report.session.recording,
            .info = report.session.info,
            .program = report.session.program,
            .set = report.session.set,
            .counters = report.session.counters,
            .counter_count = report.session.counter_count,
            .keys = report.session.keys,
        };
        if (per_report)
            tally_recording_index(report.session.recording);
        code = open_shares(&report);
        if (code == EXIT_DONE)
            code = run(&report, arguments);
        code = close_output(report.output, code);
    }
    close_shares(&report);
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
