/* SPDX-License-Identifier: MIT */
/*
 * Compiled programs against the reference, bit for bit: every set and counter of the
 * project's own files and of the public ones, on every vector path, for any number of deltas.
 */
#include "metrics/tests.h"

#include "metrics/reference.h"

/* What the reference says of a set: the value of each counter for each delta, and for the sums. */
struct expected {
    union tally_value (*values)[TALLY_BLOCK];
    union tally_value *overall, *maximum;
    bool *maximum_missing;
    enum tally_counter_state *states;
};

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void expected_init(struct expected *expected, size_t counters)
{
    expected->values = zeroed(counters, sizeof *expected->values);
    expected->overall = zeroed(counters, sizeof *expected->overall);
    expected->maximum = zeroed(counters, sizeof *expected->maximum);
    expected->maximum_missing = zeroed(counters, sizeof *expected->maximum_missing);
    expected->states = zeroed(counters, sizeof *expected->states);
}

static void expected_fini(struct expected *expected)
{
    free(expected->values);
    free(expected->overall);
    free(expected->maximum);
    free(expected->maximum_missing);
    free(expected->states);
}

static void expect(struct expected *expected, struct reference *reference,
                   const struct block *block, size_t deltas)
{
    const struct tally_metric_set *set = reference->set;
    for (size_t c = 0; c < set->counter_count; c++)
        expected->states[c] = reference_state(reference, c);
    for (size_t i = 0; i < deltas; i++) {
        reference_take(reference, block->deltas[i]);
        for (size_t c = 0; c < set->counter_count; c++) {
            expected->values[c][i] = reference_counter(reference, c);
        }
    }
    reference_take(reference, block->sums);
    for (size_t c = 0; c < set->counter_count; c++) {
        expected->overall[c] = reference_counter(reference, c);
        if (!*set->counters[c].max_equation)
            continue;
        reference->missing = false;
        expected->maximum[c] =
            reference_equation(reference, set->counters[c].max_equation, set->counters[c].type);
        expected->maximum_missing[c] = reference->missing;
    }
}

static void check_values(struct tally_program *program, const struct expected *expected,
                         const struct block *block, size_t start, size_t count)
{
    const struct tally_metric_set *set = tally_program_set(program);
    tally_program_run(program, block->reports + start, count);
    for (size_t c = 0; c < set->counter_count; c++) {
        const struct tally_counter *counter = &set->counters[c];
        const union tally_value *values = tally_program_values(program, c);
        ROW(__LINE__, (values != NULL) == (expected->states[c] == TALLY_COUNTER_OK),
            "%s:%u %s.%s: values or none", set->file, counter->line, set->symbol, counter->symbol);
        for (size_t i = 0; values && i < count; i++)
            ROW(__LINE__, same_value(values[i], expected->values[c][start + i], counter->type),
                "%s:%u %s.%s, %s, delta %zu of %zu: %s, expected %s", set->file, counter->line,
                set->symbol, counter->symbol, tally_simd(), i, count,
                value_text(values[i], counter->type),
                value_text(expected->values[c][start + i], counter->type));
    }
}

static void check_overall(const struct tally_program *program, const struct expected *expected,
                          const struct block *block)
{
    const struct tally_metric_set *set = tally_program_set(program);
    union tally_value *values = zeroed(set->counter_count, sizeof *values);
    tally_program_evaluate(program, block->sums, values);
    for (size_t c = 0; c < set->counter_count; c++) {
        const struct tally_counter *counter = &set->counters[c];
        union tally_value maximum;
        if (expected->states[c] == TALLY_COUNTER_OK)
            ROW(__LINE__, same_value(values[c], expected->overall[c], counter->type),
                "%s:%u %s.%s over all deltas: %s, expected %s", set->file, counter->line,
                set->symbol, counter->symbol, value_text(values[c], counter->type),
                value_text(expected->overall[c], counter->type));
        int result = tally_program_maximum(program, c, block->sums, &maximum);
        bool stated = *counter->max_equation && !expected->maximum_missing[c];
        if (expected->states[c] == TALLY_COUNTER_OK)
            ROW(__LINE__, result == (stated ? 0 : -ENODATA), "%s:%u %s.%s: maximum gives %d",
                set->file, counter->line, set->symbol, counter->symbol, result);
        if (!result && stated)
            ROW(__LINE__, same_value(maximum, expected->maximum[c], counter->type),
                "%s:%u %s.%s maximum: %s, expected %s", set->file, counter->line, set->symbol,
                counter->symbol, value_text(maximum, counter->type),
                value_text(expected->maximum[c], counter->type));
    }
    free(values);
}

