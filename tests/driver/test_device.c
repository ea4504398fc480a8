/* SPDX-License-Identifier: MIT */
/* ioctl() dispatch and properties of the device (PERF-1.1, PERF-1.5, PERF-1.6, PERF-1.8). */
#include <inttypes.h>

#include "driver/rig.h"
#include "driver/tests.h"

/* ---- dispatch -------------------------------------------------------------------------------- */

static void test_dispatch(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t request;
        bool render;
        uint64_t address; /* 0: valid memory */
        int expected;
    } rows[] = {
        {__LINE__, 0x00006900, false, 0, -ENOTTY}, /* another ioctl type */
        {__LINE__, 0xc0106146, false, 0, -ENOTTY},
        {__LINE__, 0xc01064ff, false, 0, -EINVAL}, /* unknown number */
        {__LINE__, 0xc010647d, false, 0, -EINVAL},
        {__LINE__, 0xc0106450, false, 0, -EINVAL},     /* a number without a call */
        {__LINE__, DRM_IOCTL_I915_FLUSH, false, 0, 0}, /* calls without effect */
        {__LINE__, DRM_IOCTL_I915_FLUSH, true, 0, -EACCES},
        {__LINE__, DRM_IOCTL_I915_GEM_EXECBUFFER, false, 0, -EINVAL}, /* retired */
        {__LINE__, DRM_IOCTL_I915_OVERLAY_ATTRS, false, 0, -EACCES},  /* not the master */
        {__LINE__, DRM_IOCTL_I915_INIT, false, 0, -EACCES},
        {__LINE__, DRM_IOCTL_MODE_GETRESOURCES, false, 0, -EOPNOTSUPP},
        {__LINE__, DRM_IOCTL_I915_GETPARAM, false, FAULTY, -EFAULT},         /* input */
        {__LINE__, DRM_IOCTL_I915_GEM_GET_APERTURE, false, FAULTY, -EFAULT}, /* output */
        {__LINE__, DRM_IOCTL_I915_GEM_THROTTLE, false, FAULTY, 0},           /* neither */
        {__LINE__, DRM_IOCTL_I915_GEM_GET_APERTURE, true, 0, 0},
        {__LINE__, DRM_IOCTL_GET_UNIQUE, false, 0, 0},
        {__LINE__, DRM_IOCTL_GET_UNIQUE, true, 0, -EACCES}, /* not for render nodes */
        {__LINE__, DRM_IOCTL_SET_CLIENT_CAP, true, 0, -EACCES},
        {__LINE__, DRM_IOCTL_SET_CLIENT_CAP, false, 0, -EOPNOTSUPP},
        /* The number alone selects the call; missing fields of shorter structs are zero. */
        {__LINE__, 0xc0046457, false, 0, -ENOENT},      /* BUSY of half a struct: handle 0 */
        {__LINE__, 0xff006457, false, 0, -ENOENT},      /* and a huge one */
        {__LINE__, 0x00006457, false, FAULTY, -ENOENT}, /* nothing in, nothing out */
        {__LINE__, 0x40086457, false, 0, -ENOENT},
        {__LINE__, 0xc0106476, false, 0, -EINVAL}, /* PERF_OPEN with output */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        struct i915_file *file;
        assert_int_equal(i915_file_open(rig->device, rows[i].render, &file), 0);
        memset(rig->user, 0, 0x4000);
        int result = i915_ioctl(file, rows[i].request, rows[i].address ? rows[i].address : USER,
                                &rig->caller);
        ROW(rows[i].line, result == rows[i].expected, "%08x gave %d, expected %d", rows[i].request,
            result, rows[i].expected);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A call without a struct sees a struct of zeroes: for each number the same result. Each has
 * objects, contexts and sets with the ids 1 and 2 that a wrong byte would select. */
static void test_calls_without_a_struct(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 0x100; number++) {
        int results[2];
        for (unsigned zeroes = 0; zeroes < 2; zeroes++) {
            struct rig *rig = rig_new("skl", NULL);
            for (unsigned i = 0; i < 2; i++) {
                rig_create(rig, 4096);
                rig_context(rig);
                rig_add_set(rig);
            }
            memset(rig->user, 0, 0x4000);
            results[zeroes] = i915_ioctl(rig->file,
                                         zeroes ? _IOC(_IOC_READ | _IOC_WRITE, 'd', number, 256)
                                                : _IOC(_IOC_NONE, 'd', number, 0),
                                         zeroes ? USER : FAULTY, &rig->caller);
            rig_free(rig);
        }
        ROW(__LINE__, results[0] == results[1], "%#" PRIx32 " gave %d, with zeroes %d", number,
            results[0], results[1]);
    }
    ROWS_DONE();
}

