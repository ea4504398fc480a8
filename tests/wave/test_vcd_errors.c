/* SPDX-License-Identifier: MIT */
/* Malformed dumps: everything before the fault is read, and the message has its line. */
#include "wave/dumps.h"

#include <errno.h>
#include <inttypes.h>

#include "wave/vcd_codes.h"

#define HEAD  "$timescale 1 ns $end\n$scope module top $end\n"
#define A     "$var wire 1 ! a $end\n"
#define REST  "$var reg 8 # byte [7:0] $end\n$var wire 1 long-code b $end\n$upscope $end\n"
#define BEGIN "$enddefinitions $end\n"
#define GOOD  HEAD A REST BEGIN /* seven lines */

/* `size` 0: the length of the text. */
static const struct {
    unsigned line;
    const char *dump;
    size_t size;
    const char *expected; /* what was read before the fault */
    const char *message;
} rows[] = {
    /* Not a dump. */
    {__LINE__, "", 0, ", end 0, x 0", "dump:1: the dump ends before $enddefinitions"},
    {__LINE__, "\n\n \n", 0, ", end 0, x 0", "dump:4: the dump ends before $enddefinitions"},
    {__LINE__, "#0\n1!\n", 0, ", end 0, x 0",
     "dump:1: \"#0\", expected a declaration or $enddefinitions"},
    {__LINE__,
     "\x7f"
     "ELF\x02\x01",
     0, ", end 0, x 0", "dump:1: \"?ELF??\", expected"},
    {__LINE__, "\n\033[31mred", 0, ", end 0, x 0", "dump:2: \"?[31mred\", expected"},

    /* Declarations. */
    {__LINE__, HEAD A "#0\n", 0, ", end 0, x 0", "dump:4: \"#0\", expected a declaration or"},
    {__LINE__, HEAD A, 0, ", end 0, x 0", "dump:4: the dump ends before $enddefinitions"},
    {__LINE__, HEAD "$end", 0, ", end 0, x 0", "dump:3: \"$end\", expected a declaration"},
    {__LINE__, HEAD "$dumpvars $end", 0, ", end 0, x 0", "dump:3: \"$dumpvars\", expected"},
    {__LINE__, "$comment a\n b", 0, ", end 0, x 0",
     "dump:2: the dump ends within the $comment of line 1, expected $end"},
    {__LINE__, HEAD "$var", 0, ", end 0, x 0", "dump:3: the dump ends within the $var of line 3"},
    {__LINE__, HEAD "$var wire 1 ! a", 0, ", end 0, x 0",
     "the dump ends within the $var of line 3"},
    {__LINE__, HEAD "$var wire 1 ! a\n\n$var wire 1 \" b $end", 0, ", end 0, x 0",
     "dump:5: $var within the $var of line 3, expected $end"},
    {__LINE__, HEAD "$var wire 1 ! a\n$enddefinitions $end", 0, ", end 0, x 0",
     "dump:4: $enddefinitions within the $var of line 3"},
    {__LINE__, HEAD "$var $end", 0, ", end 0, x 0", "dump:3: $end of $var, expected a type"},
    {__LINE__, HEAD "$var wire $end", 0, ", end 0, x 0", "$end of $var, expected a size"},
    {__LINE__, HEAD "$var wire 1 $end", 0, ", end 0, x 0", "$var, expected an identifier code"},
    {__LINE__, HEAD "$var wire 1 ! $end", 0, ", end 0, x 0", "$end of $var, expected a name"},
    {__LINE__, HEAD "$var wire one ! a $end", 0, ", end 0, x 0", "\"one\", expected the size"},
    {__LINE__, HEAD "$var wire -1 ! a $end", 0, ", end 0, x 0", "\"-1\", expected the size"},
    {__LINE__, HEAD "$var wire 1.5 ! a $end", 0, ", end 0, x 0", "\"1.5\", expected the size"},
    {__LINE__, HEAD "$var wire 18446744073709551617 ! a $end", 0, ", end 0, x 0",
     "dump:3: \"18446744073709551617\", expected the size of a variable in bits"},
    {__LINE__, HEAD "$var wire 9223372036854775808 ! a $end", 0, ", end 0, x 0",
     "expected the size"},
    {__LINE__, HEAD "$var wire 1 \xc3\xa4 a $end", 0, ", end 0, x 0",
     "dump:3: \"?"
     "?\", expected an identifier code of ! to ~"},
    {__LINE__, "$scope", 0, ", end 0, x 0", "dump:1: the dump ends within the $scope of line 1"},
    {__LINE__, "$scope $end", 0, ", end 0, x 0", "dump:1: $scope without a type and a name"},
    {__LINE__, "$scope module $scope", 0, ", end 0, x 0", "$scope within the $scope of line 1"},
    {__LINE__, "$upscope $end", 0, ", end 0, x 0", "dump:1: $upscope without an open $scope"},
    {__LINE__, HEAD "$upscope $end $upscope $end", 0, ", end 0, x 0", "dump:3: $upscope without"},
    {__LINE__, HEAD "$upscope top $end", 0, ", end 0, x 0",
     "dump:3: \"top\" after $upscope, expected $end"},
    {__LINE__, HEAD A "$enddefinitions\n#0 1!", 0, ", end 0, x 0",
     "dump:5: \"#0\" after $enddefinitions, expected $end"},
    {__LINE__, HEAD A "$enddefinitions", 0, ", end 0, x 0",
     "the dump ends within the $enddefinitions of line 4"},
    {__LINE__, "$timescale $end", 0, ", end 0, x 0",
     "dump:1: timescale \"\", expected 1, 10 or 100"},
    {__LINE__, "$timescale 2 ns $end", 0, ", end 0, x 0", "timescale \"2 ns\", expected 1, 10"},
    {__LINE__, "$timescale 1 xs $end", 0, ", end 0, x 0", "timescale \"1 xs\", expected 1, 10"},
    {__LINE__, "$timescale ns $end", 0, ", end 0, x 0", "timescale \"ns\", expected 1, 10"},
    {__LINE__, "$timescale 1 $end", 0, ", end 0, x 0", "timescale \"1\", expected 1, 10"},
    {__LINE__, "$timescale 1 n s $end", 0, ", end 0, x 0", "timescale \"1 n s\", expected"},
    {__LINE__, "$timescale 1 ns of an hour and a hlf or more $end", 0, ", end 0, x 0",
     "dump:1: timescale \"1 ns of an hour and a h\", expected 1, 10 or 100 and s, ms, us"},

    /* Changes. */
    {__LINE__, GOOD "#1\n1!\n#3\n2!\n0!", 0, "1, end 3, x 0",
     "dump:11: \"2!\", expected a time, a value change or a $command"},
    {__LINE__, GOOD "#1\n1!\n#3\n1\n", 0, "1, end 3, x 0",
     "dump:11: \"1\" without an identifier code"},
    {__LINE__, GOOD "#1\n1!\n#3\n1\"\n", 0, "1, end 3, x 0",
     "dump:11: unknown identifier code \"\"\", expected a code declared by a $var"},
    {__LINE__, GOOD "#1\n1!\n#3\n1!!\n", 0, "1, end 3, x 0",
     "unknown identifier code \"!!\", expected a code"},
    {__LINE__, GOOD "#1\n1!\n#3\n1long-cod\n", 0, "1, end 3, x 0",
     "\"long-cod\", expected a code declared by a $var"},
    {__LINE__, GOOD "#1\n1!\n#3\n1long-codes\n", 0, "1, end 3, x 0",
     "\"long-codes\", expected a code"},
    {__LINE__, GOOD "#1\n1!\n#3\nb01 %\n", 0, "1, end 3, x 0",
     "\"%\", expected a code declared by a $var"},
    {__LINE__, GOOD "#1\n1!\n#3\nr1.5 %\n", 0, "1, end 3, x 0",
     "\"%\", expected a code declared by a $var"},
    {__LINE__, GOOD "#1\n1!\n#3\n1\xff\n", 0, "1, end 3, x 0",
     "unknown identifier code \"?\", expected a code"},
    {__LINE__, GOOD "#1\n1!\n#3\n1\xff\xff\xff\xff\n", 0, "1, end 3, x 0",
     "unknown identifier code \"?"},
    {__LINE__, GOOD "#1\n1!\n#3\nb #\n", 0, "1, end 3, x 0",
     "dump:11: \"b\", expected b and digits"},
    {__LINE__, GOOD "#1\n1!\n#3\nb012 #\n", 0, "1, end 3, x 0", "\"b012\", expected b and digits"},
    {__LINE__, GOOD "#1\n1!\n#3\nb01\n", 0, "1, end 3, x 0",
     "dump:12: the dump ends within a value change"},
    {__LINE__, GOOD "#1\n1!\n#3\nr1", 0, "1, end 3, x 0", "the dump ends within a value change"},
    {__LINE__, GOOD "#1\n1!\n#3\nb10 !\n", 0, "1, end 3, x 0",
     "dump:11: 2 digits for top.a, which has 1"},
    {__LINE__, GOOD "#1\n1!\n#3\nr1.0 !\n", 0, "1, end 3, x 0",
     "dump:11: a real number for top.a, expected bits"},
    {__LINE__, GOOD "#1\n1!\n#3\ns10 !\n", 0, "1, end 3, x 0", "a string for top.a, expected bits"},
    {__LINE__, GOOD "#1\n1!\npU 6 0 <0\n", 0, "1, end 1, x 0", "dump:10: \"pU\", expected a time"},

    /* Times. */
    {__LINE__, GOOD "#5\n1!\n#3\n0!\n", 0, "5, end 5, x 0",
     "dump:10: time 3 after 5, expected ascending times"},
    {__LINE__, GOOD "#5\n1!\n#18446744073709551616\n", 0, "5, end 5, x 0",
     "dump:10: \"#18446744073709551616\", expected a time: # and a number of 64 bits"},
    {__LINE__, GOOD "#5\n1!\n#99999999999999999999999999\n", 0, "5, end 5, x 0", "expected a time"},
    {__LINE__, GOOD "#5\n1!\n#\n", 0, "5, end 5, x 0", "dump:10: \"#\", expected a time"},
    {__LINE__, GOOD "#5\n1!\n#-6\n", 0, "5, end 5, x 0", "dump:10: \"#-6\", expected a time"},
    {__LINE__, GOOD "#5\n1!\n#6.5\n", 0, "5, end 5, x 0", "dump:10: \"#6.5\", expected a time"},
    {__LINE__, GOOD "#5\n1!\n# 6\n", 0, "5, end 5, x 0", "dump:10: \"#\", expected a time"},

    /* Commands among the changes. */
    {__LINE__, GOOD "#5\n1!\n$end\n", 0, "5, end 5, x 0", "dump:10: $end without a command"},
    {__LINE__, GOOD "#5\n1!\n$dumpoff\nx!\n", 0, ", end 5, x 1",
     "dump:12: the dump ends within the $dumpoff of line 10, expected $end"},
    {__LINE__, GOOD "$dumpvars\n1!\n#3\n0!", 0, "0 3, end 3, x 0",
     "within the $dumpvars of line 8"},
    {__LINE__, GOOD "#5\n1!\n$dumpall\n1!\n$dumpon", 0, "5, end 5, x 0",
     "dump:12: $dumpon within the $dumpall of line 10, expected $end"},
    {__LINE__, GOOD "#5\n1!\n$var wire 1 % c $end", 0, "5, end 5, x 0",
     "dump:10: $var after $enddefinitions"},
    {__LINE__, GOOD "#5\n1!\n$scope module x $end", 0, "5, end 5, x 0", "$scope after $enddef"},
    {__LINE__, GOOD "#5\n1!\n$enddefinitions $end", 0, "5, end 5, x 0",
     "$enddefinitions after $end"},
    {__LINE__, GOOD "#5\n1!\n$comment\n0!\n", 0, "5, end 5, x 0", "within the $comment of line 10"},
    {__LINE__, GOOD "#5\n1!\n$whatever\n0!\n", 0, "5, end 5, x 0",
     "within the $whatever of line 10"},

    /* NUL bytes at any place. */
    {__LINE__, "\0", 1, ", end 0, x 0", "dump:1: a NUL byte, expected text"},
    {__LINE__, "$comment \0 $end", 15, ", end 0, x 0", "dump:1: a NUL byte, expected text"},
    {__LINE__, GOOD "#5\n1!\n\0", sizeof(GOOD "#5\n1!\n\0") - 1, "5, end 5, x 0",
     "dump:10: a NUL byte, expected text"},
    {__LINE__, GOOD "#5\n1!\n0!\0\n", sizeof(GOOD "#5\n1!\n0!\0\n") - 1, "5, end 5, x 0",
     "dump:10: a NUL byte, expected text"},
};

