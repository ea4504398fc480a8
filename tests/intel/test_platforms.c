/* SPDX-License-Identifier: MIT */
/* Platform properties and PCI device ids: OA-7, PERF-1.7, PERF-2.3, PERF-4.8. */
#include "intel/tests.h"

#include <ctype.h>
#include <errno.h>

#include "intel/platforms.h"

/* ---- platforms ----------------------------------------------------------------------------- */

/* Section 7. `mhz` is 0 where the document gives two ranges. */
static void test_facts_of_platforms(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        unsigned version, eus, eus_per_subslice, threads, timestamp_khz, min_mhz, max_mhz, device;
    } rows[] = {
        {__LINE__, "snb", 60, 12, 12, 5, 12500, 350, 1350, 0x0126}, /* OA-U21: 5 threads */
        {__LINE__, "ivb", 70, 16, 16, 8, 12500, 350, 1350, 0x0166},
        {__LINE__, "vlv", 70, 4, 4, 8, 12500, 311, 896, 0x0f31},
        {__LINE__, "hsw", 75, 20, 10, 7, 12500, 200, 1350, 0x0416},
        {__LINE__, "chv", 80, 16, 8, 7, 12500, 200, 0, 0x22b1},
        {__LINE__, "bdw", 80, 24, 8, 7, 12500, 300, 950, 0x1616},
        {__LINE__, "skl", 90, 24, 8, 7, 12000, 300, 1150, 0x1912},
        {__LINE__, "icl", 110, 64, 8, 7, 12000, 300, 1100, 0x8a52},
        {__LINE__, "lkf", 110, 64, 8, 7, 19200, 200, 500, 0x9840}, /* OA-U22 */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_platform *platform = tally_platform_find(rows[i].name);
        unsigned line = rows[i].line;
        if (!ROW(line, platform != NULL, "no platform %s", rows[i].name))
            continue;
        ROW(line, platform->version == rows[i].version, "version %u", platform->version);
        ROW(line, platform->example_eus == rows[i].eus, "%u EUs", platform->example_eus);
        ROW(line, platform->max_eus == rows[i].eus_per_subslice, "%u EUs a subslice",
            platform->max_eus);
        ROW(line, platform->eu_threads == rows[i].threads, "%u threads", platform->eu_threads);
        ROW(line, platform->timestamp_hz == rows[i].timestamp_khz * 1000, "%u Hz",
            platform->timestamp_hz);
        ROW(line, platform->gt_min_mhz == rows[i].min_mhz, "%u MHz", platform->gt_min_mhz);
        ROW(line, !rows[i].max_mhz || platform->gt_max_mhz == rows[i].max_mhz, "%u MHz",
            platform->gt_max_mhz);
        ROW(line, platform->example_device == rows[i].device, "device %04x",
            platform->example_device);
    }
    ROWS_DONE();
}

/* PERF-1.7: the dimensions of the kernel's topology reply, on Haswell those of GT3; OA-2.3: the
 * clocks; PERF-Q23: the shift.
 */
static void test_shapes_and_clocks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platforms;
        unsigned slices, subslices, eus, shift;
    } rows[] = {
        // clang-format off
        {__LINE__, "hsw", 2, 2, 10, 0},
        {__LINE__, "bdw", 3, 3, 8, 0},
        {__LINE__, "chv", 1, 2, 8, 0},
        {__LINE__, "skl kbl cfl", 3, 4, 8, 0},
        {__LINE__, "bxt glk", 1, 3, 8, 0},
        {__LINE__, "icl", 1, 8, 8, 0},
        {__LINE__, "ehl", 1, 4, 8, 0},
        {__LINE__, "tgl rkl dg1 adl", 1, 6, 16, 0},
        {__LINE__, "dg2", 1, 32, 16, 1},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[64], *at = NULL;
        snprintf(text, sizeof text, "%s", rows[i].platforms);
        for (char *name = strtok_r(text, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
            const struct tally_platform *platform = tally_platform_find(name);
            if (!ROW(rows[i].line, platform != NULL, "no platform %s", name))
                continue;
            ROW(rows[i].line,
                platform->max_slices == rows[i].slices &&
                    platform->max_subslices == rows[i].subslices &&
                    platform->max_eus == rows[i].eus,
                "%s: %u x %u x %u", name, platform->max_slices, platform->max_subslices,
                platform->max_eus);
            ROW(rows[i].line, platform->oa_timestamp_shift == rows[i].shift, "%s: shift %u", name,
                platform->oa_timestamp_shift);
        }
    }
    ROWS_DONE();
}

