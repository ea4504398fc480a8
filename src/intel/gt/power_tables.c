/* SPDX-License-Identifier: MIT */
/*
 * What power-down and resets do to registers, a table for each generation (OA-2.14, OA-14.1,
 * OA-14.2). Sources: documents 000 (HSW and before), 002 (BDW, CHV) and 004 (LKF). What they do not
 * state is "assumed", with the rows of the next generation that states it.
 */
#include "base/bits.h"
#include "intel/gt/power.h"
#include "intel/symbols.h"

// clang-format off

static const struct gt_power_span a_spans[] = {{GEN8_OAPERF_A, REG_LAST(GEN8_OAPERF_A32), 0}, {0}};
static const struct gt_power_span b_spans[] = {{GEN8_OAPERF_B, REG_LAST(GEN8_OAPERF_B), 0}, {0}};
static const struct gt_power_span c_spans[] = {{GEN8_OAPERF_C, REG_LAST(GEN8_OAPERF_C), 0}, {0}};
static const struct gt_power_span free_spans[] = {{GEN9_OAPERF_FREE, REG_LAST(GEN9_OAPERF_FREE_UPPER), 0}, {0}};
static const struct gt_power_span ticks_spans[] = {{GEN8_GPU_TICKS, GEN8_GPU_TICKS, 0}, {0}};
static const struct gt_power_span timestamp_spans[] = {{RING_TIMESTAMP, RING_TIMESTAMP_UDW, 0}, {0}};
static const struct gt_power_span flex_spans[] = {
    {EU_PERF_CNT_CTL0, EU_PERF_CNT_CTL4, 0}, {EU_PERF_CNT_CTL1, EU_PERF_CNT_CTL5, 0},
    {EU_PERF_CNT_CTL2, EU_PERF_CNT_CTL6, 0}, {EU_PERF_CNT_CTL3, EU_PERF_CNT_CTL3, 0}, {0},
};
static const struct gt_power_span context_spans[] = {{GEN8_OACTXCONTROL, GEN8_OACTXID, 0}, {0}};
static const struct gt_power_span buffer_spans[] = {{GEN8_OABUFFER_UDW, GEN8_OABUFFER_UDW, 0}, {0}};
static const struct gt_power_span control_spans[] = {
    {GEN8_OACONTROL, GEN8_OACONTROL, 0},
    {GEN8_OASTATUS, GEN8_OABUFFER, 0}, {GEN8_OA_IMR, GEN8_OA_IMR, REG_RESET(GEN8_OA_IMR)}, {0},
};
static const struct gt_power_span debug_spans[] = {{GEN9_OA_DEBUG, GEN9_OA_DEBUG, 0}, {0}};
static const struct gt_power_span trigger_spans[] = {
    {OASTARTTRIG1, OASTARTTRIG8, 0}, {OAREPORTTRIG1, OAREPORTTRIG8, 0}, {CEC_0, REG_LAST(CEC_1), 0}, {0},
};
static const struct gt_power_span noa_spans[] = {
    {OA_PERFCNT1_LO, OA_PERFCNT4_HI, 0}, {GDT_CHICKEN_BITS, GDT_CHICKEN_BITS, 0},
    {GEN11_NOA_WRITE_HIGH, HSW_NOA_WRITE, 0}, {0},
};
static const struct gt_power_span render_noa_spans[] = {{HALF_SLICE_CHICKEN2, HALF_SLICE_CHICKEN2, 0}, {0}};
static const struct gt_power_span steering_spans[] = {{MGSR_STEERING, MGSR_STEERING, REG_RESET(MGSR_STEERING)}, {0}};
static const struct gt_power_span fuse_spans[] = {{FUSE_GT_L3_DISABLE, FUSE_GT_L3_DISABLE, 0}, {FUSE_GT_EU_DIS, FUSE_GT_VDBOX_VEBOX_DIS, 0}, {0}};
static const struct gt_power_span interrupt_spans[] = {{GEN11_GFX_MSTR_INTR, GEN11_GUNIT_CSME_INTR_MASK, 0}, {0}};
static const struct gt_power_span wake_spans[] = {
    {FORCEWAKE_ACK_VDBOX_GEN11, REG_LAST(FORCEWAKE_ACK_VEBOX_GEN11), 0},
    {FORCEWAKE_ACK_RENDER_GEN9, FORCEWAKE_ACK_RENDER_GEN9, 0}, {FORCEWAKE_GT, FORCEWAKE_GT, 0},
    {FORCEWAKE_REQ_MEDIA, FORCEWAKE_REQ_RENDER, 0}, {FORCEWAKE_STATUS, FORCEWAKE_STATUS, 0},
    {FORCEWAKE_VDBOX_GEN11, REG_LAST(FORCEWAKE_VEBOX_GEN11), 0},
    {FORCEWAKE_ACK_GT_HSW, FORCEWAKE_ACK_GT_HSW, 0}, {0},
};

