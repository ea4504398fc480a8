/* SPDX-License-Identifier: MIT */
/*
 * Leaps: a domain advances over many clocks without looking at each one.
 *
 * A domain can leap if its counters depend on nothing but waves and constants: it imports no
 * signals, FLAG does not move, and no state changes on the way. Its counters then advance by counts
 * over a range of clocks. An input is reduced to a truth table over the waves that vary in the
 * range: with none it is constant, the ones of a single wave are counted by the wave, several waves
 * are evaluated over the period in which they all repeat, or over all clocks if that is too long.
 *
 * A leap leaves the inputs, the delay flip-flops and the synchronizers behind, because they are
 * rarely read. leap_settle() in run.c computes them when they are.
 */
#include "base/bits.h"
#include "base/minmax.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/logic.h"

/* Patterns are evaluated over at most this many clocks to count a longer range. */
#define PERIOD_MAX 65535u

/* A wave, and its clock at the first clock of the leap. */
struct term {
    const struct tally_wave *wave;
    uint64_t first;
};

/* What an input is in a leap: a truth table of 2^count bits over waves that vary. */
struct function {
    uint16_t table;
    unsigned count;
    struct term terms[4];
};

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns what drives a signal from clock `edge` on. */
static struct term term_of(const struct tally_pcounter *engine, const struct domain *domain,
                           uint8_t signal, uint64_t edge)
{
    static const struct tally_wave constants[] = {{.kind = TALLY_WAVE_CONSTANT, .value = 0},
                                                  {.kind = TALLY_WAVE_CONSTANT, .value = 1}};
    uint8_t driver = domain->drivers[signal];
    bool value = false;
    if (driver == DRIVER_WAVE)
        return (struct term){&domain->waves[signal].wave, edge - domain->waves[signal].origin};
    if (driver == DRIVER_PERIODIC)
        return (struct term){periodic_wave(engine, domain), domain->periodic_counter};
    if (driver == DRIVER_OWN_FLAG)
        value = domain->flag_history & 1;
    else if (driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT)
        value = user_level(engine, domain, driver - DRIVER_USER);
    return (struct term){&constants[value], 0};
}

/* Whether the wave keeps its value for some clocks. */
static bool is_steady(const struct term *term, uint64_t clocks)
{
    switch ((enum tally_wave_kind)term->wave->kind) {
    case TALLY_WAVE_CONSTANT:
        return true;
    case TALLY_WAVE_ONCE:
    case TALLY_WAVE_EVERY:
    case TALLY_WAVE_BURSTS:
    case TALLY_WAVE_EDGES:
        return tally_wave_steady(term->wave, term->first) >= clocks;
    default:
        return false;
    }
}

static bool is_same(const struct term *a, const struct term *b)
{
    const struct tally_wave *x = a->wave, *y = b->wave;
    return a->first == b->first && x->kind == y->kind && x->chance == y->chance &&
           x->length == y->length && x->value == y->value && x->data.number == y->data.number;
}

/* Sets the table and removes arguments on which it does not depend: a table of four arguments, of
 * which `arity` have terms. */
static void drop_arguments(struct function *function, uint16_t table, unsigned arity)
{
    if (arity < 2) { /* most inputs are a signal, or unused */
        function->count = arity && (table ^ table >> 1) & 1;
        function->table = table & 3;
        return;
    }
    bool live[4];
    function->count = 0;
    for (unsigned i = 0; i < 4; i++) {
        live[i] = table_depends(table, i);
        if (live[i])
            function->terms[function->count++] = function->terms[i];
    }
    for (unsigned i = 4, left = 4; i-- > 0;)
        if (!live[i])
            table = table_without(table, left--, i);
    function->table = table;
}

