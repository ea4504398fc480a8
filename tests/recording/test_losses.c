/* SPDX-License-Identifier: MIT */
/* The loss ledger: every loss has an entry, and the sums are right. */
#include "build.h"

#include <errno.h>
#include <string.h>

#include "recording/format.h"
#include "suites.h"

/* ---- places of losses ---------------------------------------------------------------------- */

/* One character per record: s a report 100 ticks after the previous one, R and B losses, x a record
 * of an unknown type, p one of Tally's own, | a correlation point. */
static void build_script(struct build *build, const char *script)
{
    uint64_t time = 1000;
    for (; *script; script++) {
        switch (*script) {
        case 's':
            build_report(build, time);
            time += 100;
            break;
        case '_': /* time passes */
            time += 100;
            break;
        case 'R':
            build_lost(build, TALLY_RECORD_REPORT_LOST, 1);
            break;
        case 'B':
            build_lost(build, TALLY_RECORD_BUFFER_LOST, 1);
            break;
        case 'x':
            build_record(build, 77, "unknown", 8);
            break;
        case 'p':
            build_record(build, 0x54001234, "ours", 4);
            break;
        case '|':
            build_correlation(build, time * 80, time);
            break;
        }
    }
}

#define R TALLY_LOSS_REPORT
#define B TALLY_LOSS_BUFFER
#define X TALLY_LOSS_SKIPPED

/* Entries have kind, records, before_index, gpu_start, gpu_end, estimated; a record count of 0 ends
 * the list. States of deltas: o ok, l lost. */
static const struct {
    unsigned line;
    const char *script;
    const char *states;
    struct tally_loss losses[6];
} scripts[] = {
    {__LINE__, "sss", "oo", {{0}}},
    {__LINE__, "R", "", {{R, 1, 0, 0, 0, 0, 0, 0, false}}},
    {__LINE__, "RB", "", {{R, 1, 0, 0, 0, 0, 0, 0, false}, {B, 1, 0, 0, 0, 0, 0, 0, false}}},
    /* Before the first report: no delta is lost. */
    {__LINE__, "Rss", "o", {{R, 1, 0, 0, 0, 1000, 0, 0, false}}},
    {__LINE__, "RRRss", "o", {{R, 3, 0, 0, 0, 1000, 0, 0, false}}},
    {__LINE__,
     "RBBss",
     "o",
     {{R, 1, 0, 0, 0, 1000, 0, 0, false}, {B, 2, 0, 0, 0, 1000, 0, 0, false}}},
    /* In between: only the delta that spans the loss is lost. */
    {__LINE__, "sRs", "l", {{R, 1, 1, 0, 1000, 1100, 0, 0, false}}},
    {__LINE__, "ssR_ss", "olo", {{R, 1, 2, 0, 1100, 1300, 1, 0, false}}},
    {__LINE__, "ssB______ss", "olo", {{B, 1, 2, 0, 1100, 1800, 6, 0, false}}},
    {__LINE__, "ssRRR___ss", "olo", {{R, 3, 2, 0, 1100, 1500, 3, 0, false}}},
    {__LINE__, "ssRpR|R___ss", "olo", {{R, 3, 2, 0, 1100, 1500, 3, 0, false}}},
    {__LINE__,
     "sRsRsR_s",
     "lll",
     {{R, 1, 1, 0, 1000, 1100, 0, 0, false},
      {R, 1, 2, 0, 1100, 1200, 0, 0, false},
      {R, 1, 3, 0, 1200, 1400, 0, 0, false}}},
    {__LINE__,
     "ssR_sR_s",
     "oll",
     {{R, 1, 2, 0, 1100, 1300, 1, 0, false}, {R, 1, 3, 0, 1300, 1500, 1, 0, false}}},
    /* Two kinds in one gap: two entries, and the missing reports are counted once. */
    {__LINE__,
     "ssRB___ss",
     "olo",
     {{R, 1, 2, 0, 1100, 1500, 3, 0, false}, {B, 1, 2, 0, 1100, 1500, 0, 0, false}}},
    {__LINE__,
     "ssBRR___ss",
     "olo",
     {{B, 1, 2, 0, 1100, 1500, 3, 0, false}, {R, 2, 2, 0, 1100, 1500, 0, 0, false}}},
    {__LINE__,
     "ssRBR___ss",
     "olo",
     {{R, 1, 2, 0, 1100, 1500, 3, 0, false},
      {B, 1, 2, 0, 1100, 1500, 0, 0, false},
      {R, 1, 2, 0, 1100, 1500, 0, 0, false}}},
    /* After the last report: no delta, no end. */
    {__LINE__, "ssR", "o", {{R, 1, 2, 0, 1100, 0, 0, 0, false}}},
    {__LINE__,
     "ssRRB",
     "o",
     {{R, 2, 2, 0, 1100, 0, 0, 0, false}, {B, 1, 2, 0, 1100, 0, 0, 0, false}}},
    /* The period is the distance of consecutive timer reports, wherever they are. */
    {__LINE__, "sR____s", "l", {{R, 1, 1, 0, 1000, 1500, 0, 0, false}}},
    {__LINE__,
     "sR____ssR_s",
     "lol",
     {{R, 1, 1, 0, 1000, 1500, 0, 0, false}, {R, 1, 3, 0, 1600, 1800, 1, 0, false}}},
    {__LINE__, "s__sssR_____s", "oool", {{R, 1, 4, 0, 1500, 2100, 5, 0, false}}},
    /* Two distances that occur once each: the period is unknown. */
    {__LINE__, "s__ssR_____s", "ool", {{R, 1, 3, 0, 1400, 2000, 0, 0, false}}},
    /* Records of unknown types are not lost reports. */
    {__LINE__, "sxs", "o", {{X, 1, 1, 0, 1000, 1100, 0, 0, false}}},
    {__LINE__, "sxxs", "o", {{X, 2, 1, 0, 1000, 1100, 0, 0, false}}},
    {__LINE__, "xs", "", {{X, 1, 0, 0, 0, 1000, 0, 0, false}}},
    {__LINE__,
     "ssR_sx__s",
     "olo",
     {{R, 1, 2, 0, 1100, 1300, 1, 0, false}, {X, 1, 3, 0, 1300, 1600, 0, 0, false}}},
    {__LINE__,
     "ssxR_sxs",
     "olo",
     {{X, 1, 2, 0, 1100, 1300, 0, 0, false},
      {R, 1, 2, 0, 1100, 1300, 1, 0, false},
      {X, 1, 3, 0, 1300, 1400, 0, 0, false}}},
};

