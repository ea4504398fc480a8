/* SPDX-License-Identifier: MIT */
/*
 * Expected values of counters, from closed formulas for rates, bursts and probabilities, and the
 * clocks of the EUs' scattered waves. Independent of the counting code of the OA unit.
 */
#include <math.h>
#include <string.h>

#include "base/minmax.h"
#include "base/ratio.h"
#include "intel/platforms.h"
#include "intel/symbols.h"
#include "intel/workload/workload.h"

/* A span of clocks within one visit of a phase. */
struct span {
    const struct bound_phase *phase;
    uint64_t repetition, first, clocks;
};

struct sum {
    uint64_t exact;
    double mean, variance; /* of the parts that are not exact */
};

/* ---- one input ------------------------------------------------------------------------------- */

/* Returns floor(clocks * numerator / denominator) without overflow. */
static uint64_t rate_before(uint64_t clocks, uint64_t numerator, uint64_t denominator)
{
    uint64_t quotient = numerator / denominator, remainder = numerator % denominator;
    return clocks * quotient + (uint64_t)((uint128)clocks * remainder / denominator);
}

static uint64_t rate_in(const struct span *span, uint64_t numerator, uint64_t denominator)
{
    return rate_before(span->first + span->clocks, numerator, denominator) -
           rate_before(span->first, numerator, denominator);
}

/* Returns the ones of bursts before a clock: whole frames, and the start of the last one. */
static uint64_t bursts_before(uint64_t clock, uint64_t seed, uint64_t frame, uint64_t length)
{
    uint64_t frames = clock / frame, offset = clock % frame;
    uint64_t start = tally_splitmix64(seed, frames) % (frame - length + 1);
    uint64_t part = offset > start ? offset - start : 0;
    return frames * length + min_u64(part, length);
}

static void add_chance(struct sum *sum, uint64_t clocks, double value, unsigned chance)
{
    double p = chance / 256.0;
    sum->mean += (double)clocks * p * value;
    sum->variance += (double)clocks * p * (1 - p) * value * value;
}

static void add_wave(struct sum *sum, const struct span *span, const struct tally_wave *wave,
                     uint64_t value)
{
    uint64_t frame = wave->data.number, seed = repeated_seed(wave->value, span->repetition);
    if (wave->kind == TALLY_WAVE_PRNG)
        add_chance(sum, span->clocks, (double)value, wave->chance);
    else if (wave->kind == TALLY_WAVE_BURSTS)
        sum->exact +=
            value * (bursts_before(span->first + span->clocks, seed, frame, wave->length) -
                     bursts_before(span->first, seed, frame, wave->length));
    else if (wave->kind == TALLY_WAVE_CONSTANT && wave->value)
        sum->exact += value * span->clocks;
}

static void add_number(struct sum *sum, const struct span *span, const struct tally_number *number)
{
    if (number->kind == TALLY_NUMBER_RATE)
        sum->exact += rate_in(span, number->seed, number->length);
    else
        add_wave(sum, span, &number->wave, number->value);
}

static void add_noa(struct sum *sum, const struct span *span, unsigned bit)
{
    const struct tally_wave *wave = &span->phase->noa[bit];
    if (wave->kind == TALLY_WAVE_RATE)
        sum->exact += rate_in(span, wave->value, wave->length);
    else
        add_wave(sum, span, wave, 1);
}

/* ---- flexible events (OA-2.12) --------------------------------------------------------------- */

/* Returns the clocks of a span at which the EU's generator is below a level. */
static uint64_t clocks_below(const struct span *span, const struct eu_plan *eu, unsigned level)
{
    struct tally_wave wave = tally_wave_scatter(repeated_seed(eu->seed, span->repetition), level);
    return tally_wave_count(&wave, span->first, span->clocks);
}

static void add_event(struct sum *sum, const struct span *span, const struct eu_plan *eu,
                      unsigned event)
{
    unsigned fpu0 = eu->pipes[0], fpu1 = eu->pipes[1];
    unsigned any = max_u32(max_u32(fpu0, fpu1), eu->pipes[2]);
    switch (event) {
    case 0:
    case 1:
    case 2:
        sum->exact += clocks_below(span, eu, eu->pipes[event]);
        return;
    case 3:
        sum->exact += clocks_below(span, eu, min_u32(fpu0, fpu1));
        return;
    case 4:
        sum->exact += clocks_below(span, eu, any);
        return;
    case 5:
        sum->exact += clocks_below(span, eu, eu->loaded) - clocks_below(span, eu, any);
        return;
    case 8: /* pulses; the initial level of the integrator is unknown */
        sum->mean += (double)clocks_below(span, eu, eu->loaded) * eu->threads / 8;
        sum->variance += eu->loaded ? 1.0 : 0;
        return;
    default:
        return;
    }
}

