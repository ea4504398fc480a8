/* SPDX-License-Identifier: MIT */
/* Signals that names select, and the list of signals. */
#include "wave/dumps.h"

#include <errno.h>
#include <inttypes.h>

/* Every declaration toggles at a different time, so the time identifies the one that was read. */
static const char design[] = "$timescale 1 ns $end\n"
                             "$scope module top $end\n"
                             "$var wire 1 a clk $end\n"               /* 1 */
                             "$var wire 8 b data [7:0] $end\n"        /* 10 to 17 */
                             "$var wire 4 c high[7:4] $end\n"         /* 24 to 27 */
                             "$var reg 4 d rising [0:3] $end\n"       /* 33 to 30 */
                             "$var wire 1 e bit [0] $end\n"           /* 40 */
                             "$var wire 1 f bit[1] $end\n"            /* 41 */
                             "$var wire 1 g \\esc[aped $end\n"        /* 50 */
                             "$var wire 4 h \\a.b+c [ 3 : 0 ] $end\n" /* 60 to 63 */
                             "$var wire 2 i mem[0] [1:0] $end\n"      /* 70, 71 */
                             "$var wire 2 j mem[1][1:0] $end\n"       /* 72, 73 */
                             "$var wire 2 k bare[5] $end\n"           /* 80, 81 */
                             "$var integer 32 l number $end\n"        /* 90 to 121 */
                             "$var wire 3 m below [1:-1] $end\n"      /* 130 to 132 */
                             "$scope task unit $end\n"
                             "$var wire 1 a clk $end\n"
                             "$var wire 1 n busy $end\n" /* 140 */
                             "$var real 64 o level $end\n"
                             "$scope fork inner $end\n"
                             "$var wire 1 p busy $end\n" /* 150 */
                             "$var string 1 q text $end\n"
                             "$upscope $end\n"
                             "$upscope $end\n"
                             "$scope function unit2 $end\n"
                             "$var wire 1 r clk2 $end\n"      /* 160 */
                             "$var wire 1 s two words $end\n" /* 161 */
                             "$var wire 1 t \\top.x $end\n"   /* 162 */
                             "$upscope $end\n"
                             "$scope begin  $end\n"
                             "$var wire 1 u noscope $end\n" /* 170 */
                             "$upscope $end\n"
                             "$upscope $end\n"
                             "$var wire 1 v outside $end\n" /* 180 */
                             "$var wire 1 w top $end\n"     /* 181 */
                             "$var wire 0 x nothing $end\n"
                             "$enddefinitions $end\n";

/* The bits of a vector rise in turn from `time` on, the rightmost first. */
static int put_vector(char *to, const char *code, unsigned width, unsigned time)
{
    int used = 0;
    for (unsigned i = 0; i < width; i++) {
        used += sprintf(to + used, "#%u b1", time + i);
        for (unsigned zero = 0; zero < i; zero++)
            to[used++] = '1';
        used += sprintf(to + used, " %s\n", code);
    }
    return used;
}

static const char *dump_of_design(void)
{
    static char dump[16384];
    static const struct {
        const char *code;
        unsigned width, time;
    } signals[] = {
        {"a", 1, 1},   {"b", 8, 10},  {"c", 4, 24},  {"d", 4, 30},  {"e", 1, 40},  {"f", 1, 41},
        {"g", 1, 50},  {"h", 4, 60},  {"i", 2, 70},  {"j", 2, 72},  {"k", 2, 80},  {"l", 32, 90},
        {"m", 3, 130}, {"n", 1, 140}, {"p", 1, 150}, {"r", 1, 160}, {"s", 1, 161}, {"t", 1, 162},
        {"u", 1, 170}, {"v", 1, 180}, {"w", 1, 181},
    };
    int used = sprintf(dump, "%s", design);
    for (size_t i = 0; i < COUNT(signals); i++)
        used += put_vector(dump + used, signals[i].code, signals[i].width, signals[i].time);
    return dump;
}

