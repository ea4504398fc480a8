/* SPDX-License-Identifier: MIT */
#include "sink/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "sink/shortest.h"

/*
 * Returns the eight decimal digits of a number below 10^8, one per byte, the first one in the low
 * byte.
 * Each step divides all parts of the word at once: by 10^4, by 100, by 10. The multiplications by
 * 10486 / 2^20 and 103 / 2^10 divide numbers below 10^4 by 100 and below 100 by 10 exactly.
 */
static inline uint64_t eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t high = (fours * 10486 >> 20) & UINT64_C(0x7f0000007f);
    uint64_t twos = high | (fours - 100 * high) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

#define ASCII_ZEROS UINT64_C(0x3030303030303030)

static inline void put_8_digits(char *to, uint32_t value)
{
    store_le64(to, eight_digits(value) | ASCII_ZEROS);
}

/* Writes a number below 10^8 without leading zeros. Always stores eight bytes. */
static inline char *put_short(char *to, uint32_t value)
{
    uint64_t digits = eight_digits(value);
    unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    store_le64(to, (digits | ASCII_ZEROS) >> 8 * zeros);
    return to + 8 - zeros;
}

char *put_u64(char *to, uint64_t value)
{
    const uint64_t ten_8 = 100000000, ten_16 = ten_8 * ten_8;
    if (value < ten_8)
        return put_short(to, (uint32_t)value);
    if (value < ten_16) {
        to = put_short(to, (uint32_t)(value / ten_8));
    } else {
        to = put_short(to, (uint32_t)(value / ten_16));
        put_8_digits(to, (uint32_t)(value / ten_8 % ten_8));
        to += 8;
    }
    put_8_digits(to, (uint32_t)(value % ten_8));
    return to + 8;
}

/* Writes digits with the decimal point after the first `point` of them, or with as many zeros
 * before them. */
static char *put_positional(char *to, const char *digits, int count, int point)
{
    int before = point < 0 ? 0 : point < count ? point : count;
    if (point <= 0)
        *to++ = '0';
    memcpy(to, digits, (size_t)before);
    to += before;
    for (int i = count; i < point; i++)
        *to++ = '0';
    if (before == count)
        return to;
    *to++ = '.';
    for (int i = point; i < 0; i++)
        *to++ = '0';
    memcpy(to, digits + before, (size_t)(count - before));
    return to + (count - before);
}

#define POINT_MIN -5 /* 0.000001 is written so, 1e-7 with an exponent */
#define POINT_MAX 21

/* Writes a number above 0. */
static char *put_decimal(char *to, struct decimal decimal)
{
    char digits[NUMBER_MAX];
    while (decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    int count = (int)(put_u64(digits, decimal.digits) - digits);
    int point = count + decimal.exponent;
    if (point >= POINT_MIN && point <= POINT_MAX)
        return put_positional(to, digits, count, point);
    to = put_positional(to, digits, count, 1);
    *to++ = 'e';
    *to++ = point > 0 ? '+' : '-';
    return put_u64(to, (uint64_t)(point > 0 ? point - 1 : 1 - point));
}

char *put_double(char *to, double value)
{
    if (isnan(value)) {
        memcpy(to, "nan", 3);
        return to + 3;
    }
    if (value < 0) {
        *to++ = '-';
        value = -value;
    }
    if (isinf(value)) {
        memcpy(to, "inf", 3);
        return to + 3;
    }
    if (value < 0x1p53 && value == (double)(uint64_t)value)
        return put_u64(to, (uint64_t)value);
    return put_decimal(to, shortest_decimal(value));
}

/* How the units of metric-set files are displayed, with their prefixes. */
static const struct unit {
    const char *name;
    const char *shown;
    double step;
    const char *prefixes[5]; /* for 1, step, step^2, ..., terminated by NULL */
} units[] = {
    {"ns", "s", 1000, {"n", "µ", "m", "", NULL}},
    {"us", "s", 1000, {"µ", "m", "", NULL, NULL}},
    {"hz", "Hz", 1000, {"", "k", "M", "G", NULL}},
    {"bytes", "B", 1024, {"", "Ki", "Mi", "Gi", "Ti"}},
    {"percent", "%", 0, {"", NULL, NULL, NULL, NULL}},
};
static const struct unit plain = {"", NULL, 1000, {"", "k", "M", "G", "T"}};

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(units); i++)
        if (!strcmp(units[i].name, name))
            return &units[i];
    return &plain;
}

/* Returns the index of the prefix for a value, which is divided by it. A value that `rounding`
 * would bring to the next prefix gets that: 999.95 is 1.000 k. */
static size_t scale(const struct unit *unit, double rounding, double *value)
{
    size_t prefix = 0;
    while (unit->step > 0 && fabs(*value) >= unit->step - rounding &&
           prefix + 1 < ARRAY_COUNT(unit->prefixes) && unit->prefixes[prefix + 1]) {
        *value /= unit->step;
        prefix++;
    }
    return prefix;
}

#define COMPACT_WIDTH 6

const char *format_compact(char *to, size_t size, double value, const char *name)
{
    const struct unit *unit = find_unit(name);
    double shown = value;
    size_t prefix = scale(unit, 0.5, &shown);
    const char *after = value == 0 ? "" : unit->prefixes[prefix];
    int width = COMPACT_WIDTH - (*after != '\0') - (*after && unit->step == 1024);
    double magnitude = fabs(shown);
    int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    if (magnitude == floor(magnitude) && (prefix == 0 || magnitude == 0))
        decimals = 0;
    if (isfinite(value) && snprintf(NULL, 0, "%.0f", shown) > width)
        snprintf(to, size, "%.0e", value);
    else
        snprintf(to, size, "%.*f%s",
                 snprintf(NULL, 0, "%.*f", decimals, shown) > width && decimals ? decimals - 1
                                                                                : decimals,
                 shown, after);
    return unit->shown ? unit->shown : name;
}

bool format_quantity(char *to, size_t size, double value, const char *name)
{
    const struct unit *unit = find_unit(name);
    const char *suffix = unit->shown ? unit->shown : "";
    double shown = value;
    size_t prefix = scale(unit, 0.05, &shown);
    double magnitude = fabs(shown);
    if (magnitude >= 1e8 && isfinite(value)) { /* beyond the largest prefix */
        snprintf(to, size, "%.3e%s%s", value, *suffix ? " " : "", suffix);
        return unit->shown != NULL;
    }
    int decimals = magnitude >= 999.95 ? 0 : magnitude >= 99.995 ? 1 : magnitude >= 9.9995 ? 2 : 3;
    if (magnitude == floor(magnitude) && prefix == 0)
        decimals = 0;
    if (unit->step <= 0)
        decimals = 2;
    bool space = *suffix || *unit->prefixes[prefix];
    snprintf(to, size, "%.*f%s%s%s", decimals, shown, space ? " " : "", unit->prefixes[prefix],
             suffix);
    return unit->shown != NULL;
}
