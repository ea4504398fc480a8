/* SPDX-License-Identifier: MIT */
/* Layouts of the reports (OA-2.9; OA-D29). */
#include "oa_reference.h"

#include <string.h>

static void put(uint8_t *bytes, unsigned dword, uint64_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[4 * dword + i] = (uint8_t)(value >> (8 * i));
}

/* Counters first..last in ascending order from a dword on. */
static void put_row(uint8_t *bytes, unsigned dword, const uint64_t *counters, unsigned first,
                    unsigned last)
{
    for (unsigned i = first; i <= last; i++)
        put(bytes, dword + i - first, counters[i]);
}

/* The sixteen dwords of B and C counters that are all of them on every map. */
static void put_b_and_c(const struct oa_reference *ref, uint8_t *bytes, unsigned dword)
{
    put_row(bytes, dword, ref->state.b, 0, ref->b_count - 1);
    put_row(bytes, dword + ref->b_count, ref->state.c, 0, ref->c_count - 1);
}

/* SNB stores each row of 32 bytes descending; the first row has only five A counters. */
static void put_snb_a(uint8_t *bytes, const uint64_t *a, bool all)
{
    static const unsigned rows[4][2] = {{0, 4}, {5, 12}, {13, 20}, {21, 28}};
    unsigned dword = 3;
    for (unsigned row = 0; row < (all ? 4 : 2); row++)
        for (unsigned i = rows[row][1] + 1; i > rows[row][0]; i--)
            put(bytes, dword++, a[i - 1]);
}

static unsigned pack_snb(const struct oa_reference *ref, unsigned select, uint8_t *bytes)
{
    const struct oa_reference_state *state = &ref->state;
    switch (select) {
    case 0:
        put_snb_a(bytes, state->a, false);
        return 64;
    case 1:
        put_snb_a(bytes, state->a, true);
        return 128;
    case 2:
        put_snb_a(bytes, state->a, false);
        put_b_and_c(ref, bytes, 16);
        return 128;
    case 3:
        put_snb_a(bytes, state->a, true);
        put_b_and_c(ref, bytes, 32);
        return 192;
    case 4:
        put(bytes, 3, ref->instaddr);
        put_row(bytes, 4, state->c, 0, 11);
        return 64;
    default:
        return 64;
    }
}

static unsigned pack_ivb(const struct oa_reference *ref, unsigned select, uint8_t *bytes)
{
    const struct oa_reference_state *state = &ref->state;
    switch (select) {
    case 0:
        put_row(bytes, 3, state->a, 0, 12);
        return 64;
    case 1:
        put_row(bytes, 3, state->a, 0, 28);
        return 128;
    case 2:
        put_row(bytes, 3, state->a, 0, 12);
        put_b_and_c(ref, bytes, 16);
        return 128;
    case 3:
        put_row(bytes, 3, state->a, 0, 28);
        put_b_and_c(ref, bytes, 32);
        return 192;
    case 5:
        put_row(bytes, 3, state->a, 0, 44);
        put_b_and_c(ref, bytes, 48);
        return 256;
    case 6:
        put_row(bytes, 16, state->a, 29, 44);
        return 128;
    default:
        return 64;
    }
}

static unsigned pack_hsw(const struct oa_reference *ref, unsigned select, uint8_t *bytes)
{
    const struct oa_reference_state *state = &ref->state;
    switch (select) {
    case 4:
    case 6:
        put(bytes, 3, ref->instaddr);
        put_row(bytes, 4, state->b, 0, 3);
        put_row(bytes, 8, state->c, 0, 7);
        if (select == 4)
            return 64;
        put_row(bytes, 16, state->a, 29, 44);
        return 128;
    case 7:
        put(bytes, 3, ref->instaddr);
        put_row(bytes, 4, state->c, 0, 3);
        put_row(bytes, 8, state->b, 0, 7);
        return 64;
    default: /* as on IVB, with eight B and eight C counters */
        return pack_ivb(ref, select, bytes);
    }
}

static unsigned pack_map_c(const struct oa_reference *ref, unsigned select, uint8_t *bytes)
{
    const struct oa_reference_state *state = &ref->state;
    switch (select) {
    case 0:
        put_row(bytes, 4, state->a, 7, 18);
        return 64;
    case 2:
        put_row(bytes, 4, state->a, 7, 18);
        put_b_and_c(ref, bytes, 16);
        return 128;
    case 5:
        put_row(bytes, 4, state->a, 0, 35);
        for (unsigned i = 0; i < 32; i++)
            bytes[160 + i] = (uint8_t)(state->a[i] >> 32);
        put_b_and_c(ref, bytes, 48);
        return 256;
    case 7:
        put_row(bytes, 4, state->c, 0, 3);
        put_row(bytes, 8, state->b, 0, 7);
        return 64;
    default:
        return 64;
    }
}

unsigned oa_reference_pack(const struct oa_reference *ref, uint32_t id,
                           uint8_t bytes[OA_REF_REPORT_BYTES])
{
    unsigned select = oa_reference_bits(ref->state.oacontrol, 4, 2);
    memset(bytes, 0, OA_REF_REPORT_BYTES);
    put(bytes, 0, id);
    put(bytes, 1, ref->timestamp);
    if (ref->map == OA_REF_MAP_C) {
        put(bytes, 2, ref->context_active ? ref->context : 0);
        put(bytes, 3, ref->state.ticks);
        return pack_map_c(ref, select, bytes);
    }
    put(bytes, 2, ref->timestamp >> 32);
    if (ref->platform == OA_REF_SNB)
        return pack_snb(ref, select, bytes);
    if (ref->platform == OA_REF_HSW)
        return pack_hsw(ref, select, bytes);
    return pack_ivb(ref, select, bytes);
}
