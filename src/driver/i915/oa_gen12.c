/* SPDX-License-Identifier: MIT */
/*
 * Metric sets on Gen12: OAG counts for all contexts, OAR for the one that a stream filters by
 * (PERF-5.3, PERF-5.4, PERF-6.2, PERF-6.4).
 */
#include "base/bits.h"
#include "driver/i915/perf.h"

#define NO_SWITCH_REPORTS REG_MASK(GEN9_OA_DEBUG, NO_CONTEXT_REPORTS)
#define COUNTER_RESUME    REG_MASK(GEN8_OACTXCONTROL, RUN)
#define MONITORING        REG_MASK(SQCNT1, PMON_ENABLE)

/* ---- OAR ------------------------------------------------------------------------------------- */

/* Writes the image from the kernel context, then the registers from the context itself. */
static int switch_oar(const struct i915_stream *stream, bool on)
{
    struct i915_context *kernel = stream->device->kernel_context;
    uint32_t select = (uint32_t)stream->layout->counter_select;
    struct register_value values[] = {
        {GEN12_OAR_OACONTROL, on ? REG_PUT(GEN12_OAR_OACONTROL, COUNTER_SELECT, select) |
                                       REG_PUT(GEN12_OAR_OACONTROL, ENABLE, 1)
                                 : 0},
        {RING_CONTEXT_CONTROL, REG_MASKED(RING_CONTEXT_CONTROL, OAR_CONTEXT_ENABLE, on)},
    };
    struct batch image = {.wide = true}, registers = {.wide = true};
    uint64_t fence;
    batch_store(&image, i915_image_address(render_state(stream->context), IMAGE_OACTXCONTROL),
                on ? COUNTER_RESUME : 0);
    int result = batch_submit(&image, kernel, &fence);
    if (result == 0)
        i915_engine_finish(stream->device, fence);
    batch_registers(&registers, values, ARRAY_COUNT(values));
    if (result == 0)
        result = batch_submit(&registers, stream->context, &fence);
    else
        buffer_fini(&registers.bytes);
    return result;
}

/* ---- metric sets ----------------------------------------------------------------------------- */

/* Enables a metric set. A stream without samples does not need context-switch reports. */
static int enable_set(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    uint32_t quiet = stream->sample_oa ? 0 : NO_SWITCH_REPORTS;
    write32(device, GEN12_OAG_OA_DEBUG,
            REG_MASKED_BITS(OA_DEBUG_BITS | NO_SWITCH_REPORTS, OA_DEBUG_BITS | quiet));
    /* Without a timer, counter resume stays off as well (PERF-Q26). */
    write32(device, GEN12_OAG_OAGLBCTXCTRL,
            stream->periodic ? REG_PUT(GEN8_OACTXCONTROL, TIMER_PERIOD, stream->exponent) |
                                   REG_PUT(GEN8_OACTXCONTROL, TIMER_ENABLE, 1) | COUNTER_RESUME
                             : 0);
    update32(device, SQCNT1, MONITORING, MONITORING);
    int result = stream->context ? switch_oar(stream, true) : 0;
    return result < 0 ? result : i915_oa_apply(stream, stream->config, true);
}

static void disable_set(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    if (stream->context)
        switch_oar(stream, false); /* out of memory: OAR stays on */
    update32(device, GEN11_RPM_CONFIG1, REG_MASK(RPM_CONFIG1, NOA_ENABLE), 0);
    update32(device, SQCNT1, MONITORING, 0);
}

const struct oa_ops i915_oa_gen12 = {
    i915_oa_gen8_enable, i915_oa_gen8_disable,     i915_oa_gen8_tail, i915_oa_gen8_set_head,
    i915_oa_gen8_status, i915_oa_gen8_report_lost, enable_set,        disable_set};
