/* SPDX-License-Identifier: MIT */
/* Counting and reporting of MMIO accesses. */
#include "intel/gpu_rig.h"

#define HEARD_MAX 64

struct heard {
    unsigned count;
    struct tally_gpu_access accesses[HEARD_MAX];
    char names[HEARD_MAX][32];
};

static void hear(void *context, const struct tally_gpu_access *access)
{
    struct heard *heard = context;
    if (heard->count < HEARD_MAX) {
        heard->accesses[heard->count] = *access;
        snprintf(heard->names[heard->count], sizeof heard->names[0], "%s",
                 access->name ? access->name : "-");
    }
    heard->count++;
}

static uint64_t *counter_of(struct tally_gpu_mmio_stats *stats,
                            enum tally_gpu_access_outcome outcome)
{
    uint64_t *const counters[TALLY_GPU_OUTCOMES] = {NULL,
                                                    &stats->unknown_register,
                                                    &stats->read_only,
                                                    &stats->write_only,
                                                    &stats->reserved_bits,
                                                    &stats->asleep,
                                                    &stats->fused_off,
                                                    &stats->denied,
                                                    &stats->not_decoded};
    return counters[outcome];
}

/* The counters after one access. */
static bool counts_one(const struct tally_gpu *gpu, bool write,
                       enum tally_gpu_access_outcome outcome)
{
    struct tally_gpu_mmio_stats stats = tally_gpu_mmio_stats(gpu), expected = {0};
    uint64_t *counter = counter_of(&expected, outcome);
    *(write ? &expected.writes : &expected.reads) = 1;
    if (counter)
        *counter = 1;
    return !memcmp(&stats, &expected, sizeof stats);
}

/* ---- the CPU --------------------------------------------------------------------------------- */

