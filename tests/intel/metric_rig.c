/* SPDX-License-Identifier: MIT */
#include "intel/metric_rig.h"

#include "intel/oa/registers.h"
#include "intel/parts.h"

void rig_open(struct metric_rig *rig, enum intel_revision platform)
{
    struct tally_error error = {0};
    rig->platform = platform;
    assert_int_equal(tally_oa_new(revision_name(platform), &rig->unit, &error), 0);
    noa_init(&rig->noa, platform);
}

void rig_close(struct metric_rig *rig)
{
    tally_oa_free(rig->unit);
}

void rig_reset(struct metric_rig *rig)
{
    tally_oa_reset(rig->unit);
    noa_reset(&rig->noa);
}

bool noa_is_on(const struct noa *noa)
{
    if (noa->revision < INTEL_HSW)
        return true;
    return noa->revision < INTEL_ICL ? noa_read32(noa, 0x9840) >> 7 & 1
                                     : noa_read32(noa, 0x0d04) >> 9 & 1;
}

static enum landing write_noa(struct noa *noa, const struct reg *reg,
                              const struct tally_register_write *write)
{
    struct noa_port before[NOA_PORTS];
    uint32_t expected = write->value;
    if (reg->flags & NOA_MASKED)
        expected =
            (noa_read32(noa, write->address) & ~(write->value >> 16)) | (expected & expected >> 16);
    memcpy(before, noa->ports, sizeof before);
    noa_write32(noa, write->address, write->value);
    if (!(reg->flags & NOA_PORT))
        return noa_read32(noa, write->address) == expected ? LANDED_NOA : LANDED_NOWHERE;
    unsigned port = reg->id - NOA_WRITE;
    return noa->ports[port].last == write->value &&
                   noa->ports[port].writes == before[port].writes + 1 &&
                   !memcmp(&noa->ports[!port], &before[!port], sizeof *before)
               ? LANDED_PORT
               : LANDED_NOWHERE;
}

enum landing rig_write(struct metric_rig *rig, const struct tally_register_write *write)
{
    struct reg_place place;
    const struct reg_map *map =
        intel_register_find(rig->platform, write->address, REG_WRITE, &place);
    if (!map || !(place.reg->access & REG_WRITE))
        return LANDED_NOWHERE;
    if (map == &noa_map)
        return write_noa(&rig->noa, place.reg, write);
    if (map != oa_registers(rig->platform))
        return LANDED_GT;
    tally_oa_write32(rig->unit, write->address, write->value);
    if (tally_oa_read32(rig->unit, write->address) != write->value)
        return LANDED_NOWHERE;
    return place.reg->id >= OA_EU_CTL && place.reg->id < OA_EU_CTL + 7 ? LANDED_FLEX : LANDED_OA;
}
