/* SPDX-License-Identifier: MIT */
/* tally list: platforms, layouts, metric sets and counters. */
#include "cli/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "cli/input.h"
#include "cli/list_named.h"
#include "cli/packets.h"
#include "cli/registers.h"
#include "cli/unknown.h"
#include "sink/json.h"

void put_heading(struct listing *listing, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (listing->json)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    output_style(listing->output, "1");
    output_text(listing->output, text);
    output_style(listing->output, "0");
}

static int list_platforms(struct listing *listing)
{
    struct output *output = listing->output;
    put_heading(listing, "%-6s %-14s %-6s %-10s %5s %8s %11s %14s\n", "name", "platform", "gen",
                "layouts", "EUs", "thr/EU", "timestamp", "GT MHz");
    for (size_t i = 0; i < tally_platform_count(); i++) {
        const struct tally_platform *p = tally_platform_at(i);
        if (listing->json)
            output_printf(output,
                          "{\"type\":\"platform\",\"name\":\"%s\",\"title\":\"%s\","
                          "\"version\":%.1f,\"layouts\":\"%s\",\"eus\":%u,\"threads\":%u,"
                          "\"timestamp_hz\":%" PRIu32 ",\"device\":\"0x%04x\"}\n",
                          p->name, p->title, p->version / 10.0, p->layout_family, p->example_eus,
                          p->eu_threads, p->timestamp_hz, p->example_device);
        else
            output_printf(output, "%-6s %-14s %-6.4g %-10s %5u %8u %7.4g MHz %6u - %5u\n", p->name,
                          p->title, p->version / 10.0, p->layout_family, p->example_eus,
                          p->eu_threads, p->timestamp_hz / 1e6, p->gt_min_mhz, p->gt_max_mhz);
    }
    return EXIT_DONE;
}

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

/* Packets have neither Counter Select nor a number of the kernel's. */
static void list_packet_formats(struct listing *listing)
{
    for (unsigned i = TALLY_PACKET_LONG; i <= TALLY_PACKET_SHORT; i++) {
        enum tally_packet_format format = (enum tally_packet_format)i;
        const char *name = tally_packet_format_name(format);
        const char *counters = format == TALLY_PACKET_LONG
                                   ? "PRE_SRC[0-3]:u16 START_SRC[0-3]:u16 EVENT_SRC[0-3]:u16"
                                   : "PRE_SRC[0-3]:u16";
        size_t size = tally_packet_size(format);
        if (listing->json)
            output_printf(listing->output,
                          "{\"type\":\"format\",\"layout\":\"%s\",\"select\":null,\"bytes\":%zu,"
                          "\"kernel_format\":null,\"counters\":\"%s\",\"confirmed\":true,"
                          "\"source\":\"envytools, PCOUNTER, record mode\"}\n",
                          name, size, counters);
        else
            output_printf(listing->output, "%-30s %-7s %5zu %6s  %s\n", name, "-", size, "-",
                          counters);
    }
}

