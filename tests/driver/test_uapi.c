/* SPDX-License-Identifier: MIT */
/* The constants that uapi.h adds to libdrm's headers, by their documented values; and the calls in
 * the seeds of fuzz_ioctl. */
#include "driver/i915/device.h"
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

/* Notes the numbers of the calls in a seed: fuzz_ioctl.c describes it. */
static void note_calls(const char *path, bool called[256])
{
    uint8_t bytes[4096];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; size > 2 && i < bytes[2] && 7 + 4 * i <= size; i++)
        if (bytes[3 + 4 * i] == 0)
            called[bytes[4 + 4 * i]] = true;
}

/* A fuzzer finds what a call does wrong if it need not find the call. */
static void test_seeds_have_every_call(void **state)
{
    (void)state;
    char directory[4000], path[4096];
    bool called[256] = {false};
    snprintf(directory, sizeof directory, "%s/fuzz/corpus/ioctl", getenv("TALLY_SOURCE"));
    DIR *list = opendir(directory);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        snprintf(path, sizeof path, "%s/%.80s", directory, entry->d_name);
        if (strncmp(entry->d_name, "numbers-", 8) != 0) /* those have no arguments */
            note_calls(path, called);
    }
    closedir(list);
    for (unsigned number = 0; number < COUNT(called); number++) {
        const struct drm_row *row = i915_find_call(number);
        /* Calls without a function need neither a render node nor an argument. */
        bool has_function = row && row->needs & DRM_RENDER;
        ROW(__LINE__, !has_function || called[number], "no seed has call %#x", number);
    }
    ROWS_DONE();
}

int run_uapi_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_added_constants),
                                       cmocka_unit_test(test_seeds_have_every_call)};
    return cmocka_run_group_tests_name("uapi", tests, NULL, NULL);
}
