/* SPDX-License-Identifier: MIT */
/* The ioctls of the driver: rows and permissions as in the public i915 driver. */
#include <sys/ioctl.h>

#include "base/bits.h"
#include "driver/i915/device.h"

/* ---- calls without a function ---------------------------------------------------------------- */

static int ignore(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return 0;
}

static int refuse(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EINVAL;
}

static int without_device(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -ENODEV;
}

static int without_object(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -ENOENT;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct call_row {
    struct drm_row row;
    i915_call *call;
};

static const struct call_row calls[] = {
    {{DRM_IOCTL_GEM_CLOSE, DRM_RENDER}, i915_gem_close},
    {{DRM_IOCTL_GEM_FLINK, DRM_NEEDS_AUTH}, i915_gem_flink},
    {{DRM_IOCTL_GEM_OPEN, DRM_NEEDS_AUTH}, i915_gem_open},
    {{DRM_IOCTL_PRIME_HANDLE_TO_FD, DRM_RENDER}, i915_prime_to_fd},
    {{DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_RENDER}, i915_prime_from_fd},
    {{DRM_IOCTL_SYNCOBJ_CREATE, DRM_RENDER}, i915_syncobj_create},
    {{DRM_IOCTL_SYNCOBJ_DESTROY, DRM_RENDER}, i915_syncobj_destroy},
    {{DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, DRM_RENDER}, i915_syncobj_to_fd},
    {{DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, DRM_RENDER}, i915_syncobj_from_fd},
    {{DRM_IOCTL_SYNCOBJ_WAIT, DRM_RENDER}, i915_syncobj_wait},
    {{DRM_IOCTL_SYNCOBJ_RESET, DRM_RENDER}, i915_syncobj_reset},
    {{DRM_IOCTL_SYNCOBJ_SIGNAL, DRM_RENDER}, i915_syncobj_signal},
    {{DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, DRM_RENDER}, i915_syncobj_timeline_wait},
    {{DRM_IOCTL_SYNCOBJ_QUERY, DRM_RENDER}, i915_syncobj_query},
    {{DRM_IOCTL_SYNCOBJ_TRANSFER, DRM_RENDER}, i915_syncobj_transfer},
    {{DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, DRM_RENDER}, i915_syncobj_timeline_signal},
    {{DRM_IOCTL_I915_INIT, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_FLUSH, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_FLIP, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_BATCHBUFFER, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_IRQ_EMIT, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_IRQ_WAIT, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_SETPARAM, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_ALLOC, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_FREE, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_INIT_HEAP, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_CMDBUFFER, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_DESTROY_HEAP, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_SET_VBLANK_PIPE, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_GET_VBLANK_PIPE, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_VBLANK_SWAP, DRM_NEEDS_AUTH}, ignore},
    {{DRM_IOCTL_I915_HWS_ADDR, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_GEM_INIT, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_GEM_EXECBUFFER, DRM_NEEDS_AUTH}, refuse},
    {{DRM_IOCTL_I915_GEM_PIN, DRM_NEEDS_AUTH | DRM_NEEDS_ROOT}, without_device},
    {{DRM_IOCTL_I915_GEM_UNPIN, DRM_NEEDS_AUTH | DRM_NEEDS_ROOT}, without_device},
    {{DRM_IOCTL_I915_GEM_ENTERVT, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_GEM_LEAVEVT, DRM_NEEDS_ALL}, ignore},
    {{DRM_IOCTL_I915_OVERLAY_PUT_IMAGE, DRM_NEEDS_MASTER}, without_device},
    {{DRM_IOCTL_I915_OVERLAY_ATTRS, DRM_NEEDS_MASTER}, without_device},
    {{DRM_IOCTL_I915_GET_PIPE_FROM_CRTC_ID, 0}, without_object},
    {{DRM_IOCTL_I915_SET_SPRITE_COLORKEY, DRM_NEEDS_MASTER}, without_object},
    {{DRM_IOCTL_I915_GET_SPRITE_COLORKEY, DRM_NEEDS_MASTER}, ignore},
    {{DRM_IOCTL_I915_GETPARAM, DRM_RENDER}, i915_getparam},
    {{DRM_IOCTL_I915_GEM_BUSY, DRM_RENDER}, i915_gem_busy},
    {{DRM_IOCTL_I915_GEM_THROTTLE, DRM_RENDER}, i915_gem_throttle},
    {{DRM_IOCTL_I915_GEM_CREATE, DRM_RENDER}, i915_gem_create},
    {{DRM_IOCTL_I915_GEM_CREATE_EXT, DRM_RENDER}, i915_gem_create_ext},
    {{DRM_IOCTL_I915_GEM_PREAD, DRM_RENDER}, i915_gem_pread},
    {{DRM_IOCTL_I915_GEM_PWRITE, DRM_RENDER}, i915_gem_pwrite},
    {{DRM_IOCTL_I915_GEM_MMAP, DRM_RENDER}, i915_gem_mmap},
    {{DRM_IOCTL_I915_GEM_SET_DOMAIN, DRM_RENDER}, i915_gem_set_domain},
    {{DRM_IOCTL_I915_GEM_SW_FINISH, DRM_RENDER}, i915_gem_sw_finish},
    {{DRM_IOCTL_I915_GEM_SET_TILING, DRM_RENDER}, i915_gem_set_tiling},
    {{DRM_IOCTL_I915_GEM_GET_TILING, DRM_RENDER}, i915_gem_get_tiling},
    {{DRM_IOCTL_I915_GEM_GET_APERTURE, DRM_RENDER}, i915_gem_get_aperture},
    {{DRM_IOCTL_I915_GEM_MMAP_OFFSET, DRM_RENDER}, i915_gem_mmap_offset},
    {{DRM_IOCTL_I915_GEM_MADVISE, DRM_RENDER}, i915_gem_madvise},
    {{DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, DRM_RENDER}, i915_execbuffer},
    {{DRM_IOCTL_I915_GEM_WAIT, DRM_RENDER}, i915_gem_wait},
    {{DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, DRM_RENDER}, i915_context_create},
    {{DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, DRM_RENDER}, i915_context_destroy},
    {{DRM_IOCTL_I915_GEM_SET_CACHING, DRM_RENDER}, i915_gem_set_caching},
    {{DRM_IOCTL_I915_GEM_GET_CACHING, DRM_RENDER}, i915_gem_get_caching},
    {{DRM_IOCTL_I915_REG_READ, DRM_RENDER}, i915_reg_read},
    {{DRM_IOCTL_I915_GET_RESET_STATS, DRM_RENDER}, i915_reset_stats},
    {{DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, DRM_RENDER}, i915_context_getparam},
    {{DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, DRM_RENDER}, i915_context_setparam},
    {{DRM_IOCTL_I915_PERF_OPEN, DRM_RENDER}, i915_perf_open},
    {{DRM_IOCTL_I915_PERF_ADD_CONFIG, DRM_RENDER}, i915_perf_add_config},
    {{DRM_IOCTL_I915_PERF_REMOVE_CONFIG, DRM_RENDER}, i915_perf_remove_config},
    {{DRM_IOCTL_I915_QUERY, DRM_RENDER}, i915_query},
    {{DRM_IOCTL_I915_GEM_USERPTR, DRM_RENDER}, i915_gem_userptr},
    {{DRM_IOCTL_I915_GEM_VM_CREATE, DRM_RENDER}, i915_vm_create},
    {{DRM_IOCTL_I915_GEM_VM_DESTROY, DRM_RENDER}, i915_vm_destroy},
};

const struct drm_row *i915_find_call(uint32_t request)
{
    for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
        if (_IOC_NR(calls[i].row.request) == _IOC_NR(request))
            return &calls[i].row;
    return NULL;
}

int i915_perform_call(struct drm_file *file, const struct drm_row *row, void *argument,
                      const struct drm_caller *caller)
{
    return ((const struct call_row *)(const void *)row)
        ->call((struct i915_file *)file, argument, (const struct i915_caller *)caller);
}

int i915_ioctl(struct i915_file *file, uint32_t request, uint64_t argument,
               const struct i915_caller *caller)
{
    return drm_ioctl(&file->drm, request, argument, &caller->drm);
}

int i915_ioctl_again(struct i915_file *file, uint32_t request, uint64_t argument,
                     const struct i915_caller *caller, struct i915_attempt *attempt)
{
    file->device->attempt = attempt;
    int result = i915_ioctl(file, request, argument, caller);
    file->device->attempt = NULL;
    return result;
}
