/* SPDX-License-Identifier: MIT */
/* Force wake: of every domain, or of those that an engine needs (OA-4.1). */
#include "driver/i915/device.h"

/* After a timeout the kernel continues, too. */
static void await(struct i915_device *device, uint32_t address)
{
    for (unsigned i = 0;
         i < WAKE_TRIES && !REG_GET(FORCEWAKE_ACKNOWLEDGE, KERNEL, read32(device, address)); i++)
        sleep_through(device, WAKE_STEP_NS);
}

static void get(struct i915_device *device, uint32_t engines)
{
    bool woken[WAKE_DOMAINS] = {false};
    for (size_t i = 0; i < WAKE_DOMAINS; i++) {
        woken[i] =
            wake_domain_serves(&wake_domains[i], device->platform, engines) && !device->wakes[i]++;
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
        if (wake_domain_serves(&wake_domains[i], device->platform, engines) && !--device->wakes[i])
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
