/* SPDX-License-Identifier: MIT */
/* The whole GPU from the CPU: configurations, wake, steering, interrupts, aliases, PCI. */
#include "intel/gpu_rig.h"

#define ALL_PLATFORMS(name)                                                                        \
    const char *name;                                                                              \
    for (unsigned name##_i = 0; (name = revision_name((enum intel_revision)name##_i)); name##_i++)

/* ---- configurations -------------------------------------------------------------------------- */

static void test_configurations(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct tally_gpu_config config;
        const char *message; /* NULL: valid */
        unsigned eus;
        uint32_t clock_hz, timestamp_hz;
    } rows[] = {
        /* Section 7: EUs, the highest clock, the TIMESTAMP frequency. */
        {__LINE__, {.platform = "snb"}, NULL, 12, 1350000000, 12500000},
        {__LINE__, {.platform = "hsw"}, NULL, 20, 1350000000, 12500000},
        {__LINE__, {.platform = "chv"}, NULL, 16, 700000000, 12500000},
        {__LINE__, {.platform = "skl"}, NULL, 24, 1150000000, 12000000},
        {__LINE__, {.platform = "icl"}, NULL, 64, 1100000000, 12000000},
        {__LINE__, {.platform = "lkf"}, NULL, 64, 500000000, 19200000},
        {__LINE__, {.platform = "lkf", .eus = 48}, NULL, 48, 500000000, 19200000},
        {__LINE__,
         {.platform = "skl", .clock_hz = 300000000, .timestamp_hz = 24000000},
         NULL,
         24,
         300000000,
         24000000},
        {__LINE__,
         {.platform = "dg2"},
         "platform \"dg2\" has no GPU model, expected snb, ivb, vlv, hsw, bdw, chv, skl, icl, "
         "lkf, tgl, rkl, dg1 or adl",
         0,
         0,
         0},
        {__LINE__,
         {.platform = NULL},
         "platform \"\" has no GPU model, expected snb, ivb, vlv, hsw, bdw, chv, skl, icl, lkf, "
         "tgl, rkl, dg1 or adl",
         0,
         0,
         0},
        {__LINE__,
         {.platform = "skl", .eus = 20},
         "skl/gt2 with 20 EUs, expected a multiple of 8, at most 24",
         0,
         0,
         0},
        {__LINE__,
         {.platform = "lkf", .eus = 72},
         "lkf/gt2 with 72 EUs, expected a multiple of 8, at most 64",
         0,
         0,
         0},
        {__LINE__, {.platform = "hsw/gt3"}, NULL, 40, 1300000000, 12500000},
        {__LINE__, {.platform = "bdw/gt1"}, NULL, 12, 950000000, 12500000},
        {__LINE__, {.platform = "skl/gt4"}, NULL, 72, 1150000000, 12000000},
        {__LINE__, {.platform = "skl/gt4", .eus = 64}, NULL, 64, 1150000000, 12000000},
        {__LINE__, {.platform = "lkf/gt1.5"}, NULL, 48, 500000000, 19200000},
        {__LINE__,
         {.platform = "lkf/gt1.5", .eus = 64},
         "lkf/gt1.5 with 64 EUs, expected a multiple of 8, at most 48",
         0,
         0,
         0},
        {__LINE__,
         {.platform = "hsw/gt4"},
         "unknown SKU \"gt4\" of hsw, expected gt1 (of gt1, gt2 or gt3)",
         0,
         0,
         0},
        {__LINE__, {.platform = "tgl"}, NULL, 96, 1350000000, 19200000},
        {__LINE__, {.platform = "tgl", .eus = 32}, NULL, 32, 1350000000, 19200000},
        {__LINE__, {.platform = "rkl"}, NULL, 32, 1300000000, 19200000},
        {__LINE__, {.platform = "dg1"}, NULL, 96, 1650000000, 19200000},
        {__LINE__, {.platform = "adl"}, NULL, 96, 1400000000, 19200000},
        {__LINE__,
         {.platform = "tgl", .eus = 72},
         "tgl/gt2 with 72 EUs, expected a multiple of 16, at most 96",
         0,
         0,
         0},
        {__LINE__,
         {.platform = "hsw", .eus = 40},
         "hsw/gt2 with 40 EUs, expected 20: the EU count is that of the SKU",
         0,
         0,
         0},
        {__LINE__,
         {.platform = "hsw", .clock_hz = 1000},
         "a clock of 1000 Hz, expected at least TIMESTAMP's 12500000 Hz",
         0,
         0,
         0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        struct tally_gpu *gpu = NULL;
        int result = tally_gpu_new(&rows[i].config, &gpu, &error);
        if (rows[i].message) {
            ROW(rows[i].line, result == -EINVAL && !strcmp(error.message, rows[i].message), "%d %s",
                result, error.message);
            continue;
        }
        if (!ROW(rows[i].line, result == 0, "%s", error.message))
            continue;
        ROW(rows[i].line, tally_gpu_eus(gpu) == rows[i].eus, "%u EUs", tally_gpu_eus(gpu));
        ROW(rows[i].line, tally_gpu_clock_hz(gpu) == rows[i].clock_hz, "%" PRIu32 " Hz",
            tally_gpu_clock_hz(gpu));
        ROW(rows[i].line, tally_gpu_timestamp_hz(gpu) == rows[i].timestamp_hz, "%" PRIu32 " Hz",
            tally_gpu_timestamp_hz(gpu));
        tally_gpu_free(gpu);
    }
    ROWS_DONE();
}

/* OA-1.5: registers by which tools determine the clocks. */
static void test_clock_registers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t clock_hz, timestamp_hz, address, value;
    } rows[] = {
        {__LINE__, "hsw", 1350000000, 0, 0xa01c, 27u << 7},
        {__LINE__, "bdw", 950000000, 0, 0xa01c, 19u << 7},
        {__LINE__, "skl", 1150000000, 0, 0xa01c, 69u << 23},
        {__LINE__, "skl", 316666667, 0, 0xa01c, 19u << 23},
        {__LINE__, "lkf", 500000000, 0, 0xa01c, 30u << 23},
        {__LINE__, "lkf", 0, 0, 0xd00, 0x14}, /* OA-U22 */
        {__LINE__, "icl", 0, 0, 0xd00, 0x04},
        {__LINE__, "icl", 0, 19200000, 0xd00, 0x14},
        {__LINE__, "icl", 0, 25000000, 0xd00, 0x1e},
        {__LINE__, "skl", 0, 0, 0xa26c, 0x04},
        {__LINE__, "skl", 0, 24000000, 0xa26c, 0x06},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_new(
            rows[i].line, &(struct tally_gpu_config){.platform = rows[i].platform,
                                                     .clock_hz = rows[i].clock_hz,
                                                     .timestamp_hz = rows[i].timestamp_hz,
                                                     .always_awake = true});
        uint32_t value = tally_gpu_read32(rig->gpu, rows[i].address);
        ROW(rows[i].line, value == rows[i].value, "%08" PRIx32, value);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT); /* OA-D46: the clocks continue */
        value = tally_gpu_read32(rig->gpu, rows[i].address);
        ROW(rows[i].line, value == rows[i].value, "%08" PRIx32 " after a reset", value);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- force wake ------------------------------------------------------------------------------ */

