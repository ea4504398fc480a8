/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <math.h>
#include <string.h>

#include "compare/compare.h"

static void test_thresholds(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        bool valid;
        const char *counter; /* NULL: all */
        int direction;
        double share;
    } rows[] = {
        {__LINE__, "5%", true, NULL, 0, 0.05},
        {__LINE__, "+5%", true, NULL, 1, 0.05},
        {__LINE__, "-0.5%", true, NULL, -1, 0.005},
        {__LINE__, "EuActive=5%", true, "EuActive", 0, 0.05},
        {__LINE__, "Eu*=+10%", true, "Eu*", 1, 0.1},
        {__LINE__, "0%", true, NULL, 0, 0},
        {__LINE__, "", false, NULL, 0, 0},
        {__LINE__, "5", false, NULL, 0, 0},
        {__LINE__, "=5%", false, NULL, 0, 0},
        {__LINE__, "5 %", false, NULL, 0, 0},
        {__LINE__, "five%", false, NULL, 0, 0},
        {__LINE__, "EuActive=", false, NULL, 0, 0},
        {__LINE__, "+-5%", false, NULL, 0, 0},
        {__LINE__, "1e999%", false, NULL, 0, 0},
        {__LINE__, "5%%", false, NULL, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[32];
        struct compare_threshold threshold;
        strcpy(text, rows[i].text);
        const char *expected = threshold_parse(text, &threshold);
        ROW(rows[i].line, (expected == NULL) == rows[i].valid, "%s", expected ? expected : "valid");
        if (expected || !rows[i].valid)
            continue;
        ROW(rows[i].line,
            fabs(threshold.share - rows[i].share) < 1e-12 &&
                threshold.direction == rows[i].direction &&
                (rows[i].counter ? threshold.counter && !strcmp(threshold.counter, rows[i].counter)
                                 : !threshold.counter),
            "%g, %d, %s", threshold.share, threshold.direction,
            threshold.counter ? threshold.counter : "all");
    }
    ROWS_DONE();
}

/* Which limit a change passes. */
static void test_passing(void **state)
{
    (void)state;
    static const struct compare_threshold all = {NULL, 0, 0.05}, up = {NULL, 1, 0.05},
                                          down = {NULL, -1, 0.05}, own = {"euactive", 0, 0.2},
                                          other = {"GpuBusy", 0, 0.01};
    static const struct {
        unsigned line;
        const struct compare_threshold *first, *second;
        double change;
        bool significant, passed;
    } rows[] = {
        {__LINE__, &all, NULL, 0.06, true, true},     {__LINE__, &all, NULL, -0.06, true, true},
        {__LINE__, &all, NULL, 0.05, true, true},     {__LINE__, &all, NULL, 0.04, true, false},
        {__LINE__, &all, NULL, 0.5, false, false},    {__LINE__, &up, NULL, 0.06, true, true},
        {__LINE__, &up, NULL, -0.06, true, false},    {__LINE__, &down, NULL, -0.06, true, true},
        {__LINE__, &down, NULL, 0.06, true, false},   {__LINE__, &all, &own, 0.1, true, false},
        {__LINE__, &own, &all, 0.1, true, false},     {__LINE__, &all, &own, 0.25, true, true},
        {__LINE__, &other, NULL, 0.25, true, false},  {__LINE__, &all, &other, 0.06, true, true},
        {__LINE__, &all, NULL, INFINITY, true, true},
    };
    struct compare_counter counter = {.symbol = "EuActive", .units = "percent"};
    const struct comparison comparison = {.counters = &counter, .counter_count = 1};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct compare_change change = {.significant = rows[i].significant};
        change.result.change = rows[i].change;
        struct compare_threshold thresholds[] = {*rows[i].first,
                                                 rows[i].second ? *rows[i].second : all};
        bool passed =
            threshold_passed(&comparison, &change, thresholds, rows[i].second ? 2 : 1) != NULL;
        ROW(rows[i].line, passed == rows[i].passed, "%d", passed);
    }
    ROWS_DONE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_inflated),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_false_findings),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_passing),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_public_comparison),
        cmocka_unit_test(test_public_changes),
        cmocka_unit_test(test_public_checks),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
