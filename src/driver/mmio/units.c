/* SPDX-License-Identifier: MIT */
/*
 * The registers of the OA units, and of the power and clock gating around them. Sources: document
 * 000 (OACONTROL, OASTATUS1, OASTATUS2, OABUFFER, "Performance Counter Reporting"), OA-2.10,
 * PERF-6.
 */
#include "base/bits.h"
#include "driver/mmio/device.h"
#include "intel/revision.h"

#define ON(name)  INTEL_BIT(INTEL_##name)
#define GEN7      (ON(IVB) | ON(VLV) | ON(HSW))
#define GEN6_7    (ON(SNB) | GEN7)
#define GEN11     (ON(ICL) | ON(LKF))
#define GEN9_11   (ON(SKL) | GEN11)
#define GEN12     ON(TGL)
#define HSW_TO_9  (ON(HSW) | ON(BDW) | ON(CHV) | ON(SKL))
#define BITS(...) REG_MASK(__VA_ARGS__)

/* ---- power and clock gating ------------------------------------------------------------------ */

#define DEBUG_BITS                                                                                 \
    (BITS(GEN9_OA_DEBUG, RATIOS_IN_ID) | BITS(GEN9_OA_DEBUG, NO_RATIO_REPORTS) |                   \
     BITS(GEN9_OA_DEBUG, NO_CONTEXT_REPORTS))
#define DEBUG_VALUE (BITS(GEN9_OA_DEBUG, RATIOS_IN_ID) | BITS(GEN9_OA_DEBUG, NO_RATIO_REPORTS))

/*
 * Written in this order, and restored in the opposite one. Document 000: while the unit is enabled
 * RC6 and the trunk's clock gating must be off (RC_STATE = 0, RC_CONTROL[31] = 1), so must
 * unit-level clock gating of the render command streamer, and the EUs' on SNB. HSW's trunk has a
 * bit of its own (PERF-6.1). To count in one context the unit's own clock gating must be on. Metric
 * sets turn on the NOA network; these rows turn it off again.
 */
static const struct setting {
    uint32_t revisions, address;
    uint32_t mask, value;                          /* bits that are written, and with what */
    enum { ASSIGN, OF_CONTEXT, KEEP, MASKED } how; /* OF_CONTEXT: only to count in one context */
} settings[] = {
    {GEN6_7, RC_STATE, UINT32_MAX, 0, ASSIGN},
    {GEN6_7, RC_CONTROL, BITS(RC_CONTROL, HARDWARE_CONTROL), BITS(RC_CONTROL, HARDWARE_CONTROL),
     ASSIGN},
    {GEN7, MISCCPCTL, BITS(MISCCPCTL, DOP_CLOCK_GATE_ENABLE), 0, ASSIGN},
    {GEN6_7, UCGCTL1, BITS(UCGCTL1, CS_CLOCK_GATE_DISABLE), BITS(UCGCTL1, CS_CLOCK_GATE_DISABLE),
     ASSIGN},
    {ON(SNB), UCGCTL1, BITS(UCGCTL1, EU_CLOCK_GATE_DISABLE), BITS(UCGCTL1, EU_CLOCK_GATE_DISABLE),
     ASSIGN},
    {HSW_TO_9, GDT_CHICKEN_BITS, BITS(GDT_CHICKEN_BITS, NOA_ENABLE), 0, KEEP},
    {GEN11 | GEN12, GEN11_RPM_CONFIG1, BITS(RPM_CONFIG1, NOA_ENABLE), 0, KEEP},
    {GEN11 | GEN12, MGSR_STEERING, BITS(MGSR_STEERING, MULTICAST), BITS(MGSR_STEERING, MULTICAST),
     ASSIGN}, /* the registers of the EUs */
    {GEN9_11, GEN9_OA_DEBUG, DEBUG_BITS, DEBUG_VALUE, MASKED},
    {GEN12, GEN12_OAG_OA_DEBUG, DEBUG_BITS, DEBUG_VALUE, MASKED},
    {GEN12, SQCNT1, BITS(SQCNT1, PMON_ENABLE), BITS(SQCNT1, PMON_ENABLE), ASSIGN},
    {GEN6_7, UCGCTL3, BITS(UCGCTL3, OA_CLOCK_GATE_DISABLE), 0, OF_CONTEXT},
};
_Static_assert(ARRAY_COUNT(settings) <= MAX_SETTINGS, "struct mmio_stream has fewer");

