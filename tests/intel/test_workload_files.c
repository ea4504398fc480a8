/* SPDX-License-Identifier: MIT */
/* Workload files with mistakes: each is reported with its line. */
#include "intel/tests.h"

#include <errno.h>

#include <tally/workload.h>

#include "mistakes.h"

#define HEAD       "name: w\ndescription: d\nphases:\n"                   /* three lines */
#define PHASE      HEAD "  - duration: 1 ms\n    context: 1\n    does:\n" /* six */
#define DOES(text) PHASE "      - {" text "}\n"
#define TEN(text)  text text text text text text text text text text

static const struct mistake mistakes[] = {
    // clang-format off
    /* not YAML */
    {__LINE__, "", 0, "w:1: empty, expected a workload"},
    {__LINE__, "# nothing\n", 0, "w:1: empty"},
    {__LINE__, "name: \"w\nphases\n", 0, "w:3: "},
    {__LINE__, "a: [1, 2\n", 0, "w:2: "},
    {__LINE__, "\ta: 1\n", 0, "w:1: "},
    {__LINE__, "name: w\n---\nname: v\n", 0, "w:2: a second document"},
    {__LINE__, "name: *w\n", 0, "undefined alias"},
    {__LINE__, "name: &w [*w]\n", 0, "w:1: aliases expand to more than"},
    {__LINE__, "a: &a [" TEN("0,") "]\nb: &b [" TEN("*a,") "]\nc: &c [" TEN("*b,") "]\nd: &d [" TEN("*c,") "]\n"
               "e: &e [" TEN("*d,") "]\nf: &f [" TEN("*e,") "]\n", 0, "w:6: aliases expand to more than 1048576 bytes"},
    /* structure */
    {__LINE__, "just words\n", 1, "a workload: expected a mapping"},
    {__LINE__, "- 1\n- 2\n", 1, "a workload: expected a mapping"},
    {__LINE__, "name: [w]\n", 1, "name: expected one value"},
    {__LINE__, "description: d\nname: w\nname: v\n", 3, "\"name\" is given twice"},
    {__LINE__, "name: w\ncolour: red\n", 2, "unknown key \"colour\", expected name, description, seed, phases"},
    {__LINE__, "name: w\n[1]: red\n", 2, "a list or mapping"},
    {__LINE__, "name: w\nphases: 3\n", 2, "phases: expected a list"},
    {__LINE__, HEAD "  - 3\n", 4, "phases: expected a mapping"},
    {__LINE__, HEAD "  - duration: 1 ms\n    context: 1\n    does: {unit: gpu.busy}\n", 6, "does: expected a list"},
    {__LINE__, DOES("unit: gpu.busy, bursts: 3"), 7, "bursts: expected a mapping"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 3, size: 3}"), 7, "unknown key \"size\", expected frame, length"},
    {__LINE__, DOES("unit: gpu.busy, sahre: 0.5"), 7, "unknown key \"sahre\""},
    {__LINE__, "description: \"a\\nb\"\n", 1, "more than one line"},
    {__LINE__, "name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 1, "53 characters, expected at most 40"},
    /* missing keys */
    {__LINE__, "description: d\nphases: [{duration: 1 ms, context: 1}]\n", 1, "name is missing"},
    {__LINE__, "name: w\nphases: [{duration: 1 ms, context: 1}]\n", 1, "description is missing"},
    {__LINE__, "name: w\ndescription: d\n", 1, "phases are missing"},
    {__LINE__, "name: w\ndescription: d\nphases: []\n", 3, "phases are missing"},
    {__LINE__, HEAD "  - context: 1\n", 4, "duration is missing"},
    {__LINE__, HEAD "  - duration: 1 ms\n", 4, "context is missing"},
    {__LINE__, DOES("share: 0.5"), 7, "unit is missing"},
    {__LINE__, DOES("unit: gpu.busy"), 7, "gpu.busy: no value, expected one of share, random, bursts, constant"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 10}"), 7, "length is missing"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {length: 10}"), 7, "frame is missing"},
    /* values */
    {__LINE__, "name: W x\ndescription: d\n", 1, "name \"W x\": expected lower-case"},
    {__LINE__, "seed: -1\n", 1, "seed \"-1\": expected a whole number"},
    {__LINE__, "seed: 18446744073709551616\n", 1, "expected a smaller number"},
    {__LINE__, HEAD "  - duration: 0 ms\n    context: 1\n", 4, "duration \"0 ms\": expected more than zero"},
    {__LINE__, HEAD "  - context: 1\n    duration: 0.1 ns\n", 5, "more than zero"},
    {__LINE__, HEAD "  - duration: 3601 s\n    context: 1\n", 4, "at most an hour"},
    {__LINE__, HEAD "  - duration: 18446744073 s\n    context: 1\n", 4, "at most an hour"},
    {__LINE__, HEAD "  - duration: 99999999999999999999 s\n    context: 1\n", 4, "a time such as"},
    {__LINE__, HEAD "  - duration: -1 ms\n    context: 1\n", 4, "a time such as"},
    {__LINE__, HEAD "  - duration: 5\n    context: 1\n", 4, "a time such as"},
    {__LINE__, HEAD "  - duration: 5 minutes\n    context: 1\n", 4, "a time such as"},
    {__LINE__, HEAD "  - duration: 5 ms\n    clock: 900\n    context: 1\n", 5, "clock \"900\": expected a clock such as 950 MHz"},
    {__LINE__, HEAD "  - duration: 5 ms\n    clock: 0 MHz\n    context: 1\n", 5, "1 MHz to 4 GHz"},
    {__LINE__, HEAD "  - duration: 5 ms\n    clock: 4.000000001 GHz\n    context: 1\n", 5, "1 MHz to 4 GHz"},
    {__LINE__, HEAD "  - duration: 5 ms\n    context: nobody\n", 5, "context \"nobody\": expected idle, or a number"},
    {__LINE__, HEAD "  - duration: 5 ms\n    context: 0x100000000\n", 5, "a number of 32 bits"},
    {__LINE__, DOES("unit: gpu.bussy, share: 1"), 7, "unknown unit \"gpu.bussy\""},
    {__LINE__, DOES("unit: noa.16, share: 1"), 7, "unknown unit \"noa.16\""},
    {__LINE__, DOES("unit: gpu.busy, share: 1.000000001"), 7, "share \"1.000000001\": expected 0 to 1"},
    {__LINE__, DOES("unit: gpu.busy, share: -0.5"), 7, "share \"-0.5\": expected 0 to 1"},
    {__LINE__, DOES("unit: gpu.busy, share: 3zz"), 7, "expected a decimal number"},
    {__LINE__, DOES("unit: gpu.busy, share: .5"), 7, "expected a decimal number"},
    {__LINE__, DOES("unit: gpu.busy, share: 0."), 7, "expected a decimal number"},
    {__LINE__, DOES("unit: gpu.busy, share: 0.0000000001"), 7, "expected a decimal number"},
    {__LINE__, DOES("unit: gpu.busy, share: ''"), 7, "expected a decimal number"},
    {__LINE__, DOES("unit: gpu.busy, share: 50%"), 7, "expected a decimal number"},
    {__LINE__, DOES("unit: gpu.busy, random: 2"), 7, "random \"2\": expected 0 to 1"},
    {__LINE__, DOES("unit: gpu.busy, constant: 2"), 7, "constant \"2\": expected 0 or 1"},
    {__LINE__, DOES("unit: gpu.busy, constant: 0.5"), 7, "expected 0 or 1"},
    {__LINE__, DOES("unit: ps.threads, constant: 0.5"), 7, "expected a whole number"},
    {__LINE__, DOES("unit: eu.occupancy, constant: 8"), 7, "expected 0 to 7 threads"},
    {__LINE__, DOES("unit: ps.threads, rate: 5"), 7, "rate \"5\": expected a rate such as"},
    {__LINE__, DOES("unit: ps.threads, rate: -5/ms"), 7, "expected a rate such as"},
    {__LINE__, DOES("unit: ps.threads, rate: 1001/clock"), 7, "at most 1000/clock"},
    {__LINE__, DOES("unit: ps.threads, rate: 1/hour"), 7, "expected a rate such as"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 0, length: 0}"), 7, "frame \"0\": expected 1 clock or more"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 10, length: 0}"), 7, "length \"0\": expected 1 clock or more"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 10, length: 11}"), 7, "expected at most the frame"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 1099511627777, length: 11}"), 7, "a smaller number"},
    {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 0x, length: 11}"), 7, "a whole number"},
    {__LINE__, DOES("unit: ps.threads, random: 0.5, times: 1000001"), 7, "times \"1000001\": expected a smaller"},
    /* contradictions */
    {__LINE__, DOES("unit: gpu.busy, share: 0.5, random: 0.5"), 7, "gpu.busy: more than one value, expected one of"},
    {__LINE__, DOES("unit: gpu.busy, rate: 5/ms"), 7, "gpu.busy: rate, expected one of share"},
    {__LINE__, DOES("unit: ps.threads, share: 0.5"), 7, "ps.threads: share, expected one of rate, random, bursts, constant"},
    {__LINE__, DOES("unit: ps.active, constant: 1"), 7, "expected one of share, random, bursts"},
    {__LINE__, DOES("unit: eu.fpu0, random: 0.5"), 7, "expected one of share"},
    {__LINE__, DOES("unit: gpu.busy, random: 0.5, times: 2"), 7, "times: only allowed"},
    {__LINE__, DOES("unit: ps.threads, rate: 5/ms, times: 2"), 7, "times: only allowed"},
    {__LINE__, DOES("unit: gpu.busy, share: 0.5}\n      - {unit: gpu.busy, share: 0.5"), 8, "gpu.busy is given twice"},
    {__LINE__, HEAD "  - duration: 1 ms\n    context: idle\n    does: [{unit: gpu.busy, share: 1}]\n", 6, "an idle phase must not have activities"},
    {__LINE__, DOES("unit: ps.active, share: 0.6}\n      - {unit: ps.stalled, share: 0.5"), 7, "the sum of ps.active and stalled is more than 1"},
    {__LINE__, DOES("unit: ps.active, share: 0.6}\n      - {unit: vs.active, share: 0.5"), 7, "the sum of the stages' active and stalled is more than 1"},
    {__LINE__, DOES("unit: eu.active, share: 0.6}\n      - {unit: eu.stalled, share: 0.5"), 7, "the sum of eu.active and eu.stalled is more than 1"},
    {__LINE__, DOES("unit: eu.active, share: 0.4}\n      - {unit: ps.active, share: 0.5"), 7, "the sum of the stages is more than eu.active"},
    {__LINE__, DOES("unit: eu.stalled, share: 0.4}\n      - {unit: ps.stalled, share: 0.5"), 7, "the sum of the stages is more than eu.stalled"},
    {__LINE__, DOES("unit: eu.mov, share: 0.6}\n      - {unit: eu.binary, share: 0.5"), 7, "the sum of the kinds of instructions is more than 1"},
    {__LINE__, DOES("unit: eu.fpu0, share: 0.6}\n      - {unit: eu.send, share: 0.5"), 7, "one of eu.fpu0, eu.fpu1 and eu.send must be 1"},
    // clang-format on
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        const struct mistake *row = &mistakes[i];
        struct hearing hearing = {.row = row};
        struct tally_error error = {0};
        struct tally_workload *workload;
        size_t size = strlen(row->text);
        check_linted(&hearing,
                     tally_workload_lint_memory(row->text, size, "w", hear, &hearing, &error),
                     &error);
        error = (struct tally_error){0};
        check_loaded(row, tally_workload_load_memory(row->text, size, "w", &workload, &error), "w",
                     &error);
    }
    ROWS_DONE();
}

