/* SPDX-License-Identifier: MIT */
/* Features without a script command: options, other clocks, a stopped clock, steered flexible
 * registers. */
#include <tally/oa.h>

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "intel/oa/unit.h"
#include "intel/tests.h"

static struct tally_oa *new_unit(const char *platform)
{
    struct tally_error error = {0};
    struct tally_oa *unit;
    assert_int_equal(tally_oa_new(platform, &unit, &error), 0);
    return unit;
}

static uint64_t peek(const struct tally_oa *unit, const char *name)
{
    uint64_t value = UINT64_MAX;
    assert_int_equal(tally_oa_peek(unit, name, &value), 0);
    return value;
}

/* Everything counts, A0 by one per clock, all NOA bits are 1. */
static void set_up(struct tally_oa *unit, bool map_c)
{
    struct tally_number one = tally_number_constant(1);
    struct tally_wave high = tally_wave_constant(true);
    tally_oa_drive_a(unit, 0, &one);
    for (unsigned bit = 0; bit < 16; bit++)
        tally_oa_drive_noa(unit, bit, &high);
    tally_oa_write32(unit, 0x2360, 1);
    if (map_c)
        tally_oa_write32(unit, 0x2b00, 0x15);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* 1,150 MHz and 12 MHz: 6 ticks in 575 clocks; the k-th tick is over at clock ceil(575 k / 6). */
static void test_ratio(void **state)
{
    (void)state;
    struct tally_oa *unit = new_unit("skl");
    assert_int_equal(tally_oa_set_clock(unit, 1150000000, 12000000), 0);
    for (uint64_t clock = 0, step = 1; clock < 6000; step = 1 + (step * 5 + 3) % 97) {
        assert_int_equal(peek(unit, "timestamp"), clock * 6 / 575);
        tally_oa_run(unit, step);
        clock += step;
    }
    /* Another frequency keeps the elapsed part of a tick: 12 MHz at 300 MHz is 25 clocks per tick.
     */
    struct tally_oa *other = new_unit("skl");
    assert_int_equal(tally_oa_set_clock(other, 1200000000, 12000000), 0);
    tally_oa_run(other, 150); /* one tick and a half */
    assert_int_equal(tally_oa_set_clock(other, 300000000, 12000000), 0);
    tally_oa_run(other, 12);
    assert_int_equal(peek(other, "timestamp"), 1);
    tally_oa_run(other, 1); /* 12.5 clocks are left: the 13th completes it */
    assert_int_equal(peek(other, "timestamp"), 2);
    assert_int_equal(tally_oa_set_clock(other, 11999999, 12000000), -EINVAL);
    assert_int_equal(tally_oa_set_clock(other, 12000000, 0), -EINVAL);
    tally_oa_free(unit);
    tally_oa_free(other);
}

struct stamps {
    uint32_t at[64];
    unsigned count;
};

static void keep_stamp(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    struct stamps *stamps = context;
    (void)bytes;
    if (address % 256 == 0 && stamps->count < 64)
        stamps->at[stamps->count++] = load_le32(data + 4);
}

/* Timer reports come at 2^TP modulo 2^(TP+1) ticks for any ratio (OA-2.6). */
static void test_timer_with_ratio(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t clock_hz, timestamp_hz;
    } rows[] = {{__LINE__, 1150000000, 12000000},
                {__LINE__, 350000000, 12500000},
                {__LINE__, 19200000, 19200000},
                {__LINE__, 19200001, 19200000},
                {__LINE__, 500000000, 19200000}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_oa *unit = new_unit("skl");
        struct stamps stamps = {.count = 0};
        struct tally_oa_bus bus = {.write = keep_stamp, .context = &stamps};
        tally_oa_set_bus(unit, &bus);
        tally_oa_set_clock(unit, rows[i].clock_hz, rows[i].timestamp_hz);
        set_up(unit, true);
        tally_oa_write32(unit, 0x2360, 1 | 2 | 3 << 2); /* TP = 3 */
        /* 160 ticks and a clock: bit 3 rises at 8, 24, ... 152. */
        tally_oa_run(unit, UINT64_C(160) * rows[i].clock_hz / rows[i].timestamp_hz + 1);
        ROW(rows[i].line, stamps.count == 10, "%u reports", stamps.count);
        for (unsigned k = 0; k < stamps.count; k++)
            ROW(rows[i].line, stamps.at[k] == 8 + 16 * k, "report %u at %u", k, stamps.at[k]);
        tally_oa_free(unit);
    }
    ROWS_DONE();
}

