/* SPDX-License-Identifier: MIT */
/*
 * What an input is in a leap: a truth table over the waves that vary, and its ones and rises. With
 * no wave it is constant, the ones of a single wave are counted by the wave, several waves are
 * evaluated over the period in which they all repeat, or over all clocks if that is too long.
 */
#include "base/bits.h"
#include "base/minmax.h"
#include "nvidia/pcounter/engine.h"
#include "nvidia/pcounter/logic.h"

/* Patterns are evaluated over at most this many clocks to count a longer range. */
#define PERIOD_MAX 65535u

/* ---- functions ------------------------------------------------------------------------------- */

static bool is_user(uint8_t driver)
{
    return driver >= DRIVER_USER && driver < DRIVER_OWN_EVENT;
}

struct leap_term leap_term(const struct tally_pcounter *engine, const struct domain *domain,
                           uint8_t signal, uint64_t edge)
{
    static const struct tally_wave constants[] = {{.kind = TALLY_WAVE_CONSTANT, .value = 0},
                                                  {.kind = TALLY_WAVE_CONSTANT, .value = 1}};
    uint8_t driver = domain->drivers[signal];
    bool value = false;
    if (driver == DRIVER_WAVE)
        return (struct leap_term){&domain->waves[signal].wave, -domain->waves[signal].origin};
    if (driver == DRIVER_PERIODIC)
        return (struct leap_term){periodic_wave(engine, domain), domain->periodic_counter - edge};
    if (driver == DRIVER_OWN_FLAG)
        value = domain->flag_history & 1;
    else if (is_user(driver))
        value = user_level(engine, domain, driver - DRIVER_USER);
    return (struct leap_term){&constants[value], 0};
}

bool leap_term_is_steady(const struct leap_term *term, uint64_t edge, uint64_t clocks)
{
    switch ((enum tally_wave_kind)term->wave->kind) {
    case TALLY_WAVE_CONSTANT:
        return true;
    case TALLY_WAVE_ONCE:
    case TALLY_WAVE_EVERY:
    case TALLY_WAVE_BURSTS:
    case TALLY_WAVE_EDGES:
        return tally_wave_steady(term->wave, term->origin + edge) >= clocks;
    default:
        return false;
    }
}

static bool is_same(const struct leap_term *a, const struct leap_term *b)
{
    const struct tally_wave *x = a->wave, *y = b->wave;
    return a->origin == b->origin && x->kind == y->kind && x->chance == y->chance &&
           x->length == y->length && x->value == y->value && x->data.number == y->data.number;
}

/* Sets the table and removes arguments on which it does not depend: a table of four arguments, of
 * which `arity` have terms. */
static void drop_arguments(struct leap_function *function, uint16_t table, unsigned arity)
{
    if (arity < 2) { /* most inputs are a signal, or unused */
        function->count = arity && (table ^ table >> 1) & 1;
        function->table = table & 3;
        return;
    }
    bool live[4];
    function->count = 0;
    for (unsigned i = 0; i < arity; i++) {
        live[i] = table_depends(table, i);
        if (live[i])
            function->terms[function->count++] = function->terms[i];
    }
    table = (uint16_t)(table & low_bits(1u << arity));
    for (unsigned i = arity, left = arity; i-- > 0;)
        if (!live[i])
            table = table_without(table, left--, i);
    function->table = table;
}

/* Whether a term is constant in each leap, or in none. */
static bool is_lasting(uint8_t driver, const struct tally_wave *wave)
{
    return (driver == DRIVER_WAVE || driver == DRIVER_ZERO) &&
           (wave->kind == TALLY_WAVE_CONSTANT || wave->kind == TALLY_WAVE_PATTERN ||
            wave->kind == TALLY_WAVE_RATE || wave->kind == TALLY_WAVE_PRNG ||
            wave->kind == TALLY_WAVE_SCATTER);
}

/* Makes the function of an input. Returns whether it is the same in later leaps. */
static bool make_function(const struct tally_pcounter *engine, const struct domain *domain,
                          unsigned input, const struct leap_span *span,
                          struct leap_function *function)
{
    const struct operation *operation = &domain->plan.operations[input];
    unsigned arity = operation->arity;
    uint16_t table = table_of_four(operation->table, arity);
    bool lasts = true;
    for (unsigned i = 0; i < arity; i++) {
        const struct argument *argument = &operation->arguments[i];
        uint8_t signal = domain->plan.uses[argument->use];
        struct leap_term *term = &function->terms[i];
        *term = leap_term(engine, domain, signal, span->edge);
        term->origin -= argument->kind == ARGUMENT_DELAYED;
        for (; term->wave->kind == TALLY_WAVE_INVERSE; term->wave = term->wave->data.wave)
            table = table_inverted(table, i);
        lasts = lasts && is_lasting(domain->drivers[signal], term->wave);
        if (leap_term_is_steady(term, span->edge, span->clocks)) {
            table =
                table_with_value(table, i, tally_wave_at(term->wave, term->origin + span->edge));
            continue;
        }
        for (unsigned k = 0; k < i; k++)
            if (table_depends(table, k) && is_same(&function->terms[k], term))
                table = table_with_equal(table, k, i);
    }
    drop_arguments(function, table, arity);
    return lasts;
}

