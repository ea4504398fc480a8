/* SPDX-License-Identifier: MIT */
/* Metric-set configurations: ADD_CONFIG, REMOVE_CONFIG, and their QUERY items (PERF-1.7,
 * PERF-3). */
#include "driver/rig.h"
#include "driver/tests.h"

#define UUID "01234567-89ab-cdef-0123-456789ABCDEF"

struct group {
    uint32_t count;
    uint64_t at; /* an address; 1: pairs are stored at a valid one */
};

static struct drm_i915_perf_oa_config make(struct rig *rig, const char *uuid, const uint32_t *mux,
                                           uint32_t n_mux, const uint32_t *boolean,
                                           uint32_t n_boolean, const uint32_t *flex,
                                           uint32_t n_flex)
{
    struct drm_i915_perf_oa_config config = {
        .n_mux_regs = n_mux, .n_boolean_regs = n_boolean, .n_flex_regs = n_flex};
    memcpy(config.uuid, uuid, UUID_STRING_LEN);
    config.mux_regs_ptr = n_mux ? rig_put(rig, mux, 8 * n_mux) : 0;
    config.boolean_regs_ptr = n_boolean ? rig_put(rig, boolean, 8 * n_boolean) : 0;
    config.flex_regs_ptr = n_flex ? rig_put(rig, flex, 8 * n_flex) : 0;
    return config;
}

static int add(struct rig *rig, struct drm_i915_perf_oa_config config)
{
    return rig_call(rig, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config, sizeof config);
}

static int add_mux(struct rig *rig, const char *uuid)
{
    const uint32_t mux[] = {0x9888, 0x1234};
    return add(rig, make(rig, uuid, mux, 1, NULL, 0, NULL, 0));
}

