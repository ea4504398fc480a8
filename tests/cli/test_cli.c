/* SPDX-License-Identifier: MIT */
/* The command line's tables: their consistency, and the parsing of argv. */
#include "testing.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "cli/cli.h"
#include "cli/input.h"

static void test_tables_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        assert_non_null(row->name);
        assert_non_null(row->help);
        /* A letter means one thing: options that share it have the same name. */
        for (size_t k = 0; k < i; k++)
            if (row->letter && row->letter == option_rows[k].letter)
                assert_string_equal(row->name, option_rows[k].name);
    }
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        assert_non_null(command->summary);
        assert_true(command->run != NULL);
        assert_true(command->operands_min <= command->operands_max);
        assert_ptr_equal(find_command(command->name), command);
        for (size_t o = 0; command->options[o]; o++)
            for (size_t k = 0; k < o; k++) {
                const struct option_row *row = &option_rows[command->options[o]];
                char letter = row->letter;
                /* Options of different commands may have one name: --device. */
                assert_string_not_equal(row->name, option_rows[command->options[k]].name);
                if (letter)
                    assert_int_not_equal(letter, option_rows[command->options[k]].letter);
            }
    }
    assert_null(find_command("nonsense"));
}

// clang-format off
static const struct {
    int line;
    const char *command;
    const char *argv[8];
    int code;
    enum option_id option;
    const char *value; /* value of `option` */
    size_t operands;
} command_lines[] = {
    {__LINE__, "report", {"report", "x"}, EXIT_DONE, OPTION_FORMAT, NULL, 1},
    {__LINE__, "report", {"report", "x", "-f", "csv"}, EXIT_DONE, OPTION_FORMAT, "csv", 1},
    {__LINE__, "report", {"report", "-fcsv", "x"}, EXIT_DONE, OPTION_FORMAT, "csv", 1},
    {__LINE__, "report", {"report", "--format=csv", "x"}, EXIT_DONE, OPTION_FORMAT, "csv", 1},
    {__LINE__, "report", {"report", "-f", "csv", "-f", "jsonl", "x"}, EXIT_DONE, OPTION_FORMAT,
     "jsonl", 1},
    {__LINE__, "report", {"report", "-r", "x"}, EXIT_DONE, OPTION_PER_REPORT, "", 1},
    {__LINE__, "report", {"report", "--", "-x"}, EXIT_DONE, OPTION_FORMAT, NULL, 1},
    {__LINE__, "report", {"report", "-"}, EXIT_DONE, OPTION_FORMAT, NULL, 1},
    {__LINE__, "report", {"report"}, EXIT_USAGE, OPTION_FORMAT, NULL, 0},
    {__LINE__, "report", {"report", "-h"}, EXIT_DONE, OPTION_HELP, "", 0},
    {__LINE__, "report", {"report", "x", "y"}, EXIT_USAGE, OPTION_FORMAT, NULL, 2},
    {__LINE__, "report", {"report", "-Z", "x"}, EXIT_USAGE, OPTION_FORMAT, NULL, 0},
    {__LINE__, "report", {"report", "x", "-f"}, EXIT_USAGE, OPTION_FORMAT, NULL, 0},
    {__LINE__, "record", {"record"}, EXIT_DONE, OPTION_TIME, NULL, 0},
    {__LINE__, "record", {"record", "-t", "1s"}, EXIT_DONE, OPTION_TIME, "1s", 0},
    {__LINE__, "record", {"record", "-p1ms"}, EXIT_DONE, OPTION_PERIOD, "1ms", 0},
    /* Arguments of the wrapped command are left to it, with and without "--". */
    {__LINE__, "record", {"record", "-t", "1s", "x", "-t", "2s"}, EXIT_DONE, OPTION_TIME, "1s", 3},
    {__LINE__, "record", {"record", "--", "x", "-t", "2s"}, EXIT_DONE, OPTION_TIME, NULL, 3},
    {__LINE__, "record", {"record", "--", "-t", "2s"}, EXIT_DONE, OPTION_TIME, NULL, 2},
    {__LINE__, "record", {"record", "-t"}, EXIT_USAGE, OPTION_TIME, NULL, 0},
    /* --device has a former name; a letter means the same in every command. */
    {__LINE__, "emulate", {"emulate", "-d", "sim:skl", "x"}, EXIT_DONE, OPTION_EMULATED_DEVICE, "sim:skl", 1},
    {__LINE__, "emulate", {"emulate", "--gpu", "skl", "x"}, EXIT_DONE, OPTION_EMULATED_DEVICE, "skl", 1},
    {__LINE__, "vm", {"vm", "--gpu=none"}, EXIT_DONE, OPTION_SERVED_DEVICE, "none", 0},
    {__LINE__, "record", {"record", "--gpu", "skl"}, EXIT_USAGE, OPTION_DEVICE, NULL, 0},
    {__LINE__, "report", {"report", "-p", "hsw", "x"}, EXIT_USAGE, OPTION_PLATFORM, NULL, 0},
    {__LINE__, "report", {"report", "--quiet=1", "x"}, EXIT_USAGE, OPTION_QUIET, NULL, 0},
    {__LINE__, "version", {"version", "--format", "csv"}, EXIT_USAGE, OPTION_FORMAT, NULL, 0},
};
// clang-format on

