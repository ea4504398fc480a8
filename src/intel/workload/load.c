/* SPDX-License-Identifier: MIT */
/* Loading workload files: libcyaml converts the text to the structs of a schema, which are checked
 * and converted to a workload. Mistakes are reported with their lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/expected.h"
#include "base/minmax.h"
#include "intel/workload/files.h"
#include "intel/workload/values.h"
#include "intel/workload/workload.h"

#define PHASES_MAX     WORKLOAD_PHASES_MAX
#define ACTIVITIES_MAX 128
#define TIMES_MAX      1000000
#define FRAME_MAX      (UINT64_C(1) << 40)

/* ---- the schema ------------------------------------------------------------------------------ */

/* All values are strings, because values.c converts numbers exactly, and optional, so that missing
 * values are reported with their lines. */
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

// clang-format off
static const cyaml_schema_field_t bursts_fields[] = {
    YAML_TEXT("frame", raw_bursts, frame, 40),
    YAML_TEXT("length", raw_bursts, length, 40),
    CYAML_FIELD_END
};

static const cyaml_schema_field_t activity_fields[] = {
    YAML_TEXT("unit", raw_activity, unit, 40),
    YAML_TEXT("share", raw_activity, values[DOES_SHARE], 40),
    YAML_TEXT("rate", raw_activity, values[DOES_RATE], 40),
    YAML_TEXT("random", raw_activity, values[DOES_RANDOM], 40),
    YAML_TEXT("constant", raw_activity, values[DOES_CONSTANT], 40),
    YAML_TEXT("times", raw_activity, times, 40),
    CYAML_FIELD_MAPPING_PTR("bursts", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_activity,
                            bursts, bursts_fields),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t activity_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_activity, activity_fields),
};

static const cyaml_schema_field_t phase_fields[] = {
    YAML_TEXT("duration", raw_phase, duration, 40),
    YAML_TEXT("clock", raw_phase, clock, 40),
    YAML_TEXT("context", raw_phase, context, 40),
    CYAML_FIELD_SEQUENCE("does", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_phase, does,
                         &activity_schema, 0, ACTIVITIES_MAX),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t phase_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_phase, phase_fields),
};

static const cyaml_schema_field_t workload_fields[] = {
    YAML_TEXT("name", raw_workload, name, 40),
    YAML_TEXT("description", raw_workload, description, 200),
    YAML_TEXT("seed", raw_workload, seed, 40),
    CYAML_FIELD_SEQUENCE("phases", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_workload,
                         phases, &phase_schema, 0, PHASES_MAX),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t workload_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_workload, workload_fields),
};
// clang-format on

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

static void report_kinds(struct yaml *yaml, const char *key, const char *unit,
                         enum unit_class class, const char *problem)
{
    char list[80] = "";
    size_t used = 0;
    for (unsigned kind = 0; kind < ACTIVITY_KINDS; kind++)
        if (allowed(class, kind))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     kind_keys[kind]);
    yaml_mistake(yaml, key, "%s: %s, expected one of %s", unit, problem, list);
}

static bool read_share(struct yaml *yaml, const char *key, const char *text, uint64_t *out)
{
    static const char expected[] = "0 to 1";
    uint64_t value = 0;
    if (text[0] == '-' || !yaml_expect(yaml, key, text, read_decimal(text, UINT64_MAX, &value)))
        return text[0] == '-' ? yaml_expect(yaml, key, text, expected) : false;
    *out = value;
    return yaml_expect(yaml, key, text, value > ONE ? expected : NULL);
}

static bool read_constant(struct yaml *yaml, const char *text, enum unit_class class, uint64_t *out)
{
    uint64_t max = class == CLASS_LEVEL ? 7 : class == CLASS_EVENTS ? TIMES_MAX : 1;
    const char *expected = class == CLASS_LEVEL    ? "0 to 7 threads"
                           : class == CLASS_EVENTS ? "a whole number, 0 to 1000000"
                                                   : "0 or 1";
    if (read_decimal(text, max * ONE, out) || (class != CLASS_LEVEL && *out % ONE))
        return yaml_expect(yaml, "constant", text, expected);
    return true;
}

static bool read_bursts(struct yaml *yaml, const struct raw_bursts *raw, struct activity *out)
{
    if (!raw->frame || !raw->length) {
        yaml_mistake(yaml, "bursts", "bursts: %s is missing", raw->frame ? "length" : "frame");
        return false;
    }
    const char *wrong = read_whole(raw->frame, FRAME_MAX, &out->frame);
    if (!wrong && !out->frame)
        wrong = "1 clock or more";
    if (wrong) {
        yaml_mistake(yaml, "bursts", "bursts: frame \"%s\": expected %s", raw->frame, wrong);
        return false;
    }
    wrong = read_whole(raw->length, FRAME_MAX, &out->length);
    if (!wrong && !out->length)
        wrong = "1 clock or more";
    if (!wrong && out->length > out->frame)
        wrong = "at most the frame";
    if (wrong)
        yaml_mistake(yaml, "bursts", "bursts: length \"%s\": expected %s", raw->length, wrong);
    return !wrong;
}

