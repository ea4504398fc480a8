/* SPDX-License-Identifier: MIT */
/* tally top: options and messages. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ratio.h"
#include "cli/input.h"
#include "cli/record.h"
#include "view/top.h"

#define DEFAULT_SAVE       "tally-top.i915-perf"
#define DEFAULT_RING_BYTES (32u << 20)
#define MIN_RING_BYTES     (64u << 10)

struct top {
    const struct arguments *arguments;
    bool once, lines;
    uint64_t interval_ns, ring_bytes;
    double speed;
    struct tally_capture_options recording;
    struct tally_pipeline_options evaluation;
    struct tally_recording_options reading;
    struct tally_capture *captures[MODEL_DEVICES_MAX];
    struct view_source_settings sources[MODEL_DEVICES_MAX];
    struct top_settings settings;
};

/* ---- options --------------------------------------------------------------------------------- */

/* Parses the time of an option, which is `value_ns` without it. */
static int read_time(const struct arguments *arguments, enum option_id option, uint64_t value_ns,
                     uint64_t min_ns, uint64_t max_ns, uint64_t *out)
{
    const char *text = arguments->values[option];
    *out = text ? parse_time_ns(text) : value_ns;
    if (text && (!*out || *out < min_ns || *out > max_ns))
        return usage_error("top: --%s \"%s\", expected a time%s", option_rows[option].name, text,
                           min_ns ? " from 50ms to 10s" : " such as 80us, 10ms or 2s");
    return EXIT_DONE;
}

static int read_speed(struct top *top)
{
    const char *text = top->arguments->values[OPTION_SPEED];
    char *end;
    top->speed = top->once || top->lines ? 0 : 1;
    if (!text)
        return EXIT_DONE;
    if (!top->arguments->operand_count)
        return usage_error("top: --speed is for the replay of a recording, expected FILE");
    top->speed = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (!(top->speed >= 0.001 && top->speed <= 1e6) || *end)
        return usage_error("top: --speed \"%s\", expected a number such as 0.5 or 4", text);
    return EXIT_DONE;
}

static int read_ring(struct top *top)
{
    const char *text = top->arguments->values[OPTION_RING];
    top->ring_bytes = text ? parse_size(text) : DEFAULT_RING_BYTES;
    if (top->ring_bytes < MIN_RING_BYTES || top->ring_bytes > SIZE_MAX / 2)
        return usage_error("top: --ring \"%s\", expected a size of at least 64K, such as 32M",
                           text);
    if (top->once || top->lines)
        top->ring_bytes = 0; /* there is no key to save it */
    return EXIT_DONE;
}

static int read_format(struct top *top)
{
    const char *format = top->arguments->values[OPTION_LIVE_FORMAT];
    top->once = top->arguments->values[OPTION_ONCE] != NULL;
    top->lines = format != NULL;
    if (format && strcmp(format, "jsonl") != 0)
        return usage_error("top: --format \"%s\", expected jsonl", format);
    if (top->once && top->lines)
        return usage_error("top: --once with --format, expected one of them");
    return EXIT_DONE;
}

/* Options that have no meaning for a recording, or without a screen. */
static int check_combinations(const struct top *top)
{
    static const enum option_id of_devices[] = {
        OPTION_DEVICE, OPTION_EXPRESSION, OPTION_SPLIT_RATIOS, OPTION_PERIOD, OPTION_TIME,
        OPTION_RING,   OPTION_WORKLOAD,   OPTION_CLOCK,        OPTION_DRIVER, OPTION_FAULT,
        OPTION_FUSES,  OPTION_FORCE,      OPTION_ALLOW_MMIO};
    const struct arguments *arguments = top->arguments;
    const char *clock = arguments->values[OPTION_CLOCK];
    bool screen = !top->once && !top->lines;
    for (size_t i = 0; i < sizeof of_devices / sizeof of_devices[0] && arguments->operand_count;
         i++)
        if (arguments->values[of_devices[i]])
            return usage_error("top: --%s with the recording %s, expected one of them",
                               option_rows[of_devices[i]].name, arguments->operands[0]);
    if (screen && clock && !strcmp(clock, "free"))
        return usage_error("top: --clock free is for --once and --format jsonl, expected wall");
    if (screen && arguments->operand_count && !strcmp(arguments->operands[0], "-"))
        return usage_error(
            "top: standard input is the keyboard, expected a file, --once or --format "
            "jsonl");
    if (arguments->device_count > MODEL_DEVICES_MAX)
        return usage_error("top: --device given more than %d times", MODEL_DEVICES_MAX);
    if (arguments->values[OPTION_SET] && arguments->expression_count)
        return usage_error("top: --set with --expression, expected one of them");
    return EXIT_DONE;
}

