/* SPDX-License-Identifier: MIT */
/* Expressions: what they mean, and what is wrong with malformed ones. */
#include "testing.h"

#include <errno.h>

#include "base/bits.h"
#include "driver/perfmon/perfmon.h"
#include "perfmon/tests.h"
#include "perfmon/trees.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct {
    unsigned line;
    const char *text;
    unsigned arguments;
    uint16_t table;
} logic_rows[] = {
    {__LINE__, "A", 1, 0xaaaa},
    {__LINE__, "!A", 1, 0x5555},
    {__LINE__, "!!A", 1, 0xaaaa},
    {__LINE__, "A & B", 2, 0x8888},
    {__LINE__, "A && B", 2, 0x8888},
    {__LINE__, "A && !B", 2, 0x2222},
    {__LINE__, "!A & !B", 2, 0x1111},
    {__LINE__, "!(A & B)", 2, 0x7777},
    {__LINE__, "A | B", 2, 0xeeee},
    {__LINE__, "A || B", 2, 0xeeee},
    {__LINE__, "A ^ B", 2, 0x6666},
    {__LINE__, "A & B & C & D", 4, 0x8000},
    {__LINE__, "A|B|C|D", 4, 0xfffe},
    {__LINE__, "A ^ B ^ C ^ D", 4, 0x6996},
    {__LINE__, "(A & !B) | (C & !D)", 4, 0x22f2}, /* PC-D.6 */
    {__LINE__, "A & B | C & D", 4, 0xf888},
    {__LINE__, "A | B & C", 3, 0xeaea},
    {__LINE__, "(A | B) ^ C", 3, 0x1e1e},
    {__LINE__, "A | B ^ C", 3, 0xbebe},  /* as in C: A | (B ^ C) */
    {__LINE__, "A ^ B & C", 3, 0x6a6a},  /* A ^ (B & C) */
    {__LINE__, "A | B && C", 3, 0xe0e0}, /* (A | B) && C */
    {__LINE__, "A && B || C && D", 4, 0xf888},
    {__LINE__, "A || B | C && D", 4, 0xfeaa}, /* A || ((B | C) && D) */
    {__LINE__, "A & a", 1, 0xaaaa},
    {__LINE__, " ( ( A ) ) ", 1, 0xaaaa},
    {__LINE__, "1", 0, 0xffff},
    {__LINE__, "0", 0, 0x0000},
    {__LINE__, "A & 1", 1, 0xaaaa},
    {__LINE__, "A | 1", 1, 0xffff},
    {__LINE__, "0x27 & 0X28", 2, 0x8888},
    {__LINE__, "\"MPC GROUP 0[1]\" & B", 2, 0x8888},
    {__LINE__, "last(A)", 1, 0xaaaa},
    {__LINE__, "rise(A)", 2, 0x2222}, /* A, and A before */
    {__LINE__, "fall(A)", 2, 0x4444},
    {__LINE__, "RISE(A) & B", 3, 0x2020},
    {__LINE__, "rise", 1, 0xaaaa}, /* a signal, without a parenthesis */
    {__LINE__, "1:A & 1:B", 2, 0x8888},
    {__LINE__, "1:(A & B)", 2, 0x8888},
    {__LINE__, "!1:A", 1, 0x5555},
};

static void test_logic(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(logic_rows); i++) {
        struct expression expression;
        struct tally_error error = {0};
        int result = expression_parse(logic_rows[i].text, &expression, &error);
        ROW(logic_rows[i].line,
            !result && expression.leaf_count == logic_rows[i].arguments &&
                expression.table == logic_rows[i].table && !expression.bit_count,
            "%s: %d %s, %u arguments, table 0x%04x", logic_rows[i].text, result, error.message,
            expression.leaf_count, expression.table);
    }
    ROWS_DONE();
}

