/* SPDX-License-Identifier: MIT */
/* Recording without a kernel driver: known answers, and the same counts as by the i915 driver. */
#include "capture/tests.h"

#include <errno.h>

#include <tally/capture.h>
#include <tally/workload.h>

#include "base/bits.h"
#include "intel/platforms.h"

#define MS          UINT64_C(1000000)
#define MAX_REPORTS 4096

/* ---- a recording ----------------------------------------------------------------------------- */

struct run {
    const struct tally_layout *layout;
    const struct tally_platform *platform;
    struct tally_capture_stats stats;
    uint64_t hz, period_ns;
    unsigned eus;
    bool has_head;
    char head[4096]; /* the records before the first sample */
    size_t count;
    uint8_t reports[MAX_REPORTS][256];
};

static int take(void *closure, const void *records, size_t size)
{
    struct run *run = closure;
    const uint8_t *from = records;
    if (!run->has_head && size < sizeof run->head)
        memcpy(run->head, from, size);
    run->has_head = true;
    for (size_t at = 0; at < size; at += load_le16(from + at + 6)) {
        if (load_le32(from + at) != TALLY_RECORD_SAMPLE)
            continue;
        assert_true(run->count < MAX_REPORTS);
        memcpy(run->reports[run->count++], from + at + 8, load_le16(from + at + 6) - 8u);
    }
    return 0;
}

static const char *source(const char *path, char whole[512])
{
    snprintf(whole, 512, "%s/%s", getenv("TALLY_SOURCE"), path);
    return whole;
}

struct request {
    const char *platform, *workload, *set;
    enum tally_capture_driver driver;
    uint64_t period_ns, duration_ns;
    uint32_t format;
};

static struct run *record_run(const struct request *request)
{
    struct run *run = calloc(1, sizeof *run);
    struct tally_capture *capture;
    struct tally_error error = {0};
    struct tally_capture_device_options device = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
    struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
    char name[16], workload[512], file[64], metrics[512];
    assert_non_null(run);
    snprintf(name, sizeof name, "sim:%s", request->platform);
    snprintf(file, sizeof file, "data/workloads/%s.yaml", request->workload);
    device.workload = source(file, workload);
    device.clock = TALLY_CAPTURE_FREE;
    device.driver = request->driver;
    options.metric_set = request->set;
    options.metrics = source("data/metrics", metrics);
    options.period_ns = request->period_ns;
    options.duration_ns = request->duration_ns;
    options.oa_format = request->format;
    options.records = take;
    options.closure = run;
    if (tally_capture_open(name, &device, &capture, &error) < 0 ||
        tally_capture_run(capture, &options, &error) < 0)
        fail_msg("%s: %s", name, error.message);
    const struct tally_capture_info *info = tally_capture_info(capture);
    run->layout = info->layout;
    run->platform = info->device.platform;
    run->stats = *tally_capture_stats(capture);
    run->hz = info->recorded.timestamp_hz;
    run->eus = info->topology.eus;
    run->period_ns = info->period_ns;
    tally_capture_close(capture);
    return run;
}

static uint32_t stamp(const struct run *run, size_t report)
{
    return load_le32(run->reports[report] + 4);
}

/* ---- known answers --------------------------------------------------------------------------- */

static void check_answers(const char *platform, const char *workload, uint64_t period_ns,
                          uint32_t format)
{
    struct run *run = record_run(&(struct request){.platform = platform,
                                                   .workload = workload,
                                                   .period_ns = period_ns,
                                                   .duration_ns = 200 * MS,
                                                   .format = format});
    uint64_t sums[TALLY_SLOT_COUNT] = {0};
    struct tally_workload *file;
    struct tally_workload_program *program;
    struct tally_workload_cursor start;
    struct tally_workload_counts at[4];
    struct tally_error error = {0};
    char path[512], name[64];
    for (size_t i = 0; i + 1 < run->count; i++) {
        const uint8_t *pair[] = {run->reports[i], run->reports[i + 1]};
        tally_accumulate(run->layout, pair, 1, sums);
    }
    snprintf(name, sizeof name, "data/workloads/%s.yaml", workload);
    assert_int_equal(tally_workload_load(source(name, path), &file, &error), 0);
    struct tally_workload_target target = {platform, run->eus, 0, NULL};
    assert_int_equal(tally_workload_bind(file, &target, NULL, NULL, &program, &error), 0);
    tally_workload_start(program, &start);

    /* The render clock is the platform's highest: these workloads do not set another. */
    uint64_t clock_hz = run->platform->gt_max_mhz * UINT64_C(1000000);
    uint64_t from = stamp(run, 0) * clock_hz / run->hz;
    uint64_t to = stamp(run, run->count - 1) * clock_hz / run->hz;
    uint64_t apart = 2 * clock_hz / run->hz + 2,
             ends[] = {from - apart, from + apart, to - apart, to + apart};
    for (size_t i = 0; i < 4; i++)
        tally_workload_expect(&start, ends[i], NULL, &at[i]);
    unsigned moved = 0, checked = 0;
    for (unsigned i = 0; i < 45; i++) {
        if (!tally_layout_width(run->layout, TALLY_SLOT_A + i))
            continue;
        double spread = 6 * at[3].a[i].deviation, got = (double)sums[TALLY_SLOT_A + i];
        double low = at[2].a[i].mean - at[1].a[i].mean - spread;
        double high = at[3].a[i].mean - at[0].a[i].mean + spread;
        ROW(__LINE__, got >= low && got <= high, "%s, %s, %s: A%u is %.0f, expected %.0f to %.0f",
            platform, workload, run->layout->name, i, got, low, high);
        moved += got > 0;
        checked++;
    }
    bool clocks = tally_layout_width(run->layout, TALLY_SLOT_B) != 0;
    uint64_t elapsed = to - from, counted = sums[TALLY_SLOT_B];
    ROW(__LINE__, !clocks || (counted + apart > elapsed && counted < elapsed + apart),
        "%s, %s: %llu clocks, expected %llu", platform, workload, (unsigned long long)counted,
        (unsigned long long)elapsed);
    ROW(__LINE__, moved >= 3 && checked >= 13, "%s, %s: %u of %u counters moved", platform,
        workload, moved, checked);
    ROW(__LINE__,
        !run->stats.missing && !run->stats.buffer_lost && !run->stats.not_landed &&
            run->count >= 200 * MS / run->period_ns - 2,
        "%s, %s: %zu reports", platform, workload, run->count);
    tally_workload_unbind(program);
    tally_workload_free(file);
    free(run);
}

