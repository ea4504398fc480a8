/* SPDX-License-Identifier: MIT */
/*
 * EXECBUFFER2: maps the objects, applies relocations, queues the batch on an engine. It waits for
 * requests of other engines that write its objects, or use those that it writes.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/exec_fences.h"

#define UNKNOWN_EXEC_FLAGS   ((uint64_t)(int64_t)__I915_EXEC_UNKNOWN_FLAGS)
#define UNKNOWN_OBJECT_FLAGS ((uint64_t)__EXEC_OBJECT_UNKNOWN_FLAGS)

#define MAX_OBJECTS 65536u
/* Objects without EXEC_OBJECT_SUPPORTS_48B_ADDRESS end below the last page of 4 GB. */
#define LOW_END     ((UINT64_C(1) << 32) - PAGE_BYTES)
#define BATCH_FIRST (256u << 10)
#define DR4_GARBAGE 0xffffffffu /* from old clients; the kernel accepts it */

#define DISPATCH_PINNED 2u /* in the flags of I915_REQUEST_QUEUE */

#define DOMAINS_GPU 0x3eu /* render, sampler, command, instruction, vertex */

struct execbuffer {
    struct i915_file *file;
    struct i915_device *device;
    const struct i915_caller *caller;
    struct drm_i915_gem_execbuffer2 *args;
    struct i915_context *context;
    struct i915_state *state; /* on which it runs */
    struct i915_space *space;
    struct drm_i915_gem_exec_object2 *entries; /* the client's list, with current addresses */
    struct i915_object **objects;
    uint64_t number;
    struct exec_fences fences;
    bool moved; /* an object's address differs from the client's */
};

/* Sign-extends an address from bit 47, as the interface reports it. */
static uint64_t canonical(const struct i915_device *device, uint64_t address)
{
    if (!has_execlists(device))
        return address;
    return (uint64_t)((int64_t)(address << 16) >> 16);
}

