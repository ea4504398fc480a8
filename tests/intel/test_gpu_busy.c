/* SPDX-License-Identifier: MIT */
/* Busy clocks: A26 (SNB), A41 (IVB to HSW) and A0 (Gen8 on) count what the engines do (OA-2.13). */
#include "intel/gpu_rig.h"

#define END 0x05000000

/* Clocks: a context switch 64, the end of a submission 8; MI_NOOP 1, MI_BATCH_BUFFER_END 4,
 * MI_STORE_DATA_IMM 4 and 1 for each dword, MI_SEMAPHORE_WAIT 8 whenever it looks. */
#define SWITCH 64
#define FINISH 8

/* Turns the counters on. */
static void start(struct gpu_rig *rig)
{
    bool oag = rig->model == INTEL_TGL;
    tally_gpu_write32(rig->gpu, oag ? 0x2b28 : 0x2360, 1);
    if (rig->model >= INTEL_BDW)
        tally_gpu_write32(rig->gpu, oag ? 0xdaf4 : 0x2b00, 0x15);
}

static uint64_t busy_clocks(const struct gpu_rig *rig)
{
    return gpu_rig_value(rig, rig->model == INTEL_SNB   ? "a26"
                              : rig->model <= INTEL_HSW ? "a41"
                                                        : "a0");
}

/* What a platform's counter does. */
static bool counts_stalls(const struct gpu_rig *rig)
{
    return rig->model == INTEL_SNB || rig->model >= INTEL_ICL;
}

static void each_platform(void (*test)(struct gpu_rig *rig))
{
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name(p));
        start(rig);
        test(rig);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- commands -------------------------------------------------------------------------------- */

static void run_commands(struct gpu_rig *rig)
{
    const char *platform = revision_name(rig->model);
    uint64_t busy = 10 + 4 + FINISH;
    tally_gpu_run(rig->gpu, 1000);
    ROW(__LINE__, busy_clocks(rig) == 0, "%s: idle", platform);
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, END);
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
    tally_gpu_run(rig->gpu, 1000);
    ROW(__LINE__, busy_clocks(rig) == busy + (counts_stalls(rig) ? SWITCH : 0),
        "%s: %" PRIu64 " busy clocks", platform, busy_clocks(rig));
    uint64_t ns = tally_gpu_engine_busy_ns(rig->gpu, "rcs0");
    uint64_t all = (busy + SWITCH) * 1000000000 / tally_gpu_clock_hz(rig->gpu);
    ROW(__LINE__, ns >= all - 30 && ns <= all + 1, "%s: %" PRIu64 " ns, not %" PRIu64, platform, ns,
        all); /* each step rounds down */
}

static void test_commands(void **state)
{
    (void)state;
    each_platform(run_commands);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* A draw and a stall that waits for it: the work is busy time, and the next context is not
 * begun. The draw's 4 clocks are inside its work, the stall's 8 and the rest follow. */
static void run_work(struct gpu_rig *rig)
{
    rig->work_clocks = 5000;
    if (rig->model == INTEL_SNB)
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x7b003c04, 3, 0, 1, 0, 0, 0x7a000002, 0x00100000, 0, 0,
            END);
    else if (rig->model < INTEL_BDW)
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x7b000005, 4, 3, 0, 1, 0, 0, 0x7a000003, 0x00100000, 0, 0,
            0, END);
    else
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x7b000005, 4, 3, 0, 1, 0, 0, 0x7a000004, 0x00100000, 0, 0,
            0, 0, END);
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
    tally_gpu_run(rig->gpu, 20000);
    uint64_t busy = 5000 + 8 + 4 + FINISH + (counts_stalls(rig) ? SWITCH : 0);
    ROW(__LINE__, busy_clocks(rig) == busy, "%s: %" PRIu64 " busy clocks, not %" PRIu64,
        revision_name(rig->model), busy_clocks(rig), busy);
}

static void test_work(void **state)
{
    (void)state;
    each_platform(run_work);
}

/* ---- stalls ---------------------------------------------------------------------------------- */

/* A semaphore in memory: waiting is busy on SNB and from Gen11 on only. */
static void run_semaphore(struct gpu_rig *rig)
{
    if (rig->model < INTEL_BDW)
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x0b500001, 5, 0x3000, END); /* MI_SEMAPHORE_MBOX */
    else
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x0e40c002, 6, 0x3000, 0, END); /* equal */
    if (rig->model == INTEL_HSW) /* compares registers: RVSYNC */
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x0b000001, 5, 0, END);
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
    tally_gpu_run(rig->gpu, SWITCH + 8000);
    uint64_t stalled = counts_stalls(rig) ? SWITCH + 8000 : 0;
    ROW(__LINE__, busy_clocks(rig) == stalled, "%s: %" PRIu64 " busy clocks, not %" PRIu64,
        revision_name(rig->model), busy_clocks(rig), stalled);
    PUT(rig, TALLY_GPU_GGTT, 0x3000, 6);
    tally_gpu_write32(rig->gpu, 0x2040, 6);
    tally_gpu_run(rig->gpu, 1000);
    stalled += 8 + 4 + FINISH;
    ROW(__LINE__, tally_gpu_is_idle(rig->gpu), "%s: it ends", revision_name(rig->model));
    ROW(__LINE__, busy_clocks(rig) == stalled, "%s: %" PRIu64 " busy clocks, not %" PRIu64,
        revision_name(rig->model), busy_clocks(rig), stalled);
}

