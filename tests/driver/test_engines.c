/* SPDX-License-Identifier: MIT */
/* Engines: batches on each, order between them, BUSY, engine maps, hangs. */
#include <inttypes.h>

#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define END 0x05000000u

/* Names of engines for clients. The last one is missing on most platforms. */
static const struct {
    uint64_t ring;
    uint16_t class, instance;
} engines[] = {
    {I915_EXEC_RENDER, 0, 0},
    {I915_EXEC_BLT, 1, 0},
    {I915_EXEC_BSD | I915_EXEC_BSD_RING1, 2, 0},
    {I915_EXEC_VEBOX, 3, 0},
    {I915_EXEC_BSD | I915_EXEC_BSD_RING2, 2, 1},
};
enum { RENDER, COPY, VIDEO, ENHANCE, VIDEO2 };

static const struct {
    const char *name;
    unsigned engines; /* of the above */
} platforms[] = {{"snb", 3}, {"ivb", 3}, {"vlv", 3},     {"hsw", 4},    {"bdw", 4},
                 {"chv", 4}, {"skl", 4}, {"icl", 5},     {"lkf", 5},    {"tgl", 5},
                 {"adl", 5}, {"rkl", 4}, {"bdw/gt3", 5}, {"skl/gt4", 5}};

/* Whether `file` begins with a value at a dword. */
static uint32_t peek(struct rig *rig, uint32_t handle, unsigned dword)
{
    uint32_t value;
    rig_peek(rig, handle, 4 * dword, &value, 4);
    return value;
}

/* Reads memory without waiting for the GPU. */
static uint32_t look(const struct rig *rig, uint32_t handle, unsigned dword)
{
    uint32_t value;
    memcpy(&value, i915_file_object(rig->file, handle)->bytes + 4 * dword, 4);
    return value;
}

/* Creates a batch that writes a value to a dword of object 0, after some clocks. */
static uint32_t store_batch(struct rig *rig, unsigned dword, uint32_t value, uint32_t clocks)
{
    enum { PAIRS = 126, DWORDS = 1 + 2 * PAIRS, CLOCKS = 2 + 2 * PAIRS };
    uint32_t commands = clocks / CLOCKS, size = 4 * (commands * DWORDS + 6), at = 0;
    uint32_t *dwords = calloc(1, size), handle = rig_create(rig, size);
    assert_non_null(dwords);
    for (; at < commands * DWORDS; at += DWORDS) {
        dwords[at] = 0x11000000 | (DWORDS - 2);
        for (uint32_t pair = 0; pair < PAIRS; pair++)
            dwords[at + 1 + 2 * pair] = 0x2678;
    }
    at += (uint32_t)rig_put_store(rig, dwords + at, ADDRESS(0) + 4 * dword, value);
    dwords[at] = END;
    rig_write(rig, handle, 0, dwords, size);
    free(dwords);
    return handle;
}

static int exec(struct rig *rig, unsigned engine, uint32_t target, uint32_t batch)
{
    return rig_exec_on(rig, engines[engine].ring, 0, (uint32_t[]){target, batch}, 2,
                       EXEC_OBJECT_WRITE);
}

static uint32_t busy(struct rig *rig, uint32_t handle)
{
    struct drm_i915_gem_busy args = {handle, 0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &args, sizeof args), 0);
    return args.busy;
}

/* ---- batches --------------------------------------------------------------------------------- */

