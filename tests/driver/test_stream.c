/* SPDX-License-Identifier: MIT */
/* Streams: enabling, reading, polling, configurations (PERF-2.5 to PERF-2.9). */
#include "driver/i915/perf.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define TICK   UINT64_C(5000000) /* of the timer */
#define SECOND UINT64_C(1000000000)

static uint32_t dword(const uint8_t *report, unsigned n)
{
    uint32_t value;
    memcpy(&value, report + 4 * n, sizeof value);
    return value;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* One read returns all reports that the timer found, except the newest. */
static void test_all_reports(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        int exponent;
        unsigned ticks;
    } rows[] = {{__LINE__, 5, 4}, {__LINE__, 8, 2}, {__LINE__, 10, 7}, {__LINE__, 14, 20}};
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct rig *rig = rig_new(rig_platforms[p], NULL);
            int fd = rig_open_usual(rig, I915_PERF_FLAG_FD_NONBLOCK, rows[i].exponent, NULL, 0);
            assert_true(fd >= 0);
            rig_run_ns(rig, rows[i].ticks * TICK + 1000);
            int64_t got = rig_read(rig, fd, USER_BYTES, false);
            struct records records = rig_records(rig, got);
            /* The stream was enabled somewhere in a period. */
            uint64_t stamps = rows[i].ticks * TICK * tally_gpu_timestamp_hz(rig->gpu) / 1000000000;
            uint64_t most = stamps / (2u << rows[i].exponent);
            ROW(rows[i].line, records.samples + 2 >= most && records.samples <= most,
                "%s: %u reports, expected %lu less up to two", rig_platforms[p], records.samples,
                (unsigned long)most);
            ROW(rows[i].line, got == 264 * (int64_t)records.samples, "%ld bytes", (long)got);
            uint32_t first = dword(records.first, 1), last = dword(records.last, 1);
            ROW(rows[i].line,
                last - first == (records.samples - 1) * (2u << (unsigned)rows[i].exponent),
                "%u ticks from the first to the last", last - first);
            ROW(rows[i].line, rig_read(rig, fd, USER_BYTES, false) == -EAGAIN, "there is more");
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* Every format: its size, and the reason and clock where Gen8 has them. */
static void test_formats(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned format, bytes;
    } rows[] = {
        {__LINE__, "hsw", 1, 64},   {__LINE__, "hsw", 2, 128},  {__LINE__, "hsw", 3, 128},
        {__LINE__, "hsw", 4, 64},   {__LINE__, "hsw", 5, 256},  {__LINE__, "hsw", 6, 128},
        {__LINE__, "hsw", 7, 64},   {__LINE__, "bdw", 7, 64},   {__LINE__, "skl", 8, 64},
        {__LINE__, "icl", 9, 128},  {__LINE__, "lkf", 10, 256}, {__LINE__, "tgl", 7, 64},
        {__LINE__, "tgl", 10, 256},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct property format = {DRM_I915_PERF_PROP_OA_FORMAT, rows[i].format};
        int fd = rig_open_usual(rig, 0, 8, &format, 1);
        assert_true(fd >= 0);
        rig_run_ns(rig, 2 * TICK);
        int64_t got = rig_read(rig, fd, USER_BYTES, false);
        struct records records = rig_records(rig, got);
        ROW(rows[i].line, records.samples > 100 && got == records.samples * (8 + rows[i].bytes),
            "%u samples in %ld bytes", records.samples, (long)got);
        bool hsw = !strcmp(rows[i].platform, "hsw");
        ROW(rows[i].line, hsw || (dword(records.first, 0) >> 19 & 0x3f) == 1, "id %08x",
            dword(records.first, 0));
        ROW(rows[i].line, !hsw || dword(records.first, 1) % 512 == 256, "timestamp %08x",
            dword(records.first, 1));
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads of a disabled stream: EIO, blocking or not (PERF-2.5, step 1). */
static void test_disabled(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, I915_PERF_FLAG_DISABLED, 8, NULL, 0);
        struct i915_stream *stream = rig_stream(rig, fd);
        rig_run_ns(rig, 2 * TICK);
        assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EIO);
        assert_int_equal(rig_read(rig, fd, USER_BYTES, true), -EIO);
        assert_false(i915_stream_poll(stream));
        for (unsigned round = 0; round < 3; round++) {
            assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_ENABLE, 0), 0);
            assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_ENABLE, 0), 0);
            assert_false(i915_stream_poll(stream));
            assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EAGAIN);
            rig_run_ns(rig, 2 * TICK);
            assert_true(i915_stream_poll(stream));
            assert_true(rig_records(rig, rig_read(rig, fd, USER_BYTES, false)).samples > 10);
            rig_run_ns(rig, TICK);
            assert_true(i915_stream_poll(stream));
            assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_DISABLE, 0), 0);
            assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_DISABLE, 0), 0);
            assert_true(i915_stream_poll(stream)); /* PERF-Q31 */
            assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EIO);
            assert_true(i915_stream_poll(stream));
        }
        rig_free(rig);
    }
}

