/* SPDX-License-Identifier: MIT */
/* The context status buffers of all engines, in each generation's form (OA-12.1 to OA-12.3), and
 * the handshake before a reset (OA-12.5). */
#include "intel/gpu_rig.h"

#define PAGE 0x7000u /* the hardware status page */
#define MI_WAIT_UNTIL                                                                              \
    0x0e40c002u      /* MI_SEMAPHORE_WAIT: polls the GGTT until it is equal to the data */
#define FLAG 0x3000u /* what it waits for */
#define DRAW 0x7b000005, 0, 3, 0, 1, 0, 0 /* 3DPRIMITIVE */

/* Descriptors' upper halves: software's id in 15:5, its count in 28:23. */
#define HIGH(id, count) ((uint32_t)(id) << 5 | (uint32_t)(count) << 23)
static const uint32_t ids[] = {HIGH(0x123, 0x15), HIGH(0x2a, 1), HIGH(0x7f0, 0x3e)};
#define IDLE 3 /* in place of a context */

/* engine: bits 11:3 of Gen12's events. enable, mask: how its switch interrupt is let through. */
static const struct engine {
    const char *platforms;
    uint32_t base, engine, enable, mask;
} engines[] = {
    {"bdw chv skl", 0x2000, 0, 0x4430c, 0x100},
    {"bdw chv skl", 0x22000, 0, 0x4430c, 0x1000000},
    {"bdw chv skl", 0x12000, 0, 0x4431c, 0x100},
    {"bdw chv skl", 0x1a000, 0, 0x4433c, 0x100},
    {"icl lkf tgl", 0x2000, 0 << 3, 0x190030, 0x1000000},
    {"icl lkf tgl", 0x22000, 3 << 3, 0x190030, 0x100},
    {"icl lkf tgl", 0x1c0000, 1 << 3, 0x190034, 0x1000000},
    {"icl lkf tgl", 0x1d0000, 1 << 3 | 2 << 6, 0x190034, 0x1000000},
    {"icl lkf tgl", 0x1c8000, 2 << 3, 0x190034, 0x100},
};

struct fixture {
    struct gpu_rig *rig;
    const struct engine *engine;
    const char *platform;
    unsigned seen; /* events */
};

static void start(struct fixture *f, const char *platform, const struct engine *engine)
{
    *f = (struct fixture){gpu_rig_awake(__LINE__, platform), engine, platform, 0};
    tally_gpu_write32(f->rig->gpu, engine->base + 0x80, PAGE);
}

/* Calls `test` for each engine of each platform with execution lists. */
static void each(void (*test)(struct fixture *f), bool render_only)
{
    for (unsigned p = INTEL_BDW; p < INTEL_REVISIONS; p++)
        for (size_t i = 0; i < COUNT(engines); i++) {
            struct fixture f;
            if (!strstr(engines[i].platforms, revision_name(p)) ||
                (render_only && engines[i].base != 0x2000))
                continue;
            start(&f, revision_name(p), &engines[i]);
            test(&f);
            gpu_rig_free(f.rig);
        }
    ROWS_DONE();
}

#define RING(f, n, ...)                                                                            \
    gpu_rig_ring((f)->rig, (f)->engine->base, n, (const uint32_t[]){__VA_ARGS__},                  \
                 COUNT(((const uint32_t[]){__VA_ARGS__})))

static void submit(const struct fixture *f, unsigned n0, unsigned n1)
{
    gpu_rig_submit_to(f->rig, f->engine->base, n0, ids[n0], n1, n1 == IDLE ? 0 : ids[n1]);
}

/* ---- expectations ---------------------------------------------------------------------------- */

static unsigned size_of(const struct fixture *f)
{
    return f->rig->model < INTEL_ICL ? 6 : 12;
}

static void wide_event(const struct fixture *f, unsigned to, unsigned from, uint32_t new_list,
                       uint32_t detail, uint32_t dwords[2])
{
    uint32_t to_id = to == IDLE ? UINT32_MAX : ids[to],
             from_id = from == IDLE ? UINT32_MAX : ids[from];
    dwords[0] =
        (to_id >> 23 & 0x3f) << 26 | (to_id >> 5 & 0x7ff) << 15 | f->engine->engine | new_list;
    dwords[1] = (from_id >> 23 & 0x3f) << 26 | (from_id >> 5 & 0x7ff) << 15 | detail;
}

/* Expects `count` events so far, the latest of which has `bits` in the first form, and is from a
 * context to another one. `detail`: of Gen12. */
