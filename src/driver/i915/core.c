/* SPDX-License-Identifier: MIT */
/*
 * The calls of the DRM core, as in the public DRM core of Linux without a display: versions,
 * capabilities, masters and authentication, objects' names. There is one bus id for all masters.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

#define DRIVER_MAJOR 1
#define DRIVER_MINOR 6
#define CORE_MAJOR   1 /* the interface version of SET_VERSION */
#define CORE_MINOR   4

#define OVERFLOW_UID 65534 /* stands for a user that is not shown */

/* ---- VERSION, GET_UNIQUE --------------------------------------------------------------------- */

/* Copies a text to the client's address `to`, truncated to *size, and sets *size to its full
 * length.
 */
static int copy_text(const struct i915_caller *caller, const char *text, const char *to,
                     __kernel_size_t *size)
{
    size_t length = strlen(text), copied = min_size(*size, length);
    *size = length;
    return copied && to ? copy_out(caller, (uintptr_t)to, text, copied) : 0;
}

int i915_version(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_version *version = argument;
    (void)file;
    version->version_major = DRIVER_MAJOR;
    version->version_minor = DRIVER_MINOR;
    version->version_patchlevel = 0;
    int result = copy_text(caller, "i915", version->name, &version->name_len);
    if (result == 0)
        result = copy_text(caller, "0", version->date, &version->date_len);
    if (result == 0)
        result = copy_text(caller, "Intel Graphics", version->desc, &version->desc_len);
    return result;
}

/* The bus id is empty until a client sets the interface version. */
int i915_get_unique(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const char *name = file->device->has_bus_id ? "pci:0000:00:02.0" : "";
    struct drm_unique *unique = argument;
    int result = 0;
    if (*name && unique->unique_len >= strlen(name))
        result = copy_out(caller, (uintptr_t)unique->unique, name, strlen(name));
    if (result == 0)
        unique->unique_len = strlen(name);
    return result;
}

static int check_core(struct i915_device *device, const struct drm_set_version *version)
{
    if (version->drm_di_major == -1)
        return 0;
    if (version->drm_di_major != CORE_MAJOR || version->drm_di_minor < 0 ||
        version->drm_di_minor > CORE_MINOR)
        return -EINVAL;
    device->has_bus_id = device->has_bus_id || version->drm_di_minor >= 1;
    return 0;
}

bool i915_device_has_name(const struct i915_device *device)
{
    return device->has_bus_id;
}

int i915_set_version(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_set_version *version = argument;
    (void)caller;
    int result = check_core(file->device, version);
    if (result == 0 && version->drm_dd_major != -1 &&
        (version->drm_dd_major != DRIVER_MAJOR || version->drm_dd_minor < 0 ||
         version->drm_dd_minor > DRIVER_MINOR))
        result = -EINVAL;
    *version = (struct drm_set_version){CORE_MAJOR, CORE_MINOR, DRIVER_MAJOR, DRIVER_MINOR};
    return result;
}

/* ---- capabilities ---------------------------------------------------------------------------- */

/* Neither a display nor sync objects are emulated. */
int i915_get_cap(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_get_cap *cap = argument;
    (void)file;
    (void)caller;
    cap->value = 0;
    switch (cap->capability) {
    case DRM_CAP_TIMESTAMP_MONOTONIC:
        cap->value = 1;
        return 0;
    case DRM_CAP_PRIME:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE:
        return 0;
    default:
        return -EOPNOTSUPP;
    }
}

int i915_set_client_cap(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EOPNOTSUPP;
}

/* ---- masters and authentication -------------------------------------------------------------- */

/* Makes a file the master if there is none, as when it is opened. */
void i915_file_become_master(struct i915_file *file)
{
    if (file->device->master || file->render_node)
        return;
    file->device->master = file;
    file->is_master = file->is_authenticated = true;
}

static bool may_be_master(const struct i915_file *file, const struct i915_caller *caller)
{
    return file->is_master || caller->privileged;
}

int i915_set_master(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)argument;
    if (!may_be_master(file, caller))
        return -EACCES;
    if (file->device->master && file->device->master != file)
        return -EBUSY;
    i915_file_become_master(file);
    return 0;
}

int i915_drop_master(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)argument;
    if (!may_be_master(file, caller))
        return -EACCES;
    if (file->device->master != file)
        return -EINVAL;
    file->device->master = NULL;
    return 0;
}

static struct i915_file *find_magic(const struct i915_device *device, uint32_t magic)
{
    for (struct i915_file *f = device->files; f; f = f->next)
        if (magic && f->magic == magic)
            return f;
    return NULL;
}

int i915_get_magic(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_auth *auth = argument;
    (void)caller;
    for (uint32_t magic = 1; !file->magic; magic++)
        if (!find_magic(file->device, magic))
            file->magic = magic;
    auth->magic = file->magic;
    return 0;
}

/* A number authenticates its file once. */
int i915_auth_magic(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    const struct drm_auth *auth = argument;
    struct i915_file *found = find_magic(file->device, auth->magic);
    (void)caller;
    if (!found || found->is_magic_used)
        return -EINVAL;
    found->is_authenticated = found->is_magic_used = true;
    return 0;
}

/* Reports the caller itself, for old clients that want to know whether they are authenticated. The
 * process id, which the driver does not know, is 0. */
int i915_get_client(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_client *client = argument;
    (void)caller;
    if (client->idx)
        return -EINVAL;
    *client = (struct drm_client){.auth = file->is_authenticated, .uid = OVERFLOW_UID};
    return 0;
}

int i915_get_stats(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)caller;
    memset(argument, 0, sizeof(struct drm_stats));
    return 0;
}

/* ---- calls without a function ---------------------------------------------------------------- */

int i915_ignore(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return 0;
}

int i915_refuse(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EINVAL;
}

int i915_without_display(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EOPNOTSUPP;
}

int i915_without_device(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -ENODEV;
}

int i915_without_object(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -ENOENT;
}

/* ---- names of objects ------------------------------------------------------------------------ */

static struct i915_object *find_name(const struct i915_device *device, uint32_t name)
{
    for (size_t i = 0; i < device->named_count; i++)
        if (device->named[i]->name == name)
            return device->named[i];
    return NULL;
}

/* Gives an object the lowest free number. It keeps it until its last handle is closed. */
int i915_gem_flink(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_gem_flink *args = argument;
    struct i915_device *device = file->device;
    struct i915_object *object = i915_file_object(file, args->handle);
    (void)caller;
    if (!object)
        return -ENOENT;
    if (!object->name) {
        struct i915_object **grown = array_grow(device->named, &device->named_capacity,
                                                device->named_count, sizeof(struct i915_object *));
        if (!grown)
            return -ENOMEM;
        device->named = grown;
        uint32_t name = 1;
        while (find_name(device, name))
            name++;
        object->name = name;
        grown[device->named_count++] = object;
    }
    args->name = object->name;
    return 0;
}

int i915_gem_open(struct i915_file *file, void *argument, const struct i915_caller *caller)
{
    struct drm_gem_open *args = argument;
    struct i915_object *object = find_name(file->device, args->name);
    (void)caller;
    if (!object)
        return -ENOENT;
    int result = i915_file_add_handle(file, i915_object_hold(object), &args->handle);
    if (result < 0) {
        i915_object_drop(object);
        return result;
    }
    args->size = object->size;
    return 0;
}

void i915_object_forget_name(struct i915_object *object)
{
    struct i915_device *device = object->device;
    for (size_t i = 0; object->name && i < device->named_count; i++)
        if (device->named[i] == object) {
            device->named[i] = device->named[--device->named_count];
            object->name = 0;
        }
}
