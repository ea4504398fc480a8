/* SPDX-License-Identifier: MIT */
/* Quotients without a value: in programs, in summaries, on every vector path. */
#include "metrics/summaries.h"

static const char text[] = "chipsets: g92\n"
                           "signals:\n"
                           "  - {symbol: HIT, expression: pc02_tex_05}\n"
                           "  - {symbol: MISS, expression: pc02_tex_04}\n"
                           "counters:\n"
                           "  - {symbol: Rate, name: n, group: g, units: percent, description: d,\n"
                           "     equation: 100 * HIT / (HIT + MISS)}\n"
                           "  - {symbol: More, name: m, group: g, units: percent, description: d,\n"
                           "     equation: Rate + 1}\n"
                           "sets:\n"
                           "  - {symbol: Test, name: n, counters: Rate More}\n";

/* Ten reports: nine deltas. */
#define REPORTS 10

struct fixture {
    struct tally_metric_file *file;
    const struct tally_metric_set *set;
    struct tally_program *program;
    uint8_t bytes[REPORTS][1088];
    const uint8_t *reports[REPORTS];
    struct tally_batch *batch;
};

static void put_u64(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* Fills the reports so that delta i has hits[i] and misses[i]. */
static void fill(struct fixture *fixture, const uint64_t *hits, const uint64_t *misses)
{
    uint64_t hit = 1000, miss = 2000;
    for (size_t i = 0; i < REPORTS; i++) {
        put_u64(fixture->bytes[i] + 64, hit);
        put_u64(fixture->bytes[i] + 72, miss);
        fixture->reports[i] = fixture->bytes[i];
        fixture->batch->gpu_ticks[i] = 100 * i;
        fixture->batch->states[i] = TALLY_STATE_OK;
        if (i + 1 < REPORTS) {
            hit += hits[i];
            miss += misses[i];
        }
    }
    fixture->batch->count = REPORTS;
}

static void fixture_init(struct fixture *fixture)
{
    struct tally_environment environment = {.timestamp_hz = 1000000000};
    struct tally_error error = {0};
    *fixture = (struct fixture){0};
    assert_int_equal(
        tally_metric_file_load_memory(text, strlen(text), "test.yaml", &fixture->file, &error), 0);
    assert_int_equal(tally_metric_file_sets(fixture->file, &fixture->set), 1);
    assert_int_equal(
        tally_program_new(fixture->set, &environment, &signal_layout, &fixture->program, &error),
        0);
    fixture->batch = tally_batch_new();
    assert_non_null(fixture->batch);
}

static void fixture_fini(struct fixture *fixture)
{
    tally_batch_free(fixture->batch);
    tally_program_free(fixture->program);
    tally_metric_file_free(fixture->file);
}

struct result {
    unsigned groups;
    struct tally_statistic rate;
};

static void keep(void *closure, const struct tally_group *group,
                 const struct tally_statistic *statistics)
{
    struct result *result = closure;
    (void)group;
    result->groups++;
    result->rate = statistics[0];
}

static const struct row {
    unsigned line;
    uint64_t hits[REPORTS - 1], misses[REPORTS - 1];
    double overall, minimum, mean, maximum;
} rows[] = {
    {__LINE__, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 50, 50, 50, 50},
    /* Deltas without queries count in none of the statistics. */
    {__LINE__, {3, 0, 1, 0, 0, 0, 0, 0, 0}, {1, 0, 1, 0, 0, 0, 0, 0, 0}, 200.0 / 3, 50, 62.5, 75},
    {__LINE__, {0, 0, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 100, 100, 100, 100},
    {__LINE__, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 5}, 0, 0, 0, 0},
    /* Nothing is defined. */
    {__LINE__, {0}, {0}, (double)NAN, (double)NAN, (double)NAN, (double)NAN},
};

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void test_statistics(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t path = 0; path < COUNT(simd_paths); path++) {
            struct fixture fixture;
            struct result result = {0};
            if (!simd_use(simd_paths[path]))
                continue;
            fixture_init(&fixture);
            fill(&fixture, rows[i].hits, rows[i].misses);
            tally_program_run(fixture.program, fixture.reports, REPORTS - 1);
            const union tally_value *rate = tally_program_values(fixture.program, 0);
            const union tally_value *more = tally_program_values(fixture.program, 1);
            for (size_t d = 0; d + 1 < REPORTS; d++) {
                uint64_t sum = rows[i].hits[d] + rows[i].misses[d];
                double expected = sum ? 100.0 * (double)rows[i].hits[d] / (double)sum : (double)NAN;
                ROW(rows[i].line, same(rate[d].f, expected) && same(more[d].f, expected + 1),
                    "delta %zu on %s: %g, %g, expected %g", d, simd_paths[path], rate[d].f,
                    more[d].f, expected);
            }
            struct tally_summary *summary =
                tally_summary_new(fixture.program, TALLY_BY_NOTHING, 0, keep, &result);
            assert_non_null(summary);
            assert_int_equal(tally_summary_add(summary, fixture.batch, 0, REPORTS - 1), 0);
            tally_summary_finish(summary);
            tally_summary_free(summary);
            const struct tally_statistic *got = &result.rate;
            ROW(rows[i].line,
                result.groups == 1 && same(got->overall.f, rows[i].overall) &&
                    same(got->minimum.f, rows[i].minimum) && same(got->mean, rows[i].mean) &&
                    same(got->maximum.f, rows[i].maximum),
                "%s: overall %g, minimum %g, mean %g, maximum %g", simd_paths[path], got->overall.f,
                got->minimum.f, got->mean, got->maximum.f);
            fixture_fini(&fixture);
        }
    }
    unsetenv("TALLY_SIMD");
    ROWS_DONE();
}

int test_undefined(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
    };
    return cmocka_run_group_tests_name("undefined", tests, NULL, NULL);
}