/* OA-4.3: a sleeping GT reads 0 and drops writes; the request wakes it after a delay. */
static void test_wake(void **state)
{
    (void)state;
    ALL_PLATFORMS(platform)
    {
        struct gpu_rig *rig = gpu_rig_new(
            __LINE__, &(struct tally_gpu_config){.platform = platform, .wake_clocks = 10});
        uint32_t control = rig->model >= INTEL_BDW ? oa_at(rig->model, 0x2b00) : 0x2360;
        tally_gpu_write32(rig->gpu, control, 0x15);
        ROW(__LINE__, !strcmp(tally_gpu_outcome(rig->gpu, control, true), "asleep"), "%s",
            platform);
        gpu_rig_wake(rig, true);
        tally_gpu_run(rig->gpu, 9);
        tally_gpu_write32(rig->gpu, control, 0x15);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, control) == 0, "%s: asleep", platform);
        tally_gpu_run(rig->gpu, 1);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, control) == 0, "%s: dropped", platform);
        ROW(__LINE__, !strcmp(tally_gpu_outcome(rig->gpu, control, true), "reached"), "%s",
            platform);
        tally_gpu_write32(rig->gpu, control, 0x15);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, control) == 0x15, "%s: awake", platform);
        gpu_rig_wake(rig, false);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, control) == 0, "%s: asleep again", platform);
        gpu_rig_wake(rig, true);
        tally_gpu_run(rig->gpu, 10);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, control) == 0x15, "%s: it was kept", platform);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x7ffc) == 0, "%s: nothing there", platform);
        ROW(__LINE__, !strcmp(tally_gpu_outcome(rig->gpu, 0x7ffc, false), "unimplemented"), "%s",
            platform);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- steering (OA-4.5)
 * -------------------------------------------------------------------------- */

