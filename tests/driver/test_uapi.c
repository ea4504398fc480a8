/* SPDX-License-Identifier: MIT */
/* The constants that uapi.h adds to libdrm's headers, by their documented values. */
#include "driver/rig.h"
#include "driver/tests.h"

static void test_added_constants(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        int actual, expected;
    } rows[] = {
        {__LINE__, "OA_ENGINE_CLASS (PERF-1.3)", DRM_I915_PERF_PROP_OA_ENGINE_CLASS, 9},
        {__LINE__, "OA_ENGINE_INSTANCE (PERF-1.3)", DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, 10},
        {__LINE__, "the last OA format (PERF-4.1)", I915_OAM_FORMAT_MPEC8u32_B8_C8, 14},
        {__LINE__, "OA_TIMESTAMP_FREQUENCY (PERF-1.6)", I915_PARAM_OA_TIMESTAMP_FREQUENCY, 57},
        {__LINE__, "GUC_SUBMISSION_VERSION (PERF-1.7)", DRM_I915_QUERY_GUC_SUBMISSION_VERSION, 7},
        {__LINE__, "ENOTSUPP (PERF-Q3)", ENOTSUPP, 524},
        {__LINE__, "a UUID", UUID_STRING_LEN, sizeof((struct drm_i915_perf_oa_config *)0)->uuid},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, rows[i].actual == rows[i].expected, "%s is %d, expected %d", rows[i].name,
            rows[i].actual, rows[i].expected);
    ROWS_DONE();
}

int run_uapi_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_added_constants)};
    return cmocka_run_group_tests_name("uapi", tests, NULL, NULL);
}
