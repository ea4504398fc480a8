/* SPDX-License-Identifier: MIT */
/*
 * Images of contexts as the hardware lays them down (OA-12.6), and preemption (OA-12.7, OA-12.8),
 * on all engines with execution lists. The places are written here by hand, from the public driver.
 */
#include "intel/gpu_rig.h"

#include "intel/gpu/gpu.h"

#define FLAG                     0x3000u /* what semaphores wait for */
#define RESULT                   0x3100u
#define MI_WAIT(value, address)  0x0e40c002u, value, address, 0 /* polls until equal */
#define MI_ARB_CHECK             0x02800000u
#define MI_STORE(address, value) 0x10400002u, address, 0, value
#define IDLE                     9

static const struct engine {
    const char *platforms;
    uint32_t base;
} engines[] = {
    {"bdw chv skl icl lkf tgl", 0x2000},
    {"bdw chv skl icl lkf tgl", 0x22000},
    {"bdw chv skl", 0x12000},
    {"bdw chv skl", 0x1a000},
    {"icl lkf tgl", 0x1c0000},
    {"icl lkf tgl", 0x1d0000},
    {"icl lkf tgl", 0x1c8000},
};

struct fixture {
    struct gpu_rig *rig;
    const char *platform;
    uint32_t base;
};

static void each(void (*test)(struct fixture *f), bool render_only)
{
    for (unsigned p = INTEL_BDW; p < INTEL_REVISIONS; p++)
        for (size_t i = 0; i < COUNT(engines); i++) {
            const char *platform = revision_name(p);
            if (!strstr(engines[i].platforms, platform) || (render_only && i))
                continue;
            struct fixture f = {gpu_rig_awake(__LINE__, platform), platform, engines[i].base};
            for (unsigned n = 0; n < 3; n++)
                gpu_rig_map(f.rig, RIG_SPACE(n));
            test(&f);
            gpu_rig_free(f.rig);
        }
    ROWS_DONE();
}

#define RING(f, n, ...)                                                                            \
    gpu_rig_ring((f)->rig, (f)->base, n, (const uint32_t[]){__VA_ARGS__},                          \
                 COUNT(((const uint32_t[]){__VA_ARGS__})))

static void submit(const struct fixture *f, unsigned n0, unsigned n1)
{
    gpu_rig_submit_to(f->rig, f->base, n0, 0x20 * (n0 + 1), n1, n1 == IDLE ? 0 : 0x20 * (n1 + 1));
}

static uint32_t image(const struct fixture *f, unsigned n, uint32_t dword)
{
    return gpu_rig_peek(f->rig, TALLY_GPU_GGTT, RIG_LRCA(n) + 0x1000 + 4 * dword);
}

static uint32_t result(const struct fixture *f, unsigned n)
{
    return gpu_rig_peek(f->rig, TALLY_GPU_GGTT, RESULT + 4 * n);
}

