/* SPDX-License-Identifier: MIT */
/* Objects: creation, reading and writing, domains, tiling, caching, waiting. */
#include "kinds.h"

/* ---- kinds ----------------------------------------------------------------------------------- */

typedef struct drm_i915_gem_create_ext create_ext;
static const struct kind create_ext_kind = {
    DRM_IOCTL_I915_GEM_CREATE_EXT,
    sizeof(create_ext),
    {FIELD(create_ext, handle), FIELD(create_ext, size), FIELD(create_ext, flags)},
    1,
};
typedef struct drm_i915_gem_set_domain set_domain;
static const struct kind set_domain_kind = {DRM_IOCTL_I915_GEM_SET_DOMAIN, sizeof(set_domain)};
typedef struct drm_i915_gem_sw_finish sw_finish;
static const struct kind sw_finish_kind = {DRM_IOCTL_I915_GEM_SW_FINISH, sizeof(sw_finish)};
typedef struct drm_i915_gem_set_tiling set_tiling;
static const struct kind set_tiling_kind = {
    DRM_IOCTL_I915_GEM_SET_TILING,
    sizeof(set_tiling),
    {FIELD(set_tiling, tiling_mode), FIELD(set_tiling, stride), FIELD(set_tiling, swizzle_mode)},
};
typedef struct drm_i915_gem_get_tiling get_tiling;
static const struct kind get_tiling_kind = {
    DRM_IOCTL_I915_GEM_GET_TILING,
    sizeof(get_tiling),
    {FIELD(get_tiling, tiling_mode), FIELD(get_tiling, swizzle_mode),
     FIELD(get_tiling, phys_swizzle_mode)},
};
typedef struct drm_i915_gem_caching set_caching, get_caching;
static const struct kind set_caching_kind = {DRM_IOCTL_I915_GEM_SET_CACHING, sizeof(set_caching)};
static const struct kind get_caching_kind = {
    DRM_IOCTL_I915_GEM_GET_CACHING, sizeof(get_caching), {FIELD(get_caching, caching)}};
typedef struct drm_i915_gem_madvise madvise_;
static const struct kind madvise__kind = {
    DRM_IOCTL_I915_GEM_MADVISE, sizeof(madvise_), {FIELD(madvise_, retained)}};
typedef struct drm_i915_gem_get_aperture aperture;
static const struct kind aperture_kind = {
    DRM_IOCTL_I915_GEM_GET_APERTURE,
    sizeof(aperture),
    {FIELD(aperture, aper_size), FIELD_AS(aperture, aper_available_size, HIDDEN)},
};
typedef struct drm_i915_gem_userptr userptr;
static const struct kind userptr_kind = {
    DRM_IOCTL_I915_GEM_USERPTR, sizeof(userptr), {FIELD(userptr, handle)}, 1};
typedef struct {
    uint64_t unused;
} throttle;
static const struct kind throttle_kind = {DRM_IOCTL_I915_GEM_THROTTLE, sizeof(throttle)};

/* ---- extensions ------------------------------------------------------------------------------ */

struct regions {
    struct drm_i915_gem_create_ext_memory_regions link[2];
    struct drm_i915_gem_memory_class_instance regions[2];
};
#define LINK(n)                                                                                    \
    DATA(offsetof(struct regions, link) +                                                          \
         (n) * sizeof(struct drm_i915_gem_create_ext_memory_regions))
#define REGIONS  DATA(offsetof(struct regions, regions))
#define EXTENDED WITH(.size = 4096, .extensions = LINK(0))

