/* SPDX-License-Identifier: MIT */
/* Platforms, reset, and the order of things in one clock (OAT-4). */
#include "oa_reference.h"

#include <stdlib.h>
#include <string.h>

struct oa_reference *oa_reference_new(enum oa_reference_platform platform)
{
    struct oa_reference *ref = calloc(1, sizeof *ref);
    if (!ref)
        return NULL;
    ref->platform = platform;
    ref->map = platform < OA_REF_HSW    ? OA_REF_MAP_A
               : platform == OA_REF_HSW ? OA_REF_MAP_B
                                        : OA_REF_MAP_C;
    ref->a_count = platform == OA_REF_SNB ? 29 : ref->map == OA_REF_MAP_C ? 36 : 45;
    ref->b_count = ref->map == OA_REF_MAP_A ? 4 : 8;
    ref->c_count = ref->map == OA_REF_MAP_A ? 12 : 8;
    ref->cec_count = ref->map == OA_REF_MAP_A ? 4 : 8;
    ref->blocks = ref->map == OA_REF_MAP_A ? 1 : 2;
    ref->subslice_eus = platform == OA_REF_TGL ? 16 : 8;
    ref->period = 1;
    oa_reference_reset(ref);
    return ref;
}

void oa_reference_free(struct oa_reference *ref)
{
    if (!ref)
        return;
    oa_reference_memory_free(ref);
    free(ref);
}

/* OA-D46; the reset values of OAT-6 that are not 0. */
void oa_reference_reset(struct oa_reference *ref)
{
    memset(&ref->state, 0, sizeof ref->state);
    ref->state.oa_imr = 0xffffffff;
    for (unsigned i = 0; i < OA_IRQ_MASKS; i++)
        ref->state.interrupts.masks[i] = 0xffffffff;
    for (unsigned i = 0; i < 7; i++)
        ref->state.eu_control[i] = ref->no_eu_events ? 0xffffffff : 0;
}

static void take_inputs(const struct oa_reference *ref, struct oa_reference_clock *clock)
{
    for (unsigned i = 0; i < OA_REF_NOA; i++)
        if (oa_reference_wave_value(&ref->noa[i], ref->n))
            clock->noa = (uint16_t)(clock->noa | 1u << i);
    for (unsigned i = 0; i < ref->a_count; i++)
        clock->a[i] = oa_reference_wave_value(&ref->a[i], ref->n);
    for (unsigned eu = 0; eu < ref->eus; eu++)
        for (unsigned signal = 0; signal < EU_SIGNALS; signal++)
            clock->eu[eu][signal] = (uint8_t)oa_reference_wave_value(&ref->eu[eu][signal], ref->n);
}

/* Step 7, but for the flops that their step has set already after their last use. */
static void end_clock(struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    struct oa_reference_state *state = &ref->state;
    state->ev_q = clock->events;
    state->previous_noa = clock->noa;
    state->context_event = false;
    state->go_event = false;
    state->ratio_event = false;
    ref->previous_timestamp = ref->timestamp;
    if (++ref->prescaler == ref->period) {
        ref->prescaler = 0;
        ref->timestamp = (ref->timestamp + 1) & 0xfffffffff; /* OA-D16 */
    }
    ref->n++;
}

void oa_reference_step(struct oa_reference *ref)
{
    struct oa_reference_clock clock = {0};
    oa_reference_writer(ref);
    clock.busy = oa_reference_in_flight(ref);
    clock.busy_reasons = clock.busy ? ref->state.writer.reasons : 0;
    take_inputs(ref, &clock);
    oa_reference_cec(ref, &clock);
    oa_reference_triggers(ref, &clock);
    oa_reference_eus(ref, &clock);
    oa_reference_counters(ref, &clock);
    oa_reference_reports(ref, &clock);
    end_clock(ref, &clock);
}
