/* SPDX-License-Identifier: MIT */
/* Engines on the whole GPU: copy, video and video enhancement beside render. */
#include <errno.h>

#include "intel/gpu/engines.h"
#include "intel/gpu_rig.h"

#define MI_USER_INTERRUPT 0x01000000u
#define MI_BATCH_END      0x05000000u
#define BLIT(bytes)       0x54c00006, 0, 0, (bytes), 0, 0, 0, 0 /* XY_SRC_COPY_BLT of Gen6 */

/* The public addresses of an engine. page: its status page's register. user, notify: the bits of
 * its interrupts, before Gen11 in the IIR at `iir`. */
static const struct engine {
    const char *platforms, *name;
    uint32_t base, page, iir, user, notify;
} engines[] = {
    {"snb", "rcs0", 0x2000, 0x4080, 0x44018, 1u << 0, 1u << 4},
    {"snb", "vcs0", 0x12000, 0x14080, 0x44018, 1u << 12, 1u << 16},
    {"snb", "bcs0", 0x22000, 0x24080, 0x44018, 1u << 22, 1u << 26},
    {"ivb vlv hsw", "rcs0", 0x2000, 0x4080, 0x44018, 1u << 0, 1u << 4},
    {"ivb vlv hsw", "vcs0", 0x12000, 0x4180, 0x44018, 1u << 12, 1u << 16},
    {"ivb vlv hsw", "bcs0", 0x22000, 0x4280, 0x44018, 1u << 22, 1u << 26},
    {"hsw", "vecs0", 0x1a000, 0x4380, 0x44028, 1u << 10, 1u << 13},
    {"bdw chv skl", "rcs0", 0x2000, 0x2080, 0x44308, 1u << 0, 1u << 4},
    {"bdw chv skl", "bcs0", 0x22000, 0x22080, 0x44308, 1u << 16, 1u << 20},
    {"bdw chv skl", "vcs0", 0x12000, 0x12080, 0x44318, 1u << 0, 1u << 4},
    {"bdw/gt3 skl/gt3", "vcs1", 0x1c000, 0x1c080, 0x44318, 1u << 16, 1u << 20},
    {"bdw chv skl", "vecs0", 0x1a000, 0x1a080, 0x44338, 1u << 0, 1u << 4},
    {"icl lkf tgl", "rcs0", 0x2000, 0x2080, 0, 0, 0},
    {"icl lkf tgl", "bcs0", 0x22000, 0x22080, 0, 0, 0},
    {"icl lkf tgl", "vcs0", 0x1c0000, 0x1c0080, 0, 0, 0},
    {"icl lkf tgl", "vcs2", 0x1d0000, 0x1d0080, 0, 0, 0},
    {"icl lkf tgl", "vecs0", 0x1c8000, 0x1c8080, 0, 0, 0},
};

static bool names(const char *list, const char *name)
{
    return strstr(list, name) != NULL;
}

