/* SPDX-License-Identifier: MIT */
/* Escaping of text from elsewhere. */
#include "testing.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/error.h"
#include "base/escape.h"

static const struct {
    unsigned line;
    const char *text, *escaped;
} texts[] = {
    {__LINE__, "", ""},
    {__LINE__, "plain \\ text ~", "plain \\ text ~"},
    {__LINE__, "a\tb\nc\rd", "a\\x09b\\x0ac\\x0dd"},
    {__LINE__, "\x1b[31mred", "\\x1b[31mred"},
    {__LINE__, "\x01\x1f\x7f", "\\x01\\x1f\\x7f"},
    {__LINE__, "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0"},
    {__LINE__,
     "\x9b"
     "31m\xff",
     "\\x9b31m\\xff"}, /* C1 of 8-bit terminals */
    {__LINE__,
     "\xe2\x80\xae"
     "drow\xe2\x80\xac",
     "\\u202edrow\\u202c"},
    {__LINE__, "\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069"},
    {__LINE__, "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c\xef\xbb\xbf",
     "\\u2028\\u2029\\u200e\\u200f\\u061c\\ufeff"},
    {__LINE__, "\xc2\xb5s \xe2\x94\x82 \xf0\x9f\x98\x80",
     "\xc2\xb5s \xe2\x94\x82 \xf0\x9f\x98\x80"},
    /* not UTF-8: cut, overlong, a surrogate, above 10ffff */
    {__LINE__, "x\xe2\x80", "x\\xe2\\x80"},
    {__LINE__, "\xc0\xaf\xe0\x80\x80", "\\xc0\\xaf\\xe0\\x80\\x80"},
    {__LINE__, "\xed\xa0\x80", "\\xed\\xa0\\x80"},
    {__LINE__, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        char place[256];
        struct buffer buffer = {0};
        escape_put(&buffer, texts[i].text, SIZE_MAX);
        buffer_append(&buffer, "", 1);
        ROW(texts[i].line, !strcmp(buffer.bytes, texts[i].escaped), "\"%s\"", buffer.bytes);
        ROW(texts[i].line, is_printable(texts[i].text) == !strcmp(texts[i].text, texts[i].escaped),
            "printable");
        snprintf(place, sizeof place, "%s", texts[i].text);
        for (unsigned times = 0; times < 2; times++) { /* a second time changes nothing */
            escape_in_place(place, sizeof place);
            ROW(texts[i].line, !strcmp(place, texts[i].escaped), "\"%s\"", place);
        }
        buffer_fini(&buffer);
    }
    ROWS_DONE();
}

/* Every character alone, by the definition: of the ASCII range only blanks and graphics remain. */
static void test_every_byte(void **state)
{
    (void)state;
    for (unsigned byte = 1; byte < 256; byte++) {
        char text[8] = {(char)byte}, expected[8];
        bool plain = byte >= 0x20 && byte < 0x7f;
        snprintf(expected, sizeof expected, plain ? "%c" : "\\x%02x", byte);
        escape_in_place(text, sizeof text);
        ROW(__LINE__, !strcmp(text, expected), "%02x: \"%s\"", byte, text);
    }
    ROWS_DONE();
}

/* In an array of any size: the longest beginning of the escaped text that has whole characters. */
static void test_places(void **state)
{
    (void)state;
    static const char text[] = "a\nb\xe2\x94\x82"
                               "c\x1b"
                               "d";
    static const char *const pieces[] = {"a", "\\x0a", "b", "\xe2\x94\x82", "c", "\\x1b", "d"};
    for (size_t size = sizeof text; size < 24; size++) {
        char place[24], expected[24] = "";
        for (size_t i = 0; i < COUNT(pieces); i++) {
            if (strlen(expected) + strlen(pieces[i]) >= size)
                break;
            strcat(expected, pieces[i]);
        }
        memset(place, 'x', sizeof place);
        strcpy(place, text);
        escape_in_place(place, size);
        ROW(__LINE__, !strcmp(place, expected), "%zu: \"%s\"", size, place);
        for (size_t i = size; i < sizeof place; i++)
            ROW(__LINE__, place[i] == 'x', "%zu: byte %zu", size, i);
    }
    /* A text that snprintf() has cut within a character. */
    for (size_t size = 2; size < 8; size++) {
        char place[8], expected[8];
        snprintf(place, sizeof place, "ab%s", "\xf0\x9f\x98\x80");
        place[size - 1] = '\0';
        snprintf(expected, sizeof expected, "%.*s",
                 size > 6   ? 6
                 : size > 2 ? 2
                            : 1,
                 "ab\xf0\x9f\x98\x80");
        escape_in_place(place, size);
        ROW(__LINE__, !strcmp(place, expected), "%zu: \"%s\"", size, place);
    }
    ROWS_DONE();
}

