/* SPDX-License-Identifier: MIT */
/* Opening a stream: its properties, and errors. */
#include "capture/tests.h"

#include <errno.h>

#include "capture/fake.h"
#include "capture/stream.h"
#include "driver/i915/uapi.h"

#define HSW      0x0416
#define SKL      0x1912
#define PARANOID "/proc/sys/dev/i915/perf_stream_paranoid"
#define RATE     "/proc/sys/dev/i915/oa_max_sample_rate"

/* In the order of i915-perf-recorder (IGT-2.2, row 16). */
static void test_properties(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t pci_id;
        int revision;
        unsigned exponent;
        uint64_t properties[6][2];
        unsigned count;
    } rows[] = {
        {__LINE__, HSW, 7, 13, {{2, 1}, {3, 9}, {4, 5}, {5, 13}, {8, 5000000}}, 5},
        {__LINE__, SKL, 7, 13, {{2, 1}, {3, 9}, {4, 10}, {5, 13}, {8, 5000000}}, 5},
        {__LINE__, HSW, 4, 13, {{2, 1}, {3, 9}, {4, 5}, {5, 13}}, 4},
        /* The buffer is full after 65,536 reports of 320 ns, 21 ms: at least eight checks. */
        {__LINE__, HSW, 5, 1, {{2, 1}, {3, 9}, {4, 5}, {5, 1}, {8, 2621440}}, 5},
        {__LINE__, HSW, 5, 0, {{2, 1}, {3, 9}, {4, 5}, {5, 0}, {8, 1310720}}, 5},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake fake;
        struct gpu gpu;
        struct tally_error error = {0};
        fake_init(&fake, rows[i].pci_id);
        fake.answers[0] = (struct fake_answer){DRM_IOCTL_I915_GETPARAM, 54, 0, rows[i].revision};
        fake_gpu(&fake, &gpu);
        int fd = stream_open(&gpu, 9, rows[i].exponent, &error);
        ROW(rows[i].line, fd >= 0, "%d", fd);
        ROW(rows[i].line, fake.open_flags == 3, "flags 0x%x", fake.open_flags);
        ROW(rows[i].line,
            fake.property_count == rows[i].count &&
                !memcmp(fake.properties, rows[i].properties, rows[i].count * 16),
            "%u properties, last %llu", fake.property_count,
            (unsigned long long)fake.properties[4][1]);
        gpu_close(&gpu);
    }
    ROWS_DONE();
}

static void test_errors_of_the_kernel(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        int answer;
        const char *paranoid, *rate;
        unsigned exponent;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, -EACCES, "1", "100000", 13, -EACCES, "needs CAP_PERFMON (or root), or sysctl"},
        {__LINE__, -EACCES, "0", "100000", 5, -EACCES,
         "195312 reports a second, but sysctl dev.i915.oa_max_sample_rate is 100000"},
        {__LINE__, -EACCES, "0", "100000", 6, -EACCES, "the kernel denies the stream"},
        {__LINE__, -EACCES, "0", NULL, 5, -EACCES, "the kernel denies the stream"},
        {__LINE__, -EBUSY, "0", NULL, 13, -EBUSY, "another program is using its counters"},
        {__LINE__, -ENOTSUPP, "0", NULL, 13, -ENODEV, "this kernel has no i915 perf"},
        {__LINE__, -ENODEV, "0", NULL, 13, -ENODEV, "this kernel has no i915 perf"},
        {__LINE__, -EINVAL, "0", NULL, 13, -EINVAL, "cannot open a stream: Invalid argument"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake fake;
        struct gpu gpu;
        struct tally_error error = {0};
        fake_init(&fake, HSW);
        fake.answers[0] = (struct fake_answer){DRM_IOCTL_I915_PERF_OPEN, 0, rows[i].answer, 0};
        fake.files[0] = (struct fake_file){PARANOID, rows[i].paranoid};
        fake.files[1] = (struct fake_file){RATE, rows[i].rate};
        fake_gpu(&fake, &gpu);
        int result = stream_open(&gpu, 9, rows[i].exponent, &error);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
        ROW(rows[i].line, mentions(error.message, FAKE_NODE), "\"%s\"", error.message);
        gpu_close(&gpu);
    }
    ROWS_DONE();
}

int run_stream_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_errors_of_the_kernel),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