static void test_stores(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(platforms); p++) {
        struct rig *rig = rig_new(platforms[p].name, NULL);
        uint32_t target = rig_create(rig, 4096);
        for (unsigned e = 0; e < COUNT(engines); e++) {
            bool exists = e < platforms[p].engines;
            uint32_t batch = store_batch(rig, e, e + 1, 0);
            uint64_t before = tally_gpu_engine_busy_ns(rig->gpu, "bcs0");
            int result = exec(rig, e, target, batch);
            bool video = e == VIDEO2; /* the only video engine */
            ROW(__LINE__, result == (exists || video ? 0 : -EINVAL), "%s, %u: %d",
                platforms[p].name, e, result);
            uint32_t value = peek(rig, target, e);
            ROW(__LINE__, value == (exists || video ? e + 1 : 0), "%s, %u: wrote %u",
                platforms[p].name, e, value);
            bool moved = tally_gpu_engine_busy_ns(rig->gpu, "bcs0") != before;
            ROW(__LINE__, moved == (e == COPY), "%s, %u: bcs0 %s busy", platforms[p].name, e,
                moved ? "was" : "was not");
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Returns the hardware's name of an engine. */
static const char *hardware_name(const struct rig *rig, unsigned engine)
{
    static const char *const names[] = {"rcs0", "bcs0", "vcs0", "vecs0"};
    return engine != VIDEO2                         ? names[engine]
           : rig->device->engines[CS_VCS1].hardware ? "vcs1"
                                                    : "vcs2";
}

/* Each engine is the one that was named, and several run at the same time. */
static void test_side_by_side(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(platforms); p++) {
        struct rig *rig = rig_new(platforms[p].name, NULL);
        uint32_t targets[COUNT(engines)];
        for (unsigned e = 0; e < platforms[p].engines; e++) {
            targets[e] = rig_create(rig, 4096);
            uint32_t handles[] = {targets[e], store_batch(rig, 0, 7, 20000u * (e + 1))};
            struct drm_i915_gem_exec_object2 objects[] = {
                {.handle = handles[0], .offset = ADDRESS(2 * e), .flags = EXEC_OBJECT_PINNED},
                {.handle = handles[1], .offset = ADDRESS(2 * e + 1), .flags = EXEC_OBJECT_PINNED}};
            struct drm_i915_gem_execbuffer2 call = {
                .buffers_ptr = rig_put(rig, objects, sizeof objects),
                .buffer_count = 2,
                .flags = engines[e].ring};
            /* The batch writes to ADDRESS(0), which is the first engine's. */
            if (e)
                rig_write(rig, handles[1], 0, (uint32_t[]){0, 0, 0, 0}, 16);
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), 0);
        }
        uint64_t before[COUNT(engines)];
        for (unsigned e = 0; e < platforms[p].engines; e++)
            before[e] = tally_gpu_engine_busy_ns(rig->gpu, hardware_name(rig, e));
        rig_run_ns(rig, 5000);
        for (unsigned e = 0; e < platforms[p].engines; e++) {
            uint64_t ns = tally_gpu_engine_busy_ns(rig->gpu, hardware_name(rig, e)) - before[e];
            ROW(__LINE__, ns > 4000, "%s, %s: busy for %lu ns", platforms[p].name,
                hardware_name(rig, e), (unsigned long)ns);
        }
        rig_run_ns(rig, 1000000);
        assert_true(rig_engines_done(rig->device));
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A slow batch on one engine and a quick one on another write the same dword. With implicit
 * synchronization the second one wins. */
static void test_order(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned first, second;
        uint64_t first_flags, second_flags; /* of the object */
        bool ordered;
    } rows[] = {
        {__LINE__, COPY, RENDER, EXEC_OBJECT_WRITE, EXEC_OBJECT_WRITE, true},
        {__LINE__, RENDER, COPY, EXEC_OBJECT_WRITE, EXEC_OBJECT_WRITE, true},
        {__LINE__, VIDEO, COPY, EXEC_OBJECT_WRITE, EXEC_OBJECT_WRITE, true},
        {__LINE__, COPY, VIDEO, EXEC_OBJECT_WRITE, 0, true}, /* write, then read */
        {__LINE__, COPY, VIDEO, 0, EXEC_OBJECT_WRITE, true}, /* read, then write */
        {__LINE__, COPY, VIDEO, 0, 0, false},                /* both read */
        {__LINE__, COPY, RENDER, EXEC_OBJECT_WRITE, EXEC_OBJECT_WRITE | EXEC_OBJECT_ASYNC, false},
        {__LINE__, COPY, COPY, EXEC_OBJECT_WRITE, EXEC_OBJECT_WRITE | EXEC_OBJECT_ASYNC, true},
    };
    for (size_t p = 0; p < COUNT(platforms); p++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct rig *rig = rig_new(platforms[p].name, NULL);
            uint32_t target = rig_create(rig, 4096), slow = store_batch(rig, 0, 1, 100000),
                     quick = store_batch(rig, 0, 2, 0);
            uint32_t first[] = {target, slow}, second[] = {target, slow, quick};
            assert_int_equal(
                rig_exec_on(rig, engines[rows[i].first].ring, 0, first, 2, rows[i].first_flags), 0);
            assert_int_equal(
                rig_exec_on(rig, engines[rows[i].second].ring, 0, second, 3, rows[i].second_flags),
                0);
            rig_run_ns(rig, 20000);
            uint32_t early = look(rig, target, 0);
            ROW(rows[i].line, early == (rows[i].ordered ? 0 : 2), "%s: early %u", platforms[p].name,
                early);
            rig_run_ns(rig, 1000000);
            uint32_t value = look(rig, target, 0);
            ROW(rows[i].line, value == (rows[i].ordered ? 2 : 1), "%s: last %u", platforms[p].name,
                value);
            assert_true(rig_engines_done(rig->device));
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* A batch waits for its input fence, the output fence of a batch of another engine. */
static void test_input_fences(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(platforms); p++) {
        for (unsigned fenced = 0; fenced < 2; fenced++) {
            struct rig *rig = rig_new(platforms[p].name, NULL);
            uint32_t target = rig_create(rig, 4096), slow = store_batch(rig, 0, 1, 100000),
                     quick = store_batch(rig, 0, 2, 0);
            uint32_t first[] = {target, slow}, second[] = {target, slow, quick};
            struct drm_i915_gem_exec_object2 objects[3] = {{0}};
            for (unsigned i = 0; i < 3; i++)
                objects[i] = (struct drm_i915_gem_exec_object2){
                    .handle = second[i], .offset = ADDRESS(i), .flags = EXEC_OBJECT_PINNED};
            struct drm_i915_gem_execbuffer2 call = {
                .buffers_ptr = rig_put(rig, objects, sizeof objects),
                .buffer_count = 3,
                .flags = I915_EXEC_RENDER | (fenced ? I915_EXEC_FENCE_IN : 0),
                .rsvd2 = 77};
            assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT | I915_EXEC_FENCE_OUT, 0, first, 2, 0),
                             0);
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), 0);
            rig_run_ns(rig, 20000);
            ROW(__LINE__, look(rig, target, 0) == (fenced ? 0 : 2), "%s: early %u",
                platforms[p].name, look(rig, target, 0));
            rig_run_ns(rig, 1000000);
            ROW(__LINE__, look(rig, target, 0) == (fenced ? 2 : 1), "%s: last %u",
                platforms[p].name, look(rig, target, 0));
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* A chain of increasing values through all engines, many times. */
static void test_chain(void **state)
{
    (void)state;
    enum { ROUNDS = 60 };
    for (size_t p = 0; p < COUNT(platforms); p++) {
        struct rig *rig = rig_new(platforms[p].name, NULL);
        struct random rng = random_start(p + 1);
        uint32_t target = rig_create(rig, 4096), contexts[] = {0, rig_context(rig)};
        for (unsigned i = 1; i <= ROUNDS; i++) {
            uint32_t clocks = (uint32_t)random_below(&rng, 3) * 3000;
            uint32_t handles[] = {target, store_batch(rig, 0, i, clocks)};
            unsigned engine = (unsigned)random_below(&rng, platforms[p].engines);
            /* Without PPGTT, contexts share addresses, and each batch waits for its own. */
            assert_int_equal(rig_exec_on(rig, engines[engine].ring, contexts[random_below(&rng, 2)],
                                         handles, 2, EXEC_OBJECT_WRITE),
                             0);
            struct drm_gem_close args = {.handle = handles[1]};
            assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &args, sizeof args), 0);
            if (random_below(&rng, 4) == 0)
                rig_run_ns(rig, random_below(&rng, 30000));
        }
        uint32_t value = peek(rig, target, 0);
        ROW(__LINE__, value == ROUNDS, "%s: %u", platforms[p].name, value);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- BUSY ------------------------------------------------------------------------------------ */

