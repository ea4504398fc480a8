/* SPDX-License-Identifier: MIT */
/*
 * Leaps: a domain advances over many clocks without looking at each one.
 *
 * A domain can leap if its counters depend on nothing but waves and constants: it imports no
 * signals, FLAG does not move, and no state changes on the way. Its counters then advance by counts
 * over a range of clocks (leap_functions.c).
 *
 * A leap leaves the inputs, the delay flip-flops and the synchronizers behind, because they are
 * rarely read. leap_settle() in run.c computes them when they are.
 */
#include "nvidia/pcounter/engine.h"

/* ---- counting -------------------------------------------------------------------------------- */

static uint64_t count_input(const struct tally_pcounter *engine, struct domain *domain,
                            struct workspace *w, enum input input, const struct leap_span *span)
{
    const struct operation *operation = &domain->plan.operations[input];
    if (!operation->arity) /* most inputs */
        return operation->table & 1 ? span->clocks : 0;
    return leap_ones(leap_function(engine, domain, input, span), w, span);
}

/* Whether an input has a value at all clocks. */
static bool input_is(const struct tally_pcounter *engine, struct domain *domain, enum input input,
                     const struct leap_span *span, bool value)
{
    const struct leap_function *function = leap_function(engine, domain, input, span);
    return !function->count && (function->table & 1) == value;
}

/* Counts as sum_range() does. EVENT is constant if it is a condition. */
static struct sums sum_leap(const struct tally_pcounter *engine, struct domain *domain,
                            struct workspace *w, const struct leap_span *span)
{
    const struct plan *plan = &domain->plan;
    struct source_ones ones;
    if (plan->counter_mode == SIMPLE)
        return (struct sums){.event = count_input(engine, domain, w, EVENT, span)};
    if ((plan->counter_mode == EVENT_B4 || plan->counter_mode == EVENT_B6) &&
        input_is(engine, domain, EVENT, span, false))
        return (struct sums){0};
    for (unsigned input = START; input <= EVENT; input++)
        for (unsigned slot = 0; slot < 4; slot++) {
            uint8_t use = plan->source_use[input][slot];
            ones.of[input][slot] = 0;
            if (use == NO_USE)
                continue;
            struct leap_term term = leap_term(engine, domain, plan->uses[use], span->edge);
            ones.of[input][slot] =
                tally_wave_count(term.wave, term.origin + span->edge, span->clocks);
        }
    struct sums sums = sum_digits(plan->counter_mode, &ones);
    if (plan->counter_mode == EXTRA_B4)
        sums.event = count_input(engine, domain, w, EVENT, span);
    return sums;
}

/* ---- whether a domain can leap --------------------------------------------------------------- */

/* Whether the words of a wave may be read for any clock, and again. */
static bool has_clocks(const struct tally_wave *wave)
{
    while (wave->kind == TALLY_WAVE_INVERSE)
        wave = wave->data.wave;
    return wave->kind != TALLY_WAVE_SOURCE;
}

/* Returns a mask of the USER signals of which a pulse is in USER_TRIGGER. */
static uint32_t pulsed_users(const struct tally_pcounter *engine, const struct domain *domain)
{
    uint32_t trigger = domain->regs[REG_USER_TRIGGER];
    return user_values(engine->features, trigger) & user_pulses(engine->features, trigger);
}

/* Whether SWAP is 0 from the second clock on; sets span->swaps to its value at the first one. */
static bool swaps_at_first_only(const struct tally_pcounter *engine, const struct domain *domain,
                                struct leap_span *span)
{
    uint8_t signal = domain->plan.uses[domain->plan.swap_use], driver = domain->drivers[signal];
    struct leap_term term = leap_term(engine, domain, signal, span->edge);
    span->swaps = tally_wave_at(term.wave, term.origin + span->edge);
    if (driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT && domain->user_fresh)
        span->swaps |= pulsed_users(engine, domain) >> (driver - DRIVER_USER) & 1;
    return leap_term_is_steady(&term, span->edge + 1, span->clocks - 1) &&
           !tally_wave_at(term.wave, term.origin + span->edge + 1);
}

