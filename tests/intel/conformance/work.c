/* SPDX-License-Identifier: MIT */
/* What commands make the counters count: statements about draws, walkers and the engines' busy
 * time, which workloads do not have. The draws are those of draws.c, with its numbers. */
#include "intel/conformance/gpu_check.h"

#include <inttypes.h>

#include "intel/conformance/document.h"
#include "intel/draws.h"
#include "intel/gpu/gpu.h"

enum { BATCH_AT = 0x1000, NOOPS = 10, END = 0x05000000 };

static const char *name_of(const struct gpu_rig *rig)
{
    return oa_platform_names[rig->model];
}

static void start_counting(struct gpu_rig *rig)
{
    wr(rig, 0x2360, 1);
    if (rig->model >= INTEL_BDW)
        wr(rig, 0x2b00, 0x15);
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* Triangles over half of 64 by 32 pixels. */
#define TRIANGLES .topology = 4, .vertices = 3, .vs = true, .width = 64, .height = 32, .ps = true
enum { PIXELS = 1024, BLOCKS = PIXELS / 4 };

/* Draws with one number of the cost model changed. */
static void draw_with(struct gpu_rig *rig, const struct batch_draw *draw, enum cost_number number,
                      uint32_t value)
{
    struct tally_cost cost = draw_numbers();
    struct batch batch;
    cost.numbers[number] = value;
    tally_gpu_set_cost(rig->gpu, &cost);
    start_counting(rig);
    batch_begin(&batch, rig);
    batch_draw(&batch, draw);
    batch_submit(&batch, "rcs0");
    batch_finish(&batch, __LINE__);
    tally_gpu_set_cost(rig->gpu, NULL);
}

static uint64_t counted(const struct gpu_rig *rig, unsigned counter)
{
    char name[8];
    snprintf(name, sizeof name, "a%u", counter);
    return gpu_rig_value(rig, name);
}

/* Returns what a counter counts of a draw; each check has a GPU of its own, so a difference. */
static uint64_t count_with(struct gpu_rig *rig, unsigned counter, const struct batch_draw *draw,
                           enum cost_number number, uint32_t value)
{
    uint64_t before = counted(rig, counter);
    draw_with(rig, draw, number, value);
    return counted(rig, counter) - before;
}

/* The same with some render targets. */
static uint64_t count_of(struct gpu_rig *rig, unsigned counter, const struct batch_draw *draw,
                         uint32_t targets)
{
    return count_with(rig, counter, draw, COST_RENDER_TARGETS, targets);
}

#define COUNTS(rig, counter, draw, targets, expected)                                              \
    do {                                                                                           \
        uint64_t got = count_of(rig, counter, draw, targets);                                      \
        HOLDS(got == (expected), "%s: A%u is %" PRIu64 ", expected %u", name_of(rig), counter,     \
              got, (unsigned)(expected));                                                          \
    } while (0)

/* A quarter of the pixels is killed. SNB counts each twice. */
static bool kills(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw one = {TRIANGLES, .kills = true},
                                   two = {TRIANGLES, .kills = true, .dual_source = true};
    bool snb = rig->model == INTEL_SNB;
    unsigned counter = snb ? 21 : 36, each = snb ? 2 : 1;
    COUNTS(rig, counter, &one, 1, each * PIXELS / 4);
    COUNTS(rig, counter, &two, 1, (rig->model == INTEL_HSW ? 1 : 2) * each * PIXELS / 4);
    return true;
}

static bool writes(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {TRIANGLES, .blend = true};
    bool blocks = rig->model >= INTEL_BDW;
    unsigned counter = rig->model == INTEL_SNB ? 25 : blocks ? 26 : 40;
    for (uint32_t targets = 1; targets <= 8; targets *= 2) {
        COUNTS(rig, counter, &draw, targets, targets * (blocks ? BLOCKS : PIXELS));
        if (blocks)
            COUNTS(rig, 27, &draw, targets, targets * BLOCKS);
    }
    return true;
}

/* A quarter of the active clocks services Send: A0 does without them, the stages' counters do not.
 */
static bool excludes_send(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {TRIANGLES};
    unsigned ps = rig->model == INTEL_SNB ? 12 : 27;
    uint64_t all = count_with(rig, 0, &draw, COST_SEND_SERVICE, 0);
    uint64_t vs = count_with(rig, 2, &draw, COST_SEND_SERVICE, 0);
    HOLDS(all && all == vs + count_with(rig, ps, &draw, COST_SEND_SERVICE, 0), "%s: A0 %" PRIu64,
          name_of(rig), all);
    uint64_t left = count_with(rig, 0, &draw, COST_SEND_SERVICE, 25);
    HOLDS(left == all - all / 4, "%s: A0 %" PRIu64 " of %" PRIu64, name_of(rig), left, all);
    HOLDS(count_with(rig, 2, &draw, COST_SEND_SERVICE, 25) == vs, "%s: A2", name_of(rig));
    HOLDS(count_with(rig, ps, &draw, COST_SEND_SERVICE, 25) == all - vs, "%s: A%u", name_of(rig),
          ps);
    return true;
}

/* The tests follow a shader that kills: half of the failures are not counted. */
static bool misses_late_tests(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {TRIANGLES,           .kills = true,
                                           .depth = true,       .stencil = true,
                                           .depth_function = 2, .stencil_function = 2};
    for (unsigned counter = 23; counter <= 24; counter++) {
        uint64_t all = count_with(rig, counter, &draw, COST_LATE_MISSED, 0);
        uint64_t seen = count_with(rig, counter, &draw, COST_LATE_MISSED, 50);
        HOLDS(all && seen == all - all / 2, "A%u: %" PRIu64 " of %" PRIu64, counter, seen, all);
    }
    return true;
}

/* Three clocks of header for the first thread of each EU; a VS thread and the pixels' threads are
 * more than the EUs. The stages' stalls do not count them. */
static bool loads_headers(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {TRIANGLES};
    uint64_t none = count_with(rig, 1, &draw, COST_HEADER_CLOCKS, 0);
    uint64_t some = count_with(rig, 1, &draw, COST_HEADER_CLOCKS, 3);
    uint64_t stalled = count_with(rig, 29, &draw, COST_HEADER_CLOCKS, 0);
    HOLDS(some - none == 3 * (uint64_t)rig->gpu->eus, "%s: %" PRIu64 " after %" PRIu64,
          name_of(rig), some, none);
    HOLDS(count_with(rig, 29, &draw, COST_HEADER_CLOCKS, 3) == stalled, "%s: A29", name_of(rig));
    return true;
}

/* A thread is counted when it is loaded, however long it stays. */
static bool loads_once(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {TRIANGLES};
    const struct {
        unsigned counter;
        enum cost_number stalled;
    } stages[] = {{5, COST_VS_STALLED}, {rig->model == INTEL_SNB ? 15 : 30, COST_PS_STALLED}};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t brief = count_with(rig, stages[i].counter, &draw, stages[i].stalled, 1);
        uint64_t lasting = count_with(rig, stages[i].counter, &draw, stages[i].stalled, 1000);
        HOLDS(brief && brief < 1024 && lasting == brief, "%s: A%u %" PRIu64 ", then %" PRIu64,
              name_of(rig), stages[i].counter, brief, lasting);
    }
    return true;
}

