/* SPDX-License-Identifier: MIT */
/*
 * dcgmi dmon: a heading with the short names of fields, a line with their units below it, and a
 * row for each GPU or other entity, over and over. It has no times.
 *
 *     #Entity   GPUTL   POWER
 *     ID                W
 *     GPU 0     75      185.300
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/import_lines.h"

#define COLUMNS_MAX 256
#define WORDS_MAX   (COLUMNS_MAX + 8)

struct dmon {
    struct import_lines lines;
    size_t count; /* of columns; 0: no heading yet */
    bool has_units;
    struct {
        size_t start; /* of its heading in the line */
        uint32_t counter;
    } columns[COLUMNS_MAX];
};

static bool is_heading(const char *line)
{
    line += strspn(line, " \t");
    if (*line++ != '#')
        return false;
    line += strspn(line, " ");
    return !strncmp(line, "Entity", 6) && (!line[6] || strchr(" \t\r\n", line[6]));
}

static bool begins(const char *head)
{
    while (!is_heading(head)) {
        const char *end = strchr(head, '\n');
        if (!end)
            return false;
        head = end + 1;
    }
    return true;
}

/* Splits a line into words. Returns their number, at most WORDS_MAX. */
static size_t split(char *line, char *words[WORDS_MAX])
{
    size_t count = 0;
    for (char *rest, *word = strtok_r(line, " \t", &rest); word && count < WORDS_MAX;
         word = strtok_r(NULL, " \t", &rest))
        words[count++] = word;
    return count;
}

static int take_heading(struct import *import, char *line, struct tally_error *error)
{
    struct dmon *dmon = import->state;
    char *words[WORDS_MAX];
    size_t count = split(line, words), first = 1 + !strcmp(words[0], "#");
    if (count <= first || count - first > COLUMNS_MAX)
        return fail(error, -EBADMSG, "a heading of %zu columns, expected 1 to %d",
                    count > first ? count - first : 0, COLUMNS_MAX);
    dmon->count = 0;
    dmon->has_units = false;
    for (size_t i = first; i < count; i++) {
        struct import_name *counter = import_name(&import->counters, words[i], error);
        if (!counter)
            return error->code;
        dmon->columns[dmon->count].start = (size_t)(words[i] - line);
        dmon->columns[dmon->count++].counter = counter->index;
    }
    return 0;
}

/* A unit is below the heading of its column. */
static int take_units(struct import *import, char *line, struct tally_error *error)
{
    struct dmon *dmon = import->state;
    char *words[WORDS_MAX];
    size_t count = split(line, words), column = 0;
    for (size_t i = 1; i < count; i++) {
        size_t at = (size_t)(words[i] - line);
        while (column + 1 < dmon->count && dmon->columns[column + 1].start <= at)
            column++;
        struct import_name *counter = import->counters.list[dmon->columns[column].counter];
        if (!counter->units && !(counter->units = strdup(words[i])))
            return fail_memory(error, "units");
    }
    dmon->has_units = true;
    return 0;
}

static int end_sample(struct import *import, struct tally_error *error)
{
    return import->value_count ? import_end_sample(import, IMPORT_UNKNOWN, IMPORT_UNKNOWN, error)
                               : 0;
}

static int take_row(struct import *import, char *line, struct tally_error *error)
{
    struct dmon *dmon = import->state;
    char *words[WORDS_MAX], name[256];
    size_t count = split(line, words), used = 0;
    if (!dmon->count)
        return fail(error, -EBADMSG, "a row before the heading \"#Entity\" of dcgmi dmon");
    /* "GPU 0", or only a number. */
    size_t of_name = isalpha((unsigned char)*words[0]) ? 2 : 1;
    if (count != of_name + dmon->count)
        return fail(error, -EBADMSG, "%zu words, expected an entity and %zu values", count,
                    dmon->count);
    for (size_t i = 0; i < of_name && used < sizeof name; i++)
        used += (size_t)snprintf(name + used, sizeof name - used, "%s%s", i ? " " : "", words[i]);
    struct import_name *source = import_name(&import->sources, name, error);
    int result = source ? 0 : error->code;
    if (!result && source->mark == import->samples + 1)
        result = end_sample(import, error);
    for (size_t i = 0; !result && i < dmon->count; i++) {
        struct import_value value;
        bool defined;
        const char *text = words[of_name + i];
        if (!strcmp(text, "N/A") || !strcmp(text, "-"))
            continue;
        if (!import_number(text, &value, &defined))
            return fail(error, -EBADMSG, "\"%.40s\", expected a number or N/A", text);
        value.counter = dmon->columns[i].counter;
        value.source = source->index;
        if (defined)
            result = import_add(import, &value, error);
    }
    if (!result)
        source->mark = import->samples + 1;
    return result;
}

static int take_line(struct import *import, char *line, struct tally_error *error)
{
    const struct dmon *dmon = import->state;
    const char *text = line + strspn(line, " \t");
    if (!*text)
        return 0;
    if (is_heading(line))
        return take_heading(import, line, error);
    if (*text == '#')
        return 0;
    if (!strncmp(text, "ID", 2) && (!text[2] || strchr(" \t", text[2])) && dmon->count)
        return dmon->has_units ? 0 : take_units(import, line, error);
    return take_row(import, line, error);
}

static int take(struct import *import, const char *bytes, size_t size, struct tally_error *error)
{
    struct dmon *dmon = import->state;
    return import_lines_take(import, &dmon->lines, bytes, size, take_line, error);
}

static int end(struct import *import, bool *complete, struct tally_error *error)
{
    struct dmon *dmon = import->state;
    *complete = !import_lines_left(&dmon->lines);
    return end_sample(import, error);
}

const struct import_format import_dcgmi_dmon = {
    .name = "dcgmi dmon",
    .vendor = "NVIDIA",
    .begins = begins,
    .state_bytes = sizeof(struct dmon),
    .take = take,
    .end = end,
};
