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
};

#define PPCI_BASE  0x88000u
#define PPCI_BYTES 0x100u

enum {
#include "regs/pass/symbols.h"
#include "nvidia/gpu/registers/pci.def"
#include "nvidia/gpu/registers/ptimer.def"
#include "regs/pass/end.h"
};

/* The offset of a register in configuration space. */
#define PPCI_OFFSET(reg) ((reg)-PPCI_BASE)

/* The parts of BAR 0. */
enum nvidia_part { NVIDIA_PMC, NVIDIA_PTIMER, NVIDIA_PPCI, NVIDIA_PARTS };

/* Returns the register map of a part of the GPUs of a revision. */
const struct reg_map *nvidia_registers(enum tally_pcounter_revision revision,
                                       enum nvidia_part part);

#endif