/* Output is copied even if the call fails. */
static void test_answer_of_a_failure(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    struct drm_i915_gem_wait wait = {1, 0, 12345};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), -ENOENT);
    assert_int_equal(wait.timeout_ns, 12345);
    uint64_t at = rig_put(rig, &wait, sizeof wait);
    rig->readable_end = at + sizeof wait;
    assert_int_equal(i915_ioctl(rig->file, DRM_IOCTL_I915_GEM_WAIT, at, &rig->caller), -ENOENT);
    rig_free(rig);
}

static void test_version(void **state)
{
    (void)state;
    struct rig *rig = rig_new("hsw", NULL);
    uint64_t space = rig_put(rig, "................", 16);
    struct drm_version version = {.name_len = 11, .name = (char *)(uintptr_t)space};
    assert_int_equal(rig_call(rig, DRM_IOCTL_VERSION, &version, sizeof version), 0);
    assert_int_equal(version.version_major, 1); /* 1.6.0, as the kernel has reported since 2008 */
    assert_int_equal(version.version_minor, 6);
    assert_int_equal(version.version_patchlevel, 0);
    assert_memory_equal(rig_at(rig, space), "i915.", 5);
    assert_int_equal(version.name_len, 4);
    assert_int_equal(version.desc_len, strlen("Intel Graphics"));
    version = (struct drm_version){.name_len = 2, .name = (char *)(uintptr_t)(space + 8)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_VERSION, &version, sizeof version), 0);
    assert_memory_equal(rig_at(rig, space), "i915....i9..", 12);
    assert_int_equal(version.name_len, 4);
    version = (struct drm_version){.name_len = 4, .name = (char *)(uintptr_t)FAULTY};
    assert_int_equal(rig_call(rig, DRM_IOCTL_VERSION, &version, sizeof version), -EFAULT);
    rig_free(rig);
}

static void test_capabilities(void **state)
{
    (void)state;
    static const struct {
        uint64_t capability, value;
    } rows[] = {{0x5, 3}, {0x6, 1}, {0x13, 1}, {0x14, 1}}; /* PRIME, TIMESTAMP_MONOTONIC, SYNCOBJ */
    struct rig *rig = rig_new("skl", NULL);
    for (uint64_t number = 0; number < 0x20; number++) {
        struct drm_get_cap cap = {number, 77};
        size_t i = 0;
        while (i < COUNT(rows) && rows[i].capability != number)
            i++;
        int result = rig_call(rig, DRM_IOCTL_GET_CAP, &cap, sizeof cap);
        if (i < COUNT(rows))
            ROW(__LINE__, result == 0 && cap.value == rows[i].value, "%#x gave %d, %d",
                (unsigned)number, result, (int)cap.value);
        else
            ROW(__LINE__, result == -EOPNOTSUPP, "%#x gave %d", (unsigned)number, result);
    }
    rig_free(rig);
    ROWS_DONE();
}

/* ---- GETPARAM -------------------------------------------------------------------------------- */

