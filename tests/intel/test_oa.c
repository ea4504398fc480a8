/* SPDX-License-Identifier: MIT */
/* The OA unit, compared with its reference; the examples of OAT-9. */
#include "intel/tests.h"

#include <tally/oa.h>

#include "intel/oa/spread.h"

#include "compare.h"

#define PROGRAMS 2000 /* make test-long runs 50 times as many */

static void test_random_programs(void **state)
{
    (void)state;
    int different = 0;
    unsigned programs = random_cases(PROGRAMS);
    for (uint64_t seed = 0; seed < programs && different < 5; seed++)
        different += compare_program(&compare_oa, seed);
    assert_int_equal(different, 0);
}

static void test_examples(void **state)
{
    (void)state;
    static const char *const names[] = {"timer",    "events",     "context", "eus",     "trigger",
                                        "overflow", "interrupts", "ratios",  "overrun", "oar"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.oat", names[i]);
        assert_int_equal(compare_example(source_directory(), name), 0);
    }
}

/* A copy continues as the unit does, and a run may be divided anywhere. */
static void test_snapshots_and_cuts(void **state)
{
    (void)state;
    struct tally_oa *unit, *copy;
    struct tally_error error = {0};
    assert_int_equal(tally_oa_new("skl", &unit, &error), 0);
    assert_int_equal(tally_oa_new("skl", &copy, &error), 0);
    struct tally_wave noise = tally_wave_prng(1, 100);
    struct tally_number load = tally_number_rate(5, 7);
    tally_oa_drive_noa(unit, 0, &noise);
    tally_oa_drive_a(unit, 0, &load);
    tally_oa_write32(unit, 0x2714, 0xf0800000); /* start at once, B0 to B3 count events */
    tally_oa_write32(unit, 0x2360, 1);
    tally_oa_write32(unit, 0x2b00, 0x15);
    tally_oa_run(unit, 1000);
    assert_int_equal(tally_oa_copy(copy, unit), 0);
    tally_oa_run(unit, 100000);
    for (unsigned done = 0, step = 1; done < 100000; done += step, step = step % 97 + 1)
        tally_oa_run(copy, step < 100000 - done ? step : 100000 - done);
    assert_int_equal(tally_oa_now(unit), 101000);
    assert_int_equal(tally_oa_now(copy), 101000);
    for (uint32_t address = 0x2358; address < 0x2b24; address += 4)
        assert_int_equal(tally_oa_read32(unit, address), tally_oa_read32(copy, address));
    uint64_t counted;
    assert_int_equal(tally_oa_peek(unit, "a0", &counted), 0);
    assert_int_equal(counted, 101000 * 5 / 7);
    tally_oa_free(copy);
    assert_int_equal(tally_oa_new("hsw", &copy, &error), 0);
    assert_int_equal(tally_oa_copy(copy, unit), -EINVAL);
    tally_oa_free(copy);
    tally_oa_free(unit);
}

static void test_errors(void **state)
{
    (void)state;
    struct tally_oa *unit;
    struct tally_error error = {0};
    struct tally_number one = tally_number_constant(1);
    uint64_t value;
    assert_int_equal(tally_oa_new("dg2", &unit, &error), -EINVAL);
    assert_string_equal(error.message, "platform \"dg2\" has no OA model, expected snb, ivb, vlv, "
                                       "hsw, bdw, chv, skl, icl, lkf, tgl, rkl, dg1 or adl");
    assert_int_equal(tally_oa_new("chv", &unit, &error), 0);
    assert_int_equal(tally_oa_drive_noa(unit, 16, &one.wave), -EINVAL);
    assert_int_equal(tally_oa_drive_a(unit, 7, &one), -EINVAL); /* flexible */
    assert_int_equal(tally_oa_drive_a(unit, 36, &one), -EINVAL);
    assert_int_equal(tally_oa_drive_eu(unit, 0, TALLY_OA_FPU0, &one), -EINVAL); /* no EUs */
    assert_int_equal(tally_oa_set_eus(unit, 65), -EINVAL);
    assert_int_equal(tally_oa_select_tap(unit, 0, true), -EINVAL);
    assert_int_equal(tally_oa_peek(unit, "free4", &value), -EINVAL); /* Gen9 on */
    assert_int_equal(tally_oa_peek(unit, "a36", &value), -EINVAL);
    assert_int_equal(tally_oa_poke(unit, "wrap", 0), -EINVAL);
    tally_oa_run(unit, 1);
    assert_int_equal(tally_oa_set_timestamp(unit, 2, 0), -EBUSY);
    tally_oa_free(unit);
}

