/* SPDX-License-Identifier: MIT */
/*
 * The engines as clients name them: by class and instance, by the ring number of the old interface,
 * or by an index into their context's engine map.
 */
#include <stdio.h>

#include "base/bits.h"
#include "driver/i915/device.h"

/* ---- names ----------------------------------------------------------------------------------- */

#define SKL_UP   (INTEL_BIT(INTEL_SKL) | GEN11_UP)
#define GEN11_UP (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF) | GEN12_UP)
#define GEN12_UP INTEL_BIT(INTEL_TGL)

/* Capabilities in ENGINE_INFO. `first`: only if no other engine of the class precedes it: on Gen11
 * the even ones of the existing video engines have a scaler (public i915 driver). */
static const struct {
    uint8_t id, capability;
    bool first;
    uint32_t revisions;
} capabilities[] = {
    {CS_VCS0, I915_VIDEO_CLASS_CAPABILITY_HEVC, false, SKL_UP},
    {CS_VCS2, I915_VIDEO_CLASS_CAPABILITY_HEVC, false, GEN11_UP},
    {CS_VCS0, I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC, false, SKL_UP},
    {CS_VCS2, I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC, true, GEN11_UP},
    {CS_VCS2, I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC, false, GEN12_UP},
    {CS_VECS0, I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC, false, GEN11_UP},
};

static uint16_t capabilities_of(const struct i915_engine *engine)
{
    uint16_t found = 0;
    for (size_t i = 0; i < ARRAY_COUNT(capabilities); i++)
        if (capabilities[i].id == engine->hardware->id &&
            !(capabilities[i].first && engine->named.engine_instance) &&
            capabilities[i].revisions & INTEL_BIT(engine->device->platform->revision))
            found |= capabilities[i].capability;
    return found;
}

/* Removes the engines that fuses disable. */
static void remove_fused_off(struct i915_device *device)
{
    const struct i915_engine *copy = &device->engines[CS_BCS0]; /* in the domain of the fuses */
    i915_wake_get_engine(copy);
    uint32_t off = fused_off_engines(device->platform, read32(device, FUSE_GT_VDBOX_VEBOX_DIS));
    i915_wake_put_engine(copy);
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (off >> id & 1)
            device->engines[id].hardware = NULL;
}

/* Clients number the engines of a class without gaps. */
void i915_engines_name(struct i915_device *device)
{
    static const char *const names[CS_CLASSES] = {"rcs", "bcs", "vcs", "vecs"};
    const struct cs_engine *missing = intel_sku_missing_engine(device->sku);
    uint16_t instances[CS_CLASSES] = {0};
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        struct i915_engine *engine = &device->engines[id];
        engine->device = device;
        engine->hardware = cs_engine(device->platform->revision, (enum cs_engine_id)id);
        if (engine->hardware == missing)
            engine->hardware = NULL;
    }
    if (device->platform->steering)
        remove_fused_off(device);
    FOR_ENGINES(struct i915_engine, engine, device)
    {
        unsigned class = engine->hardware->engine_class;
        engine->named = (struct i915_engine_class_instance){(uint16_t) class, instances[class]++};
        engine->capabilities = capabilities_of(engine);
        snprintf(engine->name, sizeof engine->name, "%s%hu", names[class],
                 engine->named.engine_instance);
    }
}

bool i915_engine_at(const struct i915_device *device, size_t index, struct i915_engine_name *out)
{
    FOR_ENGINES(const struct i915_engine, engine, device)
    if (index-- == 0) {
        *out = (struct i915_engine_name){engine->name,
                                         engine->named.engine_class,
                                         engine->named.engine_instance,
                                         engine->hardware->name,
                                         engine->hardware->map.base,
                                         engine->capabilities,
                                         device->platform->preempts,
                                         i915_engine_default_preempt_ms(engine)};
        return true;
    }
    return false;
}

struct i915_engine *i915_engine_named(struct i915_device *device, const char *name)
{
    FOR_ENGINES(struct i915_engine, engine, device)
    if (!strcmp(engine->name, name))
        return engine;
    return NULL;
}

/* Returns the engine of a class and instance as clients name them, or NULL. */
static struct i915_engine *i915_engine_find(struct i915_device *device,
                                            const struct i915_engine_class_instance *name)
{
    FOR_ENGINES(struct i915_engine, engine, device)
    if (engine->named.engine_class == name->engine_class &&
        engine->named.engine_instance == name->engine_instance)
        return engine;
    return NULL;
}

/* Returns the first state of such an engine, or NULL. */
static struct i915_state *find(const struct i915_context *context, unsigned class,
                               unsigned instance)
{
    const struct i915_engine_class_instance name = {(uint16_t) class, (uint16_t)instance};
    const struct i915_engine *engine = i915_engine_find(context->device, &name);
    return engine ? &context->states[engine->hardware->id] : NULL;
}

/* ---- engine maps ----------------------------------------------------------------------------- */

/* Whether an index of the map has no engine. */
static bool is_none(const struct i915_engine_class_instance *engine)
{
    return engine->engine_class == UINT16_MAX && engine->engine_instance == UINT16_MAX;
}

