/* SPDX-License-Identifier: MIT */
/*
 * The platform table. Sources of the first line of a row: OA-7 (EUs, clocks); PERF-1.7 (topology),
 * PERF-2.3 (timestamps), PERF-4.1 (formats). EUs, threads, device and clock range are those of the
 * common SKU (skus.def); recordings store the actual ones. The macros below name the sources of the
 * rest.
 */
#include "intel/platforms.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "intel/skus.h"
#include "intel/symbols.h"

/* PERF-4.1: values of enum drm_i915_oa_format that the driver accepts. */
#define FORMATS(first, last) ((2u << (last)) - (1u << (first)))
#define HSW_FORMATS          FORMATS(1, 7)
#define GEN8_FORMATS         FORMATS(7, 10)
#define DG2_FORMATS          FORMATS(11, 12)
#define MTL_FORMATS          FORMATS(11, 14)

#define THREADS(sku) sku##_THREADS
#define COMMON(sku)  sku##_EUS, sku##_DEVICE, sku##_MIN_MHZ, sku##_MAX_MHZ

#define GEN6  TALLY_REPORT_ID_GEN6
#define GEN8  TALLY_REPORT_ID_GEN8
#define GEN9  TALLY_REPORT_ID_GEN9
#define GEN12 TALLY_REPORT_ID_GEN12

// clang-format off

/* OACTXCONTROL and the flexible registers: PERF-5.2. OAR's control: PERF-5.4. Context status:
 * OA-12.1. */
static const struct intel_context_image
    image_bdw = {.form = IMAGE_BDW, .oactxcontrol = 0x120, .flex = 0x2ce, .pages = 1},
    image_skl = {.form = IMAGE_SKL, .oactxcontrol = 0x128, .flex = 0x3de, .pages = 1},
    image_icl = {.form = IMAGE_ICL, .oactxcontrol = 0x124, .flex = 0x78e, .pages = 2, .relative = true, .status = CONTEXT_STATUS_12},
    image_tgl = {.form = IMAGE_TGL, .oactxcontrol = 0x144, .oar_control = 0x5b0, .pages = 2, .relative = true, .status = CONTEXT_STATUS_SWITCHES};

const uint32_t flex_registers[FLEX_REGISTERS] = {
    EU_PERF_CNT_CTL0, EU_PERF_CNT_CTL1, EU_PERF_CNT_CTL2, EU_PERF_CNT_CTL3,
    EU_PERF_CNT_CTL4, EU_PERF_CNT_CTL5, EU_PERF_CNT_CTL6};

/* Without a model, the revision is that of the command streamer's registers. */
#define REGISTERS(name) .revision = INTEL_##name
#define NO_REGISTERS    .revision = INTEL_REVISIONS

/* A counters: OA-2.13. Subslice mask: PERF-9.2. */
#define EQUATIONS(kind, bits) .aggregates = AGGREGATES_##kind, .subslice_mask_bits = (bits)

/* Haswell's reply has the dimensions of its SKU (PERF-1.7). */
#define SKU_TOPOLOGY .sku_topology = true

/* Addresses: the command tables (cs/commands.c). Submission: the public i915 driver. */
#define RING  .submission = SUBMISSION_RING
#define PORT  .submission = SUBMISSION_PORT, .wide_addresses = true, .pipeline = PIPELINE_GEN8
#define FOUR_LEVELS .pages = PAGES_GEN8
#define QUEUE .submission = SUBMISSION_QUEUE, .wide_addresses = true, .pipeline = PIPELINE_GEN8, .pages = PAGES_GEN8
#define GEN7_PIPELINE .pipeline = PIPELINE_GEN7
#define KILLS_TWICE .kills_count_twice = true /* document 000 */
#define INVOCATIONS_BY_4 .ps_invocations_by_4 = true /* the public drivers' workaround for HSW, BDW, CHV */
#define CORRUPTS_IDS .corrupts_report_id = true /* [P15B] */

/* The OA unit (oa/variants.c). */
#define MODEL(variant) .oa = &(variant)

/* Interrupts before the tree: the public i915 driver. Steering and the tree: the document of
 * Lakefield (OA-3, OA-4); Ice Lake's and Tiger Lake's are assumed to be the same. */
