/* SPDX-License-Identifier: MIT */
/* Time on the whole GPU: workloads, clocks, nanoseconds, snapshots, and divided runs. */
#include "intel/gpu_rig.h"
#include "intel/workload_rig.h"

#include "intel/gpu/gpu.h"

#define LARGE_STEP 100000

static struct tally_workload *load(const char *name)
{
    struct tally_error error = {0};
    struct tally_workload *workload;
    char path[512];
    snprintf(path, sizeof path, "%s/data/workloads/%s.yaml", source_directory(), name);
    if (tally_workload_load(path, &workload, &error) < 0)
        fail_msg("%s", error.message);
    return workload;
}

static struct tally_workload_program *bind(const struct tally_workload *workload,
                                           const char *platform, unsigned eus)
{
    struct tally_error error = {0};
    struct tally_workload_program *program;
    struct tally_workload_target target = {.platform = platform, .eus = eus};
    if (tally_workload_bind(workload, &target, NULL, NULL, &program, &error) < 0)
        fail_msg("%s", error.message);
    return program;
}

/* No padding: the wave is compared as a whole. */
static bool is_low(const struct tally_wave *wave)
{
    struct tally_wave low = tally_wave_constant(false);
    return !memcmp(wave, &low, sizeof low);
}

/* A workload has the same counts on the GPU as on the unit alone. */
static void test_workloads(void **state)
{
    (void)state;
    static const char *const names[] = {"triangle", "compute", "bottleneck", "idle-bursts",
                                        "contexts"};
    for (size_t i = 0; i < COUNT(names); i++)
        for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
            const char *platform = revision_name(p);
            struct tally_workload *workload = load(names[i]);
            struct gpu_rig *rig = gpu_rig_awake(__LINE__, platform);
            struct tally_workload_program *program =
                bind(workload, platform, p < INTEL_BDW ? 0 : tally_gpu_eus(rig->gpu));
            struct tally_oa *unit = rig_unit(platform);
            struct tally_workload_cursor cursor;
            uint64_t clocks = p < INTEL_BDW ? 3000000 : 300000;
            if (p >= INTEL_BDW)
                tally_oa_set_eus(unit, tally_gpu_eus(rig->gpu));
            tally_workload_start(program, &cursor);
            tally_workload_run(&cursor, unit, clocks);
            ROW(__LINE__, tally_gpu_set_workload(rig->gpu, program) == 0, "%s", names[i]);
            gpu_rig_count(rig);
            static const uint32_t controls[] = {0x2360, 0x2b00};
            for (unsigned n = 0; n < 2; n++) {
                uint32_t at = oa_at(rig->model, controls[n]);
                tally_gpu_write32(rig->gpu, at, tally_oa_read32(unit, at));
            }
            for (unsigned n = 0; n < 7; n++) {
                static const uint32_t flex[] = {0xe458, 0xe558, 0xe658, 0xe758,
                                                0xe45c, 0xe55c, 0xe65c};
                tally_gpu_write32(rig->gpu, flex[n], tally_oa_read32(unit, flex[n]));
            }
            tally_gpu_run(rig->gpu, clocks);
            for (unsigned a = 0; a < (p < INTEL_BDW ? 29 : 36); a++)
                ROW(__LINE__, rig_peek(tally_gpu_oa(rig->gpu), 'a', a) == rig_peek(unit, 'a', a),
                    "%s on %s: A%u %" PRIu64 ", alone %" PRIu64, names[i], platform, a,
                    rig_peek(tally_gpu_oa(rig->gpu), 'a', a), rig_peek(unit, 'a', a));
            /* A workload that was removed has no effect and may be freed. */
            ROW(__LINE__, tally_gpu_set_workload(rig->gpu, NULL) == 0, "none");
            uint32_t driven = program->noa_driven & ~rig->gpu->oa->variant->noa_clock;
            tally_workload_unbind(program);
            uint64_t before = gpu_rig_value(rig, "a1");
            tally_gpu_run(rig->gpu, 1000);
            ROW(__LINE__, gpu_rig_value(rig, "a1") == before, "%s: silent", platform);
            for (unsigned bit = 0; bit < TALLY_WORKLOAD_NOA; bit++)
                ROW(__LINE__, !(driven >> bit & 1) || is_low(&rig->gpu->oa->noa[bit].wave),
                    "%s on %s: NOA bit %u is high", names[i], platform, bit);
            tally_workload_free(workload);
            tally_oa_free(unit);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* Another platform's program, other EUs, and clocks below TIMESTAMP's. */
static void test_unsuitable(void **state)
{
    (void)state;
    struct tally_workload *workload = load("triangle");
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    struct tally_workload_program *chv = bind(workload, "chv", 0), *few = bind(workload, "skl", 8);
    assert_int_equal(tally_gpu_set_workload(rig->gpu, chv), -EINVAL);
    assert_int_equal(tally_gpu_set_workload(rig->gpu, few), -EINVAL);
    tally_workload_unbind(chv);
    tally_workload_unbind(few);
    tally_workload_free(workload);
    gpu_rig_free(rig);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static const char two_clocks[] = "name: w\ndescription: d\nseed: 7\nphases:\n"
                                 "  - {duration: 1 ms, context: 1, clock: 600 MHz, does: []}\n"
                                 "  - {duration: 3 ms, context: idle, clock: 300 MHz, does: []}\n";

/* TIMESTAMP keeps its frequency, nanoseconds follow the clock, registers show it. */
static void test_two_clocks(void **state)
{
    (void)state;
    struct tally_workload *workload;
    struct tally_error error = {0};
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    if (tally_workload_load_memory(two_clocks, sizeof two_clocks - 1, "two", &workload, &error) < 0)
        fail_msg("%s", error.message);
    struct tally_workload_program *program = bind(workload, "skl", 24);
    assert_int_equal(tally_gpu_set_workload(rig->gpu, program), 0);
    uint64_t clocks = tally_gpu_run_ns(rig->gpu, 500000);
    assert_int_equal(clocks, 300000);
    assert_int_equal(tally_gpu_clock_hz(rig->gpu), 600000000);
    assert_int_equal(tally_gpu_read32(rig->gpu, 0xa01c), 36u << 23);
    assert_int_equal(gpu_rig_value(rig, "timestamp"), 6000);
    clocks = tally_gpu_run_ns(rig->gpu, 2500000); /* 0.5 ms and 2 ms */
    assert_int_equal(clocks, 300000 + 600000);
    assert_int_equal(tally_gpu_now_ns(rig->gpu), 3000000);
    assert_int_equal(tally_gpu_clock_hz(rig->gpu), 300000000);
    assert_int_equal(gpu_rig_value(rig, "timestamp"), 36000);
    assert_int_equal(tally_gpu_run_ns(rig->gpu, 1000000000) + 300000 + 900000,
                     /* 250 rounds of 4 ms, and 3 ms */
                     250 * (600000 + 900000) + 600000 + 600000);
    assert_int_equal(gpu_rig_value(rig, "timestamp"), 1003u * 12000);
    assert_int_equal(tally_gpu_now(rig->gpu), tally_oa_now(tally_gpu_oa(rig->gpu)));
    tally_gpu_set_workload(rig->gpu, NULL);
    tally_workload_unbind(program);
    tally_workload_free(workload);
    gpu_rig_free(rig);
}

/* 1,350 MHz and steps of 7 ns: no nanosecond is lost, nor a fraction of one. */
static void test_nanoseconds(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "hsw");
    for (uint64_t i = 1; i <= 1000; i++) {
        tally_gpu_run_ns(rig->gpu, 7);
        uint64_t now = tally_gpu_now_ns(rig->gpu);
        ROW(__LINE__, now == tally_gpu_now(rig->gpu) * 20 / 27, "%" PRIu64, now);
    }
    ROWS_DONE();
    gpu_rig_free(rig);
}

/* The GPU is awake while the workload is busy; in its pauses it enters RC6. */
static void test_pauses(void **state)
{
    (void)state;
    struct tally_workload *workload;
    struct tally_error error = {0};
    struct gpu_rig *rig = gpu_rig_new(
        __LINE__, &(struct tally_gpu_config){.platform = "skl", .rc6_after_clocks = 1000});
    if (tally_workload_load_memory(two_clocks, sizeof two_clocks - 1, "two", &workload, &error) < 0)
        fail_msg("%s", error.message);
    struct tally_workload_program *program = bind(workload, "skl", 24);
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    gpu_rig_wake(rig, false);
    assert_int_equal(tally_gpu_set_workload(rig->gpu, program), 0);
    uint64_t awake = tally_gpu_awake_clocks(rig->gpu), before = tally_gpu_now_ns(rig->gpu);
    tally_gpu_run_ns(rig->gpu, 1000000);
    assert_false(tally_gpu_in_rc6(rig->gpu));
    assert_int_equal(gpu_rig_value(rig, "ticks"), 600000);
    assert_int_equal(tally_gpu_busy_ns(rig->gpu), 1000000);
    tally_gpu_run(rig->gpu, 1001);
    assert_true(tally_gpu_in_rc6(rig->gpu));
    tally_gpu_run_ns(rig->gpu, 4000000);
    /* Its context restores OACTXCONTROL; two busy phases were counted, and a pause's
     * beginning. */
    assert_int_equal(gpu_rig_value(rig, "ticks"), 2 * 600000 + 2 * 1000);
    assert_true(tally_gpu_in_rc6(rig->gpu));
    assert_int_equal(tally_gpu_busy_ns(rig->gpu), 2000000);
    assert_int_equal(tally_gpu_awake_clocks(rig->gpu) - awake, 2 * 600000 + 2 * 1000);
    uint64_t paused = tally_gpu_now_ns(rig->gpu) - before - 2000000;
    assert_in_range(paused - tally_gpu_rc6_ns(rig->gpu), 6660, 6670); /* 1000 clocks of each */
    tally_gpu_exit_rc6(rig->gpu);
    assert_int_equal(tally_oa_read32(tally_gpu_oa(rig->gpu), 0x2360), 0);
    tally_gpu_set_workload(rig->gpu, NULL);
    tally_workload_unbind(program);
    tally_workload_free(workload);
    gpu_rig_free(rig);
}

/* ---- any cut, any snapshot ------------------------------------------------------------------- */

struct scene {
    struct gpu_rig *rig;
    struct tally_workload *workload;
    struct tally_workload_program *program;
};

/* A busy GPU: a workload, an endless batch that reports, timer reports. */
static struct scene scene_new(const char *platform)
{
    struct scene scene = {
        .rig = gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = platform,
                                                                .wake_clocks = 37,
                                                                .rc6_after_clocks = 400,
                                                                .rc6_blind_clocks = 50})};
    struct gpu_rig *rig = scene.rig;
    scene.workload = load("contexts");
    scene.program = bind(scene.workload, platform, 0);
    assert_int_equal(tally_gpu_set_workload(rig->gpu, scene.program), 0);
    rig->work_clocks = 700;
    gpu_rig_wake(rig, true);
    tally_gpu_run(rig->gpu, 100);
    gpu_rig_count(rig);
    if (rig->model >= INTEL_BDW) {
        tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b14), 0x20001);
        tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b0c), 0x20000);
        tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b10), 0x20000);
        tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2360), 7 << 2 | 3);
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x14000002, 0x4001, 0, 0xcafe, 0x7b000005, 0, 3, 0, 1, 0,
            0, 0x7a000004, 0x00104000, 0x5000, 0, 0x600d, 0, 0x18800001, 0x1000, 0);
    } else {
        tally_gpu_write32(rig->gpu, 0x2368, 0x20001);
        tally_gpu_write32(rig->gpu, 0x23b0, 0x20000);
        tally_gpu_write32(rig->gpu, 0x2364, 0x20000);
        tally_gpu_write32(rig->gpu, 0x2360, 5 << 6 | 1 << 5 | 1);
        uint32_t primitive = rig->model == INTEL_SNB ? 0x7b000004 : 0x7b000005; /* and a NOOP */
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x14000001, 0x4001, 0xcafe, primitive, 0, 3, 0, 1, 0, 0,
            0x18800000, 0x1000);
    }
    gpu_rig_wake(rig, false);
    tally_gpu_submit(rig->gpu, 3, TALLY_GPU_GGTT, 0x1000, true);
    return scene;
}

