/* SPDX-License-Identifier: MIT */
/* Quad event mode: four event counters and a cycle counter in shadow registers, which SWAP copies
 * to the visible registers. */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* Adds to a counter, which saturates with any increment (PC-D15). */
static void add(uint32_t *counter, uint64_t count)
{
    *counter = count > UINT32_MAX - *counter ? UINT32_MAX : *counter + (uint32_t)count;
}

void quad_add(struct domain *domain, const struct quad_counts *counts)
{
    uint32_t *shadow = domain->shadow;
    add(&shadow[CYCLES], counts->cycles);
    add(&shadow[CTR_EVENT], counts->event);
    add(&shadow[CTR_START], counts->start);
    add(&shadow[CTR_PRE], counts->pre);
    add(&shadow[CTR_STOP], counts->stop);
}

static void count_into_shadow(struct domain *domain, const struct workspace *w, uint64_t from,
                              uint64_t to)
{
    struct sums sums = sum_range(domain, w, from, to);
    const struct quad_counts counts = {
        .cycles = to - from,
        .event = sums.event,
        .start = sums.has_extra ? sums.extra : w->kernels->count(w->inputs[START], from, to),
        .pre = w->kernels->count(w->inputs[PRE], from, to),
        .stop = w->kernels->count(w->inputs[STOP], from, to),
    };
    quad_add(domain, &counts);
}

void quad_swap(struct domain *domain)
{
    for (unsigned i = 0; i < COUNTERS; i++)
        domain->counters[i] = domain->shadow[i];
    memset(domain->shadow, 0, sizeof domain->shadow);
    domain->quad_state = domain->quad_state == EMPTY ? VALID : OVERFLOW;
}

/* Returns the last clock in [0, to) at which the signal is 1, or `to`. */
static uint64_t last_one(const uint64_t *words, uint64_t to)
{
    uint64_t word = to % 64 ? words[to / 64] & low_bits(to % 64) : 0;
    size_t i = to / 64;
    while (!word && i)
        word = words[--i];
    return word ? 64 * i + 63 - (uint64_t)__builtin_clzll(word) : to;
}

/*
 * A swap happens before its clock is counted (PC-D30). Only the last two swaps of a block matter:
 * the visible counters are the counts between them, and two swaps set OVERFLOW.
 */
uint64_t count_quad(const struct tally_pcounter *engine, struct domain *domain, struct workspace *w)
{
    (void)engine;
    const uint64_t *swaps = w->signals[domain->plan.swap_use];
    uint64_t clocks = w->clocks;
    uint64_t last = last_one(swaps, clocks), earlier;
    if (last == clocks && w->swap_now)
        last = 0;
    if (last == clocks) {
        count_into_shadow(domain, w, 0, clocks);
        return clocks;
    }
    earlier = last_one(swaps, last);
    if (earlier == last && last > 0 && w->swap_now)
        earlier = 0;
    if (earlier < last)
        quad_swap(domain); /* the next swap overwrites the visible counters */
    count_into_shadow(domain, w, earlier < last ? earlier : 0, last);
    quad_swap(domain);
    count_into_shadow(domain, w, last, clocks);
    return clocks;
}