#define GT_FLAT    .interrupts = INTERRUPTS_FLAT, RC6_UNITS, .media_turbo = true
#define GT_STEERED .interrupts = INTERRUPTS_TREE, .steering = true, RC6_UNITS, THIRDS
/* Counters of RC6 (OA-16.12): units of 1.28 us, on VLV and CHV clocks of the CZ clock, the "clock of
 * the power unit" of gt/sideband_units.def. */
#define RC6_UNITS .residency_hz = 781250
#define GT_CZ(hz) .interrupts = INTERRUPTS_FLAT, .residency_hz = (hz), .media_turbo = true
/* Steps of the clock, in 200 MHz (OA-16.14): 50 MHz, from Gen9 on 50/3 MHz; of the PLL's reference on VLV,
 * of half of it on CHV. */
#define FIFTIES .clock_steps = 4
#define THIRDS  .clock_steps = 12
#define PLL(n)  .clock_steps = (n)
/* Configuration space: data/pci/README.md. */
#define PCI(layout) .pci = PCI_##layout
/* OA-2.14; derived for OAG and OAR. */
#define DOCUMENTED_POWER .documented_power = true

/* PERF-2.11 (context ids), PERF-4.6 (context valid), PERF-5.2 (NOA enable; R_PWR_CLK_STATE);
 * GGTT, LLC, its coherence, EXEC_SECURE, CONTEXT_PARAM_SSEU, command parser, preemption and PMU: the public i915 driver. */
#define DRIVER(ggtt, valid, context_tag, fields) \
    .ggtt_bits = (ggtt), .context_valid = (valid), .tag = context_tag, .power_state = POWER_STATE_##fields
#define NO_ID      0
#define VALID(set) REG_MASK(set, CONTEXT_VALID)
#define TAG_NONE {0, 0}
#define TAG_21   {REG_MASK(GEN8_CTX_DESCRIPTOR_UDW, ID), REG_MASK(GEN8_CTX_DESCRIPTOR_UDW, ID)}
#define TAG_11   {REG_PUT(GEN11_CTX_DESCRIPTOR_UDW, SW_ID, 0x7fe), REG_MASK(GEN11_CTX_DESCRIPTOR_UDW, SW_ID)}
#define BIG_CORE .llc = true, .actual_frequency = true
#define SECURE   .secure_batches = true
#define COHERENT .coherent_ggtt = true
#define PREEMPTS .preempts = true
#define ENDLESS_RENDER .endless_render = true
#define OWN_GPRS .own_gprs = true
#define HUC                  .huc = true
#define PARSED   .parses_batches = true
#define RPM_NOA  .noa_on_by_rpm_config1 = true
#define CLIENT_SSEU  .client_sseu = true
#define IMAGE(which) .image = &(which)
/* Neither Linux's nor libdrm's list of PCI ids has Lakefield's; Mesa's table has it as an Ice Lake
 * GPU of low power. */
#define DRIVEN_AS(row) .driver_row = (row)

/*
 * Rocket Lake, DG1 and Alder Lake have Tiger Lake's OA unit, registers, formats and topology shape
 * (PERF-1.7, PERF-2.3, PERF-4.1, PERF-5.3: "TGL, RKL, DG1, ADL"). Assumed: the registers of the GT,
 * the context image and power are Tiger Lake's too; no LLC on DG1, which is a discrete GPU.
 */