/* Of the pixels that pass the hierarchical test, IVB misses a hundredth. */
static bool misses_passes(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {TRIANGLES, .depth = true, .hiz = true,
                                           .depth_function = 2};
    uint64_t all = count_with(rig, 32, &draw, COST_HIZ_MISSED, 0);
    uint64_t seen = count_with(rig, 32, &draw, COST_HIZ_MISSED, 1);
    bool misses = rig->model == INTEL_IVB;
    HOLDS(all && seen == all - (misses ? all / 100 : 0), "%s: %" PRIu64 " of %" PRIu64,
          name_of(rig), seen, all);
    HOLDS(!misses || cost_table_default(rig->gpu->platform)->numbers[COST_HIZ_MISSED] == 1,
          "%s: default", name_of(rig));
    return true;
}

/* 5 by 3 pixels at 1, 1 touch 3 by 2 blocks. */
static bool partial_blocks(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {.topology = 0xf,
                                           .vertices = 3,
                                           .width = 64,
                                           .height = 32,
                                           .ps = true,
                                           .rectangle = {1, 1, 6, 4}};
    COUNTS(rig, 21, &draw, 1, 6);
    HOLDS(rd(rig, 0x2348) == invocations_counted(rig->model, 4 * 6), "%s: %" PRIu32 " invocations",
          name_of(rig), rd(rig, 0x2348));
    return true;
}

