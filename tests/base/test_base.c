/* SPDX-License-Identifier: MIT */
/* Loads and stores, exact ratios, growing buffers, errors, the progress line. */
#include "testing.h"

#include <errno.h>
#include <inttypes.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/nearest.h"
#include "base/progress.h"
#include "base/ratio.h"
#include "base/uuid.h"

/* ---- bits ---------------------------------------------------------------------------------- */

/* Bytes 01 02 ... 0f make the result of a little-endian load at each offset obvious. */
static void test_loads_at_any_offset(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88,
                                    0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    static const struct {
        unsigned line;
        unsigned offset;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } rows[] = {
        {__LINE__, 0, 0x0201, 0x04030201, UINT64_C(0x8807060504030201)},
        {__LINE__, 1, 0x0302, 0x05040302, UINT64_C(0x9988070605040302)},
        {__LINE__, 3, 0x0504, 0x07060504, UINT64_C(0xbbaa998807060504)},
        {__LINE__, 5, 0x0706, 0x99880706, UINT64_C(0xddccbbaa99880706)},
        {__LINE__, 7, 0x9988, 0xbbaa9988, UINT64_C(0xffeeddccbbaa9988)},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(rows[i].line, load_le16(bytes + rows[i].offset) == rows[i].u16, "load_le16");
        ROW(rows[i].line, load_le32(bytes + rows[i].offset) == rows[i].u32, "load_le32");
        ROW(rows[i].line, load_le64(bytes + rows[i].offset) == rows[i].u64, "load_le64");
    }
    ROWS_DONE();
}

static void test_stores_at_any_offset(void **state)
{
    (void)state;
    for (unsigned offset = 0; offset < 8; offset++) {
        uint8_t bytes[32], expected[32];
        memset(bytes, 0x5a, sizeof bytes);
        memset(expected, 0x5a, sizeof expected);
        store_le16(bytes + offset, 0xb1a0);
        memcpy(expected + offset, "\xa0\xb1", 2);
        assert_memory_equal(bytes, expected, sizeof bytes);
        store_le32(bytes + offset, 0xd3c2b1a0);
        memcpy(expected + offset, "\xa0\xb1\xc2\xd3", 4);
        assert_memory_equal(bytes, expected, sizeof bytes);
        store_le64(bytes + offset, UINT64_C(0x8796a5b4c3d2e1f0));
        memcpy(expected + offset, "\xf0\xe1\xd2\xc3\xb4\xa5\x96\x87", 8);
        assert_memory_equal(bytes, expected, sizeof bytes);
    }
}

static void test_loads_and_stores_of_any_size(void **state)
{
    (void)state;
    static const uint8_t image[8] = {0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87};
    static const uint64_t values[] = {UINT64_C(0xf0),
                                      UINT64_C(0xe1f0),
                                      UINT64_C(0xd2e1f0),
                                      UINT64_C(0xc3d2e1f0),
                                      UINT64_C(0xb4c3d2e1f0),
                                      UINT64_C(0xa5b4c3d2e1f0),
                                      UINT64_C(0x96a5b4c3d2e1f0),
                                      UINT64_C(0x8796a5b4c3d2e1f0)};
    for (unsigned bytes = 1; bytes <= COUNT(values); bytes++) {
        uint8_t stored[10], expected[10];
        memset(stored, 0x5a, sizeof stored);
        memset(expected, 0x5a, sizeof expected);
        memcpy(expected + 1, image, bytes);
        store_le(stored + 1, bytes, values[COUNT(values) - 1]);
        assert_memory_equal(stored, expected, sizeof stored);
        assert_int_equal(load_le(image, bytes), values[bytes - 1]);
    }
}

