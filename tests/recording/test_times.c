/* SPDX-License-Identifier: MIT */
/* Time: wraps, gaps, correlation points, CPU time. */
#include "build.h"

#include <errno.h>
#include <string.h>

#include "suites.h"

#define REGISTER (UINT64_C(1) << 36)

/* Reads in every way; all must return the given ticks. */
static void check_ticks(unsigned line, struct build *build, const uint64_t *ticks, size_t count)
{
    struct reading first;
    read_memory(build, &first);
    if (first.opened < 0 || first.ended < 0)
        fail_msg("the row of line %u: %s", line, first.error.message);
    assert_int_equal(first.count, count);
    for (size_t i = 0; i < count; i++)
        if (first.ticks[i] != ticks[i])
            fail_msg("the row of line %u: report %zu is at 0x%llx, expected 0x%llx", line, i,
                     (unsigned long long)first.ticks[i], (unsigned long long)ticks[i]);
    for (enum way way = BY_INDEX; way < BY_COUNT; way++) {
        struct reading reading;
        read_by(way, &build->bytes, NULL, &reading);
        assert_same_reading(&first, &reading);
        reading_fini(&reading);
    }
    reading_fini(&first);
}

/* ---- wraps --------------------------------------------------------------------------------- */

static void wrap_inside(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t start, period;
    } rows[] = {
        {__LINE__, 0xffffff00, 0x100},      {__LINE__, 0xffffff01, 0x100},
        {__LINE__, 0xfffffffe, 1},          {__LINE__, 0x7fffff00, 0x40},
        {__LINE__, 0x10, 0x10000001},       {__LINE__, 0, 0x7fffffff},
        {__LINE__, 0xffffffff, 0x7fffffff},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct build build = build_start(TGL);
        uint64_t ticks[100];
        for (size_t i = 0; i < ARRAY_COUNT(ticks); i++) {
            ticks[i] = rows[r].start + i * rows[r].period;
            build_report(&build, ticks[i]);
        }
        check_ticks(rows[r].line, &build, ticks, ARRAY_COUNT(ticks));
        build_fini(&build);
    }
}

/* Three simulated days with a point and a report per second: 754 wraps of timestamps, 47 of the
 * register. */
static void wraps_over_days(void **state)
{
    (void)state;
    const uint64_t seconds = 3 * 86400, start = UINT64_C(0x5fffffff0);
    struct build build = build_start(HSW_SMALL);
    for (uint64_t s = 0; s < seconds; s++) {
        uint64_t now = start + s * build.gpu->hz;
        build_correlation(&build, s * NS_PER_SECOND, now % REGISTER);
        build_report(&build, now + 6000000);
    }
    for (enum way way = BY_MEMORY; way <= BY_INDEX; way++) {
        struct tally_recording *recording;
        struct tally_error error = {0};
        struct tally_batch *batch = tally_batch_new();
        uint64_t seen = 0, ns;
        assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "days",
                                                     NULL, &recording, &error),
                         0);
        if (way == BY_INDEX)
            tally_recording_index(recording);
        while (tally_recording_read(recording, batch, &error) > 0) {
            for (size_t i = seen ? 1 : 0; i < batch->count; i++, seen++) {
                assert_int_equal(batch->gpu_ticks[i], start + seen * build.gpu->hz + 6000000);
                if (seen % 101)
                    continue;
                /* 80 ns per tick: exact, whichever points are kept. */
                assert_int_equal(tally_recording_cpu_ns(recording, batch->gpu_ticks[i], &ns), 0);
                assert_int_equal(ns, seen * NS_PER_SECOND + 480000000);
            }
        }
        assert_int_equal(error.code, 0);
        assert_int_equal(seen, seconds);
        assert_int_equal(tally_recording_totals(recording).losses, 0);

        /* Long recordings keep some of the points, in constant memory: here every fourth. */
        const struct tally_correlation *points;
        size_t count = tally_recording_correlations(recording, &points);
        assert_int_equal(count, (seconds + 3) / 4);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(points[i].cpu_ns, 4 * i * NS_PER_SECOND);
            assert_int_equal(points[i].gpu_ticks, start + 4 * i * build.gpu->hz);
        }
        tally_batch_free(batch);
        tally_recording_close(recording);
    }
    build_fini(&build);
}

/* ---- correlation points -------------------------------------------------------------------- */

