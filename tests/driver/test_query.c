/* SPDX-License-Identifier: MIT */
/* QUERY: items in general, topology, engines, memory (PERF-1.7). */
#include "driver/rig.h"
#include "driver/tests.h"

static int32_t run_query(struct rig *rig, uint64_t id, uint32_t flags, int32_t length, uint64_t at,
                         int *result)
{
    struct drm_i915_query_item item = {id, length, flags, at};
    uint64_t before = rig->used, items = rig_put(rig, &item, sizeof item);
    struct drm_i915_query query = {1, 0, items};
    *result = rig_call(rig, DRM_IOCTL_I915_QUERY, &query, sizeof query);
    memcpy(&item, rig_at(rig, items), sizeof item);
    rig->used = before;
    return item.length;
}

static void test_items(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t id;
        uint32_t flags;
        int32_t length;
        int result;
        int32_t answer; /* the length that is returned */
    } rows[] = {
        {__LINE__, 0, 0, 0, -EINVAL, 0},
        {__LINE__, 99, 0, 0, 0, -EINVAL},
        {__LINE__, UINT64_MAX, 0, 0, 0, -EINVAL},
        {__LINE__, DRM_I915_QUERY_TOPOLOGY_INFO, 0, 0, 0, 32},
        {__LINE__, DRM_I915_QUERY_TOPOLOGY_INFO, 0, 31, 0, -EINVAL},
        {__LINE__, DRM_I915_QUERY_TOPOLOGY_INFO, 0, 32, 0, 32},
        {__LINE__, DRM_I915_QUERY_TOPOLOGY_INFO, 0, 3600, 0, 32},
        {__LINE__, DRM_I915_QUERY_TOPOLOGY_INFO, 0, -1, 0, 32}, /* compared without a sign */
        {__LINE__, DRM_I915_QUERY_TOPOLOGY_INFO, 1, 0, 0, -EINVAL},
        {__LINE__, DRM_I915_QUERY_ENGINE_INFO, 0, 0, 0, 16 + 4 * 56},
        {__LINE__, DRM_I915_QUERY_ENGINE_INFO, 0, 16384, 0, 16 + 4 * 56},
        {__LINE__, DRM_I915_QUERY_ENGINE_INFO, 1, 0, 0, -EINVAL},
        {__LINE__, DRM_I915_QUERY_MEMORY_REGIONS, 0, 0, 0, 16 + 88},
        {__LINE__, DRM_I915_QUERY_MEMORY_REGIONS, 0, 16 + 88, 0, 16 + 88},
        {__LINE__, DRM_I915_QUERY_HWCONFIG_BLOB, 0, 0, 0, -ENODEV},
        {__LINE__, DRM_I915_QUERY_GEOMETRY_SUBSLICES, 0, 0, 0, -ENODEV},
        {__LINE__, DRM_I915_QUERY_GUC_SUBMISSION_VERSION, 0, 0, 0, -ENODEV},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        int result;
        uint64_t at = rig_put(rig, NULL, 32768);
        int32_t answer = run_query(rig, rows[i].id, rows[i].flags, rows[i].length, at, &result);
        ROW(rows[i].line, result == rows[i].result && answer == rows[i].answer, "gave %d, %d",
            result, answer);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* An error of one item does not affect the others. */
static void test_many_items(void **state)
{
    (void)state;
    struct rig *rig = rig_new("hsw", NULL);
    struct drm_i915_query_item items[] = {{99, 5, 0, 0},
                                          {DRM_I915_QUERY_TOPOLOGY_INFO, 0, 0, 0},
                                          {DRM_I915_QUERY_TOPOLOGY_INFO, 22, 0, FAULTY},
                                          {DRM_I915_QUERY_ENGINE_INFO, 0, 0, 0}};
    uint64_t at = rig_put(rig, items, sizeof items);
    struct drm_i915_query query = {COUNT(items), 0, at};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_QUERY, &query, sizeof query), 0);
    memcpy(items, rig_at(rig, at), sizeof items);
    assert_int_equal(items[0].length, -EINVAL);
    assert_int_equal(items[1].length, 22);
    assert_int_equal(items[2].length, -EFAULT);
    assert_int_equal(items[3].length, 16 + 4 * 56);
    query.flags = 1;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_QUERY, &query, sizeof query), -EINVAL);
    query = (struct drm_i915_query){1, 0, FAULTY};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_QUERY, &query, sizeof query), -EFAULT);
    query = (struct drm_i915_query){0, 0, FAULTY};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_QUERY, &query, sizeof query), 0);
    rig_free(rig);
}

static void test_topology(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned slices, subslices, eus; /* limits per slice and subslice */
        unsigned all, size;
    } rows[] = {
        {__LINE__, "hsw", 1, 2, 10, 20, 22},
        {__LINE__, "bdw", 3, 3, 8, 24, 29},
        {__LINE__, "chv", 1, 2, 8, 16, 20},
        {__LINE__, "skl", 3, 4, 8, 24, 32},
        {__LINE__, "icl", 1, 8, 8, 64, 26},
        {__LINE__, "lkf", 1, 8, 8, 64, 26},
        {__LINE__, "tgl", 1, 6, 16, 96, 30},
        {__LINE__, "tgl/gt1", 1, 6, 16, 32, 30},
        /* Haswell's dimensions are those of the SKU. */
        {__LINE__, "hsw/gt1", 1, 1, 10, 10, 20},
        {__LINE__, "hsw/gt3", 2, 2, 10, 40, 27},
        {__LINE__, "bdw/gt1", 3, 3, 8, 12, 29},
        {__LINE__, "skl/gt4", 3, 4, 8, 72, 32},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct tally_topology topology;
        struct tally_error error = {0};
        int result;
        uint64_t at = rig_put(rig, NULL, 256);
        int32_t size = run_query(rig, DRM_I915_QUERY_TOPOLOGY_INFO, 0, 256, at, &result);
        ROW(rows[i].line, size == (int32_t)rows[i].size, "%d bytes", size);
        result =
            tally_topology_parse(rig->platform, rig_at(rig, at), (size_t)size, &topology, &error);
        ROW(rows[i].line,
            result == 0 && topology.max_slices == rows[i].slices &&
                topology.max_subslices == rows[i].subslices && topology.max_eus == rows[i].eus &&
                topology.eus == rows[i].all,
            "%s: %u x %u x %u, %u EUs", error.message, topology.max_slices, topology.max_subslices,
            topology.max_eus, topology.eus);
        rig_free(rig);
    }
    ROWS_DONE();
}

