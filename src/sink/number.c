/* SPDX-License-Identifier: MIT */
#include "sink/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/ratio.h"

static const char digit_pairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293"
    "949596979899";

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

#define MANTISSA_BITS 52
#define EXPONENT_BIAS 1075 /* value = mantissa * 2^(exponent - bias) */

char *put_fixed6(char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63) {
        *to++ = '-';
        bits &= ~(UINT64_C(1) << 63);
        value = -value;
    }
    if (!(value < 1e13)) /* slow path for large numbers, infinities and NaN, which are rare */
        return to + sprintf(to, "%.6f", value);

    unsigned exponent = (unsigned)(bits >> MANTISSA_BITS);
    uint64_t mantissa = bits & low_bits(MANTISSA_BITS);
    if (exponent)
        mantissa |= UINT64_C(1) << MANTISSA_BITS;
    else
        exponent = 1;

    /* value * 10^6 = product / 2^shift exactly; below 10^13 the shift is at least 9. */
    unsigned shift = EXPONENT_BIAS - exponent;
    uint64_t millionths = 0;
    if (shift < 128) {
        uint128 product = (uint128)mantissa * 1000000;
        uint128 rest = product & (((uint128)1 << shift) - 1);
        uint128 half = (uint128)1 << (shift - 1);
        millionths = (uint64_t)(product >> shift);
        millionths += rest > half || (rest == half && millionths & 1);
    }
    to = put_u64(to, millionths / 1000000);
    uint32_t decimals = (uint32_t)(millionths % 1000000);
    *to++ = '.';
    memcpy(to, digit_pairs + 2 * (decimals / 10000), 2);
    memcpy(to + 2, digit_pairs + 2 * (decimals / 100 % 100), 2);
    memcpy(to + 4, digit_pairs + 2 * (decimals % 100), 2);
    return to + 6;
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

bool format_quantity(char *to, size_t size, double value, const char *name)
{
    const struct unit *unit = &plain;
    for (size_t i = 0; i < ARRAY_COUNT(units); i++)
        if (!strcmp(units[i].name, name))
            unit = &units[i];
    size_t prefix = 0;
    double shown = value;
    /* 999.95 rounds to 1000, which is 1.000 with the next prefix. */
    while (unit->step > 0 && fabs(shown) >= unit->step - 0.05 &&
           prefix + 1 < ARRAY_COUNT(unit->prefixes) && unit->prefixes[prefix + 1]) {
        shown /= unit->step;
        prefix++;
    }
    double magnitude = fabs(shown);
    int decimals = magnitude >= 999.95 ? 0 : magnitude >= 99.995 ? 1 : magnitude >= 9.9995 ? 2 : 3;
    if (magnitude == floor(magnitude) && prefix == 0)
        decimals = 0;
    if (unit->step <= 0)
        decimals = 2;
    const char *suffix = unit->shown ? unit->shown : "";
    bool space = *suffix || *unit->prefixes[prefix];
    snprintf(to, size, "%.*f%s%s%s", decimals, shown, space ? " " : "", unit->prefixes[prefix],
             suffix);
    return unit->shown != NULL;
}
