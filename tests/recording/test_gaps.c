/* SPDX-License-Identifier: MIT */
/* Missing reports without a loss record, and jumps of the clock. */
#include "build.h"
#include "suites.h"

#include <errno.h>

#include "recording/format.h"

#define PERIOD 1000u
#define T      TALLY_REASON_TIMER
#define S      TALLY_REASON_CONTEXT_SWITCH

static void build_stream(struct build *build, uint64_t timer, uint32_t flags)
{
    uint8_t payload[STREAM_BYTES] = {0};
    store_le64(payload + STREAM_TIMER, timer);
    store_le32(payload + STREAM_FLAGS, flags);
    build_record(build, TALLY_RECORD_STREAM, payload, sizeof payload);
}

/* Formats the kinds and numbers of the ledger: "missing:2 report-lost:1". */
static const char *ledger_of(const struct reading *reading)
{
    static char text[400];
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < reading->loss_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:%llu", i ? " " : "",
                                 tally_loss_kind_name(reading->losses[i].kind),
                                 (unsigned long long)reading->losses[i].estimated);
    return text;
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* Reports after twenty-one timer reports at 1000 to 21000. stamp 0: the end. */
struct step {
    uint32_t stamp;
    unsigned reason; /* 0: a REPORT_LOST record; LANDS_NOT: a sample of zeros */
};

#define LANDS_NOT 0x8000u

static const struct {
    unsigned line;
    uint64_t period; /* period of the STREAM record; 0: no record */
    bool one_context;
    struct step steps[8];
    const char *ledger;
    const char *states; /* of the deltas from the twenty-first report on: o, l, a */
} gaps[] = {
    // clang-format off
    {__LINE__, 0, false, {{22000, T}, {23000, T}}, "", "oo"},
    {__LINE__, 0, false, {{23000, T}, {24000, T}}, "missing:1", "lo"},
    {__LINE__, 0, false, {{31000, T}, {32000, T}}, "missing:9", "lo"},
    {__LINE__, 0, false, {{22010, T}, {22990, T}}, "", "oo"}, /* a little late or early */
    {__LINE__, 0, false, {{23010, T}, {23990, T}}, "missing:1", "lo"},
    /* Other reports in between. */
    {__LINE__, 0, false, {{21500, S}, {22000, T}}, "", "oo"},
    {__LINE__, 0, false, {{21500, S}, {21600, S}, {23000, T}}, "missing:1", "ool"},
    {__LINE__, 0, false, {{23500, S}, {24000, T}}, "missing:2", "lo"},
    {__LINE__, 0, false, {{22050, S}, {23000, T}}, "missing:1", "ol"}, /* a timer report was just due */
    {__LINE__, 0, false, {{23500, S}, {25000, T}}, "missing:2 missing:1", "ll"},
    {__LINE__, 0, false, {{22000, T | S}, {23000, T}}, "", "oo"},
    /* A kernel record precedes the gap: its loss is after it. */
    {__LINE__, 0, false, {{1, 0}, {22000, T}, {24000, T}, {25000, T}}, "report-lost:1", "llo"},
    {__LINE__, 0, false, {{1, 0}, {23000, T}, {25000, T}}, "report-lost:1 missing:1", "ll"},
    {__LINE__, 0, false, {{1, 0}, {22000, T}, {24000, T}, {26000, T}}, "report-lost:1 missing:1", "lll"},
    {__LINE__, 0, false, {{1, 0}, {22000, T}, {23000, T}}, "report-lost:0", "lo"},
    /* A report that did not land, at its expected place. */
    {__LINE__, 0, false, {{1, LANDS_NOT}, {23000, T}, {24000, T}}, "not-landed:1", "lo"},
    {__LINE__, 0, false, {{1, LANDS_NOT}, {1, LANDS_NOT}, {24000, T}}, "not-landed:2", "l"},
    {__LINE__, 0, false, {{1, LANDS_NOT}, {22000, T}, {23000, T}}, "not-landed:0", "lo"},
    /* The file states the period. */
    {__LINE__, PERIOD, false, {{23000, T}}, "missing:1", "l"},
    {__LINE__, 500, false, {{21500, T}}, "missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1 missing:1", "o"},
    /* Reports of other contexts are filtered out. */
    {__LINE__, PERIOD, true, {{29000, T}}, "", "o"},
    {__LINE__, PERIOD, true, {{1, 0}, {24000, T}}, "report-lost:2", "l"},
    // clang-format on
};

