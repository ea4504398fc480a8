/* SPDX-License-Identifier: MIT */
/* Missing packets of record buffers are found where they can be known, and nowhere else. */
#include "record_buffer.h"

#include <inttypes.h>

#include "suites.h"

static const uint16_t none[12];

/* Runs a unit with STOP every `period` clocks (in 1/64 of a clock) and random signals. */
static void run_unit(struct unit *unit, uint64_t clocks, uint64_t period_64, unsigned signals,
                     bool noise)
{
    struct random rng = random_start(period_64);
    uint64_t next = period_64;
    for (uint64_t i = 1; i <= clocks; i++) {
        bool stop = period_64 && i * 64 >= next;
        if (stop)
            next += period_64;
        unit_clock(unit, noise ? signals | (unsigned)(random_next(&rng) & 0xff0) : signals, stop);
    }
}

/* Whatever period and latency: a unit that loses nothing has nothing in the ledger. */
static void nothing_is_claimed(void **state)
{
    (void)state;
    static const unsigned periods[] = {1,   2,   3,   5,    7,    8,    9,    10,    16,    63,
                                       100, 256, 999, 1000, 1024, 5000, 8192, 30000, 61440, 70001};
    static const unsigned latencies[] = {1, 2, 3, 8, 25, 64, 333, 1001, 4000};
    static const unsigned fractions[] = {0, 23};
    for (size_t p = 0; p < COUNT(periods); p++) {
        for (size_t l = 0; l < COUNT(latencies); l++) {
            for (size_t f = 0; f < COUNT(fractions) * 2; f++) {
                if (!is_sampled((p * COUNT(latencies) + l) * COUNT(fractions) * 2 + f))
                    continue;
                struct unit unit = unit_start(true, latencies[l]);
                struct packets_read read;
                run_unit(&unit, 200000, 64 * periods[p] + fractions[f % 2], 1 | 0x800, f < 2);
                read_record_buffer(&unit.bytes, true, &read);
                ROW(__LINE__, read.result == 0 && read.loss_count == 0,
                    "period %u + %u/64, latency %u: %zu losses, the first %s, %" PRIu64, periods[p],
                    fractions[f % 2], latencies[l], read.loss_count,
                    tally_loss_kind_name(read.losses[0].kind), read.losses[0].estimated);
                ROW(__LINE__, read.count == unit.packets_written, "packets");
                uint64_t found = read.totals.period_cycles;
                bool steady = periods[p] > 8 || !fractions[f % 2];
                if (steady && latencies[l] < periods[p] && periods[p] <= 20000)
                    ROW(__LINE__, found == periods[p], "period %u, latency %u: %" PRIu64,
                        periods[p], latencies[l], found);
                ROW(__LINE__, read.count < 8 || read.totals.always_on == 0x801, "always on 0x%x",
                    read.totals.always_on);
                packets_read_fini(&read);
                unit_fini(&unit);
            }
        }
    }
    ROWS_DONE();
}

