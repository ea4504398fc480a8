/* SPDX-License-Identifier: MIT */
/*
 * The shortest decimal that reads back as the same double; of several, the nearest. By Raffaele
 * Giulietti's Schubfach ("The Schubfach way to render doubles"), with one multiplication by a power
 * of ten in 128 bits for each end of the interval that rounds to the double.
 */
#include "sink/shortest.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "base/ratio.h"

#define MANTISSA_BITS 52
#define EXPONENT_BIAS 1075 /* value = mantissa * 2^(exponent - bias) */

/* ---- powers of ten --------------------------------------------------------------------------- */

#define POWER_MIN -292
#define POWER_MAX 324

/* The first 128 bits of powers of ten, rounded up. */
static struct {
    uint64_t high, low;
} powers[POWER_MAX - POWER_MIN + 1];

/* A long number, least significant word first. 10^324 has 1,077 bits; 2^1216 / 10^292 has 247. */
#define WORDS    38
#define FRACTION (32 * WORDS - 1)

/* Stores the first 128 bits of a number; `more`: it is followed by other digits. */
static void store_power(int power, const uint32_t *number, bool more)
{
    unsigned top = WORDS;
    while (!number[top - 1])
        top--;
    unsigned zeros = (unsigned)__builtin_clz(number[top - 1]);
    uint128 bits = 0;
    for (unsigned i = 0; i < 5; i++) { /* 128 bits begin within a word, so they are in five */
        uint32_t word = top > i ? number[top - 1 - i] : 0;
        bits = i < 4 ? bits << 32 | word : bits << zeros | (zeros ? word >> (32 - zeros) : 0);
        more |= i == 4 && word << zeros;
    }
    for (unsigned i = 5; i < top; i++)
        more |= number[top - 1 - i] != 0;
    bits += more;
    powers[power - POWER_MIN].high = (uint64_t)(bits >> 64);
    powers[power - POWER_MIN].low = (uint64_t)bits;
}

static void multiply_by_ten(uint32_t *number)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        carry += UINT64_C(10) * number[i];
        number[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Returns whether there is a remainder. */
static bool divide_by_ten(uint32_t *number)
{
    uint64_t rest = 0;
    for (unsigned i = WORDS; i-- > 0;) {
        rest = rest << 32 | number[i];
        number[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    return rest != 0;
}

static void make_powers(void)
{
    uint32_t number[WORDS] = {1};
    for (int power = 0; power <= POWER_MAX; power++) {
        store_power(power, number, false);
        multiply_by_ten(number);
    }
    memset(number, 0, sizeof number);
    number[WORDS - 1] = UINT32_C(1) << 31; /* 2^FRACTION */
    bool more = false;
    for (int power = -1; power >= POWER_MIN; power--) {
        more |= divide_by_ten(number);
        store_power(power, number, more);
    }
}

/* ---- digits ---------------------------------------------------------------------------------- */

/* Returns the product of a number and the first bits of a power, in units of 2^128; if it is not
 * exact, its last bit is 1. */
static inline uint64_t round_to_odd(uint64_t high, uint64_t low, uint64_t number)
{
    uint128 product = (uint128)high * number + (uint64_t)((uint128)low * number >> 64);
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* floor(log2(10^power)) and floor(log10(2^exponent)), or of 3/4 of it. */
static inline int log2_of_power(int power)
{
    return (power * 1741647) >> 19;
}

static inline int log10_of_2(int exponent, bool three_quarters)
{
    return (exponent * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

struct decimal shortest_decimal(double value)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_powers);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & low_bits(MANTISSA_BITS);
    int biased = (int)(bits >> MANTISSA_BITS & 0x7ff);
    uint64_t mantissa = biased ? fraction | UINT64_C(1) << MANTISSA_BITS : fraction;
    int exponent = (biased ? biased : 1) - EXPONENT_BIAS;

    /* All decimals between `lower` and `upper`, in quarters of a unit, round to the value. */
    bool even = !(mantissa & 1), closer = !fraction && biased > 1;
    int power = log10_of_2(exponent, closer);
    int shift = exponent + log2_of_power(-power) + 1;
    uint64_t high = powers[-power - POWER_MIN].high, low = powers[-power - POWER_MIN].low;
    uint64_t lower = round_to_odd(high, low, (4 * mantissa - 2 + closer) << shift) + !even;
    uint64_t middle = round_to_odd(high, low, (4 * mantissa) << shift);
    uint64_t upper = round_to_odd(high, low, (4 * mantissa + 2) << shift) - !even;

    uint64_t unit = middle / 4;
    if (unit >= 10) { /* one digit less, if exactly one of the neighbours is within */
        uint64_t ten = unit / 10;
        bool below = lower <= 40 * ten, above = 40 * ten + 40 <= upper;
        if (below != above)
            return (struct decimal){ten + above, power + 1};
    }
    bool below = lower <= 4 * unit, above = 4 * unit + 4 <= upper;
    if (below != above)
        return (struct decimal){unit + above, power};
    bool up = middle > 4 * unit + 2 || (middle == 4 * unit + 2 && unit & 1);
    return (struct decimal){unit + up, power};
}