static void test_low_bits_and_fields(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned width;
        uint64_t expected;
    } widths[] = {
        // clang-format off
        {__LINE__, 1, 1},
        {__LINE__, 8, 0xff},
        {__LINE__, 32, 0xffffffff},
        {__LINE__, 40, UINT64_C(0xffffffffff)},
        {__LINE__, 63, INT64_MAX},
        {__LINE__, 64, UINT64_MAX},
        // clang-format on
    };
    static const struct {
        unsigned line;
        uint32_t value;
        unsigned high, low;
        uint32_t expected;
    } fields[] = {
        {__LINE__, 0xdeadbeef, 31, 0, 0xdeadbeef},
        {__LINE__, 0xdeadbeef, 31, 31, 1},
        {__LINE__, 0xdeadbeef, 0, 0, 1},
        {__LINE__, 0xdeadbeef, 4, 4, 0},
        {__LINE__, 0xdeadbeef, 15, 8, 0xbe},
        {__LINE__, 0x01f80000, 24, 19, 0x3f}, /* the reason field, PERF-4.6 */
        {__LINE__, 0xfe07ffff, 24, 19, 0},
    };
    for (size_t i = 0; i < COUNT(widths); i++)
        ROW(widths[i].line, low_bits(widths[i].width) == widths[i].expected, "low_bits(%u)",
            widths[i].width);
    for (size_t i = 0; i < COUNT(fields); i++)
        ROW(fields[i].line,
            field32(fields[i].value, fields[i].high, fields[i].low) == fields[i].expected,
            "bits %u:%u of %08x", fields[i].high, fields[i].low, fields[i].value);
    ROWS_DONE();
}

/* ---- ratios -------------------------------------------------------------------------------- */

static void test_scale(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t value, numerator, denominator, expected;
    } rows[] = {
        {__LINE__, 0, 0, 0, 0},
        {__LINE__, 5, 7, 0, 0}, /* a zero denominator gives 0 */
        {__LINE__, UINT64_MAX, UINT64_MAX, 0, 0},
        {__LINE__, 0, UINT64_MAX, 1, 0},
        {__LINE__, 7, 1, 2, 3}, /* rounded down, not to nearest */
        {__LINE__, 1, 2, 3, 0},
        {__LINE__, 12500000, NS_PER_SECOND, 12500000, NS_PER_SECOND},
        {__LINE__, 1, NS_PER_SECOND, 12000000, 83}, /* one tick of SKL: 83.33 ns */
        {__LINE__, 1, NS_PER_SECOND, 12500000, 80}, /* of HSW: 80 ns (OA-8, Timer) */
        {__LINE__, UINT64_C(1) << 17, NS_PER_SECOND, 12500000, 10485760}, /* OA-8: TP 16 */
        /* Products beyond 64 bits: a year of ticks at 38.4 MHz, and powers of two. */
        {__LINE__, UINT64_C(1211013504000000), NS_PER_SECOND, 38400000,
         UINT64_C(31536810000000000)},
        {__LINE__, UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_C(1) << 63},
        {__LINE__, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {__LINE__, UINT64_MAX, 3, 4, UINT64_C(0xbfffffffffffffff)},
        {__LINE__, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX},
        /* Results beyond 64 bits saturate. */
        {__LINE__, UINT64_MAX, 2, 1, UINT64_MAX},
        {__LINE__, UINT64_C(1) << 32, UINT64_C(1) << 32, 1, UINT64_MAX},
        {__LINE__, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX},
        {__LINE__, UINT64_MAX, UINT64_MAX, 1, UINT64_MAX},
        {__LINE__, UINT64_C(1) << 32, UINT64_C(1) << 32, 2, UINT64_C(1) << 63},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t scaled = scale_u64(rows[i].value, rows[i].numerator, rows[i].denominator);
        ROW(rows[i].line, scaled == rows[i].expected, "got %" PRIu64, scaled);
    }
    ROWS_DONE();
}