static void test_busy(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned engine;
        uint64_t flags;
        uint32_t expected;
    } rows[] = {
        {__LINE__, RENDER, 0, 0x10000},  {__LINE__, RENDER, EXEC_OBJECT_WRITE, 0x10001},
        {__LINE__, COPY, 0, 0x20000},    {__LINE__, COPY, EXEC_OBJECT_WRITE, 0x20002},
        {__LINE__, VIDEO, 0, 0x40000},   {__LINE__, VIDEO, EXEC_OBJECT_WRITE, 0x40003},
        {__LINE__, ENHANCE, 0, 0x80000}, {__LINE__, ENHANCE, EXEC_OBJECT_WRITE, 0x80004},
        {__LINE__, VIDEO2, 0, 0x40000},  {__LINE__, VIDEO2, EXEC_OBJECT_WRITE, 0x40003},
    };
    for (size_t p = 0; p < COUNT(platforms); p++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            if (rows[i].engine >= platforms[p].engines)
                continue;
            struct rig *rig = rig_new(platforms[p].name, NULL);
            uint32_t handles[] = {rig_create(rig, 4096), store_batch(rig, 0, 1, 20000)};
            assert_int_equal(
                rig_exec_on(rig, engines[rows[i].engine].ring, 0, handles, 2, rows[i].flags), 0);
            uint32_t during = busy(rig, handles[0]);
            ROW(rows[i].line, during == rows[i].expected, "%s: %x", platforms[p].name, during);
            struct drm_i915_gem_wait wait = {handles[0], 0, 1};
            int result = rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait);
            ROW(rows[i].line, result == -ETIME, "%s: WAIT gave %d", platforms[p].name, result);
            wait.timeout_ns = -1;
            result = rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait);
            ROW(rows[i].line, result == 0 && look(rig, handles[0], 0) == 1, "%s: WAIT gave %d",
                platforms[p].name, result);
            ROW(rows[i].line, busy(rig, handles[0]) == 0, "%s: busy afterwards", platforms[p].name);
            rig_free(rig);
        }
    }
    /* Readers of several classes. */
    struct rig *rig = rig_new("tgl", NULL);
    uint32_t object = rig_create(rig, 4096), handles[] = {object, store_batch(rig, 0, 1, 20000)};
    for (unsigned e = 0; e < 4; e++)
        assert_int_equal(rig_exec_on(rig, engines[e].ring, 0, handles, 2, 0), 0);
    ROW(__LINE__, busy(rig, object) == 0xf0000, "%x", busy(rig, object));
    rig_free(rig);
    ROWS_DONE();
}

