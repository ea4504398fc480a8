/* SPDX-License-Identifier: MIT */
/* Mapping objects: GEM_MMAP, offsets for mmap(), and what mmap() of the device makes of them. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kinds.h"

typedef struct drm_i915_gem_mmap mmap_;
typedef struct drm_i915_gem_mmap_offset mmap_offset;
typedef struct drm_i915_gem_mmap_gtt mmap_gtt;

static uint64_t offset; /* of the latest MMAP_OFFSET */

/* Prints the object's word 4 through the mapping, and unmaps it. */
static void show_mapping(const struct call *call, const void *args, const uint8_t *data)
{
    const mmap_ *map = args;
    (void)data;
    if (!map->addr_ptr)
        return;
    const uint32_t *words = (const uint32_t *)(uintptr_t)map->addr_ptr;
    print_field("word", words[map->offset ? 0 : 4], HEX);
    (void)call;
    munmap((void *)(uintptr_t)map->addr_ptr, map->size);
}

static void keep_offset(const struct call *call, const void *args, const uint8_t *data)
{
    const mmap_offset *map = args;
    (void)call;
    (void)data;
    offset = map->offset;
    print_field("page", map->offset % 4096 == 0, PLAIN);
}

static const struct kind mmap__kind = {
    DRM_IOCTL_I915_GEM_MMAP,
    sizeof(mmap_),
    {FIELD_AS(mmap_, addr_ptr, HIDDEN)},
    .show = show_mapping,
};
static const struct kind mmap_offset_kind = {
    DRM_IOCTL_I915_GEM_MMAP_OFFSET,
    sizeof(mmap_offset),
    {FIELD_AS(mmap_offset, offset, HIDDEN)},
    .show = keep_offset,
};
static const struct kind mmap_gtt_kind = {
    DRM_IOCTL_I915_GEM_MMAP_GTT, sizeof(mmap_gtt), {FIELD_AS(mmap_gtt, offset, HIDDEN)}};

static uint8_t *map_at(const struct call *call)
{
    errno = 0;
    return mmap(NULL, (size_t)call->b, PROT_READ | PROT_WRITE, MAP_SHARED,
                (int)slots[call->fd ? call->fd : CARD], (off_t)offset + call->a);
}

static void show_map(const struct call *call, uint8_t *at)
{
    print_result(call, at == MAP_FAILED ? -1 : 0, PLAIN);
    if (at != MAP_FAILED) {
        print_field("word", ((const uint32_t *)(const void *)at)[4], HEX);
        munmap(at, (size_t)call->b);
    }
    print_end();
}

/* mmap() of the device at the latest offset plus a: b bytes. */
static void map_device(const struct call *call)
{
    show_map(call, map_at(call));
}
static const struct kind device_kind = {.make = map_device};

/* The kernel frees a closed object later, in another thread. Until then its offset exists, for no
   file: EACCES. */
static void map_closed(const struct call *call)
{
    uint8_t *at = map_at(call);
    for (int i = 0; i < 1000 && at == MAP_FAILED && errno == EACCES; i++) {
        usleep(1000);
        at = map_at(call);
    }
    show_map(call, at);
}
static const struct kind closed_kind = {.make = map_closed};