static void every_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t size = rows[i].size ? rows[i].size : strlen(rows[i].dump);
        struct dump dump = dump_read_all(rows[i].line, rows[i].dump, size, "a");
        char text[640];
        dump_text(&dump.signal, text);
        ROW(rows[i].line, dump.result == -EBADMSG && dump.error.code == -EBADMSG, "%d: %s",
            dump.result, dump.error.message);
        ROW(rows[i].line, mentions(dump.error.message, rows[i].message), "\"%s\", expected \"%s\"",
            dump.error.message, rows[i].message);
        ROW(rows[i].line, !strcmp(text, rows[i].expected), "\"%s\", expected \"%s\"", text,
            rows[i].expected);
        dump_fini(&dump);
        /* The error may be NULL. */
        struct vcd_text silent;
        struct tally_vcd_signal signal;
        vcd_text_from_memory(&silent, "dump", rows[i].dump, size, 0, NULL);
        ROW(rows[i].line, vcd_read_text(&silent, "a", &signal) == -EBADMSG, "without an error");
        tally_vcd_signal_fini(&signal);
    }
    ROWS_DONE();
}

/* A valid dump truncated at each byte: no additional toggles, and the end is that of the part read.
 */
static void cut_anywhere(void **state)
{
    (void)state;
    static const char good[] =
        GOOD "$dumpvars\n0!\nb0 #\n0long-code\n$end\n#10\n1!\n#20\nb101 #\n0!\n"
             "#30\n$dumpoff\nx!\n$end\n#40\n1!\n";
    const size_t size = sizeof good - 1;
    for (size_t cut = 0; cut <= size; cut++) {
        struct dump dump = dump_read_all(__LINE__, good, cut, "a");
        char text[512];
        dump_toggles(&dump.signal, text);
        ROW(__LINE__, !strncmp(text, "10 20 40", strlen(text)), "cut at %zu: %s", cut, text);
        ROW(__LINE__, dump.result == 0 || dump.result == -EBADMSG, "cut at %zu: %d", cut,
            dump.result);
        ROW(__LINE__, dump.result == 0 || strstr(dump.error.message, "dump:"), "cut at %zu", cut);
        ROW(__LINE__, cut < size || (dump.result == 0 && dump.signal.end == 40), "the whole");
        dump_fini(&dump);
    }
    ROWS_DONE();
}

