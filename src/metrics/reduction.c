/* SPDX-License-Identifier: MIT */
/* Adds up the lanes of the reduction kernels, with exact sums. */
#include <math.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "metrics/equation.h"
#include "metrics/kernels.h"

/* ---- huge values ----------------------------------------------------------------------------- */

#define PART_BITS 32

/* Moves the parts to a grid with a higher top; the lowest ones are dropped. */
static void huge_raise(struct huge *huge, int top)
{
    int steps = top - huge->top;
    for (int i = (int)ARRAY_COUNT(huge->parts); steps > 0 && i-- > 0;)
        huge->parts[i] = i >= steps ? huge->parts[i - steps] : 0;
    huge->top = steps > 0 ? top : huge->top;
}

static void huge_merge(struct huge *into, const struct huge *from)
{
    if (!from->top && !(from->parts[0] | from->parts[1] | from->parts[2]))
        return;
    huge_raise(into, from->top);
    for (int i = 0; i < (int)ARRAY_COUNT(into->parts); i++) {
        int at = into->top - from->top + i;
        if (at < (int)ARRAY_COUNT(into->parts))
            into->parts[at] += from->parts[i];
    }
}

/* Adds a finite value from 2^60 on: its 53 bits are in two or three parts of the grid. */
static void huge_add(struct huge *huge, double value)
{
    struct huge one = {0};
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
    one.top = (exponent - 1) / PART_BITS;
    uint128 bits = (uint128)mantissa << (exponent - 53 - PART_BITS * (one.top - 2));
    for (int i = 0; i < 3; i++) {
        int128 part = (int128)(uint32_t)(bits >> (PART_BITS * (2 - i)));
        one.parts[i] = value < 0 ? -part : part;
    }
    huge_merge(huge, &one);
}

static void huge_multiply(struct huge *huge, uint64_t by)
{
    for (size_t i = 0; i < ARRAY_COUNT(huge->parts); i++)
        huge->parts[i] *= (int128)by;
}

