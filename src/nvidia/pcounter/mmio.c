/* SPDX-License-Identifier: MIT */
/* MMIO reads and writes. The register table describes which bits are stored; this file computes the
 * values of status registers and implements the side effects of writes. */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* ---- addresses ------------------------------------------------------------------------------- */

struct pcounter_target pcounter_locate(const struct tally_pcounter *engine, uint32_t address,
                                       enum reg_access access)
{
    const struct reg_map *map = pcounter_registers(engine->revision);
    uint32_t revision = pcounter_revision_bit(engine);
    struct pcounter_target target = {0};
    bool found = false;
    if (engine->features->layout != LAYOUT_GF100) {
        found = reg_find(map, revision, engine->domain_count, address, access, &target.place);
        if (found && target.place.reg->dimensions[0].count)
            target.domain = target.place.index[0];
    } else if (engine->gf100_sets && address == PMC_ENABLE) {
        found = reg_find(&pmc_map, revision, 1, address, access, &target.place);
        target.pmc = true;
    } else {
        for (unsigned i = 0; !found && i < engine->domain_count; i++) {
            uint32_t base = engine->domains[i].address;
            if (address < base || address - base >= GF100_DOMAIN_BYTES)
                continue;
            target.domain = i;
            found = reg_find(map, revision, 1, map->base + (address - base), access, &target.place);
        }
    }
    if (!found)
        target.place.reg = NULL;
    return target;
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t read_ctrl(const struct tally_pcounter *engine, unsigned number)
{
    const struct domain *domain = &engine->domains[number];
    uint32_t value = domain->regs[REG_CTRL];
    if (engine->features->layout != LAYOUT_NV10)
        return value | REG_PUT(NV40_CTRL, QUAD_STATE, domain->quad_state) |
               REG_PUT(NV40_CTRL, SINGLE_STATE, domain->single_state);
    value |= REG_PUT(NV10_CTRL, DOM0_SINGLE_STATE, engine->domains[0].single_state) |
             REG_PUT(NV10_CTRL, DOM0_QUAD_STATE, engine->domains[0].quad_state);
    if (engine->domain_count > 1)
        value |= REG_PUT(NV10_CTRL, DOM1_SINGLE_STATE, engine->domains[1].single_state) |
                 REG_PUT(NV10_CTRL, DOM1_QUAD_STATE, engine->domains[1].quad_state);
    return value;
}

static uint32_t read_signals(const struct domain *domain, unsigned word)
{
    uint32_t value = 0;
    if (word >= SIGNALS / 32) /* GF100 has words for twice the signals (PC-D2, PC-E4) */
        return 0;
    for (unsigned i = 0; i < 32; i++)
        value |= (uint32_t)signal_now(domain, 32 * word + i) << i;
    return value;
}

/* Returns the values of the four signals of an input. */
static uint32_t read_source(const struct tally_pcounter *engine, const struct domain *domain,
                            enum input input)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)signal_now(domain, source_signal(engine, domain, input, i)) << i;
    return value;
}

static uint32_t read_sources(const struct tally_pcounter *engine, const struct domain *domain)
{
    return REG_PUT(PCOUNTER_SRC_STATUS, PRE_SRC, read_source(engine, domain, PRE)) |
           REG_PUT(PCOUNTER_SRC_STATUS, START_SRC, read_source(engine, domain, START)) |
           REG_PUT(PCOUNTER_SRC_STATUS, EVENT_SRC, read_source(engine, domain, EVENT)) |
           REG_PUT(PCOUNTER_SRC_STATUS, STOP_SRC, read_source(engine, domain, STOP));
}

/* Returns the index of a word of SIG_STATUS[dom][hi][lo], [dom][i] or [i]. */
static unsigned signal_word(const struct reg_place *place)
{
    const struct reg_dimension *dimensions = place->reg->dimensions;
    if (dimensions[2].count)
        return place->index[1] * dimensions[2].count + place->index[2];
    return dimensions[1].count ? place->index[1] : place->index[0];
}