/* Whether FLAG keeps its value if SETFLAG and CLRFLAG are constant, of which CLRFLAG wins. */
static bool is_flag_settled(const struct domain *domain)
{
    const struct plan *plan = &domain->plan;
    unsigned flags = domain->flag_history;
    if (plan->flag_idle)
        return plan->own_flag_use == NO_USE || flags == 0 || flags == 7;
    return flags == (plan->operations[CLRFLAG].table & 1 ? 0 : 7);
}

/* Whether a write to USER_TRIGGER still matters to an input: a delay flip-flop may have sampled a
 * pulse. */
static bool is_user_moving(const struct tally_pcounter *engine, const struct domain *domain)
{
    return domain->plan.users && (domain->user_fresh || pulsed_users(engine, domain));
}

enum leap leap_possible(const struct tally_pcounter *engine, struct domain *domain,
                        struct leap_span *span)
{
    const struct plan *plan = &domain->plan;
    bool active = plan->mode == MODE_SINGLE && domain->single_state != INACTIVE;
    bool frozen = plan->mode == MODE_SINGLE && !active; /* FLAG (PC-D6) */
    if (!plan->leaps || domain->hung || domain->outgoing.busy || (!plan->flag_fixed && !frozen))
        return LEAP_NO;
    for (unsigned use = 0; use < plan->use_count; use++)
        if (domain->drivers[plan->uses[use]] == DRIVER_WAVE &&
            !has_clocks(&domain->waves[plan->uses[use]].wave))
            return LEAP_NO;
    if (domain->abort || domain->start || is_user_moving(engine, domain) ||
        (frozen ? plan->own_flag_use != NO_USE && domain->flag_history % 7
                : !is_flag_settled(domain)) ||
        (plan->delays && (!domain->seen || domain->latched || domain_holds(domain))))
        return LEAP_LATER;
    if (plan->mode == MODE_QUAD && !swaps_at_first_only(engine, domain, span))
        return LEAP_NO;
    if ((plan->counter_mode == EVENT_B4 || plan->counter_mode == EVENT_B6) &&
        (plan->mode == MODE_QUAD || active) && !input_is(engine, domain, EVENT, span, true) &&
        !input_is(engine, domain, EVENT, span, false))
        return LEAP_NO;
    if (!active)
        return LEAP_YES;
    static const enum input waits_for[] = {
        [WAIT_FOR_PRE] = PRE, [WAIT_FOR_START] = START, [COUNTING] = STOP};
    return input_is(engine, domain, waits_for[domain->single_state], span, false) ? LEAP_YES
                                                                                  : LEAP_NO;
}

/* ---- the leap -------------------------------------------------------------------------------- */

static void leap_quad(const struct tally_pcounter *engine, struct domain *domain,
                      struct workspace *w, const struct leap_span *span)
{
    if (span->swaps)
        quad_swap(domain);
    struct sums sums = sum_leap(engine, domain, w, span);
    const struct quad_counts counts = {
        .cycles = span->clocks,
        .event = sums.event,
        .start = sums.has_extra ? sums.extra : count_input(engine, domain, w, START, span),
        .pre = count_input(engine, domain, w, PRE, span),
        .stop = count_input(engine, domain, w, STOP, span),
    };
    quad_add(domain, &counts);
}

/* EVENT_TOGGLE and EVENT are always up to date where software sees them. */
static void leap_event(const struct tally_pcounter *engine, struct domain *domain,
                       struct workspace *w, const struct leap_span *span)
{
    const struct leap_function *event = leap_function(engine, domain, EVENT, span);
    domain->event_toggle ^= leap_rises(event, w, domain->event, span) & 1;
    domain->event = leap_function_at(event, span->edge + span->clocks - 1);
}

void leap_domain(const struct tally_pcounter *engine, struct domain *domain, struct workspace *w,
                 const struct leap_span *span)
{
    if (domain->plan.mode == MODE_QUAD)
        leap_quad(engine, domain, w, span);
    if (domain->plan.mode == MODE_SINGLE && domain->single_state == COUNTING) {
        struct sums sums = sum_leap(engine, domain, w, span);
        single_add(engine, domain, span->clocks, &sums);
    }
    if (engine->features->shows_state)
        leap_event(engine, domain, w, span);
}
