/* SPDX-License-Identifier: MIT */
/* Requests for reports and what becomes of them (OA-2.6, OA-2.8, OA-2.9; OA-D16, OA-D17, OA-D24
 * to OA-D29). */
#include "oa_reference.h"

/* OA-D17. */
static bool timer_strobe(const struct oa_reference *ref)
{
    const struct oa_reference_state *state = &ref->state;
    bool map_c = ref->map == OA_REF_MAP_C;
    bool enable =
        map_c ? oa_reference_bit(state->oactxcontrol, 1) : oa_reference_bit(state->oacontrol, 5);
    unsigned bit = map_c ? oa_reference_bits(state->oactxcontrol, 7, 2)
                         : oa_reference_bits(state->oacontrol, 11, 6);
    if (ref->platform == OA_REF_SNB)
        bit += 3;
    if (!enable || bit > 35)
        return false;
    return (ref->timestamp >> bit & 1) && !(ref->previous_timestamp >> bit & 1);
}

/* OA-D24; OA_DEBUG is 0 where there is none. */
static unsigned event_reasons(const struct oa_reference *ref)
{
    const struct oa_reference_state *state = &ref->state;
    unsigned reasons = 0;
    if (ref->map != OA_REF_MAP_C)
        return 0;
    if (state->context_event && !oa_reference_bit(state->oa_debug, 1))
        reasons |= OA_REASON_CONTEXT;
    if (state->go_event && !oa_reference_bit(state->oa_debug, 2))
        reasons |= OA_REASON_GO;
    if (state->ratio_event && !oa_reference_bit(state->oa_debug, 5))
        reasons |= OA_REASON_RATIO;
    return reasons;
}

/* OA-D28. */
static uint32_t report_id(const struct oa_reference *ref, unsigned reasons)
{
    const struct oa_reference_state *state = &ref->state;
    if (ref->map != OA_REF_MAP_C) {
        uint32_t id = 0;
        if (reasons & OA_REASON_TIMER)
            id |= 1u << 10;
        if (reasons & OA_REASON_TRIGGER1)
            id |= 1u << 11;
        if (reasons & OA_REASON_TRIGGER2)
            id |= 1u << 12;
        return id;
    }
    bool second = (reasons & OA_REASON_TRIGGER2) && !(reasons & OA_REASON_TRIGGER1);
    uint32_t started = state->start[second ? 1 : 0].fired;
    uint32_t threshold = oa_reference_bit(state->report_trigger[second ? 5 : 1], 23);
    uint32_t valid = ref->context_active;
    uint32_t id = started << 18 | threshold << 17;
    if (ref->platform >= OA_REF_TGL) { /* PERF-4.6; bit 25 is the reason's */
        id |= (uint32_t)reasons << 19 | valid << 16;
        if (oa_reference_bit(state->oa_debug, 6))
            id |= oa_reference_bits(ref->slice_ratio, 6, 1) << 26 |
                  oa_reference_bits(ref->slice_ratio, 8, 7) << 9 | ref->unslice_ratio;
        return id;
    }
    if (oa_reference_bit(state->oa_debug, 6))
        return id | oa_reference_bits(ref->slice_ratio, 6, 0) << 25 | (uint32_t)reasons << 19 |
               valid << 16 | oa_reference_bits(ref->slice_ratio, 8, 7) << 9 | ref->unslice_ratio;
    uint32_t timer = oa_reference_bit(state->oactxcontrol, 1);
    return id | valid << 25 | (uint32_t)(reasons & ~(unsigned)OA_REASON_RATIO) << 19 | timer << 16;
}

void oa_reference_reports(struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    if (!oa_reference_bit(ref->state.oacontrol, 0)) {
        ref->state.waiting = 0;
        return;
    }
    unsigned reasons = ref->state.waiting | clock->reasons | event_reasons(ref);
    if (timer_strobe(ref))
        reasons |= OA_REASON_TIMER;
    ref->state.waiting = ref->n < ref->state.next_report ? reasons : 0; /* OA-D47 */
    if (!reasons || ref->state.waiting)
        return;
    if (clock->busy) { /* OA-D26 */
        if (ref->platform != OA_REF_VLV)
            ref->state.report_lost = true;
        return;
    }
    uint8_t bytes[OA_REF_REPORT_BYTES];
    unsigned length = oa_reference_pack(ref, report_id(ref, reasons), bytes);
    oa_reference_buffer_report(ref, reasons, bytes, length);
}

/* Gen12: a report of a unit that has OAR's counters and format. */
static void oar_mirpc(struct oa_reference *ref, uint64_t address, uint32_t id)
{
    struct oa_reference_state *state = &ref->state, before = *state;
    uint8_t bytes[OA_REF_REPORT_BYTES];
    bool shows = oa_reference_oar_shows(ref);
    state->oacontrol = (shows ? oa_reference_bits(state->oar.control, 3, 1) : 5) << 2;
    for (unsigned i = 0; i < OA_REF_OAR_A; i++)
        state->a[i] = shows ? state->oar.a[i] : 0;
    for (unsigned i = 0; i < OA_REF_B; i++) {
        state->b[i] = shows ? state->oar.b[i] : 0;
        state->c[i] = shows ? state->oar.c[i] : 0;
    }
    unsigned length = oa_reference_pack(ref, id, bytes);
    *state = before;
    oa_reference_store(ref, address & ~UINT64_C(63), bytes, length);
}

/* OA-D29. */
void oa_reference_mirpc(struct oa_reference *ref, uint64_t address, uint32_t id)
{
    if (ref->platform >= OA_REF_TGL) {
        oar_mirpc(ref, address, id);
        return;
    }
    if (!oa_reference_bit(ref->state.oacontrol, 0))
        return;
    uint8_t bytes[OA_REF_REPORT_BYTES];
    unsigned length = oa_reference_pack(ref, id, bytes);
    oa_reference_store(ref, address & ~UINT64_C(63), bytes, length);
}
