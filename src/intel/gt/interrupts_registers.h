/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_INTERRUPTS_REGISTERS_H
#define TALLY_INTEL_GT_INTERRUPTS_REGISTERS_H

/* reg.id of the registers of gt_interrupts_map. */

#include "intel/gt/interrupts.h"

enum gt_interrupt_register {
    INTR_MASTER,
    INTR_DW0,
    INTR_DW1,
    INTR_IDENTITY0,
    INTR_IDENTITY1,
    INTR_SELECTOR0,
    INTR_SELECTOR1,
    INTR_ENABLES, /* + index of gt_interrupt_copy.enables */
    INTR_MASKS = INTR_ENABLES + GT_ENABLES
};

#endif
