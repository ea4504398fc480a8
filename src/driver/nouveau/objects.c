/* SPDX-License-Identifier: MIT */
/* The classes of objects, and the methods of clients and devices. */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "driver/nouveau/device.h"
#include "nvidia/gpu/registers.h"

/* A client's name of the device: its place on the PCI bus, 00:02.0. */
#define DEVICE_NAME UINT64_C(0x200)

#define PERFMON_VERSION (-1)

/* ---- children -------------------------------------------------------------------------------- */

static const struct nvif_ioctl_sclass_oclass_v0 *
child_of_client(const struct nouveau_device *device, size_t index)
{
    static const struct nvif_ioctl_sclass_oclass_v0 classes[] = {{NVIF_CLASS_CLIENT, 0, 0},
                                                                 {NV_DEVICE, 0, 0}};
    (void)device;
    return index < ARRAY_COUNT(classes) ? &classes[index] : NULL;
}

/* What the family of a device has: memory objects, channels, and the MMU. */
static const struct nvif_ioctl_sclass_oclass_v0 *
class_of_family(const struct nouveau_device *device, bool is_mmu)
{
    static const struct {
        const char *first; /* chipset */
        struct nvif_ioctl_sclass_oclass_v0 channel, mmu;
    } rows[] = {
        {"nv10", {NV10_CHANNEL_DMA, 0, 0}, {NVIF_CLASS_MMU_NV04, -1, -1}},
        {"nv17", {NV17_CHANNEL_DMA, 0, 0}, {NVIF_CLASS_MMU_NV04, -1, -1}},
        {"nv40", {NV40_CHANNEL_DMA, 0, 0}, {NVIF_CLASS_MMU_NV04, -1, -1}},
        {"g80", {NV50_CHANNEL_GPFIFO, 0, 0}, {NVIF_CLASS_MMU_NV50, -1, -1}},
        {"g84", {G82_CHANNEL_GPFIFO, 0, 0}, {NVIF_CLASS_MMU_NV50, -1, -1}},
        {"gf100", {FERMI_CHANNEL_GPFIFO, 0, 0}, {NVIF_CLASS_MMU_GF100, -1, -1}},
    };
    size_t row = 0;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (device->settings.chipset->order >= tally_chipset_find(rows[i].first)->order)
            row = i;
    return is_mmu ? &rows[row].mmu : &rows[row].channel;
}

static const struct nvif_ioctl_sclass_oclass_v0 *
child_of_device(const struct nouveau_device *device, size_t index)
{
    static const struct nvif_ioctl_sclass_oclass_v0 memory[] = {{NV_DMA_FROM_MEMORY, 0, 0},
                                                                {NV_DMA_TO_MEMORY, 0, 0},
                                                                {NV_DMA_IN_MEMORY, 0, 0}},
                                                    perfmon = {NVIF_CLASS_PERFMON, PERFMON_VERSION,
                                                               PERFMON_VERSION},
                                                    control = {NVIF_CLASS_CONTROL, -1, -1};
    if (index < ARRAY_COUNT(memory))
        return &memory[index];
    index -= ARRAY_COUNT(memory);
    if (index-- == 0)
        return class_of_family(device, false);
    if (device->session && index-- == 0)
        return &perfmon;
    if (index-- == 0)
        return &control;
    return index == 0 ? class_of_family(device, true) : NULL;
}

static const struct nvif_ioctl_sclass_oclass_v0 *
child_of_perfmon(const struct nouveau_device *device, size_t index)
{
    static const struct nvif_ioctl_sclass_oclass_v0 perfdom = {NVIF_CLASS_PERFDOM, 0, 0};
    (void)device;
    return index ? NULL : &perfdom;
}

/* ---- clients --------------------------------------------------------------------------------- */

static int method_of_client(struct nouveau_file *file, struct nouveau_object *object,
                            uint8_t method, struct nvif_bytes *arguments)
{
    const uint64_t name = DEVICE_NAME;
    struct nvif_client_devlist_v0 args;
    struct nvif_bytes names;
    (void)file;
    (void)object;
    if (method != NVIF_CLIENT_V0_DEVLIST)
        return -EINVAL;
    int result = nvif_take(arguments, &args, sizeof args, &names);
    if (result < 0)
        return result;
    if (names.size != args.count * sizeof name)
        return -EINVAL;
    if (args.count)
        memcpy(names.bytes, &name, sizeof name);
    args.count = 1;
    memcpy(arguments->bytes, &args, sizeof args);
    return 0;
}

