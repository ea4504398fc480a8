/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_GPU_REGISTERS_H
#define TALLY_NVIDIA_GPU_REGISTERS_H

#include <tally/chipset.h>

#include "nvidia/pcounter/registers.h"

/* Registers of the GPU around PCOUNTER: those of PMC (pmc_map) and these. */
enum nvidia_register_id {
    GPU_CLOCK_DIV,
    GPU_CLOCK_MUL,
    GPU_TIME_LOW,
    GPU_TIME_HIGH,
    GPU_PCI_ID,
    GPU_PCI_STORED, /* its value is stored in configuration space */
    GPU_PCI_SUBSYSTEM_SET,
    GPU_PCI_PM_CONTROL,
    GPU_PCI_MSI,
    GPU_TIMER_INTR,
    GPU_TIMER_INTR_EN,
    GPU_TIMER_ALARM,
    GPU_CLOCK_SOURCE,
};

/* Registers of PBUS, PFLUSH, PFB, PGRAPH and PTOP, whose values are stored. */
enum nvidia_stored_id {
    GPU_HWUNITS_0,
    GPU_HWUNITS_1,
    GPU_PMEM,
    GPU_CHAN,
    GPU_BAR1,
    GPU_BAR3,
    GPU_FLUSH,
    GPU_CFG0,
    GPU_CFG1,
    GPU_MEM_AMOUNT,
    GPU_BANKCFG,
    GPU_COMP_MAX_TAG,
    GPU_UNK714,
    GPU_TLB_FLUSH,
    GPU_STRAPS,
    GPU_DEBUG_1,
    GPU_VFETCH_UNK0C,
    GPU_CROP_PM_MUX,
    GPU_TEX_UNK08,
    GPU_PROP_PM_MUX,
    GPU_GPC_COUNT,
    GPU_PART_COUNT,
    GPU_UNITS_DISABLED,
    NVIDIA_STORED,
};

#define PPCI_BASE  0x88000u
#define PPCI_BYTES 0x100u

enum {
#include "regs/pass/symbols.h"
#include "nvidia/gpu/registers/pbus.def"
#include "nvidia/gpu/registers/pci.def"
#include "nvidia/gpu/registers/pfb.def"
#include "nvidia/gpu/registers/pflush.def"
#include "nvidia/gpu/registers/pgraph.def"
#include "nvidia/gpu/registers/ptimer.def"
#include "nvidia/gpu/registers/ptop.def"
#include "nvidia/gpu/registers/vm.def"
#include "regs/pass/end.h"
};

/* The offset of a register in configuration space. */
#define PPCI_OFFSET(reg) ((reg)-PPCI_BASE)

/* The parts of BAR 0. */
enum nvidia_part {
    NVIDIA_PMC,
    NVIDIA_PTIMER,
    NVIDIA_PPCI,
    NVIDIA_PBUS,
    NVIDIA_PFLUSH,
    NVIDIA_PFB,
    NVIDIA_PGRAPH,
    NVIDIA_PTOP,
    NVIDIA_PARTS
};

/* The windows of BAR 0 on the ROM and on memory (PBUS.HOST_MEM.PMEM). */
#define PROM_BASE  0x300000u
#define PROM_BYTES 0x100000u
#define PMEM_BASE  0x700000u
#define PMEM_BYTES 0x100000u

/* Returns the register map of a part of the GPUs of a revision. Those of PBUS, PFLUSH, PFB,
 * PGRAPH and PTOP may have no register of the revision. */
const struct reg_map *nvidia_registers(enum tally_pcounter_revision revision,
                                       enum nvidia_part part);

#endif
