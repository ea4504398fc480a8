/* SPDX-License-Identifier: MIT */
/* The DRM core's calls: dispatch, version, authentication, capabilities, sharing, sync objects. */
#include <fcntl.h>
#include <stdio.h>

#include "kinds.h"

/* ---- kinds ----------------------------------------------------------------------------------- */

typedef struct drm_version version;
static const struct kind version_kind = {
    DRM_IOCTL_VERSION,
    sizeof(version),
    {FIELD(version, version_major), FIELD(version, version_minor),
     FIELD(version, version_patchlevel), FIELD(version, name_len)},
};

typedef struct drm_unique unique;
static const struct kind unique_kind = {
    DRM_IOCTL_GET_UNIQUE, sizeof(unique), {FIELD(unique, unique_len)}};

typedef struct drm_auth auth;
static const struct kind get_magic_kind = {
    DRM_IOCTL_GET_MAGIC, sizeof(auth), {FIELD(auth, magic)}, 1};
typedef auth get_magic;
static const struct kind auth_magic_kind = {DRM_IOCTL_AUTH_MAGIC, sizeof(auth)};
typedef auth auth_magic;

typedef struct drm_client client;
static const struct kind client_kind = {
    DRM_IOCTL_GET_CLIENT,
    sizeof(client),
    {FIELD(client, auth), FIELD_AS(client, pid, HIDDEN), FIELD(client, uid), FIELD(client, magic)},
};

typedef struct drm_stats stats;
static const struct kind stats_kind = {DRM_IOCTL_GET_STATS, sizeof(stats), {FIELD(stats, count)}};

typedef struct drm_set_version set_version;
static const struct kind set_version_kind = {
    DRM_IOCTL_SET_VERSION,
    sizeof(set_version),
    {FIELD(set_version, drm_di_major), FIELD(set_version, drm_di_minor),
     FIELD(set_version, drm_dd_major), FIELD(set_version, drm_dd_minor)},
};

typedef struct drm_get_cap get_cap;
static const struct kind get_cap_kind = {
    DRM_IOCTL_GET_CAP, sizeof(get_cap), {FIELD(get_cap, value)}};

typedef struct drm_set_client_cap client_cap;
static const struct kind client_cap_kind = {DRM_IOCTL_SET_CLIENT_CAP, sizeof(client_cap)};

typedef struct drm_prime_handle prime_out, prime_in;
static const struct kind prime_out_kind = {
    DRM_IOCTL_PRIME_HANDLE_TO_FD, sizeof(prime_out), {FIELD_AS(prime_out, fd, DESCRIPTOR)}, 1};
static const struct kind prime_in_kind = {
    DRM_IOCTL_PRIME_FD_TO_HANDLE, sizeof(prime_in), {FIELD(prime_in, handle)}, 1};

typedef struct drm_gem_flink flink;
static const struct kind flink_kind = {DRM_IOCTL_GEM_FLINK, sizeof(flink), {FIELD(flink, name)}, 1};
typedef struct drm_gem_open gem_open;
static const struct kind gem_open_kind = {
    DRM_IOCTL_GEM_OPEN, sizeof(gem_open), {FIELD(gem_open, handle), FIELD(gem_open, size)}, 1};

typedef struct drm_syncobj_create syncobj_create;
static const struct kind syncobj_create_kind = {
    DRM_IOCTL_SYNCOBJ_CREATE, sizeof(syncobj_create), {FIELD(syncobj_create, handle)}, 1};
typedef struct drm_syncobj_destroy syncobj_destroy;
static const struct kind syncobj_destroy_kind = {DRM_IOCTL_SYNCOBJ_DESTROY,
                                                 sizeof(syncobj_destroy)};
typedef struct drm_syncobj_wait syncobj_wait;
static const struct kind syncobj_wait_kind = {
    DRM_IOCTL_SYNCOBJ_WAIT, sizeof(syncobj_wait), {FIELD(syncobj_wait, first_signaled)}};
typedef struct drm_syncobj_array syncobj_array;
static const struct kind syncobj_array_kind = {DRM_IOCTL_SYNCOBJ_SIGNAL, sizeof(syncobj_array)};
typedef struct drm_syncobj_handle syncobj_handle;
static const struct kind syncobj_handle_kind = {
    DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
    sizeof(syncobj_handle),
    {FIELD_AS(syncobj_handle, fd, DESCRIPTOR)},
    1,
};

