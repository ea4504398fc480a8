/* SPDX-License-Identifier: MIT */
/* Finds and counts ones in ranges of clocks. */
#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* Returns the bits of the clocks [from, to) that are in the word of `from`, shifted so that `from`
 * is bit 0. */
static inline uint64_t word_from(const uint64_t *words, uint64_t from, uint64_t to)
{
    uint64_t word = words[from / 64] >> (from % 64);
    return to - from < 64 ? word & low_bits((unsigned)(to - from)) : word;
}

uint64_t next_one(const uint64_t *words, uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t word = word_from(words, from, to);
        if (word)
            return from + (uint64_t)__builtin_ctzll(word);
        from = (from | 63) + 1;
    }
    return to;
}

uint64_t nth_one(const uint64_t *words, uint64_t n, uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t word = word_from(words, from, to);
        uint64_t ones = count_bits(word);
        if (ones >= n) {
            while (--n)
                word &= word - 1;
            return from + (uint64_t)__builtin_ctzll(word);
        }
        n -= ones;
        from = (from | 63) + 1;
    }
    return to;
}

/* ---- the special counter modes --------------------------------------------------------------- */

/* The integers of the special counter modes: source signals, low bit first. */
struct digit {
    uint8_t input, slot;
};
static const struct digit b6[6] = {{START, 0}, {START, 1}, {START, 2},
                                   {START, 3}, {EVENT, 2}, {EVENT, 3}};
static const struct digit b2[2] = {{EVENT, 0}, {EVENT, 1}};

/* Returns the sum of an integer of `count` digits over the clocks [from, to), or over those of them
 * at which `gate` is 1. */
static uint64_t sum_integer(const struct domain *domain, const struct workspace *w,
                            const struct digit *digits, unsigned count, const uint64_t *gate,
                            uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t *words =
            w->signals[domain->plan.source_use[digits[i].input][digits[i].slot]];
        sum += (gate ? w->kernels->count_and(words, gate, from, to)
                     : w->kernels->count(words, from, to))
               << i;
    }
    return sum;
}

struct sums sum_range(const struct domain *domain, const struct workspace *w, uint64_t from,
                      uint64_t to)
{
    const uint64_t *event = w->inputs[EVENT];
    struct sums sums = {0};
    switch (domain->plan.counter_mode) {
    case EVENT_B4:
        sums.event = sum_integer(domain, w, b6, 4, event, from, to);
        return sums;
    case EVENT_B6:
        sums.event = sum_integer(domain, w, b6, 6, event, from, to);
        return sums;
    case EXTRA_B6_EVENT_B2:
        sums.event = sum_integer(domain, w, b2, 2, NULL, from, to);
        sums.extra = sum_integer(domain, w, b6, 6, NULL, from, to);
        sums.has_extra = true;
        return sums;
    case EXTRA_B4:
        sums.extra = sum_integer(domain, w, b6, 4, NULL, from, to);
        sums.has_extra = true;
        break;
    case SIMPLE:
        break;
    }
    sums.event = w->kernels->count(event, from, to);
    return sums;
}