/* A point or a report of a time line, at its true GPU time. */
struct moment {
    bool is_point;
    uint64_t gpu; /* OA ticks */
};

// clang-format off
#define POINT(ticks) {true, ticks}
#define REPORT(ticks) {false, ticks}
#define HSW_SECOND UINT64_C(12500000)
#define HSW_HOUR (3600 * HSW_SECOND)

/*
 * Unwrapped times equal the true ones. If reports precede the first point, the time line begins with
 * the timestamp of the first report; `base` is the difference.
 */
static const struct {
    unsigned line;
    enum gpu_kind kind;
    uint64_t base;
    struct moment moments[12];
} lines[] = {
    /* The register's upper bits are those of the reports. */
    {__LINE__, HSW, 0, {POINT(0x5fffff000), REPORT(0x5fffff100), REPORT(0x600000100)}},
    {__LINE__, HSW, 0, {POINT(0x600000010), REPORT(0x5fffffff0), REPORT(0x600000020)}},
    {__LINE__, HSW, 0, {POINT(0x5fffffff0), REPORT(0x600000010), REPORT(0x600000020)}},
    /* No time lies before 0. */
    {__LINE__, HSW, 0, {POINT(0x10), REPORT(0xffffff00), REPORT(0x100000010)}},
    /* The register wraps between two points, and between the point and the report. */
    {__LINE__, HSW, 0, {POINT(0xffffff000), REPORT(0xffffff100), POINT(0x1000000100),
                        REPORT(0x1000000200), REPORT(0x1000000300)}},
    {__LINE__, HSW, 0, {POINT(0xffffffff0), REPORT(0x1000000010), POINT(0x1000000020),
                        REPORT(0x1000000030)}},
    /* A gap of more than 2^31 ticks (172 s), bridged by a point before its end. */
    {__LINE__, HSW, 0, {POINT(1000), REPORT(2000), POINT(200 * HSW_SECOND),
                        REPORT(201 * HSW_SECOND)}},
    {__LINE__, HSW, 0, {POINT(1000), REPORT(2000), POINT(340 * HSW_SECOND),
                        REPORT(341 * HSW_SECOND), REPORT(500 * HSW_SECOND)}},
    /* A gap of more than 2^32 (344 s), with points inside or only at its end. */
    {__LINE__, HSW, 0, {POINT(1000), REPORT(2000), POINT(300 * HSW_SECOND),
                        POINT(600 * HSW_SECOND), POINT(900 * HSW_SECOND),
                        REPORT(901 * HSW_SECOND)}},
    {__LINE__, HSW, 0, {POINT(1000), REPORT(2000), POINT(1000 * HSW_SECOND),
                        REPORT(999 * HSW_SECOND), REPORT(1001 * HSW_SECOND)}},
    /* A gap of more than 2^36 (92 minutes): CPU time determines the wraps, one and several. */
    {__LINE__, HSW, 0, {POINT(1000), REPORT(2000), POINT(2 * HSW_HOUR),
                        REPORT(2 * HSW_HOUR + 10)}},
    {__LINE__, HSW, 0, {POINT(1000), REPORT(2000), POINT(100 * HSW_HOUR),
                        REPORT(100 * HSW_HOUR - 10), POINT(300 * HSW_HOUR),
                        REPORT(300 * HSW_HOUR + 10)}},
    {__LINE__, TGL, 0, {POINT(5), REPORT(7), POINT(REGISTER), REPORT(REGISTER + 7),
                        POINT(2 * REGISTER), REPORT(2 * REGISTER + 7)}},
    {__LINE__, TGL, 0, {POINT(5), REPORT(7), POINT(REGISTER - 1), REPORT(REGISTER + 7),
                        POINT(3 * REGISTER - 1), REPORT(3 * REGISTER + 7)}},
    /* A flight recorder's file: the only point comes last. */
    {__LINE__, HSW, 0, {REPORT(0x1000), REPORT(0x2000), POINT(0x3000)}},
    {__LINE__, HSW, 0x500000000, {REPORT(0x500001000), REPORT(0x500002000), POINT(0x500003000)}},
    {__LINE__, HSW, 0x500000000, {REPORT(0x5ffffff00), REPORT(0x600000100), POINT(0x600000200),
                                  REPORT(0x600000300)}},
    /* The reports start further before the point than a timestamp can express. */
    {__LINE__, HSW, 0x300000000, {REPORT(0x300001000), REPORT(0x360000000), REPORT(0x3c0000000),
                                  REPORT(0x420000000), REPORT(0x480000000), POINT(0x480000100),
                                  REPORT(0x480000200)}},
    {__LINE__, TGL, 0, {REPORT(0x1000), REPORT(0x60000000), REPORT(0xc0000000),
                        POINT(0xc0000100), REPORT(0xc0000200), POINT(0xc0000100 + REGISTER),
                        REPORT(0xc0000300 + REGISTER)}},
    /* DG2, MTL: the register counts half as fast as the stamps. */
    {__LINE__, DG2, 0, {POINT(0x5fffff000), REPORT(0x5fffff100), REPORT(0x600000100),
                        POINT(0x600000200), REPORT(0x600000300)}},
    {__LINE__, DG2, 0, {POINT(2 * REGISTER - 2), REPORT(2 * REGISTER - 1),
                        POINT(2 * REGISTER + 38400000), REPORT(2 * REGISTER + 38400001)}},
    {__LINE__, DG2, 0, {POINT(REGISTER - 2), REPORT(REGISTER + 1), POINT(5 * REGISTER),
                        REPORT(5 * REGISTER + 38400001)}},
    {__LINE__, DG2, 0x700000000, {REPORT(0x700001000), POINT(0x700001002), REPORT(0x700001007)}},
    /* OAM: stamps of 64 bits, which the register's points follow. */
    {__LINE__, OAM, 0, {POINT(0x1000), REPORT(0x1001), REPORT(0x300001001), POINT(0x300001002)}},
    {__LINE__, OAM, 0, {POINT(0x123456789abcde), REPORT(0x123456789abcdf),
                        POINT(0x123456789abce0), REPORT(0x123456789abce1)}},
    {__LINE__, OAM, 0, {REPORT(0x123456789abcdf), POINT(0x123456789abce0),
                        REPORT(0x123456789abce1), POINT(0x123456789abce0 + 2 * REGISTER),
                        REPORT(0x123456789abce9 + 2 * REGISTER)}},
    {__LINE__, OAM, 0, {POINT(0x11ffffffffe), REPORT(0x12000000001), POINT(0x12000000002)}},
    {__LINE__, OAM, 0, {POINT(0x12000000002), REPORT(0x11fffffffff), POINT(0x12000000004)}},
    {__LINE__, OAM_SMALL, 0, {POINT(0xfedcba9876543210), REPORT(0xfedcba9876543211),
                              POINT(0xfedcba9876543212)}},
};
// clang-format on

