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

int capture_open_card(const char *device, bool allowed, bool force, struct card **out,
                      struct tally_error *error)
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
    if (!allowed)
        return fail(error, -EACCES,
                    "%s: recording writes the card's registers, which has to be allowed: expected "
                    "--allow-mmio (docs/real-cards.md)",
                    device);
    const struct card_settings settings = {
        .name = device + strlen(PCI), .writable = true, .force = force};
    return card_open(&settings, out, error);
}