/* `eu`: the EU's number in its subslice. */
static bool passes(const struct eu_plan *plan, unsigned eu, unsigned coarse, unsigned fine)
{
    bool stage = coarse == 0 || (coarse <= 6 && coarse == plan->dispatcher);
    bool row = (coarse == 7 && eu % 8 < 4) || (coarse == 8 && eu % 8 >= 4);
    bool kind = fine == 0 || (fine <= 5 && fine == plan->kind);
    bool number = fine >= 7 && fine <= 10 && eu % 4 == fine - 7;
    return (stage || row) && (kind || number);
}

static bool same_plan(const struct eu_plan *a, const struct eu_plan *b)
{
    return a->seed == b->seed && a->active == b->active && a->loaded == b->loaded &&
           !memcmp(a->pipes, b->pipes, sizeof a->pipes) && a->threads == b->threads &&
           a->dispatcher == b->dispatcher && a->kind == b->kind;
}

/* Adds the flexible events. EUs with equal plans are the same at every clock, so one of them is
 * computed and multiplied. */
static void add_flexible(struct sum *sum, const struct span *span,
                         const struct tally_workload_program *program, uint32_t selector)
{
    const struct eu_plan *plans = span->phase->eus, *different[TALLY_OA_EUS];
    unsigned copies[TALLY_OA_EUS], count = 0;
    for (unsigned eu = 0; eu < program->eus; eu++) {
        unsigned i = 0;
        if (!passes(&plans[eu], program->places[eu].number,
                    REG_GET(EU_PERF_CNT_CTL, COARSE_0, selector),
                    REG_GET(EU_PERF_CNT_CTL, FINE_0, selector)))
            continue;
        while (i < count && !same_plan(different[i], &plans[eu]))
            i++;
        if (i == count) {
            different[count] = &plans[eu];
            copies[count++] = 0;
        }
        copies[i]++;
    }
    for (unsigned i = 0; i < count; i++) {
        struct sum one = {0};
        add_event(&one, span, different[i], REG_GET(EU_PERF_CNT_CTL, INCREMENT_0, selector));
        sum->exact += copies[i] * one.exact;
        sum->mean += copies[i] * one.mean;
        sum->variance += (double)copies[i] * copies[i] * one.variance;
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void finish(const struct sum *sum, struct tally_workload_count *out)
{
    *out = (struct tally_workload_count){.mean = sum->mean + (double)sum->exact,
                                         .deviation = sqrt(sum->variance)};
    out->exact = sum->variance > 0 ? 0 : sum->exact;
}

void tally_workload_expect(const struct tally_workload_cursor *cursor, uint64_t clocks,
                           const uint32_t flexible[7], struct tally_workload_counts *out)
{
    static const uint32_t zeros[7];
    const struct tally_workload_program *program = cursor->program;
    struct sum a[TALLY_WORKLOAD_A], noa[TALLY_WORKLOAD_NOA];
    uint64_t left = cursor->left, repetition = cursor->repetition;
    size_t number = cursor->phase;
    memset(a, 0, sizeof a);
    memset(noa, 0, sizeof noa);
    out->clocks = clocks;
    flexible = flexible ? flexible : zeros;
    while (clocks) {
        struct span span = {&program->phases[number], repetition, 0, 0};
        span.first = span.phase->clocks - left;
        span.clocks = min_u64(clocks, left);
        for (unsigned i = 0; i < program->a_count; i++) {
            uint32_t both = i >= 7 && i <= 20 ? flexible[(i - 7) / 2] : 0;
            if (program->platform->aggregates == AGGREGATES_FLEXIBLE && i >= 7 && i <= 20)
                add_flexible(&a[i], &span, program,
                             i % 2 ? both : both >> EU_PERF_CNT_CTL__INCREMENT_1_LOW);
            else
                add_number(&a[i], &span, &span.phase->a[i]);
        }
        for (unsigned bit = 0; bit < TALLY_WORKLOAD_NOA; bit++)
            add_noa(&noa[bit], &span, bit);
        clocks -= span.clocks;
        number = number + 1 == program->phase_count ? 0 : number + 1;
        repetition += number == 0;
        left = program->phases[number].clocks;
    }
    for (unsigned i = 0; i < TALLY_WORKLOAD_A; i++)
        finish(&a[i], &out->a[i]);
    for (unsigned bit = 0; bit < TALLY_WORKLOAD_NOA; bit++)
        finish(&noa[bit], &out->noa[bit]);
}
