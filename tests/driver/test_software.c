/* SPDX-License-Identifier: MIT */
/* Software fences, and requests that wait for them. */
#include "base/bits.h"
#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define END     0x05000000u
#define MS_NS   1000000u
#define LIMIT_S 10 /* for which the kernel lets a request wait */

static struct i915_fences fence_of_value(struct i915_timeline *timeline, uint32_t value)
{
    struct i915_fences fences;
    assert_int_equal(i915_timeline_fence(timeline, value, &fences), 0);
    return fences;
}

/* ---- timelines ------------------------------------------------------------------------------- */

/* Values are ordered modulo 2^32, from where the timeline is. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t start, value, by;
        bool before, after;
    } rows[] = {
        {__LINE__, 0, 0, 0, true, true},
        {__LINE__, 0, 1, 0, false, false},
        {__LINE__, 0, 1, 1, false, true},
        {__LINE__, 0, 5, 4, false, false},
        {__LINE__, 0, 5, 70, false, true},
        {__LINE__, 7, 3, 0, true, true},
        {__LINE__, 0, INT32_MAX, INT32_MAX, false, true},
        {__LINE__, 0, 1u << 31, 0, true, true},
        {__LINE__, UINT32_MAX, 0, 0, false, false},
        {__LINE__, UINT32_MAX, 2, 3, false, true},
        {__LINE__, 1, INT32_MAX, UINT32_MAX, false, true}, /* it passes it on its way */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        struct i915_timeline *timeline = i915_timeline_new(rig->device, "test");
        i915_timeline_advance(timeline, rows[i].start);
        struct i915_fences fences = fence_of_value(timeline, rows[i].value);
        ROW(rows[i].line, i915_fences_status(rig->device, &fences) == rows[i].before, "before");
        char name[32];
        bool named = i915_fences_timeline(rig->device, &fences, name, sizeof name);
        ROW(rows[i].line, named == !rows[i].before && !strcmp(name, named ? "test" : ""),
            "its name");
        i915_timeline_advance(timeline, rows[i].by);
        ROW(rows[i].line, i915_fences_status(rig->device, &fences) == rows[i].after, "after");
        i915_timeline_close(timeline);
        ROW(rows[i].line, i915_fences_status(rig->device, &fences) == (rows[i].after ? 1 : -ENOENT),
            "closed");
        ROW(rows[i].line, !i915_device_has_software(rig->device), "fences remain");
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Of a timeline the latest fence is enough; those of others and of requests are waited for, too. */
static void test_merge(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct i915_timeline *first = i915_timeline_new(rig->device, "first"),
                             *second = i915_timeline_new(rig->device, "second");
        uint32_t batch = rig_long_batch(rig, 100000);
        assert_int_equal(rig_exec(rig, 0, &batch, 1), 0);
        const struct i915_fences parts[] = {
            fence_of_value(first, 3), fence_of_value(first, 2), fence_of_value(second, 1),
            i915_object_fences(i915_file_object(rig->file, batch), false)};
        struct i915_fences all = {{0}}, one;
        static const size_t counts[] = {1, 1, 2, 3};
        for (unsigned i = 0; i < COUNT(parts); i++) {
            i915_fences_merge(rig->device, &all, &parts[i]);
            ROW(i, i915_fences_at(rig->device, &all, 0, &one) == counts[i], "%s: not %zu",
                rig_platforms[p], counts[i]);
        }
        i915_timeline_advance(first, 2);
        i915_timeline_advance(second, 1);
        rig_run_ns(rig, 20 * MS_NS);
        ROW(__LINE__, i915_fences_status(rig->device, &all) == 0, "%s", rig_platforms[p]);
        i915_timeline_advance(first, 1);
        ROW(__LINE__, i915_fences_status(rig->device, &all) == 1, "%s", rig_platforms[p]);
        ROW(__LINE__, !rig->device->joints[I915_SOFTWARE], "%s: a joint remains", rig_platforms[p]);
        i915_timeline_close(first);
        i915_timeline_close(second);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Creates a batch that sets a dword of object 0. */
static uint32_t storing(struct rig *rig, uint32_t dword)
{
    uint32_t batch[8] = {0}, handle = rig_create(rig, 4096);
    size_t at = rig_put_store(rig, batch, ADDRESS(0) + 4 * dword, 1);
    batch[at] = END;
    rig_write(rig, handle, 0, batch, sizeof batch);
    return handle;
}

static bool has_stored(const struct rig *rig, uint32_t target, uint32_t dword)
{
    return load_le32(i915_file_object(rig->file, target)->bytes + 4 * dword);
}

enum end { ADVANCED, CLOSED, EXPIRED };

/* When a request runs that waits for a software fence, and whether another one runs before. */
static void test_requests(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t flags, other;
        enum end end;
        bool same, passes; /* the other one is of the same context; it runs before, or not at all */
        int status;
    } rows[] = {
        {__LINE__, I915_EXEC_FENCE_IN, I915_EXEC_BLT, ADVANCED, true, true, 1},
        {__LINE__, I915_EXEC_FENCE_IN, I915_EXEC_RENDER, ADVANCED, true, false, 1},
        {__LINE__, I915_EXEC_FENCE_IN, I915_EXEC_RENDER, ADVANCED, false, true, 1},
        {__LINE__, I915_EXEC_FENCE_SUBMIT, I915_EXEC_BLT, ADVANCED, true, true, 1},
        {__LINE__, I915_EXEC_FENCE_IN, I915_EXEC_BLT, CLOSED, true, true, -ENOENT},
        {__LINE__, I915_EXEC_FENCE_IN, I915_EXEC_RENDER, CLOSED, true, false, -ENOENT},
        {__LINE__, I915_EXEC_FENCE_IN, I915_EXEC_BLT, EXPIRED, true, true, -ETIMEDOUT},
    };
    for (size_t p = 0; p < COUNT(rig_platforms); p++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct rig *rig = rig_new(rig_platforms[p], NULL);
            struct i915_timeline *timeline = i915_timeline_new(rig->device, "test");
            uint32_t target = rig_create(rig, 4096),
                     handles[] = {target, storing(rig, 0), storing(rig, 1)};
            /* Before Gen8 an engine runs its requests in order. */
            bool passes =
                rows[i].passes && (has_execlists(rig->device) || rows[i].other != I915_EXEC_RENDER);
            rig->fences[1] = fence_of_value(timeline, 2);
            assert_int_equal(rig_exec_on(rig, rows[i].flags | I915_EXEC_RENDER, 0, handles, 2,
                                         EXEC_OBJECT_WRITE),
                             0);
            struct i915_fences fences =
                i915_object_fences(i915_file_object(rig->file, target), false);
            uint32_t context = rows[i].same ? 0 : rig_context(rig);
            assert_int_equal(rig_exec_on(rig, rows[i].other, context, handles, 3,
                                         EXEC_OBJECT_WRITE | EXEC_OBJECT_ASYNC),
                             0);
            i915_timeline_advance(timeline, 1);
            rig_run_ns(rig, 5 * MS_NS);
            ROW(rows[i].line, !has_stored(rig, target, 0), "%s: it does not wait",
                rig_platforms[p]);
            ROW(rows[i].line, has_stored(rig, target, 1) == passes, "%s: the other",
                rig_platforms[p]);
            if (rows[i].end == ADVANCED)
                i915_timeline_advance(timeline, 1);
            if (rows[i].end == CLOSED)
                i915_timeline_close(timeline);
            if (rows[i].end == EXPIRED) {
                rig_run_ns(rig, (LIMIT_S * 1000 - 10) * UINT64_C(1000000));
                ROW(rows[i].line, !has_stored(rig, target, 0), "%s: too early", rig_platforms[p]);
                rig_run_ns(rig, 10 * MS_NS);
            }
            rig_run_ns(rig, MS_NS);
            ROW(rows[i].line, has_stored(rig, target, 0) == (rows[i].end != CLOSED),
                "%s: the batch", rig_platforms[p]);
            bool runs = rows[i].end != CLOSED || rows[i].passes;
            ROW(rows[i].line, has_stored(rig, target, 1) == runs, "%s: the other later",
                rig_platforms[p]);
            ROW(rows[i].line, i915_fences_status(rig->device, &fences) == rows[i].status,
                "%s: status %d", rig_platforms[p], i915_fences_status(rig->device, &fences));
            if (rows[i].end != CLOSED)
                i915_timeline_close(timeline);
            rig_free(rig);
        }
    ROWS_DONE();
}

