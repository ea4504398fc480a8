/* SPDX-License-Identifier: MIT */
/* The calls of the DRM core: versions, capabilities, masters and authentication. */
#include <errno.h>
#include <string.h>

#include "base/minmax.h"
#include "driver/drm/calls.h"

#define CORE_MAJOR 1 /* the interface version of SET_VERSION */
#define CORE_MINOR 4

#define OVERFLOW_UID 65534 /* stands for a user that is not shown */

#define BUS_ID "pci:0000:00:02.0"

/* ---- VERSION, GET_UNIQUE --------------------------------------------------------------------- */

/* Copies a text to the client's address `to`, truncated to *size, and sets *size to its full
 * length.
 */
static int copy_text(const struct drm_caller *caller, const char *text, const char *to,
                     __kernel_size_t *size)
{
    size_t length = strlen(text), copied = min_size(*size, length);
    *size = length;
    return copied && to ? drm_copy_out(caller, (uintptr_t)to, text, copied) : 0;
}

int drm_version(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_driver *driver = file->device->driver;
    struct drm_version *version = argument;
    version->version_major = driver->major;
    version->version_minor = driver->minor;
    version->version_patchlevel = driver->patch;
    int result = copy_text(caller, driver->name, version->name, &version->name_len);
    if (result == 0)
        result = copy_text(caller, driver->date, version->date, &version->date_len);
    if (result == 0)
        result = copy_text(caller, driver->description, version->desc, &version->desc_len);
    return result;
}

/* The bus id is empty until a client sets the interface version. */
int drm_get_unique(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    const char *name = file->device->has_bus_id ? BUS_ID : "";
    struct drm_unique *unique = argument;
    int result = 0;
    if (*name && unique->unique_len >= strlen(name))
        result = drm_copy_out(caller, (uintptr_t)unique->unique, name, strlen(name));
    if (result == 0)
        unique->unique_len = strlen(name);
    return result;
}

static int check_core(struct drm_device *device, const struct drm_set_version *version)
{
    if (version->drm_di_major == -1)
        return 0;
    if (version->drm_di_major != CORE_MAJOR || version->drm_di_minor < 0 ||
        version->drm_di_minor > CORE_MINOR)
        return -EINVAL;
    device->has_bus_id = device->has_bus_id || version->drm_di_minor >= 1;
    return 0;
}

int drm_set_version(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_driver *driver = file->device->driver;
    struct drm_set_version *version = argument;
    (void)caller;
    int result = check_core(file->device, version);
    if (result == 0 && version->drm_dd_major != -1 &&
        (version->drm_dd_major != driver->major || version->drm_dd_minor < 0 ||
         version->drm_dd_minor > driver->minor))
        result = -EINVAL;
    *version = (struct drm_set_version){CORE_MAJOR, CORE_MINOR, driver->major, driver->minor};
    return result;
}

/* ---- capabilities ---------------------------------------------------------------------------- */

int drm_get_cap(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_driver *driver = file->device->driver;
    struct drm_get_cap *cap = argument;
    (void)caller;
    cap->value = 0;
    for (size_t i = 0; i < driver->cap_count; i++)
        if (driver->caps[i].cap == cap->capability) {
            cap->value = driver->caps[i].value;
            return 0;
        }
    return driver->unknown_cap;
}

int drm_set_client_cap(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EOPNOTSUPP;
}

/* ---- masters and authentication -------------------------------------------------------------- */

/* Makes a file the master if there is none, as when it is opened. Its first time begins a line of
 * masters of its own: numbers of files of another line do not authenticate with it. */
static void become_master(struct drm_file *file)
{
    if (file->device->master || file->render_node)
        return;
    if (!file->is_master)
        file->masters = ++file->device->masters;
    file->device->master = file;
    file->is_master = file->is_authenticated = true;
}

/* A process to which the file was passed needs privileges. */
static bool may_be_master(const struct drm_file *file, const struct drm_caller *caller)
{
    return (file->is_master && caller->process == file->opener) || caller->privileged;
}

int drm_set_master(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)argument;
    if (!may_be_master(file, caller))
        return -EACCES;
    if (file->device->master && file->device->master != file)
        return -EBUSY;
    become_master(file);
    return 0;
}

int drm_drop_master(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)argument;
    if (!may_be_master(file, caller))
        return -EACCES;
    if (file->device->master != file)
        return -EINVAL;
    file->device->master = NULL;
    return 0;
}

static struct drm_file *find_magic(const struct drm_device *device, uint32_t magic)
{
    for (struct drm_file *f = device->files; f; f = f->next)
        if (magic && f->magic == magic)
            return f;
    return NULL;
}

int drm_get_magic(struct drm_file *file, void *argument, const struct drm_caller *caller)
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
int drm_auth_magic(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    const struct drm_auth *auth = argument;
    struct drm_file *found = find_magic(file->device, auth->magic);
    (void)caller;
    if (!found || found->is_magic_used || found->masters != file->masters)
        return -EINVAL;
    found->is_authenticated = found->is_magic_used = true;
    return 0;
}

/* Reports the caller itself, for old clients that want to know whether they are authenticated. */
int drm_get_client(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    struct drm_client *client = argument;
    if (client->idx)
        return -EINVAL;
    *client = (struct drm_client){
        .auth = file->is_authenticated, .pid = (unsigned long)caller->process, .uid = OVERFLOW_UID};
    return 0;
}

int drm_get_stats(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)file;
    (void)caller;
    memset(argument, 0, sizeof(struct drm_stats));
    return 0;
}

/* ---- calls without a function ---------------------------------------------------------------- */

int drm_ignore(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return 0;
}

int drm_refuse(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EINVAL;
}

int drm_without_display(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -EOPNOTSUPP;
}

int drm_without_object(struct drm_file *file, void *argument, const struct drm_caller *caller)
{
    (void)file;
    (void)argument;
    (void)caller;
    return -ENOENT;
}

/* ---- files ----------------------------------------------------------------------------------- */

void drm_file_open(struct drm_device *device, bool render_node, struct drm_file *file)
{
    *file = (struct drm_file){.next = device->files, .device = device, .render_node = render_node};
    device->files = file;
    file->masters = device->master ? device->master->masters : 0;
    become_master(file);
}

void drm_file_close(struct drm_file *file)
{
    struct drm_file **link = &file->device->files;
    while (*link != file)
        link = &(*link)->next;
    *link = file->next;
    if (file->device->master == file)
        file->device->master = NULL;
}