static void test_steering(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t steering, value; /* steering of the write, and its value */
        unsigned subslice;        /* subslice that is read */
        uint32_t expected;
    } rows[] = {
        {__LINE__, 0x80000000, 0x11111111, 0, 0x11111111},
        {__LINE__, 0x83000000, 0x22222222, 5, 0x22222222}, /* multicast */
        {__LINE__, 0x03000000, 0x33333333, 3, 0x33333333}, /* unicast */
        {__LINE__, 0x03000000, 0x44444444, 2, 0x22222222},
        {__LINE__, 0x07000000, 0x55555555, 7, 0}, /* of 6 subslices */
        {__LINE__, 0x80000000, 0x66666666, 7, 0},
        {__LINE__, 0x80000000, 0x66666666, 3, 0x66666666},
    };
    struct gpu_rig *rig = gpu_rig_new(
        __LINE__, &(struct tally_gpu_config){.platform = "lkf", .eus = 48, .always_awake = true});
    for (size_t i = 0; i < COUNT(rows); i++) {
        tally_gpu_write32(rig->gpu, 0xfdc, rows[i].steering);
        tally_gpu_write32(rig->gpu, 0xe65c, rows[i].value);
        tally_gpu_write32(rig->gpu, 0xfdc, rows[i].subslice << 24);
        uint32_t value = tally_gpu_read32(rig->gpu, 0xe65c);
        ROW(rows[i].line, value == rows[i].expected, "%08" PRIx32, value);
    }
    tally_gpu_write32(rig->gpu, 0xfdc, 0x07000000);
    ROW(__LINE__, !strcmp(tally_gpu_outcome(rig->gpu, 0xe65c, false), "fused off"), "%s",
        tally_gpu_outcome(rig->gpu, 0xe65c, false));
    /* Before Gen11 all accesses are multicast. */
    struct gpu_rig *old = gpu_rig_awake(__LINE__, "skl");
    tally_gpu_write32(old->gpu, 0xe658, 0x1234);
    ROW(__LINE__, tally_oa_read_subslice(tally_gpu_oa(old->gpu), 2, 0xe658) == 0x1234, "skl");
    gpu_rig_free(old);
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Services one interrupt before Gen11. */
struct group {
    uint32_t imr, iir, ier, master, bit;
};

static struct group half_full_group(enum intel_revision model)
{
    return model < INTEL_BDW ? (struct group){0x44014, 0x44018, 0x4401c, 0x4400c, 1u << 9}
                             : (struct group){0x44334, 0x44338, 0x4433c, 0x44200, 1u << 28};
}

