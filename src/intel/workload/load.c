/* SPDX-License-Identifier: MIT */
/* Workload files: bytes to a schema's structs (libcyaml), those to a workload, every mistake with
 * its line. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/findings.h"
#include "base/tree.h"
#include "intel/workload/files.h"
#include "intel/workload/values.h"
#include "intel/workload/workload.h"

#define FILE_BYTES_MAX (1u << 20)
#define PHASES_MAX     256
#define ACTIVITIES_MAX 128
#define TIMES_MAX      1000000
#define FRAME_MAX      (UINT64_C(1) << 40)

/* ---- the schema ------------------------------------------------------------------------------ */

/* All values as texts: numbers are read by values.c, exactly. All are optional here: what is
 * missing is told with its line. */
struct raw_bursts {
    char *frame, *length;
};

struct raw_activity {
    char *unit, *values[ACTIVITY_KINDS], *times;
    struct raw_bursts *bursts;
};

struct raw_phase {
    char *duration, *clock, *context;
    struct raw_activity *does;
    unsigned does_count;
};

struct raw_workload {
    char *name, *description, *seed;
    struct raw_phase *phases;
    unsigned phases_count;
};

static const char *const kind_keys[ACTIVITY_KINDS] = {
    [DOES_SHARE] = "share",   [DOES_RATE] = "rate",         [DOES_RANDOM] = "random",
    [DOES_BURSTS] = "bursts", [DOES_CONSTANT] = "constant",
};

#define TEXT(key, type, member, most)                                                              \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member, 0,  \
                           most)

// clang-format off
static const cyaml_schema_field_t bursts_fields[] = {
    TEXT("frame", raw_bursts, frame, 40),
    TEXT("length", raw_bursts, length, 40),
    CYAML_FIELD_END
};

static const cyaml_schema_field_t activity_fields[] = {
    TEXT("unit", raw_activity, unit, 40),
    TEXT("share", raw_activity, values[DOES_SHARE], 40),
    TEXT("rate", raw_activity, values[DOES_RATE], 40),
    TEXT("random", raw_activity, values[DOES_RANDOM], 40),
    TEXT("constant", raw_activity, values[DOES_CONSTANT], 40),
    TEXT("times", raw_activity, times, 40),
    CYAML_FIELD_MAPPING_PTR("bursts", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_activity,
                            bursts, bursts_fields),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t activity_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_activity, activity_fields),
};

static const cyaml_schema_field_t phase_fields[] = {
    TEXT("duration", raw_phase, duration, 40),
    TEXT("clock", raw_phase, clock, 40),
    TEXT("context", raw_phase, context, 40),
    CYAML_FIELD_SEQUENCE("does", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_phase, does,
                         &activity_schema, 0, ACTIVITIES_MAX),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t phase_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_phase, phase_fields),
};

static const cyaml_schema_field_t workload_fields[] = {
    TEXT("name", raw_workload, name, 40),
    TEXT("description", raw_workload, description, 200),
    TEXT("seed", raw_workload, seed, 40),
    CYAML_FIELD_SEQUENCE("phases", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_workload,
                         phases, &phase_schema, 0, PHASES_MAX),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t workload_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_workload, workload_fields),
};
// clang-format on

static const cyaml_config_t configuration = {
    .log_fn = NULL,
    .mem_fn = cyaml_mem,
    .log_level = CYAML_LOG_ERROR,
    .flags = CYAML_CFG_IGNORE_UNKNOWN_KEYS,
};

/* ---- mistakes -------------------------------------------------------------------------------- */

struct reader {
    const struct tree *tree;
    ptrdiff_t phase, activity; /* where it is; negative: above that */
    struct findings findings;
};

static unsigned line_at(const struct reader *reader, const char *key)
{
    const struct tree_step steps[] = {{"phases", reader->phase}, {"does", reader->activity}};
    return tree_line(reader->tree, steps, 2, key);
}

