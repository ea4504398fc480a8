/* SPDX-License-Identifier: MIT */
/* Numbers as text: exact ones, compared with printf, and rounded ones for people. */
#include "sink/tests.h"

#include <float.h>
#include <math.h>

#include "sink/number.h"

#define RANDOM_VALUES 200000

/* A buffer of NUMBER_MAX bytes followed by a guard. */
struct room {
    char bytes[NUMBER_MAX];
    char fence[32];
};

static void room_clear(struct room *room)
{
    memset(room, 0x7e, sizeof *room);
}

static bool fence_stands(const struct room *room)
{
    for (size_t i = 0; i < sizeof room->fence; i++)
        if (room->fence[i] != 0x7e)
            return false;
    return true;
}

static bool is_text(const struct room *room, const char *end, const char *expected)
{
    size_t size = strlen(expected);
    return end == room->bytes + size && !memcmp(room->bytes, expected, size) && fence_stands(room);
}

/* ---- integers ------------------------------------------------------------------------------ */

static void check_u64(uint64_t value)
{
    struct room room;
    char expected[32];
    room_clear(&room);
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    const char *end = put_u64(room.bytes, value);
    ROW(__LINE__, is_text(&room, end, expected), "put_u64 gives \"%.*s\", expected %s",
        (int)(end - room.bytes), room.bytes, expected);
}

static void test_integers_at_their_edges(void **state)
{
    (void)state;
    check_u64(0);
    for (uint64_t power = 1;; power *= 10) { /* where the number of digits changes */
        for (int i = -2; i <= 2; i++)
            check_u64(power + (uint64_t)i);
        if (power > UINT64_MAX / 10)
            break;
    }
    for (unsigned bit = 0; bit < 64; bit++)
        for (int i = -2; i <= 2; i++)
            check_u64((UINT64_C(1) << bit) + (uint64_t)i);
    /* 8 digits are formatted in one step, 16 in two: limits, and zeros in the middle. */
    static const uint64_t values[] = {9999999,
                                      10000001,
                                      99999999,
                                      100000000,
                                      UINT64_C(1000000000000000),
                                      UINT64_C(9999999999999999),
                                      UINT64_C(10000000000000001),
                                      UINT64_C(10000000100000000),
                                      UINT64_C(1234567800000000),
                                      UINT64_C(18446744073709551615)};
    for (size_t i = 0; i < COUNT(values); i++)
        check_u64(values[i]);
    ROWS_DONE();
}

static void test_random_integers(void **state)
{
    (void)state;
    struct random rng = {90};
    for (unsigned i = 0; i < random_cases(RANDOM_VALUES); i++)
        check_u64(random_magnitude(&rng));
    for (uint64_t i = 0; i < 20000; i++)
        check_u64(i);
    for (unsigned i = 0; i < random_cases(20000);
         i++) /* digits that are all, or almost all, the same */
        check_u64(random_below(&rng, 10) * UINT64_C(1111111111111111111) /
                  (1 + random_below(&rng, 1000)));
    ROWS_DONE();
}

/* ---- the shortest decimals ----------------------------------------------------------------- */

/* Checks that the text reads back as the value, that no text with fewer digits does, and that the
 * nearest of as many digits is chosen if it reads back. */
