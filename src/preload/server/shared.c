/* SPDX-License-Identifier: MIT */
/* The ioctls of sync files and dma-bufs, with the kernel's checks in their order. */
#include <errno.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/server/server.h"

/* Returns the fences of the sync file whose descriptor the argument contains; NULL: it is none. */
static const struct i915_fences *passed_fences(const struct session *session)
{
    uint64_t number = session->call->c;
    const struct descriptor *found =
        number && number <= UINT32_MAX
            ? descriptor_find(session->server, OF_FENCE, (uint32_t)number - 1)
            : NULL;
    return found ? &found->fences : NULL;
}

/* ---- sync files ------------------------------------------------------------------------------ */

static int merge(struct session *session, const struct descriptor *descriptor)
{
    struct sync_merge_data args;
    int result = caller_copy_in(session, &args, sizeof args);
    if (result < 0)
        return result;
    if (args.flags || args.pad)
        return -EINVAL;
    const struct i915_fences *second = passed_fences(session);
    if (!second)
        return -ENOENT;
    struct i915_device *device = session->server->emulation->device;
    struct i915_fences both = {{0}}; /* without those that are signalled */
    if (!i915_fences_done(device, &descriptor->fences))
        both = descriptor->fences;
    if (!i915_fences_done(device, second))
        i915_fences_merge(device, &both, second);
    args.name[sizeof args.name - 1] = '\0';
    result = caller_open_fence(session, &both, args.name);
    if (result < 0)
        return result;
    args.fence = result;
    return caller_copy_out(session, &args, sizeof args);
}

int fence_set(const struct server *server, struct descriptor *descriptor,
              const struct i915_fences *fences)
{
    const struct i915_device *device = server->emulation->device;
    struct i915_fences one;
    size_t count = i915_fences_at(device, fences, 0, &one);
    struct i915_fences *parts = calloc(count + 1, sizeof *parts);
    if (!parts)
        return -ENOMEM;
    descriptor->fences = *fences;
    descriptor->parts = parts;
    for (size_t i = 0; i < count; i++) {
        i915_fences_at(device, fences, i, &one);
        if (!i915_fences_done(device, &one))
            parts[descriptor->part_count++] = one;
    }
    if (!descriptor->part_count)
        parts[descriptor->part_count++] = *fences;
    return 0;
}

/* One fence: of a request or of software, or a signalled one without either. */
static struct sync_fence_info describe(const struct server *server,
                                       const struct descriptor *descriptor, size_t index)
{
    struct i915_fences one = descriptor->parts[index], other;
    bool is_stub = i915_fences_at(server->emulation->device, &one, 0, &other) == 0;
    struct sync_fence_info info = {.status = i915_fences_status(server->emulation->device, &one)};
    const char *usual = is_stub ? "stub" : info.status ? "signaled" : "[i915]";
    if (is_stub || info.status ||
        !i915_fences_timeline(server->emulation->device, &one, info.obj_name, sizeof info.obj_name))
        snprintf(info.obj_name, sizeof info.obj_name, "%s", usual);
    snprintf(info.driver_name, sizeof info.driver_name, "%s",
             is_stub                 ? "stub"
             : one.of[I915_SOFTWARE] ? "sw_sync"
                                     : "0000:00:02.0");
    if (info.status)
        info.timestamp_ns =
            descriptor->readable ? descriptor->readable_ns : server_monotonic_ns(server);
    return info;
}

static int show_fences(struct session *session, const struct descriptor *descriptor)
{
    const struct server *server = session->server;
    const struct drm_caller caller = drm_caller_of(session);
    struct sync_file_info args;
    int result = caller_copy_in(session, &args, sizeof args);
    uint32_t count = descriptor->part_count;
    if (result < 0)
        return result;
    if (args.flags || args.pad)
        return -EINVAL;
    if (args.num_fences && args.num_fences < count)
        return -EINVAL;
    args.status = i915_fences_status(server->emulation->device, &descriptor->fences);
    for (uint32_t i = 0; args.num_fences && i < count && result == 0; i++) {
        struct sync_fence_info info = describe(server, descriptor, i);
        result = drm_copy_out(&caller, args.sync_fence_info + i * sizeof info, &info, sizeof info);
    }
    memcpy(args.name, descriptor->name, sizeof args.name);
    args.num_fences = count;
    return result < 0 ? result : caller_copy_out(session, &args, sizeof args);
}

