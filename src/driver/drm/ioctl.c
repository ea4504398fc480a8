/* SPDX-License-Identifier: MIT */
/*
 * ioctl() dispatch (PERF-1.1): the number alone selects the call. Rows and permissions are those of
 * the public DRM core without a display; a number that has a row neither here nor in the driver is
 * refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/drm/calls.h"

static const struct core_row {
    struct drm_row row;
    drm_call *call;
} rows[] = {
    {{DRM_IOCTL_VERSION, DRM_RENDER}, drm_version},
    {{DRM_IOCTL_GET_UNIQUE, 0}, drm_get_unique},
    {{DRM_IOCTL_GET_MAGIC, 0}, drm_get_magic},
    {{DRM_IOCTL_IRQ_BUSID, DRM_NEEDS_MASTER | DRM_NEEDS_ROOT}, drm_refuse},
    {{DRM_IOCTL_GET_CLIENT, 0}, drm_get_client},
    {{DRM_IOCTL_GET_STATS, 0}, drm_get_stats},
    {{DRM_IOCTL_SET_VERSION, DRM_NEEDS_MASTER}, drm_set_version},
    {{DRM_IOCTL_GET_CAP, DRM_RENDER}, drm_get_cap},
    {{DRM_IOCTL_SET_CLIENT_CAP, 0}, drm_set_client_cap},
    {{DRM_IOCTL_SET_UNIQUE, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_AUTH_MAGIC, DRM_NEEDS_MASTER}, drm_auth_magic},
    {{DRM_IOCTL_BLOCK, DRM_NEEDS_ALL}, drm_ignore},
    {{DRM_IOCTL_UNBLOCK, DRM_NEEDS_ALL}, drm_ignore},
    {{DRM_IOCTL_ADD_MAP, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_SET_MASTER, 0}, drm_set_master},
    {{DRM_IOCTL_DROP_MASTER, 0}, drm_drop_master},
    {{DRM_IOCTL_ADD_CTX, DRM_NEEDS_AUTH | DRM_NEEDS_ROOT}, drm_refuse},
    {{DRM_IOCTL_ADD_DRAW, DRM_NEEDS_ALL}, drm_ignore},
    {{DRM_IOCTL_RM_DRAW, DRM_NEEDS_ALL}, drm_ignore},
    {{DRM_IOCTL_GET_MAP, 0}, drm_refuse},
    {{DRM_IOCTL_MODESET_CTL, 0}, drm_ignore},
    {{DRM_IOCTL_CONTROL, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_ADD_BUFS, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_MARK_BUFS, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_INFO_BUFS, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_MAP_BUFS, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_FREE_BUFS, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_RM_MAP, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_SET_SAREA_CTX, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_GET_SAREA_CTX, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_RM_CTX, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_MOD_CTX, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_GET_CTX, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_SWITCH_CTX, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_NEW_CTX, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_RES_CTX, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_DMA, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_AGP_ACQUIRE, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_AGP_RELEASE, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_AGP_ENABLE, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_AGP_INFO, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_AGP_ALLOC, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_AGP_FREE, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_AGP_BIND, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_AGP_UNBIND, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_SG_ALLOC, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_SG_FREE, DRM_NEEDS_ALL}, drm_refuse},
    {{DRM_IOCTL_LOCK, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_UNLOCK, DRM_NEEDS_AUTH}, drm_refuse},
    {{DRM_IOCTL_FINISH, DRM_NEEDS_AUTH}, drm_ignore},
    {{DRM_IOCTL_WAIT_VBLANK, 0}, drm_without_display},
    {{DRM_IOCTL_UPDATE_DRAW, DRM_NEEDS_ALL}, drm_ignore},
    {{DRM_IOCTL_MODE_GETRESOURCES, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETPLANERESOURCES, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETCRTC, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETENCODER, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETCONNECTOR, 0}, drm_without_display},
    {{DRM_IOCTL_CRTC_GET_SEQUENCE, 0}, drm_without_display},
    {{DRM_IOCTL_CRTC_QUEUE_SEQUENCE, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_SETCRTC, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_CURSOR, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETGAMMA, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_SETGAMMA, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_ATTACHMODE, 0}, drm_ignore},
    {{DRM_IOCTL_MODE_DETACHMODE, 0}, drm_ignore},
    {{DRM_IOCTL_MODE_GETPROPERTY, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_SETPROPERTY, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETPROPBLOB, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETFB, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_ADDFB, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_RMFB, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_PAGE_FLIP, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_DIRTYFB, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_CREATE_DUMB, 0}, drm_refuse},
    {{DRM_IOCTL_MODE_MAP_DUMB, 0}, drm_without_object},
    {{DRM_IOCTL_MODE_DESTROY_DUMB, 0}, drm_refuse},
    {{DRM_IOCTL_MODE_GETPLANE, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_SETPLANE, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_ADDFB2, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_OBJ_GETPROPERTIES, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_OBJ_SETPROPERTY, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_CURSOR2, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_ATOMIC, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_CREATEPROPBLOB, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_DESTROYPROPBLOB, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_CREATE_LEASE, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_LIST_LESSEES, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GET_LEASE, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_REVOKE_LEASE, 0}, drm_without_display},
    {{DRM_IOCTL_MODE_GETFB2, 0}, drm_refuse},
};

static const struct core_row *find(uint32_t request)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (_IOC_NR(rows[i].row.request) == _IOC_NR(request))
            return &rows[i];
    return NULL;
}

static int check_permission(struct drm_file *file, uint8_t needs, const struct drm_caller *caller)
{
    /* The kernel's file is authenticated if its opener is privileged; here, its first caller. */
    file->is_authenticated = file->is_authenticated || (caller->privileged && !file->render_node);
    bool allowed = (!(needs & DRM_NEEDS_ROOT) || caller->privileged) &&
                   (!(needs & DRM_NEEDS_AUTH) || file->render_node || file->is_authenticated) &&
                   (!(needs & DRM_NEEDS_MASTER) || file->device->master == file) &&
                   (needs & DRM_RENDER || !file->render_node);
    return allowed ? 0 : -EACCES;
}

int drm_ioctl(struct drm_file *file, uint32_t request, uint64_t argument,
              const struct drm_caller *caller)
{
    const struct drm_driver *driver = file->device->driver;
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -ENOTTY;
    const struct drm_row *row = driver->find(request);
    const struct core_row *core = row ? NULL : find(request);
    if (!row && !core)
        return -EINVAL;
    row = row ? row : &core->row;
    uint32_t both = request & row->request;
    uint32_t in = _IOC_DIR(both) & _IOC_WRITE ? _IOC_SIZE(request) : 0;
    uint32_t out = _IOC_DIR(both) & _IOC_READ ? _IOC_SIZE(request) : 0;
    uint32_t size = max_u32(max_u32(in, out), _IOC_SIZE(row->request));
    uint64_t buffer[16] = {0}; /* fits every struct that the kernel supports */
    void *copy = size <= sizeof buffer ? buffer : calloc(1, size);
    if (!copy)
        return -ENOMEM;
    int result = in ? drm_copy_in(caller, copy, argument, in) : 0;
    if (result == 0) {
        result = check_permission(file, row->needs, caller);
        if (result == 0)
            result = core ? core->call(file, copy, caller) : driver->call(file, row, copy, caller);
        if (out && drm_copy_out(caller, argument, copy, out) < 0)
            result = -EFAULT;
    }
    if (copy != buffer)
        free(copy);
    return result;
}
