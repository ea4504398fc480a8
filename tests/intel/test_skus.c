/* SPDX-License-Identifier: MIT */
/* The SKUs: their properties, their PCI ids, and names such as "hsw/gt3". */
#include "intel/tests.h"

#include <errno.h>

#include "base/bits.h"
#include "intel/batches.h"
#include "intel/platforms.h"
#include "intel/skus.h"

static const struct sku_row {
    unsigned line;
    const char *name;
    unsigned slices, subslices, eus; /* subslices per slice, all EUs */
    unsigned threads;                /* per EU */
    unsigned device, revision;
    const char *chipset;
    uint64_t subslice_mask;
} rows[] = {
    // clang-format off
    {__LINE__, "snb/gt1", 1, 1, 6, 4, 0x0106, 0x09, "SNB", 0x1},
    {__LINE__, "snb/gt2", 1, 1, 12, 5, 0x0126, 0x09, "SNB", 0x1},
    {__LINE__, "ivb/gt1", 1, 1, 6, 6, 0x0156, 0x09, "IVB", 0x1},
    {__LINE__, "ivb/gt2", 1, 1, 16, 8, 0x0166, 0x09, "IVB", 0x1},
    {__LINE__, "vlv/gt", 1, 1, 4, 8, 0x0f31, 0x0e, "VLV", 0x1},
    {__LINE__, "hsw/gt1", 1, 1, 10, 7, 0x0402, 0x06, "HSW", 0x1},
    {__LINE__, "hsw/gt2", 1, 2, 20, 7, 0x0416, 0x06, "HSW", 0x3},
    {__LINE__, "hsw/gt3", 2, 2, 40, 7, 0x0d26, 0x08, "HSW", 0x1b},
    {__LINE__, "bdw/gt1", 1, 2, 12, 7, 0x1606, 0x09, "BDW", 0x3},
    {__LINE__, "bdw/gt2", 1, 3, 24, 7, 0x1616, 0x09, "BDW", 0x7},
    {__LINE__, "bdw/gt3", 2, 3, 48, 7, 0x1626, 0x09, "BDW", 0x3f},
    {__LINE__, "chv/2x8", 1, 2, 16, 7, 0x22b1, 0x21, "CHV", 0x3},
    {__LINE__, "chv/2x6", 1, 2, 12, 7, 0x22b1, 0x21, "CHV", 0x3},
    {__LINE__, "skl/gt1", 1, 2, 12, 7, 0x1902, 0x06, "SKLGT1", 0x3},
    {__LINE__, "skl/gt1.5", 1, 3, 18, 7, 0x1913, 0x07, "SKLGT1", 0x7},
    {__LINE__, "skl/gt2", 1, 3, 24, 7, 0x1912, 0x07, "SKLGT2", 0x7},
    {__LINE__, "skl/gt3", 2, 3, 48, 7, 0x1926, 0x0a, "SKLGT3", 0x3f},
    {__LINE__, "skl/gt4", 3, 3, 72, 7, 0x193b, 0x09, "SKLGT4", 0x1ff},
    {__LINE__, "bxt/2x6", 1, 2, 12, 6, 0x5a85, 0x0b, "BXT", 0x3},
    {__LINE__, "bxt/3x6", 1, 3, 18, 6, 0x5a84, 0x0b, "BXT", 0x7},
    {__LINE__, "glk/2x6", 1, 2, 12, 6, 0x3185, 0x03, "GLK", 0x3},
    {__LINE__, "glk/3x6", 1, 3, 18, 6, 0x3184, 0x03, "GLK", 0x7},
    {__LINE__, "kbl/gt1", 1, 2, 12, 7, 0x5902, 0x04, "KBLGT1", 0x3},
    {__LINE__, "kbl/gt1.5", 1, 3, 18, 7, 0x5913, 0x02, "KBLGT1", 0x7},
    {__LINE__, "kbl/gt2", 1, 3, 24, 7, 0x5912, 0x04, "KBLGT2", 0x7},
    {__LINE__, "kbl/gt3", 2, 3, 48, 7, 0x5926, 0x06, "KBLGT3", 0x3f},
    {__LINE__, "kbl/gt4", 3, 3, 72, 7, 0x593b, 0x04, "KBLGT3", 0x1ff},
    {__LINE__, "cfl/gt1", 1, 2, 12, 7, 0x3e90, 0x00, "CFLGT1", 0x3},
    {__LINE__, "cfl/gt2", 1, 3, 24, 7, 0x3e92, 0x00, "CFLGT2", 0x7},
    {__LINE__, "cfl/gt3", 2, 3, 48, 7, 0x3ea5, 0x01, "CFLGT3", 0x3f},
    {__LINE__, "cnl/gt0.5", 1, 2, 16, 7, 0x5a49, 0x00, "CNL", 0x3},
    {__LINE__, "cnl/gt1", 1, 3, 24, 7, 0x5a42, 0x00, "CNL", 0x7},
    {__LINE__, "cnl/gt1.5", 1, 4, 32, 7, 0x5a5a, 0x00, "CNL", 0xf},
    {__LINE__, "cnl/gt2", 1, 5, 40, 7, 0x5a52, 0x00, "CNL", 0x1f},
    {__LINE__, "icl/gt0.5", 1, 1, 8, 7, 0x8a71, 0x07, "ICL", 0x1},
    {__LINE__, "icl/gt1", 1, 4, 32, 7, 0x8a56, 0x07, "ICL", 0xf},
    {__LINE__, "icl/gt1.5", 1, 6, 48, 7, 0x8a5a, 0x07, "ICL", 0x3f},
    {__LINE__, "icl/gt2", 1, 8, 64, 7, 0x8a52, 0x07, "ICL", 0xff},
    {__LINE__, "lkf/gt1.5", 1, 6, 48, 7, 0x9841, 0x07, "LKF", 0x3f},
    {__LINE__, "lkf/gt2", 1, 8, 64, 7, 0x9840, 0x07, "LKF", 0xff},
    {__LINE__, "ehl/2x4", 1, 2, 8, 7, 0x4541, 0x01, "EHL", 0x3},
    {__LINE__, "ehl/2x8", 1, 2, 16, 7, 0x4e55, 0x01, "EHL", 0x3},
    {__LINE__, "ehl/4x4", 1, 4, 16, 7, 0x4551, 0x01, "EHL", 0xf},
    {__LINE__, "ehl/4x5", 1, 4, 20, 7, 0x4557, 0x01, "EHL", 0xf},
    {__LINE__, "ehl/4x6", 1, 4, 24, 7, 0x4e61, 0x01, "EHL", 0xf},
    {__LINE__, "ehl/4x8", 1, 4, 32, 7, 0x4571, 0x01, "EHL", 0xf},
    {__LINE__, "tgl/gt1", 1, 2, 32, 7, 0x9a60, 0x01, "TGLGT1", 0x3},
    {__LINE__, "tgl/gt2", 1, 6, 96, 7, 0x9a49, 0x01, "TGLGT2", 0x3f},
    {__LINE__, "rkl/gt0.5", 1, 1, 16, 7, 0x4c8c, 0x04, "RKL", 0x1},
    {__LINE__, "rkl/gt1", 1, 2, 32, 7, 0x4c8a, 0x04, "RKL", 0x3},
    {__LINE__, "dg1/gt2", 1, 6, 96, 7, 0x4905, 0x01, "DG1", 0x3f},
    {__LINE__, "adl/gt0.5", 1, 1, 16, 7, 0x46d2, 0x00, "ADL", 0x1},
    {__LINE__, "adl/gt1", 1, 2, 32, 7, 0x4680, 0x0c, "ADL", 0x3},
    {__LINE__, "adl/gt2", 1, 6, 96, 7, 0x46a6, 0x0c, "ADL", 0x3f},
    {__LINE__, "dg2/gt1", 1, 8, 128, 8, 0x56a5, 0x05, "ACMGT1", 0xff},
    {__LINE__, "dg2/gt2", 1, 16, 256, 8, 0x56a3, 0x01, "ACMGT2", 0xffff},
    {__LINE__, "dg2/gt3", 1, 32, 512, 8, 0x56a0, 0x08, "ACMGT3", 0xffffffff},
    {__LINE__, "mtl/gt2", 1, 4, 64, 8, 0x7d45, 0x08, "MTLGT2", 0xf},
    {__LINE__, "mtl/gt3", 1, 8, 128, 8, 0x7d55, 0x08, "MTLGT3", 0xff},
    // clang-format on
};

