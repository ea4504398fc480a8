/* SPDX-License-Identifier: MIT */
/* Power and resets of the OA unit (OA-1.6, OA-2.7, OA-2.14; OA-D46). */
#include "intel/gt/power.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "intel/gt/routing.h"
#include "intel/symbols.h"

/* ---- the table ------------------------------------------------------------------------------- */

// clang-format off

static const struct gt_power_span a_spans[] = {{GEN8_OAPERF_A, REG_LAST(GEN8_OAPERF_A32), 0}, {0}};
static const struct gt_power_span b_spans[] = {{GEN8_OAPERF_B, REG_LAST(GEN8_OAPERF_B), 0}, {0}};
static const struct gt_power_span c_spans[] = {{GEN8_OAPERF_C, REG_LAST(GEN8_OAPERF_C), 0}, {0}};
static const struct gt_power_span free_spans[] = {{GEN9_OAPERF_FREE, REG_LAST(GEN9_OAPERF_FREE_UPPER), 0}, {0}};
static const struct gt_power_span ticks_spans[] = {{GEN8_GPU_TICKS, GEN8_GPU_TICKS, 0}, {0}};
static const struct gt_power_span timestamp_spans[] = {{RING_TIMESTAMP, RING_TIMESTAMP_UDW, 0}, {0}};
static const struct gt_power_span flex_spans[] = {
    {EU_PERF_CNT_CTL0, EU_PERF_CNT_CTL4, 0}, {EU_PERF_CNT_CTL1, EU_PERF_CNT_CTL5, 0},
    {EU_PERF_CNT_CTL2, EU_PERF_CNT_CTL6, 0}, {EU_PERF_CNT_CTL3, EU_PERF_CNT_CTL3, 0}, {0},
};
static const struct gt_power_span context_spans[] = {{GEN8_OACTXCONTROL, GEN8_OACTXID, 0}, {0}};
static const struct gt_power_span control_spans[] = {
    {GEN8_OABUFFER_UDW, GEN8_OABUFFER_UDW, 0}, {GEN8_OACONTROL, GEN8_OACONTROL, 0},
    {GEN8_OASTATUS, GEN8_OABUFFER, 0}, {GEN8_OA_IMR, GEN8_OA_IMR, REG_RESET(GEN8_OA_IMR)}, {0},
};
static const struct gt_power_span debug_spans[] = {{GEN9_OA_DEBUG, GEN9_OA_DEBUG, 0}, {0}};
static const struct gt_power_span trigger_spans[] = {
    {OASTARTTRIG1, OASTARTTRIG8, 0}, {OAREPORTTRIG1, OAREPORTTRIG8, 0}, {CEC_0, REG_LAST(CEC_1), 0}, {0},
};
static const struct gt_power_span noa_spans[] = {
    {OA_PERFCNT1_LO, OA_PERFCNT4_HI, 0}, {GDT_CHICKEN_BITS, GDT_CHICKEN_BITS, 0},
    {GEN11_NOA_WRITE_HIGH, HSW_NOA_WRITE, 0}, {0},
};
static const struct gt_power_span render_noa_spans[] = {{HALF_SLICE_CHICKEN2, HALF_SLICE_CHICKEN2, 0}, {0}};
static const struct gt_power_span steering_spans[] = {{MGSR_STEERING, MGSR_STEERING, REG_RESET(MGSR_STEERING)}, {0}};
static const struct gt_power_span fuse_spans[] = {{FUSE_GT_L3_DISABLE, FUSE_GT_L3_DISABLE, 0}, {FUSE_GT_EU_DIS, FUSE_GT_VDBOX_VEBOX_DIS, 0}, {0}};
static const struct gt_power_span interrupt_spans[] = {{GEN11_GFX_MSTR_INTR, GEN11_GUNIT_CSME_INTR_MASK, 0}, {0}};
static const struct gt_power_span wake_spans[] = {
    {FORCEWAKE_ACK_VDBOX_GEN11, REG_LAST(FORCEWAKE_ACK_VEBOX_GEN11), 0},
    {FORCEWAKE_ACK_RENDER_GEN9, FORCEWAKE_ACK_RENDER_GEN9, 0}, {FORCEWAKE_GT, FORCEWAKE_GT, 0},
    {FORCEWAKE_REQ_MEDIA, FORCEWAKE_REQ_RENDER, 0}, {FORCEWAKE_STATUS, FORCEWAKE_STATUS, 0},
    {FORCEWAKE_VDBOX_GEN11, REG_LAST(FORCEWAKE_VEBOX_GEN11), 0},
    {FORCEWAKE_ACK_GT_HSW, FORCEWAKE_ACK_GT_HSW, 0}, {0},
};