/* ---- engine maps ----------------------------------------------------------------------------- */

struct balanced_map {
    uint64_t extensions;
    struct i915_engine_class_instance engines[3];
};

struct balance {
    struct i915_user_extension base;
    uint16_t index, siblings;
    uint32_t flags;
    uint64_t mbz;
    struct i915_engine_class_instance engines[2];
};

static int create_balanced(struct rig *rig, const struct balance *balance)
{
    struct balanced_map map = {rig_put(rig, balance, sizeof *balance), {{1, 0}, {0xffff, 0xffff}}};
    map.engines[2] = (struct i915_engine_class_instance){2, 0};
    struct drm_i915_gem_context_create_ext_setparam link = {
        {0, 0, 0, {0}},
        {0, sizeof map - 0, I915_CONTEXT_PARAM_ENGINES, rig_put(rig, &map, sizeof map)}};
    link.param.size = 8 + 3 * 4;
    struct drm_i915_gem_context_create_ext create = {0, 1, rig_put(rig, &link, sizeof link)};
    int result = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create, 16);
    return result < 0 ? result : (int)create.ctx_id;
}

/* Creates a context whose indexes 0 and 1 both have the render engine. */
static uint32_t create_double(struct rig *rig)
{
    const struct balanced_map map = {0, {{0, 0}, {0, 0}, {1, 0}}};
    struct drm_i915_gem_context_create_ext_setparam link = {
        {0, 0, 0, {0}}, {0, 8 + 3 * 4, I915_CONTEXT_PARAM_ENGINES, rig_put(rig, &map, sizeof map)}};
    struct drm_i915_gem_context_create_ext create = {0, 1, rig_put(rig, &link, sizeof link)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create, 16), 0);
    return create.ctx_id;
}

/* Indexes with the same engine have registers and an order of their own. */
static void test_same_engine(void **state)
{
    (void)state;
    enum { GPR = 0x2600, LOAD = 0x11000001, STORE = 0x12000002, END_OF_BATCH = 0x05000000 };
    static const char *const names[] = {"bdw", "skl", "icl", "tgl"};
    for (unsigned i = 0; i < COUNT(names); i++) {
        struct rig *rig = rig_new(names[i], NULL);
        uint32_t context = create_double(rig), end = END_OF_BATCH, found[2] = {0};
        uint32_t target = rig_create(rig, 4096), loop = rig_create(rig, 4096);
        const uint32_t load[] = {LOAD, GPR, 5, STORE, GPR, (uint32_t)ADDRESS(0), 0, END_OF_BATCH};
        const uint32_t store[] = {STORE, GPR, (uint32_t)ADDRESS(0) + 4, 0, END_OF_BATCH};
        const uint32_t spin[] = {0x02800000, 0x18800101, (uint32_t)ADDRESS(3), 0};
        uint32_t loads[] = {target, rig_create(rig, 4096)};
        uint32_t stores[] = {target, loads[1], rig_create(rig, 4096)};
        uint32_t loops[] = {target, loads[1], stores[2], loop};
        rig_write(rig, loads[1], 0, load, sizeof load);
        rig_write(rig, stores[2], 0, store, sizeof store);
        rig_write(rig, loop, 0, spin, sizeof spin);
        assert_int_equal(rig_exec_on(rig, 0, context, loads, 2, EXEC_OBJECT_WRITE), 0);
        rig_run_ns(rig, 1000000);
        assert_int_equal(rig_exec_on(rig, 0, context, loops, 4, EXEC_OBJECT_ASYNC), 0);
        rig_run_ns(rig, 1000000);
        assert_int_equal(rig_exec_on(rig, 1, context, stores, 3, EXEC_OBJECT_ASYNC), 0);
        found[1] = 77;
        memcpy(i915_file_object(rig->file, target)->bytes + 4, &found[1], 4);
        rig_run_ns(rig, 10000000); /* bdw has no preemption */
        memcpy(found, i915_file_object(rig->file, target)->bytes, sizeof found);
        bool preempts = strcmp(names[i], "bdw") != 0;
        ROW(i, found[0] == 5, "%s: %u in the first", names[i], found[0]);
        ROW(i, found[1] == (preempts ? 0 : 77), "%s: %u in the second", names[i], found[1]);
        memcpy(i915_file_object(rig->file, loop)->bytes, &end, sizeof end);
        rig_run_ns(rig, 1000000);
        rig_peek(rig, target, 4, &found[1], 4);
        ROW(i, !found[1], "%s: %u at the end", names[i], found[1]);
        rig_free(rig);
    }
    ROWS_DONE();
}