/* By the definition: q = floor(value * n / d) means q * d <= value * n < (q + 1) * d. */
static void test_scale_by_its_definition(void **state)
{
    (void)state;
    struct random rng = {1};
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t value = random_magnitude(&rng), numerator = random_magnitude(&rng);
        uint64_t denominator = random_magnitude(&rng) | 1;
        uint64_t q = scale_u64(value, numerator, denominator);
        uint128 product = (uint128)value * numerator;
        assert_true((uint128)q * denominator <= product);
        if (q != UINT64_MAX)
            assert_true(product - (uint128)q * denominator < denominator);
    }
}

/* ---- buffers ------------------------------------------------------------------------------- */

static void test_buffer_grows(void **state)
{
    (void)state;
    struct random rng = {2};
    struct buffer buffer = {0};
    char *plain = malloc(1 << 20), piece[5000];
    size_t size = 0;
    assert_non_null(plain);
    for (unsigned i = 0; i < 400; i++) {
        size_t part = random_below(&rng, i % 10 ? 40 : sizeof piece);
        random_bytes(&rng, piece, part);
        buffer_append(&buffer, piece, part);
        memcpy(plain + size, piece, part);
        size += part;
        assert_int_equal(buffer.size, size);
        assert_true(buffer.capacity >= buffer.size);
    }
    assert_false(buffer.broken);
    assert_memory_equal(buffer.bytes, plain, size);
    buffer_fini(&buffer);
    assert_null(buffer.bytes);
    assert_int_equal(buffer.size, 0);
    assert_int_equal(buffer.capacity, 0);
    free(plain);
}

static void test_buffer_text(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_append(&buffer, NULL, 0);
    assert_null(buffer.bytes);
    buffer_text(&buffer, "");
    buffer_text(&buffer, "one");
    buffer_char(&buffer, ' ');
    buffer_char(&buffer, '\0');
    buffer_printf(&buffer, "%s %d%%", "two", 3);
    buffer_printf(&buffer, "%s", "");
    assert_int_equal(buffer.size, 11);
    assert_memory_equal(buffer.bytes, "one \0two 3%", 11);
    buffer_fini(&buffer);
}

/* Lengths around the capacity, so that the text just fits or just does not. */
static void test_buffer_printf_of_every_length(void **state)
{
    (void)state;
    char long_text[2100];
    for (size_t length = 0; length < sizeof long_text - 1; length += length < 600 ? 1 : 97) {
        struct buffer buffer = {0};
        memset(long_text, 'x', length);
        long_text[length] = '\0';
        buffer_printf(&buffer, "%s", long_text);
        buffer_printf(&buffer, "%s.", long_text);
        assert_false(buffer.broken);
        assert_int_equal(buffer.size, 2 * length + 1);
        assert_true(buffer.capacity > buffer.size); /* there is space for the NUL */
        assert_memory_equal(buffer.bytes, long_text, length);
        assert_memory_equal(buffer.bytes + length, long_text, length);
        assert_int_equal(buffer.bytes[2 * length], '.');
        buffer_fini(&buffer);
    }
}

static void test_buffer_reserve(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    char *room = buffer_reserve(&buffer, 1000);
    assert_non_null(room);
    assert_int_equal(buffer.size, 0);
    assert_true(buffer.capacity >= 1000);
    memset(room, 'a', 1000);
    buffer.size = 1000;
    assert_ptr_equal(buffer_reserve(&buffer, 0), buffer.bytes + 1000);
    buffer_fini(&buffer);
}

/* An allocation that fails breaks the buffer: its contents remain, later text is dropped. */
static void test_buffer_breaks_and_stays_broken(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_text(&buffer, "kept");
    assert_null(buffer_reserve(&buffer, SIZE_MAX));
    assert_true(buffer.broken);
    buffer_text(&buffer, "dropped");
    buffer_char(&buffer, 'd');
    buffer_printf(&buffer, "%d", 1);
    assert_null(buffer_reserve(&buffer, 1));
    assert_int_equal(buffer.size, 4);
    assert_memory_equal(buffer.bytes, "kept", 4);
    buffer_fini(&buffer);
    assert_false(buffer.broken);
}

