/* SPDX-License-Identifier: MIT */
#include "driver/i915/syncobj.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/minmax.h"

struct i915_syncobj *i915_syncobj_new(struct i915_device *device)
{
    struct i915_syncobj *syncobj = calloc(1, sizeof *syncobj);
    if (syncobj) {
        syncobj->device = device;
        syncobj->references = 1;
    }
    return syncobj;
}

struct i915_syncobj *i915_syncobj_hold(struct i915_syncobj *syncobj)
{
    syncobj->references++;
    return syncobj;
}

void i915_syncobj_drop(struct i915_syncobj *syncobj)
{
    if (!syncobj || --syncobj->references)
        return;
    free(syncobj->points);
    free(syncobj);
}

struct i915_syncobj *i915_file_syncobj(const struct i915_file *file, uint32_t handle)
{
    return handle && handle <= file->syncobj_count ? file->syncobjs[handle - 1] : NULL;
}

void i915_file_close_syncobjs(struct i915_file *file)
{
    for (size_t i = 0; i < file->syncobj_count; i++)
        i915_syncobj_drop(file->syncobjs[i]);
    free(file->syncobjs);
    file->syncobjs = NULL;
    file->syncobj_count = 0;
}

/* ---- fences ---------------------------------------------------------------------------------- */

void i915_syncobj_set(struct i915_syncobj *syncobj, const struct i915_fences *fences)
{
    syncobj->has_fence = fences != NULL;
    syncobj->fences = fences ? *fences : (struct i915_fences){{0}};
    syncobj->latest = syncobj->signalled = 0;
    syncobj->count = 0;
    syncobj->device->syncobj_changes++;
}

/* Forgets the points that are signalled. */
static void prune(struct i915_syncobj *syncobj)
{
    size_t done = 0;
    while (done < syncobj->count &&
           i915_fences_done(syncobj->device, &syncobj->points[done].fences))
        syncobj->signalled = syncobj->points[done++].value;
    syncobj->count -= done;
    if (done)
        memmove(syncobj->points, syncobj->points + done, syncobj->count * sizeof *syncobj->points);
}

int i915_syncobj_add(struct i915_syncobj *syncobj, uint64_t value, const struct i915_fences *fences)
{
    prune(syncobj);
    struct timeline_point *grown =
        array_grow(syncobj->points, &syncobj->capacity, syncobj->count, sizeof *syncobj->points);
    if (!grown)
        return -ENOMEM;
    syncobj->points = grown;
    syncobj->has_fence = true;
    i915_fences_merge(syncobj->device, &syncobj->fences, fences);
    if (value <= syncobj->latest) { /* another timeline begins, at the value that it has reached */
        value = syncobj->latest;
        syncobj->signalled = syncobj->count = 0;
    }
    syncobj->latest = value;
    grown[syncobj->count++] = (struct timeline_point){value, syncobj->fences};
    prune(syncobj);
    syncobj->device->syncobj_changes++;
    return 0;
}

int i915_syncobj_find(const struct i915_syncobj *syncobj, uint64_t value, struct i915_fences *out)
{
    *out = syncobj->fences;
    if (!syncobj->has_fence || value > syncobj->latest)
        return -EINVAL;
    if (!value)
        return 0;
    for (size_t i = 0; i < syncobj->count; i++)
        if (syncobj->points[i].value >= value) {
            *out = syncobj->points[i].fences;
            if (value <= syncobj->signalled)
                *out = (struct i915_fences){{0}};
            return 0;
        }
    *out = (struct i915_fences){{0}};
    return 0;
}