/* Calls `test` for each engine of each platform. */
static void each(void (*test)(struct gpu_rig *rig, const struct engine *engine))
{
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (size_t i = 0; i < COUNT(engines); i++) {
            struct gpu_rig *rig = gpu_rig_listed(__LINE__, engines[i].platforms, p);
            if (!rig)
                continue;
            test(rig, &engines[i]);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform, *names;
    } rows[] = {
        {__LINE__, "snb", "rcs0 bcs0 vcs0"},
        {__LINE__, "vlv", "rcs0 bcs0 vcs0"},
        {__LINE__, "hsw", "rcs0 bcs0 vcs0 vecs0"},
        {__LINE__, "chv", "rcs0 bcs0 vcs0 vecs0"},
        {__LINE__, "skl", "rcs0 bcs0 vcs0 vecs0"},
        {__LINE__, "skl/gt3", "rcs0 bcs0 vcs0 vcs1 vecs0"},
        {__LINE__, "skl/gt4", "rcs0 bcs0 vcs0 vcs1 vecs0"},
        {__LINE__, "bdw/gt2", "rcs0 bcs0 vcs0 vecs0"},
        {__LINE__, "bdw/gt3", "rcs0 bcs0 vcs0 vcs1 vecs0"},
        {__LINE__, "hsw/gt3", "rcs0 bcs0 vcs0 vecs0"},
        {__LINE__, "icl", "rcs0 bcs0 vcs0 vcs2 vecs0"},
        {__LINE__, "dg1", "rcs0 bcs0 vcs0 vcs2 vecs0"},
        {__LINE__, "rkl", "rcs0 bcs0 vcs0 vecs0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        char text[64] = "";
        const char *name;
        for (size_t n = 0; (name = tally_gpu_engine(rig->gpu, n)); n++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", n ? " " : "", name);
        ROW(rows[i].line, !strcmp(text, rows[i].names), "%s: %s", rows[i].platform, text);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- batches --------------------------------------------------------------------------------- */

/* A store, a flush that writes to the status page and notifies, and an interrupt. The image of the
 * batch in memory is the same on all engines but for the flush. */
static void run_batch(struct gpu_rig *rig, const struct engine *engine)
{
    const char *platform = revision_name(rig->model);
    bool wide = rig->model >= INTEL_BDW;
    tally_gpu_write32(rig->gpu, engine->page, 0x7000);
    ROW(__LINE__, tally_gpu_read32(rig->gpu, engine->page) == 0x7000, "%s %s: status page",
        platform, engine->name);
    if (engine->iir) {
        tally_gpu_write32(rig->gpu, engine->iir - 4, ~(engine->user | engine->notify));
        tally_gpu_write32(rig->gpu, engine->iir + 4, engine->user | engine->notify);
        tally_gpu_write32(rig->gpu, wide ? 0x44200 : 0x4400c, 0x80000000);
    }
    if (wide)
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x10400002, 0x3000, 0, 0x5a5a, /* MI_STORE_DATA_IMM */
            0x13204103, 0x40, 0, 0x77, 0,                               /* MI_FLUSH_DW */
            MI_USER_INTERRUPT, MI_BATCH_END);
    else
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x10400002, 0, 0x3000, 0x5a5a, 0x13204102, 0x40, 0x77, 0,
            MI_USER_INTERRUPT, MI_BATCH_END);
    ROW(__LINE__,
        tally_gpu_engine_submit(rig->gpu, engine->name, 7, TALLY_GPU_GGTT, 0x1000, true) == 0,
        "%s %s: submit", platform, engine->name);
    ROW(__LINE__, gpu_rig_finish(rig), "%s %s: it ends", platform, engine->name);
    struct tally_error error = {0};
    ROW(__LINE__, tally_gpu_fault(rig->gpu, &error) == 0, "%s", error.message);
    ROW(__LINE__, gpu_rig_peek(rig, 0, 0x3000) == 0x5a5a, "%s %s: store", platform, engine->name);
    ROW(__LINE__, gpu_rig_peek(rig, 0, 0x7040) == 0x77, "%s %s: flush", platform, engine->name);
    if (engine->iir)
        ROW(__LINE__,
            tally_gpu_read32(rig->gpu, engine->iir) == (engine->user | engine->notify) &&
                rig->rises == 1,
            "%s %s: IIR %08" PRIx32 ", %u rises", platform, engine->name,
            tally_gpu_read32(rig->gpu, engine->iir), rig->rises);
}

static void test_batches(void **state)
{
    (void)state;
    each(run_batch);
}

/* The ring's registers are at the same offsets from each base (Gen6 to Gen7.5). */
static void run_ring(struct gpu_rig *rig, const struct engine *engine)
{
    struct tally_gpu *gpu = rig->gpu;
    if (rig->model >= INTEL_BDW)
        return;
    PUT(rig, TALLY_GPU_GGTT, 0x8000, 0x10400002, 0, 0x3000, 0x1234, MI_USER_INTERRUPT, 0);
    tally_gpu_write32(gpu, engine->base + 0x38, 0x8000);
    tally_gpu_write32(gpu, engine->base + 0x3c, 1);
    tally_gpu_write32(gpu, engine->base + 0x30, 24);
    ROW(__LINE__, gpu_rig_finish(rig), "%s: it ends", engine->name);
    ROW(__LINE__, tally_gpu_read32(gpu, engine->base + 0x34) == 24, "%s: head", engine->name);
    ROW(__LINE__, gpu_rig_peek(rig, 0, 0x3000) == 0x1234, "%s: store", engine->name);
    for (size_t i = 0; i < COUNT(engines); i++) /* no other engine has moved */
        if (names(engines[i].platforms, revision_name(rig->model)) && &engines[i] != engine)
            ROW(__LINE__, !tally_gpu_read32(gpu, engines[i].base + 0x30), "%s", engines[i].name);
}

static void test_rings(void **state)
{
    (void)state;
    each(run_ring);
}

/* A context in each engine's execution list; its interrupt comes by the tree from Gen11 on. */
static void run_list(struct gpu_rig *rig, const struct engine *engine)
{
    struct tally_gpu *gpu = rig->gpu;
    const uint32_t port = engine->base + 0x230, queue = engine->base + 0x510;
    if (rig->model < INTEL_BDW)
        return;
    gpu_rig_context(rig, 0, 24, 0);
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(0), 0x10400002, 0x3000, 0, 0x1234, MI_USER_INTERRUPT, 0);
    /* The image names the ring's registers of its engine. */
    for (uint32_t at = 0x1000; at < 0x1100; at += 4) {
        uint32_t dword = gpu_rig_peek(rig, 0, RIG_LRCA(0) + at);
        if (dword >= 0x2030 && dword <= 0x203c)
            PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(0) + at, dword - 0x2000 + engine->base);
    }
    if (rig->model >= INTEL_ICL) {
        tally_gpu_write32(gpu, queue, RIG_LRCA(0) | 1);
        tally_gpu_write32(gpu, queue + 4, 0x111);
        tally_gpu_write32(gpu, queue + 8, 0);
        tally_gpu_write32(gpu, queue + 0x40, 1);
    } else {
        const uint32_t list[] = {0, 0, 0x111, RIG_LRCA(0) | 1};
        for (size_t i = 0; i < COUNT(list); i++)
            tally_gpu_write32(gpu, port, list[i]);
    }
    ROW(__LINE__, !tally_gpu_is_idle(gpu), "%s: submitted", engine->name);
    ROW(__LINE__, gpu_rig_finish(rig), "%s: it ends", engine->name);
    ROW(__LINE__, gpu_rig_peek(rig, 0, 0x3000) == 0x1234, "%s %s: store", revision_name(rig->model),
        engine->name);
    ROW(__LINE__, rig->completions == 1 && rig->id == 0x111 && rig->head == 24, "%s: head %u",
        engine->name, rig->head);
    ROW(__LINE__, tally_gpu_engine_busy_ns(gpu, engine->name) > 0, "%s: busy", engine->name);
}

