/* SPDX-License-Identifier: MIT */
/* Force wake: of every domain, or of those that an engine needs (OA-4.1). */
#include "driver/i915/device.h"

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
    return wake_domains[domain].revisions & INTEL_BIT(device->platform->revision) &&
           wake_domains[domain].engines & engines;
}

static void get(struct i915_device *device, uint32_t engines)
{
    bool woken[WAKE_DOMAINS] = {false};
    for (size_t i = 0; i < WAKE_DOMAINS; i++) {
        woken[i] = is_needed(device, i, engines) && !device->wakes[i]++;
        if (woken[i])
            write32(device, wake_domains[i].request, WAKE_REQUEST);
    }
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (woken[i])
            await(device, wake_domains[i].acknowledge);
}

static void put(struct i915_device *device, uint32_t engines)
{
    for (size_t i = 0; i < WAKE_DOMAINS; i++)
        if (is_needed(device, i, engines) && !--device->wakes[i])
            write32(device, wake_domains[i].request, WAKE_RELEASE);
}

static uint32_t all_engines(const struct i915_device *device)
{
    uint32_t all = 0;
    FOR_ENGINES(const struct i915_engine, engine, device)
    all |= 1u << engine->hardware->id;
    return all;
}

void i915_wake_get(struct i915_device *device)
{
    get(device, all_engines(device));
}

void i915_wake_put(struct i915_device *device)
{
    put(device, all_engines(device));
}

void i915_wake_get_engine(const struct i915_engine *engine)
{
    get(engine->device, 1u << engine->hardware->id);
}

void i915_wake_put_engine(const struct i915_engine *engine)
{
    put(engine->device, 1u << engine->hardware->id);
}