struct map {
    const struct i915_context *context;
    const struct i915_caller *caller;
    uint64_t count;
    uint8_t engines[MAX_MAP];
    bool is_invalid;
};

static uint8_t bit_of(const struct i915_engine *engine)
{
    return (uint8_t)(1u << engine->hardware->id);
}

/* Reads engines of a client's list to a mask. Unknown ones give `unknown`. */
static int read_engines(const struct map *map, uint64_t at, uint8_t *out, int unknown)
{
    struct i915_engine_class_instance name;
    int result = copy_in(map->caller, &name, at, sizeof name);
    if (result < 0)
        return result;
    const struct i915_engine *engine = i915_engine_find(map->context->device, &name);
    *out = engine ? bit_of(engine) : 0;
    return engine || (unknown == -ENOENT && is_none(&name)) ? 0 : unknown;
}

/* Whether engines are different ones of one class, so that an index can stand for them. */
static bool are_alike(const struct i915_device *device, const uint8_t *engines, size_t count)
{
    uint8_t all = 0;
    bool alike = true;
    for (size_t i = 0; i < count; i++) {
        unsigned first = (unsigned)__builtin_ctz(engines[0]),
                 id = (unsigned)__builtin_ctz(engines[i]);
        alike = alike && !(all & engines[i]) &&
                device->engines[first].hardware->engine_class ==
                    device->engines[id].hardware->engine_class;
        all |= engines[i];
    }
    return alike;
}

#define MAX_SIBLINGS 64

/* Makes an index stand for any engine of a list. If the list is wrong, the context cannot be used.
 */
static int balance(void *closure, uint64_t at, const struct i915_caller *caller)
{
    struct map *map = closure;
    struct i915_context_engines_load_balance args;
    uint64_t list = at + offsetof(struct i915_context_engines_load_balance, engines);
    uint8_t engines[MAX_SIBLINGS] = {0}, all = 0;
    if (!has_execlists(map->context->device))
        return -ENODEV;
    int result = copy_in(caller, &args, at, sizeof args);
    if (result < 0)
        return result;
    if (args.engine_index >= map->count)
        return -EINVAL;
    if (map->engines[args.engine_index])
        return -EEXIST;
    if (args.flags || args.mbz64 || args.num_siblings > MAX_SIBLINGS)
        return -EINVAL;
    for (unsigned i = 0; i < args.num_siblings; i++) {
        result = read_engines(map, list + i * sizeof(struct i915_engine_class_instance),
                              &engines[i], -EINVAL);
        if (result < 0)
            return result;
        all |= engines[i];
    }
    map->is_invalid =
        map->is_invalid || !are_alike(map->context->device, engines, args.num_siblings);
    map->engines[args.engine_index] = all;
    return 0;
}

static bool is_zero(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    while (count && !*at)
        at++, count--;
    return !count;
}

/* Bonds are checked, and have no effect on single engines. */
static int bond(void *closure, uint64_t at, const struct i915_caller *caller)
{
    struct map *map = closure;
    struct i915_context_engines_bond args;
    uint64_t list = at + offsetof(struct i915_context_engines_bond, engines);
    uint8_t engine;
    int result = copy_in(caller, &args, at, sizeof args);
    if (result < 0)
        return result;
    struct i915_engine_class_instance master = args.master;
    if (args.virtual_index >= map->count || count_bits(map->engines[args.virtual_index]) != 1)
        return -EINVAL;
    if (args.flags || !is_zero(&args.mbz64, sizeof args.mbz64) ||
        !i915_engine_find(map->context->device, &master))
        return -EINVAL;
    for (unsigned i = 0; i < args.num_bonds && result == 0; i++)
        result = read_engines(map, list + i * sizeof(struct i915_engine_class_instance), &engine,
                              -EINVAL);
    return result;
}

/* Parallel submission needs engines other than render that follow each other; it is refused. */
static int submit_in_parallel(void *closure, uint64_t at, const struct i915_caller *caller)
{
    struct map *map = closure;
    struct i915_context_engines_parallel_submit args;
    uint64_t list = at + offsetof(struct i915_context_engines_parallel_submit, engines);
    uint8_t engine, before = 0;
    int result = copy_in(caller, &args, at, sizeof args);
    if (result < 0)
        return result;
    if (args.num_siblings != 1 || args.engine_index >= map->count ||
        map->engines[args.engine_index] || args.flags || !is_zero(&args.mbz64, sizeof args.mbz64) ||
        args.width < 2)
        return -EINVAL;
    for (unsigned i = 0; i < args.width; i++, before = engine) {
        result = read_engines(map, list + i * sizeof(struct i915_engine_class_instance), &engine,
                              -EINVAL);
        if (result < 0)
            return result;
        uint8_t pair[] = {before, engine};
        if (engine == bit_of(render_engine(map->context->device)) ||
            (i && (!are_alike(map->context->device, pair, ARRAY_COUNT(pair)) || engine < before)))
            return -EINVAL;
    }
    return -ENODEV;
}