static void scene_free(struct scene *scene)
{
    gpu_rig_free(scene->rig);
    tally_workload_unbind(scene->program);
    tally_workload_free(scene->workload);
}

static void same(unsigned line, const struct gpu_rig *a, const struct gpu_rig *b, const char *what)
{
    static const char *const names[] = {"a0", "a1", "a5", "b0", "c3", "timestamp", "used"};
    for (size_t i = 0; i < COUNT(names); i++)
        ROW(line, gpu_rig_value(a, names[i]) == gpu_rig_value(b, names[i]),
            "%s: %s %" PRIu64 " and %" PRIu64, what, names[i], gpu_rig_value(a, names[i]),
            gpu_rig_value(b, names[i]));
    ROW(line, !memcmp(a->spaces[0].bytes, b->spaces[0].bytes, RIG_BYTES), "%s: memory", what);
    ROW(line, tally_gpu_now_ns(a->gpu) == tally_gpu_now_ns(b->gpu), "%s: time", what);
}

static void test_cuts(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const char *platform = revision_name(p);
        struct scene whole = scene_new(platform), cut = scene_new(platform);
        tally_gpu_run(whole.rig->gpu, LARGE_STEP);
        for (uint64_t done = 0, step = 1; done < LARGE_STEP; done += step) {
            step = 1 + (step * 7 + done) % 613;
            step = step < LARGE_STEP - done ? step : LARGE_STEP - done;
            tally_gpu_run(cut.rig->gpu, step);
        }
        same(__LINE__, whole.rig, cut.rig, platform);
        ROW(__LINE__, whole.rig->works[0] > 20 && whole.rig->works[0] == cut.rig->works[0],
            "%s: %u times", platform, whole.rig->works[0]);
        scene_free(&cut);
        scene_free(&whole);
    }
    ROWS_DONE();
}