static void count(void *closure, unsigned line, const char *message)
{
    unsigned *lines = closure;
    (void)message;
    if (line < 32)
        lines[line]++;
}

/* Several mistakes are reported in the order of their lines. */
static void test_every_mistake_is_reported(void **state)
{
    (void)state;
    static const char text[] = "name: Two Words\n"                                    /* 1 */
                               "description: d\n"                                     /* 2 */
                               "color: red\n"                                         /* 3 */
                               "phases:\n"                                            /* 4 */
                               "  - duration: 0 ms\n"                                 /* 5 */
                               "    context: 1\n"                                     /* 6 */
                               "    does:\n"                                          /* 7 */
                               "      - {unit: gpu.busy, share: 1.5}\n"               /* 8 */
                               "      - {unit: ps.threads, rate: -1/ms}\n"            /* 9 */
                               "      - {unit: what, share: 1}\n"                     /* 10 */
                               "      - {unit: vs.active, share: 0.5, speed: fast}\n" /* 11 */
                               "  - clock: 1 Hz\n";                                   /* 12 */
    static const unsigned expected[32] = {
        [1] = 1, [3] = 1, [5] = 1, [8] = 1, [9] = 1, [10] = 1, [11] = 1, [12] = 3};
    unsigned lines[32] = {0};
    struct tally_error error = {0};
    assert_int_equal(tally_workload_lint_memory(text, sizeof text - 1, "w", count, lines, &error),
                     10);
    for (unsigned line = 0; line < 32; line++)
        ROW(__LINE__, lines[line] == expected[line], "line %u: %u, expected %u", line, lines[line],
            expected[line]);
    ROWS_DONE();
}

