/* SPDX-License-Identifier: MIT */
/*
 * ioctl() dispatch (PERF-1.1): the number alone selects the call. The size in the request gives the
 * bytes to copy; fields beyond the caller's struct are zero. Output is copied even if the call
 * failed. Rows and permissions are those of the public DRM core and i915 driver; a number without a
 * row is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

enum permission {
    RENDER = 1, /* allowed on render nodes */
    AUTH = 2,   /* for authenticated files */
    MASTER = 4, /* for the master */
    ROOT = 8,   /* for privileged callers */
    SETUP = AUTH | MASTER | ROOT
};

struct call_row {
    uint32_t request; /* with the largest struct that the kernel supports */
    uint8_t needs;    /* enum permission */
    i915_call *call;
};

static const struct call_row calls[] = {
    {DRM_IOCTL_VERSION, RENDER, i915_version},
    {DRM_IOCTL_GET_UNIQUE, 0, i915_get_unique},
    {DRM_IOCTL_GET_MAGIC, 0, i915_get_magic},
    {DRM_IOCTL_IRQ_BUSID, MASTER | ROOT, i915_refuse},
    {DRM_IOCTL_GET_CLIENT, 0, i915_get_client},
    {DRM_IOCTL_GET_STATS, 0, i915_get_stats},
    {DRM_IOCTL_SET_VERSION, MASTER, i915_set_version},
    {DRM_IOCTL_GEM_CLOSE, RENDER, i915_gem_close},
    {DRM_IOCTL_GEM_FLINK, AUTH, i915_gem_flink},
    {DRM_IOCTL_GEM_OPEN, AUTH, i915_gem_open},
    {DRM_IOCTL_GET_CAP, RENDER, i915_get_cap},
    {DRM_IOCTL_SET_CLIENT_CAP, 0, i915_set_client_cap},
    {DRM_IOCTL_SET_UNIQUE, SETUP, i915_refuse},
    {DRM_IOCTL_AUTH_MAGIC, MASTER, i915_auth_magic},
    {DRM_IOCTL_BLOCK, SETUP, i915_ignore},
    {DRM_IOCTL_UNBLOCK, SETUP, i915_ignore},
    {DRM_IOCTL_ADD_MAP, SETUP, i915_refuse},
    {DRM_IOCTL_SET_MASTER, 0, i915_set_master},
    {DRM_IOCTL_DROP_MASTER, 0, i915_drop_master},
    {DRM_IOCTL_ADD_CTX, AUTH | ROOT, i915_refuse},
    {DRM_IOCTL_ADD_DRAW, SETUP, i915_ignore},
    {DRM_IOCTL_RM_DRAW, SETUP, i915_ignore},
    {DRM_IOCTL_GET_MAP, 0, i915_refuse},
    {DRM_IOCTL_MODESET_CTL, 0, i915_ignore},
    {DRM_IOCTL_CONTROL, SETUP, i915_refuse},
    {DRM_IOCTL_ADD_BUFS, SETUP, i915_refuse},
    {DRM_IOCTL_MARK_BUFS, SETUP, i915_refuse},
    {DRM_IOCTL_INFO_BUFS, AUTH, i915_refuse},
    {DRM_IOCTL_MAP_BUFS, AUTH, i915_refuse},
    {DRM_IOCTL_FREE_BUFS, AUTH, i915_refuse},
    {DRM_IOCTL_RM_MAP, AUTH, i915_refuse},
    {DRM_IOCTL_SET_SAREA_CTX, SETUP, i915_refuse},
    {DRM_IOCTL_GET_SAREA_CTX, AUTH, i915_refuse},
    {DRM_IOCTL_RM_CTX, SETUP, i915_refuse},
    {DRM_IOCTL_MOD_CTX, SETUP, i915_refuse},
    {DRM_IOCTL_GET_CTX, AUTH, i915_refuse},
    {DRM_IOCTL_SWITCH_CTX, SETUP, i915_refuse},
    {DRM_IOCTL_NEW_CTX, SETUP, i915_refuse},
    {DRM_IOCTL_RES_CTX, AUTH, i915_refuse},
    {DRM_IOCTL_DMA, AUTH, i915_refuse},
    {DRM_IOCTL_AGP_ACQUIRE, SETUP, i915_refuse},
    {DRM_IOCTL_AGP_RELEASE, SETUP, i915_refuse},
    {DRM_IOCTL_AGP_ENABLE, SETUP, i915_refuse},
    {DRM_IOCTL_AGP_INFO, AUTH, i915_refuse},
    {DRM_IOCTL_AGP_ALLOC, SETUP, i915_refuse},
    {DRM_IOCTL_AGP_FREE, SETUP, i915_refuse},
    {DRM_IOCTL_AGP_BIND, SETUP, i915_refuse},
    {DRM_IOCTL_AGP_UNBIND, SETUP, i915_refuse},
    {DRM_IOCTL_SG_ALLOC, SETUP, i915_refuse},
    {DRM_IOCTL_SG_FREE, SETUP, i915_refuse},
    {DRM_IOCTL_LOCK, AUTH, i915_refuse},
    {DRM_IOCTL_UNLOCK, AUTH, i915_refuse},
    {DRM_IOCTL_FINISH, AUTH, i915_ignore},
    {DRM_IOCTL_WAIT_VBLANK, 0, i915_without_display},
    {DRM_IOCTL_UPDATE_DRAW, SETUP, i915_ignore},
    {DRM_IOCTL_MODE_GETRESOURCES, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETPLANERESOURCES, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETCRTC, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETENCODER, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETCONNECTOR, 0, i915_without_display},
    {DRM_IOCTL_CRTC_GET_SEQUENCE, 0, i915_without_display},
    {DRM_IOCTL_CRTC_QUEUE_SEQUENCE, 0, i915_without_display},
    {DRM_IOCTL_MODE_SETCRTC, 0, i915_without_display},
    {DRM_IOCTL_MODE_CURSOR, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETGAMMA, 0, i915_without_display},
    {DRM_IOCTL_MODE_SETGAMMA, 0, i915_without_display},
    {DRM_IOCTL_MODE_ATTACHMODE, 0, i915_ignore},
    {DRM_IOCTL_MODE_DETACHMODE, 0, i915_ignore},
    {DRM_IOCTL_MODE_GETPROPERTY, 0, i915_without_display},
    {DRM_IOCTL_MODE_SETPROPERTY, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETPROPBLOB, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETFB, 0, i915_without_display},
    {DRM_IOCTL_MODE_ADDFB, 0, i915_without_display},
    {DRM_IOCTL_MODE_RMFB, 0, i915_without_display},
    {DRM_IOCTL_MODE_PAGE_FLIP, 0, i915_without_display},
    {DRM_IOCTL_MODE_DIRTYFB, 0, i915_without_display},
    {DRM_IOCTL_MODE_CREATE_DUMB, 0, i915_refuse},
    {DRM_IOCTL_MODE_MAP_DUMB, 0, i915_without_object},
    {DRM_IOCTL_MODE_DESTROY_DUMB, 0, i915_refuse},
    {DRM_IOCTL_MODE_GETPLANE, 0, i915_without_display},
    {DRM_IOCTL_MODE_SETPLANE, 0, i915_without_display},
    {DRM_IOCTL_MODE_ADDFB2, 0, i915_without_display},
    {DRM_IOCTL_MODE_OBJ_GETPROPERTIES, 0, i915_without_display},
    {DRM_IOCTL_MODE_OBJ_SETPROPERTY, 0, i915_without_display},
    {DRM_IOCTL_MODE_CURSOR2, 0, i915_without_display},
    {DRM_IOCTL_MODE_ATOMIC, 0, i915_without_display},
    {DRM_IOCTL_MODE_CREATEPROPBLOB, 0, i915_without_display},
    {DRM_IOCTL_MODE_DESTROYPROPBLOB, 0, i915_without_display},
    {DRM_IOCTL_MODE_CREATE_LEASE, 0, i915_without_display},
    {DRM_IOCTL_MODE_LIST_LESSEES, 0, i915_without_display},
    {DRM_IOCTL_MODE_GET_LEASE, 0, i915_without_display},
    {DRM_IOCTL_MODE_REVOKE_LEASE, 0, i915_without_display},
    {DRM_IOCTL_MODE_GETFB2, 0, i915_refuse},
    {DRM_IOCTL_I915_INIT, SETUP, i915_ignore},
    {DRM_IOCTL_I915_FLUSH, AUTH, i915_ignore},
    {DRM_IOCTL_I915_FLIP, AUTH, i915_ignore},
    {DRM_IOCTL_I915_BATCHBUFFER, AUTH, i915_ignore},
    {DRM_IOCTL_I915_IRQ_EMIT, AUTH, i915_ignore},
    {DRM_IOCTL_I915_IRQ_WAIT, AUTH, i915_ignore},
    {DRM_IOCTL_I915_SETPARAM, SETUP, i915_ignore},
    {DRM_IOCTL_I915_ALLOC, AUTH, i915_ignore},
    {DRM_IOCTL_I915_FREE, AUTH, i915_ignore},
    {DRM_IOCTL_I915_INIT_HEAP, SETUP, i915_ignore},
    {DRM_IOCTL_I915_CMDBUFFER, AUTH, i915_ignore},
    {DRM_IOCTL_I915_DESTROY_HEAP, SETUP, i915_ignore},
    {DRM_IOCTL_I915_SET_VBLANK_PIPE, SETUP, i915_ignore},
    {DRM_IOCTL_I915_GET_VBLANK_PIPE, AUTH, i915_ignore},
    {DRM_IOCTL_I915_VBLANK_SWAP, AUTH, i915_ignore},
    {DRM_IOCTL_I915_HWS_ADDR, SETUP, i915_ignore},
    {DRM_IOCTL_I915_GEM_INIT, SETUP, i915_ignore},
    {DRM_IOCTL_I915_GEM_EXECBUFFER, AUTH, i915_refuse},
    {DRM_IOCTL_I915_GEM_PIN, AUTH | ROOT, i915_without_device},
    {DRM_IOCTL_I915_GEM_UNPIN, AUTH | ROOT, i915_without_device},
    {DRM_IOCTL_I915_GEM_ENTERVT, SETUP, i915_ignore},
    {DRM_IOCTL_I915_GEM_LEAVEVT, SETUP, i915_ignore},
    {DRM_IOCTL_I915_OVERLAY_PUT_IMAGE, MASTER, i915_without_device},
    {DRM_IOCTL_I915_OVERLAY_ATTRS, MASTER, i915_without_device},
    {DRM_IOCTL_I915_GET_PIPE_FROM_CRTC_ID, 0, i915_without_object},
    {DRM_IOCTL_I915_SET_SPRITE_COLORKEY, MASTER, i915_without_object},
    {DRM_IOCTL_I915_GET_SPRITE_COLORKEY, MASTER, i915_ignore},
    {DRM_IOCTL_I915_GETPARAM, RENDER, i915_getparam},
    {DRM_IOCTL_I915_GEM_BUSY, RENDER, i915_gem_busy},
    {DRM_IOCTL_I915_GEM_THROTTLE, RENDER, i915_gem_throttle},
    {DRM_IOCTL_I915_GEM_CREATE, RENDER, i915_gem_create},
    {DRM_IOCTL_I915_GEM_CREATE_EXT, RENDER, i915_gem_create_ext},
    {DRM_IOCTL_I915_GEM_PREAD, RENDER, i915_gem_pread},
    {DRM_IOCTL_I915_GEM_PWRITE, RENDER, i915_gem_pwrite},
    {DRM_IOCTL_I915_GEM_MMAP, RENDER, i915_gem_mmap},
    {DRM_IOCTL_I915_GEM_SET_DOMAIN, RENDER, i915_gem_set_domain},
    {DRM_IOCTL_I915_GEM_SW_FINISH, RENDER, i915_gem_sw_finish},
    {DRM_IOCTL_I915_GEM_SET_TILING, RENDER, i915_gem_set_tiling},
    {DRM_IOCTL_I915_GEM_GET_TILING, RENDER, i915_gem_get_tiling},
    {DRM_IOCTL_I915_GEM_GET_APERTURE, RENDER, i915_gem_get_aperture},
    {DRM_IOCTL_I915_GEM_MMAP_OFFSET, RENDER, i915_gem_mmap_offset},
    {DRM_IOCTL_I915_GEM_MADVISE, RENDER, i915_gem_madvise},
    {DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, RENDER, i915_execbuffer},
    {DRM_IOCTL_I915_GEM_WAIT, RENDER, i915_gem_wait},
    {DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, RENDER, i915_context_create},
    {DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, RENDER, i915_context_destroy},
    {DRM_IOCTL_I915_GEM_SET_CACHING, RENDER, i915_gem_set_caching},
    {DRM_IOCTL_I915_GEM_GET_CACHING, RENDER, i915_gem_get_caching},
    {DRM_IOCTL_I915_REG_READ, RENDER, i915_reg_read},
    {DRM_IOCTL_I915_GET_RESET_STATS, RENDER, i915_reset_stats},
    {DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, RENDER, i915_context_getparam},
    {DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, RENDER, i915_context_setparam},
    {DRM_IOCTL_I915_PERF_OPEN, RENDER, i915_perf_open},
    {DRM_IOCTL_I915_PERF_ADD_CONFIG, RENDER, i915_perf_add_config},
    {DRM_IOCTL_I915_PERF_REMOVE_CONFIG, RENDER, i915_perf_remove_config},
    {DRM_IOCTL_I915_QUERY, RENDER, i915_query},
    {DRM_IOCTL_I915_GEM_VM_CREATE, RENDER, i915_vm_create},
    {DRM_IOCTL_I915_GEM_VM_DESTROY, RENDER, i915_vm_destroy},
};