static const struct gt_power_span oag_a_spans[] = {{GEN12_OAG_OAPERF_A, REG_LAST(GEN12_OAG_OAPERF_A32), 0}, {0}};
static const struct gt_power_span oag_b_spans[] = {{GEN12_OAG_OAPERF_B, REG_LAST(GEN12_OAG_OAPERF_B), 0}, {0}};
static const struct gt_power_span oag_c_spans[] = {{GEN12_OAG_OAPERF_C, REG_LAST(GEN12_OAG_OAPERF_C), 0}, {0}};
static const struct gt_power_span oag_ticks_spans[] = {{GEN12_OAG_GPU_TICKS, GEN12_OAG_GPU_TICKS, 0}, {0}};
static const struct gt_power_span oar_spans[] = {
    {RING_CONTEXT_CONTROL, RING_CONTEXT_CONTROL, 0}, {GEN12_OACTXCONTROL, GEN12_OACTXCONTROL, 0},
    {GEN12_OAR_OAPERF_A, REG_LAST(GEN12_OAR_OAPERF_A32), 0}, {GEN12_OAR_OAPERF_B, GEN12_OAR_OACONTROL, 0},
    {GEN12_OAR_OASTATUS, GEN12_OAR_OASTATUS, 0}, {0},
};
static const struct gt_power_span oag_control_spans[] = {
    {GEN12_OA_IMR, GEN12_OA_IMR, REG_RESET(GEN12_OA_IMR)}, {GEN12_OAG_OAGLBCTXCTRL, GEN12_OAG_OA_PESS, 0},
    {GEN12_OAG_OACONTROL, GEN12_OAG_OACONTROL, 0}, {GEN12_OAG_OASTATUS, GEN12_OAG_OABUFFER, 0}, {0},
};
static const struct gt_power_span oag_debug_spans[] = {{GEN12_OAG_OA_DEBUG, GEN12_OAG_OA_DEBUG, 0}, {0}};
static const struct gt_power_span oag_trigger_spans[] = {{GEN12_OAG_OASTARTTRIG1, REG_LAST(GEN12_OAG_CEC_1), 0}, {GEN12_OAG_SCEC_0, GEN12_OAG_OAA_DBG, 0}, {0}};
static const struct gt_power_span gen12_noa_spans[] = {
    {SQCNT1, SQCNT1, 0}, {GDT_CHICKEN_BITS, GDT_CHICKEN_BITS, 0},
    {GEN11_NOA_WRITE_HIGH, HSW_NOA_WRITE, 0}, {OA_TLB_INV_CR, OA_TLB_INV_CR, 0}, {0},
};

#define KEPT    GT_RETENTION_KEPT
#define LOST    GT_RETENTION_LOST
#define SAVED   GT_RETENTION_SAVED
#define CONTEXT GT_RETENTION_CONTEXT
#define NONE    GT_COUNTER_KINDS

