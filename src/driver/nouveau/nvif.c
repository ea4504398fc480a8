/* SPDX-License-Identifier: MIT */
/*
 * NVIF: requests to objects, which a client makes as children of itself and of its device. Checks
 * and their order are those of Linux 6.1 (nouveau_usif.c, nvkm/core/ioctl.c), with one difference:
 * that driver lets clients make only children of their device, which excludes the domains of a
 * perfmon, so that no client can count. Here, as up to Linux 5.14, a perfmon may have domains.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver/nouveau/device.h"

/* A request while it is performed. */
struct request {
    struct nouveau_file *file;
    struct nvif_ioctl_v0 header;
    struct nvif_bytes payload;     /* what follows the header */
    struct nouveau_object *object; /* NULL: the client, or its device */
    bool is_device;                /* addressed by route 255: the device of the client */
    int32_t class;                 /* of the object */

    /* To make an object: what it is, and its arguments. */
    struct nvif_ioctl_new_v0 new;
    struct nvif_bytes arguments;
};

int nvif_unpack(const struct nvif_bytes *bytes, size_t size, uint8_t version, bool exact,
                struct nvif_bytes *rest)
{
    if (bytes->size < size || (size && bytes->bytes[0] != version))
        return -ENOSYS;
    *rest = (struct nvif_bytes){bytes->bytes + size, bytes->size - (uint32_t)size};
    return exact && rest->size ? -E2BIG : 0;
}

int nvif_take(const struct nvif_bytes *bytes, void *args, size_t size, struct nvif_bytes *rest)
{
    struct nvif_bytes nothing;
    int result = nvif_unpack(bytes, size, 0, !rest, rest ? rest : &nothing);
    if (result == 0)
        memcpy(args, bytes->bytes, size);
    return result;
}

/* ---- objects --------------------------------------------------------------------------------- */

static struct nouveau_object *find(const struct nouveau_file *file, uint64_t number)
{
    struct nouveau_object *object = file->objects;
    while (object && object->number != number)
        object = object->next;
    return object;
}

/* Deletes an object and its children. */
static void delete (struct nouveau_object *object)
{
    struct nouveau_file *file = object->file;
    for (struct nouveau_object *child = file->objects; child;) {
        bool is_child = child->parent == object;
        if (is_child)
            delete (child);
        child = is_child ? file->objects : child->next;
    }
    struct nouveau_object **link = &file->objects;
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    const struct nouveau_class *class = nouveau_class_find(object->class);
    if (class->free)
        class->free(object);
    free(object);
}

void nouveau_objects_free(struct nouveau_file *file)
{
    while (file->objects)
        delete (file->objects);
}

/* ---- requests -------------------------------------------------------------------------------- */

static int nop(struct request *request)
{
    const struct nvif_ioctl_nop_v0 latest = {NVIF_VERSION_LATEST};
    struct nvif_ioctl_nop_v0 args;
    if (request->payload.size < sizeof args)
        return -ENOSYS;
    memcpy(&args, request->payload.bytes, sizeof args);
    if (args.version)
        return -ENOSYS;
    if (request->payload.size > sizeof args)
        return -E2BIG;
    memcpy(request->payload.bytes, &latest, sizeof latest);
    return 0;
}

static int list_classes(struct request *request)
{
    const struct nouveau_class *class = nouveau_class_find(request->class);
    const struct nvif_ioctl_sclass_oclass_v0 *child;
    struct nvif_ioctl_sclass_v0 args;
    struct nvif_bytes rest;
    uint8_t count = 0;
    int result = nvif_take(&request->payload, &args, sizeof args, &rest);
    if (result < 0)
        return result;
    if (rest.size != args.count * sizeof *child)
        return -EINVAL;
    while (class->child && (child = class->child(request->file->device, count))) {
        if (count < args.count)
            memcpy(rest.bytes + count * sizeof *child, child, sizeof *child);
        count++;
    }
    args.count = count;
    memcpy(request->payload.bytes, &args, sizeof args);
    return 0;
}

static bool has_child(const struct request *request, int32_t wanted)
{
    const struct nouveau_class *class = nouveau_class_find(request->class);
    const struct nvif_ioctl_sclass_oclass_v0 *child;
    for (size_t i = 0; class->child && (child = class->child(request->file->device, i)); i++)
        if (child->oclass == wanted)
            return true;
    return false;
}

/* Checks what clients may make. Returns 0 or an errno. */
static int check_class(const struct request *request, int32_t class,
                       const struct nvif_bytes *arguments)
{
    struct nvif_bytes rest;
    switch (class) {
    case NV_DMA_FROM_MEMORY:
    case NV_DMA_TO_MEMORY:
    case NV_DMA_IN_MEMORY:
        return -EINVAL;
    case NV_DEVICE:
        return nvif_unpack(arguments, sizeof(struct nv_device_v0), 0, true, &rest);
    default:
        return request->is_device || request->class == NVIF_CLASS_PERFMON ? 0 : -EINVAL;
    }
}

/* Makes an object of a class that the parent has. */
static int make(struct request *request)
{
    const struct nvif_ioctl_new_v0 *args = &request->new;
    const struct nouveau_class *class = nouveau_class_find(args->oclass);
    if (!has_child(request, args->oclass))
        return -EINVAL;
    if (!class || !class->is_known)
        return -ENOSYS;
    struct nouveau_object *object = calloc(1, sizeof *object);
    if (!object)
        return -ENOMEM;
    *object = (struct nouveau_object){.next = request->file->objects,
                                      .file = request->file,
                                      .parent = request->object,
                                      .number = args->object,
                                      .token = args->token,
                                      .route = args->route,
                                      .class = args->oclass};
    int result = class->make(object, &request->arguments);
    if (result < 0) {
        free(object);
        return result;
    }
    bool is_new = !find(request->file, args->object);
    request->file->objects = object;
    if (!is_new)
        delete (object);
    return is_new ? 0 : -EEXIST;
}