#define CHECK(f, condition)                                                                        \
    ROW(__LINE__, condition, "%s %" PRIx32 ": %s", (f)->platform, (f)->base, #condition)

/* ---- the places ------------------------------------------------------------------------------ */

/* Registers by their offset from the engine's base, or whole addresses. `images`: of the render
 * engine, or (lower case) of others. */
static const struct place {
    const char *images;
    uint16_t dword; /* of the address */
    uint32_t address;
} places[] = {
    {"BSITbsit", 2, 0x244},    {"BSITbsit", 4, 0x34},     {"BSITbsit", 6, 0x30},
    {"BSITbsit", 8, 0x38},     {"BSITbsit", 10, 0x3c},    {"BSITbsit", 12, 0x168},
    {"BSITbsit", 14, 0x140},   {"BSITbsit", 16, 0x110},   {"BSIbsi", 18, 0x11c},
    {"BSIbsi", 20, 0x114},     {"BSIbsi", 22, 0x118},     {"BSIsi", 24, 0x1c0},
    {"BSIsi", 26, 0x1c4},      {"BSIsi", 28, 0x1c8},      {"Tt", 18, 0x1c0},
    {"Tt", 22, 0x1c8},         {"I", 30, 0x180},          {"Tt", 24, 0x180},
    {"BSITbsit", 0x22, 0x3a8}, {"BSITbsit", 0x24, 0x28c}, {"BSITbsit", 0x32, 0x270},
    {"I", 0x35, 0x1b0},        {"T", 0x39, 0x5ac},        {"BSIT", 0x42, 0xc8},
    {"SIsi", 0x54, 0x9c},      {"Tt", 0x60, 0x9c},        {"B", 0x58, 0x9c},
    {"SIsi", 0x68, 0x600},     {"SIsi", 0xa6, 0x67c},     {"Tt", 0x74, 0x600},
    {"Tt", 0xb2, 0x67c},       {"B", 0xd8, 0x600},        {"B", 0x116, 0x67c},
    {"B", 0x120, 0x2360},      {"S", 0x128, 0x2360},      {"I", 0x124, 0x2360},
    {"T", 0x144, 0x2360},      {"B", 0x2ce, 0xe458},      {"B", 0x2da, 0xe65c},
    {"S", 0x3de, 0xe458},      {"I", 0x78e, 0xe458},      {"I", 0x794, 0xe758},
    {"BSIT", 0x151, 0x5280},   {"BSIT", 0x157, 0x528c},   {"t", 0xb9, 0x11c},
    {"t", 0xbb, 0x114},        {"t", 0xbd, 0x118},
};

static char letter(const struct fixture *f)
{
    static const char letters[INTEL_REVISIONS] = {
        [INTEL_BDW] = 'B', [INTEL_CHV] = 'B', [INTEL_SKL] = 'S',
        [INTEL_ICL] = 'I', [INTEL_LKF] = 'I', [INTEL_TGL] = 'T'};
    char upper = letters[f->rig->model];
    return (char)(f->base == 0x2000 ? upper : upper + 'a' - 'A');
}

/* Every dword is reached by the headers, and every register of a list is where it belongs. */
static void run_places(struct fixture *f)
{
    uint32_t count = f->rig->model < INTEL_ICL ? 0x400 : 0x800, at = 0, lists = 0;
    RING(f, 0, 0, 0);
    /* Behind the page of an engine other than render, the driver has other data. */
    if (f->base != 0x2000)
        PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x2000, 0x5a5a5a5a);
    submit(f, 0, IDLE);
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, f->base == 0x2000 ||
                 gpu_rig_peek(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x2000) == 0x5a5a5a5a);
    for (size_t i = 0; i < COUNT(places); i++) {
        if (!strchr(places[i].images, letter(f)))
            continue;
        bool whole = places[i].address >= 0x2000;
        uint32_t expected = whole ? places[i].address : f->base + places[i].address;
        ROW(__LINE__, image(f, 0, places[i].dword) == expected,
            "%s %" PRIx32 ": dword %x is %08" PRIx32 ", not %08" PRIx32, f->platform, f->base,
            places[i].dword, image(f, 0, places[i].dword), expected);
    }
    while (at < count && image(f, 0, at) != 0x05000000) {
        uint32_t header = image(f, 0, at++);
        if (!header)
            continue;
        lists++;
        CHECK(f, header >> 23 == 0x22 && header & 1); /* MI_LOAD_REGISTER_IMM of pairs */
        CHECK(f, f->rig->model >= INTEL_ICL || !(header & 1 << 19));
        at += (header & 0xff) + 1;
    }
    CHECK(f, at < count && lists >= 4);
    CHECK(f, image(f, 0, 5) == 8);                                   /* the head */
    CHECK(f, image(f, 0, 9) == RIG_RING(0) && image(f, 0, 11) == 1); /* software's */
}

static void test_places(void **state)
{
    (void)state;
    each(run_places, false);
}

