/* SPDX-License-Identifier: MIT */
#include "intel/gt/interrupts_flat.h"

#include <limits.h>

#define RW REG_READ_WRITE
#define RO REG_READ
#define ONE                                                                                        \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define BIT(m) INTEL_BIT(INTEL_##m)
#define GEN6_7 (BIT(SNB) | BIT(IVB) | BIT(VLV) | BIT(HSW))
#define GEN8_9 (BIT(BDW) | BIT(CHV) | BIT(SKL))
#define GEN6_9 (GEN6_7 | GEN8_9)

enum { ISR, IMR, IIR, IER, MASTER };

#define ID(kind, group) ((uint16_t)((kind) << 4 | (group)))
#define KIND(id)        ((id) >> 4)
#define GROUP(id)       ((id)&15)

// clang-format off

/* A field named OTHER is of an event that the model has not. */
#define OTHER(first, last, revisions) {"OTHER", first, last, RW, 0, revisions, NULL, NULL}
static const struct reg_field render_fields[] = {
    {"USER_INTERRUPT", 0, 0, RW, 0, GEN6_9, NULL, "MI_USER_INTERRUPT"},
    OTHER(1, 3, GEN6_9),
    {"PIPE_CONTROL_NOTIFY", 4, 4, RW, 0, GEN6_9, NULL, "PIPE_CONTROL with Notify Enable"},
    OTHER(5, 7, GEN8_9),
    {"CONTEXT_SWITCH", 8, 8, RW, 0, GEN8_9, NULL, "an execution list is done"},
    OTHER(9, 31, GEN8_9),
    OTHER(5, 8, GEN6_7),
    {"OA_HALF_FULL", 9, 9, RW, 0, GEN6_7, NULL, "the report buffer is half full"},
    OTHER(10, 31, GEN6_7),
    {0},
};
static const struct reg_field oa_fields[] = {
    OTHER(0, 27, GEN8_9),
    {"OA_HALF_FULL", 28, 28, RW, 0, GEN8_9, NULL, "the report buffer is half full"},
    OTHER(29, 31, GEN8_9),
    {0},
};
static const struct reg_field master_fields[] = {
    {"MASTER_ENABLE", 31, 31, RW, 0, GEN6_9, NULL, "the line follows the groups"},
    {"GT3", 6, 6, RO, 0, GEN8_9, NULL, "an enabled bit of group 3"},
    {"GT0", 0, 0, RO, 0, GEN8_9, NULL, "an enabled bit of group 0"},
    {0},
};

#define SET(prefix, at, revisions, group, fields, what) \
    {prefix "ISR", at, ONE, revisions, ID(ISR, group), RO, 0, 0, fields, what ": levels", "OA-3.5"}, \
    {prefix "IMR", (at) + 4, ONE, revisions, ID(IMR, group), RW, 0, 0xffffffff, fields, what ": 1 masks", "OA-3.5"}, \
    {prefix "IIR", (at) + 8, ONE, revisions, ID(IIR, group), RW, 0, 0, fields, what ": 1 clears", "OA-3.5"}, \
    {prefix "IER", (at) + 12, ONE, revisions, ID(IER, group), RW, 0, 0, fields, what ": 1 enables", "OA-3.5"}

static const struct reg registers[] = {
    {"DEIER", 0xc, ONE, GEN6_7, ID(MASTER, 0), RW, 0, 0, master_fields, "master enable", "public driver"},
    SET("GT", 0x10, GEN6_7, 0, render_fields, "render engine and OA"),
    {"MASTER_INT_CTL", 0x200, ONE, GEN8_9, ID(MASTER, 0), RW, 0, 0, master_fields, "master enable", "public driver"},
    SET("GT0_", 0x300, GEN8_9, 0, render_fields, "render engine"),
    SET("GT3_", 0x330, GEN8_9, 1, oa_fields, "OA"),
};

// clang-format on

const struct reg_map gt_flat_map = {
    .name = "interrupts",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0x44000,
    .size = 0x1000,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};

void gt_flat_init(struct gt_flat *flat, enum intel_model platform)
{
    *flat = (struct gt_flat){.platform = (uint8_t)platform};
    flat->groups[0].imr = flat->groups[1].imr = UINT32_MAX;
}

static bool is_gen8(const struct gt_flat *flat)
{
    return flat->platform >= INTEL_BDW;
}

void gt_flat_raise(struct gt_flat *flat, enum gt_flat_source source)
{
    static const uint8_t bits[2][4] = {{0, 4, 32, 9}, {0, 4, 8, 28}};
    unsigned bit = bits[is_gen8(flat)][source];
    struct gt_flat_group *group =
        &flat->groups[is_gen8(flat) && source == GT_FLAT_OA_HALF_FULL ? 1 : 0];
    if (flat->platform > INTEL_SKL || bit > 31)
        return;
    group->iir |= (UINT32_C(1) << bit) & ~group->imr;
}

static bool pending(const struct gt_flat_group *group)
{
    return group->iir & group->ier;
}

bool gt_flat_line(const struct gt_flat *flat)
{
    return flat->master >> 31 && (pending(&flat->groups[0]) || pending(&flat->groups[1]));
}

static const struct reg *find(const struct gt_flat *flat, uint32_t address, enum reg_access access)
{
    struct reg_place place;
    return reg_find(&gt_flat_map, INTEL_BIT(flat->platform), UINT_MAX, address, access, &place)
               ? place.reg
               : NULL;
}

static uint32_t value_of(const struct gt_flat *flat, const struct reg *reg)
{
    const struct gt_flat_group *group = &flat->groups[GROUP(reg->id)];
    switch (KIND(reg->id)) {
    case IMR:
        return group->imr;
    case IIR:
        return group->iir;
    case IER:
        return group->ier;
    case MASTER:
        if (!is_gen8(flat))
            return flat->master;
        return flat->master | (uint32_t)pending(&flat->groups[1]) << 6 |
               (uint32_t)pending(&flat->groups[0]);
    default: /* no source of ours is a level */
        return 0;
    }
}

bool gt_flat_read(const struct gt_flat *flat, uint32_t address, uint32_t *out)
{
    const struct reg *reg = find(flat, address, REG_READ);
    if (reg)
        *out = value_of(flat, reg);
    return reg;
}

bool gt_flat_write(struct gt_flat *flat, uint32_t address, uint32_t value)
{
    const struct reg *reg = find(flat, address, REG_WRITE);
    if (!reg)
        return false;
    struct gt_flat_group *group = &flat->groups[GROUP(reg->id)];
    switch (KIND(reg->id)) {
    case IMR:
        group->imr = value;
        break;
    case IIR:
        group->iir &= ~value;
        break;
    case IER:
        group->ier = value;
        break;
    case MASTER:
        flat->master = value & UINT32_C(0x80000000);
        break;
    default:
        break;
    }
    return true;
}
