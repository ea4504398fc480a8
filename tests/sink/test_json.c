/* SPDX-License-Identifier: MIT */
/* JSON strings (RFC 8259): escapes and invalid UTF-8. */
#include "sink/tests.h"

#include "sink/json.h"

static char *written(const char *text)
{
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    assert_non_null(output);
    json_text(output, text);
    assert_int_equal(output_close(output, NULL), 0);
    buffer_char(&memory, '\0');
    return memory.bytes;
}

#define BAD "\\ufffd"

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text, *expected;
    } rows[] = {
        {__LINE__, "", "\"\""},
        {__LINE__, "EuActive", "\"EuActive\""},
        {__LINE__, "a \"b\" c", "\"a \\\"b\\\" c\""},
        {__LINE__, "C:\\x", "\"C:\\\\x\""},
        {__LINE__, "/", "\"/\""},
        {__LINE__, "<&>'", "\"<&>'\""},
        /* Control characters, all of them below 20h. */
        {__LINE__, "\n", "\"\\u000a\""},
        {__LINE__, "\r\t\b\f", "\"\\u000d\\u0009\\u0008\\u000c\""},
        {__LINE__, "\x01\x1f", "\"\\u0001\\u001f\""},
        {__LINE__, "\x1b[31m", "\"\\u001b[31m\""},
        {__LINE__, " ~\x7f", "\" ~\\u007f\""},
        /* UTF-8 is copied: the first and last character of each length. */
        {__LINE__, "\xc2\xa0 \xdf\xbf", "\"\xc2\xa0 \xdf\xbf\""},
        /* C1, marks of direction. */
        {__LINE__, "\xc2\x80\xc2\x9f", "\"\\u0080\\u009f\""},
        {__LINE__, "\xe2\x80\xae\xe2\x81\xa9", "\"\\u202e\\u2069\""},
        {__LINE__, "\xe0\xa0\x80 \xef\xbf\xbf", "\"\xe0\xa0\x80 \xef\xbf\xbf\""},
        {__LINE__, "\xed\x9f\xbf \xee\x80\x80", "\"\xed\x9f\xbf \xee\x80\x80\""},
        {__LINE__, "\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf", "\"\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf\""},
        {__LINE__, "µs é 日本 😀", "\"µs é 日本 😀\""},
        /* Invalid UTF-8: each byte becomes U+FFFD. */
        {__LINE__, "\x80", "\"" BAD "\""},
        {__LINE__,
         "a\xbf"
         "b",
         "\"a" BAD "b\""},
        {__LINE__, "\xff\xfe", "\"" BAD BAD "\""},
        {__LINE__, "\xc0\x80", "\"" BAD BAD "\""}, /* overlong NUL */
        {__LINE__, "\xc1\xbf", "\"" BAD BAD "\""},
        {__LINE__, "\xe0\x9f\xbf", "\"" BAD BAD BAD "\""}, /* overlong */
        {__LINE__, "\xf0\x8f\xbf\xbf", "\"" BAD BAD BAD BAD "\""},
        {__LINE__, "\xed\xa0\x80", "\"" BAD BAD BAD "\""}, /* a surrogate */
        {__LINE__, "\xed\xbf\xbf", "\"" BAD BAD BAD "\""},
        {__LINE__, "\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""}, /* beyond U+10FFFF */
        {__LINE__, "\xf5\x80\x80\x80", "\"" BAD BAD BAD BAD "\""},
        {__LINE__, "\xf8\x88\x80\x80\x80", "\"" BAD BAD BAD BAD BAD "\""},
        /* Truncated sequences, also at the end of the text. */
        {__LINE__, "\xc3", "\"" BAD "\""},
        {__LINE__, "\xc3z", "\"" BAD "z\""},
        {__LINE__, "\xe2\x82", "\"" BAD BAD "\""},
        {__LINE__, "\xe2\x82z", "\"" BAD BAD "z\""},
        {__LINE__, "\xe2", "\"" BAD "\""},
        {__LINE__, "\xf0\x9f\x98", "\"" BAD BAD BAD "\""},
        {__LINE__, "\xe2\xe2\x82\xac", "\"" BAD "\xe2\x82\xac\""}, /* then a valid one */
        {__LINE__, "\xc3\"", "\"" BAD "\\\"\""},
        {__LINE__, "\xe2\x82\n", "\"" BAD BAD "\\u000a\""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *json = written(rows[i].text);
        ROW(rows[i].line, !strcmp(json, rows[i].expected), "gives %s, expected %s", json,
            rows[i].expected);
        free(json);
    }
    ROWS_DONE();
}

/* Random bytes: the string is quoted, ends only at its end, and contains only what RFC 8259 allows.
 */
static void test_random_bytes(void **state)
{
    (void)state;
    struct random rng = {95};
    for (unsigned i = 0; i < random_cases(20000); i++) {
        char text[24];
        size_t size = random_below(&rng, sizeof text);
        for (size_t b = 0; b < size; b++)
            do
                text[b] = (char)random_next(&rng);
            while (!text[b]);
        text[size] = '\0';
        char *json = written(text), *end = json + strlen(json) - 1;
        assert_true(end > json && *json == '"' && *end == '"');
        for (char *at = json + 1; at < end; at++) {
            assert_true((unsigned char)*at >= 0x20 && *at != '"');
            if (*at == '\\') {
                at++;
                assert_true(*at == '"' || *at == '\\' || *at == 'u');
                if (*at == 'u')
                    for (unsigned h = 0; h < 4; h++)
                        assert_non_null(strchr("0123456789abcdef", *++at));
                assert_true(at < end);
            }
        }
        free(json);
    }
}

/* Far longer than the output's buffer. */
static void test_long_text(void **state)
{
    (void)state;
    enum { SIZE = 700 * 1024 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    memset(text, '\n', SIZE);
    text[SIZE] = '\0';
    char *json = written(text);
    assert_int_equal(strlen(json), 6 * SIZE + 2);
    assert_memory_equal(json, "\"\\u000a", 7);
    assert_string_equal(json + 6 * SIZE - 5, "\\u000a\"");
    free(json);
    free(text);
}

static void test_members(void **state)
{
    (void)state;
    struct buffer memory = {0};
    struct output *output = output_to_memory(&memory);
    assert_non_null(output);
    json_member(output, "key", "a \"text\"");
    assert_int_equal(output_close(output, NULL), 0);
    assert_int_equal(memory.size, 19);
    assert_memory_equal(memory.bytes, ",\"key\":\"a \\\"text\\\"\"", 19);
    buffer_fini(&memory);
}

int test_json(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
