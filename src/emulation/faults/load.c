/* SPDX-License-Identifier: MIT */
/* Reads scripts of faults: libcyaml parses the file into the structs of a schema, which are then
 * converted to numbers. Every error is reported with its line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/chipset.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/named.h"
#include "base/yaml.h"
#include "emulation/faults/script.h"
#include "intel/workload/values.h"

#define FAULTS_MAX     1000
#define COUNT_MAX      (UINT64_C(1) << 40)
#define TICKS_MAX      (UINT64_C(1) << 30) /* a larger jump of a 32-bit timestamp looks backward */
#define DEFAULT_MARGIN 1000
#define EVERY_MIN_NS   1000

/* ---- the schema ------------------------------------------------------------------------------ */

/* The keys of a fault. The first four are its triggers, in the order of enum fault_trigger. */
enum key {
    KEY_AT,
    KEY_REPORT,
    KEY_CALL,
    KEY_BYTES,
    KEY_DO,
    KEY_NTH,
    KEY_EVERY,
    KEY_TIMES,
    KEY_JITTER,
    KEY_FOR,
    KEY_COUNTER,
    KEY_MARGIN,
    KEY_CONTEXT,
    KEY_TICKS,
    KEY_ERRNO,
    KEY_DOMAIN,
    KEYS
};

static const char *const key_names[KEYS] = {
    "at",     "report", "call",    "bytes",  "do",      "nth",   "every", "times",
    "jitter", "for",    "counter", "margin", "context", "ticks", "errno", "domain"};

struct raw_fault {
    char *values[KEYS];
};

struct raw_script {
    char *name, *description, *seed;
    struct raw_fault *faults;
    unsigned faults_count;
};

#define VALUE(name, key) YAML_TEXT(name, raw_fault, values[key], 40)

// clang-format off
static const cyaml_schema_field_t fault_fields[] = {
    VALUE("at", KEY_AT), VALUE("report", KEY_REPORT), VALUE("call", KEY_CALL),
    VALUE("bytes", KEY_BYTES), VALUE("do", KEY_DO), VALUE("nth", KEY_NTH),
    VALUE("every", KEY_EVERY), VALUE("times", KEY_TIMES), VALUE("jitter", KEY_JITTER),
    VALUE("for", KEY_FOR), VALUE("counter", KEY_COUNTER), VALUE("margin", KEY_MARGIN),
    VALUE("context", KEY_CONTEXT), VALUE("ticks", KEY_TICKS), VALUE("errno", KEY_ERRNO),
    VALUE("domain", KEY_DOMAIN),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t fault_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_fault, fault_fields),
};

static const cyaml_schema_field_t script_fields[] = {
    YAML_TEXT("name", raw_script, name, 40),
    YAML_TEXT("description", raw_script, description, 200),
    YAML_TEXT("seed", raw_script, seed, 40),
    CYAML_FIELD_SEQUENCE("faults", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_script,
                         faults, &fault_schema, 0, FAULTS_MAX),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t script_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_script, script_fields),
};

/* ---- keys of each kind ----------------------------------------------------------------------- */

#define BIT(key)  (1u << (key))
#define REPEATED  (BIT(KEY_EVERY) | BIT(KEY_TIMES) | BIT(KEY_JITTER))

/* The keys of each kind: triggers, of which it must have exactly one; required ones; optional ones.
 */
