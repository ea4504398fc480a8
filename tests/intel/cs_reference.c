/* SPDX-License-Identifier: MIT */
#include "intel/cs_reference.h"

enum outcome { DONE, WAIT, STOP };

static uint32_t bits(uint32_t dword, unsigned low, unsigned high)
{
    return (uint32_t)(dword >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

static bool bit(uint32_t dword, unsigned n)
{
    return dword >> n & 1;
}

static enum outcome stop(struct cs_reference *r, enum streamer_fault fault)
{
    r->fault = fault;
    r->fault_address = r->at.address;
    return STOP;
}

/* ---- memory and registers -------------------------------------------------------------------- */

static uint64_t reach(const struct cs_reference *r)
{
    return r->version >= 80 ? UINT64_C(0xffffffffffff) : UINT64_C(0xffffffff);
}

static uint32_t *find(struct cs_reference *r, uint32_t space, uint64_t address)
{
    address &= reach(r) & ~UINT64_C(3);
    if (space < MACHINE_SPACES && address < MACHINE_BYTES)
        return &r->machine.memory[space][address / 4];
    stop(r, STREAMER_UNMAPPED);
    return NULL;
}

static bool put(struct cs_reference *r, uint32_t space, uint64_t address, uint32_t value)
{
    uint32_t *dword = find(r, space, address);
    if (!dword)
        return false;
    *dword = value;
    machine_log(&r->machine, "%u:%" PRIx64 "=%x", space, address & reach(r) & ~UINT64_C(3), value);
    return true;
}

/* The streamer's registers by address; NULL: another unit's. `half`: upper half of 64 bits. */
static void *own(struct cs_reference *r, uint32_t address, bool *wide)
{
    unsigned v = r->version;
    *wide = true;
    if (v >= 75 && address >= 0x2600 && address < 0x2680)
        return &r->gpr[(address - 0x2600) / 8];
    if (v >= 70 && address >= 0x2400 && address < 0x2410)
        return &r->source[(address - 0x2400) / 8];
    if (v >= 70 && address >= 0x2410 && address < 0x2418)
        return &r->difference;
    *wide = false;
    if (v >= 70 && address == 0x2418)
        return &r->result;
    if (v >= 75 && address == 0x241c)
        return &r->result_1;
    if (address == (v == 75 ? 0x2214 : 0x23bc) && v >= 75)
        return &r->result_2;
    if (v <= 75 && address == 0x2028)
        return &r->excc;
    if (v <= 75 && (address == 0x2040 || address == 0x2044))
        return &r->mailbox[address == 0x2040 ? 0 : 2];
    if (v == 75 && address == 0x2048)
        return &r->mailbox[1];
    if (v >= 75 && address == 0x2158)
        return &r->bb_offset;
    if (address == (v >= 80 ? 0x2080 : 0x4080))
        return &r->status_page;
    return address == 0x2094 ? &r->nopid : address == 0x2068 ? &r->ipehr : NULL;
}

static uint32_t get_register(struct cs_reference *r, uint32_t address)
{
    bool wide;
    const void *value = own(r, address, &wide);
    if (address == 0x2358 || address == 0x235c)
        return (uint32_t)(r->machine.timestamp >> (address == 0x235c ? 32 : 0));
    if (address == 0x2074)
        return (uint32_t)r->acthd;
    if (value && wide)
        return (uint32_t)(*(const uint64_t *)value >> (address & 4 ? 32 : 0));
    return value ? *(const uint32_t *)value : r->machine.callbacks.mmio_read(&r->machine, address);
}

static bool is_open(const struct cs_reference *r, uint32_t address)
{
    return r->at.privileged || (address >= 0x2600 && address < 0x2680) ||
           (address >= 0x2400 && address < 0x2420) || address == 0x2340;
}

static void set_register(struct cs_reference *r, uint32_t address, uint32_t value)
{
    bool wide, fixed = address == 0x2358 || address == 0x235c || address == 0x2074 ||
                       address == 0x2094 || address == 0x2068;
    void *to = own(r, address, &wide);
    if (!is_open(r, address) || fixed)
        return;
    if (!to) {
        r->machine.callbacks.mmio_write(&r->machine, address, value);
    } else if (wide) {
        uint64_t *at = to, half = UINT64_C(0xffffffff) << (address & 4 ? 32 : 0);
        *at = (*at & ~half) | ((uint64_t)value << (address & 4 ? 32 : 0));
    } else if (to == &r->excc) {
        r->excc = ((r->excc & ~(value >> 16)) | (value & value >> 16)) & 0x1f;
    } else {
        uint32_t mask = to == &r->result || to == &r->result_1 || to == &r->result_2 ? 1
                        : to == &r->bb_offset                                        ? 0xfffffffc
                        : to == &r->status_page                                      ? 0xfffff000
                                                                                     : UINT32_MAX;
        *(uint32_t *)to = value & mask;
    }
}

static bool busy(const struct cs_reference *r)
{
    return r->machine.clocks < r->machine.busy_until;
}

/* An address in dwords n and, from Gen8 on, n + 1. */
static uint64_t address_at(const struct cs_reference *r, unsigned n, unsigned low)
{
    uint64_t address = r->dword[n];
    if (r->version >= 80)
        address |= (uint64_t)(r->dword[n + 1] & 0xffff) << 32;
    return address >> low << low;
}

static uint32_t space_by(const struct cs_reference *r, bool ggtt)
{
    return ggtt ? 0 : r->ppgtt;
}

static uint32_t offset_at(const struct cs_reference *r, unsigned n, unsigned flag)
{
    return (r->dword[n] & 0x7ffffc) + (r->version >= 110 && bit(r->dword[0], flag) ? 0x2000 : 0);
}

/* ---- batches --------------------------------------------------------------------------------- */

static enum outcome batch_start(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    bool ppgtt = bit(d, 8), hsw = r->version >= 75;
    if (hsw && bit(d, 15) && !(r->result_1 & 1))
        return DONE;
    struct reference_place to = {
        .address = (address_at(r, 1, 2) + (hsw && bit(d, 16) ? r->bb_offset : 0)) & reach(r),
        .space = space_by(r, !ppgtt),
        .privileged = r->at.privileged && !(r->version == 75 ? bit(d, 13) : ppgtt),
    };
    r->place[r->level].address = (r->at.address + 4 * r->length) & reach(r);
    r->jumped = true;
    r->level = hsw && bit(d, 22) ? 2 : 1;
    r->place[r->level] = to;
    return DONE;
}

static enum outcome batch_end(struct cs_reference *r)
{
    r->jumped = true;
    r->level--;
    return DONE;
}

static bool compares(unsigned operation, uint32_t memory, uint32_t data)
{
    const bool holds[] = {memory > data,  memory >= data, memory < data,
                          memory <= data, memory == data, memory != data};
    return holds[operation];
}

static enum outcome conditional_end(struct cs_reference *r)
{
    uint32_t d = r->dword[0], *memory;
    uint64_t address = address_at(r, 2, 3);
    unsigned operation = r->version >= 120 ? bits(d, 12, 14) : 0;
    if (!bit(d, 21))
        return DONE;
    if (operation > 5)
        return stop(r, STREAMER_RESERVED);
    if (!(memory = find(r, space_by(r, bit(d, 22)), address)))
        return STOP;
    uint32_t value = *memory;
    if (r->version >= 90 && bit(d, 19)) {
        if (!(memory = find(r, space_by(r, bit(d, 22)), address + 4)))
            return STOP;
        value &= *memory;
    }
    if (compares(operation, value, r->dword[1]))
        return DONE;
    if (r->version < 120 || !bit(d, 18))
        r->level = 1;
    return batch_end(r);
}

/* ---- registers and memory -------------------------------------------------------------------- */

static enum outcome load_immediate(struct cs_reference *r)
{
    unsigned off = bits(r->dword[0], 8, 11);
    for (unsigned i = 1; i + 1 < r->length; i += 2) {
        uint32_t address = offset_at(r, i, 19), value = 0, old = 0;
        if (off == 15)
            continue;
        if (off)
            old = get_register(r, address);
        for (unsigned byte = 0; byte < 4; byte++)
            value |= (off >> byte & 1 ? old : r->dword[i + 1]) & 0xffu << 8 * byte;
        set_register(r, address, value);
    }
    return DONE;
}

static enum outcome store_register(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    if (r->version >= 75 && bit(d, 21) && !(r->result & 1))
        return DONE;
    uint32_t value = get_register(r, offset_at(r, 1, 19));
    if (bit(d, 22) && !r->at.privileged)
        return DONE;
    return put(r, space_by(r, bit(d, 22)), address_at(r, 2, 2), value) ? DONE : STOP;
}

static enum outcome load_memory(struct cs_reference *r)
{
    const uint32_t *memory = find(r, space_by(r, bit(r->dword[0], 22)), address_at(r, 2, 2));
    if (!memory)
        return STOP;
    set_register(r, offset_at(r, 1, 19), *memory);
    return DONE;
}

static enum outcome load_register(struct cs_reference *r)
{
    set_register(r, offset_at(r, 2, 19), get_register(r, offset_at(r, 1, 18)));
    return DONE;
}

static enum outcome store_data(struct cs_reference *r, bool ggtt)
{
    uint64_t to = r->version >= 80 ? address_at(r, 1, 2) : r->dword[2] & ~3u;
    for (unsigned i = 3; i < r->length; i++, to += 4)
        if (!put(r, space_by(r, ggtt), to, r->dword[i]))
            return STOP;
    return DONE;
}

static uint64_t in_status_page(const struct cs_reference *r, uint64_t offset)
{
    return (r->status_page & 0xfffff000) + (offset & 0xffc);
}

static enum outcome store_index(struct cs_reference *r)
{
    for (unsigned i = 2; i < r->length; i++)
        if (!put(r, 0, in_status_page(r, r->dword[1]) + 4 * (i - 2), r->dword[i]))
            return STOP;
    return DONE;
}

static enum outcome copy(struct cs_reference *r)
{
    const uint32_t *from = find(r, space_by(r, bit(r->dword[0], 22)), address_at(r, 3, 2));
    return from && put(r, space_by(r, bit(r->dword[0], 21)), address_at(r, 1, 2), *from) ? DONE
                                                                                         : STOP;
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* One of the numbered operations on 32 or 64 bits. */
static uint64_t operate(unsigned number, unsigned width, uint64_t m, uint64_t a, uint64_t b)
{
    uint64_t all = width == 32 ? UINT32_MAX : UINT64_MAX, sign = all / 2 + 1;
    bool greater = (m ^ sign) > (a ^ sign); /* signed, by moving the range */
    const uint64_t results[16] = {0,
                                  m & a,
                                  m | a,
                                  m ^ a,
                                  a,
                                  m + 1,
                                  m - 1,
                                  m + a,
                                  m - a,
                                  a - m,
                                  greater ? m : a,
                                  greater ? a : m,
                                  m > a ? m : a,
                                  m > a ? a : m,
                                  m == a ? b : m,
                                  m - 1};
    return results[number] & all;
}

static enum outcome atomic(struct cs_reference *r)
{
    uint32_t d = r->dword[0], a[4] = {0}, b[4] = {0}, *at[4];
    unsigned number = bits(d, 8, 12), kind = bits(d, 13, 15), size = bits(d, 19, 20);
    bool after = r->version >= 120 && bit(d, 21), inlined = bit(d, 18), returned = bit(d, 16);
    unsigned count = 1u << size;
    if (number < 1 || number > 15 || kind > 2 || kind != size || (size == 2 && number != 14))
        return stop(r, STREAMER_RESERVED);
    if (after && (!inlined || returned || size == 2 || (number == 14 && size)))
        return stop(r, STREAMER_RESERVED);
    if (after && busy(r))
        return WAIT;
    for (unsigned i = 0; i < count; i++) {
        unsigned n = 3 + 2 * i;
        a[i] = inlined ? n < r->length ? r->dword[n] : 0 : (uint32_t)(r->gpr[i / 2] >> i % 2 * 32);
        b[i] = inlined ? n + 1 < r->length ? r->dword[n + 1] : 0
                       : (uint32_t)(r->gpr[2 + i / 2] >> i % 2 * 32);
    }
    if (after && size == 1) {
        a[0] = r->length > 3 ? r->dword[3] : 0;
        a[1] = r->length > 4 ? r->dword[4] : 0;
    }
    for (unsigned i = 0; i < count; i++)
        if (!(at[i] = find(r, space_by(r, bit(d, 22)), address_at(r, 1, 2) + 4 * i)))
            return STOP;
    uint32_t old[4] = {0}, new[4] = {0};
    for (unsigned i = 0; i < count; i++)
        old[i] = *at[i];
    if (size == 2) {
        memcpy(new, memcmp(old, a, sizeof a) ? old : b, sizeof new);
    } else {
        uint64_t result = operate(number, 32 * count, old[0] | (uint64_t)old[1] << 32,
                                  a[0] | (uint64_t)a[1] << 32, b[0] | (uint64_t)b[1] << 32);
        new[0] = (uint32_t)result;
        new[1] = (uint32_t)(result >> 32);
    }
    for (unsigned i = 0; i < count; i++)
        put(r, space_by(r, bit(d, 22)), address_at(r, 1, 2) + 4 * i, new[i]);
    const uint32_t *back = number == 15 ? new : old;
    for (unsigned i = 0; returned && i < count; i += 2)
        r->gpr[4 + i / 2] = back[i] | (uint64_t)back[i + 1] << 32;
    return DONE;
}

/* ---- arithmetic and predicates --------------------------------------------------------------- */

static enum outcome math(struct cs_reference *r)
{
    uint64_t in[2] = {0, 0}, out = 0;
    bool zero = false, carry = false, valid = true;
    for (unsigned i = 1; i < r->length && valid; i++) {
        unsigned op = bits(r->dword[i], 20, 31), x = bits(r->dword[i], 10, 19),
                 y = bits(r->dword[i], 0, 9);
        if (op == 0x080 || op == 0x480 || op == 0x081 || op == 0x481) {
            bool constant = op & 1;
            valid = (x == 0x20 || x == 0x21) && (constant || y < 16);
            if (valid)
                in[x & 1] = (constant ? 0 : r->gpr[y]) ^ (op & 0x400 ? UINT64_MAX : 0);
        } else if (op >= 0x100 && op <= 0x104) {
            out = op == 0x100   ? in[0] + in[1]
                  : op == 0x101 ? in[0] - in[1]
                  : op == 0x102 ? in[0] & in[1]
                  : op == 0x103 ? in[0] | in[1]
                                : in[0] ^ in[1];
            carry = op == 0x100 ? out < in[1] : op == 0x101 && in[1] > in[0];
            zero = out == 0;
        } else if (op == 0x180 || op == 0x580) {
            valid = x < 16 && (y == 0x31 || y == 0x32 || y == 0x33);
            uint64_t value = y == 0x31 ? out : (y == 0x32 ? zero : carry) ? UINT64_MAX : 0;
            if (valid)
                r->gpr[x] = op == 0x580 ? ~value : value;
        } else {
            valid = op == 0;
        }
        if (!valid)
            r->at.address = (r->at.address + 4 * i) & reach(r);
    }
    return valid ? DONE : stop(r, STREAMER_RESERVED);
}

static enum outcome predicate(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    const bool compared[4] = {true, false, r->source[0] == r->source[1],
                              r->source[0] - r->source[1] == r->difference};
    bool now = compared[bits(d, 0, 1)], old = r->result & 1;
    const bool combined[4] = {now, now && old, now || old, now != old};
    bool all = combined[bits(d, 3, 4)];
    if (bits(d, 6, 7) == 1)
        return stop(r, STREAMER_RESERVED);
    if (bits(d, 6, 7))
        r->result = bit(d, 6) ? !all : all;
    return DONE;
}

static enum outcome set_predicate(struct cs_reference *r)
{
    unsigned v = r->version, mode = bits(r->dword[0], 0, v == 75 ? 1 : 3);
    bool two = r->result_2 & 1, one = r->result & 1;
    if (mode > 2 && v == 75)
        return stop(r, STREAMER_RESERVED);
    if (mode <= 4 || mode == 15)
        r->noop = (mode == 1 && !two) || (mode == 2 && two) || (mode == 3 && !one) ||
                  (mode == 4 && one) || mode == 15;
    else if (v <= 100 && mode <= 7)
        r->noop = r->slices != mode - 4;
    else if (v == 110 && (mode == 11 || mode == 12))
        r->noop = mode == 11;
    else
        return stop(r, STREAMER_RESERVED);
    return DONE;
}

/* ---- waits ----------------------------------------------------------------------------------- */

static enum outcome semaphore_wait(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    uint64_t address = address_at(r, 2, 2);
    if (bits(d, 12, 14) > 5)
        return stop(r, STREAMER_RESERVED);
    uint32_t value;
    if (r->version >= 90 && bit(d, 16)) {
        value = get_register(r, (uint32_t)address & 0x7ffffc);
    } else {
        const uint32_t *memory = find(r, space_by(r, bit(d, 22)), address);
        if (!memory)
            return STOP;
        value = *memory;
    }
    return compares(bits(d, 12, 14), value, r->dword[1]) ? DONE : WAIT;
}

static enum outcome mailbox(struct cs_reference *r)
{
    uint32_t d = r->dword[0], value;
    bool hsw = r->version == 75, by_register = hsw || bit(d, 18);
    unsigned select = bits(d, 16, 17);
    if (!hsw && bit(d, 21) && bit(d, 18))
        set_register(r, r->dword[2] & 0x7ffffc, r->dword[1]);
    else if (!hsw && bit(d, 21) && !put(r, space_by(r, bit(d, 22)), r->dword[2], r->dword[1]))
        return STOP;
    if (!hsw && !bit(d, 20))
        return DONE;
    if (by_register) {
        if (select == 3 || (select == 1 && !hsw))
            return stop(r, STREAMER_RESERVED);
        value = r->mailbox[select];
    } else {
        const uint32_t *memory = find(r, space_by(r, bit(d, 22)), r->dword[2]);
        if (!memory)
            return STOP;
        value = *memory;
    }
    return value > r->dword[1] ? DONE : WAIT;
}

static enum outcome wait_for_event(struct cs_reference *r)
{
    unsigned code = r->version <= 75 ? bits(r->dword[0], 16, 19) : 0;
    if (code > 5)
        return stop(r, STREAMER_RESERVED);
    return code && bit(r->excc, code - 1) ? WAIT : DONE;
}

static enum outcome set_context(struct cs_reference *r)
{
    uint32_t address = r->dword[1] & 0xfffff000;
    if (r->ccid == (address | 1) && !bit(r->dword[1], 1))
        return DONE;
    if (busy(r))
        return WAIT;
    r->ccid = address | 1;
    return DONE;
}

/* ---- flushes and work ------------------------------------------------------------------------ */

/* What a flush writes behind the work. `n`: dword of the data. */
static bool post_sync(struct cs_reference *r, unsigned operation, bool indexed, bool ggtt,
                      uint64_t to, unsigned n)
{
    uint32_t value[2] = {0, 0};
    unsigned count = 2;
    if (operation == 1) {
        count = r->length - n >= 2 ? 2 : 1;
        value[0] = n < r->length ? r->dword[n] : 0;
        value[1] = n + 1 < r->length ? r->dword[n + 1] : 0;
    } else {
        value[0] = get_register(r, operation == 3 ? 0x2358 : 0x2350);
        value[1] = get_register(r, operation == 3 ? 0x235c : 0x2354);
    }
    if ((indexed || ggtt) && !r->at.privileged)
        return true;
    if (indexed)
        to = in_status_page(r, to);
    for (unsigned i = 0; i < count; i++)
        if (!put(r, indexed ? 0 : space_by(r, ggtt), to + 4 * i, value[i]))
            return false;
    return true;
}

static enum outcome flush_dw(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    unsigned operation = bits(d, 14, 15);
    if (operation == 2)
        return stop(r, STREAMER_RESERVED);
    if (busy(r))
        return WAIT;
    if (operation && !post_sync(r, operation, bit(d, 21), bit(r->dword[1], 2), address_at(r, 1, 3),
                                r->version >= 80 ? 3 : 2))
        return STOP;
    if (bit(d, 8))
        machine_log(&r->machine, "notify");
    return DONE;
}

static enum outcome pipe_control(struct cs_reference *r)
{
    uint32_t d = r->dword[1];
    unsigned operation = bits(d, 14, 15), data = r->version >= 80 ? 4 : 3;
    bool to_register = r->version >= 70 && bit(d, 23);
    bool ggtt = r->version == 60 ? bit(r->dword[2], 2) : bit(d, 24);
    uint64_t address = address_at(r, 2, r->version == 60 ? 3 : 2);
    if ((operation || to_register || bit(d, 8) || bit(d, 20)) && busy(r))
        return WAIT;
    if (to_register)
        set_register(r, (uint32_t)address & 0x7ffffc, r->dword[data]);
    else if (operation && !post_sync(r, operation, bit(d, 21), ggtt, address, data))
        return STOP;
    if (bit(d, 8))
        machine_log(&r->machine, "notify");
    return DONE;
}

static enum outcome primitive(struct cs_reference *r)
{
    if (r->version >= 70 && bit(r->dword[0], 8) && !(r->result & 1))
        return DONE;
    r->machine.busy_until = r->machine.clocks + r->machine.work_clocks;
    machine_log(&r->machine, "work 3DPRIMITIVE %u", r->length);
    return DONE;
}

static enum outcome report(struct cs_reference *r)
{
    machine_log(&r->machine, "report %u:%" PRIx64 " %x%s", space_by(r, bit(r->dword[1], 0)),
                address_at(r, 1, 6), r->dword[r->version >= 80 ? 3 : 2],
                r->version >= 75 && bit(r->dword[1], 4) ? " core" : "");
    return DONE;
}

/* ---- the commands by number ------------------------------------------------------------------ */

enum { PIPE_CONTROL = 64, PRIMITIVE = 65, NONE = 255 };

/* Number, versions, bits of the length field, dwords at least and most, clocks, clocks of each
 * group of dwords from one on. */
static const struct shape {
    unsigned number, first, last, field, min, max, clocks, group_clocks, group_at, group_size;
} shapes[] = {
    {0x00, 60, 120, 0, 1, 1, 1, 0, 0, 1},        {0x01, 75, 120, 0, 1, 1, 1, 0, 0, 1},
    {0x02, 60, 120, 0, 1, 1, 2, 0, 0, 1},        {0x03, 60, 120, 0, 1, 1, 8, 0, 0, 1},
    {0x04, 60, 75, 0, 1, 1, 8, 0, 0, 1},         {0x05, 60, 120, 0, 1, 1, 1, 0, 0, 1},
    {0x06, 75, 120, 0, 1, 1, 1, 0, 0, 1},        {0x07, 60, 120, 0, 1, 1, 4, 0, 0, 1},
    {0x08, 60, 120, 0, 1, 1, 1, 0, 0, 1},        {0x09, 75, 100, 0, 1, 1, 2, 0, 0, 1},
    {0x0a, 60, 120, 0, 1, 1, 4, 0, 0, 1},        {0x0b, 60, 120, 0, 1, 1, 1, 0, 0, 1},
    {0x0c, 70, 120, 0, 1, 1, 2, 0, 0, 1},        {0x0d, 70, 120, 0, 1, 1, 1, 0, 0, 1},
    {0x0e, 70, 120, 0, 1, 1, 1, 0, 0, 1},        {0x0f, 75, 120, 0, 1, 1, 1, 0, 0, 1},
    {0x12, 60, 120, 6, 2, 2, 4, 0, 0, 1},        {0x13, 60, 120, 6, 2, 2, 4, 0, 0, 1},
    {0x14, 60, 120, 8, 3, 4, 8, 0, 0, 1},        {0x16, 60, 75, 8, 3, 3, 8, 0, 0, 1},
    {0x18, 60, 75, 8, 2, 2, 64, 0, 0, 1},        {0x19, 60, 80, 8, 2, 2, 8, 0, 0, 1},
    {0x1a, 75, 80, 6, 2, 65, 1, 1, 1, 1},        {0x1a, 90, 120, 8, 2, 257, 1, 1, 1, 1},
    {0x1b, 80, 120, 8, 2, 2, 4, 0, 0, 1},        {0x1c, 80, 110, 8, 4, 4, 8, 0, 0, 1},
    {0x1c, 120, 120, 8, 4, 5, 8, 0, 0, 1},       {0x1d, 110, 120, 8, 2, 2, 4, 0, 0, 1},
    {0x20, 60, 75, 6, 4, 5, 4, 1, 3, 1},         {0x20, 80, 120, 10, 4, 1025, 4, 1, 3, 1},
    {0x21, 60, 120, 8, 3, 4, 4, 0, 0, 1},        {0x22, 60, 120, 8, 3, 257, 2, 2, 1, 2},
    {0x23, 60, 75, 8, 3, 257, 4, 1, 2, 1},       {0x23, 80, 120, 10, 3, 1025, 4, 1, 2, 1},
    {0x24, 60, 75, 8, 3, 3, 8, 0, 0, 1},         {0x24, 80, 120, 8, 4, 4, 8, 0, 0, 1},
    {0x26, 60, 75, 6, 3, 4, 8, 0, 0, 1},         {0x26, 80, 120, 6, 4, 5, 8, 0, 0, 1},
    {0x27, 60, 75, 10, 3, 1025, 8, 0, 0, 1},     {0x27, 80, 120, 10, 4, 1025, 8, 0, 0, 1},
    {0x28, 60, 75, 6, 3, 3, 8, 0, 0, 1},         {0x28, 80, 120, 6, 4, 4, 8, 0, 0, 1},
    {0x29, 70, 75, 8, 3, 3, 16, 0, 0, 1},        {0x29, 80, 120, 8, 4, 4, 16, 0, 0, 1},
    {0x2a, 75, 120, 8, 3, 3, 4, 0, 0, 1},        {0x2b, 75, 100, 8, 4, 4, 4, 1, 3, 1},
    {0x2c, 75, 75, 8, 3, 3, 8, 0, 0, 1},         {0x2c, 80, 100, 8, 4, 4, 8, 0, 0, 1},
    {0x2d, 75, 75, 8, 3, 3, 8, 0, 0, 1},         {0x2d, 80, 100, 8, 4, 4, 8, 0, 0, 1},
    {0x2e, 80, 120, 8, 5, 5, 16, 0, 0, 1},       {0x2f, 80, 120, 8, 3, 11, 16, 0, 0, 1},
    {0x31, 60, 75, 8, 2, 2, 8, 0, 0, 1},         {0x31, 80, 120, 8, 3, 3, 8, 0, 0, 1},
    {0x36, 60, 75, 8, 3, 3, 16, 0, 0, 1},        {0x36, 80, 120, 8, 4, 4, 16, 0, 0, 1},
    {PIPE_CONTROL, 60, 75, 8, 4, 5, 8, 0, 0, 1}, {PIPE_CONTROL, 80, 120, 8, 6, 6, 8, 0, 0, 1},
    {PRIMITIVE, 60, 60, 8, 6, 6, 4, 0, 0, 1},    {PRIMITIVE, 70, 100, 8, 7, 7, 4, 0, 0, 1},
    {PRIMITIVE, 110, 120, 8, 7, 10, 4, 0, 0, 1},
};

static unsigned number_of(uint32_t dword)
{
    if (dword >> 29 == 0)
        return dword >> 23;
    return dword >> 16 == 0x7a00 ? PIPE_CONTROL : dword >> 16 == 0x7b00 ? PRIMITIVE : NONE;
}

static const struct shape *shape_of(const struct cs_reference *r, uint32_t dword)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        if (shapes[i].number == number_of(dword) && r->version >= shapes[i].first &&
            r->version <= shapes[i].last)
            return &shapes[i];
    return NULL;
}

/* What a batch without privilege must not do. */
static bool is_denied(const struct cs_reference *r, unsigned number)
{
    uint32_t d = r->dword[0];
    switch (number) {
    case 0x08:
    case 0x0b:
    case 0x14:
    case 0x18:
    case 0x21:
    case 0x23:
        return true;
    case 0x16:
        return r->version < 75 && bit(d, 22);
    case 0x1c:
    case 0x20:
    case 0x27:
    case 0x29:
    case 0x2f:
    case 0x36:
        return bit(d, 22);
    case 0x28:
        return bit(r->dword[1], 0);
    case 0x2e:
        return bit(d, 22) || bit(d, 21);
    case 0x31:
        return !bit(d, 8);
    default:
        return false;
    }
}

static enum outcome execute(struct cs_reference *r, unsigned number)
{
    uint32_t d = r->dword[0];
    switch (number) {
    case 0x00:
        if (bit(d, 22))
            r->nopid = d & 0x3fffff;
        return DONE;
    case 0x01:
        return set_predicate(r);
    case 0x02:
        machine_log(&r->machine, "user interrupt");
        return DONE;
    case 0x03:
        return wait_for_event(r);
    case 0x04:
        return busy(r) ? WAIT : DONE;
    case 0x07:
        return put(r, 0, in_status_page(r, 0x10), 0) ? DONE : STOP;
    case 0x0a:
        return batch_end(r);
    case 0x0c:
        return predicate(r);
    case 0x16:
        return mailbox(r);
    case 0x18:
        return set_context(r);
    case 0x1a:
        return math(r);
    case 0x1b:
        return r->version >= 120 && bit(d, 21) && busy(r) ? WAIT : DONE;
    case 0x1c:
        return semaphore_wait(r);
    case 0x1d:
        machine_log(&r->machine, "force wakeup %x", r->dword[1]);
        return DONE;
    case 0x20:
        return store_data(r, bit(d, 22));
    case 0x21:
        return store_index(r);
    case 0x22:
        return load_immediate(r);
    case 0x24:
        return store_register(r);
    case 0x26:
        return flush_dw(r);
    case 0x28:
        return report(r);
    case 0x29:
        return load_memory(r);
    case 0x2a:
        return load_register(r);
    case 0x2b:
        return store_data(r, false);
    case 0x2e:
        return copy(r);
    case 0x2f:
        return atomic(r);
    case 0x31:
        return batch_start(r);
    case 0x36:
        return conditional_end(r);
    case PIPE_CONTROL:
        return pipe_control(r);
    case PRIMITIVE:
        return primitive(r);
    default: /* costs time only */
        return DONE;
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

void cs_reference_init(struct cs_reference *r, const char *platform, uint32_t space,
                       bool privileged)
{
    memset(r, 0, sizeof *r);
    machine_init(&r->machine, platform);
    r->version = r->machine.platform->version;
    r->slices = r->machine.platform->max_slices;
    r->ppgtt = 1;
    r->level = 1;
    r->place[1] = (struct reference_place){MACHINE_CODE, space, privileged};
}

static void pass(struct cs_reference *r, uint32_t clocks)
{
    r->machine.clocks += clocks;
    r->machine.timestamp += r->machine.ticking ? clocks : 0;
}

static enum outcome fetch(struct cs_reference *r, const struct shape **shape)
{
    const uint32_t *dword = find(r, r->at.space, r->at.address);
    r->acthd = r->at.address;
    if (!dword)
        return STOP;
    memset(r->dword, 0, sizeof r->dword);
    r->dword[0] = r->ipehr = *dword;
    *shape = shape_of(r, r->dword[0]);
    r->foreign = number_of(r->dword[0]) == NONE && bits(r->dword[0], 29, 31) / 2 == 1;
    if (!*shape)
        return stop(r, STREAMER_UNKNOWN);
    r->length = (*shape)->field ? bits(r->dword[0], 0, (*shape)->field - 1) + 2 : 1;
    if (r->length < (*shape)->min || r->length > (*shape)->max)
        return stop(r, STREAMER_LENGTH);
    for (unsigned i = 1; i < r->length && i < 257; i++) {
        if (!(dword = find(r, r->at.space, r->at.address + 4 * i)))
            return STOP;
        r->dword[i] = *dword;
    }
    return DONE;
}

enum streamer_status cs_reference_step(struct cs_reference *r)
{
    const struct shape *shape = NULL;
    enum outcome outcome;
    if (r->fault || r->level > 2)
        return r->fault ? STREAMER_STOPPED : STREAMER_IDLE;
    if (!r->begun) {
        r->begun = true;
        pass(r, 64);
        return STREAMER_RAN;
    }
    if (!r->level) { /* it has ended, and leaves when its work is done */
        enum streamer_status status = busy(r) ? STREAMER_WAITS : STREAMER_ENDED;
        r->level -= !busy(r);
        pass(r, 8);
        return status;
    }
    r->at = r->place[r->level];
    r->jumped = false;
    if (fetch(r, &shape) == STOP)
        return STREAMER_STOPPED;
    if ((r->noop && shape->number != 0x01) || (!r->at.privileged && is_denied(r, shape->number)))
        outcome = DONE;
    else
        outcome = execute(r, shape->number);
    if (outcome == STOP)
        return STREAMER_STOPPED;
    if (outcome == DONE && !r->jumped)
        r->place[r->level].address = (r->at.address + 4 * r->length) & reach(r);
    uint32_t groups = (r->length - shape->group_at) / shape->group_size;
    pass(r, shape->clocks + (outcome == DONE ? groups * shape->group_clocks : 0));
    return outcome == DONE ? STREAMER_RAN : STREAMER_WAITS;
}