/* Software's tail remains, even one that the hardware has not seen. Restore Inhibit is cleared. */
static void run_software(struct fixture *f)
{
    RING(f, 0, MI_WAIT(1, FLAG), 0, 0);
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x100c, 0x00010001);
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + RIG_TAIL, 16);
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 500);
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + RIG_TAIL, 24);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 1);
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, image(f, 0, 5) == 16 && image(f, 0, 7) == 24);
    CHECK(f, (image(f, 0, 3) & 1) == 0);
    submit(f, 0, IDLE);
    CHECK(f, gpu_rig_finish(f->rig) && image(f, 0, 5) == 24);
}

static void test_software(void **state)
{
    (void)state;
    each(run_software, false);
}

/* ---- registers of contexts ------------------------------------------------------------------- */

/* Two contexts by turns, each with its own CS_GPR0: their rings go on where they were. */
static void run_gprs(struct fixture *f)
{
    for (unsigned n = 0; n < 2; n++) /* MI_LOAD_REGISTER_IMM; then MI_STORE_REGISTER_MEM */
        RING(f, n, 0x11000001, f->base + 0x600, 0xa0 + n, 0, 0x12400002, f->base + 0x600,
             RESULT + 4 * n, 0);
    for (unsigned part = 1; part <= 2; part++)
        for (unsigned n = 0; n < 2; n++) {
            PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(n) + RIG_TAIL, 16 * part);
            submit(f, n, IDLE);
            CHECK(f, gpu_rig_finish(f->rig));
        }
    CHECK(f, result(f, 0) == 0xa0 && result(f, 1) == 0xa1);
    /* With Restore Inhibit the registers keep the other context's values. */
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + RIG_HEAD, 16);
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + 0x100c, 0x00010001);
    submit(f, 0, IDLE);
    CHECK(f, gpu_rig_finish(f->rig) && result(f, 0) == 0xa1);
}

static void test_gprs(void **state)
{
    (void)state;
    each(run_gprs, false);
}

/* CTX_TIMESTAMP advances with the timestamp while its context is loaded. */
static void run_times(struct fixture *f)
{
    struct tally_gpu *gpu = f->rig->gpu;
    RING(f, 0, MI_WAIT(1, FLAG), 0, 0);
    submit(f, 0, IDLE);
    tally_gpu_run(gpu, 1000);
    uint32_t first = tally_gpu_read32(gpu, f->base + 0x3a8), since = tally_gpu_read32(gpu, 0x2358);
    tally_gpu_run(gpu, 100000);
    uint32_t ticks = tally_gpu_read32(gpu, 0x2358) - since;
    CHECK(f, ticks > 1000 && tally_gpu_read32(gpu, f->base + 0x3a8) - first == ticks);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 1);
    CHECK(f, gpu_rig_finish(f->rig));
    uint32_t saved = image(f, 0, 0x23);
    CHECK(f, saved >= first + ticks && saved <= first + ticks + 10);
    tally_gpu_run(gpu, 100000); /* no context */
    PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(0) + RIG_TAIL, 24);
    submit(f, 0, IDLE);
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, image(f, 0, 0x23) >= saved && image(f, 0, 0x23) <= saved + 10);
}

static void test_times(void **state)
{
    (void)state;
    each(run_times, false);
}

/* ---- preemption ------------------------------------------------------------------------------ */

/* The second context sets FLAG, for which the first one waits: it must preempt it. */
static void run_wait(struct fixture *f)
{
    RING(f, 0, MI_WAIT(1, FLAG), MI_STORE(RESULT, 7));
    RING(f, 1, MI_STORE(FLAG, 1), MI_STORE(RESULT + 4, 8));
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    submit(f, 1, 0);
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, result(f, 0) == 7 && result(f, 1) == 8);
    CHECK(f, f->rig->completions == 2 && f->rig->id == 0x20);
    CHECK(f, image(f, 0, 5) == 32 && image(f, 1, 5) == 32);
}

static void test_wait(void **state)
{
    (void)state;
    each(run_wait, false);
}

/* A context is preempted in its second level batch, and continues there: what the batches and the
 * ring do afterwards happens once, in order. */
