/* SPDX-License-Identifier: MIT */
/* Reads files of NVIDIA's metric sets: the schema, and what the file says of each signal, counter
 * and set. signal_bind.c makes sets of them. */
#include "metrics/signal_sets.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <tally/chipset.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/nearest.h"
#include "metrics/infix.h"

/* ---- the schema ------------------------------------------------------------------------------ */

struct raw_signal {
    char *symbol, *expression, *domain, *select, *chipsets;
};

struct raw_counter {
    char *symbol, *name, *group, *units, *semantic, *description, *equation;
};

struct raw_set {
    char *symbol, *name, *counters;
};

struct raw_file {
    char *chipsets, *gpus;
    struct raw_signal *signals;
    struct raw_counter *counters;
    struct raw_set *sets;
    unsigned signals_count, counters_count, sets_count;
};

// clang-format off
static const cyaml_schema_field_t signal_fields[] = {
    YAML_TEXT("symbol", raw_signal, symbol, 63),
    YAML_TEXT("expression", raw_signal, expression, 500),
    YAML_TEXT("domain", raw_signal, domain, 8),
    YAML_TEXT("select", raw_signal, select, 200),
    YAML_TEXT("chipsets", raw_signal, chipsets, 400),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t signal_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_signal, signal_fields),
};

static const cyaml_schema_field_t counter_fields[] = {
    YAML_TEXT("symbol", raw_counter, symbol, 63),
    YAML_TEXT("name", raw_counter, name, 80),
    YAML_TEXT("group", raw_counter, group, 80),
    YAML_TEXT("units", raw_counter, units, 40),
    YAML_TEXT("semantic", raw_counter, semantic, 40),
    YAML_TEXT("description", raw_counter, description, 400),
    YAML_TEXT("equation", raw_counter, equation, 500),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t counter_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_counter, counter_fields),
};

static const cyaml_schema_field_t set_fields[] = {
    YAML_TEXT("symbol", raw_set, symbol, 63),
    YAML_TEXT("name", raw_set, name, 80),
    YAML_TEXT("counters", raw_set, counters, 4000),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t set_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_set, set_fields),
};

static const cyaml_schema_field_t file_fields[] = {
    YAML_TEXT("chipsets", raw_file, chipsets, 600),
    YAML_TEXT("gpus", raw_file, gpus, 40),
    CYAML_FIELD_SEQUENCE("signals", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_file, signals,
                         &signal_schema, 0, FILE_SIGNALS_MAX),
    CYAML_FIELD_SEQUENCE("counters", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_file, counters,
                         &counter_schema, 0, FILE_COUNTERS_MAX),
    CYAML_FIELD_SEQUENCE("sets", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_file, sets,
                         &set_schema, 0, FILE_SETS_MAX),
    CYAML_FIELD_END
};

static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_file, file_fields),
};
// clang-format on

/* ---- mistakes and texts ---------------------------------------------------------------------- */

struct reading {
    struct yaml *yaml;
    struct set_contents *contents;
    bool broken; /* out of memory */
};

/* Returns the line of a key of an entry of a list of the root; key NULL: of the entry. */
static unsigned line_at(const struct yaml *yaml, const char *list, size_t index, const char *key)
{
    const struct tree_step step = {list, (ptrdiff_t)index};
    return tree_line(&yaml->tree, &step, 1, key);
}

