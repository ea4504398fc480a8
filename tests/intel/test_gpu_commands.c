/* SPDX-License-Identifier: MIT */
/* Commands on the whole GPU: rings, execution lists, reports, context switches, work, faults. */
#include "intel/gpu_rig.h"

#define MI_USER_INTERRUPT 0x01000000u
#define MI_BATCH_END      0x05000000u
#define BATCH_START_GEN8  0x18800101u /* PPGTT, 48 bits of address */

/* ---- MI_REPORT_PERF_COUNT -------------------------------------------------------------------- */

/* A batch of its own on every platform: the report is at the address of the command (OA-8). */
static void test_report(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name(p));
        gpu_rig_count(rig);
        tally_gpu_run(rig->gpu, 1000);
        if (p < INTEL_BDW)
            PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x14000001, 0x23441, 0xcafe, MI_BATCH_END);
        else
            PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x14000002, 0x23441, 0, 0xcafe, MI_BATCH_END);
        ROW(__LINE__, tally_gpu_submit(rig->gpu, 77, TALLY_GPU_GGTT, 0x1000, true) == 0, "submit");
        ROW(__LINE__, !tally_gpu_is_idle(rig->gpu), "there is something to do");
        ROW(__LINE__, gpu_rig_finish(rig), "it ends");
        uint32_t at = 0x23440;
        ROW(__LINE__, gpu_rig_peek(rig, 0, at) == 0xcafe, "%s: id", revision_name(p));
        ROW(__LINE__, gpu_rig_peek(rig, 0, at + 4) > 0, "%s: time", revision_name(p));
        if (p >= INTEL_BDW)
            ROW(__LINE__, gpu_rig_peek(rig, 0, at + 8) == 77, "%s: context", revision_name(p));
        unsigned a0 = p >= INTEL_BDW ? 16 : p == INTEL_SNB ? 28 : 12;
        uint32_t a = gpu_rig_peek(rig, 0, at + a0);
        uint32_t least = p < INTEL_TGL ? 1000 : 0,
                 most = p < INTEL_TGL ? 1100 : 0; /* OAR's: none */
        ROW(__LINE__, a >= least && a <= most, "%s: A0 %u", revision_name(p), a);
        ROW(__LINE__, rig->completions == 1 && rig->id == 77, "%s: done", revision_name(p));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- rings by registers ---------------------------------------------------------------------- */

static void test_ring(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "hsw");
    struct tally_gpu *gpu = rig->gpu;
    gpu_rig_count(rig);
    tally_gpu_write32(gpu, 0x44014, ~0x11u);
    tally_gpu_write32(gpu, 0x4401c, 0x11);
    tally_gpu_write32(gpu, 0x4400c, 0x80000000);
    /* MI_SET_CONTEXT, MI_REPORT_PERF_COUNT, MI_USER_INTERRUPT */
    PUT(rig, TALLY_GPU_GGTT, 0x8000, 0x0c000000, 0x00020100, 0x14000001, 0x23441, 0x5a5a,
        MI_USER_INTERRUPT, 0, 0);
    tally_gpu_write32(gpu, 0x2038, 0x8000);
    tally_gpu_write32(gpu, 0x203c, 1);
    assert_true(tally_gpu_is_idle(gpu));
    tally_gpu_write32(gpu, 0x2030, 32);
    assert_false(tally_gpu_is_idle(gpu));
    assert_true(gpu_rig_finish(rig));
    assert_int_equal(tally_gpu_read32(gpu, 0x2034), 32);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x23440), 0x5a5a);
    assert_int_equal(rig->rises, 1);
    assert_int_equal(tally_gpu_read32(gpu, 0x44018), 1);
    /* The loaded context counts for the filter of OACONTROL[31:12] (OA-1.4). */
    uint64_t before = gpu_rig_value(rig, "a0");
    tally_gpu_write32(gpu, 0x2360, 0x00020000 | 1 << 1 | 1);
    tally_gpu_run(gpu, 100);
    assert_int_equal(gpu_rig_value(rig, "a0"), before + 100);
    tally_gpu_write32(gpu, 0x2360, 0x00030000 | 1 << 1 | 1);
    tally_gpu_run(gpu, 100);
    assert_int_equal(gpu_rig_value(rig, "a0"), before + 100);
    gpu_rig_free(rig);
}

/* ---- execution lists ------------------------------------------------------------------------- */

