/* SPDX-License-Identifier: MIT */
/* tally record: options, messages and the main loop. */
#include "cli/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/ratio.h"
#include "capture/counting.h"
#include "capture/filter.h"
#include "cli/input.h"
#include "cli/record_marks.h"
#include "cli/trace.h"

#define DEFAULT_OUTPUT    "tally.i915-perf"
#define DEFAULT_PERIOD_NS 1000000u
#define MIN_RING_BYTES    (64u << 10)
#define LAST_READS        64 /* of marks: more than a pipe holds */

struct record {
    const struct arguments *arguments;
    struct tally_capture *capture;
    struct command_run run;
    struct tally_capture_options options;
    struct buffer comment;
    bool quiet;

    bool progress, shown; /* progress is wanted; the line is on the screen */
    uint64_t next_progress_ns;
    unsigned uncounted; /* activities of the workload that nothing counts */

    struct record_inputs inputs;
    unsigned repeat; /* runs; 0: one, whose file has the name of the output */
    const char *output;
    char path[4096]; /* of a run */
    sigset_t mask;   /* before signals were blocked for all runs */
};

/* ---- options --------------------------------------------------------------------------------- */

/* Parses the time of an option; `value_ns` is its default. */
static int read_time(const struct arguments *arguments, enum option_id option, uint64_t value_ns,
                     uint64_t *out)
{
    const char *text = arguments->values[option];
    *out = text ? parse_time_ns(text) : value_ns;
    if (text && !*out)
        return usage_error("record: --%s \"%s\", expected a time such as 80us, 10ms or 2s",
                           option_rows[option].name, text);
    return EXIT_DONE;
}

static int read_ring(struct record *record)
{
    const char *text = record->arguments->values[OPTION_RING];
    uint64_t bytes = text ? parse_size(text) : 0;
    if (!text)
        return EXIT_DONE;
    if (bytes < MIN_RING_BYTES || bytes > SIZE_MAX / 2)
        return usage_error("record: --ring \"%s\", expected a size of at least 64K, such as 8M",
                           text);
    if (!strcmp(record->options.output, "-"))
        return usage_error("record: --ring cannot write to a pipe, expected -o FILE");
    record->options.ring_bytes = bytes;
    return EXIT_DONE;
}

static int read_packet_memory(struct record *record)
{
    const char *text = record->arguments->values[OPTION_PACKET_MEMORY];
    uint64_t bytes = text ? parse_size(text) : 0;
    if (text &&
        (bytes < PACKET_MEMORY_MIN || bytes > PACKET_MEMORY_MAX || bytes % PACKET_MEMORY_MULTIPLE))
        return usage_error("record: --packet-memory \"%s\", expected a size from 4K to 256M, a "
                           "multiple of %u, such as 1M",
                           text, PACKET_MEMORY_MULTIPLE);
    record->options.packet_bytes = bytes;
    return EXIT_DONE;
}

static int read_context(struct record *record)
{
    const char *text = record->arguments->values[OPTION_CONTEXT];
    char *end;
    if (!text)
        return EXIT_DONE;
    errno = 0;
    unsigned long long id = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end || errno || id >= TALLY_CONTEXT_IDLE)
        return usage_error("record: --context \"%s\", expected a hardware context id (see tally "
                           "report), such as 0x1000",
                           text);
    record->options.one_context = true;
    record->options.context = (uint32_t)id;
    return EXIT_DONE;
}

static int read_output(struct record *record)
{
    const char *output = record->arguments->values[OPTION_OUTPUT];
    record->options.output = output ? output : DEFAULT_OUTPUT;
    if (strcmp(record->options.output, "-") != 0)
        return EXIT_DONE;
    if (record->arguments->operand_count)
        return usage_error(
            "record: -o - cannot be used with a command, which writes to the same output");
    if (isatty(STDOUT_FILENO))
        return usage_error("record: standard output is a terminal, expected a pipe or -o FILE");
    return EXIT_DONE;
}