/* The timer fills the smallest report buffer. */
static void start_reports(struct gpu_rig *rig)
{
    struct tally_gpu *gpu = rig->gpu;
    if (rig->model >= INTEL_BDW) {
        tally_gpu_write32(gpu, 0x2b20, ~(1u << 28)); /* OA_IMR */
        tally_gpu_write32(gpu, 0x2b14, 1);           /* GGTT, 128 KiB */
        tally_gpu_write32(gpu, 0x2360, 3);
        tally_gpu_write32(gpu, 0x2b00, 0x15);
        return;
    }
    tally_gpu_write32(gpu, 0x2368, 1); /* GGTT */
    tally_gpu_write32(gpu, 0x23b0, 0);
    tally_gpu_write32(gpu, 0x2360, 1u << 5 | 1);
}

/* After half a buffer the interrupt is sent once, after its reports are written; 1 clears the
 * status bit. */
static void test_half_full(void **state)
{
    (void)state;
    ALL_PLATFORMS(platform)
    {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, platform);
        if (rig->model == INTEL_SNB || rig->model >= INTEL_ICL) { /* SNB does not have it */
            gpu_rig_free(rig);
            continue;
        }
        struct group group = half_full_group(rig->model);
        uint32_t half = rig->model < INTEL_HSW ? 0x2000 : 0x10000;
        tally_gpu_write32(rig->gpu, group.imr, ~group.bit);
        tally_gpu_write32(rig->gpu, group.ier, group.bit);
        tally_gpu_write32(rig->gpu, group.master, 0x80000000);
        start_reports(rig);
        for (unsigned i = 0; !rig->rises && i < 10000; i++)
            tally_gpu_run(rig->gpu, 1000);
        uint32_t used = (uint32_t)gpu_rig_value(rig, "used");
        ROW(__LINE__, rig->rises == 1, "%s: %u", platform, rig->rises);
        ROW(__LINE__, used >= half && used < half + 0x800, "%s: %" PRIx32, platform, used);
        ROW(__LINE__, gpu_rig_peek(rig, TALLY_GPU_GGTT, used - 0x100 + 4) != 0, "%s: written",
            platform);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, group.iir) == group.bit, "%s", platform);
        tally_gpu_write32(rig->gpu, group.iir, group.bit);
        ROW(__LINE__, rig->falls == 1, "%s: the line falls", platform);
        tally_gpu_run(rig->gpu, 20000);
        ROW(__LINE__, rig->rises == 1, "%s: half full once", platform);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* The service routine of OA-3.6 on the GPU: OA's message, host and scheduler. */
