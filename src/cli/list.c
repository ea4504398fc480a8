/* SPDX-License-Identifier: MIT */
/* tally list: platforms, layouts, metric sets and counters. */
#include "cli/list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/expected.h"
#include "cli/input.h"
#include "cli/list_named.h"
#include "cli/packets.h"
#include "cli/registers.h"
#include "cli/unknown.h"

void begin_list(struct listing *listing, const struct list_kind *kind)
{
    list_begin(&listing->list, listing->output, listing->sink->lists, kind);
}

/* ---- platforms ------------------------------------------------------------------------------- */

static const struct list_column platform_columns[] = {
    {"name", LIST_TEXT, 1, 0, -6, "name"},
    {"title", LIST_TEXT, 2, 1, -14, "platform"},
    {"version", LIST_TENTHS, 3, 1, -6, "gen"},
    {"layouts", LIST_TEXT, 4, 1, -10, "layouts"},
    {"eus", LIST_NUMBER, 5, 1, 5, "EUs"},
    {"threads", LIST_NUMBER, 6, 1, 8, "thr/EU"},
    {"timestamp_hz", LIST_NUMBER, 7, 1, 11, "timestamp"},
    {"device", LIST_TEXT, 0, 0, 0, NULL},
    {NULL, LIST_TEXT, 8, 1, 14, "GT MHz"},
};
static const struct list_kind platform_list = LIST_KIND("platform", platform_columns);

static int list_platforms(struct listing *listing)
{
    begin_list(listing, &platform_list);
    for (size_t i = 0; i < tally_platform_count(); i++) {
        const struct tally_platform *p = tally_platform_at(i);
        char gen[16], timestamp[32], device[16], gt[32];
        snprintf(gen, sizeof gen, "%.4g", p->version / 10.0);
        snprintf(timestamp, sizeof timestamp, "%.4g MHz", p->timestamp_hz / 1e6);
        snprintf(device, sizeof device, "0x%04x", p->example_device);
        snprintf(gt, sizeof gt, "%u - %5u", p->gt_min_mhz, p->gt_max_mhz);
        const struct list_cell cells[ARRAY_COUNT(platform_columns)] = {
            {.text = p->name},
            {.text = p->title},
            {.number = p->version, .shown = gen},
            {.text = p->layout_family},
            {.number = p->example_eus},
            {.number = p->eu_threads},
            {.number = p->timestamp_hz, .shown = timestamp},
            {.text = device},
            {.text = gt},
        };
        list_row(&listing->list, cells);
    }
    return EXIT_DONE;
}

/* ---- SKUs ------------------------------------------------------------------------------------ */

static const struct list_column sku_columns[] = {
    {"name", LIST_TEXT, 1, 0, -10, "name"},
    {"title", LIST_TEXT, 2, 1, -19, "SKU"},
    {"slices", LIST_NUMBER, 3, 1, 6, "slices"},
    {"subslices", LIST_NUMBER, 4, 1, 10, "subslices"},
    {"eus", LIST_NUMBER, 5, 1, 5, "EUs"},
    {"threads", LIST_NUMBER, 6, 1, 8, "thr/EU"},
    {"chipset", LIST_TEXT, 7, 2, -7, "chipset"},
    {"device", LIST_TEXT, 8, 1, 6, "device"},
    {"revision", LIST_NUMBER, 9, 1, 9, "revision"},
    {"common", LIST_BOOL, 10, 1, 0, "common"},
};
static const struct list_kind sku_list = LIST_KIND("sku", sku_columns);