/* ---- properties ------------------------------------------------------------------------------ */

static void test_properties(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sku_row *row = &rows[i];
        const struct tally_sku *sku = tally_sku_find(row->name);
        struct tally_topology topology;
        char name[SKU_NAME_BYTES];
        if (!ROW(row->line, sku && sku == tally_sku_at(i), "%s: not found in its place", row->name))
            continue;
        ROW(row->line,
            sku->slices == row->slices && sku->subslices == row->subslices &&
                sku_eus(sku) == row->eus && sku->eu_threads == row->threads,
            "%s: %u x %u, %u EUs with %u threads", row->name, sku->slices, sku->subslices,
            sku_eus(sku), sku->eu_threads);
        ROW(row->line, sku->device_id == row->device && sku->pci_revision == row->revision,
            "%s: device %04x, revision %02x", row->name, sku->device_id, sku->pci_revision);
        ROW(row->line, !strcmp(sku->chipset, row->chipset), "%s: %s", row->name, sku->chipset);
        ROW(row->line, !strcmp(intel_sku_name(intel_sku_of(sku), name), row->name), "%s is %s",
            row->name, name);
        tally_sku_topology(sku, 0, &topology);
        ROW(row->line,
            topology.slices == row->slices && topology.subslices == row->slices * row->subslices &&
                topology.eus == row->eus && topology.slice_mask == low_bits(row->slices) &&
                topology.subslice_mask == row->subslice_mask,
            "%s: %u slices, %u subslices, %u EUs, mask 0x%" PRIx64, row->name, topology.slices,
            topology.subslices, topology.eus, topology.subslice_mask);
    }
    assert_int_equal(tally_sku_count(), COUNT(rows));
    assert_null(tally_sku_at(COUNT(rows)));
    ROWS_DONE();
}

