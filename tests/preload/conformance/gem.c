/* SPDX-License-Identifier: MIT */
/* Objects, contexts and batches. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"

#define MI_BATCH_BUFFER_END 0x05000000u
#define MI_REPORT           0x14000000u
#define MI_STORE_DATA_IMM   0x10000002u
#define MI_SEMAPHORE_WAIT   0x0e00c002u /* in the PPGTT, polling, until memory equals data */
#define PIPE_CONTROL        0x7a000000u
#define WRITE_TIMESTAMP     0x0010d000u /* stall, flush the render target, write the time */

/* ---- objects --------------------------------------------------------------------------------- */

/* Returns a new address range below the top of 48 bits. */
static uint64_t next_address(uint64_t size)
{
    static uint64_t top = UINT64_C(0xffff00000000);
    top -= (size + 0xffff) & ~UINT64_C(0xffff);
    return (uint64_t)((int64_t)(top << 16) >> 16);
}

/* Maps write-combined or cached, whichever is supported; else by the old call. */
static void *map_object(const struct device *device, uint32_t handle, uint64_t size)
{
    static const uint64_t modes[] = {2, 1, 4};
    for (size_t i = 0; i < COUNT(modes); i++) {
        struct drm_i915_gem_mmap_offset args = {.handle = handle, .flags = modes[i]};
        if (call(device->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &args) < 0)
            continue;
        void *map =
            mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, device->fd, (off_t)args.offset);
        CHECK(map != MAP_FAILED, "%s", strerror(errno));
        return map;
    }
    struct drm_i915_gem_mmap args = {.handle = handle, .size = size};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_MMAP, &args));
    return (void *)(uintptr_t)args.addr_ptr;
}

struct object new_object(const struct device *device, uint64_t size, bool mapped)
{
    struct drm_i915_gem_create_ext args = {.size = size};
    WORKS(call(device->fd, mapped ? DRM_IOCTL_I915_GEM_CREATE_EXT : DRM_IOCTL_I915_GEM_CREATE,
               &args));
    CHECK(args.handle && args.size >= size, "handle %u of %llu bytes", args.handle,
          (unsigned long long)args.size);
    struct object object = {.handle = args.handle, .size = args.size};
    if (device->platform != HSW)
        object.address = next_address(args.size);
    if (mapped)
        object.map = map_object(device, args.handle, args.size);
    return object;
}

void free_object(const struct device *device, struct object *object)
{
    struct drm_gem_close args = {.handle = object->handle};
    if (object->map)
        munmap(object->map, object->size);
    WORKS(call(device->fd, DRM_IOCTL_GEM_CLOSE, &args));
    *object = (struct object){0};
}

void set_domain(const struct device *device, const struct object *object)
{
    struct drm_i915_gem_set_domain args = {object->handle, 1, 1};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &args));
}

/* ---- contexts -------------------------------------------------------------------------------- */

uint32_t new_context(const struct device *device)
{
    struct drm_i915_gem_context_create args = {0};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &args));
    CHECK(args.ctx_id, "context 0");
    return args.ctx_id;
}

void free_context(const struct device *device, uint32_t context)
{
    struct drm_i915_gem_context_destroy args = {.ctx_id = context};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &args));
}

/* ---- batches --------------------------------------------------------------------------------- */

void batch_begin(struct batch *batch, const struct device *device)
{
    memset(batch, 0, sizeof *batch);
    batch->device = device;
    batch->object = new_object(device, sizeof batch->dwords, false);
}

void batch_emit(struct batch *batch, uint32_t value)
{
    CHECK(batch->count < BATCH_DWORDS, "the batch is full");
    batch->dwords[batch->count++] = value;
}

static void use_object(struct batch *batch, const struct object *object)
{
    if (object == &batch->object)
        return;
    for (unsigned i = 0; i < batch->other_count; i++)
        if (batch->others[i] == object)
            return;
    CHECK(batch->other_count < COUNT(batch->others), "too many objects");
    batch->others[batch->other_count++] = object;
}

/* Adds an address: a fixed one, or on Haswell a relocation. */
void batch_address_at(struct batch *batch, unsigned index, const struct object *object,
                      uint32_t delta, bool write)
{
    use_object(batch, object);
    if (batch->device->platform != HSW) {
        uint64_t address = (object->address & 0xffffffffffff) + delta;
        batch->dwords[index] = (uint32_t)address;
        batch->dwords[index + 1] = (uint32_t)(address >> 32);
        return;
    }
    CHECK(batch->relocation_count < COUNT(batch->relocations), "too many relocations");
    batch->relocations[batch->relocation_count++] = (struct drm_i915_gem_relocation_entry){
        .target_handle = object->handle,
        .delta = delta,
        .offset = 4 * index,
        .presumed_offset = UINT64_MAX,
        .read_domains = 16,
        .write_domain = write ? 16 : 0,
    };
    batch->dwords[index] = delta;
}

