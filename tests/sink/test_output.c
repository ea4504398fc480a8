/* SPDX-License-Identifier: MIT */
/* Output to memory and files, in complete lines; the first error is kept. */
#include "sink/tests.h"

#include <unistd.h>

/* ---- memory -------------------------------------------------------------------------------- */

static void test_to_memory(void **state)
{
    (void)state;
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    assert_non_null(output);
    output_text(output, "one");
    output_text(output, "");
    output_printf(output, " %d %s", 2, "three");
    char *room = output_reserve(output, 5);
    memcpy(room, " four", 5);
    output_keep(output, room + 5);
    output_style(output, "31"); /* memory is not a terminal */
    output_flush(output);
    assert_int_equal(memory.size, 16);
    output_bytes(output, "\nfive\n", 6);
    output_text(output, "six");
    assert_int_equal(output_close(output, NULL), 0);
    assert_int_equal(memory.size, 25);
    assert_memory_equal(memory.bytes, "one 2 three four\nfive\nsix", 25);
    buffer_fini(&memory);
}

/* Text written in pieces of any size is output unchanged, in complete lines before the end. */
static void test_output_is_in_complete_lines(void **state)
{
    (void)state;
    enum { SIZE = 3 * 1024 * 1024 };
    struct random rng = {94};
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    char *text = malloc(SIZE + 1);
    assert_true(output && text);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = random_below(&rng, 90) ? (char)('a' + random_below(&rng, 26)) : '\n';
    for (size_t done = 0, size; done < SIZE; done += size) {
        size = 1 + random_below(&rng, done % 5 ? 200 : 9000);
        size = size < SIZE - done ? size : SIZE - done;
        char piece[9001];
        memcpy(piece, text + done, size);
        piece[size] = '\0';
        switch (random_below(&rng, 4)) {
        case 0:
            output_text(output, piece);
            break;
        case 1:
            size = strcspn(piece, "\n") + (strchr(piece, '\n') != NULL);
            output_printf(output, piece[size - 1] == '\n' ? "%.*s\n" : "%.*s%c", (int)size - 1,
                          piece, piece[size - 1]);
            break;
        case 2: {
            char *room = output_reserve(output, size);
            memcpy(room, piece, size);
            output_keep(output, room + size);
            break;
        }
        default:
            output_text(output, piece);
        }
        assert_true(!memory.size || memory.bytes[memory.size - 1] == '\n');
    }
    assert_true(memory.size > 0 && memory.size < SIZE);
    assert_int_equal(output_close(output, NULL), 0);
    assert_int_equal(memory.size, SIZE);
    assert_memory_equal(memory.bytes, text, SIZE);
    buffer_fini(&memory);
    free(text);
}

/* A line longer than the output's buffer is written completely. */
static void test_a_line_longer_than_the_buffer(void **state)
{
    (void)state;
    enum { SIZE = 1024 * 1024 };
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    char *text = malloc(SIZE + 1);
    assert_true(output && text);
    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    output_text(output, text);
    output_text(output, "\n");
    assert_int_equal(output_close(output, NULL), 0);
    assert_int_equal(memory.size, SIZE + 1);
    assert_memory_equal(memory.bytes, text, SIZE);
    buffer_fini(&memory);
    free(text);
}

static void test_printf_of_a_long_text(void **state)
{
    (void)state;
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_non_null(output);
    output_printf(output, "%s", text);
    assert_int_equal(output_close(output, NULL), 0);
    assert_int_equal(memory.size, sizeof text - 1);
    assert_memory_equal(memory.bytes, text, sizeof text - 1);
    buffer_fini(&memory);
}

/* Characters of the format are written; those of arguments are escaped, also if the format has the
 * same. */