/* Subslices and EUs are those of the whole SKU. */
static int list_skus(struct listing *listing)
{
    const struct tally_sku *sku;
    begin_list(listing, &sku_list);
    for (size_t i = 0; (sku = tally_sku_at(i)); i++) {
        struct tally_topology topology;
        char name[32], device[16];
        bool common = tally_sku_find(sku->platform) == sku;
        if (listing->platform && strcmp(listing->platform->name, sku->platform) != 0)
            continue;
        tally_sku_topology(sku, 0, &topology);
        snprintf(name, sizeof name, "%s/%s", sku->platform, sku->name);
        snprintf(device, sizeof device, "0x%04x", sku->device_id);
        const struct list_cell cells[ARRAY_COUNT(sku_columns)] = {
            {.text = name},
            {.text = sku->title},
            {.number = topology.slices},
            {.number = topology.subslices},
            {.number = topology.eus},
            {.number = sku->eu_threads},
            {.text = sku->chipset},
            {.text = device},
            {.number = sku->pci_revision},
            {.number = common, .shown = common ? "common" : ""},
        };
        list_row(&listing->list, cells);
    }
    return EXIT_DONE;
}

/* ---- layouts --------------------------------------------------------------------------------- */

static const struct list_column layout_columns[] = {
    {"layout", LIST_TEXT, 1, 0, -30, "layout"},   {"select", LIST_NUMBER, 2, 1, -7, "select"},
    {"bytes", LIST_NUMBER, 3, 1, 5, "bytes"},     {"kernel_format", LIST_NUMBER, 4, 1, 6, "kernel"},
    {"counters", LIST_TEXT, 5, 2, 0, "counters"}, {"confirmed", LIST_BOOL, 0, 0, 0, NULL},
    {"source", LIST_TEXT, 0, 0, 0, NULL},
};
static const struct list_kind layout_list = LIST_KIND("format", layout_columns);

/* "A0-A44 B0-B7 C0-C7": what a layout counts. */
static void describe_counters(const struct tally_layout *layout, char *text, size_t size)
{
    static const unsigned starts[] = {TALLY_SLOT_A, TALLY_SLOT_B, TALLY_SLOT_C, TALLY_SLOT_PEC,
                                      TALLY_SLOT_RESERVED};
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k + 1 < ARRAY_COUNT(starts); k++) {
        for (unsigned slot = starts[k]; slot < starts[k + 1]; slot++) {
            unsigned first = slot, width = tally_layout_width(layout, slot);
            char a[16], b[16];
            while (width && slot + 1 < starts[k + 1] &&
                   tally_layout_width(layout, slot + 1) == width)
                slot++;
            if (!width)
                continue;
            used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s%s-%s",
                                     used ? " " : "", tally_slot_name(first, a, sizeof a),
                                     tally_slot_name(slot, b, sizeof b));
            if (width != 32)
                used += (size_t)snprintf(text + used, used < size ? size - used : 0, ":u%u", width);
        }
    }
}

/* Packets have neither Counter Select nor a format number of the kernel. */
static void list_packet_formats(struct listing *listing)
{
    for (unsigned i = TALLY_PACKET_LONG; i <= TALLY_PACKET_SHORT; i++) {
        enum tally_packet_format format = (enum tally_packet_format)i;
        const struct list_cell cells[ARRAY_COUNT(layout_columns)] = {
            {.text = tally_packet_format_name(format)},
            {.state = LIST_NULL, .shown = "-"},
            {.number = tally_packet_size(format)},
            {.state = LIST_NULL, .shown = "-"},
            {.text = format == TALLY_PACKET_LONG
                         ? "PRE_SRC[0-3]:u16 START_SRC[0-3]:u16 EVENT_SRC[0-3]:u16"
                         : "PRE_SRC[0-3]:u16"},
            {.number = true},
            {.text = "envytools, PCOUNTER, record mode"},
        };
        list_row(&listing->list, cells);
    }
}

static void put_layout(struct listing *listing, const struct tally_layout *layout)
{
    char name[64], select[4], counters[160], shown[sizeof counters + 16];
    bool confirmed = !(layout->flags & TALLY_LAYOUT_UNCONFIRMED);
    snprintf(name, sizeof name, "%s/%s", layout->family, layout->name);
    for (unsigned bit = 0; bit < 3; bit++)
        select[bit] = layout->counter_select & 4 >> bit ? '1' : '0';
    select[3] = '\0';
    describe_counters(layout, counters, sizeof counters);
    snprintf(shown, sizeof shown, "%s%s", counters, confirmed ? "" : "  (unconfirmed)");
    const struct list_cell cells[ARRAY_COUNT(layout_columns)] = {
        {.text = name},
        {.number = layout->counter_select, .shown = select},
        {.number = layout->size_bytes},
        {.number = layout->kernel_format, .shown = layout->kernel_format ? NULL : "-"},
        {.text = counters, .shown = shown},
        {.number = confirmed},
        {.text = layout->source},
    };
    list_row(&listing->list, cells);
}

