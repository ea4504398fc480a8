/* SPDX-License-Identifier: MIT */
/* MMIO reads and writes. The register table describes which bits are stored; this file computes the
 * values of status registers and implements the side effects of writes. */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t read_ctrl(const struct tally_pcounter *engine, unsigned number)
{
    const struct domain *domain = &engine->domains[number];
    uint32_t value = domain->regs[REG_CTRL];
    if (engine->features->layout == LAYOUT_NV40)
        return value | REG_PUT(NV40_CTRL, QUAD_STATE, domain->quad_state) |
               REG_PUT(NV40_CTRL, SINGLE_STATE, domain->single_state);
    if (engine->features->layout == LAYOUT_GF100)
        return value | REG_PUT(GF100_CTRL, QUAD_STATE, domain->quad_state) |
               REG_PUT(GF100_CTRL, SINGLE_STATE, domain->single_state);
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
    uint32_t value = REG_PUT(PCOUNTER_SRC_STATUS, PRE_SRC, read_source(engine, domain, PRE)) |
                     REG_PUT(PCOUNTER_SRC_STATUS, START_SRC, read_source(engine, domain, START)) |
                     REG_PUT(PCOUNTER_SRC_STATUS, EVENT_SRC, read_source(engine, domain, EVENT)) |
                     REG_PUT(PCOUNTER_SRC_STATUS, STOP_SRC, read_source(engine, domain, STOP));
    if (engine->features->layout == LAYOUT_GF100) /* (PC-D37) */
        value |= REG_PUT(PCOUNTER_SRC_STATUS, SETFLAG_SRC, read_source(engine, domain, SETFLAG)) |
                 REG_PUT(PCOUNTER_SRC_STATUS, CLRFLAG_SRC, read_source(engine, domain, CLRFLAG));
    return value;
}

/* STATE: the sources as SRC_STATUS shows them, the inputs as they were at the latest clock
 * (PC-D41). */
static uint32_t read_state(const struct tally_pcounter *engine, const struct domain *domain)
{
    return REG_PUT(GF100_STATE, SINGLE_STATE, domain->single_state) |
           REG_PUT(GF100_STATE, QUAD_STATE, domain->quad_state) |
           REG_PUT(GF100_STATE, FLAG_NEXT, domain->flag_history & 1) |
           REG_PUT(GF100_STATE, FLAG_CUR, domain->flag_history >> 1 & 1) |
           REG_PUT(GF100_STATE, EVENT_TOGGLE, domain->event_toggle) |
           REG_PUT(GF100_STATE, EVENT_SRC, read_source(engine, domain, EVENT)) |
           REG_PUT(GF100_STATE, SWAP, signal_now(domain, swap_signal(engine, domain))) |
           REG_PUT(GF100_STATE, STOP_SRC, read_source(engine, domain, STOP)) |
           REG_PUT(GF100_STATE, PRE_SRC, read_source(engine, domain, PRE) >> 2) |
           REG_PUT(GF100_STATE, START_SRC, read_source(engine, domain, START) >> 2) |
           REG_PUT(GF100_STATE, EVENT, domain->inputs >> EVENT & 1) |
           REG_PUT(GF100_STATE, PRE, domain->inputs >> PRE & 1) |
           REG_PUT(GF100_STATE, START, domain->inputs >> START & 1) |
           REG_PUT(GF100_STATE, STOP, domain->inputs >> STOP & 1);
}

/* The counters of quad event mode that a register shows while they count (PC-D40). */
static enum counter next_counter(const struct reg *reg)
{
    switch ((enum register_id)reg->id) {
    case REG_CTR_EVENT_NEXT:
        return CTR_EVENT;
    case REG_CTR_START_NEXT:
        return CTR_START;
    case REG_CTR_PRE_NEXT:
        return CTR_PRE;
    case REG_CTR_STOP_NEXT:
        return CTR_STOP;
    case REG_CTR_CYCLES_NEXT:
        return CYCLES;
    default:
        return COUNTERS;
    }
}

static uint32_t read_register(const struct tally_pcounter *engine,
                              const struct pcounter_target *target)
{
    const struct domain *domain = &engine->domains[target->domain];
    if (!target->row)
        return 0;
    const struct reg *reg = target->row->reg;
    if (pcounter_is_pmc(target))
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
        return read_signals(domain, target->element);
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
    case REG_DSET_CTRL:
        return engine->set_control[target->set];
    case REG_STATE:
        return read_state(engine, domain);
    case REG_CTR_EVENT_NEXT:
    case REG_CTR_START_NEXT:
    case REG_CTR_PRE_NEXT:
    case REG_CTR_STOP_NEXT:
    case REG_CTR_CYCLES_NEXT:
        return domain->shadow[next_counter(reg)];
    case REG_QUAD_ACK_TRIGGER:
    case REG_SINGLE_BEGIN_TRIGGER:
    case REG_SINGLE_ABORT_TRIGGER:
        return 0;
    default:
        return reg->access & REG_READ ? domain->regs[reg->id] : 0;
    }
}