/* Parses --delay, in milliseconds as perf record's. */
static int read_delay(struct record *record)
{
    const char *text = record->arguments->values[OPTION_DELAY];
    uint64_t *ns = &record->options.delay_ns;
    char *end;
    if (!text)
        return EXIT_DONE;
    if (!strcmp(text, "-1")) {
        *ns = UINT64_MAX;
        return record->arguments->values[OPTION_CONTROL]
                   ? EXIT_DONE
                   : usage_error("record: --delay -1 needs --control, which enables the recording");
    }
    unsigned long long ms = strtoull(text, &end, 10);
    *ns = *end ? parse_time_ns(text) : ms < UINT32_MAX ? ms * 1000000 : 0;
    bool is_zero = *text == '0' && !*end && !ms;
    if (*text < '0' || *text > '9' || (!*ns && !is_zero))
        return usage_error("record: --delay \"%s\", expected milliseconds, a time such as 2s, or "
                           "-1 with --control",
                           text);
    return EXIT_DONE;
}

/* Parses --repeat and --append. */
static int read_runs(struct record *record)
{
    record->output = record->options.output;
    record->options.append = record->arguments->values[OPTION_CONTINUE] != NULL;
    int code = repeat_parse(record->arguments, &record->repeat);
    bool is_pipe = !strcmp(record->output, "-");
    const char *option = record->repeat ? "repeat" : "append";
    if (code == EXIT_DONE && (record->repeat || record->options.append) && is_pipe)
        return usage_error("record: --%s cannot write to a pipe, expected -o FILE", option);
    if (code == EXIT_DONE && record->options.append &&
        (record->repeat || record->options.ring_bytes))
        return usage_error("record: --append excludes --repeat and --ring");
    if (code == EXIT_DONE && record->repeat && !record->arguments->operand_count &&
        !record->options.duration_ns && !record->arguments->values[OPTION_CONTROL])
        return usage_error("record: --repeat needs an end of each run, expected --time or COMMAND");
    return code;
}

/* Parses the options that do not depend on the device. */
static int read_arguments(struct record *record)
{
    const struct arguments *arguments = record->arguments;
    int code = read_output(record);
    if (code == EXIT_DONE)
        code = read_delay(record);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_PERIOD, DEFAULT_PERIOD_NS, &record->options.period_ns);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_TIME, 0, &record->options.duration_ns);
    if (code == EXIT_DONE)
        code = read_ring(record);
    if (code == EXIT_DONE)
        code = read_packet_memory(record);
    if (code == EXIT_DONE)
        code = read_runs(record);
    return code == EXIT_DONE ? read_context(record) : code;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Composes the comment of the recording: the command line of the command. */
static int write_comment(struct record *record)
{
    struct buffer *text = &record->comment;
    for (size_t i = 0; i < record->arguments->operand_count; i++)
        buffer_printf(text, "%s%s", i ? " " : ", along with: ", record->arguments->operands[i]);
    if (text->size)
        buffer_char(text, '\0');
    record->options.comment = text->bytes;
    return text->broken ? report_memory() : EXIT_DONE;
}

static void print_start(const struct record *record)
{
    const struct tally_capture_info *info = tally_capture_info(record->capture);
    uint64_t period = info->period_ns, requested = record->options.period_ns;
    char text[32], requested_text[32];
    struct buffer line = {0};
    if (record->quiet)
        return;
    add_error_text(&line, "tally: %s, %s%s, ", info->name, info->modelled ? "modelled " : "",
                   tally_device_title(&info->device));
    if (record->options.expression_count)
        add_error_text(&line, "%zu expression%s", record->options.expression_count,
                       record->options.expression_count == 1 ? "" : "s");
    else
        add_error_text(&line, "metric set %s", info->recorded.set_name);
    if (info->passes > 1)
        add_error_text(&line, " in %u passes", info->passes);
    if (record->options.stop)
        add_error_text(&line, ", a packet at each %s", record->options.stop);
    else
        add_error_text(&line, ", period %s", duration_text(period, text, sizeof text));
    if (record->arguments->values[OPTION_PERIOD] && period && requested != period)
        add_error_text(&line, " (nearest to %s)",
                       duration_text(requested, requested_text, sizeof requested_text));
    buffer_char(&line, '\n');
    print_error_text(&line);
}

static bool has_lost(const struct tally_capture_stats *stats)
{
    return stats->missing || stats->report_lost || stats->buffer_lost || stats->not_landed ||
           stats->counts_lost || stats->restarts || stats->overruns;
}

