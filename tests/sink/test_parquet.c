/* SPDX-License-Identifier: MIT */
/* The encodings of Parquet files, by the examples of the format's documents and by plain decoders.
 * tests/e2e/test_parquet.py has whole files read by others. */
#include "sink/tests.h"

#include "sink/parquet_encode.h"
#include "sink/parquet_file.h"
#include "sink/thrift.h"

#define BYTES(text) text, sizeof(text) - 1

static void check(unsigned line, struct buffer *buffer, const char *expected, size_t size)
{
    ROW(line, buffer->size == size && (!size || !memcmp(buffer->bytes, expected, size)),
        "%zu bytes, not %zu", buffer->size, size);
    buffer_fini(buffer);
}

/* ---- decoders -------------------------------------------------------------------------------- */

struct input {
    const uint8_t *at, *end;
};

static uint64_t get_varint(struct input *input)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(input->at < input->end);
        value |= (uint64_t)(*input->at & 0x7f) << shift;
        if (!(*input->at++ & 0x80))
            return value;
    }
}

static int64_t get_zigzag(struct input *input)
{
    uint64_t value = get_varint(input);
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* Gets bit by bit number `index` of those from `bytes` on. */
static uint64_t get_packed(const uint8_t *bytes, size_t index, unsigned width)
{
    uint64_t value = 0;
    for (size_t bit = 0; bit < width; bit++) {
        size_t at = index * width + bit;
        value |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << bit;
    }
    return value;
}

static void check_runs(const uint32_t *values, size_t count, unsigned bits)
{
    struct buffer buffer = {0};
    size_t done = 0;
    parquet_put_runs(&buffer, values, count, bits);
    if (!count) { /* it has no memory yet */
        assert_int_equal(buffer.size, 0);
        return;
    }
    struct input input = {(uint8_t *)buffer.bytes, (uint8_t *)buffer.bytes + buffer.size};
    while (done < count) {
        uint64_t head = get_varint(&input), length = head >> 1, size = (bits + 7) / 8;
        if (head & 1) {
            length *= 8;
            size = length * bits / 8;
            assert_true(done + length < count + 8); /* only the last group is filled up */
        } else {
            assert_true(done + length <= count);
        }
        assert_true(length && (size_t)(input.end - input.at) >= size);
        for (size_t i = 0; i < length; i++) {
            uint64_t value = get_packed(input.at, head & 1 ? i : 0, bits);
            assert_int_equal(value, done + i < count ? values[done + i] : 0);
        }
        done += length;
        input.at += size;
    }
    assert_ptr_equal(input.at, input.end);
    buffer_fini(&buffer);
}

static void check_deltas(const uint64_t *values, size_t count)
{
    struct buffer buffer = {0};
    parquet_put_deltas(&buffer, values, count);
    struct input input = {(uint8_t *)buffer.bytes, (uint8_t *)buffer.bytes + buffer.size};
    assert_int_equal(get_varint(&input), 128);
    assert_int_equal(get_varint(&input), 4);
    assert_int_equal(get_varint(&input), count);
    uint64_t value = (uint64_t)get_zigzag(&input);
    if (count)
        assert_int_equal(value, values[0]);
    for (size_t done = 1; done < count;) {
        int64_t min = get_zigzag(&input);
        const uint8_t *widths = input.at;
        input.at += 4;
        for (size_t m = 0; m < 4; m++) {
            if (done >= count) {
                assert_int_equal(widths[m], 0);
                continue;
            }
            assert_true(input.end - input.at >= 4 * widths[m]);
            for (size_t i = 0; i < 32 && done < count; i++) {
                value += (uint64_t)min + get_packed(input.at, i, widths[m]);
                assert_int_equal(value, values[done++]);
            }
            input.at += (size_t)4 * widths[m];
        }
    }
    assert_ptr_equal(input.at, input.end);
    buffer_fini(&buffer);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_examples(void **state)
{
    static const uint32_t ascending[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint32_t repeated[] = {300, 300, 300, 300, 300, 300, 300, 300, 300, 300};
    static const uint64_t linear[] = {1, 2, 3, 4, 5}, words[] = {1, UINT64_MAX - 1};
    static const uint64_t booleans[] = {1, 0, 0, 1, 0, 0, 0, 0, 7};
    struct buffer buffer = {0};
    (void)state;
    parquet_put_runs(&buffer, ascending, 8, 3);
    check(__LINE__, &buffer, BYTES("\x03\x88\xc6\xfa"));
    parquet_put_runs(&buffer, repeated, 10, 9);
    check(__LINE__, &buffer, BYTES("\x14\x2c\x01"));
    parquet_put_runs(&buffer, repeated, 0, 9);
    check(__LINE__, &buffer, BYTES(""));
    /* Differences that are all 1: the lowest is 1, and the rest have no bits. */
    parquet_put_deltas(&buffer, linear, 5);
    check(__LINE__, &buffer, BYTES("\x80\x01\x04\x05\x02\x02\0\0\0\0"));
    parquet_put_words(&buffer, words, 2);
    check(__LINE__, &buffer, BYTES("\1\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff"));
    parquet_put_booleans(&buffer, booleans, 9);
    check(__LINE__, &buffer, BYTES("\x09\x01"));
    ROWS_DONE();
}

static void test_random_runs(void **state)
{
    enum { MAX = 700 };
    static uint32_t values[MAX];
    struct random rng = {17};
    (void)state;
    for (unsigned i = 0; i < random_cases(20000); i++) {
        unsigned bits = 1 + (unsigned)random_below(&rng, 20),
                 run = 1 + (unsigned)random_below(&rng, 30);
        size_t count = random_below(&rng, MAX);
        for (size_t v = 0; v < count; v++)
            values[v] = v && random_below(&rng, run) ? values[v - 1]
                                                     : (uint32_t)random_below(&rng, 1u << bits);
        check_runs(values, count, bits);
    }
}

static void test_random_deltas(void **state)
{
    enum { MAX = 600 };
    static uint64_t values[MAX];
    struct random rng = {18};
    (void)state;
    for (unsigned i = 0; i < random_cases(20000); i++) {
        unsigned bits = (unsigned)random_below(&rng, 63);
        uint64_t value = random_next(&rng) >> 2;
        size_t count = random_below(&rng, MAX);
        for (size_t v = 0; v < count; v++)
            values[v] = value =
                (value + (random_next(&rng) & ((UINT64_C(1) << bits) - 1))) & (UINT64_MAX >> 2);
        assert_true(parquet_fits_deltas(values, count));
        check_deltas(values, count);
    }
}

static void test_what_has_deltas(void **state)
{
    static const struct {
        unsigned line;
        uint64_t values[3];
        size_t count;
        bool fits;
    } rows[] = {
        {__LINE__, {0}, 0, true},
        {__LINE__, {INT64_MAX}, 1, true},
        {__LINE__, {(uint64_t)INT64_MAX + 1}, 1, false},
        {__LINE__, {0, INT64_MAX}, 2, true},
        {__LINE__, {INT64_MAX, 0}, 2, true},
        {__LINE__, {INT64_MAX, 0, INT64_MAX}, 3, false}, /* differences 2^64 - 2 apart */
        {__LINE__, {0, 1, UINT64_MAX}, 3, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(rows[i].line, parquet_fits_deltas(rows[i].values, rows[i].count) == rows[i].fits, "%d",
            !rows[i].fits);
        if (rows[i].fits)
            check_deltas(rows[i].values, rows[i].count);
    }
    ROWS_DONE();
}

static void test_dictionaries(void **state)
{
    enum { MAX = 3000 };
    static uint64_t values[MAX];
    struct random rng = {19};
    struct dictionary dictionary;
    (void)state;
    assert_true(dictionary_init(&dictionary, MAX));
    for (unsigned i = 0; i < random_cases(2000); i++) {
        size_t count = random_below(&rng, MAX), kinds = 1 + random_below(&rng, MAX);
        for (size_t v = 0; v < count; v++)
            values[v] = random_below(&rng, kinds) * UINT64_C(0x100000001);
        assert_true(dictionary_build(&dictionary, values, count, count));
        for (size_t v = 0; v < count; v++) {
            assert_true(dictionary.indices[v] < dictionary.count);
            assert_int_equal(dictionary.values[dictionary.indices[v]], values[v]);
        }
        size_t distinct = dictionary.count;
        assert_true(distinct <= kinds);
        assert_true(dictionary_bits(&dictionary) <= 12);
        assert_true(distinct <= (size_t)1 << dictionary_bits(&dictionary));
        assert_true(dictionary_build(&dictionary, values, count, distinct));
        if (distinct)
            assert_false(dictionary_build(&dictionary, values, count, distinct - 1));
    }
    dictionary_fini(&dictionary);
}

static void test_structs(void **state)
{
    struct buffer buffer = {0};
    struct thrift thrift = {.to = &buffer};
    (void)state;
    thrift_begin(&thrift);
    thrift_i32(&thrift, 1, -1);
    thrift_i64(&thrift, 16, 150); /* 15 after the one before */
    thrift_text(&thrift, 32, "ab");
    thrift_begin_field(&thrift, 33);
    thrift_bool(&thrift, 1, true);
    thrift_bool(&thrift, 3, false);
    thrift_byte(&thrift, 4, 64);
    thrift_end(&thrift);
    thrift_list(&thrift, 34, THRIFT_I32, 2);
    thrift_element_i32(&thrift, 1);
    thrift_element_i32(&thrift, -64);
    thrift_list(&thrift, 35, THRIFT_BINARY, 15);
    thrift_end(&thrift);
    check(__LINE__, &buffer,
          BYTES("\x15\x01\xf6\xac\x02\x08\x40\x02"
                "ab\x1c\x11\x22\x13\x40\x00\x19\x25\x02\x7f\x19\xf8\x0f\x00"));
    ROWS_DONE();
}

static void test_names_are_unique(void **state)
{
    static const char *const names[] = {"index", "Index", "INDEX_", "index", "other"};
    static const char *const expected[] = {"index", "Index_", "INDEX__", "index___", "other"};
    struct parquet_file file = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_int_equal(parquet_add(&file, (struct parquet_column){0}, names[i]), i);
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(file.columns[i].name, expected[i]);
    assert_false(file.broken);
    parquet_fini(&file);
}

int test_parquet(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),         cmocka_unit_test(test_random_runs),
        cmocka_unit_test(test_random_deltas),    cmocka_unit_test(test_what_has_deltas),
        cmocka_unit_test(test_dictionaries),     cmocka_unit_test(test_structs),
        cmocka_unit_test(test_names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
