/* SPDX-License-Identifier: MIT */
/* Fuses of slices, subslices and EUs: what they leave of a SKU (OA-14.9), and their text form. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/gpu.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/nearest.h"
#include "intel/platforms.h"
#include "intel/topology.h"

/* ---- what fuses leave ------------------------------------------------------------------------ */

#define COUNT(eus) (1u << (eus))

/* What the fuses of a revision can disable. Rows without `together`: nothing. */
static const struct fuse_rule {
    bool parts;       /* slices and subslices; else EUs only */
    bool common;      /* one mask of EUs for all subslices */
    uint8_t together; /* EUs that are disabled together: 1, or 2 for pairs */
    uint16_t counts;  /* bit n: n EUs of a subslice can be left; 0: any number */
} rules[INTEL_REVISIONS] = {
    [INTEL_HSW] = {.common = true, .together = 1, .counts = COUNT(10) | COUNT(8) | COUNT(6)},
    [INTEL_BDW] = {.parts = true, .together = 1},
    [INTEL_CHV] = {.parts = true, .together = 1},
    [INTEL_SKL] = {.parts = true, .together = 1},
    [INTEL_ICL] = {.parts = true, .common = true, .together = 1},
    [INTEL_LKF] = {.parts = true, .common = true, .together = 1},
    [INTEL_TGL] = {.parts = true, .common = true, .together = 2},
};

struct fusing {
    const struct tally_fuses *fuses;
    const struct fuse_rule *rule;
    unsigned slices, subslices, eus; /* of the SKU */
    struct tally_error *error;
    char name[SKU_NAME_BYTES];
};

/* The masks of the first `count` parts. */
static uint32_t parts(unsigned count)
{
    return count ? (uint32_t)low_bits(count) : 0;
}

/* Checks that a mask only has bits of existing parts. `where`: " of slice 1", or "". */
static int check_mask(const struct fusing *fusing, const char *mask, const char *where,
                      uint32_t value, uint32_t possible)
{
    if (!(value & ~possible))
        return 0;
    if (!possible)
        return fail(fusing->error, -EINVAL, "%s %#x%s, which %s does not have or cannot disable",
                    mask, value, where, fusing->name);
    return fail(fusing->error, -EINVAL, "%s %#x%s of %s, expected bits of %#x", mask, value, where,
                fusing->name, possible);
}

static int check_eus(const struct fusing *fusing, unsigned slice, unsigned subslice)
{
    char where[40];
    uint16_t mask = fusing->fuses->eu_disable[slice][subslice];
    bool exists = slice < fusing->slices && subslice < fusing->subslices;
    snprintf(where, sizeof where, " of subslice %u in slice %u", subslice, slice);
    int result = check_mask(fusing, "eu_disable", where, mask, exists ? parts(fusing->eus) : 0);
    unsigned together = fusing->rule->together;
    for (unsigned eu = 0; result == 0 && eu < fusing->eus; eu += together) {
        uint32_t pair = parts(together) << eu;
        if ((mask & pair) && (mask & pair) != pair)
            return fail(fusing->error, -EINVAL,
                        "eu_disable %#x%s of %s, expected pairs of EUs: %#x for this one", mask,
                        where, fusing->name, pair);
    }
    return result;
}

static int check_masks(const struct fusing *fusing)
{
    const struct tally_fuses *fuses = fusing->fuses;
    bool can = fusing->rule->parts;
    int result = check_mask(fusing, "slice_disable", "", fuses->slice_disable,
                            can ? parts(fusing->slices) : 0);
    for (unsigned s = 0; result == 0 && s < TALLY_FUSE_SLICES; s++) {
        char where[24];
        snprintf(where, sizeof where, " of slice %u", s);
        result = check_mask(fusing, "subslice_disable", where, fuses->subslice_disable[s],
                            can && s < fusing->slices ? parts(fusing->subslices) : 0);
        for (unsigned ss = 0; result == 0 && ss < TALLY_FUSE_SUBSLICES; ss++)
            result = check_eus(fusing, s, ss);
    }
    return result;
}

static void apply(const struct tally_fuses *fuses, struct intel_topology *topology)
{
    topology->slices &= (uint8_t)~fuses->slice_disable;
    for (unsigned s = 0; s < INTEL_SLICES; s++) {
        uint32_t mask = topology->slices >> s & 1
                            ? topology->subslices[s] & ~(uint32_t)fuses->subslice_disable[s]
                            : 0;
        topology->subslices[s] = 0;
        for (unsigned ss = 0; ss < INTEL_SUBSLICES; ss++) {
            uint32_t eus = mask >> ss & 1 ? topology->eus[s][ss] : 0;
            if (eus)
                eus &= ~(uint32_t)fuses->eu_disable[s][ss];
            topology->eus[s][ss] = (uint16_t)eus;
            topology->subslices[s] |= (uint32_t)(eus != 0) << ss;
        }
        if (!topology->subslices[s])
            topology->slices &= (uint8_t) ~(1u << s);
    }
}