/* Four samples of each pixel: a quarter killed; half fail the depth test, half of those early by
 * the hierarchical buffer. */
static bool samples(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw killing = {TRIANGLES, .samples = 2, .kills = true},
                                   testing = {TRIANGLES,           .samples = 2, .depth = true,
                                              .depth_function = 2, .hiz = true,  .blend = true},
                                   late = {TRIANGLES, .samples = 2, .depth = true,
                                           .depth_function = 2, .computes_depth = true};
    COUNTS(rig, 21, &testing, 1, 4 * BLOCKS);
    COUNTS(rig, 22, &testing, 1, BLOCKS);
    COUNTS(rig, 23, &testing, 1, BLOCKS);
    COUNTS(rig, 24, &killing, 1, BLOCKS);
    COUNTS(rig, 25, &late, 1, 2 * BLOCKS);
    COUNTS(rig, 26, &testing, 1, 2 * BLOCKS);
    COUNTS(rig, 27, &testing, 1, 2 * BLOCKS);
    return true;
}

/* The shader's mask leaves half of the pixels. */
static bool masks(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {TRIANGLES, .omask = true};
    COUNTS(rig, 21, &draw, 1, BLOCKS);
    COUNTS(rig, 26, &draw, 1, BLOCKS / 2);
    for (unsigned i = 22; i <= 25; i++)
        HOLDS(!counted(rig, i), "%s: A%u is %" PRIu64, name_of(rig), i, counted(rig, i));
    return true;
}

static bool no_target(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct batch_draw draw = {
        .topology = 4, .vertices = 3, .vs = true, .width = 64, .height = 32};
    COUNTS(rig, 21, &draw, 1, BLOCKS);
    HOLDS(!counted(rig, 26), "%s: A26 is %" PRIu64, name_of(rig), counted(rig, 26));
    return true;
}

/* 64 threads with three barriers each; 7 without. */
static bool barriers(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct tally_cost cost = draw_numbers();
    struct batch batch;
    tally_gpu_set_cost(rig->gpu, &cost);
    start_counting(rig);
    batch_begin(&batch, rig);
    batch_walk(&batch, (const unsigned[]){4, 2, 1}, 8, 1, true, false, false);
    batch_walk(&batch, (const unsigned[]){7, 1, 1}, 1, 1, false, false, false);
    batch_submit(&batch, "rcs0");
    batch_finish(&batch, __LINE__);
    HOLDS(counted(rig, 35) == 3 * 64, "%s: A35 is %" PRIu64, name_of(rig), counted(rig, 35));
    return true;
}

/* ---- busy clocks ----------------------------------------------------------------------------- */

static uint64_t busy(const struct gpu_rig *rig)
{
    return counted(rig, rig->model >= INTEL_BDW ? 0 : 41);
}

static bool submit(struct gpu_rig *rig, const char *engine)
{
    return !tally_gpu_engine_submit(rig->gpu, engine, 1, TALLY_GPU_GGTT, BATCH_AT, true);
}