static void test_lists(void **state)
{
    (void)state;
    each(run_list);
}

/* Gen12: a context's image has MI_MODE, which enables three levels of batches (OA-11.11). */
static void run_nested(struct gpu_rig *rig, const struct engine *engine)
{
    if (rig->model < INTEL_TGL)
        return;
    for (uint32_t n = 0; n < 2; n++) { /* the first context has it, the second switches it on */
        PUT(rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x1000, 0, 0x11001009, engine->base + 0x34, 0,
            engine->base + 0x30, 40, engine->base + 0x38, RIG_RING(n), engine->base + 0x3c, 1,
            engine->base + 0x9c, n ? 0xffff0100 : 0xffff1000, MI_BATCH_END);
        PUT(rig, TALLY_GPU_GGTT, RIG_RING(n), 0x18800001, 0x2000, 0, 0, 0x11000001,
            engine->base + 0x9c, n ? 0x11001000 : 0x10001000, 0, 0, 0);
    }
    PUT(rig, TALLY_GPU_GGTT, 0x2000, 0x18c00001, 0x2100, 0, 0x10400002, 0x3000, 0, 1, MI_BATCH_END);
    PUT(rig, TALLY_GPU_GGTT, 0x2100, 0x18c00001, 0x2200, 0, 0x10400002, 0x3004, 0, 2, MI_BATCH_END);
    PUT(rig, TALLY_GPU_GGTT, 0x2200, 0x10400002, 0x3008, 0, 3, MI_BATCH_END);
    for (uint32_t n = 0; n < 2; n++) {
        PUT(rig, TALLY_GPU_GGTT, 0x3000, 0, 0, 0);
        gpu_rig_submit_to(rig, engine->base, n, 0x111, 0, 0);
        ROW(__LINE__, gpu_rig_finish(rig), "%s: it ends", engine->name);
        ROW(__LINE__,
            gpu_rig_peek(rig, 0, 0x3000) == 1 && gpu_rig_peek(rig, 0, 0x3004) == (n ? 0 : 2) &&
                gpu_rig_peek(rig, 0, 0x3008) == 3,
            "%s, context %" PRIu32 ": levels", engine->name, n);
        uint32_t saved = gpu_rig_peek(rig, 0, RIG_LRCA(n) + 0x1000 + 4 * 0x61);
        ROW(__LINE__, saved == 0xffff1000, "%s, context %" PRIu32 ": %08" PRIx32, engine->name, n,
            saved);
    }
}