/* Words, names and scopes that are too long: the limit is the same for every way to read. */
static void too_long(void **state)
{
    (void)state;
    enum { ROOM = 3 << 20 };
    char *bytes = malloc(ROOM);
    assert_non_null(bytes);
    static const struct {
        unsigned line;
        const char *before;
        size_t repeat;
        const char *what, *behind, *message;
    } words[] = {
        {__LINE__, "", VCD_TOKEN_BYTES + 1, "q", "", "dump:1: a word longer than 1048576"},
        {__LINE__, "$comment ", VCD_TOKEN_BYTES + 1, "q", " $end", "a word longer than 1048576"},
        {__LINE__, GOOD "#1 1! b", VCD_TOKEN_BYTES, "0", " #", "dump:8: a word longer than"},
        {__LINE__, GOOD "#1 1! b", VCD_TOKEN_BYTES * 2, "0", " #", "dump:8: a word longer than"},
        {__LINE__, GOOD "1! #", VCD_TOKEN_BYTES - 1, "0", "", NULL},
        {__LINE__, GOOD "#1 1! b", VCD_TOKEN_BYTES - 1, "0", " #", NULL},
        {__LINE__, "$comment ", VCD_TOKEN_BYTES, "q", " $end " GOOD "#1 1!", NULL},
        {__LINE__, "$var wire 1 $ ", 70000, "n", " $end", "a name longer than 65536 characters"},
        {__LINE__, "$var wire 1 $ ", 70000, "n ", " $end", "a name longer than 65536 characters"},
        {__LINE__, "$scope module ", 70000, "n", " $end", "a name longer than 65536 characters"},
        {__LINE__, "", 70000, "$scope module nn $end\n", "",
         "dump:4097: more than 4096 nested scopes"},
        {__LINE__, "", 4096, "$scope module $end\n", GOOD "#1 1!", "dump:4098: more than 4096"},
        {__LINE__, "", 4095, "$scope module $end\n", GOOD "#1 1!", NULL},
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        size_t used = strlen(words[i].before), step = strlen(words[i].what);
        memcpy(bytes, words[i].before, used);
        for (size_t r = 0; r < words[i].repeat; r++, used += step)
            memcpy(bytes + used, words[i].what, step);
        memcpy(bytes + used, words[i].behind, strlen(words[i].behind));
        used += strlen(words[i].behind);
        assert_true(used <= ROOM);
        struct dump memory = dump_read(bytes, used, "a", 0, 0);
        struct dump pieces = dump_read(bytes, used, "a", 100000, 0);
        ROW(words[i].line, !strcmp(memory.error.message, pieces.error.message), "%s; %s",
            memory.error.message, pieces.error.message);
        ROW(words[i].line, mentions(memory.error.message, words[i].message), "\"%s\"",
            memory.error.message);
        ROW(words[i].line,
            memory.signal.count == (strstr(words[i].before, "1!") || !words[i].message),
            "%zu toggles", memory.signal.count);
        dump_fini(&memory);
        dump_fini(&pieces);
    }
    free(bytes);
    ROWS_DONE();
}

