/* SPDX-License-Identifier: MIT */
/* Binds a workload to a platform: converts units to inputs of the OA unit, and times to clocks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <tally/platform.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "intel/oa/unit.h"
#include "intel/workload/workload.h"

/* ---- seeds and waves ------------------------------------------------------------------------- */

uint64_t unit_seed(const struct tally_workload *workload, size_t phase, unsigned unit, unsigned eu)
{
    uint64_t seed = tally_splitmix64(workload->seed, phase);
    return tally_splitmix64(seed, (uint64_t)unit << 8 | eu);
}

uint64_t repeated_seed(uint64_t seed, uint64_t repetition)
{
    return repetition ? tally_splitmix64(seed, repetition) : seed;
}

/* ---- one input ------------------------------------------------------------------------------- */

/* The drive of an input: the wave of one unit, or the sum of the rates of several. */
struct input {
    unsigned sources;
    uint64_t flow; /* events per second of all sources */
    uint32_t value;
    struct tally_wave wave; /* if there is one source with a value */
};

/* Returns the events of an activity per second. */
static uint64_t events(const struct activity *activity, unsigned eus, uint64_t hz, unsigned times,
                       unsigned per)
{
    static const uint64_t seconds[] = {
        [PER_SECOND] = 1, [PER_MS] = 1000, [PER_US] = 1000000, [PER_CLOCK] = 0};
    bool array = unit_info(activity->unit)->kind == CLASS_ARRAY;
    uint64_t per_clock = array ? eus : activity->times, a_second = hz;
    uint128 value = (uint128)activity->value * times, divisor = (uint128)ONE * per;
    if (activity->kind == DOES_RATE && activity->per != PER_CLOCK)
        a_second = seconds[activity->per];
    if (activity->kind == DOES_BURSTS) {
        value = (uint128)activity->length * times;
        divisor = (uint128)activity->frame * per;
    }
    return (uint64_t)((value * per_clock * a_second + divisor / 2) / divisor);
}

static void add_source(struct input *input, const struct activity *activity, unsigned eus,
                       uint64_t hz, const struct unit_row *row, uint64_t seed)
{
    unsigned times = row && row->times ? row->times : 1, per = row && row->per ? row->per : 1;
    bool array = unit_info(activity->unit)->kind == CLASS_ARRAY;
    uint64_t per_clock = (uint64_t)(array ? eus : activity->times) * times;
    input->flow += events(activity, eus, hz, times, per);
    input->value = 0;
    if (activity->kind == DOES_RANDOM)
        input->wave = tally_wave_prng(seed, (unsigned)((activity->value * 256 + ONE / 2) / ONE));
    else if (activity->kind == DOES_BURSTS)
        input->wave = tally_wave_bursts(seed, activity->frame, activity->length);
    if (activity->kind == DOES_RANDOM || activity->kind == DOES_BURSTS)
        input->value = (uint32_t)((per_clock + per - 1) / per); /* round up: 2x2 blocks */
    input->sources++;
}

/* ---- a phase --------------------------------------------------------------------------------- */

struct binding {
    const struct tally_workload *workload;
    const struct phase *phase;
    size_t number;
    struct tally_workload_program *program;
    struct bound_phase *bound;
};

/* Finds the activity of a unit in a phase. If the phase has none for the EU array, it is the sum of
 * the stages. Returns false if there is none. */
static bool find_activity(const struct phase *phase, unsigned unit, struct activity *out)
{
    const struct activity *found = phase_activity(phase, unit);
    *out = (struct activity){.unit = (uint8_t)unit, .kind = DOES_SHARE, .times = 1};
    if (found)
        *out = *found;
    else if (unit == UNIT_EU_ACTIVE || unit == UNIT_EU_STALLED)
        out->value = array_share(phase, unit);
    return found || out->value;
}

/* Collects the sources of an input. */
static void gather(const struct binding *binding, enum unit_place place, unsigned index,
                   struct input *input)
{
    const struct tally_workload_program *program = binding->program;
    struct activity activity;
    *input = (struct input){0};
    if (place == PLACE_NOA && find_activity(binding->phase, UNIT_NOA + index, &activity)) {
        uint64_t seed = unit_seed(binding->workload, binding->number, UNIT_NOA + index, 0);
        add_source(input, &activity, program->eus, binding->bound->hz, NULL, seed);
        return; /* raw bits override units */
    }
    for (size_t i = 0; i < unit_row_count; i++) {
        const struct unit_row *row = &unit_rows[i];
        bool here = row->place == place && row->index == index &&
                    unit_row_is_of(row, program->sku, program->platform->revision);
        if (!here || !find_activity(binding->phase, row->unit, &activity))
            continue;
        uint64_t seed = unit_seed(binding->workload, binding->number, row->unit, 0);
        add_source(input, &activity, program->eus, binding->bound->hz, row, seed);
    }
}