/* Every packet that is lost is found: how many by the period, how long by the signal. */
static void all_that_is_lost(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool long_format;
        unsigned period, fraction, latency, one_in;
    } rows[] = {
        {__LINE__, true, 100, 0, 3, 100},   {__LINE__, true, 1000, 0, 8, 10},
        {__LINE__, true, 1000, 23, 8, 10},  {__LINE__, true, 4096, 0, 100, 12},
        {__LINE__, false, 100, 0, 3, 100},  {__LINE__, false, 1000, 0, 8, 10},
        {__LINE__, false, 1000, 40, 8, 20}, {__LINE__, true, 5000, 0, 1, 15},
        {__LINE__, true, 2, 0, 1, 20},      {__LINE__, true, 70000, 0, 5, 14},
        {__LINE__, false, 70000, 0, 5, 14},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct unit unit = unit_start(rows[r].long_format, rows[r].latency);
        struct packets_read read;
        uint64_t period_64 = 64 * rows[r].period + rows[r].fraction;
        run_unit(&unit, rows[r].period, period_64, 1, true);
        unit.lose_one_in = rows[r].one_in;
        run_unit(&unit, 600 * rows[r].period, period_64, 1, true);
        unit.lose_one_in = 0; /* losses at the end are unknown */
        run_unit(&unit, 2 * rows[r].period, period_64, 1, true);
        read_record_buffer(&unit.bytes, rows[r].long_format, &read);
        unsigned line = rows[r].line;
        ROW(line, unit.packets_lost > 2, "%" PRIu64 " lost", unit.packets_lost);
        ROW(line, read.result == 0, "%s", read.error.message);
        /* A fractional period shifts the beginning of the intervals. */
        uint64_t shift = rows[r].fraction ? 2 : 0;
        ROW(line,
            read.totals.missing <= unit.stops_lost + shift &&
                read.totals.missing + shift >= unit.stops_lost,
            "missing %" PRIu64 ", lost %" PRIu64, read.totals.missing, unit.stops_lost);
        ROW(line, read.totals.lost_cycles == unit.clocks_lost,
            "lost cycles %" PRIu64 ", expected %" PRIu64, read.totals.lost_cycles,
            unit.clocks_lost);
        ROW(line, losses_of(&read, TALLY_LOSS_CYCLES) <= unit.packets_lost, "entries");
        ROW(line, losses_of(&read, TALLY_LOSS_MISSING) > 0, "entries");
        packets_read_fini(&read);
        unit_fini(&unit);
    }
    ROWS_DONE();
}

/* STOP without a period: losses are found by the signal alone, or not at all. */
static void no_period(void **state)
{
    (void)state;
    for (unsigned signals = 0; signals < 2; signals++) {
        struct unit unit = unit_start(true, 4);
        struct packets_read read;
        struct random rng = random_start(7);
        for (unsigned i = 0; i < 400000; i++) {
            unit.lose_one_in = i > 1000 && i < 390000 ? 20 : 0;
            unit_clock(&unit, signals | (unsigned)(random_next(&rng) & 0xf0),
                       !random_below(&rng, 500));
        }
        read_record_buffer(&unit.bytes, true, &read);
        assert_int_equal(read.totals.period_cycles, 0);
        assert_int_equal(read.totals.missing, 0);
        assert_true(unit.packets_lost > 5);
        assert_int_equal(read.totals.lost_cycles, signals ? unit.clocks_lost : 0);
        assert_int_equal(read.loss_count != 0, signals);
        packets_read_fini(&read);
        unit_fini(&unit);
    }
}

/* Rows of packets by hand: STOP pulses, cycles since the packet before, and an always-1 signal. */
struct by_hand {
    unsigned stop;
    uint64_t delta;
    uint16_t ones;
};

