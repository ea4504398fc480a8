/* SPDX-License-Identifier: MIT */
/* What each property of PERF_OPEN adds to the samples of a stream (document 003, "Records"). */
#include <inttypes.h>

#include <tally/report.h>

#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

enum { EXPONENT = 8, HEADER = 8, PERIODS = 12 };

/* Reads some periods: each record must be a header and a report of these bytes, aligned to 8 bytes,
 * and the report, whose dword 1 is the timestamp, must begin at the header's end. */
static void check_samples(unsigned line, struct rig *rig, int fd, uint64_t format,
                          unsigned exponent)
{
    unsigned bytes = tally_layout_for_kernel(rig->platform, (unsigned)format)->size_bytes;
    uint32_t before = 0, period = 2u << exponent, timers = 0;
    if (!ROW(line, fd >= 0, "%s: the stream cannot be opened: %d", rig->platform->name, fd))
        return;
    rig_run_ns(rig, PERIODS * rig_period_ns(rig, exponent) + 10000000);
    int64_t got = rig_read(rig, fd, USER_BYTES, false), at = 0;
    for (unsigned i = 0; at < got; i++) {
        struct drm_i915_perf_record_header header;
        uint32_t report[2];
        memcpy(&header, rig->user + at, sizeof header);
        memcpy(report, rig->user + at + HEADER, sizeof report);
        if (!ROW(line, header.type == DRM_I915_PERF_RECORD_SAMPLE && header.size == HEADER + bytes,
                 "%s: record %u has type %" PRIu32 " and %u bytes, expected %u",
                 rig->platform->name, i, (uint32_t)header.type, header.size, HEADER + bytes))
            return;
        ROW(line, header.size % 8 == 0, "%u bytes are not aligned", header.size);
        timers += i && report[1] - before == period;
        before = report[1];
        at += header.size;
    }
    ROW(line, at == got && timers >= PERIODS - 2, "%s: %" PRIu32 " periods in %" PRId64 " bytes",
        rig->platform->name, timers, got);
}

/* Opens a stream with these properties besides the usual ones, which end with the same property.
 * `format` and `exponent` are those that apply. */
static void check_property(unsigned line, struct rig *rig, const struct property *more,
                           size_t count, uint64_t format, unsigned exponent)
{
    rig->caller.drm.privileged = true;
    check_samples(line, rig, rig_open_usual(rig, 0, EXPONENT, more, count), format, exponent);
    rig_free(rig);
}

/* The only part of a sample. A stream without parts has nothing to read and cannot be opened; what
 * was selected stays selected (PERF-Q9). */
static void test_sample_oa(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        const struct property none[] = {
            {DRM_I915_PERF_PROP_SAMPLE_OA, 0},
            {DRM_I915_PERF_PROP_OA_METRICS_SET, (uint64_t)rig_add_set(rig)},
            {DRM_I915_PERF_PROP_OA_FORMAT, rig->platform->default_format},
            {DRM_I915_PERF_PROP_OA_EXPONENT, EXPONENT}};
        ROW(__LINE__, rig_open(rig, 0, none, COUNT(none)) == -EINVAL, "0 selects something");
        ROW(__LINE__, rig_open(rig, 0, none + 1, COUNT(none) - 1) == -EINVAL,
            "nothing selects something");
        const struct property zero = {DRM_I915_PERF_PROP_SAMPLE_OA, 0};
        check_property(__LINE__, rig, &zero, 1, rig->platform->default_format, EXPONENT);
        rig = rig_new(rig_platforms[p], NULL);
        check_property(__LINE__, rig, NULL, 0, rig->platform->default_format, EXPONENT);
    }
    ROWS_DONE();
}

static void test_metrics_set(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct property more = {DRM_I915_PERF_PROP_OA_METRICS_SET, (uint64_t)rig_add_set(rig)};
        check_property(__LINE__, rig, &more, 1, rig->platform->default_format, EXPONENT);
    }
    ROWS_DONE();
}

/* The format gives the size of the part. */
static void test_format(void **state)
{
    (void)state;
    static const struct {
        const char *platform;
        uint64_t formats[8];
    } rows[] = {{"hsw", {1, 2, 3, 4, 5, 6, 7}}, {"bdw", {7, 8, 9, 10}}, {"lkf", {7, 8, 9, 10}}};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (const uint64_t *format = rows[i].formats; *format; format++) {
            struct property more = {DRM_I915_PERF_PROP_OA_FORMAT, *format};
            check_property(__LINE__, rig_new(rows[i].platform, NULL), &more, 1, *format, EXPONENT);
        }
    ROWS_DONE();
}

static void test_exponent(void **state)
{
    (void)state;
    for (unsigned exponent = 5; exponent <= 11; exponent += 3) {
        struct rig *rig = rig_new("skl", NULL);
        struct property more = {DRM_I915_PERF_PROP_OA_EXPONENT, exponent};
        check_property(__LINE__, rig, &more, 1, rig->platform->default_format, exponent);
    }
    ROWS_DONE();
}

static void test_ctx_handle(void **state)
{
    (void)state;
    struct rig *rig = rig_new("hsw", NULL);
    struct property more = {DRM_I915_PERF_PROP_CTX_HANDLE, rig_context(rig)};
    check_property(__LINE__, rig, &more, 1, rig->platform->default_format, EXPONENT);
    ROWS_DONE();
}

static void test_hold_preemption(void **state)
{
    (void)state;
    struct rig *rig = rig_new("hsw", NULL);
    struct property more[] = {{DRM_I915_PERF_PROP_HOLD_PREEMPTION, 1},
                              {DRM_I915_PERF_PROP_CTX_HANDLE, rig_context(rig)}};
    check_property(__LINE__, rig, more, 2, rig->platform->default_format, EXPONENT);
    ROWS_DONE();
}

static void test_global_sseu(void **state)
{
    (void)state;
    struct rig *rig = rig_new("icl", NULL);
    struct drm_i915_gem_context_param_sseu sseu = {.slice_mask = 1,
                                                   .subslice_mask = 0xff,
                                                   .min_eus_per_subslice = 8,
                                                   .max_eus_per_subslice = 8};
    struct property more = {DRM_I915_PERF_PROP_GLOBAL_SSEU, rig_put(rig, &sseu, sizeof sseu)};
    check_property(__LINE__, rig, &more, 1, rig->platform->default_format, EXPONENT);
    ROWS_DONE();
}

static void test_poll_period(void **state)
{
    (void)state;
    for (uint64_t period = 100000; period <= 10000000; period *= 10) {
        struct rig *rig = rig_new("skl", NULL);
        struct property more = {DRM_I915_PERF_PROP_POLL_OA_PERIOD, period};
        check_property(__LINE__, rig, &more, 1, rig->platform->default_format, EXPONENT);
    }
    ROWS_DONE();
}

static void test_engine(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    static const struct property more[] = {{DRM_I915_PERF_PROP_OA_ENGINE_CLASS, 0},
                                           {DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE, 0}};
    check_property(__LINE__, rig, more, 2, rig->platform->default_format, EXPONENT);
    ROWS_DONE();
}

int run_sample_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_oa),   cmocka_unit_test(test_metrics_set),
        cmocka_unit_test(test_format),      cmocka_unit_test(test_exponent),
        cmocka_unit_test(test_ctx_handle),  cmocka_unit_test(test_hold_preemption),
        cmocka_unit_test(test_global_sseu), cmocka_unit_test(test_poll_period),
        cmocka_unit_test(test_engine),
    };
    return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