static const struct gt_power_span oag_a_spans[] = {{GEN12_OAG_OAPERF_A, REG_LAST(GEN12_OAG_OAPERF_A32), 0}, {0}};
static const struct gt_power_span oag_b_spans[] = {{GEN12_OAG_OAPERF_B, REG_LAST(GEN12_OAG_OAPERF_B), 0}, {0}};
static const struct gt_power_span oag_c_spans[] = {{GEN12_OAG_OAPERF_C, REG_LAST(GEN12_OAG_OAPERF_C), 0}, {0}};
static const struct gt_power_span oag_ticks_spans[] = {{GEN12_OAG_GPU_TICKS, GEN12_OAG_GPU_TICKS, 0}, {0}};
static const struct gt_power_span oar_spans[] = {
    {RING_CONTEXT_CONTROL, RING_CONTEXT_CONTROL, 0}, {GEN12_OACTXCONTROL, GEN12_OACTXCONTROL, 0},
    {GEN12_OAR_OAPERF_A, REG_LAST(GEN12_OAR_OAPERF_A32), 0}, {GEN12_OAR_OAPERF_B, GEN12_OAR_OACONTROL, 0},
    {GEN12_OAR_OASTATUS, GEN12_OAR_OASTATUS, 0}, {0},
};
static const struct gt_power_span oag_control_spans[] = {
    {GEN12_OA_IMR, GEN12_OA_IMR, REG_RESET(GEN12_OA_IMR)}, {GEN12_OAG_OAGLBCTXCTRL, GEN12_OAG_OA_PESS, 0},
    {GEN12_OAG_OACONTROL, GEN12_OAG_OACONTROL, 0}, {GEN12_OAG_OASTATUS, GEN12_OAG_OABUFFER, 0}, {0},
};
static const struct gt_power_span oag_debug_spans[] = {{GEN12_OAG_OA_DEBUG, GEN12_OAG_OA_DEBUG, 0}, {0}};
static const struct gt_power_span oag_trigger_spans[] = {{GEN12_OAG_OASTARTTRIG1, REG_LAST(GEN12_OAG_CEC_1), 0}, {0}};
static const struct gt_power_span oag_scec_spans[] = {{GEN12_OAG_SCEC_0, GEN12_OAG_OAA_DBG, 0}, {0}};
static const struct gt_power_span gen12_noa_spans[] = {
    {SQCNT1, SQCNT1, 0}, {GDT_CHICKEN_BITS, GDT_CHICKEN_BITS, 0},
    {GEN11_NOA_WRITE_HIGH, HSW_NOA_WRITE, 0}, {OA_TLB_INV_CR, OA_TLB_INV_CR, 0}, {0},
};