/* Two contexts, one after the other, each with its image, ring and PPGTT. */
static void test_execlists(void **state)
{
    (void)state;
    for (unsigned p = INTEL_BDW; p < INTEL_REVISIONS; p++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name(p));
        struct tally_gpu *gpu = rig->gpu;
        gpu_rig_count(rig);
        gpu_rig_map(rig, RIG_SPACE(0));
        gpu_rig_map(rig, RIG_SPACE(1));
        gpu_rig_context(rig, 0, 16, 0x35);
        gpu_rig_context(rig, 1, 16, 0x37);
        for (unsigned n = 0; n < 2; n++) {
            PUT(rig, TALLY_GPU_GGTT, RIG_RING(n), BATCH_START_GEN8, 0x2000, 0, 0);
            PUT(rig, RIG_SPACE(n), 0x2000, 0x14000002, 0x3000, 0, 0xa0 + n, MI_BATCH_END);
        }
        gpu_rig_submit(rig, 0, 0x111, 1, 0x222);
        ROW(__LINE__, gpu_rig_finish(rig), "%s: it ends", revision_name(p));
        for (unsigned n = 0; n < 2; n++) {
            ROW(__LINE__, gpu_rig_peek(rig, RIG_SPACE(n), 0x3000) == 0xa0 + n, "%s: id",
                revision_name(p));
            ROW(__LINE__, gpu_rig_peek(rig, RIG_SPACE(n), 0x3008) == 0x111 * (n + 1),
                "%s: context %" PRIx32, revision_name(p), gpu_rig_peek(rig, RIG_SPACE(n), 0x3008));
            /* The image: RING_HEAD is saved, and OACTXCONTROL. */
            ROW(__LINE__, gpu_rig_peek(rig, 0, RIG_LRCA(n) + RIG_HEAD) == 16, "%s: head",
                revision_name(p));
            ROW(__LINE__, gpu_rig_saved_control(rig, n) == 0x35 + 2 * n, "%s", revision_name(p));
        }
        ROW(__LINE__, rig->completions == 2 && rig->id == 0x222 && rig->head == 16, "%s: %u",
            revision_name(p), rig->completions);
        /* Of Gen12 OAR leaves with its context. */
        ROW(__LINE__, tally_gpu_read32(gpu, 0x2360) == (p < INTEL_TGL ? 0x37 : 0),
            "%s: the latest context's", revision_name(p));
        ROW(__LINE__, tally_gpu_read32(gpu, 0xe458) == 0x00778008, "%s: flexible",
            revision_name(p));

        /* More in the ring of the first, while it runs: only its tail moves (lite restore). */
        PUT(rig, TALLY_GPU_GGTT, RIG_RING(0) + 16, BATCH_START_GEN8, 0x2000, 0, 0, BATCH_START_GEN8,
            0x2000, 0, 0);
        gpu_rig_context(rig, 0, 32, 0x35);
        PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + RIG_HEAD, 16);
        gpu_rig_submit(rig, 0, 0x111, 0, 0);
        tally_gpu_run(gpu, 1);
        PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + RIG_TAIL, 48);
        gpu_rig_submit(rig, 0, 0x111, 0, 0);
        ROW(__LINE__, gpu_rig_finish(rig), "%s: it ends", revision_name(p));
        ROW(__LINE__, rig->completions == 3 && rig->head == 48, "%s: %u, %u", revision_name(p),
            rig->completions, rig->head);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A switch requests a report with the new context (OA-D24); leaving the last one,
 * too. */
static void test_switch_reports(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    gpu_rig_map(rig, RIG_SPACE(0));
    gpu_rig_map(rig, RIG_SPACE(1));
    tally_gpu_write32(rig->gpu, 0x2b14, 1 | 0x20000); /* the buffer at 128 KiB of the GGTT */
    tally_gpu_write32(rig->gpu, 0x2b0c, 0x20000);
    tally_gpu_write32(rig->gpu, 0x2b10, 0x20000);
    tally_gpu_write32(rig->gpu, 0x2360, 1);
    tally_gpu_write32(rig->gpu, 0x2b00, 0x15);
    for (unsigned n = 0; n < 2; n++) {
        gpu_rig_context(rig, n, 8, 1);
        PUT(rig, TALLY_GPU_GGTT, RIG_RING(n), 0, 0);
    }
    gpu_rig_submit(rig, 0, 5, 1, 6);
    assert_true(gpu_rig_finish(rig));
    tally_gpu_run(rig->gpu, 10);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0x2b10), 0x20300);
    static const uint32_t contexts[] = {5, 6, 0};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(gpu_rig_peek(rig, 0, 0x20000 + 256 * i + 8), contexts[i]);
        assert_int_equal(gpu_rig_peek(rig, 0, 0x20000 + 256 * i) >> 19 & 0x3f, 1 << 3);
    }
    gpu_rig_free(rig);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* 3DPRIMITIVE keeps the GPU busy; a stalling PIPE_CONTROL waits for it, and then writes. */
