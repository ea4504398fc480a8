/* SPDX-License-Identifier: MIT */
/* Ticks and clocks: waveforms, signals, imports from other domains, logic operations, FLAG. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* ---- set-up -------------------------------------------------------------------------------- */

struct reference *reference_new(enum reference_chipset chipset)
{
    struct reference *ref = calloc(1, sizeof *ref);
    if (!ref)
        return NULL;
    ref->chipset = chipset;
    ref->latency = 8;
    for (unsigned dom = 0; dom < REF_DOMAINS; dom++) {
        ref->domain[dom].period = 1;
        ref->domain[dom].trailer = chipset == REF_GF100 ? 0xc0 : 0xe0;
    }
    reference_add_set(ref, 1, 0x180000, 0x1b8000);
    return ref;
}

void reference_free(struct reference *ref)
{
    reference_memory_free(ref);
    free(ref);
}

void reference_remove_domains(struct reference *ref)
{
    ref->domains = ref->set_count = 0;
}

void reference_add_set(struct reference *ref, unsigned domains, uint64_t domain_block,
                       uint64_t address)
{
    ref->set[ref->set_count] = (struct reference_set){
        .first = ref->domains, .count = domains, .domain_block = domain_block, .address = address};
    for (unsigned i = 0; i < domains; i++) {
        ref->domain[ref->domains].set = ref->set_count;
        ref->domain[ref->domains++].index = i;
    }
    ref->set_count++;
}

void reference_set_clock(struct reference *ref, unsigned dom, uint64_t period, uint64_t phase)
{
    ref->domain[dom].period = period;
    ref->domain[dom].wait = phase;
}

void reference_set_wave(struct reference *ref, unsigned dom, unsigned index,
                        struct reference_wave wave)
{
    struct reference_domain *domain = &ref->domain[dom];
    wave.start = domain->edges;
    domain->waves[index] = wave;
    domain->varying_count = 0;
    for (unsigned i = 0; i < REF_SIGNALS; i++) {
        bool constant = domain->waves[i].kind == WAVE_CONST;
        domain->constants[i] = constant && domain->waves[i].a;
        if (!constant)
            domain->varying[domain->varying_count++] = (uint8_t)i;
    }
}

/* PC-D34: clears the two structures and DSET_CTRL, and nothing else. */
void reference_reset(struct reference *ref)
{
    memset(&ref->shared, 0, sizeof ref->shared);
    for (unsigned set = 0; set < ref->set_count; set++)
        ref->set[set].ctrl = 0;
    for (unsigned dom = 0; dom < REF_DOMAINS; dom++)
        memset(&ref->domain[dom].state, 0, sizeof ref->domain[dom].state);
}

/* ---- waveforms (PCT-3) ------------------------------------------------------ */

