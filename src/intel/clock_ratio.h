/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CLOCK_RATIO_H
#define TALLY_INTEL_CLOCK_RATIO_H

#include <stdint.h>

/* Converts a clock frequency to a clock ratio, in units of 50/3 MHz (OA-7). */
static inline uint32_t intel_clock_ratio(uint64_t hz)
{
    return (uint32_t)((hz * 3 + 25000000) / 50000000);
}

#endif
