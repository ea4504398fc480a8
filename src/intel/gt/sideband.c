/* SPDX-License-Identifier: MIT */
#include "intel/gt/sideband.h"

#include <limits.h>

#include "base/bits.h"
#include "intel/symbols.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define LOW_POWER    (ON(VLV) | ON(CHV))

/* reg.id: what a register does. */
enum kind {
    SIDEBAND_STORED,
    SIDEBAND_REQUEST,    /* performs an access */
    SIDEBAND_PHY_STATUS, /* PHYs with power */
    SIDEBAND_SSPM0,      /* the state follows the control */
    SIDEBAND_DSPSSPM,
    SIDEBAND_WELLS,     /* the state of PUNIT_REG_PWRGT_CTRL */
    SIDEBAND_FREQUENCY, /* the GT's clock */
    SIDEBAND_CLOCK,     /* the divider in effect is that in the register */
};

#include "regs/pass/fields.h"
#include "intel/gt/sideband.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/sideband.def"
};
static const struct reg unit_registers[] = {
#include "intel/gt/sideband_units.def"
};
#include "regs/pass/end.h"

const struct reg_map gt_sideband_map = {
    .name = "sideband",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x200000,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
    .has_basis = true,
};

#define PORT_SHIFT 16 /* of a unit, in an address of unit_registers */

void gt_sideband_init(struct gt_sideband *sideband, enum intel_revision revision)
{
    *sideband = (struct gt_sideband){.revision = (uint8_t)revision};
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++)
        sideband->words[i] = registers[i].reset;
    for (size_t i = 0; i < ARRAY_COUNT(unit_registers); i++)
        sideband->units[i] = unit_registers[i].reset;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Returns a unit's register by its port and number; NULL if the platform does not have it. */
static const struct reg *find_unit(const struct gt_sideband *sideband, uint32_t address)
{
    for (size_t i = 0; i < ARRAY_COUNT(unit_registers); i++)
        if (unit_registers[i].offset == address &&
            unit_registers[i].revisions & INTEL_BIT(sideband->revision))
            return &unit_registers[i];
    return NULL;
}

static uint32_t stored(const struct gt_sideband *sideband, uint32_t address)
{
    const struct reg *reg = find_unit(sideband, address);
    return reg ? sideband->units[reg - unit_registers] : 0;
}

/* A register that the model does not have reads 0. */
static uint32_t read_unit(const struct gt_sideband *sideband, uint32_t address)
{
    const struct reg *reg = find_unit(sideband, address);
    uint32_t value = stored(sideband, address);
    switch (reg ? (enum kind)reg->id : SIDEBAND_STORED) {
    case SIDEBAND_SSPM0:
        return REG_SET(PUNIT_SSPM0, STATE, value, REG_GET(PUNIT_SSPM0, CONTROL, value));
    case SIDEBAND_DSPSSPM:
        return REG_SET(PUNIT_REG_DSPSSPM, STATE, value, REG_GET(PUNIT_REG_DSPSSPM, CONTROL, value));
    case SIDEBAND_WELLS:
        return stored(sideband, PUNIT_REG_PWRGT_CTRL);
    case SIDEBAND_FREQUENCY:
        return REG_PUT(PUNIT_REG_GPU_FREQ_STS, RATIO,
                       gt_sideband_code((enum intel_revision)sideband->revision, sideband->steps)) |
               REG_MASK(PUNIT_REG_GPU_FREQ_STS, GPLLENABLE);
    case SIDEBAND_CLOCK:
        return REG_SET(CCK_CLOCK_CONTROL, STATUS, value, REG_GET(CCK_CLOCK_CONTROL, VALUES, value));
    default:
        return value;
    }
}

uint32_t gt_sideband_ratio(const struct gt_sideband *sideband)
{
    return REG_GET(PUNIT_REG_GPU_FREQ_REQ, RATIO, stored(sideband, PUNIT_REG_GPU_FREQ_REQ));
}

