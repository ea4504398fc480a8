/* SPDX-License-Identifier: MIT */
/* What the format has (IEEE 1364-2005, 18.2), row by row. */
#include "wave/dumps.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

#define HEAD(variables) "$timescale 1 ns $end $scope module top $end " variables " $upscope $end "
#define BEGIN           "$enddefinitions $end "
#define A               "$var wire 1 ! a $end "
#define B               "$var wire 1 \" b $end "
#define BYTE            "$var reg 8 # byte [7:0] $end "
#define ONE             HEAD(A B BYTE) BEGIN

static const struct {
    unsigned line;
    const char *dump, *name, *expected;
} rows[] = {
    /* Scalars. */
    {__LINE__, ONE, "a", ", end 0, x 0"},
    {__LINE__, ONE "#0 0! #10 1! #20 0! #30", "a", "10 20, end 30, x 0"},
    {__LINE__, ONE "#0 1! #10 0!", "a", "0 10, end 10, x 0"},
    {__LINE__, ONE "#5 1! #10 1! #15 1! #20 0! #25 0!", "a", "5 20, end 25, x 0"},
    {__LINE__, ONE "#5 1! #10 1\" #15 0! #20 0\"", "b", "10 20, end 20, x 0"},
    {__LINE__, ONE "#5 1!\n#10\n0!\n#18446744073709551615\n1!\n", "a",
     "5 10 18446744073709551615, end 18446744073709551615, x 0"},
    {__LINE__, ONE "#007 1! #0010 0!", "a", "7 10, end 10, x 0"},
    {__LINE__, ONE "\t#5\r\n1!\v\f#6\r\n0!\r\n", "a", "5 6, end 6, x 0"},

    /* x and z are 0, and counted when the value becomes so. */
    {__LINE__, ONE "#0 x! #5 1! #6 x! #7 1! #8 z! #9 1!", "a", "5 6 7 8 9, end 9, x 3"},
    {__LINE__, ONE "#0 X! #5 1! #6 Z! #7 x! #8 x! #9 0! #10 z!", "a", "5 6, end 10, x 4"},
    {__LINE__, ONE "#1 x! #2 x! #3 z! #4 z!", "a", ", end 4, x 2"},
    {__LINE__, ONE "#1 u! #2 1! #3 w! #4 h! #5 -! #6 H! #7 L! #8 U! #9 W! #10 l!", "a",
     "2 3 4 5 6 7, end 10, x 4"},

    /* Changes at one time: the net effect. */
    {__LINE__, ONE "#5 1! 0! #6 1! 0! 1! #7", "a", "6, end 7, x 0"},
    {__LINE__, ONE "#5 1! #5 0! #5 1! #5 #6 0! 1!", "a", "5, end 6, x 0"},
    {__LINE__, ONE "#5 1! #6 0! 1! 0! #7 x! 1! x!", "a", "5 6, end 7, x 2"},

    /* Before the first time it is time 0; #0 again does no harm. */
    {__LINE__, ONE "$dumpvars 1! $end #5 0!", "a", "0 5, end 5, x 0"},
    {__LINE__, ONE "1! #0 0! #3 1!", "a", "3, end 3, x 0"},
    {__LINE__, ONE "1! #100 0!", "a", "0 100, end 100, x 0"},

    /* Vectors, and how they are extended to the left (table 18-1). */
    {__LINE__, ONE "#1 b1 # #2 b10 # #3 b11111111 # #4 b0 #", "byte[0]", "1 2 3 4, end 4, x 0"},
    {__LINE__, ONE "#1 b1 # #2 b10 # #3 b11111111 # #4 b0 #", "byte[1]", "2 4, end 4, x 0"},
    {__LINE__, ONE "#1 b1 # #2 B1010 # #3 b11111111 # #4 b0 #", "byte[7]", "3 4, end 4, x 0"},
    {__LINE__, ONE "#1 b11111111 # #2 bx # #3 b11111111 # #4 bz0 # #5 b1 #", "byte[7]",
     "1 2 3 4, end 5, x 2"},
    {__LINE__, ONE "#1 b11111111 # #2 bX1 # #3 b11111111 # #4 BZ1 # #5 b0 #", "byte[0]",
     "1 5, end 5, x 0"},
    {__LINE__, ONE "#1 b11111111 # #2 b0x # #3 b1z #", "byte[1]", "1 2 3, end 3, x 0"},
    {__LINE__, ONE "#1 b11111111 # #2 b1 # #3 b0001xz01 #", "byte[3]", "1 2, end 3, x 1"},
    {__LINE__, ONE "#1 b1\n# #2 b0\t\n\n#", "byte[0]", "1 2, end 2, x 0"},
    {__LINE__, ONE "#1 b1 ! #2 b0 ! #3 bx !", "a", "1 2, end 3, x 1"},
    {__LINE__, ONE "#1 1# #2 0#", "byte[0]", "1 2, end 2, x 0"},
    {__LINE__, ONE "#1 b11111111 # #2 1# #3 x# #4 0#", "byte[5]", "1 2, end 4, x 1"},
    {__LINE__,
     HEAD("$var reg 70 ! wide [69:0] $end") BEGIN
     "#1 b1111111111111111111111111111111111111111111111111111111111111111111111 ! #2 b1 !",
     "wide[69]", "1 2, end 2, x 0"},

    /* Codes: any length, any printable character; several names for one code. */
    {__LINE__,
     HEAD("$var wire 1 #0 a $end $var wire 1 0 b $end $var wire 1 $end_ c $end") BEGIN
     "#1 1#0 #2 10 #3 0#0 #4 1$end_ #5 00",
     "b", "2 5, end 5, x 0"},
    {__LINE__,
     HEAD("$var wire 1 #0 a $end $var wire 1 0 b $end $var wire 1 $end_ c $end") BEGIN
     "#1 1#0 #2 10 #3 0#0 #4 1$end_ #5 00",
     "a", "1 3, end 5, x 0"},
    {__LINE__,
     HEAD("$var wire 1 #0 a $end $var wire 1 0 b $end $var wire 1 $end_ c $end") BEGIN
     "#1 1#0 #2 10 #3 0#0 #4 1$end_ #5 00",
     "c", "4, end 5, x 0"},
    {__LINE__,
     HEAD("$var wire 1 abcdefgh a $end $var wire 1 abcdefghi b $end "
          "$var wire 1 abcd c $end $var wire 1 ~~~ d $end") BEGIN
     "#1 1abcdefgh #2 1abcdefghi #3 1abcd #4 1~~~ #5 0abcdefgh",
     "a", "1 5, end 5, x 0"},
    {__LINE__,
     HEAD("$var wire 1 abcdefgh a $end $var wire 1 abcdefghi b $end "
          "$var wire 1 abcd c $end $var wire 1 ~~~ d $end") BEGIN
     "#1 1abcdefgh #2 1abcdefghi #3 1abcd #4 1~~~ #5 0abcdefgh",
     "d", "4, end 5, x 0"},
    {__LINE__, HEAD("$var wire 1 b a $end $var wire 1 b1 b $end") BEGIN "#1 1b #2 b1 b1 #3 0b", "a",
     "1 3, end 3, x 0"},
    {__LINE__, HEAD("$var wire 1 b a $end $var wire 1 b1 b $end") BEGIN "#1 1b #2 b1 b1 #3 0b", "b",
     "2, end 3, x 0"},
    {__LINE__, HEAD(A "$var wire 1 ! z $end") BEGIN "#1 1! #2 0!", "z", "1 2, end 2, x 0"},

    /* $dumpvars, $dumpall, $dumpoff, $dumpon. */
    {__LINE__, ONE "#0 $dumpvars 1! 0\" bx # $end #5 0!", "a", "0 5, end 5, x 0"},
    {__LINE__, ONE "$dumpvars x! $end #5 1! #9 $dumpall 1! 1\" $end #10", "b", "9, end 10, x 0"},
    {__LINE__, ONE "#1 1! #5 $dumpoff x! x\" bx # $end #9 $dumpon 1! $end #12 0!", "a",
     "1 5 9 12, end 12, x 1"},
    {__LINE__, ONE "#1 1! #5 $dumpoff $end #9 $dumpon 1! $end #12 0!", "a",
     "1 5 9 12, end 12, x 1"},
    {__LINE__, ONE "#1 1! #5 $dumpoff z! $end #6 $dumpoff $end", "a", "1 5, end 6, x 3"},
    {__LINE__, ONE "#1 b11 # #5 $dumpoff $end #9 $dumpon b11 # $end", "byte[1]",
     "1 5 9, end 9, x 1"},
    {__LINE__, ONE "$dumpvars #0 1! #3 0! $end", "a", "0 3, end 3, x 0"},

    /* Comments and unknown commands. */
    {__LINE__, ONE "$comment #99 1! $var b $end #1 1! $comment $end #2 0!", "a", "1 2, end 2, x 0"},
    {__LINE__, ONE "#1 1! $dumpflush 0! #50 $end #2 $vcdclose #77 $end", "a", "1, end 2, x 0"},
    {__LINE__, ONE "$dumpvars 0! $comment inside $end 1! $end", "a", "0, end 0, x 0"},

    /* Reals, strings and events stand beside. */
    {__LINE__,
     HEAD(A "$var real 64 % r $end $var string 1 & s $end $var event 1 ' e $end") BEGIN
     "#0 r0 % #1 1! #2 r-1.25e-3 % R3.5 % #3 shello\\040you & s & #4 0! 1' #5 rnan % #6 1'",
     "a", "1 4, end 6, x 0"},
    {__LINE__, HEAD(A "$var event 1 ' e $end") BEGIN "#3 1' #4 1' #5 1! #6 1'", "e",
     "3, end 6, x 0"},

    /* A dump without a newline at its end, and one of a single line. */
    {__LINE__, ONE "#1\n1!\n#2\n0!", "a", "1 2, end 2, x 0"},
    {__LINE__, ONE "#1 1! #9", "a", "1, end 9, x 0"},
};