static const struct {
    unsigned line;
    const char *text, *message;
} malformed_rows[] = {
    {__LINE__, "", "at 1: the end, expected a signal"},
    {__LINE__, "A &", "at 4: the end, expected a signal"},
    {__LINE__, "A B", "at 3: \"B\", expected an operator"},
    {__LINE__, "A ! B", "at 3: \"!\", expected an operator"},
    {__LINE__, "(A", "at 3: the end, expected an operator or \")\""},
    {__LINE__, "A)", "at 2: \")\", expected an operator"},
    {__LINE__, "()", "at 2: \")\", expected a signal"},
    {__LINE__, "A | | B", "at 5: \"|\", expected a signal"},
    {__LINE__, "A & B & C & D & E", "at 17: a fifth signal, expected at most 4 different ones"},
    {__LINE__, "rise(A) & B & C & D",
     "at 19: a fifth signal, expected at most 4 different ones; rise(), fall() and last() add one"},
    {__LINE__, "last(A) & last(B) & last(C)", "at 26: a third signal as of the previous clock"},
    {__LINE__, "rise(A", "at 7: the end, expected an operator or \")\""},
    {__LINE__, "rise(A & B)", "at 8: \"&\", expected an operator or \")\""},
    {__LINE__, "sum(A)", "a sum of one signal, expected 2 to 6"},
    {__LINE__, "sum(A, B, C, D, E, F, G)", "a seventh bit, expected at most 6"},
    {__LINE__, "sum(A, B) & C", "at 11: \"&\", expected an operator"},
    {__LINE__, "sum(A, B) if", "at 13: the end, expected a signal"},
    {__LINE__, "A & sum(B, C)", "at 8: \"(\", expected an operator"},
    {__LINE__, "sum(A B)", "at 7: \"B\", expected \",\" or \")\""},
    {__LINE__, "0x", "at 1: \"0x\", expected an index from 0x00 to 0xff"},
    {__LINE__, "0x100", "at 1: \"0x100\", expected an index from 0x00 to 0xff"},
    {__LINE__, "0x1g", "expected an index from 0x00 to 0xff"},
    {__LINE__, "9:A", "at 1: domain \"9\", expected 0 to 7, GPC0, GPC0[2], PART1 or HUB6"},
    {__LINE__, "GPC0[x]:A", "domain \"GPC0[x]\""},
    {__LINE__, "GPC0[1:A", "domain \"GPC0[1\""},
    {__LINE__, "GPC0[1]]:A", "domain \"GPC0[1]]\""},
    {__LINE__, "1:A & 2:B", "at 7: two domains: a counter counts signals of one"},
    {__LINE__, "GPC0[1]:A & GPC0[2]:B", "two domains"},
    {__LINE__, "\"A", "at 1: \"\"\", expected a name in quotation marks"},
    {__LINE__, "\"\"", "expected a name in quotation marks"},
    {__LINE__, "A \x7f B", "expression \"A ? B\", at 3: character 0x7f, expected an operator"},
    {__LINE__, "\"A\nB\"", "expression \"\"A?B\"\", at 1: a name with the character 0x0a"},
    {__LINE__, "A # B", "at 3: \"#\", expected an operator"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(malformed_rows); i++) {
        struct expression expression;
        struct tally_error error = {0};
        char quoted[128];
        int result = expression_parse(malformed_rows[i].text, &expression, &error);
        char shown[EXPRESSION_SHOWN];
        snprintf(quoted, sizeof quoted, "expression \"%s\"",
                 expression_shown(malformed_rows[i].text, shown));
        ROW(malformed_rows[i].line,
            result == -EBADMSG && error.code == result &&
                strstr(error.message, malformed_rows[i].message) && strstr(error.message, quoted),
            "\"%s\": %d \"%s\"", malformed_rows[i].text, result, error.message);
    }
    ROWS_DONE();
}

/* Deep nesting and long names neither overflow the stack nor a buffer. */
static void test_limits(void **state)
{
    (void)state;
    struct expression expression;
    struct tally_error error = {0};
    char text[4096];
    for (unsigned depth = 1; depth < 2000; depth *= 3) {
        memset(text, '(', depth);
        text[depth] = 'A';
        memset(text + depth + 1, ')', depth);
        text[2 * depth + 1] = '\0';
        int result = expression_parse(text, &expression, &error);
        assert_int_equal(result, depth <= 64 ? 0 : -EBADMSG);
    }
    assert_non_null(strstr(error.message, "more than 64 nested parentheses"));
    for (unsigned size = 90; size < 100; size++) {
        memset(text, 'x', size);
        text[size] = '\0';
        assert_int_equal(expression_parse(text, &expression, &error), size < 96 ? 0 : -EBADMSG);
    }
    assert_non_null(strstr(error.message, "a name of 99 characters, expected at most 95"));
    memset(text, '!', 2001);
    strcpy(text + 2001, "A");
    assert_int_equal(expression_parse(text, &expression, &error), 0);
    assert_int_equal(expression.table, 0x5555);
}

