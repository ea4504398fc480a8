/* SPDX-License-Identifier: MIT */
/* The files of the PCI device in sysfs, from the configuration space of the modelled GPU. Formats
 * and sizes: Linux, drivers/pci/pci-sysfs.c and probe.c. */
#include "preload/server/pci_files.h"

#include <inttypes.h>
#include <linux/pci_regs.h>
#include <stdio.h>

#include "base/bits.h"

/* Flags of a BAR. */
#define BAR_IO_FLAGS     ((uint32_t)~PCI_BASE_ADDRESS_IO_MASK)
#define BAR_MEMORY_FLAGS ((uint32_t)~PCI_BASE_ADDRESS_MEM_MASK)

/* Flags of Linux's resources, above those of the BAR itself. */
#define RESOURCE_IO        0x100u
#define RESOURCE_MEMORY    0x200u
#define RESOURCE_PREFETCH  0x2000u
#define RESOURCE_SIZEALIGN 0x40000u
#define RESOURCE_64        0x100000u
#define RESOURCES          13u /* BARs, ROM, and the BARs of virtual functions */

static uint32_t get(const struct emulation *emulation, unsigned offset, unsigned bytes)
{
    return emulation_pci_read(emulation, offset, bytes);
}

/* ---- config ---------------------------------------------------------------------------------- */