static void bind_inputs(const struct binding *binding)
{
    struct bound_phase *bound = binding->bound;
    for (unsigned i = 0; i < binding->program->a_count; i++) {
        struct input input;
        gather(binding, PLACE_A, i, &input);
        if (input.sources == 1 && input.value)
            bound->a[i] = tally_number_times(input.value, &input.wave);
        else if (input.flow)
            bound->a[i] = tally_number_rate(input.flow, bound->hz);
    }
    for (unsigned bit = 0; bit < TALLY_WORKLOAD_NOA; bit++) {
        struct input input;
        gather(binding, PLACE_NOA, bit, &input);
        bound->noa[bit] =
            input.sources == 1 && input.value ? input.wave : tally_wave_rate(input.flow, bound->hz);
        if (input.sources)
            binding->program->noa_driven |= (uint16_t)(1u << bit);
    }
}

static void bind_phase(const struct binding *binding, uint64_t default_hz, unsigned threads)
{
    const struct phase *phase = binding->phase;
    struct bound_phase *bound = binding->bound;
    bound->hz = phase->clock_hz ? phase->clock_hz : default_hz;
    bound->clocks = scale_u64(phase->duration_ns, bound->hz, NS_PER_SECOND);
    bound->clocks = bound->clocks ? bound->clocks : 1;
    bound->idle = phase->idle;
    bound->context = phase->context;
    bind_inputs(binding);
    if (binding->program->platform->oa->subslices)
        plan_eus(binding->workload, binding->number, binding->program->eus, threads, bound->eus);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void report_left_out(const struct tally_workload *workload, const struct intel_sku *sku,
                            tally_workload_found *note, void *closure)
{
    bool reported[UNITS] = {false};
    char message[120];
    for (size_t i = 0; i < workload->phase_count; i++) {
        const struct phase *phase = &workload->phases[i];
        for (size_t k = 0; k < phase->activity_count; k++) {
            const struct activity *activity = &phase->activities[k];
            if (reported[activity->unit] || unit_is_counted(sku, activity->unit))
                continue;
            reported[activity->unit] = true;
            snprintf(message, sizeof message, "%s: no counter on %s; ignored",
                     unit_info(activity->unit)->name, sku->info.title);
            note(closure, activity->line, message);
        }
    }
}

int tally_workload_bind(const struct tally_workload *workload,
                        const struct tally_workload_target *target, tally_workload_found *note,
                        void *closure, struct tally_workload_program **out,
                        struct tally_error *error)
{
    const struct intel_sku *sku = intel_sku_modelled(target->platform, "OA", error);
    if (!sku)
        return -EINVAL;
    const struct intel_platform *platform = intel_sku_platform(sku);
    const struct tally_sku *info = &sku->info;
    static const struct tally_fuses none;
    struct intel_topology topology;
    int result = intel_topology_fuse(sku, target->fuses ? target->fuses : &none, &topology, error);
    if (result < 0)
        return result;
    bool fused = target->fuses && memcmp(target->fuses, &none, sizeof none) != 0;
    unsigned left = intel_topology_public(&topology).eus;
    unsigned max = platform->oa->subslices ? left : 1024;
    unsigned eus = target->eus ? target->eus : left;
    uint64_t hz = target->clock_hz ? target->clock_hz : info->gt_max_mhz * UINT64_C(1000000);
    if (fused && eus != left)
        return fail(error, -EINVAL, "%u EUs of %s, expected the %u that fuses leave", eus,
                    info->title, left);
    if (eus > max)
        return fail(error, -EINVAL, "%u EUs, expected at most %u on %s", eus, max, info->title);
    if (hz < 1000000 || hz > UINT64_C(4000000000))
        return fail(error, -EINVAL, "a clock of %llu Hz, expected 1 MHz to 4 GHz",
                    (unsigned long long)hz);
    struct tally_workload_program *program =
        calloc(1, sizeof *program + workload->phase_count * sizeof *program->phases);
    if (!program)
        return fail_memory(error, "a workload's program");
    program->sku = sku;
    program->platform = platform;
    program->a_count = platform->oa->a_count;
    program->eus = eus;
    if (eus < left) /* as a GPU with fewer EUs has them */
        intel_topology_of(sku, eus, &topology);
    intel_topology_places(&topology, program->places, TALLY_OA_EUS);
    program->ratios = platform->oa->ratio_reports;
    program->phase_count = workload->phase_count;
    for (size_t i = 0; i < workload->phase_count; i++) {
        struct binding binding = {workload, &workload->phases[i], i, program, &program->phases[i]};
        bind_phase(&binding, hz, info->eu_threads);
    }
    if (note)
        report_left_out(workload, sku, note, closure);
    *out = program;
    return 0;
}

void tally_workload_unbind(struct tally_workload_program *program)
{
    free(program);
}

uint64_t tally_workload_phase_clocks(const struct tally_workload_program *program, size_t phase)
{
    return phase < program->phase_count ? program->phases[phase].clocks : 0;
}

uint64_t tally_workload_phase_hz(const struct tally_workload_program *program, size_t phase)
{
    return phase < program->phase_count ? program->phases[phase].hz : 0;
}