static const struct {
    unsigned line;
    const char *name;
    uint64_t time; /* 0: an error with `message` */
    int code;
    const char *message;
} names[] = {
    /* Full names and ends of names. */
    {__LINE__, "top.clk", 1, 0, NULL},
    {__LINE__, "top.unit.clk", 1, 0, NULL},
    {__LINE__, "clk", 1, 0, NULL}, /* two names of one code */
    {__LINE__, "top.unit.busy", 140, 0, NULL},
    {__LINE__, "unit.busy", 140, 0, NULL},
    {__LINE__, "inner.busy", 150, 0, NULL},
    {__LINE__, "top.unit.inner.busy", 150, 0, NULL},
    {__LINE__, "unit.inner.busy", 150, 0, NULL},
    {__LINE__, "clk2", 160, 0, NULL},
    {__LINE__, "noscope", 170, 0, NULL},
    {__LINE__, "top.noscope", 170, 0, NULL},
    {__LINE__, "outside", 180, 0, NULL},
    {__LINE__, "top", 181, 0, NULL},
    {__LINE__, "two words", 161, 0, NULL},
    {__LINE__, "top.unit2.two words", 161, 0, NULL},

    /* Bits. */
    {__LINE__, "top.data[0]", 10, 0, NULL},
    {__LINE__, "data[7]", 17, 0, NULL},
    {__LINE__, "data [3]", 13, 0, NULL},
    {__LINE__, "data[ 3 ]", 13, 0, NULL},
    {__LINE__, "high[4]", 24, 0, NULL},
    {__LINE__, "top.high[7]", 27, 0, NULL},
    {__LINE__, "rising[0]", 33, 0, NULL},
    {__LINE__, "rising[3]", 30, 0, NULL},
    {__LINE__, "bit[0]", 40, 0, NULL},
    {__LINE__, "top.bit[1]", 41, 0, NULL},
    {__LINE__, "bit [1]", 41, 0, NULL},
    {__LINE__, "bit[1:1]", 41, 0, NULL},
    {__LINE__, "mem[0][1]", 71, 0, NULL},
    {__LINE__, "mem[1][0]", 72, 0, NULL},
    {__LINE__, "bare[5][1]", 81, 0, NULL},
    {__LINE__, "number[31]", 121, 0, NULL},
    {__LINE__, "below[-1]", 130, 0, NULL},
    {__LINE__, "below[1]", 132, 0, NULL},
    {__LINE__, "clk[0]", 1, 0, NULL},

    /* Escaped identifiers, with and without the backslash. */
    {__LINE__, "\\esc[aped", 50, 0, NULL},
    {__LINE__, "esc[aped", 50, 0, NULL},
    {__LINE__, "top.\\esc[aped", 50, 0, NULL},
    {__LINE__, "top.a.b+c[2]", 62, 0, NULL},
    {__LINE__, "top.\\a.b+c[2]", 62, 0, NULL},
    {__LINE__, "a.b+c [0]", 60, 0, NULL},
    {__LINE__, "unit2.\\top.x", 162, 0, NULL},

    /* Not one bit of one signal. */
    {__LINE__, "busy", 0, -ENOTUNIQ,
     "more than one \"busy\": top.unit.busy (line 18), "
     "top.unit.inner.busy (line 21)"},
    {__LINE__, "bit", 0, -ENOTUNIQ, "more than one \"bit\": top.bit[0] (line 7), top.bit[1]"},
    {__LINE__, "lk", 0, -ENOENT, "dump: unknown signal \"lk\""},
    {__LINE__, "Clk", 0, -ENOENT, "unknown signal"},
    {__LINE__, "op.clk", 0, -ENOENT, "unknown signal"},
    {__LINE__, "top.top.clk", 0, -ENOENT, "unknown signal"},
    {__LINE__, "top.", 0, -ENOENT, "unknown signal"},
    {__LINE__, ".clk", 0, -ENOENT, "unknown signal"},
    {__LINE__, "", 0, -ENOENT, "unknown signal"},
    {__LINE__, "[0]", 0, -ENOENT, "unknown signal"},
    {__LINE__, "\\", 0, -ENOENT, "unknown signal"},
    {__LINE__, "unit", 0, -ENOENT, "unknown signal"},
    {__LINE__, "data", 0, -EINVAL, "dump: top.data[7:0] is 8 bits wide, expected one"},
    {__LINE__, "data[7:0]", 0, -EINVAL, "top.data[7:0] is 8 bits wide, expected one"},
    {__LINE__, "data[3:0]", 0, -ENOENT, "unknown signal \"data[3:0]\""},
    {__LINE__, "bare[5]", 0, -EINVAL, "bits wide"},
    {__LINE__, "mem[1]", 0, -EINVAL, "top.mem[1][1:0] is 2 bits wide"},
    {__LINE__, "data[8]", 0, -ENOENT, "no bit 8 in top.data[7:0]"},
    {__LINE__, "data[-1]", 0, -ENOENT, "no bit -1 in top.data[7:0]"},
    {__LINE__, "high[3]", 0, -ENOENT, "no bit 3 in top.high[7:4]"},
    {__LINE__, "rising[4]", 0, -ENOENT, "no bit 4 in top.rising[0:3]"},
    {__LINE__, "bit[2]", 0, -ENOENT, "no bit 2 in top.bit[0]"},
    {__LINE__, "clk[1]", 0, -ENOENT, "no bit 1 in top.clk"},
    {__LINE__, "data[99999999999]", 0, -ENOENT, "unknown signal"},
    {__LINE__, "level", 0, -EINVAL, "top.unit.level is a real, expected a signal of bits"},
    {__LINE__, "level[3]", 0, -EINVAL, "top.unit.level is a real, expected a signal of bits"},
    {__LINE__, "text", 0, -EINVAL, "top.unit.inner.text is a string, expected"},
    {__LINE__, "nothing", 0, -EINVAL, "nothing is 0 bits wide"},
    {__LINE__, "nothing[0]", 0, -EINVAL, "nothing is 0 bits wide"},
};

