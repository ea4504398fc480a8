/* SPDX-License-Identifier: MIT */
/* The registers that the streamer itself holds. */
#include "intel/cs/streamer.h"

#include "base/bits.h"

struct own_register {
    const char *name;
    uint32_t address;
    uint8_t first, last; /* versions */
    uint8_t dwords;
    uint32_t writable;
    size_t member; /* offset in struct streamer */
};

#define MEMBER(name) offsetof(struct streamer, name)

// clang-format off
/* [P11] render ring registers, [P12] predicates, [P13] CS_GPR; HWS_PGA moved with BDW. */
static const struct own_register registers[] = {
  { "RING_TAIL",            0x2030, CS_FIRST, CS_LAST, 1, 0x001ffff8, MEMBER(ring_tail) },
  { "RING_HEAD",            0x2034, CS_FIRST, CS_LAST, 1, 0xfffffffc, MEMBER(ring_head) },
  { "RING_START",           0x2038, CS_FIRST, CS_LAST, 1, 0xfffff000, MEMBER(ring_start) },
  { "RING_CTL",             0x203c, CS_FIRST, CS_LAST, 1, 0x001ff007, MEMBER(ring_ctl) },
  { "IPEHR",                0x2068, CS_FIRST, CS_LAST, 1, 0,          MEMBER(ipehr) },
  { "ACTHD",                0x2074, CS_FIRST, CS_LAST, 1, 0,          MEMBER(acthd) },
  { "NOPID",                0x2094, CS_FIRST, CS_LAST, 1, 0,          MEMBER(nopid) },
  { "RING_HWS_PGA",         0x4080, 60, 75,            1, 0xfffff000, MEMBER(hws_pga) },
  { "RING_HWS_PGA",         0x2080, 80, CS_LAST,       1, 0xfffff000, MEMBER(hws_pga) },
  { "BB_OFFSET",            0x2158, 75, CS_LAST,       1, 0xfffffffc, MEMBER(bb_offset) },
  { "CCID",                 0x2180, CS_FIRST, CS_LAST, 1, 0xffffffff, MEMBER(ccid) },
  { "MI_PREDICATE_SRC0",    0x2400, 70, CS_LAST,       2, 0xffffffff, MEMBER(predicate_source[0]) },
  { "MI_PREDICATE_SRC1",    0x2408, 70, CS_LAST,       2, 0xffffffff, MEMBER(predicate_source[1]) },
  { "MI_PREDICATE_DATA",    0x2410, 70, CS_LAST,       2, 0xffffffff, MEMBER(predicate_data) },
  { "MI_PREDICATE_RESULT",  0x2418, 70, CS_LAST,       1, 0x00000001, MEMBER(predicate_result) },
  { "MI_PREDICATE_RESULT_1", 0x241c, 75, CS_LAST,      1, 0x00000001, MEMBER(predicate_result_1) },
  { "CS_GPR",               0x2600, 75, CS_LAST,       2 * STREAMER_GPRS, 0xffffffff, MEMBER(gpr) },
};
// clang-format on

#define TIMESTAMP 0x2358u
#define ACTHD_UDW 0x205cu

static const struct own_register *find(unsigned version, uint32_t address)
{
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++) {
        const struct own_register *r = &registers[i];
        if (address >= r->address && address < r->address + 4u * r->dwords && version >= r->first &&
            version <= r->last)
            return r;
    }
    return NULL;
}

/* Dword n of a member: members of 64 bits are two dwords, the low one first. */
static uint32_t get(const struct streamer *streamer, const struct own_register *r, uint32_t n)
{
    const char *at = (const char *)streamer + r->member;
    if (r->dwords == 1 && r->member != MEMBER(acthd)) {
        uint32_t value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    uint64_t value;
    memcpy(&value, at + n / 2 * sizeof value, sizeof value);
    return (uint32_t)(value >> n % 2 * 32);
}

static void set(struct streamer *streamer, const struct own_register *r, uint32_t n, uint32_t bits)
{
    char *at = (char *)streamer + r->member;
    if (r->dwords == 1) {
        memcpy(at, &bits, sizeof bits);
        return;
    }
    uint64_t value;
    at += n / 2 * sizeof value;
    memcpy(&value, at, sizeof value);
    unsigned shift = n % 2 * 32;
    value = (value & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)bits << shift;
    memcpy(at, &value, sizeof value);
}

bool streamer_read(const struct streamer *streamer, const struct streamer_world *world,
                   uint32_t address, uint32_t *out)
{
    const struct own_register *r = find(streamer->version, address);
    if (address == TIMESTAMP || address == TIMESTAMP + 4) {
        uint64_t time = world->timestamp ? world->timestamp(world->closure) : 0;
        *out = (uint32_t)(time >> (address - TIMESTAMP) * 8);
        return true;
    }
    if (address == ACTHD_UDW && streamer->version >= 80) {
        *out = (uint32_t)(streamer->acthd >> 32);
        return true;
    }
    if (!r || address % 4)
        return false;
    *out = get(streamer, r, (address - r->address) / 4);
    return true;
}

bool streamer_write(struct streamer *streamer, uint32_t address, uint32_t value)
{
    const struct own_register *r = find(streamer->version, address);
    if (address == TIMESTAMP || address == TIMESTAMP + 4 ||
        (address == ACTHD_UDW && streamer->version >= 80))
        return true; /* read-only */
    if (!r || address % 4)
        return false;
    if (r->writable)
        set(streamer, r, (address - r->address) / 4, value & r->writable);
    return true;
}