static void put_noops(struct gpu_rig *rig)
{
    for (uint32_t i = 0; i < NOOPS; i++)
        PUT(rig, TALLY_GPU_GGTT, BATCH_AT + 4 * i, 0);
    PUT(rig, TALLY_GPU_GGTT, BATCH_AT + 4 * NOOPS, END);
}

/* Returns the busy clocks of a batch that switches the context (64 clocks), executes NOOPs of a
 * clock each, and ends in 4 and 8 clocks. */
enum { SWITCH = 64, COMMANDS = NOOPS + 4 + 8 };

static uint64_t busy_with(struct gpu_rig *rig, const char *engine)
{
    uint64_t before = busy(rig);
    put_noops(rig);
    return submit(rig, engine) && gpu_rig_finish(rig) ? busy(rig) - before : UINT64_MAX;
}

/* Returns the busy clocks of 5000 in which the render engine waits; then lets it end. */
static uint64_t busy_waiting(struct gpu_rig *rig, uint32_t release, uint32_t value)
{
    enum { CLOCKS = 5000 };
    if (!submit(rig, "rcs0"))
        return UINT64_MAX;
    tally_gpu_run(rig->gpu, SWITCH + 100);
    uint64_t before = busy(rig);
    tally_gpu_run(rig->gpu, CLOCKS);
    uint64_t clocks = busy(rig) - before;
    PUT(rig, TALLY_GPU_GGTT, 0x3000, value);
    wr(rig, release, value);
    return gpu_rig_finish(rig) ? clocks : UINT64_MAX;
}

/* A semaphore in memory, on HSW in a register. */
static uint64_t busy_at_semaphore(struct gpu_rig *rig)
{
    if (rig->model >= INTEL_BDW)
        PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x0e40c002, 6, 0x3000, 0, END);
    else if (rig->model == INTEL_HSW)
        PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x0b000001, 5, 0, END);
    else
        PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x0b500001, 5, 0x3000, END);
    return busy_waiting(rig, 0x2040, 6);
}

/* MI_WAIT_FOR_EVENT waits while a condition code is set. Later ones wait for a display only. */
static uint64_t busy_at_event(struct gpu_rig *rig)
{
    wr(rig, 0x2028, 0x00010001);
    PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x01810000, END);
    return busy_waiting(rig, 0x2028, 0x00010000);
}

#define BUSY(call, expected)                                                                       \
    do {                                                                                           \
        uint64_t got = call;                                                                       \
        HOLDS(got == (expected), "%s: %" PRIu64 " busy clocks of " #call ", expected %u",          \
              name_of(rig), got, (unsigned)(expected));                                            \
    } while (0)

static bool excludes(struct conformance_fault *fault, struct gpu_rig *rig)
{
    start_counting(rig);
    BUSY(busy_with(rig, "rcs0"), COMMANDS);
    BUSY(busy_with(rig, "bcs0"), 0);
    BUSY(busy_with(rig, "vcs0"), 0);
    if (rig->model >= INTEL_HSW && rig->model != INTEL_VLV)
        BUSY(busy_with(rig, "vecs0"), 0);
    BUSY(busy_at_semaphore(rig), 0);
    if (rig->model < INTEL_BDW)
        BUSY(busy_at_event(rig), 0);
    return true;
}

static bool includes(struct conformance_fault *fault, struct gpu_rig *rig)
{
    start_counting(rig);
    BUSY(busy_with(rig, "rcs0"), SWITCH + COMMANDS);
    BUSY(busy_with(rig, "bcs0"), SWITCH + COMMANDS);
    BUSY(busy_with(rig, "vcs0"), SWITCH + COMMANDS);
    BUSY(busy_with(rig, "vecs0"), SWITCH + COMMANDS);
    BUSY(busy_at_semaphore(rig), 5000);
    return true;
}