/* Of platforms without a kernel interface, in each layout: the counts of the workload. */
static void test_known_answers(void **state)
{
    (void)state;
    static const char *const workloads[] = {"triangle", "compute", "bottleneck"};
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        const char *name = platform->info.name;
        if (intel_has_perf(platform))
            continue;
        for (size_t w = 0; w < COUNT(workloads); w++)
            check_answers(name, workloads[w], w % 2 ? 80000 : MS, 0);
        for (size_t i = 0; i < tally_layout_count(); i++) {
            const struct tally_layout *layout = tally_layout_at(i);
            bool counts = tally_layout_width(layout, TALLY_SLOT_A) != 0;
            if (!strcmp(layout->family, platform->info.layout_family) && counts)
                check_answers(name, "triangle", MS, tally_layout_format(layout));
        }
    }
    ROWS_DONE();
}

/* ---- both drivers ---------------------------------------------------------------------------- */

/* Compares the deltas between reports at the same times. Returns their number. */
static unsigned compare(const struct run *a, const struct run *b, unsigned *different)
{
    unsigned pairs = 0;
    size_t j = 0, last_i = SIZE_MAX, last_j = 0;
    for (size_t i = 0; i < a->count; i++) {
        while (j < b->count && (int32_t)(stamp(b, j) - stamp(a, i)) < 0)
            j++;
        if (j == b->count || stamp(b, j) != stamp(a, i))
            continue;
        if (last_i != SIZE_MAX) {
            uint64_t sums[2][TALLY_SLOT_COUNT] = {{0}};
            const uint8_t *of_a[] = {a->reports[last_i], a->reports[i]};
            const uint8_t *of_b[] = {b->reports[last_j], b->reports[j]};
            tally_accumulate(a->layout, of_a, 1, sums[0]);
            tally_accumulate(b->layout, of_b, 1, sums[1]);
            *different += memcmp(sums[0], sums[1], sizeof sums[0]) != 0;
            pairs++;
        }
        last_i = i;
        last_j = j++; /* of several reports at one time, each has its counterpart */
    }
    return pairs;
}

/* The same run by the kernel's interface and by registers gives the same counts. */
static void test_both_drivers(void **state)
{
    (void)state;
    static const char *const workloads[] = {"triangle", "compute", "contexts"};
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, true)); p++) {
        for (size_t w = 0; w < COUNT(workloads); w++) {
            struct request request = {.platform = platform->info.name,
                                      .workload = workloads[w],
                                      .period_ns = w ? 100000 : 500000,
                                      .duration_ns = 150 * MS};
            request.driver = TALLY_CAPTURE_DRIVER_I915;
            struct run *i915 = record_run(&request);
            request.driver = TALLY_CAPTURE_DRIVER_MMIO;
            struct run *mmio = record_run(&request);
            unsigned different = 0, pairs = compare(i915, mmio, &different);
            ROW(__LINE__, i915->layout == mmio->layout && i915->period_ns == mmio->period_ns,
                "%s: another layout or period", platform->info.name);
            ROW(__LINE__, !different && pairs >= 148 * MS / mmio->period_ns - 3,
                "%s, %s: %u of %u deltas differ", platform->info.name, workloads[w], different,
                pairs);
            ROW(__LINE__,
                !mmio->stats.missing && !mmio->stats.buffer_lost && !mmio->stats.report_lost,
                "%s, %s: losses", platform->info.name, workloads[w]);
            free(i915);
            free(mmio);
        }
    }
    ROWS_DONE();
}

