/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_REGISTERS_H
#define TALLY_INTEL_CS_REGISTERS_H

#include "regs/index.h"

/* The render command streamer's registers: its ring, predicates, general purpose registers and
 * submission ports. Revisions are INTEL_BIT(revision). */
extern const struct reg_map cs_registers_map;

/* reg.id of the submission ports, which execlists_block handles. */
#define CS_PORTS 0x100

/* The streamer's own registers with their handlers, whose context is a struct streamer. */
extern const struct reg_block cs_registers_block;

struct streamer;

/* Initializes streamer.own. */
void cs_registers_init(struct streamer *streamer);

#endif
