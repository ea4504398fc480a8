/* SPDX-License-Identifier: MIT */
/* Counters that are not there, counters of counters, and sets that do not compile. */
#include "metrics/tests.h"

#include "metrics/program.h"

static const struct tally_platform *skl(void)
{
    return tally_platform_find("skl");
}

/* ---- states -------------------------------------------------------------------------------- */

static void test_state_names(void **state)
{
    (void)state;
    assert_string_equal(tally_counter_state_name(TALLY_COUNTER_OK), "ok");
    assert_string_equal(tally_counter_state_name(TALLY_COUNTER_UNAVAILABLE), "unavailable");
    assert_string_equal(tally_counter_state_name(TALLY_COUNTER_UNSUPPORTED), "unsupported");
}

#define OK          TALLY_COUNTER_OK
#define UNAVAILABLE TALLY_COUNTER_UNAVAILABLE
#define UNSUPPORTED TALLY_COUNTER_UNSUPPORTED

/* A single counter: by the fields it reads in a layout, and by its availability on a GPU with slice
 * mask 5, 2 slices, revision 3. */
static void test_states_of_single_counters(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *layout, *equation, *availability;
        enum tally_counter_state expected;
    } rows[] = {
        {__LINE__, "skl/101", "1", "", OK},
        {__LINE__, "skl/101", "A 35 READ", "", OK},
        {__LINE__, "skl/101", "A 36 READ", "", UNSUPPORTED},
        {__LINE__, "skl/101", "A 63 READ", "", UNSUPPORTED},
        {__LINE__, "skl/101", "A 64 READ", "", UNSUPPORTED}, /* and not B0 */
        {__LINE__, "skl/101", "B 7 READ C 7 READ UADD", "", OK},
        {__LINE__, "skl/101", "B 8 READ", "", UNSUPPORTED}, /* and not C0 */
        {__LINE__, "skl/101", "C 8 READ", "", UNSUPPORTED},
        {__LINE__, "skl/101", "C 16 READ", "", UNSUPPORTED},
        {__LINE__, "skl/101", "GPU_TIME 0 READ GPU_CLOCK 0 READ UADD", "", OK},
        {__LINE__, "skl/101", "GPU_TIME 1 READ", "", UNSUPPORTED},
        {__LINE__, "skl/101", "GPU_CLOCK 1 READ", "", UNSUPPORTED},
        {__LINE__, "skl/101", "PERFCNT 0 READ", "", UNSUPPORTED},
        {__LINE__, "skl/101", "1 A 36 READ 0 UMUL UADD", "", UNSUPPORTED}, /* anywhere in it */
        {__LINE__, "skl/000", "A 7 READ", "", OK},
        {__LINE__, "skl/000", "A 6 READ", "", UNSUPPORTED},
        {__LINE__, "skl/000", "B 0 READ", "", UNSUPPORTED},
        {__LINE__, "skl/111", "C 3 READ", "", OK},
        {__LINE__, "skl/111", "C 4 READ", "", UNSUPPORTED},
        {__LINE__, "hsw/101", "GPU_CLOCK 0 READ", "", UNSUPPORTED}, /* no ticks before Gen8 */
        {__LINE__, "hsw/101", "A 44 READ", "", OK},
        {__LINE__, "ivb/101", "C 11 READ", "", OK},
        {__LINE__, "ivb/101", "B 4 READ", "", UNSUPPORTED},
        {__LINE__, "mtl/001", "A 7 READ", "", OK}, /* the media unit's own counters */
        {__LINE__, "mtl/001", "A 8 READ", "", UNSUPPORTED},
        {__LINE__, "mtl/001", "C 16 READ", "", UNSUPPORTED}, /* and not PEC0 */
        {__LINE__, "xe/oac_a24u64_b8_c8", "A 28 READ", "", OK},
        {__LINE__, "xe/oac_a24u64_b8_c8", "A 16 READ", "", UNSUPPORTED},
        {__LINE__, "xe/oac_a24u64_b8_c8", "A 27 READ", "", UNSUPPORTED},

        {__LINE__, "skl/101", "1", "true", OK},
        {__LINE__, "skl/101", "1", "false", UNAVAILABLE},
        {__LINE__, "skl/101", "1", "0", UNAVAILABLE},
        {__LINE__, "skl/101", "1", "0.5", OK}, /* true, although it truncates to 0 */
        {__LINE__, "skl/101", "1", "0.0", UNAVAILABLE},
        {__LINE__, "skl/101", "1", "$SliceMask 1 AND", OK},
        {__LINE__, "skl/101", "1", "$SliceMask 2 AND", UNAVAILABLE},
        {__LINE__, "skl/101", "1", "$SliceMask 4 AND $SkuRevisionId 3 UGTE &&", OK},
        {__LINE__, "skl/101", "1", "$SliceMask 4 AND $SkuRevisionId 4 UGTE &&", UNAVAILABLE},
        {__LINE__, "skl/101", "1", "$SkuRevisionId 4 ULT", OK},
        {__LINE__, "skl/101", "1", "$QueryMode", UNAVAILABLE},
        {__LINE__, "skl/101", "1", "$GtSlice2", OK},
        {__LINE__, "skl/101", "1", "$GtSlice1", UNAVAILABLE},
        /* "Not on this GPU" has precedence over "not in this layout". */
        {__LINE__, "skl/101", "PERFCNT 0 READ", "$QueryMode", UNAVAILABLE},
        {__LINE__, "skl/101", "A 36 READ", "$SliceMask 1 AND", UNSUPPORTED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_counter counter = {.symbol = "X",
                                              .equation = rows[i].equation,
                                              .max_equation = "",
                                              .availability = rows[i].availability};
        const struct tally_metric_set set = {
            .symbol = "Test", .file = "rows", .counters = &counter, .counter_count = 1};
        struct tally_environment environment = {
            .platform = skl(), .topology = {.slices = 2, .slice_mask = 5}, .revision = 3};
        struct tally_program *program = NULL;
        struct tally_error error = {0};
        if (!ROW(rows[i].line,
                 !tally_program_new(&set, &environment, tally_layout_find(rows[i].layout), &program,
                                    &error),
                 "%s", error.message))
            continue;
        enum tally_counter_state got = tally_program_state(program, 0);
        ROW(rows[i].line, got == rows[i].expected, "\"%s\" if \"%s\" is %s", rows[i].equation,
            rows[i].availability, tally_counter_state_name(got));
        ROW(rows[i].line, (tally_program_values(program, 0) != NULL) == (got == OK), "values");
        tally_program_free(program);
    }
    ROWS_DONE();
}

