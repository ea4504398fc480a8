/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REGS_TRACE_H
#define TALLY_REGS_TRACE_H

/*
 * The lines of an MMIO trace, in the same format for all models: clock, agent, rd or wr, address,
 * register, value, the fields that are not 0, and after "!" what is wrong with the access.
 *
 *          0  cpu  wr  0x002b00  OACONTROL  0x00000015  ENABLE=1 COUNTER_SELECT=5
 *         81  cpu  rd  0x002b08  OASTATUS   0x00000000  ! asleep
 *         90  cs   wr  0x002c00  -          0x00000001  ! unknown register
 */

#include "regs/regs.h"

#define REG_TRACE_LINE 1024 /* size of a line's buffer in bytes */

struct reg_trace {
    uint64_t clock;
    const char *agent; /* origin of the access: "cpu" */
    bool write;
    uint32_t address, value;
    const struct reg_place *place; /* NULL: no register */
    const char *name;              /* without a register: name of the range, or NULL */
    uint32_t revision;             /* as in reg_find() */
    unsigned instances;            /* as in reg_find() */
    const char *mark;              /* why the access failed: "asleep"; NULL: it was carried out */
};

/*
 * Writes a line and its newline to `text`. Returns `text`. Reserved bits that a write sets are
 * marked in addition to `mark`. If a line is too long, its last fields are left out, but no marks.
 */
const char *reg_trace_line(const struct reg_trace *trace, char text[REG_TRACE_LINE]);

/* How many accesses had an outcome: "read-only". */
struct reg_outcome {
    const char *name;
    uint64_t count;
};

#define REG_OUTCOMES_MAX 9

#endif