static uint64_t count_of(const char *script, const char *letters)
{
    uint64_t count = 0;
    for (; *script; script++)
        count += strchr(letters, *script) != NULL;
    return count;
}

static void scripted(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(scripts); r++) {
        struct build build = build_start(HSW);
        struct reading reading;
        build_script(&build, scripts[r].script);
        read_memory(&build, &reading);
        bool unknown = strchr(scripts[r].script, 'x') != NULL;
        ROW_ASSERT(&scripts[r], reading.ended == (unknown ? -EBADMSG : 0));

        uint64_t lost_deltas = 0;
        for (size_t i = 0; i + 1 < reading.count; i++) {
            bool lost = scripts[r].states[i] == 'l';
            lost_deltas += lost;
            ROW_ASSERT(&scripts[r],
                       reading.states[i] == (lost ? TALLY_STATE_LOST : TALLY_STATE_OK));
        }
        ROW_ASSERT(&scripts[r], reading.totals.lost_deltas == lost_deltas);
        ROW_ASSERT(&scripts[r], reading.totals.losses == count_of(scripts[r].script, "RB"));
        ROW_ASSERT(&scripts[r], reading.totals.unknown_records == count_of(scripts[r].script, "x"));

        size_t count = 0;
        for (; scripts[r].losses[count].records; count++) {
            const struct tally_loss *expected = &scripts[r].losses[count];
            const struct tally_loss *loss = &reading.losses[count];
            ROW_ASSERT(&scripts[r], count < reading.loss_count);
            ROW_ASSERT(&scripts[r], loss->kind == expected->kind);
            ROW_ASSERT(&scripts[r], loss->records == expected->records);
            ROW_ASSERT(&scripts[r], loss->before_index == expected->before_index);
            ROW_ASSERT(&scripts[r], loss->gpu_start == expected->gpu_start);
            ROW_ASSERT(&scripts[r], loss->gpu_end == expected->gpu_end);
            ROW_ASSERT(&scripts[r], loss->estimated == expected->estimated);
            /* The offset is that of a record of this kind. */
            uint32_t type = load_le32(build.bytes.bytes + loss->offset);
            ROW_ASSERT(&scripts[r], type == (loss->kind == R   ? TALLY_RECORD_REPORT_LOST
                                             : loss->kind == B ? TALLY_RECORD_BUFFER_LOST
                                                               : 77u));
        }
        ROW_ASSERT(&scripts[r], reading.loss_count == count);
        for (enum way way = BY_FILE; way < BY_COUNT; way++) {
            struct reading other;
            read_by(way, &build.bytes, NULL, &other);
            assert_same_reading(&reading, &other);
            reading_fini(&other);
        }
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* ---- losses that the writer knows ---------------------------------------------------------- */

static void build_ledger(struct build *build, uint32_t kind, uint64_t records, uint64_t estimated)
{
    uint8_t payload[LEDGER_BYTES] = {0};
    store_le32(payload + LEDGER_KIND, kind);
    store_le64(payload + LEDGER_RECORDS, records);
    store_le64(payload + LEDGER_ESTIMATED, estimated);
    build_record(build, TALLY_RECORD_LEDGER, payload, sizeof payload);
}

/* LEDGER records between the second report, at 1100, and the third, at 1600; the period is 100. */
static const struct {
    unsigned line;
    struct tally_loss written[3];  /* kind, records, estimated */
    struct tally_loss expected[3]; /* the entry, which differs in these only */
    uint64_t losses;               /* in the totals */
    enum tally_state state;
} written[] = {
#define W(kind, records, estimated)                                                                \
    {                                                                                              \
        kind, records, 0, 0, 0, 0, estimated, 0, false                                             \
    }
    {__LINE__, {W(R, 1, 3)}, {W(R, 1, 3)}, 1, TALLY_STATE_LOST},
    {__LINE__, {W(R, 5, 0)}, {W(R, 5, 4)}, 5, TALLY_STATE_LOST},
    {__LINE__, {W(B, 1, 9)}, {W(B, 1, 9)}, 1, TALLY_STATE_LOST},
    {__LINE__,
     {W(TALLY_LOSS_NOT_LANDED, 7, 0)},
     {W(TALLY_LOSS_NOT_LANDED, 7, 4)},
     7,
     TALLY_STATE_LOST},
    {__LINE__, {W(TALLY_LOSS_AMBIGUOUS, 1, 0)}, {W(TALLY_LOSS_AMBIGUOUS, 1, 0)}, 0, TALLY_STATE_OK},
    {__LINE__,
     {W(TALLY_LOSS_UNREADABLE, 1, 0)},
     {W(TALLY_LOSS_UNREADABLE, 1, 0)},
     0,
     TALLY_STATE_OK},
    {__LINE__, {W(X, 2, 0)}, {W(X, 2, 0)}, 0, TALLY_STATE_OK},
    /* Consecutive records of a kind are one entry, whether the kernel or the writer reports
     * them. */
    {__LINE__, {W(R, 2, 3), W(R, 3, 4)}, {W(R, 5, 7)}, 5, TALLY_STATE_LOST},
    {__LINE__, {W(R, 2, 3), W(B, 1, 0)}, {W(R, 2, 3), W(B, 1, 0)}, 3, TALLY_STATE_LOST},
    {__LINE__, {W(B, 1, 0), W(R, 2, 3)}, {W(B, 1, 0), W(R, 2, 3)}, 3, TALLY_STATE_LOST},
    {__LINE__, {W(B, 1, 0), W(R, 2, 0)}, {W(B, 1, 4), W(R, 2, 0)}, 3, TALLY_STATE_LOST},
    {__LINE__, {W(X, 1, 0), W(R, 2, 0)}, {W(X, 1, 0), W(R, 2, 4)}, 2, TALLY_STATE_LOST},
    /* Sums stop at their maximum. */
    {__LINE__,
     {W(R, UINT64_MAX, 1), W(R, 2, UINT64_MAX)},
     {W(R, UINT64_MAX, UINT64_MAX)},
     UINT64_MAX,
     TALLY_STATE_LOST},
    {__LINE__,
     {W(B, UINT64_MAX, 1), W(R, 2, 0)},
     {W(B, UINT64_MAX, 1), W(R, 2, 0)},
     UINT64_MAX,
     TALLY_STATE_LOST},
#undef W
};

static void ledger_records(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(written); r++) {
        struct build build = build_start(HSW);
        struct reading reading;
        build_reports(&build, 1000, 100, 2);
        size_t count = 0;
        for (size_t i = 0; i < 3 && written[r].written[i].records; i++)
            build_ledger(&build, written[r].written[i].kind, written[r].written[i].records,
                         written[r].written[i].estimated);
        build_report(&build, 1600);
        read_memory(&build, &reading);
        ROW_ASSERT(&written[r], reading.ended == 0);
        ROW_ASSERT(&written[r], reading.count == 3);
        ROW_ASSERT(&written[r], reading.states[1] == written[r].state);
        ROW_ASSERT(&written[r], reading.totals.losses == written[r].losses);
        for (; count < 3 && written[r].expected[count].records; count++) {
            const struct tally_loss *loss = &reading.losses[count];
            ROW_ASSERT(&written[r], count < reading.loss_count);
            ROW_ASSERT(&written[r], loss->kind == written[r].expected[count].kind);
            ROW_ASSERT(&written[r], loss->records == written[r].expected[count].records);
            ROW_ASSERT(&written[r], loss->estimated == written[r].expected[count].estimated);
            ROW_ASSERT(&written[r], written[r].written[1].records ||
                                        loss->exact == (written[r].written[0].estimated != 0));
            ROW_ASSERT(&written[r], loss->before_index == 2);
            ROW_ASSERT(&written[r], loss->gpu_start == 1100);
            ROW_ASSERT(&written[r], loss->gpu_end == 1600);
        }
        ROW_ASSERT(&written[r], reading.loss_count == count);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* Together with the kernel's losses; a count of 0 means one. */
static void ledger_and_kernel(void **state)
{
    (void)state;
    struct build build = build_start(HSW);
    struct reading reading;
    build_reports(&build, 1000, 100, 2);
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 2);
    build_ledger(&build, R, 0, 1);
    build_report(&build, 1600);
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
    build_report(&build, 1900);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.loss_count, 2);
    assert_int_equal(reading.losses[0].records, 3);
    assert_int_equal(reading.losses[0].estimated, 1);
    assert_int_equal(reading.losses[1].estimated, 2);
    reading_fini(&reading);

    /* The first invalid kind. */
    build_ledger(&build, X + 1, 1, 1);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, -EBADMSG);
    assert_int_equal(reading.count, 4);
    assert_non_null(strstr(reading.error.message, "of size 32 and kind 6, expected size 32"));
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- estimates ----------------------------------------------------------------------------- */

