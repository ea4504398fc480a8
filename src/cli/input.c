/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/packets.h"
#include "cli/unknown.h"

int parse_recording_options(const struct arguments *arguments,
                            struct tally_recording_options *options)
{
    const char *layout = arguments->values[OPTION_LAYOUT];
    const char *platform = arguments->values[OPTION_PLATFORM];
    const char *hz = arguments->values[OPTION_TIMESTAMP_HZ];
    enum tally_packet_format packets;
    if (packets_wanted(arguments, &packets))
        return usage_error(
            "layout \"%s\" is a PCOUNTER record buffer, which has no reports; expected "
            "a report layout (only decode and info read record buffers)",
            layout);
    options->map = arguments->values[OPTION_MAP] != NULL;
    if (layout && !(options->layout = tally_layout_find(layout)))
        return unknown_layout(layout);
    if (layout && !platform) {
        /* The family in hsw/a45_b8_c8 is the platform too, if a platform has that name. */
        char name[16] = "";
        size_t size = strcspn(layout, "/");
        if (size < sizeof name)
            memcpy(name, layout, size);
        options->platform = tally_platform_find(name);
    }
    if (platform && !(options->platform = tally_platform_find(platform)))
        return unknown_platform(platform);
    if (hz) {
        char *end;
        options->timestamp_hz = strtoull(hz, &end, 0);
        if (*end || !options->timestamp_hz || !isdigit((unsigned char)*hz))
            return usage_error("--timestamp-hz \"%s\", expected a frequency in Hz", hz);
    }
    return EXIT_DONE;
}

int open_recording(const struct arguments *arguments, const char *path, bool keep_unsorted,
                   struct tally_recording **out)
{
    struct tally_recording_options options = {.size = sizeof options,
                                              .keep_unsorted = keep_unsorted};
    struct tally_error error = {0};
    int code = parse_recording_options(arguments, &options);
    if (code != EXIT_DONE)
        return code;
    int result = tally_recording_open(path, &options, out, &error);
    if (result < 0) {
        code = report_file_error(&error, path);
        return result == -ENODEV ? EXIT_USAGE : code; /* a bare stream without --platform */
    }
    return EXIT_DONE;
}

int make_pipeline_options(const struct arguments *arguments, struct progress *progress,
                          struct tally_recording_options *recording,
                          struct tally_pipeline_options *options)
{
    *recording = (struct tally_recording_options){.size = sizeof *recording};
    *options = (struct tally_pipeline_options){
        .size = sizeof *options,
        .metrics = arguments->values[OPTION_METRICS],
        .set = arguments->values[OPTION_SET],
        .counters = arguments->counters,
        .counter_count = arguments->counter_count,
        .recording = recording,
        .progress = progress_step,
        .progress_closure = progress,
    };
    return parse_recording_options(arguments, recording);
}

int open_pipeline(const struct arguments *arguments, size_t operand, bool live,
                  struct progress *progress, struct tally_pipeline **out)
{
    struct tally_error error = {0};
    const char *set_name = arguments->values[OPTION_SET];
    struct tally_recording_options recording;
    struct tally_pipeline_options options;
    int code = make_pipeline_options(arguments, progress, &recording, &options);
    if (code != EXIT_DONE)
        return code;
    recording.live = live;
    int result = tally_pipeline_open(arguments->operands[operand], &options, out, &error);
    if (result < 0) {
        code = report_file_error(&error, arguments->operands[operand]);
        return result == -ENODEV ? EXIT_USAGE : code;
    }
    const struct tally_metric_set *set = tally_pipeline_set(*out);
    const struct tally_recording_info *info = tally_recording_info(tally_pipeline_recording(*out));
    if (!set_name && *info->recorded.set_uuid &&
        strcasecmp(info->recorded.set_uuid, set->uuid) != 0)
        warn("%s: recorded with metric set %s, evaluated with %s of %s", info->path,
             info->recorded.set_uuid, set->uuid, set->file);
    return EXIT_DONE;
}

static bool is_standard_output(const struct arguments *arguments)
{
    const char *path = arguments->values[OPTION_OUTPUT];
    return !path || !strcmp(path, "-");
}

