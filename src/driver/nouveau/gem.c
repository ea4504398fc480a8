/* SPDX-License-Identifier: MIT */
/* Buffers. No command of the GPU uses them, as there are no channels; programs can map them. */
#include <errno.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "driver/nouveau/device.h"

#define PAGE       UINT64_C(4096)
#define PITCH      256u            /* rows of dumb buffers are multiples of it */
#define LARGE_PAGE UINT64_C(65536) /* of VRAM from Tesla on, for buffers that are not smaller */

struct nouveau_buffer {
    unsigned references; /* handles */
    struct nouveau_device *device;
    void *memory;
    uint64_t size, cookie;
    uint64_t map_offset;
    uint32_t domain, tile_mode, tile_flags;
    uint32_t name; /* GEM_FLINK; 0: none */
};

struct nouveau_handle {
    uint32_t number;
    uint64_t address; /* of the buffer, for this client's channels */
    struct nouveau_buffer *buffer;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static void *allocate(const struct nouveau_device *device, uint64_t bytes, uint64_t *cookie)
{
    const struct nouveau_settings *settings = &device->settings;
    *cookie = 0;
    return settings->allocate ? settings->allocate(settings->closure, bytes, cookie)
                              : calloc(1, bytes);
}

static void drop(struct nouveau_buffer *buffer)
{
    struct nouveau_device *device = buffer->device;
    const struct nouveau_settings *settings = &device->settings;
    if (--buffer->references)
        return;
    for (size_t i = 0; buffer->name && i < device->named_count; i++)
        if (device->named[i] == buffer) {
            device->named[i] = device->named[--device->named_count];
            break;
        }
    device->memory_used -= buffer->size;
    if (buffer->domain == NOUVEAU_GEM_DOMAIN_VRAM)
        device->vram_used -= buffer->size;
    if (settings->release)
        settings->release(settings->closure, buffer->memory, buffer->size, buffer->cookie);
    else
        free(buffer->memory);
    free(buffer);
}

/* ---- handles --------------------------------------------------------------------------------- */

static struct nouveau_handle *find_handle(const struct nouveau_file *file, uint32_t number)
{
    for (size_t i = 0; i < file->handle_count; i++)
        if (number && file->handles[i].number == number)
            return &file->handles[i];
    return NULL;
}

/* Adds a buffer under the lowest free number. */
static struct nouveau_handle *add_handle(struct nouveau_file *file, struct nouveau_buffer *buffer)
{
    struct nouveau_handle *grown = array_grow(file->handles, &file->handle_capacity,
                                              file->handle_count, sizeof *file->handles);
    uint32_t number = 1;
    if (!grown)
        return NULL;
    file->handles = grown;
    while (find_handle(file, number))
        number++;
    struct nouveau_handle *handle = &grown[file->handle_count++];
    *handle = (struct nouveau_handle){number, file->address, buffer};
    file->address += buffer->size + LARGE_PAGE - buffer->size % LARGE_PAGE;
    buffer->references++;
    return handle;
}

void nouveau_handles_free(struct nouveau_file *file)
{
    for (size_t i = 0; i < file->handle_count; i++)
        drop(file->handles[i].buffer);
    free(file->handles);
    file->handles = NULL;
    file->handle_count = 0;
}

static void describe(const struct nouveau_handle *handle, struct drm_nouveau_gem_info *info)
{
    const struct nouveau_buffer *buffer = handle->buffer;
    *info = (struct drm_nouveau_gem_info){.handle = handle->number,
                                          .domain = buffer->domain,
                                          .size = buffer->size,
                                          .offset = handle->address,
                                          .map_handle = buffer->map_offset,
                                          .tile_mode = buffer->tile_mode,
                                          .tile_flags = buffer->tile_flags};
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Returns the domain: VRAM if it may be there and the GPU has its own memory. */
static uint32_t domain_of(const struct nouveau_device *device, uint32_t requested)
{
    if (requested & NOUVEAU_GEM_DOMAIN_VRAM && device->settings.vram_bytes)
        return NOUVEAU_GEM_DOMAIN_VRAM;
    return NOUVEAU_GEM_DOMAIN_GART;
}

/* Returns a size in whole pages; 0: too large. */
static uint64_t size_of(const struct nouveau_device *device, uint32_t domain, uint64_t size)
{
    bool large = device->family >= NV_DEVICE_INFO_V0_TESLA && domain == NOUVEAU_GEM_DOMAIN_VRAM &&
                 size >= LARGE_PAGE;
    uint64_t page = large ? LARGE_PAGE : PAGE, free_bytes;
    size = size > UINT64_MAX - page ? UINT64_MAX : (size + page - 1) / page * page;
    free_bytes = device->settings.memory_bytes - device->memory_used;
    if (size > free_bytes || (domain == NOUVEAU_GEM_DOMAIN_VRAM &&
                              size > device->settings.vram_bytes - device->vram_used))
        return 0;
    return size;
}

/* The kinds of storage that the page tables of Tesla and of Fermi know, as nouveau lists them:
 * ranges of numbers. */
static const struct {
    uint8_t family, first, last;
} kinds[] = {
#define TESLA NV_DEVICE_INFO_V0_TESLA
#define FERMI NV_DEVICE_INFO_V0_FERMI
    {TESLA, 0x00, 0x00}, {TESLA, 0x10, 0x13}, {TESLA, 0x18, 0x1b}, {TESLA, 0x20, 0x26},
    {TESLA, 0x28, 0x2e}, {TESLA, 0x40, 0x4d}, {TESLA, 0x54, 0x56}, {TESLA, 0x60, 0x66},
    {TESLA, 0x68, 0x70}, {TESLA, 0x72, 0x72}, {TESLA, 0x74, 0x74}, {TESLA, 0x76, 0x76},
    {TESLA, 0x78, 0x7d}, {FERMI, 0x00, 0x05}, {FERMI, 0x07, 0x0a}, {FERMI, 0x11, 0x11},
    {FERMI, 0x17, 0x1a}, {FERMI, 0x26, 0x29}, {FERMI, 0x3a, 0x41}, {FERMI, 0x46, 0x46},
    {FERMI, 0x51, 0x54}, {FERMI, 0x7b, 0x7b}, {FERMI, 0x86, 0x89}, {FERMI, 0x8b, 0x8e},
    {FERMI, 0xa3, 0xaa}, {FERMI, 0xbf, 0xc3}, {FERMI, 0xcc, 0xd1}, {FERMI, 0xd8, 0xd8},
    {FERMI, 0xdb, 0xdb}, {FERMI, 0xdd, 0xdd}, {FERMI, 0xdf, 0xe0}, {FERMI, 0xe2, 0xe6},
    {FERMI, 0xe9, 0xe9}, {FERMI, 0xeb, 0xeb}, {FERMI, 0xed, 0xee}, {FERMI, 0xf0, 0xfb},
    {FERMI, 0xfd, 0xfe},
};

/* Whether a buffer can have these tile flags. Earlier families have no kinds. */
static bool has_kind(const struct nouveau_device *device, uint32_t flags)
{
    uint8_t kind = (uint8_t)(flags >> 8);
    if (device->family < TESLA)
        return true;
    if (device->family == TESLA)
        kind &= 0x7f;
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (kinds[i].family == device->family && kind >= kinds[i].first && kind <= kinds[i].last)
            return true;
    return false;
}

static uint32_t tile_flags(const struct nouveau_device *device, uint32_t flags)
{
    const uint32_t tesla = NOUVEAU_GEM_TILE_COMP | 0x7f00, fermi = NOUVEAU_GEM_TILE_LAYOUT_MASK,
                   earlier =
                       NOUVEAU_GEM_TILE_ZETA | NOUVEAU_GEM_TILE_32BPP | NOUVEAU_GEM_TILE_16BPP;
    uint32_t kept = device->family >= NV_DEVICE_INFO_V0_FERMI   ? fermi
                    : device->family >= NV_DEVICE_INFO_V0_TESLA ? tesla
                                                                : earlier;
    return flags & (kept | NOUVEAU_GEM_TILE_NONCONTIG);
}

int nouveau_gem_new(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct nouveau_device *device = file->device;
    struct drm_nouveau_gem_info *info = &((struct drm_nouveau_gem_new *)argument)->info;
    (void)caller;
    bool anywhere = info->domain & (NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_GART) ||
                    device->family < TESLA;
    if (!info->size || !anywhere || !has_kind(device, info->tile_flags))
        return -EINVAL;
    uint32_t domain = domain_of(device, info->domain);
    uint64_t size = size_of(device, domain, info->size);
    struct nouveau_buffer *buffer = size ? calloc(1, sizeof *buffer) : NULL;
    if (!buffer)
        return -ENOMEM;
    *buffer = (struct nouveau_buffer){.references = 1,
                                      .device = device,
                                      .size = size,
                                      .map_offset = device->map_offset,
                                      .domain = domain,
                                      .tile_mode = info->tile_mode,
                                      .tile_flags = tile_flags(device, info->tile_flags)};
    buffer->memory = allocate(device, size, &buffer->cookie);
    if (!buffer->memory) {
        free(buffer);
        return -ENOMEM;
    }
    device->map_offset += size;
    device->memory_used += size;
    if (domain == NOUVEAU_GEM_DOMAIN_VRAM)
        device->vram_used += size;
    const struct nouveau_handle *handle = add_handle(file, buffer);
    if (handle)
        describe(handle, info);
    drop(buffer); /* the handle holds it now */
    return handle ? 0 : -ENOMEM;
}

int nouveau_gem_info(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_nouveau_gem_info *info = argument;
    const struct nouveau_handle *handle = find_handle(file, info->handle);
    (void)caller;
    if (!handle)
        return -ENOENT;
    describe(handle, info);
    return 0;
}

/* Nothing uses buffers, so that no wait is needed. */
int nouveau_gem_cpu_prep(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_nouveau_gem_cpu_prep *args = argument;
    (void)caller;
    return find_handle(file, args->handle) ? 0 : -ENOENT;
}

int nouveau_gem_cpu_fini(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_nouveau_gem_cpu_fini *args = argument;
    (void)caller;
    return find_handle(file, args->handle) ? 0 : -ENOENT;
}

int nouveau_gem_close(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_gem_close *args = argument;
    struct nouveau_handle *handle = find_handle(file, args->handle);
    (void)caller;
    if (!handle)
        return -EINVAL;
    drop(handle->buffer);
    *handle = file->handles[--file->handle_count];
    return 0;
}

/* Buffers cannot be shared by descriptors. */
int nouveau_export(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_prime_handle *args = argument;
    (void)caller;
    return find_handle(file, args->handle) ? -ENOSYS : -ENOENT;
}

/* ---- dumb buffers ---------------------------------------------------------------------------- */

int nouveau_create_dumb(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_mode_create_dumb *args = argument;
    uint64_t pitch = (args->width * (uint64_t)((args->bpp + 7) / 8) + PITCH - 1) / PITCH * PITCH;
    struct drm_nouveau_gem_new new = {.info = {.domain = NOUVEAU_GEM_DOMAIN_VRAM}};
    if (!args->width || !args->height || !args->bpp || pitch > UINT32_MAX)
        return -EINVAL;
    new.info.size = pitch * args->height;
    int result = nouveau_gem_new(file, &new, caller);
    if (result < 0)
        return result;
    args->pitch = (uint32_t)pitch;
    args->size = new.info.size;
    args->handle = new.info.handle;
    return 0;
}

int nouveau_map_dumb(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_mode_map_dumb *args = argument;
    const struct nouveau_handle *handle = find_handle(file, args->handle);
    (void)caller;
    if (!handle)
        return -ENOENT;
    args->offset = handle->buffer->map_offset;
    return 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

static struct nouveau_buffer *find_name(const struct nouveau_device *device, uint32_t name)
{
    for (size_t i = 0; i < device->named_count; i++)
        if (device->named[i]->name == name)
            return device->named[i];
    return NULL;
}

int nouveau_gem_flink(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_gem_flink *args = argument;
    struct nouveau_device *device = file->device;
    const struct nouveau_handle *handle = find_handle(file, args->handle);
    (void)caller;
    if (!handle)
        return -ENOENT;
    struct nouveau_buffer *buffer = handle->buffer;
    if (!buffer->name) {
        struct nouveau_buffer **grown = array_grow(device->named, &device->named_capacity,
                                                   device->named_count, sizeof *device->named);
        uint32_t name = 1;
        if (!grown)
            return -ENOMEM;
        while (find_name(device, name))
            name++;
        device->named = grown;
        grown[device->named_count++] = buffer;
        buffer->name = name;
    }
    args->name = buffer->name;
    return 0;
}

int nouveau_gem_open(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_gem_open *args = argument;
    struct nouveau_buffer *buffer = find_name(file->device, args->name);
    (void)caller;
    if (!buffer)
        return -ENOENT;
    const struct nouveau_handle *handle = add_handle(file, buffer);
    if (!handle)
        return -ENOMEM;
    args->handle = handle->number;
    args->size = buffer->size;
    return 0;
}

/* ---- mmap ------------------------------------------------------------------------------------ */

int nouveau_file_mapping(const struct nouveau_file *file, uint64_t offset, uint64_t bytes,
                         uint64_t *cookie)
{
    bool is_other = false;
    for (const struct nouveau_file *f = file->device->files; f; f = f->next)
        for (size_t i = 0; i < f->handle_count; i++) {
            const struct nouveau_buffer *buffer = f->handles[i].buffer;
            if (buffer->map_offset != offset || bytes > buffer->size)
                continue;
            *cookie = buffer->cookie;
            if (f == file)
                return 0;
            is_other = true;
        }
    return is_other ? -EACCES : -EINVAL;
}
