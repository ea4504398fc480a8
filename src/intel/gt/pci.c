/* SPDX-License-Identifier: MIT */
/* PCI configuration space (OA-5). Registers: data/pci/registers.csv. */
#include "intel/gt/pci.h"

#include <linux/pci_regs.h>
#include <string.h>

#include "base/bits.h"

#define D3 3u /* a power state, of PCI_PM_CTRL_STATE_MASK */

/* Bits of Intel's registers: public datasheets and the public i915 driver. */
#define LOCK          1u /* GGC, BDSM, DPR */
#define SWSMI_EVENT   1u
#define SWSCI_TRIGGER 1u
#define SWSCI_IS_SCI  0x8000u

#define SUBSYSTEM_IDS 4u /* bytes of the two ids, from a multiple of 4 on */

/* ---- rows ------------------------------------------------------------------------------------ */

static unsigned kind_of(unsigned space)
{
    return space < GT_PCI_VIRTUAL ? space : GT_PCI_VIRTUAL;
}

static bool is_in(const struct gt_pci_register *reg, enum intel_pci_layout layout, unsigned space)
{
    return reg->device == kind_of(space) && (reg->on >> layout & 1);
}

const struct gt_pci_register *gt_pci_find(enum intel_pci_layout layout, unsigned space,
                                          unsigned offset)
{
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *reg = &gt_pci_registers[i];
        if (is_in(reg, layout, space) && offset >= reg->offset && offset - reg->offset < reg->bytes)
            return reg;
    }
    return NULL;
}

const struct gt_pci_register *gt_pci_with(enum intel_pci_layout layout, unsigned space,
                                          enum gt_pci_behaviour behaviour)
{
    for (size_t i = 0; i < gt_pci_register_count; i++)
        if (gt_pci_registers[i].behaviour == behaviour &&
            is_in(&gt_pci_registers[i], layout, space))
            return &gt_pci_registers[i];
    return NULL;
}

static const struct gt_pci_register *find(const struct gt_pci *pci, unsigned space, unsigned offset)
{
    return gt_pci_find((enum intel_pci_layout)pci->layout, space, offset);
}