static void write_setting(const struct mmio_device *device, const struct setting *setting,
                          uint32_t value)
{
    uint32_t bits = value & setting->mask;
    if (setting->how == MASKED)
        mmio_write32(device, setting->address, REG_MASKED_BITS(setting->mask, bits));
    else
        mmio_write32(device, setting->address,
                     (mmio_read32(device, setting->address) & ~setting->mask) | bits);
}

static bool applies(const struct mmio_stream *stream, const struct setting *setting)
{
    return setting->revisions & INTEL_BIT(stream->device->platform->revision) &&
           (setting->how != OF_CONTEXT || stream->options.one_context);
}

void mmio_settings_save(struct mmio_stream *stream)
{
    for (size_t i = 0; i < ARRAY_COUNT(settings); i++)
        if (applies(stream, &settings[i]))
            stream->saved[i] = mmio_read32(stream->device, settings[i].address);
}

void mmio_settings_apply(const struct mmio_stream *stream)
{
    for (size_t i = 0; i < ARRAY_COUNT(settings); i++)
        if (applies(stream, &settings[i]) && settings[i].how != KEEP)
            write_setting(stream->device, &settings[i], settings[i].value);
}

void mmio_settings_restore(const struct mmio_stream *stream)
{
    for (size_t i = ARRAY_COUNT(settings); i--;)
        if (applies(stream, &settings[i]))
            write_setting(stream->device, &settings[i], stream->saved[i]);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool has_timer(const struct mmio_stream *stream)
{
    return stream->options.exponent != MMIO_NO_TIMER;
}

static uint32_t zero(const struct mmio_stream *stream)
{
    (void)stream;
    return 0;
}

static uint32_t base(const struct mmio_stream *stream)
{
    (void)stream;
    return BUFFER_ADDRESS;
}

static uint32_t size_code(const struct mmio_stream *stream)
{
    return (uint32_t)mmio_size_code(stream->unit, stream->size);
}

/* The buffer must be in the GGTT: PPGTTs belong to contexts, and this driver has none. */
static uint32_t gen6_head(const struct mmio_stream *stream)
{
    return base(stream) | REG_PUT(GEN7_OASTATUS2, GGTT, 1);
}

/* Also clears the status bits: SNB's Counter Overflow must be cleared between the programming of
 * the ring and the start (OA-15.5). */
static uint32_t gen6_tail(const struct mmio_stream *stream)
{
    return base(stream) | REG_PUT(GEN7_OASTATUS1, BUFFER_SIZE, size_code(stream));
}

static uint32_t gen6_control(const struct mmio_stream *stream)
{
    const struct mmio_stream_options *options = &stream->options;
    uint32_t context = (options->context & REG_MASK(GEN7_OACONTROL, CONTEXT_ID)) |
                       REG_PUT(GEN7_OACONTROL, SPECIFIC_CONTEXT, 1);
    return (options->one_context ? context : 0) |
           (has_timer(stream) ? REG_PUT(GEN7_OACONTROL, TIMER_PERIOD, options->exponent) |
                                    REG_PUT(GEN7_OACONTROL, TIMER_ENABLE, 1)
                              : 0) |
           REG_PUT(GEN7_OACONTROL, COUNTER_SELECT, options->layout->counter_select) |
           REG_PUT(GEN7_OACONTROL, ENABLE, 1);
}

static uint32_t gen8_buffer(const struct mmio_stream *stream)
{
    return base(stream) | REG_PUT(GEN8_OABUFFER, SIZE, size_code(stream)) |
           REG_PUT(GEN8_OABUFFER, GGTT, 1);
}

/* Before Gen12 this register is part of the context. It is written for the one that is loaded;
 * others load their own (docs/mmio-driver.md). */
static uint32_t gen8_timer(const struct mmio_stream *stream)
{
    return (has_timer(stream) ? REG_PUT(GEN8_OACTXCONTROL, TIMER_PERIOD, stream->options.exponent) |
                                    REG_PUT(GEN8_OACTXCONTROL, TIMER_ENABLE, 1)
                              : 0) |
           REG_PUT(GEN8_OACTXCONTROL, RUN, 1);
}

static uint32_t gen8_context(const struct mmio_stream *stream)
{
    return stream->options.one_context ? stream->options.context : 0;
}

static uint32_t gen8_control(const struct mmio_stream *stream)
{
    return REG_PUT(GEN8_OACONTROL, COUNTER_SELECT, stream->options.layout->counter_select) |
           REG_PUT(GEN8_OACONTROL, SPECIFIC_CONTEXT, stream->options.one_context) |
           REG_PUT(GEN8_OACONTROL, ENABLE, 1);
}

/* ---- the units ------------------------------------------------------------------------------- */

/* OABUFFER after OASTATUS2 and before OASTATUS1, so that the unit sees an empty buffer (document
 * 000). Head and tail become equal. On SNB GT2 a head above the tail must be programmed to a lower
 * value before a new buffer becomes active; the address of the buffer is one (OA-15.6). */
static const struct mmio_step gen6_steps[] = {
    {GEN7_OASTATUS2, gen6_head},
    {GEN7_OABUFFER, base},
    {GEN7_OASTATUS1, gen6_tail},
};

static const struct mmio_step gen8_steps[] = {
    {GEN8_OASTATUS, zero},        {GEN8_OAHEADPTR, base}, {GEN8_OABUFFER_UDW, zero},
    {GEN8_OABUFFER, gen8_buffer}, {GEN8_OATAILPTR, base}, {GEN8_OACTXCONTROL, gen8_timer},
    {GEN8_OACTXID, gen8_context},
};

static const struct mmio_step gen12_steps[] = {
    {GEN12_OAG_OASTATUS, zero},           {GEN12_OAG_OAHEADPTR, base},
    {GEN12_OAG_OABUFFER, gen8_buffer},    {GEN12_OAG_OATAILPTR, base},
    {GEN12_OAG_OAGLBCTXCTRL, gen8_timer},
};

#define STEPS(rows) .steps = (rows), .step_count = ARRAY_COUNT(rows)
#define POINTERS    BITS(OA_POINTER, POINTER)
#define GEN6_UNIT                                                                                  \
    .control = GEN7_OACONTROL, .control_value = gen6_control, STEPS(gen6_steps),                   \
    .tail = GEN7_OASTATUS1, .tail_mask = BITS(GEN7_OASTATUS1, TAIL), .head = GEN7_OASTATUS2,       \
    .head_flags = BITS(GEN7_OASTATUS2, GGTT), .status = GEN7_OASTATUS1, .filters = true

static const struct mmio_unit units[] = {
    [OA_MAP_A] = {GEN6_UNIT},
    [OA_MAP_B] = {GEN6_UNIT, .doubles = true},
    /* A write of the status without the wrap flags would corrupt the tail (PERF-Q12). */
    [OA_MAP_C] = {.control = GEN8_OACONTROL,
                  .control_value = gen8_control,
                  STEPS(gen8_steps),
                  .tail = GEN8_OATAILPTR,
                  .tail_mask = POINTERS,
                  .head = GEN8_OAHEADPTR,
                  .status = GEN8_OASTATUS,
                  .clears_lost = true,
                  .clear_flags = BITS(GEN8_OASTATUS, HEAD_WRAP) | BITS(GEN8_OASTATUS, TAIL_WRAP),
                  .filters = true,
                  .doubles = true},
    /* The unit might still write through a cached translation (PERF-Q14). */
    [OA_MAP_D] = {.control = GEN12_OAG_OACONTROL,
                  .control_value = gen8_control,
                  STEPS(gen12_steps),
                  .tail = GEN12_OAG_OATAILPTR,
                  .tail_mask = POINTERS,
                  .head = GEN12_OAG_OAHEADPTR,
                  .status = GEN12_OAG_OASTATUS,
                  .clears_lost = true,
                  .invalidate = OA_TLB_INV_CR,
                  .doubles = true},
};

const struct mmio_unit *mmio_unit_of(const struct intel_platform *platform)
{
    return &units[platform->oa->map];
}

/* ---- buffer sizes ---------------------------------------------------------------------------- */

#define SIZE_CODES 8

static uint32_t size_of(const struct mmio_unit *unit, unsigned code)
{
    return unit->doubles ? UINT32_C(131072) << code : UINT32_C(16384) * (code + 1);
}

int mmio_size_code(const struct mmio_unit *unit, uint32_t bytes)
{
    for (unsigned code = 0; code < SIZE_CODES; code++)
        if (size_of(unit, code) == bytes)
            return (int)code;
    return -1;
}

uint32_t mmio_largest_buffer(const struct mmio_unit *unit)
{
    return size_of(unit, SIZE_CODES - 1);
}

/* ---- starting and stopping ------------------------------------------------------------------- */

#define TRIES   50
#define STEP_NS 1000000u

/* Waits at most 50 ms, as the public i915 driver does, until bit 0 is clear. */
static void await_clear(const struct mmio_device *device, uint32_t address)
{
    for (unsigned i = 0; i < TRIES && (mmio_read32(device, address) & 1); i++)
        mmio_sleep_ns(device, STEP_NS);
}

void mmio_unit_stop(const struct mmio_stream *stream)
{
    const struct mmio_unit *unit = stream->unit;
    mmio_write32(stream->device, unit->control, 0);
    await_clear(stream->device, unit->control);
    if (!unit->invalidate)
        return;
    mmio_write32(stream->device, unit->invalidate, REG_PUT(OA_TLB_INV_CR, INVALIDATE, 1));
    await_clear(stream->device, unit->invalidate);
}

void mmio_unit_start(const struct mmio_stream *stream)
{
    const struct mmio_unit *unit = stream->unit;
    for (size_t i = 0; i < unit->step_count; i++)
        mmio_write32(stream->device, unit->steps[i].address, unit->steps[i].value(stream));
    mmio_write32(stream->device, unit->control, unit->control_value(stream));
}

/* ---- pointers and status --------------------------------------------------------------------- */

uint32_t mmio_unit_tail(const struct mmio_stream *stream)
{
    return mmio_read32(stream->device, stream->unit->tail) & stream->unit->tail_mask;
}

uint32_t mmio_unit_status(const struct mmio_stream *stream)
{
    return mmio_read32(stream->device, stream->unit->status);
}

bool mmio_unit_is_enabled(const struct mmio_stream *stream)
{
    return REG_GET(GEN8_OACONTROL, ENABLE, mmio_read32(stream->device, stream->unit->control));
}

void mmio_unit_set_head(const struct mmio_stream *stream)
{
    uint32_t address = BUFFER_ADDRESS + mmio_offset(stream, stream->head);
    mmio_write32(stream->device, stream->unit->head, address | stream->unit->head_flags);
}

void mmio_unit_clear_lost(struct mmio_stream *stream, uint32_t status)
{
    const struct mmio_unit *unit = stream->unit;
    const uint32_t bits = BITS(GEN8_OASTATUS, REPORT_LOST) | BITS(GEN8_OASTATUS, COUNTER_OVERFLOW);
    stream->report_lost_seen = !unit->clears_lost;
    if (unit->clears_lost)
        mmio_write32(stream->device, unit->status, (status & ~bits) | unit->clear_flags);
}