/* A SKU fits into its platform, whose common SKU it may be. */
static void test_platforms_and_skus_agree(void **state)
{
    (void)state;
    const struct tally_platform *platform;
    const struct tally_sku *sku;
    for (size_t i = 0; (sku = tally_sku_at(i)); i++) {
        platform = tally_platform_find(sku->platform);
        if (!ROW(__LINE__, platform != NULL, "%s: unknown platform", sku->platform))
            continue;
        ROW(__LINE__,
            sku->slices <= platform->max_slices && sku->subslices <= platform->max_subslices &&
                sku->subslice_eus <= platform->max_eus,
            "%s/%s: %u x %u x %u", sku->platform, sku->name, sku->slices, sku->subslices,
            sku->subslice_eus);
        ROW(__LINE__, sku->gt_min_mhz < sku->gt_max_mhz, "%s/%s", sku->platform, sku->name);
        ROW(__LINE__, !strncmp(sku->title, platform->title, strlen(platform->title)), "%s",
            sku->title);
        const struct oa_variant *oa = intel_platform_of(platform)->oa;
        ROW(__LINE__, !oa || !oa->subslices || sku->slices * sku->subslices <= oa->subslices,
            "%s/%s: the OA unit has %u subslices", sku->platform, sku->name,
            oa ? oa->subslices : 0);
    }
    for (size_t i = 0; (platform = tally_platform_at(i)); i++) {
        sku = tally_sku_find(platform->name);
        ROW(__LINE__,
            sku && sku->device_id == platform->example_device &&
                sku_eus(sku) == platform->example_eus && sku->eu_threads == platform->eu_threads &&
                sku->gt_max_mhz == platform->gt_max_mhz,
            "%s: the common SKU is not that of device %04x", platform->name,
            platform->example_device);
    }
    ROWS_DONE();
}

/* OA-7: the common SKUs of modelled platforms, and the clock range of Haswell GT3. */
static void test_common_skus(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform, *sku;
        unsigned low, high;
    } common[] = {
        {__LINE__, "snb", "gt2", 350, 1350}, {__LINE__, "ivb", "gt2", 350, 1350},
        {__LINE__, "vlv", "gt", 311, 896},   {__LINE__, "hsw", "gt2", 200, 1350},
        {__LINE__, "bdw", "gt2", 300, 950},  {__LINE__, "chv", "2x8", 200, 700},
        {__LINE__, "skl", "gt2", 300, 1150}, {__LINE__, "icl", "gt2", 300, 1100},
        {__LINE__, "lkf", "gt2", 200, 500},  {__LINE__, "tgl", "gt2", 350, 1350},
        {__LINE__, "rkl", "gt1", 350, 1300}, {__LINE__, "dg1", "gt2", 300, 1650},
        {__LINE__, "adl", "gt2", 300, 1400}, {__LINE__, "hsw/gt3", "gt3", 200, 1300},
    };
    for (size_t i = 0; i < COUNT(common); i++) {
        const struct tally_sku *sku = tally_sku_find(common[i].platform);
        ROW(common[i].line,
            sku && !strcmp(sku->name, common[i].sku) && sku->gt_min_mhz == common[i].low &&
                sku->gt_max_mhz == common[i].high,
            "%s is %s", common[i].platform, sku ? sku->name : "unknown");
    }
    ROWS_DONE();
}

