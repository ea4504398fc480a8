/* SPDX-License-Identifier: MIT */
/* Adds up the lanes of the reduction kernels, with exact sums. */
#include <math.h>

#include "metrics/kernels.h"

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
    double sum = (double)(int128)reduction->sum * 0x1p-40 + (double)reduction->large;
    return sum / (double)(count - reduction->undefined);
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
    /* From 2^100 on, a sum of 2^27 values could overflow. No counter has such values. */
    if (value > -0x1p60 && value < 0x1p60)
        lanes->f.fine += (int128)(value * 0x1p40);
    else if (value > -0x1p100 && value < 0x1p100)
        lanes->f.large += (int128)value;
    else if (isnan(value))
        lanes->f.undefined++;
    else
        lanes->f.not_finite = true;
}
