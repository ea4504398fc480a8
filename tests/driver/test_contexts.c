/* SPDX-License-Identifier: MIT */
/* Contexts and address spaces: creation, parameters, destruction; and context images. */
#include "driver/i915/perf.h"
#include "driver/rig.h"
#include "driver/tests.h"

static void test_create_and_destroy(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct drm_i915_gem_context_create_ext create = {.flags = 4};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create, 16),
                         -EINVAL);
        assert_int_equal(rig_context(rig), 1);
        assert_int_equal(rig_context(rig), 2);
        struct drm_i915_gem_context_destroy destroy = {1, 1};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, 8), -EINVAL);
        destroy.pad = 0;
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, 8), 0);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, 8), -ENOENT);
        destroy.ctx_id = 0; /* the default context cannot be destroyed */
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, 8), -ENOENT);
        rig_free(rig);
    }
}

static void test_create_with_parameters(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t name, flags, id;
        uint64_t param, value;
        int where; /* 1: valid, 2: faults, 3: a cycle, 4: ignored */
        int expected;
    } rows[] = {
        {__LINE__, 0, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 100, 1, 0},
        {__LINE__, 0, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 2000, 1, -EINVAL},
        {__LINE__, 0, 0, 1, I915_CONTEXT_PARAM_PRIORITY, 100, 1, -EINVAL},
        {__LINE__, 1, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 100, 1, -EINVAL},
        {__LINE__, 0, 1, 0, I915_CONTEXT_PARAM_PRIORITY, 100, 1, -EINVAL},
        {__LINE__, 0, 0, 0, 99, 0, 1, -EINVAL},
        {__LINE__, 0, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 100, 2, -EFAULT},
        {__LINE__, 0, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 100, 3, -E2BIG},
        {__LINE__, 0, 0, 0, 99, 0, 4, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        struct drm_i915_gem_context_create_ext_setparam link = {
            {0, rows[i].name, rows[i].flags, {0}}, {rows[i].id, 0, rows[i].param, rows[i].value}};
        uint64_t at = rig_put(rig, &link, sizeof link);
        if (rows[i].where == 3)
            memcpy(rig_at(rig, at), &at, 8);
        struct drm_i915_gem_context_create_ext create = {0, rows[i].where != 4,
                                                         rows[i].where == 2 ? FAULTY : at};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create, 16);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        struct drm_i915_gem_context_param args = {1, 0, I915_CONTEXT_PARAM_PRIORITY, 0};
        int found = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args);
        ROW(rows[i].line, found == (result ? -ENOENT : 0), "and then %d", found);
        ROW(rows[i].line, result || args.value == (rows[i].where == 1 ? 100 : 0), "priority %ld",
            (long)args.value);
        rig_free(rig);
    }
    ROWS_DONE();
}