__attribute__((format(printf, 3, 4))) static void check_format(unsigned line, const char *expected,
                                                               const char *format, ...)
{
    struct buffer buffer = {0};
    char plain[256];
    va_list arguments;
    va_start(arguments, format);
    escape_format(&buffer, format, arguments);
    va_end(arguments);
    buffer_append(&buffer, "", 1);
    va_start(arguments, format);
    vsnprintf(plain, sizeof plain, format, arguments);
    va_end(arguments);
    const char *wanted = expected ? expected : plain;
    ROW(line, !buffer.broken && !strcmp(buffer.bytes, wanted), "\"%s\", expected \"%s\"",
        buffer.bytes, wanted);
    buffer_fini(&buffer);
}

/* Without controls in the arguments, the result is that of printf(). */
static void test_formats(void **state)
{
    (void)state;
    check_format(__LINE__, NULL, "%s", "text");
    check_format(__LINE__, NULL, "\x1b[1m%s\x1b[0m\n%%%c|", "text", 'c');
    check_format(__LINE__, NULL, "%8s|%-8s|%.2s|%*s|%-*s|%.*s|%-8.3s|%*s", "a", "b", "abc", 4, "c",
                 4, "d", 1, "xyz", "defghi", -6, "left");
    check_format(__LINE__, NULL, "%d %5i %-5d| %05d %+d %hhu %hu %u %lu %llu %zu %td %jd", -1, 2, 3,
                 4, 5, (unsigned char)6, (unsigned short)7, 8u, 9ul, 10ull, (size_t)11,
                 (ptrdiff_t)-12, (intmax_t)-13);
    check_format(__LINE__, NULL, "%#x %08" PRIx32 " %016" PRIx64 " %X %o %" PRIu64, 0x1fu,
                 UINT32_C(0xabc), UINT64_C(0xdeadbeef12345678), 0xABu, 8u, UINT64_MAX);
    check_format(__LINE__, NULL, "%g %.3f %10.2f %-10.1f| %e %.0f %.*f", 0.1, 1.0 / 3, 2.5, 2.25,
                 1e100, 2.5, 3, 1.23456);
    check_format(__LINE__, "a\\x0a\n\\u202e\n", "%s\n%s\n", "a\n", "\xe2\x80\xae");
    check_format(__LINE__, "\\x1b|  \\x0a|\\x0a  |\\x0a|", "%s|%6s|%-6s|%.1s|", "\x1b", "\n", "\n",
                 "\n\n");
    ROWS_DONE();
}

/* Messages with what a file contains are one line, without controls. */
static void test_errors(void **state)
{
    (void)state;
    struct tally_error error = {0};
    char long_text[400];
    fail(&error, -1, "key \"%s\"", "x\n\x1b[2J");
    assert_string_equal(error.message, "key \"x\\x0a\\x1b[2J\"");
    fail_in(&error, "%s:%u", "na\rme", 3u);
    assert_string_equal(error.message, "na\\x0dme:3: key \"x\\x0a\\x1b[2J\"");
    memset(long_text, '\n', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    fail(&error, -1, "%s", long_text);
    assert_int_equal(strlen(error.message), 248);
    assert_true(is_printable(error.message));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),  cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_places), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