/* SNB, IVB and VLV show no counters in MMIO. */
static const struct gt_power_span no_spans[] = {{0}};
static const struct gt_power_span hsw_a_spans[] = {{HSW_OAPERF_A, REG_LAST(HSW_OAPERF_A), 0}, {0}};
static const struct gt_power_span hsw_b_spans[] = {{HSW_OAPERF_B, REG_LAST(HSW_OAPERF_B), 0}, {0}};
/* Status comes last: it sets the wrap flags, which writes of the pointers change. */
static const struct gt_power_span gen6_spans[] = {
    {GEN7_OACONTROL, GEN7_OACONTROL, 0}, {GEN7_OASTATUS1, GEN7_OASTATUS1, 0}, {GEN7_OASTATUS2, GEN7_OASTATUS2, 0},
    {GEN6_OANOASELECT, GEN6_OANOASELECT, 0}, {GEN6_OAREPORTTRIG4, GEN6_OAREPORTTRIG1, 0}, {GEN6_OASTARTTRIG4, GEN6_OASTARTTRIG1, 0},
    {GEN6_CEC_0, REG_LAST(GEN6_CEC_1), 0}, {GEN7_OABUFFER, GEN7_OABUFFER, 0}, {0},
};
static const struct gt_power_span gen7_spans[] = {
    {GEN7_OACONTROL, GEN7_OACONTROL, 0}, {GEN7_OASTATUS1, GEN7_OASTATUS1, 0}, {GEN7_OASTATUS2, GEN7_OASTATUS2, 0},
    {GEN6_OAREPORTTRIG4, GEN6_OAREPORTTRIG1, 0}, {GEN6_OASTARTTRIG4, GEN6_OASTARTTRIG1, 0},
    {GEN6_CEC_0, REG_LAST(GEN6_CEC_1), 0}, {GEN7_OABUFFER, GEN7_OABUFFER, 0}, {0},
};
static const struct gt_power_span hsw_spans[] = {
    {GEN7_OACONTROL, GEN7_OACONTROL, 0}, {GEN7_OASTATUS1, GEN7_OASTATUS1, 0}, {GEN7_OASTATUS2, GEN7_OASTATUS2, 0},
    {GEN7_OABUFFER, GEN7_OABUFFER, 0}, {OASTARTTRIG1, OASTARTTRIG8, 0}, {OAREPORTTRIG1, OAREPORTTRIG8, 0}, {CEC_0, REG_LAST(CEC_1), 0}, {0},
};
static const struct gt_power_span hsw_noa_spans[] = {
    {OA_PERFCNT1_LO, OA_PERFMATRIX_HI, 0}, {GDT_CHICKEN_BITS, GDT_CHICKEN_BITS, 0}, {HSW_NOA_WRITE, HSW_NOA_WRITE, 0},
    {HSW_MBVID2_NOA, HSW_MBVID2_MISR0, 0}, {HALF_SLICE_CHICKEN2, HALF_SLICE_CHICKEN2, 0}, {0},
};
static const struct gt_power_span gen8_noa_spans[] = {
    {OA_PERFCNT1_LO, OA_PERFMATRIX_HI, 0}, {GDT_CHICKEN_BITS, GDT_CHICKEN_BITS, 0}, {HSW_NOA_WRITE, HSW_NOA_WRITE, 0}, {0},
};

