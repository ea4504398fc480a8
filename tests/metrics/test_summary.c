/* SPDX-License-Identifier: MIT */
/* Minimum, mean, maximum and overall of counters, in total and in groups. */
#include "metrics/summaries.h"

#include <float.h>
#include <math.h>

#include "metrics/distribution.h"
#include "metrics/kernels.h"

struct fixture {
    struct tally_metric_file *file;
    const struct tally_metric_set *set;
    struct tally_environment environment;
    struct tally_program *program;
};

static void fixture_init(struct fixture *fixture)
{
    fixture->file = summary_set(&fixture->set);
    fixture->program = summary_program(fixture->set, &fixture->environment);
}

static void fixture_fini(struct fixture *fixture)
{
    tally_program_free(fixture->program);
    tally_metric_file_free(fixture->file);
}

/* ---- against the reference ----------------------------------------------------------------- */

static const struct summary_row {
    unsigned line;
    struct stretch_plan plan;
    enum tally_group_by by;
    uint64_t interval_ticks;
} summary_rows[] = {
    {__LINE__, {1, 1, 1, 0}, TALLY_BY_NOTHING, 0},
    {__LINE__, {1, 1, 1, 100}, TALLY_BY_NOTHING, 0},
    {__LINE__, {1, 1, 1, 0}, TALLY_BY_CONTEXT, 0},
    {__LINE__, {1, 1, 1, 100}, TALLY_BY_CONTEXT, 0},
    {__LINE__, {2000, 1, 1, 0}, TALLY_BY_NOTHING, 0},
    {__LINE__, {2000, 9, 20, 10}, TALLY_BY_NOTHING, 0},
    {__LINE__, {2000, 9, 20, 50}, TALLY_BY_NOTHING, 0},
    {__LINE__, {2000, 9, 20, 100}, TALLY_BY_NOTHING, 0},
    {__LINE__, {2000, 1, 1, 5}, TALLY_BY_CONTEXT, 0},
    {__LINE__, {2000, 2, 1, 5}, TALLY_BY_CONTEXT, 0}, /* contexts change with every delta */
    {__LINE__, {3000, 40, 30, 10}, TALLY_BY_CONTEXT, 0},
    {__LINE__, {3000, 1000, 3, 10}, TALLY_BY_CONTEXT, 0},
    {__LINE__, {3000, 40, 30, 90}, TALLY_BY_CONTEXT, 0},   /* groups that counted nothing */
    {__LINE__, {6000, 100000, 1, 5}, TALLY_BY_CONTEXT, 0}, /* more than 1,024 */
    {__LINE__, {6000, 1500, 2, 5}, TALLY_BY_CONTEXT, 0},
    {__LINE__, {3000, 40, 30, 10}, TALLY_BY_REASON, 0},
    {__LINE__, {3000, 40, 30, 0}, TALLY_BY_INTERVAL, 1},
    {__LINE__, {3000, 40, 30, 10}, TALLY_BY_INTERVAL, 700},
    {__LINE__, {3000, 40, 30, 10}, TALLY_BY_INTERVAL, 20000},
    {__LINE__, {3000, 40, 30, 90}, TALLY_BY_INTERVAL, 5000},
    {__LINE__, {3000, 40, 30, 10}, TALLY_BY_INTERVAL, UINT64_MAX},
    {__LINE__, {3000, 40, 30, 10}, TALLY_BY_PHASE, 0},
    {__LINE__, {6000, 1, 1, 0}, TALLY_BY_PHASE, 0},
    {__LINE__, {3000, 40, 30, 10}, TALLY_BY_FRAME, 0},
};

static void test_against_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(summary_rows); i++) {
        const struct summary_row *row = &summary_rows[i];
        struct random rng = {19 + i};
        struct stretch *stretch = stretch_new(&rng, &row->plan);
        struct telling first = {0};
        stretch->batch.period_ticks = i % 3 ? 701 : 0;
        for (size_t path = 0; path < COUNT(simd_paths); path++) {
            struct fixture fixture;
            if (!simd_use(simd_paths[path]))
                continue;
            fixture_init(&fixture);
            struct telling telling =
                tell_stretch(&rng, fixture.program, stretch, row->by, row->interval_ticks);
            if (path == 0)
                check_telling(row->line, &telling, fixture.program, &fixture.environment, stretch,
                              row->by, row->interval_ticks);
            /* However it is cut to blocks, and on whichever path: the same bits. */
            ROW(row->line, !path || same_telling(&first, &telling, fixture.program),
                "%s differs from portable", simd_paths[path]);
            if (path)
                telling_fini(&telling);
            else
                first = telling;
            fixture_fini(&fixture);
        }
        simd_best();
        telling_fini(&first);
        free(stretch);
    }
    ROWS_DONE();
}