/* Disabling and enabling discards old reports. */
static void test_new_reports_only(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 8, NULL, 0);
        struct i915_stream *stream = rig_stream(rig, fd);
        rig_run_ns(rig, 3 * TICK);
        i915_stream_ioctl(stream, I915_PERF_IOCTL_DISABLE, 0);
        rig_run_ns(rig, TICK);
        struct drm_i915_reg_read stamp = {0x2359, 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_REG_READ, &stamp, sizeof stamp), 0);
        i915_stream_ioctl(stream, I915_PERF_IOCTL_ENABLE, 0);
        rig_run_ns(rig, 2 * TICK);
        struct records records = rig_records(rig, rig_read(rig, fd, USER_BYTES, false));
        assert_true(records.samples > 10);
        assert_true(dword(records.first, 1) >= (uint32_t)stamp.val);
        rig_free(rig);
    }
}

static void test_not_periodic(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, -1, NULL, 0);
        assert_true(fd >= 0);
        assert_int_equal(rig_read(rig, fd, USER_BYTES, true), -EIO);
        assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EAGAIN);
        rig_free(rig);
    }
}

/* Only the timer and blocking readers check the tail (PERF-Q2); a blocking one immediately. */
static void test_who_looks(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    int fd = rig_open_usual(rig, 0, 8, NULL, 0);
    rig_run_ns(rig, TICK - 100000);
    assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EAGAIN);
    assert_false(i915_stream_poll(rig_stream(rig, fd)));
    int64_t got = rig_read(rig, fd, USER_BYTES, true);
    assert_true(rig_records(rig, got).samples > 100);
    /* A blocking read waits until the timer makes a report visible. */
    uint64_t before = tally_gpu_now_ns(rig->gpu);
    got = rig_read(rig, fd, USER_BYTES, true);
    assert_true(got > 0 && tally_gpu_now_ns(rig->gpu) - before >= 90000);
    assert_true(tally_gpu_now_ns(rig->gpu) - before <= TICK + 100000);
    rig_free(rig);
}

/* The newest report is withheld until the next one begins to land (PERF-Q1). */
static void test_newest_is_withheld(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 18, NULL, 0); /* tens of milliseconds */
        uint64_t period = rig_period_ns(rig, 18), before = tally_gpu_now_ns(rig->gpu);
        for (unsigned i = 0; i < 3; i++) {
            int64_t got = rig_read(rig, fd, USER_BYTES, true);
            assert_int_equal(got, 264);
            assert_true(tally_gpu_now_ns(rig->gpu) - before > (i + 1) * period);
        }
        rig_free(rig);
    }
}

/* Records are never split; after a fault or a short read the others can be read later (PERF-2.5).
 */
