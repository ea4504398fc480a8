/* SPDX-License-Identifier: MIT */
#include "driver/perfmon/registers.h"

#include <string.h>

#include "base/bits.h"

static const struct {
    enum register_id source, operation, counter;
} slots[SLOTS] = {
    [SLOT_PRE] = {REG_PRE_SRC, REG_PRE_OP, REG_CTR_PRE},
    [SLOT_START] = {REG_START_SRC, REG_START_OP, REG_CTR_START},
    [SLOT_EVENT] = {REG_EVENT_SRC, REG_EVENT_OP, REG_CTR_EVENT},
    [SLOT_STOP] = {REG_STOP_SRC, REG_STOP_OP, REG_CTR_STOP},
};

enum register_id perfmon_source(unsigned slot)
{
    return slots[slot].source;
}

enum register_id perfmon_operation(unsigned slot)
{
    return slots[slot].operation;
}

enum register_id perfmon_counter(unsigned slot)
{
    return slots[slot].counter;
}

/* ---- CTRL ------------------------------------------------------------------------------------ */

#define NV10_CONTROL(domain)                                                                       \
    {                                                                                              \
        .mode = REG_MASK(NV10_CTRL, DOM##domain##_MODE),                                           \
        .counter_mode = REG_MASK(NV10_CTRL, CTR_MODE),                                             \
        .event_period = REG_MASK(NV10_CTRL, DOM##domain##_EVENT_CTR_PERIOD),                       \
        .quad_state = REG_MASK(NV10_CTRL, DOM##domain##_QUAD_STATE),                               \
        .single_state = REG_MASK(NV10_CTRL, DOM##domain##_SINGLE_STATE),                           \
        .read_only = REG_MASK(NV10_CTRL, DOM0_QUAD_STATE) | REG_MASK(NV10_CTRL, DOM1_QUAD_STATE) | \
                     REG_MASK(NV10_CTRL, DOM0_SINGLE_STATE) |                                      \
                     REG_MASK(NV10_CTRL, DOM1_SINGLE_STATE),                                       \
        .single = REG_PUT(NV10_CTRL, DOM##domain##_MODE, PCOUNTER_MODE__SINGLE),                   \
        .quad = REG_PUT(NV10_CTRL, DOM##domain##_MODE, PCOUNTER_MODE__QUAD)                        \
    }

/* Before NV30 there is no mode; the bits do not exist. */
static const struct perfmon_control single_controls[] = {
    {.counter_mode = REG_MASK(NV10_CTRL, CTR_MODE),
     .event_period = REG_MASK(NV10_CTRL, DOM0_EVENT_CTR_PERIOD),
     .single_state = REG_MASK(NV10_CTRL, DOM0_SINGLE_STATE),
     .read_only = REG_MASK(NV10_CTRL, DOM0_SINGLE_STATE) | REG_MASK(NV10_CTRL, DOM1_SINGLE_STATE)},
    {.counter_mode = REG_MASK(NV10_CTRL, CTR_MODE),
     .event_period = REG_MASK(NV10_CTRL, DOM1_EVENT_CTR_PERIOD),
     .single_state = REG_MASK(NV10_CTRL, DOM1_SINGLE_STATE),
     .read_only = REG_MASK(NV10_CTRL, DOM0_SINGLE_STATE) | REG_MASK(NV10_CTRL, DOM1_SINGLE_STATE)},
};
static const struct perfmon_control nv10_controls[] = {NV10_CONTROL(0), NV10_CONTROL(1)};
static const struct perfmon_control nv40_control = {
    .mode = REG_MASK(NV40_CTRL, MODE),
    .counter_mode = REG_MASK(NV40_CTRL, CTR_MODE),
    .event_period = REG_MASK(NV40_CTRL, EVENT_CTR_PERIOD),
    .quad_state = REG_MASK(NV40_CTRL, QUAD_STATE),
    .single_state = REG_MASK(NV40_CTRL, SINGLE_STATE),
    .periodic = REG_MASK(NV40_CTRL, PERIODIC_PERIOD),
    .short_format = REG_MASK(NV40_CTRL, RECORD_FORMAT),
    .read_only = REG_MASK(NV40_CTRL, QUAD_STATE) | REG_MASK(NV40_CTRL, SINGLE_STATE) |
                 REG_MASK(NV40_CTRL, FAULT_CLEAR),
    .single = REG_PUT(NV40_CTRL, MODE, PCOUNTER_MODE__SINGLE),
    .quad = REG_PUT(NV40_CTRL, MODE, PCOUNTER_MODE__QUAD),
    .record = REG_PUT(NV40_CTRL, MODE, PCOUNTER_MODE__RECORD),
};
static const struct perfmon_control gf100_control = {
    .mode = REG_MASK(GF100_CTRL, MODE),
    .counter_mode = REG_MASK(GF100_CTRL, CTR_MODE),
    .event_period = REG_MASK(GF100_CTRL, EVENT_CTR_PERIOD),
    .quad_state = REG_MASK(GF100_CTRL, QUAD_STATE),
    .single_state = REG_MASK(GF100_CTRL, SINGLE_STATE),
    .periodic = REG_MASK(GF100_CTRL, PERIODIC_PERIOD),
    .written = REG_PUT(GF100_CTRL, UNK18, 1),
    .read_only = REG_MASK(GF100_CTRL, QUAD_STATE) | REG_MASK(GF100_CTRL, SINGLE_STATE),
    .single = REG_PUT(GF100_CTRL, MODE, GF100_MODE__SINGLE),
    .quad = REG_PUT(GF100_CTRL, MODE, GF100_MODE__QUAD),
};

const struct perfmon_control *perfmon_control_of(const struct perfmon_unit *unit)
{
    const struct pcounter_features *features = perfmon_features(unit->chipset);
    unsigned number = unit->domain % ARRAY_COUNT(nv10_controls);
    if (features->layout == LAYOUT_NV10)
        return features->quad ? &nv10_controls[number] : &single_controls[number];
    return features->layout == LAYOUT_NV40 ? &nv40_control : &gf100_control;
}

uint32_t perfmon_get(uint32_t mask, uint32_t value)
{
    return mask ? (value & mask) >> __builtin_ctz(mask) : 0;
}

uint32_t perfmon_put(uint32_t mask, uint32_t bits)
{
    return mask ? bits << __builtin_ctz(mask) & mask : 0;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static uint32_t unit_address(const struct perfmon_unit *unit, const struct reg_map *map,
                             struct reg_place *place)
{
    unsigned number = unit->domain % TALLY_PCOUNTER_DOMAINS;
    if (perfmon_features(unit->chipset)->sets) {
        const struct pcounter_set_space *space =
            &gf100_set_spaces[unit->domain / TALLY_PCOUNTER_DOMAINS];
        return reg_address(map, place) - map->base + space->address +
               unit->instance * space->stride + number * GF100_DOMAIN_BYTES;
    }
    for (unsigned i = 0; i < REG_DIMENSIONS; i++)
        if (place->reg->dimensions[i].count && !strcmp(place->reg->dimensions[i].letter, "dom"))
            place->index[i] = number;
    return reg_address(map, place);
}

uint32_t perfmon_register(const struct perfmon_unit *unit, enum register_id id,
                          struct reg_place *place)
{
    enum tally_pcounter_revision revision = (enum tally_pcounter_revision)unit->chipset->revision;
    const struct reg_map *map = pcounter_registers(revision);
    struct reg_place found = {0};
    for (size_t i = 0; i < map->count && !found.reg; i++)
        if (map->regs[i].id == id && (map->regs[i].revisions >> revision & 1))
            found.reg = &map->regs[i];
    if (!found.reg)
        return 0;
    uint32_t address = unit_address(unit, map, &found);
    if (place)
        *place = found;
    return address;
}