static const struct {
    const char *name;
    uint32_t triggers, required, optional;
} kinds[FAULT_KINDS] = {
    [FAULT_OVERFLOW]  = {"overflow",  BIT(KEY_AT), 0, REPEATED},
    [FAULT_DROP]      = {"drop",      BIT(KEY_AT) | BIT(KEY_REPORT), 0, REPEATED},
    [FAULT_ZERO]      = {"zero",      BIT(KEY_AT) | BIT(KEY_REPORT), 0, REPEATED | BIT(KEY_FOR)},
    [FAULT_WRAP]      = {"wrap",      BIT(KEY_AT), BIT(KEY_COUNTER), REPEATED | BIT(KEY_MARGIN)},
    [FAULT_SWITCH]    = {"switch",    BIT(KEY_AT), BIT(KEY_CONTEXT) | BIT(KEY_FOR), REPEATED},
    [FAULT_SKEW]      = {"skew",      BIT(KEY_AT), BIT(KEY_TICKS), REPEATED},
    [FAULT_RC6]       = {"rc6",       BIT(KEY_AT), BIT(KEY_FOR), REPEATED},
    [FAULT_FAIL]      = {"fail",      BIT(KEY_CALL), BIT(KEY_ERRNO), REPEATED | BIT(KEY_NTH)},
    [FAULT_DISK_FULL] = {"disk-full", BIT(KEY_BYTES), 0, 0},
    [FAULT_SWAP]      = {"swap",      BIT(KEY_AT), 0, REPEATED},
    [FAULT_WEDGE]     = {"wedge",     BIT(KEY_AT), BIT(KEY_DOMAIN), 0},
    [FAULT_STALL]     = {"stall",     BIT(KEY_AT), BIT(KEY_FOR), REPEATED},
};
// clang-format on

const char *faults_kind_name(unsigned kind)
{
    return kind < FAULT_KINDS ? kinds[kind].name : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *read_count(const char *text, uint64_t max, uint64_t *out)
{
    const char *wrong = read_whole(text, max, out);
    return wrong || *out ? wrong : "1 or more";
}

/* "1 MB", "64 KiB", "4096" */
static const char *read_bytes(const char *text, uint64_t *out)
{
    static const struct {
        const char *name;
        uint64_t size;
    } units[] = {{"GiB", 1u << 30},
                 {"MiB", 1u << 20},
                 {"KiB", 1u << 10},
                 {"GB", 1000000000},
                 {"MB", 1000000},
                 {"kB", 1000},
                 {"", 1}};
    static const char expected[] = "a size such as 1 MB, 64 KiB or 4096";
    char digits[24] = "";
    size_t length = strspn(text, "0123456789");
    const char *unit = text + length + strspn(text + length, " ");
    if (!length || length >= sizeof digits)
        return expected;
    memcpy(digits, text, length);
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (strcmp(unit, units[i].name) != 0)
            continue;
        const char *wrong = read_count(digits, COUNT_MAX / units[i].size, out);
        *out *= wrong ? 1 : units[i].size;
        return wrong;
    }
    return expected;
}

/* Reads a step between occurrences: a duration if the trigger is a time, else a number. */
static const char *read_step(unsigned trigger, const char *text, uint64_t *out)
{
    return trigger == ON_TIME ? read_duration(text, out) : read_count(text, COUNT_MAX, out);
}

static const char *read_counter(const char *text, struct fault *out)
{
    size_t digits = strspn(text + (*text != '\0'), "0123456789");
    if (!strchr("abc", *text) || !digits || digits > 2 || text[1 + digits])
        return "a counter such as a7, b0 or c2";
    memcpy(out->counter, text, digits + 2);
    return NULL;
}

static void read_trigger(struct yaml *yaml, const struct raw_fault *raw, struct fault *out)
{
    const char *text = raw->values[out->trigger], *key = key_names[out->trigger];
    char expected[EXPECTED_BYTES];
    switch ((enum fault_trigger)out->trigger) {
    case ON_TIME:
        yaml_expect(yaml, key, text, read_duration(text, &out->first));
        break;
    case ON_REPORT:
        yaml_expect(yaml, key, text, read_count(text, COUNT_MAX, &out->first));
        break;
    case ON_CALL:
        out->first = 1;
        if (!fault_call_find(text, &out->request))
            yaml_mistake(yaml, key, "unknown call \"%s\"%s", text,
                         fault_call_expected(expected, text));
        if (raw->values[KEY_NTH])
            yaml_expect(yaml, "nth", raw->values[KEY_NTH],
                        read_count(raw->values[KEY_NTH], COUNT_MAX, &out->first));
        break;
    case ON_BYTES:
        yaml_expect(yaml, key, text, read_bytes(text, &out->first));
        break;
    case FAULT_TRIGGERS:
        break;
    }
}