/* Missing files, and reads that fail. */
static ptrdiff_t broken_disk(void *closure, void *to, size_t size)
{
    static const char bytes[] = GOOD "#1 1! #4 ";
    unsigned *calls = closure;
    if ((*calls)++)
        return -EIO;
    assert_true(size >= sizeof bytes);
    memcpy(to, bytes, sizeof bytes - 1);
    return sizeof bytes - 1;
}

static void no_file(void **state)
{
    (void)state;
    struct tally_vcd_signal signal;
    struct tally_error error = {0};
    memset(&signal, 0xff, sizeof signal);
    assert_int_equal(tally_vcd_read("-", "a", &signal, &error), -EINVAL);
    assert_null(signal.times);
    assert_true(mentions(error.message, "standard input"));
    memset(&signal, 0xff, sizeof signal);
    assert_int_equal(tally_vcd_read(test_path("none.vcd"), "a", &signal, &error), -ENOENT);
    assert_true(mentions(error.message, "none.vcd: cannot open: No such file"));
    assert_null(signal.times);
    assert_int_equal(tally_vcd_read("/tmp", "a", &signal, &error), -EISDIR);
    assert_true(mentions(error.message, "/tmp: is a directory, expected a value change dump"));
    assert_int_equal(tally_vcd_read("/tmp", "a", &signal, NULL), -EISDIR);
    assert_int_equal(tally_vcd_list("/tmp", NULL, NULL, &error), -EISDIR);

    unsigned calls = 0;
    struct vcd_text text;
    assert_int_equal(vcd_text_from_function(&text, "disk", broken_disk, &calls, 0, &error), 0);
    assert_int_equal(vcd_read_text(&text, "a", &signal), -EIO);
    assert_string_equal(error.message, "disk:8: cannot read: Input/output error");
    assert_int_equal(signal.count, 1);
    assert_int_equal(signal.end, 4);
    tally_vcd_signal_fini(&signal);
    vcd_text_fini(&text);
}

