/* SPDX-License-Identifier: MIT */
#include "intel/gpu/rc6.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/ratio.h"
#include "intel/gpu/gpu.h"
#include "intel/symbols.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define GEN9_UP      (ON(SKL) | GT_GEN11_UP)
#define VLV_CHV      (ON(VLV) | ON(CHV))
#define RC6P         (ON(SNB) | ON(IVB))
#define NOT_VLV      (RC6P | ON(HSW) | ON(BDW) | GEN9_UP)
#define ALL          (NOT_VLV | VLV_CHV)

#include "regs/pass/fields.h"
#include "intel/gpu/rc6.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gpu/rc6.def"
};
#include "regs/pass/end.h"

const struct reg_map rc6_map = {
    .name = "rc6",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x140000,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
    .has_basis = true,
};

/* ---- times ----------------------------------------------------------------------------------- */

/* Values of RC_STATE's target below this are not RC6. */
#define TARGET_RC6   4
#define TARGET_RC6P  5
#define TARGET_RC6PP 6

static bool is_on(const struct tally_gpu *gpu, uint32_t revisions)
{
    return revisions & INTEL_BIT(gpu->platform->revision);
}

/* Returns the clocks of a number of units of 1.28 us. */
static uint64_t clocks_of(const struct tally_gpu *gpu, uint64_t units)
{
    return scale_u64(units * 128, gpu->clock_hz, NS_PER_SECOND / 10);
}

/* Whether the driver has enabled RC6. VLV and CHV have no bits for it; their driver sets timeouts.
 */
static bool is_rc6_enabled(const struct tally_gpu *gpu)
{
    uint32_t states = REG_MASK(RC_CONTROL, RC6_ENABLE) | REG_MASK(RC_CONTROL, RC6P_ENABLE) |
                      REG_MASK(RC_CONTROL, RC6PP_ENABLE);
    return gpu->noa.regs[NOA_RC_CONTROL] &
           (is_on(gpu, VLV_CHV) ? states | REG_MASK(RC_CONTROL, TIMEOUT_MODE) : states);
}

static uint32_t target_of(const struct tally_gpu *gpu)
{
    return REG_GET(RC_STATE, SOFTWARE_TARGET, gpu->noa.regs[NOA_RC_STATE]);
}

static bool evaluates(const struct tally_gpu *gpu)
{
    uint32_t control = gpu->noa.regs[NOA_RC_CONTROL];
    return is_rc6_enabled(gpu) && REG_GET(RC_CONTROL, HARDWARE_CONTROL, control) &&
           !REG_GET(RC_CONTROL, TIMEOUT_MODE, control) && gpu->rc6.interval;
}

/* Returns the idle clocks before RC6: at once if software chooses it; else after the hysteresis,
 * with timeouts and a threshold, or after an interval that was idle enough (OA-16.12). */
static uint64_t delay_of(const struct tally_gpu *gpu)
{
    const struct gpu_rc6 *rc6 = &gpu->rc6;
    uint32_t control = gpu->noa.regs[NOA_RC_CONTROL];
    uint64_t hysteresis = rc6->regs[RC6_IDLE_HYSTERESIS];
    if (gpu->always_awake || !noa_allows_rc6(&gpu->noa))
        return RC6_NEVER;
    if (!is_rc6_enabled(gpu)) /* the firmware's choice */
        return gpu->rc6_after_clocks ? gpu->rc6_after_clocks : RC6_NEVER;
    if (REG_GET(RC_CONTROL, TIMEOUT_MODE, control))
        return clocks_of(gpu, hysteresis + rc6->regs[RC6_THRESHOLD]);
    if (!REG_GET(RC_CONTROL, HARDWARE_CONTROL, control))
        return target_of(gpu) >= TARGET_RC6 ? 0 : RC6_NEVER;
    return !rc6->interval || rc6->allowed ? clocks_of(gpu, hysteresis) : RC6_NEVER;
}

/* Returns the clocks after which a well that is released and idle powers down (OA-14.1). */
static uint64_t well_delay_of(const struct tally_gpu *gpu, enum gt_well well)
{
    uint32_t enabled = gpu->noa.regs[NOA_PG_ENABLE];
    bool render = well == GT_WELL_RENDER;
    if (is_on(gpu, VLV_CHV)) /* each well has its own RC6 */
        return gpu->rc6.delay;
    bool on = render ? REG_GET(PG_ENABLE, RENDER, enabled) : REG_GET(PG_ENABLE, MEDIA, enabled);
    if (gpu->always_awake || !on)
        return RC6_NEVER;
    return clocks_of(gpu, gpu->rc6.regs[render ? RC6_RENDER_HYSTERESIS : RC6_MEDIA_HYSTERESIS]);
}

