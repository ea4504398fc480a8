/* SPDX-License-Identifier: MIT */
/* Custom event creation (OA-2.2; OA-D6 to OA-D9). */
#include "oa_reference.h"

/* OA-D7. */
static uint16_t source(const struct oa_reference *ref, const struct oa_reference_clock *clock,
                       const uint16_t *out_q, unsigned block)
{
    switch (oa_reference_bits(ref->state.cec[block][0], 20, 19)) {
    case 0:
        return clock->noa;
    case 1:
        return out_q[block == 0 ? ref->cec_count - 1 : block - 1];
    case 2:
        return (uint16_t)((clock->noa & 0xff00) | ref->state.ev_q);
    default:
        return 0;
    }
}

static bool compare(unsigned function, uint16_t conditioned, uint16_t value, uint16_t mask)
{
    unsigned x = conditioned & ~(unsigned)mask & 0xffff;
    unsigned v = value & ~(unsigned)mask & 0xffff;
    switch (function) {
    case 0: /* some unmasked position is equal */
        return (~(unsigned)(conditioned ^ value) & ~(unsigned)mask & 0xffff) != 0;
    case 1:
        return x > v;
    case 2:
        return x == v;
    case 3:
        return x >= v;
    case 4:
        return x < v;
    case 5:
        return x != v;
    case 6:
        return x <= v;
    default:
        return true;
    }
}

void oa_reference_cec(struct oa_reference *ref, struct oa_reference_clock *clock)
{
    struct oa_reference_state *state = &ref->state;
    uint16_t old_out_q[OA_REF_CEC];
    for (unsigned block = 0; block < OA_REF_CEC; block++)
        old_out_q[block] = state->out_q[block];

    for (unsigned block = 0; block < ref->cec_count; block++) {
        uint32_t control = state->cec[block][0];
        uint16_t considerations = (uint16_t)oa_reference_bits(state->cec[block][1], 31, 16);
        uint16_t mask = (uint16_t)oa_reference_bits(state->cec[block][1], 15, 0);
        uint16_t in = source(ref, clock, old_out_q, block);
        unsigned delayed =
            (in & ~(unsigned)considerations) | (state->previous_in[block] & considerations);
        /* The Negate bits are not writable on maps A and B: 0 there (OA-D8). */
        uint16_t conditioned = (uint16_t)(delayed ^ oa_reference_bits(control, 31, 21));
        uint16_t value = (uint16_t)oa_reference_bits(control, 18, 3);
        if (compare(oa_reference_bits(control, 2, 0), conditioned, value, mask))
            clock->events = (uint8_t)(clock->events | 1u << block);
        state->previous_in[block] = in;
        state->out_q[block] = conditioned;
    }
}
