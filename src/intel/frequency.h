/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_FREQUENCY_H
#define TALLY_INTEL_FREQUENCY_H

/*
 * The frequencies of the GT: a SKU's range, which the fuses show and drivers report (OA-16.11), and
 * the steps in which the kernel's driver chooses from it.
 */

#include "intel/platforms.h"

/* In MHz. */
struct intel_frequencies {
    uint32_t lowest, efficient, highest; /* RPn, RP1, RP0 */
};

/* Returns the range of a SKU. The most efficient frequency is the lowest one (OA-16.11). */
static inline struct intel_frequencies intel_frequencies(const struct tally_sku *sku)
{
    return (struct intel_frequencies){sku->gt_min_mhz, sku->gt_min_mhz, sku->gt_max_mhz};
}

#define INTEL_STEPS_MHZ 200u /* platform.clock_steps is their number in this range */

/* Converts steps to Hz. */
static inline uint64_t intel_hz_of(const struct intel_platform *platform, uint32_t steps)
{
    return ((uint64_t)steps * INTEL_STEPS_MHZ * 1000000 + platform->clock_steps / 2) /
           platform->clock_steps;
}

/* Converts MHz up to 10^6 to steps, and steps to MHz, to the nearest one. */
static inline uint32_t intel_steps_of(const struct intel_platform *platform, uint32_t mhz)
{
    return (mhz * platform->clock_steps + INTEL_STEPS_MHZ / 2) / INTEL_STEPS_MHZ;
}

static inline uint32_t intel_mhz_of(const struct intel_platform *platform, uint32_t steps)
{
    return (steps * INTEL_STEPS_MHZ + platform->clock_steps / 2) / platform->clock_steps;
}

#endif