static void test_gaps(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(gaps); r++) {
        struct build build = build_start(SKL);
        struct reading reading;
        static const uint8_t zeros[256];
        if (gaps[r].period)
            build_stream(&build, gaps[r].period, gaps[r].one_context ? STREAM_ONE_CONTEXT : 0);
        build_reports(&build, PERIOD, PERIOD, 21);
        for (const struct step *step = gaps[r].steps; step->stamp; step++) {
            if (!step->reason)
                build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
            else if (step->reason == LANDS_NOT)
                build_record(&build, TALLY_RECORD_SAMPLE, zeros, sizeof zeros);
            else
                build_report_by(&build, step->stamp, step->reason, 0x1000);
        }
        for (enum way way = 0; way < BY_COUNT; way++) {
            char states[16] = "";
            read_by(way, &build.bytes, NULL, &reading);
            ROW_ASSERT(&gaps[r], reading.ended == 0);
            for (size_t i = 20; i + 1 < reading.count; i++)
                states[i - 20] = "ola"[reading.states[i]];
            if (strcmp(ledger_of(&reading), gaps[r].ledger) != 0)
                print_message("%s\n", ledger_of(&reading));
            ROW_ASSERT(&gaps[r], !strcmp(ledger_of(&reading), gaps[r].ledger));
            ROW_ASSERT(&gaps[r], !strcmp(states, gaps[r].states));
            reading_fini(&reading);
        }
        build_fini(&build);
    }
}

/* A few reports do not define a period, nor do reports that are not the timer's. */
static void test_no_period(void **state)
{
    (void)state;
    for (unsigned reason = 0; reason < 2; reason++) {
        struct build build = build_start(SKL);
        struct reading reading;
        for (uint32_t i = 1; i <= (reason ? 40 : 10); i++)
            build_report_by(&build, i * PERIOD, reason ? S : T, 0x1000);
        build_report_by(&build, 50 * PERIOD, T, 0x1000);
        build_report_by(&build, 60 * PERIOD, T, 0x1000);
        read_memory(&build, &reading);
        assert_int_equal(reading.ended, 0);
        assert_int_equal(reading.loss_count, 0);
        reading_fini(&reading);
        build_fini(&build);
    }
}

static void test_where_a_gap_is(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    build_reports(&build, PERIOD, PERIOD, 30);
    size_t offset = build.bytes.size;
    build_reports(&build, 34 * PERIOD, PERIOD, 5);
    read_memory(&build, &reading);
    assert_int_equal(reading.loss_count, 1);
    const struct tally_loss *loss = &reading.losses[0];
    assert_int_equal(loss->kind, TALLY_LOSS_MISSING);
    assert_int_equal(loss->records, 1);
    assert_int_equal(loss->estimated, 3);
    assert_int_equal(loss->before_index, 30);
    assert_int_equal(loss->gpu_start, 30 * PERIOD);
    assert_int_equal(loss->gpu_end, 34 * PERIOD);
    assert_int_equal(loss->offset, offset);
    assert_int_equal(reading.totals.losses, 1);
    assert_int_equal(reading.totals.lost_deltas, 1);
    assert_int_equal(reading.totals.reports, 35);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- the clock ------------------------------------------------------------------------------- */

#define HZ UINT64_C(12000000)

static const struct {
    unsigned line;
    uint64_t seconds;  /* of points before the jump, one per second */
    uint64_t cpu_ns;   /* time to the point after the jump */
    int64_t error_ppm; /* constant error of the GPU's clock */
    int64_t jump;      /* ticks */
    bool found;
} jumps[] = {
    // clang-format off
    {__LINE__, 0, NS_PER_SECOND, 0, 0, false},
    {__LINE__, 0, NS_PER_SECOND, 400, 0, false},
    {__LINE__, 0, NS_PER_SECOND, -400, 0, false},
    {__LINE__, 0, NS_PER_SECOND, 0, 7000, false}, /* the clock may be wrong by 583 us per second */
    {__LINE__, 0, NS_PER_SECOND, 0, 8000, true},
    {__LINE__, 0, NS_PER_SECOND / 10, 0, 2000, true},
    {__LINE__, 0, NS_PER_SECOND / 10, 0, 1000, false},
    {__LINE__, 0, 60 * NS_PER_SECOND, 0, 300000, false},
    {__LINE__, 0, 60 * NS_PER_SECOND, 0, 400000, true},
    /* The clock's rate is already known. */
    {__LINE__, 3, NS_PER_SECOND, 400, 2000, false},
    {__LINE__, 3, NS_PER_SECOND, 400, 3000, true},
    {__LINE__, 3, NS_PER_SECOND, -400, 3000, true},
    {__LINE__, 3, NS_PER_SECOND, 0, -2000, false}, /* a point that was read late */
    {__LINE__, 3, NS_PER_SECOND, 0, 1 << 30, true},
    // clang-format on
};

static void test_jumps(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(jumps); r++) {
        struct build build = build_start(SKL);
        struct reading reading;
        uint64_t cpu = 0, gpu = 5000;
        for (uint64_t i = 0; i <= jumps[r].seconds; i++, cpu += NS_PER_SECOND)
            build_correlation(
                &build, cpu,
                gpu + cpu / NS_PER_SECOND * HZ +
                    (uint64_t)((int64_t)(cpu / NS_PER_SECOND * HZ) * jumps[r].error_ppm / 1000000));
        cpu += jumps[r].cpu_ns - NS_PER_SECOND;
        uint64_t ticks = cpu / 1000 * (HZ / 1000000);
        gpu += ticks + (uint64_t)((int64_t)ticks * jumps[r].error_ppm / 1000000 + jumps[r].jump);
        build_correlation(&build, cpu, gpu);
        gpu += HZ + (uint64_t)((int64_t)HZ * jumps[r].error_ppm / 1000000);
        build_correlation(&build, cpu + NS_PER_SECOND, gpu); /* the last point */
        build_report(&build, (uint32_t)gpu);
        for (enum way way = 0; way < BY_COUNT; way++) {
            read_by(way, &build.bytes, NULL, &reading);
            ROW_ASSERT(&jumps[r], reading.ended == 0);
            ROW_ASSERT(&jumps[r], reading.loss_count == jumps[r].found);
            if (jumps[r].found)
                ROW_ASSERT(&jumps[r], reading.losses[0].kind == TALLY_LOSS_CLOCK);
            ROW_ASSERT(&jumps[r], reading.totals.losses == 0);
            reading_fini(&reading);
        }
        build_fini(&build);
    }
}

