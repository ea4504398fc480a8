/* SPDX-License-Identifier: MIT */
/* Files of the cost model's numbers: mistakes with their lines, limits of numbers and of texts. */
#include "intel/tests.h"

#include "intel/cost/table.h"

#include "mistakes.h"

#define HEAD        "name: c\ndescription: d\nnumbers:\n" /* three lines */
#define ROW1        "  - {number: coverage, value: 50, source: s}\n"
#define ENTRY(text) HEAD "  - {" text "}\n"

static int read_costs(const char *text, findings_visit *found, void *closure,
                      struct tally_cost *out, struct tally_error *error)
{
    return cost_table_read(yaml_in(text, strlen(text), "c"),
                           cost_table_default(intel_modelled("skl")), out, found, closure, error);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        // clang-format off
        {__LINE__, "", 0, "c:1: empty, expected costs"},
        {__LINE__, "- 1\n", 1, "costs: expected a mapping"},
        {__LINE__, "description: d\nnumbers:\n" ROW1, 1, "name is missing"},
        {__LINE__, "name: ''\nnumbers:\n" ROW1, 1, "name is missing"},
        {__LINE__, "name: c\ndescription: d\n", 1, "numbers are missing"},
        {__LINE__, "name: c\nnumbers: []\n", 2, "numbers are missing"},
        {__LINE__, "name: c\ncolour: red\n", 2, "unknown key \"colour\", expected name, description, numbers"},
        {__LINE__, ENTRY("value: 1, source: s"), 4, "number is missing"},
        {__LINE__, ENTRY("number: coverag, value: 1, source: s"), 4, "unknown number \"coverag\", expected coverage"},
        {__LINE__, HEAD ROW1 ROW1, 5, "coverage is given twice"},
        {__LINE__, HEAD ROW1 "  - {number: vs-active, source: s}\n", 5, "value of vs-active is missing"},
        {__LINE__, ENTRY("number: coverage, value: 1.5, source: s"), 4, "coverage \"1.5\": expected 0 to 10000 percent"},
        {__LINE__, ENTRY("number: coverage, value: 4294967296, source: s"), 4, "expected 0 to 10000 percent"},
        {__LINE__, ENTRY("number: coverage, value: 1"), 4, "source of coverage is missing, expected a document, or assumed"},
        {__LINE__, ENTRY("number: coverage, value: 1, source: ''"), 4, "source of coverage is missing"},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        const struct mistake *row = &mistakes[i];
        struct hearing hearing = {.row = row};
        struct tally_error error = {0};
        struct tally_cost cost;
        check_linted(&hearing, read_costs(row->text, hear, &hearing, &cost, &error), &error);
        error = (struct tally_error){0};
        check_loaded(row, read_costs(row->text, NULL, NULL, &cost, &error), "c", &error);
    }
    ROWS_DONE();
}

/* Each number takes its smallest and largest value and no other beyond; the rest is the platform's.
 */
static void test_numbers(void **state)
{
    (void)state;
    const struct tally_cost *base = cost_table_default(intel_modelled("skl"));
    for (unsigned n = 0; n < COST_NUMBERS; n++)
        for (unsigned i = 0; i < 4; i++) {
            const struct cost_number_info *info = &cost_numbers[n];
            int64_t value = i < 2 ? (int64_t)info->min - i : (int64_t)info->max + i - 2;
            struct tally_error error = {0};
            struct tally_cost cost;
            char text[200];
            snprintf(text, sizeof text, HEAD "  - {number: %s, value: %" PRId64 ", source: s}\n",
                     info->name, value);
            int result = read_costs(text, NULL, NULL, &cost, &error);
            ROW(__LINE__, (result == 0) == (i % 2 == 0), "%s: %" PRId64 ": %s", info->name, value,
                error.message);
            for (unsigned k = 0; k < COST_NUMBERS && result == 0; k++)
                ROW(__LINE__, cost.numbers[k] == (k == n ? value : base->numbers[k]), "%s, %s: %u",
                    info->name, cost_numbers[k].name, cost.numbers[k]);
        }
    ROWS_DONE();
}

/* A text may have as many characters as stated, and no more. */
static void test_long_texts(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *before, *after, *key;
        unsigned max;
    } rows[] = {
        {__LINE__, "description: d\nname: ", "\nnumbers: []\n", "name", 40},
        {__LINE__, "name: c\ndescription: ", "\nnumbers: []\n", "description", 200},
        {__LINE__, HEAD "  - {number: ", "}\n", "number", 40},
        {__LINE__, HEAD "  - {value: ", "}\n", "value", 40},
        {__LINE__, HEAD "  - {source: ", "}\n", "source", 200},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned more = 0; more < 2; more++) {
            char text[400], word[256] = "", expected[80];
            struct tally_error error = {0};
            struct tally_cost cost;
            memset(word, '7', rows[i].max + more);
            snprintf(text, sizeof text, "%s%s%s", rows[i].before, word, rows[i].after);
            snprintf(expected, sizeof expected, "%u characters, expected at most %u",
                     rows[i].max + more, rows[i].max);
            read_costs(text, NULL, NULL, &cost, &error);
            ROW(rows[i].line, mentions(error.message, expected) == more, "%s: %s", rows[i].key,
                error.message);
        }
    ROWS_DONE();
}

/* Lists have a maximum length. */
static void test_long_lists(void **state)
{
    (void)state;
    static char text[1 << 17];
    for (unsigned count = 1000; count <= 1001; count++) {
        struct tally_error error = {0};
        struct tally_cost cost;
        char *at = text + sprintf(text, HEAD);
        for (unsigned i = 0; i < count; i++)
            at += sprintf(at, ROW1);
        assert_int_equal(read_costs(text, NULL, NULL, &cost, &error), -EBADMSG);
        assert_int_equal(mentions(error.message, "1001 entries, expected at most 1000"),
                         count == 1001);
    }
}

int test_cost_files(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_long_lists),
    };
    return cmocka_run_group_tests_name("cost files", tests, NULL, NULL);
}