/* ---- signals --------------------------------------------------------------------------------- */

static const struct {
    unsigned line;
    const char *chipset, *text;
    int domain; /* wanted */
    int found;  /* domain, or -errno */
    const char *message;
    uint8_t signals[4];
} signal_rows[] = {
    {__LINE__, "g92", "PGRAPH.IDLE", ANY_DOMAIN, 1, NULL, {0xbd}},
    {__LINE__, "g92", "pgraph.idle & PGRAPH.INTR", ANY_DOMAIN, 1, NULL, {0xbd, 0xbf}},
    {__LINE__, "g92", "PGRAPH.IDLE", 1, 1, NULL, {0xbd}},
    {__LINE__, "g92", "1:PGRAPH.IDLE", ANY_DOMAIN, 1, NULL, {0xbd}},
    {__LINE__, "g92", "VFETCH.MUX[3]", ANY_DOMAIN, 1, NULL, {0x69}},
    {__LINE__, "g92", "pc01_vfetch_03", ANY_DOMAIN, 1, NULL, {0x69}},
    {__LINE__, "g92", "VFETCH.MUX[3] & pc01_vfetch_03", ANY_DOMAIN, 1, NULL, {0x69}},
    {__LINE__, "g92", "0x01 | PGRAPH.IDLE", ANY_DOMAIN, 1, NULL, {0x01, 0xbd}},
    {__LINE__, "g92", "3:\"MPC GROUP 0[1]\"", ANY_DOMAIN, 3, NULL, {0x01}},
    {__LINE__, "g92", "7:PCOUNTER.PERIODIC", ANY_DOMAIN, 7, NULL, {0xed}},
    {__LINE__, "g92", "PCOUNTER.PERIODIC & PFB.UNK6.CG[0]", ANY_DOMAIN, 4, NULL, {0x4d, 0x14}},
    {__LINE__, "nv10", "PCOUNTER.FLAG", ANY_DOMAIN, 0, NULL, {0x9f}},
    {__LINE__, "nv10", "0x12", ANY_DOMAIN, 0, NULL, {0x12}},
    {__LINE__, "nv40", "1:0x8f", ANY_DOMAIN, 1, NULL, {0x8f}},
    {__LINE__, "gf100", "GPC.TPC.L1.MUX[3]", ANY_DOMAIN, 8, NULL, {0x05}},
    {__LINE__, "gf100", "PART1:CROP.MUX_A[15]", ANY_DOMAIN, 17, NULL, {0x0f}},
    {__LINE__, "gf100", "HUB6:CCACHE.MUX[0]", ANY_DOMAIN, 30, NULL, {0x08}},

    {__LINE__,
     "g92",
     "PGRAPH.IDEL",
     ANY_DOMAIN,
     -ENOENT,
     "expression \"PGRAPH.IDEL\", at 1: unknown signal \"PGRAPH.IDEL\", expected PGRAPH.IDLE (see "
     "tally list signals --chipset g92)",
     {0}},
    {__LINE__,
     "g92",
     "PGRAPH.IDLE & PGRAPH.INTA",
     ANY_DOMAIN,
     -ENOENT,
     "at 15: unknown signal \"PGRAPH.INTA\", expected PGRAPH.INTR",
     {0}},
    {__LINE__,
     "g92",
     "2:PGRAPH.IDLE",
     ANY_DOMAIN,
     -ENOENT,
     "at 3: unknown signal \"PGRAPH.IDLE\" of domain 2, expected ",
     {0}},
    {__LINE__,
     "g92",
     "VFETCH.MUX",
     ANY_DOMAIN,
     -ENOENT,
     "at 1: \"VFETCH.MUX\" is a group, expected VFETCH.MUX[0] to VFETCH.MUX[25]",
     {0}},
    {__LINE__,
     "g92",
     "VFETCH.MUX[26]",
     ANY_DOMAIN,
     -ENOENT,
     "unknown signal \"VFETCH.MUX[26]\", expected VFETCH.MUX[25]",
     {0}},
    {__LINE__, "g92", "VFETCH.MUXX[2]", ANY_DOMAIN, -ENOENT, "expected VFETCH.MUX[2]", {0}},
    {__LINE__,
     "g92",
     "PGRAPH.IDLE & PROP.MUX[1]",
     ANY_DOMAIN,
     -ENOENT,
     "at 15: \"PROP.MUX[1]\" is in domain 2, \"PGRAPH.IDLE\" in domain 1: a counter counts signals "
     "of one domain",
     {0}},
    {__LINE__,
     "g92",
     "PCOUNTER.PERIODIC",
     ANY_DOMAIN,
     -ENOTUNIQ,
     "at 1: \"PCOUNTER.PERIODIC\" is in domains 0 and 1, expected 0: or 1: in front of it",
     {0}},
    {__LINE__,
     "g92",
     "1",
     ANY_DOMAIN,
     -ENOTUNIQ,
     "expression \"1\": the domain is missing, expected one such as 0: in front",
     {0}},
    {__LINE__, "g92", "0x12", ANY_DOMAIN, -ENOTUNIQ, "the domain is missing", {0}},
    {__LINE__,
     "g92",
     "ZCULL.???",
     ANY_DOMAIN,
     -ENOENT,
     "the meaning of \"ZCULL.???\" is unknown, expected an index such as 0x07",
     {0}},
    {__LINE__, "g92", "1:PGRAPH.IDLE", 2, -ENOENT, "domain 1, expected 2 as requested", {0}},
    {__LINE__, "g80", "5:0x12", ANY_DOMAIN, -ENOENT, "domain 5, expected 0 to 4 (g80)", {0}},
    {__LINE__, "nv10", "1:0x12", ANY_DOMAIN, -ENOENT, "domain 1, expected 0 (nv10)", {0}},
    {__LINE__, "g92", "GPC0:0x12", ANY_DOMAIN, -ENOENT, "domain GPC0, expected 0 to 7 (g92)", {0}},
    {__LINE__,
     "gf100",
     "1:0x12",
     ANY_DOMAIN,
     -ENOENT,
     "domain 1, expected GPC0, PART0 to PART1 or HUB0 to HUB7 (gf100)",
     {0}},
    {__LINE__, "gf100", "GPC1:0x12", ANY_DOMAIN, -ENOENT, "domain GPC1, expected GPC0, PART0", {0}},
    {__LINE__,
     "gf100",
     "GPC0[4]:0x12",
     ANY_DOMAIN,
     -ENOENT,
     "GPC0[4], expected 0 to 3 (gf100)",
     {0}},
    {__LINE__,
     "nv40",
     "1:PGRAPH.PM_TRIGGER",
     ANY_DOMAIN,
     -ENOENT,
     "at 3: the index of \"PGRAPH.PM_TRIGGER\" in domain 1 of nv40 is not published",
     {0}},
    {__LINE__,
     "nv40",
     "PGRAPH.IDLE",
     ANY_DOMAIN,
     -ENOENT,
     "unknown signal \"PGRAPH.IDLE\": none of nv40 is published",
     {0}},
};

