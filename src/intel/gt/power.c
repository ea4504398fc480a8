/* SPDX-License-Identifier: MIT */
/* Power and resets of the OA unit (OA-1.6, OA-2.7, OA-2.14; OA-D46). */
#include "intel/gt/power.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "intel/gt/routing.h"
#include "intel/symbols.h"

#define VLV INTEL_BIT(INTEL_VLV)
#define CHV INTEL_BIT(INTEL_CHV)
#define SKL INTEL_BIT(INTEL_SKL)

/* ---- wells ----------------------------------------------------------------------------------- */

uint32_t gt_well_domains(enum gt_well well)
{
    unsigned slice = (unsigned)well - GT_WELL_MEDIA;
    if (well == GT_WELL_NONE || well == GT_WELL_GT)
        return UINT32_MAX;
    if (well == GT_WELL_RENDER)
        return GT_DOMAIN_BIT(GT_DOMAIN_RENDER);
    return GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0 + 2 * slice) |
           GT_DOMAIN_BIT(GT_DOMAIN_VDBOX0 + 2 * slice + 1) |
           GT_DOMAIN_BIT(GT_DOMAIN_VEBOX0 + slice) | (slice ? 0 : GT_DOMAIN_BIT(GT_DOMAIN_MEDIA));
}

/* Only Gen11 and later have more than one media slice; Lakefield's ranges have two. */
uint8_t gt_wells(enum intel_revision revision)
{
    uint32_t bit = INTEL_BIT(revision);
    unsigned media = bit & GT_GEN11_UP ? 2 : bit & (VLV | CHV | SKL) ? 1 : 0;
    return media ? (uint8_t)(1u << GT_WELL_RENDER | ((1u << media) - 1) << GT_WELL_MEDIA) : 0;
}

enum gt_well gt_oa_well(enum intel_revision revision)
{
    size_t count, i = 0;
    const struct gt_power_group *groups = gt_power_groups(revision, &count);
    while (groups[i].counter != GT_COUNTER_A)
        i++;
    return (enum gt_well)groups[i].well;
}

/* Render's and media's ranges before steering: the force wake ranges of the public i915 driver. */
static const struct {
    uint32_t revisions, first, last;
    uint8_t well;
} well_ranges[] = {
    {VLV, 0x2000, 0x3fff, GT_WELL_RENDER},
    {VLV, 0x5000, 0x7fff, GT_WELL_RENDER},
    {VLV, 0xb000, 0x11fff, GT_WELL_RENDER},
    {VLV, 0x12000, 0x13fff, GT_WELL_MEDIA},
    {VLV, 0x22000, 0x23fff, GT_WELL_MEDIA},
    {VLV, 0x2e000, 0x2ffff, GT_WELL_RENDER},
    {VLV, 0x30000, 0x3ffff, GT_WELL_MEDIA},
    {CHV | SKL, 0x2000, 0x26ff, GT_WELL_RENDER},
    {CHV, 0x2700, 0x2fff, GT_WELL_RENDER},
    {CHV | SKL, 0x3000, 0x3fff, GT_WELL_RENDER},
    {CHV | SKL, SO_NUM_PRIMS_WRITTEN, 0x7fff, GT_WELL_RENDER},
    {SKL, 0x8130, 0x813f, GT_WELL_MEDIA},
    {SKL, 0x8140, 0x815f, GT_WELL_RENDER},
    {CHV | SKL, 0x8300, 0x84ff, GT_WELL_RENDER},
    {CHV | SKL, 0x8800, 0x88ff, GT_WELL_MEDIA},
    {SKL, 0x8900, 0x89ff, GT_WELL_MEDIA},
    {SKL, 0x8c00, 0x8cff, GT_WELL_RENDER},
    {CHV | SKL, 0xb000, 0xb47f, GT_WELL_RENDER},
    {CHV | SKL, 0xd000, 0xd7ff, GT_WELL_MEDIA},
    {CHV | SKL, 0xe000, 0xe7ff, GT_WELL_RENDER},
    {SKL, 0xe800, 0xe8ff, GT_WELL_RENDER},
    {CHV | SKL, 0x12000, 0x13fff, GT_WELL_MEDIA},
    {CHV | SKL, 0x1a000, 0x1bfff, GT_WELL_MEDIA},
    {SKL, 0x1c000, 0x1e9ff, GT_WELL_MEDIA},
    {CHV, 0x1e800, 0x1e9ff, GT_WELL_MEDIA},
    {SKL, 0x24400, 0x247ff, GT_WELL_RENDER},
    {CHV | SKL, 0x30000, 0x37fff, GT_WELL_MEDIA},
    {SKL, 0x38000, 0x3ffff, GT_WELL_MEDIA},
};

#define GT_SPACE 0x40000u /* before steering, what is beyond is not in the GT */