static void every_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct dump dump =
            dump_read_all(rows[i].line, rows[i].dump, strlen(rows[i].dump), rows[i].name);
        char text[640];
        dump_text(&dump.signal, text);
        ROW(rows[i].line, dump.result == 0, "%d: %s", dump.result, dump.error.message);
        ROW(rows[i].line, !strcmp(text, rows[i].expected), "\"%s\", expected \"%s\"", text,
            rows[i].expected);
        ROW(rows[i].line, dump.signal.timescale_fs == 1000000, "timescale %" PRIu64,
            dump.signal.timescale_fs);
        dump_fini(&dump);
    }
    ROWS_DONE();
}

/* 18.2.3: the declarations, in every order that is found. */
static const struct {
    unsigned line;
    const char *declarations;
    uint64_t timescale_fs;
} headers[] = {
    {__LINE__, A, 0},
    {__LINE__, "$date June 26, 1989 10:05:41 $end $version VERILOG-SIMULATOR 1.0a $end " A, 0},
    {__LINE__, "$date $end $version $end $comment $end " A, 0},
    {__LINE__, "$comment $scope module no $end " A, 0},
    {__LINE__, "$attrbegin misc 02 what 1 $end $unheard $end " A, 0},
    {__LINE__, A "$timescale 1s $end ", UINT64_C(1000000000000000)},
    {__LINE__, "$timescale 1s $end " A "$timescale 1 fs $end ", 1},
    {__LINE__, "$scope module never $end $scope begin closed $end " A, 0},
};