static int remove_config(struct rig *rig, uint64_t id)
{
    return rig_call(rig, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &id, sizeof id);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void test_add_checks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        bool plain, free;
        const char *uuid;
        struct group mux, boolean, flex;
        uint32_t mux_at, boolean_at, flex_at; /* the register; 0: a valid one */
        int expected;                         /* 0: an id */
    } rows[] = {
        {__LINE__, "ivb", true, false, "", {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, -524},
        {__LINE__, "snb", false, false, UUID, {1, 1}, {0, 0}, {0, 0}, 0, 0, 0, -524},
        /* Permission is checked before the contents. */
        {__LINE__, "skl", true, false, "", {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, -EACCES},
        {__LINE__, "skl", true, true, UUID, {1, 1}, {0, 0}, {0, 0}, 0, 0, 0, 0},
        /* No registers; checked before the uuid. */
        {__LINE__, "skl", false, false, UUID, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, -EINVAL},
        {__LINE__, "skl", false, false, UUID, {1, 0}, {0, 1}, {0, 0}, 0, 0, 0, -EINVAL},
        {__LINE__, "skl", false, false, UUID, {1, 0}, {1, 1}, {0, 0}, 0, 0, 0, -EFAULT},
        {__LINE__, "skl", false, false, UUID, {0, 1}, {1, 1}, {0, 0}, 0, 0, 0, 0},
        /* The uuid is checked before the registers. */
        {__LINE__,
         "skl",
         false,
         false,
         "01234567-89ab-cdef-0123-456789ABCDEG",
         {1, FAULTY},
         {0, 0},
         {0, 0},
         0,
         0,
         0,
         -EINVAL},
        {__LINE__,
         "skl",
         false,
         false,
         "01234567089ab-cdef-0123-456789ABCDEF",
         {1, 1},
         {0, 0},
         {0, 0},
         0,
         0,
         0,
         -EINVAL},
        {__LINE__,
         "skl",
         false,
         false,
         "01234567-89ab-cdef-0123-4567-9ABCDEF",
         {1, 1},
         {0, 0},
         {0, 0},
         0,
         0,
         0,
         -EINVAL},
        {__LINE__,
         "skl",
         false,
         false,
         "-1234567-89ab-cdef-0123-456789ABCDEF",
         {1, 1},
         {0, 0},
         {0, 0},
         0,
         0,
         0,
         -EINVAL},
        {__LINE__, "skl", false, false, "", {1, 1}, {0, 0}, {0, 0}, 0, 0, 0, -EINVAL},
        /* Registers: mux, then boolean, then flexible. */
        {__LINE__, "skl", false, false, UUID, {1, FAULTY}, {1, 1}, {0, 0}, 0, 0x1000, 0, -EFAULT},
        {__LINE__,
         "skl",
         false,
         false,
         UUID,
         {1, 1},
         {1, FAULTY},
         {0, 0},
         0x12345678,
         0,
         0,
         -EINVAL},
        {__LINE__, "skl", false, false, UUID, {1, 1}, {1, FAULTY}, {1, 1}, 0, 0, 0x1000, -EFAULT},
        {__LINE__, "skl", false, false, UUID, {1, 1}, {1, 1}, {1, 1}, 0, 0x270c, 0, -EINVAL},
        {__LINE__, "skl", false, false, UUID, {1, 1}, {1, 1}, {1, FAULTY}, 0, 0, 0, -EFAULT},
        {__LINE__, "skl", false, false, UUID, {1, 1}, {1, 1}, {1, 1}, 0, 0, 0xe460, -EINVAL},
        {__LINE__, "skl", false, false, UUID, {1, 1}, {1, 1}, {1, 1}, 0, 0, 0, 0},
        /* No flexible registers before Gen8. */
        {__LINE__, "hsw", false, false, UUID, {1, 1}, {0, 0}, {1, FAULTY}, 0, 0, 0, -EINVAL},
        {__LINE__, "hsw", false, false, UUID, {1, 1}, {1, 1}, {0, 0}, 0, 0, 0, 0},
        /* More than memory can hold. */
        {__LINE__, "skl", false, false, UUID, {0xffffffff, 1}, {0, 0}, {0, 0}, 0, 0, 0, -ENOMEM},
        {__LINE__, "skl", false, false, UUID, {42, FAULTY}, {0, 0}, {0, 0}, 0, 0, 0, -EFAULT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        const struct group groups[] = {rows[i].mux, rows[i].boolean, rows[i].flex};
        const uint32_t at[] = {rows[i].mux_at, rows[i].boolean_at, rows[i].flex_at};
        static const uint32_t good[] = {0x9888, 0x2710, 0xe458};
        uint64_t where[3];
        for (unsigned g = 0; g < 3; g++) {
            uint32_t pair[2] = {at[g] ? at[g] : good[g], 0};
            where[g] = groups[g].at == 1 ? rig_put(rig, pair, sizeof pair) : groups[g].at;
        }
        struct drm_i915_perf_oa_config config = {
            .n_mux_regs = groups[0].count,
            .n_boolean_regs = groups[1].count,
            .n_flex_regs = groups[2].count,
            .mux_regs_ptr = where[0],
            .boolean_regs_ptr = where[1],
            .flex_regs_ptr = where[2],
        };
        memcpy(config.uuid, rows[i].uuid, strlen(rows[i].uuid));
        rig->caller.drm.privileged = !rows[i].plain;
        i915_sysctl_set(rig->device, I915_PARANOID, !rows[i].free);
        int result = add(rig, config);
        ROW(rows[i].line, rows[i].expected ? result == rows[i].expected : result == 2,
            "%s gave %d, expected %d", rows[i].platform, result, rows[i].expected);
        struct i915_metric metric;
        ROW(rows[i].line, i915_metrics_list(rig->device, &metric, 1) == (result > 0), "the list");
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Both ends of each range, and the addresses next to them (PERF-3.4). */
enum { MUX, BOOLEAN, FLEX };
static const struct range {
    unsigned line;
    const char *platforms;
    int group;
    uint32_t first, last;
} ranges[] = {
    {__LINE__, "hsw bdw chv skl icl lkf", BOOLEAN, 0x2710, 0x272c},
    {__LINE__, "hsw bdw chv skl icl lkf", BOOLEAN, 0x2740, 0x275c},
    {__LINE__, "hsw bdw chv skl icl lkf", BOOLEAN, 0x2770, 0x27ac},
    {__LINE__, "hsw bdw chv skl", MUX, 0x91b8, 0x91cc},
    {__LINE__, "icl lkf", MUX, 0x91b8, 0x91dc},
    {__LINE__, "hsw bdw chv skl icl lkf", MUX, 0x9800, 0x9888},
    {__LINE__, "hsw bdw chv skl icl lkf", MUX, 0xe180, 0xe180},
    {__LINE__, "hsw", MUX, 0x9e80, 0x9ea4},
    {__LINE__, "hsw", MUX, 0x9ec0, 0x9ec0},
    {__LINE__, "hsw", MUX, 0x25100, 0x2ff90},
    {__LINE__, "bdw skl icl lkf", MUX, 0x0d00, 0x0d2c},
    {__LINE__, "bdw skl icl lkf", MUX, 0x20cc, 0x20cc},
    {__LINE__, "chv", MUX, 0x182300, 0x1823a4},
    {__LINE__, "tgl", BOOLEAN, 0x2b2c, 0x2b2c},
    {__LINE__, "tgl", BOOLEAN, 0xd900, 0xd91c},
    {__LINE__, "tgl", BOOLEAN, 0xd920, 0xd93c},
    {__LINE__, "tgl", BOOLEAN, 0xd940, 0xd97c},
    {__LINE__, "tgl", BOOLEAN, 0xdc00, 0xdc3c},
    {__LINE__, "tgl", BOOLEAN, 0xdc40, 0xdc40},
    {__LINE__, "tgl", BOOLEAN, 0xdc44, 0xdc44},
    {__LINE__, "tgl", MUX, 0x0d00, 0x0d04},
    {__LINE__, "tgl", MUX, 0x0d0c, 0x0d2c},
    {__LINE__, "tgl", MUX, 0x9840, 0x9840},
    {__LINE__, "tgl", MUX, 0x9884, 0x9888},
    {__LINE__, "tgl", MUX, 0x20cc, 0x20cc},
    {__LINE__, "bdw chv skl icl lkf tgl", FLEX, 0xe458, 0xe458},
    {__LINE__, "bdw chv skl icl lkf tgl", FLEX, 0xe45c, 0xe45c},
    {__LINE__, "bdw chv skl icl lkf tgl", FLEX, 0xe558, 0xe558},
    {__LINE__, "bdw chv skl icl lkf tgl", FLEX, 0xe55c, 0xe55c},
    {__LINE__, "bdw chv skl icl lkf tgl", FLEX, 0xe658, 0xe658},
    {__LINE__, "bdw chv skl icl lkf tgl", FLEX, 0xe65c, 0xe65c},
    {__LINE__, "bdw chv skl icl lkf tgl", FLEX, 0xe758, 0xe758},
};

static bool is_listed(const char *platform, int group, uint32_t address)
{
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (ranges[i].group == group && strstr(ranges[i].platforms, platform) &&
            address >= ranges[i].first && address <= ranges[i].last)
            return true;
    return false;
}

static void try_register(struct rig *rig, const struct range *range, uint32_t address)
{
    uint32_t pair[2] = {address, 0};
    bool allowed = is_listed(rig->platform->name, range->group, address);
    rig->used = 0;
    int id = add(rig, make(rig, UUID, pair, range->group == MUX, pair, range->group == BOOLEAN,
                           pair, range->group == FLEX));
    ROW(range->line, allowed ? id == 2 : id == -EINVAL, "%s %x gave %d", rig->platform->name,
        address, id);
    if (id > 0)
        remove_config(rig, (uint64_t)id);
}

static void test_whitelists(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        for (size_t i = 0; i < COUNT(ranges); i++) {
            try_register(rig, &ranges[i], ranges[i].first);
            try_register(rig, &ranges[i], ranges[i].last);
            try_register(rig, &ranges[i], ranges[i].first - 1);
            try_register(rig, &ranges[i], ranges[i].last + 1);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- ids ------------------------------------------------------------------------------------- */

static void test_ids(void **state)
{
    (void)state;
    struct rig *rig = rig_new("hsw", NULL);
    char uuid[] = UUID;
    for (int i = 0; i < 5; i++) {
        uuid[0] = (char)('0' + i);
        assert_int_equal(add_mux(rig, uuid), 2 + i);
    }
    assert_int_equal(add_mux(rig, uuid), -EADDRINUSE);
    uuid[35] = 'f'; /* a different uuid: the comparison is case-sensitive */
    assert_int_equal(add_mux(rig, uuid), 7);
    assert_int_equal(remove_config(rig, 4), 0);
    assert_int_equal(remove_config(rig, 4), -ENOENT);
    assert_int_equal(remove_config(rig, 2), 0);
    assert_int_equal(remove_config(rig, 0), -ENOENT);
    assert_int_equal(remove_config(rig, 1), -ENOENT);
    assert_int_equal(remove_config(rig, UINT64_MAX), -ENOENT);
    assert_int_equal(remove_config(rig, UINT64_C(1) << 32 | 3), -ENOENT);
    uuid[0] = 'a';
    assert_int_equal(add_mux(rig, uuid), 2);
    uuid[0] = 'b';
    assert_int_equal(add_mux(rig, uuid), 4);
    uuid[0] = 'c';
    assert_int_equal(add_mux(rig, uuid), 8);
    rig->caller.drm.privileged = false;
    assert_int_equal(remove_config(rig, 99), -EACCES);
    i915_sysctl_set(rig->device, I915_PARANOID, 0);
    assert_int_equal(remove_config(rig, 99), -ENOENT);
    assert_int_equal(i915_ioctl(rig->file, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, FAULTY, &rig->caller),
                     -EFAULT);
    /* Sets belong to the device: listed by id, even after the file that added them was closed. */
    i915_file_close(rig->file);
    struct i915_metric metrics[16];
    assert_int_equal(i915_metrics_list(rig->device, metrics, 3), 7);
    assert_int_equal(i915_metrics_list(rig->device, metrics, 16), 7);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(metrics[i].id, i + 2);
    assert_string_equal(metrics[1].uuid, "1"
                                         "1234567-89ab-cdef-0123-456789ABCDEF");
    assert_int_equal(i915_file_open(rig->device, true, &rig->file), 0);
    rig_free(rig);
}

static void test_remove_without_perf(void **state)
{
    (void)state;
    struct rig *rig = rig_new("vlv", NULL);
    rig->caller.drm.privileged = false;
    assert_int_equal(remove_config(rig, 99), -524);
    rig_free(rig);
}

/* ---- QUERY ----------------------------------------------------------------------------------- */

static int32_t run_query(struct rig *rig, uint32_t flags, int32_t length, uint64_t at, int *result)
{
    struct drm_i915_query_item item = {DRM_I915_QUERY_PERF_CONFIG, length, flags, at};
    uint64_t before = rig->used, items = rig_put(rig, &item, sizeof item);
    struct drm_i915_query query = {1, 0, items};
    *result = rig_call(rig, DRM_IOCTL_I915_QUERY, &query, sizeof query);
    memcpy(&item, rig_at(rig, items), sizeof item);
    rig->used = before;
    return item.length;
}

static void test_query_list(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    int result;
    uint64_t at = rig_put(rig, NULL, 256), ids[4];
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 0, at, &result), 48 + 8);
    for (unsigned i = 0; i < 3; i++)
        rig_add_set(rig);
    remove_config(rig, 3);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 0, at, &result), 48 + 3 * 8);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 48 + 3 * 8 - 1, at, &result),
                     -EINVAL);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 256, at, &result), 48 + 3 * 8);
    memcpy(ids, rig_at(rig, at), 8);
    assert_int_equal(ids[0], 3);
    memcpy(ids, rig_at(rig, at + 48), sizeof ids);
    assert_int_equal(ids[0], 1); /* PERF-Q7 */
    assert_int_equal(ids[1], 2);
    assert_int_equal(ids[2], 4);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, -1, at, &result), 48 + 3 * 8);
    uint32_t one = 1;
    memcpy(rig_at(rig, at + 40), &one, 4);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 256, at, &result), -EINVAL);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 256, FAULTY, &result),
                     -EFAULT);
    assert_int_equal(run_query(rig, 0, 256, at, &result), -EINVAL);
    assert_int_equal(run_query(rig, 4, 0, at, &result), -EINVAL);
    rig_free(rig);
    rig = rig_new("ivb", NULL);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 0, USER, &result), -ENODEV);
    assert_int_equal(result, 0);
    rig_free(rig);
    struct i915_settings old = {.perf_revision = 1};
    rig = rig_new("skl", &old);
    assert_int_equal(run_query(rig, DRM_I915_QUERY_PERF_CONFIG_LIST, 0, USER, &result), -EINVAL);
    rig_free(rig);
}

