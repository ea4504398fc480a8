/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_INTERRUPTS_H
#define TALLY_INTEL_GT_INTERRUPTS_H

/*
 * The interrupt tree of Gen11 (document: "Interrupts"; OA-3; OA-D41 to OA-D46).
 *
 * An engine sends a message with its class and instance, a virtual function and 16 bits of data.
 * Two interfaces receive it: the host (one copy of the tree per function) and the hardware
 * scheduler (GuC). Each copy has its own registers:
 *
 *     data -> AND enable of the class -> INST_CR of the engine -> AND NOT mask of the engine
 *          -> one bit of DW_IIR, or of DW_CR while software services DW_IIR -> the DW's event
 *
 * The host sees the events as bits 1 and 0 of its master control and as a line; the scheduler sees
 * them as two vectors. There are no callbacks: call gt_interrupts_line() and compare dw[n].events
 * of the scheduler's copy after each message and register access.
 *
 *     struct gt_interrupts interrupts;
 *     gt_interrupts_reset(&interrupts);
 *     gt_interrupts_write32(&interrupts.host[0], GEN11_GPM_WGBOXPERF_INTR_ENABLE, 0xffff);
 *     gt_interrupts_write32(&interrupts.host[0], GEN11_GPM_WGBOXPERF_INTR_MASK, 0xffff0000);
 *     gt_interrupts_write32(&interrupts.host[0], GEN11_GFX_MSTR_INTR, 0x80000000);
 *     gt_interrupts_message(&interrupts, 4, 2, 0, 0x1000);              // OA buffer half full
 *     gt_interrupts_line(&interrupts.host[0]);                          // true
 *
 * Copies are independent. Scripts can access host[0] only (OA-D41).
 */

#include "intel/gt/gt.h"

#define GT_FUNCTIONS 8 /* the virtual function id has 3 bits */

/* Engines, in the order of class and instance (OA-3.3, OA-D42). */
enum gt_engine {
    GT_RCS0,
    GT_VCS0,
    GT_VCS1,
    GT_VCS2,
    GT_VCS3,
    GT_VECS0,
    GT_VECS1,
    GT_BCS,
    GT_GUC,
    GT_GTPM,
    GT_WDOAPERF,
    GT_SCTRG,
    GT_KCR,
    GT_GUNIT,
    GT_CSME,
    GT_ENGINES
};

enum { GT_ENABLES = 6, GT_MASKS = 9 };

struct gt_engine_info {
    const char *name;
    uint8_t engine_class, instance;
    uint8_t dw, bit;              /* of GT_INTR_DW0 or 1 */
    uint8_t enable, enable_shift; /* of gt_interrupt_copy.enables; 16 or 0 */
    uint8_t mask, mask_shift;
    bool on_lakefield; /* VCS1, VCS3 and VECS1 have registers but no engine */
};

extern const struct gt_engine_info gt_engines[GT_ENGINES];

/* The message of the OA unit whose report buffer is half full (OA-3.5 "OA path", OA-U16,
 * OA-D42). */
#define GT_HALF_FULL_CLASS    4
#define GT_HALF_FULL_INSTANCE 2
#define GT_HALF_FULL_DATA     0x1000

/* Returns the engine of a class (0 to 7) and an instance (0 to 63), or GT_ENGINES. */
enum gt_engine gt_engine_find(unsigned engine_class, unsigned instance);

/* One of the two groups of up to 32 engines. */
struct gt_interrupt_dw {
    uint32_t iir;        /* DW_IIR */
    uint32_t collapsing; /* DW_CR: interrupts received while locked */
    uint32_t selector;   /* the accepted selector, or 0 */
    uint32_t identity;   /* the shared IIR, or 0 */
    uint32_t serviced;   /* bits of iir whose engine has been selected since they were set */
    uint32_t events;     /* DW events so far, modulo 2^32: iir from 0 to non-zero, and reloads */
    bool locked;         /* from a read of a non-zero iir until iir is 0 again */
};

/* One copy of the tree: of the host for one function, or of the scheduler. */
struct gt_interrupt_copy {
    uint32_t enables[GT_ENABLES];
    uint32_t masks[GT_MASKS];
    uint16_t inst_cr[GT_ENGINES];
    uint8_t function[GT_ENGINES]; /* of the latest stored message; visible in identities only */
    struct gt_interrupt_dw dw[2];
    uint32_t levels; /* other sources in master control, see gt_interrupts_set_level() */
    bool master_enable;
    /* Violations of the protocol by software (OA-3.5), modulo 2^32: */
    uint32_t illegal_selectors;  /* selectors not one-hot, or not set in DW_IIR; 0 is legal */
    uint32_t unserviced_clears;  /* bits of DW_IIR cleared before their engine was selected */
    uint32_t dropped_identities; /* valid identities overwritten by another selector write */
};

struct gt_interrupts {
    struct gt_interrupt_copy host[GT_FUNCTIONS]; /* 0: the physical function */
    struct gt_interrupt_copy guc;
};

/*
 * Power-on and GT global reset (OA-D46): sets enables to 0, masks to all ones (OA-U18), and
 * everything else to 0, including the levels of other sources. Also initializes.
 */
void gt_interrupt_copy_reset(struct gt_interrupt_copy *copy);
void gt_interrupts_reset(struct gt_interrupts *interrupts);

/*
 * Sends a message from an engine to the host copy of its virtual function and to the scheduler's
 * copy (document: "Format of interrupt message", "First Level Interrupt Bits"; OA-D42, OA-D45).
 * engine_class: 0 to 7; instance: 0 to 63; function: 0 to 7. Returns 0; -EINVAL, without effect,
 * if the engine or function does not exist.
 */
int gt_interrupts_message(struct gt_interrupts *interrupts, unsigned engine_class,
                          unsigned instance, unsigned function, uint16_t data);

/* The same with the 32 bits that are sent: data, class, instance and function at the places that
 * they have in GEN11_INTR_IDENTITY. Reserved bits are ignored. */
int gt_interrupts_message32(struct gt_interrupts *interrupts, uint32_t message);

/*
 * Read or write a 32-bit register of a copy, at 190000h to 1900FFh (OA-3.1; the map below). On
 * hardware the scheduler has its own address space for its copy; here it uses the same addresses.
 * Other addresses read 0 and ignore writes.
 *
 * Reading GT_INTR_DW0 or 1 locks it (OA-D43).
 */
uint32_t gt_interrupts_read32(struct gt_interrupt_copy *copy, uint32_t address);
void gt_interrupts_write32(struct gt_interrupt_copy *copy, uint32_t address, uint32_t value);

/*
 * Sets the level of a source of master control outside the GT (OA-3.2): 30 PCU, 29 GU_MISC, 16
 * display. Returns 0; -EINVAL for other bits.
 */
int gt_interrupts_set_level(struct gt_interrupt_copy *copy, unsigned bit, bool level);

/* Returns the CPU interrupt line of a host copy: master enable and any source (OA-3.2, OA-D41). */
bool gt_interrupts_line(const struct gt_interrupt_copy *copy);

/* The registers, 190000h to 1900FFh. */
extern const struct reg_map gt_interrupts_map;

/* The map with its handlers, whose context is a struct gt_interrupt_copy. */
extern const struct reg_block gt_interrupts_block;

#endif
