/* SPDX-License-Identifier: MIT */
/* Faults: see the section "faults" of <tally/gpu.h>. */
#include "intel/gpu/gpu.h"
#include "intel/gpu/image.h"

void tally_gpu_set_faults(struct tally_gpu *gpu, const struct tally_gpu_faults *faults)
{
    gpu->faults = *faults;
    gpu_connect_oa(gpu);
}

void tally_gpu_overflow(struct tally_gpu *gpu)
{
    gpu->oa->flags |= FLAG_BUFFER_OVERFLOW;
}

/* ---- power ----------------------------------------------------------------------------------- */

/* Reloads the running context when the power is back, and with it the registers that RC6 lost. */
static void reload_context(struct tally_gpu *gpu)
{
    struct gpu_engine *render = gpu_render(gpu);
    if (!render->context_loaded)
        gpu_run_workload_context(gpu);
    else if (gpu->context_lost && !gpu->in_rc6 && render->streamer.has_ring)
        image_load_oa(gpu);
}

void gpu_lose_wake(struct tally_gpu *gpu, bool lost)
{
    gt_forcewake_lose(&gpu->wake, lost);
    if (lost) {
        power_enter(gpu);
        return;
    }
    power_update(gpu);
    reload_context(gpu);
}

void tally_gpu_lose_wake(struct tally_gpu *gpu, bool lost)
{
    gpu_set_powerless(gpu, GPU_WAKE_LOST, lost);
}

/* ---- contexts -------------------------------------------------------------------------------- */

void tally_gpu_intrude(struct tally_gpu *gpu, uint32_t id)
{
    tally_gpu_end_intrusion(gpu);
    gpu->intruder = (struct gpu_intruder){true, gpu->oa->context_valid, id, gpu->oa->context};
    tally_oa_switch_context(gpu->oa, true, id);
}

void tally_gpu_end_intrusion(struct tally_gpu *gpu)
{
    const struct gpu_intruder *intruder = &gpu->intruder;
    if (intruder->active && gpu->oa->context_valid && gpu->oa->context == intruder->id)
        tally_oa_switch_context(gpu->oa, intruder->previous_valid, intruder->previous);
    gpu->intruder.active = false;
}

/* ---- the command streamers' own ---------------------------------------------------------------
 */

void tally_gpu_set_fault_listener(struct tally_gpu *gpu,
                                  void (*listener)(void *context, const struct tally_error *error),
                                  void *context)
{
    gpu->fault_listener = listener;
    gpu->fault_context = context;
}

void gpu_report_fault(struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    struct tally_error error;
    if (gpu->fault_listener && streamer_explain(&engine->streamer, &error) < 0)
        gpu->fault_listener(gpu->fault_context, &error);
}