enum gt_well gt_well_at(enum intel_revision revision, uint32_t address)
{
    static const uint8_t of_wake[] = {
        [GT_WAKE_NONE] = GT_WELL_NONE,    [GT_WAKE_AON] = GT_WELL_NONE,
        [GT_WAKE_GTI] = GT_WELL_GT,       [GT_WAKE_RENDER] = GT_WELL_RENDER,
        [GT_WAKE_MEDIA0] = GT_WELL_MEDIA, [GT_WAKE_MEDIA2] = GT_WELL_MEDIA1};
    if (INTEL_BIT(revision) & GT_GEN11_UP) {
        const struct gt_range *range = gt_range_on(revision, address);
        return range ? (enum gt_well)of_wake[range->wake] : GT_WELL_NONE;
    }
    for (size_t i = 0; i < ARRAY_COUNT(well_ranges); i++)
        if ((well_ranges[i].revisions & INTEL_BIT(revision)) && address >= well_ranges[i].first &&
            address <= well_ranges[i].last)
            return (enum gt_well)well_ranges[i].well;
    return address < GT_SPACE ? GT_WELL_GT : GT_WELL_NONE;
}

/* ---- the table ------------------------------------------------------------------------------- */

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
    if (!group)
        return GT_RETENTION_UNSTATED;
    if (event >= GT_EVENT_ENGINE_RESET)
        return (enum gt_retention)group->reset[event - GT_EVENT_ENGINE_RESET];
    bool lost = event == GT_EVENT_RC6           ? group->well != GT_WELL_NONE
                : event == GT_EVENT_RENDER_DOWN ? group->well == GT_WELL_RENDER
                                                : group->well >= GT_WELL_MEDIA;
    return lost ? (enum gt_retention)group->down : GT_RETENTION_KEPT;
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
    return (unsigned)retention <= GT_RETENTION_UNSTATED ? names[retention] : NULL;
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

enum step { SAVE, LOSE, RESTORE };

static void step_registers(struct gt_power *power, const struct gt_power_group *group,
                           unsigned saved, enum step step, const struct gt_power_io *io)
{
    for (const struct gt_power_span *s = group->spans; s->first; s++) {
        for (uint32_t address = s->first; address <= s->last; address += 4) {
            if (group->down == GT_RETENTION_SAVED && step == SAVE)
                power->registers[saved++] = io->read(io->context, address);
            else if (group->down == GT_RETENTION_SAVED && step == RESTORE)
                io->write(io->context, address, power->registers[saved++]);
            else if (group->down != GT_RETENTION_SAVED &&
                     step != SAVE) /* or a context restores it */
                io->write(io->context, address, s->reset);
        }
    }
}

static void step_counters(struct gt_power *power, const struct gt_power_group *group,
                          enum step step, const struct gt_power_io *io)
{
    enum gt_counter kind = (enum gt_counter)group->counter;
    for (unsigned i = 0; i < kinds[kind].count; i++) {
        unsigned place = gt_counter_place(kind, i);
        if (group->down == GT_RETENTION_SAVED && step == SAVE) {
            power->counters[place] = io->count(io->context, kind, i);
        } else if (group->down == GT_RETENTION_SAVED && step == RESTORE) {
            uint64_t mask = low_bits(io->narrow ? 32 : gt_counter_width(kind, i));
            power->blind[place] = (io->count(io->context, kind, i) - power->counters[place]) & mask;
            io->set_count(io->context, kind, i, power->counters[place]);
        } else if (group->down != GT_RETENTION_SAVED && step != SAVE) {
            power->blind[place] = 0;
            io->set_count(io->context, kind, i, 0);
        }
    }
}

static unsigned saved_registers(const struct gt_power_group *group)
{
    unsigned count = 0;
    if (group->model || group->counter != GT_COUNTER_KINDS || group->down != GT_RETENTION_SAVED)
        return 0;
    for (const struct gt_power_span *s = group->spans; s->first; s++)
        count += (s->last - s->first) / 4 + 1;
    return count;
}

static void apply(struct gt_power *power, enum gt_well well, enum step step,
                  const struct gt_power_io *io)
{
    size_t count;
    const struct gt_power_group *groups =
        gt_power_groups((enum intel_revision)io->revision, &count);
    for (size_t i = 0, saved = 0; i < count; saved += saved_registers(&groups[i]), i++) {
        const struct gt_power_group *group = &groups[i];
        if (group->well != well || group->down == GT_RETENTION_KEPT || group->model)
            continue;
        if (group->counter < GT_COUNTER_KINDS)
            step_counters(power, group, step, io);
        else
            step_registers(power, group, (unsigned)saved, step, io);
    }
}

int gt_power_down(struct gt_power *power, enum gt_well well, const struct gt_power_io *io)
{
    if (gt_power_is_down(power, well))
        return -EALREADY;
    apply(power, well, SAVE, io);
    power->down |= (uint8_t)(1u << well);
    return 0;
}

void gt_power_lose(struct gt_power *power, enum gt_well well, const struct gt_power_io *io)
{
    apply(power, well, LOSE, io);
}

int gt_power_up(struct gt_power *power, enum gt_well well, const struct gt_power_io *io)
{
    if (!gt_power_is_down(power, well))
        return -EALREADY;
    apply(power, well, RESTORE, io);
    power->down &= (uint8_t) ~(1u << well);
    return 0;
}

/* ---- workaround batches ---------------------------------------------------------------------- */

bool gt_power_batch_covers(enum intel_revision revision, enum gt_batch batch, uint32_t address)
{
    enum gt_well well = gt_well_at(revision, address);
    bool render = well == GT_WELL_RENDER, media = well >= GT_WELL_MEDIA;
    switch (batch) {
    case GT_BATCH_RENDER:
        return render;
    case GT_BATCH_MEDIA:
        return media;
    case GT_BATCH_CONTEXT:
        return render || media;
    default:
        return false;
    }
}