/* ---- no deltas ----------------------------------------------------------------------------- */

static void test_empty_input(void **state)
{
    (void)state;
    struct fixture fixture;
    fixture_init(&fixture);
    for (enum tally_group_by by = TALLY_BY_NOTHING; by <= TALLY_BY_INTERVAL; by++) {
        struct telling telling = {.counters = fixture.set->counter_count};
        struct tally_batch batch = {0};
        struct tally_summary *summary =
            tally_summary_new(fixture.program, by, 10, take_group, &telling);
        assert_non_null(summary);
        assert_int_equal(tally_summary_add(summary, &batch, 0, 0), 0);
        tally_summary_finish(summary);
        assert_int_equal(telling.count, 1);
        assert_int_equal(telling.groups[0].group.by, TALLY_BY_NOTHING);
        assert_int_equal(telling.groups[0].group.deltas, 0);
        assert_int_equal(telling.groups[0].group.lost, 0);
        assert_int_equal(telling.groups[0].group.ticks, 0);
        tally_summary_free(summary);
        telling_fini(&telling);
    }
    tally_summary_free(NULL);
    fixture_fini(&fixture);
}

/* ---- values that are hard to add ----------------------------------------------------------- */

/* One counter of doubles, by its equation, over a stretch of which every `every`-th delta is OK. */
static struct tally_statistic statistic_of(const char *equation, size_t deltas, size_t every)
{
    const struct tally_counter counter = {.symbol = "X",
                                          .equation = equation,
                                          .max_equation = "",
                                          .availability = "",
                                          .type = TALLY_DOUBLE};
    const struct tally_metric_set set = {
        .symbol = "One", .file = "one", .counters = &counter, .counter_count = 1};
    const struct stretch_plan plan = {deltas, 1, 1, 0};
    struct tally_environment environment;
    struct random rng = {50};
    struct tally_program *program = summary_program(&set, &environment);
    struct stretch *stretch = stretch_new(&rng, &plan);
    struct telling telling = {.counters = 1};
    struct tally_summary *summary =
        tally_summary_new(program, TALLY_BY_NOTHING, 0, take_group, &telling);
    assert_non_null(summary);
    assert_int_equal(tally_summary_add_percentiles(summary), 0);
    for (size_t i = 0; i < deltas; i++) {
        stretch->states[i] = i % every ? TALLY_STATE_LOST : TALLY_STATE_OK;
        stretch->gpu_ticks[i + 1] = stretch->gpu_ticks[i] + 3 + i / 40;
    }
    for (size_t i = 0; i < deltas; i += TALLY_BLOCK) { /* blocks of 64: lanes stay where they are */
        size_t size = deltas - i < TALLY_BLOCK ? deltas - i : TALLY_BLOCK;
        tally_program_run(program, stretch->batch.reports + i, size);
        assert_int_equal(tally_summary_add(summary, &stretch->batch, i, size), 0);
    }
    tally_summary_finish(summary);
    assert_int_equal(telling.count, 1);
    struct tally_statistic statistic = telling.groups[0].statistics[0];
    tally_summary_free(summary);
    tally_program_free(program);
    telling_fini(&telling);
    free(stretch);
    return statistic;
}

/* All values the same: so are minimum, maximum and mean. */
static void test_mean_of_one_value(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *equation;
        double value;
    } rows[] = {
        {__LINE__, "0.0", 0},
        {__LINE__, "0.5", 0.5},
        {__LINE__, "100.0", 100},
        {__LINE__, "0.0 0.25 FSUB", -0.25},
        {__LINE__, "0.0 1000000.5 FSUB", -1000000.5},
        {__LINE__, "2147483647.0", 2147483647},
        {__LINE__, "2147483647.5", 2147483647.5},
        {__LINE__, "2147483647.9999998", 2147483647.9999998}, /* the largest below 2^31 */
        {__LINE__, "0.0 2147483647.9999998 FSUB", -2147483647.9999998},
        {__LINE__, "2147483648.0", 2147483648}, /* 2^31 */
        {__LINE__, "0.0 2147483648.0 FSUB", -2147483648.0},
        {__LINE__, "4503599627370496.0", 0x1p52},
        {__LINE__, "1 2 USUB", 0x1p64}, /* a subtraction that wrapped */
        {__LINE__, "1e20", 1e20},
        {__LINE__, "0.0 1e20 FSUB", -1e20},
        {__LINE__, "1e30", 1e30},
        {__LINE__, "0.1", 0.1},
        {__LINE__, "1 1e13 FDIV", 1e-13},
        {__LINE__, "1e31", 1e31}, /* from 2^100 on */
        {__LINE__, "1e40", 1e40},
        {__LINE__, "0.0 1e40 FSUB", -1e40},
        {__LINE__, "1.5e308", 1.5e308},
    };
    static const size_t every[] = {1, 8};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t e = 0; e < COUNT(every); e++)
            for (size_t deltas = 1; deltas <= DELTAS_MAX; deltas = deltas * 3 + 2) {
                struct tally_statistic statistic = statistic_of(rows[i].equation, deltas, every[e]);
                ROW(rows[i].line,
                    statistic.minimum.f == rows[i].value && statistic.maximum.f == rows[i].value &&
                        statistic.overall.f == rows[i].value,
                    "%s: minimum %.17g, maximum %.17g", rows[i].equation, statistic.minimum.f,
                    statistic.maximum.f);
                ROW(rows[i].line, statistic.mean == rows[i].value,
                    "%s over %zu deltas, each %zu.: mean %.17g", rows[i].equation, deltas, every[e],
                    statistic.mean);
            }
    ROWS_DONE();
}

