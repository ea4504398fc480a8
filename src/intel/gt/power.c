/* SPDX-License-Identifier: MIT */
/* Power and resets of the counter unit: OA-1.6, OA-2.7, OA-2.14; OA-D46. */
#include "intel/gt/power.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "intel/gt/routing.h"

/* ---- the table ------------------------------------------------------------------------------- */

// clang-format off

static const struct gt_power_span a_spans[] = {{0x2800, 0x290c, 0}, {0}};
static const struct gt_power_span b_spans[] = {{0x2920, 0x293c, 0}, {0}};
static const struct gt_power_span c_spans[] = {{0x2940, 0x295c, 0}, {0}};
static const struct gt_power_span free_spans[] = {{0x2960, 0x297c, 0}, {0}};
static const struct gt_power_span ticks_spans[] = {{0x2910, 0x2910, 0}, {0}};
static const struct gt_power_span timestamp_spans[] = {{0x2358, 0x235c, 0}, {0}};
static const struct gt_power_span flex_spans[] = {
    {0xe458, 0xe45c, 0}, {0xe558, 0xe55c, 0}, {0xe658, 0xe65c, 0}, {0xe758, 0xe758, 0}, {0},
};
static const struct gt_power_span context_spans[] = {{0x2360, 0x2364, 0}, {0}};
static const struct gt_power_span control_spans[] = {
    {0x23b4, 0x23b4, 0}, {0x2b00, 0x2b00, 0}, {0x2b08, 0x2b14, 0}, {0x2b20, 0x2b20, 0xffffffff}, {0},
};
static const struct gt_power_span debug_spans[] = {{0x2b04, 0x2b04, 0}, {0}};
static const struct gt_power_span trigger_spans[] = {
    {0x2710, 0x272c, 0}, {0x2740, 0x275c, 0}, {0x2770, 0x27ac, 0}, {0},
};
static const struct gt_power_span noa_spans[] = {{0x91b8, 0x91dc, 0}, {0x9840, 0x9840, 0}, {0x9884, 0x9888, 0}, {0}};
static const struct gt_power_span render_noa_spans[] = {{0xe180, 0xe180, 0}, {0}};
static const struct gt_power_span steering_spans[] = {{0xfdc, 0xfdc, 0x80000000}, {0}};
static const struct gt_power_span fuse_spans[] = {{0x9118, 0x9118, 0}, {0x9134, 0x9140, 0}, {0}};
static const struct gt_power_span interrupt_spans[] = {{0x190010, 0x1900f4, 0}, {0}};
static const struct gt_power_span wake_spans[] = {
    {0xd50, 0xd7c, 0}, {0xd84, 0xd84, 0}, {0xa188, 0xa188, 0}, {0xa274, 0xa27c, 0},
    {0xa2a0, 0xa2a0, 0}, {0xa540, 0xa56c, 0}, {0x130044, 0x130044, 0}, {0},
};

static const struct gt_power_span oag_a_spans[] = {{0xd980, 0xda8c, 0}, {0}};
static const struct gt_power_span oag_b_spans[] = {{0xda94, 0xdab0, 0}, {0}};
static const struct gt_power_span oag_c_spans[] = {{0xdab4, 0xdad0, 0}, {0}};
static const struct gt_power_span oag_ticks_spans[] = {{0xda90, 0xda90, 0}, {0}};
static const struct gt_power_span oar_spans[] = {
    {0x2244, 0x2244, 0}, {0x2360, 0x2360, 0}, {0x2800, 0x290c, 0}, {0x2920, 0x2960, 0}, {0x2968, 0x2968, 0}, {0},
};
static const struct gt_power_span oag_control_spans[] = {
    {0x2b20, 0x2b20, 0xffffffff}, {0x2b28, 0x2b2c, 0}, {0xdaf4, 0xdaf4, 0}, {0xdafc, 0xdb08, 0}, {0},
};
static const struct gt_power_span oag_debug_spans[] = {{0xdaf8, 0xdaf8, 0}, {0}};
static const struct gt_power_span oag_trigger_spans[] = {{0xd900, 0xd97c, 0}, {0xdc00, 0xdc44, 0}, {0}};
static const struct gt_power_span gen12_noa_spans[] = {
    {0x8718, 0x8718, 0}, {0x9840, 0x9840, 0}, {0x9884, 0x9888, 0}, {0xceec, 0xceec, 0}, {0},
};

#define KEPT    GT_FATE_KEPT
#define LOST    GT_FATE_LOST
#define SAVED   GT_FATE_SAVED
#define CONTEXT GT_FATE_CONTEXT
#define NONE    GT_COUNTER_KINDS

