/* SPDX-License-Identifier: MIT */
/*
 * The interrupt tree's registers and engines (OA-3.1 to OA-3.4). If two units share a register, the
 * unit named first has the upper half (OA-U18).
 */
#include "intel/gt/interrupts_registers.h"

#include "intel/symbols.h"

enum { RENDER_COPY, VCS_VECS, GUC_SG, GPM_WGBOXPERF, CRYPTO_RSVD, GUNIT_CSME };

enum {
    RCS0_RSVD_MASK,
    BCS_RSVD_MASK,
    VCS0_VCS1_MASK,
    VCS2_VCS3_MASK,
    VECS0_VECS1_MASK,
    GUC_SG_MASK,
    GPM_WGBOXPERF_MASK,
    CRYPTO_RSVD_MASK,
    GUNIT_CSME_MASK
};

// clang-format off

const struct gt_engine_info gt_engines[GT_ENGINES] = {
    [GT_RCS0]     = {"RCS0",     0, 0, 0,  0, RENDER_COPY,   16, RCS0_RSVD_MASK,     16, true},
    [GT_VCS0]     = {"VCS0",     1, 0, 1,  0, VCS_VECS,      16, VCS0_VCS1_MASK,     16, true},
    [GT_VCS1]     = {"VCS1",     1, 1, 1,  1, VCS_VECS,      16, VCS0_VCS1_MASK,      0, false},
    [GT_VCS2]     = {"VCS2",     1, 2, 1,  2, VCS_VECS,      16, VCS2_VCS3_MASK,     16, true},
    [GT_VCS3]     = {"VCS3",     1, 3, 1,  3, VCS_VECS,      16, VCS2_VCS3_MASK,      0, false},
    [GT_VECS0]    = {"VECS0",    2, 0, 1, 31, VCS_VECS,       0, VECS0_VECS1_MASK,   16, true},
    [GT_VECS1]    = {"VECS1",    2, 1, 1, 30, VCS_VECS,       0, VECS0_VECS1_MASK,    0, false},
    [GT_BCS]      = {"BCS",      3, 0, 0, 15, RENDER_COPY,    0, BCS_RSVD_MASK,      16, true},
    [GT_GUC]      = {"GuC",      4, 0, 0, 25, GUC_SG,        16, GUC_SG_MASK,        16, true}, /* not in the document's table (OA-E23) */
    [GT_GTPM]     = {"GTPM",     4, 1, 0, 16, GPM_WGBOXPERF, 16, GPM_WGBOXPERF_MASK, 16, true},
    [GT_WDOAPERF] = {"WDOAPerf", 4, 2, 0, 20, GPM_WGBOXPERF,  0, GPM_WGBOXPERF_MASK,  0, true},
    [GT_SCTRG]    = {"SCTRG",    4, 3, 0, 21, GUC_SG,         0, GUC_SG_MASK,         0, true}, /* no document gives its bit (OA-U17) */
    [GT_KCR]      = {"KCR",      4, 4, 0, 19, CRYPTO_RSVD,   16, CRYPTO_RSVD_MASK,   16, true},
    [GT_GUNIT]    = {"Gunit",    4, 5, 0, 28, GUNIT_CSME,    16, GUNIT_CSME_MASK,    16, true},
    [GT_CSME]     = {"CSME",     4, 6, 0, 31, GUNIT_CSME,     0, GUNIT_CSME_MASK,     0, true},
};

// clang-format on

/* ---- registers ------------------------------------------------------------------------------- */

#include "regs/pass/fields.h"
#include "intel/gt/interrupts.def"
#include "regs/pass/end.h"

#define REG_BASE 0x190000
#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/interrupts.def"
};

const struct reg_map gt_interrupts_map = {
    .name = "lkf-interrupts",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = REG_BASE,
    .size = 0x100,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};
#include "regs/pass/end.h"
