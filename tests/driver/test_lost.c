/* SPDX-License-Identifier: MIT */
/* Losses, and when a stream reports them: PERF-2.6, PERF-2.10, by generation. */
#include "driver/rig.h"
#include "driver/tests.h"

#define TICK UINT64_C(5000000)
#define RING (16u << 20)
#define FULL 256u /* bytes of a report of the usual format */

static uint64_t fill_ns(const struct rig *rig, unsigned exponent)
{
    return RING / FULL * rig_period_ns(rig, exponent);
}

/* Reports take longer to reach memory than their period. */
static void lose_reports(struct rig *rig, bool on)
{
    tally_oa_set_line_time(tally_gpu_oa(rig->gpu), on ? 40000 : 0);
}

/* ---- the buffer ------------------------------------------------------------------------------ */

/* After the time of 1.25 buffers the next read only reports the loss: the buffer is discarded
 * (PERF-Q5). */
static void test_buffer_lost(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 3, NULL, 0);
        struct i915_stream *stream = rig_stream(rig, fd);
        for (unsigned round = 0; round < 2; round++) {
            rig_run_ns(rig, fill_ns(rig, 3) * 5 / 4);
            assert_true(i915_stream_poll(stream));
            assert_int_equal(rig_read(rig, fd, 7, false), -ENOSPC); /* and changes nothing */
            assert_true(i915_stream_poll(stream));
            int64_t got = rig_read(rig, fd, USER_BYTES, false);
            assert_int_equal(got, 8);
            assert_int_equal(rig_records(rig, got).buffer_lost, 1);
            assert_false(i915_stream_poll(stream));
            assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EAGAIN);
            /* The stream continues with an empty buffer. */
            rig_run_ns(rig, 2 * TICK);
            struct records records = rig_records(rig, rig_read(rig, fd, USER_BYTES, false));
            assert_int_equal(records.buffer_lost + records.report_lost, 0);
            assert_true(records.samples >= TICK / rig_period_ns(rig, 3) - 2);
        }
        rig_free(rig);
    }
}

