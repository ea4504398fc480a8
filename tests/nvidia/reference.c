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
    ref->domains = 1;
    ref->latency = 8;
    for (unsigned dom = 0; dom < REF_DOMAINS; dom++) {
        ref->domain[dom].period = 1;
        ref->domain[dom].trailer = chipset == REF_GF100 ? 0xc0 : 0xe0;
    }
    return ref;
}

void reference_free(struct reference *ref)
{
    reference_memory_free(ref);
    free(ref);
}

void reference_set_domains(struct reference *ref, unsigned domains)
{
    ref->domains = domains;
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

/* PC-D34: clears the two structures, and nothing else. */
void reference_reset(struct reference *ref)
{
    memset(&ref->shared, 0, sizeof ref->shared);
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

/* PC-D21. */
static bool periodic_signal(const struct reference *ref, const struct reference_state *state)
{
    unsigned code = state->ctrl >> 21 & 7;
    bool reset = ref->shared.gctrl >> 4 & 1;
    unsigned period = 0x200u << code; /* code 1: 0x400 clocks */
    return code && !reset && state->periodic % period == period - 1;
}

/* Returns an imported signal at this domain's clock: the sample of two clocks ago, of the kind that
 * the mode bit currently selects (PC-D8). */
static bool imported(const struct reference *ref, unsigned dom, unsigned source,
                     const struct reference_import *import, unsigned mode_bit)
{
    bool has_mode = ref->chipset >= REF_NV40 && ref->chipset <= REF_GT215;
    bool pulse = has_mode && ref->domain[dom].state.ctrl >> mode_bit & 1;
    return (pulse ? import->pulse[1] : import->level[1]) >> source & 1;
}

static bool flag_of(const struct reference *ref, unsigned dom, unsigned source)
{
    const struct reference_state *state = &ref->domain[dom].state;
    if (source >= ref->domains)
        return false;
    if (source == dom)
        return state->flag_before; /* PC-D5 */
    return imported(ref, dom, source, &state->flags, 13);
}

/* The domain's own EVENT is that of the previous clock, for the first pass of PC-D4. */
static bool event_of(const struct reference *ref, unsigned dom, unsigned source)
{
    const struct reference_state *state = &ref->domain[dom].state;
    if (source >= ref->domains)
        return false;
    if (source == dom)
        return state->event;
    return imported(ref, dom, source, &state->events, 11);
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
    for (unsigned source = 0; source < REF_DOMAINS; source++) {
        trailer[events + 7 - source] = event_of(ref, dom, source);
        trailer[events + 15 - source] = flag_of(ref, dom, source);
    }
    if (ref->chipset == REF_GF100) {
        for (unsigned u = 0; u < 4; u++)
            trailer[0x27 + u] = state->user >> u & 1;
        trailer[0x2c] = 0; /* PAUSED and PERIODIC (PC-D32) */
        trailer[0x2e] = 0;
    } else if (ref->chipset == REF_NV40) {
        trailer[0x0e] = 0;
    } else {
        trailer[0x0c] = 0;
        trailer[0x0d] = periodic_signal(ref, state);
    }
}

/* ---- logic operations ---------------------------------------------------------------------- */

/* The value of SRC[i] of an input. From NV30 on SETFLAG and CLRFLAG use those of other inputs. */
static uint8_t source_value(const struct reference *ref, const struct reference_state *state,
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
    unsigned replace2 = wide ? 19 : 18, replace3 = wide ? 20 : 19;
    const uint8_t *delayed = state->delayed[input];
    unsigned arg[4];

    for (unsigned i = 0; i < 4; i++)
        arg[i] = source_value(ref, state, input, i);
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
    return signals[domain->state.spec_src & 0xff];
}

/* PC-D4: SETFLAG and EVENT use the domain's own EVENT of the previous clock; everything else, and
 * SETFLAG again, uses that of this clock. */
static struct reference_clock take_inputs(const struct reference *ref,
                                          struct reference_domain *domain, unsigned dom)
{
    struct reference_state *state = &domain->state;
    struct reference_clock clock = {0};

    bool early_setflag = evaluate(ref, state, IN_SETFLAG, false);
    bool event = evaluate(ref, state, IN_EVENT, early_setflag);
    if (ref->chipset >= REF_NV40)
        state->signals[domain->trailer + event_offset(ref) + 7 - dom] = event;

    bool setflag = evaluate(ref, state, IN_SETFLAG, false);
    clock.inputs[IN_EVENT] = event;
    clock.inputs[IN_SETFLAG] = setflag;
    clock.inputs[IN_CLRFLAG] = evaluate(ref, state, IN_CLRFLAG, false);
    clock.inputs[IN_PRE] = evaluate(ref, state, IN_PRE, false);
    clock.inputs[IN_START] = evaluate(ref, state, IN_START, false);
    clock.inputs[IN_STOP] = evaluate(ref, state, IN_STOP, setflag);
    clock.swap = swap_input(ref, domain);
    for (unsigned i = 0; i < 4; i++) {
        clock.sources[IN_PRE][i] = source_value(ref, state, IN_PRE, i);
        clock.sources[IN_START][i] = source_value(ref, state, IN_START, i);
        clock.sources[IN_EVENT][i] = source_value(ref, state, IN_EVENT, i);
    }
    return clock;
}

/* ---- imports between domains (PC-D7, PC-D8)
 * ------------------------------------------------------ */

/* Publishes the EVENT and FLAG signals of this clock, and 0-to-1 transitions, to the other domains.
 */
static void publish(struct reference *ref, unsigned dom, bool event, bool flag_signal)
{
    struct reference_state *state = &ref->domain[dom].state;
    bool event_rises = event && !state->event;
    bool flag_rises = flag_signal && !state->flag_signal;
    for (unsigned other = 0; other < ref->domains; other++) {
        struct reference_state *importer = &ref->domain[other].state;
        importer->events.rising |= (uint8_t)(event_rises << dom);
        importer->flags.rising |= (uint8_t)(flag_rises << dom);
    }
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
    uint8_t events = 0, flags = 0;
    if (state->hung)
        return;
    for (unsigned source = 0; source < ref->domains; source++) {
        events |= (uint8_t)(ref->domain[source].state.event << source);
        flags |= (uint8_t)(ref->domain[source].state.flag_signal << source);
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

    if (state->hung) /* 0 */
        return;
    if (!reference_packet_clock(ref, dom)) /* 1 */
        return;
    clock_user(state);                                                 /* 2 */
    take_signals(ref, dom, n);                                         /* 3 */
    struct reference_clock clock = take_inputs(ref, domain, dom);      /* 4 */
    publish(ref, dom, clock.inputs[IN_EVENT], flag_of(ref, dom, dom)); /* 5 */
    state->flag_before = state->flag;
    reference_step(ref, dom, &clock);                   /* 6, 7 */
    for (unsigned input = 0; input < IN_COUNT; input++) /* 8 */
        for (unsigned i = 0; i < 2; i++)
            state->delayed[input][i] = source_value(ref, state, (enum reference_input)input, i);
    state->config_written = state->pre_op_written = false;
    if (ref->shared.gctrl >> 4 & 1)
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
