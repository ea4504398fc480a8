/* SPDX-License-Identifier: MIT */
/* Priorities, preemption and timeslices of contexts, and fences of several of them. */
#include <inttypes.h>

#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define END   0x05000000u
#define US_NS 1000u
#define MS_NS 1000000u

#define LOOP 16u /* offset in a batch that spins */

/* Creates a batch that sets dword 0 of object 0, then loops over MI_ARB_CHECK or MI_NOOP until the
 * former is overwritten. */
static uint32_t spinner(struct rig *rig, bool arbitrates)
{
    uint32_t batch[16] = {0}, handle = rig_create(rig, 4096);
    size_t at = rig_put_store(rig, batch, ADDRESS(0), 1);
    assert_int_equal(at, LOOP / 4);
    batch[at++] = arbitrates ? 0x02800000 : 0;
    batch[at++] = 0x18800101;
    batch[at++] = (uint32_t)ADDRESS(1) + LOOP;
    rig_write(rig, handle, 0, batch, sizeof batch);
    return handle;
}

static void end_spinner(struct rig *rig, uint32_t handle)
{
    uint32_t end = END;
    memcpy(i915_file_object(rig->file, handle)->bytes + LOOP, &end, sizeof end); /* it is busy */
}

static bool has_run(const struct rig *rig, uint32_t target)
{
    uint32_t value;
    memcpy(&value, i915_file_object(rig->file, target)->bytes, sizeof value);
    return value;
}

/* Returns the ticks in which a context has run on the render engine. */
static uint64_t ticks_of(const struct rig *rig, uint32_t context)
{
    struct i915_usage usage;
    i915_file_usage(rig->file, &usage);
    return render_state(i915_context_peek(rig->file, context))->run_ticks;
}

static int set_priority(struct rig *rig, uint32_t context, int priority)
{
    struct drm_i915_gem_context_param set = {
        .ctx_id = context, .param = I915_CONTEXT_PARAM_PRIORITY, .value = (__u64)priority};
    rig->caller.drm.privileged = true;
    return rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &set, sizeof set);
}

static uint32_t context_of(struct rig *rig, int priority)
{
    uint32_t context = rig_context(rig);
    if (has_execlists(rig->device))
        assert_int_equal(set_priority(rig, context, priority), 0);
    return context;
}

/* ---- the queue ------------------------------------------------------------------------------- */

#define BATCHES 5

/* Runs batches of contexts behind one that cannot be preempted, and notes when each is complete. */
struct queue {
    int priorities[BATCHES]; /* of the context of each batch */
    int after[BATCHES];      /* a batch that uses an object that this number wrote; 0: none */
};

static void run_queue(struct rig *rig, const struct queue *queue, uint64_t ended_ns[BATCHES])
{
    uint32_t batches[BATCHES], objects[BATCHES], target = rig_create(rig, 4096);
    uint32_t plug[] = {target, spinner(rig, false)};
    assert_int_equal(rig_exec(rig, rig_context(rig), plug, 2), 0);
    rig_run_ns(rig, 100 * US_NS);
    for (int i = 0; i < BATCHES; i++) {
        batches[i] = rig_long_batch(rig, 20000);
        objects[i] = queue->after[i] ? objects[queue->after[i] - 1] : rig_create(rig, 4096);
        uint32_t handles[] = {objects[i], batches[i]};
        uint32_t context = context_of(rig, queue->priorities[i]);
        assert_int_equal(rig_exec_on(rig, 0, context, handles, 2, EXEC_OBJECT_WRITE), 0);
        ended_ns[i] = 0;
    }
    rig_run_ns(rig, 100 * US_NS);
    end_spinner(rig, plug[1]);
    while (rig_is_busy(rig, plug[1]))
        rig_run_ns(rig, US_NS);
    for (unsigned left = BATCHES; left; rig_run_ns(rig, US_NS))
        for (unsigned i = 0; i < BATCHES; i++)
            if (!ended_ns[i] && !rig_is_busy(rig, batches[i])) {
                ended_ns[i] = tally_gpu_now_ns(rig->gpu);
                left--;
            }
}

