/* SPDX-License-Identifier: MIT */
/* Equations of NVIDIA's sets: their translation, and what is refused. */
#include "metrics/tests.h"

#include "metrics/infix.h"

static const struct tally_metric_signal signals[] = {
    {.symbol = "IDLE"}, {.symbol = "HIT"}, {.symbol = "MISS"}};
static const struct tally_counter counters[] = {
    {.symbol = "Whole", .type = TALLY_UINT64},
    {.symbol = "Share", .type = TALLY_DOUBLE},
};
static const struct tally_metric_set set = {
    .symbol = "Test",
    .signals = signals,
    .signal_count = COUNT(signals),
    .counters = counters,
    .counter_count = COUNT(counters),
};

#define INTEGER TALLY_UINT64
#define REAL    TALLY_DOUBLE

static const struct {
    unsigned line;
    const char *text, *rpn;
    enum tally_data_type type;
} rows[] = {
    /* Operands. */
    {__LINE__, "7", "7", INTEGER},
    {__LINE__, "0.5", "0.5", REAL},
    {__LINE__, "123456789012345678", "123456789012345678", INTEGER},
    {__LINE__, "IDLE", "A 0 READ", INTEGER},
    {__LINE__, " MISS ", "A 2 READ", INTEGER},
    {__LINE__, "clocks(HIT)", "CLOCKS 1 READ", INTEGER},
    {__LINE__, "clocks ( HIT )", "CLOCKS 1 READ", INTEGER},
    {__LINE__, "time()", "GPU_TIME 0 READ", INTEGER},
    {__LINE__, "Whole", "$Whole", INTEGER},
    {__LINE__, "Share", "$Share", REAL},

    /* Types: sums and products of integers are integers. */
    {__LINE__, "HIT + MISS", "A 1 READ A 2 READ UADD", INTEGER},
    {__LINE__, "32 * HIT", "32 A 1 READ UMUL", INTEGER},
    {__LINE__, "0.5 * HIT", "0.5 A 1 READ FMUL", REAL},
    {__LINE__, "HIT + 0.5", "A 1 READ 0.5 FADD", REAL},
    {__LINE__, "Share + HIT", "$Share A 1 READ FADD", REAL},
    {__LINE__, "HIT / MISS", "A 1 READ A 2 READ FRATIO", REAL},
    /* A difference of integers can be negative, so it is one of doubles. */
    {__LINE__, "HIT - MISS", "A 1 READ A 2 READ 0.0 FADD FSUB", REAL},
    {__LINE__, "1 - Share", "1 $Share FSUB", REAL},
    {__LINE__, "Share - 1", "$Share 1 FSUB", REAL},
    {__LINE__, "-HIT", "0.0 A 1 READ FSUB", REAL},
    {__LINE__, "2 * -HIT", "2 0.0 A 1 READ FSUB FMUL", REAL},

    /* Precedence, from left to right. */
    {__LINE__, "1 + 2 * 3", "1 2 3 UMUL UADD", INTEGER},
    {__LINE__, "(1 + 2) * 3", "1 2 UADD 3 UMUL", INTEGER},
    {__LINE__, "1 - 2 - 3", "1 2 0.0 FADD FSUB 3 FSUB", REAL},
    {__LINE__, "HIT / 2 / 4", "A 1 READ 2 FRATIO 4 FRATIO", REAL},
    {__LINE__, "HIT / 2 * 4", "A 1 READ 2 FRATIO 4 FMUL", REAL},
    {__LINE__, "100 * (1 - IDLE / clocks(IDLE))", "100 1 A 0 READ CLOCKS 0 READ FRATIO FSUB FMUL",
     REAL},
    {__LINE__, "100 * HIT / (HIT + MISS)", "100 A 1 READ UMUL A 1 READ A 2 READ UADD FRATIO", REAL},
};

