/* SPDX-License-Identifier: MIT */
/* Message signaled interrupts and INTA# of the graphics device and its virtual functions. */
#include "intel/gt/pci.h"

/* Bits of registers, as the PCI specifications name them. */
#define COMMAND_MASTER    4u
#define INTERRUPT_DISABLE 0x400u /* PCI Command */
#define INTERRUPT_STATUS  8u     /* PCI Status */
#define MSI_ENABLE        1u     /* Message Control */
#define VECTOR            1u     /* mask and pending: the only vector */

static bool is_master(const struct gt_pci *pci, unsigned space)
{
    return pci->state.present && pci->state.powered &&
           (gt_pci_value(pci, space, GT_PCI_COMMAND) & COMMAND_MASTER);
}

static bool has_msi(const struct gt_pci *pci, unsigned space)
{
    return gt_pci_value(pci, space, GT_PCI_MSI_CONTROL) & MSI_ENABLE;
}

static bool is_masked(const struct gt_pci *pci, unsigned space)
{
    return gt_pci_value(pci, space, GT_PCI_MSI_MASK) & VECTOR;
}

static struct gt_pci_message message_of(const struct gt_pci *pci, unsigned space)
{
    return (struct gt_pci_message){
        .address = gt_pci_value(pci, space, GT_PCI_MSI_UPPER) << 32 |
                   gt_pci_value(pci, space, GT_PCI_MSI_ADDRESS),
        .data = (uint32_t)gt_pci_value(pci, space, GT_PCI_MSI_DATA),
    };
}

static void show_level(struct gt_pci *pci, unsigned space, bool level)
{
    uint64_t status = gt_pci_value(pci, space, GT_PCI_STATUS) & ~(uint64_t)INTERRUPT_STATUS;
    if (space == GT_PCI_GRAPHICS) /* virtual functions have no INTx */
        gt_pci_set(pci, space, GT_PCI_STATUS, status | (level ? INTERRUPT_STATUS : 0));
}

bool gt_pci_set_level(struct gt_pci *pci, unsigned function, bool level,
                      struct gt_pci_message *message)
{
    unsigned space = GT_PCI_GRAPHICS + function, bit = 1u << function;
    bool rises = level && !(pci->levels & bit);
    pci->levels = (uint8_t)(level ? pci->levels | bit : pci->levels & ~bit);
    show_level(pci, space, level);
    if (!level) /* the event that a pending message reports is served */
        gt_pci_set(pci, space, GT_PCI_MSI_PENDING, 0);
    if (!rises || !has_msi(pci, space) || !is_master(pci, space))
        return false;
    *message = message_of(pci, space);
    if (is_masked(pci, space))
        gt_pci_set(pci, space, GT_PCI_MSI_PENDING, VECTOR);
    return !is_masked(pci, space);
}

bool gt_pci_release(struct gt_pci *pci, unsigned function, struct gt_pci_message *message)
{
    unsigned space = GT_PCI_GRAPHICS + function;
    if (!(gt_pci_value(pci, space, GT_PCI_MSI_PENDING) & VECTOR) || is_masked(pci, space) ||
        !has_msi(pci, space) || !is_master(pci, space))
        return false;
    gt_pci_set(pci, space, GT_PCI_MSI_PENDING, 0);
    *message = message_of(pci, space);
    return true;
}

bool gt_pci_intx(const struct gt_pci *pci)
{
    return (pci->levels & 1) && pci->state.present && pci->state.powered &&
           !has_msi(pci, GT_PCI_GRAPHICS) &&
           !(gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_COMMAND) & INTERRUPT_DISABLE);
}
