/* SPDX-License-Identifier: MIT */
/* The command streamer's own registers, and its submission ports. */
#include "intel/cs/registers.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "intel/cs/streamer.h"
#include "intel/platforms.h"
#include "intel/symbols.h"

enum own_register {
    TAIL,
    HEAD,
    START,
    CTL,
    HWS_PGA,
    ACTHD_UDW,
    IPEHR,
    ACTHD,
    NOPID,
    BB_OFFSET,
    CCID,
    SOURCE0,
    SOURCE1,
    DATA,
    RESULT,
    RESULT_1,
    RESULT_2,
    EXCC,
    RVSYNC,
    RVESYNC,
    RBSYNC,
    GPR,
    OWN_REGISTERS,
    PORT = CS_PORTS
};

/* ---- the table ------------------------------------------------------------------------------- */

#define BIT(name) INTEL_BIT(INTEL_##name)
#define GEN6      BIT(SNB)
#define GEN7      (BIT(IVB) | BIT(VLV))
#define GEN8_9    (BIT(BDW) | BIT(CHV) | BIT(SKL))
#define GEN11_UP  (BIT(ICL) | BIT(LKF) | BIT(TGL))
#define GEN8_UP   (GEN8_9 | GEN11_UP)
#define GEN75_UP  (BIT(HSW) | GEN8_UP)
#define GEN7_UP   (GEN7 | GEN75_UP)
#define ALL       (GEN6 | GEN7_UP)
#define TO_GEN75  (ALL & ~GEN8_UP)

#include "regs/pass/fields.h"
#include "intel/cs/registers.def"
#include "regs/pass/end.h"

#include "regs/pass/rows.h"
static const struct reg registers[] = {
#include "intel/cs/registers.def"
};
#include "regs/pass/end.h"

const struct reg_map cs_registers_map = {
    .name = "command-streamer",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x5000,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
};

/* ---- the values ------------------------------------------------------------------------------ */

#define MEMBER(member)                                                                             \
    {                                                                                              \
        offsetof(struct streamer, member), sizeof((struct streamer *)0)->member                    \
    }

static const struct {
    size_t offset, bytes;
} members[OWN_REGISTERS] = {
    [TAIL] = MEMBER(ring_tail),
    [HEAD] = MEMBER(ring_head),
    [START] = MEMBER(ring_start),
    [CTL] = MEMBER(ring_ctl),
    [HWS_PGA] = MEMBER(hws_pga),
    [ACTHD_UDW] = MEMBER(acthd),
    [IPEHR] = MEMBER(ipehr),
    [ACTHD] = MEMBER(acthd),
    [NOPID] = MEMBER(nopid),
    [BB_OFFSET] = MEMBER(bb_offset),
    [CCID] = MEMBER(ccid),
    [SOURCE0] = MEMBER(predicate_source[0]),
    [SOURCE1] = MEMBER(predicate_source[1]),
    [DATA] = MEMBER(predicate_data),
    [RESULT] = MEMBER(predicate_result),
    [RESULT_1] = MEMBER(predicate_result_1),
    [RESULT_2] = MEMBER(predicate_result_2),
    [EXCC] = MEMBER(excc),
    [RVSYNC] = MEMBER(rvsync),
    [RVESYNC] = MEMBER(rvesync),
    [RBSYNC] = MEMBER(rbsync),
    [GPR] = MEMBER(gpr[0]),
};

static uint32_t revision(const struct streamer *streamer)
{
    return INTEL_BIT(streamer->platform->revision);
}

/* Caches the register of each dword, because commands access registers often. */
void cs_registers_init(struct streamer *streamer)
{
    struct reg_place place;
    for (uint32_t at = 0; at < STREAMER_OWN; at += 4)
        if (reg_find(&cs_registers_map, revision(streamer), UINT_MAX, STREAMER_BASE + at, REG_READ,
                     &place) &&
            place.reg->id < OWN_REGISTERS)
            streamer->own[at / 4] = (uint8_t)(place.reg - registers + 1);
}