static void test_outcomes(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        bool awake, write;
        uint32_t address, value;
        enum tally_gpu_access_outcome outcome;
        const char *name;
        uint32_t read, reserved;
    } rows[] = {
        {__LINE__, "hsw", true, true, 0x2360, 0x21, TALLY_GPU_DONE, "OACONTROL", 0, 0},
        {__LINE__, "hsw", true, false, 0x2364, 0, TALLY_GPU_DONE, "OASTATUS1", 0, 0},
        {__LINE__, "hsw", true, false, 0x2788, 0, TALLY_GPU_DONE, "CEC_0[3]", 0, 0},
        {__LINE__, "hsw", true, false, 0x23000, 0, TALLY_GPU_UNKNOWN_REGISTER, "-", 0, 0},
        {__LINE__, "hsw", true, true, 0x23000, 1, TALLY_GPU_UNKNOWN_REGISTER, "-", 0, 0},
        {__LINE__, "hsw", true, false, 0x2362, 0, TALLY_GPU_UNKNOWN_REGISTER, "-", 0, 0},
        {__LINE__, "hsw", true, true, 0x2358, 1, TALLY_GPU_READ_ONLY, "TIMESTAMP", 0, 0},
        {__LINE__, "hsw", true, false, 0x9888, 0, TALLY_GPU_WRITE_ONLY, "NOA_WRITE", 0, 0},
        {__LINE__, "skl", true, false, 0x2230, 0, TALLY_GPU_WRITE_ONLY, "ELSP", 0, 0},
        /* OACONTROL of Gen8 has bits 4:0; the write takes effect nevertheless. */
        {__LINE__, "skl", true, true, 0x2b00, 0xe1, TALLY_GPU_RESERVED_BITS, "OACONTROL", 0, 0xe0},
        /* Read-only bits are not reserved: OABUFFER[4] of HSW. */
        {__LINE__, "hsw", true, true, 0x23b0, 0x10, TALLY_GPU_DONE, "OABUFFER", 0, 0},
        {__LINE__, "hsw", true, true, 0x23b0, 0x20, TALLY_GPU_RESERVED_BITS, "OABUFFER", 0, 0x20},
        {__LINE__, "hsw", false, false, 0x2360, 0, TALLY_GPU_ASLEEP, "OACONTROL", 0, 0},
        {__LINE__, "hsw", false, true, 0x2360, 1, TALLY_GPU_ASLEEP, "OACONTROL", 0, 0},
        {__LINE__, "hsw", false, true, 0xa188, 0x10001, TALLY_GPU_DONE, "FORCEWAKE_GT", 0, 0},
        {__LINE__, "lkf", false, false, 0x2b00, 0, TALLY_GPU_ASLEEP, "OACONTROL", 0, 0},
        {__LINE__, "lkf", true, false, 0x9140, 0, TALLY_GPU_DONE, "FUSE_GT_VDBOX_VEBOX_DIS",
         0xe00fa, 0},
        {__LINE__, "lkf", true, true, 0x9140, 1, TALLY_GPU_READ_ONLY, "FUSE_GT_VDBOX_VEBOX_DIS", 0,
         0},
        {__LINE__, "lkf", true, false, 0x140000, 0, TALLY_GPU_DONE, "MCHBAR", 0, 0},
        {__LINE__, "lkf", true, true, 0x140000, 1, TALLY_GPU_READ_ONLY, "MCHBAR", 0, 0},
        {__LINE__, "lkf", true, false, 0x178000, 0, TALLY_GPU_DONE, "HYPERVISOR", 0, 0},
        {__LINE__, "lkf", true, true, 0x178ffc, 1, TALLY_GPU_READ_ONLY, "HYPERVISOR", 0, 0},
        {__LINE__, "hsw", true, false, 0x140000, 0, TALLY_GPU_UNKNOWN_REGISTER, "-", 0, 0},
        {__LINE__, "lkf", true, false, 0x190010, 0, TALLY_GPU_DONE, "GFX_MSTR_INTR", 0, 0},
        {__LINE__, "lkf", true, false, 0x190020, 0, TALLY_GPU_UNKNOWN_REGISTER, "-", 0, 0},
        {__LINE__, "tgl", true, true, 0xdb08, 0x39, TALLY_GPU_DONE, "OAG_OABUFFER", 0, 0},
        {__LINE__, "tgl", true, true, 0x2b14, 0x39, TALLY_GPU_UNKNOWN_REGISTER, "-", 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_gpu_config config = {.platform = rows[i].platform,
                                          .always_awake = rows[i].awake};
        struct gpu_rig *rig = gpu_rig_new(rows[i].line, &config);
        struct heard heard = {0};
        const struct tally_gpu_access *access = &heard.accesses[0];
        uint32_t value = rows[i].value;
        tally_gpu_run(rig->gpu, 77);
        tally_gpu_set_mmio_listener(rig->gpu, hear, &heard);
        if (rows[i].write)
            tally_gpu_write32(rig->gpu, rows[i].address, value);
        else
            value = tally_gpu_read32(rig->gpu, rows[i].address);
        ROW(rows[i].line,
            heard.count == 1 && access->address == rows[i].address &&
                access->write == rows[i].write && access->value == value &&
                access->agent == TALLY_GPU_CPU && access->clock == 77 &&
                access->ns == tally_gpu_now_ns(rig->gpu),
            "%u accesses, of %06x at %" PRIu64, heard.count, access->address, access->clock);
        ROW(rows[i].line, rows[i].write || value == rows[i].read, "reads %08x", value);
        ROW(rows[i].line, access->outcome == rows[i].outcome, "%s",
            tally_gpu_access_outcome_name(access->outcome));
        ROW(rows[i].line, !strcmp(heard.names[0], rows[i].name), "%s", heard.names[0]);
        ROW(rows[i].line, access->reserved == rows[i].reserved, "reserved %08x", access->reserved);
        ROW(rows[i].line, counts_one(rig->gpu, rows[i].write, rows[i].outcome), "counters");
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Steering selects a subslice that is fused off: reads return 0 (OA-4.5). */
static void test_fused_off(void **state)
{
    (void)state;
    struct tally_gpu_config config = {.platform = "lkf", .eus = 48, .always_awake = true};
    struct gpu_rig *rig = gpu_rig_new(__LINE__, &config);
    struct heard heard = {0};
    tally_gpu_write32(rig->gpu, 0xfdc, 7u << 24);
    tally_gpu_set_mmio_listener(rig->gpu, hear, &heard);
    tally_gpu_read32(rig->gpu, 0xe458);
    tally_gpu_write32(rig->gpu, 0xe458, 1);
    assert_int_equal(heard.count, 2);
    assert_int_equal(heard.accesses[0].outcome, TALLY_GPU_FUSED_OFF);
    assert_int_equal(heard.accesses[1].outcome, TALLY_GPU_FUSED_OFF);
    assert_string_equal(heard.names[0], "EU_PERF_CNT_CTL0");
    assert_int_equal(tally_gpu_mmio_stats(rig->gpu).fused_off, 2);
    gpu_rig_free(rig);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(tally_gpu_access_outcome_name(TALLY_GPU_DONE), "done");
    assert_string_equal(tally_gpu_access_outcome_name(TALLY_GPU_DENIED), "denied");
    assert_null(tally_gpu_access_outcome_name(TALLY_GPU_OUTCOMES));
}

/* A write takes effect without its reserved bits. */
static void test_reserved_bits_are_dropped(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    tally_gpu_write32(rig->gpu, 0x2b00, 0xf5);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0x2b00), 0x15);
    gpu_rig_free(rig);
}

/* ---- other agents ---------------------------------------------------------------------------- */

