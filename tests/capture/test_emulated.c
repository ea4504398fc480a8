/* SPDX-License-Identifier: MIT */
/* The emulated machine: its recordings match the workload's known counts. */
#include "capture/tests.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include <tally/gpu.h>
#include <tally/workload.h>

#include "capture/recorded.h"
#include "capture/stream.h"
#include "driver/i915/uapi.h"

#define MS UINT64_C(1000000)

/* ---- known answers --------------------------------------------------------------------------- */

struct bounds {
    double low, high;
};

/* Expected counts between two times, with their tolerance. */
static struct bounds expect(const struct tally_workload_cursor *start, uint64_t from, uint64_t to,
                            uint64_t apart, unsigned counter)
{
    struct tally_workload_counts at[4];
    const uint64_t clocks[] = {from - apart, from + apart, to - apart, to + apart};
    for (size_t i = 0; i < 4; i++)
        tally_workload_expect(start, clocks[i], recorded_flexible, &at[i]);
    double spread = 6 * at[3].a[counter].deviation;
    return (struct bounds){at[2].a[counter].mean - at[1].a[counter].mean - spread,
                           at[3].a[counter].mean - at[0].a[counter].mean + spread};
}

static void check_answers(const char *platform, const char *workload, unsigned exponent)
{
    struct device machine = modelled(platform, workload);
    struct recorded recorded;
    struct tally_workload *file;
    struct tally_workload_program *program;
    struct tally_workload_cursor start;
    struct tally_error error = {0};
    char path[512];
    record(&machine, exponent, 200 * MS, &recorded);
    struct tally_gpu *gpu = emulated_device(&machine)->gpu;
    uint64_t hz = tally_gpu_clock_hz(gpu);
    unsigned eus = tally_gpu_eus(gpu);

    snprintf(path, sizeof path, "%s/data/workloads/%s.yaml", getenv("TALLY_SOURCE"), workload);
    assert_int_equal(tally_workload_load(path, &file, &error), 0);
    assert_int_equal(
        tally_workload_bind(file, &(struct tally_workload_target){platform, eus, 0, NULL}, NULL,
                            NULL, &program, &error),
        0);
    tally_workload_start(program, &start);
    assert_true(recorded.count > 100);
    uint64_t first = recorded.reports[0].ticks, last = recorded.reports[recorded.count - 1].ticks;
    uint64_t from = first * hz / recorded.timestamp_hz, to = last * hz / recorded.timestamp_hz;
    uint64_t period = (UINT64_C(2) << exponent) * hz / recorded.timestamp_hz;
    bool hsw = !strcmp(platform, "hsw");

    uint64_t clocks = recorded.sums[hsw ? TALLY_SLOT_C + 2 : TALLY_SLOT_TICKS];
    ROW(__LINE__, clocks + period > to - from && clocks < to - from + period,
        "%s, %s: %llu clocks, expected %llu", platform, workload, (unsigned long long)clocks,
        (unsigned long long)(to - from));
    unsigned moved = 0;
    for (unsigned i = 0; i < (hsw ? 45 : 36); i++) {
        struct bounds bounds = expect(&start, from, to, period, i);
        double got = (double)recorded.sums[TALLY_SLOT_A + i];
        ROW(__LINE__, got >= bounds.low && got <= bounds.high,
            "%s, %s: A%u is %.0f, expected %.0f to %.0f", platform, workload, i, got, bounds.low,
            bounds.high);
        moved += got > 0;
    }
    ROW(__LINE__, moved >= 7, "%s, %s: %u counters moved", platform, workload, moved);
    tally_workload_unbind(program);
    tally_workload_free(file);
    recorded_free(&recorded);
    device_free(&machine);
}

static void test_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; emulation_platform(i, true); i++) {
        check_answers(emulation_platform(i, true), "triangle", 12);
        check_answers(emulation_platform(i, true), "compute", 10);
    }
    ROWS_DONE();
}

/* All kernel revisions, and the shortest period: no reports are lost. */
static void test_kernels_and_periods(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/data/workloads/contexts.yaml", getenv("TALLY_SOURCE"));
    for (unsigned revision = 1; revision <= 7; revision++) {
        for (unsigned exponent = 0; exponent <= 10; exponent += 10) {
            struct device machine;
            struct recorded recorded;
            struct tally_error error = {0};
            struct emulated_settings settings = {.device = {.gpu.platform = "hsw",
                                                            .workload = path,
                                                            .driver.perf_revision = revision}};
            assert_int_equal(emulated_device_new(&settings, &machine, &error), 0);
            record(&machine, exponent, 15 * MS, &recorded);
            uint64_t due = 15 * MS / (UINT64_C(160) << exponent);
            ROW(__LINE__, recorded.totals.reports >= due * 95 / 100,
                "revision %u, exponent %u: %llu reports, %llu were due", revision, exponent,
                (unsigned long long)recorded.totals.reports, (unsigned long long)due);
            ROW(__LINE__, !recorded.totals.missing && !recorded.totals.buffer_lost,
                "revision %u, exponent %u: %llu missing", revision, exponent,
                (unsigned long long)recorded.totals.missing);
            recorded_free(&recorded);
            device_free(&machine);
        }
    }
    ROWS_DONE();
}