static void check_double(double value)
{
    struct room room;
    char expected[64], digits[32] = "";
    size_t count = 0;
    room_clear(&room);
    const char *end = put_double(room.bytes, value);
    size_t size = (size_t)(end - room.bytes);
    ROW(__LINE__, size <= 25 && fence_stands(&room), "%a: %zu bytes", value, size);
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)size, room.bytes);
    if (!isfinite(value) || value == 0) {
        const char *special = isnan(value) ? "nan" : value == 0 ? "0" : value > 0 ? "inf" : "-inf";
        ROW(__LINE__, !strcmp(text, special), "%a: \"%s\"", value, text);
        return;
    }
    ROW(__LINE__, strtod(text, NULL) == value, "%a: \"%s\"", value, text);
    for (const char *at = text; *at && *at != 'e'; at++)
        if (*at >= '0' && *at <= '9' && (count || *at != '0'))
            digits[count++] = *at;
    while (count && digits[count - 1] == '0')
        digits[--count] = '\0';
    snprintf(expected, sizeof expected, "%.*e", (int)count - 1, value);
    if (strtod(expected, NULL) == value) {
        size_t at = 0;
        for (const char *c = expected; *c != 'e'; c++)
            if (*c >= '0' && *c <= '9')
                ROW(__LINE__, *c == digits[at++], "%a: \"%s\", expected %s", value, text, expected);
    }
    if (count > 1) {
        snprintf(expected, sizeof expected, "%.*e", (int)count - 2, value);
        ROW(__LINE__, strtod(expected, NULL) != value, "%a: \"%s\", expected %s", value, text,
            expected);
    }
}

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double value;
        const char *expected;
    } rows[] = {
        {__LINE__, 0.0, "0"},
        {__LINE__, -0.0, "0"},
        {__LINE__, 1, "1"},
        {__LINE__, -12, "-12"},
        {__LINE__, 0.1, "0.1"},
        {__LINE__, -2.5, "-2.5"},
        {__LINE__, 100.0 / 3, "33.333333333333336"},
        {__LINE__, 12345.678, "12345.678"},
        {__LINE__, 0.000001, "0.000001"},
        {__LINE__, 0.00000123, "0.00000123"},
        {__LINE__, 1e-7, "1e-7"},
        {__LINE__, -1.5e-7, "-1.5e-7"},
        {__LINE__, 9007199254740991.0, "9007199254740991"},
        {__LINE__, 9007199254740992.0, "9007199254740992"},
        {__LINE__, 18446744073709551615.0, "18446744073709552000"},
        {__LINE__, 1e20, "100000000000000000000"},
        {__LINE__, 1.5e20, "150000000000000000000"},
        {__LINE__, 1e21, "1e+21"},
        {__LINE__, 1.25e22, "1.25e+22"},
        {__LINE__, 1e40, "1e+40"},
        {__LINE__, DBL_MAX, "1.7976931348623157e+308"},
        {__LINE__, 5e-324, "5e-324"},
        {__LINE__, DBL_MIN, "2.2250738585072014e-308"},
        {__LINE__, (double)INFINITY, "inf"},
        {__LINE__, (double)-INFINITY, "-inf"},
        {__LINE__, (double)NAN, "nan"},
        {__LINE__, -(double)NAN, "nan"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct room room;
        room_clear(&room);
        const char *end = put_double(room.bytes, rows[i].value);
        ROW(rows[i].line, is_text(&room, end, rows[i].expected), "\"%.*s\", expected %s",
            (int)(end - room.bytes), room.bytes, rows[i].expected);
    }
    ROWS_DONE();
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Checks a value, its neighbours, and their negatives. */
static void check_around(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= INT64_MAX;
    for (uint64_t step = 0; step < 3; step++) {
        check_double(from_bits(bits + step));
        check_double(from_bits(bits - step));
        check_double(-from_bits(bits + step));
        check_double(-from_bits(bits - step));
    }
}

static void test_decimals_at_their_edges(void **state)
{
    (void)state;
    static const double values[] = {
        1.0,
        0.5,
        0.1,
        0.000001,
        0.0000005,
        0.00000049999999999,
        0.0000015,
        0.9999994,
        0.9999995,
        0.9999996,
        1.9999995,
        9.9999995,
        99.9999995,
        999999.9999995,
        100.0,
        33.333333333,
        66.6666666666,
        1e-7,
        1e-10,
        1e-20,
        1e-300,
        5e-324,
        2.2250738585072014e-308,
        DBL_MIN,
        1e6,
        1e12,
        9999999999999.0,
        9999999999999.999,
        1e13,
        10000000000000.5,
        1e14,
        1e15,
        4503599627370496.5,
        9007199254740992.0,
        9007199254740993.0,
        1e17,
        1e18,
        1e19,
        18446744073709551615.0,
        1e20,
        1e100,
        1e300,
        DBL_MAX,
        4294967296.0,
        2147483647.75,
    };
    check_double(0.0);
    check_double(-0.0);
    for (size_t i = 0; i < COUNT(values); i++)
        check_around(values[i]);
    for (int exponent = -1074; exponent < 1024; exponent++)
        check_around(ldexp(1, exponent));
    check_double((double)INFINITY);
    check_double((double)-INFINITY);
    check_double((double)NAN);
    check_double(-(double)NAN);
    ROWS_DONE();
}

static void test_random_decimals(void **state)
{
    (void)state;
    struct random rng = {92};
    for (unsigned i = 0; i < random_cases(RANDOM_VALUES); i++) {
        switch (i % 5) {
        case 0: /* random bits: all magnitudes, signs, denormals, infinities */
            check_double(from_bits(random_next(&rng)));
            break;
        case 1: /* values of counters */
            check_double((double)random_magnitude(&rng) / (double)(1 + random_below(&rng, 100000)));
            break;
        case 2: /* percentages */
            check_double((double)random_below(&rng, 1000000007) * 100 / 1000000007);
            break;
        case 3: /* near a rounding limit: n + 1/2 millionths */
            check_double(((double)random_below(&rng, UINT64_C(1) << 40) + 0.5) / 1e6);
            break;
        default: /* denormals and other small values */
            check_double(from_bits(random_next(&rng) >> (2 + random_below(&rng, 60))));
        }
    }
    ROWS_DONE();
}

/* ---- rounded numbers ----------------------------------------------------------------------- */

static void test_quantities(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double value;
        const char *units, *expected;
        bool named;
    } rows[] = {
        {__LINE__, 0, "ns", "0 ns", true},
        {__LINE__, 1, "ns", "1 ns", true},
        {__LINE__, 80, "ns", "80 ns", true},
        {__LINE__, 83.25, "ns", "83.25 ns", true},
        {__LINE__, 999, "ns", "999 ns", true},
        {__LINE__, 1000, "ns", "1.000 µs", true},
        {__LINE__, 12345, "ns", "12.35 µs", true},
        {__LINE__, 999900, "ns", "999.9 µs", true},
        {__LINE__, 1234567, "ns", "1.235 ms", true},
        {__LINE__, 10485760, "ns", "10.49 ms", true}, /* HSW's timer at TP 16, OA-8 */
        {__LINE__, 1e9, "ns", "1.000 s", true},
        {__LINE__, 123456789012, "ns", "123.5 s", true},
        {__LINE__, 12345678901234, "ns", "12346 s", true}, /* no minutes */
        {__LINE__, 5, "us", "5 µs", true},
        {__LINE__, 2500, "us", "2.500 ms", true},
        {__LINE__, 2500000, "us", "2.500 s", true},
        {__LINE__, 0, "hz", "0 Hz", true},
        {__LINE__, 12500000, "hz", "12.50 MHz", true},
        {__LINE__, 999000000, "hz", "999.0 MHz", true},
        {__LINE__, 1150000000, "hz", "1.150 GHz", true},
        {__LINE__, 12345e9, "hz", "12345 GHz", true},
        {__LINE__, 0, "bytes", "0 B", true},
        {__LINE__, 1023, "bytes", "1023 B", true},
        {__LINE__, 1024, "bytes", "1.000 KiB", true},
        {__LINE__, 1536, "bytes", "1.500 KiB", true},
        {__LINE__, 64.0 * 1024 * 1024, "bytes", "64.00 MiB", true},
        {__LINE__, 0x1p30, "bytes", "1.000 GiB", true},
        {__LINE__, 0x1p40, "bytes", "1.000 TiB", true},
        {__LINE__, 0x1p55, "bytes", "32768 TiB", true},
        {__LINE__, 0, "percent", "0.00 %", true},
        {__LINE__, 12.345678, "percent", "12.35 %", true},
        {__LINE__, 100, "percent", "100.00 %", true},
        {__LINE__, 0.004, "percent", "0.00 %", true},
        {__LINE__, 0, "events", "0", false},
        {__LINE__, 999, "cycles", "999", false},
        {__LINE__, 1000, "cycles", "1.000 k", false},
        {__LINE__, 1234567, "threads", "1.235 M", false},
        {__LINE__, 12345678901, "", "12.35 G", false},
        {__LINE__, 1e12, "furlongs", "1.000 T", false},
        {__LINE__, 0x1p64, "events", "18446744 T", false},
        {__LINE__, 0x1p70, "events", "1.181e+21", false},
        {__LINE__, 1e40, "hz", "1.000e+40 Hz", true},
        {__LINE__, -1e40, "percent", "-1.000e+40 %", true},
        {__LINE__, 1e300, "bytes", "1.000e+300 B", true},
        {__LINE__, 0.5, "number", "0.500", false},
        {__LINE__, 12.5, "number", "12.50", false},
        {__LINE__, 123.25, "number", "123.2", false},
        {__LINE__, -5, "events", "-5", false},
        {__LINE__, -1234567, "events", "-1.235 M", false},
        {__LINE__, -2500, "ns", "-2.500 µs", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[64];
        memset(text, 'x', sizeof text);
        bool named = format_quantity(text, sizeof text, rows[i].value, rows[i].units);
        ROW(rows[i].line, !strcmp(text, rows[i].expected), "%.17g %s is \"%s\", expected \"%s\"",
            rows[i].value, rows[i].units, text, rows[i].expected);
        ROW(rows[i].line, named == rows[i].named, "names the unit, or not");
    }
    ROWS_DONE();
}

static void test_quantities_in_little_room(void **state)
{
    (void)state;
    for (size_t size = 1; size < 16; size++) {
        char text[32], whole[] = "1.235 ms";
        memset(text, 0x7e, sizeof text);
        format_quantity(text, size, 1234567, "ns");
        if (size <= strlen(whole))
            whole[size - 1] = '\0';
        assert_string_equal(text, whole);
        assert_int_equal(text[size > 9 ? 9 : size], 0x7e);
    }
}

/*
 * number.h: "four significant digits", also where rounding carries into another digit: not 10.000
 * for 9.9996, nor 1000.0 for 999.96.
 */
static void test_four_significant_digits(void **state)
{
    (void)state;
    static const char *const units[] = {"ns", "us", "hz", "bytes", "events"};
    struct random rng = {93};
    for (unsigned i = 0; i < random_cases(20000); i++) {
        double value = (double)random_below(&rng, 1000000) / pow(10, (double)random_below(&rng, 7));
        char text[64];
        size_t digits = 0;
        if (i < 4)
            value = (const double[]){9.9996, 99.996, 999.96, 9999600}[i];
        format_quantity(text, sizeof text, value, units[i % COUNT(units)]);
        const char *at = text + strspn(text, "0.");
        for (; (*at >= '0' && *at <= '9') || *at == '.'; at++)
            digits += *at != '.';
        ROW(__LINE__, digits <= 4, "%.17g %s is \"%s\"", value, units[i % COUNT(units)], text);
    }
    ROWS_DONE();
}

/* number.h: three significant digits, at most 6 characters. */
static void test_compact_quantities(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        double value;
        const char *units, *expected, *unit;
    } rows[] = {
        {__LINE__, 0, "ns", "0", "s"},
        {__LINE__, 81920, "ns", "81.9\xc2\xb5", "s"},
        {__LINE__, 999.6, "ns", "1.00\xc2\xb5", "s"},
        {__LINE__, 1.5e9, "ns", "1.50", "s"},
        {__LINE__, 1150000000, "hz", "1.15G", "Hz"},
        {__LINE__, 950e6, "hz", "950M", "Hz"},
        {__LINE__, 1023, "bytes", "1023", "B"},
        {__LINE__, 1024, "bytes", "1.00Ki", "B"},
        {__LINE__, 1023.7 * 1024, "bytes", "1.00Mi", "B"},
        {__LINE__, 1000.0 * 1024, "bytes", "1000Ki", "B"},
        {__LINE__, 100, "percent", "100", "%"},
        {__LINE__, 99.96, "percent", "100", "%"},
        {__LINE__, 9.996, "percent", "10.0", "%"},
        {__LINE__, 0.054, "percent", "0.05", "%"},
        {__LINE__, 514, "threads", "514", "threads"},
        {__LINE__, 999500, "threads", "1.00M", "threads"},
        {__LINE__, -1234567, "events", "-1.23M", "events"},
        {__LINE__, 1e20, "events", "1e+20", "events"},
        {__LINE__, -1e40, "percent", "-1e+40", "%"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[64];
        const char *unit = format_compact(text, sizeof text, rows[i].value, rows[i].units);
        ROW(rows[i].line, !strcmp(text, rows[i].expected) && !strcmp(unit, rows[i].unit),
            "%.17g %s is \"%s\" %s, expected \"%s\" %s", rows[i].value, rows[i].units, text, unit,
            rows[i].expected, rows[i].unit);
    }
    struct random rng = {94};
    static const char *const units[] = {"ns", "us", "hz", "bytes", "events", "percent"};
    for (unsigned i = 0; i < random_cases(20000); i++) {
        double value = ((double)random_below(&rng, 2000000) - 1e6) *
                       pow(10, (double)random_below(&rng, 24) - 10);
        char text[64];
        size_t width = 0;
        format_compact(text, sizeof text, value, units[i % COUNT(units)]);
        for (const char *at = text; *at; at++)
            width += ((unsigned char)*at & 0xc0) != 0x80;
        ROW(__LINE__, width <= 6, "%.17g %s is \"%s\"", value, units[i % COUNT(units)], text);
    }
    ROWS_DONE();
}

int test_numbers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_at_their_edges),
        cmocka_unit_test(test_random_integers),
        cmocka_unit_test(test_decimals_at_their_edges),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_random_decimals),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_quantities_in_little_room),
        cmocka_unit_test(test_four_significant_digits),
        cmocka_unit_test(test_compact_quantities),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