static uint32_t read_register(const struct tally_pcounter *engine,
                              const struct pcounter_target *target)
{
    const struct reg *reg = target->place.reg;
    const struct domain *domain = &engine->domains[target->domain];
    if (!reg)
        return 0;
    if (target->pmc)
        return REG_PUT(PMC_ENABLE, PCOUNTER, !engine->disabled);
    if (engine->disabled)
        return ENGINE_DISABLED;
    switch ((enum register_id)reg->id) {
    case REG_CTR_CYCLES:
        return (uint32_t)domain->counters[CYCLES];
    case REG_CTR_CYCLES_HI:
        return (uint32_t)(domain->counters[CYCLES] >> 32);
    case REG_CTR_EVENT:
        return (uint32_t)domain->counters[CTR_EVENT];
    case REG_CTR_EVENT_HI:
        return (uint32_t)(domain->counters[CTR_EVENT] >> 32);
    case REG_CTR_START:
        return (uint32_t)domain->counters[CTR_START];
    case REG_CTR_START_HI:
        return (uint32_t)(domain->counters[CTR_START] >> 32);
    case REG_CTR_PRE:
        return (uint32_t)domain->counters[CTR_PRE];
    case REG_CTR_STOP:
        return (uint32_t)domain->counters[CTR_STOP];
    case REG_CTRL:
        return read_ctrl(engine, target->domain);
    case REG_SIG_STATUS:
        return read_signals(domain, signal_word(&target->place));
    case REG_SRC_STATUS:
        return read_sources(engine, domain);
    case REG_RECORD_STATUS:
        return (domain->position & REG_MASK(PCOUNTER_RECORD_STATUS, POSITION)) |
               REG_PUT(PCOUNTER_RECORD_STATUS, FAULT, domain->fault);
    case REG_RECORD_CHAN:
        return engine->record_chan;
    case REG_RECORD_DMA:
        return engine->record_dma;
    case REG_GCTRL:
        return engine->gctrl;
    case REG_QUAD_ACK_TRIGGER:
        return 0;
    default:
        return reg->access & REG_READ ? domain->regs[reg->id] : 0;
    }
}

/* A read changes only the access counts. The cast is valid because tally_pcounter_new() allocates
 * engines, so they are never const objects. */