/* Writes "10, 8 or 6": the bits of a mask, highest first. */
static const char *list_counts(uint16_t counts, char *text, size_t size)
{
    size_t used = 0;
    for (unsigned left = count_bits(counts), n = 16; n-- > 0;)
        if (counts >> n & 1) {
            const char *gap = !used ? "" : left > 1 ? ", " : " or ";
            used += (size_t)snprintf(text + used, size - used, "%s%u", gap, n);
            left--;
        }
    return text;
}

/* Checks what is left: EUs, the same ones in all subslices if they have one fuse. */
static int check_rest(const struct fusing *fusing, const struct intel_topology *topology)
{
    const struct fuse_rule *rule = fusing->rule;
    uint16_t first = 0;
    char counts[32];
    if (!topology->slices)
        return fail(fusing->error, -EINVAL,
                    "fuses disable all EUs of %s, expected one or more left", fusing->name);
    for (unsigned s = 0; s < fusing->slices; s++)
        for (unsigned ss = 0; ss < fusing->subslices; ss++) {
            uint16_t eus = topology->eus[s][ss];
            first = first ? first : eus;
            if (rule->common && eus && eus != first)
                return fail(fusing->error, -EINVAL,
                            "eu_disable %#x of subslice %u in slice %u of %s, expected %#x as in "
                            "the subslices before it: one fuse is for all of them",
                            fusing->fuses->eu_disable[s][ss], ss, s, fusing->name,
                            parts(fusing->eus) & ~(uint32_t)first);
        }
    if (rule->counts && !(rule->counts >> count_bits(first) & 1))
        return fail(fusing->error, -EINVAL,
                    "fuses leave %u EUs in each subslice of %s, expected %s", count_bits(first),
                    fusing->name, list_counts(rule->counts, counts, sizeof counts));
    return 0;
}

int intel_topology_fuse(const struct intel_sku *sku, const struct tally_fuses *fuses,
                        struct intel_topology *out, struct tally_error *error)
{
    static const struct tally_fuses none;
    const struct intel_platform *platform = intel_sku_platform(sku);
    intel_topology_of(sku, 0, out);
    if (!memcmp(fuses, &none, sizeof none))
        return 0;
    const struct fuse_rule *rule = platform->oa ? &rules[platform->revision] : NULL;
    struct fusing fusing = {
        fuses, rule, sku->info.slices, sku->info.subslices, sku->info.subslice_eus, error, ""};
    intel_sku_name(sku, fusing.name);
    if (!rule || !rule->together)
        return fail(error, -EINVAL,
                    "fuses of slices, subslices or EUs of %s, expected a platform that has them "
                    "(hsw, and Gen8 on)",
                    fusing.name);
    int result = check_masks(&fusing);
    if (result < 0)
        return result;
    apply(fuses, out);
    return check_rest(&fusing, out);
}

int tally_sku_fuse(const struct tally_sku *sku, const struct tally_fuses *fuses,
                   struct tally_topology *out, struct tally_error *error)
{
    struct intel_topology topology;
    int result = intel_topology_fuse(intel_sku_of(sku), fuses, &topology, error);
    if (result == 0)
        *out = intel_topology_public(&topology);
    return result;
}

/* ---- text ------------------------------------------------------------------------------------ */

enum kind { SLICE, SUBSLICE, EU, L3, VDBOX, VEBOX, KINDS };

static const struct {
    const char *name, *form;
    unsigned indices; /* numbers that may precede the mask */
} kinds[KINDS] = {
    [SLICE] = {"slice", "slice=MASK", 0},
    [SUBSLICE] = {"subslice", "subslice=[SLICE:]MASK", 1},
    [EU] = {"eu", "eu=[SLICE:[SUBSLICE:]]MASK", 2},
    [L3] = {"l3", "l3=MASK", 0},
    [VDBOX] = {"vdbox", "vdbox=MASK", 0},
    [VEBOX] = {"vebox", "vebox=MASK", 0},
};

/* A fuse as it is written: the numbers before the mask select a slice, and a subslice. */
struct fuse_item {
    const char *text;
    int size; /* of the text */
    enum kind kind;
    unsigned numbers; /* those given, without the mask */
    uint32_t number[2], mask;
};