/* With fewer EUs, whole subslices are fused off first, in all slices evenly. */
static void test_fused_topologies(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *sku;
        unsigned eus, slices, subslices;
        uint64_t mask;
        unsigned max_slices, max_subslices, max_eus;
    } fused[] = {
        {__LINE__, "skl/gt4", 72, 3, 9, 0x1ff, 3, 4, 8},
        {__LINE__, "skl/gt4", 40, 3, 5, 0x5b, 3, 4, 8},
        {__LINE__, "skl/gt4", 8, 1, 1, 1, 3, 4, 8},
        {__LINE__, "tgl", 80, 1, 5, 0x1f, 1, 6, 16},
        {__LINE__, "bdw/gt1", 12, 1, 2, 3, 3, 3, 8},
        {__LINE__, "hsw/gt1", 0, 1, 1, 1, 1, 1, 10},
        {__LINE__, "hsw/gt2", 0, 1, 2, 3, 1, 2, 10},
        {__LINE__, "hsw/gt3", 0, 2, 4, 0x1b, 2, 2, 10},
    };
    for (size_t i = 0; i < COUNT(fused); i++) {
        struct tally_topology t;
        tally_sku_topology(tally_sku_find(fused[i].sku), fused[i].eus, &t);
        ROW(fused[i].line,
            t.slices == fused[i].slices && t.subslices == fused[i].subslices &&
                t.subslice_mask == fused[i].mask && (!fused[i].eus || t.eus == fused[i].eus),
            "%s: %u slices, %u subslices 0x%" PRIx64 ", %u EUs", fused[i].sku, t.slices,
            t.subslices, t.subslice_mask, t.eus);
        ROW(fused[i].line,
            t.max_slices == fused[i].max_slices && t.max_subslices == fused[i].max_subslices &&
                t.max_eus == fused[i].max_eus,
            "%s: dimensions %u x %u x %u", fused[i].sku, t.max_slices, t.max_subslices, t.max_eus);
    }
    ROWS_DONE();
}

/* Only the common SKU of Ivy Bridge has a reserved counter (document 000, A33). */
static void test_reserved_counters(void **state)
{
    (void)state;
    for (size_t i = 0; i < intel_sku_count; i++) {
        char name[SKU_NAME_BYTES];
        intel_sku_name(&intel_skus[i], name);
        for (unsigned a = 0; a < 128; a++)
            ROW(__LINE__,
                intel_sku_reserves(&intel_skus[i], a) == (a == 33 && !strcmp(name, "ivb/gt2")),
                "%s: A%u", name, a);
    }
    ROWS_DONE();
}

/* ---- devices --------------------------------------------------------------------------------- */

static void test_each_id_belongs_to_its_sku(void **state)
{
    (void)state;
    for (size_t i = 0; i < intel_sku_count; i++) {
        const struct intel_sku *sku = &intel_skus[i];
        size_t size = strlen(sku->info.chipset);
        ROW(__LINE__, size >= 3 && size < sizeof((struct tally_device *)0)->chipset,
            "%s: chipset %s", sku->info.title, sku->info.chipset);
        ROW(__LINE__, sku->ids[SKU_IDS - 1] == 0, "%s: the ids have no end", sku->info.title);
        for (size_t k = 0; sku->ids[k]; k++) {
            struct tally_device found;
            ROW(__LINE__, tally_sku_of_device(sku->ids[k]) == &sku->info, "device %04x",
                sku->ids[k]);
            ROW(__LINE__,
                !tally_device_find(sku->ids[k], &found) && found.id == sku->ids[k] &&
                    found.platform == tally_platform_find(sku->info.platform) &&
                    !strcmp(found.chipset, sku->info.chipset),
                "device %04x", sku->ids[k]);
        }
    }
    assert_null(tally_sku_of_device(0));
    assert_null(tally_sku_of_device(0xffff));
    assert_null(tally_sku_of_device(0x10416));
    ROWS_DONE();
}

static void test_ids_are_unique(void **state)
{
    (void)state;
    const char **skus = calloc(65536, sizeof *skus);
    assert_non_null(skus);
    for (size_t i = 0; i < intel_sku_count; i++)
        for (const uint16_t *id = intel_skus[i].ids; *id; id++) {
            ROW(__LINE__, !skus[*id], "device %04x is %s and %s", *id, skus[*id],
                intel_skus[i].info.title);
            skus[*id] = intel_skus[i].info.title;
        }
    free(skus);
    ROWS_DONE();
}

/* All ids of each SKU in ascending order, from the public lists of Linux and Mesa; those of
 * Lakefield from OA-7. */
