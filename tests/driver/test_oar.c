/* SPDX-License-Identifier: MIT */
/*
 * A context's own counters on Gen12 (PERF-6.2, step 7; PERF-6.4): a stream that filters by the
 * context enables OAR and disables it at its end, even if the context was destroyed meanwhile.
 */
#include "base/bits.h"
#include "driver/i915/perf.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define HANG_NS     UINT64_C(1000000)
#define FULL_FORMAT 10u /* A32u40_A4u32_B8_C8 */

/* Dwords of the image, each a register's value. */
enum { CONTEXT_CONTROL = 3, OACTXCONTROL = 0x145, OAR_OACONTROL = 0x5b1 };
#define OAR_ENABLE (1u << 8)

static uint32_t image(const struct i915_context *context, unsigned dword)
{
    return load_le32(context->states[CS_RCS0].image->bytes + 0x1000 + 4 * dword);
}

static bool is_on(const struct i915_context *context)
{
    return image(context, OACTXCONTROL) == 1 && (image(context, OAR_OACONTROL) & 1) &&
           (image(context, CONTEXT_CONTROL) & OAR_ENABLE);
}

static bool is_off(const struct i915_context *context)
{
    return !image(context, OACTXCONTROL) && !image(context, OAR_OACONTROL) &&
           !(image(context, CONTEXT_CONTROL) & OAR_ENABLE);
}

/* Opens a stream as an unprivileged client that reads counters in batches. */
static int open_own(struct rig *rig, uint32_t context)
{
    const struct property properties[] = {
        {DRM_I915_PERF_PROP_CTX_HANDLE, context},
        {DRM_I915_PERF_PROP_OA_METRICS_SET, (uint64_t)rig_add_set(rig)},
        {DRM_I915_PERF_PROP_OA_FORMAT, FULL_FORMAT},
    };
    rig->caller.drm.privileged = false;
    int fd = rig_open(rig, 0, properties, COUNT(properties));
    rig->caller.drm.privileged = true;
    return fd;
}

static uint32_t bad_batch(struct rig *rig)
{
    uint32_t bad = rig_create(rig, 4096), nonsense = 0x0f800000;
    rig_write(rig, bad, 0, &nonsense, 4);
    return bad;
}

static void await_idle(struct rig *rig)
{
    for (unsigned i = 0; i < 100 && rig->device->engines[CS_RCS0].first; i++)
        rig_run_ns(rig, HANG_NS / 4);
    assert_null(rig->device->engines[CS_RCS0].first);
    rig_run_ns(rig, HANG_NS / 4); /* the context is unloaded */
}

static void test_ends(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned before;       /* batches before the stream opens */
        unsigned hangs, after; /* then hanging batches, and good ones */
        bool destroyed;        /* the context is destroyed */
        bool waits;            /* waits for all batches before the stream is closed */
        bool banned;
    } rows[] = {
        {__LINE__, 0, 0, 0, false, true, false},  {__LINE__, 0, 0, 0, true, true, false},
        {__LINE__, 1, 0, 1, false, true, false},  {__LINE__, 1, 0, 1, false, false, false},
        {__LINE__, 1, 0, 1, true, false, false},  {__LINE__, 0, 1, 0, false, false, false},
        {__LINE__, 1, 1, 1, false, false, false}, {__LINE__, 1, 1, 1, true, false, true},
        {__LINE__, 1, 2, 1, false, true, false},  {__LINE__, 1, 3, 0, false, true, true},
        {__LINE__, 1, 3, 0, true, true, true},    {__LINE__, 1, 3, 1, true, false, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct i915_settings settings = {.hang_ns = HANG_NS};
        struct rig *rig = rig_new("tgl", &settings);
        uint32_t id = rig_context(rig), bad = bad_batch(rig);
        uint32_t good[] = {bad, rig_long_batch(rig, 20000)}; /* each at its own address */
        struct i915_context *context = i915_context_peek(rig->file, id);
        context->references++;
        for (unsigned n = 0; n < rows[i].before; n++)
            assert_int_equal(rig_exec(rig, id, good, 2), 0);
        int fd = open_own(rig, id);
        ROW(rows[i].line, fd >= 0, "opening gave %d", fd);
        await_idle(rig);
        ROW(rows[i].line, is_on(context), "it is not on");
        for (unsigned n = 0; n < rows[i].hangs; n++)
            assert_int_equal(rig_exec(rig, id, &bad, 1), 0);
        for (unsigned n = 0; n < rows[i].after; n++)
            assert_int_equal(rig_exec(rig, id, good, 2), 0);
        struct drm_i915_gem_context_destroy destroy = {id, 0};
        if (rows[i].destroyed)
            assert_int_equal(
                rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, sizeof destroy), 0);
        if (rows[i].waits)
            await_idle(rig);
        uint64_t before = tally_gpu_now_ns(rig->gpu);
        rig_close(rig, fd);
        uint64_t took = tally_gpu_now_ns(rig->gpu) - before;
        ROW(rows[i].line, took < (rows[i].hangs + 1) * HANG_NS, "it took %lu ns",
            (unsigned long)took);
        ROW(rows[i].line, !image(context, OACTXCONTROL), "it counts without a stream");
        await_idle(rig);
        rig->hangs = rows[i].destroyed && rows[i].hangs ? 1 : rows[i].hangs; /* it is banned */
        ROW(rows[i].line, render_state(context)->banned == rows[i].banned, "banned: %d",
            render_state(context)->banned);
        ROW(rows[i].line, rows[i].banned ? !image(context, OACTXCONTROL) : is_off(context),
            "it is still on: %x %x %x", image(context, OACTXCONTROL), image(context, OAR_OACONTROL),
            image(context, CONTEXT_CONTROL));
        ROW(rows[i].line, context->references == 2u - rows[i].destroyed, "held %u times",
            context->references);
        fd = open_own(rig, 0);
        ROW(rows[i].line, fd >= 0, "the next gave %d", fd);
        rig_close(rig, fd);
        i915_context_drop(context);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Without a context to count, nothing stays enabled. */
static void test_banned(void **state)
{
    (void)state;
    struct rig *rig = rig_new("tgl", NULL);
    uint32_t id = rig_context(rig);
    struct i915_context *context = i915_context_peek(rig->file, id);
    render_state(context)->banned = true;
    assert_int_equal(open_own(rig, id), -EIO);
    assert_null(rig->device->perf.stream);
    assert_int_equal(context->references, 1);
    assert_int_equal(image(context, OACTXCONTROL), 0);
    rig_close(rig, open_own(rig, 0));
    rig_free(rig);
}

int run_oar_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_banned),
    };
    return cmocka_run_group_tests_name("oar", tests, NULL, NULL);
}
