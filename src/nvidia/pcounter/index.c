/* SPDX-License-Identifier: MIT */
/*
 * Registers by address. All engines of a revision with the same number of domains share an index
 * for reads and one for writes: up to NV30 some addresses have a register for each (PC-D20, PC-E5).
 * From GF100 on an index has the registers of one domain and of one set, and an engine knows which
 * domain or set each space of addresses belongs to.
 */
#include <assert.h>
#include <errno.h>
#include <stdatomic.h>

#include "nvidia/pcounter/engine.h"

static_assert(SPACES == 512 && GF100_DOMAIN_BYTES == GF100_SET_BYTES, "spaces are of one size");

/* Registers that allow the access come first. */
static struct reg_index *build(enum tally_pcounter_revision revision, unsigned domains,
                               enum reg_access access)
{
    const struct reg_map *map = pcounter_registers(revision);
    const struct reg_block allowed = {.map = map, .access = (uint8_t)access}, rest = {.map = map};
    const struct reg_block set = {.map = &pcounter_set_map};
    const struct reg_block pmc = {
        .map = &pmc_map, .first_id = PMC_REG_ENABLE, .end_id = PMC_REG_ENABLE + 1};
    const struct reg_part parts[] = {{&allowed, PCOUNTER_PART_DOMAIN},
                                     {&rest, PCOUNTER_PART_DOMAIN},
                                     {&set, PCOUNTER_PART_SET},
                                     {&pmc, PCOUNTER_PART_PMC}};
    bool sets = pcounter_features[revision].sets;
    return reg_index_new(parts, sets ? 4 : 2, 1u << revision, domains);
}

static const struct reg_index *shared_index(enum tally_pcounter_revision revision, unsigned domains,
                                            enum reg_access access)
{
    static struct reg_index *_Atomic indexes[TALLY_PCOUNTER_REVISIONS][DOMAINS + 1][2];
    struct reg_index *_Atomic *shared = &indexes[revision][domains][access == REG_WRITE];
    struct reg_index *built = atomic_load_explicit(shared, memory_order_acquire);
    return built ? built : reg_index_publish(shared, build(revision, domains, access));
}

int pcounter_index(struct tally_pcounter *engine, unsigned domains)
{
    domains = engine->features->sets ? 1 : domains;
    engine->reads = shared_index(engine->revision, domains, REG_READ);
    engine->writes = shared_index(engine->revision, domains, REG_WRITE);
    return engine->reads && engine->writes ? 0 : -ENOMEM;
}

static uint32_t space_of(uint32_t address)
{
    return (address - GF100_PCOUNTER_BASE) / GF100_DOMAIN_BYTES;
}

void pcounter_add_space(struct tally_pcounter *engine, uint32_t address, unsigned number)
{
    engine->spaces[space_of(address)] = (uint8_t)(number + 1);
}

uint32_t pcounter_find_unit(const struct tally_pcounter *engine, uint32_t address,
                            struct pcounter_target *target)
{
    uint32_t offset = address - GF100_PCOUNTER_BASE, space = space_of(address);
    if (address == PMC_ENABLE)
        return address;
    if (offset >= GF100_PCOUNTER_SIZE || !engine->spaces[space])
        return UINT32_MAX;
    unsigned number = engine->spaces[space] - 1u;
    if (offset < DSET_CTRL - GF100_PCOUNTER_BASE) {
        target->domain = number;
        return GF100_PCOUNTER_BASE + offset % GF100_DOMAIN_BYTES;
    }
    target->domain = engine->set_first[number];
    target->set = number;
    return DSET_CTRL + offset % GF100_SET_BYTES;
}

struct reg_place pcounter_locate(const struct tally_pcounter *engine, uint32_t address,
                                 enum reg_access access)
{
    struct pcounter_target unit;
    struct reg_place place = {0};
    if (engine->features->sets)
        address = pcounter_find_unit(engine, address, &unit);
    if (!reg_index_place(access == REG_WRITE ? engine->writes : engine->reads, address, &place))
        place.reg = NULL;
    return place;
}
