/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cli/packets.h"

static int parse_options(const struct arguments *arguments, struct tally_recording_options *options)
{
    const char *layout = arguments->values[OPTION_LAYOUT];
    const char *platform = arguments->values[OPTION_PLATFORM];
    const char *hz = arguments->values[OPTION_TIMESTAMP_HZ];
    enum tally_packet_format packets;
    if (packets_wanted(arguments, &packets))
        return tell_usage("layout \"%s\" is a PCOUNTER record buffer, which has no reports; tally "
                          "decode and tally info read it",
                          layout);
    options->map = arguments->values[OPTION_MAP] != NULL;
    if (layout && !(options->layout = tally_layout_find(layout)))
        return tell_usage("layout \"%s\" is not known; see tally list formats", layout);
    if (layout && !platform) {
        /* hsw/a45_b8_c8 names the platform too, if it is one and not only a family. */
        char name[16] = "";
        size_t size = strcspn(layout, "/");
        if (size < sizeof name)
            memcpy(name, layout, size);
        options->platform = tally_platform_find(name);
    }
    if (platform && !(options->platform = tally_platform_find(platform)))
        return tell_usage("platform \"%s\" is not known; see tally list platforms", platform);
    if (hz) {
        char *end;
        options->timestamp_hz = strtoull(hz, &end, 0);
        if (*end || !options->timestamp_hz || !isdigit((unsigned char)*hz))
            return tell_usage("--timestamp-hz \"%s\", expected a frequency in Hz", hz);
    }
    return EXIT_DONE;
}

int open_recording(const struct arguments *arguments, const char *path, bool keep_unsorted,
                   struct tally_recording **out)
{
    struct tally_recording_options options = {.keep_unsorted = keep_unsorted};
    struct tally_error error = {0};
    int code = parse_options(arguments, &options);
    if (code != EXIT_DONE)
        return code;
    int result = tally_recording_open(path, &options, out, &error);
    if (result < 0) {
        code = tell_error(&error);
        /* A stream whose platform nobody named is a matter of usage, not of devices. */
        return result == -ENODEV ? EXIT_USAGE : code;
    }
    return EXIT_DONE;
}

static bool picked(const struct arguments *arguments, const char *symbol)
{
    for (size_t i = 0; i < arguments->counter_count; i++)
        if (!fnmatch(arguments->counters[i], symbol, 0))
            return true;
    return arguments->counter_count == 0;
}

/* Counters that this GPU and layout have, in the order of the file, as -c picks them. */
static int pick_counters(const struct arguments *arguments, struct session *session)
{
    session->counters = calloc(session->set->counter_count + 1, sizeof *session->counters);
    session->keys = calloc(session->set->counter_count + 1, sizeof *session->keys);
    if (!session->counters || !session->keys)
        return tell_error(&(struct tally_error){-ENOMEM, "out of memory"});
    for (size_t i = 0; i < session->set->counter_count; i++)
        if (tally_program_state(session->program, i) == TALLY_COUNTER_OK &&
            picked(arguments, session->set->counters[i].symbol))
            session->counters[session->counter_count++] = i;
    if (!session->counter_count)
        return tell_usage("no counter of %s that these reports hold matches; see tally list "
                          "counters %s",
                          session->set->symbol, session->set->symbol);
    return EXIT_DONE;
}

static bool is_uuid(const char *text)
{
    return strlen(text) == 36 && text[8] == '-' && text[13] == '-';
}

static int open_set(const struct arguments *arguments, struct session *session)
{
    struct tally_error error = {0};
    const char *asked = arguments->values[OPTION_SET];
    const struct tally_recording_info *info = session->info;
    const char *symbol = asked ? asked : info->recorded.set_name;
    const char *uuid = asked ? (is_uuid(asked) ? asked : NULL) : info->recorded.set_uuid;
    if (!*symbol && !(uuid && *uuid))
        symbol = "RenderBasic"; /* a bare stream does not say; this set every platform has */
    int result = tally_catalog_find(session->catalog, info->device.chipset, uuid, symbol,
                                    &session->set, &error);
    if (result == -ENOENT && !asked) {
        /* A recording that names a set which nobody has is an input that cannot be read. */
        fprintf(stderr, "tally: %s: %s\n", info->path, error.message);
        return EXIT_MALFORMED;
    }
    if (result < 0)
        return tell_error(&error);
    if (!asked && *info->recorded.set_uuid &&
        strcasecmp(info->recorded.set_uuid, session->set->uuid) != 0)
        fprintf(stderr, "tally: %s: recorded with set %s, read with %s of %s\n", info->path,
                info->recorded.set_uuid, session->set->uuid, session->set->file);
    struct tally_environment environment;
    tally_environment_of(info, &environment);
    if (tally_program_new(session->set, &environment, info->layout, &session->program, &error) < 0)
        return tell_error(&error);
    return pick_counters(arguments, session);
}

int session_open(const struct arguments *arguments, struct session *session)
{
    *session = (struct session){0};
    int code = open_recording(arguments, arguments->operands[0], false, &session->recording);
    if (code != EXIT_DONE)
        return code;
    session->info = tally_recording_info(session->recording);
    session->catalog = tally_catalog_new(arguments->values[OPTION_METRICS]);
    if (!session->catalog)
        return tell_error(&(struct tally_error){-ENOMEM, "out of memory"});
    return open_set(arguments, session);
}

void session_close(struct session *session)
{
    tally_program_free(session->program);
    tally_catalog_free(session->catalog);
    tally_recording_close(session->recording);
    for (size_t i = 0; session->keys && i < session->counter_count; i++)
        buffer_fini(&session->keys[i]);
    free(session->keys);
    free(session->counters);
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
