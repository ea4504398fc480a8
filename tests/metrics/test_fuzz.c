/* SPDX-License-Identifier: MIT */
/* Random equations, with every operation on every kind of operand, against the reference. */
#include "metrics/tests.h"

#include "metrics/reference.h"

#define COUNTERS 40

struct random_set {
    char texts[COUNTERS][800];
    char symbols[COUNTERS][8];
    struct tally_counter counters[COUNTERS];
    struct tally_metric_set set;
};

static const char *const operations[] = {"UADD", "USUB", "UMUL", "UDIV", "UMIN",  "AND", "<<",
                                         ">>",   "UGT",  "UGTE", "ULT",  "ULTE",  "&&",  "FADD",
                                         "FSUB", "FMUL", "FDIV", "FMAX", "FRATIO"};
static const char *const numbers[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "7",
                                      "10",
                                      "100",
                                      "1000",
                                      "63",
                                      "64",
                                      "65535",
                                      "0x3",
                                      "4294967296",
                                      "4503599627370496",
                                      "18446744073709551615",
                                      "0.5",
                                      "2.5",
                                      "0.0",
                                      "100.0",
                                      "1e9",
                                      "1e-6",
                                      "1e18",
                                      "1e300"};
static const char *const variables[] = {
    "$EuCoresTotalCount",     "$EuThreadsCount",  "$SliceMask",     "$SubsliceMask",
    "$GpuTimestampFrequency", "$GpuMaxFrequency", "$SkuRevisionId", "$QueryMode"};

/* Appends a leaf. Counters may name those after them: the set's order is not the order of need. */
static size_t put_leaf(struct random *rng, char *to, size_t counter, const struct random_set *set)
{
    uint64_t kind = random_below(rng, 10);
    if (kind < 5) {
        unsigned a = (unsigned)random_below(rng, 36), bc = (unsigned)random_below(rng, 8);
        switch (random_below(rng, 6)) {
        case 0:
            return (size_t)sprintf(to, "B %u READ ", bc);
        case 1:
            return (size_t)sprintf(to, "C %u READ ", bc);
        case 2:
            return (size_t)sprintf(to, "GPU_CLOCK 0 READ ");
        case 3:
            return (size_t)sprintf(to, "GPU_TIME 0 READ ");
        default:
            return (size_t)sprintf(to, "A %u READ ", a);
        }
    }
    if (kind < 7)
        return (size_t)sprintf(to, "%s ", numbers[random_below(rng, COUNT(numbers))]);
    if (kind < 8)
        return (size_t)sprintf(to, "%s ", variables[random_below(rng, COUNT(variables))]);
    if (counter + 1 < COUNTERS) {
        size_t other = counter + 1 + random_below(rng, COUNTERS - counter - 1);
        return (size_t)sprintf(to, "$%s ", set->symbols[other]);
    }
    return (size_t)sprintf(to, "1 ");
}

static void random_equation(struct random *rng, struct random_set *set, size_t counter)
{
    char *text = set->texts[counter], *to = text;
    unsigned depth = 0, wanted = 1 + (unsigned)random_below(rng, 18);
    for (unsigned leaves = 0; leaves < wanted || depth > 1;) {
        if (depth < 2 || (leaves < wanted && random_below(rng, 2))) {
            to += put_leaf(rng, to, counter, set);
            depth++;
            leaves++;
        } else {
            to += sprintf(to, "%s ", operations[random_below(rng, COUNT(operations))]);
            depth--;
        }
    }
    assert_true(to < text + sizeof set->texts[0]);
}

static void random_set_make(struct random *rng, struct random_set *set)
{
    for (size_t i = 0; i < COUNTERS; i++)
        sprintf(set->symbols[i], "C%zu", i);
    for (size_t i = 0; i < COUNTERS; i++) {
        random_equation(rng, set, i);
        set->counters[i] = (struct tally_counter){
            .symbol = set->symbols[i],
            .equation = set->texts[i],
            .max_equation = "",
            .availability = "",
            .type = random_below(rng, 2) ? TALLY_DOUBLE : TALLY_UINT64,
        };
    }
    set->set = (struct tally_metric_set){
        .symbol = "Random", .file = "random", .counters = set->counters, .counter_count = COUNTERS};
}