static void test_states_along_references(void **state)
{
    (void)state;
    static const char text[] = SET_OPEN("SKLGT2") U64_COUNTER("Last", "$Middle $Fine UADD", "")
        U64_COUNTER("Middle", "$Missing 1 UADD", "") U64_COUNTER("Missing", "A 36 READ", "")
            U64_COUNTER("Fine", "A 35 READ", "")
                U64_COUNTER("Gone", "A 1 READ", "availability=\"false\"")
                    U64_COUNTER("OfGone", "$Gone 1 UADD", "")
                        U64_COUNTER("Both", "A 36 READ", "availability=\"false\"")
                            U64_COUNTER("OfBoth", "$Both", "") SET_CLOSE;
    static const enum tally_counter_state expected[] = {
        UNSUPPORTED, UNSUPPORTED, UNSUPPORTED,
        OK,          UNAVAILABLE, OK, /* its operands are in the report */
        UNAVAILABLE, UNSUPPORTED};
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load_text(text, &set);
    struct tally_environment environment;
    struct tally_program *program = NULL;
    struct block *block = calloc(1, sizeof *block);
    struct random rng = {16};
    assert_non_null(block);
    tally_environment_default(skl(), &environment);
    assert_int_equal(
        tally_program_new(set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    for (size_t i = 0; i < COUNT(expected); i++)
        ROW(__LINE__, tally_program_state(program, i) == expected[i], "%s is %s",
            set->counters[i].symbol, tally_counter_state_name(tally_program_state(program, i)));
    random_block(&rng, tally_layout_find("skl/101"), block);
    tally_program_run(program, block->reports, TALLY_BLOCK);
    for (size_t i = 0; i < TALLY_BLOCK; i++)
        assert_int_equal(tally_program_values(program, 5)[i].u, block->deltas[i][A(1)] + 1);
    tally_program_free(program);
    tally_metric_file_free(file);
    free(block);
    ROWS_DONE();
}

/*
 * tally/metrics.h, tally_program_evaluate(): "those whose state is not OK are left alone", although
 * others may be made of them.
 */
static void test_evaluate_changes_no_other_values(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load_text(
        SET_OPEN("SKLGT2") U64_COUNTER("Fine", "A 1 READ $Gone UADD", "") U64_COUNTER(
            "Gone", "A 2 READ", "availability=\"false\"") U64_COUNTER("Missing", "A 36 READ", "")
            DOUBLE_COUNTER("Both", "A 36 READ", "availability=\"false\"") SET_CLOSE,
        &set);
    struct tally_environment environment;
    struct tally_program *program = NULL;
    uint64_t deltas[TALLY_SLOT_COUNT] = {0};
    union tally_value values[4];
    tally_environment_default(skl(), &environment);
    assert_int_equal(
        tally_program_new(set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    deltas[A(1)] = 5;
    deltas[A(2)] = 30;
    for (size_t i = 0; i < COUNT(values); i++)
        values[i].u = 0xabcd;
    tally_program_evaluate(program, deltas, values);
    ROW(__LINE__, values[0].u == 35, "%" PRIu64, values[0].u);
    ROW(__LINE__, values[1].u == 0xabcd, "unavailable: %" PRIu64, values[1].u);
    ROW(__LINE__, values[2].u == 0xabcd, "unsupported: %" PRIu64, values[2].u);
    ROW(__LINE__, values[3].u == 0xabcd, "both: %" PRIu64, values[3].u);
    tally_program_free(program);
    tally_metric_file_free(file);
    ROWS_DONE();
}

/* ---- maximum ------------------------------------------------------------------------------- */

static void test_maximum(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file =
        load_text(SET_OPEN("SKLGT2") U64_COUNTER("None", "1", "")
                      U64_COUNTER("Hundred", "1", "max_equation=\"100\"")
                          U64_COUNTER("Cut", "1", "max_equation=\"7 2 FDIV\"")
                              DOUBLE_COUNTER("Ratio", "1", "max_equation=\"7 2 FDIV\"") U64_COUNTER(
                                  "Clocks", "GPU_CLOCK 0 READ", "max_equation=\"$GpuMaxFrequency\"")
                                  DOUBLE_COUNTER("OfClocks", "1", "max_equation=\"$Clocks 2 UMUL\"")
                                      U64_COUNTER("Itself", "A 1 READ", "max_equation=\"$Itself\"")
                                          U64_COUNTER("Missing", "1", "max_equation=\"A 36 READ\"")
                                              U64_COUNTER("Bad", "A 36 READ", "") U64_COUNTER(
                                                  "OfBad", "1", "max_equation=\"$Bad\"") SET_CLOSE,
                  &set);
    static const struct {
        unsigned line;
        int result;
        union tally_value expected;
    } rows[] = {
        // clang-format off
        {__LINE__, -ENODATA, {0}},
        {__LINE__, 0, {.u = 100}},
        {__LINE__, 0, {.u = 3}},
        {__LINE__, 0, {.f = 3.5}},
        {__LINE__, 0, {.u = 1150000000}},
        {__LINE__, 0, {.f = 1000}},
        {__LINE__, 0, {.u = 9}},
        {__LINE__, -ENODATA, {0}},
        {__LINE__, -ENODATA, {0}},
        {__LINE__, -ENODATA, {0}},
        // clang-format on
    };
    struct tally_environment environment;
    struct tally_program *program = NULL;
    uint64_t deltas[TALLY_SLOT_COUNT] = {0};
    tally_environment_default(skl(), &environment);
    assert_int_equal(
        tally_program_new(set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    deltas[TALLY_SLOT_TICKS] = 500;
    deltas[A(1)] = 9;
    for (size_t i = 0; i < COUNT(rows); i++) {
        union tally_value value = {.u = 0xabcd};
        int result = tally_program_maximum(program, i, deltas, &value);
        ROW(rows[i].line, result == rows[i].result, "%s gives %d", set->counters[i].symbol, result);
        ROW(rows[i].line, value.u == (result ? 0xabcd : rows[i].expected.u), "%s: %s",
            set->counters[i].symbol, value_text(value, set->counters[i].type));
    }
    tally_program_free(program);
    tally_metric_file_free(file);
    ROWS_DONE();
}

/* ---- counters of counters ------------------------------------------------------------------ */

static void test_counters_of_counters(void **state)
{
    (void)state;
    /* Named before they are there, by way of types: Cut is an integer, so Half sees 3, not 3.5. */
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load_text(
        SET_OPEN("SKLGT2") DOUBLE_COUNTER("Half", "$Cut 2 FDIV", "")
            U64_COUNTER("Cut", "$Ratio", "") DOUBLE_COUNTER("Ratio", "A 1 READ 2 FDIV", "")
                U64_COUNTER("Twice", "$Ratio $Ratio UADD $Cut UADD", "") SET_CLOSE,
        &set);
    struct tally_environment environment;
    struct tally_program *program = NULL;
    uint64_t deltas[TALLY_SLOT_COUNT] = {0};
    union tally_value values[4];
    tally_environment_default(skl(), &environment);
    assert_int_equal(
        tally_program_new(set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    deltas[A(1)] = 7;
    tally_program_evaluate(program, deltas, values);
    assert_true(values[2].f == 3.5);
    assert_int_equal(values[1].u, 3);
    assert_true(values[0].f == 1.5);
    assert_int_equal(values[3].u, 10);
    tally_program_free(program);
    tally_metric_file_free(file);
}

/* A chain as long as a set may be: no recursion that could run out of stack. */
static void test_a_long_chain(void **state)
{
    (void)state;
    enum { LINKS = 20000 };
    char(*texts)[40] = calloc(LINKS, sizeof *texts),
    (*symbols)[16] = calloc(LINKS, sizeof *symbols);
    struct tally_counter *counters = calloc(LINKS, sizeof *counters);
    uint32_t *order = calloc(LINKS, sizeof *order);
    assert_true(texts && symbols && counters && order);
    for (int i = 0; i < LINKS; i++) {
        snprintf(symbols[i], sizeof symbols[i], "N%d", i);
        snprintf(texts[i], sizeof texts[i], i + 1 < LINKS ? "$N%d 1 UADD" : "A 1 READ", i + 1);
        counters[i] = (struct tally_counter){
            .symbol = symbols[i], .equation = texts[i], .max_equation = "", .availability = ""};
    }
    struct counter_equations *equations = calloc(LINKS, sizeof *equations);
    assert_non_null(equations);
    const struct tally_metric_set last = {.counters = counters + LINKS - 1, .counter_count = 1};
    for (size_t i = 0; i < LINKS; i++) { /* parsed with the one name that each needs */
        const struct tally_metric_set next = {.counters = counters + i + 1, .counter_count = 1};
        assert_int_equal(
            equation_parse(texts[i], i + 1 < LINKS ? &next : &last, &equations[i].value, NULL), 0);
        for (unsigned n = 0; n < equations[i].value.count; n++)
            if (equations[i].value.nodes[n].op == OP_COUNTER)
                equations[i].value.nodes[n].index = (uint32_t)i + 1;
    }
    size_t at = 0;
    assert_int_equal(counter_order(equations, LINKS, order, &at), 0);
    for (uint32_t i = 0; i < LINKS; i++)
        assert_int_equal(order[i], LINKS - 1 - i);
    /* And one that closes on itself. */
    equations[LINKS - 1].value.nodes[0].op = OP_COUNTER;
    equations[LINKS - 1].value.nodes[0].index = 0;
    assert_int_equal(counter_order(equations, LINKS, order, &at), -ELOOP);
    for (size_t i = 0; i < LINKS; i++)
        equation_fini(&equations[i].value);
    free(equations);
    free(texts);
    free(symbols);
    free(counters);
    free(order);
}

/* ---- sets that do not compile -------------------------------------------------------------- */

static void test_sets_that_do_not_compile(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        const char *message;
    } rows[] = {
        {__LINE__, SET_OPEN("SKL") U64_COUNTER("X", "$X", "") SET_CLOSE,
         "test.xml:1: Test.X refers to itself"},
        {__LINE__, SET_OPEN("SKL") U64_COUNTER("X", "1 $X UADD", "") SET_CLOSE,
         "Test.X refers to itself"},
        {__LINE__,
         SET_OPEN("SKL") "\n" U64_COUNTER("X", "$Y", "") U64_COUNTER("Y", "$X", "") SET_CLOSE,
         "refers to itself"},
        {__LINE__,
         SET_OPEN("SKL") "\n\n" U64_COUNTER("A", "1", "") U64_COUNTER("X", "$A $Y UADD", "")
             U64_COUNTER("Y", "$A $Z UADD", "") U64_COUNTER("Z", "$A $X UADD", "") SET_CLOSE,
         "test.xml:4: Test.X refers to itself"},
        {__LINE__, SET_OPEN("SKL") "\n\n" U64_COUNTER("X", "", "") SET_CLOSE,
         "test.xml:3: Test.X equation: 0 values are left"},
        {__LINE__, SET_OPEN("SKL") U64_COUNTER("X", "A 1 READ FOO", "") SET_CLOSE,
         "test.xml:1: Test.X equation: token 4 \"FOO\": not a number"},
        {__LINE__, SET_OPEN("SKL") U64_COUNTER("X", "$Nobody", "") SET_CLOSE,
         "Test.X equation: token 1 \"$Nobody\": neither a variable nor a counter"},
        {__LINE__, SET_OPEN("SKL") U64_COUNTER("X", "1", "max_equation=\"1 2\"") SET_CLOSE,
         "Test.X max_equation: 2 values are left"},
        {__LINE__, SET_OPEN("SKL") U64_COUNTER("X", "1", "availability=\"$Slice\"") SET_CLOSE,
         "Test.X availability: token 1 \"$Slice\": neither"},
        {__LINE__,
         SET_OPEN("SKL") U64_COUNTER("X", "1", "") "\n" U64_COUNTER("Y", "1 UADD", "") SET_CLOSE,
         "test.xml:3: Test.Y equation: token 2 \"UADD\": expected two operands"},
    };
    struct tally_environment environment;
    tally_environment_default(skl(), &environment);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_metric_set *set;
        struct tally_metric_file *file = load_text(rows[i].text, &set);
        struct tally_program *program = NULL;
        struct tally_error error = {0};
        const struct tally_layout *layout = tally_layout_find("skl/101");
        int result = tally_program_new(set, &environment, layout, &program, &error);
        ROW(rows[i].line, result == -EBADMSG && error.code == -EBADMSG && !program, "gives %d",
            result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "says \"%s\"", error.message);
        ROW(rows[i].line, tally_program_new(set, &environment, layout, &program, NULL) == -EBADMSG,
            "without an error");
        tally_metric_file_free(file);
    }
    ROWS_DONE();
}

/* More values than a program can number: refused, with the set's name. */
static void test_a_set_too_large(void **state)
{
    (void)state;
    enum { COUNTERS = 40, TERMS = 1500 };
    char *text = malloc(COUNTERS * TERMS * 24), *to = text;
    struct tally_counter counters[COUNTERS];
    assert_non_null(text);
    for (unsigned c = 0, number = 1; c < COUNTERS; c++) {
        counters[c] = (struct tally_counter){
            .symbol = "X", .equation = to, .max_equation = "", .availability = ""};
        to += sprintf(to, "A 1 READ ");
        for (unsigned t = 0; t < TERMS; t++)
            to += sprintf(to, "%u UADD ", number++);
        *to++ = '\0';
    }
    const struct tally_metric_set set = {
        .symbol = "Huge", .file = "huge.xml", .counters = counters, .counter_count = COUNTERS};
    struct tally_environment environment;
    struct tally_program *program = NULL;
    struct tally_error error = {0};
    tally_environment_default(skl(), &environment);
    assert_int_equal(
        tally_program_new(&set, &environment, tally_layout_find("skl/101"), &program, &error),
        -EBADMSG);
    assert_string_equal(error.message, "huge.xml: set Huge is too large to compile");
    free(text);
}

static void test_an_empty_set(void **state)
{
    (void)state;
    const struct tally_metric_set set = {.symbol = "Empty", .file = "empty.xml"};
    struct tally_environment environment;
    struct tally_program *program = NULL;
    struct block *block = calloc(1, sizeof *block);
    struct random rng = {17};
    assert_non_null(block);
    tally_environment_default(skl(), &environment);
    assert_int_equal(
        tally_program_new(&set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    random_block(&rng, tally_layout_find("skl/101"), block);
    tally_program_run(program, block->reports, TALLY_BLOCK);
    tally_program_evaluate(program, block->sums, NULL);
    tally_program_free(program);
    free(block);
}

int test_states(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state_names),
        cmocka_unit_test(test_states_of_single_counters),
        cmocka_unit_test(test_states_along_references),
        cmocka_unit_test(test_evaluate_changes_no_other_values),
        cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_counters_of_counters),
        cmocka_unit_test(test_a_long_chain),
        cmocka_unit_test(test_sets_that_do_not_compile),
        cmocka_unit_test(test_a_set_too_large),
        cmocka_unit_test(test_an_empty_set),
    };
    return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