const struct leap_function *leap_function(const struct tally_pcounter *engine,
                                          struct domain *domain, unsigned input,
                                          const struct leap_span *span)
{
    struct plan *plan = &domain->plan;
    struct leap_function *function = &plan->functions[input];
    if (!(plan->kept >> input & 1) && make_function(engine, domain, input, span, function))
        plan->kept |= (uint8_t)(1u << input);
    return function;
}

bool leap_function_at(const struct leap_function *function, uint64_t edge)
{
    unsigned row = 0;
    for (unsigned i = 0; i < function->count; i++)
        row |= (unsigned)tally_wave_at(function->terms[i].wave, function->terms[i].origin + edge)
               << i;
    return function->table >> row & 1;
}

/* ---- counting by evaluation ------------------------------------------------------------------ */

/* Computes the words of a function from a clock on. */
static const uint64_t *function_words(const struct leap_function *function, struct workspace *w,
                                      uint64_t edge, size_t words)
{
    const uint64_t *arguments[4];
    for (unsigned i = 0; i < function->count; i++)
        arguments[i] = tally_wave_words(function->terms[i].wave, function->terms[i].origin + edge,
                                        words, w->signal_buffers[i]);
    w->kernels->combine(function->table, function->count, arguments, words, w->inputs[0]);
    return w->inputs[0];
}

/* Something counted over a range of clocks: ones, or rises, from the value *before on. */
struct what {
    bool rises, before;
};

/* Counts by evaluating some clocks. */
static uint64_t count_evaluated(const struct leap_function *function, struct workspace *w,
                                struct what *what, uint64_t edge, uint64_t clocks)
{
    uint64_t sum = 0;
    while (clocks) {
        /* Aligned with the words of the first wave after the first piece. */
        uint64_t piece = BLOCK_CLOCKS - (function->terms[0].origin + edge) % 64;
        piece = min_u64(piece, clocks);
        const uint64_t *words = function_words(function, w, edge, words_of(piece));
        sum += what->rises ? count_rises(words, what->before, piece)
                           : w->kernels->count(words, 0, piece);
        what->before = bit_at(words, piece - 1);
        edge += piece;
        clocks -= piece;
    }
    return sum;
}

/* Returns the number of clocks after which the function repeats, or 0 if that is unknown, or too
 * long. */
static uint64_t function_period(const struct leap_function *function)
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
static uint64_t count_repeated(const struct leap_function *function, struct workspace *w,
                               struct what what, const struct leap_span *span)
{
    uint64_t period = function_period(function), edge = span->edge, clocks = span->clocks;
    if (!period || period >= clocks)
        return count_evaluated(function, w, &what, edge, clocks);
    uint64_t first = 0;
    if (what.rises) { /* the value before the leap may be that of another wave */
        first = count_evaluated(function, w, &what, edge++, 1);
        clocks--;
    }
    uint64_t rest = clocks % period;
    uint64_t part = count_evaluated(function, w, &what, edge, rest);
    uint64_t whole = part + count_evaluated(function, w, &what, edge + rest, period - rest);
    return first + clocks / period * whole + part;
}

/* ---- counting -------------------------------------------------------------------------------- */

uint64_t leap_ones(const struct leap_function *function, struct workspace *w,
                   const struct leap_span *span)
{
    if (!function->count)
        return function->table & 1 ? span->clocks : 0;
    if (function->count > 1)
        return count_repeated(function, w, (struct what){0}, span);
    const struct leap_term *term = &function->terms[0];
    uint64_t ones = tally_wave_count(term->wave, term->origin + span->edge, span->clocks);
    return function->table >> 1 & 1 ? ones : span->clocks - ones;
}

/* Counts the rises of a wave whose ones, or zeros, are never adjacent, by its ones. Returns false
 * for other waves. */
static bool count_rises_of_wave(const struct leap_function *function, bool before,
                                const struct leap_span *span, uint64_t *rises)
{
    const struct tally_wave *wave = function->terms[0].wave;
    uint64_t ones = wave->kind == TALLY_WAVE_RATE ? wave->value : 1; /* of `length` clocks */
    if (function->count != 1 || (wave->kind != TALLY_WAVE_RATE && wave->kind != TALLY_WAVE_EVERY))
        return false;
    bool inverse = function->table & 1, first = leap_function_at(function, span->edge);
    const struct leap_span early = {.edge = span->edge, .clocks = span->clocks - 1};
    if (inverse ? ones >= wave->length - ones : ones <= wave->length - ones)
        *rises = leap_ones(function, NULL, span) - (before && first);
    else /* after each 0 except one at the end */
        *rises = early.clocks - leap_ones(function, NULL, &early) + (first && !before);
    return true;
}

uint64_t leap_rises(const struct leap_function *function, struct workspace *w, bool before,
                    const struct leap_span *span)
{
    uint64_t rises;
    if (!function->count)
        return !before && (function->table & 1);
    return count_rises_of_wave(function, before, span, &rises)
               ? rises
               : count_repeated(function, w, (struct what){true, before}, span);
}
