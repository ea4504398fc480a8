/* SPDX-License-Identifier: MIT */
/* Summaries shared among threads and joined; memory that does not grow with the recording. */
#include "metrics/summaries.h"

/* ---- merging ------------------------------------------------------------------------------- */

/* A stretch shared by `parts` summaries, in turn or at random, joined in an order; then told. */
static struct telling tell_in_parts(struct random *rng, const struct tally_metric_set *set,
                                    const struct stretch *stretch, enum tally_group_by by,
                                    size_t parts, bool backwards)
{
    struct tally_program *programs[8] = {NULL};
    struct tally_summary *summaries[8] = {NULL};
    struct tally_environment environment;
    struct telling telling = {.counters = set->counter_count};
    size_t deltas = stretch->batch.count - 1;
    assert_true(parts <= COUNT(programs));
    for (size_t p = 0; p < parts; p++) {
        programs[p] = summary_program(set, &environment);
        summaries[p] = tally_summary_new(programs[p], by, 0, take_group, &telling);
        assert_non_null(summaries[p]);
        assert_int_equal(tally_summary_add_percentiles(summaries[p]), 0);
    }
    for (size_t from = 0, to; from < deltas; from = to) {
        size_t part = random_below(rng, parts);
        to = from + 1 + random_below(rng, parts == 2 ? deltas / 2 : 200);
        to = to < deltas ? to : deltas;
        add_stretch(rng, programs[part], summaries[part], stretch, from, to);
    }
    size_t into = backwards ? parts - 1 : 0;
    for (size_t i = 1; i < parts; i++) {
        size_t p = backwards ? parts - 1 - i : i;
        assert_int_equal(tally_summary_merge(summaries[into], summaries[p]), 0);
    }
    tally_summary_finish(summaries[into]);
    for (size_t p = 0; p < parts; p++) {
        tally_summary_free(summaries[p]);
        tally_program_free(programs[p]);
    }
    return telling;
}

static void test_merging_in_any_order(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct stretch_plan plan;
        enum tally_group_by by;
        size_t parts;
    } rows[] = {
        {__LINE__, {3000, 40, 20, 10}, TALLY_BY_NOTHING, 2},
        {__LINE__, {3000, 40, 20, 10}, TALLY_BY_CONTEXT, 2},
        {__LINE__, {3000, 40, 20, 10}, TALLY_BY_REASON, 2},
        {__LINE__, {3000, 40, 20, 10}, TALLY_BY_CONTEXT, 3},
        {__LINE__, {3000, 40, 20, 10}, TALLY_BY_NOTHING, 8},
        {__LINE__, {3000, 500, 2, 10}, TALLY_BY_CONTEXT, 8},
        {__LINE__, {3000, 40, 20, 95}, TALLY_BY_CONTEXT, 8},
        {__LINE__, {1, 1, 1, 0}, TALLY_BY_CONTEXT, 8},       /* most have nothing */
        {__LINE__, {6000, 1200, 2, 5}, TALLY_BY_CONTEXT, 2}, /* more than 1,024 groups */
        {__LINE__, {6000, 100000, 1, 5}, TALLY_BY_CONTEXT, 3},
        {__LINE__, {6000, 3000, 4, 5}, TALLY_BY_CONTEXT, 8},
    };
    const struct tally_metric_set *set;
    struct tally_metric_file *file = summary_set(&set);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct random rng = {60 + i};
        struct tally_environment environment;
        struct tally_program *program = summary_program(set, &environment);
        struct stretch *stretch = stretch_new(&rng, &rows[i].plan);
        struct telling whole = tell_stretch(&rng, program, stretch, rows[i].by, 0);
        for (unsigned round = 0; round < 4; round++) {
            struct telling parts =
                tell_in_parts(&rng, set, stretch, rows[i].by, rows[i].parts, round % 2);
            ROW(rows[i].line, same_telling(&whole, &parts, program),
                "%zu parts joined %s differ from one pass", rows[i].parts,
                round % 2 ? "backwards" : "forwards");
            telling_fini(&parts);
        }
        check_telling(rows[i].line, &whole, program, &environment, stretch, rows[i].by, 0);
        telling_fini(&whole);
        tally_program_free(program);
        free(stretch);
    }
    tally_metric_file_free(file);
    ROWS_DONE();
}

/*
 * tally/summary.h: "the order of merging does not matter, to the bit". Zeros of both signs: which
 * one is the minimum must not depend on the order.
 */