static void expect(unsigned line, struct fixture *f, unsigned count, uint32_t bits, unsigned from,
                   unsigned to, uint32_t detail)
{
    unsigned at = (count - 1) % size_of(f), write = size_of(f) == 6 ? 31 : 47;
    uint32_t want[2] = {bits, from == IDLE ? 0 : ids[from]};
    if (f->rig->model == INTEL_TGL)
        wide_event(f, to, from, bits & 3 ? 1 : 0, detail, want);
    uint32_t pointers = tally_gpu_read32(f->rig->gpu, f->engine->base + 0x3a0);
    ROW(line, pointers == at, "%s %x: pointers %x, not %x", f->platform, f->engine->base, pointers,
        at);
    ROW(line, gpu_rig_peek(f->rig, 0, PAGE + 4 * write) == at, "%s %x: index in the page",
        f->platform, f->engine->base);
    for (unsigned half = 0; half < 2; half++) {
        uint32_t value = gpu_rig_peek(f->rig, 0, PAGE + 0x40 + 8 * at + 4 * half);
        ROW(line, value == want[half], "%s %x: event %u half %u is %08x, not %08x", f->platform,
            f->engine->base, at, half, value, want[half]);
        if (at < 6) {
            value = tally_gpu_read32(f->rig->gpu, f->engine->base + 0x370 + 8 * at + 4 * half);
            ROW(line, value == want[half], "%s %x: register %u half %u is %08x", f->platform,
                f->engine->base, at, half, value);
        }
    }
}
#define EXPECT(f, count, bits, from, to, detail) expect(__LINE__, f, count, bits, from, to, detail)

/* ---- events ---------------------------------------------------------------------------------- */

/* A list of two on an idle engine. Its switches raise the interrupt. */
static void run_list(struct fixture *f)
{
    struct tally_gpu *gpu = f->rig->gpu;
    uint32_t base = f->engine->base, reset = size_of(f) == 6 ? 7 : 15;
    ROW(__LINE__, tally_gpu_read32(gpu, base + 0x3a0) == reset, "%s: reset", f->platform);
    RING(f, 0, MI_WAIT_UNTIL, 1, FLAG, 0);
    RING(f, 1, MI_WAIT_UNTIL, 2, FLAG, 0);
    submit(f, 0, 1);
    tally_gpu_run(gpu, 500);
    EXPECT(f, 1, 0x01, IDLE, 0, 0);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 1);
    tally_gpu_run(gpu, 500);
    EXPECT(f, 2, 0x14, 0, 1, 0);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 2);
    ROW(__LINE__, gpu_rig_finish(f->rig), "%s %x: it does not end", f->platform, base);
    EXPECT(f, 3, 0x18, 1, IDLE, 0);
}

static void test_list(void **state)
{
    (void)state;
    each(run_list, false);
}

static void run_interrupts(struct fixture *f)
{
    static const uint32_t masks[] = {0x190090, 0x1900a0, 0x1900a8, 0x1900ac, 0x1900d0};
    struct tally_gpu *gpu = f->rig->gpu;
    bool tree = f->rig->model >= INTEL_ICL;
    for (size_t i = 0; tree && i < COUNT(masks); i++)
        tally_gpu_write32(gpu, masks[i], 0);
    if (!tree)
        tally_gpu_write32(gpu, f->engine->enable - 8, 0);
    tally_gpu_write32(gpu, f->engine->enable, f->engine->mask);
    tally_gpu_write32(gpu, tree ? 0x190010 : 0x44200, 0x80000000);
    RING(f, 0, MI_WAIT_UNTIL, 1, FLAG, 0);
    submit(f, 0, IDLE);
    ROW(__LINE__, f->rig->rises == 0, "%s %x: too early", f->platform, f->engine->base);
    tally_gpu_run(gpu, 500);
    ROW(__LINE__, f->rig->rises == 1, "%s %x: the first event", f->platform, f->engine->base);
    if (tree) /* it would have to be serviced through the tree */
        return;
    tally_gpu_write32(gpu, f->engine->enable - 4, f->engine->mask);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 1);
    ROW(__LINE__, gpu_rig_finish(f->rig) && f->rig->rises == 2, "%s %x: %u interrupts", f->platform,
        f->engine->base, f->rig->rises);
}

static void test_interrupts(void **state)
{
    (void)state;
    each(run_interrupts, false);
}

/* A new list that begins with the running context: only the tail changes, and the second element.
 */
