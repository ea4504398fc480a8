/* SPDX-License-Identifier: MIT */
/* The $Variables of equations (PERF-9.2). */
#include "metrics/tests.h"

#include "metrics/equation.h"

static struct tally_environment sample(void)
{
    return (struct tally_environment){
        .platform = tally_platform_find("skl"),
        .topology = {.slices = 3,
                     .subslices = 7,
                     .eus = 53,
                     .max_slices = 4,
                     .max_subslices = 5,
                     .max_eus = 6,
                     .slice_mask = UINT64_C(0x8000000000000005),
                     .subslice_mask = UINT64_C(0x8000000000000192)},
        .timestamp_hz = UINT64_C(12000000001),
        .gt_min_hz = UINT64_C(300000000002),
        .gt_max_hz = UINT64_C(1150000000003),
        .revision = 9,
        .query_mode = true,
    };
}

static void test_variables(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        uint64_t expected;
    } rows[] = {
        {__LINE__, "$GpuTimestampFrequency", UINT64_C(12000000001)},
        {__LINE__, "$GpuMinFrequency", UINT64_C(300000000002)},
        {__LINE__, "$GpuMaxFrequency", UINT64_C(1150000000003)},
        {__LINE__, "$EuCoresTotalCount", 53},
        {__LINE__, "$EuSlicesTotalCount", 3},
        {__LINE__, "$EuSubslicesTotalCount", 7},
        {__LINE__, "$EuThreadsCount", 7}, /* OA-7: SKL */
        {__LINE__, "$SliceMask", UINT64_C(0x8000000000000005)},
        {__LINE__, "$SubsliceMask", UINT64_C(0x8000000000000192)},
        {__LINE__, "$SkuRevisionId", 9},
        {__LINE__, "$QueryMode", 1},
        /* Names used by files for Xe parts. */
        {__LINE__, "$DualSubsliceMask", UINT64_C(0x8000000000000192)},
        {__LINE__, "$XeCoreTotalCount", 7},
        {__LINE__, "$VectorEngineTotalCount", 53},
        {__LINE__, "$VectorEngineThreadsCount", 7},
        {__LINE__, "$GtSlice0", 1},
        {__LINE__, "$GtSlice1", 0},
        {__LINE__, "$GtSlice2", 1},
        {__LINE__, "$GtSlice62", 0},
        {__LINE__, "$GtSlice63", 1},
        {__LINE__, "$GtSlice0XeCore0", 0}, /* four cores a slice: bits 3:0 of 192h are 2h */
        {__LINE__, "$GtSlice0XeCore1", 1},
        {__LINE__, "$GtSlice1XeCore0", 1}, /* bits 7:4 are 9h */
        {__LINE__, "$GtSlice1XeCore1", 0},
        {__LINE__, "$GtSlice1XeCore3", 1},
        {__LINE__, "$GtSlice2XeCore0", 1},
        {__LINE__, "$GtSlice15XeCore3", 1},
        {__LINE__, "$GtSlice16XeCore0", 0}, /* beyond the mask */
        {__LINE__, "$GtSlice63XeCore63", 0},
    };
    const struct tally_environment environment = sample();
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = 0xabcd;
        int result = tally_environment_get(&environment, rows[i].name, &value);
        ROW(rows[i].line, result == 0 && value == rows[i].expected, "%s: %d, 0x%" PRIx64,
            rows[i].name, result, value);
        ROW(rows[i].line, variable_known(rows[i].name), "%s is not known", rows[i].name);
    }
    ROWS_DONE();
}

static void test_unknown_variables(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
    } rows[] = {
        {__LINE__, ""},
        {__LINE__, "$"},
        {__LINE__, "SliceMask"}, /* without its $ */
        {__LINE__, "$slicemask"},
        {__LINE__, "$SliceMask "},
        {__LINE__, "$SliceMas"},
        {__LINE__, "$GpuTime"}, /* a counter of many sets, not a variable */
        {__LINE__, "$GtSlice"},
        {__LINE__, "$GtSliceX"},
        {__LINE__, "$GtSlice64"},
        {__LINE__, "$GtSlice-1"},
        {__LINE__, "$GtSlice0x1"},
        {__LINE__, "$GtSlice18446744073709551616"},
        {__LINE__, "$GtSlice0XeCore"},
        {__LINE__, "$GtSlice0XeCore64"},
        {__LINE__, "$GtSlice0XeCore-1"},
        {__LINE__, "$GtSlice0XeCore0 "},
        {__LINE__, "$GtSlice0XeCore0x"},
        {__LINE__, "$GtSlice64XeCore0"},
        {__LINE__, "$GtSlice0Core0"},
    };
    const struct tally_environment environment = sample();
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = 0xabcd;
        int result = tally_environment_get(&environment, rows[i].name, &value);
        ROW(rows[i].line, result == -ENOENT && value == 0xabcd, "\"%s\": %d, 0x%" PRIx64,
            rows[i].name, result, value);
        ROW(rows[i].line, !variable_known(rows[i].name), "\"%s\" is known", rows[i].name);
    }
    ROWS_DONE();
}

static void test_environment_of_a_recording(void **state)
{
    (void)state;
    struct tally_recording_info info = {
        .device = {.platform = tally_platform_find("icl")},
        .recorded = {.timestamp_hz = 19200000,
                     .gt_min_hz = 300000000,
                     .gt_max_hz = 4000000000,
                     .revision = 7},
        .topology = sample().topology,
    };
    struct tally_environment environment;
    memset(&environment, 0xa5, sizeof environment);
    tally_environment_of(&info, &environment);
    assert_ptr_equal(environment.platform, info.device.platform);
    assert_memory_equal(&environment.topology, &info.topology, sizeof info.topology);
    assert_int_equal(environment.timestamp_hz, 19200000);
    assert_int_equal(environment.gt_min_hz, 300000000);
    assert_true(environment.gt_max_hz == UINT64_C(4000000000));
    assert_int_equal(environment.revision, 7);
    assert_false(environment.query_mode); /* a stream */
}

static void test_environment_of_each_platform(void **state)
{
    (void)state;
    const struct tally_platform *platform;
    for (size_t i = 0; (platform = tally_platform_at(i)); i++) {
        struct tally_environment environment;
        struct tally_topology topology;
        tally_environment_default(platform, &environment);
        tally_topology_default(platform, &topology);
        ROW(__LINE__,
            environment.platform == platform &&
                environment.timestamp_hz == platform->timestamp_hz &&
                environment.gt_min_hz == platform->gt_min_mhz * UINT64_C(1000000) &&
                environment.gt_max_hz == platform->gt_max_mhz * UINT64_C(1000000) &&
                environment.revision == 0 && !environment.query_mode &&
                !memcmp(&environment.topology, &topology, sizeof topology),
            "%s", platform->name);
    }
    ROWS_DONE();
}

int test_environment(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_unknown_variables),
        cmocka_unit_test(test_environment_of_a_recording),
        cmocka_unit_test(test_environment_of_each_platform),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