static void test_short_reads(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int fd = rig_open_usual(rig, 0, 8, NULL, 0);
        struct i915_stream *stream = rig_stream(rig, fd);
        rig_run_ns(rig, 4 * TICK);
        assert_int_equal(rig_read(rig, fd, 132, false), -ENOSPC);
        assert_true(i915_stream_poll(stream));
        assert_int_equal(rig_read(rig, fd, 0, false), -ENOSPC);
        assert_int_equal(rig_read(rig, fd, 263, false), -ENOSPC);
        assert_int_equal(rig_read(rig, fd, 264, false), 264);
        uint32_t stamp = dword(rig->user + 8, 1);
        assert_true(i915_stream_poll(stream)); /* the next record did not fit: more is available */
        assert_int_equal(rig_read(rig, fd, 264 + 263, false), 264);
        assert_int_equal(dword(rig->user + 8, 1) - stamp, 512);
        /* The buffer ends at a faulting page, after one record or less. */
        rig->readable_end = USER + 264 + 16;
        assert_int_equal(rig_read(rig, fd, 4096, false), 264);
        assert_int_equal(dword(rig->user + 8, 1) - stamp, 2 * 512);
        assert_false(i915_stream_poll(stream));
        rig->readable_end = USER + 16;
        assert_int_equal(rig_read(rig, fd, 4096, false), -EFAULT);
        rig->readable_end = USER + 4;
        assert_int_equal(rig_read(rig, fd, 4096, false), -EFAULT);
        rig->readable_end = 0;
        assert_int_equal(rig_read(rig, fd, 2 * 264, false), 528);
        assert_int_equal(dword(rig->user + 8, 1) - stamp, 3 * 512);
        rig_free(rig);
    }
}

/* What was read has neither id nor timestamp in the ring (PERF-Q11), and no report is read twice
 * when the ring wraps around. */
static void test_ring_wraps(void **state)
{
    (void)state;
    static const char *const two[] = {"hsw", "skl"};
    for (size_t p = 0; p < COUNT(two); p++) {
        struct rig *rig = rig_new(two[p], NULL);
        int fd = rig_open_usual(rig, 0, 3, NULL, 0);
        uint32_t stamp = 0;
        uint64_t samples = 0;
        while (samples < 3 * 65536 / 2) {
            rig_run_ns(rig, 2 * TICK);
            int64_t got = rig_read(rig, fd, USER_BYTES, false);
            assert_true(got > 0 && got % 264 == 0);
            for (int64_t at = 0; at < got; at += 264, samples++) {
                const uint8_t *report = rig->user + at + 8;
                if (samples && dword(report, 1) - stamp != 16)
                    fail_msg("%s: report %lu is %u ticks after the one before", two[p],
                             (unsigned long)samples, dword(report, 1) - stamp);
                stamp = dword(report, 1);
            }
        }
        rig_free(rig);
    }
}

/* Returns the bytes that can be read two checks after the second report. */
static int64_t read_two(const char *platform, unsigned revision)
{
    struct i915_settings settings = {.perf_revision = revision};
    struct rig *rig = rig_new(platform, &settings);
    int fd = rig_open_usual(rig, 0, 18, NULL, 0); /* tens of milliseconds */
    rig_run_ns(rig, 2 * rig_period_ns(rig, 18) + 3 * TICK);
    int64_t got = rig_read(rig, fd, USER_BYTES, false);
    rig_free(rig);
    return got;
}

/* Up to perf revision 6, kernels also give the newest report when the tail has not moved since the
 * check before. */
static void test_newest_report(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++)
        for (unsigned revision = 1; revision <= 7; revision++) {
            int64_t got = read_two(rig_platforms[p], revision);
            ROW(__LINE__, got == (revision < 7 ? 2 : 1) * 264, "%s, revision %u: gave %ld",
                rig_platforms[p], revision, (long)got);
        }
    ROWS_DONE();
}

/* Reads what a stream has after a time. Returns the samples. */
static unsigned read_after(struct rig *rig, int fd, uint64_t ns)
{
    rig_run_ns(rig, ns);
    int64_t got = rig_read(rig, fd, USER_BYTES, false);
    return got < 0 ? 0 : rig_records(rig, got).samples;
}

/* The newest report of a request is given after the next heartbeat, whose context switches write
 * reports, from Gen8 on. There is no heartbeat if no client has used the engine. */