static void run_batches(struct fixture *f)
{
    RING(f, 0, 0x18800101, 0x2000, 0, MI_STORE(RESULT + 8, 3), 0);
    PUT(f->rig, RIG_SPACE(0), 0x2000, 0x18c00101, 0x2100, 0, 0x10000002, 0x3004, 0, 2, 0x05000000);
    PUT(f->rig, RIG_SPACE(0), 0x2100, 0x0e00c002, 1, 0x3000, 0, 0x10000002, 0x3008, 0, 1,
        MI_STORE(RESULT + 12, 5), 0x05000000); /* the latter is for privileged batches */
    PUT(f->rig, RIG_SPACE(0), 0x3000, 0, 0, 0);
    /* The other context has privileged batches of its own. */
    RING(f, 1, 0x18800001, 0x2000, 0, 0);
    PUT(f->rig, TALLY_GPU_GGTT, 0x2000, 0x18c00001, 0x2200, 0, 0x05000000);
    PUT(f->rig, TALLY_GPU_GGTT, 0x2200, MI_STORE(RESULT, 9), 0x05000000);
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    submit(f, 1, IDLE);
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, result(f, 0) == 9 && f->rig->completions == 1);
    CHECK(f, image(f, 0, 15) == (0x200c | 1) && image(f, 0, 17) == 1 << 5); /* BB_ADDR, BB_STATE */
    CHECK(f, image(f, 0, 5) == 12);
    PUT(f->rig, RIG_SPACE(0), 0x3000, 1);
    submit(f, 0, IDLE);
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, gpu_rig_peek(f->rig, RIG_SPACE(0), 0x3008) == 1);
    CHECK(f, gpu_rig_peek(f->rig, RIG_SPACE(0), 0x3004) == 2);
    CHECK(f, result(f, 3) == 0);
    CHECK(f, result(f, 2) == 3 && image(f, 0, 5) == 32 && image(f, 0, 15) % 4 == 0);
}

static void test_batches(void **state)
{
    (void)state;
    each(run_batches, false);
}

/* MI_ARB_CHECK in an endless batch is a preemption point; without it the batch is not left. Nor is
 * it while arbitration is off. */
static void run_points(struct fixture *f)
{
    static const struct {
        unsigned line;
        uint32_t first, second;
        bool leaves;
    } rows[] = {{__LINE__, 0, MI_ARB_CHECK, true},
                {__LINE__, 0, 0, false},
                {__LINE__, 0x04000000, MI_ARB_CHECK, false}, /* MI_ARB_ON_OFF: off */
                {__LINE__, 0x04000001, MI_ARB_CHECK, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        RING(f, 0, rows[i].first, 0x18800001, 0x2000, 0);
        PUT(f->rig, TALLY_GPU_GGTT, 0x2000, rows[i].second, 0x18800001, 0x2000, 0);
        RING(f, 1, MI_STORE(RESULT, 1 + (uint32_t)i));
        PUT(f->rig, TALLY_GPU_GGTT, RESULT, 0);
        submit(f, 0, IDLE);
        tally_gpu_run(f->rig->gpu, 100000);
        submit(f, 1, IDLE);
        tally_gpu_run(f->rig->gpu, 100000);
        ROW(rows[i].line, (result(f, 0) == 1 + i) == rows[i].leaves, "%s %" PRIx32, f->platform,
            f->base);
        tally_gpu_reset(f->rig->gpu, TALLY_GPU_RESET_GT);
    }
}

static void test_points(void **state)
{
    (void)state;
    each(run_points, false);
}

/* The status events of preemption: up to Gen11 02h with the id of the preempted context, on Gen12
 * both ids, the new list, and detail 5. */
static void run_events(struct fixture *f)
{
    bool wide = f->rig->model == INTEL_TGL;
    RING(f, 0, MI_WAIT(1, FLAG), 0, 0);
    RING(f, 1, 0, 0);
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    submit(f, 1, IDLE);
    CHECK(f, gpu_rig_finish(f->rig));
    uint32_t low = tally_gpu_read32(f->rig->gpu, f->base + 0x378);
    uint32_t high = tally_gpu_read32(f->rig->gpu, f->base + 0x37c);
    CHECK(f, (tally_gpu_read32(f->rig->gpu, f->base + 0x3a0) & 7) == 2);
    CHECK(f, high == (wide ? 1 << 15 | 5 : 0x20));
    CHECK(f, wide ? (low & 1) && low >> 15 == 2 : low == 2);
}

static void test_events(void **state)
{
    (void)state;
    each(run_events, false);
}

/* A draw is a preemption point when it ends; its counts belong to its context. */
static void run_draw(struct fixture *f)
{
    f->rig->work_clocks = 5000;
    RING(f, 0, 0x680b0001, 0x784b0000, 4, 0x7b000005, 4, 30, 0, 1, 0, 0, 0x7a000004, 1 << 20, 0, 0,
         0, 0, MI_STORE(RESULT, 1));
    RING(f, 1, 0x12400002, 0x2310, RESULT + 4, 0, MI_STORE(RESULT + 8, 1)); /* IA_VERTICES_COUNT */
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    submit(f, 1, IDLE);
    tally_gpu_run(f->rig->gpu, 3000);
    CHECK(f, result(f, 2) == 0); /* the draw is in progress */
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, result(f, 2) == 1 && result(f, 0) == 0);
    CHECK(f, result(f, 1) == 30); /* the new context has no value of its own */
    tally_gpu_write32(f->rig->gpu, 0x2310, 1000);
    submit(f, 0, IDLE);
    CHECK(f, gpu_rig_finish(f->rig) && result(f, 0) == 1);
    CHECK(f, tally_gpu_read32(f->rig->gpu, 0x2310) == 30);
}

