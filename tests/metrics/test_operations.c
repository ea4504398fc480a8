/* SPDX-License-Identifier: MIT */
/* Single operations with C's conversions (tally/metrics.h; PERF-9.2). */
#include "metrics/tests.h"

#include "metrics/equation.h"
#include "metrics/reference.h"

/* A number of either type. */
struct value {
    enum tally_data_type type;
    union tally_value value;
};

#define U(number)                                                                                  \
    {                                                                                              \
        TALLY_UINT64,                                                                              \
        {                                                                                          \
            .u = UINT64_C(number)                                                                  \
        }                                                                                          \
    }
#define F(number)                                                                                  \
    {                                                                                              \
        TALLY_DOUBLE,                                                                              \
        {                                                                                          \
            .f = (number)                                                                          \
        }                                                                                          \
    }
#define MAX 18446744073709551615

static const struct operation_row {
    unsigned line;
    enum op op;
    struct value left, right, expected;
} operations[] = {
    /* Integers of 64 bits wrap. */
    {__LINE__, OP_UADD, U(3), U(4), U(7)},
    {__LINE__, OP_UADD, U(MAX), U(1), U(0)},
    {__LINE__, OP_USUB, U(9), U(4), U(5)},
    {__LINE__, OP_USUB, U(4), U(9), U(18446744073709551611)},
    {__LINE__, OP_USUB, U(0), U(1), U(MAX)},
    {__LINE__, OP_UMUL, U(6), U(7), U(42)},
    {__LINE__, OP_UMUL, U(0x100000000), U(0x100000000), U(0)},
    {__LINE__, OP_UMUL, U(MAX), U(MAX), U(1)},
    {__LINE__, OP_UDIV, U(7), U(2), U(3)},
    {__LINE__, OP_UDIV, U(MAX), U(2), U(0x7fffffffffffffff)},
    {__LINE__, OP_UDIV, U(7), U(0), U(0)}, /* by zero: 0 */
    {__LINE__, OP_UDIV, U(0), U(0), U(0)},
    {__LINE__, OP_UMIN, U(3), U(4), U(3)},
    {__LINE__, OP_UMIN, U(MAX), U(4), U(4)},
    {__LINE__, OP_AND, U(0xff00), U(0x0ff0), U(0x0f00)},
    {__LINE__, OP_SHL, U(1), U(63), U(0x8000000000000000)},
    {__LINE__, OP_SHL, U(1), U(64), U(0)}, /* 64 and more shift everything out */
    {__LINE__, OP_SHL, U(1), U(65), U(0)},
    {__LINE__, OP_SHL, U(MAX), U(MAX), U(0)},
    {__LINE__, OP_SHL, U(3), U(0), U(3)},
    {__LINE__, OP_SHR, U(MAX), U(63), U(1)},
    {__LINE__, OP_SHR, U(MAX), U(64), U(0)},
    {__LINE__, OP_SHR, U(MAX), U(128), U(0)},
    {__LINE__, OP_SHR, U(MAX), U(0), U(MAX)},

    /* Comparisons give 0 and 1. */
    {__LINE__, OP_UGT, U(2), U(1), U(1)},
    {__LINE__, OP_UGT, U(1), U(1), U(0)},
    {__LINE__, OP_UGTE, U(1), U(1), U(1)},
    {__LINE__, OP_UGTE, U(0), U(1), U(0)},
    {__LINE__, OP_ULT, U(1), U(2), U(1)},
    {__LINE__, OP_ULT, U(1), U(1), U(0)},
    {__LINE__, OP_ULTE, U(1), U(1), U(1)},
    {__LINE__, OP_ULTE, U(2), U(1), U(0)},
    {__LINE__, OP_UGT, U(MAX), U(1), U(1)}, /* unsigned */
    {__LINE__, OP_LAND, U(2), U(4), U(1)},  /* not bit by bit */
    {__LINE__, OP_LAND, U(2), U(0), U(0)},
    {__LINE__, OP_LAND, U(0), U(0), U(0)},
    {__LINE__, OP_UGT, F(0.5), F(0.25), U(1)},
    {__LINE__, OP_UGT, F(0.5), U(0), U(1)}, /* compared as doubles, not as 0 and 0 */
    {__LINE__, OP_ULT, F(-1), U(0), U(1)},
    {__LINE__, OP_ULTE, F(0.75), F(0.5), U(0)},
    {__LINE__, OP_UGTE, F(-0.0), F(0.0), U(1)},
    {__LINE__, OP_LAND, F(0.5), U(1), U(1)}, /* 0.5 is true, although it truncates to 0 */
    {__LINE__, OP_LAND, F(-0.0), U(1), U(0)},
    {__LINE__, OP_UGT, U(9007199254740993), F(9007199254740992.0), U(0)}, /* 2^53 + 1 rounds */

    /* FADD, FSUB, FMUL of integers work in integers, and the result becomes a double. */
    {__LINE__, OP_FADD, U(3), U(4), F(7)},
    {__LINE__, OP_FADD, U(MAX), U(2), F(1)},
    {__LINE__, OP_FSUB, U(9), U(4), F(5)},
    {__LINE__, OP_FSUB, U(4), U(9), F(0x1p64)}, /* wraps first */
    {__LINE__, OP_FMUL, U(6), U(7), F(42)},
    {__LINE__, OP_FMUL, U(0x100000000), U(0x100000000), F(0)},
    {__LINE__, OP_FMUL, U(0x8000000000000001), U(2), F(2)},
    {__LINE__, OP_FADD, U(9007199254740993), U(0), F(9007199254740992.0)},
    {__LINE__, OP_FADD, U(3), F(0.5), F(3.5)},
    {__LINE__, OP_FSUB, U(4), F(9), F(-5)},
    {__LINE__, OP_FMUL, U(0x100000000), F(4294967296.0), F(0x1p64)},
    {__LINE__, OP_FMUL, F(0.5), F(0.5), F(0.25)},

    /* FDIV and FMAX always work in doubles. */
    {__LINE__, OP_FDIV, U(1), U(3), F(1.0 / 3)},
    {__LINE__, OP_FDIV, U(7), U(0), F(0)},
    {__LINE__, OP_FDIV, F(7), F(0), F(0)},
    {__LINE__, OP_FDIV, F(7), F(-0.0), F(0)},
    {__LINE__, OP_FDIV, F(-7), F(0), F(0)},
    {__LINE__, OP_FDIV, F(0), F(0), F(0)},
    {__LINE__, OP_FDIV, F(1), F(0.5), F(2)},
    {__LINE__, OP_FDIV, U(MAX), U(1), F(0x1p64)},
    {__LINE__, OP_RATIO, U(1), U(3), F(1.0 / 3)},
    {__LINE__, OP_RATIO, U(7), U(0), F((double)NAN)}, /* not 0: no value */
    {__LINE__, OP_RATIO, U(0), U(0), F((double)NAN)},
    {__LINE__, OP_RATIO, F(7), F(-0.0), F((double)NAN)},
    {__LINE__, OP_RATIO, F(0), F(0.5), F(0)},
    {__LINE__, OP_FADD, F((double)NAN), U(1), F((double)NAN)},
    {__LINE__, OP_FMAX, U(3), U(4), F(4)},
    {__LINE__, OP_FMAX, F(-1), U(0), F(0)},
    {__LINE__, OP_FMAX, F(0.5), U(0), F(0.5)},
    {__LINE__, OP_FMAX, U(MAX), F(1), F(0x1p64)},

    /* U operations on doubles: arithmetic in doubles, then the result is cut. */
    {__LINE__, OP_UADD, F(0.75), F(0.75), U(1)},
    {__LINE__, OP_UADD, F(0.75), U(1), U(1)},
    {__LINE__, OP_USUB, F(2.75), F(0.5), U(2)},
    {__LINE__, OP_USUB, U(1), F(2.5), U(MAX)}, /* -1.5 is cut to -1, which wraps */
    {__LINE__, OP_UMUL, F(2.5), U(3), U(7)},
    {__LINE__, OP_UMUL, F(0x1p40), F(0x1p40), U(MAX)}, /* beyond the range: its end */
    {__LINE__, OP_UMIN, F(2.5), U(3), U(2)},
    {__LINE__, OP_UMIN, F(3.9), F(3.5), U(3)},

    /* UDIV, AND and shifts cut their operands first. */
    {__LINE__, OP_UDIV, F(7.9), F(2.9), U(3)},
    {__LINE__, OP_UDIV, F(7.9), U(2), U(3)},
    {__LINE__, OP_UDIV, F(7.9), F(0.9), U(0)},
    {__LINE__, OP_UDIV, F(-1), U(1), U(MAX)},
    {__LINE__, OP_AND, F(7.9), U(3), U(3)},
    {__LINE__, OP_SHL, F(1.9), F(2.9), U(4)},
    {__LINE__, OP_SHR, F(9.9), U(1), U(4)},
    {__LINE__, OP_SHL, U(1), F(1e300), U(0)},
};