/* Starts ten NOOPs on an engine; the batches of the others end at the same clock. */
static bool start_noops(struct gpu_rig *rig, const char *engine)
{
    put_noops(rig);
    return submit(rig, engine);
}

/* A0 is every clock in which any engine has work, and no other. */
static bool not_idle(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const char *const engines[] = {"rcs0", "bcs0", "vcs0", "vcs2", "vecs0"};
    start_counting(rig);
    tally_gpu_run(rig->gpu, 5000);
    HOLDS(busy(rig) == 0, "%s: idle clocks are busy: %" PRIu64, name_of(rig), busy(rig));
    for (unsigned i = 0; i < COUNT(engines); i++)
        BUSY(busy_with(rig, engines[i]), SWITCH + COMMANDS);
    uint64_t before = busy(rig);
    for (unsigned i = 0; i < COUNT(engines); i++)
        HOLDS(start_noops(rig, engines[i]), "%s", engines[i]);
    HOLDS(gpu_rig_finish(rig) && busy(rig) - before == SWITCH + COMMANDS,
          "%s: %" PRIu64 " busy clocks of all engines at once", name_of(rig), busy(rig) - before);
    before = busy(rig);
    tally_gpu_run(rig->gpu, 5000);
    HOLDS(busy(rig) == before, "%s: busy afterwards", name_of(rig));
    BUSY(busy_at_semaphore(rig), 5000);
    return true;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Other engines stop at it, and nothing is written. */
static bool only_render(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const char *const engines[] = {"rcs0", "bcs0", "vcs0"};
    for (unsigned i = 0; i < COUNT(engines); i++) {
        struct tally_error error = {0};
        start_counting(rig);
        PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x14000001, 0x3001, 0xcafe, END);
        PUT(rig, TALLY_GPU_GGTT, 0x3000, 0x5a5a5a5a);
        HOLDS(submit(rig, engines[i]) && gpu_rig_finish(rig), "%s: %s", name_of(rig), engines[i]);
        bool stopped = tally_gpu_fault(rig->gpu, &error) < 0;
        uint32_t id = gpu_rig_peek(rig, TALLY_GPU_GGTT, 0x3000);
        HOLDS(stopped == (i > 0) && id == (i ? 0x5a5a5a5a : 0xcafe), "%s: %s: %08" PRIx32 " %s",
              name_of(rig), engines[i], id, error.message);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
        tally_gpu_engine_reset(rig->gpu, engines[i]);
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define FILE_NAME "work.c"
#define SECTION   "Aggregating Counters"
#define DOCUMENT  "000"

/* clang-format off */
const struct conformance_case work_cases_000[] = {
    CHECKED_ROW("000-A6-29", SECTION, "A0 excludes the time of Send instructions, which the shaders' active counters include", "snb..hsw", on_gpu, AWAKE(excludes_send)),
    CHECKED_ROW("000-A6-29z", SECTION, "A23 and A24 may be wrong with late tests (number late-missed of the cost model)", "snb", on_gpu, AWAKE(misses_late_tests)),
    CHECKED_ROW("000-A6-31", SECTION, "A21 counts each pixel that is killed twice, and four times if the pixel shader has two colors", "snb", on_gpu, AWAKE(kills)),
    CHECKED_ROW("000-A6-32", SECTION, "A25 counts a pixel once for each render target", "snb", on_gpu, AWAKE(writes)),
    CHECKED_ROW("000-A7-50", SECTION, "The counters of loaded threads count a thread once, however long it stays loaded (OA-D49)", "snb..hsw", on_gpu, AWAKE(loads_once)),
    CHECKED_ROW("000-A7-45", SECTION, "A1 includes the time of loading a dispatch header into an EU without another thread", "ivb..hsw", on_gpu, AWAKE(loads_headers)),
    CHECKED_ROW("000-A7-45z", SECTION, "A32 counts slightly too few on IVB, and right on VLV and HSW", "ivb..hsw", on_gpu, AWAKE(misses_passes)),
    CHECKED_ROW("000-A7-47", SECTION, "The GPU is not busy during context switches, MI_WAIT_FOR_EVENT and semaphores, nor while only other engines work", "ivb..hsw", on_gpu, AWAKE(excludes)),
    CHECKED_ROW("000-A7-48", SECTION, "A36 counts a killed pixel twice if the pixel shader has two colors", "ivb,vlv", on_gpu, AWAKE(kills)),
    CHECKED_ROW("000-A7-48h", SECTION, "A36 counts a killed pixel once, whatever colors the pixel shader has", "hsw", on_gpu, AWAKE(kills)),
    CHECKED_ROW("000-A7-49", SECTION, "A40 counts a pixel once for each render target", "ivb..hsw", on_gpu, AWAKE(writes)),
    CHECKED_ROW("000-MI-26", "MI_REPORT_PERF_COUNT", "Only the render engine has the command", "snb..hsw", on_gpu, AWAKE(only_render)),
};
/* clang-format on */
const size_t work_case_count_000 = COUNT(work_cases_000);

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case work_cases_002[] = {
    CHECKED_ROW("002-A-37", SECTION, "The GPU is not busy during context switches and semaphores, nor while only other engines work", "bdw..skl", on_gpu, AWAKE(excludes)),
    CHECKED_ROW("002-A-37i", SECTION, "From Gen11 on the GPU is busy then, as the document of Lakefield states (OA-E30)", "icl,lkf", on_gpu, AWAKE(includes)),
    CHECKED_ROW("002-A-38", SECTION, "The statistic of pixel shader invocations counts whole 2x2s, also those that are partly lit", "bdw..lkf", on_gpu, AWAKE(partial_blocks)),
    CHECKED_ROW("002-A-39", SECTION, "A21 to A27 count the same: each of a pixel's samples", "bdw..lkf", on_gpu, AWAKE(samples)),
    CHECKED_ROW("002-A-40", SECTION, "A26 and A27 count a 2x2 once for each render target", "bdw..lkf", on_gpu, AWAKE(writes)),
    CHECKED_ROW("002-A-41", SECTION, "A35 counts a message of each thread in a barrier", "bdw..lkf", on_gpu, AWAKE(barriers)),
};
/* clang-format on */
const size_t work_case_count_002 = COUNT(work_cases_002);

#undef DOCUMENT
#define DOCUMENT "004"

/* clang-format off */
const struct conformance_case work_cases_004[] = {
    CHECKED_ROW("004-AGG-05", SECTION, "A0 counts the clocks in which the GPU is not idle, without exceptions on Lakefield (OA-E30)", "lkf", on_gpu, AWAKE(not_idle)),
    CHECKED_ROW("004-AGG-08", SECTION, "A0 includes all engines, and the time in which they wait (OA-E30)", "lkf", on_gpu, AWAKE(includes)),
    CHECKED_ROW("004-AGG-09", SECTION, "The statistic of pixel shader invocations counts whole 2x2s, also those that are partly lit", "lkf", on_gpu, AWAKE(partial_blocks)),
    CHECKED_ROW("004-AGG-10", SECTION, "A21 to A27 count the same: each of a pixel's samples", "lkf", on_gpu, AWAKE(samples)),
    CHECKED_ROW("004-AGG-11", SECTION, "A26 and A27 count a 2x2 once for each render target", "lkf", on_gpu, AWAKE(writes)),
    CHECKED_ROW("004-AGG-12", SECTION, "Pixels that a shader masks are in A21, but in none of A22 to A26", "lkf", on_gpu, AWAKE(masks)),
    CHECKED_ROW("004-AGG-13", SECTION, "A26 counts nothing if no render target is written", "lkf", on_gpu, AWAKE(no_target)),
};
/* clang-format on */
const size_t work_case_count_004 = COUNT(work_cases_004);