/* The period is the timer's: reports with other reasons neither define it nor fill a gap. */
static void other_reasons(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    build_report(&build, 1000);
    build_report_by(&build, 1500, TALLY_REASON_CONTEXT_SWITCH, 0x2000);
    build_report(&build, 2000);
    build_report(&build, 3000);
    build_report_by(&build, 3400, TALLY_REASON_CONTEXT_SWITCH, 0x2000);
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
    build_report(&build, 7000);
    read_memory(&build, &reading);
    assert_int_equal(reading.loss_count, 1);
    assert_int_equal(reading.losses[0].estimated, 3); /* at 4000, 5000 and 6000 */
    reading_fini(&reading);
    build_fini(&build);
}

/* A report at time 0 ends a gap like any other. */
static void time_zero(void **state)
{
    (void)state;
    struct build build = build_start(HSW);
    struct reading reading;
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
    build_report(&build, 0);
    build_report(&build, 100);
    build_lost(&build, TALLY_RECORD_BUFFER_LOST, 1);
    build_report(&build, 600);
    read_memory(&build, &reading);
    assert_int_equal(reading.loss_count, 2);
    assert_int_equal(reading.losses[0].gpu_start, 0);
    assert_int_equal(reading.losses[0].gpu_end, 0);
    assert_int_equal(reading.losses[1].gpu_start, 100);
    assert_int_equal(reading.losses[1].gpu_end, 600);
    assert_int_equal(reading.losses[1].estimated, 4);
    reading_fini(&reading);
    build_fini(&build);
}