static void test_operations_by_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation_row *row = &operations[i];
        union tally_value value =
            op_apply(row->op, row->left.value, row->left.type, row->right.value, row->right.type);
        ROW(row->line, op_result_type(row->op) == row->expected.type, "%s gives type %d",
            op_names[row->op], op_result_type(row->op));
        ROW(row->line, same_value(value, row->expected.value, row->expected.type),
            "%s gives %s, expected %s", op_names[row->op], value_text(value, row->expected.type),
            value_text(row->expected.value, row->expected.type));
    }
    ROWS_DONE();
}

/* Operands that stand for all that may happen, in all pairs, against the reference's text. */
static void test_all_pairs_against_the_reference(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "63",
                                          "64",
                                          "65",
                                          "100",
                                          "255",
                                          "65536",
                                          "0.0",
                                          "0.25",
                                          "0.5",
                                          "0.999999",
                                          "1.0",
                                          "1.5",
                                          "2.5",
                                          "1e9",
                                          "1e15",
                                          "1e18",
                                          "9.3e18",
                                          "1e19",
                                          "1e20",
                                          "1e300",
                                          "5e-324",
                                          "1e-9",
                                          "4294967295",
                                          "4294967296",
                                          "4503599627370495",
                                          "4503599627370496",
                                          "9007199254740991",
                                          "9007199254740993",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "9223372036854775808.0",
                                          "18446744073709549568.0",
                                          "18446744073709551616.0e0"};
    const struct tally_metric_set none = {.symbol = "None"};
    struct tally_environment environment;
    struct reference reference;
    tally_environment_default(tally_platform_find("skl"), &environment);
    reference_init(&reference, &none, &environment, tally_layout_find("skl/101"));
    for (enum op op = OP_UADD; op < OP_COUNT; op++) {
        for (size_t l = 0; l < COUNT(numbers); l++) {
            for (size_t r = 0; r < COUNT(numbers); r++) {
                char text[128];
                struct equation equation;
                snprintf(text, sizeof text, "%s %s %s", numbers[l], numbers[r], op_names[op]);
                if (equation_parse(text, NULL, &equation, NULL) < 0)
                    continue; /* a number that the parser's own rows are about */
                const struct node *left = &equation.nodes[0], *right = &equation.nodes[1];
                enum tally_data_type type = op_result_type(op);
                reference_take(&reference, NULL);
                union tally_value expected = reference_equation(&reference, text, type);
                union tally_value value =
                    op_apply(op, left->number, (enum tally_data_type)left->type, right->number,
                             (enum tally_data_type)right->type);
                ROW(__LINE__, same_value(value, expected, type), "%s is %s, expected %s", text,
                    value_text(value, type), value_text(expected, type));
                equation_fini(&equation);
            }
        }
    }
    reference_fini(&reference);
    ROWS_DONE();
}

