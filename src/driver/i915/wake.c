/* SPDX-License-Identifier: MIT */
/* Force wake of every domain that a platform has (OA-4.1). */
#include "base/bits.h"
#include "driver/i915/device.h"

#define HSW_BDW   (INTEL_BIT(INTEL_HSW) | INTEL_BIT(INTEL_BDW))
#define IVB       INTEL_BIT(INTEL_IVB)
#define SNB       INTEL_BIT(INTEL_SNB)
#define LOW_POWER (INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_CHV))
#define SKL       INTEL_BIT(INTEL_SKL)
#define GEN11     (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF) | INTEL_BIT(INTEL_TGL)) /* on */

#define KERNEL_REQUEST 0x00010001u /* bit 0, and its write enable */
#define KERNEL_RELEASE 0x00010000u

static const struct {
    uint32_t platforms, request, acknowledge;
} domains[] = {
    {SNB, 0xa18c, 0x130090},
    {IVB, 0xa188, 0x130040},
    {HSW_BDW | SKL | GEN11, 0xa188, 0x130044},
    {LOW_POWER, 0x1300b0, 0x1300b4},
    {LOW_POWER, 0x1300b8, 0x1300bc},
    {SKL | GEN11, 0xa278, 0xd84},
    {SKL, 0xa270, 0xd88},
    {GEN11, 0xa540, 0xd50}, /* VDBOX0 */
    {GEN11, 0xa548, 0xd58},
    {GEN11, 0xa560, 0xd70}, /* VDBOX2, VEBOX0 */
};

#define TRIES   50
#define STEP_NS 1000u

/* The kernel, too, goes on after a complaint. */
static void await(struct i915_device *device, uint32_t address)
{
    for (unsigned i = 0; i < TRIES && !(read32(device, address) & 1); i++)
        sleep_through(device, STEP_NS);
}

static void ask(struct i915_device *device, uint32_t value)
{
    for (size_t i = 0; i < ARRAY_COUNT(domains); i++)
        if (domains[i].platforms & INTEL_BIT(device->model))
            write32(device, domains[i].request, value);
}

void i915_wake_get(struct i915_device *device)
{
    if (device->wakes++)
        return;
    ask(device, KERNEL_REQUEST);
    for (size_t i = 0; i < ARRAY_COUNT(domains); i++)
        if (domains[i].platforms & INTEL_BIT(device->model))
            await(device, domains[i].acknowledge);
}

void i915_wake_put(struct i915_device *device)
{
    if (!--device->wakes)
        ask(device, KERNEL_RELEASE);
}