/* Another context, which comes when the draw ends, polls as if there had been no work. */
static void run_poll(struct fixture *f)
{
    f->rig->work_clocks = 5000;
    RING(f, 0, 0x7b000005, 4, 30, 0, 1, 0, 0, 0x7a000004, 1 << 20, 0, 0, 0, 0, MI_STORE(RESULT, 1));
    RING(f, 1, MI_WAIT(1, FLAG), MI_STORE(RESULT + 4, 1));
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    submit(f, 1, IDLE);
    tally_gpu_run(f->rig->gpu, 8000);
    CHECK(f, result(f, 0) == 0 && result(f, 1) == 0);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 1);
    CHECK(f, gpu_rig_finish(f->rig) && result(f, 1) == 1);
}

static void test_poll(void **state)
{
    (void)state;
    each(run_poll, true);
}

/* A list without contexts preempts the running one and leaves the engine idle. */
static void run_empty(struct fixture *f)
{
    RING(f, 0, MI_WAIT(1, FLAG), MI_STORE(RESULT, 1));
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    CHECK(f, f->rig->gpu->oa->context_valid && f->rig->gpu->engines[0].context_loaded);
    gpu_rig_write_list(f->rig, f->base, (const uint32_t[4]){0});
    tally_gpu_run(f->rig->gpu, 1000);
    CHECK(f, !f->rig->gpu->oa->context_valid && !f->rig->gpu->engines[0].context_loaded);
    PUT(f->rig, TALLY_GPU_GGTT, FLAG, 1);
    tally_gpu_run(f->rig->gpu, 1000);
    CHECK(f, result(f, 0) == 0);
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 1000);
    CHECK(f, result(f, 0) == 1);
}

static void test_empty(void **state)
{
    (void)state;
    each(run_empty, true);
}

/* A list that comes before the draw waits for its end, too. */
static void run_early(struct fixture *f)
{
    uint32_t dwords[112] = {0};
    const uint32_t draw[7] = {0x7b000005, 4, 30, 0, 1, 0, 0};
    memcpy(dwords + 100, draw, sizeof draw);
    f->rig->work_clocks = 5000;
    gpu_rig_ring(f->rig, f->base, 0, dwords, COUNT(dwords));
    RING(f, 1, MI_STORE(RESULT, 1));
    submit(f, 0, IDLE);
    tally_gpu_run(f->rig->gpu, 100);
    submit(f, 1, IDLE);
    tally_gpu_run(f->rig->gpu, 4000);
    CHECK(f, result(f, 0) == 0);
    CHECK(f, gpu_rig_finish(f->rig));
    CHECK(f, result(f, 0) == 1 && image(f, 0, 5) == 4 * 107 && f->rig->completions == 1);
}

