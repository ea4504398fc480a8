/* SPDX-License-Identifier: MIT */
/*
 * NOA multiplexing, and the registers around it. A platform has the registers that the public
 * driver allows a metric set to write (PERF-3.4), or that OA-1.3, OA-1.5 and PERF-5 describe;
 * clocks and power of TGL are those of Gen11. The networks at 25100h and 182300h have no published
 * names; both are called NOA_MUX here.
 */
#include "intel/oa/noa.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "intel/clock_ratio.h"
#include "intel/symbols.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define GEN11        (ON(ICL) | ON(LKF))
#define GEN12        ON(TGL)
#define GEN11_UP     (GEN11 | GEN12)
#define GEN8_UP      (ON(BDW) | ON(CHV) | ON(SKL) | GEN11_UP)
#define HSW_UP       (ON(HSW) | GEN8_UP)
#define HSW_TO_GEN11 (HSW_UP & ~GEN12)
#define HSW_TO_SKL   (HSW_UP & ~GEN11_UP)
#define GEN7_UP      (ON(IVB) | ON(VLV) | HSW_UP)
#define ALL          (ON(SNB) | GEN7_UP)
#define SNB_IVB      (ON(SNB) | ON(IVB))
#define SNB_TO_HSW   (ALL & ~GEN8_UP)
#define SKL_UP       (ON(SKL) | GEN11_UP)
#define BDW_SKL      (ON(BDW) | ON(SKL))

#include "regs/pass/fields.h"
#include "intel/oa/noa.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/oa/noa.def"
};
#include "regs/pass/end.h"

const struct reg_map noa_map = {
    .name = "noa",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x182400,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
};

/* ---- storage --------------------------------------------------------------------------------- */

static bool find(const struct noa *noa, uint32_t address, enum reg_access access,
                 struct reg_place *place)
{
    return reg_find(&noa_map, INTEL_BIT(noa->revision), UINT_MAX, address, access, place);
}

void noa_init(struct noa *noa, enum intel_revision revision)
{
    memset(noa, 0, sizeof *noa);
    noa->revision = (uint8_t)revision;
    for (size_t i = 0; i < noa_map.count; i++)
        if ((registers[i].revisions & INTEL_BIT(revision)) && registers[i].id < NOA_STORED)
            noa->regs[registers[i].id] = registers[i].reset;
}

/* ---- clocks and power ------------------------------------------------------------------------ */

/* Returns CRYSTAL and CTC_SHIFT of RPM_CONFIG0 for a frequency; 0 if there are none. The crystal
 * of 38.4 MHz is tried first: 19.2 MHz is half of it (OA-U22). */
static uint32_t crystal_and_shift(uint32_t timestamp_hz)
{
    static const uint32_t crystals_hz[] = {24000000, 19200000, 38400000, 25000000};
    static const uint8_t order[] = {2, 0, 1, 3};
    for (unsigned i = 0; i < ARRAY_COUNT(order); i++)
        for (unsigned shift = 0; shift < 4; shift++)
            if (crystals_hz[order[i]] >> (3 - shift) == timestamp_hz)
                return REG_PUT(RPM_CONFIG0, CRYSTAL, order[i]) |
                       REG_PUT(RPM_CONFIG0, CTC_SHIFT, shift);
    return 0;
}

static uint32_t shift_of_24mhz(uint32_t timestamp_hz)
{
    for (unsigned shift = 0; shift < 4; shift++)
        if (24000000u >> (3 - shift) == timestamp_hz)
            return REG_PUT(CTC_MODE, SHIFT, shift);
    return 0;
}

uint32_t noa_status_mhz(enum intel_revision revision, uint32_t rpstat1)
{
    if (INTEL_BIT(revision) & SKL_UP)
        return (REG_GET(GEN9_RPSTAT1, RATIO, rpstat1) * 50 + 1) / 3;
    return 50 * (INTEL_BIT(revision) & SNB_IVB ? REG_GET(GEN6_RPSTAT1, RATIO, rpstat1)
                                               : REG_GET(HSW_RPSTAT1, RATIO, rpstat1));
}

