/* SPDX-License-Identifier: MIT */
/*
 * intel_gpu_top -J: an object for each period, with "period", "frequency", "rc6", "engines" and
 * others, which have numbers and their "unit", and the clients of the GPU. Depending on the
 * version, the objects are in an array, which is not closed when the program is stopped, or follow
 * each other.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/json_read.h"
#include "store/import.h"

#define LEVELS_MAX   8
#define SYMBOL_BYTES 256
#define TIME_MAX_NS  ((int64_t)1 << 61)

struct top {
    struct json_reader reader;
    int level;   /* of the current object in the sample; 0: the sample itself; -1: outside */
    int ignored; /* arrays and objects within one that is not read */
    struct {
        char key[JSON_TEXT_MAX + 1]; /* the latest one */
        char unit[32];
        size_t first; /* value of this object */
    } levels[LEVELS_MAX];
    char name[64], pid[24]; /* of the current client */
    double duration;        /* in the unit of "period"; negative: not known yet */
    int64_t duration_ns;    /* -1: not known yet */
    int64_t position_ns;
};

static bool begins(const char *head)
{
    head += strspn(head, " \t\r\n");
    return *head == '{' || *head == '[';
}

static bool in_clients(const struct top *top)
{
    return top->level >= 1 && !strcmp(top->levels[0].key, "clients");
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Makes the symbol of the current key: "frequency.actual", "engines.Render/3D/0.busy", "rc6",
 * "client.Render/3D.busy". Returns false if it is too long. */
static bool make_symbol(const struct top *top, char symbol[SYMBOL_BYTES])
{
    bool client = in_clients(top);
    size_t used = (size_t)snprintf(symbol, SYMBOL_BYTES, "%s", client ? "client" : "");
    for (int i = client ? 2 : 0; i <= top->level; i++) {
        const char *key = top->levels[i].key;
        bool plain = i == top->level && i && (!strcmp(key, "value") || !strcmp(key, "count"));
        if (plain || (client && i == 2 && i < top->level && !strcmp(key, "engine-classes")))
            continue;
        used += (size_t)snprintf(symbol + used, SYMBOL_BYTES - used, "%s%s", used ? "." : "", key);
        if (used >= SYMBOL_BYTES)
            return false;
    }
    return true;
}

static int add_number(struct import *import, const char *text, struct tally_error *error)
{
    char symbol[SYMBOL_BYTES];
    struct import_value value;
    bool defined;
    const struct top *top = import->state;
    if (!import_number(text, &value, &defined) || !defined || (in_clients(top) && top->level == 1))
        return 0; /* a text, a value that is not defined, or of no client */
    if (!make_symbol(top, symbol))
        return fail(error, -EBADMSG, "keys of more than %d bytes", SYMBOL_BYTES - 1);
    struct import_name *counter = import_name(&import->counters, symbol, error);
    struct import_name *source = in_clients(top) ? NULL : import_name(&import->sources, "", error);
    if (!counter || (!source && !in_clients(top)))
        return error->code;
    value.counter = counter->index;
    value.source = source ? source->index : 0; /* that of a client is known at its end */
    return import_add(import, &value, error);
}

static int take_scalar(struct import *import, const char *text, struct tally_error *error)
{
    struct top *top = import->state;
    const char *key = top->levels[top->level].key;
    bool client = in_clients(top) && top->level == 2;
    if (!strcmp(key, "unit")) {
        snprintf(top->levels[top->level].unit, sizeof top->levels[0].unit, "%.31s", text);
    } else if (client && !strcmp(key, "name")) {
        snprintf(top->name, sizeof top->name, "%.63s", text);
    } else if (client && !strcmp(key, "pid")) {
        snprintf(top->pid, sizeof top->pid, "%.23s", text);
    } else if (top->level == 1 && !strcmp(top->levels[0].key, "period")) {
        if (!strcmp(key, "duration"))
            top->duration = strtod(text, NULL);
    } else {
        return add_number(import, text, error);
    }
    return 0;
}

/* ---- objects --------------------------------------------------------------------------------- */

static int end_period(struct top *top, struct tally_error *error)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *unit = top->levels[1].unit;
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (strcmp(unit, units[i].unit) != 0)
            continue;
        double ns = top->duration * units[i].ns + 0.5;
        if (!(top->duration >= 0) || !(ns < (double)(TIME_MAX_NS - top->position_ns)))
            return fail(error, -EBADMSG, "a period of %g %s, expected a duration", top->duration,
                        unit);
        top->duration_ns = (int64_t)ns;
        return 0;
    }
    return fail(error, -EBADMSG, "a period in \"%.20s\", expected ns, us, ms or s", unit);
}