/* Valid files: shorthands of YAML, limits. */
static void test_good_files(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        uint64_t ns;
    } rows[] = {
        {__LINE__, HEAD "  - {duration: 1ns, context: 0}\n", 1},
        {__LINE__, HEAD "  - {duration: 1.5 s, context: 0xFFFFFFFF, clock: 4 GHz}\n", 1500000000},
        {__LINE__, HEAD "  - {duration: 3600 s, context: idle, does: []}\n", 3600000000000},
        {__LINE__,
         HEAD "  - &p {duration: 2 us, context: 1, does: [{unit: gpu.busy, share: 1}]}\n"
              "  - *p\n",
         4000},
        {__LINE__,
         "{\"name\": \"w\", \"description\": \"d\", \"seed\": \"0xFFFFFFFFFFFFFFFF\", "
         "\"phases\": [{\"duration\": \"350us\", \"context\": \"1\"}]}",
         350000},
        {__LINE__, "--- # one\n" HEAD "  - {duration: 1 us, context: 1}\n...\n", 1000},
        {__LINE__, DOES("unit: gpu.busy, share: 0.000000001"), 1000000},
        {__LINE__, DOES("unit: ps.threads, rate: 1000000000/ms"), 1000000},
        {__LINE__, DOES("unit: gpu.busy, bursts: {frame: 1099511627776, length: 1}"), 1000000},
        {__LINE__, DOES("unit: ps.active, share: 0.5}\n      - {unit: ps.stalled, share: 0.5"),
         1000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        struct tally_workload *workload;
        struct tally_workload_info info = {0};
        int result =
            tally_workload_load_memory(rows[i].text, strlen(rows[i].text), "w", &workload, &error);
        if (!ROW(rows[i].line, result == 0, "%s", error.message))
            continue;
        tally_workload_describe(workload, &info);
        ROW(rows[i].line, info.duration_ns == rows[i].ns, "%" PRIu64 " ns", info.duration_ns);
        tally_workload_free(workload);
    }
    ROWS_DONE();
}