static const struct gt_pci_register *with(const struct gt_pci *pci, unsigned space,
                                          enum gt_pci_behaviour behaviour)
{
    return gt_pci_with((enum intel_pci_layout)pci->layout, space, behaviour);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns the register that a mirror shows, in *space; NULL for other registers. */
static const struct gt_pci_register *source_of(const struct gt_pci *pci,
                                               const struct gt_pci_register *reg, unsigned *space)
{
    unsigned from = GT_PCI_HOST;
    const struct gt_pci_register *source = NULL;
    switch ((enum gt_pci_behaviour)reg->behaviour) {
    case GT_PCI_GGC_MIRROR:
        source = with(pci, from, GT_PCI_GGC);
        break;
    case GT_PCI_BDSM_MIRROR:
        source = with(pci, from, GT_PCI_BDSM);
        break;
    case GT_PCI_DEVEN_MIRROR:
        source = with(pci, from, GT_PCI_DEVEN);
        break;
    case GT_PCI_SUBSYSTEM_COPY:
        from = GT_PCI_GRAPHICS;
        source = find(pci, from, reg->offset);
        break;
    default:
        return NULL;
    }
    *space = from;
    return source;
}

uint64_t gt_pci_get_register(const struct gt_pci *pci, unsigned space,
                             const struct gt_pci_register *reg)
{
    const struct gt_pci_register *source = source_of(pci, reg, &space);
    reg = source ? source : reg;
    return load_le(pci->spaces[space] + reg->offset, reg->bytes);
}

void gt_pci_set_register(struct gt_pci *pci, unsigned space, const struct gt_pci_register *reg,
                         uint64_t value)
{
    store_le(pci->spaces[space] + reg->offset, reg->bytes, value);
}

uint64_t gt_pci_value(const struct gt_pci *pci, unsigned space, enum gt_pci_behaviour behaviour)
{
    const struct gt_pci_register *reg = with(pci, space, behaviour);
    return reg ? gt_pci_get_register(pci, space, reg) : 0;
}

void gt_pci_set(struct gt_pci *pci, unsigned space, enum gt_pci_behaviour behaviour, uint64_t value)
{
    const struct gt_pci_register *reg = with(pci, space, behaviour);
    if (reg)
        gt_pci_set_register(pci, space, reg, value);
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* Whether the register has its own value, which resets change. */
static bool is_reset(const struct gt_pci_register *reg)
{
    switch ((enum gt_pci_behaviour)reg->behaviour) {
    case GT_PCI_FIXED:
    case GT_PCI_DEVICE_ID:
    case GT_PCI_REVISION:
    case GT_PCI_GGC_MIRROR:
    case GT_PCI_BDSM_MIRROR:
    case GT_PCI_DEVEN_MIRROR:
    case GT_PCI_SUBSYSTEM_COPY:
    case GT_PCI_VTDBAR:
    case GT_PCI_VTDBAR_UPPER:
        return false;
    default:
        return true;
    }
}

static void reset_space(struct gt_pci *pci, unsigned space)
{
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *reg = &gt_pci_registers[i];
        if (!is_in(reg, (enum intel_pci_layout)pci->layout, space) || !is_reset(reg))
            continue;
        uint64_t old = gt_pci_get_register(pci, space, reg);
        gt_pci_set_register(pci, space, reg, (reg->reset & ~reg->keeps) | (old & reg->keeps));
    }
}

static void reset_functions(struct gt_pci *pci)
{
    for (unsigned space = GT_PCI_VIRTUAL; space < GT_PCI_SPACES; space++)
        reset_space(pci, space);
}

/* Resets the registers of function 0 to 7 of the graphics device that a function level reset, or
 * the end of D3hot, resets. That of function 0 ends all virtual functions, by clearing VF Enable.
 */
static void reset_function(struct gt_pci *pci, unsigned function)
{
    reset_space(pci, GT_PCI_GRAPHICS + function);
    gt_pci_update(pci);
}

void gt_pci_init(struct gt_pci *pci, enum intel_pci_layout layout, uint16_t device_id,
                 uint8_t revision)
{
    memset(pci, 0, sizeof *pci);
    pci->layout = (uint8_t)layout;
    for (unsigned space = 0; space < GT_PCI_SPACES; space++)
        for (size_t i = 0; i < gt_pci_register_count; i++) {
            const struct gt_pci_register *reg = &gt_pci_registers[i];
            if (is_in(reg, layout, space))
                gt_pci_set_register(pci, space, reg,
                                    reg->behaviour == GT_PCI_DEVICE_ID  ? device_id
                                    : reg->behaviour == GT_PCI_REVISION ? revision
                                                                        : reg->reset);
        }
    gt_pci_update(pci);
}

void gt_pci_firmware(struct gt_pci *pci)
{
    for (unsigned space = 0; space <= GT_PCI_GRAPHICS; space++)
        for (size_t i = 0; i < gt_pci_register_count; i++) {
            const struct gt_pci_register *reg = &gt_pci_registers[i];
            if (is_in(reg, (enum intel_pci_layout)pci->layout, space) && is_reset(reg))
                gt_pci_set_register(pci, space, reg, reg->firmware);
        }
    gt_pci_set(pci, GT_PCI_GRAPHICS, GT_PCI_SUBSYSTEM_ID,
               gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_DEVICE_ID));
    pci->written = (uint8_t)low_bits(SUBSYSTEM_IDS);
    gt_pci_update(pci);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Returns the space of a device and function; GT_PCI_SPACES if it does not exist. */
static unsigned space_at(const struct gt_pci *pci, unsigned device, unsigned function)
{
    if (device == GT_PCI_HOST_DEVICE && function == 0)
        return with(pci, GT_PCI_HOST, GT_PCI_DEVEN) ? GT_PCI_HOST : GT_PCI_SPACES;
    if (device != GT_PCI_GRAPHICS_DEVICE || !pci->state.present)
        return GT_PCI_SPACES;
    unsigned virtual = gt_pci_virtual(pci, function);
    return function == 0 ? GT_PCI_GRAPHICS : virtual ? GT_PCI_GRAPHICS + virtual : GT_PCI_SPACES;
}

static bool is_valid_access(unsigned offset, unsigned bytes)
{
    return offset < GT_PCI_BYTES && (bytes == 1 || bytes == 2 || bytes == 4) && offset % bytes == 0;
}

uint32_t gt_pci_read(const struct gt_pci *pci, unsigned device, unsigned function, unsigned offset,
                     unsigned bytes)
{
    unsigned space = space_at(pci, device, function);
    uint32_t value = 0;
    if (!is_valid_access(offset, bytes))
        return UINT32_MAX;
    if (space == GT_PCI_SPACES)
        return (uint32_t)low_bits(8 * bytes);
    for (unsigned i = 0; i < bytes; i++) {
        const struct gt_pci_register *reg = find(pci, space, offset + i);
        if (reg)
            value |=
                (uint32_t)(gt_pci_get_register(pci, space, reg) >> 8 * (offset + i - reg->offset) &
                           0xff)
                << 8 * i;
    }
    return value;
}

/* Returns a mask of the bits of the subsystem ids that can still be written. */
static uint64_t unwritten(struct gt_pci *pci, const struct gt_pci_register *reg, uint64_t lanes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < reg->bytes; i++) {
        uint64_t byte = (uint64_t)0xff << 8 * i;
        unsigned bit = 1u << (reg->offset + i) % SUBSYSTEM_IDS;
        if (!(lanes & byte) || (pci->written & bit))
            continue;
        pci->written |= (uint8_t)bit;
        mask |= byte;
    }
    return mask;
}