/* tally/metrics.h: "negative values wrap modulo 2^64 and others are cut to the range". */
static void test_double_to_u64(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double value;
        uint64_t expected;
    } rows[] = {
        {__LINE__, 0.0, 0},
        {__LINE__, -0.0, 0},
        {__LINE__, 0.999999999999, 0},
        {__LINE__, -0.999999999999, 0},
        {__LINE__, 1.0, 1},
        {__LINE__, -1.0, UINT64_MAX},
        {__LINE__, -1.999, UINT64_MAX},
        {__LINE__, -2.0, UINT64_MAX - 1},
        {__LINE__, 5e-324, 0},
        {__LINE__, 4503599627370495.5, UINT64_C(4503599627370495)},
        {__LINE__, 9007199254740993.0, UINT64_C(9007199254740992)},
        {__LINE__, 0x1p63 - 1024, UINT64_C(0x7ffffffffffffc00)},
        {__LINE__, 0x1p63, UINT64_C(0x8000000000000000)},
        {__LINE__, 0x1p63 + 2048, UINT64_C(0x8000000000000800)},
        {__LINE__, 0x1p64 - 2048, UINT64_C(0xfffffffffffff800)},
        {__LINE__, 0x1p64, UINT64_MAX},
        {__LINE__, 1e300, UINT64_MAX},
        {__LINE__, (double)INFINITY, UINT64_MAX},
        {__LINE__, (double)NAN, 0},
        {__LINE__, -0x1p62, UINT64_C(0xc000000000000000)},
        {__LINE__, -0x1p63 + 1024, UINT64_C(0x8000000000000400)},
        /* Too low to wrap: 0, as the header says. */
        {__LINE__, -0x1p63, 0},
        {__LINE__, -0x1p63 - 2048, 0},
        {__LINE__, -1e19, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = double_to_u64(rows[i].value);
        ROW(rows[i].line, value == rows[i].expected, "%g gives 0x%" PRIx64 ", expected 0x%" PRIx64,
            rows[i].value, value, rows[i].expected);
        ROW(rows[i].line, reference_to_u64(rows[i].value) == rows[i].expected, "the reference");
    }
    ROWS_DONE();
}

