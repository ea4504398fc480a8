/* SPDX-License-Identifier: MIT */
/* The calls for sync objects, with the checks of the public DRM core in their order. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/minmax.h"
#include "driver/i915/syncobj.h"

#define WAIT_ALL       ((uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL)
#define WAIT_SUBMIT    ((uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
#define WAIT_AVAILABLE ((uint32_t)DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE)

/* How long calls that are no waits wait for a fence to be submitted. */
#define SUBMIT_NS UINT64_C(5000000000)

/* Entries of a list: the kernel allocates 8 bytes for each, and 4 MiB at most. */
#define ENTRIES_MAX ((4u << 20) / 8)

static const struct i915_fences none;

/* ---- handles --------------------------------------------------------------------------------- */

/* Adds a handle, the lowest free one, and takes over the reference. Returns 0 or -ENOMEM. */
static int add_handle(struct i915_file *file, struct i915_syncobj *syncobj, uint32_t *out)
{
    size_t at = file->syncobj_free;
    while (at < file->syncobj_count && file->syncobjs[at])
        at++;
    struct i915_syncobj **grown = array_grow(file->syncobjs, &file->syncobj_capacity,
                                             file->syncobj_count, sizeof(struct i915_syncobj *));
    if (!grown)
        return -ENOMEM;
    file->syncobjs = grown;
    file->syncobj_count += at == file->syncobj_count;
    file->syncobj_free = at + 1;
    grown[at] = syncobj;
    *out = (uint32_t)at + 1;
    return 0;
}

