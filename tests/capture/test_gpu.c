/* SPDX-License-Identifier: MIT */
/* Opening a GPU: its description, and errors. */
#include "capture/tests.h"

#include <errno.h>

#include "capture/fake.h"
#include "driver/i915/uapi.h"

#define HSW 0x0416
#define SKL 0x1912
#define IVB 0x0166

#define PARANOID "/proc/sys/dev/i915/perf_stream_paranoid"
#define STATUS   "/proc/self/status"

static void test_a_gpu_describes_itself(void **state)
{
    (void)state;
    struct fake fake;
    struct gpu gpu;
    fake_init(&fake, HSW);
    fake.files[0] = (struct fake_file){FAKE_CARD "/gt_min_freq_mhz", "300"};
    fake.files[1] = (struct fake_file){FAKE_CARD "/gt_max_freq_mhz", "1150"};
    fake_gpu(&fake, &gpu);
    assert_string_equal(gpu.device.platform->name, "hsw");
    assert_string_equal(gpu.device.chipset, "HSW");
    assert_int_equal(gpu.info.device_id, HSW);
    assert_int_equal(gpu.info.revision, 6);
    assert_int_equal(gpu.info.timestamp_hz, 12500000);
    assert_int_equal(gpu.info.oa_format, 5);
    assert_int_equal(gpu.info.gt_min_hz, 300000000);
    assert_int_equal(gpu.info.gt_max_hz, 1150000000);
    assert_int_equal(gpu.topology.eus, 20);
    assert_int_equal(gpu.topology_bytes, 22); /* IGT-1.3: 1x2x10 */
    assert_int_equal(gpu.perf_revision, 7);
    gpu_close(&gpu);
    assert_int_equal(fake.open_files, 0);

    /* Files of newer kernels come first (PERF-1.8). */
    fake.files[2] = (struct fake_file){FAKE_CARD "/gt/gt0/rps_max_freq_mhz", "1200"};
    fake_gpu(&fake, &gpu);
    assert_int_equal(gpu.info.gt_max_hz, 1200000000);
    gpu_close(&gpu);
}

/* Older kernels lack some parameters and queries (PERF-1.5, PERF-1.6). */
static void test_older_kernels(void **state)
{
    (void)state;
    struct fake fake;
    struct gpu gpu;
    fake_init(&fake, SKL);
    fake.answers[0] = (struct fake_answer){DRM_IOCTL_I915_GETPARAM, 54, -EINVAL, 0};
    fake.answers[1] = (struct fake_answer){DRM_IOCTL_I915_GETPARAM, 57, -EINVAL, 0};
    fake.answers[2] = (struct fake_answer){DRM_IOCTL_I915_GETPARAM, 51, 0, 12000000};
    fake.answers[3] = (struct fake_answer){DRM_IOCTL_I915_QUERY, 0, -EINVAL, 0};
    fake_gpu(&fake, &gpu);
    assert_int_equal(gpu.perf_revision, 1);
    assert_int_equal(gpu.info.timestamp_hz, 12000000);
    assert_int_equal(gpu.topology.eus, 24);
    assert_int_equal(gpu.topology_bytes, 32);
    gpu_close(&gpu);
    fake.answers[2].result = -EINVAL; /* then the platform's default */
    fake.platform = tally_platform_find("skl");
    fake_gpu(&fake, &gpu);
    assert_int_equal(gpu.info.timestamp_hz, 12000000);
    gpu_close(&gpu);
}

static void test_unsupported_gpus(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t pci_id;
        int open_result;
        const char *driver;
        struct fake_answer answer;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__,
         HSW,
         -EACCES,
         "i915",
         {0},
         -EACCES,
         "expected membership in its group (render or video)"},
        {__LINE__, HSW, -ENOENT, "i915", {0}, -ENODEV, "renderD128: No such file"},
        {__LINE__, HSW, -ENXIO, "i915", {0}, -ENXIO, "No such device or address"},
        {__LINE__, HSW, 0, "amdgpu", {0}, -ENODEV, "has the driver amdgpu, expected i915"},
        {__LINE__, HSW, 0, "i915", {DRM_IOCTL_VERSION, 0, -ENOTTY, 0}, -ENODEV, "is not a GPU"},
        {__LINE__, HSW, 0, "i915", {DRM_IOCTL_I915_GETPARAM, 4, -EINVAL, 0}, -ENODEV, "its PCI id"},
        {__LINE__,
         HSW,
         0,
         "i915",
         {DRM_IOCTL_I915_GETPARAM, 4, 0, 0x1234},
         -ENODEV,
         "unknown PCI device 8086:1234"},
        {__LINE__, IVB, 0, "i915", {0}, -ENODEV, "i915 perf does not support"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake fake;
        struct gpu gpu;
        struct tally_error error = {0};
        fake_init(&fake, rows[i].pci_id);
        fake.open_result = rows[i].open_result;
        fake.driver = rows[i].driver;
        fake.answers[0] = rows[i].answer;
        int result = gpu_open(&fake.device, FAKE_NODE, &gpu, &error);
        ROW(rows[i].line, result == rows[i].result, "%d, expected %d", result, rows[i].result);
        ROW(rows[i].line, error.code == result, "code %d, result %d", error.code, result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
        gpu_close(&gpu);
        ROW(rows[i].line, fake.open_files == 0, "%d files open", fake.open_files);
    }
    ROWS_DONE();
}

