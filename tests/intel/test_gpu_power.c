/* SPDX-License-Identifier: MIT */
/* RC6, its blind spot and resets of the whole GPU: OA-2.7, OA-2.14; OA-D46. */
#include "intel/gpu_rig.h"

#include <errno.h>

#include "intel/gpu/gpu.h"
#include "intel/gt/power.h"

#define BLIND 100

static struct gpu_rig *sleepy(unsigned line, const char *platform)
{
    struct gpu_rig *rig = gpu_rig_new(
        line, &(struct tally_gpu_config){.platform = platform, .rc6_blind_clocks = BLIND});
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    return rig;
}

/* Counters are restored as saved: the counts of the blind spot are lost, and known. */
static void test_blind_spot(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const char *platform = revision_name(p);
        struct gpu_rig *rig = sleepy(__LINE__, platform);
        tally_gpu_run(rig->gpu, 1000);
        ROW(__LINE__, tally_gpu_enter_rc6(rig->gpu) == -EBUSY, "%s: awake", platform);
        gpu_rig_wake(rig, false);
        ROW(__LINE__, tally_gpu_enter_rc6(rig->gpu) == 0, "%s", platform);
        ROW(__LINE__, tally_gpu_enter_rc6(rig->gpu) == -EALREADY, "%s", platform);
        ROW(__LINE__, tally_gpu_in_rc6(rig->gpu), "%s", platform);
        uint64_t timestamp = gpu_rig_value(rig, "timestamp");
        tally_gpu_run(rig->gpu, 60);
        ROW(__LINE__, gpu_rig_value(rig, "a0") == 1060, "%s: still counting", platform);
        tally_gpu_run(rig->gpu, 1000000);
        ROW(__LINE__, gpu_rig_value(rig, "a0") == 1000 + BLIND, "%s: no clock", platform);
        ROW(__LINE__, gpu_rig_value(rig, "timestamp") > timestamp + 8000, "%s: TIMESTAMP advances",
            platform);
        gpu_rig_wake(rig, true);
        ROW(__LINE__, !tally_gpu_in_rc6(rig->gpu), "%s: a request ends it", platform);
        /* Before HSW counters and control are lost (OA-14.2). */
        if (p < INTEL_HSW) {
            ROW(__LINE__, gpu_rig_value(rig, "a0") == 0, "%s: lost", platform);
            ROW(__LINE__, tally_gpu_blind(rig->gpu, "a0") == 0, "%s: not restored", platform);
            ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x2360) == 0, "%s: OACONTROL", platform);
            gpu_rig_free(rig);
            continue;
        }
        ROW(__LINE__, gpu_rig_value(rig, "a0") == 1000, "%s: restored", platform);
        ROW(__LINE__, tally_gpu_blind(rig->gpu, "a0") == BLIND, "%s: lost", platform);
        ROW(__LINE__, tally_gpu_blind(rig->gpu, "a1") == 0, "%s", platform);
        ROW(__LINE__, tally_gpu_blind(rig->gpu, "x") == 0, "%s", platform);
        if (p >= INTEL_BDW) {
            ROW(__LINE__, gpu_rig_value(rig, "ticks") == 1000, "%s: GPU_TICKS holds (OA-1.6)",
                platform);
            ROW(__LINE__, tally_gpu_read32(rig->gpu, oa_at(rig->model, 0x2b00)) == 0x15,
                "%s: OACONTROL", platform);
            /* Its context is to be loaded again: until then nothing resumes. Not of Gen12, whose
             * control is no context's. */
            ROW(__LINE__, tally_gpu_read32(rig->gpu, oa_at(rig->model, 0x2360)) == (p >= INTEL_TGL),
                "%s: OACTXCONTROL", platform);
            tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2360), 1);
        }
        tally_gpu_run(rig->gpu, 10);
        ROW(__LINE__, gpu_rig_value(rig, "a0") == 1010, "%s: counts again", platform);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A 32-bit counter that wraps in the blind spot loses no more than it counted. */
