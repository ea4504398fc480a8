/* SPDX-License-Identifier: MIT */
/* GEM objects: creation, reading and writing, mapping, waiting. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

/* ---- handles --------------------------------------------------------------------------------- */

static size_t place_of(const struct i915_file *file, uint32_t id)
{
    size_t low = 0, high = file->handle_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (file->handles[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct i915_object *i915_file_object(const struct i915_file *file, uint32_t handle)
{
    size_t at = place_of(file, handle);
    return at < file->handle_count && file->handles[at].id == handle ? file->handles[at].object
                                                                     : NULL;
}

int i915_file_add_handle(struct i915_file *file, struct i915_object *object, uint32_t *out)
{
    struct handle *grown = array_grow(file->handles, &file->handle_capacity, file->handle_count,
                                      sizeof *file->handles);
    if (!grown)
        return -ENOMEM;
    file->handles = grown;
    /* Before the first gap, the handle at an index is index + 1. */
    size_t low = 0, high = file->handle_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (grown[middle].id == middle + 1)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(grown + low + 1, grown + low, (file->handle_count - low) * sizeof *grown);
    grown[low] = (struct handle){(uint32_t)low + 1, object};
    object->handles++;
    object->closed = false;
    file->handle_count++;
    *out = (uint32_t)low + 1;
    return 0;
}

static void unmap(struct i915_device *device, struct i915_space *space,
                  const struct i915_object *object)
{
    if (!i915_engines_use(device, space, object))
        i915_space_remove(space, object);
}

/* Unmaps an object from the client's address spaces when its handle is closed, or later when the
 * GPU is done with it. */
static void unmap_all(struct i915_file *file, struct i915_object *object)
{
    struct i915_device *device = file->device;
    object->closed = --object->handles == 0;
    if (object->closed) {
        i915_object_forget_name(object);
        unmap(device, &device->ggtt, object);
    }
    for (struct i915_context *c = device->contexts; c; c = c->next)
        if (c->file == file && c->vm)
            unmap(device, &c->vm->space, object);
}

void i915_file_close_objects(struct i915_file *file)
{
    for (size_t i = 0; i < file->handle_count; i++) {
        unmap_all(file, file->handles[i].object);
        i915_object_drop(file->handles[i].object);
    }
    free(file->handles);
    file->handles = NULL;
    file->handle_count = 0;
}

int i915_gem_close(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_gem_close *args = argument;
    size_t at = place_of(file, args->handle);
    (void)caller;
    if (at >= file->handle_count || file->handles[at].id != args->handle)
        return -EINVAL;
    struct i915_object *object = file->handles[at].object;
    file->handle_count--;
    memmove(file->handles + at, file->handles + at + 1,
            (file->handle_count - at) * sizeof *file->handles);
    unmap_all(file, object);
    i915_object_drop(object);
    return 0;
}

/* ---- creation -------------------------------------------------------------------------------- */

static int create(struct i915_file *file, __u64 *size, uint32_t *handle)
{
    struct i915_object *object;
    uint64_t pages = *size / PAGE_BYTES + (*size % PAGE_BYTES != 0);
    if (!pages || pages > UINT64_MAX / PAGE_BYTES) /* the size in whole pages wraps around to 0 */
        return -EINVAL;
    if (pages > INT32_MAX)
        return -E2BIG;
    int result = i915_object_reserve(file->device, *size, &object);
    if (result < 0)
        return result;
    object->evictable = true;
    object->caching = file->device->platform->llc ? I915_CACHING_CACHED : I915_CACHING_NONE;
    *size = object->size;
    result = i915_file_add_handle(file, object, handle);
    if (result < 0)
        i915_object_drop(object);
    return result;
}

int i915_gem_create(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_create *args = argument;
    (void)caller;
    return create(file, &args->size, &args->handle);
}

#define SYSTEM_REGIONS 8 /* the kernel's limit for a list */

/* Only system memory is supported, and listing it twice is wrong. */
static int check_regions(void *closure, uint64_t at, const struct i915_caller *caller)
{
    struct drm_i915_gem_create_ext_memory_regions args;
    struct drm_i915_gem_memory_class_instance region;
    bool *is_listed = closure, known = false;
    int result = copy_in(caller, &args, at, sizeof args);
    if (result < 0)
        return result;
    if (args.pad || !args.num_regions || args.num_regions > SYSTEM_REGIONS)
        return -EINVAL;
    for (uint32_t i = 0; i < args.num_regions; i++) {
        result = copy_in(caller, &region, args.regions + i * sizeof region, sizeof region);
        if (result < 0)
            return result;
        if (region.memory_class || region.memory_instance || known)
            return -EINVAL;
        known = true;
    }
    if (*is_listed)
        return -EINVAL;
    *is_listed = true;
    return 0;
}

/* There is no protected content. */
static int refuse_protection(void *closure, uint64_t at, const struct i915_caller *caller)
{
    struct drm_i915_gem_create_ext_protected_content args;
    (void)closure;
    int result = copy_in(caller, &args, at, sizeof args);
    if (result < 0)
        return result;
    return args.flags ? -EINVAL : -ENODEV;
}

int i915_gem_create_ext(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    static i915_extension *const table[] = {
        [I915_GEM_CREATE_EXT_MEMORY_REGIONS] = check_regions,
        [I915_GEM_CREATE_EXT_PROTECTED_CONTENT] = refuse_protection,
    };
    struct drm_i915_gem_create_ext *args = argument;
    bool is_listed = false;
    if (args->flags & ~(uint32_t)I915_GEM_CREATE_EXT_FLAG_NEEDS_CPU_ACCESS)
        return -EINVAL;
    int result =
        i915_extensions_apply(caller, args->extensions, table, ARRAY_COUNT(table), &is_listed);
    if (result == 0 &&
        args->flags) /* the flag is for objects that device memory may hold as well */
        result = -EINVAL;
    return result < 0 ? result : create(file, &args->size, &args->handle);
}

/* ---- reading and writing --------------------------------------------------------------------- */

static bool outside(const struct i915_object *object, uint64_t offset, uint64_t size)
{
    return offset > object->size || size > object->size - offset;
}

static int idle(const struct i915_object *object, uint32_t flags)
{
    return i915_object_wait(object, I915_WAIT_INTERRUPTIBLE | flags, UINT64_MAX);
}

#define USER_END (UINT64_C(0x800000000000) - PAGE_BYTES)
bool i915_is_user_range(uint64_t address, uint64_t size)
{
    return size <= USER_END && address <= USER_END - size;
}

/* Finds the object of a read or write, which gets its pages. */
static int find_range(const struct i915_file *file, uint32_t handle, uint64_t data, uint64_t offset,
                      uint64_t size, uint32_t flags, struct i915_object **out)
{
    if (!i915_is_user_range(data, size))
        return -EFAULT;
    *out = i915_file_object(file, handle);
    if (!*out)
        return -ENOENT;
    if (outside(*out, offset, size))
        return -EINVAL;
    if ((*out)->process) /* the client has access to it anyway */
        return -EINVAL;
    int result = idle(*out, flags);
    return result < 0 ? result : i915_object_get_pages(*out);
}

int i915_gem_pread(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_gem_pread *args = argument;
    struct i915_object *object;
    if (!args->size)
        return 0;
    int result =
        find_range(file, args->handle, args->data_ptr, args->offset, args->size, 0, &object);
    return result < 0
               ? result
               : copy_out(caller, args->data_ptr, object->bytes + args->offset, (size_t)args->size);
}

int i915_gem_pwrite(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_gem_pwrite *args = argument;
    struct i915_object *object;
    if (!args->size)
        return 0;
    int result = find_range(file, args->handle, args->data_ptr, args->offset, args->size,
                            I915_WAIT_ALL, &object);
    return result < 0
               ? result
               : copy_in(caller, object->bytes + args->offset, args->data_ptr, (size_t)args->size);
}

/* ---- mapping --------------------------------------------------------------------------------- */

#define FIRST_COOKIE UINT64_C(0x100000000)

int i915_gem_mmap(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_mmap *args = argument;
    if (args->flags & ~(uint64_t)I915_MMAP_WC)
        return -EINVAL;
    struct i915_object *object = i915_file_object(file, args->handle);
    if (!object)
        return -ENOENT;
    if (object->process)
        return -ENXIO;
    if (outside(object, args->offset, args->size))
        return -EINVAL;
    int result = i915_object_map(object);
    if (result < 0)
        return result;
    int64_t at =
        caller->map ? caller->map(caller->drm.closure, object, args->offset, args->size) : -ENODEV;
    if (at < 0)
        return (int)at;
    args->addr_ptr = (uint64_t)at;
    return 0;
}

int i915_gem_mmap_offset(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_mmap_offset *args = argument;
    struct i915_device *device = file->device;
    int result = i915_extensions_apply(caller, args->extensions, NULL, 0, NULL);
    if (result < 0)
        return result;
    if (args->flags > I915_MMAP_OFFSET_FIXED)
        return -EINVAL;
    struct i915_object *object = i915_file_object(file, args->handle);
    if (!object)
        return -ENOENT;
    if (args->flags == I915_MMAP_OFFSET_FIXED || object->process) /* FIXED: of device memory */
        return -ENODEV;
    if (!object->map_cookie) {
        device->map_cookie = device->map_cookie ? device->map_cookie : FIRST_COOKIE;
        object->map_cookie = device->map_cookie;
        device->map_cookie += object->size;
    }
    args->offset = object->map_cookie;
    return 0;
}

static struct i915_object *find_mapping(const struct i915_file *file, uint64_t offset,
                                        uint64_t bytes)
{
    for (size_t i = 0; i < file->handle_count; i++) {
        struct i915_object *object = file->handles[i].object;
        if (offset && object->map_cookie == offset && bytes <= object->size)
            return object;
    }
    return NULL;
}

int i915_object_map(struct i915_object *object)
{
    int result = i915_object_allocate(object);
    object->has_pages = result == 0; /* once the mapping is accessed */
    return result;
}

int i915_file_mapping(struct i915_file *file, uint64_t offset, uint64_t bytes,
                      struct i915_object **out)
{
    *out = find_mapping(file, offset, bytes);
    if (*out)
        return i915_object_map(*out);
    for (const struct i915_file *f = file->device->files; f; f = f->next)
        if (find_mapping(f, offset, bytes))
            return -EACCES;
    return -EINVAL;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Bits that the interface does not define count as the CPU's. */
#define GPU_DOMAINS                                                                                \
    ((uint32_t)(I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_SAMPLER | I915_GEM_DOMAIN_COMMAND |       \
                I915_GEM_DOMAIN_INSTRUCTION | I915_GEM_DOMAIN_VERTEX))

int i915_gem_set_domain(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_gem_set_domain *args = argument;
    (void)caller;
    if ((args->read_domains | args->write_domain) & GPU_DOMAINS)
        return -EINVAL;
    if (args->write_domain && args->read_domains != args->write_domain)
        return -EINVAL;
    if (!args->read_domains)
        return 0;
    struct i915_object *object = i915_file_object(file, args->handle);
    if (!object)
        return -ENOENT;
    int result = idle(object, I915_WAIT_PRIORITY | (args->write_domain ? I915_WAIT_ALL : 0));
    return result < 0 ? result : i915_object_get_pages(object);
}

/* The answer of BUSY: a bit for each class of engines that reads, and the class that writes plus
 * 1. */
#define BUSY_READ(class)  (1u << (16 + (class)))
#define BUSY_WRITE(class) ((class) + 1u)

int i915_gem_busy(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_busy *args = argument;
    const struct i915_object *object = i915_file_object(file, args->handle);
    (void)caller;
    if (!object)
        return -ENOENT;
    args->busy = 0;
    FOR_ENGINES(const struct i915_engine, engine, file->device)
    {
        unsigned id = engine->hardware->id, class = engine->named.engine_class;
        bool writes = !i915_fence_done(file->device, object->written_by[id]);
        if (writes)
            args->busy |= BUSY_WRITE(class);
        if (writes || !i915_fence_done(file->device, object->read_by[id]))
            args->busy |= BUSY_READ(class);
    }
    return 0;
}

int i915_gem_wait(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_wait *args = argument;
    struct i915_device *device = file->device;
    struct i915_attempt first = {0}, *attempt = device->attempt ? device->attempt : &first;
    (void)caller;
    if (args->flags)
        return -EINVAL;
    const struct i915_object *object = i915_file_object(file, args->bo_handle);
    if (!object)
        return -ENOENT;
    if (args->timeout_ns < 0)
        return idle(object, I915_WAIT_PRIORITY | I915_WAIT_ALL);
    if (!attempt->begun_ns)
        attempt->begun_ns = now_ns(device) + 1;
    uint64_t start = attempt->begun_ns - 1, until = start + (uint64_t)args->timeout_ns;
    int result = i915_object_wait(
        object, I915_WAIT_INTERRUPTIBLE | I915_WAIT_PRIORITY | I915_WAIT_ALL, until);
    uint64_t passed = now_ns(device) - start;
    bool left = passed < (uint64_t)args->timeout_ns;
    args->timeout_ns = left ? args->timeout_ns - (int64_t)passed : 0;
    return result;
}

int i915_gem_throttle(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)argument;
    (void)caller;
    return file->device->wedged ? -EIO : 0; /* clients are never throttled */
}

/* ---- state stored for clients only ----------------------------------------------------------- */

int i915_gem_sw_finish(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_gem_sw_finish *args = argument;
    (void)caller;
    return i915_file_object(file, args->handle) ? 0 : -ENOENT;
}

/* What a fence register of Gen7 and later can describe. */
#define MAX_PITCH   (0x800u * 128 + 127)
#define X_TILE_WIDE 512u
#define Y_TILE_WIDE 128u

static bool is_tiling(uint32_t mode, uint32_t stride)
{
    if (mode == I915_TILING_NONE)
        return true;
    uint32_t wide = mode == I915_TILING_Y ? Y_TILE_WIDE : X_TILE_WIDE;
    return mode <= I915_TILING_LAST && stride && stride <= MAX_PITCH && stride % wide == 0;
}

int i915_gem_set_tiling(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_set_tiling *args = argument;
    struct i915_object *object = i915_file_object(file, args->handle);
    (void)caller;
    if (!object)
        return -ENOENT;
    if (object->process)
        return -ENXIO;
    if (!is_tiling(args->tiling_mode, args->stride))
        return -EINVAL;
    args->stride = args->tiling_mode ? args->stride : 0;
    args->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    object->tiling = args->tiling_mode;
    object->stride = args->stride;
    return 0;
}

int i915_gem_get_tiling(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_get_tiling *args = argument;
    const struct i915_object *object = i915_file_object(file, args->handle);
    (void)caller;
    if (!object)
        return -ENOENT;
    *args = (struct drm_i915_gem_get_tiling){args->handle, object->tiling, 0, 0};
    return 0;
}

int i915_gem_set_caching(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_i915_gem_caching *args = argument;
    struct i915_object *object = i915_file_object(file, args->handle);
    (void)caller;
    if (args->caching > I915_CACHING_DISPLAY)
        return -EINVAL;
    if (!object)
        return -ENOENT;
    if (object->process)
        return args->caching == I915_CACHING_CACHED ? 0 : -ENXIO;
    /* Nothing is cached for the display: without memory on the package that is the same as none. */
    object->caching =
        args->caching == I915_CACHING_CACHED ? I915_CACHING_CACHED : I915_CACHING_NONE;
    return 0;
}

int i915_gem_get_caching(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_caching *args = argument;
    const struct i915_object *object = i915_file_object(file, args->handle);
    (void)caller;
    if (!object)
        return -ENOENT;
    args->caching = object->caching;
    return 0;
}

/* Objects that have pages keep them; others lose their contents at once. */
int i915_gem_madvise(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_madvise *args = argument;
    (void)caller;
    if (args->madv > I915_MADV_DONTNEED)
        return -EINVAL;
    struct i915_object *object = i915_file_object(file, args->handle);
    if (!object)
        return -ENOENT;
    object->is_discardable = args->madv == I915_MADV_DONTNEED;
    object->is_purged = object->is_purged || (object->is_discardable && !object->has_pages);
    args->retained = !object->is_purged;
    return 0;
}

int i915_gem_get_aperture(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_i915_gem_get_aperture *args = argument;
    const struct i915_space *ggtt = &file->device->ggtt;
    (void)caller;
    args->aper_size = args->aper_available_size = ggtt->end;
    for (size_t i = 0; i < ggtt->count; i++)
        args->aper_available_size -= ggtt->mappings[i].object->size;
    return 0;
}