/* ---- devices --------------------------------------------------------------------------------- */

static int make_device(struct nouveau_object *object, struct nvif_bytes *arguments)
{
    struct nv_device_v0 args;
    (void)object;
    memcpy(&args, arguments->bytes, sizeof args); /* its size was checked */
    return args.device == UINT64_MAX || args.device == DEVICE_NAME ? 0 : -ENODEV;
}

/* Version 1 has pairs of queries and answers, of which none is known to this driver. */
static int list_properties(struct nvif_bytes *arguments, struct nvif_bytes *pairs)
{
    const uint64_t invalid = NV_DEVICE_INFO_INVALID;
    struct nv_device_info_v1 args;
    memcpy(&args, arguments->bytes, sizeof args);
    if (pairs->size != args.count * sizeof(struct nv_device_info_v1_data))
        return -EINVAL;
    for (unsigned i = 0; i < args.count; i++)
        memcpy(pairs->bytes + i * sizeof(struct nv_device_info_v1_data), &invalid, sizeof invalid);
    return 0;
}

static int describe_device(const struct nouveau_device *device, struct nvif_bytes *arguments)
{
    const struct nouveau_settings *settings = &device->settings;
    struct nvif_bytes rest;
    struct nv_device_info_v0 info = {
        .platform = nouveau_is_igp(device) ? NV_DEVICE_INFO_V0_IGP : NV_DEVICE_INFO_V0_PCI,
        .chipset = settings->chipset->id,
        .family = device->family,
        .ram_size = settings->vram_bytes,
        .ram_user = settings->vram_bytes};
    if (nvif_unpack(arguments, sizeof(struct nv_device_info_v1), 1, false, &rest) == 0)
        return list_properties(arguments, &rest);
    int result = nvif_unpack(arguments, sizeof info, 0, true, &rest);
    if (result < 0)
        return result;
    info.revision = (uint8_t)REG_GET(PMC_BOOT_0, STEPPING, driver_read32(&device->io, PMC_BOOT_0));
    strncpy(info.chip, settings->chipset->title, sizeof info.chip - 1);
    strncpy(info.name, settings->product, sizeof info.name - 1);
    memcpy(arguments->bytes, &info, sizeof info);
    return 0;
}

static int method_of_device(struct nouveau_file *file, struct nouveau_object *object,
                            uint8_t method, struct nvif_bytes *arguments)
{
    struct nv_device_time_v0 args = {0};
    (void)object;
    if (method == NV_DEVICE_V0_INFO)
        return describe_device(file->device, arguments);
    if (method != NV_DEVICE_V0_TIME)
        return -EINVAL;
    int result = nvif_take(arguments, &args, sizeof args, NULL);
    if (result < 0)
        return result;
    args.time = nouveau_time_ns(file->device);
    memcpy(arguments->bytes, &args, sizeof args);
    return 0;
}

/* ---- the control of performance levels ------------------------------------------------------- */

static int make_control(struct nouveau_object *object, struct nvif_bytes *arguments)
{
    (void)object;
    (void)arguments;
    return 0;
}

/* There are no levels. */
static int method_of_control(struct nouveau_file *file, struct nouveau_object *object,
                             uint8_t method, struct nvif_bytes *arguments)
{
    (void)file;
    (void)object;
    (void)method;
    (void)arguments;
    return -EINVAL;
}

/* ---- all ------------------------------------------------------------------------------------- */

const struct nouveau_class *nouveau_class_find(int32_t class)
{
    static const struct nouveau_class classes[] = {
        {NVIF_CLASS_CLIENT, false, child_of_client, method_of_client, NULL, NULL},
        {NV_DEVICE, true, child_of_device, method_of_device, make_device, NULL},
        {NVIF_CLASS_CONTROL, true, NULL, method_of_control, make_control, NULL},
        {NVIF_CLASS_PERFMON, true, child_of_perfmon, nouveau_perfmon_method, nouveau_perfmon_make,
         nouveau_perfmon_free},
        {NVIF_CLASS_PERFDOM, true, NULL, nouveau_perfdom_method, nouveau_perfdom_make,
         nouveau_perfdom_free},
    };
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++)
        if (classes[i].class == class)
            return &classes[i];
    return NULL;
}
