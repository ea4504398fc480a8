/* SPDX-License-Identifier: MIT */
/* Equations: values of valid ones, messages for invalid ones (PERF-9.2). */
#include "metrics/tests.h"

#include "metrics/program.h"

/* Counters that the equations of the rows use. */
static const struct tally_counter counters[] = {
    {.symbol = "Whole", .type = TALLY_UINT64},
    {.symbol = "Real", .type = TALLY_DOUBLE},
    {.symbol = "SliceMask", .type = TALLY_DOUBLE}, /* the variable has precedence */
};
static const struct tally_metric_set set = {
    .symbol = "Test", .counters = counters, .counter_count = COUNT(counters)};

/* ---- valid equations ----------------------------------------------------------------------- */

#define INTEGER(value)                                                                             \
    TALLY_UINT64,                                                                                  \
    {                                                                                              \
        .u = (value)                                                                               \
    }
#define REAL(value)                                                                                \
    TALLY_DOUBLE,                                                                                  \
    {                                                                                              \
        .f = (value)                                                                               \
    }

static const struct valid_row {
    unsigned line;
    const char *text;
    enum tally_data_type type;
    union tally_value value; /* A1 = 7, A31 = 2^40 - 1, B2 = 3, C7 = 5, time 1200, clocks 500 */
} valid[] = {
    /* Numbers. */
    {__LINE__, "0", INTEGER(0)},
    {__LINE__, "1000000000", INTEGER(1000000000)},
    {__LINE__, "18446744073709551615", INTEGER(UINT64_MAX)},
    {__LINE__, "0x1f", INTEGER(31)},
    {__LINE__, "0XFF", INTEGER(255)},
    {__LINE__, "0xffffffffffffffff", INTEGER(UINT64_MAX)},
    {__LINE__, "010", INTEGER(10)}, /* decimal, not octal */
    {__LINE__, "0.5", REAL(0.5)},
    {__LINE__, "100.0", REAL(100)},
    {__LINE__, "1e3", REAL(1000)},
    {__LINE__, "2.5e-1", REAL(0.25)},
    {__LINE__, "5.", REAL(5)},
    {__LINE__, "1e308", REAL(1e308)},
    /* More than 64 bits before the point: ERANGE for an integer, not for a double. */
    {__LINE__, "18446744073709551616.5", REAL(18446744073709551616.5)},
    {__LINE__, "true", INTEGER(1)},
    {__LINE__, "false", INTEGER(0)},

    /* Reads. */
    {__LINE__, "A 1 READ", INTEGER(7)},
    {__LINE__, "A 31 READ", INTEGER(UINT64_C(0xffffffffff))},
    {__LINE__, "A 0x1 READ", INTEGER(7)},
    {__LINE__, "A 001 READ", INTEGER(7)},
    {__LINE__, "B 2 READ", INTEGER(3)},
    {__LINE__, "C 7 READ", INTEGER(5)},
    {__LINE__, "GPU_TIME 0 READ", INTEGER(1200)},
    {__LINE__, "GPU_CLOCK 0 READ", INTEGER(500)},
    {__LINE__, "A 36 READ", INTEGER(0)}, /* valid, though no report of SKL has it */
    {__LINE__, "A 255 READ", INTEGER(0)},
    {__LINE__, "B 8 READ", INTEGER(0)}, /* and not C0 */
    {__LINE__, "C 16 READ", INTEGER(0)},
    {__LINE__, "GPU_TIME 1 READ", INTEGER(0)},
    {__LINE__, "GPU_CLOCK 1 READ", INTEGER(0)},
    {__LINE__, "PERFCNT 0 READ", INTEGER(0)},

    /* Names. */
    {__LINE__, "$GpuTimestampFrequency", INTEGER(12000000)},
    {__LINE__, "$EuCoresTotalCount", INTEGER(24)},
    {__LINE__, "$SliceMask", INTEGER(1)},
    {__LINE__, "$Whole", INTEGER(11)},
    {__LINE__, "$Real", REAL(2.5)},

    /* Order of operands, nesting, white space. */
    {__LINE__, "7 2 USUB", INTEGER(5)},
    {__LINE__, "7 2 UDIV", INTEGER(3)},
    {__LINE__, "7 2 FDIV", REAL(3.5)},
    {__LINE__, "1 4 <<", INTEGER(16)},
    {__LINE__, "16 2 >>", INTEGER(4)},
    {__LINE__, "1 2 ULT", INTEGER(1)},
    {__LINE__, "1 2 UGT", INTEGER(0)},
    {__LINE__, "10 4 3 USUB USUB", INTEGER(9)},
    {__LINE__, "10 4 USUB 3 USUB", INTEGER(3)},
    {__LINE__, "1 2 3 4 5 UADD UADD UADD UADD", INTEGER(15)},
    {__LINE__, "1 2 UADD 3 4 UADD UMUL", INTEGER(21)},
    {__LINE__, "A 1 READ B 2 READ UMUL C 7 READ UADD", INTEGER(26)},
    {__LINE__, " \t\n 1 \r\n 2\fUADD\v ", INTEGER(3)},
    {__LINE__, "A 1 READ 1000000000 UMUL $GpuTimestampFrequency UDIV", INTEGER(583)},
    {__LINE__, "$Real $Whole UMUL", INTEGER(27)},
    {__LINE__, "$Real $Whole FMUL", REAL(27.5)},
};

