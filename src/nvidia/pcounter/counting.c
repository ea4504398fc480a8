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

uint64_t count_rises(const uint64_t *words, bool before, uint64_t clocks)
{
    uint64_t rises = 0, last = before;
    for (size_t i = 0; i < words_of(clocks); i++) {
        uint64_t word = 64 * (i + 1) > clocks ? words[i] & low_bits(clocks % 64) : words[i];
        rises += count_bits(word & ~(word << 1 | last));
        last = word >> 63;
    }
    return rises;
}

/* ---- the special counter modes --------------------------------------------------------------- */

/* The integers of the special counter modes: source signals, low bit first. */
struct digit {
    uint8_t input, slot;
};
static const struct digit b6[6] = {{START, 0}, {START, 1}, {START, 2},
                                   {START, 3}, {EVENT, 2}, {EVENT, 3}};
static const struct digit b2[2] = {{EVENT, 0}, {EVENT, 1}};

/* Returns the sum of an integer of `count` digits, from the ones of the sources. */
static uint64_t sum_integer(const struct source_ones *ones, const struct digit *digits,
                            unsigned count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += ones->of[digits[i].input][digits[i].slot] << i;
    return sum;
}

struct sums sum_digits(enum counter_mode mode, const struct source_ones *ones)
{
    switch (mode) {
    case EVENT_B4:
        return (struct sums){.event = sum_integer(ones, b6, 4)};
    case EVENT_B6:
        return (struct sums){.event = sum_integer(ones, b6, 6)};
    case EXTRA_B6_EVENT_B2:
        return (struct sums){sum_integer(ones, b2, 2), sum_integer(ones, b6, 6), true};
    case EXTRA_B4:
        return (struct sums){.extra = sum_integer(ones, b6, 4), .has_extra = true};
    case SIMPLE:
        break;
    }
    return (struct sums){0};
}

struct sums sum_range(const struct domain *domain, const struct workspace *w, uint64_t from,
                      uint64_t to)
{
    const struct plan *plan = &domain->plan;
    const uint64_t *event = w->inputs[EVENT];
    struct source_ones ones;
    if (plan->counter_mode == SIMPLE)
        return (struct sums){.event = w->kernels->count(event, from, to)};
    bool gated = plan->counter_mode == EVENT_B4 || plan->counter_mode == EVENT_B6;
    for (unsigned input = START; input <= EVENT; input++)
        for (unsigned slot = 0; slot < 4; slot++) {
            uint8_t use = plan->source_use[input][slot];
            if (use == NO_USE)
                ones.of[input][slot] = 0;
            else if (gated)
                ones.of[input][slot] = w->kernels->count_and(w->signals[use], event, from, to);
            else
                ones.of[input][slot] = w->kernels->count(w->signals[use], from, to);
        }
    struct sums sums = sum_digits(plan->counter_mode, &ones);
    if (plan->counter_mode == EXTRA_B4)
        sums.event = w->kernels->count(event, from, to);
    return sums;
}