/* A stopped clock: only TIMESTAMP advances. */
static void test_pause(void **state)
{
    (void)state;
    struct tally_oa *unit = new_unit("bdw");
    set_up(unit, true);
    tally_oa_set_timestamp(unit, 10, 0);
    tally_oa_run(unit, 100);
    tally_oa_pause(unit, 1000);
    assert_int_equal(peek(unit, "timestamp"), 110);
    assert_int_equal(peek(unit, "a0"), 100);
    assert_int_equal(peek(unit, "ticks"), 100);
    assert_int_equal(tally_oa_now(unit), 1100);
    tally_oa_run(unit, 1);
    assert_int_equal(peek(unit, "a0"), 101);
    tally_oa_free(unit);
}

/* ---- options --------------------------------------------------------------------------------- */

/* OA-U1: B and C wait for the start trigger, with the option A too. Bit 0 pulses at clock 50. */
static void test_start_holds(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        bool holds;
        uint64_t a;
    } rows[] = {{__LINE__, "ivb", false, 100}, {__LINE__, "ivb", true, 50},
                {__LINE__, "hsw", true, 50},   {__LINE__, "lkf", false, 100},
                {__LINE__, "lkf", true, 50},   {__LINE__, "skl", true, 50}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_oa *unit = new_unit(rows[i].platform);
        bool map_c = *rows[i].platform == 'l' || *rows[i].platform == 's';
        static const uint64_t late[1] = {UINT64_C(1) << 50};
        struct tally_wave pulse = tally_wave_once(late, 51), high = tally_wave_constant(true);
        set_up(unit, map_c);
        tally_oa_drive_noa(unit, 0, &pulse); /* the start block's 16 inputs are all bit 0 */
        tally_oa_drive_noa(unit, 1, &high);
        assert_int_equal(tally_oa_set_option(unit, TALLY_OA_START_HOLDS_A, rows[i].holds), 0);
        tally_oa_run(unit, 100);
        ROW(rows[i].line, peek(unit, "b1") == 50, "B1 is %llu",
            (unsigned long long)peek(unit, "b1"));
        ROW(rows[i].line, peek(unit, "a0") == rows[i].a, "A0 is %llu",
            (unsigned long long)peek(unit, "a0"));
        tally_oa_free(unit);
    }
    ROWS_DONE();
}

/* OA-U2: each block starts all B counters, or half of them. Block 1 fires at once, block 2 at clock
 * 30. */
static void test_start_halves(void **state)
{
    (void)state;
    for (unsigned halves = 0; halves < 2; halves++) {
        struct tally_oa *unit = new_unit("hsw");
        set_up(unit, false);
        tally_oa_set_option(unit, TALLY_OA_START_HALVES, halves);
        tally_oa_write32(unit, 0x2714, 0x00800000);
        tally_oa_write32(unit, 0x2720, 31); /* the 31st clock in which all inputs are 1 */
        tally_oa_write32(unit, 0x2724, 0x00800000);
        tally_oa_run(unit, 100);
        assert_int_equal(peek(unit, "b3"), 100);
        assert_int_equal(peek(unit, "b4"), halves ? 70 : 100);
        assert_int_equal(peek(unit, "b7"), halves ? 70 : 100);
        assert_int_equal(peek(unit, "c0"), 100);
        tally_oa_free(unit);
    }
}

/* OA-U23 */
static void test_no_eu_events(void **state)
{
    (void)state;
    struct tally_number one = tally_number_constant(1);
    for (unsigned none = 0; none < 2; none++) {
        struct tally_oa *unit = new_unit("lkf");
        tally_oa_set_option(unit, TALLY_OA_NO_EU_EVENTS, none);
        tally_oa_reset(unit);
        tally_oa_set_eus(unit, 64);
        for (unsigned eu = 0; eu < 64; eu++)
            tally_oa_drive_eu(unit, eu, TALLY_OA_FPU0, &one);
        set_up(unit, true);
        tally_oa_run(unit, 10);
        assert_int_equal(tally_oa_read32(unit, 0xe65c), none ? UINT32_MAX : 0);
        assert_int_equal(peek(unit, "a7"), none ? 0 : 640);
        tally_oa_free(unit);
    }
    assert_int_equal(tally_oa_set_option(NULL, TALLY_OA_OPTIONS, true), -EINVAL);
}

