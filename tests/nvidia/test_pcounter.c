/* SPDX-License-Identifier: MIT */
/* The engine, compared with the reference; the example scripts; properties of the public API. */
#include "nvidia/tests.h"

#include <tally/pcounter.h>

#include "compare.h"
#include "nvidia/reference.h"
#include "testbench/pct.h"

#define PROGRAMS 2000 /* make test-long runs 50 times as many */

static void test_random_programs(void **state)
{
    (void)state;
    int different = 0;
    unsigned programs = random_cases(PROGRAMS);
    for (uint64_t seed = 0; seed < programs && different < 5; seed++)
        different += compare_program(&compare_pcounter, seed);
    assert_int_equal(different, 0);
}

/* ---- the examples of PCT-9 ----------------------------------------- */

static void test_examples(void **state)
{
    (void)state;
    static const char *const names[] = {"single", "quad",     "record",     "domains",
                                        "flag",   "periodic", "gf100-quad", "gf100-single"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.pct", names[i]);
        assert_int_equal(compare_example(source_directory(), name), 0);
    }
}

/* Scripts that once failed; the reference gives the expected output. */
static void test_fixed_bugs(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *script;
    } rows[] = {
        /* A long packet below LIMIT wraps to 0 and stays valid, into another domain's buffer. */
        {__LINE__, "chipset g84\ndomains 2\nlatency 1\n"
                   "sig 1 2 once 0000000000000000000000000000000000000000000000000000000000001\n"
                   "sig 1 7 const 1\nwr 0xa7a4 1\nwr 0xa7a0 0x80000000\nwr 0xa4e0 0xffff\n"
                   "wr 0xa404 7\nwr 0xa4c4 2\nwr 0xa4e4 0xaaaa\nwr 0xa7c0 2\nwr 0xa7c4 2\n"
                   "wr 0xa720 0xfffffff0\nwr 0xa760 0xffffffe0\nwr 0xa724 0x2000\n"
                   "wr 0xa764 0x1000\nrun 300\nmem 0x1000 32\n"},
        /* A level that an importing domain with a clock in each tick samples in chunks of one. */
        {__LINE__, "chipset nv40\ndomains 2\nsig 0 1 pattern 011\nwr 0xa480 1\nwr 0xa4a0 0xaaaa\n"
                   "wr 0xa404 0xf7\nwr 0xa424 0xaaaa\nwr 0xa7c4 0x801\nrun 1\nrun 1\nrun 2\n"
                   "rd 0xa83c\nrun 1\nrd 0xa83c\nrun 3\nrd 0xa83c\npeek 1 sh_pre\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *texts[2];
        size_t sizes[2];
        for (int side = 0; side < 2; side++) {
            FILE *out = open_memstream(&texts[side], &sizes[side]);
            size_t size = strlen(rows[i].script);
            int bad = side ? reference_run(rows[i].script, size, out)
                           : engine_run(rows[i].script, size, out);
            fclose(out);
            ROW(rows[i].line, !bad, "line %d of the script", bad);
        }
        ROW(rows[i].line, !strcmp(texts[0], texts[1]), "engine:\n%sreference:\n%s", texts[0],
            texts[1]);
        free(texts[0]), free(texts[1]);
    }
    ROWS_DONE();
}

/* Time ends at tick 2^64 - 1, and later clocks never occur. */
static void test_the_end_of_time(void **state)
{
    (void)state;
    static const char script[] =
        "chipset gf104\nclock 2 7\nclock 3 7\nwr 0x200 0\nrun 0xfffffffffffffc18\n"
        "wr 0x200 0x10000000\nwr 0x1a0050 0x76\nwr 0x1a0054 0x5555\nwr 0x1a0250 0xf7\n"
        "wr 0x1a0254 0xaaaa\nrun 900\nrun 1000\nrun 1\n";
    assert_int_equal(engine_run(script, strlen(script), stderr), 0);
}

int test_pcounter(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_fixed_bugs),
        cmocka_unit_test(test_the_end_of_time),
    };
    return cmocka_run_group_tests_name("pcounter", tests, NULL, NULL);
}
