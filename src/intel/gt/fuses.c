/* SPDX-License-Identifier: MIT */
#include "intel/gt/fuses.h"

#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/frequency.h"
#include "intel/gt/routing.h"
#include "intel/symbols.h"
#include "intel/topology.h"

#define HSW INTEL_BIT(INTEL_HSW)
#define BDW INTEL_BIT(INTEL_BDW)
#define CHV INTEL_BIT(INTEL_CHV)
#define SKL INTEL_BIT(INTEL_SKL)

/* VLV and CHV have the range in registers of the sideband. */
#define CLOCKS (INTEL_BIT(INTEL_SNB) | INTEL_BIT(INTEL_IVB) | HSW | BDW | SKL | GT_GEN11_UP)

#include "regs/pass/fields.h"
#include "intel/gt/fuses.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/fuses.def"
};
#include "regs/pass/end.h"

const struct reg_map gt_fuses_map = {
    .name = "gt-fuses",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x182170,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
};

static uint32_t read_fuses(void *context, const struct reg_request *request)
{
    const struct gt_fuses *fuses = context;
    return fuses->words[request->row->reg->id + request->element];
}

static void ignore_write(void *context, const struct reg_request *request, uint32_t value)
{
    (void)context, (void)request, (void)value;
}

const struct reg_block gt_fuses_block = {
    .map = &gt_fuses_map,
    .common = {read_fuses, ignore_write},
};

/* ---- values ---------------------------------------------------------------------------------- */

/* What a field shows. */
enum shown {
    SLICES_ENABLED,
    SUBSLICES_DISABLED, /* in every slice */
    EUS_DISABLED,       /* eight bits for each subslice of each slice */
    EUS_LOST,           /* half of the EUs that each subslice lacks */
    CLOCK_LOWEST,       /* in units of 50 MHz */
    CLOCK_EFFICIENT,
    CLOCK_HIGHEST
};

#define SUBSLICE_EUS 8

/* The fields of the fuses, by revision. `subslices`: those of a slice that EUS_DISABLED has bits
 * for, from bit `low` of `word` on. */
static const struct shown_fuse {
    uint32_t revisions;
    uint8_t shown, word, low, bits;
    uint8_t slices, subslices;
} shown_fuses[] = {
#define AT(set, field) set##__##field##_LOW, REG_WIDTH(set, field)
    {HSW, EUS_LOST, FUSES_FUSE1, AT(HSW_PAVP_FUSE1, EU_DIS), 0, 0},
    {BDW, SLICES_ENABLED, FUSES_FUSE2, AT(GEN8_FUSE2, S_ENA), 0, 0},
    {BDW, SUBSLICES_DISABLED, FUSES_FUSE2, AT(GEN8_FUSE2, SS_DIS), 0, 0},
    {BDW, EUS_DISABLED, FUSES_EU_DISABLE, 0, SUBSLICE_EUS, 3, 3},
    {SKL, SLICES_ENABLED, FUSES_FUSE2, AT(GEN9_FUSE2, S_ENA), 0, 0},
    {SKL, SUBSLICES_DISABLED, FUSES_FUSE2, AT(GEN9_FUSE2, SS_DIS), 0, 0},
    {SKL, EUS_DISABLED, FUSES_EU_DISABLE, 0, SUBSLICE_EUS, 3, 4},
    {CHV, SUBSLICES_DISABLED, FUSES_CHV, AT(CHV_FUSE_GT, DISABLE_SS), 0, 0},
    {CHV, EUS_DISABLED, FUSES_CHV, AT(CHV_FUSE_GT, EU_DIS_SS0), 1, 2},
    {CLOCKS, CLOCK_HIGHEST, FUSES_CLOCKS, AT(GEN6_RP_STATE_CAP, RP0), 0, 0},
    {CLOCKS, CLOCK_EFFICIENT, FUSES_CLOCKS, AT(GEN6_RP_STATE_CAP, RP1), 0, 0},
    {CLOCKS, CLOCK_LOWEST, FUSES_CLOCKS, AT(GEN6_RP_STATE_CAP, RPN), 0, 0},
    {GT_GEN11_UP, CLOCK_EFFICIENT, FUSES_EFFICIENT, AT(GEN10_FREQ_INFO_REC, RPE), 0, 0},
#undef AT
};

#define CLOCK_UNIT_MHZ 50

static void show(struct gt_fuses *fuses, const struct shown_fuse *row, unsigned bit, uint32_t value)
{
    fuses->words[row->word + bit / 32] |= (value & (uint32_t)low_bits(row->bits)) << bit % 32;
}

static void show_eus(struct gt_fuses *fuses, const struct shown_fuse *row,
                     const struct intel_topology *topology)
{
    for (unsigned s = 0; s < row->slices; s++)
        for (unsigned ss = 0; ss < row->subslices; ss++)
            show(fuses, row, row->low + (s * row->subslices + ss) * SUBSLICE_EUS,
                 ~(uint32_t)topology->eus[s][ss]);
}

void gt_fuses_init(struct gt_fuses *fuses, enum intel_revision revision,
                   const struct intel_topology *topology)
{
    struct intel_frequencies range = intel_frequencies(&topology->sku->info);
    uint32_t any = 0;
    unsigned max_eus = 0;
    memset(fuses, 0, sizeof *fuses);
    for (unsigned s = 0; s < INTEL_SLICES; s++) {
        any |= topology->subslices[s];
        for (unsigned ss = 0; ss < INTEL_SUBSLICES; ss++)
            max_eus = max_u32(max_eus, count_bits(topology->eus[s][ss]));
    }
    for (size_t i = 0; i < ARRAY_COUNT(shown_fuses); i++) {
        const struct shown_fuse *row = &shown_fuses[i];
        if (!(row->revisions & INTEL_BIT(revision)))
            continue;
        if (row->shown == EUS_DISABLED)
            show_eus(fuses, row, topology);
        else if (row->shown == EUS_LOST)
            show(fuses, row, row->low, (topology->sku->info.subslice_eus - max_eus) / 2);
        else if (row->shown == CLOCK_LOWEST)
            show(fuses, row, row->low, range.lowest / CLOCK_UNIT_MHZ);
        else if (row->shown == CLOCK_EFFICIENT)
            show(fuses, row, row->low, range.efficient / CLOCK_UNIT_MHZ);
        else if (row->shown == CLOCK_HIGHEST)
            show(fuses, row, row->low, range.highest / CLOCK_UNIT_MHZ);
        else
            show(fuses, row, row->low, row->shown == SLICES_ENABLED ? topology->slices : ~any);
    }
}

void gt_fuses_alias(const struct gt_fuses *fuses, struct gt_routing *routing)
{
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++)
        if (GT_IS_MCHBAR(registers[i].offset))
            gt_routing_set_mchbar(routing, registers[i].offset, 4, fuses->words[registers[i].id]);
}