/* ---- what a recording says ------------------------------------------------------------------- */

static void test_what_it_says(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        enum tally_capture_driver driver;
        uint32_t format;
        const char *text; /* in PROVENANCE */
    } rows[] = {
        {__LINE__, "snb", TALLY_CAPTURE_DRIVER_DEFAULT, 0x54000003, "without a kernel driver"},
        {__LINE__, "ivb", TALLY_CAPTURE_DRIVER_DEFAULT, 0x54000005, "--driver mmio"},
        {__LINE__, "vlv", TALLY_CAPTURE_DRIVER_MMIO, 0x54000005, "without a kernel driver"},
        {__LINE__, "hsw", TALLY_CAPTURE_DRIVER_MMIO, 5, "without a kernel driver"},
        {__LINE__, "hsw", TALLY_CAPTURE_DRIVER_DEFAULT, 5, NULL},
        {__LINE__, "skl", TALLY_CAPTURE_DRIVER_I915, 10, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct run *run = record_run(&(struct request){.platform = rows[i].platform,
                                                       .workload = "triangle",
                                                       .driver = rows[i].driver,
                                                       .period_ns = MS,
                                                       .duration_ns = 20 * MS});
        const uint8_t *info = (const uint8_t *)run->head + 16; /* after VERSION */
        assert_int_equal(load_le32(info), TALLY_RECORD_DEVICE_INFO);
        ROW(rows[i].line, load_le32(info + 8 + 32) == rows[i].format, "format %x",
            load_le32(info + 8 + 32));
        const char *text = rows[i].text ? rows[i].text : "--driver";
        bool found = memmem(run->head, sizeof run->head, text, strlen(text)) != NULL;
        ROW(rows[i].line, found == (rows[i].text != NULL), "%s: \"%s\"", rows[i].platform, text);
        free(run);
    }
    ROWS_DONE();
}

static void test_refusals(void **state)
{
    (void)state;
    struct tally_capture_device_options i915 = TALLY_CAPTURE_DEVICE_OPTIONS_INIT, bad = i915;
    struct tally_capture_device_options mmio = i915, faults = i915;
    char path[512], workload[512];
    i915.driver = TALLY_CAPTURE_DRIVER_I915;
    mmio.driver = TALLY_CAPTURE_DRIVER_MMIO;
    mmio.workload = faults.workload = i915.workload =
        source("data/workloads/triangle.yaml", workload);
    bad.driver = (enum tally_capture_driver)3;
    faults.faults = source("data/faults/all.yaml", path);
    const struct {
        unsigned line;
        const char *device;
        const struct tally_capture_device_options *options;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, "sim:snb", &i915, -ENODEV, "no counter interface for Sandy Bridge"},
        {__LINE__, "sim:hsw", &bad, -EINVAL, "driver 3"},
        {__LINE__, "/dev/null", &mmio, -EINVAL, "driver and fuses are for modelled GPUs"},
        {__LINE__, "sim:snb", &faults, -EINVAL, "without a kernel driver"},
        {__LINE__, "sim:dg2", &mmio, -ENODEV, "sim:dg2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_capture *capture = NULL;
        struct tally_error error = {0};
        int result = tally_capture_open(rows[i].device, rows[i].options, &capture, &error);
        ROW(rows[i].line,
            result == rows[i].result && !capture && mentions(error.message, rows[i].message),
            "gave %d: %s", result, error.message);
        tally_capture_close(capture);
    }
    ROWS_DONE();
}

/* HSW's layout of 192 bytes is for the driver mmio only: the kernel does not offer it. */
static void test_layouts_that_the_kernel_lacks(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct tally_capture_device_options device = TALLY_CAPTURE_DEVICE_OPTIONS_INIT;
        struct tally_capture_options options = TALLY_CAPTURE_OPTIONS_INIT;
        struct tally_capture *capture;
        struct tally_error error = {0};
        struct run *run = calloc(1, sizeof *run);
        char metrics[512], workload[512];
        assert_non_null(run);
        device.workload = source("data/workloads/triangle.yaml", workload);
        device.driver = i ? TALLY_CAPTURE_DRIVER_MMIO : TALLY_CAPTURE_DRIVER_I915;
        device.clock = TALLY_CAPTURE_FREE;
        options.metrics = source("data/metrics", metrics);
        options.oa_format = tally_layout_format(tally_layout_find("hsw/011"));
        options.duration_ns = 30 * MS;
        options.records = take;
        options.closure = run;
        assert_int_equal(tally_capture_open("sim:hsw", &device, &capture, &error), 0);
        int result = tally_capture_run(capture, &options, &error);
        assert_int_equal(result, i ? 0 : -EINVAL);
        assert_true(i ? run->count > 20 : mentions(error.message, "does not offer"));
        tally_capture_close(capture);
        free(run);
    }
}

int run_registers_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_both_drivers),
        cmocka_unit_test(test_what_it_says),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_layouts_that_the_kernel_lacks),
    };
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