/* Finds the register that commands access at an address; NULL if there is none. */
static const struct reg *find(const struct streamer *streamer, uint32_t address)
{
    struct reg_place place;
    if (address % 4)
        return NULL;
    if (address - STREAMER_BASE < STREAMER_OWN) {
        uint8_t own = streamer->own[(address - STREAMER_BASE) / 4];
        return own ? &registers[own - 1] : NULL;
    }
    return reg_find(&cs_registers_map, revision(streamer), UINT_MAX, address, REG_READ, &place)
               ? place.reg
               : NULL;
}

/* Returns the offset of the member with a register's value, and the half of it: 64-bit members are
 * two dwords. */
static size_t locate(const struct reg *reg, uint32_t address, unsigned *half)
{
    uint32_t dword = (address - reg->offset) / 4;
    *half = reg->id == ACTHD_UDW ? 1 : dword % 2;
    return members[reg->id].offset + dword / 2 * members[reg->id].bytes;
}

static uint64_t load(const struct streamer *streamer, size_t offset, size_t bytes)
{
    uint64_t value = 0;
    uint32_t low;
    const char *at = (const char *)streamer + offset;
    if (bytes == sizeof value) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&low, at, sizeof low);
    return low;
}

static uint32_t read_member(const struct streamer *streamer, const struct reg *reg,
                            uint32_t address)
{
    unsigned half;
    size_t offset = locate(reg, address, &half);
    return (uint32_t)(load(streamer, offset, members[reg->id].bytes) >> 32 * half);
}

static void write_member(struct streamer *streamer, const struct reg *reg, uint32_t address,
                         uint32_t value)
{
    unsigned half;
    size_t offset = locate(reg, address, &half), bytes = members[reg->id].bytes;
    if (reg->id == EXCC)
        value = reg_write_masked((uint16_t)streamer->excc, value);
    uint64_t member = load(streamer, offset, bytes) & ~(UINT64_C(0xffffffff) << 32 * half);
    member |= (uint64_t)value << 32 * half;
    uint32_t low = (uint32_t)member;
    if (bytes == sizeof member)
        memcpy((char *)streamer + offset, &member, sizeof member);
    else
        memcpy((char *)streamer + offset, &low, sizeof low);
}

/* ---- accesses by MMIO ------------------------------------------------------------------------ */

static uint32_t read_register(void *context, const struct reg_request *request)
{
    return read_member(context, request->row->reg, request->address);
}

static void write_register(void *context, const struct reg_request *request, uint32_t value)
{
    write_member(context, request->row->reg, request->address, value & request->row->writable);
}

const struct reg_block cs_registers_block = {
    .map = &cs_registers_map,
    .common = {read_register, write_register},
    .end_id = OWN_REGISTERS,
};

/* ---- accesses by commands -------------------------------------------------------------------- */

#define TIMESTAMP RING_TIMESTAMP /* listed in the OA unit's table */

bool streamer_read(const struct streamer *streamer, const struct streamer_callbacks *callbacks,
                   uint32_t address, uint32_t *out)
{
    if (address == TIMESTAMP || address == TIMESTAMP + 4) {
        uint64_t time = callbacks->timestamp ? callbacks->timestamp(callbacks->closure) : 0;
        *out = (uint32_t)(time >> (address - TIMESTAMP) * 8);
        return true;
    }
    const struct reg *reg = find(streamer, address);
    if (reg)
        *out = read_member(streamer, reg, address);
    return reg;
}

bool streamer_write(struct streamer *streamer, uint32_t address, uint32_t value)
{
    const struct reg *reg = find(streamer, address);
    if (address == TIMESTAMP || address == TIMESTAMP + 4)
        return true; /* read-only */
    if (reg && (reg->access & REG_WRITE))
        write_member(streamer, reg, address,
                     value & reg_mask(reg, revision(streamer), UINT_MAX, REG_WRITE));
    return reg;
}
