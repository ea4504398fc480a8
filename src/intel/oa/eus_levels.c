/* SPDX-License-Identifier: MIT */
/*
 * Fast sums for EUs as workloads drive them: each pipe, and the loaded threads, is active at clocks
 * at which the number of one generator is below its level. The clocks of a lower level are a subset
 * of those of a higher one, so that each increment event is a difference of counts.
 */
#include "base/minmax.h"
#include "intel/oa/unit.h"

enum { FPU0, FPU1, SEND, THREADS, LEVELS };

struct levels {
    struct tally_wave generator; /* of kind PRNG or SCATTER; CONSTANT until a signal has set it */
    uint64_t origin;
    uint16_t below[LEVELS]; /* 0 to 256 */
};

/* Takes the level of a signal that is driven by the generator, or constant. Returns false for other
 * signals, and for another generator. */
static bool take_level(struct levels *levels, unsigned signal, const struct driven_number *input,
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

/* Counts the clocks of up to LEVELS levels from 1 to 255. */
static void count_generator(const struct levels *levels, const uint16_t chances[], unsigned count,
                            uint64_t first, uint64_t clocks, uint64_t sums[])
{
    struct tally_wave wave = levels->generator;
    first -= levels->origin;
    if (wave.kind == TALLY_WAVE_PRNG) { /* which is run once for all levels */
        wave_kernels()->prng_sums(wave.value, chances, count, first, clocks, sums);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        wave.chance = chances[i];
        sums[i] = tally_wave_count(&wave, first, clocks);
    }
}

/* Counts the clocks at which the number is below each level; equal levels are counted once. */
static void count_levels(const struct levels *levels, uint64_t first, uint64_t clocks,
                         uint64_t counts[LEVELS])
{
    uint16_t chances[LEVELS];
    uint64_t sums[LEVELS];
    unsigned kinds = 0, kind_of[LEVELS];
    for (unsigned i = 0; i < LEVELS; i++) {
        unsigned kind = 0;
        if (levels->below[i] % 256 == 0)
            continue;
        while (kind < kinds && chances[kind] != levels->below[i])
            kind++;
        chances[kind] = levels->below[i];
        kinds += kind == kinds;
        kind_of[i] = kind;
    }
    if (kinds)
        count_generator(levels, chances, kinds, first, clocks, sums);
    for (unsigned i = 0; i < LEVELS; i++)
        counts[i] = levels->below[i] % 256 ? sums[kind_of[i]] : levels->below[i] ? clocks : 0;
}

bool sum_levels(const struct driven_number inputs[TALLY_OA_EU_SIGNALS], uint64_t first,
                uint64_t clocks, struct level_sums *out)
{
    static const uint8_t max[LEVELS] = {1, 1, 1, 8};
    struct levels levels = {0};
    uint64_t counts[LEVELS];
    for (unsigned i = 0; i < LEVELS; i++)
        if (!take_level(&levels, i, &inputs[i], max[i]))
            return false;
    for (unsigned i = TALLY_OA_FF; i <= TALLY_OA_KIND; i++)
        if (tally_number_steady(&inputs[i].number, first - inputs[i].origin) < clocks)
            return false;
    count_levels(&levels, first, clocks, counts);
    out->pipes[0] = counts[FPU0];
    out->pipes[1] = counts[FPU1];
    out->pipes[2] = counts[SEND];
    out->both = min_u64(counts[FPU0], counts[FPU1]);
    out->any = max_u64(max_u64(counts[FPU0], counts[FPU1]), counts[SEND]);
    out->loaded = counts[THREADS] - min_u64(counts[THREADS], out->any);
    out->threads = counts[THREADS] * inputs[TALLY_OA_THREADS].number.value;
    return true;
}