void sets_mistake(struct yaml *yaml, unsigned line, const char *format, ...)
{
    char message[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    findings_add(&yaml->findings, line, message);
}

static const char *keep(struct reading *reading, const char *text)
{
    const char *kept = arena_text(reading->contents->arena, text ? text : "");
    reading->broken |= !kept;
    return kept ? kept : "";
}

/* Keeps a text that must not be missing. */
static const char *need(struct reading *reading, const char *list, size_t index, const char *key,
                        const char *text)
{
    if (!text || !text[strspn(text, " ")])
        sets_mistake(reading->yaml, line_at(reading->yaml, list, index, NULL),
                     "no %s, expected one in each of the %s", key, list);
    return keep(reading, text);
}

/* Keeps a symbol, which must be valid. */
static const char *need_symbol(struct reading *reading, const char *list, size_t index,
                               const char *text)
{
    const char *symbol = need(reading, list, index, "symbol", text);
    if (*symbol && !is_symbol(symbol))
        sets_mistake(reading->yaml, line_at(reading->yaml, list, index, "symbol"),
                     "symbol \"%s\": expected letters, digits and _, not beginning with a digit",
                     symbol);
    return symbol;
}

/* Copies the next word of a text of words separated by blanks. Returns false at the end. */
static bool next_word(const char **text, char *word, size_t size)
{
    *text += strspn(*text, " ");
    size_t length = strcspn(*text, " ");
    snprintf(word, size, "%.*s", (int)length, *text);
    *text += length;
    return length != 0;
}

/* ---- chipsets -------------------------------------------------------------------------------- */

static const struct tally_chipset *find_chipset(struct yaml *yaml, unsigned line, const char *name)
{
    const struct tally_chipset *chipset = tally_chipset_find(name);
    const char *names[64];
    size_t count = 0;
    if (!chipset) {
        for (const struct tally_chipset *each;
             count < ARRAY_COUNT(names) && (each = tally_chipset_at(count)); count++)
            names[count] = each->name;
        const char *nearest = nearest_word(name, names, count);
        sets_mistake(yaml, line, "unknown chipset \"%s\"%s%s (see tally list chipsets)", name,
                     nearest ? ", expected " : "", nearest ? nearest : "");
    } else if (chipset->presence == TALLY_ABSENT) {
        sets_mistake(yaml, line, "%s has no PCOUNTER", chipset->title);
    }
    return chipset;
}

static chipset_mask mask_below(unsigned order)
{
    return (UINT64_C(1) << (order - 1)) - 1;
}

/* Reads "g80 g84:g200": names, and ranges from the first chipset to the last one, exclusive. */
static chipset_mask read_chipsets(struct yaml *yaml, unsigned line, const char *text)
{
    chipset_mask mask = 0;
    char word[32];
    while (next_word(&text, word, sizeof word)) {
        char *colon = strchr(word, ':');
        if (colon)
            *colon = '\0';
        const struct tally_chipset *first = find_chipset(yaml, line, word);
        const struct tally_chipset *end = colon ? find_chipset(yaml, line, colon + 1) : NULL;
        if (!first || (colon && !end))
            continue;
        if (end && end->order <= first->order)
            sets_mistake(yaml, line, "chipsets %s:%s: expected an earlier and a later one", word,
                         colon + 1);
        else
            mask |= end ? mask_below(end->order) & ~mask_below(first->order)
                        : UINT64_C(1) << (first->order - 1);
    }
    return mask;
}

/* ---- signals --------------------------------------------------------------------------------- */

static int read_domain(struct yaml *yaml, size_t index, const char *text)
{
    int domain = text ? tally_domain_find(text) : -1;
    if (text && domain < 0)
        sets_mistake(yaml, line_at(yaml, "signals", index, "domain"),
                     "domain \"%s\": expected 0 to 7, or GPC, PART or HUB and 0 to 7", text);
    return domain < 0 ? -1 : domain;
}

/* Entries of one symbol are variants, for different chipsets. */
static void check_variants(struct yaml *yaml, const struct set_contents *contents)
{
    const struct file_signal *last = &contents->signals[contents->signal_count - 1];
    for (const struct file_signal *other = contents->signals; other < last; other++)
        if (!strcmp(other->symbol, last->symbol) && (other->chipsets & last->chipsets))
            sets_mistake(yaml, last->line,
                         "signal %s is also in line %u, expected different chipsets", last->symbol,
                         other->line);
}

static void read_signals(struct reading *reading, const struct raw_file *raw)
{
    struct set_contents *contents = reading->contents;
    struct yaml *yaml = reading->yaml;
    for (size_t i = 0; i < raw->signals_count; i++) {
        const struct raw_signal *from = &raw->signals[i];
        struct file_signal *to = &contents->signals[contents->signal_count++];
        *to = (struct file_signal){
            .symbol = need_symbol(reading, "signals", i, from->symbol),
            .expression = need(reading, "signals", i, "expression", from->expression),
            .select = keep(reading, from->select),
            .domain = read_domain(yaml, i, from->domain),
            .chipsets = contents->chipsets,
            .line = line_at(yaml, "signals", i, NULL),
        };
        if (from->chipsets)
            to->chipsets &=
                read_chipsets(yaml, line_at(yaml, "signals", i, "chipsets"), from->chipsets);
        check_variants(yaml, contents);
    }
}

/* ---- counters -------------------------------------------------------------------------------- */

static ptrdiff_t find_counter(const struct set_contents *contents, const char *symbol)
{
    for (size_t i = 0; i < contents->counter_count; i++)
        if (!strcmp(contents->counters[i].counter.symbol, symbol))
            return (ptrdiff_t)i;
    return -ENOENT;
}

static chipset_mask chipsets_of_signal(const struct set_contents *contents, const char *symbol,
                                       bool *known)
{
    chipset_mask mask = 0;
    for (size_t i = 0; i < contents->signal_count; i++) {
        if (strcmp(contents->signals[i].symbol, symbol) != 0)
            continue;
        mask |= contents->signals[i].chipsets;
        *known = true;
    }
    return mask;
}

/* What a counter's equation refers to. */
struct links {
    bool counters[FILE_COUNTERS_MAX];
};

/* Finds the counters that an equation refers to, and restricts its counter to the chipsets that
 * have its signals. Unknown names are reported when equations are translated. */
static void link_counter(struct set_contents *contents, struct file_counter *counter,
                         struct links *links)
{
    const char *text = counter->counter.formula;
    char name[64];
    while (infix_next_name(&text, name, sizeof name)) {
        bool known = false;
        chipset_mask of_signal = chipsets_of_signal(contents, name, &known);
        ptrdiff_t other = known ? -ENOENT : find_counter(contents, name);
        if (known)
            counter->chipsets &= of_signal;
        else if (other >= 0)
            links->counters[other] = true;
    }
    counter->counter.type = infix_is_real(counter->counter.formula) ? TALLY_DOUBLE : TALLY_UINT64;
}

/* Makes a counter a double if one that it refers to is, and restricts it to the chipsets of these.
 * Returns whether it changed. */
static bool follow_links(struct set_contents *contents, struct file_counter *counter,
                         const struct links *links)
{
    enum tally_data_type type = counter->counter.type;
    chipset_mask mask = counter->chipsets;
    for (size_t i = 0; i < contents->counter_count; i++) {
        if (!links->counters[i])
            continue;
        counter->chipsets &= contents->counters[i].chipsets;
        if (contents->counters[i].counter.type == TALLY_DOUBLE)
            counter->counter.type = TALLY_DOUBLE;
    }
    return type != counter->counter.type || mask != counter->chipsets;
}

/* Finds the chipsets and types of all counters. Returns false if out of memory. */
static bool link_counters(struct set_contents *contents)
{
    struct links *links = calloc(contents->counter_count + 1, sizeof *links);
    bool changed = links != NULL;
    for (size_t i = 0; links && i < contents->counter_count; i++)
        link_counter(contents, &contents->counters[i], &links[i]);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < contents->counter_count; i++)
            changed |= follow_links(contents, &contents->counters[i], &links[i]);
    }
    bool done = links != NULL;
    free(links);
    return done;
}

