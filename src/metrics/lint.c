/* SPDX-License-Identifier: MIT */
/* Finds errors and likely mistakes in a metric set. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/names.h"
#include "base/uuid.h"
#include "intel/platforms.h"
#include "intel/registers.h"
#include "metrics/ranges.h"
#include "metrics/signal_plan.h"

/* Maximum number of cycles found in a set. Each is broken up before the next one is searched. */
#define CYCLES_MAX 16

struct lint {
    const struct tally_metric_set *set;
    const struct tally_platform *platform; /* NULL: unknown */

    /* Arrays with an element for each counter. */
    struct counter_equations *equations; /* without nodes if they could not be parsed */
    uint32_t *order;
    struct name *symbols;  /* sorted */
    uint32_t *same_symbol; /* first counter with this symbol, which may be the counter itself */
    uint32_t *same_name;   /* first counter with this name */
    struct range_model model;

    void (*found)(void *closure, enum tally_lint_severity severity, unsigned line,
                  const char *message);
    void *closure;
    struct buffer message;
    int errors;

    /* Counters that divide by clocks or time. */
    size_t by_clocks; /* their number */
    const struct tally_counter *first_by_clocks;
    const char *first_attribute;
    char first_divisor[80];
};

/* Reports a text about a counter or signal (NULL: about the set) as one line. */
static void put_finding(struct lint *lint, enum tally_lint_severity severity, unsigned line,
                        const char *symbol, const char *attribute, const char *what)
{
    struct buffer *message = &lint->message;
    message->size = 0;
    escape_put(message, lint->set->symbol, SIZE_MAX);
    if (symbol) {
        buffer_char(message, '.');
        escape_put(message, symbol, SIZE_MAX);
    }
    buffer_printf(message, " %s: ", attribute);
    escape_put(message, what, SIZE_MAX);
    buffer_char(message, '\0');
    lint->errors += severity == TALLY_LINT_ERROR;
    if (!message->broken)
        lint->found(lint->closure, severity, line, message->bytes);
}

/* Formats and reports a finding about a counter (NULL: about the set). */
__attribute__((format(printf, 5, 6))) static void
report(struct lint *lint, enum tally_lint_severity severity, const struct tally_counter *counter,
       const char *attribute, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    put_finding(lint, severity, counter ? counter->line : lint->set->line,
                counter ? counter->symbol : NULL, attribute, what);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_identifier(const char *text)
{
    if (!is_letter(*text))
        return false;
    while (is_letter(*text) || (*text >= '0' && *text <= '9'))
        text++;
    return *text == '\0';
}

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(text, list[i]))
            return true;
    return false;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* Returns the platform whose name is a prefix of the chipset; of several, the longest. */
static const struct tally_platform *platform_of(const char *chipset)
{
    const struct tally_platform *best = NULL, *platform;
    for (size_t i = 0; (platform = tally_platform_at(i)); i++) {
        size_t size = strlen(platform->name);
        if (!strncasecmp(platform->name, chipset, size) && (!best || size > strlen(best->name)))
            best = platform;
    }
    return best;
}

static int find_duplicates(struct lint *lint)
{
    const struct tally_metric_set *set = lint->set;
    struct name *names = calloc(set->counter_count + 1, sizeof *names);
    lint->symbols = symbols_new(set);
    if (!names || !lint->symbols) {
        free(names);
        return -ENOMEM;
    }
    names_first(lint->symbols, set->counter_count, strcmp, lint->same_symbol);
    for (size_t i = 0; i < set->counter_count; i++)
        names[i] = (struct name){set->counters[i].name, (uint32_t)i};
    names_sort(names, set->counter_count, strcmp);
    names_first(names, set->counter_count, strcmp, lint->same_name);
    free(names);
    return 0;
}

