/* SPDX-License-Identifier: MIT */
/*
 * Fast sums for EUs as workloads drive them: each pipe, and the loaded threads, is active at clocks
 * at which the number of one generator is below its level. The clocks of a lower level are a subset
 * of those of a higher one, so that each increment event is a difference of counts.
 */
#include "base/minmax.h"
#include "intel/oa/unit.h"
#include "wave/scatter.h"

enum { FPU0, FPU1, SEND, THREADS };

/* Takes the level of a signal that is driven by the generator, or constant. Returns false for other
 * signals, and for another generator. */
static bool take_level(struct eu_levels *levels, unsigned signal, const struct driven_number *input,
                       uint32_t max)
{
    const struct tally_number *number = &input->number;
    const struct tally_wave *wave = &number->wave, *generator = &levels->generator;
    if (number->kind != TALLY_NUMBER_TIMES || number->value > max)
        return false;
    if (!number->value || wave->kind == TALLY_WAVE_CONSTANT) {
        levels->below[signal] = number->value && wave->value ? 256 : 0;
        return true;
    }
    if (wave->kind != TALLY_WAVE_PRNG && wave->kind != TALLY_WAVE_SCATTER)
        return false;
    if (generator->kind != TALLY_WAVE_CONSTANT &&
        (generator->kind != wave->kind || generator->value != wave->value ||
         levels->origin != input->origin))
        return false;
    levels->generator = *wave;
    levels->origin = input->origin;
    levels->below[signal] = (uint16_t)wave->chance;
    return true;
}

/* Lists the different levels, which are counted once. */
static void list_chances(struct eu_levels *levels)
{
    for (unsigned i = 0; i < EU_LEVELS; i++) {
        unsigned kind = 0;
        if (levels->below[i] % 256 == 0)
            continue;
        while (kind < levels->kinds && levels->chances[kind] != levels->below[i])
            kind++;
        levels->chances[kind] = levels->below[i];
        if (kind == levels->kinds)
            levels->kinds++;
        levels->kind_of[i] = (uint8_t)kind;
    }
}

/* Takes the value of a signal that is constant for some time. */
static uint8_t take_constant(struct eu_levels *levels, const struct driven_number *input,
                             uint64_t first)
{
    uint64_t steady = tally_number_steady(&input->number, first - input->origin);
    levels->until =
        min_u64(levels->until, steady > UINT64_MAX - first ? UINT64_MAX : first + steady);
    return (uint8_t)(tally_number_at(&input->number, first - input->origin) & 7);
}

void find_levels(const struct driven_number inputs[TALLY_OA_EU_SIGNALS], uint64_t first,
                 struct eu_levels *out)
{
    static const uint8_t max[EU_LEVELS] = {1, 1, 1, 8};
    *out = (struct eu_levels){.until = UINT64_MAX};
    for (unsigned i = 0; i < EU_LEVELS; i++)
        if (!take_level(out, i, &inputs[i], max[i]))
            return;
    list_chances(out);
    out->threads = (uint8_t)inputs[TALLY_OA_THREADS].number.value;
    out->ff = take_constant(out, &inputs[TALLY_OA_FF], first);
    out->kind = take_constant(out, &inputs[TALLY_OA_KIND], first);
    out->hold = true;
}

/* Counts the clocks at which the number is below each level. */
static void count_levels(const struct eu_levels *levels, uint64_t first, uint64_t clocks,
                         uint64_t counts[EU_LEVELS])
{
    uint64_t sums[EU_LEVELS];
    uint64_t seed = levels->generator.value, from = first - levels->origin;
    if (levels->kinds && levels->generator.kind == TALLY_WAVE_SCATTER)
        scatter_sums(seed, levels->chances, levels->kinds, from, clocks, sums);
    else if (levels->kinds)
        wave_kernels()->prng_sums(seed, levels->chances, levels->kinds, from, clocks, sums);
    for (unsigned i = 0; i < EU_LEVELS; i++)
        counts[i] = levels->below[i] % 256 ? sums[levels->kind_of[i]]
                    : levels->below[i]     ? clocks
                                           : 0;
}

void sum_levels(const struct eu_levels *levels, uint64_t first, uint64_t clocks,
                struct level_sums *out)
{
    uint64_t counts[EU_LEVELS];
    count_levels(levels, first, clocks, counts);
    out->pipes[0] = counts[FPU0];
    out->pipes[1] = counts[FPU1];
    out->pipes[2] = counts[SEND];
    out->both = min_u64(counts[FPU0], counts[FPU1]);
    out->any = max_u64(max_u64(counts[FPU0], counts[FPU1]), counts[SEND]);
    out->loaded = counts[THREADS] - min_u64(counts[THREADS], out->any);
    out->threads = counts[THREADS] * levels->threads;
}