static int list_formats(struct listing *listing)
{
    struct output *output = listing->output;
    put_heading(listing, "%-30s %-7s %5s %6s  %s\n", "layout", "select", "bytes", "kernel",
                "counters");
    for (size_t i = 0; i < tally_layout_count(); i++) {
        const struct tally_layout *layout = tally_layout_at(i);
        char name[64], counters[160], number[16] = "-";
        if (listing->platform && strcmp(listing->platform->layout_family, layout->family) != 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", layout->family, layout->name);
        describe_counters(layout, counters, sizeof counters);
        if (layout->kernel_format)
            snprintf(number, sizeof number, "%u", layout->kernel_format);
        if (listing->json)
            output_printf(output,
                          "{\"type\":\"format\",\"layout\":\"%s\",\"select\":%u,\"bytes\":%u,"
                          "\"kernel_format\":%u,\"counters\":\"%s\",\"confirmed\":%s,"
                          "\"source\":\"%s\"}\n",
                          name, layout->counter_select, layout->size_bytes, layout->kernel_format,
                          counters, layout->flags & TALLY_LAYOUT_UNCONFIRMED ? "false" : "true",
                          layout->source);
        else
            output_printf(output, "%-30s %u%u%u     %5u %6s  %s%s\n", name,
                          layout->counter_select >> 2 & 1, layout->counter_select >> 1 & 1,
                          layout->counter_select & 1, layout->size_bytes, number, counters,
                          layout->flags & TALLY_LAYOUT_UNCONFIRMED ? "  (unconfirmed)" : "");
    }
    if (!listing->platform)
        list_packet_formats(listing);
    return EXIT_DONE;
}

void put_set(struct listing *listing, const struct tally_metric_set *set)
{
    struct output *output = listing->output;
    if (!listing->json) {
        output_printf(output, "%-8s %-32s %4zu counters  %s  %s\n", set->chipset, set->symbol,
                      set->counter_count, set->uuid, set->name);
        return;
    }
    output_text(output, "{\"type\":\"set\",\"chipset\":");
    json_text(output, set->chipset);
    json_member(output, "symbol", set->symbol);
    json_member(output, "name", set->name);
    json_member(output, "uuid", set->uuid);
    json_member(output, "file", set->file);
    output_printf(output, ",\"counters\":%zu}\n", set->counter_count);
}

static void put_counters(struct listing *listing, const struct tally_metric_set *set)
{
    struct output *output = listing->output;
    put_heading(listing, "%s.%s  %s\n", set->chipset, set->symbol, set->name);
    for (size_t i = 0; i < set->counter_count; i++) {
        const struct tally_counter *counter = &set->counters[i];
        if (!listing->json) {
            output_printf(output, "  %-32s %-9s %s\n", counter->symbol, counter->units,
                          *counter->description ? counter->description : counter->name);
            continue;
        }
        output_text(output, "{\"type\":\"counter\",\"chipset\":");
        json_text(output, set->chipset);
        json_member(output, "set", set->symbol);
        json_member(output, "symbol", counter->symbol);
        json_member(output, "name", counter->name);
        json_member(output, "units", counter->units);
        json_member(output, "description", counter->description);
        json_member(output, "equation", counter->equation);
        output_text(output, "}\n");
    }
}

static int list_metrics(struct listing *listing, bool counters)
{
    struct tally_error error = {0};
    const struct tally_metric_set *const *sets;
    const char *wanted =
        listing->arguments->operand_count > 1 ? listing->arguments->operands[1] : NULL;
    struct tally_catalog *catalog = tally_catalog_new(listing->arguments->values[OPTION_METRICS]);
    if (!catalog)
        return report_error(&(struct tally_error){-ENOMEM, "out of memory"});
    ptrdiff_t count = tally_catalog_sets(
        catalog, listing->platform ? listing->platform->name : NULL, &sets, &error);
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
    if (code == EXIT_DONE && wanted && !shown)
        code =
            usage_error("list: no metric set \"%s\"%s%s", wanted, listing->platform ? " for " : "",
                        listing->platform ? listing->platform->name : "");
    if (code == EXIT_DONE && !wanted && !shown) {
        fprintf(stderr, "tally: no metric sets%s%s in the search path; see tally doctor\n",
                listing->platform ? " for " : "", listing->platform ? listing->platform->name : "");
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

int command_list(const struct arguments *arguments)
{
    const char *what = arguments->operands[0];
    const char *platform = arguments->values[OPTION_PLATFORM];
    struct listing listing = {.arguments = arguments};
    int code = EXIT_DONE;
    const struct sink *sink = choose_format(arguments, "table", TALLY_RENDER_LISTS);
    if (!sink)
        return EXIT_USAGE;
    listing.json = sink->objects;
    if (platform && !(listing.platform = tally_platform_find(platform)))
        return unknown_platform(platform);
    static const struct {
        const char *what;
        int (*list)(struct listing *listing);
    } lists[] = {{"platforms", list_platforms}, {"layouts", list_formats},
                 {"formats", list_formats},     {"sets", list_sets},
                 {"counters", list_counters},   {"chipsets", list_chipsets},
                 {"signals", list_signals},     {"registers", list_registers},
                 {"workloads", list_workloads}, {"faults", list_faults}};
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        if (strcmp(what, lists[i].what) != 0)
            continue;
        code = find_chipset(&listing, what);
        if (code != EXIT_DONE || !(listing.output = open_output(arguments, &code)))
            return code;
        return close_output(listing.output, lists[i].list(&listing));
    }
    return usage_error("list: \"%s\", expected platforms, layouts, sets, counters, chipsets, "
                       "signals, registers, workloads or faults",
                       what);
}