static double huge_mean(const struct huge *huge, double count)
{
    double mean = 0;
    for (int i = (int)ARRAY_COUNT(huge->parts); i-- > 0;)
        mean = ldexp(mean, -PART_BITS) + (double)huge->parts[i] / count;
    return ldexp(mean, PART_BITS * huge->top);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

void lanes_clear(struct lanes *lanes, enum tally_data_type type)
{
    *lanes = (struct lanes){0};
    for (size_t l = 0; l < LANES; l++) {
        if (type == TALLY_DOUBLE) {
            lanes->f.minimum[l] = (double)INFINITY;
            lanes->f.maximum[l] = (double)-INFINITY;
        } else {
            lanes->u.minimum[l] = UINT64_MAX;
        }
    }
}

void reduction_clear(struct reduction *reduction, enum tally_data_type type)
{
    *reduction = (struct reduction){.minimum.u = UINT64_MAX};
    if (type == TALLY_DOUBLE) {
        reduction->minimum.f = (double)INFINITY;
        reduction->maximum.f = (double)-INFINITY;
    }
}

static void fold_u64(struct reduction *into, const struct lanes *lanes, size_t count,
                     uint64_t ticks)
{
    uint128 sum = 0;
    for (size_t l = 0; l < LANES; l++) {
        sum += lanes->u.sum[l] + ((uint128)lanes->u.carry[l] << 64);
        count -= lanes->u.undefined[l];
        if (lanes->u.minimum[l] < into->minimum.u)
            into->minimum.u = lanes->u.minimum[l];
        if (lanes->u.maximum[l] > into->maximum.u)
            into->maximum.u = lanes->u.maximum[l];
    }
    into->sum += sum * ticks;
    into->ticks += count * ticks;
}

static void fold_double(struct reduction *into, const struct lanes *lanes, size_t count,
                        uint64_t ticks)
{
    struct huge huge = lanes->f.huge;
    int128 sum = 0;
    for (size_t l = 0; l < LANES; l++) {
        sum += (int128)lanes->f.whole[l] * (1 << FRACTION_BITS) + lanes->f.fraction[l];
        into->minimum.f = fmin(into->minimum.f, lanes->f.minimum[l]);
        into->maximum.f = fmax(into->maximum.f, lanes->f.maximum[l]);
    }
    into->minimum.f += 0.0; /* turns -0 into 0, so that the result does not depend on the order */
    into->maximum.f += 0.0;
    into->sum += (uint128)sum * ticks;
    into->large += lanes->f.large * (int128)ticks;
    into->ticks += (count - lanes->f.undefined) * ticks;
    into->not_finite |= lanes->f.not_finite;
    huge_multiply(&huge, ticks);
    huge_merge(&into->huge, &huge);
}

void reduction_fold(struct reduction *into, const struct lanes *lanes, enum tally_data_type type,
                    size_t count, uint64_t ticks)
{
    if (type == TALLY_DOUBLE)
        fold_double(into, lanes, count, ticks);
    else
        fold_u64(into, lanes, count, ticks);
}

static void add_large(struct reduction *into, double value, uint64_t ticks)
{
    struct lanes one = {0};
    lanes_add_large(&one, value);
    into->large += one.f.large * (int128)ticks;
    into->not_finite |= one.f.not_finite;
    huge_multiply(&one.f.huge, ticks);
    huge_merge(&into->huge, &one.f.huge);
}

/* Rounds a value below 2^51 to the nearest integer, of two the even one: the sum has no bits for
 * fractions. */
static double nearest_integer(double value)
{
    return value + 0x1.8p52 - 0x1.8p52;
}

/* As the kernels add a double to a lane. */
static void add_double(struct reduction *into, double value, uint64_t ticks)
{
    if (!(value > -LANE_DOUBLE_MAX && value < LANE_DOUBLE_MAX)) {
        add_large(into, value, ticks);
        return;
    }
    double scaled = value * (1 << FRACTION_BITS), whole = nearest_integer(scaled);
    int128 sum = (int128)(int64_t)whole * (1 << FRACTION_BITS);
    sum += (int64_t)nearest_integer((scaled - whole) * (1 << FRACTION_BITS));
    into->sum += (uint128)sum * ticks;
}

void reduction_add(struct reduction *into, union tally_value value, enum tally_data_type type,
                   uint64_t ticks, bool brief)
{
    if (!tally_value_is_defined(value, type))
        return;
    into->ticks += ticks;
    if (type == TALLY_DOUBLE)
        add_double(into, value.f, ticks);
    else
        into->sum += (uint128)value.u * ticks;
    if (brief)
        return;
    if (type == TALLY_DOUBLE) {
        into->minimum.f = fmin(into->minimum.f, value.f) + 0.0;
        into->maximum.f = fmax(into->maximum.f, value.f) + 0.0;
    } else {
        into->minimum.u = min_u64(into->minimum.u, value.u);
        into->maximum.u = max_u64(into->maximum.u, value.u);
    }
}

void reduction_merge(struct reduction *into, const struct reduction *from,
                     enum tally_data_type type)
{
    into->sum += from->sum;
    into->ticks += from->ticks;
    into->large += from->large;
    into->not_finite |= from->not_finite;
    huge_merge(&into->huge, &from->huge);
    if (type == TALLY_DOUBLE) {
        into->minimum.f = fmin(into->minimum.f, from->minimum.f);
        into->maximum.f = fmax(into->maximum.f, from->maximum.f);
    } else {
        into->minimum.u = min_u64(into->minimum.u, from->minimum.u);
        into->maximum.u = max_u64(into->maximum.u, from->maximum.u);
    }
}

/* Returns whether a value has counted for minimum and maximum. */
static bool has_extremes(const struct reduction *reduction, enum tally_data_type type)
{
    return type == TALLY_DOUBLE ? reduction->minimum.f <= reduction->maximum.f
                                : reduction->minimum.u <= reduction->maximum.u;
}

double reduction_mean(const struct reduction *reduction, enum tally_data_type type, bool bounded)
{
    double ticks = (double)reduction->ticks;
    if (!reduction->ticks || reduction->not_finite)
        return (double)NAN;
    if (type == TALLY_UINT64)
        return (double)reduction->sum / ticks;
    double sum = (double)(int128)reduction->sum * 0x1p-40 + (double)reduction->large * 0x1p-20;
    double mean = sum / ticks + huge_mean(&reduction->huge, ticks);
    /* The sums have been rounded, so the mean of equal values may be next to them. */
    return bounded && has_extremes(reduction, type)
               ? fmin(fmax(mean, reduction->minimum.f), reduction->maximum.f)
               : mean;
}

union tally_value reduction_minimum(const struct reduction *reduction, enum tally_data_type type)
{
    return has_extremes(reduction, type) ? reduction->minimum : undefined_value(type);
}

union tally_value reduction_maximum(const struct reduction *reduction, enum tally_data_type type)
{
    return has_extremes(reduction, type) ? reduction->maximum : undefined_value(type);
}

void lanes_add_large(struct lanes *lanes, double value)
{
    if (value > -0x1p60 && value < 0x1p60)
        lanes->f.large += (int128)(value * 0x1p20);
    else if (isnan(value))
        lanes->f.undefined++;
    else if (isinf(value))
        lanes->f.not_finite = true;
    else
        huge_add(&lanes->f.huge, value);
}