/*
 * As many values in one lane as it may hold, each as large as it may be: every eighth delta of
 * 8 x 6,000 counts. The sum of 4,096 such values would pass 2^63 in units of 2^-20.
 */
static void test_a_lane_filled_to_its_limit(void **state)
{
    (void)state;
    const struct tally_counter counter = {.symbol = "X",
                                          .equation = "2147483647.9999998",
                                          .max_equation = "",
                                          .availability = "",
                                          .type = TALLY_DOUBLE};
    const struct tally_metric_set set = {
        .symbol = "One", .file = "one", .counters = &counter, .counter_count = 1};
    const struct stretch_plan plan = {DELTAS_MAX, 1, 1, 0};
    struct tally_environment environment;
    struct random rng = {51};
    struct tally_program *program = summary_program(&set, &environment);
    struct stretch *stretch = stretch_new(&rng, &plan);
    struct telling telling = {.counters = 1};
    struct tally_summary *summary =
        tally_summary_new(program, TALLY_BY_NOTHING, 0, take_group, &telling);
    assert_non_null(summary);
    for (size_t i = 0; i < DELTAS_MAX; i++)
        stretch->states[i] = i % 8 ? TALLY_STATE_LOST : TALLY_STATE_OK;
    for (unsigned round = 0; round < 8; round++)
        for (size_t i = 0; i + TALLY_BLOCK <= DELTAS_MAX; i += TALLY_BLOCK) {
            tally_program_run(program, stretch->batch.reports + i, TALLY_BLOCK);
            assert_int_equal(tally_summary_add(summary, &stretch->batch, i, TALLY_BLOCK), 0);
        }
    tally_summary_finish(summary);
    assert_true(telling.groups[0].group.deltas > 4096);
    ROW(__LINE__, fabs(telling.groups[0].statistics[0].mean / 0x1p31 - 1) < 1e-9, "mean %.17g",
        telling.groups[0].statistics[0].mean);
    tally_summary_free(summary);
    tally_program_free(program);
    telling_fini(&telling);
    free(stretch);
    ROWS_DONE();
}

/* Huge values of different magnitudes: the mean has the same bits in any order and division. */
static void test_mean_of_huge_values(void **state)
{
    (void)state;
    struct random rng = {53};
    for (unsigned round = 0; round < random_cases(2000); round++) {
        enum { VALUES = 40 };
        double values[VALUES];
        long double sum = 0;
        uint64_t bits[2];
        unsigned lowest = 100 + (unsigned)random_below(&rng, 800);
        unsigned range = 1 + (unsigned)random_below(&rng, round % 2 ? 120 : 20);
        for (size_t i = 0; i < VALUES; i++) {
            double mantissa = 1 + (double)random_below(&rng, UINT64_C(1) << 52) * 0x1p-52;
            values[i] = ldexp(mantissa, (int)(lowest + random_below(&rng, range)));
            sum += (long double)values[i];
        }
        for (unsigned order = 0; order < 2; order++) {
            struct reduction parts[2];
            struct lanes lanes;
            for (unsigned p = 0; p < 2; p++)
                reduction_clear(&parts[p], TALLY_DOUBLE);
            for (size_t i = 0; i < VALUES; i++) {
                double value = values[order ? VALUES - 1 - i : i];
                lanes_clear(&lanes, TALLY_DOUBLE);
                lanes.f.minimum[0] = lanes.f.maximum[0] = value;
                lanes_add_large(&lanes, value);
                struct reduction *part = &parts[random_below(&rng, 2)];
                if (random_below(&rng, 2))
                    reduction_fold(part, &lanes, TALLY_DOUBLE, 1, 3);
                else
                    reduction_add(part, (union tally_value){.f = value}, TALLY_DOUBLE, 3, false);
            }
            reduction_merge(&parts[0], &parts[1], TALLY_DOUBLE);
            double mean = reduction_mean(&parts[0], TALLY_DOUBLE, true);
            long double expected = sum / VALUES;
            ROW(__LINE__, fabsl((long double)mean - expected) <= expected * 4 * DBL_EPSILON,
                "mean %.17g, expected %.17Lg", mean, expected);
            memcpy(&bits[order], &mean, sizeof mean);
        }
        ROW(__LINE__, bits[0] == bits[1], "%.16llx, backwards %.16llx", (unsigned long long)bits[0],
            (unsigned long long)bits[1]);
    }
    ROWS_DONE();
}

