/* SPDX-License-Identifier: MIT */
/* A, B and C counters, GPU_TICKS, free-running copies (OA-2.1, OA-2.7; OA-D3 to OA-D5, OA-D18 to
 * OA-D23). */
#include "oa_reference.h"

static const uint64_t limit_40 = 0xffffffffff;

uint64_t oa_reference_a_limit(const struct oa_reference *ref, unsigned i)
{
    return ref->map == OA_REF_MAP_C && i < 32 ? limit_40 : UINT32_MAX;
}

bool oa_reference_tap_of(const struct oa_reference *ref, unsigned i, unsigned *tap)
{
    if (ref->map == OA_REF_MAP_A)
        return false;
    unsigned first = ref->platform >= OA_REF_ICL ? 1 : 4;
    *tap = i - first;
    return i >= first && i < first + OA_REF_TAPS;
}

/* OA-D23. */
static bool context_passes(const struct oa_reference *ref)
{
    if (!oa_reference_bit(ref->state.oacontrol, 1))
        return true;
    if (!ref->context_active)
        return false;
    if (ref->map == OA_REF_MAP_C)
        return ref->context == ref->state.oactxid;
    return ref->context >> 12 == ref->state.oacontrol >> 12;
}

/* OA-D18, but for STARTED. */
static bool counting(const struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    const struct oa_reference_state *state = &ref->state;
    if (!oa_reference_bit(state->oacontrol, 0) || !context_passes(ref))
        return false;
    if (ref->map == OA_REF_MAP_C)
        return oa_reference_bit(state->oactxcontrol, 0);
    if (ref->platform == OA_REF_IVB && clock->busy) /* OA-D22 */
        return false;
    return ref->platform == OA_REF_SNB || oa_reference_bits(state->oabuffer, 1, 0) != 2;
}

/* Adds; true if the counter wrapped. */
static bool add(uint64_t *counter, uint64_t amount, uint64_t limit)
{
    uint64_t sum = *counter + amount;
    *counter = sum & limit;
    return sum > limit;
}

/* What a counter adds that counts NOA bit k, by level or by rising edges (OA-D3). */
static unsigned noa_count(const struct oa_reference *ref, const struct oa_reference_clock *clock,
                          unsigned k)
{
    bool now = clock->noa >> k & 1;
    bool before = ref->state.previous_noa >> k & 1;
    bool occurrence = oa_reference_bit(ref->state.report_trigger[0], 16 + k);
    return now && !(occurrence && before);
}

/* OA-D4: event select. */
static unsigned b_count(const struct oa_reference *ref, const struct oa_reference_clock *clock,
                        unsigned i)
{
    uint32_t selects = ref->state.start_trigger[i < 4 ? 1 : 5];
    if (oa_reference_bit(selects, 28 + i % 4))
        return clock->events >> i & 1;
    return noa_count(ref, clock, i);
}

static unsigned c_count(const struct oa_reference *ref, const struct oa_reference_clock *clock,
                        unsigned i)
{
    unsigned tap;
    if (ref->c_tap[i] && oa_reference_tap_of(ref, i, &tap))
        return clock->taps[tap];
    return noa_count(ref, clock, ref->b_count + i);
}

static void count_a(struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    for (unsigned i = 0; i < ref->a_count; i++)
        if ((!i || i != ref->reserved_a) &&
            add(&ref->state.a[i], clock->a[i], oa_reference_a_limit(ref, i)))
            ref->state.counter_overflow = true;
}

static void count_b_and_c(struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    bool started[2] = {ref->state.start[0].fired, ref->state.start[1].fired};
    if (!ref->halves)
        started[0] = started[1] = started[0] || started[1];
    bool half_flag = ref->platform == OA_REF_SNB || ref->platform == OA_REF_IVB; /* OA-D19 */
    for (unsigned i = 0; i < ref->b_count; i++) {
        uint64_t *counter = &ref->state.b[i];
        if (!started[i / 4])
            continue;
        bool high = *counter >> 31 & 1;
        if (add(counter, b_count(ref, clock, i), UINT32_MAX))
            ref->state.counter_overflow = true;
        if (half_flag && !high && *counter >> 31 & 1)
            ref->state.counter_overflow = true;
    }
    for (unsigned i = 0; i < ref->c_count; i++)
        if (add(&ref->state.c[i], c_count(ref, clock, i), UINT32_MAX))
            ref->state.counter_overflow = true;
}

/* Gen12: whatever the start triggers say, which are the global unit's. */
static void count_context(struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    struct oa_reference_oar *oar = &ref->state.oar;
    bool wrapped = false;
    for (unsigned i = 0; i < OA_REF_OAR_A; i++)
        wrapped |= add(&oar->a[i], clock->a[i], oa_reference_a_limit(ref, i));
    for (unsigned i = 0; i < OA_REF_B; i++) {
        wrapped |= add(&oar->b[i], b_count(ref, clock, i), UINT32_MAX);
        wrapped |= add(&oar->c[i], c_count(ref, clock, i), UINT32_MAX);
    }
    if (wrapped)
        oar->status |= 4;
}

/* OA-D21. */
static void count_always(struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    static const unsigned copied[OA_REF_FREE] = {4, 6, 19, 20};
    add(&ref->state.ticks, 1, UINT32_MAX);
    for (unsigned i = 0; i < OA_REF_FREE; i++)
        add(&ref->state.free[i], clock->a[copied[i]], limit_40);
}

void oa_reference_counters(struct oa_reference *ref, const struct oa_reference_clock *clock)
{
    if (counting(ref, clock)) {
        bool started = ref->state.start[0].fired || ref->state.start[1].fired;
        if (started || !ref->holds_a)
            count_a(ref, clock);
        if (started)
            count_b_and_c(ref, clock);
    }
    if (ref->platform >= OA_REF_TGL && oa_reference_oar_counts(ref))
        count_context(ref, clock);
    count_always(ref, clock);
}
