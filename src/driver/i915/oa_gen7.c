/* SPDX-License-Identifier: MIT */
/* The OA unit of Gen7.5, whose status registers hold the pointers: PERF-5.1, PERF-6. */
#include "driver/i915/perf.h"

#define MISCCPCTL        0x9424u /* bit 0: clock gating between units */
#define UCGCTL1          0x9400u /* bit 7: the streamer's clock is not gated */
#define GDT_CHICKEN_BITS 0x9840u /* bit 7: NOA enable */

#define OACONTROL 0x2360u
#define OASTATUS1 0x2364u /* with the tail */
#define OASTATUS2 0x2368u /* with the head */
#define OABUFFER  0x23b0u

static void enable(struct i915_stream *stream)
{
    struct i915_device *device = stream->device;
    write32(device, OASTATUS2, stream->base | OA_IN_GGTT);
    write32(device, OABUFFER, stream->base);
    write32(device, OASTATUS1, stream->base | OA_SIZE_16M);
    i915_oa_wipe(stream);
    write32(device, OACONTROL,
            (stream->context ? stream->own_id : 0) | (uint32_t)stream->exponent << 6 |
                (uint32_t)stream->periodic << 5 | (uint32_t)stream->layout->counter_select << 2 |
                (stream->context ? 2u : 0) | 1);
}

static void disable(struct i915_stream *stream)
{
    i915_oa_stop(stream->device, OACONTROL);
}

static uint32_t tail(const struct i915_stream *stream)
{
    return read32(stream->device, OASTATUS1) & OA_POINTER;
}

static void set_head(const struct i915_stream *stream, uint32_t address)
{
    write32(stream->device, OASTATUS2, address | OA_IN_GGTT);
}

/* Writing the register would set the tail, so what was told is remembered until it restarts. */
static uint32_t status(const struct i915_stream *stream)
{
    return read32(stream->device, OASTATUS1) & ~stream->latched;
}

static void report_lost(struct i915_stream *stream, uint32_t status)
{
    (void)status;
    stream->latched |= STATUS_REPORT_LOST;
}

static int enable_set(struct i915_stream *stream)
{
    update32(stream->device, MISCCPCTL, 1, 0);
    update32(stream->device, UCGCTL1, 1u << 7, 1u << 7);
    return i915_oa_apply(stream, stream->config, true);
}

static void disable_set(struct i915_stream *stream)
{
    update32(stream->device, UCGCTL1, 1u << 7, 0);
    update32(stream->device, MISCCPCTL, 1, 1);
    update32(stream->device, GDT_CHICKEN_BITS, 1u << 7, 0);
}

const struct oa_ops i915_oa_gen7 = {enable, disable,     tail,       set_head,
                                    status, report_lost, enable_set, disable_set};