static const struct intel_platform platforms[] = {
/*           name   title          layouts version identity fmt accepted  threads shift max s, ss, eu  EUs, device, MHz  timestamp */
    {.info = {"snb", "Sandy Bridge",  "snb",   60, GEN6,   0, 0,            THREADS(SNB_GT2), 0,  1,  1, 12, COMMON(SNB_GT2), 12500000},
     REGISTERS(SNB), SKU_TOPOLOGY, EQUATIONS(SNB, 3), RING, KILLS_TWICE, MODEL(oa_snb), GT_FLAT, FIFTIES, PCI(SNB),
     BIG_CORE, DRIVER(31, NO_ID, TAG_NONE, NONE), SECURE, COHERENT, PARSED},
    {.info = {"ivb", "Ivy Bridge",    "ivb",   70, GEN6,   0, 0,            THREADS(IVB_GT2), 0,  1,  1, 16, COMMON(IVB_GT2), 12500000},
     REGISTERS(IVB), SKU_TOPOLOGY, EQUATIONS(IVB, 3), RING, GEN7_PIPELINE, .hiz_passes_missed = true, KILLS_TWICE, MODEL(oa_ivb), GT_FLAT, FIFTIES, PCI(SNB),
     BIG_CORE, DRIVER(31, NO_ID, TAG_NONE, NONE), SECURE, COHERENT, PARSED},
    {.info = {"vlv", "Valleyview",    "ivb",   70, GEN6,   0, 0,            THREADS(VLV_GT), 0,  1,  1,  4, COMMON(VLV_GT), 12500000},
     REGISTERS(VLV), SKU_TOPOLOGY, EQUATIONS(IVB, 3), RING, GEN7_PIPELINE, KILLS_TWICE, MODEL(oa_vlv), GT_CZ(333333333), PLL(9), PCI(VLV),
     DRIVER(31, NO_ID, TAG_NONE, NONE), SECURE, PARSED},
    {.info = {"hsw", "Haswell",       "hsw",   75, GEN6,   5, HSW_FORMATS,  THREADS(HSW_GT2), 0,  2,  2, 10, COMMON(HSW_GT2), 12500000},
     REGISTERS(HSW), SKU_TOPOLOGY, EQUATIONS(IVB, 3), RING, GEN7_PIPELINE, INVOCATIONS_BY_4, MODEL(oa_hsw), GT_FLAT, FIFTIES, PCI(SNB),
     BIG_CORE, DRIVER(31, NO_ID, TAG_NONE, NONE), SECURE, COHERENT, PARSED, .filters_in_unit = true, .pages = PAGES_HSW},
    {.info = {"bdw", "Broadwell",     "gen8",  80, GEN8,  10, GEN8_FORMATS,  THREADS(BDW_GT2), 0,  3,  3,  8, COMMON(BDW_GT2), 12500000},
     REGISTERS(BDW), EQUATIONS(FLEXIBLE, 3), PORT, FOUR_LEVELS, CORRUPTS_IDS, INVOCATIONS_BY_4, MODEL(oa_bdw), GT_FLAT, FIFTIES, PCI(BDW),
     BIG_CORE, DRIVER(32, VALID(GEN8_RPT_ID), TAG_21, NONE), SECURE, COHERENT, IMAGE(image_bdw)},
    {.info = {"chv", "Cherryview",    "gen8",  80, GEN8,  10, GEN8_FORMATS,  THREADS(CHV_2X8), 0,  1,  2,  8, COMMON(CHV_2X8), 12500000},
     REGISTERS(CHV), EQUATIONS(FLEXIBLE, 3), PORT, .pages = PAGES_CHV, CORRUPTS_IDS, INVOCATIONS_BY_4, MODEL(oa_bdw), GT_CZ(400000000), PLL(16), PCI(CHV),
     DRIVER(32, VALID(GEN8_RPT_ID), TAG_21, NONE), SECURE, IMAGE(image_bdw)},
    {.info = {"skl", "Skylake",       "gen8",  90, GEN9,  10, GEN8_FORMATS,  THREADS(SKL_GT2), 0,  3,  4,  8, COMMON(SKL_GT2), 12000000},
     REGISTERS(SKL), EQUATIONS(FLEXIBLE, 3), PORT, FOUR_LEVELS, MODEL(oa_skl), GT_FLAT, THIRDS, PCI(SKL),
     BIG_CORE, DRIVER(32, VALID(GEN9_RPT_ID), TAG_21, SLICES_3), SECURE, COHERENT, PARSED, PREEMPTS, OWN_GPRS, HUC, IMAGE(image_skl)},
    {.info = {"bxt", "Broxton",       "gen8",  90, GEN9,  10, GEN8_FORMATS,  THREADS(BXT_3X6), 0,  1,  3,  8, COMMON(BXT_3X6), 19200000},
     REGISTERS(SKL), EQUATIONS(FLEXIBLE, 3), PORT, FOUR_LEVELS},
    {.info = {"glk", "Gemini Lake",   "gen8",  90, GEN9,  10, GEN8_FORMATS,  THREADS(GLK_3X6), 0,  1,  3,  8, COMMON(GLK_3X6), 19200000},
     REGISTERS(SKL), EQUATIONS(FLEXIBLE, 3), PORT, FOUR_LEVELS},
    {.info = {"kbl", "Kaby Lake",     "gen8",  90, GEN9,  10, GEN8_FORMATS,  THREADS(KBL_GT2), 0,  3,  4,  8, COMMON(KBL_GT2), 12000000},
     REGISTERS(SKL), EQUATIONS(FLEXIBLE, 3), PORT, FOUR_LEVELS},
    {.info = {"cfl", "Coffee Lake",   "gen8",  90, GEN9,  10, GEN8_FORMATS,  THREADS(CFL_GT2), 0,  3,  4,  8, COMMON(CFL_GT2), 12000000},
     REGISTERS(SKL), EQUATIONS(FLEXIBLE, 3), PORT, FOUR_LEVELS},
    {.info = {"cnl", "Cannon Lake",   "gen8", 100, GEN9,  10, GEN8_FORMATS,  THREADS(CNL_GT2), 0,  1,  5,  8, COMMON(CNL_GT2), 12000000},
     REGISTERS(SKL), EQUATIONS(FLEXIBLE, 3), PORT, FOUR_LEVELS},
    {.info = {"icl", "Ice Lake",      "gen8", 110, GEN9,  10, GEN8_FORMATS,  THREADS(ICL_GT2), 0,  1,  8,  8, COMMON(ICL_GT2), 12000000},
     REGISTERS(ICL), EQUATIONS(FLEXIBLE, 8), QUEUE, MODEL(oa_icl), GT_STEERED, PCI(ICL),
     BIG_CORE, DRIVER(32, VALID(GEN9_RPT_ID), TAG_11, SLICES_6), RPM_NOA, CLIENT_SSEU, PREEMPTS, OWN_GPRS, HUC, IMAGE(image_icl)},
    {.info = {"lkf", "Lakefield",     "gen8", 110, GEN9,  10, GEN8_FORMATS,  THREADS(LKF_GT2), 0,  1,  8,  8, COMMON(LKF_GT2), 19200000},
     REGISTERS(LKF), EQUATIONS(FLEXIBLE, 8), QUEUE, MODEL(oa_icl), GT_STEERED, PCI(LKF), DOCUMENTED_POWER, .documented_oa_interrupt = true,
     BIG_CORE, DRIVER(32, VALID(GEN9_RPT_ID), TAG_11, SLICES_6), RPM_NOA, CLIENT_SSEU, PREEMPTS, OWN_GPRS, HUC, IMAGE(image_icl), DRIVEN_AS("icl_info")},
    {.info = {"ehl", "Elkhart Lake",  "gen8", 110, GEN9,  10, GEN8_FORMATS,  THREADS(EHL_4X8), 0,  1,  4,  8, COMMON(EHL_4X8), 12000000},
     REGISTERS(ICL), EQUATIONS(FLEXIBLE, 8), QUEUE},
    {.info = {"tgl", "Tiger Lake",    "gen8", 120, GEN12, 10, GEN8_FORMATS,  THREADS(TGL_GT2), 0,  1,  6, 16, COMMON(TGL_GT2), 19200000},
     REGISTERS(TGL), EQUATIONS(FLEXIBLE, 8), QUEUE, MODEL(oa_tgl), GT_STEERED, PCI(LKF), DOCUMENTED_POWER,
     BIG_CORE, DRIVER(32, VALID(GEN12_RPT_ID), TAG_11, NONE), RPM_NOA, PREEMPTS, ENDLESS_RENDER, OWN_GPRS, HUC, IMAGE(image_tgl)},
    {.info = {"rkl", "Rocket Lake",   "gen8", 120, GEN12, 10, GEN8_FORMATS,  THREADS(RKL_GT1), 0,  1,  6, 16, COMMON(RKL_GT1), 19200000},
     REGISTERS(TGL), EQUATIONS(FLEXIBLE, 8), QUEUE, MODEL(oa_tgl), GT_STEERED, PCI(ICL), DOCUMENTED_POWER,
     BIG_CORE, DRIVER(32, VALID(GEN12_RPT_ID), TAG_11, NONE), RPM_NOA, PREEMPTS, ENDLESS_RENDER, OWN_GPRS, HUC, IMAGE(image_tgl)},
    {.info = {"dg1", "DG1",           "gen8", 120, GEN12, 10, GEN8_FORMATS,  THREADS(DG1_GT2), 0,  1,  6, 16, COMMON(DG1_GT2), 19200000},
     REGISTERS(TGL), EQUATIONS(FLEXIBLE, 8), QUEUE, MODEL(oa_tgl), GT_STEERED, PCI(DG1), DOCUMENTED_POWER,
     .actual_frequency = true, DRIVER(32, VALID(GEN12_RPT_ID), TAG_11, NONE), RPM_NOA, PREEMPTS, ENDLESS_RENDER, OWN_GPRS, HUC, IMAGE(image_tgl)},
    {.info = {"adl", "Alder Lake",    "gen8", 120, GEN12, 10, GEN8_FORMATS,  THREADS(ADL_GT2), 0,  1,  6, 16, COMMON(ADL_GT2), 19200000},
     REGISTERS(TGL), EQUATIONS(FLEXIBLE, 8), QUEUE, MODEL(oa_tgl), GT_STEERED, PCI(LKF), DOCUMENTED_POWER,
     BIG_CORE, DRIVER(32, VALID(GEN12_RPT_ID), TAG_11, NONE), RPM_NOA, PREEMPTS, ENDLESS_RENDER, OWN_GPRS, HUC, IMAGE(image_tgl)},
    {.info = {"dg2", "DG2",           "xehp",125, GEN12, 12, DG2_FORMATS,  THREADS(DG2_GT3), 1,  1, 32, 16, COMMON(DG2_GT3), 38400000},
     NO_REGISTERS, EQUATIONS(FIXED, 8)},
    {.info = {"mtl", "Meteor Lake",   "xehp",127, GEN12, 12, MTL_FORMATS,  THREADS(MTL_GT3), 1,  1,  8, 16, COMMON(MTL_GT3), 38400000},
     NO_REGISTERS, EQUATIONS(FIXED, 8)},
};
// clang-format on