static const struct ids_row {
    unsigned line;
    const char *sku;
    uint16_t ids[SKU_IDS];
} all_ids[] = {
    {__LINE__, "snb/gt1", {0x0102, 0x0106, 0x010a}},
    {__LINE__, "snb/gt2", {0x0112, 0x0116, 0x0122, 0x0126}},
    {__LINE__, "ivb/gt1", {0x0152, 0x0156, 0x015a}},
    {__LINE__, "ivb/gt2", {0x0162, 0x0166, 0x016a}},
    {__LINE__, "vlv/gt", {0x0f30, 0x0f31, 0x0f32, 0x0f33}},
    {__LINE__, "hsw/gt1", {0x0402, 0x0406, 0x040a, 0x040b, 0x040e, 0x0a02, 0x0a06,
                           0x0a0a, 0x0a0b, 0x0a0e, 0x0c02, 0x0c06, 0x0c0a, 0x0c0b,
                           0x0c0e, 0x0d02, 0x0d06, 0x0d0a, 0x0d0b, 0x0d0e}},
    {__LINE__, "hsw/gt2", {0x0412, 0x0416, 0x041a, 0x041b, 0x041e, 0x0a12, 0x0a16,
                           0x0a1a, 0x0a1b, 0x0a1e, 0x0c12, 0x0c16, 0x0c1a, 0x0c1b,
                           0x0c1e, 0x0d12, 0x0d16, 0x0d1a, 0x0d1b, 0x0d1e}},
    {__LINE__, "hsw/gt3", {0x0422, 0x0426, 0x042a, 0x042b, 0x042e, 0x0a22, 0x0a26,
                           0x0a2a, 0x0a2b, 0x0a2e, 0x0c22, 0x0c26, 0x0c2a, 0x0c2b,
                           0x0c2e, 0x0d22, 0x0d26, 0x0d2a, 0x0d2b, 0x0d2e}},
    {__LINE__, "bdw/gt1", {0x1602, 0x1606, 0x160a, 0x160b, 0x160d, 0x160e}},
    {__LINE__, "bdw/gt2", {0x1612, 0x1616, 0x161a, 0x161b, 0x161d, 0x161e}},
    {__LINE__,
     "bdw/gt3",
     {0x1622, 0x1626, 0x162a, 0x162b, 0x162d, 0x162e, 0x1632, 0x1636, 0x163a, 0x163b, 0x163d,
      0x163e}},
    {__LINE__, "chv/2x8", {0x22b0, 0x22b1, 0x22b2, 0x22b3}},
    {__LINE__, "skl/gt1", {0x1902, 0x1906, 0x190a, 0x190b, 0x190e}},
    {__LINE__, "skl/gt1.5", {0x1913, 0x1915, 0x1917}},
    {__LINE__, "skl/gt2", {0x1912, 0x1916, 0x191a, 0x191b, 0x191d, 0x191e, 0x1921}},
    {__LINE__, "skl/gt3", {0x1923, 0x1926, 0x1927, 0x192a, 0x192b, 0x192d}},
    {__LINE__, "skl/gt4", {0x1932, 0x193a, 0x193b, 0x193d}},
    {__LINE__, "bxt/2x6", {0x1a85, 0x5a85}},
    {__LINE__, "bxt/3x6", {0x0a84, 0x1a84, 0x5a84}},
    {__LINE__, "glk/2x6", {0x3185}},
    {__LINE__, "glk/3x6", {0x3184}},
    {__LINE__, "kbl/gt1", {0x5902, 0x5906, 0x5908, 0x590a, 0x590b, 0x590e}},
    {__LINE__, "kbl/gt1.5", {0x5913, 0x5915}},
    {__LINE__,
     "kbl/gt2",
     {0x5912, 0x5916, 0x5917, 0x591a, 0x591b, 0x591c, 0x591d, 0x591e, 0x5921, 0x87c0}},
    {__LINE__, "kbl/gt3", {0x5923, 0x5926, 0x5927}},
    {__LINE__, "kbl/gt4", {0x593b}},
    {__LINE__,
     "cfl/gt1",
     {0x3e90, 0x3e93, 0x3e99, 0x3e9c, 0x3ea1, 0x3ea4, 0x9b21, 0x9ba2, 0x9ba4, 0x9ba5, 0x9ba8,
      0x9baa, 0x9bac}},
    {__LINE__, "cfl/gt2", {0x3e91, 0x3e92, 0x3e94, 0x3e96, 0x3e98, 0x3e9a, 0x3e9b,
                           0x3ea0, 0x3ea3, 0x3ea9, 0x87ca, 0x9b41, 0x9bc2, 0x9bc4,
                           0x9bc5, 0x9bc6, 0x9bc8, 0x9bca, 0x9bcc, 0x9be6, 0x9bf6}},
    {__LINE__, "cfl/gt3", {0x3ea2, 0x3ea5, 0x3ea6, 0x3ea7, 0x3ea8}},
    {__LINE__, "cnl/gt0.5", {0x5a49, 0x5a4a, 0x5a4c}},
    {__LINE__, "cnl/gt1", {0x5a40, 0x5a41, 0x5a42, 0x5a44}},
    {__LINE__, "cnl/gt1.5", {0x5a59, 0x5a5a, 0x5a5c}},
    {__LINE__, "cnl/gt2", {0x5a50, 0x5a51, 0x5a52, 0x5a54}},
    {__LINE__, "icl/gt0.5", {0x8a70, 0x8a71}},
    {__LINE__, "icl/gt1", {0x8a56, 0x8a58, 0x8a5b, 0x8a5d}},
    {__LINE__, "icl/gt1.5", {0x8a54, 0x8a57, 0x8a59, 0x8a5a, 0x8a5c}},
    {__LINE__, "icl/gt2", {0x8a50, 0x8a51, 0x8a52, 0x8a53}},
    {__LINE__, "lkf/gt1.5", {0x9841}},
    {__LINE__, "lkf/gt2", {0x9840}},
    {__LINE__, "ehl/2x4", {0x4541}},
    {__LINE__, "ehl/2x8", {0x4555, 0x4e55}},
    {__LINE__, "ehl/4x4", {0x4551, 0x4e51}},
    {__LINE__, "ehl/4x5", {0x4557, 0x4e57}},
    {__LINE__, "ehl/4x6", {0x4e61}},
    {__LINE__, "ehl/4x8", {0x4500, 0x4571, 0x4e71}},
    {__LINE__, "tgl/gt1", {0x9a60, 0x9a68, 0x9a70}},
    {__LINE__, "tgl/gt2", {0x9a40, 0x9a49, 0x9a59, 0x9a78, 0x9ac0, 0x9ac9, 0x9ad9, 0x9af8}},
    {__LINE__, "rkl/gt0.5", {0x4c8c}},
    {__LINE__, "rkl/gt1", {0x4c80, 0x4c8a, 0x4c8b, 0x4c90, 0x4c9a}},
    {__LINE__, "dg1/gt2", {0x4905, 0x4906, 0x4907, 0x4908, 0x4909}},
    {__LINE__, "adl/gt0.5", {0x468b, 0x46d2}},
    {__LINE__,
     "adl/gt1",
     {0x4680, 0x4682, 0x4688, 0x468a, 0x4690, 0x4692, 0x4693, 0x46d0, 0x46d1, 0xa780, 0xa781,
      0xa782, 0xa783, 0xa788, 0xa789, 0xa78a, 0xa78b}},
    {__LINE__, "adl/gt2", {0x4626, 0x4628, 0x462a, 0x46a0, 0x46a1, 0x46a2, 0x46a3,
                           0x46a6, 0x46a8, 0x46aa, 0x46b0, 0x46b1, 0x46b2, 0x46b3,
                           0x46c0, 0x46c1, 0x46c2, 0x46c3, 0xa720, 0xa721, 0xa7a0,
                           0xa7a1, 0xa7a8, 0xa7a9, 0xa7aa, 0xa7ab, 0xa7ac, 0xa7ad}},
    {__LINE__, "dg2/gt1", {0x5693, 0x5694, 0x5695, 0x56a5, 0x56a6, 0x56b0, 0x56b1, 0x56c1}},
    {__LINE__, "dg2/gt2", {0x5696, 0x5697, 0x56a3, 0x56a4, 0x56b2, 0x56b3}},
    {__LINE__, "dg2/gt3", {0x5690, 0x5691, 0x5692, 0x56a0, 0x56a1, 0x56a2, 0x56c0}},
    {__LINE__, "mtl/gt2", {0x7d40, 0x7d45, 0x7d60}},
    {__LINE__, "mtl/gt3", {0x7d55, 0x7dd5}},
};

