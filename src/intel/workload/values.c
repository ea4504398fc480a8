/* SPDX-License-Identifier: MIT */
/* Converts numbers and quantities of workload files exactly, without floating point. */
#include "intel/workload/values.h"

#include <string.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "intel/workload/workload.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads the decimal number at the start of a text. Returns the rest of the text; NULL if there is
 * no number or it is larger than `max`. */
static const char *scan_decimal(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0, step = ONE;
    const char *at = text;
    for (; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0') * ONE;
        if (value > (UINT64_MAX - digit) / 10)
            return NULL;
        value = value * 10 + digit;
    }
    if (at == text)
        return NULL;
    if (*at == '.') {
        if (!is_digit(*++at))
            return NULL;
        for (; is_digit(*at); at++) {
            step /= 10;
            if (value > UINT64_MAX - 9 * ONE) /* above all limits */
                return NULL;
            if (!step && *at != '0')
                return NULL;
            value += step * (uint64_t)(*at - '0');
        }
    }
    if (value > max)
        return NULL;
    *out = value;
    return at;
}

const char *read_decimal(const char *text, uint64_t max, uint64_t *out)
{
    const char *end = scan_decimal(text, max, out);
    return end && !*end ? NULL : "a decimal number with at most nine digits after the point";
}

const char *read_whole(const char *text, uint64_t max, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    static const char expected[] = "a whole number, decimal or 0x...";
    unsigned base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    const char *at = base == 16 ? text + 2 : text;
    uint64_t value = 0;
    if (!*at)
        return expected;
    for (; *at; at++) {
        char lower = *at >= 'A' && *at <= 'F' ? (char)(*at + ('a' - 'A')) : *at;
        const char *found = memchr(digits, lower, base);
        if (!found)
            return expected;
        uint64_t digit = (uint64_t)(found - digits);
        if (value > (max - digit) / base || digit > max)
            return "a smaller number";
        value = value * base + digit;
    }
    *out = value;
    return NULL;
}

/* ---- with a unit ----------------------------------------------------------------------------- */

struct suffix {
    const char *name;
    uint64_t size;
};

/* Returns the index of a suffix, which may follow blanks; -1 if it is unknown. */
static int find_suffix(const char *text, const struct suffix *rows, size_t count)
{
    while (*text == ' ')
        text++;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(text, rows[i].name))
            return (int)i;
    return -1;
}

const char *read_duration(const char *text, uint64_t *out)
{
    static const struct suffix suffixes[] = {
        {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", NS_PER_SECOND}};
    static const char expected[] = "a time such as 2 ms, 350 us or 1.5 s";
    static const uint64_t hour = 3600 * NS_PER_SECOND;
    uint64_t value;
    const char *unit = scan_decimal(text, UINT64_MAX, &value);
    int row = unit ? find_suffix(unit, suffixes, ARRAY_COUNT(suffixes)) : -1;
    if (row < 0)
        return expected;
    value = scale_u64(value, suffixes[row].size, ONE);
    if (!value || value > hour)
        return "more than zero, at most an hour";
    *out = value;
    return NULL;
}

const char *read_clock(const char *text, uint64_t *out)
{
    static const struct suffix suffixes[] = {{"MHz", 1000000}, {"GHz", 1000000000}};
    uint64_t value;
    const char *unit = scan_decimal(text, 4000 * ONE, &value);
    int row = unit ? find_suffix(unit, suffixes, ARRAY_COUNT(suffixes)) : -1;
    if (row < 0)
        return "a clock such as 950 MHz";
    uint64_t hz = row ? value : value / 1000; /* 1 Hz is a billionth of a GHz */
    if (hz < 1000000 || hz > UINT64_C(4000000000))
        return "1 MHz to 4 GHz";
    *out = hz;
    return NULL;
}

const char *read_rate(const char *text, uint64_t *out, uint8_t *per)
{
    static const struct suffix suffixes[] = {
        {"/s", PER_SECOND}, {"/ms", PER_MS}, {"/us", PER_US}, {"/clock", PER_CLOCK}};
    static const uint64_t max[] = {
        [PER_SECOND] = 1000000000, [PER_MS] = 1000000000, [PER_US] = 1000000, [PER_CLOCK] = 1000};
    uint64_t value;
    const char *unit = scan_decimal(text, UINT64_MAX, &value);
    int row = unit ? find_suffix(unit, suffixes, ARRAY_COUNT(suffixes)) : -1;
    if (row < 0)
        return "a rate such as 1200/ms, 5/us, 3/s or 0.5/clock";
    if (value > max[row] * ONE)
        return "at most 1000/clock, 1000000/us, 1000000000/ms or /s";
    *out = value;
    *per = (uint8_t)suffixes[row].size;
    return NULL;
}