/*
 * A mean lies between minimum and maximum, also where all values are too large for the lanes:
 * their fractions count too.
 */
static void test_mean_of_large_fractions(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *equation;
        double value;
    } rows[] = {
        {__LINE__, "2147483648.75", 2147483648.75},
        {__LINE__, "0.0 2147483648.75 FSUB", -2147483648.75},
        {__LINE__, "1099511627776.0625", 1099511627776.0625},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_statistic statistic = statistic_of(rows[i].equation, 100, 1);
        ROW(rows[i].line, fabs(statistic.mean / rows[i].value - 1) < 1e-15,
            "minimum %.6f, mean %.6f, maximum %.6f", statistic.minimum.f, statistic.mean,
            statistic.maximum.f);
    }
    ROWS_DONE();
}

/* Sums that pass 2^64 and 2^127 / 2^40 on their way: a wide one of both signs comes out small. */
static void test_values_that_cancel(void **state)
{
    (void)state;
    struct tally_statistic statistic =
        statistic_of("A 1 READ 1 AND 1e20 FMUL 1e20 FSUB A 1 READ 1 AND 1e20 FMUL FADD", 6000, 1);
    assert_true(statistic.minimum.f == -1e20);
    assert_true(statistic.maximum.f == 1e20);
    assert_true(fabs(statistic.mean) < 1e19);
}

/* In a bucket with one value, a percentile is that value. */
static void test_percentiles_of_few_values(void **state)
{
    (void)state;
    static const size_t every[] = {1, 3};
    for (size_t e = 0; e < COUNT(every);
         e++) { /* of 0, 33.3, 66.6 and 99.9: by lanes, and singly */
        struct tally_statistic statistic = statistic_of("A 1 READ 3 AND 33.3 FMUL", 6000, every[e]);
        ROW(__LINE__,
            fabs(statistic.p50.f / 33.3 - round(statistic.p50.f / 33.3)) < 0x1p-20 &&
                statistic.p50.f > 33 && statistic.p50.f < 67,
            "p50 %.17g", statistic.p50.f);
        ROW(__LINE__, fabs(statistic.p99.f / 99.9 - 1) < 0x1p-22, "p99 %.17g", statistic.p99.f);
    }
    ROWS_DONE();
}

/* More values than buckets: neighbours are merged, as seldom as possible. */
static void test_limited_buckets(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        size_t limit;
        unsigned level;
    } rows[] = {{__LINE__, 1024, 2}, {__LINE__, 4096, 0}, {__LINE__, 32, 8}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct distribution distribution = {0}, merged = {0};
        for (int i = 0; i < 4096; i++) { /* in an order that is not that of the values */
            int at = i * 1237 % 4096;
            double value = ldexp(1 + at % 64 / 64.0, at / 64 - 20);
            assert_int_equal(
                distribution_add(i % 2 ? &distribution : &merged, value, 5, rows[r].limit), 0);
        }
        assert_int_equal(distribution_merge(&merged, &distribution, rows[r].limit), 0);
        ROW(rows[r].line, merged.count <= rows[r].limit && merged.level == rows[r].level,
            "%zu buckets, level %u", merged.count, merged.level);
        static const unsigned percents[] = {50};
        double value = 0, expected = ldexp(1 + 63 / 64.0, 2047 / 64 - 20);
        if (rows[r].limit <= BUCKETS_MAX)
            assert_true(distribution_percentiles(&merged, percents, 1, &value) &&
                        fabs(value - expected) <= expected * (1u << merged.level) / 64);
        distribution_fini(&distribution);
        distribution_fini(&merged);
    }
    ROWS_DONE();
}

int test_summary(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_reference),
        cmocka_unit_test(test_empty_input),
        cmocka_unit_test(test_mean_of_one_value),
        cmocka_unit_test(test_a_lane_filled_to_its_limit),
        cmocka_unit_test(test_mean_of_huge_values),
        cmocka_unit_test(test_mean_of_large_fractions),
        cmocka_unit_test(test_values_that_cancel),
        cmocka_unit_test(test_percentiles_of_few_values),
        cmocka_unit_test(test_limited_buckets),
    };
    return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
