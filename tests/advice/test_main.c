/* SPDX-License-Identifier: MIT */
/* Rules of advice: conditions, mistakes, and verdicts. */
#include "testing.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "advice/rules.h"
#include "base/yaml.h"

static void test_conditions(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text, *expected; /* NULL: valid */
        size_t count;
    } rows[] = {
        {__LINE__, "A >= 1", NULL, 1},
        {__LINE__, "A<1.5,B>=2", NULL, 2},
        {__LINE__, " A | B / C|D >= 1e3 , E < 0", NULL, 2},
        {__LINE__, "A>=1,A>=1,A>=1,A>=1,A>=1,A>=1,A>=1,A>=1", NULL, 8},
        {__LINE__, "A>=1,A>=1,A>=1,A>=1,A>=1,A>=1,A>=1,A>=1,A>=1", "at most 8 conditions", 0},
        {__LINE__, "", "a counter", 0},
        {__LINE__, "A >= 1,", "a counter", 0},
        {__LINE__, "1 >= A", "a counter", 0},
        {__LINE__, "A||B >= 1", "a counter", 0},
        {__LINE__, "A|B|C|D|E >= 1", "a counter", 0},
        {__LINE__, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA >= 1", "a counter", 0},
        {__LINE__, "A / >= 1", "a counter after /", 0},
        {__LINE__, "A > 1", ">= or <", 0},
        {__LINE__, "A <= 1", ">= or <", 0},
        {__LINE__, "A 1", ">= or <", 0},
        {__LINE__, "A >= -1", "a number", 0},
        {__LINE__, "A >= 1e999", "a number", 0},
        {__LINE__, "A >= x", "a number", 0},
        {__LINE__, "A >= 1 B < 2", "a comma between conditions", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct parsed_rule rule = {0};
        const char *expected = conditions_parse(rows[i].text, &rule);
        ROW(rows[i].line,
            expected && rows[i].expected ? !strcmp(expected, rows[i].expected)
                                         : expected == rows[i].expected,
            "\"%s\": %s", rows[i].text, expected ? expected : "valid");
        ROW(rows[i].line, expected || rule.condition_count == rows[i].count, "%zu conditions",
            rule.condition_count);
    }
    ROWS_DONE();
}

#define COUNTER(text)                                                                              \
    {                                                                                              \
        .symbol = text, .equation = "A 7 READ", .units = "percent", .max_equation = "",            \
        .availability = "", .type = TALLY_DOUBLE                                                   \
    }

/* The verdict for a set with the counters A, B and C, whose values are given. */
static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *first, *second; /* the conditions of two rules */
        double a, b, c;
        const char *rule, *numbers, *unchecked; /* "": none */
    } rows[] = {
        {__LINE__, "A >= 50", "B >= 50", 50, 60, 0, "one", "A 50.0 % >= 50 %", ""},
        {__LINE__, "A >= 50", "B >= 50", 49.9, 60, 0, "two", "B 60.0 % >= 50 %", ""},
        {__LINE__, "A < 50", "B >= 50", 50, 0, 0, "", "", ""},
        {__LINE__, "A >= 50, B < 10", "A >= 50", 70, 10, 0, "two", "A 70.0 % >= 50 %", ""},
        {__LINE__, "A >= 50, B < 10", "C < 1", 70, 9, 0, "one", "A 70.0 % >= 50 %, B 9.0 % < 10 %",
         ""},
        {__LINE__, "A / B >= 2", "C >= 5", 6, 3, 9, "one", "A / B 2.00 >= 2", ""},
        {__LINE__, "A / B >= 2", "C >= 5", 6, 0, 9, "two", "C 9.0 % >= 5 %", "one (B is 0)"},
        {__LINE__, "X >= 2", "C >= 5", 6, 0, 9, "two", "C 9.0 % >= 5 %", "one (no X)"},
        {__LINE__, "X|Y >= 2", "Z / X >= 5", 6, 0, 9, "", "", "one (no X or Y); two (no Z, no X)"},
        {__LINE__, "X|B >= 2", "C >= 5", 6, 4, 9, "one", "B 4.0 % >= 2 %", ""},
        /* What a rule lacks does not matter if it cannot hold anyway. */
        {__LINE__, "X >= 2, A >= 50", "C >= 5", 6, 0, 9, "two", "C 9.0 % >= 5 %", ""},
        {__LINE__, "A >= 50, X >= 2", "C >= 5", 6, 0, 9, "two", "C 9.0 % >= 5 %", ""},
        {__LINE__, "A >= 2", "B >= 2", (double)NAN, 3, 0, "two", "B 3.0 % >= 2 %",
         "one (A has no value)"},
    };
    static const struct tally_counter counters[] = {COUNTER("A"), COUNTER("B"), COUNTER("C")};
    static const struct tally_metric_set set = {
        .symbol = "Set", .file = "set", .counters = counters, .counter_count = COUNT(counters)};
    struct tally_environment environment;
    struct tally_program *program;
    struct advice_verdict verdict = {0};
    tally_environment_default(tally_platform_find("skl"), &environment);
    assert_int_equal(
        tally_program_new(&set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        struct advice_rules *rules = NULL;
        struct tally_error error = {0};
        const struct tally_group group = {.deltas = 1, .ticks = 1};
        const struct tally_statistic statistics[] = {
            {.type = TALLY_DOUBLE, .overall.f = rows[i].a},
            {.type = TALLY_DOUBLE, .overall.f = rows[i].b},
            {.type = TALLY_DOUBLE, .overall.f = rows[i].c}};
        snprintf(text, sizeof text,
                 "platforms: skl\nrules:\n"
                 "  - {name: one, limit: x, says: x, source: x, when: \"%s\"}\n"
                 "  - {name: two, limit: x, says: x, source: x, when: \"%s\"}\n",
                 rows[i].first, rows[i].second);
        const struct yaml_source source = yaml_in(text, strlen(text), "rules.yaml");
        if (!ROW(rows[i].line, advice_read(&source, &rules, NULL, NULL, &error) == 0, "%s",
                 error.message))
            continue;
        assert_int_equal(advice_judge(rules, program, &group, statistics, &verdict), 0);
        buffer_char(&verdict.numbers, '\0');
        buffer_char(&verdict.unchecked, '\0');
        const char *name = verdict.rule ? verdict.rule->name : "";
        ROW(rows[i].line, !strcmp(name, rows[i].rule), "rule \"%s\"", name);
        ROW(rows[i].line, !strcmp(verdict.numbers.bytes, rows[i].numbers), "numbers \"%s\"",
            verdict.numbers.bytes);
        ROW(rows[i].line, !strcmp(verdict.unchecked.bytes, rows[i].unchecked), "not checked \"%s\"",
            verdict.unchecked.bytes);
        /* A group without deltas has no verdict. */
        const struct tally_group empty = {0};
        assert_int_equal(advice_judge(rules, program, &empty, statistics, &verdict), 0);
        ROW(rows[i].line, !verdict.rule && !verdict.numbers.size, "a verdict about nothing");
        advice_rules_free(rules);
    }
    advice_verdict_fini(&verdict);
    tally_program_free(program);
    ROWS_DONE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}
