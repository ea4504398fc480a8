/* SPDX-License-Identifier: MIT */
/*
 * Makes the plan of a domain, which is its registers decoded for the inner loops: the signals that
 * are needed, the operation of each input, and the feedback of outputs to inputs (PC-A.13).
 */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/logic.h"

/* The source of each input's signals: an SRC register, and the first field used. From NV30 on
 * SETFLAG and CLRFLAG share the registers of PRE and START (PC-AMB-28, PC-E6); before, each input
 * has its own register, including CLRFLAG (PC-E2). */
static const struct {
    uint8_t input, slot;
} shared_sources[2][4] = {
    {{START, 2}, {START, 3}, {PRE, 0}, {PRE, 1}},
    {{PRE, 2}, {PRE, 3}, {START, 0}, {START, 1}},
};

uint8_t source_signal(const struct tally_pcounter *engine, const struct domain *domain,
                      enum input input, unsigned slot)
{
    if (input >= SETFLAG && engine->features->shared_flag_sources) {
        unsigned shared = shared_sources[input - SETFLAG][slot].input;
        slot = shared_sources[input - SETFLAG][slot].slot;
        input = (enum input)shared;
    }
    return (uint8_t)REG_GET_NTH(PCOUNTER_SRC, SIGNAL0, slot, domain->regs[REG_PRE_SRC + input]);
}

/* ---- uses ------------------------------------------------------------------------------------ */

static uint8_t use_signal(struct plan *plan, const struct domain *domain, uint8_t signal)
{
    uint8_t use = 0;
    while (use < plan->use_count && plan->uses[use] != signal)
        use++;
    if (use < plan->use_count)
        return use;
    plan->uses[plan->use_count++] = signal;
    uint8_t driver = domain->drivers[signal];
    if (driver == DRIVER_OWN_FLAG)
        plan->own_flag_use = use;
    else if (driver == DRIVER_OWN_EVENT)
        plan->own_event_use = use;
    else if (driver >= DRIVER_IMPORT)
        plan->imports[(driver - DRIVER_IMPORT) / DOMAINS] |=
            (uint8_t)(1 << (driver - DRIVER_IMPORT) % DOMAINS);
    return use;
}

