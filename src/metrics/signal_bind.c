/* SPDX-License-Identifier: MIT */
/* Makes the sets of each chipset from the contents of a file: chooses the signals, resolves
 * selectors, and translates equations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/chipset.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/nearest.h"
#include "metrics/infix.h"
#include "metrics/signal_plan.h"
#include "metrics/signal_sets.h"
#include "nvidia/selectors.h"

/* A set of one chipset while it is made. */
struct binding {
    struct yaml *yaml;
    const struct set_contents *contents;
    const struct tally_chipset *chipset;
    struct arena *arena;
    struct tally_metric_signal signals[TALLY_SET_SIGNALS];
    struct tally_counter counters[SET_COUNTERS_MAX];
    struct tally_metric_set set;
    bool broken; /* out of memory */
};

/* ---- selectors ------------------------------------------------------------------------------- */

static void unknown_selector(struct binding *binding, const struct file_signal *signal,
                             const char *name)
{
    const char *names[64];
    size_t count = 0;
    const struct nvidia_selector *each;
    for (size_t i = 0; (each = nvidia_selector_at(i)) && count < ARRAY_COUNT(names); i++)
        if (nvidia_selector_has(each, binding->chipset))
            names[count++] = each->name;
    const char *nearest = nearest_word(name, names, count);
    sets_mistake(binding->yaml, signal->line, "%s has no selector \"%s\"%s%s",
                 binding->chipset->title, name, nearest ? ", expected " : "",
                 nearest ? nearest : "");
}

/* Reads "PROP=0x16", a value of the fields; the enable bit is set too. "PROP=off" clears it. */
static bool read_selector(struct binding *binding, const struct file_signal *signal, char *word,
                          struct tally_selector_write *out)
{
    char *equals = strchr(word, '='), *end;
    if (!equals || !equals[1]) {
        sets_mistake(binding->yaml, signal->line, "select \"%s\": expected NAME=VALUE", word);
        return false;
    }
    *equals = '\0';
    const struct nvidia_selector *selector = nvidia_selector_find(binding->chipset, word);
    if (!selector) {
        unknown_selector(binding, signal, word);
        return false;
    }
    bool off = !strcmp(equals + 1, "off");
    errno = 0;
    unsigned long long value = off ? 0 : strtoull(equals + 1, &end, 0);
    if (!off && (errno || *end || value & ~(unsigned long long)selector->mask)) {
        sets_mistake(binding->yaml, signal->line,
                     "select %s=%s: expected a value of the mask 0x%08x, or off", word, equals + 1,
                     selector->mask);
        return false;
    }
    *out = (struct tally_selector_write){
        .address = selector->address,
        .mask = selector->mask | selector->enable,
        .value = (uint32_t)value | (off ? 0 : selector->enable),
        .stride = selector->stride,
    };
    return true;
}

static void read_selectors(struct binding *binding, const struct file_signal *from,
                           struct tally_metric_signal *to)
{
    struct tally_selector_write writes[SELECTORS_MAX];
    char text[256], *rest = text;
    size_t count = 0;
    snprintf(text, sizeof text, "%s", from->select);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        if (count == SELECTORS_MAX) {
            sets_mistake(binding->yaml, from->line, "more than %d selectors", SELECTORS_MAX);
            break;
        }
        count += read_selector(binding, from, word, &writes[count]);
    }
    to->selector_count = count;
    to->selectors = arena_copy(binding->arena, writes, count * sizeof *writes);
    binding->broken |= !to->selectors;
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Returns the variant of a signal for the chipset, or NULL. */
static const struct file_signal *find_signal(const struct binding *binding, const char *symbol)
{
    chipset_mask bit = UINT64_C(1) << (binding->chipset->order - 1);
    for (size_t i = 0; i < binding->contents->signal_count; i++) {
        const struct file_signal *signal = &binding->contents->signals[i];
        if ((signal->chipsets & bit) && !strcmp(signal->symbol, symbol))
            return signal;
    }
    return NULL;
}

static void add_signal(struct binding *binding, const struct file_signal *from,
                       const struct file_set *set)
{
    if (metric_set_signal(&binding->set, from->symbol) >= 0)
        return;
    if (binding->set.signal_count == TALLY_SET_SIGNALS) {
        sets_mistake(binding->yaml, set->line, "set %s uses more than %d signals", set->symbol,
                     TALLY_SET_SIGNALS);
        return;
    }
    struct tally_metric_signal *to = &binding->signals[binding->set.signal_count++];
    *to = (struct tally_metric_signal){
        .symbol = from->symbol,
        .expression = from->expression,
        .domain = from->domain,
        .line = from->line,
    };
    read_selectors(binding, from, to);
}

/* Adds the signals that an equation names. */
static void add_signals(struct binding *binding, const char *formula, const struct file_set *set)
{
    char name[64];
    while (infix_next_name(&formula, name, sizeof name)) {
        const struct file_signal *signal = find_signal(binding, name);
        if (signal)
            add_signal(binding, signal, set);
    }
}

/* ---- equations ------------------------------------------------------------------------------- */

