/* SPDX-License-Identifier: MIT */
/*
 * dcgm-exporter: the metrics of one scrape or of several, one after the other, in the text format
 * of Prometheus:
 *
 *     # HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).
 *     # TYPE DCGM_FI_DEV_SM_CLOCK gauge
 *     DCGM_FI_DEV_SM_CLOCK{gpu="0",modelName="Tesla T4",Hostname="node1"} 300
 *
 * A scrape is a sample. It has a time only if its lines have.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/import_lines.h"

#define NAME_BYTES 256

/* DCGM's values of fields that are blank: these and up to 15 more. */
#define BLANK_INTEGER INT64_C(0x7ffffffffffffff0)
#define BLANK_REAL    140737488355328.0

struct exporter {
    struct import_lines lines;
    uint32_t counter; /* of the line before */
    bool has_counter;
    bool has_time;
    int64_t first_ms, time_ms; /* of the first sample, of this one; -1: none */
};

static bool begins(const char *head)
{
    return (*head == '#' || !strncmp(head, "DCGM_", 5)) && strstr(head, "DCGM_FI_");
}

static int end_sample(struct import *import, struct tally_error *error)
{
    struct exporter *exporter = import->state;
    int64_t start_ns = IMPORT_UNKNOWN;
    exporter->has_counter = false;
    if (!import->value_count)
        return 0;
    if (exporter->has_time && exporter->time_ms >= exporter->first_ms &&
        exporter->time_ms - exporter->first_ms < INT64_MAX / 4 / 1000000)
        start_ns = (exporter->time_ms - exporter->first_ms) * 1000000;
    exporter->has_time = false;
    return import_end_sample(import, start_ns, IMPORT_UNKNOWN, error);
}

/* ---- comments -------------------------------------------------------------------------------- */

/* Takes the units from a text: "SM clock frequency (in MHz)." */
static int take_help(struct import_name *counter, const char *text, struct tally_error *error)
{
    const char *in = strstr(text, "(in "), *end = in ? strchr(in, ')') : NULL;
    if (!counter->description && !(counter->description = strdup(text)))
        return fail_memory(error, "a description");
    if (end && !counter->units && !(counter->units = strndup(in + 4, (size_t)(end - in - 4))))
        return fail_memory(error, "units");
    return 0;
}

