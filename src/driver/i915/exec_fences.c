/* SPDX-License-Identifier: MIT */
/* The fences of EXECBUFFER2: those of a descriptor, an array of sync objects, or one with points of
 * timelines, with the checks of the public i915 driver in their order. */
#include "driver/i915/exec_fences.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/buffer.h"

#define UNKNOWN_FLAGS ((uint32_t)__I915_EXEC_FENCE_UNKNOWN_FLAGS)

/* Entries of all arrays of a call: the kernel allocates 32 bytes for each, and 4 MiB at most. */
#define ENTRIES_MAX ((4u << 20) / 32)

/* ---- lists ----------------------------------------------------------------------------------- */

static int add(struct exec_fences *fences, struct i915_syncobj *syncobj, uint64_t value)
{
    struct exec_signal *grown =
        array_grow(fences->signals, &fences->capacity, fences->count, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    fences->signals = grown;
    grown[fences->count++] = (struct exec_signal){syncobj, value};
    return 0;
}

/* Checks the number of entries of one more array. */
static int count_entries(struct exec_fences *fences, uint64_t count)
{
    if (count > ENTRIES_MAX - fences->entries)
        return -ENOMEM;
    fences->entries += (uint32_t)count;
    return 0;
}

static int read_fence(const struct i915_file *file, const struct i915_caller *caller, uint64_t at,
                      struct drm_i915_gem_exec_fence *out, struct i915_syncobj **syncobj)
{
    int result = copy_in(caller, out, at, sizeof *out);
    if (result < 0)
        return result;
    if (out->flags & UNKNOWN_FLAGS)
        return -EINVAL;
    *syncobj = i915_file_syncobj(file, out->handle);
    return *syncobj ? 0 : -ENOENT;
}

static int read_array(struct exec_fences *fences, const struct i915_file *file,
                      const struct i915_caller *caller, uint64_t at, uint32_t count)
{
    int result = count_entries(fences, count);
    for (uint32_t i = 0; i < count && result == 0; i++) {
        struct drm_i915_gem_exec_fence fence;
        struct i915_syncobj *syncobj;
        result = read_fence(file, caller, at + i * sizeof fence, &fence, &syncobj);
        if (result == 0 && fence.flags & I915_EXEC_FENCE_WAIT && !syncobj->has_fence)
            result = -EINVAL;
        if (result == 0 && fence.flags & I915_EXEC_FENCE_WAIT)
            i915_fences_merge(file->device, &fences->waits, &syncobj->fences);
        if (result == 0 && fence.flags & I915_EXEC_FENCE_SIGNAL)
            result = add(fences, syncobj, 0);
    }
    return result;
}

static int read_point(struct exec_fences *fences, const struct i915_file *file,
                      const struct i915_caller *caller, uint64_t fence_at, uint64_t value_at)
{
    struct drm_i915_gem_exec_fence fence;
    struct i915_syncobj *syncobj;
    struct i915_fences found;
    uint64_t value;
    int result = copy_in(caller, &fence, fence_at, sizeof fence);
    if (result == 0 && fence.flags & UNKNOWN_FLAGS)
        return -EINVAL;
    if (result == 0)
        result = copy_in(caller, &value, value_at, sizeof value);
    if (result == 0)
        result = read_fence(file, caller, fence_at, &fence, &syncobj);
    if (result < 0)
        return result;
    bool signals = fence.flags & I915_EXEC_FENCE_SIGNAL, waits = fence.flags & I915_EXEC_FENCE_WAIT;
    result = i915_syncobj_find(syncobj, value, &found);
    if (result < 0 && !signals && (syncobj->has_fence || waits))
        return result;
    if (value && signals && waits) /* the point would wait for itself */
        return -EINVAL;
    if (result == 0 && waits)
        i915_fences_merge(file->device, &fences->waits, &found);
    return signals ? add(fences, syncobj, value) : 0;
}

struct chain {
    struct exec_fences *fences;
    const struct i915_file *file;
};

static int read_points(void *closure, uint64_t at, const struct i915_caller *caller)
{
    struct drm_i915_gem_execbuffer_ext_timeline_fences args;
    const struct chain *chain = closure;
    int result = copy_in(caller, &args, at, sizeof args);
    if (result == 0)
        result = count_entries(chain->fences, args.fence_count);
    for (uint64_t i = 0; result == 0 && i < args.fence_count; i++)
        result = read_point(chain->fences, chain->file, caller,
                            args.handles_ptr + i * sizeof(struct drm_i915_gem_exec_fence),
                            args.values_ptr + i * sizeof(uint64_t));
    return result;
}

int exec_fences_read(struct exec_fences *fences, const struct i915_file *file,
                     const struct drm_i915_gem_execbuffer2 *args, const struct i915_caller *caller)
{
    static i915_extension *const table[] = {[DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES] =
                                                read_points};
    struct chain chain = {fences, file};
    bool is_array = args->flags & I915_EXEC_FENCE_ARRAY;
    if (args->flags & I915_EXEC_USE_EXTENSIONS)
        return is_array || args->num_cliprects
                   ? -EINVAL
                   : i915_extensions_apply(caller, args->cliprects_ptr, table, ARRAY_COUNT(table),
                                           &chain);
    return is_array ? read_array(fences, file, caller, args->cliprects_ptr, args->num_cliprects)
                    : 0;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

int exec_fences_find(struct i915_device *device, struct exec_fences *fences,
                     const struct drm_i915_gem_execbuffer2 *args, const struct i915_caller *caller)
{
    struct i915_fences found = {{0}};
    bool in = args->flags & I915_EXEC_FENCE_IN, submit = args->flags & I915_EXEC_FENCE_SUBMIT;
    int descriptor = (int)(uint32_t)args->rsvd2;
    if (!in && !submit)
        return args->flags & I915_EXEC_FENCE_OUT && !caller->open_fence ? -EINVAL : 0;
    if ((in && submit) || descriptor < 0)
        return -EINVAL;
    int result =
        caller->find_fence ? caller->find_fence(caller->drm.closure, descriptor, &found) : 0;
    if (result == 0)
        i915_fences_merge(device, in ? &fences->waits : &fences->follows, &found);
    return result == 0 && args->flags & I915_EXEC_FENCE_OUT && !caller->open_fence ? -EINVAL
                                                                                   : result;
}

/* ---- the end --------------------------------------------------------------------------------- */

int exec_fences_signal(const struct exec_fences *fences, uint64_t fence)
{
    struct i915_fences one = {{0}};
    int result = 0;
    one.of[fence_source(fence)] = fence;
    for (size_t i = 0; i < fences->count; i++) {
        const struct exec_signal *signal = &fences->signals[i];
        if (!signal->value)
            i915_syncobj_set(signal->syncobj, &one);
        else if (i915_syncobj_add(signal->syncobj, signal->value, &one) < 0)
            result = -ENOMEM;
    }
    return result;
}
