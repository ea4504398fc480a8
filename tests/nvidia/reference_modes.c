/* SPDX-License-Identifier: MIT */
/* The effect of a clock on the counters in single and quad event mode, and on FLAG. */
#include "reference.h"

#include <string.h>

/* ---- control ------------------------------------------------------------------------------- */

enum counter_mode { SIMPLE, EVENT_B4, EVENT_B6, EXTRA_B4, EXTRA_B6_EVENT_B2 };

static bool bit(uint32_t value, unsigned i)
{
    return value >> i & 1;
}

enum reference_mode reference_mode(const struct reference *ref, unsigned dom)
{
    if (ref->chipset == REF_GF100) { /* PC-D38 */
        unsigned code = ref->domain[dom].state.ctrl & 7;
        return code == 1 ? MODE_SINGLE : code == 2 ? MODE_QUAD : MODE_NONE;
    }
    if (ref->chipset == REF_NV30)
        return bit(ref->shared.ctrl, 16 + 2 * dom) ? MODE_QUAD : MODE_SINGLE;
    if (ref->chipset < REF_NV30)
        return MODE_SINGLE;
    enum reference_mode mode = ref->domain[dom].state.ctrl & 3;
    if (ref->chipset == REF_NV40 && mode == MODE_RECORD)
        return MODE_NONE; /* PC-D18 */
    return mode;
}

static enum counter_mode counter_mode(const struct reference *ref, unsigned dom)
{
    if (ref->chipset <= REF_NV30)
        return bit(ref->shared.ctrl, 2) ? EVENT_B4 : SIMPLE;
    unsigned mode = ref->domain[dom].state.ctrl >> (ref->chipset == REF_GF100 ? 3 : 4) & 7;
    return mode > EXTRA_B6_EVENT_B2 ? SIMPLE : (enum counter_mode)mode; /* PC-D18 */
}

/* EVENT_CTR_PERIOD is ALL; nv10 lacks the bit, which is never stored there (PC-D31). */
static bool period_all(const struct reference *ref, unsigned dom)
{
    if (ref->chipset <= REF_NV30)
        return bit(ref->shared.ctrl, 8 + dom);
    return bit(ref->domain[dom].state.ctrl, ref->chipset == REF_GF100 ? 6 : 8);
}

/* ---- counters ------------------------------------------------------------------------------ */

/* PC-D15. Of the counters of nv10..nv20, only those of 40 bits ever count up. */
static void add(const struct reference *ref, uint64_t *counter, unsigned step)
{
    if (ref->chipset < REF_NV30) {
        const uint64_t low = (UINT64_C(1) << 39) - 1;
        uint64_t sum = (*counter & low) + step;
        bool sticky = *counter >> 39 & 1 || sum > low;
        *counter = (sum & low) | (uint64_t)sticky << 39;
    } else {
        uint64_t sum = *counter + step;
        *counter = sum > UINT32_MAX ? UINT32_MAX : sum;
    }
}

static unsigned b4(const struct reference_clock *clock)
{
    const uint8_t *start = clock->sources[IN_START];
    return start[0] | (unsigned)start[1] << 1 | (unsigned)start[2] << 2 | (unsigned)start[3] << 3;
}

static unsigned b6(const struct reference_clock *clock)
{
    const uint8_t *event = clock->sources[IN_EVENT];
    return b4(clock) | (unsigned)event[2] << 4 | (unsigned)event[3] << 5;
}

static unsigned b2(const struct reference_clock *clock)
{
    const uint8_t *event = clock->sources[IN_EVENT];
    return event[0] | (unsigned)event[1] << 1;
}

/* Returns the increment of CTR_EVENT at a clock that counts. */
static unsigned event_step(const struct reference_clock *clock, enum counter_mode mode)
{
    bool event = clock->inputs[IN_EVENT];
    switch (mode) {
    case EVENT_B4:
        return event ? b4(clock) : 0;
    case EVENT_B6:
        return event ? b6(clock) : 0;
    case EXTRA_B6_EVENT_B2:
        return b2(clock);
    case SIMPLE:
    case EXTRA_B4:
        break;
    }
    return event;
}

/* The sum of the EXTRA_* modes; false in the others. */
static bool extra_step(const struct reference_clock *clock, enum counter_mode mode, unsigned *step)
{
    *step = mode == EXTRA_B4 ? b4(clock) : mode == EXTRA_B6_EVENT_B2 ? b6(clock) : 0;
    return mode == EXTRA_B4 || mode == EXTRA_B6_EVENT_B2;
}

/* ---- FLAG ---------------------------------------------------------------------------------- */

