/* SPDX-License-Identifier: MIT */
/*
 * Pulses: before a batch counts as hung, the driver submits an empty request of a context of its
 * own. If the batch lets itself be preempted, the pulse completes and the batch runs on, for as
 * long as it likes. This is what the kernel's heartbeats do.
 */
#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/batch.h"

#define STATUS_PULSE 0x180u

/* Returns the time at which a pulse is due; UINT64_MAX: never. */
static uint64_t due_ns(const struct i915_engine *engine)
{
    const struct i915_device *device = engine->device;
    uint64_t limit = i915_engine_limit_ns(engine);
    const struct i915_request *active = i915_engine_active(engine);
    if (!device->platform->preempts || device->finishes || limit == UINT64_MAX ||
        engine->pulse_ns || !active || active->state->context->not_preemptible)
        return UINT64_MAX;
    return engine->since_ns + limit / 2;
}

static bool is_done(const struct i915_engine *engine)
{
    return load_le32(engine->status->bytes + STATUS_PULSE) == engine->pulse;
}

/* The hardware saves the batch where it was preempted, and continues there. */
static void send(struct i915_engine *engine)
{
    struct i915_device *device = engine->device;
    struct batch batch = {.wide = true};
    if (!device->pulse_context && i915_context_new(device, NULL, &device->pulse_context) < 0)
        return;
    struct i915_state *state = &device->pulse_context->states[engine->hardware->id];
    if (i915_state_prepare(state) < 0)
        return;
    batch_store(&batch, engine->status_address + STATUS_PULSE, engine->pulse + 1);
    batch_dword(&batch, MI_USER_INTERRUPT);
    if (batch.bytes.size % 8)
        batch_dword(&batch, MI_NOOP);
    if (!batch.bytes.broken) {
        engine->pulse++;
        engine->pulse_ns = now_ns(device);
        i915_state_append(state, &batch);
        i915_lists_submit_alone(engine, state);
    }
    buffer_fini(&batch.bytes);
}

void i915_pulse_tick(struct i915_engine *engine)
{
    if (engine->pulse_ns && is_done(engine)) {
        engine->pulse_ns = 0;
        engine->ports[0] = NULL; /* what was preempted is submitted again */
        engine->since_ns = now_ns(engine->device);
    } else if (now_ns(engine->device) >= due_ns(engine) && i915_lists_ready(engine)) {
        send(engine);
    }
}

uint64_t i915_pulse_next_ns(const struct i915_engine *engine)
{
    uint64_t now = now_ns(engine->device);
    if (!engine->pulse_ns)
        return i915_lists_ready(engine) ? due_ns(engine) : max_u64(due_ns(engine), now + LOOK_NS);
    return next_look_ns(engine->device, engine->pulse_ns);
}

void i915_pulse_reset(struct i915_engine *engine)
{
    if (!engine->pulse_ns)
        return;
    struct i915_state *state = &engine->device->pulse_context->states[engine->hardware->id];
    i915_image_set(state, IMAGE_RING_HEAD, state->ring_tail);
    engine->pulse_ns = 0;
}