static int find_kind(struct fuse_item *item, size_t size, struct tally_error *error)
{
    const char *names[KINDS];
    char name[16];
    for (unsigned i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        item->kind = (enum kind)i;
        if (size == strlen(names[i]) && !memcmp(item->text, names[i], size))
            return 0;
    }
    snprintf(name, sizeof name, "%.*s", (int)size, item->text);
    const char *nearest = nearest_word(name, names, KINDS);
    return fail(error, -EINVAL, "fuse \"%.*s\": unknown name, expected %s%s", item->size,
                item->text, nearest ? nearest : "slice, subslice, eu, l3, vdbox or vebox",
                nearest ? " (of slice, subslice, eu, l3, vdbox and vebox)" : "");
}

/* Reads a decimal or 0x number up to its end. Returns NULL if there is none. */
static const char *read_number(const char *text, uint32_t *out)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    unsigned long value = strtoul(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    *out = (uint32_t)value;
    return value > UINT32_MAX ? NULL : end;
}

static int read_item(struct fuse_item *item, struct tally_error *error)
{
    const char *end = item->text + item->size;
    const char *equals = memchr(item->text, '=', (size_t)item->size);
    int result =
        find_kind(item, equals ? (size_t)(equals - item->text) : (size_t)item->size, error);
    if (result < 0)
        return result;
    const char *at = equals ? read_number(equals + 1, &item->mask) : NULL;
    for (item->numbers = 0; at && *at == ':' && item->numbers < kinds[item->kind].indices;) {
        item->number[item->numbers++] = item->mask;
        at = read_number(at + 1, &item->mask);
    }
    return at == end ? 0
                     : fail(error, -EINVAL, "fuse \"%.*s\": expected %s", item->size, item->text,
                            kinds[item->kind].form);
}

/* Checks that the numbers select parts of the SKU, and the mask fits. */
static int check_item(const struct fuse_item *item, const struct tally_sku *sku,
                      struct tally_error *error)
{
    static const char *const names[] = {"slice", "subslice"};
    static const uint32_t masks[KINDS] = {UINT8_MAX,  UINT8_MAX,  UINT16_MAX,
                                          UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const unsigned counts[] = {sku->slices, sku->subslices};
    for (unsigned i = 0; i < item->numbers; i++)
        if (item->number[i] >= counts[i])
            return fail(error, -EINVAL, "fuse \"%.*s\": %s %u of %s/%s, expected 0 to %u",
                        item->size, item->text, names[i], item->number[i], sku->platform, sku->name,
                        counts[i] - 1);
    if (item->mask & ~masks[item->kind])
        return fail(error, -EINVAL, "fuse \"%.*s\": mask %#x, expected at most %#x", item->size,
                    item->text, item->mask, masks[item->kind]);
    return 0;
}

static bool selects(const struct fuse_item *item, unsigned slice, unsigned subslice)
{
    return (item->numbers < 1 || item->number[0] == slice) &&
           (item->numbers < 2 || item->number[1] == subslice);
}

static void add_item(const struct fuse_item *item, const struct tally_sku *sku,
                     struct tally_gpu_config *config)
{
    struct tally_fuses *fuses = &config->fuses;
    switch (item->kind) {
    case SLICE:
        fuses->slice_disable |= (uint8_t)item->mask;
        break;
    case L3:
        config->l3_disable |= item->mask;
        break;
    case VDBOX:
        config->vdbox_disable |= item->mask;
        break;
    case VEBOX:
        config->vebox_disable |= item->mask;
        break;
    default:
        for (unsigned s = 0; s < sku->slices; s++)
            for (unsigned ss = 0; ss < sku->subslices; ss++) {
                if (item->kind == SUBSLICE && selects(item, s, 0))
                    fuses->subslice_disable[s] |= (uint8_t)item->mask;
                if (item->kind == EU && selects(item, s, ss))
                    fuses->eu_disable[s][ss] |= (uint16_t)item->mask;
            }
    }
}

int intel_fuses_parse(const char *text, struct tally_gpu_config *config, struct tally_error *error)
{
    const struct intel_sku *modelled =
        intel_sku_modelled(config->platform ? config->platform : "", "GPU", error);
    if (!modelled)
        return -EINVAL;
    for (const char *at = text;; at++) {
        struct fuse_item item = {.text = at, .size = (int)strcspn(at, ",")};
        int result = read_item(&item, error);
        if (result == 0)
            result = check_item(&item, &modelled->info, error);
        if (result < 0)
            return result;
        add_item(&item, &modelled->info, config);
        at += item.size;
        if (!*at)
            return 0;
    }
}