static void test_all_ids(void **state)
{
    (void)state;
    size_t listed = 0, known = 0;
    for (size_t i = 0; i < COUNT(all_ids); i++)
        for (size_t k = 0; k < SKU_IDS && all_ids[i].ids[k]; k++, listed++) {
            const struct tally_sku *sku = tally_sku_of_device(all_ids[i].ids[k]);
            ROW(all_ids[i].line, sku && sku == tally_sku_find(all_ids[i].sku), "%04x is %s",
                all_ids[i].ids[k], sku ? sku->title : "unknown");
        }
    for (size_t i = 0; i < intel_sku_count; i++)
        for (const uint16_t *id = intel_skus[i].ids; *id; id++)
            known++;
    ROW(__LINE__, known == listed, "%u ids, not %u", (unsigned)known, (unsigned)listed);
    ROWS_DONE();
}

/* The clock range of a platform is that of its SKUs (OA-7; of platforms that it does not have, of
 * public lists of products), but Haswell GT3 has its own. */
static void test_clock_ranges(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned low, high;
    } ranges[] = {
        {__LINE__, "snb", 350, 1350}, {__LINE__, "ivb", 350, 1350}, {__LINE__, "vlv", 311, 896},
        {__LINE__, "hsw", 200, 1350}, {__LINE__, "bdw", 300, 950},  {__LINE__, "chv", 200, 700},
        {__LINE__, "skl", 300, 1150}, {__LINE__, "bxt", 100, 800},  {__LINE__, "glk", 100, 800},
        {__LINE__, "kbl", 300, 1150}, {__LINE__, "cfl", 300, 1200}, {__LINE__, "cnl", 300, 1000},
        {__LINE__, "icl", 300, 1100}, {__LINE__, "lkf", 200, 500},  {__LINE__, "ehl", 250, 850},
        {__LINE__, "tgl", 350, 1350}, {__LINE__, "rkl", 350, 1300}, {__LINE__, "dg1", 300, 1650},
        {__LINE__, "adl", 300, 1400}, {__LINE__, "dg2", 300, 2400}, {__LINE__, "mtl", 300, 2300},
    };
    const struct tally_sku *sku;
    for (size_t i = 0; (sku = tally_sku_at(i)); i++) {
        bool own = sku == tally_sku_find("hsw/gt3");
        size_t at = 0;
        while (at < COUNT(ranges) && strcmp(ranges[at].platform, sku->platform) != 0)
            at++;
        if (!ROW(__LINE__, at < COUNT(ranges), "%s: unknown", sku->platform))
            continue;
        ROW(ranges[at].line,
            sku->gt_min_mhz == ranges[at].low && sku->gt_max_mhz == (own ? 1300 : ranges[at].high),
            "%s: %u to %u MHz", sku->title, sku->gt_min_mhz, sku->gt_max_mhz);
    }
    ROWS_DONE();
}