/* One set on one GPU and layout: on every path, in runs of each of `counts` deltas. */
static void check_set(const struct tally_metric_set *set,
                      const struct tally_environment *environment,
                      const struct tally_layout *layout, struct random *rng, const size_t *counts,
                      size_t count_count)
{
    struct block *block = zeroed(1, sizeof *block);
    struct reference reference;
    struct expected expected;
    size_t most = 0;
    for (size_t i = 0; i < count_count; i++)
        most = counts[i] > most ? counts[i] : most;
    random_block(rng, layout, block);
    reference_init(&reference, set, environment, layout);
    expected_init(&expected, set->counter_count);
    expect(&expected, &reference, block, most);
    for (size_t path = 0; path < COUNT(simd_paths); path++) {
        struct tally_program *program = NULL;
        struct tally_error error = {0};
        if (!simd_use(simd_paths[path]))
            continue;
        int result = tally_program_new(set, environment, layout, &program, &error);
        if (!ROW(__LINE__, result == 0, "%s: %s", set->file, error.message))
            continue;
        assert_ptr_equal(tally_program_set(program), set);
        for (size_t c = 0; c < set->counter_count; c++)
            ROW(__LINE__, tally_program_state(program, c) == expected.states[c],
                "%s:%u %s.%s with %s/%s is %s, expected %s", set->file, set->counters[c].line,
                set->symbol, set->counters[c].symbol, layout->family, layout->name,
                tally_counter_state_name(tally_program_state(program, c)),
                tally_counter_state_name(expected.states[c]));
        for (size_t i = 0; i < count_count; i++)
            check_values(program, &expected, block, random_below(rng, most - counts[i] + 1),
                         counts[i]);
        check_overall(program, &expected, block);
        tally_program_free(program);
    }
    simd_best();
    expected_fini(&expected);
    reference_fini(&reference);
    free(block);
}

/* A layout of a platform's family other than the full one, each in turn. */
static const struct tally_layout *other_layout(const struct tally_platform *platform, size_t turn)
{
    const struct tally_layout *layout, *found[16];
    size_t count = 0;
    for (size_t i = 0; (layout = tally_layout_at(i)); i++)
        if (!strcmp(layout->family, platform->layout_family) && layout != full_layout(platform))
            found[count++] = layout;
    return found[turn % count];
}

static size_t check_files(const char *directory, bool all_counts)
{
    static size_t every[TALLY_BLOCK];
    struct paths files = list_files(directory, ".xml");
    struct random rng = {10};
    size_t checked = 0;
    for (size_t i = 0; i < TALLY_BLOCK; i++)
        every[i] = i + 1;
    for (size_t f = 0; f < files.count; f++) {
        struct tally_metric_file *file;
        struct tally_error error = {0};
        const struct tally_metric_set *sets;
        if (!ROW(__LINE__, tally_metric_file_load(files.paths[f], &file, &error) == 0, "%s",
                 error.message))
            continue;
        size_t count = tally_metric_file_sets(file, &sets);
        ROW(__LINE__, count > 0, "%s holds no set", files.paths[f]);
        for (size_t s = 0; s < count; s++, checked += sets[s - 1].counter_count) {
            const struct tally_platform *platform = chipset_platform(sets[s].chipset);
            const size_t few[] = {1 + (f + s) % 64, 1 + (f + 7 * s) % 16, 64};
            const size_t one[] = {1 + (f + 11 * s) % 64};
            struct tally_environment environment;
            random_environment(&rng, platform, &environment);
            check_set(&sets[s], &environment, full_layout(platform), &rng, all_counts ? every : few,
                      all_counts ? COUNT(every) : COUNT(few));
            tally_environment_default(platform, &environment);
            check_set(&sets[s], &environment, other_layout(platform, s), &rng, one, 1);
        }
        tally_metric_file_free(file);
    }
    free(files.paths);
    return checked;
}