static void check_names(struct lint *lint, size_t index)
{
    static const char *const units[] = {
        "bytes",
        "cycles",
        "events",
        "gbps",
        "hz",
        "messages",
        "ns",
        "number",
        "percent",
        "pixels",
        "texels",
        "threads",
        "us",
        "utilization",
        "eu atomic requests to l3 cache lines",
        "eu bytes per l3 cache line",
        "eu requests to l3 cache lines",
        "eu sends to l3 cache lines",
    };
    static const char *const semantics[] = {"event", "duration", "throughput", "ratio"};
    const struct tally_counter *counters = lint->set->counters, *counter = &counters[index];
    const struct tally_counter *first = &counters[lint->same_symbol[index]];
    if (!is_identifier(counter->symbol))
        report(lint, TALLY_LINT_ERROR, counter, "symbol_name",
               "\"%.80s\" is not a valid symbol, expected letters, digits and _", counter->symbol);
    if (first != counter)
        report(lint, TALLY_LINT_ERROR, counter, "symbol_name",
               "also the symbol of the counter in line %u, expected a unique symbol", first->line);
    first = &counters[lint->same_name[index]];
    if (first != counter)
        report(lint, TALLY_LINT_WARNING, counter, "name",
               "\"%.80s\" is also the name of %.80s (line %u), expected a unique name",
               counter->name, first->symbol, first->line);
    if (!is_one_of(counter->units, units, ARRAY_COUNT(units)))
        report(lint, TALLY_LINT_WARNING, counter, "units",
               "unknown units \"%.80s\", expected one like percent, cycles, events, ns, bytes",
               counter->units);
    if (*counter->semantic && !is_one_of(counter->semantic, semantics, ARRAY_COUNT(semantics)))
        report(lint, TALLY_LINT_WARNING, counter, "semantic_type",
               "unknown semantic type \"%.80s\", expected event, duration, throughput or ratio",
               counter->semantic);
}

/* Parses an equation, which may be empty. Reports syntax errors, and leaves *out without nodes
 * then. Returns 0 or -ENOMEM. */
static int parse(struct lint *lint, const struct tally_counter *counter, const char *attribute,
                 const char *text, struct equation *out)
{
    struct tally_error error = {0};
    int result = *text ? equation_parse_by(text, lint->set, lint->symbols, out, &error) : 0;
    if (result == -ENOMEM)
        return result;
    if (result < 0)
        report(lint, TALLY_LINT_ERROR, counter, attribute, "%s", error.message);
    return 0;
}

/* Checks that an availability uses only variables, since it is evaluated before there are reports.
 */
static void check_availability(struct lint *lint, const struct tally_counter *counter,
                               const char *attribute, const struct equation *equation)
{
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        if (node->op == OP_READ) {
            report(lint, TALLY_LINT_ERROR, counter, attribute,
                   "reads %s %u, expected only $Variables and numbers", source_names[node->source],
                   node->index);
            return;
        }
        if (node->op == OP_COUNTER) {
            report(lint, TALLY_LINT_ERROR, counter, attribute,
                   "refers to the counter $%.80s, expected only $Variables and numbers",
                   lint->set->counters[node->index].symbol);
            return;
        }
    }
}

static int parse_counter(struct lint *lint, size_t index)
{
    const struct tally_counter *counter = &lint->set->counters[index];
    struct counter_equations *equations = &lint->equations[index];
    int result = 0;
    if (is_blank(counter->equation))
        report(lint, TALLY_LINT_ERROR, counter, "equation", "empty, expected an equation");
    else
        result = parse(lint, counter, "equation", counter->equation, &equations->value);
    if (!result)
        result = parse(lint, counter, "max_equation", counter->max_equation, &equations->maximum);
    if (!result)
        result =
            parse(lint, counter, "availability", counter->availability, &equations->availability);
    check_availability(lint, counter, "availability", &equations->availability);
    return result;
}

/* Orders the counters. For each cycle, reports one of its counters and removes its equation, so
 * that the others can be checked. Returns 0, -ELOOP if cycles are left, or -ENOMEM. */
static int find_order(struct lint *lint)
{
    size_t count = lint->set->counter_count, at = 0;
    int result = -ELOOP;
    for (unsigned cycles = 0; result == -ELOOP && cycles <= CYCLES_MAX; cycles++) {
        result = counter_order(lint->equations, count, lint->order, &at);
        if (result != -ELOOP)
            break;
        report(lint, TALLY_LINT_ERROR, &lint->set->counters[at], "equation",
               "refers to itself through other counters, expected no cycle");
        equation_fini(&lint->equations[at].value);
    }
    return result;
}

/* Returns whether a report layout of the platform has the raw counter of a READ. */
static bool has_raw_counter(const struct tally_platform *platform, const struct node *read)
{
    const struct tally_layout *layout;
    for (size_t i = 0; (layout = tally_layout_at(i)); i++)
        if (!strcmp(layout->family, platform->layout_family) && read_slot(layout, read) >= 0)
            return true;
    return false;
}

