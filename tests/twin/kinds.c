/* SPDX-License-Identifier: MIT */
/* Ioctls that several groups call. */
#include "kinds.h"

const struct kind getparam_kind = {DRM_IOCTL_I915_GETPARAM, sizeof(getparam)};
const struct kind gem_create_kind = {
    DRM_IOCTL_I915_GEM_CREATE,
    sizeof(gem_create),
    {FIELD(gem_create, handle), FIELD(gem_create, size)},
    1,
};
const struct kind gem_close_kind = {DRM_IOCTL_GEM_CLOSE, sizeof(gem_close)};
const struct kind pread__kind = {DRM_IOCTL_I915_GEM_PREAD, sizeof(pread_)};
const struct kind pwrite__kind = {DRM_IOCTL_I915_GEM_PWRITE, sizeof(pwrite_)};
const struct kind wait__kind = {
    DRM_IOCTL_I915_GEM_WAIT, sizeof(wait_), {FIELD_AS(wait_, timeout_ns, HIDDEN)}};
const struct kind busy_kind = {DRM_IOCTL_I915_GEM_BUSY, sizeof(busy), {FIELD(busy, busy)}};
const struct kind create_kind = {
    DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, sizeof(create), {FIELD(create, ctx_id)}, 1};
const struct kind destroy_kind = {DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, sizeof(destroy)};
const struct kind get_kind = {
    DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, sizeof(get), {FIELD(get, size), FIELD(get, value)}};
const struct kind set_kind = {DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, sizeof(set), {FIELD(set, size)}};
const struct kind reset_stats_kind = {
    DRM_IOCTL_I915_GET_RESET_STATS,
    sizeof(reset_stats),
    {FIELD(reset_stats, reset_count), FIELD(reset_stats, batch_active),
     FIELD(reset_stats, batch_pending)},
};
const struct kind any_kind = {DRM_IO(0xff), sizeof(any)};
const struct kind add_kind = {DRM_IOCTL_I915_PERF_ADD_CONFIG, sizeof(add)};
const struct kind remove__kind = {DRM_IOCTL_I915_PERF_REMOVE_CONFIG, sizeof(remove_)};
const struct kind open__kind = {DRM_IOCTL_I915_PERF_OPEN, sizeof(open_), .result = DESCRIPTOR};
