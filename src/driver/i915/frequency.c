/* SPDX-License-Identifier: MIT */
/* The frequency files of sysfs: the limits that clients set (OA-16.14). */
#include <errno.h>

#include "driver/i915/device.h"
#include "intel/frequency.h"

#define MAX_MHZ 1000000u /* more is above any limit */

static uint32_t *limit_of(struct i915_device *device, enum i915_frequency which)
{
    struct i915_limits *limits = &device->limits;
    return which == I915_MIN ? &limits->min : which == I915_MAX ? &limits->max : &limits->boost;
}

void i915_limits_init(struct i915_device *device)
{
    struct intel_frequencies range = intel_frequencies(&device->sku->info);
    uint32_t highest = intel_steps_of(device->platform, range.highest);
    device->limits = (struct i915_limits){
        .min = intel_steps_of(device->platform, range.lowest), .max = highest, .boost = highest};
}

uint32_t i915_frequency_get(const struct i915_device *device, enum i915_frequency which)
{
    struct intel_frequencies range = intel_frequencies(&device->sku->info);
    const struct i915_limits *limits = &device->limits;
    uint32_t lowest = intel_steps_of(device->platform, range.lowest),
             highest = intel_steps_of(device->platform, range.highest);
    uint32_t steps[I915_FREQUENCIES] = {
        [I915_RPN] = lowest,
        [I915_RP1] = intel_steps_of(device->platform, range.efficient),
        [I915_RP0] = highest,
        [I915_MIN] = limits->min,
        [I915_MAX] = limits->max,
        [I915_BOOST] = limits->boost,
        [I915_REQUESTED] = limits->max,
        [I915_DEFAULT_MIN] = lowest,
        [I915_DEFAULT_MAX] = highest,
    };
    bool in_steps = which == I915_DEFAULT_MIN || which == I915_DEFAULT_MAX;
    return in_steps ? steps[which] : intel_mhz_of(device->platform, steps[which]);
}

int i915_frequency_set(struct i915_device *device, enum i915_frequency which, uint32_t mhz)
{
    struct intel_frequencies range = intel_frequencies(&device->sku->info);
    uint32_t steps = intel_steps_of(device->platform, mhz < MAX_MHZ ? mhz : MAX_MHZ);
    if (steps < intel_steps_of(device->platform, range.lowest) ||
        steps > intel_steps_of(device->platform, range.highest))
        return -EINVAL;
    if ((which == I915_MIN && steps > device->limits.max) ||
        (which == I915_MAX && steps < device->limits.min))
        return -EINVAL;
    *limit_of(device, which) = steps;
    return 0;
}