/* The set of codes, compared with a list, with codes of all lengths. */
static void codes(void **state)
{
    (void)state;
    enum { CODES = 20000, ROOM = 24 };
    char(*list)[ROOM] = calloc(CODES, ROOM);
    assert_non_null(list);
    struct random random = random_start(7);
    struct vcd_codes codes = {0};
    assert_false(vcd_codes_have(&codes, "!", 1));
    assert_false(vcd_codes_have(&codes, "!!!!", 4));
    for (size_t i = 0; i < CODES; i++) {
        /* The last character determines whether the code is added. */
        size_t size = 1 + random_below(&random, ROOM - 2);
        for (size_t c = 0; c < size; c++)
            list[i][c] = (char)('!' + random_below(&random, 94));
        list[i][size - 1] = (char)(list[i][size - 1] & ~1);
        list[i][size - 1] = list[i][size - 1] < '!' ? '"' : list[i][size - 1];
        assert_true(vcd_code_is_valid(list[i], size));
        for (unsigned twice = 0; twice < 2; twice++)
            assert_int_equal(vcd_codes_add(&codes, list[i], size), 0);
    }
    for (size_t i = 0; i < CODES; i++) {
        size_t size = strlen(list[i]);
        assert_true(vcd_codes_have(&codes, list[i], size));
        list[i][size - 1] |= 1;
        assert_false(vcd_codes_have(&codes, list[i], size));
        list[i][size - 1] = ' ';
        assert_false(vcd_codes_have(&codes, list[i], size));
    }
    assert_false(vcd_codes_have(&codes, "", 0));
    vcd_codes_fini(&codes);
    free(list);
}