/* On VLV codes count steps from a base, on CHV half steps. */
#define VLV_BASE 0xb7

uint32_t gt_sideband_decode(enum intel_revision revision, uint32_t code)
{
    if (!(INTEL_BIT(revision) & ON(VLV)))
        return code / 2;
    return code > VLV_BASE ? code - VLV_BASE : 0;
}

uint32_t gt_sideband_code(enum intel_revision revision, uint32_t steps)
{
    return INTEL_BIT(revision) & ON(VLV) ? steps + VLV_BASE : 2 * steps;
}

uint32_t gt_sideband_steps(const struct gt_sideband *sideband)
{
    return gt_sideband_decode((enum intel_revision)sideband->revision, gt_sideband_ratio(sideband));
}

/* A write to a register that the model does not have is ignored. */
static void write_unit(struct gt_sideband *sideband, uint32_t address, uint32_t value)
{
    const struct reg *reg = find_unit(sideband, address);
    uint32_t revision = INTEL_BIT(sideband->revision);
    if (reg && reg->access & REG_WRITE)
        sideband->units[reg - unit_registers] = value &
                                                reg_mask(reg, revision, UINT_MAX, REG_WRITE) &
                                                reg_mask(reg, revision, UINT_MAX, REG_READ);
}

/* ---- MMIO ------------------------------------------------------------------------------------ */

static uint32_t *find(struct gt_sideband *sideband, uint32_t address)
{
    struct reg_place place;
    reg_find(&gt_sideband_map, INTEL_BIT(sideband->revision), UINT_MAX, address, REG_READ, &place);
    return &sideband->words[place.reg - registers];
}

static void perform(struct gt_sideband *sideband, uint32_t request)
{
    uint32_t *data = find(sideband, VLV_IOSF_DATA);
    uint32_t address = REG_GET(VLV_IOSF_DOORBELL_REQ, PORT, request) << PORT_SHIFT |
                       REG_GET(VLV_IOSF_ADDR, REGISTER, *find(sideband, VLV_IOSF_ADDR));
    switch (REG_GET(VLV_IOSF_DOORBELL_REQ, OPCODE, request)) {
    case IOSF_OPCODE__READ:
    case IOSF_OPCODE__MEMORY_READ:
        *data = read_unit(sideband, address);
        break;
    case IOSF_OPCODE__WRITE:
    case IOSF_OPCODE__MEMORY_WRITE:
        write_unit(sideband, address, *data);
        break;
    default:
        break;
    }
}

static uint32_t phy_status(const struct gt_sideband *sideband)
{
    uint32_t wells = stored(sideband, PUNIT_REG_PWRGT_CTRL);
    return REG_PUT(DISPLAY_PHY_STATUS, POWERGOOD_0,
                   REG_GET(PUNIT_REG_PWRGT, DPIO_CMN_BC, wells) == 0) |
           REG_PUT(DISPLAY_PHY_STATUS, POWERGOOD_1,
                   REG_GET(PUNIT_REG_PWRGT, DPIO_CMN_D, wells) == 0);
}

static uint32_t read_register(void *context, const struct reg_request *request)
{
    struct gt_sideband *sideband = context;
    const struct reg *reg = request->row->reg;
    if (reg->id == SIDEBAND_PHY_STATUS)
        return phy_status(sideband);
    return sideband->words[reg - registers] &
           reg_mask(reg, INTEL_BIT(sideband->revision), UINT_MAX, REG_READ);
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct gt_sideband *sideband = context;
    const struct reg *reg = request->row->reg;
    sideband->words[reg - registers] = value;
    if (reg->id == SIDEBAND_REQUEST && value & REG_MASK(VLV_IOSF_DOORBELL_REQ, BUSY))
        perform(sideband, value);
}

const struct reg_block gt_sideband_block = {
    .map = &gt_sideband_map,
    .common = {read_register, write_register},
};