static void test_blind_wrap(void **state)
{
    (void)state;
    struct gpu_rig *rig = sleepy(__LINE__, "hsw");
    tally_oa_poke(tally_gpu_oa(rig->gpu), "a0", 0xfffffff0);
    gpu_rig_wake(rig, false);
    assert_int_equal(tally_gpu_enter_rc6(rig->gpu), 0);
    tally_gpu_run(rig->gpu, BLIND);
    assert_int_equal(gpu_rig_value(rig, "a0"), BLIND - 16);
    tally_gpu_exit_rc6(rig->gpu);
    assert_int_equal(gpu_rig_value(rig, "a0"), 0xfffffff0);
    assert_int_equal(tally_gpu_blind(rig->gpu, "a0"), BLIND);
    gpu_rig_free(rig);
}

/* Registers that are lost, and those that a workaround batch restores (OA-2.14; "DFD Configuration
 * Restore"). */
static void test_lost_configuration(void **state)
{
    (void)state;
    static const struct tally_gpu_register batch[] = {
        {0xe180, 0x00ff00aa}, /* in the render well */
        {0x9840, 0x80},       /* in GTI: not restored */
    };
    struct gpu_rig *rig = sleepy(__LINE__, "lkf");
    struct tally_gpu *gpu = rig->gpu;
    assert_int_equal(tally_gpu_set_batch(gpu, TALLY_GPU_BATCH_RENDER, batch, 2), 1);
    assert_int_equal(tally_gpu_set_batch(gpu, TALLY_GPU_BATCHES, batch, 2), 0);
    tally_gpu_write32(gpu, 0x2b04, 0x00400040);
    tally_gpu_write32(gpu, 0x9840, 0x80);
    tally_gpu_write32(gpu, 0xe180, 0x00ff0055);
    tally_gpu_write32(gpu, 0xe658, 0x4321);
    tally_gpu_write32(gpu, 0x2710, 0x12);
    tally_gpu_write32(gpu, 0xfdc, 0x81000000);
    gpu_rig_wake(rig, false);
    assert_int_equal(tally_gpu_enter_rc6(gpu), 0);
    tally_gpu_run(gpu, 1000);
    gpu_rig_wake(rig, true);
    assert_int_equal(tally_gpu_read32(gpu, 0x2b04), 0); /* OA_DEBUG [K] */
    assert_int_equal(tally_gpu_read32(gpu, 0x9840), 0);
    assert_int_equal(tally_gpu_read32(gpu, 0xe180), 0xaa);
    assert_int_equal(tally_gpu_read32(gpu, 0xe658), 0x4321);
    assert_int_equal(tally_gpu_read32(gpu, 0x2710), 0x12);
    assert_int_equal(tally_gpu_read32(gpu, 0xfdc), 0x81000000);
    gpu_rig_free(rig);
}

/* The report buffer's pointers are restored: reports of the blind spot are overwritten. */
static void test_buffer_is_restored(void **state)
{
    (void)state;
    struct gpu_rig *rig = sleepy(__LINE__, "lkf");
    struct tally_gpu *gpu = rig->gpu;
    tally_gpu_write32(gpu, 0x2b14, 1);
    tally_gpu_write32(gpu, 0x2360, 3); /* a report every two ticks */
    tally_gpu_run(gpu, 500);
    uint32_t tail = tally_gpu_read32(gpu, 0x2b10);
    assert_int_equal(tail % 256, 0);
    assert_true(tail > 0);
    gpu_rig_wake(rig, false);
    assert_int_equal(tally_gpu_enter_rc6(gpu), 0);
    tally_gpu_run(gpu, BLIND);
    assert_true(tally_gpu_oa(gpu) && gpu_rig_value(rig, "used") > tail);
    gpu_rig_wake(rig, true);
    assert_int_equal(tally_gpu_read32(gpu, 0x2b10), tail);
    assert_int_equal(gpu_rig_value(rig, "used"), tail);
    gpu_rig_free(rig);
}

