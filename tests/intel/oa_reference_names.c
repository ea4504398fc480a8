/* SPDX-License-Identifier: MIT */
/* The internal values that `peek` and `poke` name (OAT-2). */
#include "oa_reference.h"

#include <string.h>

/* Where a named value is; exactly one pointer is set. */
struct place {
    uint64_t *counter;
    uint16_t *block;
    uint8_t *occupancy;
    uint64_t limit; /* largest value */
};

/* Parses the decimal number after a prefix. Returns false if there is none or it is not below
 * limit. */
static bool numbered(const char *name, const char *prefix, unsigned limit, unsigned *number)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length))
        return false;
    const char *digits = name + length;
    size_t count = strlen(digits);
    if (count < 1 || count > 2 || strspn(digits, "0123456789") != count)
        return false;
    if (count == 2 && digits[0] == '0')
        return false;
    *number = (unsigned)(digits[0] - '0');
    if (count == 2)
        *number = 10 * *number + (unsigned)(digits[1] - '0');
    return *number < limit;
}

static bool find_counter(struct oa_reference *ref, const char *name, struct place *place)
{
    static const char *const free_names[OA_REF_FREE] = {"free4", "free6", "free19", "free20"};
    struct oa_reference_state *state = &ref->state;
    unsigned i;
    place->limit = UINT32_MAX;
    if (numbered(name, "a", ref->a_count, &i)) {
        place->counter = &state->a[i];
        place->limit = oa_reference_a_limit(ref, i);
    } else if (numbered(name, "b", ref->b_count, &i)) {
        place->counter = &state->b[i];
    } else if (numbered(name, "c", ref->c_count, &i)) {
        place->counter = &state->c[i];
    } else if (ref->platform >= OA_REF_TGL && numbered(name, "oar_a", OA_REF_OAR_A, &i)) {
        place->counter = &state->oar.a[i];
        place->limit = oa_reference_a_limit(ref, i);
    } else if (ref->platform >= OA_REF_TGL && numbered(name, "oar_b", OA_REF_B, &i)) {
        place->counter = &state->oar.b[i];
    } else if (ref->platform >= OA_REF_TGL && numbered(name, "oar_c", OA_REF_B, &i)) {
        place->counter = &state->oar.c[i];
    } else if (!strcmp(name, "ticks") && ref->map == OA_REF_MAP_C) {
        place->counter = &state->ticks;
    } else if (!strcmp(name, "timestamp")) {
        place->counter = &ref->timestamp;
        place->limit = 0xfffffffff;
    } else {
        for (i = 0; i < OA_REF_FREE; i++)
            if (!strcmp(name, free_names[i]) && ref->platform >= OA_REF_SKL &&
                ref->platform < OA_REF_TGL) {
                place->counter = &state->free[i];
                place->limit = 0xffffffffff;
            }
    }
    return place->counter;
}

/* The values that can be poked. */
static bool find(struct oa_reference *ref, const char *name, struct place *place)
{
    struct oa_reference_state *state = &ref->state;
    unsigned i;
    if (find_counter(ref, name, place))
        return true;
    if (numbered(name, "start", ref->blocks + 1, &i) && i > 0) {
        place->block = &state->start[i - 1].count;
        place->limit = UINT16_MAX;
        return true;
    }
    if (numbered(name, "report", ref->blocks + 1, &i) && i > 0) {
        place->block = &state->report[i - 1].count;
        place->limit = UINT16_MAX;
        return true;
    }
    if (numbered(name, "occ", ref->eus, &i)) {
        place->occupancy = &state->occupancy[i];
        place->limit = 7;
        return true;
    }
    return false;
}

static bool peek_only(const struct oa_reference *ref, const char *name, uint64_t *value)
{
    const struct oa_reference_state *state = &ref->state;
    if (!strcmp(name, "started"))
        *value = (uint64_t)state->start[0].fired | (uint64_t)state->start[1].fired << 1;
    else if (!strcmp(name, "inflight"))
        *value = oa_reference_in_flight(ref);
    else if (!strcmp(name, "wrap"))
        *value = (uint64_t)state->head_wrap | (uint64_t)state->tail_wrap << 1;
    else if (!strcmp(name, "overrun"))
        *value = state->overrun;
    else if (!strcmp(name, "used"))
        *value = oa_reference_used(ref);
    else if (!strcmp(name, "evq"))
        *value = state->ev_q;
    else if (!strcmp(name, "irq") && ref->platform == OA_REF_LKF)
        *value = oa_reference_irq_line(ref);
    else
        return false;
    return true;
}

bool oa_reference_peek(struct oa_reference *ref, const char *name, uint64_t *value)
{
    struct place place = {.counter = NULL};
    if (peek_only(ref, name, value))
        return true;
    if (!find(ref, name, &place))
        return false;
    *value = place.counter ? *place.counter : place.block ? *place.block : *place.occupancy;
    return true;
}

bool oa_reference_poke(struct oa_reference *ref, const char *name, uint64_t value)
{
    struct place place = {.counter = NULL};
    if (!find(ref, name, &place))
        return false;
    if (place.counter)
        *place.counter = value & place.limit;
    else if (place.block)
        *place.block = (uint16_t)(value & place.limit);
    else
        *place.occupancy = (uint8_t)(value & place.limit);
    return true;
}