static void test_heartbeat(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        bool beats = has_execlists(rig->device);
        uint32_t context = rig_context(rig), batch = rig_long_batch(rig, 1000);
        int fd = rig_open_usual(rig, 0, 31, NULL, 0); /* minutes */
        assert_int_equal(read_after(rig, fd, 6 * SECOND), 0);
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(rig_exec(rig, context, &batch, 1), 0);
            unsigned before = read_after(rig, fd, SECOND / 2),
                     more = read_after(rig, fd, SECOND / 2);
            ROW(__LINE__, (before > 0) == beats && more == 0, "%s: %u and %u samples",
                rig_platforms[p], before, more);
            unsigned after = read_after(rig, fd, 3 * SECOND);
            ROW(__LINE__, (after > 0) == beats, "%s: %u samples", rig_platforms[p], after);
            after = read_after(rig, fd, 6 * SECOND);
            ROW(__LINE__, after == 0, "%s: %u samples later", rig_platforms[p], after);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A heartbeat that comes while a request waits for bytes of its ring, here until the first one is
 * reset, does not disturb it. */
static void test_heartbeat_and_full_ring(void **state)
{
    (void)state;
    enum { HANG_NS = 10000000 };
    struct i915_settings settings = {.hang_ns = HANG_NS};
    struct rig *rig = rig_new("skl", &settings);
    uint32_t spin = rig_create(rig, 4096), jump[] = {0x18800101, (uint32_t)ADDRESS(0), 0};
    uint32_t contexts[] = {rig_context(rig), rig_context(rig)};
    uint32_t other = rig_long_batch(rig, 1000), both[] = {spin, other};
    rig_write(rig, spin, 0, jump, sizeof jump);
    assert_int_equal(i915_engine_set_heartbeat(rig->device, "rcs0", 1), 0);
    int fd = rig_open_usual(rig, 0, 16, NULL, 0);
    assert_true(fd >= 0);
    assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, contexts[0], &spin, 1, 0), 0);
    uint64_t before = tally_gpu_now_ns(rig->gpu);
    while (tally_gpu_now_ns(rig->gpu) < before + HANG_NS / 2) {
        assert_int_equal(rig_exec_on(rig, I915_EXEC_RENDER, contexts[1], &other, 1, 0), 0);
        uint64_t beaten = rig_stream(rig, fd)->beaten;
        assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, contexts[0], both, 2, 0), 0);
        assert_true((rig_stream(rig, fd)->beaten > beaten) == (rig_resets(rig) == 1));
    }
    rig_run_ns(rig, HANG_NS);
    assert_true(rig_engines_done(rig->device));
    rig->hangs = 1;
    rig_close(rig, fd);
    rig_free(rig);
}

/* The interval of heartbeats is the render engine's heartbeat_interval_ms; 0: there are none. */
static void test_heartbeat_intervals(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *engine;
        uint32_t ms;
        uint64_t early_ns, late_ns; /* no sample in the first time; some in the second, if not 0 */
    } rows[] = {
        {__LINE__, "rcs0", 2500, 2 * SECOND, SECOND},
        {__LINE__, "rcs0", 100, SECOND / 20, SECOND / 10},
        {__LINE__, "rcs0", 1, SECOND / 2000, SECOND / 100},
        {__LINE__, "rcs0", 0, 10 * SECOND, 0},
        {__LINE__, "bcs0", 0, 2 * SECOND, SECOND},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        uint32_t context = rig_context(rig), batch = rig_long_batch(rig, 1000);
        int fd = rig_open_usual(rig, 0, 31, NULL, 0);
        assert_int_equal(rig_exec(rig, context, &batch, 1), 0);
        assert_true(read_after(rig, fd, SECOND / 50) > 0); /* the newest one is withheld */
        assert_int_equal(i915_engine_set_heartbeat(rig->device, rows[i].engine, rows[i].ms), 0);
        unsigned early = read_after(rig, fd, rows[i].early_ns),
                 late = read_after(rig, fd, rows[i].late_ns);
        ROW(rows[i].line, early == 0, "%u samples early", early);
        ROW(rows[i].line, (late > 0) == (rows[i].late_ns > 0), "%u samples", late);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- signals --------------------------------------------------------------------------------- */

static int interrupted_sleep(void *closure, uint64_t ns, bool interruptible)
{
    const struct emulation *emulation = closure;
    if (interruptible)
        return -EINTR; /* and no time passes: the signal is still pending */
    tally_gpu_run_ns(emulation->gpu, ns);
    return 0;
}

/* A signal interrupts waiting calls, which leave no state. */
static void test_signals(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        int (*sleep_ns)(void *, uint64_t, bool) = rig->device->hardware.io.sleep_ns;
        struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, 0};
        rig->device->hardware.io.sleep_ns = interrupted_sleep;
        assert_int_equal(rig_open_usual(rig, 0, 8, &filter, 1), -EINTR);
        assert_int_equal(rig_open_usual(rig, 0, 8, NULL, 0), -EINTR);
        rig->device->hardware.io.sleep_ns = sleep_ns;
        int fd = rig_open_usual(rig, 0, 8, NULL, 0);
        uint32_t batch = rig_long_batch(rig, 100000);
        rig->device->hardware.io.sleep_ns = interrupted_sleep;
        assert_int_equal(rig_exec(rig, 0, &batch, 1), 0);
        struct drm_i915_gem_wait wait = {batch, 0, -1};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), -EINTR);
        assert_int_equal(rig_read(rig, fd, USER_BYTES, true), -EINTR);
        rig_run_ns(rig, 2 * TICK);
        assert_true(rig_read(rig, fd, USER_BYTES, true) > 0); /* does not wait */
        rig_close(rig, fd);
        rig_free(rig);
    }
}