size_t tally_platform_count(void)
{
    return ARRAY_COUNT(platforms);
}

const struct tally_platform *tally_platform_at(size_t index)
{
    return index < ARRAY_COUNT(platforms) ? &platforms[index].info : NULL;
}

static const struct intel_platform *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(platforms); i++)
        if (!strcasecmp(platforms[i].info.name, name))
            return &platforms[i];
    return NULL;
}

const struct tally_platform *tally_platform_find(const char *name)
{
    const struct intel_platform *platform = find(name);
    return platform ? &platform->info : NULL;
}

const struct intel_platform *intel_platform_of(const struct tally_platform *platform)
{
    return find(platform->name);
}

/* ---- modelled platforms ---------------------------------------------------------------------- */

const struct intel_platform *intel_modelled(const char *name)
{
    const struct intel_platform *platform = find(name);
    return platform && platform->oa && !strcmp(platform->info.name, name) ? platform : NULL;
}

const struct intel_platform *intel_modelled_at(size_t index, bool perf)
{
    for (size_t i = 0; i < ARRAY_COUNT(platforms); i++)
        if (platforms[i].oa && (!perf || intel_has_perf(&platforms[i])) && index-- == 0)
            return &platforms[i];
    return NULL;
}

const char *intel_modelled_names(bool perf, const char *between, const char *last,
                                 char text[INTEL_NAMES_MAX])
{
    const struct intel_platform *platform;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (platform = intel_modelled_at(i, perf)); i++) {
        const char *gap = !i ? "" : intel_modelled_at(i + 1, perf) ? between : last;
        int length =
            snprintf(text + used, INTEL_NAMES_MAX - used, "%s%s", gap, platform->info.name);
        used += (size_t)length < INTEL_NAMES_MAX - used ? (size_t)length : 0;
    }
    return text;
}
