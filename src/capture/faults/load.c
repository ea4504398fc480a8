/* SPDX-License-Identifier: MIT */
/* Scripts of faults: bytes to a schema's structs (libcyaml), those to numbers, every mistake with
 * its line. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/tree.h"
#include "capture/faults/script.h"
#include "intel/workload/values.h"

#define FILE_BYTES_MAX (1u << 20)
#define FAULTS_MAX     1000
#define COUNT_MAX      (UINT64_C(1) << 40)
#define TICKS_MAX      (UINT64_C(1) << 30) /* 32-bit timestamps must not seem to go back */
#define USUAL_MARGIN   1000
#define EVERY_LEAST_NS 1000

/* ---- the schema ------------------------------------------------------------------------------ */

/* What a fault may say; the first four start it, an enum fault_trigger each. */
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
    KEYS
};

static const char *const key_names[KEYS] = {"at",      "report", "call",    "bytes",  "do",
                                            "nth",     "every",  "times",   "jitter", "for",
                                            "counter", "margin", "context", "ticks",  "errno"};

struct raw_fault {
    char *values[KEYS];
};

struct raw_script {
    char *name, *description, *seed;
    struct raw_fault *faults;
    unsigned faults_count;
};

#define TEXT(key, type, member, most)                                                              \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member, 0,  \
                           most)
#define VALUE(name, key) TEXT(name, raw_fault, values[key], 40)

// clang-format off
static const cyaml_schema_field_t fault_fields[] = {
    VALUE("at", KEY_AT), VALUE("report", KEY_REPORT), VALUE("call", KEY_CALL),
    VALUE("bytes", KEY_BYTES), VALUE("do", KEY_DO), VALUE("nth", KEY_NTH),
    VALUE("every", KEY_EVERY), VALUE("times", KEY_TIMES), VALUE("jitter", KEY_JITTER),
    VALUE("for", KEY_FOR), VALUE("counter", KEY_COUNTER), VALUE("margin", KEY_MARGIN),
    VALUE("context", KEY_CONTEXT), VALUE("ticks", KEY_TICKS), VALUE("errno", KEY_ERRNO),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t fault_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_fault, fault_fields),
};

static const cyaml_schema_field_t script_fields[] = {
    TEXT("name", raw_script, name, 40),
    TEXT("description", raw_script, description, 200),
    TEXT("seed", raw_script, seed, 40),
    CYAML_FIELD_SEQUENCE("faults", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_script,
                         faults, &fault_schema, 0, FAULTS_MAX),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t script_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_script, script_fields),
};

static const cyaml_config_t configuration = {
    .log_fn = NULL,
    .mem_fn = cyaml_mem,
    .log_level = CYAML_LOG_ERROR,
    .flags = CYAML_CFG_IGNORE_UNKNOWN_KEYS,
};

/* ---- what goes together ---------------------------------------------------------------------- */

#define BIT(key)  (1u << (key))
#define REPEATED  (BIT(KEY_EVERY) | BIT(KEY_TIMES) | BIT(KEY_JITTER))

/* Which keys a kind must have, one of which must start it, and which it may have. */
static const struct {
    const char *name;
    uint32_t triggers, needs, takes;
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
};
// clang-format on

const char *faults_kind_name(unsigned kind)
{
    return kind < FAULT_KINDS ? kinds[kind].name : NULL;
}

/* ---- mistakes -------------------------------------------------------------------------------- */

struct reader {
    const struct tree *tree;
    ptrdiff_t fault; /* where it is; negative: above that */
    struct findings findings;
};

static unsigned line_at(const struct reader *reader, const char *key)
{
    const struct tree_step step = {"faults", reader->fault};
    return tree_line(reader->tree, &step, 1, key);
}

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