uint32_t tally_pcounter_read32(const struct tally_pcounter *engine, uint32_t address)
{
    struct pcounter_target target = pcounter_locate(engine, address, REG_READ);
    uint32_t value = read_register(engine, &target);
    pcounter_count_access((struct tally_pcounter *)engine, &target, false, address, value);
    return value;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void acknowledge(struct domain *domain)
{
    domain->quad_state = domain->quad_state == OVERFLOW ? VALID : EMPTY;
}

/* An acknowledge takes effect immediately, in any mode; bit 0 is for domain 0 (PC-D17, PC-E1). */
static void write_ack(struct tally_pcounter *engine, unsigned number, uint32_t value)
{
    static const uint32_t nv30_domains[] = {REG_MASK(NV30_QUAD_ACK_TRIGGER, DOM0),
                                            REG_MASK(NV30_QUAD_ACK_TRIGGER, DOM1)};
    if (engine->features->layout != LAYOUT_NV10) {
        if (REG_GET(PCOUNTER_QUAD_ACK_TRIGGER, ACK, value))
            acknowledge(&engine->domains[number]);
        return;
    }
    for (unsigned i = 0; i < engine->domain_count; i++)
        if (value & nv30_domains[i])
            acknowledge(&engine->domains[i]);
}

/* Whether the domain is in record mode. */
static bool records(const struct tally_pcounter *engine, const struct domain *domain)
{
    return engine->features->record &&
           REG_GET(NV40_CTRL, MODE, domain->regs[REG_CTRL]) == MODE_RECORD;
}

/* Writes a configuration register of one domain. */
static void write_config(struct tally_pcounter *engine, unsigned number, const struct reg *reg,
                         uint32_t value, uint32_t mask)
{
    struct domain *domain = &engine->domains[number];
    latch_delays(engine, domain);
    domain->planned = false;
    if (reg->flags & REG_ABORTS)
        domain->config_written = true;
    if (reg->id < REGS_OF_A_DOMAIN)
        domain->regs[reg->id] = value & mask;
    if (reg->id == REG_PRE_OP)
        domain->pre_op_written = true;
    else if (reg->id == REG_CTR_PRE)
        domain->initial_pre = value;
    else if (reg->id == REG_CTR_STOP)
        domain->initial_stop = value;
    else if (reg->id == REG_CTRL && REG_GET(NV40_CTRL, FAULT_CLEAR, value))
        domain->fault = false;
}

static void write_pmc_enable(struct tally_pcounter *engine, uint32_t value)
{
    bool disabled = !REG_GET(PMC_ENABLE, PCOUNTER, value);
    if (disabled && !engine->disabled)
        tally_pcounter_reset(engine);
    engine->disabled = disabled;
}

void tally_pcounter_write32(struct tally_pcounter *engine, uint32_t address, uint32_t value)
{
    struct pcounter_target target = pcounter_locate(engine, address, REG_WRITE);
    pcounter_count_access(engine, &target, true, address, value);
    const struct reg *reg = target.place.reg;
    if (target.pmc)
        write_pmc_enable(engine, value);
    if (!reg || target.pmc || engine->disabled)
        return;
    struct domain *domain = &engine->domains[target.domain];
    uint32_t revision = pcounter_revision_bit(engine);
    unsigned instances = engine->domain_count;
    switch ((enum register_id)reg->id) {
    case REG_QUAD_ACK_TRIGGER:
        write_ack(engine, target.domain, value);
        return;
    case REG_USER_TRIGGER: /* the next clock sees it; pulses fall at the second one (PC-D22) */
        domain->regs[REG_USER_TRIGGER] = value & reg_mask(reg, revision, instances, REG_WRITE);
        domain->user_fresh = true;
        return;
    case REG_RECORD_START: /* at once; counters are cleared in record mode only (PC-D28, PC-E15) */
        domain->regs[REG_RECORD_START] = value & reg_storage(reg, revision, instances);
        domain->position = domain->regs[REG_RECORD_START];
        domain->valid = true;
        if (records(engine, domain))
            memset(&domain->record, 0, sizeof domain->record);
        return;
    case REG_RECORD_LIMIT:
    case REG_RECORD_ADDRESS_HIGH:
        domain->regs[reg->id] = value & reg_storage(reg, revision, instances);
        return;
    case REG_RECORD_CHAN: /* binds if RECORD_DMA has been written before (PC-D29) */
        engine->record_chan = value & reg_storage(reg, revision, instances);
        if (REG_GET(PCOUNTER_RECORD_CHAN, VALID, value) && engine->dma_written)
            engine->bound = true;
        return;
    case REG_RECORD_DMA:
        engine->record_dma = value & reg_storage(reg, revision, instances);
        engine->dma_written = true;
        return;
    case REG_GCTRL:
        engine->gctrl = value & reg_storage(reg, revision, instances);
        return;
    default:
        break;
    }
    if (!(reg->access & REG_WRITE) && !(reg->flags & REG_ABORTS))
        return;
    uint32_t mask = reg_storage(reg, revision, instances);
    if (reg->dimensions[0].count || engine->features->layout == LAYOUT_GF100) {
        write_config(engine, target.domain, reg, value, mask);
        return;
    }
    for (unsigned i = 0; i < engine->domain_count; i++) /* CTRL of NV10 to NV30 belongs to all
                                                         * domains */
        write_config(engine, i, reg, value, mask);
}