static void test_merging_zeros_of_both_signs(void **state)
{
    (void)state;
    const struct tally_counter counter = {.symbol = "X",
                                          .equation = "A 1 READ 1 AND 1.0 FMUL 0.5 FSUB 0.0 FMUL",
                                          .max_equation = "",
                                          .availability = "",
                                          .type = TALLY_DOUBLE};
    const struct tally_metric_set set = {
        .symbol = "One", .file = "one", .counters = &counter, .counter_count = 1};
    const struct stretch_plan plan = {200, 1, 1, 0};
    struct random rng = {71};
    struct tally_environment environment;
    struct tally_program *program = summary_program(&set, &environment);
    struct stretch *stretch = stretch_new(&rng, &plan);
    struct telling whole = tell_stretch(&rng, program, stretch, TALLY_BY_NOTHING, 0);
    for (unsigned round = 0; round < 40; round++) {
        struct telling parts =
            tell_in_parts(&rng, &set, stretch, TALLY_BY_NOTHING, 2 + round % 3, round % 2);
        const struct tally_statistic *a = &whole.groups[0].statistics[0];
        const struct tally_statistic *b = &parts.groups[0].statistics[0];
        ROW(__LINE__, same_telling(&whole, &parts, program),
            "minimum %g or %g, maximum %g or %g, by the order", a->minimum.f, b->minimum.f,
            a->maximum.f, b->maximum.f);
        telling_fini(&parts);
    }
    telling_fini(&whole);
    tally_program_free(program);
    free(stretch);
    ROWS_DONE();
}

/* A summary that was merged into another may be freed, and the other continues. */
static void test_adding_after_a_merge(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file = summary_set(&set);
    const struct stretch_plan plan = {900, 30, 5, 10};
    struct random rng = {72};
    struct tally_environment environment;
    struct tally_program *one = summary_program(set, &environment);
    struct tally_program *two = summary_program(set, &environment);
    struct stretch *stretch = stretch_new(&rng, &plan);
    struct telling whole = tell_stretch(&rng, one, stretch, TALLY_BY_CONTEXT, 0);
    struct telling telling = {.counters = set->counter_count};
    struct tally_summary *into = tally_summary_new(one, TALLY_BY_CONTEXT, 0, take_group, &telling);
    struct tally_summary *from = tally_summary_new(two, TALLY_BY_CONTEXT, 0, take_group, &telling);
    assert_true(into && from);
    assert_int_equal(tally_summary_add_percentiles(into), 0);
    assert_int_equal(tally_summary_add_percentiles(from), 0);
    add_stretch(&rng, one, into, stretch, 0, 300);
    add_stretch(&rng, two, from, stretch, 300, 600);
    assert_int_equal(tally_summary_merge(into, from), 0);
    tally_summary_free(from);
    add_stretch(&rng, one, into, stretch, 600, 900);
    tally_summary_finish(into);
    assert_true(same_telling(&whole, &telling, one));
    tally_summary_free(into);
    tally_program_free(one);
    tally_program_free(two);
    telling_fini(&whole);
    telling_fini(&telling);
    tally_metric_file_free(file);
    free(stretch);
}

/* ---- the order of groups ------------------------------------------------------------------- */

static void test_order_of_groups(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file = summary_set(&set);
    struct random rng = {73};
    struct tally_environment environment;
    struct tally_program *program = summary_program(set, &environment);
    const struct stretch_plan plan = {6000, 5000, 1, 5};
    struct stretch *stretch = stretch_new(&rng, &plan);
    for (enum tally_group_by by = TALLY_BY_CONTEXT; by <= TALLY_BY_INTERVAL; by++) {
        struct telling telling = tell_stretch(&rng, program, stretch, by, 3000);
        uint64_t deltas = 0, lost = 0;
        for (size_t g = 0; g + 1 < telling.count; g++) {
            assert_int_equal(telling.groups[g].group.by, by);
            if (g)
                assert_true(telling.groups[g].group.key > telling.groups[g - 1].group.key);
            deltas += telling.groups[g].group.deltas;
            lost += telling.groups[g].group.lost;
        }
        /* The total is last, and holds what the groups hold: the books are kept. */
        const struct tally_group *total = &telling.groups[telling.count - 1].group;
        assert_int_equal(total->by, TALLY_BY_NOTHING);
        assert_int_equal(total->key, 0);
        assert_int_equal(total->deltas, deltas);
        assert_int_equal(total->lost, lost);
        assert_int_equal(deltas + lost, 6000);
        if (by == TALLY_BY_CONTEXT) {
            assert_int_equal(telling.count, 1024 + 2);
            assert_true(telling.groups[1024].group.key == TALLY_KEY_OTHERS);
        }
        telling_fini(&telling);
    }
    tally_program_free(program);
    tally_metric_file_free(file);
    free(stretch);
}

