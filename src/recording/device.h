/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_DEVICE_H
#define TALLY_RECORDING_DEVICE_H

#include <tally/chipset.h>
#include <tally/platform.h>
#include <tally/report.h>

/* Describes an NVIDIA GPU. pci_id: 0 if it is unknown, or not a PCI device. */
struct tally_device device_of_chipset(const struct tally_chipset *chipset, uint32_t pci_id);

/* Returns the layout that a number of DEVICE_INFO stands for on a device; NULL: there is none. */
const struct tally_layout *layout_of_device(const struct tally_device *device, uint32_t format);

#endif
