/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_INTERRUPTS_FLAT_H
#define TALLY_INTEL_GT_INTERRUPTS_FLAT_H

/*
 * Interrupts of the render engine and OA before Gen11: groups of four registers (ISR, IMR, IIR,
 * IER) and one master enable (OA-3.5, "OA path"). An unmasked event sets its bit in IIR, which
 * software clears by writing 1. Enabled bits of IIR raise the line.
 *
 * OA's half-full event is bit 9 of the render group up to HSW, and bit 28 of group 3 on Gen8 and 9.
 * The bits of the command streamer (0 user interrupt, 4 PIPE_CONTROL notify, 8 context switch) and
 * the master enables (DEIER and the Gen8 master) are from the public i915 driver.
 */

#include "intel/gt/gt.h"

enum gt_flat_source {
    GT_FLAT_USER,
    GT_FLAT_NOTIFY,
    GT_FLAT_CONTEXT_SWITCH, /* Gen8 and 9 */
    GT_FLAT_OA_HALF_FULL
};

struct gt_flat_group {
    uint32_t imr, iir, ier;
};

struct gt_flat {
    uint8_t revision;               /* enum intel_revision */
    uint32_t master;                /* bit 31: enable */
    struct gt_flat_group groups[2]; /* 0: render engine; 1: OA, if it has its own group */
};

/* Power-on and GT reset: masks all interrupts and disables them. */
void gt_flat_init(struct gt_flat *flat, enum intel_revision revision);

/* Raises an interrupt source. Ignored if the platform does not have the source. */
void gt_flat_raise(struct gt_flat *flat, enum gt_flat_source source);

/* Returns the level of the CPU interrupt line. */
bool gt_flat_line(const struct gt_flat *flat);

/* The registers, and the map with its handlers, whose context is a struct gt_flat. */
extern const struct reg_map gt_flat_map;
extern const struct reg_block gt_flat_block;

#endif