static const struct {
    unsigned line;
    struct by_hand after[6]; /* 24 packets of {1, 1000, 1000} */
    uint64_t missing, lost_cycles, merged;
} hands[] = {
    {__LINE__, {{1, 1000, 1000}}, 0, 0, 0},
    {__LINE__, {{1, 2000, 1000}}, 1, 1000, 0},
    {__LINE__, {{2, 2000, 2000}}, 0, 0, 1},
    {__LINE__, {{2, 5000, 2000}}, 3, 3000, 1},
    {__LINE__, {{1, 1300, 1300}, {1, 700, 700}}, 0, 0, 0},
    {__LINE__, {{1, 1999, 1999}, {1, 1001, 1001}}, 1, 0, 0}, /* a missing or late pulse */
    {__LINE__, {{1, 2300, 1300}, {1, 700, 700}}, 1, 1000, 0},
    {__LINE__, {{3, 3999, 3999}, {2, 1001, 1001}, {1, 1000, 1000}}, 0, 0, 3},
    {__LINE__, {{1, 1000, 990}}, 0, 0, 0}, /* no STOP is missing: the signal itself was 0 */
    {__LINE__, {{1, 1000000, 1000}}, 999, 999000, 0},
    {__LINE__, {{1, 1000, 1000}, {1, 3000, 1000}, {1, 1000, 1000}, {1, 4000, 2000}}, 5, 4000, 0},
    {__LINE__, {{0xfff, 9000000, 0xffff}, {1, 1000, 1000}}, 0, 0, 0xffe},
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t h = 0; h < COUNT(hands); h++) {
        struct buffer bytes = {0};
        struct packets_read read;
        uint64_t cycles = 12345;
        for (unsigned i = 0; i < 24 + COUNT(hands[h].after); i++) {
            struct by_hand packet = {1, 1000, 1000};
            if (i >= 24 && !(packet = hands[h].after[i - 24]).delta)
                continue;
            uint16_t counts[12] = {[5] = packet.ones};
            cycles += packet.delta;
            put_packet(&bytes, true, cycles, packet.stop, counts);
        }
        read_record_buffer(&bytes, true, &read);
        ROW(hands[h].line, read.result == 0, "%s", read.error.message);
        ROW(hands[h].line, read.totals.missing == hands[h].missing, "missing %" PRIu64,
            read.totals.missing);
        ROW(hands[h].line, read.totals.lost_cycles == hands[h].lost_cycles, "lost %" PRIu64,
            read.totals.lost_cycles);
        ROW(hands[h].line, read.totals.merged == hands[h].merged, "merged %" PRIu64,
            read.totals.merged);
        packets_read_fini(&read);
        buffer_fini(&bytes);
    }
    ROWS_DONE();
}

/* The place of an entry, and the state of the packet after it. */
static void places(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct packets_read read;
    uint64_t cycles = 0;
    for (unsigned i = 0; i < 20; i++) {
        uint16_t counts[12] = {1000};
        cycles += i == 15 ? 4000 : 1000;
        put_packet(&bytes, true, cycles, 1, counts);
    }
    read_record_buffer(&bytes, true, &read);
    assert_int_equal(read.loss_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(read.losses[i].kind, i ? TALLY_LOSS_CYCLES : TALLY_LOSS_MISSING);
        assert_int_equal(read.losses[i].estimated, i ? 3000 : 3);
        assert_int_equal(read.losses[i].before_index, 15);
        assert_int_equal(read.losses[i].offset, 15 * 32);
        assert_int_equal(read.losses[i].gpu_start, 15000);
        assert_int_equal(read.losses[i].gpu_end, 19000);
    }
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(read.packets[i].state, i == 0    ? TALLY_PACKET_FIRST
                                                : i == 15 ? TALLY_PACKET_LOST
                                                          : TALLY_PACKET_OK);
    assert_int_equal(read.totals.period_votes, 18);
    assert_int_equal(read.totals.period_distances, 19);
    assert_int_equal(read.totals.counted_cycles, 18000);
    assert_int_equal(read.totals.sums[0], 18000);
    packets_read_fini(&read);
    buffer_fini(&bytes);
}

/* A change of the period is not a loss, in particular not a slower STOP. */
static void period_changes(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned first, second;
    } rows[] = {
        {__LINE__, 1000, 3000}, {__LINE__, 1000, 2000}, {__LINE__, 3000, 1000},
        {__LINE__, 1000, 1500}, {__LINE__, 1000, 130},  {__LINE__, 64, 60000},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct unit unit = unit_start(true, 2);
        struct packets_read read;
        run_unit(&unit, rows[r].first * 100, rows[r].first * 64, 2, true);
        run_unit(&unit, rows[r].second * 60, rows[r].second * 64, 2, true);
        read_record_buffer(&unit.bytes, true, &read);
        ROW(rows[r].line, read.loss_count == 0, "%zu losses, the first %s, %" PRIu64,
            read.loss_count, tally_loss_kind_name(read.losses[0].kind), read.losses[0].estimated);
        ROW(rows[r].line, read.totals.period_cycles == rows[r].second, "period %" PRIu64,
            read.totals.period_cycles);
        ROW(rows[r].line, read.totals.period_changes == 1, "%" PRIu64 " changes",
            read.totals.period_changes);
        packets_read_fini(&read);
        unit_fini(&unit);
    }
    ROWS_DONE();
}