static void run_lite_restore(struct fixture *f)
{
    RING(f, 0, MI_WAIT_UNTIL, 1, FLAG, 0, 0x10400002, FLAG + 8, 0, 7); /* and MI_STORE_DATA_IMM */
    RING(f, 1, 0, 0);
    RING(f, 2, 0x10400002, FLAG + 12, 0, 9);
    gpu_rig_context_of(f->rig, f->engine->base, 0, 16);
    submit(f, 0, 1);
    tally_gpu_run(f->rig->gpu, 500);
    gpu_rig_context_of(f->rig, f->engine->base, 0, 32);
    submit(f, 0, 2);
    tally_gpu_run(f->rig->gpu, 500);
    EXPECT(f, 2, 0x8002, 0, 0, 5);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 1);
    ROW(__LINE__, gpu_rig_finish(f->rig), "%s: it does not end", f->platform);
    EXPECT(f, 4, 0x18, 2, IDLE, 0);
    ROW(__LINE__, gpu_rig_peek(f->rig, 0, FLAG + 8) == 7, "%s: behind the old tail", f->platform);
    ROW(__LINE__, gpu_rig_peek(f->rig, 0, FLAG + 12) == 9, "%s: the new element", f->platform);
}

static void test_lite_restore(void **state)
{
    (void)state;
    each(run_lite_restore, false);
}

/* A new list while only the work of a complete context is in progress. */
static void run_complete(struct fixture *f)
{
    f->rig->work_clocks = 5000;
    RING(f, 0, 0, DRAW); /* the last command: its context is complete when the list follows */
    RING(f, 1, 0, 0);
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    submit(f, 1, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    EXPECT(f, 1, 0x01, IDLE, 0, 0);
    ROW(__LINE__, gpu_rig_finish(f->rig), "%s: it does not end", f->platform);
    EXPECT(f, 3, 0x18, 1, IDLE, 0);
    f->rig->work_clocks = 0;
    tally_gpu_write32(f->rig->gpu, f->engine->base + 0x3a0, 0x000f0000 | (size_of(f) - 1));
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + RIG_HEAD, 0); /* the head */
    f->rig->work_clocks = 5000;
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(1) + RIG_HEAD, 0);
    PUT(f->rig, TALLY_GPU_GGTT, RIG_RING(1), MI_WAIT_UNTIL, 1, FLAG, 0);
    gpu_rig_context_of(f->rig, f->engine->base, 1, 16);
    submit(f, 1, IDLE);
    tally_gpu_run(f->rig->gpu, 6000);
    EXPECT(f, 2, 0x12, 0, 1, 0);
}

static void test_complete(void **state)
{
    (void)state;
    each(run_complete, true);
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* The buffer wraps around; software's pointer does not matter, and the index can be written. */
static void run_pointers(struct fixture *f)
{
    struct tally_gpu *gpu = f->rig->gpu;
    uint32_t at = f->engine->base + 0x3a0, last = size_of(f) - 1;
    for (unsigned i = 0; i < 7; i++) {
        RING(f, 0, 0, 0);
        submit(f, 0, IDLE);
        ROW(__LINE__, gpu_rig_finish(f->rig), "%s: it does not end", f->platform);
        EXPECT(f, 2 * (i + 1), 0x18, 0, IDLE, 0);
    }
    tally_gpu_write32(gpu, at, 0x07000000 | 2 << 8 | 5);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == (2 << 8 | 13 % size_of(f)), "%s: read pointer",
        f->platform);
    tally_gpu_write32(gpu, at, 0xffff0000 | last << 8 | last);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == (last << 8 | last), "%s: both", f->platform);
    tally_gpu_write32(gpu, at, 0x0f000000);
    RING(f, 0, 0, 0);
    submit(f, 0, IDLE);
    tally_gpu_run(gpu, 66);
    EXPECT(f, 1, 0x01, IDLE, 0, 0);
    tally_gpu_reset(gpu, TALLY_GPU_RESET_GT);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == (last == 5 ? 7 : 15), "%s: after a reset",
        f->platform);
}

static void test_pointers(void **state)
{
    (void)state;
    each(run_pointers, false);
}

/* Without a status page nothing is written to page 0. */
static void test_no_page(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    gpu_rig_context(rig, 0, 8, 0);
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(0), 0, 0);
    gpu_rig_submit(rig, 0, 5, 0, 0);
    assert_true(gpu_rig_finish(rig));
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(gpu_rig_peek(rig, 0, 4 * i), 0);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0x23a0), 1);
    gpu_rig_free(rig);
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* A request stops the engine and is ready; without it, or after a reset, it runs. */
static void run_handshake(struct fixture *f)
{
    struct tally_gpu *gpu = f->rig->gpu;
    uint32_t at = f->engine->base + 0xd0;
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 0, "%s: at first", f->platform);
    tally_gpu_write32(gpu, at, 0x00000001); /* not enabled */
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 0, "%s: masked", f->platform);
    RING(f, 0, 0x10400002, FLAG, 0, 7);
    tally_gpu_write32(gpu, at, 0x00010001);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 3, "%s: ready", f->platform);
    submit(f, 0, IDLE);
    tally_gpu_run(gpu, 1000);
    ROW(__LINE__, gpu_rig_peek(f->rig, 0, FLAG) == 0, "%s %x: stopped", f->platform,
        f->engine->base);
    tally_gpu_write32(gpu, at, 0x00010000);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 0, "%s: withdrawn", f->platform);
    ROW(__LINE__, gpu_rig_finish(f->rig) && gpu_rig_peek(f->rig, 0, FLAG) == 7, "%s %x: runs",
        f->platform, f->engine->base);
    tally_gpu_write32(gpu, at, 0x00010001);
    tally_gpu_reset(gpu, TALLY_GPU_RESET_GT);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 0, "%s: reset", f->platform);
}