static const struct call calls[] = {
    /* clang-format off */
    CALL("mmap/object", mmap_, WITH(.handle = SLOT(PAGE), .size = 4096)),
    CALL("mmap/write-combined", mmap_, WITH(.handle = SLOT(PAGE), .size = 4096, .flags = I915_MMAP_WC)),
    CALL("mmap/flags-2", mmap_, WITH(.handle = SLOT(PAGE), .size = 4096, .flags = 2)),
    CALL("mmap/flags-2-unknown", mmap_, WITH(.handle = 999, .size = 4096, .flags = 2)),
    CALL("mmap/unknown", mmap_, WITH(.handle = 999, .size = 4096)),
    CALL("mmap/size-0", mmap_, WITH(.handle = SLOT(PAGE), .size = 0)),
    CALL("mmap/part-of-page", mmap_, WITH(.handle = SLOT(PAGE), .size = 100)),
    CALL("mmap/too-large", mmap_, WITH(.handle = SLOT(PAGE), .size = 4097)),
    CALL("mmap/second-page", mmap_, WITH(.handle = SLOT(LARGE), .offset = 4096, .size = 4096)),
    CALL("mmap/unaligned", mmap_, WITH(.handle = SLOT(LARGE), .offset = 100, .size = 4096)),
    CALL("mmap/past-end", mmap_, WITH(.handle = SLOT(PAGE), .offset = 4096, .size = 4096)),
    CALL("mmap/overflow", mmap_, WITH(.handle = SLOT(PAGE), .offset = UINT64_MAX - 4095, .size = 8192)),
    CALL("mmap/without-flags", mmap_, WITH(.handle = SLOT(PAGE), .size = 4096, .flags = 2),
         .request = DRM_IOWR(DRM_COMMAND_BASE + DRM_I915_GEM_MMAP, uint64_t[4])),
    CALL("mmap/render", mmap_, WITH(.handle = 999, .size = 4096), .fd = RENDER),

    CALL("mmap-offset/flags-5", mmap_offset, WITH(.handle = SLOT(PAGE), .flags = 5)),
    CALL("mmap-offset/flags-5-unknown", mmap_offset, WITH(.handle = 999, .flags = 5)),
    CALL("mmap-offset/fixed", mmap_offset, WITH(.handle = SLOT(PAGE), .flags = 4)),
    CALL("mmap-offset/fixed-unknown", mmap_offset, WITH(.handle = 999, .flags = 4)),
    CALL("mmap-offset/unknown", mmap_offset, WITH(.handle = 999, .flags = I915_MMAP_OFFSET_WB)),
    CALL("mmap-offset/extension", mmap_offset, WITH(.handle = SLOT(PAGE), .extensions = DATA(0))),
    CALL("mmap-offset/extension-fault", mmap_offset, WITH(.handle = SLOT(PAGE), .extensions = BAD)),
    CALL("mmap-offset/pad", mmap_offset, WITH(.handle = SLOT(PAGE), .pad = 1, .flags = I915_MMAP_OFFSET_WB)),
    CALL("mmap-offset/uncached", mmap_offset, WITH(.handle = SLOT(PAGE), .flags = I915_MMAP_OFFSET_UC)),
    {"map/uncached", &device_kind, .b = 4096},
    CALL("mmap-offset/write-combined", mmap_offset, WITH(.handle = SLOT(PAGE), .flags = I915_MMAP_OFFSET_WC)),
    {"map/write-combined", &device_kind, .b = 4096},
    CALL("mmap-offset/write-back", mmap_offset, WITH(.handle = SLOT(PAGE), .flags = I915_MMAP_OFFSET_WB)),
    {"map/write-back", &device_kind, .b = 4096},
    {"map/other-file", &device_kind, .b = 4096, .fd = RENDER},
    {"map/too-large", &device_kind, .b = 8192},
    CALL("mmap-offset/of-large", mmap_offset, WITH(.handle = SLOT(LARGE), .flags = I915_MMAP_OFFSET_WB)),
    {"map/part-of-large", &device_kind, .b = 4096},
    {"map/large", &device_kind, .b = 65536},
    {"map/second-page-of-large", &device_kind, .a = 4096, .b = 4096},
    CALL("mmap-gtt/object", mmap_gtt, WITH(.handle = SLOT(PAGE))),
    CALL("mmap-gtt/unknown", mmap_gtt, WITH(.handle = 999)),
    CALL("mmap-offset/create", gem_create, WITH(.size = 4096), .keep = OTHER),
    CALL("mmap-offset/of-other", mmap_offset, WITH(.handle = SLOT(OTHER), .flags = I915_MMAP_OFFSET_WB)),
    CALL("mmap-offset/close", gem_close, WITH(.handle = SLOT(OTHER))),
    {"map/closed", &closed_kind, .b = 4096},
    /* clang-format on */
};

GROUP(mapping_group, calls);
