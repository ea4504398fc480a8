/* SPDX-License-Identifier: MIT */
/* How a register is put back. */
#include "card/rules.h"

#include <limits.h>
#include <string.h>

#include "intel/registers.h"
#include "nvidia/gpu/registers.h"
#include "nvidia/pcounter/engine.h"

/* A register and the revision whose fields it has. */
struct known {
    const struct reg *reg;
    uint32_t revision;
    unsigned instances;
};

static struct known find_nvidia(const struct tally_pcounter *engine, uint32_t address)
{
    struct known known = {.revision = pcounter_revision_bit(engine),
                          .instances = tally_pcounter_domains(engine)};
    struct reg_place place = pcounter_locate(engine, address, REG_WRITE);
    for (enum nvidia_part part = 0; !place.reg && part < NVIDIA_PARTS; part++)
        if (!reg_find(nvidia_registers(engine->revision, part), known.revision, 1, address,
                      REG_WRITE, &place))
            place.reg = NULL;
    known.reg = place.reg;
    return known;
}

static struct known find(const struct card_rules *rules, uint32_t address)
{
    struct known known = {0};
    struct reg_place place;
    if (rules->engine)
        return find_nvidia(rules->engine, address);
    if (!rules->platform)
        return known;
    known.revision = INTEL_BIT(rules->platform->revision);
    known.instances = UINT_MAX;
    if (reg_index_place(intel_register_index(rules->platform->revision), address, &place))
        known.reg = place.reg;
    return known;
}

/* Registers with write enables have the field MASK for them. */
static bool has_enables(const struct known *known)
{
    for (const struct reg_field *field = known->reg->fields; field && field->name; field++)
        if (!strcmp(field->name, "MASK") && field->access == REG_WRITE && field->high == 31 &&
            field->low == 16 && reg_field_exists(field, known->revision, known->instances))
            return true;
    return false;
}

bool card_rule(const struct card_rules *rules, uint32_t address, uint32_t value,
               struct state_entry *entry)
{
    struct known known = find(rules, address);
    *entry = (struct state_entry){.kind = STATE_REGISTER, .address = address, .mask = UINT32_MAX};
    if (!known.reg)
        return true;
    if (has_enables(&known)) {
        entry->kind = STATE_MASKED;
        entry->mask = value >> 16;
    } else {
        entry->mask = reg_storage(known.reg, known.revision, known.instances);
    }
    return (known.reg->access & REG_READ) != 0;
}