static uint64_t noncanonical(uint64_t address)
{
    return address & low_bits(48);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int check_call(struct drm_i915_gem_execbuffer2 *args)
{
    bool has_fences = args->flags & (I915_EXEC_FENCE_ARRAY | I915_EXEC_USE_EXTENSIONS);
    if (!args->buffer_count || args->buffer_count > INT32_MAX)
        return -EINVAL;
    if (args->flags & UNKNOWN_EXEC_FLAGS ||
        args->flags & (I915_EXEC_CONSTANTS_MASK | I915_EXEC_RESOURCE_STREAMER))
        return -EINVAL;
    if (!has_fences && (args->num_cliprects || args->cliprects_ptr))
        return -EINVAL;
    if (args->DR4 == DR4_GARBAGE)
        args->DR4 = 0;
    if (args->DR1 || args->DR4 || (args->batch_start_offset | args->batch_len) & 7)
        return -EINVAL;
    return args->buffer_count > MAX_OBJECTS ? -ENOMEM : 0;
}

/* What is checked after the list of objects was read, before the context is looked up. */
static int check_flags(struct execbuffer *exec)
{
    if (exec->args->flags & I915_EXEC_SECURE)
        return exec->device->platform->secure_batches ? -EPERM : -ENODEV;
    int result = exec_fences_read(&exec->fences, exec->file, exec->args, exec->caller);
    return result < 0 ? result
                      : exec_fences_find(exec->device, &exec->fences, exec->args, exec->caller);
}

/* Only Gen7's render engine has stream output offsets to reset. */
static int check_engine(const struct execbuffer *exec)
{
    bool has_offsets =
        !has_execlists(exec->device) && exec->state->engine == render_engine(exec->device);
    return exec->args->flags & I915_EXEC_GEN7_SOL_RESET && !has_offsets ? -EINVAL : 0;
}

static int check_entry(const struct execbuffer *exec, const struct drm_i915_gem_exec_object2 *entry)
{
    if (entry->flags & UNKNOWN_OBJECT_FLAGS ||
        (entry->flags & EXEC_OBJECT_NEEDS_GTT && has_execlists(exec->device)))
        return -EINVAL;
    if (entry->alignment & (entry->alignment - 1))
        return -EINVAL;
    if (entry->flags & EXEC_OBJECT_PINNED &&
        (entry->offset != canonical(exec->device, noncanonical(entry->offset)) ||
         entry->offset % PAGE_BYTES))
        return -EINVAL;
    if (entry->flags & EXEC_OBJECT_PAD_TO_SIZE && entry->pad_to_size % PAGE_BYTES)
        return -EINVAL;
    return 0;
}

/* ---- objects --------------------------------------------------------------------------------- */

static int read_entries(struct execbuffer *exec)
{
    uint32_t count = exec->args->buffer_count;
    size_t bytes = count * sizeof *exec->entries;
    exec->entries = malloc(bytes);
    exec->objects = calloc(count, sizeof(struct i915_object *));
    if (!exec->entries || !exec->objects)
        return -ENOMEM;
    return copy_in(exec->caller, exec->entries, exec->args->buffers_ptr, bytes);
}

static int find_objects(struct execbuffer *exec)
{
    exec->number = ++exec->device->execbuffers;
    for (uint32_t i = 0; i < exec->args->buffer_count; i++) {
        struct i915_object *object = i915_file_object(exec->file, exec->entries[i].handle);
        if (!object)
            return -ENOENT;
        if (object->execbuffer != exec->number) /* it may be listed twice */
            object->place = i;
        object->execbuffer = exec->number;
        exec->objects[i] = object;
        int result = check_entry(exec, &exec->entries[i]);
        if (result < 0)
            return result;
    }
    return 0;
}

static uint32_t batch_place(const struct execbuffer *exec)
{
    return exec->args->flags & I915_EXEC_BATCH_FIRST ? 0 : exec->args->buffer_count - 1;
}

static int check_batch(const struct execbuffer *exec)
{
    const struct i915_object *batch = exec->objects[batch_place(exec)];
    const struct drm_i915_gem_execbuffer2 *args = exec->args;
    if (exec->entries[batch_place(exec)].flags & EXEC_OBJECT_WRITE)
        return -EINVAL;
    if (args->batch_start_offset >= batch->size ||
        args->batch_len > batch->size - args->batch_start_offset)
        return -EINVAL;
    return 0;
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* Unmaps an object after the GPU is done with it. The object is held meanwhile: its mapping can be
 * its last reference, which the end of the batch that uses it drops. */
static int evict(struct execbuffer *exec, struct i915_object *object)
{
    if (!object->evictable || object->execbuffer == exec->number)
        return -ENOSPC;
    i915_object_hold(object);
    int result = i915_object_wait(object, I915_WAIT_INTERRUPTIBLE, UINT64_MAX);
    if (result == 0)
        i915_space_remove(exec->space, object);
    i915_object_drop(object);
    return result;
}

static int leave(struct execbuffer *exec, struct i915_object *object)
{
    int result = i915_object_wait(object, I915_WAIT_INTERRUPTIBLE, UINT64_MAX);
    if (result == 0)
        i915_space_remove(exec->space, object);
    return result;
}

static int pin(struct execbuffer *exec, struct i915_object *object,
               const struct drm_i915_gem_exec_object2 *entry)
{
    uint64_t address = noncanonical(entry->offset);
    const struct mapping *old = i915_space_find(exec->space, object);
    struct i915_object *other;
    uint64_t end = entry->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS
                       ? exec->space->end
                       : min_u64(exec->space->end, LOW_END);
    if (address >= end || object->size > end - address)
        return -EINVAL;
    if (old && old->address == address)
        return 0;
    int result = old ? leave(exec, object) : 0;
    while (result == 0 && (other = i915_space_overlap(exec->space, address, object->size)))
        result = evict(exec, other);
    return result < 0 ? result : i915_space_insert_at(exec->space, object, address);
}

/* Returns the lowest address for an object. Relocations of a batch may have negative deltas, so it
 * is not placed near 0. */
static uint64_t first_address(const struct execbuffer *exec,
                              const struct drm_i915_gem_exec_object2 *entry)
{
    bool is_batch = entry == &exec->entries[batch_place(exec)];
    return is_batch && entry->relocation_count ? BATCH_FIRST : 0;
}

static bool suits(const struct execbuffer *exec, const struct mapping *mapping,
                  const struct drm_i915_gem_exec_object2 *entry)
{
    bool low = mapping->address + mapping->object->size <= LOW_END;
    return !(entry->alignment && mapping->address & (entry->alignment - 1)) &&
           mapping->address >= first_address(exec, entry) &&
           (low || entry->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS);
}

static int evict_all(struct execbuffer *exec)
{
    int result = i915_engines_wait(exec->device);
    for (size_t i = exec->space->count; result == 0 && i-- > 0;) {
        struct i915_object *object = exec->space->mappings[i].object;
        if (object->evictable && object->execbuffer != exec->number)
            i915_space_remove(exec->space, object);
    }
    return result;
}

/* Places an object where the client expects it, if that is free; by default at address 0. */
static bool keep(struct execbuffer *exec, struct i915_object *object,
                 const struct drm_i915_gem_exec_object2 *entry)
{
    struct mapping wanted = {noncanonical(entry->offset), object};
    return wanted.address >= exec->space->first && wanted.address % PAGE_BYTES == 0 &&
           suits(exec, &wanted, entry) &&
           i915_space_insert_at(exec->space, object, wanted.address) == 0;
}

static int place(struct execbuffer *exec, struct i915_object *object,
                 const struct drm_i915_gem_exec_object2 *entry)
{
    const struct mapping *old = i915_space_find(exec->space, object);
    uint64_t limit = entry->flags & EXEC_OBJECT_SUPPORTS_48B_ADDRESS ? UINT64_MAX : LOW_END;
    uint64_t first = first_address(exec, entry), address;
    if (old && suits(exec, old, entry))
        return 0;
    int result = old ? leave(exec, object) : 0;
    if (result == 0 && keep(exec, object, entry))
        return 0;
    if (result == 0)
        result =
            i915_space_insert_from(exec->space, object, first, entry->alignment, limit, &address);
    if (result != -ENOSPC)
        return result;
    result = evict_all(exec);
    return result < 0 ? result
                      : i915_space_insert_from(exec->space, object, first, entry->alignment, limit,
                                               &address);
}

/* Places the pinned objects first. */
static int place_all(struct execbuffer *exec)
{
    uint32_t count = exec->args->buffer_count;
    int result = 0;
    for (uint32_t i = 0; i < count && result == 0; i++)
        if (exec->entries[i].flags & EXEC_OBJECT_PINNED)
            result = pin(exec, exec->objects[i], &exec->entries[i]);
    for (uint32_t i = 0; i < count && result == 0; i++)
        if (!(exec->entries[i].flags & EXEC_OBJECT_PINNED))
            result = place(exec, exec->objects[i], &exec->entries[i]);
    return result;
}

/* Stores the addresses, and reports those that differ to the client. */
static void report_addresses(struct execbuffer *exec)
{
    for (uint32_t i = 0; i < exec->args->buffer_count; i++) {
        const struct mapping *mapping = i915_space_find(exec->space, exec->objects[i]);
        uint64_t address = canonical(exec->device, mapping->address);
        if (address == exec->entries[i].offset)
            continue;
        exec->moved = true;
        exec->entries[i].offset = address;
        copy_out(exec->caller,
                 exec->args->buffers_ptr + i * sizeof *exec->entries +
                     offsetof(struct drm_i915_gem_exec_object2, offset),
                 &address, sizeof address); /* faults are ignored */
    }
}

/* ---- relocations ----------------------------------------------------------------------------- */

/* Finds the target's index in the list. */
static int find_target(const struct execbuffer *exec, uint32_t target, uint32_t *out)
{
    if (exec->args->flags & I915_EXEC_HANDLE_LUT) {
        *out = target;
        return target < exec->args->buffer_count ? 0 : -ENOENT;
    }
    const struct i915_object *object = i915_file_object(exec->file, target);
    if (!object || object->execbuffer != exec->number)
        return -ENOENT;
    *out = object->place;
    return 0;
}

/* Waits for the GPU only if the object has to be written. */
static int relocate(const struct execbuffer *exec, struct i915_object *object, uint64_t at)
{
    struct drm_i915_gem_relocation_entry entry;
    uint32_t target, width = has_execlists(exec->device) ? 8 : 4;
    int result = copy_in(exec->caller, &entry, at, sizeof entry);
    if (result == 0)
        result = find_target(exec, entry.target_handle, &target);
    if (result < 0)
        return result;
    if (entry.write_domain & (entry.write_domain - 1) ||
        (entry.read_domains | entry.write_domain) & ~DOMAINS_GPU)
        return -EINVAL;
    if (entry.write_domain)
        exec->entries[target].flags |= EXEC_OBJECT_WRITE;
    uint64_t address = exec->entries[target].offset;
    if (entry.presumed_offset == address)
        return 0;
    if (entry.offset > object->size - width || entry.offset % 4)
        return -EINVAL;
    result = i915_object_wait(object, I915_WAIT_INTERRUPTIBLE, UINT64_MAX);
    if (result < 0)
        return result;
    uint64_t value = canonical(exec->device, noncanonical(address) + entry.delta);
    uint8_t bytes[8];
    store_le64(bytes, value);
    if (!i915_object_copy(object, entry.offset, bytes, width, true))
        return -EFAULT;
    copy_out(exec->caller, at + offsetof(struct drm_i915_gem_relocation_entry, presumed_offset),
             &address, sizeof address); /* a fault only costs a relocation next time */
    return 0;
}

/* Whether a list of relocations can be read, by one byte of each page. */
static bool is_readable(const struct i915_caller *caller,
                        const struct drm_i915_gem_exec_object2 *entry)
{
    uint64_t bytes = entry->relocation_count * sizeof(struct drm_i915_gem_relocation_entry);
    uint8_t byte;
    bool readable = true;
    for (uint64_t at = 0; at < bytes && readable; at += PAGE_BYTES)
        readable = copy_in(caller, &byte, entry->relocs_ptr + at, 1) == 0;
    return readable && (!bytes || copy_in(caller, &byte, entry->relocs_ptr + bytes - 1, 1) == 0);
}

/* After an error the kernel reads all lists again, and reports a fault instead. */
static int check_lists(const struct execbuffer *exec, int error)
{
    for (uint32_t i = 0; i < exec->args->buffer_count; i++)
        if (!is_readable(exec->caller, &exec->entries[i]))
            return -EFAULT;
    return error;
}

static int relocate_all(const struct execbuffer *exec)
{
    int result = 0;
    if (exec->args->flags & I915_EXEC_NO_RELOC && !exec->moved)
        return 0;
    for (uint32_t i = 0; i < exec->args->buffer_count && result == 0; i++) {
        const struct drm_i915_gem_exec_object2 *entry = &exec->entries[i];
        for (uint32_t r = 0; r < entry->relocation_count && result == 0; r++)
            result = relocate(exec, exec->objects[i],
                              entry->relocs_ptr + r * sizeof(struct drm_i915_gem_relocation_entry));
    }
    return result < 0 && result != -EINTR ? check_lists(exec, result) : result;
}

/* ---- the ioctl ------------------------------------------------------------------------------- */

/* Adds a fence to those that a request waits for. Before Gen8 an engine runs its requests in order.
 */
static void wait_for(struct i915_work *work, uint64_t fence)
{
    struct i915_device *device = work->state->engine->device;
    if (fence_source(fence) != work->state->engine->hardware->id || has_execlists(device))
        i915_fences_add(device, &work->waits, fence);
}

static void wait_for_objects(const struct execbuffer *exec, struct i915_work *work)
{
    for (uint32_t i = 0; i < exec->args->buffer_count; i++) {
        const struct i915_object *object = exec->objects[i];
        if (exec->entries[i].flags & EXEC_OBJECT_ASYNC)
            continue;
        for (unsigned id = 0; id < I915_SOURCES; id++) {
            wait_for(work, object->written_by[id]);
            if (exec->entries[i].flags & EXEC_OBJECT_WRITE)
                wait_for(work, object->read_by[id]);
        }
    }
}

/* A request that waits for the uses of an object completes after them. */
static void note_use(struct i915_object *object, uint64_t flags, uint64_t fence)
{
    unsigned id = fence_source(fence);
    bool writes = flags & EXEC_OBJECT_WRITE, after = writes && !(flags & EXEC_OBJECT_ASYNC);
    if (after)
        object->read_by[id] = object->written_by[id] = 0;
    i915_fence_add(object->device, &object->read_by[id], fence);
    if (writes)
        i915_fence_add(object->device, &object->written_by[id], fence);
}

static int submit(struct execbuffer *exec, uint64_t *fence)
{
    uint32_t batch = batch_place(exec);
    struct i915_work work = {
        .state = exec->state,
        .address = noncanonical(exec->entries[batch].offset) + exec->args->batch_start_offset,
        .objects = exec->objects,
        .object_count = exec->args->buffer_count,
        .flags = exec->args->flags & I915_EXEC_IS_PINNED ? DISPATCH_PINNED : 0,
        .resets_streams = exec->args->flags & I915_EXEC_GEN7_SOL_RESET,
    };
    wait_for_objects(exec, &work);
    for (unsigned other = 0; other < I915_SOURCES; other++)
        wait_for(&work, exec->fences.waits.of[other]);
    if (exec->context->single_timeline)
        wait_for(&work, exec->context->latest_fence);
    work.follows = exec->fences.follows;
    int result = i915_engine_submit(exec->device, &work, fence);
    for (uint32_t i = 0; i < exec->args->buffer_count && result == 0; i++) {
        note_use(exec->objects[i], exec->entries[i].flags, *fence);
        if (exec->entries[i].flags & EXEC_OBJECT_CAPTURE)
            i915_object_capture(exec->objects[i], *fence); /* without memory it is left out */
    }
    if (result == 0)
        exec->context->latest_fence = *fence;
    return result;
}

static int give_fence(const struct execbuffer *exec, uint64_t fence)
{
    struct i915_fences fences = {{0}};
    int result = exec_fences_signal(&exec->fences, fence);
    if (result < 0 || !(exec->args->flags & I915_EXEC_FENCE_OUT))
        return result;
    fences.of[fence_source(fence)] = fence;
    int descriptor = exec->caller->open_fence(exec->caller->drm.closure, &fences);
    if (descriptor < 0)
        return descriptor;
    exec->args->rsvd2 = (exec->args->rsvd2 & UINT32_MAX) | (uint64_t)(uint32_t)descriptor << 32;
    return 0;
}

static int get_pages(const struct execbuffer *exec)
{
    int result = 0;
    for (uint32_t i = 0; i < exec->args->buffer_count && result == 0; i++)
        result = i915_object_get_pages(exec->objects[i]);
    return result;
}

static int find_context(struct execbuffer *exec)
{
    int result = i915_context_use(exec->file, (uint32_t)exec->args->rsvd1, &exec->context);
    if (result == 0)
        result = i915_context_find_ring(exec->context, exec->args->flags, &exec->state);
    if (result < 0)
        return result;
    i915_state_place(exec->state);
    exec->space = i915_context_space(exec->context);
    return exec->device->wedged ? -EIO : 0;
}

static int run(struct execbuffer *exec)
{
    uint64_t fence;
    int result = read_entries(exec);
    if (result == 0)
        result = check_flags(exec);
    if (result == 0)
        result = find_context(exec);
    if (result == 0)
        result = find_objects(exec);
    if (result == 0)
        result = check_batch(exec);
    if (result == 0)
        result = get_pages(exec);
    if (result == 0 && exec->state->banned)
        result = -EIO;
    if (result == 0)
        result = place_all(exec);
    if (result < 0)
        return result;
    report_addresses(exec);
    result = relocate_all(exec);
    if (result == 0)
        result = check_engine(exec);
    if (result == 0)
        result = submit(exec, &fence);
    return result < 0 ? result : give_fence(exec, fence);
}

int i915_execbuffer(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct execbuffer exec = {
        .file = file, .device = file->device, .caller = caller, .args = argument};
    int result = check_call(exec.args);
    if (result == 0)
        result = run(&exec);
    free(exec.entries);
    free(exec.objects);
    free(exec.fences.signals);
    return result;
}