static void test_translations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer rpn = {0};
        struct tally_error error = {0};
        enum tally_data_type type = TALLY_UINT64;
        int result = infix_translate(rows[i].text, &set, &rpn, &type, &error);
        buffer_char(&rpn, '\0');
        ROW(rows[i].line,
            infix_is_real(rows[i].text) == (type == TALLY_DOUBLE) || strstr(rows[i].text, "Share"),
            "%s", rows[i].text);
        ROW(rows[i].line, result == 0 && !strcmp(rpn.bytes, rows[i].rpn) && type == rows[i].type,
            "%s is %s of type %d, expected %s (%s)", rows[i].text, rpn.bytes, type, rows[i].rpn,
            error.message);
        buffer_fini(&rpn);
    }
    ROWS_DONE();
}

static const struct {
    unsigned line;
    const char *text, *message;
} mistakes[] = {
    {__LINE__, "", "column 1: the end, expected a number, a signal or a counter"},
    {__LINE__, "1 +", "column 4: the end"},
    {__LINE__, "1 1", "column 3: \"1\", expected an operator + - * /"},
    {__LINE__, "(1", "column 3: the end, expected \")\""},
    {__LINE__, "1)", "column 2: \")\", expected an operator"},
    {__LINE__, "1 % 2", "column 3: \"%\", expected an operator"},
    {__LINE__, "* 2", "column 1: \"*\""},
    {__LINE__, "IDEL", "column 1: unknown signal or counter \"IDEL\", expected IDLE"},
    {__LINE__, "1 + Shar", "column 5: unknown signal or counter \"Shar\", expected Share"},
    {__LINE__, "idle", "unknown signal or counter \"idle\", expected IDLE"},
    {__LINE__, "clocks(Share)", "column 8: unknown signal \"Share\""},
    {__LINE__, "clocks(HIP)", "unknown signal \"HIP\", expected HIT"},
    {__LINE__, "clocks()", "column 8: unknown signal \"\""},
    {__LINE__, "clocks(HIT", "column 11: the end, expected \")\""},
    {__LINE__, "clock(HIT)", "column 1: unknown function \"clock\", expected clocks or time"},
    {__LINE__, "time(HIT)", "column 6: \"H\", expected \")\""},
    {__LINE__, "1.", "column 1: not a number"},
    {__LINE__, "1.2.3", "column 1: not a number"},
    {__LINE__, "2x", "column 1: not a number"},
    {__LINE__, "1234567890123456789", "not a number, expected up to 18 digits"},
    {__LINE__, "HIT \303\244", "column 5: a character beyond ASCII"},
    {__LINE__, "a23456789012345678901234567890123456789012345678901234567890123",
     "unknown signal or counter"},
    {__LINE__, "a234567890123456789012345678901234567890123456789012345678901234",
     "column 1: a name of 64 characters, expected at most 63"},
    {__LINE__, "((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))",
     "column 33: nested more than 32 times"},
    {__LINE__, "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - 1", "nested"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        struct buffer rpn = {0};
        struct tally_error error = {0};
        enum tally_data_type type;
        int result = infix_translate(mistakes[i].text, &set, &rpn, &type, &error);
        ROW(mistakes[i].line, result == -EBADMSG && strstr(error.message, mistakes[i].message),
            "%s: %d, \"%s\", expected \"%s\"", mistakes[i].text, result, error.message,
            mistakes[i].message);
        buffer_fini(&rpn);
    }
    ROWS_DONE();
}

static void test_names(void **state)
{
    (void)state;
    static const char expected[] = "A,b_2,C,_d,e,";
    const char *text = "100 * A / (b_2 - clocks(C)) + time() * 2x3 * _d+e";
    char name[16], all[64] = "";
    while (infix_next_name(&text, name, sizeof name))
        strcat(strcat(all, name), ",");
    assert_string_equal(all, expected);
    assert_string_equal(text, "");
}

int test_infix(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translations),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("infix", tests, NULL, NULL);
}