/* QUERY returns what was added, except bits that a metric set may not set. */
static void test_query_data(void **state)
{
    (void)state;
    static const uint32_t mux[] = {0x9888, 1, 0xe180, 0xffffffff, 0x20cc, 0xffffffff},
                          boolean[] = {0x2710, 4, 0x2714, 5}, flex[] = {0xe758, 6};
    struct rig *rig = rig_new("skl", NULL);
    int id = add(rig, make(rig, UUID, mux, 3, boolean, 2, flex, 1)), result;
    assert_int_equal(id, 2);
    for (unsigned by_id = 0; by_id < 2; by_id++) {
        uint32_t flags = by_id ? DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID
                               : DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID,
                 got[6];
        union {
            struct {
                uint8_t head_bytes[sizeof(struct drm_i915_query_perf_config)];
                struct drm_i915_perf_oa_config config;
            };
            struct drm_i915_query_perf_config head;
        } data = {.head_bytes = {0}};
        if (by_id)
            data.head.config = 2;
        else
            memcpy(data.head.uuid, UUID, UUID_STRING_LEN);
        assert_int_equal(sizeof data, 120);
        uint64_t at = rig_put(rig, &data, sizeof data), space = rig_put(rig, NULL, 64);
        assert_int_equal(run_query(rig, flags, 0, at, &result), 120);
        assert_int_equal(run_query(rig, flags, 119, at, &result), -EINVAL);
        assert_int_equal(run_query(rig, flags, 120, at, &result), 120);
        memcpy(&data, rig_at(rig, at), sizeof data);
        assert_memory_equal(data.config.uuid, UUID, UUID_STRING_LEN);
        assert_int_equal(data.config.n_mux_regs, 3);
        assert_int_equal(data.config.n_boolean_regs, 2);
        assert_int_equal(data.config.n_flex_regs, 1);
        /* The buffer is one register too small. */
        data.config.n_mux_regs = 2;
        data.config.mux_regs_ptr = data.config.boolean_regs_ptr = data.config.flex_regs_ptr = space;
        memcpy(rig_at(rig, at), &data, sizeof data);
        assert_int_equal(run_query(rig, flags, 120, at, &result), -EINVAL);
        /* Written in the order boolean, flexible, mux: mux overwrites the others here. */
        data.config.n_mux_regs = 3;
        memcpy(rig_at(rig, at), &data, sizeof data);
        assert_int_equal(run_query(rig, flags, 120, at, &result), 120);
        memcpy(got, rig_at(rig, space), sizeof got);
        assert_int_equal(got[0], 0x9888);
        assert_int_equal(got[3], 0xffffffff & ~(1u << 13 | 1u << 29));
        assert_int_equal(got[5], 0xffffffff & ~(1u << 0 | 1u << 16));
        data.config.mux_regs_ptr = FAULTY;
        memcpy(rig_at(rig, at), &data, sizeof data);
        assert_int_equal(run_query(rig, flags, 120, at, &result), -EFAULT);
        data.head_bytes[0] = '9';
        memcpy(rig_at(rig, at), &data, sizeof data);
        assert_int_equal(run_query(rig, flags, 120, at, &result), -ENOENT);
    }
    rig_free(rig);
}

int run_config_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_checks), cmocka_unit_test(test_whitelists),
        cmocka_unit_test(test_ids),        cmocka_unit_test(test_remove_without_perf),
        cmocka_unit_test(test_query_list), cmocka_unit_test(test_query_data),
    };
    return cmocka_run_group_tests_name("configurations", tests, NULL, NULL);
}