static void test_getparam(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned revision; /* of perf; 0: the newest */
        int32_t param;
        int result;
        int32_t value;
    } rows[] = {
        {__LINE__, "hsw", 0, 4, 0, 0x0416},
        {__LINE__, "lkf", 0, 4, 0, 0x9840},
        {__LINE__, "skl", 0, 32, 0, 7},
        {__LINE__, "hsw", 0, 33, 0, 2},
        {__LINE__, "skl", 0, 33, 0, 3},
        {__LINE__, "lkf", 0, 33, 0, 8},
        {__LINE__, "hsw", 0, 34, 0, 20},
        {__LINE__, "chv", 0, 34, 0, 16},
        {__LINE__, "skl", 0, 46, 0, 1},
        {__LINE__, "skl", 0, 47, 0, 7},
        {__LINE__, "icl", 0, 47, 0, 0xff},
        {__LINE__, "hsw", 0, 51, 0, 12500000},
        {__LINE__, "skl", 0, 51, 0, 12000000},
        {__LINE__, "lkf", 0, 51, 0, 19200000},
        {__LINE__, "skl", 0, 54, 0, 7},
        {__LINE__, "skl", 1, 54, -EINVAL, 0},
        {__LINE__, "skl", 2, 54, 0, 2},
        {__LINE__, "skl", 3, 54, 0, 3},
        {__LINE__, "skl", 5, 54, 0, 5},
        {__LINE__, "skl", 0, 57, 0, 12000000},
        {__LINE__, "skl", 6, 57, 0, 12000000},
        {__LINE__, "skl", 5, 57, -EINVAL, 0},
        {__LINE__, "skl", 0, 17, 0, 1},
        {__LINE__, "chv", 0, 17, 0, 0},
        {__LINE__, "hsw", 0, 18, 0, 1},
        {__LINE__, "skl", 0, 18, 0, 2},
        {__LINE__, "skl", 0, 40, 0, 4},
        {__LINE__, "skl", 0, 37, 0, 1},
        {__LINE__, "skl", 0, 1, -ENODEV, 0},
        {__LINE__, "skl", 0, 2, -ENODEV, 0},
        {__LINE__, "skl", 0, 3, -ENODEV, 0},
        {__LINE__, "skl", 0, 14, -ENODEV, 0},
        {__LINE__, "tgl", 0, 4, 0, 0x9a49},
        {__LINE__, "tgl", 0, 33, 0, 6},
        {__LINE__, "rkl", 0, 4, 0, 0x4c8a},
        {__LINE__, "rkl", 0, 34, 0, 32},
        {__LINE__, "rkl", 0, 17, 0, 1},
        {__LINE__, "dg1", 0, 17, 0, 0},
        {__LINE__, "dg1", 0, 57, 0, 19200000},
        {__LINE__, "adl", 0, 34, 0, 96},
        {__LINE__, "tgl", 0, 34, 0, 96},
        {__LINE__, "tgl", 0, 47, 0, 0x3f},
        {__LINE__, "tgl", 0, 57, 0, 19200000},
        {__LINE__, "tgl", 0, 51, 0, 19200000},
        /* SLICE_MASK, SUBSLICE_MASK, and the totals of SKUs. */
        {__LINE__, "hsw/gt3", 0, 46, 0, 3},
        {__LINE__, "hsw/gt3", 0, 47, 0, 3},
        {__LINE__, "hsw/gt3", 0, 33, 0, 4},
        {__LINE__, "hsw/gt3", 0, 34, 0, 40},
        {__LINE__, "hsw/gt3", 0, 32, 0, 8},
        {__LINE__, "hsw/gt3", 0, 4, 0, 0x0d26},
        {__LINE__, "hsw/gt1", 0, 47, 0, 1},
        {__LINE__, "hsw/gt1", 0, 34, 0, 10},
        {__LINE__, "skl/gt4", 0, 46, 0, 7},
        {__LINE__, "skl/gt4", 0, 47, 0, 7},
        {__LINE__, "skl/gt4", 0, 33, 0, 9},
        {__LINE__, "skl/gt4", 0, 34, 0, 72},
        {__LINE__, "bdw/gt1", 0, 34, 0, 12},
        {__LINE__, "bdw/gt1", 0, 47, 0, 3},
        {__LINE__, "skl", 0, 0, -EINVAL, 0},
        {__LINE__, "skl", 0, 58, -EINVAL, 0},
        {__LINE__, "skl", 0, -1, -EINVAL, 0},
        {__LINE__, "skl", 0, 4 + 256, -EINVAL, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct i915_settings settings = {.perf_revision = rows[i].revision};
        struct rig *rig = rig_new(rows[i].platform, &settings);
        int32_t value = 0;
        uint64_t space = rig_put(rig, &value, sizeof value);
        struct drm_i915_getparam args = {rows[i].param, (int *)(uintptr_t)space};
        int result = rig_call(rig, DRM_IOCTL_I915_GETPARAM, &args, sizeof args);
        memcpy(&value, rig_at(rig, space), sizeof value);
        ROW(rows[i].line, result == rows[i].result && value == rows[i].value, "%s: %d gave %d, %x",
            rows[i].platform, rows[i].param, result, (unsigned)value);
        args.value = (int *)(uintptr_t)FAULTY;
        result = rig_call(rig, DRM_IOCTL_I915_GETPARAM, &args, sizeof args);
        ROW(rows[i].line, result == (rows[i].result ? rows[i].result : -EFAULT),
            "without a place for the answer: %d", result);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- REG_READ -------------------------------------------------------------------------------- */

static void test_reg_read(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t offset;
        int expected;
    } rows[] = {
        {__LINE__, 0x2358, 0},
        {__LINE__, 0x2359, 0},
        {__LINE__, 0x235a, -EINVAL},
        {__LINE__, 0x235c, -EINVAL},
        {__LINE__, 0x2350, -EINVAL},
        {__LINE__, 0x2360, -EINVAL},
        {__LINE__, 0, -EINVAL},
        {__LINE__, UINT64_MAX, -EINVAL},
        {__LINE__, UINT64_C(0x100002358), -EINVAL},
    };
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        rig_run_ns(rig, 1000000);
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct drm_i915_reg_read args = {rows[i].offset, 0};
            int result = rig_call(rig, DRM_IOCTL_I915_REG_READ, &args, sizeof args);
            ROW(rows[i].line, result == rows[i].expected, "%lx gave %d",
                (unsigned long)rows[i].offset, result);
            uint64_t expected = 0;
            tally_oa_peek(tally_gpu_oa(rig->gpu), "timestamp", &expected);
            ROW(rows[i].line, result < 0 || (expected > 1000 && args.val == expected),
                "%s: %lu, expected %lu", rig_platforms[p], (unsigned long)args.val,
                (unsigned long)expected);
        }
        /* All of its 36 bits. */
        tally_oa_poke(tally_gpu_oa(rig->gpu), "timestamp", UINT64_C(0xf12345678));
        struct drm_i915_reg_read args = {0x2359, 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_REG_READ, &args, sizeof args), 0);
        ROW(__LINE__, args.val == UINT64_C(0xf12345678), "%lx", (unsigned long)args.val);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- settings -------------------------------------------------------------------------------- */