static void test_parameters(void **state)
{
    (void)state;
    enum { GET, SET };
    static const struct {
        unsigned line;
        const char *platform;
        int how;
        bool plain;
        uint32_t id, size;
        uint64_t param, value;
        int expected;
        uint64_t answer;
    } rows[] = {
        {__LINE__, "skl", GET, true, 0, 8, I915_CONTEXT_PARAM_GTT_SIZE, 0, 0, UINT64_C(1) << 48},
        {__LINE__, "hsw", GET, true, 0, 8, I915_CONTEXT_PARAM_GTT_SIZE, 0, 0, UINT64_C(1) << 31},
        {__LINE__, "skl", GET, true, 9, 0, I915_CONTEXT_PARAM_GTT_SIZE, 0, -ENOENT, 0},
        {__LINE__, "skl", GET, true, 0, 0, I915_CONTEXT_PARAM_BANNABLE, 0, 0, 1},
        {__LINE__, "skl", GET, true, 0, 0, I915_CONTEXT_PARAM_RECOVERABLE, 0, 0, 1},
        {__LINE__, "skl", GET, true, 0, 0, I915_CONTEXT_PARAM_PERSISTENCE, 0, 0, 1},
        {__LINE__, "skl", GET, true, 0, 0, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE, 5, 0, 0},
        {__LINE__, "skl", GET, true, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 5, 0, 0},
        {__LINE__, "skl", GET, true, 0, 0, I915_CONTEXT_PARAM_VM, 0, 0, 1},
        {__LINE__, "hsw", GET, true, 0, 0, I915_CONTEXT_PARAM_VM, 7, -ENODEV, 7},
        {__LINE__, "skl", GET, true, 0, 0, I915_CONTEXT_PARAM_ENGINES, 7, -EINVAL, 7},
        {__LINE__, "skl", GET, true, 0, 0, 99, 7, -EINVAL, 7},
        {__LINE__, "skl", SET, true, 0, 0, 99, 0, -EINVAL, 0},
        {__LINE__, "skl", SET, true, 9, 0, 99, 0, -ENOENT, 0},
        {__LINE__, "skl", SET, true, 0, 0, I915_CONTEXT_PARAM_RECOVERABLE, 0, 0, 0},
        {__LINE__, "skl", SET, true, 0, 4, I915_CONTEXT_PARAM_RECOVERABLE, 0, -EINVAL, 1},
        {__LINE__, "skl", SET, true, 0, 0, I915_CONTEXT_PARAM_PERSISTENCE, 0, 0, 0},
        {__LINE__, "skl", SET, true, 0, 0, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE, 1, 0, 1},
        {__LINE__, "skl", SET, true, 0, 0, I915_CONTEXT_PARAM_BANNABLE, 0, -EPERM, 1},
        {__LINE__, "skl", SET, false, 0, 0, I915_CONTEXT_PARAM_BANNABLE, 0, 0, 0},
        {__LINE__, "skl", SET, true, 0, 0, I915_CONTEXT_PARAM_PRIORITY, UINT64_MAX, 0, UINT64_MAX},
        {__LINE__, "skl", SET, true, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 1, -EPERM, 0},
        {__LINE__, "skl", SET, false, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 1023, 0, 1023},
        {__LINE__, "skl", SET, false, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 1024, -EINVAL, 0},
        {__LINE__, "skl", SET, false, 0, 0, I915_CONTEXT_PARAM_PRIORITY, (uint64_t)-1024, -EINVAL,
         0},
        {__LINE__, "hsw", SET, false, 0, 0, I915_CONTEXT_PARAM_PRIORITY, 0, -ENODEV, 0},
        {__LINE__, "skl", SET, false, 0, 8, I915_CONTEXT_PARAM_PRIORITY, 0, -EINVAL, 0},
        {__LINE__, "skl", SET, false, 0, 0, I915_CONTEXT_PARAM_VM, 9, -EINVAL, 1},
        {__LINE__, "hsw", SET, false, 0, 0, I915_CONTEXT_PARAM_VM, 9, -EINVAL, 0},
        {__LINE__, "bdw", SET, true, 0, 0, I915_CONTEXT_PARAM_PERSISTENCE, 0, -ENODEV, 1},
        {__LINE__, "hsw", SET, true, 0, 0, I915_CONTEXT_PARAM_PERSISTENCE, 0, -ENODEV, 1},
        {__LINE__, "hsw", SET, true, 0, 0, I915_CONTEXT_PARAM_PERSISTENCE, 1, 0, 1},
        {__LINE__, "skl", GET, true, 0, 8, I915_CONTEXT_PARAM_PROTECTED_CONTENT, 7, 0, 0},
        {__LINE__, "skl", SET, true, 0, 0, I915_CONTEXT_PARAM_PROTECTED_CONTENT, 0, -EINVAL, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        rig->caller.drm.privileged = !rows[i].plain;
        struct drm_i915_gem_context_param args = {rows[i].id, rows[i].size, rows[i].param,
                                                  rows[i].value};
        int result = rig_call(rig,
                              rows[i].how == SET ? DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM
                                                 : DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM,
                              &args, sizeof args);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        if (rows[i].how == SET && rows[i].param != 99 &&
            !(rows[i].param == I915_CONTEXT_PARAM_VM)) {
            args = (struct drm_i915_gem_context_param){rows[i].id, 0, rows[i].param, 77};
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args),
                             0);
        }
        bool tells =
            rows[i].how == GET || (rows[i].param != 99 && rows[i].param != I915_CONTEXT_PARAM_VM);
        ROW(rows[i].line, !tells || args.value == rows[i].answer, "it is %lx",
            (unsigned long)args.value);
        ROW(rows[i].line, rows[i].how == SET || result < 0 || args.size == 0, "size %u", args.size);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- power ----------------------------------------------------------------------------------- */

static void test_get_sseu(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint64_t slices, subslices;
        uint16_t eus;
    } rows[] = {
        {__LINE__, "hsw", 1, 3, 10}, {__LINE__, "bdw", 1, 7, 8},    {__LINE__, "chv", 1, 3, 8},
        {__LINE__, "skl", 1, 7, 8},  {__LINE__, "icl", 1, 0xff, 8},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct drm_i915_gem_context_param_sseu sseu = {{0, 0}, 0, 0, 0, 0, 0, 0};
        uint64_t at = rig_put(rig, &sseu, sizeof sseu);
        struct drm_i915_gem_context_param args = {0, 0, I915_CONTEXT_PARAM_SSEU, 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args), 0);
        ROW(rows[i].line, args.size == 32, "size %u", args.size);
        args.size = 31;
        ROW(rows[i].line,
            rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args) == -EINVAL,
            "a small one");
        args.size = 32;
        ROW(rows[i].line,
            rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args) == -EFAULT,
            "without a place");
        args.value = at;
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args), 0);
        memcpy(&sseu, rig_at(rig, at), sizeof sseu);
        ROW(rows[i].line,
            sseu.slice_mask == rows[i].slices && sseu.subslice_mask == rows[i].subslices &&
                sseu.min_eus_per_subslice == rows[i].eus &&
                sseu.max_eus_per_subslice == rows[i].eus,
            "%lx %lx %u", (unsigned long)sseu.slice_mask, (unsigned long)sseu.subslice_mask,
            sseu.max_eus_per_subslice);
        sseu.engine.engine_class = 5;
        memcpy(rig_at(rig, at), &sseu, sizeof sseu);
        ROW(rows[i].line,
            rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args) == -EINVAL,
            "another engine");
        /* Clients may change it on Gen11 only. */
        bool gen11 = !strcmp(rows[i].platform, "icl");
        sseu.engine.engine_class = 0;
        sseu.subslice_mask = gen11 ? 0x0f : 1;
        memcpy(rig_at(rig, at), &sseu, sizeof sseu);
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &args, sizeof args);
        ROW(rows[i].line, result == (gen11 ? 0 : -ENODEV), "setting it gave %d", result);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args), 0);
        memcpy(&sseu, rig_at(rig, at), sizeof sseu);
        ROW(rows[i].line, sseu.subslice_mask == (gen11 ? 0x0f : rows[i].subslices), "it is %lx",
            (unsigned long)sseu.subslice_mask);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- engines --------------------------------------------------------------------------------- */