static int list_layouts(struct listing *listing)
{
    begin_list(listing, &layout_list);
    for (size_t i = 0; i < tally_layout_count(); i++) {
        const struct tally_layout *layout = tally_layout_at(i);
        if (!listing->platform || !strcmp(listing->platform->layout_family, layout->family))
            put_layout(listing, layout);
    }
    if (!listing->platform)
        list_packet_formats(listing);
    return EXIT_DONE;
}

/* ---- metric sets and counters ---------------------------------------------------------------- */

static const struct list_column set_columns[] = {
    {"chipset", LIST_TEXT, 1, 0, -8, NULL}, {"symbol", LIST_TEXT, 2, 1, -32, NULL},
    {"name", LIST_TEXT, 5, 2, 0, NULL},     {"uuid", LIST_TEXT, 4, 2, 0, NULL},
    {"file", LIST_TEXT, 0, 0, 0, NULL},     {"counters", LIST_NUMBER, 3, 1, 13, NULL},
};
const struct list_kind set_list = LIST_KIND("set", set_columns);

void put_set(struct listing *listing, const struct tally_metric_set *set)
{
    char counters[32];
    snprintf(counters, sizeof counters, "%zu counters", set->counter_count);
    const struct list_cell cells[ARRAY_COUNT(set_columns)] = {
        {.text = set->chipset}, {.text = set->symbol},
        {.text = set->name},    {.text = set->uuid},
        {.text = set->file},    {.number = set->counter_count, .shown = counters},
    };
    list_row(&listing->list, cells);
}

static const struct list_column counter_columns[] = {
    {"chipset", LIST_TEXT, 0, 0, 0, NULL},  {"set", LIST_TEXT, 0, 0, 0, NULL},
    {"symbol", LIST_TEXT, 1, 2, -32, NULL}, {"name", LIST_TEXT, 0, 0, 0, NULL},
    {"units", LIST_TEXT, 2, 1, -9, NULL},   {"description", LIST_TEXT, 3, 1, 0, NULL},
    {"equation", LIST_TEXT, 0, 0, 0, NULL},
};
static const struct list_kind counter_list = LIST_KIND("counter", counter_columns);

static void put_counters(struct listing *listing, const struct tally_metric_set *set)
{
    struct output *remarks = list_remarks(&listing->list);
    if (remarks) {
        output_style(remarks, "1");
        output_printf(remarks, "%s.%s  %s\n", set->chipset, set->symbol, set->name);
        output_style(remarks, "0");
    }
    for (size_t i = 0; i < set->counter_count; i++) {
        const struct tally_counter *counter = &set->counters[i];
        const struct list_cell cells[ARRAY_COUNT(counter_columns)] = {
            {.text = set->chipset},
            {.text = set->symbol},
            {.text = counter->symbol},
            {.text = counter->name},
            {.text = counter->units},
            {.text = counter->description, .shown = *counter->description ? NULL : counter->name},
            {.text = *counter->formula ? counter->formula : counter->equation},
        };
        list_row(&listing->list, cells);
    }
}

/* The platform or chipset whose sets are listed; NULL: all. */
static const char *chip_name(const struct listing *listing)
{
    if (listing->chipset)
        return listing->chipset->name;
    return listing->platform ? listing->platform->name : NULL;
}

#define SETS_MAX 1024

static int unknown_set(const struct listing *listing, const char *wanted,
                       const struct tally_metric_set *const *sets, size_t set_count)
{
    const char *names[SETS_MAX];
    char expected[EXPECTED_BYTES];
    size_t count = 0;
    for (; count < set_count && count < SETS_MAX; count++)
        names[count] = sets[count]->symbol;
    const char *chip = chip_name(listing);
    return usage_error("list: unknown metric set \"%s\"%s%s%s", wanted, chip ? " for " : "",
                       chip ? chip : "",
                       expected_word(expected, wanted, names, count, "tally list sets"));
}