/* A copy continues as the original does. */
static void test_snapshots(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const char *platform = revision_name(p);
        struct scene scene = scene_new(platform);
        struct gpu_rig *copy = gpu_rig_new(
            __LINE__, &(struct tally_gpu_config){.platform = platform, .wake_clocks = 37});
        copy->work_clocks = 700;
        tally_gpu_run(scene.rig->gpu, 12345);
        ROW(__LINE__, tally_gpu_copy(copy->gpu, scene.rig->gpu) == 0, "%s", platform);
        memcpy(copy->spaces[0].bytes, scene.rig->spaces[0].bytes, RIG_BYTES);
        tally_gpu_run(scene.rig->gpu, 54321);
        tally_gpu_run(copy->gpu, 54321);
        same(__LINE__, scene.rig, copy, platform);
        gpu_rig_free(copy);
        scene_free(&scene);
    }
    struct gpu_rig *a = gpu_rig_awake(__LINE__, "icl"), *b = gpu_rig_awake(__LINE__, "lkf");
    ROW(__LINE__, tally_gpu_copy(a->gpu, b->gpu) == -EINVAL, "another platform");
    gpu_rig_free(a);
    gpu_rig_free(b);
    ROWS_DONE();
}

/* Between batches of a ring the workload has its context; the ring's next batch has that of the
 * latest MI_SET_CONTEXT again, without another one. */