static void test_early(void **state)
{
    (void)state;
    each(run_early, true);
}

static void test_draw(void **state)
{
    (void)state;
    each(run_draw, true);
}

/* State of the pipeline belongs to its context: what one binds, another does not draw with. */
static void run_state(struct fixture *f)
{
    /* 3DSTATE_VF_STATISTICS on, 3DSTATE_VF_TOPOLOGY: TRILIST or POINTLIST; later 3DPRIMITIVE. */
    for (unsigned n = 0; n < 2; n++)
        RING(f, n, 0x680b0001, 0x784b0000, n ? 1 : 4, 0, 0x7b000005, 0, 30, 0, 1, 0, 0, 0);
    for (unsigned n = 0; n < 2; n++) {
        PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(n) + RIG_TAIL, 16);
        submit(f, n, IDLE);
        CHECK(f, gpu_rig_finish(f->rig));
    }
    for (unsigned n = 0; n < 2; n++) {
        tally_gpu_write32(f->rig->gpu, 0x2318, 0);
        PUT(f->rig, TALLY_GPU_GGTT, RIG_LRCA(n) + RIG_TAIL, 48);
        submit(f, n, IDLE);
        CHECK(f, gpu_rig_finish(f->rig));
        CHECK(f, tally_gpu_read32(f->rig->gpu, 0x2318) == (n ? 30 : 10)); /* IA_PRIMITIVES_COUNT */
    }
}

static void test_state(void **state)
{
    (void)state;
    each(run_state, true);
}

/* Before Gen8 MI_SET_CONTEXT switches the pipeline's state and statistics. */
static void test_set_context(void **state)
{
    (void)state;
    static const char *const platforms[] = {"snb", "ivb", "vlv", "hsw"};
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, platforms[i]);
        const uint32_t draw[7] = {0x7b000005, 4, 30, 0, 1, 0, 0};
        const uint32_t gen6_draw[6] = {0x7b000004 | 4 << 10, 30, 0, 1, 0, 0};
        uint32_t at = 0x2000;
        /* Context A counts, context B does not; then a draw in each. */
        for (unsigned step = 0; step < 4; step++) {
            bool b = step % 2;
            PUT(rig, TALLY_GPU_GGTT, at, 0x0c000000, (b ? 0x20000u : 0x10000u) | 1 << 8);
            at += 8;
            if (step < 2) {
                PUT(rig, TALLY_GPU_GGTT, at, 0x680b0000 | !b); /* 3DSTATE_VF_STATISTICS */
                at += 4;
                continue;
            }
            gpu_rig_put(rig, TALLY_GPU_GGTT, at, i ? draw : gen6_draw, i ? 7 : 6);
            at += i ? 28 : 24;
            /* MI_FLUSH; MI_STORE_REGISTER_MEM of IA_VERTICES_COUNT */
            PUT(rig, TALLY_GPU_GGTT, at, 0x02000000, 0x12400001, 0x2310, RESULT + 4 * step);
            at += 16;
        }
        PUT(rig, TALLY_GPU_GGTT, at, 0x0c000000, 0x10000 | 1 << 8, 0x05000000);
        assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x2000, true), 0);
        ROW(__LINE__, gpu_rig_finish(rig), "%s", platforms[i]);
        ROW(__LINE__,
            gpu_rig_peek(rig, 0, RESULT + 8) == 30 && gpu_rig_peek(rig, 0, RESULT + 12) == 0, "%s",
            platforms[i]);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x2310) == 30, "%s: %" PRIu32, platforms[i],
            tally_gpu_read32(rig->gpu, 0x2310));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Every statistic of a context is saved with the work that has passed, and restored. */