static void fill(uint64_t *deltas, union tally_value *values)
{
    memset(deltas, 0, TALLY_SLOT_COUNT * sizeof *deltas);
    deltas[A(1)] = 7;
    deltas[A(31)] = UINT64_C(0xffffffffff);
    deltas[B(2)] = 3;
    deltas[C(7)] = 5;
    deltas[TALLY_SLOT_TIMESTAMP] = 1200;
    deltas[TALLY_SLOT_TICKS] = 500;
    for (unsigned i = 40; i < 64; i++)
        deltas[A(i)] = 1000 + i; /* counters that the layout lacks are not used */
    deltas[C(0)] = 99;
    deltas[PEC(0)] = 98;
    values[0].u = 11;
    values[1].f = 2.5;
    values[2].f = 1e9;
}

static void test_valid_equations(void **state)
{
    (void)state;
    struct tally_environment environment;
    uint64_t deltas[TALLY_SLOT_COUNT];
    union tally_value values[COUNT(counters)];
    tally_environment_default(tally_platform_find("skl"), &environment);
    fill(deltas, values);
    for (size_t i = 0; i < COUNT(valid); i++) {
        const struct valid_row *row = &valid[i];
        struct equation equation;
        struct tally_error error = {0};
        int result = equation_parse(row->text, &set, &equation, &error);
        if (!ROW(row->line, result == 0, "\"%s\": %s", row->text, error.message))
            continue;
        union tally_value nodes[64];
        assert_true(equation.count <= COUNT(nodes));
        equation_evaluate(&equation, &environment, tally_layout_find("skl/101"), deltas, values,
                          nodes);
        const struct node *last = &equation.nodes[equation.count - 1];
        union tally_value value = nodes[equation.count - 1];
        ROW(row->line, last->type == row->type, "\"%s\" has type %u", row->text, last->type);
        ROW(row->line, same_value(value, row->value, row->type), "\"%s\" is %s, expected %s",
            row->text, value_text(value, row->type), value_text(row->value, row->type));
        equation_fini(&equation);
        assert_null(equation.nodes);
        assert_int_equal(equation.count, 0);
    }
    ROWS_DONE();
}

/* Operands precede their operation; the result is last. */
static void test_nodes_are_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(valid); i++) {
        struct equation equation;
        if (equation_parse(valid[i].text, &set, &equation, NULL) < 0)
            continue;
        for (unsigned n = 0; n < equation.count; n++)
            if (equation.nodes[n].op >= OP_UADD)
                ROW(valid[i].line, equation.nodes[n].left < n && equation.nodes[n].right < n,
                    "node %u uses %u and %u", n, equation.nodes[n].left, equation.nodes[n].right);
        equation_fini(&equation);
    }
    ROWS_DONE();
}

static void test_without_a_set_there_are_no_counters(void **state)
{
    (void)state;
    struct equation equation;
    struct tally_error error = {0};
    assert_int_equal(equation_parse("$Whole", NULL, &equation, &error), -EBADMSG);
    assert_non_null(strstr(error.message, "$Whole"));
    assert_int_equal(equation_parse("$SliceMask", NULL, &equation, &error), 0);
    equation_fini(&equation);
}

/* ---- errors -------------------------------------------------------------------------------- */

