/* SPDX-License-Identifier: MIT */
/* The OA unit of Gen7.5, whose status registers contain the pointers (PERF-5.1, PERF-6). */
#include "driver/i915/perf.h"

#define DOP_GATING REG_MASK(MISCCPCTL, DOP_CLOCK_GATE_ENABLE)
#define CS_UNGATED REG_MASK(UCGCTL1, CS_CLOCK_GATE_DISABLE)

static void enable(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    write32(device, GEN7_OASTATUS2, stream->base | REG_PUT(GEN7_OASTATUS2, GGTT, 1));
    write32(device, GEN7_OABUFFER, stream->base);
    write32(device, GEN7_OASTATUS1,
            stream->base | REG_PUT(GEN7_OASTATUS1, BUFFER_SIZE, OA_SIZE_16M));
    i915_oa_wipe(stream);
    write32(device, GEN7_OACONTROL,
            (stream->context ? stream->own_id : 0) |
                REG_PUT(GEN7_OACONTROL, TIMER_PERIOD, stream->exponent) |
                REG_PUT(GEN7_OACONTROL, TIMER_ENABLE, stream->periodic) |
                REG_PUT(GEN7_OACONTROL, COUNTER_SELECT, stream->layout->counter_select) |
                REG_PUT(GEN7_OACONTROL, SPECIFIC_CONTEXT, stream->context != NULL) |
                REG_PUT(GEN7_OACONTROL, ENABLE, 1));
}

static void disable(struct i915_stream *stream)
{
    i915_oa_stop(stream->device, GEN7_OACONTROL);
}

static uint32_t tail(const struct i915_stream *stream)
{
    return read32(stream->device, GEN7_OASTATUS1) & REG_MASK(GEN7_OASTATUS1, TAIL);
}

static void set_head(const struct i915_stream *stream, uint32_t address)
{
    write32(stream->device, GEN7_OASTATUS2, address | REG_PUT(GEN7_OASTATUS2, GGTT, 1));
}

/* Returns the status bits that were not reported yet. They cannot be cleared, because a write would
 * set the tail, so reported bits are stored until the unit restarts. */
static uint32_t status(const struct i915_stream *stream)
{
    return read32(stream->device, GEN7_OASTATUS1) & ~stream->latched;
}

static void report_lost(struct i915_stream *stream, uint32_t status)
{
    (void)status;
    stream->latched |= STATUS_REPORT_LOST;
}

static int enable_set(struct i915_stream *stream)
{
    update32(stream->device, MISCCPCTL, DOP_GATING, 0);
    update32(stream->device, UCGCTL1, CS_UNGATED, CS_UNGATED);
    return i915_oa_apply(stream, stream->config, true);
}

static void disable_set(struct i915_stream *stream)
{
    update32(stream->device, UCGCTL1, CS_UNGATED, 0);
    update32(stream->device, MISCCPCTL, DOP_GATING, DOP_GATING);
    update32(stream->device, GDT_CHICKEN_BITS, REG_MASK(GDT_CHICKEN_BITS, NOA_ENABLE), 0);
}

const struct oa_ops i915_oa_gen7 = {enable, disable,     tail,       set_head,
                                    status, report_lost, enable_set, disable_set};
