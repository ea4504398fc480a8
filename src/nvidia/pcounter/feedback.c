/* SPDX-License-Identifier: MIT */
/*
 * Loops: EVENT or FLAG that depend on their values one, two or three clocks ago (PC-A.13). At each
 * clock at most three bits of the past matter: the FLAG signal, the FLAG signal of the previous
 * clock, and EVENT of the previous clock. So EVENT, SETFLAG and CLRFLAG are evaluated for 64 clocks
 * at a time for each combination of these bits; then one pass over the clocks, in which the bits
 * are known, selects the results.
 */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

enum { LOOP_EVENT, LOOP_SET, LOOP_CLEAR };

static void point_delayed(const struct plan *plan, struct workspace *w, uint8_t use,
                          const uint64_t *words)
{
    for (unsigned input = 0; input < INPUTS; input++)
        for (unsigned i = 0; i < plan->operations[input].arity; i++) {
            const struct argument *argument = &plan->operations[input].arguments[i];
            if (argument->kind == ARGUMENT_DELAYED && argument->use == use)
                w->delayed[input][argument->slot] = words;
        }
}

/* Computes the three results under the assumption `assumed` (enum unknown bits) about the past. */
static void assume(const struct domain *domain, struct workspace *w, unsigned assumed,
                   uint64_t results[3][BLOCK_WORDS])
{
    const struct plan *plan = &domain->plan;
    const uint64_t *flag = assumed & UNKNOWN_FLAG ? w->ones : w->zeros;
    const uint64_t *flag_delayed = assumed & UNKNOWN_FLAG_DELAYED ? w->ones : w->zeros;
    const uint64_t *event = assumed & UNKNOWN_EVENT ? w->ones : w->zeros;
    if (plan->own_flag_use != NO_USE) {
        w->signals[plan->own_flag_use] = flag;
        point_delayed(plan, w, plan->own_flag_use, flag_delayed);
    }
    if (plan->own_event_use != NO_USE) {
        w->signals[plan->own_event_use] = event;
        point_delayed(plan, w, plan->own_event_use, event);
    }
    if (plan->setflag_in_event)
        evaluate_input(domain, w, SETFLAG, w->inputs[SETFLAG]);
    evaluate_input(domain, w, EVENT, results[LOOP_EVENT]);
    if (plan->own_event_use != NO_USE) /* the other inputs use this clock's EVENT (PC-D4) */
        w->signals[plan->own_event_use] = results[LOOP_EVENT];
    if (!plan->flag_idle) {
        evaluate_input(domain, w, SETFLAG, results[LOOP_SET]);
        evaluate_input(domain, w, CLRFLAG, results[LOOP_CLEAR]);
    }
}

/* Computes loops of FLAG only: its value two clocks ago selects SETFLAG and CLRFLAG. Because of
 * this delay, two clocks are computed at a time, from the two clocks before. */
static void walk_flag(const struct domain *domain, struct workspace *w)
{
    uint64_t(*low)[BLOCK_WORDS] = w->loop[0], (*high)[BLOCK_WORDS] = w->loop[UNKNOWN_FLAG];
    uint64_t history = domain->flag_history;
    uint64_t pair = (history >> 1 & 1) | (history & 1) << 1; /* bit 1: the later clock */
    for (size_t i = 0; i < w->words; i++) {
        /* SETFLAG without CLRFLAG, and neither, for both assumptions. */
        uint64_t set_0 = low[LOOP_SET][i] & ~low[LOOP_CLEAR][i];
        uint64_t set_1 = high[LOOP_SET][i] & ~high[LOOP_CLEAR][i];
        uint64_t keep_0 = ~(low[LOOP_SET][i] | low[LOOP_CLEAR][i]);
        uint64_t keep_1 = ~(high[LOOP_SET][i] | high[LOOP_CLEAR][i]);
        uint64_t set_x = set_0 ^ set_1, keep_x = keep_0 ^ keep_1, flags = 0;
        for (unsigned clock = 0; clock < 64; clock += 2) {
            uint64_t set = set_0 ^ (pair & set_x), keep = keep_0 ^ (pair & keep_x);
            uint64_t first = (set | (keep & pair >> 1)) & 1;
            pair = ((set | (keep & first << 1)) & 2) | first;
            flags |= pair << clock;
            set_0 >>= 2, set_x >>= 2, keep_0 >>= 2, keep_x >>= 2;
        }
        w->flag[i] = flags;
    }
}

/* Computes all other loops clock by clock, selecting by all three bits. */
static void walk_all(const struct domain *domain, struct workspace *w, bool frozen)
{
    const struct plan *plan = &domain->plan;
    unsigned flags = domain->flag_history; /* bit 0: after the latest clock */
    unsigned event = domain->event;
    bool moves = !frozen && !plan->flag_idle;
    for (size_t i = 0; i < w->words; i++) {
        uint64_t events = 0, after = 0;
        for (unsigned clock = 0; clock < 64; clock++) {
            unsigned past =
                ((flags >> 1 & 1) | (flags >> 2 & 1) << 1 | event << 2) & plan->unknowns;
            uint64_t(*results)[BLOCK_WORDS] = w->loop[past];
            event = results[LOOP_EVENT][i] >> clock & 1;
            unsigned flag = flags & 1;
            if (moves) {
                unsigned set = results[LOOP_SET][i] >> clock & 1;
                unsigned clear = results[LOOP_CLEAR][i] >> clock & 1;
                flag = (flag | set) & ~clear;
            }
            flags = flags << 1 | flag;
            events |= (uint64_t)event << clock;
            after |= (uint64_t)flag << clock;
        }
        w->inputs[EVENT][i] = events;
        w->flag[i] = after;
    }
}

void solve_loops(const struct domain *domain, struct workspace *w, bool frozen)
{
    const struct plan *plan = &domain->plan;
    memset(w->zeros, 0, w->words * sizeof *w->zeros);
    memset(w->ones, 0xff, w->words * sizeof *w->ones);
    for (unsigned assumed = 0; assumed < UNKNOWN_COMBINATIONS; assumed++)
        if ((assumed & plan->unknowns) == assumed)
            assume(domain, w, assumed, w->loop[assumed]);

    if (plan->unknowns == UNKNOWN_FLAG && !frozen) {
        walk_flag(domain, w);
        for (size_t i = 0; i < w->words; i++) { /* EVENT follows */
            uint64_t before =
                i ? w->flag[i - 1] >> 62
                  : (uint64_t)((domain->flag_history >> 1 & 1) | (domain->flag_history & 1) << 1);
            uint64_t signal = w->flag[i] << 2 | before;
            uint64_t event_0 = w->loop[0][LOOP_EVENT][i];
            w->inputs[EVENT][i] =
                event_0 ^ (signal & (event_0 ^ w->loop[UNKNOWN_FLAG][LOOP_EVENT][i]));
        }
    } else {
        walk_all(domain, w, frozen);
    }
    memset(w->delayed, 0, sizeof w->delayed); /* restore the actual signals */
}
