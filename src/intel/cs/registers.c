/* SPDX-License-Identifier: MIT */
/* The registers that the streamer itself holds, and its submission ports. */
#include "intel/cs/registers.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "intel/cs/streamer.h"
#include "intel/model.h"

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
    GPR,
    OWN_REGISTERS,
    PORT = OWN_REGISTERS /* of whoever takes submissions */
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

#define RW REG_READ_WRITE
#define RO REG_READ
#define WO REG_WRITE

// clang-format off

static const struct reg_field tail_fields[] = {
    {"TAIL_OFFSET", 3, 20, RW, 0, ALL, NULL, "from the ring's start, in units of 8 bytes"}, {0}};
static const struct reg_field head_fields[] = {
    {"HEAD_OFFSET", 2, 20, RW, 0, ALL, NULL, "from the ring's start, in units of 4 bytes"},
    {"WRAP_COUNT", 21, 31, RW, 0, ALL, NULL, "how often it came around"}, {0}};
static const struct reg_field page_fields[] = {
    {"ADDRESS", 12, 31, RW, 0, ALL, NULL, "of a page in the GGTT"}, {0}};
static const struct reg_field ctl_fields[] = {
    {"RING_ENABLE", 0, 0, RW, 0, ALL, NULL, "its commands are executed"},
    {"REPORT_HEAD", 1, 2, RW, 0, ALL, NULL, "stored"},
    {"PAGES", 12, 20, RW, 0, ALL, NULL, "of the ring, less 1"}, {0}};
static const struct reg_field offset_fields[] = {
    {"OFFSET", 2, 31, RW, 0, ALL, NULL, "of the batch, in units of 4 bytes"}, {0}};
static const struct reg_field result_fields[] = {
    {"RESULT", 0, 0, RW, 0, ALL, NULL, "1: true"}, {0}};
static const struct reg_field load_fields[] = {
    {"LOAD", 0, 0, WO, 0, GEN11_UP, NULL, "submits the list"}, {0}};

#define ONE {{0}}
#define PAIR {{"half", 2, 4}}
#define RING "P11, render ring registers"
#define PREDICATE "P12, predicates"

static const struct reg registers[] = {
    {"RING_TAIL", 0x2030, ONE, ALL, TAIL, RW, 0, 0, tail_fields, "end of what is to be executed", RING},
    {"RING_HEAD", 0x2034, ONE, ALL, HEAD, RW, 0, 0, head_fields, "the next command", RING},
    {"RING_START", 0x2038, ONE, ALL, START, RW, 0, 0, page_fields, "the ring's memory", RING},
    {"RING_CTL", 0x203c, ONE, ALL, CTL, RW, 0, 0, ctl_fields, "the ring's length", RING},
    {"ACTHD_UDW", 0x205c, ONE, GEN8_UP, ACTHD_UDW, RO, 0, 0, NULL, "address of the present command, high", RING},
    {"IPEHR", 0x2068, ONE, ALL, IPEHR, RO, 0, 0, NULL, "the present command's first dword", RING},
    {"ACTHD", 0x2074, ONE, ALL, ACTHD, RO, 0, 0, NULL, "address of the present command", RING},
    {"RING_HWS_PGA", 0x2080, ONE, GEN8_UP, HWS_PGA, RW, 0, 0, page_fields, "hardware status page", RING},
    {"NOPID", 0x2094, ONE, ALL, NOPID, RO, 0, 0, NULL, "id of the latest MI_NOOP that had one", RING},
    {"BB_OFFSET", 0x2158, ONE, GEN75_UP, BB_OFFSET, RW, 0, 0, offset_fields, "for relative batches", RING},
    {"CCID", 0x2180, ONE, ALL, CCID, RW, 0, 0, NULL, "the present logical context", RING},
    {"ELSP", 0x2230, ONE, GEN8_9, PORT, WO, 0, 0, NULL, "element 1 high, low, element 0 high, low; the fourth write submits", "public driver"},
    {"MI_PREDICATE_SRC0", 0x2400, PAIR, GEN7_UP, SOURCE0, RW, 0, 0, NULL, "what is compared", PREDICATE},
    {"MI_PREDICATE_SRC1", 0x2408, PAIR, GEN7_UP, SOURCE1, RW, 0, 0, NULL, "with what", PREDICATE},
    {"MI_PREDICATE_DATA", 0x2410, PAIR, GEN7_UP, DATA, RW, 0, 0, NULL, "by how much SRC0 is to exceed SRC1", PREDICATE},
    {"MI_PREDICATE_RESULT", 0x2418, ONE, GEN7_UP, RESULT, RW, 0, 0, result_fields, "of the comparison", PREDICATE},
    {"MI_PREDICATE_RESULT_1", 0x241c, ONE, GEN75_UP, RESULT_1, RW, 0, 0, result_fields, "of MI_SET_PREDICATE", PREDICATE},
    {"ELSQ", 0x2510, {{"dword", 4, 4}}, GEN11_UP, PORT, WO, 0, 0, NULL, "element 0 low, high, element 1 low, high", "public driver"},
    {"ELSQ_CONTROL", 0x2550, ONE, GEN11_UP, PORT, WO, 0, 0, load_fields, "submits what is in ELSQ", "public driver"},
    {"CS_GPR", 0x2600, {{"i", STREAMER_GPRS, 8}, {"half", 2, 4}}, GEN75_UP, GPR, RW, 0, 0, NULL, "for MI_MATH", "P13, CS_GPR"},
    {"RING_HWS_PGA", 0x4080, ONE, ALL & ~GEN8_UP, HWS_PGA, RW, 0, 0, page_fields, "hardware status page", RING},
};

