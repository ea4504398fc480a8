/* SPDX-License-Identifier: MIT */
/* Operations common to the OA units of all generations (PERF-6). */
#include <string.h>

#include "driver/i915/perf.h"

#define TRIES   50
#define STEP_NS 1000000u

/* Waits at most 50 ms; after a timeout the kernel continues, too. */
void i915_oa_await_clear(struct i915_device *device, uint32_t address)
{
    for (unsigned i = 0; i < TRIES && (read32(device, address) & 1); i++)
        sleep_through(device, STEP_NS);
}

void i915_oa_stop(struct i915_device *device, uint32_t control)
{
    write32(device, control, 0);
    i915_oa_await_clear(device, control);
}

/* Waits for a configuration to settle, before the counters are enabled. */
void i915_oa_wipe(struct i915_stream *stream)
{
    memset(stream->buffer->bytes, 0, (size_t)stream->buffer->written);
    stream->buffer->written = 0;
    sleep_through(stream->device, 0);
    stream->head = stream->tail = 0;
    stream->latest_id = INVALID_CONTEXT;
    stream->latched = 0;
}

/* Programs the registers and waits, in the context that the stream filters by, or in the kernel
 * context. */
int i915_oa_apply(struct i915_stream *stream, const struct i915_config *config, bool wait)
{
    struct i915_device *device = stream->device;
    struct batch batch = {.wide = has_execlists(device)};
    uint32_t resets = render_engine(device)->resets;
    uint64_t fence;
    for (unsigned i = 0; i < REGISTER_GROUPS; i++)
        batch_registers(&batch, config->groups[i].values, config->groups[i].count);
    batch_jump(&batch, device->perf.wait_address, 0);
    int result =
        batch_submit(&batch, stream->context ? stream->context : device->kernel_context, &fence);
    if (result == 0 && wait)
        result = i915_engine_wait(device, fence, I915_WAIT_INTERRUPTIBLE, UINT64_MAX);
    if (result == 0 && resets != render_engine(device)->resets)
        result = -EIO;
    return result;
}

const struct oa_ops *i915_oa_ops(const struct i915_device *device)
{
    static const struct oa_ops *const ops[] = {
        [OA_MAP_B] = &i915_oa_gen7, [OA_MAP_C] = &i915_oa_gen8, [OA_MAP_D] = &i915_oa_gen12};
    return ops[device->platform->oa->map];
}