static bool read_value(struct yaml *yaml, const struct raw_activity *raw, enum unit_class class,
                       struct activity *out)
{
    const char *text = raw->values[out->kind];
    switch ((enum activity_kind)out->kind) {
    case DOES_SHARE:
        return read_share(yaml, "share", text, &out->value);
    case DOES_RANDOM:
        return read_share(yaml, "random", text, &out->value);
    case DOES_RATE:
        return yaml_expect(yaml, "rate", text, read_rate(text, &out->value, &out->per));
    case DOES_CONSTANT:
        return read_constant(yaml, text, class, &out->value);
    case DOES_BURSTS:
        return read_bursts(yaml, raw->bursts, out);
    case ACTIVITY_KINDS:
        break;
    }
    return false;
}

static bool read_times(struct yaml *yaml, const struct raw_activity *raw, enum unit_class class,
                       struct activity *out)
{
    uint64_t times = 1;
    bool repeats = out->kind == DOES_RANDOM || out->kind == DOES_BURSTS;
    if (raw->times && (class != CLASS_EVENTS || !repeats)) {
        yaml_mistake(yaml, "times", "times: only allowed with bursts or random");
        return false;
    }
    if (raw->times &&
        !yaml_expect(yaml, "times", raw->times, read_whole(raw->times, TIMES_MAX, &times)))
        return false;
    out->times = (uint32_t)times;
    return true;
}

/* Reads an activity. Returns false if it has a mistake. */
static bool read_activity(struct yaml *yaml, const struct raw_activity *raw, struct activity *out)
{
    if (!raw->unit) {
        yaml_mistake(yaml, NULL, "unit is missing");
        return false;
    }
    unsigned unit = unit_find(raw->unit), given = 0;
    if (unit == UNITS) {
        char expected[EXPECTED_BYTES];
        const char *names[UNITS];
        for (unsigned i = 0; i < UNITS; i++)
            names[i] = unit_info(i)->name;
        yaml_mistake(yaml, "unit", "unknown unit \"%s\"%s", raw->unit,
                     expected_word(expected, raw->unit, names, UNITS, "docs/workloads.md"));
        return false;
    }
    enum unit_class class = unit_info(unit)->kind;
    *out = (struct activity){
        .unit = (uint8_t)unit,
        .times = 1,
        .line = yaml_line(yaml, NULL),
    };
    for (unsigned kind = 0; kind < ACTIVITY_KINDS; kind++) {
        if (kind == DOES_BURSTS ? !raw->bursts : !raw->values[kind])
            continue;
        out->kind = (uint8_t)kind;
        given++;
    }
    if (given != 1) {
        report_kinds(yaml, NULL, raw->unit, class, given ? "more than one value" : "no value");
        return false;
    }
    if (!allowed(class, out->kind)) {
        report_kinds(yaml, kind_keys[out->kind], raw->unit, class, kind_keys[out->kind]);
        return false;
    }
    bool right = read_value(yaml, raw, class, out);
    return read_times(yaml, raw, class, out) && right;
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
    if (activity->kind == DOES_BURSTS) /* of up to 2^40 clocks: two steps avoid an overflow */
        return (activity->length << 20) / activity->frame * ONE >> 20;
    return activity->value;
}

uint64_t array_share(const struct phase *phase, unsigned unit)
{
    const struct activity *given = phase_activity(phase, unit);
    uint64_t sum = 0;
    if (given)
        return mean_share(given);
    for (unsigned stage = 0; stage < STAGES; stage++)
        sum += mean_share(phase_activity(
            phase, UNIT_VS_ACTIVE + STAGE_UNITS * stage + (unit == UNIT_EU_STALLED)));
    return sum;
}

/* Reports impossible sums of a phase's activities. */
static void check_sums(struct yaml *yaml, const struct phase *phase)
{
    uint64_t stages[2] = {0, 0}, kinds = 0, largest = 0;
    bool pipes = false;
    for (unsigned unit = 0; unit < UNITS; unit++) {
        const struct activity *activity = phase_activity(phase, unit);
        uint64_t share = mean_share(activity);
        if (unit_info(unit)->kind == CLASS_KIND)
            kinds += share;
        if (activity && unit_info(unit)->kind == CLASS_PIPE) {
            pipes = true;
            largest = max_u64(share, largest);
        }
    }
    for (unsigned stage = 0; stage < STAGES; stage++) {
        unsigned active = UNIT_VS_ACTIVE + STAGE_UNITS * stage;
        uint64_t shares[2] = {mean_share(phase_activity(phase, active)),
                              mean_share(phase_activity(phase, active + 1))};
        if (shares[0] + shares[1] > ONE)
            yaml_mistake(yaml, "does", "the sum of %s and stalled is more than 1",
                         unit_info(active)->name);
        stages[0] += shares[0];
        stages[1] += shares[1];
    }
    if (stages[0] + stages[1] > ONE)
        yaml_mistake(yaml, "does", "the sum of the stages' active and stalled is more than 1");
    else if (array_share(phase, UNIT_EU_ACTIVE) + array_share(phase, UNIT_EU_STALLED) > ONE)
        yaml_mistake(yaml, "does", "the sum of eu.active and eu.stalled is more than 1");
    for (unsigned i = 0; i < 2; i++)
        if (stages[i] > array_share(phase, UNIT_EU_ACTIVE + i))
            yaml_mistake(yaml, "does", "the sum of the stages is more than %s",
                         unit_info(UNIT_EU_ACTIVE + i)->name);
    if (kinds > ONE)
        yaml_mistake(yaml, "does", "the sum of the kinds of instructions is more than 1");
    if (pipes && largest != ONE)
        yaml_mistake(yaml, "does",
                     "one of eu.fpu0, eu.fpu1 and eu.send must be 1: an EU is active "
                     "when a pipe is");
}

