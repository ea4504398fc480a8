/* SPDX-License-Identifier: MIT */
/* Objects as dma-bufs: export, and import of the device's own ones. */
#include <fcntl.h>

#include "base/minmax.h"
#include "driver/i915/device.h"

int i915_prime_to_fd(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_prime_handle *args = argument;
    if (args->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    struct i915_object *object = i915_file_object(file, args->handle);
    if (!object)
        return -ENOENT;
    if (object->process)
        return -EINVAL;
    if (!caller->open_object)
        return -ENODEV;
    int fd = caller->open_object(caller->drm.closure, object, args->flags);
    if (fd < 0)
        return fd;
    args->fd = fd;
    return 0;
}

/* A file has one handle of an object that it imports. */
int i915_prime_from_fd(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_prime_handle *args = argument;
    struct i915_object *object;
    int result =
        caller->find_object ? caller->find_object(caller->drm.closure, args->fd, &object) : -EINVAL;
    if (result < 0)
        return result;
    for (size_t i = 0; i < file->handle_count; i++)
        if (file->handles[i].object == object) {
            args->handle = file->handles[i].id;
            return 0;
        }
    result = i915_file_add_handle(file, i915_object_hold(object), &args->handle);
    if (result < 0)
        i915_object_drop(object);
    return result;
}

/* ---- fences of objects ----------------------------------------------------------------------- */

uint64_t i915_object_size(const struct i915_object *object)
{
    return object->size;
}

struct i915_fences i915_object_fences(const struct i915_object *object, bool only_writes)
{
    struct i915_fences fences = {{0}};
    for (unsigned id = 0; id < I915_SOURCES; id++) {
        i915_fences_add(object->device, &fences, object->written_by[id]);
        i915_fences_add(object->device, &fences, only_writes ? 0 : object->read_by[id]);
    }
    return fences;
}

void i915_object_add_fences(struct i915_object *object, const struct i915_fences *fences,
                            bool writes)
{
    for (unsigned id = 0; id < I915_SOURCES; id++) {
        i915_fence_add(object->device, &object->read_by[id], fences->of[id]);
        if (writes)
            i915_fence_add(object->device, &object->written_by[id], fences->of[id]);
    }
}