static void every_timescale(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        uint64_t fs;
    } scales[] = {
        {__LINE__, "1 s", UINT64_C(1000000000000000)},
        {__LINE__, "10 s", UINT64_C(10000000000000000)},
        {__LINE__, "100s", UINT64_C(100000000000000000)},
        {__LINE__, "1 ms", UINT64_C(1000000000000)},
        {__LINE__, "10us", UINT64_C(10000000000)},
        {__LINE__, "100\n\tns\n", UINT64_C(100000000)},
        {__LINE__, "1ps", 1000},
        {__LINE__, "1 fs", 1},
    };
    for (size_t i = 0; i < COUNT(scales); i++) {
        char bytes[256];
        int size =
            snprintf(bytes, sizeof bytes, "$timescale %s $end " A BEGIN "#4 1!", scales[i].text);
        struct dump dump = dump_read_all(scales[i].line, bytes, (size_t)size, "a");
        ROW(scales[i].line, dump.result == 0, "%s", dump.error.message);
        ROW(scales[i].line, dump.signal.timescale_fs == scales[i].fs, "%" PRIu64,
            dump.signal.timescale_fs);
        dump_fini(&dump);
    }
    for (size_t i = 0; i < COUNT(headers); i++) {
        char bytes[512];
        int size = snprintf(bytes, sizeof bytes, "%s" BEGIN "#4 1!", headers[i].declarations);
        struct dump dump = dump_read_all(headers[i].line, bytes, (size_t)size, "a");
        ROW(headers[i].line, dump.result == 0, "%s", dump.error.message);
        ROW(headers[i].line, dump.signal.timescale_fs == headers[i].timescale_fs, "timescale");
        dump_fini(&dump);
    }
    ROWS_DONE();
}

