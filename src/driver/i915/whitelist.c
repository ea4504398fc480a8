/* SPDX-License-Identifier: MIT */
/*
 * Which registers a metric set may program: PERF-3.4. Ranges have both ends, and every byte
 * address in them passes.
 */
#include "base/bits.h"
#include "driver/i915/perf.h"

#define HSW   INTEL_BIT(INTEL_HSW)
#define BDW   INTEL_BIT(INTEL_BDW)
#define CHV   INTEL_BIT(INTEL_CHV)
#define SKL   INTEL_BIT(INTEL_SKL)
#define GEN11 (INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF))
#define TGL   INTEL_BIT(INTEL_TGL)
#define BIG   (BDW | SKL | GEN11) /* Gen8 to Gen11 without the low-power one */
#define EVERY (HSW | CHV | BIG)

static const struct {
    uint32_t platforms;
    enum register_group group;
    uint32_t first, last;
} allowed[] = {
    {EVERY, GROUP_BOOLEAN, 0x2710, 0x272c}, /* OASTARTTRIG1 to 8 */
    {EVERY, GROUP_BOOLEAN, 0x2740, 0x275c}, /* OAREPORTTRIG1 to 8 */
    {EVERY, GROUP_BOOLEAN, 0x2770, 0x27ac}, /* CEC0_0 to CEC7_1 */

    {EVERY, GROUP_MUX, 0x91b8, 0x91cc}, /* OA_PERFCNT1, 2, OA_PERFMATRIX */
    {EVERY, GROUP_MUX, 0x9800, 0x9888}, /* MICRO_BP0_0 to NOA_WRITE */
    {EVERY, GROUP_MUX, 0xe180, 0xe180}, /* HALF_SLICE_CHICKEN2 */
    {HSW, GROUP_MUX, 0x9e80, 0x9ea4},   /* HSW_MBVID2_NOA0 to 9 */
    {HSW, GROUP_MUX, 0x9ec0, 0x9ec0},   /* HSW_MBVID2_MISR0 */
    {HSW, GROUP_MUX, 0x25100, 0x2ff90},
    {BIG, GROUP_MUX, 0x0d00, 0x0d2c}, /* RPM_CONFIG0 to NOA_CONFIG(8) */
    {BIG, GROUP_MUX, 0x20cc, 0x20cc}, /* WAIT_FOR_RC6_EXIT */
    {CHV, GROUP_MUX, 0x182300, 0x1823a4},
    {GEN11, GROUP_MUX, 0x91c8, 0x91dc}, /* OA_PERFCNT3, 4 */

    {TGL, GROUP_BOOLEAN, 0x2b2c, 0x2b2c}, /* OAG_OA_PESS */
    {TGL, GROUP_BOOLEAN, 0xd900, 0xd91c}, /* OASTARTTRIG1 to 8 */
    {TGL, GROUP_BOOLEAN, 0xd920, 0xd93c}, /* OAREPORTTRIG1 to 8 */
    {TGL, GROUP_BOOLEAN, 0xd940, 0xd97c}, /* CEC0_0 to CEC7_1 */
    {TGL, GROUP_BOOLEAN, 0xdc00, 0xdc3c}, /* SCEC0_0 to SCEC7_1 */
    {TGL, GROUP_BOOLEAN, 0xdc40, 0xdc40}, /* SPCTR_CNF */
    {TGL, GROUP_BOOLEAN, 0xdc44, 0xdc44}, /* OAA_DBG */
    {TGL, GROUP_MUX, 0x0d00, 0x0d04},     /* RPM_CONFIG0, 1 */
    {TGL, GROUP_MUX, 0x0d0c, 0x0d2c},     /* NOA_CONFIG(0) to (8) */
    {TGL, GROUP_MUX, 0x9840, 0x9840},     /* GDT_CHICKEN_BITS */
    {TGL, GROUP_MUX, 0x9884, 0x9888},     /* NOA_WRITE_HIGH, NOA_WRITE */
    {TGL, GROUP_MUX, 0x20cc, 0x20cc},     /* WAIT_FOR_RC6_EXIT */
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
        if (allowed[i].group == group && allowed[i].platforms & INTEL_BIT(device->model) &&
            address >= allowed[i].first && address <= allowed[i].last)
            return true;
    return false;
}

/* Bits that are not a metric set's: each with its write enable. */
static const struct {
    uint32_t address, bits;
} kept[] = {
    {0xe180, 1u << 13 | 1u << 29}, /* a workaround */
    {0x20cc, 1u << 0 | 1u << 16},  /* the register's own function */
};

uint32_t i915_register_masked(uint32_t address, uint32_t value)
{
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++)
        if (address == kept[i].address)
            value &= ~kept[i].bits;
    return value;
}