const struct sink *choose_format(const struct arguments *arguments, const char *default_name,
                                 unsigned renders)
{
    const char *name = arguments->values[OPTION_FORMAT];
    struct tally_error error = {0};
    const struct sink *sink = sink_choose(name ? name : default_name, renders, &error);
    if (!sink) {
        usage_error("--%s", error.message);
    } else if (sink->binary && is_standard_output(arguments) && isatty(STDOUT_FILENO)) {
        usage_error("-f %s is not for a terminal, expected -o FILE", sink->name);
        sink = NULL;
    }
    return sink;
}

int finish_reading(const struct arguments *arguments, const struct writing *writing,
                   const struct pipeline_source *source, int result,
                   const struct tally_error *error)
{
    int failed = writing->output->error.code;
    if (failed) /* close_output() prints it; a closed pipe is not an error */
        return failed == -EPIPE ? EXIT_DONE : EXIT_FAILED;
    if (result < 0)
        return report_error(error);
    size_t losses = source_loss_count(source);
    return losses && arguments->values[OPTION_FAIL_ON_LOSS] ? EXIT_LOST : EXIT_DONE;
}

void report_losses(const struct pipeline_source *source)
{
    size_t losses = source_loss_count(source);
    if (losses)
        warn("%s: %zu entr%s in the loss ledger; see tally info", source->calls->path(source->self),
             losses, losses == 1 ? "y" : "ies");
}

uint64_t parse_time_ns(const char *text)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};
    char *end;
    if (!isdigit((unsigned char)*text))
        return 0;
    double value = strtod(text, &end);
    for (size_t i = 0; i < ARRAY_COUNT(units); i++)
        if (!strcmp(end, units[i].unit) && value * units[i].ns < 1e18)
            return (uint64_t)(value * units[i].ns + 0.5);
    return 0;
}

int parse_grouping(const char *text, struct grouping *grouping)
{
    static const struct {
        const char *name;
        enum tally_group_by by;
    } names[] = {{"context", TALLY_BY_CONTEXT}, {"reason", TALLY_BY_REASON},
                 {"none", TALLY_BY_NOTHING},    {"phase", TALLY_BY_PHASE},
                 {"frame", TALLY_BY_FRAME},     {"mark", TALLY_BY_MARK}};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (!strcmp(text, names[i].name)) {
            grouping->by = names[i].by;
            return EXIT_DONE;
        }
    }
    if (!strncmp(text, "interval=", strlen("interval="))) {
        grouping->by = TALLY_BY_INTERVAL;
        grouping->interval_ns = parse_time_ns(text + strlen("interval="));
        if (grouping->interval_ns)
            return EXIT_DONE;
    }
    return usage_error("--by \"%s\", expected context, reason, none, phase, frame, mark or "
                       "interval=TIME such as 10ms",
                       text);
}

/* Parses a time since the first report, which may be 0. */
static int parse_since(const struct arguments *arguments, enum option_id id, uint64_t *ns)
{
    const char *text = arguments->values[id];
    if (!text)
        return EXIT_DONE;
    *ns = parse_time_ns(text);
    if (!*ns && (*text != '0' ||
                 strspn(text, "0.") + strspn(text + strspn(text, "0."), "numsh") != strlen(text)))
        return usage_error("--%s \"%s\", expected a time such as 5ms or 1.5s", option_rows[id].name,
                           text);
    return EXIT_DONE;
}

int parse_range(const struct arguments *arguments, struct writing *writing)
{
    int code = parse_since(arguments, OPTION_FROM, &writing->from_ns);
    if (code == EXIT_DONE)
        code = parse_since(arguments, OPTION_TO, &writing->to_ns);
    if (code == EXIT_DONE && arguments->values[OPTION_TO] && writing->to_ns <= writing->from_ns)
        return usage_error("--to \"%s\", expected a time after --from",
                           arguments->values[OPTION_TO]);
    return code;
}

uint64_t parse_size(const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    if (!isdigit((unsigned char)*text))
        return 0;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (errno || end[unit != NULL] || value > UINT64_MAX >> shift)
        return 0;
    return value << shift;
}
