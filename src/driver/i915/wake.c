/* SPDX-License-Identifier: MIT */
/* Force wake of every domain (OA-4.1). */
#include "base/bits.h"
#include "driver/i915/device.h"
#include "intel/symbols.h"

#define HSW_BDW   (INTEL_BIT(INTEL_HSW) | INTEL_BIT(INTEL_BDW))
#define IVB       INTEL_BIT(INTEL_IVB)
#define SNB       INTEL_BIT(INTEL_SNB)
#define LOW_POWER (INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_CHV))
#define SKL       INTEL_BIT(INTEL_SKL)
#define GEN11     (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF) | INTEL_BIT(INTEL_TGL)) /* and later */

#define KERNEL_REQUEST REG_MASKED(FORCEWAKE_REQUEST, KERNEL, 1)
#define KERNEL_RELEASE REG_MASKED(FORCEWAKE_REQUEST, KERNEL, 0)

static const struct {
    uint32_t revisions, request, acknowledge;
} domains[] = {
    {SNB, FORCEWAKE, FORCEWAKE_ACK},
    {IVB, FORCEWAKE_GT, FORCEWAKE_ACK_GT_IVB},
    {HSW_BDW | SKL | GEN11, FORCEWAKE_GT, FORCEWAKE_ACK_GT_HSW},
    {LOW_POWER, FORCEWAKE_RENDER_VLV, FORCEWAKE_ACK_RENDER_VLV},
    {LOW_POWER, FORCEWAKE_MEDIA_VLV, FORCEWAKE_ACK_MEDIA_VLV},
    {SKL | GEN11, FORCEWAKE_RENDER_GEN9, FORCEWAKE_ACK_RENDER_GEN9},
    {SKL, FORCEWAKE_MEDIA_GEN9, FORCEWAKE_ACK_MEDIA_GEN9},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 0)},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 2), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 2)},
    {GEN11, REG_ELEMENT(FORCEWAKE_VEBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VEBOX_GEN11, 0)},
};

#define TRIES   50
#define STEP_NS 1000u

/* After a timeout the kernel continues, too. */
static void await(struct i915_device *device, uint32_t address)
{
    for (unsigned i = 0;
         i < TRIES && !REG_GET(FORCEWAKE_ACKNOWLEDGE, KERNEL, read32(device, address)); i++)
        sleep_through(device, STEP_NS);
}

static void request(struct i915_device *device, uint32_t value)
{
    for (size_t i = 0; i < ARRAY_COUNT(domains); i++)
        if (domains[i].revisions & INTEL_BIT(device->platform->revision))
            write32(device, domains[i].request, value);
}

void i915_wake_get(struct i915_device *device)
{
    if (device->wakes++)
        return;
    request(device, KERNEL_REQUEST);
    for (size_t i = 0; i < ARRAY_COUNT(domains); i++)
        if (domains[i].revisions & INTEL_BIT(device->platform->revision))
            await(device, domains[i].acknowledge);
}

void i915_wake_put(struct i915_device *device)
{
    if (!--device->wakes)
        request(device, KERNEL_RELEASE);
}