/* Units of slices, subslices and L3 banks (OA-14.3). */
static const struct gt_power_span gen7_unit_spans[] = {
    {GEN7_COMMON_SLICE_CHICKEN1, GEN7_COMMON_SLICE_CHICKEN1, 0}, {GEN7_HALF_SLICE_CHICKEN1, GEN7_HALF_SLICE_CHICKEN1, 0},
    {GEN7_ROW_CHICKEN2, GEN7_ROW_CHICKEN2, 0}, {0},
};
static const struct gt_power_span gen8_unit_spans[] = {
    {GEN7_COMMON_SLICE_CHICKEN1, COMMON_SLICE_CHICKEN2, 0}, {HDC_CHICKEN0, HDC_CHICKEN0, 0}, {GEN8_L3SQCREG1, GEN8_L3SQCREG1, 0},
    {GEN8_L3SQCREG4, GEN8_L3SQCREG4, 0}, {GEN7_HALF_SLICE_CHICKEN1, GEN7_HALF_SLICE_CHICKEN1, 0}, {GEN8_ROW_CHICKEN, GEN7_ROW_CHICKEN2, 0}, {0},
};
static const struct gt_power_span gen9_unit_spans[] = {
    {GEN7_COMMON_SLICE_CHICKEN1, COMMON_SLICE_CHICKEN2, 0}, {HDC_CHICKEN0, HDC_CHICKEN0, 0},
    {GEN9_SLICE_COMMON_ECO_CHICKEN0, GEN9_SLICE_COMMON_ECO_CHICKEN0, 0}, {GEN9_SLICE_COMMON_ECO_CHICKEN1, GEN9_SLICE_COMMON_ECO_CHICKEN1, 0},
    {GEN8_GARBCNTL, GEN9_SCRATCH_LNCF1, 0}, {GEN9_LNCFCMOCS, REG_LAST(GEN9_LNCFCMOCS), 0},
    {GEN8_L3SQCREG1, GEN8_L3SQCREG1, 0}, {GEN8_L3SQCREG4, GEN9_SCRATCH1, 0},
    {GEN7_HALF_SLICE_CHICKEN1, GEN7_HALF_SLICE_CHICKEN1, 0}, {GEN8_ROW_CHICKEN, GEN7_ROW_CHICKEN2, 0}, {0},
};
static const struct gt_power_span gen11_unit_spans[] = {
    {GEN7_COMMON_SLICE_CHICKEN1, COMMON_SLICE_CHICKEN2, 0}, {HDC_CHICKEN0, GEN9_SLICE_COMMON_ECO_CHICKEN0, 0},
    {GEN9_SLICE_COMMON_ECO_CHICKEN1, GEN9_SLICE_COMMON_ECO_CHICKEN1, 0}, {SLICE_UNIT_LEVEL_CLKGATE, SLICE_UNIT_LEVEL_CLKGATE, 0},
    {SCCGCTL94DC, SCCGCTL94DC, 0}, {SUBSLICE_UNIT_LEVEL_CLKGATE, SUBSLICE_UNIT_LEVEL_CLKGATE2, 0},
    {GEN8_GARBCNTL, GEN9_SCRATCH_LNCF1, 0}, {GEN9_LNCFCMOCS, REG_LAST(GEN9_LNCFCMOCS), 0},
    {GEN8_L3SQCREG1, GEN8_L3SQCREG1, 0}, {GEN10_L3_CHICKEN_MODE_REGISTER, GEN9_SCRATCH1, 0}, {GEN11_SCRATCH2, GEN11_SCRATCH2, 0},
    {GEN7_HALF_SLICE_CHICKEN1, GEN7_HALF_SLICE_CHICKEN1, 0}, {GEN10_SAMPLER_MODE, GEN10_SAMPLER_MODE, 0}, {GEN8_ROW_CHICKEN, GEN7_ROW_CHICKEN2, 0}, {0},
};
/* Units of media (OA-14.4). */
static const struct gt_power_span media0_spans[] = {
    {VCS_SFC_FORCED_LOCK_VDBOX0, VCS_SFC_FORCED_LOCK_VDBOX0, 0}, {VDBOX_CGCTL3F10_VDBOX0, VDBOX_CGCTL3F10_VDBOX0, 0},
    {VDBOX_CGCTL3F18_VDBOX0, VDBOX_CGCTL3F1C_VDBOX0, 0}, {VECS_SFC_FORCED_LOCK_VEBOX0, VECS_SFC_FORCED_LOCK_VEBOX0, 0}, {0},
};
static const struct gt_power_span media1_spans[] = {
    {VCS_SFC_FORCED_LOCK_VDBOX2, VCS_SFC_FORCED_LOCK_VDBOX2, 0}, {VDBOX_CGCTL3F10_VDBOX2, VDBOX_CGCTL3F10_VDBOX2, 0},
    {VDBOX_CGCTL3F18_VDBOX2, VDBOX_CGCTL3F1C_VDBOX2, 0}, {0},
};