void batch_address(struct batch *batch, const struct object *object, uint32_t delta, bool write)
{
    unsigned at = batch->count;
    batch_emit(batch, 0);
    if (batch->device->platform != HSW)
        batch_emit(batch, 0);
    batch_address_at(batch, at, object, delta, write);
}

/* The out-fence of the call polls readable when the batch is done. */
static void await_fence(int fence)
{
    struct pollfd entry = {.fd = fence, .events = POLLIN};
    CHECK(fence >= 0, "no fence");
    int ready = poll(&entry, 1, 5000);
    CHECK(ready == 1 && entry.revents & POLLIN, "%d, 0x%x", ready, (unsigned)entry.revents);
    close(fence);
}

int batch_run_after(struct batch *batch, uint32_t context, uint64_t flags, int fence)
{
    const struct device *device = batch->device;
    struct drm_i915_gem_exec_object2 objects[1 + COUNT(batch->others)] = {{0}};
    bool pinned = device->platform != HSW;
    if (!batch->count || batch->dwords[batch->count - 1] != MI_BATCH_BUFFER_END)
        batch_emit(batch, MI_BATCH_BUFFER_END);
    struct drm_i915_gem_pwrite write = {.handle = batch->object.handle,
                                        .size = sizeof batch->dwords,
                                        .data_ptr = (uintptr_t)batch->dwords};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_PWRITE, &write));
    for (unsigned i = 0; i <= batch->other_count; i++) {
        const struct object *object = i ? batch->others[i - 1] : &batch->object;
        objects[i].handle = object->handle;
        objects[i].offset = object->address;
        objects[i].flags = pinned ? EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS : 0;
        objects[i].flags |= i ? EXEC_OBJECT_WRITE : 0;
        objects[i].flags |= fence >= 0 ? EXEC_OBJECT_ASYNC : 0;
    }
    objects[0].relocs_ptr = (uintptr_t)batch->relocations;
    objects[0].relocation_count = batch->relocation_count;
    struct drm_i915_gem_execbuffer2 exec = {
        .buffers_ptr = (uintptr_t)objects,
        .buffer_count = batch->other_count + 1,
        .flags = flags | I915_EXEC_FENCE_OUT | I915_EXEC_BATCH_FIRST,
        .rsvd1 = context,
        .rsvd2 = (uint32_t)fence};
    exec.flags |= fence >= 0 ? I915_EXEC_FENCE_IN : 0;
    exec.flags |= pinned ? I915_EXEC_NO_RELOC : 0;
    int result = call(device->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &exec), code = errno;
    free_object(device, &batch->object); /* the request keeps it */
    return result < 0 ? -code : (int)(exec.rsvd2 >> 32);
}

void batch_run(struct batch *batch, uint32_t context, uint64_t flags, bool wait)
{
    int fence = batch_run_after(batch, context, flags, -1);
    CHECK(fence >= 0, "%s", strerror(-fence));
    if (wait)
        await_fence(fence);
    else
        close(fence);
}

/* ---- commands -------------------------------------------------------------------------------- */

void emit_report(struct batch *batch, const struct object *object, uint32_t delta, uint32_t id)
{
    batch_emit(batch, MI_REPORT | (batch->device->platform == HSW ? 1 : 2));
    batch_address(batch, object, delta, true);
    batch_emit(batch, id);
}

void emit_store(struct batch *batch, const struct object *object, uint32_t delta, uint32_t value)
{
    batch_emit(batch, MI_STORE_DATA_IMM);
    if (batch->device->platform == HSW)
        batch_emit(batch, 0);
    batch_address(batch, object, delta, true);
    batch_emit(batch, value);
}

void emit_gate(struct batch *batch, const struct object *object, uint32_t delta)
{
    bool longer = batch->device->platform == TGL;
    if (batch->device->platform == HSW)
        return;
    batch_emit(batch, MI_SEMAPHORE_WAIT + longer);
    batch_emit(batch, 1);
    batch_address(batch, object, delta, false);
    if (longer)
        batch_emit(batch, 0);
}

void emit_timestamp(struct batch *batch, const struct object *object, uint32_t delta)
{
    batch_emit(batch, PIPE_CONTROL | (batch->device->platform == HSW ? 3 : 4));
    batch_emit(batch, WRITE_TIMESTAMP);
    batch_address(batch, object, delta, true);
    batch_emit(batch, 0);
    batch_emit(batch, 0);
}
