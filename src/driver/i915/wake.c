/* SPDX-License-Identifier: MIT */
/* Force wake: of every domain, or of those that an engine needs (OA-4.1). */
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

/* `engines`: those that need the domain. On Gen9 and later the blitter is in the domain of the GT;
 * VLV and CHV do not have that one. */
#define ENGINE(id) (1u << CS_##id)
#define VIDEO      (ENGINE(VCS0) | ENGINE(VECS0))
#define ALL        UINT8_MAX
static const struct {
    uint32_t revisions, request, acknowledge;
    uint8_t engines;
} domains[WAKE_DOMAINS] = {
    {SNB, FORCEWAKE, FORCEWAKE_ACK, ALL},
    {IVB, FORCEWAKE_GT, FORCEWAKE_ACK_GT_IVB, ALL},
    {HSW_BDW, FORCEWAKE_GT, FORCEWAKE_ACK_GT_HSW, ALL},
    {SKL | GEN11, FORCEWAKE_GT, FORCEWAKE_ACK_GT_HSW, ENGINE(BCS0)},
    {LOW_POWER, FORCEWAKE_RENDER_VLV, FORCEWAKE_ACK_RENDER_VLV, ENGINE(RCS0)},
    {LOW_POWER, FORCEWAKE_MEDIA_VLV, FORCEWAKE_ACK_MEDIA_VLV, VIDEO | ENGINE(BCS0)},
    {SKL | GEN11, FORCEWAKE_RENDER_GEN9, FORCEWAKE_ACK_RENDER_GEN9, ENGINE(RCS0)},
    {SKL, FORCEWAKE_MEDIA_GEN9, FORCEWAKE_ACK_MEDIA_GEN9, VIDEO},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 0),
     ENGINE(VCS0)},
    {GEN11, REG_ELEMENT(FORCEWAKE_VDBOX_GEN11, 2), REG_ELEMENT(FORCEWAKE_ACK_VDBOX_GEN11, 2),
     ENGINE(VCS2)},
    {GEN11, REG_ELEMENT(FORCEWAKE_VEBOX_GEN11, 0), REG_ELEMENT(FORCEWAKE_ACK_VEBOX_GEN11, 0),
     ENGINE(VECS0)},
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

static bool is_needed(const struct i915_device *device, size_t domain, uint32_t engines)
{
    return domains[domain].revisions & INTEL_BIT(device->platform->revision) &&
           domains[domain].engines & engines;
}

static void get(struct i915_device *device, uint32_t engines)
{
    bool woken[WAKE_DOMAINS] = {false};
    for (size_t i = 0; i < WAKE_DOMAINS; i++) {
        woken[i] = is_needed(device, i, engines) && !device->wakes[i]++;
        if (woken[i])
            write32(device, domains[i].request, KERNEL_REQUEST);
    }
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (woken[i])
            await(device, domains[i].acknowledge);
}

static void put(struct i915_device *device, uint32_t engines)
{
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (is_needed(device, i, engines) && !--device->wakes[i])
            write32(device, domains[i].request, KERNEL_RELEASE);
}

void i915_wake_get(struct i915_device *device)
{
    get(device, UINT32_MAX);
}

void i915_wake_put(struct i915_device *device)
{
    put(device, UINT32_MAX);
}

void i915_wake_get_engine(const struct i915_engine *engine)
{
    get(engine->device, 1u << engine->hardware->id);
}

void i915_wake_put_engine(const struct i915_engine *engine)
{
    put(engine->device, 1u << engine->hardware->id);
}
