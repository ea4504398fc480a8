/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_REGISTERS_H
#define TALLY_INTEL_CS_REGISTERS_H

#include "intel/cs/engines.h"
#include "regs/index.h"

/* Gen7: status pages of engines other than render. */
extern const struct reg_map cs_status_pages_map;

/* reg.id of the registers whose handlers are in gpu/engines.c: submission ports, the timestamp of
 * engines other than render, the context status buffer and its pointers, the request for a reset,
 * the context's time, errors, the state of the lists, the running context, registers that are only
 * stored, and MI_MODE before Gen12. */
enum cs_outer_register {
    CS_PORTS = 0x100,
    CS_TIME,
    CS_STATUS,
    CS_STATUS_POINTER,
    CS_RESET,
    CS_CONTEXT_TIME,
    CS_ERRORS,
    CS_LISTS,
    CS_RUNNING,
    CS_STORED,
    CS_MODE
};

/* Flags of registers that are only stored, beside enum reg_basis. */
enum cs_stored_flag { CS_STORED_MASKED = 4 }; /* bits 31:16 are write enables for bits 15:0 */

/* Return the registers of an engine's streamer, and Gen7's status page, with their handlers, whose
 * context is the struct streamer. */
struct reg_block cs_own_block(const struct cs_engine *engine);
struct reg_block cs_status_page_block(const struct cs_engine *engine);

struct streamer;

/* Initializes streamer.own. */
void cs_registers_init(struct streamer *streamer);

#endif
