/* SPDX-License-Identifier: MIT */
#include "intel/gpu/rps.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "intel/frequency.h"
#include "intel/gpu/gpu.h"
#include "intel/symbols.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define SNB_IVB      (ON(SNB) | ON(IVB))
#define HSW_BDW      (ON(HSW) | ON(BDW))
#define VLV_CHV      (ON(VLV) | ON(CHV))
#define GEN6_8       (SNB_IVB | HSW_BDW | VLV_CHV)
#define GEN9_UP      (ON(SKL) | GT_GEN11_UP)
#define ALL          (GEN6_8 | GEN9_UP)

#include "regs/pass/fields.h"
#include "intel/gpu/rps.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gpu/rps.def"
};
#include "regs/pass/end.h"

const struct reg_map rps_map = {
    .name = "rps",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0xb000,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
    .has_basis = true,
};

/* Where the registers of a revision have ratios; 0 bits: they have none. */
static const struct ratio_fields {
    uint32_t revisions;
    uint8_t request_low, request_bits;
    uint8_t up_low, up_bits, down_low, down_bits; /* of the limits */
} ratio_fields[] = {
#define AT(set, field) set##__##field##_LOW, REG_WIDTH(set, field)
    {SNB_IVB, AT(GEN6_RPNSWREQ, RATIO), AT(GEN6_RP_INTERRUPT_LIMITS, UP),
     AT(GEN6_RP_INTERRUPT_LIMITS, DOWN)},
    {HSW_BDW, AT(HSW_RPNSWREQ, RATIO), AT(GEN6_RP_INTERRUPT_LIMITS, UP),
     AT(GEN6_RP_INTERRUPT_LIMITS, DOWN)},
    {VLV_CHV, 0, 0, AT(GEN6_RP_INTERRUPT_LIMITS, UP), AT(GEN6_RP_INTERRUPT_LIMITS, DOWN)},
    {GEN9_UP, AT(GEN9_RPNSWREQ, RATIO), AT(GEN9_RP_INTERRUPT_LIMITS, UP),
     AT(GEN9_RP_INTERRUPT_LIMITS, DOWN)},
#undef AT
};

static const struct ratio_fields *fields_of(enum intel_revision revision)
{
    const struct ratio_fields *fields = ratio_fields;
    while (!(fields->revisions & INTEL_BIT(revision)))
        fields++;
    return fields;
}

static uint32_t field(uint32_t word, unsigned low, unsigned bits)
{
    return word >> low & (uint32_t)low_bits(bits);
}

/* ---- the frequency --------------------------------------------------------------------------- */

uint32_t rps_request(enum intel_revision revision, uint32_t steps)
{
    const struct ratio_fields *fields = fields_of(revision);
    return fields->request_bits ? steps << fields->request_low : 0;
}

/* Returns the requested steps; 0: no request is in effect. */
static uint32_t requested_steps(const struct tally_gpu *gpu)
{
    const struct ratio_fields *fields = fields_of(gpu->platform->revision);
    if (!fields->request_bits)
        return gt_sideband_steps(&gpu->sideband);
    if (REG_GET(GEN6_RP_CONTROL, MODE, gpu->rps.regs[RPS_CONTROL]) != RP_MODE__SOFTWARE)
        return 0;
    return max_u32(field(gpu->rps.regs[RPS_REQUEST], fields->request_low, fields->request_bits), 1);
}

uint32_t rps_clock_hz(const struct tally_gpu *gpu)
{
    return gpu->rps.steps ? (uint32_t)intel_hz_of(gpu->platform, gpu->rps.steps)
                          : gpu->full_clock_hz;
}

void rps_update(struct tally_gpu *gpu)
{
    struct intel_frequencies range = intel_frequencies(&gpu->sku->info);
    uint32_t steps = requested_steps(gpu);
    if (!steps)
        return;
    steps = max_u32(steps, intel_steps_of(gpu->platform, range.lowest));
    steps = min_u32(steps, intel_steps_of(gpu->platform, range.highest));
    if (steps == gpu->rps.steps)
        return;
    gpu->rps.steps = steps;
    if (!gpu->cursor.program)
        gpu_set_clock(gpu, rps_clock_hz(gpu));
}

/* ---- evaluation ------------------------------------------------------------------------------ */

#define UNIT_TICKS 16 /* of TIMESTAMP */

static uint64_t ns_of(const struct tally_gpu *gpu, uint32_t units)
{
    return scale_u64((uint64_t)units * UNIT_TICKS, NS_PER_SECOND, gpu->timestamp_hz);
}

static uint32_t units_of(const struct tally_gpu *gpu, uint64_t ns)
{
    return (uint32_t)(scale_u64(ns, gpu->timestamp_hz, NS_PER_SECOND) / UNIT_TICKS);
}

static uint64_t length_of(const struct tally_gpu *gpu, bool on, enum rps_register reg)
{
    return on ? ns_of(gpu, gpu->rps.regs[reg]) : 0;
}

static uint64_t timeout_of(const struct tally_gpu *gpu)
{
    bool on = REG_GET(GEN6_RP_CONTROL, ENABLE, gpu->rps.regs[RPS_CONTROL]);
    return length_of(gpu, on, RPS_DOWN_TIMEOUT);
}

