/* SPDX-License-Identifier: MIT */
/* The reference's memory, and the registers of an engine relative to its base. */
#include "intel/cs_reference.h"

/* ---- memory ---------------------------------------------------------------------------------- */

uint64_t reference_reach(const struct cs_reference *r)
{
    return r->version >= 80 ? UINT64_C(0xffffffffffff) : UINT64_C(0xffffffff);
}

uint32_t reference_ring_size(const struct cs_reference *r)
{
    return (r->ring_ctl >> 12 & 0x1ff) * 0x1000 + 0x1000;
}

uint32_t reference_ring_offset(const struct cs_reference *r)
{
    return (r->ring_head & 0x1ffffc) % reference_ring_size(r);
}

uint64_t reference_address(const struct cs_reference *r, uint32_t n)
{
    if (r->level == 0) /* the GGTT has 32 bits */
        return r->ring_start + (reference_ring_offset(r) + 4 * n) % reference_ring_size(r);
    return (r->at.address + UINT64_C(4) * n) & reference_reach(r);
}

uint32_t *reference_find(struct cs_reference *r, uint32_t space, uint64_t address)
{
    address &= reference_reach(r) & ~UINT64_C(3);
    if (space < MACHINE_SPACES && address < MACHINE_BYTES)
        return &r->machine.memory[space][address / 4];
    r->fault_space = space;
    r->fault_target = address;
    reference_stop(r, STREAMER_UNMAPPED, r->dword[0]);
    return NULL;
}

bool reference_put(struct cs_reference *r, uint32_t space, uint64_t address, uint32_t value)
{
    uint32_t *dword = reference_find(r, space, address);
    if (!dword)
        return false;
    *dword = value;
    machine_log(&r->machine, "%u:%" PRIx64 "=%x", space,
                address & reference_reach(r) & ~UINT64_C(3), value);
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

#define AT(member)   offsetof(struct cs_reference, member)
#define RENDER(a, b) (a), (b)
#define OTHERS(a, b) (a), (b)
#define NEVER        1, 0

enum access { PLAIN, MASKED, FIXED }; /* FIXED: read-only */

/* Offset and bytes, versions on which the render engine and the others have it, what it shows and
 * how many bytes of that a register has, the bits that can be written. */
// clang-format off
static const struct own {
    uint32_t offset, bytes;
    unsigned render_first, render_last, others_first, others_last;
    size_t at, size;
    enum access access;
    uint32_t writable;
} owns[] = {
    {0x028,   4, RENDER(60,  75), NEVER,           AT(excc),        4, MASKED, 0x1f},
    {0x030,   4, RENDER(60, 120), OTHERS(60, 120), AT(ring_tail),   4, PLAIN,  0x001ffff8},
    {0x034,   4, RENDER(60, 120), OTHERS(60, 120), AT(ring_head),   4, PLAIN,  0xfffffffc},
    {0x038,   4, RENDER(60, 120), OTHERS(60, 120), AT(ring_start),  4, PLAIN,  0xfffff000},
    {0x03c,   4, RENDER(60, 120), OTHERS(60, 120), AT(ring_ctl),    4, PLAIN,  0x001ff007},
    {0x040,   4, RENDER(60,  75), OTHERS(60,  75), AT(mailbox[0]),  4, PLAIN,  UINT32_MAX},
    {0x044,   4, RENDER(60,  75), OTHERS(60,  75), AT(mailbox[2]),  4, PLAIN,  UINT32_MAX},
    {0x048,   4, RENDER(75,  75), OTHERS(75,  75), AT(mailbox[1]),  4, PLAIN,  UINT32_MAX},
    {0x068,   4, RENDER(60, 120), OTHERS(60, 120), AT(ipehr),       4, FIXED,  0},
    {0x080,   4, RENDER(80, 120), OTHERS(80, 120), AT(status_page), 4, PLAIN,  0xfffff000},
    {0x094,   4, RENDER(60, 120), OTHERS(60, 120), AT(nopid),       4, FIXED,  0},
    {0x09c,   4, RENDER(120, 120), OTHERS(120, 120), AT(mi_mode),   4, MASKED, 0x1100},
    {0x158,   4, RENDER(75, 120), OTHERS(80, 120), AT(bb_offset),   4, PLAIN,  0xfffffffc},
    {0x180,   4, RENDER(60, 120), OTHERS(80, 120), AT(ccid),        4, PLAIN,  UINT32_MAX},
    {0x214,   4, RENDER(75,  75), NEVER,           AT(result_2),    4, PLAIN,  1},
    {0x3bc,   4, RENDER(80, 120), OTHERS(110, 120), AT(result_2),   4, PLAIN,  1},
    {0x400,  16, RENDER(70, 120), OTHERS(110, 120), AT(source),     8, PLAIN,  UINT32_MAX},
    {0x410,   8, RENDER(70, 120), OTHERS(110, 120), AT(difference), 8, PLAIN,  UINT32_MAX},
    {0x418,   4, RENDER(70, 120), OTHERS(110, 120), AT(result),     4, PLAIN,  1},
    {0x41c,   4, RENDER(75, 120), OTHERS(110, 120), AT(result_1),   4, PLAIN,  1},
    {0x600, 128, RENDER(75, 120), OTHERS(80, 120), AT(gpr),         8, PLAIN,  UINT32_MAX},
    {0x2080,  4, RENDER(60,  75), OTHERS(60,  60), AT(status_page), 4, PLAIN,  0xfffff000},
};
// clang-format on

static const struct own *own_at(const struct cs_reference *r, uint32_t offset)
{
    for (size_t i = 0; i < COUNT(owns); i++) {
        bool render = r->kind == REFERENCE_RCS;
        unsigned first = render ? owns[i].render_first : owns[i].others_first;
        unsigned last = render ? owns[i].render_last : owns[i].others_last;
        if (offset >= owns[i].offset && offset < owns[i].offset + owns[i].bytes &&
            r->version >= first && r->version <= last)
            return &owns[i];
    }
    return NULL;
}

/* The dword that a register shows, in host order within a qword. */
static uint32_t load(const struct cs_reference *r, const struct own *own, uint32_t offset)
{
    const char *at = (const char *)r + own->at;
    uint64_t wide;
    uint32_t narrow;
    if (own->size == 4) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at + (offset - own->offset) / 8 * 8, sizeof wide);
    return (uint32_t)(wide >> (offset & 4 ? 32 : 0));
}

