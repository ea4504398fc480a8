/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_REGISTERS_H
#define TALLY_INTEL_CS_REGISTERS_H

#include "regs/regs.h"

/* The render command streamer's registers: its ring, predicates, general purpose registers and
 * submission ports. Revisions are INTEL_BIT(platform). */
extern const struct reg_map cs_registers_map;

struct streamer;

/* Fills in which of them a streamer has where. */
void cs_registers_init(struct streamer *streamer);

#endif