static void test_known_devices(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t id;
        const char *sku;
    } known[] = {
        {__LINE__, 0x0102, "snb/gt1"},   {__LINE__, 0x0112, "snb/gt2"},
        {__LINE__, 0x0152, "ivb/gt1"},   {__LINE__, 0x0162, "ivb/gt2"},
        {__LINE__, 0x0402, "hsw/gt1"},   {__LINE__, 0x0412, "hsw/gt2"},
        {__LINE__, 0x0a2e, "hsw/gt3"},   {__LINE__, 0x1606, "bdw/gt1"},
        {__LINE__, 0x162b, "bdw/gt3"},   {__LINE__, 0x22b0, "chv/2x8"},
        {__LINE__, 0x1906, "skl/gt1"},   {__LINE__, 0x1926, "skl/gt3"},
        {__LINE__, 0x193b, "skl/gt4"},   {__LINE__, 0x8a56, "icl/gt1"},
        {__LINE__, 0x8a71, "icl/gt0.5"}, {__LINE__, 0x9841, "lkf/gt1.5"},
        {__LINE__, 0x9a60, "tgl/gt1"},   {__LINE__, 0x4c8c, "rkl/gt0.5"},
        {__LINE__, 0x4680, "adl/gt1"},   {__LINE__, 0x46d2, "adl/gt0.5"},
        {__LINE__, 0xa7a0, "adl/gt2"},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        const struct tally_sku *sku = tally_sku_of_device(known[i].id);
        ROW(known[i].line, sku && sku == tally_sku_find(known[i].sku), "%04x is %s", known[i].id,
            sku ? sku->title : "unknown");
    }
    ROWS_DONE();
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* MI_SET_PREDICATE executes commands with one, two or three slices (modes 5 to 7). */
static void test_predicates_by_slices(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *gpu;
        uint32_t slices;
    } gpus[] = {
        {__LINE__, "bdw", 1},     {__LINE__, "bdw/gt3", 2}, {__LINE__, "chv/2x6", 1},
        {__LINE__, "skl/gt1", 1}, {__LINE__, "skl", 1},     {__LINE__, "skl/gt3", 2},
        {__LINE__, "skl/gt4", 3},
    };
    for (size_t i = 0; i < COUNT(gpus); i++) {
        struct gpu_rig *rig = gpu_rig_awake(gpus[i].line, gpus[i].gpu);
        struct batch batch;
        batch_begin(&batch, rig);
        for (uint32_t n = 1; n <= 3; n++)
            EMIT(&batch, 0x00800000 | (4 + n), 0x10400002, BATCH_RESULTS + 4 * n, 0, 0x600d,
                 0x00800000);
        batch_submit(&batch, "rcs0");
        batch_finish(&batch, gpus[i].line);
        for (uint32_t n = 1; n <= 3; n++)
            ROW(gpus[i].line,
                gpu_rig_peek(rig, TALLY_GPU_GGTT, BATCH_RESULTS + 4 * n) ==
                    (n == gpus[i].slices ? 0x600d : 0),
                "%s: mode %u", gpus[i].gpu, 4 + n);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* RID, and the device id, in configuration space. */
static void test_configuration_space(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_sku *sku = tally_sku_find(rows[i].name);
        if (!intel_modelled(sku->platform))
            continue;
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].name);
        uint32_t id = tally_gpu_pci_read(rig->gpu, 2, 2, 2);
        uint32_t revision = tally_gpu_pci_read(rig->gpu, 2, 8, 1);
        ROW(rows[i].line, id == rows[i].device && revision == rows[i].revision,
            "%s: device %04x, revision %02x", rows[i].name, (unsigned)id, (unsigned)revision);
        ROW(rows[i].line, tally_gpu_eus(rig->gpu) == rows[i].eus, "%s: %u EUs", rows[i].name,
            tally_gpu_eus(rig->gpu));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- names ----------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const char *const unknown[] = {"",         "/",        "hsw/",      "/gt3",   "hsw/gt4",
                                          "hsw/gt",   "hsw /gt3", "hsw/gt3 ",  "hswgt3", "xyz/gt2",
                                          "hsw/gt/3", "hsw//gt3", "sklgt4/gt4"};
    for (size_t i = 0; i < COUNT(unknown); i++)
        ROW(__LINE__, !tally_sku_find(unknown[i]), "%s", unknown[i]);
    assert_ptr_equal(tally_sku_find("HSW/GT3"), tally_sku_find("hsw/gt3"));
    assert_ptr_equal(tally_sku_find("ICL/gt1.5"), tally_sku_find("icl/gt1.5"));
    ROWS_DONE();
}