static void update_flag(struct reference_state *state, const struct reference_clock *clock)
{
    if (clock->inputs[IN_SETFLAG])
        state->flag = true;
    if (clock->inputs[IN_CLRFLAG])
        state->flag = false;
}

/* ---- single event mode --------------------------------------------------------------------- */

static void start_process(struct reference_state *state)
{
    state->visible[CTR_EVENT] = 0;
    state->visible[CTR_START] = 0;
    state->visible[CTR_CYCLES] = 0;
    state->visible[CTR_PRE] = state->pre_initial;
    state->visible[CTR_STOP] = state->stop_initial;
    state->flag = false;
    state->single = WAIT_FOR_PRE;
}

static void count_single(const struct reference *ref, unsigned dom, struct reference_state *state,
                         const struct reference_clock *clock)
{
    enum counter_mode mode = counter_mode(ref, dom);
    unsigned extra;
    add(ref, &state->visible[CTR_CYCLES], 1); /* PC-D12 */
    add(ref, &state->visible[CTR_EVENT], event_step(clock, mode));
    if (extra_step(clock, mode, &extra)) /* PC-D13 */
        add(ref, &state->visible[CTR_PRE], extra);
    if (!clock->inputs[IN_STOP])
        return;
    if (state->visible[CTR_EVENT] >= state->threshold)
        add(ref, &state->visible[CTR_START], 1);
    if (state->visible[CTR_STOP] != 0) {
        state->visible[CTR_STOP]--;
        state->single = WAIT_FOR_START;
    } else {
        state->single = INACTIVE;
    }
}

/* The `switch` of the document. */
static void step_single(const struct reference *ref, unsigned dom, struct reference_state *state,
                        const struct reference_clock *clock)
{
    switch (state->single) {
    case INACTIVE:
        if (state->begin)
            start_process(state);
        break;
    case WAIT_FOR_PRE:
        update_flag(state, clock);
        if (clock->inputs[IN_PRE]) {
            if (state->visible[CTR_PRE] != 0)
                state->visible[CTR_PRE]--;
            else
                state->single = WAIT_FOR_START;
        }
        break;
    case WAIT_FOR_START:
        update_flag(state, clock);
        if (clock->inputs[IN_START]) {
            state->visible[CTR_CYCLES] = 0;
            if (!period_all(ref, dom))
                state->visible[CTR_EVENT] = 0;
            state->single = COUNTING;
        }
        break;
    case COUNTING:
        update_flag(state, clock);
        count_single(ref, dom, state, clock);
        break;
    }
}

/* ---- quad event mode ----------------------------------------------------------------------- */

static void swap(struct reference_state *state)
{
    memcpy(state->visible, state->shadow, sizeof state->visible);
    memset(state->shadow, 0, sizeof state->shadow);
    state->quad = state->quad == EMPTY ? VALID : OVERFLOW;
}

/* The swap comes first: this clock counts into the new period (PC-D30). */
static void step_quad(const struct reference *ref, unsigned dom, struct reference_state *state,
                      const struct reference_clock *clock)
{
    enum counter_mode mode = counter_mode(ref, dom);
    unsigned extra;
    bool by_pre_op = ref->chipset >= REF_G84 && ref->chipset <= REF_GT215;
    if (clock->swap || (by_pre_op && state->begin))
        swap(state);
    if (!extra_step(clock, mode, &extra))
        extra = clock->inputs[IN_START];
    add(ref, &state->shadow[CTR_CYCLES], 1);
    add(ref, &state->shadow[CTR_EVENT], event_step(clock, mode));
    add(ref, &state->shadow[CTR_START], extra);
    add(ref, &state->shadow[CTR_PRE], clock->inputs[IN_PRE]);
    add(ref, &state->shadow[CTR_STOP], clock->inputs[IN_STOP]);
}

/* ---- all modes ----------------------------------------------------------------------------- */

void reference_step(struct reference *ref, unsigned dom, const struct reference_clock *clock)
{
    struct reference_state *state = &ref->domain[dom].state;
    enum reference_mode mode = reference_mode(ref, dom);

    if (state->abort)
        state->single = INACTIVE; /* in every mode (PC-D10) */
    if (ref->shared.gctrl & 1)
        reference_clear_record_counters(state); /* in every mode (PC-D24) */

    switch (mode) {
    case MODE_SINGLE:
        step_single(ref, dom, state, clock);
        return; /* FLAG is part of it (PC-D6) */
    case MODE_QUAD:
        step_quad(ref, dom, state, clock);
        break;
    case MODE_RECORD:
        reference_record_step(ref, dom, clock);
        break;
    case MODE_NONE:
        break;
    }
    update_flag(state, clock);
}