static void correlated_times(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(lines); r++) {
        struct build build = build_start(lines[r].kind);
        unsigned shift = lines[r].kind >= DG2;
        uint64_t ticks[12], points[12];
        size_t reports = 0, point_count = 0;
        uint64_t origin = lines[r].moments[0].gpu;
        for (size_t m = 0; m < 12 && lines[r].moments[m].gpu; m++) {
            uint64_t gpu = lines[r].moments[m].gpu;
            if (lines[r].moments[m].is_point) {
                uint64_t passed = gpu > origin ? gpu - origin : 0;
                build_correlation(&build, 5000 + scale_u64(passed, NS_PER_SECOND, build.gpu->hz),
                                  gpu >> shift & (REGISTER - 1));
                points[point_count++] = gpu - lines[r].base;
            } else {
                build_report(&build, gpu);
                ticks[reports++] = gpu - lines[r].base;
            }
        }
        check_ticks(lines[r].line, &build, ticks, reports);
        struct reading reading;
        read_memory(&build, &reading);
        ROW_ASSERT(&lines[r], reading.point_count == point_count);
        for (size_t i = 0; i < point_count; i++)
            ROW_ASSERT(&lines[r], reading.points[i].gpu_ticks == points[i]);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* ---- order --------------------------------------------------------------------------------- */

static void equal_times(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    const uint64_t ticks[] = {100, 100, 100, 200, 200};
    for (size_t i = 0; i < ARRAY_COUNT(ticks); i++)
        build_report(&build, ticks[i]);
    check_ticks(__LINE__, &build, ticks, ARRAY_COUNT(ticks));
    build_fini(&build);
}

/* A decreasing timestamp: everything before it is delivered, and the message has its offset. */
static void unsorted(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum gpu_kind kind;
        size_t good;
        uint64_t start, bad;
        const char *message;
    } rows[] = {
        {__LINE__, HSW, 1, 1000, 999, "timestamp 0x3e7 decreases, expected at least 0x3e8"},
        {__LINE__, HSW, 2, 1000, 1009, "timestamp 0x3f1 decreases, expected at least 0x3f2"},
        {__LINE__, SKL, 5000, 1000, 1000, "timestamp 0x3e8 decreases, expected at least 0xc72e"},
        {__LINE__, TGL, 100, 0xfffffff0, 0xfffffff0, "timestamp 0xfffffff0 decreases"},
        {__LINE__, OAM, 2, 0x500000000, 0x500000009, "timestamp 0x500000009 decreases"},
        {__LINE__, OAM, 9, 0x500000000, 7,
         "timestamp 0x7 decreases, expected at least 0x500000050"},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct build build = build_start(rows[r].kind);
        build_reports(&build, rows[r].start, 10, rows[r].good);
        size_t offset = build.bytes.size;
        char place[64];
        snprintf(place, sizeof place, "report %zu at offset 0x%zx: ", rows[r].good, offset);
        build_report(&build, rows[r].bad);
        build_reports(&build, rows[r].start + 10 * rows[r].good, 10, 5);
        struct reading first;
        read_memory(&build, &first);
        ROW_ASSERT(&rows[r], first.ended == -EBADMSG);
        ROW_ASSERT(&rows[r], strstr(first.error.message, place));
        ROW_ASSERT(&rows[r], strstr(first.error.message, rows[r].message));
        ROW_ASSERT(&rows[r], first.count == rows[r].good);
        ROW_ASSERT(&rows[r], first.position == offset);
        ROW_ASSERT(&rows[r], first.loss_count == 1);
        ROW_ASSERT(&rows[r], first.losses[0].kind == TALLY_LOSS_UNREADABLE);
        ROW_ASSERT(&rows[r], first.losses[0].offset == offset);
        ROW_ASSERT(&rows[r], first.losses[0].before_index == rows[r].good);
        ROW_ASSERT(&rows[r], first.losses[0].gpu_start == first.totals.last_ticks);
        for (enum way way = BY_FILE; way < BY_COUNT; way++) {
            struct reading reading;
            read_by(way, &build.bytes, NULL, &reading);
            assert_same_reading(&first, &reading);
            reading_fini(&reading);
        }
        reading_fini(&first);

        /* With the keep option all are delivered; the negative delta cannot be trusted. */
        struct tally_recording_options options = {.keep_unsorted = true};
        read_by(BY_MEMORY, &build.bytes, &options, &first);
        ROW_ASSERT(&rows[r], first.ended == 0);
        ROW_ASSERT(&rows[r], first.count == rows[r].good + 6);
        ROW_ASSERT(&rows[r], first.ticks[rows[r].good] == rows[r].bad);
        ROW_ASSERT(&rows[r], first.states[rows[r].good - 1] == TALLY_STATE_AMBIGUOUS);
        ROW_ASSERT(&rows[r], first.totals.lost_deltas >= 1);
        reading_fini(&first);
        build_fini(&build);
    }
}

