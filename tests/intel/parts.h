/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_PARTS_H
#define TESTS_INTEL_PARTS_H

/* Accesses to the registers of parts of a GPU that are tested alone. In a GPU the index of all
 * registers finds the same handlers. */

#include <stdint.h>

#include "intel/gt/forcewake.h"
#include "intel/gt/interrupts.h"
#include "intel/gt/routing.h"
#include "intel/oa/noa.h"
#include "regs/regs.h"

/* Unlisted addresses read 0 and ignore writes. */
static inline uint32_t gt_forcewake_read32(const struct gt_forcewake *wake, uint32_t address)
{
    uint32_t value = 0;
    reg_block_read(&gt_forcewake_block, INTEL_BIT(wake->revision), (void *)wake, address, &value);
    return value;
}

static inline void gt_forcewake_write32(struct gt_forcewake *wake, uint32_t address, uint32_t value)
{
    reg_block_write(&gt_forcewake_block, INTEL_BIT(wake->revision), wake, address, value);
}

/* Steering and fuses, without a check of force wake. */
static inline uint32_t gt_routing_read32(const struct gt_routing *routing, uint32_t address)
{
    uint32_t value = 0;
    reg_block_read(&gt_routing_block, INTEL_BIT(routing->revision), (void *)routing, address,
                   &value);
    return value;
}

static inline void gt_routing_write32(struct gt_routing *routing, uint32_t address, uint32_t value)
{
    reg_block_write(&gt_routing_block, INTEL_BIT(routing->revision), routing, address, value);
}

static inline uint32_t noa_read32(const struct noa *noa, uint32_t address)
{
    uint32_t value = 0;
    noa_read(noa, address, &value);
    return value;
}

static inline bool noa_write32(struct noa *noa, uint32_t address, uint32_t value)
{
    return reg_block_write(&noa_block, INTEL_BIT(noa->revision), noa, address, value);
}

/* Reads an interrupt register without the effect of reading GT_INTR_DW0 or 1. */
static inline uint32_t gt_interrupts_peek32(const struct gt_interrupt_copy *copy, uint32_t address)
{
    struct gt_interrupt_copy same = *copy;
    return gt_interrupts_read32(&same, address);
}

/* Returns one of the scheduler's vectors as a level. */
static inline bool gt_interrupts_vector(const struct gt_interrupts *interrupts, unsigned dw)
{
    return dw < 2 && interrupts->guc.dw[dw].iir;
}

#endif
