/* SPDX-License-Identifier: MIT */
/* Batches that do not end by themselves: which run on, and which end with their context. */
#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define END 0x05000000u

/* Creates a batch that jumps to its start, behind MI_ARB_CHECK or MI_NOOP. */
static uint32_t spinning(struct rig *rig, bool arbitrates)
{
    uint32_t start = has_execlists(rig->device) ? 0x18800101 : 0x18800100;
    uint32_t dwords[] = {arbitrates ? 0x02800000 : 0, start, (uint32_t)ADDRESS(0), 0};
    uint32_t handle = rig_create(rig, 4096);
    rig_write(rig, handle, 0, dwords, sizeof dwords);
    return handle;
}

/* A batch that lets itself be preempted runs for as long as it likes. */
static void test_pulses(void **state)
{
    (void)state;
    enum { NO_PREEMPTION = 1, OTHER = 2, SAME = 4, NO_DETECTION = 8 };
    static const struct {
        unsigned line;
        const char *platform;
        unsigned flags;
        bool hangs;
    } rows[] = {
        {__LINE__, "hsw", 0, true},
        {__LINE__, "bdw", 0, true},
        {__LINE__, "skl", 0, false},
        {__LINE__, "icl", 0, false},
        {__LINE__, "tgl", 0, false},
        {__LINE__, "skl", NO_PREEMPTION, true},
        {__LINE__, "icl", NO_PREEMPTION, true},
        {__LINE__, "skl", OTHER, false},
        {__LINE__, "skl", OTHER | NO_PREEMPTION, true},
        {__LINE__, "bdw", OTHER, true},
        {__LINE__, "skl", SAME, false},
        {__LINE__, "skl", NO_PREEMPTION | NO_DETECTION, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct i915_settings settings = {.hang_ns = 1000000};
        struct rig *rig = rig_new(rows[i].platform, &settings);
        uint32_t batch = spinning(rig, !(rows[i].flags & NO_PREEMPTION)),
                 context = rig_context(rig), end = END;
        uint32_t empty = rig_create(rig, 4096), both[] = {batch, empty};
        rig_write(rig, empty, 0, &end, sizeof end);
        i915_device_detect_hangs(rig->device, !(rows[i].flags & NO_DETECTION));
        assert_int_equal(rig_exec_on(rig, 0, context, &batch, 1, 0), 0);
        rig_run_ns(rig, 5000000);
        if (rows[i].flags & OTHER)
            assert_int_equal(rig_exec_on(rig, 0, rig_context(rig), both, 2, 0), 0);
        if (rows[i].flags & SAME)
            assert_int_equal(rig_exec_on(rig, 0, context, both, 2, 0), 0);
        rig_run_ns(rig, 5000000);
        ROW(rows[i].line, rig_is_busy(rig, batch) != rows[i].hangs, "%d expected", rows[i].hangs);
        ROW(rows[i].line, rig_resets(rig) == rows[i].hangs, "%u resets", rig_resets(rig));
        rig->hangs = rows[i].hangs;
        memcpy(i915_file_object(rig->file, batch)->bytes, &end, sizeof end); /* it is busy */
        rig_run_ns(rig, 1000000);
        ROW(rows[i].line, !rig_is_busy(rig, batch), "the batch does not end");
        ROW(rows[i].line, !rig_is_busy(rig, empty), "the next batch does not run");
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Batches end with their context if it is not persistent, or if nothing detects hangs. */
static void test_ends(void **state)
{
    (void)state;
    enum { NOT_PERSISTENT = 1, NO_DETECTION = 2, NO_HEARTBEAT = 4, FILE_CLOSES = 8, LATER = 16 };
    static const struct {
        unsigned line;
        const char *platform;
        unsigned flags;
        bool ends;
    } rows[] = {
        {__LINE__, "skl", 0, false},
        {__LINE__, "skl", FILE_CLOSES, false},
        {__LINE__, "skl", NOT_PERSISTENT, true},
        {__LINE__, "icl", NOT_PERSISTENT | FILE_CLOSES, true},
        {__LINE__, "skl", NO_DETECTION, true},
        {__LINE__, "tgl", NO_HEARTBEAT, true},
        {__LINE__, "tgl", NO_HEARTBEAT | LATER, true},
        {__LINE__, "skl", NO_HEARTBEAT | LATER | FILE_CLOSES, true},
        {__LINE__, "hsw", NO_DETECTION, true},
        {__LINE__, "hsw", NO_DETECTION | FILE_CLOSES, true},
        {__LINE__, "bdw", NO_DETECTION, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct i915_file *file;
        assert_int_equal(i915_file_open(rig->device, true, &file), 0);
        struct i915_file *mine = rig->file;
        rig->file = file;
        uint32_t batch = spinning(rig, true), context = rig_context(rig);
        struct drm_i915_gem_context_param set = {.ctx_id = context,
                                                 .param = I915_CONTEXT_PARAM_PERSISTENCE};
        i915_device_detect_hangs(rig->device, !(rows[i].flags & NO_DETECTION));
        if (rows[i].flags & NO_HEARTBEAT && !(rows[i].flags & LATER))
            assert_int_equal(i915_engine_set_heartbeat(rig->device, "rcs0", 0), 0);
        if (rows[i].flags & NOT_PERSISTENT)
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &set, sizeof set),
                             0);
        for (unsigned b = 0; b < 3; b++) /* two wait for the first one */
            assert_int_equal(rig_exec_on(rig, 0, context, &batch, 1, 0), 0);
        rig_run_ns(rig, 500000000); /* with a pulse */
        assert_true(rig_is_busy(rig, batch));
        struct drm_i915_gem_context_destroy destroy = {context, 0};
        rig->file = mine;
        if (rows[i].flags & FILE_CLOSES)
            i915_file_close(file);
        else
            assert_int_equal(i915_ioctl(file, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY,
                                        rig_put(rig, &destroy, sizeof destroy), &rig->caller),
                             0);
        if (rows[i].flags & LATER) { /* than the context is closed */
            rig_run_ns(rig, 200000);
            assert_false(rig_engines_done(rig->device));
            assert_int_equal(i915_engine_set_heartbeat(rig->device, "rcs0", 0), 0);
        }
        rig_run_ns(rig, 200000);
        ROW(rows[i].line, rig_engines_done(rig->device) == rows[i].ends, "the batch%s ended",
            rows[i].ends ? " has not" : "");
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_pulse_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulses),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests_name("pulses", tests, NULL, NULL);
}