/* ---- sampling ------------------------------------------------------------------------------ */

static const struct {
    unsigned line;
    uint64_t step;
    uint64_t times[8];
    size_t count;
    uint64_t edges[8];
    size_t edge_count;
} samples[] = {
    {__LINE__, 1, {0, 1, 2, 7}, 4, {0, 1, 2, 7}, 4},
    {__LINE__, 10, {0, 10, 20}, 3, {0, 1, 2}, 3},
    {__LINE__, 10, {1, 10, 11, 20, 21}, 5, {3}, 1},
    {__LINE__, 10, {1, 9, 11, 29}, 4, {2, 3}, 2},
    {__LINE__, 10, {1, 9, 10}, 3, {1}, 1},
    {__LINE__, 10, {5, 15, 25, 35}, 4, {1, 2, 3, 4}, 4},
    {__LINE__, 10, {1, 2, 3, 4}, 4, {0}, 0},
    {__LINE__, 10, {0, 1, 2, 3}, 4, {0, 1}, 2},
    {__LINE__, 3, {UINT64_MAX - 1, UINT64_MAX}, 2, {0}, 0},
    {__LINE__, 2, {UINT64_MAX}, 1, {UINT64_C(1) << 63}, 1},
    {__LINE__, UINT64_MAX, {0, 1, UINT64_MAX}, 3, {0}, 1},
    {__LINE__, 7, {0}, 0, {0}, 0},
};

static void sampled(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        uint64_t times[8], *edges;
        size_t count;
        memcpy(times, samples[i].times, sizeof times);
        struct tally_vcd_signal signal = {.times = times, .count = samples[i].count};
        int result = tally_vcd_clocks(&signal, samples[i].step, &edges, &count);
        ROW(samples[i].line, result == 0 && count == samples[i].edge_count, "%d, %zu edges", result,
            count);
        for (size_t e = 0; e < count && e < samples[i].edge_count; e++)
            ROW(samples[i].line, edges[e] == samples[i].edges[e], "edge %zu: %" PRIu64, e,
                edges[e]);
        ROW(samples[i].line, (edges != NULL) == (count > 0), "a pointer for nothing");
        free(edges);
    }
    uint64_t time = 3, *edges = &time;
    size_t count = 5;
    struct tally_vcd_signal signal = {.times = &time, .count = 1};
    ROW(__LINE__, tally_vcd_clocks(&signal, 0, &edges, &count) == -EINVAL, "step 0");
    ROW(__LINE__, !edges && !count, "step 0 gave edges");
    ROWS_DONE();
}