static void test_interrupt_copies(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "lkf");
    struct heard heard = {0};
    tally_gpu_set_mmio_listener(rig->gpu, hear, &heard);
    tally_gpu_scheduler_write32(rig->gpu, 0x190030, 0x10000);
    tally_gpu_function_read32(rig->gpu, 2, 0x190010); /* the function does not exist */
    tally_gpu_scheduler_read32(rig->gpu, 0x2b00);     /* only interrupt registers have copies */
    assert_int_equal(heard.count, 3);
    assert_int_equal(heard.accesses[0].agent, TALLY_GPU_SCHEDULER);
    assert_int_equal(heard.accesses[0].outcome, TALLY_GPU_DONE);
    assert_string_equal(heard.names[0], "RENDER_COPY_INTR_ENABLE");
    assert_int_equal(heard.accesses[1].agent, TALLY_GPU_FUNCTION);
    assert_int_equal(heard.accesses[1].outcome, TALLY_GPU_NOT_DECODED);
    assert_int_equal(heard.accesses[2].outcome, TALLY_GPU_UNKNOWN_REGISTER);
    gpu_rig_free(rig);
}

#define LRI(address, value) 0x11000001, address, value
#define SRM(address, to)    0x12000001 | 1 << 22, address, to
#define END                 0x05000000