static void read_repetition(struct yaml *yaml, const struct raw_fault *raw, struct fault *out)
{
    const char *every = raw->values[KEY_EVERY], *times = raw->values[KEY_TIMES];
    const char *jitter = raw->values[KEY_JITTER];
    out->times = !every;
    if (every)
        yaml_expect(yaml, "every", every, read_step(out->trigger, every, &out->every));
    if (every && out->trigger == ON_TIME && out->every && out->every < EVERY_MIN_NS)
        yaml_expect(yaml, "every", every, "1 us or more");
    if (times)
        yaml_expect(yaml, "times", times, read_count(times, COUNT_MAX, &out->times));
    if (times && !every)
        yaml_mistake(yaml, "times", "times without every");
    if (jitter)
        yaml_expect(yaml, "jitter", jitter, read_step(out->trigger, jitter, &out->jitter));
}

static void read_rest(struct yaml *yaml, const struct raw_fault *raw, struct fault *out)
{
    char *const *values = raw->values;
    char expected[EXPECTED_BYTES];
    uint64_t context = 0;
    out->margin = DEFAULT_MARGIN;
    if (values[KEY_FOR])
        yaml_expect(yaml, "for", values[KEY_FOR],
                    read_duration(values[KEY_FOR], &out->duration_ns));
    if (values[KEY_COUNTER])
        yaml_expect(yaml, "counter", values[KEY_COUNTER], read_counter(values[KEY_COUNTER], out));
    if (values[KEY_MARGIN])
        yaml_expect(yaml, "margin", values[KEY_MARGIN],
                    read_count(values[KEY_MARGIN], UINT32_MAX, &out->margin));
    if (values[KEY_CONTEXT])
        yaml_expect(yaml, "context", values[KEY_CONTEXT],
                    read_whole(values[KEY_CONTEXT], UINT32_MAX - 1, &context));
    if (values[KEY_TICKS])
        yaml_expect(yaml, "ticks", values[KEY_TICKS],
                    read_count(values[KEY_TICKS], TICKS_MAX, &out->ticks));
    if (values[KEY_ERRNO] && !fault_errno_find(values[KEY_ERRNO], &out->code))
        yaml_mistake(yaml, "errno", "unknown errno \"%s\"%s", values[KEY_ERRNO],
                     fault_errno_expected(expected, values[KEY_ERRNO]));
    out->domain = values[KEY_DOMAIN] ? tally_domain_find(values[KEY_DOMAIN]) : 0;
    if (out->domain < 0)
        yaml_expect(yaml, "domain", values[KEY_DOMAIN], "a domain such as 1, GPC0, PART1 or HUB6");
    out->context = (uint32_t)context;
}

/* ---- a fault --------------------------------------------------------------------------------- */

static bool find_kind(struct yaml *yaml, const char *name, struct fault *out)
{
    char list[160] = "";
    size_t used = 0;
    for (unsigned kind = 0; name && kind < FAULT_KINDS; kind++) {
        if (!strcmp(kinds[kind].name, name)) {
            out->kind = (uint8_t)kind;
            return true;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                 kinds[kind].name);
    }
    if (name)
        yaml_mistake(yaml, "do", "do \"%s\": expected one of %s", name, list);
    else
        yaml_mistake(yaml, NULL, "do is missing");
    return false;
}