/* A mistake at the value of a key of the present place. */
__attribute__((format(printf, 3, 4))) static void mistake(struct reader *reader, const char *key,
                                                          const char *format, ...)
{
    char message[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    findings_add(&reader->findings, line_at(reader, key), message);
}

/* What values.c says about a text, if anything. Returns whether it is right. */
static bool good(struct reader *reader, const char *key, const char *text, const char *expected)
{
    if (expected)
        mistake(reader, key, "%s \"%s\": expected %s", key, text, expected);
    return !expected;
}

/* ---- activities ------------------------------------------------------------------------------ */

static bool allowed(enum unit_class class, unsigned kind)
{
    static const uint8_t kinds[] = {
        [CLASS_FLAG] = 1 << DOES_SHARE | 1 << DOES_RANDOM | 1 << DOES_BURSTS | 1 << DOES_CONSTANT,
        [CLASS_ARRAY] = 1 << DOES_SHARE | 1 << DOES_RANDOM | 1 << DOES_BURSTS,
        [CLASS_EVENTS] = 1 << DOES_RATE | 1 << DOES_RANDOM | 1 << DOES_BURSTS | 1 << DOES_CONSTANT,
        [CLASS_LEVEL] = 1 << DOES_CONSTANT,
        [CLASS_PIPE] = 1 << DOES_SHARE,
        [CLASS_KIND] = 1 << DOES_SHARE,
        [CLASS_NOA] = 1 << DOES_SHARE | 1 << DOES_RATE | 1 << DOES_RANDOM | 1 << DOES_BURSTS |
                      1 << DOES_CONSTANT,
    };
    return kinds[class] >> kind & 1;
}

static void tell_kinds(struct reader *reader, const char *key, const char *unit,
                       enum unit_class class, const char *problem)
{
    char list[80] = "";
    size_t used = 0;
    for (unsigned kind = 0; kind < ACTIVITY_KINDS; kind++)
        if (allowed(class, kind))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     kind_keys[kind]);
    mistake(reader, key, "%s: %s, expected one of %s", unit, problem, list);
}

static bool read_share(struct reader *reader, const char *key, const char *text, uint64_t *out)
{
    static const char expected[] = "0 to 1";
    uint64_t value = 0;
    if (text[0] == '-' || !good(reader, key, text, read_decimal(text, UINT64_MAX, &value)))
        return text[0] == '-' ? good(reader, key, text, expected) : false;
    *out = value;
    return good(reader, key, text, value > NANO ? expected : NULL);
}

static bool read_constant(struct reader *reader, const char *text, enum unit_class class,
                          uint64_t *out)
{
    uint64_t most = class == CLASS_LEVEL ? 7 : class == CLASS_EVENTS ? TIMES_MAX : 1;
    const char *expected = class == CLASS_LEVEL    ? "0 to 7 threads"
                           : class == CLASS_EVENTS ? "a whole number, 0 to 1000000"
                                                   : "0 or 1";
    if (read_decimal(text, most * NANO, out) || (class != CLASS_LEVEL && *out % NANO))
        return good(reader, "constant", text, expected);
    return true;
}

static bool read_bursts(struct reader *reader, const struct raw_bursts *raw, struct activity *out)
{
    if (!raw->frame || !raw->length) {
        mistake(reader, "bursts", "bursts: %s is missing", raw->frame ? "length" : "frame");
        return false;
    }
    const char *wrong = read_whole(raw->frame, FRAME_MAX, &out->frame);
    if (!wrong && !out->frame)
        wrong = "1 clock or more";
    if (wrong) {
        mistake(reader, "bursts", "bursts: frame \"%s\": expected %s", raw->frame, wrong);
        return false;
    }
    wrong = read_whole(raw->length, FRAME_MAX, &out->length);
    if (!wrong && !out->length)
        wrong = "1 clock or more";
    if (!wrong && out->length > out->frame)
        wrong = "at most the frame";
    if (wrong)
        mistake(reader, "bursts", "bursts: length \"%s\": expected %s", raw->length, wrong);
    return !wrong;
}

static bool read_value(struct reader *reader, const struct raw_activity *raw, enum unit_class class,
                       struct activity *out)
{
    const char *text = raw->values[out->kind];
    switch ((enum activity_kind)out->kind) {
    case DOES_SHARE:
        return read_share(reader, "share", text, &out->value);
    case DOES_RANDOM:
        return read_share(reader, "random", text, &out->value);
    case DOES_RATE:
        return good(reader, "rate", text, read_rate(text, &out->value, &out->per));
    case DOES_CONSTANT:
        return read_constant(reader, text, class, &out->value);
    case DOES_BURSTS:
        return read_bursts(reader, raw->bursts, out);
    case ACTIVITY_KINDS:
        break;
    }
    return false;
}

static bool read_times(struct reader *reader, const struct raw_activity *raw, enum unit_class class,
                       struct activity *out)
{
    uint64_t times = 1;
    bool repeats = out->kind == DOES_RANDOM || out->kind == DOES_BURSTS;
    if (raw->times && (class != CLASS_EVENTS || !repeats)) {
        mistake(reader, "times", "times: only events in bursts or at random have it");
        return false;
    }
    if (raw->times && !good(reader, "times", raw->times, read_whole(raw->times, TIMES_MAX, &times)))
        return false;
    out->times = (uint32_t)times;
    return true;
}