static void test_every_platform_is_complete(void **state)
{
    (void)state;
    const struct tally_platform *platform;
    size_t count = 0;
    for (; (platform = tally_platform_at(count)); count++) {
        const char *name = platform->name;
        char upper[16] = {0};
        struct tally_device device;
        for (size_t i = 0; name[i] && i < sizeof upper - 1; i++)
            upper[i] = (char)toupper((unsigned char)name[i]);
        ROW(__LINE__, tally_platform_find(name) == platform, "%s is not itself", name);
        ROW(__LINE__, tally_platform_find(upper) == platform, "%s is not %s", upper, name);
        ROW(__LINE__, platform->title && *platform->title, "%s has no title", name);
        ROW(__LINE__, platform->report_id <= TALLY_REPORT_ID_GEN12, "%s", name);
        ROW(__LINE__, platform->gt_min_mhz && platform->gt_min_mhz < platform->gt_max_mhz, "%s",
            name);
        ROW(__LINE__, platform->timestamp_hz >= 12000000, "%s", name);
        ROW(__LINE__,
            platform->example_eus && platform->example_eus <= platform->max_slices *
                                                                  platform->max_subslices *
                                                                  platform->max_eus,
            "%s: %u EUs", name, platform->example_eus);
        /* The format with all counters exists; the driver does not support SNB, IVB and VLV. */
        const struct tally_layout *layout =
            tally_layout_for_kernel(platform, platform->default_format);
        bool in_driver = platform->version >= 75;
        ROW(__LINE__, (layout != NULL) == in_driver, "%s: format %u", name,
            platform->default_format);
        ROW(__LINE__, !layout || layout->size_bytes == 256, "%s", name);
        ROW(__LINE__,
            !tally_device_find(platform->example_device, &device) && device.platform == platform,
            "%s: device %04x", name, platform->example_device);
    }
    assert_int_equal(count, tally_platform_count());
    assert_null(tally_platform_at(SIZE_MAX));
    assert_null(tally_platform_find(""));
    assert_null(tally_platform_find("hsw "));
    assert_null(tally_platform_find("sklgt2"));
    assert_null(tally_platform_find("gen8")); /* a family of layouts, not a platform */
    ROWS_DONE();
}

/* Layout of the report id: PERF-4.6. */
static void test_identities(void **state)
{
    (void)state;
    const struct tally_platform *platform;
    for (size_t i = 0; (platform = tally_platform_at(i)); i++) {
        enum tally_report_id expected = platform->version < 80    ? TALLY_REPORT_ID_GEN6
                                        : platform->version < 90  ? TALLY_REPORT_ID_GEN8
                                        : platform->version < 120 ? TALLY_REPORT_ID_GEN9
                                                                  : TALLY_REPORT_ID_GEN12;
        ROW(__LINE__, platform->report_id == expected, "%s: %u", platform->name,
            platform->report_id);
    }
    ROWS_DONE();
}

/* ---- devices ------------------------------------------------------------------------------- */

static void test_known_devices(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t id;
        const char *chipset, *platform; /* NULL: not in the table */
    } rows[] = {
        /* The examples of OA-7, and others that public id lists agree on. */
        {__LINE__, 0x0126, "SNB", "snb"},
        {__LINE__, 0x0166, "IVB", "ivb"},
        {__LINE__, 0x0f31, "VLV", "vlv"},
        {__LINE__, 0x0416, "HSW", "hsw"},
        {__LINE__, 0x0d26, "HSW", "hsw"},
        {__LINE__, 0x0412, "HSW", "hsw"},
        {__LINE__, 0x22b1, "CHV", "chv"},
        {__LINE__, 0x1616, "BDW", "bdw"},
        {__LINE__, 0x1906, "SKLGT1", "skl"},
        {__LINE__, 0x1912, "SKLGT2", "skl"},
        {__LINE__, 0x1926, "SKLGT3", "skl"},
        {__LINE__, 0x193b, "SKLGT4", "skl"},
        {__LINE__, 0x5a84, "BXT", "bxt"},
        {__LINE__, 0x3184, "GLK", "glk"},
        {__LINE__, 0x5912, "KBLGT2", "kbl"},
        {__LINE__, 0x5926, "KBLGT3", "kbl"},
        {__LINE__, 0x3e92, "CFLGT2", "cfl"},
        {__LINE__, 0x3ea5, "CFLGT3", "cfl"},
        {__LINE__, 0x5a52, "CNL", "cnl"},
        {__LINE__, 0x8a52, "ICL", "icl"},
        {__LINE__, 0x9840, "LKF", "lkf"},
        {__LINE__, 0x9841, "LKF", "lkf"},
        {__LINE__, 0x4571, "EHL", "ehl"},
        {__LINE__, 0x9a49, "TGLGT2", "tgl"},
        {__LINE__, 0x9a60, "TGLGT1", "tgl"},
        {__LINE__, 0x4c8a, "RKL", "rkl"},
        {__LINE__, 0x4905, "DG1", "dg1"},
        {__LINE__, 0x46a6, "ADL", "adl"},
        {__LINE__, 0x56a0, "ACMGT3", "dg2"},
        {__LINE__, 0x56a5, "ACMGT1", "dg2"},
        {__LINE__, 0x7d40, "MTLGT2", "mtl"},
        {__LINE__, 0x7d55, "MTLGT3", "mtl"},
        {__LINE__, 0, NULL, NULL},
        {__LINE__, 1, NULL, NULL},
        {__LINE__, 0xffff, NULL, NULL},
        {__LINE__, 0x10416, NULL, NULL}, /* more than 16 bits: not a device id */
        {__LINE__, 0x80860416, NULL, NULL},
        {__LINE__, UINT32_MAX, NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_device device = {.id = 0xabcd};
        int result = tally_device_find(rows[i].id, &device);
        if (!rows[i].chipset)
            ROW(rows[i].line, result == -ENODEV && device.id == 0xabcd, "%04x is %s", rows[i].id,
                device.chipset);
        else if (ROW(rows[i].line, result == 0, "%04x: %d", rows[i].id, result))
            ROW(rows[i].line,
                device.id == rows[i].id && !strcmp(device.chipset, rows[i].chipset) &&
                    !strcmp(device.platform->name, rows[i].platform),
                "%04x is %s of %s", rows[i].id, device.chipset, device.platform->name);
    }
    ROWS_DONE();
}