static bool is_enabled(const struct gt_pci *pci, enum gt_pci_behaviour behaviour, uint64_t bit)
{
    return gt_pci_value(pci, GT_PCI_GRAPHICS, behaviour) & bit;
}

/* Returns the mask of the bits that software can write now. */
static uint64_t writable(struct gt_pci *pci, const struct gt_pci_register *reg, uint64_t old,
                         uint64_t lanes)
{
    switch ((enum gt_pci_behaviour)reg->behaviour) {
    case GT_PCI_GGC:
    case GT_PCI_BDSM:
    case GT_PCI_DPR:
        return old & LOCK ? 0 : reg->writable;
    case GT_PCI_WRITE_ONCE:
    case GT_PCI_SUBSYSTEM_ID:
        return unwritten(pci, reg, lanes);
    case GT_PCI_GMADR:
        return reg->writable & ~(pci->state.gmadr.bytes - 1);
    case GT_PCI_PASID_CONTROL:
        return is_enabled(pci, GT_PCI_ATS_CONTROL, PCI_ATS_CTRL_ENABLE) ? 0 : reg->writable;
    case GT_PCI_ATS_CONTROL:
        return old & PCI_ATS_CTRL_ENABLE ? reg->writable & ~PCI_ATS_CTRL_STU(UINT64_MAX)
                                         : reg->writable;
    case GT_PCI_VF_COUNT: /* its bits cannot exceed TotalVFs */
    case GT_PCI_VF_PAGE_SIZE:
        return is_enabled(pci, GT_PCI_VF_CONTROL, PCI_SRIOV_CTRL_VFE) ? 0 : reg->writable;
    default:
        return reg->writable;
    }
}

