/* SPDX-License-Identifier: MIT */
/*
 * Objects in the memory of a client's process (GEM_USERPTR). The driver copies nothing: each access
 * of the GPU reads or writes that memory at this moment, by the embedder's callbacks, so that both
 * sides see the same bytes. Memory that is gone counts as not mapped; EXECBUFFER2 checks that all
 * pages are there.
 */
#include "driver/i915/device.h"

#define KNOWN_FLAGS                                                                                \
    ((uint32_t)(I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE) |                                     \
     (uint32_t)I915_USERPTR_UNSYNCHRONIZED)

/* Whether pages can be read-only for the GPU: those of full page tables, not on Gen11 and Gen12. */
static bool has_read_only(const struct i915_device *device)
{
    return has_execlists(device) && device->platform->submission == SUBMISSION_PORT;
}

static int check(const struct i915_device *device, const struct drm_i915_gem_userptr *args)
{
    if (args->flags & ~KNOWN_FLAGS)
        return -EINVAL;
    if (args->user_size / PAGE_BYTES > INT32_MAX)
        return -E2BIG;
    if (!args->user_size || (args->user_ptr | args->user_size) % PAGE_BYTES)
        return -EINVAL;
    if (!i915_is_user_range(args->user_ptr, args->user_size))
        return -EFAULT;
    if (args->flags & I915_USERPTR_UNSYNCHRONIZED)
        return -ENODEV;
    return args->flags & I915_USERPTR_READ_ONLY && !has_read_only(device) ? -ENODEV : 0;
}

struct i915_wait i915_wait_for_memory(struct i915_device *device, int64_t process, uint64_t address,
                                      uint64_t bytes)
{
    struct i915_wait wait = {.until_ns = UINT64_MAX};
    for (const struct i915_object *o = device->objects; o; o = o->next) {
        if (!o->process || o->process->id != process || o->address >= address + bytes ||
            address >= o->address + o->size)
            continue;
        struct i915_fences fences = i915_object_fences(o, false);
        i915_fences_merge(device, &wait.fences, &fences);
    }
    return wait;
}

int i915_gem_userptr(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_userptr *args = argument;
    struct i915_object *object;
    int result = check(file->device, args);
    if (result < 0)
        return result;
    if (!caller->open_process)
        return -ENODEV;
    struct i915_process *process = caller->open_process(caller->drm.closure);
    if (!process)
        return -ENODEV;
    if (args->flags & I915_USERPTR_PROBE &&
        !process->reaches(process, args->user_ptr, args->user_size, I915_REACH_MAPPED)) {
        process->release(process);
        return -EFAULT;
    }
    result = i915_object_reserve(file->device, args->user_size, &object);
    if (result < 0) {
        process->release(process);
        return result;
    }
    object->process = process;
    object->address = args->user_ptr;
    object->is_read_only = args->flags & I915_USERPTR_READ_ONLY;
    object->evictable = true;
    object->caching = I915_CACHING_CACHED;
    result = i915_file_add_handle(file, object, &args->handle);
    if (result < 0)
        i915_object_drop(object);
    return result;
}