static void store(struct cs_reference *r, const struct own *own, uint32_t offset, uint32_t value)
{
    char *at = (char *)r + own->at;
    uint64_t wide, half = UINT64_C(0xffffffff) << (offset & 4 ? 32 : 0);
    if (own->size == 4) {
        memcpy(at, &value, sizeof value);
        return;
    }
    at += (offset - own->offset) / 8 * 8;
    memcpy(&wide, at, sizeof wide);
    wide = (wide & ~half) | ((uint64_t)value << (offset & 4 ? 32 : 0));
    memcpy(at, &wide, sizeof wide);
}

/* The times and addresses of two registers, low and high, which are read-only. */
static bool get_fixed(const struct cs_reference *r, uint32_t offset, uint32_t *out)
{
    if (offset == 0x358 || offset == 0x35c)
        *out = (uint32_t)(r->machine.timestamp >> (offset == 0x35c ? 32 : 0));
    else if (offset == 0x074)
        *out = (uint32_t)r->acthd;
    else if (offset == 0x05c && r->version >= 80)
        *out = (uint32_t)(r->acthd >> 32);
    else
        return false;
    return true;
}

uint32_t reference_get(struct cs_reference *r, uint32_t address)
{
    const struct own *own = own_at(r, address - r->base);
    uint32_t value;
    if (own)
        value = load(r, own, address - r->base);
    else if (!get_fixed(r, address - r->base, &value))
        return r->machine.callbacks.mmio_read(&r->machine, address);
    r->machine.callbacks.accessed(&r->machine, false, address, value, false);
    return value;
}

void reference_set(struct cs_reference *r, uint32_t address, uint32_t value)
{
    uint32_t offset = address - r->base, ignored;
    const struct own *own = own_at(r, offset);
    bool fixed = get_fixed(r, offset, &ignored) || (own && own->access == FIXED);
    bool open = (offset >= 0x600 && offset < 0x680) || (offset >= 0x400 && offset < 0x420) ||
                offset == 0x340;
    if (!r->at.privileged && !open) {
        r->illegal_writes++;
        r->machine.callbacks.accessed(&r->machine, true, address, value, true);
        return;
    }
    if (!own && !fixed) {
        r->machine.callbacks.mmio_write(&r->machine, address, value);
        return;
    }
    r->machine.callbacks.accessed(&r->machine, true, address, value, false);
    if (fixed)
        return;
    if (own->access == MASKED) /* bits 31:16 are write enables */
        value = (load(r, own, offset) & ~(value >> 16)) | (value & value >> 16);
    store(r, own, offset, value & own->writable);
}