/* ---- poll ------------------------------------------------------------------------------------ */

/* The timer's period begins at the enable. */
static void test_poll_period(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t property, period; /* 0: none */
    } rows[] = {{__LINE__, 0, 5000000},
                {__LINE__, 2000000, 2000000},
                {__LINE__, 40000000, 40000000},
                {__LINE__, 100000, 100000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        struct property period = {DRM_I915_PERF_PROP_POLL_OA_PERIOD, rows[i].property};
        int fd = rig_open_usual(rig, 0, 3, &period, rows[i].property != 0);
        struct i915_stream *stream = rig_stream(rig, fd);
        uint64_t start = tally_gpu_now_ns(rig->gpu), wakes = 0, late = 0;
        while (wakes < 10) {
            rig_run_ns(rig, rows[i].period / 50);
            if (!i915_stream_poll(stream))
                continue;
            wakes++;
            late = tally_gpu_now_ns(rig->gpu) - start - wakes * rows[i].period;
            assert_true(rig_read(rig, fd, USER_BYTES, false) > 0);
            assert_false(i915_stream_poll(stream));
        }
        ROW(rows[i].line, late <= rows[i].period / 25, "%lu ns late", (unsigned long)late);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* An infinite period: no wake-ups, but blocking readers still find the reports. */
static void test_endless_period(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    struct property period = {DRM_I915_PERF_PROP_POLL_OA_PERIOD, UINT64_MAX};
    int fd = rig_open_usual(rig, 0, 8, &period, 1);
    rig_run_ns(rig, 20 * TICK);
    assert_false(i915_stream_poll(rig_stream(rig, fd)));
    assert_int_equal(rig_read(rig, fd, USER_BYTES, false), -EAGAIN);
    assert_true(rig_read(rig, fd, USER_BYTES, true) > 1000);
    rig_free(rig);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void test_config(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t trigger = rig->platform->version >= 120 ? 0xd900 : 0x2710; /* OASTARTTRIG1 */
        uint32_t flex[] = {0xe458, 0x5004}, boolean[] = {trigger, 0x1234};
        bool hsw = p == 0;
        int first = rig_add_set(rig);
        struct drm_i915_perf_oa_config config = {
            .n_boolean_regs = 1,
            .boolean_regs_ptr = rig_put(rig, boolean, sizeof boolean),
            .n_flex_regs = !hsw,
            .flex_regs_ptr = rig_put(rig, flex, sizeof flex),
        };
        memcpy(config.uuid, "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", UUID_STRING_LEN);
        int second = rig_call(rig, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config, sizeof config);
        assert_true(second > first);
        struct property properties[] = {
            {DRM_I915_PERF_PROP_SAMPLE_OA, 1},
            {DRM_I915_PERF_PROP_OA_METRICS_SET, (uint64_t)first},
            {DRM_I915_PERF_PROP_OA_FORMAT, rig->platform->default_format}};
        int fd = rig_open(rig, I915_PERF_FLAG_DISABLED, properties, COUNT(properties));
        struct i915_stream *stream = rig_stream(rig, fd);
        assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, 999), -EINVAL);
        assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, (uint64_t)first), first);
        assert_int_equal(tally_gpu_read32(rig->gpu, trigger), 0);
        assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, (uint64_t)second),
                         first);
        rig_run_ns(rig, 100000);
        assert_int_equal(tally_gpu_read32(rig->gpu, trigger), 0x1234);
        if (!hsw)
            assert_int_equal(tally_oa_read32(tally_gpu_oa(rig->gpu), 0xe458), 0x5004);
        /* The stream keeps a set that was removed (PERF-Q32). */
        uint64_t id = (uint64_t)second;
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &id, sizeof id), 0);
        assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, (uint64_t)second),
                         -EINVAL);
        assert_int_equal(i915_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, (uint64_t)first),
                         second);
        rig_free(rig);
    }
}