/* Takes what a request to make an object has, and checks it: this comes before its parent is looked
 * for. */
static int take_new(struct request *request)
{
    int result =
        nvif_take(&request->payload, &request->new, sizeof request->new, &request->arguments);
    return result < 0 ? result : check_class(request, request->new.oclass, &request->arguments);
}

static int call_method(struct request *request)
{
    const struct nouveau_class *class = nouveau_class_find(request->class);
    struct nvif_ioctl_mthd_v0 args;
    struct nvif_bytes arguments;
    int result = nvif_take(&request->payload, &args, sizeof args, &arguments);
    if (result < 0)
        return result;
    return class->method ? class->method(request->file, request->object, args.method, &arguments)
                         : -ENODEV;
}

/* Registers can be accessed through the driver's own devices only. */
static int access_register(const struct request *request)
{
    struct nvif_ioctl_rd_v0 args;
    int result = nvif_take(&request->payload, &args, sizeof args, NULL);
    if (result < 0)
        return result;
    return args.size == 1 || args.size == 2 || args.size == 4 ? -ENODEV : -EINVAL;
}

static int map(struct request *request)
{
    struct nvif_bytes rest;
    int result = nvif_unpack(&request->payload, sizeof(struct nvif_ioctl_map_v0), 0, false, &rest);
    if (result < 0)
        return result;
    request->payload.bytes[offsetof(struct nvif_ioctl_map_v0, type)] = 0;
    return -ENODEV;
}

static int perform(struct request *request)
{
    switch ((enum nvif_ioctl_type)request->header.type) {
    case NVIF_IOCTL_V0_NOP:
        return nop(request);
    case NVIF_IOCTL_V0_SCLASS:
        return list_classes(request);
    case NVIF_IOCTL_V0_NEW:
        return make(request);
    case NVIF_IOCTL_V0_DEL:
        if (request->payload.size)
            return -ENOSYS;
        delete (request->object);
        return 1;
    case NVIF_IOCTL_V0_MTHD:
        return call_method(request);
    case NVIF_IOCTL_V0_RD:
    case NVIF_IOCTL_V0_WR:
        return access_register(request);
    case NVIF_IOCTL_V0_MAP:
        return map(request);
    case NVIF_IOCTL_V0_UNMAP:
        return request->payload.size ? -ENOSYS : -ENODEV;
    default:
        return -EINVAL;
    }
}

/* ---- the ioctl ------------------------------------------------------------------------------- */

/* Route 255 stands for the device of the client, with all ones as token; other tokens are
 * channels, of which there is none. Errors here leave the request as it is. */
static int take_route(struct request *request)
{
    uint8_t type = request->header.type;
    if (!request->header.route)
        return 0;
    if (request->header.route != NVIF_IOCTL_V0_ROUTE_HIDDEN)
        return -EINVAL;
    if (type != NVIF_IOCTL_V0_NEW && type != NVIF_IOCTL_V0_MTHD && type != NVIF_IOCTL_V0_SCLASS)
        return -EACCES;
    if (request->header.token != UINT64_MAX)
        return -EINVAL;
    request->is_device = true;
    request->class = NV_DEVICE;
    return 0;
}

/* Finds the object; a client cannot delete itself. */
static int find_object(struct request *request)
{
    if (request->is_device)
        return 0;
    request->class = NVIF_CLASS_CLIENT;
    if (!request->header.object)
        return request->header.type == NVIF_IOCTL_V0_DEL ? -EACCES : 0;
    request->object = find(request->file, request->header.object);
    if (!request->object)
        return -ENOENT;
    request->class = request->object->class;
    return 0;
}

/* Performs a request. Route and token of the answer are those of a client's object. */
static int answer(struct request *request)
{
    int found = find_object(request), result = 0;
    uint8_t type = request->header.type;
    request->header.route = NVIF_IOCTL_V0_ROUTE_HIDDEN;
    request->header.token = 0;
    if (type >= NVIF_IOCTL_V0_NTFY_NEW && type <= NVIF_IOCTL_V0_NTFY_PUT)
        result = -ENOSYS;
    else if (type == NVIF_IOCTL_V0_NEW)
        result = take_new(request);
    result = result ? result : found;
    if (result < 0)
        return result;
    if (request->object) {
        request->header.route = request->object->route;
        request->header.token = request->object->token;
    }
    return perform(request);
}

static int take(struct request *request, uint8_t *bytes, uint64_t argument, uint32_t size,
                const struct drm_caller *caller)
{
    if (drm_copy_in(caller, bytes, argument, size) < 0)
        return -EFAULT;
    const struct nvif_bytes all = {bytes, size};
    int result = nvif_unpack(&all, sizeof request->header, 0, false, &request->payload);
    if (result < 0)
        return result;
    memcpy(&request->header, bytes, sizeof request->header);
    result = take_route(request);
    if (result < 0)
        return result;
    result = answer(request);
    memcpy(bytes, &request->header, sizeof request->header);
    return drm_copy_out(caller, argument, bytes, size) < 0 ? -EFAULT : result;
}

int nouveau_nvif(struct nouveau_file *file, uint64_t argument, uint32_t size,
                 const struct drm_caller *caller)
{
    struct request request = {.file = file};
    uint8_t *bytes = calloc(1, size + 1);
    if (!bytes)
        return -ENOMEM;
    int result = take(&request, bytes, argument, size, caller);
    free(bytes);
    return result;
}