static void test_printf_escapes_arguments(void **state)
{
    (void)state;
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    static const char expected[] = "a\\x0ab\n\\x0a\nx\\x0a\033[1m\\x1b\xc2\xb5\\u202e|";
    assert_non_null(output);
    output_printf(output, "%s\n", "a\\x0ab");
    output_printf(output, "%s\n", "\n");
    output_printf(output, "%s", "x\n");
    output_printf(output, "\033[1m%s", "\033");
    output_escaped(output, "\xc2\xb5\xe2\x80\xae|");
    assert_int_equal(output_close(output, NULL), 0);
    buffer_append(&memory, "", 1);
    assert_string_equal(memory.bytes, expected);
    buffer_fini(&memory);
}

/* ---- files --------------------------------------------------------------------------------- */

static void test_to_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/tally-test-XXXXXX", bytes[64] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "what was there before", 21), 21);
    struct tally_error error = {0};
    struct output *output = output_open(path, &error);
    assert_non_null(output);
    assert_false(output->color);
    output_style(output, "1");
    output_text(output, "new\n");
    assert_int_equal(output_close(output, &error), 0);
    assert_int_equal(error.code, 0);
    assert_int_equal(pread(fd, bytes, sizeof bytes, 0), 4);
    assert_memory_equal(bytes, "new\n", 4);
    close(fd);
    unlink(path);
}

static void test_a_file_that_cannot_be_opened(void **state)
{
    (void)state;
    struct tally_error error = {0};
    assert_null(output_open("/nonexistent/out.csv", &error));
    assert_int_equal(error.code, -ENOENT);
    assert_non_null(strstr(error.message, "/nonexistent/out.csv: cannot write: "));
    assert_null(output_open("/tmp", &error));
    assert_int_equal(error.code, -EISDIR);
    assert_null(output_open("/tmp", NULL));
}

/* A full device is reported once, at the end, without endless attempts. */
/* An output that is limited has whole parts up to the limit, and an error. */
static void test_a_limit(void **state)
{
    (void)state;
    struct tally_error error = {0};
    for (unsigned round = 0; round < 2; round++) {
        FILE *file = tmpfile();
        assert_non_null(file);
        struct output *output = output_open_file(dup(fileno(file)), "name", 9 + round, &error);
        assert_non_null(output);
        output_bytes(output, "12345\n", 6);
        output_bytes(output, "789\n", 4);
        output_bytes(output, "beyond\n", round ? 0 : 7);
        assert_int_equal(output_close(output, &error), round ? 0 : -EDQUOT);
        if (!round)
            assert_string_equal(error.message, "name: the output is too large");
        fseek(file, 0, SEEK_END);
        assert_int_equal(ftell(file), round ? 10 : 6);
        fclose(file);
    }
}

static void test_the_first_error_is_kept(void **state)
{
    (void)state;
    struct tally_error error = {0};
    if (access("/dev/full", W_OK) < 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    struct output *output = output_open("/dev/full", &error);
    assert_non_null(output);
    for (unsigned i = 0; i < 20000; i++)
        output_text(output, "a line that goes nowhere at all\n");
    assert_int_equal(output->error.code, -ENOSPC);
    assert_int_equal(output_close(output, &error), -ENOSPC);
    assert_int_equal(error.code, -ENOSPC);
    assert_non_null(strstr(error.message, "/dev/full: cannot write: "));
    output = output_open("/dev/full", NULL);
    assert_non_null(output);
    output_text(output, "x");
    assert_int_equal(output_close(output, NULL), -ENOSPC);
}

int test_output(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_memory),
        cmocka_unit_test(test_output_is_in_complete_lines),
        cmocka_unit_test(test_a_line_longer_than_the_buffer),
        cmocka_unit_test(test_printf_of_a_long_text),
        cmocka_unit_test(test_printf_escapes_arguments),
        cmocka_unit_test(test_to_a_file),
        cmocka_unit_test(test_a_file_that_cannot_be_opened),
        cmocka_unit_test(test_a_limit),
        cmocka_unit_test(test_the_first_error_is_kept),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
