/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_RATIO_H
#define TALLY_BASE_RATIO_H

#include <stdint.h>

/* Exact clock ratios. Products have 128 bits, so that long times in ticks do not overflow. */

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/* Returns value * numerator / denominator rounded down, saturated at UINT64_MAX; 0 if the
 * denominator is 0. */
static inline uint64_t scale_u64(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    if (!denominator)
        return 0;
    uint128 scaled = (uint128)value * numerator / denominator;
    return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

/* The same rounded up. */
static inline uint64_t scale_up_u64(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    if (!denominator)
        return 0;
    uint128 product = (uint128)value * numerator;
    uint128 scaled = product / denominator + (product % denominator != 0);
    return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

#define NS_PER_SECOND UINT64_C(1000000000)

#endif
