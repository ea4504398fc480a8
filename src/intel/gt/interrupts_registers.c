/* SPDX-License-Identifier: MIT */
/*
 * The interrupt tree's registers and engines: OA-3.1 to OA-3.4. Where two units
 * share a register, the one named first has the upper half (OA-U18).
 */
#include "intel/gt/interrupts_registers.h"

#include <limits.h>

#define RW REG_READ_WRITE
#define RO REG_READ

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

const struct gt_engine_facts gt_engines[GT_ENGINES] = {
    [GT_RCS0]     = {"RCS0",     0, 0, 0,  0, RENDER_COPY,   16, RCS0_RSVD_MASK,     16, true},
    [GT_VCS0]     = {"VCS0",     1, 0, 1,  0, VCS_VECS,      16, VCS0_VCS1_MASK,     16, true},
    [GT_VCS1]     = {"VCS1",     1, 1, 1,  1, VCS_VECS,      16, VCS0_VCS1_MASK,      0, false},
    [GT_VCS2]     = {"VCS2",     1, 2, 1,  2, VCS_VECS,      16, VCS2_VCS3_MASK,     16, true},
    [GT_VCS3]     = {"VCS3",     1, 3, 1,  3, VCS_VECS,      16, VCS2_VCS3_MASK,      0, false},
    [GT_VECS0]    = {"VECS0",    2, 0, 1, 31, VCS_VECS,       0, VECS0_VECS1_MASK,   16, true},
    [GT_VECS1]    = {"VECS1",    2, 1, 1, 30, VCS_VECS,       0, VECS0_VECS1_MASK,    0, false},
    [GT_BCS]      = {"BCS",      3, 0, 0, 15, RENDER_COPY,    0, BCS_RSVD_MASK,      16, true},
    [GT_GUC]      = {"GuC",      4, 0, 0, 25, GUC_SG,        16, GUC_SG_MASK,        16, true}, /* OA-E23 */
    [GT_GTPM]     = {"GTPM",     4, 1, 0, 16, GPM_WGBOXPERF, 16, GPM_WGBOXPERF_MASK, 16, true},
    [GT_WDOAPERF] = {"WDOAPerf", 4, 2, 0, 20, GPM_WGBOXPERF,  0, GPM_WGBOXPERF_MASK,  0, true},
    [GT_SCTRG]    = {"SCTRG",    4, 3, 0, 21, GUC_SG,         0, GUC_SG_MASK,         0, true}, /* OA-U17 */
    [GT_KCR]      = {"KCR",      4, 4, 0, 19, CRYPTO_RSVD,   16, CRYPTO_RSVD_MASK,   16, true},
    [GT_GUNIT]    = {"Gunit",    4, 5, 0, 28, GUNIT_CSME,    16, GUNIT_CSME_MASK,    16, true},
    [GT_CSME]     = {"CSME",     4, 6, 0, 31, GUNIT_CSME,     0, GUNIT_CSME_MASK,     0, true},
};

/* ---- fields ---------------------------------------------------------------------------------- */

static const struct reg_field master_fields[] = {
    {"MASTER_ENABLE", 31, 31, RW, 0, GT_GEN11_UP, NULL, "the line follows the sources"},
    {"PCU", 30, 30, RO, 0, GT_GEN11_UP, NULL, "level of a source"},
    {"GU_MISC", 29, 29, RO, 0, GT_GEN11_UP, NULL, "level of a source"},
    {"DISPLAY", 16, 16, RO, 0, GT_GEN11_UP, NULL, "level of a source"},
    {"GT_INTR_DW1", 1, 1, RO, 0, GT_GEN11_UP, NULL, "GT_INTR_DW1 is not 0"},
    {"GT_INTR_DW0", 0, 0, RO, 0, GT_GEN11_UP, NULL, "GT_INTR_DW0 is not 0"},
    {0},
};

#define ENGINE(name, bit) {name, bit, bit, RW, 0, GT_GEN11_UP, NULL, NULL}

static const struct reg_field dw0_fields[] = {
    ENGINE("CSME", 31), ENGINE("Gunit", 28), ENGINE("GuC", 25), ENGINE("SCTRG", 21),
    ENGINE("WDOAPerf", 20), ENGINE("KCR", 19), ENGINE("GTPM", 16), ENGINE("BCS", 15),
    ENGINE("RCS0", 0), {0},
};

static const struct reg_field dw1_fields[] = {
    ENGINE("VECS0", 31), ENGINE("VECS1", 30), ENGINE("VCS3", 3), ENGINE("VCS2", 2),
    ENGINE("VCS1", 1), ENGINE("VCS0", 0), {0},
};

static const struct reg_value classes[] = {
    {0, "render"}, {1, "video decode"}, {2, "video enhancement"}, {3, "copy"}, {4, "other"}, {0},
};

static const struct reg_field identity_fields[] = {
    {"DATA_VALID", 31, 31, RW, 0, GT_GEN11_UP, NULL, "writing 1 clears identity and selector"},
    {"VF_ID", 27, 29, RO, 0, GT_GEN11_UP, NULL, "virtual function"},
    {"INSTANCE_ID", 20, 25, RO, 0, GT_GEN11_UP, NULL, "instance of the class"},
    {"CLASS_ID", 16, 18, RO, 0, GT_GEN11_UP, classes, "engine class"},
    {"DATA", 0, 15, RO, 0, GT_GEN11_UP, NULL, "interrupt bits of the engine"},
    {0},
};