static void check(struct reader *reader, const char *key, const char *text, const char *expected)
{
    if (expected)
        mistake(reader, key, "%s \"%s\": expected %s", key, text, expected);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *read_count(const char *text, uint64_t most, uint64_t *out)
{
    const char *wrong = read_whole(text, most, out);
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

/* A time where a time starts the fault, else a number. */
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

static void read_trigger(struct reader *reader, const struct raw_fault *raw, struct fault *out)
{
    const char *text = raw->values[out->trigger], *key = key_names[out->trigger];
    switch ((enum fault_trigger)out->trigger) {
    case ON_TIME:
        check(reader, key, text, read_duration(text, &out->first));
        break;
    case ON_REPORT:
        check(reader, key, text, read_count(text, COUNT_MAX, &out->first));
        break;
    case ON_CALL:
        out->first = 1;
        if (!fault_call_find(text, &out->request))
            mistake(reader, key, "call \"%s\" is not known; see docs/faults.md", text);
        if (raw->values[KEY_NTH])
            check(reader, "nth", raw->values[KEY_NTH],
                  read_count(raw->values[KEY_NTH], COUNT_MAX, &out->first));
        break;
    case ON_BYTES:
        check(reader, key, text, read_bytes(text, &out->first));
        break;
    case FAULT_TRIGGERS:
        break;
    }
}

static void read_repetition(struct reader *reader, const struct raw_fault *raw, struct fault *out)
{
    const char *every = raw->values[KEY_EVERY], *times = raw->values[KEY_TIMES];
    const char *jitter = raw->values[KEY_JITTER];
    out->times = !every;
    if (every)
        check(reader, "every", every, read_step(out->trigger, every, &out->every));
    if (every && out->trigger == ON_TIME && out->every && out->every < EVERY_LEAST_NS)
        check(reader, "every", every, "1 us or more");
    if (times)
        check(reader, "times", times, read_count(times, COUNT_MAX, &out->times));
    if (times && !every)
        mistake(reader, "times", "times without every");
    if (jitter)
        check(reader, "jitter", jitter, read_step(out->trigger, jitter, &out->jitter));
}

static void read_rest(struct reader *reader, const struct raw_fault *raw, struct fault *out)
{
    char *const *values = raw->values;
    uint64_t context = 0;
    out->margin = USUAL_MARGIN;
    if (values[KEY_FOR])
        check(reader, "for", values[KEY_FOR], read_duration(values[KEY_FOR], &out->duration_ns));
    if (values[KEY_COUNTER])
        check(reader, "counter", values[KEY_COUNTER], read_counter(values[KEY_COUNTER], out));
    if (values[KEY_MARGIN])
        check(reader, "margin", values[KEY_MARGIN],
              read_count(values[KEY_MARGIN], UINT32_MAX, &out->margin));
    if (values[KEY_CONTEXT])
        check(reader, "context", values[KEY_CONTEXT],
              read_whole(values[KEY_CONTEXT], UINT32_MAX - 1, &context));
    if (values[KEY_TICKS])
        check(reader, "ticks", values[KEY_TICKS],
              read_count(values[KEY_TICKS], TICKS_MAX, &out->ticks));
    if (values[KEY_ERRNO] && !fault_errno_find(values[KEY_ERRNO], &out->code))
        mistake(reader, "errno", "errno \"%s\" is not known; see docs/faults.md",
                values[KEY_ERRNO]);
    out->context = (uint32_t)context;
}

/* ---- a fault --------------------------------------------------------------------------------- */

static bool find_kind(struct reader *reader, const char *name, struct fault *out)
{
    char list[120] = "";
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
        mistake(reader, "do", "do \"%s\": expected one of %s", name, list);
    else
        mistake(reader, NULL, "do is missing");
    return false;
}

/* Has it what its kind needs, and nothing else? */
static bool check_keys(struct reader *reader, const struct raw_fault *raw, struct fault *out)
{
    const char *name = kinds[out->kind].name;
    uint32_t triggers = kinds[out->kind].triggers, needs = kinds[out->kind].needs;
    uint32_t known = triggers | needs | kinds[out->kind].takes | BIT(KEY_DO);
    size_t before = reader->findings.count;
    unsigned started = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        bool given = raw->values[key] != NULL;
        if (given && !(known & BIT(key)))
            mistake(reader, key_names[key], "%s does not take %s", name, key_names[key]);
        else if (!given && needs & BIT(key))
            mistake(reader, NULL, "%s: %s is missing", name, key_names[key]);
        else if (given && triggers & BIT(key)) {
            out->trigger = (uint8_t)key;
            started++;
        }
    }
    if (started != 1)
        mistake(reader, NULL, "%s: %s, expected %s", name,
                started ? "both at and report" : "nothing says when",
                triggers & BIT(KEY_REPORT)  ? "at or report"
                : triggers & BIT(KEY_CALL)  ? "call"
                : triggers & BIT(KEY_BYTES) ? "bytes"
                                            : "at");
    return reader->findings.count == before;
}

static void read_fault(struct reader *reader, const struct raw_fault *raw, struct fault *out)
{
    out->line = line_at(reader, NULL);
    if (!find_kind(reader, raw->values[KEY_DO], out) || !check_keys(reader, raw, out))
        return;
    read_trigger(reader, raw, out);
    read_repetition(reader, raw, out);
    read_rest(reader, raw, out);
}

static bool read_script(struct reader *reader, const struct raw_script *raw,
                        struct faults_script *out)
{
    if (raw->seed)
        check(reader, "seed", raw->seed, read_whole(raw->seed, UINT64_MAX, &out->seed));
    if (!raw->faults_count)
        mistake(reader, "faults", "faults are missing");
    out->faults = calloc(raw->faults_count ? raw->faults_count : 1, sizeof *out->faults);
    if (!out->faults)
        return false;
    for (out->count = 0; out->count < raw->faults_count; out->count++) {
        reader->fault = (ptrdiff_t)out->count;
        read_fault(reader, &raw->faults[out->count], &out->faults[out->count]);
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int read_tree(struct reader *reader, const void *bytes, size_t size, const char *name,
                     struct faults_script *out, struct tally_error *error)
{
    static const struct raw_script nothing;
    struct raw_script *raw = NULL;
    if (!tree_check(reader->tree, &script_schema, "a script of faults", findings_add,
                    &reader->findings))
        return 0;
    cyaml_err_t result =
        cyaml_load_data(bytes, size, &configuration, &script_schema, (cyaml_data_t **)&raw, NULL);
    if (result == CYAML_ERR_OOM)
        return fail_memory(error, "a script of faults");
    if (result != CYAML_OK)
        return fail(error, -EBADMSG, "%s: %s", name, cyaml_strerror(result));
    bool done = read_script(reader, raw ? raw : &nothing, out);
    cyaml_free(&configuration, &script_schema, raw, 0);
    return done ? 0 : fail_memory(error, "a script of faults");
}

/* How many mistakes, or an errno; 0: *out, unless out is NULL, is the caller's. */
static int read_bytes_of(const void *bytes, size_t size, const char *name,
                         struct faults_script **out, findings_visit *found, void *closure,
                         struct tally_error *error)
{
    struct tree tree;
    struct reader reader = {.tree = &tree, .fault = -1};
    struct faults_script *script = calloc(1, sizeof *script);
    if (!script || !(script->file = strdup(name))) {
        faults_script_free(script);
        return fail_memory(error, "a script of faults");
    }
    int result = size > FILE_BYTES_MAX
                     ? fail(error, -EBADMSG, "%s: %zu bytes, expected at most %u", name, size,
                            FILE_BYTES_MAX)
                     : tree_init(&tree, bytes, size, name, "a script of faults", error);
    if (result == 0) {
        result = read_tree(&reader, bytes, size, name, script, error);
        tree_fini(&tree);
    }
    if (result == 0 && reader.findings.broken)
        result = fail_memory(error, "a list of mistakes");
    if (result == 0)
        result = (int)findings_tell(&reader.findings, found, closure);
    findings_fini(&reader.findings);
    if (result || !out) {
        faults_script_free(script);
        return result;
    }
    *out = script;
    return 0;
}

struct first_mistake {
    unsigned line;
    char message[240];
};

static void keep_first(void *closure, unsigned line, const char *message)
{
    struct first_mistake *first = closure;
    if (first->line)
        return;
    first->line = line;
    snprintf(first->message, sizeof first->message, "%s", message);
}

int faults_load_memory(const void *bytes, size_t size, const char *name, struct faults_script **out,
                       struct tally_error *error)
{
    struct first_mistake first = {0};
    int result = read_bytes_of(bytes, size, name, out, keep_first, &first, error);
    return result <= 0 ? result
                       : fail(error, -EBADMSG, "%s:%u: %s", name, first.line, first.message);
}

int faults_lint_memory(const void *bytes, size_t size, const char *name, findings_visit *found,
                       void *closure, struct tally_error *error)
{
    return read_bytes_of(bytes, size, name, NULL, found, closure, error);
}

static int load(const char *path, struct buffer *to, struct tally_error *error)
{
    return buffer_load(to, path, FILE_BYTES_MAX, error);
}

int faults_load(const char *path, struct faults_script **out, struct tally_error *error)
{
    struct buffer bytes = {0};
    int result = load(path, &bytes, error);
    if (result == 0)
        result = faults_load_memory(bytes.size ? bytes.bytes : "", bytes.size, path, out, error);
    buffer_fini(&bytes);
    return result;
}

int faults_lint(const char *path, findings_visit *found, void *closure, struct tally_error *error)
{
    struct buffer bytes = {0};
    int result = load(path, &bytes, error);
    if (result == 0)
        result = faults_lint_memory(bytes.size ? bytes.bytes : "", bytes.size, path, found, closure,
                                    error);
    buffer_fini(&bytes);
    return result;
}

bool faults_is_script(const char *path)
{
    struct buffer bytes = {0};
    struct tree tree;
    struct tally_error error;
    bool is = load(path, &bytes, &error) == 0 && bytes.size && bytes.size <= FILE_BYTES_MAX &&
              tree_init(&tree, bytes.bytes, bytes.size, path, "", &error) == 0;
    if (is) {
        is = tree_has(&tree, "faults") && !tree_has(&tree, "phases");
        tree_fini(&tree);
    }
    buffer_fini(&bytes);
    return is;
}

void faults_script_free(struct faults_script *script)
{
    if (!script)
        return;
    free(script->faults);
    free(script->file);
    free(script);
}