static void test_operand_types(void **state)
{
    (void)state;
    for (enum op op = OP_UADD; op < OP_COUNT; op++) {
        bool whole = op == OP_UDIV || op == OP_AND || op == OP_SHL || op == OP_SHR;
        bool real = op == OP_FDIV || op == OP_FMAX || op == OP_RATIO;
        for (int left = TALLY_UINT64; left <= TALLY_DOUBLE; left++)
            for (int right = TALLY_UINT64; right <= TALLY_DOUBLE; right++) {
                enum tally_data_type expected = whole  ? TALLY_UINT64
                                                : real ? TALLY_DOUBLE
                                                : left == TALLY_DOUBLE || right == TALLY_DOUBLE
                                                    ? TALLY_DOUBLE
                                                    : TALLY_UINT64;
                ROW(__LINE__,
                    op_operand_type(op, (enum tally_data_type)left, (enum tally_data_type)right) ==
                        expected,
                    "%s of types %d and %d", op_names[op], left, right);
            }
        ROW(__LINE__, op_result_type(op) == (op_names[op][0] == 'F' ? TALLY_DOUBLE : TALLY_UINT64),
            "%s", op_names[op]);
    }
    ROWS_DONE();
}

int test_operations(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_by_rows),
        cmocka_unit_test(test_all_pairs_against_the_reference),
        cmocka_unit_test(test_double_to_u64),
        cmocka_unit_test(test_operand_types),
    };
    return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
