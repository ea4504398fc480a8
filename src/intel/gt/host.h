/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_HOST_H
#define TALLY_INTEL_GT_HOST_H

/*
 * Registers that a driver needs besides those of the models (OA-16): status that is constant,
 * requests that are done at once, and configuration that is only stored. A register is a row of
 * host.def; its flags say the rest.
 *
 * struct gt_host is plain data: a copy is a snapshot.
 */

#include "intel/gt/gt.h"

/* Flags of a row, beside enum reg_basis. */
enum gt_host_flag {
    HOST_MASKED = 4, /* bits 31:16 are write enables for bits 15:0 */
    HOST_CLEARS = 8, /* a write clears the bits that it sets */
    HOST_KEPT = 16,  /* not in the GT: a reset of the GT keeps it */
    HOST_WELLS = 32, /* power wells, whose state follows the request */
};

/* The numbers of rows, and of dwords of all rows. */
#include "regs/pass/count.h"
enum {
    HOST_ROWS = 0
#include "intel/gt/host.def"
};
#include "regs/pass/end.h"

#define REG_ARRAY(symbol, name, at, letter, count, ...) +(count)
#include "regs/pass/count.h"
enum {
    HOST_WORDS = 0
#include "intel/gt/host.def"
};
#include "regs/pass/end.h"

struct gt_host {
    uint8_t revision;          /* enum intel_revision */
    uint16_t first[HOST_ROWS]; /* word of each row */
    uint32_t words[HOST_WORDS];
};

/* Power-on: all registers have their reset values. */
void gt_host_init(struct gt_host *host, enum intel_revision revision);

/* A reset of the GT, or of the chip if `chip`. */
void gt_host_reset(struct gt_host *host, bool chip);

extern const struct reg_map gt_host_map;

/* The map with its handlers, whose context is a struct gt_host. */
extern const struct reg_block gt_host_block;

#endif
