/* SPDX-License-Identifier: MIT */
/* What the driver reads when an engine hangs: its errors (OA-16.8), and which context it runs
 * (OA-16.9). */
#include "intel/gpu_rig.h"

#include "intel/gpu/gpu.h"

#define CODE     0x1000u
#define UNKNOWN  0x1e800000u
#define UNMAPPED 0x10400002, 0x0f000000, 0x0f000000, 0x0f000000 /* MI_STORE_DATA_IMM */
#define NOTHING  0x05000000
#define EIR      0xb0u
#define EMR      0xb4u
#define ESR      0xb8u
#define STATUS   0x234u /* EXECLIST_STATUS */
#define MI_WAIT_UNTIL                                                                              \
    0x0e40c002u      /* MI_SEMAPHORE_WAIT: polls the GGTT until it is equal to the data */
#define FLAG 0x3000u /* what it waits for */

/* enable, mask: the IER, or from Gen11 on the class's enable, and the bit of the engine's errors.
 */
static const struct engine {
    const char *platforms, *name;
    uint32_t base, enable, mask;
} engines[] = {
    {"snb ivb vlv hsw", "rcs0", 0x2000, 0x4401c, 1u << 3},
    {"snb ivb vlv hsw", "vcs0", 0x12000, 0x4401c, 1u << 15},
    {"snb ivb vlv hsw", "bcs0", 0x22000, 0x4401c, 1u << 25},
    {"hsw", "vecs0", 0x1a000, 0x4402c, 1u << 12},
    {"bdw chv skl", "rcs0", 0x2000, 0x4430c, 1u << 3},
    {"bdw chv skl", "bcs0", 0x22000, 0x4430c, 1u << 19},
    {"bdw chv skl", "vcs0", 0x12000, 0x4431c, 1u << 3},
    {"bdw/gt3 skl/gt3", "vcs1", 0x1c000, 0x4431c, 1u << 19},
    {"bdw chv skl", "vecs0", 0x1a000, 0x4433c, 1u << 3},
    {"icl lkf tgl", "rcs0", 0x2000, 0x190030, 1u << 19},
    {"icl lkf tgl", "bcs0", 0x22000, 0x190030, 1u << 3},
    {"icl lkf tgl", "vcs0", 0x1c0000, 0x190034, 1u << 19},
    {"icl lkf tgl", "vcs2", 0x1d0000, 0x190034, 1u << 19},
    {"icl lkf tgl", "vecs0", 0x1c8000, 0x190034, 1u << 3},
};