static uint64_t splitmix64(uint64_t seed, uint64_t m)
{
    uint64_t z = seed + (m + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool wave_value(const struct reference_wave *wave, uint64_t n, uint8_t user)
{
    uint64_t k = n - wave->start;
    switch (wave->kind) {
    case WAVE_CONST:
        return wave->a;
    case WAVE_PATTERN:
        return wave->bits[k % wave->bit_count] == '1';
    case WAVE_ONCE:
        return k < wave->bit_count && wave->bits[k] == '1';
    case WAVE_EVERY:
        return k % wave->a == wave->b;
    case WAVE_PRNG:
        return ((splitmix64(wave->a, k / 8) >> (8 * (k % 8))) & 0xff) < wave->b;
    case WAVE_USER:
        return user >> wave->a & 1;
    }
    return false;
}

/* ---- signals of one clock ------------------------------------------------------------------ */

/* PERIODIC_RESET: GCTRL's, on gf100 that of the domain set (PC-D42). */
static bool periodic_reset(const struct reference *ref, unsigned dom)
{
    if (ref->chipset == REF_GF100)
        return ref->set[ref->domain[dom].set].ctrl >> 4 & 1;
    return ref->shared.gctrl >> 4 & 1;
}

/* PC-D21. */
static bool periodic_signal(const struct reference *ref, unsigned dom)
{
    const struct reference_state *state = &ref->domain[dom].state;
    unsigned code = state->ctrl >> 21 & 7;
    bool reset = periodic_reset(ref, dom);
    unsigned period = 0x200u << code; /* code 1: 0x400 clocks */
    return code && !reset && state->periodic % period == period - 1;
}

/* Returns an imported signal at this domain's clock: the sample of two clocks ago, of the kind that
 * the mode bit currently selects (PC-D8, PC-D43). */
static bool imported(const struct reference *ref, unsigned dom, unsigned source,
                     const struct reference_import *import, unsigned mode_bit)
{
    bool has_mode = ref->chipset >= REF_NV40;
    bool pulse = has_mode && ref->domain[dom].state.ctrl >> mode_bit & 1;
    return (pulse ? import->pulse[1] : import->level[1]) >> source & 1;
}

/* `source` is a number within the domain set, here and below. */
static bool flag_of(const struct reference *ref, unsigned dom, unsigned source)
{
    const struct reference_domain *domain = &ref->domain[dom];
    if (source >= ref->set[domain->set].count)
        return false;
    if (source == domain->index)
        return domain->state.flag_before; /* PC-D5 */
    return imported(ref, dom, source, &domain->state.flags, ref->chipset == REF_GF100 ? 8 : 13);
}

/* The domain's own EVENT is that of the previous clock, for the first pass of PC-D4. */
static bool event_of(const struct reference *ref, unsigned dom, unsigned source)
{
    const struct reference_domain *domain = &ref->domain[dom];
    if (source >= ref->set[domain->set].count)
        return false;
    if (source == domain->index)
        return domain->state.event;
    return imported(ref, dom, source, &domain->state.events, ref->chipset == REF_GF100 ? 7 : 11);
}

/* Returns the offset of the EVENT signals of domains 7..0 from the trailer base; FLAG follows. */
static unsigned event_offset(const struct reference *ref)
{
    return ref->chipset == REF_GF100 ? 0x30 : 0x10;
}

/* Computes all 256 signals of this clock (testbench, sections 3 and 5); the domain's own EVENT is
 * still that of the previous clock. */
static void take_signals(struct reference *ref, unsigned dom, uint64_t n)
{
    struct reference_domain *domain = &ref->domain[dom];
    struct reference_state *state = &domain->state;
    uint8_t *signals = state->signals, *trailer = signals + domain->trailer;

    memcpy(signals, domain->constants, sizeof state->signals);
    for (unsigned i = 0; i < domain->varying_count; i++) {
        unsigned index = domain->varying[i];
        signals[index] = wave_value(&domain->waves[index], n, state->user);
    }

    if (ref->chipset <= REF_NV15) {
        trailer[0x1f] = flag_of(ref, dom, 0);
        return;
    }
    if (ref->chipset <= REF_NV30) {
        trailer[0x1e] = flag_of(ref, dom, 1);
        trailer[0x1f] = flag_of(ref, dom, 0);
        return;
    }
    unsigned events = event_offset(ref);
    for (unsigned source = 0; source < REF_SET_DOMAINS; source++) {
        trailer[events + 7 - source] = event_of(ref, dom, source);
        trailer[events + 15 - source] = flag_of(ref, dom, source);
    }
    if (ref->chipset == REF_GF100) {
        for (unsigned u = 0; u < 4; u++)
            trailer[0x27 + u] = state->user >> u & 1;
        trailer[0x2c] = 0; /* PAUSED (PC-D32) */
        trailer[0x2e] = periodic_signal(ref, dom);
    } else if (ref->chipset == REF_NV40) {
        trailer[0x0e] = 0;
    } else {
        trailer[0x0c] = 0;
        trailer[0x0d] = periodic_signal(ref, dom);
    }
}

/* ---- logic operations ---------------------------------------------------------------------- */

uint8_t reference_source(const struct reference *ref, const struct reference_state *state,
                         enum reference_input input, unsigned i)
{
    if (ref->chipset >= REF_NV30 && input == IN_SETFLAG) {
        input = i < 2 ? IN_START : IN_PRE;
        i ^= 2; /* START_SRC[2], START_SRC[3], PRE_SRC[0], PRE_SRC[1] */
    } else if (ref->chipset >= REF_NV30 && input == IN_CLRFLAG) {
        input = i < 2 ? IN_PRE : IN_START;
        i ^= 2; /* PRE_SRC[2], PRE_SRC[3], START_SRC[0], START_SRC[1] */
    }
    return state->signals[state->src[input] >> (8 * i) & 0xff];
}

/* Follows the steps of the document. Bits that a chipset lacks were never stored in OP. */
static bool evaluate(const struct reference *ref, const struct reference_state *state,
                     enum reference_input input, bool setflag)
{
    uint32_t op = state->op[input];
    bool wide = input == IN_EVENT || input == IN_STOP;
    bool late = wide || ref->chipset == REF_GF100; /* PC-D37 */
    unsigned replace2 = late ? 19 : 18, replace3 = late ? 20 : 19;
    const uint8_t *delayed = state->delayed[input];
    unsigned arg[4];

    for (unsigned i = 0; i < 4; i++)
        arg[i] = reference_source(ref, state, input, i);
    if (op >> 16 & 1)
        arg[0] = delayed[0];
    if (op >> 17 & 1)
        arg[1] = delayed[1];
    if (op >> replace2 & 1)
        arg[2] = delayed[0];
    if (op >> replace3 & 1)
        arg[3] = delayed[1];
    if (wide && op >> 18 & 1)
        arg[3] = setflag;
    return op >> (arg[0] | arg[1] << 1 | arg[2] << 2 | arg[3] << 3) & 1;
}

static bool swap_input(const struct reference *ref, const struct reference_domain *domain)
{
    const uint8_t *signals = domain->state.signals;
    if (ref->chipset == REF_NV30)
        return signals[domain->trailer + 0x1d];
    if (ref->chipset == REF_NV40)
        return signals[domain->trailer + 0x0f];
    if (ref->chipset == REF_GF100)
        return signals[domain->state.swap_src];
    return signals[domain->state.spec_src & 0xff];
}

/* PC-D4: SETFLAG and EVENT use the domain's own EVENT of the previous clock; everything else, and
 * SETFLAG again, uses that of this clock. */
static struct reference_clock take_inputs(const struct reference *ref,
                                          struct reference_domain *domain)
{
    struct reference_state *state = &domain->state;
    struct reference_clock clock = {0};

    bool early_setflag = evaluate(ref, state, IN_SETFLAG, false);
    bool event = evaluate(ref, state, IN_EVENT, early_setflag);
    if (ref->chipset >= REF_NV40)
        state->signals[domain->trailer + event_offset(ref) + 7 - domain->index] = event;

    bool setflag = evaluate(ref, state, IN_SETFLAG, false);
    clock.inputs[IN_EVENT] = event;
    clock.inputs[IN_SETFLAG] = setflag;
    clock.inputs[IN_CLRFLAG] = evaluate(ref, state, IN_CLRFLAG, false);
    clock.inputs[IN_PRE] = evaluate(ref, state, IN_PRE, false);
    clock.inputs[IN_START] = evaluate(ref, state, IN_START, false);
    clock.inputs[IN_STOP] = evaluate(ref, state, IN_STOP, setflag);
    clock.swap = swap_input(ref, domain);
    for (unsigned i = 0; i < 4; i++) {
        clock.sources[IN_PRE][i] = reference_source(ref, state, IN_PRE, i);
        clock.sources[IN_START][i] = reference_source(ref, state, IN_START, i);
        clock.sources[IN_EVENT][i] = reference_source(ref, state, IN_EVENT, i);
    }
    return clock;
}

/* ---- imports between domains (PC-D7, PC-D8)
 * ------------------------------------------------------ */

/* Publishes the EVENT and FLAG signals of this clock, and 0-to-1 transitions, to the domains of the
 * set. */
static void publish(struct reference *ref, unsigned dom, bool event, bool flag_signal)
{
    struct reference_state *state = &ref->domain[dom].state;
    const struct reference_set *set = &ref->set[ref->domain[dom].set];
    unsigned index = ref->domain[dom].index;
    bool event_rises = event && !state->event;
    bool flag_rises = flag_signal && !state->flag_signal;
    for (unsigned other = 0; other < set->count; other++) {
        struct reference_state *importer = &ref->domain[set->first + other].state;
        importer->events.rising |= (uint8_t)(event_rises << index);
        importer->flags.rising |= (uint8_t)(flag_rises << index);
    }
    state->event_toggle ^= event_rises;
    state->event = event;
    state->flag_signal = flag_signal;
}

static void sample(struct reference_import *import, uint8_t level)
{
    import->level[1] = import->level[0];
    import->level[0] = level;
    import->pulse[1] = import->pulse[0];
    import->pulse[0] = import->rising;
    import->rising = 0;
}

/* Phase 2 of a tick for one domain. */
static void take_samples(struct reference *ref, unsigned dom)
{
    struct reference_state *state = &ref->domain[dom].state;
    const struct reference_set *set = &ref->set[ref->domain[dom].set];
    uint8_t events = 0, flags = 0;
    if (state->hung || ref->shared.disabled)
        return;
    for (unsigned source = 0; source < set->count; source++) {
        const struct reference_state *exporter = &ref->domain[set->first + source].state;
        events |= (uint8_t)(exporter->event << source);
        flags |= (uint8_t)(exporter->flag_signal << source);
    }
    sample(&state->events, events);
    sample(&state->flags, flags);
}

/* ---- clocks and ticks ---------------------------------------------------------------------- */

/* PC-D22: at the second clock after a write the bits in pulse mode fall. */
static void clock_user(struct reference_state *state)
{
    if (state->user_clocks == 1)
        state->user &= (uint8_t)~state->user_pulse;
    if (state->user_clocks < 2)
        state->user_clocks++;
}

/* Phase 1 of a tick for one domain; the numbers are those of PCT-4. */
static void clock_domain(struct reference *ref, unsigned dom)
{
    struct reference_domain *domain = &ref->domain[dom];
    struct reference_state *state = &domain->state;
    uint64_t n = domain->edges++; /* hung or not */

    if (state->hung || ref->shared.disabled) /* 0 */
        return;
    if (!reference_packet_clock(ref, dom)) /* 1 */
        return;
    clock_user(state);                                       /* 2 */
    take_signals(ref, dom, n);                               /* 3 */
    struct reference_clock clock = take_inputs(ref, domain); /* 4 */
    memcpy(state->inputs, clock.inputs, sizeof state->inputs);
    publish(ref, dom, clock.inputs[IN_EVENT], state->flag_before); /* 5 */
    state->flag_before = state->flag;
    reference_step(ref, dom, &clock);                   /* 6, 7 */
    for (unsigned input = 0; input < IN_COUNT; input++) /* 8 */
        for (unsigned i = 0; i < 2; i++)
            state->delayed[input][i] = reference_source(ref, state, (enum reference_input)input, i);
    state->abort = state->begin = false;
    if (periodic_reset(ref, dom))
        state->periodic = 0;
    else
        state->periodic++;
}

/* One tick. The caller made sure that some domain has an edge in it. */
static void tick(struct reference *ref)
{
    for (unsigned dom = 0; dom < ref->domains; dom++)
        if (ref->domain[dom].wait == 0)
            clock_domain(ref, dom);
    for (unsigned dom = 0; dom < ref->domains; dom++)
        if (ref->domain[dom].wait == 0) {
            take_samples(ref, dom);
            ref->domain[dom].wait = ref->domain[dom].period;
        }
}

static void pass(struct reference *ref, uint64_t ticks)
{
    for (unsigned dom = 0; dom < ref->domains; dom++)
        ref->domain[dom].wait -= ticks;
}

/* Skips ticks in which no domain has an edge. */
void reference_ticks(struct reference *ref, uint64_t ticks)
{
    while (ticks) {
        uint64_t idle = UINT64_MAX;
        for (unsigned dom = 0; dom < ref->domains; dom++)
            if (ref->domain[dom].wait < idle)
                idle = ref->domain[dom].wait;
        if (idle >= ticks) {
            pass(ref, ticks);
            return;
        }
        pass(ref, idle);
        tick(ref);
        pass(ref, 1);
        ticks -= idle + 1;
    }
}