/* Calls all numbers from a to b without an argument: the kernel takes zeros. Those of masters and
 * address spaces change what follows, and have rows. */
static void sweep(const struct call *call)
{
    for (long number = call->a; number <= call->b; number++) {
        char suffix[16];
        struct call one = *call;
        if (number == 0x1e || number == 0x1f || number == 0x7a || number == 0x7b)
            continue;
        one.kind = &any_kind;
        one.args = &(any){0};
        one.request = DRM_IO((unsigned long)number);
        snprintf(suffix, sizeof suffix, "/%#lx", number);
        make_ioctl(&one, suffix);
    }
}
static const struct kind sweep_kind = {.make = sweep};

#define ANY(name, request_, ...) CALL(name, any, WITH(0), .request = request_, ##__VA_ARGS__)

/* ---- rows ------------------------------------------------------------------------------------ */

#define LENGTHS .name_len = 16, .date_len = 0, .desc_len = 0

static const struct call calls[] = {
    /* clang-format off */
    CALL("version/lengths", version, WITH(0)),
    CALL("version/name", version, WITH(.name = (char *)DATA(0), LENGTHS), .words = 2),
    CALL("version/name-short", version, WITH(.name = (char *)DATA(0), .name_len = 2), .words = 2),
    CALL("version/name-fault", version, WITH(.name = (char *)BAD, LENGTHS)),
    CALL("version/no-name", version, WITH(LENGTHS)),
    CALL("version/render", version, WITH(.name = (char *)DATA(0), LENGTHS), .words = 2, .fd = RENDER),
    {"version/fault", &version_kind, NULL},
    CALL("version/half-struct", version, WITH(0), .request = DRM_IOWR(0, uint64_t[4])),
    CALL("version/read-only", version, WITH(.name_len = 16), .request = DRM_IOR(0, version)),
    CALL("version/write-only", version, WITH(.name_len = 16), .request = DRM_IOW(0, version)),
    CALL("version/no-direction", version, WITH(.name_len = 16), .request = DRM_IO(0)),
    CALL("version/wrong-type", version, WITH(0), .request = _IOWR('e', 0, version)),
    CALL("version/type-0", version, WITH(0), .request = _IOWR(0, 0, version)),

    CALL("unique/unset", unique, WITH(.unique = (char *)DATA(0), .unique_len = 64), .words = 3),
    CALL("set-version/query", set_version, WITH(-1, -1, -1, -1)),
    CALL("set-version/wrong-major", set_version, WITH(2, 0, -1, -1)),
    CALL("set-version/wrong-minor", set_version, WITH(1, 5, -1, -1)),
    CALL("set-version/negative-minor", set_version, WITH(1, -1, -1, -1)),
    CALL("set-version/driver-major", set_version, WITH(-1, -1, 2, 0)),
    CALL("set-version/driver-minor", set_version, WITH(-1, -1, 1, 1)),
    CALL("set-version/1.0", set_version, WITH(1, 0, -1, -1)),
    CALL("unique/after-1.0", unique, WITH(.unique = (char *)DATA(0), .unique_len = 64), .words = 3),
    CALL("set-version/1.4", set_version, WITH(1, 4, -1, -1)),
    CALL("set-version/again", set_version, WITH(1, 4, 1, 6)),
    CALL("set-version/render", set_version, WITH(1, 4, -1, -1), .fd = RENDER),
    CALL("unique/length", unique, WITH(0)),
    CALL("unique/short", unique, WITH(.unique = (char *)DATA(0), .unique_len = 11), .words = 3),
    CALL("unique/exact", unique, WITH(.unique = (char *)DATA(0), .unique_len = 12), .words = 4),
    CALL("unique/fault", unique, WITH(.unique = (char *)BAD, .unique_len = 64)),
    CALL("unique/render", unique, WITH(0), .fd = RENDER),

    CALL("magic/get", get_magic, WITH(0), .keep = MAGIC),
    CALL("magic/again", get_magic, WITH(0)),
    CALL("magic/authenticate", auth_magic, WITH(SLOT(MAGIC))),
    CALL("magic/unknown", auth_magic, WITH(12345)),
    CALL("magic/zero", auth_magic, WITH(0)),
    CALL("magic/render", get_magic, WITH(0), .fd = RENDER),
    CALL("magic/authenticate-render", auth_magic, WITH(SLOT(MAGIC)), .fd = RENDER),
    CALL("client/0", client, WITH(.idx = 0)),
    CALL("client/1", client, WITH(.idx = 1)),
    CALL("client/render", client, WITH(.idx = 0), .fd = RENDER),
    CALL("stats/get", stats, WITH(.count = 5)),
    CALL("stats/render", stats, WITH(.count = 5), .fd = RENDER),

    CALL("cap/0", get_cap, WITH(0, 99)),
    CALL("cap/dumb-buffer", get_cap, WITH(DRM_CAP_DUMB_BUFFER, 99)),
    CALL("cap/vblank-high-crtc", get_cap, WITH(DRM_CAP_VBLANK_HIGH_CRTC, 99)),
    CALL("cap/dumb-preferred-depth", get_cap, WITH(DRM_CAP_DUMB_PREFERRED_DEPTH, 99)),
    CALL("cap/dumb-prefer-shadow", get_cap, WITH(DRM_CAP_DUMB_PREFER_SHADOW, 99)),
    CALL("cap/prime", get_cap, WITH(DRM_CAP_PRIME, 99)),
    CALL("cap/monotonic", get_cap, WITH(DRM_CAP_TIMESTAMP_MONOTONIC, 99)),
    CALL("cap/async-flip", get_cap, WITH(DRM_CAP_ASYNC_PAGE_FLIP, 99)),
    CALL("cap/cursor-width", get_cap, WITH(DRM_CAP_CURSOR_WIDTH, 99)),
    CALL("cap/cursor-height", get_cap, WITH(DRM_CAP_CURSOR_HEIGHT, 99)),
    CALL("cap/10", get_cap, WITH(10, 99)),
    CALL("cap/addfb2-modifiers", get_cap, WITH(DRM_CAP_ADDFB2_MODIFIERS, 99)),
    CALL("cap/page-flip-target", get_cap, WITH(DRM_CAP_PAGE_FLIP_TARGET, 99)),
    CALL("cap/crtc-in-vblank", get_cap, WITH(DRM_CAP_CRTC_IN_VBLANK_EVENT, 99)),
    CALL("cap/syncobj", get_cap, WITH(DRM_CAP_SYNCOBJ, 99)),
    CALL("cap/syncobj-timeline", get_cap, WITH(DRM_CAP_SYNCOBJ_TIMELINE, 99)),
    CALL("cap/0x15", get_cap, WITH(0x15, 99)),
    CALL("cap/huge", get_cap, WITH(UINT64_MAX, 99)),
    CALL("cap/render", get_cap, WITH(DRM_CAP_TIMESTAMP_MONOTONIC, 99), .fd = RENDER),
    CALL("cap/as-user", get_cap, WITH(DRM_CAP_TIMESTAMP_MONOTONIC, 99), .as_user = true),

    CALL("client-cap/0", client_cap, WITH(0, 1)),
    CALL("client-cap/stereo-3d", client_cap, WITH(DRM_CLIENT_CAP_STEREO_3D, 1)),
    CALL("client-cap/universal-planes", client_cap, WITH(DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1)),
    CALL("client-cap/universal-planes-2", client_cap, WITH(DRM_CLIENT_CAP_UNIVERSAL_PLANES, 2)),
    CALL("client-cap/atomic", client_cap, WITH(DRM_CLIENT_CAP_ATOMIC, 1)),
    CALL("client-cap/aspect-ratio", client_cap, WITH(DRM_CLIENT_CAP_ASPECT_RATIO, 1)),
    CALL("client-cap/unknown", client_cap, WITH(99, 1)),
    CALL("client-cap/render", client_cap, WITH(DRM_CLIENT_CAP_ATOMIC, 1), .fd = RENDER),

    /* Calls that the DRM core or i915 keeps without effect, or refuses. */
    ANY("dispatch/set-master", DRM_IOCTL_SET_MASTER),
    ANY("dispatch/drop-master", DRM_IOCTL_DROP_MASTER),
    ANY("dispatch/drop-master-again", DRM_IOCTL_DROP_MASTER),
    ANY("dispatch/auth-without-master", DRM_IOCTL_AUTH_MAGIC),
    ANY("dispatch/set-master-again", DRM_IOCTL_SET_MASTER),
    ANY("dispatch/set-master-render", DRM_IOCTL_SET_MASTER, .fd = RENDER),
    ANY("dispatch/irq-busid", DRM_IOCTL_IRQ_BUSID),
    ANY("dispatch/get-map", DRM_IOCTL_GET_MAP),
    ANY("dispatch/set-unique", DRM_IOCTL_SET_UNIQUE),
    ANY("dispatch/block", DRM_IOCTL_BLOCK),
    ANY("dispatch/add-map", DRM_IOCTL_ADD_MAP),
    ANY("dispatch/add-context", DRM_IOCTL_ADD_CTX),
    ANY("dispatch/add-draw", DRM_IOCTL_ADD_DRAW),
    ANY("dispatch/add-draw-as-user", DRM_IOCTL_ADD_DRAW, .as_user = true),
    ANY("dispatch/lock", DRM_IOCTL_LOCK),
    ANY("dispatch/finish", DRM_IOCTL_FINISH),
    ANY("dispatch/number-0x2f", DRM_IO(0x2f)),
    ANY("dispatch/update-draw", DRM_IOCTL_UPDATE_DRAW),
    ANY("dispatch/i915-init", DRM_IOCTL_I915_INIT),
    ANY("dispatch/i915-init-as-user", DRM_IOCTL_I915_INIT, .as_user = true),
    ANY("dispatch/i915-flush", DRM_IOCTL_I915_FLUSH),
    ANY("dispatch/i915-flip", DRM_IOCTL_I915_FLIP),
    ANY("dispatch/i915-batchbuffer", DRM_IOCTL_I915_BATCHBUFFER),
    ANY("dispatch/i915-irq-emit", DRM_IOCTL_I915_IRQ_EMIT),
    ANY("dispatch/i915-irq-wait", DRM_IOCTL_I915_IRQ_WAIT),
    ANY("dispatch/i915-setparam", DRM_IOCTL_I915_SETPARAM),
    ANY("dispatch/i915-setparam-as-user", DRM_IOCTL_I915_SETPARAM, .as_user = true),
    ANY("dispatch/i915-alloc", DRM_IOCTL_I915_ALLOC),
    ANY("dispatch/i915-free", DRM_IOCTL_I915_FREE),
    ANY("dispatch/i915-init-heap", DRM_IOCTL_I915_INIT_HEAP),
    ANY("dispatch/i915-cmdbuffer", DRM_IOCTL_I915_CMDBUFFER),
    ANY("dispatch/i915-destroy-heap", DRM_IOCTL_I915_DESTROY_HEAP),
    ANY("dispatch/i915-set-vblank-pipe", DRM_IOCTL_I915_SET_VBLANK_PIPE),
    ANY("dispatch/i915-get-vblank-pipe", DRM_IOCTL_I915_GET_VBLANK_PIPE),
    ANY("dispatch/i915-vblank-swap", DRM_IOCTL_I915_VBLANK_SWAP),
    ANY("dispatch/i915-number-0x10", DRM_IO(DRM_COMMAND_BASE + 0x10)),
    ANY("dispatch/i915-hws-addr", DRM_IOCTL_I915_HWS_ADDR),
    ANY("dispatch/i915-number-0x12", DRM_IO(DRM_COMMAND_BASE + 0x12)),
    ANY("dispatch/i915-gem-init", DRM_IOCTL_I915_GEM_INIT),
    ANY("dispatch/i915-execbuffer", DRM_IOCTL_I915_GEM_EXECBUFFER),
    ANY("dispatch/i915-pin", DRM_IOCTL_I915_GEM_PIN),
    ANY("dispatch/i915-pin-as-user", DRM_IOCTL_I915_GEM_PIN, .as_user = true),
    ANY("dispatch/i915-unpin", DRM_IOCTL_I915_GEM_UNPIN),
    ANY("dispatch/i915-entervt", DRM_IOCTL_I915_GEM_ENTERVT),
    ANY("dispatch/i915-leavevt", DRM_IOCTL_I915_GEM_LEAVEVT),
    ANY("dispatch/i915-number-0x3d", DRM_IO(DRM_COMMAND_BASE + 0x3d)),
    ANY("dispatch/i915-number-0x5f", DRM_IO(DRM_COMMAND_BASE + 0x5f)),
    ANY("dispatch/number-0xcf", DRM_IO(0xcf)),
    ANY("dispatch/number-0xff", DRM_IO(0xff)),
    ANY("dispatch/i915-flush-render", DRM_IOCTL_I915_FLUSH, .fd = RENDER),
    ANY("dispatch/i915-init-render", DRM_IOCTL_I915_INIT, .fd = RENDER),
    ANY("display/resources", DRM_IOCTL_MODE_GETRESOURCES),
    ANY("display/planes", DRM_IOCTL_MODE_GETPLANERESOURCES),
    ANY("display/crtc", DRM_IOCTL_MODE_GETCRTC),
    ANY("display/resources-render", DRM_IOCTL_MODE_GETRESOURCES, .fd = RENDER),
    ANY("display/dumb", DRM_IOCTL_MODE_CREATE_DUMB),
    ANY("display/pipe-from-crtc", DRM_IOCTL_I915_GET_PIPE_FROM_CRTC_ID),
    ANY("display/overlay", DRM_IOCTL_I915_OVERLAY_ATTRS),
    ANY("display/colorkey", DRM_IOCTL_I915_SET_SPRITE_COLORKEY),
    ANY("display/wait-vblank", DRM_IOCTL_WAIT_VBLANK),

    CALL("share/object", gem_create, WITH(.size = 8192), .keep = OTHER),
    CALL("flink/unknown", flink, WITH(.handle = 999)),
    CALL("flink/object", flink, WITH(.handle = SLOT(OTHER)), .keep = NAME),
    CALL("flink/again", flink, WITH(.handle = SLOT(OTHER))),
    CALL("flink/open", gem_open, WITH(.name = SLOT(NAME))),
    CALL("flink/open-unknown", gem_open, WITH(.name = 999)),
    CALL("flink/render", flink, WITH(.handle = SLOT(OTHER)), .fd = RENDER),
    CALL("prime/unknown", prime_out, WITH(.handle = 999, .fd = -1)),
    CALL("prime/flags", prime_out, WITH(.handle = SLOT(OTHER), .flags = 1, .fd = -1)),
    CALL("prime/object", prime_out, WITH(.handle = SLOT(OTHER), .flags = DRM_CLOEXEC, .fd = -1), .keep = FENCE),
    CALL("prime/import", prime_in, WITH(.fd = (int)SLOT(FENCE))),
    CALL("prime/import-render", prime_in, WITH(.fd = (int)SLOT(FENCE)), .fd = RENDER, .keep = TARGET),
    CALL("prime/close-render", gem_close, WITH(.handle = SLOT(TARGET)), .fd = RENDER),
    CALL("prime/import-wrong", prime_in, WITH(.fd = -1)),
    CALL("prime/import-other-file", prime_in, WITH(.fd = (int)SLOT(CARD))),
    CALL("gem-close/object", gem_close, WITH(.handle = SLOT(OTHER))),
    CALL("gem-close/again", gem_close, WITH(.handle = SLOT(OTHER))),
    CALL("gem-close/zero", gem_close, WITH(0)),
    CALL("gem-close/unknown", gem_close, WITH(.handle = UINT32_MAX)),
    CALL("flink/open-closed", gem_open, WITH(.name = SLOT(NAME))),

    CALL("syncobj/create", syncobj_create, WITH(0), .keep = SYNCOBJ),
    CALL("syncobj/create-flags", syncobj_create, WITH(.flags = 2)),
    CALL("syncobj/wait", syncobj_wait, WITH(.handles = DATA(0), .count_handles = 1), PAYLOAD(uint32_t, SLOT(SYNCOBJ))),
    CALL("syncobj/signal", syncobj_array, WITH(.handles = DATA(0), .count_handles = 1), PAYLOAD(uint32_t, SLOT(SYNCOBJ))),
    CALL("syncobj/wait-signaled", syncobj_wait, WITH(.handles = DATA(0), .count_handles = 1), PAYLOAD(uint32_t, SLOT(SYNCOBJ))),
    CALL("syncobj/export", syncobj_handle, WITH(.handle = SLOT(SYNCOBJ), .fd = -1)),
    CALL("syncobj/wait-none", syncobj_wait, WITH(0)),
    CALL("syncobj/wait-unknown", syncobj_wait, WITH(.handles = DATA(0), .count_handles = 1), PAYLOAD(uint32_t, 999)),
    CALL("syncobj/destroy", syncobj_destroy, WITH(.handle = SLOT(SYNCOBJ))),
    CALL("syncobj/destroy-again", syncobj_destroy, WITH(.handle = SLOT(SYNCOBJ))),
    /* clang-format on */
};

GROUP(device_group, calls);

/* Last, because some of the calls create something. */
static const struct call sweeps[] = {
    {"sweep/card", &sweep_kind, .b = 0xff},
    {"sweep/render", &sweep_kind, .b = 0xff, .fd = RENDER},
    {"sweep/as-user", &sweep_kind, .b = 0xff, .as_user = true},
};

GROUP(sweep_group, sweeps);