static int take_comment(struct import *import, char *line, struct tally_error *error)
{
    char *rest, *name = NULL, *word = strtok_r(line + 1, " \t", &rest);
    bool help = word && !strcmp(word, "HELP");
    if (help || (word && !strcmp(word, "TYPE")))
        name = strtok_r(NULL, " \t", &rest);
    if (!name)
        return 0;
    struct import_name *counter = import_name(&import->counters, name, error);
    int result = counter ? 0 : error->code;
    if (!result && counter->mark == import->samples + 1) /* the next scrape */
        result = end_sample(import, error);
    if (!result && help && rest)
        result = take_help(counter, rest + strspn(rest, " \t"), error);
    return result;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct labels {
    char gpu[NAME_BYTES], instance[NAME_BYTES], host[NAME_BYTES], model[NAME_BYTES];
};

/* Gets the text in double quotes at `at`, cut to NAME_BYTES - 1. Returns its end, or NULL. */
static const char *take_quoted(const char *at, char text[NAME_BYTES])
{
    size_t size = 0;
    if (*at++ != '"')
        return NULL;
    for (; *at && *at != '"'; at++) {
        char c = *at;
        if (c == '\\' && at[1])
            c = *++at == 'n' ? ' ' : *at;
        if (size < NAME_BYTES - 1)
            text[size++] = c;
    }
    text[size] = '\0';
    return *at ? at + 1 : NULL;
}

/* Parses {key="value",...}. Returns the end, or NULL. */
static const char *take_labels(const char *at, struct labels *labels)
{
    char ignored[NAME_BYTES];
    const struct {
        const char *key;
        char *text;
    } wanted[] = {{"gpu", labels->gpu},
                  {"GPU_I_ID", labels->instance},
                  {"Hostname", labels->host},
                  {"modelName", labels->model}};
    for (at++;;) {
        at += strspn(at, " \t,");
        if (*at == '}')
            return at + 1;
        size_t size = strcspn(at, "=\"{} \t,");
        char *text = ignored;
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (strlen(wanted[i].key) == size && !strncmp(wanted[i].key, at, size))
                text = wanted[i].text;
        if (!size || at[size] != '=' || !(at = take_quoted(at + size + 1, text)))
            return NULL;
    }
}

static bool is_blank(const struct import_value *value)
{
    return value->is_integer ? value->integer >= BLANK_INTEGER
                             : value->real >= BLANK_REAL && value->real < BLANK_REAL + 16;
}

/* Names the source: "GPU 0", or "node1 GPU 0/1" of an instance on a named host. */
static struct import_name *find_source(struct import *import, const struct labels *labels,
                                       struct tally_error *error)
{
    char name[4 * NAME_BYTES] = "";
    if (*labels->gpu)
        snprintf(name, sizeof name, "%s%sGPU %s%s%s", labels->host, *labels->host ? " " : "",
                 labels->gpu, *labels->instance ? "/" : "", labels->instance);
    return import_name(&import->sources, name, error);
}

static int take_time(struct exporter *exporter, const char *text, bool is_first,
                     struct tally_error *error)
{
    char *end;
    errno = 0;
    long long ms = strtoll(text, &end, 10);
    if (*end || errno || ms < 0)
        return fail(error, -EBADMSG, "\"%.40s\", expected a time in milliseconds", text);
    if (!exporter->has_time)
        exporter->time_ms = ms;
    if (is_first && !exporter->has_time)
        exporter->first_ms = ms;
    exporter->has_time = true;
    return 0;
}

static int put_value(struct import *import, const char *name, const struct labels *labels,
                     const char *text, const char *time, struct tally_error *error)
{
    struct exporter *exporter = import->state;
    struct import_value value;
    bool defined;
    struct import_name *counter = import_name(&import->counters, name, error);
    struct import_name *source = counter ? find_source(import, labels, error) : NULL;
    if (!source)
        return error->code;
    if (!import_number(text, &value, &defined)) /* DCGM_FI_DEV_NAME and others have a text */
        return 0;
    /* Lines of one metric follow each other: another one that has been seen, or the same one of
     * the same GPU, begins the next scrape. */
    bool seen = counter->mark == import->samples + 1;
    bool same = exporter->has_counter && exporter->counter == counter->index;
    int result = 0;
    if (seen && (!same || counter->first_source == source->index))
        result = end_sample(import, error);
    if (!result && *time)
        result = take_time(exporter, time, !import->samples, error);
    if (counter->mark != import->samples + 1)
        counter->first_source = source->index;
    counter->mark = import->samples + 1;
    exporter->counter = counter->index;
    exporter->has_counter = true;
    value.counter = counter->index;
    value.source = source->index;
    return result || !defined || is_blank(&value) ? result : import_add(import, &value, error);
}

static int take_line(struct import *import, char *line, struct tally_error *error)
{
    struct labels labels = {0};
    line += strspn(line, " \t");
    if (!*line)
        return 0;
    if (*line == '#')
        return take_comment(import, line, error);
    size_t size = strcspn(line, "{ \t");
    const char *rest = line + size;
    char name[NAME_BYTES], *save, text[IMPORT_LINE_MAX + 1];
    if (!size || size >= sizeof name)
        return fail(error, -EBADMSG, "\"%.40s\", expected the name of a metric", line);
    snprintf(name, sizeof name, "%.*s", (int)size, line);
    if (*rest == '{' && !(rest = take_labels(rest, &labels)))
        return fail(error, -EBADMSG, "the labels of %s, expected {key=\"value\",...}", name);
    snprintf(text, sizeof text, "%s", rest);
    const char *value = strtok_r(text, " \t", &save);
    const char *time = value ? strtok_r(NULL, " \t", &save) : NULL;
    if (!value)
        return fail(error, -EBADMSG, "%s has no value", name);
    if (*labels.model && !*import->device)
        snprintf(import->device, sizeof import->device, "%.127s", labels.model);
    return put_value(import, name, &labels, value, time ? time : "", error);
}

static int take(struct import *import, const char *bytes, size_t size, struct tally_error *error)
{
    struct exporter *exporter = import->state;
    return import_lines_take(import, &exporter->lines, bytes, size, take_line, error);
}

static int end(struct import *import, bool *complete, struct tally_error *error)
{
    struct exporter *exporter = import->state;
    *complete = !import_lines_left(&exporter->lines);
    return end_sample(import, error);
}

const struct import_format import_dcgm_exporter = {
    .name = "dcgm-exporter",
    .vendor = "NVIDIA",
    .begins = begins,
    .state_bytes = sizeof(struct exporter),
    .take = take,
    .end = end,
};