/* Takes bits of *value that are not stored. Returns what the write demands. */
static unsigned act(struct gt_pci *pci, const struct gt_pci_register *reg, uint64_t old,
                    uint64_t *value)
{
    uint64_t rising = *value & ~old;
    switch ((enum gt_pci_behaviour)reg->behaviour) {
    case GT_PCI_DEVICE_CONTROL:
        *value &= ~(uint64_t)PCI_EXP_DEVCTL_BCR_FLR;
        return rising & PCI_EXP_DEVCTL_BCR_FLR ? GT_PCI_RESETS : 0;
    case GT_PCI_AF_CONTROL:
        *value &= ~(uint64_t)PCI_AF_CTRL_FLR;
        return rising & PCI_AF_CTRL_FLR ? GT_PCI_RESETS : 0;
    case GT_PCI_PM_CONTROL:
        if ((*value & PCI_PM_CTRL_STATE_MASK) != 0 &&
            (*value & PCI_PM_CTRL_STATE_MASK) != D3) /* D1 or D2 */
            *value = (*value & ~(uint64_t)PCI_PM_CTRL_STATE_MASK) | (old & PCI_PM_CTRL_STATE_MASK);
        return *value == old ? 0 : *value & PCI_PM_CTRL_STATE_MASK ? GT_PCI_SLEEPS : GT_PCI_WAKES;
    case GT_PCI_MSAC:
        if (!gt_pci_aperture_of(reg, *value))
            *value = old;
        return 0;
    case GT_PCI_SWSMI:
        return rising & SWSMI_EVENT ? GT_PCI_SMI : 0;
    case GT_PCI_SWSCI:
        return !(rising & SWSCI_TRIGGER) ? 0 : *value & SWSCI_IS_SCI ? GT_PCI_SCI : GT_PCI_SMI;
    case GT_PCI_PRI_CONTROL:
        gt_pci_set(pci, GT_PCI_GRAPHICS, GT_PCI_PRI_STATUS,
                   (gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_PRI_STATUS) &
                    ~(uint64_t)PCI_PRI_STATUS_STOPPED) |
                       (*value & PCI_PRI_CTRL_ENABLE ? 0 : PCI_PRI_STATUS_STOPPED));
        return 0;
    case GT_PCI_VF_CONTROL:
        if ((*value ^ old) & PCI_SRIOV_CTRL_VFE)
            reset_functions(pci);
        return (*value ^ old) & PCI_SRIOV_CTRL_VFE ? GT_PCI_FUNCTIONS_CHANGE : 0;
    default:
        return 0;
    }
}

/* Writes the bytes of a register that are all ones in `lanes`. */
static unsigned write_register(struct gt_pci *pci, unsigned space,
                               const struct gt_pci_register *reg, uint64_t value, uint64_t lanes)
{
    uint64_t old = gt_pci_get_register(pci, space, reg);
    uint64_t mask = writable(pci, reg, old, lanes) & lanes;
    uint64_t new = ((old & ~mask) | (value & mask)) & ~(value & reg->clears);
    unsigned actions = act(pci, reg, old, &new);
    gt_pci_set_register(pci, space, reg, new);
    gt_pci_update(pci);
    return actions;
}

unsigned gt_pci_write(struct gt_pci *pci, unsigned device, unsigned function, unsigned offset,
                      unsigned bytes, uint32_t value)
{
    unsigned space = space_at(pci, device, function), actions = 0;
    if (!is_valid_access(offset, bytes) || space == GT_PCI_SPACES)
        return 0;
    for (unsigned i = 0; i < bytes;) {
        const struct gt_pci_register *reg = find(pci, space, offset + i);
        unsigned at = reg ? offset + i - reg->offset : 0, count = 0;
        uint64_t word = 0, lanes = 0;
        for (; reg && i + count < bytes && at + count < reg->bytes; count++) {
            word |= (uint64_t)(value >> 8 * (i + count) & 0xff) << 8 * (at + count);
            lanes |= (uint64_t)0xff << 8 * (at + count);
        }
        if (reg)
            actions |= write_register(pci, space, reg, word, lanes);
        i += reg ? count : 1;
    }
    if ((actions & GT_PCI_WAKES) &&
        !(gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_PM_CONTROL) & PCI_PM_CTRL_NO_SOFT_RESET))
        reset_function(pci, 0);
    if (actions & GT_PCI_RESETS)
        reset_function(pci, space - GT_PCI_GRAPHICS);
    return actions;
}