// clang-format on

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
    [GPR] = MEMBER(gpr[0]),
};

/* The revision of the table that speaks for a version. */
static uint32_t revision(const struct streamer *streamer)
{
    static const struct {
        uint8_t version;
        uint32_t revision;
    } rows[] = {{110, BIT(ICL)}, {90, BIT(SKL)}, {80, BIT(BDW)}, {75, BIT(HSW)}, {70, BIT(IVB)}};
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (streamer->version >= rows[i].version)
            return rows[i].revision;
    return BIT(SNB);
}

/* A walk of the table for each dword, once: commands reach registers all the time. */
void cs_registers_init(struct streamer *streamer)
{
    struct reg_place place;
    for (uint32_t at = 0; at < STREAMER_OWN; at += 4)
        if (reg_find(&cs_registers_map, revision(streamer), UINT_MAX, STREAMER_BASE + at, REG_READ,
                     &place) &&
            place.reg->id < OWN_REGISTERS)
            streamer->own[at / 4] = (uint8_t)(place.reg - registers + 1);
}

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

/* Where a register's value starts; which half of it: members of 64 bits are two dwords. */
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

#define TIMESTAMP 0x2358u /* the OA unit's table has it */

bool streamer_read(const struct streamer *streamer, const struct streamer_world *world,
                   uint32_t address, uint32_t *out)
{
    unsigned half;
    if (address == TIMESTAMP || address == TIMESTAMP + 4) {
        uint64_t time = world->timestamp ? world->timestamp(world->closure) : 0;
        *out = (uint32_t)(time >> (address - TIMESTAMP) * 8);
        return true;
    }
    const struct reg *reg = find(streamer, address);
    if (!reg)
        return false;
    size_t offset = locate(reg, address, &half);
    *out = (uint32_t)(load(streamer, offset, members[reg->id].bytes) >> 32 * half);
    return true;
}

bool streamer_write(struct streamer *streamer, uint32_t address, uint32_t value)
{
    unsigned half;
    const struct reg *reg = find(streamer, address);
    if (address == TIMESTAMP || address == TIMESTAMP + 4)
        return true; /* read-only */
    if (!reg)
        return false;
    if (!(reg->access & REG_WRITE))
        return true;
    value &= reg_mask(reg, revision(streamer), UINT_MAX, REG_WRITE);
    size_t offset = locate(reg, address, &half), bytes = members[reg->id].bytes;
    uint64_t whole = load(streamer, offset, bytes) & ~(UINT64_C(0xffffffff) << 32 * half);
    whole |= (uint64_t)value << 32 * half;
    uint32_t low = (uint32_t)whole;
    if (bytes == sizeof whole)
        memcpy((char *)streamer + offset, &whole, sizeof whole);
    else
        memcpy((char *)streamer + offset, &low, sizeof low);
    return true;
}