static void test_nested_batches(void **state)
{
    (void)state;
    each(run_nested);
}

/* ---- together -------------------------------------------------------------------------------- */

/* The blitter works; meanwhile render runs its own batch. Each has its own busy time. */
static void test_side_by_side(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "ivb");
    struct tally_gpu *gpu = rig->gpu;
    rig->work_clocks = 100000;
    PUT(rig, TALLY_GPU_GGTT, 0x1000, BLIT(0x00100010), 0x13000002, 0, 0, 0, MI_BATCH_END);
    PUT(rig, TALLY_GPU_GGTT, 0x2000, 0x10400002, 0, 0x3000, 1, MI_BATCH_END);
    assert_int_equal(tally_gpu_engine_submit(gpu, "bcs0", 1, 0, 0x1000, true), 0);
    tally_gpu_run(gpu, 1000);
    assert_int_equal(tally_gpu_submit(gpu, 2, 0, 0x2000, true), 0);
    tally_gpu_run(gpu, 1000);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x3000), 1);
    assert_false(tally_gpu_is_idle(gpu));
    assert_true(gpu_rig_finish(rig));
    uint64_t copy = tally_gpu_engine_busy_ns(gpu, "bcs0");
    uint64_t render = tally_gpu_engine_busy_ns(gpu, "rcs0");
    uint64_t work = UINT64_C(100000) * 1000000000 / tally_gpu_clock_hz(gpu);
    assert_in_range(copy, work, work + work / 50);
    assert_in_range(render, 1, work / 50);
    assert_int_equal(tally_gpu_engine_busy_ns(gpu, "vecs0"), 0);
    assert_int_equal(tally_gpu_engine_submit(gpu, "vecs0", 1, 0, 0x1000, true), -EINVAL);
    gpu_rig_free(rig);
}

