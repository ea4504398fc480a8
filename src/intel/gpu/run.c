/* SPDX-License-Identifier: MIT */
/* Runs the GPU: commands, phases of the workload, and power management. */
#include <errno.h>

#include "base/minmax.h"
#include "base/ratio.h"
#include "intel/clock_ratio.h"
#include "intel/cs/symbols.h"
#include "intel/frequency.h"
#include "intel/gpu/gpu.h"

/* ---- the OA unit ----------------------------------------------------------------------------- */

void gpu_settle(struct tally_gpu *gpu)
{
    if (!gpu->oa_lag)
        return;
    tally_oa_run(gpu->oa, gpu->oa_lag);
    gpu->oa_lag = 0;
}

void gpu_advance_oa(struct tally_gpu *gpu, uint64_t clocks)
{
    if (!gpu->oa_lag)
        gpu->oa_quiet = tally_oa_quiet_clocks(gpu->oa);
    gpu->oa_lag += clocks;
    if (gpu->oa_lag > gpu->oa_quiet || gpu->loops.off)
        gpu_settle(gpu);
}

uint64_t gpu_quiet_clocks(const struct tally_gpu *gpu)
{
    return gpu->oa_lag ? gpu->oa_quiet - gpu->oa_lag : tally_oa_quiet_clocks(gpu->oa);
}

uint64_t gpu_now(const struct tally_gpu *gpu)
{
    return tally_oa_now(gpu->oa) + gpu->oa_lag;
}

/* ---- the clock ------------------------------------------------------------------------------- */

void gpu_set_clock(struct tally_gpu *gpu, uint32_t clock_hz)
{
    gpu_settle(gpu);
    if (gpu->clock_hz)
        gpu->ns_phase = (uint64_t)((uint128)gpu->ns_phase * clock_hz / gpu->clock_hz);
    gpu->clock_hz = clock_hz;
    gpu->sideband.steps = intel_steps_of(gpu->platform, (clock_hz + 500000) / 1000000);
    tally_oa_set_clock(gpu->oa, clock_hz, gpu->timestamp_hz);
    noa_set_clocks(&gpu->noa, clock_hz, gpu->timestamp_hz);
    rc6_update(gpu);
    uint32_t ratio = intel_clock_ratio(clock_hz);
    if (gpu->oa->variant->ratio_reports && ratio != gpu->oa->slice_ratio)
        tally_oa_set_ratios(gpu->oa, ratio, ratio);
}

uint64_t gpu_clocks_of(const struct tally_gpu *gpu, uint64_t ns)
{
    uint128 units = (uint128)max_u64(ns, 1) * gpu->clock_hz - gpu->ns_phase;
    return (uint64_t)((units + NS_PER_SECOND - 1) / NS_PER_SECOND);
}

uint64_t tally_gpu_now(const struct tally_gpu *gpu)
{
    return tally_oa_now(gpu->oa);
}

uint64_t tally_gpu_now_ns(const struct tally_gpu *gpu)
{
    return gpu->ns;
}

uint32_t tally_gpu_clock_hz(const struct tally_gpu *gpu)
{
    return gpu->clock_hz;
}

uint32_t tally_gpu_timestamp_hz(const struct tally_gpu *gpu)
{
    return gpu->timestamp_hz;
}

/* ---- the workload ---------------------------------------------------------------------------- */

static const struct bound_phase *present_phase(const struct tally_gpu *gpu)
{
    return gpu->cursor.program ? &gpu->cursor.program->phases[gpu->cursor.phase] : NULL;
}

bool gpu_is_workload_active(const struct tally_gpu *gpu)
{
    const struct bound_phase *phase = present_phase(gpu);
    return phase && gpu->cursor.entered && !phase->idle;
}

void gpu_run_workload_context(struct tally_gpu *gpu)
{
    gpu_settle(gpu);
    bool valid = gpu_is_workload_active(gpu);
    uint32_t id = valid ? present_phase(gpu)->context : 0;
    if (gpu->wake.lost) /* done when the power is back */
        return;
    if (valid && gpu->context_lost) { /* the context restores OACTXCONTROL */
        tally_oa_write32(gpu->oa, GEN8_OACTXCONTROL, gpu->saved_oactxcontrol);
        gpu->context_lost = false;
    }
    if (valid == gpu->oa->context_valid && id == gpu->oa->context)
        return;
    if (valid)
        power_run_context_batch(gpu);
    tally_oa_switch_context(gpu->oa, valid, id);
}

