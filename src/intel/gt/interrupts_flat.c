/* SPDX-License-Identifier: MIT */
#include "intel/gt/interrupts_flat.h"

#include <limits.h>

#include "base/bits.h"
#include "intel/symbols.h"

#define BIT(m) INTEL_BIT(INTEL_##m)
#define GEN6_7 (BIT(SNB) | BIT(IVB) | BIT(VLV) | BIT(HSW))
#define GEN7   (BIT(IVB) | BIT(VLV) | BIT(HSW))
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
    for (unsigned i = 0; i < GT_FLAT_GROUPS; i++)
        flat->groups[i].imr = UINT32_MAX;
}

static bool is_gen8(const struct gt_flat *flat)
{
    return INTEL_BIT(flat->revision) & GEN8_9;
}

static void raise_bit(struct gt_flat *flat, unsigned group, uint32_t bit)
{
    flat->groups[group].iir |= bit & ~flat->groups[group].imr;
}

void gt_flat_raise(struct gt_flat *flat, enum gt_engine engine, enum gt_engine_event event)
{
    static const struct {
        uint32_t revisions;
        uint8_t engine, event, group;
        uint32_t bit;
    } sources[] = {
        {GEN6_7, GT_RCS0, GT_ENGINE_USER, 0, REG_MASK(GEN6_GT_INTR, RCS_USER_INTERRUPT)},
        {GEN6_7, GT_RCS0, GT_ENGINE_NOTIFY, 0, REG_MASK(GEN6_GT_INTR, RCS_NOTIFY)},
        {GEN6_7, GT_VCS0, GT_ENGINE_USER, 0, REG_MASK(GEN6_GT_INTR, VCS_USER_INTERRUPT)},
        {GEN6_7, GT_VCS0, GT_ENGINE_NOTIFY, 0, REG_MASK(GEN6_GT_INTR, VCS_NOTIFY)},
        {GEN6_7, GT_BCS, GT_ENGINE_USER, 0, REG_MASK(GEN6_GT_INTR, BCS_USER_INTERRUPT)},
        {GEN6_7, GT_BCS, GT_ENGINE_NOTIFY, 0, REG_MASK(GEN6_GT_INTR, BCS_NOTIFY)},
        {BIT(HSW), GT_VECS0, GT_ENGINE_USER, 1, REG_MASK(GEN6_PM_INTR, VECS_USER_INTERRUPT)},
        {BIT(HSW), GT_VECS0, GT_ENGINE_NOTIFY, 1, REG_MASK(GEN6_PM_INTR, VECS_NOTIFY)},
        {GEN6_7, GT_RCS0, GT_ENGINE_ERROR, 0, REG_MASK(GEN6_GT_INTR, RCS_ERROR)},
        {GEN6_7, GT_VCS0, GT_ENGINE_ERROR, 0, REG_MASK(GEN6_GT_INTR, VCS_ERROR)},
        {GEN6_7, GT_BCS, GT_ENGINE_ERROR, 0, REG_MASK(GEN6_GT_INTR, BCS_ERROR)},
        {BIT(HSW), GT_VECS0, GT_ENGINE_ERROR, 1, REG_MASK(GEN6_PM_INTR, VECS_ERROR)},
        {GEN8_9, GT_RCS0, GT_ENGINE_ERROR, 0, REG_MASK(GEN8_GT0_INTR, RCS_MASTER_ERROR)},
        {GEN8_9, GT_BCS, GT_ENGINE_ERROR, 0, REG_MASK(GEN8_GT0_INTR, BCS_MASTER_ERROR)},
        {GEN8_9, GT_VCS0, GT_ENGINE_ERROR, 1, REG_MASK(GEN8_GT1_INTR, VCS0_MASTER_ERROR)},
        {GEN8_9, GT_VCS1, GT_ENGINE_ERROR, 1, REG_MASK(GEN8_GT1_INTR, VCS1_MASTER_ERROR)},
        {GEN8_9, GT_VECS0, GT_ENGINE_ERROR, 2, REG_MASK(GEN8_GT3_INTR, VECS_MASTER_ERROR)},
        {GEN8_9, GT_RCS0, GT_ENGINE_USER, 0, REG_MASK(GEN8_GT0_INTR, RCS_USER_INTERRUPT)},
        {GEN8_9, GT_RCS0, GT_ENGINE_NOTIFY, 0, REG_MASK(GEN8_GT0_INTR, RCS_NOTIFY)},
        {GEN8_9, GT_RCS0, GT_ENGINE_SWITCH, 0, REG_MASK(GEN8_GT0_INTR, RCS_CONTEXT_SWITCH)},
        {GEN8_9, GT_BCS, GT_ENGINE_USER, 0, REG_MASK(GEN8_GT0_INTR, BCS_USER_INTERRUPT)},
        {GEN8_9, GT_BCS, GT_ENGINE_NOTIFY, 0, REG_MASK(GEN8_GT0_INTR, BCS_NOTIFY)},
        {GEN8_9, GT_BCS, GT_ENGINE_SWITCH, 0, REG_MASK(GEN8_GT0_INTR, BCS_CONTEXT_SWITCH)},
        {GEN8_9, GT_VCS0, GT_ENGINE_USER, 1, REG_MASK(GEN8_GT1_INTR, VCS0_USER_INTERRUPT)},
        {GEN8_9, GT_VCS0, GT_ENGINE_NOTIFY, 1, REG_MASK(GEN8_GT1_INTR, VCS0_NOTIFY)},
        {GEN8_9, GT_VCS0, GT_ENGINE_SWITCH, 1, REG_MASK(GEN8_GT1_INTR, VCS0_CONTEXT_SWITCH)},
        {GEN8_9, GT_VCS1, GT_ENGINE_USER, 1, REG_MASK(GEN8_GT1_INTR, VCS1_USER_INTERRUPT)},
        {GEN8_9, GT_VCS1, GT_ENGINE_NOTIFY, 1, REG_MASK(GEN8_GT1_INTR, VCS1_NOTIFY)},
        {GEN8_9, GT_VCS1, GT_ENGINE_SWITCH, 1, REG_MASK(GEN8_GT1_INTR, VCS1_CONTEXT_SWITCH)},
        {GEN8_9, GT_VECS0, GT_ENGINE_USER, 2, REG_MASK(GEN8_GT3_INTR, VECS_USER_INTERRUPT)},
        {GEN8_9, GT_VECS0, GT_ENGINE_NOTIFY, 2, REG_MASK(GEN8_GT3_INTR, VECS_NOTIFY)},
        {GEN8_9, GT_VECS0, GT_ENGINE_SWITCH, 2, REG_MASK(GEN8_GT3_INTR, VECS_CONTEXT_SWITCH)},
    };
    for (size_t i = 0; i < ARRAY_COUNT(sources); i++)
        if (sources[i].engine == engine && sources[i].event == event &&
            sources[i].revisions & INTEL_BIT(flat->revision))
            raise_bit(flat, sources[i].group, sources[i].bit);
}