static void test_array_grow(void **state)
{
    (void)state;
    uint32_t *numbers = NULL;
    size_t capacity = 0, moves = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        size_t before = capacity;
        uint32_t *grown = array_grow(numbers, &capacity, i, sizeof *numbers);
        assert_non_null(grown);
        assert_true(capacity > i);
        if (before == capacity)
            assert_ptr_equal(grown, numbers);
        else
            assert_true(!before || capacity == 2 * before);
        moves += before != capacity;
        numbers = grown;
        numbers[i] = i * 3;
    }
    assert_true(moves < 16);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(numbers[i], i * 3);
    free(numbers);
}

static void test_array_grow_rejects_impossible_sizes(void **state)
{
    (void)state;
    int one = 1;
    size_t capacity = SIZE_MAX / 16;
    assert_null(array_grow(&one, &capacity, capacity, 64));
    assert_int_equal(capacity, SIZE_MAX / 16);
}

/* ---- errors -------------------------------------------------------------------------------- */

static void test_fail(void **state)
{
    (void)state;
    struct tally_error error = {0};
    assert_int_equal(fail(&error, -ENOENT, "%s:%u: gone", "a.xml", 7u), -ENOENT);
    assert_int_equal(error.code, -ENOENT);
    assert_string_equal(error.message, "a.xml:7: gone");
    assert_int_equal(fail(NULL, -EIO, "nobody reads %s", "this"), -EIO);
    assert_int_equal(fail_memory(&error, "a set"), -ENOMEM);
    assert_int_equal(error.code, -ENOMEM);
    assert_non_null(strstr(error.message, "a set"));
    assert_int_equal(fail_memory(NULL, "a set"), -ENOMEM);
}

static void test_fail_in_puts_a_prefix(void **state)
{
    (void)state;
    struct tally_error error = {0};
    fail(&error, -EBADMSG, "token 3");
    assert_int_equal(fail_in(&error, "%s.%s", "Set", "Counter"), -EBADMSG);
    assert_string_equal(error.message, "Set.Counter: token 3");
    assert_int_equal(error.code, -EBADMSG);
    fail_in(&error, "file");
    assert_string_equal(error.message, "file: Set.Counter: token 3");
    assert_true(fail_in(NULL, "no one") < 0);
}

/* Texts around the message's size are truncated and always one terminated line. */
static void test_errors_are_cut_at_the_end(void **state)
{
    (void)state;
    enum { SIZE = sizeof((struct tally_error *)0)->message };
    char text[2 * SIZE], expected[4 * SIZE];
    for (size_t length = SIZE - 12; length < SIZE + 12; length++) {
        struct tally_error error = {0};
        memset(text, 'x', length);
        text[length] = '\0';
        fail(&error, -EINVAL, "%s", text);
        assert_int_equal(strlen(error.message), length < SIZE ? length : SIZE - 1);
        assert_memory_equal(error.message, text, strlen(error.message));

        fail(&error, -EINVAL, "inner");
        assert_int_equal(fail_in(&error, "%s", text), -EINVAL);
        snprintf(expected, sizeof expected, "%s: inner", text);
        expected[SIZE - 1] = '\0';
        assert_string_equal(error.message, expected);
    }
    for (size_t length = SIZE - 12; length < SIZE; length++) {
        struct tally_error error = {0};
        memset(text, 'y', length);
        text[length] = '\0';
        fail(&error, -EINVAL, "%s", text);
        fail_in(&error, "outer");
        snprintf(expected, sizeof expected, "outer: %s", text);
        expected[SIZE - 1] = '\0';
        assert_string_equal(error.message, expected);
    }
}

/* ---- progress ------------------------------------------------------------------------------ */

#define MIB    (UINT64_C(1) << 20)
#define SECOND UINT64_C(1000000000)