static const struct call_row *find(uint32_t request)
{
    for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
        if (_IOC_NR(calls[i].request) == _IOC_NR(request))
            return &calls[i];
    return NULL;
}

static int check_permission(struct i915_file *file, uint8_t needs, const struct i915_caller *caller)
{
    /* The kernel's file is authenticated if its opener is privileged; here, its first caller. */
    file->is_authenticated = file->is_authenticated || (caller->privileged && !file->render_node);
    bool allowed = (!(needs & ROOT) || caller->privileged) &&
                   (!(needs & AUTH) || file->render_node || file->is_authenticated) &&
                   (!(needs & MASTER) || file->device->master == file) &&
                   (needs & RENDER || !file->render_node);
    return allowed ? 0 : -EACCES;
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
        result = check_permission(file, row->needs, caller);
        if (result == 0)
            result = row->call(file, copy, caller);
        if (out && copy_out(caller, argument, copy, out) < 0)
            result = -EFAULT;
    }
    if (copy != buffer)
        free(copy);
    return result;
}

int i915_ioctl_again(struct i915_file *file, uint32_t request, uint64_t argument,
                     const struct i915_caller *caller, struct i915_attempt *attempt)
{
    file->device->attempt = attempt;
    int result = i915_ioctl(file, request, argument, caller);
    file->device->attempt = NULL;
    return result;
}