static void add_losses(struct buffer *to, const struct tally_capture_stats *stats)
{
    if (!has_lost(stats))
        buffer_text(to, "nothing lost");
    else if (stats->counts_lost)
        buffer_printf(to, "%" PRIu64 " x counts of a domain lost", stats->counts_lost);
    else if (stats->restarts || stats->overruns)
        buffer_printf(to, "%" PRIu64 " gap%s", stats->restarts + stats->overruns,
                      stats->restarts + stats->overruns == 1 ? "" : "s");
    else
        buffer_printf(to, "%" PRIu64 " lost", stats->missing);
    if (stats->restarts)
        buffer_printf(to, ", %" PRIu64 " x memory began anew", stats->restarts);
    if (stats->overruns)
        buffer_printf(to, ", %" PRIu64 " x memory was full before it was read", stats->overruns);
    if (stats->buffer_lost)
        buffer_printf(to, ", %" PRIu64 " x OA buffer overflowed", stats->buffer_lost);
    if (stats->report_lost)
        buffer_printf(to, ", %" PRIu64 " x OA unit dropped reports", stats->report_lost);
    if (stats->not_landed)
        buffer_printf(to, ", %" PRIu64 " x report was not in memory yet when read",
                      stats->not_landed);
}

static void print_end(const struct record *record)
{
    const struct tally_capture_stats *stats = tally_capture_stats(record->capture);
    char text[32];
    struct buffer line = {0};
    if (record->quiet)
        return;
    add_error_text(&line, "tally: %s: %" PRIu64 " %s, %.1f MB", record->options.output,
                   stats->written, record->options.packets ? "packets" : "reports",
                   (double)stats->bytes / 1e6);
    if (stats->written + stats->skipped != stats->reports)
        buffer_printf(&line, ", latest of %" PRIu64, stats->reports - stats->skipped);
    if (record->options.one_context)
        buffer_printf(&line, ", %" PRIu64 " of other contexts skipped", stats->skipped);
    buffer_printf(&line, "; in %s, ", duration_text(stats->elapsed_ns, text, sizeof text));
    add_losses(&line, stats);
    if (stats->stalled_ns && stats->buffer_lost)
        buffer_printf(&line, ", %s waiting for the disk",
                      duration_text(stats->stalled_ns, text, sizeof text));
    buffer_char(&line, '\n');
    print_error_text(&line);
}

/* Warns about register accesses of an emulated GPU that had no effect. The driver's own writes of
 * reserved bits are of interest in a trace only. */
static void warn_about_accesses(const struct record *record)
{
    struct tally_gpu_mmio_stats stats = tally_capture_mmio_stats(record->capture);
    warn_gpu_accesses("record", &stats, record->arguments->values[OPTION_TRACE] != NULL);
}

/* ---- progress -------------------------------------------------------------------------------- */

static void show_progress(struct record *record)
{
    const struct tally_capture_stats *stats = tally_capture_stats(record->capture);
    uint64_t now = record->progress ? clock_ns(CLOCK_MONOTONIC) : 0;
    if (!record->progress || now < record->next_progress_ns)
        return;
    double seconds = (double)stats->elapsed_ns / 1e9;
    struct buffer line = {0};
    buffer_printf(&line, "\r\033[K%.1f s  %" PRIu64 " reports  %.0f/s  ", seconds, stats->reports,
                  seconds > 0 ? (double)stats->reports / seconds : 0);
    add_losses(&line, stats);
    print_error_text(&line);
    record->shown = true;
    record->next_progress_ns = now + NS_PER_SECOND / 10;
}

static void clear_progress(struct record *record)
{
    if (record->shown)
        fputs("\r\033[K", stderr);
    record->shown = false;
}