static void use_source(const struct tally_pcounter *engine, struct domain *domain, enum input input,
                       unsigned slot)
{
    struct plan *plan = &domain->plan;
    plan->source_use[input][slot] =
        use_signal(plan, domain, source_signal(engine, domain, input, slot));
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Decodes an OP register ("Input selection", steps 1 to 8). Bits that a revision lacks are never
 * stored. GF100 has the bits of EVENT and STOP in all registers (PC-D37, PC-E25). */
static struct operation decode_operation(const struct tally_pcounter *engine, uint32_t op,
                                         enum input input)
{
    bool chains = input == EVENT || input == STOP;
    bool alike = chains || engine->features->layout == LAYOUT_GF100;
    bool delay_0 = REG_GET(PCOUNTER_OP, ARG0_DELAY, op);
    bool delay_1 = REG_GET(PCOUNTER_OP, ARG1_DELAY, op);
    bool delay_2 =
        alike ? REG_GET(PCOUNTER_CHAINED_OP, ARG2_SRC0, op) : REG_GET(PCOUNTER_OP, ARG2_SRC0, op);
    bool delay_3 =
        alike ? REG_GET(PCOUNTER_CHAINED_OP, ARG3_SRC1, op) : REG_GET(PCOUNTER_OP, ARG3_SRC1, op);
    struct argument all[4] = {
        {.kind = delay_0 ? ARGUMENT_DELAYED : ARGUMENT_SIGNAL, .slot = 0},
        {.kind = delay_1 ? ARGUMENT_DELAYED : ARGUMENT_SIGNAL, .slot = 1},
        {.kind = delay_2 ? ARGUMENT_DELAYED : ARGUMENT_SIGNAL, .slot = delay_2 ? 0 : 2},
        {.kind = delay_3 ? ARGUMENT_DELAYED : ARGUMENT_SIGNAL, .slot = delay_3 ? 1 : 3},
    };
    if (chains && REG_GET(PCOUNTER_CHAINED_OP, ARG3_SETFLAG,
                          op)) /* SETFLAG comes before the delayed SRC[1] (PC-AMB-32) */
        all[3] = (struct argument){.kind = ARGUMENT_SETFLAG};

    uint16_t logic = (uint16_t)REG_GET(PCOUNTER_OP, LOGIC, op), table = logic;
    struct operation result = {0};
    bool live[4];
    for (unsigned i = 0; i < 4; i++)
        live[i] = table_depends(logic, i);
    for (unsigned i = 4, arity = 4; i-- > 0;)
        if (!live[i])
            table = table_without(table, arity--, i);
    result.table = table;
    for (unsigned i = 0; i < 4; i++)
        if (live[i])
            result.arguments[result.arity++] = all[i];
    return result;
}

static bool takes_setflag(const struct operation *operation)
{
    for (unsigned i = 0; i < operation->arity; i++)
        if (operation->arguments[i].kind == ARGUMENT_SETFLAG)
            return true;
    return false;
}

static void use_operation(const struct tally_pcounter *engine, struct domain *domain,
                          enum input input)
{
    struct operation *operation = &domain->plan.operations[input];
    for (unsigned i = 0; i < operation->arity; i++) {
        struct argument *argument = &operation->arguments[i];
        if (argument->kind != ARGUMENT_SETFLAG)
            argument->use = use_signal(&domain->plan, domain,
                                       source_signal(engine, domain, input, argument->slot));
    }
}

/* ---- feedback -------------------------------------------------------------------------------- */

/* knowledge() returns which of the domain's own outputs an operation uses, as bits of enum unknown,
 * and KNOWS_EVENT if it uses EVENT of the same clock. */
#define KNOWS_EVENT UNKNOWN_COMBINATIONS

static unsigned knowledge(const struct plan *plan, enum input input)
{
    const struct operation *operation = &plan->operations[input];
    unsigned knows = 0;
    for (unsigned i = 0; i < operation->arity; i++) {
        const struct argument *argument = &operation->arguments[i];
        bool delayed = argument->kind == ARGUMENT_DELAYED;
        if (argument->kind == ARGUMENT_SETFLAG)
            continue;
        if (argument->use == plan->own_flag_use)
            knows |= delayed ? UNKNOWN_FLAG_DELAYED : UNKNOWN_FLAG;
        else if (argument->use == plan->own_event_use)
            knows |= delayed ? UNKNOWN_EVENT : KNOWS_EVENT;
    }
    return knows;
}

static void find_loops(struct plan *plan)
{
    const unsigned flags = UNKNOWN_FLAG | UNKNOWN_FLAG_DELAYED;
    unsigned event = knowledge(plan, EVENT);
    unsigned flag = knowledge(plan, SETFLAG) | knowledge(plan, CLRFLAG);
    if (plan->setflag_in_event)
        event |= knowledge(plan, SETFLAG);
    if (event & KNOWS_EVENT) /* here: EVENT of the previous clock (PC-D4) */
        event = (event & ~(unsigned)KNOWS_EVENT) | UNKNOWN_EVENT;
    plan->event_before_flag = flag & (UNKNOWN_EVENT | KNOWS_EVENT);
    if (plan->event_before_flag)
        flag |= event;
    plan->event_loop = event & UNKNOWN_EVENT;
    plan->flag_loop = !plan->flag_idle && (flag & flags);
    plan->unknowns = (uint8_t)((event | flag) & (flags | UNKNOWN_EVENT));
}

/* ---- leaps ----------------------------------------------------------------------------------- */

/* Finds out whether the registers allow leaps (leap.c). */
static void find_leaps(const struct domain *domain, struct plan *plan)
{
    for (unsigned use = 0; use < plan->use_count; use++) {
        uint8_t driver = domain->drivers[plan->uses[use]];
        if (plan->mode == MODE_QUAD && plan->swap_only && use == plan->swap_use)
            continue;
        plan->used[plan->uses[use] / 64] |= UINT64_C(1) << plan->uses[use] % 64;
        plan->users |= driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT;
    }
    plan->leaps = plan->mode != MODE_RECORD && plan->own_event_use == NO_USE &&
                  !plan->imports[IMPORT_EVENT] && !plan->imports[IMPORT_FLAG];
    for (unsigned input = 0; input < INPUTS; input++) {
        const struct operation *operation = &plan->operations[input];
        for (unsigned i = 0; i < operation->arity && plan->needs[input]; i++) {
            const struct argument *argument = &operation->arguments[i];
            bool delayed = argument->kind == ARGUMENT_DELAYED;
            plan->delays |= delayed;
            if (argument->kind == ARGUMENT_SETFLAG ||
                (delayed && domain->drivers[plan->uses[argument->use]] == DRIVER_PERIODIC))
                plan->leaps = false;
        }
    }
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Decodes the fields of CTRL that the nv40 and gf100 layouts name alike. */
#define DECODE_CONTROL(layout, ctrl, plan)                                                         \
    do {                                                                                           \
        (plan)->counter_mode = (enum counter_mode)REG_GET(layout, CTR_MODE, ctrl);                 \
        (plan)->all_periods = REG_GET(layout, EVENT_CTR_PERIOD, ctrl);                             \
        (plan)->pulses[IMPORT_EVENT] = REG_GET(layout, EVENT_IMPORT_MODE, ctrl);                   \
        (plan)->pulses[IMPORT_FLAG] = REG_GET(layout, FLAG_IMPORT_MODE, ctrl);                     \
        (plan)->periodic = REG_GET(layout, PERIODIC_PERIOD, ctrl);                                 \
    } while (0)

/* Decodes CTRL of NV10 to NV30, which belongs to all domains. */
static void decode_shared_control(struct domain *domain)
{
    static const uint32_t quad[] = NV10_CTRL_MASKS(MODE);
    static const uint32_t periods[] = NV10_CTRL_MASKS(EVENT_CTR_PERIOD);
    struct plan *plan = &domain->plan;
    uint32_t ctrl = domain->regs[REG_CTRL];
    plan->mode = ctrl & quad[domain->number] ? MODE_QUAD : MODE_SINGLE;
    plan->all_periods = ctrl & periods[domain->number]; /* never set on NV10 (PC-D31) */
    plan->counter_mode =
        REG_GET(NV10_CTRL, CTR_MODE, ctrl) ? EVENT_B4 : SIMPLE; /* from NV10 on (PC-E19) */
}

static void decode_control(const struct tally_pcounter *engine, struct domain *domain)
{
    static const uint8_t gf100_modes[] = {
        [GF100_MODE__HALTED] = MODE_NONE,
        [GF100_MODE__SINGLE] = MODE_SINGLE,
        [GF100_MODE__QUAD] = MODE_QUAD,
    };
    const struct pcounter_features *features = engine->features;
    struct plan *plan = &domain->plan;
    uint32_t ctrl = domain->regs[REG_CTRL];
    unsigned mode = MODE_NONE;
    switch ((enum pcounter_layout)features->layout) {
    case LAYOUT_NV10:
        decode_shared_control(domain);
        return;
    case LAYOUT_NV40:
        mode = REG_GET(NV40_CTRL, MODE, ctrl);
        DECODE_CONTROL(NV40_CTRL, ctrl, plan);
        break;
    case LAYOUT_GF100:
        mode = REG_GET(GF100_CTRL, MODE, ctrl);
        mode = mode < ARRAY_COUNT(gf100_modes) ? gf100_modes[mode] : MODE_NONE;
        DECODE_CONTROL(GF100_CTRL, ctrl, plan);
        break;
    }
    /* A mode that the revision lacks counts nothing (PC-D18, PC-D38): RECORD before G84 (PC-E18).
     */
    const bool has[MODES] = {
        [MODE_SINGLE] = features->single,
        [MODE_QUAD] = features->quad,
        [MODE_RECORD] = features->record,
    };
    plan->mode = has[mode] ? (enum mode)mode : MODE_NONE;
    if (plan->counter_mode > EXTRA_B6_EVENT_B2) /* 5 to 7 act as SIMPLE (PC-D18) */
        plan->counter_mode = SIMPLE;
}

/* Adds the signals that the counters read besides the inputs. */
static void use_counted_sources(const struct tally_pcounter *engine, struct domain *domain)
{
    const struct plan *plan = &domain->plan;
    bool counts = plan->mode == MODE_SINGLE || plan->mode == MODE_QUAD;
    if (plan->mode == MODE_RECORD) {
        for (unsigned i = 0; i < PACKET_COUNTS; i++)
            use_source(engine, domain, (enum input)(i / 4), i % 4);
    } else if (counts && plan->counter_mode != SIMPLE) {
        for (unsigned i = 0; i < 4; i++)
            use_source(engine, domain, START, i);
        if (plan->counter_mode == EVENT_B6 || plan->counter_mode == EXTRA_B6_EVENT_B2)
            for (unsigned i = 0; i < 4; i++)
                use_source(engine, domain, EVENT, i);
    }
}

/*
 * Returns the number of the signal that is SWAP (PC-D30). Before G84 it is the trailer's
 * PM_TRIGGER: NV40 only stores SPEC_SRC (PC-D19, PC-E3).
 */
uint8_t swap_signal(const struct tally_pcounter *engine, const struct domain *domain)
{
    const struct trailer *trailer = engine->features->trailer;
    if (engine->features->swap == SWAP_SELECTED)
        return (uint8_t)REG_GET(PCOUNTER_SPEC_SRC, SWAP, domain->regs[REG_SPEC_SRC]);
    size_t i = 0;
    while (trailer->signals[i].source != TRAILER_PM_TRIGGER)
        i++;
    return (uint8_t)(domain->trailer + trailer->signals[i].published.offset);
}

void plan_domain(const struct tally_pcounter *engine, struct domain *domain)
{
    struct plan *plan = &domain->plan;
    memset(plan, 0, sizeof *plan);
    memset(plan->source_use, NO_USE, sizeof plan->source_use);
    plan->swap_use = plan->own_flag_use = plan->own_event_use = NO_USE;
    decode_control(engine, domain);
    for (unsigned i = 0; i < INPUTS; i++)
        plan->operations[i] = decode_operation(engine, domain->regs[REG_PRE_OP + i], (enum input)i);
    const struct operation *set = &plan->operations[SETFLAG], *clear = &plan->operations[CLRFLAG];
    plan->flag_idle = !set->arity && !set->table && !clear->arity && !clear->table;
    plan->flag_fixed = !set->arity && !clear->arity;
    plan->setflag_in_event = takes_setflag(&plan->operations[EVENT]);

    bool counts = plan->mode == MODE_SINGLE || plan->mode == MODE_QUAD || engine->observe ||
                  engine->features->shows_state;
    plan->needs[EVENT] = true; /* other domains may import it */
    plan->needs[PRE] = plan->needs[START] = counts;
    plan->needs[STOP] = counts || plan->mode == MODE_RECORD;
    plan->needs[CLRFLAG] = !plan->flag_idle || engine->observe;
    plan->needs[SETFLAG] = plan->needs[CLRFLAG] || plan->setflag_in_event ||
                           (plan->needs[STOP] && takes_setflag(&plan->operations[STOP]));
    for (unsigned i = 0; i < INPUTS; i++)
        if (plan->needs[i])
            use_operation(engine, domain, (enum input)i);
    use_counted_sources(engine, domain);
    unsigned inputs_uses = plan->use_count;
    if (plan->mode == MODE_QUAD || (engine->observe && engine->features->swap != SWAP_NONE))
        plan->swap_use = use_signal(plan, domain, swap_signal(engine, domain));
    plan->swap_only = plan->use_count > inputs_uses;
    plan->periodic_wave =
        tally_wave_every(PERIODIC_CLOCKS(plan->periodic), PERIODIC_CLOCKS(plan->periodic) - 1);
    find_loops(plan);
    find_leaps(domain, plan);
    domain->planned = true;
}