static void translate(struct binding *binding, struct tally_counter *counter, struct buffer *rpn)
{
    enum tally_data_type type;
    struct tally_error error;
    rpn->size = 0;
    int result = infix_translate(counter->formula, &binding->set, rpn, &type, &error);
    if (result == -EBADMSG)
        sets_mistake(binding->yaml, counter->line, "%s: equation in the set %s: %s",
                     counter->symbol, binding->set.symbol, error.message);
    buffer_char(rpn, '\0');
    const char *equation =
        result == -ENOMEM || rpn->broken ? NULL : arena_text(binding->arena, rpn->bytes);
    counter->equation = equation ? equation : "";
    binding->broken |= !equation;
}

static void translate_all(struct binding *binding)
{
    struct buffer rpn = {0};
    for (size_t i = 0; i < binding->set.counter_count && !binding->broken; i++)
        translate(binding, &binding->counters[i], &rpn);
    buffer_fini(&rpn);
}

/* Checks each equation once, with all signals and counters of the file. */
static bool check_equations(struct yaml *yaml, const struct set_contents *contents)
{
    struct tally_metric_signal *signals = calloc(contents->signal_count + 1, sizeof *signals);
    struct tally_counter *counters = calloc(contents->counter_count + 1, sizeof *counters);
    struct buffer rpn = {0};
    struct tally_error error;
    bool done = signals && counters;
    for (size_t i = 0; done && i < contents->signal_count; i++)
        signals[i].symbol = contents->signals[i].symbol;
    for (size_t i = 0; done && i < contents->counter_count; i++)
        counters[i] = contents->counters[i].counter;
    const struct tally_metric_set all = {.signals = signals,
                                         .signal_count = contents->signal_count,
                                         .counters = counters,
                                         .counter_count = contents->counter_count};
    for (size_t i = 0; done && i < contents->counter_count; i++) {
        enum tally_data_type type;
        rpn.size = 0;
        int result = infix_translate(counters[i].formula, &all, &rpn, &type, &error);
        if (result == -EBADMSG)
            sets_mistake(yaml, counters[i].line, "%s: equation: %s", counters[i].symbol,
                         error.message);
        done = result != -ENOMEM;
    }
    buffer_fini(&rpn);
    free(signals);
    free(counters);
    return done;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static bool add_set(struct binding *binding, struct tally_metric_file *file)
{
    struct tally_metric_set *set = &binding->set;
    set->signals =
        arena_copy(&file->arena, binding->signals, set->signal_count * sizeof *binding->signals);
    set->counters =
        arena_copy(&file->arena, binding->counters, set->counter_count * sizeof *binding->counters);
    struct tally_metric_set *sets =
        array_grow(file->sets, &file->set_capacity, file->set_count, sizeof *sets);
    if (sets)
        file->sets = sets;
    if (!sets || !set->signals || !set->counters)
        return false;
    sets[file->set_count++] = *set;
    return true;
}

/* Makes a set of a chipset from those of its counters that the chipset has. */
static bool bind_set(struct binding *binding, const struct file_set *from,
                     struct tally_metric_file *file)
{
    const struct set_contents *contents = binding->contents;
    chipset_mask bit = UINT64_C(1) << (binding->chipset->order - 1);
    binding->set = (struct tally_metric_set){
        .symbol = from->symbol,
        .name = from->name,
        .chipset = binding->chipset->name,
        .uuid = "",
        .oa_format = "",
        .file = file->path,
        .line = from->line,
        .counters = binding->counters,
        .signals = binding->signals,
        .modelled = contents->modelled,
    };
    for (unsigned i = 0; i < from->counter_count; i++)
        if (contents->counters[from->counters[i]].chipsets & bit)
            binding->counters[binding->set.counter_count++] =
                contents->counters[from->counters[i]].counter;
    size_t mistakes = binding->yaml->findings.count;
    for (size_t i = 0; i < binding->set.counter_count; i++)
        add_signals(binding, binding->counters[i].formula, from);
    if (binding->set.counter_count && !binding->set.signal_count)
        sets_mistake(binding->yaml, from->line, "set %s uses no signals on %s", from->symbol,
                     binding->chipset->title);
    if (binding->yaml->findings.count == mistakes)
        translate_all(binding);
    if (binding->yaml->findings.count != mistakes)
        return !binding->broken;
    uint64_t exposed[SET_COUNTERS_MAX];
    if (binding->broken || signal_set_exposed(&binding->set, binding->signals, exposed) < 0)
        return false;
    return !binding->set.counter_count || add_set(binding, file);
}

bool signal_sets_bind(struct yaml *yaml, const struct set_contents *contents,
                      struct tally_metric_file *file)
{
    struct binding *binding = calloc(1, sizeof *binding);
    bool done = binding && check_equations(yaml, contents);
    size_t counters = 0;
    const struct tally_chipset *chipset;
    /* Mistakes of one chipset are likely those of all. */
    for (size_t c = 0; done && !yaml->findings.count && (chipset = tally_chipset_at(c)); c++) {
        if (!(contents->chipsets >> (chipset->order - 1) & 1))
            continue;
        for (size_t s = 0; done && s < contents->set_count; s++) {
            counters += contents->sets[s].counter_count;
            if (counters > EXPANDED_MAX) {
                sets_mistake(yaml, contents->sets[s].line,
                             "more than %d counters in the sets of all chipsets", EXPANDED_MAX);
                free(binding);
                return true;
            }
            *binding = (struct binding){
                .yaml = yaml, .contents = contents, .chipset = chipset, .arena = &file->arena};
            done = bind_set(binding, &contents->sets[s], file);
        }
    }
    free(binding);
    return done;
}
