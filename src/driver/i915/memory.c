/* SPDX-License-Identifier: MIT */
/* Objects and address spaces. */
#include "driver/i915/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

/* ---- objects --------------------------------------------------------------------------------- */

static void *allocate(const struct i915_settings *settings, uint64_t size, uint64_t *cookie)
{
    *cookie = 0;
    return settings->allocate ? settings->allocate(settings->closure, (size_t)size, cookie)
                              : calloc(1, (size_t)size);
}

static void release(struct i915_object *object)
{
    const struct i915_settings *settings = &object->device->settings;
    if (!object->bytes)
        return;
    object->device->memory_used -= object->size;
    if (settings->release)
        settings->release(settings->closure, object->bytes, (size_t)object->size, object->cookie);
    else
        free(object->bytes);
    object->bytes = NULL;
}

int i915_object_reserve(struct i915_device *device, uint64_t size, struct i915_object **out)
{
    struct i915_object *object = calloc(1, sizeof *object);
    if (!object)
        return -ENOMEM;
    object->device = device;
    object->references = 1;
    object->size = (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    object->next = device->objects;
    object->link = &device->objects;
    if (object->next)
        object->next->link = &object->next;
    device->objects = object;
    *out = object;
    return 0;
}

int i915_object_new(struct i915_device *device, uint64_t size, struct i915_object **out)
{
    struct i915_object *object;
    int result = i915_object_reserve(device, size, &object);
    if (result < 0)
        return result;
    result = i915_object_allocate(object);
    if (result < 0)
        i915_object_drop(object);
    else
        *out = object;
    return result;
}

bool i915_object_is_busy(const struct i915_object *object)
{
    for (unsigned id = 0; id < I915_SOURCES; id++)
        if (!i915_fence_done(object->device, object->read_by[id]) ||
            !i915_fence_done(object->device, object->written_by[id]))
            return true;
    return false;
}

void i915_device_purge(struct i915_device *device)
{
    for (struct i915_object *object = device->objects; object; object = object->next) {
        if (!object->is_discardable || !object->bytes || i915_object_is_busy(object))
            continue;
        object->has_pages = false;
        object->is_purged = true;
        release(object);
    }
}

int i915_object_allocate(struct i915_object *object)
{
    struct i915_device *device = object->device;
    const struct i915_settings *settings = &device->settings;
    if (object->bytes)
        return 0;
    if (object->is_purged)
        return -EFAULT;
    if (object->size > settings->memory_bytes - device->memory_used)
        i915_device_purge(device);
    if (object->size > settings->memory_bytes - device->memory_used)
        return -ENOMEM;
    object->bytes = allocate(settings, object->size, &object->cookie);
    if (!object->bytes) {
        i915_device_purge(device);
        object->bytes = allocate(settings, object->size, &object->cookie);
    }
    if (!object->bytes)
        return -ENOMEM;
    device->memory_used += object->size;
    return 0;
}

struct i915_object *i915_object_hold(struct i915_object *object)
{
    object->references++;
    return object;
}

void i915_object_drop(struct i915_object *object)
{
    if (!object || --object->references)
        return;
    release(object);
    if (object->process)
        object->process->release(object->process);
    *object->link = object->next;
    if (object->next)
        object->next->link = object->link;
    free(object->captures);
    free(object);
}

int i915_object_capture(struct i915_object *object, uint64_t fence)
{
    size_t kept = 0;
    for (size_t i = 0; i < object->capture_count; i++)
        if (!i915_fence_done(object->device, object->captures[i]))
            object->captures[kept++] = object->captures[i];
    object->capture_count = kept;
    uint64_t *grown = array_grow(object->captures, &object->capture_capacity, kept, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    object->captures = grown;
    object->captures[object->capture_count++] = fence;
    return 0;
}

bool i915_object_is_captured(const struct i915_object *object, uint64_t fence)
{
    for (size_t i = 0; i < object->capture_count; i++)
        if (object->captures[i] == fence)
            return true;
    return false;
}

int i915_object_get_pages(struct i915_object *object)
{
    struct i915_process *process = object->process;
    if (process)
        return process->reaches(process, object->address, object->size,
                                object->is_read_only ? I915_REACH_READ : I915_REACH_WRITE)
                   ? 0
                   : -EFAULT;
    if (!object->has_pages && (object->is_discardable || object->is_purged))
        return -EFAULT;
    int result = i915_object_allocate(object);
    object->has_pages = result == 0;
    return result;
}

bool i915_object_copy(struct i915_object *object, uint64_t offset, void *data, size_t bytes,
                      bool write)
{
    if (object->process)
        return (write && object->is_read_only) ||
               object->process->access(object->process, object->address + offset, data, bytes,
                                       write);
    if (write)
        memcpy(object->bytes + offset, data, bytes);
    else
        memcpy(data, object->bytes + offset, bytes);
    return true;
}

void *i915_object_bytes(struct i915_object *object, uint64_t *size, uint64_t *cookie)
{
    *size = object->size;
    *cookie = object->cookie;
    return object->bytes;
}

int i915_object_wait(const struct i915_object *object, uint32_t flags, uint64_t until_ns)
{
    int result = 0;
    for (unsigned id = 0; id < I915_SOURCES && result == 0; id++) {
        result = i915_engine_wait(object->device, object->read_by[id], flags, until_ns);
        if (result == 0)
            result = i915_engine_wait(object->device, object->written_by[id], flags, until_ns);
    }
    return result;
}

/* ---- address spaces -------------------------------------------------------------------------- */

void i915_space_init(struct i915_space *space, uint64_t first, uint64_t end)
{
    *space = (struct i915_space){.references = 1, .first = first, .end = end};
}

void i915_space_fini(struct i915_space *space)
{
    for (size_t i = 0; i < space->count; i++)
        i915_object_drop(space->mappings[i].object);
    free(space->mappings);
    *space = (struct i915_space){0};
}

static uint64_t end_of(const struct mapping *mapping)
{
    return mapping->address + mapping->object->size;
}

/* Returns the index of the first mapping that ends after an address. */
static size_t search(const struct i915_space *space, uint64_t address)
{
    size_t low = 0, high = space->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (end_of(&space->mappings[middle]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct mapping *i915_space_find(const struct i915_space *space,
                                      const struct i915_object *object)
{
    for (size_t i = 0; i < space->count; i++)
        if (space->mappings[i].object == object)
            return &space->mappings[i];
    return NULL;
}

static int insert(struct i915_space *space, size_t at, struct i915_object *object, uint64_t address)
{
    struct mapping *grown =
        array_grow(space->mappings, &space->capacity, space->count, sizeof *space->mappings);
    if (!grown)
        return -ENOMEM;
    space->mappings = grown;
    memmove(grown + at + 1, grown + at, (space->count - at) * sizeof *grown);
    grown[at] = (struct mapping){address, i915_object_hold(object)};
    space->count++;
    return 0;
}

int i915_space_insert_from(struct i915_space *space, struct i915_object *object, uint64_t first,
                           uint64_t alignment, uint64_t limit, uint64_t *address)
{
    uint64_t end = min_u64(limit, space->end), at = max_u64(first, space->first);
    if (alignment < PAGE_BYTES)
        alignment = PAGE_BYTES;
    for (size_t i = 0; i <= space->count; i++) {
        uint64_t next = i < space->count ? space->mappings[i].address : end;
        at = (at + alignment - 1) & ~(alignment - 1);
        if (at >= end || object->size > end - at)
            return -ENOSPC;
        if (at <= next && object->size <= next - at) {
            *address = at;
            return insert(space, i, object, at);
        }
        if (i < space->count && end_of(&space->mappings[i]) > at)
            at = end_of(&space->mappings[i]);
    }
    return -ENOSPC;
}

int i915_space_insert(struct i915_space *space, struct i915_object *object, uint64_t alignment,
                      uint64_t limit, uint64_t *address)
{
    return i915_space_insert_from(space, object, 0, alignment, limit, address);
}

struct i915_object *i915_space_overlap(const struct i915_space *space, uint64_t address,
                                       uint64_t bytes)
{
    size_t at = search(space, address);
    return at < space->count && space->mappings[at].address < address + bytes
               ? space->mappings[at].object
               : NULL;
}

int i915_space_insert_at(struct i915_space *space, struct i915_object *object, uint64_t address)
{
    if (address >= space->end || object->size > space->end - address ||
        i915_space_overlap(space, address, object->size))
        return -ENOSPC;
    return insert(space, search(space, address), object, address);
}

void i915_space_remove(struct i915_space *space, const struct i915_object *object)
{
    const struct mapping *mapping = i915_space_find(space, object);
    if (!mapping)
        return;
    size_t at = (size_t)(mapping - space->mappings);
    struct i915_object *gone = space->mappings[at].object;
    space->count--;
    memmove(space->mappings + at, space->mappings + at + 1,
            (space->count - at) * sizeof *space->mappings);
    i915_object_drop(gone);
}

/* ---- access by the GPU ----------------------------------------------------------------------- */

/* Returns the object at an address, the offset in it and the number of contiguous bytes, or NULL if
 * nothing is mapped. */
static struct i915_object *look_up(struct i915_space *space, uint64_t address, uint64_t *offset,
                                   size_t *together)
{
    size_t at = space->latest;
    if (at >= space->count || address < space->mappings[at].address ||
        address >= end_of(&space->mappings[at]))
        at = search(space, address);
    if (at >= space->count || address < space->mappings[at].address)
        return NULL;
    if (!space->mappings[at].object->bytes && !space->mappings[at].object->process)
        return NULL; /* it was discarded */
    space->latest = at;
    uint64_t left = end_of(&space->mappings[at]) - address;
    *together = (size_t)min_u64(left, *together);
    *offset = address - space->mappings[at].address;
    return space->mappings[at].object;
}

bool i915_space_read(struct i915_space *space, uint64_t address, void *data, size_t bytes)
{
    for (uint8_t *to = data; bytes;) {
        size_t now = bytes;
        uint64_t offset;
        struct i915_object *from = look_up(space, address, &offset, &now);
        if (!from || !i915_object_copy(from, offset, to, now, false))
            return false;
        to += now, address += now, bytes -= now;
    }
    return true;
}

static bool i915_space_write(struct i915_space *space, uint64_t address, const void *data,
                             size_t bytes)
{
    for (const uint8_t *from = data; bytes;) {
        size_t now = bytes;
        uint64_t offset;
        struct i915_object *to = look_up(space, address, &offset, &now);
        if (!to || !i915_object_copy(to, offset, (void *)(uintptr_t)from, now, true))
            return false;
        i915_object_written(to, offset + now);
        from += now, address += now, bytes -= now;
    }
    return true;
}

/* An address space other than 0 is identified by the page of a state's image in the GGTT. */
static bool is_space(const struct i915_state *state, uint32_t space)
{
    return state->image_address / PAGE_BYTES == space && state->context->vm;
}

static struct i915_space *space_of(struct i915_device *device, uint32_t space)
{
    if (!space)
        return &device->ggtt;
    if (device->latest_state && is_space(device->latest_state, space))
        return &device->latest_state->context->vm->space;
    for (struct i915_context *c = device->contexts; c; c = c->next) {
        FOR_STATES(const struct i915_state, state, c)
        {
            if (!is_space(state, space))
                continue;
            device->latest_state = state;
            return &c->vm->space;
        }
    }
    return NULL;
}

bool i915_memory_read(struct i915_device *device, uint32_t space, uint64_t address, void *data,
                      size_t bytes)
{
    struct i915_space *in = space_of(device, space);
    return in && i915_space_read(in, address, data, bytes);
}

bool i915_memory_write(struct i915_device *device, uint32_t space, uint64_t address,
                       const void *data, size_t bytes)
{
    struct i915_space *in = space_of(device, space);
    return in && i915_space_write(in, address, data, bytes);
}
