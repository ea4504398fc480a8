/* SPDX-License-Identifier: MIT */
/* The table of SKUs, lookup by name and by PCI device id. */
#include "intel/skus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/nearest.h"
#include "intel/cs/engines.h"
#include "intel/platforms.h"

// clang-format off
#define A_COUNTER(n)         (UINT64_C(1) << (n))
#define VCS(n)               (1u << (n))
#define BRACES(...)          {__VA_ARGS__}
#define IDS(...)             __VA_ARGS__
#define IDS_OF(symbol)       0
/* ids is one argument until it is expanded: a list of numbers. */
#define SKU(symbol, platform_name, sku_name, sku_title, chipset_name, slice_count, subslice_count, eu_count, threads, low, high, revision, reserved, video, ids_) \
    {.info = {.platform = (platform_name), .name = (sku_name), .title = (sku_title), .chipset = (chipset_name), \
              .slices = (slice_count), .subslices = (subslice_count), .subslice_eus = (eu_count), .eu_threads = (threads), \
              .gt_min_mhz = (low), .gt_max_mhz = (high), .device_id = symbol##_DEVICE, .pci_revision = (revision)}, \
     .reserved_a = (reserved), .video_engines = (video), .ids = BRACES(ids_)},

const struct intel_sku intel_skus[] = {
#include "intel/skus.def"
};
// clang-format on

const size_t intel_sku_count = ARRAY_COUNT(intel_skus);

size_t tally_sku_count(void)
{
    return intel_sku_count;
}

const struct tally_sku *tally_sku_at(size_t index)
{
    return index < intel_sku_count ? &intel_skus[index].info : NULL;
}

const struct intel_sku *intel_sku_of(const struct tally_sku *sku)
{
    return (const struct intel_sku *)sku;
}

const struct intel_platform *intel_sku_platform(const struct intel_sku *sku)
{
    return intel_platform_of(tally_platform_find(sku->info.platform));
}

const struct cs_engine *intel_sku_missing_engine(const struct intel_sku *sku)
{
    enum intel_revision revision = intel_sku_platform(sku)->revision;
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct cs_engine *engine = cs_engine(revision, (enum cs_engine_id)id);
        if (engine && engine->engine_class == CS_VIDEO &&
            !(sku->video_engines >> engine->instance & 1))
            return engine;
    }
    return NULL;
}

/* ---- lookup by name -------------------------------------------------------------------------- */

const char *intel_sku_name(const struct intel_sku *sku, char text[SKU_NAME_BYTES])
{
    snprintf(text, SKU_NAME_BYTES, "%s/%s", sku->info.platform, sku->info.name);
    return text;
}

static const struct intel_sku *of_device(uint32_t id)
{
    for (size_t i = 0; id && i < intel_sku_count; i++)
        for (const uint16_t *at = intel_skus[i].ids; *at; at++)
            if (*at == id)
                return &intel_skus[i];
    return NULL;
}

const struct intel_sku *intel_sku_common(const struct tally_platform *platform)
{
    return of_device(platform->example_device);
}

/* Finds the platform of "hsw" or "hsw/gt3". *sku is the name behind the slash, or NULL. */
static const struct tally_platform *platform_part(const char *name, const char **sku)
{
    char platform[16];
    const char *slash = strchr(name, '/');
    *sku = slash ? slash + 1 : NULL;
    size_t size = slash ? (size_t)(slash - name) : strlen(name);
    if (size >= sizeof platform)
        return NULL;
    snprintf(platform, sizeof platform, "%.*s", (int)size, name);
    return tally_platform_find(platform);
}

static const struct intel_sku *find_in(const struct tally_platform *platform, const char *name)
{
    for (size_t i = 0; i < intel_sku_count; i++)
        if (!strcmp(intel_skus[i].info.platform, platform->name) &&
            !strcasecmp(intel_skus[i].info.name, name))
            return &intel_skus[i];
    return NULL;
}

const struct tally_sku *tally_sku_find(const char *name)
{
    const char *part;
    const struct tally_platform *platform = platform_part(name, &part);
    const struct intel_sku *found = !platform ? NULL
                                    : part    ? find_in(platform, part)
                                              : intel_sku_common(platform);
    return found ? &found->info : NULL;
}

/* Writes "gt1, gt2 or gt3". */
static void list_names(const char *const *names, size_t count, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        const char *gap = !i ? "" : i + 1 < count ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", gap, names[i]);
    }
}

int intel_sku_check(const char *name, struct tally_error *error)
{
    const char *part, *names[16], *nearest;
    char list[128];
    size_t count = 0;
    const struct tally_platform *platform = platform_part(name, &part);
    if (!platform || !part || find_in(platform, part))
        return 0;
    for (size_t i = 0; i < intel_sku_count && count < ARRAY_COUNT(names); i++)
        if (!strcmp(intel_skus[i].info.platform, platform->name))
            names[count++] = intel_skus[i].info.name;
    list_names(names, count, list, sizeof list);
    nearest = nearest_word(part, names, count);
    return nearest && count > 1
               ? fail(error, -EINVAL, "unknown SKU \"%.32s\" of %s, expected %s (of %s)", part,
                      platform->name, nearest, list)
               : fail(error, -EINVAL, "unknown SKU \"%.32s\" of %s, expected %s", part,
                      platform->name, list);
}

const struct intel_sku *intel_sku_modelled(const char *name, const char *what,
                                           struct tally_error *error)
{
    const char *part;
    char names[INTEL_NAMES_MAX];
    const struct tally_platform *platform = platform_part(name, &part);
    const struct tally_sku *sku = tally_sku_find(name);
    if (!platform || !intel_platform_of(platform)->oa) {
        fail(error, -EINVAL, "platform \"%.32s\" has no %s model, expected %s", name, what,
             intel_modelled_names(false, ", ", " or ", names));
        return NULL;
    }
    if (!sku)
        intel_sku_check(name, error);
    return sku ? intel_sku_of(sku) : NULL;
}

/* ---- lookup by device ------------------------------------------------------------------------ */

const struct tally_sku *tally_sku_of_device(uint32_t pci_id)
{
    const struct intel_sku *sku = of_device(pci_id);
    return sku ? &sku->info : NULL;
}

int tally_device_find(uint32_t pci_id, struct tally_device *out)
{
    const struct intel_sku *sku = of_device(pci_id);
    if (!sku)
        return -ENODEV;
    *out = (struct tally_device){.id = (uint16_t)pci_id,
                                 .platform = tally_platform_find(sku->info.platform)};
    snprintf(out->chipset, sizeof out->chipset, "%s", sku->info.chipset);
    return 0;
}