/* Lists have a maximum length. */
static void test_limits(void **state)
{
    (void)state;
    char *text = malloc(1 << 21);
    struct tally_error error = {0};
    struct tally_workload *workload;
    assert_non_null(text);
    for (unsigned phases = 256; phases <= 257; phases++) {
        char *at = text + sprintf(text, HEAD);
        for (unsigned i = 0; i < phases; i++)
            at += sprintf(at, "  - {duration: 1 us, context: %u}\n", i);
        int result = tally_workload_load_memory(text, (size_t)(at - text), "w", &workload, &error);
        assert_int_equal(result, phases == 256 ? 0 : -EBADMSG);
        if (result == 0)
            tally_workload_free(workload);
    }
    assert_true(mentions(error.message, "w:4: phases: 257 entries, expected at most 256"));
    memset(text, ' ', 1 << 21);
    assert_int_equal(tally_workload_load_memory(text, (1 << 20) + 1, "w", &workload, &error),
                     -EBADMSG);
    memset(text, '[', 1 << 20); /* libyaml would need very long for it */
    assert_int_equal(tally_workload_load_memory(text, 1 << 20, "w", &workload, &error), -EBADMSG);
    assert_true(mentions(error.message, "w:1: nested more than 16 times"));
    free(text);
}

/* A text may have as many characters as stated, and no more. */
static void test_long_texts(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *before, *after;
        unsigned max;
    } rows[] = {
        {__LINE__, "description: d\nname: ", "\n", 40},
        {__LINE__, "name: w\ndescription: ", "\n", 200},
        {__LINE__, "name: w\nseed: ", "\n", 40},
        {__LINE__, HEAD "  - {duration: ", "}\n", 40},
        {__LINE__, HEAD "  - {clock: ", "}\n", 40},
        {__LINE__, HEAD "  - {context: ", "}\n", 40},
        {__LINE__, PHASE "      - {unit: ", "}\n", 40},
        {__LINE__, PHASE "      - {share: ", "}\n", 40},
        {__LINE__, PHASE "      - {rate: ", "}\n", 40},
        {__LINE__, PHASE "      - {random: ", "}\n", 40},
        {__LINE__, PHASE "      - {constant: ", "}\n", 40},
        {__LINE__, PHASE "      - {times: ", "}\n", 40},
        {__LINE__, PHASE "      - {bursts: {frame: ", "}}\n", 40},
        {__LINE__, PHASE "      - {bursts: {length: ", "}}\n", 40},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned more = 0; more < 2; more++) {
            char text[400], word[256] = "", expected[80];
            struct tally_error error = {0};
            struct tally_workload *workload;
            memset(word, '7', rows[i].max + more);
            snprintf(text, sizeof text, "%s%s%s", rows[i].before, word, rows[i].after);
            snprintf(expected, sizeof expected, "%u characters, expected at most %u",
                     rows[i].max + more, rows[i].max);
            int result = tally_workload_load_memory(text, strlen(text), "w", &workload, &error);
            ROW(rows[i].line, result < 0 && mentions(error.message, expected) == more, "%s: %s",
                rows[i].before, error.message);
        }
    ROWS_DONE();
}

int test_workload_files(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_every_mistake_is_reported),
        cmocka_unit_test(test_good_files), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_long_texts),
    };
    return cmocka_run_group_tests_name("workload files", tests, NULL, NULL);
}
