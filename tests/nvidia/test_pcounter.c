/* SPDX-License-Identifier: MIT */
/* The engine against the reference, its scripts' examples, and the properties of the public API. */
#include "nvidia/tests.h"

#include <tally/pcounter.h>

#include "nvidia/compare.h"
#include "testbench/pct.h"

#define PROGRAMS 2000 /* of the 100,000 of the long test, which is compare_pcounter */

static void test_random_programs(void **state)
{
    (void)state;
    int different = 0;
    for (uint64_t seed = 0; seed < PROGRAMS && different < 5; seed++)
        different += compare_program(seed);
    assert_int_equal(different, 0);
}

/* ---- the examples of pcounter-testbench.md section 9 ----------------------------------------- */

static char *read_whole(const char *directory, const char *name, const char *suffix, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", directory, name, suffix);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot be read", path);
    char *text = calloc(1, 65536);
    *size = fread(text, 1, 65535, file);
    fclose(file);
    return text;
}

static void test_examples(void **state)
{
    (void)state;
    static const char *const names[] = {"single", "quad", "record", "domains", "flag", "periodic"};
    char directory[512];
    snprintf(directory, sizeof directory, "%s/data/scripts", getenv("TALLY_SOURCE"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size, expected_size, printed_size;
        char *script = read_whole(directory, names[i], ".pct", &size), *printed;
        char *expected = read_whole(directory, names[i], ".out", &expected_size);
        FILE *out = open_memstream(&printed, &printed_size);
        assert_int_equal(engine_run(script, size, out), 0);
        fclose(out);
        assert_string_equal(printed, expected);
        free(script), free(expected), free(printed);
    }
}

int test_pcounter(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_random_programs),
    };
    return cmocka_run_group_tests_name("pcounter", tests, NULL, NULL);
}