/* A ring of reports as in memory: the newest precede the oldest. */
static void raw_ring(void **state)
{
    (void)state;
    static const char *const layouts[] = {"hsw/a45_b8_c8", "xe/pec64u64"};
    for (size_t l = 0; l < ARRAY_COUNT(layouts); l++) {
        struct build build = build_empty(l ? OAM : HSW);
        build.layout = tally_layout_find(layouts[l]);
        struct tally_recording_options options = {
            .kind = TALLY_KIND_RAW,
            .layout = build.layout,
            .platform = tally_platform_find(l ? "mtl" : "hsw"),
            .keep_unsorted = true,
        };
        for (uint64_t i = 0; i < 50; i++)
            build_raw(&build, 100000 + i * 10);
        for (uint64_t i = 0; i < 150; i++)
            build_raw(&build, 98500 + i * 10);
        struct reading reading;
        read_by(BY_MEMORY, &build.bytes, &options, &reading);
        assert_int_equal(reading.ended, 0);
        assert_int_equal(reading.count, 200);
        assert_int_equal(reading.totals.lost_deltas, 1);
        assert_int_equal(reading.states[49], TALLY_STATE_AMBIGUOUS);
        assert_int_equal(reading.loss_count, 1);
        assert_int_equal(reading.losses[0].kind, TALLY_LOSS_AMBIGUOUS);
        assert_int_equal(reading.losses[0].estimated, 0);
        assert_int_equal(reading.totals.losses, 0);
        reading_fini(&reading);
        options.keep_unsorted = false;
        read_by(BY_MEMORY, &build.bytes, &options, &reading);
        assert_int_equal(reading.ended, -EBADMSG);
        assert_int_equal(reading.count, 50);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* ---- CPU time ------------------------------------------------------------------------------ */

static struct tally_recording *open_points(struct build *build, enum gpu_kind kind,
                                           const struct tally_correlation *points, size_t count)
{
    struct tally_recording *recording;
    struct tally_error error = {0};
    *build = build_start(kind);
    for (size_t i = 0; i < count; i++)
        build_correlation(build, points[i].cpu_ns, points[i].gpu_ticks);
    assert_int_equal(tally_recording_open_memory(build->bytes.bytes, build->bytes.size, "points",
                                                 NULL, &recording, &error),
                     0);
    return recording;
}

/*
 * IGT-1.5, point 6: cpu_i + (ts - gpu_i) * (cpu_i+1 - cpu_i) / (gpu_i+1 - gpu_i), in integers.
 * The points of HSW: an interval of an odd length, one at 80 ns per tick, one that ends at the same
 * CPU time, one that ends at the same GPU time.
 */
static const struct tally_correlation five_points[] = {
    {1000000, 5000}, {1000777, 5333}, {1000777 + 80000, 6333}, {1080777, 7000}, {1090777, 7000},
};

static const struct {
    unsigned line;
    size_t points;
    uint64_t gpu, cpu;
} places[] = {
    /* Within an interval, and at its ends. */
    {__LINE__, 5, 5000, 1000000},
    {__LINE__, 5, 5001, 1000002}, /* 777 / 333 = 2.33 */
    {__LINE__, 5, 5003, 1000007},
    {__LINE__, 5, 5332, 1000774},
    {__LINE__, 5, 5333, 1000777},
    {__LINE__, 5, 5334, 1000857},
    {__LINE__, 5, 6332, 1080697},
    {__LINE__, 5, 6333, 1080777},
    {__LINE__, 5, 6999, 1080777},
    {__LINE__, 4, 7000, 1080777},
    /* Before the first point: extends the first interval. */
    {__LINE__, 5, 4999, 999998},
    {__LINE__, 5, 4667, 999223},
    {__LINE__, 2, 0, 1000000 - 11666}, /* 5000 * 777 / 333 = 11666.67 */
    /* After the last point. */
    {__LINE__, 2, 5666, 1001554},
    {__LINE__, 2, 5333 + 333 * UINT64_C(10000000000), 1000777 + 777 * UINT64_C(10000000000)},
    {__LINE__, 3, 6433, 1088777},
    /* For an interval without GPU time the frequency is used. */
    {__LINE__, 5, 7100, 1088777},
    /* A single point: 80 ns per tick. */
    {__LINE__, 1, 5000, 1000000},
    {__LINE__, 1, 5001, 1000080},
    {__LINE__, 1, 4999, 999920},
    {__LINE__, 1, 12505000, 1001000000},
    {__LINE__, 1, 0, 600000},
};

static void cpu_times(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(places); r++) {
        for (enum way way = BY_MEMORY; way <= BY_INDEX; way++) {
            struct build build;
            struct tally_recording *recording =
                open_points(&build, HSW, five_points, places[r].points);
            struct tally_batch *batch = tally_batch_new();
            uint64_t ns = 0;
            if (way == BY_INDEX)
                tally_recording_index(recording);
            else
                assert_int_equal(tally_recording_read(recording, batch, NULL), 0);
            int result = tally_recording_cpu_ns(recording, places[r].gpu, &ns);
            ROW_ASSERT(&places[r], result == 0);
            if (ns != places[r].cpu)
                fail_msg("the row of line %u: %llu ns, expected %llu", places[r].line,
                         (unsigned long long)ns, (unsigned long long)places[r].cpu);
            tally_batch_free(batch);
            tally_recording_close(recording);
            build_fini(&build);
        }
    }
}

static void cpu_time_edges(void **state)
{
    (void)state;
    struct build build;
    uint64_t ns = 77;
    const struct tally_correlation *points;

    /* Without points there is no CPU time; with one there is none before its epoch. */
    struct tally_recording *recording = open_points(&build, HSW, NULL, 0);
    tally_recording_index(recording);
    assert_int_equal(tally_recording_cpu_ns(recording, 5, &ns), -ENODATA);
    assert_int_equal(ns, 77);
    assert_int_equal(tally_recording_correlations(recording, &points), 0);
    tally_recording_close(recording);
    build_fini(&build);

    recording = open_points(&build, HSW, (struct tally_correlation[]){{100, 5000}}, 1);
    assert_int_equal(tally_recording_cpu_ns(recording, 5, &ns), -ENODATA); /* not read yet */
    tally_recording_index(recording);
    assert_int_equal(tally_recording_cpu_ns(recording, 5, &ns), 0);
    assert_int_equal(ns, 0);
    tally_recording_close(recording);
    build_fini(&build);

    /* A repeated point is one point. */
    recording = open_points(&build, HSW, (struct tally_correlation[]){{9000, 500}, {9000, 500}}, 2);
    tally_recording_index(recording);
    assert_int_equal(tally_recording_cpu_ns(recording, 499, &ns), 0);
    assert_int_equal(ns, 8920);
    tally_recording_close(recording);
    build_fini(&build);

    /* Products beyond 64 bits: a year of GPU time, from an interval of one second. */
    const uint64_t day = 86400;
    recording = open_points(&build, SKL,
                            (struct tally_correlation[]){{0, 1}, {NS_PER_SECOND, 12000001}}, 2);
    tally_recording_index(recording);
    assert_int_equal(tally_recording_cpu_ns(recording, 365 * day * 12000000 + 1, &ns), 0);
    assert_int_equal(ns, 365 * day * NS_PER_SECOND);
    assert_int_equal(tally_recording_cpu_ns(recording, UINT64_MAX, &ns), 0);
    tally_recording_close(recording);
    build_fini(&build);
}

/* Indexing does not move the reader, may be repeated or late, and has no effect on inputs that it
 * cannot scan. */
static void indexing(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    static const uint8_t padding[65000];
    for (uint64_t i = 0; i < 300; i++) {
        build_correlation(&build, i * NS_PER_SECOND, i * build.gpu->hz);
        build_record(&build, 0x5400ffff, padding, (i * 997) % sizeof padding);
        build_report(&build, i * build.gpu->hz + 77);
    }
    struct tally_recording *recording;
    struct tally_batch *batch = tally_batch_new();
    const struct tally_correlation *points;
    assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "memory",
                                                 NULL, &recording, NULL),
                     0);
    tally_recording_index(recording);
    tally_recording_index(recording);
    assert_int_equal(tally_recording_correlations(recording, &points), 300);
    assert_int_equal(tally_recording_position(recording), 0);
    assert_int_equal(tally_recording_read(recording, batch, NULL), 1);
    tally_recording_index(recording);
    assert_int_equal(tally_recording_correlations(recording, &points), 300);
    tally_recording_close(recording);

    assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "memory",
                                                 NULL, &recording, NULL),
                     0);
    assert_int_equal(tally_recording_read(recording, batch, NULL), 1);
    tally_recording_index(recording); /* too late */
    assert_int_equal(tally_recording_correlations(recording, &points), 300);
    tally_recording_close(recording);
    tally_batch_free(batch);

    struct reading reading, expected;
    read_memory(&build, &expected);
    read_by(BY_INDEX, &build.bytes, NULL, &reading);
    assert_same_reading(&expected, &reading);
    reading_fini(&reading);
    reading_fini(&expected);
    build_fini(&build);
}

int test_times(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrap_inside),      cmocka_unit_test(wraps_over_days),
        cmocka_unit_test(correlated_times), cmocka_unit_test(equal_times),
        cmocka_unit_test(unsorted),         cmocka_unit_test(raw_ring),
        cmocka_unit_test(cpu_times),        cmocka_unit_test(cpu_time_edges),
        cmocka_unit_test(indexing),
    };
    return cmocka_run_group_tests_name("recording: times", tests, NULL, NULL);
}
