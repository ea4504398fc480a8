/* SPDX-License-Identifier: MIT */
/* Runs a program: drives the inputs of an OA unit with a phase, and steps through the phases. */
#include <errno.h>

#include "base/minmax.h"
#include "intel/clock_ratio.h"
#include "intel/oa/unit.h"
#include "intel/workload/workload.h"

static bool fits(const struct tally_workload_program *program, const struct tally_oa *unit)
{
    return unit->sku == program->sku && (!is_map_c(unit) || unit->eus == program->eus);
}

/* Returns a wave with the seed of a repetition. */
static struct tally_wave repeated(const struct tally_wave *wave, uint64_t repetition)
{
    struct tally_wave other = *wave;
    if (wave->kind == TALLY_WAVE_PRNG || wave->kind == TALLY_WAVE_BURSTS)
        other.value = repeated_seed(wave->value, repetition);
    return other;
}

static void drive_eu(const struct eu_plan *plan, unsigned eu, uint64_t repetition,
                     struct tally_oa *unit)
{
    static const enum tally_oa_eu_signal pipes[3] = {TALLY_OA_FPU0, TALLY_OA_FPU1, TALLY_OA_SEND};
    uint64_t seed = repeated_seed(plan->seed, repetition);
    for (unsigned i = 0; i < 3; i++) {
        struct tally_wave wave = tally_wave_scatter(seed, plan->pipes[i]);
        struct tally_number number = tally_number_times(1, &wave);
        tally_oa_drive_eu(unit, eu, pipes[i], &number);
    }
    struct tally_wave loaded = tally_wave_scatter(seed, plan->loaded);
    struct tally_number threads = tally_number_times(plan->threads, &loaded);
    struct tally_number dispatcher = tally_number_constant(plan->dispatcher);
    struct tally_number kind = tally_number_constant(plan->kind);
    tally_oa_drive_eu(unit, eu, TALLY_OA_THREADS, &threads);
    tally_oa_drive_eu(unit, eu, TALLY_OA_FF, &dispatcher);
    tally_oa_drive_eu(unit, eu, TALLY_OA_KIND, &kind);
}

int tally_workload_apply(const struct tally_workload_program *program, size_t number,
                         uint64_t repetition, struct tally_oa *unit)
{
    if (number >= program->phase_count || !fits(program, unit))
        return -EINVAL;
    const struct bound_phase *phase = &program->phases[number];
    for (unsigned i = 0; i < program->a_count; i++) {
        struct tally_number driven = phase->a[i];
        if (is_map_c(unit) && i >= FLEX_FIRST && i < FLEX_FIRST + FLEX_COUNT)
            continue;
        driven.wave = repeated(&driven.wave, repetition);
        tally_oa_drive_a(unit, i, &driven);
    }
    for (unsigned bit = 0; bit < TALLY_WORKLOAD_NOA; bit++) {
        struct tally_wave wave = repeated(&phase->noa[bit], repetition);
        if (program->noa_driven >> bit & 1)
            tally_oa_drive_noa(unit, bit, &wave);
    }
    for (unsigned eu = 0; is_map_c(unit) && eu < program->eus; eu++)
        drive_eu(&phase->eus[eu], eu, repetition, unit);
    return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

void tally_workload_start(const struct tally_workload_program *program,
                          struct tally_workload_cursor *cursor)
{
    *cursor = (struct tally_workload_cursor){.program = program, .left = program->phases[0].clocks};
}

static void enter(struct tally_workload_cursor *cursor, struct tally_oa *unit)
{
    const struct tally_workload_program *program = cursor->program;
    const struct bound_phase *phase = &program->phases[cursor->phase];
    size_t before = (cursor->phase ? cursor->phase : program->phase_count) - 1;
    const struct bound_phase *previous = &program->phases[before];
    bool first = !cursor->phase && !cursor->repetition;
    bool other =
        first ? !phase->idle : phase->idle != previous->idle || phase->context != previous->context;
    tally_workload_apply(program, cursor->phase, cursor->repetition, unit);
    if (other)
        tally_oa_switch_context(unit, !phase->idle, phase->context);
    if (program->ratios && (first || phase->hz != previous->hz)) {
        uint32_t ratio = intel_clock_ratio(phase->hz);
        tally_oa_set_ratios(unit, ratio, ratio);
    }
    cursor->entered = true;
}

void workload_next_phase(struct tally_workload_cursor *cursor)
{
    if (++cursor->phase == cursor->program->phase_count) {
        cursor->phase = 0;
        cursor->repetition++;
    }
    cursor->left = cursor->program->phases[cursor->phase].clocks;
    cursor->entered = false;
}

int tally_workload_run(struct tally_workload_cursor *cursor, struct tally_oa *unit, uint64_t clocks)
{
    if (!fits(cursor->program, unit))
        return -EINVAL;
    while (clocks) {
        uint64_t now = min_u64(clocks, cursor->left);
        if (!cursor->entered)
            enter(cursor, unit);
        tally_oa_run(unit, now);
        cursor->left -= now;
        clocks -= now;
        if (!cursor->left)
            workload_next_phase(cursor);
    }
    return 0;
}