static bool is_express(const struct emulation *emulation)
{
    if (!(get(emulation, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST))
        return false;
    unsigned at = get(emulation, PCI_CAPABILITY_LIST, 1);
    for (unsigned i = 0; at >= PCI_STD_HEADER_SIZEOF && i < PCI_CFG_SPACE_SIZE / 4; i++) {
        if (get(emulation, at, 1) == PCI_CAP_ID_EXP)
            return true;
        at = get(emulation, at + 1, 1);
    }
    return false;
}

static size_t put_config(const struct emulation *emulation, bool root, char *bytes)
{
    size_t size = !root                   ? PCI_STD_HEADER_SIZEOF
                  : is_express(emulation) ? PCI_FILE_BYTES
                                          : PCI_CFG_SPACE_SIZE;
    for (unsigned at = 0; at < size; at += 4)
        store_le32(bytes + at, get(emulation, at, 4));
    return size;
}

/* ---- resource -------------------------------------------------------------------------------- */

/* Returns the bits of a BAR that can be written, and its flags. */
static uint32_t size_bar(struct emulation *emulation, unsigned offset)
{
    uint32_t address = get(emulation, offset, 4);
    emulation_pci_write(emulation, offset, 4, UINT32_MAX);
    uint32_t mask = get(emulation, offset, 4);
    emulation_pci_write(emulation, offset, 4, address);
    return mask;
}

/* Appends the line of a BAR. Returns how many BARs it occupies. */
static unsigned put_bar(struct emulation *emulation, unsigned offset, char *text, size_t *size)
{
    uint32_t low = get(emulation, offset, 4);
    bool io = low & PCI_BASE_ADDRESS_SPACE_IO,
         wide = !io && (low & PCI_BASE_ADDRESS_MEM_TYPE_MASK) == PCI_BASE_ADDRESS_MEM_TYPE_64;
    uint32_t flags = low & (io ? BAR_IO_FLAGS : BAR_MEMORY_FLAGS);
    uint64_t start = low - flags, mask = size_bar(emulation, offset) & ~flags, end = 0;
    if (wide) {
        start |= (uint64_t)get(emulation, offset + 4, 4) << 32;
        mask |= (uint64_t)size_bar(emulation, offset + 4) << 32;
    }
    if (mask) {
        end = start + (mask & -mask) - 1;
        flags |= RESOURCE_SIZEALIGN | (io ? RESOURCE_IO : RESOURCE_MEMORY) |
                 (!io && (flags & PCI_BASE_ADDRESS_MEM_PREFETCH) ? RESOURCE_PREFETCH : 0) |
                 (wide ? RESOURCE_64 : 0);
    }
    *size +=
        (size_t)snprintf(text + *size, PCI_FILE_BYTES - *size,
                         "0x%016" PRIx64 " 0x%016" PRIx64 " 0x%016" PRIx32 "\n", start, end, flags);
    return wide ? 2 : 1;
}

/* Returns the size of a memory BAR. */
static uint64_t bar_bytes(struct emulation *emulation, unsigned offset)
{
    uint32_t command = get(emulation, PCI_COMMAND, 2);
    emulation_pci_write(emulation, PCI_COMMAND, 2, command & ~(uint32_t)PCI_COMMAND_MEMORY);
    uint64_t mask = size_bar(emulation, offset) & ~BAR_MEMORY_FLAGS;
    emulation_pci_write(emulation, PCI_COMMAND, 2, command);
    return mask & -mask;
}

/* Sizes the BARs as the kernel does, while they decode nothing. The model has no ROM, and its
 * firmware gives no addresses to the BARs of virtual functions. */
static size_t put_resource(struct emulation *emulation, char *text)
{
    static const char none[] = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
    size_t size = 0;
    uint32_t command = get(emulation, PCI_COMMAND, 2);
    emulation_pci_write(emulation, PCI_COMMAND, 2,
                        command & ~(uint32_t)(PCI_COMMAND_IO | PCI_COMMAND_MEMORY));
    for (unsigned i = 0, used; i < RESOURCES; i += used) {
        used = 1;
        if (i < PCI_STD_NUM_BARS)
            used = put_bar(emulation, PCI_BASE_ADDRESS_0 + 4 * i, text, &size);
        for (unsigned n = i < PCI_STD_NUM_BARS ? 1 : 0; n < used; n++)
            size += (size_t)snprintf(text + size, PCI_FILE_BYTES - size, "%s", none);
    }
    emulation_pci_write(emulation, PCI_COMMAND, 2, command);
    return size;
}

/* ---- all ------------------------------------------------------------------------------------- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static size_t put_value(const struct emulation *emulation, const char *format, unsigned offset,
                        unsigned bytes, char *text)
{
    uint32_t value =
        get(emulation, offset & ~3u, 4) >> 8 * (offset % 4) & (uint32_t)low_bits(8 * bytes);
    return (size_t)snprintf(text, PCI_FILE_BYTES, format, value);
}
#pragma GCC diagnostic pop

/* The name by which modules are found. */
static size_t put_modalias(const struct emulation *emulation, char *text)
{
    uint32_t id = get(emulation, PCI_VENDOR_ID, 4),
             subsystem = get(emulation, PCI_SUBSYSTEM_VENDOR_ID, 4),
             class = get(emulation, PCI_CLASS_REVISION, 4) >> 8;
    return (size_t)snprintf(text, PCI_FILE_BYTES,
                            "pci:v%08" PRIX32 "d%08" PRIX32 "sv%08" PRIX32 "sd%08" PRIX32
                            "bc%02" PRIX32 "sc%02" PRIX32 "i%02" PRIX32 "\n",
                            id & 0xffff, id >> 16, subsystem & 0xffff, subsystem >> 16, class >> 16,
                            class >> 8 & 0xff, class & 0xff);
}

static size_t put_uevent(const struct emulation *emulation, const char *driver, char *text)
{
    uint32_t id = get(emulation, PCI_VENDOR_ID, 4),
             subsystem = get(emulation, PCI_SUBSYSTEM_VENDOR_ID, 4),
             class = get(emulation, PCI_CLASS_REVISION, 4) >> 8;
    size_t size = (size_t)snprintf(
        text, PCI_FILE_BYTES,
        "DRIVER=%s\nPCI_CLASS=%" PRIX32 "\nPCI_ID=%04" PRIX32 ":%04" PRIX32
        "\nPCI_SUBSYS_ID=%04" PRIX32 ":%04" PRIX32 "\nPCI_SLOT_NAME=0000:00:02.0\nMODALIAS=",
        driver, class, id & 0xffff, id >> 16, subsystem & 0xffff, subsystem >> 16);
    return size + put_modalias(emulation, text + size);
}

bool pci_file_at(struct emulation *emulation, const char *driver, size_t index, bool root,
                 struct pci_file *file)
{
    enum { CONFIG, RESOURCE, BAR, UEVENT, MODALIAS, VALUE };
    static const struct {
        const char *name;
        uint8_t what, offset, bytes;
        const char *format;
    } rows[] = {
        {"config", CONFIG, 0, 0, NULL},
        {"resource", RESOURCE, 0, 0, NULL},
        {"resource0", BAR, PCI_BASE_ADDRESS_0, 0, NULL}, /* its contents are accesses */
        {"uevent", UEVENT, 0, 0, NULL},
        {"modalias", MODALIAS, 0, 0, NULL},
        {"vendor", VALUE, PCI_VENDOR_ID, 2, "0x%04" PRIx32 "\n"},
        {"device", VALUE, PCI_DEVICE_ID, 2, "0x%04" PRIx32 "\n"},
        {"revision", VALUE, PCI_REVISION_ID, 1, "0x%02" PRIx32 "\n"},
        {"class", VALUE, PCI_CLASS_PROG, 3, "0x%06" PRIx32 "\n"},
        {"subsystem_vendor", VALUE, PCI_SUBSYSTEM_VENDOR_ID, 2, "0x%04" PRIx32 "\n"},
        {"subsystem_device", VALUE, PCI_SUBSYSTEM_ID, 2, "0x%04" PRIx32 "\n"},
        {"irq", VALUE, PCI_INTERRUPT_LINE, 1, "%" PRIu32 "\n"},
    };
    if (index >= ARRAY_COUNT(rows))
        return false;
    file->name = rows[index].name;
    file->is_private = rows[index].what == BAR;
    file->is_writable =
        file->is_private || rows[index].what == CONFIG || rows[index].what == UEVENT;
    file->size = rows[index].what == CONFIG     ? put_config(emulation, root, file->bytes)
                 : rows[index].what == RESOURCE ? put_resource(emulation, file->bytes)
                 : rows[index].what == BAR      ? 0
                 : rows[index].what == MODALIAS ? put_modalias(emulation, file->bytes)
                 : rows[index].what == UEVENT
                     ? put_uevent(emulation, driver, file->bytes)
                     : put_value(emulation, rows[index].format, rows[index].offset,
                                 rows[index].bytes, file->bytes);
    file->length = file->is_private ? bar_bytes(emulation, rows[index].offset) : file->size;
    return true;
}