static void test_interrupt_tree(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "lkf");
    struct tally_gpu *gpu = rig->gpu;
    tally_gpu_write32(gpu, 0x19003c, 0x0000ffff);
    tally_gpu_write32(gpu, 0x1900ec, 0xffff0000);
    tally_gpu_write32(gpu, 0x190010, 0x80000000);
    tally_gpu_scheduler_write32(gpu, 0x19003c, 0x0000ffff);
    tally_gpu_scheduler_write32(gpu, 0x1900ec, 0xffff0000);
    start_reports(rig);
    for (unsigned i = 0; !rig->rises && i < 10000; i++)
        tally_gpu_run(gpu, 1000);
    assert_int_equal(rig->rises, 1);
    assert_int_equal(rig->vectors[0], 1);
    assert_int_equal(rig->vectors[1], 0);
    tally_gpu_write32(gpu, 0x190010, 0);
    assert_int_equal(rig->falls, 1);
    assert_int_equal(tally_gpu_read32(gpu, 0x190010), 1);
    assert_int_equal(tally_gpu_read32(gpu, 0x190018), 1u << 20);
    tally_gpu_write32(gpu, 0x190070, 1u << 20);
    assert_int_equal(tally_gpu_read32(gpu, 0x190060), 0x80241000); /* OA-8 */
    tally_gpu_write32(gpu, 0x190060, 0x80000000);
    tally_gpu_write32(gpu, 0x190018, 1u << 20);
    tally_gpu_write32(gpu, 0x190010, 0x80000000);
    assert_int_equal(rig->rises, 1);
    assert_int_equal(tally_gpu_scheduler_read32(gpu, 0x190018), 1u << 20);

    /* Other senders, other functions, other levels. */
    assert_int_equal(tally_gpu_interrupt(gpu, 7, 0, 0, 1), -EINVAL);
    gpu_rig_functions(rig, 3);
    tally_gpu_function_write32(gpu, 3, 0x190030, 0xffff0000);
    tally_gpu_function_write32(gpu, 3, 0x190090, 0);
    assert_int_equal(tally_gpu_interrupt(gpu, 0, 0, 3, 1), 0);
    assert_int_equal(tally_gpu_function_read32(gpu, 3, 0x190010), 1);
    assert_int_equal(tally_gpu_function_read32(gpu, 0, 0x190010), 0x80000000);
    assert_int_equal(tally_gpu_set_level(gpu, 29, true), 0);
    assert_int_equal(rig->rises, 2);
    assert_int_equal(tally_gpu_set_level(gpu, 5, true), -EINVAL);
    gpu_rig_free(rig);

    struct gpu_rig *old = gpu_rig_awake(__LINE__, "skl");
    assert_int_equal(tally_gpu_interrupt(old->gpu, 0, 0, 0, 1), -EINVAL);
    assert_int_equal(tally_gpu_set_level(old->gpu, 29, true), -EINVAL);
    assert_int_equal(tally_gpu_scheduler_read32(old->gpu, 0x1900ec), 0);
    gpu_rig_free(old);
}

/* ---- aliases and PCI ------------------------------------------------------------------------- */

static uint32_t hypervisor(void *context, uint32_t address)
{
    return *(uint32_t *)context + address;
}

static void test_aliases(void **state)
{
    (void)state;
    uint32_t base = 0x1000000;
    uint64_t value = 0;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "lkf");
    struct tally_gpu *gpu = rig->gpu;
    assert_int_equal(tally_gpu_set_mchbar(gpu, 0x145000, 8, 0x1122334455667788), 0);
    tally_gpu_write32(gpu, 0x145000, 0); /* no effect (OA-4.3) */
    assert_int_equal(tally_gpu_read32(gpu, 0x145004), 0x11223344);
    assert_int_equal(tally_gpu_read(gpu, 0x145002, 2, &value), 0);
    assert_int_equal(value, 0x5566);
    assert_int_equal(tally_gpu_read(gpu, 0x145000, 8, &value), 0);
    assert_true(value == 0x1122334455667788);
    assert_int_equal(tally_gpu_read(gpu, 0x145001, 2, &value), -EINVAL);
    assert_int_equal(tally_gpu_read(gpu, 0x145000, 1, &value), -EINVAL);
    assert_int_equal(tally_gpu_read32(gpu, 0x148000), 0); /* OA-E25 */
    assert_string_equal(tally_gpu_outcome(gpu, 0x145000, false), "mchbar");

    assert_int_equal(tally_gpu_read32(gpu, 0x178010), 0);
    tally_gpu_set_hypervisor(gpu, hypervisor, &base);
    assert_int_equal(tally_gpu_read32(gpu, 0x178010), 0x1178010);
    assert_string_equal(tally_gpu_outcome(gpu, 0x178010, true), "hypervisor");

    /* Other registers as words and quadwords. */
    tally_gpu_write32(gpu, 0xe658, 0xaabbccdd);
    assert_int_equal(tally_gpu_read(gpu, 0xe65a, 2, &value), 0);
    assert_int_equal(value, 0xaabb);
    assert_int_equal(tally_gpu_read(gpu, 0xe658, 3, &value), -EINVAL);
    tally_gpu_write32(gpu, 0xe65c, 0x11223344);
    assert_int_equal(tally_gpu_read(gpu, 0xe658, 8, &value), 0);
    assert_true(value == 0x11223344aabbccdd);

    assert_int_equal(tally_gpu_pci_read(gpu, 2, 0, 4), 0x98408086);
    assert_int_equal(tally_gpu_pci_read(gpu, 1, 0, 4), UINT32_MAX);
    gpu_rig_free(rig);

    struct gpu_rig *old = gpu_rig_awake(__LINE__, "hsw");
    assert_int_equal(tally_gpu_set_mchbar(old->gpu, 0x145000, 8, 1), -EINVAL);
    assert_int_equal(tally_gpu_pci_read(old->gpu, 2, 0, 4), 0x04168086);
    gpu_rig_free(old);
}