static void test_ring_beside_workload(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "hsw");
    struct tally_gpu *gpu = rig->gpu;
    struct tally_workload *workload = load("compute");
    struct tally_workload_program *program = bind(workload, "hsw", 0);
    /* MI_SET_CONTEXT, MI_NOOP, and a batch that jumps to itself */
    PUT(rig, TALLY_GPU_GGTT, 0x8000, 0x0c000000, 0x00020100, 0, 0, 0x18800000, 0x9000);
    PUT(rig, TALLY_GPU_GGTT, 0x9000, 0x18800000, 0x9000);
    assert_int_equal(tally_gpu_set_workload(gpu, program), 0);
    tally_gpu_run(gpu, 100);
    assert_int_equal(gpu->oa->context, 0x2000);
    tally_gpu_write32(gpu, 0x2038, 0x8000);
    tally_gpu_write32(gpu, 0x203c, 1);
    tally_gpu_write32(gpu, 0x2030, 16);
    tally_gpu_run(gpu, 10000);
    assert_true(tally_gpu_is_idle(gpu));
    assert_int_equal(gpu->oa->context, 0x2000);
    tally_gpu_write32(gpu, 0x2030, 24);
    tally_gpu_run(gpu, 10000);
    assert_false(tally_gpu_is_idle(gpu));
    assert_int_equal(gpu->oa->context, 0x20000);
    /* A reset forgets it. */
    assert_int_equal(tally_gpu_engine_reset(gpu, "rcs0"), 0);
    PUT(rig, TALLY_GPU_GGTT, 0x8000, 0x18800000, 0x9000);
    tally_gpu_write32(gpu, 0x2038, 0x8000);
    tally_gpu_write32(gpu, 0x203c, 1);
    tally_gpu_write32(gpu, 0x2030, 8);
    tally_gpu_run(gpu, 10000);
    assert_false(tally_gpu_is_idle(gpu));
    assert_int_equal(gpu->oa->context, 0x2000);
    gpu_rig_free(rig);
    tally_workload_unbind(program);
    tally_workload_free(workload);
}

int test_gpu_time(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workloads),  cmocka_unit_test(test_unsuitable),
        cmocka_unit_test(test_two_clocks), cmocka_unit_test(test_nanoseconds),
        cmocka_unit_test(test_pauses),     cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_snapshots),  cmocka_unit_test(test_ring_beside_workload),
    };
    return cmocka_run_group_tests_name("gpu: time", tests, NULL, NULL);
}
