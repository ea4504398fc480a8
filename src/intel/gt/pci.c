/* SPDX-License-Identifier: MIT */
/* PCI configuration space (OA-5). Registers: data/lkf/pci-registers.csv. */
#include "intel/gt/pci.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "lkf_pci.h"

/* Bits of standard registers, as the PCI and PCI Express specifications name them. */
#define COMMAND_IO           1u
#define COMMAND_MEMORY       2u
#define FUNCTION_LEVEL_RESET 0x8000u /* in device control */
#define POWER_STATE          3u      /* in power management control and status */
#define GTTMMADR_BYTES       (UINT64_C(16) << 20)
#define IOBAR_BYTES          64u

/* ---- bytes ----------------------------------------------------------------------------------- */

const struct gt_pci_register *gt_pci_find(enum gt_pci_device device, unsigned offset)
{
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *reg = &gt_pci_registers[i];
        if (reg->device == (unsigned)device && offset >= reg->offset &&
            offset - reg->offset < reg->bytes)
            return reg;
    }
    return NULL;
}

/* Returns the index of the space that has the register. */
static unsigned space_of(const struct gt_pci_register *reg)
{
    /* DEVEN0 of the graphics device mirrors DEVEN of the host bridge, at the same offset. */
    bool mirror = reg->device == GT_PCI_GRAPHICS && reg->offset == DEVEN0_0_2_0_PCI;
    return reg->device == GT_PCI_GRAPHICS && !mirror;
}

