/* SPDX-License-Identifier: MIT */
/*
 * ioctl() dispatch (PERF-1.1): the number alone selects the call. The size in the request gives the
 * bytes to copy; fields beyond the caller's struct are zero. Output is copied even if the call
 * failed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

struct call_row {
    uint32_t request; /* with the largest struct that the kernel supports */
    bool render;      /* allowed on render nodes */
    i915_call *call;
};

static const struct call_row calls[] = {
    {DRM_IOCTL_VERSION, true, i915_version},
    {DRM_IOCTL_GET_UNIQUE, false, i915_get_unique},
    {DRM_IOCTL_GEM_CLOSE, true, i915_gem_close},
    {DRM_IOCTL_GET_CAP, true, i915_get_cap},
    {DRM_IOCTL_SET_CLIENT_CAP, false, i915_set_client_cap},
    {DRM_IOCTL_I915_GETPARAM, true, i915_getparam},
    {DRM_IOCTL_I915_GEM_BUSY, true, i915_gem_busy},
    {DRM_IOCTL_I915_GEM_THROTTLE, true, i915_gem_throttle},
    {DRM_IOCTL_I915_GEM_CREATE, true, i915_gem_create},
    {DRM_IOCTL_I915_GEM_CREATE_EXT, true, i915_gem_create_ext},
    {DRM_IOCTL_I915_GEM_PREAD, true, i915_gem_pread},
    {DRM_IOCTL_I915_GEM_PWRITE, true, i915_gem_pwrite},
    {DRM_IOCTL_I915_GEM_MMAP, true, i915_gem_mmap},
    {DRM_IOCTL_I915_GEM_SET_DOMAIN, true, i915_gem_set_domain},
    {DRM_IOCTL_I915_GEM_SW_FINISH, true, i915_gem_sw_finish},
    {DRM_IOCTL_I915_GEM_SET_TILING, true, i915_gem_set_tiling},
    {DRM_IOCTL_I915_GEM_GET_TILING, true, i915_gem_get_tiling},
    {DRM_IOCTL_I915_GEM_GET_APERTURE, true, i915_gem_get_aperture},
    {DRM_IOCTL_I915_GEM_MMAP_OFFSET, true, i915_gem_mmap_offset},
    {DRM_IOCTL_I915_GEM_MADVISE, true, i915_gem_madvise},
    {DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, true, i915_execbuffer},
    {DRM_IOCTL_I915_GEM_WAIT, true, i915_gem_wait},
    {DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, true, i915_context_create},
    {DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, true, i915_context_destroy},
    {DRM_IOCTL_I915_GEM_SET_CACHING, true, i915_gem_set_caching},
    {DRM_IOCTL_I915_GEM_GET_CACHING, true, i915_gem_get_caching},
    {DRM_IOCTL_I915_REG_READ, true, i915_reg_read},
    {DRM_IOCTL_I915_GET_RESET_STATS, true, i915_reset_stats},
    {DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, true, i915_context_getparam},
    {DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, true, i915_context_setparam},
    {DRM_IOCTL_I915_PERF_OPEN, true, i915_perf_open},
    {DRM_IOCTL_I915_PERF_ADD_CONFIG, true, i915_perf_add_config},
    {DRM_IOCTL_I915_PERF_REMOVE_CONFIG, true, i915_perf_remove_config},
    {DRM_IOCTL_I915_QUERY, true, i915_query},
    {DRM_IOCTL_I915_GEM_VM_CREATE, true, i915_vm_create},
    {DRM_IOCTL_I915_GEM_VM_DESTROY, true, i915_vm_destroy},
};

static const struct call_row *find(uint32_t request)
{
    for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
        if (_IOC_NR(calls[i].request) == _IOC_NR(request))
            return &calls[i];
    return NULL;
}

int i915_ioctl(struct i915_file *file, uint32_t request, uint64_t argument,
               const struct i915_caller *caller)
{
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -ENOTTY;
    const struct call_row *row = find(request);
    if (!row)
        return -EINVAL;
    uint32_t both = request & row->request;
    uint32_t in = _IOC_DIR(both) & _IOC_WRITE ? _IOC_SIZE(request) : 0;
    uint32_t out = _IOC_DIR(both) & _IOC_READ ? _IOC_SIZE(request) : 0;
    uint32_t size = max_u32(max_u32(in, out), _IOC_SIZE(row->request));
    uint64_t buffer[16] = {0}; /* fits every struct that the kernel supports */
    void *copy = size <= sizeof buffer ? buffer : calloc(1, size);
    if (!copy)
        return -ENOMEM;
    int result = in ? copy_in(caller, copy, argument, in) : 0;
    if (result == 0) {
        result = file->render_node && !row->render ? -EACCES : row->call(file, copy, caller);
        if (out && copy_out(caller, argument, copy, out) < 0)
            result = -EFAULT;
    }
    if (copy != buffer)
        free(copy);
    return result;
}