/* Reads an activity; returns whether it is one. */
static bool read_activity(struct reader *reader, const struct raw_activity *raw,
                          struct activity *out)
{
    if (!raw->unit) {
        mistake(reader, NULL, "unit is missing");
        return false;
    }
    unsigned unit = unit_find(raw->unit), given = 0;
    if (unit == UNITS) {
        mistake(reader, "unit", "unit \"%s\" is not known; see docs/workloads.md", raw->unit);
        return false;
    }
    enum unit_class class = unit_facts(unit)->kind;
    *out = (struct activity){
        .unit = (uint8_t)unit,
        .times = 1,
        .line = line_at(reader, NULL),
    };
    for (unsigned kind = 0; kind < ACTIVITY_KINDS; kind++) {
        if (kind == DOES_BURSTS ? !raw->bursts : !raw->values[kind])
            continue;
        out->kind = (uint8_t)kind;
        given++;
    }
    if (given != 1) {
        tell_kinds(reader, NULL, raw->unit, class, given ? "more than one" : "nothing is said");
        return false;
    }
    if (!allowed(class, out->kind)) {
        tell_kinds(reader, kind_keys[out->kind], raw->unit, class, kind_keys[out->kind]);
        return false;
    }
    bool right = read_value(reader, raw, class, out);
    return read_times(reader, raw, class, out) && right;
}

/* ---- phases ---------------------------------------------------------------------------------- */

const struct activity *phase_activity(const struct phase *phase, unsigned unit)
{
    for (size_t i = 0; i < phase->activity_count; i++)
        if (phase->activities[i].unit == unit)
            return &phase->activities[i];
    return NULL;
}

uint64_t mean_share(const struct activity *activity)
{
    if (!activity)
        return 0;
    if (activity->kind == DOES_BURSTS) /* at most 2^40 clocks: in parts, so that it fits */
        return (activity->length << 20) / activity->frame * NANO >> 20;
    return activity->value;
}

uint64_t array_share(const struct phase *phase, unsigned unit)
{
    const struct activity *whole = phase_activity(phase, unit);
    uint64_t sum = 0;
    if (whole)
        return mean_share(whole);
    for (unsigned stage = 0; stage < STAGES; stage++)
        sum += mean_share(phase_activity(
            phase, UNIT_VS_ACTIVE + STAGE_UNITS * stage + (unit == UNIT_EU_STALLED)));
    return sum;
}

/* Sums that cannot be: told at the phase's activities. */
static void check_sums(struct reader *reader, const struct phase *phase)
{
    uint64_t stages[2] = {0, 0}, kinds = 0, largest = 0;
    bool pipes = false;
    for (unsigned unit = 0; unit < UNITS; unit++) {
        const struct activity *activity = phase_activity(phase, unit);
        uint64_t share = mean_share(activity);
        if (unit_facts(unit)->kind == CLASS_KIND)
            kinds += share;
        if (activity && unit_facts(unit)->kind == CLASS_PIPE) {
            pipes = true;
            largest = share > largest ? share : largest;
        }
    }
    for (unsigned stage = 0; stage < STAGES; stage++) {
        unsigned active = UNIT_VS_ACTIVE + STAGE_UNITS * stage;
        uint64_t shares[2] = {mean_share(phase_activity(phase, active)),
                              mean_share(phase_activity(phase, active + 1))};
        if (shares[0] + shares[1] > NANO)
            mistake(reader, "does", "%s and stalled are more than 1 together",
                    unit_facts(active)->name);
        stages[0] += shares[0];
        stages[1] += shares[1];
    }
    if (stages[0] + stages[1] > NANO)
        mistake(reader, "does", "the stages' active and stalled are more than 1 together");
    else if (array_share(phase, UNIT_EU_ACTIVE) + array_share(phase, UNIT_EU_STALLED) > NANO)
        mistake(reader, "does", "eu.active and eu.stalled are more than 1 together");
    for (unsigned i = 0; i < 2; i++)
        if (stages[i] > array_share(phase, UNIT_EU_ACTIVE + i))
            mistake(reader, "does", "the stages are more than %s",
                    unit_facts(UNIT_EU_ACTIVE + i)->name);
    if (kinds > NANO)
        mistake(reader, "does", "the kinds of instructions are more than 1 together");
    if (pipes && largest != NANO)
        mistake(reader, "does",
                "one of eu.fpu0, eu.fpu1 and eu.send must be 1: an EU is active "
                "when a pipe is");
}

static void read_activities(struct reader *reader, const struct raw_phase *raw, struct phase *out)
{
    size_t before = reader->findings.count;
    for (size_t i = 0; i < raw->does_count; i++) {
        reader->activity = (ptrdiff_t)i;
        struct activity activity;
        if (!read_activity(reader, &raw->does[i], &activity))
            continue;
        if (phase_activity(out, activity.unit)) {
            mistake(reader, "unit", "%s is given twice in a phase", raw->does[i].unit);
            continue;
        }
        out->activities[out->activity_count++] = activity;
    }
    reader->activity = -1;
    if (out->idle && raw->does_count)
        mistake(reader, "does", "an idle phase does nothing");
    if (reader->findings.count == before)
        check_sums(reader, out);
}