/* Gives the values of an object their unit, which follows them. */
static int end_units(struct import *import, struct tally_error *error)
{
    const struct top *top = import->state;
    const char *unit = top->levels[top->level].unit;
    for (size_t i = top->levels[top->level].first; *unit && i < import->value_count; i++) {
        struct import_name *counter = import->counters.list[import->values[i].counter];
        if (!counter->units && !(counter->units = strdup(unit)))
            return fail_memory(error, "units");
    }
    return 0;
}

/* The source of a client's values: "NAME (PID) ID". */
static int end_client(struct import *import, struct tally_error *error)
{
    struct top *top = import->state;
    char text[JSON_TEXT_MAX + 128];
    const char *id = top->levels[1].key;
    snprintf(text, sizeof text, "%s%s%s%s%s%s", top->name, *top->name ? " " : "",
             *top->pid ? "(" : "", top->pid, *top->pid ? ") " : "", id);
    struct import_name *source = import_name(&import->sources, *text ? text : "(client)", error);
    if (!source)
        return error->code;
    for (size_t i = top->levels[2].first; i < import->value_count; i++)
        import->values[i].source = source->index;
    return 0;
}

static int end_sample(struct import *import, struct tally_error *error)
{
    struct top *top = import->state;
    if (top->duration_ns < 0)
        return fail(error, -EBADMSG,
                    "an object without \"period\", expected those of intel_gpu_top -J");
    int64_t start_ns = top->position_ns;
    top->position_ns += top->duration_ns;
    return import_end_sample(import, start_ns, top->duration_ns, error);
}

static int begin_object(struct import *import, struct tally_error *error)
{
    struct top *top = import->state;
    if (top->level + 1 == LEVELS_MAX)
        return fail(error, -EBADMSG, "objects are nested more than %d deep", LEVELS_MAX);
    top->level++;
    if (!top->level) {
        top->duration = -1;
        top->duration_ns = -1;
    }
    if (top->level == 2 && in_clients(top))
        *top->name = *top->pid = '\0';
    top->levels[top->level].first = import->value_count;
    *top->levels[top->level].unit = *top->levels[top->level].key = '\0';
    return 0;
}

static int end_object(struct import *import, struct tally_error *error)
{
    struct top *top = import->state;
    int result = end_units(import, error);
    if (!result && top->level == 1 && !strcmp(top->levels[0].key, "period"))
        result = end_period(top, error);
    if (!result && top->level == 2 && in_clients(top))
        result = end_client(import, error);
    top->level--;
    return !result && top->level < 0 ? end_sample(import, error) : result;
}

static int on_event(void *closure, enum json_event event, const char *text, size_t size,
                    struct tally_error *error)
{
    struct import *import = closure;
    struct top *top = import->state;
    bool begins = event == JSON_OBJECT || event == JSON_ARRAY;
    bool ends = event == JSON_OBJECT_END || event == JSON_ARRAY_END;
    if (top->ignored ||
        (event == JSON_ARRAY && top->level >= 0)) { /* within an array of a sample */
        top->ignored += begins - ends;
        return 0;
    }
    if (event == JSON_OBJECT)
        return begin_object(import, error);
    if (event == JSON_OBJECT_END)
        return end_object(import, error);
    if (event == JSON_ARRAY || event == JSON_ARRAY_END)
        return 0; /* around all samples */
    if (top->level < 0)
        return fail(error, -EBADMSG, "\"%.40s\", expected an object of intel_gpu_top -J", text);
    if (event == JSON_KEY)
        memcpy(top->levels[top->level].key, text, size + 1);
    else if (event != JSON_WORD)
        return take_scalar(import, text, error);
    return 0;
}

static int take(struct import *import, const char *bytes, size_t size, struct tally_error *error)
{
    struct top *top = import->state;
    if (!top->reader.event) {
        top->reader.event = on_event;
        top->reader.closure = import;
        top->level = -1;
    }
    return json_read(&top->reader, bytes, size, error);
}

/* Stopping the program leaves out the end of an array, and may cut the last object. */
static int end(struct import *import, bool *complete, struct tally_error *error)
{
    const struct top *top = import->state;
    (void)error;
    import->value_count = 0;
    *complete = !top->reader.event || json_is_between(&top->reader);
    return 0;
}

const struct import_format import_intel_gpu_top = {
    .name = "intel_gpu_top",
    .vendor = "Intel",
    .begins = begins,
    .state_bytes = sizeof(struct top),
    .take = take,
    .end = end,
};
