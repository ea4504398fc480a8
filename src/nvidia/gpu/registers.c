/* SPDX-License-Identifier: MIT */
/* Tables of the registers around PCOUNTER, from the .def files. */
#include "nvidia/gpu/registers.h"

#include "base/bits.h"
#include "nvidia/revisions.h"

#define ALL        ((1u << TALLY_PCOUNTER_REVISIONS) - 1)
#define NV10_GT215 (ALL & ~(1u << TALLY_PCOUNTER_GF100))
#define G84_G92    (1u << TALLY_PCOUNTER_G84 | 1u << TALLY_PCOUNTER_G92)

#define GF100_ONLY (1u << TALLY_PCOUNTER_GF100)

#include "regs/pass/fields.h"
#include "nvidia/gpu/registers/pbus.def"
#include "nvidia/gpu/registers/pci.def"
#include "nvidia/gpu/registers/pfb.def"
#include "nvidia/gpu/registers/pflush.def"
#include "nvidia/gpu/registers/pgraph.def"
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

/* Up to NV30 configuration space is a part of PBUS. */
#define PBUS_BASE     0x1000u
#define PBUS_PCI_BASE (PBUS_BASE + 0x800u)

#define REG_BASE PBUS_BASE
#include "regs/pass/rows.h"
static const struct reg pbus_registers[] = {
#include "nvidia/gpu/registers/pbus.def"
};
#include "regs/pass/end.h"

#define PFLUSH_BASE 0x70000u

#define REG_BASE PFLUSH_BASE
#include "regs/pass/rows.h"
static const struct reg pflush_registers[] = {
#include "nvidia/gpu/registers/pflush.def"
};
#include "regs/pass/end.h"

#define PFB_BASE 0x100000u

#define REG_BASE PFB_BASE
#include "regs/pass/rows.h"
static const struct reg pfb_registers[] = {
#include "nvidia/gpu/registers/pfb.def"
};
#include "regs/pass/end.h"

#define PGRAPH_BASE 0x400000u

#define REG_BASE PGRAPH_BASE
#include "regs/pass/rows.h"
static const struct reg pgraph_registers[] = {
#include "nvidia/gpu/registers/pgraph.def"
};
#include "regs/pass/end.h"

#define PTOP_BASE 0x22000u

#define REG_BASE PTOP_BASE
#include "regs/pass/rows.h"
static const struct reg ptop_registers[] = {
#include "nvidia/gpu/registers/ptop.def"
};
#include "regs/pass/end.h"

static const struct reg_map ptimer_map = {
    "ptimer",     "NVIDIA PTIMER",  PTIMER_BASE,
    PTIMER_BYTES, ptimer_registers, ARRAY_COUNT(ptimer_registers),
    false};

static const struct reg_map pbus_map = {
    "pbus", "NVIDIA PBUS", PBUS_BASE, 0x800, pbus_registers, ARRAY_COUNT(pbus_registers), true};
static const struct reg_map pflush_map = {"pflush", "NVIDIA PFLUSH",  PFLUSH_BASE,
                                          0x1000,   pflush_registers, ARRAY_COUNT(pflush_registers),
                                          true};
static const struct reg_map pfb_map = {
    "pfb", "NVIDIA PFB", PFB_BASE, 0x2000, pfb_registers, ARRAY_COUNT(pfb_registers), true};
static const struct reg_map pgraph_map = {"pgraph", "NVIDIA PGRAPH",  PGRAPH_BASE,
                                          0x20000,  pgraph_registers, ARRAY_COUNT(pgraph_registers),
                                          true};

static const struct reg_map ptop_map = {
    "ptop", "NVIDIA PTOP", PTOP_BASE, 0x1000, ptop_registers, ARRAY_COUNT(ptop_registers), false};

static const struct reg_map pci_maps[] = {
    {"pbus-pci", "NVIDIA PCI", PBUS_PCI_BASE, PPCI_BYTES, pci_registers, ARRAY_COUNT(pci_registers),
     false},
    {"ppci", "NVIDIA PCI", PPCI_BASE, PPCI_BYTES, pci_registers, ARRAY_COUNT(pci_registers), false},
};

const struct reg_map *nvidia_registers(enum tally_pcounter_revision revision, enum nvidia_part part)
{
    static const struct reg_map *const maps[NVIDIA_PARTS] = {
        [NVIDIA_PMC] = &pmc_map,       [NVIDIA_PTIMER] = &ptimer_map, [NVIDIA_PBUS] = &pbus_map,
        [NVIDIA_PFLUSH] = &pflush_map, [NVIDIA_PFB] = &pfb_map,       [NVIDIA_PGRAPH] = &pgraph_map,
        [NVIDIA_PTOP] = &ptop_map,
    };
    if (part == NVIDIA_PPCI)
        return &pci_maps[pcounter_features[revision].layout != LAYOUT_NV10];
    return maps[part];
}
