/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_SYNCOBJ_H
#define TALLY_DRIVER_I915_SYNCOBJ_H

/*
 * Sync objects, as in the public DRM core: each holds fences, or none. A timeline has points: a
 * point is signalled when its fences and those of all points before it are.
 */

#include "driver/i915/device.h"

struct timeline_point {
    uint64_t value;
    struct i915_fences fences; /* also those of the points before it */
};

struct i915_syncobj {
    struct i915_device *device;
    unsigned references;
    bool has_fence;
    struct i915_fences fences; /* the latest */

    /* A timeline: the latest point (0: it is none), the latest signalled one, and those after it.
     */
    uint64_t latest, signalled;
    struct timeline_point *points; /* by value */
    size_t count, capacity;
};

/* Creates a sync object without a fence and with one reference. Returns NULL without memory. */
struct i915_syncobj *i915_syncobj_new(struct i915_device *device);

/* Finds a file's sync object by its handle; NULL: unknown. */
struct i915_syncobj *i915_file_syncobj(const struct i915_file *file, uint32_t handle);

/* Replaces the fences; NULL: there are none then. Points are forgotten. */
void i915_syncobj_set(struct i915_syncobj *syncobj, const struct i915_fences *fences);

/* Adds a point. One that is not above the latest becomes the latest again. Returns 0 or -ENOMEM. */
int i915_syncobj_add(struct i915_syncobj *syncobj, uint64_t value,
                     const struct i915_fences *fences);

/* Finds the fences of a point; 0: the latest ones. Returns 0, or -EINVAL if there are none yet. */
int i915_syncobj_find(const struct i915_syncobj *syncobj, uint64_t value, struct i915_fences *out);

/* Closes all handles of a file. */
void i915_file_close_syncobjs(struct i915_file *file);

#endif