/* Reports with a decreasing time also end gaps; a negative length gives no estimate. */
static void back_in_time(void **state)
{
    (void)state;
    struct build build = build_start(HSW);
    struct tally_recording_options options = {.keep_unsorted = true};
    struct reading reading;
    build_reports(&build, 5000, 100, 5);
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
    build_reports(&build, 1000, 100, 5);
    read_by(BY_MEMORY, &build.bytes, &options, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.states[4], TALLY_STATE_LOST);
    assert_int_equal(reading.loss_count, 1);
    assert_int_equal(reading.losses[0].gpu_start, 5400);
    assert_int_equal(reading.losses[0].gpu_end, 1000);
    assert_int_equal(reading.losses[0].estimated, 0);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- long deltas --------------------------------------------------------------------------- */

/*
 * A 32-bit counter that advances by one per clock wraps after 2^32 clocks; a sum over all EUs wraps
 * sooner. The GPU of build_info() runs at 1 GHz at most.
 */
static const struct {
    unsigned line;
    enum gpu_kind kind;
    const char *layout; /* of the same family, or NULL */
    uint64_t longest;   /* longest unambiguous delta in ticks; 0: any */
} limits[] = {
    {__LINE__, HSW, NULL, UINT64_C(4294967296) * 12500000 / (UINT64_C(1000000000) * 20)},
    {__LINE__, HSW, "hsw/a13", UINT64_C(4294967296) * 12500000 / (UINT64_C(1000000000) * 20)},
    {__LINE__, HSW, "hsw/b4_c8", UINT64_C(4294967296) * 12500000 / 1000000000},
    {__LINE__, SKL, NULL, UINT64_C(4294967296) * 12000000 / 1000000000},
    {__LINE__, SKL, "gen8/a12", UINT64_C(4294967296) * 12000000 / (UINT64_C(1000000000) * 24)},
    {__LINE__, SKL, "gen8/c4_b8", UINT64_C(4294967296) * 12000000 / 1000000000},
    {__LINE__, TGL, NULL, UINT64_C(4294967296) * 19200000 / 1000000000},
    {__LINE__, DG2, NULL, UINT64_C(4294967296) * 38400000 / 1000000000},
    {__LINE__, OAM, NULL, UINT64_C(4294967296) * 38400000 / 1000000000},
    {__LINE__, OAM_SMALL, NULL, UINT64_C(4294967296) * 38400000 / 1000000000},
    {__LINE__, OAM, "xe/pec64u64", 0},
    {__LINE__, OAM, "xe/pec64u32", UINT64_C(4294967296) * 38400000 / 1000000000},
};

static void ambiguous(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(limits); r++) {
        struct build build = build_start(limits[r].kind);
        if (limits[r].layout)
            build.layout = tally_layout_find(limits[r].layout);
        struct tally_recording_options options = {.layout = build.layout};
        uint64_t longest = limits[r].longest ? limits[r].longest : UINT64_C(1) << 50;
        uint64_t ticks[] = {1000, 2000, 2000 + longest, 2000 + 2 * longest + 1, 2000 + 3 * longest};
        for (size_t i = 0; i < ARRAY_COUNT(ticks); i++)
            build_report(&build, ticks[i]);
        build_lost(&build, TALLY_RECORD_REPORT_LOST, 1); /* lost takes precedence over ambiguous */
        build_report(&build, 2000 + 5 * longest);
        struct reading reading;
        read_by(BY_MEMORY, &build.bytes, &options, &reading);
        bool limited = limits[r].longest != 0;
        ROW_ASSERT(&limits[r], reading.ended == 0);
        ROW_ASSERT(&limits[r], reading.count == 6);
        ROW_ASSERT(&limits[r], reading.states[0] == TALLY_STATE_OK);
        ROW_ASSERT(&limits[r], reading.states[1] == TALLY_STATE_OK);
        ROW_ASSERT(&limits[r],
                   reading.states[2] == (limited ? TALLY_STATE_AMBIGUOUS : TALLY_STATE_OK));
        ROW_ASSERT(&limits[r], reading.states[3] == TALLY_STATE_OK);
        ROW_ASSERT(&limits[r], reading.states[4] == TALLY_STATE_LOST);
        ROW_ASSERT(&limits[r], reading.loss_count == 1u + limited);
        ROW_ASSERT(&limits[r], reading.totals.lost_deltas == 1u + limited);
        ROW_ASSERT(&limits[r], reading.totals.losses == 1);
        if (limited) {
            const struct tally_loss *loss = &reading.losses[0];
            ROW_ASSERT(&limits[r], loss->kind == TALLY_LOSS_AMBIGUOUS);
            ROW_ASSERT(&limits[r], loss->before_index == 3);
            ROW_ASSERT(&limits[r], loss->gpu_start == ticks[2]);
            ROW_ASSERT(&limits[r], loss->gpu_end == ticks[3]);
            ROW_ASSERT(&limits[r], loss->estimated == 0);
        }
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* ---- raw buffers --------------------------------------------------------------------------- */

/* A slot whose id and timestamp are both zero was never written (PERF-4.8). */
static void not_landed(void **state)
{
    (void)state;
    static const enum gpu_kind kinds[] = {HSW, HSW_SMALL, SKL, OAM, OAM_SMALL};
    for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
        struct build build = build_empty(kinds[k]);
        struct tally_recording_options options = {.kind = TALLY_KIND_RAW, .layout = build.layout};
        const size_t size = build.layout->size_bytes;
        build_raw_empty(&build);
        build_raw(&build, 1000);
        build_raw(&build, 1100);
        build_raw_empty(&build);
        build_raw_empty(&build);
        build_raw(&build, 1400);
        build_raw(&build, 1500);
        build_raw_empty(&build);
        struct reading reading;
        for (enum way way = 0; way < BY_COUNT; way++) {
            read_by(way, &build.bytes, &options, &reading);
            assert_int_equal(reading.ended, 0);
            assert_int_equal(reading.count, 4);
            assert_int_equal(reading.states[0], TALLY_STATE_OK);
            assert_int_equal(reading.states[1], TALLY_STATE_LOST);
            assert_int_equal(reading.states[2], TALLY_STATE_OK);
            assert_int_equal(reading.totals.losses, 4);
            assert_int_equal(reading.totals.lost_deltas, 1);
            assert_int_equal(reading.loss_count, 3);
            for (size_t i = 0; i < 3; i++) {
                static const struct tally_loss expected[] = {
                    {TALLY_LOSS_NOT_LANDED, 1, 0, 0, 0, 1000, 0, 0, false},
                    {TALLY_LOSS_NOT_LANDED, 2, 2, 3, 1100, 1400, 0, 0, false},
                    {TALLY_LOSS_NOT_LANDED, 1, 4, 7, 1500, 0, 0, 0, false},
                };
                assert_int_equal(reading.losses[i].kind, expected[i].kind);
                assert_int_equal(reading.losses[i].records, expected[i].records);
                assert_int_equal(reading.losses[i].before_index, expected[i].before_index);
                assert_int_equal(reading.losses[i].offset, expected[i].offset * size);
                assert_int_equal(reading.losses[i].gpu_start, expected[i].gpu_start);
                assert_int_equal(reading.losses[i].gpu_end, expected[i].gpu_end);
            }
            reading_fini(&reading);
        }
        build_fini(&build);
    }
}

/* Id 0 with a time, and an id with time 0, are reports. */
static void landed(void **state)
{
    (void)state;
    struct build build = build_empty(HSW);
    struct tally_recording_options options = {.kind = TALLY_KIND_RAW, .layout = build.layout};
    struct reading reading;
    build_raw(&build, 0);
    build_raw(&build, 100);
    store_le32(build.bytes.bytes + 256, 0);
    read_by(BY_MEMORY, &build.bytes, &options, &reading);
    assert_int_equal(reading.count, 2);
    assert_int_equal(reading.loss_count, 0);
    assert_int_equal(reading.reasons[1], TALLY_REASON_TIMER);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* More losses than entries: the sums of records and of estimates remain correct. */
static void ledger_is_full(void **state)
{
    (void)state;
    const uint64_t gaps = 70000;
    struct build build = build_start(HSW_SMALL);
    uint64_t time = 1000, records = 0, missing = 0;
    build_report(&build, time);
    build_report(&build, time += 100);
    for (uint64_t i = 0; i < gaps; i++) {
        unsigned times = 1 + (unsigned)(i % 3);
        build_lost(&build, i % 2 ? TALLY_RECORD_REPORT_LOST : TALLY_RECORD_BUFFER_LOST, times);
        records += times;
        missing += i % 5;
        build_report(&build, time += 100 * (1 + i % 5));
    }
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 7);
    records += 7;
    struct reading reading;
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.count, gaps + 2);
    assert_true(reading.loss_count <= 65536);
    assert_int_equal(reading.totals.losses, records);
    assert_int_equal(reading.totals.lost_deltas, gaps);
    uint64_t sum = 0, estimated = 0;
    for (size_t i = 0; i < reading.loss_count; i++) {
        sum += reading.losses[i].records;
        estimated += reading.losses[i].estimated;
        if (i)
            assert_true(reading.losses[i].gpu_start >= reading.losses[i - 1].gpu_end);
    }
    assert_int_equal(sum, records);
    assert_int_equal(estimated, missing);
    assert_int_equal(reading.losses[reading.loss_count - 1].gpu_end,
                     0); /* the last one has no end */
    for (enum way way = BY_FILE; way < BY_COUNT; way++) {
        struct reading other;
        read_by(way, &build.bytes, NULL, &other);
        assert_same_reading(&reading, &other);
        reading_fini(&other);
    }
    reading_fini(&reading);
    build_fini(&build);
}