void gt_flat_raise_half_full(struct gt_flat *flat)
{
    static const struct {
        uint32_t revisions;
        unsigned group;
        uint32_t bit;
    } sources[] = {/* the capability came with IVB: SNB has no source */
                   {GEN7, 0, REG_MASK(GEN6_GT_INTR, OA_HALF_FULL)},
                   {GEN8_9, 2, REG_MASK(GEN8_GT3_INTR, OA_HALF_FULL)}};
    for (size_t i = 0; i < ARRAY_COUNT(sources); i++)
        if (sources[i].revisions & INTEL_BIT(flat->revision))
            raise_bit(flat, sources[i].group, sources[i].bit);
}

void gt_flat_raise_power(struct gt_flat *flat, uint32_t events)
{
    raise_bit(flat, is_gen8(flat) ? 3 : 1, events);
}

static uint32_t pending(const struct gt_flat *flat, unsigned group)
{
    return flat->groups[group].iir & flat->groups[group].ier;
}

bool gt_flat_line(const struct gt_flat *flat)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < GT_FLAT_GROUPS; i++)
        any |= pending(flat, i);
    return any && REG_GET(MASTER_INTR, MASTER_ENABLE, flat->master);
}

/* Gen8's master control shows which engines have an enabled bit. */
static uint32_t read_master(const struct gt_flat *flat)
{
    if (!is_gen8(flat))
        return flat->master;
    return flat->master | REG_PUT(MASTER_INTR, GT0_LOW, (uint16_t)pending(flat, 0) != 0) |
           REG_PUT(MASTER_INTR, GT0_HIGH, pending(flat, 0) > UINT16_MAX) |
           REG_PUT(MASTER_INTR, GT1_LOW, (uint16_t)pending(flat, 1) != 0) |
           REG_PUT(MASTER_INTR, GT1_HIGH, pending(flat, 1) > UINT16_MAX) |
           REG_PUT(MASTER_INTR, GT2, pending(flat, 3) != 0) |
           REG_PUT(MASTER_INTR, GT3, pending(flat, 2) != 0);
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
        return read_master(flat);
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
    default: /* MASTER; ISR is read-only */
        flat->master = value & REG_MASK(MASTER_INTR, MASTER_ENABLE);
    }
}

const struct reg_block gt_flat_block = {
    .map = &gt_flat_map,
    .common = {read_register, write_register},
};