#define COUNTER(name, spans, kind, well, down, source) \
    {name, spans, GT_COUNTER_##kind, GT_WELL_##well, GT_RETENTION_##down, {GT_RETENTION_KEPT, GT_RETENTION_LOST, GT_RETENTION_LOST}, NULL, source}
#define REGISTERS(name, spans, well, down, source) COUNTER(name, spans, KINDS, well, down, source)
/* Nothing resets it but a reset of the chip. */
#define TIMESTAMP \
    {"TIMESTAMP", timestamp_spans, GT_COUNTER_TIMESTAMP, GT_WELL_NONE, GT_RETENTION_KEPT, {GT_RETENTION_KEPT, GT_RETENTION_KEPT, GT_RETENTION_LOST}, NULL, "OA-1.6, OA-D46"}
/* In the always-on part; another model resets them, or nothing does (fuses). */
#define ALWAYS_ON(name, spans, last, model, source) \
    {name, spans, GT_COUNTER_KINDS, GT_WELL_NONE, GT_RETENTION_KEPT, {GT_RETENTION_KEPT, GT_RETENTION_##last, GT_RETENTION_##last}, model, source}

/* Groups that Gen11 and Gen12 share. */
#define OUTSIDE_OA \
    REGISTERS("units of render", gen11_unit_spans, RENDER, SAVED, "OA-14.3"), \
    REGISTERS("units of media slice 0", media0_spans, MEDIA, LOST, "OA-14.4"), \
    {"units of media slice 1", media1_spans, GT_COUNTER_KINDS, GT_WELL_MEDIA1, GT_RETENTION_LOST, {GT_RETENTION_KEPT, GT_RETENTION_LOST, GT_RETENTION_LOST}, NULL, "OA-14.4"}, \
    ALWAYS_ON("steering", steering_spans, LOST, "gt_routing_reset", "OA-4.5, OA-D46"), \
    ALWAYS_ON("fuses", fuse_spans, KEPT, "gt_routing_init", "OA-4.5"), \
    ALWAYS_ON("interrupts", interrupt_spans, LOST, "gt_interrupts_reset", "OA-D46"), \
    ALWAYS_ON("force wake", wake_spans, LOST, "gt_forcewake_reset", "OA-D46")

/* Document 000 has no power context before Haswell: OA-14.2. */
static const struct gt_power_group snb[] = {
    COUNTER("A counters", no_spans, A, GT, LOST, "000, OA-14.2"),
    COUNTER("B counters", no_spans, B, GT, LOST, "000, OA-14.2"),
    COUNTER("C counters", no_spans, C, GT, LOST, "000, OA-14.2"),
    TIMESTAMP,
    REGISTERS("OA", gen6_spans, GT, LOST, "000, OA-14.2"),
};

static const struct gt_power_group ivb[] = {
    COUNTER("A counters", no_spans, A, GT, LOST, "000, OA-14.2"),
    COUNTER("B counters", no_spans, B, GT, LOST, "000, OA-14.2"),
    COUNTER("C counters", no_spans, C, GT, LOST, "000, OA-14.2"),
    TIMESTAMP,
    REGISTERS("OA", gen7_spans, GT, LOST, "000, OA-14.2"),
    REGISTERS("units of render", gen7_unit_spans, GT, SAVED, "OA-14.3"),
};

/* The OA unit is in the range of render's force wake, 2000h to 3FFFh. */
static const struct gt_power_group vlv[] = {
    COUNTER("A counters", no_spans, A, RENDER, LOST, "000, OA-14.2"),
    COUNTER("B counters", no_spans, B, RENDER, LOST, "000, OA-14.2"),
    COUNTER("C counters", no_spans, C, RENDER, LOST, "000, OA-14.2"),
    TIMESTAMP,
    REGISTERS("OA", gen7_spans, RENDER, LOST, "000, OA-14.2"),
    /* assumed: all of them, also those beyond render's ranges */
    REGISTERS("units of render", gen7_unit_spans, RENDER, SAVED, "OA-14.3"),
};

/* Document 000: OAPERF_A0 to A44 and B0 to B7 are in the power context. The rest is assumed to be as on
 * Lakefield: HSW is to count with RC6 enabled. */
static const struct gt_power_group hsw[] = {
    COUNTER("OAPERF_A", hsw_a_spans, A, GT, SAVED, "000, Performance Statistics Registers"),
    COUNTER("OAPERF_B", hsw_b_spans, B, GT, SAVED, "000, Performance Statistics Registers"),
    COUNTER("C counters", no_spans, C, GT, SAVED, "OA-E37; assumed for HSW"),
    TIMESTAMP,
    REGISTERS("OA", hsw_spans, GT, SAVED, "assumed: 004, Performance Event Counting"),
    REGISTERS("NOA", hsw_noa_spans, GT, LOST, "assumed: 004, DFD Configuration Restore"),
    REGISTERS("units of render", gen7_unit_spans, GT, SAVED, "OA-14.3"),
};

#define GEN8_COUNTERS(well) \
    COUNTER("OAPERF_A", a_spans, A, well, SAVED, "002, Performance Counter Registers"), \
    COUNTER("OAPERF_B", b_spans, B, well, SAVED, "002, Performance Counter Registers"), \
    COUNTER("OAPERF_C", c_spans, C, well, SAVED, "OA-E37"), \
    COUNTER("GPU_TICKS", ticks_spans, TICKS, well, KEPT, "OA-2.7")
/* 002 lists counters only. */
#define GEN8_REST(well, render) \
    TIMESTAMP, \
    REGISTERS("EU_PERF_CNT_CTL", flex_spans, render, SAVED, "assumed: 004, Performance Counter Registers"), \
    REGISTERS("OACTXCONTROL, OACTXID", context_spans, render, CONTEXT, "OA-1.3"), \
    REGISTERS("OABUFFER_UDW", buffer_spans, render, SAVED, "assumed: 004, Performance Event Counting"), \
    REGISTERS("OA control", control_spans, well, SAVED, "assumed: 004, Performance Event Counting"), \
    REGISTERS("OA triggers, CEC", trigger_spans, well, SAVED, "assumed: 004, Performance Event Counting"), \
    REGISTERS("NOA, in GTI", gen8_noa_spans, GT, LOST, "assumed: 004, DFD Configuration Restore"), \
    REGISTERS("NOA, in render", render_noa_spans, render, LOST, "assumed: 004, DFD Configuration Restore")

static const struct gt_power_group bdw[] = {
    GEN8_COUNTERS(GT),
    GEN8_REST(GT, GT),
    REGISTERS("units of render", gen8_unit_spans, GT, SAVED, "OA-14.3"),
};

/* The OA unit is in the range of render's force wake, 2000h to 3FFFh. */
static const struct gt_power_group chv[] = {
    GEN8_COUNTERS(RENDER),
    GEN8_REST(RENDER, RENDER),
    REGISTERS("units of render", gen8_unit_spans, RENDER, SAVED, "OA-14.3"),
};

static const struct gt_power_group skl[] = {
    GEN8_COUNTERS(GT),
    COUNTER("OAPERF_FREE", free_spans, FREE, GT, SAVED, "assumed: 004, Performance Counter Registers"),
    REGISTERS("OA_DEBUG", debug_spans, GT, LOST, "OA-2.14"),
    GEN8_REST(GT, RENDER),
    REGISTERS("units of render", gen9_unit_spans, RENDER, SAVED, "OA-14.3"),
};

/* Gen11. Document 004 is Lakefield's; Ice Lake's OA unit is the same. */
#define GEN11(stated) \
    COUNTER("OAPERF_A", a_spans, A, GT, SAVED, stated "004, Performance Counter Registers"), \
    COUNTER("OAPERF_B", b_spans, B, GT, SAVED, stated "004, Performance Counter Registers"), \
    /* The document's list of saved registers ends at B7; OA-2.14 includes all of OAPERF. */ \
    COUNTER("OAPERF_C", c_spans, C, GT, SAVED, "OA-E37"), \
    COUNTER("OAPERF_FREE", free_spans, FREE, GT, SAVED, stated "004, Performance Counter Registers"), \
    COUNTER("GPU_TICKS", ticks_spans, TICKS, GT, KEPT, "OA-2.7, OA-D46"), \
    TIMESTAMP, \
    REGISTERS("EU_PERF_CNT_CTL", flex_spans, RENDER, SAVED, stated "004, Performance Counter Registers"), \
    REGISTERS("OACTXCONTROL, OACTXID", context_spans, RENDER, CONTEXT, "OA-1.3, OA-D46"), \
    /* Not in the list, but document 004 states that counting works across RC6 (our reading). */ \
    REGISTERS("OABUFFER_UDW", buffer_spans, RENDER, SAVED, "OA-2.7, OA-2.14, OA-D46"), \
    REGISTERS("OA control", control_spans, GT, SAVED, "OA-2.7, OA-2.14, OA-D46"), \
    REGISTERS("OA_DEBUG", debug_spans, GT, LOST, "OA-2.14, OA-D46"), \
    REGISTERS("OA triggers, CEC", trigger_spans, GT, SAVED, "OA-2.7, OA-2.14, OA-D46"), \
    REGISTERS("NOA, in GTI", noa_spans, GT, LOST, stated "004, DFD Configuration Restore"), \
    REGISTERS("NOA, in render", render_noa_spans, RENDER, LOST, stated "004, DFD Configuration Restore"), \
    OUTSIDE_OA

static const struct gt_power_group lkf[] = {GEN11("")};
static const struct gt_power_group icl[] = {GEN11("assumed: ")};

/* OAG's and OAR's groups are assumed to be retained as Lakefield's are. */
static const struct gt_power_group tgl[] = {
    COUNTER("OAG_OAPERF_A", oag_a_spans, A, GT, SAVED, "assumed: 004, Performance Counter Registers"),
    COUNTER("OAG_OAPERF_B", oag_b_spans, B, GT, SAVED, "assumed: 004, Performance Counter Registers"),
    COUNTER("OAG_OAPERF_C", oag_c_spans, C, GT, SAVED, "OA-E37"),
    COUNTER("OAG_GPU_TICKS", oag_ticks_spans, TICKS, GT, KEPT, "OA-2.7, OA-D46"),
    TIMESTAMP,
    REGISTERS("EU_PERF_CNT_CTL", flex_spans, RENDER, SAVED, "assumed: 004, Performance Counter Registers"),
    /* Part of the context, as OACTXCONTROL of Gen11 is. */
    REGISTERS("OAR", oar_spans, RENDER, CONTEXT, "PERF-5.4; PERF-1.3, OA-D46"),
    REGISTERS("OAG control", oag_control_spans, GT, SAVED, "OA-2.7, OA-2.14, OA-D46"),
    REGISTERS("OAG_OA_DEBUG", oag_debug_spans, GT, LOST, "OA-2.14, OA-D46"),
    REGISTERS("OAG triggers, CEC", oag_trigger_spans, GT, SAVED, "OA-2.7, OA-2.14, OA-D46"),
    REGISTERS("OAG SCEC", oag_scec_spans, RENDER, SAVED, "OA-2.7, OA-2.14, OA-D46"),
    REGISTERS("NOA, in GTI", gen12_noa_spans, GT, LOST, "assumed: 004, DFD Configuration Restore"),
    OUTSIDE_OA,
};

// clang-format on

#define TABLE(name)                                                                                \
    {                                                                                              \
        name, ARRAY_COUNT(name)                                                                    \
    }

const struct gt_power_group *gt_power_groups(enum intel_revision revision, size_t *count)
{
    static const struct {
        const struct gt_power_group *groups;
        size_t count;
    } tables[INTEL_REVISIONS] = {
        [INTEL_SNB] = TABLE(snb), [INTEL_IVB] = TABLE(ivb), [INTEL_VLV] = TABLE(vlv),
        [INTEL_HSW] = TABLE(hsw), [INTEL_BDW] = TABLE(bdw), [INTEL_CHV] = TABLE(chv),
        [INTEL_SKL] = TABLE(skl), [INTEL_ICL] = TABLE(icl), [INTEL_LKF] = TABLE(lkf),
        [INTEL_TGL] = TABLE(tgl)};
    *count = tables[revision].count;
    return tables[revision].groups;
}