/*
 * A random recording: reports produced = delivered + lost, where each loss record stands for one
 * report, and every kind's records are in the ledger.
 */
static void books(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= random_cases(200); seed++) {
        struct build build = build_start(seed % 2 ? SKL : HSW_SMALL);
        struct random random = random_start(seed);
        uint64_t time = 5000, produced = 0, delivered = 0, report_lost = 0, buffer_lost = 0;
        for (unsigned n = (unsigned)random_below(&random, 3000); n; n--) {
            time += 100;
            produced++;
            switch (random_below(&random, 8)) {
            case 0:
                build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
                report_lost++;
                break;
            case 1:
                build_lost(&build, TALLY_RECORD_BUFFER_LOST, 1);
                buffer_lost++;
                break;
            default:
                build_report(&build, time);
                delivered++;
            }
        }
        struct reading reading;
        read_by(seed % BY_COUNT, &build.bytes, NULL, &reading);
        assert_int_equal(reading.ended, 0);
        assert_int_equal(reading.count, delivered);
        assert_int_equal(reading.count + reading.totals.losses, produced);
        assert_int_equal(records_of(&reading, TALLY_LOSS_REPORT), report_lost);
        assert_int_equal(records_of(&reading, TALLY_LOSS_BUFFER), buffer_lost);
        uint64_t lost_deltas = 0;
        for (size_t i = 0; i + 1 < reading.count; i++) {
            bool lost = reading.ticks[i + 1] - reading.ticks[i] > 100;
            assert_int_equal(reading.states[i], lost ? TALLY_STATE_LOST : TALLY_STATE_OK);
            lost_deltas += lost;
        }
        assert_int_equal(reading.totals.lost_deltas, lost_deltas);
        reading_fini(&reading);
        build_fini(&build);
    }
}

static void names(void **state)
{
    (void)state;
    static const char *const kinds[] = {"report-lost", "buffer-lost", "ambiguous",
                                        "not-landed",  "unreadable",  "skipped"};
    static const char *const states[] = {"ok", "lost", "ambiguous"};
    for (unsigned i = 0; i < ARRAY_COUNT(kinds); i++)
        assert_string_equal(tally_loss_kind_name((enum tally_loss_kind)i), kinds[i]);
    for (unsigned i = 0; i < ARRAY_COUNT(states); i++)
        assert_string_equal(tally_state_name((enum tally_state)i), states[i]);
}

int test_losses(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripted),
        cmocka_unit_test(ledger_records),
        cmocka_unit_test(ledger_and_kernel),
        cmocka_unit_test(other_reasons),
        cmocka_unit_test(time_zero),
        cmocka_unit_test(back_in_time),
        cmocka_unit_test(ambiguous),
        cmocka_unit_test(not_landed),
        cmocka_unit_test(landed),
        cmocka_unit_test(ledger_is_full),
        cmocka_unit_test(books),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests_name("recording: losses", tests, NULL, NULL);
}
