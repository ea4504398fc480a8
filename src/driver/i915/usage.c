/* SPDX-License-Identifier: MIT */
/* What a client has used: time of engines, from the timestamp that the hardware saves with each
 * context (OA-12.7), and memory. */
#include "base/bits.h"
#include "base/ratio.h"
#include "driver/i915/device.h"

/* ---- time ------------------------------------------------------------------------------------ */

/* While a state runs, its image has the time at which it was loaded, which may be known already. */
static void add_until(struct i915_state *state, uint32_t ticks)
{
    if ((int32_t)(ticks - state->seen_ticks) <= 0)
        return;
    state->run_ticks += ticks - state->seen_ticks;
    state->seen_ticks = ticks;
}

/* Before Gen8 there is no image that has the time. */
void i915_usage_update(struct i915_state *state)
{
    if (state->image && has_execlists(state->engine->device))
        add_until(state, i915_image_get(state, IMAGE_CONTEXT_TIME));
}

void i915_usage_reset(struct i915_state *state)
{
    if (state->image)
        state->seen_ticks = i915_image_get(state, IMAGE_CONTEXT_TIME);
}

/* Adds the time of a state that runs: the image has it only when the hardware has saved it. */
static void update_running(struct i915_state *state)
{
    struct i915_engine *engine = state->engine;
    i915_usage_update(state);
    if (!state->image || !i915_state_in_hardware(state))
        return;
    i915_wake_get_engine(engine);
    if (read32(engine->device, register_of(engine, RING_EXECLIST_STATUS_HI)) == state->submitted_id)
        add_until(state, read32(engine->device, register_of(engine, RING_CTX_TIMESTAMP)));
    i915_wake_put_engine(engine);
}

void i915_usage_keep(struct i915_context *context)
{
    if (!context->file)
        return;
    FOR_STATES(struct i915_state, state, context)
    {
        i915_usage_update(state);
        context->file->past_ticks[state->engine - context->device->engines] += state->run_ticks;
    }
}

/* Returns the ticks in which an engine has executed contexts of a file. */
static uint64_t ticks_of(const struct i915_file *file, const struct i915_engine *engine)
{
    uint64_t ticks = file->past_ticks[engine->hardware->id];
    for (struct i915_context *c = file->device->contexts; c; c = c->next) {
        if (c->file != file)
            continue;
        FOR_STATES(struct i915_state, state, c)
        {
            if (state->engine != engine)
                continue;
            update_running(state);
            ticks += state->run_ticks;
        }
    }
    return ticks;
}

static void put_engines(const struct i915_file *file, struct i915_usage *out)
{
    static const char *const names[] = {[I915_ENGINE_CLASS_RENDER] = "render",
                                        [I915_ENGINE_CLASS_COPY] = "copy",
                                        [I915_ENGINE_CLASS_VIDEO] = "video",
                                        [I915_ENGINE_CLASS_VIDEO_ENHANCE] = "video-enhance"};
    uint32_t hz = file->device->settings.timestamp_hz;
    for (unsigned class = 0; class < ARRAY_COUNT(names); class ++) {
        uint64_t ticks = 0;
        unsigned capacity = 0;
        FOR_ENGINES(const struct i915_engine, engine, file->device)
        {
            if (engine->named.engine_class != class)
                continue;
            capacity++;
            ticks += ticks_of(file, engine);
        }
        if (!capacity)
            continue;
        out->classes[out->class_count].name = names[class];
        out->classes[out->class_count].capacity = capacity;
        out->classes[out->class_count++].ns = scale_u64(ticks, NS_PER_SECOND, hz);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void put_memory(const struct i915_file *file, struct i915_usage *out)
{
    for (size_t i = 0; i < file->handle_count; i++) {
        const struct i915_object *object = file->handles[i].object;
        if (!object)
            continue;
        bool used = i915_object_is_busy(object);
        out->total += object->size;
        out->shared += object->handles > 1 ? object->size : 0;
        out->active += used ? object->size : 0;
        out->resident += object->has_pages ? object->size : 0;
        out->purgeable += object->has_pages && object->is_discardable && !used ? object->size : 0;
    }
}

void i915_file_usage(struct i915_file *file, struct i915_usage *out)
{
    *out = (struct i915_usage){.client = file->id};
    if (has_execlists(file->device))
        put_engines(file, out);
    put_memory(file, out);
}