/* Returns true if a fault has all keys that its kind requires, and no others. Sets the trigger. */
static bool check_keys(struct yaml *yaml, const struct raw_fault *raw, struct fault *out)
{
    const char *name = kinds[out->kind].name;
    uint32_t triggers = kinds[out->kind].triggers, required = kinds[out->kind].required;
    uint32_t known = triggers | required | kinds[out->kind].optional | BIT(KEY_DO);
    size_t before = yaml->findings.count;
    unsigned started = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        bool given = raw->values[key] != NULL;
        if (given && !(known & BIT(key)))
            yaml_mistake(yaml, key_names[key], "%s does not take %s", name, key_names[key]);
        else if (!given && required & BIT(key))
            yaml_mistake(yaml, NULL, "%s: %s is missing", name, key_names[key]);
        else if (given && triggers & BIT(key)) {
            out->trigger = (uint8_t)key;
            started++;
        }
    }
    if (started != 1)
        yaml_mistake(yaml, NULL, "%s: %s, expected %s", name,
                     started ? "both at and report" : "no trigger",
                     triggers & BIT(KEY_REPORT)  ? "at or report"
                     : triggers & BIT(KEY_CALL)  ? "call"
                     : triggers & BIT(KEY_BYTES) ? "bytes"
                                                 : "at");
    return yaml->findings.count == before;
}

static void read_fault(struct yaml *yaml, const struct raw_fault *raw, struct fault *out)
{
    out->line = yaml_line(yaml, NULL);
    if (!find_kind(yaml, raw->values[KEY_DO], out) || !check_keys(yaml, raw, out))
        return;
    read_trigger(yaml, raw, out);
    read_repetition(yaml, raw, out);
    read_rest(yaml, raw, out);
}

static bool read_script(struct yaml *yaml, const void *structs, void *script)
{
    static const struct raw_script nothing;
    const struct raw_script *raw = structs ? structs : &nothing;
    struct faults_script *out = script;
    if (raw->seed)
        yaml_expect(yaml, "seed", raw->seed, read_whole(raw->seed, UINT64_MAX, &out->seed));
    if (!raw->faults_count)
        yaml_mistake(yaml, "faults", "faults are missing");
    out->name = strdup(raw->name ? raw->name : "");
    out->description = strdup(raw->description ? raw->description : "");
    out->faults = calloc(raw->faults_count ? raw->faults_count : 1, sizeof *out->faults);
    if (!out->name || !out->description || !out->faults)
        return false;
    for (out->count = 0; out->count < raw->faults_count; out->count++) {
        yaml->place[0] = (ptrdiff_t)out->count;
        read_fault(yaml, &raw->faults[out->count], &out->faults[out->count]);
    }
    return true;
}

/* ---- scripts --------------------------------------------------------------------------------- */

int faults_read(const struct yaml_source *source, struct faults_script **out, findings_visit *found,
                void *closure, struct tally_error *error)
{
    static const struct yaml_kind kind = {
        "a script of faults", &script_schema, {"faults"}, read_script, false};
    struct faults_script *script = calloc(1, sizeof *script);
    int result = script && (script->file = strdup(source->name))
                     ? yaml_read(&kind, source, script, found, closure, error)
                     : fail_memory(error, kind.what);
    if (result == 0 && out)
        *out = script;
    else
        faults_script_free(script);
    return result;
}

static const struct named_files files = {"script of faults", "faults", "TALLY_FAULTS_PATH"};

int faults_load(const char *name, struct faults_script **out, struct tally_error *error)
{
    char *path;
    int result = named_find(&files, name, &path, error);
    if (result == 0)
        result = faults_read(&(struct yaml_source){.name = path}, out, NULL, NULL, error);
    free(path);
    return result;
}

int faults_list(void (*visit)(void *closure, const char *path), void *closure)
{
    return named_list(&files, visit, closure);
}

int faults_lint(const char *path, findings_visit *found, void *closure, struct tally_error *error)
{
    return faults_read(&(struct yaml_source){.name = path}, NULL, found, closure, error);
}

bool faults_is_script(const char *path)
{
    return yaml_has(path, "faults", "phases");
}

void faults_script_free(struct faults_script *script)
{
    if (!script)
        return;
    free(script->faults);
    free(script->description);
    free(script->name);
    free(script->file);
    free(script);
}

struct faults_info faults_describe(const struct faults_script *script)
{
    return (struct faults_info){script->name, script->description, script->file, script->count,
                                script->seed};
}
