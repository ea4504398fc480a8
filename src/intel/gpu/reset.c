/* SPDX-License-Identifier: MIT */
/* The reset register of the GT: GDRST (OA-16.2). */
#include "base/bits.h"
#include "intel/gpu/gpu.h"
#include "intel/symbols.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define GEN11_UP     GT_GEN11_UP
#define GEN9         ON(SKL)
#define HSW_9        (ON(HSW) | ON(BDW) | ON(CHV) | GEN9)
#define TO_GEN9      (ON(SNB) | ON(IVB) | ON(VLV) | HSW_9)

#include "regs/pass/fields.h"
#include "intel/gpu/reset.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gpu/reset.def"
};
#include "regs/pass/end.h"

const struct reg_map gpu_reset_map = {
    .name = "reset",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x10000,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
};

/* The engines of the domains, on the revisions that have them. */
static const struct {
    uint32_t revisions, bit;
    enum cs_engine_id engine;
} domains[] = {
    {TO_GEN9, REG_MASK(GEN6_GDRST, RENDER), CS_RCS0},
    {TO_GEN9, REG_MASK(GEN6_GDRST, VCS0), CS_VCS0},
    {ON(BDW) | GEN9, REG_MASK(GEN6_GDRST, VCS1), CS_VCS1},
    {TO_GEN9, REG_MASK(GEN6_GDRST, BLT), CS_BCS0},
    {HSW_9, REG_MASK(GEN6_GDRST, VECS0), CS_VECS0},
    {GEN11_UP, REG_MASK(GEN11_GDRST, RENDER), CS_RCS0},
    {GEN11_UP, REG_MASK(GEN11_GDRST, BLT), CS_BCS0},
    {GEN11_UP, REG_MASK(GEN11_GDRST, VCS0), CS_VCS0},
    {GEN11_UP, REG_MASK(GEN11_GDRST, VCS2), CS_VCS2},
    {GEN11_UP, REG_MASK(GEN11_GDRST, VECS0), CS_VECS0},
};

/* The part of NOA's registers that the reset of all domains keeps. */
static const uint8_t kept[] = {NOA_RC_CONTROL, NOA_RC_STATE, NOA_PG_ENABLE};

/* What the reset of all domains takes besides the engines. Force wake, interrupts and power
 * management are outside of them: the driver does not set them again. */
static void reset_configuration(struct tally_gpu *gpu)
{
    gpu_settle(gpu);
    tally_oa_reset(gpu->oa);
    uint32_t words[ARRAY_COUNT(kept)];
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
        words[i] = gpu->noa.regs[kept[i]];
    noa_reset(&gpu->noa);
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
        gpu->noa.regs[kept[i]] = words[i];
    gt_units_init(&gpu->units, gpu->platform->revision);
    gt_host_reset(&gpu->host, false);
    gating_init(gpu);
    gpu_set_clock(gpu, gpu->clock_hz);
}

static uint32_t read_register(void *context, const struct reg_request *request)
{
    (void)context;
    (void)request;
    return 0; /* done */
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_gpu *gpu = context;
    bool all = value & (REG_MASK(GEN6_GDRST, FULL) | REG_MASK(GEN11_GDRST, FULL));
    (void)request;
    for (size_t i = 0; i < ARRAY_COUNT(domains); i++)
        if ((domains[i].revisions & INTEL_BIT(gpu->platform->revision)) &&
            (all || value & domains[i].bit))
            gpu_engine_reset(gpu, &gpu->engines[domains[i].engine]);
    if (all)
        reset_configuration(gpu);
}

const struct reg_block gpu_reset_block = {
    .map = &gpu_reset_map,
    .common = {read_register, write_register},
};
