/* SPDX-License-Identifier: MIT */
/* tally find: everything that has a name, by words of its name or description. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <tally/metrics.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/expected.h"
#include "cli/chip.h"
#include "cli/input.h"
#include "cli/list.h"
#include "cli/unknown.h"
#include "intel/workload/units.h"
#include "sink/json.h"

enum kind { KIND_SET, KIND_COUNTER, KIND_REGISTER, KIND_FIELD, KIND_SIGNAL, KIND_UNIT, KINDS };

static const struct {
    const char *name, *heading;
} kinds[KINDS] = {
    [KIND_SET] = {"set", "Metric sets"},         [KIND_COUNTER] = {"counter", "Counters"},
    [KIND_REGISTER] = {"register", "Registers"}, [KIND_FIELD] = {"field", "Fields of registers"},
    [KIND_SIGNAL] = {"signal", "Signals"},       [KIND_UNIT] = {"unit", "Units of workloads"},
};

/* Something that was found. Texts that are not owned are those of tables and of the catalog. */
struct hit {
    enum kind kind;
    char *name;        /* owned */
    const char *about; /* what it is */
    const char *gpu;   /* a platform, SKU or chipset; "": any */
    char *more;        /* owned: a command that shows more */
    size_t order;
};

struct search {
    const struct arguments *arguments;
    bool any; /* everything matches */
    struct hit *hits;
    size_t count, capacity;
    int error; /* 0, or -ENOMEM */
};

/* Whether each word is in the name, the title or the description. */
static bool matches(const struct search *search, const char *name, const char *title,
                    const char *about)
{
    for (size_t i = 0; i < search->arguments->operand_count && !search->any; i++) {
        const char *word = search->arguments->operands[i];
        if (!strcasestr(name, word) && !strcasestr(title, word) && !strcasestr(about, word))
            return false;
    }
    return true;
}

__attribute__((format(printf, 6, 7))) static void add_hit(struct search *search, enum kind kind,
                                                          const char *name, const char *about,
                                                          const char *gpu, const char *more, ...)
{
    va_list list;
    struct hit hit = {kind, strdup(name), about, gpu, NULL, search->count};
    struct hit *grown =
        array_grow(search->hits, &search->capacity, search->count, sizeof *search->hits);
    va_start(list, more);
    if (vasprintf(&hit.more, more, list) < 0)
        hit.more = NULL;
    va_end(list);
    if (grown)
        search->hits = grown;
    if (!grown || !hit.name || !hit.more) {
        search->error = -ENOMEM;
        free(hit.name);
        free(hit.more);
        return;
    }
    search->hits[search->count++] = hit;
}

/* ---- metric sets ----------------------------------------------------------------------------- */

/* Finds the option that names the GPU of a set ("SKLGT2", "SKL", "g92"), and its value. Returns
 * false if it is none of the known ones. */
static bool name_gpu(const struct tally_metric_set *set, const char **option, const char **gpu)
{
    const struct tally_chipset *chipset = tally_chipset_find(set->chipset);
    const struct tally_sku *sku;
    *option = chipset ? "chipset" : "platform";
    *gpu = chipset ? chipset->name : set->chipset;
    if (chipset)
        return true;
    for (size_t i = 0; (sku = tally_sku_at(i)); i++)
        if (!strcasecmp(sku->chipset, set->chipset) || !strcasecmp(sku->platform, set->chipset)) {
            *gpu = sku->platform;
            return true;
        }
    return false;
}

static void search_set(struct search *search, const struct tally_metric_set *set)
{
    const char *option, *gpu;
    bool known = name_gpu(set, &option, &gpu);
    if (matches(search, set->symbol, set->name, ""))
        add_hit(search, KIND_SET, set->symbol, set->name, gpu,
                known ? "tally list counters %s --%s %s" : "tally list counters %s", set->symbol,
                option, gpu);
    for (size_t i = 0; i < set->counter_count; i++) {
        const struct tally_counter *counter = &set->counters[i];
        if (matches(search, counter->symbol, counter->name, counter->description))
            add_hit(search, KIND_COUNTER, counter->symbol,
                    *counter->description ? counter->description : counter->name, gpu,
                    known ? "tally explain %s.%s --%s %s" : "tally list counters %s", set->symbol,
                    counter->symbol, option, gpu);
    }
}

/* ---- registers and signals ------------------------------------------------------------------- */

static void search_fields(struct search *search, const struct chip *chip, const struct reg *reg,
                          const char *more)
{
    char name[128];
    for (const struct reg_field *field = reg->fields; field && field->name; field++) {
        const char *meaning = field->meaning ? field->meaning : "";
        snprintf(name, sizeof name, "%s.%s", reg->name, field->name);
        if (reg_field_exists(field, chip->revision, chip->domains) &&
            matches(search, name, meaning, ""))
            add_hit(search, KIND_FIELD, name, meaning, chip->name, "%s", more);
    }
}