static void test_command_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(command_lines); i++) {
        char *argv[9] = {0};
        int argc = 0;
        while (command_lines[i].argv[argc]) {
            argv[argc] = (char *)(uintptr_t)command_lines[i].argv[argc];
            argc++;
        }
        struct arguments arguments;
        int code = parse_arguments(find_command(command_lines[i].command), argc, argv, &arguments);
        const char *value = arguments.values[command_lines[i].option];
        bool same = value && command_lines[i].value ? !strcmp(value, command_lines[i].value)
                                                    : value == command_lines[i].value;
        bool counted = code != EXIT_DONE || arguments.operand_count == command_lines[i].operands;
        if (code != command_lines[i].code || (code == EXIT_DONE && !same) || !counted)
            fail_msg("row in line %d: code %d, value %s, %zu operands", command_lines[i].line, code,
                     value ? value : "(none)", arguments.operand_count);
    }
}

// clang-format off
static const struct {
    int line;
    const char *text;
    uint64_t ns;
} times[] = {
    {__LINE__, "10ms", 10000000},    {__LINE__, "1s", 1000000000}, {__LINE__, "500us", 500000},
    {__LINE__, "1.5ms", 1500000},    {__LINE__, "250ns", 250},     {__LINE__, "2m", 120000000000},
    {__LINE__, "0ms", 0},            {__LINE__, "ms", 0},          {__LINE__, "10", 0},
    {__LINE__, "-1s", 0},            {__LINE__, "1h", 0},          {__LINE__, "", 0},
    {__LINE__, "99999999999999s", 0},
};
// clang-format on

static void test_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(times); i++)
        if (parse_time_ns(times[i].text) != times[i].ns)
            fail_msg("row in line %d: %s", times[i].line, times[i].text);
}

// clang-format off
static const struct {
    int line;
    const char *text;
    uint64_t bytes;
} sizes[] = {
    {__LINE__, "65536", 65536}, {__LINE__, "512K", 512 << 10}, {__LINE__, "8m", 8 << 20},
    {__LINE__, "1G", 1 << 30},  {__LINE__, "16777215T", UINT64_C(16777215) << 40},
    {__LINE__, "0", 0},         {__LINE__, "", 0},
    {__LINE__, "M", 0},         {__LINE__, "1MB", 0},
    {__LINE__, "1.5M", 0},      {__LINE__, "-1", 0},
    {__LINE__, "8 M", 0},       {__LINE__, "16777216T", 0},
    {__LINE__, "99999999999999999999", 0},
};
// clang-format on

static void test_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++)
        if (parse_size(sizes[i].text) != sizes[i].bytes)
            fail_msg("row in line %d: %s", sizes[i].line, sizes[i].text);
}

static void test_exit_codes(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of(0), EXIT_DONE);
    assert_int_equal(exit_code_of(-EBADMSG), EXIT_MALFORMED);
    assert_int_equal(exit_code_of(-EACCES), EXIT_NO_DEVICE);
    assert_int_equal(exit_code_of(-ENODEV), EXIT_NO_DEVICE);
    assert_int_equal(exit_code_of(-EBUSY), EXIT_NO_DEVICE);
    assert_int_equal(exit_code_of(-ENOENT), EXIT_USAGE);
    assert_int_equal(exit_code_of(-EIO), EXIT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_are_sound),
        cmocka_unit_test(test_command_lines),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_exit_codes),
    };
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
