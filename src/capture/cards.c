/* SPDX-License-Identifier: MIT */
/* GPUs by their PCI addresses: which can be recorded, and what else can be done with the others. */
#include "capture/cards.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "card/sysfs.h"

#define PCI "pci:"

bool capture_is_card(const char *device)
{
    return device && !strncmp(device, PCI, strlen(PCI));
}

int capture_refuse_card(const char *device, struct tally_error *error)
{
    struct card_address where;
    struct card_entry entry;
    if (!card_parse_address(device + strlen(PCI), &where))
        return fail(error, -EINVAL, "%s: no PCI address, expected one such as pci:0000:01:00.0",
                    device);
    int result = card_describe("", &where, &entry, error);
    if (result < 0)
        return result;
    if (!card_is_gpu(&entry))
        return fail(error, -ENODEV, "%s: %04x:%04x is no GPU of Intel or NVIDIA", device,
                    entry.vendor, entry.device);
    if (entry.vendor == CARD_VENDOR_INTEL)
        return fail(error, -EOPNOTSUPP,
                    "%s: reports need memory that only a kernel driver can give the GPU: record "
                    "its node in /dev/dri, or use tally mmio read and watch",
                    device);
    return fail(error, -EOPNOTSUPP,
                "%s: real NVIDIA GPUs are not recorded; tally mmio read, watch and histogram use "
                "their registers",
                device);
}