/* ---- the NOA network ------------------------------------------------------------------------- */

/* HSW: C2 counts the render clock, as metric sets assume; other platforms' buses are constant. */
static void test_clock_on_bus(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name(p));
        uint32_t control = p >= INTEL_BDW ? oa_at(rig->model, 0x2b00) : 0x2360;
        tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2714), 0x00800000); /* B and C start */
        tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2360), 1);
        tally_gpu_write32(rig->gpu, control, 0x15);
        tally_gpu_run(rig->gpu, 100);
        for (unsigned c = 0; c < 8; c++) {
            char name[] = {'c', (char)('0' + c), 0};
            uint64_t expected = p == INTEL_HSW && c == 2 ? 100 : 0;
            ROW(__LINE__, gpu_rig_value(rig, name) == expected, "%s: %s %" PRIu64, revision_name(p),
                name, gpu_rig_value(rig, name));
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- everything with a name ------------------------------------------------------------------ */

static const struct {
    unsigned line;
    uint32_t address;
    uint32_t platforms; /* INTEL_BIT() of the platforms that have it */
    uint32_t value;
} kept[] = {
    /* One register of each block, and the exceptions of each block. */
    {__LINE__, 0x2710, ~INTEL_BIT(INTEL_SNB) & 0x1f8, 0x1234},
    {__LINE__, 0x2600, 0x3f8, 0xcafe},     /* CS_GPR, from HSW on */
    {__LINE__, 0x2038, 0x3ff, 0xabcde000}, /* RING_START */
    {__LINE__, 0xa090, 0x3ff, 0x80000000}, /* RC_CONTROL */
    {__LINE__, 0x9840, 0x3f8, 0x80},       /* GDT_CHICKEN_BITS */
    {__LINE__, 0x20cc, 0x380, 0x83000000}, /* steering, from Gen11 on */
    {__LINE__, 0xd900, 0x200, 0x1234},     /* OAG, Gen12 */
    {__LINE__, 0x2960, 0x200, 0xb},        /* OAR */
};

static void test_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kept); i++)
        for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
            struct gpu_rig *rig = gpu_rig_awake(kept[i].line, revision_name(p));
            tally_gpu_write32(rig->gpu, kept[i].address, kept[i].value);
            uint32_t value = tally_gpu_read32(rig->gpu, kept[i].address);
            uint32_t expected = kept[i].platforms >> p & 1 ? kept[i].value : 0;
            ROW(kept[i].line, value == expected, "%s: %08" PRIx32, revision_name(p), value);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

int test_gpu_mmio(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations), cmocka_unit_test(test_clock_registers),
        cmocka_unit_test(test_wake),           cmocka_unit_test(test_steering),
        cmocka_unit_test(test_half_full),      cmocka_unit_test(test_interrupt_tree),
        cmocka_unit_test(test_aliases),        cmocka_unit_test(test_clock_on_bus),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests_name("gpu: mmio", tests, NULL, NULL);
}