static void test_progress_lines(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t done, total, elapsed_ns;
        unsigned columns;
        const char *expected;
    } rows[] = {
        /* Unknown total: amount and rate. */
        {__LINE__, 0, 0, 0, 80, "0.0 MiB  0 MiB/s"},
        {__LINE__, 3 * MIB / 2, 0, SECOND / 2, 80, "1.5 MiB  3 MiB/s"},
        /* Too narrow for a bar. */
        {__LINE__, 0, 100 * MIB, 0, 40, "  0%  0.0 of 100.0 MiB  0 MiB/s  0 s"},
        {__LINE__, 50 * MIB, 100 * MIB, 5 * SECOND, 49, " 50%  50.0 of 100.0 MiB  10 MiB/s  5 s"},
        /* A bar as wide as possible, at most 40 columns. */
        {__LINE__, 0, 100 * MIB, 0, 60,
         "[--------------------]   0%  0.0 of 100.0 MiB  0 MiB/s  0 s"},
        {__LINE__, 50 * MIB, 100 * MIB, 5 * SECOND, 62,
         "[##########----------]  50%  50.0 of 100.0 MiB  10 MiB/s  5 s"},
        {__LINE__, 60 * MIB, 100 * MIB, 5 * SECOND, 53, /* 6.6 of 11, rounded to nearest */
         "[#######----]  60%  60.0 of 100.0 MiB  12 MiB/s  3 s"},
        {__LINE__, 25 * MIB, 100 * MIB, SECOND, 500,
         "[##########------------------------------]  25%  25.0 of 100.0 MiB  25 MiB/s  3 s"},
        {__LINE__, 100 * MIB, 100 * MIB, 4 * SECOND, 500,
         "[########################################] 100%  100.0 of 100.0 MiB  25 MiB/s  0 s"},
        /* A file that grew while it was read. */
        {__LINE__, 130 * MIB, 100 * MIB, 5 * SECOND, 40, "100%  130.0 of 100.0 MiB  26 MiB/s  0 s"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[256];
        progress_line(line, sizeof line, rows[i].done, rows[i].total, rows[i].elapsed_ns,
                      rows[i].columns);
        ROW(rows[i].line, !strcmp(line, rows[i].expected), "got      \"%s\"\nexpected \"%s\"", line,
            rows[i].expected);
    }
    ROWS_DONE();
}

/* Every width and size: at most `columns` characters, and no byte beyond the array. */
static void check_widths(uint64_t done, uint64_t total, uint64_t elapsed_ns)
{
    for (unsigned columns = 45; columns < 140; columns++) {
        for (size_t size = 1; size < 160; size += 1 + size / 20) {
            char line[200];
            memset(line, 0x7e, sizeof line);
            progress_line(line, size, done, total, elapsed_ns, columns);
            assert_true(strlen(line) < size);
            ROW(__LINE__, strlen(line) <= columns, "%zu characters for %u columns: \"%s\"",
                strlen(line), columns, line);
            size_t bar = line[0] == '[' ? strcspn(line, "]") - 1 : 0;
            ROW(__LINE__, bar <= 40, "a bar of %zu for %u columns", bar, columns);
            for (size_t i = size; i < sizeof line; i++)
                assert_int_equal(line[i], 0x7e);
        }
    }
}

static void test_progress_keeps_its_width(void **state)
{
    (void)state;
    check_widths(0, 100 * MIB, 0);
    check_widths(50 * MIB, 100 * MIB, 5 * SECOND);
    check_widths(100 * MIB, 100 * MIB, 5 * SECOND);
    check_widths(3 * MIB, 0, SECOND);
    ROWS_DONE();
}

/*
 * progress.h: "in at most `columns` characters". This holds for narrow terminals too, where the
 * tail is longer than the line.
 */