static void test_semaphores(void **state)
{
    (void)state;
    each_platform(run_semaphore);
}

/* MI_WAIT_FOR_EVENT waits while a condition code of EXCC is set (Gen6 to Gen7.5). */
static void run_event(struct gpu_rig *rig)
{
    if (rig->model >= INTEL_BDW)
        return;
    tally_gpu_write32(rig->gpu, 0x2028, 0x00010001);
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x01810000, END);
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
    tally_gpu_run(rig->gpu, SWITCH + 800);
    uint64_t stalled = counts_stalls(rig) ? SWITCH + 800 : 0;
    ROW(__LINE__, busy_clocks(rig) == stalled, "%s: %" PRIu64 " busy clocks, not %" PRIu64,
        revision_name(rig->model), busy_clocks(rig), stalled);
}

static void test_events(void **state)
{
    (void)state;
    each_platform(run_event);
}

/* A semaphore behind a draw: busy until the draw is done. */
static void run_semaphore_behind_work(struct gpu_rig *rig)
{
    if (rig->model < INTEL_BDW)
        return;
    rig->work_clocks = 5000;
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x7b000005, 4, 3, 0, 1, 0, 0, 0x0e40c002, 6, 0x3000, 0, END);
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
    tally_gpu_run(rig->gpu, SWITCH + 20000);
    uint64_t all = counts_stalls(rig) ? SWITCH + 20000 : 5000, got = busy_clocks(rig);
    ROW(__LINE__, got == all, "%s: %" PRIu64 " busy clocks, not %" PRIu64,
        revision_name(rig->model), got, all);
}

static void test_semaphore_behind_work(void **state)
{
    (void)state;
    each_platform(run_semaphore_behind_work);
}

/* ---- other engines --------------------------------------------------------------------------- */

static void run_other_engine(struct gpu_rig *rig)
{
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, END);
    ROW(__LINE__, tally_gpu_engine_submit(rig->gpu, "vcs0", 1, TALLY_GPU_GGTT, 0x1000, true) == 0,
        "submit");
    tally_gpu_run(rig->gpu, 1000);
    uint64_t busy = rig->model >= INTEL_ICL ? SWITCH + 10 + 4 + FINISH : 0;
    ROW(__LINE__, busy_clocks(rig) == busy, "%s: %" PRIu64 " busy clocks, not %" PRIu64,
        revision_name(rig->model), busy_clocks(rig), busy);
}

static void test_other_engines(void **state)
{
    (void)state;
    each_platform(run_other_engine);
}

/* What drives the input and the engines' state add up: a clock counts once. */
static void run_with_input(struct gpu_rig *rig)
{
    struct tally_number half = tally_number_rate(1, 2);
    unsigned counter = rig->model == INTEL_SNB ? 26 : rig->model <= INTEL_HSW ? 41 : 0;
    tally_oa_drive_a(tally_gpu_oa(rig->gpu), counter, &half);
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x18800000 | (rig->model >= INTEL_BDW), 0x1000, 0);
    tally_gpu_run(rig->gpu, 1000);
    ROW(__LINE__, busy_clocks(rig) == 500, "%s: %" PRIu64, revision_name(rig->model),
        busy_clocks(rig));
    tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true);
    tally_gpu_run(rig->gpu, SWITCH);
    uint64_t before = busy_clocks(rig);
    tally_gpu_run(rig->gpu, 10000);
    ROW(__LINE__, busy_clocks(rig) == before + 10000, "%s: %" PRIu64, revision_name(rig->model),
        busy_clocks(rig) - before);
}

static void test_with_input(void **state)
{
    (void)state;
    each_platform(run_with_input);
}

int test_gpu_busy(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),      cmocka_unit_test(test_work),
        cmocka_unit_test(test_semaphores),    cmocka_unit_test(test_events),
        cmocka_unit_test(test_with_input),    cmocka_unit_test(test_semaphore_behind_work),
        cmocka_unit_test(test_other_engines),
    };
    return cmocka_run_group_tests_name("gpu: busy", tests, NULL, NULL);
}
