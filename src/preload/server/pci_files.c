/* SPDX-License-Identifier: MIT */
/* The files of the PCI device in sysfs, from the configuration space of the modelled GPU. Formats
 * and sizes: Linux, drivers/pci/pci-sysfs.c and probe.c. */
#include "preload/server/pci_files.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"

#define GRAPHICS 2u /* device */

/* Offsets and bits, as the PCI specifications name them. */
#define COMMAND            0x04u
#define COMMAND_DECODES    3u /* I/O space and memory space */
#define STATUS             0x06u
#define HAS_CAPABILITIES   16u
#define CAPABILITIES       0x34u
#define CAPABILITY_EXPRESS 0x10u
#define BARS               0x10u
#define BAR_COUNT          6u
#define BAR_IO             1u
#define BAR_IO_FLAGS       3u
#define BAR_MEMORY_FLAGS   15u
#define BAR_TYPE           6u
#define BAR_64             4u
#define BAR_PREFETCH       8u

#define HEADER_BYTES 64u  /* what Linux shows to users */
#define SPACE_BYTES  256u /* without PCI Express */

/* Flags of Linux's resources, above those of the BAR itself. */
#define RESOURCE_IO        0x100u
#define RESOURCE_MEMORY    0x200u
#define RESOURCE_PREFETCH  0x2000u
#define RESOURCE_SIZEALIGN 0x40000u
#define RESOURCE_64        0x100000u
#define RESOURCES          13u /* BARs, ROM, and the BARs of virtual functions */

static uint32_t get(const struct tally_gpu *gpu, unsigned offset, unsigned bytes)
{
    return tally_gpu_pci_read(gpu, GRAPHICS, offset, bytes);
}

/* ---- config ---------------------------------------------------------------------------------- */

static bool is_express(const struct tally_gpu *gpu)
{
    if (!(get(gpu, STATUS, 2) & HAS_CAPABILITIES))
        return false;
    unsigned at = get(gpu, CAPABILITIES, 1);
    for (unsigned i = 0; at >= HEADER_BYTES && i < SPACE_BYTES / 4; i++) {
        if (get(gpu, at, 1) == CAPABILITY_EXPRESS)
            return true;
        at = get(gpu, at + 1, 1);
    }
    return false;
}

static size_t put_config(const struct tally_gpu *gpu, bool root, char *bytes)
{
    size_t size = !root ? HEADER_BYTES : is_express(gpu) ? PCI_FILE_BYTES : SPACE_BYTES;
    for (unsigned at = 0; at < size; at += 4)
        store_le32(bytes + at, get(gpu, at, 4));
    return size;
}

/* ---- resource -------------------------------------------------------------------------------- */

/* Returns the bits of a BAR that can be written, and its flags. */
static uint32_t size_bar(struct tally_gpu *gpu, unsigned offset)
{
    uint32_t address = get(gpu, offset, 4);
    tally_gpu_pci_write(gpu, GRAPHICS, offset, 4, UINT32_MAX);
    uint32_t mask = get(gpu, offset, 4);
    tally_gpu_pci_write(gpu, GRAPHICS, offset, 4, address);
    return mask;
}

/* Appends the line of a BAR. Returns how many BARs it occupies. */
static unsigned put_bar(struct tally_gpu *gpu, unsigned offset, char *text, size_t *size)
{
    uint32_t low = get(gpu, offset, 4);
    bool io = low & BAR_IO, wide = !io && (low & BAR_TYPE) == BAR_64;
    uint32_t flags = low & (io ? BAR_IO_FLAGS : BAR_MEMORY_FLAGS);
    uint64_t start = low - flags, mask = size_bar(gpu, offset) & ~flags, end = 0;
    if (wide) {
        start |= (uint64_t)get(gpu, offset + 4, 4) << 32;
        mask |= (uint64_t)size_bar(gpu, offset + 4) << 32;
    }
    if (mask) {
        end = start + (mask & -mask) - 1;
        flags |= RESOURCE_SIZEALIGN | (io ? RESOURCE_IO : RESOURCE_MEMORY) |
                 (!io && (flags & BAR_PREFETCH) ? RESOURCE_PREFETCH : 0) | (wide ? RESOURCE_64 : 0);
    }
    *size +=
        (size_t)snprintf(text + *size, PCI_FILE_BYTES - *size,
                         "0x%016" PRIx64 " 0x%016" PRIx64 " 0x%016" PRIx32 "\n", start, end, flags);
    return wide ? 2 : 1;
}