static void test_messages(void **state)
{
    (void)state;
#define MODELS "snb, ivb, vlv, hsw, bdw, chv, skl, icl, lkf, tgl, rkl, dg1 or adl"
    static const struct {
        unsigned line;
        const char *name, *message; /* NULL: found */
    } names[] = {
        {__LINE__, "hsw", NULL},
        {__LINE__, "hsw/gt3", NULL},
        {__LINE__, "hsw/gt33", "unknown SKU \"gt33\" of hsw, expected gt3 (of gt1, gt2 or gt3)"},
        {__LINE__, "skl/gt5",
         "unknown SKU \"gt5\" of skl, expected gt1 (of gt1, gt1.5, gt2, gt3 or gt4)"},
        {__LINE__, "skl/xyz", "unknown SKU \"xyz\" of skl, expected gt1, gt1.5, gt2, gt3 or gt4"},
        {__LINE__, "chv/", "unknown SKU \"\" of chv, expected 2x8 or 2x6"},
        {__LINE__, "vlv/gt1", "unknown SKU \"gt1\" of vlv, expected gt"},
        {__LINE__, "hws/gt3", "platform \"hws/gt3\" has no GPU model, expected " MODELS},
        {__LINE__, "kbl/gt3", "platform \"kbl/gt3\" has no GPU model, expected " MODELS},
        {__LINE__, "", "platform \"\" has no GPU model, expected " MODELS},
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        struct tally_error error = {0};
        const struct intel_sku *sku = intel_sku_modelled(names[i].name, "GPU", &error);
        ROW(names[i].line, !sku == (names[i].message != NULL), "\"%s\"", names[i].name);
        ROW(names[i].line, !strcmp(error.message, names[i].message ? names[i].message : ""), "%s",
            error.message);
    }
    ROWS_DONE();
}

int test_skus(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_platforms_and_skus_agree),
        cmocka_unit_test(test_common_skus),
        cmocka_unit_test(test_fused_topologies),
        cmocka_unit_test(test_reserved_counters),
        cmocka_unit_test(test_each_id_belongs_to_its_sku),
        cmocka_unit_test(test_ids_are_unique),
        cmocka_unit_test(test_known_devices),
        cmocka_unit_test(test_all_ids),
        cmocka_unit_test(test_clock_ranges),
        cmocka_unit_test(test_predicates_by_slices),
        cmocka_unit_test(test_configuration_space),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests_name("skus", tests, NULL, NULL);
}