static void test_sysctl(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        enum i915_sysctl which;
        uint32_t value;
        int expected;
    } rows[] = {
        {__LINE__, "skl", I915_PARANOID, 0, 0},
        {__LINE__, "skl", I915_PARANOID, 1, 0},
        {__LINE__, "skl", I915_PARANOID, 2, -EINVAL},
        {__LINE__, "skl", I915_MAX_SAMPLE_RATE, 0, 0},
        {__LINE__, "skl", I915_MAX_SAMPLE_RATE, 6000000, 0},
        {__LINE__, "skl", I915_MAX_SAMPLE_RATE, 6000001, -EINVAL},
        {__LINE__, "hsw", I915_MAX_SAMPLE_RATE, 6250000, 0},
        {__LINE__, "hsw", I915_MAX_SAMPLE_RATE, 6250001, -EINVAL},
        {__LINE__, "lkf", I915_MAX_SAMPLE_RATE, 9600000, 0},
        {__LINE__, "lkf", I915_MAX_SAMPLE_RATE, UINT32_MAX, -EINVAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t usual = rows[i].which == I915_PARANOID ? 1 : 100000;
        ROW(rows[i].line, i915_sysctl_get(rig->device, rows[i].which) == usual, "the default");
        int result = i915_sysctl_set(rig->device, rows[i].which, rows[i].value);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        ROW(rows[i].line,
            i915_sysctl_get(rig->device, rows[i].which) == (result ? usual : rows[i].value),
            "it is %u", i915_sysctl_get(rig->device, rows[i].which));
        rig_free(rig);
    }
    ROWS_DONE();
}