static void search_chip(struct search *search, const struct chip *chip)
{
    const char *option = chip->chipset ? "chipset" : "platform";
    char more[160];
    for (unsigned m = 0; m < chip->map_count; m++)
        for (size_t i = 0; i < chip->maps[m]->count; i++) {
            const struct reg *reg = &chip->maps[m]->regs[i];
            const char *meaning = reg->meaning ? reg->meaning : "";
            if (!is_listed(chip, reg, NULL))
                continue;
            if (reg->dimensions[0].count)
                snprintf(more, sizeof more, "tally list registers %s --%s %s", reg->name, option,
                         chip->name);
            else
                snprintf(more, sizeof more, "tally explain %s:%s", chip->name, reg->name);
            if (matches(search, reg->name, meaning, ""))
                add_hit(search, KIND_REGISTER, reg->name, meaning, chip->name, "%s", more);
            search_fields(search, chip, reg, more);
        }
}

static void search_signals(struct search *search, const struct tally_chipset *chipset)
{
    struct tally_signal signal;
    for (size_t i = 0; tally_signal_at(chipset, i, &signal) == 0; i++) {
        const char *note = signal.note && *signal.note ? signal.note : signal.alias;
        if (signal.index == signal.group_first && signal.name && *signal.name &&
            matches(search, signal.name, note ? note : "", signal.alias ? signal.alias : ""))
            add_hit(search, KIND_SIGNAL, signal.name, note ? note : "", chipset->name,
                    strchr(signal.name, '?') ? "tally list signals --chipset %s"
                                             : "tally explain %s '%s%s'",
                    chipset->name, signal.name,
                    signal.group_last > signal.group_first ? "[0]" : "");
    }
}

/* ---- everything ------------------------------------------------------------------------------ */

static int search_sets(struct search *search, struct tally_catalog *catalog, const char *chip)
{
    struct tally_error error = {0};
    const struct tally_metric_set *const *sets;
    ptrdiff_t count = tally_catalog_sets(catalog, chip, &sets, &error);
    for (ptrdiff_t i = 0; i < count; i++)
        search_set(search, sets[i]);
    return count < 0 ? report_error(&error) : EXIT_DONE;
}

/* Searches one GPU, or all if both are NULL. */
static int search_all(struct search *search, struct tally_catalog *catalog,
                      const struct tally_platform *platform, const struct tally_chipset *chipset)
{
    bool all = !platform && !chipset;
    struct chip chip;
    int code = search_sets(search, catalog,
                           chipset    ? chipset->name
                           : platform ? platform->name
                                      : NULL);
    for (size_t i = 0; i < tally_platform_count(); i++)
        if ((all || tally_platform_at(i) == platform) &&
            chip_of_platform(tally_platform_at(i)->name, &chip))
            search_chip(search, &chip);
    for (size_t i = 0; i < tally_chipset_count(); i++) {
        const struct tally_chipset *one = tally_chipset_at(i);
        if ((!all && one != chipset) || one->presence == TALLY_ABSENT)
            continue;
        chip = chip_of_chipset(one);
        search_chip(search, &chip);
        search_signals(search, one);
    }
    for (unsigned unit = 0; unit < UNITS; unit++)
        if (matches(search, unit_info(unit)->name, "", ""))
            add_hit(search, KIND_UNIT, unit_info(unit)->name, "", "", "tally list units");
    return code;
}

/* Sorts by kind, then names that are a word themselves first, then by name, description, order. */
static int compare_hits(const void *x, const void *y, void *closure)
{
    const struct hit *a = x, *b = y;
    const struct search *search = closure;
    bool a_is = false, b_is = false;
    for (size_t i = 0; i < search->arguments->operand_count; i++) {
        a_is |= !strcasecmp(a->name, search->arguments->operands[i]);
        b_is |= !strcasecmp(b->name, search->arguments->operands[i]);
    }
    int order = (int)a->kind - (int)b->kind;
    if (!order)
        order = b_is - a_is;
    if (!order)
        order = strcmp(a->name, b->name);
    if (!order)
        order = strcmp(a->about, b->about);
    return order ? order : a->order < b->order ? -1 : 1;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const struct list_column columns[] = {
    {"kind", LIST_TEXT, 0, 0, 0, NULL},     {"name", LIST_TEXT, 1, 2, -30, NULL},
    {"gpus", LIST_NESTED, 2, 1, -21, NULL}, {"description", LIST_TEXT, 3, 1, 0, NULL},
    {"more", LIST_TEXT, 0, 0, 0, NULL},
};
static const struct list_kind find_list = LIST_KIND("found", columns);

/* The hits that one row shows: the same thing of several GPUs. */
struct row {
    const struct hit *first;
    size_t count;
};

/* Whether an earlier hit of the row has the same GPU. */
static bool is_repeated(const struct row *row, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(row->first[k].gpu, row->first[i].gpu))
            return true;
    return !*row->first[i].gpu;
}

