/* SPDX-License-Identifier: MIT */
/* What the DRM core needs to know of i915, and the names of objects. No display is emulated. */
#include "base/bits.h"
#include "base/buffer.h"
#include "driver/i915/device.h"

static const struct drm_cap caps[] = {
    {DRM_CAP_TIMESTAMP_MONOTONIC, 1},
    {DRM_CAP_PRIME, DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT},
    {DRM_CAP_SYNCOBJ, 1},
    {DRM_CAP_SYNCOBJ_TIMELINE, 1},
};

const struct drm_driver i915_driver = {
    .name = "i915",
    .date = "0",
    .description = "Intel Graphics",
    .major = 1,
    .minor = 6,
    .caps = caps,
    .cap_count = ARRAY_COUNT(caps),
    .unknown_cap = -EOPNOTSUPP,
    .find = i915_find_call,
    .call = i915_perform_call,
};

bool i915_device_has_name(const struct i915_device *device)
{
    return device->drm.has_bus_id;
}

/* ---- names of objects ------------------------------------------------------------------------ */

static struct i915_object *find_name(const struct i915_device *device, uint32_t name)
{
    for (size_t i = 0; i < device->named_count; i++)
        if (device->named[i]->name == name)
            return device->named[i];
    return NULL;
}

/* Gives an object the lowest free number. It keeps it until its last handle is closed. */
int i915_gem_flink(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_gem_flink *args = argument;
    struct i915_device *device = file->device;
    struct i915_object *object = i915_file_object(file, args->handle);
    (void)caller;
    if (!object)
        return -ENOENT;
    if (!object->name) {
        struct i915_object **grown = array_grow(device->named, &device->named_capacity,
                                                device->named_count, sizeof(struct i915_object *));
        if (!grown)
            return -ENOMEM;
        device->named = grown;
        uint32_t name = 1;
        while (find_name(device, name))
            name++;
        object->name = name;
        grown[device->named_count++] = object;
    }
    args->name = object->name;
    return 0;
}

int i915_gem_open(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_gem_open *args = argument;
    struct i915_object *object = find_name(file->device, args->name);
    (void)caller;
    if (!object)
        return -ENOENT;
    int result = i915_file_add_handle(file, i915_object_hold(object), &args->handle);
    if (result < 0) {
        i915_object_drop(object);
        return result;
    }
    args->size = object->size;
    return 0;
}

void i915_object_forget_name(struct i915_object *object)
{
    struct i915_device *device = object->device;
    for (size_t i = 0; object->name && i < device->named_count; i++)
        if (device->named[i] == object) {
            device->named[i] = device->named[--device->named_count];
            object->name = 0;
        }
}