/* The limits of the frequency: steps, range and order (OA-16.14). */
static void test_frequencies(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        enum i915_frequency which;
        uint32_t mhz;
        int expected;
        uint32_t got; /* then: of the frequency, and that which the driver requests */
        uint32_t requested;
    } rows[] = {
        {__LINE__, "hsw", I915_MAX, 625, 0, 650, 650},
        {__LINE__, "hsw", I915_MAX, 624, 0, 600, 600},
        {__LINE__, "hsw", I915_MAX, 199, 0, 200, 200},
        {__LINE__, "hsw", I915_MAX, 174, -EINVAL, 1350, 1350},
        {__LINE__, "hsw", I915_MAX, 1374, 0, 1350, 1350},
        {__LINE__, "hsw", I915_MAX, 1375, -EINVAL, 1350, 1350},
        {__LINE__, "hsw/gt3", I915_MAX, 1350, -EINVAL, 1300, 1300},
        {__LINE__, "hsw", I915_MIN, 410, 0, 400, 1350},
        {__LINE__, "hsw", I915_MIN, UINT32_MAX, -EINVAL, 200, 1350},
        {__LINE__, "hsw", I915_BOOST, 700, 0, 700, 1350},
        {__LINE__, "hsw", I915_BOOST, 0, -EINVAL, 1350, 1350},
        {__LINE__, "chv", I915_MAX, 407, 0, 413, 413},
        {__LINE__, "chv", I915_MAX, 406, 0, 400, 400},
        {__LINE__, "chv", I915_MAX, 199, 0, 200, 200},
        {__LINE__, "chv", I915_MAX, 9999, -EINVAL, 700, 700},
        {__LINE__, "vlv", I915_MAX, 500, 0, 511, 511},
        {__LINE__, "skl", I915_MAX, 410, 0, 417, 417},
        {__LINE__, "skl", I915_MAX, 408, 0, 400, 400},
        {__LINE__, "tgl", I915_MIN, 300, -EINVAL, 350, 1350},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t usual = tally_gpu_clock_hz(rig->gpu) / 1000000;
        int result = i915_frequency_set(rig->device, rows[i].which, rows[i].mhz);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        uint32_t got = i915_frequency_get(rig->device, rows[i].which),
                 requested = i915_frequency_get(rig->device, I915_REQUESTED);
        ROW(rows[i].line, got == rows[i].got && requested == rows[i].requested, "%u and %u MHz",
            got, requested);
        uint32_t actual = (tally_gpu_clock_hz(rig->gpu) + 500000) / 1000000;
        ROW(rows[i].line, actual == (result ? usual : requested), "the clock is %u MHz", actual);
        uint32_t shown = i915_frequency_actual(rig->device);
        ROW(rows[i].line, shown == actual, "%u MHz", shown);
        rig_free(rig);
    }
    struct rig *rig = rig_new("skl", NULL);
    struct i915_device *device = rig->device;
    ROW(__LINE__, i915_frequency_set(device, I915_MIN, 600) == 0, "a lower limit");
    ROW(__LINE__, i915_frequency_set(device, I915_MAX, 550) == -EINVAL, "an upper one below it");
    ROW(__LINE__, i915_frequency_set(device, I915_MAX, 700) == 0, "an upper one above it");
    ROW(__LINE__, i915_frequency_set(device, I915_MIN, 750) == -EINVAL, "a lower one above that");
    ROW(__LINE__, i915_frequency_set(device, I915_BOOST, 900) == 0, "boost above both");
    ROW(__LINE__, i915_frequency_get(device, I915_DEFAULT_MAX) == 69, "in steps");
    ROW(__LINE__, i915_frequency_get(device, I915_DEFAULT_MIN) == 18, "in steps");
    rig_free(rig);
    ROWS_DONE();
}

static void test_refused_settings(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        struct i915_settings settings;
        const char *message;
    } rows[] = {
        {__LINE__, "hsw", {.platform = "dg2"}, "dg2"},
        {__LINE__, "hsw", {.platform = NULL}, "platform \"\" has no GPU model"},
        {__LINE__, "hsw", {.platform = "hsw", .perf_revision = 8}, "1 to 7"},
        {__LINE__, "hsw", {.platform = "hsw", .eus = 40}, "40 EUs"},
        {__LINE__, "hsw", {.platform = "hsw", .memory_bytes = 4096}, "memory"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct i915_device *device = NULL;
        struct tally_error error = {0};
        int result = i915_device_new(&rows[i].settings, &rig->emulation->hardware, &device, &error);
        ROW(rows[i].line, result < 0 && !device && strstr(error.message, rows[i].message),
            "gave %d: %s", result, error.message);
        rig_free(rig);
    }
    ROWS_DONE();
}

int run_device_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dispatch),
        cmocka_unit_test(test_calls_without_a_struct),
        cmocka_unit_test(test_answer_of_a_failure),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_capabilities),
        cmocka_unit_test(test_getparam),
        cmocka_unit_test(test_reg_read),
        cmocka_unit_test(test_sysctl),
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_refused_settings),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