/* How many values of each counter were compared; a sweep that compares nothing is none. */
static size_t compare(struct tally_program *program, struct reference *reference,
                      const struct block *block, size_t count)
{
    const struct tally_metric_set *set = reference->set;
    size_t compared = 0;
    tally_program_run(program, block->reports, count);
    for (size_t i = 0; i < count; i++) {
        union tally_value evaluated[COUNTERS];
        reference_take(reference, block->deltas[i]);
        tally_program_evaluate(program, block->deltas[i], evaluated);
        for (size_t c = 0; c < set->counter_count; c++) {
            const struct tally_counter *counter = &set->counters[c];
            const union tally_value *values = tally_program_values(program, c);
            union tally_value expected = reference_counter(reference, c);
            ROW(__LINE__, same_value(values[i], evaluated[c], counter->type),
                "%s: \"%s\" is %s in a block, %s alone", tally_simd(), counter->equation,
                value_text(values[i], counter->type), value_text(evaluated[c], counter->type));
            ROW(__LINE__, same_value(values[i], expected, counter->type),
                "%s, delta %zu of %zu: \"%s\" is %s, expected %s", tally_simd(), i, count,
                counter->equation, value_text(values[i], counter->type),
                value_text(expected, counter->type));
            ROW(__LINE__, same_value(evaluated[c], expected, counter->type),
                "evaluated: \"%s\" is %s, expected %s", counter->equation,
                value_text(evaluated[c], counter->type), value_text(expected, counter->type));
            compared++;
        }
    }
    return compared;
}

#define ROUNDS 60

static void test_random_equations(void **state)
{
    (void)state;
    struct random rng = {12};
    struct random_set *set = calloc(1, sizeof *set);
    struct block *block = calloc(1, sizeof *block);
    const struct tally_layout *layout = tally_layout_find("skl/101");
    size_t compared = 0, possible = 0;
    assert_non_null(set);
    assert_non_null(block);
    for (unsigned round = 0; round < random_cases(ROUNDS); round++) {
        struct tally_environment environment;
        struct reference reference;
        size_t count = 1 + random_below(&rng, TALLY_BLOCK);
        random_set_make(&rng, set);
        random_environment(&rng, tally_platform_find("skl"), &environment);
        random_block(&rng, layout, block);
        reference_init(&reference, &set->set, &environment, layout);
        for (size_t path = 0; path < COUNT(simd_paths); path++) {
            struct tally_program *program = NULL;
            struct tally_error error = {0};
            if (!simd_use(simd_paths[path]))
                continue;
            if (!ROW(__LINE__,
                     !tally_program_new(&set->set, &environment, layout, &program, &error), "%s",
                     error.message))
                continue;
            compared += compare(program, &reference, block, count);
            possible += count * COUNTERS;
            tally_program_free(program);
        }
        reference_fini(&reference);
    }
    simd_best();
    free(set);
    free(block);
    ROWS_DONE();
    assert_int_equal(compared, possible);
}

/* Each operation between a read and each number, both ways: divisions by constants among them. */
static void test_each_operation_with_each_number(void **state)
{
    (void)state;
    struct random rng = {13};
    struct random_set *set = calloc(1, sizeof *set);
    struct block *block = calloc(1, sizeof *block);
    const struct tally_layout *layout = tally_layout_find("skl/101");
    struct tally_environment environment;
    size_t compared = 0;
    assert_non_null(set);
    assert_non_null(block);
    tally_environment_default(tally_platform_find("skl"), &environment);
    for (size_t o = 0; o < COUNT(operations); o++) {
        for (size_t n = 0; n < COUNT(numbers); n++) {
            random_set_make(&rng, set);
            for (unsigned i = 0; i < 8; i++) {
                unsigned a = (unsigned)random_below(&rng, 36);
                char left[40], right[40];
                snprintf(left, sizeof left, "A %u READ%s", a, i & 4 ? " 1.0 FMUL" : "");
                snprintf(right, sizeof right, "%s", numbers[n]);
                sprintf(set->texts[i], "%s %s %s", i & 1 ? left : right, i & 1 ? right : left,
                        operations[o]);
                set->counters[i].type = i & 2 ? TALLY_DOUBLE : TALLY_UINT64;
            }
            set->set.counter_count = 8;
            random_block(&rng, layout, block);
            struct reference reference;
            reference_init(&reference, &set->set, &environment, layout);
            for (size_t path = 0; path < COUNT(simd_paths); path++) {
                struct tally_program *program = NULL;
                if (!simd_use(simd_paths[path]))
                    continue;
                assert_int_equal(tally_program_new(&set->set, &environment, layout, &program, NULL),
                                 0);
                compared += compare(program, &reference, block, 16);
                tally_program_free(program);
            }
            reference_fini(&reference);
        }
    }
    simd_best();
    free(set);
    free(block);
    ROWS_DONE();
    assert_true(compared > 40000);
}