int fence_ioctl(struct session *session, struct descriptor *descriptor, uint32_t request)
{
    switch (request) {
    case (uint32_t)SYNC_IOC_MERGE:
        return merge(session, descriptor);
    case (uint32_t)SYNC_IOC_FILE_INFO:
        return show_fences(session, descriptor);
    default:
        return -ENOTTY;
    }
}

/* ---- dma-bufs -------------------------------------------------------------------------------- */

/* The start of an access by the CPU waits for the GPU, as the writer or only for writers. */
static int synchronize(struct session *session, const struct descriptor *descriptor,
                       struct i915_wait *wait)
{
    struct dma_buf_sync args;
    int result = caller_copy_in(session, &args, sizeof args);
    if (result < 0)
        return result;
    if (args.flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK || !(args.flags & DMA_BUF_SYNC_RW))
        return -EINVAL;
    if (args.flags & DMA_BUF_SYNC_END)
        return 0;
    *wait = (struct i915_wait){
        .fences = i915_object_fences(descriptor->object, !(args.flags & DMA_BUF_SYNC_WRITE)),
        .until_ns = UINT64_MAX};
    return i915_fences_done(session->server->emulation->device, &wait->fences) ? 0 : -EINPROGRESS;
}

static int export_fences(struct session *session, const struct descriptor *descriptor)
{
    struct dma_buf_export_sync_file args;
    int result = caller_copy_in(session, &args, sizeof args);
    if (result < 0)
        return result;
    if (args.flags & ~(uint32_t)DMA_BUF_SYNC_RW || !(args.flags & DMA_BUF_SYNC_RW))
        return -EINVAL;
    struct i915_fences fences =
        i915_object_fences(descriptor->object, !(args.flags & DMA_BUF_SYNC_WRITE));
    result = caller_open_fence(session, &fences, "dma-buf");
    if (result < 0)
        return result;
    args.fd = result;
    return caller_copy_out(session, &args, sizeof args);
}

static int import_fences(struct session *session, const struct descriptor *descriptor)
{
    struct dma_buf_import_sync_file args;
    int result = caller_copy_in(session, &args, sizeof args);
    if (result < 0)
        return result;
    if (args.flags & ~(uint32_t)DMA_BUF_SYNC_RW || !(args.flags & DMA_BUF_SYNC_RW))
        return -EINVAL;
    const struct i915_fences *fences = passed_fences(session);
    if (!fences)
        return -EINVAL;
    i915_object_add_fences(descriptor->object, fences, args.flags & DMA_BUF_SYNC_WRITE);
    return 0;
}

int buffer_ioctl(struct session *session, struct descriptor *descriptor, uint32_t request,
                 struct i915_wait *wait)
{
    switch (request) {
    case (uint32_t)DMA_BUF_IOCTL_SYNC:
        return synchronize(session, descriptor, wait);
    case (uint32_t)DMA_BUF_IOCTL_EXPORT_SYNC_FILE:
        return export_fences(session, descriptor);
    case (uint32_t)DMA_BUF_IOCTL_IMPORT_SYNC_FILE:
        return import_fences(session, descriptor);
    case (uint32_t)DMA_BUF_SET_NAME_A:
    case (uint32_t)DMA_BUF_SET_NAME_B:
        return 0;
    default:
        return -ENOTTY;
    }
}

int buffer_mapping(struct descriptor *descriptor, uint64_t offset, uint64_t bytes)
{
    uint64_t size = i915_object_size(descriptor->object), cookie;
    if (offset > size || bytes > size - offset)
        return -EINVAL;
    int result = i915_object_map(descriptor->object);
    if (result < 0)
        return result;
    i915_object_bytes(descriptor->object, &size, &cookie);
    return (int)cookie;
}
