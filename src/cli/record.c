/* SPDX-License-Identifier: MIT */
/* tally record. */
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
#include "capture/filter.h"
#include "cli/input.h"
#include "cli/record.h"

#define DEFAULT_OUTPUT    "tally.i915-perf"
#define DEFAULT_PERIOD_NS 1000000u
#define MIN_RING_BYTES    (64u << 10)

struct record {
    const struct arguments *arguments;
    struct tally_capture *capture;
    struct command_run run;
    struct tally_capture_options options;
    struct buffer comment;
    bool quiet;

    bool progress, shown;
    uint64_t next_progress_ns;
};

/* ---- what is asked for ----------------------------------------------------------------------- */

/* A time of an option, or `usual` without it. */
static int read_time(const struct arguments *arguments, enum option_id option, uint64_t usual,
                     uint64_t *out)
{
    const char *text = arguments->values[option];
    *out = text ? parse_time_ns(text) : usual;
    if (text && !*out)
        return tell_usage("record: --%s \"%s\", expected a time such as 80us, 10ms or 2s",
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
        return tell_usage("record: --ring \"%s\", expected a size of 64K at least, such as 8M",
                          text);
    if (!strcmp(record->options.output, "-"))
        return tell_usage("record: --ring writes files, expected -o FILE");
    record->options.ring_bytes = bytes;
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
        return tell_usage("record: --context \"%s\", expected an id as tally report tells it, such "
                          "as 0x1000",
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
        return tell_usage("record: -o - with a command, whose output would be among the records");
    if (isatty(STDOUT_FILENO))
        return tell_usage("record: standard output is a terminal, expected a pipe or -o FILE");
    return EXIT_DONE;
}

/* All that needs no device. */
static int read_arguments(struct record *record)
{
    const struct arguments *arguments = record->arguments;
    int code = read_output(record);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_PERIOD, DEFAULT_PERIOD_NS, &record->options.period_ns);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_TIME, 0, &record->options.duration_ns);
    if (code == EXIT_DONE)
        code = read_ring(record);
    return code == EXIT_DONE ? read_context(record) : code;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The command that the recording goes along with, for the file. */
static int write_comment(struct record *record)
{
    struct buffer *text = &record->comment;
    for (size_t i = 0; i < record->arguments->operand_count; i++)
        buffer_printf(text, "%s%s", i ? " " : ", along with: ", record->arguments->operands[i]);
    if (text->size)
        buffer_char(text, '\0');
    record->options.comment = text->bytes;
    return text->broken ? tell_error(&(struct tally_error){-ENOMEM, "out of memory"}) : EXIT_DONE;
}

static void tell_start(const struct record *record)
{
    const struct tally_capture_info *info = tally_capture_info(record->capture);
    uint64_t period = info->period_ns, wanted = record->options.period_ns;
    char words[32], other[32];
    if (record->quiet)
        return;
    fprintf(stderr, "tally: %s, %s, metric set %s, a report every %s", info->name,
            info->device.platform->title, info->recorded.set_name,
            duration_text(period, words, sizeof words));
    if (record->arguments->values[OPTION_PERIOD] && wanted != period)
        fprintf(stderr, " (the nearest to %s)", duration_text(wanted, other, sizeof other));
    fputc('\n', stderr);
}

static void put_losses(FILE *to, const struct tally_capture_stats *stats)
{
    if (!stats->missing && !stats->report_lost && !stats->buffer_lost && !stats->not_landed)
        fputs("nothing lost", to);
    else
        fprintf(to, "%" PRIu64 " lost", stats->missing);
    if (stats->buffer_lost)
        fprintf(to, ", %" PRIu64 " x the kernel's buffer was full", stats->buffer_lost);
    if (stats->report_lost)
        fprintf(to, ", %" PRIu64 " x the unit dropped reports", stats->report_lost);
    if (stats->not_landed)
        fprintf(to, ", %" PRIu64 " x a report was read before it was there", stats->not_landed);
}

static void tell_end(const struct record *record)
{
    const struct tally_capture_stats *stats = tally_capture_stats(record->capture);
    char words[32];
    if (record->quiet)
        return;
    fprintf(stderr, "tally: %s: %" PRIu64 " reports, %.1f MB", record->options.output,
            stats->written, (double)stats->bytes / 1e6);
    if (stats->written + stats->skipped != stats->reports)
        fprintf(stderr, ", the latest of %" PRIu64, stats->reports - stats->skipped);
    if (record->options.one_context)
        fprintf(stderr, ", %" PRIu64 " of other contexts left out", stats->skipped);
    fprintf(stderr, "; in %s, ", duration_text(stats->elapsed_ns, words, sizeof words));
    put_losses(stderr, stats);
    if (stats->stalled_ns && stats->buffer_lost)
        fprintf(stderr, " while the disk was waited for %s",
                duration_text(stats->stalled_ns, words, sizeof words));
    fputc('\n', stderr);
}

/* ---- meanwhile ------------------------------------------------------------------------------- */

static void show_progress(struct record *record)
{
    const struct tally_capture_stats *stats = tally_capture_stats(record->capture);
    uint64_t now = record->progress ? clock_ns(CLOCK_MONOTONIC) : 0;
    if (!record->progress || now < record->next_progress_ns)
        return;
    double seconds = (double)stats->elapsed_ns / 1e9;
    fprintf(stderr, "\r\033[K%.1f s  %" PRIu64 " reports  %.0f/s  ", seconds, stats->reports,
            seconds > 0 ? (double)stats->reports / seconds : 0);
    put_losses(stderr, stats);
    record->shown = true;
    record->next_progress_ns = now + NS_PER_SECOND / 10;
}

static void clear_progress(struct record *record)
{
    if (record->shown)
        fputs("\r\033[K", stderr);
    record->shown = false;
}

static void dumped(void *closure, const char *path, uint64_t reports,
                   const struct tally_error *error)
{
    struct record *record = closure;
    clear_progress(record);
    if (error)
        tell_error(error);
    else if (!record->quiet)
        fprintf(stderr, "tally: %s: the latest %" PRIu64 " reports\n", path, reports);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void obey_signals(struct record *record)
{
    switch (command_signals(&record->run)) {
    case RECORD_STOP:
        tally_capture_stop(record->capture);
        break;
    case RECORD_DUMP:
        if (record->options.ring_bytes)
            tally_capture_dump(record->capture, NULL); /* step tells a device that fails */
        break;
    case RECORD_GO_ON:
        break;
    }
}

/* Until it is over. The command's code: of one that could not be run. */
static int capture(struct record *record, int *command, struct tally_error *error)
{
    struct tally_error second = {0};
    int result = tally_capture_start(record->capture, &record->options, error);
    if (result < 0)
        return result;
    tell_start(record);
    *command = command_go(&record->run);
    while ((result = tally_capture_step(record->capture, UINT64_MAX, error)) > 0) {
        obey_signals(record);
        show_progress(record);
    }
    int finished = tally_capture_finish(record->capture, &second);
    if (result == 0 && finished < 0)
        *error = second;
    clear_progress(record);
    return result < 0 ? result : finished;
}

static bool has_lost(const struct tally_capture_stats *stats)
{
    return stats->missing || stats->report_lost || stats->buffer_lost || stats->not_landed;
}

static int run(struct record *record)
{
    struct tally_error error = {0};
    int command = EXIT_DONE;
    int code = command_prepare(
        &record->run, record->arguments->operand_count ? record->arguments->operands : NULL);
    if (code == EXIT_DONE) {
        record->options.wake_fd = record->run.signals;
        int result = capture(record, &command, &error);
        /* Whoever reads our output has what it wanted. */
        if (result < 0 && !(result == -EPIPE && !strcmp(record->options.output, "-")))
            code = tell_error(&error);
        if (result == 0 && command == EXIT_DONE)
            tell_end(record);
    }
    command_finish(&record->run);
    if (code == EXIT_DONE)
        code = record->run.code; /* of one that could not be run: 127 or 126, as a shell has it */
    if (code == EXIT_DONE && has_lost(tally_capture_stats(record->capture)) &&
        record->arguments->values[OPTION_FAIL_ON_LOSS])
        code = EXIT_LOST;
    return code;
}

static int prepare(struct record *record)
{
    const struct tally_platform *platform = tally_capture_info(record->capture)->device.platform;
    struct tally_capture_options *options = &record->options;
    if (options->one_context && !filter_possible(platform))
        return tell_usage("record: --context: reports of %s do not tell contexts", platform->title);
    options->metric_set = record->arguments->values[OPTION_SET];
    options->metrics = record->arguments->values[OPTION_METRICS];
    options->dumped = dumped;
    options->closure = record;
    return write_comment(record);
}

static bool asks_for_list(const struct arguments *arguments, enum option_id option)
{
    return arguments->values[option] && !strcmp(arguments->values[option], "list");
}

int command_record(const struct arguments *arguments)
{
    struct record record = {.arguments = arguments,
                            .options.size = sizeof record.options,
                            .quiet = arguments->values[OPTION_QUIET] != NULL};
    record.progress = !record.quiet && isatty(STDERR_FILENO);
    if (asks_for_list(arguments, OPTION_DEVICE))
        return list_devices(arguments);
    bool list_sets = asks_for_list(arguments, OPTION_SET);
    int code = list_sets ? EXIT_DONE : read_arguments(&record);
    if (code == EXIT_DONE)
        code = pick_device(arguments, &record.capture);
    if (code != EXIT_DONE)
        return code;
    if (list_sets)
        code = list_sets_of(arguments, record.capture);
    else if ((code = prepare(&record)) == EXIT_DONE)
        code = run(&record);
    tally_capture_close(record.capture);
    buffer_fini(&record.comment);
    return code;
}
