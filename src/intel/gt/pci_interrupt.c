/* SPDX-License-Identifier: MIT */
/* Message signaled interrupts and INTA# of the graphics device and its virtual functions. */
#include <linux/pci_regs.h>

#include "intel/gt/pci.h"

#define VECTOR 1u /* of mask and pending bits: the only vector */

static bool is_master(const struct gt_pci *pci, unsigned space)
{
    return pci->state.present && pci->state.powered &&
           (gt_pci_value(pci, space, GT_PCI_COMMAND) & PCI_COMMAND_MASTER);
}

static bool has_msi(const struct gt_pci *pci, unsigned space)
{
    return gt_pci_value(pci, space, GT_PCI_MSI_CONTROL) & PCI_MSI_FLAGS_ENABLE;
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
    uint64_t status = gt_pci_value(pci, space, GT_PCI_STATUS) & ~(uint64_t)PCI_STATUS_INTERRUPT;
    if (space == GT_PCI_GRAPHICS) /* virtual functions have no INTx */
        gt_pci_set(pci, space, GT_PCI_STATUS, status | (level ? PCI_STATUS_INTERRUPT : 0));
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
           !(gt_pci_value(pci, GT_PCI_GRAPHICS, GT_PCI_COMMAND) & PCI_COMMAND_INTX_DISABLE);
}