static void test_all_statistics(void **state)
{
    (void)state;
    static const uint32_t leave[] = {0x0c000000, 0x20000 | 1 << 8, 0x05000000};
    static const uint32_t enter[] = {0x0c000000, 0x10000 | 1 << 8, 0x05000000};
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "hsw");
    struct gpu_pipeline *pipeline = &rig->gpu->pipeline;
    for (unsigned step = 0; step < 3; step++) { /* into A, into B, back */
        const uint32_t *dwords = step == 1 ? leave : enter;
        gpu_rig_put(rig, TALLY_GPU_GGTT, 0x2000, dwords, 3);
        assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x2000, true), 0);
        assert_true(gpu_rig_finish(rig));
        for (unsigned i = 0; i < COST_STATISTICS && step == 0; i++) {
            uint64_t now = tally_gpu_now(rig->gpu);
            pipeline->statistics[i].value = 1000 + i;
            spread_add(&pipeline->statistics[i].work, now, 5 + i, now + 50);
        }
        tally_gpu_run(rig->gpu, 100);
        if (step == 1)
            memset(pipeline->statistics, 0, sizeof pipeline->statistics);
    }
    for (unsigned i = 0; i < COST_STATISTICS; i++)
        ROW(__LINE__, pipeline->statistics[i].value == 1005 + 2 * i,
            "statistic %u: %" PRIu64 ", expected %u", i, pipeline->statistics[i].value,
            1005 + 2 * i);
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* ---- random programs ------------------------------------------------------------------------- */

#define CONTEXTS 3
#define BATCH    0x2000u
#define SECOND   0x2800u
#define DATA     0x3000u
#define WORDS    32u

static uint32_t gpr_of(const struct fixture *f, struct random *rng)
{
    return f->base + 0x600 + 4 * (uint32_t)random_below(rng, 16);
}

static uint32_t data_at(struct random *rng)
{
    return DATA + 4 * (uint32_t)random_below(rng, WORDS);
}

/* Writes random commands that read and write registers and memory of the context. Returns the
 * address behind them. */
static uint32_t put_commands(const struct fixture *f, struct random *rng, uint32_t space,
                             uint32_t at)
{
    for (unsigned left = (unsigned)random_below(rng, 12); left; left--) {
        uint32_t d[5] = {0}, count = 4;
        uint32_t value = (uint32_t)random_below(rng, UINT32_MAX);
        switch (random_below(rng, 6)) {
        case 0: /* MI_LOAD_REGISTER_IMM */
            count = 3;
            memcpy(d, (uint32_t[]){0x11000001, gpr_of(f, rng), value}, 12);
            break;
        case 1: /* MI_STORE_REGISTER_MEM, MI_LOAD_REGISTER_MEM */
        case 2:
            memcpy(
                d,
                (uint32_t[]){value & 1 ? 0x12000002 : 0x14800002, gpr_of(f, rng), data_at(rng), 0},
                16);
            break;
        case 3: /* MI_STORE_DATA_IMM */
            memcpy(d, (uint32_t[]){0x10000002, data_at(rng), 0, value}, 16);
            break;
        case 4: /* MI_MATH: R[k] = R[i] + R[j] */
            count = 5;
            memcpy(d,
                   (uint32_t[]){0x0d000003, 0x08008000 | (value & 7), 0x08008400 | (value >> 3 & 7),
                                0x10000000, 0x18000031 | (value >> 6 & 7) << 10},
                   20);
            break;
        default:
            count = 1;
            d[0] = MI_ARB_CHECK;
        }
        gpu_rig_put(f->rig, space, at, d, count);
        at += 4 * count;
    }
    return at;
}

