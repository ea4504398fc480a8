/* SPDX-License-Identifier: MIT */
/* Metric sets in the kernel: finding, adding and removing them, and errors. */
#include "capture/tests.h"

#include <errno.h>

#include "capture/fake.h"
#include "driver/i915/uapi.h"

#define HSW      0x0416
#define ID_FILE  FAKE_CARD "/metrics/403d8832-1a27-4aa6-a64e-f5389ce7b212/id"
#define PARANOID "/proc/sys/dev/i915/perf_stream_paranoid"

static void test_a_set_that_the_kernel_has(void **state)
{
    (void)state;
    struct fake fake;
    struct gpu gpu;
    struct set_in_driver set;
    struct tally_error error = {0};
    fake_init(&fake, HSW);
    fake.files[0] = (struct fake_file){ID_FILE, "42"};
    fake_gpu(&fake, &gpu);
    assert_int_equal(set_upload(&gpu, &fake_set, &set, &error), 0);
    assert_int_equal(set.id, 42);
    assert_false(set.added);
    set_remove(&gpu, &set); /* not added by us */
    assert_string_equal(fake.calls, "open");
    gpu_close(&gpu);
}

static void test_a_set_that_it_lacks(void **state)
{
    (void)state;
    static const struct set_write mux[] = {{0x9888, 1}, {0x9888, 2}}, flex[] = {{0xe458, 3}};
    struct fake fake;
    struct gpu gpu;
    struct set_in_driver in_kernel;
    struct tally_error error = {0};
    struct set set = fake_set;
    set.lists[SET_MUX].writes = mux;
    set.lists[SET_MUX].count = 2;
    set.lists[SET_FLEX].writes = flex;
    set.lists[SET_FLEX].count = 1;
    fake_init(&fake, HSW);
    fake_gpu(&fake, &gpu);
    assert_int_equal(set_upload(&gpu, &set, &in_kernel, &error), 0);
    assert_int_equal(in_kernel.id, 7);
    assert_string_equal(fake.added_uuid, set.uuid);
    static const uint32_t expected[3][2][2] = {
        {{0x9888, 1}, {0x9888, 2}}, {{0x2710, 0}, {0x2714, 0x00800000}}, {{0xe458, 3}}};
    static const uint32_t counts[3] = {2, 2, 1};
    for (size_t list = 0; list < 3; list++) {
        assert_int_equal(fake.added_count[list], counts[list]);
        assert_memory_equal(fake.added[list], expected[list], counts[list] * 8);
    }
    set_remove(&gpu, &in_kernel);
    assert_int_equal(fake.removed_id, 7);
    set_remove(&gpu, &in_kernel); /* once */
    assert_string_equal(fake.calls, "open ADD REMOVE");
    gpu_close(&gpu);
}

static void test_errors_of_the_kernel(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        int answer;
        const char *paranoid;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, -EACCES, "1", -EACCES, "cannot add metric set RenderBasic: no permission"},
        {__LINE__, -EACCES, "1", -EACCES, "dev.i915.perf_stream_paranoid=0, which is 1"},
        {__LINE__, -EACCES, "0", -EACCES, "the kernel denies metric set RenderBasic"},
        {__LINE__, -EINVAL, "0", -EINVAL, "it may not write one of the registers"},
        {__LINE__, -ENOTSUPP, "0", -ENODEV, "no i915 perf for Haswell"},
        {__LINE__, -EADDRINUSE, "0", -EADDRINUSE, "Address already in use"},
        {__LINE__, -ENOMEM, "0", -ENOMEM, "Cannot allocate memory"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake fake;
        struct gpu gpu;
        struct set_in_driver set;
        struct tally_error error = {0};
        fake_init(&fake, HSW);
        fake.answers[0] =
            (struct fake_answer){DRM_IOCTL_I915_PERF_ADD_CONFIG, 0, rows[i].answer, 0};
        fake.files[0] = (struct fake_file){PARANOID, rows[i].paranoid};
        fake_gpu(&fake, &gpu);
        int result = set_upload(&gpu, &fake_set, &set, &error);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
        ROW(rows[i].line, !set.added, "added");
        gpu_close(&gpu);
    }
    ROWS_DONE();
}

static void test_sets_that_cannot_be_added(void **state)
{
    (void)state;
    struct fake fake;
    struct gpu gpu;
    struct set_in_driver in_kernel;
    struct tally_error error = {0};
    struct set set = {.symbol = "Empty", .uuid = fake_set.uuid};
    fake_init(&fake, HSW);
    fake_gpu(&fake, &gpu);
    assert_int_equal(set_upload(&gpu, &set, &in_kernel, &error), -EINVAL);
    assert_non_null(strstr(error.message, "Empty programs no registers"));
    set = fake_set;
    set.uuid = "short";
    assert_int_equal(set_upload(&gpu, &set, &in_kernel, &error), -EINVAL);
    assert_non_null(strstr(error.message, "expected 36 characters"));
    set.uuid =
        "403d8832-1a27-4aa6-a64e-f5389ce7b21x"; /* the kernel would say EINVAL, as for registers */
    assert_int_equal(set_upload(&gpu, &set, &in_kernel, &error), -EINVAL);
    assert_non_null(strstr(error.message, "b21x\", expected 36 characters"));
    assert_string_equal(fake.calls, "open");
    gpu_close(&gpu);
}

int run_set_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_set_that_the_kernel_has),
        cmocka_unit_test(test_a_set_that_it_lacks),
        cmocka_unit_test(test_errors_of_the_kernel),
        cmocka_unit_test(test_sets_that_cannot_be_added),
    };
    return cmocka_run_group_tests_name("sets", tests, NULL, NULL);
}