static void every_name(void **state)
{
    (void)state;
    const char *bytes = dump_of_design();
    for (size_t i = 0; i < COUNT(names); i++) {
        struct dump dump = dump_read_all(names[i].line, bytes, strlen(bytes), names[i].name);
        char text[512];
        dump_toggles(&dump.signal, text);
        ROW(names[i].line, dump.result == names[i].code, "\"%s\": %d, %s", names[i].name,
            dump.result, dump.error.message);
        ROW(names[i].line, mentions(dump.error.message, names[i].message), "\"%s\": %s",
            names[i].name, dump.error.message);
        if (names[i].time)
            ROW(names[i].line, dump.signal.count == 1 && dump.signal.times[0] == names[i].time,
                "\"%s\": %s", names[i].name, text);
        else
            ROW(names[i].line, !dump.signal.count && !dump.signal.end, "\"%s\": read",
                names[i].name);
        dump_fini(&dump);
    }
    ROWS_DONE();
}

/* The better match wins, in any order. */
static void better_fits(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *variables, *name;
        uint64_t time; /* of code '1' to '4': that number; 0: ambiguous */
    } rows[] = {
        {__LINE__, "$var wire 1 1 a $end $scope module m $end $var wire 1 2 a $end", "a", 1},
        {__LINE__, "$scope module m $end $var wire 1 2 a $end $upscope $end $var wire 1 1 a $end",
         "a", 1},
        {__LINE__, "$scope module m $end $var wire 1 1 a.b $end $var wire 1 2 \\a.b $end", "m.a.b",
         1},
        {__LINE__, "$scope module m $end $var wire 1 1 a.b $end $var wire 1 2 \\a.b $end",
         "m.\\a.b", 2},
        {__LINE__, "$scope module m $end $var wire 1 1 a.b $end $var wire 1 2 \\a.b $end", "a.b",
         0},
        {__LINE__, "$var wire 1 1 a $end $var wire 1 2 a $end", "a", 0},
        {__LINE__, "$var wire 1 1 a $end $var wire 1 1 a $end", "a", 1},
        {__LINE__, "$var wire 1 1 \\a $end $var wire 1 2 a $end", "a", 2},
        {__LINE__, "$var wire 1 1 \\a $end $var wire 1 2 a $end", "\\a", 1},
        {__LINE__,
         "$scope module x $end $var wire 1 1 a $end $upscope $end "
         "$scope module y $end $var wire 1 2 a $end $upscope $end $var wire 1 3 a $end",
         "a", 3},
        {__LINE__,
         "$scope module x $end $var wire 1 1 a $end $upscope $end "
         "$scope module y $end $var wire 1 2 a $end $upscope $end $var wire 1 1 b $end",
         "x.a", 1},
        {__LINE__, "$var wire 4 1 a [3:0] $end $var wire 1 2 a[4] $end", "a[4]", 2},
        {__LINE__, "$var wire 4 1 a [3:0] $end $var wire 4 2 a [7:4] $end", "a[4]", 2},
        {__LINE__, "$var wire 4 1 a [3:0] $end $var wire 4 2 a [7:4] $end", "a[0]", 1},
        {__LINE__, "$var wire 4 1 a [3:0] $end $var wire 1 2 a[3] $end", "a[3]", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char bytes[1024];
        int size = snprintf(bytes, sizeof bytes,
                            "%s $var wire 1 4 other $end $var wire 1 1 n $end $var wire 1 2 o $end"
                            " $var wire 1 3 p $end $enddefinitions $end\n#1 11 #2 12 #3 13 #4 14",
                            rows[i].variables);
        struct dump dump = dump_read_all(rows[i].line, bytes, (size_t)size, rows[i].name);
        ROW(rows[i].line, dump.result == (rows[i].time ? 0 : -ENOTUNIQ), "%d, %s", dump.result,
            dump.error.message);
        if (rows[i].time)
            ROW(rows[i].line, dump.signal.count == 1 && dump.signal.times[0] == rows[i].time,
                "another signal was read");
        dump_fini(&dump);
    }
    ROWS_DONE();
}