#define RENDER_ENGINE                                                                              \
    {                                                                                              \
        0, 0                                                                                       \
    }
#define COPY_ENGINE                                                                                \
    {                                                                                              \
        1, 0                                                                                       \
    }
#define NO_ENGINE                                                                                  \
    {                                                                                              \
        UINT16_MAX, UINT16_MAX                                                                     \
    }

struct map {
    uint64_t extensions;
    struct i915_engine_class_instance engines[66];
};

static int create_with_map(struct rig *rig, const struct map *map, uint32_t size, uint64_t next)
{
    uint64_t value = map ? rig_put(rig, map, sizeof *map) : FAULTY;
    struct drm_i915_gem_context_create_ext_setparam link = {
        {next, 0, 0, {0}}, {0, size, I915_CONTEXT_PARAM_ENGINES, value}};
    struct drm_i915_gem_context_create_ext create = {0, 1, rig_put(rig, &link, sizeof link)};
    int result = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create, 16);
    return result < 0 ? result : (int)create.ctx_id;
}

static void test_engine_maps(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct map map;
        uint32_t size;
        int expected; /* 0: succeeds */
    } rows[] = {
        {__LINE__, {0, {RENDER_ENGINE}}, 12, 0},
        {__LINE__, {0, {RENDER_ENGINE, RENDER_ENGINE}}, 16, 0},
        {__LINE__, {0, {NO_ENGINE, RENDER_ENGINE}}, 16, 0},
        {__LINE__, {0, {RENDER_ENGINE}}, 8, 0}, /* an empty map */
        {__LINE__, {0, {RENDER_ENGINE}}, 8 + 4 * 64, 0},
        {__LINE__, {0, {RENDER_ENGINE}}, 8 + 4 * 65, -EINVAL},
        {__LINE__, {0, {RENDER_ENGINE}}, 0, -EINVAL},
        {__LINE__, {0, {RENDER_ENGINE}}, 4, -EINVAL},
        {__LINE__, {0, {RENDER_ENGINE}}, 11, -EINVAL},
        {__LINE__, {0, {COPY_ENGINE}}, 12, 0},
        {__LINE__, {0, {COPY_ENGINE, {5, 0}}}, 16, -ENOENT},
        {__LINE__, {0, {RENDER_ENGINE, {0, 1}}}, 16, -ENOENT},
        {__LINE__, {FAULTY, {RENDER_ENGINE}}, 12, -EFAULT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(i % 2 ? "hsw" : "tgl", NULL);
        int result = create_with_map(rig, &rows[i].map, rows[i].size, 0);
        ROW(rows[i].line, rows[i].expected ? result == rows[i].expected : result > 0, "gave %d",
            result);
        rig_free(rig);
    }
    struct rig *rig = rig_new("skl", NULL);
    assert_int_equal(create_with_map(rig, NULL, 12, 0), -EFAULT);
    /* A map can be set once. */
    struct drm_i915_gem_context_create_ext_setparam second = {
        {0}, {0, 12, I915_CONTEXT_PARAM_ENGINES, 0}};
    second.param.value = rig_put(rig, &rows[0].map, sizeof rows[0].map);
    assert_int_equal(create_with_map(rig, &rows[0].map, 12, rig_put(rig, &second, sizeof second)),
                     -EINVAL);
    /* A map can also be set after creation, but only once, before the first use, and not for the
     * default context. */
    struct drm_i915_gem_context_param read = {rig_context(rig), 0, I915_CONTEXT_PARAM_PRIORITY, 0};
    second.param.ctx_id = rig_context(rig);
    assert_int_equal(
        rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &second.param, sizeof second.param), 0);
    assert_int_equal(
        rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &second.param, sizeof second.param),
        -EINVAL);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &read, sizeof read), 0);
    second.param.ctx_id = read.ctx_id;
    assert_int_equal(
        rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &second.param, sizeof second.param),
        -EINVAL);
    second.param.ctx_id = 0;
    assert_int_equal(
        rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &second.param, sizeof second.param),
        -EINVAL);
    rig_free(rig);
    ROWS_DONE();
}

