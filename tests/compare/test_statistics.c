/* SPDX-License-Identifier: MIT */
/* The statistics of comparisons, by hand-computed values and by what they promise. */
#include "tests.h"

#include <math.h>
#include <string.h>

#include "compare/statistics.h"

#define VALUES_MAX 300

/* Fills samples of one run and of the length 1 from a list that ends with NAN. */
static size_t fill(struct stat_sample *to, const double *values)
{
    size_t count = 0;
    for (; !isnan(values[count]); count++)
        to[count] = (struct stat_sample){values[count], 1, 0};
    return count;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__, (double)NAN                                                                   \
    }

/* p of all choices of ranks: 2 of C(10, 5), ... */
void test_ranks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double a[12], b[12];
        double u, p;
    } rows[] = {
        {__LINE__, LIST(1, 2, 3, 4, 5), LIST(6, 7, 8, 9, 10), 25, 2.0 / 252},
        {__LINE__, LIST(6, 7, 8, 9, 10), LIST(1, 2, 3, 4, 5), 0, 2.0 / 252},
        {__LINE__, LIST(1, 3, 5), LIST(2, 4, 6), 6, 14.0 / 20},
        {__LINE__, LIST(1, 2), LIST(3, 4), 4, 2.0 / 6},
        {__LINE__, LIST(1), LIST(2), 1, 1},
        {__LINE__, LIST(1, 2, 3), LIST(4), 3, 2.0 / 4},
        /* Ties: 0, 0 | 0, 1 has the ranks 2, 2 | 2, 4; of the six choices of two, three are 6. */
        {__LINE__, LIST(0, 0), LIST(0, 1), 3, 1},
        {__LINE__, LIST(0, 0, 0), LIST(1, 1, 1), 9, 2.0 / 20},
        {__LINE__, LIST(7, 7, 7), LIST(7, 7, 7), 4.5, 1},
        {__LINE__, LIST(-1, -2, -3, -4), LIST(1, 2, 3, 4), 16, 2.0 / 70},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct stat_sample a[VALUES_MAX], b[VALUES_MAX];
        double u = -1;
        size_t a_count = fill(a, rows[i].a), b_count = fill(b, rows[i].b);
        double p = stat_mann_whitney(a, a_count, b, b_count, &u);
        ROW(rows[i].line, is_near(u, rows[i].u) && is_near(p, rows[i].p), "U %g, p %.12g", u, p);
        ROW(rows[i].line, stat_p_min(a_count, b_count) <= p * (1 + 1e-9), "min %g",
            stat_p_min(a_count, b_count));
    }
    ROW(__LINE__, is_near(stat_p_min(5, 5), 2.0 / 252), "%g", stat_p_min(5, 5));
    ROW(__LINE__, is_near(stat_p_min(0, 5), 1), "%g", stat_p_min(0, 5));
    ROWS_DONE();
}

void test_holm(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double p[6], expected[6];
    } rows[] = {
        {__LINE__, LIST(0.01, 0.04, 0.03, 0.005), LIST(0.03, 0.06, 0.06, 0.02)},
        {__LINE__, LIST(0.5), LIST(0.5)},
        {__LINE__, LIST(0.9, 0.9), LIST(1, 1)},
        {__LINE__, LIST(0.02, 0.02, 0.02), LIST(0.06, 0.06, 0.06)},
        {__LINE__, LIST(1, 0, 1), LIST(1, 0, 1)},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double p[6];
        size_t count = 0;
        while (!isnan(rows[i].p[count]))
            count++;
        memcpy(p, rows[i].p, sizeof p);
        assert_int_equal(stat_holm(p, count), 0);
        for (size_t k = 0; k < count; k++)
            ROW(rows[i].line, is_near(p[k], rows[i].expected[k]), "%zu: %g", k, p[k]);
    }
    ROWS_DONE();
}

/* A variance that is four times as large halves z: 3 becomes 1.5, 5 becomes 2.5. */
void test_inflated(void **state)
{
    (void)state;
    static const double zs[] = {0.5, 1, 3, 5, 12};
    for (size_t i = 0; i < COUNT(zs); i++) {
        double p = stat_inflate(erfc(zs[i] / sqrt(2)), 4), expected = erfc(zs[i] / 2 / sqrt(2));
        ROW(__LINE__, fabs(p / expected - 1) < 1e-6, "z %g: %g, expected %g", zs[i], p, expected);
        p = stat_inflate(0.03, 1);
        ROW(__LINE__, is_near(p, 0.03), "%g", p);
    }
    ROWS_DONE();
}