static void put_gpus_json(struct output *output, const void *item)
{
    const struct row *row = item;
    const char *comma = "";
    output_text(output, "[");
    for (size_t i = 0; i < row->count; i++) {
        if (is_repeated(row, i))
            continue;
        output_text(output, comma);
        json_text(output, row->first[i].gpu);
        comma = ",";
    }
    output_text(output, "]");
}

/* "hsw bdw chv +5": as many as there is space for, and how many more. */
static void describe_gpus(const struct row *row, char *text, size_t size)
{
    size_t used = 0, shown = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < row->count; i++) {
        if (is_repeated(row, i))
            continue;
        if (shown == 3)
            more++;
        else if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", shown++ ? " " : "",
                                     row->first[i].gpu);
    }
    if (more && used < size)
        snprintf(text + used, size - used, " +%zu", more);
}

static bool is_same(const struct hit *a, const struct hit *b)
{
    return a->kind == b->kind && !strcmp(a->name, b->name) && !strcmp(a->about, b->about);
}

static void put_heading(struct listing *listing, const struct hit *hit)
{
    struct output *remarks = list_remarks(&listing->list);
    if (!remarks)
        return;
    output_style(remarks, "1");
    output_printf(remarks, "%s", kinds[hit->kind].heading);
    output_style(remarks, "0");
    output_printf(remarks, "  (%s)\n", hit->more);
}

static void put_hits(struct listing *listing, const struct search *search)
{
    begin_list(listing, &find_list);
    for (size_t i = 0; i < search->count;) {
        const struct hit *hit = &search->hits[i];
        struct row row = {hit, 0};
        char gpus[80];
        if (!i || hit[-1].kind != hit->kind)
            put_heading(listing, hit);
        while (i < search->count && is_same(hit, &search->hits[i])) {
            row.count++;
            i++;
        }
        describe_gpus(&row, gpus, sizeof gpus);
        const struct list_cell cells[ARRAY_COUNT(columns)] = {
            {.text = kinds[hit->kind].name},
            {.text = hit->name},
            {.nested = put_gpus_json, .item = &row, .shown = gpus},
            {.text = hit->about},
            {.text = hit->more},
        };
        list_row(&listing->list, cells);
    }
}

static void free_hits(struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        free(search->hits[i].name);
        free(search->hits[i].more);
    }
    free(search->hits);
}

/* Warns that nothing was found, with the nearest of all names. */
static int nothing_found(struct search *search, struct tally_catalog *catalog,
                         const struct listing *listing)
{
    const char *word = search->arguments->operands[0];
    char expected[EXPECTED_BYTES];
    search->any = true;
    search_all(search, catalog, listing->platform, listing->chipset);
    const char **names = calloc(search->count + 1, sizeof *names);
    for (size_t i = 0; i < search->count && names; i++)
        names[i] = search->hits[i].name;
    warn("find: no set, counter, register, field, signal or unit matches \"%s\"%s%s%s", word,
         search->arguments->operand_count > 1 ? " and the other words" : "",
         listing->platform || listing->chipset ? " on this GPU" : "",
         expected_word(expected, word, names, names ? search->count : 0, "tally help find"));
    free(names);
    return EXIT_FAILED;
}

int command_find(const struct arguments *arguments)
{
    struct listing listing;
    struct search search = {.arguments = arguments};
    const char *chipset = arguments->values[OPTION_CHIPSET];
    int code = listing_init(&listing, arguments);
    if (code != EXIT_DONE)
        return code;
    if (chipset && !(listing.chipset = tally_chipset_find(chipset)))
        return unknown_chipset(chipset);
    struct tally_catalog *catalog = tally_catalog_new(arguments->values[OPTION_METRICS]);
    if (catalog)
        code = search_all(&search, catalog, listing.platform, listing.chipset);
    if (!catalog || search.error)
        code = report_memory();
    if (code == EXIT_DONE && !search.count)
        code = nothing_found(&search, catalog, &listing);
    else if (code == EXIT_DONE && (listing.output = open_output(arguments, &code))) {
        qsort_r(search.hits, search.count, sizeof *search.hits, compare_hits, &search);
        put_hits(&listing, &search);
        code = close_output(listing.output, code);
    }
    free_hits(&search);
    tally_catalog_free(catalog);
    return code;
}