static void test_progress_on_a_narrow_terminal(void **state)
{
    (void)state;
    static const unsigned columns[] = {1, 10, 20, 37, 38};
    for (size_t i = 0; i < COUNT(columns); i++) {
        char line[256];
        progress_line(line, sizeof line, 50 * MIB, 100 * MIB, 5 * SECOND, columns[i]);
        ROW(__LINE__, strlen(line) <= columns[i], "%zu characters for %u columns: \"%s\"",
            strlen(line), columns[i], line);
        progress_line(line, sizeof line, 50 * MIB, 0, 5 * SECOND, columns[i]);
        ROW(__LINE__, strlen(line) <= columns[i], "%zu characters for %u columns: \"%s\"",
            strlen(line), columns[i], line);
    }
    ROWS_DONE();
}

struct progress_call {
    unsigned line;
    uint64_t done, total, elapsed_ns;
};

static void call_progress(void *closure)
{
    const struct progress_call *call = closure;
    char line[400];
    for (unsigned columns = 0; columns < 300; columns++) {
        memset(line, 'z', sizeof line);
        progress_line(line, sizeof line, call->done, call->total, call->elapsed_ns, columns);
        if (!memchr(line, '\0', sizeof line) || memchr(line, 'z', strlen(line)))
            abort();
    }
}

/* Extreme numbers give long texts, but no access beyond an array. */
static void test_progress_of_absurd_numbers(void **state)
{
    (void)state;
    static struct progress_call rows[] = {
        // clang-format off
        {__LINE__, 1, UINT64_MAX, UINT64_MAX},
        {__LINE__, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {__LINE__, UINT64_MAX, 1, UINT64_MAX},
        {__LINE__, UINT64_MAX, 0, 1},
        {__LINE__, UINT64_MAX - 1, UINT64_MAX, 1},
        {__LINE__, UINT64_MAX / 2, UINT64_MAX, 1},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, survives(call_progress, &rows[i]), "crashed, or wrote stray bytes");
    ROWS_DONE();
}

/* ---- the vector path ----------------------------------------------------------------------- */

static void test_simd_is_asked_for_by_name(void **state)
{
    (void)state;
    unsetenv("TALLY_SIMD");
    enum simd best = cpu_simd();
    static const struct {
        unsigned line;
        const char *asked;
        enum simd path; /* unless the processor supports less */
    } rows[] = {
        // clang-format off
        {__LINE__, "portable", SIMD_PORTABLE},
        {__LINE__, "avx2", SIMD_AVX2},
        {__LINE__, "avx512", SIMD_AVX512},
        {__LINE__, "", SIMD_AVX512},
        {__LINE__, "AVX2", SIMD_AVX512},
        {__LINE__, "sse", SIMD_AVX512},
        // clang-format on
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        setenv("TALLY_SIMD", rows[i].asked, 1);
        ROW(rows[i].line, cpu_simd() == (rows[i].path < best ? rows[i].path : best),
            "TALLY_SIMD=%s gives %s", rows[i].asked, tally_simd());
    }
    unsetenv("TALLY_SIMD");
    ROWS_DONE();
    assert_string_equal(tally_simd(), simd_paths[best]);
}

/* ---- clocks, minimum and maximum, UUIDs ------------------------------------------------------ */

static void test_clock_and_timespec(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t ns;
        long long seconds, rest;
    } rows[] = {
        {__LINE__, 0, 0, 0},
        {__LINE__, 999999999, 0, 999999999},
        {__LINE__, 1000000000, 1, 0},
        {__LINE__, UINT64_MAX, 18446744073, 709551615},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct timespec got = timespec_of_ns(rows[i].ns);
        ROW(rows[i].line, got.tv_sec == rows[i].seconds && got.tv_nsec == rows[i].rest, "timespec");
    }
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    struct timespec between = timespec_of_ns(clock_ns(CLOCK_MONOTONIC));
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(before.tv_sec < between.tv_sec ||
                (before.tv_sec == between.tv_sec && before.tv_nsec <= between.tv_nsec));
    assert_true(between.tv_sec < after.tv_sec ||
                (between.tv_sec == after.tv_sec && between.tv_nsec <= after.tv_nsec));
    ROWS_DONE();
}