/* Sizes the BARs as the kernel does, while they decode nothing. The model has no ROM, and its
 * firmware gives no addresses to the BARs of virtual functions. */
static size_t put_resource(struct tally_gpu *gpu, char *text)
{
    static const char none[] = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
    size_t size = 0;
    uint32_t command = get(gpu, COMMAND, 2);
    tally_gpu_pci_write(gpu, GRAPHICS, COMMAND, 2, command & ~COMMAND_DECODES);
    for (unsigned i = 0, used; i < RESOURCES; i += used) {
        used = 1;
        if (i < BAR_COUNT)
            used = put_bar(gpu, BARS + 4 * i, text, &size);
        for (unsigned n = i < BAR_COUNT ? 1 : 0; n < used; n++)
            size += (size_t)snprintf(text + size, PCI_FILE_BYTES - size, "%s", none);
    }
    tally_gpu_pci_write(gpu, GRAPHICS, COMMAND, 2, command);
    return size;
}

/* ---- all ------------------------------------------------------------------------------------- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static size_t put_value(const struct tally_gpu *gpu, const char *format, unsigned offset,
                        unsigned bytes, char *text)
{
    uint32_t value = get(gpu, offset & ~3u, 4) >> 8 * (offset % 4) & (uint32_t)low_bits(8 * bytes);
    return (size_t)snprintf(text, PCI_FILE_BYTES, format, value);
}
#pragma GCC diagnostic pop

static size_t put_uevent(const struct tally_gpu *gpu, char *text)
{
    uint32_t id = get(gpu, 0, 4), subsystem = get(gpu, 0x2c, 4), class = get(gpu, 8, 4) >> 8;
    return (size_t)snprintf(text, PCI_FILE_BYTES,
                            "DRIVER=i915\nPCI_CLASS=%" PRIX32 "\nPCI_ID=%04" PRIX32 ":%04" PRIX32
                            "\nPCI_SUBSYS_ID=%04" PRIX32 ":%04" PRIX32
                            "\nPCI_SLOT_NAME=0000:00:02.0\n",
                            class, id & 0xffff, id >> 16, subsystem & 0xffff, subsystem >> 16);
}

bool pci_file_at(struct tally_gpu *gpu, size_t index, bool root, struct pci_file *file)
{
    enum { CONFIG, RESOURCE, UEVENT, VALUE };
    static const struct {
        const char *name;
        uint8_t what, offset, bytes;
        const char *format;
    } rows[] = {
        {"config", CONFIG, 0, 0, NULL},
        {"resource", RESOURCE, 0, 0, NULL},
        {"uevent", UEVENT, 0, 0, NULL},
        {"vendor", VALUE, 0x00, 2, "0x%04" PRIx32 "\n"},
        {"device", VALUE, 0x02, 2, "0x%04" PRIx32 "\n"},
        {"revision", VALUE, 0x08, 1, "0x%02" PRIx32 "\n"},
        {"class", VALUE, 0x09, 3, "0x%06" PRIx32 "\n"},
        {"subsystem_vendor", VALUE, 0x2c, 2, "0x%04" PRIx32 "\n"},
        {"subsystem_device", VALUE, 0x2e, 2, "0x%04" PRIx32 "\n"},
        {"irq", VALUE, 0x3c, 1, "%" PRIu32 "\n"},
    };
    if (index >= ARRAY_COUNT(rows))
        return false;
    file->name = rows[index].name;
    file->size = rows[index].what == CONFIG     ? put_config(gpu, root, file->bytes)
                 : rows[index].what == RESOURCE ? put_resource(gpu, file->bytes)
                 : rows[index].what == UEVENT
                     ? put_uevent(gpu, file->bytes)
                     : put_value(gpu, rows[index].format, rows[index].offset, rows[index].bytes,
                                 file->bytes);
    return true;
}