/* A gap of the jump's length is the jump; with two such gaps it is ambiguous. */
static void test_a_jump_that_looks_like_a_loss(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t first, second; /* strobes without a report */
        const char *ledger;
    } rows[] = {
        {__LINE__, 10, 0, "clock-jump:0"},
        {__LINE__, 11, 0, "clock-jump:0"},
        {__LINE__, 12, 0, "missing:12 clock-jump:0"},
        {__LINE__, 3, 10, "missing:3 clock-jump:0"},
        {__LINE__, 10, 10, "missing:10 missing:10 clock-jump:0"},
    };
    const uint64_t period = 8192, jump = 85000;
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct build build = build_start(SKL);
        struct reading reading;
        uint64_t at = period / 2;
        build_correlation(&build, 0, 0);
        build_stream(&build, period, 0);
        build_reports(&build, at, period, 5);
        at += (5 + rows[r].first) * period;
        build_reports(&build, at, period, 5);
        at += (5 + rows[r].second) * period;
        build_reports(&build, at, period, 5);
        build_correlation(&build, NS_PER_SECOND, HZ + jump);
        build_report(&build, HZ + jump);
        read_memory(&build, &reading);
        /* Losses up to the last report are tested elsewhere. */
        char head[400];
        snprintf(head, sizeof head, "%s", ledger_of(&reading));
        uint64_t unexplained = 0; /* those that the jump does not explain */
        for (const char *gap = head; (gap = strstr(gap, "missing:")); gap++)
            unexplained++;
        ROW_ASSERT(&rows[r], reading.totals.losses == unexplained);
        ROW_ASSERT(&rows[r], !strncmp(head, rows[r].ledger, strlen(rows[r].ledger)));
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

static void test_unwritten(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    uint8_t payload[LEDGER_BYTES] = {0};
    build_reports(&build, PERIOD, PERIOD, 5);
    store_le32(payload + LEDGER_KIND, TALLY_LOSS_UNWRITTEN);
    store_le64(payload + LEDGER_RECORDS, 1);
    store_le64(payload + LEDGER_ESTIMATED, 77);
    build_record(&build, TALLY_RECORD_LEDGER, payload, sizeof payload);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_string_equal(ledger_of(&reading), "unwritten:77");
    assert_int_equal(reading.totals.losses, 1);
    reading_fini(&reading);
    build_fini(&build);
}

static void test_bad_streams(void **state)
{
    (void)state;
    static const uint8_t payload[32];
    for (size_t size = 0; size <= 32; size += 8) {
        struct build build = build_start(SKL);
        struct reading reading;
        build_record(&build, TALLY_RECORD_STREAM, payload, size);
        build_reports(&build, PERIOD, PERIOD, 5);
        read_memory(&build, &reading);
        assert_int_equal(reading.ended, size == STREAM_BYTES ? 0 : -EBADMSG);
        if (size != STREAM_BYTES)
            assert_non_null(strstr(reading.error.message, "STREAM record at offset"));
        reading_fini(&reading);
        build_fini(&build);
    }
}

int test_gaps_and_jumps(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_no_period),
        cmocka_unit_test(test_where_a_gap_is),
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_a_jump_that_looks_like_a_loss),
        cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_bad_streams),
    };
    return cmocka_run_group_tests_name("recording: gaps", tests, NULL, NULL);
}
