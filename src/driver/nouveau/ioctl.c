/* SPDX-License-Identifier: MIT */
/*
 * The ioctls of the driver: rows and permissions as in the public nouveau driver of Linux 6.1,
 * without acceleration (noaccel=1) and without a display (modeset=2). Where it has no object to
 * find, the row has the errno that it answers.
 */
#include <errno.h>
#include <sys/ioctl.h>

#include "base/bits.h"
#include "driver/nouveau/device.h"

#define CURSOR   64 /* width and height */
#define MAX_SIZE 8192

static const struct drm_cap caps[] = {
    {DRM_CAP_DUMB_BUFFER, 1},
    {DRM_CAP_VBLANK_HIGH_CRTC, 1},
    {DRM_CAP_DUMB_PREFERRED_DEPTH, 24},
    {DRM_CAP_DUMB_PREFER_SHADOW, 1},
    {DRM_CAP_PRIME, 0}, /* buffers cannot be shared */
    {DRM_CAP_TIMESTAMP_MONOTONIC, 1},
    {DRM_CAP_ASYNC_PAGE_FLIP, 1},
    {DRM_CAP_CURSOR_WIDTH, CURSOR},
    {DRM_CAP_CURSOR_HEIGHT, CURSOR},
    {DRM_CAP_ADDFB2_MODIFIERS, 1},
    {DRM_CAP_PAGE_FLIP_TARGET, 1},
    {DRM_CAP_CRTC_IN_VBLANK_EVENT, 1},
    {DRM_CAP_SYNCOBJ, 0},
    {DRM_CAP_SYNCOBJ_TIMELINE, 0},
};

/* ---- channels -------------------------------------------------------------------------------- */

static int grobj_alloc(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_nouveau_grobj_alloc *args = argument;
    (void)file;
    (void)caller;
    return args->handle == UINT32_MAX ? -EINVAL : -ENOENT;
}

/* From Fermi on there are no notifier objects. */
static int notifierobj_alloc(struct nouveau_file *file, void *argument,
                             const struct drm_caller *caller)
{
    (void)argument;
    (void)caller;
    return file->device->family >= NV_DEVICE_INFO_V0_FERMI ? -EINVAL : -ENOENT;
}

/* ---- without a display ----------------------------------------------------------------------- */

static int get_resources(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_mode_card_res *args = argument;
    (void)file;
    (void)caller;
    args->count_fbs = args->count_crtcs = args->count_connectors = args->count_encoders = 0;
    args->min_width = args->min_height = 0;
    args->max_width = args->max_height = MAX_SIZE;
    return 0;
}

static int get_planes(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_mode_get_plane_res *args = argument;
    (void)file;
    (void)caller;
    args->count_planes = 0;
    return 0;
}

static int list_lessees(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_mode_list_lessees *args = argument;
    (void)file;
    (void)caller;
    args->count_lessees = 0;
    return args->pad ? -EINVAL : 0;
}

static int get_lease(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_mode_get_lease *args = argument;
    (void)file;
    (void)caller;
    args->count_objects = 0;
    return args->pad ? -EINVAL : 0;
}