static bool needs_query_mode(const struct equation *availability)
{
    for (size_t i = 0; i < availability->count; i++)
        if (!strcmp(availability->nodes[i].variable, "$QueryMode"))
            return true;
    return false;
}

/* Reports the first READ of a raw counter that no report layout of the platform has. */
static void check_reads(struct lint *lint, size_t index, const char *attribute,
                        const struct equation *equation)
{
    const struct tally_counter *counter = &lint->set->counters[index];
    for (size_t i = 0; i < equation->count; i++) {
        struct node node = equation->nodes[i];
        if (node.op != OP_READ)
            continue;
        const char *source = source_names[node.source];
        unsigned number = node.index, end = 0;
        if (node.source == SOURCE_PERFCNT) {
            if (needs_query_mode(&lint->equations[index].availability))
                continue;
            report(lint, TALLY_LINT_WARNING, counter, attribute,
                   "reads PERFCNT %u, which is in no report, expected availability \"$QueryMode\"",
                   number);
            return;
        }
        if (!lint->platform || has_raw_counter(lint->platform, &node))
            continue;
        for (node.index = 0; node.index <= 255; node.index++)
            if (has_raw_counter(lint->platform, &node))
                end = node.index + 1;
        if (end)
            report(lint, TALLY_LINT_WARNING, counter, attribute,
                   "reads %s %u, which is in no report of %s, expected %s 0 to %u", source, number,
                   lint->platform->title, source, end - 1);
        else
            report(lint, TALLY_LINT_WARNING, counter, attribute,
                   "reads %s %u, but reports of %s have no %s", source, number,
                   lint->platform->title, source);
        return;
    }
}

/* Formats the subexpression that ends at node `last`, as in the file. Its nodes are consecutive.
 * Returns `text`. */
static char *operand_text(const struct lint *lint, const struct equation *equation, size_t last,
                          char *text, size_t size)
{
    size_t first = last, used = 0;
    while (equation->nodes[first].op >= OP_UADD)
        first = equation->nodes[first].left;
    for (size_t i = first; i <= last && used < size; i++) {
        const struct node *node = &equation->nodes[i];
        const char *space = i > first ? " " : "";
        char *to = text + used;
        size_t left = size - used;
        int more;
        if (node->op == OP_NUMBER_U)
            more = snprintf(to, left, "%s%llu", space, (unsigned long long)node->number.u);
        else if (node->op == OP_NUMBER_F)
            more = snprintf(to, left, "%s%g", space, node->number.f);
        else if (node->op == OP_READ)
            more =
                snprintf(to, left, "%s%s %u READ", space, source_names[node->source], node->index);
        else if (node->op == OP_VARIABLE)
            more = snprintf(to, left, "%s%s", space, node->variable);
        else if (node->op == OP_COUNTER)
            more = snprintf(to, left, "%s$%.60s", space, lint->set->counters[node->index].symbol);
        else
            more = snprintf(to, left, "%s%s", space, op_names[node->op]);
        used += more > 0 ? (size_t)more : 0;
    }
    if (used >= size)
        memcpy(text + size - 4, "...", 4);
    return text;
}

/* Reports divisions by values that can be 0, and subtractions that can wrap around. Returns whether
 * the equation divides by clocks or time, which check_values() reports once per set. */
static bool check_arithmetic(struct lint *lint, const struct tally_counter *counter,
                             const char *attribute, const struct equation *equation)
{
    const struct range *ranges = range_equation(&lint->model, equation);
    bool by_clocks = false;
    char text[80];
    for (size_t i = 0; i < equation->count; i++) {
        size_t right = equation->nodes[i].right;
        if (ranges[i].wraps)
            report(lint, TALLY_LINT_NOTE, counter, attribute,
                   "\"%s\" can be negative, and then wraps around to a huge number",
                   operand_text(lint, equation, i, text, sizeof text));
        switch ((enum range_divisor)ranges[i].divisor) {
        case DIVISOR_ZERO:
            report(lint, TALLY_LINT_ERROR, counter, attribute,
                   "divides by \"%s\", which is always 0",
                   operand_text(lint, equation, right, text, sizeof text));
            break;
        case DIVISOR_MAYBE:
            if (equation->nodes[i].op == OP_RATIO)
                break; /* the value is then not defined, which is documented */
            report(lint, TALLY_LINT_WARNING, counter, attribute,
                   "divides by \"%s\", which can be 0 (then the result is 0)",
                   operand_text(lint, equation, right, text, sizeof text));
            break;
        case DIVISOR_CLOCKS:
            if (equation->nodes[i].op == OP_RATIO)
                break;
            if (!lint->first_by_clocks) {
                lint->first_by_clocks = counter;
                lint->first_attribute = attribute;
                operand_text(lint, equation, right, lint->first_divisor,
                             sizeof lint->first_divisor);
            }
            by_clocks = true;
            break;
        case DIVISOR_NONE:
        case DIVISOR_NEVER:
            break;
        }
    }
    return by_clocks;
}