static void test_work(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    rig->work_clocks = 5000000;
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x7b000005, 0, 3, 0, 1, 0, 0, /* 3DPRIMITIVE */
        0x7a000004, 0x00104000, 0x4000, 0, 0x600d, 0,              /* CS stall, write immediate */
        MI_BATCH_END);
    uint64_t start = tally_gpu_now(rig->gpu);
    assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
    tally_gpu_run(rig->gpu, 4990000);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x4000), 0);
    assert_false(tally_gpu_is_idle(rig->gpu));
    assert_true(gpu_rig_finish(rig));
    assert_int_equal(gpu_rig_peek(rig, 0, 0x4000), 0x600d);
    assert_in_range(tally_gpu_now(rig->gpu) - start, 5000000, 5001000);
    assert_int_equal(rig->works[TALLY_GPU_WORK_PRIMITIVE], 1);
    gpu_rig_free(rig);
}

/* ---- registers from the streamer ------------------------------------------------------------- */

static void test_register_commands(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "lkf");
    struct tally_gpu *gpu = rig->gpu;
    /* Its own steering (20CCh, OA-4.5): unicast to subslice 3, then a store of what is there. */
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x11000001, 0x20cc, 0x03000000, 0x11000001, 0xe65c, 0x777,
        0x12400002, 0xe65c, 0x4000, 0, 0x11000001, 0x20cc, 0x04000000, 0x12400002, 0xe65c, 0x4004,
        0, MI_BATCH_END);
    assert_int_equal(tally_gpu_submit(gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
    assert_true(gpu_rig_finish(rig));
    assert_int_equal(gpu_rig_peek(rig, 0, 0x4000), 0x777);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x4004), 0);
    assert_int_equal(tally_oa_read_subslice(tally_gpu_oa(gpu), 3, 0xe65c), 0x777);
    assert_int_equal(tally_gpu_read32(gpu, 0xfdc), 0x80000000); /* the CPU has its own */

    /* Without privilege: OACONTROL stays, CS_GPR does not. */
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x11000003, 0x2b00, 0x15, 0x2600, 0x99, MI_BATCH_END);
    gpu_rig_map(rig, 9);
    PUT(rig, 9, 0x1000, 0x11000003, 0x2b00, 0x15, 0x2600, 0x99, MI_BATCH_END);
    assert_int_equal(tally_gpu_submit(gpu, 1, 9, 0x1000, false), 0);
    assert_true(gpu_rig_finish(rig));
    assert_int_equal(tally_gpu_read32(gpu, 0x2b00), 0);
    assert_int_equal(tally_gpu_read32(gpu, 0x2600), 0x99);
    gpu_rig_free(rig);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void count_faults(void *context, const struct tally_error *error)
{
    assert_int_equal(error->code, -EIO);
    assert_true(*error->message);
    ++*(unsigned *)context;
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t dword;
        const char *message;
    } rows[] = {
        {__LINE__, 0x0fffffff,
         "command streamer rcs0 at 0x00001000 (GGTT), dword 0x0fffffff: expected a command of "
         "graphics "
         "version 7.5"},
        {__LINE__, 0x18800000,
         "command streamer rcs0 at 0x00f00000 (GGTT), dword 0x00000000: expected memory at "
         "0x00f00000 "
         "(GGTT), nothing is mapped"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, "hsw");
        unsigned heard = 0;
        tally_gpu_set_fault_listener(rig->gpu, count_faults, &heard);
        PUT(rig, TALLY_GPU_GGTT, 0x1000, rows[i].dword, 0xf00000, MI_BATCH_END);
        ROW(rows[i].line, tally_gpu_fault(rig->gpu, &error) == 0, "none yet");
        tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
        tally_gpu_run(rig->gpu, 1000);
        int result = tally_gpu_fault(rig->gpu, &error);
        ROW(rows[i].line, result == -EIO && !strcmp(error.message, rows[i].message), "%s",
            error.message);
        ROW(rows[i].line, !tally_gpu_is_idle(rig->gpu), "not idle");
        tally_gpu_run(rig->gpu, 1000);
        ROW(rows[i].line, heard == 1, "heard %u times", heard);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
        ROW(rows[i].line, tally_gpu_is_idle(rig->gpu), "idle");
        ROW(rows[i].line, tally_gpu_fault(rig->gpu, &error) == 0, "gone");
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* MI_FORCE_WAKEUP keeps render awake beyond its batch, until another one releases it. */
static void test_force_wakeup(void **state)
{
    (void)state;
    static const char *const platforms[] = {"icl", "lkf", "tgl"};
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct gpu_rig *rig =
            gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = platforms[i]});
        for (unsigned on = 2; on--;) {
            PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x0e800000, 0x00020000 | on << 1, MI_BATCH_END);
            tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
            ROW(__LINE__, gpu_rig_finish(rig), "%s: it does not end", platforms[i]);
            ROW(__LINE__, tally_gpu_read32(rig->gpu, 0xa2a0) == on << 1, "%s: %u", platforms[i],
                on);
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Registers of an image relative to the engine: their offsets, or whole addresses as Linux writes
 * them (OA-10.1). The head is saved at its place. A ring whose tail lies outside is a fault. */
