/* SPDX-License-Identifier: MIT */
/* tally record. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/ratio.h"
#include "capture/filter.h"
#include "cli/input.h"
#include "cli/record.h"

#define USUAL_OUTPUT    "tally.i915-perf"
#define USUAL_PERIOD_NS 1000000u
#define LEAST_RING      (64u << 10)

struct record {
    const struct arguments *arguments;
    struct picked_device device;
    struct picked_set set;
    struct command_run run;
    struct recorder_settings settings;
    struct recorder_totals totals;
    struct buffer provenance;
    int code;
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
    if (bytes < LEAST_RING || bytes > SIZE_MAX / 2)
        return tell_usage("record: --ring \"%s\", expected a size of 64K at least, such as 8M",
                          text);
    if (!strcmp(record->settings.output, "-"))
        return tell_usage("record: --ring writes files, expected -o FILE");
    record->settings.ring_bytes = bytes;
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
    record->settings.one_context = true;
    record->settings.context = (uint32_t)id;
    return EXIT_DONE;
}

static int read_output(struct record *record)
{
    const char *output = record->arguments->values[OPTION_OUTPUT];
    record->settings.output = output ? output : USUAL_OUTPUT;
    if (strcmp(record->settings.output, "-") != 0)
        return EXIT_DONE;
    if (record->arguments->operand_count)
        return tell_usage("record: -o - with a command, whose output would be among the records");
    if (isatty(STDOUT_FILENO))
        return tell_usage("record: standard output is a terminal, expected a pipe or -o FILE");
    return EXIT_DONE;
}

/* All that needs no device; *period is what is asked for. */
static int read_arguments(struct record *record, uint64_t *period)
{
    const struct arguments *arguments = record->arguments;
    int code = read_output(record);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_PERIOD, USUAL_PERIOD_NS, period);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_TIME, 0, &record->settings.duration_ns);
    if (code == EXIT_DONE)
        code = read_ring(record);
    return code == EXIT_DONE ? read_context(record) : code;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "81.92 us" */
static const char *time_text(uint64_t ns, char *text, size_t size)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;
    while (i < 3 && (double)ns < units[i].ns)
        i++;
    snprintf(text, size, "%.7g %s", (double)ns / units[i].ns, units[i].unit);
    return text;
}

/* How the recording was made, for the file. */
static void write_provenance(struct record *record, uint64_t period)
{
    struct buffer *text = &record->provenance;
    char words[32];
    buffer_printf(text, "tally %s record -d %s -m %s", tally_version(), record->device.name,
                  record->set.set.symbol);
    if (record->device.modelled)
        buffer_printf(text, " --workload %s --clock %s", record->device.workload,
                      record->device.clock == EMULATED_FREE ? "free" : "wall");
    if (record->settings.ring_bytes)
        buffer_printf(text, " --ring %" PRIu64, record->settings.ring_bytes);
    if (record->settings.one_context)
        buffer_printf(text, " --context 0x%" PRIx32, record->settings.context);
    buffer_printf(text, ", a report every %s", time_text(period, words, sizeof words));
    for (size_t i = 0; i < record->arguments->operand_count; i++)
        buffer_printf(text, "%s%s", i ? " " : ", along with: ", record->arguments->operands[i]);
    if (text->size > 4096)
        text->size = 4096;
    buffer_char(text, '\0');
    record->settings.provenance = text->broken ? NULL : text->bytes;
}

static void tell_start(const struct record *record, uint64_t asked, uint64_t period)
{
    char words[32], other[32];
    if (record->quiet)
        return;
    fprintf(stderr, "tally: %s, %s, metric set %s, a report every %s", record->device.name,
            record->device.gpu.device.platform->title, record->set.set.symbol,
            time_text(period, words, sizeof words));
    if (record->arguments->values[OPTION_PERIOD] && asked != period)
        fprintf(stderr, " (the nearest to %s)", time_text(asked, other, sizeof other));
    fputc('\n', stderr);
}

static void put_losses(FILE *to, const struct recorder_totals *totals)
{
    if (!totals->missing && !totals->report_lost && !totals->buffer_lost)
        fputs("nothing lost", to);
    else
        fprintf(to, "%" PRIu64 " lost", totals->missing);
    if (totals->buffer_lost)
        fprintf(to, ", %" PRIu64 " x the kernel's buffer was full", totals->buffer_lost);
    if (totals->report_lost)
        fprintf(to, ", %" PRIu64 " x the unit dropped reports", totals->report_lost);
}