static void check_percent(struct lint *lint, size_t index)
{
    const struct tally_counter *counter = &lint->set->counters[index];
    const struct range *range = &lint->model.counters[index];
    bool grows = false, shrinks = false;
    char text[120];
    if (strcasecmp(counter->units, "percent") != 0 || !lint->equations[index].value.count)
        return;
    if (!*counter->max_equation && !lint->set->signal_count)
        report(lint, TALLY_LINT_NOTE, counter, "max_equation", "empty, expected 100 for percent");
    for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
        grows |= range->powers[unit] > 0;
        shrinks |= range->powers[unit] < 0;
    }
    const double limit = 100 * (1 + 1e-9); /* tolerates rounding errors of the bounds */
    if (range->high <= limit || (!grows && range->scale <= limit))
        return;
    range_bound_text(range, text, sizeof text);
    if (isinf(range->scale))
        report(lint, TALLY_LINT_NOTE, counter, "equation",
               "can exceed 100 percent: the equation has no upper bound");
    else if (range->loose || shrinks)
        report(lint, TALLY_LINT_NOTE, counter, "equation",
               "may exceed 100 percent: the only known bound is %s", text);
    else
        report(lint, TALLY_LINT_WARNING, counter, "equation", "can exceed 100 percent: up to %s",
               text);
}

static void check_values(struct lint *lint)
{
    for (size_t i = 0; i < lint->set->counter_count; i++) {
        const struct tally_counter *counter = &lint->set->counters[i];
        const struct counter_equations *equations = &lint->equations[i];
        check_reads(lint, i, "equation", &equations->value);
        check_reads(lint, i, "max_equation", &equations->maximum);
        if (!lint->model.nodes)
            continue;
        bool by_clocks = check_arithmetic(lint, counter, "equation", &equations->value);
        by_clocks |= check_arithmetic(lint, counter, "max_equation", &equations->maximum);
        lint->by_clocks += by_clocks;
        check_percent(lint, i);
    }
    /* Nearly every counter divides by them, so this is reported once per set. */
    char others[48] = "";
    if (lint->by_clocks > 1)
        snprintf(others, sizeof others, ", also in %zu other counter%s", lint->by_clocks - 1,
                 lint->by_clocks > 2 ? "s" : "");
    if (lint->by_clocks)
        report(lint, TALLY_LINT_NOTE, lint->first_by_clocks, lint->first_attribute,
               "divides by \"%s\", which is 0 if no time passed (then the result is 0)%s",
               lint->first_divisor, others);
}

/* Reports a write that has no effect, and `more`, the number of further writes to the address.
 * read_only: the register there, or NULL if there is none. */
static void put_write(struct lint *lint, const struct tally_register_write *write, size_t more,
                      const struct reg_place *read_only)
{
    char what[224], name[64], others[48] = "";
    if (more)
        snprintf(others, sizeof others, ", %zu time%s more", more, more > 1 ? "s" : "");
    if (read_only)
        snprintf(what, sizeof what, "writes 0x%06" PRIx32 "%s, which is %s, read-only on %s",
                 write->address, others, reg_element_name(read_only, name, sizeof name),
                 lint->platform->title);
    else
        snprintf(what, sizeof what,
                 "writes 0x%06" PRIx32 "%s, where %s has no register, expected an address of tally "
                 "list registers --platform %s",
                 write->address, others, lint->platform->title, lint->platform->name);
    put_finding(lint, TALLY_LINT_WARNING, write->line, NULL, "register", what);
}

