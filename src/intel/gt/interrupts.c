/* SPDX-License-Identifier: MIT */
/* The interrupt tree: messages, reads and writes. Registers: interrupts_registers.c. */
#include "intel/gt/interrupts.h"

#include <errno.h>
#include <string.h>

#include "intel/gt/interrupts_registers.h"
#include "intel/symbols.h"

#define MASTER_ENABLE REG_MASK(GEN11_GFX_MSTR_INTR, MASTER_ENABLE)
#define DATA_VALID    REG_MASK(GEN11_INTR_IDENTITY, DATA_VALID)
#define OTHER_SOURCES                                                                              \
    (REG_MASK(GEN11_GFX_MSTR_INTR, PCU) | REG_MASK(GEN11_GFX_MSTR_INTR, GU_MISC) |                 \
     REG_MASK(GEN11_GFX_MSTR_INTR, DISPLAY))

enum gt_engine gt_engine_find(unsigned engine_class, unsigned instance)
{
    for (unsigned i = 0; i < GT_ENGINES; i++)
        if (gt_engines[i].engine_class == engine_class && gt_engines[i].instance == instance)
            return (enum gt_engine)i;
    return GT_ENGINES;
}

/* Returns the engine of a bit of a DW, or GT_ENGINES. */
static unsigned engine_of_bit(unsigned dw, uint32_t bit)
{
    unsigned i = 0;
    while (i < GT_ENGINES && (gt_engines[i].dw != dw || 1u << gt_engines[i].bit != bit))
        i++;
    return i;
}

void gt_interrupt_copy_reset(struct gt_interrupt_copy *copy)
{
    memset(copy, 0, sizeof *copy);
    memset(copy->masks, 0xff, sizeof copy->masks); /* all interrupts are masked (OA-U18) */
}

void gt_interrupts_reset(struct gt_interrupts *interrupts)
{
    memset(interrupts, 0, sizeof *interrupts);
    for (unsigned i = 0; i < GT_FUNCTIONS; i++)
        gt_interrupt_copy_reset(&interrupts->host[i]);
    gt_interrupt_copy_reset(&interrupts->guc);
}

/* ---- messages -------------------------------------------------------------------------------- */

static uint16_t unmasked(const struct gt_interrupt_copy *copy, unsigned engine)
{
    const struct gt_engine_info *info = &gt_engines[engine];
    return (uint16_t)(copy->inst_cr[engine] & ~(copy->masks[info->mask] >> info->mask_shift));
}

static void raise_iir(struct gt_interrupt_dw *dw, uint32_t bits)
{
    dw->events += !dw->iir;
    dw->serviced &= ~(bits & ~dw->iir);
    dw->iir |= bits;
}

/* Posts the unmasked interrupts of an engine to its DW (OA-D45). */
static void post(struct gt_interrupt_copy *copy, unsigned engine)
{
    struct gt_interrupt_dw *dw = &copy->dw[gt_engines[engine].dw];
    uint32_t bit = 1u << gt_engines[engine].bit;
    if (!unmasked(copy, engine))
        return;
    if (dw->locked)
        dw->collapsing |= bit;
    else
        raise_iir(dw, bit);
}

static void copy_post(struct gt_interrupt_copy *copy, enum gt_engine engine, unsigned function,
                      uint16_t data)
{
    const struct gt_engine_info *info = &gt_engines[engine];
    uint16_t enabled = (uint16_t)(data & copy->enables[info->enable] >> info->enable_shift);
    if (!enabled) /* dropped, without posting stored interrupts (OA-D45) */
        return;
    copy->inst_cr[engine] |= enabled;
    copy->function[engine] = (uint8_t)(function % GT_FUNCTIONS);
    post(copy, engine);
}

int gt_interrupts_message32(struct gt_interrupts *interrupts, uint32_t message)
{
    enum gt_engine engine = gt_engine_find(REG_GET(GEN11_INTR_IDENTITY, CLASS_ID, message),
                                           REG_GET(GEN11_INTR_IDENTITY, INSTANCE_ID, message));
    unsigned function = REG_GET(GEN11_INTR_IDENTITY, VF_ID, message);
    uint16_t data = (uint16_t)REG_GET(GEN11_INTR_IDENTITY, DATA, message);
    if (engine == GT_ENGINES)
        return -EINVAL;
    copy_post(&interrupts->host[function], engine, function, data);
    copy_post(&interrupts->guc, engine, function, data);
    return 0;
}