/* Requests of the driver, for perf, do not wait for those that wait for software. */
static void test_driver_requests(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct i915_timeline *timeline = i915_timeline_new(rig->device, "test");
        uint32_t target = rig_create(rig, 4096), handles[] = {target, storing(rig, 0)};
        rig->fences[1] = fence_of_value(timeline, 1);
        assert_int_equal(rig_exec_on(rig, I915_EXEC_FENCE_IN | I915_EXEC_RENDER, 0, handles, 2, 0),
                         0);
        assert_int_equal(rig_exec_on(rig, I915_EXEC_RENDER, 0, handles, 2, EXEC_OBJECT_ASYNC), 0);
        uint64_t before = tally_gpu_now_ns(rig->gpu);
        int stream = rig_open_usual(rig, I915_PERF_FLAG_DISABLED, 10, NULL, 0);
        assert_int_equal(stream, FIRST_FD);
        assert_int_equal(i915_stream_ioctl(rig_stream(rig, stream), I915_PERF_IOCTL_ENABLE, 0), 0);
        rig_run_ns(rig, MS_NS);
        assert_int_equal(i915_stream_ioctl(rig_stream(rig, stream), I915_PERF_IOCTL_DISABLE, 0), 0);
        rig_close(rig, stream);
        uint64_t spent = tally_gpu_now_ns(rig->gpu) - before;
        ROW(__LINE__, spent < 100 * MS_NS || !has_execlists(rig->device), "%s: %llu ns",
            rig_platforms[p], (unsigned long long)spent);
        ROW(__LINE__, !has_stored(rig, target, 0) || !has_execlists(rig->device), "%s: it ran",
            rig_platforms[p]);
        i915_timeline_advance(timeline, 1);
        rig_run_ns(rig, MS_NS);
        ROW(__LINE__, has_stored(rig, target, 0), "%s: it does not run", rig_platforms[p]);
        i915_timeline_close(timeline);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- random programs ------------------------------------------------------------------------- */

#define TIMELINES 3
#define FENCES    40

/* Sets of fences of some timelines, merged at random: each is signalled when all values are
 * reached, and has the latest fence of each timeline. */
static void test_random(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 200; seed++) {
        struct rig *rig = rig_new(seed % 2 ? "hsw" : "tgl", NULL);
        struct random rng = random_start(seed);
        struct i915_timeline *timelines[TIMELINES];
        uint32_t reached[TIMELINES] = {0}, wanted[FENCES][TIMELINES] = {{0}};
        struct i915_fences sets[FENCES], one;
        for (unsigned t = 0; t < TIMELINES; t++)
            timelines[t] = i915_timeline_new(rig->device, "test");
        for (unsigned i = 0; i < FENCES; i++) {
            unsigned t = (unsigned)random_below(&rng, TIMELINES);
            wanted[i][t] = reached[t] + (uint32_t)random_below(&rng, 5);
            sets[i] = fence_of_value(timelines[t], wanted[i][t]);
            for (unsigned n = (unsigned)random_below(&rng, 4); i && n; n--) {
                unsigned other = (unsigned)random_below(&rng, i);
                i915_fences_merge(rig->device, &sets[i], &sets[other]);
                for (unsigned each = 0; each < TIMELINES; each++)
                    wanted[i][each] = max_u32(wanted[i][each], wanted[other][each]);
            }
            t = (unsigned)random_below(&rng, TIMELINES);
            uint32_t by = (uint32_t)random_below(&rng, 2);
            i915_timeline_advance(timelines[t], by);
            reached[t] += by;
            for (unsigned s = 0; s <= i; s++) {
                size_t pending = 0;
                for (unsigned each = 0; each < TIMELINES; each++)
                    pending += wanted[s][each] > reached[each];
                ROW(seed, i915_fences_done(rig->device, &sets[s]) == !pending, "set %u", s);
                ROW(seed, i915_fences_at(rig->device, &sets[s], 0, &one) >= pending,
                    "set %u: %zu fences of %zu", s, i915_fences_at(rig->device, &sets[s], 0, &one),
                    pending);
            }
        }
        for (unsigned t = 0; t < TIMELINES; t++)
            i915_timeline_close(timelines[t]);
        for (unsigned i = 0; i < FENCES; i++)
            ROW(seed, i915_fences_done(rig->device, &sets[i]), "set %u remains", i);
        assert_null(rig->device->joints[I915_SOFTWARE]);
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_software_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),   cmocka_unit_test(test_merge),
        cmocka_unit_test(test_requests), cmocka_unit_test(test_driver_requests),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