/* ---- the listing --------------------------------------------------------------------------- */

static const struct {
    unsigned line;
    struct tally_vcd_variable is;
} listed[] = {
    {__LINE__, {"top.clk", "wire", "a", 1, 0, 0, false, true}},
    {__LINE__, {"top.data", "wire", "b", 8, 7, 0, true, true}},
    {__LINE__, {"top.high", "wire", "c", 4, 7, 4, true, true}},
    {__LINE__, {"top.rising", "reg", "d", 4, 0, 3, true, true}},
    {__LINE__, {"top.bit", "wire", "e", 1, 0, 0, true, true}},
    {__LINE__, {"top.bit", "wire", "f", 1, 1, 1, true, true}},
    {__LINE__, {"top.\\esc[aped", "wire", "g", 1, 0, 0, false, true}},
    {__LINE__, {"top.\\a.b+c", "wire", "h", 4, 3, 0, true, true}},
    {__LINE__, {"top.mem[0]", "wire", "i", 2, 1, 0, true, true}},
    {__LINE__, {"top.mem[1]", "wire", "j", 2, 1, 0, true, true}},
    {__LINE__, {"top.bare[5]", "wire", "k", 2, 1, 0, false, true}},
    {__LINE__, {"top.number", "integer", "l", 32, 31, 0, false, true}},
    {__LINE__, {"top.below", "wire", "m", 3, 1, -1, true, true}},
    {__LINE__, {"top.unit.clk", "wire", "a", 1, 0, 0, false, true}},
    {__LINE__, {"top.unit.busy", "wire", "n", 1, 0, 0, false, true}},
    {__LINE__, {"top.unit.level", "real", "o", 64, 63, 0, false, false}},
    {__LINE__, {"top.unit.inner.busy", "wire", "p", 1, 0, 0, false, true}},
    {__LINE__, {"top.unit.inner.text", "string", "q", 1, 0, 0, false, false}},
    {__LINE__, {"top.unit2.clk2", "wire", "r", 1, 0, 0, false, true}},
    {__LINE__, {"top.unit2.two words", "wire", "s", 1, 0, 0, false, true}},
    {__LINE__, {"top.unit2.\\top.x", "wire", "t", 1, 0, 0, false, true}},
    {__LINE__, {"top.noscope", "wire", "u", 1, 0, 0, false, true}},
    {__LINE__, {"outside", "wire", "v", 1, 0, 0, false, true}},
    {__LINE__, {"top", "wire", "w", 1, 0, 0, false, true}},
    {__LINE__, {"nothing", "wire", "x", 0, 0, 0, false, true}},
};

