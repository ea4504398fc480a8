/* SPDX-License-Identifier: MIT */
#include "intel/gt/fuses.h"

#include <string.h>

#include <tally/platform.h>

#include "base/bits.h"
#include "intel/symbols.h"

#define BDW INTEL_BIT(INTEL_BDW)
#define CHV INTEL_BIT(INTEL_CHV)
#define SKL INTEL_BIT(INTEL_SKL)

enum { FUSES_FUSE2, FUSES_EU_DISABLE, FUSES_CHV = FUSES_EU_DISABLE + GT_FUSE_EU_WORDS };

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
    unsigned id = request->row->reg->id;
    if (id == FUSES_FUSE2)
        return fuses->fuse2;
    if (id == FUSES_CHV)
        return fuses->chv;
    return fuses->eu_disable[id - FUSES_EU_DISABLE + request->element];
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

#define SLICES       3
#define SUBSLICE_EUS 8

/* Subslices that EU_DISABLE has bits for, in each slice. */
static const uint8_t disable_subslices[INTEL_REVISIONS] = {[INTEL_BDW] = 3, [INTEL_SKL] = 4};

void gt_fuses_init(struct gt_fuses *fuses, enum intel_revision revision,
                   const struct tally_topology *topology, unsigned slice_bits, unsigned eus)
{
    uint32_t subslices[SLICES], any = 0, absent = (uint32_t)low_bits(SUBSLICE_EUS);
    uint32_t off = absent & ~(uint32_t)low_bits(eus); /* of an existing subslice */
    memset(fuses, 0, sizeof *fuses);
    if (!(INTEL_BIT(revision) & (BDW | CHV | SKL)))
        return;
    for (unsigned s = 0; s < SLICES; s++) {
        subslices[s] = (uint32_t)(topology->subslice_mask >> s * slice_bits & low_bits(slice_bits));
        any |= subslices[s];
    }
    for (unsigned s = 0; s < SLICES; s++)
        for (unsigned ss = 0; ss < disable_subslices[revision]; ss++) {
            unsigned bit = (s * disable_subslices[revision] + ss) * SUBSLICE_EUS;
            fuses->eu_disable[bit / 32] |= (subslices[s] >> ss & 1 ? off : absent) << bit % 32;
        }
    uint32_t slices = (uint32_t)topology->slice_mask;
    if (INTEL_BIT(revision) & BDW)
        fuses->fuse2 = REG_PUT(GEN8_FUSE2, S_ENA, slices) | REG_PUT(GEN8_FUSE2, SS_DIS, ~any);
    if (INTEL_BIT(revision) & SKL)
        fuses->fuse2 = REG_PUT(GEN9_FUSE2, S_ENA, slices) | REG_PUT(GEN9_FUSE2, SS_DIS, ~any);
    if (!(INTEL_BIT(revision) & CHV))
        return;
    fuses->chv = REG_PUT(CHV_FUSE_GT, DISABLE_SS, ~any) |
                 REG_PUT(CHV_FUSE_GT, EU_DIS_SS0, any & 1 ? off : absent) |
                 REG_PUT(CHV_FUSE_GT, EU_DIS_SS1, any & 2 ? off : absent);
}