/* Each index gets the first row whose states the indexes before it do not use. */
static int set_rows(struct i915_context *context, const struct map *map)
{
    uint8_t used[MAX_MAP] = {0}, row_of[MAX_MAP] = {0};
    size_t rows = 1;
    for (uint64_t i = 0; i < map->count; i++) {
        while (used[row_of[i]] & map->engines[i])
            row_of[i]++;
        used[row_of[i]] |= map->engines[i];
        rows = max_size(rows, row_of[i] + 1u);
    }
    int result = i915_context_set_rows(context, rows);
    if (result == 0)
        memcpy(context->row_of, row_of, sizeof context->row_of);
    return result;
}

/* Returns the state of an index: that of the first of its engines; NULL: there is none. */
static struct i915_state *mapped(const struct i915_context *context, uint64_t index)
{
    if (index >= MAX_MAP || !context->map[index])
        return NULL;
    return &context->states[context->row_of[index] * CS_ENGINES +
                            (unsigned)__builtin_ctz(context->map[index])];
}

static void set_siblings(struct i915_context *context)
{
    for (unsigned i = 0; i < MAX_MAP; i++) {
        if (count_bits(context->map[i]) < 2)
            continue;
        mapped(context, i)->siblings = context->map[i];
        context->device->balances = true;
    }
}

int i915_context_set_engines(struct i915_context *context,
                             const struct drm_i915_gem_context_param *args,
                             const struct i915_caller *caller)
{
    static i915_extension *const table[] = {
        [I915_CONTEXT_ENGINES_EXT_LOAD_BALANCE] = balance,
        [I915_CONTEXT_ENGINES_EXT_BOND] = bond,
        [I915_CONTEXT_ENGINES_EXT_PARALLEL_SUBMIT] = submit_in_parallel,
    };
    struct map map = {.context = context, .caller = caller};
    size_t size = sizeof(struct i915_engine_class_instance);
    uint64_t extensions, at = args->value + sizeof extensions;
    if (context->is_used || context->has_map || args->size < sizeof extensions || args->size % size)
        return -EINVAL;
    map.count = (args->size - sizeof extensions) / size;
    if (map.count > MAX_MAP)
        return -EINVAL;
    for (uint64_t i = 0; i < map.count; i++) {
        int result = read_engines(&map, at + i * size, &map.engines[i], -ENOENT);
        if (result < 0)
            return result;
    }
    int result = copy_in(caller, &extensions, args->value, sizeof extensions);
    if (result == 0)
        result = i915_extensions_apply(caller, extensions, table, ARRAY_COUNT(table), &map);
    if (result < 0)
        return result;
    if ((result = set_rows(context, &map)) < 0)
        return result;
    context->has_map = true;
    context->is_invalid = map.is_invalid;
    memcpy(context->map, map.engines, sizeof context->map);
    set_siblings(context);
    return 0;
}

bool i915_context_has_render(const struct i915_context *context)
{
    bool found = !context->has_map;
    for (unsigned i = 0; i < MAX_MAP; i++)
        found = found || context->map[i] == bit_of(render_engine(context->device));
    return found;
}

/* ---- selection ------------------------------------------------------------------------------- */

static int check(struct i915_state *state, struct i915_state **out)
{
    *out = state;
    return state ? 0 : -EINVAL;
}

int i915_context_find_state(const struct i915_context *context, bool by_index,
                            const struct i915_engine_class_instance *name, struct i915_state **out)
{
    if (by_index != context->has_map)
        return -EINVAL;
    return check(by_index ? mapped(context, name->engine_instance)
                          : find(context, name->engine_class, name->engine_instance),
                 out);
}

/* Selects one of two video engines. Without a choice, each file keeps to one. */
static struct i915_state *find_video(const struct i915_context *context, uint64_t flags)
{
    unsigned which = (unsigned)(flags & I915_EXEC_BSD_MASK) >> I915_EXEC_BSD_SHIFT;
    if (!find(context, CS_VIDEO, 1))
        return find(context, CS_VIDEO, 0);
    if (!which)
        return find(context, CS_VIDEO, context->file ? context->file->video : 0);
    return which <= 2 ? find(context, CS_VIDEO, which - 1) : NULL;
}

int i915_context_find_ring(const struct i915_context *context, uint64_t flags,
                           struct i915_state **out)
{
    uint64_t ring = flags & I915_EXEC_RING_MASK;
    if (!context->has_map && ring != I915_EXEC_BSD && flags & I915_EXEC_BSD_MASK)
        return -EINVAL;
    if (context->has_map)
        return check(mapped(context, ring), out);
    switch (ring) {
    case I915_EXEC_DEFAULT:
    case I915_EXEC_RENDER:
        return check(find(context, CS_RENDER, 0), out);
    case I915_EXEC_BSD:
        return check(find_video(context, flags), out);
    case I915_EXEC_BLT:
        return check(find(context, CS_COPY, 0), out);
    case I915_EXEC_VEBOX:
        return check(find(context, CS_VIDEO_ENHANCE, 0), out);
    default:
        return -EINVAL;
    }
}