static void test_balance_checks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        struct balance balance;
        int expected;
    } rows[] = {
        {__LINE__, "icl", {{0}, 1, 2, 0, 0, {{2, 0}, {2, 1}}}, 0},
        {__LINE__, "icl", {{0}, 1, 1, 0, 0, {{2, 1}}}, 0},
        {__LINE__, "icl", {{0}, 1, 0, 0, 0, {{0, 0}}}, 0},
        {__LINE__, "hsw", {{0}, 1, 1, 0, 0, {{2, 0}}}, -ENODEV},
        {__LINE__, "icl", {{0}, 3, 1, 0, 0, {{2, 0}}}, -EINVAL},
        {__LINE__, "icl", {{0}, 0, 1, 0, 0, {{2, 0}}}, -EEXIST},
        {__LINE__, "icl", {{0}, 1, 1, 1, 0, {{2, 0}}}, -EINVAL},
        {__LINE__, "icl", {{0}, 1, 1, 0, 1, {{2, 0}}}, -EINVAL},
        {__LINE__, "icl", {{0}, 1, 2, 0, 0, {{2, 0}, {1, 0}}}, 0}, /* cannot be used */
        {__LINE__, "icl", {{0}, 1, 2, 0, 0, {{2, 0}, {2, 0}}}, 0}, /* cannot be used */
        {__LINE__, "icl", {{0}, 1, 2, 0, 0, {{2, 0}, {2, 2}}}, -EINVAL},
        {__LINE__, "icl", {{0}, 1, 1, 0, 0, {{0xffff, 0xffff}}}, -EINVAL},
        {__LINE__, "icl", {{.name = 1}, 1, 1, 0, 0, {{2, 0}}}, -EINVAL},
        {__LINE__, "icl", {{.name = 2}, 1, 1, 0, 0, {{2, 0}}}, -EINVAL},
        {__LINE__, "icl", {{.flags = 1}, 1, 1, 0, 0, {{2, 0}}}, -EINVAL},
        {__LINE__, "icl", {{.next_extension = FAULTY}, 1, 1, 0, 0, {{2, 0}}}, -EFAULT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        int result = create_balanced(rig, &rows[i].balance);
        ROW(rows[i].line, rows[i].expected ? result == rows[i].expected : result > 0, "gave %d",
            result);
        const struct balance *b = &rows[i].balance;
        bool wrong =
            b->siblings == 2 && (b->engines[0].engine_class != b->engines[1].engine_class ||
                                 !memcmp(&b->engines[0], &b->engines[1], 4));
        struct drm_i915_gem_context_param args = {.ctx_id = (uint32_t)result,
                                                  .param = I915_CONTEXT_PARAM_RECOVERABLE};
        int used =
            result < 0 ? 0 : rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args);
        ROW(rows[i].line, used == (result > 0 && wrong ? -EINVAL : 0), "and then %d", used);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A chain may have 512 links. */
static void test_chain_of_extensions(void **state)
{
    (void)state;
    static const struct {
        unsigned line, links;
        int expected;
    } rows[] = {{__LINE__, 512, 0}, {__LINE__, 513, -E2BIG}, {__LINE__, 600, -E2BIG}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        struct drm_i915_gem_context_create_ext_setparam link = {
            .param = {.param = I915_CONTEXT_PARAM_RECOVERABLE, .value = 1}};
        for (unsigned n = 0; n < rows[i].links; n++)
            link.base.next_extension = rig_put(rig, &link, sizeof link);
        struct drm_i915_gem_context_create_ext create = {0, 1, link.base.next_extension};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create, sizeof create);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Batches run at any address of four levels of page tables. */
static void test_high_addresses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t address;
    } rows[] = {{__LINE__, 0x7ffff000},  {__LINE__, 0x80000000},     {__LINE__, 0x100000000},
                {__LINE__, 0x1fffff000}, {__LINE__, 0x123480000000}, {__LINE__, 0x7fff80000000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        uint64_t flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
        struct drm_i915_gem_exec_object2 objects[] = {
            {.handle = rig_create(rig, 4096), .offset = ADDRESS(0), .flags = flags},
            {.handle = store_batch(rig, 1, 0x77, 0), .flags = flags}};
        /* Addresses are in canonical form. */
        objects[1].offset = (uint64_t)((int64_t)(rows[i].address << 16) >> 16);
        struct drm_i915_gem_execbuffer2 call = {
            .buffers_ptr = rig_put(rig, objects, sizeof objects), .buffer_count = 2};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call);
        rig_run_ns(rig, 100000);
        uint32_t value = peek(rig, objects[0].handle, 1);
        ROW(rows[i].line, result == 0 && value == 0x77, "gave %d, wrote %x", result, value);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Contexts that may use both video engines use both; one of them keeps its order. */
static void check_balance(const char *platform, enum cs_engine_id second)
{
    static const struct balance both = {{0}, 1, 2, 0, 0, {{2, 0}, {2, 1}}};
    struct rig *rig = rig_new(platform, NULL);
    const char *second_name = rig->device->engines[second].hardware->name;
    uint32_t contexts[] = {(uint32_t)create_balanced(rig, &both),
                           (uint32_t)create_balanced(rig, &both)};
    uint32_t slow[] = {rig_create(rig, 4096), store_batch(rig, 0, 5, 50000)};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rig_exec_on(rig, 1, contexts[i % 2], slow, 2, 0), 0);
    uint64_t before = tally_gpu_engine_busy_ns(rig->gpu, "vcs0") +
                      tally_gpu_engine_busy_ns(rig->gpu, second_name);
    rig_run_ns(rig, 10000);
    uint64_t after = tally_gpu_engine_busy_ns(rig->gpu, "vcs0") +
                     tally_gpu_engine_busy_ns(rig->gpu, second_name);
    assert_true(after - before > 15000);
    for (unsigned i = 0; i < 2; i++) {
        const struct i915_engine *engine = &rig->device->engines[i ? second : CS_VCS0];
        assert_non_null(engine->first->next);
        assert_ptr_equal(engine->first->state, engine->first->next->state);
    }
    rig_run_ns(rig, 1000000);
    /* Index 0 is the copy engine, index 2 the first video engine. */
    static const struct {
        unsigned line;
        uint64_t index;
        const char *engine; /* NULL: -EINVAL */
    } rows[] = {{__LINE__, 0, "bcs0"}, {__LINE__, 2, "vcs0"}, {__LINE__, 3, NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t handles[] = {rig_create(rig, 4096), store_batch(rig, 0, 5, 0)};
        const char *name = rows[i].engine ? rows[i].engine : "bcs0";
        uint64_t ns = tally_gpu_engine_busy_ns(rig->gpu, name);
        int result = rig_exec_on(rig, rows[i].index, contexts[0], handles, 2, EXEC_OBJECT_WRITE);
        rig_run_ns(rig, 100000);
        bool ran = tally_gpu_engine_busy_ns(rig->gpu, name) != ns;
        ROW(rows[i].line, result == (rows[i].engine ? 0 : -EINVAL) && ran == !result, "gave %d",
            result);
    }
    rig_free(rig);
}

static void test_balance(void **state)
{
    (void)state;
    check_balance("tgl", CS_VCS2);
    check_balance("skl/gt3", CS_VCS1);
    ROWS_DONE();
}

/* A file that names no video engine keeps to one; the next file uses the other. */
static void test_default_video(void **state)
{
    (void)state;
    struct rig *rig = rig_new("icl", NULL);
    struct i915_file *files[2] = {rig->file};
    const struct i915_engine *used[2];
    assert_int_equal(i915_file_open(rig->device, true, &files[1]), 0);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned round = 0; round < 3; round++) {
            struct i915_state *found;
            assert_int_equal(i915_context_find_ring(files[i]->context, I915_EXEC_BSD, &found), 0);
            assert_true(round == 0 || found->engine == used[i]);
            used[i] = found->engine;
        }
    assert_ptr_not_equal(used[0], used[1]);
    rig_free(rig);
}

/* Without VDBOX0 clients' vcs0 is VDBOX2; an engine that fuses disable gets no request. Neither the
 * start nor a wake of everything waits for the domains of those engines. */
static void test_fuses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t vdbox_disable, vebox_disable;
        uint64_t ring;
        const char *engine; /* NULL: -EINVAL */
    } rows[] = {
        {__LINE__, 1, 0, I915_EXEC_BSD, "vcs2"},
        {__LINE__, 1, 0, I915_EXEC_BSD | I915_EXEC_BSD_RING1, "vcs2"},
        {__LINE__, 4, 0, I915_EXEC_BSD | I915_EXEC_BSD_RING1, "vcs0"},
        {__LINE__, 4, 0, I915_EXEC_VEBOX, "vecs0"},
        {__LINE__, 5, 0, I915_EXEC_BSD, NULL},
        {__LINE__, 5, 1, I915_EXEC_VEBOX, NULL},
        {__LINE__, 5, 1, I915_EXEC_BLT, "bcs0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig =
            rig_new_gpu(&(struct tally_gpu_config){.platform = "tgl",
                                                   .vdbox_disable = rows[i].vdbox_disable,
                                                   .vebox_disable = rows[i].vebox_disable},
                        NULL);
        uint64_t start = tally_gpu_now_ns(rig->gpu);
        ROW(rows[i].line, start == 0, "the driver waited for %" PRIu64 " ns", start);
        i915_wake_get(rig->device);
        i915_wake_put(rig->device);
        ROW(rows[i].line, tally_gpu_now_ns(rig->gpu) == start, "waits for a domain");
        uint32_t handles[] = {rig_create(rig, 4096), store_batch(rig, 0, 5, 0)};
        uint64_t before = rows[i].engine ? tally_gpu_engine_busy_ns(rig->gpu, rows[i].engine) : 0;
        int result = rig_exec_on(rig, rows[i].ring, 0, handles, 2, EXEC_OBJECT_WRITE);
        ROW(rows[i].line, result == (rows[i].engine ? 0 : -EINVAL), "gave %d", result);
        rig_run_ns(rig, 100000);
        if (rows[i].engine)
            ROW(rows[i].line,
                tally_gpu_engine_busy_ns(rig->gpu, rows[i].engine) > before &&
                    peek(rig, handles[0], 0) == 5,
                "%s did not run it", rows[i].engine);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- hangs ----------------------------------------------------------------------------------- */

/* A hang of one engine is its own: others run on, and keep their queues. */
static void test_hangs(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(platforms); p++) {
        for (unsigned e = 0; e < platforms[p].engines; e++) {
            struct i915_settings settings = {.hang_ns = 1000000};
            struct rig *rig = rig_new(platforms[p].name, &settings);
            unsigned other = (e + 1) % platforms[p].engines;
            uint32_t nonsense = 0x0f800000, bad = rig_create(rig, 4096);
            uint32_t guilty = rig_context(rig), target = rig_create(rig, 4096);
            rig_write(rig, bad, 0, &nonsense, 4);
            /* All at the same addresses, so that no batch waits for another's address. */
            uint32_t dummy = rig_create(rig, 4096);
            assert_int_equal(rig_exec_on(rig, engines[e].ring, guilty,
                                         (uint32_t[]){dummy, rig_create(rig, 4096), bad}, 3, 0),
                             0);
            if (rig->platform->version >= 80) {
                uint32_t batch = store_batch(rig, 0, 1, 0);
                assert_int_equal(exec(rig, other, target, batch), 0);
                rig_run_ns(rig, 100000);
                ROW(__LINE__, look(rig, target, 0) == 1, "%s, %u: others wait", platforms[p].name,
                    e);
            }
            rig_run_ns(rig, 1100000);
            rig->hangs = 1;
            ROW(__LINE__, rig->device->engines[CS_RCS0].resets == (e == RENDER), "%s, %u: resets",
                platforms[p].name, e);
            struct drm_i915_reset_stats stats = {guilty, 0, 0, 0, 0, 0};
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GET_RESET_STATS, &stats, sizeof stats),
                             0);
            ROW(__LINE__, stats.reset_count == 0 && stats.batch_active == 1, "%s, %u: %u, %u",
                platforms[p].name, e, stats.reset_count, stats.batch_active);
            stats = (struct drm_i915_reset_stats){0};
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GET_RESET_STATS, &stats, sizeof stats),
                             0);
            ROW(__LINE__, stats.batch_active == 0 && stats.batch_pending == 0, "%s, %u: %u, %u",
                platforms[p].name, e, stats.batch_active, stats.batch_pending);
            /* Both engines work afterwards. */
            for (unsigned i = 0; i < 2; i++) {
                uint32_t batch = store_batch(rig, 2 + i, 3, 0);
                assert_int_equal(exec(rig, i ? other : e, target, batch), 0);
                ROW(__LINE__, peek(rig, target, 2 + i) == 3, "%s, %u: %u", platforms[p].name, e, i);
            }
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* A request that waits for a hung one runs after the reset. Its own time has not run out. */
static void test_hang_before(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(platforms); p++) {
        struct i915_settings settings = {.hang_ns = 1000000};
        struct rig *rig = rig_new(platforms[p].name, &settings);
        uint32_t nonsense = 0x0f800000, bad = rig_create(rig, 4096);
        uint32_t target = rig_create(rig, 4096), batch = store_batch(rig, 0, 1, 0);
        rig_write(rig, bad, 0, &nonsense, 4);
        uint32_t first[] = {target, bad}, second[] = {target, bad, batch};
        assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, 0, first, 2, EXEC_OBJECT_WRITE), 0);
        assert_int_equal(rig_exec_on(rig, I915_EXEC_RENDER, 0, second, 3, EXEC_OBJECT_WRITE), 0);
        rig_run_ns(rig, 900000);
        ROW(__LINE__, look(rig, target, 0) == 0, "%s: too early", platforms[p].name);
        rig_run_ns(rig, 300000);
        ROW(__LINE__, look(rig, target, 0) == 1, "%s: did not run", platforms[p].name);
        rig->hangs = 1;
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- registers and times --------------------------------------------------------------------- */