static int set_client_cap(struct nouveau_file *file, void *argument,
                          const struct drm_caller *caller)
{
    const struct drm_set_client_cap *args = argument;
    (void)file;
    (void)caller;
    switch (args->capability) {
    case DRM_CLIENT_CAP_STEREO_3D:
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
    case DRM_CLIENT_CAP_ASPECT_RATIO:
        return args->value > 1 ? -EINVAL : 0;
    case DRM_CLIENT_CAP_ATOMIC:
        return -EOPNOTSUPP;
    default:
        return -EINVAL;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct call_row {
    struct drm_row row;
    nouveau_call *call;
    int result; /* without a call */
} rows[] = {
    {{NOUVEAU_REQUEST(GETPARAM, struct drm_nouveau_getparam), DRM_RENDER}, nouveau_getparam, 0},
    {{NOUVEAU_REQUEST(SETPARAM, struct drm_nouveau_setparam), DRM_NEEDS_ALL}, NULL, -EINVAL},
    {{NOUVEAU_REQUEST(CHANNEL_ALLOC, struct drm_nouveau_channel_alloc), DRM_RENDER}, NULL, -ENODEV},
    {{NOUVEAU_REQUEST(CHANNEL_FREE, struct drm_nouveau_channel_free), DRM_RENDER}, NULL, -ENOENT},
    {{NOUVEAU_REQUEST(GROBJ_ALLOC, struct drm_nouveau_grobj_alloc), DRM_RENDER}, grobj_alloc, 0},
    {{NOUVEAU_REQUEST(NOTIFIEROBJ_ALLOC, struct drm_nouveau_notifierobj_alloc), DRM_RENDER},
     notifierobj_alloc,
     0},
    {{NOUVEAU_REQUEST(GPUOBJ_FREE, struct drm_nouveau_gpuobj_free), DRM_RENDER}, NULL, -EINVAL},
    {{NOUVEAU_REQUEST(SVM_INIT, struct drm_nouveau_svm_init), DRM_RENDER}, NULL, -ENOSYS},
    {{NOUVEAU_REQUEST(SVM_BIND, struct drm_nouveau_svm_bind), DRM_RENDER}, NULL, -ENOSYS},
    {{NOUVEAU_REQUEST(GEM_NEW, struct drm_nouveau_gem_new), DRM_RENDER}, nouveau_gem_new, 0},
    {{NOUVEAU_REQUEST(GEM_PUSHBUF, struct drm_nouveau_gem_pushbuf), DRM_RENDER}, NULL, -ENOENT},
    {{NOUVEAU_REQUEST(GEM_CPU_PREP, struct drm_nouveau_gem_cpu_prep), DRM_RENDER},
     nouveau_gem_cpu_prep,
     0},
    {{NOUVEAU_REQUEST(GEM_CPU_FINI, struct drm_nouveau_gem_cpu_fini), DRM_RENDER},
     nouveau_gem_cpu_fini,
     0},
    {{NOUVEAU_REQUEST(GEM_INFO, struct drm_nouveau_gem_info), DRM_RENDER}, nouveau_gem_info, 0},
    {{DRM_IOCTL_GEM_CLOSE, DRM_RENDER}, nouveau_gem_close, 0},
    {{DRM_IOCTL_GEM_FLINK, DRM_NEEDS_AUTH}, nouveau_gem_flink, 0},
    {{DRM_IOCTL_GEM_OPEN, DRM_NEEDS_AUTH}, nouveau_gem_open, 0},
    {{DRM_IOCTL_SET_CLIENT_CAP, 0}, set_client_cap, 0},
    {{DRM_IOCTL_PRIME_HANDLE_TO_FD, DRM_RENDER}, nouveau_export, 0},
    {{DRM_IOCTL_MODE_GETRESOURCES, 0}, get_resources, 0},
    {{DRM_IOCTL_MODE_GETPLANERESOURCES, 0}, get_planes, 0},
    {{DRM_IOCTL_MODE_LIST_LESSEES, DRM_NEEDS_MASTER}, list_lessees, 0},
    {{DRM_IOCTL_MODE_GET_LEASE, DRM_NEEDS_MASTER}, get_lease, 0},
    {{DRM_IOCTL_MODE_GETCRTC, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_SETCRTC, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_CURSOR, DRM_NEEDS_MASTER}, NULL, -EINVAL},
    {{DRM_IOCTL_MODE_GETGAMMA, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_SETGAMMA, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_GETENCODER, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_GETCONNECTOR, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_GETPROPERTY, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_SETPROPERTY, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_GETPROPBLOB, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_GETFB, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_GETFB2, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_ADDFB, 0}, NULL, -EINVAL},
    {{DRM_IOCTL_MODE_ADDFB2, 0}, NULL, -EINVAL},
    {{DRM_IOCTL_MODE_RMFB, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_PAGE_FLIP, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_DIRTYFB, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_CREATE_DUMB, 0}, nouveau_create_dumb, 0},
    {{DRM_IOCTL_MODE_MAP_DUMB, 0}, nouveau_map_dumb, 0},
    {{DRM_IOCTL_MODE_DESTROY_DUMB, 0}, nouveau_gem_close, 0}, /* it has the same argument */
    {{DRM_IOCTL_MODE_GETPLANE, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_SETPLANE, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_OBJ_GETPROPERTIES, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_OBJ_SETPROPERTY, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_CURSOR2, DRM_NEEDS_MASTER}, NULL, -EINVAL},
    {{DRM_IOCTL_MODE_ATOMIC, DRM_NEEDS_MASTER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_MODE_CREATEPROPBLOB, 0}, NULL, -EINVAL},
    {{DRM_IOCTL_MODE_DESTROYPROPBLOB, 0}, NULL, -ENOENT},
    {{DRM_IOCTL_MODE_CREATE_LEASE, DRM_NEEDS_MASTER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_MODE_REVOKE_LEASE, DRM_NEEDS_MASTER}, NULL, -ENOENT},
    {{DRM_IOCTL_SYNCOBJ_CREATE, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_DESTROY, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_WAIT, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_RESET, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_SIGNAL, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_QUERY, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_TRANSFER, DRM_RENDER}, NULL, -EOPNOTSUPP},
    {{DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, DRM_RENDER}, NULL, -EOPNOTSUPP},
};

static const struct drm_row *find(uint32_t request)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (_IOC_NR(rows[i].row.request) == _IOC_NR(request))
            return &rows[i].row;
    return NULL;
}

static int perform(struct drm_file *file, const struct drm_row *row, void *argument,
                   const struct drm_caller *caller)
{
    const struct call_row *found = (const struct call_row *)(const void *)row;
    return found->call ? found->call((struct nouveau_file *)file, argument, caller) : found->result;
}

const struct drm_driver nouveau_driver = {
    .name = "nouveau",
    .date = "20120801",
    .description = "nVidia Riva/TNT/GeForce/Quadro/Tesla/Tegra K1+",
    .major = 1,
    .minor = 3,
    .patch = 1,
    .caps = caps,
    .cap_count = ARRAY_COUNT(caps),
    .unknown_cap = -EINVAL,
    .find = find,
    .call = perform,
};

/* NVIF bypasses the DRM core: every request with its number, whatever its type. */
int nouveau_ioctl(struct nouveau_file *file, uint32_t request, uint64_t argument,
                  const struct drm_caller *caller)
{
    if (_IOC_NR(request) == DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF)
        return nouveau_nvif(file, argument, _IOC_SIZE(request), caller);
    return drm_ioctl(&file->drm, request, argument, caller);
}
