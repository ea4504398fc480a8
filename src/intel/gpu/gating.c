/* SPDX-License-Identifier: MIT */
/*
 * Clock gating of Gen6 to Gen7.5, and the counts that it costs (document 000: "Performance Counter
 * Reporting", OACONTROL; OA-14.6).
 *
 * While render is idle, gating of its trunk clock (RC_CONTROL, MISCCPCTL) or of the command
 * streamer (UCGCTL1[7]) stops the clock of the OA unit. On SNB, gating of EU clocks (UCGCTL1[16])
 * stops the counters of EUs that do not execute. Without gating of its own clock (UCGCTL3[20]) the
 * OA unit does not filter by context.
 */
#include "intel/gpu/gpu.h"

static bool is_gating(const struct tally_gpu *gpu)
{
    return gpu->clock_gating && gpu->oa->variant->gates;
}

void gating_init(struct tally_gpu *gpu)
{
    if (is_gating(gpu) && noa_owns(&gpu->noa, MISCCPCTL))
        noa_set32(&gpu->noa, MISCCPCTL, REG_MASK(MISCCPCTL, DOP_CLOCK_GATE_ENABLE));
    gating_update(gpu);
}

void gating_update(struct tally_gpu *gpu)
{
    bool gating = is_gating(gpu);
    uint32_t units = gpu->noa.regs[NOA_UCGCTL1];
    uint32_t gated =
        gating && !REG_GET(UCGCTL1, EU_CLOCK_GATE_DISABLE, units) ? gpu->oa->variant->eu_gated : 0;
    bool unfiltered = gating && REG_GET(UCGCTL3, OA_CLOCK_GATE_DISABLE, gpu->noa.regs[NOA_UCGCTL3]);
    if (gated == gpu->oa->gated && unfiltered == gpu->oa->unfiltered)
        return;
    gpu_settle(gpu);
    gpu->oa->gated = gated;
    gpu->oa->unfiltered = unfiltered;
}

static bool is_render_idle(const struct tally_gpu *gpu)
{
    const struct gpu_engine *render = &gpu->engines[CS_RCS0];
    return engine_is_idle(render) && render->busy_until <= gpu_now(gpu) &&
           !gpu_is_workload_active(gpu);
}

bool gating_stops_oa(const struct tally_gpu *gpu)
{
    if (gt_power_is_down(&gpu->power, (enum gt_well)gpu->oa_well))
        return true;
    if (!is_gating(gpu))
        return false;
    bool streamer = !REG_GET(UCGCTL1, CS_CLOCK_GATE_DISABLE, gpu->noa.regs[NOA_UCGCTL1]);
    return (streamer || noa_gates_trunk(&gpu->noa)) && is_render_idle(gpu);
}