/* Drives the inputs that the workload has driven with 0. */
static void release_inputs(struct tally_gpu *gpu)
{
    struct tally_number zero = tally_number_constant(0);
    struct tally_wave low = tally_wave_constant(false);
    const struct tally_workload_program *program = gpu->cursor.program;
    for (unsigned i = 0; i < program->a_count; i++)
        tally_oa_drive_a(gpu->oa, i, &zero);
    for (unsigned bit = 0; bit < TALLY_WORKLOAD_NOA; bit++)
        if (program->noa_driven >> bit & 1)
            tally_oa_drive_noa(gpu->oa, bit, &low);
    for (unsigned eu = 0; eu < gpu->eus; eu++)
        for (unsigned signal = TALLY_OA_EU_SIGNALS; signal-- > 0;)
            tally_oa_drive_eu(gpu->oa, eu, (enum tally_oa_eu_signal)signal, &zero);
}

static bool matches(const struct tally_gpu *gpu, const struct tally_workload_program *program)
{
    if (program->sku != gpu->sku || (is_map_c(gpu->oa) && program->eus != gpu->eus))
        return false;
    for (size_t i = 0; i < program->phase_count; i++)
        if (program->phases[i].hz < gpu->timestamp_hz || program->phases[i].hz > UINT32_MAX)
            return false;
    return true;
}

int tally_gpu_set_workload(struct tally_gpu *gpu, const struct tally_workload_program *program)
{
    if (program && !matches(gpu, program))
        return -EINVAL;
    if (gpu->cursor.program)
        release_inputs(gpu);
    gpu->cursor = (struct tally_workload_cursor){0};
    if (program)
        tally_workload_start(program, &gpu->cursor);
    else
        gpu_set_clock(gpu, rps_clock_hz(gpu));
    gpu_drive_clock(gpu);
    if (!gpu_render(gpu)->context_loaded)
        gpu_run_workload_context(gpu);
    power_update(gpu);
    return 0;
}