void rc6_update(struct tally_gpu *gpu)
{
    struct gpu_rc6 *rc6 = &gpu->rc6;
    rc6->interval = clocks_of(gpu, rc6->regs[RC6_EVALUATION_INTERVAL]);
    rc6->threshold = clocks_of(gpu, rc6->regs[RC6_THRESHOLD]);
    rc6->evaluates = evaluates(gpu);
    if (!rc6->evaluates) {
        rc6->elapsed = rc6->idle = 0;
        rc6->allowed = false;
    }
    rc6->delay = delay_of(gpu);
    for (unsigned well = GT_WELL_RENDER; well < GT_WELLS; well++)
        rc6->well_delay[well] = well_delay_of(gpu, (enum gt_well)well);
}

void rc6_init(struct tally_gpu *gpu)
{
    memset(&gpu->rc6, 0, sizeof gpu->rc6);
    rc6_update(gpu);
}

/* ---- the evaluation interval ----------------------------------------------------------------- */

uint64_t rc6_horizon(const struct tally_gpu *gpu)
{
    const struct gpu_rc6 *rc6 = &gpu->rc6;
    if (!rc6->evaluates)
        return RC6_NEVER;
    return rc6->elapsed < rc6->interval ? rc6->interval - rc6->elapsed : 1;
}

void rc6_advance(struct tally_gpu *gpu, uint64_t clocks, bool idle)
{
    struct gpu_rc6 *rc6 = &gpu->rc6;
    rc6->elapsed += clocks;
    rc6->idle += idle ? clocks : 0;
    if (rc6->elapsed < rc6->interval)
        return;
    rc6->allowed = rc6->idle >= rc6->threshold;
    rc6->elapsed = rc6->idle = 0;
    rc6_update(gpu);
}

/* ---- residency ------------------------------------------------------------------------------- */

enum rc6_counter rc6_state(const struct tally_gpu *gpu)
{
    uint32_t target = target_of(gpu);
    if (!is_on(gpu, RC6P) || !is_rc6_enabled(gpu) || target <= TARGET_RC6)
        return RC6_PLAIN;
    return target == TARGET_RC6P ? RC6_DEEP : target == TARGET_RC6PP ? RC6_DEEPEST : RC6_PLAIN;
}

/* Adds to a counter of VLV or CHV, if it is enabled. */
static void count_well(struct tally_gpu *gpu, enum gt_well well, uint64_t ns)
{
    static const struct {
        uint32_t enable;
        uint8_t counter; /* enum rc6_counter */
    } counters[2][2] = {{{REG_MASK(VLV_COUNTER_CONTROL, RENDER_RC0_COUNT_EN), RC6_RENDER_AWAKE},
                         {REG_MASK(VLV_COUNTER_CONTROL, RENDER_RC6_COUNT_EN), RC6_RENDER}},
                        {{REG_MASK(VLV_COUNTER_CONTROL, MEDIA_RC0_COUNT_EN), RC6_MEDIA_AWAKE},
                         {REG_MASK(VLV_COUNTER_CONTROL, MEDIA_RC6_COUNT_EN), RC6_MEDIA}}};
    bool down = gt_power_is_down(&gpu->power, well);
    bool enabled =
        gpu->rc6.regs[RC6_COUNTER_CONTROL] & counters[well == GT_WELL_MEDIA][down].enable;
    gpu->rc6.ns[counters[well == GT_WELL_MEDIA][down].counter] += enabled ? ns : 0;
}

void rc6_count(struct tally_gpu *gpu, uint64_t ns)
{
    if (is_on(gpu, VLV_CHV)) {
        count_well(gpu, GT_WELL_RENDER, ns);
        count_well(gpu, GT_WELL_MEDIA, ns);
    } else if (gpu->in_rc6) {
        gpu->rc6.ns[gpu->rc6.state] += ns;
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The lower bits that COUNT_RANGE_HIGH leaves out. */
#define RANGE_SHIFT 8

static uint32_t read_register(void *context, const struct reg_request *request)
{
    const struct tally_gpu *gpu = context;
    const struct gpu_rc6 *rc6 = &gpu->rc6;
    unsigned id = request->row->reg->id;
    if (id < RC6_STORED)
        return rc6->regs[id] &
               reg_mask(request->row->reg, INTEL_BIT(gpu->platform->revision), UINT_MAX, REG_READ);
    uint64_t count =
        scale_u64(rc6->ns[id - RC6_COUNTER], gpu->platform->residency_hz, NS_PER_SECOND);
    bool high = REG_GET(VLV_COUNTER_CONTROL, COUNT_RANGE_HIGH, rc6->regs[RC6_COUNTER_CONTROL]);
    return (uint32_t)(high ? count >> RANGE_SHIFT : count);
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_gpu *gpu = context;
    unsigned id = request->row->reg->id;
    uint32_t *word = &gpu->rc6.regs[id];
    *word = id == RC6_COUNTER_CONTROL ? reg_write_masked(*word, value) : value;
    rc6_update(gpu);
}

const struct reg_block rc6_block = {
    .map = &rc6_map,
    .common = {read_register, write_register},
};