/* The status page is in the register that the engine has for it (public i915 driver). */
static void test_status_pages(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        enum cs_engine_id engine;
        uint32_t address;
    } rows[] = {
        {__LINE__, "snb", CS_RCS0, 0x4080},   {__LINE__, "snb", CS_BCS0, 0x24080},
        {__LINE__, "snb", CS_VCS0, 0x14080},  {__LINE__, "ivb", CS_RCS0, 0x4080},
        {__LINE__, "ivb", CS_BCS0, 0x4280},   {__LINE__, "ivb", CS_VCS0, 0x4180},
        {__LINE__, "hsw", CS_VECS0, 0x4380},  {__LINE__, "bdw", CS_RCS0, 0x2080},
        {__LINE__, "skl", CS_BCS0, 0x22080},  {__LINE__, "skl", CS_VCS0, 0x12080},
        {__LINE__, "skl", CS_VECS0, 0x1a080}, {__LINE__, "icl", CS_VCS0, 0x1c0080},
        {__LINE__, "tgl", CS_RCS0, 0x2080},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct i915_engine *engine = &rig->device->engines[rows[i].engine];
        i915_wake_get_engine(engine);
        uint32_t expected = engine->status_address;
        uint32_t value = tally_gpu_read32(rig->gpu, rows[i].address);
        i915_wake_put_engine(engine);
        ROW(rows[i].line, expected && value == expected, "%s, %xh: %xh, not %xh", rows[i].platform,
            (unsigned)rows[i].address, (unsigned)value, (unsigned)expected);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* The device looks again after 20 us while a request waits for another engine's. */
static void test_next_look(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t target = rig_create(rig, 4096), slow = store_batch(rig, 0, 1, 100000),
             quick = store_batch(rig, 0, 2, 0);
    assert_int_equal(exec(rig, COPY, target, slow), 0);
    assert_int_equal(rig_exec_on(rig, engines[RENDER].ring, 0, (uint32_t[]){target, slow, quick}, 3,
                                 EXEC_OBJECT_WRITE),
                     0);
    uint64_t wait = i915_device_next_ns(rig->device) - tally_gpu_now_ns(rig->gpu);
    ROW(__LINE__, wait == 20000, "looks again after %u ns", (unsigned)wait);
    rig_run_ns(rig, 1000000);
    ROW(__LINE__, i915_device_next_ns(rig->device) == UINT64_MAX, "looks without requests");
    rig_free(rig);
    ROWS_DONE();
}

/* A new context gets another address space at once, whatever the engines do. */
static void test_address_space(void **state)
{
    (void)state;
    for (unsigned e = RENDER; e <= ENHANCE; e++) {
        struct rig *rig = rig_new("skl", NULL);
        struct drm_i915_gem_vm_control vm = {0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_CREATE, &vm, sizeof vm), 0);
        struct drm_i915_gem_context_param args = {rig_context(rig), 0, I915_CONTEXT_PARAM_VM,
                                                  vm.vm_id};
        uint32_t target = rig_create(rig, 4096);
        assert_int_equal(exec(rig, e, target, store_batch(rig, 0, 1, 100000)), 0);
        assert_false(rig_engines_done(rig->device));
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &args, sizeof args), 0);
        ROW(__LINE__, !rig_engines_done(rig->device), "engine %u", e);
        rig_run_ns(rig, 2000000);
        assert_int_equal(look(rig, target, 0), 1);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Batches of clients have the general purpose registers of their engine from Gen9 on. */