static void read_activities(struct yaml *yaml, const struct raw_phase *raw, struct phase *out)
{
    size_t before = yaml->findings.count;
    for (size_t i = 0; i < raw->does_count; i++) {
        yaml->place[1] = (ptrdiff_t)i;
        struct activity activity;
        if (!read_activity(yaml, &raw->does[i], &activity))
            continue;
        if (phase_activity(out, activity.unit)) {
            yaml_mistake(yaml, "unit", "%s is given twice in a phase", raw->does[i].unit);
            continue;
        }
        out->activities[out->activity_count++] = activity;
    }
    yaml->place[1] = -1;
    if (out->idle && raw->does_count)
        yaml_mistake(yaml, "does", "an idle phase must not have activities");
    if (yaml->findings.count == before)
        check_sums(yaml, out);
}

static bool read_phase(struct yaml *yaml, const struct raw_phase *raw, struct phase *out)
{
    uint64_t context = 0;
    if (!raw->duration)
        yaml_mistake(yaml, NULL, "duration is missing");
    else
        yaml_expect(yaml, "duration", raw->duration,
                    read_duration(raw->duration, &out->duration_ns));
    if (raw->clock)
        yaml_expect(yaml, "clock", raw->clock, read_clock(raw->clock, &out->clock_hz));
    if (!raw->context)
        yaml_mistake(yaml, NULL, "context is missing");
    else if (!strcmp(raw->context, "idle"))
        out->idle = true;
    else
        yaml_expect(
            yaml, "context", raw->context,
            read_whole(raw->context, UINT32_MAX, &context) ? "idle, or a number of 32 bits" : NULL);
    out->context = (uint32_t)context;
    out->activities = calloc(raw->does_count ? raw->does_count : 1, sizeof *out->activities);
    if (!out->activities)
        return false;
    read_activities(yaml, raw, out);
    return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_")] == '\0';
}

static bool read_workload(struct yaml *yaml, const void *structs, void *workload)
{
    static const struct raw_workload empty;
    const struct raw_workload *raw = structs ? structs : &empty;
    struct tally_workload *out = workload;
    if (!raw->name)
        yaml_mistake(yaml, NULL, "name is missing");
    else if (!is_name(raw->name))
        yaml_mistake(yaml, "name", "name \"%s\": expected lower-case letters, digits, - and _",
                     raw->name);
    if (!raw->description || !*raw->description)
        yaml_mistake(yaml, NULL, "description is missing");
    if (raw->seed)
        yaml_expect(yaml, "seed", raw->seed, read_whole(raw->seed, UINT64_MAX, &out->seed));
    if (!raw->phases_count)
        yaml_mistake(yaml, "phases", "phases are missing");
    out->name = strdup(raw->name ? raw->name : "");
    out->description = strdup(raw->description ? raw->description : "");
    out->phases = calloc(raw->phases_count ? raw->phases_count : 1, sizeof *out->phases);
    if (!out->name || !out->description || !out->phases)
        return false;
    for (size_t i = 0; i < raw->phases_count; i++) {
        yaml->place[0] = (ptrdiff_t)i;
        out->phase_count = i + 1;
        if (!read_phase(yaml, &raw->phases[i], &out->phases[i]))
            return false;
    }
    yaml->place[0] = -1;
    return true;
}

int workload_read(struct yaml_source source, struct tally_workload **out, findings_visit *found,
                  void *closure, struct tally_error *error)
{
    static const struct yaml_kind kind = {
        "a workload", &workload_schema, {"phases", "does"}, read_workload, false};
    struct tally_workload *workload = calloc(1, sizeof *workload);
    int result = workload && (workload->file = strdup(source.name))
                     ? yaml_read(&kind, &source, workload, found, closure, error)
                     : fail_memory(error, kind.what);
    if (result == 0 && out)
        *out = workload;
    else
        tally_workload_free(workload);
    return result;
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
