/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_REGISTERS_H
#define TALLY_INTEL_CS_REGISTERS_H

#include "intel/cs/engines.h"
#include "regs/index.h"

/* Gen7: status pages of engines other than render. */
extern const struct reg_map cs_status_pages_map;

/* reg.id of the registers whose handlers are in gpu/engines.c: submission ports, the timestamp of
 * engines other than render, the context status buffer and its pointers, the request for a reset,
 * the context's time, and registers that are only stored, and MI_MODE before Gen12. */
#define CS_PORTS          0x100
#define CS_TIME           0x101
#define CS_STATUS         0x102
#define CS_STATUS_POINTER 0x103
#define CS_RESET          0x104
#define CS_CONTEXT_TIME   0x105
#define CS_STORED         0x106
#define CS_MODE           0x107

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
