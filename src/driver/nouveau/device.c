/* SPDX-License-Identifier: MIT */
/* The device, its files, and its parameters. */
#include "driver/nouveau/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "nvidia/gpu/registers.h"

#define DEFAULT_VRAM   (UINT64_C(256) << 20)
#define DEFAULT_MEMORY (UINT64_C(1) << 30)
#define FIRST_OFFSET   (UINT64_C(1) << 32)
#define FIRST_ADDRESS  (UINT64_C(1) << 20)

/* Bytes of system memory that the GPU can address: what its page tables span, or its GART. */
#define TESLA_GART   (UINT64_C(1) << 40)
#define CURIE_GART   (UINT64_C(512) << 20)
#define EARLIER_GART (UINT64_C(128) << 20)

/* The families, by the first chipset of each. */
static const struct {
    const char *first;
    uint8_t family;
} families[] = {
    {"nv10", NV_DEVICE_INFO_V0_CELSIUS}, {"nv20", NV_DEVICE_INFO_V0_KELVIN},
    {"nv30", NV_DEVICE_INFO_V0_RANKINE}, {"nv40", NV_DEVICE_INFO_V0_CURIE},
    {"g80", NV_DEVICE_INFO_V0_TESLA},    {"gf100", NV_DEVICE_INFO_V0_FERMI},
};

/* The GPUs that are part of a machine's chipset, as the driver lists them. */
static const uint16_t igps[] = {0x1a, 0x1f, 0x4c, 0x4e, 0x63, 0x67, 0x68, 0xaa, 0xac, 0xaf};

static uint8_t family_of(const struct tally_chipset *chipset)
{
    uint8_t family = 0;
    for (size_t i = 0; i < ARRAY_COUNT(families); i++)
        if (chipset->order >= tally_chipset_find(families[i].first)->order)
            family = families[i].family;
    return family;
}

bool nouveau_is_igp(const struct nouveau_device *device)
{
    for (size_t i = 0; i < ARRAY_COUNT(igps); i++)
        if (igps[i] == device->settings.chipset->id)
            return true;
    return false;
}

static void set_defaults(struct nouveau_device *device)
{
    struct nouveau_settings *settings = &device->settings;
    if (!settings->vram_bytes && !nouveau_is_igp(device))
        settings->vram_bytes = DEFAULT_VRAM;
    if (!settings->memory_bytes)
        settings->memory_bytes = DEFAULT_MEMORY;
    device->map_offset = FIRST_OFFSET;
    device->family = family_of(settings->chipset);
}

static int make_perfmon(struct nouveau_device *device, struct tally_error *error)
{
    const struct tally_chipset *chipset = device->settings.chipset;
    if (!nouveau_has_perfmon(chipset))
        return 0;
    int result = perfmon_session_new(chipset, &device->io, PERFMON_ENABLE, &device->session, error);
    if (result < 0)
        return result;
    result = nouveau_lists_make(&device->lists, chipset, device->session);
    return result < 0 ? fail_memory(error, "the lists of signals") : 0;
}

int nouveau_device_new(const struct nouveau_settings *settings, const struct driver_io *io,
                       struct nouveau_device **out, struct tally_error *error)
{
    struct nouveau_device *device = calloc(1, sizeof *device);
    if (!device)
        return fail_memory(error, "the nouveau device");
    device->settings = *settings;
    device->io = *io;
    device->drm.driver = &nouveau_driver;
    set_defaults(device);
    int result = make_perfmon(device, error);
    if (result < 0) {
        nouveau_device_free(device);
        return result;
    }
    *out = device;
    return 0;
}

void nouveau_device_free(struct nouveau_device *device)
{
    if (!device)
        return;
    while (device->files)
        nouveau_file_close(device->files);
    perfmon_session_free(device->session);
    nouveau_lists_free(&device->lists);
    free(device->named);
    free(device);
}

/* ---- files ----------------------------------------------------------------------------------- */

int nouveau_file_open(struct nouveau_device *device, bool render_node, struct nouveau_file **out)
{
    struct nouveau_file *file = calloc(1, sizeof *file);
    if (!file)
        return -ENOMEM;
    file->device = device;
    file->address = FIRST_ADDRESS;
    file->next = device->files;
    device->files = file;
    drm_file_open(&device->drm, render_node, &file->drm);
    *out = file;
    return 0;
}

void nouveau_file_close(struct nouveau_file *file)
{
    struct nouveau_file **link = &file->device->files;
    while (*link != file)
        link = &(*link)->next;
    *link = file->next;
    drm_file_close(&file->drm);
    nouveau_objects_free(file);
    nouveau_handles_free(file);
    free(file);
}

/* ---- parameters ------------------------------------------------------------------------------ */

uint64_t nouveau_time_ns(const struct nouveau_device *device)
{
    uint32_t high, low;
    do {
        high = driver_read32(&device->io, PTIMER_TIME_HIGH);
        low = driver_read32(&device->io, PTIMER_TIME_LOW);
    } while (high != driver_read32(&device->io, PTIMER_TIME_HIGH));
    return (uint64_t)high << 32 | low;
}

static uint64_t gart_bytes(const struct nouveau_device *device)
{
    if (device->family >= NV_DEVICE_INFO_V0_TESLA)
        return TESLA_GART;
    return device->family == NV_DEVICE_INFO_V0_CURIE ? CURIE_GART : EARLIER_GART;
}

/* The register of units since NV40; from GF100 on the numbers of GPCs and of partitions, as that of
 * TPCs is not modelled. */
static uint64_t graph_units(const struct nouveau_device *device)
{
    if (device->family >= NV_DEVICE_INFO_V0_FERMI)
        return driver_read32(&device->io, PTOP_GPC_COUNT) |
               (uint64_t)driver_read32(&device->io, PTOP_PART_COUNT) << 32;
    return device->family >= NV_DEVICE_INFO_V0_CURIE ? driver_read32(&device->io, PBUS_HWUNITS_0)
                                                     : 0;
}

int nouveau_getparam(struct nouveau_file *file, void *argument, const struct drm_caller *caller)
{
    enum { PCI = 1 };
    const struct nouveau_device *device = file->device;
    struct drm_nouveau_getparam *args = argument;
    (void)caller;
    switch (args->param) {
    case NOUVEAU_GETPARAM_PCI_VENDOR:
        args->value = device->settings.pci_vendor;
        return 0;
    case NOUVEAU_GETPARAM_PCI_DEVICE:
        args->value = device->settings.pci_device;
        return 0;
    case NOUVEAU_GETPARAM_BUS_TYPE:
        args->value = PCI;
        return 0;
    case NOUVEAU_GETPARAM_FB_SIZE:
        args->value = device->settings.vram_bytes;
        return 0;
    case NOUVEAU_GETPARAM_AGP_SIZE:
        args->value = gart_bytes(device);
        return 0;
    case NOUVEAU_GETPARAM_CHIPSET_ID:
        args->value = device->settings.chipset->id;
        return 0;
    case NOUVEAU_GETPARAM_VM_VRAM_BASE:
        args->value = 0;
        return 0;
    case NOUVEAU_GETPARAM_GRAPH_UNITS:
        args->value = graph_units(device);
        return 0;
    case NOUVEAU_GETPARAM_PTIMER_TIME:
        args->value = nouveau_time_ns(device);
        return 0;
    case NOUVEAU_GETPARAM_HAS_BO_USAGE:
    case NOUVEAU_GETPARAM_HAS_PAGEFLIP:
        args->value = 1;
        return 0;
    default:
        return -EINVAL;
    }
}