static void test_min_and_max(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t a, b, min, max;
    } rows[] = {
        {__LINE__, 0, 0, 0, 0},
        {__LINE__, 1, 2, 1, 2},
        {__LINE__, 2, 1, 1, 2},
        {__LINE__, UINT32_MAX, 0x7fffffff, 0x7fffffff, UINT32_MAX},
        {__LINE__, UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_MAX},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(rows[i].line, min_u64(rows[i].a, rows[i].b) == rows[i].min, "min_u64");
        ROW(rows[i].line, max_u64(rows[i].a, rows[i].b) == rows[i].max, "max_u64");
        ROW(rows[i].line, min_size(rows[i].a, rows[i].b) == rows[i].min, "min_size");
        ROW(rows[i].line, max_size(rows[i].a, rows[i].b) == rows[i].max, "max_size");
        if (rows[i].max > UINT32_MAX)
            continue;
        uint32_t a = (uint32_t)rows[i].a, b = (uint32_t)rows[i].b;
        ROW(rows[i].line, min_u32(a, b) == rows[i].min, "min_u32");
        ROW(rows[i].line, max_u32(a, b) == rows[i].max, "max_u32");
    }
    ROWS_DONE();
}

static void test_similar_word(void **state)
{
    (void)state;
    static const char *const files[] = {"hsw.i915-perf", "notes.txt", "a"};
    static const struct {
        unsigned line;
        const char *word, *similar;
    } rows[] = {
        {__LINE__, "hsv.i915-perf", "hsw.i915-perf"},
        {__LINE__, "nots.txt", "notes.txt"},
        {__LINE__, "x.i915-perf", "hsw.i915-perf"},
        {__LINE__, "recording", NULL}, /* has characters of all, and is like none */
        {__LINE__, "ab", "a"},         /* half of it */
        {__LINE__, "abc", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *similar = similar_word(rows[i].word, files, COUNT(files));
        ROW(rows[i].line,
            similar ? rows[i].similar && !strcmp(similar, rows[i].similar) : !rows[i].similar, "%s",
            similar ? similar : "none");
    }
    ROWS_DONE();
}

static void test_nearest_word(void **state)
{
    (void)state;
    static const char *const platforms[] = {"snb", "hsw", "skl", "lkf", "tgl", "adl", "dg2", NULL};
    static const char *const chipsets[] = {"nv40", "g84", "g92", "g96", "gt215", "mcp77", NULL};
    static const struct {
        unsigned line;
        const char *word;
        const char *const *words;
        const char *nearest;
    } rows[] = {
        {__LINE__, "hws", platforms, "hsw"},
        {__LINE__, "HSW", platforms, "hsw"},
        {__LINE__, "adls", platforms, "adl"},
        {__LINE__, "gl", platforms, "tgl"},  /* one insertion */
        {__LINE__, "al", platforms, "adl"},  /* tgl, skl: two changes */
        {__LINE__, "sgl", platforms, "skl"}, /* tgl is as near; the prefix decides */
        {__LINE__, "dgl", platforms, "dg2"}, /* behind tgl, which is as near */
        {__LINE__, "DGl", platforms, "dg2"},
        {__LINE__, "gt2", chipsets, "gt215"}, /* the beginning of it; g92 is nearer */
        {__LINE__, "gt", chipsets, "g84"},    /* too short for that */
        {__LINE__, "qqq", platforms, NULL},
        {__LINE__, "", platforms, NULL},
        {__LINE__, "g93", chipsets, "g92"}, /* the first of several */
        {__LINE__, "g86", chipsets, "g84"},
        {__LINE__, "mcp78", chipsets, "mcp77"},
        {__LINE__, "nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40nv40",
         chipsets, "nv40"}, /* cut to 64 characters */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t count = 0;
        while (rows[i].words[count])
            count++;
        const char *nearest = nearest_word(rows[i].word, rows[i].words, count);
        ROW(rows[i].line,
            nearest ? rows[i].nearest && !strcmp(nearest, rows[i].nearest) : !rows[i].nearest, "%s",
            nearest ? nearest : "none");
    }
    ROWS_DONE();
}

static void test_uuids(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text;
        bool valid;
    } rows[] = {
        {__LINE__, "403d8832-1a27-4aa6-a64e-f5389ce7b212", true},
        {__LINE__, "403D8832-1A27-4AA6-A64E-F5389CE7B212", true},
        {__LINE__, "", false},
        {__LINE__, "RenderBasic", false},
        {__LINE__, "403d8832-1a27-4aa6-a64e-f5389ce7b21", false},
        {__LINE__, "403d8832-1a27-4aa6-a64e-f5389ce7b2120", false},
        {__LINE__, "403d8832-1a27-4aa6-a64ef-5389ce7b212", false},
        {__LINE__, "403d88321-a27-4aa6-a64e-f5389ce7b212", false},
        {__LINE__, "403d883201a27-4aa6-a64e-f5389ce7b212", false},
        {__LINE__, "403d8832-1a27-4aa6-a64e-f5389ce7b21g", false},
        {__LINE__, "/03d8832-1a27-4aa6-a64e-f5389ce7b212", false},
        {__LINE__, ":03d8832-1a27-4aa6-a64e-f5389ce7b212", false},
        {__LINE__, "@03d8832-1a27-4aa6-a64e-f5389ce7b212", false},
        {__LINE__, "`03d8832-1a27-4aa6-a64e-f5389ce7b212", false},
        {__LINE__, "G03d8832-1a27-4aa6-a64e-f5389ce7b212", false},
        {__LINE__, "{03d8832-1a27-4aa6-a64e-f5389ce7b21}", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, is_uuid(rows[i].text, strlen(rows[i].text)) == rows[i].valid, "%s",
            rows[i].text);
    /* In the kernel's struct no NUL follows the text. */
    assert_true(is_uuid("403d8832-1a27-4aa6-a64e-f5389ce7b212/id", UUID_STRING_LEN));
    assert_false(is_uuid("403d8832-1a27-4aa6-a64e-f5389ce7b21\0", UUID_STRING_LEN));
    ROWS_DONE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_at_any_offset),
        cmocka_unit_test(test_stores_at_any_offset),
        cmocka_unit_test(test_loads_and_stores_of_any_size),
        cmocka_unit_test(test_low_bits_and_fields),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_scale_by_its_definition),
        cmocka_unit_test(test_buffer_grows),
        cmocka_unit_test(test_buffer_text),
        cmocka_unit_test(test_buffer_printf_of_every_length),
        cmocka_unit_test(test_buffer_reserve),
        cmocka_unit_test(test_buffer_breaks_and_stays_broken),
        cmocka_unit_test(test_array_grow),
        cmocka_unit_test(test_array_grow_rejects_impossible_sizes),
        cmocka_unit_test(test_fail),
        cmocka_unit_test(test_fail_in_puts_a_prefix),
        cmocka_unit_test(test_errors_are_cut_at_the_end),
        cmocka_unit_test(test_progress_lines),
        cmocka_unit_test(test_progress_keeps_its_width),
        cmocka_unit_test(test_progress_on_a_narrow_terminal),
        cmocka_unit_test(test_progress_of_absurd_numbers),
        cmocka_unit_test(test_simd_is_asked_for_by_name),
        cmocka_unit_test(test_clock_and_timespec),
        cmocka_unit_test(test_min_and_max),
        cmocka_unit_test(test_nearest_word),
        cmocka_unit_test(test_similar_word),
        cmocka_unit_test(test_uuids),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