/* Enters the current phase of the workload, if it has not been entered. */
static void enter_phase(struct tally_gpu *gpu)
{
    const struct bound_phase *phase = present_phase(gpu);
    if (!phase || gpu->cursor.entered)
        return;
    gpu_settle(gpu);
    gpu->cursor.entered = true;
    power_update(gpu); /* before the phase's first clock */
    tally_workload_apply(gpu->cursor.program, gpu->cursor.phase, gpu->cursor.repetition, gpu->oa);
    if (phase->hz != gpu->clock_hz)
        gpu_set_clock(gpu, (uint32_t)phase->hz);
    if (!gpu_render(gpu)->context_loaded)
        gpu_run_workload_context(gpu);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Whether an engine executes nothing, although it has commands. */
static bool is_halted(const struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    return engine->streamer.fault || gpu->wake.lost ||
           REG_GET(RING_RESET_CTL, REQUEST, engine->reset_ctl);
}

/* The context of an idle render ring stays loaded until the workload becomes active. A ring that
 * continues has the context of its latest MI_SET_CONTEXT again, which it need not repeat. */
static void resume_context(struct tally_gpu *gpu, struct gpu_engine *engine)
{
    uint32_t id;
    if (engine->context_loaded || engine->streamer.running || engine->streamer.pending_count ||
        !streamer_set_context(&engine->streamer, &id))
        return;
    engine->context_loaded = true;
    gpu_settle(gpu);
    tally_oa_switch_context(gpu->oa, true, id);
}

static void advance_engines(struct tally_gpu *gpu, uint64_t clocks, uint64_t ns)
{
    FOR_EACH_ENGINE (id, gpu->used) {
        struct gpu_engine *engine = &gpu->engines[id];
        if (engine_is_idle(engine))
            continue;
        engine->busy_ns += ns;
        if (engine->streamer.activity == STREAMER_STALLS)
            *(CS_IS(MI_WAIT_FOR_EVENT, engine->streamer.ipehr) ? &engine->event_ns
                                                               : &engine->semaphore_ns) += ns;
        if (engine->wait)
            engine->wait -= (uint32_t)clocks;
    }
}

static void advance(struct tally_gpu *gpu, uint64_t clocks)
{
    uint128 phase = (uint128)clocks * NS_PER_SECOND + gpu->ns_phase;
    uint64_t ns = (uint64_t)(phase / gpu->clock_hz);
    gpu->ns += ns;
    gpu->ns_phase = (uint64_t)(phase % gpu->clock_hz);
    gpu->rc6_ns += gpu->in_rc6 ? ns : 0;
    rc6_count(gpu, ns);
    gpu->awake_clocks += gpu->in_rc6 ? 0 : clocks;
    if (!engine_is_idle(gpu_render(gpu)) || gpu_is_workload_active(gpu))
        gpu->busy_ns += ns;
    if (gpu->rps.evaluates && !gpu->in_rc6)
        rps_advance(gpu, ns, gpu->held);
    power_advance(gpu, clocks);
    if (gt_forcewake_run(&gpu->wake, clocks))
        power_update(gpu);
    advance_engines(gpu, clocks, ns);
    if (!gpu->cursor.program)
        return;
    gpu->cursor.left -= clocks;
    if (!gpu->cursor.left)
        workload_next_phase(&gpu->cursor);
}

/* Clocks until something other than an engine acts, at most `clocks`. */
static uint64_t horizon(const struct tally_gpu *gpu, uint64_t clocks)
{
    uint64_t time = gpu_now(gpu);
    clocks = min_u64(clocks, power_horizon(gpu));
    FOR_EACH_ENGINE (id, gpu->used) /* the end of its work */
        if (gpu->engines[id].busy_until > time)
            clocks = min_u64(clocks, gpu->engines[id].busy_until - time);
    return gpu->cursor.program ? min_u64(clocks, gpu->cursor.left) : clocks;
}

/* Clocks until an engine or something else acts, at most `clocks`. */
static uint64_t until_next_step(const struct tally_gpu *gpu, uint64_t clocks)
{
    clocks = horizon(gpu, clocks);
    FOR_EACH_ENGINE (id, gpu->used)
        if (gpu->engines[id].wait)
            clocks = min_u64(clocks, gpu->engines[id].wait);
    return clocks;
}

uint64_t gpu_step_ns(const struct tally_gpu *gpu)
{
    uint64_t clocks = until_next_step(gpu, gpu->clock_hz);
    FOR_EACH_ENGINE (id, gpu->used) {
        const struct gpu_engine *engine = &gpu->engines[id];
        if (!engine->wait && !streamer_is_idle(&engine->streamer) && !is_halted(gpu, engine))
            return 0;
    }
    return clocks * NS_PER_SECOND / gpu->clock_hz;
}

/* Executes the next command if it is due. clocks: what is left of the run. */
static void step_engine(struct tally_gpu *gpu, struct gpu_engine *engine, uint64_t clocks)
{
    if (engine->wait)
        return;
    if (is_halted(gpu, engine)) {
        gpu_loop_leave(gpu, engine);
        return;
    }
    bool idle = streamer_is_idle(&engine->streamer), render = engine == gpu_render(gpu);
    if (!idle && gpu_loop_skip(gpu, engine, horizon(gpu, clocks)))
        return;
    if (!idle) {
        if (render)
            resume_context(gpu, engine);
        gpu_step_engine(gpu, engine);
        if (gpu_loop_in_noops(&gpu->loops, &engine->streamer))
            gpu_loop_noops(gpu, engine, horizon(gpu, clocks));
    } else if (render && engine->context_loaded && gpu_is_workload_active(gpu)) {
        engine->context_loaded = false;
        gpu_run_workload_context(gpu);
    }
    if (!idle || gpu->held)
        power_update(gpu);
}

/* Executes commands that are due, in the order of the engines: one may start a later engine.
 * Returns the clocks until something acts. */
static uint64_t step_engines(struct tally_gpu *gpu, uint64_t clocks)
{
    for (unsigned id = 0; id < CS_ENGINES; id++)
        if (gpu->used >> id & 1)
            step_engine(gpu, &gpu->engines[id], clocks);
    uint64_t until = until_next_step(gpu, clocks);
    if (!gpu->loops.ahead || until <= gpu_quiet_clocks(gpu))
        return until;
    gpu_loop_settle(gpu); /* there is a report after all */
    return until_next_step(gpu, clocks);
}

/* Runs the GPU. `one_clock`: stops if the clock changes. */
static void run(struct tally_gpu *gpu, uint64_t clocks, bool one_clock)
{
    uint32_t clock_hz = gpu->clock_hz;
    gpu_loop_start(gpu);
    while (clocks) {
        enter_phase(gpu);
        uint64_t now = step_engines(gpu, clocks);
        gpu_update_busy(gpu);
        advance(gpu, now);
        clocks -= now;
        if (one_clock && gpu->clock_hz != clock_hz) {
            gpu->stepping = 0; /* no engine has started at the present clock */
            gpu_loop_settle(gpu);
            break;
        }
    }
    gpu_settle(gpu);
}

void tally_gpu_run(struct tally_gpu *gpu, uint64_t clocks)
{
    run(gpu, clocks, false);
}

uint64_t tally_gpu_run_ns(struct tally_gpu *gpu, uint64_t ns)
{
    uint64_t before = tally_gpu_now(gpu), target = gpu->ns + ns;
    while (gpu->ns < target) {
        enter_phase(gpu); /* may change the clock */
        uint64_t clocks = gpu_clocks_of(gpu, target - gpu->ns);
        run(gpu, gpu->cursor.program ? min_u64(clocks, gpu->cursor.left) : clocks, true);
    }
    return tally_gpu_now(gpu) - before;
}