static void test_signals(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(signal_rows); i++) {
        const struct tally_chipset *chipset = tally_chipset_find(signal_rows[i].chipset);
        int domain = signal_rows[i].domain, instance = ALL_INSTANCES;
        struct perfmon_function function = {0};
        struct expression expression;
        struct tally_error error = {0};
        int result = expression_parse(signal_rows[i].text, &expression, &error);
        if (!result)
            result =
                expression_resolve(&expression, chipset, &domain, &instance, &function, &error);
        bool right = signal_rows[i].found < 0
                         ? result == signal_rows[i].found && error.code == result &&
                               strstr(error.message, signal_rows[i].message)
                         : !result && domain == signal_rows[i].found &&
                               !memcmp(function.logic.signals, signal_rows[i].signals, 4);
        ROW(signal_rows[i].line, right, "%s %s: %d, domain %d, signals %02x %02x, \"%s\"",
            chipset->name, signal_rows[i].text, result, domain, function.logic.signals[0],
            function.logic.signals[1], error.message);
    }
    ROWS_DONE();
}

/* ---- random expressions ---------------------------------------------------------------------- */

/* What the function of a parsed expression adds at a clock. */
static unsigned function_value(const struct perfmon_function *function, const bool *now,
                               const bool *before)
{
    unsigned index = 0, sum = 0;
    for (unsigned i = 0; i < function->logic.count; i++) {
        const bool *values = function->logic.delayed[i] ? before : now;
        index |= (unsigned)values[function->logic.signals[i]] << i;
    }
    if (!(function->logic.table >> index & 1))
        return 0;
    for (unsigned i = 0; i < function->bit_count; i++)
        sum += (unsigned)now[function->bits[i]] << i;
    return function->bit_count ? sum : 1;
}

