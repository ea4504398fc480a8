/* SPDX-License-Identifier: MIT */
/* Tables of the registers of PTIMER and of PCI configuration space, from the .def files. */
#include "nvidia/gpu/registers.h"

#include "base/bits.h"
#include "nvidia/revisions.h"

#define ALL ((1u << TALLY_PCOUNTER_REVISIONS) - 1)

#include "regs/pass/fields.h"
#include "nvidia/gpu/registers/pci.def"
#include "nvidia/gpu/registers/ptimer.def"
#include "regs/pass/end.h"

#define PTIMER_BASE  0x9000u
#define PTIMER_BYTES 0x1000u

#define REG_BASE PTIMER_BASE
#include "regs/pass/rows.h"
static const struct reg ptimer_registers[] = {
#include "nvidia/gpu/registers/ptimer.def"
};
#include "regs/pass/end.h"

#define REG_BASE PPCI_BASE
#include "regs/pass/rows.h"
static const struct reg pci_registers[] = {
#include "nvidia/gpu/registers/pci.def"
};
#include "regs/pass/end.h"

static const struct reg_map ptimer_map = {
    "ptimer",     "NVIDIA PTIMER",  PTIMER_BASE,
    PTIMER_BYTES, ptimer_registers, ARRAY_COUNT(ptimer_registers),
    false};

/* Up to NV30 configuration space is a part of PBUS. */
#define PBUS_BASE     0x1000u
#define PBUS_PCI_BASE (PBUS_BASE + 0x800u)

static const struct reg_map pci_maps[] = {
    {"pbus-pci", "NVIDIA PCI", PBUS_PCI_BASE, PPCI_BYTES, pci_registers, ARRAY_COUNT(pci_registers),
     false},
    {"ppci", "NVIDIA PCI", PPCI_BASE, PPCI_BYTES, pci_registers, ARRAY_COUNT(pci_registers), false},
};

const struct reg_map *nvidia_registers(enum tally_pcounter_revision revision, enum nvidia_part part)
{
    static const struct reg_map *const maps[NVIDIA_PARTS] = {
        [NVIDIA_PMC] = &pmc_map,
        [NVIDIA_PTIMER] = &ptimer_map,
    };
    if (part == NVIDIA_PPCI)
        return &pci_maps[pcounter_features[revision].layout != LAYOUT_NV10];
    return maps[part];
}