/* Which contexts stay apart does not depend on their order: rising, falling, or mixed. */
static void test_the_lowest_contexts_stay_apart(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file = summary_set(&set);
    struct random rng = {74};
    struct tally_environment environment;
    struct tally_program *program = summary_program(set, &environment);
    const struct stretch_plan plan = {DELTAS_MAX, 1, 1, 5};
    struct stretch *stretch = stretch_new(&rng, &plan);
    for (unsigned order = 0; order < 4; order++) {
        for (uint32_t i = 0; i <= DELTAS_MAX; i++) {
            uint32_t at[] = {i % 3000, 3000 - i % 3000, i * 2654435761u % 3000,
                             i % 2 ? i % 3000 : 3000 - i % 3000};
            stretch->contexts[i] = at[order] * (order % 2 ? 5 : 1);
        }
        struct telling telling = tell_stretch(&rng, program, stretch, TALLY_BY_CONTEXT, 0);
        check_telling(__LINE__, &telling, program, &environment, stretch, TALLY_BY_CONTEXT, 0);
        telling_fini(&telling);
    }
    tally_program_free(program);
    tally_metric_file_free(file);
    free(stretch);
    ROWS_DONE();
}

/* ---- memory -------------------------------------------------------------------------------- */

static void count_group(void *closure, const struct tally_group *group,
                        const struct tally_statistic *statistics)
{
    (void)group, (void)statistics;
    (*(size_t *)closure)++;
}

/* Pages of memory in use. */
static size_t pages(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident;
}

/* A hundred thousand intervals, or contexts: as much memory as for a few. */
static void test_memory_stays(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum tally_group_by by;
    } rows[] = {
        // clang-format off
        {__LINE__, TALLY_BY_INTERVAL},
        {__LINE__, TALLY_BY_CONTEXT},
        // clang-format on
    };
    const struct tally_metric_set *set;
    struct tally_metric_file *file = summary_set(&set);
    struct random rng = {75};
    struct tally_environment environment;
    struct tally_program *program = summary_program(set, &environment);
    const struct stretch_plan plan = {2048, 1, 1, 0};
    struct stretch *stretch = stretch_new(&rng, &plan);
    if (!pages()) {
        print_message("skipped: /proc/self/statm is not here\n");
        skip();
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t groups = 0, before = 0;
        uint64_t ticks = 0;
        uint32_t context = 0;
        struct tally_summary *summary =
            tally_summary_new(program, rows[i].by, 1, count_group, &groups);
        assert_non_null(summary);
        assert_int_equal(tally_summary_add_percentiles(summary), 0);
        for (unsigned round = 0; round < 50; round++) {
            for (size_t r = 0; r <= plan.deltas; r++) {
                stretch->gpu_ticks[r] = ticks += 2;
                stretch->contexts[r] = context++;
            }
            add_stretch(&rng, program, summary, stretch, 0, plan.deltas);
            if (round == 4)
                before = pages();
        }
        /* 92,000 groups of 13 counters would be 100 MB and more. */
        ROW(rows[i].line, pages() < before + 2048, "%zu pages, then %zu", before, pages());
        tally_summary_finish(summary);
        ROW(rows[i].line, groups == (rows[i].by == TALLY_BY_INTERVAL ? 50 * 2048 + 1 : 1024 + 2),
            "%zu groups", groups);
        tally_summary_free(summary);
    }
    tally_program_free(program);
    tally_metric_file_free(file);
    free(stretch);
    ROWS_DONE();
}

int test_groups(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merging_in_any_order),
        cmocka_unit_test(test_merging_zeros_of_both_signs),
        cmocka_unit_test(test_adding_after_a_merge),
        cmocka_unit_test(test_order_of_groups),
        cmocka_unit_test(test_the_lowest_contexts_stay_apart),
        cmocka_unit_test(test_memory_stays),
    };
    return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