static const struct invalid_row {
    unsigned line;
    const char *text;
    const char *message;
} invalid[] = {
    /* The stack. */
    {__LINE__, "", "0 values are left at the end, expected 1"},
    {__LINE__, " \t ", "0 values are left"},
    {__LINE__, "1 2", "2 values are left at the end, expected 1"},
    {__LINE__, "1 2 3 UADD", "2 values are left"},
    {__LINE__, "UADD", "token 1 \"UADD\": expected two operands before it"},
    {__LINE__, "1 UADD", "token 2 \"UADD\": expected two operands"},
    {__LINE__, "1 2 UADD UADD", "token 4 \"UADD\": expected two operands"},
    {__LINE__, "A 1 READ FDIV", "token 4 \"FDIV\": expected two operands"},

    /* Reads. */
    {__LINE__, "READ", "token 1 \"READ\": expected a source and a number before it"},
    {__LINE__, "1 READ", "token 2 \"READ\": expected a source and a number"},
    {__LINE__, "A READ", "token 2 \"READ\": expected a source and a number"},
    {__LINE__, "A B READ", "token 3 \"READ\": expected a source and a number"},
    {__LINE__, "1 2 READ", "token 3 \"READ\": expected a source and a number"},
    {__LINE__, "A 256 READ", "token 3 \"READ\": expected a counter number from 0 to 255"},
    {__LINE__, "A 18446744073709551615 READ", "a counter number from 0 to 255"},
    {__LINE__, "A 1.0 READ", "token 3 \"READ\": expected a counter number"},
    {__LINE__, "A $SliceMask READ", "token 3 \"READ\": expected a counter number"},
    {__LINE__, "A $Whole READ", "expected a counter number"},
    {__LINE__, "A 1 2 UADD READ", "token 5 \"READ\": expected a counter number"},
    {__LINE__, "A B 1 READ READ", "token 5 \"READ\": expected a counter number"},
    {__LINE__, "A", "a source without READ is left at the end"},
    {__LINE__, "A 1", "2 values are left"},
    {__LINE__, "A 1 UADD", "token 3 \"UADD\": expected READ after a source"},
    {__LINE__, "1 A UADD", "token 3 \"UADD\": expected READ after a source"},
    {__LINE__, "A B UADD", "expected READ after a source"},
    {__LINE__, "A 1 READ A 2 UADD", "token 6 \"UADD\": expected READ after a source"},

    /* Words. */
    {__LINE__, "FOO", "token 1 \"FOO\": not a number, source, operator, variable or counter"},
    {__LINE__, "1 2 uadd", "token 3 \"uadd\": not a number"},
    {__LINE__, "D 1 READ", "token 1 \"D\""},
    {__LINE__, "a 1 READ", "token 1 \"a\""},
    {__LINE__, "1 2 ||", "token 3 \"||\""},
    {__LINE__, "1 2 UADDX", "\"UADDX\""},
    {__LINE__, "1 2 UAD", "\"UAD\""},
    {__LINE__, "1 2 FMIN", "\"FMIN\""},
    {__LINE__, "A 1 READ\x01", "token 3"},
    {__LINE__, "TRUE", "token 1 \"TRUE\""},
    {__LINE__, "$", "token 1 \"$\": neither a variable nor a counter of this set"},
    {__LINE__, "$Nothing", "token 1 \"$Nothing\": neither a variable nor a counter of this set"},
    {__LINE__, "$whole", "neither a variable nor a counter"},
    {__LINE__, "$Whole2", "neither a variable nor a counter"},
    {__LINE__, "Whole", "token 1 \"Whole\": not a number"},
    {__LINE__, "$$Whole", "neither"},
    {__LINE__, "1 $GpuTimestampfrequency UADD", "token 2 \"$GpuTimestampfrequency\": neither"},

    /* Numbers. */
    {__LINE__, "-5", "token 1 \"-5\": not a number"},
    {__LINE__, "+5", "not a number"},
    {__LINE__, ".5", "not a number"},
    {__LINE__, "12abc", "token 1 \"12abc\": not a number"},
    {__LINE__, "0x", "not a number"},
    {__LINE__, "0xg", "not a number"},
    {__LINE__, "1.5.2", "not a number"},
    {__LINE__, "1e", "not a number"},
    {__LINE__, "1,5", "not a number"},
    {__LINE__, "18446744073709551616", "not a number"},
    {__LINE__, "0x10000000000000000", "not a number"},
    {__LINE__, "1e999", "not a number"},
    {__LINE__, "nan", "not a number"},
    {__LINE__, "inf", "not a number"},
    {__LINE__, "infinity", "not a number"},
    {__LINE__, "0000000000000000000000000000000000000000000000000000001", "not a number"},

    /* Messages truncate long words. */
    {__LINE__, "1 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
     "token 2 \"abcdefghijklmnopqrstuvwxyzabcdefghijklmn\": not a number"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(invalid); i++) {
        const struct invalid_row *row = &invalid[i];
        struct equation equation = {(struct node *)0x1, 99};
        struct tally_error error = {0};
        int result = equation_parse(row->text, &set, &equation, &error);
        if (!ROW(row->line, result == -EBADMSG, "\"%s\" gives %d", row->text, result)) {
            if (!result)
                equation_fini(&equation);
            continue;
        }
        ROW(row->line, error.code == -EBADMSG && mentions(error.message, row->message),
            "\"%s\" says \"%s\"", row->text, error.message);
        ROW(row->line, !equation.nodes && !equation.count, "\"%s\" leaves nodes", row->text);
        ROW(row->line, equation_parse(row->text, &set, &equation, NULL) == -EBADMSG,
            "\"%s\" without an error", row->text);
    }
    ROWS_DONE();
}