static void put_program(const struct fixture *f, struct random *rng, unsigned n)
{
    uint32_t space = RIG_SPACE(n), at = put_commands(f, rng, space, BATCH);
    for (unsigned i = 0; i < WORDS; i++)
        PUT(f->rig, space, DATA + 4 * i, (uint32_t)random_below(rng, UINT32_MAX));
    PUT(f->rig, space, at, 0x18c00101, SECOND, 0);
    at = put_commands(f, rng, space, at + 12);
    PUT(f->rig, space, at, 0x05000000);
    at = put_commands(f, rng, space, SECOND);
    PUT(f->rig, space, at, 0x05000000);
    /* All registers are set at first; the ring goes on behind the batch. */
    uint32_t ring[16 * 2 + 1 + 3 + 4 + 4] = {0x1100001f};
    for (unsigned i = 0; i < 16; i++)
        memcpy(ring + 1 + 2 * i, (uint32_t[]){f->base + 0x600 + 4 * i, 0x100 * n + i}, 8);
    memcpy(ring + 33, (uint32_t[]){0x18800101, BATCH, 0}, 12);
    memcpy(ring + 36, (uint32_t[]){0x12400002, f->base + 0x600, RESULT + 4 * n, 0}, 16);
    gpu_rig_ring(f->rig, f->base, n, ring, COUNT(ring));
}

static bool is_done(const struct fixture *f, unsigned n)
{
    return image(f, n, 5) == image(f, n, 7);
}

/* Runs all contexts: one after the other, or with lists of random contexts at random times. */
static bool run_all(const struct fixture *f, struct random *rng, bool mixes)
{
    for (unsigned n = 0; n < CONTEXTS && !mixes; n++) {
        submit(f, n, IDLE);
        if (!gpu_rig_finish(f->rig))
            return false;
    }
    for (unsigned turn = 0; mixes && turn < 10000; turn++) {
        unsigned first = (unsigned)random_below(rng, CONTEXTS);
        unsigned second = (first + 1 + (unsigned)random_below(rng, 2)) % CONTEXTS;
        if (is_done(f, 0) && is_done(f, 1) && is_done(f, 2))
            return gpu_rig_finish(f->rig);
        submit(f, first, random_below(rng, 2) ? second : IDLE);
        tally_gpu_run(f->rig->gpu, 1 + random_below(rng, 150));
    }
    return !mixes;
}

/* Contexts that preempt each other compute the same as one after the other. */
static void run_random(struct fixture *f)
{
    static uint32_t expected[CONTEXTS][WORDS + 1];
    unsigned events = 0;
    for (unsigned c = 0; c < 1 + random_cases(150); c++) {
        for (unsigned mixes = 0; mixes < 2; mixes++) {
            struct random rng = random_start(c + 1);
            tally_gpu_reset(f->rig->gpu, TALLY_GPU_RESET_GT);
            for (unsigned n = 0; n < CONTEXTS; n++)
                put_program(f, &rng, n);
            CHECK(f, run_all(f, &rng, mixes));
            for (unsigned n = 0; n < CONTEXTS; n++)
                for (unsigned i = 0; i <= WORDS; i++) {
                    uint32_t value =
                        i < WORDS ? gpu_rig_peek(f->rig, RIG_SPACE(n), DATA + 4 * i) : result(f, n);
                    if (!mixes)
                        expected[n][i] = value;
                    ROW(__LINE__, value == expected[n][i],
                        "%s %" PRIx32 ", case %u, context %u, dword %u: %08" PRIx32
                        ", not %08" PRIx32,
                        f->platform, f->base, c, n, i, value, expected[n][i]);
                }
        }
        for (unsigned i = 0; i < 6; i++)
            events += (tally_gpu_read32(f->rig->gpu, f->base + 0x370 + 8 * i) & 0xff) == 2 ||
                      (tally_gpu_read32(f->rig->gpu, f->base + 0x374 + 8 * i) & 0xf) == 5;
    }
    CHECK(f, events > 0); /* there were preemptions */
}

static void test_random(void **state)
{
    (void)state;
    each(run_random, false);
}

int test_gpu_images(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),      cmocka_unit_test(test_software),
        cmocka_unit_test(test_gprs),        cmocka_unit_test(test_times),
        cmocka_unit_test(test_wait),        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_points),      cmocka_unit_test(test_events),
        cmocka_unit_test(test_draw),        cmocka_unit_test(test_early),
        cmocka_unit_test(test_state),       cmocka_unit_test(test_all_statistics),
        cmocka_unit_test(test_poll),        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_set_context), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests_name("gpu images", tests, NULL, NULL);
}