static int read_arguments(struct top *top)
{
    const struct arguments *arguments = top->arguments;
    int code = read_format(top);
    if (code == EXIT_DONE)
        code = check_combinations(top);
    if (code == EXIT_DONE)
        code = read_speed(top);
    if (code == EXIT_DONE)
        code = read_ring(top);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_INTERVAL, VIEW_INTERVAL_DEFAULT_NS, VIEW_INTERVAL_MIN_NS,
                         VIEW_INTERVAL_MAX_NS, &top->interval_ns);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_PERIOD, 0, 0, UINT64_MAX, &top->recording.period_ns);
    if (code == EXIT_DONE)
        code = read_time(arguments, OPTION_TIME, 0, 0, UINT64_MAX, &top->recording.duration_ns);
    if (code != EXIT_DONE)
        return code;
    top->recording.metric_set = arguments->values[OPTION_SET];
    top->recording.metrics = arguments->values[OPTION_METRICS];
    top->recording.expressions = arguments->expressions;
    top->recording.expression_count = arguments->expression_count;
    top->recording.split_ratios = arguments->values[OPTION_SPLIT_RATIOS] != NULL;
    top->evaluation.metrics = arguments->values[OPTION_METRICS];
    top->evaluation.set = arguments->operand_count ? arguments->values[OPTION_SET] : NULL;
    top->evaluation.counters = arguments->counters;
    top->evaluation.counter_count = arguments->counter_count;
    top->reading.live = true;
    top->evaluation.recording = &top->reading;
    return EXIT_DONE;
}

/* ---- sources --------------------------------------------------------------------------------- */

static struct view_source_settings *add_source(struct top *top)
{
    struct view_source_settings *source = &top->sources[top->settings.source_count++];
    *source = (struct view_source_settings){.recording = &top->recording,
                                            .evaluation = &top->evaluation,
                                            .interval_ns = top->interval_ns,
                                            .speed = top->speed,
                                            .ring_bytes = top->ring_bytes};
    return source;
}

static int open_sources(struct top *top)
{
    const struct arguments *arguments = top->arguments;
    size_t count = arguments->device_count ? arguments->device_count : 1;
    int code = EXIT_DONE;
    if (arguments->operand_count) {
        struct view_source_settings *source = add_source(top);
        source->path = arguments->operands[0];
        source->ring_bytes = 0;
        return EXIT_DONE;
    }
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        FILE *mmio = NULL; /* there is no --trace */
        unsigned uncounted;
        const char *name = arguments->device_count ? arguments->devices[i] : NULL;
        code = pick_device(arguments, "top", name, &mmio, &uncounted, &top->captures[i]);
        if (code != EXIT_DONE)
            return code;
        warn_uncounted(arguments, top->captures[i], uncounted);
        add_source(top)->capture = top->captures[i];
    }
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Prints what happened behind the screen. Returns the exit code. */
static int report(const struct top *top, const struct top_result *result)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < result->note_count; i++) {
        const struct top_note *note = &result->notes[i];
        int failed = note->error.code ? report_error(&note->error) : EXIT_DONE;
        if (!note->error.code && !top->arguments->values[OPTION_QUIET])
            warn("%s: latest %llu reports", note->path, (unsigned long long)note->reports);
        code = code == EXIT_DONE ? failed : code;
    }
    for (size_t i = 0; i < result->error_count; i++) {
        int failed = report_error(&result->errors[i]);
        code = code == EXIT_DONE ? failed : code;
    }
    if (code == EXIT_DONE && result->lost && top->arguments->values[OPTION_FAIL_ON_LOSS])
        code = EXIT_LOST;
    return code;
}

static int run(struct top *top)
{
    struct tally_error error = {0};
    static struct top_result result; /* large */
    const char *output = top->arguments->values[OPTION_OUTPUT];
    int code = EXIT_DONE, failed;
    bool screen = !top->once && !top->lines;
    top->settings.sources = top->sources;
    top->settings.save = output ? output : DEFAULT_SAVE;
    result = (struct top_result){0};
    if (!screen && !(top->settings.output = open_output(top->arguments, &code)))
        return code;
    if (screen)
        failed = top_run_screen(&top->settings, &result, &error);
    else if (top->once)
        failed = top_run_once(&top->settings, &result, &error);
    else
        failed = top_run_lines(&top->settings, &result, &error);
    code = report(top, &result);
    if (failed == -ENOTTY || failed == -ENOSYS)
        code = usage_error("top: %s", error.message);
    else if (failed < 0)
        code = report_error(&error);
    return screen ? code : close_output(top->settings.output, code);
}

int command_top(const struct arguments *arguments)
{
    struct top top = {.arguments = arguments,
                      .recording.size = sizeof top.recording,
                      .evaluation.size = sizeof top.evaluation,
                      .reading.size = sizeof top.reading};
    const char *device = arguments->values[OPTION_DEVICE];
    if (device && !strcmp(device, "list"))
        return list_devices(arguments);
    int code = read_arguments(&top);
    if (code == EXIT_DONE)
        code = open_sources(&top);
    if (code == EXIT_DONE)
        code = run(&top);
    for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
        tally_capture_close(top.captures[i]);
    return code;
}
