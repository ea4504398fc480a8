/* SPDX-License-Identifier: MIT */
/* Start and report trigger blocks (OA-2.3 - OA-2.5; OA-D5, OA-D10 to OA-D15). */
#include "oa_reference.h"

/* The network of one block; words are its ...TRIG1 to ...TRIG4. */
static bool network(const uint32_t words[4], uint16_t noa, bool h[2])
{
    uint32_t inverts = words[1];
    bool b[4], c[2];
    for (unsigned j = 0; j < 4; j++) {
        bool g = true;
        for (unsigned k = 4 * j; k < 4 * j + 4; k++) {
            uint32_t selects = k < 8 ? words[3] : words[2];
            unsigned select = selects >> (4 * (k % 8)) & 15;
            bool input = noa >> select & 1;
            bool a = input != oa_reference_bit(inverts, k);
            g = g && a;
        }
        b[j] = g != oa_reference_bit(inverts, 16 + j);
    }
    h[0] = b[0] && b[1];
    h[1] = b[2] && b[3];
    for (unsigned i = 0; i < 2; i++)
        c[i] = h[i] != oa_reference_bit(inverts, 20 + i);
    return (c[0] && c[1]) != oa_reference_bit(inverts, 22);
}

/* OA-D11. */
static bool count_trigger(const uint32_t words[4], bool d, uint16_t *count)
{
    if (d && *count < 0xffff)
        ++*count;
    bool threshold_enable = oa_reference_bit(words[1], 23);
    return threshold_enable ? *count >= oa_reference_bits(words[0], 15, 0) : d;
}

static void report_block(struct oa_reference *ref, struct oa_reference_clock *clock, unsigned index,
                         bool d)
{
    struct oa_reference_report_block *block = &ref->state.report[index];
    const uint32_t *words = &ref->state.report_trigger[4 * index];
    unsigned reason = index == 0 ? OA_REASON_TRIGGER1 : OA_REASON_TRIGGER2;
    bool trigger = count_trigger(words, d, &block->count);
    bool edge_mode = oa_reference_bit(ref->state.oabuffer, 2);
    bool fires =
        edge_mode ? trigger && !block->previous : trigger && !(clock->busy_reasons & reason);
    block->previous = trigger;
    if (!fires || !oa_reference_bit(words[1], 31))
        return;
    clock->reasons |= reason;
    if (oa_reference_bit(words[1], 23))
        block->count = 0;
}

void oa_reference_triggers(struct oa_reference *ref, struct oa_reference_clock *clock)
{
    struct oa_reference_state *state = &ref->state;
    bool enabled = oa_reference_bit(state->oacontrol, 0);
    for (unsigned i = 0; i < ref->blocks; i++) {
        bool d = network(&state->report_trigger[4 * i], clock->noa, &clock->taps[2 * i]);
        if (enabled)
            report_block(ref, clock, i, d);
    }
    if (!enabled)
        return;
    for (unsigned i = 0; i < ref->blocks; i++) {
        bool unused[2];
        bool d = network(&state->start_trigger[4 * i], clock->noa, unused);
        if (count_trigger(&state->start_trigger[4 * i], d, &state->start[i].count))
            state->start[i].fired = true;
    }
}

void oa_reference_clear_start_block(struct oa_reference *ref, unsigned block)
{
    ref->state.start[block].count = 0;
}

void oa_reference_clear_report_block(struct oa_reference *ref, unsigned block)
{
    ref->state.report[block].count = 0;
}

void oa_reference_disable_triggers(struct oa_reference *ref)
{
    for (unsigned i = 0; i < 2; i++) {
        ref->state.start[i].count = 0;
        ref->state.start[i].fired = false;
        ref->state.report[i].count = 0;
        ref->state.report[i].previous = false;
    }
}
