/* SPDX-License-Identifier: MIT */
/* The frequency files of sysfs: the limits that clients set (OA-16.14). */
#include <errno.h>

#include "driver/i915/device.h"
#include "intel/frequency.h"
#include "intel/gpu/rps.h"
#include "intel/gt/sideband.h"
#include "intel/oa/noa.h"
#include "intel/symbols.h"

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

/* Valleyview's and Cherryview's frequencies are codes of a unit behind the sideband. */
static bool has_sideband(const struct i915_device *device)
{
    return INTEL_BIT(device->platform->revision) & (INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_CHV));
}

static void access_power_unit(struct i915_device *device, uint32_t reg, uint32_t opcode)
{
    write32(device, VLV_IOSF_ADDR, REG_PUT(VLV_IOSF_ADDR, REGISTER, reg));
    write32(device, VLV_IOSF_DOORBELL_REQ,
            REG_PUT(VLV_IOSF_DOORBELL_REQ, OPCODE, opcode) |
                REG_PUT(VLV_IOSF_DOORBELL_REQ, PORT, IOSF_PORT__POWER_UNIT) |
                REG_MASK(VLV_IOSF_DOORBELL_REQ, BUSY));
}

static void request_by_sideband(struct i915_device *device, uint32_t code)
{
    write32(device, VLV_IOSF_DATA, REG_PUT(PUNIT_REG_GPU_FREQ_REQ, RATIO, code));
    access_power_unit(device, PUNIT_REG_GPU_FREQ_REQ, IOSF_OPCODE__WRITE);
}

static uint32_t read_by_sideband(struct i915_device *device)
{
    access_power_unit(device, PUNIT_REG_GPU_FREQ_STS, IOSF_OPCODE__READ);
    uint32_t code = REG_GET(PUNIT_REG_GPU_FREQ_STS, RATIO, read32(device, VLV_IOSF_DATA));
    return intel_mhz_of(device->platform, gt_sideband_decode(device->platform->revision, code));
}

/* Requests the highest frequency that the limits allow. */
static void request(struct i915_device *device)
{
    enum intel_revision revision = device->platform->revision;
    uint32_t word = rps_request(revision, device->limits.max);
    if (has_sideband(device)) {
        request_by_sideband(device, gt_sideband_code(revision, device->limits.max));
        return;
    }
    i915_wake_get(device);
    write32(device, GEN6_RPNSWREQ, word);
    write32(device, GEN6_RP_CONTROL, REG_PUT(GEN6_RP_CONTROL, MODE, RP_MODE__SOFTWARE));
    i915_wake_put(device);
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
    request(device);
    return 0;
}

uint32_t i915_frequency_actual(struct i915_device *device)
{
    if (has_sideband(device))
        return read_by_sideband(device);
    i915_wake_get(device);
    uint32_t status = read32(device, GEN6_RPSTAT1);
    i915_wake_put(device);
    return noa_status_mhz(device->platform->revision, status);
}
