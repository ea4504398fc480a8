/* SPDX-License-Identifier: MIT */
/* An equation printed as a tree, with the values of one delta. */
#include "metrics/tests.h"

#include "base/buffer.h"

static void keep(void *closure, const char *text)
{
    buffer_text(closure, text);
}

static const char explained[] =
    SET_OPEN("SKLGT2") U64_COUNTER("GpuCoreClocks", "GPU_CLOCK 0 READ", "")
        DOUBLE_COUNTER("EuActive", "A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV",
                       "max_equation=\"100\"")
            DOUBLE_COUNTER("Twice", "$EuActive 0.5 FMUL $EuActive $GpuCoreClocks FMAX FADD", "")
                U64_COUNTER("Missing", "A 36 READ PERFCNT 1 READ UADD", "")
                    U64_COUNTER("Time", "GPU_TIME 0 READ", "") SET_CLOSE;

static void check(unsigned line, size_t counter, bool with_deltas, const char *expected)
{
    const struct tally_metric_set *set;
    struct tally_metric_file *file = load_text(explained, &set);
    struct tally_environment environment;
    struct tally_program *program = NULL;
    struct buffer text = {0};
    uint64_t deltas[TALLY_SLOT_COUNT] = {0};
    deltas[A(7)] = 24 * 125 + 1;
    deltas[TALLY_SLOT_TICKS] = 500;
    deltas[TALLY_SLOT_TIMESTAMP] = 1200;
    tally_environment_default(tally_platform_find("skl"), &environment);
    assert_int_equal(
        tally_program_new(set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    assert_int_equal(
        tally_program_explain(program, counter, with_deltas ? deltas : NULL, keep, &text, NULL), 0);
    buffer_char(&text, '\0');
    ROW(line, !strcmp(text.bytes, expected), "is\n%s\nexpected\n%s", text.bytes, expected);
    buffer_fini(&text);
    tally_program_free(program);
    tally_metric_file_free(file);
}

static void test_trees(void **state)
{
    (void)state;
    check(__LINE__, 1, true,
          "FDIV = 25.000000\n"
          "├─ UMUL = 12500\n"
          "│  ├─ UDIV = 125\n"
          "│  │  ├─ A7 = 3001\n"
          "│  │  └─ $EuCoresTotalCount = 24\n"
          "│  └─ 100\n"
          "└─ $GpuCoreClocks = 500\n"
          "   └─ GPU_CLOCK = 500\n");
    check(__LINE__, 1, false,
          "FDIV\n"
          "├─ UMUL\n"
          "│  ├─ UDIV\n"
          "│  │  ├─ A7\n"
          "│  │  └─ $EuCoresTotalCount\n"
          "│  └─ 100\n"
          "└─ $GpuCoreClocks\n"
          "   └─ GPU_CLOCK\n");
    /* A counter's tree is printed once. */
    check(__LINE__, 2, true,
          "FADD = 512.500000\n"
          "├─ FMUL = 12.500000\n"
          "│  ├─ $EuActive = 25.000000\n"
          "│  │  └─ FDIV = 25.000000\n"
          "│  │     ├─ UMUL = 12500\n"
          "│  │     │  ├─ UDIV = 125\n"
          "│  │     │  │  ├─ A7 = 3001\n"
          "│  │     │  │  └─ $EuCoresTotalCount = 24\n"
          "│  │     │  └─ 100\n"
          "│  │     └─ $GpuCoreClocks = 500\n"
          "│  │        └─ GPU_CLOCK = 500\n"
          "│  └─ 0.5\n"
          "└─ FMAX = 500.000000\n"
          "   ├─ $EuActive = 25.000000  (above)\n"
          "   └─ $GpuCoreClocks = 500  (above)\n");
    check(__LINE__, 3, true,
          "UADD = 0\n"
          "├─ A36 = 0  (not in this report layout)\n"
          "└─ PERFCNT1 = 0  (not in this report layout)\n");
    check(__LINE__, 4, true, "GPU_TIME = 1200\n");
    ROWS_DONE();
}

/* Very deep trees are truncated and do not overflow the stack. */
static void test_deep_trees(void **state)
{
    (void)state;
    char text[20000] = "1 ";
    for (size_t i = 0, at = 2; i < 2000; i++)
        at += (size_t)sprintf(text + at, "1 UADD ");
    const struct tally_counter counter = {
        .symbol = "X", .equation = text, .max_equation = "", .availability = ""};
    const struct tally_metric_set set = {
        .symbol = "Deep", .file = "deep", .counters = &counter, .counter_count = 1};
    struct tally_environment environment;
    struct tally_program *program = NULL;
    struct buffer drawn = {0};
    tally_environment_default(tally_platform_find("skl"), &environment);
    assert_int_equal(
        tally_program_new(&set, &environment, tally_layout_find("skl/101"), &program, NULL), 0);
    assert_int_equal(tally_program_explain(program, 0, NULL, keep, &drawn, NULL), 0);
    buffer_char(&drawn, '\0');
    assert_non_null(strstr(drawn.bytes, "...\n"));
    assert_true(drawn.size < 1000000);
    buffer_fini(&drawn);
    tally_program_free(program);
}

/* Every counter of the project's own files has a tree, with its value at the root. */
static void test_every_own_counter(void **state)
{
    (void)state;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/data/metrics", source_directory());
    struct paths files = list_files(directory, ".xml");
    struct random rng = {18};
    struct block *block = calloc(1, sizeof *block);
    assert_non_null(block);
    assert_true(files.count >= 9);
    for (size_t f = 0; f < files.count; f++) {
        struct tally_metric_file *file;
        const struct tally_metric_set *sets;
        assert_int_equal(tally_metric_file_load(files.paths[f], &file, NULL), 0);
        for (size_t s = tally_metric_file_sets(file, &sets); s-- > 0;) {
            const struct tally_platform *platform = chipset_platform(sets[s].chipset);
            struct tally_environment environment;
            struct tally_program *program = NULL;
            union tally_value values[200];
            tally_environment_default(platform, &environment);
            random_block(&rng, full_layout(platform), block);
            assert_true(sets[s].counter_count <= COUNT(values));
            assert_int_equal(
                tally_program_new(&sets[s], &environment, full_layout(platform), &program, NULL),
                0);
            tally_program_evaluate(program, block->sums, values);
            for (size_t c = 0; c < sets[s].counter_count; c++) {
                struct buffer drawn = {0};
                bool ends_as_double;
                assert_int_equal(tally_program_explain(program, c, block->sums, keep, &drawn, NULL),
                                 0);
                buffer_char(&drawn, '\0');
                const char *root = strstr(drawn.bytes, " = "), *end = strchr(drawn.bytes, '\n');
                assert_non_null(end);
                ends_as_double = root && root < end && memchr(root, '.', (size_t)(end - root));
                if (tally_program_state(program, c) == TALLY_COUNTER_OK && root && root < end &&
                    ends_as_double == (sets[s].counters[c].type == TALLY_DOUBLE)) {
                    char expected[400];
                    if (ends_as_double)
                        snprintf(expected, sizeof expected, " = %.6f", values[c].f);
                    else
                        snprintf(expected, sizeof expected, " = %" PRIu64, values[c].u);
                    ROW(__LINE__,
                        strlen(expected) > 40 || /* cut */
                            !strncmp(root, expected, strlen(expected)),
                        "%s.%s:\n%s\nexpected %s", sets[s].symbol, sets[s].counters[c].symbol,
                        drawn.bytes, expected);
                }
                buffer_fini(&drawn);
            }
            tally_program_free(program);
        }
        tally_metric_file_free(file);
    }
    free(files.paths);
    free(block);
    ROWS_DONE();
}

int test_explain(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_deep_trees),
        cmocka_unit_test(test_every_own_counter),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