/* ---- custom events that depend on themselves ------------------------------------------------- */

/* Writes random comparisons that use few of the input bits, `bit` among them, and often the events
 * themselves. */
static void write_events(struct tally_oa *unit, enum intel_revision platform, struct random *rng,
                         unsigned bit)
{
    bool map_a = platform < INTEL_HSW;
    for (uint32_t n = 0; n < (map_a ? 4 : 8); n++) {
        uint32_t at = map_a ? 0x2390 + 8 * n : oa_at(platform, 0x2770 + 8 * n);
        uint32_t used = 1u << bit | 1u << random_below(rng, 16) | 1u << random_below(rng, 8);
        uint32_t source = (uint32_t)random_below(rng, 3);
        uint32_t value = (uint32_t)random_next(rng) & used;
        tally_oa_write32(unit, at,
                         (uint32_t)random_below(rng, 8) | value << 3 | source << 19 |
                             (uint32_t)random_next(rng) << 21);
        tally_oa_write32(unit, at + 4,
                         ((uint32_t)random_next(rng) & 0xffff) << 16 | (~used & 0xffff));
    }
    tally_oa_write32(unit, map_a ? 0x2388 : oa_at(platform, 0x2714), 0xf0800000);
    if (!map_a)
        tally_oa_write32(unit, oa_at(platform, 0x2724), 0xf0800000);
    tally_oa_write32(unit, oa_at(platform, 0x2360), 1);
    if (platform >= INTEL_BDW)
        tally_oa_write32(unit, oa_at(platform, 0x2b00), 0x15);
}

/* A bit of the bus changes after a long time: a long run counts as single clocks do. */
static void test_events_after_a_change(void **state)
{
    (void)state;
    struct random rng = random_start(12);
    for (unsigned n = 0; n < random_cases(320); n++) {
        enum intel_revision platform = (enum intel_revision)(n % INTEL_REVISIONS);
        struct tally_error error = {0};
        struct tally_oa *units[2];
        unsigned bit = n / INTEL_REVISIONS % 16;
        uint32_t clocks = 1500 + (uint32_t)random_below(&rng, 700),
                 others = (uint32_t)random_next(&rng);
        for (unsigned i = 0; i < 2; i++) {
            struct random same = random_start(n);
            assert_int_equal(tally_oa_new(revision_name(platform), &units[i], &error), 0);
            write_events(units[i], platform, &same, bit);
        }
        for (unsigned round = 0; round < 4; round++) {
            for (unsigned i = 0; i < 2; i++) {
                for (unsigned k = 0; k < 16; k++) {
                    struct tally_wave wave =
                        tally_wave_constant((k == bit ? round : others >> k) & 1);
                    tally_oa_drive_noa(units[i], k, &wave);
                }
                for (uint32_t left = clocks; left; left -= i ? clocks : 1)
                    tally_oa_run(units[i], i ? clocks : 1);
            }
            for (unsigned k = 0; k < 16; k++) {
                uint64_t values[2] = {0, 0};
                char name[8];
                snprintf(name, sizeof name, "%c%u", k < 8 ? 'b' : 'c', k % 8);
                for (unsigned i = 0; i < 2; i++)
                    tally_oa_peek(units[i], name, &values[i]);
                ROW(__LINE__, values[0] == values[1],
                    "case %u, %s, bit %u, round %u: %s is %" PRIu64 ", not %" PRIu64, n,
                    revision_name(platform), bit, round, name, values[1], values[0]);
            }
        }
        tally_oa_free(units[0]);
        tally_oa_free(units[1]);
    }
    ROWS_DONE();
}

/* ---- spread events --------------------------------------------------------------------------- */

/* Events are spread evenly over their clocks. Those that are left when more are added are spread
 * with these, until the later of both ends. */
