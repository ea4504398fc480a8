/* SPDX-License-Identifier: MIT */
/* The reference's MI_ATOMIC, MI_MATH, MI_PREDICATE and MI_SET_PREDICATE. */
#include "intel/cs_reference.h"

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

enum outcome reference_atomic(struct cs_reference *r)
{
    uint32_t d = r->dword[0], a[4] = {0}, b[4] = {0}, *at[4];
    unsigned number = bits(d, 8, 12), kind = bits(d, 13, 15), size = bits(d, 19, 20);
    bool after = bit(d, 21), inlined = bit(d, 18), returned = bit(d, 16);
    unsigned count = 1u << size;
    if (number < 1 || number > 15 || kind > 2 || kind != size || (size == 2 && number != 14))
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    if (after && (!inlined || returned || size == 2 || (number == 14 && size)))
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    if (after && reference_busy(r))
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
        if (!(at[i] = reference_find(r, space_by(r, bit(d, 22)), address_at(r, 1, 2) + 4 * i)))
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
        reference_put(r, space_by(r, bit(d, 22)), address_at(r, 1, 2) + 4 * i, new[i]);
    const uint32_t *back = number == 15 ? new : old;
    for (unsigned i = 0; returned && i < count; i += 2)
        r->gpr[4 + i / 2] = back[i] | (uint64_t)back[i + 1] << 32;
    return DONE;
}

/* ---- arithmetic and predicates --------------------------------------------------------------- */

struct alu {
    uint64_t in[2], out;
    bool zero, carry;
};

/* One instruction; false: it is reserved. */
static bool calculate(struct alu *alu, uint64_t *gpr, uint32_t instruction)
{
    unsigned op = bits(instruction, 20, 31), x = bits(instruction, 10, 19),
             y = bits(instruction, 0, 9);
    uint64_t a = alu->in[0], b = alu->in[1];
    const uint64_t results[] = {a + b, a - b, a & b, a | b, a ^ b};
    if (op == 0x080 || op == 0x480 || op == 0x081 || op == 0x481) { /* to SRCA or SRCB */
        bool constant = op & 1;
        if ((x != 0x20 && x != 0x21) || (!constant && y > 15))
            return false;
        alu->in[x & 1] = (constant ? 0 : gpr[y]) ^ (op & 0x400 ? UINT64_MAX : 0);
    } else if (op >= 0x100 && op <= 0x104) {
        alu->out = results[op - 0x100];
        alu->carry = op == 0x100 ? alu->out < b : op == 0x101 && b > a;
        alu->zero = alu->out == 0;
    } else if (op == 0x180 || op == 0x580) { /* from ACCU, ZF, CF */
        if (x > 15 || y < 0x31 || y > 0x33)
            return false;
        uint64_t value = y == 0x31                              ? alu->out
                         : (y == 0x32 ? alu->zero : alu->carry) ? UINT64_MAX
                                                                : 0;
        gpr[x] = op == 0x580 ? ~value : value;
    } else {
        return op == 0;
    }
    return true;
}

enum outcome reference_math(struct cs_reference *r)
{
    struct alu alu = {0};
    for (unsigned i = 1; i < r->length; i++) {
        if (calculate(&alu, r->gpr, r->dword[i]))
            continue;
        r->at.address = reference_address(r, i);
        return reference_stop(r, STREAMER_RESERVED, r->dword[i]);
    }
    return DONE;
}

enum outcome reference_predicate(struct cs_reference *r)
{
    uint32_t d = r->dword[0];
    const bool compared[4] = {true, false, r->source[0] == r->source[1],
                              r->source[0] - r->source[1] == r->difference};
    bool now = compared[bits(d, 0, 1)], old = r->result & 1;
    const bool combined[4] = {now, now && old, now || old, now != old};
    bool all = combined[bits(d, 3, 4)];
    if (bits(d, 6, 7) == 1)
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    if (bits(d, 6, 7))
        r->result = bit(d, 6) ? !all : all;
    return DONE;
}

enum outcome reference_set_predicate(struct cs_reference *r)
{
    unsigned v = r->version, mode = bits(r->dword[0], 0, v == 75 ? 1 : 3);
    bool two = r->result_2 & 1, one = r->result & 1;
    if (mode > 2 && v == 75)
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    if (mode <= 4 || mode == 15)
        r->noop = (mode == 1 && !two) || (mode == 2 && two) || (mode == 3 && !one) ||
                  (mode == 4 && one) || mode == 15;
    else if (v <= 100 && mode <= 7)
        r->noop = r->slices != mode - 4;
    else if (v == 110 && (mode == 11 || mode == 12))
        r->noop = mode == 11;
    else
        return reference_stop(r, STREAMER_RESERVED, r->dword[0]);
    return DONE;
}