/* Half a buffer is read completely, without loss records. */
static void test_half_a_fill(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 4, NULL, 0);
        for (unsigned round = 0; round < 2; round++) {
            i915_stream_ioctl(rig_stream(rig, fd), I915_PERF_IOCTL_DISABLE, 0);
            i915_stream_ioctl(rig_stream(rig, fd), I915_PERF_IOCTL_ENABLE, 0);
            rig_run_ns(rig, fill_ns(rig, 4) / 2);
            struct records records = rig_records(rig, rig_read(rig, fd, USER_BYTES, false));
            ROW(__LINE__, !records.buffer_lost && !records.report_lost && !records.others,
                "%s: losses", rig_platforms[p]);
            ROW(__LINE__, records.samples >= 65536 * 45 / 100 && records.samples <= 65536 / 2,
                "%s: %u reports", rig_platforms[p], records.samples);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* The first read after an overflow reports it, blocking or not; enabling the stream clears it. */
static void test_overflow_is_latched(void **state)
{
    (void)state;
    static const char *const two[] = {"hsw", "icl"};
    for (size_t p = 0; p < COUNT(two); p++) {
        struct rig *rig = rig_new(two[p], NULL);
        int fd = rig_open_usual(rig, 0, 2, NULL, 0);
        rig_run_ns(rig, 3 * fill_ns(rig, 2));
        int64_t got = rig_read(rig, fd, USER_BYTES, true);
        assert_int_equal(rig_records(rig, got).buffer_lost, 1);
        assert_int_equal(got, 8);
        rig_run_ns(rig, 2 * fill_ns(rig, 2));
        i915_stream_ioctl(rig_stream(rig, fd), I915_PERF_IOCTL_DISABLE, 0);
        i915_stream_ioctl(rig_stream(rig, fd), I915_PERF_IOCTL_ENABLE, 0);
        rig_run_ns(rig, 2 * TICK);
        struct records records = rig_records(rig, rig_read(rig, fd, USER_BYTES, false));
        assert_int_equal(records.buffer_lost, 0);
        assert_true(records.samples > 1000);
        rig_free(rig);
    }
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Gen8 and later: in each read while the status bit is set. Gen7.5: once per enable (PERF-Q4).
 * Before samples. */
static void test_report_lost(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        bool hsw = p == 0;
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 6, NULL, 0);
        rig_run_ns(rig, 2 * TICK);
        assert_int_equal(rig_records(rig, rig_read(rig, fd, USER_BYTES, false)).report_lost, 0);
        for (unsigned enable = 0; enable < 2; enable++) {
            lose_reports(rig, true);
            for (unsigned round = 0; round < 3; round++) {
                rig_run_ns(rig, 2 * TICK);
                int64_t got = rig_read(rig, fd, USER_BYTES, false);
                struct records records = rig_records(rig, got);
                unsigned expected = !hsw || round == 0;
                ROW(__LINE__, records.report_lost == expected, "%s: round %u: %u losses",
                    rig_platforms[p], round, records.report_lost);
                ROW(__LINE__, !expected || rig->user[0] == DRM_I915_PERF_RECORD_OA_REPORT_LOST,
                    "%s: the first record is of type %u", rig_platforms[p], rig->user[0]);
                ROW(__LINE__, records.samples > 3, "%s: %u reports", rig_platforms[p],
                    records.samples);
            }
            /* When the cause ends, so do the records, after one for the time since the last read.
             */
            lose_reports(rig, false);
            rig_run_ns(rig, 2 * TICK);
            rig_read(rig, fd, USER_BYTES, false);
            rig_run_ns(rig, 2 * TICK);
            struct records records = rig_records(rig, rig_read(rig, fd, USER_BYTES, false));
            ROW(__LINE__, records.report_lost == 0, "%s: it does not end", rig_platforms[p]);
            i915_stream_ioctl(rig_stream(rig, fd), I915_PERF_IOCTL_DISABLE, 0);
            i915_stream_ioctl(rig_stream(rig, fd), I915_PERF_IOCTL_ENABLE, 0);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A loss record that does not fit, or faults, is repeated. */
static void test_report_lost_again(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 6, NULL, 0);
        lose_reports(rig, true);
        rig_run_ns(rig, 3 * TICK);
        assert_int_equal(rig_read(rig, fd, 0, false), -ENOSPC);
        assert_int_equal(rig_read(rig, fd, 7, false), -ENOSPC);
        rig->readable_end = USER + 4;
        assert_int_equal(rig_read(rig, fd, 4096, false), -EFAULT);
        rig->readable_end = 0;
        int64_t got = rig_read(rig, fd, 8, false); /* and no report fits */
        assert_int_equal(got, 8);
        assert_int_equal(rig_records(rig, got).report_lost, 1);
        assert_false(i915_stream_poll(rig_stream(rig, fd))); /* the fault has cleared it */
        got = rig_read(rig, fd, 264, false);
        assert_int_equal(rig_records(rig, got).samples, 1);
        rig_free(rig);
    }
}

/* Gen8 on: the write that clears the bit sets both wrap flags, which Gen12 lacks, and clears all
 * other bits (PERF-Q12). */
static void test_status_register(void **state)
{
    (void)state;
    for (size_t p = 1; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 6, NULL, 0);
        lose_reports(rig, true);
        rig_run_ns(rig, 2 * TICK);
        bool gen12 = rig->platform->version >= 120;
        uint32_t status = gen12 ? 0xdafc : 0x2b08;
        assert_true(tally_gpu_read32(rig->gpu, status) & 1);
        rig_read(rig, fd, USER_BYTES, false);
        assert_int_equal(tally_gpu_read32(rig->gpu, status) & ~4u, gen12 ? 0 : 0x30000);
        rig_free(rig);
    }
}

int run_lost_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer_lost),         cmocka_unit_test(test_half_a_fill),
        cmocka_unit_test(test_overflow_is_latched), cmocka_unit_test(test_report_lost),
        cmocka_unit_test(test_report_lost_again),   cmocka_unit_test(test_status_register),
    };
    return cmocka_run_group_tests_name("losses", tests, NULL, NULL);
}