/* Random toggles: each clock's sample against the value at its time. */
static void sampled_at_random(void **state)
{
    (void)state;
    struct random random = random_start(1);
    for (unsigned round = 0; round < random_cases(2000); round++) {
        uint64_t times[40], now = random_below(&random, 20), *edges,
                            step = 1 + random_below(&random, 12);
        size_t count = random_below(&random, 41), edge_count, toggle = 0, edge = 0;
        for (size_t i = 0; i < count; i++, now += 1 + random_below(&random, 20))
            times[i] = now;
        struct tally_vcd_signal signal = {.times = times, .count = count};
        assert_int_equal(tally_vcd_clocks(&signal, step, &edges, &edge_count), 0);
        bool value = false, sample = false;
        for (uint64_t clock = 0; clock * step <= now + step; clock++) {
            for (; toggle < count && times[toggle] <= clock * step; toggle++)
                value = !value;
            for (; edge < edge_count && edges[edge] <= clock; edge++)
                sample = !sample;
            assert_true(value == sample);
        }
        assert_int_equal(edge, edge_count);
        for (size_t i = 1; i < edge_count; i++)
            assert_true(edges[i] > edges[i - 1]);
        free(edges);
    }
}

/* ---- files --------------------------------------------------------------------------------- */

/* A long dump, of which one signal is read in less memory than the dump has bytes. */
static void long_file(void **state)
{
    (void)state;
    const char *path = test_path("long.vcd");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("$timescale 10 ps $end\n", file);
    for (unsigned i = 0; i < 500; i++)
        fprintf(file, "$var wire %u code%u signal%u $end\n", i % 3 ? 1 : 32, i, i);
    fputs("$enddefinitions $end\n", file);
    for (unsigned time = 1; time <= 20000; time++) {
        fprintf(file, "#%u\n", time);
        for (unsigned i = 1; i < 25; i++)
            fprintf(file, i % 3 ? "%ucode%u\n" : "b%u code%u\n", time & 1, i * 20 % 500);
        if (time % 1000 == 0)
            fprintf(file, "%ucode7\n", time / 1000 & 1);
    }
    long size = ftell(file);
    fclose(file);
    assert_true(size > 4000000);
    struct tally_vcd_signal signal;
    struct tally_error error = {0};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(tally_vcd_read(path, "signal7", &signal, &error), 0);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(signal.count, 20);
    assert_int_equal(signal.times[0], 1000);
    assert_int_equal(signal.times[19], 20000);
    assert_int_equal(signal.end, 20000);
    assert_int_equal(signal.timescale_fs, 10000);
    tally_vcd_signal_fini(&signal);
    assert_null(signal.times);
    tally_vcd_signal_fini(&signal);
    /* Kilobytes. A sanitizer's own memory comes on top of it. */
    assert_true(after.ru_maxrss - before.ru_maxrss < 3000);
}

/* A dump that is longer than the memory it is read in: it is made while it is read. */
struct endless {
    uint64_t left, time;
};

static ptrdiff_t read_endless(void *closure, void *to, size_t size)
{
    static const char head[] = "$var wire 1 ! a $end $enddefinitions $end\n";
    struct endless *endless = closure;
    if (!endless->time) {
        endless->time = 1;
        memcpy(to, head, sizeof head - 1);
        return sizeof head - 1;
    }
    if (!endless->left)
        return 0;
    size = endless->left < size ? (size_t)endless->left : size;
    endless->left -= size;
    memset(to, ' ', size);
    if (!endless->left)
        memcpy((char *)to + size - 8, "\n#9\n1!\n ", 8);
    return (ptrdiff_t)size;
}

static void endless_blanks(void **state)
{
    (void)state;
    struct endless endless = {.left = UINT64_C(64) << 20};
    struct vcd_text text;
    struct tally_vcd_signal signal;
    struct tally_error error = {0};
    assert_int_equal(vcd_text_from_function(&text, "endless", read_endless, &endless, 0, &error),
                     0);
    assert_int_equal(vcd_read_text(&text, "a", &signal), 0);
    assert_int_equal(signal.count, 1);
    assert_int_equal(signal.times[0], 9);
    tally_vcd_signal_fini(&signal);
    vcd_text_fini(&text);
}

int test_vcd_read(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row), cmocka_unit_test(every_timescale),
        cmocka_unit_test(sampled),   cmocka_unit_test(sampled_at_random),
        cmocka_unit_test(long_file), cmocka_unit_test(endless_blanks),
    };
    return cmocka_run_group_tests_name("wave: reading dumps", tests, NULL, NULL);
}
