/* SPDX-License-Identifier: MIT */
/* What the registers of configuration space enable, and which range decodes an address. */
#include <linux/pci_regs.h>

#include "base/bits.h"
#include "intel/gt/pci.h"

#define DEVICE_2 16u /* D2EN of DEVEN, as public datasheets name it */

#define BAR_FLAGS      (~PCI_BASE_ADDRESS_MEM_MASK)
#define SMALLEST_MIB   128u /* aperture */
#define MIB            (UINT64_C(1) << 20)
#define HALF_OF(range) ((range)->bytes / 2)

/* ---- sizes ----------------------------------------------------------------------------------- */

static uint64_t lowest_bit(uint64_t mask)
{
    return mask & -mask;
}

uint64_t gt_pci_aperture_of(const struct gt_pci_register *msac, uint64_t value)
{
    uint64_t field = (value & msac->writable) / lowest_bit(msac->writable);
    return field & (field + 1) ? 0 : SMALLEST_MIB * MIB * (field + 1);
}

/* Returns the size of the range of a BAR: its lowest bit that can be written. */
static uint64_t bytes_of(const struct gt_pci *pci, const struct gt_pci_register *bar)
{
    const struct gt_pci_register *msac =
        bar->behaviour == GT_PCI_GMADR
            ? gt_pci_with((enum intel_pci_layout)pci->layout, GT_PCI_GRAPHICS, GT_PCI_MSAC)
            : NULL;
    return msac ? gt_pci_aperture_of(msac, gt_pci_get_register(pci, GT_PCI_GRAPHICS, msac))
                : lowest_bit(bar->writable);
}

/* Returns the range of a BAR, whose address bits below its size read 0. */
static struct gt_pci_range range_of(struct gt_pci *pci, enum gt_pci_behaviour behaviour)
{
    const struct gt_pci_register *bar =
        gt_pci_with((enum intel_pci_layout)pci->layout, GT_PCI_GRAPHICS, behaviour);
    if (!bar)
        return (struct gt_pci_range){0};
    struct gt_pci_range range = {gt_pci_get_register(pci, GT_PCI_GRAPHICS, bar),
                                 bytes_of(pci, bar)};
    uint64_t flags = bar->reset & BAR_FLAGS;
    range.base &= ~(range.bytes - 1);
    gt_pci_set_register(pci, GT_PCI_GRAPHICS, bar, range.base | flags);
    return range;
}

/* ---- state ----------------------------------------------------------------------------------- */

static bool is_present(const struct gt_pci *pci)
{
    return !gt_pci_with((enum intel_pci_layout)pci->layout, GT_PCI_HOST, GT_PCI_DEVEN) ||
           (gt_pci_value(pci, GT_PCI_HOST, GT_PCI_DEVEN) & DEVICE_2);
}

void gt_pci_update(struct gt_pci *pci)
{
    uint64_t command = gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_COMMAND);
    uint64_t control = gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_VF_CONTROL);
    bool present = is_present(pci);
    bool powered =
        !(gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_PM_CONTROL) & PCI_PM_CTRL_STATE_MASK);
    bool works = present && powered;
    pci->state = (struct gt_pci_state){
        .present = present,
        .powered = powered,
        .memory = works && (command & PCI_COMMAND_MEMORY),
        .io = works && (command & PCI_COMMAND_IO),
        .master = works && (command & PCI_COMMAND_MASTER),
        .function_memory = works && (control & PCI_SRIOV_CTRL_MSE),
        .functions = control & PCI_SRIOV_CTRL_VFE
                         ? (uint8_t)gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_VF_COUNT)
                         : 0,
        .gttmmadr = range_of(pci, GT_PCI_GTTMMADR),
        .gmadr = range_of(pci, GT_PCI_GMADR),
        .iobar = range_of(pci, GT_PCI_IOBAR),
        .function_gttmmadr = range_of(pci, GT_PCI_VF_GTTMMADR),
    };
    pci->state.function_gttmmadr.base |=
        gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_VF_GTTMMADR_UPPER) << 32;
}

unsigned gt_pci_virtual(const struct gt_pci *pci, unsigned function)
{
    uint64_t first = gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_VF_OFFSET);
    uint64_t stride = gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_VF_STRIDE);
    for (unsigned n = 1; n <= pci->state.functions; n++)
        if (first + (n - 1) * stride == function)
            return n;
    return 0;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static bool is_inside(const struct gt_pci_range *range, uint64_t address)
{
    return address - range->base < range->bytes;
}

/* Returns the place in a GTTMMADR: registers in its lower half, the page table in its upper half.
 */
static struct gt_pci_place place_in(const struct gt_pci_range *range, uint64_t offset,
                                    unsigned function)
{
    bool table = offset >= HALF_OF(range);
    struct gt_pci_place place = {.function = function};
    place.offset = table ? offset - HALF_OF(range) : offset;
    if (function)
        place.target = table ? GT_PCI_FUNCTION_PAGE_TABLE : GT_PCI_FUNCTION_REGISTERS;
    else
        place.target = table ? GT_PCI_PAGE_TABLE : GT_PCI_REGISTERS;
    return place;
}

struct gt_pci_place gt_pci_decode(const struct gt_pci *pci, bool io, uint64_t address)
{
    const struct gt_pci_state *state = &pci->state;
    const struct gt_pci_place nowhere = {.target = GT_PCI_NOWHERE};
    if (io)
        return state->io && is_inside(&state->iobar, address)
                   ? (struct gt_pci_place){.target = GT_PCI_PORTS,
                                           .offset = address - state->iobar.base}
                   : nowhere;
    if (state->memory && is_inside(&state->gttmmadr, address))
        return place_in(&state->gttmmadr, address - state->gttmmadr.base, 0);
    if (state->memory && is_inside(&state->gmadr, address))
        return (struct gt_pci_place){.target = GT_PCI_APERTURE,
                                     .offset = address - state->gmadr.base};
    uint64_t distance = address - state->function_gttmmadr.base;
    if (state->function_memory && distance < state->functions * state->function_gttmmadr.bytes)
        return place_in(&state->function_gttmmadr, distance % state->function_gttmmadr.bytes,
                        1 + (unsigned)(distance / state->function_gttmmadr.bytes));
    return nowhere;
}