/*
 * Integer division is done with doubles where both numbers are below 2^52: quotients near whole
 * numbers, where rounding could err, for divisors constant and not.
 */
static void test_division_at_its_edges(void **state)
{
    (void)state;
    struct random rng = {14};
    const struct tally_layout *layout = tally_layout_find("mtl/001"); /* MPEC: 64 bits */
    struct tally_environment environment;
    tally_environment_default(tally_platform_find("mtl"), &environment);
    for (unsigned round = 0; round < random_cases(600); round++) {
        uint64_t divisor = random_magnitude(&rng) >> random_below(&rng, 30);
        if (round % 4 == 0)
            divisor = (UINT64_C(1) << random_below(&rng, 64)) + random_below(&rng, 3) - 1;
        char text[64];
        snprintf(text, sizeof text, "A 0 READ %" PRIu64 " UDIV", divisor);
        const struct tally_counter counters[] = {
            {.symbol = "X",
             .equation = "A 0 READ A 1 READ UDIV",
             .max_equation = "",
             .availability = ""},
            {.symbol = "Y", .equation = text, .max_equation = "", .availability = ""},
        };
        const struct tally_metric_set set = {
            .symbol = "Division", .file = "division", .counters = counters, .counter_count = 2};
        uint8_t bytes[TALLY_BLOCK + 1][256] = {{0}};
        const uint8_t *reports[TALLY_BLOCK + 1];
        uint64_t dividends[TALLY_BLOCK], slots[TALLY_SLOT_COUNT] = {0};
        bool small = round % 2;
        for (size_t i = 0; i <= TALLY_BLOCK; i++) {
            tally_report_pack(layout, slots, bytes[i]);
            reports[i] = bytes[i];
            if (i == TALLY_BLOCK)
                break;
            /* A multiple of the divisor, or one beside it. */
            uint64_t multiple = divisor ? divisor * (random_magnitude(&rng) / divisor) : 0;
            dividends[i] = multiple + random_below(&rng, 3) - 1;
            if (small)
                dividends[i] &= ones(52);
            slots[PEC(0)] += dividends[i];
            slots[PEC(1)] += divisor;
        }
        for (size_t path = 0; path < COUNT(simd_paths); path++) {
            struct tally_program *program = NULL;
            if (!simd_use(simd_paths[path]))
                continue;
            assert_int_equal(tally_program_new(&set, &environment, layout, &program, NULL), 0);
            tally_program_run(program, reports, TALLY_BLOCK);
            for (size_t i = 0; i < TALLY_BLOCK; i++) {
                uint64_t expected = divisor ? dividends[i] / divisor : TALLY_UNDEFINED;
                for (size_t c = 0; c < 2; c++)
                    ROW(__LINE__, tally_program_values(program, c)[i].u == expected,
                        "%s: %" PRIu64 " / %" PRIu64 " is %" PRIu64, tally_simd(), dividends[i],
                        divisor, tally_program_values(program, c)[i].u);
            }
            tally_program_free(program);
        }
    }
    simd_best();
    ROWS_DONE();
}

int test_fuzz(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_equations),
        cmocka_unit_test(test_each_operation_with_each_number),
        cmocka_unit_test(test_division_at_its_edges),
    };
    return cmocka_run_group_tests_name("random equations", tests, NULL, NULL);
}
