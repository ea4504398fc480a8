/* SPDX-License-Identifier: MIT */
/* Sets of fences, which sync files and sync objects have, and waiting for them. */
#include <errno.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

#define STEP_NS 20000u

/* ---- sets ------------------------------------------------------------------------------------ */

bool i915_fences_done(const struct i915_device *device, const struct i915_fences *fences)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (!i915_fence_done(device, fences->latest[id]))
            return false;
    return true;
}

void i915_fences_merge(struct i915_fences *fences, const struct i915_fences *more)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        fences->latest[id] = max_u64(fences->latest[id], more->latest[id]);
}

void i915_fences_add(struct i915_fences *fences, uint64_t fence)
{
    uint64_t *latest = &fences->latest[fence_engine(fence)];
    *latest = max_u64(*latest, fence);
}

size_t i915_fences_at(const struct i915_fences *fences, size_t index, struct i915_fences *out)
{
    size_t count = 0;
    *out = (struct i915_fences){{0}};
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (fences->latest[id] && count++ == index)
            out->latest[id] = fences->latest[id];
    return count;
}

/* ---- errors ---------------------------------------------------------------------------------- */

void i915_fence_fail(struct i915_device *device, uint64_t fence)
{
    device->failed[device->failures++ % ARRAY_COUNT(device->failed)] = fence;
}

int i915_fences_status(const struct i915_device *device, const struct i915_fences *fences)
{
    if (!i915_fences_done(device, fences))
        return 0;
    for (unsigned id = 0; id < CS_ENGINES; id++)
        for (size_t i = 0; fences->latest[id] && i < ARRAY_COUNT(device->failed); i++)
            if (device->failed[i] == fences->latest[id])
                return -EIO;
    return 1;
}

/* ---- waiting --------------------------------------------------------------------------------- */

struct i915_wait i915_device_wait(const struct i915_device *device)
{
    return device->wait;
}

struct i915_wait i915_wait_for(uint64_t fence)
{
    struct i915_wait wait = {.until_ns = UINT64_MAX};
    i915_fences_add(&wait.fences, fence);
    return wait;
}

bool i915_wait_over(const struct i915_device *device, const struct i915_wait *wait)
{
    if (now_ns(device) >= wait->until_ns)
        return true;
    if (wait->changes && device->syncobj_changes != wait->changes)
        return true;
    for (unsigned id = 0; wait->any && id < CS_ENGINES; id++)
        if (wait->fences.latest[id] && i915_fence_done(device, wait->fences.latest[id]))
            return true;
    return !wait->any && !wait->changes && i915_fences_done(device, &wait->fences);
}

int i915_wait_step(struct i915_device *device, const struct i915_wait *wait)
{
    uint64_t now = now_ns(device);
    if (now >= wait->until_ns)
        return -ETIME;
    device->wait = *wait;
    int result = sleep_lightly(device, min_u64(wait->until_ns - now, STEP_NS));
    if (result == 0)
        i915_device_tick(device);
    return result;
}

/* A wait that is interrupted continues in the next attempt of the call. */
int i915_engine_wait(struct i915_device *device, uint64_t fence, uint32_t flags, uint64_t until_ns)
{
    struct i915_wait wait = i915_wait_for(fence);
    struct i915_traced_wait once = {0};
    struct i915_traced_wait *traced = device->attempt ? &device->attempt->wait : &once;
    int result = 0;
    wait.until_ns = until_ns;
    if (!i915_fence_done(device, fence) && now_ns(device) < until_ns)
        i915_trace_wait_begin(device, fence, flags, traced);
    while (result == 0 && !i915_fence_done(device, fence))
        result = i915_wait_step(device, &wait);
    if (traced->fence == fence && (result != -EINTR || !device->attempt))
        i915_trace_wait_end(device, traced);
    return result;
}

int i915_engines_wait(struct i915_device *device)
{
    int result = 0;
    FOR_ENGINES(const struct i915_engine, engine, device)
    result = result < 0 ? result
                        : i915_engine_wait(device, fence_of(engine->issued, engine->hardware->id),
                                           I915_WAIT_INTERRUPTIBLE, UINT64_MAX);
    return result;
}

void i915_engine_finish(struct i915_device *device, uint64_t fence)
{
    while (!i915_fence_done(device, fence)) {
        sleep_through(device, STEP_NS);
        i915_device_tick(device);
    }
}
