/* SPDX-License-Identifier: MIT */
/* Configuration registers of replicated units and of media engines (OA-14.3, OA-14.4). */
#include "intel/gt/units.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "intel/symbols.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define GEN12        ON(TGL)
#define GEN11_UP     GT_GEN11_UP
#define GEN9_UP      (ON(SKL) | GEN11_UP)
#define GEN8_UP      (ON(BDW) | ON(CHV) | GEN9_UP)
#define GEN7_UP      (ON(IVB) | ON(VLV) | ON(HSW) | GEN8_UP)
#define ALL          GEN7_UP

#include "regs/pass/fields.h"
#include "intel/gt/units.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/units.def"
};
#include "regs/pass/end.h"

const struct reg_map gt_units_map = {
    .name = "gt-units",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x1d4000,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
};

static bool find(const struct gt_units *units, uint32_t address, struct reg_place *place)
{
    return reg_find(&gt_units_map, INTEL_BIT(units->revision), UINT_MAX, address, REG_READ, place);
}

void gt_units_init(struct gt_units *units, enum intel_revision revision)
{
    memset(units, 0, sizeof *units);
    units->revision = (uint8_t)revision;
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++)
        if (registers[i].revisions & INTEL_BIT(revision))
            for (unsigned k = 0; k < GT_INSTANCES; k++)
                units->words[registers[i].id][k] = registers[i].reset;
}

bool gt_units_own(const struct gt_units *units, uint32_t address)
{
    struct reg_place place;
    return find(units, address, &place);
}

/* ---- instances ------------------------------------------------------------------------------- */

static uint32_t read_word(void *context, const struct reg_request *request)
{
    const struct gt_units *units = context;
    return units->words[request->row->reg->id + request->element][request->instance];
}

static void write_word(void *context, const struct reg_request *request, uint32_t value)
{
    struct gt_units *units = context;
    uint32_t *words = units->words[request->row->reg->id + request->element];
    bool masked = request->row->reg->flags & UNIT_MASKED_WRITE;
    for (unsigned i = 0; i < GT_INSTANCES; i++)
        if (request->instances >> i & 1)
            words[i] = masked ? reg_write_masked(words[i], value) : value;
}

const struct reg_block gt_units_block = {
    .map = &gt_units_map,
    .common = {read_word, write_word},
};

uint32_t gt_units_get(const struct gt_units *units, unsigned instance, uint32_t address)
{
    struct reg_place place;
    return find(units, address, &place) ? units->words[place.reg->id + place.index[0]][instance]
                                        : 0;
}

void gt_units_set(struct gt_units *units, uint32_t instances, uint32_t address, uint32_t value)
{
    struct reg_place place;
    if (!find(units, address, &place))
        return;
    for (unsigned i = 0; i < GT_INSTANCES; i++)
        if (instances >> i & 1)
            units->words[place.reg->id + place.index[0]][i] = value;
}
