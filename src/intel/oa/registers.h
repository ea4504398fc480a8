/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_REGISTERS_H
#define TALLY_INTEL_OA_REGISTERS_H

#include "intel/revision.h"
#include "intel/symbols.h"
#include "regs/index.h"

/* Ids of the registers, the same in all four maps. */
enum oa_register {
    OA_CONTROL,
    OA_CTXCONTROL,
    OA_CTXID,
    OA_BUFFER,
    OA_BUFFER_UDW,
    OA_NOASELECT,
    OA_DEBUG,
    OA_IMR,
    OA_PESS,      /* map D */
    OA_SPCTR_CNF, /* map D */
    OA_AGGREGATE_DEBUG,
    OA_START_TRIG,                      /* 1 to 8 */
    OA_REPORT_TRIG = OA_START_TRIG + 8, /* 1 to 8 */
    OA_CEC = OA_REPORT_TRIG + 8,        /* CEC0-0, CEC0-1, ... CEC7-1 */
    OA_SCEC = OA_CEC + 16,              /* map D: SCEC0_0, SCEC0_1, ... SCEC7_1 */
    OA_STORED = OA_SCEC + 16,           /* number of stored words: the ids above */

    OA_EU_CTL = OA_STORED, /* EU_PERF_CNT_CTL0 to 6, replicated in the subslices */
    OA_STATUS,             /* OASTATUS1 on maps A and B */
    OA_STATUS2,
    OA_HEADPTR,
    OA_TAILPTR,
    OA_TIMESTAMP_LOW,
    OA_TIMESTAMP_HIGH,
    OA_GPU_TICKS,
    OA_PERF_A,
    OA_PERF_A_UPPER,
    OA_PERF_B,
    OA_PERF_C,
    OA_FREE,
    OA_FREE_UPPER,

    OAR_CONTROL, /* map D: counters of the render context */
    OAR_STATUS,
    OAR_CTXCONTROL,
    OAR_CONTEXT_CONTROL,
    OAR_PERF_A,
    OAR_PERF_A_UPPER,
    OAR_PERF_B,
    OAR_PERF_C
};

/* Returns the register table of a revision. Maps A and B share one. */
const struct reg_map *oa_registers(enum intel_revision revision);

/* Return the table with its handlers, whose context is a struct tally_oa, and an index of it that
 * all units of a revision share (NULL: no memory). */
struct reg_block oa_block(enum intel_revision revision);
const struct reg_index *oa_index(enum intel_revision revision);

#endif
