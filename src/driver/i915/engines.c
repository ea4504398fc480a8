/* SPDX-License-Identifier: MIT */
/*
 * Resolves the engine that a client selects: by class and instance, by the ring number of the old
 * interface, or by an index into its context's engine map. Only the render engine exists.
 */
#include "base/bits.h"
#include "driver/i915/device.h"

#define MAX_ENGINES (I915_EXEC_RING_MASK + 1)

static bool is_render(const struct i915_engine_class_instance *engine)
{
    return !engine->engine_class && !engine->engine_instance;
}

/* Whether an index of the map has no engine. */
static bool is_none(const struct i915_engine_class_instance *engine)
{
    return engine->engine_class == UINT16_MAX && engine->engine_instance == UINT16_MAX;
}

int i915_context_set_engines(struct i915_context *context,
                             const struct drm_i915_gem_context_param *args,
                             const struct i915_caller *caller)
{
    struct i915_engine_class_instance engine;
    uint64_t extensions, at = args->value + sizeof extensions;
    if (context->is_used || context->has_map || args->size < sizeof extensions ||
        args->size % sizeof engine)
        return -EINVAL;
    uint64_t count = (args->size - sizeof extensions) / sizeof engine;
    if (count > MAX_ENGINES)
        return -EINVAL;
    uint64_t map = 0;
    for (uint64_t i = 0; i < count; i++) {
        int result = copy_in(caller, &engine, at + i * sizeof engine, sizeof engine);
        if (result < 0)
            return result;
        if (!is_none(&engine) && !is_render(&engine))
            return -ENOENT;
        map |= (uint64_t)is_render(&engine) << i;
    }
    int result = copy_in(caller, &extensions, args->value, sizeof extensions);
    if (result < 0 || extensions) /* virtual engines are not supported */
        return result < 0 ? result : -EINVAL;
    context->has_map = true;
    context->map = map;
    return 0;
}

static bool is_mapped(const struct i915_context *context, uint64_t index)
{
    return index < MAX_ENGINES && context->map >> index & 1;
}

bool i915_context_has_render(const struct i915_context *context)
{
    return !context->has_map || context->map;
}

int i915_context_find_engine(const struct i915_context *context, bool by_index,
                             const struct i915_engine_class_instance *engine)
{
    if (by_index != context->has_map)
        return -EINVAL;
    return (by_index ? is_mapped(context, engine->engine_instance) : is_render(engine)) ? 0
                                                                                        : -EINVAL;
}

int i915_context_find_ring(const struct i915_context *context, uint64_t flags)
{
    uint64_t ring = flags & I915_EXEC_RING_MASK;
    if (context->has_map)
        return is_mapped(context, ring) ? 0 : -EINVAL;
    return ring <= I915_EXEC_RENDER && !(flags & I915_EXEC_BSD_MASK) ? 0 : -EINVAL;
}