static void test_own_files(void **state)
{
    (void)state;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/data/metrics", source_directory());
    size_t counters = check_files(directory, true);
    ROWS_DONE();
    assert_true(counters > 500);
}

static void test_public_files(void **state)
{
    (void)state;
    char directory[512];
    NEEDS_SHARED(directory, "data/oa-metrics");
    size_t counters = check_files(directory, false);
    ROWS_DONE();
    assert_true(counters > 10000);
}

/* ---- single equations on known reports ----------------------------------------------------- */

/* Counters at the ends of their fields, with wraps: offsets and widths, by the documents. */
static void test_reads_of_known_reports(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *chipset, *layout, *equation;
        uint64_t slot, start, end, expected;
    } rows[] = {
        {__LINE__, "HSW", "hsw/101", "A 0 READ", A(0), 5, 9, 4},
        {__LINE__, "HSW", "hsw/101", "A 44 READ", A(44), 0xfffffff0, 0x10, 0x20},
        {__LINE__, "HSW", "hsw/101", "C 7 READ", C(7), 9, 8, 0xffffffff},
        {__LINE__, "HSW", "hsw/111", "B 7 READ", B(7), 1, 2, 1},
        {__LINE__, "SNB", "snb/001", "A 28 READ", A(28), 3, 10, 7},
        {__LINE__, "SNB", "snb/000", "A 4 READ", A(4), 3, 10, 7},
        {__LINE__, "IVB", "ivb/110", "A 29 READ", A(29), 0, 77, 77},
        {__LINE__, "SKL", "skl/101", "A 0 READ", A(0), UINT64_C(0xffffffffff), 1, 2},
        {__LINE__, "SKL", "skl/101", "A 31 READ", A(31), 0, UINT64_C(0xffffffffff),
         UINT64_C(0xffffffffff)},
        {__LINE__, "SKL", "skl/101", "A 30 READ", A(30), UINT64_C(0xff00000000),
         UINT64_C(0x100000005), UINT64_C(0x200000005)},
        {__LINE__, "SKL", "skl/101", "A 32 READ", A(32), 0xffffffff, 0, 1},
        {__LINE__, "SKL", "skl/101", "GPU_TIME 0 READ", TALLY_SLOT_TIMESTAMP, 0xffffffff, 9, 10},
        {__LINE__, "SKL", "skl/101", "GPU_CLOCK 0 READ", TALLY_SLOT_TICKS, 0xffffffff, 9, 10},
        {__LINE__, "SKL", "skl/000", "A 18 READ", A(18), 0xffffffff, 9, 10}, /* 32 bits there */
        {__LINE__, "MTLGT3", "mtl/101", "A 3 READ", A(3), 0xffffffff, 0, 1},
        {__LINE__, "MTLGT3", "mtl/101", "A 4 READ", A(4), UINT64_C(0xffffffffff), 0, 1},
        {__LINE__, "MTLGT3", "mtl/101", "A 37 READ", A(37), 0xffffffff, 0, 1},
        {__LINE__, "MTLGT3", "mtl/001", "A 7 READ", PEC(7), UINT64_MAX, 1, 2}, /* the unit's own */
        {__LINE__, "MTLGT3", "mtl/010", "A 7 READ", PEC(7), 0xffffffff, 1, 2},
        {__LINE__, "MTLGT3", "mtl/001", "GPU_TIME 0 READ", TALLY_SLOT_TIMESTAMP,
         UINT64_C(0xffffffff), UINT64_C(0x100000001), 2},
        {__LINE__, "MTLGT3", "mtl/001", "GPU_CLOCK 0 READ", TALLY_SLOT_TICKS, UINT64_MAX, 0, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_layout *layout = tally_layout_find(rows[i].layout);
        const struct tally_counter counter = {
            .symbol = "X", .equation = rows[i].equation, .max_equation = "", .availability = ""};
        const struct tally_metric_set set = {.symbol = "Test",
                                             .chipset = rows[i].chipset,
                                             .file = "rows",
                                             .counters = &counter,
                                             .counter_count = 1};
        struct tally_environment environment;
        uint8_t bytes[2][REPORT_ROOM] = {{0}};
        const uint8_t *reports[] = {bytes[0], bytes[1]};
        uint64_t slots[TALLY_SLOT_COUNT] = {0};
        slots[rows[i].slot] = rows[i].start;
        tally_report_pack(layout, slots, bytes[0]);
        slots[rows[i].slot] = rows[i].end;
        tally_report_pack(layout, slots, bytes[1]);
        tally_environment_default(chipset_platform(rows[i].chipset), &environment);
        for (size_t path = 0; path < COUNT(simd_paths); path++) {
            struct tally_program *program = NULL;
            if (!simd_use(simd_paths[path]))
                continue;
            assert_int_equal(tally_program_new(&set, &environment, layout, &program, NULL), 0);
            tally_program_run(program, reports, 1);
            const union tally_value *values = tally_program_values(program, 0);
            ROW(rows[i].line, values && values->u == rows[i].expected,
                "%s of %s is 0x%" PRIx64 ", expected 0x%" PRIx64, rows[i].equation, rows[i].layout,
                values ? values->u : 0, rows[i].expected);
            tally_program_free(program);
        }
    }
    simd_best();
    ROWS_DONE();
}