static void test_engines(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned count;
        struct {
            uint16_t class, instance;
            uint64_t capabilities;
        } engines[5];
        uint8_t vdbox_disable, vebox_disable;
    } rows[] = {
        {__LINE__, "snb", 3, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 0, 0},
        {__LINE__, "hsw", 4, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, 0, 0},
        {__LINE__, "bdw", 4, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, 0, 0},
        {__LINE__, "chv", 4, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, 0, 0},
        {__LINE__, "skl", 4, {{0, 0, 0}, {1, 0, 0}, {2, 0, 3}, {3, 0, 0}}, 0, 0},
        {__LINE__, "icl", 5, {{0, 0, 0}, {1, 0, 0}, {2, 0, 3}, {2, 1, 1}, {3, 0, 2}}, 0, 0},
        {__LINE__, "lkf", 5, {{0, 0, 0}, {1, 0, 0}, {2, 0, 3}, {2, 1, 1}, {3, 0, 2}}, 0, 0},
        {__LINE__, "tgl", 5, {{0, 0, 0}, {1, 0, 0}, {2, 0, 3}, {2, 1, 3}, {3, 0, 2}}, 0, 0},
        /* Without VDBOX0, VDBOX2 is the first video engine. */
        {__LINE__, "icl", 4, {{0, 0, 0}, {1, 0, 0}, {2, 0, 3}, {3, 0, 2}}, 1, 0},
        {__LINE__, "lkf", 4, {{0, 0, 0}, {1, 0, 0}, {2, 0, 3}, {3, 0, 2}}, 4, 0},
        {__LINE__, "tgl", 3, {{0, 0, 0}, {1, 0, 0}, {3, 0, 2}}, 5, 0},
        {__LINE__, "tgl", 4, {{0, 0, 0}, {1, 0, 0}, {2, 0, 3}, {2, 1, 3}}, 0, 1},
        {__LINE__, "adl", 2, {{0, 0, 0}, {1, 0, 0}}, 5, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig =
            rig_new_gpu(&(struct tally_gpu_config){.platform = rows[i].platform,
                                                   .vdbox_disable = rows[i].vdbox_disable,
                                                   .vebox_disable = rows[i].vebox_disable},
                        NULL);
        union {
            struct drm_i915_query_engine_info info;
            uint8_t bytes[16 + 5 * 56];
        } reply;
        int result;
        uint64_t at = rig_put(rig, NULL, sizeof reply);
        int32_t size =
            run_query(rig, DRM_I915_QUERY_ENGINE_INFO, 0, (int32_t)sizeof reply, at, &result);
        memcpy(&reply, rig_at(rig, at), sizeof reply);
        ROW(rows[i].line,
            size == (int32_t)(16 + rows[i].count * 56) && reply.info.num_engines == rows[i].count,
            "%u engines, %d bytes", reply.info.num_engines, size);
        for (unsigned e = 0; e < rows[i].count; e++) {
            const struct drm_i915_engine_info *engine = &reply.info.engines[e];
            ROW(rows[i].line,
                engine->engine.engine_class == rows[i].engines[e].class &&
                    engine->engine.engine_instance == rows[i].engines[e].instance &&
                    engine->logical_instance == rows[i].engines[e].instance &&
                    engine->capabilities == rows[i].engines[e].capabilities && engine->flags == 1,
                "%u: %u, %u, capabilities %lx", e, engine->engine.engine_class,
                engine->engine.engine_instance, (unsigned long)engine->capabilities);
        }
        /* The header must be zero. */
        size = run_query(rig, DRM_I915_QUERY_ENGINE_INFO, 0, (int32_t)sizeof reply, at, &result);
        ROW(rows[i].line, size == -EINVAL, "gave %d", size);
        rig_free(rig);
    }
    ROWS_DONE();
}

static void test_regions(void **state)
{
    (void)state;
    struct i915_settings settings = {.memory_bytes = UINT64_C(1) << 30};
    struct rig *rig = rig_new("icl", &settings);
    union {
        struct drm_i915_query_memory_regions info;
        uint8_t bytes[16 + 88];
    } regions;
    int result;
    uint64_t at = rig_put(rig, NULL, 256);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_MEMORY_REGIONS, 0, 256, at, &result),
                     sizeof regions);
    memcpy(&regions, rig_at(rig, at), sizeof regions);
    assert_int_equal(regions.info.num_regions, 1);
    assert_int_equal(regions.info.regions[0].probed_size, 1 << 30);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_MEMORY_REGIONS, 0, 256, at, &result), -EINVAL);
    rig_free(rig);
}

int run_query_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),    cmocka_unit_test(test_many_items),
        cmocka_unit_test(test_topology), cmocka_unit_test(test_engines),
        cmocka_unit_test(test_regions),
    };
    return cmocka_run_group_tests_name("query", tests, NULL, NULL);
}