/* Makes the function of an input for some clocks, starting with clock `edge`. */
static void make_function(const struct tally_pcounter *engine, const struct domain *domain,
                          enum input input, uint64_t edge, uint64_t clocks,
                          struct function *function)
{
    const struct operation *operation = &domain->plan.operations[input];
    unsigned arity = operation->arity;
    uint16_t table = table_of_four(operation->table, arity);
    for (unsigned i = 0; i < arity; i++) {
        const struct argument *argument = &operation->arguments[i];
        struct term *term = &function->terms[i];
        *term = term_of(engine, domain, domain->plan.uses[argument->use], edge);
        term->first -= argument->kind == ARGUMENT_DELAYED;
        for (; term->wave->kind == TALLY_WAVE_INVERSE; term->wave = term->wave->data.wave)
            table = table_inverted(table, i);
        if (is_steady(term, clocks)) {
            table = table_with_value(table, i, tally_wave_at(term->wave, term->first));
            continue;
        }
        for (unsigned k = 0; k < i; k++)
            if (table_depends(table, k) && is_same(&function->terms[k], term))
                table = table_with_equal(table, k, i);
    }
    drop_arguments(function, table, arity);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Computes the words of a function from a clock of the leap on. */
static const uint64_t *function_words(const struct function *function, struct workspace *w,
                                      uint64_t from, size_t words)
{
    const uint64_t *arguments[4];
    for (unsigned i = 0; i < function->count; i++)
        arguments[i] = tally_wave_words(function->terms[i].wave, function->terms[i].first + from,
                                        words, w->signal_buffers[i]);
    w->kernels->combine(function->table, function->count, arguments, words, w->inputs[0]);
    return w->inputs[0];
}

/* Something counted over a range of clocks: ones, or rises, from the value *before on. */
struct what {
    bool rises, before;
};

/* Counts by evaluating the clocks [from, to) of the leap. */
static uint64_t count_evaluated(const struct function *function, struct workspace *w,
                                struct what *what, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    while (from < to) {
        /* Aligned with the words of the first wave after the first piece. */
        uint64_t piece = BLOCK_CLOCKS - (function->terms[0].first + from) % 64;
        uint64_t clocks = min_u64(piece, to - from);
        const uint64_t *words = function_words(function, w, from, words_of(clocks));
        sum += what->rises ? count_rises(words, what->before, clocks)
                           : w->kernels->count(words, 0, clocks);
        what->before = bit_at(words, clocks - 1);
        from += clocks;
    }
    return sum;
}

/* Returns the number of clocks after which the function repeats, or 0 if that is unknown, or too
 * long. */
static uint64_t function_period(const struct function *function)
{
    uint64_t period = 1;
    for (unsigned i = 0; i < function->count; i++) {
        const struct tally_wave *wave = function->terms[i].wave;
        bool repeats = wave->kind == TALLY_WAVE_PATTERN || wave->kind == TALLY_WAVE_EVERY ||
                       wave->kind == TALLY_WAVE_RATE;
        if (!repeats || wave->length > PERIOD_MAX)
            return 0;
        uint64_t common = period, rest = wave->length;
        while (rest) {
            uint64_t next = common % rest;
            common = rest, rest = next;
        }
        period = period / common * wave->length;
        if (period > PERIOD_MAX)
            return 0;
    }
    return period;
}

/* Counts over a leap by evaluating no more clocks than necessary. */
static uint64_t count_repeated(const struct function *function, struct workspace *w,
                               struct what what, uint64_t clocks)
{
    uint64_t period = function_period(function);
    if (!period || period >= clocks)
        return count_evaluated(function, w, &what, 0, clocks);
    if (what.rises) { /* the value before the leap may be that of another wave */
        uint64_t first = count_evaluated(function, w, &what, 0, 1);
        uint64_t rest = (clocks - 1) % period;
        uint64_t part = count_evaluated(function, w, &what, 1, 1 + rest);
        uint64_t whole = part + count_evaluated(function, w, &what, 1 + rest, 1 + period);
        return first + (clocks - 1) / period * whole + part;
    }
    uint64_t part = count_evaluated(function, w, &what, 0, clocks % period);
    uint64_t whole = part + count_evaluated(function, w, &what, clocks % period, period);
    return clocks / period * whole + part;
}

/* Returns the ones of a function in the first `clocks` clocks of a leap. */
static uint64_t count_function(const struct function *function, struct workspace *w,
                               uint64_t clocks)
{
    if (!function->count)
        return function->table & 1 ? clocks : 0;
    if (function->count > 1)
        return count_repeated(function, w, (struct what){0}, clocks);
    const struct term *term = &function->terms[0];
    uint64_t ones = tally_wave_count(term->wave, term->first, clocks);
    return function->table >> 1 & 1 ? ones : clocks - ones;
}

/* Whether a function is 1 at a clock of the leap. */
static bool function_at(const struct function *function, uint64_t clock)
{
    unsigned row = 0;
    for (unsigned i = 0; i < function->count; i++)
        row |= (unsigned)tally_wave_at(function->terms[i].wave, function->terms[i].first + clock)
               << i;
    return function->table >> row & 1;
}

/* Counts the rises of a wave whose ones, or zeros, are never adjacent, by its ones. Returns false
 * for other waves. */
static bool count_rises_of_wave(const struct function *function, bool before, uint64_t clocks,
                                uint64_t *rises)
{
    const struct tally_wave *wave = function->terms[0].wave;
    uint64_t ones = wave->kind == TALLY_WAVE_RATE ? wave->value : 1; /* of `length` clocks */
    if (function->count != 1 || (wave->kind != TALLY_WAVE_RATE && wave->kind != TALLY_WAVE_EVERY))
        return false;
    bool inverse = function->table & 1, first = function_at(function, 0);
    if (inverse ? ones >= wave->length - ones : ones <= wave->length - ones)
        *rises = count_function(function, NULL, clocks) - (before && first);
    else /* after each 0 except one at the end */
        *rises = clocks - 1 - count_function(function, NULL, clocks - 1) + (first && !before);
    return true;
}

/* Returns how often a function rises in the first `clocks` clocks of a leap. */
static uint64_t count_function_rises(const struct function *function, struct workspace *w,
                                     bool before, uint64_t clocks)
{
    uint64_t rises;
    if (!function->count)
        return !before && (function->table & 1);
    return count_rises_of_wave(function, before, clocks, &rises)
               ? rises
               : count_repeated(function, w, (struct what){true, before}, clocks);
}

static uint64_t count_input(const struct tally_pcounter *engine, const struct domain *domain,
                            struct workspace *w, enum input input, uint64_t clocks)
{
    struct function function;
    make_function(engine, domain, input, w->first_edge, clocks, &function);
    return count_function(&function, w, clocks);
}

/* Whether an input has a value at all clocks. */
static bool input_is(const struct tally_pcounter *engine, const struct domain *domain,
                     enum input input, uint64_t edge, uint64_t clocks, bool value)
{
    struct function function;
    make_function(engine, domain, input, edge, clocks, &function);
    return !function.count && (function.table & 1) == value;
}

/* Counts as sum_range() does. EVENT is constant if it is a condition. */
static struct sums sum_leap(const struct tally_pcounter *engine, const struct domain *domain,
                            struct workspace *w, uint64_t clocks)
{
    const struct plan *plan = &domain->plan;
    struct source_ones ones;
    if (plan->counter_mode == SIMPLE)
        return (struct sums){.event = count_input(engine, domain, w, EVENT, clocks)};
    if ((plan->counter_mode == EVENT_B4 || plan->counter_mode == EVENT_B6) &&
        input_is(engine, domain, EVENT, w->first_edge, clocks, false))
        return (struct sums){0};
    for (unsigned input = START; input <= EVENT; input++)
        for (unsigned slot = 0; slot < 4; slot++) {
            uint8_t use = plan->source_use[input][slot];
            ones.of[input][slot] = 0;
            if (use == NO_USE)
                continue;
            struct term term = term_of(engine, domain, plan->uses[use], w->first_edge);
            ones.of[input][slot] = tally_wave_count(term.wave, term.first, clocks);
        }
    struct sums sums = sum_digits(plan->counter_mode, &ones);
    if (plan->counter_mode == EXTRA_B4)
        sums.event = count_input(engine, domain, w, EVENT, clocks);
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

/* Whether SWAP is 0 from the second clock on; sets *first to its value at the first one. */
static bool swaps_at_first_only(const struct tally_pcounter *engine, const struct domain *domain,
                                uint64_t edge, uint64_t clocks, bool *first)
{
    uint8_t signal = domain->plan.uses[domain->plan.swap_use], driver = domain->drivers[signal];
    struct term term = term_of(engine, domain, signal, edge);
    *first = tally_wave_at(term.wave, term.first++);
    if (driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT && domain->user_fresh)
        *first |= pulsed_users(engine, domain) >> (driver - DRIVER_USER) & 1;
    return is_steady(&term, clocks - 1) && !tally_wave_at(term.wave, term.first);
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

enum leap leap_possible(const struct tally_pcounter *engine, const struct domain *domain,
                        uint64_t edge, uint64_t clocks)
{
    const struct plan *plan = &domain->plan;
    bool active = plan->mode == MODE_SINGLE && domain->single_state != INACTIVE, swap;
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
    if (plan->mode == MODE_QUAD && !swaps_at_first_only(engine, domain, edge, clocks, &swap))
        return LEAP_NO;
    if ((plan->counter_mode == EVENT_B4 || plan->counter_mode == EVENT_B6) &&
        (plan->mode == MODE_QUAD || active) &&
        !input_is(engine, domain, EVENT, edge, clocks, true) &&
        !input_is(engine, domain, EVENT, edge, clocks, false))
        return LEAP_NO;
    if (!active)
        return LEAP_YES;
    static const enum input waits_for[] = {
        [WAIT_FOR_PRE] = PRE, [WAIT_FOR_START] = START, [COUNTING] = STOP};
    return input_is(engine, domain, waits_for[domain->single_state], edge, clocks, false) ? LEAP_YES
                                                                                          : LEAP_NO;
}

/* ---- the leap -------------------------------------------------------------------------------- */

static void leap_quad(const struct tally_pcounter *engine, struct domain *domain,
                      struct workspace *w, uint64_t clocks)
{
    bool swap;
    swaps_at_first_only(engine, domain, w->first_edge, clocks, &swap);
    if (swap)
        quad_swap(domain);
    struct sums sums = sum_leap(engine, domain, w, clocks);
    const struct quad_counts counts = {
        .cycles = clocks,
        .event = sums.event,
        .start = sums.has_extra ? sums.extra : count_input(engine, domain, w, START, clocks),
        .pre = count_input(engine, domain, w, PRE, clocks),
        .stop = count_input(engine, domain, w, STOP, clocks),
    };
    quad_add(domain, &counts);
}

/* EVENT_TOGGLE and EVENT are always up to date where software sees them. */
static void leap_event(const struct tally_pcounter *engine, struct domain *domain,
                       struct workspace *w, uint64_t clocks)
{
    struct function event;
    make_function(engine, domain, EVENT, w->first_edge, clocks, &event);
    domain->event_toggle ^= count_function_rises(&event, w, domain->event, clocks) & 1;
    domain->event = function_at(&event, clocks - 1);
}

void leap_domain(const struct tally_pcounter *engine, struct domain *domain, struct workspace *w,
                 uint64_t edge, uint64_t clocks)
{
    w->first_edge = edge;
    if (domain->plan.mode == MODE_QUAD)
        leap_quad(engine, domain, w, clocks);
    if (domain->plan.mode == MODE_SINGLE && domain->single_state == COUNTING) {
        struct sums sums = sum_leap(engine, domain, w, clocks);
        single_add(engine, domain, clocks, &sums);
    }
    if (engine->features->shows_state)
        leap_event(engine, domain, w, clocks);
}