/* ---- capabilities ---------------------------------------------------------------------------- */

#define GEN6     "snb"
#define GEN7     "ivb vlv"
#define TO_HSW   GEN6 " " GEN7 " hsw"
#define GEN8     "bdw chv"
#define GEN9     "skl bxt glk kbl cfl cnl"
#define GEN11    "icl lkf ehl"
#define GEN12    "tgl rkl dg1 adl"
#define XE       "dg2 mtl"
#define BDW_UP   GEN8 " " GEN9 " " GEN11 " " GEN12
#define MODEL_11 "icl lkf"
#define MODELLED TO_HSW " bdw chv skl " MODEL_11 " " GEN12

/* The value of a member on some platforms. The others have another value: that of their own row, or
 * 0. */
#define CAPABILITY(member, value, platforms)                                                       \
    {                                                                                              \
        __LINE__, #member, offsetof(struct intel_platform, member),                                \
            sizeof(((struct intel_platform *)0)->member), value, platforms                         \
    }

static const struct capability {
    unsigned line;
    const char *name;
    size_t offset, size;
    uint64_t value;
    const char *platforms;
} capabilities[] = {
    // clang-format off
    /* Equations: PERF-4; the reply's dimensions: PERF-1.7. */
    CAPABILITY(aggregates, AGGREGATES_SNB, GEN6),
    CAPABILITY(aggregates, AGGREGATES_IVB, GEN7 " hsw"),
    CAPABILITY(aggregates, AGGREGATES_FLEXIBLE, BDW_UP),
    CAPABILITY(aggregates, AGGREGATES_FIXED, XE),
    CAPABILITY(subslice_mask_bits, 3, TO_HSW " " GEN8 " " GEN9),
    CAPABILITY(subslice_mask_bits, 8, GEN11 " " GEN12 " " XE),
    CAPABILITY(sku_topology, true, TO_HSW),
    /* Command streamer and pipeline: OA-2.13, OA-12, the documents 000 and 002. */
    CAPABILITY(wide_addresses, true, BDW_UP),
    CAPABILITY(corrupts_report_id, true, GEN8),
    CAPABILITY(submission, SUBMISSION_PORT, GEN8 " " GEN9),
    CAPABILITY(submission, SUBMISSION_QUEUE, GEN11 " " GEN12),
    CAPABILITY(pipeline, PIPELINE_GEN7, GEN7 " hsw"),
    CAPABILITY(pipeline, PIPELINE_GEN8, BDW_UP),
    CAPABILITY(kills_count_twice, true, GEN6 " " GEN7),
    CAPABILITY(ps_invocations_by_4, true, "hsw " GEN8),
    CAPABILITY(hiz_passes_missed, true, "ivb"),
    /* The GT. */
    CAPABILITY(interrupts, 1, MODEL_11 " " GEN12),
    CAPABILITY(steering, true, MODEL_11 " " GEN12),
    CAPABILITY(pages, PAGES_HSW, "hsw"),
    CAPABILITY(pages, PAGES_GEN8, "bdw " GEN9 " " GEN11 " " GEN12),
    CAPABILITY(pages, PAGES_CHV, "chv"),
    CAPABILITY(documented_power, true, "lkf " GEN12),
    CAPABILITY(documented_oa_interrupt, true, "lkf"),
    /* The driver: PERF-2.2, PERF-2.11, PERF-3; the public driver. */
    CAPABILITY(ggtt_bits, 31, TO_HSW),
    CAPABILITY(ggtt_bits, 32, "bdw chv skl " MODEL_11 " " GEN12),
    CAPABILITY(llc, true, "snb ivb hsw bdw skl icl lkf tgl rkl adl"),
    CAPABILITY(noa_on_by_rpm_config1, true, MODEL_11 " " GEN12),
    CAPABILITY(context_valid, 1u << 25, GEN8),
    CAPABILITY(context_valid, 1u << 16, "skl " MODEL_11 " " GEN12),
    CAPABILITY(tag.id, 0x1fffff, "bdw chv skl"),
    CAPABILITY(tag.id, 0xffc0, MODEL_11 " " GEN12),
    CAPABILITY(tag.mask, 0x1fffff, "bdw chv skl"),
    CAPABILITY(tag.mask, 0xffe0, MODEL_11 " " GEN12),
    CAPABILITY(power_state, 1, "skl"),
    CAPABILITY(power_state, 2, MODEL_11),
    CAPABILITY(client_sseu, true, MODEL_11),
    CAPABILITY(secure_batches, true, TO_HSW " bdw chv skl"),
    CAPABILITY(filters_in_unit, true, "hsw"),
    CAPABILITY(actual_frequency, true, "snb ivb hsw bdw skl " MODEL_11 " " GEN12),
    // clang-format on
};

