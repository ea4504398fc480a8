/* SPDX-License-Identifier: MIT */
/*
 * Registers that a metric set may program (PERF-3.4). Ranges are inclusive, and accept every byte
 * address in them.
 */
#include "base/bits.h"
#include "driver/i915/perf.h"

#define HSW   INTEL_BIT(INTEL_HSW)
#define BDW   INTEL_BIT(INTEL_BDW)
#define CHV   INTEL_BIT(INTEL_CHV)
#define SKL   INTEL_BIT(INTEL_SKL)
#define GEN11 (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF))
#define TGL   INTEL_BIT(INTEL_TGL)
#define BIG   (BDW | SKL | GEN11) /* Gen8 to Gen11 without Cherryview */
#define EVERY (HSW | CHV | BIG)

static const struct {
    uint32_t revisions;
    enum register_group group;
    uint32_t first, last;
} allowed[] = {
    {EVERY, GROUP_BOOLEAN, OASTARTTRIG1, OASTARTTRIG8},
    {EVERY, GROUP_BOOLEAN, OAREPORTTRIG1, OAREPORTTRIG8},
    {EVERY, GROUP_BOOLEAN, CEC_0, REG_LAST(CEC_1)},

    {EVERY, GROUP_MUX, OA_PERFCNT1_LO, OA_PERFMATRIX_HI},
    {EVERY, GROUP_MUX, MICRO_BP0_0, HSW_NOA_WRITE},
    {EVERY, GROUP_MUX, HALF_SLICE_CHICKEN2, HALF_SLICE_CHICKEN2},
    {HSW, GROUP_MUX, HSW_MBVID2_NOA, REG_LAST(HSW_MBVID2_NOA)},
    {HSW, GROUP_MUX, HSW_MBVID2_MISR0, HSW_MBVID2_MISR0},
    {HSW, GROUP_MUX, HSW_NOA_MUX, REG_LAST(HSW_NOA_MUX)},
    {BIG, GROUP_MUX, GEN8_RPM_CONFIG0, REG_LAST(GEN8_NOA_CONFIG)},
    {BIG, GROUP_MUX, WAIT_FOR_RC6_EXIT, WAIT_FOR_RC6_EXIT},
    {CHV, GROUP_MUX, CHV_NOA_MUX, REG_LAST(CHV_NOA_MUX)},
    {GEN11, GROUP_MUX, OA_PERFCNT3_LO, OA_PERFCNT4_HI},

    {TGL, GROUP_BOOLEAN, GEN12_OAG_OA_PESS, GEN12_OAG_OA_PESS},
    {TGL, GROUP_BOOLEAN, GEN12_OAG_OASTARTTRIG1, GEN12_OAG_OASTARTTRIG8},
    {TGL, GROUP_BOOLEAN, GEN12_OAG_OAREPORTTRIG1, GEN12_OAG_OAREPORTTRIG8},
    {TGL, GROUP_BOOLEAN, GEN12_OAG_CEC_0, REG_LAST(GEN12_OAG_CEC_1)},
    {TGL, GROUP_BOOLEAN, GEN12_OAG_SCEC_0, REG_LAST(GEN12_OAG_SCEC_1)},
    {TGL, GROUP_BOOLEAN, GEN12_OAG_SPCTR_CNF, GEN12_OAG_SPCTR_CNF},
    {TGL, GROUP_BOOLEAN, GEN12_OAG_OAA_DBG, GEN12_OAG_OAA_DBG},
    {TGL, GROUP_MUX, GEN12_RPM_CONFIG0, GEN11_RPM_CONFIG1},
    {TGL, GROUP_MUX, GEN8_NOA_CONFIG, REG_LAST(GEN8_NOA_CONFIG)},
    {TGL, GROUP_MUX, GDT_CHICKEN_BITS, GDT_CHICKEN_BITS},
    {TGL, GROUP_MUX, GEN11_NOA_WRITE_HIGH, HSW_NOA_WRITE},
    {TGL, GROUP_MUX, WAIT_FOR_RC6_EXIT, WAIT_FOR_RC6_EXIT},
};

bool i915_register_allowed(const struct i915_device *device, enum register_group group,
                           uint32_t address)
{
    if (group == GROUP_FLEX) {
        for (size_t i = 0; i < FLEX_REGISTERS; i++)
            if (address == flex_registers[i])
                return true;
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(allowed); i++)
        if (allowed[i].group == group &&
            allowed[i].revisions & INTEL_BIT(device->platform->revision) &&
            address >= allowed[i].first && address <= allowed[i].last)
            return true;
    return false;
}

/* Bits that a metric set must not change, with their write enables. */
static const struct {
    uint32_t address, bits;
} kept[] = {
    {HALF_SLICE_CHICKEN2, REG_MASKED(HALF_SLICE_CHICKEN2, KEPT, 1)}, /* a workaround */
    {WAIT_FOR_RC6_EXIT, REG_MASKED(WAIT_FOR_RC6_EXIT, KEPT, 1)},     /* its own function */
};

uint32_t i915_register_masked(uint32_t address, uint32_t value)
{
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
        if (address == kept[i].address)
            value &= ~kept[i].bits;
    return value;
}