/* Those which Gen12 has as Lakefield has them. */
#define OUTSIDE_OA \
    {"steering", steering_spans, NONE,                  {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, "gt_routing_reset", "OA-4.5, OA-D46"}, \
    {"fuses", fuse_spans, NONE,                         {KEPT,    KEPT,    KEPT,  KEPT,  KEPT, KEPT}, "gt_routing_init", "OA-4.5"}, \
    {"interrupts", interrupt_spans, NONE,               {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, "gt_interrupts_reset", "OA-D46"}, \
    {"force wake", wake_spans, NONE,                    {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, "gt_forcewake_reset", "OA-D46"}

static const struct gt_power_group lakefield[] = {
    /*                                                   RC6      render   media  engine GT    chip */
    {"OAPERF_A", a_spans, GT_COUNTER_A,                 {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAPERF_B", b_spans, GT_COUNTER_B,                 {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    /* The document's list of saved registers ends at B7; OA-2.14 says OAPERF. */
    {"OAPERF_C", c_spans, GT_COUNTER_C,                 {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAPERF_FREE", free_spans, GT_COUNTER_FREE,        {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"GPU_TICKS", ticks_spans, GT_COUNTER_TICKS,        {KEPT,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-D46"},
    {"TIMESTAMP", timestamp_spans, GT_COUNTER_TIMESTAMP, {KEPT,   KEPT,    KEPT,  KEPT,  KEPT, LOST}, NULL, "OA-1.6, OA-D46"},
    {"EU_PERF_CNT_CTL", flex_spans, NONE,               {SAVED,   SAVED,   KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OACTXCONTROL, OACTXID", context_spans, NONE,      {CONTEXT, CONTEXT, KEPT,  KEPT,  LOST, LOST}, NULL, "OA-1.3, OA-D46"},
    /* Not in the document's list, but counting across RC6 is said to work (our reading). */
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
    /* As OACTXCONTROL of Gen11, which is one of them: they belong to a context. */
    {"OAR", oar_spans, NONE,                            {CONTEXT, CONTEXT, KEPT,  KEPT,  LOST, LOST}, NULL, "PERF-5.4; PERF-1.3, OA-D46"},
    {"OAG control", oag_control_spans, NONE,            {SAVED,   KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-2.14, OA-D46"},
    {"OAG_OA_DEBUG", oag_debug_spans, NONE,             {LOST,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.14, OA-D46"},
    {"OAG triggers, CEC, SCEC", oag_trigger_spans, NONE, {SAVED,  KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "OA-2.7, OA-2.14, OA-D46"},
    {"NOA, in GTI", gen12_noa_spans, NONE,              {LOST,    KEPT,    KEPT,  KEPT,  LOST, LOST}, NULL, "document: DFD Configuration Restore"},
    OUTSIDE_OA,
};

// clang-format on

/* The first row that has the revision. */
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

enum gt_fate gt_power_fate(enum intel_revision revision, enum gt_event event, uint32_t address)
{
    const struct gt_power_group *group = gt_power_find(revision, address);
    return group ? (enum gt_fate)group->fates[event] : GT_FATE_UNSTATED;
}

const char *gt_event_name(enum gt_event event)
{
    static const char *const names[GT_EVENTS] = {"rc6",          "render down", "media down",
                                                 "engine reset", "gt reset",    "chip reset"};
    return (unsigned)event < GT_EVENTS ? names[event] : NULL;
}

const char *gt_fate_name(enum gt_fate fate)
{
    static const char *const names[] = {"kept", "lost", "saved", "context", "unstated"};
    return (unsigned)fate < sizeof names / sizeof *names ? names[fate] : NULL;
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
                           enum gt_fate fate, enum step step, unsigned *saved,
                           const struct gt_power_io *io)
{
    for (const struct gt_power_span *s = group->spans; s->first; s++) {
        for (uint32_t address = s->first; address <= s->last; address += 4) {
            if (fate == GT_FATE_SAVED && step == SAVE)
                power->registers[(*saved)++] = io->read(io->context, address);
            else if (fate == GT_FATE_SAVED && step == RESTORE)
                io->write(io->context, address, power->registers[(*saved)++]);
            else if (step != SAVE) /* lost, for the time being if it comes with a context */
                io->write(io->context, address, s->reset);
        }
    }
}

static void step_counters(struct gt_power *power, enum gt_counter kind, enum gt_fate fate,
                          enum step step, const struct gt_power_io *io)
{
    for (unsigned i = 0; i < kinds[kind].count; i++) {
        unsigned place = gt_counter_place(kind, i);
        if (fate == GT_FATE_SAVED && step == SAVE) {
            power->counters[place] = io->count(io->context, kind, i);
        } else if (fate == GT_FATE_SAVED && step == RESTORE) {
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
        enum gt_fate fate = (enum gt_fate)group->fates[event];
        if (fate == GT_FATE_KEPT || group->model)
            continue;
        if (group->counter < GT_COUNTER_KINDS) {
            if (io->count && io->set_count)
                step_counters(power, (enum gt_counter)group->counter, fate, step, io);
        } else if (io->read && io->write) {
            step_registers(power, group, fate, step, &saved, io);
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