int i915_syncobj_create(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_syncobj_create *args = argument;
    (void)caller;
    if (args->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    struct i915_syncobj *syncobj = i915_syncobj_new(file->device);
    if (!syncobj)
        return -ENOMEM;
    if (args->flags)
        i915_syncobj_set(syncobj, &none);
    int result = add_handle(file, syncobj, &args->handle);
    if (result < 0)
        i915_syncobj_drop(syncobj);
    return result;
}

int i915_syncobj_destroy(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_syncobj_destroy *args = argument;
    struct i915_syncobj *syncobj = i915_file_syncobj(file, args->handle);
    (void)caller;
    if (args->pad || !syncobj)
        return -EINVAL;
    file->syncobjs[args->handle - 1] = NULL;
    file->syncobj_free = min_size(file->syncobj_free, args->handle - 1);
    i915_syncobj_drop(syncobj);
    return 0;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static int export_fences(const struct i915_syncobj *syncobj, const struct i915_caller *caller)
{
    struct i915_fences fences;
    if (!syncobj)
        return -ENOENT;
    int result = i915_syncobj_find(syncobj, 0, &fences);
    if (result < 0 || !caller->open_fence)
        return -EINVAL;
    return caller->open_fence(caller->drm.closure, &fences);
}

int i915_syncobj_to_fd(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_syncobj_handle *args = argument;
    struct i915_syncobj *syncobj = i915_file_syncobj(file, args->handle);
    int fd;
    if (args->pad || args->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE)
        return -EINVAL;
    if (args->flags)
        fd = export_fences(syncobj, caller);
    else
        fd = syncobj && caller->open_syncobj ? caller->open_syncobj(caller->drm.closure, syncobj)
                                             : -EINVAL;
    if (fd < 0)
        return fd;
    args->fd = fd;
    return 0;
}

static int import_fences(struct i915_syncobj *syncobj, int descriptor,
                         const struct i915_caller *caller)
{
    struct i915_fences fences;
    if (!caller->find_fence || caller->find_fence(caller->drm.closure, descriptor, &fences) < 0)
        return -EINVAL;
    if (!syncobj)
        return -ENOENT;
    i915_syncobj_set(syncobj, &fences);
    return 0;
}

int i915_syncobj_from_fd(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_syncobj_handle *args = argument;
    struct i915_syncobj *syncobj;
    if (args->pad || args->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)
        return -EINVAL;
    if (args->flags)
        return import_fences(i915_file_syncobj(file, args->handle), args->fd, caller);
    if (!caller->find_syncobj || caller->find_syncobj(caller->drm.closure, args->fd, &syncobj) < 0)
        return -EINVAL;
    int result = add_handle(file, i915_syncobj_hold(syncobj), &args->handle);
    if (result < 0)
        i915_syncobj_drop(syncobj);
    return result;
}

/* ---- lists ----------------------------------------------------------------------------------- */

struct entry {
    struct i915_syncobj *syncobj;
    uint64_t value;
};

static int read_entry(const struct i915_file *file, const struct i915_caller *caller,
                      uint64_t handles, uint32_t index, struct entry *out)
{
    uint32_t handle;
    int result = copy_in(caller, &handle, handles + UINT64_C(4) * index, sizeof handle);
    out->syncobj = result < 0 ? NULL : i915_file_syncobj(file, handle);
    out->value = 0;
    return result < 0 || out->syncobj ? result : -ENOENT;
}

/* Reads a list of handles, and of points if there are some. */
static int read_list(const struct i915_file *file, const struct i915_caller *caller,
                     uint64_t handles, uint64_t points, uint32_t count, struct entry **out)
{
    int result = 0;
    *out = NULL;
    if (!count)
        return -EINVAL;
    struct entry *list = count > ENTRIES_MAX ? NULL : malloc(count * sizeof *list);
    if (!list)
        return -ENOMEM;
    for (uint32_t i = 0; i < count && result == 0; i++)
        result = read_entry(file, caller, handles, i, &list[i]);
    for (uint32_t i = 0; points && i < count && result == 0; i++)
        result = copy_in(caller, &list[i].value, points + UINT64_C(8) * i, sizeof list[i].value);
    if (result < 0)
        free(list);
    else
        *out = list;
    return result;
}

static int set_all(struct i915_file *file, const struct drm_syncobj_array *args,
                   const struct i915_caller *caller, const struct i915_fences *fences)
{
    struct entry *list;
    if (args->pad)
        return -EINVAL;
    int result = read_list(file, caller, args->handles, 0, args->count_handles, &list);
    for (uint32_t i = 0; list && i < args->count_handles; i++)
        i915_syncobj_set(list[i].syncobj, fences);
    free(list);
    return result;
}

int i915_syncobj_reset(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    return set_all(file, argument, caller, NULL);
}

int i915_syncobj_signal(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    return set_all(file, argument, caller, &none);
}

int i915_syncobj_timeline_signal(struct i915_file *file, void *argument,
                                 const struct i915_caller *caller)
{
    const struct drm_syncobj_timeline_array *args = argument;
    struct entry *list;
    if (args->flags)
        return -EINVAL;
    int result = read_list(file, caller, args->handles, args->points, args->count_handles, &list);
    for (uint32_t i = 0; list && i < args->count_handles && result == 0; i++)
        result = i915_syncobj_add(list[i].syncobj, list[i].value, &none);
    free(list);
    return result;
}

/* Returns the latest point that is signalled, or that was submitted. */
static uint64_t reached(const struct i915_syncobj *syncobj, bool submitted)
{
    uint64_t value = syncobj->signalled;
    if (submitted)
        return syncobj->latest;
    for (size_t i = 0;
         i < syncobj->count && i915_fences_done(syncobj->device, &syncobj->points[i].fences); i++)
        value = syncobj->points[i].value;
    return value;
}

int i915_syncobj_query(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_syncobj_timeline_array *args = argument;
    struct entry *list;
    if (args->flags & ~(uint32_t)DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED)
        return -EINVAL;
    int result = read_list(file, caller, args->handles, 0, args->count_handles, &list);
    for (uint32_t i = 0; list && i < args->count_handles && result == 0; i++) {
        uint64_t value = reached(list[i].syncobj, args->flags);
        result = copy_out(caller, args->points + UINT64_C(8) * i, &value, sizeof value);
    }
    free(list);
    return result;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Returns the time of the device at which a call's timeout, by the caller's clock, ends. */
static uint64_t deadline(const struct i915_device *device, const struct i915_caller *caller,
                         int64_t timeout_ns)
{
    uint64_t now = now_ns(device);
    uint64_t clock = caller->monotonic_ns ? caller->monotonic_ns(caller->drm.closure) : now;
    if (timeout_ns <= 0 || (uint64_t)timeout_ns <= clock)
        return now;
    uint64_t left = (uint64_t)timeout_ns - clock;
    return left > UINT64_MAX - now ? UINT64_MAX : now + left;
}

/* Returns 1 if the wait is over, and the first entry that is signalled; 0: not yet; or an errno. */
static int check(struct i915_device *device, const struct entry *list, uint32_t count,
                 uint32_t flags, struct i915_wait *wait, uint32_t *first)
{
    uint32_t signalled = 0;
    wait->fences = none;
    wait->any = !(flags & WAIT_ALL);
    wait->changes = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct i915_fences fences;
        int result = i915_syncobj_find(list[i].syncobj, list[i].value, &fences);
        if (result < 0 && !(flags & (WAIT_SUBMIT | WAIT_AVAILABLE)))
            return result;
        if (result < 0) {
            wait->changes = device->syncobj_changes;
            continue;
        }
        if (flags & WAIT_AVAILABLE || i915_fences_done(device, &fences)) {
            *first = signalled ? *first : i;
            signalled++;
        } else {
            i915_wait_more(device, wait, &fences);
        }
    }
    return signalled == count || (signalled && wait->any);
}

/* Waits for a list. */
static int wait_for(struct i915_device *device, const struct entry *list, uint32_t count,
                    uint32_t flags, uint64_t until_ns, uint32_t *first)
{
    struct i915_wait wait = {.until_ns = until_ns};
    int result;
    while ((result = check(device, list, count, flags, &wait, first)) == 0) {
        result = i915_wait_step(device, &wait);
        if (result < 0)
            break;
    }
    return result < 0 ? result : 0;
}

static int wait_call(struct i915_file *file, const struct i915_caller *caller,
                     const struct drm_syncobj_timeline_wait *args, uint32_t allowed,
                     uint32_t *first)
{
    struct entry *list;
    if (args->flags & ~allowed)
        return -EINVAL;
    int result = read_list(file, caller, args->handles, args->points, args->count_handles, &list);
    if (result == 0)
        result = wait_for(file->device, list, args->count_handles, args->flags,
                          deadline(file->device, caller, args->timeout_nsec), first);
    free(list);
    return result;
}

int i915_syncobj_wait(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_syncobj_wait *args = argument;
    struct drm_syncobj_timeline_wait same = {.handles = args->handles,
                                             .timeout_nsec = args->timeout_nsec,
                                             .count_handles = args->count_handles,
                                             .flags = args->flags};
    return wait_call(file, caller, &same, WAIT_ALL | WAIT_SUBMIT, &args->first_signaled);
}

int i915_syncobj_timeline_wait(struct i915_file *file, void *argument,
                               const struct i915_caller *caller)
{
    struct drm_syncobj_timeline_wait *args = argument;
    return wait_call(file, caller, args, WAIT_ALL | WAIT_SUBMIT | WAIT_AVAILABLE,
                     &args->first_signaled);
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* Finds the fences of a point, and waits for them to be submitted if the flags say so. */
static int await_fences(struct i915_device *device, struct i915_syncobj *syncobj, uint64_t value,
                        uint32_t flags, struct i915_fences *out)
{
    const struct entry entry = {syncobj, value};
    struct i915_attempt first = {0}, *attempt = device->attempt ? device->attempt : &first;
    uint32_t ignored;
    if (!syncobj)
        return -ENOENT;
    if (flags & WAIT_SUBMIT) {
        if (!attempt->begun_ns)
            attempt->begun_ns = now_ns(device) + 1;
        int result = wait_for(device, &entry, 1, WAIT_AVAILABLE, attempt->begun_ns - 1 + SUBMIT_NS,
                              &ignored);
        if (result < 0)
            return result;
    }
    return i915_syncobj_find(syncobj, value, out);
}

int i915_syncobj_transfer(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_syncobj_transfer *args = argument;
    struct i915_syncobj *to = i915_file_syncobj(file, args->dst_handle);
    struct i915_fences fences;
    (void)caller;
    if (args->pad)
        return -EINVAL;
    if (!to)
        return -ENOENT;
    int result = await_fences(file->device, i915_file_syncobj(file, args->src_handle),
                              args->src_point, args->flags, &fences);
    if (result < 0)
        return result;
    if (args->dst_point)
        return i915_syncobj_add(to, args->dst_point, &fences);
    i915_syncobj_set(to, &fences);
    return 0;
}