/* Batches, power and streams use the map's indices. */
static void test_engines_by_index(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    static const struct map second = {0, {NO_ENGINE, RENDER_ENGINE}}, nothing = {0, {NO_ENGINE}};
    uint32_t context = (uint32_t)create_with_map(rig, &second, 16, 0), end = 0x05000000;
    uint32_t empty = (uint32_t)create_with_map(rig, &nothing, 12, 0);
    struct drm_i915_gem_exec_object2 object = {.handle = rig_create(rig, 4096)};
    rig_write(rig, object.handle, 0, &end, sizeof end);
    static const struct {
        unsigned line;
        uint64_t flags;
        int expected;
    } rows[] = {
        {__LINE__, 0, -EINVAL}, {__LINE__, 1, 0}, {__LINE__, 2, -EINVAL}, {__LINE__, 63, -EINVAL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct drm_i915_gem_execbuffer2 call = {.buffers_ptr = rig_put(rig, &object, sizeof object),
                                                .buffer_count = 1,
                                                .flags = rows[i].flags,
                                                .rsvd1 = context};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
    }
    static const struct {
        unsigned line;
        uint32_t flags;
        struct i915_engine_class_instance engine;
        int expected;
    } powers[] = {{__LINE__, 1, {0, 1}, 0},
                  {__LINE__, 1, {0, 0}, -EINVAL},
                  {__LINE__, 1, {0, 64}, -EINVAL},
                  {__LINE__, 0, {0, 0}, -EINVAL},
                  {__LINE__, 3, {0, 1}, -EINVAL}};
    for (size_t i = 0; i < COUNT(powers); i++) {
        struct drm_i915_gem_context_param_sseu sseu = {.engine = powers[i].engine,
                                                       .flags = powers[i].flags};
        struct drm_i915_gem_context_param args = {context, sizeof sseu, I915_CONTEXT_PARAM_SSEU,
                                                  rig_put(rig, &sseu, sizeof sseu)};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args, sizeof args);
        ROW(powers[i].line, result == powers[i].expected, "gave %d", result);
    }
    struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, empty};
    assert_int_equal(rig_open_usual(rig, 0, 8, &filter, 1), -ENODEV); /* PERF-2.1, 21 */
    filter.value = context;
    assert_true(rig_open_usual(rig, 0, 8, &filter, 1) >= 0);
    rig_free(rig);
    ROWS_DONE();
}