static void test_handshake(void **state)
{
    (void)state;
    each(run_handshake, false);
}

/* An access to unmapped memory is a catastrophic error, an unknown command is none. */
static void run_error(struct fixture *f)
{
    struct tally_gpu *gpu = f->rig->gpu;
    uint32_t at = f->engine->base + 0xd0;
    RING(f, 0, 0x10400002, 0xf00000, 0, 7);
    submit(f, 0, IDLE);
    tally_gpu_run(gpu, 1000);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 4, "%s %x: set", f->platform, f->engine->base);
    tally_gpu_write32(gpu, at, 0x00010001);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 7, "%s: ready", f->platform);
    tally_gpu_write32(gpu, at, 0x00040004);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 3, "%s: cleared", f->platform);
    tally_gpu_reset(gpu, TALLY_GPU_RESET_GT);
    RING(f, 0, 0x0fffffff, 0);
    submit(f, 0, IDLE);
    tally_gpu_run(gpu, 1000);
    ROW(__LINE__, tally_gpu_read32(gpu, at) == 0, "%s: no error", f->platform);
}

static void test_error(void **state)
{
    (void)state;
    each(run_error, false);
}

/* Offsets into the status page of the context, or of the engine (OA-11.13). */
static void run_pages(struct fixture *f)
{
    static const struct {
        unsigned line;
        bool render_only;
        uint32_t dwords[6];
        uint32_t offset;
        bool engine; /* the engine's page */
    } rows[] = {
        {__LINE__, false, {0x13204003, 0x100, 0, 0x11, 0, 0}, 0x100, false}, /* MI_FLUSH_DW */
        {__LINE__, false, {0x13204003, 0x104, 0, 0x12, 0, 0}, 0x100, true},
        {__LINE__, false, {0x10a00001, 0x108, 0x13, 0, 0, 0}, 0x108, false},
        {__LINE__, false, {0x10800001, 0x108, 0x14, 0, 0, 0}, 0x108, true},
        {__LINE__, true, {0x7a000004, 0x00304000, 0xd0, 0, 0x15, 0}, 0xd0, false},
        {__LINE__, true, {0x7a000004, 0x01304000, 0xd0, 0, 0x16, 0}, 0xd0, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t own = (uint32_t)RIG_LRCA(0) + rows[i].offset, shared = PAGE + rows[i].offset;
        if (rows[i].render_only && f->engine->base != 0x2000)
            continue;
        PUT(f->rig, TALLY_GPU_GGTT, own, 1);
        PUT(f->rig, TALLY_GPU_GGTT, shared, 1);
        gpu_rig_ring(f->rig, f->engine->base, 0, rows[i].dwords, COUNT(rows[i].dwords));
        submit(f, 0, IDLE);
        ROW(rows[i].line, gpu_rig_finish(f->rig), "%s %x: it does not end", f->platform,
            f->engine->base);
        uint32_t value = 0x11 + (uint32_t)i, in_own = gpu_rig_peek(f->rig, 0, own);
        uint32_t in_shared = gpu_rig_peek(f->rig, 0, shared);
        ROW(rows[i].line,
            in_own == (rows[i].engine ? 1 : value) && in_shared == (rows[i].engine ? value : 1),
            "%s %x: %x in the context's page, %x in the engine's", f->platform, f->engine->base,
            in_own, in_shared);
    }
}

static void test_pages(void **state)
{
    (void)state;
    each(run_pages, false);
}

int test_gpu_status(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),         cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_lite_restore), cmocka_unit_test(test_complete),
        cmocka_unit_test(test_pointers),     cmocka_unit_test(test_no_page),
        cmocka_unit_test(test_handshake),    cmocka_unit_test(test_error),
        cmocka_unit_test(test_pages),
    };
    return cmocka_run_group_tests_name("gpu: context status", tests, NULL, NULL);
}