/* Render waits for a mailbox that the video engine writes (RVSYNC). */
static void test_mailbox(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "snb");
    struct tally_gpu *gpu = rig->gpu;
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x0b140001, 5, 0, 0x10400002, 0, 0x3000, 1, MI_BATCH_END);
    PUT(rig, TALLY_GPU_GGTT, 0x2000, 0x0b240001, 6, 0x2040, MI_BATCH_END);
    assert_int_equal(tally_gpu_submit(gpu, 1, 0, 0x1000, true), 0);
    tally_gpu_run(gpu, 100000);
    assert_false(tally_gpu_is_idle(gpu));
    assert_int_equal(gpu_rig_peek(rig, 0, 0x3000), 0);
    assert_int_equal(tally_gpu_engine_submit(gpu, "vcs0", 2, 0, 0x2000, true), 0);
    assert_true(gpu_rig_finish(rig));
    struct tally_error error = {0};
    if (tally_gpu_fault(gpu, &error))
        fail_msg("%s", error.message);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x3000), 1);
    assert_int_equal(tally_gpu_read32(gpu, 0x2040), 6);
    gpu_rig_free(rig);
}

/* A fault stops its engine only, and a reset of that engine only clears it. */
static void test_faults_and_resets(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    struct tally_gpu *gpu = rig->gpu;
    struct tally_error error = {0};
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x7a000004, 0, 0, 0, 0, 0); /* PIPE_CONTROL */
    PUT(rig, TALLY_GPU_GGTT, 0x2000, 0x18800001, 0x2000, 0);     /* jumps to itself */
    assert_int_equal(tally_gpu_engine_submit(gpu, "vecs0", 1, 0, 0x1000, true), 0);
    assert_int_equal(tally_gpu_engine_submit(gpu, "bcs0", 2, 0, 0x2000, true), 0);
    tally_gpu_run(gpu, 1000);
    assert_int_equal(tally_gpu_fault(gpu, &error), -EIO);
    assert_string_equal(error.message,
                        "command streamer vecs0 at 0x00001000 (GGTT), dword 0x7a000004: "
                        "PIPE_CONTROL, expected a command that vecs0 has");
    assert_int_equal(tally_gpu_engine_reset(gpu, "vcs2"), -EINVAL);
    assert_int_equal(tally_gpu_engine_reset(gpu, "vecs0"), 0);
    assert_int_equal(tally_gpu_fault(gpu, &error), 0);
    tally_gpu_run(gpu, 1000);
    assert_false(tally_gpu_is_idle(gpu)); /* the copy engine's loop goes on */
    tally_gpu_reset(gpu, TALLY_GPU_RESET_ENGINE);
    assert_false(tally_gpu_is_idle(gpu));
    tally_gpu_reset(gpu, TALLY_GPU_RESET_GT);
    assert_true(tally_gpu_is_idle(gpu));
    gpu_rig_free(rig);
}

/* Each engine counts the time in which it waits for events and for semaphores. */
static void test_waits(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "ivb");
    struct tally_gpu *gpu = rig->gpu;
    tally_gpu_write32(gpu, 0x2028, 0x00010001);                 /* EXCC: condition code 1 */
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x01810000, MI_BATCH_END); /* waits for it */
    PUT(rig, TALLY_GPU_GGTT, 0x2000, 0x0b500001, 5, 0x3000, MI_BATCH_END); /* until [3000h] > 5 */
    assert_int_equal(tally_gpu_submit(gpu, 1, 0, 0x1000, true), 0);
    assert_int_equal(tally_gpu_engine_submit(gpu, "bcs0", 2, 0, 0x2000, true), 0);
    tally_gpu_run_ns(gpu, 1000000);
    tally_gpu_write32(gpu, 0x2028, 0x00010000);
    tally_gpu_run_ns(gpu, 500000);
    PUT(rig, TALLY_GPU_GGTT, 0x3000, 6);
    assert_true(gpu_rig_finish(rig));
    static const struct {
        unsigned line;
        const char *engine;
        bool semaphore;
        uint64_t ns;
    } rows[] = {
        {__LINE__, "rcs0", false, 1000000}, {__LINE__, "rcs0", true, 0},
        {__LINE__, "bcs0", false, 0},       {__LINE__, "bcs0", true, 1500000},
        {__LINE__, "vcs0", true, 0},        {__LINE__, "vcs2", true, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t ns = gpu_engine_wait_ns(gpu, rows[i].engine, rows[i].semaphore);
        ROW(rows[i].line, ns <= rows[i].ns && ns + 2000 >= rows[i].ns, "%s: %lu ns", rows[i].engine,
            (unsigned long)ns);
    }
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* A loop on another engine is skipped as one on render is: ten seconds pass at once. */
static void test_loop(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "icl");
    PUT(rig, TALLY_GPU_GGTT, 0x2000, 0x18800001, 0x2000, 0);
    assert_int_equal(tally_gpu_engine_submit(rig->gpu, "vcs2", 1, 0, 0x2000, true), 0);
    uint64_t before = rig->reads;
    tally_gpu_run_ns(rig->gpu, UINT64_C(10000000000));
    assert_in_range(rig->reads - before, 1, 10000);
    assert_in_range(tally_gpu_engine_busy_ns(rig->gpu, "vcs2"), UINT64_C(9999990000),
                    UINT64_C(10000010000));
    gpu_rig_free(rig);
}

