/* SPDX-License-Identifier: MIT */
#include "intel/gt/interrupts_flat.h"

#include <limits.h>

#include "intel/symbols.h"

#define BIT(m) INTEL_BIT(INTEL_##m)
#define GEN6_7 (BIT(SNB) | BIT(IVB) | BIT(VLV) | BIT(HSW))
#define GEN8_9 (BIT(BDW) | BIT(CHV) | BIT(SKL))
#define GEN6_9 (GEN6_7 | GEN8_9)

enum { ISR, IMR, IIR, IER, MASTER };

#define ID(kind, group) ((uint16_t)((kind) << 4 | (group)))
#define KIND(id)        ((id) >> 4)
#define GROUP(id)       ((id)&15)

#include "regs/pass/fields.h"
#include "intel/gt/interrupts_flat.def"
#include "regs/pass/end.h"

#define REG_BASE 0x44000
#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/interrupts_flat.def"
};

const struct reg_map gt_flat_map = {
    .name = "interrupts",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = REG_BASE,
    .size = 0x1000,
    .regs = registers,
    .count = sizeof registers / sizeof *registers,
};
#include "regs/pass/end.h"

void gt_flat_init(struct gt_flat *flat, enum intel_revision revision)
{
    *flat = (struct gt_flat){.revision = (uint8_t)revision};
    flat->groups[0].imr = flat->groups[1].imr = UINT32_MAX;
}

static bool is_gen8(const struct gt_flat *flat)
{
    return INTEL_BIT(flat->revision) & GEN8_9;
}

void gt_flat_raise(struct gt_flat *flat, enum gt_flat_source source)
{
    static const uint8_t bits[2][4] = {
        {GT_RENDER_INTR__USER_INTERRUPT_LOW, GT_RENDER_INTR__PIPE_CONTROL_NOTIFY_LOW, 32,
         GT_RENDER_INTR__OA_HALF_FULL_LOW},
        {GT_RENDER_INTR__USER_INTERRUPT_LOW, GT_RENDER_INTR__PIPE_CONTROL_NOTIFY_LOW,
         GT_RENDER_INTR__CONTEXT_SWITCH_LOW, GEN8_GT3_INTR__OA_HALF_FULL_LOW}};
    unsigned bit = bits[is_gen8(flat)][source];
    struct gt_flat_group *group =
        &flat->groups[is_gen8(flat) && source == GT_FLAT_OA_HALF_FULL ? 1 : 0];
    if (!(INTEL_BIT(flat->revision) & GEN6_9) || bit > 31)
        return;
    group->iir |= (UINT32_C(1) << bit) & ~group->imr;
}

static bool pending(const struct gt_flat_group *group)
{
    return group->iir & group->ier;
}

bool gt_flat_line(const struct gt_flat *flat)
{
    return REG_GET(MASTER_INTR, MASTER_ENABLE, flat->master) &&
           (pending(&flat->groups[0]) || pending(&flat->groups[1]));
}

static uint32_t read_register(void *context, const struct reg_request *request)
{
    const struct gt_flat *flat = context;
    unsigned id = request->row->reg->id;
    const struct gt_flat_group *group = &flat->groups[GROUP(id)];
    switch (KIND(id)) {
    case IMR:
        return group->imr;
    case IIR:
        return group->iir;
    case IER:
        return group->ier;
    case MASTER:
        if (!is_gen8(flat))
            return flat->master;
        return flat->master | REG_PUT(MASTER_INTR, GT3, pending(&flat->groups[1])) |
               REG_PUT(MASTER_INTR, GT0, pending(&flat->groups[0]));
    default: /* ISR: no modelled source is a level */
        return 0;
    }
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct gt_flat *flat = context;
    unsigned id = request->row->reg->id;
    struct gt_flat_group *group = &flat->groups[GROUP(id)];
    switch (KIND(id)) {
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
        flat->master = value & REG_MASK(MASTER_INTR, MASTER_ENABLE);
        break;
    default:
        break;
    }
}

const struct reg_block gt_flat_block = {
    .map = &gt_flat_map,
    .common = {read_register, write_register},
};