static void test_relative_image(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t header, base;
        uint32_t tail;
        bool runs;
    } rows[] = {
        {__LINE__, "icl", 0x11081007, 0, 8, true},
        {__LINE__, "icl", 0x11081007, 0x2000, 8, true},
        {__LINE__, "icl", 0x11001007, 0x2000, 8, true},
        {__LINE__, "icl", 0x11001007, 0, 8, false},
        {__LINE__, "lkf", 0x11081007, 0x2000, 8, true},
        {__LINE__, "tgl", 0x11081007, 0x2000, 8, true},
        {__LINE__, "tgl", 0x11081007, 0x2000, 0x1008, false},
        /* Before Gen11 the bit means nothing. */
        {__LINE__, "skl", 0x11081007, 0x2000, 8, true},
        {__LINE__, "skl", 0x11081007, 0, 8, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        uint32_t base = rows[i].base;
        PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x1000, 0, rows[i].header, base + 0x34, 0,
            base + 0x30, rows[i].tail, base + 0x38, RIG_RING(0), base + 0x3c, 1, 0x05000000);
        PUT(rig, TALLY_GPU_GGTT, RIG_RING(0), 0, 0);
        gpu_rig_submit(rig, 0, 0x111, 0, 0);
        ROW(rows[i].line, gpu_rig_finish(rig), "it does not end");
        ROW(rows[i].line, rig->completions == rows[i].runs, "%u contexts", rig->completions);
        ROW(rows[i].line, (tally_gpu_fault(rig->gpu, &error) == 0) == rows[i].runs, "%s",
            error.message);
        ROW(rows[i].line,
            gpu_rig_peek(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + (rows[i].runs ? RIG_HEAD : 0x100c)) ==
                (rows[i].runs ? 8 : 0),
            "head");
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A GPU without memory stops at once, and its reports go nowhere. */
static void test_no_bus(void **state)
{
    (void)state;
    struct tally_error error = {0};
    struct tally_gpu *gpu;
    assert_int_equal(
        tally_gpu_new(&(struct tally_gpu_config){.platform = "skl", .always_awake = true}, &gpu,
                      &error),
        0);
    tally_gpu_write32(gpu, 0x2360, 3);
    tally_gpu_write32(gpu, 0x2b00, 0x15);
    assert_int_equal(tally_gpu_submit(gpu, 1, 0, 0x1000, true), 0);
    tally_gpu_run(gpu, 100000);
    assert_int_equal(tally_gpu_fault(gpu, &error), -EIO);
    assert_true(tally_gpu_read32(gpu, 0x2b10) > 0);
    /* A context whose image is not there is not dropped in silence. */
    tally_gpu_reset(gpu, TALLY_GPU_RESET_GT);
    unsigned heard = 0;
    tally_gpu_set_fault_listener(gpu, count_faults, &heard);
    const uint32_t writes[] = {0, 0, 7, 0x10001};
    for (unsigned i = 0; i < 4; i++)
        tally_gpu_write32(gpu, 0x2230, writes[i]);
    assert_int_equal(tally_gpu_fault(gpu, &error), -EIO);
    assert_string_equal(error.message, "context image at 0x00011000 (GGTT), descriptor 0x00010001: "
                                       "expected a ring, with its head and tail inside");
    assert_int_equal(heard, 1);
    tally_gpu_free(gpu);
    tally_gpu_free(NULL);
}

int test_gpu_commands(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),       cmocka_unit_test(test_ring),
        cmocka_unit_test(test_execlists),    cmocka_unit_test(test_switch_reports),
        cmocka_unit_test(test_work),         cmocka_unit_test(test_register_commands),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_relative_image),
        cmocka_unit_test(test_force_wakeup), cmocka_unit_test(test_no_bus),
    };
    return cmocka_run_group_tests_name("gpu: commands", tests, NULL, NULL);
}