struct lines {
    uint32_t first_a, last_a;
};

/* A0 is dw7 on SNB, A21 dw31 (OA-2.9): one in the first line, one in the second. */
static void keep_lines(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    struct lines *lines = context;
    (void)bytes;
    if (address % 128 == 0)
        lines->first_a = load_le32(data + 28);
    else
        lines->last_a = load_le32(data + 60);
}

/* SNB does not freeze: under load the lines of a report are sampled at different times (OA-2.7). */
static void test_incoherent(void **state)
{
    (void)state;
    struct tally_number one = tally_number_constant(1);
    for (unsigned incoherent = 0; incoherent < 2; incoherent++) {
        struct tally_oa *unit = new_unit("snb");
        struct lines lines = {0};
        struct tally_oa_bus bus = {.write = keep_lines, .context = &lines};
        tally_oa_set_bus(unit, &bus);
        tally_oa_drive_a(unit, 0, &one);
        tally_oa_drive_a(unit, 21, &one);
        tally_oa_set_option(unit, TALLY_OA_INCOHERENT, incoherent);
        tally_oa_set_line_time(unit, 20);
        /* Select 1, the timer on bit 3: a report is requested at clock 8, lines at 28 and 48. */
        tally_oa_write32(unit, 0x2360, 1 | 1 << 2 | 1 << 5);
        tally_oa_run(unit, 60);
        assert_int_equal(lines.first_a, incoherent ? 28 : 9);
        assert_int_equal(lines.last_a, incoherent ? 48 : 9);
        tally_oa_free(unit);
    }
}

/* ---- the EU array ---------------------------------------------------------------------------- */

/* Each subslice has its own copy of the flexible registers; a multicast write reaches all. */
static void test_subslices(void **state)
{
    (void)state;
    struct tally_number one = tally_number_constant(1), seven = tally_number_constant(7);
    struct tally_oa *unit = new_unit("icl");
    tally_oa_set_eus(unit, 64);
    for (unsigned eu = 0; eu < 64; eu++) {
        tally_oa_drive_eu(unit, eu, TALLY_OA_FPU1, &one);
        tally_oa_drive_eu(unit, eu, TALLY_OA_THREADS, &seven);
    }
    set_up(unit, true);
    tally_oa_write32(unit, 0xe458, 0x008001); /* A7: FPU1; A8: occupancy */
    tally_oa_run(unit, 8);
    assert_int_equal(peek(unit, "a7"), 8 * 64);
    assert_int_equal(peek(unit, "a8"), 7 * 64);
    tally_oa_write_subslices(unit, 1 << 3, 0xe458, 0x00f00f); /* nothing in subslice 3 */
    assert_int_equal(tally_oa_read_subslice(unit, 3, 0xe458), 0x00f00f);
    assert_int_equal(tally_oa_read_subslice(unit, 2, 0xe458), 0x008001);
    assert_int_equal(tally_oa_read_subslice(unit, 8, 0xe458), 0);
    assert_int_equal(tally_oa_read32(unit, 0xe458), 0x008001);
    tally_oa_run(unit, 8);
    assert_int_equal(peek(unit, "a7"), 8 * 64 + 8 * 56);
    assert_int_equal(peek(unit, "a8"), 7 * 64 + 7 * 56);
    /* A single EU with its own inputs and its own integrator. */
    tally_oa_poke(unit, "occ9", 1);
    tally_oa_drive_eu(unit, 20, TALLY_OA_THREADS, &one);
    tally_oa_write32(unit, 0xe458, 0x008001);
    tally_oa_poke(unit, "a8", 0);
    tally_oa_run(unit, 1); /* the integrators were at 0: 7, of EU 9 8, of EU 20 1 */
    assert_int_equal(peek(unit, "a8"), 1);
    assert_int_equal(peek(unit, "occ9"), 0);
    assert_int_equal(peek(unit, "occ20"), 1);
    assert_int_equal(peek(unit, "occ63"), 7);
    tally_oa_free(unit);
}