/* Many codes that differ only in the last characters must not need a linear search. */
static void codes_alike(void **state)
{
    (void)state;
    enum { CODES = 600000 };
    static const char *const before[] = {"", "abcd", "abcdefg", "a-much-longer-beginning-"};
    for (size_t i = 0; i < COUNT(before); i++) {
        struct vcd_codes codes = {0};
        char code[40];
        for (unsigned round = 0; round < 2; round++) {
            for (unsigned c = 0; c < CODES; c++) {
                int size = snprintf(code, sizeof code, "%s%c%c%c", before[i], '!' + c / 94 / 94,
                                    '!' + c / 94 % 94, '!' + c % 94);
                if (round)
                    assert_true(vcd_codes_have(&codes, code, (size_t)size));
                else
                    assert_int_equal(vcd_codes_add(&codes, code, (size_t)size), 0);
            }
        }
        assert_int_equal(codes.count, i ? CODES : 0);
        vcd_codes_fini(&codes);
    }
}

/* Random damage to a valid dump: the result is the same for every way to read. */
static void random_damage(void **state)
{
    (void)state;
    static const char good[] =
        GOOD "$dumpvars\n0!\nb0 #\n0long-code\n$end\n#10\n1!\n#20\nb101 #\n0!\n"
             "#30\n$dumpoff\nx!\n$end\n#40\n1!\n";
    static const char alphabet[] = "$# \n01bxzr!#\"ed[]:\\.\0\xff";
    for (uint64_t seed = 1; seed <= random_cases(5000); seed++) {
        struct random random = random_start(seed);
        char bytes[sizeof good];
        memcpy(bytes, good, sizeof good);
        for (uint64_t i = 1 + random_below(&random, 4); i; i--)
            bytes[random_below(&random, sizeof good - 1)] =
                alphabet[random_below(&random, sizeof alphabet)];
        struct dump dump = dump_read_all(__LINE__, bytes, sizeof good - 1, "a");
        for (size_t i = 1; i < dump.signal.count; i++)
            assert_true(dump.signal.times[i] > dump.signal.times[i - 1]);
        if (dump.signal.count)
            assert_true(dump.signal.times[dump.signal.count - 1] <= dump.signal.end);
        dump_fini(&dump);
    }
    ROWS_DONE();
}

int test_vcd_errors(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),     cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(too_long),      cmocka_unit_test(no_file),
        cmocka_unit_test(codes),         cmocka_unit_test(codes_alike),
        cmocka_unit_test(random_damage),
    };
    return cmocka_run_group_tests_name("wave: damaged dumps", tests, NULL, NULL);
}