static int list_metrics(struct listing *listing, bool counters)
{
    struct tally_error error = {0};
    const struct tally_metric_set *const *sets;
    const char *wanted =
        listing->arguments->operand_count > 1 ? listing->arguments->operands[1] : NULL;
    struct tally_catalog *catalog = tally_catalog_new(listing->arguments->values[OPTION_METRICS]);
    if (!catalog)
        return report_memory();
    begin_list(listing, counters ? &counter_list : &set_list);
    const char *chip = chip_name(listing);
    ptrdiff_t count = tally_catalog_sets(catalog, chip, &sets, &error);
    int code = count < 0 ? report_error(&error) : EXIT_DONE;
    size_t shown = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (wanted && strcmp(wanted, sets[i]->symbol) != 0)
            continue;
        if (counters)
            put_counters(listing, sets[i]);
        else
            put_set(listing, sets[i]);
        shown++;
    }
    if (shown && listing->chipset && sets[0]->modelled)
        warn("no unit's signals of %s are public; these sets are for modelled GPUs only",
             listing->chipset->title);
    if (code == EXIT_DONE && wanted && !shown)
        code = unknown_set(listing, wanted, sets, (size_t)count);
    if (code == EXIT_DONE && !wanted && !shown && listing->chipset &&
        !tally_signal_unit_count(listing->chipset)) {
        warn("no unit's signals of %s are public, so it has no metric sets; see tally "
             "list signals --chipset %s",
             listing->chipset->title, listing->chipset->name);
        code = EXIT_FAILED;
    } else if (code == EXIT_DONE && !wanted && !shown) {
        warn("no metric sets%s%s in the search path; see tally doctor", chip ? " for " : "",
             chip ? chip : "");
        code = EXIT_FAILED;
    }
    tally_catalog_free(catalog);
    return code;
}

static int list_sets(struct listing *listing)
{
    return list_metrics(listing, false);
}

static int list_counters(struct listing *listing)
{
    return list_metrics(listing, true);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct {
    const char *what;
    int (*list)(struct listing *listing);
} lists[] = {
    {"platforms", list_platforms}, {"skus", list_skus},       {"layouts", list_layouts},
    {"formats", list_layouts},     {"sets", list_sets},       {"counters", list_counters},
    {"chipsets", list_chipsets},   {"signals", list_signals}, {"registers", list_registers},
    {"workloads", list_workloads}, {"faults", list_faults},   {"options", list_options},
    {"units", list_units},         {"devices", list_skus}};

const char *list_name_at(size_t index)
{
    return index < ARRAY_COUNT(lists) ? lists[index].what : NULL;
}

static int unknown_list(const char *what)
{
    const char *names[ARRAY_COUNT(lists)];
    char expected[EXPECTED_BYTES];
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
        names[i] = lists[i].what;
    return usage_error("list: unknown list \"%s\"%s", what,
                       expected_word(expected, what, names, ARRAY_COUNT(lists), "tally help list"));
}

int listing_init(struct listing *listing, const struct arguments *arguments)
{
    const char *platform = arguments->values[OPTION_PLATFORM];
    *listing = (struct listing){.arguments = arguments};
    listing->sink = choose_format(arguments, "table", TALLY_RENDER_LISTS);
    if (!listing->sink)
        return EXIT_USAGE;
    if (platform && !(listing->platform = tally_platform_find(platform)))
        return unknown_platform(platform);
    return EXIT_DONE;
}

int command_list(const struct arguments *arguments)
{
    const char *what = arguments->operands[0];
    struct listing listing;
    int code = listing_init(&listing, arguments);
    if (code != EXIT_DONE)
        return code;
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        if (strcmp(what, lists[i].what) != 0)
            continue;
        code = find_chipset(&listing, what);
        if (code != EXIT_DONE || !(listing.output = open_output(arguments, &code)))
            return code;
        return close_output(listing.output, lists[i].list(&listing));
    }
    return unknown_list(what);
}