static void tell_end(const struct record *record)
{
    const struct recorder_totals *totals = &record->totals;
    char words[32];
    if (record->quiet)
        return;
    fprintf(stderr, "tally: %s: %" PRIu64 " reports, %.1f MB", record->settings.output,
            totals->written, (double)totals->bytes / 1e6);
    if (totals->written + totals->skipped != totals->reports)
        fprintf(stderr, ", the latest of %" PRIu64, totals->reports - totals->skipped);
    if (record->settings.one_context)
        fprintf(stderr, ", %" PRIu64 " of other contexts left out", totals->skipped);
    fprintf(stderr, "; in %s, ", time_text(totals->elapsed_ns, words, sizeof words));
    put_losses(stderr, totals);
    if (totals->stalled_ns && totals->buffer_lost)
        fprintf(stderr, " while the disk was waited for %s",
                time_text(totals->stalled_ns, words, sizeof words));
    fputc('\n', stderr);
}

/* ---- meanwhile ------------------------------------------------------------------------------- */

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static enum recorder_order woken(void *closure)
{
    struct record *record = closure;
    return command_signals(&record->run);
}

static void started(void *closure)
{
    struct record *record = closure;
    record->code = command_go(&record->run);
}

static void progress(void *closure, const struct recorder_totals *totals)
{
    struct record *record = closure;
    uint64_t now = record->progress ? wall_ns() : 0;
    if (!record->progress || now < record->next_progress_ns)
        return;
    double seconds = (double)totals->elapsed_ns / 1e9;
    fprintf(stderr, "\r\033[K%.1f s  %" PRIu64 " reports  %.0f/s  ", seconds, totals->reports,
            seconds > 0 ? (double)totals->reports / seconds : 0);
    put_losses(stderr, totals);
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

static int run(struct record *record)
{
    struct tally_error error = {0};
    struct recorder_settings *settings = &record->settings;
    int code = command_prepare(
        &record->run, record->arguments->operand_count ? record->arguments->operands : NULL);
    if (code == EXIT_DONE) {
        settings->wake = record->run.signals;
        int result = recorder_run(settings, &record->totals, &error);
        clear_progress(record);
        /* Whoever reads our output has what it wanted. */
        if (result < 0 && !(result == -EPIPE && !strcmp(settings->output, "-")))
            code = tell_error(&error);
        if (result == 0 && record->code == EXIT_DONE)
            tell_end(record);
    }
    command_finish(&record->run);
    if (code == EXIT_DONE)
        code = record->run.code; /* of one that could not be run: 127 or 126, as a shell has it */
    bool lost = record->totals.missing || record->totals.report_lost || record->totals.buffer_lost;
    if (code == EXIT_DONE && lost && record->arguments->values[OPTION_FAIL_ON_LOSS])
        code = EXIT_LOST;
    return code;
}

static int prepare(struct record *record, uint64_t asked)
{
    const struct gpu *gpu = &record->device.gpu;
    struct recorder_settings *settings = &record->settings;
    if (settings->one_context && !filter_possible(gpu->device.platform))
        return tell_usage("record: --context: reports of %s do not tell contexts",
                          gpu->device.platform->title);
    int code = pick_set(record->arguments, gpu, &record->set);
    if (code != EXIT_DONE)
        return code;
    settings->gpu = gpu;
    settings->set = &record->set.set;
    settings->exponent = gpu_nearest_exponent(gpu, asked);
    settings->woken = woken;
    settings->started = started;
    settings->progress = progress;
    settings->dumped = dumped;
    settings->closure = record;
    uint64_t period = gpu_period_ns(gpu, settings->exponent);
    write_provenance(record, period);
    tell_start(record, asked, period);
    return EXIT_DONE;
}

static bool asks_for_list(const struct arguments *arguments, enum option_id option)
{
    return arguments->values[option] && !strcmp(arguments->values[option], "list");
}

int command_record(const struct arguments *arguments)
{
    uint64_t asked;
    struct record record = {.arguments = arguments,
                            .quiet = arguments->values[OPTION_QUIET] != NULL};
    record.progress = !record.quiet && isatty(STDERR_FILENO);
    if (asks_for_list(arguments, OPTION_DEVICE))
        return list_devices(arguments);
    int code = EXIT_DONE;
    bool list_sets = asks_for_list(arguments, OPTION_SET);
    if (!list_sets)
        code = read_arguments(&record, &asked);
    if (code != EXIT_DONE)
        return code;
    code = pick_device(arguments, &record.device);
    if (code == EXIT_DONE && list_sets)
        code = list_sets_of(arguments, &record.device.gpu);
    else if (code == EXIT_DONE) {
        code = prepare(&record, asked);
        if (code == EXIT_DONE)
            code = run(&record);
    }
    release_set(&record.set);
    release_device(&record.device);
    buffer_fini(&record.provenance);
    return code;
}
