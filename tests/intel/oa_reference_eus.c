/* SPDX-License-Identifier: MIT */
/* Flexible EU counters and occupancy integrators (OA-2.12; OA-D37 to OA-D40). */
#include "oa_reference.h"

/* OA-D39: the pulse of this clock. */
static bool integrate(uint8_t *accumulator, unsigned threads)
{
    unsigned sum = *accumulator + threads;
    *accumulator = (uint8_t)(sum % 8);
    return sum >= 8;
}

static bool increment_event(unsigned increment, const uint8_t eu[EU_SIGNALS], bool pulse)
{
    bool any_pipe = eu[EU_FPU0] || eu[EU_FPU1] || eu[EU_SEND];
    switch (increment) {
    case 0:
        return eu[EU_FPU0];
    case 1:
        return eu[EU_FPU1];
    case 2:
        return eu[EU_SEND];
    case 3:
        return eu[EU_FPU0] && eu[EU_FPU1];
    case 4:
        return any_pipe;
    case 5:
        return eu[EU_THREADS] >= 1 && !any_pipe;
    case 8:
        return pulse;
    default:
        return false;
    }
}

static bool coarse_filter(unsigned coarse, const uint8_t eu[EU_SIGNALS], unsigned row)
{
    if (coarse == 0)
        return true;
    if (coarse <= 6)
        return eu[EU_FF] == coarse;
    return (coarse == 7 && row == 0) || (coarse == 8 && row == 1);
}

static bool fine_filter(unsigned fine, const uint8_t eu[EU_SIGNALS], unsigned number)
{
    if (fine == 0)
        return true;
    if (fine <= 5)
        return eu[EU_KIND] == fine;
    return fine >= 7 && fine <= 10 && number == fine - 7;
}

void oa_reference_eus(struct oa_reference *ref, struct oa_reference_clock *clock)
{
    for (unsigned n = 0; n < ref->eus; n++) {
        const uint8_t *eu = clock->eu[n];
        unsigned place = n % ref->subslice_eus; /* OA-7 */
        bool pulse = integrate(&ref->state.occupancy[n], eu[EU_THREADS]);
        for (unsigned slot = 0; slot < OA_REF_SLOTS; slot++) {
            uint32_t events = ref->state.eu_control[slot / 2] >> (slot % 2 ? 12 : 0);
            if (increment_event(oa_reference_bits(events, 3, 0), eu, pulse) &&
                coarse_filter(oa_reference_bits(events, 7, 4), eu, place / 4 % 2) &&
                fine_filter(oa_reference_bits(events, 11, 8), eu, place % 4))
                clock->a[7 + slot]++;
        }
    }
}