void test_blocks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct stat_sample samples[8];
        size_t count;
        struct stat_sample merged[8];
        size_t merged_count;
    } rows[] = {
        {__LINE__, {{1, 1, 0}, {3, 1, 0}}, 2, {{2, 2, 0}}, 1},
        {__LINE__, {{1, 1, 0}, {4, 2, 0}}, 2, {{3, 3, 0}}, 1},
        {__LINE__, {{1, 1, 0}, {3, 1, 0}, {5, 1, 0}}, 3, {{3, 3, 0}}, 1},
        {__LINE__, {{1, 1, 0}, {3, 1, 0}, {5, 1, 0}, {7, 1, 0}}, 4, {{2, 2, 0}, {6, 2, 0}}, 2},
        {__LINE__,
         {{1, 1, 0}, {3, 1, 0}, {5, 1, 0}, {7, 1, 0}, {9, 1, 0}},
         5,
         {{2, 2, 0}, {7, 3, 0}},
         2},
        /* Runs stay apart. */
        {__LINE__, {{1, 1, 0}, {3, 1, 1}}, 2, {{1, 1, 0}, {3, 1, 1}}, 2},
        {__LINE__,
         {{1, 1, 0}, {3, 1, 0}, {5, 1, 1}, {9, 1, 1}, {4, 1, 2}},
         5,
         {{2, 2, 0}, {7, 2, 1}, {4, 1, 2}},
         3},
        /* Equal values stay what they are. */
        {__LINE__, {{0.1, 0.3, 0}, {0.1, 0.7, 0}}, 2, {{0.1, 1, 0}}, 1},
        {__LINE__, {{0, 0, 0}}, 0, {{0, 0, 0}}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct stat_sample samples[8];
        memcpy(samples, rows[i].samples, sizeof samples);
        size_t count = stat_merge_pairs(samples, rows[i].count);
        ROW(rows[i].line, count == rows[i].merged_count, "%zu", count);
        for (size_t k = 0; k < count; k++)
            ROW(rows[i].line,
                samples[k].value == rows[i].merged[k].value &&
                    is_near(samples[k].weight, rows[i].merged[k].weight) &&
                    samples[k].run == rows[i].merged[k].run,
                "%zu: %g, %g, %u", k, samples[k].value, samples[k].weight, samples[k].run);
    }
    ROWS_DONE();
}

void test_results(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double a[12], b[12];
        double mean_a, mean_b, median_a, spread_a, change, delta;
        bool constant;
    } rows[] = {
        {__LINE__, LIST(1, 2, 3, 4), LIST(2, 4, 6, 8), 2.5, 5, 2.5, 0.75, 1, 0.625, false},
        {__LINE__, LIST(4, 4, 4), LIST(3, 3, 3), 4, 3, 4, 0, -0.25, -1, false},
        {__LINE__, LIST(0, 0), LIST(1, 1), 0, 1, 0, 0, (double)INFINITY, 1, false},
        {__LINE__, LIST(0, 0), LIST(0, 0), 0, 0, 0, 0, 0, 0, true},
        {__LINE__, LIST(5, 5), LIST(5, 5, 5), 5, 5, 5, 0, 0, 0, true},
        {__LINE__, LIST(-4, -4), LIST(-2, -2), -4, -2, -4, 0, 0.5, 1, false},
        {__LINE__, LIST(9), LIST(10), 9, 10, 9, 0, 1.0 / 9, 1, false},
    };
    struct stat_result result;
    struct stat_sample a[VALUES_MAX], b[VALUES_MAX];
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t a_count = fill(a, rows[i].a), b_count = fill(b, rows[i].b);
        assert_int_equal(stat_compare(a, a_count, b, b_count, &result), 0);
        ROW(rows[i].line,
            is_near(result.means[0], rows[i].mean_a) && is_near(result.means[1], rows[i].mean_b) &&
                is_near(result.medians[0], rows[i].median_a) &&
                is_near(result.spreads[0], rows[i].spread_a),
            "%g %g %g %g", result.means[0], result.means[1], result.medians[0], result.spreads[0]);
        ROW(rows[i].line,
            (result.change == rows[i].change || is_near(result.change, rows[i].change)) &&
                is_near(result.delta, rows[i].delta) && result.constant == rows[i].constant,
            "change %g, delta %g", result.change, result.delta);
        ROW(rows[i].line, !result.constant || is_near(result.p, 1), "p %g", result.p);
    }
    /* A side without samples. */
    assert_int_equal(stat_compare(a, 0, b, fill(b, rows[0].b), &result), 0);
    ROW(__LINE__, is_near(result.p, 1) && isnan(result.means[0]), "%g", result.p);
    ROWS_DONE();
}