/* RC6 restores each status flag of Haswell by itself, and no other (OA-2.7). */
static void test_status_is_restored(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags < 8; flags++) {
        struct gpu_rig *rig = sleepy(__LINE__, "hsw");
        rig->gpu->oa->flags = (uint8_t)flags;
        gpu_rig_wake(rig, false);
        ROW(__LINE__, tally_gpu_enter_rc6(rig->gpu) == 0, "RC6");
        rig->gpu->oa->flags = (uint8_t)(7 & ~flags);
        gpu_rig_wake(rig, true);
        uint32_t status = tally_gpu_read32(rig->gpu, 0x2364);
        ROW(__LINE__, (status & 7) == flags, "OASTATUS1 is %08" PRIx32 ", saved %" PRIx32, status,
            flags);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A well comes up at the clock at which its request is acknowledged, and its batch runs then. */
static void test_up_when_acknowledged(void **state)
{
    (void)state;
    enum { WAKE_CLOCKS = 100, RENDER = 0xa278, ACK = 0xd84, STATUS = 0xa2a0, CHICKEN2 = 0xe180 };
    static const struct tally_gpu_register batch[] = {{CHICKEN2, 0x00ff0033}};
    struct gpu_rig *rig = gpu_rig_new(
        __LINE__, &(struct tally_gpu_config){.platform = "lkf", .wake_clocks = WAKE_CLOCKS});
    struct tally_gpu *gpu = rig->gpu;
    tally_gpu_set_batch(gpu, TALLY_GPU_BATCH_RENDER, batch, COUNT(batch));
    tally_gpu_write32(gpu, RENDER, 0x00010001);
    tally_gpu_write32(gpu, 0xa188, 0x00010001);
    tally_gpu_run(gpu, 2 * WAKE_CLOCKS);
    tally_gpu_write32(gpu, 0xa210, 1); /* PG_ENABLE: render */
    tally_gpu_write32(gpu, RENDER, 0x00010000);
    tally_gpu_run(gpu, 10);
    ROW(__LINE__, tally_gpu_well_is_down(gpu, "render"), "render is up");
    tally_gpu_write32(gpu, RENDER, 0x00010001);
    tally_gpu_run(gpu, WAKE_CLOCKS - 1);
    ROW(__LINE__, tally_gpu_well_is_down(gpu, "render"), "up a clock early");
    ROW(__LINE__, tally_gpu_read32(gpu, ACK) == 0, "acknowledged a clock early");
    tally_gpu_run(gpu, 1);
    ROW(__LINE__, !tally_gpu_well_is_down(gpu, "render"), "still down");
    ROW(__LINE__, tally_gpu_read32(gpu, ACK) == 1, "not acknowledged");
    ROW(__LINE__, tally_gpu_read32(gpu, CHICKEN2) == 0x33, "the batch has not run");
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* The GPU enters RC6 by itself after being idle, unless RC_CONTROL and RC_STATE prevent it. */
static void test_by_itself(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_new(
        __LINE__, &(struct tally_gpu_config){.platform = "hsw", .rc6_after_clocks = 500});
    struct tally_gpu *gpu = rig->gpu;
    tally_gpu_run(gpu, 499);
    assert_false(tally_gpu_in_rc6(gpu));
    tally_gpu_run(gpu, 1);
    assert_true(tally_gpu_in_rc6(gpu));
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0, 0x05000000);
    assert_int_equal(tally_gpu_submit(gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
    assert_false(tally_gpu_in_rc6(gpu)); /* work ends it */
    assert_int_equal(tally_gpu_enter_rc6(gpu), -EBUSY);
    tally_gpu_run(gpu, 1000);
    assert_true(tally_gpu_in_rc6(gpu));
    gpu_rig_wake(rig, true);
    tally_gpu_run(gpu, 100000);
    assert_false(tally_gpu_in_rc6(gpu)); /* a request prevents RC6 */
    tally_gpu_write32(gpu, 0xa090, 0x80000000);
    gpu_rig_wake(rig, false);
    tally_gpu_run(gpu, 100000);
    assert_false(tally_gpu_in_rc6(gpu)); /* OA-1.5: off while counters count */
    assert_int_equal(tally_gpu_enter_rc6(gpu), -EBUSY);
    gpu_rig_wake(rig, true);
    tally_gpu_write32(gpu, 0xa094, 0x40000);
    gpu_rig_wake(rig, false);
    tally_gpu_run(gpu, 500);
    assert_true(tally_gpu_in_rc6(gpu));
    gpu_rig_free(rig);

    struct gpu_rig *awake = gpu_rig_awake(__LINE__, "hsw");
    assert_int_equal(tally_gpu_enter_rc6(awake->gpu), -EBUSY);
    tally_gpu_exit_rc6(awake->gpu); /* not in RC6: no effect */
    gpu_rig_free(awake);
}

/* ---- fuses ----------------------------------------------------------------------------------- */

static void test_fuses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct tally_gpu_config config;
        const char *message; /* NULL: possible */
    } rows[] = {
        {__LINE__, {.platform = "lkf", .l3_disable = 0xf}, "all L3 banks"},
        {__LINE__, {.platform = "lkf", .l3_disable = 0x10}, "l3_disable 0x10"},
        {__LINE__, {.platform = "lkf", .vdbox_disable = 2}, "vdbox_disable 0x2"},
        {__LINE__, {.platform = "tgl", .vebox_disable = 2}, "vebox_disable 0x2"},
        {__LINE__, {.platform = "hsw", .l3_disable = 1}, "Gen11"},
        {__LINE__, {.platform = "tgl", .vdbox_disable = 5, .vebox_disable = 1}, NULL},
        {__LINE__, {.platform = "icl", .l3_disable = 0xe}, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        struct tally_gpu *gpu = NULL;
        int result = tally_gpu_new(&rows[i].config, &gpu, &error);
        ROW(rows[i].line, result == (rows[i].message ? -EINVAL : 0), "%d: %s", result,
            error.message);
        if (rows[i].message)
            ROW(rows[i].line, strstr(error.message, rows[i].message), "%s", error.message);
        tally_gpu_free(gpu);
    }
    struct gpu_rig *rig = gpu_rig_new(
        __LINE__,
        &(struct tally_gpu_config){
            .platform = "tgl", .always_awake = true, .l3_disable = 2, .vdbox_disable = 1});
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x9118) == 0x22, "9118h");
    ROW(__LINE__, (tally_gpu_read32(rig->gpu, 0x9140) & 5) == 1, "9140h");
    ROW(__LINE__, tally_gpu_engine_submit(rig->gpu, "vcs0", 1, 0, 0, true) == -EINVAL, "vcs0");
    for (size_t i = 0; tally_gpu_engine(rig->gpu, i); i++)
        ROW(__LINE__, strcmp(tally_gpu_engine(rig->gpu, i), "vcs0"), "vcs0 is listed");
    ROW(__LINE__, !strcmp(tally_gpu_outcome(rig->gpu, 0x1c0030, true), "fused off"), "vcs0");
    ROW(__LINE__, !strcmp(tally_gpu_outcome(rig->gpu, 0x1d0030, true), "reached"), "vcs2");
    tally_gpu_write32(rig->gpu, 0xb118, 0x5a);
    for (uint32_t bank = 0; bank < 8; bank++) {
        tally_gpu_write32(rig->gpu, 0xfdc, bank << 24);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, 0xb118) == (bank % 4 == 1 ? 0 : 0x5a),
            "bank %" PRIu32, bank);
    }
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* What the fuses of slices, subslices and EUs show of an SKU: OA-14.8. */
static void test_fuses_of_skus(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *sku;
        uint32_t eus, address, value;
    } rows[] = {
        {__LINE__, "bdw/gt1", 0, 0x9120, 0x02800000}, /* slice 0; subslice 2 is missing */
        {__LINE__, "bdw/gt1", 0, 0x9134, 0xffffc0c0}, /* six EUs each */
        {__LINE__, "bdw/gt2", 0, 0x9120, 0x02000000},
        {__LINE__, "bdw/gt2", 0, 0x9134, 0xff000000},
        {__LINE__, "bdw/gt2", 0, 0x9138, 0xffffffff},
        {__LINE__, "bdw/gt2", 0, 0x913c, 0xff},
        {__LINE__, "bdw/gt3", 0, 0x9120, 0x06000000},
        {__LINE__, "bdw/gt3", 0, 0x9134, 0},
        {__LINE__, "bdw/gt3", 0, 0x9138, 0xffff0000}, /* slice 2 */
        {__LINE__, "skl/gt1", 0, 0x9120, 0x02c00000},
        {__LINE__, "skl/gt1", 0, 0x9134, 0xffffc0c0},
        {__LINE__, "skl/gt1", 0, 0x9138, 0xffffffff},
        {__LINE__, "skl/gt2", 0, 0x9120, 0x02800000},
        {__LINE__, "skl/gt2", 0, 0x9134, 0xff000000},
        {__LINE__, "skl/gt2", 16, 0x9120, 0x02c00000},
        {__LINE__, "skl/gt3", 40, 0x9120, 0x06800000}, /* slices of three and two */
        {__LINE__, "skl/gt3", 40, 0x9138, 0xffff0000},
        {__LINE__, "skl/gt4", 0, 0x9120, 0x0e800000},
        {__LINE__, "skl/gt4", 0, 0x913c, 0xff000000},
        {__LINE__, "chv/2x8", 0, 0x182168, 0},
        {__LINE__, "chv/2x6", 0, 0x182168, 0xc0c00000},
        {__LINE__, "chv/2x8", 8, 0x182168, 0xff000800},
        {__LINE__, "icl/gt1.5", 0, 0x9134, 0},
        {__LINE__, "icl/gt1.5", 0, 0x9138, 1},
        {__LINE__, "icl/gt1.5", 0, 0x913c, 0xc0}, /* disabled */
        {__LINE__, "tgl/gt2", 0, 0x9134, 0},      /* eight pairs */
        {__LINE__, "tgl/gt2", 0, 0x913c, 0x3f},   /* enabled */
        {__LINE__, "adl/gt1", 0, 0x913c, 0x03},
        {__LINE__, "tgl/gt2", 32, 0x913c, 0x03},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_new(
            rows[i].line, &(struct tally_gpu_config){
                              .platform = rows[i].sku, .eus = rows[i].eus, .always_awake = true});
        for (unsigned round = 0; round < 2; round++) { /* writes and resets change nothing */
            uint32_t value = tally_gpu_read32(rig->gpu, rows[i].address);
            ROW(rows[i].line, value == rows[i].value, "%s: %" PRIx32, rows[i].sku, value);
            tally_gpu_write32(rig->gpu, rows[i].address, ~value);
            tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_CHIP);
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- resets ---------------------------------------------------------------------------------- */

static void test_resets(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum tally_gpu_reset what;
        bool counters, timestamp; /* kept */
    } rows[] = {
        {__LINE__, TALLY_GPU_RESET_ENGINE, true, true},
        {__LINE__, TALLY_GPU_RESET_GT, false, true},
        {__LINE__, TALLY_GPU_RESET_CHIP, false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
            struct gpu_rig *rig = sleepy(rows[i].line, revision_name(p));
            tally_gpu_run(rig->gpu, 10000);
            tally_gpu_reset(rig->gpu, rows[i].what);
            ROW(rows[i].line, (gpu_rig_value(rig, "a0") == 10000) == rows[i].counters, "%s",
                revision_name(p));
            ROW(rows[i].line, (gpu_rig_value(rig, "timestamp") > 80) == rows[i].timestamp, "%s",
                revision_name(p));
            /* The request for the domain is reset with the GT. */
            tally_gpu_write32(rig->gpu, 0x2360, 0x35);
            ROW(rows[i].line, (tally_gpu_read32(rig->gpu, 0x2360) == 0x35) == rows[i].counters,
                "%s", revision_name(p));
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* The registers of the power table, after the resets that it lists. Counters and ports do not keep
 * what was written. */
static void test_resets_by_the_table(void **state)
{
    (void)state;
    static const struct {
        enum tally_gpu_reset what;
        enum gt_event event;
    } rows[] = {
        {TALLY_GPU_RESET_ENGINE, GT_EVENT_ENGINE_RESET},
        {TALLY_GPU_RESET_GT, GT_EVENT_GT_RESET},
        {TALLY_GPU_RESET_CHIP, GT_EVENT_CHIP_RESET},
    };
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        enum intel_revision model = i % 2 ? INTEL_TGL : INTEL_LKF;
        size_t count;
        const struct gt_power_group *groups = gt_power_groups(model, &count);
        for (size_t g = 0; g < count; g++) {
            const struct gt_power_group *group = &groups[g];
            enum gt_retention retention =
                (enum gt_retention)group->reset[rows[i / 2].event - GT_EVENT_ENGINE_RESET];
            if (group->counter != GT_COUNTER_KINDS || group->model)
                continue;
            for (const struct gt_power_span *s = group->spans; s->first; s++)
                for (uint32_t at = s->first; at <= s->last; at += 4) {
                    struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name(model));
                    tally_gpu_write32(rig->gpu, at, 0x00015a40 | at << 24);
                    uint32_t was = tally_gpu_read32(rig->gpu, at);
                    tally_gpu_reset(rig->gpu, rows[i / 2].what);
                    gpu_rig_wake(rig, true);
                    uint32_t is = tally_gpu_read32(rig->gpu, at);
                    ROW(__LINE__, is == (retention == GT_RETENTION_KEPT ? was : s->reset),
                        "%05" PRIx32 " (%s) was %" PRIx32 ", is %" PRIx32 " after %s", at,
                        group->name, was, is, gt_event_name(rows[i / 2].event));
                    gpu_rig_free(rig);
                }
        }
    }
    ROWS_DONE();
}

static void test_reset_ends_rc6(void **state)
{
    (void)state;
    struct gpu_rig *rig = sleepy(__LINE__, "lkf");
    tally_gpu_run(rig->gpu, 10);
    gpu_rig_wake(rig, false);
    assert_int_equal(tally_gpu_enter_rc6(rig->gpu), 0);
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT);
    assert_false(tally_gpu_in_rc6(rig->gpu));
    assert_int_equal(gpu_rig_value(rig, "a0"), 0); /* nothing is restored */
    /* A function level reset by PCI Express device control, bit 15 of 78h. */
    gpu_rig_wake(rig, true);
    tally_gpu_run(rig->gpu, 1000);
    tally_gpu_pci_write(rig->gpu, 2, 0x78, 2, 0x8000);
    assert_int_equal(gpu_rig_value(rig, "timestamp"), 0);
    gpu_rig_free(rig);
}

int test_gpu_power(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blind_spot),
        cmocka_unit_test(test_blind_wrap),
        cmocka_unit_test(test_lost_configuration),
        cmocka_unit_test(test_buffer_is_restored),
        cmocka_unit_test(test_status_is_restored),
        cmocka_unit_test(test_up_when_acknowledged),
        cmocka_unit_test(test_by_itself),
        cmocka_unit_test(test_resets),
        cmocka_unit_test(test_resets_by_the_table),
        cmocka_unit_test(test_reset_ends_rc6),
        cmocka_unit_test(test_fuses),
        cmocka_unit_test(test_fuses_of_skus),
    };
    return cmocka_run_group_tests_name("gpu: power", tests, NULL, NULL);
}
