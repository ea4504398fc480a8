/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REGS_TRACE_H
#define TALLY_REGS_TRACE_H

/*
 * The lines of an MMIO trace, the same for all models: clock, agent, rd or wr, address, register,
 * value, fields that are not 0, and behind "!" what is wrong with the access.
 *
 *          0  cpu  wr  0x002b00  OACONTROL  0x00000015  ENABLE=1 COUNTER_SELECT=5
 *         81  cpu  rd  0x002b08  OASTATUS   0x00000000  ! asleep
 *         90  cs   wr  0x002c00  -          0x00000001  ! unknown register
 */

#include "regs/regs.h"

#define REG_TRACE_LINE 1024 /* bytes that hold any line */

struct reg_trace {
    uint64_t clock;
    const char *agent; /* who accesses: "cpu" */
    bool write;
    uint32_t address, value;
    const struct reg_place *place; /* NULL: no register */
    const char *name;              /* without a register: what is there instead; NULL: nothing */
    uint32_t revision;             /* as the walks of regs.h take them */
    unsigned instances;
    const char *mark; /* what became of it: "asleep"; NULL: it was carried out */
};

/*
 * Writes the line, with its newline, and returns text. Reserved bits of a write (those of no field)
 * are marked beside `mark`. A line that does not fit loses fields at its end, never marks.
 */
const char *reg_trace_line(const struct reg_trace *trace, char text[REG_TRACE_LINE]);

/* How many accesses had an outcome: "read-only". */
struct reg_outcome {
    const char *name;
    uint64_t count;
};

#define REG_OUTCOMES_MAX 8

#endif