/* Events between two clocks count under the same conditions as those of a clock. */
static void test_count(void **state)
{
    (void)state;
    struct tally_oa *unit = new_unit("skl");
    tally_oa_count(unit, 26, 5); /* OA is off */
    set_up(unit, true);
    tally_oa_poke(unit, "a26", UINT64_C(0xfffffffffe));
    tally_oa_count(unit, 26, 5);
    tally_oa_count(unit, 36, 5);
    assert_int_equal(peek(unit, "a26"), 3);
    assert_int_equal(tally_oa_read32(unit, 0x2b08), 4); /* Counter Overflow */
    tally_oa_free(unit);
}

/* Work is spread evenly over its clocks, in addition to the counter's input; more work is merged
 * with the remaining work. */
static void test_work(void **state)
{
    (void)state;
    struct tally_oa *unit = new_unit("skl");
    set_up(unit, true);
    tally_oa_work(unit, 26, 1000, 300);
    tally_oa_work(unit, 0, 10, 5);
    tally_oa_work(unit, 7, 10, 5);  /* flexible */
    tally_oa_work(unit, 36, 10, 5); /* absent */
    for (uint64_t clock = 0, step = 1; clock < 100; step = step * 7 % 13) {
        step = step < 100 - clock ? step : 100 - clock;
        tally_oa_run(unit, step);
        clock += step;
        assert_int_equal(peek(unit, "a26"), 1000 * clock / 300);
        assert_int_equal(peek(unit, "a0"), clock + (clock < 5 ? 2 * clock : 10));
    }
    tally_oa_work(unit, 26, 600, 100);
    for (uint64_t clock = 1; clock <= 300; clock++) {
        tally_oa_run(unit, 1);
        assert_int_equal(peek(unit, "a26"), 333 + (667 + 600) * clock / 300);
    }
    tally_oa_run(unit, 100000);
    assert_int_equal(peek(unit, "a26"), 1600);
    assert_int_equal(peek(unit, "a7"), 0);
    /* Events while counting is disabled are not counted. */
    tally_oa_work(unit, 26, 400, 400);
    tally_oa_run(unit, 100);
    tally_oa_write32(unit, 0x2b00, 0);
    tally_oa_run(unit, 100);
    tally_oa_write32(unit, 0x2b00, 0x15);
    tally_oa_run(unit, 1000);
    assert_int_equal(peek(unit, "a26"), 1900);
    tally_oa_free(unit);
}

/* ---- spaced reports -------------------------------------------------------------------------- */

/* A request that waits ends the time in which the unit writes nothing, at the clock of its report.
 */
static void test_spacing_is_not_quiet(void **state)
{
    (void)state;
    struct tally_oa *unit = new_unit("skl");
    struct stamps stamps = {.count = 0};
    struct tally_oa_bus bus = {.write = keep_stamp, .context = &stamps};
    tally_oa_set_bus(unit, &bus);
    tally_oa_set_spacing(unit, 100);
    tally_oa_write32(unit, 0x2b00, 0x15); /* 256 bytes: 4 lines */
    tally_oa_run(unit, 1);
    assert_true(tally_oa_quiet_clocks(unit) > 1000000);
    tally_oa_switch_context(unit, true, 1);
    tally_oa_run(unit, 1); /* the report of clock 1 */
    tally_oa_switch_context(unit, true, 2);
    assert_int_equal(tally_oa_quiet_clocks(unit), 0);
    tally_oa_run(unit, 1);
    assert_int_equal(tally_oa_quiet_clocks(unit), 398); /* until clock 401 */
    tally_oa_run(unit, 398);
    assert_int_equal(stamps.count, 1);
    tally_oa_run(unit, 1);
    assert_int_equal(stamps.count, 2);
    assert_int_equal(stamps.at[1], 401);
    assert_true(tally_oa_quiet_clocks(unit) > 1000000);
    tally_oa_free(unit);
}

int test_oa_options(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_timer_with_ratio),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_start_holds),
        cmocka_unit_test(test_start_halves),
        cmocka_unit_test(test_no_eu_events),
        cmocka_unit_test(test_incoherent),
        cmocka_unit_test(test_subslices),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_spacing_is_not_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