/* A signal that is no longer always 1 is not a loss. */
static void signal_changes(void **state)
{
    (void)state;
    for (unsigned period = 0; period < 2000; period += 1000) {
        struct unit unit = unit_start(true, 2);
        struct packets_read read;
        struct random rng = random_start(3);
        for (unsigned i = 1; i < 300000; i++) {
            bool stop = period ? i % period == 0 : !random_below(&rng, 300);
            unit_clock(&unit, i < 150000 || i % 3 ? 4 : 0, stop);
        }
        read_record_buffer(&unit.bytes, true, &read);
        assert_int_equal(read.loss_count, 0);
        packets_read_fini(&read);
        unit_fini(&unit);
    }
}

/* ---- the cycle counter ------------------------------------------------------------------------
 */

static const struct {
    unsigned line;
    uint64_t first, second;
    bool restart;
    uint64_t delta, wraps;
} steps[] = {
    {__LINE__, 1000, 2000, false, 1000, 0},
    {__LINE__, 1000, 1001, false, 1, 0},
    {__LINE__, 1000, 1000, true, 0, 0},
    {__LINE__, 1000, 999, true, 0, 0},
    {__LINE__, UINT64_C(0xffffffffffff), 0, false, 1, 1},
    {__LINE__, UINT64_C(0xfffffffffff0), 0x10, false, 0x20, 1},
    {__LINE__, 0x10, UINT64_C(0xfffffffffff0), true, 0, 0},
    {__LINE__, 0, UINT64_C(0x7fffffffffff), false, UINT64_C(0x7fffffffffff), 0},
    {__LINE__, 0, UINT64_C(0x800000000000), true, 0, 0},
    {__LINE__, UINT64_C(0x800000000000), 0, true, 0, 0},
    {__LINE__, UINT64_C(0x800000000001), 0, false, UINT64_C(0x7fffffffffff), 1},
    {__LINE__, UINT64_C(0xabcdef012345), UINT64_C(0xabcdef012344), true, 0, 0},
};

static void cycle_counter(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(steps); s++) {
        struct buffer bytes = {0};
        struct packets_read read;
        unsigned line = steps[s].line;
        put_packet(&bytes, false, steps[s].first, 1, none);
        put_packet(&bytes, false, steps[s].second, 1, none);
        read_record_buffer(&bytes, false, &read);
        if (ROW(line, read.count == 2 && !read.result, "%s", read.error.message)) {
            const struct tally_packet *packet = &read.packets[1];
            ROW(line, packet->delta == steps[s].delta, "delta 0x%" PRIx64, packet->delta);
            ROW(line, packet->run == steps[s].restart, "run");
            ROW(line, packet->state == (steps[s].restart ? TALLY_PACKET_RESTART : TALLY_PACKET_OK),
                "state");
            ROW(line,
                packet->cycles ==
                    (steps[s].restart ? steps[s].second : steps[s].first + steps[s].delta),
                "cycles 0x%" PRIx64, packet->cycles);
            ROW(line, read.totals.wraps == steps[s].wraps, "wraps");
            ROW(line, losses_of(&read, TALLY_LOSS_RESTART) == steps[s].restart, "ledger");
        }
        packets_read_fini(&read);
        buffer_fini(&bytes);
    }
    ROWS_DONE();
}

/* Several wraps in one run, and a different period in each run. */
static void wraps_and_runs(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct packets_read read;
    const uint64_t step = (UINT64_C(1) << 47) - 1;
    uint64_t cycles = 5;
    for (unsigned i = 0; i < 100; i++, cycles += step)
        put_packet(&bytes, true, cycles, 1, none);
    read_record_buffer(&bytes, true, &read);
    assert_int_equal(read.totals.wraps, 49);
    assert_int_equal(read.loss_count, 0);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(read.packets[i].cycles, 5 + i * step);
    packets_read_fini(&read);
    buffer_fini(&bytes);

    for (unsigned run = 0; run < 50; run++)
        for (unsigned i = 1; i <= 20; i++)
            put_packet(&bytes, true, i * (100 + 50 * (run % 3)), 1, none);
    read_record_buffer(&bytes, true, &read);
    assert_int_equal(read.totals.restarts, 49);
    assert_int_equal(read.loss_count, 49);
    assert_int_equal(read.totals.missing, 0);
    assert_int_equal(read.packets[999].run, 49);
    assert_int_equal(read.totals.period_cycles, 150);
    packets_read_fini(&read);
    buffer_fini(&bytes);
}