static uint64_t get(const struct gt_pci *pci, const struct gt_pci_register *reg)
{
    const uint8_t *bytes = pci->spaces[space_of(reg)] + reg->offset;
    uint64_t value = 0;
    for (unsigned i = reg->bytes; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static void set(struct gt_pci *pci, const struct gt_pci_register *reg, uint64_t value)
{
    uint8_t *bytes = pci->spaces[space_of(reg)] + reg->offset;
    for (unsigned i = 0; i < reg->bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static const struct gt_pci_register *starting_at(enum gt_pci_device device, unsigned offset)
{
    const struct gt_pci_register *reg = gt_pci_find(device, offset);
    return reg && reg->offset == offset ? reg : NULL;
}

uint64_t gt_pci_get(const struct gt_pci *pci, enum gt_pci_device device, unsigned offset)
{
    const struct gt_pci_register *reg = starting_at(device, offset);
    return reg ? get(pci, reg) : 0;
}

int gt_pci_set(struct gt_pci *pci, enum gt_pci_device device, unsigned offset, uint64_t value)
{
    const struct gt_pci_register *reg = starting_at(device, offset);
    if (!reg)
        return -EINVAL;
    set(pci, reg, value);
    return 0;
}

void gt_pci_init(struct gt_pci *pci, uint16_t device_id)
{
    memset(pci, 0, sizeof *pci);
    pci->aperture_bytes = UINT64_C(256) << 20;
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *reg = &gt_pci_registers[i];
        if (space_of(reg) == (reg->device == GT_PCI_GRAPHICS)) /* not a mirror */
            set(pci, reg, reg->reset);
    }
    gt_pci_set(pci, GT_PCI_GRAPHICS, DID2_0_2_0_PCI, device_id);
    gt_pci_set(pci, GT_PCI_GRAPHICS, VF_DEVICEID_0_2_0_PCI, device_id);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool is_valid_access(enum gt_pci_device device, unsigned offset, unsigned bytes)
{
    return (device == GT_PCI_HOST || device == GT_PCI_GRAPHICS) && offset < GT_PCI_BYTES &&
           (bytes == 1 || bytes == 2 || bytes == 4) && offset % bytes == 0;
}

uint32_t gt_pci_read(const struct gt_pci *pci, enum gt_pci_device device, unsigned offset,
                     unsigned bytes)
{
    uint32_t value = 0;
    if (!is_valid_access(device, offset, bytes))
        return UINT32_MAX;
    for (unsigned i = 0; i < bytes; i++) {
        const struct gt_pci_register *reg = gt_pci_find(device, offset + i);
        if (reg)
            value |= (uint32_t)(get(pci, reg) >> 8 * (offset + i - reg->offset) & 0xff) << 8 * i;
    }
    return value;
}

/* Returns the mask of the bits that software can write; in GMADR, the bits above its size. */
static uint64_t writable(const struct gt_pci *pci, const struct gt_pci_register *reg)
{
    return reg->device == GT_PCI_GRAPHICS && reg->offset == GMADR_0_2_0_PCI
               ? ~(pci->aperture_bytes - 1)
               : reg->writable;
}

/* Writes the bytes of a register that are all ones in `lanes`. */
static void write_register(struct gt_pci *pci, const struct gt_pci_register *reg, uint64_t value,
                           uint64_t lanes)
{
    uint64_t old = get(pci, reg), mask = writable(pci, reg) & lanes;
    uint64_t new = ((old & ~mask) | (value & mask)) & ~(value & lanes & reg->clears);
    if (reg->device == GT_PCI_GRAPHICS && reg->offset == DEVICECTL_0_2_0_PCI) {
        pci->function_resets += (new &FUNCTION_LEVEL_RESET) != 0;
        new &= ~(uint64_t)FUNCTION_LEVEL_RESET;
    }
    if (reg->device == GT_PCI_GRAPHICS && reg->offset == PMCS_0_2_0_PCI &&
        ((new &POWER_STATE) == 1 || (new &POWER_STATE) == 2)) /* D1, D2 */
        new = (new & ~(uint64_t)POWER_STATE) | (old & POWER_STATE);
    set(pci, reg, new);
}

void gt_pci_write(struct gt_pci *pci, enum gt_pci_device device, unsigned offset, unsigned bytes,
                  uint32_t value)
{
    if (!is_valid_access(device, offset, bytes))
        return;
    for (unsigned i = 0; i < bytes;) {
        const struct gt_pci_register *reg = gt_pci_find(device, offset + i);
        unsigned at = reg ? offset + i - reg->offset : 0, count = 0;
        uint64_t word = 0, lanes = 0;
        for (; reg && i + count < bytes && at + count < reg->bytes; count++) {
            word |= (uint64_t)(value >> 8 * (i + count) & 0xff) << 8 * (at + count);
            lanes |= (uint64_t)0xff << 8 * (at + count);
        }
        if (reg)
            write_register(pci, reg, word, lanes);
        i += reg ? count : 1;
    }
}

/* ---- BARs and capabilities ------------------------------------------------------------------- */

static const uint16_t bar_offsets[GT_PCI_BARS] = {GTTMMADR_0_2_0_PCI, GMADR_0_2_0_PCI,
                                                  IOBAR_0_2_0_PCI};

uint64_t gt_pci_bar_bytes(const struct gt_pci *pci, enum gt_pci_bar bar)
{
    return bar == GT_PCI_GTTMMADR ? GTTMMADR_BYTES
           : bar == GT_PCI_GMADR  ? pci->aperture_bytes
                                  : IOBAR_BYTES;
}

uint64_t gt_pci_bar_base(const struct gt_pci *pci, enum gt_pci_bar bar)
{
    return gt_pci_get(pci, GT_PCI_GRAPHICS, bar_offsets[bar]) & ~(gt_pci_bar_bytes(pci, bar) - 1);
}

int gt_pci_decode(const struct gt_pci *pci, bool io, uint64_t address, enum gt_pci_bar *bar,
                  uint64_t *offset)
{
    uint64_t command = gt_pci_get(pci, GT_PCI_GRAPHICS, PCICMD_0_2_0_PCI);
    if (!(command & (io ? COMMAND_IO : COMMAND_MEMORY)) ||
        (gt_pci_get(pci, GT_PCI_GRAPHICS, PMCS_0_2_0_PCI) & POWER_STATE))
        return -ENXIO;
    for (unsigned i = 0; i < GT_PCI_BARS; i++) {
        uint64_t distance = address - gt_pci_bar_base(pci, (enum gt_pci_bar)i);
        if ((i == GT_PCI_IOBAR) != io || distance >= gt_pci_bar_bytes(pci, (enum gt_pci_bar)i))
            continue;
        *bar = (enum gt_pci_bar)i;
        *offset = distance;
        return 0;
    }
    return -ENXIO;
}

unsigned gt_pci_capability(const struct gt_pci *pci, unsigned id)
{
    unsigned at = gt_pci_read(pci, GT_PCI_GRAPHICS, CAPPOINT_0_2_0_PCI, 1);
    for (unsigned hops = 0; at && hops < 48; hops++) { /* a chain cannot be longer */
        uint32_t header = gt_pci_read(pci, GT_PCI_GRAPHICS, at & ~3u, 2);
        if (field32(header, 7, 0) == id)
            return at;
        at = field32(header, 15, 8);
    }
    return 0;
}

unsigned gt_pci_extended_capability(const struct gt_pci *pci, unsigned id)
{
    unsigned at = PASID_EXTCAP_0_2_0_PCI; /* the first one */
    for (unsigned hops = 0; at && hops < 960; hops++) {
        uint32_t header = gt_pci_read(pci, GT_PCI_GRAPHICS, at & ~3u, 4);
        if (field32(header, 15, 0) == id)
            return at;
        at = field32(header, 31, 20);
    }
    return 0;
}
