/* SPDX-License-Identifier: MIT */
#include "intel/gt/host.h"

#include <limits.h>

#include "base/bits.h"
#include "intel/symbols.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define GEN12        ON(TGL)
#define GEN11        (ON(ICL) | ON(LKF))
#define GEN11_UP     GT_GEN11_UP
#define GEN9         ON(SKL)
#define GEN9_UP      (GEN9 | GEN11_UP)
#define GEN8         (ON(BDW) | ON(CHV))
#define GEN8_9       (GEN8 | GEN9)
#define GEN8_11      (GEN8_9 | GEN11)
#define GEN8_UP      (GEN8 | GEN9_UP)
#define GEN9_11      (GEN9 | GEN11)
#define HSW_11       (ON(HSW) | GEN8_11)
#define HSW_UP       (ON(HSW) | GEN8_UP)
#define GEN7         (ON(IVB) | ON(VLV) | ON(HSW))
#define GEN7_9       (GEN7 | GEN8_9)
#define GEN7_UP      (GEN7 | GEN8_UP)
#define TO_GEN8      (TO_GEN75 | GEN8)
#define GEN7_8       (ON(IVB) | ON(HSW) | ON(BDW))
#define HSW_9        (ON(HSW) | GEN8_9)
#define TO_GEN75     (ON(SNB) | ON(IVB) | ON(VLV) | ON(HSW))
#define TO_GEN9      (TO_GEN75 | GEN8_9)
#define ALL          (TO_GEN9 | GEN11_UP)

#include "regs/pass/fields.h"
#include "intel/gt/host.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/gt/host.def"
};
#include "regs/pass/end.h"

const struct reg_map gt_host_map = {
    .name = "host",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x200000,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
    .has_basis = true,
};

static unsigned count_of(const struct reg *reg)
{
    return reg->dimensions[0].count ? reg->dimensions[0].count : 1;
}

static bool is_on(const struct gt_host *host, const struct reg *reg)
{
    return reg->revisions & INTEL_BIT(host->revision);
}

/* Sets the registers of the revision to their reset values; without `chip`, those in the GT. */
void gt_host_reset(struct gt_host *host, bool chip)
{
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++)
        for (unsigned k = 0; k < count_of(&registers[i]); k++)
            if (is_on(host, &registers[i]) && (chip || !(registers[i].flags & HOST_KEPT)))
                host->words[host->first[i] + k] = registers[i].reset;
}

void gt_host_init(struct gt_host *host, enum intel_revision revision)
{
    unsigned words = 0;
    *host = (struct gt_host){.revision = (uint8_t)revision};
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++) {
        host->first[i] = (uint16_t)words;
        words += count_of(&registers[i]);
    }
    gt_host_reset(host, true);
}

/* In registers of power wells: the requests, each above the state of its well. */
#define WELL_REQUESTS 0xaaaaaaaau

static uint32_t read_word(void *context, const struct reg_request *request)
{
    const struct gt_host *host = context;
    const struct reg *reg = request->row->reg;
    uint32_t value = host->words[host->first[reg - registers] + request->element];
    if (reg->flags & HOST_WELLS)
        value |= (value & WELL_REQUESTS) / 2;
    return value & reg_mask(reg, INTEL_BIT(host->revision), UINT_MAX, REG_READ);
}

static void write_word(void *context, const struct reg_request *request, uint32_t value)
{
    struct gt_host *host = context;
    const struct reg *reg = request->row->reg;
    uint32_t *word = &host->words[host->first[reg - registers] + request->element];
    if (reg->flags & HOST_CLEARS)
        *word &= ~value;
    else if (reg->flags & HOST_MASKED)
        *word = reg_write_masked(*word, value);
    else
        *word = value;
}

const struct reg_block gt_host_block = {
    .map = &gt_host_map,
    .common = {read_word, write_word},
};