int gt_interrupts_message(struct gt_interrupts *interrupts, unsigned engine_class,
                          unsigned instance, unsigned function, uint16_t data)
{
    if (gt_engine_find(engine_class, instance) == GT_ENGINES || function >= GT_FUNCTIONS)
        return -EINVAL;
    return gt_interrupts_message32(interrupts,
                                   REG_PUT(GEN11_INTR_IDENTITY, VF_ID, function) |
                                       REG_PUT(GEN11_INTR_IDENTITY, INSTANCE_ID, instance) |
                                       REG_PUT(GEN11_INTR_IDENTITY, CLASS_ID, engine_class) |
                                       REG_PUT(GEN11_INTR_IDENTITY, DATA, data));
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t sources(const struct gt_interrupt_copy *copy)
{
    return copy->levels | REG_PUT(GEN11_GFX_MSTR_INTR, GT_INTR_DW1, copy->dw[1].iir != 0) |
           REG_PUT(GEN11_GFX_MSTR_INTR, GT_INTR_DW0, copy->dw[0].iir != 0);
}

static uint32_t value_of(const struct gt_interrupt_copy *copy, unsigned id)
{
    switch (id) {
    case INTR_MASTER:
        return (copy->master_enable ? MASTER_ENABLE : 0) | sources(copy);
    case INTR_DW0:
    case INTR_DW1:
        return copy->dw[id - INTR_DW0].iir;
    case INTR_IDENTITY0:
    case INTR_IDENTITY1:
        return copy->dw[id - INTR_IDENTITY0].identity;
    case INTR_SELECTOR0:
    case INTR_SELECTOR1:
        return copy->dw[id - INTR_SELECTOR0].selector;
    default:
        return id < INTR_MASKS ? copy->enables[id - INTR_ENABLES] : copy->masks[id - INTR_MASKS];
    }
}

static uint32_t read_register(void *context, const struct reg_request *request)
{
    struct gt_interrupt_copy *copy = context;
    unsigned id = request->row->reg->id;
    uint32_t value = value_of(copy, id);
    /* Reading a DW that is not 0 locks it (OA-D43). */
    if (value && (id == INTR_DW0 || id == INTR_DW1))
        copy->dw[id - INTR_DW0].locked = true;
    return value;
}

/* Clears the bits of DW_IIR that software writes as 1. When DW_IIR is 0, it is reloaded from DW_CR
 * (OA-D43). */
static void clear_dw(struct gt_interrupt_copy *copy, unsigned number, uint32_t value)
{
    struct gt_interrupt_dw *dw = &copy->dw[number];
    uint32_t cleared = dw->iir & value;
    dw->iir &= ~cleared;
    copy->unserviced_clears += (uint32_t)__builtin_popcount(cleared & ~dw->serviced);
    dw->serviced &= ~cleared;
    for (uint32_t left = cleared; left; left &= left - 1)
        post(copy, engine_of_bit(number, left & -left));
    if (dw->iir)
        return;
    uint32_t pending = dw->collapsing;
    dw->locked = false;
    dw->collapsing = 0;
    if (pending)
        raise_iir(dw, pending);
}

static void write_selector(struct gt_interrupt_copy *copy, unsigned number, uint32_t value)
{
    struct gt_interrupt_dw *dw = &copy->dw[number];
    copy->dropped_identities += dw->identity != 0;
    dw->selector = 0;
    dw->identity = 0;
    if (!value)
        return;
    if ((value & (value - 1)) || !(value & dw->iir)) {
        copy->illegal_selectors++;
        return;
    }
    unsigned engine = engine_of_bit(number, value); /* DW_IIR has bits of engines only */
    const struct gt_engine_info *info = &gt_engines[engine];
    uint16_t data = unmasked(copy, engine);
    dw->selector = value;
    dw->identity = DATA_VALID | REG_PUT(GEN11_INTR_IDENTITY, VF_ID, copy->function[engine]) |
                   REG_PUT(GEN11_INTR_IDENTITY, INSTANCE_ID, info->instance) |
                   REG_PUT(GEN11_INTR_IDENTITY, CLASS_ID, info->engine_class) | data;
    dw->serviced |= value;
    copy->inst_cr[engine] &= (uint16_t)~data;
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct gt_interrupt_copy *copy = context;
    unsigned id = request->row->reg->id;
    switch (id) {
    case INTR_MASTER:
        copy->master_enable = value & MASTER_ENABLE;
        return;
    case INTR_DW0:
    case INTR_DW1:
        clear_dw(copy, id - INTR_DW0, value);
        return;
    case INTR_IDENTITY0:
    case INTR_IDENTITY1:
        if (value & DATA_VALID)
            copy->dw[id - INTR_IDENTITY0].identity = copy->dw[id - INTR_IDENTITY0].selector = 0;
        return;
    case INTR_SELECTOR0:
    case INTR_SELECTOR1:
        write_selector(copy, id - INTR_SELECTOR0, value);
        return;
    default:
        break;
    }
    if (id < INTR_MASKS) { /* a change of enables does not post (OA-D45) */
        copy->enables[id - INTR_ENABLES] = value;
        return;
    }
    copy->masks[id - INTR_MASKS] = value;
    for (unsigned i = 0; i < GT_ENGINES; i++)
        if (gt_engines[i].mask == id - INTR_MASKS)
            post(copy, i);
}

const struct reg_block gt_interrupts_block = {
    .map = &gt_interrupts_map,
    .common = {read_register, write_register},
};

uint32_t gt_interrupts_read32(struct gt_interrupt_copy *copy, uint32_t address)
{
    uint32_t value = 0;
    reg_block_read(&gt_interrupts_block, GT_GEN11_UP, copy, address, &value);
    return value;
}

void gt_interrupts_write32(struct gt_interrupt_copy *copy, uint32_t address, uint32_t value)
{
    reg_block_write(&gt_interrupts_block, GT_GEN11_UP, copy, address, value);
}

/* ---- outputs --------------------------------------------------------------------------------- */

int gt_interrupts_set_level(struct gt_interrupt_copy *copy, unsigned bit, bool level)
{
    if (bit > 31 || !(OTHER_SOURCES >> bit & 1))
        return -EINVAL;
    copy->levels = (copy->levels & ~(1u << bit)) | (uint32_t)level << bit;
    return 0;
}

bool gt_interrupts_line(const struct gt_interrupt_copy *copy)
{
    return copy->master_enable && sources(copy);
}
