/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_EXEC_FENCES_H
#define TALLY_DRIVER_I915_EXEC_FENCES_H

/* What an EXECBUFFER2 call waits for, and the sync objects that its request signals. */

#include "driver/i915/syncobj.h"

struct exec_signal {
    struct i915_syncobj *syncobj;
    uint64_t value; /* a point of a timeline; 0: none */
};

struct exec_fences {
    struct i915_fences waits;   /* until they are signalled */
    struct i915_fences follows; /* until their requests are submitted */
    struct exec_signal *signals;
    size_t count, capacity;
    uint32_t entries; /* of the arrays that are read */
};

/* Reads the arrays of sync objects; finds the fences of the input descriptor. Return 0 or an errno.
 * The caller frees `signals`. */
int exec_fences_read(struct exec_fences *fences, const struct i915_file *file,
                     const struct drm_i915_gem_execbuffer2 *args, const struct i915_caller *caller);
int exec_fences_find(struct i915_device *device, struct exec_fences *fences,
                     const struct drm_i915_gem_execbuffer2 *args, const struct i915_caller *caller);

/* Gives the fence of the request to the sync objects. Returns 0 or -ENOMEM. */
int exec_fences_signal(const struct exec_fences *fences, uint64_t fence);

#endif