/* One stream at a time (PERF-2.1): the second recorder gets an error. */
static void test_a_device_that_is_busy(void **state)
{
    (void)state;
    struct device machine = modelled("skl", "triangle");
    struct tally_error error = {0};
    struct tally_capture_stats totals;
    struct gpu first, second;
    struct set_in_driver in_kernel;
    assert_int_equal(gpu_open(&machine, EMULATED_NODE, &first, &error), 0);
    assert_int_equal(gpu_open(&machine, EMULATED_NODE, &second, &error), 0);
    struct set set = recorded_set(first.device.platform);
    assert_int_equal(set_upload(&first, &set, &in_kernel, &error), 0);
    int stream = stream_open(&first, in_kernel.id, 12, &error);
    assert_true(stream >= 0);
    struct recorder_settings settings = {.gpu = &second,
                                         .set = &set,
                                         .exponent = 12,
                                         .duration_ns = MS,
                                         .output = "/dev/null",
                                         .wake = -1};
    assert_int_equal(recorder_run(&settings, &totals, &error), -EBUSY);
    assert_non_null(strstr(error.message, "another program is using its counters"));
    machine.calls->close(machine.self, stream);
    assert_int_equal(recorder_run(&settings, &totals, &error), 0);
    set_remove(&first, &in_kernel);
    gpu_close(&first);
    gpu_close(&second);
    device_free(&machine);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* The free clock gives the same bytes each time, independent of the machine's load. */
static void test_the_same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; emulation_platform(i, true); i++) {
        char *bytes[2];
        size_t sizes[2];
        for (size_t k = 0; k < 2; k++) {
            struct device machine = modelled(emulation_platform(i, true), "contexts");
            struct recorded recorded;
            record(&machine, 11, 100 * MS, &recorded);
            FILE *file = fopen(recorded.path, "re");
            bytes[k] = malloc(1 << 22);
            sizes[k] = fread(bytes[k], 1, 1 << 22, file);
            fclose(file);
            recorded_free(&recorded);
            device_free(&machine);
        }
        ROW(__LINE__,
            sizes[0] == sizes[1] && sizes[0] > 10000 && !memcmp(bytes[0], bytes[1], sizes[0]),
            "%s: other bytes", emulation_platform(i, true));
        free(bytes[0]);
        free(bytes[1]);
    }
    ROWS_DONE();
}

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* With the wall clock waits take real time, and the CPU's clock is the machine's. */
static void test_the_wall_clock(void **state)
{
    (void)state;
    char path[512];
    struct device machine;
    struct tally_error error = {0};
    int wake[2];
    snprintf(path, sizeof path, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
    struct emulated_settings settings = {
        .device = {.gpu.platform = "hsw", .workload = path, .clock = EMULATION_WALL}};
    assert_int_equal(emulated_device_new(&settings, &machine, &error), 0);
    uint64_t wall = wall_ns(), before = device_now_ns(&machine);
    assert_true(before <= wall && wall - before < 1000 * MS);
    assert_int_equal(machine.calls->poll(machine.self, -1, -1, 50 * MS), 0);
    uint64_t waited = wall_ns() - wall;
    assert_true(device_now_ns(&machine) >= before + 50 * MS);
    /* The clock began when the machine was made, so it may have had to catch up. */
    assert_true(waited + (wall - before) >= 50 * MS && waited < 5000 * MS);
    assert_int_equal(pipe2(wake, O_CLOEXEC), 0);
    assert_int_equal(write(wake[1], "x", 1), 1);
    wall = wall_ns();
    assert_int_equal(machine.calls->poll(machine.self, -1, wake[0], 60000 * MS), DEVICE_WAKE);
    assert_true(wall_ns() - wall < 10000 * MS);
    close(wake[0]);
    close(wake[1]);
    device_free(&machine);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void test_descriptors(void **state)
{
    (void)state;
    struct device machine = modelled("skl", "triangle");
    const struct device_calls *calls = machine.calls;
    void *self = machine.self;
    char text[64];
    int files[4];
    assert_int_equal(calls->open(self, "/dev/dri/renderD129"), -ENOENT);
    for (size_t i = 0; i < 4; i++)
        assert_true((files[i] = calls->open(self, i % 2 ? EMULATED_NODE : "/dev/dri/card0")) >= 0);
    assert_int_equal(calls->open(self, EMULATED_NODE), -EMFILE);
    assert_int_equal(calls->read(self, files[0], text, 8), -EINVAL);
    assert_int_equal(calls->card(self, files[0], text, sizeof text), 0);
    assert_int_equal(calls->card(self, files[0], text, 4), -ENAMETOOLONG);
    assert_int_equal(calls->close(self, files[0]), 0);
    assert_int_equal(calls->close(self, files[0]), -EBADF);
    assert_int_equal(calls->card(self, files[0], text, sizeof text), -EBADF);
    assert_int_equal(calls->read(self, 5, text, 8), -EBADF);
    assert_int_equal(calls->ioctl(self, 5, DRM_IOCTL_I915_PERF_OPEN, text), -EBADF);
    assert_int_equal(calls->text(self, "/proc/cpuinfo", text, sizeof text), -ENOENT);
    device_free(&machine); /* closes what is open */
}

/* A set is in sysfs from its addition to its removal. */
static void test_sets_in_sysfs(void **state)
{
    (void)state;
    struct device machine = modelled("bdw", "triangle");
    struct gpu gpu;
    struct tally_error error = {0};
    struct set_in_driver in_kernel;
    char path[512], text[16];
    assert_int_equal(gpu_open(&machine, EMULATED_NODE, &gpu, &error), 0);
    struct set set = recorded_set(gpu.device.platform);
    snprintf(path, sizeof path, "%s/metrics/%s/id", gpu.card, set.uuid);
    assert_int_equal(machine.calls->text(machine.self, path, text, sizeof text), -ENOENT);
    assert_int_equal(set_upload(&gpu, &set, &in_kernel, &error), 0);
    assert_true(in_kernel.added && in_kernel.id >= 2);
    assert_int_equal(machine.calls->text(machine.self, path, text, sizeof text), 0);
    assert_int_equal(strtoull(text, NULL, 10), in_kernel.id);
    struct set_in_driver again;
    assert_int_equal(set_upload(&gpu, &set, &again, &error), 0);
    assert_false(again.added);
    assert_int_equal(again.id, in_kernel.id);
    set_remove(&gpu, &in_kernel);
    assert_int_equal(machine.calls->text(machine.self, path, text, sizeof text), -ENOENT);
    gpu_close(&gpu);
    device_free(&machine);
}

/* Without permission the error names the sysctl or capability that is missing. */
static void test_without_permission(void **state)
{
    (void)state;
    char path[512];
    struct device machine;
    struct gpu gpu;
    struct tally_error error = {0};
    struct tally_capture_stats totals;
    snprintf(path, sizeof path, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
    struct emulated_settings settings = {.device = {.gpu.platform = "hsw", .workload = path},
                                         .unprivileged = true};
    assert_int_equal(emulated_device_new(&settings, &machine, &error), 0);
    assert_int_equal(gpu_open(&machine, EMULATED_NODE, &gpu, &error), 0);
    assert_int_equal(gpu_permitted(&machine, &error), -EACCES);
    struct set set = recorded_set(gpu.device.platform);
    struct recorder_settings recorder = {.gpu = &gpu,
                                         .set = &set,
                                         .exponent = 13,
                                         .duration_ns = MS,
                                         .output = "/dev/null",
                                         .wake = -1};
    error = (struct tally_error){0};
    assert_int_equal(recorder_run(&recorder, &totals, &error), -EACCES);
    assert_non_null(strstr(error.message, "dev.i915.perf_stream_paranoid=0"));
    assert_non_null(strstr(error.message, "CAP_PERFMON"));
    gpu_close(&gpu);
    device_free(&machine);
}

static void count_note(void *closure, unsigned line, const char *message)
{
    assert_true(line > 0 && *message);
    ++*(unsigned *)closure;
}

static void test_invalid_configurations(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform, *workload;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, "ivb", "triangle", -ENODEV, "no counter interface for Ivy Bridge"},
        {__LINE__, "dg2", "triangle", -ENODEV, "expected sim:snb, ivb, vlv, hsw, "},
        {__LINE__, "hsw", "/nonexistent.yaml", -ENOENT, "/nonexistent.yaml"},
        {__LINE__, "hsw", "/dev/null/x", -ENOTDIR, "/dev/null/x"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct emulated_settings settings = {
            .device = {.gpu.platform = rows[i].platform, .workload = rows[i].workload}};
        struct device machine = {0};
        struct tally_error error = {0};
        int result = emulated_device_new(&settings, &machine, &error);
        ROW(rows[i].line, result == rows[i].result, "%d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "\"%s\"", error.message);
        device_free(&machine);
    }
    char path[512];
    unsigned notes = 0;
    struct device machine;
    struct tally_error error = {0};
    snprintf(path, sizeof path, "%s/data/workloads/triangle.yaml", getenv("TALLY_SOURCE"));
    struct emulated_settings settings = {
        .device = {.gpu.platform = "hsw", .workload = path, .note = count_note, .closure = &notes}};
    assert_int_equal(emulated_device_new(&settings, &machine, &error), 0);
    assert_true(notes > 5);
    device_free(&machine);
    ROWS_DONE();
}

int run_emulated_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),          cmocka_unit_test(test_kernels_and_periods),
        cmocka_unit_test(test_a_device_that_is_busy),  cmocka_unit_test(test_the_same_bytes),
        cmocka_unit_test(test_the_wall_clock),         cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_sets_in_sysfs),          cmocka_unit_test(test_without_permission),
        cmocka_unit_test(test_invalid_configurations),
    };
    return cmocka_run_group_tests_name("emulated", tests, NULL, NULL);
}
