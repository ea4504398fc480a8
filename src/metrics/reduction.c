/* SPDX-License-Identifier: MIT */
/* Adds up the lanes of the reduction kernels, with exact sums. */
#include <math.h>

#include "base/bits.h"
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
    huge_raise(into, from->top);
    for (int i = 0; i < (int)ARRAY_COUNT(into->parts); i++) {
        int at = into->top - from->top + i;
        if (at < (int)ARRAY_COUNT(into->parts))
            into->parts[at] += from->parts[i];
    }
}

/* Adds a finite value from 2^100 on: its 53 bits are in two or three parts of the grid. */
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

static void fold_u64(struct reduction *into, const struct lanes *lanes)
{
    for (size_t l = 0; l < LANES; l++) {
        into->sum += lanes->u.sum[l] + ((uint128)lanes->u.carry[l] << 64);
        if (lanes->u.minimum[l] < into->minimum.u)
            into->minimum.u = lanes->u.minimum[l];
        if (lanes->u.maximum[l] > into->maximum.u)
            into->maximum.u = lanes->u.maximum[l];
    }
}

static void fold_double(struct reduction *into, const struct lanes *lanes)
{
    int128 sum = lanes->f.fine;
    for (size_t l = 0; l < LANES; l++) {
        sum += (int128)lanes->f.whole[l] * (1 << FRACTION_BITS) + lanes->f.fraction[l];
        into->minimum.f = fmin(into->minimum.f, lanes->f.minimum[l]);
        into->maximum.f = fmax(into->maximum.f, lanes->f.maximum[l]);
    }
    into->minimum.f += 0.0; /* turns -0 into 0, so that the result does not depend on the order */
    into->maximum.f += 0.0;
    into->sum += (uint128)sum;
    into->large += lanes->f.large;
    into->undefined += lanes->f.undefined;
    into->not_finite |= lanes->f.not_finite;
    huge_merge(&into->huge, &lanes->f.huge);
}

void reduction_fold(struct reduction *into, const struct lanes *lanes, enum tally_data_type type)
{
    if (type == TALLY_DOUBLE)
        fold_double(into, lanes);
    else
        fold_u64(into, lanes);
}

void reduction_merge(struct reduction *into, const struct reduction *from,
                     enum tally_data_type type)
{
    into->sum += from->sum;
    into->large += from->large;
    into->undefined += from->undefined;
    into->not_finite |= from->not_finite;
    huge_merge(&into->huge, &from->huge);
    if (type == TALLY_DOUBLE) {
        into->minimum.f = fmin(into->minimum.f, from->minimum.f);
        into->maximum.f = fmax(into->maximum.f, from->maximum.f);
        return;
    }
    if (from->minimum.u < into->minimum.u)
        into->minimum.u = from->minimum.u;
    if (from->maximum.u > into->maximum.u)
        into->maximum.u = from->maximum.u;
}

double reduction_mean(const struct reduction *reduction, enum tally_data_type type, uint64_t count)
{
    if (!count)
        return 0;
    if (type == TALLY_UINT64)
        return (double)reduction->sum / (double)count;
    if (reduction->not_finite || reduction->undefined == count)
        return (double)NAN;
    double defined = (double)(count - reduction->undefined);
    double sum = (double)(int128)reduction->sum * 0x1p-40 + (double)reduction->large;
    double mean = sum / defined + huge_mean(&reduction->huge, defined);
    /* The sums have been rounded, so the mean of equal values may be next to them. */
    return fmin(fmax(mean, reduction->minimum.f), reduction->maximum.f);
}

union tally_value reduction_extreme(const struct reduction *reduction, union tally_value extreme,
                                    enum tally_data_type type, uint64_t count)
{
    if (type == TALLY_DOUBLE && count && reduction->undefined == count)
        extreme.f = (double)NAN;
    return extreme;
}

void lanes_add_large(struct lanes *lanes, double value)
{
    /* From 2^100 on, a sum of 2^27 values could overflow. */
    if (value > -0x1p60 && value < 0x1p60)
        lanes->f.fine += (int128)(value * 0x1p40);
    else if (value > -0x1p100 && value < 0x1p100)
        lanes->f.large += (int128)value;
    else if (isnan(value))
        lanes->f.undefined++;
    else if (isinf(value))
        lanes->f.not_finite = true;
    else
        huge_add(&lanes->f.huge, value);
}