/* Places in context images (PERF-5.2, PERF-5.4), as dwords. */
static const struct {
    unsigned line;
    const char *platforms;
    unsigned form, oactxcontrol, flex, oar_control, pages, relative, status;
} images[] = {
    {__LINE__, GEN8, 0, 0x120, 0x2ce, 0, 1, false, 0},
    {__LINE__, "skl", 1, 0x128, 0x3de, 0, 1, false, 0},
    {__LINE__, MODEL_11, 2, 0x124, 0x78e, 0, 2, true, 1},
    {__LINE__, GEN12, 3, 0x144, 0, 0x5b0, 2, true, 2},
};

static bool lists(const char *platforms, const char *name)
{
    const char *at = strstr(platforms, name);
    return at && (at == platforms || at[-1] == ' ');
}

static uint64_t member_of(const struct intel_platform *platform, const struct capability *row)
{
    uint64_t value = 0;
    const uint8_t *bytes = (const uint8_t *)platform + row->offset;
    uint32_t word = 0;
    if (row->size == sizeof word) {
        memcpy(&word, bytes, sizeof word);
        value = word;
    } else {
        value = *bytes;
    }
    return value;
}

static void test_capabilities(void **state)
{
    (void)state;
    for (size_t p = 0; p < tally_platform_count(); p++) {
        const struct intel_platform *platform = intel_platform_of(tally_platform_at(p));
        const char *name = platform->info.name;
        for (size_t i = 0; i < COUNT(capabilities); i++) {
            const struct capability *row = &capabilities[i];
            uint64_t value = member_of(platform, row);
            bool other = false;
            for (size_t k = 0; k < COUNT(capabilities); k++)
                other |=
                    capabilities[k].offset == row->offset && lists(capabilities[k].platforms, name);
            if (lists(row->platforms, name))
                ROW(row->line, value == row->value, "%s, %s: %" PRIx64, name, row->name, value);
            else if (!other)
                ROW(row->line, !value, "%s, %s: %" PRIx64, name, row->name, value);
        }
        bool has_image = false;
        for (size_t i = 0; i < COUNT(images); i++) {
            const struct intel_context_image *image = platform->image;
            if (!lists(images[i].platforms, name))
                continue;
            has_image = true;
            if (ROW(images[i].line, image != NULL, "%s: no image", name))
                ROW(images[i].line,
                    image->form == images[i].form &&
                        image->oactxcontrol == images[i].oactxcontrol &&
                        image->flex == images[i].flex &&
                        image->oar_control == images[i].oar_control &&
                        image->pages == images[i].pages && image->relative == images[i].relative &&
                        image->status == images[i].status,
                    "%s: form %u, %x, %x, %x, %u pages, %u, status %u", name, image->form,
                    image->oactxcontrol, image->flex, image->oar_control, image->pages,
                    image->relative, image->status);
        }
        ROW(__LINE__, has_image == (platform->image != NULL), "%s: image", name);
        ROW(__LINE__, lists(MODELLED, name) == (platform->oa != NULL), "%s: modelled", name);
    }
    ROWS_DONE();
}

int test_platforms(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts_of_platforms),
        cmocka_unit_test(test_shapes_and_clocks),
        cmocka_unit_test(test_every_platform_is_complete),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_known_devices),
        cmocka_unit_test(test_capabilities),
    };
    return cmocka_run_group_tests_name("platforms", tests, NULL, NULL);
}
