/* SPDX-License-Identifier: MIT */
/* tally list units: the units of a GPU that workloads drive, and what counts them. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "cli/list_named.h"
#include "intel/platforms.h"
#include "intel/workload/units.h"

static const struct list_column unit_columns[] = {
    {"name", LIST_TEXT, 1, 0, -21, "unit"},
    {"kind", LIST_TEXT, 2, 1, -7, "kind"},
    {"counted_by", LIST_TEXT, 3, 1, 0, "counted by"},
};
static const struct list_kind unit_list = LIST_KIND("unit", unit_columns);

static const char *const kind_names[] = {
    [CLASS_FLAG] = "flag",     [CLASS_ARRAY] = "array", [CLASS_EVENTS] = "events",
    [CLASS_LEVEL] = "threads", [CLASS_PIPE] = "pipe",   [CLASS_KIND] = "kind",
    [CLASS_NOA] = "bit",
};

#define PLACES_BYTES 96

/* Writes what counts a unit on the platform's common SKU: "A26, NOA 13", or "" if nothing does. */
static void describe_places(char places[PLACES_BYTES], const struct intel_sku *sku, unsigned unit)
{
    enum intel_revision revision = intel_sku_platform(sku)->revision;
    size_t used = 0;
    places[0] = '\0';
    for (size_t i = 0; i < unit_row_count && used < PLACES_BYTES; i++) {
        const struct unit_row *row = &unit_rows[i];
        char place[16] = "EU signals";
        if (row->unit != unit || !unit_row_is_of(row, sku, revision))
            continue;
        if (row->place != PLACE_EU)
            snprintf(place, sizeof place, row->place == PLACE_A ? "A%u" : "NOA %u", row->index);
        if (!strstr(places, place))
            used += (size_t)snprintf(places + used, PLACES_BYTES - used, "%s%s", used ? ", " : "",
                                     place);
    }
    if (unit >= UNIT_NOA)
        snprintf(places, PLACES_BYTES, "NOA %u", unit - UNIT_NOA);
}

/* Writes "snb A26; ivb vlv hsw A41": platforms with the same counters together, in their order. */
static void describe_platforms(char *text, size_t size, unsigned unit,
                               const struct tally_platform *only)
{
    char places[PLACES_BYTES], last[PLACES_BYTES] = "";
    const struct tally_platform *platform;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (platform = tally_platform_at(i)); i++) {
        const struct tally_sku *sku = tally_sku_find(platform->name);
        if ((only && only != platform) || !sku || !intel_modelled(platform->name))
            continue;
        describe_places(places, intel_sku_of(sku), unit);
        if (strcmp(places, last) != 0 && *last && used < size)
            used += (size_t)snprintf(text + used, size - used, " %s; ", last);
        else if (*places && *last && used < size)
            used += (size_t)snprintf(text + used, size - used, " ");
        if (*places && used < size && !only)
            used += (size_t)snprintf(text + used, size - used, "%s", platform->name);
        memcpy(last, places, sizeof last);
    }
    if (*last && used < size)
        used += (size_t)snprintf(text + used, size - used, "%s%s", only ? "" : " ", last);
    if (used >= 2 && used < size && !strcmp(text + used - 2, "; "))
        text[used - 2] = '\0';
}

int list_units(struct listing *listing)
{
    begin_list(listing, &unit_list);
    for (unsigned unit = 0; unit < UNITS; unit++) {
        const struct unit_info *info = unit_info(unit);
        char counted[512];
        describe_platforms(counted, sizeof counted, unit, listing->platform);
        if (!*counted)
            continue;
        const struct list_cell cells[ARRAY_COUNT(unit_columns)] = {
            {.text = info->name}, {.text = kind_names[info->kind]}, {.text = counted}};
        list_row(&listing->list, cells);
    }
    return EXIT_DONE;
}