/* Computes the intervals again; those that go on keep what has passed of them. */
static void update_intervals(struct tally_gpu *gpu)
{
    struct gpu_rps *rps = &gpu->rps;
    uint32_t control = rps->regs[RPS_CONTROL];
    bool on = REG_GET(GEN6_RP_CONTROL, ENABLE, control);
    struct rps_interval *up = &rps->intervals[RPS_UP], *down = &rps->intervals[RPS_DOWN];
    up->length = length_of(gpu, on && REG_GET(GEN6_RP_CONTROL, UP_MODE, control), RPS_UP_EI);
    down->length = length_of(gpu, on && REG_GET(GEN6_RP_CONTROL, DOWN_MODE, control), RPS_DOWN_EI);
    for (unsigned i = 0; i < RPS_DIRECTIONS; i++)
        if (!rps->intervals[i].length)
            rps->intervals[i].elapsed = rps->intervals[i].busy = 0;
    if (!on) {
        rps->idle = 0;
        rps->is_timed_out = false;
    }
    rps->evaluates = up->length || down->length || timeout_of(gpu);
}

void rps_init(struct tally_gpu *gpu)
{
    memset(&gpu->rps, 0, sizeof gpu->rps);
}

uint64_t rps_horizon(const struct tally_gpu *gpu)
{
    const struct gpu_rps *rps = &gpu->rps;
    uint64_t ns = RPS_NEVER, timeout;
    if (!rps->evaluates || gpu->in_rc6)
        return RPS_NEVER;
    for (unsigned i = 0; i < RPS_DIRECTIONS; i++)
        if (rps->intervals[i].length)
            ns = min_u64(ns, rps->intervals[i].length -
                                 min_u64(rps->intervals[i].elapsed, rps->intervals[i].length));
    if (!rps->is_timed_out && (timeout = timeout_of(gpu)))
        ns = min_u64(ns, timeout - min_u64(rps->idle, timeout));
    return ns == RPS_NEVER ? RPS_NEVER : gpu_clocks_of(gpu, ns);
}

static void raise_events(struct tally_gpu *gpu, uint32_t events)
{
    const struct gt_engine_info *info = &gt_engines[GT_GTPM];
    events &= ~gpu->rps.regs[RPS_MASK];
    if (!events)
        return;
    if (has_interrupt_tree(gpu))
        gt_interrupts_message(&gpu->interrupts, info->engine_class, info->instance, 0,
                              (uint16_t)events);
    else
        gt_flat_raise_power(&gpu->flat, events);
    gpu_notify(gpu);
}

/* Ends an interval. What has passed beyond its end, busy or not, is of the next one. Returns the
 * events. */
static uint32_t end_interval(struct tally_gpu *gpu, unsigned direction, uint64_t beyond, bool busy)
{
    const struct ratio_fields *fields = fields_of(gpu->platform->revision);
    struct gpu_rps *rps = &gpu->rps;
    struct rps_interval *interval = &rps->intervals[direction];
    uint32_t limits = rps->regs[RPS_LIMITS];
    uint32_t ratio = fields->request_bits ? rps->steps : gt_sideband_ratio(&gpu->sideband);
    interval->elapsed = beyond;
    interval->previous = interval->busy - (busy ? beyond : 0);
    interval->busy = busy ? beyond : 0;
    if (direction == RPS_UP) {
        bool above = interval->previous > ns_of(gpu, rps->regs[RPS_UP_THRESHOLD]);
        bool below_limit = ratio < field(limits, fields->up_low, fields->up_bits);
        return REG_MASK(GEN6_PM_RP, UP_EI_EXPIRED) |
               (above && below_limit ? REG_MASK(GEN6_PM_RP, UP_THRESHOLD) : 0);
    }
    bool below = interval->previous < ns_of(gpu, rps->regs[RPS_DOWN_THRESHOLD]);
    bool above_limit = ratio > field(limits, fields->down_low, fields->down_bits);
    return REG_MASK(GEN6_PM_RP, DOWN_EI_EXPIRED) |
           (below && above_limit ? REG_MASK(GEN6_PM_RP, DOWN_THRESHOLD) : 0);
}

void rps_advance(struct tally_gpu *gpu, uint64_t ns, bool busy)
{
    struct gpu_rps *rps = &gpu->rps;
    uint32_t events = 0;
    for (unsigned i = 0; i < RPS_DIRECTIONS; i++) {
        struct rps_interval *interval = &rps->intervals[i];
        if (!interval->length)
            continue;
        interval->elapsed += ns;
        interval->busy += busy ? ns : 0;
        if (interval->elapsed >= interval->length)
            events |= end_interval(gpu, i, min_u64(interval->elapsed % interval->length, ns), busy);
    }
    rps->idle = busy ? 0 : rps->idle + ns;
    rps->is_timed_out &= !busy;
    uint64_t timeout = timeout_of(gpu);
    if (timeout && !rps->is_timed_out && rps->idle >= timeout) {
        rps->is_timed_out = true;
        events |= REG_MASK(GEN6_PM_RP, DOWN_TIMEOUT);
    }
    raise_events(gpu, events);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t read_register(void *context, const struct reg_request *request)
{
    const struct tally_gpu *gpu = context;
    const struct gpu_rps *rps = &gpu->rps;
    const struct rps_interval *up = &rps->intervals[RPS_UP], *down = &rps->intervals[RPS_DOWN];
    const uint64_t times[] = {up->elapsed,   up->busy,   up->previous,
                              down->elapsed, down->busy, down->previous};
    unsigned id = request->row->reg->id;
    return id < RPS_STORED ? rps->regs[id] : units_of(gpu, times[id - RPS_STORED]);
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    struct tally_gpu *gpu = context;
    gpu->rps.regs[request->row->reg->id] = value;
    update_intervals(gpu);
    rps_update(gpu);
}

const struct reg_block rps_block = {
    .map = &rps_map,
    .common = {read_register, write_register},
};