static const struct call calls[] = {
    /* clang-format off */
    CALL("create/page", gem_create, WITH(.size = 4096), .keep = PAGE),
    CALL("create/1-byte", gem_create, WITH(.size = 1)),
    CALL("create/4097", gem_create, WITH(.size = 4097)),
    CALL("create/zero", gem_create, WITH(.size = 0)),
    CALL("create/4G", gem_create, WITH(.size = 1ull << 32), .keep = LARGE),
    CALL("close/4G", gem_close, WITH(.handle = SLOT(LARGE))),
    CALL("create/64T", gem_create, WITH(.size = 1ull << 46)),
    CALL("create/top-bit", gem_create, WITH(.size = 1ull << 63)),
    CALL("create/overflow", gem_create, WITH(.size = UINT64_MAX)),
    CALL("create/last-page", gem_create, WITH(.size = UINT64_MAX - 4095)),
    CALL("create/pad", gem_create, WITH(.size = 4096, .pad = 7)),
    CALL("create/render", gem_create, WITH(.size = 4096), .fd = RENDER),
    CALL("create/as-user", gem_create, WITH(.size = 4096), .as_user = true),
    CALL("create/large", gem_create, WITH(.size = 65536), .keep = LARGE),

    CALL("create-ext/plain", create_ext, WITH(.size = 5000)),
    CALL("create-ext/zero", create_ext, WITH(.size = 0)),
    CALL("create-ext/cpu-access", create_ext, WITH(.size = 4096, .flags = 1)),
    CALL("create-ext/flags", create_ext, WITH(.size = 4096, .flags = 2)),
    CALL("create-ext/fault", create_ext, WITH(.size = 4096, .extensions = BAD)),
    CALL("create-ext/system-memory", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 1, .regions = REGIONS})),
    CALL("create-ext/local-memory", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 1, .regions = REGIONS}, .regions[0] = {1, 0})),
    CALL("create-ext/class-2", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 1, .regions = REGIONS}, .regions[0] = {2, 0})),
    CALL("create-ext/instance-1", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 1, .regions = REGIONS}, .regions[0] = {0, 1})),
    CALL("create-ext/no-region", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 0, .regions = REGIONS})),
    CALL("create-ext/twice-the-region", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 2, .regions = REGIONS})),
    CALL("create-ext/many-regions", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 1000, .regions = REGIONS})),
    CALL("create-ext/regions-fault", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.num_regions = 1, .regions = BAD})),
    CALL("create-ext/regions-pad", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.pad = 1, .num_regions = 1, .regions = REGIONS})),
    CALL("create-ext/two-lists", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link = {{.base.next_extension = LINK(1), .num_regions = 1, .regions = REGIONS},
                  {.num_regions = 1, .regions = REGIONS}})),
    CALL("create-ext/loop", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.base.next_extension = LINK(0), .num_regions = 1, .regions = REGIONS})),
    CALL("create-ext/next-fault", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.base.next_extension = BAD, .num_regions = 1, .regions = REGIONS})),
    CALL("create-ext/link-flags", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.base.flags = 1, .num_regions = 1, .regions = REGIONS})),
    CALL("create-ext/link-reserved", create_ext, EXTENDED, PAYLOAD(struct regions,
         .link[0] = {.base.rsvd[3] = 1, .num_regions = 1, .regions = REGIONS})),
    CALL("create-ext/protected", create_ext, EXTENDED, PAYLOAD(struct regions, .link[0].base.name = 1)),
    CALL("create-ext/name-2", create_ext, EXTENDED, PAYLOAD(struct regions, .link[0].base.name = 2)),
    CALL("create-ext/name-99", create_ext, EXTENDED, PAYLOAD(struct regions, .link[0].base.name = 99)),
    CALL("create-ext/as-create", create_ext, WITH(.size = 4096),
         .request = DRM_IOWR(DRM_COMMAND_BASE + DRM_I915_GEM_CREATE_EXT, gem_create)),

    CALL("pwrite/words", pwrite_, WITH(SLOT(PAGE), 0, 16, 8, DATA(0)), PAYLOAD(uint64_t, 0x2222222211111111)),
    CALL("pread/words", pread_, WITH(SLOT(PAGE), 0, 12, 16, DATA(0)), .words = 4),
    CALL("pread/end", pread_, WITH(SLOT(PAGE), 0, 4088, 8, DATA(0)), PAYLOAD(uint64_t, UINT64_MAX), .words = 2),
    CALL("pread/past-end", pread_, WITH(SLOT(PAGE), 0, 4088, 9, DATA(0))),
    CALL("pread/offset-past-end", pread_, WITH(SLOT(PAGE), 0, 4096, 1, DATA(0))),
    CALL("pread/nothing", pread_, WITH(SLOT(PAGE), 0, 0, 0, DATA(0))),
    CALL("pread/nothing-unknown", pread_, WITH(999, 0, 0, 0, DATA(0))),
    CALL("pread/nothing-past-end", pread_, WITH(SLOT(PAGE), 0, 5000, 0, DATA(0))),
    CALL("pread/overflow", pread_, WITH(SLOT(PAGE), 0, UINT64_MAX, 8, DATA(0))),
    CALL("pread/huge", pread_, WITH(SLOT(PAGE), 0, 0, UINT64_MAX, DATA(0))),
    CALL("pread/unknown", pread_, WITH(999, 0, 0, 8, DATA(0))),
    CALL("pread/fault", pread_, WITH(SLOT(PAGE), 0, 0, 8, BAD)),
    CALL("pread/kernel-address", pread_, WITH(SLOT(PAGE), 0, 0, 8, UINT64_MAX - 4095)),
    CALL("pread/kernel-address-unknown", pread_, WITH(999, 0, 0, 8, UINT64_MAX - 4095)),
    CALL("pread/pad", pread_, WITH(SLOT(PAGE), 9, 16, 8, DATA(0)), .words = 2),
    CALL("pwrite/past-end", pwrite_, WITH(SLOT(PAGE), 0, 4095, 2, DATA(0))),
    CALL("pwrite/nothing-unknown", pwrite_, WITH(999, 0, 0, 0, DATA(0))),
    CALL("pwrite/unknown", pwrite_, WITH(999, 0, 0, 8, DATA(0))),
    CALL("pwrite/fault", pwrite_, WITH(SLOT(PAGE), 0, 0, 8, BAD)),
    CALL("pwrite/half-fault", pwrite_, WITH(SLOT(PAGE), 0, 0, 16, DATA(DATA_BYTES - 8))),
    CALL("pwrite/kernel-address-unknown", pwrite_, WITH(999, 0, 0, 8, UINT64_MAX - 4095)),
    CALL("pwrite/last-byte", pwrite_, WITH(SLOT(PAGE), 0, 4095, 1, DATA(0)), PAYLOAD(uint8_t, 0x5a)),
    CALL("pread/last-word", pread_, WITH(SLOT(PAGE), 0, 4092, 4, DATA(0)), .words = 1),

    CALL("set-domain/cpu", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_CPU, 0)),
    CALL("set-domain/cpu-write", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU)),
    CALL("set-domain/gtt-write", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT)),
    CALL("set-domain/wc-write", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_WC, I915_GEM_DOMAIN_WC)),
    CALL("set-domain/two-read", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT, 0)),
    CALL("set-domain/two-write", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT,
                                                  I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT)),
    CALL("set-domain/other-write", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_GTT)),
    CALL("set-domain/write-only", set_domain, WITH(SLOT(PAGE), 0, I915_GEM_DOMAIN_CPU)),
    CALL("set-domain/none", set_domain, WITH(SLOT(PAGE), 0, 0)),
    CALL("set-domain/none-unknown", set_domain, WITH(999, 0, 0)),
    CALL("set-domain/render", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_RENDER, 0)),
    CALL("set-domain/sampler", set_domain, WITH(SLOT(PAGE), I915_GEM_DOMAIN_SAMPLER, 0)),
    CALL("set-domain/bit-8", set_domain, WITH(SLOT(PAGE), 0x100, 0)),
    CALL("set-domain/bit-31-write", set_domain, WITH(SLOT(PAGE), 1u << 31, 1u << 31)),
    CALL("set-domain/unknown", set_domain, WITH(999, I915_GEM_DOMAIN_CPU, 0)),

    CALL("busy/idle", busy, WITH(SLOT(PAGE), 77)),
    CALL("busy/unknown", busy, WITH(999, 77)),
    CALL("wait/idle", wait_, WITH(SLOT(PAGE), 0, 1000000000)),
    CALL("wait/forever", wait_, WITH(SLOT(PAGE), 0, -1)),
    CALL("wait/zero", wait_, WITH(SLOT(PAGE), 0, 0)),
    CALL("wait/flags", wait_, WITH(SLOT(PAGE), 1, 0)),
    CALL("wait/unknown", wait_, WITH(999, 0, 0)),
    CALL("wait/flags-unknown", wait_, WITH(999, 1, 0)),
    CALL("throttle/idle", throttle, WITH(0)),
    CALL("throttle/render", throttle, WITH(0), .fd = RENDER),
    CALL("sw-finish/object", sw_finish, WITH(SLOT(PAGE))),
    CALL("sw-finish/unknown", sw_finish, WITH(999)),

    CALL("create/tiled", gem_create, WITH(.size = 1 << 20), .keep = TILED),
    CALL("tiling/get-none", get_tiling, WITH(SLOT(TILED), 9, 9, 9)),
    CALL("tiling/x", set_tiling, WITH(SLOT(TILED), I915_TILING_X, 512, 9)),
    CALL("tiling/get-x", get_tiling, WITH(SLOT(TILED), 9, 9, 9)),
    CALL("tiling/y", set_tiling, WITH(SLOT(TILED), I915_TILING_Y, 128, 9)),
    CALL("tiling/get-y", get_tiling, WITH(SLOT(TILED), 9, 9, 9)),
    CALL("tiling/none", set_tiling, WITH(SLOT(TILED), I915_TILING_NONE, 512, 9)),
    CALL("tiling/none-without-stride", set_tiling, WITH(SLOT(TILED), I915_TILING_NONE, 0, 9)),
    CALL("tiling/x-no-stride", set_tiling, WITH(SLOT(TILED), I915_TILING_X, 0, 9)),
    CALL("tiling/x-stride-100", set_tiling, WITH(SLOT(TILED), I915_TILING_X, 100, 9)),
    CALL("tiling/x-stride-128", set_tiling, WITH(SLOT(TILED), I915_TILING_X, 128, 9)),
    CALL("tiling/x-stride-768", set_tiling, WITH(SLOT(TILED), I915_TILING_X, 768, 9)),
    CALL("tiling/y-stride-64", set_tiling, WITH(SLOT(TILED), I915_TILING_Y, 64, 9)),
    CALL("tiling/y-stride-384", set_tiling, WITH(SLOT(TILED), I915_TILING_Y, 384, 9)),
    CALL("tiling/stride-max", set_tiling, WITH(SLOT(TILED), I915_TILING_X, 256 * 1024, 9)),
    CALL("tiling/stride-more", set_tiling, WITH(SLOT(TILED), I915_TILING_X, 256 * 1024 + 512, 9)),
    CALL("tiling/mode-3", set_tiling, WITH(SLOT(TILED), 3, 512, 9)),
    CALL("tiling/mode-3-unknown", set_tiling, WITH(999, 3, 512, 9)),
    CALL("tiling/unknown", set_tiling, WITH(999, I915_TILING_X, 512, 9)),
    CALL("tiling/get-unknown", get_tiling, WITH(999, 9, 9, 9)),

    CALL("caching/default", get_caching, WITH(SLOT(LARGE), 99)),
    CALL("caching/set-none", set_caching, WITH(SLOT(LARGE), I915_CACHING_NONE)),
    CALL("caching/none", get_caching, WITH(SLOT(LARGE), 99)),
    CALL("caching/set-cached", set_caching, WITH(SLOT(LARGE), I915_CACHING_CACHED)),
    CALL("caching/cached", get_caching, WITH(SLOT(LARGE), 99)),
    CALL("caching/set-display", set_caching, WITH(SLOT(LARGE), I915_CACHING_DISPLAY)),
    CALL("caching/display", get_caching, WITH(SLOT(LARGE), 99)),
    CALL("caching/set-3", set_caching, WITH(SLOT(LARGE), 3)),
    CALL("caching/set-unknown", set_caching, WITH(999, I915_CACHING_NONE)),
    CALL("caching/set-3-unknown", set_caching, WITH(999, 3)),
    CALL("caching/get-unknown", get_caching, WITH(999, 99)),

    CALL("madvise/will-need", madvise_, WITH(SLOT(PAGE), I915_MADV_WILLNEED, 9)),
    CALL("madvise/mode-2", madvise_, WITH(SLOT(PAGE), 2, 9)),
    CALL("madvise/unknown", madvise_, WITH(999, I915_MADV_WILLNEED, 9)),
    CALL("madvise/mode-2-unknown", madvise_, WITH(999, 2, 9)),
    CALL("create/to-purge", gem_create, WITH(.size = 4096), .keep = PURGED),
    CALL("madvise/dont-need-without-pages", madvise_, WITH(SLOT(PURGED), I915_MADV_DONTNEED, 9)),
    CALL("madvise/purged", madvise_, WITH(SLOT(PURGED), I915_MADV_WILLNEED, 9)),
    CALL("pread/purged", pread_, WITH(SLOT(PURGED), 0, 0, 8, DATA(0))),
    CALL("pwrite/purged", pwrite_, WITH(SLOT(PURGED), 0, 0, 8, DATA(0))),
    CALL("set-domain/purged", set_domain, WITH(SLOT(PURGED), I915_GEM_DOMAIN_CPU, 0)),
    CALL("busy/purged", busy, WITH(SLOT(PURGED), 77)),
    CALL("close/purged", gem_close, WITH(.handle = SLOT(PURGED))),

    CALL("aperture/size", aperture, WITH(0)),
    CALL("aperture/render", aperture, WITH(0), .fd = RENDER),

    CALL("userptr/size-0", userptr, WITH(DATA(0), 0, 0, 0)),
    CALL("userptr/unaligned", userptr, WITH(DATA(8), 4096, 0, 0)),
    CALL("userptr/part-of-page", userptr, WITH(DATA(0), 100, 0, 0)),
    CALL("userptr/flags", userptr, WITH(DATA(0), 4096, 1u << 30, 0)),
    CALL("userptr/unsynchronized", userptr, WITH(DATA(0), 4096, I915_USERPTR_UNSYNCHRONIZED, 0)),
    CALL("userptr/read-only", userptr, WITH(DATA(0), 4096, I915_USERPTR_READ_ONLY, 0), .keep = OTHER),
    CALL("userptr/read-only-close", gem_close, WITH(.handle = SLOT(OTHER))),
    CALL("userptr/huge", userptr, WITH(0, 1ull << 60, 0, 0)),
    CALL("userptr/kernel-address", userptr, WITH(1ull << 63, 4096, 0, 0)),
    CALL("userptr/probe", userptr, WITH(DATA(0), 4096, I915_USERPTR_PROBE, 0), .keep = OTHER),
    CALL("userptr/probe-close", gem_close, WITH(.handle = SLOT(OTHER))),
    CALL("userptr/probe-unmapped", userptr, WITH(BAD, 4096, I915_USERPTR_PROBE, 0)),
    CALL("userptr/unmapped", userptr, WITH(BAD, 4096, 0, 0), .keep = OTHER),
    CALL("userptr/unmapped-close", gem_close, WITH(.handle = SLOT(OTHER))),
    CALL("userptr/page", userptr, WITH(DATA(0), 4096, 0, 0), .keep = USER_PAGES),
    CALL("userptr/pread", pread_, WITH(SLOT(USER_PAGES), 0, 0, 8, DATA(0))),
    CALL("userptr/set-tiling", set_tiling, WITH(SLOT(USER_PAGES), I915_TILING_X, 512, 9)),
    CALL("userptr/set-uncached", set_caching, WITH(SLOT(USER_PAGES), I915_CACHING_NONE)),
    CALL("userptr/set-cached", set_caching, WITH(SLOT(USER_PAGES), I915_CACHING_CACHED)),
    CALL("userptr/busy", busy, WITH(SLOT(USER_PAGES), 77)),
    CALL("userptr/close", gem_close, WITH(.handle = SLOT(USER_PAGES))),
    /* clang-format on */
};

GROUP(gem_group, calls);