static bool shows_signals(const struct reg *reg)
{
    return reg->id == REG_SIG_STATUS || reg->id == REG_SRC_STATUS || reg->id == REG_STATE;
}

/* A read changes only the access counts, and settles leaps. The cast is valid because
 * tally_pcounter_new() allocates engines, so they are never const objects. */
uint32_t tally_pcounter_read32(const struct tally_pcounter *engine, uint32_t address)
{
    struct pcounter_target target = pcounter_find(engine, address, REG_READ);
    if (target.row && shows_signals(target.row->reg))
        leap_settle((struct tally_pcounter *)engine);
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
static void write_config(struct tally_pcounter *engine, unsigned number, const struct reg_row *row,
                         uint32_t value)
{
    const struct reg *reg = row->reg;
    struct domain *domain = &engine->domains[number];
    latch_delays(engine, domain);
    domain->planned = false;
    domain->abort |= reg->flags & REG_ABORTS;
    domain->start |= (reg->flags & REG_STARTS) != 0;
    if (reg->id < REGS_OF_A_DOMAIN)
        domain->regs[reg->id] = value & row->stored;
    if (reg->id == REG_CTR_PRE)
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
    engine->disabled = disabled; /* set in reset */
}

void tally_pcounter_write32(struct tally_pcounter *engine, uint32_t address, uint32_t value)
{
    struct pcounter_target target = pcounter_find(engine, address, REG_WRITE);
    const struct reg_row *row = target.row;
    pcounter_count_access(engine, &target, true, address, value);
    if (pcounter_is_pmc(&target))
        write_pmc_enable(engine, value);
    if (!row || pcounter_is_pmc(&target) || engine->disabled)
        return;
    const struct reg *reg = row->reg;
    struct domain *domain = &engine->domains[target.domain];
    bool only_swaps = domain->planned && !domain->plan.users;
    if (reg->id != REG_QUAD_ACK_TRIGGER && !(reg->id == REG_USER_TRIGGER && only_swaps))
        leap_settle(engine);
    switch ((enum register_id)reg->id) {
    case REG_QUAD_ACK_TRIGGER:
        write_ack(engine, target.domain, value);
        return;
    case REG_USER_TRIGGER: /* the next clock sees it; pulses fall at the second one (PC-D22) */
        domain->regs[REG_USER_TRIGGER] = value & row->writable;
        domain->user_fresh = true;
        return;
    case REG_RECORD_START: /* at once; counters are cleared in record mode only (PC-D28, PC-E15) */
        domain->regs[REG_RECORD_START] = value & row->stored;
        domain->position = domain->regs[REG_RECORD_START];
        domain->valid = true;
        if (records(engine, domain))
            memset(&domain->record, 0, sizeof domain->record);
        return;
    case REG_RECORD_LIMIT:
    case REG_RECORD_ADDRESS_HIGH:
        domain->regs[reg->id] = value & row->stored;
        return;
    case REG_RECORD_CHAN: /* binds if RECORD_DMA has been written before (PC-D29) */
        engine->record_chan = value & row->stored;
        if (REG_GET(PCOUNTER_RECORD_CHAN, VALID, value) && engine->dma_written)
            engine->bound = true;
        return;
    case REG_RECORD_DMA:
        engine->record_dma = value & row->stored;
        engine->dma_written = true;
        return;
    case REG_GCTRL:
        engine->gctrl = value & row->stored;
        return;
    case REG_DSET_CTRL:
        engine->set_control[target.set] = value & row->stored;
        return;
    case REG_CTR_EVENT_NEXT:
    case REG_CTR_START_NEXT:
    case REG_CTR_PRE_NEXT:
    case REG_CTR_STOP_NEXT:
    case REG_CTR_CYCLES_NEXT:
        if (reg->access & REG_WRITE)
            domain->shadow[next_counter(reg)] = value;
        return;
    case REG_SINGLE_BEGIN_TRIGGER:
        domain->start |= REG_GET(GF100_SINGLE_BEGIN_TRIGGER, BEGIN, value);
        return;
    case REG_SINGLE_ABORT_TRIGGER:
        domain->abort |= REG_GET(GF100_SINGLE_ABORT_TRIGGER, ABORT, value);
        return;
    default:
        break;
    }
    if (!(reg->access & REG_WRITE) && !(reg->flags & REG_ABORTS))
        return;
    if (reg->dimensions[0].count || engine->features->layout == LAYOUT_GF100) {
        write_config(engine, target.domain, row, value);
        return;
    }
    for (unsigned i = 0; i < engine->domain_count; i++) /* CTRL of NV10 to NV30 belongs to all
                                                         * domains */
        write_config(engine, i, row, value);
}
