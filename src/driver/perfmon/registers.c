/* SPDX-License-Identifier: MIT */
#include "driver/perfmon/registers.h"

#include <string.h>

static const struct {
    enum register_id source, operation;
} slots[SLOTS] = {
    [SLOT_PRE] = {REG_PRE_SRC, REG_PRE_OP},
    [SLOT_START] = {REG_START_SRC, REG_START_OP},
    [SLOT_EVENT] = {REG_EVENT_SRC, REG_EVENT_OP},
    [SLOT_STOP] = {REG_STOP_SRC, REG_STOP_OP},
};

enum register_id perfmon_source(unsigned slot)
{
    return slots[slot].source;
}

enum register_id perfmon_operation(unsigned slot)
{
    return slots[slot].operation;
}

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