/* A program forgets nothing it should keep, and keeps nothing it should forget, between runs. */
static void test_runs_do_not_disturb_each_other(void **state)
{
    (void)state;
    const struct tally_metric_set *set;
    struct tally_metric_file *file =
        load_text(SET_OPEN("SKLGT2") U64_COUNTER("Constant", "42", "")
                      U64_COUNTER("Sum", "A 1 READ $Constant UADD", "")
                          DOUBLE_COUNTER("Share", "$Sum 7 FDIV", "")
                              U64_COUNTER("Variable", "$EuCoresTotalCount", "") SET_CLOSE,
                  &set);
    struct tally_environment environment;
    struct tally_program *program = NULL;
    struct block *block = zeroed(1, sizeof *block);
    struct random rng = {11};
    const struct tally_layout *layout = tally_layout_find("skl/101");
    tally_environment_default(tally_platform_find("skl"), &environment);
    assert_int_equal(tally_program_new(set, &environment, layout, &program, NULL), 0);
    for (unsigned round = 0; round < random_cases(100); round++) {
        size_t count = 1 + random_below(&rng, TALLY_BLOCK);
        random_block(&rng, layout, block);
        if (round % 3 == 0) /* a hint that affects nothing else */
            tally_program_prefetch(program, block->reports, random_below(&rng, TALLY_BLOCK + 2));
        tally_program_run(program, block->reports, count);
        for (size_t i = 0; i < count; i++) {
            uint64_t sum = block->deltas[i][A(1)] + 42;
            assert_int_equal(tally_program_values(program, 0)[i].u, 42);
            assert_int_equal(tally_program_values(program, 1)[i].u, sum);
            assert_true(tally_program_values(program, 2)[i].f == (double)sum / 7);
            assert_int_equal(tally_program_values(program, 3)[i].u, 24);
        }
    }
    tally_program_free(program);
    tally_program_free(NULL);
    tally_metric_file_free(file);
    free(block);
}

int test_program(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_files),
        cmocka_unit_test(test_public_files),
        cmocka_unit_test(test_reads_of_known_reports),
        cmocka_unit_test(test_runs_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