/* ---- power ----------------------------------------------------------------------------------- */

/* An engine that works keeps its domain awake and others asleep; registers of a sleeping domain
 * read 0. Requests: SKL's 0xa278 render, 0xa270 media, 0xa188 blitter. */
static void test_domains(void **state)
{
    (void)state;
    struct tally_gpu_config config = {.platform = "skl"};
    struct gpu_rig *rig = gpu_rig_new(__LINE__, &config);
    struct tally_gpu *gpu = rig->gpu;
    tally_gpu_write32(gpu, 0xa278, 0x00010001);
    tally_gpu_write32(gpu, 0x2038, 0x4000);
    tally_gpu_write32(gpu, 0x12038, 0x5000);
    tally_gpu_write32(gpu, 0x22038, 0x6000);
    tally_gpu_write32(gpu, 0xa270, 0x00010001);
    tally_gpu_write32(gpu, 0xa188, 0x00010001);
    assert_int_equal(tally_gpu_read32(gpu, 0x2038), 0x4000);
    assert_int_equal(tally_gpu_read32(gpu, 0x12038), 0); /* its domain was asleep */
    assert_int_equal(tally_gpu_read32(gpu, 0x22038), 0);
    tally_gpu_write32(gpu, 0x1a038, 0x7000);
    assert_int_equal(tally_gpu_read32(gpu, 0x1a038), 0x7000);
    tally_gpu_write32(gpu, 0xa278, 0x00010000);
    tally_gpu_write32(gpu, 0xa270, 0x00010000);
    tally_gpu_write32(gpu, 0xa188, 0x00010000);
    assert_int_equal(tally_gpu_read32(gpu, 0x1a038), 0);
    PUT(rig, TALLY_GPU_GGTT, 0x2000, 0x18800001, 0x2000, 0);
    assert_int_equal(tally_gpu_engine_submit(gpu, "vecs0", 1, 0, 0x2000, true), 0);
    assert_int_equal(tally_gpu_read32(gpu, 0x1a038), 0x7000);
    assert_int_equal(tally_gpu_read32(gpu, 0x2038), 0);
    assert_int_equal(tally_gpu_enter_rc6(gpu), -EBUSY);
    assert_int_equal(tally_gpu_engine_reset(gpu, "vecs0"), 0);
    assert_int_equal(tally_gpu_enter_rc6(gpu), 0);
    gpu_rig_free(rig);
}

int test_gpu_engines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),          cmocka_unit_test(test_batches),
        cmocka_unit_test(test_rings),          cmocka_unit_test(test_lists),
        cmocka_unit_test(test_nested_batches), cmocka_unit_test(test_mailbox),
        cmocka_unit_test(test_side_by_side),   cmocka_unit_test(test_waits),
        cmocka_unit_test(test_loop),           cmocka_unit_test(test_faults_and_resets),
        cmocka_unit_test(test_domains),
    };
    return cmocka_run_group_tests_name("gpu: engines", tests, NULL, NULL);
}