/* ---- what the test promises ------------------------------------------------------------------ */

static double uniform(struct random *rng)
{
    return ((double)(random_next(rng) >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(struct random *rng)
{
    return sqrt(-2 * log(uniform(rng))) * cos(6.283185307179586 * uniform(rng));
}

/* Fills a series in which each value depends on the previous one, in runs with levels of their
 * own. */
static void fill_series(struct stat_sample *to, size_t count, size_t runs, double same,
                        double level, double shift, struct random *rng)
{
    double value = 0, own = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % (count / runs) == 0) {
            value = gauss(rng) / sqrt(1 - same * same);
            own = level * gauss(rng);
        }
        value = same * value + gauss(rng);
        to[i] = (struct stat_sample){value + own + shift, 1, (uint32_t)(i / (count / runs))};
    }
}

/* Series of the same kind are found to differ as often as p says, also if neighbours depend on each
 * other, or runs have levels of their own: of 600, less than 5 % + 4 standard errors have p < 5
 * %.
 */
void test_false_findings(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        size_t count, runs;
        double same, level;
        double most; /* share of p < 5 % */
    } rows[] = {
        {__LINE__, 128, 1, 0, 0, 0.07},     {__LINE__, 128, 1, 0.3, 0, 0.07},
        {__LINE__, 128, 1, 0.6, 0, 0.075},  {__LINE__, 128, 1, 0.9, 0, 0.085},
        {__LINE__, 16, 1, 0, 0, 0.07},      {__LINE__, 160, 10, 0, 0, 0.07},
        {__LINE__, 160, 10, 0.5, 2, 0.085}, {__LINE__, 160, 20, 0, 1, 0.08},
    };
    size_t cases = random_cases(600);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct random rng = random_start(17 + i);
        size_t found = 0;
        for (size_t n = 0; n < cases; n++) {
            struct stat_sample a[VALUES_MAX], b[VALUES_MAX];
            struct stat_result result;
            fill_series(a, rows[i].count, rows[i].runs, rows[i].same, rows[i].level, 0, &rng);
            fill_series(b, rows[i].count, rows[i].runs, rows[i].same, rows[i].level, 0, &rng);
            assert_int_equal(stat_compare(a, rows[i].count, b, rows[i].count, &result), 0);
            found += result.p < 0.05;
        }
        double share = (double)found / (double)cases, error = sqrt(0.05 * 0.95 / (double)cases);
        ROW(rows[i].line, share < rows[i].most + 2 * error, "%.4f of %zu", share, cases);
        ROW(rows[i].line, share > 0.01 - 2 * error, "%.4f of %zu", share, cases);
    }
    ROWS_DONE();
}

/* A shift of one standard deviation is found in series of 128 values. */
void test_power(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double same, shift, least; /* share of p < 0.0005 */
    } rows[] = {{__LINE__, 0, 1, 0.99}, {__LINE__, 0.3, 1.5, 0.95}, {__LINE__, 0, 100, 1}};
    size_t cases = random_cases(200);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct random rng = random_start(99 + i);
        size_t found = 0;
        for (size_t n = 0; n < cases; n++) {
            struct stat_sample a[VALUES_MAX], b[VALUES_MAX];
            struct stat_result result;
            fill_series(a, 128, 1, rows[i].same, 0, 0, &rng);
            fill_series(b, 128, 1, rows[i].same, 0, rows[i].shift, &rng);
            assert_int_equal(stat_compare(a, 128, b, 128, &result), 0);
            found += result.p < 0.0005 && result.delta > 0;
        }
        double share = (double)found / (double)cases;
        ROW(rows[i].line, share >= rows[i].least - 0.02, "%.4f of %zu", share, cases);
    }
    ROWS_DONE();
}