/* ---- limits -------------------------------------------------------------------------------- */

/* `count` ones, followed by the additions that sum them. */
static char *long_sum(unsigned count, unsigned at_once)
{
    char *text = malloc((size_t)count * 8 + 64), *to = text;
    unsigned depth = 0;
    assert_non_null(text);
    for (unsigned i = 0; i < count; i++) {
        to += sprintf(to, "1 ");
        for (depth++; depth > 1 && (depth == at_once || i + 1 == count); depth--)
            to += sprintf(to, "UADD ");
    }
    *to = '\0';
    return text;
}

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned numbers, at_once;
        const char *message; /* NULL: parses to the number of ones */
    } rows[] = {
        {__LINE__, 256, 256, NULL},
        {__LINE__, 257, 257, "token 257 \"1\": more than 256 operands without an operator"},
        {__LINE__, 1000, 1000, "more than 256 operands"},
        {__LINE__, 2048, 2, NULL}, /* 4095 nodes */
        {__LINE__, 2049, 2, "equation is too long"},
        {__LINE__, 100000, 3, "equation is too long"},
    };
    struct tally_environment environment;
    tally_environment_default(tally_platform_find("skl"), &environment);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = long_sum(rows[i].numbers, rows[i].at_once);
        struct equation equation;
        struct tally_error error = {0};
        int result = equation_parse(text, NULL, &equation, &error);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "says \"%s\"", error.message);
        if (ROW(rows[i].line, (result == 0) == !rows[i].message, "gives %d", result) && !result) {
            union tally_value *nodes = calloc(EQUATION_NODES_MAX, sizeof *nodes);
            assert_non_null(nodes);
            equation_evaluate(&equation, &environment, tally_layout_find("skl/101"), NULL, NULL,
                              nodes);
            ROW(rows[i].line, nodes[equation.count - 1].u == rows[i].numbers, "sum %" PRIu64,
                nodes[equation.count - 1].u);
            free(nodes);
        }
        if (!result)
            equation_fini(&equation);
        free(text);
    }
    ROWS_DONE();
}

static void test_long_names(void **state)
{
    (void)state;
    for (size_t length = 20; length < 300; length++) {
        char symbol[320], text[340];
        memset(symbol, 'n', length);
        symbol[length] = '\0';
        snprintf(text, sizeof text, "$%s", symbol);
        const struct tally_counter counter = {.symbol = symbol, .type = TALLY_DOUBLE};
        const struct tally_metric_set one = {.counters = &counter, .counter_count = 1};
        struct equation equation;
        struct tally_error error = {0};
        int result = equation_parse(text, &one, &equation, &error);
        if (result == 0) {
            ROW(__LINE__, length < 127 && equation.nodes[0].op == OP_COUNTER, "%zu letters",
                length);
            equation_fini(&equation);
        } else {
            ROW(__LINE__, length >= 127 && mentions(error.message, "name is too long"),
                "%zu letters: %s", length, error.message);
        }
    }
    ROWS_DONE();
}

/* Random words in random order are rejected or evaluated, never out of bounds. */
static void test_random_words(void **state)
{
    (void)state;
    static const char *const words[] = {"A",    "B",    "READ", "1",        "2",          "255",
                                        "UADD", "FDIV", "<<",   "0.5",      "$Whole",     "$Real",
                                        "&&",   "AND",  "true", "GPU_TIME", "$SliceMask", "UDIV"};
    struct random rng = {9};
    struct tally_environment environment;
    unsigned parsed = 0;
    tally_environment_default(tally_platform_find("skl"), &environment);
    for (unsigned i = 0; i < random_cases(100000); i++) {
        char text[256] = "";
        size_t count = 1 + random_below(&rng, 7);
        for (size_t w = 0; w < count; w++) {
            strcat(text, words[random_below(&rng, COUNT(words))]);
            strcat(text, " ");
        }
        struct equation equation;
        if (equation_parse(text, &set, &equation, NULL) == 0) {
            union tally_value nodes[16], values[COUNT(counters)] = {{0}};
            equation_evaluate(&equation, &environment, tally_layout_find("skl/101"), NULL, values,
                              nodes);
            equation_fini(&equation);
            parsed++;
        }
    }
    assert_true(parsed > random_cases(1000));
}

int test_equation(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_equations),
        cmocka_unit_test(test_nodes_are_in_order),
        cmocka_unit_test(test_without_a_set_there_are_no_counters),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_random_words),
    };
    return cmocka_run_group_tests_name("equation", tests, NULL, NULL);
}