/* Commands that access the streamer's own registers, and others. */
static void test_commands(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool privileged, write;
        uint32_t dwords[4];
        uint32_t address, value;
        enum tally_gpu_access_outcome outcome;
    } rows[] = {
        {__LINE__, true, true, {LRI(0x2600, 5), END}, 0x2600, 5, TALLY_GPU_DONE},
        {__LINE__, true, true, {LRI(0x2714, 6), END}, 0x2714, 6, TALLY_GPU_DONE},
        {__LINE__, true, true, {LRI(0x2358, 7), END}, 0x2358, 7, TALLY_GPU_READ_ONLY},
        {__LINE__, true, true, {LRI(0x2418, 3), END}, 0x2418, 3, TALLY_GPU_RESERVED_BITS},
        {__LINE__, true, true, {LRI(0x23000, 8), END}, 0x23000, 8, TALLY_GPU_UNKNOWN_REGISTER},
        {__LINE__, false, true, {LRI(0x2714, 6), END}, 0x2714, 6, TALLY_GPU_DENIED},
        {__LINE__, false, true, {LRI(0x2600, 5), END}, 0x2600, 5, TALLY_GPU_DONE},
        {__LINE__, true, false, {SRM(0x2360, 0x800), END}, 0x2360, 0, TALLY_GPU_DONE},
        {__LINE__, true, false, {SRM(0x2600, 0x800), END}, 0x2600, 0, TALLY_GPU_DONE},
        {__LINE__, true, false, {SRM(0x23000, 0x800), END}, 0x23000, 0, TALLY_GPU_UNKNOWN_REGISTER},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, "hsw");
        struct heard heard = {0};
        const struct tally_gpu_access *access = &heard.accesses[0];
        gpu_rig_put(rig, TALLY_GPU_GGTT, 0x1000, rows[i].dwords, COUNT(rows[i].dwords));
        tally_gpu_set_mmio_listener(rig->gpu, hear, &heard);
        tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, rows[i].privileged);
        ROW(rows[i].line, gpu_rig_finish(rig), "does not end");
        ROW(rows[i].line,
            heard.count == 1 && access->agent == TALLY_GPU_STREAMER &&
                access->write == rows[i].write && access->address == rows[i].address &&
                access->value == rows[i].value && access->outcome == rows[i].outcome,
            "%u accesses, of %06x: %08x, %s", heard.count, access->address, access->value,
            tally_gpu_access_outcome_name(access->outcome));
        ROW(rows[i].line, counts_one(rig->gpu, rows[i].write, rows[i].outcome), "counters");
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Which registers an unprivileged batch may write, at the ends of the ranges (OA-11.14). */
static void test_unprivileged_writes(void **state)
{
    (void)state;
    enum { SPACE = 5 };
    static const struct {
        unsigned line;
        const char *writable, *denied; /* platforms */
        uint32_t address;
    } rows[] = {
        {__LINE__, "ivb hsw bdw skl icl tgl", "", 0x2400},
        {__LINE__, "ivb hsw bdw skl icl tgl", "", 0x2440},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x2500},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x2508},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x2290},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x2294},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x2300},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x2344},
        {__LINE__, "ivb vlv hsw", "bdw chv skl icl tgl", 0x2348},
        {__LINE__, "ivb vlv hsw", "bdw chv skl icl tgl", 0x2354},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x5200},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x521c},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x5240},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x525c},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x5280},
        {__LINE__, "ivb vlv hsw bdw chv skl icl tgl", "", 0x528c},
        {__LINE__, "", "ivb hsw bdw skl icl tgl", 0x250c},
        {__LINE__, "", "ivb hsw bdw skl icl tgl", 0x5220},
        {__LINE__, "", "ivb hsw bdw skl icl tgl", 0x5260},
        {__LINE__, "", "ivb hsw bdw skl icl tgl", 0x5290},
        {__LINE__, "", "hsw bdw chv skl icl tgl", 0x20c0},
        {__LINE__, "bdw chv skl icl tgl", "hsw", 0x2158},
        {__LINE__, "", "bdw chv skl icl tgl", 0x7034},
        {__LINE__, "", "hsw bdw chv skl icl tgl", 0x24d0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
            const char *name = revision_name(p);
            bool writable = strstr(rows[i].writable, name), denied = strstr(rows[i].denied, name);
            const uint32_t dwords[] = {LRI(rows[i].address, 8), END};
            if (!writable && !denied)
                continue;
            struct gpu_rig *rig = gpu_rig_awake(rows[i].line, name);
            gpu_rig_map(rig, SPACE);
            gpu_rig_put(rig, SPACE, 0x1000, dwords, COUNT(dwords));
            assert_int_equal(tally_gpu_submit(rig->gpu, 1, SPACE, 0x1000, false), 0);
            ROW(rows[i].line, gpu_rig_finish(rig), "does not end");
            ROW(rows[i].line, (tally_gpu_mmio_stats(rig->gpu).denied == 0) == writable, "%s", name);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* The registers of a video engine that the product lacks are none, also for batches. */
static void test_missing_engine(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        uint32_t base;
    } rows[] = {{__LINE__, "skl", 0x1c000},
                {__LINE__, "skl/gt1", 0x1c000},
                {__LINE__, "bdw", 0x1c000},
                {__LINE__, "rkl", 0x1d0000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].name);
        const uint32_t batch[] = {0x12400002, rows[i].base + 0xd0,         0x3000,
                                  0,          LRI(rows[i].base + 0xb4, 1), END};
        for (uint32_t at = rows[i].base; at < rows[i].base + 0x1000; at += 4) {
            ROW(rows[i].line, tally_gpu_read32(rig->gpu, at) == 0, "%x", at);
            tally_gpu_write32(rig->gpu, at, UINT32_MAX);
            ROW(rows[i].line, strcmp(tally_gpu_outcome(rig->gpu, at, true), "reached") != 0, "%x",
                at);
        }
        PUT(rig, TALLY_GPU_GGTT, 0x3000, 7);
        gpu_rig_put(rig, TALLY_GPU_GGTT, 0x1000, batch, COUNT(batch));
        assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
        ROW(rows[i].line, gpu_rig_finish(rig), "does not end");
        ROW(rows[i].line, gpu_rig_peek(rig, TALLY_GPU_GGTT, 0x3000) == 0, "the stored value");
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The counters belong to the model, the listener to its owner. */
static void test_copies(void **state)
{
    (void)state;
    struct gpu_rig *from = gpu_rig_awake(__LINE__, "skl"), *to = gpu_rig_awake(__LINE__, "skl");
    struct heard heard = {0}, other = {0};
    tally_gpu_set_mmio_listener(from->gpu, hear, &heard);
    tally_gpu_set_mmio_listener(to->gpu, hear, &other);
    tally_gpu_read32(from->gpu, 0x2b00);
    assert_int_equal(tally_gpu_copy(to->gpu, from->gpu), 0);
    tally_gpu_read32(to->gpu, 0x23000);
    assert_int_equal(heard.count, 1);
    assert_int_equal(other.count, 1);
    struct tally_gpu_mmio_stats stats = tally_gpu_mmio_stats(to->gpu);
    assert_int_equal(stats.reads, 2);
    assert_int_equal(stats.unknown_register, 1);
    tally_gpu_set_mmio_listener(to->gpu, NULL, NULL);
    tally_gpu_reset(to->gpu, TALLY_GPU_RESET_CHIP);
    tally_gpu_write32(to->gpu, 0x23000, 1);
    assert_int_equal(other.count, 1);
    assert_int_equal(tally_gpu_mmio_stats(to->gpu).unknown_register, 2);
    /* Nor does a GPU without a listener get one. */
    assert_int_equal(tally_gpu_copy(to->gpu, from->gpu), 0);
    tally_gpu_read32(to->gpu, 0x2b00);
    assert_int_equal(heard.count, 1);
    gpu_rig_free(from), gpu_rig_free(to);
}

int test_gpu_access(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_fused_off),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_reserved_bits_are_dropped),
        cmocka_unit_test(test_interrupt_copies),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_unprivileged_writes),
        cmocka_unit_test(test_missing_engine),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests_name("gpu access", tests, NULL, NULL);
}
