/* SPDX-License-Identifier: MIT */
/* Computes the inputs PRE, START, EVENT, STOP, SETFLAG, CLRFLAG and the FLAG of a block of clocks.
 */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* ---- inputs ---------------------------------------------------------------------------------- */

static const uint64_t *argument_words(const struct domain *domain, struct workspace *w,
                                      enum input input, const struct argument *argument)
{
    if (argument->kind == ARGUMENT_SETFLAG)
        return w->inputs[SETFLAG];
    if (argument->kind == ARGUMENT_SIGNAL)
        return w->signals[argument->use];
    const uint64_t **delayed = &w->delayed[input][argument->slot];
    if (!*delayed) {
        uint64_t *buffer = w->delay_buffers[input][argument->slot];
        w->kernels->delay(w->signals[argument->use], 1, domain->delays[input] >> argument->slot & 1,
                          w->words, buffer);
        *delayed = buffer;
    }
    return *delayed;
}

void evaluate_input(const struct domain *domain, struct workspace *w, enum input input,
                    uint64_t *out)
{
    const struct operation *operation = &domain->plan.operations[input];
    const uint64_t *arguments[4] = {0};
    for (unsigned i = 0; i < operation->arity; i++)
        arguments[i] = argument_words(domain, w, input, &operation->arguments[i]);
    w->kernels->combine(operation->table, operation->arity, arguments, w->words, out);
}

/* ---- FLAG ------------------------------------------------------------------------------------ */

/*
 * Computes FLAG after each clock from SETFLAG and CLRFLAG; the later one of them wins. This is the
 * carry of an addition: SETFLAG generates a carry, CLRFLAG stops it, and clocks with neither
 * propagate it, so one addition computes 64 clocks. Returns FLAG after the last word.
 */
static uint64_t set_and_clear(const uint64_t *set, const uint64_t *clear, size_t words, bool before,
                              uint64_t *out)
{
    uint64_t carry = before;
    for (size_t i = 0; i < words; i++) {
        uint64_t generate = set[i] & ~clear[i];            /* CLRFLAG wins */
        uint64_t either = generate | ~(set[i] | clear[i]); /* generates or propagates */
        uint64_t sum = generate + either;
        uint64_t out_of_top = sum < either;
        uint64_t total = sum + carry;
        out_of_top |= total < sum;
        /* Bit i of this is the carry into bit i: FLAG before clock i. */
        uint64_t into = total ^ generate ^ either;
        out[i] = into >> 1 | out_of_top << 63;
        carry = out_of_top;
    }
    return carry;
}

static void fill(uint64_t *words, size_t count, bool value)
{
    memset(words, value ? 0xff : 0, count * sizeof *words);
}

/* Computes the FLAG signal if it is used: FLAG two clocks ago (PC-D5). */
static void delay_flag(const struct domain *domain, struct workspace *w)
{
    uint64_t history = domain->flag_history; /* bit 0: one clock before the block */
    uint8_t own = domain->plan.own_flag_use;
    if (own == NO_USE && !w->has_importers)
        return;
    w->kernels->delay(w->flag, 2, (history >> 1 & 1) | (history & 1) << 1, w->words,
                      w->flag_signal);
    if (own != NO_USE)
        w->signals[own] = w->flag_signal;
}

static void make_flag(const struct domain *domain, struct workspace *w)
{
    evaluate_input(domain, w, SETFLAG, w->inputs[SETFLAG]);
    evaluate_input(domain, w, CLRFLAG, w->inputs[CLRFLAG]);
    set_and_clear(w->inputs[SETFLAG], w->inputs[CLRFLAG], w->words, domain->flag_history & 1,
                  w->flag);
    delay_flag(domain, w);
}

static void make_event(const struct domain *domain, struct workspace *w)
{
    evaluate_input(domain, w, EVENT, w->inputs[EVENT]);
    if (domain->plan.own_event_use != NO_USE)
        w->signals[domain->plan.own_event_use] = w->inputs[EVENT];
}

/*
 * Evaluates a single clock: the FLAG signal and the EVENT of the previous clock are known, so there
 * are no loops. EVENT is evaluated first, with its own old value; everything else uses the new
 * value (PC-D4).
 */
static void evaluate_one_clock(const struct domain *domain, struct workspace *w, bool frozen)
{
    const struct plan *plan = &domain->plan;
    w->flag[0] = domain->flag_history & 1;
    delay_flag(domain, w);
    w->event_before = domain->event;
    if (plan->own_event_use != NO_USE)
        w->signals[plan->own_event_use] = &w->event_before;
    if (plan->setflag_in_event)
        evaluate_input(domain, w, SETFLAG, w->inputs[SETFLAG]);
    make_event(domain, w);
    if (plan->needs[SETFLAG])
        evaluate_input(domain, w, SETFLAG, w->inputs[SETFLAG]);
    if (plan->needs[CLRFLAG])
        evaluate_input(domain, w, CLRFLAG, w->inputs[CLRFLAG]);
    if (!frozen && !plan->flag_idle)
        set_and_clear(w->inputs[SETFLAG], w->inputs[CLRFLAG], 1, domain->flag_history & 1, w->flag);
}

static void evaluate_many_clocks(const struct domain *domain, struct workspace *w, bool frozen)
{
    const struct plan *plan = &domain->plan;
    bool fixed = frozen || plan->flag_idle;
    if (fixed) {
        fill(w->flag, w->words, domain->flag_history & 1);
        delay_flag(domain, w);
    } else if (!plan->event_before_flag) {
        make_flag(domain, w);
    }
    if (plan->setflag_in_event && (fixed || plan->event_before_flag))
        evaluate_input(domain, w, SETFLAG, w->inputs[SETFLAG]);
    make_event(domain, w);
    if (!fixed && plan->event_before_flag) {
        make_flag(domain, w);
    } else if (fixed) {
        if (plan->needs[SETFLAG])
            evaluate_input(domain, w, SETFLAG, w->inputs[SETFLAG]);
        if (plan->needs[CLRFLAG])
            evaluate_input(domain, w, CLRFLAG, w->inputs[CLRFLAG]);
    }
}

void evaluate_block(const struct domain *domain, struct workspace *w, bool frozen)
{
    const struct plan *plan = &domain->plan;
    memset(w->delayed, 0, sizeof w->delayed);
    if (w->clocks == 1) {
        evaluate_one_clock(domain, w, frozen);
    } else if (plan->event_loop || (plan->flag_loop && !frozen)) {
        solve_loops(domain, w, frozen);
        delay_flag(domain, w);
        if (plan->own_event_use != NO_USE)
            w->signals[plan->own_event_use] = w->inputs[EVENT];
        if (plan->needs[SETFLAG])
            evaluate_input(domain, w, SETFLAG, w->inputs[SETFLAG]);
        if (plan->needs[CLRFLAG])
            evaluate_input(domain, w, CLRFLAG, w->inputs[CLRFLAG]);
    } else {
        evaluate_many_clocks(domain, w, frozen);
    }
    if (plan->needs[PRE])
        evaluate_input(domain, w, PRE, w->inputs[PRE]);
    if (plan->needs[START])
        evaluate_input(domain, w, START, w->inputs[START]);
    if (plan->needs[STOP])
        evaluate_input(domain, w, STOP, w->inputs[STOP]);
}