#define HALVES(name, upper, lower) \
    static const struct reg_field name[] = { \
        {upper, 16, 31, RW, 0, GT_GEN11_UP, NULL, NULL}, {lower, 0, 15, RW, 0, GT_GEN11_UP, NULL, NULL}, {0}, \
    }

HALVES(render_copy_fields, "RENDER", "COPY");
HALVES(vcs_vecs_fields, "VCS", "VECS");
HALVES(guc_sg_fields, "GuC", "SG");
HALVES(gpm_perf_fields, "GTPM", "WDOAPerf");
HALVES(crypto_fields, "KCR", "RSVD");
HALVES(gunit_csme_fields, "Gunit", "CSME");
HALVES(rcs0_fields, "RCS0", "RSVD");
HALVES(bcs_fields, "BCS", "RSVD");
HALVES(vcs0_vcs1_fields, "VCS0", "VCS1");
HALVES(vcs2_vcs3_fields, "VCS2", "VCS3");
HALVES(vecs0_vecs1_fields, "VECS0", "VECS1");

/* ---- registers ------------------------------------------------------------------------------- */

#define ROW(name, offset, id, reset, fields, meaning, source) \
    {name, offset, {{0}}, GT_GEN11_UP, id, RW, 0, reset, fields, meaning, source}
#define ENABLE(name, offset, which, fields) \
    ROW(name, offset, INTR_ENABLES + which, 0, fields, "1: interrupts of this unit are taken", "OA-3.1, OA-D45")
#define MASK(name, offset, which, fields) \
    ROW(name, offset, INTR_MASKS + which, 0xffffffff, fields, "1: stored interrupts wait", "OA-3.1, OA-U18")

static const struct reg registers[] = {
    ROW("GFX_MSTR_INTR", 0x10, INTR_MASTER, 0, master_fields, "master control", "OA-3.2, OA-D41"),
    ROW("GT_INTR_DW0", 0x18, INTR_DW0, 0, dw0_fields, "engines to service: reading locks, 1 clears", "OA-3.5, OA-D43"),
    ROW("GT_INTR_DW1", 0x1c, INTR_DW1, 0, dw1_fields, "engines to service: reading locks, 1 clears", "OA-3.5, OA-D43"),
    ENABLE("RENDER_COPY_INTR_ENABLE", 0x30, RENDER_COPY, render_copy_fields),
    ENABLE("VCS_VECS_INTR_ENABLE", 0x34, VCS_VECS, vcs_vecs_fields),
    ENABLE("GUC_SG_INTR_ENABLE", 0x38, GUC_SG, guc_sg_fields),
    ENABLE("GPM_WGBOXPERF_INTR_ENABLE", 0x3c, GPM_WGBOXPERF, gpm_perf_fields),
    ENABLE("CRYPTO_RSVD_INTR_ENABLE", 0x40, CRYPTO_RSVD, crypto_fields),
    ENABLE("GUNIT_CSME_INTR_ENABLE", 0x44, GUNIT_CSME, gunit_csme_fields),
    ROW("INTR_IDENTITY0", 0x60, INTR_IDENTITY0, 0, identity_fields, "shared IIR of DW0's selected engine", "OA-3.4, OA-D44"),
    ROW("INTR_IDENTITY1", 0x64, INTR_IDENTITY1, 0, identity_fields, "shared IIR of DW1's selected engine", "OA-3.4, OA-D44"),
    ROW("IIR_REG_SELECTOR0", 0x70, INTR_SELECTOR0, 0, dw0_fields, "one bit of DW0: the engine to service next", "OA-3.5, OA-D44"),
    ROW("IIR_REG_SELECTOR1", 0x74, INTR_SELECTOR1, 0, dw1_fields, "one bit of DW1: the engine to service next", "OA-3.5, OA-D44"),
    MASK("RCS0_RSVD_INTR_MASK", 0x90, RCS0_RSVD_MASK, rcs0_fields),
    MASK("BCS_RSVD_INTR_MASK", 0xa0, BCS_RSVD_MASK, bcs_fields),
    MASK("VCS0_VCS1_INTR_MASK", 0xa8, VCS0_VCS1_MASK, vcs0_vcs1_fields),
    MASK("VCS2_VCS3_INTR_MASK", 0xac, VCS2_VCS3_MASK, vcs2_vcs3_fields),
    MASK("VECS0_VECS1_INTR_MASK", 0xd0, VECS0_VECS1_MASK, vecs0_vecs1_fields),
    MASK("GUC_SG_INTR_MASK", 0xe8, GUC_SG_MASK, guc_sg_fields),
    MASK("GPM_WGBOXPERF_INTR_MASK", 0xec, GPM_WGBOXPERF_MASK, gpm_perf_fields),
    MASK("CRYPTO_RSVD_INTR_MASK", 0xf0, CRYPTO_RSVD_MASK, crypto_fields),
    MASK("GUNIT_CSME_INTR_MASK", 0xf4, GUNIT_CSME_MASK, gunit_csme_fields),
};

// clang-format on

const struct reg_map gt_interrupts_map = {
    .name = "lkf-interrupts",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0x190000,
    .size = 0x100,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};

bool gt_interrupts_find(uint32_t address, enum reg_access access, struct reg_place *out)
{
    return reg_find(&gt_interrupts_map, GT_GEN11_UP, UINT_MAX, address, access, out);
}
