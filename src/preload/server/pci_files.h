/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SERVER_PCI_FILES_H
#define TALLY_PRELOAD_SERVER_PCI_FILES_H

/* The files of a PCI device in sysfs: config, resource, uevent, vendor, device, ... */

#include <stdbool.h>
#include <stddef.h>

#include "emulation/emulation.h"

#define PCI_FILE_BYTES 4096u

struct pci_file {
    const char *name; /* in the device's directory */
    bool is_writable; /* by root */
    bool is_private;  /* only root may open it */
    uint64_t length;  /* of the file, which ends with zeros */
    size_t size;
    char bytes[PCI_FILE_BYTES];
};

/*
 * Fills *file with a file of the graphics device. Returns false past the last one. root: what Linux
 * shows to root: all of `config`, 256 bytes or with PCI Express 4096. Others see its first 64.
 */
bool pci_file_at(struct emulation *emulation, const char *driver, size_t index, bool root,
                 struct pci_file *file);

#endif