/* ---- saturation --------------------------------------------------------------------------------
 */

static void saturation(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct packets_read read;
    static const struct {
        unsigned stop;
        uint16_t counts[12];
        uint16_t saturated;
    } rows[] = {
        {1, {1, 2}, 0},       {1, {0xffff, 0xfffe}, 1}, {0, {[3] = 0xffff, [11] = 0xffff}, 0x808},
        {0xfff, {3}, 0x8000}, {0xffe, {3}, 0},          {0xfff, {[4] = 0xffff}, 0x8010},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        put_packet(&bytes, true, 1000000 * (i + 1), rows[i].stop, rows[i].counts);
    read_record_buffer(&bytes, true, &read);
    assert_int_equal(read.count, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(read.packets[i].saturated, rows[i].saturated);
    assert_int_equal(read.totals.saturated, 4);
    assert_int_equal(read.totals.saturated_counts[0], 1);
    assert_int_equal(read.totals.saturated_counts[11], 1);
    assert_int_equal(read.totals.maxima[1], 0xfffe);
    assert_int_equal(read.loss_count, 2); /* packets 1 to 3, and 5 */
    assert_int_equal(read.losses[0].kind, TALLY_LOSS_SATURATED);
    assert_int_equal(read.losses[0].records, 3);
    assert_int_equal(read.losses[0].before_index, 1);
    assert_int_equal(read.losses[0].gpu_start, 1000000);
    assert_int_equal(read.losses[0].gpu_end, 4000000);
    assert_int_equal(read.losses[1].before_index, 5);
    packets_read_fini(&read);
    buffer_fini(&bytes);
}

/* A slow memory: counts saturate, STOP pulses merge, and the unit reports how many it counted. */
static void slow_memory(void **state)
{
    (void)state;
    struct unit unit = unit_start(true, 100000);
    struct packets_read read;
    run_unit(&unit, 2000000, 64 * 20, 1, false);
    read_record_buffer(&unit.bytes, true, &read);
    assert_int_equal(read.count, unit.packets_written);
    assert_int_equal(read.totals.saturated, read.count - 1);
    assert_true(read.packets[3].saturated & TALLY_PACKET_STOP_SATURATED);
    assert_int_equal(losses_of(&read, TALLY_LOSS_MISSING), 0);
    assert_int_equal(losses_of(&read, TALLY_LOSS_CYCLES), 0);
    packets_read_fini(&read);
    unit_fini(&unit);
}

/* With more losses than entries the sums remain correct. */
static void many_losses(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    struct packets_read read;
    for (unsigned i = 0; i < 100000; i++)
        put_packet(&bytes, false, 1000000 - i, 1, none);
    read_record_buffer(&bytes, false, &read);
    assert_int_equal(read.loss_count, 65536);
    assert_int_equal(read.totals.restarts, 99999);
    assert_int_equal(losses_of(&read, TALLY_LOSS_RESTART), 99999);
    packets_read_fini(&read);
    buffer_fini(&bytes);
}

int test_packet_losses(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_claimed),
        cmocka_unit_test(all_that_is_lost),
        cmocka_unit_test(no_period),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(places),
        cmocka_unit_test(period_changes),
        cmocka_unit_test(signal_changes),
        cmocka_unit_test(cycle_counter),
        cmocka_unit_test(wraps_and_runs),
        cmocka_unit_test(saturation),
        cmocka_unit_test(slow_memory),
        cmocka_unit_test(many_losses),
    };
    return cmocka_run_group_tests_name("recording: packets lost", tests, NULL, NULL);
}