static void test_stream_calls(void **state)
{
    (void)state;
    static const struct {
        unsigned line, revision;
        uint32_t request;
        int expected;
    } rows[] = {
        {__LINE__, 7, 0x6903, -EINVAL},           {__LINE__, 7, 0xc0106446, -EINVAL},
        {__LINE__, 7, 0x40046900, -EINVAL},       {__LINE__, 1, I915_PERF_IOCTL_CONFIG, -EINVAL},
        {__LINE__, 1, I915_PERF_IOCTL_ENABLE, 0}, {__LINE__, 1, I915_PERF_IOCTL_DISABLE, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct i915_settings settings = {.perf_revision = rows[i].revision};
        struct rig *rig = rig_new("skl", &settings);
        int fd = rig_open_usual(rig, 0, 8, NULL, 0);
        int result = i915_stream_ioctl(rig_stream(rig, fd), rows[i].request, 2);
        ROW(rows[i].line, result == rows[i].expected, "%x gave %d", rows[i].request, result);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A stream outlives the file that opened it, and releases the unit when closed. */
static void test_close(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, rig_context(rig)};
        int fd = rig_open_usual(rig, 0, 8, &filter, 1);
        assert_int_equal(rig_open_usual(rig, 0, 8, NULL, 0), -EBUSY);
        i915_file_close(rig->file);
        assert_int_equal(i915_file_open(rig->device, true, &rig->file), 0);
        rig_run_ns(rig, 2 * TICK);
        assert_int_equal(rig_open_usual(rig, 0, 8, NULL, 0), -EBUSY);
        rig_close(rig, fd);
        for (unsigned i = 0; i < 20; i++) {
            fd = rig_open_usual(rig, i % 2 ? I915_PERF_FLAG_DISABLED : 0, 8, NULL, 0);
            if (fd < 0)
                fail_msg("%s: open %u gave %d", rig_platforms[p], i, fd);
            rig_close(rig, fd);
        }
        rig_run_ns(rig, 2 * TICK);
        assert_true(i915_device_next_ns(rig->device) == UINT64_MAX); /* nothing is scheduled */
        rig_free(rig);
    }
}

int run_stream_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_reports),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_new_reports_only),
        cmocka_unit_test(test_not_periodic),
        cmocka_unit_test(test_who_looks),
        cmocka_unit_test(test_newest_is_withheld),
        cmocka_unit_test(test_heartbeat),
        cmocka_unit_test(test_heartbeat_and_full_ring),
        cmocka_unit_test(test_heartbeat_intervals),
        cmocka_unit_test(test_short_reads),
        cmocka_unit_test(test_ring_wraps),
        cmocka_unit_test(test_newest_report),
        cmocka_unit_test(test_poll_period),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_endless_period),
        cmocka_unit_test(test_config),
        cmocka_unit_test(test_stream_calls),
        cmocka_unit_test(test_close),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