/* Calls `test` for each engine of each platform from `first` on. */
static void each(enum intel_revision first,
                 void (*test)(struct gpu_rig *rig, const struct engine *engine))
{
    for (unsigned p = first; p < INTEL_REVISIONS; p++)
        for (size_t i = 0; i < COUNT(engines); i++) {
            struct gpu_rig *rig = gpu_rig_listed(__LINE__, engines[i].platforms, p);
            if (!rig)
                continue;
            test(rig, &engines[i]);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Lets the engine's error interrupt, and no other one, through. */
static void enable(const struct gpu_rig *rig, const struct engine *engine)
{
    static const uint32_t masks[] = {0x190090, 0x1900a0, 0x1900a8, 0x1900ac, 0x1900d0};
    bool tree = rig->model >= INTEL_ICL;
    for (size_t i = 0; tree && i < COUNT(masks); i++)
        tally_gpu_write32(rig->gpu, masks[i], 0);
    if (!tree)
        tally_gpu_write32(rig->gpu, engine->enable - 8, 0);
    tally_gpu_write32(rig->gpu, engine->enable, engine->mask);
    tally_gpu_write32(rig->gpu,
                      tree                      ? 0x190010
                      : rig->model >= INTEL_BDW ? 0x44200
                                                : 0x4400c,
                      0x80000000);
}

static void expect(unsigned line, const struct gpu_rig *rig, const struct engine *engine,
                   uint32_t eir, uint32_t emr, uint32_t esr)
{
    uint32_t got[] = {tally_gpu_read32(rig->gpu, engine->base + EIR),
                      tally_gpu_read32(rig->gpu, engine->base + EMR),
                      tally_gpu_read32(rig->gpu, engine->base + ESR)};
    ROW(line, got[0] == eir && got[1] == emr && got[2] == esr,
        "%s %s: EIR %08x, EMR %08x, ESR %08x", revision_name(rig->model), engine->name, got[0],
        got[1], got[2]);
}
#define EXPECT(eir, emr, esr) expect(__LINE__, rig, engine, eir, emr, esr)

static void run(const struct gpu_rig *rig, const struct engine *engine)
{
    tally_gpu_engine_submit(rig->gpu, engine->name, 1, TALLY_GPU_GGTT, CODE, true);
    tally_gpu_run(rig->gpu, 1000);
}

/* An invalid command sets the error's bit, which software clears in EIR, and raises an interrupt,
 * unless EMR masks it. */
static void run_errors(struct gpu_rig *rig, const struct engine *engine)
{
    static const struct {
        unsigned line;
        uint32_t code[5], emr, error;
    } rows[] = {
        {__LINE__, {UNKNOWN}, 0xfffffffe, 1},
        {__LINE__, {UNKNOWN}, 0xffffffff, 1},
        {__LINE__, {UNKNOWN}, 0, 1},
        {__LINE__, {UNMAPPED}, 0xffffffef, 0x10},
        {__LINE__, {UNMAPPED}, 0xfffffffe, 0x10},
        {__LINE__, {NOTHING}, 0, 0},
    };
    struct tally_gpu *gpu = rig->gpu;
    enable(rig, engine);
    EXPECT(0, UINT32_MAX, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t shown = rows[i].error & ~rows[i].emr;
        unsigned before = rig->rises;
        gpu_rig_put(rig, TALLY_GPU_GGTT, CODE, rows[i].code, COUNT(rows[i].code));
        tally_gpu_write32(gpu, engine->base + EMR, rows[i].emr);
        run(rig, engine);
        expect(rows[i].line, rig, engine, shown, rows[i].emr, rows[i].error);
        if (rig->model < INTEL_ICL || i == 0) /* else it would have to be serviced */
            ROW(rows[i].line, rig->rises - before == (shown != 0), "%s %s: %u interrupts",
                revision_name(rig->model), engine->name, rig->rises - before);
        if (rig->model < INTEL_ICL)
            tally_gpu_write32(gpu, engine->enable - 4, engine->mask);
        tally_gpu_write32(gpu, engine->base + EIR, shown);
        EXPECT(0, rows[i].emr, rows[i].error);
        tally_gpu_write32(gpu, engine->base + ESR, UINT32_MAX);
        EXPECT(0, rows[i].emr, rows[i].error);
        tally_gpu_engine_reset(gpu, engine->name);
        EXPECT(0, UINT32_MAX, 0);
    }
}

static void test_errors(void **state)
{
    (void)state;
    each(INTEL_SNB, run_errors);
}

/* ---- the running context --------------------------------------------------------------------- */

static void expect_status(unsigned line, const struct gpu_rig *rig, const struct engine *engine,
                          uint32_t low, uint32_t high)
{
    uint32_t got[] = {tally_gpu_read32(rig->gpu, engine->base + STATUS),
                      tally_gpu_read32(rig->gpu, engine->base + STATUS + 4)};
    if (rig->model >= INTEL_ICL)
        low = 0;
    ROW(line, got[0] == low && got[1] == high, "%s %s: EXECLIST_STATUS %08x %08x, not %08x %08x",
        revision_name(rig->model), engine->name, got[0], got[1], low, high);
}
#define EXPECT_STATUS(low, high) expect_status(__LINE__, rig, engine, low, high)

static void run_status(struct gpu_rig *rig, const struct engine *engine)
{
    static const uint32_t wait[] = {MI_WAIT_UNTIL, 1, FLAG, 0};
    EXPECT_STATUS(0x10000, 0);
    for (unsigned n = 0; n < 3; n++)
        gpu_rig_ring(rig, engine->base, n, wait, COUNT(wait));
    gpu_rig_submit_to(rig, engine->base, 0, 0x20, 1, 0x40);
    EXPECT_STATUS(0x10010, 0); /* not loaded yet */
    tally_gpu_run(rig->gpu, 500);
    EXPECT_STATUS(0x50010, 0x20);
    gpu_rig_submit_to(rig, engine->base, 2, 0x60, 0, 0);
    EXPECT_STATUS(0x5001c, 0x20);
    tally_gpu_run(rig->gpu, 500); /* the semaphore was preempted */
    EXPECT_STATUS(0x50010, 0x60);
    PUT(rig, TALLY_GPU_GGTT, FLAG, 1);
    ROW(__LINE__, gpu_rig_finish(rig), "%s %s: does not end", revision_name(rig->model),
        engine->name);
    EXPECT_STATUS(0x10000, 0);
    /* An engine that has stopped at an error still has its context. */
    gpu_rig_ring(rig, engine->base, 0, (const uint32_t[]){UNKNOWN, 0}, 2);
    gpu_rig_submit_to(rig, engine->base, 0, 0x20, 0, 0);
    tally_gpu_run(rig->gpu, 500);
    EXPECT_STATUS(0x50010, 0x20);
    tally_gpu_engine_reset(rig->gpu, engine->name);
    EXPECT_STATUS(0x10000, 0);
}

static void test_status(void **state)
{
    (void)state;
    each(INTEL_BDW, run_status);
}

/* ---- the listener of unknown registers ------------------------------------------------------- */

static void hear(void *context, const struct tally_gpu_access *access)
{
    unsigned *heard = context;
    *heard += access->outcome == TALLY_GPU_UNKNOWN_REGISTER ? 1 : 1000;
}

/* A spinning batch reads memory for a few turns only. */
static void test_unknown_listener(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl"), *copy = gpu_rig_awake(__LINE__, "skl");
    unsigned heard = 0, heard_by_copy = 0;
    gpu_set_unknown_listener(rig->gpu, hear, &heard);
    gpu_set_unknown_listener(copy->gpu, hear, &heard_by_copy);
    tally_gpu_read32(rig->gpu, 0x2b00);
    tally_gpu_read32(rig->gpu, 0x23000);
    assert_int_equal(heard, 1);
    assert_int_equal(tally_gpu_copy(copy->gpu, rig->gpu), 0);
    tally_gpu_read32(copy->gpu, 0x2b00);
    tally_gpu_read32(copy->gpu, 0x23000);
    assert_int_equal(heard_by_copy, 1);
    PUT(rig, TALLY_GPU_GGTT, CODE, 0x18800001, CODE, 0);
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, CODE, true);
    tally_gpu_run(rig->gpu, 1000000);
    assert_true(rig->reads < 100);
    tally_gpu_set_mmio_listener(rig->gpu, hear, &heard);
    tally_gpu_run(rig->gpu, 100000);
    assert_true(rig->reads > 100);
    tally_gpu_read32(rig->gpu, 0x2b00);
    assert_int_equal(heard, 1001);
    gpu_rig_free(rig), gpu_rig_free(copy);
}

int test_gpu_errors(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_unknown_listener),
    };
    return cmocka_run_group_tests_name("gpu: errors", tests, NULL, NULL);
}