/* Permission by the sysctl and the capabilities (PERF-2.2). */
static void test_permission(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *paranoid, *status;
        int result;
    } rows[] = {
        {__LINE__, "1", "Name:\tx\nCapEff:\t0000000000000000\n", -EACCES},
        {__LINE__, "0", "Name:\tx\nCapEff:\t0000000000000000\n", 0},
        {__LINE__, "1", "CapEff:\t0000004000000000\n", 0}, /* CAP_PERFMON, bit 38 */
        {__LINE__, "1", "CapEff:\t0000000000200000\n", 0}, /* CAP_SYS_ADMIN, bit 21 */
        {__LINE__, "1", "CapEff:\t0000002000000000\n", -EACCES},
        {__LINE__, "1", "nothing", -EACCES},
        {__LINE__, "1", NULL, -EACCES},
        {__LINE__, "no number", NULL, 0}, /* then the kernel decides */
        {__LINE__, "1", "EIO", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake fake;
        struct tally_error error = {0};
        fake_init(&fake, HSW);
        fake.files[0] = (struct fake_file){PARANOID, rows[i].paranoid};
        fake.files[1] = (struct fake_file){STATUS, rows[i].status};
        int result = gpu_permitted(&fake.device, &error);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
        ROW(rows[i].line,
            result == 0 || (mentions(error.message, "CAP_PERFMON") &&
                            mentions(error.message, "dev.i915.perf_stream_paranoid=0")),
            "\"%s\"", error.message);
    }
    ROWS_DONE();
}

/* PERF-2.3, the table of periods. */
static void test_periods(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t hz;
        unsigned exponent;
        uint64_t ns;
    } rows[] = {
        {__LINE__, 12500000, 0, 160},
        {__LINE__, 12500000, 9, 81920},
        {__LINE__, 12500000, 12, 655360},
        {__LINE__, 12500000, 31, 343597383680},
        {__LINE__, 12000000, 0, 167},
        {__LINE__, 12000000, 12, 682667},
        {__LINE__, 12000000, 6, 10667},
        {__LINE__, 19200000, 0, 105},
        {__LINE__, 19200000, 13, 853334},
        {__LINE__, 19200000, 31, 223696213334},
        {__LINE__, 38400000, 0, 53},
        {__LINE__, 38400000, 14, 853334},
        {__LINE__, 38400000, 31, 111848106667},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu gpu = {.device.platform = tally_platform_find("skl"),
                          .info.timestamp_hz = rows[i].hz};
        uint64_t ns = gpu_period_ns(&gpu, rows[i].exponent);
        ROW(rows[i].line, ns == rows[i].ns, "%llu", (unsigned long long)ns);
        unsigned nearest = gpu_nearest_exponent(&gpu, ns);
        ROW(rows[i].line, nearest == rows[i].exponent, "nearest %u", nearest);
    }
    ROWS_DONE();
}

static void test_nearest_period(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t hz, asked_ns;
        unsigned exponent;
    } rows[] = {
        {__LINE__, 12500000, 80000, 9},    /* 81.92 us */
        {__LINE__, 12500000, 1000000, 13}, /* 1.31 ms is nearer than 0.66 */
        {__LINE__, 12500000, 983040, 12},  /* halfway: the shorter */
        {__LINE__, 12500000, 983041, 13},     {__LINE__, 12500000, 1, 0},
        {__LINE__, 12500000, UINT64_MAX, 31}, {__LINE__, 12000000, 1000000, 12},
        {__LINE__, 19200000, 1000000, 13},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu gpu = {.device.platform = tally_platform_find("skl"),
                          .info.timestamp_hz = rows[i].hz};
        unsigned exponent = gpu_nearest_exponent(&gpu, rows[i].asked_ns);
        ROW(rows[i].line, exponent == rows[i].exponent, "%u", exponent);
    }
    ROWS_DONE();
}

static void test_correlation(void **state)
{
    (void)state;
    struct fake fake;
    struct gpu gpu;
    uint64_t cpu, ticks;
    fake_init(&fake, HSW);
    fake_gpu(&fake, &gpu);
    assert_int_equal(gpu_correlate(&gpu, &cpu, &ticks), 0);
    assert_int_equal(cpu, 5000000000);
    assert_int_equal(ticks, 62500000);
    fake.answers[0] = (struct fake_answer){DRM_IOCTL_I915_REG_READ, 0, -EINVAL, 0};
    assert_int_equal(gpu_correlate(&gpu, &cpu, &ticks), -EINVAL);
    gpu_close(&gpu);
}

static void test_numbers_in_files(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        int result;
        uint64_t value;
    } rows[] = {
        {__LINE__, "0", 0, 0},        {__LINE__, "100000", 0, 100000},
        {__LINE__, "0x10", 0, 16},    {__LINE__, "", -EINVAL, 0},
        {__LINE__, "-1", -EINVAL, 0}, {__LINE__, "1 2", -EINVAL, 0},
        {__LINE__, "x", -EINVAL, 0},  {__LINE__, "99999999999999999999", -EINVAL, 0},
        {__LINE__, NULL, -EACCES, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fake fake;
        uint64_t value = 0;
        fake_init(&fake, HSW);
        fake.files[0] = (struct fake_file){"/n", rows[i].text};
        int result = device_number(&fake.device, "/n", &value);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
        ROW(rows[i].line, result < 0 || value == rows[i].value, "%llu", (unsigned long long)value);
    }
    ROWS_DONE();
}

int run_gpu_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_gpu_describes_itself),
        cmocka_unit_test(test_older_kernels),
        cmocka_unit_test(test_unsupported_gpus),
        cmocka_unit_test(test_permission),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_nearest_period),
        cmocka_unit_test(test_correlation),
        cmocka_unit_test(test_numbers_in_files),
    };
    return cmocka_run_group_tests_name("gpu", tests, NULL, NULL);
}