static void test_spread(void **state)
{
    (void)state;
    struct random rng = random_start(13);
    for (unsigned n = 0; n < random_cases(4000); n++) {
        struct spread spread = {0};
        uint64_t now = 0, done = 0, added = 0, from = 0, end = 0, all = 0;
        for (unsigned step = 0; step < 12; step++) {
            uint64_t count = random_below(&rng, 3) ? random_below(&rng, 40) : 0;
            uint64_t until = now + 1 + random_below(&rng, 30), stop = now + random_below(&rng, 40);
            if (count) {
                all = all - (from < now ? spread_between(&spread, from, now - from) : 0);
                end = all && end > until ? end : until;
                all += count;
                from = now;
            }
            spread_add(&spread, now, count, until);
            added += count;
            for (; now < stop; now++) {
                uint64_t here = spread_between(&spread, now, 1), passed = now + 1 - from;
                uint64_t expected =
                    !all || passed >= end - from ? all : all * passed / (end - from);
                ROW(__LINE__, spread_before(&spread, now + 1) == expected,
                    "case %u, clock %" PRIu64 ": %" PRIu64 " events, not %" PRIu64, n, now,
                    spread_before(&spread, now + 1), expected);
                for (uint64_t i = 0; i < here; i++)
                    ROW(__LINE__, spread_clock(&spread, expected - i) == now,
                        "case %u, clock %" PRIu64 ": event at %" PRIu64, n, now,
                        spread_clock(&spread, expected - i));
                done += here;
            }
            ROW(__LINE__, done + spread_rest(&spread, now) == added,
                "case %u: %" PRIu64 " of %" PRIu64 " events", n, done, added);
        }
    }
    ROWS_DONE();
}

/* The names with a number: those of the platform's counters, trigger blocks and EUs, and no others.
 */
static void test_numbered_names(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platforms, *prefix;
        unsigned first, end;
    } rows[] = {
        {__LINE__, "snb", "a", 0, 29},
        {__LINE__, "ivb vlv hsw", "a", 0, 45},
        {__LINE__, "bdw chv skl icl lkf tgl", "a", 0, 36},
        {__LINE__, "snb ivb vlv", "b", 0, 4},
        {__LINE__, "hsw bdw chv skl icl lkf tgl", "b", 0, 8},
        {__LINE__, "snb ivb vlv", "c", 0, 12},
        {__LINE__, "hsw bdw chv skl icl lkf tgl", "c", 0, 8},
        {__LINE__, "skl icl lkf", "free", 4, 5},
        {__LINE__, "skl icl lkf", "free", 6, 7},
        {__LINE__, "skl icl lkf", "free", 19, 21},
        {__LINE__, "tgl", "oar_a", 0, 36},
        {__LINE__, "tgl", "oar_b", 0, 8},
        {__LINE__, "tgl", "oar_c", 0, 8},
        {__LINE__, "bdw chv skl icl lkf tgl", "occ", 0, 16},
        {__LINE__, "snb ivb vlv", "start", 1, 2},
        {__LINE__, "hsw bdw chv skl icl lkf tgl", "start", 1, 3},
        {__LINE__, "snb ivb vlv", "report", 1, 2},
        {__LINE__, "hsw bdw chv skl icl lkf tgl", "report", 1, 3},
    };
    static const char *const prefixes[] = {"a",     "b",   "c",     "free",  "oar_a",
                                           "oar_b", "occ", "oar_c", "start", "report"};
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const char *platform = revision_name((enum intel_revision)p);
        struct tally_error error = {0};
        struct tally_oa *unit;
        assert_int_equal(tally_oa_new(platform, &unit, &error), 0);
        if (p >= INTEL_BDW)
            assert_int_equal(tally_oa_set_eus(unit, 16), 0);
        for (size_t n = 0; n < COUNT(prefixes); n++)
            for (unsigned number = 0; number < 110; number++) {
                bool expected = false;
                uint64_t value;
                char name[16];
                for (size_t i = 0; i < COUNT(rows); i++)
                    expected |= !strcmp(rows[i].prefix, prefixes[n]) &&
                                strstr(rows[i].platforms, platform) && number >= rows[i].first &&
                                number < rows[i].end;
                snprintf(name, sizeof name, "%s%u", prefixes[n], number);
                ROW(__LINE__, (tally_oa_peek(unit, name, &value) == 0) == expected, "%s: %s",
                    platform, name);
                snprintf(name, sizeof name, "%s0%u", prefixes[n], number);
                ROW(__LINE__, tally_oa_peek(unit, name, &value) == -EINVAL, "%s: %s", platform,
                    name);
            }
        tally_oa_free(unit);
    }
    ROWS_DONE();
}

int test_oa(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_snapshots_and_cuts),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_numbered_names),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_events_after_a_change),
    };
    return cmocka_run_group_tests_name("oa", tests, NULL, NULL);
}