static void test_general_registers(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned engine;
        uint32_t base, result;
    } rows[] = {
        {__LINE__, "bdw", RENDER, 0x2000, 0x1234},  {__LINE__, "bdw", COPY, 0x22000, 0},
        {__LINE__, "skl", RENDER, 0x2000, 0x1234},  {__LINE__, "skl", COPY, 0x22000, 0x1234},
        {__LINE__, "skl", VIDEO, 0x12000, 0x1234},  {__LINE__, "skl", ENHANCE, 0x1a000, 0x1234},
        {__LINE__, "skl", VIDEO, 0x22000, 0},       {__LINE__, "icl", COPY, 0x22000, 0x1234},
        {__LINE__, "tgl", VIDEO, 0x1c0000, 0x1234},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t gpr = rows[i].base + 0x67c;
        uint32_t dwords[] = {0x11000001,           gpr, 0x1234, 0x12000002, gpr,
                             (uint32_t)ADDRESS(0), 0,   END};
        uint32_t handles[] = {rig_create(rig, 4096), rig_create(rig, 4096)};
        rig_write(rig, handles[1], 0, dwords, sizeof dwords);
        assert_int_equal(
            rig_exec_on(rig, engines[rows[i].engine].ring, 0, handles, 2, EXEC_OBJECT_WRITE), 0);
        uint32_t value = peek(rig, handles[0], 0);
        ROW(rows[i].line, value == rows[i].result, "0x%x", value);
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_engines_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_input_fences),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_same_engine),
        cmocka_unit_test(test_balance_checks),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_default_video),
        cmocka_unit_test(test_hangs),
        cmocka_unit_test(test_hang_before),
        cmocka_unit_test(test_status_pages),
        cmocka_unit_test(test_next_look),
        cmocka_unit_test(test_address_space),
        cmocka_unit_test(test_fuses),
        cmocka_unit_test(test_chain_of_extensions),
        cmocka_unit_test(test_high_addresses),
        cmocka_unit_test(test_general_registers),
    };
    return cmocka_run_group_tests_name("engines", tests, NULL, NULL);
}