void noa_set_clocks(struct noa *noa, uint32_t clock_hz, uint32_t timestamp_hz)
{
    uint32_t revision = INTEL_BIT(noa->revision);
    uint32_t fifties = (uint32_t)(((uint64_t)clock_hz + 25000000) / 50000000);
    noa->regs[NOA_RPSTAT1] = revision & SKL_UP
                                 ? REG_PUT(GEN9_RPSTAT1, RATIO, intel_clock_ratio(clock_hz))
                             : revision & SNB_IVB ? REG_PUT(GEN6_RPSTAT1, RATIO, fifties)
                                                  : REG_PUT(HSW_RPSTAT1, RATIO, fifties);
    if (revision & GEN11_UP)
        noa->regs[NOA_RPM_CONFIG] = crystal_and_shift(timestamp_hz);
    if (revision & ON(SKL))
        noa->regs[NOA_CTC_MODE] = shift_of_24mhz(timestamp_hz);
}

bool noa_allows_rc6(const struct noa *noa)
{
    return !REG_GET(RC_CONTROL, HARDWARE_CONTROL, noa->regs[NOA_RC_CONTROL]) ||
           noa->regs[NOA_RC_STATE];
}

bool noa_gates_trunk(const struct noa *noa)
{
    bool by_misccpctl = INTEL_BIT(noa->revision) & GEN7_UP;
    return noa_allows_rc6(noa) &&
           (!by_misccpctl || REG_GET(MISCCPCTL, DOP_CLOCK_GATE_ENABLE, noa->regs[NOA_MISCCPCTL]));
}

void noa_reset(struct noa *noa)
{
    noa_init(noa, (enum intel_revision)noa->revision);
}

bool noa_owns(const struct noa *noa, uint32_t address)
{
    struct reg_place place;
    return find(noa, address, REG_READ, &place);
}

static uint32_t *word_of(struct noa *noa, const struct reg_request *request)
{
    unsigned id = request->row->reg->id;
    return id == NOA_MUX ? &noa->mux[request->element] : &noa->regs[id + request->element];
}

static uint32_t read_word(void *context, const struct reg_request *request)
{
    return *word_of(context, request);
}

static void write_word(void *context, const struct reg_request *request, uint32_t value)
{
    unsigned flags = request->row->reg->flags;
    uint32_t *word = word_of(context, request);
    if (flags & NOA_MASKED)
        value = reg_write_masked(*word, value);
    if (flags & NOA_SELF_CLEARING)
        value &= ~1u;
    *word = value;
}

static void write_port(void *context, const struct reg_request *request, uint32_t value)
{
    struct noa *noa = context;
    struct noa_port *port = &noa->ports[request->row->reg->id - NOA_WRITE];
    port->writes++;
    port->last = value;
}

static const struct reg_handler special[] = {
    [NOA_WRITE] = {NULL, write_port},
    [NOA_WRITE_HIGH] = {NULL, write_port},
};

const struct reg_block noa_block = {
    .map = &noa_map,
    .common = {read_word, write_word},
    .special = special,
    .special_count = ARRAY_COUNT(special),
};

bool noa_read(const struct noa *noa, uint32_t address, uint32_t *out)
{
    return reg_block_read(&noa_block, INTEL_BIT(noa->revision), (void *)noa, address, out);
}

void noa_set32(struct noa *noa, uint32_t address, uint32_t value)
{
    struct reg_place place;
    if (!find(noa, address, REG_READ, &place) || (place.reg->flags & NOA_PORT))
        return;
    if (place.reg->id == NOA_MUX)
        noa->mux[place.index[0]] = value;
    else
        noa->regs[place.reg->id + place.index[0]] = value;
}
