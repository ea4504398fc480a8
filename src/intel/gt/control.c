/* SPDX-License-Identifier: MIT */
#include "intel/gt/control.h"

#include <limits.h>

enum { RC_CONTROL, RC_STATE, RPSTAT1, RPM_CONFIG0, CTC_MODE };

#define RW     REG_READ_WRITE
#define RO     REG_READ
#define ONE    {{0}}
#define BIT(m) INTEL_BIT(INTEL_##m)
#define GEN6_8 (BIT(SNB) | BIT(IVB) | BIT(VLV) | BIT(HSW) | BIT(BDW) | BIT(CHV))
#define GEN9   BIT(SKL)
#define GEN9UP (GEN9 | GT_GEN11)
#define ALL    (GEN6_8 | GEN9UP)

// clang-format off

static const struct reg_field rc_control_fields[] = {
    {"HW_ENABLE", 31, 31, RW, 0, ALL, NULL, "with RC_STATE 0: RC6 is off while counters count"},
    {"STORED", 0, 30, RW, 0, ALL, NULL, NULL},
    {0},
};

static const struct reg_field rpstat1_fields[] = {
    {"RATIO", 7, 13, RO, 0, GEN6_8, NULL, "present clock in steps of 50 MHz"},
    {"RATIO", 23, 31, RO, 0, GEN9UP, NULL, "present clock in steps of 50/3 MHz"},
    {0},
};

static const struct reg_value crystals[] = {{0, "24 MHz"}, {1, "19.2 MHz"}, {2, "38.4 MHz"}, {3, "25 MHz"}, {0}};
static const struct reg_field rpm_fields[] = {
    {"CTC_SHIFT", 1, 2, RO, 0, GT_GEN11, NULL, "timestamp: crystal >> (3 - shift)"},
    {"CRYSTAL", 3, 5, RO, 0, GT_GEN11, crystals, NULL},
    {0},
};

static const struct reg_value sources[] = {{0, "crystal"}, {1, "divider"}, {0}};
static const struct reg_field ctc_fields[] = {
    {"SOURCE", 0, 0, RO, 0, GEN9, sources, NULL},
    {"SHIFT", 1, 2, RO, 0, GEN9, NULL, "timestamp: 24 MHz >> (3 - shift)"},
    {0},
};

static const struct reg registers[] = {
    {"RPM_CONFIG0", 0xd00, ONE, GT_GEN11, RPM_CONFIG0, RO, 0, 0, rpm_fields, "where the timestamp comes from", "1.5, U22"},
    {"RPSTAT1", 0xa01c, ONE, ALL, RPSTAT1, RO, 0, 0, rpstat1_fields, "present clock ratio", "1.5"},
    {"RC_CONTROL", 0xa090, ONE, ALL, RC_CONTROL, RW, 0, 0, rc_control_fields, "RC6 control", "1.5, 2.14"},
    {"RC_STATE", 0xa094, ONE, ALL, RC_STATE, RW, 0, 0, NULL, "RC6 state", "1.5, 2.14"},
    {"CTC_MODE", 0xa26c, ONE, GEN9, CTC_MODE, RO, 0, 0, ctc_fields, "where the timestamp comes from", "1.5"},
};

// clang-format on

const struct reg_map gt_control_map = {
    .name = "control",
    .document = "intel-oa-hardware.md",
    .base = 0,
    .size = 0x10000,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};

void gt_control_init(struct gt_control *control, enum intel_model platform, uint32_t clock_hz,
                     uint32_t timestamp_hz)
{
    *control = (struct gt_control){
        .platform = (uint8_t)platform, .clock_hz = clock_hz, .timestamp_hz = timestamp_hz};
}

void gt_control_reset(struct gt_control *control)
{
    control->rc_control = control->rc_state = 0;
}

bool gt_control_allows_rc6(const struct gt_control *control)
{
    return !(control->rc_control >> 31) || control->rc_state;
}

static const struct reg *find(const struct gt_control *control, uint32_t address,
                              enum reg_access access)
{
    struct reg_place place;
    return reg_find(&gt_control_map, INTEL_BIT(control->platform), UINT_MAX, address, access,
                    &place)
               ? place.reg
               : NULL;
}

bool gt_control_owns(const struct gt_control *control, uint32_t address)
{
    return find(control, address, REG_READ) != NULL;
}

/* The crystal and shift that give a timestamp's frequency; the first that fits. */
static uint32_t rpm_config0(uint32_t timestamp_hz)
{
    static const uint32_t crystals_hz[] = {24000000, 19200000, 38400000, 25000000};
    static const uint8_t order[] = {2, 0, 1, 3}; /* 38.4 MHz first: 19.2 MHz is half of it (U22) */
    for (unsigned i = 0; i < 4; i++)
        for (unsigned shift = 0; shift < 4; shift++)
            if (crystals_hz[order[i]] >> (3 - shift) == timestamp_hz)
                return (uint32_t)order[i] << 3 | shift << 1;
    return 0;
}

static uint32_t ratio(const struct gt_control *control)
{
    uint64_t hz = control->clock_hz;
    if (control->platform < INTEL_SKL)
        return (uint32_t)((hz + 25000000) / 50000000 & 0x7f) << 7;
    return (uint32_t)((hz * 3 + 25000000) / 50000000 & 0x1ff) << 23;
}

uint32_t gt_control_read32(const struct gt_control *control, uint32_t address)
{
    const struct reg *reg = find(control, address, REG_READ);
    switch (reg ? (int)reg->id : -1) {
    case RC_CONTROL:
        return control->rc_control;
    case RC_STATE:
        return control->rc_state;
    case RPSTAT1:
        return ratio(control);
    case RPM_CONFIG0:
        return rpm_config0(control->timestamp_hz);
    case CTC_MODE:
        for (unsigned shift = 0; shift < 4; shift++)
            if (24000000u >> (3 - shift) == control->timestamp_hz)
                return shift << 1;
        return 0;
    default:
        return 0;
    }
}

void gt_control_write32(struct gt_control *control, uint32_t address, uint32_t value)
{
    const struct reg *reg = find(control, address, REG_WRITE);
    if (reg && reg->id == RC_CONTROL)
        control->rc_control = value;
    else if (reg && reg->id == RC_STATE)
        control->rc_state = value;
}
