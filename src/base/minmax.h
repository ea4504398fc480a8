/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_MINMAX_H
#define TALLY_BASE_MINMAX_H

#include <stddef.h>
#include <stdint.h>

/* Return the smaller or the larger of two numbers. As functions, they evaluate their arguments
 * once, and do not change their types. */

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