/* Which requests run first. The hardware already has the one behind the plug, and, on a platform
 * with preemption, instead of it the first one of a higher priority than the plug's. */
static void test_priorities(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        struct queue queue;
        unsigned order[BATCHES]; /* numbers of the batches */
    } rows[] = {
        {__LINE__, "bdw", {{0, 0, 5, 0, 7}, {0}}, {1, 5, 3, 2, 4}},
        {__LINE__, "skl", {{0}, {0}}, {1, 2, 3, 4, 5}},
        {__LINE__, "skl", {{0, 0, 5, 0, 7}, {0}}, {3, 5, 1, 2, 4}},
        {__LINE__, "icl", {{-1, 0, -3, 0, 1023}, {0}}, {5, 2, 4, 1, 3}},
        {__LINE__, "tgl", {{1, 2, 3, 4, 5}, {0}}, {1, 5, 4, 3, 2}},
        /* Requests that others wait for get their priority. */
        {__LINE__, "skl", {{-5, 1, 2, 7, 0}, {0, 0, 0, 1, 0}}, {2, 1, 4, 3, 5}},
        {__LINE__, "tgl", {{0, 0, -9, 0, 9}, {0, 0, 2, 0, 3}}, {2, 3, 5, 1, 4}},
        {__LINE__, "bdw", {{0, -1, 5, 2, 9}, {0, 0, 0, 0, 2}}, {1, 2, 5, 3, 4}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct i915_settings settings = {.hang_ns = 1000000000};
        struct rig *rig = rig_new(rows[i].platform, &settings);
        uint64_t ended_ns[BATCHES];
        run_queue(rig, &rows[i].queue, ended_ns);
        for (unsigned n = 1; n < BATCHES; n++) {
            unsigned first = rows[i].order[n - 1], second = rows[i].order[n];
            ROW(rows[i].line, ended_ns[first - 1] < ended_ns[second - 1],
                "%u ended at %" PRIu64 ", %u at %" PRIu64, first, ended_ns[first - 1], second,
                ended_ns[second - 1]);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- preemption ------------------------------------------------------------------------------ */

/* A batch of a higher priority interrupts one that spins, which runs on then. */
static void test_preemption(void **state)
{
    (void)state;
    enum { STUBBORN = 1, NO_TIMESLICE = 2, ENDS = 4 };
    static const struct {
        unsigned line;
        const char *platform;
        int low, high;
        unsigned flags;
        uint32_t preempt_ms; /* 0: no limit */
        bool soon, later;    /* whether the second batch ran after 0.3 and 5 ms */
        unsigned resets;
    } rows[] = {
        {__LINE__, "bdw", 0, 5, ENDS, 640, false, false, 0},
        {__LINE__, "skl", 0, 5, ENDS, 640, true, true, 0},
        {__LINE__, "icl", 0, 5, ENDS, 640, true, true, 0},
        {__LINE__, "tgl", 0, 5, ENDS, 640, true, true, 0},
        {__LINE__, "skl", -5, 0, ENDS, 640, true, true, 0},
        /* Priorities below the default one do not interrupt each other; they take turns. */
        {__LINE__, "skl", -5, -4, ENDS, 640, false, true, 0},
        {__LINE__, "skl", -5, -4, ENDS | NO_TIMESLICE, 640, false, false, 0},
        {__LINE__, "skl", 0, 0, ENDS, 640, false, true, 0},
        {__LINE__, "skl", 0, 0, ENDS | NO_TIMESLICE, 640, false, false, 0},
        {__LINE__, "skl", 5, 0, ENDS, 640, false, false, 0},
        /* A batch that does not let itself be interrupted is ended after some time. */
        {__LINE__, "skl", 0, 5, STUBBORN | ENDS, 640, false, false, 0},
        {__LINE__, "skl", 0, 5, STUBBORN, 2, false, true, 1},
        {__LINE__, "tgl", 0, 0, STUBBORN, 2, false, true, 1},
        {__LINE__, "skl", 0, 5, STUBBORN | ENDS, 0, false, false, 0},
        {__LINE__, "bdw", 0, 5, STUBBORN | ENDS, 2, false, false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t target = rig_create(rig, 4096), result = rig_create(rig, 4096), batch[8] = {0};
        uint32_t first[] = {target, spinner(rig, !(rows[i].flags & STUBBORN))};
        uint32_t second[] = {result, rig_create(rig, 4096)};
        batch[rig_put_store(rig, batch, ADDRESS(0), 1)] = END;
        rig_write(rig, second[1], 0, batch, sizeof batch);
        i915_engine_set_preemption(rig->device, "rcs0", rows[i].preempt_ms);
        if (rows[i].flags & NO_TIMESLICE)
            i915_engine_set_timeslice(rig->device, "rcs0", 0);
        uint32_t low = context_of(rig, rows[i].low);
        assert_int_equal(rig_exec(rig, low, first, 2), 0);
        rig_run_ns(rig, 200 * US_NS);
        assert_true(has_run(rig, target));
        assert_int_equal(rig_exec(rig, context_of(rig, rows[i].high), second, 2), 0);
        rig_run_ns(rig, 300 * US_NS);
        ROW(rows[i].line, has_run(rig, result) == rows[i].soon, "soon");
        rig_run_ns(rig, 5 * MS_NS);
        ROW(rows[i].line, has_run(rig, result) == rows[i].later, "later");
        ROW(rows[i].line, rig_resets(rig) == rows[i].resets, "%u resets", rig_resets(rig));
        ROW(rows[i].line, rig_is_busy(rig, first[1]) == !rows[i].resets, "the first one ended");
        uint64_t ticks = ticks_of(rig, low);
        rig_run_ns(rig, 100 * US_NS);
        ROW(rows[i].line, (ticks_of(rig, low) > ticks) == !rows[i].resets,
            "the first one does not go on");
        rig->hangs = rows[i].resets;
        if (rows[i].flags & ENDS)
            end_spinner(rig, first[1]);
        rig_run_ns(rig, MS_NS);
        ROW(rows[i].line, has_run(rig, result) && rig_engines_done(rig->device), "the end");
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- timeslices ------------------------------------------------------------------------------ */

#define CONTEXTS 4

/* Contexts of the same priority share an engine; each gets its part of the time. */
static void test_timeslices(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t slice_ms;
        int priorities[CONTEXTS];
        bool runs[CONTEXTS];
    } rows[] = {
        {__LINE__, "bdw", 1, {0}, {true}},
        {__LINE__, "skl", 1, {0}, {true, true, true, true}},
        {__LINE__, "icl", 1, {0}, {true, true, true, true}},
        {__LINE__, "tgl", 1, {0}, {true, true, true, true}},
        {__LINE__, "skl", 2, {-9, -9, -9, -9}, {true, true, true, true}},
        {__LINE__, "skl", 0, {0}, {true}},
        {__LINE__, "skl", 1, {0, 3, 1, 3}, {false, true, false, true}},
        {__LINE__, "tgl", 1, {0, 1, 2, 3}, {false, false, false, true}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t handles[CONTEXTS][2], contexts[CONTEXTS];
        unsigned running = 0;
        uint64_t ticks[CONTEXTS], all = 0;
        i915_engine_set_timeslice(rig->device, "rcs0", rows[i].slice_ms);
        for (unsigned c = 0; c < CONTEXTS; c++) {
            handles[c][0] = rig_create(rig, 4096);
            handles[c][1] = spinner(rig, true);
            contexts[c] = context_of(rig, rows[i].priorities[c]);
            assert_int_equal(rig_exec(rig, contexts[c], handles[c], 2), 0);
        }
        rig_run_ns(rig, 100 * US_NS);
        for (unsigned c = 0; c < CONTEXTS; c++) {
            ticks[c] = ticks_of(rig, contexts[c]);
            running += rows[i].runs[c];
        }
        rig_run_ns(rig, 80 * MS_NS);
        for (unsigned c = 0; c < CONTEXTS; c++) {
            ticks[c] = ticks_of(rig, contexts[c]) - ticks[c];
            all += ticks[c];
        }
        for (unsigned c = 0; c < CONTEXTS; c++) {
            uint64_t part = rows[i].runs[c] ? all / running : 0;
            ROW(rows[i].line, ticks[c] >= part - part / 8 && ticks[c] <= part + part / 8,
                "context %u ran for %" PRIu64 " of %" PRIu64 " ticks", c, ticks[c], all);
        }
        ROW(rows[i].line, !rig_resets(rig), "%u resets", rig_resets(rig));
        for (unsigned c = 0; c < CONTEXTS; c++)
            end_spinner(rig, handles[c][1]);
        rig_run_ns(rig, 10 * MS_NS);
        ROW(rows[i].line, rig_engines_done(rig->device), "the end");
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Requests of a context with a single timeline run in order, also on several engines. */
static void test_single_timeline(void **state)
{
    (void)state;
    for (unsigned single = 0; single < 2; single++) {
        struct rig *rig = rig_new("skl", NULL);
        struct drm_i915_gem_context_create_ext create = {
            .flags = single ? I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE : 0};
        assert_int_equal(
            rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create, sizeof create), 0);
        uint32_t first[] = {rig_create(rig, 4096), spinner(rig, true)};
        uint32_t second[] = {first[0], first[1], rig_long_batch(rig, 1000)};
        assert_int_equal(rig_exec_on(rig, 0, create.ctx_id, first, 2, 0), 0);
        assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, create.ctx_id, second, 3, 0), 0);
        rig_run_ns(rig, MS_NS);
        assert_int_equal(rig_is_busy(rig, second[2]), single);
        end_spinner(rig, first[1]);
        rig_run_ns(rig, MS_NS);
        assert_true(rig_engines_done(rig->device));
        rig_free(rig);
    }
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* An object that two contexts read is busy until both are done, in either order; what waits for it
 * runs then. */
static void test_joint_fences(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        bool second_first;
    } rows[] = {
        {__LINE__, "skl", false},
        {__LINE__, "skl", true},
        {__LINE__, "icl", true},
        {__LINE__, "tgl", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t shared = rig_create(rig, 4096), batch[8] = {0};
        uint32_t spinners[][2] = {{shared, spinner(rig, true)}, {shared, spinner(rig, true)}};
        uint32_t writer[] = {shared, rig_create(rig, 4096)};
        unsigned first = rows[i].second_first, second = !first;
        struct i915_fences fences, one;
        batch[rig_put_store(rig, batch, ADDRESS(0), 7)] = END;
        rig_write(rig, writer[1], 0, batch, sizeof batch);
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(rig_exec_on(rig, 0, rig_context(rig), spinners[c], 2, 0), 0);
        fences = i915_object_fences(i915_file_object(rig->file, shared), false);
        assert_int_equal(i915_fences_at(rig->device, &fences, 1, &one), 2);
        assert_int_equal(rig_exec_on(rig, 0, context_of(rig, 1), writer, 2, EXEC_OBJECT_WRITE), 0);
        assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, 0, writer, 2, EXEC_OBJECT_WRITE), 0);
        rig_run_ns(rig, 10 * MS_NS);
        end_spinner(rig, spinners[first][1]);
        rig_run_ns(rig, 10 * MS_NS);
        ROW(rows[i].line, !rig_is_busy(rig, spinners[first][1]), "the first one does not end");
        ROW(rows[i].line, rig_is_busy(rig, spinners[second][1]), "the second one ended");
        ROW(rows[i].line, !i915_fences_done(rig->device, &fences), "the joint is signalled");
        ROW(rows[i].line, rig_is_busy(rig, writer[1]), "the writer did not wait");
        assert_int_equal(i915_fences_at(rig->device, &fences, 0, &one), 2);
        end_spinner(rig, spinners[second][1]);
        rig_run_ns(rig, 10 * MS_NS);
        ROW(rows[i].line, i915_fences_done(rig->device, &fences), "the joint is not signalled");
        ROW(rows[i].line, i915_fences_status(rig->device, &fences) == 1, "it failed");
        ROW(rows[i].line, rig_engines_done(rig->device), "the end");
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A wait for any of several requests ends with the first one, also if it is the later one. */
static void test_wait_for_any(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t handles[2][2];
    struct i915_wait any = {.any = true, .until_ns = UINT64_MAX}, all = {.until_ns = UINT64_MAX};
    for (unsigned c = 0; c < 2; c++) {
        handles[c][0] = rig_create(rig, 4096);
        handles[c][1] = spinner(rig, true);
        assert_int_equal(rig_exec(rig, rig_context(rig), handles[c], 2), 0);
        struct i915_fences fences =
            i915_object_fences(i915_file_object(rig->file, handles[c][1]), false);
        i915_wait_more(rig->device, &any, &fences);
        i915_wait_more(rig->device, &all, &fences);
    }
    rig_run_ns(rig, 5 * MS_NS);
    assert_false(i915_wait_over(rig->device, &any));
    end_spinner(rig, handles[1][1]);
    rig_run_ns(rig, 5 * MS_NS);
    assert_true(i915_wait_over(rig->device, &any));
    assert_false(i915_wait_over(rig->device, &all));
    end_spinner(rig, handles[0][1]);
    rig_run_ns(rig, 5 * MS_NS);
    assert_true(i915_wait_over(rig->device, &all));
    rig_free(rig);
}

/* ---- balancing ------------------------------------------------------------------------------- */

/* Creates a context with both video engines at index 0, and one of them each at indexes 1 and 2. */
static uint32_t balanced_context(struct rig *rig, int priority)
{
    const struct {
        struct i915_user_extension base;
        uint16_t index, siblings;
        uint32_t flags;
        uint64_t mbz;
        struct i915_engine_class_instance engines[2];
    } balance = {.siblings = 2, .engines = {{2, 0}, {2, 1}}};
    const struct {
        uint64_t extensions;
        struct i915_engine_class_instance engines[3];
    } map = {rig_put(rig, &balance, sizeof balance), {{0xffff, 0xffff}, {2, 0}, {2, 1}}};
    struct drm_i915_gem_context_param set = {.ctx_id = rig_context(rig),
                                             .size = 8 + 3 * 4,
                                             .param = I915_CONTEXT_PARAM_ENGINES,
                                             .value = rig_put(rig, &map, sizeof map)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &set, sizeof set), 0);
    assert_int_equal(set_priority(rig, set.ctx_id, priority), 0);
    return set.ctx_id;
}

static const struct i915_state *balanced_state(const struct rig *rig, uint32_t context)
{
    struct i915_state *found;
    const struct i915_engine_class_instance first = {0, 0};
    const struct i915_context *c = i915_context_peek(rig->file, context);
    assert_int_equal(i915_context_find_state(c, true, &first, &found), 0);
    return found;
}

/* Three contexts share two engines. */
static void test_balanced_timeslices(void **state)
{
    (void)state;
    enum { COUNT_OF_CONTEXTS = 3 };
    static const char *const names[] = {"icl", "tgl"};
    for (unsigned i = 0; i < COUNT(names); i++) {
        struct rig *rig = rig_new(names[i], NULL);
        uint32_t handles[COUNT_OF_CONTEXTS][2], contexts[COUNT_OF_CONTEXTS];
        uint64_t all = 0, class_ns = 0;
        for (unsigned c = 0; c < COUNT_OF_CONTEXTS; c++) {
            handles[c][0] = rig_create(rig, 4096);
            handles[c][1] = spinner(rig, true);
            contexts[c] = balanced_context(rig, 0);
            assert_int_equal(rig_exec_on(rig, 0, contexts[c], handles[c], 2, 0), 0);
        }
        rig_run_ns(rig, 90 * MS_NS);
        struct i915_usage usage;
        i915_file_usage(rig->file, &usage);
        for (unsigned c = 0; c < COUNT_OF_CONTEXTS; c++)
            all += balanced_state(rig, contexts[c])->run_ticks;
        for (unsigned c = 0; c < usage.class_count; c++)
            class_ns += strcmp(usage.classes[c].name, "video") ? 0 : usage.classes[c].ns;
        ROW(i, class_ns > 175 * MS_NS && class_ns <= 180 * MS_NS, "%s: %" PRIu64 " ns", names[i],
            class_ns);
        for (unsigned c = 0; c < COUNT_OF_CONTEXTS; c++) {
            uint64_t ticks = balanced_state(rig, contexts[c])->run_ticks, part = all / 3;
            ROW(i, ticks >= part - part / 8 && ticks <= part + part / 8,
                "%s: context %u ran for %" PRIu64 " of %" PRIu64 " ticks", names[i], c, ticks, all);
            end_spinner(rig, handles[c][1]);
        }
        rig_run_ns(rig, 10 * MS_NS);
        ROW(i, rig_engines_done(rig->device) && !rig_resets(rig), "%s: the end", names[i]);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A batch continues on the other engine, with its registers, while one that does not let itself be
 * interrupted keeps the first. Those behind it follow. */
static void test_balanced_move(void **state)
{
    (void)state;
    enum { GPR = 0x600, LOAD = 0x11080001, STORE = 0x12080002 }; /* relative to the engine */
    static const char *const names[] = {"icl", "tgl"};
    for (unsigned i = 0; i < COUNT(names); i++) {
        struct rig *rig = rig_new(names[i], NULL);
        uint32_t context = balanced_context(rig, 0), keeper = balanced_context(rig, 9), found;
        uint32_t spin[] = {rig_create(rig, 4096), spinner(rig, true)};
        uint32_t hog[] = {rig_create(rig, 4096), spinner(rig, false)};
        uint32_t loads[] = {spin[0], rig_create(rig, 4096)};
        uint32_t stores[] = {spin[0], spin[1], rig_create(rig, 4096)};
        const uint32_t load[] = {LOAD, GPR, 7 + i, END};
        const uint32_t store[] = {STORE, GPR, (uint32_t)ADDRESS(0), 0, END};
        rig_write(rig, loads[1], 0, load, sizeof load);
        rig_write(rig, stores[2], 0, store, sizeof store);
        assert_int_equal(rig_exec_on(rig, 0, context, loads, 2, EXEC_OBJECT_WRITE), 0);
        assert_int_equal(rig_exec_on(rig, 0, context, spin, 2, EXEC_OBJECT_WRITE), 0);
        assert_int_equal(rig_exec_on(rig, 0, context, stores, 3, EXEC_OBJECT_WRITE), 0);
        rig_run_ns(rig, MS_NS);
        const struct i915_engine *first = balanced_state(rig, context)->engine;
        unsigned index = first == &rig->device->engines[CS_VCS0] ? 1 : 2;
        struct i915_fences fences =
            i915_object_fences(i915_file_object(rig->file, stores[2]), false);
        assert_int_equal(rig_exec_on(rig, index, keeper, hog, 2, 0), 0);
        rig_run_ns(rig, MS_NS);
        ROW(i, has_run(rig, hog[0]), "%s: the other one waits", names[i]);
        ROW(i, balanced_state(rig, context)->engine != first, "%s: it did not move", names[i]);
        ROW(i, !i915_fences_done(rig->device, &fences), "%s: it is complete", names[i]);
        end_spinner(rig, spin[1]);
        rig_run_ns(rig, MS_NS);
        ROW(i, i915_fences_done(rig->device, &fences), "%s: it does not end", names[i]);
        rig_peek(rig, spin[0], 0, &found, sizeof found);
        ROW(i, found == 7 + i, "%s: %u in the register", names[i], found);
        end_spinner(rig, hog[1]);
        rig_run_ns(rig, MS_NS);
        ROW(i, rig_engines_done(rig->device) && !rig_resets(rig), "%s: the end", names[i]);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- random programs ------------------------------------------------------------------------- */

#define OBJECTS  6
#define REQUESTS 120

/* Each object has an address of its own, so that no request waits for the address of another one.
 */
#define PLACE(number) (ADDRESS(0) + 0x10000 * (uint64_t)(number))
enum { RESULTS, FIRST_OBJECT, FIRST_BATCH = FIRST_OBJECT + OBJECTS };

struct copying {
    uint64_t engine;
    uint32_t context;
    unsigned object;
    uint32_t request, loops; /* at points at which it can be preempted */
};

/* MI_COPY_MEM_MEM of an object's dword to a result, then MI_STORE_DATA_IMM of the request's number
 * and 1 more. */
static uint32_t copying_batch(struct rig *rig, const struct copying *copying)
{
    uint32_t batch[64] = {0}, handle = rig_create(rig, 4096);
    uint64_t object = PLACE(FIRST_OBJECT + copying->object),
             result = PLACE(RESULTS) + 4 * copying->request;
    const uint32_t copy[] = {0x17000003, (uint32_t)result, 0, (uint32_t)object, 0};
    size_t at = 0;
    for (uint32_t i = 0; i < copying->loops; i++) {
        at += rig_put_store(rig, batch + at, result, i);
        batch[at++] = 0x02800000;
    }
    memcpy(batch + at, copy, sizeof copy);
    at += sizeof copy / 4;
    at += rig_put_store(rig, batch + at, object, copying->request + 1);
    batch[at] = END;
    rig_write(rig, handle, 0, batch, sizeof batch);
    return handle;
}

static void run_copying(struct rig *rig, const uint32_t objects[], uint32_t results,
                        const struct copying *copying)
{
    struct drm_i915_gem_exec_object2 list[] = {
        {.handle = objects[copying->object],
         .offset = PLACE(FIRST_OBJECT + copying->object),
         .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
        {.handle = results, .offset = PLACE(RESULTS), .flags = EXEC_OBJECT_PINNED},
        {.handle = copying_batch(rig, copying),
         .offset = PLACE(FIRST_BATCH + copying->request),
         .flags = EXEC_OBJECT_PINNED}};
    struct drm_i915_gem_execbuffer2 call = {.buffers_ptr = rig_put(rig, list, sizeof list),
                                            .buffer_count = COUNT(list),
                                            .flags = copying->engine,
                                            .rsvd1 = copying->context};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), 0);
}

/* A request of the second context of a list, which waits for one of the first context that is not
 * in the list, is not in it either. */
static void test_order_in_a_list(void **state)
{
    (void)state;
    static const char *const names[] = {"bdw", "skl", "icl", "tgl"};
    for (unsigned i = 0; i < COUNT(names); i++) {
        struct rig *rig = rig_new(names[i], NULL);
        uint32_t contexts[] = {rig_context(rig), rig_context(rig)}, found[3];
        uint32_t objects[] = {rig_create(rig, 4096), rig_create(rig, 4096)};
        uint32_t results = rig_create(rig, 4096), plug[] = {results, spinner(rig, false)};
        assert_int_equal(rig_exec_on(rig, 0, contexts[0], plug, 2, 0), 0);
        rig_run_ns(rig, 100 * US_NS);
        for (unsigned n = 0; n < 3; n++) {
            const struct copying copying = {0, contexts[n != 1], n > 0, n, 0};
            run_copying(rig, objects, results, &copying);
        }
        end_spinner(rig, plug[1]);
        rig_run_ns(rig, MS_NS);
        rig_peek(rig, results, 0, found, sizeof found);
        ROW(i, found[2] == 2, "%s: the last request found %u", names[i], found[2]);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Requests of contexts with random priorities on two engines, or on either of two, each of which
 * reads and writes one of some objects: it finds what the latest writer before it wrote, in the
 * order of submission. */
static void test_random_order(void **state)
{
    (void)state;
    static const char *const names[] = {"bdw", "skl", "icl", "tgl"};
    for (unsigned seed = 0; seed < 36; seed++) {
        bool balances = seed % 2;
        struct rig *rig =
            rig_new(names[balances ? 2 + seed / 2 % 2 : seed / 2 % COUNT(names)], NULL);
        struct random rng = random_start(seed);
        uint32_t objects[OBJECTS], contexts[CONTEXTS], latest[OBJECTS] = {0}, expected[REQUESTS];
        uint32_t results = rig_create(rig, 4096), delay = rig_long_batch(rig, 20000),
                 found[REQUESTS];
        for (unsigned i = 0; i < OBJECTS; i++)
            objects[i] = rig_create(rig, 4096);
        for (unsigned i = 0; i < CONTEXTS; i++)
            contexts[i] = (balances ? balanced_context : context_of)(
                rig, (int)random_below(&rng, seed % 5 + 1) - 2);
        for (uint32_t i = 0; i < REQUESTS; i++) {
            struct copying copying = {.context = contexts[random_below(&rng, CONTEXTS)],
                                      .object = (unsigned)random_below(&rng, OBJECTS),
                                      .request = i,
                                      .loops = (uint32_t)random_below(&rng, 10)};
            copying.engine = balances                ? random_below(&rng, 3)
                             : random_below(&rng, 3) ? I915_EXEC_RENDER
                                                     : I915_EXEC_BLT;
            if (random_below(&rng, 8) == 0) /* the next ones wait */
                assert_int_equal(rig_exec_on(rig, copying.engine,
                                             contexts[random_below(&rng, CONTEXTS)], &delay, 1, 0),
                                 0);
            expected[i] = latest[copying.object];
            latest[copying.object] = i + 1;
            run_copying(rig, objects, results, &copying);
            if (random_below(&rng, 4 + 4 * (seed % 3)) == 0)
                rig_run_ns(rig, random_below(&rng, 20000));
            if (random_below(&rng, 16) == 0) {
                unsigned c = (unsigned)random_below(&rng, CONTEXTS);
                struct drm_i915_gem_context_destroy destroy = {contexts[c], 0};
                assert_int_equal(
                    rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, sizeof destroy), 0);
                contexts[c] = (balances ? balanced_context : context_of)(rig, 0);
            }
            if (random_below(&rng, 16) == 0)
                set_priority(rig, contexts[random_below(&rng, CONTEXTS)],
                             (int)random_below(&rng, 2000) - 1000);
        }
        rig_run_ns(rig, 20 * MS_NS);
        assert_true(rig_engines_done(rig->device));
        rig_peek(rig, results, 0, found, sizeof found);
        for (unsigned i = 0; i < REQUESTS; i++)
            ROW(seed, found[i] == expected[i], "request %u found %u, not %u", i, found[i],
                expected[i]);
        FOR_ENGINES(const struct i915_engine, engine, rig->device)
        assert_null(rig->device->joints[engine->hardware->id]);
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_schedule_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_priorities),      cmocka_unit_test(test_preemption),
        cmocka_unit_test(test_timeslices),      cmocka_unit_test(test_single_timeline),
        cmocka_unit_test(test_joint_fences),    cmocka_unit_test(test_wait_for_any),
        cmocka_unit_test(test_balanced_move),   cmocka_unit_test(test_balanced_timeslices),
        cmocka_unit_test(test_order_in_a_list), cmocka_unit_test(test_random_order),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