/* Reports writes to addresses without a writable register in the platform's model. The model
 * ignores them; the kernel rejects sets with addresses outside of its list. */
static void check_writes(struct lint *lint, const struct tally_register_config *config)
{
    const struct intel_platform *platform =
        lint->platform ? intel_platform_of(lint->platform) : NULL;
    if (!platform || !platform->oa)
        return;
    for (size_t i = 0, next; i < config->write_count; i = next) {
        const struct tally_register_write *write = &config->writes[i];
        struct reg_place place;
        bool found = intel_register_find(platform->revision, write->address, REG_WRITE, &place);
        for (next = i + 1; next < config->write_count; next++)
            if (config->writes[next].address != write->address)
                break;
        if (!found || !(place.reg->access & REG_WRITE))
            put_write(lint, write, next - i - 1, found ? &place : NULL);
    }
}

static int check_configs(struct lint *lint)
{
    int result = 0;
    for (size_t i = 0; i < lint->set->config_count && !result; i++) {
        struct equation availability = {0};
        const char *attribute = "register_config availability";
        result = parse(lint, NULL, attribute, lint->set->configs[i].availability, &availability);
        check_availability(lint, NULL, attribute, &availability);
        equation_fini(&availability);
        check_writes(lint, &lint->set->configs[i]);
    }
    return result;
}

/* Reports a finding of signal_set_check(). */
static void put_signal(void *closure, enum tally_lint_severity severity, unsigned line,
                       const char *symbol, const char *attribute, const char *what)
{
    put_finding(closure, severity, line, symbol, attribute, what);
}

static int check_set(struct lint *lint)
{
    const struct tally_metric_set *set = lint->set;
    size_t count = set->counter_count;
    lint->equations = calloc(count + 1, sizeof *lint->equations);
    lint->order = calloc(count + 1, sizeof *lint->order);
    lint->same_symbol = calloc(count + 1, sizeof *lint->same_symbol);
    lint->same_name = calloc(count + 1, sizeof *lint->same_name);
    if (!lint->equations || !lint->order || !lint->same_symbol || !lint->same_name)
        return -ENOMEM;
    if (!is_identifier(set->symbol))
        report(lint, TALLY_LINT_ERROR, NULL, "symbol_name",
               "\"%.80s\" is not a valid symbol, expected letters, digits and _", set->symbol);
    if (!set->signal_count && !is_uuid(set->uuid, strlen(set->uuid)))
        report(lint, TALLY_LINT_ERROR, NULL, "hw_config_guid",
               "\"%.80s\" is not a UUID, expected 36 characters like "
               "403d8832-1a27-4aa6-a64e-f5389ce7b212",
               set->uuid);
    if (!set->signal_count && !lint->platform)
        report(lint, TALLY_LINT_NOTE, NULL, "chipset",
               "unknown platform \"%.80s\": reads of raw counters are not checked", set->chipset);
    int result = check_configs(lint);
    if (!result)
        result = find_duplicates(lint);
    for (size_t i = 0; i < count && !result; i++) {
        check_names(lint, i);
        result = parse_counter(lint, i);
    }
    if (!result)
        result = find_order(lint);
    if (!result)
        result = range_model_init(&lint->model, set, lint->platform, lint->equations, lint->order);
    if (result != -ENOMEM)
        check_values(lint);
    if (result != -ENOMEM && set->signal_count)
        result = signal_set_check(set, put_signal, lint);
    return result == -ENOMEM || lint->message.broken ? -ENOMEM : 0;
}

int tally_lint(const struct tally_metric_set *set,
               void (*found)(void *closure, enum tally_lint_severity severity, unsigned line,
                             const char *message),
               void *closure)
{
    struct lint lint = {
        .set = set, .platform = platform_of(set->chipset), .found = found, .closure = closure};
    int result = check_set(&lint);
    for (size_t i = 0; lint.equations && i < set->counter_count; i++) {
        equation_fini(&lint.equations[i].value);
        equation_fini(&lint.equations[i].maximum);
        equation_fini(&lint.equations[i].availability);
    }
    free(lint.equations);
    free(lint.order);
    free(lint.symbols);
    free(lint.same_symbol);
    free(lint.same_name);
    range_model_fini(&lint.model);
    buffer_fini(&lint.message);
    return result < 0 ? result : lint.errors;
}