static bool read_phase(struct reader *reader, const struct raw_phase *raw, struct phase *out)
{
    uint64_t context = 0;
    if (!raw->duration)
        mistake(reader, NULL, "duration is missing");
    else
        good(reader, "duration", raw->duration, read_duration(raw->duration, &out->duration_ns));
    if (raw->clock)
        good(reader, "clock", raw->clock, read_clock(raw->clock, &out->clock_hz));
    if (!raw->context)
        mistake(reader, NULL, "context is missing");
    else if (!strcmp(raw->context, "idle"))
        out->idle = true;
    else
        good(
            reader, "context", raw->context,
            read_whole(raw->context, UINT32_MAX, &context) ? "idle, or a number of 32 bits" : NULL);
    out->context = (uint32_t)context;
    out->activities = calloc(raw->does_count ? raw->does_count : 1, sizeof *out->activities);
    if (!out->activities)
        return false;
    read_activities(reader, raw, out);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_")] == '\0';
}

static bool read_workload(struct reader *reader, const struct raw_workload *raw,
                          struct tally_workload *out)
{
    if (!raw->name)
        mistake(reader, NULL, "name is missing");
    else if (!is_name(raw->name))
        mistake(reader, "name", "name \"%s\": expected lower-case letters, digits, - and _",
                raw->name);
    if (!raw->description || !*raw->description)
        mistake(reader, NULL, "description is missing");
    if (raw->seed)
        good(reader, "seed", raw->seed, read_whole(raw->seed, UINT64_MAX, &out->seed));
    if (!raw->phases_count)
        mistake(reader, "phases", "phases are missing");
    out->name = strdup(raw->name ? raw->name : "");
    out->description = strdup(raw->description ? raw->description : "");
    out->phases = calloc(raw->phases_count ? raw->phases_count : 1, sizeof *out->phases);
    if (!out->name || !out->description || !out->phases)
        return false;
    for (size_t i = 0; i < raw->phases_count; i++) {
        reader->phase = (ptrdiff_t)i;
        out->phase_count = i + 1;
        if (!read_phase(reader, &raw->phases[i], &out->phases[i]))
            return false;
    }
    reader->phase = -1;
    return true;
}

/* Fills *out as far as it can; findings say what is wrong with it. */
static int read_tree(struct reader *reader, const void *bytes, size_t size, const char *name,
                     struct tally_workload *out, struct tally_error *error)
{
    struct raw_workload *raw = NULL;
    if (!tree_check(reader->tree, &workload_schema, "a workload", findings_add, &reader->findings))
        return 0;
    cyaml_err_t result =
        cyaml_load_data(bytes, size, &configuration, &workload_schema, (cyaml_data_t **)&raw, NULL);
    if (result == CYAML_ERR_OOM)
        return fail_memory(error, "a workload");
    if (result != CYAML_OK)
        return fail(error, -EBADMSG, "%s: %s", name, cyaml_strerror(result));
    static const struct raw_workload nothing;
    bool done = read_workload(reader, raw ? raw : &nothing, out);
    cyaml_free(&configuration, &workload_schema, raw, 0);
    return done ? 0 : fail_memory(error, "a workload");
}

int workload_read(const void *bytes, size_t size, const char *name, struct tally_workload **out,
                  tally_workload_found *found, void *closure, struct tally_error *error)
{
    struct tree tree;
    struct reader reader = {.tree = &tree, .phase = -1, .activity = -1};
    struct tally_workload *workload = calloc(1, sizeof *workload);
    if (!workload || !(workload->file = strdup(name))) {
        tally_workload_free(workload);
        return fail_memory(error, "a workload");
    }
    int result = size > FILE_BYTES_MAX ? fail(error, -EBADMSG, "%s: %zu bytes, expected at most %u",
                                              name, size, FILE_BYTES_MAX)
                                       : tree_init(&tree, bytes, size, name, "a workload", error);
    if (result == 0) {
        result = read_tree(&reader, bytes, size, name, workload, error);
        tree_fini(&tree);
    }
    if (result == 0 && reader.findings.broken)
        result = fail_memory(error, "a list of mistakes");
    if (result == 0)
        result = (int)findings_tell(&reader.findings, found, closure);
    findings_fini(&reader.findings);
    if (result || !out) {
        tally_workload_free(workload);
        return result;
    }
    *out = workload;
    return 0;
}

void tally_workload_free(struct tally_workload *workload)
{
    if (!workload)
        return;
    for (size_t i = 0; i < workload->phase_count; i++)
        free(workload->phases[i].activities);
    free(workload->phases);
    free(workload->name);
    free(workload->description);
    free(workload->file);
    free(workload);
}