static void check_symbol(struct yaml *yaml, const struct set_contents *contents, const char *symbol,
                         unsigned line)
{
    for (size_t i = 0; i < contents->signal_count; i++) {
        if (strcmp(contents->signals[i].symbol, symbol) != 0)
            continue;
        sets_mistake(yaml, line, "symbol %s is also a signal's (line %u), expected another", symbol,
                     contents->signals[i].line);
        return;
    }
    ptrdiff_t other = find_counter(contents, symbol);
    if (other >= 0)
        sets_mistake(yaml, line, "counter %s is also in line %u, expected a different symbol",
                     symbol, contents->counters[other].counter.line);
}

static void read_counters(struct reading *reading, const struct raw_file *raw)
{
    struct set_contents *contents = reading->contents;
    static const char list[] = "counters";
    for (size_t i = 0; i < raw->counters_count; i++) {
        const struct raw_counter *from = &raw->counters[i];
        unsigned line = line_at(reading->yaml, list, i, NULL);
        const char *symbol = need_symbol(reading, list, i, from->symbol);
        check_symbol(reading->yaml, contents, symbol, line);
        contents->counters[contents->counter_count++] = (struct file_counter){
            .counter =
                {
                    .symbol = symbol,
                    .name = need(reading, list, i, "name", from->name),
                    .description = need(reading, list, i, "description", from->description),
                    .units = need(reading, list, i, "units", from->units),
                    .semantic = keep(reading, from->semantic),
                    .group = need(reading, list, i, "group", from->group),
                    .equation = "",
                    .formula = need(reading, list, i, "equation", from->equation),
                    .max_equation = "",
                    .availability = "",
                    .line = line,
                },
            .chipsets = contents->chipsets,
        };
    }
    reading->broken |= !link_counters(contents);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static void add_counter(struct yaml *yaml, const struct set_contents *contents,
                        struct file_set *set, const char *symbol)
{
    ptrdiff_t index = find_counter(contents, symbol);
    if (index < 0) {
        const char *names[FILE_COUNTERS_MAX];
        for (size_t i = 0; i < contents->counter_count; i++)
            names[i] = contents->counters[i].counter.symbol;
        const char *nearest = nearest_word(symbol, names, contents->counter_count);
        sets_mistake(yaml, set->counters_line, "unknown counter \"%s\"%s%s", symbol,
                     nearest ? ", expected " : "", nearest ? nearest : "");
        return;
    }
    for (unsigned i = 0; i < set->counter_count; i++)
        if (set->counters[i] == index)
            sets_mistake(yaml, set->counters_line, "counter %s is listed twice", symbol);
    if (set->counter_count == SET_COUNTERS_MAX)
        sets_mistake(yaml, set->counters_line, "more than %d counters", SET_COUNTERS_MAX);
    else
        set->counters[set->counter_count++] = (uint16_t)index;
}

static void read_sets(struct reading *reading, const struct raw_file *raw)
{
    struct set_contents *contents = reading->contents;
    for (size_t i = 0; i < raw->sets_count; i++) {
        const struct raw_set *from = &raw->sets[i];
        struct file_set *set = &contents->sets[contents->set_count];
        *set = (struct file_set){
            .symbol = need_symbol(reading, "sets", i, from->symbol),
            .name = need(reading, "sets", i, "name", from->name),
            .line = line_at(reading->yaml, "sets", i, NULL),
            .counters_line = line_at(reading->yaml, "sets", i, "counters"),
        };
        const char *counters = need(reading, "sets", i, "counters", from->counters);
        char symbol[64];
        while (next_word(&counters, symbol, sizeof symbol))
            add_counter(reading->yaml, contents, set, symbol);
        for (size_t k = 0; k < contents->set_count; k++)
            if (!strcmp(contents->sets[k].symbol, set->symbol))
                sets_mistake(reading->yaml, set->line, "set %s is also in line %u", set->symbol,
                             contents->sets[k].line);
        contents->set_count++;
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool allocate(struct set_contents *contents, const struct raw_file *raw)
{
    contents->signals = calloc(raw->signals_count + 1, sizeof *contents->signals);
    contents->counters = calloc(raw->counters_count + 1, sizeof *contents->counters);
    contents->sets = calloc(raw->sets_count + 1, sizeof *contents->sets);
    return contents->signals && contents->counters && contents->sets;
}

static bool read_file(struct yaml *yaml, const void *from, void *out)
{
    static const struct raw_file empty;
    const struct raw_file *raw = from ? from : &empty;
    struct tally_metric_file *file = out;
    struct set_contents contents = {.arena = &file->arena};
    struct reading reading = {
        .yaml = yaml, .contents = &contents, .broken = !allocate(&contents, raw)};
    if (!reading.broken) {
        unsigned line = tree_line(&yaml->tree, NULL, 0, "chipsets");
        contents.chipsets = read_chipsets(yaml, line, raw->chipsets ? raw->chipsets : "");
        contents.modelled = raw->gpus;
        if (raw->gpus && strcmp(raw->gpus, "modelled") != 0)
            sets_mistake(yaml, tree_line(&yaml->tree, NULL, 0, "gpus"),
                         "gpus: \"%s\", expected modelled or no such key", raw->gpus);
        if (!contents.chipsets && !yaml->findings.count)
            sets_mistake(yaml, line, "no chipsets, expected names such as g92");
        read_signals(&reading, raw);
        read_counters(&reading, raw);
        read_sets(&reading, raw);
        if (!yaml->findings.count && !contents.set_count)
            sets_mistake(yaml, 1, "no sets, expected at least one");
    }
    bool done = !reading.broken;
    if (done && !yaml->findings.count) /* equations of wrong symbols would only repeat mistakes */
        done = signal_sets_bind(yaml, &contents, file);
    free(contents.signals);
    free(contents.counters);
    free(contents.sets);
    return done;
}

static const struct yaml_kind sets_kind = {
    .what = "metric sets",
    .schema = &file_schema,
    .no_aliases = true,
    .read = read_file,
};

int signal_sets_read(const struct yaml_source *source, struct tally_metric_file *file,
                     findings_visit *found, void *closure, struct tally_error *error)
{
    return yaml_read(&sets_kind, source, file, found, closure, error);
}

bool signal_sets_is(const char *path)
{
    return yaml_has(path, "chipsets", "phases");
}

int signal_sets_lint(const struct yaml_source *source, findings_visit *found, void *closure,
                     struct tally_error *error)
{
    struct tally_metric_file *file = calloc(1, sizeof *file);
    int errors = file ? signal_sets_read(source, file, found, closure, error)
                      : fail_memory(error, "a metric-set file");
    tally_metric_file_free(file);
    return errors;
}

bool is_yaml_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

bool chipsets_include(const char *chipsets, const char *name)
{
    const struct tally_chipset *wanted = tally_chipset_find(name);
    char word[32];
    while (wanted && next_word(&chipsets, word, sizeof word)) {
        char *colon = strchr(word, ':');
        if (colon)
            *colon = '\0';
        const struct tally_chipset *first = tally_chipset_find(word);
        const struct tally_chipset *end = colon ? tally_chipset_find(colon + 1) : NULL;
        if (first &&
            (end ? wanted->order >= first->order && wanted->order < end->order : wanted == first))
            return true;
    }
    return false;
}
