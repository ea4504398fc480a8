/* SPDX-License-Identifier: MIT */
/* Devices of both vendors. */
#include "recording/device.h"

#include <stdio.h>

#include "recording/pcounter_layouts.h"

struct tally_device device_of_chipset(const struct tally_chipset *chipset, uint32_t pci_id)
{
    struct tally_device device = {.id = (uint16_t)pci_id, .nvidia = chipset};
    snprintf(device.chipset, sizeof device.chipset, "%s", chipset->name);
    return device;
}

const struct tally_layout *layout_of_device(const struct tally_device *device, uint32_t format)
{
    return device->nvidia ? pcounter_layout_of_format(format)
                          : tally_layout_for_kernel(device->platform, format);
}

const char *tally_device_name(const struct tally_device *device)
{
    return device->nvidia ? device->nvidia->name : device->platform->name;
}

const char *tally_device_title(const struct tally_device *device)
{
    return device->nvidia ? device->nvidia->title : device->platform->title;
}