/* Called after SIGUSR1 has written a file of the ring. */
static void dumped(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error)
{
    struct record *record = closure;
    clear_progress(record);
    if (error)
        report_error(error);
    else if (!record->quiet)
        warn("%s: latest %" PRIu64 " reports", path, reports);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void handle_signals(struct record *record)
{
    switch (command_signals(&record->run)) {
    case RECORD_STOP:
        tally_capture_stop(record->capture);
        break;
    case RECORD_DUMP:
        if (record->options.ring_bytes)
            tally_capture_dump(record->capture, NULL); /* the next step reports device errors */
        break;
    case RECORD_CONTINUE:
        break;
    }
}

/* Records until the end. *command is set to the exit code if the command could not be started. */
static int capture(struct record *record, int *command, struct tally_error *error)
{
    struct tally_error second = {0};
    int result = tally_capture_start(record->capture, &record->options, error);
    if (result < 0)
        return result;
    warn_uncounted(record->arguments, record->capture, record->uncounted);
    print_start(record);
    *command = command_start(&record->run);
    while ((result = tally_capture_step(record->capture, UINT64_MAX, error)) > 0) {
        handle_signals(record);
        record_inputs_read(&record->inputs);
        show_progress(record);
    }
    for (int i = 0; i < LAST_READS || record->inputs.is_file; i++) { /* the last marks */
        record_inputs_read(&record->inputs);
        if (record->inputs.marks < 0)
            break;
    }
    int finished = tally_capture_finish(record->capture, &second);
    if (result == 0 && finished < 0)
        *error = second;
    clear_progress(record);
    if (result == 0 && finished == 0 && record->inputs.result < 0) {
        *error = record->inputs.error;
        return record->inputs.result;
    }
    return result < 0 ? result : finished;
}

static int run(struct record *record)
{
    struct tally_error error = {0};
    int command = EXIT_DONE;
    bool has_command = record->arguments->operand_count != 0;
    int code = record_inputs_begin(&record->inputs, has_command);
    if (code != EXIT_DONE) {
        record_inputs_end(&record->inputs);
        return code;
    }
    code = command_prepare(&record->run, has_command ? record->arguments->operands : NULL,
                           &record->inputs, record->repeat ? &record->mask : NULL);
    if (code == EXIT_DONE && record_inputs_watch(&record->inputs, record->run.signals) < 0) {
        warn("record: cannot watch for signals");
        code = EXIT_FAILED;
    }
    if (code == EXIT_DONE) {
        record->options.wake_fd = record->inputs.wake;
        int result = capture(record, &command, &error);
        /* The reader of the output may close the pipe. */
        if (result < 0 && !(result == -EPIPE && !strcmp(record->options.output, "-")))
            code = report_error(&error);
        if (result == 0 && command == EXIT_DONE)
            print_end(record);
        if (!record->quiet)
            warn_about_accesses(record);
    }
    command_finish(&record->run);
    record_inputs_end(&record->inputs);
    if (code == EXIT_DONE)
        code = record->run.code; /* 127 or 126 if it could not be started, as in a shell */
    if (code == EXIT_DONE)
        code = command;
    if (code == EXIT_DONE && has_lost(tally_capture_stats(record->capture)) &&
        record->arguments->values[OPTION_FAIL_ON_LOSS])
        code = EXIT_LOST;
    return code;
}

/* Returns the exit code of --repeat after a signal or a run that failed, and reports how many
 * recordings there are. */
static int end_early(const struct record *record, unsigned runs, int signal, int code)
{
    if (signal)
        warn("record: ended by %s after %u of %u runs", strsignal(signal), runs, record->repeat);
    else
        warn("record: run %u of %u failed with exit status %d, no more runs follow", runs,
             record->repeat, code);
    return code != EXIT_DONE ? code : 128 + signal;
}

/* Records each run into its file. */
static int run_all(struct record *record)
{
    int code = EXIT_DONE, signal = 0;
    unsigned i = 0;
    if (!record->repeat)
        return run(record);
    repeat_block(&record->mask);
    while (code == EXIT_DONE && !signal && !record->inputs.stop && i < record->repeat) {
        signal = repeat_pending();
        if (signal)
            break;
        if (!repeat_path(record->path, sizeof record->path, record->output, ++i, record->repeat)) {
            code = usage_error("record: --output: the path is too long");
            break;
        }
        record->options.output = record->path;
        code = run(record);
        signal = record->run.stop_signal;
    }
    if (i < record->repeat && (signal || code != EXIT_DONE))
        code = end_early(record, i, signal, code);
    sigprocmask(SIG_SETMASK, &record->mask, NULL);
    return code;
}

/* Record mode needs signals of a GPU that has it; tally_capture_start() checks which has. */
static int check_packets(struct record *record)
{
    const struct arguments *arguments = record->arguments;
    const struct tally_capture_info *info = tally_capture_info(record->capture);
    struct tally_capture_options *options = &record->options;
    options->packets = arguments->values[OPTION_PACKETS] != NULL;
    options->stop = arguments->values[OPTION_STOP];
    if (!options->packets && (options->stop || options->packet_bytes))
        return usage_error("record: --%s is an option of --packets",
                           option_rows[options->stop ? OPTION_STOP : OPTION_PACKET_MEMORY].name);
    if (!options->packets)
        return EXIT_DONE;
    if (!info->device.nvidia)
        return usage_error("record: --packets is for NVIDIA GPUs, and %s is not one, expected one "
                           "such as -d sim:g92",
                           info->name);
    if (!perfmon_features(info->device.nvidia)->record)
        return usage_error("record: --packets: %s has no record mode, expected a chipset from G84 "
                           "to GT21x, such as -d sim:g92",
                           info->device.nvidia->title);
    if (!options->expression_count)
        return usage_error("record: --packets expects signals to record, such as -e PGRAPH.IDLE");
    if (options->split_ratios)
        return usage_error("record: --packets with --split-ratios: packets have no ratios");
    if (options->stop && arguments->values[OPTION_PERIOD])
        return usage_error("record: --stop with --period, expected one of them");
    return EXIT_DONE;
}

static int prepare(struct record *record)
{
    const struct tally_device *device = &tally_capture_info(record->capture)->device;
    struct tally_capture_options *options = &record->options;
    if (options->one_context && (device->nvidia || !filter_supported(device->platform)))
        return usage_error("record: --context: reports of %s have no context id",
                           tally_device_title(device));
    options->metric_set = record->arguments->values[OPTION_SET];
    options->expressions = record->arguments->expressions;
    options->expression_count = record->arguments->expression_count;
    options->split_ratios = record->arguments->values[OPTION_SPLIT_RATIOS] != NULL;
    if (!device->nvidia && (options->expression_count || options->split_ratios))
        return usage_error("record: --expression and --split-ratios are for NVIDIA GPUs, and %s is "
                           "not one, expected one such as -d sim:g92",
                           tally_capture_info(record->capture)->name);
    if (check_packets(record) != EXIT_DONE)
        return EXIT_USAGE;
    if (options->metric_set && options->expression_count)
        return usage_error("record: --set with --expression, expected one of them");
    options->metrics = record->arguments->values[OPTION_METRICS];
    options->dumped = dumped;
    options->closure = record;
    return write_comment(record);
}

static int open_inputs(struct record *record)
{
    const struct arguments *arguments = record->arguments;
    const struct tally_capture_info *info = tally_capture_info(record->capture);
    int code = record_inputs_open(&record->inputs, arguments,
                                  info->workload && info->clock == TALLY_CAPTURE_FREE);
    record->inputs.capture = record->capture;
    record->options.marks = arguments->operand_count || arguments->values[OPTION_MARK_FD] ||
                            arguments->values[OPTION_CONTROL];
    return code;
}

static bool wants_list(const struct arguments *arguments, enum option_id option)
{
    return arguments->values[option] && !strcmp(arguments->values[option], "list");
}

int command_record(const struct arguments *arguments)
{
    struct record record = {.arguments = arguments,
                            .options.size = sizeof record.options,
                            .inputs = {.wake = -1, .marks = -1, .control = -1, .acknowledge = -1},
                            .quiet = arguments->values[OPTION_QUIET] != NULL};
    record.progress = !record.quiet && isatty(STDERR_FILENO);
    if (wants_list(arguments, OPTION_DEVICE))
        return list_devices(arguments);
    bool list_sets = wants_list(arguments, OPTION_SET);
    int code = list_sets ? EXIT_DONE : read_arguments(&record);
    FILE *mmio = NULL;
    if (code == EXIT_DONE)
        code = pick_device(arguments, "record", arguments->values[OPTION_DEVICE], &mmio,
                           &record.uncounted, &record.capture);
    record.progress = record.progress && mmio != stderr;
    if (code == EXIT_DONE && list_sets)
        code = list_sets_of(arguments, record.capture);
    else if (code == EXIT_DONE && (code = prepare(&record)) == EXIT_DONE &&
             (code = open_inputs(&record)) == EXIT_DONE)
        code = run_all(&record);
    record_inputs_close(&record.inputs);
    record_inputs_warn(&record.inputs);
    tally_capture_close(record.capture);
    buffer_fini(&record.comment);
    return close_trace(arguments, mmio, code);
}
