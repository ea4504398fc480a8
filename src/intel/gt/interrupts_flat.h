/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_INTERRUPTS_FLAT_H
#define TALLY_INTEL_GT_INTERRUPTS_FLAT_H

/*
 * Interrupts of the engines and OA before Gen11: groups of four registers (ISR, IMR, IIR, IER) and
 * one master enable (OA-3.5, "OA path"). An unmasked event sets its bit in IIR, which software
 * clears by writing 1. Enabled bits of IIR raise the line.
 *
 * OA's half-full event is bit 9 of the render engine's group up to HSW, and bit 28 of group 3 on
 * Gen8 and 9. The bits of the engines and the master enables (DEIER and the Gen8 master) are from
 * the public i915 driver.
 */

#include "intel/gt/interrupts.h"

/* Events of an engine. */
enum gt_engine_event {
    GT_ENGINE_USER,   /* MI_USER_INTERRUPT */
    GT_ENGINE_NOTIFY, /* PIPE_CONTROL or MI_FLUSH_DW with Notify Enable */
    GT_ENGINE_SWITCH, /* from Gen8 on */
    GT_ENGINE_ERROR,  /* an error that EMR does not mask */
    GT_ENGINE_EVENTS
};

#define GT_FLAT_GROUPS 4

struct gt_flat_group {
    uint32_t imr, iir, ier;
};

struct gt_flat {
    uint8_t revision; /* enum intel_revision */
    uint32_t master;  /* bit 31: enable */
    struct gt_flat_group
        groups[GT_FLAT_GROUPS]; /* Gen6 and 7: GT, PM; from Gen8 on: GT0, GT1, GT3, GT2 */
};

/* Power-on and GT reset: masks all interrupts and disables them. */
void gt_flat_init(struct gt_flat *flat, enum intel_revision revision);

/* Raises an interrupt of an engine of interrupts.h, or that of OA's half-full buffer. Ignored if
 * the platform does not have the source. */
void gt_flat_raise(struct gt_flat *flat, enum gt_engine engine, enum gt_engine_event event);
void gt_flat_raise_half_full(struct gt_flat *flat);

/* Raises events of power management: bits of GEN6_PM_RP. */
void gt_flat_raise_power(struct gt_flat *flat, uint32_t events);

/* Returns the level of the CPU interrupt line. */
bool gt_flat_line(const struct gt_flat *flat);

/* The registers, and the map with its handlers, whose context is a struct gt_flat. */
extern const struct reg_map gt_flat_map;
extern const struct reg_block gt_flat_block;

#endif