struct listing {
    size_t count, stop;
};

static int compare_variable(void *closure, const struct tally_vcd_variable *variable)
{
    struct listing *listing = closure;
    assert_true(listing->count < COUNT(listed));
    const struct tally_vcd_variable *is = &listed[listing->count].is;
    ROW(listed[listing->count].line,
        !strcmp(variable->name, is->name) && !strcmp(variable->type, is->type) &&
            !strcmp(variable->code, is->code) && variable->width == is->width &&
            variable->msb == is->msb && variable->lsb == is->lsb &&
            variable->ranged == is->ranged && variable->has_bits == is->has_bits,
        "%s %" PRIu64 " %s \"%s\" [%" PRId64 ":%" PRId64 "] %d %d", variable->type, variable->width,
        variable->code, variable->name, variable->msb, variable->lsb, variable->ranged,
        variable->has_bits);
    return ++listing->count == listing->stop ? 1 : 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void listing(void **state)
{
    (void)state;
    struct listing all = {0}, few = {.stop = 3};
    struct tally_error error = {0};
    const char *path = test_path("design.vcd");
    write_file(path, dump_of_design());
    assert_int_equal(tally_vcd_list(path, compare_variable, &all, &error), 0);
    assert_int_equal(all.count, COUNT(listed));
    assert_int_equal(tally_vcd_list(path, compare_variable, &few, &error), 1);
    assert_int_equal(few.count, 3);
    assert_int_equal(error.code, 0);
    assert_int_equal(tally_vcd_list("-", compare_variable, &few, &error), -EINVAL);
    ROWS_DONE();
}

/* Every type of variable and scope that 18.2.3 has, and some that it has not. */
static void every_type(void **state)
{
    (void)state;
    static const char *const types[] = {
        "event", "integer", "parameter",
        "reg",   "supply0", "supply1",
        "time",  "tri",     "triand",
        "trior", "trireg",  "tri0",
        "tri1",  "wand",    "wire",
        "wor",   "logic",   "bit",
        "byte",  "enum",    "a-type-of-more-than-thirty-one-characters"};
    static const char *const scopes[] = {"begin", "fork",      "function", "module",
                                         "task",  "interface", "generate", "vhdl_architecture"};
    static const char *const others[] = {"real", "realtime", "string"};
    char bytes[512];
    for (size_t t = 0; t < COUNT(types); t++) {
        int size = snprintf(bytes, sizeof bytes,
                            "$scope %s s $end $var %s 1 ! a $end $enddefinitions $end #3 1!",
                            scopes[t % COUNT(scopes)], types[t]);
        struct dump dump = dump_read_all(__LINE__, bytes, (size_t)size, "s.a");
        ROW(__LINE__, dump.result == 0 && dump.signal.count == 1, "%s: %s", types[t],
            dump.error.message);
        dump_fini(&dump);
    }
    for (size_t t = 0; t < COUNT(others); t++) {
        int size = snprintf(bytes, sizeof bytes, "$var %s 1 ! a $end $enddefinitions $end #3 1!",
                            others[t]);
        struct dump dump = dump_read_all(__LINE__, bytes, (size_t)size, "a");
        ROW(__LINE__, dump.result == -EINVAL && strstr(dump.error.message, others[t]), "%s: %s",
            others[t], dump.error.message);
        dump_fini(&dump);
    }
    ROWS_DONE();
}

int test_vcd_names(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name),
        cmocka_unit_test(better_fits),
        cmocka_unit_test(listing),
        cmocka_unit_test(every_type),
    };
    return cmocka_run_group_tests_name("wave: names in dumps", tests, NULL, NULL);
}