static void test_random(void **state)
{
    static const uint8_t signals[] = {0x00, 0x11, 0x22, 0x33, 0x80, 0xff};
    const struct tree_options options = {signals, ARRAY_COUNT(signals), 6, true, true, 4, 1};
    uint64_t seed = 1;
    unsigned cases = random_cases(3000), sums = 0, delays = 0;
    (void)state;
    for (unsigned i = 0; i < cases; i++) {
        struct tree tree;
        struct expression expression;
        struct perfmon_function function;
        struct tally_error error = {0};
        int domain = ANY_DOMAIN, instance = ALL_INSTANCES;
        tree_random(&tree, &options, &seed);
        if (expression_parse(tree.text, &expression, &error) ||
            expression_resolve(&expression, tally_chipset_find("g92"), &domain, &instance,
                               &function, &error))
            fail_msg("case %u: %s: %s", i, tree.text, error.message);
        sums += function.bit_count > 0;
        delays += function.logic.count && function.logic.delayed[function.logic.count - 1];
        for (unsigned k = 0; k < 40; k++) {
            bool now[256], before[256];
            for (unsigned s = 0; s < 256; s++) {
                now[s] = tree_below(&seed, 2);
                before[s] = tree_below(&seed, 2);
            }
            unsigned right = tree_value(&tree, now, before);
            unsigned value = function_value(&function, now, before);
            if (value != right)
                fail_msg("case %u: %s: %u, expected %u", i, tree.text, value, right);
        }
    }
    assert_true(sums > cases / 10 && delays > cases / 20);
}

/* Equal functions have equal keys, whatever their text; others do not. */
static const struct {
    unsigned line;
    const char *a, *b;
    bool same;
} key_rows[] = {
    {__LINE__, "0x1 & 0x2", "0x2 & 0x1", true},
    {__LINE__, "0x1 & !0x2", "!0x2 && 0x1", true},
    {__LINE__, "0x1 & !0x2", "0x2 & !0x1", false},
    {__LINE__, "0x1 & 0x2", "0x1 | 0x2", false},
    {__LINE__, "0x1", "0x1 & (0x2 | !0x2)", true},
    {__LINE__, "rise(0x1)", "0x1 & !last(0x1)", true},
    {__LINE__, "rise(0x1)", "fall(0x1)", false},
    {__LINE__, "last(0x1)", "0x1", false},
    {__LINE__, "last(0x1) & 0x2", "0x2 & last(0x1)", true},
    {__LINE__, "last(0x1) & 0x2", "last(0x2) & 0x1", false},
    {__LINE__, "sum(0x1, 0x2)", "sum(0x2, 0x1)", false},
    {__LINE__, "sum(0x1, 0x2)", "sum(0x1, 0x2) if 1", true},
    {__LINE__, "sum(0x1, 0x2)", "sum(0x1, 0x2) if 0x3", false},
    {__LINE__, "sum(0x1, 0x2) if 0x3 & 0x4", "sum(0x1, 0x2) if 0x4 & 0x3", true},
    {__LINE__, "sum(0x1, 0x2)", "sum(0x1, 0x2, 0x3)", false},
    {__LINE__, "0x1 ^ 0x2 ^ 0x3 ^ 0x4", "0x4 ^ 0x2 ^ 0x1 ^ 0x3", true},
    {__LINE__, "0x1 & 0x1", "0x1", true},
    {__LINE__, "0", "0x1 & !0x1", true},
};

static struct perfmon_key key_of(const char *text)
{
    struct expression expression;
    struct perfmon_function function = {0};
    struct tally_error error = {0};
    int domain = 1, instance = ALL_INSTANCES;
    assert_int_equal(expression_parse(text, &expression, &error), 0);
    assert_int_equal(expression_resolve(&expression, tally_chipset_find("g92"), &domain, &instance,
                                        &function, &error),
                     0);
    return perfmon_function_key(&function);
}

static void test_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(key_rows); i++) {
        struct perfmon_key a = key_of(key_rows[i].a), b = key_of(key_rows[i].b);
        ROW(key_rows[i].line, !memcmp(&a, &b, sizeof a) == key_rows[i].same, "%s and %s",
            key_rows[i].a, key_rows[i].b);
    }
    ROWS_DONE();
}

int run_expression_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logic),  cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_signals),
        cmocka_unit_test(test_random), cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests_name("expressions", tests, NULL, NULL);
}