/* R_PWR_CLK_STATE as the public i915 driver computes it (GEN8_RPCS_ENABLE, ...): on Gen9 and Gen11
 * enable bits, counts of slices and subslices, and the EUs of a subslice; else 0. */
static void test_power_state(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        struct i915_sseu sseu;
        uint32_t expected;
    } rows[] = {
        {__LINE__, "hsw", {1, 3, 10, 10}, 0},
        {__LINE__, "bdw", {1, 7, 8, 8}, 0},
        {__LINE__, "chv", {1, 3, 8, 8}, 0},
        {__LINE__, "skl", {1, 7, 8, 8}, 0x80000000 | 1 << 18 | 1 << 15 | 1 << 11 | 3 << 8 | 0x88},
        {__LINE__, "skl", {1, 5, 2, 6}, 0x80000000 | 1 << 18 | 1 << 15 | 1 << 11 | 2 << 8 | 0x62},
        {__LINE__, "skl", {7, 1, 1, 8}, 0x80000000 | 1 << 18 | 3 << 15 | 1 << 11 | 1 << 8 | 0x81},
        {__LINE__, "icl", {1, 15, 8, 8}, 0x80000000 | 1 << 18 | 1 << 12 | 1 << 11 | 4 << 8 | 0x88},
        {__LINE__, "lkf", {3, 1, 4, 8}, 0x80000000 | 1 << 18 | 2 << 12 | 1 << 11 | 1 << 8 | 0x84},
        {__LINE__, "tgl", {1, 63, 8, 8}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t value = i915_sseu_register(rig->device, &rows[i].sseu);
        ROW(rows[i].line, value == rows[i].expected, "%s: %08x, expected %08x", rows[i].platform,
            value, rows[i].expected);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Context images during and after a stream: OACTXCONTROL, the flexible registers, and the power
 * configuration if the stream sets one (PERF-6.2, PERF-6.4). */
static void test_images(void **state)
{
    (void)state;
    for (size_t p = 1; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        if (rig->platform->version >= 120) { /* contexts are not involved */
            rig_free(rig);
            continue;
        }
        uint32_t flex[] = {0xe458, 0x5004, 0xe65c, 0x1234}, end = 0x05000000;
        struct drm_i915_perf_oa_config config = {.n_flex_regs = 2,
                                                 .flex_regs_ptr = rig_put(rig, flex, 16)};
        memcpy(config.uuid, "01234567-89ab-cdef-0123-456789abcdef", UUID_STRING_LEN);
        int set = rig_call(rig, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config, sizeof config);
        uint32_t batch = rig_create(rig, 4096), ids[2];
        rig_write(rig, batch, 0, &end, 4);
        ids[0] = rig_context(rig);
        assert_int_equal(rig_exec(rig, ids[0], &batch, 1), 0);
        bool gen11 = p >= 4;
        struct drm_i915_gem_context_param_sseu sseu = {{0, 0}, 0, 1, gen11 ? 0xf : 1, 8, 8, 0};
        struct property properties[] = {
            {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
            {DRM_I915_PERF_PROP_OA_METRICS_SET, (uint64_t)set},
            {DRM_I915_PERF_PROP_OA_FORMAT, 10},
            {DRM_I915_PERF_PROP_OA_EXPONENT, 13},
            {DRM_I915_PERF_PROP_GLOBAL_SSEU, rig_put(rig, &sseu, sizeof sseu)},
        };
        int fd = rig_open(rig, 0, properties, COUNT(properties));
        assert_true(fd >= 0);
        /* The hardware loads them with the context. */
        tally_oa_write32(tally_gpu_oa(rig->gpu), 0xe458, 0);
        tally_oa_write32(tally_gpu_oa(rig->gpu), 0x2360, 1);
        ids[1] = rig_context(rig);
        assert_int_equal(rig_exec(rig, ids[1], &batch, 1), 0);
        rig_run_ns(rig, 1000000);
        assert_int_equal(tally_oa_read32(tally_gpu_oa(rig->gpu), 0xe458), 0x5004);
        assert_int_equal(tally_oa_read32(tally_gpu_oa(rig->gpu), 0x2360), 13 << 2 | 2 | 1);
        for (unsigned i = 0; i < 2; i++) {
            struct i915_state *c = render_state(i915_context_peek(rig->file, ids[i]));
            assert_int_equal(i915_image_get(c, IMAGE_OACTXCONTROL), 13 << 2 | 2 | 1);
            assert_int_equal(i915_image_get(c, IMAGE_FLEX), 0x5004);
            uint32_t last;
            memcpy(&last,
                   c->image->bytes + (i915_image_address(c, IMAGE_FLEX) - c->image_address) + 48,
                   4);
            assert_int_equal(last, 0x1234);
        }
        struct i915_state *first = render_state(i915_context_peek(rig->file, ids[0]));
        uint32_t power = i915_image_get(first, IMAGE_POWER_STATE);
        assert_int_equal(
            power, i915_sseu_register(rig->device, &(struct i915_sseu){1, gen11 ? 0xf : 1, 8, 8}));
        rig_close(rig, fd);
        rig_run_ns(rig, 1000000);
        assert_int_equal(i915_image_get(first, IMAGE_FLEX), 0);
        assert_int_equal(i915_image_get(first, IMAGE_OACTXCONTROL), 13 << 2 | 2 | 1); /* PERF-Q28 */
        assert_int_equal(i915_image_get(first, IMAGE_POWER_STATE),
                         i915_sseu_register(rig->device, &rig->device->sseu));
        assert_int_equal(rig_exec(rig, ids[0], &batch, 1), 0); /* the context still runs */
        rig_run_ns(rig, 1000000);
        assert_true(rig_engines_done(rig->device));
        assert_int_equal(rig_resets(rig), 0);
        rig_free(rig);
    }
}

/* Registers are at the documented offsets (PERF-5.2). */
static void test_image_offsets(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t control, other, address; /* EU_PERF_CNTL0; OAR_OACONTROL */
    } rows[] = {
        {__LINE__, "bdw", 0x120, 0x2ce, 0xe458}, {__LINE__, "chv", 0x120, 0x2ce, 0xe458},
        {__LINE__, "skl", 0x128, 0x3de, 0xe458}, {__LINE__, "icl", 0x124, 0x78e, 0xe458},
        {__LINE__, "lkf", 0x124, 0x78e, 0xe458}, {__LINE__, "tgl", 0x144, 0x5b0, 0x2960},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct i915_context *context = rig->device->kernel_context;
        assert_int_equal(i915_state_prepare(render_state(context)), 0);
        const uint8_t *image = render_state(context)->image->bytes + 0x1000;
        uint32_t control, other;
        memcpy(&control, image + 4 * rows[i].control, 4);
        memcpy(&other, image + 4 * rows[i].other, 4);
        ROW(rows[i].line, control == 0x2360 && other == rows[i].address, "%x, %x", control, other);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- address spaces -------------------------------------------------------------------------- */

static void test_address_spaces(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    struct drm_i915_gem_vm_control vm = {0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_CREATE, &vm, sizeof vm), 0);
    assert_int_equal(vm.vm_id, 1);
    struct drm_i915_gem_context_param args = {rig_context(rig), 0, I915_CONTEXT_PARAM_VM, vm.vm_id};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &args, sizeof args), 0);
    struct i915_context *context = i915_context_peek(rig->file, args.ctx_id);
    assert_ptr_equal(context->vm, i915_vm_find(rig->file, 1));
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_DESTROY, &vm, sizeof vm), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_DESTROY, &vm, sizeof vm), -ENOENT);
    assert_int_equal(context->vm->references, 1);
    vm.flags = 1;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_CREATE, &vm, sizeof vm), -EINVAL);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_DESTROY, &vm, sizeof vm), -EINVAL);
    vm = (struct drm_i915_gem_vm_control){.extensions = FAULTY};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_CREATE, &vm, sizeof vm), -EFAULT);
    vm.extensions = USER;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_CREATE, &vm, sizeof vm), -EINVAL);
    rig_free(rig);
    rig = rig_new("hsw", NULL);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_VM_CREATE, &vm, sizeof vm), -ENODEV);
    rig_free(rig);
}

int run_context_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_and_destroy), cmocka_unit_test(test_create_with_parameters),
        cmocka_unit_test(test_parameters),         cmocka_unit_test(test_get_sseu),
        cmocka_unit_test(test_engine_maps),        cmocka_unit_test(test_engines_by_index),
        cmocka_unit_test(test_power_state),        cmocka_unit_test(test_images),
        cmocka_unit_test(test_image_offsets),      cmocka_unit_test(test_address_spaces),
    };
    return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