/* Groups that Gen12 and Lakefield share. */
#define OUTSIDE_OA \
    {"steering", steering_spans, NONE,                  {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, "gt_routing_reset", "OA-4.5, OA-D46"}, \
    {"fuses", fuse_spans, NONE,                         {KEPT,    KEPT,    KEPT,  KEPT,  KEPT, KEPT}, "gt_routing_init", "OA-4.5"}, \
    {"interrupts", interrupt_spans, NONE,               {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, "gt_interrupts_reset", "OA-D46"}, \
    {"force wake", wake_spans, NONE,                    {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, "gt_forcewake_reset", "OA-D46"}

static const struct gt_power_group lakefield[] = {
    /*                                                   RC6      render   media  engine GT    chip */
    {"OAPERF_A", a_spans, GT_COUNTER_A,                 {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAPERF_B", b_spans, GT_COUNTER_B,                 {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    /* The document's list of saved registers ends at B7; OA-2.14 includes all of OAPERF. */
    {"OAPERF_C", c_spans, GT_COUNTER_C,                 {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAPERF_FREE", free_spans, GT_COUNTER_FREE,        {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"GPU_TICKS", ticks_spans, GT_COUNTER_TICKS,        {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-D46"},
    {"TIMESTAMP", timestamp_spans, GT_COUNTER_TIMESTAMP, {KEPT,   KEPT,    KEPT,  KEPT,  KEPT, LOST}, NULL, "OA-1.6, OA-D46"},
    {"EU_PERF_CNT_CTL", flex_spans, NONE,               {SAVED,   SAVED,   KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OACTXCONTROL, OACTXID", context_spans, NONE,      {CONTEXT, CONTEXT, KEPT,  KEPT,  LOST, LOST}, NULL, "OA-1.3, OA-D46"},
    /* Not in the document's list, but document 004 states that counting works across RC6 (our reading). */
    {"OA control", control_spans, NONE,                 {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-2.14, OA-D46"},
    {"OA_DEBUG", debug_spans, NONE,                     {LOST,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OA triggers, CEC", trigger_spans, NONE,           {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-2.14, OA-D46"},
    {"NOA, in GTI", noa_spans, NONE,                    {LOST,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "document: DFD Configuration Restore"},
    {"NOA, in render", render_noa_spans, NONE,          {LOST,    LOST,    KEPT,  KEPT,  LOST, LOST}, NULL, "document: DFD Configuration Restore"},
    OUTSIDE_OA,
};

static const struct gt_power_group gen12[] = {
    /*                                                   RC6      render   media  engine GT    chip */
    {"OAG_OAPERF_A", oag_a_spans, GT_COUNTER_A,         {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAG_OAPERF_B", oag_b_spans, GT_COUNTER_B,         {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAG_OAPERF_C", oag_c_spans, GT_COUNTER_C,         {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAG_GPU_TICKS", oag_ticks_spans, GT_COUNTER_TICKS, {KEPT,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-D46"},
    {"TIMESTAMP", timestamp_spans, GT_COUNTER_TIMESTAMP, {KEPT,   KEPT,    KEPT,  KEPT,  KEPT, LOST}, NULL, "OA-1.6, OA-D46"},
    {"EU_PERF_CNT_CTL", flex_spans, NONE,               {SAVED,   SAVED,   KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    /* Part of the context, as OACTXCONTROL of Gen11 is. */
    {"OAR", oar_spans, NONE,                            {CONTEXT, CONTEXT, KEPT,  KEPT,  LOST, LOST}, NULL, "PERF-5.4; PERF-1.3, OA-D46"},
    {"OAG control", oag_control_spans, NONE,            {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-2.14, OA-D46"},
    {"OAG_OA_DEBUG", oag_debug_spans, NONE,             {LOST,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAG triggers, CEC, SCEC", oag_trigger_spans, NONE, {SAVED,  KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-2.14, OA-D46"},
    {"NOA, in GTI", gen12_noa_spans, NONE,              {LOST,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "document: DFD Configuration Restore"},
    OUTSIDE_OA,
};

// clang-format on

/* The first row with the revision applies. */
static const struct {
    uint32_t revisions;
    const struct gt_power_group *groups;
    size_t count;
} tables[] = {
    {INTEL_BIT(INTEL_TGL), gen12, ARRAY_COUNT(gen12)},
    {UINT32_MAX, lakefield, ARRAY_COUNT(lakefield)},
};

const struct gt_power_group *gt_power_groups(enum intel_revision revision, size_t *count)
{
    size_t i = 0;
    while (!(tables[i].revisions & INTEL_BIT(revision)))
        i++;
    *count = tables[i].count;
    return tables[i].groups;
}

const struct gt_power_group *gt_power_find(enum intel_revision revision, uint32_t address)
{
    size_t count;
    const struct gt_power_group *groups = gt_power_groups(revision, &count);
    for (size_t i = 0; i < count; i++)
        for (const struct gt_power_span *s = groups[i].spans; s->first; s++)
            if (address >= s->first && address <= s->last + 3)
                return &groups[i];
    return NULL;
}

enum gt_retention gt_power_retention(enum intel_revision revision, enum gt_event event,
                                     uint32_t address)
{
    const struct gt_power_group *group = gt_power_find(revision, address);
    return group ? (enum gt_retention)group->retention[event] : GT_RETENTION_UNSTATED;
}

const char *gt_event_name(enum gt_event event)
{
    static const char *const names[GT_EVENTS] = {"rc6",          "render down", "media down",
                                                 "engine reset", "gt reset",    "chip reset"};
    return (unsigned)event < GT_EVENTS ? names[event] : NULL;
}

const char *gt_retention_name(enum gt_retention retention)
{
    static const char *const names[] = {"kept", "lost", "saved", "context", "unstated"};
    return (unsigned)retention < sizeof names / sizeof *names ? names[retention] : NULL;
}

/* ---- counters -------------------------------------------------------------------------------- */

static const struct {
    uint8_t count, width;
} kinds[GT_COUNTER_KINDS] = {
    [GT_COUNTER_A] = {45, 40},   [GT_COUNTER_B] = {8, 32},     [GT_COUNTER_C] = {12, 32},
    [GT_COUNTER_FREE] = {4, 40}, [GT_COUNTER_TICKS] = {1, 32}, [GT_COUNTER_TIMESTAMP] = {1, 36},
};

unsigned gt_counter_count(enum gt_counter kind)
{
    return kind < GT_COUNTER_KINDS ? kinds[kind].count : 0;
}

unsigned gt_counter_width(enum gt_counter kind, unsigned index)
{
    if (kind >= GT_COUNTER_KINDS || index >= kinds[kind].count)
        return 0;
    return kind == GT_COUNTER_A && index >= 32 ? 32 : kinds[kind].width;
}

unsigned gt_counter_place(enum gt_counter kind, unsigned index)
{
    for (unsigned i = 0; i < kind && i < GT_COUNTER_KINDS; i++)
        index += kinds[i].count;
    return index;
}

/* ---- applying the table ---------------------------------------------------------------------- */

void gt_power_init(struct gt_power *power)
{
    memset(power, 0, sizeof *power);
}

enum step { SAVE, RESTORE };

static void step_registers(struct gt_power *power, const struct gt_power_group *group,
                           enum gt_retention retention, enum step step, unsigned *saved,
                           const struct gt_power_io *io)
{
    for (const struct gt_power_span *s = group->spans; s->first; s++) {
        for (uint32_t address = s->first; address <= s->last; address += 4) {
            if (retention == GT_RETENTION_SAVED && step == SAVE)
                power->registers[(*saved)++] = io->read(io->context, address);
            else if (retention == GT_RETENTION_SAVED && step == RESTORE)
                io->write(io->context, address, power->registers[(*saved)++]);
            else if (step != SAVE) /* lost, or restored later with a context */
                io->write(io->context, address, s->reset);
        }
    }
}

static void step_counters(struct gt_power *power, enum gt_counter kind, enum gt_retention retention,
                          enum step step, const struct gt_power_io *io)
{
    for (unsigned i = 0; i < kinds[kind].count; i++) {
        unsigned place = gt_counter_place(kind, i);
        if (retention == GT_RETENTION_SAVED && step == SAVE) {
            power->counters[place] = io->count(io->context, kind, i);
        } else if (retention == GT_RETENTION_SAVED && step == RESTORE) {
            uint64_t mask = low_bits(io->narrow ? 32 : gt_counter_width(kind, i));
            power->blind[place] = (io->count(io->context, kind, i) - power->counters[place]) & mask;
            io->set_count(io->context, kind, i, power->counters[place]);
        } else if (step != SAVE) {
            io->set_count(io->context, kind, i, 0);
        }
    }
}

static void apply(struct gt_power *power, enum gt_event event, enum step step,
                  const struct gt_power_io *io)
{
    unsigned saved = 0;
    size_t count;
    const struct gt_power_group *groups =
        gt_power_groups((enum intel_revision)io->revision, &count);
    for (size_t i = 0; i < count; i++) {
        const struct gt_power_group *group = &groups[i];
        enum gt_retention retention = (enum gt_retention)group->retention[event];
        if (retention == GT_RETENTION_KEPT || group->model)
            continue;
        if (group->counter < GT_COUNTER_KINDS) {
            if (io->count && io->set_count)
                step_counters(power, (enum gt_counter)group->counter, retention, step, io);
        } else if (io->read && io->write) {
            step_registers(power, group, retention, step, &saved, io);
        }
    }
}

int gt_power_down(struct gt_power *power, enum gt_event event, const struct gt_power_io *io)
{
    if (event > GT_EVENT_MEDIA_DOWN)
        return -EINVAL;
    if (power->is_down)
        return -EALREADY;
    apply(power, event, SAVE, io);
    power->event = (uint8_t)event;
    power->is_down = true;
    return 0;
}

int gt_power_up(struct gt_power *power, const struct gt_power_io *io)
{
    if (!power->is_down)
        return -EALREADY;
    memset(power->blind, 0, sizeof power->blind);
    apply(power, (enum gt_event)power->event, RESTORE, io);
    power->is_down = false;
    return 0;
}

/* ---- workaround batches ---------------------------------------------------------------------- */

bool gt_power_batch_covers(enum intel_revision revision, enum gt_batch batch, uint32_t address)
{
    static const uint8_t wells[GT_BATCHES] = {
        [GT_BATCH_RENDER] = 1u << GT_WAKE_RENDER,
        [GT_BATCH_MEDIA] = 1u << GT_WAKE_MEDIA0 | 1u << GT_WAKE_MEDIA2,
        [GT_BATCH_CONTEXT] = 1u << GT_WAKE_RENDER | 1u << GT_WAKE_MEDIA0 | 1u << GT_WAKE_MEDIA2,
    };
    const struct gt_range *range = gt_range_on(revision, address);
    return range && (unsigned)batch < GT_BATCHES && (wells[batch] >> range->wake & 1);
}
